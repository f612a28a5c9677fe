"""Forked threads as threads of types: whatever a random program does, the one with types does too.

Both are run by the interpreter with really dynamic threads. What the first one shows within some
contexts, the other one must show within as many.
"""

from __future__ import annotations

from random import Random

import pytest

from support.boolean_flows import load
from support.generators.fork_programs import random_fork_program
from support.oracles.fork_interpreter import explore
from support.oracles.program_interpreter import TooLargeError
from support.sizes import sized
from tepui.checker.programs.program_check import derivation_of
from tepui.errors import ModelError
from tepui.program.passes.forked_types import with_forked_types
from tepui.program.passes.instances import instance, within

pytestmark = pytest.mark.fuzz

BATCHES, CONTEXTS, THREADS = 4, 2, 2


@pytest.mark.parametrize("batch", range(BATCHES))
def test_types_do_whatever_forked_threads_do(batch: int) -> None:
    compared = refused = 0
    for seed in range(batch, sized(240), BATCHES):
        program = load(random_fork_program(Random(seed), compares=seed % 5 == 0))
        try:
            types = with_forked_types(program)
        except ModelError:
            refused += 1
            continue
        among = instance(types, dict.fromkeys(types.any_number, THREADS), within(0))
        derivation_of(among).check()
        try:
            seen = explore(program, CONTEXTS, threads=1 + THREADS, height=3, most=100)
            others = explore(among, CONTEXTS, threads=99, height=4, most=1_000)
        except TooLargeError:
            continue
        compared += 1
        for fact, contexts in seen.found.items():
            if fact[0] != "deadlock" and others.knows(contexts):
                assert others.found.get(fact, CONTEXTS + 1) <= contexts, (seed, fact)
    if sized(240) >= 60:
        assert compared > sized(6) / BATCHES
        assert refused
