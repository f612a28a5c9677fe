"""Properties: which visible states are bad.

A pattern fixes the shared state and the class of the top of each stack, or leaves them open. In a
system without classes every symbol is a class of its own.
`deadlock` calls every visible state bad in which no thread can move and some stack is not empty
(a thread of a program that was not created yet counts as if its stack were empty).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pattern:
    """A set of visible states; None matches anything, EPSILON only the empty stack.

    `tops` name classes of symbols (`Template.class_of`)."""

    shared: int | None
    tops: tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class Property:
    """The bad visible states: those that match a pattern, and deadlocks where asked for."""

    patterns: tuple[Pattern, ...] = ()
    deadlock: bool = False

    def __bool__(self) -> bool:
        """Whether anything is asked at all."""
        return self.deadlock or bool(self.patterns)
