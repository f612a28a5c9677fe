"""Properties: which states are bad.

A pattern fixes the shared state and the class of the top of each stack, or leaves them open. In a
system without classes every symbol is a class of its own.
A reach fixes the shared state and the whole stack of each thread, up to a regular set: these are
the configurations that QR (section 3) asks about.
`deadlock` calls every visible state bad in which no thread can move and some stack is not empty
(a thread of a program that was not created yet counts as if its stack were empty).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tepui.records import record

if TYPE_CHECKING:
    from tepui.model.stack_sets import StackSet


@record
class Pattern:
    """A set of visible states; None matches anything, EPSILON only the empty stack.

    `tops` name classes of symbols (`Template.class_of`).

    >>> system = tepui.load_system("examples/figure4.cpds")
    >>> system.property.patterns
    (Pattern(shared=3, tops=(2, 3)),)
    """

    shared: int | None
    tops: tuple[int | None, ...]


@record
class Reach:
    """A set of states: one in which every thread's whole stack is in its set is bad.

    None matches any shared state, and any stack.

    >>> system = tepui.load_system("examples/figure4.cpds")
    >>> (one,) = tepui.reach(system, "q1 | *, 4").reaches
    >>> one.shared, one.stacks[0]
    (1, None)
    """

    shared: int | None
    stacks: tuple[StackSet | None, ...]


@record
class Property:
    """The bad states: those that match a pattern or a reach, and deadlocks where asked for.

    >>> system = tepui.load("examples/figure4.cpds")
    >>> tepui.verify(system, tepui.Property(deadlock=True)).verdict
    'unsafe'
    """

    patterns: tuple[Pattern, ...] = ()
    deadlock: bool = False
    reaches: tuple[Reach, ...] = ()

    def __bool__(self) -> bool:
        """Whether anything is asked at all."""
        return self.deadlock or bool(self.patterns) or bool(self.reaches)
