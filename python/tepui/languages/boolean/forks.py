"""Creations of threads that are Forks (QR, section 4), and what threads inherit at labels.

A creation is a Fork where it may be executed more than once, or passes the identity of a thread.
A new thread that begins at a label inherits the local variables that are live there. A Fork runs
whole procedures, so such a label gets one of its own: a copy of what can be reached from it, with
the inherited variables as parameters. What only these copies need leaves the original.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from tepui.languages.boolean import syntax
from tepui.languages.boolean.control import control_flow
from tepui.languages.boolean.executions import Place
from tepui.languages.boolean.flow import Flow, Flows, Request
from tepui.languages.boolean.scope import Names, Signature, scope_of
from tepui.languages.boolean.sections import mark_sections
from tepui.program.expressions import TRUE, Expression, Read, Variable
from tepui.program.liveness import live_variables
from tepui.program.program import Create, Edge, Fork, Location, Step
from tepui.program.types import THREAD

Inherited = dict[Place, tuple[Variable, ...]]
"""For each location at which new threads begin, the local variables that are copied for them."""


def inherited_variables(flows: Flows) -> Inherited:
    """What threads inherit that begin at a label."""
    inherited: Inherited = {}
    for name, flow in flows.items():
        starts = {start for start, _ in _starts(flow, flow.creations)}
        if starts:
            edges = tuple(_with_ways_of_new_threads(flow))
            live = live_variables(replace(flow.procedure(), edges=edges))
        for start in starts:
            variables = flow.signature.variables
            inherited[name, start] = tuple(each for each in variables if each in live[start])
    return inherited


def fork_creations(
    names: Names,
    flows: Flows,
    dialect: syntax.Dialect,
    inherited: Inherited,
    repeated: Iterable[Place],
) -> None:
    """Make Forks of all creations that have to be, and the procedures that these need."""
    forked = {*repeated, *_passing_threads(flows, inherited)}
    at_labels = {name for name, number in forked if _starts(flows[name], [number])}
    for name, number in sorted(forked):
        if name not in at_labels:
            _fork(flows[name], number, {})
    for name in sorted(at_labels):
        _fork_at_labels(names, flows, dialect, inherited, name)


def _with_ways_of_new_threads(flow: Flow) -> Iterator[Edge]:
    """Edges with the same variables alive: a thread that creates another at a label needs what
    that one needs, as if it went there."""
    for edge in flow.edges:
        if not isinstance(edge, Create):
            yield edge
            continue
        requests = flow.creations[edge.source]
        yield replace(edge, values=tuple(request.arguments for request in requests))
        for request in requests:
            if request.start is not None:
                yield Step(edge.source, request.start, edge.guard)


def _passing_threads(flows: Flows, inherited: Inherited) -> Iterator[Place]:
    """The creations that pass the identity of a thread."""
    for name, flow in flows.items():
        for number, requests in flow.creations.items():
            for request in requests:
                passed = flows[request.procedure].signature.parameters
                if request.start is not None:
                    passed = inherited[name, request.start]
                if any(variable.type == THREAD for variable in passed):
                    yield name, number


def _starts(flow: Flow, creations: Iterable[int]) -> list[tuple[int, str]]:
    """The locations at which some creations let threads begin, and their labels."""
    return [
        (request.start, request.statement.target.name)
        for number in creations
        for request in flow.creations[number]
        if request.start is not None and isinstance(request.statement, syntax.StartGoto)
    ]


def _fork_at_labels(
    names: Names, flows: Flows, dialect: syntax.Dialect, inherited: Inherited, name: str
) -> None:
    """Fork all threads of a procedure at some of whose labels threads begin."""
    flow = flows[name]
    signatures: dict[int, Signature] = {}
    taken = set(flows)
    for start, label in _starts(flow, flow.creations):
        copy_name = _new_name(f"{name}@{label}", taken)
        signatures[start] = _signature(flow.signature, copy_name, inherited[name, start])
    copies = {
        start: _copy(names, dialect, flow, signature) for start, signature in signatures.items()
    }
    for each in (flow, *copies.values()):
        for number in list(each.creations):
            _fork(each, number, signatures)
    moved = flow.connected_to(signatures)
    others = set(range(len(flow.locations))) - moved
    flows[name] = flow.restricted(sorted(flow.connected_to({0, *others})))
    for start, copy in copies.items():
        reached = copy.connected_to([start])
        flows[signatures[start].name] = copy.restricted([start, *sorted(reached - {start})])


def _new_name(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "@"
    taken.add(name)
    return name


def _signature(original: Signature, name: str, parameters: tuple[Variable, ...]) -> Signature:
    """A procedure with another name and other parameters."""
    others = [variable for variable in original.variables if variable not in parameters]
    return Signature(
        replace(original.syntax, name=name),
        tuple(replace(variable, procedure=name) for variable in parameters),
        tuple(replace(variable, procedure=name) for variable in others),
    )


def _copy(names: Names, dialect: syntax.Dialect, flow: Flow, signature: Signature) -> Flow:
    """The same control flow once more, for a procedure with another signature."""
    copy = control_flow(scope_of(names, signature), dialect)
    mark_sections(names, copy)
    for number, requests in flow.creations.items():
        if not requests:
            copy.creations[number] = ()
    return copy


def _fork(flow: Flow, number: int, at_labels: dict[int, Signature]) -> None:
    """Let a location fork the threads that it creates, one after the other in one step."""
    requests = [request for request in flow.creations[number] for _ in range(request.count)]
    edges: list[Edge] = []
    for edge in flow.edges:
        if isinstance(edge, Create) and edge.source == number and requests:
            edges += _forks(flow, edge, requests, at_labels)
            del flow.creations[number]
        else:
            edges.append(edge)
    flow.edges = edges


def _forks(
    flow: Flow, create: Create, requests: list[Request], at_labels: dict[int, Signature]
) -> Iterator[Fork]:
    between = range(len(flow.locations), len(flow.locations) + len(requests) - 1)
    flow.locations += [Location(each.statement.position, atomic=True) for each in requests[1:]]
    sources, targets = [create.source, *between], [*between, create.target]
    guards = [create.guard, *[TRUE] * len(between)]
    for source, target, guard, request in zip(sources, targets, guards, requests, strict=True):
        procedure, arguments = _run(flow, request, at_labels)
        yield Fork(source, target, procedure, arguments, guard=guard)


def _run(
    flow: Flow, request: Request, at_labels: dict[int, Signature]
) -> tuple[str, tuple[Expression, ...]]:
    """The procedure that a new thread runs, and its arguments."""
    if request.start is None:
        return request.procedure, request.arguments
    signature = at_labels[request.start]
    own = {variable.name: variable for variable in flow.signature.variables}
    return signature.name, tuple(Read(own[each.name]) for each in signature.parameters)
