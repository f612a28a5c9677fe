"""The explicit engine: R_k state by state.

Fastest on small systems. It needs finite-context reachability.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tepui.engines.recorded import ByContexts, Listed
from tepui.kernels.door import Explorer, given_system

if TYPE_CHECKING:
    from tepui.model import System


class Exploration(ByContexts[Explorer], Listed[Explorer]):
    """The explicit exploration of a system."""

    def __init__(self, system: System, *, symmetry: bool = True) -> None:
        kernel = Explorer(given_system(system), symmetry=symmetry)
        super().__init__(system, kernel, symmetry=symmetry)
