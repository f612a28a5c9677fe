"""The story of a trace as text, context by context.

Where a function takes a `width`, no line is wider if words allow it, and without one nothing is
wrapped; `paint` gives a piece of text the colour of its role.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tepui.records import replace
from tepui.report.text.paint import Paint, Piece, length, plain, wrapped
from tepui.report.text.trace_columns import Columns, delayed_text, start_text
from tepui.subject.story import (
    Context,
    ForkedThread,
    ProgramStory,
    Resting,
    RuleStep,
    Story,
    SystemStory,
)

if TYPE_CHECKING:
    from tepui.result import Result
    from tepui.subject.deadlock.explanation import Deadlock

_SHOWN_LINES = 200
"""Longer traces are shortened in the middle; the evidence and the JSON have all of it."""

_READ_STEPS = 2_000
"""If a trace is longer, only the steps are made that are shown."""

_WIDTH_OF_STATES = 70
"""For states up to this width, the rules of a trace are printed in one column."""


def story_lines(
    story: Story, *, stacks: bool = False, width: int | None = None, paint: Paint = plain
) -> list[str]:
    """A trace. With `stacks`, each statement of a program is printed with the calls it is in."""

    def lines(part: Story, first: int = 1) -> list[str]:
        if isinstance(part, ProgramStory):
            return _statement_lines(part, first, stacks, width, paint)
        return _rule_lines(part, first, width, paint)

    steps = sum(len(context.steps) for context in story.contexts)
    if steps <= _READ_STEPS:
        return without_middle(lines(story))
    half = _SHOWN_LINES // 2
    begin, end = lines(*_part(story, 0, half)), lines(*_part(story, steps - half, steps))
    gap = f"          … {steps - 2 * half:,} steps left out …"
    return [*begin[:half], gap, *end[-half:]]


def violation_lines(
    result: Result, *, stacks: bool = False, width: int | None = None, paint: Paint = plain
) -> list[str]:
    """The trace of a violation, what it violates, and where the threads are then."""
    trace = result.trace
    assert trace is not None
    lines = story_lines(trace.story, stacks=stacks, width=width, paint=paint)
    what = result.violated
    if isinstance(trace.story, SystemStory):
        bad = "" if what is None else what.text
        lines += wrapped([(f"     bad  {bad}", "unsafe")], width, 10, paint)
        return lines if result.deadlock is None else [*lines, *_why(result.deadlock, width)]
    if result.deadlock is not None:
        values = result.deadlock.values
        text = f"deadlock  no thread can move{', if ' + ', '.join(values) if values else ''}:"
        lines += wrapped([(text, "unsafe")], width, 10, paint)
        return [*lines, *_why(result.deadlock, width)]
    if what is not None and what.question is not None and what.question.about is not None:
        text = f"    race  {what.question.violation}:"
    elif what is not None and what.question is not None and what.text.startswith("no "):
        text = f"   found  {what.question.violation.removeprefix('there can be ')}"
    else:
        text = f"violated  {'a bad state' if what is None else what.text}"
    lines += wrapped([(text, "unsafe")], width, 10, paint)
    if what is not None and what.is_asserted:
        return lines
    resting = [
        line
        for rest in trace.story.resting
        for line in wrapped([f"{'':10}{resting_text(rest)}"], width, 12)
    ]
    return [*lines, *without_middle(resting)]


def resting_text(rest: Resting) -> str:
    """Where a thread is when a trace ends."""
    where = "" if rest.position is None else f" at {rest.position.short}"
    return f"{rest.thread}{where}: {rest.statement}"


def _why(deadlock: Deadlock, width: int | None) -> list[str]:
    """What each thread of a deadlock needs; and threads that wait for each other."""
    # Most traces end in no deadlock, and the import takes time.
    from tepui.report.text.deadlocks import cycle_lines, thread_lines

    lines = [line for each in deadlock.threads for line in thread_lines(each, width)]
    return [*without_middle(lines), *cycle_lines(deadlock, width)]


def without_middle(lines: list[str]) -> list[str]:
    """The lines; if there are too many to read, without their middle."""
    if len(lines) <= _SHOWN_LINES:
        return lines
    half = _SHOWN_LINES // 2
    left_out = len(lines) - 2 * half
    return [*lines[:half], f"          … {left_out} lines left out …", *lines[-half:]]


def _part(story: Story, first: int, last: int) -> tuple[Story, int]:
    """Some steps of a story, and the number of the first context in which they are."""
    contexts: dict[int, Context[Any]] = {}
    every: tuple[Context[Any], ...] = story.contexts
    begin = 0
    for number, context in enumerate(every, start=1):
        own = slice(max(first - begin, 0), max(last - begin, 0))
        begin += len(context.steps)
        if own.start < len(context.steps) and own.stop:
            contexts[number] = Context(context.thread, context.steps[own])
    part: Any = replace(story, contexts=tuple(contexts.values()))  # type: ignore[arg-type]
    return part, min(contexts)


def _statement_lines(
    story: ProgramStory, first: int, stacks: bool, width: int | None, paint: Paint
) -> list[str]:
    """For each step its place, its statement and its changes; under round-robin scheduling also the
    threads that are delayed before it."""
    columns = Columns.of(story.steps, width)
    lines = wrapped([f"   start  {start_text(story.start)}"], width, 10)
    origins = {forked.name: _origin(forked) for forked in story.forked}
    for number, context in enumerate(story.contexts, start=first):
        name: Piece = (context.thread, "thread")
        origin = origins.pop(context.thread, "")
        lines += wrapped([f"context {number}: thread ", name, origin], width, 2, paint)
        for step in context.steps:
            lines += columns.lines(step, paint)
            if stacks:
                lines += columns.stack_lines(step)
    return lines


def _origin(forked: ForkedThread) -> str:
    return f", forked by {forked.by} at {forked.position.short}"


def _rule_lines(story: SystemStory, first: int, width: int | None, paint: Paint) -> list[str]:
    """For each step the new state and the rule; under round-robin scheduling also the threads that
    are delayed before it. The rule is beside the state if there is room, else below."""
    lines = wrapped([f"   start  {story.start}"], width, 12)
    steps = [(list(_state_pieces(step)), _rule_pieces(step)) for step in story.steps]
    column = min(_WIDTH_OF_STATES, max((length(state) for state, _ in steps), default=0))
    widths = [14 + max(column, length(state)) + length(rule) for state, rule in steps]
    beside = width is None or max(widths, default=0) <= width
    pieces = iter(steps)
    for number, context in enumerate(story.contexts, start=first):
        name: Piece = (context.thread, "thread")
        lines += wrapped([f"context {number}: thread ", name], width, 2, paint)
        for state, rule in (next(pieces) for _ in context.steps):
            if beside:
                gap = " " * (4 + max(0, column - length(state)))
                lines += wrapped([" " * 10, *state, gap, *rule], None, 0, paint)
            else:
                lines += wrapped([" " * 10, *state], width, 12, paint)
                lines += wrapped([" " * 14, *rule], width, 17, paint)
    return lines


def _rule_pieces(step: RuleStep) -> list[Piece]:
    return [(f"by {step.rule}", "inside"), delayed_text(step.delayed)]


def _state_pieces(step: RuleStep) -> Iterator[Piece]:
    """The state after a step. What the step changes has a role: the stack of its thread, and the
    shared state if it is different."""
    shared = step.after.shared
    yield (shared, "change") if shared != step.before else shared
    for thread in range(len(step.after.tops)):
        yield ", " if thread else " | "
        text = step.after.stack_text(thread)
        yield (text, "change") if thread == step.number else text
