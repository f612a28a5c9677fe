"""Finite-context reachability (CUBA, section 6).

A thread has it if from stacks of at most one symbol it reaches finitely many stacks by itself.
If all threads have it, every R_k is finite (Theorem 29), and the explicit engine can list it. The
condition is sufficient, not necessary: a system without it may still have finite R_k.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from tepui.errors import TepuiError
from tepui.kernels.door import KernelLimits, PAutomaton, system_kernel
from tepui.z.z import Z

if TYPE_CHECKING:
    from tepui.model import System
    from tepui.model.system import Word


def finite_contexts(
    system: System,
    z: Callable[[], Z | None] | None = None,
    limits: Callable[[], KernelLimits | None] = lambda: None,
) -> tuple[bool, ...]:
    """For each template, whether its threads are known to have finite-context reachability. For a
    program that may recurse, this needs a complete Z; if none is given, it is computed."""
    if system.program is not None:
        from tepui.engines.recursion import may_recurse, program_has_finite_contexts

        make = z or Z(system).completed
        found = make() if may_recurse(system.program) else None
        return program_has_finite_contexts(system, found, limits)
    return has_finite_context_reachability(system, limits)


def has_finite_context_reachability(
    system: System, limits: Callable[[], KernelLimits | None] = lambda: None
) -> tuple[bool, ...]:
    """For each template, whether its threads have it; False also where a limit ended the test."""
    kernel = system_kernel(system)
    answers = []
    for template in range(len(system.templates)):
        automaton, _ = PAutomaton.post_star(kernel, template, None, limits())
        answers.append(automaton is not None and automaton.is_finite)
    return tuple(answers)


def reachable_stacks(
    system: System, template: int, starts: Sequence[tuple[int, Word]]
) -> PAutomaton:
    """The thread states ⟨q|w⟩ that one thread reaches from some others, as a P-automaton."""
    automaton, stopped = PAutomaton.post_star(system_kernel(system), template, starts)
    if automaton is None:
        raise TepuiError(f"the saturation was stopped: {stopped}")
    return automaton
