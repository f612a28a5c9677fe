"""Terms as Python functions, for integers as they are."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tepui.checker.invariants.terms import Term, Terms

_INFIX = {"=": "==", "<": "<", "<=": "<=", "+": "+", "*": "*", "div": "//", "mod": "%"}
_JOINED = {"and": "and", "or": "or"}


def compiled(
    terms: Terms,
    parameters: Sequence[str],
    names: Mapping[str, str],
    condition: Term,
    results: Sequence[Term],
) -> Callable[..., Any]:
    """A function that gives the values of some terms as a tuple, or None where a condition is
    false. `names` says, for each variable of the terms, what it is in Python."""
    writer = _Writer(terms, names)
    lines = [f"def function({', '.join(parameters)}):"]
    test = writer.text(condition)
    lines += writer.taken()
    if condition != terms.true:
        lines.append(f"    if not ({test}): return None")
    values = [writer.text(result) for result in results]
    lines += writer.taken()
    lines.append(f"    return ({''.join(f'{value}, ' for value in values)})")
    found: dict[str, Any] = {}
    # The text is made of operators, integers, and names that are made here: nothing of a program.
    exec("\n".join(lines), found)
    function: Callable[..., Any] = found["function"]
    return function


class _Writer:
    """Writes terms; each inner term is computed once."""

    def __init__(self, terms: Terms, names: Mapping[str, str]) -> None:
        self._terms, self._names = terms, names
        self._texts: dict[Term, str] = {}
        self._lines: list[str] = []

    def taken(self) -> list[str]:
        """The lines that compute what was written since the last time."""
        lines, self._lines = self._lines, []
        return lines

    def text(self, root: Term) -> str:
        """What stands for a term, after the lines that it needs."""
        for term in self._terms.below([root]):
            if term not in self._texts:
                self._texts[term] = self._text(term)
        return self._texts[root]

    def _text(self, term: Term) -> str:
        operator, operands, value = self._terms.nodes[term]
        match operator:
            case "true" | "false":
                return operator.capitalize()
            case "constant":
                return f"({value})"
            case "variable":
                return self._names[str(value)]
        texts = [self._texts[each] for each in operands]
        if operator == "not":
            right = f"not {texts[0]}"
        elif operator == "ite":
            right = f"{texts[1]} if {texts[0]} else {texts[2]}"
        else:
            sign = _INFIX.get(operator) or _JOINED[operator]
            right = f" {sign} ".join(texts)
        name = f"n{term}"
        self._lines.append(f"    {name} = {right}")
        return name
