"""A trace: a run of the system, step by step, into a bad state.

It is plain data and may say anything; only `tepui.evidence.checker.check` makes it evidence.
It does not claim to be shortest: `contexts` is what this run needs, not the least any run needs.
"""

from __future__ import annotations

from dataclasses import dataclass

from tepui.model.system import Rule, Word


@dataclass(frozen=True, slots=True)
class Step:
    """One thread takes one rule; `shared` and `stacks` are the state after it."""

    thread: int
    rule: Rule
    shared: int
    stacks: tuple[Word, ...]


@dataclass(frozen=True, slots=True)
class Trace:
    """A run from the initial state; its last state is meant to be bad."""

    initial_shared: int
    initial_stacks: tuple[Word, ...]
    steps: tuple[Step, ...]
    contexts: int
    """The number of maximal blocks of consecutive steps by one thread; 0 without steps."""
