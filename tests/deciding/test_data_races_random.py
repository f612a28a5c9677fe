"""Data races in random programs: tepui against an oracle that looks at every state."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from random import Random

import pytest

from support.generators.fork_programs import random_fork_program
from support.generators.race_programs import random_race_case
from support.oracles.program_interpreter import TooLargeError
from support.oracles.races import OfForks, OfProgram, fork_states, racing
from tepui.api import loads
from tepui.deciding import Options, verify_all
from tepui.limits import Limits
from tepui.program.program import Program
from tepui.program.questions import races
from tepui.z import parse_strength

pytestmark = pytest.mark.fuzz

BATCHES = 4
ENGINES = ("auto", "auto", "explicit", "diagram", "symbolic")
STRENGTHS = ("auto", "auto", "off", "cut", "omega-l", "omega-ll")


@pytest.mark.parametrize("batch", range(BATCHES))
def test_races_are_those_of_brute_force(fuzz_systems: int, batch: int) -> None:
    for seed in range(batch, fuzz_systems // 8, BATCHES):
        rng = Random(seed)
        program, findings = random_race_case(rng)
        threads = OfProgram(program)
        found = racing(threads, findings.rounds[-1])
        exact = findings.collapsed and findings.exact is None and not threads.cut
        assert list(contradictions(program, found, exact, options(rng))) == [], seed


@pytest.mark.parametrize("batch", range(BATCHES))
def test_races_of_forked_threads_are_those_of_brute_force(fuzz_systems: int, batch: int) -> None:
    for seed in range(batch, fuzz_systems // 15, BATCHES):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            program = loads(random_fork_program(Random(seed)), "bp")
        assert isinstance(program, Program)
        try:
            states, exact = fork_states(program, most=2000)
        except TooLargeError:
            continue
        threads = OfForks(program)
        found = racing(threads, states)
        limited = Options(limits=Limits(max_contexts=3, timeout=20))
        assert list(contradictions(program, found, exact and not threads.cut, limited)) == [], seed


def options(rng: Random) -> Options:
    return Options(
        limits=Limits(max_contexts=12, timeout=60),
        symmetry=rng.random() < 0.7,
        fusion=rng.random() < 0.7,
        liveness=rng.random() < 0.8,
        strengths=parse_strength(rng.choice(STRENGTHS)),
        engine=rng.choice(ENGINES),
    )


def contradictions(
    program: Program, found: set[str], exact: bool, chosen: Options
) -> Iterator[str]:
    """Where an answer about a variable differs from what brute force has found. If that is not
    exact, it may have missed something."""
    answers = {
        answer.question.text.removeprefix("no data race on "): answer.result.verdict
        for answer in verify_all(program, races(program), chosen)
    }
    for name in found:
        if answers.get(name, "not asked") not in ("unsafe", "unknown"):
            yield f"{name} races, and the answer is {answers.get(name, 'not asked')}"
    for name, verdict in answers.items():
        if exact and name not in found and verdict == "unsafe":
            yield f"{name} does not race, and the answer is unsafe"
