"""Programs that copy and compare values: with all values and with fewer, tepui against an
interpreter that chooses every value at once."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest

from support.boolean_flows import load
from support.generators.copying_programs import random_copying_fork, random_copying_program
from support.oracles.program_interpreter import TooLargeError
from support.oracles.programs import Answers, Fact, compare, explore
from support.sizes import sized
from tepui.deciding import Options, verify, verify_all
from tepui.limits import Limits
from tepui.program.program import Program
from tepui.program.questions import assertions, deadlock, unreachable
from tepui.result import Result

LIMITS = Limits(max_contexts=12, timeout=60)
FEW = Limits(max_contexts=3, timeout=60)
BATCHES = 4
MOST_STATES = 3000


@pytest.mark.fuzz
@pytest.mark.parametrize("batch", range(BATCHES))
def test_fewer_values_give_the_answers_of_brute_force(batch: int) -> None:
    smaller = 0
    for seed in range(batch, sized(200), BATCHES):
        program = random_copying_program(seed)
        if program is None:
            continue
        try:
            findings = explore(program, most=MOST_STATES)
        except TooLargeError:
            continue
        for small in (True, False):
            options = _options(Random(seed), small=small)
            for answers, result in _answers(program, options):
                assert compare(program, answers, findings) == [], seed
                assert bool(result.subject.sorts) == small, seed
                smaller += small
    assert smaller


@pytest.mark.fuzz
@pytest.mark.parametrize("batch", range(BATCHES))
def test_fewer_values_change_nothing_for_programs_that_fork(batch: int) -> None:
    verdicts = set()
    for seed in range(batch, sized(48), BATCHES):
        program = load(random_copying_fork(seed))
        for question in (*assertions(program), deadlock()):
            with_all, with_few = (
                verify(program, question, Options(limits=FEW, slots=2, small_sorts=small))
                for small in (False, True)
            )
            assert not with_all.subject.sorts, seed
            assert with_few.subject.sorts, seed
            assert with_all.verdict == with_few.verdict, (seed, question.text)
            assert with_all.bound == with_few.bound, (seed, question.text)
            verdicts.add(with_few.verdict)
    assert verdicts >= {"safe", "unsafe"}


def _options(rng: Random, *, small: bool) -> Options:
    return Options(
        limits=LIMITS,
        small_sorts=small,
        engine=rng.choice(["auto", "auto", "explicit", "diagram", "symbolic"]),
        symmetry=rng.random() < 0.7,
        liveness=rng.random() < 0.8,
        fusion=rng.random() < 0.5,
    )


def _answers(program: Program, options: Options) -> Iterator[tuple[Answers, Result]]:
    """What is found about every assertion and label, and about deadlocks."""
    questions = {Fact("deadlock"): deadlock()}
    for number, question in enumerate(assertions(program)):
        questions[Fact("violated", (number,))] = question
    for procedure in program.procedures:
        for location in procedure.locations:
            for label in location.labels:
                questions[Fact("label", (label,))] = unreachable(program, label)
    found = verify_all(program, questions.values(), options)
    for fact, answer in zip(questions, found, strict=True):
        yield _claim(fact, answer.result), answer.result
    if assertions(program):
        result = verify(program, options=options)
        yield _claim(Fact("unsafe"), result), result


def _claim(fact: Fact, result: Result) -> Answers:
    if result.verdict == "unsafe":
        return Answers([fact], {fact: result.bound})
    return Answers([fact], {}, None if result.verdict == "safe" else len(result.rounds) - 1)
