"""Regular sets of tapes, which transducers read and write (WPDS, Definition 3 and Lemma 1)."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from tepui.weighted.configurations import Configurations, states_of
from tepui.weighted.transducers.path_weights import Graph

Letter = Hashable
Place = Hashable
"""A state of a transducer or of an automaton of tapes."""

TapeTransition = tuple[Place, Letter | None, Place]
"""From a place, by a letter, or by None, that is ε, to a place."""


@dataclass(frozen=True)
class Tapes:
    """A regular set of tapes."""

    steps: frozenset[TapeTransition]
    initial: frozenset[Place]
    accepting: frozenset[Place]

    @classmethod
    def of(cls, configurations: Configurations) -> Tapes:
        """All tapes p u of configurations ⟨p, u⟩."""
        start = ("tapes of", configurations.accepting)
        first = frozenset((start, state, state) for state in states_of(configurations))
        return cls(configurations.transitions | first, frozenset([start]), configurations.accepting)

    @classmethod
    def word(cls, letters: Iterable[Letter]) -> Tapes:
        """Just one tape."""
        word = tuple(letters)
        steps = frozenset((place, letter, place + 1) for place, letter in enumerate(word))
        return cls(steps, frozenset([0]), frozenset([len(word)]))

    @cached_property
    def leaving(self) -> Mapping[Place, list[tuple[Letter | None, Place]]]:
        """The steps by the place from which they go."""
        leaving: dict[Place, list[tuple[Letter | None, Place]]] = {}
        for source, letter, target in self.steps:
            leaving.setdefault(source, []).append((letter, target))
        return leaving

    def __contains__(self, letters: Iterable[Letter]) -> bool:
        places = self.after_nothing(self.initial)
        for letter in letters:
            places = self.after(places, letter)
        return bool(places & self.accepting)

    def after(self, places: frozenset[Place], letter: Letter) -> frozenset[Place]:
        """Where a letter leads from some places, and then any number of ε."""
        return self.after_nothing(
            target
            for place in places
            for label, target in self.leaving.get(place, ())
            if label is not None and label == letter
        )

    def after_nothing(self, places: Iterable[Place]) -> frozenset[Place]:
        """These places and all that ε leads to."""
        found = set(places)
        waiting = list(found)
        while waiting:
            for letter, target in self.leaving.get(waiting.pop(), ()):
                if letter is None and target not in found:
                    found.add(target)
                    waiting.append(target)
        return frozenset(found)

    def deterministic(self, check: Callable[[], None] | None = None) -> Tapes:
        """The same tapes, with at most one step by each letter from a place, none by ε, and only
        places from which one can be accepted.

        `check` is called again and again, and may raise something to end this.
        """
        start = self.after_nothing(self.initial)
        number: dict[frozenset[Place], int] = {start: 0}
        waiting = [start]
        steps: set[tuple[int, Letter | None, int]] = set()
        while waiting:
            if check is not None:
                check()
            here = waiting.pop()
            letters = dict.fromkeys(
                letter
                for place in here
                for letter, _ in self.leaving.get(place, ())
                if letter is not None
            )
            for letter in letters:
                there = self.after(here, letter)
                if there not in number:
                    number[there] = len(number)
                    waiting.append(there)
                steps.add((number[here], letter, number[there]))
        accepting = frozenset(number[each] for each in number if each & self.accepting)
        return Tapes(frozenset(steps), frozenset([0]), accepting).trimmed()

    def trimmed(self) -> Tapes:
        """The same tapes, without places that accept nothing."""
        graph = Graph.explored(
            self.initial,
            lambda place: [(target, True) for _, target in self.leaving.get(place, ())],
        )
        kept = graph.leading_to(place for place in graph.steps if place in self.accepting).steps
        return Tapes(
            frozenset(step for step in self.steps if step[0] in kept and step[2] in kept),
            frozenset(place for place in self.initial if place in kept),
            frozenset(place for place in self.accepting if place in kept),
        )
