"""Which exceptions somebody could catch, and which methods pass some on.

An exception that nobody can catch is a violation where it is thrown. It can be caught if there is a
handler around it, or around some call of its method, or of a method that calls that one, and so on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tepui.languages.java.hierarchy import JavaMethod, MethodKey
from tepui.records import record

_THROWING = frozenset(
    [
        "athrow",
        "getfield",
        "putfield",
        "arraylength",
        "idiv",
        "ldiv",
        "irem",
        "lrem",
        "newarray",
        "anewarray",
        "multianewarray",
        "iaload",
        "laload",
        "faload",
        "daload",
        "aaload",
        "baload",
        "caload",
        "saload",
        "iastore",
        "lastore",
        "fastore",
        "dastore",
        "aastore",
        "bastore",
        "castore",
        "sastore",
        "checkcast",
        "monitorenter",
        "monitorexit",
        "invokevirtual",
        "invokeinterface",
        "invokespecial",
    ]
)
"""Instructions that may throw something by themselves."""


@record
class CallSite:
    """A call of one method in another one."""

    caller: MethodKey
    pc: int
    callee: MethodKey


class Catching:
    """What is known of exceptions in all methods."""

    def __init__(self, methods: dict[MethodKey, JavaMethod], calls: Iterable[CallSite]) -> None:
        self._methods = methods
        self._calls = list(calls)
        self.caught = self._caught()
        """The methods whose exceptions somebody may catch."""
        self.throwing = self._throwing()
        """Those of them that may end with an exception."""

    def _caught(self) -> set[MethodKey]:
        callees: dict[MethodKey, set[MethodKey]] = {}
        for call in self._calls:
            callees.setdefault(call.caller, set()).add(call.callee)
        found = {call.callee for call in self._calls if self._is_guarded(call)}
        waiting = list(found)
        while waiting:
            new = callees.get(waiting.pop(), set()) - found
            found |= new
            waiting += new
        return found

    def _throwing(self) -> set[MethodKey]:
        callers: dict[MethodKey, set[MethodKey]] = {}
        for call in self._calls:
            callers.setdefault(call.callee, set()).add(call.caller)
        found = {key for key in self.caught if self._throws_itself(key)}
        waiting = list(found)
        while waiting:
            new = (callers.get(waiting.pop(), set()) & self.caught) - found
            found |= new
            waiting += new
        return found

    def _is_guarded(self, call: CallSite) -> bool:
        code = self._methods[call.caller].code if call.caller in self._methods else None
        return code is not None and any(each.start <= call.pc < each.end for each in code.handlers)

    def _throws_itself(self, key: MethodKey) -> bool:
        method = self._methods.get(key)
        if method is None or method.code is None:
            return False
        return any(True for _ in _throwing_instructions(method))


def _throwing_instructions(method: JavaMethod) -> Iterator[str]:
    code = method.code
    assert code is not None
    before = ""
    for each in code.instructions:
        if each.operation in _THROWING:
            safe = before == "aload_0" and not method.is_static
            if not (safe and each.operation == "getfield"):
                yield each.operation
        before = each.name
