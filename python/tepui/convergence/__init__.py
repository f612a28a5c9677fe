"""From above: what could still emerge.

Emerging symbols and generators (CUBA, section 4.2.2), over-approximations Z in several strengths
(sections 4.2.3 and 5), and the test for finite-context reachability (section 6).
"""

from tepui.convergence.finite_context import (
    finite_contexts,
    has_finite_context_reachability,
    reachable_stacks,
)
from tepui.convergence.generators import (
    emerging_symbols,
    generators,
    generators_among,
    is_generator,
)
from tepui.convergence.overapproximation import Overapproximation
from tepui.convergence.strength import Strength, parse_strength

__all__ = [
    "Overapproximation",
    "Strength",
    "emerging_symbols",
    "finite_contexts",
    "generators",
    "generators_among",
    "has_finite_context_reachability",
    "is_generator",
    "parse_strength",
    "reachable_stacks",
]
