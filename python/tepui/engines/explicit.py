"""The explicit engine: R_k state by state.

Fastest on small systems. It needs finite-context reachability.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tepui.engines.kernel_engine import ContextEngine, ListingEngine
from tepui.kernels.door import ExplicitKernel, system_kernel

if TYPE_CHECKING:
    from tepui.model import System


class ExplicitEngine(ContextEngine[ExplicitKernel], ListingEngine[ExplicitKernel]):
    """The explicit engine at work on a system."""

    def __init__(self, system: System, *, symmetry: bool = True) -> None:
        kernel = ExplicitKernel(system_kernel(system), symmetry=symmetry)
        super().__init__(system, kernel, symmetry=symmetry)
