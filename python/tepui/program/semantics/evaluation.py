"""What expressions evaluate to: the lowest layer of the reference semantics (see `meaning`).

Everything with several possible outcomes gives all of them, one after the other. An outcome
is a value and the store after it, because reading a variable that has no value decides one.

A copy is not such a reading: whoever gets a value that nobody knows yet has the same one, and when
one of them is read, all get it. Nor is a comparison of such a value with itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

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
from tepui.program.layout import Layout, SameAs, Value, same_range
from tepui.program.program import Target
from tepui.program.types import Bounded, Scalar, ThreadId
from tepui.records import record


@record
class Unread(SameAs):
    """What a variable has that had no value before a step, in the question whether the step exists
    for every value of that variable (`Meaning.stuck`): the value at an address before the step."""


ValuesOf = Callable[[Scalar, Variable | None], Sequence[int]]
"""Which values of a type are chosen, for a variable or, if none is named, by an expression: all, or
some."""


class Depends(Exception):  # noqa: N818
    """What a thread can do depends on the scalar that was at an address, which is `Unread`."""

    def __init__(self, address: int) -> None:
        super().__init__(address)
        self.address = address


class Store(NamedTuple):
    """The scalars before a step, and what the step has written so far, in order.

    Scalars have addresses: first those of the shared state, then those of the frame. Those without
    a value are `SameAs` a number, and those with the same number have the same value.
    """

    values: tuple[Value, ...]
    written: tuple[tuple[int, Value], ...] = ()
    own: int = 0
    """The identity of the thread that takes the step."""

    def write(self, address: int, value: Value) -> Store:
        return self._replace(written=(*self.written, (address, value)))

    def decide(self, unknown: SameAs, choices: Iterable[int]) -> Iterator[tuple[int, Store]]:
        """All ways to decide a value: whoever has it gets it."""
        values, written = list(self.values), list(self.written)
        places = [place for place, value in enumerate(values) if value == unknown]
        writes = [(place, a) for place, (a, value) in enumerate(written) if value == unknown]
        for choice in choices:
            for place in places:
                values[place] = choice
            for place, address in writes:
                written[place] = address, choice
            yield choice, self._replace(values=tuple(values), written=tuple(written))

    def result(self) -> tuple[Value, ...]:
        """The scalars after the step; the last of several writes counts."""
        values = list(self.values)
        for address, value in self.written:
            values[address] = value
        return tuple(values)


class _Place(NamedTuple):
    """Where a variable is: its address, and whether it is read after the step."""

    address: int
    after: bool = False


class Evaluation:
    """Evaluates the expressions of one procedure."""

    def __init__(self, layout: Layout, procedure: int, values: ValuesOf) -> None:
        self._values_of = values
        self._shared = len(layout.shared_cells)
        self._cells = layout.shared_cells + layout.frame_cells[procedure]
        self._first: dict[tuple[str | None, str], int] = {}
        self._values_at = partial(values_at, values, layout, procedure)
        self._place(layout.program.globals, 0)
        self._place(layout.program.procedures[procedure].variables, len(layout.shared_cells))

    def outcomes(self, expression: Expression, store: Store) -> Iterator[tuple[int, Store]]:
        """All values of an expression, each with the store in which it has this value."""
        match expression:
            case Constant() | Self():
                yield store.own if isinstance(expression, Self) else expression.value, store
            case Choice():
                for value in self._values_of(expression.type, None):
                    yield value, store
            case Read() | ReadElement() | Conditional():
                for found, after in self._found(expression, store):
                    yield from self._read(found, after)
            case Unary():
                for value, decided in self.outcomes(expression.operand, store):
                    yield _UNARY[expression.operator](value), decided
            case Binary() if expression.operator in _COMPARISONS:
                yield from self._compared(expression, store)
            case Binary():
                yield from self._binary(expression, store)
            case Convert():
                yield from self._converted(expression.operand, expression.type, store)

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
        if not choose and isinstance(expression, Choice) and same_range(expression.type, scalar):
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

    def assigned(
        self, expression: Expression, address: int, store: Store, *, choose: bool, share: bool
    ) -> Iterator[tuple[int | SameAs, Store]]:
        """What the scalar at an address gets from an expression.

        Unless it must `choose`, an expression that is a choice of any value leaves it without one.
        If variables may `share` values, a copy of one that has none yet gets the same.
        """
        scalar = self.scalar(address)
        if not choose and isinstance(expression, Choice) and same_range(expression.type, scalar):
            yield SameAs(~address), store  # A new value: no scalar before the step has this number.
            return
        for found, after in self._found(expression, store):
            unknown = self._unknown(found, after)
            if share and unknown is not None and self._is_beside(found, address):
                yield unknown, after
                continue
            for value, decided in self._read(found, after):
                kept = stored(scalar, value)
                if kept is not None:
                    yield kept, decided

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

    def _found(self, expression: Expression, store: Store) -> Iterator[tuple[int | _Place, Store]]:
        """The same as `outcomes`, but a variable is not read yet: only where it is has been found
        out."""
        match expression:
            case Read():
                yield _Place(self.address(expression.variable), expression.after), store
            case ReadElement():
                for address, decided in self._element(expression.variable, expression.index, store):
                    yield _Place(address), decided
            case Conditional():
                for condition, decided in self.outcomes(expression.condition, store):
                    chosen = expression.then if condition else expression.otherwise
                    yield from self._found(chosen, decided)
            case _:
                yield from self.outcomes(expression, store)

    def _at(self, place: _Place, store: Store) -> int | SameAs:
        """What is at a place; `after` the step, if the step has written there."""
        value = store.values[place.address]
        if place.after:
            for written, new in store.written:
                value = new if written == place.address else value
        assert value is not None, "in a store, no value is a number that all who share it have"
        return value

    def _read(self, found: int | _Place, store: Store) -> Iterator[tuple[int, Store]]:
        """The value of what was found; one that nobody knows yet is decided."""
        value = self._at(found, store) if isinstance(found, _Place) else found
        if isinstance(value, Unread):
            raise Depends(value.cell)
        if isinstance(value, SameAs):
            assert isinstance(found, _Place)
            yield from store.decide(value, self._values_at(found.address))
        else:
            yield value, store

    def _unknown(self, found: int | _Place, store: Store) -> SameAs | None:
        """What was found, if nobody knows its value yet. A type of two values is not worth it."""
        if isinstance(found, int) or self.scalar(found.address).size <= 2:
            return None
        value = self._at(found, store)
        return value if isinstance(value, SameAs) else None

    def _is_beside(self, found: int | _Place, address: int) -> bool:
        """Whether what was found and the scalar at an address are both in the shared state, or both
        in the frame, and can have the same values."""
        if isinstance(found, int) or (found.address < self._shared) != (address < self._shared):
            return False
        return same_range(self.scalar(found.address), self.scalar(address))

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

    def _compared(self, expression: Binary, store: Store) -> Iterator[tuple[int, Store]]:
        compare = _BINARY[expression.operator]
        for left, after_left in self._found(expression.left, store):
            for right, after_right in self._found(expression.right, after_left):
                unknown = self._unknown(left, after_right)
                if unknown is not None and unknown == self._unknown(right, after_right):
                    yield int(compare(0, 0)), after_right  # One value, whichever it is.
                    continue
                for one, after_one in self._read(left, after_right):
                    for other, after_other in self._read(right, after_one):
                        yield int(compare(one, other)), after_other

    def _binary(self, expression: Binary, store: Store) -> Iterator[tuple[int, Store]]:
        for left, after_left in self.outcomes(expression.left, store):
            known = _known_by_left(expression.operator, left)
            if known is not None:
                yield known, after_left
                continue
            for right, after_right in self.outcomes(expression.right, after_left):
                if _is_defined(expression.operator, right):
                    yield int(_BINARY[expression.operator](left, right)), after_right


def values_of(scalar: Scalar, _variable: Variable | None = None) -> range:
    """All values of a type."""
    return range(scalar.low, scalar.low + scalar.size)


def values_at(
    values: ValuesOf, layout: Layout, procedure: int | None, address: int
) -> Sequence[int]:
    """The values that the scalar at an address may have: shared ones come first, then those of the
    frames of a procedure."""
    local = address - len(layout.shared_cells)
    if local >= 0 and procedure is not None:
        cell = layout.frame_cells[procedure][local]
        return values(cell.type, layout.frame_variables[procedure][local])
    own = layout.shared_variables
    return values(layout.shared_cells[address].type, own[address] if address < len(own) else None)


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


_COMPARISONS = frozenset({"=", "!=", "<", "<=", ">", ">="})


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
