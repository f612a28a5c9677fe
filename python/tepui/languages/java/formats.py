"""What `String.format` asks of its arguments: as many as there are places, and of fitting classes.

What comes out is a string that is computed. Where an exception is possible, that is a limit, and so
are places whose rules are not known here (java.util.Formatter has many).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tepui.languages.java import arrays
from tepui.languages.java.heap import read
from tepui.languages.java.method import MethodTranslator
from tepui.languages.java.sites import merged
from tepui.languages.java.stack_values import Value, compared, integer, negated
from tepui.program.expressions import (
    FALSE,
    TRUE,
    Binary,
    BinaryOperator,
    Expression,
    conjunction,
)

_PLACE = re.compile(r"%([-0])?([1-9]\d{0,3})?(\.\d{1,3})?(.)", re.DOTALL)
"""A flag, the width, the digits behind the point, and the letter."""

_BAD = "a format and its arguments may not fit together"

_WHOLE = ("java/lang/Integer", "java/lang/Long", "java/lang/Short", "java/lang/Byte")

_CLASSES: dict[str, tuple[str, ...]] = {
    **dict.fromkeys("sSbB", ("java/lang/Object",)),
    **dict.fromkeys("dxXo", _WHOLE),
    "c": ("java/lang/Character",),
    **dict.fromkeys("feEg", ("java/lang/Float", "java/lang/Double")),
}
"""The classes that fit a place; null does, too."""


def check(method: MethodTranslator, arguments: Sequence[Value]) -> None:
    """A limit unless a format, which is not null, fits its arguments."""
    format_, values = arguments
    method.limit(compared("!=", values.expression, integer(0)), _BAD)
    computed = method.is_among(format_, method.translation.computed_strings)
    if method.numbers.ranges("java/util/Formattable"):
        computed = TRUE
    method.limit(negated(computed), _BAD)
    for text, number in method.translation.string_numbers():
        here = method.is_among(format_, ((number, number),))
        if here != FALSE:
            _require(method, here, _fits(method, text, values))


def _require(method: MethodTranslator, here: Expression, fits: Expression) -> None:
    if fits == TRUE:
        return
    if here == TRUE:
        method.limit(fits, _BAD)
    else:
        method.limit(negated(here) if fits == FALSE else Binary("implies", here, fits), _BAD)


def _fits(method: MethodTranslator, text: str, values: Value) -> Expression:
    places = list(_places(text))
    if None in places:
        return FALSE
    if not places and not method.translation.has_own_texts:
        return TRUE
    # Objects beyond the last place are not asked for their strings.
    enough: BinaryOperator = "=" if method.translation.has_own_texts else ">="
    fits = compared(enough, method.heap.length(values.expression), integer(len(places)))
    for index, letter in enumerate(places):
        assert letter is not None
        classes = _CLASSES[letter]
        if classes == ("java/lang/Object",):
            continue
        found: set[int] = set()
        for name in classes:
            found.update(
                n for low, high in method.numbers.ranges(name) for n in range(low, high + 1)
            )
        fits = conjunction(fits, _element_fits(method, values, index, found))
    return fits


def _element_fits(
    method: MethodTranslator, values: Value, index: int, numbers: set[int]
) -> Expression:
    fits: Expression = TRUE
    for guard, site in arrays.candidates(method, values, "L["):
        element = method.heap.element(site, values.expression, integer(index))
        if element is None or index >= method.heap.longest(site):
            continue
        value = Value(read(element), "A")
        one = Binary(
            "or", compared("=", read(element), integer(0)), method.is_among(value, merged(numbers))
        )
        fits = conjunction(fits, one if guard == TRUE else Binary("implies", guard, one))
    return fits


def _places(text: str) -> Iterator[str | None]:
    """The letter of each place that takes an argument; None where the rules are not known."""
    if "%" in _PLACE.sub("", text):
        yield None
    for place in _PLACE.finditer(text):
        flag, width, digits, letter = place.groups()
        if letter in "n%":
            if flag or width or digits:
                yield None
        elif (
            letter in _CLASSES
            and (width or not flag)
            and (flag in (None, "-") or letter in "dxf")
            and (not digits or letter in "feEgsSbB")
        ):
            yield letter
        else:
            yield None
