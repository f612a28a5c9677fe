"""Random questions about whole stacks, and what they mean by definition."""

from __future__ import annotations

from random import Random

import tepui
from support.generators.automata import random_pattern
from support.oracles.systems import State
from tepui.model import Reach, System


def random_reach(rng: Random, system: System) -> Reach:
    """Any shared state or one, and for each thread any stack or a random expression."""
    shared = rng.choice(["*", *system.shared])
    stacks = [
        "*"
        if rng.random() < 0.2 or not system.template_of(thread).symbols[1:]
        else random_pattern(rng, system.template_of(thread).symbols[1:], 3)
        for thread in range(len(system.threads))
    ]
    return tepui.reach(system, f"{shared} | {', '.join(stacks)}").reaches[0]


def fits(asked: Reach, state: State) -> bool:
    """Whether a state is asked for as it is written."""
    shared, stacks = state
    return asked.shared in (None, shared) and all(
        wanted is None or wanted.accepts(stack)
        for wanted, stack in zip(asked.stacks, stacks, strict=True)
    )
