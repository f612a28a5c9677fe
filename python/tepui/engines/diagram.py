"""The diagram engine: R_k as a decision diagram over the threads.

It represents R_k by nodes, not by states: it does not grow exponentially with the number of
threads, and it needs no finite-context reachability. Equal sets are equal nodes, so a collapse of
R_k is seen at once, also where the R_k are infinite (Scheme 1 over S_k; CUBA, section 4).

It has no use for symmetry: equal threads make equal nodes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from tepui.checker import DiagramCertificate, Trace
from tepui.convergence.overapproximation import MOST_LISTED
from tepui.engines.engine import Observation, Violation
from tepui.engines.recorded import ByContexts
from tepui.engines.witness import trace_from_contexts
from tepui.errors import TepuiError, UsageError
from tepui.kernels.door import Diagrams, GivenLimits, given_property, given_reach, given_system
from tepui.model import Property, Reach, StackSet, System
from tepui.model.system import VisibleState, Word


class DiagramExploration(ByContexts):
    """The exploration of a system by decision diagrams.

    `finite` says of each template whether its threads are known to have finite-context reachability
    (Theorem 29); `list_up_to_symmetry`, whether lists leave out permutations of equal threads.
    """

    symmetry = False
    _kernel: Diagrams

    def __init__(
        self, system: System, finite: Sequence[bool], *, list_up_to_symmetry: bool = False
    ) -> None:
        self.system = system
        self._list_up_to_symmetry = list_up_to_symmetry
        self._kernel = Diagrams(given_system(system), finite=finite)
        self._scanned: dict[Property, int] = {}
        super().__init__()

    @property
    def nodes(self) -> int:
        """How many nodes there are."""
        return self._kernel.nodes

    @property
    def work(self) -> int:
        return self._kernel.operations

    @property
    def found(self) -> tuple[int | None, int]:
        """What the last complete round has: there is no counting before the end of a round."""
        return self.last.states, self.last.visible

    def first_new_bad(self, bad: Property, limits: GivenLimits | None = None) -> Violation | None:
        for k in range(self._scanned.get(bad, 0), len(self.observations)):
            row = self._kernel.find_bad(given_property(bad), k, limits)
            if row is not None:
                return Violation(k, row, self, k)
            for reach in bad.reaches:
                if self._kernel.has_reaching(given_reach(reach), k, limits):
                    return Violation(k, reach, self, k)
            self._scanned[bad] = k + 1
        return None

    def trace(
        self, violation: Violation, bad: Property, limits: GivenLimits | None = None
    ) -> Trace:
        if isinstance(violation.key, Reach):
            asked = given_reach(violation.key)
            contexts = self._kernel.trace_reaching(asked, violation.k, limits)
            bad = Property()
        else:
            visible = cast(VisibleState, violation.key)
            contexts = self._kernel.trace(visible, violation.k, limits)
        if contexts is None:
            raise TepuiError("the run behind a violation was not found")
        return trace_from_contexts(self.system, contexts, bad)

    def list_visible(self, k: int) -> list[VisibleState]:
        count = self.observations[k].visible
        if count > MOST_LISTED:
            raise UsageError(f"there are {count:,} visible states, which is too many to list")
        rows = self._kernel.visible_rows(k, count)
        return list(filter(self.system.is_sorted, rows)) if self._list_up_to_symmetry else rows

    def list_states(self, k: int) -> list[tuple[int, tuple[Word, ...]]]:
        raise UsageError("the diagram engine does not list states; the explicit engine does")

    def certificate(self) -> DiagramCertificate:
        nodes, ends, labels = self._kernel.diagram()
        return DiagramCertificate(
            kind="states",
            order=tuple(self._kernel.order),
            locals=tuple(
                None if stacks is None else tuple((tuple(word), False) for word in stacks[0])
                for stacks, _ in labels
            ),
            labels=tuple(
                tuple(map(_stack_set, automata)) if stacks is None else tuple(map(tuple, stacks[1]))
                for stacks, automata in labels
            ),
            nodes=nodes,
            ends=ends,
        )

    def certificate_size(self) -> tuple[int, int]:
        return self._kernel.certificate_nodes, 0

    def _observation(self, k: int, seconds: float) -> Observation:
        states, _, count, visible = self._kernel.round(k)
        return Observation(
            k=k,
            states=count,
            visible=visible,
            new_visible=visible - (self.last.visible if k else 0),
            states_up_to_symmetry=None,
            visible_up_to_symmetry=None,
            seconds=seconds,
            engine=self,
            mark=states,
        )


def _stack_set(automaton: tuple[list[bool], list[list[tuple[int, int]]]]) -> StackSet:
    accepting, edges = automaton
    return StackSet(tuple(accepting), tuple(map(tuple, edges)))
