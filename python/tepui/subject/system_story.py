"""The story of a trace of a pushdown system.

Its steps are made while somebody reads them, and none are kept: a long trace on deep stacks has
very many symbols.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby, islice
from typing import TYPE_CHECKING, overload

from tepui.checker import Trace
from tepui.model import Rule, System
from tepui.subject.schedule import delayed_before_steps
from tepui.subject.story import Context, RuleStep, StoryRule, StoryState, SystemStory, on_top

if TYPE_CHECKING:
    from tepui.checker.trace_steps import Move


_MOST_RULES = 10_000
"""How many rules are kept with their names."""


def system_story(system: System, trace: Trace) -> SystemStory:
    """A trace as people read it: rules by name, and the states between them."""
    stacks = (
        on_top([system.template_of(thread).symbols[symbol] for symbol in stack], None)
        for thread, stack in enumerate(trace.initial_stacks)
    )
    start = after = StoryState(system.shared[trace.initial_shared], tuple(stacks))
    teller = _Teller(system, trace)
    contexts: list[Context[RuleStep]] = []
    steps = list(trace.differences.threads)
    first = 0
    for thread, own in groupby(steps):
        last = first + sum(1 for _ in own)
        told = _Told(teller, range(first, last), after, len(contexts) + 1)
        contexts.append(Context(system.thread_names[thread], told))
        after = teller.after(range(first, last), after)
        first = last
    return SystemStory(system.thread_names, start, tuple(contexts), trace.schedule)


class _Teller:
    """Knows the moves of a trace, and the names in them."""

    def __init__(self, system: System, trace: Trace) -> None:
        self._system, self._steps = system, trace.differences
        self._rules: dict[Move, StoryRule] = {}
        self._delayed: list[tuple[int, ...]] | None = None
        if trace.schedule is not None:
            self._delayed = list(delayed_before_steps(system, trace))

    def told(self, places: range, before: StoryState, context: int) -> Iterator[RuleStep]:
        """Some steps, from the state before them on."""
        names = self._system.thread_names
        for place, (thread, rule) in self._moves(places):
            named = self._named(thread, rule)
            after = _after(before, thread, named)
            delayed = () if self._delayed is None else self._delayed[place]
            late = tuple(names[each] for each in delayed)
            yield RuleStep(names[thread], thread, context, named, before.shared, after, late)
            before = after

    def after(self, places: range, state: StoryState) -> StoryState:
        """The state after some steps."""
        for _, (thread, rule) in self._moves(places):
            state = _after(state, thread, self._named(thread, rule))
        return state

    def _moves(self, places: range) -> Iterator[tuple[int, Move]]:
        return zip(places, self._steps.moves(places.start, places.stop), strict=True)

    def _named(self, thread: int, rule: Rule) -> StoryRule:
        if (thread, rule) not in self._rules:
            if len(self._rules) == _MOST_RULES:
                self._rules.clear()
            shared, symbols = self._system.shared, self._system.template_of(thread).symbols
            self._rules[thread, rule] = StoryRule(
                shared[rule.source],
                symbols[rule.top],
                shared[rule.target],
                tuple(symbols[symbol] for symbol in rule.word),
                rule.kind,
            )
        return self._rules[thread, rule]


class _Told(Sequence[RuleStep]):
    """The steps of a context, told anew each time."""

    def __init__(self, teller: _Teller, places: range, before: StoryState, context: int) -> None:
        self._teller, self._places = teller, places
        self._before, self._context = before, context

    def __len__(self) -> int:
        return len(self._places)

    def __iter__(self) -> Iterator[RuleStep]:
        return self._teller.told(self._places, self._before, self._context)

    @overload
    def __getitem__(self, place: int) -> RuleStep: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[RuleStep, ...]: ...

    def __getitem__(self, place: int | slice) -> RuleStep | tuple[RuleStep, ...]:
        if isinstance(place, int):
            return next(islice(self, range(len(self))[place], None))
        start, stop, step = place.indices(len(self))
        if step < 0:
            return tuple(self)[place]
        return tuple(islice(self, start, stop, step))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self))


def _after(state: StoryState, thread: int, rule: StoryRule) -> StoryState:
    tops = state.tops
    stack = tops[thread]
    pushed = on_top(rule.word, None if stack is None else stack[1])
    return StoryState(rule.target, (*tops[:thread], pushed, *tops[thread + 1 :]))
