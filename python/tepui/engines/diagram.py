"""The diagram engine: R_k as a decision diagram over the threads.

It represents R_k by nodes, not by states: it does not grow exponentially with the number of
threads, and it needs no finite-context reachability. Equal sets are equal nodes, so a collapse of
R_k is seen at once, also where the R_k are infinite (Scheme 1 over S_k; CUBA, section 4).

It has no use for symmetry: equal threads make equal nodes.
"""

from __future__ import annotations

from collections.abc import Sequence

from tepui.checker.certificates.diagram import DiagramCertificate
from tepui.engines.kernel_engine import SequenceEngine
from tepui.errors import UsageError
from tepui.kernels.door import DiagramKernel, system_kernel
from tepui.model import StackSet, System
from tepui.model.system import VisibleState, Word
from tepui.z.z import MOST_LISTED


class DiagramEngine(SequenceEngine[DiagramKernel]):
    """The diagram engine at work on a system.

    `finite` says for each template whether its threads are known to have finite-context
    reachability (Theorem 29). `list_up_to_symmetry` says whether lists leave out permutations of
    equal threads.
    """

    def __init__(
        self, system: System, finite: Sequence[bool], *, list_up_to_symmetry: bool = False
    ) -> None:
        self._list_up_to_symmetry = list_up_to_symmetry
        super().__init__(
            system, DiagramKernel(system_kernel(system), finite=finite), symmetry=False
        )

    @property
    def nodes(self) -> int:
        """How many nodes there are."""
        return self._kernel.nodes

    def list_visible(self, k: int) -> list[VisibleState]:
        count = self.observations[k].visible
        if count > MOST_LISTED:
            raise UsageError(f"there are {count:,} visible states, which is too many to list")
        rows = super().list_visible(k)
        return list(filter(self.system.is_sorted, rows)) if self._list_up_to_symmetry else rows

    def list_states(self, k: int) -> list[tuple[int, tuple[Word, ...]]]:
        raise UsageError("the diagram engine does not list states; the explicit engine does")

    def certificate(self) -> DiagramCertificate:
        nodes, ends, labels = self._kernel.diagram()
        return DiagramCertificate(
            kind="states",
            order=tuple(self._kernel.order),
            locals=tuple(
                None if stacks is None else tuple((word, False) for word in stacks[0])
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
        return self._kernel.certificate_nodes, self._kernel.certificate_symbols


def _stack_set(automaton: tuple[list[bool], list[list[tuple[int, int]]]]) -> StackSet:
    accepting, edges = automaton
    return StackSet(tuple(accepting), tuple(map(tuple, edges)))
