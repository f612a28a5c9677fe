"""Which threads a round-robin scheduler delays in a trace (DrUBA, Definition 1).

Turns go round. A thread that is passed over although it has a step is delayed; one that has none
takes its turn and stays where it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import repeat
from typing import TYPE_CHECKING

from tepui.checker.trace_steps import Walk
from tepui.kernels.door import system_kernel
from tepui.model import System

if TYPE_CHECKING:
    from tepui.checker import Trace


def delayed_before_steps(system: System, trace: Trace) -> Iterator[tuple[int, ...]]:
    """For each step, the threads that are delayed before it; none, if the trace was not found under
    such a scheduler."""
    if trace.schedule is None:
        yield from repeat((), len(trace.steps))
        return
    kernel, count = system_kernel(system), len(system.threads)
    walk, turn = Walk(trace.start), 0
    for thread, rule in trace.differences.moves():
        passed = [(turn + ahead) % count for ahead in range((thread - turn) % count)]
        yield tuple(
            other
            for other in passed
            if kernel.enabled(system.threads[other], walk.shared, walk.top(other))
        )
        walk.move(thread, rule)
        turn = (thread + 1) % count
