"""The diagram engine: against the explicit engine, against brute force, and where both give up."""

from __future__ import annotations

import os
import warnings
from dataclasses import replace
from itertools import islice
from pathlib import Path
from random import Random

import pytest

import tepui
from support.generators.programs import random_program
from support.generators.systems import random_system
from support.oracles import systems as oracle
from support.places import EXAMPLES
from tepui.engines.diagram import DiagramEngine
from tepui.engines.finite_context import finite_contexts, has_finite_context_reachability
from tepui.engines.observe import observe
from tepui.kernels.lowered_system import lower
from tepui.limits import Meter
from tepui.model import System

ROUNDS = 8
"""How many rounds to compare."""

STATES = 3_000
"""How many states the explicit engine may have."""


@pytest.mark.fuzz
def test_rounds_are_those_of_the_explicit_engine(fuzz_systems: int) -> None:
    compared = 0
    for seed in range(fuzz_systems):
        system = random_system(Random(seed))
        if all(has_finite_context_reachability(system)):
            compared += _compare(system, seed)
    assert compared > fuzz_systems


@pytest.mark.fuzz
def test_infinite_rounds_contain_those_with_low_stacks(fuzz_systems: int) -> None:
    """Where a context reaches infinitely many stacks, brute force sees the low ones. With stacks
    as high as this, their visible states are all there are in nearly every system."""
    equal = seen = 0
    for seed in range(fuzz_systems // 4):
        system = random_system(Random(seed))
        if all(has_finite_context_reachability(system)):
            continue
        diagrams = _diagrams(system)
        try:
            low, _ = oracle.rounds(system, 3, 8, limit=STATES)
        except oracle.TooManyStatesError:
            continue
        for k, states in enumerate(low):
            if k:
                assert diagrams.advance() == "done"
            shown, visible = oracle.visible_states(states), set(diagrams.list_visible(k))
            assert shown <= visible, (seed, k)
            seen += 1
            equal += shown == visible
    assert equal > 0.9 * seen > 0


@pytest.mark.fuzz
def test_programs_are_explored_as_well(fuzz_systems: int) -> None:
    for seed in range(fuzz_systems // 10):
        system = lower(random_program(Random(seed)))
        if all(finite_contexts(system)):
            _compare(system, seed)


def test_a_limit_stops_it_and_it_goes_on_where_it_was() -> None:
    """One operation at a time would be slow, so the memory is what runs out here."""
    system = _suite("pldi18/03_Bluetooth-3_Bluetooth3-21.pds", (1, 2, 2, 1))
    whole, stopped = _diagrams(system), _diagrams(system)
    for _ in range(4):
        assert whole.advance() == "done"
    tight = Meter(tepui.Limits()).for_kernel(0) | {"bytes": 1}
    stops = 0
    while stopped.last.k < 4:
        if stopped.advance(tight) != "done":
            stops += 1
            assert stopped.advance() == "done"
    assert stops
    assert [(seen.states, seen.visible) for seen in stopped.observations] == [
        (seen.states, seen.visible) for seen in whole.observations
    ]


@pytest.mark.parametrize(
    ("file", "bound", "visible"),
    [
        ("06_K-Indcution_k-induction", 3, 40),
        ("07_Proc-2_proc-2", 3, 135),
        ("08_Stefan-1_stefan-2", 2, 20),
        ("08_Stefan-1_stefan-4", 4, 254),
        ("08_Stefan-1_stefan-8", 8, 30362),
    ],
)
def test_infinite_contexts_collapse(file: str, bound: int, visible: int) -> None:
    result = _collapsed(_suite(f"pldi18/{file}.pds"))
    assert (result.bound, result.visible_states, result.states) == (bound, visible, None)


@pytest.mark.parametrize(
    ("threads", "visible"),
    [(12, 3184550), (16, 315610418), (32, 23471584763822690)],
)
def test_many_threads_with_infinite_contexts_collapse(threads: int, visible: int) -> None:
    result = _collapsed(_suite("pldi18/08_Stefan-1_stefan-8.pds", (threads,)))
    assert (result.bound, result.visible_states) == (threads, visible)


@pytest.mark.parametrize(
    ("counts", "bound", "states"),
    [
        ((1, 1, 2, 1), 9, 94355),
        ((1, 1, 3, 1), 9, 460684),
        ((1, 2, 3, 1), 11, 7222724),
        ((1, 3, 4, 1), 14, 503968676),
        ((1, 5, 6, 1), 20, 2099945775788),
        ((1, 7, 8, 1), 26, 7807608555002788),
    ],
)
def test_many_bluetooth_threads_collapse(counts: tuple[int, ...], bound: int, states: int) -> None:
    result = _collapsed(_suite("pldi18/03_Bluetooth-3_Bluetooth3-21.pds", counts))
    assert (result.bound, result.states) == (bound, states)


@pytest.mark.parametrize(
    ("counts", "bound", "states"),
    [
        ((8, 8), 16, 34962015083102208),
        ((16, 16), 32, 951650734259480677290480343449600),
    ],
)
def test_many_tree_threads_collapse(counts: tuple[int, ...], bound: int, states: int) -> None:
    result = _collapsed(_suite("pldi18/04_BST-Insert_bst-22.pds", counts))
    assert (result.bound, result.states) == (bound, states)


def test_figure_2_of_cuba_collapses_at_3() -> None:
    """R_k itself collapses, though it is infinite. Example 10 says that R_2 = R_3, but foo can only
    end after bar has set x to 0, and bar can only reach 9 again after foo has set it back to 1: the
    visible state q1 | -, 9 takes the three contexts bar, foo, bar."""
    examples = EXAMPLES
    system = tepui.load(examples / "figure2.cpds")
    assert isinstance(system, System)
    seen = [
        "q1 | -, 9" in {system.visible_text(visible) for visible in observation.list_visible()}
        for observation in islice(observe(system), 4)
    ]
    assert seen == [False, False, False, True]
    result = _collapsed(system)
    assert (result.bound, result.states) == (3, None)


def _compare(system: System, seed: int) -> int:
    diagrams = _diagrams(system)
    rounds = 0
    for plain in observe(system, symmetry=seed % 2 == 0):
        if plain.k:
            assert diagrams.advance() == "done"
        assert (diagrams.last.states, diagrams.last.visible) == (plain.states, plain.visible), (
            seed,
            plain.k,
        )
        rounds += 1
        if plain.k == ROUNDS or (plain.states or 0) > STATES:
            break
    return rounds


def _diagrams(system: System) -> DiagramEngine:
    return DiagramEngine(system, finite_contexts(system))


def _collapsed(system: System) -> tepui.Result:
    """What is known when R_k itself has collapsed."""
    result = tepui.explore(system, tepui.Options(engine="diagram", strengths=()))
    assert (result.verdict, str(result.proof)) == ("collapsed", "R_k = R_{k+1}")
    return result


def _suite(file: str, counts: tuple[int, ...] | None = None) -> System:
    folder = os.environ.get("TEPUI_BENCHMARKS")
    if not folder:
        pytest.skip("TEPUI_BENCHMARKS names no folder with the public benchmarks")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        system = tepui.load(Path(folder) / "pds" / "cuba" / file)
    assert isinstance(system, System)
    if counts is None:
        return system
    threads = [template for template, count in enumerate(counts) for _ in range(count)]
    names = tuple(f"t{number}" for number in range(len(threads)))
    return replace(system, threads=tuple(threads), thread_names=names, property=tepui.Property())
