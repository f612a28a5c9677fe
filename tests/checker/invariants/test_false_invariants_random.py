"""No false invariant is accepted: random finite programs, with one thread more than is observed.

Brute force explores instances of the program. What it reaches there, seen from the observed
threads, is a candidate, as it is or damaged. A candidate that a reachable state does not satisfy,
or that is asked about something reachable, must be rejected.
"""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import permutations, product
from math import prod
from random import Random

import pytest
from checker.invariants.test_thread_paths_random import random_passed, without_bare_ends

from support.concrete_paths import (
    Threaded,
    TooManyError,
    local_names,
    meaning_of,
    outcomes_by_meaning,
    shared_names,
)
from support.generators.programs import KNOWING, SMALL, Sizes, any_program
from support.sizes import sized
from tepui.checker.evidence import Bad
from tepui.checker.invariants.invariant import Counter, Definition, Invariant, Stack
from tepui.checker.invariants.obligations import check_with
from tepui.checker.invariants.solver import Solver
from tepui.checker.invariants.terms import Terms
from tepui.checker.invariants.thread_paths import Paths
from tepui.checker.invariants.values import Refused
from tepui.checker.patience import Patience
from tepui.errors import EvidenceError, TooManyOutcomes
from tepui.program.program import Procedure, Program, Receive
from tepui.program.semantics.evaluation import values_of
from tepui.program.semantics.sections import points_inside

pytestmark = pytest.mark.fuzz

MOST = 1500
"""The most states of an instance."""

Local = tuple[Stack, tuple[tuple[int, ...], ...]]
State = tuple[tuple[int, ...], tuple[Local, ...]]
Vector = tuple[Stack, ...]
Valuation = tuple[int, ...]


@dataclass
class Reached:
    """What an instance reaches."""

    program: Program
    states: set[State]
    violated: set[tuple[int, int]]
    """Types and numbers of assertions."""

    def is_bad(self, bad: Bad) -> bool:
        layout, types = self.program.layout, self.program.thread_types
        if bad[0][1] > layout.waiting:
            return (bad[0][0], bad[0][1] - layout.violation(0)) in self.violated
        for _, threads in self.states:
            places = [
                (kind, stack[0] if stack else None)
                for kind, (stack, _) in zip(types, threads, strict=True)
            ]
            if any(chosen == bad for chosen in permutations(places, len(bad))):
                return True
        return False


def explored(program: Program, passed: tuple[int, ...]) -> Reached:
    """All states in which every thread rests."""
    paths, meaning = Paths(program, passed, Terms()), meaning_of(program)
    types = program.thread_types
    found = Reached(program, set(_initial(program)), set())
    work = list(found.states)
    known: dict[tuple[int, Threaded], set[Threaded | int]] = {}
    while work:
        shared, threads = work.pop()
        for thread, (stack, values) in enumerate(threads):
            if not stack:
                continue
            key = thread, Threaded(shared, stack, values)
            if key not in known:
                known[key] = outcomes_by_meaning(meaning, thread, key[1], paths)
            for after in known[key]:
                if isinstance(after, int):
                    found.violated.add((types[thread], after))
                    continue
                moved = (after.stack, after.locals)
                state = after.shared, (*threads[:thread], moved, *threads[thread + 1 :])
                if state not in found.states:
                    found.states.add(state)
                    work.append(state)
        if len(found.states) > MOST:
            raise TooManyError
    return found


def _initial(program: Program) -> Iterator[State]:
    meaning, layout = meaning_of(program), program.layout
    shared: list[list[int]] = [
        [value] if isinstance(value, int) else list(values_of(cell.type))
        for value, cell in zip(meaning.initial_shared(), layout.shared_cells, strict=True)
    ]
    threads: list[list[Local]] = []
    for thread in range(len(program.thread_types)):
        (frame,) = meaning.initial_stack(thread)
        cells = layout.frame_cells[layout.locations[frame.point][0]] if frame.values else ()
        choices = [
            [value] if isinstance(value, int) else list(values_of(cell.type))
            for value, cell in zip(frame.values, cells, strict=True)
        ]
        threads.append([((frame.point,), (values,)) for values in product(*choices)])
    if prod(map(len, shared)) * prod(map(len, threads)) > MOST:
        raise TooManyError
    for values in product(*shared):
        for locals_ in product(*threads):
            yield values, locals_


def with_counts(program: Program, counts: Sequence[int | None]) -> Program:
    threads = tuple(
        replace(thread, count=count) for thread, count in zip(program.threads, counts, strict=True)
    )
    return replace(program, threads=threads)


@dataclass
class Candidate:
    """For each vector, which valuations of some variables are claimed."""

    names: dict[Vector, tuple[str, ...]]
    claimed: dict[Vector, set[Valuation]]

    def formula(self, vector: Vector) -> str:
        names = self.names[vector]
        cases = []
        for case in sorted(self.claimed[vector]):
            parts = (f"(= |{name}| {_text(n)})" for name, n in zip(names, case, strict=True))
            cases.append(f"(and true {' '.join(parts)})")
        return f"(or false {' '.join(cases)})"

    def definitions(self) -> tuple[Definition, ...]:
        return tuple(Definition(vector, self.formula(vector)) for vector in sorted(self.claimed))


def _text(value: int) -> str:
    return str(value) if value >= 0 else f"(- {-value})"


def seen(
    reached: Reached, observed: tuple[int, ...], counters: tuple[Counter, ...]
) -> dict[Vector, set[tuple[tuple[str, int], ...]]]:
    """What reachable states look like from the observed threads."""
    program = reached.program
    positions = [kind for kind, count in enumerate(observed) for _ in range(count)]
    types = program.thread_types
    found: dict[Vector, set[tuple[tuple[str, int], ...]]] = {}
    choices = [
        chosen
        for chosen in permutations(range(len(types)), len(positions))
        if [types[thread] for thread in chosen] == positions
    ]
    for shared, threads in reached.states:
        always = {
            name: value
            for name, value in zip(shared_names(program), shared, strict=True)
            if name is not None
        }
        for number, counter in enumerate(counters):
            always[f"c.{number}"] = sum(
                _is_counted(program, counter, kind, local)
                for kind, local in zip(types, threads, strict=True)
            )
        for chosen in choices:
            values = dict(always)
            for place, thread in enumerate(chosen):
                values |= _own(program, f"t{place}", threads[thread])
            vector = tuple(threads[thread][0] for thread in chosen)
            found.setdefault(vector, set()).add(tuple(sorted(values.items())))
    return found


def _own(program: Program, role: str, local: Local) -> dict[str, int]:
    stack, frames = local
    found = {}
    for depth, (point, values) in enumerate(zip(reversed(stack), reversed(frames), strict=True)):
        for name, value in zip(local_names(program, point, depth), values, strict=True):
            found[f"{role}.{name.removeprefix('@.')}"] = value
    return found


def _is_counted(program: Program, counter: Counter, kind: int, local: Local) -> bool:
    own = _own(program, "t0", local)
    return (kind, local[0]) == (counter.thread, counter.stack) and all(
        own[f"t0.{name}"] == value for name, value in counter.where
    )


def random_counters(rng: Random, paths: Paths) -> tuple[Counter, ...]:
    found = []
    for _ in range(rng.choice([0, 0, 1, 2])):
        kind = rng.randrange(len(paths.stacks))
        stack = rng.choice(paths.stacks[kind])
        names = list(paths.locals(stack).items())
        where: tuple[tuple[str, int], ...] = ()
        if names and rng.random() < 0.4:
            name, _ = rng.choice(names)
            where = ((name, rng.choice([0, 1, 2])),)
        found.append(Counter(kind, stack, where))
    return tuple(found)


def candidate_of(
    rng: Random, of: dict[Vector, set[tuple[tuple[str, int], ...]]], *, forget: float
) -> Candidate:
    """A candidate in which some variables are forgotten."""
    names, claimed = {}, {}
    forgotten = {
        name for values in of.values() for name, _ in next(iter(values)) if rng.random() < forget
    }
    for vector, values in of.items():
        kept = [name for name, _ in next(iter(sorted(values))) if name not in forgotten]
        names[vector] = tuple(kept)
        claimed[vector] = {tuple(dict(one)[name] for name in kept) for one in values}
    return Candidate(names, claimed)


def damage(rng: Random, candidate: Candidate) -> None:
    """Leave something out."""
    vector = rng.choice(sorted(candidate.claimed))
    if rng.random() < 0.3:
        del candidate.claimed[vector]
        return
    candidate.claimed[vector].discard(rng.choice(sorted(candidate.claimed[vector])))


def is_true(candidate: Candidate, of: dict[Vector, set[tuple[tuple[str, int], ...]]]) -> bool:
    return all(
        vector in candidate.claimed
        and tuple(dict(one)[name] for name in candidate.names[vector]) in candidate.claimed[vector]
        for vector, values in of.items()
        for one in values
    )


def random_bad(rng: Random, program: Program) -> Bad:
    layout, kinds = program.layout, range(len(program.threads))
    inside = points_inside(program)
    resting = [
        point
        for point, (procedure, location) in enumerate(layout.locations)
        if point not in inside and not _receives(program.procedures[procedure], location)
    ]
    resting.append(layout.waiting)
    places = resting + [layout.violation(number) for number in range(len(layout.assertions))] * 2
    first = rng.choice(places)
    if first > layout.waiting or rng.random() < 0.4:
        return ((rng.choice(kinds), first),)
    return ((rng.choice(kinds), first), (rng.choice(kinds), rng.choice(resting)))


def _receives(procedure: Procedure, location: int) -> bool:
    return any(isinstance(edge, Receive) for edge in procedure.leaving[location])


@pytest.mark.parametrize("sizes", [SMALL, replace(KNOWING, constants=False)])
def test_no_false_invariant_is_accepted(sizes: Sizes) -> None:
    seen_: Tally[str] = Tally()
    with Solver(lambda: True, seconds=20) as solver:
        for seed in range(sized(160)):
            rng = Random(f"false {seed}")
            program = without_bare_ends(any_program(rng, sizes))
            try:
                compare(rng, solver, program, seen_)
            except (Refused, TooManyError, TooManyOutcomes) as error:
                seen_[type(error).__name__] += 1
    print(sorted(seen_.items()))
    assert seen_["accepted"] > sized(20)
    assert seen_["false, rejected"] > sized(100)


def compare(rng: Random, solver: Solver, program: Program, seen_: Tally[str]) -> None:
    if program.lock is not None:
        return
    kinds = len(program.threads)
    observed = tuple(rng.choice([0, 1, 1, 2]) for _ in range(kinds))
    while sum(observed) > 2:
        observed = tuple(max(0, count - rng.randint(0, 1)) for count in observed)
    open_kinds = [rng.random() < 0.7 for _ in range(kinds)]
    small = [max(1, count) for count in observed]
    big = [count + is_open for count, is_open in zip(small, open_kinds, strict=True)]
    if sum(big) > 4:
        return
    general = with_counts(
        program, [None if o else n for n, o in zip(small, open_kinds, strict=True)]
    )
    passed = random_passed(rng, program) if rng.random() < 0.4 else ()
    paths = Paths(general, passed, Terms())
    real = explored(with_counts(program, big), ())
    reached = [explored(with_counts(program, counts), passed) for counts in (small, big)]
    counters = random_counters(rng, paths)
    views = [seen(each, observed, counters) for each in reached]
    for _ in range(6):
        view = rng.choice(views)
        candidate = candidate_of(rng, view, forget=rng.choice([0, 0, 0.3, 0.6, 1]))
        if rng.random() < 0.5:
            damage(rng, candidate)
        bad = [random_bad(rng, program) for _ in range(rng.choice([0, 1, 1, 1, 2]))]
        bad = [each for each in bad if rng.random() < 0.1 or not real.is_bad(each)]
        invariant = Invariant(observed, passed, counters, candidate.definitions())
        false = not is_true(candidate, views[1]) or any(map(real.is_bad, bad))
        solver.forget()
        try:
            check_with(solver, general, invariant, bad, Patience(lambda: True))
        except EvidenceError as error:
            seen_["false, rejected" if false else "perhaps true, rejected"] += 1
            seen_["asked otherwise"] += "proves nothing" not in str(error)
        else:
            assert not false, (general, invariant, bad)
            seen_["accepted"] += 1
            seen_["accepted with passed points"] += bool(passed)
            seen_["accepted with counters"] += bool(counters)
            seen_["accepted with bad"] += bool(bad)
            seen_["accepted for any number"] += None in [t.count for t in general.threads]
