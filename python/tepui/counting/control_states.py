"""Control states of a net: what cannot be together, without counting what has no bound.

Control places are those that invariants bound. Their counts are followed exactly, and of all other
places only whether they may have tokens. What is found is a finite set, from above: no marking is
reachable whose control places, and whose marked places, are not there together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from tepui.checker.covering import ControlStates, NetInvariant
from tepui.model.net import Marking, Net, Transition, marking_of
from tepui.records import record

MOST = 20_000
"""With more control states than this, none are used."""

MOST_STEPS = 2_000_000
"""With more steps between them than this, none are used either."""


def control_states_of(
    net: Net, invariants: list[NetInvariant], go_on: Callable[[], bool] = lambda: True
) -> ControlStates | None:
    """All control states, or None if there are too many, or no control places, or no time."""
    places = _control_places(net, invariants)
    return None if not places else _Search(net, places).run(go_on)


def _control_places(net: Net, invariants: list[NetInvariant]) -> list[int]:
    """Places that are bounded, start with one count, and get tokens from such places alone."""
    chosen = {
        place
        for invariant in invariants
        for place, weight in enumerate(invariant.weights)
        if weight and net.initial[place][0] == net.initial[place][1]
    }
    rows = [row for transition in net.transitions for row in transition.rows]
    while True:
        kept = {
            place
            for place in chosen
            if all(chosen.issuperset(row.sources) for row in rows if row.place == place)
        }
        if kept == chosen:
            return sorted(kept)
        chosen = kept


class _Search:
    """Sets of other places are bits of a number."""

    def __init__(self, net: Net, places: list[int]) -> None:
        self.net = net
        self.places = frozenset(places)
        self.found: dict[Marking, int] = {}
        self.open: list[Marking] = []
        self.steps = 0
        self.needing: dict[int | None, list[_Move]] = {}
        for transition in net.transitions:
            key = next((place for place, _ in transition.guard if place in self.places), None)
            self.needing.setdefault(key, []).append(_move(transition, self.places))

    def run(self, go_on: Callable[[], bool]) -> ControlStates | None:
        initial = list(enumerate(self.net.initial))
        others = (place for place, (_, most) in initial if most != 0 and place not in self.places)
        start = ((place, least) for place, (least, _) in initial if place in self.places)
        self._add(marking_of(start), _bits(others))
        while self.open:
            if len(self.found) > MOST or self.steps > MOST_STEPS or not go_on():
                return None
            marking = self.open.pop()
            counts, others_now = dict(marking), self.found[marking]
            for place in (None, *counts):
                moves = self.needing.get(place, ())
                self.steps += len(moves)
                for move in moves:
                    self._take(move, counts, others_now)
        states = sorted((counts, _places(others)) for counts, others in self.found.items())
        return ControlStates(tuple(sorted(self.places)), tuple(states))

    def _take(self, move: _Move, counts: dict[int, int], others: int) -> None:
        if move.needed & ~others or any(counts.get(p, 0) < n for p, n in move.guard):
            return
        after, marked = counts, others
        if move.control:
            after = dict(counts)
            for place, sources, constant in move.control:
                after[place] = constant + sum(counts.get(source, 0) for source in sources)
                if after[place] < 0:
                    return
        for place, always, bits, sources in move.others:
            if always or others & bits or any(counts.get(source, 0) for source in sources):
                marked |= place
            else:
                marked &= ~place
        self._add(marking_of(after), marked)

    def _add(self, counts: Marking, others: int) -> None:
        known = self.found.get(counts)
        if known is None or others & ~known:
            self.found[counts] = others | (known or 0)
            self.open.append(counts)


@record
class _Move:
    """A transition, with control places and other places apart."""

    guard: Marking
    needed: int
    control: tuple[tuple[int, tuple[int, ...], int], ...]
    """Control places with their sources and constants."""
    others: tuple[tuple[int, bool, int, tuple[int, ...]], ...]
    """Other places, whether they always get tokens, and the sources: others, and control places."""


def _move(transition: Transition, places: frozenset[int]) -> _Move:
    control, others = [], []
    for row in transition.rows:
        if row.place in places:
            control.append((row.place, row.sources, row.constant))
        else:
            free = _bits(source for source in row.sources if source not in places)
            bound = tuple(source for source in row.sources if source in places)
            others.append((1 << row.place, row.constant > 0, free, bound))
    return _Move(
        tuple(entry for entry in transition.guard if entry[0] in places),
        _bits(place for place, _ in transition.guard if place not in places),
        tuple(control),
        tuple(others),
    )


def _bits(places: Iterable[int]) -> int:
    return sum(1 << place for place in set(places))


def _places(bits: int) -> tuple[int, ...]:
    return tuple(place for place in range(bits.bit_length()) if bits >> place & 1)
