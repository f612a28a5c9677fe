"""Whether a set of abstract states is closed (Definition 6), by a solver.

The abstract states of all initial states must be in the set, and those after every step from a
state whose abstract state is in it. All actions are looked at, and not only the disrespectful ones.
By induction the set has the abstract states of all reachable states. If it was collected from
reachable states, it has no others. Nothing else is needed, neither plateaus nor respect.

*As all threads see it.* Threads of one type are equal. So in a reachable state not only the watched
thread, but every thread of its type sees an abstract state of the set. Where a step leads out of
the set by Definition 6, the question is asked once more about states in which this holds of the
thread that moves, too, and of all that are needed as witnesses for what is seen after the step.
That is an induction as well: that every thread of the type sees an abstract state of the set is so
at the start, and after every step, as any of them may be the watched one.

How many witnesses a picture has then: first those for the values after the step, which see abstract
states of the set; then those for what the watched thread, the one that moves, and each of the first
witnesses see before the step. Of these last ones, only the predicates are used that are not about
other threads: the others would need witnesses of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tepui.checker.invariants.invariant import Stack
from tepui.checker.invariants.terms import Term
from tepui.checker.invariants.thread_paths import Path
from tepui.records import record
from tepui.watching.predicates.concrete_steps import AbstractState
from tepui.watching.predicates.picture_queries import (
    Action,
    Decided,
    PictureQueries,
    TooManyThreads,
    opposite,
    together,
)
from tepui.watching.predicates.pictured_states import (
    Mover,
    Named,
    Picture,
    Truths,
    is_one_of,
    witnesses,
)
from tepui.watching.predicates.predicate_terms import WATCHED


@record
class Escape:
    """A step that leads out of a set of abstract states; if there is none before, the start."""

    before: AbstractState | None
    after: AbstractState


@record
class Closed:
    """Whether a set is closed under an action, and a step that leads out of it by Definition 6.

    If it is closed and there is such a step, then it is closed as all threads see it.
    """

    decided: Decided
    escape: Escape | None = None


class ClosureQueries:
    """Asks whether one set of abstract states is closed."""

    def __init__(self, queries: PictureQueries, abstract_states: Sequence[AbstractState]) -> None:
        self._queries, self._states = queries, abstract_states
        self._terms, self._paths = queries.terms, queries.paths
        self._after = witnesses(queries.predicates, None).total
        """How many witnesses there may be for the values after a step."""

    def start(self) -> Closed:
        """Whether the abstract states of all initial states are in the set."""
        stack = self._paths.start(self._queries.watched)
        try:
            picture = self._queries.picture([self._queries.named_watched(stack)], self._after)
        except TooManyThreads:
            return Closed("unknown")
        ((_, _, truths),) = picture.truths()
        asserted = list(self._initial(picture))
        asserted.append(self._terms.negation(self._is_inside(stack, truths)))
        answer = self._queries.can_be(asserted, (picture, ()))
        if answer != "yes":
            return Closed(opposite(answer))
        values = self._queries.values(asserted, truths, picture, ())
        return Closed("no", Escape(None, (stack, values)))

    def under(self, action: Action) -> Closed:
        """Whether the set is closed under an action."""
        answers = [
            self._step(action, path, stack)
            for stack in self._queries.seen_from(action)
            for path in self._queries.steps(action.thread, action.stack)
        ]
        escape = next((each.escape for each in answers if each.escape is not None), None)
        decided = together(each.decided for each in answers)
        if decided == "no":
            escape = next(each.escape for each in answers if each.decided == "no")
        return Closed(decided, escape)

    def excludes(self, named: Sequence[Named], path: Path | None = None) -> Decided:
        """If the set is closed: whether these threads never stand where they do, all of them at
        once, with the first one about to take a path."""
        if any(each.role == WATCHED for each in named):
            cases = [list(named)]
        else:
            stacks = dict.fromkeys(stack for stack, _ in self._states)
            cases = [[self._queries.named_watched(stack), *named] for stack in stacks]
        return together(self._excludes(case, named[0].role, path) for case in cases)

    def _excludes(self, named: Sequence[Named], role: str, path: Path | None) -> Decided:
        watched = next(each for each in named if each.role == WATCHED)
        here = [each for each in self._states if each[0] == watched.stack]
        if not here or not self._queries.may_be(named):
            return "yes"
        try:
            picture = self._queries.picture(named, witnesses(self._queries.predicates, here).total)
        except TooManyThreads:
            return "unknown"
        movers = [] if path is None else [Mover(role, path)]
        ((_, stack, truths),) = picture.truths()
        asserted = [self._is_inside(stack, truths), *map(picture.condition, movers)]
        return opposite(self._queries.can_be(asserted, (picture, movers)))

    def _step(self, action: Action, path: Path, stack: Stack) -> Closed:
        """Whether steps on a path, seen from somewhere, lead into the set."""
        here = [each for each in self._states if each[0] == stack]
        named = self._queries.threads_of(action, stack)
        if not here or not self._queries.may_be(named):
            return Closed("yes")
        mover = self._queries.mover(action, path)
        further = self._after + witnesses(self._queries.predicates, here).total
        try:
            picture = self._queries.picture(named, further)
        except TooManyThreads:
            return Closed("unknown")
        asserted, before, (after_stack, after) = self._leaving(picture, mover)
        if asserted is None:
            return Closed("yes")
        answer = self._queries.can_be(asserted, (picture, [mover]))
        if answer == "no":
            return Closed("yes")
        escape = None
        if answer == "yes":
            values = self._queries.values(asserted, before, picture, [mover])
            asserted.append(is_one_of(self._terms, stack, before, [(stack, values)]))
            values_after = self._queries.values(asserted, after, picture, [mover])
            escape = Escape((stack, values), (after_stack, values_after))
        if self._as_all_see_it(named, mover) == "yes":
            return Closed("yes", escape)
        return Closed(opposite(answer), escape)

    def _as_all_see_it(self, named: Sequence[Named], mover: Mover) -> Decided:
        """Whether steps of a mover lead into the set from states that all see inside of it."""
        queries = self._queries
        needed = witnesses(queries.predicates, self._states)
        seeing = 1 + self._after + len(named)
        further = self._after + needed.common + needed.own * seeing
        try:
            picture = queries.picture(named, further)
        except TooManyThreads:
            return "unknown"
        asserted, _, _ = self._leaving(picture, mover)
        if asserted is None:
            return "yes"
        roles = [
            each.role for each in named if each.thread == queries.watched and each.role != WATCHED
        ]
        of_type = [role for thread, role in picture.further if thread == queries.watched]
        first = len(of_type) if queries.has_all(named) else self._after
        for role in (*roles, *of_type[:first]):
            asserted += self._sees(picture.truths(role))
        for role in of_type[first:]:
            asserted += self._sees(picture.truths(role, only_alone=True))
        return opposite(queries.can_be(asserted, (picture, [mover])))

    def _sees(self, seen: Sequence[tuple[Term, Stack, Truths]]) -> Iterator[Term]:
        """That a thread sees an abstract state of the set, wherever it is."""
        for condition, stack, truths in seen:
            yield self._terms.implication(condition, self._is_inside(stack, truths))

    def _leaving(
        self, picture: Picture, mover: Mover
    ) -> tuple[list[Term] | None, Truths, tuple[Stack, Truths]]:
        """That a step leads out of the set, None if it changes nothing; and what the watched
        thread sees before and after it."""
        ((_, stack, before),) = picture.truths()
        after_stack, after = picture.truths_after(mover)
        if (after_stack, after) == (stack, before):
            return None, before, (after_stack, after)
        asserted = [
            self._is_inside(stack, before),
            picture.condition(mover),
            self._terms.negation(self._is_inside(after_stack, after)),
        ]
        return asserted, before, (after_stack, after)

    def _is_inside(self, stack: Stack, truths: Truths) -> Term:
        return is_one_of(self._terms, stack, truths, self._states)

    def _initial(self, picture: Picture) -> Iterator[Term]:
        """That a picture is one of an initial state."""
        terms, paths = self._terms, self._paths
        for name, value in paths.initial_shared().items():
            if value is not None:
                yield terms.equal(terms.variable(name), terms.constant(value))
        for each in picture.named:
            yield from self._initial_own(each.role, each.stack)
        for thread, role in picture.further:
            start = paths.start(thread)
            number = paths.stacks[thread].index(start)
            place = terms.variable(f"{role}.place")
            elsewhere = (-1, number)
            yield terms.disjunction(terms.equal(place, terms.constant(n)) for n in elsewhere)
            yield from self._initial_own(f"{role}.{number}", start)

    def _initial_own(self, role: str, stack: Stack) -> Iterator[Term]:
        terms = self._terms
        for name, value in self._paths.initial_locals(stack).items():
            if value is not None:
                yield terms.equal(terms.variable(f"{role}.{name}"), terms.constant(value))
