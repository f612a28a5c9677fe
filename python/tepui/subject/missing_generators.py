"""What a pausing sequence still waits for: the generators in Z that were not reached at a plateau.

CUBA's Algorithm 3 believes a plateau of T(R_k) only if every generator in Z was reached (section
4.2): a visible state that a pop may lead to, and so one that may show up after a pause. Deciding
compares sizes instead, which is equivalent. Here the generators are named, for people who want to
see why a plateau was final, or was not. That needs another exploration, so it is for small systems.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import TYPE_CHECKING

from tepui.engines.observe import observe
from tepui.model.system import System, VisibleState
from tepui.records import record
from tepui.subject.plateaus import Plateau, plateaus_in
from tepui.z import Z, generators_among, parse_strength

if TYPE_CHECKING:
    from tepui.result import Result, ZSummary

MOST_STATES = 20_000
"""Up to how many states a system is small."""


@record
class Awaited:
    """A plateau with the generators in Z that were not reached then, up to symmetry."""

    plateau: Plateau
    generators: tuple[VisibleState, ...]


def generators_in_z(system: System, z: ZSummary | None) -> list[VisibleState] | None:
    """The generators in Z, up to symmetry; None if there is no Z that is small and complete."""
    if z is None or not z.complete or max(z.states or 0, z.visible_states) > MOST_STATES:
        return None
    strengths = parse_strength(z.strength)
    if not strengths:
        return None
    listed = Z(system, strengths[0]).completed().list_visible()
    return list(generators_among(system, listed))


def awaited(result: Result, expected: Sequence[VisibleState]) -> list[Awaited] | None:
    """For each plateau, the expected generators that were missing then; None if they are not
    known."""
    last = result.rounds[-1]
    small = last.states is not None and last.states <= MOST_STATES
    if last.delays is not None or not small:
        return None
    pauses = plateaus_in([row.visible for row in result.rounds])
    rounds = max((pause.first + 1 for pause in pauses), default=0)
    observations = list(islice(observe(result.system), rounds))
    seen = {pause.first: set(observations[pause.first].list_visible()) for pause in pauses}
    return [
        Awaited(pause, tuple(one for one in expected if one not in seen[pause.first]))
        for pause in pauses
    ]
