"""Observation sequences: explore under a growing bound, and decide when a plateau is final.

`run` concludes from what one engine observes, with `ceiling` from above, and `race` lets several
`entrants` compete. `contexts` is what users call.
"""

from tepui.deciding.contexts import explore, verify, verify_all
from tepui.deciding.options import Options
from tepui.engines.engine import Observation
from tepui.engines.observation import ObservationSequence
from tepui.engines.observing import observe

__all__ = [
    "Observation",
    "ObservationSequence",
    "Options",
    "explore",
    "observe",
    "verify",
    "verify_all",
]
