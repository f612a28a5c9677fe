"""Programs, all their states, and correct evidence about them, made the naive way.

`everything` looks at every shared state with every frame that some rule can make, so the System it
builds has far more rules than needed. Evidence is then made by `support.samples.evidence`.
"""

from __future__ import annotations

from typing import Any

from support.samples.evidence import run, steps
from support.samples.handmade_programs import (
    assign,
    equal,
    local,
    procedure,
    program,
    step,
    variable,
)
from tepui.checker import Trace, TraceStep
from tepui.checker.certificates.states import Certificate
from tepui.checker.programs.program_check import StateOptions
from tepui.checker.programs.rules import check_program
from tepui.checker.programs.state_tables import ProgramTables
from tepui.errors import EvidenceError
from tepui.model import EPSILON, Pattern, Property, Rule, System, Template
from tepui.model.system import Word
from tepui.program.expressions import ANY, TRUE, Binary, Constant, Read, Unary
from tepui.program.layout import Frame, Layout, SharedState, point_class
from tepui.program.program import (
    Assert,
    Call,
    Create,
    Program,
    Receive,
    Return,
    Step,
    Thread,
    thread_names,
)
from tepui.program.semantics.meaning import Meaning, meaning_of
from tepui.program.semantics.sections import points_inside
from tepui.program.state_names import parse_point
from tepui.program.types import BOOLEAN, Bounded

BUSY, DONE = variable("busy"), variable("done", initial=None)
K = local("k", Bounded(0, 2), procedure="work")

RECURSION = program(
    procedure("main", Create(0, 1, (1,), ((Constant(2),),)), Assert(1, 2, Read(DONE)), step(2, 2)),
    procedure(
        "work",
        step(0, 1, assign(BUSY, 1), guard=Unary("not", Read(BUSY))),
        Call(1, 2, "work"),
        step(1, 3),
        step(2, 3),
        step(3, 4, assign(BUSY, 0), guard=equal(K, 2)),
        Return(4),
        variables=(K,),
    ),
    shared=(BUSY, DONE),
    threads=(
        Thread("main", "main"),
        Thread("w", "work", 2, created=True, inherited=(K,)),
    ),
)
FLAG = local("flag", initial=None)
SECTION = program(
    procedure(
        "main",
        Step(0, 1, Unary("not", Read(BUSY))),
        step(1, 2, assign(BUSY, 1)),
        Call(2, 3, "f"),
        Receive(3, 4, (FLAG,)),
        step(4, 5),
        step(5, 0, assign(BUSY, 0), guard=Binary("or", Read(FLAG), TRUE)),
        variables=(FLAG,),
        atomic={1, 2, 3, 4},
    ),
    procedure("f", Return(0, (ANY,)), results=(BOOLEAN,)),
    shared=(BUSY,),
    threads=(Thread("main", "main", 2),),
)


def at(meant: Program, thread: int, place: str) -> Property:
    """A thread is at a place."""
    count = sum(kind.size for kind in meant.threads)
    tops: list[int | None] = [None] * count
    tops[thread] = point_class(parse_point(Layout(meant), place))
    return Property((Pattern(None, tuple(tops)),))


def together(meant: Program, *places: str | None) -> Property:
    """All threads at these places at the same time; None is anywhere, `-` is over."""
    layout = Layout(meant)
    tops = tuple(
        None if p is None else EPSILON if p == "-" else point_class(parse_point(layout, p))
        for p in places
    )
    return Property((Pattern(None, tops),))


def violations(meant: Program) -> Property:
    """Some thread violates an assertion."""
    layout, count = Layout(meant), sum(kind.size for kind in meant.threads)
    patterns = []
    for number in range(len(layout.assertions)):
        for thread in range(count):
            tops: list[int | None] = [None] * count
            tops[thread] = point_class(layout.violation(number))
            patterns.append(Pattern(None, tuple(tops)))
    return Property(tuple(patterns))


def options_for(meant: Program, asked: Property, *, liveness: bool = True) -> StateOptions:
    """The options that a property needs."""
    named = {top - 1 for pattern in asked.patterns for top in pattern.tops if top is not None}
    return StateOptions(liveness, points_inside(meant) & named)


def meaning_for(meant: Program, asked: Property, *, liveness: bool = True) -> Meaning:
    """The meaning of a program with the options that a property needs."""
    return meaning_of(meant, options_for(meant, asked, liveness=liveness))


def made(meant: Program, asked: Property = Property()) -> tuple[Meaning, System, ProgramTables]:  # noqa: B008
    meaning = meaning_for(meant, asked)
    return meaning, *everything(meaning)


def trace_to(meant: Program, asked: Property) -> tuple[ProgramTables, Trace]:
    """A shortest run into a bad state, found by looking at all runs."""
    meaning, system, tables = made(meant, asked)
    known = {(system.initial, system.initial_stacks())}
    waiting: list[tuple[Any, list[tuple[int, int]]]] = [(next(iter(known)), [])]
    while waiting:
        state, choices = waiting.pop(0)
        trace = run(system, *choices)
        try:
            check_program(meant, meaning, asked, tables, trace)
        except EvidenceError:
            seen: dict[int, int] = {}
            for thread, _, after in steps(system, state):
                number = seen.get(thread, 0)
                seen[thread] = number + 1
                if after not in known and max(map(len, after[1])) < 5:
                    known.add(after)
                    waiting.append((after, [*choices, (thread, number)]))
        else:
            return tables, trace
    raise AssertionError("no trace")


NEVER = together(RECURSION, None, "work:1", "work:1")
"""Two workers are never both at line 1: the one who is there is busy."""


def everything(meaning: Meaning) -> tuple[System, ProgramTables]:
    """The whole system of a program, with anonymous states, and the tables that name them."""
    kinds = range(len(meaning.program.threads))
    firsts = meaning.layout.first_threads
    shared: dict[SharedState, int] = {meaning.initial_shared(): 0}
    frames: list[dict[Frame, int]] = [{} for _ in kinds]
    stacks = [_numbers(frames[kind], meaning.initial_stack(firsts[kind])) for kind in kinds]
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
                            for target, word in meaning.rules(firsts[kind], state, frame)
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
    counts = [thread.size for thread in meaning.program.threads]
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
        TraceStep(
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
