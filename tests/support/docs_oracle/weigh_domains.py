"""Domains of docs/weighted.md, written naively: weights, combine, extend, and JSON."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from itertools import product
from typing import Any

Weight = Any  # hashable, and equal weights are ==
Matrix = tuple[tuple[Any, ...], ...]


class Domain:
    """Whether there is a path; the other domains derive from it."""

    zero: Weight = False
    one: Weight = True

    def combine(self, a: Weight, b: Weight) -> Weight:
        return a or b

    def extend(self, a: Weight, b: Weight) -> Weight:
        return a and b

    def read(self, text: Any) -> Weight:
        """A weight of a rule, from JSON."""
        return bool(text)

    def answer(self, text: Any) -> Weight:
        """A weight that tepui prints, from JSON."""
        return self.read(text)

    def below(self, a: Weight, b: Weight) -> bool:
        """Whether a stands for all that b stands for."""
        return bool(self.combine(a, b) == a)


class MinPath(Domain):
    """The least cost; None is no path."""

    zero, one = None, 0

    def combine(self, a: Weight, b: Weight) -> Weight:
        return b if a is None else a if b is None else min(a, b)

    def extend(self, a: Weight, b: Weight) -> Weight:
        return None if a is None or b is None else a + b

    def read(self, text: Any) -> Weight:
        return text

    def answer(self, text: Any) -> Weight:
        return None if text == "∞" else text


class ShortestPath(MinPath):
    """The same; of the rules in an answer only the cost is compared here."""

    def answer(self, text: Any) -> Weight:
        return None if text is None else text["cost"]


class Relations(Domain):
    """Relations on the numbers below n."""

    def __init__(self, count: int) -> None:
        self.zero = frozenset()
        self.one = frozenset((at, at) for at in range(count))

    def combine(self, a: Weight, b: Weight) -> Weight:
        return a | b

    def extend(self, a: Weight, b: Weight) -> Weight:
        return frozenset((x, z) for x, y in a for other, z in b if y == other)

    def read(self, text: Any) -> Weight:
        return frozenset((x, y) for x, y in text)


class Matrices(Domain):
    """Matrices with entries of another domain."""

    def __init__(self, order: int, entries: Domain) -> None:
        self.order, self.entries = order, entries
        span = range(order)
        self.zero = tuple(tuple(entries.zero for _ in span) for _ in span)
        self.one = tuple(
            tuple(entries.one if row == column else entries.zero for column in span) for row in span
        )

    def combine(self, a: Weight, b: Weight) -> Weight:
        return tuple(tuple(map(self.entries.combine, *rows)) for rows in zip(a, b, strict=True))

    def extend(self, a: Weight, b: Weight) -> Weight:
        span = range(self.order)

        def entry(row: int, column: int) -> Weight:
            total = self.entries.zero
            for at in span:
                total = self.entries.combine(total, self.entries.extend(a[row][at], b[at][column]))
            return total

        return tuple(tuple(entry(row, column) for column in span) for row in span)

    def read(self, text: Any) -> Weight:
        return tuple(tuple(map(self.entries.read, row)) for row in text)

    def answer(self, text: Any) -> Weight:
        return tuple(tuple(map(self.entries.answer, row)) for row in text)


class WeightedRelations(Matrices):
    """The same as matrices, but written as triples."""

    def read(self, text: Any) -> Weight:
        found = [list(row) for row in self.zero]
        for x, y, weight in text:
            found[x][y] = self.entries.combine(found[x][y], self.entries.read(weight))
        return tuple(map(tuple, found))

    def answer(self, text: Any) -> Weight:
        found = [list(row) for row in self.zero]
        for x, y, weight in text:
            found[x][y] = self.entries.combine(found[x][y], self.entries.answer(weight))
        return tuple(map(tuple, found))


class Sets(Domain):
    """Functions that remove and add facts: for each fact -1 (removed), 0 (as it was), 1 (added)."""

    def __init__(self, facts: list[Any], union: bool) -> None:
        self.facts, self.union = facts, union
        self.zero, self.one = None, (0,) * len(facts)

    def combine(self, a: Weight, b: Weight) -> Weight:
        if a is None or b is None:
            return b if a is None else a
        return tuple(map(max if self.union else min, a, b))

    def extend(self, a: Weight, b: Weight) -> Weight:
        if a is None or b is None:
            return None
        return tuple(second or first for first, second in zip(a, b, strict=True))

    def read(self, text: Any) -> Weight:
        if text is None:
            return None
        return tuple(
            1 if fact in text["gen"] else -1 if fact in text["kill"] else 0 for fact in self.facts
        )


class Pairs(Domain):
    """One weight of each of two domains."""

    def __init__(self, first: Domain, second: Domain) -> None:
        self.parts = (first, second)
        self.zero = (first.zero, second.zero)
        self.one = (first.one, second.one)

    def combine(self, a: Weight, b: Weight) -> Weight:
        return tuple(part.combine(x, y) for part, x, y in zip(self.parts, a, b, strict=True))

    def extend(self, a: Weight, b: Weight) -> Weight:
        return tuple(part.extend(x, y) for part, x, y in zip(self.parts, a, b, strict=True))

    def read(self, text: Any) -> Weight:
        return tuple(part.read(x) for part, x in zip(self.parts, text, strict=True))

    def answer(self, text: Any) -> Weight:
        return tuple(part.answer(x) for part, x in zip(self.parts, text, strict=True))


# --- affine maps ---------------------------------------------------------------------------------


class Affine(Domain):
    """Spaces of matrices M with (1, x') = (1, x) M, each as its reduced basis; of rationals.

    Modulo m the space is the set of all its matrices.
    """

    def __init__(self, variables: list[str], modulus: int | None) -> None:
        self.variables, self.modulus = variables, modulus
        self.order = len(variables) + 1
        self.known: dict[tuple[str, Weight, Weight], Weight] = {}
        self.zero = self.span([])
        span = range(self.order)
        self.one = self.span([tuple(int(row == column) for row in span for column in span)])

    def span(self, flat: Iterable[tuple[Any, ...]]) -> Weight:
        return self.basis(flat) if self.modulus is None else self.module(flat)

    def basis(self, flat: Iterable[tuple[Any, ...]]) -> Weight:
        rows: list[list[Fraction]] = []
        for each in flat:
            row = list(map(Fraction, each))
            for other in rows:
                at = next(at for at, entry in enumerate(other) if entry)
                row = [x - row[at] * y for x, y in zip(row, other, strict=True)]
            if any(row):
                first = next(entry for entry in row if entry)
                row = [entry / first for entry in row]
                at = next(at for at, entry in enumerate(row) if entry)
                rows = [
                    [x - other[at] * y for x, y in zip(other, row, strict=True)] for other in rows
                ]
                rows.append(row)
        return tuple(sorted(map(tuple, rows)))

    def module(self, flat: Iterable[tuple[Any, ...]]) -> Weight:
        modulus = self.modulus or 1
        found = {(0,) * self.order**2}
        for each in flat:
            if tuple(entry % modulus for entry in each) in found:
                continue
            found = {
                tuple((x + times * y) % modulus for x, y in zip(old, each, strict=True))
                for old in found
                for times in range(modulus)
            }
        return frozenset(found)

    def generators(self, a: Weight) -> list[tuple[Any, ...]]:
        if self.modulus is None:
            return list(a)
        found: list[tuple[Any, ...]] = []
        reached = self.module([])
        for each in sorted(a):
            if each not in reached:
                found.append(each)
                reached = self.module(found)
        return found

    def combine(self, a: Weight, b: Weight) -> Weight:
        key = ("combine", a, b)
        if key not in self.known:
            self.known[key] = self.span([*self.generators(a), *self.generators(b)])
        return self.known[key]

    def extend(self, a: Weight, b: Weight) -> Weight:
        key = ("extend", a, b)
        if key not in self.known:
            pairs = product(self.generators(a), self.generators(b))
            self.known[key] = self.span([self.times(x, y) for x, y in pairs])
        return self.known[key]

    def times(self, a: tuple[Any, ...], b: tuple[Any, ...]) -> tuple[Any, ...]:
        n = self.order
        return tuple(
            sum(a[row * n + at] * b[at * n + column] for at in range(n))
            for row in range(n)
            for column in range(n)
        )

    def read(self, text: Any) -> Weight:
        """`assign`: a `?` is every value, which 0 and 1 span."""
        unknown = [name for name, value in text["assign"].items() if value == "?"]
        found = []
        for choice in product((0, 1), repeat=len(unknown)):
            values = dict(zip(unknown, choice, strict=True))
            columns = [[1] + [0] * len(self.variables)]
            for at, name in enumerate(self.variables):
                column = [0] * self.order
                if name in values:
                    column[0] = values[name]
                elif name in text["assign"]:
                    column = text["assign"][name]
                else:
                    column[at + 1] = 1
                columns.append(column)
            found.append(tuple(columns[c][r] for r in range(self.order) for c in range(self.order)))
        return self.span(found)

    def answer(self, text: Any) -> Weight:
        return self.span(
            [tuple(Fraction(entry) for row in each for entry in row) for each in text["span"]]
            if self.modulus is None
            else [tuple(entry for row in each for entry in row) for each in text["span"]]
        )

    def holds(self, weight: Weight, relation: tuple[Any, ...]) -> bool:
        """Whether a0 + a1 x1 + … = 0 at the end of all paths, whatever there was at the start."""
        n = self.order
        sums = [
            sum(each[row * n + at] * relation[at] for at in range(n))
            for each in self.generators(weight)
            for row in range(n)
        ]
        return not any(entry % self.modulus if self.modulus else entry for entry in sums)

    def holding(self, weight: Weight) -> Weight:
        """All relations that hold: modulo m all of them, else how many are independent."""
        n = self.order
        if self.modulus is not None:
            every = product(range(self.modulus), repeat=n)
            return frozenset(each for each in every if self.holds(weight, each))
        rows = [each[row * n : row * n + n] for each in weight for row in range(n)]
        return n - len(self.basis(rows))

    def spanned(self, relations: list[tuple[Any, ...]]) -> Weight:
        """What the relations span, in the same form as `holding`."""
        if self.modulus is None:
            return len(self.basis(relations))
        every = product(range(self.modulus), repeat=len(relations))
        return frozenset(
            tuple(
                sum(times * each[at] for times, each in zip(choice, relations, strict=True))
                % self.modulus
                for at in range(self.order)
            )
            for choice in every
        )


def domain_of(text: Any) -> Domain:
    """The domain that JSON describes."""
    if isinstance(text, str):
        text = {"name": text}
    simple = {"boolean": Domain, "min-path": MinPath, "shortest-path": ShortestPath}
    name = text["name"]
    if name in simple:
        return simple[name]()
    if name == "relations":
        return Relations(text["states"])
    if name == "weighted-relations":
        return WeightedRelations(text["states"], domain_of(text["weights"]))
    if name == "matrices":
        return Matrices(text["order"], domain_of(text["entries"]))
    if name == "sets":
        facts = text["facts"]
        names = facts if isinstance(facts, list) else list(range(facts))
        return Sets(names, text["meet"] == "union")
    if name == "pairs":
        return Pairs(domain_of(text["first"]), domain_of(text["second"]))
    variables = text["variables"]
    if not isinstance(variables, list):
        variables = [f"x{at + 1}" for at in range(variables)]
    return Affine(variables, text.get("modulus"))
