"""A race whose entrants run at the same time: kernels do not hold the interpreter."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from typing import TYPE_CHECKING

from tepui.kernels.lowered_system import forget_limit

if TYPE_CHECKING:
    from tepui.deciding.race import Lane, Race, ZLane

LOOK_AGAIN = 0.05
"""After how many seconds to look whether the user interrupts the race."""


def run_side_by_side(race: Race, jobs: int) -> None:
    """This many lanes take their turns at the same time."""
    busy: dict[Future[None], Lane | ZLane] = {}
    with ThreadPoolExecutor(jobs) as pool:
        try:
            while not _is_over(race, busy):
                while len(busy) < jobs and (lane := race.next(busy.values())) is not None:
                    busy[pool.submit(lane.go_on)] = lane
        finally:
            _cancel(race, busy)


def _is_over(race: Race, busy: dict[Future[None], Lane | ZLane]) -> bool:
    """Handle the lanes that have taken their turns. Return whether that was the end of the race."""
    # Ctrl-C arrives between two looks.
    for turn in wait(busy, LOOK_AGAIN, FIRST_COMPLETED).done:
        lane = busy.pop(turn)
        turn.result()  # An exception there is raised here.
        if race.is_over(lane):
            return True
        race.overtake(lane, busy.values())
    return False


def _cancel(race: Race, busy: Mapping[Future[None], Lane | ZLane]) -> None:
    """Wait until no entrant runs, even if Ctrl-C comes again. Those that were stopped inside of a
    step have not seen all that it does: they lose what they have."""
    race.shared.meter.cancel_others(True)
    for turn in busy:
        while not turn.done():
            with suppress(KeyboardInterrupt):
                wait([turn])
    race.shared.meter.cancel_others(False)
    if forget_limit(race.shared.system):
        race.was_cut_short = True
        for lane in busy.values():
            lane.start_again()
