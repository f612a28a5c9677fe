"""A deadlock as people read it: what each thread needs, and who could give it.

Two things are kept apart. What was written last, by whom and where (`Written`) is a fact of the
trace. Which thread could make a condition true (`Chance`) is what its control flow allows: it has a
statement ahead that may assign what the condition reads. It may never come there, and does not in a
deadlock. Where there is no chance, and `hopeless` says so, no thread has such a statement.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from tepui.records import record
from tepui.subject.story import Activation

if TYPE_CHECKING:
    from tepui.program.program import Position

NeedKind = Literal[
    "condition",
    "constraint",
    "result",
    "join",
    "lock",
    "receipt",
    "way on",
    "end of section",
    "shared state",
]
"""What a thread lacks. `condition`: one that is false. `constraint`: values after its assignments
that satisfy it. `result`: a value that what is evaluated or stored there can have. `join`: the end
of a thread. `lock`: the scheduler lock. `receipt`: that another thread takes the results of its
call. `way on`: any statement or rule at all. `end of section`: an atomic section that ends.
`shared state`: one in which a rule of a system applies."""

ThreadState = Literal["stuck", "over", "not created"]


@record
class Place:
    """A statement of a program, and where it is; or a rule of a system, which has no position. Some
    places inside a statement have no text of their own."""

    position: Position | None
    procedure: str
    statement: str


@record
class Seen:
    """A variable, or an element of an array, and its value as text; None if it may have any."""

    name: str
    value: str | None
    inside: bool = False
    """Whether the value is one that the atomic section would give it, in which the thread is
    stuck: the section does not happen, so it has another one."""

    def __str__(self) -> str:
        given = " inside the section" if self.inside else ""
        return f"{self.name} = {'any value' if self.value is None else self.value}{given}"


@record
class Written:
    """The last statement of a trace that assigned a variable: which thread, and when."""

    variable: str
    thread: str
    context: int
    """In which context, counted from 1."""
    step: int
    """In which step of the trace, counted from 1."""
    place: Place


@record
class Chance:
    """A statement ahead of a thread that may give what another one needs."""

    thread: str
    place: Place


@record
class Need:
    """One way on for a thread, and why it is closed."""

    kind: NeedKind
    text: str
    """What it needs: a condition, or words."""
    place: Place
    """Where. In an atomic section, that is not the place at which the thread rests."""
    values: tuple[Seen, ...] = ()
    """The values that it reads."""
    written: tuple[Written, ...] = ()
    """Who assigned the shared ones among them last; those that nobody assigned are not here."""
    chances: tuple[Chance, ...] = ()
    """For each other thread that could help, the nearest statement ahead of it."""
    hopeless: bool = False
    """Whether it is certain that no thread has such a statement ahead."""


@record
class EndedThread:
    """A thread of a deadlock: where it is, what it needs, and for whom it waits."""

    name: str
    state: ThreadState
    place: Place | None
    """None if it is nowhere in the program."""
    stack: tuple[Activation, ...] = ()
    """The calls that it is in, the running one first, with their local variables."""
    needs: tuple[Need, ...] = ()
    """Any one of them would let it go on."""
    waits_for: tuple[str, ...] = ()
    """The threads that could give it one of them; see `wait_cycle`."""
    complete: bool = True
    """Whether all its ways on are here: very large atomic sections are not searched to the end."""


@record
class Deadlock:
    """A state in which no thread can move.

    >>> deadlock = tepui.verify(tepui.load("examples/deadlock.cpds")).deadlock
    >>> deadlock.cycle
    ('left', 'right')
    >>> [need.text for need in deadlock.threads[0].needs]
    ['shared state A']
    """

    threads: tuple[EndedThread, ...]
    """All threads that were there, also those that are over."""
    cycle: tuple[str, ...] = ()
    """Threads each of which waits for the next one, and the last for the first; none if there is no
    such cycle."""
    values: tuple[str, ...] = ()
    """What variables must be that have no value yet, as in `x=0`."""

    @property
    def stuck(self) -> tuple[EndedThread, ...]:
        """The threads that could go on, but cannot."""
        return tuple(thread for thread in self.threads if thread.state == "stuck")

    @property
    def sentence(self) -> str:
        """The cycle in words; empty if there is none."""
        if not self.cycle:
            return ""
        first, *others = self.cycle
        if not others:
            return f"{first} waits for itself"
        return ", which waits for ".join([f"{first} waits for {others[0]}", *others[1:], first])
