"""Compares T(R_k) of an exploration with that of transducers, two ways that share nothing.

Only counts are compared, round by round. The exploration may be up to symmetry, or of a program
that had to be written out as a system first.
"""

from __future__ import annotations

from itertools import islice

from tepui.errors import Disagreement, UsageError
from tepui.limits import Limits, check_count
from tepui.model import System
from tepui.result import Result
from tepui.weighted.transducers.reachability import reachable_rounds


def compare(result: Result, system: System, contexts: int, limits: Limits | None = None) -> int:
    """Compute T(R_0), T(R_1), … again, up to `contexts` or as far as the exploration came, and
    return the last bound. Raises `Disagreement` if two rounds differ, and `Stopped` if there is
    nothing to compare."""
    check_count("contexts", contexts)
    if result.resource != "contexts":
        raise UsageError("an exploration that counts delays has no R_k to compare")
    explored = {round_.k: round_.visible for round_ in result.rounds}
    last = max(explored)
    most = contexts if result.verdict == "collapsed" else min(contexts, last)
    for k, reached in enumerate(islice(reachable_rounds(system, limits), most + 1)):
        expected = explored[min(k, last)]
        if len(reached.visible) != expected:
            raise Disagreement(
                f"T(R_{k}) has {expected} visible states by the {result.engine} engine, "
                f"and {len(reached.visible)} by transducers"
            )
    return most
