"""The graphs of a program: who calls whom, and how control flows through its procedures.

All that is written counts, whether or not it can be reached. A node of the control flow is a
statement as the source has it, with its line; the conditions of a branch are on its edges.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from tepui.doors import door
from tepui.errors import UsageError
from tepui.program.calls import with_all_called
from tepui.program.expressions import FALSE, TRUE, Unary
from tepui.program.printer import edge_text, expression_text
from tepui.program.program import (
    Assert,
    Call,
    Create,
    End,
    Fork,
    Location,
    Procedure,
    Program,
    Receive,
    Return,
    target_of,
)
from tepui.program.program import Edge as ProgramEdge
from tepui.report.pictures.graph import Edge, Graph, Node
from tepui.report.pictures.svg import shortened
from tepui.words import did_you_mean

_LONGEST = 48
"""Longer statements are shortened; the title of a node has the whole statement."""


@door
def call_graph(program: Program) -> Graph:
    """Threads, the procedures that they run, and what these call, fork and create.

    >>> tepui.call_graph(tepui.load_program("examples/bluetooth1.bp"))
    <Graph call graph of bluetooth1: 6 nodes, 5 edges>
    """
    used = _used(program)
    nodes = [
        Node(
            f"thread {thread.name}",
            thread.label,
            "thread",
            f"thread {thread.name} runs {thread.procedure}"
            + (", once it is created" if thread.created else ""),
        )
        for thread in program.threads
    ]
    nodes += [
        Node(procedure.name, f"{procedure.name}()", kind, _place(procedure, kind))
        for number, procedure in enumerate(program.procedures)
        for kind in ["" if number in used else "unused"]
    ]
    edges = [
        Edge(f"thread {thread.name}", thread.procedure, "", "run") for thread in program.threads
    ]
    edges += [edge for procedure in program.procedures for edge in _calls(program, procedure)]
    return Graph(f"call graph of {program.name}", tuple(nodes), tuple(edges))


@door
def control_flow(program: Program, procedure: str | None = None) -> Graph:
    """The control flow of a procedure, or of all of them, each by itself.

    >>> tepui.control_flow(tepui.load_program("examples/bluetooth1.bp"), "inc")
    <Graph control flow of inc: 6 nodes, 6 edges>
    """
    chosen = program.procedures
    name = f"control flow of {program.name}"
    if procedure is not None:
        chosen = (_named(program, procedure),)
        name = f"control flow of {procedure}"
    nodes, edges = [], []
    for each in chosen:
        flow = _Flow(program, each)
        nodes += list(flow.nodes())
        edges += list(flow.edges())
    return Graph(name, tuple(nodes), tuple(edges))


def _named(program: Program, procedure: str) -> Procedure:
    found = program.by_name.get(procedure)
    if found is None:
        names = [each.name for each in program.procedures]
        hint = did_you_mean(procedure, names, "the procedures are")
        raise UsageError(f"there is no procedure {procedure}{hint}")
    return found


def _used(program: Program) -> set[int]:
    """The procedures that threads run, forked ones included."""
    used: set[int] = set()
    starts = {program.numbers[thread.procedure] for thread in program.threads}
    while not starts <= used:
        used.update(with_all_called(program, starts | used))
        starts = {
            program.numbers[edge.procedure]
            for number in used
            for edge in program.procedures[number].edges
            if isinstance(edge, Fork)
        }
    return used


def _place(procedure: Procedure, kind: str) -> str:
    place = str(procedure.position) if procedure.position.line else procedure.name
    return f"{place}, which no thread runs" if kind == "unused" else place


def _calls(program: Program, procedure: Procedure) -> Iterator[Edge]:
    """The calls, forks and creations in a procedure, each once, with how often it is written."""
    called = Counter(edge.procedure for edge in procedure.edges if isinstance(edge, Call))
    forked = Counter(edge.procedure for edge in procedure.edges if isinstance(edge, Fork))
    created = Counter(
        program.threads[thread].name
        for edge in procedure.edges
        if isinstance(edge, Create)
        for thread in edge.threads
    )
    for name, count in called.items():
        yield Edge(procedure.name, name, f"{count} calls" if count > 1 else "")
    for name, count in forked.items():
        yield Edge(procedure.name, name, f"{count} forks" if count > 1 else "forks", "fork")
    for name in created:
        yield Edge(procedure.name, f"thread {name}", "creates", "fork")


class _Flow:
    """The control flow of one procedure. Edges that can never be taken are left out."""

    def __init__(self, program: Program, procedure: Procedure) -> None:
        self._program = program
        self._procedure = procedure
        self._leaving = [
            [edge for edge in edges if edge.guard != FALSE] for edges in procedure.leaving
        ]
        self._call_of = {
            edge.target: procedure.locations[edge.source].text
            for edge in procedure.edges
            if isinstance(edge, Call)
        }
        self._starts = {
            thread.start: thread.name
            for thread in program.threads
            if thread.procedure == procedure.name
        }

    def nodes(self) -> Iterator[Node]:
        procedure = self._procedure
        names = ", ".join(variable.name for variable in procedure.variables[: procedure.parameters])
        yield self._node("entry", f"{procedure.name}({names})", "entry", _place(procedure, ""))
        for number, location in enumerate(procedure.locations):
            if number in self._starts:
                name = self._starts[number]
                yield self._node(number, name, "thread", f"thread {name} starts here")
            else:
                yield self._statement(number, location)
        if any(target_of(edge) is None for edges in self._leaving for edge in edges):
            yield self._node("end", f"end of {procedure.name}", "end", "")

    def edges(self) -> Iterator[Edge]:
        yield Edge(self._key("entry"), self._key(self._procedure.entry))
        for leaving in self._leaving:
            conditions = self._conditions(leaving)
            for edge, condition in zip(leaving, conditions, strict=True):
                target = target_of(edge)
                to = self._key("end" if target is None else target)
                yield Edge(self._key(edge.source), to, condition)

    def _key(self, place: int | str) -> str:
        return f"{self._procedure.name}:{place}"

    def _node(self, place: int | str, label: str, kind: str, title: str) -> Node:
        return Node(self._key(place), label, kind, title, self._procedure.name)

    def _statement(self, number: int, location: Location) -> Node:
        text = self._text(number, location)
        label, title = shortened(text, _LONGEST), text
        if location.position.line:
            label = f"{location.position.line}  {label}"
            title = f"{location.position}  {text}"
        if location.labels:
            label = "\n".join([*(f"{name}:" for name in location.labels), label])
        words = ["inside"] if location.atomic else []
        if any(isinstance(edge, Assert) for edge in self._leaving[number]):
            words.append("check")
        return self._node(number, label, " ".join(words), title)

    def _text(self, number: int, location: Location) -> str:
        """The statement, or a description where the source has none."""
        if location.text:
            return location.text
        leaving = self._leaving[number]
        if any(isinstance(edge, Receive) for edge in leaving):
            return f"back: {self._call_of.get(number, '')}"
        if leaving and all(isinstance(edge, Return | End) for edge in leaving):
            return "return" if isinstance(leaving[0], Return) else "end"
        return edge_text(self._program, leaving[0]).rpartition(" -> ")[0] if leaving else "stop"

    def _conditions(self, leaving: Sequence[ProgramEdge]) -> list[str]:
        """The condition of each edge; empty if the statement shows it."""
        if len(leaving) == 1:
            return [""]
        guards = [edge.guard for edge in leaving]
        if len(guards) == 2 and guards[1] == Unary("not", guards[0]):
            return ["true", "false"]
        return [
            "" if guard == TRUE else shortened(expression_text(guard), _LONGEST) for guard in guards
        ]
