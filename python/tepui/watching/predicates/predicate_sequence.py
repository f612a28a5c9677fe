"""Algorithm 1 of DrUBA for one number of threads, with abstract states of predicates.

It ends at a plateau: one more round and n − 1 more delays have shown no new abstract state. A
plateau is passed where a step from a state that was found leads to a new one, as it is known then
that more will come.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tepui.engines.sequences import DelaySequence, walk
from tepui.program.program import Program
from tepui.program.questions import Question
from tepui.watching.predicates.concrete_steps import (
    AbstractionOfPredicates,
    AbstractState,
    ConcreteSteps,
    State,
)
from tepui.watching.predicates.round_robin import Came, RoundRobin


class TooManyRounds(Exception):  # noqa: N818
    """The next step would be a round more than there may be."""


class PredicateSequence:
    """Explores with threads of these types, the first one of a type watched."""

    def __init__(
        self,
        steps: ConcreteSteps,
        abstraction: AbstractionOfPredicates,
        types: Sequence[int],
        watched: int,
        bad: BadStates,
        go_on: Callable[[], object],
    ) -> None:
        self._abstraction, self._bad = abstraction, bad
        self._watched = types.index(watched)
        self.types = types
        self.found: dict[AbstractState, None] = {}
        self.turns = RoundRobin(steps, steps.starts(types), go_on)
        self._sequence = DelaySequence(len(types))
        self._looked_at = 0
        self._violations = 0
        self.violated: tuple[Question, list[Came]] | None = None
        """What is violated, and the steps to it."""

    def run(self, rounds: int | None) -> None:
        """Go on to the first plateau, or to a violation."""
        self._look()
        for direction in walk(len(self.types), lambda: self._sequence.has_grown):
            if self.violated is not None or self._is_at_plateau():
                return
            if direction == "rounds" and self.turns.rounds == rounds:
                raise TooManyRounds
            self.turns.raised(direction)
            self._look()

    def _is_at_plateau(self) -> bool:
        return self._sequence.has_plateau and all(
            self._abstraction.abstract(state, self._watched) in self.found
            for state in self.turns.ahead
        )

    def _look(self) -> None:
        """Look at what the last bound has added."""
        turns = self.turns
        for assertion, came in turns.violations[self._violations :]:
            question = self._bad.violated(assertion)
            if question is not None and self.violated is None:
                self.violated = question, [*turns.way_to(came.before), came]
        self._violations = len(turns.violations)
        for state in turns.states[self._looked_at :]:
            self.found.setdefault(self._abstraction.abstract(state, self._watched))
            question = self._bad.question(state, self.types)
            if question is not None and self.violated is None:
                self.violated = question, turns.way_to(state)
        self._looked_at = len(turns.states)
        self._sequence.add((turns.rounds, turns.delays), len(self.found))


class BadStates:
    """What questions call bad."""

    def __init__(
        self, program: Program, questions: Sequence[Question], steps: ConcreteSteps
    ) -> None:
        self._program, self._steps = program, steps
        self._asserted = {
            point: question
            for question in questions
            if question.is_asserted
            for point in question.places[0]
        }
        self._others = [question for question in questions if not question.is_asserted]

    def violated(self, assertion: int) -> Question | None:
        """The question that asks about an assertion."""
        return self._asserted.get(self._program.layout.violation(assertion))

    def question(self, state: State, types: Sequence[int]) -> Question | None:
        """The first question that a state violates, other than by an assertion."""
        if not self._others:
            return None
        stacks = [self._steps.stack(where) for where, _ in state[1]]
        points = [stack[0] if stack else None for stack in stacks]
        return next((each for each in self._others if _is_bad(each, points)), None)


def _is_bad(question: Question, points: Sequence[int | None]) -> bool:
    """Whether one thread is at a bad place, or two different ones are."""
    if len(question.places) == 1:
        return any(point in question.places[0] for point in points)
    pairs = zip(question.places[::2], question.places[1::2], strict=True)
    return any(
        one in left and other in right
        for left, right in pairs
        for first, one in enumerate(points)
        for second, other in enumerate(points)
        if first != second
    )
