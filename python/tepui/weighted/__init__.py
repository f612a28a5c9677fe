"""Weighted pushdown systems (WPDS, sections 4 to 6, appendices A and B): what runs do to data.

docs/weighted.md is the way in. The domains of weights are in `tepui.weighted.domains`, and here as
well.
"""

from tepui.weighted.configurations import Configurations, Inner, WeightedAutomaton
from tepui.weighted.contexts import Threads, context_bounded, context_bounds
from tepui.weighted.domains import *  # noqa: F403
from tepui.weighted.domains import __all__ as _domains
from tepui.weighted.paths import Run, meet_over_all_paths, run_for, shortest_run, weight_of
from tepui.weighted.saturation import post_star, pre_star
from tepui.weighted.system import WeightedRule, WeightedSystem
from tepui.weighted.transducers.composition import Composition
from tepui.weighted.transducers.transducer import Transducer, transducer_of

__all__ = [
    *_domains,
    "Composition",
    "Configurations",
    "Inner",
    "WeightedRule",
    "Run",
    "Threads",
    "Transducer",
    "WeightedAutomaton",
    "WeightedSystem",
    "context_bounded",
    "context_bounds",
    "meet_over_all_paths",
    "post_star",
    "pre_star",
    "run_for",
    "shortest_run",
    "transducer_of",
    "weight_of",
]
