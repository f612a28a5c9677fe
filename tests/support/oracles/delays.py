"""Delay-bounded scheduling as DrUBA defines it, naively: what the delay engine is tested against.

`schedules` is Definition 1 word for word: paths with a scheduling function f, the delay
d_p = f(0) + Σ ((f(i) − f(i−1) − 1) mod n) and the bound ⌈(l + d_p)/n⌉ ≤ r. It knows nothing of
slots and of states that wait for their turn. Where the paper makes every action total, a thread
without an enabled rule stays as it is, that being its step, and a thread with one takes one (or
every thread could stay for free, and delays would mean nothing).

`algorithm_1` is Algorithms 1 and 2 of the paper as they are printed, errors included. It is kept
to show that they miss states, and used for nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass

from support.oracles.systems import State, TooManyStatesError, initial_state, steps, steps_of_thread
from tepui.model import System

Cost = tuple[int, int]
"""How many rounds and how many delays a path takes."""

_Scheduled = tuple[State, int]
"""A state and its finder: what Algorithm 1 compares."""


def reachable(system: System, rounds: int, delays: int) -> set[State]:
    """R(r, d)."""
    return set(schedules(system, rounds, delays))


def schedules(
    system: System, rounds: int, delays: int, limit: int | None = None
) -> dict[State, set[Cost]]:
    """R(r, d), and for each state of it what the paths of Definition 1 that lead there take.

    Of a path only its end, its length l, f(l − 1) and d_p matter for how it may go on, so paths
    that agree on these are looked at once. Raises TooManyStatesError if more than `limit` are left.
    """
    count = len(system.threads)
    start: tuple[State, int, int | None, int] = (initial_state(system), 0, None, 0)
    found, waiting = {start}, [start]
    costs: dict[State, set[Cost]] = {}
    while waiting:
        state, length, last, delayed = waiting.pop()
        costs.setdefault(state, set()).add((_rounds(length + delayed, count), delayed))
        for thread in range(count):
            total = delayed + (thread if last is None else (thread - last - 1) % count)
            if total > delays or _rounds(length + 1 + total, count) > rounds:
                continue
            for after in successors(system, state, thread):
                path = (after, length + 1, thread, total)
                if path not in found:
                    found.add(path)
                    waiting.append(path)
        if limit is not None and len(found) > limit:
            raise TooManyStatesError
    return costs


def within(costs: dict[State, set[Cost]], rounds: int, delays: int) -> set[State]:
    """R(r, d), by the costs of all paths within bounds that are at least as large."""
    return {state for state in costs if _is_within(costs[state], rounds, delays)}


def fewest_delays(system: System, rounds: int, is_bad: Callable[[State], bool]) -> int | None:
    """The smallest d for which R(r, d) has a bad state; None if more delays never lead to one."""
    for delays in range(rounds * len(system.threads) + 1):
        if any(map(is_bad, reachable(system, rounds, delays))):
            return delays
    return None


def everything(system: System) -> set[State]:
    """R, what is reachable under free scheduling (Theorem 2); only where that is finite."""
    found = {initial_state(system)}
    waiting = list(found)
    while waiting:
        for _, _, after in steps(system, waiting.pop()):
            if after not in found:
                found.add(after)
                waiting.append(after)
    return found


def cost_of_run(system: System, run: Iterable[tuple[int, State]]) -> Cost:
    """How many rounds and delays a run takes, given by who moves and the state after it: a thread
    that is passed over is delayed if it has an enabled rule, and else it has its turn and stays."""
    count = len(system.threads)
    state, slots, delays = initial_state(system), 0, 0
    for thread, after in run:
        while slots % count != thread:
            delays += bool(steps_of_thread(system, state, slots % count))
            slots += 1
        state, slots = after, slots + 1
    return _rounds(slots, count), delays


def successors(system: System, state: State, thread: int) -> set[State]:
    """The states after a step of a thread: by any of its enabled rules, or itself without one."""
    return {after for _, after in steps_of_thread(system, state, thread)} or {state}


@dataclass
class _Algorithm1:
    """`reached` has the rounds and delays with which each state was first found."""

    system: System
    alpha: Callable[[State], Hashable]
    reached: dict[_Scheduled, Cost]
    abstract: set[Hashable]
    rounds: int = 0
    delays: int = 0

    def add_round(self) -> bool:
        """Lines 4 to 8; whether a new abstract state was found."""
        frontier = [(s, cost) for s, cost in self.reached.items() if cost[0] == self.rounds]
        self.rounds += 1
        grew = False
        for scheduled, cost in frontier:
            grew |= self._merge(self._finish_rounds(scheduled, cost))
        return grew

    def add_delay(self) -> bool:
        """Lines 11 to 19; whether a new abstract state was found."""
        frontier = [(s, cost) for s, cost in self.reached.items() if cost[1] == self.delays]
        self.delays += 1
        grew = False
        for (state, finder), (rounds, delays) in frontier:
            finder = (finder + 1) % len(self.system.threads)
            cost = rounds + (finder == 0), delays + 1
            grew |= self._merge(self._finish_rounds((state, finder), cost))
        return grew

    def _finish_rounds(self, start: _Scheduled, cost: Cost) -> dict[_Scheduled, Cost]:
        """Algorithm 2, its set `Unexplored` in the order of discovery."""
        reached = {start: cost}
        waiting = [start]
        for state, finder in waiting:
            rounds, delays = reached[state, finder]
            if finder < len(self.system.threads) - 1 or rounds < self.rounds:
                thread = (finder + 1) % len(self.system.threads)
                for after in sorted(successors(self.system, state, thread)):
                    if (after, thread) not in reached:
                        reached[after, thread] = rounds + (thread == 0), delays
                        waiting.append((after, thread))
        return reached

    def _merge(self, found: dict[_Scheduled, Cost]) -> bool:
        """States that are known keep their rounds and delays."""
        before = len(self.abstract)
        for scheduled, cost in found.items():
            self.reached.setdefault(scheduled, cost)
        self.abstract |= {self.alpha(state) for state, _ in found}
        return len(self.abstract) > before


def algorithm_1(system: System, alpha: Callable[[State], Hashable]) -> tuple[set[State], Cost]:
    """DrUBA's Algorithm 1 up to line 23: Reached, and r and d when both plateaus are there.

    Each state and finder keeps the rounds and delays with which it was first found. One thing is
    not as it is printed: an iteration of the first loop raises r in lines 5 and 8 and goes on to
    r + 1 in line 7. The text says that it adds one round, so that is what it does here. A thread
    that is delayed at the end of round r may be followed by others in round r + 1, as the test in
    line 7 of Algorithm 2 looks at rounds only for the last thread; that is as printed.
    """
    count = len(system.threads)
    start = initial_state(system)
    run = _Algorithm1(system, alpha, {(start, count - 1): (0, 0)}, {alpha(start)})
    plateau = 0
    while plateau < max(1, count - 1):
        if not plateau:
            while run.add_round():
                pass
        plateau = 0 if run.add_delay() else plateau + 1
    return {state for state, _ in run.reached}, (run.rounds, run.delays)


def _rounds(slots: int, threads: int) -> int:
    """⌈slots / threads⌉."""
    return -(-slots // threads)


def _is_within(costs: set[Cost], rounds: int, delays: int) -> bool:
    return any(r <= rounds and d <= delays for r, d in costs)
