"""Formulas in a part of SMT-LIB, as files have them: read strictly into terms.

    true false 0 1 2 …  |name|
    not and or =>  = distinct < <= > >=  + - *  div mod  ite let

Sorts are Int and Bool. A product has at most one factor that is no constant; `div` and `mod` have a
positive constant on the right. Every other symbol must be a variable that the caller knows, or be
bound by a `let`. Nothing of a text but its meaning reaches the solver: that gets what is printed
from the terms. Reading is iterative, so that deep nesting does no harm.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Generator, Iterator, Mapping
from itertools import pairwise
from typing import Any

from tepui.checker.invariants.terms import NotLinear, Term, Terms
from tepui.errors import EvidenceError

MAX_CHARACTERS = 50_000_000
MAX_DIGITS = 1_000
MAX_DISTINCT = 64

_TOKEN = re.compile(r"(?:\s+|;[^\n]*)|(?P<token>[()]|\|[^|\\]*\||[^\s()|\";]+)")
_NUMBER = re.compile(r"0|[1-9][0-9]*", re.ASCII)
_SYMBOL = re.compile(r"[A-Za-z~!@$%^&*_+=<>.?/\-][A-Za-z0-9~!@$%^&*_+=<>.?/\-]*", re.ASCII)

_LOGIC = ("not", "and", "or", "=>")
_COMPARISONS = ("=", "distinct", "<", "<=", ">", ">=")
_ARITHMETIC = ("+", "-", "*", "div", "mod")
_OPERATORS = frozenset((*_LOGIC, *_COMPARISONS, *_ARITHMETIC, "ite", "let", "true", "false"))

Parsed = str | list[Any]
"""A token, or a list in brackets."""

Bound = Mapping[str, Term]
"""What a `let` has bound."""

Reading = Generator["Reading", Term, Term]
"""Reads a term: gives the readings of the parts that it needs, and gets what they have read."""


def read_formula(terms: Terms, text: str, variables: Collection[str]) -> Term:
    """The formula that a text stands for; an EvidenceError says why it stands for none."""
    if len(text) > MAX_CHARACTERS:
        raise EvidenceError(f"a formula has more than {MAX_CHARACTERS:,} characters")
    reader = _Reader(terms, variables)
    try:
        found = _run(reader.read(_parsed(text), {}))
    except NotLinear as error:
        raise EvidenceError(f"a formula has {error}") from None
    if not terms.is_truth(found):
        raise EvidenceError("a formula is an integer, and neither true nor false")
    return found


def _tokens(text: str) -> Iterator[str]:
    place = 0
    while place < len(text):
        match = _TOKEN.match(text, place)
        if match is None:
            raise EvidenceError(f"a formula has {text[place : place + 20]!r}, which is no symbol")
        place = match.end()
        if match["token"] is not None:
            yield match["token"]


def _parsed(text: str) -> Parsed:
    """The one expression of a text."""
    open_lists: list[list[Any]] = [[]]
    for token in _tokens(text):
        if token == "(":
            open_lists.append([])
        elif token == ")":
            closed = open_lists.pop()
            if not open_lists:
                raise EvidenceError("a formula closes a bracket that was not opened")
            open_lists[-1].append(closed)
        else:
            open_lists[-1].append(token)
    if len(open_lists) > 1:
        raise EvidenceError("a formula does not close a bracket")
    (outer,) = open_lists
    if len(outer) != 1:
        raise EvidenceError(f"a formula is {len(outer)} expressions instead of one")
    found: Parsed = outer[0]
    return found


def _run(reading: Reading) -> Term:
    """Read a term, and whatever it needs before."""
    open_readings, read = [reading], None
    while True:
        try:
            needed = open_readings[-1].send(read)  # type: ignore[arg-type]
        except StopIteration as done:
            open_readings.pop()
            read = done.value
            if not open_readings:
                found: Term = done.value
                return found
        else:
            open_readings.append(needed)
            read = None


class _Reader:
    """Turns parsed text into terms."""

    def __init__(self, terms: Terms, variables: Collection[str]) -> None:
        self._terms = terms
        self._variables = variables

    def read(self, parsed: Parsed, bound: Bound) -> Reading:
        if isinstance(parsed, str):
            return self._atom(parsed, bound)
        if not parsed or not isinstance(parsed[0], str):
            raise EvidenceError("a formula has brackets without an operator")
        operator, operands = parsed[0], parsed[1:]
        if operator == "let":
            return (yield self._let(operands, bound))
        read = []
        for operand in operands:
            read.append((yield self.read(operand, bound)))
        return self._applied(operator, read)

    def _atom(self, token: str, bound: Bound) -> Term:
        if _NUMBER.fullmatch(token):
            if len(token) > MAX_DIGITS:
                raise EvidenceError(f"a formula has a number of more than {MAX_DIGITS:,} digits")
            return self._terms.constant(int(token))
        if token in ("true", "false"):
            return self._terms.truth(token == "true")
        name = _name(token)
        if name in bound:
            return bound[name]
        if name not in self._variables:
            raise EvidenceError(f"a formula has {name!r}, which is no variable there")
        return self._terms.variable(name)

    def _let(self, operands: list[Any], bound: Bound) -> Reading:
        if len(operands) != 2 or not isinstance(operands[0], list) or not operands[0]:
            raise EvidenceError("a formula has a let without bindings or without a body")
        own: dict[str, Term] = {}
        for binding in operands[0]:
            if not (
                isinstance(binding, list) and len(binding) == 2 and isinstance(binding[0], str)
            ):
                raise EvidenceError("a formula has a let with a binding of another form")
            name = _name(binding[0])
            if name in own:
                raise EvidenceError(f"a formula has a let that binds {name!r} twice")
            own[name] = yield self.read(binding[1], bound)
        return (yield self.read(operands[1], {**bound, **own}))

    def _applied(self, operator: str, operands: list[Term]) -> Term:
        if operator not in _OPERATORS or operator in ("true", "false"):
            raise EvidenceError(f"a formula has {operator!r}, which is no operator")
        self._check_sorts(operator, operands)
        terms = self._terms
        match operator:
            case "not":
                return terms.negation(operands[0])
            case "and":
                return terms.conjunction(operands)
            case "or":
                return terms.disjunction(operands)
            case "=>":
                *premises, last = operands
                return terms.disjunction([*map(terms.negation, premises), last])
            case "ite":
                return terms.ite(*operands)
            case _ if operator in _COMPARISONS:
                return self._compared(operator, operands)
        return self._computed(operator, operands)

    def _compared(self, operator: str, operands: list[Term]) -> Term:
        terms = self._terms
        match operator:
            case "distinct":
                if len(operands) > MAX_DISTINCT:
                    raise EvidenceError(f"a distinct has more than {MAX_DISTINCT} operands")
                return terms.conjunction(
                    terms.negation(terms.equal(one, other))
                    for place, one in enumerate(operands)
                    for other in operands[:place]
                )
            case "=":
                return terms.conjunction(terms.equal(a, b) for a, b in pairwise(operands))
            case "<":
                return terms.conjunction(terms.less(a, b) for a, b in pairwise(operands))
            case "<=":
                return terms.conjunction(terms.at_most(a, b) for a, b in pairwise(operands))
            case ">":
                return terms.conjunction(terms.less(b, a) for a, b in pairwise(operands))
        return terms.conjunction(terms.at_most(b, a) for a, b in pairwise(operands))

    def _computed(self, operator: str, operands: list[Term]) -> Term:
        terms, (first, *rest) = self._terms, operands
        match operator:
            case "+":
                return terms.sum(operands)
            case "-":
                if not rest:
                    return terms.times(-1, first)
                return terms.sum([first, *(terms.times(-1, each) for each in rest)])
            case "*":
                for each in rest:
                    first = terms.product(first, each)
                return first
        divisor = terms.value(rest[0])
        if divisor is None or divisor <= 0:
            raise NotLinear("a division by what is no positive constant")
        return terms.div(first, divisor) if operator == "div" else terms.mod(first, divisor)

    def _check_sorts(self, operator: str, operands: list[Term]) -> None:
        least, most = _ARITIES.get(operator, (2, None))
        if len(operands) < least or (most is not None and len(operands) > most):
            raise EvidenceError(f"a formula has {operator!r} with {len(operands)} operands")
        sorts = [self._terms.is_truth(operand) for operand in operands]
        if operator == "ite":
            right = sorts[0] and sorts[1] == sorts[2]
        elif operator in ("=", "distinct"):
            right = len(set(sorts)) == 1
        else:
            right = set(sorts) == {operator in _LOGIC}
        if not right:
            raise EvidenceError(f"a formula has {operator!r} with operands of a wrong sort")


_ARITIES: dict[str, tuple[int, int | None]] = {
    "not": (1, 1),
    "and": (1, None),
    "or": (1, None),
    "+": (1, None),
    "-": (1, None),
    "*": (1, None),
    "div": (2, 2),
    "mod": (2, 2),
    "ite": (3, 3),
}
"""How many operands an operator has; two or more, if it is not here."""


def _name(token: str) -> str:
    """The name that a symbol stands for."""
    if token.startswith("|"):
        return token[1:-1]
    if token in _OPERATORS or not _SYMBOL.fullmatch(token):
        raise EvidenceError(f"a formula has {token!r}, which is no symbol")
    return token
