"""All engines give the same answers, alone, in pairs, and with Z listed or as a diagram."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from random import Random

import pytest

import tepui
from support.generators.programs import random_program
from support.generators.systems import Sizes, random_system
from tepui import Options
from tepui.deciding import explore, verify, z_budget
from tepui.engines import registry
from tepui.engines.explicit import ExplicitEngine
from tepui.engines.finite_context import has_finite_context_reachability
from tepui.engines.observe import observe
from tepui.errors import UsageError
from tepui.kernels.lowered_system import lower
from tepui.languages import loads
from tepui.languages.boolean import load_program
from tepui.languages.source import Source
from tepui.limits import Limits
from tepui.model import System
from tepui.z import Z, parse_strength
from tepui.z.strength import Strength

Z_STRENGTHS = ("auto", "off", "cut", "matched", "matched:2")
ENGINES: tuple[str, ...] = ("auto", "diagram", "symbolic", "explicit")

MANY_DIFFERENT = """
initial q
{threads}
bad q | {bad}
"""


@pytest.mark.fuzz
def test_engines_agree_on_every_answer(fuzz_systems: int) -> None:
    """Verdict, bound, proof, counts; every answer is checked. The explicit engine is asked only
    where it can see everything."""
    verdicts = set()
    for seed in range(fuzz_systems // 2):
        rng = Random(70_000_000 + seed)
        system = random_system(rng, Sizes(contexts=5, depth=6, threads=3))
        is_finite = all(has_finite_context_reachability(system))
        options = Options(
            strengths=parse_strength(rng.choice(Z_STRENGTHS)),
            symmetry=rng.random() < 0.5,
            limits=Limits(max_contexts=5),
        )
        verified, explored = set(), set()
        for engine in ENGINES if is_finite else ENGINES[:3]:
            result = verify(system, options=replace(options, engine=engine))
            assert result.checked is (result.verdict in ("safe", "unsafe")), (seed, engine)
            counted = tuple((row.k, row.states, row.visible) for row in result.rounds)
            verified.add((result.verdict, result.bound, result.proof, counted))
            found = explore(system, replace(options, engine=engine))
            explored.add((found.verdict, found.bound, found.visible_states, found.proof))
        assert len(verified) == len(explored) == 1, (seed, verified, explored)
        verdicts |= {verdict for verdict, *_ in verified}
    assert verdicts == {"safe", "unsafe", "unknown"}


@pytest.mark.fuzz
def test_z_as_a_diagram_is_the_same_z(fuzz_systems: int) -> None:
    for seed in range(fuzz_systems // 2):
        system = random_system(Random(71_000_000 + seed))
        strength = (Strength("cut"), Strength("matched"), Strength("matched", 2))[seed % 3]
        listed = Z(system, strength, symmetry=False).completed()
        diagram = Z(system, strength, by_diagram=True).completed()
        assert diagram.states == listed.states, seed
        assert sorted(diagram.list_visible()) == sorted(listed.list_visible()), seed
        assert diagram.is_exact == listed.is_exact, seed
        assert diagram.is_free_of(system.property) == listed.is_free_of(system.property), seed
        for template in range(len(system.templates)):
            assert diagram.below(template) == listed.below(template), seed
            assert diagram.thread_visible(template) == listed.thread_visible(template), seed


@pytest.mark.fuzz
def test_z_of_a_program_as_a_diagram_is_the_same_z(fuzz_systems: int) -> None:
    for seed in range(fuzz_systems // 20):
        program = random_program(Random(72_000_000 + seed))
        for kind in ("matched", "cut", "omega-ll"):
            strength = parse_strength(kind)[0]
            listed = Z(lower(program), strength).completed()
            diagram = Z(lower(program), strength, by_diagram=True).completed()
            assert diagram.real_visible == listed.real_visible, (seed, kind)
            assert diagram.points() == listed.points(), (seed, kind)


@pytest.mark.fuzz
def test_an_engine_that_takes_over_in_the_middle_changes_no_answer(
    fuzz_systems: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first engine hands control back after every new state and has no patience; and Z becomes
    a diagram at once."""
    taken_over = 0
    monkeypatch.setattr(registry, "PATIENCE", 0)
    monkeypatch.setattr(tepui.limits, "PAUSE", 1)
    monkeypatch.setattr(z_budget, "FIRST_BUDGET", 1)
    for seed in range(fuzz_systems // 6):
        system = random_system(Random(73_000_000 + seed), Sizes(contexts=4, depth=5, threads=3))
        options = Options(limits=Limits(max_contexts=5))
        result = verify(system, options=options)
        alone = verify(system, options=replace(options, engine="diagram"))
        assert result.verdict == alone.verdict, seed
        if registry.counts_contexts(result.engine):
            assert result.bound == alone.bound, seed
        assert result.checked is alone.checked, seed
        found, expected = (
            explore(system, options),
            explore(system, replace(options, engine="diagram")),
        )
        assert found.verdict == expected.verdict, seed
        assert (found.bound, found.visible_states) == (expected.bound, expected.visible_states)
        taken_over += found.engine == "diagram" and all(has_finite_context_reachability(system))
    assert taken_over > 0


def test_a_bounded_run_never_looks_beyond_its_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "PATIENCE", 0)
    monkeypatch.setattr(tepui.limits, "PAUSE", 1)
    system = _different_threads(4)
    for contexts in range(5):
        result = verify(system, options=Options(contexts=contexts))
        expected = "bounded" if contexts < 4 else "unsafe"
        assert (result.verdict, result.rounds[-1].k <= contexts) == (expected, True)


def test_the_second_engine_goes_on_alone_when_memory_runs_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ExplicitEngine, "advance", lambda self, limits=None: "memory")
    result = explore(_different_threads(3), Options(strengths=()))
    assert (result.verdict, result.engine) == ("collapsed", "diagram")
    [other] = result.others
    assert (other.engine, other.bound) == ("explicit", 0)
    assert "memory" in other.ended


def test_nothing_goes_on_without_memory() -> None:
    system = _different_threads(3)
    result = verify(system, options=Options(strengths=(), limits=Limits(memory=1)))
    assert (result.verdict, result.stop and result.stop.kind) == ("unknown", "memory")


def test_a_system_that_is_too_large_for_one_engine_is_left_to_another() -> None:
    """Sixteen threads, no two of them equal: 3^16 states, and a few hundred nodes."""
    system = _different_threads(16)
    result = verify(system, options=Options(strengths=()))
    assert (result.verdict, result.checked) == ("unsafe", True)
    assert result.engine in ("diagram", "delay")
    assert (result.resource, result.bound) == ("contexts", 16)
    assert explore(system, Options(strengths=())).engine == "diagram"


def test_observing_takes_any_engine() -> None:
    system = _different_threads(3)
    seen = {
        engine: [(one.states, one.visible) for one in islice(observe(system, engine=engine), 5)]
        for engine in ENGINES
    }
    assert len(set(map(tuple, seen.values()))) == 1
    with pytest.raises(UsageError, match="there is no engine 'magic'"):
        Options(engine="magic")
    with pytest.raises(UsageError, match="there is no engine 'diagrm'"):
        next(observe(system, engine="diagrm"))


def test_too_many_visible_states_are_not_listed() -> None:
    result = explore(_different_threads(30), Options(engine="diagram"))
    assert result.visible_states is not None
    assert result.visible_states > 10**9
    with pytest.raises(UsageError, match=r"there are [\d,]+ visible states"):
        result.list_visible()


def _different_threads(count: int) -> System:
    """Threads that each add a symbol of their own below, so that none equals another; all at `b`
    is bad, which takes a context for each."""
    threads = "\n".join(
        f"thread P{number} {{\n    stack a{number} z{number}\n"
        f"    q | a{number} -> q | b\n    q | b -> q | c\n}}"
        for number in range(count)
    )
    bad = ", ".join(["b"] * count)
    return loads(MANY_DIFFERENT.format(threads=threads, bad=bad), "cpds").system


@pytest.mark.parametrize("engine", ENGINES)
def test_a_question_that_is_asked_twice_is_answered_twice(engine: str) -> None:
    """What the first asking has found must not be passed over by the second."""
    program = load_program(Source.of_text(TWO_LABELS, "twice.bp"))
    questions = [
        tepui.unreachable(program, "L"),
        tepui.unreachable(program, "L"),
        tepui.unreachable(program, "M"),
    ]
    options = Options(engine=engine, strengths=(), check=False)
    answers = [answer.result for answer in tepui.verify_all(program, questions, options)]
    assert [(one.verdict, one.bound) for one in answers] == [("unsafe", 2)] * 3


@pytest.mark.parametrize("engine", ENGINES)
def test_a_set_of_states_that_is_asked_for_twice_is_found_twice(engine: str) -> None:
    system = _different_threads(2)
    asked = tepui.reach(system, "q | b z0, b z1")
    exploration = next(observe(system, engine=engine)).engine
    for _ in range(3):
        exploration.advance()
    found = [exploration.first_new_bad(asked) for _ in range(2)]
    assert [violation and violation.k for violation in found] == [2, 2]


TWO_LABELS = """
decl x := 0;
void f() { x := 1; }
void g() { wait(x); L: M: skip; }
void main() { thread_create(f); thread_create(g); }
"""
