"""Programs with any number of threads, against exploration with few of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from random import Random

import pytest

import tepui
from support.generators.crowd_programs import random_crowd
from support.generators.programs import random_program
from support.oracles.nets import TooManyMarkingsError, backward
from support.sizes import FUZZING, sized
from tepui.checker.evidence import Bad
from tepui.checker.net_search import NoNet
from tepui.checker.programs.program_net import bad_of, program_net, refuse
from tepui.counting.program_coverability import CoveredProgram, cover_program
from tepui.limits import Limits, Meter
from tepui.model import Property
from tepui.program.program import Program
from tepui.program.questions import Question, asked_of

PARTS = 4
MOST = 5 if FUZZING else 3
"""Safe programs are explored with up to this many threads of each type."""

MOST_PLACES = 12
"""Brute force looks at no larger nets."""

Places = tuple[tuple[int, ...], ...]


@pytest.mark.parametrize("part", range(PARTS))
def test_fixed_numbers_of_threads_are_decided_as_by_exploration(part: int) -> None:
    verdicts: Counter[str] = Counter()
    for seed in range(part, sized(160), PARTS):
        rng = Random(seed)
        program = random_program(rng)
        for places in _some_places(rng, program):
            found = _covered(program, bad_of(program, places))
            verdicts[found.verdict] += 1
            if found.verdict != "refused":
                assert found.verdict == _explored(program, places), (seed, places)
    assert min(verdicts["safe"], verdicts["unsafe"]) > sized(20) / PARTS


@pytest.mark.parametrize("part", range(PARTS))
def test_any_number_of_threads_is_decided_as_by_exploration_with_few(part: int) -> None:
    verdicts: Counter[str] = Counter()
    for seed in range(part, sized(160), PARTS):
        rng = Random(seed)
        program = random_program(rng)
        many = replace(
            program,
            threads=tuple(
                replace(one, count=None if rng.random() < 0.7 else one.count)
                for one in program.threads
            ),
        )
        for places in _some_places(rng, program):
            found = _covered(many, bad_of(many, places))
            verdicts[found.verdict] += 1
            if found.enough is not None:
                few = _with_counts(many, found.enough.counts)
                assert _explored(few, places) == "unsafe", (seed, places)
            elif found.verdict == "safe":
                for most in range(1, MOST + 1):
                    counts = {each.name: each.count or most for each in many.threads}
                    assert _explored(_with_counts(many, counts), places) == "safe", (seed, places)
    assert min(verdicts["safe"], verdicts["unsafe"]) > sized(20) / PARTS


@pytest.mark.parametrize("part", range(PARTS))
def test_forked_threads_are_decided_as_by_exploration_with_few(part: int) -> None:
    verdicts: Counter[str] = Counter()
    for seed in range(part, sized(160), PARTS):
        for program, question in _some_crowd(Random(seed)):
            found = _covered(program, bad_of(program, question.places))
            verdicts[found.verdict] += 1
            if found.enough is not None:
                options = tepui.Options(slots=found.enough.forked, limits=Limits(timeout=60))
                assert tepui.verify(program, question, options).verdict == "unsafe", seed
            else:
                assert found.verdict == "safe", seed
                options = tepui.Options(limits=Limits(max_contexts=MOST))
                assert tepui.verify(program, question, options).verdict != "unsafe", seed
    assert min(verdicts["safe"], verdicts["unsafe"]) > sized(20) / PARTS


@pytest.mark.parametrize("part", range(PARTS))
def test_the_net_is_decided_as_by_brute_force(part: int) -> None:
    verdicts: Counter[bool] = Counter()
    for seed in range(part, sized(120), PARTS):
        for program, question in _some_crowd(Random(seed)):
            bad = bad_of(program, question.places)
            net = program_net(program, bad).net
            if len(net.places) > MOST_PLACES:
                continue
            try:
                expected = backward(net)
            except TooManyMarkingsError:
                continue
            assert (_covered(program, bad).verdict == "unsafe") == expected, seed
            verdicts[expected] += 1
    assert min(verdicts.values()) > sized(12) / PARTS


def _some_crowd(rng: Random) -> Iterator[tuple[Program, Question]]:
    """A random program that forks, and questions whether two threads can be at two places."""
    text = random_crowd(rng)
    program = tepui.loads(text, "bp")
    labels = [f"L{number}" for number in range(1, text.count(": ") + 1) if f"L{number}: " in text]
    for _ in range(3):
        yield program, tepui.never_together(program, rng.choice(labels), rng.choice(labels))


def _covered(program: Program, bad: list[Bad]) -> CoveredProgram:
    """The answer, whose certificate the checker has accepted."""
    found = cover_program(program, bad, Meter(Limits(timeout=60)))
    if found.evidence is not None:
        found.evidence.check_program(program, bad, lambda: True)
    assert (found.evidence is not None) == (found.verdict == "safe")
    assert (found.enough is not None) == (found.verdict == "unsafe")
    return found


def _explored(program: Program, places: Places) -> str:
    question = Question("unreachable", "asked", Property(), places=places)
    return tepui.verify(program, asked_of(program, question)).verdict


def _some_places(rng: Random, program: Program) -> Iterator[Places]:
    """Points where one thread, or two, must not be."""
    try:
        refuse(program)
    except NoNet:
        yield ((0,),)
        return
    layout = program.layout
    points = [*range(layout.waiting), *range(layout.violation(0), layout.points)]
    for _ in range(2):
        yield (tuple(rng.sample(points, min(2, len(points)))),)
        yield ((rng.choice(points),), (rng.choice(points),))


def _with_counts(program: Program, counts: Mapping[str, int]) -> Program:
    threads = tuple(replace(one, count=counts[one.name]) for one in program.threads)
    return replace(program, threads=threads)
