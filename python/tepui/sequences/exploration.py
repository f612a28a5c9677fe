"""The explicit engine: R_k state by state.

Fastest on small systems. It needs finite-context reachability, or a limit to the height of stacks;
what it then leaves out makes its observations a part of R_k.
"""

from __future__ import annotations

import time
from typing import cast

from tepui.convergence.overapproximation import certificate_groups
from tepui.evidence import Certificate, Trace
from tepui.kernels import Explorer, GivenLimits, Outcome, given_property, given_reach, given_system
from tepui.model import Property, Reach, System
from tepui.model.system import VisibleState, Word
from tepui.sequences.engine import Observation, Violation, round_of
from tepui.sequences.witness import trace_from_contexts


class Exploration:
    """The explicit exploration of a system, with stacks up to a height, if one is given."""

    name = "explicit"

    def __init__(self, system: System, *, symmetry: bool = True, height: int | None = None) -> None:
        self.system = system
        self.symmetry = symmetry
        self.height = height
        self._kernel = Explorer(given_system(system), symmetry=symmetry, height=height)
        self._scanned: dict[Property, int] = {}
        self._scanned_states: dict[Reach, int] = {}
        self._round_seconds = 0.0
        self.observations = [self._observation(0)]

    @property
    def last(self) -> Observation:
        return self.observations[-1]

    @property
    def bytes(self) -> int:
        return self._kernel.bytes

    @property
    def work(self) -> int:
        return self._kernel.states

    @property
    def found(self) -> tuple[int | None, int]:
        _, _, states, visible, _ = self._kernel.found()
        return states, visible

    def advance(self, limits: GivenLimits | None = None) -> Outcome:
        started = time.perf_counter()
        try:
            outcome = self._kernel.advance(limits)
        finally:
            self._round_seconds += time.perf_counter() - started
        if outcome == "done":
            self.observations.append(self._observation(len(self.observations)))
            self._round_seconds = 0.0
        return outcome

    def first_new_bad(self, bad: Property, limits: GivenLimits | None = None) -> Violation | None:
        number = self._kernel.first_bad(given_property(bad), self._scanned.get(bad, 0), limits)
        self._scanned[bad] = self._kernel.visible if number is None else number
        found = []
        if number is not None:
            sizes = [cast(int, seen.visible_up_to_symmetry) for seen in self.observations]
            found.append(Violation(round_of(number, sizes), number, self))
        found += filter(None, (self._first_new_in(reach, limits) for reach in bad.reaches))
        return min(found, key=lambda violation: violation.k, default=None)

    def trace(
        self, violation: Violation, bad: Property, limits: GivenLimits | None = None
    ) -> Trace:
        if isinstance(violation.key, int):
            return trace_from_contexts(self.system, self._kernel.trace(violation.key), bad)
        reach, state = cast(tuple[Reach, int], violation.key)
        contexts = self._kernel.trace_reaching(given_reach(reach), state)
        return trace_from_contexts(self.system, contexts, Property())

    def points(self) -> list[list[int]]:
        return self._kernel.points()

    def list_visible(self, k: int) -> list[VisibleState]:
        """In the order of discovery."""
        count = self.observations[k].visible_up_to_symmetry
        return self._kernel.visible_rows(0, cast(int, count))

    def list_states(self, k: int) -> list[tuple[int, tuple[Word, ...]]]:
        """In the order of discovery."""
        words = [self._kernel.stack_words(index) for index in range(len(self.system.templates))]
        stacks = [words[template] for template in self.system.threads]
        count = cast(int, self.observations[k].states_up_to_symmetry)
        return [
            (row[0], tuple(stack[local] for stack, local in zip(stacks, row[1:], strict=True)))
            for row in self._kernel.state_rows(0, count)
        ]

    def certificate(self) -> Certificate:
        groups = certificate_groups(self.system, self.symmetry)
        return Certificate(
            kind="states",
            groups=groups,
            locals=tuple(
                tuple((word, False) for word in self._kernel.stack_words(template))
                for template in (self.system.threads[group[0]] for group in groups)
            ),
            states=self._kernel.state_rows(0, cast(int, self.last.states_up_to_symmetry)),
        )

    def certificate_size(self) -> tuple[int, int]:
        groups = certificate_groups(self.system, self.symmetry)
        templates = [self.system.threads[group[0]] for group in groups]
        symbols = sum(self._kernel.symbols_in_stacks(template) for template in templates)
        return cast(int, self.last.states_up_to_symmetry), symbols

    def _first_new_in(self, reach: Reach, limits: GivenLimits | None) -> Violation | None:
        """A state in a regular set of states among those not asked about before."""
        start = self._scanned_states.get(reach, 0)
        number = self._kernel.first_reaching(given_reach(reach), start, limits)
        self._scanned_states[reach] = self._kernel.states if number is None else number
        if number is None:
            return None
        sizes = [cast(int, seen.states_up_to_symmetry) for seen in self.observations]
        return Violation(round_of(number, sizes), (reach, number), self)

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
            engine=self,
            mark=few_states,
        )
