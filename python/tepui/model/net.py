"""Nets: any number of threads, of which only is known how many are where.

A place holds tokens: a token is a thread at a local state, or says which shared state it is. A
transition has a guard, which says how many tokens it needs on some places, and rows: the new
count of a place is the sum of the old counts of its sources, and a constant. Places without a row
keep their count. A transition that would make a count negative is not enabled.

No place is a source twice, and one without a row is a source of nothing: tokens are not copied. So
nets are well-structured: whatever some tokens can do, more tokens can do, too, and tokens that are
moved together (a broadcast), or vanish (a reset), change nothing about that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from tepui.errors import ModelError
from tepui.records import record

Marking = tuple[tuple[int, int], ...]
"""Counts by place, in the order of places, without zeros."""


@record
class Row:
    """The new count of a place: the sum of the old counts of its sources, and a constant."""

    place: int
    sources: tuple[int, ...]
    constant: int


@record
class Transition:
    """A transition, with the text that it has in its file, and its line there."""

    guard: Marking
    rows: tuple[Row, ...]
    text: str
    line: int = 0


@record
class Net:
    """Places, their counts in the beginning, transitions, and the markings that are bad."""

    name: str
    places: tuple[str, ...]
    initial: tuple[tuple[int, int | None], ...]
    """For each place, how many tokens it has at least and at most; None is any number."""
    transitions: tuple[Transition, ...]
    targets: tuple[Marking, ...]
    """A marking is bad if it has at least as many tokens everywhere as one of these."""
    hints: tuple[tuple[int, ...], ...] = ()
    """Weights of places whose weighted sum may be an invariant. They are proved before use."""


def marking_of(counts: Mapping[int, int] | Iterable[tuple[int, int]]) -> Marking:
    """Counts by place as a marking."""
    return tuple(sorted((place, count) for place, count in dict(counts).items() if count > 0))


def validate_net(net: Net) -> Net:
    """The net itself; a ModelError if it breaks the rules above."""
    places = range(len(net.places))
    if len(net.initial) != len(places):
        raise ModelError("every place of a net has an initial count")
    for least, most in net.initial:
        if least < 0 or (most is not None and most < least):
            raise ModelError("the initial count of a place is from a number to one not smaller")
    for transition in net.transitions:
        rows = {row.place for row in transition.rows}
        used = Counter(source for row in transition.rows for source in row.sources)
        if len(rows) < len(transition.rows) or not rows | set(used) <= set(places):
            raise ModelError(f"{transition.text}: a place has two rows, or does not exist")
        if any(times + (place not in rows) > 1 for place, times in used.items()):
            raise ModelError(f"{transition.text}: tokens are copied")
    for marking in (*net.targets, *(transition.guard for transition in net.transitions)):
        if marking != marking_of(marking) or not {place for place, _ in marking} <= set(places):
            raise ModelError("a marking has counts by place, in their order, without zeros")
    return net
