"""Which threads a round-robin scheduler delays in a trace (DrUBA, Definition 1).

Turns go round. A thread that is passed over although it has a step is delayed; one that has none
takes its turn and stays where it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tepui.kernels.door import system_kernel
from tepui.model import EPSILON, System

if TYPE_CHECKING:
    from tepui.checker import Trace


def delayed_before_steps(system: System, trace: Trace) -> list[tuple[int, ...]]:
    """For each step, the threads that are delayed before it; none, if the trace was not found under
    such a scheduler."""
    if trace.schedule is None:
        return [()] * len(trace.steps)
    kernel, count = system_kernel(system), len(system.threads)
    shared, stacks = trace.initial_shared, trace.initial_stacks
    delayed, turn = [], 0
    for step in trace.steps:
        passed = [(turn + ahead) % count for ahead in range((step.thread - turn) % count)]
        tops = [stacks[thread][0] if stacks[thread] else EPSILON for thread in passed]
        delayed.append(
            tuple(
                thread
                for thread, top in zip(passed, tops, strict=True)
                if kernel.enabled(system.threads[thread], shared, top)
            )
        )
        shared, stacks, turn = step.shared, step.stacks, (step.thread + 1) % count
    return delayed
