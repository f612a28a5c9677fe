"""Creations of threads that are Forks (QR, section 4), and what threads inherit at labels.

A creation is a Fork where it may be executed more than once, or passes the identity of a thread.
A new thread that begins at a label inherits the local variables that are live there. A Fork runs
whole procedures, so such a label gets one of its own: a copy of what can be reached from it, with
the inherited variables as parameters. What only these copies need leaves the original.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tepui.program.drafts.draft import Creation, Draft, Drafts
from tepui.program.drafts.executions import Place
from tepui.program.expressions import TRUE, Expression, Read, Variable, renamed
from tepui.program.liveness import live_variables
from tepui.program.program import Create, Edge, Fork, Location, Step
from tepui.program.types import THREAD
from tepui.program.walk import with_variables
from tepui.records import replace

Inherited = dict[Place, tuple[Variable, ...]]
"""For each location at which new threads begin, the local variables that they get as copies."""


def inherited_variables(drafts: Drafts) -> Inherited:
    """What threads that begin at a label inherit."""
    inherited: Inherited = {}
    for name, draft in drafts.items():
        starts = {start for start, _ in _starts(draft, draft.creations)}
        if starts:
            edges = tuple(_with_ways_of_new_threads(draft))
            live = live_variables(replace(draft.procedure(), edges=edges))
        for start in starts:
            variables = draft.variables
            inherited[name, start] = tuple(each for each in variables if each in live[start])
    return inherited


def fork_creations(drafts: Drafts, inherited: Inherited, repeated: Iterable[Place]) -> None:
    """Turn creations into Forks where that is necessary, and make the procedures that these
    need."""
    forked = {*repeated, *_passing_threads(drafts, inherited)}
    at_labels = {name for name, number in forked if _starts(drafts[name], [number])}
    for name, number in sorted(forked):
        if name not in at_labels:
            _fork(drafts[name], number, {})
    for name in sorted(at_labels):
        _fork_at_labels(drafts, inherited, name)


def _with_ways_of_new_threads(draft: Draft) -> Iterator[Edge]:
    """Edges with the same variables alive: a thread that creates another at a label needs what
    that one needs, as if it went there."""
    for edge in draft.edges:
        if not isinstance(edge, Create):
            yield edge
            continue
        creations = draft.creations[edge.source]
        yield replace(edge, values=tuple(creation.arguments for creation in creations))
        for creation in creations:
            if creation.start is not None:
                yield Step(edge.source, creation.start, edge.guard)


def _passing_threads(drafts: Drafts, inherited: Inherited) -> Iterator[Place]:
    """The creations that pass the identity of a thread."""
    for name, draft in drafts.items():
        for number, creations in draft.creations.items():
            for creation in creations:
                passed = drafts[creation.procedure].parameters
                if creation.start is not None:
                    passed = inherited[name, creation.start]
                if any(variable.type == THREAD for variable in passed):
                    yield name, number


def _starts(draft: Draft, numbers: Iterable[int]) -> list[tuple[int, str]]:
    """The locations at which threads of some creations begin, and their labels."""
    return [
        (creation.start, creation.label)
        for number in numbers
        for creation in draft.creations[number]
        if creation.start is not None
    ]


def _fork_at_labels(drafts: Drafts, inherited: Inherited, name: str) -> None:
    """Fork all threads of a procedure that has labels at which threads begin."""
    draft = drafts[name]
    copies: dict[int, Draft] = {}
    taken = set(drafts)
    for start, label in _starts(draft, draft.creations):
        copy_name = _new_name(f"{name}@{label}", taken)
        copies[start] = _copy(draft, copy_name, inherited[name, start])
    for each in (draft, *copies.values()):
        for number in list(each.creations):
            _fork(each, number, copies)
    others = set(range(len(draft.locations))) - draft.connected_to(copies)
    draft.keep(sorted(draft.connected_to({0, *others})))
    for start, copy in copies.items():
        copy.keep([start, *sorted(copy.connected_to([start]) - {start})])
        drafts[copy.name] = copy


def _new_name(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "@"
    taken.add(name)
    return name


def _copy(draft: Draft, name: str, parameters: tuple[Variable, ...]) -> Draft:
    """A copy of the control flow, for a procedure with other parameters."""

    def own(variable: Variable) -> Variable:
        return variable if variable.procedure is None else replace(variable, procedure=name)

    def creation(old: Creation) -> Creation:
        arguments = (renamed(argument, own) for argument in old.arguments)
        return replace(old, arguments=tuple(arguments))

    others = [variable for variable in draft.variables if variable not in parameters]
    return replace(
        draft,
        name=name,
        parameters=tuple(map(own, parameters)),
        locals=tuple(map(own, others)),
        locations=list(draft.locations),
        edges=[with_variables(edge, own) for edge in draft.edges],
        creations={n: tuple(map(creation, some)) for n, some in draft.creations.items()},
    )


def _fork(draft: Draft, number: int, at_labels: dict[int, Draft]) -> None:
    """Let a location fork the threads that it creates, one after the other in one step."""
    creations = [
        creation for creation in draft.creations[number] for _ in range(creation.count or 1)
    ]
    edges: list[Edge] = []
    for edge in draft.edges:
        if isinstance(edge, Create) and edge.source == number and creations:
            edges += _forks(draft, edge, creations, at_labels)
            del draft.creations[number]
        else:
            edges.append(edge)
    draft.edges = edges


def _forks(
    draft: Draft, create: Create, creations: list[Creation], at_labels: dict[int, Draft]
) -> Iterator[Fork]:
    between = range(len(draft.locations), len(draft.locations) + len(creations) - 1)
    draft.locations += [Location(each.position, atomic=True) for each in creations[1:]]
    sources, targets = [create.source, *between], [*between, create.target]
    guards = [create.guard, *[TRUE] * len(between)]
    for source, target, guard, creation in zip(sources, targets, guards, creations, strict=True):
        procedure, arguments = _run(draft, creation, at_labels)
        yield Fork(source, target, procedure, arguments, guard=guard)


def _run(
    draft: Draft, creation: Creation, at_labels: dict[int, Draft]
) -> tuple[str, tuple[Expression, ...]]:
    """The procedure that a new thread runs, and its arguments."""
    if creation.start is None:
        return creation.procedure, creation.arguments
    copy = at_labels[creation.start]
    own = {variable.name: variable for variable in draft.variables}
    return copy.name, tuple(Read(own[each.name]) for each in copy.parameters)
