"""Boolean functions of bits, as binary decision diagrams (Bryant 1986).

A function is the number of a node: 0 is false, 1 is true, and any other node asks for the bit of
its level, and has two children with higher levels, `low` where that bit is 0 and `high` where it is
1. No two nodes are equal, and no node has equal children; so two functions are the same exactly if
their numbers are.

A child always has a smaller number than its parent. Hence a function can be rebuilt by going over
the nodes below it in the order of their numbers, without recursion, and all nodes since some moment
can be forgotten at once (`passing`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager

from tepui.checker.patience import Patience
from tepui.errors import CheckStopped

FALSE, TRUE = 0, 1

_NO_LEVEL = 2**62
"""A level below all others: that of the two constants."""

_BITS_OF_NUMBER = 32

MOST_NODES = 3_000_000
"""With more nodes, a check would take more than about 1.5 GB."""

_ASKED_AFTER = 4096

Triple = tuple[int, int, int]


class Diagrams:
    """All nodes, and what can be made of them."""

    def __init__(self, patience: Patience, most: int = MOST_NODES) -> None:
        self._patience = patience
        self._most = most
        self.level = [_NO_LEVEL, _NO_LEVEL]
        """For each node, the level of the bit that it asks for; the next two are its children."""
        self._low = [FALSE, TRUE]
        self._high = [FALSE, TRUE]
        self._numbers: dict[tuple[int, int], int] = {}
        """For a level and both children in one number, the node."""
        self._chosen: dict[Triple, int] = {}
        """What `choice` has found so far."""

    def __len__(self) -> int:
        return len(self.level)

    def node(self, level: int, low: int, high: int) -> int:
        """The function that is `low` where the bit of a level is 0, and `high` where it is 1. Both
        must not ask for bits of this level or above it."""
        if low == high:
            return low
        key = level, low << _BITS_OF_NUMBER | high
        found = self._numbers.get(key)
        if found is None:
            found = len(self.level)
            if found >= self._most:
                raise CheckStopped(f"the check needs more than {self._most:,} nodes")
            self._numbers[key] = found
            self.level.append(level)
            self._low.append(low)
            self._high.append(high)
        return found

    def children(self, one: int) -> tuple[int, int]:
        """What a function that asks for a bit is where that is 0, and where it is 1."""
        return self._low[one], self._high[one]

    def bit(self, level: int) -> int:
        """The bit of a level, as a function."""
        return self.node(level, FALSE, TRUE)

    def negation(self, one: int) -> int:
        return self.choice(one, FALSE, TRUE)

    def both(self, one: int, other: int) -> int:
        return self.choice(one, other, FALSE)

    def either(self, one: int, other: int) -> int:
        return self.choice(one, TRUE, other)

    def differ(self, one: int, other: int) -> int:
        return self.choice(one, self.negation(other), other)

    def choice(self, condition: int, then: int, otherwise: int) -> int:
        """The function that is one of two where a condition holds, and the other elsewhere."""
        level, low, high, chosen = self.level, self._low, self._high, self._chosen
        tasks: list[tuple[Triple, int]] = [((condition, then, otherwise), -1)]
        """What is to be found out; with a level, the answers for both children are there already:
        they are the last two of `answers`."""
        answers: list[int] = []
        work = 0
        while tasks:
            asked, at = tasks.pop()
            if at >= 0:
                of_high = answers.pop()
                answers[-1] = chosen[asked] = self.node(at, answers[-1], of_high)
                continue
            work += 1
            if work == _ASKED_AFTER:
                self._patience.spend(work)
                work = 0
                if len(chosen) > self._most:
                    chosen.clear()
            found = _at_once(*asked)
            if found is None:
                found = chosen.get(asked)
            if found is not None:
                answers.append(found)
                continue
            f, g, h = asked
            at = min(level[f], level[g], level[h])
            f0, f1 = (low[f], high[f]) if level[f] == at else (f, f)
            g0, g1 = (low[g], high[g]) if level[g] == at else (g, g)
            h0, h1 = (low[h], high[h]) if level[h] == at else (h, h)
            tasks.append((asked, at))
            tasks.append(((f1, g1, h1), -1))
            tasks.append(((f0, g0, h0), -1))
        self._patience.spend(work)
        return answers.pop()

    def implies(self, one: int, other: int) -> bool:
        """Whether one function holds only where the other one does."""
        level, low, high = self.level, self._low, self._high
        met, unread, work, found = set[tuple[int, int]](), [(one, other)], 0, True
        while unread and found:
            pair = unread.pop()
            f, g = pair
            if f in (FALSE, g) or g == TRUE or pair in met:
                continue
            met.add(pair)
            work += 1
            if work == _ASKED_AFTER:
                self._patience.spend(work)
                work = 0
            found = f != TRUE and g != FALSE
            at = min(level[f], level[g])
            f0, f1 = (low[f], high[f]) if level[f] == at else (f, f)
            g0, g1 = (low[g], high[g]) if level[g] == at else (g, g)
            unread.append((f1, g1))
            unread.append((f0, g0))
        self._patience.spend(work)
        return found

    def certain(self, one: int) -> dict[int, int]:
        """The levels whose bits are the same wherever a function holds, each with that bit.

        A bit is not among them if some way down to 1 passes its level by, from a node above it to
        one below. If none does, it is the same if no node of its level leads on both ways.
        """
        level, low, high = self.level, self._low, self._high
        nodes = self._down_to(one, _NO_LEVEL - 1)
        above = {one: -1}
        ways: dict[int, set[int]] = {}
        for node in reversed(nodes):
            for bit, child in ((FALSE, low[node]), (TRUE, high[node])):
                if child != FALSE:
                    ways.setdefault(level[node], set()).add(bit)
                    above[child] = min(above.get(child, level[node]), level[node])
        passed = sorted((first, level[child]) for child, first in above.items())
        found, place, until = {}, 0, -1
        for at, bits in sorted(ways.items()):
            while place < len(passed) and passed[place][0] < at:
                until = max(until, passed[place][1])
                place += 1
            if until <= at and len(bits) == 1:
                (found[at],) = bits
        return found

    def substituted(self, one: int, functions: Mapping[int, int]) -> int:
        """A function of other functions: for each level that is named, the function that takes the
        place of its bit; all of them at once."""
        found = {FALSE: FALSE, TRUE: TRUE}
        for node in self._down_to(one, max(functions, default=-1)):
            at = self.level[node]
            low, high = self._low[node], self._high[node]
            low, high = found.get(low, low), found.get(high, high)
            if at in functions:
                found[node] = self.choice(functions[at], high, low)
            elif at < self.level[low] and at < self.level[high]:
                found[node] = self.node(at, low, high)
            else:
                found[node] = self.choice(self.bit(at), high, low)
        return found.get(one, one)

    def with_any(self, one: int, levels: Collection[int]) -> int:
        """Where a function holds for some values of the bits of these levels."""
        found = {FALSE: FALSE, TRUE: TRUE}
        for node in self._down_to(one, max(levels, default=-1)):
            at = self.level[node]
            low, high = self._low[node], self._high[node]
            low, high = found.get(low, low), found.get(high, high)
            found[node] = self.either(low, high) if at in levels else self.node(at, low, high)
        return found.get(one, one)

    def asked_by(self, one: int) -> set[int]:
        """The levels of the bits that a function asks for."""
        return {self.level[node] for node in self._down_to(one, _NO_LEVEL - 1)}

    def _down_to(self, one: int, last: int) -> list[int]:
        """The nodes below a function, itself included, with levels up to `last`; children first."""
        met, unread = set[int](), [one]
        while unread:
            node = unread.pop()
            if self.level[node] <= last and node not in met:
                met.add(node)
                unread.append(self._low[node])
                unread.append(self._high[node])
        self._patience.spend(len(met))
        return sorted(met)

    @contextmanager
    def passing(self) -> Iterator[None]:
        """In the end, forget all nodes that were made within: nobody must use them any more."""
        kept = len(self.level)
        try:
            yield
        finally:
            self._chosen.clear()
            for number in range(kept, len(self.level)):
                key = self.level[number], self._low[number] << _BITS_OF_NUMBER | self._high[number]
                del self._numbers[key]
            del self.level[kept:], self._low[kept:], self._high[kept:]


def _at_once(condition: int, then: int, otherwise: int) -> int | None:
    """A choice that needs no look at any node."""
    if condition == TRUE or then == otherwise:
        return then
    if condition == FALSE:
        return otherwise
    if then == TRUE and otherwise == FALSE:
        return condition
    return None
