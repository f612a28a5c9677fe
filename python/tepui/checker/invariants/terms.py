"""Terms of linear integer arithmetic, as a graph in which equal terms are one node.

A term is the number of its node; operands have smaller numbers than what is made of them, so every
walk is a loop, however deep a term is. Making a term folds constants, and nothing else that would
not be seen at once. `div` and `mod` round down, and their right operand is a positive constant.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

Term = int

Node = tuple[str, tuple[Term, ...], int | str | None]
"""An operator, its operands, and the value of a constant or the name of a variable."""

LONG = 200
"""Texts of terms longer than this get a name, so that nothing is written again and again."""

INTEGERS = frozenset({"constant", "variable", "+", "*", "div", "mod", "ite"})
"""The operators whose terms are integers; all others give truth values."""


class NotLinear(ValueError):  # noqa: N818 - the name says what is wrong
    """A product of two variables, or a division by what is no positive constant."""


class Terms:
    """Makes terms."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self._numbers: dict[Node, Term] = {}
        self._is_truth: list[bool] = []
        self.false = self._made("false")
        self.true = self._made("true")

    def is_truth(self, term: Term) -> bool:
        """Whether it is true or false, and no integer."""
        return self._is_truth[term]

    def value(self, term: Term) -> int | None:
        """The value of a constant integer."""
        operator, _, value = self.nodes[term]
        return value if operator == "constant" and isinstance(value, int) else None

    def constant(self, value: int) -> Term:
        return self._made("constant", value=value)

    def variable(self, name: str) -> Term:
        return self._made("variable", value=name)

    def truth(self, value: bool) -> Term:
        return self.true if value else self.false

    def negation(self, one: Term) -> Term:
        if one in (self.true, self.false):
            return self.truth(one == self.false)
        operator, operands, _ = self.nodes[one]
        return operands[0] if operator == "not" else self._made("not", one)

    def conjunction(self, terms: Iterable[Term]) -> Term:
        return self._joined("and", terms, self.true, self.false)

    def disjunction(self, terms: Iterable[Term]) -> Term:
        return self._joined("or", terms, self.false, self.true)

    def implication(self, one: Term, other: Term) -> Term:
        return self.disjunction((self.negation(one), other))

    def equal(self, one: Term, other: Term) -> Term:
        """The same integer, or the same truth value."""
        assert self._is_truth[one] == self._is_truth[other]
        if one == other:
            return self.true
        if self._is_truth[one]:
            either = self.conjunction((one, other))
            neither = self.conjunction((self.negation(one), self.negation(other)))
            return self.disjunction((either, neither))
        left, right = self.value(one), self.value(other)
        if left is not None and right is not None:
            return self.truth(left == right)
        if left is not None:
            return self.equal(other, one)
        operator, operands, _ = self.nodes[one]
        if right is not None and operator == "ite":
            condition, then, otherwise = operands
            if self.value(then) is not None and self.value(otherwise) is not None:
                return self.ite(condition, self.equal(then, other), self.equal(otherwise, other))
        return self._made("=", *sorted((one, other)))

    def less(self, one: Term, other: Term) -> Term:
        left, right = self.value(one), self.value(other)
        if one == other or (left is not None and right is not None):
            return self.truth((left or 0) < (right or 0))
        return self._made("<", one, other)

    def at_most(self, one: Term, other: Term) -> Term:
        left, right = self.value(one), self.value(other)
        if one == other or (left is not None and right is not None):
            return self.truth((left or 0) <= (right or 0))
        return self._made("<=", one, other)

    def sum(self, terms: Sequence[Term]) -> Term:
        constant, rest = 0, []
        for term in terms:
            value = self.value(term)
            if value is None:
                rest.append(term)
            else:
                constant += value
        if constant or not rest:
            rest.append(self.constant(constant))
        return rest[0] if len(rest) == 1 else self._made("+", *rest)

    def times(self, factor: int, term: Term) -> Term:
        value = self.value(term)
        if value is not None or factor == 0:
            return self.constant(factor * (value or 0))
        return term if factor == 1 else self._made("*", self.constant(factor), term)

    def difference(self, one: Term, other: Term) -> Term:
        if one == other:
            return self.constant(0)
        return self.sum((one, self.times(-1, other)))

    def product(self, one: Term, other: Term) -> Term:
        left, right = self.value(one), self.value(other)
        if left is not None:
            return self.times(left, other)
        if right is None:
            raise NotLinear("a product of two variables")
        return self.times(right, one)

    def div(self, one: Term, divisor: int) -> Term:
        """The quotient, rounded down."""
        if divisor <= 0:
            raise NotLinear("a division by what is no positive constant")
        value = self.value(one)
        if value is not None:
            return self.constant(value // divisor)
        return one if divisor == 1 else self._made("div", one, self.constant(divisor))

    def mod(self, one: Term, divisor: int) -> Term:
        """What is left of the quotient, from 0 to the divisor - 1."""
        if divisor <= 0:
            raise NotLinear("a division by what is no positive constant")
        value = self.value(one)
        if value is not None or divisor == 1:
            return self.constant((value or 0) % divisor)
        return self._made("mod", one, self.constant(divisor))

    def ite(self, condition: Term, then: Term, otherwise: Term) -> Term:
        """One of two integers, or one of two truth values."""
        assert self._is_truth[then] == self._is_truth[otherwise]
        if then == otherwise or condition == self.true:
            return then
        if condition == self.false:
            return otherwise
        if self._is_truth[then]:
            left = self.conjunction((condition, then))
            right = self.conjunction((self.negation(condition), otherwise))
            return self.disjunction((left, right))
        return self._made("ite", condition, then, otherwise)

    def below(self, roots: Iterable[Term]) -> list[Term]:
        """These terms and all that they are made of, operands first."""
        found, work = set(), list(roots)
        while work:
            term = work.pop()
            if term not in found:
                found.add(term)
                work.extend(self.nodes[term][1])
        return sorted(found)

    def variables(self, roots: Iterable[Term]) -> list[str]:
        """The variables that occur in terms, in a fixed order."""
        nodes = (self.nodes[term] for term in self.below(roots))
        return [str(value) for operator, _, value in nodes if operator == "variable"]

    def text(self, root: Term, symbol: Callable[[str], str]) -> str:
        """A term in SMT-LIB, with these symbols for its variables. What occurs several times, or is
        long, gets a name."""
        below = self.below([root])
        uses: dict[Term, int] = {}
        for term in below:
            for operand in self.nodes[term][1]:
                uses[operand] = uses.get(operand, 0) + 1
        texts: dict[Term, str] = {}
        opened = []
        for term in below:
            operator, operands, value = self.nodes[term]
            if operator == "variable":
                texts[term] = symbol(str(value))
                continue
            if operator == "constant":
                assert isinstance(value, int)
                texts[term] = str(value) if value >= 0 else f"(- {-value})"
                continue
            if not operands:
                texts[term] = operator
                continue
            text = f"({operator} {' '.join(texts[each] for each in operands)})"
            if term != root and (uses[term] > 1 or len(text) > LONG):
                opened.append(f"(let ((n{term} {text})) ")
                text = f"n{term}"
            texts[term] = text
        return f"{''.join(opened)}{texts[root]}{')' * len(opened)}"

    def _joined(self, operator: str, terms: Iterable[Term], neutral: Term, absorbing: Term) -> Term:
        kept: dict[Term, None] = {}
        for term in terms:
            if term == absorbing:
                return absorbing
            if term != neutral:
                kept[term] = None
        if not kept:
            return neutral
        return next(iter(kept)) if len(kept) == 1 else self._made(operator, *kept)

    def _made(self, operator: str, *operands: Term, value: int | str | None = None) -> Term:
        node = operator, operands, value
        number = self._numbers.get(node)
        if number is None:
            number = self._numbers[node] = len(self.nodes)
            self.nodes.append(node)
            self._is_truth.append(operator not in INTEGERS)
        return number
