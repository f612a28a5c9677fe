"""Observation sequences: explore under a growing bound, and decide when a plateau is final.

`observation` is the paradigm (CUBA, section 3). `engine` says what is asked of engines, `recorded`
has what they share; `exploration`, `diagrams` and `symbolic` count contexts, `delays` and
`abstract` rounds and delays. `deciding` concludes from what one of them observes, with `ceiling`
from above, and `race` lets several `entrants` compete. `contexts` is what users call; with
`watching` they observe for themselves.
"""

from tepui.sequences.contexts import explore, verify, verify_all
from tepui.sequences.engine import Observation
from tepui.sequences.observation import ObservationSequence
from tepui.sequences.observing import observe
from tepui.sequences.options import Options

__all__ = [
    "Observation",
    "ObservationSequence",
    "Options",
    "explore",
    "observe",
    "verify",
    "verify_all",
]
