"""A race of engines: several of them look for one answer, and the first to find it wins.

It is not known beforehand which engine is best. The first entrant is cheap to begin with. When it
has done enough work to show that the system is not small, others join. From then on, the one that
has done the least work since goes on next. Z takes its turns like the others, and serves all of
them; only its first states are for free, so that what is small is decided at once.

With n entrants, an answer costs about n times as much as with the best of them alone, plus what was
done before all had joined. So few stay. An entrant drops out if it runs out of memory, or is two
rounds behind a later one that computes the same. One that is two rounds behind an earlier one gets
fewer turns. Two that list the same states in different orders do not both go on for long: contexts
are of use to bugs that take few of them. What a loser holds is freed at once.

Turns are counted in work, not in seconds, so that every race goes the same way. With several jobs,
entrants run side by side. Then the machine decides which one wins, but not what the answer is.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Collection, Generator, Sequence
from typing import TYPE_CHECKING

from tepui.deciding.algorithm3 import Algorithm3, Shared
from tepui.errors import AT_LIMIT, TooManyOutcomes
from tepui.limits import reached_limit
from tepui.records import replace

if TYPE_CHECKING:
    from tepui.model import Property
    from tepui.program.questions import Question
    from tepui.result import Other, Result

UNDECIDED = ("unknown", "stopped")

OUT_OF_ROOM = ("memory", "states")
"""What stops one engine, but not the others."""

SLOW = 200_000
"""How much work an engine that is far too slow does in a second; others do about a million."""

USUAL = 1_000_000
"""How much work is usually done in a second."""

FREE_STATES_OF_Z = 20_000
"""How much of Z is computed before anything is explored."""

ENOUGH = 1_000_000
"""After how many states of both it is enough that one engine lists states, without contexts."""

HANDICAP = 4
"""How much more the work of an entrant counts that is two rounds behind."""

FREE_SECONDS = 0.5
"""Seconds count only in longer races: in short ones they depend on the machine, not on the engine,
and every such race should go the same way."""


def first_answer(
    shared: Shared, asked: Property, questions: Sequence[Question], *, keep: bool = False
) -> Result:
    """The answer of the first run that has one, or else the reason why there is none. `keep` what
    losers have explored, for the next question."""
    race = Race(shared, asked, questions)
    try:
        if shared.meter.stopped is None:  # Or else the answer to another question was cut short.
            race.begin()
            race.run()
    except (KeyboardInterrupt, *AT_LIMIT) as error:
        shared.meter.stopped = reached_limit(error)
    except TooManyOutcomes as refused:
        race.refused = refused
    return race.finish(keep=keep)


class Lane:
    """One run of a race."""

    def __init__(self, run: Algorithm3) -> None:
        self.run = run
        self.result: Result | None = None
        """The answer, or why there is none."""
        self.dropped: Other | None = None
        """What it had seen when it dropped out."""
        self._seconds = 0.0
        self.handicap = 1
        """How much its work counts."""
        self.work = run.entrant.work
        """How much was done until the end of its last turn."""
        self._steps: Generator[None, None, Result] = run.steps()

    @property
    def clock(self) -> int:
        """How much work was done, as if it had run from the start. For one that takes far too long
        for its work, the time counts."""
        paid = int((self._seconds - FREE_SECONDS) * SLOW)
        return self.run.entrant.joins_at + self.handicap * max(self.work, paid)

    @property
    def has_begun(self) -> bool:
        return self.run.has_begun or self.dropped is not None

    @property
    def is_decided(self) -> bool:
        return self.result is not None and self.result.verdict not in UNDECIDED

    def go_on(self) -> None:
        """Take a turn."""
        started = time.perf_counter()
        try:
            next(self._steps)
        except StopIteration as end:
            self.result = end.value
        finally:
            self._seconds += time.perf_counter() - started
            self.work = self.run.entrant.work

    def drop_out(self, why: str) -> None:
        """End without an answer, and release everything that is held."""
        self.dropped = self.run.seen(why)
        self.result = None
        self._steps.close()
        self.run.entrant.drop_out()
        gc.collect()  # Engines and what they have observed refer to each other.

    def start_again(self) -> None:
        """Lose all that is held, and begin anew if there is another question."""
        if self.dropped is None:
            self.dropped = self.run.seen("cancelled")
            self.result = None
            self._steps.close()
            self.run.entrant.start_again()


class ZLane:
    """The turns of Z, which serves all runs of a race."""

    result = None

    def __init__(self, race: Race) -> None:
        self._race = race
        self._z = race.shared.z
        self._work = self._z.work
        self._seconds = 0.0

    @property
    def clock(self) -> int:
        """How much work was done, as for an engine. An hour of Z is never worth more than one of
        exploration, however little Z does in it."""
        paid = int((self._seconds - FREE_SECONDS) * USUAL)
        return max(self._work, paid) - FREE_STATES_OF_Z

    @property
    def wants_turn(self) -> bool:
        return self._race.needs_z and self._z.wants_turn(self._race.work)

    def go_on(self) -> None:
        """Take a turn."""
        self._race.report("computing Z")
        started = time.perf_counter()
        try:
            self._z.take_turn(self._race.work)
        finally:
            self._seconds += time.perf_counter() - started
            self._work = self._z.work

    def start_again(self) -> None:
        self._z.start_again()


class Race:
    def __init__(self, shared: Shared, asked: Property, questions: Sequence[Question]) -> None:
        self.shared = shared
        self._asked, self._questions = asked, questions
        self._lanes: list[Lane] = []
        self._left: list[Lane] = []
        """The lanes that go on, as far as the race knows."""
        self.refused: TooManyOutcomes | None = None
        """Why no run could begin."""
        self.was_cut_short = False
        """Whether a limit was reached inside of a step while runs were side by side."""
        self._z = ZLane(self)

    @property
    def needs_z(self) -> bool:
        """Whether Z can show something to a run."""
        return any(lane.run.needs_z for lane in self._left)

    @property
    def work(self) -> int:
        """How much the run has done that has done most."""
        return max((lane.work for lane in self._left), default=0)

    def report(self, activity: str) -> None:
        """Report progress, for the run that does, unless it may be running."""
        for lane in self._left if self.shared.options.jobs == 1 else ():
            if lane.run.reports:
                lane.run.report(activity)

    def begin(self) -> None:
        self._lanes = [
            Lane(Algorithm3(self.shared, entrant, self._asked, self._questions))
            for entrant in self.shared.entrants.left(collapse=not self._asked)
        ]
        self._left = list(self._lanes)
        self._lanes[0].run.reports = True

    def run(self) -> None:
        """Run until there is an answer, or no lane is left."""
        jobs = self.shared.options.jobs
        if jobs == 1 or len(self._lanes) == 1:
            self._take_turns()
        else:
            # Most runs need no pool of threads, and importing it takes time.
            from tepui.deciding.parallel_race import run_side_by_side

            run_side_by_side(self, jobs)

    def finish(self, *, keep: bool) -> Result:
        """The answer, with what the others had seen."""
        made = any(lane.run.entrant.has_begun for lane in self._lanes)
        if not self._lanes or (self.refused is not None and not made):
            entrant = self.shared.entrants.simplest(refused=self.refused is not None)
            run = Algorithm3(self.shared, entrant, self._asked, self._questions)
            return run.finished(self._why_none(run))
        winner = next((lane for lane in self._lanes if lane.is_decided), None) or self._leader()
        result = winner.result or self._why_none(winner.run)
        is_lost = winner.dropped is not None or (self.was_cut_short and not winner.is_decided)
        if is_lost:  # It would have to explore again to tell, or go through a step without end.
            result = replace(result, reached=replace(result.reached, points=None))
        others = [lane for lane in self._lanes if lane is not winner and lane.has_begun]
        seen = tuple(lane.dropped or lane.run.seen("cancelled") for lane in others)
        if not keep:
            for lane in others:
                if lane.dropped is None:
                    lane.drop_out("cancelled")
        return winner.run.finished(result.with_statistics(others=seen))

    def _take_turns(self) -> None:
        while (lane := self.next([])) is not None:
            lane.go_on()
            if self.is_over(lane):
                return
            self.overtake(lane)

    def next(self, busy: Collection[Lane | ZLane]) -> Lane | ZLane | None:
        """The one that has done the least, among those that have joined and are free."""
        idle = [lane for lane in self._left if lane not in busy]
        most = max((lane.clock for lane in self._left if lane.has_begun), default=0)
        joined = [lane for lane in idle if most >= lane.run.entrant.joins_at]
        lane = min(joined or idle[:1], key=lambda lane: lane.clock, default=None)
        if self._z in busy or not self._z.wants_turn:
            return lane
        return self._z if lane is None or self._z.clock <= lane.clock else lane

    def is_over(self, lane: Lane | ZLane) -> bool:
        """Whether the end of a lane is the end of the race: there is an answer, a limit for all was
        reached, or no lane is left. Otherwise the lane drops out."""
        if isinstance(lane, ZLane) or lane.result is None:
            return False
        stop = lane.result.stop
        is_last = self._left == [lane]
        if lane.is_decided or is_last or stop is None or stop.kind not in OUT_OF_ROOM:
            return True
        self._drop(lane, stop.text)
        return False

    def overtake(self, lane: Lane | ZLane, busy: Collection[Lane | ZLane] = ()) -> None:
        """A lane that is two rounds behind a later one drops out, or is not needed beside it. One
        that is two rounds behind an earlier one gets fewer turns."""
        if isinstance(lane, ZLane) or lane not in self._left:
            return
        place = self._left.index(lane)
        others = [other for other in self._left if other is not lane and other not in busy]
        for other in others:
            is_earlier = self._left.index(other) < place
            ahead = lane.run.is_ahead_of(other.run)
            if is_earlier and (ahead or _is_enough(lane, other)):
                self._drop(other, "overtaken")
                for behind in self._left if not ahead else ():
                    if behind.run.entrant.kind.counts == "contexts":
                        behind.handicap = HANDICAP  # It has not overtaken that one, either.
                return
            if ahead:
                other.handicap = HANDICAP

    def _drop(self, lane: Lane, why: str) -> None:
        """Let a lane drop out; the next one reports progress."""
        self._left.remove(lane)
        self._left[0].run.reports |= lane.run.reports
        lane.run.reports = False
        lane.drop_out(why)

    def _leader(self) -> Lane:
        """The lane whose result is given if there is no answer: one that has not dropped out,
        counts contexts if possible, and has come furthest. Side by side, a limit may have been
        reached while all of them were inside of a step, so that all have lost what they had."""
        left = [lane for lane in self._lanes if lane.dropped is None] or self._lanes
        begun = [lane for lane in left if lane.run.entrant.has_begun]
        return max(begun or left[:1], key=lambda lane: lane.run.progress)

    def _why_none(self, run: Algorithm3) -> Result:
        if self.refused is not None:
            return run.too_wide(self.refused)
        return run.stopped_at(self.shared.meter.stopped or "time")


def _is_enough(lane: Lane, other: Lane) -> bool:
    """Whether one of two lanes that list the same states is enough: both have listed many, and the
    other one has to sort them by contexts."""
    kind, its = lane.run.entrant.kind, other.run.entrant.kind
    both_list = kind.lists_states and its.lists_states
    counts = (kind.counts, its.counts) == ("steps", "contexts")
    return both_list and counts and min(lane.work, other.work) >= ENOUGH
