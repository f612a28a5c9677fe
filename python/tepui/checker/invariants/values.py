"""What expressions evaluate to, as terms (see `tepui.program.expressions` for what they mean).

An expression has a value and a condition under which it has one: elsewhere it blocks. A `Choice` is
a fresh variable. What is not linear arithmetic over variables is refused by name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from tepui.checker.invariants.terms import NotLinear, Term, Terms
from tepui.errors import EvidenceError
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
from tepui.program.types import INTEGER, THREAD, Boolean, Bounded, Enumeration, Integer, Scalar

MAX_LENGTH = 1024
"""The longest array whose elements are looked up by an index that is not known."""


class Refused(EvidenceError):  # noqa: N818 - the evidence may be right
    """The program has something about which invariants are not checked."""

    def __init__(self, what: str) -> None:
        super().__init__(f"invariants are not checked for programs with {what}")


class Value(NamedTuple):
    """A value, and when there is one."""

    term: Term
    defined: Term


ValueOf = Callable[[Variable, int], Term]
"""The value of an element of a variable."""

Range = tuple[int | None, int | None]
"""The least and the greatest value, where they are known."""


def range_of(scalar: Scalar) -> Range:
    """The values of a type."""
    match scalar:
        case Boolean() | Enumeration() | Bounded():
            return scalar.low, scalar.low + scalar.size - 1
        case Integer():
            return None, None
    return 0, None


class Ranges:
    """Which values terms can have, given those of variables."""

    def __init__(self, terms: Terms, variables: Mapping[str, Range]) -> None:
        self._terms = terms
        self._variables = variables
        self._known: dict[Term, Range] = {}

    def of(self, root: Term) -> Range:
        work = [root]
        while work:
            term = work[-1]
            operands = self._terms.nodes[term][1]
            unknown = [one for one in operands if one not in self._known]
            if term in self._known or not unknown:
                self._known.setdefault(term, self._found(term))
                work.pop()
            else:
                work.extend(unknown)
        return self._known[root]

    def _found(self, term: Term) -> Range:
        operator, operands, value = self._terms.nodes[term]
        ranges = [self._known[each] for each in operands]
        match operator:
            case "constant":
                assert isinstance(value, int)
                return value, value
            case "variable":
                return self._variables.get(str(value), (None, None))
            case "+":
                lows, highs = [low for low, _ in ranges], [high for _, high in ranges]
                return _total(lows), _total(highs)
            case "*":
                factor = self._terms.value(operands[0])
                assert factor is not None
                low, high = (None if n is None else factor * n for n in ranges[1])
                return (low, high) if factor > 0 else (high, low)
            case "mod":
                divisor = self._terms.value(operands[1])
                assert divisor is not None
                return 0, divisor - 1
            case "ite":
                (low, high), (other_low, other_high) = ranges[1:]
                return (
                    None if low is None or other_low is None else min(low, other_low),
                    None if high is None or other_high is None else max(high, other_high),
                )
        return None, None


def _total(bounds: list[int | None]) -> int | None:
    known = [bound for bound in bounds if bound is not None]
    return sum(known) if len(known) == len(bounds) else None


class Evaluation:
    """Evaluates expressions in one state."""

    def __init__(
        self, terms: Terms, ranges: Ranges, before: ValueOf, fresh: Callable[[Scalar], Term]
    ) -> None:
        """`before` gives the values of variables, and `fresh` makes one for a choice."""
        self._terms = terms
        self._ranges = ranges
        self._before = before
        self._after = before
        self._fresh = fresh

    def after(self, after: ValueOf) -> Evaluation:
        """The same with other values of variables after the step."""
        found = Evaluation(self._terms, self._ranges, self._before, self._fresh)
        found._after = after
        return found

    def condition(self, expression: Expression) -> Term:
        """That an expression has a value, and is true."""
        value = self.value(expression)
        return self._terms.conjunction((value.defined, self.holds(value.term)))

    def holds(self, term: Term) -> Term:
        """That an integer is not 0."""
        return self._terms.negation(self._terms.equal(term, self._terms.constant(0)))

    def stored(self, expression: Expression, scalar: Scalar) -> Value:
        """What a scalar of this type gets from an expression."""
        return self._kept(self.value(expression), scalar)

    def kept(self, term: Term, scalar: Scalar) -> Value:
        """What a scalar of this type gets when it is given a value."""
        return self._kept(Value(term, self._terms.true), scalar)

    def index(self, expression: Expression, length: int) -> Value:
        """A number of an element; there is none outside the array."""
        term, defined = self.value(expression)
        inside = self._is_between(term, 0, length - 1)
        return Value(term, self._terms.conjunction((defined, inside)))

    def value(self, expression: Expression) -> Value:
        terms = self._terms
        match expression:
            case Constant():
                if expression.type == THREAD and expression.value != 0:
                    raise Refused("threads that are named by constants")
                return Value(terms.constant(expression.value), terms.true)
            case Self():
                return Value(terms.variable("@.self"), terms.true)
            case Choice():
                return Value(self._fresh(expression.type), terms.true)
            case Read():
                place = self._after if expression.after else self._before
                return Value(place(expression.variable, 0), terms.true)
            case ReadElement():
                return self._element(expression)
            case Unary():
                return self._unary(expression)
            case Binary():
                return self._binary(expression)
            case Convert():
                return self._kept(self.value(expression.operand), expression.type)
            case Conditional():
                condition, defined = self.value(expression.condition)
                then, otherwise = self.value(expression.then), self.value(expression.otherwise)
                test = self.holds(condition)
                chosen = terms.ite(test, then.defined, otherwise.defined)
                return Value(
                    terms.ite(test, then.term, otherwise.term),
                    terms.conjunction((defined, chosen)),
                )

    def _element(self, expression: ReadElement) -> Value:
        variable, terms = expression.variable, self._terms
        index = self.index(expression.index, variable.length)
        known = terms.value(index.term)
        if known is not None:
            place = known if 0 <= known < variable.length else 0
            return Value(self._before(variable, place), index.defined)
        check_length(variable)
        found = self._before(variable, 0)
        for place in range(1, variable.length):
            is_there = terms.equal(index.term, terms.constant(place))
            found = terms.ite(is_there, self._before(variable, place), found)
        return Value(found, index.defined)

    def _unary(self, expression: Unary) -> Value:
        terms, (operand, defined) = self._terms, self.value(expression.operand)
        match expression.operator:
            case "not":
                return Value(self._number(terms.equal(operand, terms.constant(0))), defined)
            case "minus":
                return Value(terms.times(-1, operand), defined)
        return Value(terms.sum((terms.times(-1, operand), terms.constant(-1))), defined)

    def _binary(self, expression: Binary) -> Value:
        terms, operator = self._terms, expression.operator
        left, right = self.value(expression.left), self.value(expression.right)
        if operator in ("and", "or", "implies"):
            # The right side is evaluated only where the left one leaves the result open.
            test, other = self.holds(left.term), self.holds(right.term)
            open_ = terms.negation(test) if operator == "or" else test
            needed = terms.implication(open_, right.defined)
            join = {
                "and": terms.conjunction((test, other)),
                "or": terms.disjunction((test, other)),
                "implies": terms.implication(test, other),
            }
            number = self._number(join[operator])
            return Value(number, terms.conjunction((left.defined, needed)))
        result, exists = self._operation(operator, left.term, right.term)
        return Value(result, terms.conjunction((left.defined, right.defined, exists)))

    def _operation(self, operator: str, left: Term, right: Term) -> tuple[Term, Term]:
        """What an operator that evaluates both sides gives, and when it does."""
        terms = self._terms
        match operator:
            case "xor":
                same = terms.equal(self.holds(left), self.holds(right))
                return self._number(terms.negation(same)), terms.true
            case "=":
                return self._number(terms.equal(left, right)), terms.true
            case "!=":
                return self._number(terms.negation(terms.equal(left, right))), terms.true
            case "<":
                return self._number(terms.less(left, right)), terms.true
            case "<=":
                return self._number(terms.at_most(left, right)), terms.true
            case ">":
                return self._number(terms.less(right, left)), terms.true
            case ">=":
                return self._number(terms.at_most(right, left)), terms.true
            case "+":
                return terms.sum((left, right)), terms.true
            case "-":
                return terms.difference(left, right), terms.true
            case "*":
                try:
                    return terms.product(left, right), terms.true
                except NotLinear as error:
                    raise Refused(str(error)) from None
        return self._with_constant(operator, left, right)

    def _with_constant(self, operator: str, left: Term, right: Term) -> tuple[Term, Term]:
        """The operators whose right operand must be a constant."""
        terms, constant = self._terms, self._terms.value(right)
        if operator in ("&", "|", "^"):
            value = terms.value(left)
            if constant is None or value is None:
                raise Refused(f"the operator {operator} on the bits of a variable")
            bits = {"&": value & constant, "|": value | constant, "^": value ^ constant}
            return terms.constant(bits[operator]), terms.true
        if constant is None:
            raise Refused(f"the operator {operator} with a variable on its right")
        if operator in ("<<", ">>"):
            if not 0 <= constant <= MOST_SHIFTED:
                return left, terms.false
            power = 2**constant
            return terms.times(power, left) if operator == "<<" else terms.div(left, power), (
                terms.true
            )
        assert operator in ("/", "%")
        if constant == 0:
            return left, terms.false
        quotient = self._quotient(left, constant)
        if operator == "/":
            return quotient, terms.true
        return terms.difference(left, terms.times(constant, quotient)), terms.true

    def _quotient(self, left: Term, divisor: int) -> Term:
        """The quotient by a constant, rounded toward zero."""
        terms, size = self._terms, abs(divisor)
        down = terms.div(left, size)
        up = terms.times(-1, terms.div(terms.times(-1, left), size))
        toward_zero = terms.ite(terms.less(left, terms.constant(0)), up, down)
        return toward_zero if divisor > 0 else terms.times(-1, toward_zero)

    def _kept(self, value: Value, scalar: Scalar) -> Value:
        terms, (term, defined) = self._terms, value
        if scalar in (INTEGER, THREAD):
            return value
        low, high = range_of(scalar)
        assert low is not None
        assert high is not None
        least, most = self._ranges.of(term)
        if least is not None and most is not None and low <= least and most <= high:
            return value
        if not isinstance(scalar, Bounded) or scalar.overflow == "block":
            inside = self._is_between(term, low, high)
            return Value(term, terms.conjunction((defined, inside)))
        bottom, top = terms.constant(low), terms.constant(high)
        too_small, too_large = terms.less(term, bottom), terms.less(top, term)
        if scalar.overflow == "saturate":
            kept = terms.ite(too_small, bottom, terms.ite(too_large, top, term))
            return Value(kept, defined)
        size = high - low + 1
        if least is None or most is None or least < low - size or most > high + size:
            around = terms.mod(terms.difference(term, bottom), size)
            return Value(terms.sum((around, bottom)), defined)
        up, down = (terms.sum((term, terms.constant(n))) for n in (size, -size))
        return Value(terms.ite(too_small, up, terms.ite(too_large, down, term)), defined)

    def _is_between(self, term: Term, low: int, high: int) -> Term:
        terms = self._terms
        least, most = self._ranges.of(term)
        found = []
        if least is None or least < low:
            found.append(terms.at_most(terms.constant(low), term))
        if most is None or most > high:
            found.append(terms.at_most(term, terms.constant(high)))
        return terms.conjunction(found)

    def _number(self, truth: Term) -> Term:
        """A truth value as 0 or 1."""
        return self._terms.ite(truth, self._terms.constant(1), self._terms.constant(0))


def check_length(variable: Variable) -> None:
    """Refuse an array whose elements are too many to distinguish."""
    if variable.length > MAX_LENGTH:
        raise Refused(f"arrays of more than {MAX_LENGTH:,} elements ({variable.name})")
