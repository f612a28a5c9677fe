"""What expressions of a program evaluate to, as terms over the values before a step.

Where the reference semantics gives all outcomes one after the other, a choice here is a new
variable, and what an expression needs so as not to block is a condition. Refused by name is what is
not linear: products of two variables, division by one, and operators on bits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import count

from tepui.horn.linear_terms import (
    Formula,
    Interval,
    Term,
    at_most,
    choice,
    conjunction,
    disjunction,
    equal,
    implication,
    interval,
    is_not_zero,
    less,
    minus,
    negation,
    numeric,
    plus,
    quotient,
    remainder,
    scaled,
    settled,
)
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
    inside,
)
from tepui.program.types import Bounded, Integer, Scalar, ThreadId


class Refused(Exception):  # noqa: N818 - nothing is wrong, but there is no answer
    """A program has something of which nothing is found out here."""


Values = dict[str, Term]


class Valuing:
    """Evaluates expressions along one path, and collects the conditions under which it exists."""

    def __init__(self, ranges: Mapping[str, Interval], fresh: count[int]) -> None:
        self.conditions: list[Formula] = []
        self.ranges: dict[str, Interval] = dict(ranges)
        self._fresh = fresh

    def copy(self) -> Valuing:
        other = Valuing(self.ranges, self._fresh)
        other.conditions = list(self.conditions)
        return other

    def require(self, condition: Formula) -> bool:
        """Add a condition; whether the path can still exist."""
        decided = settled(condition, self.ranges)
        if decided is not True:
            self.conditions.append(decided)
        return decided is not False

    def any_of(self, scalar: Scalar) -> Term:
        """Any value of a type."""
        name = f"any.{next(self._fresh)}"
        if isinstance(scalar, ThreadId):
            raise Refused("a choice of any thread")
        if not isinstance(scalar, Integer):
            if scalar.size == 1:
                return scalar.low
            self.ranges[name] = scalar.low, scalar.low + scalar.size - 1
        return name

    def stored(self, scalar: Scalar, term: Term, given: Formula = True) -> Term:
        """What a variable of this type holds after a value was stored."""
        if isinstance(scalar, Integer | ThreadId):
            return term
        least, most = scalar.low, scalar.low + scalar.size - 1
        low, high = interval(term, self.ranges)
        if low is not None and high is not None and least <= low and high <= most:
            return term
        if not isinstance(scalar, Bounded) or scalar.overflow == "block":
            within = conjunction((at_most(least, term), at_most(term, most)))
            self.require(implication(given, within))
            return term
        below, above = self._holds(less(term, least)), self._holds(less(most, term))
        if scalar.overflow == "saturate":
            return choice(below, least, choice(above, most, term))
        is_near = low is not None and low >= least - scalar.size
        if is_near and high is not None and high <= most + scalar.size:
            over = choice(above, minus(term, scalar.size), term)
            return choice(below, plus(term, scalar.size), over)
        return plus(remainder(minus(term, least), scalar.size), least)

    def term(self, expression: Expression, place: Place, given: Formula = True) -> Term:
        """The value of an expression, if `given` holds: else it is not evaluated."""
        match expression:
            case Constant():
                if isinstance(expression.type, ThreadId) and expression.value:
                    raise Refused("a constant that names a thread")
                return expression.value
            case Choice():
                return self.any_of(expression.type)
            case Read():
                return place.read(expression.variable, 0, expression.after)
            case ReadElement():
                return self._element(expression.variable, expression.index, place, given)
            case Self():
                return place.own
            case Unary(operator="minus"):
                return scaled(self.term(expression.operand, place, given), -1)
            case Unary(operator="complement"):
                return minus(-1, self.term(expression.operand, place, given))
            case Convert():
                return self.stored(
                    expression.type, self.term(expression.operand, place, given), given
                )
            case Conditional():
                condition = self.truth(expression.condition, place, given)
                then = self.term(expression.then, place, _both(given, condition))
                otherwise = self.term(expression.otherwise, place, _unless(given, condition))
                return choice(condition, then, otherwise)
            case Binary() if expression.operator in _ARITHMETIC:
                return self._arithmetic(expression, place, given)
        return numeric(self.truth(expression, place, given))

    def truth(self, expression: Expression, place: Place, given: Formula = True) -> Formula:
        """Whether the value of an expression is not 0."""
        match expression:
            case Unary(operator="not"):
                return negation(self.truth(expression.operand, place, given))
            case Binary(operator="and" | "or" | "implies" | "xor"):
                return self._logic(expression, place, given)
            case Binary() if expression.operator in _COMPARISONS:
                left = self.term(expression.left, place, given)
                right = self.term(expression.right, place, given)
                return self._holds(_COMPARISONS[expression.operator](left, right))
        return self._holds(is_not_zero(self.term(expression, place, given)))

    def element(
        self, variable: Variable, index: Expression, place: Place
    ) -> tuple[Term, range | list[int]]:
        """The index of an element, and the numbers that it may be; the path exists only where it
        is inside the array."""
        number = self.term(index, place)
        self._inside(number, variable, True)
        if isinstance(number, int):
            return number, [number] if 0 <= number < variable.length else []
        return number, range(variable.length)

    def _element(self, variable: Variable, index: Expression, place: Place, given: Formula) -> Term:
        number = self.term(index, place, given)
        self._inside(number, variable, given)
        if isinstance(number, int):
            inside = 0 <= number < variable.length
            return place.read(variable, number, False) if inside else 0
        found = place.read(variable, variable.length - 1, False)
        for each in reversed(range(variable.length - 1)):
            here = self._holds(equal(number, each))
            found = choice(here, place.read(variable, each, False), found)
        return found

    def _inside(self, number: Term, variable: Variable, given: Formula) -> None:
        within = conjunction((at_most(0, number), less(number, variable.length)))
        self.require(implication(given, within))

    def _holds(self, formula: Formula) -> Formula:
        return settled(formula, self.ranges)

    def _logic(self, expression: Binary, place: Place, given: Formula) -> Formula:
        left = self.truth(expression.left, place, given)
        match expression.operator:
            case "and":
                right = self.truth(expression.right, place, _both(given, left))
                return conjunction((left, right))
            case "or":
                right = self.truth(expression.right, place, _unless(given, left))
                return disjunction((left, right))
            case "implies":
                right = self.truth(expression.right, place, _both(given, left))
                return implication(left, right)
        right = self.truth(expression.right, place, given)
        one = conjunction((left, negation(right)))
        return disjunction((one, conjunction((negation(left), right))))

    def _arithmetic(self, expression: Binary, place: Place, given: Formula) -> Term:
        left = self.term(expression.left, place, given)
        right = self.term(expression.right, place, given)
        operator = expression.operator
        if operator == "+":
            return plus(left, right)
        if operator == "-":
            return minus(left, right)
        if operator == "*":
            if _is_constant(expression.left) and isinstance(left, int):
                return scaled(right, left)
            if _is_constant(expression.right) and isinstance(right, int):
                return scaled(left, right)
            raise Refused("a product of two variables")
        if not _is_constant(expression.right) or not isinstance(right, int):
            raise Refused(f"the operator {operator} with a variable on the right")
        return self._by_constant(operator, left, right, given)

    def _by_constant(self, operator: str, left: Term, right: int, given: Formula) -> Term:
        if operator in ("<<", ">>"):
            if not 0 <= right <= MOST_SHIFTED:
                self.require(negation(given))
                return 0
            return scaled(left, 2**right) if operator == "<<" else quotient(left, 2**right)
        if operator not in ("/", "%"):
            raise Refused(f"the operator {operator} on bits")
        if right == 0:
            self.require(negation(given))
            return 0
        rounded = self._toward_zero(left, abs(right))
        result = rounded if right > 0 else scaled(rounded, -1)
        return result if operator == "/" else minus(left, scaled(result, right))

    def _toward_zero(self, left: Term, divisor: int) -> Term:
        down, up = quotient(left, divisor), scaled(quotient(scaled(left, -1), divisor), -1)
        return choice(self._holds(at_most(0, left)), down, up)


class Place:
    """Where variables are read: those of the global state, and those of one frame."""

    def __init__(self, values: Values, depth: int, own: Term, after: Values | None = None) -> None:
        self._values = values
        self._after = values if after is None else after
        self._depth = depth
        self.own = own

    def name(self, variable: Variable, element: int = 0) -> str:
        return variable_name(variable, element, self._depth)

    def read(self, variable: Variable, element: int, after: bool) -> Term:
        values = self._after if after else self._values
        return values[self.name(variable, element)]


def variable_name(variable: Variable, element: int, depth: int) -> str:
    """How an element of a variable is called; that of a thread without the number of the thread."""
    if variable.procedure is None:
        return f"g.{variable.name}.{element}"
    return f"{depth}.{variable.name}.{element}"


def _is_constant(expression: Expression) -> bool:
    """Whether an expression is the same number everywhere, as `-2` is."""
    return all(isinstance(part, Constant | Unary | Binary) for part in inside(expression))


def _unless(given: Formula, condition: Formula) -> Formula:
    return conjunction((given, negation(condition)))


_ARITHMETIC = frozenset({"+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"})

_COMPARISONS: dict[str, Callable[[Term, Term], Formula]] = {
    "=": equal,
    "!=": lambda left, right: negation(equal(left, right)),
    "<": less,
    "<=": at_most,
    ">": lambda left, right: less(right, left),
    ">=": lambda left, right: at_most(right, left),
}


def _both(left: Formula, right: Formula) -> Formula:
    return conjunction((left, right))
