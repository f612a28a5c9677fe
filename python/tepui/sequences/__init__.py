"""Observation sequences: explore under a growing bound, and decide when a plateau is final.

`observation` is the paradigm (CUBA, section 3), `exploration` observes R_k and T(R_k), `contexts`
decides with both whether a property holds for any number of contexts.
"""

from tepui.sequences.contexts import explore, verify, verify_all
from tepui.sequences.exploration import Exploration, Observation, observe
from tepui.sequences.observation import ObservationSequence
from tepui.sequences.options import Options

__all__ = [
    "Exploration",
    "Observation",
    "ObservationSequence",
    "Options",
    "explore",
    "observe",
    "verify",
    "verify_all",
]
