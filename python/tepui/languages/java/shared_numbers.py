"""Numbers that stand for several objects: opaque strings, and exceptions without fields.

One is like another, as long as nobody asks which one it is: by `==`, or by entering a monitor.
Where somebody does, that is a limit of the translation.
"""

from __future__ import annotations

from tepui.languages.java.method import MethodTranslator
from tepui.languages.java.stack_values import Value, compared, negated
from tepui.program.expressions import FALSE, conjunction


def check_different(method: MethodTranslator, left: Value, right: Value) -> None:
    """In front of a comparison by `==`."""
    same = compared("=", left.expression, right.expression)
    shared = conjunction(_is_shared(method, left), _is_shared(method, right))
    if same == FALSE or FALSE in (_is_shared(method, left), _is_shared(method, right)):
        return
    both = conjunction(same, shared)
    method.limit(negated(both), "objects are compared that have no numbers of their own")


def check_monitor(method: MethodTranslator, of: Value) -> None:
    """In front of entering a monitor, waiting, or waking others."""
    shared = _is_shared(method, of)
    if shared != FALSE:
        what = "the monitor of an object is used that has no number of its own"
        method.limit(negated(shared), what)


def _is_shared(method: MethodTranslator, value: Value):  # type: ignore[no-untyped-def]
    return method.is_among(value, method.translation.shared_numbers)
