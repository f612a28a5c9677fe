"""The story of a trace of a pushdown system."""

from __future__ import annotations

from itertools import groupby

from tepui.checker import Trace
from tepui.model import System
from tepui.model.system import Word
from tepui.subject.schedule import delayed_before_steps
from tepui.subject.story import Context, RuleStep, StoryRule, StoryState, SystemStory


def system_story(system: System, trace: Trace) -> SystemStory:
    """A trace as people read it: rules by name, and the states between them."""
    names = system.thread_names
    scheduled = list(zip(trace.steps, delayed_before_steps(system, trace), strict=True))
    contexts, before = [], system.shared[trace.initial_shared]
    groups = groupby(scheduled, key=lambda pair: pair[0].thread)
    for number, (thread, own) in enumerate(groups, start=1):
        steps = []
        for step, delayed in own:
            after = _state(system, step.shared, step.stacks)
            late = tuple(names[each] for each in delayed)
            rule, symbols = step.rule, system.template_of(thread).symbols
            named = StoryRule(
                system.shared[rule.source],
                symbols[rule.top],
                system.shared[rule.target],
                tuple(symbols[symbol] for symbol in rule.word),
                rule.kind,
            )
            steps.append(RuleStep(names[thread], thread, number, named, before, after, late))
            before = after.shared
        contexts.append(Context(names[thread], tuple(steps)))
    start = _state(system, trace.initial_shared, trace.initial_stacks)
    return SystemStory(names, start, tuple(contexts), trace.schedule)


def _state(system: System, shared: int, stacks: tuple[Word, ...]) -> StoryState:
    return StoryState(
        system.shared[shared],
        tuple(
            tuple(system.template_of(thread).symbols[symbol] for symbol in stack)
            for thread, stack in enumerate(stacks)
        ),
    )
