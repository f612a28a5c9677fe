"""Which actions respect an abstraction made of predicates (Definition 4), by a solver.

Two steps of an action, from any states with the same abstract state, must lead to states with the
same one. States are all that the types allow, reachable or not; the paper does not say which it
means, and a predicate can say more, such as `m >= 0`.

Where an action is disabled it has no step, and nothing is asked. That is less than Theorem 7 needs,
but nothing is concluded from respect (see `closure_queries`): it says where to look.
"""

from __future__ import annotations

from collections.abc import Iterator

from tepui.checker.invariants.invariant import Stack
from tepui.checker.invariants.terms import Term
from tepui.checker.invariants.thread_paths import Path
from tepui.watching.predicates.picture_queries import (
    Action,
    Decided,
    PictureQueries,
    TooManyThreads,
    opposite,
    together,
)
from tepui.watching.predicates.pictured_states import Picture, Truths, witnesses


def respects(queries: PictureQueries, action: Action) -> Decided:
    """Whether an action respects the abstraction."""
    return together(
        answer for stack in queries.seen_from(action) for answer in _answers(queries, action, stack)
    )


def _answers(queries: PictureQueries, action: Action, stack: Stack) -> Iterator[Decided]:
    """For any two paths of an action, while the watched thread stands somewhere."""
    named = queries.threads_of(action, stack)
    if not queries.may_be(named):
        return
    further = 2 * witnesses(queries.predicates, None).total
    try:
        one, other = (queries.picture(named, further, copy) for copy in ("1:", "2:"))
    except TooManyThreads:
        yield "unknown"
        return
    paths = queries.steps(action.thread, action.stack)
    for number, path in enumerate(paths):
        for second in paths[: number + 1]:
            yield _same_after(queries, action, (one, path), (other, second))


def _same_after(
    queries: PictureQueries,
    action: Action,
    one: tuple[Picture, Path],
    other: tuple[Picture, Path],
) -> Decided:
    """Whether two paths lead from states with one abstract state to states with one."""
    before, after, asserted, pictures = [], [], list[Term](), []
    for picture, path in (one, other):
        mover = queries.mover(action, path)
        ((_, _, truths),) = picture.truths()
        before.append(truths)
        after.append(picture.truths_after(mover))
        asserted.append(picture.condition(mover))
        pictures.append((picture, [mover]))
    asserted.append(_equal(queries, *before))
    if after[0][0] == after[1][0]:
        if [each[1] for each in after] == before:
            return "yes"
        asserted.append(queries.terms.negation(_equal(queries, after[0][1], after[1][1])))
    return opposite(queries.can_be(asserted, *pictures))


def _equal(queries: PictureQueries, one: Truths, other: Truths) -> Term:
    """Whether predicates have the same values in two states in which they have some."""
    terms = queries.terms
    return terms.conjunction(
        terms.equal(left, right)
        for left, right in zip(one, other, strict=True)
        if left is not None and right is not None
    )
