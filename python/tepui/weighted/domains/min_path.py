"""The min-path domain (WPDS, Definition 8), and the same with the path itself.

Both abstract a path by what it costs, and keep the cheapest. Costs are natural numbers. There is
no height, but also no infinite descending chain, as there is none of natural numbers.

A path is kept as the numbers of its rules. If two paths cost the same, the one with fewer rules is
kept; if these are equal, too, the one that comes first in lexicographic order. So weights without ∞
are triples (cost, length, rules), compared in this order. It is total, so combine, the smaller one,
is commutative, associative and idempotent. Putting a path before or after both sides preserves the
order: costs and lengths grow by the same amounts, and if these are equal, the first difference of
two paths of one length stays the first difference, wherever it moves to. So extend distributes. (In
lexicographic order alone it would not: 1 comes before 1 0, but 1 2 comes after 1 0 2.) And it has
no infinite descent: not of costs, nor of lengths, nor of tuples of one length.

Paths cannot be transposed. Turning them round is what Definition 15 asks for, but it does not
distribute over combine, and no other order would help: if 0 1 is preferred to 1 0, then after
turning both round it should be the other way. `TwoWay` keeps a path for either direction.
"""

from __future__ import annotations

from typing import NamedTuple

from tepui.errors import ModelError
from tepui.weighted.domains.tensor import CommutativeTensors, PureTensors


class MinPath:
    """Costs, with `min` and `+`; None is ∞, the cost of no path."""

    zero: int | None = None
    one: int | None = 0

    def combine(self, a: int | None, b: int | None) -> int | None:
        if a is None or b is None:
            return b if a is None else a
        return min(a, b)

    def extend(self, a: int | None, b: int | None) -> int | None:
        return None if a is None or b is None else a + b

    def transpose(self, weight: int | None) -> int | None:
        return weight

    def tensors(self, order: int) -> CommutativeTensors[int | None]:
        return CommutativeTensors(self)


class Path(NamedTuple):
    """A path: what it costs, how many rules it has, and which. Tuples compare as described
    above."""

    cost: int
    length: int
    rules: tuple[int, ...]


class ShortestPath:
    """Cheapest paths; None if there is no path."""

    zero: Path | None = None
    one: Path | None = Path(0, 0, ())

    def step(self, rule: int, cost: int = 1) -> Path:
        """The path of one rule, by its number."""
        if rule < 0 or cost < 0:
            raise ModelError(f"a rule and its cost are natural numbers, not {rule} and {cost}")
        return Path(cost, 1, (rule,))

    def combine(self, a: Path | None, b: Path | None) -> Path | None:
        if a is None or b is None:
            return b if a is None else a
        return min(a, b)

    def extend(self, a: Path | None, b: Path | None) -> Path | None:
        if a is None or b is None:
            return None
        return Path(a.cost + b.cost, a.length + b.length, a.rules + b.rules)

    def tensors(self, order: int) -> PureTensors[Path | None]:
        return PureTensors(self, order)
