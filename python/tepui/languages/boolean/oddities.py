"""Constants that are odd but not wrong, such as one that its variable cannot hold: each gives a
warning, and the program means what it says."""

from __future__ import annotations

from tepui.languages.boolean.arithmetic import SHIFTS, machine_type, most_shifted
from tepui.languages.boolean.scope import Declarations
from tepui.languages.boolean.syntax import BinarySign
from tepui.program.expressions import Binary, Constant, Expression, Unary
from tepui.program.intervals import interval
from tepui.program.program import Position
from tepui.program.types import Bounded, Scalar
from tepui.words import shown

_SHIFTS = (*SHIFTS, ">>>")
_VIOLATION = "it is a violation to need it"


class Oddities:
    """Warns about constants in the expressions of a program."""

    def __init__(self, names: Declarations) -> None:
        self._warn = names.warn
        self.constraining = False
        """Whether the expressions stand behind `constrain`, where nothing is a violation."""

    def assigned(self, place: Position, value: Expression, scalar: Scalar) -> None:
        """A constant outside the range of the variable or the type that it is converted to."""
        number = constant_value(value)
        if number is None or not isinstance(scalar, Bounded) or scalar.low <= number <= scalar.high:
            return
        match scalar.overflow:
            case "wrap":
                becomes = f"becomes {scalar.low + (number - scalar.low) % scalar.size}"
            case "saturate":
                becomes = f"becomes {min(max(number, scalar.low), scalar.high)}"
            case "block":
                becomes = "makes a thread wait here forever"
        self._warn(place, f"{number} is not in {scalar.low}..{scalar.high} and {becomes}")

    def operand(
        self, place: Position, operator: BinarySign, value: Expression, other: Expression
    ) -> None:
        """An operand that is converted to the machine integer of the other one."""
        type_ = machine_type(other)
        if type_ is not None and operator not in _SHIFTS:
            self.assigned(place, value, type_)

    def case(self, place: Position, value: Expression, subject: Expression) -> None:
        """A case that the subject of its `switch` never has."""
        number, possible = constant_value(value), interval(subject)
        if number is None or possible is None or possible[0] <= number <= possible[1]:
            return
        low, high = possible
        self._warn(place, f"{number} is not in {low}..{high}, so this case is never taken")

    def element(self, place: Position, name: str, length: int, index: Expression) -> None:
        """An index outside its array."""
        number = constant_value(index)
        if number is not None and not 0 <= number < length:
            self._violation(place, f"'{shown(name)}' has no element {number}")

    def right_operand(
        self, place: Position, operator: BinarySign, left: Expression, right: Expression
    ) -> None:
        """A divisor that is zero, or a shift that is too far."""
        if operator in ("/", "%") and constant_value(right) == 0:
            self._violation(place, "this divides by 0")
        if operator in _SHIFTS:
            number, most = constant_value(right), most_shifted(left)
            if number is not None and not 0 <= number <= most:
                self._violation(place, f"a shift by {number} is not in 0..{most}")

    def _violation(self, place: Position, what: str) -> None:
        waits = "a step that needs it waits"
        self._warn(place, f"{what}, so {waits if self.constraining else _VIOLATION}")


def constant_value(expression: Expression) -> int | None:
    """The value of an integer expression without variables and choices."""
    match expression:
        case Constant():
            return expression.value
        case Unary(operator="minus"):
            value = constant_value(expression.operand)
            return None if value is None else -value
        case Binary(operator="+" | "-" | "*"):
            left, right = constant_value(expression.left), constant_value(expression.right)
            if left is None or right is None:
                return None
            sums = {"+": left + right, "-": left - right, "*": left * right}
            return sums[expression.operator]
    return None
