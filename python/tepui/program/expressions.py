"""Expressions over the variables of a program. Their values are integers (see `types`).

An expression may have several values: `Choice` is any value of a type. Evaluation goes from left
to right. `and`, `or`, `implies` and `Conditional` evaluate only as much as they need; every other
operator evaluates all its operands. This order is part of the meaning: reading a variable that has
no value yet decides it (see `meaning`).

An index outside its array blocks: the step that would evaluate it does not exist. So do a division
by zero, a shift by less than 0 or more than 63, and a conversion to a type that blocks. A language
in which that is an error first asserts that all is well.

Arithmetic is that of mathematical integers, and the operators on bits see them in two's complement
with as many digits as needed. Where a language computes with machine integers, it converts: the sum
of two `int32` is `Convert(Binary("+", x, y), int32)`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Literal

from tepui.program.types import BOOLEAN, THREAD, Array, Bounded, Scalar, Type
from tepui.records import field, record, replace

if TYPE_CHECKING:
    from tepui.program.program import Position


@record
class Variable:
    """A variable; `procedure` is None for a global one.

    `initial` is the value of every element at the start of the program (of the call, for a local
    variable), or None where any value is possible. `volatile` says that threads use it to
    synchronise, so that accesses to it do not race. `position` is where it is declared, if that is
    known.
    """

    name: str
    type: Type = BOOLEAN
    procedure: str | None = None
    initial: int | None = None
    position: Position | None = field(default=None, compare=False, repr=False)
    volatile: bool = False

    @property
    def scalar(self) -> Scalar:
        """The type of the variable, or of its elements."""
        return self.type.element if isinstance(self.type, Array) else self.type

    @property
    def length(self) -> int:
        """How many scalars it holds."""
        return self.type.length if isinstance(self.type, Array) else 1


@record
class Constant:
    """One value; the type is for printing."""

    value: int
    type: Scalar = BOOLEAN


@record
class Read:
    """The value of a scalar variable; with `after`, its value after the step (only in the
    constraint of a step, written `'x`)."""

    variable: Variable
    after: bool = False


@record
class ReadElement:
    """The value of an element of an array."""

    variable: Variable
    index: Expression


@record
class Self:
    """The identity of the running thread, of type `ThreadId`."""


@record
class Choice:
    """Any value of a type, chosen anew at every evaluation; `*` for Booleans."""

    type: Scalar = BOOLEAN


UnaryOperator = Literal["not", "minus", "complement"]

LogicOperator = Literal["and", "or", "implies", "xor"]
ComparisonOperator = Literal["=", "!=", "<", "<=", ">", ">="]
ArithmeticOperator = Literal["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"]
BinaryOperator = LogicOperator | ComparisonOperator | ArithmeticOperator

MOST_SHIFTED = 63
"""A shift by more than this blocks, and so does one by less than 0."""


@record
class Unary:
    """`not` maps 0 to 1 and everything else to 0; `minus` negates an integer, and `complement`
    each of its bits."""

    operator: UnaryOperator
    operand: Expression


@record
class Binary:
    """Comparison and logic give 0 or 1, arithmetic gives integers without bounds.

    `/` rounds toward zero, and `%` has the sign of the dividend. `&`, `|` and `^` work on bits.
    `<<` multiplies by a power of two, and `>>` divides by one and rounds down.
    """

    operator: BinaryOperator
    left: Expression
    right: Expression


@record
class Convert:
    """A value as a variable of some type would store it: wrapped, saturated, or blocked."""

    operand: Expression
    type: Scalar


@record
class Conditional:
    """`condition ? then : otherwise`."""

    condition: Expression
    then: Expression
    otherwise: Expression


Expression = Constant | Read | ReadElement | Self | Choice | Unary | Binary | Convert | Conditional

TRUE = Constant(1)
FALSE = Constant(0)
ANY = Choice()
NOBODY = Constant(0, THREAD)
"""What names no thread."""


def operands(expression: Expression) -> tuple[Expression, ...]:
    """The expressions that an expression is made of, from left to right."""
    match expression:
        case Constant() | Read() | Self() | Choice():
            return ()
        case ReadElement():
            return (expression.index,)
        case Unary() | Convert():
            return (expression.operand,)
        case Binary():
            return (expression.left, expression.right)
        case Conditional():
            return (expression.condition, expression.then, expression.otherwise)


def with_operands(expression: Expression, change: Callable[[Expression], Expression]) -> Expression:
    """An expression with each of its operands changed."""
    match expression:
        case Constant() | Read() | Self() | Choice():
            return expression
        case ReadElement():
            return ReadElement(expression.variable, change(expression.index))
        case Unary():
            return Unary(expression.operator, change(expression.operand))
        case Convert():
            return Convert(change(expression.operand), expression.type)
        case Binary():
            return Binary(expression.operator, change(expression.left), change(expression.right))
        case Conditional():
            return Conditional(*map(change, operands(expression)))


def renamed(expression: Expression, change: Callable[[Variable], Variable]) -> Expression:
    """An expression with other variables in place of those that it reads."""
    if isinstance(expression, Read | ReadElement):
        expression = replace(expression, variable=change(expression.variable))
    return with_operands(expression, lambda operand: renamed(operand, change))


def after_step(expression: Expression) -> Expression:
    """The same for the values of scalar variables after a step."""
    match expression:
        case Read():
            return Read(expression.variable, after=True)
        case ReadElement():
            return expression
    return with_operands(expression, after_step)


def conjunction(left: Expression, right: Expression) -> Expression:
    """Both conditions, without those that always hold."""
    if left == TRUE:
        return right
    return left if right == TRUE else Binary("and", left, right)


def either(condition: Expression) -> tuple[Expression, Expression]:
    """The guards of the two ways between which a condition decides."""
    match condition:
        case Choice():
            return TRUE, TRUE
        case Constant():
            return (TRUE, FALSE) if condition.value else (FALSE, TRUE)
    return condition, Unary("not", condition)


def is_identity(expression: Expression) -> bool:
    """Whether the values of an expression are identities of threads."""
    match expression:
        case Read() | ReadElement():
            return expression.variable.scalar == THREAD
        case Constant() | Choice():
            return expression.type == THREAD
        case Self():
            return True
        case Conditional():
            return is_identity(expression.then)
        case _:
            return False


def inside(expression: Expression) -> Iterator[Expression]:
    """An expression and all expressions in it."""
    yield expression
    for operand in operands(expression):
        yield from inside(operand)


def may_block(expression: Expression) -> bool:
    """Whether evaluating an expression may block."""
    match expression:
        case ReadElement() | Binary(operator="/" | "%" | "<<" | ">>"):
            return True
        case Convert() if not (
            isinstance(expression.type, Bounded) and expression.type.overflow != "block"
        ):
            return True
    return any(map(may_block, operands(expression)))


def reads(expression: Expression) -> Iterator[Read | ReadElement]:
    """Every place at which an expression reads a variable."""
    if isinstance(expression, Read | ReadElement):
        yield expression
    for operand in operands(expression):
        yield from reads(operand)
