"""R(r, d), exactly: what round-robin scheduling reaches in r rounds with d delays (Definition 1).

A thread that has a step takes one in its turn, or is delayed; one that has none stays, and its turn
counts. What matters of a path is its end, whose turn comes next, how many turns there were, and how
many of them were delays. Of two paths with the same end and the same next turn, one that has fewer
turns and delays can do whatever the other can. So the best pairs are kept for each end, and paths
that leave the bounds wait until these are raised. (Algorithm 1 keeps only the first path that it
finds, and misses states; see docs/papers.md.)
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Literal

from tepui.checker.invariants.thread_paths import Path
from tepui.records import record
from tepui.watching.predicates.concrete_steps import ConcreteSteps, State, Violation

Turn = tuple[State, int]
"""A state, and the thread whose turn comes next."""

Cost = tuple[int, int]
"""How many turns, and how many of them were delays."""


@record
class Came:
    """A step of a thread from a state."""

    before: State
    thread: int
    path: Path


class RoundRobin:
    """Explores under bounds that are raised."""

    def __init__(
        self, steps: ConcreteSteps, starts: list[State], go_on: Callable[[], object]
    ) -> None:
        self._steps, self._go_on = steps, go_on
        self._count = len(starts[0][1])
        self.rounds = self.delays = 0
        self._costs: dict[Turn, list[Cost]] = {}
        self._waiting: list[tuple[Turn, Cost]] = []
        """What was reached and is not within the bounds."""
        self._successors: dict[State, list[list[State]]] = {}
        """For each state that was found, and each thread, where its steps lead."""
        self.states: list[State] = []
        """The states that were found, in the order in which they were."""
        self.ahead: dict[State, None] = {}
        """The states to which a step leads and that were not found."""
        self.came_from: dict[State, Came | None] = dict.fromkeys(starts)
        """For each of all these states, the first step to it."""
        self.violations: list[tuple[int, Came]] = []
        """The assertions that are violated, by their numbers, and the first step that does it."""
        self._explore([((start, 0), (0, 0)) for start in starts])

    def raised(self, direction: Literal["rounds", "delays"]) -> None:
        """Raise a bound by one, and find what is new within the bounds."""
        if direction == "rounds":
            self.rounds += 1
        else:
            self.delays += 1
        waiting, self._waiting = self._waiting, []
        self._explore(waiting)

    @property
    def is_closed(self) -> bool:
        """Whether every step leads to a state that was found: then no others are reachable."""
        return not self.ahead

    def way_to(self, state: State) -> list[Came]:
        """Steps from an initial state to this one."""
        steps = []
        while (came := self.came_from[state]) is not None:
            steps.append(came)
            state = came.before
        return steps[::-1]

    def _explore(self, reached: Iterable[tuple[Turn, Cost]]) -> None:
        work = deque(reached)
        while work:
            turn, cost = work.popleft()
            if not self._is_within(cost):
                self._waiting.append((turn, cost))
            elif self._is_best(turn, cost):
                self._go_on()
                work.extend(self._following(turn, cost))

    def _is_within(self, cost: Cost) -> bool:
        turns, delays = cost
        return turns <= self.rounds * self._count and delays <= self.delays

    def _is_best(self, turn: Turn, cost: Cost) -> bool:
        """Whether no path is known that is as good; this one takes the place of worse ones."""
        known = self._costs.setdefault(turn, [])
        if any(turns <= cost[0] and delays <= cost[1] for turns, delays in known):
            return False
        known[:] = [each for each in known if each[0] < cost[0] or each[1] < cost[1]]
        known.append(cost)
        return True

    def _following(self, turn: Turn, cost: Cost) -> Iterator[tuple[Turn, Cost]]:
        """Where a path goes on by one turn."""
        (state, thread), (turns, delays) = turn, cost
        after = self._found(state)[thread]
        following = (thread + 1) % self._count
        for each in after:
            yield (each, following), (turns + 1, delays)
        yield (state, following), (turns + 1, delays + bool(after))

    def _found(self, state: State) -> list[list[State]]:
        """The steps in a state that is within the bounds."""
        found = self._successors.get(state)
        if found is None:
            found = [list(self._taken(state, thread)) for thread in range(self._count)]
            self._successors[state] = found
            self.states.append(state)
            self.ahead.pop(state, None)
            for each in chain.from_iterable(found):
                if each not in self._successors:
                    self.ahead[each] = None
        return found

    def _taken(self, state: State, thread: int) -> Iterator[State]:
        for path, after in self._steps.after(state, thread):
            came = Came(state, thread, path)
            if isinstance(after, Violation):
                self.violations.append((after.assertion, came))
                continue
            self.came_from.setdefault(after, came)
            yield after
