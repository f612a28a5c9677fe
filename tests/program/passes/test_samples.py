"""Samples: wide choices and variables have some of their values, and all else stays."""

from __future__ import annotations

from random import Random

import pytest

from support.generators.programs import any_program, random_program, with_bare_ends
from support.oracles.program_interpreter import TooLargeError
from support.oracles.programs import explore
from support.samples.program_texts import program_of
from support.sizes import sized
from tepui.checker.programs.program_check import check_derivation
from tepui.errors import ModelError
from tepui.program.expressions import (
    ANY,
    TRUE,
    Choice,
    Conditional,
    Constant,
    Expression,
    Variable,
    inside,
    with_operands,
)
from tepui.program.passes.samples import Sampled, sampled, with_samples
from tepui.program.program import Assignment, Location, Position, Procedure, Program, Step, Thread
from tepui.program.types import Bounded, Enumeration, machine
from tepui.program.validate import validate
from tepui.program.walk import expressions_of, with_expressions
from tepui.records import replace

WORD = machine(32, signed=True)

TEXT = """\
decl x: int32;
decl n: int32 := 4;
decl small: int 0..3;
decl a: int8[3];
decl positive: int 5..1000;
void main() {
    decl y: uint8;
    x := *;
    small := *;
    y := *;
    if (*) { x, y := *, *; }
    positive := *;
}
"""


def program() -> Program:
    return program_of(TEXT)


def choices(made: Program) -> list[Expression]:
    """What the statements of a program assign."""
    return [
        assignment.value
        for edge in made.procedures[0].edges
        if isinstance(edge, Step)
        for assignment in edge.assignments
    ]


def where(made: Program) -> dict[str, tuple[int, int, int]]:
    """Where the edges of the first procedure are that assign something, by the text before them."""
    main = made.procedures[0]
    return {
        main.locations[number].text: (0, number, place)
        for number, edges in enumerate(main.leaving)
        for place, edge in enumerate(edges)
        if isinstance(edge, Step) and edge.assignments
    }


def values(expression: Expression) -> list[int]:
    """The constants of an expression that is made of nothing else."""
    assert all(
        each == ANY or isinstance(each, Conditional | Constant) for each in inside(expression)
    )
    return [each.value for each in inside(expression) if isinstance(each, Constant)]


def test_a_wide_choice_has_the_values_of_its_edge() -> None:
    at = where(program())["x := *"]
    made = sampled(program(), {at: [77, -3, 77, 2**40]}, {}, {})
    first = choices(made)[0]
    assert first == Conditional(ANY, Constant(-3, WORD), Constant(77, WORD))
    assert made.chosen == {at: (-3, 77)}
    validate(made)
    check_derivation(made)


def test_each_choice_of_an_edge_has_the_values_of_its_type() -> None:
    at = where(program())["x, y := *, *"]
    made = sampled(program(), {at: [300, 7]}, {}, {})
    assert [values(each) for each in choices(made)[3:5]] == [[7, 300], [7]]
    none = sampled(program(), {at: [300]}, {}, {})
    assert [values(each) for each in choices(none)[3:5]] == [[300], [0]]
    assert [values(each) for each in choices(sampled(program(), {at: []}, {}, {}))[3:5]] == [
        [WORD.low],
        [0],
    ]


def test_edges_that_leave_one_location_each_have_their_own_values() -> None:
    x = Variable("x", WORD)
    places = tuple(Location(Position("two.bp", n, 1), f"{n}") for n in (1, 2))
    choice, constant = (Assignment(x, each) for each in (Choice(WORD), Constant(3, WORD)))
    edges = Step(1, 0, TRUE, (choice,)), *(Step(0, 1, TRUE, (each,)) for each in (constant, choice))
    main = Procedure("main", places, (*edges, Step(0, None, TRUE, (choice,))))
    two = Program((main,), (Thread("main", "main"),), (x,))
    made = sampled(two, {(0, 0, 1): [7], (0, 0, 2): [8], (0, 1, 0): [9], (0, 0, 0): [5]}, {}, {})
    assert [values(each) for each in choices(made)] == [[9], [3], [7], [8]]
    assert sorted(made.chosen) == [(0, 0, 1), (0, 0, 2), (0, 1, 0)]


def test_other_wide_choices_have_the_lowest_value_and_0() -> None:
    found = choices(sampled(program(), {}, {}, {}))
    assert found[1] == Choice(Bounded(0, 3))
    assert [values(each) for each in (*found[:1], *found[2:])] == [
        [WORD.low, 0], [0], [WORD.low, 0], [0], [5],
    ]  # fmt: skip


def test_what_is_few_can_be_said() -> None:
    found = choices(sampled(program(), {}, {}, {}, few=2))
    assert values(found[1]) == [0]
    assert choices(sampled(program(), {}, {}, {}, few=2**32))[0] == Choice(WORD)
    boolean = program_of("decl b; void main() { b := *; }")
    assert choices(sampled(boolean, {}, {}, {}, few=0)) == choices(boolean)


def test_many_values_are_no_deep_expression() -> None:
    made = sampled(program(), {where(program())["x := *"]: range(5000)}, {}, {})

    def depth(each: Expression) -> int:
        if isinstance(each, Conditional):
            return 1 + max(depth(each.then), depth(each.otherwise))
        return 0

    first = choices(made)[0]
    assert values(first) == list(range(5000))
    assert depth(first) == 13


def initial(made: Program) -> dict[str, int | None]:
    local = [each for procedure in made.procedures for each in procedure.variables]
    return {each.name: each.initial for each in (*made.globals, *local)}


def test_variables_start_with_one_value() -> None:
    # The cells: x, n, small, a[0] to a[2], positive.
    made = sampled(program(), {}, {0: 9, 1: 8, 2: 1, 4: -5}, {(0, 0): 200})
    assert initial(made) == {"x": 9, "n": 4, "small": None, "a": -5, "positive": 5, "y": 200}
    usual = sampled(program(), {}, {}, {})
    assert initial(usual) == {"x": 0, "n": 4, "small": None, "a": 0, "positive": 5, "y": 0}
    validate(made)
    check_derivation(made)


def test_an_array_whose_elements_start_differently_keeps_all_values() -> None:
    made = sampled(program(), {}, {3: 1, 5: 2}, {})
    assert initial(made)["a"] is None
    assert made.initial[None, "a"] is None
    check_derivation(made)


def test_an_initial_value_is_one_of_the_type() -> None:
    with pytest.raises(ModelError, match="the variable positive starts with 4"):
        sampled(program(), {}, {6: 4}, {})


def test_a_sample_is_made_again_of_what_it_says() -> None:
    at = where(program())["x, y := *, *"]
    made = sampled(program(), {at: [300, 7], (0, 999, 0): [1]}, {3: 1, 5: 2, 0: 3}, {(0, 0): 9}, 3)
    assert with_samples(program(), made.chosen, made.initial, made.few) == made


def test_points_and_tail_calls_are_the_same() -> None:
    text = "decl x: int32; void f() { x := *; } void main() { f(); }"
    written = program_of(text)
    made = sampled(written, {}, {}, {})
    points = range(written.layout.points)
    assert made.layout.points == written.layout.points
    assert [made.layout.is_bare_end(point) for point in points] == [
        written.layout.is_bare_end(point) for point in points
    ]
    assert any(map(written.layout.is_bare_end, points))


def random_sample(rng: Random, written: Program) -> Sampled:
    """A sample with some values for types of more than two, some of which do not exist."""
    chosen = {
        (number, location, place): [rng.randint(-2, 4) for _ in range(rng.randint(0, 2))]
        for number, procedure in enumerate(written.procedures)
        for location, edges in enumerate(procedure.leaving)
        for place, _ in enumerate(edges)
        if rng.random() < 0.7
    }
    layout = written.layout
    globals_ = {
        cell: _value(rng, each.scalar)
        for cell, each in enumerate(layout.shared_variables)
        if rng.random() < 0.7
    }
    locals_ = {
        (number, cell): _value(rng, each.scalar)
        for number, variables in enumerate(layout.frame_variables)
        for cell, each in enumerate(variables)
        if rng.random() < 0.7
    }
    return sampled(written, chosen, globals_, locals_, few=2)


def _value(rng: Random, scalar: object) -> int:
    if isinstance(scalar, Bounded):
        return rng.randint(scalar.low, scalar.high)
    return rng.randrange(scalar.size) if isinstance(scalar, Enumeration) else 0


def with_more_choices(rng: Random, program: Program) -> Program:
    """The program with a choice in place of some numbers, so that choices are compared, too."""

    def change(expression: Expression) -> Expression:
        if isinstance(expression, Constant) and isinstance(expression.type, Bounded):
            if rng.random() < 0.4:
                low = expression.value - rng.randint(0, 2)
                return Choice(Bounded(low, low + 2))
            return expression
        return with_operands(expression, change)

    procedures = tuple(
        replace(each, edges=tuple(with_expressions(edge, change) for edge in each.edges))
        for each in program.procedures
    )
    return replace(program, procedures=procedures)


def test_every_run_of_a_sample_is_a_run_of_the_program() -> None:
    """Brute force explores both, with a value for each variable at any time."""
    smaller = 0
    for seed in range(sized(160)):
        rng = Random(seed)
        written = with_more_choices(rng, random_program(rng))
        try:
            all_of_it = explore(written, 10, 5, 400)
        except TooLargeError:
            continue
        made = random_sample(rng, written)
        validate(made)
        check_derivation(made)
        some = explore(made, 10, 5, 400)
        for k, states in enumerate(some.rounds):
            whole = all_of_it.rounds[min(k, len(all_of_it.rounds) - 1)]
            if k < len(all_of_it.rounds) or all_of_it.collapsed:
                assert states <= whole, f"seed {seed}, round {k}"
        for fact, contexts in some.found.items():
            if fact.kind != "deadlock" and fact in all_of_it.found:
                assert all_of_it.found[fact] <= contexts, f"seed {seed}: {fact}"
            elif fact.kind != "deadlock":
                assert contexts >= len(all_of_it.rounds), f"seed {seed}: {fact}"
                assert not all_of_it.collapsed, f"seed {seed}: {fact}"
        smaller += len(some.rounds[-1]) < len(all_of_it.rounds[-1])
    assert smaller >= sized(160) / 10


def test_a_sample_of_any_program_is_valid() -> None:
    changed = 0
    for seed in range(sized(600)):
        rng = Random(seed)
        written = with_bare_ends(any_program(rng))
        made = random_sample(rng, written)
        validate(made)
        check_derivation(made)
        assert with_samples(written, made.chosen, made.initial, made.few) == made
        before = [list(map(list, map(expressions_of, each.edges))) for each in written.procedures]
        after = [list(map(list, map(expressions_of, each.edges))) for each in made.procedures]
        changed += before != after
        points = range(written.layout.points)
        bare = list(map(written.layout.is_bare_end, points))
        assert bare == list(map(made.layout.is_bare_end, points))
    assert changed >= sized(600) / 10
