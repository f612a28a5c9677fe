"""Observation sequences: explore under a growing bound, and decide when a plateau is final.

`run` concludes from what one engine observes, with `ceiling` from above, and `race` lets several
`entrants` compete. `contexts` is what users call.
"""

from tepui.deciding.contexts import explore, verify, verify_all
from tepui.deciding.options import Options

__all__ = [
    "Options",
    "explore",
    "verify",
    "verify_all",
]
