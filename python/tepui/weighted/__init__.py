"""Weighted pushdown systems (WPDS, sections 4 to 6, appendices A and B): what runs do to data.

The domains of weights are in `tepui.weighted.domains`, and the more common ones are here as well.
"""

from tepui.weighted.configurations import Configurations, Inner, WeightedAutomaton
from tepui.weighted.domains import *  # noqa: F403
from tepui.weighted.domains import __all__ as _domains
from tepui.weighted.system import Rule, WeightedSystem

__all__ = [*_domains, "Configurations", "Inner", "Rule", "WeightedAutomaton", "WeightedSystem"]
