"""Coverability by brute force, from the words of `tepui.model.net` alone.

A marking is a tuple with a count for each place. Nothing here is quick, and nothing is shared with
the engine or with the checker.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product

from tepui.model.net import Net, Transition

Counts = tuple[int, ...]


class TooManyMarkingsError(Exception):
    """Brute force gives up."""


def step(transition: Transition, counts: Counts) -> Counts | None:
    """The marking after a transition, if it is enabled."""
    if any(counts[place] < count for place, count in transition.guard):
        return None
    after = list(counts)
    for row in transition.rows:
        after[row.place] = row.constant + sum(counts[source] for source in row.sources)
    return None if min(after) < 0 else tuple(after)


def is_bad(net: Net, counts: Counts) -> bool:
    return any(all(counts[place] >= count for place, count in bad) for bad in net.targets)


def is_initial(net: Net, counts: Counts) -> bool:
    return all(
        least <= count and (most is None or count <= most)
        for count, (least, most) in zip(counts, net.initial, strict=True)
    )


def forward(net: Net, threads: int) -> bool:
    """Whether a bad marking is reachable by runs with few tokens: up to `threads` in the beginning
    where there may be any number, and at no time many more in all."""
    starts = list(product(*(range(least, most + 1) for least, most in _limited(net, threads))))
    most_tokens = most_tokens_of(net, threads)
    seen = set(starts)
    open_ = list(starts)
    while open_:
        counts = open_.pop()
        if is_bad(net, counts):
            return True
        for transition in net.transitions:
            after = step(transition, counts)
            if after is not None and after not in seen and sum(after) <= most_tokens:
                seen.add(after)
                open_.append(after)
                if len(seen) > 30_000:
                    raise TooManyMarkingsError
    return False


def most_tokens_of(net: Net, threads: int) -> int:
    """How many tokens a marking may have that `forward` looks at."""
    return sum(most for _, most in _limited(net, threads)) + 2


def _limited(net: Net, threads: int) -> list[tuple[int, int]]:
    """The initial counts, with a bound where there may be any number."""
    return [(least, max(least, threads) if most is None else most) for least, most in net.initial]


def backward(net: Net, most: int = 400) -> bool:
    """Whether a bad marking is coverable, decided by the minimal markings that lead to one."""
    places = len(net.places)
    basis = _minimal([tuple(dict(bad).get(p, 0) for p in range(places)) for bad in net.targets])
    while True:
        found = list(basis)
        for element in basis:
            for transition in net.transitions:
                found += _before(transition, element)
        grown = _minimal(found)
        if set(grown) == set(basis):
            return any(_is_below_initial(net, element) for element in basis)
        basis = grown
        if len(basis) > most or max(map(max, basis)) > 40:
            raise TooManyMarkingsError


Fits = Callable[[Counts], bool]
"""Whether a certificate claims that a marking may be reachable, for other reasons than its set."""


def is_proof(net: Net, minimal: list[Counts], fits: Fits, box: int) -> bool:
    """Whether no marking in a box shows that a certificate proves nothing."""
    ups = _minimal(minimal)
    for counts in product(range(box + 1), repeat=len(net.places)):
        allowed = fits(counts)
        if is_initial(net, counts) and (not allowed or _is_above(counts, ups)):
            return False
        if not allowed:
            continue
        inside = _is_above(counts, ups)
        if is_bad(net, counts) and not inside:
            return False
        for transition in net.transitions:
            after = step(transition, counts)
            if after is None:
                continue
            if not inside and _is_above(after, ups):
                return False
            if not fits(after):
                return False
    return True


def _before(transition: Transition, element: Counts) -> Iterator[Counts]:
    """The minimal markings after which a transition leads above an element.

    Every place is in one group: those that are added up for a place, those that are kept and those
    that vanish. A group has at least what is needed of it together."""
    guard = [dict(transition.guard).get(place, 0) for place in range(len(element))]
    groups: list[tuple[tuple[int, ...], int]] = []
    grouped = set()
    for row in transition.rows:
        groups.append((row.sources, max(element[row.place], 0) - row.constant))
        grouped |= {row.place, *row.sources}
    for place in range(len(element)):
        if place not in grouped:
            groups.append(((place,), element[place]))
    choices = []
    for group, needed in groups:
        ranges = [range(guard[place], max(guard[place], needed) + 1) for place in group]
        enough = [counts for counts in product(*ranges) if sum(counts) >= needed]
        choices.append([(group, counts) for counts in _minimal(enough)])
    for choice in product(*choices):
        before = list(guard)
        for group, counts in choice:
            for place, count in zip(group, counts, strict=True):
                before[place] = count
        yield tuple(before)


def _minimal(markings: list[Counts]) -> list[Counts]:
    kept: list[Counts] = []
    for marking in sorted(set(markings), key=sum):
        if not _is_above(marking, kept):
            kept.append(marking)
    return kept


def _is_above(marking: Counts, elements: list[Counts]) -> bool:
    return any(
        all(count >= least for count, least in zip(marking, element, strict=True))
        for element in elements
    )


def _is_below_initial(net: Net, element: Counts) -> bool:
    return all(
        most is None or count <= most for count, (_, most) in zip(element, net.initial, strict=True)
    )
