"""Whole configurations as properties (QR, section 3): `q1 | 4 5*, -`.

Each thread has a pattern for its stack, which becomes the smallest deterministic automaton for it;
so two ways to write the same set are the same property. They are for systems whose symbols people
have named. For the places of a program there are `unreachable` and `never_together`.
"""

from __future__ import annotations

from tepui.automata.pattern import PatternNames, Transition, reach_of, written
from tepui.automata.stack_expression import expression_of
from tepui.doors import door
from tepui.errors import InputError, UsageError
from tepui.kernels.door import KernelLimits, Lowered, PAutomaton
from tepui.model import Property, Reach, StackSet, System
from tepui.program.program import Program

MAX_STATES = 20_000
"""A pattern is refused if its deterministic automaton has more states than this before it is
minimized."""

_LIMITS: KernelLimits = {"states": MAX_STATES, "bytes": 2**30, "seconds": None, "pause": None}


@door
def reach(system: System | Program, *texts: str, source: str = "<reach>") -> Property:
    """The property that calls a state bad if one of the texts matches it, such as `q1 | 4 5*, -`:
    the shared state or `*`, and for each thread a pattern for its whole stack, or `*`.

    >>> system = tepui.load_system("examples/figure4.cpds")
    >>> tepui.verify(system, tepui.reach(system, "q3 | 2, 4 6")).verdict
    'unsafe'
    """
    if isinstance(system, Program | Lowered):
        raise UsageError(
            "reach asks about a pushdown system; places of a program that must not be reached "
            "are named with unreachable or never_together"
        )
    return Property(reaches=tuple(dict.fromkeys(_reach(system, text, source) for text in texts)))


def reach_text(system: System, asked: Reach) -> str:
    """The states of a reach as text that `reach` reads; `…` for stacks that take too long to
    describe."""
    shared = "*" if asked.shared is None else written(system.shared[asked.shared])
    stacks = [
        "*" if stacks is None else expression_of(stacks, system.template_of(thread).symbols) or "…"
        for thread, stacks in enumerate(asked.stacks)
    ]
    return f"{shared} | {', '.join(stacks)}"


def _reach(system: System, text: str, source: str) -> Reach:
    names = [
        PatternNames(name, system.shared, system.template_of(thread).symbols)
        for thread, name in enumerate(system.thread_names)
    ]
    shared, stacks = reach_of(text, names, source)
    return Reach(
        shared,
        tuple(
            None if transitions is None else _stack_set(transitions, name, text, source)
            for transitions, name in zip(stacks, system.thread_names, strict=True)
        ),
    )


def _stack_set(transitions: list[Transition], thread: str, text: str, source: str) -> StackSet:
    """The stacks that are accepted from node 0."""
    language, _ = PAutomaton(transitions).language(0, _LIMITS)
    if language is None:
        raise InputError(
            source,
            1,
            1,
            f"the stacks of thread {thread} need an automaton of more than {MAX_STATES:,} states",
            text.split("\n")[0],
        )
    return StackSet(
        tuple(accepting for accepting, _ in language), tuple(tuple(edges) for _, edges in language)
    )
