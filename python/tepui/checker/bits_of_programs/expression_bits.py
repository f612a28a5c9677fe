"""What expressions evaluate to, for all values of all variables at once.

It says in functions of bits what `semantics.evaluation` says value by value, and shares nothing
with it. A *code* is how a value of a type is stored: the bits of `value - low`, without a sign.

A choice is made of *fresh* bits, which no state has: whatever holds for all of their values holds
for all choices. Evaluating an expression gives its value, and where it *exists*: elsewhere
evaluation blocks, and the value means nothing. What is not evaluated cannot block.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from tepui.checker.bits_of_programs.diagrams import FALSE, TRUE, Diagrams
from tepui.checker.bits_of_programs.numbers import Number, Numbers, constant, shortened
from tepui.program.expressions import (
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
from tepui.program.layout import Cell, Layout
from tepui.program.program import Target
from tepui.program.types import Bounded, Scalar

Code = tuple[int, ...]
"""The bits of a stored value, the lowest first, each a function of bits."""


class Value(NamedTuple):
    """A number, and where it exists."""

    number: Number
    exists: int = TRUE


def bits_of_type(scalar: Scalar) -> int:
    """How many bits a value of a type is stored in."""
    return (scalar.size - 1).bit_length()


class Evaluation:
    """Evaluates the expressions of one procedure, for one thread, in one step."""

    def __init__(
        self,
        diagrams: Diagrams,
        layout: Layout,
        procedure: int,
        own: int,
        code_at: Callable[[int], Code],
        fresh: Callable[[int], Code],
    ) -> None:
        """`own` is the identity of the thread. `code_at` is what is stored at an address before
        the step: scalars have addresses, first those of the shared state, then those of the frame.
        `fresh` makes some fresh bits."""
        self._diagrams = diagrams
        self._numbers = Numbers(diagrams)
        self._layout = layout
        self._own = own
        self._code_at = code_at
        self._fresh = fresh
        self.cells = layout.shared_cells + layout.frame_cells[procedure]
        self.written: dict[int, Code] = {}
        """What the step has written so far: what is then stored at an address."""
        self._first: dict[tuple[str | None, str], int] = {}
        self._place(layout.program.globals, 0)
        self._place(layout.program.procedures[procedure].variables, len(layout.shared_cells))

    def holds(self, condition: Expression) -> int:
        """Where a condition exists and is true."""
        value = self.value(condition)
        return self._diagrams.both(value.exists, self.is_true(value))

    def is_true(self, value: Value) -> int:
        """Where a value is not 0, wherever it exists."""
        return self._numbers.is_true(value.number)

    def at(self, address: int) -> Number:
        """The value at an address before the step."""
        return self.decoded(self.cells[address].type, self._code_at(address))

    def initial(self, cell: Cell) -> tuple[Code, int]:
        """What a scalar starts with: a value, or any that exists."""
        if isinstance(cell.initial, int):
            return self.code(cell.type, constant(cell.initial)), TRUE
        number, exists = self._any(cell.type)
        return self.code(cell.type, number), exists

    def converted(self, expression: Expression, scalar: Scalar) -> Value:
        """What a scalar of a type holds after an expression was stored."""
        return self.stored(scalar, self.value(expression, _bits_of_wrapping(scalar)))

    def code(self, scalar: Scalar, number: Number) -> Code:
        """How a value of a type is stored."""
        scalar = self._layout.held(scalar)
        bits = bits_of_type(scalar)
        return _lowest(self._numbers.difference(number, constant(scalar.low), bits), bits)

    def decoded(self, scalar: Scalar, code: Code) -> Number:
        """The value of which this is the code."""
        return self._numbers.sum(shortened((*code, FALSE)), constant(scalar.low))

    def stored(self, scalar: Scalar, value: Value) -> Value:
        """What a scalar of a type holds after a value was stored; where it cannot be stored, the
        result does not exist."""
        scalar = self._layout.held(scalar)
        numbers, (number, exists) = self._numbers, value
        low, high = scalar.low, scalar.low + scalar.size - 1
        overflow = scalar.overflow if isinstance(scalar, Bounded) else "block"
        if overflow == "block":
            within = numbers.is_within(number, low, high)
            return Value(number, self._diagrams.both(exists, within))
        if overflow == "saturate":
            number = numbers.choice(numbers.is_less(number, constant(low)), constant(low), number)
            over = numbers.is_less(constant(high), number)
            return Value(numbers.choice(over, constant(high), number), exists)
        bits = _bits_of_wrapping(scalar)
        if bits is not None:
            code = _lowest(numbers.difference(number, constant(low), bits), bits)
            return Value(self.decoded(scalar, code), exists)
        size = constant(scalar.size)
        _, rest = numbers.division(numbers.difference(number, constant(low)), size)
        rest = numbers.choice(rest[-1], numbers.sum(rest, size), rest)
        return Value(numbers.sum(rest, constant(low)), exists)

    def assign(self, target: Target, code: Code) -> int:
        """Write to a target, and say where that is possible: not if an index is outside."""
        if isinstance(target, Variable):
            self.written[self.address(target)] = code
            return TRUE
        index, exists = self.value(target.index)
        first, length = self.address(target.variable), target.variable.length
        for place in range(length):
            here = self._numbers.is_equal(index, constant(place))
            old = self.written.get(first + place, self._code_at(first + place))
            both = zip(code, old, strict=True)
            self.written[first + place] = tuple(
                self._diagrams.choice(here, new, kept) for new, kept in both
            )
        within = self._numbers.is_within(index, 0, length - 1)
        return self._diagrams.both(exists, within)

    def address(self, variable: Variable) -> int:
        """The address of a variable, or of its first element."""
        return self._first[variable.procedure, variable.name]

    def value(self, expression: Expression, most: int | None = None) -> Value:
        """The value of an expression; if only the lowest `most` bits are wanted, a number that has
        the same ones."""
        match expression:
            case Constant():
                return Value(constant(expression.value))
            case Self():
                return Value(constant(self._own))
            case Choice():
                return self._any(expression.type)
            case Read():
                return Value(self._read(expression))
            case ReadElement():
                return self._element(expression)
            case Unary():
                return self._unary(expression, most)
            case Binary(operator="and" | "or" | "implies"):
                return self._logic(expression)
            case Binary():
                return self._binary(expression, most)
            case Convert():
                return self.converted(expression.operand, expression.type)
            case Conditional():
                condition, exists = self.value(expression.condition)
                chosen = self._numbers.is_true(condition)
                then = self.value(expression.then, most)
                otherwise = self.value(expression.otherwise, most)
                number = self._numbers.choice(chosen, then.number, otherwise.number)
                branch = self._diagrams.choice(chosen, then.exists, otherwise.exists)
                return Value(number, self._diagrams.both(exists, branch))

    def _place(self, variables: Sequence[Variable], address: int) -> None:
        for variable in variables:
            self._first[variable.procedure, variable.name] = address
            address += variable.length

    def _read(self, expression: Read) -> Number:
        """The value of a variable; after the step, if that is asked for and it was written."""
        address = self.address(expression.variable)
        if expression.after and address in self.written:
            return self.decoded(self.cells[address].type, self.written[address])
        return self.at(address)

    def _any(self, scalar: Scalar) -> Value:
        code = self._fresh(bits_of_type(scalar))
        number = self.decoded(scalar, code)
        within = self._numbers.is_within(number, scalar.low, scalar.low + scalar.size - 1)
        return Value(number, within)

    def _element(self, expression: ReadElement) -> Value:
        index, exists = self.value(expression.index)
        first, length = self.address(expression.variable), expression.variable.length
        found = self.at(first)
        for place in range(1, length):
            here = self._numbers.is_equal(index, constant(place))
            found = self._numbers.choice(here, self.at(first + place), found)
        within = self._numbers.is_within(index, 0, length - 1)
        return Value(found, self._diagrams.both(exists, within))

    def _unary(self, expression: Unary, most: int | None) -> Value:
        numbers = self._numbers
        if expression.operator == "not":
            number, exists = self.value(expression.operand)
            return Value(numbers.truth(self._diagrams.negation(numbers.is_true(number))), exists)
        number, exists = self.value(expression.operand, most)
        if expression.operator == "minus":
            return Value(numbers.negative(number, most), exists)
        return Value(numbers.complement(number), exists)

    def _logic(self, expression: Binary) -> Value:
        """The right side is evaluated only where the left one does not decide."""
        diagrams = self._diagrams
        left, right = self.value(expression.left), self.value(expression.right)
        first, second = self._numbers.is_true(left.number), self._numbers.is_true(right.number)
        needed = diagrams.negation(first) if expression.operator == "or" else first
        decided = FALSE if expression.operator == "and" else TRUE
        found = diagrams.choice(needed, second, decided)
        exists = diagrams.both(left.exists, diagrams.choice(needed, right.exists, TRUE))
        return Value(self._numbers.truth(found), exists)

    def _binary(self, expression: Binary, most: int | None) -> Value:
        numbers, operator = self._numbers, expression.operator
        wanted = most if operator in _LOCAL_TO_LOW_BITS else None
        left = self.value(expression.left, most if operator == "<<" else wanted)
        right = self.value(expression.right, wanted)
        exists = self._diagrams.both(left.exists, right.exists)
        one, other = left.number, right.number
        defined = TRUE
        if operator in ("/", "%"):
            defined = numbers.is_true(other)
        elif operator in ("<<", ">>"):
            defined = numbers.is_shift(other)
        number = self._result(operator, one, other, most)
        return Value(number, self._diagrams.both(exists, defined))

    def _result(self, operator: str, one: Number, other: Number, most: int | None) -> Number:
        numbers, diagrams = self._numbers, self._diagrams
        match operator:
            case "+":
                return numbers.sum(one, other, FALSE, most)
            case "-":
                return numbers.difference(one, other, most)
            case "*":
                return numbers.product(one, other, most)
            case "/":
                return numbers.division(one, other)[0]
            case "%":
                return numbers.division(one, other)[1]
            case "&":
                return numbers.bitwise(diagrams.both, one, other)
            case "|":
                return numbers.bitwise(diagrams.either, one, other)
            case "^":
                return numbers.bitwise(diagrams.differ, one, other)
            case "<<":
                return numbers.shifted_left(one, other, most)
            case ">>":
                return numbers.shifted_right(one, other)
        return numbers.truth(self._comparison(operator, one, other))

    def _comparison(self, operator: str, one: Number, other: Number) -> int:
        numbers, diagrams = self._numbers, self._diagrams
        match operator:
            case "=":
                return numbers.is_equal(one, other)
            case "!=":
                return diagrams.negation(numbers.is_equal(one, other))
            case "<":
                return numbers.is_less(one, other)
            case "<=":
                return diagrams.negation(numbers.is_less(other, one))
            case ">":
                return numbers.is_less(other, one)
            case ">=":
                return diagrams.negation(numbers.is_less(one, other))
            case "xor":
                return diagrams.differ(numbers.is_true(one), numbers.is_true(other))
        raise AssertionError(operator)


_LOCAL_TO_LOW_BITS = frozenset({"+", "-", "*", "&", "|", "^"})
"""The operators whose lowest bits depend on the lowest bits of both sides only."""


def _bits_of_wrapping(scalar: Scalar) -> int | None:
    """How many of the lowest bits of a value decide what a type stores of it, if no more do: it
    wraps around, and has a power of two of values."""
    bits = bits_of_type(scalar)
    wraps = isinstance(scalar, Bounded) and scalar.overflow == "wrap"
    return bits if wraps and bits > 0 and scalar.size == 2**bits else None


def _lowest(number: Number, bits: int) -> Code:
    """The lowest bits of a number, its sign repeated as needed."""
    return (*number[:bits], *number[-1:] * (bits - len(number)))
