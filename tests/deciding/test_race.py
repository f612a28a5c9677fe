"""Engines race for an answer: who wins makes no difference, and losers leave nothing behind."""

from __future__ import annotations

import gc
import threading
import weakref
from collections.abc import Callable
from dataclasses import replace
from random import Random

import pytest

import tepui
from support.generators.programs import random_program
from support.generators.systems import Sizes, random_system
from support.places import EXAMPLES
from tepui import Limits, Options
from tepui.deciding import explore, race, verify, verify_all, z_budget
from tepui.engines import delay, diagram, explicit, registry
from tepui.engines.delay import DelayEngine
from tepui.engines.diagram import DiagramEngine
from tepui.engines.engine import Engine
from tepui.engines.explicit import ExplicitEngine
from tepui.kernels.door import KernelLimits, Outcome
from tepui.languages import loads
from tepui.model import System
from tepui.program.questions import deadlock

THREAD = """
thread T{number} {{
    stack a
    q | a -> q | b
    q | b -> q | c a
    q | c -> q | -
}}
"""


@pytest.fixture
def small_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    """All join at once, and hand control back after every new state."""
    monkeypatch.setattr(registry, "PATIENCE", 0)
    monkeypatch.setattr(tepui.limits, "PAUSE", 1)


def threads(count: int) -> System:
    blocks = "".join(THREAD.format(number=number) for number in range(count))
    system = loads(f"initial q\n{blocks}bad q | {', '.join('z' * count)}\n", "cpds").model
    assert isinstance(system, System)
    return system


def test_a_small_system_is_decided_before_anyone_joins() -> None:
    result = explore(threads(2), Options(strengths=()))
    assert (result.engine, result.others) == ("explicit", ())


@pytest.mark.usefixtures("small_turns")
def test_the_result_says_what_the_others_had_seen() -> None:
    result = explore(threads(3), Options(strengths=()))
    assert result.verdict == "collapsed"
    assert "explicit" in {result.engine, *(other.engine for other in result.others)}
    assert result.others
    for other in result.others:
        assert other.ended in ("cancelled", "overtaken")
        assert other.resource == registry.kind_of(other.engine).counts
        assert (other.rounds is None) is (other.resource != "delays")
        assert other.visible <= (result.visible_states or 0)


@pytest.mark.usefixtures("small_turns")
def test_every_race_in_turns_goes_the_same_way() -> None:
    system = threads(3)
    first, second = (explore(system, Options(strengths=())) for _ in range(2))
    assert (first.engine, first.others) == (second.engine, second.others)


@pytest.mark.fuzz
@pytest.mark.usefixtures("small_turns")
@pytest.mark.parametrize("jobs", [1, 2, 3])
def test_whoever_wins_the_answer_is_the_same(fuzz_systems: int, jobs: int) -> None:
    winners = set()
    for seed in range(fuzz_systems // 15):
        system = random_system(Random(95_000_000 + seed), Sizes(contexts=4, depth=5, threads=3))
        options = Options(jobs=jobs, limits=Limits(max_contexts=5))
        result = verify(system, options=options)
        alone = verify(system, options=replace(options, engine="diagram", jobs=1))
        if "unknown" not in (result.verdict, alone.verdict):
            assert result.verdict == alone.verdict, seed
        assert result.checked is (result.verdict in ("safe", "unsafe")), seed
        winners.add(result.engine)
    assert len(winners) > 1 or jobs > 1


@pytest.mark.fuzz
@pytest.mark.usefixtures("small_turns")
@pytest.mark.parametrize("jobs", [1, 3])
def test_engines_may_share_a_program_that_grows(fuzz_systems: int, jobs: int) -> None:
    for seed in range(fuzz_systems // 60):
        program = random_program(Random(96_000_000 + seed))
        options = Options(jobs=jobs, limits=Limits(max_contexts=5))
        together = verify_all(program, [deadlock(), deadlock()], options)
        expected = verify(program, deadlock(), replace(options, engine="diagram", jobs=1))
        for answer in together:
            if "unknown" not in (answer.result.verdict, expected.verdict):
                assert answer.result.verdict == expected.verdict, seed


@pytest.mark.usefixtures("small_turns")
@pytest.mark.parametrize("jobs", [1, 3])
def test_losers_leave_nothing_behind(monkeypatch: pytest.MonkeyPatch, jobs: int) -> None:
    made: list[weakref.ref[Engine]] = []

    def remembered(kind: Callable[..., Engine]) -> Callable[..., Engine]:
        def make(*args: object, **options: object) -> Engine:
            engine = kind(*args, **options)
            made.append(weakref.ref(engine))
            return engine

        return make

    classes = {"explicit": ExplicitEngine, "diagram": DiagramEngine, "delay": DelayEngine}
    for module, kind in zip((explicit, diagram, delay), classes.values(), strict=True):
        monkeypatch.setattr(module, kind.__name__, remembered(kind))
    before = threading.active_count()
    result = explore(threads(3), Options(strengths=(), jobs=jobs))
    gc.collect()
    assert len(made) == 3
    left = [engine for engine in (one() for one in made) if engine is not None]
    assert [type(engine) for engine in left] == [classes[result.engine]]
    assert threading.active_count() == before


def test_what_goes_wrong_in_a_thread_is_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: DiagramEngine, limits: KernelLimits | None = None) -> Outcome:
        raise ZeroDivisionError

    monkeypatch.setattr(ExplicitEngine, "advance", lambda self, limits=None: "paused")
    monkeypatch.setattr(DiagramEngine, "advance", fail)
    with pytest.raises(ZeroDivisionError):
        explore(threads(2), Options(strengths=(), jobs=2))


def test_engines_that_share_a_growing_program_do_not_wait_for_each_other() -> None:
    """Both want the program and the interpreter, all the time."""
    program = tepui.load(EXAMPLES / "figure6.bp")
    options = Options(strengths=(), jobs=2, limits=Limits(max_contexts=40))
    assert explore(program, options).verdict == "stopped"


def test_a_race_side_by_side_goes_on_when_one_runs_out_of_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ExplicitEngine, "advance", lambda self, limits=None: "memory")
    monkeypatch.setattr(DelayEngine, "advance", lambda self, limits=None: "memory")
    result = explore(threads(3), Options(strengths=(), jobs=3))
    assert (result.verdict, result.engine) == ("collapsed", "diagram")


def test_a_limit_for_all_ends_the_race() -> None:
    for jobs in (1, 2):
        result = verify(threads(2), options=Options(strengths=(), jobs=jobs, limits=Limits(0)))
        assert (result.verdict, result.stop and result.stop.kind) == ("unknown", "time")
        limits = Limits(max_contexts=1)
        result = verify(threads(2), options=Options(strengths=(), jobs=jobs, limits=limits))
        assert (result.verdict, result.stop and result.stop.kind) == ("unknown", "contexts")


def test_a_bounded_run_counts_contexts_only(small_turns: None) -> None:
    result = verify(threads(3), options=Options(strengths=(), contexts=2))
    assert result.verdict == "bounded"
    assert "delay" not in {result.engine, *(other.engine for other in result.others)}


def test_a_bug_is_found_however_long_z_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each turn of Z takes a second of its clock, and none ends it."""
    turns = []
    clock = iter(range(10_000))

    def endless(self: z_budget.BudgetedZ, work: int) -> None:
        turns.append(work)

    monkeypatch.setattr(z_budget.BudgetedZ, "take_turn", endless)
    monkeypatch.setattr(z_budget.BudgetedZ, "wants_turn", lambda self, work: True)
    monkeypatch.setattr("time.perf_counter", lambda: float(next(clock)))
    result = verify(tepui.load(EXAMPLES / "bluetooth1.bp"), options=Options(check=False))
    assert (result.verdict, result.bound) == ("unsafe", 3)
    assert 1 <= len(turns) <= 3


@pytest.mark.usefixtures("small_turns")
def test_one_engine_that_lists_states_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """When both have listed some, the one that sorts them by contexts drops out."""
    monkeypatch.setattr(race, "ENOUGH", 5)
    monkeypatch.setattr(race, "HANDICAP", 1000)
    system = threads(4)
    result = verify(system, options=Options(strengths=()))
    assert (result.verdict, result.checked) == ("safe", True)
    ended = {other.engine: other.ended for other in result.others}
    assert ended.get("explicit") == "overtaken"
    assert result.engine in ("plain", "diagram", "delay")


@pytest.mark.usefixtures("small_turns")
def test_who_wants_to_know_where_it_collapses_needs_contexts() -> None:
    result = explore(threads(3), Options(strengths=()))
    assert "plain" not in {result.engine, *(other.engine for other in result.others)}
    assert result.bound is not None
