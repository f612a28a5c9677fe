"""R_k and T(R_k), observed one after the other by the explicit engine.

One exploration serves both sequences. It decides nothing and knows no plateaus: it computes round
after round, and answers questions about what it has found.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

from tepui.convergence.finite_context import (
    has_finite_context_reachability,
    may_recurse,
    program_has_finite_context_reachability,
)
from tepui.convergence.overapproximation import Overapproximation, certificate_groups
from tepui.errors import UsageError
from tepui.evidence import Certificate, Trace
from tepui.kernels import Explorer, GivenLimits, Outcome, given_property, given_system
from tepui.model import Property, System
from tepui.model.system import VisibleState, Word
from tepui.program.lowered import LoweredSystem, lower
from tepui.program.program import Program
from tepui.sequences.witness import trace_from_contexts


@dataclass(frozen=True, slots=True)
class Observation:
    """What is known after a round. Without symmetry, both ways of counting agree."""

    k: int
    states: int
    """|R_k|, every permutation of equal threads counted."""
    visible: int
    """|T(R_k)|, every permutation of equal threads counted."""
    new_visible: int
    states_up_to_symmetry: int
    visible_up_to_symmetry: int
    exact: bool
    """False if states with high stacks were left out, so that this is only a part of R_k."""
    seconds: float
    """What this round took."""
    exploration: Exploration

    def list_visible(self) -> list[VisibleState]:
        """T(R_k), in the order of discovery; up to symmetry if that is on."""
        return self.exploration.list_visible(self.visible_up_to_symmetry)

    def list_states(self) -> list[tuple[int, tuple[Word, ...]]]:
        """R_k as shared states and stacks, in the order of discovery; up to symmetry if on."""
        return self.exploration.list_states(self.states_up_to_symmetry)


class Exploration:
    """The explicit exploration of a system, with stacks up to a height, if one is given."""

    def __init__(self, system: System, *, symmetry: bool = True, height: int | None = None) -> None:
        self.system = system
        self.symmetry = symmetry
        self.height = height
        self._kernel = Explorer(given_system(system), symmetry=symmetry, height=height)
        self._scanned: dict[Property, int] = {}
        self._round_seconds = 0.0
        self.observations = [self._observation(0)]

    @property
    def k(self) -> int:
        """The number of the last complete round."""
        return len(self.observations) - 1

    @property
    def last(self) -> Observation:
        return self.observations[-1]

    @property
    def bytes(self) -> int:
        return self._kernel.bytes

    @property
    def found(self) -> tuple[int, int]:
        """States and visible states found, an unfinished round included, permutations counted."""
        _, _, states, visible, _ = self._kernel.found()
        return states, visible

    def advance(self, limits: GivenLimits | None = None) -> Outcome:
        """Go on with the next round, and say how that ended."""
        started = time.perf_counter()
        try:
            outcome = self._kernel.advance(limits)
        finally:
            self._round_seconds += time.perf_counter() - started
        if outcome == "done":
            self.observations.append(self._observation(self.k + 1))
            self._round_seconds = 0.0
        return outcome

    def first_new_bad(self, bad: Property, limits: GivenLimits | None = None) -> int | None:
        """The number of the first bad visible state among those not asked about before."""
        number = self._kernel.first_bad(given_property(bad), self._scanned.get(bad, 0), limits)
        self._scanned[bad] = self._kernel.visible
        return number

    def points(self) -> list[list[int]]:
        """For each thread type of a program, the points that were reached."""
        return self._kernel.points()

    def round_of(self, visible: int) -> int:
        """The round in which the visible state with this number was found."""
        for observation in self.observations:
            if visible < observation.visible_up_to_symmetry:
                return observation.k
        return self.k + 1

    def trace(self, visible: int, bad: Property) -> Trace:
        """A trace with the fewest contexts to a state that is bad like this visible state."""
        return trace_from_contexts(self.system, self._kernel.trace(visible), bad)

    def list_visible(self, count: int) -> list[VisibleState]:
        """The first so many visible states."""
        return self._kernel.visible_rows(0, count)

    def list_states(self, count: int) -> list[tuple[int, tuple[Word, ...]]]:
        words = [self._kernel.stack_words(index) for index in range(len(self.system.templates))]
        stacks = [words[template] for template in self.system.threads]
        return [
            (row[0], tuple(stack[local] for stack, local in zip(stacks, row[1:], strict=True)))
            for row in self._kernel.state_rows(0, count)
        ]

    def certificate(self) -> Certificate:
        """The states of a collapsed R_k, as evidence that the checker accepts."""
        groups = certificate_groups(self.system, self.symmetry)
        return Certificate(
            kind="states",
            groups=groups,
            locals=tuple(
                tuple((word, False) for word in self._kernel.stack_words(template))
                for template in (self.system.threads[group[0]] for group in groups)
            ),
            states=self._kernel.state_rows(0, self.last.states_up_to_symmetry),
        )

    def symbols_in_certificate(self) -> int:
        """How many symbols the stacks of the certificate have together."""
        groups = certificate_groups(self.system, self.symmetry)
        templates = [self.system.threads[group[0]] for group in groups]
        return sum(self._kernel.symbols_in_stacks(template) for template in templates)

    def _observation(self, k: int) -> Observation:
        few_states, few_visible, states, visible, exact = self._kernel.last_round()
        return Observation(
            k=k,
            states=states,
            visible=visible,
            new_visible=visible - (self.last.visible if k else 0),
            states_up_to_symmetry=few_states,
            visible_up_to_symmetry=few_visible,
            exact=exact,
            seconds=self._round_seconds,
            exploration=self,
        )


def observe(
    system: System | Program, *, symmetry: bool = True, height: int | None = None
) -> Iterator[Observation]:
    """R_0, R_1, R_2, … without end. A thread without finite-context reachability needs a height."""
    if isinstance(system, Program):
        system = lower(system)
    if height is None:
        for template, finite in enumerate(_is_finite(system)):
            if not finite:
                name = system.templates[template].name
                raise UsageError(
                    f"thread {name} may reach infinitely many stacks within one context: "
                    "give a height, as in observe(system, height=10)"
                )
    exploration = Exploration(system, symmetry=symmetry, height=height)
    yield exploration.last
    while exploration.advance() == "done":
        yield exploration.last


def _is_finite(system: System) -> tuple[bool, ...]:
    if isinstance(system, LoweredSystem):
        z = Overapproximation(system).completed() if may_recurse(system.program) else None
        return program_has_finite_context_reachability(system, z)
    return has_finite_context_reachability(system)
