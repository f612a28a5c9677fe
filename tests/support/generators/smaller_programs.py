"""Makes failing programs small: variants of a program with a little less of something.

Every variant is strictly smaller in some way, so that repeatedly taking one that still fails ends.
Variants that are not valid programs are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass, replace
from functools import partial
from itertools import chain
from typing import TypeVar

from tepui.errors import ModelError
from tepui.program.expressions import (
    FALSE,
    TRUE,
    Binary,
    Choice,
    Conditional,
    Constant,
    Expression,
    Read,
    ReadElement,
    Unary,
    Variable,
)
from tepui.program.program import (
    Assert,
    Call,
    Create,
    Edge,
    End,
    Procedure,
    Program,
    Receive,
    Return,
    Step,
)
from tepui.program.validate import validate

Node = TypeVar("Node")


def minimised(program: Program, fails: Callable[[Program], bool]) -> Program:
    """A program that still fails, and none of whose smaller variants does."""
    while True:
        failing = next(filter(fails, smaller(program)), None)
        if failing is None:
            return program
        program = failing


def smaller(program: Program) -> Iterator[Program]:
    """Valid variants of a program, those that lack much first."""
    variants = chain(
        _with_fewer_threads(program),
        _with_fewer_procedures(program),
        _with_fewer_edges(program),
        _with_fewer_locations(program),
        _with_fewer_variables(program),
        _with_simpler_edges(program),
        _with_less_to_choose(program),
    )
    return filter(_is_valid, variants)


def _is_valid(program: Program) -> bool:
    try:
        validate(program)
    except ModelError:
        return False
    return True


def _with_fewer_threads(program: Program) -> Iterator[Program]:
    if program.lock is not None:
        yield replace(program, lock=None)
    threads = program.threads
    for index, thread in enumerate(threads):
        if len(threads) > 1:
            left = replace(program, threads=threads[:index] + threads[index + 1 :])
            yield _with_edges(left, partial(_not_creating, index=index, gone=True))
        if thread.created:
            at_once = replace(thread, created=False, inherited=())
            kept = _with_item(program, "threads", index, at_once)
            yield _with_edges(kept, partial(_not_creating, index=index))
        if thread.size > 1:
            yield _with_item(program, "threads", index, replace(thread, count=thread.size - 1))
        if thread.start is not None:
            yield _with_item(program, "threads", index, replace(thread, start=None))


def _not_creating(edge: Edge, index: int, gone: bool = False) -> Edge:
    """The edge without the creation of a thread type, which may be gone from the program."""
    if not isinstance(edge, Create):
        return edge
    kept = [place for place, thread in enumerate(edge.threads) if thread != index]
    if not kept:
        return Step(edge.source, edge.target, edge.guard)
    numbers = tuple(edge.threads[place] for place in kept)
    values = tuple(edge.values[place] for place in kept if edge.values)
    moved = tuple(number - (gone and number > index) for number in numbers)
    return replace(edge, threads=moved, values=values)


def _with_fewer_procedures(program: Program) -> Iterator[Program]:
    for index in range(len(program.procedures)):
        left = program.procedures[:index] + program.procedures[index + 1 :]
        yield replace(program, procedures=left)


def _with_fewer_edges(program: Program) -> Iterator[Program]:
    for index, procedure in enumerate(program.procedures):
        for number, edge in enumerate(procedure.edges):
            rest = procedure.edges[:number] + procedure.edges[number + 1 :]
            yield _with_item(program, "procedures", index, replace(procedure, edges=rest))
            if isinstance(edge, Call):
                skipped = _with_item(procedure, "edges", number, _not_calling(procedure, edge))
                yield _with_item(program, "procedures", index, skipped)


def _not_calling(procedure: Procedure, call: Call) -> Step:
    target: int | None = call.target
    for edge in procedure.leaving[call.target]:
        if isinstance(edge, Receive):
            target = edge.target
    return Step(call.source, target, call.guard)


def _with_fewer_locations(program: Program) -> Iterator[Program]:
    for index, procedure in enumerate(program.procedures):
        for number, location in enumerate(procedure.locations):
            short = _bypassed(procedure, number)
            starts = {thread.start for thread in program.threads if thread.procedure == short.name}
            if number != short.entry and number not in starts | set(map(_target, short.edges)):
                yield _without_location(program, index, short, number)
            if location.atomic or location.labels:
                plain = replace(location, atomic=False, labels=())
                seen = _with_item(procedure, "locations", number, plain)
                yield _with_item(program, "procedures", index, seen)


def _bypassed(procedure: Procedure, number: int) -> Procedure:
    """The procedure without jumps to a location from which there is only another jump."""
    edges = procedure.leaving[number]
    if len(edges) != 1 or edges[0] != Step(number, _target(edges[0])):
        return procedure
    beyond = _target(edges[0])
    if beyond is None or beyond == number:
        return procedure
    moved = tuple(
        _aimed(edge, beyond) if _target(edge) == number else edge for edge in procedure.edges
    )
    return replace(procedure, edges=moved)


def _without_location(program: Program, index: int, procedure: Procedure, gone: int) -> Program:
    def moved(number: int) -> int:
        return number - (number > gone)

    edges = []
    for edge in procedure.edges:
        if edge.source == gone:
            continue
        target = _target(edge)
        renumbered = replace(edge, source=moved(edge.source))
        if target is not None:
            renumbered = _aimed(renumbered, moved(target))
        edges.append(renumbered)
    left = replace(
        procedure,
        locations=procedure.locations[:gone] + procedure.locations[gone + 1 :],
        edges=tuple(edges),
        entry=moved(procedure.entry),
    )
    threads = tuple(
        replace(thread, start=moved(thread.start))
        if thread.procedure == procedure.name and thread.start is not None
        else thread
        for thread in program.threads
    )
    return replace(_with_item(program, "procedures", index, left), threads=threads)


def _target(edge: Edge) -> int | None:
    return None if isinstance(edge, Return | End) else edge.target


def _aimed(edge: Edge, target: int) -> Edge:
    return edge if isinstance(edge, Return | End) else replace(edge, target=target)


def _with_fewer_variables(program: Program) -> Iterator[Program]:
    for variable in program.globals:
        left = tuple(other for other in program.globals if other != variable)
        if variable != program.lock and not _occurs(variable, program.procedures):
            yield replace(program, globals=left)
    for index, thread in enumerate(program.threads):
        for place in range(len(thread.inherited)):
            kept = replace(thread, inherited=_without(thread.inherited, place))
            fewer = _with_item(program, "threads", index, kept)
            yield _with_edges(fewer, partial(_not_passing, thread=index, place=place))
    for index, procedure in enumerate(program.procedures):
        for place, variable in enumerate(procedure.variables):
            inherited = any(variable in thread.inherited for thread in program.threads)
            if not inherited and not _occurs(variable, procedure.edges):
                yield _without_variable(program, index, place)


def _not_passing(edge: Edge, thread: int, place: int) -> Edge:
    if not isinstance(edge, Create) or thread not in edge.threads:
        return edge
    number = edge.threads.index(thread)
    return _with_item(edge, "values", number, _without(edge.values[number], place))


def _without_variable(program: Program, index: int, place: int) -> Program:
    procedure = program.procedures[index]
    is_parameter = place < procedure.parameters

    def passing_less(edge: Edge) -> Edge:
        if is_parameter and isinstance(edge, Call) and edge.procedure == procedure.name:
            return replace(edge, arguments=_without(edge.arguments, place))
        return edge

    left = replace(
        procedure,
        variables=_without(procedure.variables, place),
        parameters=procedure.parameters - is_parameter,
    )
    return _with_edges(_with_item(program, "procedures", index, left), passing_less)


def _with_simpler_edges(program: Program) -> Iterator[Program]:
    for index, procedure in enumerate(program.procedures):
        for number, edge in enumerate(procedure.edges):
            for simpler in _simpler_edges(edge):
                changed = _with_item(procedure, "edges", number, simpler)
                yield _with_item(program, "procedures", index, changed)


def _simpler_edges(edge: Edge) -> Iterator[Edge]:
    if edge.guard != TRUE:
        yield replace(edge, guard=TRUE)
    if isinstance(edge, Step):
        if edge.constraint != TRUE:
            yield replace(edge, constraint=TRUE)
        for place in range(len(edge.assignments)):
            yield replace(edge, assignments=_without(edge.assignments, place))
    if isinstance(edge, Receive):
        for place, target in enumerate(edge.targets):
            if target is not None:
                yield _with_item(edge, "targets", place, None)
    if isinstance(edge, Assert) and edge.condition != FALSE:
        yield replace(edge, condition=FALSE)
    yield from _simpler(edge)


def _simpler(node: Node) -> Iterator[Node]:
    """The same with one expression in it simpler."""
    if isinstance(node, tuple):
        for place, item in enumerate(node):
            for simpler in _simpler(item):
                yield (*node[:place], simpler, *node[place + 1 :])  # type: ignore[misc]
    elif is_dataclass(node) and not isinstance(node, type | Variable):
        if isinstance(node, Unary | Binary | Conditional | Read | ReadElement | Choice):
            yield from _simpler_expressions(node)  # type: ignore[misc]
        for part in fields(node):
            for simpler in _simpler(getattr(node, part.name)):
                yield replace(node, **{part.name: simpler})


def _simpler_expressions(expression: Expression) -> Iterator[Expression]:
    """Parts of the same sort, then constants."""
    match expression:
        case Unary():
            yield expression.operand
        case Binary() if expression.operator in ("and", "or", "implies", "xor", "+", "-", "*"):
            yield expression.left
            yield expression.right
        case Conditional():
            yield expression.then
            yield expression.otherwise
        case _:
            pass
    yield Constant(0)
    yield Constant(1)


def _with_less_to_choose(program: Program) -> Iterator[Program]:
    """Variants in which a variable starts with a value."""
    for variable in (*program.globals, *(v for p in program.procedures for v in p.variables)):
        if variable.initial is None:
            yield _renamed(program, variable, replace(variable, initial=variable.scalar.low))


def _renamed(node: Node, old: Variable, new: Variable) -> Node:
    """The same with one variable in place of another."""
    if node == old:
        return new  # type: ignore[return-value]
    if isinstance(node, tuple):
        return tuple(_renamed(item, old, new) for item in node)  # type: ignore[return-value]
    if is_dataclass(node) and not isinstance(node, type | Variable):
        values = {part.name: getattr(node, part.name) for part in fields(node)}
        return replace(node, **{name: _renamed(part, old, new) for name, part in values.items()})
    return node


def _occurs(variable: Variable, node: object) -> bool:
    if isinstance(node, tuple):
        return any(_occurs(variable, item) for item in node)
    if is_dataclass(node) and not isinstance(node, Variable):
        return any(_occurs(variable, getattr(node, part.name)) for part in fields(node))
    return node == variable


def _with_edges(program: Program, change: Callable[[Edge], Edge]) -> Program:
    procedures = tuple(
        replace(procedure, edges=tuple(map(change, procedure.edges)))
        for procedure in program.procedures
    )
    return replace(program, procedures=procedures)


def _with_item(node: Node, name: str, place: int, item: object) -> Node:
    """The same with another item at some place of one of its tuples."""
    items = getattr(node, name)
    return replace(node, **{name: (*items[:place], item, *items[place + 1 :])})  # type: ignore[type-var]


def _without(items: tuple[Node, ...], place: int) -> tuple[Node, ...]:
    return items[:place] + items[place + 1 :]
