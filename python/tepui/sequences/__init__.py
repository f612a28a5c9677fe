"""Observation sequences: explore under a growing bound, and decide when a plateau is final.

`observation` is the paradigm (CUBA, section 3). `engine` says what is asked of engines, `recorded`
has what they share; `exploration`, `diagrams` and `symbolic` are the engines, and `portfolio` lets
two of them compete. `deciding` concludes from what they observe, with `ceiling` from above;
`contexts` is what users call.
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
