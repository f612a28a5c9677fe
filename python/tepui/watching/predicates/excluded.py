"""Whether a closed set of abstract states shows that something bad is not reachable, by a solver.

Bad is a thread at a place, a violated assertion, or two different threads at two places. Threads of
one type are equal: if one of the watched type may be there, the watched one may be. If none of the
threads is of that type, the watched thread may see anything in the set.
"""

from __future__ import annotations

from collections.abc import Iterator

from tepui.checker.invariants.invariant import Stack
from tepui.program.questions import Question
from tepui.watching.predicates.closure_queries import ClosureQueries
from tepui.watching.predicates.picture_queries import Decided, PictureQueries, together
from tepui.watching.predicates.pictured_states import Named
from tepui.watching.predicates.predicate_terms import WATCHED

_Bad = tuple[int, Stack]
"""A thread of a type, and where it stands."""


def excluded(closure: ClosureQueries, queries: PictureQueries, question: Question) -> Decided:
    """Whether what a question calls bad is not reachable, given that the set is closed."""
    if question.is_asserted:
        return together(_no_violation(closure, queries, question))
    if len(question.places) == 1:
        return together(
            closure.excludes(_named(queries, [bad])) for bad in _at(queries, question.places[0])
        )
    pairs = zip(question.places[::2], question.places[1::2], strict=True)
    return together(
        closure.excludes(_named(queries, [one, other]))
        for left, right in pairs
        for one in _at(queries, left)
        for other in _at(queries, right)
    )


def _no_violation(
    closure: ClosureQueries, queries: PictureQueries, question: Question
) -> Iterator[Decided]:
    layout = queries.paths.program.layout
    for thread, stacks in enumerate(queries.paths.stacks):
        for stack in stacks:
            for path in queries.paths.of(thread, stack):
                assertion = path.violated
                if assertion is not None and layout.violation(assertion) in question.places[0]:
                    yield closure.excludes(_named(queries, [(thread, stack)]), path)


def _at(queries: PictureQueries, points: tuple[int, ...]) -> Iterator[_Bad]:
    """The threads that stand at some points."""
    for thread, stacks in enumerate(queries.paths.stacks):
        for stack in stacks:
            if stack and stack[0] in points:
                yield thread, stack


def _named(queries: PictureQueries, bad: list[_Bad]) -> list[Named]:
    """The threads, the watched one first, if one of them can be that."""
    bad = sorted(bad, key=lambda each: each[0] != queries.watched)
    roles = [f"b{number}" for number in range(len(bad))]
    if bad[0][0] == queries.watched:
        roles[0] = WATCHED
    return [Named(role, *each) for role, each in zip(roles, bad, strict=True)]
