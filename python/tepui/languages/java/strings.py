"""Strings: constants are numbers and compared exactly, all others are opaque.

Equal constants are one object, as the JVM interns them. Nothing is known about the opaque string;
it stands for any number of strings, so whoever decides by it meets a limit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tepui.languages.java.constants import MethodRef
from tepui.languages.java.descriptors import method_descriptor
from tepui.languages.java.hierarchy import STRING
from tepui.languages.java.method import MethodTranslator
from tepui.languages.java.sites import is_among
from tepui.languages.java.stack_values import Value, compared, integer, negated
from tepui.program.expressions import (
    FALSE,
    TRUE,
    Conditional,
    Expression,
    conjunction,
)

_OPAQUE = "a decision depends on a string that is computed"


def call(method: MethodTranslator, reference: MethodRef, arguments: Sequence[Value]) -> bool:
    """Do what a method of String does."""
    name, result = reference.name, method_descriptor(reference.descriptor).result
    if name == "<init>":
        method.limit(FALSE, "strings that are made by a constructor are not modelled")
        return True
    if name in ("toString", "intern", "strip", "trim") and _is_known(method, arguments[0]):
        text = method.translation.text_of(arguments[0].expression) or ""
        if name in ("toString", "intern") or text == text.strip():
            method.stack.append(arguments[0])
            return True
    if name == "toString":
        method.stack.append(arguments[0])
        return True
    if name == "equals":
        _equals(method, *arguments)
        return True
    if name == "charAt":
        _character(method, *arguments)
        return True
    if name in _NUMBERS and len(arguments) == 1:
        _number(method, arguments[0], _NUMBERS[name])
        return True
    if name in ("format", "formatted", "join") and method.translation.has_own_texts:
        method.limit(FALSE, f"String.{name} asks objects for their strings")
        return True
    if result == f"L{STRING};":
        method.push(method.translation.opaque_string(), "A", never_null=True)
        return True
    return False


def _equals(method: MethodTranslator, left: Value, right: Value) -> None:
    opaque = method.translation.opaque_string()
    for each, other in ((left, right), (right, left)):
        # No object but a string is equal to an opaque string, and null is not, either.
        string = is_among(other.expression, method.numbers.ranges(STRING))
        wrong = conjunction(compared("=", each.expression, opaque), string)
        if FALSE in (compared("=", each.expression, opaque), string):
            continue
        method.limit(negated(wrong), _OPAQUE)
    if method.at is not None:
        method.push(compared("=", left.expression, right.expression), "I")


def _number(method: MethodTranslator, of: Value, compute: Callable[[str], int]) -> None:
    """A number that the text of a string decides."""
    method.limit(negated(compared("=", of.expression, method.translation.opaque_string())), _OPAQUE)
    if method.at is None:
        return
    found: Expression = integer(0)
    for text, number in method.translation.string_numbers():
        guard = compared("=", of.expression, integer(number))
        value = integer(compute(text))
        if guard == TRUE:
            found = value
            break
        if guard != FALSE:
            found = Conditional(guard, value, found)
    method.push(found, "I")


def _character(method: MethodTranslator, of: Value, index: Value) -> None:
    """A character of a constant; an exception is a limit, as models seldom need it."""
    text = method.translation.text_of(of.expression)
    if text is None or not text:
        method.limit(FALSE, _OPAQUE)
        return
    units = _units(text)
    inside = conjunction(
        compared(">=", index.expression, integer(0)),
        compared("<", index.expression, integer(len(units))),
    )
    method.check(inside, "java/lang/StringIndexOutOfBoundsException", "bounds")
    if method.at is None:
        return
    found: Expression = integer(units[-1])
    for number, unit in enumerate(units[:-1]):
        found = Conditional(compared("=", index.expression, integer(number)), integer(unit), found)
    method.push(found, "I")


def _is_known(method: MethodTranslator, value: Value) -> bool:
    return method.translation.text_of(value.expression) is not None


def _hash(text: str) -> int:
    found = 0
    for unit in _units(text):
        found = (31 * found + unit) % 2**32
    return found - 2**32 if found >= 2**31 else found


def _units(text: str) -> list[int]:
    data = text.encode("utf-16-be", "surrogatepass")
    return [data[n] << 8 | data[n + 1] for n in range(0, len(data), 2)]


_NUMBERS: dict[str, Callable[[str], int]] = {
    "length": lambda text: len(_units(text)),
    "hashCode": _hash,
    "isEmpty": lambda text: int(not text),
}
