"""Strings: constants are numbers and compared exactly, all others are opaque.

Equal constants are one object, as the JVM interns them. Nothing is known about opaque strings;
each stands for any number of strings, so whoever decides by one meets a limit. A method whose
result is a string gives an opaque one, if it is certain that it throws no exception.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product

from tepui.languages.java.constants import MethodRef
from tepui.languages.java.descriptors import method_descriptor
from tepui.languages.java.hierarchy import STRING
from tepui.languages.java.intrinsics import STRING_INDEX
from tepui.languages.java.method import MethodTranslator
from tepui.languages.java.stack_values import Value, compared, integer, negated
from tepui.program.expressions import (
    FALSE,
    TRUE,
    Conditional,
    Constant,
    Expression,
    conjunction,
)

_OPAQUE = "a decision depends on a string that is computed"

_MOST_CASES = 1024
"""How many constants, or pairs of them, one expression distinguishes."""


def call(method: MethodTranslator, reference: MethodRef, arguments: Sequence[Value]) -> bool:
    """Do what a method of String does."""
    name, signature = reference.name, method_descriptor(reference.descriptor)
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
    elif name == "equals":
        _equals(method, *arguments)
    elif name == "charAt":
        _character(method, *arguments)
    elif name in _NUMBERS and len(arguments) == 1:
        _number(method, arguments[0], _NUMBERS[name])
    elif (name, signature.parameters) in _TABLES:
        _table(method, arguments, _TABLES[name, signature.parameters])
    elif signature.result == f"L{STRING};":
        _check_result(method, name, signature.parameters, arguments)
        if method.at is not None:
            method.push(method.translation.opaque_string(), "A", never_null=True)
    else:
        return False
    return True


def _equals(method: MethodTranslator, left: Value, right: Value) -> None:
    for each, other in ((left, right), (right, left)):
        # No object but a string is equal to an opaque string, and null is not, either.
        string = method.is_among(other, method.numbers.ranges(STRING))
        opaque = _is_opaque(method, each)
        if FALSE not in (opaque, string):
            method.limit(negated(conjunction(opaque, string)), _OPAQUE)
    if method.at is not None:
        method.push(compared("=", left.expression, right.expression), "I")


def _number(method: MethodTranslator, of: Value, compute: Callable[[str], int]) -> None:
    """A number that the text of a string decides."""
    _check_known(method, of)
    if method.at is not None:
        method.push(_decided(of, _texts(method, of), compute), "I")


def _decided(
    of: Value, texts: Sequence[tuple[str, int]], compute: Callable[[str], int | Expression]
) -> Expression:
    """What a known text decides, case by case."""
    found: Expression = integer(0)
    for text, number in texts:
        computed = compute(text)
        value = integer(computed) if isinstance(computed, int) else computed
        guard = compared("=", of.expression, integer(number))
        if guard == TRUE:
            return value
        if guard != FALSE:
            found = Conditional(guard, value, found)
    return found


def _character(method: MethodTranslator, of: Value, index: Value) -> None:
    """A character of a constant."""
    _check_known(method, of)
    texts = _texts(method, of)
    if sum(len(text) for text, _ in texts) > _MOST_CASES:
        method.limit(FALSE, "characters of many strings are read at one place")
    if method.at is None:
        return
    length = _decided(of, texts, _length)
    inside = compared("<", index.expression, length)
    _check_bounds(method, compared(">=", index.expression, integer(0)), inside)

    def character(text: str) -> Expression:
        units = _units(text) or [0]
        found: Expression = integer(units[-1])
        for number, unit in enumerate(units[:-1]):
            here = compared("=", index.expression, integer(number))
            found = Conditional(here, integer(unit), found)
        return found

    if method.at is not None:
        method.push(_decided(of, texts, character), "I")


def _table(
    method: MethodTranslator, arguments: Sequence[Value], compute: Callable[..., int | None]
) -> None:
    """A number that several texts decide, and constants."""
    for each in arguments[1:]:
        if each.kind == "A" and compute is not _equal_letters:  # It takes null, and is false then.
            method.check_not_null(each)
            method.limit(method.is_among(each, method.numbers.ranges(STRING)), _OPAQUE)
    cases = list(_cases(method, arguments, compute))
    if None in cases or len(cases) > _MOST_CASES:
        method.limit(FALSE, _OPAQUE)
    for each in arguments:
        if each.kind == "A":
            _check_known(method, each)
    if method.at is None:
        return
    found: Expression = integer(0)
    for case in cases:
        assert case is not None
        guard, value = case
        found = integer(value) if guard == TRUE else Conditional(guard, integer(value), found)
    method.push(found, "I")


def _cases(
    method: MethodTranslator, arguments: Sequence[Value], compute: Callable[..., int | None]
) -> Iterator[tuple[Expression, int] | None]:
    """What is computed of each combination of texts, or None where that is not known."""
    choices: list[list[tuple[str | int, Expression]]] = []
    for each in arguments:
        if each.kind == "A":
            guards = (
                (t, compared("=", each.expression, integer(n))) for t, n in _texts(method, each)
            )
            choices.append([(text, guard) for text, guard in guards if guard != FALSE])
        elif isinstance(each.expression, Constant):
            choices.append([(each.expression.value, TRUE)])
        else:
            yield None
            return
    for number, combination in enumerate(product(*choices)):
        value = compute(*(each for each, _ in combination))
        if value is None or number > _MOST_CASES:
            yield None
            return
        guard: Expression = TRUE
        for _, one in combination:
            guard = conjunction(guard, one)
        yield guard, value


def _check_result(
    method: MethodTranslator, name: str, types: tuple[str, ...], arguments: Sequence[Value]
) -> None:
    """The exceptions of a method that gives a string; a limit where they are not known."""
    given = arguments[len(arguments) - len(types) :]
    if name == "substring":
        _check_part(method, *arguments)
    elif name == "repeat":
        enough = compared(">=", given[0].expression, integer(0))
        method.limit(enough, "String.repeat throws an exception that is not modelled")
    elif types in _HARMLESS.get(name, ()):
        for value in given:
            if value.kind == "A":
                method.check_not_null(value)
        if any(_SEQUENCE in type_ for type_ in types) and method.translation.has_own_texts:
            method.limit(FALSE, f"String.{name} asks objects for their strings")
    else:
        method.limit(FALSE, f"java.lang.String.{name} is not modelled")


def _check_part(
    method: MethodTranslator, of: Value, begin: Value, end: Value | None = None
) -> None:
    """Whether a part of a string lies inside of it."""
    if end is None and begin.expression == integer(0):
        return
    _check_known(method, of)
    length = _decided(of, _texts(method, of), _length)
    last = length if end is None else end.expression
    ordered = compared("<=", begin.expression, last)
    _check_bounds(method, compared(">=", begin.expression, integer(0)), ordered)
    if end is not None:
        _check_bounds(method, compared("<=", last, length))


def _check_bounds(method: MethodTranslator, *conditions: Expression) -> None:
    if FALSE in conditions:
        conditions = (FALSE,)
    holds: Expression = TRUE
    for each in conditions:
        holds = conjunction(holds, each)
    method.check(holds, STRING_INDEX, "bounds")


def _check_known(method: MethodTranslator, of: Value) -> None:
    method.limit(negated(_is_opaque(method, of)), _OPAQUE)


def _is_opaque(method: MethodTranslator, of: Value) -> Expression:
    return method.is_among(of, method.translation.computed_strings)


def _texts(method: MethodTranslator, of: Value) -> list[tuple[str, int]]:
    """The constants that a string can be, each with its number."""
    return [
        (text, number)
        for text, number in method.translation.string_numbers()
        if method.is_among(of, ((number, number),)) != FALSE
    ]


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


def _length(text: str) -> int:
    return len(_units(text))


def _index(text: str, part: str | int) -> int:
    """Where a part, or a character, is found first."""
    units = _units(text)
    wanted = _units(chr(part) if isinstance(part, int) else part)
    found = (n for n in range(len(units) - len(wanted) + 1) if units[n : n + len(wanted)] == wanted)
    return next(found, -1)


def _index_of_character(text: str, character: int) -> int:
    return _index(text, character) if 0 <= character < 0x110000 else -1


def _starts(text: str, part: str) -> int:
    return int(_units(text)[: _length(part)] == _units(part))


def _ends(text: str, part: str) -> int:
    units, wanted = _units(text), _units(part)
    return int(units[max(0, len(units) - len(wanted)) :] == wanted)


def _contains(text: str, part: str) -> int:
    return int(_index(text, part) >= 0)


def _order(one: str, other: str) -> int:
    ours, theirs = _units(one), _units(other)
    different = (a - b for a, b in zip(ours, theirs, strict=False) if a != b)
    return next(different, len(ours) - len(theirs))


def _equal_letters(one: str, other: str) -> int | None:
    return int(one.lower() == other.lower()) if one.isascii() and other.isascii() else None


_NUMBERS: dict[str, Callable[[str], int]] = {
    "length": _length,
    "hashCode": _hash,
    "isEmpty": lambda text: int(not text),
}

_TEXT = (f"L{STRING};",)
_SEQUENCE = "Ljava/lang/CharSequence;"

_TABLES: dict[tuple[str, tuple[str, ...]], Callable[..., int | None]] = {
    ("indexOf", ("I",)): _index_of_character,
    ("indexOf", _TEXT): _index,
    ("startsWith", _TEXT): _starts,
    ("endsWith", _TEXT): _ends,
    ("contains", (_SEQUENCE,)): _contains,
    ("compareTo", _TEXT): _order,
    ("equalsIgnoreCase", _TEXT): _equal_letters,
}

_HARMLESS = {
    **dict.fromkeys(("toUpperCase", "toLowerCase"), ((), ("Ljava/util/Locale;",))),
    **dict.fromkeys(("trim", "strip", "stripLeading", "stripTrailing", "intern"), ((),)),
    **dict.fromkeys(("valueOf", "copyValueOf"), (*((each,) for each in "ZCIJFD"), ("[C",))),
    "concat": (_TEXT,),
    "replace": (("C", "C"), (_SEQUENCE, _SEQUENCE)),
    "join": ((_SEQUENCE, f"[{_SEQUENCE}"),),
}
"""Methods that throw nothing but exceptions about arguments that are null, by their parameters."""
