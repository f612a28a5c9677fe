"""Walks over edges: their expressions, what they read and assign, and the same edge with others.

These are facts about the shape of the contract (`program`), as `operands` and `reads` are about
expressions, and say nothing about what an edge does. Everything that walks over edges uses them, on
the trusted side and on the other: a test compares them with the fields of every kind of edge, so
that none can be forgotten.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import assert_never

from tepui.program.expressions import Expression, Read, ReadElement, Variable, reads, renamed
from tepui.program.program import (
    Assert,
    Assignment,
    Call,
    Create,
    Edge,
    Element,
    End,
    Fork,
    Join,
    Receive,
    Return,
    Step,
    Target,
)
from tepui.records import replace

ChangeExpression = Callable[[Expression], Expression]
ChangeVariable = Callable[[Variable], Variable]


def targets_of(edge: Edge) -> tuple[Target, ...]:
    """What an edge assigns, in the order in which it does."""
    match edge:
        case Step():
            return tuple(assignment.target for assignment in edge.assignments)
        case Receive():
            return tuple(target for target in edge.targets if target is not None)
        case Fork():
            return () if edge.variable is None else (edge.variable,)
        case Call() | Return() | Assert() | Create() | End() | Join():
            return ()
        case _:
            assert_never(edge)


def assigned_by(edge: Edge) -> frozenset[Variable]:
    """The variables that an edge assigns as a whole. In arrays it changes only elements."""
    return frozenset(target for target in targets_of(edge) if isinstance(target, Variable))


def created_by(edge: Create) -> list[tuple[int, tuple[Expression, ...]]]:
    """The thread types that an edge creates, each with what its threads inherit."""
    return list(zip(edge.threads, edge.values or [()] * len(edge.threads), strict=True))


def expressions_of(edge: Edge) -> Iterator[Expression]:
    """Every expression of an edge, in the order of evaluation."""
    yield edge.guard
    match edge:
        case Step():
            for assignment in edge.assignments:
                yield from _indices([assignment.target])
                yield assignment.value
            yield edge.constraint
        case Call():
            yield from edge.arguments
        case Receive():
            yield from _indices(edge.targets)
        case Return():
            yield from edge.values
        case Assert():
            yield edge.condition
        case Create():
            yield from chain.from_iterable(edge.values)
        case End():
            pass
        case Fork():
            yield from edge.arguments
            yield from _indices([edge.variable])
        case Join():
            yield edge.thread
        case _:
            assert_never(edge)


def reads_of(edge: Edge) -> Iterator[Read | ReadElement]:
    """Every place at which an edge reads a variable, before the step or after it."""
    for expression in expressions_of(edge):
        yield from reads(expression)


def with_expressions(
    edge: Edge, change: ChangeExpression, variable: ChangeVariable = lambda variable: variable
) -> Edge:
    """The edge with each of its expressions changed, in the order of `expressions_of`, and each
    variable that it assigns."""

    def target(old: Target) -> Target:
        if isinstance(old, Element):
            return Element(variable(old.variable), change(old.index))
        return variable(old)

    guard = change(edge.guard)
    match edge:
        case Step():
            assignments = tuple(
                Assignment(target(each.target), change(each.value)) for each in edge.assignments
            )
            constraint = change(edge.constraint)
            return replace(edge, guard=guard, assignments=assignments, constraint=constraint)
        case Call():
            return replace(edge, guard=guard, arguments=tuple(map(change, edge.arguments)))
        case Receive():
            targets = tuple(None if each is None else target(each) for each in edge.targets)
            return replace(edge, guard=guard, targets=targets)
        case Return():
            return replace(edge, guard=guard, values=tuple(map(change, edge.values)))
        case Assert():
            return replace(edge, guard=guard, condition=change(edge.condition))
        case Create():
            values = tuple(tuple(map(change, some)) for some in edge.values)
            return replace(edge, guard=guard, values=values)
        case End():
            return replace(edge, guard=guard)
        case Fork():
            arguments = tuple(map(change, edge.arguments))
            stored = None if edge.variable is None else target(edge.variable)
            return replace(edge, guard=guard, arguments=arguments, variable=stored)
        case Join():
            return replace(edge, guard=guard, thread=change(edge.thread))
        case _:
            assert_never(edge)


def with_variables(edge: Edge, change: ChangeVariable) -> Edge:
    """The edge with other variables in place of those that it reads and assigns."""
    return with_expressions(edge, lambda expression: renamed(expression, change), change)


def with_ends(edge: Edge, source: int, target: int | None) -> Edge:
    """The edge between other locations; one that leaves the procedure anyway has no target."""
    match edge:
        case Step():  # Almost all edges are steps, and `replace` takes its time.
            return Step(source, target, edge.guard, edge.assignments, edge.constraint)
        case Return() | End():
            return replace(edge, source=source)
        case Call():
            assert target is not None, "a call comes back"
            return replace(edge, source=source, target=target)
        case _:
            return replace(edge, source=source, target=target)


def _indices(targets: Iterable[Target | None]) -> Iterator[Expression]:
    return (target.index for target in targets if isinstance(target, Element))
