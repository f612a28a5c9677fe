"""The reference semantics on random programs: it says what the naive interpreter says.

Rounds are computed with the rules of `Meaning` alone and compared with those of the oracle, which
knows nothing of missing values, dead variables, or summaries of calls. `make fuzz` does it on many
more programs.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from random import Random

import pytest

from support.generators.programs import KNOWING, SMALL, random_case
from support.oracles.program_interpreter import Place, TooLargeError
from support.oracles.programs import Answers, Fact, Findings, Kind, compare
from tepui.program.layout import Frame, SharedState
from tepui.program.program import Program, Receive
from tepui.program.semantics.meaning import Meaning
from tepui.program.semantics.sections import points_inside

pytestmark = pytest.mark.fuzz

State = tuple[SharedState, tuple[tuple[Frame, ...], ...]]
MOST = 3000
ROUNDS = 12


class Explorer:
    """R_0, R_1, ... by the rules of a Meaning; stacks higher than `depth` are dropped."""

    def __init__(self, meaning: Meaning, depth: int = 8) -> None:
        self.meaning = meaning
        self.depth = depth
        threads = meaning.program.threads
        self.kinds = [kind for kind, thread in enumerate(threads) for _ in range(thread.size)]
        stacks = tuple(map(meaning.initial_stack, range(len(self.kinds))))
        self.reached: set[State] = {(meaning.initial_shared(), stacks)}
        self.round = 0
        self.collapsed = False
        self.whole = True
        """Whether nothing was dropped."""
        self.found: dict[Fact, int | None] = {}
        self._looked_at: set[tuple[State, int]] = set()
        self._note_states(self.reached)

    def answers(self, *asked: Kind) -> Answers:
        while self.round < ROUNDS and self.whole and not self.collapsed:
            self._advance()
        known = {fact: k for fact, k in self.found.items() if self.whole or k != self.round}
        last = self.round if self.whole else self.round - 1
        return Answers(asked, known, None if self.collapsed else last)

    def steps(self, state: State, thread: int) -> list[State]:
        shared, stacks = state
        if not stacks[thread]:
            return []
        found = []
        for target, word in self.meaning.rules(thread, shared, stacks[thread][0]):
            after = word + stacks[thread][1:]
            if len(after) > self.depth:
                self.whole = False
            else:
                found.append((target, (*stacks[:thread], after, *stacks[thread + 1 :])))
        return found

    def _advance(self) -> None:
        self.round += 1
        before, now = self.reached, set(self.reached)
        for thread in range(len(self.kinds)):
            found, waiting = set(before), list(before)
            while waiting:
                state = waiting.pop()
                self._note_passed(state, thread)
                for after in self.steps(state, thread):
                    if after not in found:
                        found.add(after)
                        waiting.append(after)
                if len(found) > MOST:
                    raise TooLargeError
            now |= found
        self.reached = now
        self.collapsed = self.whole and now == before
        self._note_states(now - before)

    def _note_states(self, states: set[State]) -> None:
        for state in states:
            for stack in state[1]:
                if stack and stack[0].point > self.meaning.layout.waiting:
                    violated = stack[0].point - self.meaning.layout.violation(0)
                    self._note(Fact("unsafe"), Fact("violated", (violated,)))
            if not self.is_halted(state):
                places = [place for place in self._places(state) if place is not None]
                for place in places:
                    self._note_place(place)
                for pair in combinations(places, 2):
                    self._note(Fact("together", tuple(sorted(pair))))
                threads = range(len(self.kinds))
                busy = any(self._is_busy(state[0], thread, state[1][thread]) for thread in threads)
                if busy and self._is_stuck(state):
                    self._note(Fact("deadlock"))

    def _is_stuck(self, state: State) -> bool:
        """Whether no thread can move, for some values of the variables that have none."""
        cases = [state[0]]
        for thread, stack in enumerate(state[1]):
            if stack:
                found = [self.meaning.stuck(thread, case, stack[0]) for case in cases]
                cases = [case for some in found for case, _ in some]
        return bool(cases)

    def _is_busy(self, shared: SharedState, thread: int, stack: tuple[Frame, ...]) -> bool:
        """Whether a thread exists and is not over."""
        layout = self.meaning.layout
        if stack != (Frame(layout.waiting),):
            return bool(stack)
        return shared[layout.created(layout.program.threads[self.kinds[thread]])] == 1

    def _note_passed(self, state: State, thread: int) -> None:
        """What a step in this round passes without resting there."""
        stack = state[1][thread]
        if not stack or (state, thread) in self._looked_at:
            return
        self._looked_at.add((state, thread))
        places = self._places(state)
        for point in self.meaning.covered(thread, state[0], stack[0]):
            passed = self._place(self.kinds[thread], point)
            self._note_place(passed)
            edges = self.meaning.program.by_name[passed[1]].leaving[passed[2]]
            if any(isinstance(edge, Receive) for edge in edges):
                continue
            for other, rests in enumerate(places):
                if other != thread and rests is not None:
                    self._note(Fact("together", tuple(sorted((passed, rests)))))

    def _note_place(self, place: Place) -> None:
        self._note(Fact("covered", (place,)))
        location = self.meaning.program.by_name[place[1]].locations[place[2]]
        self._note(*(Fact("label", (label,)) for label in location.labels))

    def _note(self, *facts: Fact) -> None:
        for fact in facts:
            self.found.setdefault(fact, self.round)

    def _places(self, state: State) -> list[Place | None]:
        waiting = self.meaning.layout.waiting
        return [
            self._place(kind, stack[0].point) if stack and stack[0].point < waiting else None
            for kind, stack in zip(self.kinds, state[1], strict=True)
        ]

    def _place(self, kind: int, point: int) -> Place:
        procedure, location = self.meaning.layout.locations[point]
        program = self.meaning.program
        return program.threads[kind].name, program.procedures[procedure].name, location

    def is_halted(self, state: State) -> bool:
        hidden = self.meaning.layout.hidden
        return "halted" in hidden and state[0][hidden["halted"]] == 1


def cases(count: int, offset: int) -> Iterator[tuple[int, Program, Findings]]:
    for seed in range(offset, offset + count):
        yield seed, *random_case(Random(seed), KNOWING if seed % 4 == 3 else SMALL)


@pytest.mark.parametrize("liveness", [True, False])
def test_random_programs_mean_what_the_naive_interpreter_says(
    fuzz_systems: int, liveness: bool
) -> None:
    asked: list[Kind] = ["unsafe", "violated", "covered", "label", "together"]
    for seed, program, findings in cases(fuzz_systems // 10, offset=0):
        try:
            answers = Explorer(Meaning(program, liveness=liveness)).answers(*asked)
        except TooLargeError:
            continue
        found = {fact: k for fact, k in answers.found.items() if fact.kind != "deadlock"}
        claim = Answers(answers.asked, found, answers.contexts)
        assert compare(program, claim, findings) == [], seed


def test_deadlocks_are_those_of_the_naive_interpreter(
    fuzz_systems: int,
) -> None:
    for seed, program, findings in cases(fuzz_systems // 10, offset=1_000_000):
        if program.lock is not None and program.lock.initial is None:
            continue  # A lock that nobody has closed counts as open here, not so there.
        try:
            answers = Explorer(Meaning(program)).answers()
        except TooLargeError:
            continue
        deadlock = Fact("deadlock")
        only = {deadlock: answers.found[deadlock]} if deadlock in answers.found else {}
        claim = Answers([deadlock], only, answers.contexts)
        assert compare(program, claim, findings) == [], seed


def test_watching_adds_a_halted_state_for_each_point_covered_and_nothing_else(
    fuzz_systems: int,
) -> None:
    for seed, program, _ in cases(fuzz_systems // 20, offset=2_000_000):
        meaning = Meaning(program)
        watching = Meaning(program, probes=points_inside(program))
        explorer = Explorer(meaning)
        try:
            explorer.answers()
        except TooLargeError:
            continue
        for shared, stacks in explorer.reached:
            for thread, stack in enumerate(stacks):
                if stack and not explorer.is_halted((shared, stacks)):
                    plain = meaning.rules(thread, shared, stack[0])
                    more = watching.rules(thread, shared, stack[0])
                    covered = {word[0].point for _, word in more - plain}
                    assert plain <= more, seed
                    assert covered == meaning.covered(thread, shared, stack[0]), seed


def test_every_rule_is_explained_by_edges_that_lead_to_its_target(fuzz_systems: int) -> None:
    for seed, program, _ in cases(fuzz_systems // 20, offset=3_000_000):
        meaning = Meaning(program, probes=points_inside(program))
        explorer = Explorer(meaning)
        try:
            explorer.answers()
        except TooLargeError:
            continue
        for shared, stacks in explorer.reached:
            for thread, stack in enumerate(stacks):
                if stack:
                    for target, word in meaning.rules(thread, shared, stack[0]):
                        path = meaning.explain(thread, shared, stack[0], target, word)
                        assert path[-1].shared == target, seed
                        assert path[-1].frame == (word[0] if word else None), seed
                        assert path[0].depth == 0, seed
