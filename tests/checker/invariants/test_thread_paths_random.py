"""The paths of the invariant checker against the reference semantics, on random programs: from any
state, a thread reaches the same states at which it rests, and violates the same assertions."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random

import pytest

from support.concrete_paths import (
    TooManyError,
    meaning_of,
    outcomes_by_meaning,
    outcomes_by_paths,
    random_state,
)
from support.generators.programs import KNOWING, SMALL, Sizes, any_program
from support.sizes import sized
from tepui.checker.invariants.passing import check_passed
from tepui.checker.invariants.terms import Terms
from tepui.checker.invariants.thread_paths import Paths
from tepui.checker.invariants.values import Refused
from tepui.errors import EvidenceError, TooManyOutcomes
from tepui.program.program import Program

pytestmark = pytest.mark.fuzz

STATES = 8
"""How many states are looked at for each control stack."""


def without_bare_ends(program: Program) -> Program:
    """Every location stands for a statement, so that no call is a tail call."""
    procedures = tuple(
        replace(
            procedure,
            locations=tuple(replace(each, text=each.text or "end") for each in procedure.locations),
        )
        for procedure in program.procedures
    )
    return replace(program, procedures=procedures)


def random_passed(rng: Random, program: Program) -> tuple[int, ...]:
    """Some points that may be passed."""
    found: tuple[int, ...] = ()
    points = list(range(program.layout.waiting))
    rng.shuffle(points)
    for point in points:
        try:
            check_passed(program, (*found, point), ())
        except EvidenceError:
            continue
        if rng.random() < 0.8:
            found = (*found, point)
    return found


@pytest.mark.parametrize("sizes", [SMALL, replace(KNOWING, constants=False)])
def test_paths_lead_where_the_reference_semantics_leads(sizes: Sizes) -> None:
    seen: Counter[str] = Counter()
    for seed in range(sized(2400)):
        rng = Random(seed)
        program = without_bare_ends(any_program(rng, sizes))
        try:
            compare(rng, program, seen)
        except Refused as error:
            seen[f"refused: {str(error).partition('with ')[2][:20]}"] += 1
    print(seen)
    assert seen["programs"] > sized(900)
    assert seen["states"] > 15 * sized(900)


def compare(rng: Random, program: Program, seen: Counter[str]) -> None:
    passed = random_passed(rng, program) if rng.random() < 0.6 else ()
    paths = Paths(program, passed, Terms())
    meaning = meaning_of(program)
    for kind, stacks in enumerate(paths.stacks):
        thread = rng.choice([t for t, of in enumerate(program.thread_types) if of == kind])
        for stack in stacks:
            for _ in range(STATES if stack else 0):
                state = random_state(rng, program, stack)
                try:
                    expected = outcomes_by_meaning(meaning, thread, state, paths)
                    found = outcomes_by_paths(paths, thread, state)
                except (TooManyError, TooManyOutcomes):
                    seen["too many"] += 1
                    continue
                assert found == expected, (program, state, found ^ expected)
                seen["states"] += 1
                seen["outcomes"] += len(found)
                seen["violations"] += sum(isinstance(one, int) for one in found)
    seen["programs"] += 1
    seen["passed"] += len(passed)
    seen["calls"] += any(len(stack) > 1 for stacks in paths.stacks for stack in stacks)
    seen["atomic"] += any(
        location.atomic for procedure in program.procedures for location in procedure.locations
    )
