"""Terms and formulas as those of z3, and back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import z3

from tepui.horn.linear_terms import (
    Formula,
    Term,
    at_most,
    choice,
    conjunction,
    disjunction,
    equal,
    less,
    minus,
    negation,
    parts,
    plus,
    quotient,
    remainder,
    scaled,
)
from tepui.horn.valuing import Refused


class Translation:
    """Makes terms of z3, each once."""

    def __init__(self) -> None:
        self._known: dict[Any, Any] = {}

    def term(self, term: Term) -> Any:
        if isinstance(term, int):
            return z3.IntVal(term)
        found = self._known.get(term)
        if found is None:
            found = self._known[term] = self._new_term(term)
        return found

    def formula(self, formula: Formula) -> Any:
        if isinstance(formula, bool):
            return z3.BoolVal(formula)
        found = self._known.get(formula)
        if found is None:
            found = self._known[formula] = self._new_formula(formula)
        return found

    def _new_term(self, term: Any) -> Any:
        if isinstance(term, str):
            return z3.Int(term)
        match term[0]:
            case "+":
                return self._sum(term[1], dict(term[2]))
            case "ite":
                return z3.If(self.formula(term[1]), self.term(term[2]), self.term(term[3]))
            case "div":
                return self.term(term[1]) / z3.IntVal(term[2])
        return self.term(term[1]) % z3.IntVal(term[2])

    def _new_formula(self, formula: Any) -> Any:
        operator = formula[0]
        if operator in ("and", "or"):
            inside = [self.formula(each) for each in formula[1:]]
            return z3.And(inside) if operator == "and" else z3.Or(inside)
        constant, coefficients = parts(formula[1])
        left = {each: number for each, number in coefficients.items() if number > 0}
        right = {each: -number for each, number in coefficients.items() if number < 0}
        one = self._sum(max(constant, 0), left)
        other = self._sum(max(-constant, 0), right)
        if operator == "<=":
            return one <= other
        return one == other if operator == "=" else one != other

    def _sum(self, constant: int, coefficients: Mapping[Term, int]) -> Any:
        summands = [
            self.term(each) if number == 1 else z3.IntVal(number) * self.term(each)
            for each, number in coefficients.items()
        ]
        if constant or not summands:
            summands.append(z3.IntVal(constant))
        return summands[0] if len(summands) == 1 else z3.Sum(summands)


def read_formula(found: Any, names: Mapping[str, Term]) -> Formula:
    """A formula of z3 as one of ours, with other names for its variables."""
    return _Reading(names).formula(found)


class _Reading:
    """Reads terms of z3, which may share parts."""

    def __init__(self, names: Mapping[str, Term]) -> None:
        self._names = names
        self._formulas: dict[int, Formula] = {}
        self._terms: dict[int, Term] = {}

    def formula(self, found: Any) -> Formula:
        key = found.get_id()
        if key not in self._formulas:
            self._formulas[key] = self._formula(found)
        return self._formulas[key]

    def term(self, found: Any) -> Term:
        key = found.get_id()
        if key not in self._terms:
            self._terms[key] = self._term(found)
        return self._terms[key]

    def _formula(self, found: Any) -> Formula:
        if z3.is_quantifier(found) or not z3.is_app(found):
            raise Refused("an invariant with quantifiers")
        kind, inside = found.decl().kind(), found.children()
        if kind in (z3.Z3_OP_TRUE, z3.Z3_OP_FALSE):
            return bool(kind == z3.Z3_OP_TRUE)
        if kind in _LOGIC:
            return _LOGIC[kind](list(map(self.formula, inside)))
        if len(inside) == 2 and not z3.is_bool(inside[0]) and kind in _COMPARISONS:
            return _COMPARISONS[kind](*map(self.term, inside))
        if kind == z3.Z3_OP_EQ:
            one, other = map(self.formula, inside)
            return _cases([one, other, negation(other)])
        raise Refused(f"an invariant with {found.decl().name()}")

    def _term(self, found: Any) -> Term:
        if z3.is_int_value(found):
            return int(found.as_long())
        if not z3.is_app(found):
            raise Refused("an invariant with quantifiers")
        inside = found.children()
        kind = found.decl().kind()
        if kind == z3.Z3_OP_UNINTERPRETED and not inside:
            return self._names[found.decl().name()]
        if kind == z3.Z3_OP_ITE:
            then, otherwise = self.term(inside[1]), self.term(inside[2])
            return choice(self.formula(inside[0]), then, otherwise)
        terms = [self.term(each) for each in inside]
        return self._combined(found, kind, terms)

    def _combined(self, found: Any, kind: int, terms: list[Term]) -> Term:
        match kind:
            case z3.Z3_OP_ADD:
                result: Term = 0
                for each in terms:
                    result = plus(result, each)
                return result
            case z3.Z3_OP_SUB:
                result = terms[0]
                for each in terms[1:]:
                    result = minus(result, each)
                return result
            case z3.Z3_OP_UMINUS:
                return scaled(terms[0], -1)
            case z3.Z3_OP_MUL:
                factor = 1
                result = 1
                for each in terms:
                    if isinstance(each, int):
                        factor *= each
                    elif result == 1:
                        result = each
                    else:
                        raise Refused("an invariant with a product")
                return scaled(result, factor)
            case z3.Z3_OP_IDIV | z3.Z3_OP_MOD if isinstance(terms[1], int) and terms[1] > 0:
                divide = quotient if kind == z3.Z3_OP_IDIV else remainder
                return divide(terms[0], terms[1])
        raise Refused(f"an invariant with {found.decl().name()}")


def _cases(inside: list[Formula]) -> Formula:
    condition, then, otherwise = inside
    first = disjunction((negation(condition), then))
    return conjunction((first, disjunction((condition, otherwise))))


_LOGIC: dict[int, Callable[[list[Formula]], Formula]] = {
    z3.Z3_OP_NOT: lambda inside: negation(inside[0]),
    z3.Z3_OP_AND: conjunction,
    z3.Z3_OP_OR: disjunction,
    z3.Z3_OP_IMPLIES: lambda inside: disjunction((negation(inside[0]), inside[1])),
    z3.Z3_OP_XOR: lambda inside: _cases([inside[0], negation(inside[1]), inside[1]]),
    z3.Z3_OP_ITE: _cases,
}

_COMPARISONS: dict[int, Callable[[Term, Term], Formula]] = {
    z3.Z3_OP_EQ: equal,
    z3.Z3_OP_DISTINCT: lambda left, right: negation(equal(left, right)),
    z3.Z3_OP_LE: at_most,
    z3.Z3_OP_LT: less,
    z3.Z3_OP_GE: lambda left, right: at_most(right, left),
    z3.Z3_OP_GT: lambda left, right: less(right, left),
}
