"""Explore under a growing bound, and decide when a plateau is final.

`verification` is what users call. `algorithm3` decides from what one engine observes, and from Z,
which `z_budget` computes in slices; `race` lets several `entrants` compete. Programs go through a
driver (`drivers`), which may make several attempts; `driver_choice` knows which driver a program
needs, and `fork_driver` is the one for programs that fork.
"""

from tepui.deciding.options import Options
from tepui.deciding.verification import explore, verify, verify_all

__all__ = [
    "Options",
    "explore",
    "verify",
    "verify_all",
]
