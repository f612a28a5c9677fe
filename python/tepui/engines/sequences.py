"""Observation sequences (CUBA, section 3).

An observation sequence (O_k) is monotone: O_0 ⊆ O_1 ⊆ O_2 ⊆ …, each O_k what can be observed
under the resource bound k. A prefix of it is known. Only marks of its members are kept: two members
are equal exactly if their marks are. A finite member's size is such a mark, since the sequence is
monotone; an infinite one has the number of its node in a diagram.

Table 1 of the paper, in terms of such a prefix:

    plateaus at k₀      O_k₀ = O_k₀₊₁
    stutters at k₀      it plateaus at k₀ and grows later
    collapses at k₀     it never grows after k₀
    converges           it collapses somewhere
    is stutter-free     it stutters nowhere

A prefix can show a plateau and a stutter, but never a collapse: that needs an argument, such as
that the sequence is stutter-free (Property 6), or that it has reached an upper bound of itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Literal

from tepui.records import field, mutable_record, record


@record
class ObservationSequence:
    """A known prefix of an observation sequence, by the marks of its members."""

    marks: Sequence[int]
    stutter_free: bool = False

    @property
    def k(self) -> int:
        """The bound of the last member that is known."""
        return len(self.marks) - 1

    @property
    def last_growth(self) -> int:
        """The smallest k₀ whose member equals the last one that is known."""
        return self.marks.index(self.marks[-1])

    def plateaus_at(self, k0: int) -> bool:
        return 0 <= k0 < self.k and self.marks[k0] == self.marks[k0 + 1]

    def has_collapsed(self) -> bool:
        """Whether the prefix alone says that no larger bound can show anything new: a stutter-free
        sequence collapses at its first plateau (Property 6)."""
        return self.stutter_free and self.plateaus_at(self.k - 1)


Direction = Literal["rounds", "delays"]
"""The two bounds of a round-robin scheduler."""


def walk(threads: int, has_grown: Callable[[], bool]) -> Iterator[Direction]:
    """DrUBA's Algorithm 1: which bound to raise by one, where `has_grown` says whether raising the
    last one has shown anything new.

    First rounds, until one shows nothing new (lines 3 to 9), then delays, until n − 1 of them show
    nothing new (lines 10 to 22). Anything new starts it all over (line 21). The caller does line
    23: is what was reached closed under disrespectful actions? If not, the walk goes on to the next
    plateau, where the paper gives up.
    """
    while True:
        yield "rounds"
        if has_grown():
            continue
        for _ in range(threads - 1):
            yield "delays"
            if has_grown():
                break


@mutable_record
class DelaySequence:
    """A known part of a monotone sequence in two dimensions. It has a mark for each pair of rounds
    and delays on the way: two members are equal exactly if their marks are.

    No bound is ever lowered on the way, so if two members are equal, so are all between them.
    """

    threads: int
    bounds: list[tuple[int, int]] = field(default_factory=list)
    marks: list[int] = field(default_factory=list)
    last_growth: int = 0
    """The first place on the way whose member equals the last one."""

    def add(self, bounds: tuple[int, int], mark: int) -> None:
        """Note the next member."""
        if self.marks and mark != self.marks[-1]:
            self.last_growth = len(self.marks)
        self.bounds.append(bounds)
        self.marks.append(mark)

    @property
    def has_grown(self) -> bool:
        """Whether the last member is larger than the one before."""
        return self.last_growth == len(self.marks) - 1

    @property
    def has_plateau(self) -> bool:
        """Whether one more round and n − 1 more delays than at some pair have shown nothing new."""
        first_rounds, first_delays = self.bounds[self.last_growth]
        rounds, delays = self.bounds[-1]
        return first_rounds + 1 <= rounds and first_delays + self.threads - 1 <= delays
