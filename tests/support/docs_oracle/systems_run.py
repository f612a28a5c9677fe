"""Naive exploration of systems: R_0, R_1, …, rounds and delays, and the fewest steps.

Where stacks grow without end, only low ones are explored. Everything found in this way is really
reachable, and `exact` says whether that is all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from support.docs_oracle.systems_read import Reach, Rule, Stack, State, System, Target, Top

Visible = tuple[str, tuple[Stack, ...]]
Bad = Callable[[State], bool]

MOST_STATES = 6_000
MOST_ROUGH = 2_500  # where not all of them can be looked at anyway
MOST_STACKS = 1_500  # of one thread within one context
CUT_HEIGHT = 5  # how much higher stacks may become where there are too many
CUT_STACKS = 60


# --- one state -----------------------------------------------------------------------------------


def moves(rules: tuple[Rule, ...], shared: str, stack: Stack) -> list[tuple[Rule, str, Stack]]:
    """What one thread can do: the rule, and what it leads to."""
    top = stack[0] if stack else None
    return [
        (rule, rule.target, rule.word + stack[1:])
        for rule in rules
        if rule.source == shared and rule.top == top
    ]


def steps(system: System, state: State, thread: int) -> list[State]:
    """The states after one step of a thread."""
    shared, stacks = state
    return [
        (target, (*stacks[:thread], stack, *stacks[thread + 1 :]))
        for _, target, stack in moves(system.threads[thread].rules, shared, stacks[thread])
    ]


def visible(state: State, tops: int = 1) -> Visible:
    """The shared state and the top of each stack."""
    return state[0], tuple(stack[:tops] for stack in state[1])


def groups(system: System) -> list[list[int]]:
    """Threads with equal rules and equal stacks."""
    found: dict[tuple[frozenset[Rule], Stack], list[int]] = {}
    for at, thread in enumerate(system.threads):
        found.setdefault((frozenset(thread.rules), system.start[1][at]), []).append(at)
    return list(found.values())


def canonical(system: System, state: State) -> State:
    """The state with equal threads in a fixed order."""
    stacks = list(state[1])
    for group in groups(system):
        for at, stack in zip(group, sorted(state[1][at] for at in group), strict=True):
            stacks[at] = stack
    return state[0], tuple(stacks)


def orbits(system: System, states: set[State]) -> int:
    """How many states there are up to the order of equal threads."""
    return len({canonical(system, state) for state in states})


def _fits(top: Top, stack: Stack) -> bool:
    return top is None or top == stack[:1]


def is_target(system: System, target: Target, state: State) -> bool:
    """Whether the target calls this very state bad."""
    if target.deadlock:
        stuck = not any(steps(system, state, at) for at in range(len(system.threads)))
        return stuck and any(state[1])
    fits = target.shared is None or target.shared == state[0]
    return fits and all(map(_fits, target.tops, state[1]))


def is_reach(reach: Reach, state: State) -> bool:
    """Whether the pattern of whole stacks has this very state."""
    fits = reach.shared is None or reach.shared == state[0]
    return fits and all(
        node is None or node.matches(stack)
        for node, stack in zip(reach.stacks, state[1], strict=True)
    )


# --- contexts ------------------------------------------------------------------------------------


@dataclass
class Explored:
    """R_0, R_1, …: `exact[k]` if R_k is complete; `infinite` is the first k known to be so.

    `finished` says that the last R_k is all that is reachable.
    """

    rounds: list[set[State]]
    exact: list[bool]
    infinite: int | None = None
    finished: bool = False

    def fewest(self, bad: Bad) -> tuple[int | None, bool]:
        """The first k with a bad state, as far as it was found, and whether it is the fewest.

        Without such a state, the second says that there is none at all.
        """
        for k, states in enumerate(self.rounds):
            if any(bad(state) for state in states):
                return k, all(self.exact[:k])
        return None, self.finished

    def within(self, k: int) -> tuple[set[State], bool]:
        """R_k as far as it was found, and whether that is all of it."""
        if k < len(self.rounds):
            return self.rounds[k], self.exact[k]
        return self.rounds[-1], self.finished


@dataclass
class _Closure:
    found: set[tuple[str, Stack]]
    complete: bool
    infinite: bool


@dataclass
class Explorer:
    """Explores a system by contexts."""

    system: System
    seen: dict[tuple[int, str, Stack], _Closure] = field(default_factory=dict)
    rough: bool = False  # something was left out, so the rest need not be complete either

    def pump(self, thread: int) -> int:
        """A thread that grows so much within one context can grow for ever."""
        own = self.system.threads[thread]
        longest = max((len(rule.word) for rule in own.rules), default=0)
        shared = {rule.source for rule in own.rules} | {rule.target for rule in own.rules}
        return (len(shared) * (len(own.symbols) + 1) + 2) * max(longest - 1, 1)

    def closure(self, thread: int, shared: str, stack: Stack) -> _Closure:
        """What one context of a thread reaches from a shared state and a stack."""
        key = thread, shared, stack
        if key not in self.seen:
            cut = self.search(thread, shared, stack, CUT_HEIGHT, CUT_STACKS)
            cut.infinite = False  # so high it may be, and yet finite
            if not cut.complete and not self.rough:
                whole = self.search(thread, shared, stack, self.pump(thread), MOST_STACKS)
                self.rough = not whole.complete
                cut = whole if whole.complete else _Closure(cut.found, False, whole.infinite)
            self.seen[key] = cut
        return self.seen[key]

    def search(self, thread: int, shared: str, stack: Stack, higher: int, most: int) -> _Closure:
        rules = self.system.threads[thread].rules
        found = {(shared, stack)}
        queue = [(shared, stack)]
        complete, infinite = True, False
        for here in queue:
            for _, target, word in moves(rules, *here):
                if len(word) > len(stack) + higher:
                    complete, infinite = False, True
                elif (target, word) not in found and len(found) >= most:
                    complete = False
                elif (target, word) not in found:
                    found.add((target, word))
                    queue.append((target, word))
        return _Closure(found, complete, infinite)

    def context(self, state: State) -> Iterator[tuple[State, _Closure]]:
        shared, stacks = state
        for thread, stack in enumerate(stacks):
            closure = self.closure(thread, shared, stack)
            for target, word in closure.found:
                yield (target, (*stacks[:thread], word, *stacks[thread + 1 :])), closure

    def explore(self, most_contexts: int) -> Explored:
        """R_0, R_1, … up to this many contexts, or to the end, or to the limit of states."""
        result = Explored([{self.system.start}], [True])
        new = {self.system.start}
        while len(result.rounds) <= most_contexts:
            states, exact = set(result.rounds[-1]), result.exact[-1]
            for state in new:
                for after, closure in self.context(state):
                    states.add(after)
                    exact = exact and closure.complete
                    if closure.infinite and result.infinite is None:
                        result.infinite = len(result.rounds)
                if len(states) > (MOST_ROUGH if self.rough else MOST_STATES):
                    exact = False
                    break
            new = states - result.rounds[-1]
            if not new and exact:
                result.finished = True
                return result
            result.rounds.append(states)
            result.exact.append(exact)
            if len(states) > (MOST_ROUGH if self.rough else MOST_STATES) or not new:
                return result
        return result


# --- rounds and delays ---------------------------------------------------------------------------


@dataclass
class Delays:
    """For each number of rounds: the fewest delays with which each state is reached.

    `settled` is the number of rounds after which nothing changes any more, if it came to that.
    """

    rounds: list[dict[State, int]]
    settled: int | None = None

    def reached(self, rounds: int, delays: int) -> set[State] | None:
        """R(r, d), or None if it was not computed so far."""
        if rounds >= len(self.rounds):
            if self.settled is None:
                return None
            rounds = len(self.rounds) - 1
        return {state for state, fewest in self.rounds[rounds].items() if fewest <= delays}


def round_robin(system: System, most_rounds: int, most_delays: int) -> Delays:
    """R(r, d) for all d up to `most_delays`, for as many rounds as the limit of states allows."""
    best = {system.start: 0}
    result = Delays([dict(best)])
    turn = {system.start: 0}
    before: list[dict[State, int]] = []
    for _ in range(most_rounds):
        for thread in range(len(system.threads)):
            turn = _one_turn(system, turn, thread, most_delays)
            for state, delays in turn.items():
                best[state] = min(delays, best.get(state, delays))
        if len(best) > MOST_STATES:
            return result
        if turn in before:  # what follows is as it was
            result.settled = len(result.rounds) - 1
            if best != result.rounds[-1]:
                result.rounds.append(dict(best))
                result.settled += 1
            return result
        before.append(turn)
        result.rounds.append(dict(best))
    return result


def _one_turn(system: System, turn: dict[State, int], thread: int, most: int) -> dict[State, int]:
    after: dict[State, int] = {}

    def add(state: State, delays: int) -> None:
        if delays <= most:
            after[state] = min(delays, after.get(state, delays))

    for state, delays in turn.items():
        following = steps(system, state, thread)
        for each in following:
            add(each, delays)
        add(state, delays + (1 if following else 0))
    return after


# --- the fewest steps ---------------------------------------------------------------------------


def fewest_steps(
    system: System,
    contexts: int,
    at: Callable[[State], bool],
    most_nodes: int = 6_000,
    most_steps: int = 40,
) -> tuple[dict[str, int], int | None]:
    """The fewest steps within this many contexts to each shared state with `at`.

    The second is the number of steps up to which this is complete, or None for any number.
    """
    first = (system.start, -1, 0)
    seen = {first}
    level = [first]
    found: dict[str, int] = {}
    count = 0
    while level:
        for state, _, _ in level:
            if at(state):
                found.setdefault(state[0], count)
        if len(seen) > most_nodes or count >= most_steps:
            return found, count
        following = []
        for state, last, used in level:
            for thread in range(len(system.threads)):
                now = used + (thread != last)
                if now > contexts:
                    continue
                for after in steps(system, state, thread):
                    node = (after, thread, now)
                    if node not in seen:
                        seen.add(node)
                        following.append(node)
        level = following
        count += 1
    return found, None
