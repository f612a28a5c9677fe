"""Terms with other terms in place of variables."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tepui.checker.invariants.terms import Term, Terms

_MADE_BY: dict[str, Callable[..., Term]] = {
    "not": Terms.negation,
    "=": Terms.equal,
    "<": Terms.less,
    "<=": Terms.at_most,
    "*": Terms.product,
    "ite": Terms.ite,
}

_MADE_OF_MANY: dict[str, Callable[..., Term]] = {
    "and": Terms.conjunction,
    "or": Terms.disjunction,
    "+": Terms.sum,
}


def substituted(terms: Terms, root: Term, by: Mapping[str, Term]) -> Term:
    """A term with terms in place of variables."""
    found: dict[Term, Term] = {}
    for term in terms.below([root]):
        operator, operands, value = terms.nodes[term]
        new = [found[each] for each in operands]
        if operator == "variable":
            found[term] = by.get(str(value), term)
        elif not operands:
            found[term] = term
        elif operator in _MADE_BY:
            found[term] = _MADE_BY[operator](terms, *new)
        elif operator in _MADE_OF_MANY:
            found[term] = _MADE_OF_MANY[operator](terms, new)
        else:
            divisor = terms.value(operands[1])
            assert divisor is not None
            divided = terms.div if operator == "div" else terms.mod
            found[term] = divided(new[0], divisor)
    return found[root]
