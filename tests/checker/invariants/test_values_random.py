"""Values of expressions as terms against the reference semantics: on random expressions over
machine integers and over ranges with every overflow, with values at the edges."""

from __future__ import annotations

from collections import Counter as Tally
from itertools import product
from random import Random

import pytest

from support.generators.machine_expressions import (
    MACHINES,
    RANGES,
    edge_value,
    random_expression,
)
from support.sizes import sized
from support.term_values import values_of_terms
from tepui.checker.invariants.terms import Term, Terms
from tepui.checker.invariants.values import Evaluation, Range, Ranges, Refused, range_of
from tepui.program.expressions import Binary, Choice, Constant, Expression, Variable, with_operands
from tepui.program.layout import Layout
from tepui.program.program import Location, Position, Procedure, Program, Thread
from tepui.program.semantics.evaluation import Evaluation as Reference
from tepui.program.semantics.evaluation import Store, stored, values_of
from tepui.program.types import BOOLEAN, INTEGER, Bounded, Enumeration, Scalar

pytestmark = pytest.mark.fuzz

TARGETS: list[Scalar] = [*MACHINES, *RANGES, BOOLEAN, Enumeration(("a", "b", "c")), Bounded(2, 2)]


def linear(rng: Random, expression: Expression) -> Expression:
    """The expression with constants where only they are supported."""
    expression = with_operands(expression, lambda operand: linear(rng, operand))
    if not isinstance(expression, Binary):
        return expression
    if expression.operator in ("&", "|", "^"):
        return Binary(rng.choice(["+", "-", "<", "xor"]), expression.left, expression.right)
    if expression.operator in ("*", "/", "%", "<<", ">>"):
        number = rng.choice([0, 1, 2, 3, 7, 10, 64, -1, -2, -5, -64, 63, 2**31])
        return Binary(expression.operator, expression.left, Constant(number, INTEGER))
    return expression


def test_terms_have_the_values_of_the_reference_semantics() -> None:
    seen: Tally[str] = Tally()
    for seed in range(sized(6000)):
        rng = Random(seed)
        types = [rng.choice([*MACHINES, *RANGES]) for _ in range(3)]
        variables = tuple(Variable(f"x{n}", scalar) for n, scalar in enumerate(types))
        expression = random_expression(rng, variables)
        if rng.random() < 0.9:
            expression = linear(rng, expression)
        if rng.random() < 0.1:
            expression = Binary("+", expression, Choice(Bounded(-1, 2)))
        try:
            compare(rng, variables, expression, rng.choice(TARGETS), seen)
        except Refused:
            seen["refused"] += 1
    print(seen)
    assert seen["compared"] > sized(5000)
    assert seen["blocked"] > sized(200)


def compare(
    rng: Random,
    variables: tuple[Variable, ...],
    expression: Expression,
    scalar: Scalar,
    seen: Tally[str],
) -> None:
    terms, choices = Terms(), list[Scalar]()
    known: dict[str, Range] = {each.name: range_of(each.scalar) for each in variables}

    def fresh(of: Scalar) -> Term:
        name = f"?{len(choices)}"
        choices.append(of)
        known[name] = range_of(of)
        return terms.variable(name)

    def before(variable: Variable, _: int) -> Term:
        return terms.variable(variable.name)

    value = Evaluation(terms, Ranges(terms, known), before, fresh).stored(expression, scalar)
    procedure = Procedure("main", (Location(Position("f", 1, 1)),), ())
    program = Program((procedure,), (Thread("main", "main"),), variables)
    reference = Reference(Layout(program), 0, values_of)
    for _ in range(3):
        given = {each.name: edge_value(rng, each.type) for each in variables}  # type: ignore[arg-type]
        outcomes = reference.outcomes(expression, Store(tuple(given.values())))
        expected = {stored(scalar, number) for number, _ in outcomes} - {None}
        found = set()
        for chosen in product(*map(values_of, choices)):
            names = {f"?{number}": choice for number, choice in enumerate(chosen)}
            values = values_of_terms(terms, value, given | names)
            if values[value.defined]:
                found.add(values[value.term])
        assert found == expected, (expression, scalar, given)
        seen["compared"] += 1
        seen["blocked"] += not expected
