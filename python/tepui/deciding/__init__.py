"""Observation sequences: explore under a growing bound, and decide when a plateau is final.

`contexts` is what users call. `run` concludes from what one engine observes, with `z` from
above, and `race` lets several `entrants` compete. `once` decides on one system so; a driver
(`drivers`) lets a program have several attempts, and `programs` knows which driver it needs.
"""

from tepui.deciding.options import Options
from tepui.deciding.verification import explore, verify, verify_all

__all__ = [
    "Options",
    "explore",
    "verify",
    "verify_all",
]
