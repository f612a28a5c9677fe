"""A trace as a page shows it: a lane for each thread, and the stack of a lane after each step.

Programs and systems have the same lanes. In a program the steps are statements, and stacks hold the
activations of procedures with their local variables. In a system the steps are rules, and the only
variable is the shared state. Every step has the whole stack of its thread after it;
`trace_section` writes down differences only.

The stack after a step of a program is known from the next step of the same thread, which begins
there. After its last step, it is known from the state in which the trace ends.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby

from tepui.model import System
from tepui.model.build import EMPTY
from tepui.program.program import NOWHERE, Position, Program
from tepui.records import record
from tepui.report.text.traces import resting_text
from tepui.result import Result
from tepui.subject.story import (
    Activation,
    Change,
    Local,
    ProgramStory,
    RuleStep,
    StatementStep,
    StoryRule,
    StoryThread,
    SystemStory,
    stack_text,
)

RulePositions = Mapping[tuple[int, tuple[str, ...]], Position]
"""The place of each rule of each thread in its file, by names."""

_SHARED = "shared state"


@record
class Entry:
    """One entry of a stack: a symbol, or an activation with its local variables."""

    text: str
    locals: tuple[Local, ...] = ()


Stack = tuple[Entry, ...]
"""What is on a stack, the top first."""


@record
class Lane:
    """A thread: its name, where it comes from, and the stack it starts with."""

    name: str
    origin: str
    stack: Stack


@record
class Moment:
    """One step, and the stack of its thread after it."""

    lane: int
    position: Position | None
    procedure: str
    text: str
    action: str
    inside: bool
    """Whether it is executed in one step with the moment before."""
    changes: tuple[Change, ...]
    """What it changes of the variables of all threads."""
    local: tuple[Change, ...]
    """What it changes of the variables of its own activation."""
    stack: Stack
    delayed: tuple[str, ...] = ()
    in_source: bool = True
    """Whether the text is a statement of the source, or a rule."""


@record
class Lanes:
    """A run, context by context; the moments of one context are of one lane."""

    lanes: tuple[Lane, ...]
    start: tuple[Change, ...]
    """The variables, with their first values."""
    contexts: tuple[tuple[Moment, ...], ...]
    ending: str
    """What is violated at the end."""
    resting: tuple[str, ...]
    """The place of each thread at the end, if it says more."""
    of_program: bool

    @property
    def steps(self) -> int:
        return sum(map(len, self.contexts))


def lanes_of(result: Result, rules: RulePositions) -> Lanes | None:
    """The trace of a result, if it has one; `rules` says where rules are written."""
    if result.trace is None:
        return None
    story = result.trace.story
    if isinstance(story, ProgramStory):
        return _ProgramLanes(result, story).lanes()
    return _of_system(result, story, rules)


def _of_system(result: Result, story: SystemStory, rules: RulePositions) -> Lanes:
    violated = result.violated
    assert violated is not None
    threads, last = story.threads, story.end.stacks
    waiting = (f"{name} with {stack_text(last[thread])}" for thread, name in enumerate(threads))
    moments = [_rule_moment(step, rules) for step in story.steps]
    return Lanes(
        tuple(
            Lane(name, "", _symbols(story.start.stacks[thread]))
            for thread, name in enumerate(threads)
        ),
        (Change(_SHARED, None, story.start.shared),),
        _by_contexts(moments),
        violated.text,
        tuple(waiting) if violated.kind == "deadlock" else (),
        of_program=False,
    )


def _rule_moment(step: RuleStep, rules: RulePositions) -> Moment:
    change = Change(_SHARED, step.before, step.after.shared)
    return Moment(
        step.number,
        rules.get((step.number, _words(step.rule))),
        "",
        step.rule.written("→"),
        step.rule.kind,
        False,
        (change,) if change.before != change.after else (),
        (),
        _symbols(step.stack),
        step.delayed,
    )


def _symbols(stack: Sequence[str]) -> Stack:
    return tuple(map(Entry, stack))


def _words(rule: StoryRule) -> tuple[str, ...]:
    """A rule as a file has it, without its signs."""
    return rule.source, rule.top, rule.target, *(rule.word or (EMPTY,))


def _by_contexts(moments: Sequence[Moment]) -> tuple[tuple[Moment, ...], ...]:
    return tuple(tuple(steps) for _, steps in groupby(moments, lambda moment: moment.lane))


class _ProgramLanes:
    """Makes the lanes of a trace of a program."""

    def __init__(self, result: Result, story: ProgramStory) -> None:
        self._result, self._story = result, story
        self._names = tuple(thread.name for thread in story.threads)
        self._numbers = {name: number for number, name in enumerate(self._names)}
        self._globals = {change.name for change in story.start}
        self._statements = _statements(result.subject.model)
        self._ends = {rest.thread: rest.at for rest in story.resting}

    def lanes(self) -> Lanes:
        steps = [(self._numbers[step.thread], step) for step in self._story.steps]
        own: list[list[StatementStep]] = [[] for _ in self._names]
        for lane, step in steps:
            own[lane].append(step)
        after = [
            [*(_stack(step.stack) for step in some[1:]), self._last_stack(name, some)]
            for name, some in zip(self._names, own, strict=True)
        ]
        origins = {
            one.name: f"forked by {one.by} at {one.position.short}" for one in self._story.forked
        }
        lanes = tuple(
            Lane(thread.name, origins.get(thread.name, ""), _first_stack(thread, some, stacks))
            for thread, some, stacks in zip(self._story.threads, own, after, strict=True)
        )
        following = [iter(stacks) for stacks in after]
        moments = [self._moment(lane, step, next(following[lane])) for lane, step in steps]
        what = self._result.violated
        is_assertion = what is not None and what.is_asserted
        return Lanes(
            lanes,
            self._story.start,
            _by_contexts(moments),
            "a bad state" if what is None else what.text,
            () if is_assertion else tuple(map(resting_text, self._story.resting)),
            of_program=True,
        )

    def _moment(self, lane: int, step: StatementStep, stack: Stack) -> Moment:
        shared = tuple(change for change in step.changes if change.name in self._globals)
        local = tuple(change for change in step.changes if change.name not in self._globals)
        return Moment(
            lane,
            None if step.position == NOWHERE else step.position,
            step.procedure,
            step.text,
            step.action,
            step.inside_atomic,
            shared,
            () if step.names_its_changes else local,
            stack,
            step.delayed,
            step.statement in self._statements,
        )

    def _last_stack(self, name: str, steps: Sequence[StatementStep]) -> Stack:
        """The stack of a thread when the trace ends: its last known one, and the place where the
        thread has come to. After a return, the callers whose last call this was are gone, too."""
        top = self._ends.get(name)
        if top is None:
            return ()
        if not steps:
            return _stack((top,))
        last = steps[-1]
        if last.action == "call":
            return _stack((top, *last.stack))
        if last.action != "return":
            return _stack((top, *last.stack[1:]))
        callers = last.stack[1:]
        while len(callers) > 1 and callers[0].procedure != top.procedure:
            callers = callers[1:]
        return _stack((top, *callers[1:]))


def _statements(model: System | Program) -> frozenset[str]:
    """The texts of all statements of a program."""
    assert isinstance(model, Program)
    return frozenset(
        location.text for procedure in model.procedures for location in procedure.locations
    )


def _stack(activations: Sequence[Activation]) -> Stack:
    return tuple(Entry(str(each), each.locals) for each in activations)


def _first_stack(
    thread: StoryThread, steps: Sequence[StatementStep], after: Sequence[Stack]
) -> Stack:
    """The stack of a thread at the beginning; one that was not started has none."""
    if not steps:
        return after[0]
    absent = steps[0].action == "start" and thread.starts_later
    return () if absent else _stack(steps[0].stack)
