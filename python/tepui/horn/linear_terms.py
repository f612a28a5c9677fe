"""Integer terms and formulas over named variables, in a form that is quick to make and to compare.

A term is an integer, the name of a variable, or a tuple:

    ("+", c, ((t, k), …))   the sum of c and of all k · t, where no t is an integer or a sum
    ("ite", f, t, u)        t if f holds, else u
    ("div", t, n), ("mod", t, n)   with a positive integer n, as in SMT-LIB: the remainder is ≥ 0

A formula is a truth value, or a tuple: ("<=", t), ("=", t) and ("!=", t) compare t with 0, and
("and", …), ("or", …) have at least two parts. Negation is pushed inwards. Functions here keep sums
sorted and without zeros, so that equal sums are the same; they simplify what is obvious, no more.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from math import gcd
from typing import Any

Term = int | str | tuple[Any, ...]
Formula = bool | tuple[Any, ...]
Interval = tuple[int | None, int | None]
"""The least and the greatest value; None where there is no bound."""


def parts(term: Term) -> tuple[int, dict[Term, int]]:
    """The constant of a sum, and the coefficient of everything else in it."""
    if isinstance(term, int):
        return term, {}
    if isinstance(term, tuple) and term[0] == "+":
        return term[1], dict(term[2])
    return 0, {term: 1}


def total(constant: int, coefficients: Mapping[Term, int]) -> Term:
    """The sum with these coefficients."""
    kept = [(term, number) for term, number in coefficients.items() if number]
    if not kept:
        return constant
    if len(kept) == 1 and constant == 0 and kept[0][1] == 1:
        return kept[0][0]
    kept.sort(key=_order)
    return "+", constant, tuple(kept)


def plus(left: Term, right: Term, times: int = 1) -> Term:
    """left + times · right."""
    if isinstance(left, int) and isinstance(right, int):
        return left + times * right
    constant, coefficients = parts(left)
    more, others = parts(right)
    for term, number in others.items():
        coefficients[term] = coefficients.get(term, 0) + times * number
    return total(constant + times * more, coefficients)


def minus(left: Term, right: Term) -> Term:
    return plus(left, right, -1)


def scaled(term: Term, number: int) -> Term:
    return plus(0, term, number)


def choice(condition: Formula, then: Term, otherwise: Term) -> Term:
    """then if the condition holds, else otherwise."""
    if isinstance(condition, bool):
        return then if condition else otherwise
    return then if then == otherwise else ("ite", condition, then, otherwise)


def quotient(term: Term, divisor: int) -> Term:
    """The quotient by a positive number, rounded down."""
    if isinstance(term, int):
        return term // divisor
    return term if divisor == 1 else ("div", term, divisor)


def remainder(term: Term, divisor: int) -> Term:
    if isinstance(term, int):
        return term % divisor
    return 0 if divisor == 1 else ("mod", term, divisor)


def is_zero(term: Term) -> Formula:
    """term = 0."""
    return _compared("=", term)


def is_not_zero(term: Term) -> Formula:
    return _compared("!=", term)


def is_at_most_zero(term: Term) -> Formula:
    """term ≤ 0."""
    return _compared("<=", term)


def equal(left: Term, right: Term) -> Formula:
    return is_zero(minus(left, right))


def at_most(left: Term, right: Term) -> Formula:
    return is_at_most_zero(minus(left, right))


def less(left: Term, right: Term) -> Formula:
    return is_at_most_zero(plus(minus(left, right), 1))


def negation(formula: Formula) -> Formula:
    if isinstance(formula, bool):
        return not formula
    match formula[0]:
        case "<=":
            return is_at_most_zero(minus(1, formula[1]))
        case "=":
            return "!=", formula[1]
        case "!=":
            return "=", formula[1]
        case "and":
            return disjunction(map(negation, formula[1:]))
    return conjunction(map(negation, formula[1:]))


def conjunction(formulas: Iterable[Formula]) -> Formula:
    return _joined("and", formulas)


def disjunction(formulas: Iterable[Formula]) -> Formula:
    return _joined("or", formulas)


def implication(left: Formula, right: Formula) -> Formula:
    return disjunction((negation(left), right))


def numeric(formula: Formula) -> Term:
    """1 if it holds, else 0."""
    return choice(formula, 1, 0)


Mapped = Mapping[str, Term]


def substituted(term: Term, new: Mapped) -> Term:
    """A term with other terms in place of variables."""
    if isinstance(term, str):
        return new.get(term, term)
    if isinstance(term, int):
        return term
    match term[0]:
        case "+":
            found: Term = term[1]
            for each, number in term[2]:
                found = plus(found, substituted(each, new), number)
            return found
        case "ite":
            condition = replaced(term[1], new)
            return choice(condition, substituted(term[2], new), substituted(term[3], new))
        case "div":
            return quotient(substituted(term[1], new), term[2])
    return remainder(substituted(term[1], new), term[2])


def replaced(formula: Formula, new: Mapped) -> Formula:
    """A formula with other terms in place of variables."""
    if isinstance(formula, bool):
        return formula
    operator = formula[0]
    if operator in ("and", "or"):
        return _joined(operator, (replaced(each, new) for each in formula[1:]))
    return _compared(operator, substituted(formula[1], new))


def variables_of(value: Term | Formula) -> frozenset[str]:
    """The variables that occur in a term or a formula."""
    return frozenset(_names(value))


def _names(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple):
        match value[0]:
            case "+":
                for term, _ in value[2]:
                    yield from _names(term)
            case "div" | "mod":
                yield from _names(value[1])
            case _:
                for each in value[1:]:
                    yield from _names(each)


def evaluated(term: Term, values: Mapping[str, int]) -> int:
    """The value of a term; a variable without a value is 0."""
    if isinstance(term, int):
        return term
    if isinstance(term, str):
        return values.get(term, 0)
    match term[0]:
        case "+":
            found: int = term[1]
            for each, number in term[2]:
                if isinstance(each, str):
                    found += number * values.get(each, 0)
                else:
                    found += number * evaluated(each, values)
            return found
        case "ite":
            return evaluated(term[2] if holds(term[1], values) else term[3], values)
        case "div":
            return evaluated(term[1], values) // int(term[2])
    return evaluated(term[1], values) % int(term[2])


def holds(formula: Formula, values: Mapping[str, int]) -> bool:
    """Whether a formula is true."""
    if isinstance(formula, bool):
        return formula
    match formula[0]:
        case "and":
            return all(holds(each, values) for each in formula[1:])
        case "or":
            return any(holds(each, values) for each in formula[1:])
        case "<=":
            return evaluated(formula[1], values) <= 0
    return (evaluated(formula[1], values) == 0) == bool(formula[0] == "=")


def interval(term: Term, ranges: Mapping[str, Interval]) -> Interval:
    """The least and the greatest value of a term, as far as the ranges of variables say."""
    if isinstance(term, int):
        return term, term
    if isinstance(term, str):
        return ranges.get(term, (None, None))
    if term[0] == "ite":
        (low, high), (least, most) = interval(term[2], ranges), interval(term[3], ranges)
        return (
            None if low is None or least is None else min(low, least),
            None if high is None or most is None else max(high, most),
        )
    if term[0] == "mod":
        return 0, term[2] - 1
    if term[0] == "div":
        low, high = interval(term[1], ranges)
        return None if low is None else low // term[2], None if high is None else high // term[2]
    low, high = term[1], term[1]
    for each, number in term[2]:
        least, most = interval(each, ranges)
        if number < 0:
            least, most = most, least
        low = None if low is None or least is None else low + number * least
        high = None if high is None or most is None else high + number * most
    return low, high


def settled(formula: Formula, ranges: Mapping[str, Interval]) -> Formula:
    """The formula without comparisons that the ranges of variables decide."""
    if isinstance(formula, bool):
        return formula
    operator = formula[0]
    if operator in ("and", "or"):
        return _joined(operator, (settled(each, ranges) for each in formula[1:]))
    low, high = interval(formula[1], ranges)
    if operator == "<=":
        if high is not None and high <= 0:
            return True
        return False if low is not None and low > 0 else formula
    if (low is not None and low > 0) or (high is not None and high < 0):
        return bool(operator == "!=")
    return formula


def text(value: Term | Formula) -> str:
    """A term or a formula in SMT-LIB."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value) if value >= 0 else f"(- {-value})"
    if isinstance(value, str):
        return f"|{value}|"
    match value[0]:
        case "+":
            return _sum_text(value[1], value[2])
        case "<=" | "=":
            return _comparison_text(value[0], value[1])
        case "!=":
            return f"(not {_comparison_text('=', value[1])})"
        case operator:
            return f"({operator} {' '.join(map(text, value[1:]))})"


def _comparison_text(operator: str, term: Term) -> str:
    """The comparison with what is subtracted on the other side."""
    constant, coefficients = parts(term)
    left = [(each, number) for each, number in coefficients.items() if number > 0]
    right = [(each, -number) for each, number in coefficients.items() if number < 0]
    return f"({operator} {_sum_text(max(constant, 0), left)} {_sum_text(max(-constant, 0), right)})"


def _sum_text(constant: int, coefficients: Iterable[tuple[Term, int]]) -> str:
    summands = [
        text(term) if number == 1 else f"(* {text(number)} {text(term)})"
        for term, number in coefficients
    ]
    if constant or not summands:
        summands.append(text(constant))
    return summands[0] if len(summands) == 1 else f"(+ {' '.join(summands)})"


def _order(item: tuple[Term, int]) -> tuple[bool, str]:
    term = item[0]
    return (False, term) if isinstance(term, str) else (True, repr(term))


def _joined(operator: str, formulas: Iterable[Formula]) -> Formula:
    neutral = operator == "and"
    found: dict[Formula, None] = {}
    for formula in formulas:
        if isinstance(formula, bool):
            if formula != neutral:
                return formula
        elif formula[0] == operator:
            found.update(dict.fromkeys(formula[1:]))
        else:
            found[formula] = None
    if not found:
        return neutral
    return next(iter(found)) if len(found) == 1 else (operator, *found)


def _compared(operator: str, term: Term) -> Formula:
    """A comparison with 0, divided by what all coefficients have in common."""
    if isinstance(term, int):
        return term <= 0 if operator == "<=" else (term == 0) == (operator == "=")
    constant, coefficients = parts(term)
    if len(coefficients) <= 2:
        for each in coefficients:
            if isinstance(each, tuple) and each[0] == "ite":
                decided = _by_cases(operator, term, each)
                if decided is not None:
                    return decided
    common = gcd(*coefficients.values())
    first = min(coefficients.items(), key=_order)[1] if operator != "<=" else 1
    if common == 1 and first > 0:
        return operator, term
    if operator != "<=" and constant % common:
        return operator == "!="
    if first < 0:
        common = -common
    divided = {each: number // common for each, number in coefficients.items()}
    return operator, total(-(-constant // common), divided)


def _by_cases(operator: str, term: Term, decision: tuple[Any, ...]) -> Formula | None:
    """A comparison of something with two cases, if it is decided in one of them."""
    constant, coefficients = parts(term)
    number = coefficients.pop(decision)
    rest = total(constant, coefficients)
    then = _compared(operator, plus(rest, decision[2], number))
    otherwise = _compared(operator, plus(rest, decision[3], number))
    if not isinstance(then, bool) and not isinstance(otherwise, bool):
        return None
    return disjunction(
        (conjunction((decision[1], then)), conjunction((negation(decision[1]), otherwise)))
    )
