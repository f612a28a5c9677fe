"""Numbers that stand for several objects: opaque strings, and exceptions without fields.

One is like another, as long as nobody asks which one it is: by `==`, or by entering a monitor.
Where somebody does, that is a limit of the translation.
"""

from __future__ import annotations

from tepui.languages.java.hierarchy import STRING
from tepui.languages.java.method import MethodTranslator
from tepui.languages.java.stack_values import Value, compared, negated
from tepui.program.expressions import FALSE, Binary, Expression, conjunction


def check_different(method: MethodTranslator, left: Value, right: Value) -> None:
    """In front of a comparison by `==`. A computed string may also be the object of a constant."""
    same = compared("=", left.expression, right.expression)
    unclear = _both(_both(same, _is_shared(method, left)), _is_shared(method, right))
    strings = method.numbers.ranges(STRING)
    for one, other in ((left, right), (right, left)):
        opaque = method.is_among(one, method.translation.computed_strings)
        unclear = _either(unclear, _both(opaque, method.is_among(other, strings)))
        method.check_told(one)
    if unclear != FALSE:
        method.limit(negated(unclear), "objects are compared that have no numbers of their own")


def check_monitor(method: MethodTranslator, of: Value) -> None:
    """In front of entering a monitor, waiting, or waking others."""
    shared = _is_shared(method, of)
    if shared != FALSE:
        what = "the monitor of an object is used that has no number of its own"
        method.limit(negated(shared), what)


def _is_shared(method: MethodTranslator, value: Value) -> Expression:
    return method.is_among(value, method.translation.shared_numbers)


def _both(left: Expression, right: Expression) -> Expression:
    return FALSE if FALSE in (left, right) else conjunction(left, right)


def _either(left: Expression, right: Expression) -> Expression:
    if left == FALSE:
        return right
    return left if right == FALSE else Binary("or", left, right)
