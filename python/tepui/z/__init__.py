"""Z and its strengths: from above, what could still emerge.

Emerging symbols and `generators` (CUBA, section 4.2.2), and the over-approximation Z in several
strengths (sections 4.2.3 and 5). `call_return` has the relations that the Ω strengths use, and
`plain_system` lists all rules of a program that Z meets.
"""

from tepui.z.generators import (
    emerging_symbols,
    generators,
    generators_among,
    is_generator,
)
from tepui.z.strength import Strength, parse_strength
from tepui.z.z import Z

__all__ = [
    "Strength",
    "Z",
    "emerging_symbols",
    "generators",
    "generators_among",
    "is_generator",
    "parse_strength",
]
