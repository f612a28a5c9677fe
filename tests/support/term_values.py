"""What terms of the invariant checker evaluate to: the meaning of SMT-LIB, node by node."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from tepui.checker.invariants.terms import Term, Terms

_MEANING: dict[str, Callable[..., int | bool]] = {
    "false": lambda: False,
    "true": lambda: True,
    "not": lambda one: not one,
    "and": lambda *each: all(each),
    "or": lambda *each: any(each),
    "=": lambda one, other: one == other,
    "<": lambda one, other: one < other,
    "<=": lambda one, other: one <= other,
    "+": lambda *each: sum(each),
    "*": lambda one, other: one * other,
    "div": lambda one, other: one // other,
    "mod": lambda one, other: one % other,
    "ite": lambda condition, then, otherwise: then if condition else otherwise,
}


class Evaluator:
    """Evaluates some terms, again and again with other values of variables."""

    def __init__(self, terms: Terms, roots: Iterable[Term]) -> None:
        self._order = [(term, *terms.nodes[term]) for term in terms.below(roots)]

    def values(self, of: Mapping[str, int]) -> dict[Term, int]:
        """The values of the terms and of all that they are made of; truth values are 0 and 1."""
        found: dict[Term, int] = {}
        for term, operator, operands, value in self._order:
            if operator == "variable":
                found[term] = of[str(value)]
            elif operator == "constant":
                assert isinstance(value, int)
                found[term] = value
            else:
                found[term] = int(_MEANING[operator](*(found[each] for each in operands)))
        return found


def values_of_terms(terms: Terms, roots: Iterable[Term], of: Mapping[str, int]) -> dict[Term, int]:
    return Evaluator(terms, roots).values(of)
