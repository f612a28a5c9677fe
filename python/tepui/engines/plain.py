"""The plain engine: all reachable states, breadth first, without contexts.

R_s is what s steps can reach. The sequence is stutter-free, and collapses where finitely many
states are reachable. A violation has the fewest steps, and perhaps not the fewest contexts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from tepui.engines.exchanging_engine import ExchangingEngine
from tepui.engines.kernel_engine import ALL_EMERGED
from tepui.engines.rounds import Proof
from tepui.kernels.door import PlainKernel

if TYPE_CHECKING:
    from tepui.model import System


class PlainEngine(ExchangingEngine[PlainKernel]):
    """The plain engine at work on a system."""

    proofs: ClassVar = (
        Proof(
            "no new state",
            "R_s = R_{s+1}",
            "no step adds a state",
            "From the states that were reached, no step of any thread leads to another one. So "
            "they are all that is reachable",
        ),
        ALL_EMERGED,
    )

    def __init__(self, system: System, *, symmetry: bool = True, identities: bool = False) -> None:
        """With `identities`, also up to exchanging threads that know themselves."""
        super().__init__(PlainKernel, system, symmetry=symmetry, identities=identities)
