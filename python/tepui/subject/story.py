"""A trace as people read it: which thread does what, where, and what that changes.

The story of a program has a step for each statement, that of a system one for each rule. Names are
those of the source: nothing here is a number of a state or of a symbol.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import TYPE_CHECKING, Generic, Literal, TypeVar, overload

from tepui.model.build import EMPTY
from tepui.records import field, record

if TYPE_CHECKING:
    from tepui.checker import Schedule
    from tepui.program.program import Position

Action = Literal["step", "call", "result", "return", "violation", "start", "choice"]
"""What a statement does for the trace: `result` takes the results of a call that has returned,
`start` is the first move of a thread that was created, forked or given arguments, `choice` gives a
variable a value that it could have had from the start."""

_Step = TypeVar("_Step")
_Item = TypeVar("_Item")


@record
class Change:
    """A variable (or an element of an array) and its values as text; None where it has none."""

    name: str
    before: str | None
    after: str | None


@record
class Local:
    """A local variable (or an element of an array) and its value as text.

    The value is None if it can be any value, or if it was assigned and is never read again.
    """

    name: str
    value: str | None


@record
class Activation:
    """A call that has not returned: its procedure, its current line, and its variables."""

    procedure: str
    line: int
    locals: tuple[Local, ...] = ()

    def __str__(self) -> str:
        return f"{self.procedure}:{self.line}"


@record
class StatementStep:
    """One statement as it is executed.

    >>> trace = tepui.verify(tepui.load("examples/bluetooth1.bp")).trace
    >>> first = trace.story.steps[0]
    >>> first.thread, first.position.line, first.text
    ('add', 38, 'entered := inc()')
    """

    thread: str
    context: int
    """In which context, counted from 1."""
    position: Position
    procedure: str
    labels: tuple[str, ...]
    statement: str
    action: Action
    inside_atomic: bool
    """Whether it is executed in one go with the statement before it."""
    changes: tuple[Change, ...]
    calls: Linked[Activation] = field(repr=False, compare=False)
    """The calls that it is in, the running one on top."""
    delayed: tuple[str, ...] = ()
    """Under round-robin scheduling, the threads that are delayed before it."""
    branch: bool | None = None
    """For `if` and `while`, whether the condition holds."""

    @property
    def stack(self) -> tuple[Activation, ...]:
        """The calls that it is in, the running one first."""
        return unlinked(self.calls)

    @property
    def text(self) -> str:
        """The statement, as it is read in a trace."""
        return f"back: {self.statement}" if self.action == "result" else self.statement

    @property
    def names_its_changes(self) -> bool:
        """Whether the words say what changes: the arguments that a thread starts with."""
        return self.statement.startswith("starts with ")


_SHOWN_SYMBOLS = 50
"""How many symbols of a stack are shown in a text."""

Linked = tuple[_Item, "Linked[_Item]"] | None
"""A stack: what is on top, and what lies below. Stacks that differ only near the top share the
rest."""


def on_top(items: Sequence[_Item], below: Linked[_Item]) -> Linked[_Item]:
    """A stack with more on top of it; the first item is the new top."""
    for item in reversed(items):
        below = (item, below)
    return below


def unlinked(stack: Linked[_Item], most: int | None = None) -> tuple[_Item, ...]:
    """All of a stack, or at most this many items, from the top down."""
    items: list[_Item] = []
    while stack is not None and (most is None or len(items) < most):
        item, stack = stack
        items.append(item)
    return tuple(items)


class Chained(Sequence[_Item]):
    """Several sequences, one after the other."""

    def __init__(self, parts: tuple[Sequence[_Item], ...]) -> None:
        self._parts = parts

    def __len__(self) -> int:
        return sum(map(len, self._parts))

    def __iter__(self) -> Iterator[_Item]:
        return chain.from_iterable(self._parts)

    @overload
    def __getitem__(self, place: int) -> _Item: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[_Item, ...]: ...

    def __getitem__(self, place: int | slice) -> _Item | tuple[_Item, ...]:
        places = range(len(self))[place]
        if isinstance(places, int):
            return next(islice(self, places, None))
        if places.step < 0:
            return tuple(self)[place]
        return tuple(islice(self, places.start, places.stop, places.step))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self))


@record
class StoryState:
    """A state of a system by names: the shared state, and the stack of each thread, top first."""

    shared: str
    tops: tuple[Linked[str], ...] = field(repr=False)

    @property
    def stacks(self) -> tuple[tuple[str, ...], ...]:
        """The whole stacks."""
        return tuple(map(unlinked, self.tops))

    def stack_text(self, thread: int) -> str:
        """A stack for people: a deep one only as far as it is worth reading."""
        near = unlinked(self.tops[thread], _SHOWN_SYMBOLS + 1)
        is_deeper = len(near) > _SHOWN_SYMBOLS
        return stack_text(near[:_SHOWN_SYMBOLS]) + (" …" if is_deeper else "")

    def __eq__(self, other: object) -> bool:
        # Stacks are deeper than Python compares pairs in pairs.
        if not isinstance(other, StoryState):
            return NotImplemented
        return (self.shared, self.stacks) == (other.shared, other.stacks)

    def __hash__(self) -> int:
        return hash((self.shared, self.stacks))

    def __str__(self) -> str:
        return f"{self.shared} | {', '.join(map(self.stack_text, range(len(self.tops))))}"


@record
class StoryRule:
    """A rule of a system by names; `top` is `-` for a rule on the empty stack."""

    source: str
    top: str
    target: str
    word: tuple[str, ...]
    kind: Literal["pop", "overwrite", "push"]

    def written(self, arrow: str) -> str:
        """The rule as it could be written in a file."""
        return f"{self.source} | {self.top} {arrow} {self.target} | {stack_text(self.word)}"

    def __str__(self) -> str:
        return self.written("->")


@record
class RuleStep:
    """One rule as it is taken.

    >>> trace = tepui.verify(tepui.load("examples/bluetooth-buggy.cpds")).trace
    >>> first = trace.story.steps[0]
    >>> first.thread, first.text
    ('adder.1', 'run | start -> run | Increment work')
    """

    thread: str
    number: int
    """Which of the threads of the system that is, counted from 0."""
    context: int
    """In which context, counted from 1."""
    rule: StoryRule
    before: str
    """The shared state before it."""
    after: StoryState
    delayed: tuple[str, ...] = ()
    """Under round-robin scheduling, the threads that are delayed before it."""

    @property
    def text(self) -> str:
        """The rule, as it is read in a trace."""
        return str(self.rule)

    @property
    def stack(self) -> tuple[str, ...]:
        """The stack of the thread after it."""
        return unlinked(self.after.tops[self.number])


@record
class Context(Generic[_Step]):
    """What one thread does before another one runs."""

    thread: str
    steps: Sequence[_Step]


@record
class ForkedThread:
    """A thread that was forked in a trace."""

    name: str
    procedure: str
    by: str
    """The name of the thread that forked it."""
    position: Position
    runs: bool
    """Whether it may run in this trace."""


@record
class StoryThread:
    """A thread with a part in a story: one that is there from the start, or was forked and runs."""

    name: str
    starts_later: bool
    """Whether it is created or forked, and so has no place in the program at first."""


@record
class Resting:
    """Where a thread is when a trace ends; it is nowhere before its creation and after its end."""

    thread: str
    position: Position | None
    statement: str
    at: Activation | None
    """The procedure it is in, and the line; None if it is in none of the source."""


@record
class ProgramStory:
    """A run of a program. `start` has the values of the global variables at its beginning.

    >>> trace = tepui.verify(tepui.load("examples/bluetooth1.bp")).trace
    >>> isinstance(trace.story, tepui.ProgramStory)
    True
    >>> [context.thread for context in trace.story.contexts]
    ['add', 'stop', 'add']
    """

    start: tuple[Change, ...]
    contexts: tuple[Context[StatementStep], ...]
    threads: tuple[StoryThread, ...]
    resting: tuple[Resting, ...]
    forked: tuple[ForkedThread, ...] = ()
    """The threads that were forked, in this order."""
    schedule: Schedule | None = None
    """What the run takes under round-robin scheduling, if it was found so."""

    @property
    def steps(self) -> tuple[StatementStep, ...]:
        """All statements, one after the other."""
        return tuple(step for context in self.contexts for step in context.steps)

    def valuations(self) -> Iterator[dict[str, str | None]]:
        """The values of the global variables at the start, and then after each statement."""
        values = {change.name: change.after for change in self.start}
        yield dict(values)
        for step in self.steps:
            values |= {each.name: each.after for each in step.changes if each.name in values}
            yield dict(values)


@record
class SystemStory:
    """A run of a pushdown system, from the state in which it starts.

    >>> trace = tepui.verify(tepui.load("examples/bluetooth-buggy.cpds")).trace
    >>> print(trace.story.start)
    run | start, start, start, start, one zero
    """

    threads: tuple[str, ...]
    start: StoryState
    contexts: tuple[Context[RuleStep], ...]
    schedule: Schedule | None = None
    """What the run takes under round-robin scheduling, if it was found so."""

    @property
    def steps(self) -> Sequence[RuleStep]:
        """All rules, one after the other; those of a long trace are made while it is read."""
        return Chained(tuple(context.steps for context in self.contexts))

    @property
    def end(self) -> StoryState:
        """The state in which it ends."""
        return self.contexts[-1].steps[-1].after if self.contexts else self.start


Story = ProgramStory | SystemStory


def stack_text(stack: tuple[str, ...]) -> str:
    """A stack as people read it: names from the top down, `-` where it is empty."""
    return " ".join(stack) or EMPTY
