"""Z with a budget: which strength, and how far it is computed.

Z is computed in turns, as engines explore in turns (`race`). It is worth its cost only while it is
not much larger than what exploration has found, so it has a budget that grows with the exploration.
If it never finishes, exploration goes on without it, and a collapse of R_k may still be a proof.

Where listing its states goes over the budget, Z is computed as a decision diagram instead, with as
many operations as exploration has taken so far.

Listed state by state, Z is always built up to the symmetry of equal threads, whatever the
exploration does: it is closed under exchanging them, as T(R) is, so comparing sizes with every
permutation counted is exact.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from tepui.engines.registry import AUTO, kind_of
from tepui.errors import CheckStopped
from tepui.result import Note, ZSummary
from tepui.z.strength import MATCHED, Strength
from tepui.z.z import Z

if TYPE_CHECKING:
    from tepui.checker.certificates.diagram import DiagramCertificate
    from tepui.checker.certificates.states import Certificate
    from tepui.deciding.options import Options
    from tepui.kernels.door import Outcome
    from tepui.limits import Meter
    from tepui.model import System

FIRST_BUDGET = 200_000
"""How many states any Z may have, however little was explored."""

BUDGET_FACTOR = 2
"""How many states a Z may have for each state that was explored."""


STATES_OF_A_TURN = 20_000
"""After how many states or operations Z hands back control."""

SECONDS_OF_A_TURN = 0.2
"""After how long it does so at the latest."""

LATE = 50_000
"""How much is explored before a Z is begun that tells more threads apart than exploration."""

FIRST_OPERATIONS = 100_000
"""How many operations a Z that is a diagram may take, however little was explored."""


def _tells_more_threads_apart(system: System, options: Options) -> bool:
    """Whether threads know themselves that exploration can exchange, and Z cannot: Z is large in
    comparison. But where threads recurse, it has to show first that exploration can be finite."""
    program = system.program
    if program is None or not options.symmetry:
        return False
    from tepui.engines.recursion import may_recurse
    from tepui.program.identities import families

    return bool(families(program)) and not may_recurse(program)


class BudgetedZ:
    """The over-approximations of one run, from cheap to sharp."""

    def __init__(self, system: System, options: Options, meter: Meter) -> None:
        self.notes: list[Note] = []
        self._system = system
        named = options.engine
        self._form = "either" if named == AUTO else kind_of(named).z_is
        self._meter = meter
        self._waiting: list[Strength] = list(options.strengths)
        self._next: Z | None = None
        self.complete: Z | None = None
        """The sharpest Z that is complete."""
        self._matched: Z | None = None
        self._lock = threading.Lock()
        self._work_before = 0
        """How much was done for those that are not computed any more."""
        self._begins_at = LATE if _tells_more_threads_apart(system, options) else 0

    @property
    def work(self) -> int:
        """How much was done, for all strengths."""
        return self._work_before + (0 if self._next is None else self._next.work)

    def wants_turn(self, work: int) -> bool:
        """Whether there is something to compute, given how much was explored."""
        if work < self._begins_at:
            return False
        z = self._next
        if z is None:
            return self.complete is None and bool(self._waiting)
        return self._form != "listed" or z.work < self._budget(z, work)

    def take_turn(self, work: int) -> None:
        """Go on with Z for a while, within a budget that grows with the work of exploration."""
        with self._lock:
            if self._next is None and self.complete is None:
                self._sharpen()
            z = self._next
            if z is None:
                return
            outcome = self._advance(z, self._budget(z, work), SECONDS_OF_A_TURN)
            if outcome == "states" and self._form != "listed":
                self._work_before += z.work
                self._next = z.as_diagram()
            elif outcome == "done":
                self._work_before += z.work
                self.complete, self._next = z, None
            elif outcome == "memory":
                self._work_before += z.work
                self.notes.append(Note("Z", "Z was given up, because it takes too much memory"))
                self._next, self._waiting = None, []

    def completed_within(self, seconds: float) -> Z | None:
        """The first Z, if it is complete within its first budget and this many seconds."""
        turns = self._meter.part(None, seconds)
        while self.complete is None and self.wants_turn(0) and not turns.is_out_of_time():
            self.take_turn(0)
        return self.complete

    def sharpen(self) -> None:
        """Begin with the next strength, if there is one and none is being computed."""
        if self._next is None and self._lock.acquire(blocking=False):
            try:
                self._sharpen()
            finally:
                self._lock.release()

    def _sharpen(self) -> None:
        if self._next is None and self._waiting:
            self._next = self._make(self._waiting.pop(0))

    def certificate_of(self, z: Z) -> Certificate | DiagramCertificate:
        """The evidence that a Z is one. A call-return relation only ever enlarges the Z of
        the strength `matched`, so that one is the evidence."""
        if z.strength.is_call_return:
            if self._matched is None:
                self._matched = self._make(MATCHED)
            outcome: Outcome = "paused"
            while outcome == "paused" and not self._meter.is_cancelled:
                outcome = self._advance(self._matched)
            if outcome != "done":
                raise CheckStopped("a limit was reached before there was evidence")
            z = self._matched
        return z.certificate()

    def start_again(self) -> None:
        """Lose the Z that is being computed, and begin with it anew if there is a turn for it."""
        if self._next is not None:
            self._work_before += self._next.work
            self._waiting.insert(0, self._next.strength)
            if self._next is self._matched:
                self._matched = None
            self._next = None

    def summary(self) -> ZSummary | None:
        """The sharpest complete Z, or else the one being computed, in numbers."""
        z = self.complete or self._next
        if z is None:
            return None
        states = None if z.by_diagram and not z.is_complete else z.states
        return ZSummary(str(z.strength), z.is_complete, z.is_exact, states, z.real_visible)

    def _make(self, strength: Strength) -> Z:
        if strength == MATCHED and self._matched is not None:
            return self._matched
        return Z(self._system, strength, by_diagram=self._form == "as a diagram")

    def _budget(self, z: Z, work: int) -> int:
        if z.by_diagram:
            return max(FIRST_OPERATIONS, work)
        return max(FIRST_BUDGET, BUDGET_FACTOR * work)

    def _advance(self, z: Z, budget: int | None = None, seconds: float | None = None) -> Outcome:
        """Go on with a Z for a while, within the limits and a budget, and return how that ended:
        with `states`, if a budget of states is used up."""
        if self._meter.bytes_left() == 0:
            return "memory"
        limits = self._meter.for_kernel(z.bytes, None if z.by_diagram else budget)
        if seconds is None:
            return z.advance(limits)
        limits["pause"] = STATES_OF_A_TURN
        left = limits["seconds"]
        limits["seconds"] = seconds if left is None else min(left, seconds)
        outcome = z.advance(limits)
        return "paused" if outcome == "time" else outcome
