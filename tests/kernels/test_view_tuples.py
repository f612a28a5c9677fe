"""What the paper on jMoped says of view tuples, against brute force: Theorem 1 for any number of
threads, safe partitions, and its example.

The networks here are finite: a local state stands for a whole stack.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import combinations, product
from random import Random

from support.samples.handmade_programs import assign, equal, procedure, program, step, variable
from support.sizes import sized
from tepui.kernels.door import ViewSearch, system_kernel
from tepui.kernels.lowered_system import lower
from tepui.kernels.program_fields import LoweringOptions
from tepui.model import Property
from tepui.program.program import Thread
from tepui.program.types import Bounded

View = frozenset[tuple[int, int]]
"""Pairs of a shared state and a local one."""

Tuple = tuple[View, ...]
Steps = frozenset[tuple[tuple[int, int], tuple[int, int]]]
Global = tuple[int, ...]
"""A shared state, and a local one for each thread."""

Reached = frozenset[tuple[int, int, int]]
"""U: from which shared state the thread that runs comes to which shared and which local one."""


def meaning(views: Tuple) -> set[Global]:
    locals_ = [sorted({local for _, local in view}) for view in views]
    return {
        (shared, *chosen)
        for shared in {shared for shared, _ in views[0]}
        for chosen in product(*locals_)
        if all((shared, local) in view for view, local in zip(views, chosen, strict=True))
    }


def closure(steps: Steps, start: tuple[int, int]) -> set[tuple[int, int]]:
    found, unseen = {start}, [start]
    while unseen:
        at = unseen.pop()
        for source, target in steps:
            if source == at and target not in found:
                found.add(target)
                unseen.append(target)
    return found


def reached_by(steps: Steps, view: View) -> Reached:
    return frozenset(
        (shared, *after) for shared, local in view for after in closure(steps, (shared, local))
    )


def context(steps: Steps, thread: int, states: Iterable[Global]) -> set[Global]:
    found = set()
    for shared, *locals_ in states:
        for after, local in closure(steps, (shared, locals_[thread])):
            found.add((after, *locals_[:thread], local, *locals_[thread + 1 :]))
    return found


def confluent(reached: Reached, one: int, other: int) -> bool:
    """Definition 2."""
    targets = [{after for shared, after, _ in reached if shared == at} for at in (one, other)]
    return one != other and bool(targets[0] & targets[1])


def algorithm_2(
    rng: Random, shared: Sequence[int], confluent: Callable[[int, int], bool]
) -> list[frozenset[int]]:
    """The partition as the paper computes it. It also holds here that one pass of the inner loop is
    enough, whatever the order is."""
    order = {value: place for place, value in enumerate(rng.sample(shared, len(shared)))}
    may = {(x, y) for x in shared for y in shared if not confluent(x, y)}
    classes = []
    while may:
        _, second = rng.choice(sorted(may))
        some = {x for x, y in may if y == second}
        passes = 0
        while bad := {x for x in some for y in some if order[x] < order[y] and (x, y) not in may}:
            assert second not in bad
            some -= bad
            passes += 1
        assert passes <= 1
        classes.append(frozenset(some))
        may = {(x, y) for x, y in may if x not in some and y not in some}
    return classes


def split(
    views: Tuple, thread: int, reached: Reached, classes: Iterable[frozenset[int]]
) -> list[Tuple]:
    """Equations (1) and (2), for any number of threads."""
    moves = {(shared, after) for shared, after, _ in reached}
    found = []
    for some in classes:
        of_class = []
        for other, view in enumerate(views):
            if other == thread:
                pairs = {(after, local) for shared, after, local in reached if shared in some}
            else:
                pairs = {
                    (after, local)
                    for shared, local in view
                    for before, after in moves
                    if before == shared and shared in some
                }
            of_class.append(frozenset(pairs))
        found.append(tuple(of_class))
    return found


def random_steps(rng: Random, shared: int, locals_: int) -> Steps:
    def state() -> tuple[int, int]:
        return rng.randrange(shared), rng.randrange(locals_)

    return frozenset((state(), state()) for _ in range(rng.randrange(1, 9)))


def random_view(rng: Random, shared: int, locals_: int) -> View:
    pairs = list(product(range(shared), range(locals_)))
    return frozenset(rng.sample(pairs, rng.randrange(1, len(pairs))))


def test_theorem_1_holds_for_any_number_of_threads() -> None:
    larger = unsafe_differs = 0
    for seed in range(sized(4000)):
        rng = Random(seed)
        shared, locals_, threads = rng.randrange(2, 5), rng.randrange(1, 4), rng.randrange(2, 5)
        views = tuple(random_view(rng, shared, locals_) for _ in range(threads))
        steps, thread = random_steps(rng, shared, locals_), rng.randrange(threads)
        reached = reached_by(steps, views[thread])
        expected = context(steps, thread, meaning(views))

        def apart(one: int, other: int, reached: Reached = reached) -> bool:
            return confluent(reached, one, other)

        classes = algorithm_2(rng, range(shared), apart)
        assert sorted(value for some in classes for value in some) == list(range(shared))
        assert not any(apart(x, y) for some in classes for x, y in combinations(some, 2))
        union = set().union(*map(meaning, split(views, thread, reached, classes)))
        assert union == expected, seed
        larger += len(classes) < shared
        one = set().union(*map(meaning, split(views, thread, reached, [frozenset(range(shared))])))
        assert one >= expected
        unsafe_differs += one != expected
    assert larger > 100
    assert unsafe_differs > 100


def _many_differ(views: Tuple, thread: int, reached: Reached, one: int, other: int) -> bool:
    """Whether more than one thread has something else at two shared states."""
    count = 0
    for number, view in enumerate(views):
        if number != thread:
            at = [{local for shared, local in view if shared == each} for each in (one, other)]
            count += at[0] != at[1]
    made = [
        {(after, local) for shared, after, local in reached if shared == x} for x in (one, other)
    ]
    both = {after for after, _ in made[0]} & {after for after, _ in made[1]}
    ends = [{(after, local) for after, local in some if after in both} for some in made]
    return count + (ends[0] != ends[1]) > 1


def test_where_one_thread_differs_nothing_need_be_apart() -> None:
    """What sparing splitting relies on. All views have the same shared states."""
    fewer = 0
    for seed in range(sized(6000)):
        rng = Random(seed)
        shared, locals_, threads = rng.randrange(2, 5), rng.randrange(1, 3), rng.randrange(2, 5)
        drawn = tuple(random_view(rng, shared, locals_) for _ in range(threads))
        common = {value for value in range(shared) if all(value in dict(view) for view in drawn)}
        views = tuple(frozenset(p for p in view if p[0] in common) for view in drawn)
        steps, thread = random_steps(rng, shared, locals_), rng.randrange(threads)
        reached = reached_by(steps, views[thread])
        expected = context(steps, thread, meaning(views)) if common else set()

        def apart(
            one: int,
            other: int,
            reached: Reached = reached,
            views: Tuple = views,
            thread: int = thread,
        ) -> bool:
            return confluent(reached, one, other) and _many_differ(
                views, thread, reached, one, other
            )

        classes = algorithm_2(rng, sorted(common), apart)
        union = set().union(*map(meaning, split(views, thread, reached, classes)), set())
        assert union == expected, seed
        lazy = algorithm_2(rng, sorted(common), partial(confluent, reached))
        fewer += len(classes) < len(lazy)
    assert fewer > 50


def test_a_larger_clique_may_be_left_out_by_algorithm_2() -> None:
    """A path of confluent values: the printed algorithm removes both neighbours of a value that is
    removed itself, so it makes more classes than are needed."""
    near = {(0, 1), (1, 0), (1, 2), (2, 1)}
    counts = {
        len(algorithm_2(Random(seed), range(4), lambda x, y: (x, y) in near)) for seed in range(50)
    }
    assert counts == {2, 3}


def test_the_example_of_the_paper_is_two_tuples() -> None:
    """Section 2.4: C_0 is no view tuple, but two. Section 3.1: g and g' are confluent, so a safe
    partition is {g, g''}, {g'}. U_2 has (g, g, a) and (g', g', a) as well, which the paper leaves
    out: doing nothing is a run."""
    first: Steps = frozenset({((0, 0), (1, 1))})
    second: Steps = frozenset({((0, 0), (2, 0)), ((1, 0), (2, 1))})
    start: set[Global] = {(0, 0, 0)}
    once = context(first, 0, start) | context(second, 1, start)
    twice = context(first, 0, once) | context(second, 1, once)
    assert twice == {(0, 0, 0), (1, 1, 0), (2, 0, 0), (2, 1, 1)}
    views: Tuple = (frozenset({(0, 0), (1, 1)}), frozenset({(0, 0), (1, 0)}))
    assert meaning(views) == {(0, 0, 0), (1, 1, 0)}
    reached = reached_by(second, views[1])
    assert reached == {(0, 0, 0), (0, 2, 0), (1, 1, 0), (1, 2, 1)}
    assert confluent(reached, 0, 1)
    assert not confluent(reached, 0, 2)
    parts = split(views, 1, reached, [frozenset({0, 2}), frozenset({1})])
    assert [meaning(part) for part in parts] == [{(0, 0, 0), (2, 0, 0)}, {(1, 1, 0), (2, 1, 1)}]


def test_the_search_finds_the_tuples_of_the_example() -> None:
    """Shared states g, g', g'' are 0, 1, 2; a and b are locations 0 and 1. From the tuple of the
    first thread, a context of the second one gives two, the first of which is there already."""
    shared = variable("g", Bounded(0, 2))
    about = program(
        procedure("one", step(0, 1, assign(shared, 1), guard=equal(shared, 0)), step(1, 1)),
        procedure(
            "two",
            step(0, 0, assign(shared, 2), guard=equal(shared, 0)),
            step(0, 1, assign(shared, 2), guard=equal(shared, 1)),
            step(1, 1),
        ),
        shared=(shared,),
        threads=(Thread("one", "one"), Thread("two", "two")),
    )
    expected = {(0, 0, 0): 0, (1, 1, 0): 1, (2, 0, 0): 1, (2, 1, 1): 2}
    kernel = system_kernel(lower(about, LoweringOptions(), Property()))
    points = [about.layout.point(procedure, 0) for procedure in (0, 1)]
    for splitting in ("eager", "lazy", "sparing"):
        search = ViewSearch(kernel, [], splitting)
        while not search.has_collapsed:
            search.advance()
        for at in product(range(3), range(2), range(2)):
            stacks = [[(first + number, ())] for first, number in zip(points, at[1:], strict=True)]
            hidden = [0 for _ in about.layout.shared_cells[1:]]
            found = search.reaches([at[0], *hidden], stacks)
            assert found == expected.get(at), (splitting, at)
        assert search.tuples == [1, 2, 1, 0]
