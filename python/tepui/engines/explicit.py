"""The explicit engine: R_k state by state.

Fastest on small systems. It needs finite-context reachability.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tepui.engines.exchanging_engine import ExchangingEngine
from tepui.kernels.door import ExplicitKernel

if TYPE_CHECKING:
    from tepui.model import System


class ExplicitEngine(ExchangingEngine[ExplicitKernel]):
    """The explicit engine at work on a system."""

    def __init__(self, system: System, *, symmetry: bool = True, identities: bool = False) -> None:
        """With `identities`, also up to exchanging threads that know themselves."""
        super().__init__(ExplicitKernel, system, symmetry=symmetry, identities=identities)
