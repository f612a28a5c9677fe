"""Which threads of a program recurse, and may reach infinitely many stacks within one context."""

from __future__ import annotations

from collections.abc import Callable

from tepui.kernels.door import KernelLimits, PAutomaton, system_kernel
from tepui.model import System
from tepui.program.calls import procedures_run_by, with_all_called
from tepui.program.program import Call, Program
from tepui.z.z import Z


def program_has_finite_contexts(
    system: System,
    z: Z | None,
    limits: Callable[[], KernelLimits | None] = lambda: None,
) -> tuple[bool, ...]:
    """For each template of a program, whether its threads are known to have it.

    A thread that never recurses, except by tail calls, has it. For others, a complete Z contains
    the thread states in which a context can begin, and all rules that can follow have been met. The
    stacks of Theorem 29 can then be restricted to these.
    """
    kernel, program, answers = system_kernel(system), system.program, []
    assert program is not None
    for template, (thread_type, _) in enumerate(program.layout.templates):
        finite = not _recurses(program, thread_type)
        if not finite and z is not None:
            starts = [(shared, (top,) if top else ()) for shared, top in z.thread_visible(template)]
            automaton, _ = PAutomaton.post_star(kernel, template, starts, limits())
            finite = automaton is not None and automaton.is_finite
        answers.append(finite)
    return tuple(answers)


def may_recurse(program: Program) -> bool:
    """Whether a procedure that a thread can run may call itself, directly or not."""
    return any(_recurses(program, thread) for thread in range(len(program.threads)))


def _recurses(program: Program, thread: int) -> bool:
    """Whether some call that leaves a frame on the stack can come back to itself."""
    layout = program.layout
    for caller in procedures_run_by(program, thread):
        for edge in program.procedures[caller].edges:
            if not isinstance(edge, Call) or layout.is_tail_call(caller, edge):
                continue
            if caller in with_all_called(program, [program.numbers[edge.procedure]]):
                return True
    return False
