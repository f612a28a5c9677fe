"""Random programs with any number of threads: every answer against brute force for some numbers."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest

from support.generators.programs import Sizes, random_program
from support.oracles.program_interpreter import TooLargeError
from support.oracles.programs import Answers, Fact, compare
from support.oracles.programs import explore as brute_force
from support.sizes import sized
from tepui.deciding import Options, open_driver, verify
from tepui.limits import Limits
from tepui.program.program import Program
from tepui.program.questions import assertions
from tepui.records import replace

pytestmark = pytest.mark.fuzz

SMALL = Sizes(threads=2, count=1, helpers=1, locations=4, states=200)

BATCHES = 4


@pytest.fixture(autouse=True)
def short_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(open_driver, "FIRST_SECONDS", 0.3)
    monkeypatch.setattr(open_driver, "STAGES", 3)


@pytest.mark.parametrize("batch", range(BATCHES))
def test_answers_for_any_number_hold_for_the_numbers_that_brute_force_explores(batch: int) -> None:
    verdicts = set()
    for seed in range(batch, sized(160), BATCHES):
        program = random_program(Random(seed), SMALL)
        kind = Random(seed).randrange(len(program.threads))
        if program.lock is not None or not assertions(program):
            continue
        result = verify(with_count(program, kind, None), options=Options(limits=Limits(timeout=20)))
        verdicts.add(result.verdict)
        assert result.checked or result.verdict == "unknown", seed
        name = program.threads[kind].name
        for count, fixed, claims in fixed_numbers(program, kind):
            if result.verdict == "safe":
                claims = Answers([Fact("unsafe")], {})
            elif result.verdict == "unsafe":
                assert result.threads is not None
                assert result.threads.counts is not None
                if result.threads.counts[name] == count:
                    bound = result.bound if result.bound_is_fewest else None
                    claims = Answers([Fact("unsafe")], {Fact("unsafe"): bound})
                elif count < result.threads.counts[name] and result.threads.is_fewest:
                    claims = Answers([Fact("unsafe")], {})
            elif result.threads is not None and count <= (result.threads.safe_up_to or 0):
                claims = Answers([Fact("unsafe")], {})
            try:
                assert compare(fixed, claims, brute_force(fixed, most=1500)) == [], (seed, count)
            except TooLargeError:
                break
    assert {"safe", "unsafe"} <= verdicts or sized(160) < 160


def with_count(program: Program, kind: int, count: int | None) -> Program:
    """The program with another number of threads of one type."""
    threads = [
        replace(thread, count=count if number == kind else 1)
        for number, thread in enumerate(program.threads)
    ]
    return replace(program, threads=tuple(threads))


def fixed_numbers(program: Program, kind: int) -> Iterator[tuple[int, Program, Answers]]:
    """The program with 1, 2 and 3 threads of a type, about which nothing is claimed yet."""
    for count in (1, 2, 3):
        yield count, with_count(program, kind, count), Answers([], {})
