"""For which values of variables that have none yet a state is a deadlock.

A variable that may have any value gets one when it is read. Whether threads can move may depend on
such a variable, and then a trace ends in a deadlock only if it has the right one.
"""

from __future__ import annotations

from tepui.checker import Trace
from tepui.kernels.lowered_system import LoweredSystem
from tepui.program.layout import Frame, SharedState, known
from tepui.program.program import Program
from tepui.program.semantics.meaning import Meaning


def deadlock_values(system: LoweredSystem, meaning: Meaning, trace: Trace) -> list[str]:
    """The values with which no thread can move at the end of a trace: `x=0`, `worker.1 l=1`."""
    program = system.program
    shared, stacks = trace.end
    before = system.shared_values()[shared]
    cases: list[tuple[SharedState, tuple[tuple[int, Frame], ...]]] = [(before, ())]
    for thread, stack in enumerate(stacks):
        if stack:
            top = system.frames(system.threads[thread])[stack[0]]
            cases = [
                (case, (*tops, (thread, frame)))
                for known, tops in cases
                for case, frame in meaning.stuck(thread, known, top)
            ]
    if not cases:
        return []
    case, tops = cases[0]
    cells = system.layout.shared_cells
    texts = [
        f"{cell.name}={cell.type.text(value)}"
        for cell, old, new in zip(cells, before, case, strict=True)
        if known(old) is None and (value := known(new)) is not None
    ]
    for thread, frame in tops:
        old_frame = system.frames(system.threads[thread])[stacks[thread][0]]
        texts += _local_texts(program, system, thread, old_frame, frame)
    return texts


def _local_texts(
    program: Program, system: LoweredSystem, thread: int, before: Frame, after: Frame
) -> list[str]:
    procedure = system.layout.procedure(after.point)
    if procedure is None:
        return []
    cells = system.layout.frame_cells[program.numbers[procedure.name]]
    return [
        f"{system.thread_names[thread]} {cell.name}={cell.type.text(value)}"
        for cell, old, new in zip(cells, before.values, after.values, strict=True)
        if known(old) is None and (value := known(new)) is not None
    ]
