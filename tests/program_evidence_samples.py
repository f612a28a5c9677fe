"""Programs, all their states, and correct evidence about them, made the naive way.

`everything` looks at every shared state with every frame that some rule can make, so the System it
builds has far more rules than needed. Evidence is then made by `evidence_samples`.
"""

from __future__ import annotations

from tepui.evidence import Certificate, Step, Trace
from tepui.evidence.programs import ProgramTables
from tepui.model import Rule, System, Template
from tepui.model.system import Word
from tepui.program.layout import Frame, SharedState
from tepui.program.meaning import Meaning
from tepui.program.states import thread_names


def everything(meaning: Meaning) -> tuple[System, ProgramTables]:
    """The whole system of a program, with anonymous states, and the tables that name them."""
    kinds = range(len(meaning.program.threads))
    shared: dict[SharedState, int] = {meaning.initial_shared(): 0}
    frames: list[dict[Frame, int]] = [{} for _ in kinds]
    stacks = [_numbers(frames[kind], meaning.initial_stack(kind)) for kind in kinds]
    rules: list[dict[tuple[int, int], list[Rule]]] = [{} for _ in kinds]
    size = -1
    while size != len(shared) + sum(map(len, frames)):
        size = len(shared) + sum(map(len, frames))
        for kind in kinds:
            for state, source in list(shared.items()):
                for frame, top in list(frames[kind].items()):
                    if (source, top) not in rules[kind]:
                        rules[kind][source, top] = [
                            Rule(
                                source,
                                top,
                                shared.setdefault(target, len(shared)),
                                _numbers(frames[kind], word),
                            )
                            for target, word in meaning.rules(kind, state, frame)
                        ]
    templates = tuple(
        Template(
            f"t{kind}",
            tuple(map(str, range(len(frames[kind]) + 1))),
            stacks[kind],
            tuple(rule for found in rules[kind].values() for rule in found),
        )
        for kind in kinds
    )
    counts = [thread.count for thread in meaning.program.threads]
    threads = tuple(kind for kind in kinds for _ in range(counts[kind]))
    names = tuple(map(str, shared))
    system = System(names, 0, templates, threads, thread_names(meaning.program))
    unused = Frame(meaning.layout.waiting)
    return system, ProgramTables(tuple(shared), tuple((unused, *table) for table in frames))


def renumbered(
    evidence: Trace | Certificate, tables: ProgramTables, shift: int
) -> tuple[Trace | Certificate, ProgramTables]:
    """The same evidence, with shared states and frames numbered the other way round.

    `shift` unused shared states, taken from the end of the table, come first.
    """
    count = len(tables.shared)
    order = [count - 1 - number for number in range(count)]
    order = order[shift:] + order[:shift]
    place = {old: new for new, old in enumerate(order)}
    turned = ProgramTables(tuple(tables.shared[old] for old in order), tables.frames)
    if isinstance(evidence, Certificate):
        states = tuple((place[state[0]], *state[1:]) for state in evidence.states)
        return (
            Certificate(
                evidence.kind,
                evidence.groups,
                evidence.locals,
                states,
                evidence.depth,
                evidence.flags,
                evidence.below,
            ),
            turned,
        )
    steps = tuple(
        Step(
            step.thread,
            Rule(place[step.rule.source], step.rule.top, place[step.rule.target], step.rule.word),
            place[step.shared],
            step.stacks,
        )
        for step in evidence.steps
    )
    start = place[evidence.initial_shared]
    return Trace(start, evidence.initial_stacks, steps, evidence.contexts), turned


def _numbers(table: dict[Frame, int], word: tuple[Frame, ...]) -> Word:
    return tuple(table.setdefault(frame, len(table) + 1) for frame in word)
