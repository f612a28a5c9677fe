"""What expressions evaluate to, compared with the naive interpreter on random expressions."""

from __future__ import annotations

from itertools import count, product
from random import Random

import pytest

from support.generators.expressions import COLOURS, Scope
from support.generators.programs import OVERFLOWS
from support.oracles.program_interpreter import Store, evaluate
from support.sizes import sized
from tepui.horn.linear_terms import Interval, evaluated, holds
from tepui.horn.valuing import Place, Refused, Values, Valuing, variable_name
from tepui.program.expressions import Binary, Constant, Convert, Expression, Read, Variable
from tepui.program.types import BOOLEAN, INTEGER, Array, Bounded, Scalar

VARIABLES = (
    Variable("b", BOOLEAN),
    Variable("n", Bounded(-2, 3)),
    Variable("c", COLOURS),
    Variable("a", Array(Bounded(0, 2, "saturate"), 3)),
    Variable("l", Bounded(0, 4, "block"), "f"),
)


def test_symbolic_values_are_those_of_the_interpreter() -> None:
    looked_at = 0
    for seed in range(sized(4000)):
        rng = Random(seed)
        scope = Scope(rng, VARIABLES)
        kinds: list[Scalar] = [BOOLEAN, *(Bounded(-1, 2, each) for each in OVERFLOWS)]
        kind = rng.choice(kinds)
        expression: Expression = Convert(scope.value(kind), kind)
        names: dict[str, Interval] = {
            variable_name(variable, element, 0): (
                variable.scalar.low,
                variable.scalar.low + variable.scalar.size - 1,
            )
            for variable in VARIABLES
            for element in range(variable.length)
        }
        symbols: Values = {name: name for name in names}
        valuing = Valuing(names, count())
        try:
            term = valuing.term(expression, Place(symbols, 0, "self"))
        except Refused:
            continue
        looked_at += 1
        store: Store = {
            variable: tuple(rng.randint(*_range(variable)) for _ in range(variable.length))
            for variable in VARIABLES
        }
        known = {
            variable_name(variable, element, 0): value
            for variable, some in store.items()
            for element, value in enumerate(some)
        }
        chosen = [name for name in valuing.ranges if name.startswith("any.")]
        ranges = [range(_low(valuing, name), _high(valuing, name) + 1) for name in chosen]
        if len(chosen) > 4:
            continue
        found = set()
        for values in product(*ranges):
            everything = known | dict(zip(chosen, values, strict=True))
            if all(holds(each, everything) for each in valuing.conditions):
                found.add(evaluated(term, everything))
        assert found == evaluate(expression, store), (seed, expression, store)
    assert looked_at > sized(1000)


def _range(variable: Variable) -> tuple[int, int]:
    return variable.scalar.low, variable.scalar.low + variable.scalar.size - 1


def _low(valuing: Valuing, name: str) -> int:
    low = valuing.ranges[name][0]
    assert low is not None
    return low


def _high(valuing: Valuing, name: str) -> int:
    high = valuing.ranges[name][1]
    assert high is not None
    return high


def test_what_is_not_linear_is_refused_by_name() -> None:
    x = Read(Variable("x", INTEGER))
    place = Place({"g.x.0": "g.x.0"}, 0, "self")
    for expression, reason in (
        (Binary("*", x, x), "a product of two variables"),
        (Binary("/", x, x), "the operator / with a variable"),
        (Binary("&", x, Constant(3)), "the operator & on bits"),
    ):
        with pytest.raises(Refused, match=reason):
            Valuing({}, count()).term(expression, place)
