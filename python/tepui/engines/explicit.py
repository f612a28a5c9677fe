"""The explicit engine: R_k state by state.

Fastest on small systems. It needs finite-context reachability.
"""

from __future__ import annotations

from tepui.engines.engine import Observation
from tepui.engines.recorded import ByContexts, Listed
from tepui.kernels.door import Explorer, given_system
from tepui.model import System


class Exploration(ByContexts, Listed):
    """The explicit exploration of a system."""

    _kernel: Explorer

    def __init__(self, system: System, *, symmetry: bool = True) -> None:
        self.system = system
        self.symmetry = symmetry
        self._kernel = Explorer(given_system(system), symmetry=symmetry, height=None)
        super().__init__()

    @property
    def work(self) -> int:
        return self._kernel.states

    @property
    def found(self) -> tuple[int | None, int]:
        _, _, states, visible, _ = self._kernel.found()
        return states, visible

    def _observation(self, k: int, seconds: float) -> Observation:
        few_states, few_visible, states, visible, _ = self._kernel.round(k)
        return Observation(
            k=k,
            states=states,
            visible=visible,
            new_visible=visible - (self.last.visible if k else 0),
            states_up_to_symmetry=few_states,
            visible_up_to_symmetry=few_visible,
            seconds=seconds,
            engine=self,
            mark=few_states,
        )
