"""The threads of a Boolean program: which there are, when they start, and with which values.

A main that only creates threads, with no labels but program counters, is no thread itself (CUBA,
section 2.1: «we omit the main thread»); then its threads run at once, and arguments, if there are
any, are assigned in a first step of their own. Otherwise main is the first thread, and the others
wait until they are created. Creations that may happen more than once are Forks (see `forks`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from itertools import count
from typing import NamedTuple

from tepui.languages.boolean import syntax
from tepui.languages.boolean.executions import repeated_creations
from tepui.languages.boolean.flow import Flows, Request
from tepui.languages.boolean.forks import Inherited, fork_creations, inherited_variables
from tepui.languages.boolean.scope import Names
from tepui.languages.boolean.syntax import Dialect
from tepui.model.build import MAX_THREADS
from tepui.program.calls import called_by, forked_by
from tepui.program.expressions import Choice, Constant, Expression, Read, Variable, operands, reads
from tepui.program.program import Assignment, Create, Edge, Fork, Location, Step, Thread


def arrange_threads(names: Names, flows: Flows, dialect: Dialect) -> tuple[Thread, ...]:
    """The threads that a program has without Forks. Fills in what its Create edges create, or makes
    Forks of them, and takes a main away that does nothing but create."""
    repeated = repeated_creations(flows, dialect.main)
    inherited = inherited_variables(flows)
    fork_creations(names, flows, dialect, inherited, repeated)
    threads = _Threads(names, flows, inherited)
    if dialect.omit_main and _only_creates(flows, dialect):
        main = flows.pop(dialect.main)
        threads.run_at_once([request for some in main.creations.values() for request in some])
    else:
        threads.add(Thread(dialect.main, dialect.main))
    threads.create()
    threads.name_types()
    return tuple(threads.threads)


class _Type(NamedTuple):
    """Equal threads."""

    request: Request
    size: int


class _Threads:
    """Numbers the threads, and says what they start with."""

    def __init__(self, names: Names, flows: Flows, inherited: Inherited) -> None:
        self._names = names
        self._flows = flows
        self._inherited = inherited
        self.threads: list[Thread] = []
        self._requests: dict[int, Request] = {}

    def add(self, thread: Thread, request: Request | None = None) -> None:
        """One more thread type; main is there without a request."""
        if request is not None:
            self._requests[len(self.threads)] = request
        self.threads.append(thread)
        if sum(each.count for each in self.threads) > MAX_THREADS and request is not None:
            raise self._names.error(
                request.statement.position, f"expected at most {MAX_THREADS} threads, found more"
            )

    def name_types(self) -> None:
        """Give every type a name of its own: that of its procedure, with arguments where several
        types run it, and with a number where these do not tell them apart."""
        run = Counter(thread.procedure for thread in self.threads)
        bases = {
            index: self._with_arguments(request)
            if run[request.procedure] > 1
            else request.procedure
            for index, request in self._requests.items()
        }
        shared = Counter(bases.values())
        taken = {
            thread.name for index, thread in enumerate(self.threads) if index not in self._requests
        }
        for index, base in bases.items():
            name = base
            if shared[base] > 1 or base in taken:
                numbered = (f"{base}#{number}" for number in count(2 if base in taken else 1))
                name = next(each for each in numbered if each not in taken)
            taken.add(name)
            self.threads[index] = replace(self.threads[index], name=name)

    def run_at_once(self, requests: Iterable[Request]) -> None:
        """Threads that nobody has to create."""
        for request, size in _at_once(requests):
            start = self._assign_arguments(request) if request.arguments else None
            self.add(Thread(request.procedure, request.procedure, size, start=start), request)

    def create(self) -> None:
        """The threads of all Create edges."""
        for flow in self._flows.values():
            created = {
                location: [self._created(type_) for type_ in _created_together(requests)]
                for location, requests in flow.creations.items()
            }
            for index, edge in enumerate(flow.edges):
                if isinstance(edge, Create):
                    flow.edges[index] = self._filled(edge, created[edge.source])

    def _with_arguments(self, request: Request) -> str:
        """A procedure with what a thread passes to it."""
        if not request.arguments:
            return request.procedure
        parameters = self._flows[request.procedure].signature.parameters
        passed = map(_argument_text, request.arguments, parameters)
        return f"{request.procedure}({','.join(passed)})"

    def _assign_arguments(self, request: Request) -> int:
        """A location before the first one of a procedure, at which a thread takes its arguments.
        It stands for no statement of the procedure."""
        flow = self._flows[request.procedure]
        start = len(flow.locations)
        flow.locations.append(Location(flow.signature.syntax.position))
        assignments = map(Assignment, flow.signature.parameters, request.arguments)
        flow.edges.append(Step(start, 0, assignments=tuple(assignments)))
        return start

    def _created(self, created: _Type) -> int:
        request, size = created
        name = request.procedure
        inherited = self._flows[name].signature.parameters
        if request.start is not None:
            inherited = self._inherited[name, request.start]
        self.add(Thread(name, name, size, True, request.start, inherited), request)
        return len(self.threads) - 1

    def _filled(self, edge: Create, threads: list[int]) -> Edge:
        """The edge that creates these threads; a step if there are none."""
        if not threads:
            return Step(edge.source, edge.target, edge.guard)
        values = tuple(self._values(index) for index in threads)
        return replace(edge, threads=tuple(threads), values=values)

    def _values(self, index: int) -> tuple[Expression, ...]:
        """What a thread gets when it is created: arguments, or a copy of local variables."""
        request = self._requests[index]
        if request.start is None:
            return request.arguments
        return tuple(map(Read, self.threads[index].inherited))


def _only_creates(flows: Flows, dialect: Dialect) -> bool:
    """Whether main does nothing but create threads with values that are known beforehand."""
    flow = flows[dialect.main]
    requests = [request for some in flow.creations.values() for request in some]
    body = flow.signature.syntax.body
    labels = [label.name for statement in body for label in statement.labels]
    edges = [edge for each in flows.values() for edge in each.edges]
    return (
        bool(requests)
        and not any(isinstance(edge, Fork) for edge in flow.edges)
        and all(isinstance(statement, syntax.ThreadCreate) for statement in body)
        and all(map(str.isdigit, labels))
        and not any(map(_reads_variables, requests))
        and dialect.main not in called_by(edges)
        and dialect.main not in forked_by(edges)
    )


def _reads_variables(request: Request) -> bool:
    return any(True for argument in request.arguments for _ in reads(argument))


def _at_once(requests: Iterable[Request]) -> list[_Type]:
    """The types of threads that start by themselves: equal ones together."""
    types: dict[tuple[str, tuple[Expression, ...]], _Type] = {}
    for request in requests:
        key = (request.procedure, request.arguments)
        known = types.get(key, _Type(request, 0))
        types[key] = _Type(known.request, known.size + request.count)
    return list(types.values())


def _created_together(requests: Iterable[Request]) -> list[_Type]:
    """The types of threads that one edge creates. Those of one type get the same values, so that
    with a choice among their arguments every thread is a type of its own."""
    types: list[_Type] = []
    constant: dict[tuple[str, tuple[Expression, ...]], int] = {}
    for request in requests:
        key = (request.procedure, request.arguments)
        if request.start is None and key in constant:
            known = types[constant[key]]
            types[constant[key]] = _Type(known.request, known.size + request.count)
        elif any(map(_chooses, request.arguments)):
            types += [_Type(request, 1)] * request.count
        else:
            if all(isinstance(argument, Constant) for argument in request.arguments):
                constant[key] = len(types)
            types.append(_Type(request, request.count))
    return types


def _argument_text(argument: Expression, parameter: Variable) -> str:
    match argument:
        case Constant():
            return parameter.scalar.text(argument.value)
        case Choice():
            return "*"
        case Read():
            return argument.variable.name
    return "…"


def _chooses(expression: Expression) -> bool:
    return isinstance(expression, Choice) or any(map(_chooses, operands(expression)))
