"""A trace as a story: who does what, line by line, and what the state is after each step.

Programs and systems have the same story. Of a program the steps are its statements, and the stacks
the activations of procedures; of a system they are rules, and its only variable is the shared
state. Every step has the whole stack of its thread after it; `trace` writes down differences only.

Where a thread of a program is after a step says its next step, which begins there; after its last
one, the state in which the trace ends.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from tepui.checker import Trace
from tepui.kernels.lowered import LoweredSystem
from tepui.model import System
from tepui.model.system import Word
from tepui.program.passes.slots import Slotted
from tepui.program.places import place_text
from tepui.program.program import NOWHERE, Position
from tepui.report.asked import violated_question
from tepui.report.page.sources import rule_words
from tepui.report.text.programs import resting_text
from tepui.report.text.systems import violated
from tepui.report.traces.scheduled import delayed_before_steps
from tepui.report.traces.source import Change, SourceStep, SourceTrace, source_trace
from tepui.result import Result

Stack = tuple[str, ...]
"""What is on a stack, the top first."""

RulePositions = Mapping[tuple[int, tuple[str, ...]], Position]
"""For each thread and each rule, by names, where it is written."""

_SHARED = "shared state"


@dataclass(frozen=True, slots=True)
class Lane:
    """A thread: its name, where it comes from, and the stack it starts with."""

    name: str
    origin: str
    stack: Stack


@dataclass(frozen=True, slots=True)
class Moment:
    """One step, and the stack of its thread after it."""

    lane: int
    position: Position | None
    procedure: str
    text: str
    action: str
    inside: bool
    """Whether it is executed in one go with the step before."""
    changes: tuple[Change, ...]
    """What it changes of the variables of the story."""
    local: tuple[Change, ...]
    """What it changes beside these."""
    stack: Stack
    delayed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Story:
    """A run, context by context; the moments of one context are of one lane."""

    lanes: tuple[Lane, ...]
    start: tuple[Change, ...]
    """The variables, with their first values."""
    contexts: tuple[tuple[Moment, ...], ...]
    ending: str
    """What is violated at the end."""
    resting: tuple[str, ...]
    """Where each thread is then, where that says more."""
    of_program: bool

    @property
    def steps(self) -> int:
        return sum(map(len, self.contexts))


def story_of(result: Result, rules: RulePositions) -> Story | None:
    """The story of the trace of a result, if it has one; `rules` says where rules are written."""
    trace, system = result.trace, result.system
    if trace is None:
        return None
    if isinstance(system, LoweredSystem):
        return _ProgramTeller(result, system, trace).story()
    return _of_system(result, system, trace, rules)


def _of_system(result: Result, system: System, trace: Trace, rules: RulePositions) -> Story:
    def stack(thread: int, word: Word) -> Stack:
        return tuple(system.template_of(thread).symbols[symbol] for symbol in word)

    moments, shared = [], trace.initial_shared
    for step, delayed in zip(trace.steps, delayed_before_steps(system, trace), strict=True):
        words = rule_words(system, step.thread, step.rule)
        change = Change(_SHARED, system.shared[shared], system.shared[step.shared])
        moments.append(
            Moment(
                step.thread,
                rules.get((step.thread, words)),
                "",
                f"{words[0]} | {words[1]} → {words[2]} | {' '.join(words[3:])}",
                step.rule.kind,
                False,
                (change,) if shared != step.shared else (),
                (),
                stack(step.thread, step.stacks[step.thread]),
                tuple(system.thread_names[thread] for thread in delayed),
            )
        )
        shared = step.shared
    ending = violated(system, result.asked, trace)
    last = trace.steps[-1].stacks if trace.steps else trace.initial_stacks
    waiting = (
        f"{name} with {system.template_of(thread).word_text(last[thread])}"
        for thread, name in enumerate(system.thread_names)
    )
    return Story(
        tuple(
            Lane(name, "", stack(thread, trace.initial_stacks[thread]))
            for thread, name in enumerate(system.thread_names)
        ),
        (Change(_SHARED, None, system.shared[trace.initial_shared]),),
        tuple(tuple(steps) for _, steps in groupby(moments, lambda moment: moment.lane)),
        ending,
        tuple(waiting) if ending.startswith("deadlock") else (),
        of_program=False,
    )


class _ProgramTeller:
    """Makes the story of a trace of a program."""

    def __init__(self, result: Result, system: LoweredSystem, trace: Trace) -> None:
        self._result, self._system, self._trace = result, system, trace
        self._told = source_trace(system, trace)
        self._program = system.program
        self._threads = _threads(system, trace, self._told)
        self._names = tuple(self._threads)
        self._numbers = {name: number for number, name in enumerate(self._names)}
        self._globals = {change.name for change in self._told.start}

    def story(self) -> Story:
        steps = [
            (self._numbers[context.thread], step)
            for context in self._told.contexts
            for step in context.steps
        ]
        own: list[list[SourceStep]] = [[] for _ in self._names]
        for lane, step in steps:
            own[lane].append(step)
        after = [
            [*(step.stack for step in some[1:]), self._last_stack(name, some)]
            for name, some in zip(self._names, own, strict=True)
        ]
        origins = {
            one.name: f"forked by {one.by} at {place_text(one.position)}"
            for one in self._told.forked
        }
        lanes = tuple(
            Lane(name, origins.get(name, ""), self._first_stack(name, some, stacks))
            for name, some, stacks in zip(self._names, own, after, strict=True)
        )
        following = [iter(stacks) for stacks in after]
        moments = [self._moment(lane, step, next(following[lane])) for lane, step in steps]
        contexts = groupby(moments, lambda moment: moment.lane)
        what = violated_question(self._result)
        told_apart = what is not None and what.kind == "assertion"
        return Story(
            lanes,
            self._told.start,
            tuple(tuple(some) for _, some in contexts),
            "a bad state" if what is None else what.text,
            () if told_apart else tuple(map(resting_text, self._told.resting)),
            of_program=True,
        )

    def _moment(self, lane: int, step: SourceStep, stack: Stack) -> Moment:
        start = step.statement.startswith("starts with ")
        shared = tuple(change for change in step.changes if change.name in self._globals)
        local = tuple(change for change in step.changes if change.name not in self._globals)
        return Moment(
            lane,
            None if step.position == NOWHERE else step.position,
            step.procedure,
            f"back: {step.statement}" if step.action == "result" else step.statement,
            step.action,
            step.inside_atomic,
            shared,
            () if start else local,
            stack,
            step.delayed,
        )

    def _first_stack(self, name: str, steps: Sequence[SourceStep], after: Sequence[Stack]) -> Stack:
        """The stack of a thread at the beginning; one that was not started has none."""
        if not steps:
            return after[0]
        return () if steps[0].action == "start" and self._starts_absent(name) else steps[0].stack

    def _starts_absent(self, name: str) -> bool:
        if name not in self._system.thread_names:
            return True
        return self._program.threads[self._system.threads[self._threads[name]]].created

    def _last_stack(self, name: str, steps: Sequence[SourceStep]) -> Stack:
        """The stack of a thread when the trace ends: its last known one, and the place where the
        thread has come to. After a return, the callers whose last call this was are gone, too."""
        top = self._top(name)
        if top is None:
            return ()
        if not steps:
            return (top,)
        last = steps[-1]
        if last.action == "call":
            return (top, *last.stack)
        if last.action != "return":
            return (top, *last.stack[1:])
        procedure = top.rpartition(":")[0]
        callers = last.stack[1:]
        while len(callers) > 1 and callers[0].rpartition(":")[0] != procedure:
            callers = callers[1:]
        return (top, *callers[1:])

    def _top(self, name: str) -> str | None:
        """The procedure in which a thread is when the trace ends, and the line it has come to."""
        thread, layout, program = self._threads.get(name), self._system.layout, self._program
        if thread is None or not any(rest.thread == name for rest in self._told.resting):
            return None
        steps, initial = self._trace.steps, self._trace.initial_stacks
        stack = steps[-1].stacks[thread] if steps else initial[thread]
        if not stack:
            return None
        point = self._system.frames(self._system.threads[thread])[stack[0]].point
        if point > layout.waiting:
            number = layout.assertions[point - layout.waiting - 1].procedure
        elif point == layout.waiting:
            return None
        else:
            number, _ = layout.locations[point]
        if isinstance(program, Slotted) and number >= len(program.original.procedures):
            return None
        location = layout.location(point)
        assert location is not None
        return f"{program.procedures[number].name}:{location.position.line}"


def _threads(system: LoweredSystem, trace: Trace, told: SourceTrace) -> dict[str, int]:
    """The threads by their names in the story: those that are there from the start, and those that
    were forked and run in a slot, in their order."""
    program = system.program
    slots = program.first_slot if isinstance(program, Slotted) else len(program.threads)
    found = {
        name: thread
        for thread, (name, kind) in enumerate(zip(system.thread_names, system.threads, strict=True))
        if kind < slots
    }
    contexts = groupby(trace.steps, key=lambda step: step.thread)
    running = {
        context.thread: thread for context, (thread, _) in zip(told.contexts, contexts, strict=True)
    }
    found |= {one.name: running[one.name] for one in told.forked if one.name in running}
    return found
