"""Markers on random programs: no line is marked that is not what the mark says, as brute force sees
it, and every line is marked where everything is known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial
from random import Random

import pytest

from support.boolean_flows import load
from support.generators.crews import random_crew
from support.generators.fork_programs import random_fork_program
from support.generators.programs import (
    EXCHANGED,
    KNOWING,
    SMALL,
    Sizes,
    random_case,
    with_bare_ends,
)
from support.markers import Known, contradictions, known, known_with_forks, watched
from support.oracles.program_interpreter import TooLargeError
from support.oracles.programs import explore as brute_force
from support.sizes import sized
from tepui.deciding import Options, explore, open_driver, verify, verify_all
from tepui.engines.registry import counts_contexts, counts_delays
from tepui.limits import Limits
from tepui.markers import Marker, lines_of
from tepui.program.program import Program
from tepui.program.questions import Question, assertions, deadlock, races
from tepui.records import replace
from tepui.z import parse_strength

pytestmark = pytest.mark.fuzz

BATCHES = 4

LIMITS = Limits(max_contexts=12, timeout=60)

ENGINES = ("auto", "auto", "explicit", "diagram", "symbolic", "plain", "delay", "abstract")


@pytest.mark.parametrize("batch", range(BATCHES))
def test_markers_say_what_brute_force_sees(batch: int) -> None:
    marks: Counter[str] = Counter()
    for seed in range(batch, sized(1000), BATCHES):
        rng = Random(seed)
        program, findings = random_case(rng, (SMALL, SMALL, KNOWING, EXCHANGED)[seed // 4 % 4])
        program = with_bare_ends(program) if seed % 3 == 0 else program
        brute = known(program, findings)
        for run in runs(program, rng):
            options = chosen(rng)
            seen = watched(run, options)
            assert [*contradictions(seen, brute, lines_of(program))] == [], (seed, options)
            marks.update(marker.mark for marker in seen)
    assert {"reached", "violated", "unreached"} <= set(marks), marks


@pytest.mark.parametrize("batch", range(BATCHES))
def test_a_line_is_marked_in_the_first_round_that_shows_it(batch: int) -> None:
    for seed in range(batch, sized(500), BATCHES):
        rng = Random(seed)
        program, findings = random_case(rng)
        if not findings.collapsed or findings.exact is not None:
            continue
        brute = known(program, findings)
        engine = rng.choice(["explicit", "diagram", "symbolic"])
        options = Options(engine=engine, strengths=(), limits=Limits(timeout=60, max_contexts=12))
        seen: list[Marker] = []
        result = explore(program, replace(options, markers=seen.append))
        assert [*contradictions(seen, brute, lines_of(program))] == [], seed
        if result.verdict == "collapsed":
            assert missing(program, seen, brute) == [], seed
        for marker in seen:
            if marker.mark == "reached":
                assert marker.round is not None
                first = brute.reached[marker.file, marker.line]
                assert first - 1 <= marker.round <= first, (seed, str(marker))
                assert marker.contexts in (marker.round, marker.round + 1)


@pytest.mark.parametrize("batch", range(BATCHES))
def test_threads_that_are_forked_reach_what_brute_force_sees(batch: int) -> None:
    marks: Counter[str] = Counter()
    for seed in range(batch, sized(300), BATCHES):
        rng = Random(seed)
        kind = seed // BATCHES % 3
        text = random_crew(rng) if kind == 2 else random_fork_program(rng, compares=kind == 1)
        program = load(text)
        try:
            brute = known_with_forks(program)
        except TooLargeError:
            continue
        limits = Limits(timeout=60, max_contexts=4)
        options = Options(limits=limits, slots=rng.choice([0, 1, 2, 3]))
        if rng.random() < 0.3:
            options = replace(options, limits=Limits(timeout=60), contexts=rng.randint(1, 4))
        for run in runs(program, rng):
            seen = watched(run, options)
            assert [*contradictions(seen, brute)] == [], (seed, options)
            marks.update(marker.mark for marker in seen)
    assert {"reached", "violated", "unreached"} <= set(marks), marks


@pytest.mark.parametrize("batch", range(BATCHES))
def test_what_instances_reach_is_reached(batch: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(open_driver, "FIRST_SECONDS", 0.3)
    monkeypatch.setattr(open_driver, "STAGES", 2)
    sizes = Sizes(threads=2, count=1, helpers=1, locations=4, states=200)
    for seed in range(batch, sized(80), BATCHES):
        program, _ = random_case(Random(seed), sizes)
        if program.lock is not None or not assertions(program):
            continue
        first, *others = (replace(thread, count=1) for thread in program.threads)
        many = replace(program, threads=(replace(first, count=3), *others))
        try:
            brute = known(many, brute_force(many, most=1500))
        except TooLargeError:
            continue
        open_one = replace(program, threads=(replace(first, count=None), *others))
        options = Options(limits=Limits(timeout=20))
        seen = watched(partial(run_verify, open_one), options)
        assert [*contradictions(seen, brute)] == [], seed


def test_the_lines_of_races_are_reached() -> None:
    marks: Counter[str] = Counter()
    for seed in range(sized(200)):
        program, findings = random_case(Random(seed))
        if program.lock is not None:
            continue
        questions = [*races(program), *assertions(program)]
        options = Options(limits=LIMITS)
        seen = watched(partial(run_all, program, questions), options)
        brute = replace(known(program, findings), violated={})
        assert [
            text
            for text in contradictions(seen, brute, lines_of(program))
            if "violated" not in text
        ] == [], seed
        marks.update(marker.mark for marker in seen)
    assert {"reached", "violated"} <= set(marks), marks


@pytest.mark.parametrize("batch", range(BATCHES))
def test_fused_steps_and_equal_threads_hide_no_line_until_the_end(batch: int) -> None:
    """What a complete exploration has reached, its rounds have shown."""
    complete = 0
    for seed in range(batch, sized(500), BATCHES):
        rng = Random(seed)
        sizes = (SMALL, KNOWING, EXCHANGED)[seed // BATCHES % 3]
        program, findings = random_case(rng, sizes)
        program = with_bare_ends(program) if rng.random() < 0.3 else program
        engine = rng.choice(["explicit", "diagram", "symbolic", "plain"])
        limits = LIMITS if counts_contexts(engine) else Limits(timeout=1)
        seen: list[Marker] = []
        options = Options(engine=engine, strengths=(), limits=limits, markers=seen.append)
        if verify(program, deadlock(), options).verdict == "safe":
            complete += 1
            brute = known(program, findings)
            assert [*contradictions(seen, brute, lines_of(program))] == [], seed
            assert missing(program, seen, brute) == [], seed
            late = [marker for marker in seen if marker.mark == "reached" and not marker.engine]
            assert late == [], seed
    assert complete


def run_verify(program: Program, options: Options) -> object:
    return verify(program, None, options)


def run_all(program: Program, questions: list[Question], options: Options) -> object:
    return verify_all(program, questions, options)


def runs(program: Program, rng: Random) -> list[Callable[[Options], object]]:
    """Several ways to ask for markers."""
    found: list[Callable[[Options], object]] = [
        lambda options: explore(program, replace(options, contexts=None)),
        lambda options: verify(program, deadlock(), options),
    ]
    if assertions(program):
        found.append(partial(run_verify, program))
        question = rng.choice(assertions(program))
        found.append(lambda options: verify_all(program, question, options))
    return found


def chosen(rng: Random) -> Options:
    engine = rng.choice(ENGINES)
    options = Options(
        engine=engine,
        limits=LIMITS if counts_contexts(engine) else Limits(timeout=1),
        symmetry=rng.random() < 0.7,
        liveness=rng.random() < 0.8,
        fusion=rng.random() < 0.7,
        small_sorts=rng.random() < 0.7,
        jobs=rng.choice([1, 1, 1, 2]) if engine == "auto" else 1,
    )
    if not counts_delays(engine):
        strengths = parse_strength(rng.choice(["auto", "auto", "off", "cut", "omega-l"]))
        options = replace(options, strengths=strengths)
    if engine == "auto" and rng.random() < 0.2:
        options = replace(options, contexts=rng.randint(1, 4), limits=Limits(timeout=60))
    return options


def missing(program: Program, seen: list[Marker], brute: Known) -> list[str]:
    """Lines with the wrong mark, or none, after everything was explored."""
    marks = {(marker.file, marker.line): marker.mark for marker in seen}
    expected = {
        line: "reached" if line in brute.reached else "unreached" for line in lines_of(program)
    }
    return [f"{line}: {marks.get(line)}" for line in expected if marks.get(line) != expected[line]]
