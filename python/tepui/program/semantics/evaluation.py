"""What expressions evaluate to: the lowest layer of the reference semantics (see `meaning`).

Everything with several possible outcomes gives all of them, one after the other. An outcome
is a value and the store after it, because reading a variable that has no value decides one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple, cast

from tepui.program.expressions import (
    MOST_SHIFTED,
    Binary,
    Choice,
    Conditional,
    Constant,
    Convert,
    Expression,
    Read,
    ReadElement,
    Self,
    Unary,
    Variable,
)
from tepui.program.layout import Layout, Value
from tepui.program.program import Target
from tepui.program.types import Bounded, Scalar, ThreadId


class _Unread:
    """The type of `UNREAD`, which is equal to nothing else."""

    def __repr__(self) -> str:
        return "UNREAD"


UNREAD: Final = cast(int, _Unread())
"""The value of a variable that had none before a step, in the question whether the step exists for
every value of that variable (`Meaning.stuck`)."""


class Depends(Exception):  # noqa: N818
    """What a thread can do depends on the scalar at an address, which is UNREAD."""

    def __init__(self, address: int) -> None:
        super().__init__(address)
        self.address = address


class Store(NamedTuple):
    """The scalars before a step, and what the step has written so far, in order.

    Scalars have addresses: first those of the shared state, then those of the frame.
    """

    values: tuple[Value, ...]
    written: tuple[tuple[int, Value], ...] = ()
    own: int = 0
    """The identity of the thread that takes the step."""

    def write(self, address: int, value: Value) -> Store:
        return self._replace(written=(*self.written, (address, value)))

    def result(self) -> tuple[Value, ...]:
        """The scalars after the step; the last of several writes counts."""
        values = list(self.values)
        for address, value in self.written:
            values[address] = value
        return tuple(values)


class Evaluation:
    """Evaluates the expressions of one procedure."""

    def __init__(self, layout: Layout, procedure: int) -> None:
        self._cells = layout.shared_cells + layout.frame_cells[procedure]
        self._first: dict[tuple[str | None, str], int] = {}
        self._place(layout.program.globals, 0)
        self._place(layout.program.procedures[procedure].variables, len(layout.shared_cells))

    def outcomes(self, expression: Expression, store: Store) -> Iterator[tuple[int, Store]]:
        """All values of an expression, each with the store in which it has this value."""
        match expression:
            case Constant() | Self():
                yield store.own if isinstance(expression, Self) else expression.value, store
            case Choice():
                for value in values_of(expression.type):
                    yield value, store
            case Read():
                yield from self._read(self.address(expression.variable), expression.after, store)
            case ReadElement():
                for address, decided in self._element(expression.variable, expression.index, store):
                    yield from self._read(address, False, decided)
            case Unary():
                for value, decided in self.outcomes(expression.operand, store):
                    yield _UNARY[expression.operator](value), decided
            case Binary():
                yield from self._binary(expression, store)
            case Convert():
                yield from self._converted(expression.operand, expression.type, store)
            case Conditional():
                yield from self._conditional(expression, store)

    def holding(self, condition: Expression, store: Store) -> Iterator[Store]:
        """The stores in which the condition is true."""
        for value, decided in self.outcomes(condition, store):
            if value:
                yield decided

    def given(
        self, expression: Expression, scalar: Scalar, store: Store, *, choose: bool
    ) -> Iterator[tuple[Value, Store]]:
        """What a scalar of this type gets from an expression.

        Unless it must `choose`, an expression that is a choice of any value leaves it without one.
        """
        if not choose and isinstance(expression, Choice) and _same_range(expression.type, scalar):
            yield None, store
        else:
            yield from self._converted(expression, scalar, store)

    def all_given(
        self,
        expressions: Sequence[Expression],
        scalars: Sequence[Scalar],
        store: Store,
        *,
        choose: bool,
    ) -> Iterator[tuple[tuple[Value, ...], Store]]:
        """The same for several expressions, from left to right."""
        if not expressions:
            yield (), store
            return
        for first, decided in self.given(expressions[0], scalars[0], store, choose=choose):
            for rest, after in self.all_given(expressions[1:], scalars[1:], decided, choose=choose):
                yield (first, *rest), after

    def targeted(self, target: Target, store: Store) -> Iterator[tuple[int, Store]]:
        """The address of what is assigned to."""
        if isinstance(target, Variable):
            yield self.address(target), store
        else:
            yield from self._element(target.variable, target.index, store)

    def address(self, variable: Variable) -> int:
        """The address of a variable, or of its first element."""
        return self._first[variable.procedure, variable.name]

    def scalar(self, address: int) -> Scalar:
        """The type of the scalar at an address."""
        return self._cells[address].type

    def _place(self, variables: Sequence[Variable], address: int) -> None:
        for variable in variables:
            self._first[variable.procedure, variable.name] = address
            address += variable.length

    def _read(self, address: int, after: bool, store: Store) -> Iterator[tuple[int, Store]]:
        """The value at an address; `after` the step, if the step has written there."""
        writes = [value for written, value in store.written if written == address]
        new = after and bool(writes)
        value = writes[-1] if new else store.values[address]
        if value is UNREAD:
            raise Depends(address)
        if value is not None:
            yield value, store
            return
        for choice in values_of(self.scalar(address)):
            if new:
                yield choice, store.write(address, choice)
            else:
                yield choice, store._replace(values=_with(store.values, address, choice))

    def _element(
        self, variable: Variable, index: Expression, store: Store
    ) -> Iterator[tuple[int, Store]]:
        for number, decided in self.outcomes(index, store):
            if 0 <= number < variable.length:
                yield self.address(variable) + number, decided

    def _converted(
        self, expression: Expression, scalar: Scalar, store: Store
    ) -> Iterator[tuple[int, Store]]:
        for value, decided in self.outcomes(expression, store):
            kept = stored(scalar, value)
            if kept is not None:
                yield kept, decided

    def _conditional(self, expression: Conditional, store: Store) -> Iterator[tuple[int, Store]]:
        for condition, decided in self.outcomes(expression.condition, store):
            chosen = expression.then if condition else expression.otherwise
            yield from self.outcomes(chosen, decided)

    def _binary(self, expression: Binary, store: Store) -> Iterator[tuple[int, Store]]:
        for left, after_left in self.outcomes(expression.left, store):
            known = _known_by_left(expression.operator, left)
            if known is not None:
                yield known, after_left
                continue
            for right, after_right in self.outcomes(expression.right, after_left):
                if _is_defined(expression.operator, right):
                    yield int(_BINARY[expression.operator](left, right)), after_right


def values_of(scalar: Scalar) -> range:
    """All values of a type."""
    return range(scalar.low, scalar.low + scalar.size)


def stored(scalar: Scalar, value: int) -> int | None:
    """What a scalar holds after a value was stored; None if it cannot be stored."""
    if isinstance(scalar, ThreadId) or value in values_of(scalar):
        return value
    if not isinstance(scalar, Bounded) or scalar.overflow == "block":
        return None
    if scalar.overflow == "saturate":
        return min(max(value, scalar.low), scalar.high)
    return scalar.low + (value - scalar.low) % scalar.size


def _quotient(left: int, right: int) -> int:
    """The quotient, rounded toward zero."""
    size = abs(left) // abs(right)
    return size if (left < 0) == (right < 0) else -size


_UNARY: dict[str, Callable[[int], int]] = {
    "not": lambda value: int(value == 0),
    "minus": lambda value: -value,
    "complement": lambda value: ~value,
}

_BINARY: dict[str, Callable[[int, int], int]] = {
    "and": lambda left, right: left != 0 and right != 0,
    "or": lambda left, right: left != 0 or right != 0,
    "implies": lambda left, right: left == 0 or right != 0,
    "xor": lambda left, right: (left != 0) != (right != 0),
    "=": lambda left, right: left == right,
    "!=": lambda left, right: left != right,
    "<": lambda left, right: left < right,
    "<=": lambda left, right: left <= right,
    ">": lambda left, right: left > right,
    ">=": lambda left, right: left >= right,
    "+": lambda left, right: left + right,
    "-": lambda left, right: left - right,
    "*": lambda left, right: left * right,
    "/": _quotient,
    "%": lambda left, right: left - right * _quotient(left, right),
    "&": lambda left, right: left & right,
    "|": lambda left, right: left | right,
    "^": lambda left, right: left ^ right,
    "<<": lambda left, right: left << right,
    ">>": lambda left, right: left >> right,
}


def _is_defined(operator: str, right: int) -> bool:
    """Whether an operation has a value; otherwise it blocks."""
    if operator in ("/", "%"):
        return right != 0
    return operator not in ("<<", ">>") or 0 <= right <= MOST_SHIFTED


def _known_by_left(operator: str, left: int) -> int | None:
    """The value of an operation whose right side need not be evaluated."""
    if operator == "and" and not left:
        return 0
    if operator == "or" and left:
        return 1
    if operator == "implies" and not left:
        return 1
    return None


def _same_range(one: Scalar, other: Scalar) -> bool:
    return (one.low, one.size) == (other.low, other.size)


def _with(values: tuple[Value, ...], address: int, value: Value) -> tuple[Value, ...]:
    return (*values[:address], value, *values[address + 1 :])
