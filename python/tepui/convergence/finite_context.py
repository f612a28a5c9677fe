"""Finite-context reachability (CUBA, section 6).

A thread has it if from stacks of at most one symbol it reaches finitely many stacks by itself.
If all threads have it, every R_k is finite (Theorem 29) and the explicit engine needs no cap on
the height of stacks. The condition is sufficient, not necessary: a system without it may still
have finite R_k.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tepui.convergence.overapproximation import Overapproximation
from tepui.errors import TepuiError
from tepui.kernels.door import GivenLimits, PAutomaton, given_system
from tepui.kernels.lowered import LoweredSystem, lowered
from tepui.model import System
from tepui.model.system import Word
from tepui.program.calls import procedures_run_by, with_all_called
from tepui.program.program import Call, Program


def finite_contexts(
    system: System,
    z: Callable[[], Overapproximation | None] | None = None,
    limits: Callable[[], GivenLimits | None] = lambda: None,
) -> tuple[bool, ...]:
    """For each template, whether its threads are known to have finite-context reachability. Of a
    program that may recurse, a complete Z is asked for; if none is offered, it is computed."""
    if system.program is not None:
        make = z or Overapproximation(system).completed
        found = make() if may_recurse(system.program) else None
        return program_has_finite_context_reachability(lowered(system), found, limits)
    return has_finite_context_reachability(system, limits)


def has_finite_context_reachability(
    system: System, limits: Callable[[], GivenLimits | None] = lambda: None
) -> tuple[bool, ...]:
    """For each template, whether its threads have it; False also where a limit ended the test."""
    kernel = given_system(system)
    answers = []
    for template in range(len(system.templates)):
        automaton, _ = PAutomaton.post_star(kernel, template, None, limits())
        answers.append(automaton is not None and automaton.is_finite)
    return tuple(answers)


def program_has_finite_context_reachability(
    system: LoweredSystem,
    z: Overapproximation | None,
    limits: Callable[[], GivenLimits | None] = lambda: None,
) -> tuple[bool, ...]:
    """For each thread type of a program, whether its threads are known to have it.

    A thread that never recurses, but for tail calls, has it. For others, a complete Z tells from
    which thread states a context can begin, and that all rules that can follow have been met; the
    stacks of Theorem 29 can then be restricted to these.
    """
    answers = []
    for template in range(len(system.templates)):
        finite = not _recurses(system.program, template)
        if not finite and z is not None:
            starts = [(shared, (top,) if top else ()) for shared, top in z.thread_visible(template)]
            automaton, _ = PAutomaton.post_star(system.kernel, template, starts, limits())
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


def reachable_stacks(
    system: System, template: int, starts: Sequence[tuple[int, Word]]
) -> PAutomaton:
    """The thread states ⟨q|w⟩ that one thread reaches from some others, as a P-automaton."""
    automaton, stopped = PAutomaton.post_star(given_system(system), template, starts)
    if automaton is None:
        raise TepuiError(f"the saturation was stopped: {stopped}")
    return automaton
