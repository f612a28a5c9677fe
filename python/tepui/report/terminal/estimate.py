"""The time and the states of the next round, estimated from the growth of the last rounds.

The number of new states of a round, divided by that of the round before, changes slowly, and the
time of a round is proportional to its new states. So both are assumed to grow by the same factor as
in the last round. If there are infinitely many states, only the time is estimated.

On 31 rounds of seven systems with three engines, half of the estimates of the time were within a
factor of 1.35, and nine tenths within 2.2; those of the states within 1.15 and 1.7. Where growth
itself jumps, as it does if rounds and delays are raised in turn, nothing is estimated. The end is
not predicted either: near a collapse, rounds take less time than estimated.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from tepui.progress import Progress
from tepui.records import record

SHORTEST = 0.1
"""A shorter round says nothing about the next one, and no estimate is needed."""

STEADY = 3
"""The largest factor by which growth may change from round to round."""


@record
class Estimate:
    """The time of the next round, and the number of states after it, if it can be estimated."""

    seconds: float
    states: int | None


def next_round(rounds: Sequence[Progress]) -> Estimate | None:
    """An estimate from the complete rounds, if they allow one."""
    last = list(pairwise(rounds[-4:]))
    seconds = [after.seconds - before.seconds for before, after in last]
    if len(last) < 3 or seconds[-1] < SHORTEST:
        return None
    states = [row.states for row in rounds[-4:] if row.states is not None]
    new = [after - before for before, after in pairwise(states)]
    growth = _steady_growth(seconds if len(new) < 3 else new)
    if growth is None:
        return None
    more = None if len(new) < 3 else states[-1] + round(new[-1] * growth)
    return Estimate(seconds[-1] * growth, more)


def _steady_growth(sizes: Sequence[float]) -> float | None:
    """The factor by which three sizes grow, if they grow evenly."""
    first, second, third = sizes
    if min(sizes) <= 0:
        return None
    before, growth = second / first, third / second
    return growth if 1 / STEADY <= growth / before <= STEADY else None
