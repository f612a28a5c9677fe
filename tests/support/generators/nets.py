"""Random nets, small enough for brute force, with every kind of transition: tokens move, appear,
vanish, are set to a number, and go all together (broadcasts)."""

from __future__ import annotations

from random import Random

from tepui.model.net import Marking, Net, Row, Transition, marking_of, validate_net

_INITIAL: list[tuple[int, int | None]] = [
    (0, 0),
    (0, 0),
    (0, 0),
    (1, 1),
    (1, 1),
    (2, 2),
    (0, 2),
    (0, None),
    (1, None),
]


def random_net(rng: Random) -> Net:
    """A random net with up to four places and seven transitions. Few are bad in the beginning."""
    places = rng.randint(2, 4)
    initial = tuple(rng.choice(_INITIAL) for _ in range(places))
    transitions = tuple(
        random_transition(rng, places, number) for number in range(rng.randint(2, 7))
    )
    targets = [_marking(rng, places, 3) for _ in range(rng.randint(1, 2))]
    while any(_starts_above(initial, bad) for bad in targets) and rng.random() > 0.01:
        targets = [_marking(rng, places, 3)]
        initial = tuple(rng.choice(_INITIAL) for _ in range(places))
    hints = [
        tuple(rng.choice((0, 1, 1, 2)) for _ in range(places))
        for _ in range(rng.choice((0, 0, 0, 1, 2)))
    ]
    names = tuple(f"p{place}" for place in range(places))
    return validate_net(Net("random", names, initial, transitions, tuple(targets), tuple(hints)))


def _starts_above(initial: tuple[tuple[int, int | None], ...], bad: Marking) -> bool:
    return all((most := initial[place][1]) is None or most >= count for place, count in bad)


def random_transition(rng: Random, places: int, number: int) -> Transition:
    """A random transition; most move single tokens."""
    goes: list[int | None] = list(range(places))
    for place in range(places):
        if rng.random() < 0.12:
            goes[place] = rng.randrange(places)
        elif rng.random() < 0.05:
            goes[place] = None
    guard = dict(_marking(rng, places, 2))
    change = [0] * places
    for place, count in guard.items():
        change[place] -= rng.choice((0, 1, count))
    for _ in range(rng.choice((0, 1, 1, 1, 2))):
        change[rng.randrange(places)] += 1
    if rng.random() < 0.1:
        change[rng.randrange(places)] -= 1  # The guard may not ask for this token.
    rows = []
    for place in range(places):
        sources = tuple(source for source in range(places) if goes[source] == place)
        if sources != (place,) or change[place]:
            rows.append(Row(place, sources, change[place]))
    return Transition(marking_of(guard), tuple(rows), f"t{number}", number + 1)


def _marking(rng: Random, places: int, most: int) -> Marking:
    count = rng.choice((1, 1, 2, 2, 3))
    return marking_of({rng.randrange(places): rng.randint(1, most) for _ in range(count)})
