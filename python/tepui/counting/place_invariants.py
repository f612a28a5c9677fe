"""Sums of tokens that never grow: place invariants of a net, by linear algebra.

Where a shared variable counts threads, as in a semaphore, the search backwards would look at more
and more threads than there can be. A weight for each place, such that every transition keeps the
weighted sum, says what the variable counts. All such weights solve linear equations, one for each
transition. Places that may have any number of tokens in the beginning weigh nothing. The solutions
have a basis; of that, those vectors are of use whose weights are not negative, when enough is added
for the shared state, which is always one token.

Nets of programs have transitions that are never taken, and these need not keep the sum. So the
equations are those of transitions that are seen to be taken with few threads, and not those into
shared states from which nothing leads on; and places that have no tokens then may have none. What
other transitions break, unless invariants exclude
them, is dropped. The checker proves what is left by itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import gcd

from tepui.checker.covering import NetInvariant
from tepui.model.net import Net, Transition

MOST_PLACES = 2_000
"""Larger nets have no such invariants: it would take too long to find them."""

MOST_SEEN = 2_000
"""How many markings are looked at to see which transitions are taken."""

FEW = 3
"""How many threads there are then where there may be any number, and how many may be forked."""

MOST_WEIGHT = 1_000
"""Larger weights say nothing that is of use."""

_Change = tuple[tuple[int, int], ...]
"""What a transition adds to places."""

_Row = dict[int, int]
"""An equation, or a solution, without zeros."""


def place_invariants(
    net: Net, shared: int, known: Sequence[NetInvariant] = ()
) -> list[NetInvariant]:
    """Invariants of a net whose first places are shared states, of which there is always one.
    Others are known."""
    if len(net.places) > MOST_PLACES:
        return []
    taken = _taken(net, shared)
    seen = [one for number, one in enumerate(net.transitions) if number in taken]
    never = set(range(len(net.places))) - _marked(net, seen)
    candidates: dict[tuple[int, ...], NetInvariant] = {}
    for some, unmarked in ((net.transitions, set[int]()), (seen, never)):
        for found in _candidates(net, shared, _lasting(net, shared, some)):
            weights = tuple(
                found.bound + 1 if place in unmarked else weight
                for place, weight in enumerate(found.weights)
            )
            candidates[weights] = NetInvariant(weights, found.bound)
    return _holding(net, list(candidates.values()), known)


def _lasting(net: Net, shared: int, some: Sequence[Transition]) -> list[Transition]:
    """Transitions into shared states from which something leads on."""
    last = set(range(shared)) - {place for one in net.transitions for place, _ in one.guard}
    return [one for one in some if not any(row.place in last for row in one.rows)]


def _marked(net: Net, taken: Sequence[Transition]) -> set[int]:
    """The places that have tokens in the beginning, or get some."""
    marked = {place for place, (_, most) in enumerate(net.initial) if most != 0}
    return marked.union(row.place for one in taken for row in one.rows if row.constant > 0)


def _candidates(net: Net, shared: int, some: Sequence[Transition]) -> Iterator[NetInvariant]:
    """Weights of which some transitions keep the sum."""
    changes = sorted({_change(one) for one in some})
    used = {place for change in changes for place, _ in change}
    free = ({place: 1} for place, (_, most) in enumerate(net.initial) if most is None)
    for solution in _solutions([*free, *map(dict, changes)], sorted(used)):
        for sign in (1, -1):
            weights = [0] * len(net.places)
            for place, weight in solution.items():
                weights[place] = sign * weight
            missing = max(0, -min(weights[:shared]))
            for place in used.intersection(range(shared)):
                weights[place] += missing
            if any(weights[shared:]) and min(weights) >= 0 and max(weights) <= MOST_WEIGHT:
                initial = zip(weights, net.initial, strict=True)
                bound = sum(weight * (most or 0) for weight, (_, most) in initial)
                yield NetInvariant(tuple(weights), bound)


def _holding(
    net: Net, candidates: list[NetInvariant], known: Sequence[NetInvariant]
) -> list[NetInvariant]:
    """The candidates that no transition breaks, unless known ones or others of these exclude it."""
    steps = {(one.guard, _change(one)) for one in net.transitions}
    while True:
        every = [*known, *candidates]
        possible = [
            change
            for guard, change in steps
            if not any(sum(one.weights[p] * n for p, n in guard) > one.bound for one in every)
        ]
        kept = [
            one
            for one in candidates
            if all(sum(one.weights[p] * more for p, more in change) <= 0 for change in possible)
        ]
        if len(kept) == len(candidates):
            return kept
        candidates = kept


def _change(transition: Transition) -> _Change:
    return tuple((row.place, row.constant) for row in transition.rows)


def _taken(net: Net, shared: int) -> set[int]:
    """Transitions that are taken with few threads."""
    needing: dict[int, list[int]] = {}
    for number, transition in enumerate(net.transitions):
        needing.setdefault(transition.guard[0][0], []).append(number)
    start = {
        place: FEW if most is None else most
        for place, (_, most) in enumerate(net.initial)
        if most != 0
    }
    most = sum(start.values()) + FEW
    first = tuple(sorted(start.items()))
    met, found, taken = {first}, [first], set[int]()
    for marking in found:  # Grows while it is walked.
        counts = dict(marking)
        state = next(place for place in counts if place < shared)
        for number in needing.get(state, ()):
            transition = net.transitions[number]
            if any(counts.get(place, 0) < needed for place, needed in transition.guard):
                continue
            taken.add(number)
            after = dict(counts)
            for place, more in _change(transition):
                after[place] = after.get(place, 0) + more
            new = tuple(sorted((place, count) for place, count in after.items() if count))
            if new not in met and sum(after.values()) <= most and len(found) < MOST_SEEN:
                met.add(new)
                found.append(new)
    return taken


def _solutions(equations: Iterable[_Row], places: Sequence[int]) -> list[_Row]:
    """A basis of all solutions. Shared states, which come first, are expressed by threads."""
    solved: dict[int, _Row] = {}
    """For each place that is expressed by others, an equation, in which it is the first."""
    for equation in equations:
        row = equation
        while row:
            first = min(row)
            if first not in solved:
                solved[first] = row
                break
            row = _without(row, first, solved[first])
    for first in sorted(solved, reverse=True):
        row = solved[first]
        for place in sorted(row):
            if place != first and place in solved:
                row = _without(row, place, solved[place])
        solved[first] = row
    return [_solution(solved, free) for free in places if free not in solved]


def _without(row: _Row, place: int, other: _Row) -> _Row:
    """An equation from which a place is eliminated by another one."""
    factor, by = other[place], row[place]
    found = {each: factor * value for each, value in row.items()}
    for each, value in other.items():
        found[each] = found.get(each, 0) - by * value
    return _reduced({each: value for each, value in found.items() if value})


def _reduced(row: _Row) -> _Row:
    divisor = gcd(*row.values()) if row else 1
    return {place: value // divisor for place, value in row.items()}


def _solution(solved: dict[int, _Row], free: int) -> _Row:
    """The solution in which one free place weighs something, and the others nothing."""
    using = [(first, row) for first, row in solved.items() if free in row]
    scale = 1
    for first, row in using:
        scale = _common_multiple(scale, row[first])
    found = {free: scale}
    for first, row in using:
        found[first] = -row[free] * scale // row[first]
    return _reduced(found)


def _common_multiple(one: int, other: int) -> int:
    return abs(one * other) // gcd(one, other)
