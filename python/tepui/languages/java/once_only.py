"""Which instructions are executed at most once, so that what they make has a fixed number.

Counts are 0, 1 and MANY. A method counts once for each execution of a call of it, and an
instruction in a loop counts as many. What threads run that are started counts as many.
"""

from __future__ import annotations

from collections.abc import Iterable

from tepui.languages.java.catching import CallSite
from tepui.languages.java.hierarchy import JavaMethod, MethodKey

MANY = 2


class Executions:
    """How often methods and their instructions can be executed."""

    def __init__(
        self,
        methods: dict[MethodKey, JavaMethod],
        calls: Iterable[CallSite],
        once: Iterable[MethodKey],
        often: Iterable[MethodKey],
    ) -> None:
        self._methods = methods
        self._loops: dict[MethodKey, frozenset[int]] = {}
        self._counts = dict.fromkeys(methods, 0)
        self._counts |= dict.fromkeys(once, 1)
        self._counts |= dict.fromkeys(often, MANY)
        self._count(list(calls))

    def is_once(self, method: MethodKey, pc: int) -> bool:
        """Whether an instruction is executed at most once."""
        return self._counts.get(method, MANY) < MANY and pc not in self._in_loops(method)

    def _count(self, calls: list[CallSite]) -> None:
        by_caller: dict[MethodKey, list[CallSite]] = {}
        for call in calls:
            by_caller.setdefault(call.caller, []).append(call)
        given: dict[CallSite, int] = {}
        waiting = [key for key, count in self._counts.items() if count]
        while waiting:
            caller = waiting.pop()
            for call in by_caller.get(caller, ()):
                count = self._counts[caller]
                if call.caller in self._methods and call.pc in self._in_loops(caller):
                    count = MANY
                more = count - given.get(call, 0)
                before = self._counts.get(call.callee, 0)
                if more <= 0:
                    continue
                given[call] = count
                self._counts[call.callee] = min(before + more, MANY)
                if self._counts[call.callee] != before:
                    waiting.append(call.callee)

    def _in_loops(self, key: MethodKey) -> frozenset[int]:
        if key not in self._loops:
            self._loops[key] = _loops(self._methods[key])
        return self._loops[key]


def _loops(method: JavaMethod) -> frozenset[int]:
    """The instructions from which a path leads back to themselves, as far as jumps back tell:
    everything between a jump back and its target."""
    code = method.code
    assert code is not None
    found = set[int]()
    places = [each.pc for each in code.instructions]
    for instruction in code.instructions:
        for target in instruction.targets:
            if target <= instruction.pc:
                found.update(pc for pc in places if target <= pc <= instruction.pc)
    for handler in code.handlers:
        if handler.handler < handler.end:
            found.update(pc for pc in places if handler.handler <= pc < handler.end)
    return frozenset(found)
