"""R_k by transducers (WPDS, section 3): another way to compute what the engines compute.

All stacks of a global state are on one tape, and R_{k+1} is the image of R_k under the transducer
of one context of any thread (`one_tape`, with the Boolean domain). It shares nothing with the
engines of `tepui.deciding`, is exact even where R_k is infinite, and is slow. It serves for
comparison.

A stack ends with the symbol EPSILON, so that rules on the empty stack are rules on a symbol.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from tepui.errors import Stopped, UsageError
from tepui.limits import Limits, Meter, check_count
from tepui.model import EPSILON, System, Template
from tepui.model.system import VisibleState, Word
from tepui.weighted.domains.boolean import Boolean
from tepui.weighted.system import WeightedRule, WeightedSystem
from tepui.weighted.transducers.one_tape import SEPARATOR, transducer_of_phases
from tepui.weighted.transducers.tapes import Letter, Place, Tapes
from tepui.weighted.transducers.transducer import Transducer, phases_of


def reachable(system: System, contexts: int, limits: Limits | None = None) -> Reached:
    """R_k for this number of contexts."""
    check_count("contexts", contexts)
    rounds = reachable_rounds(system, limits)
    return next(reached for k, reached in enumerate(rounds) if k == contexts)


def reachable_rounds(system: System, limits: Limits | None = None) -> Iterator[Reached]:
    """R_0, R_1, …"""
    if system.program is not None:
        raise UsageError(
            "the rules of a program are not all known beforehand, and a transducer is made of all "
            "rules: ask for the system that `tepui.z.plain_system.written_out` makes of it"
        )
    check = _Check(limits or Limits())
    transducer = _transducer(system, limits)
    reached = Tapes.word(tape_of(system.initial, system.initial_stacks()))
    while True:
        yield Reached(system, reached)
        reached = transducer.image(reached, check).deterministic(check)


@dataclass(frozen=True)
class Reached:
    """A set of global states, as tapes; finite or not."""

    system: System
    tapes: Tapes

    def __contains__(self, state: tuple[int, tuple[Word, ...]]) -> bool:
        """Whether a global state, with whole stacks, is in it."""
        return tape_of(*state) in self.tapes

    @cached_property
    def visible(self) -> frozenset[VisibleState]:
        """T(R_k): the shared state and the tops of all stacks, for each global state."""
        seen: dict[Place, frozenset[tuple[int, ...]]] = {}
        return frozenset(
            (shared, *tops)
            for start in self.tapes.initial
            for shared, place in self.tapes.leaving.get(start, ())
            if isinstance(shared, int)
            for tops in self._tops(place, seen)
        )

    def _tops(
        self, place: Place, seen: dict[Place, frozenset[tuple[int, ...]]]
    ) -> frozenset[tuple[int, ...]]:
        """The tops of the stacks that begin at a place."""
        if place not in seen:
            seen[place] = frozenset(
                (letter[1], *others)
                for letter, target in self.tapes.leaving.get(place, ())
                if isinstance(letter, tuple)
                for others in self._tops_of_others(target, seen)
            )
        return seen[place]

    def _tops_of_others(
        self, place: Place, seen: dict[Place, frozenset[tuple[int, ...]]]
    ) -> Iterator[tuple[int, ...]]:
        """The tops of the stacks after the one that is being read at a place."""
        met, waiting = {place}, [place]
        while waiting:
            here = waiting.pop()
            if here in self.tapes.accepting:
                yield ()
            for letter, target in self.tapes.leaving.get(here, ()):
                if letter == SEPARATOR:
                    yield from self._tops(target, seen)
                elif target not in met:
                    met.add(target)
                    waiting.append(target)


def tape_of(shared: int, stacks: tuple[Word, ...]) -> list[Letter]:
    """A global state as a tape."""
    tape: list[Letter] = [shared]
    for thread, stack in enumerate(stacks):
        tape += [SEPARATOR] * (thread > 0)
        tape += [(thread, symbol) for symbol in (*stack, EPSILON)]
    return tape


class _Check:
    """Raises Stopped at limits; reads the clock only now and then."""

    def __init__(self, limits: Limits) -> None:
        self._meter = Meter(limits)
        self._calls = 0

    def __call__(self) -> None:
        if self._calls % 256 == 0:
            if self._meter.is_out_of_time():
                raise Stopped.at_limit("time")
            if not self._meter.bytes_left():
                raise Stopped.at_limit("memory")
        self._calls += 1


def _transducer(system: System, limits: Limits | None) -> Transducer[bool]:
    """One context of any thread."""
    states = range(len(system.shared))
    phases = [
        phases_of(_weighted(template), states, range(len(template.symbols)), limits)
        for template in system.templates
    ]
    return transducer_of_phases([phases[template] for template in system.threads])


def _weighted(template: Template) -> WeightedSystem[bool]:
    return WeightedSystem.of(
        Boolean(),
        (
            WeightedRule(
                rule.source,
                rule.top,
                rule.target,
                (*rule.word, EPSILON) if rule.top == EPSILON else rule.word,
                True,
            )
            for rule in template.rules
        ),
    )
