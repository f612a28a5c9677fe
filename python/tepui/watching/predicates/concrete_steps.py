"""The steps of the threads of a program on integers as they are, one path at a time.

A state is the values of the shared variables and, for each thread, the number of where it stands
and the values of its local variables. A step is a path of the checker's symbolic semantics: what a
thread does from where it rests to where it rests next, or to a violation. So what is explored and
what a solver is asked are about the same steps.

Where a step or the start chooses among infinitely many integers, only those up to LARGEST are
tried. Then not all states are found; those that are found are reachable all the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain, product
from math import prod
from typing import Any

from tepui.checker.invariants.invariant import Stack
from tepui.checker.invariants.thread_paths import Path, Paths
from tepui.checker.invariants.values import Range, range_of
from tepui.errors import UsageError
from tepui.records import record
from tepui.watching.predicates.compiled_terms import compiled
from tepui.watching.predicates.predicate_terms import WATCHED, PredicateTerms, Standing
from tepui.watching.predicates.predicate_text import Predicate

Values = tuple[int, ...]

Thread = tuple[int, Values]
"""The number of where a thread stands, and its local variables."""

State = tuple[Values, tuple[Thread, ...]]

AbstractState = tuple[Stack, tuple[bool | None, ...]]
"""Where the watched thread is, and the truth value of each predicate; None for no value."""

LARGEST = 2
"""The largest integer that is chosen where any could be."""

_MOST_CHOICES = 10_000

_MOST_STARTS = 10_000


@record
class Violation:
    """A step that violates an assertion, by its number in the layout."""

    assertion: int


@record
class _Step:
    """A path as a function, with all that its variables of its own may be."""

    path: Path
    after: int
    run: Callable[..., tuple[Values, Values] | None]
    choices: tuple[Values, ...]


class ConcreteSteps:
    """What the threads of a program can do."""

    def __init__(self, paths: Paths) -> None:
        self._paths = paths
        self._shared = list(paths.shared)
        self._stacks: list[tuple[int, Stack]] = []
        self._numbers: dict[tuple[int, Stack], int] = {}
        for thread, stacks in enumerate(paths.stacks):
            for stack in stacks:
                self._numbers[thread, stack] = len(self._stacks)
                self._stacks.append((thread, stack))
        self._locals = [list(paths.locals(stack)) for _, stack in self._stacks]
        self._steps: dict[int, list[_Step]] = {}
        self.has_left_out = False
        """Whether there were integers that were not tried."""

    def stack(self, number: int) -> Stack:
        """Where a thread stands, by its number."""
        return self._stacks[number][1]

    def standing(self, thread: int, stack: Stack) -> int:
        """The number of where a thread of a type stands."""
        return self._numbers[thread, stack]

    def starts(self, types: Sequence[int]) -> list[State]:
        """The initial states with threads of these types."""
        shared = self._paths.initial_shared()
        ranges = [
            self._initial(shared[name], range_of(self._paths.shared[name])) for name in shared
        ]
        standing, own = [], []
        for thread in types:
            stack = self._paths.start(thread)
            kinds = self._paths.locals(stack)
            initial = self._paths.initial_locals(stack)
            standing.append(self.standing(thread, stack))
            own.append([self._initial(initial[name], range_of(kinds[name])) for name in kinds])
        # A product lists all of its factors at once, so they are counted first.
        if _tuples([*ranges, *chain.from_iterable(own)]) > _MOST_STARTS:
            raise UsageError(
                f"{self._paths.program.name} has more than {_MOST_STARTS:,} initial states: give "
                "variables initial values"
            )
        threads = [
            [(where, each) for each in product(*values)]
            for where, values in zip(standing, own, strict=True)
        ]
        return list(product(product(*ranges), product(*threads)))

    def after(self, state: State, thread: int) -> Iterator[tuple[Path, State | Violation]]:
        """The steps of a thread in a state, and where they lead."""
        shared, threads = state
        where, own = threads[thread]
        for step in self._of(where):
            for choice in step.choices:
                found = step.run(shared, own, choice, thread + 1)
                if found is None:
                    continue
                if step.path.violated is not None:
                    yield step.path, Violation(step.path.violated)
                    continue
                new_shared, new_own = found
                moved = (*threads[:thread], (step.after, new_own), *threads[thread + 1 :])
                yield step.path, (new_shared, moved)

    def _of(self, where: int) -> list[_Step]:
        if where not in self._steps:
            thread, stack = self._stacks[where]
            self._steps[where] = [
                self._compiled(where, thread, path) for path in self._paths.of(thread, stack)
            ]
        return self._steps[where]

    def _compiled(self, where: int, thread: int, path: Path) -> _Step:
        terms = self._paths.terms
        names = {name: f"g[{number}]" for number, name in enumerate(self._shared)}
        names |= {f"@.{name}": f"l[{number}]" for number, name in enumerate(self._locals[where])}
        names |= {name: f"c[{number}]" for number, (name, _) in enumerate(path.fresh)}
        names["@.self"] = "me"
        after = where if path.violated is not None else self.standing(thread, path.after)
        kept = [] if path.violated is not None else [f"@.{name}" for name in self._locals[after]]
        changed = {} if path.violated is not None else path.changed
        results = [changed.get(n, terms.variable(n)) for n in (*self._shared, *kept)]
        flat = compiled(terms, ("g", "l", "c", "me"), names, path.condition, results)
        split = len(self._shared)

        def run(*given: Any) -> tuple[Values, Values] | None:
            found = flat(*given)
            return None if found is None else (found[:split], found[split:])

        ranges = [self._values(each) for _, each in path.fresh]
        if _tuples(ranges) > _MOST_CHOICES:
            raise UsageError(f"a step has more than {_MOST_CHOICES:,} choices")
        return _Step(path, after, run, tuple(product(*ranges)))

    def _initial(self, initial: int | None, values: Range) -> range:
        return self._values(values) if initial is None else range(initial, initial + 1)

    def _values(self, values: Range) -> range:
        low, high = values
        if low is None or high is None:
            self.has_left_out = True
        return range(-LARGEST if low is None else low, 1 + (LARGEST if high is None else high))


class AbstractionOfPredicates:
    """Maps states to abstract states. The watched thread is the first of its type."""

    def __init__(
        self, about: PredicateTerms, steps: ConcreteSteps, predicates: Sequence[Predicate]
    ) -> None:
        self._about, self._steps, self._predicates = about, steps, predicates
        self._compiled: dict[tuple[int, tuple[int, ...]], _Values] = {}

    def abstract(self, state: State, watched: int) -> AbstractState:
        """The abstract state of a state."""
        shared, threads = state
        one = threads[watched]
        others = sorted((*threads[:watched], *threads[watched + 1 :]))
        key = one[0], tuple(where for where, _ in others)
        if key not in self._compiled:
            self._compiled[key] = self._new(*key)
        values = self._compiled[key](shared, one[1], *(own for _, own in others))
        return self._steps.stack(one[0]), values

    def _new(self, where: int, others: tuple[int, ...]) -> _Values:
        terms, paths = self._about.terms, self._about.paths
        watched = Standing(WATCHED, self._steps.stack(where))
        standing = [Standing(f"o{n}", self._steps.stack(each)) for n, each in enumerate(others)]
        found = [
            self._about.truth(predicate, watched, [[(terms.true, one)] for one in standing])
            for predicate in self._predicates
        ]
        names = {name: f"g[{number}]" for number, name in enumerate(paths.shared)}
        for one in (watched, *standing):
            for number, name in enumerate(paths.locals(one.stack)):
                names[f"{one.role}.{name}"] = f"{one.role}[{number}]"
        roles = ("g", WATCHED, *(one.role for one in standing))
        given = [term for term in found if term is not None]
        run = compiled(terms, roles, names, terms.true, given)
        if len(given) == len(found):
            return run

        def with_none(*values: Mapping[str, int]) -> tuple[bool | None, ...]:
            results = iter(run(*values))
            return tuple(None if term is None else next(results) for term in found)

        return with_none


def _tuples(ranges: Sequence[range]) -> int:
    """How many tuples there are with a value of each range, which may be larger than `len` can
    say."""
    return prod(max(0, each.stop - each.start) for each in ranges)


_Values = Callable[..., tuple[bool | None, ...]]
