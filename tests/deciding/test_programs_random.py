"""tepui against brute force on random programs: every verdict, bound and reachable location."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from random import Random

import pytest

from support.generators.copying_programs import random_open_program
from support.generators.programs import EXCHANGED, KNOWING, random_case, with_bare_ends
from support.oracles.program_interpreter import Place, TooLargeError
from support.oracles.programs import Answers, Fact, compare
from support.oracles.programs import explore as brute_force
from support.sizes import FUZZING, sized
from tepui.deciding import Options, explore, verify, verify_all
from tepui.engines.registry import counts_contexts
from tepui.limits import Limits
from tepui.program.layout import Layout
from tepui.program.program import Program
from tepui.program.questions import Question, assertions, deadlock, never_together, unreachable
from tepui.result import Result
from tepui.z import parse_strength

pytestmark = pytest.mark.fuzz

BATCHES = 4

LIMITS = Limits(max_contexts=12, timeout=60)
WITHOUT_CONTEXTS = Limits(timeout=3)
"""Some programs have no end; what they show within these limits is compared."""

ENGINES: tuple[str, ...] = ("auto", "auto", "explicit", "diagram", "symbolic", "plain")

STRENGTHS = ("auto", "auto", "off", "cut", "omega-l", "omega-ll")


@pytest.mark.parametrize("batch", range(BATCHES))
def test_verdicts_bounds_and_locations_are_those_of_brute_force(
    fuzz_systems: int, batch: int
) -> None:
    for seed in range(batch, fuzz_systems if FUZZING else fuzz_systems // 2, BATCHES):
        program, findings = random_case(Random(seed))
        program = with_bare_ends(program) if seed % 3 == 0 else program
        for answers in all_answers(program, Random(seed)):
            assert compare(program, answers, findings) == [], seed


@pytest.mark.parametrize("batch", range(BATCHES))
def test_threads_that_know_themselves_do_what_brute_force_finds(batch: int) -> None:
    for seed in range(batch, sized(160), BATCHES):
        program, findings = random_case(Random(seed), (KNOWING, EXCHANGED)[seed // BATCHES % 2])
        for answers in all_answers(program, Random(seed)):
            assert compare(program, answers, findings) == [], seed


@pytest.mark.parametrize("batch", range(BATCHES))
def test_copies_of_what_has_no_value_do_what_brute_force_finds(batch: int) -> None:
    for seed in range(batch, sized(80), BATCHES):
        program = random_open_program(seed)
        try:
            findings = brute_force(program, most=1500)
        except TooLargeError:
            continue
        for answers in all_answers(program, Random(seed)):
            assert compare(program, answers, findings) == [], seed


def all_answers(program: Program, rng: Random) -> Iterator[Answers]:
    """What tepui says, by several ways to ask it."""
    engine = rng.choice(ENGINES)
    options = Options(
        limits=LIMITS if counts_contexts(engine) else WITHOUT_CONTEXTS,
        symmetry=rng.random() < 0.7,
        liveness=rng.random() < 0.8,
        fusion=rng.random() < 0.7,
        small_sorts=rng.random() < 0.7,
        strengths=parse_strength(rng.choice(STRENGTHS)),
        engine=engine,
    )
    yield from _assertions(program, options)
    yield _coverage(program, options)
    yield _asked(program, Fact("deadlock"), deadlock(), options)
    labels = _labels(program)
    for label in sorted({name for _, name in labels}):
        yield _asked(program, Fact("label", (label,)), unreachable(program, label), options)
    for left, right in pairwise(labels):
        yield from _together(program, left, right, options)


def _assertions(program: Program, options: Options) -> Iterator[Answers]:
    """Each assertion by itself, and all together."""
    questions = assertions(program)
    if not questions:
        return
    first = Layout(program).violation(0)
    for answer in verify_all(program, questions, options):
        assert answer.question.point is not None
        yield _answers(Fact("violated", (answer.question.point - first,)), answer.result)
    yield _answers(Fact("unsafe"), verify(program, options=options))


def _coverage(program: Program, options: Options) -> Answers:
    result = explore(program, options)
    assert result.reached.points is not None
    layout = Layout(program)
    statements = [
        point for point in range(layout.waiting) if not layout.is_bare_end(point)
    ]  # Of mere ends of procedures nobody wants to know.
    found: dict[Fact, int | None] = {
        Fact("covered", (_place(layout, thread_type, point),)): None
        for (thread_type, _), points in zip(layout.templates, result.reached.points(), strict=True)
        for point in points
        if point in statements
    }
    every = [
        Fact("covered", (_place(layout, thread, point),))
        for thread in range(len(program.threads))
        for point in statements
    ]
    return Answers(every if result.verdict == "collapsed" else list(found), found)


def _together(
    program: Program, left: tuple[str, str], right: tuple[str, str], options: Options
) -> Iterator[Answers]:
    """If two places are never reached together, none of the facts that say so holds."""
    question = never_together(program, ":".join(left), ":".join(right))
    (answer,) = verify_all(program, [question], options)
    result = answer.result
    facts = [
        Fact("together", tuple(sorted((one, other))))
        for one in _places(program, left)
        for other in _places(program, right)
    ]
    if result.verdict == "safe":
        yield Answers(facts, {})
    elif result.verdict == "unsafe" and result.bound and result.knows_fewest_contexts:
        yield Answers(facts, {}, result.bound - 1)


def _asked(program: Program, fact: Fact, question: Question, options: Options) -> Answers:
    (answer,) = verify_all(program, [question], options)
    return _answers(fact, answer.result)


def _answers(fact: Fact, result: Result) -> Answers:
    if result.verdict == "unsafe":
        return Answers([fact], {fact: result.bound if result.knows_fewest_contexts else None})
    if result.verdict == "safe":
        return Answers([fact], {})
    return Answers([fact], {}, len(result.rounds) - 1 if counts_contexts(result.engine) else 0)


def _labels(program: Program) -> list[tuple[str, str]]:
    """The labels of statements, each with its procedure."""
    found = {
        (procedure.name, label)
        for procedure in program.procedures
        for location in procedure.locations
        if location.text
        for label in location.labels
    }
    return sorted(found)


def _places(program: Program, label: tuple[str, str]) -> list[Place]:
    procedure = program.by_name[label[0]]
    return [
        (thread.name, procedure.name, number)
        for thread in program.threads
        for number, location in enumerate(procedure.locations)
        if label[1] in location.labels
    ]


def _place(layout: Layout, thread: int, point: int) -> Place:
    procedure, number = layout.locations[point]
    program = layout.program
    return program.threads[thread].name, program.procedures[procedure].name, number
