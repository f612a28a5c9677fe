"""Walks over edges miss nothing: they are compared with the fields of every kind of edge."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any, get_args

import pytest

from tepui.program.expressions import (
    TRUE,
    Binary,
    Conditional,
    Constant,
    Expression,
    Read,
    ReadElement,
    Unary,
    Variable,
    operands,
    with_operands,
)
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
    target_of,
)
from tepui.program.types import BOOLEAN, Array
from tepui.program.walk import (
    assigned_by,
    created_by,
    expressions_of,
    reads_of,
    targets_of,
    with_ends,
    with_expressions,
    with_variables,
)

X, Y, Z = (Variable(name, procedure="f") for name in "xyz")
A = Variable("a", Array(BOOLEAN, 2))
READS = [Unary("not", Binary("and", Read(Variable(f"v{n}")), TRUE)) for n in range(9)]
ELEMENT = Element(A, ReadElement(A, Read(Y)))

EDGES: list[Edge] = [
    Step(0, 1, READS[0], (Assignment(X, READS[1]), Assignment(ELEMENT, READS[2])), READS[3]),
    Call(0, 1, "f", (READS[1], READS[2]), READS[0]),
    Receive(0, 1, (X, None, ELEMENT), READS[0]),
    Return(0, (READS[1], READS[2]), READS[0]),
    Assert(0, 1, READS[1], READS[0]),
    Create(0, 1, (0, 1), ((READS[1],), (READS[2], READS[3])), READS[0]),
    End(0, READS[0]),
    Fork(0, 1, "f", (READS[1], READS[2]), ELEMENT, READS[0]),
    Fork(0, 1, "f", (READS[1],), X, READS[0]),
    Join(0, 1, Read(Z), READS[0]),
]


def test_every_kind_of_edge_is_walked_over_with_all_its_fields() -> None:
    assert {type(edge) for edge in EDGES} == set(get_args(Edge))
    for edge in EDGES:
        assert all(getattr(edge, field.name) not in ((), None, TRUE) for field in fields(edge))


@pytest.mark.parametrize("edge", EDGES, ids=repr)
def test_all_expressions_are_found(edge: Edge) -> None:
    assert Counter(expressions_of(edge)) == Counter(_inside(edge, Expression))


@pytest.mark.parametrize("edge", EDGES, ids=repr)
def test_all_variables_are_read_or_assigned(edge: Edge) -> None:
    read = [read.variable for read in reads_of(edge)]
    targets = [each.variable if isinstance(each, Element) else each for each in targets_of(edge)]
    assert Counter([*read, *targets]) == Counter(_deep(edge, Variable))
    assert assigned_by(edge) == {each for each in targets_of(edge) if each == X}


@pytest.mark.parametrize("edge", EDGES, ids=repr)
def test_all_expressions_are_changed(edge: Edge) -> None:
    changed = with_expressions(edge, lambda expression: Unary("minus", expression))
    found = list(_inside(changed, Expression))
    assert Counter(found) == Counter(Unary("minus", old) for old in expressions_of(edge))
    assert with_expressions(edge, lambda expression: expression) == edge
    assert type(changed) is type(edge)


@pytest.mark.parametrize("edge", EDGES, ids=repr)
def test_all_variables_are_changed(edge: Edge) -> None:
    changed = with_variables(edge, lambda variable: replace(variable, name=f"{variable.name}'"))
    old, new = _deep(edge, Variable), _deep(changed, Variable)
    assert [variable.name for variable in new] == [f"{variable.name}'" for variable in old]


def test_threads_are_created_with_values_or_with_none() -> None:
    assert created_by(Create(0, 1, (2, 0), ((TRUE,), ()))) == [(2, (TRUE,)), (0, ())]
    assert created_by(Create(0, 1, (2, 0))) == [(2, ()), (0, ())]


@pytest.mark.parametrize("edge", EDGES, ids=repr)
def test_an_edge_is_moved(edge: Edge) -> None:
    moved = with_ends(edge, 7, 8)
    assert moved.source == 7
    assert target_of(moved) == (None if target_of(edge) is None else 8)
    assert with_ends(moved, edge.source, target_of(edge) or 1) == edge


@pytest.mark.parametrize(
    "expression",
    [
        Constant(1),
        Read(X),
        ReadElement(A, Read(X)),
        Unary("not", Read(X)),
        Binary("and", Read(X), Read(Y)),
        Conditional(Read(X), Read(Y), Read(Z)),
    ],
    ids=repr,
)
def test_all_operands_are_changed(expression: Expression) -> None:
    changed = with_operands(expression, lambda operand: Unary("minus", operand))
    assert operands(changed) == tuple(Unary("minus", old) for old in operands(expression))
    assert with_operands(expression, lambda operand: operand) == expression


def _inside(part: Any, kind: Any) -> Iterator[Any]:
    """The outermost parts of a kind, by the fields of dataclasses alone."""
    if isinstance(part, kind):
        yield part
    else:
        for inner in _parts(part):
            yield from _inside(inner, kind)


def _deep(part: Any, kind: Any) -> Iterator[Any]:
    """All parts of a kind, by the fields of dataclasses alone."""
    if isinstance(part, kind):
        yield part
    for inner in _parts(part):
        yield from _deep(inner, kind)


def _parts(part: Any) -> list[Any]:
    if is_dataclass(part):
        return [getattr(part, field.name) for field in fields(part)]
    return list(part) if isinstance(part, tuple) else []
