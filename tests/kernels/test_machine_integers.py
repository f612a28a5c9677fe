"""Machine integers: kernels, reference semantics and a third evaluation agree.

Each program has variables with values at the edges of their types, and a step for each of many
random expressions, which stores its value. `make fuzz` compares a hundred thousand of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from random import Random

import pytest

from support.generators.machine_expressions import (
    ARITHMETIC,
    COMPARISONS,
    LOGIC,
    MACHINES,
    RANGES,
    UNARY,
    edge_value,
    random_expression,
)
from support.oracles.masked_integers import fit, possible
from support.oracles.program_interpreter import evaluate
from support.sizes import sized
from tepui.errors import ModelError
from tepui.kernels.lowered_system import lower
from tepui.kernels.magnitudes import refuse_large_numbers
from tepui.kernels.program_fields import LoweringOptions
from tepui.program.expressions import (
    Binary,
    BinaryOperator,
    Choice,
    Constant,
    Convert,
    Expression,
    Read,
    Unary,
    Variable,
    operands,
)
from tepui.program.layout import known
from tepui.program.program import Assignment, Location, Position, Procedure, Program, Step, Thread
from tepui.program.semantics.evaluation import stored
from tepui.program.semantics.meaning import Meaning
from tepui.program.types import MACHINE_BITS, Bounded, machine

RESULT = Variable("result", Bounded(-(2**63), 2**64 - 1, "block"), initial=0)
PLACE = Position("random", 1, 1)
IN_ONE_PROGRAM = 50


def program_of(variables: list[Variable], expressions: list[Expression]) -> Program:
    """A thread that stores the value of an expression, each at a location of its own."""
    steps = tuple(
        Step(0, number, assignments=(Assignment(RESULT, expression),))
        for number, expression in enumerate(expressions, start=1)
    )
    locations = tuple(Location(PLACE, str(number)) for number in range(len(expressions) + 1))
    main = Procedure("main", locations, steps)
    return Program((main,), (Thread("main", "main"),), (*variables, RESULT))


def by_kernel(program: Program) -> set[tuple[int, int]]:
    """The expressions, by number, and their values."""
    system = lower(program)
    kernel, (top,) = system.kernel, system.templates[0].stack
    found = set()
    for number in kernel.enabled(0, system.initial, top):
        rule = system.templates[0].rules[number]
        value = system.shared_values()[rule.target][-1]
        assert isinstance(value, int)
        found.add((system.frames(0)[rule.word[0]].point, value))
    return found


def by_reference(program: Program) -> set[tuple[int, int]]:
    meaning = Meaning(program)
    (frame,) = meaning.initial_stack(0)
    rules = meaning.rules(0, meaning.initial_shared(), frame)
    return {(word[0].point, known(shared[-1]) or 0) for shared, word in rules}


def value_of(expression: Expression, **values: int) -> set[int]:
    """The values of an expression over 64-bit variables, if all three agree."""
    variables = [
        Variable(name, machine(64, signed=value < 0), initial=value)
        for name, value in values.items()
    ]
    program = program_of(variables, [expression])
    found = by_kernel(program)
    assert found == by_reference(program)
    assert {value for _, value in found} == possible(expression, values)
    return {value for _, value in found}


@pytest.mark.fuzz
def test_all_evaluations_agree_on_random_expressions() -> None:
    met: Counter[object] = Counter()
    compared = refused = 0
    for seed in range(sized(6000) // IN_ONE_PROGRAM):
        rng = Random(seed)
        scalars = [*rng.sample(MACHINES, 3), rng.choice(RANGES)]
        variables = [
            Variable(f"v{number}", scalar, initial=edge_value(rng, scalar))
            for number, scalar in enumerate(scalars)
        ]
        values = {each.name: each.initial or 0 for each in variables}
        expressions: list[Expression] = []
        while len(expressions) < IN_ONE_PROGRAM:
            expression = random_expression(rng, variables)
            try:
                refuse_large_numbers(program_of(variables, [expression]))
                expressions.append(expression)
            except ModelError:
                refused += 1
        program = program_of(variables, expressions)
        expected = {
            (number, value)
            for number, expression in enumerate(expressions, start=1)
            for value in possible(expression, values)
        }
        store: dict[Variable, tuple[int, ...]] = {
            variable: (variable.initial or 0,) for variable in variables
        }
        naive = {
            (number, value)
            for number, expression in enumerate(expressions, start=1)
            for value in evaluate(expression, store)
        }
        assert by_reference(program) == expected, seed
        assert by_kernel(program) == expected, seed
        assert naive == expected, seed
        compared += len(expressions)
        for expression in expressions:
            met.update(_parts(expression))
    wanted = {*ARITHMETIC, *COMPARISONS, *LOGIC, *UNARY, *map(str, MACHINES), *map(str, RANGES)}
    assert wanted <= set(met)
    assert compared > 4 * refused > 0


def _parts(expression: Expression) -> Iterator[str]:
    if isinstance(expression, Unary | Binary):
        yield expression.operator
    if isinstance(expression, Convert):
        yield str(expression.type)
    for operand in operands(expression):
        yield from _parts(operand)


@pytest.mark.parametrize("scalar", [*MACHINES, *RANGES], ids=str)
def test_every_type_stores_values_around_its_ends(scalar: Bounded) -> None:
    ends = [scalar.low, scalar.high, 0, 2**64, -(2**64), 2**100 + 1, -(2**100) - 1]
    for value in (end + near for end in ends for near in (-2, -1, 0, 1, 2)):
        expected = fit(scalar, value)
        assert stored(scalar, value) == expected
        wide = Constant(value, Bounded(-(2**120), 2**120))
        assert value_of(Convert(wide, scalar)) == ({expected} - {None})


@pytest.mark.parametrize("bits", MACHINE_BITS)
def test_machine_arithmetic_wraps_around(bits: int) -> None:
    signed, unsigned = machine(bits, signed=True), machine(bits, signed=False)
    high, low = signed.high, signed.low

    def result(
        operator: BinaryOperator, left: int, right: int, scalar: Bounded = signed
    ) -> set[int]:
        kinds = [machine(64, signed=number < 0) for number in (left, right)]
        reads = [
            Read(Variable(name, kind, initial=number))
            for name, kind, number in zip("xy", kinds, (left, right), strict=True)
        ]
        return value_of(Convert(Binary(operator, *reads), scalar), x=left, y=right)

    assert result("+", high, 1) == {low}
    assert result("-", low, 1) == {high}
    assert result("*", high, high) == {1}
    assert result("*", unsigned.high, unsigned.high, unsigned) == {1}
    assert result("/", low, -1) == {low}
    assert result("%", low, -1) == {0}
    assert result("/", -7, 2) == {-3}
    assert result("%", -7, 2) == {-1}
    assert result("%", 7, -2) == {1}
    assert result("/", 7, 0) == result("%", 7, 0) == set()
    assert result("<<", 1, bits - 1) == {low}
    assert result(">>", -1, 63) == {-1}
    assert result("<<", 1, 64) == result(">>", 1, 64) == result("<<", 1, -1) == set()
    assert result("&", -1, high) == {high}
    assert result("|", low, high) == {-1}
    assert result("^", -1, high) == {low}


def test_frames_and_shared_states_hold_all_values_and_none() -> None:
    """Numbers of 64 bits need one bit more where a variable may have no value."""
    rng = Random(3)
    for _ in range(100):
        scalars = [rng.choice([*MACHINES, *RANGES]) for _ in range(rng.randint(1, 6))]
        globals_ = [Variable(f"g{n}", scalar) for n, scalar in enumerate(scalars)]
        locals_ = [Variable(f"l{n}", scalar, "main") for n, scalar in enumerate(scalars)]
        values = [edge_value(rng, scalar) if rng.random() < 0.8 else None for scalar in scalars]
        step = Step(
            0,
            1,
            assignments=tuple(
                Assignment(variable, Choice(scalar) if value is None else Constant(value, scalar))
                for variables in (globals_, locals_)
                for variable, scalar, value in zip(variables, scalars, values, strict=True)
            ),
        )
        places = (Location(PLACE, "first"), Location(PLACE, "second"))
        main = Procedure("main", places, (step,), tuple(locals_))
        program = Program((main,), (Thread("main", "main"),), tuple(globals_))
        system = lower(program, LoweringOptions(liveness=False))
        (number,) = system.kernel.enabled(0, system.initial, system.templates[0].stack[0])
        rule = system.templates[0].rules[number]
        frame = system.frames(0)[rule.word[0]]
        assert frame.values == tuple(values)
        assert system.shared_values()[rule.target] == tuple(values)
        assert system.symbol(0, frame) == rule.word[0]
