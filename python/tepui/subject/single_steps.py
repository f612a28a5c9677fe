"""The trace of a program with fused steps as a run of the same program without fusion.

Each fused step is replaced by the single steps of which it consists; the reference semantics says
which these are. So people and checkers see the run as it is without fusion, with every place at
which a thread could have rested.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tepui.checker import Trace
from tepui.checker.trace_steps import Move, Walk
from tepui.kernels.lowered_system import LoweredSystem, lower
from tepui.model import Rule
from tepui.program.semantics.edges import Configuration, Word
from tepui.program.semantics.fusing import unjoined
from tepui.program.semantics.meaning import Meaning

_MOST_STEPS = 10_000
"""Of how many different steps it is kept of which single ones they consist."""


def without_fusion(system: LoweredSystem) -> LoweredSystem:
    """The system of the same program, in which every step is a single one."""
    return lower(system.program, replace(system.options, fused=None), system.property)


def in_single_steps(
    trace: Trace, fused: LoweredSystem, plain: LoweredSystem, meaning: Meaning
) -> Trace:
    """The same run in the system without fusion; `meaning` is that of the fused program."""
    start = plain.initial, plain.initial_stacks()
    single = Trace.of_moves(start, _single_moves(trace, fused, plain, meaning))
    return replace(single, contexts=trace.contexts, schedule=trace.schedule)


def _single_moves(
    trace: Trace, fused: LoweredSystem, plain: LoweredSystem, meaning: Meaning
) -> Iterator[Move]:
    walk = Walk((plain.initial, plain.initial_stacks()))
    known: dict[tuple[Move, int, int], list[Rule]] = {}
    """A step that is taken again consists of the same single ones."""
    for thread, rule in trace.differences.moves():
        key = ((thread, rule), walk.shared, walk.top(thread))
        if key not in known:
            if len(known) == _MOST_STEPS:
                known.clear()
            known[key] = list(_single_rules(thread, rule, fused, plain, meaning, key[1:]))
        for single in known[key]:
            walk.move(thread, single)
            yield thread, single


def _single_rules(
    thread: int,
    fused_rule: Rule,
    fused: LoweredSystem,
    plain: LoweredSystem,
    meaning: Meaning,
    start: tuple[int, int],
) -> Iterator[Rule]:
    """The rules of the single steps, from a shared state and a top of the plain system on."""
    template = fused.threads[thread]
    before, frames = fused.shared_values(), fused.frames(template)
    end = (before[fused_rule.target], tuple(frames[symbol] for symbol in fused_rule.word))
    top_frame = frames[fused_rule.top]
    path = meaning.rests_between(thread, before[fused_rule.source], top_frame, end)
    shared, top = start
    word = unjoined(top_frame)
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
