"""Random programs with machine arithmetic, against brute force.

Operators of random programs are replaced by those on bits, by divisions, shifts and conversions,
which wrap around, saturate or block. Blocking is what matters: inside conditions, assignments,
indices, calls and atomic sections, and for the question whether a thread is stuck.
"""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from support.generators.programs import random_case
from support.oracles.program_interpreter import TooLargeError
from support.oracles.programs import Answers, Fact, compare, explore
from support.sizes import sized
from tepui.deciding import Options, verify_all
from tepui.limits import Limits
from tepui.program.expressions import (
    Binary,
    BinaryOperator,
    Constant,
    Convert,
    Expression,
    Read,
    Unary,
    with_operands,
)
from tepui.program.layout import Layout
from tepui.program.program import Program
from tepui.program.questions import assertions, deadlock
from tepui.program.types import Bounded, machine
from tepui.program.walk import with_expressions

pytestmark = pytest.mark.fuzz

LIMITS = Limits(max_contexts=12, timeout=60)
ENGINES = ("auto", "explicit", "diagram", "symbolic")

OPERATORS: tuple[BinaryOperator, ...] = ("/", "%", "&", "|", "^", "<<", ">>", "+", "*")
TYPES = (
    machine(8, signed=True),
    machine(64, signed=False),
    Bounded(-1, 2),
    Bounded(0, 2, "saturate"),
    Bounded(-1, 1, "block"),
)


def with_machine_arithmetic(rng: Random, program: Program) -> Program:
    """The program with other operators in some places, and conversions."""

    def changed(expression: Expression) -> Expression:
        expression = with_operands(expression, changed)
        match expression:
            case Binary(operator="+" | "-" | "*"):
                other = rng.choice(OPERATORS)
                sides = expression.left, expression.right
                return Convert(Binary(other, *sides), rng.choice(TYPES))
            case Binary(operator="and" | "or" | "xor") if rng.random() < 0.3:
                signs: dict[str, BinaryOperator] = {"and": "&", "or": "|", "xor": "^"}
                return Binary(signs[expression.operator], expression.left, expression.right)
            case Unary(operator="minus"):
                return Unary("complement", expression.operand)
            case Read() if rng.random() < 0.1:
                divided = Binary("/", Constant(1, Bounded(0, 1)), expression)
                return Binary("and", expression, Convert(divided, Bounded(0, 1, "block")))
        return expression

    procedures = tuple(
        replace(each, edges=tuple(with_expressions(edge, changed) for edge in each.edges))
        for each in program.procedures
    )
    return replace(program, procedures=procedures)


def test_answers_are_those_of_brute_force() -> None:
    compared = 0
    for seed in range(sized(160)):
        rng = Random(seed)
        program = with_machine_arithmetic(rng, random_case(rng)[0])
        try:
            findings = explore(program)
        except TooLargeError:
            continue
        options = Options(
            limits=LIMITS,
            engine=rng.choice(ENGINES),
            liveness=rng.random() < 0.8,
            fusion=rng.random() < 0.7,
        )
        first = Layout(program).violation(0)
        for answer in verify_all(program, [*assertions(program), deadlock()], options):
            point, result = answer.question.point, answer.result
            fact = Fact("deadlock") if point is None else Fact("violated", (point - first,))
            found = {fact: result.bound} if result.verdict == "unsafe" else {}
            known = None if result.verdict in ("safe", "unsafe") else -1
            if result.verdict == "unsafe" and result.resource != "contexts":
                found = {fact: None}
            differences = compare(program, Answers([fact], found, known), findings)
            assert differences == [], (seed, answer.question.text)
            compared += 1
    assert compared > 10
