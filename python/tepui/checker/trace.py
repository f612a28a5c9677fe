"""A trace: a run of the system, step by step, into a bad state.

It is plain data and may say anything; only `tepui.checker.checker.check` makes it evidence.
It does not claim to be shortest: `contexts` and `schedule` are what this run needs, not the least
any run needs.
"""

from __future__ import annotations

from dataclasses import dataclass

from tepui.model.system import Rule, Word
from tepui.words import plural


@dataclass(frozen=True, slots=True)
class Step:
    """One thread takes one rule; `shared` and `stacks` are the state after it."""

    thread: int
    rule: Rule
    shared: int
    stacks: tuple[Word, ...]


@dataclass(frozen=True, slots=True)
class Schedule:
    """The rounds and delays that a round-robin scheduler needs for a run: threads have their turns
    in order, one step each; one that is passed over although it has a step costs a delay."""

    rounds: int
    delays: int

    def __str__(self) -> str:
        rounds, delays = plural(self.rounds, "round"), plural(self.delays, "delay")
        return f"{self.rounds} {rounds} and {self.delays} {delays}"


@dataclass(frozen=True, slots=True)
class Trace:
    """A run from the initial state; its last state is meant to be bad."""

    initial_shared: int
    initial_stacks: tuple[Word, ...]
    steps: tuple[Step, ...]
    contexts: int
    """The number of maximal blocks of consecutive steps by one thread; 0 without steps."""
    schedule: Schedule | None = None
    """What it takes under round-robin scheduling, if that is claimed."""

    @property
    def end(self) -> tuple[int, tuple[Word, ...]]:
        """The state in which it ends."""
        last = self.steps[-1] if self.steps else None
        if last is None:
            return self.initial_shared, self.initial_stacks
        return last.shared, last.stacks
