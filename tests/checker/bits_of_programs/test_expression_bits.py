"""What expressions evaluate to: for each state, the same as the reference semantics says."""

from __future__ import annotations

from collections import Counter
from itertools import product
from random import Random

import pytest

from support.oracles.bit_functions import Bits, diagrams, holds, number_at
from support.sizes import sized
from tepui.checker.bits_of_programs.expression_bits import Code, Evaluation, bits_of_type
from tepui.program.expressions import (
    Binary,
    BinaryOperator,
    Choice,
    Conditional,
    Constant,
    Convert,
    Expression,
    Read,
    ReadElement,
    Self,
    Unary,
    UnaryOperator,
    Variable,
)
from tepui.program.layout import Layout, Value
from tepui.program.program import NOWHERE, Location, Procedure, Program, Thread
from tepui.program.semantics.evaluation import Evaluation as Reference
from tepui.program.semantics.evaluation import Store, values_of
from tepui.program.types import BOOLEAN, Array, Bounded, Enumeration, Scalar

OPERATORS: list[BinaryOperator] = [
    *("and", "or", "implies", "xor", "=", "!=", "<", "<=", ">", ">="),
    *("+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"),
]

UNARY: list[UnaryOperator] = ["not", "minus", "complement"]

TYPES: list[Scalar] = [
    BOOLEAN,
    Enumeration(("red", "green", "blue")),
    Enumeration(("only",)),
    Bounded(0, 3),
    Bounded(-4, 3),
    Bounded(-2, 5),
    Bounded(1, 4, "saturate"),
    Bounded(-3, 2, "saturate"),
    Bounded(2, 6, "wrap"),
    Bounded(-5, -1, "wrap"),
    Bounded(-1, 1, "block"),
    Bounded(7, 7, "wrap"),
    Bounded(-8, 7),
    Bounded(100, 103),
]

VARIABLES = (
    Variable("a", BOOLEAN),
    Variable("b", Bounded(-4, 3)),
    Variable("c", Bounded(3, 5)),
    Variable("d", Array(Bounded(0, 2), 3)),
    Variable("x", Bounded(-1, 2), "main"),
    Variable("y", Array(BOOLEAN, 2), "main"),
)


def scope() -> Layout:
    main = Procedure("main", (Location(NOWHERE),), (), VARIABLES[4:])
    return Program((main,), (Thread("main", "main"),), VARIABLES[:4]).layout


def any_expression(rng: Random, depth: int = 3) -> Expression:
    if depth == 0 or rng.random() < 0.1:
        return leaf(rng)
    match rng.randrange(10):
        case 0:
            return Unary(rng.choice(UNARY), any_expression(rng, depth - 1))
        case 1 | 2:
            return Convert(any_expression(rng, depth - 1), rng.choice(TYPES))
        case 3:
            return Conditional(*(any_expression(rng, depth - 1) for _ in range(3)))
        case 4:
            array = rng.choice([each for each in VARIABLES if each.length > 1])
            return ReadElement(array, any_expression(rng, depth - 1))
        case _:
            sides = any_expression(rng, depth - 1), any_expression(rng, depth - 1)
            return Binary(rng.choice(OPERATORS), *sides)


def leaf(rng: Random) -> Expression:
    match rng.randrange(9):
        case 0:
            return Choice(rng.choice(TYPES))
        case 1:
            return Self()
        case 2 | 3:
            return Constant(rng.choice((-9, -2, -1, 0, 1, 2, 3, 5, 64)))
        case _:
            return Read(rng.choice([each for each in VARIABLES if each.length == 1]))


@pytest.mark.fuzz
@pytest.mark.parametrize("part", range(4))
def test_expressions_have_the_values_that_the_reference_gives_them(part: int) -> None:
    layout = scope()
    met: Counter[str] = Counter()
    for seed in range(part, sized(1600), 4):
        rng = Random(seed)
        expression, scalar = any_expression(rng), rng.choice(TYPES)
        compare(layout, expression, scalar, rng, met)
    assert min(met["value"], met["block"], met["several"], met["not stored"]) > 20


@pytest.mark.parametrize("upper", OPERATORS)
def test_every_operator_works_on_the_results_of_every_other(upper: BinaryOperator) -> None:
    """Also where only the lowest bits of the result are stored."""
    layout, rng, met = scope(), Random(0), Counter[str]()
    b, c, x = (Read(VARIABLES[place]) for place in (1, 2, 4))
    for lower in OPERATORS:
        inner = Binary(lower, b, c)
        for expression in (Binary(upper, inner, x), Binary(upper, c, inner)):
            compare(layout, expression, Bounded(-1, 2), rng, met)
    assert met["value"] > 0


def compare(
    layout: Layout, expression: Expression, scalar: Scalar, rng: Random, met: Counter[str]
) -> None:
    """What an expression evaluates to, and what a scalar of a type stores of it."""
    known, next_level = diagrams(), 0
    cells = layout.shared_cells + layout.frame_cells[0]
    codes: list[Code] = []
    for cell in cells:
        last = next_level + bits_of_type(cell.type)
        codes.append(tuple(map(known.bit, range(next_level, last))))
        next_level = last
    fresh: list[int] = []

    def make_fresh(count: int) -> Code:
        levels = range(1000 + len(fresh), 1000 + len(fresh) + count)
        fresh.extend(levels)
        return tuple(map(known.bit, levels))

    evaluation = Evaluation(known, layout, 0, 3, codes.__getitem__, make_fresh)
    value = evaluation.value(expression)
    stored = evaluation.converted(expression, scalar)
    code = evaluation.code(scalar, stored.number)
    if len(fresh) > 10:
        return
    reference = Reference(layout, 0, values_of)
    for _ in range(6):
        values: list[Value] = [
            rng.randrange(cell.type.low, cell.type.low + cell.type.size) for cell in cells
        ]
        bits: dict[int, int] = {}
        for each, cell, own in zip(values, cells, codes, strict=True):
            assert isinstance(each, int)
            for place, bit in enumerate(own):
                bits[known.level[bit]] = (each - cell.type.low) >> place & 1
        store = Store(tuple(values), own=3)
        ways: list[Bits] = [
            {**bits, **dict(zip(fresh, chosen, strict=True))}
            for chosen in product((0, 1), repeat=len(fresh))
        ]
        outcomes = {found for found, _ in reference.outcomes(expression, store)}
        assert outcomes == {
            number_at(known, value.number, way) for way in ways if holds(known, value.exists, way)
        }
        kept = {found for found, _ in reference.given(expression, scalar, store, choose=True)}
        there = [way for way in ways if holds(known, stored.exists, way)]
        assert kept == {number_at(known, stored.number, way) for way in there}
        assert kept == {scalar.low + number_at(known, (*code, 0), way) for way in there}
        met["value"] += len(outcomes) == 1
        met["block"] += not outcomes
        met["several"] += len(outcomes) > 1
        met["not stored"] += bool(outcomes) and not kept


def test_only_the_lowest_bits_of_a_product_that_wraps_are_worked_out() -> None:
    """The whole product of two unknown numbers of 12 bits has hundreds of thousands of nodes."""
    integer = Bounded(0, 4095)
    low = Bounded(0, 15)
    names = Variable("i", integer), Variable("j", integer)
    layout = Program(
        (Procedure("main", (Location(NOWHERE),), ()),), (Thread("main", "main"),), names
    ).layout
    known = diagrams(most=20_000)
    codes = [tuple(map(known.bit, range(first, 24, 2))) for first in (0, 1)]
    evaluation = Evaluation(known, layout, 0, 1, codes.__getitem__, lambda _: ())
    product_ = Binary("*", Read(names[0]), Binary("+", Read(names[1]), Constant(1)))
    code = evaluation.code(low, evaluation.converted(product_, low).number)
    rng = Random(0)
    for _ in range(50):
        bits = {level: rng.randrange(2) for level in range(24)}
        i, j = (number_at(known, (*code, 0), bits) for code in codes)
        assert number_at(known, (*code, 0), bits) == i * (j + 1) % 16
