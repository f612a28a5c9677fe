"""The explicit engine: R_k state by state.

Fastest on small systems. It needs finite-context reachability, or a limit to the height of stacks;
what it then leaves out makes its observations a part of R_k.
"""

from __future__ import annotations

from tepui.engines.engine import Observation
from tepui.engines.recorded import ByContexts, Listed
from tepui.kernels.door import Explorer, given_system
from tepui.model import System


class Exploration(ByContexts, Listed):
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
