"""The steps of a trace, kept as differences.

A trace may have hundreds of thousands of steps on deep stacks. What is kept of a step is its thread
and its rule, in a few numbers; the states between steps follow from these, and are computed while
somebody walks along. A trace may also claim states that do not follow: it is untrusted data. Such
claims are kept, so that the checker can reject them.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, overload

from tepui.model import EPSILON, Rule
from tepui.records import record

if TYPE_CHECKING:
    from tepui.model.system import Word

Move = tuple[int, Rule]
"""What is kept of a step: a thread, and its rule."""

State = tuple[int, "tuple[Word, ...]"]
"""A shared state, and the stack of each thread, top first."""


@record
class TraceStep:
    """One thread takes one rule; `shared` and `stacks` are the state after it."""

    thread: int
    rule: Rule
    shared: int
    stacks: tuple[Word, ...]


class Walk:
    """A state that changes move by move, in constant time for each."""

    def __init__(self, start: State) -> None:
        shared, stacks = start
        self.shared = shared
        self._stacks = [list(reversed(stack)) for stack in stacks]
        """With the top at the end."""

    def move(self, thread: int, rule: Rule) -> None:
        """Take a rule, whether it is enabled or not; a thread that does not exist has no stack."""
        self.shared = rule.target
        if 0 <= thread < len(self._stacks):
            stack = self._stacks[thread]
            if stack:
                stack.pop()
            stack.extend(reversed(rule.word))

    def top(self, thread: int) -> int:
        """The symbol on top of a stack."""
        stack = self._stacks[thread]
        return stack[-1] if stack else EPSILON

    def tops(self) -> list[int]:
        """What is on top of each stack."""
        return [stack[-1] if stack else EPSILON for stack in self._stacks]

    def height(self, thread: int) -> int:
        """How many symbols are on a stack."""
        return len(self._stacks[thread])

    def upper(self, thread: int, count: int) -> Word:
        """The upper symbols of a stack, at most this many."""
        return tuple(reversed(self._stacks[thread][-count:]))

    def stack(self, thread: int) -> Word:
        """A whole stack."""
        return tuple(reversed(self._stacks[thread]))

    @property
    def state(self) -> State:
        """The whole state."""
        return self.shared, tuple(tuple(reversed(stack)) for stack in self._stacks)


class Steps(Sequence[TraceStep]):
    """The steps of a trace. Each is made when it is asked for, with the state after it; `moves` are
    the same without states, which costs less."""

    __slots__ = ("_end", "_numbers", "_words", "claims", "start")

    def __init__(self, start: State, moves: Iterable[Move], claims: Mapping[int, State]) -> None:
        self.start = start
        self.claims = dict(claims)
        """By the places of steps: states that the trace claims after them, and that do not follow
        from its moves."""
        words: dict[Word, int] = {}
        columns = [_Column() for _ in range(5)]
        for thread, rule in moves:
            word = words.setdefault(rule.word, len(words))
            for column, number in zip(
                columns, (thread, rule.source, rule.top, rule.target, word), strict=True
            ):
                column.append(number)
        self._words = tuple(words)
        self._numbers = tuple(column.numbers for column in columns)
        self._end: State | None = None

    @classmethod
    def of_moves(cls, start: State, moves: Iterable[Move]) -> Steps:
        """The steps that take these rules, one after the other."""
        return cls(start, moves, {})

    @classmethod
    def of(cls, start: State, steps: Sequence[TraceStep]) -> Steps:
        """Any steps, with whatever states they claim."""
        walk, claims = Walk(start), {}
        for place, step in enumerate(steps):
            walk.move(step.thread, step.rule)
            claimed = (step.shared, step.stacks)
            if claimed != walk.state:
                claims[place] = claimed
        return cls(start, ((step.thread, step.rule) for step in steps), claims)

    def claiming(self, claims: Mapping[int, State]) -> Steps:
        """The same moves, with claims about the states after some of them."""
        return Steps(self.start, self.moves(), claims)

    def moves(self, first: int = 0, last: int | None = None) -> Iterator[Move]:
        """The threads and their rules, all of them or those of some steps."""
        words, columns = self._words, self._numbers
        if first or last is not None:
            columns = tuple(column[first:last] for column in columns)
        for thread, source, top, target, word in zip(*columns, strict=True):
            yield thread, Rule(source, top, target, words[word])

    @property
    def threads(self) -> Sequence[int]:
        """Which thread takes each step."""
        return self._numbers[0]

    @property
    def end(self) -> State:
        """The state after the last one, as the trace claims it."""
        if self._end is None:
            walk = Walk(self.start)
            for thread, rule in self.moves():
                walk.move(thread, rule)
            self._end = self.claims.get(len(self) - 1, walk.state)
        return self._end

    @property
    def symbols(self) -> int:
        """How many symbols all stacks after all steps have together."""
        heights = [len(stack) for stack in self.start[1]]
        now, total = sum(heights), 0
        for thread, rule in self.moves():
            if 0 <= thread < len(heights):
                after = max(heights[thread] - 1, 0) + len(rule.word)
                now += after - heights[thread]
                heights[thread] = after
            total += now
        return total

    def __len__(self) -> int:
        return len(self._numbers[0])

    def __iter__(self) -> Iterator[TraceStep]:
        shared, stacks = self.start
        for place, (thread, rule) in enumerate(self.moves()):
            shared = rule.target
            if 0 <= thread < len(stacks):
                after = rule.word + stacks[thread][1:]
                stacks = (*stacks[:thread], after, *stacks[thread + 1 :])
            yield TraceStep(thread, rule, *self.claims.get(place, (shared, stacks)))

    @overload
    def __getitem__(self, place: int) -> TraceStep: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[TraceStep, ...]: ...

    def __getitem__(self, place: int | slice) -> TraceStep | tuple[TraceStep, ...]:
        if isinstance(place, slice):
            return tuple(self)[place]
        wanted = range(len(self))[place]
        walk = Walk(self.start)
        for number, (thread, rule) in enumerate(self.moves()):
            walk.move(thread, rule)
            if number == wanted:
                return TraceStep(thread, rule, *self.claims.get(number, walk.state))
        raise IndexError(place)

    def __eq__(self, other: object) -> bool:
        """They equal the same steps in a tuple, too."""
        if isinstance(other, Steps) and self.start == other.start:
            mine, its = (self._numbers, self._words), (other._numbers, other._words)
            return mine == its and self.claims == other.claims
        return isinstance(other, Steps | tuple) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return f"<{len(self)} steps>"


class _Column:
    """Numbers of a few bytes each, as long as they are small; a file may have any."""

    def __init__(self) -> None:
        self.numbers: array[int] | list[int] = array("i")

    def append(self, number: int) -> None:
        try:
            self.numbers.append(number)
        except OverflowError:
            self.numbers = [*self.numbers, number]
