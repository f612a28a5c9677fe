"""The explicit engine: R_k state by state.

Fastest on small systems. It needs finite-context reachability, or a limit to the height of stacks;
what it then leaves out makes its observations a part of R_k.
"""

from __future__ import annotations

from typing import cast

from tepui.convergence.overapproximation import certificate_groups
from tepui.evidence import Certificate
from tepui.kernels import Explorer, given_system
from tepui.model import System
from tepui.model.system import VisibleState, Word
from tepui.sequences.engine import Observation
from tepui.sequences.recorded import Numbered


class Exploration(Numbered):
    """The explicit exploration of a system, with stacks up to a height, if one is given."""

    name = "explicit"
    _kernel: Explorer

    def __init__(self, system: System, *, symmetry: bool = True, height: int | None = None) -> None:
        self.system = system
        self.symmetry = symmetry
        self.height = height
        self._kernel = Explorer(given_system(system), symmetry=symmetry, height=height)
        super().__init__()

    @property
    def work(self) -> int:
        return self._kernel.states

    @property
    def found(self) -> tuple[int | None, int]:
        _, _, states, visible, _ = self._kernel.found()
        return states, visible

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

    def _count_states(self) -> int:
        return self._kernel.states

    def _observation(self, k: int, seconds: float) -> Observation:
        few_states, few_visible, states, visible, exact = self._kernel.round(k)
        return Observation(
            k=k,
            states=states,
            visible=visible,
            new_visible=visible - (self.last.visible if k else 0),
            states_up_to_symmetry=few_states,
            visible_up_to_symmetry=few_visible,
            exact=exact,
            seconds=seconds,
            engine=self,
            mark=few_states,
        )
