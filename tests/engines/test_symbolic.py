"""The symbolic engine: against the diagram engine, against brute force, and by its own evidence."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import groupby, product
from pathlib import Path
from random import Random
from typing import cast

import pytest

import tepui
from support.generators.programs import random_program
from support.generators.systems import random_system
from support.interruptions import Interrupting
from support.oracles.systems import (
    State,
    TooManyStatesError,
    first_bad,
    permuted,
    rounds,
    steps_of_thread,
    thread_orders,
)
from support.places import EXAMPLES
from tepui.checker import Trace, check
from tepui.engines.diagram import DiagramEngine
from tepui.engines.engine import Violation
from tepui.engines.finite_context import finite_contexts, has_finite_context_reachability
from tepui.engines.symbolic import SymbolicEngine
from tepui.errors import EvidenceError
from tepui.kernels.door import KernelLimits
from tepui.kernels.lowered_system import lower
from tepui.model import (
    Block,
    Description,
    NamedRule,
    Pattern,
    Property,
    Reach,
    StackSet,
    System,
    build,
)
from tepui.model.system import VisibleState, Word

ROUNDS = 5
"""How many rounds to compare."""

WAYS = [
    {"symmetry": symmetry, "pruning": pruning}
    for symmetry in (True, False)
    for pruning in (True, False)
]
"""The options for how the engine explores."""

WAY_NAMES = ["symmetry-pruning", "symmetry", "pruning", "plain"]

NO_LIMITS: KernelLimits = {"states": None, "bytes": None, "seconds": None, "pause": None}

FEW: KernelLimits = NO_LIMITS | {"states": 2_000}
"""Without pruning a few systems have too many symbolic states."""


@pytest.mark.fuzz
def test_rounds_are_those_of_the_diagram_engine_however_it_explores(fuzz_systems: int) -> None:
    infinite = 0
    for seed in range(fuzz_systems):
        system = random_system(Random(seed))
        diagrams = _diagram_rounds(system)
        infinite += any(states is None for states, _, _ in diagrams)
        for way in WAYS:
            exploration = SymbolicEngine(system, **way)
            for k, expected in enumerate(diagrams):
                if k and exploration.advance(FEW) != "done":
                    break
                shown = _every_order(system, exploration.list_visible(k))
                assert (exploration.last.states, shown, _grew(exploration)) == expected, (seed, k)
                assert exploration.last.visible == len(shown), (seed, k, way)
    assert infinite > fuzz_systems / 10


@pytest.mark.fuzz
def test_symbolic_states_have_the_states_of_brute_force_and_no_others(fuzz_systems: int) -> None:
    """States with low stacks, all of them. Brute force drops high stacks, and with them some low
    ones that they lead to; for these there is a trace that the checker believes."""
    beyond = 0
    for seed in range(fuzz_systems // 2):
        system = random_system(Random(seed))
        exploration = SymbolicEngine(system, **WAYS[seed % 4])
        try:
            reached, _ = rounds(system, 3, depth=7 if seed % 2 else 3, limit=4_000)
        except TooManyStatesError:
            continue
        known: set[State] = set()
        for k, states in enumerate(reached):
            if k and exploration.advance(FEW) != "done":
                break
            found = _low_states(system, exploration, height=3)
            assert {state for state in states if _height(state) <= 3} <= found, (seed, k)
            for shared, stacks in sorted(found - states - known)[:5]:
                asked = Property(reaches=(Reach(shared, tuple(map(_just, stacks))),))
                violation = exploration.first_new_bad(asked)
                assert violation is not None
                _check_trace(violation, asked, contexts=k)
                beyond += 1
            known = found
    assert beyond > 0


@pytest.mark.fuzz
def test_traces_to_visible_states_replay_with_the_fewest_contexts(fuzz_systems: int) -> None:
    contexts = 0
    for seed in range(fuzz_systems):
        rng = Random(seed)
        system = random_system(rng)
        exploration = SymbolicEngine(system, **WAYS[seed % 4])
        _go(exploration, 4)
        shown = exploration.list_visible(exploration.last.k)
        for visible in rng.sample(shown, min(4, len(shown))):
            bad = _just_this(visible)
            first = next(
                seen.k for seen in exploration.observations if visible in seen.list_visible()
            )
            violation = exploration.first_new_bad(bad)
            assert violation is not None
            trace = _check_trace(violation, bad, contexts=first)
            _check_shortest_within_contexts(system, trace)
            contexts += first
    assert contexts > fuzz_systems


@pytest.mark.fuzz
def test_bad_states_are_found_in_the_round_of_brute_force(fuzz_systems: int) -> None:
    """Those of patterns, deadlocks, and regular sets of whole configurations (QR, Theorem 3)."""
    violated = 0
    for seed in range(fuzz_systems):
        rng = Random(seed)
        system = random_system(rng)
        if not all(has_finite_context_reachability(system)):
            continue
        reached, dropped = rounds(system, 4, depth=12, limit=20_000)
        if dropped[-1]:
            continue
        asked = _random_reach(rng, system, sorted(reached[-1]))
        within = [k for k, states in enumerate(reached) if any(_fits(asked, s) for s in states)]
        bad = system.property
        for question, expected in (
            (bad, first_bad(system, bad, reached)),
            (Property(reaches=(asked,)), next(iter(within), None)),
        ):
            exploration = SymbolicEngine(system, **WAYS[seed % 4])
            violation = exploration.first_new_bad(question)
            while violation is None and exploration.last.k < 4:
                assert exploration.advance() == "done"
                violation = exploration.first_new_bad(question)
            assert (violation and violation.k) == expected, (seed, question)
            if violation is not None:
                _check_trace(violation, question, contexts=violation.k)
                violated += 1
    assert violated > fuzz_systems / 5


@pytest.mark.fuzz
def test_certificates_of_collapsed_rounds_are_accepted(fuzz_systems: int) -> None:
    accepted = 0
    for seed in range(fuzz_systems):
        rng = Random(seed)
        system = random_system(rng)
        exploration = SymbolicEngine(system, **WAYS[seed % 4])
        _go(exploration, 8)
        if _grew(exploration) or exploration.first_new_bad(system.property) is not None:
            continue
        certificate = exploration.certificate()
        assert len(certificate.states) == exploration.certificate_size()[0]
        check(system, system.property, certificate)
        accepted += 1
        reachable = _just_this(rng.choice(exploration.list_visible(exploration.last.k)))
        with pytest.raises(EvidenceError):
            check(system, reachable, certificate)
    assert accepted > fuzz_systems / 10


@pytest.mark.fuzz
def test_programs_are_explored_as_well(fuzz_systems: int) -> None:
    for seed in range(fuzz_systems // 20):
        system = lower(random_program(Random(seed)))
        exploration = SymbolicEngine(system, **WAYS[seed % 4])
        for k, (states, shown, grew) in enumerate(_diagram_rounds(system)):
            if k and exploration.advance(FEW) != "done":
                break
            seen = exploration.last
            assert (seen.states, seen.visible) == (states, len(shown)), (seed, k)
            assert _grew(exploration) == grew, (seed, k)


@pytest.mark.parametrize(
    "stop",
    [{"pause": 1}, {"states": 1}, {"bytes": 1}, {"seconds": 0.0}],
    ids=["pause", "states", "memory", "time"],
)
def test_what_a_limit_has_stopped_goes_on_to_the_same_result(stop: dict[str, float]) -> None:
    system = _figure_2()
    whole, stopped = SymbolicEngine(system), SymbolicEngine(system)
    for _ in range(4):
        assert whole.advance() == "done"
    stops = 0
    while stopped.last.k < 4:
        if stopped.advance(cast(KernelLimits, NO_LIMITS | stop)) != "done":
            stops += 1
            stopped.advance(NO_LIMITS | {"pause": 1})
    assert stops > 4
    assert _result(stopped) == _result(whole)


def test_an_interrupted_exploration_goes_on_to_the_same_result(
    public_suite: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    system = _suite(public_suite, "03_Bluetooth-3_Bluetooth3-21", (1, 1, 3, 1))
    whole, stopped = SymbolicEngine(system), SymbolicEngine(system)
    for _ in range(8):
        assert whole.advance() == "done"
    kernel = Interrupting(stopped._kernel, seconds=0.03)
    monkeypatch.setattr(stopped, "_kernel", kernel)
    while stopped.last.k < 8:
        with suppress(KeyboardInterrupt):
            stopped.advance()
    assert kernel.interruptions
    assert _result(stopped) == _result(whole)


@pytest.mark.parametrize("way", WAYS, ids=WAY_NAMES)
@pytest.mark.parametrize(
    ("file", "bound", "visible"),
    [
        ("06_K-Indcution_k-induction", 3, 40),
        ("07_Proc-2_proc-2", 3, 135),
        ("08_Stefan-1_stefan-2", 2, 20),
        ("08_Stefan-1_stefan-4", 4, 254),
    ],
)
def test_infinite_contexts_collapse(
    public_suite: Path, file: str, bound: int, visible: int, way: dict[str, bool]
) -> None:
    exploration = SymbolicEngine(_suite(public_suite, file), **way)
    assert _collapse(exploration) == (bound, None, visible)
    check(exploration.system, Property(), exploration.certificate())


@pytest.mark.parametrize(
    ("file", "counts", "bound", "states", "visible"),
    [
        ("08_Stefan-1_stefan-8", (8,), 8, None, 30362),
        ("08_Stefan-1_stefan-8", (16,), 16, None, 315610418),
        ("03_Bluetooth-3_Bluetooth3-21", (1, 1, 2, 1), 9, 94355, 58763),
    ],
)
def test_many_equal_threads_collapse(
    public_suite: Path,
    file: str,
    counts: tuple[int, ...],
    bound: int,
    states: int | None,
    visible: int,
) -> None:
    exploration = SymbolicEngine(_suite(public_suite, file, counts))
    assert _collapse(exploration) == (bound, states, visible)


def test_figure_2_of_cuba_collapses_at_3() -> None:
    """As in `test_diagrams`: the visible state q1 | -, 9 takes three contexts."""
    system = _figure_2()
    exploration = SymbolicEngine(system)
    assert _collapse(exploration)[:2] == (3, None)
    shown = exploration.list_visible(3)
    bad = _just_this(next(row for row in shown if system.visible_text(row) == "q1 | -, 9"))
    violation = exploration.first_new_bad(bad)
    assert violation is not None
    _check_trace(violation, bad, contexts=3)


@pytest.mark.parametrize("way", WAYS, ids=WAY_NAMES)
def test_a_symbolic_state_that_several_others_cover_is_no_growth(way: dict[str, bool]) -> None:
    """q | {a}, t, u is found in round 1 and q | {b}, t, u in round 2, so that q | {a, b}, t, u, in
    round 3, has no new state, though it is included in neither."""
    first = [
        NamedRule("q0", "s", "q", ("a",)),
        NamedRule("q3", "s", "q", ("b",)),
        NamedRule("q5", "s", "q", ("a",)),
        NamedRule("q5", "s", "q", ("b",)),
    ]
    blocks = [
        Block("first", ("s",), first),
        Block("second", ("t",), [NamedRule("q0", "t", "q3", ("t",))]),
        Block("third", ("u",), [NamedRule("q3", "u", "q5", ("u",))]),
    ]
    exploration = SymbolicEngine(build(Description(initial="q0", blocks=blocks)), **way)
    assert _collapse(exploration) == (2, 5, 5)
    assert [seen.states for seen in exploration.observations] == [1, 3, 5, 5]
    assert [len(exploration.list_symbolic_states(k)) for k in range(4)] == [1, 3, 5, 6]
    check(exploration.system, Property(), exploration.certificate())


def test_a_symbolic_state_may_show_more_than_is_listed_at_once() -> None:
    rules = [NamedRule("q", "s", "q", (symbol,)) for symbol in "abcd"]
    blocks = [Block("thread", ("s",), rules, count=7)]
    system = build(Description(initial="q", blocks=blocks))
    exploration = SymbolicEngine(system, symmetry=False)
    assert _collapse(exploration) == (7, 5**7, 5**7)


def _diagram_rounds(system: System) -> list[tuple[int | None, set[VisibleState], bool]]:
    """|R_k|, T(R_k), and whether R_k grew."""
    diagrams = DiagramEngine(system, finite_contexts(system))
    while diagrams.last.k < ROUNDS:
        assert diagrams.advance() == "done"
    marks = [None, *(seen.mark for seen in diagrams.observations)]
    return [
        (seen.states, set(seen.list_visible()), seen.mark != before)
        for seen, before in zip(diagrams.observations, marks, strict=False)
    ]


def _grew(exploration: SymbolicEngine) -> bool:
    """Whether the last round has a state that the one before has not."""
    k = exploration.last.k
    return k == 0 or exploration.last.mark != exploration.observations[k - 1].mark


def _go(exploration: SymbolicEngine, most: int) -> None:
    """Go on until R_k collapses, for at most this many rounds."""
    while exploration.last.k < most and _grew(exploration):
        if exploration.advance(FEW) != "done":
            return


def _collapse(exploration: SymbolicEngine) -> tuple[int, int | None, int]:
    """Once R_k has collapsed: the smallest k with T(R_k) = T(R), |R| and |T(R)|."""
    while _grew(exploration):
        assert exploration.advance() == "done"
    bound = max(seen.k for seen in exploration.observations if seen.new_visible)
    return bound, exploration.last.states, exploration.last.visible


def _result(exploration: SymbolicEngine) -> tuple[object, ...]:
    """All that was found, in order, except the time it took."""
    seen = [(seen.states, seen.visible, seen.mark) for seen in exploration.observations]
    k = exploration.last.k
    return seen, exploration.list_symbolic_states(k), exploration.list_visible(k)


def _check_trace(violation: Violation, bad: Property, contexts: int) -> Trace:
    """The trace behind a violation, which the checker accepts, and which has this many contexts."""
    trace = violation.trace(bad)
    check(violation.engine.system, bad, trace)
    assert trace.contexts == violation.k == contexts
    return trace


def _just_this(visible: VisibleState) -> Property:
    return Property(patterns=(Pattern(visible[0], tuple(visible[1:])),))


def _every_order(system: System, visible: list[VisibleState]) -> set[VisibleState]:
    """The visible states, and those in which equal threads have changed places."""
    orders = thread_orders(system)
    return {(row[0], *(row[1 + at] for at in order)) for row in visible for order in orders}


def _low_states(system: System, exploration: SymbolicEngine, height: int) -> set[State]:
    """The states of the last round with stacks up to a height."""
    found = set()
    known: dict[StackSet, list[Word]] = {}
    for shared, languages in exploration.list_symbolic_states(exploration.last.k):
        for language in languages:
            known.setdefault(language, list(_words(language, height)))
        found |= {(shared, stacks) for stacks in product(*(known[each] for each in languages))}
    orders = thread_orders(system) if exploration.symmetry else [tuple(range(len(system.threads)))]
    return {permuted(state, order) for state in found for order in orders}


def _words(language: StackSet, height: int) -> Iterator[Word]:
    here: list[tuple[Word, int]] = [((), 0)]
    for _ in range(height + 1):
        yield from (word for word, state in here if language.accepting[state])
        here = [
            ((*word, symbol), target)
            for word, state in here
            for symbol, target in language.edges[state]
        ]


def _height(state: State) -> int:
    return max(map(len, state[1]))


def _just(stack: Word) -> StackSet:
    """The set of one stack."""
    edges = tuple(((symbol, place + 1),) for place, symbol in enumerate(stack))
    return StackSet((*(False for _ in stack), True), (*edges, ()))


def _random_reach(rng: Random, system: System, states: list[State]) -> Reach:
    """Stacks like those of some state, any stacks, and sets at random."""
    shared, stacks = rng.choice(states)
    sets = [
        rng.choice([None, _just(stack), _random_set(rng, len(system.template_of(i).symbols))])
        for i, stack in enumerate(stacks)
    ]
    return Reach(rng.choice([shared, shared, None]), tuple(sets))


def _random_set(rng: Random, symbols: int) -> StackSet:
    count = rng.randint(1, 3)
    return StackSet(
        tuple(rng.random() < 0.5 for _ in range(count)),
        tuple(
            tuple((s, rng.randrange(count)) for s in range(1, symbols) if rng.random() < 0.7)
            for _ in range(count)
        ),
    )


def _fits(asked: Reach, state: State) -> bool:
    shared, stacks = state
    return asked.shared in (None, shared) and all(
        wanted is None or wanted.accepts(stack)
        for wanted, stack in zip(asked.stacks, stacks, strict=True)
    )


def _check_shortest_within_contexts(system: System, trace: Trace) -> None:
    """No thread gets from where its context begins to where it ends by fewer steps."""
    before: State = (trace.initial_shared, trace.initial_stacks)
    for thread, context in groupby(trace.steps, key=lambda step: step.thread):
        steps = list(context)
        after = (steps[-1].shared, steps[-1].stacks)
        found, layer = {before}, [before]
        for _ in range(len(steps) - 1):
            new = {to for state in layer for _, to in steps_of_thread(system, state, thread)}
            layer = sorted(new - found)
            found |= new
        assert after not in found
        before = after


def _figure_2() -> System:
    system = tepui.load(EXAMPLES / "figure2.cpds")
    assert isinstance(system, System)
    return system


def _suite(public_suite: Path, file: str, counts: tuple[int, ...] | None = None) -> System:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        system = tepui.load(public_suite / "pldi18" / f"{file}.pds")
    assert isinstance(system, System)
    if counts is None:
        return system
    threads = [template for template, count in enumerate(counts) for _ in range(count)]
    names = tuple(f"t{number}" for number in range(len(threads)))
    return replace(system, threads=tuple(threads), thread_names=names, property=tepui.Property())
