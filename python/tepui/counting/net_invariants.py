"""Invariants of a net, which cut off what is never reached.

Candidates are the hints of the file, and the sum over all places that no run can mark. What a
transition breaks is dropped, until nothing is. The checker proves what is left by itself.
"""

from __future__ import annotations

from tepui.checker.covering import NetInvariant
from tepui.model.net import Net, Transition


def invariants_of(net: Net) -> list[NetInvariant]:
    """The candidates that hold in the beginning, and that no transition breaks."""
    found = []
    for weights in dict.fromkeys(net.hints):
        counted = [
            (weight, most) for weight, (_, most) in zip(weights, net.initial, strict=True) if weight
        ]
        if counted and all(most is not None for _, most in counted):
            found.append(NetInvariant(weights, sum(w * (most or 0) for w, most in counted)))
    able = _able(net)
    moving = [one for number, one in enumerate(net.transitions) if number in able]
    kept = [one for one in found if all(_keeps(one.weights, each) for each in moving)]
    marked = _marked(net, able)
    never = tuple(int(place not in marked) for place in range(len(net.places)))
    return [*([NetInvariant(never, 0)] if any(never) else []), *kept]


def _able(net: Net) -> set[int]:
    """The transitions all of whose places can be marked, one after another."""
    marked = {place for place, (_, most) in enumerate(net.initial) if most != 0}
    waiting: dict[int, list[int]] = {}
    missing: list[int] = []
    able: set[int] = set()
    ready: list[int] = []
    for number, transition in enumerate(net.transitions):
        needed = {place for place, _ in transition.guard} - marked
        missing.append(len(needed))
        for place in needed:
            waiting.setdefault(place, []).append(number)
        if not needed:
            ready.append(number)
    while ready:
        number = ready.pop()
        able.add(number)
        for row in net.transitions[number].rows:
            if row.place not in marked and (row.constant > 0 or row.sources):
                marked.add(row.place)
                for other in waiting.get(row.place, ()):
                    missing[other] -= 1
                    if not missing[other]:
                        ready.append(other)
    return able


def _marked(net: Net, able: set[int]) -> set[int]:
    """The places that have tokens in the beginning, or may get some."""
    marked = {place for place, (_, most) in enumerate(net.initial) if most != 0}
    for number in able:
        for row in net.transitions[number].rows:
            if row.constant > 0 or any(source != row.place for source in row.sources):
                marked.add(row.place)
    return marked


def _keeps(weights: tuple[int, ...], transition: Transition) -> bool:
    """Whether no marking has a larger weighted sum after a transition than before."""
    guard = dict(transition.guard)
    new = {row.place: 0 for row in transition.rows}
    for row in transition.rows:
        for source in row.sources:
            new[source] = weights[row.place]
        if len(row.sources) == 1 and row.constant < 0:
            guard[row.sources[0]] = max(guard.get(row.sources[0], 0), -row.constant)
    if any(weight > weights[place] for place, weight in new.items()):
        return False
    lost = sum((weights[place] - weight) * guard.get(place, 0) for place, weight in new.items())
    return lost >= sum(weights[row.place] * row.constant for row in transition.rows)
