"""The explanations of deadlocks in random programs, against brute force."""

from __future__ import annotations

from random import Random

import pytest

from support.generators.copying_programs import random_open_program
from support.generators.fork_programs import random_fork_program
from support.generators.programs import EXCHANGED, KNOWING, SMALL, random_case, with_bare_ends
from support.oracles.deadlocks import wrong_statements
from support.oracles.program_interpreter import TooLargeError
from support.sizes import sized
from tepui.api import loads
from tepui.deciding import Options, verify
from tepui.limits import Limits
from tepui.program.program import Program
from tepui.program.questions import deadlock
from tepui.result import Result
from tepui.subject.story import ProgramStory

pytestmark = pytest.mark.fuzz

BATCHES = 4
OPTIONS = Options(limits=Limits(max_contexts=8, timeout=60))


@pytest.mark.parametrize("batch", range(BATCHES))
def test_what_is_said_about_a_deadlock_is_what_brute_force_finds(batch: int) -> None:
    said: set[str] = set()
    for seed in range(batch, sized(480), BATCHES):
        program = _program(seed)
        result = verify(program, deadlock(), OPTIONS)
        if result.deadlock is not None:
            try:
                assert wrong_statements(program, result) == [], seed
            except TooLargeError:
                continue
            said |= _what_is_said(result)
    assert {"condition", "written", "chances", "hopeless"} <= said


@pytest.mark.filterwarnings("ignore:.*assigned twice")
def test_forked_threads_have_their_own_names() -> None:
    joins = 0
    for seed in range(sized(80)):
        program = loads(random_fork_program(Random(seed), compares=seed % 8 < 4), "bp")
        assert isinstance(program, Program)
        result = verify(program, deadlock(), Options(limits=Limits(max_contexts=5, timeout=60)))
        if result.deadlock is not None:
            joins += _joins_that_name_threads_of_the_trace(result, seed)
    assert joins > 0


def _joins_that_name_threads_of_the_trace(result: Result, seed: int) -> int:
    """The number of joins of which this is so; each thread of the trace is there once."""
    assert result.trace is not None
    assert result.deadlock is not None
    story = result.trace.story
    assert isinstance(story, ProgramStory)
    forked = {each.name for each in story.forked}
    names = [thread.name for thread in result.deadlock.threads]
    assert names == [rest.thread for rest in story.resting], seed
    assert len(set(names)) == len(names), seed
    assert set(names) <= {"main"} | forked, seed
    last = list(story.valuations())[-1]
    joins = 0
    for thread in result.deadlock.stuck:
        assert thread.needs, seed
        for need in thread.needs:
            if need.kind == "join":
                (seen,) = need.values
                local = {each.name: each.value for each in thread.stack[0].locals}
                value = {**last, **local}.get(seen.name, seen.value)
                assert seen.inside or value == seen.value, seed
                assert [each.thread for each in need.chances] == [
                    name for name in names if name == seen.value and name in forked
                ], seed
                assert need.hopeless == (not need.chances), seed
                joins += bool(need.chances)
    return joins


def _program(seed: int) -> Program:
    kind = seed // BATCHES % 4
    if kind == 3:
        return random_open_program(seed)
    program, _ = random_case(Random(seed), (SMALL, KNOWING, EXCHANGED)[kind])
    return with_bare_ends(program) if seed % 3 == 0 else program


def _what_is_said(result: Result) -> set[str]:
    assert result.deadlock is not None
    needs = [need for thread in result.deadlock.threads for need in thread.needs]
    words = {str(need.kind) for need in needs}
    words |= {"written" for need in needs if need.written}
    words |= {"chances" for need in needs if need.chances}
    return words | {"hopeless" for need in needs if need.hopeless}
