"""Why no thread of a pushdown system can move at the end of a trace.

A thread needs a shared state in which a rule applies to the top of its stack. Another thread could
lead to one if it has such a rule ahead: on a symbol that may come to the top of its stack, whatever
the shared state is on the way.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from tepui.checker import Trace
from tepui.model import EPSILON, Rule, System
from tepui.model.system import Template, Word
from tepui.subject.deadlock.explanation import (
    Chance,
    Deadlock,
    EndedThread,
    Need,
    Place,
    Seen,
    Written,
)
from tepui.subject.deadlock.wait_cycle import explained
from tepui.subject.story import SystemStory
from tepui.words import counted

SHARED: Final = "shared state"

_SHOWN = 4
"""How many shared states are named."""


def system_deadlock(system: System, story: SystemStory, trace: Trace) -> Deadlock:
    """The deadlock in which a trace of a system ends."""
    shared, stacks = trace.end
    seen, written = (Seen(SHARED, system.shared[shared]),), tuple(_last_written(story))
    threads = []
    for thread, stack in enumerate(stacks):
        template, name = system.template_of(thread), system.thread_names[thread]
        top = stack[0] if stack else EPSILON
        wanted = {rule.source for rule in template.rules if rule.top == top}
        if not stack and not wanted:
            threads.append(EndedThread(name, "over", None))
            continue
        place = Place(None, "", template.word_text(stack))
        if wanted:
            chances = tuple(_chances(system, stacks, thread, wanted))
            text = f"{SHARED} {_states_text(system, wanted)}"
            need = Need(SHARED, text, place, seen, written, chances, not chances)
        else:
            text = f"a rule on {template.symbols[top]}: there is none"
            need = Need("way on", text, place, hopeless=True)
        threads.append(EndedThread(name, "stuck", place, needs=(need,)))
    return explained(threads)


def _states_text(system: System, wanted: Iterable[int]) -> str:
    names = [system.shared[state] for state in sorted(wanted)]
    more = [counted(len(names) - _SHOWN, "other")] if len(names) > _SHOWN else []
    return " or ".join([*names[:_SHOWN], *more])


def _last_written(story: SystemStory) -> Iterator[Written]:
    """The step that led to the shared state at the end, if it was not so from the start."""
    steps = [
        (context, step)
        for context, each in enumerate(story.contexts, start=1)
        for step in each.steps
    ]
    for number in range(len(steps), 0, -1):
        context, step = steps[number - 1]
        if step.before != step.after.shared:
            yield Written(SHARED, step.thread, context, number, Place(None, "", step.text))
            return


def _chances(
    system: System, stacks: tuple[Word, ...], thread: int, wanted: Iterable[int]
) -> Iterator[Chance]:
    states = set(wanted)
    for other, stack in enumerate(stacks):
        if other == thread:
            continue
        template = system.template_of(other)
        leading = (
            rule
            for rule in _ahead(template, stack)
            if rule.target in states and rule.source not in states
        )
        rule = next(leading, None)
        if rule is not None:
            place = Place(None, "", _rule_text(system, template, rule))
            yield Chance(system.thread_names[other], place)


def _ahead(template: Template, stack: Word) -> Iterator[Rule]:
    """The rules that may apply later, those of near symbols first, if any shared state may come."""
    rules: dict[int, list[Rule]] = {}
    for rule in template.rules:
        rules.setdefault(rule.top, []).append(rule)
    seen: set[int] = set()
    pops = False
    for symbol in (*stack, EPSILON):
        waiting = [symbol]
        for top in waiting:
            if top in seen:
                continue
            seen.add(top)
            for rule in rules.get(top, ()):
                yield rule
                pops = pops or rule.kind == "pop"
                waiting += rule.word
        if not pops:
            return


def _rule_text(system: System, template: Template, rule: Rule) -> str:
    before = f"{system.shared[rule.source]} | {template.symbols[rule.top]}"
    return f"{before} -> {system.shared[rule.target]} | {template.word_text(rule.word)}"
