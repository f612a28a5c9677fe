"""Combine over all paths of a finite graph: what every weighted automaton comes down to.

A graph is built from its start as far as its steps lead, and only places that can lead to an
accepted place are kept. Weights are then propagated until nothing changes. Places are visited in
reverse postorder of a depth-first search, so that without cycles each is done once.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from typing import Generic, TypeVar

from tepui.weighted.domains.semiring import Semiring, W

V = TypeVar("V", bound=Hashable)

Steps = Mapping[V, Sequence[tuple[V, W]]]


@dataclass(frozen=True)
class Graph(Generic[V, W]):
    """Places, each with the steps that leave it, and the places where paths begin."""

    start: tuple[V, ...]
    steps: Steps[V, W]

    @classmethod
    def explored(
        cls, start: Iterable[V], following: Callable[[V], Iterable[tuple[V, W]]]
    ) -> Graph[V, W]:
        """All places that can be reached."""
        begun = tuple(dict.fromkeys(start))
        steps: dict[V, Sequence[tuple[V, W]]] = {}
        waiting = list(begun)
        while waiting:
            place = waiting.pop()
            if place not in steps:
                steps[place] = list(following(place))
                waiting += [target for target, _ in steps[place] if target not in steps]
        return cls(begun, steps)

    def leading_to(self, accepted: Iterable[V]) -> Graph[V, W]:
        """The part from which an accepted place can be reached."""
        entering = self.reversed().steps
        useful = Graph.explored(accepted, lambda place: entering.get(place, ())).steps
        return self.within(useful.__contains__)

    def within(self, wanted: Callable[[V], bool]) -> Graph[V, W]:
        """The part that consists of some places."""
        return Graph(
            tuple(filter(wanted, self.start)),
            {
                place: [step for step in steps if wanted(step[0])]
                for place, steps in self.steps.items()
                if wanted(place)
            },
        )

    def reversed(self) -> Graph[V, W]:
        """All steps, reversed."""
        entering: dict[V, list[tuple[V, W]]] = {place: [] for place in self.steps}
        for source, steps in self.steps.items():
            for target, weight in steps:
                entering[target].append((source, weight))
        return Graph((), entering)


def weights_from(domain: Semiring[W], graph: Graph[V, W], start: Iterable[V]) -> dict[V, W]:
    """For each place the combine of the weights of all paths to it, extended along them."""
    weights = dict.fromkeys(start, domain.one)
    rank = {place: number for number, place in enumerate(_outward(graph.steps, weights))}
    places = list(rank)
    waiting = [rank[place] for place in weights]
    heapify(waiting)
    queued = set(waiting)
    while waiting:
        number = heappop(waiting)
        queued.remove(number)
        weight = weights[places[number]]
        for target, more in graph.steps.get(places[number], ()):
            old = weights.get(target, domain.zero)
            new = domain.combine(old, domain.extend(weight, more))
            if new != old:
                weights[target] = new
                if rank[target] not in queued:
                    queued.add(rank[target])
                    heappush(waiting, rank[target])
    return weights


def _outward(steps: Steps[V, W], start: Iterable[V]) -> list[V]:
    """All places that can be reached, each before those that only it leads to."""
    left: list[V] = []
    met: set[V] = set()
    for begin in start:
        stack = [(begin, False)]
        while stack:
            place, done = stack.pop()
            if done:
                left.append(place)
            elif place not in met:
                met.add(place)
                stack.append((place, True))
                stack += [(target, False) for target, _ in steps.get(place, ())]
    return left[::-1]
