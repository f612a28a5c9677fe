"""Traces with many needless contexts, and an engine that finds such traces."""

from __future__ import annotations

from random import Random

from support.oracles.systems import initial_state, is_bad, steps, visible
from tepui.checker import Trace
from tepui.checker.trace_steps import Move
from tepui.engines.delay import DelayEngine
from tepui.engines.registry import EngineKind
from tepui.model import System

HASTY = EngineKind(
    "hasty",
    "thread by thread",
    "one step of each thread after the other",
    "a list",
    "tests",
    "a list of states",
    lambda asked: DelayEngine(asked.system),
    lists_states=True,
    finds_fewest=False,
)
"""It takes the steps of all threads in turns, and says that it counts contexts."""


def in_disorder(system: System, rng: Random, most: int = 60) -> Trace | None:
    """A random run into a bad state, if some are met."""
    for _ in range(20):
        moves: list[Move] = []
        state = initial_state(system)
        while len(moves) <= most:
            if is_bad(system, system.property, visible(state)) and (moves or rng.random() < 0.1):
                return Trace.of_moves(initial_state(system), moves)
            choices = steps(system, state)
            if not choices:
                break
            thread, rule, state = rng.choice(choices)
            moves.append((thread, rule))
    return None
