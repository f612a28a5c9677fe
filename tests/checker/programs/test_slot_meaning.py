"""The checker's own idea of programs with slots: the same steps that the pass has made.

The pass is not trusted, and the checker does not look at its result. So where both are right, they
agree step by step.
"""

from __future__ import annotations

from random import Random

import pytest

from support.generators.fork_programs import random_fork_program
from support.generators.stale_names import random_stale_names
from support.samples.fork_texts import CROWD, LOOP, RACE
from support.samples.program_texts import program_of
from tepui.checker.programs.program_check import StateOptions
from tepui.checker.programs.slot_meaning import SlotMeaning
from tepui.checker.programs.slot_shape import SlotShape
from tepui.errors import EvidenceError
from tepui.program.layout import Frame, SharedState
from tepui.program.passes.slots import with_bound, with_slots
from tepui.program.program import Program
from tepui.program.semantics.edges import Configuration
from tepui.program.semantics.meaning import Meaning, meaning_of

MOST_STATES = 300


def differences(program: Program, slots: int, *, liveness: bool, equal: bool = False) -> list[str]:
    """The steps about which the two do not agree, as far as states were looked at."""
    slotted = with_slots(program, slots, equal=equal)
    SlotShape(slotted).check()
    options = StateOptions(liveness=liveness)
    derived, made = SlotMeaning(slotted, options), meaning_of(slotted, options)
    lacking = frozenset(slotted.lack_points)
    threads = range(len(slotted.thread_types))
    start = (made.initial_shared(), tuple(map(made.initial_stack, threads)))
    assert start == (
        derived.initial_shared(),
        tuple(map(derived.initial_stack, threads)),
    )
    known, waiting, found = {start}, [start], []
    while waiting and len(known) < MOST_STATES:
        shared, stacks = waiting.pop(0)
        for thread, stack in enumerate(stacks):
            if not stack or len(stack) > 4:
                continue
            steps = rules(made, thread, shared, stack[0])
            if told(steps, lacking) != told(rules(derived, thread, shared, stack[0]), lacking):
                found.append(f"thread {thread} in {shared} with {stack[0]}")
            for target, word in steps:
                after = (target, (*stacks[:thread], word + stack[1:], *stacks[thread + 1 :]))
                if after not in known:
                    known.add(after)
                    waiting.append(after)
    return found


def rules(
    meaning: Meaning, thread: int, shared: SharedState, top: Frame
) -> frozenset[Configuration]:
    return meaning.rules(thread, shared, top)


def told(steps: frozenset[Configuration], lacking: frozenset[int]) -> frozenset[object]:
    """Steps as they are compared: where slots are lacking, nothing else matters."""
    return frozenset(
        word[0].point if word and word[0].point in lacking else (shared, word)
        for shared, word in steps
    )


@pytest.mark.parametrize("text", [LOOP, RACE, CROWD])
@pytest.mark.parametrize("liveness", [True, False])
def test_both_have_the_same_steps(text: str, liveness: bool) -> None:
    for slots in (1, 2, 3):
        for equal in (False, True):
            assert differences(program_of(text), slots, liveness=liveness, equal=equal) == []


@pytest.mark.fuzz
def test_both_have_the_same_steps_in_random_programs(fuzz_systems: int) -> None:
    for seed in range(fuzz_systems // 8):
        rng = Random(seed)
        forking = random_fork_program(rng, compares=seed % 3 == 0)
        program = program_of(random_stale_names(rng) if seed % 3 == 1 else forking)
        slots = rng.randint(1, 2)
        liveness, equal = rng.random() < 0.7, rng.random() < 0.5
        assert differences(program, slots, liveness=liveness, equal=equal) == [], seed


def test_what_is_made_in_another_way_is_refused() -> None:
    slotted = with_bound(program_of(LOOP), 3)
    SlotShape(slotted).check()
    object.__setattr__(slotted, "slots", 1)
    with pytest.raises(EvidenceError, match="not made as it should be: its number of slots"):
        SlotShape(slotted).check()
