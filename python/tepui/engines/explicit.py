"""The explicit engine: R_k state by state.

Fastest on small systems. It needs finite-context reachability, or a limit to the height of stacks;
what it then leaves out makes its observations a part of R_k.
"""

from __future__ import annotations

from tepui.engines.recorded import ByContexts, Listed
from tepui.kernels.door import Explorer, given_system
from tepui.model import System


class Exploration(ByContexts[Explorer], Listed[Explorer]):
    """The explicit exploration of a system, with stacks up to a height, if one is given."""

    name = "explicit"

    def __init__(self, system: System, *, symmetry: bool = True, height: int | None = None) -> None:
        self.height = height
        kernel = Explorer(given_system(system), symmetry=symmetry, height=height)
        super().__init__(system, kernel, symmetry=symmetry)
