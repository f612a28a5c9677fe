"""Random programs are worth the time: valid, reproducible, and with every feature often enough."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import cache
from random import Random

import pytest

from support.generators.programs import random_case, random_program
from support.generators.smaller_programs import minimised, smaller
from support.oracles.program_interpreter import TooLargeError
from support.oracles.programs import Fact, Findings, explore
from tepui.program.program import Program
from tepui.program.validate import validate

pytestmark = pytest.mark.xdist_group("random programs")
"""They are made once."""

CASES = 200


@cache
def cases() -> list[tuple[Program, Findings]]:
    return [random_case(Random(seed)) for seed in range(CASES)]


def test_random_programs_are_valid() -> None:
    for program, _ in cases():
        validate(program)


def test_a_seed_gives_the_same_program_every_time() -> None:
    for seed in range(20):
        assert random_program(Random(seed)) == cases()[seed][0]


def test_every_construct_occurs_in_many_programs() -> None:
    texts = [repr(vars(program)) for program, _ in cases()]
    for name in (
        "Step",
        "Call",
        "Receive",
        "Return",
        "Assert",
        "Create",
        "End",
        "Array",
        "Enumeration",
        "Bounded",
        "Choice",
        "Conditional",
        "ReadElement",
    ):
        assert share(f"{name}(" in text for text in texts) > 0.1, name
    for words in (
        "'wrap'",
        "'saturate'",
        "'block'",
        "after=True",
        "atomic=True",
        "created=True",
        "initial=None",
        "operator='minus'",
    ):
        assert share(words in text for text in texts) > 0.05, words
    assert share(program.lock is not None for program, _ in cases()) > 0.05


def test_violations_come_early_and_late_and_often_not_at_all() -> None:
    first = Counter(findings.first("unsafe") for _, findings in cases())
    assert first[None] > 0.3 * CASES
    assert first[1] > 0.1 * CASES
    assert first[2] > 0.1 * CASES
    assert first[3] > 0.03 * CASES


def test_deadlocks_come_early_and_late_and_often_not_at_all() -> None:
    first = Counter(findings.first("deadlock") for _, findings in cases())
    assert first[None] > 0.3 * CASES
    assert all(first[k] > 0.03 * CASES for k in (0, 1, 2, 3))


def test_calls_are_made_and_return_and_recursion_is_exercised() -> None:
    heights = [
        max(len(stack or ()) for state in findings.rounds[-1] for stack in state.stacks)
        for _, findings in cases()
    ]
    assert share(height > 1 for height in heights) > 0.25
    assert share(height > 2 for height in heights) > 0.1
    assert share(findings.exact is not None for _, findings in cases()) > 0.05
    assert share(findings.exact is None for _, findings in cases()) > 0.6
    received = [
        any(state.results is not None for state in findings.rounds[-1]) for _, findings in cases()
    ]
    assert share(received) > 0.05


def test_atomic_sections_are_passed_and_do_block() -> None:
    assert share(passes_inside(*case) for case in cases()) > 0.25
    assert share(findings.blocked for _, findings in cases()) > 0.1
    assert share(calls_inside(*case) for case in cases()) > 0.03


def test_created_threads_do_start_and_locks_are_held() -> None:
    started = [
        any(
            thread.created and any(about(fact) == thread.name for fact in findings.found)
            for thread in program.threads
        )
        for program, findings in cases()
    ]
    assert share(started) > 0.1
    held = [
        any(state.holder is not None for state in findings.rounds[-1]) for _, findings in cases()
    ]
    assert share(held) > 0.02


def test_smaller_variants_are_valid_and_differ() -> None:
    for program, _ in cases()[:40]:
        variants = list(smaller(program))
        assert variants
        for variant in variants:
            validate(variant)
            assert variant != program


def test_a_minimised_program_still_fails_and_no_smaller_one_does() -> None:
    def fails(program: Program) -> bool:
        try:
            return explore(program, contexts=4, depth=4, most=400).first("unsafe") == 2
        except TooLargeError:
            return False

    failing = [program for program, _ in cases()[:80] if fails(program)]
    assert len(failing) > 3
    for program in failing[:8]:
        small = minimised(program, fails)
        assert fails(small)
        assert not any(map(fails, smaller(small)))
        assert sum(len(procedure.edges) for procedure in small.procedures) <= 6


def passes_inside(program: Program, findings: Findings) -> bool:
    return any(
        program.by_name[what[0][1]].locations[what[0][2]].atomic
        for kind, what in findings.found
        if kind == "covered" and isinstance(what[0], tuple)
    )


def calls_inside(program: Program, findings: Findings) -> bool:
    """Whether some location is passed, though no one rests there and it is not atomic."""
    rested = {
        (stack[-1].procedure, stack[-1].location)
        for state in findings.rounds[-1]
        for stack in state.stacks
        if stack
    }
    numbers = {procedure.name: index for index, procedure in enumerate(program.procedures)}
    return any(
        (numbers[what[0][1]], what[0][2]) not in rested
        and not program.by_name[what[0][1]].locations[what[0][2]].atomic
        for kind, what in findings.found
        if kind == "covered" and isinstance(what[0], tuple)
    )


def about(fact: Fact) -> str | None:
    """The thread type that a fact about one location is about."""
    if fact.kind == "covered" and isinstance(fact.what[0], tuple):
        return fact.what[0][0]
    return None


def share(flags: Iterable[bool]) -> float:
    """How many of some flags are set."""
    return sum(flags) / CASES
