"""How large the values of expressions can be."""

from __future__ import annotations

from random import Random

import pytest

from support.generators.machine_expressions import MACHINES, RANGES, edge_value, random_expression
from support.oracles.masked_integers import possible
from support.sizes import sized
from tepui.program.expressions import Binary, Constant, Expression, Read, Variable, operands
from tepui.program.intervals import Interval, interval, is_within
from tepui.program.types import Bounded, Enumeration

X = Read(Variable("x", Bounded(-3, 5)))
COLOUR = Read(Variable("c", Enumeration(("red", "green", "blue"))))


def number(value: int) -> Expression:
    return Constant(value, Bounded(value, value))


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (X, (-3, 5)),
        (Binary("+", X, number(4)), (1, 9)),
        (Binary("*", X, X), (-15, 25)),
        (Binary("%", X, number(4)), (-3, 3)),
        (Binary("&", X, number(6)), (0, 6)),
        (Binary("<", X, number(6)), (0, 1)),
        (COLOUR, (0, 2)),
    ],
)
def test_intervals_follow_from_types(expression: Expression, expected: Interval) -> None:
    assert interval(expression) == expected
    assert is_within(expression, *expected)
    assert not is_within(expression, expected[0] + 1, expected[1])


@pytest.mark.fuzz
def test_no_value_is_outside() -> None:
    compared = 0
    for seed in range(sized(2000)):
        rng = Random(seed)
        scalars = [*rng.sample(MACHINES, 3), rng.choice(RANGES)]
        variables = [Variable(f"v{n}", scalar) for n, scalar in enumerate(scalars)]
        values = {f"v{n}": edge_value(rng, scalar) for n, scalar in enumerate(scalars)}
        unread = [random_expression(rng, variables)]
        while unread:
            expression = unread.pop()
            unread += operands(expression)
            found = interval(expression)
            assert found is not None
            for value in possible(expression, values):
                assert found[0] <= value <= found[1], (seed, expression)
                compared += 1
    assert compared
