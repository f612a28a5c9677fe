"""Values on the operand stack, as expressions (the JVM has them in no variables).

A value is an expression over the local variables of a method. It is computed where it is used;
before a variable in it changes, its old value is kept in another one (`MethodTranslator.effect`).
"""

from __future__ import annotations

from tepui.languages.java.facts import Sites
from tepui.languages.java.heap import INT, LONG
from tepui.program.expressions import (
    Binary,
    BinaryOperator,
    Constant,
    Convert,
    Expression,
    Read,
    Unary,
    Variable,
    reads,
)
from tepui.program.types import Bounded, Scalar, machine
from tepui.records import record

UNSIGNED = {INT: machine(32, signed=False), LONG: machine(64, signed=False)}


@record
class Value:
    """A value: `kind` is I, J, F, D or A, for int, long, float, double and references."""

    expression: Expression
    kind: str
    never_null: bool = False
    compared: tuple[Expression, Expression] | None = None
    """The two values of which this is the comparison, by `lcmp`."""
    sites: Sites | None = None
    """The sites of the objects that it may be, if that is known."""

    @property
    def is_wide(self) -> bool:
        """Whether it counts as two on the stack of the JVM."""
        return self.kind in "JD"

    def mentions(self, variables: set[Variable]) -> bool:
        """Whether its value changes when one of these variables does."""
        if isinstance(self.expression, Constant):
            return False
        return any(each.variable in variables for each in reads(self.expression))


def kind_of(descriptor: str) -> str:
    """The kind of values of some type."""
    first = descriptor[0]
    return first if first in "JFDV" else "A" if first in "L[" else "I"


def integer(value: int, type_: Scalar = INT) -> Constant:
    return Constant(value, type_)


def wrapped(expression: Expression, type_: Scalar) -> Expression:
    """A value as a machine integer stores it."""
    if isinstance(expression, Constant) and isinstance(type_, Bounded):
        return Constant((expression.value - type_.low) % type_.size + type_.low, type_)
    return Convert(expression, type_)


def computed(operator: BinaryOperator, left: Expression, right: Expression) -> Expression:
    """An operation on integers, done at once if both are known."""
    if isinstance(left, Constant) and isinstance(right, Constant):
        done = _DONE.get(operator)
        if done is not None:
            return Constant(done(left.value, right.value), INT)
    return Binary(operator, left, right)


def shifted(name: str, value: Expression, by: Expression, type_: Bounded) -> Expression:
    """A shift, by as many places as Java takes of the second operand."""
    places = computed("&", by, Constant(63 if type_ == LONG else 31, INT))
    if name == "shl":
        return wrapped(computed("<<", value, places), type_)
    if name == "shr":
        return computed(">>", value, places)
    return wrapped(computed(">>", wrapped(value, UNSIGNED[type_]), places), type_)


def negated(expression: Expression) -> Expression:
    """The opposite of a condition."""
    if isinstance(expression, Constant):
        return Constant(int(not expression.value))
    if isinstance(expression, Unary) and expression.operator == "not":
        return expression.operand
    if isinstance(expression, Binary) and expression.operator in _OPPOSITE:
        return Binary(_OPPOSITE[expression.operator], expression.left, expression.right)
    return Unary("not", expression)


def compared(operator: BinaryOperator, left: Expression, right: Expression) -> Expression:
    """A comparison, decided at once if both sides are known."""
    if isinstance(left, Constant) and isinstance(right, Constant):
        return Constant(int(_COMPARED[operator](left.value, right.value)))
    if operator in ("=", "!=") and left == right and isinstance(left, Read):
        return Constant(int(operator == "="))
    return Binary(operator, left, right)


_OPPOSITE: dict[str, BinaryOperator] = {
    "=": "!=", "!=": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">",
}  # fmt: skip

_COMPARED = {
    "=": int.__eq__, "!=": int.__ne__, "<": int.__lt__, ">=": int.__ge__, ">": int.__gt__,
    "<=": int.__le__,
}  # fmt: skip

_DONE = {
    "+": int.__add__, "-": int.__sub__, "*": int.__mul__, "&": int.__and__, "|": int.__or__,
    "^": int.__xor__, "<<": int.__lshift__, ">>": int.__rshift__,
}  # fmt: skip
