"""What must hold so that an expression can be evaluated: indices are inside their arrays, nothing
is divided by zero, shifts are by less than the width, and, if that is asked, nothing overflows.

A check speaks about the same state as the expression, and asks no more than is evaluated: behind
`&&`, `||`, `=>` and `?:` it holds only where the operand is needed. Checks come in the order of
evaluation, because the condition of a later one may evaluate what an earlier one has checked. What
types say for sure is not checked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from types import NoneType

from tepui.languages.boolean.arithmetic import is_signed, machine_type, most_shifted
from tepui.program.expressions import (
    Binary,
    BinaryOperator,
    Choice,
    Conditional,
    Constant,
    Convert,
    Expression,
    Read,
    ReadElement,
    Unary,
    Variable,
    operands,
)
from tepui.program.intervals import interval, is_within
from tepui.program.program import Element, Target, ViolationKind
from tepui.program.types import Bounded
from tepui.records import record, replace
from tepui.words import shown


@record
class Check:
    """A condition, and what is wrong if it does not hold."""

    kind: ViolationKind
    condition: Expression
    message: str


def checks_of(parts: Iterable[Expression | Target | None], overflow: bool) -> list[Check]:
    """What must hold so that some expressions can be evaluated and some targets assigned, in this
    order; conditions of one kind that follow each other are one."""
    found: list[Check] = []
    for part in parts:
        if isinstance(part, _NOTHING_TO_CHECK):
            continue
        for check in _of_part(part, overflow):
            if found and found[-1].kind == check.kind:
                found[-1] = _both(found[-1], check)
            else:
                found.append(check)
    return found


def _both(first: Check, second: Check) -> Check:
    message = first.message
    if second.message not in message.split(", or "):
        message = f"{message}, or {second.message}"
    return Check(first.kind, Binary("and", first.condition, second.condition), message)


_NOTHING_TO_CHECK = (NoneType, Variable, Constant, Read, Choice)


def _of_part(part: Expression | Element, overflow: bool) -> Iterator[Check]:
    if isinstance(part, Element):
        return _of_element(part.variable, part.index, overflow)
    return _of_expression(part, overflow)


def _of_expression(expression: Expression, overflow: bool) -> Iterator[Check]:
    match expression:
        case Read() | Constant():
            pass
        case ReadElement():
            yield from _of_element(expression.variable, expression.index, overflow)
        case Binary(operator="and" | "or" | "implies"):
            yield from _of_expression(expression.left, overflow)
            unless: BinaryOperator = "or" if expression.operator == "or" else "implies"
            for check in _of_expression(expression.right, overflow):
                yield replace(check, condition=Binary(unless, expression.left, check.condition))
        case Conditional():
            yield from _of_expression(expression.condition, overflow)
            for check in _of_expression(expression.then, overflow):
                needed = Binary("implies", expression.condition, check.condition)
                yield replace(check, condition=needed)
            for check in _of_expression(expression.otherwise, overflow):
                needed = Binary("or", expression.condition, check.condition)
                yield replace(check, condition=needed)
        case _:
            for operand in operands(expression):
                yield from _of_expression(operand, overflow)
            yield from _of_operator(expression, overflow)


def _of_element(variable: Variable, index: Expression, overflow: bool) -> Iterator[Check]:
    yield from _of_expression(index, overflow)
    last = variable.length - 1
    if not is_within(index, 0, last):
        message = f"an index of '{shown(variable.name)}' is outside 0..{last}"
        yield Check("bounds", _between(0, index, last), message)


def _of_operator(expression: Expression, overflow: bool) -> Iterator[Check]:
    match expression:
        case Binary(operator="/" | "%"):
            divisor = interval(expression.right)
            if divisor is None or divisor[0] <= 0 <= divisor[1]:
                differs = Binary("!=", expression.right, _number(0))
                yield Check("division", differs, "a division by zero")
        case Binary(operator="<<" | ">>"):
            most = most_shifted(expression.left)
            if not is_within(expression.right, 0, most):
                within = _between(0, expression.right, most)
                yield Check("bounds", within, f"a shift by less than 0 or more than {most}")
        case Convert(operand=inner, type=Bounded() as type_) if (
            overflow and is_signed(type_) and _may_overflow(inner)
        ):
            within = _between(type_.low, inner, type_.high)
            yield Check("overflow", within, f"a result is outside {type_}")


def _may_overflow(expression: Expression) -> bool:
    """Whether it is an operator on machine integers that these can be too narrow for. Other
    conversions are meant."""
    if machine_type(expression) is None:
        return False
    match expression:
        case Unary(operator="minus") | Binary(operator="+" | "-" | "*" | "/" | "<<"):
            return True
    return False


def _between(low: int, value: Expression, high: int) -> Expression:
    at_least, at_most = Binary("<=", _number(low), value), Binary("<=", value, _number(high))
    known = interval(value)
    if known is not None and known[0] >= low:
        return at_most
    return at_least if known is not None and known[1] <= high else Binary("and", at_least, at_most)


def _number(value: int) -> Constant:
    return Constant(value, Bounded(value, value))
