"""The trace of a program with fused steps as a run of the same program without fusion.

Each fused step is replaced by the single steps of which it consists; the reference semantics says
which these are. So people and checkers see the run as it is without fusion, with every place at
which a thread could have rested.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tepui.checker import Trace, TraceStep
from tepui.kernels.lowered_system import LoweredSystem, lower
from tepui.model import Rule
from tepui.program.semantics.edges import Configuration, Word
from tepui.program.semantics.fusing import unjoined
from tepui.program.semantics.meaning import Meaning


def without_fusion(system: LoweredSystem) -> LoweredSystem:
    """The system of the same program, in which every step is a single one."""
    return lower(system.program, replace(system.options, fused=None), system.property)


def in_single_steps(
    trace: Trace, fused: LoweredSystem, plain: LoweredSystem, meaning: Meaning
) -> Trace:
    """The same run in the system without fusion; `meaning` is that of the fused program."""
    shared, stacks = plain.initial, list(plain.initial_stacks())
    steps = []
    for step in trace.steps:
        for rule in _single_rules(step, fused, plain, meaning, (shared, stacks[step.thread][0])):
            stacks[step.thread] = rule.word + stacks[step.thread][1:]
            shared = rule.target
            steps.append(TraceStep(step.thread, rule, shared, tuple(stacks)))
    return replace(
        trace,
        initial_shared=plain.initial,
        initial_stacks=plain.initial_stacks(),
        steps=tuple(steps),
    )


def _single_rules(
    step: TraceStep,
    fused: LoweredSystem,
    plain: LoweredSystem,
    meaning: Meaning,
    start: tuple[int, int],
) -> Iterator[Rule]:
    """The rules of the single steps, from a shared state and a top of the plain system on."""
    template = fused.threads[step.thread]
    before, frames = fused.shared_values(), fused.frames(template)
    end = (before[step.rule.target], tuple(frames[symbol] for symbol in step.rule.word))
    path = meaning.rests_between(step.thread, before[step.rule.source], frames[step.rule.top], end)
    shared, top = start
    word = unjoined(frames[step.rule.top])
    for after in path:
        rule = _rule_to(plain, template, (shared, top), (after[0], _written(word, after[1])))
        yield rule
        shared, word = rule.target, after[1]
        if word:
            top = plain.symbol(template, word[0])


def _written(word: Word, after: Word) -> Word:
    """What one step writes in the place of the top of a word."""
    return after[: len(after) - len(word) + 1]


def _rule_to(
    plain: LoweredSystem, template: int, start: tuple[int, int], end: Configuration
) -> Rule:
    shared, frames = plain.shared_values(), plain.frames(template)
    for number in plain.kernel.enabled(template, *start):
        rule = plain.templates[template].rules[number]
        if (shared[rule.target], tuple(frames[symbol] for symbol in rule.word)) == end:
            return rule
    raise AssertionError("a fused step consists of single ones")
