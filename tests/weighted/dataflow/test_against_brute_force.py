"""Dataflow answers against brute force, on random programs.

Values are compared with all states of a naive interpreter within the same bound. Affine relations
must hold in all of them; for programs that are affine, nothing else may hold.
"""

from __future__ import annotations

from itertools import product
from random import Random

import pytest

from support.generators.affine_programs import (
    Shape,
    boxed,
    places_to_rest,
    random_affine_program,
    relations_between,
    seen_there,
)
from support.generators.programs import Sizes, random_case
from support.oracles.program_interpreter import TooLargeError
from support.oracles.programs import Findings, explore
from support.sizes import sized
from tepui.program.program import Call, Program
from tepui.weighted.dataflow.affine_relations import affine_relations
from tepui.weighted.dataflow.affine_rules import takes_part
from tepui.weighted.dataflow.answers import AffineRelation, AffineRelations, PossibleValues
from tepui.weighted.dataflow.possible_values import fewest_steps, possible_values
from tepui.weighted.dataflow.query import Query
from tepui.weighted.domains.linear import canonical
from tepui.weighted.domains.modular import Modulo
from tepui.weighted.domains.rationals import Rationals

SIZES = Sizes(threads=2, globals=2, helpers=2, locations=4, contexts=4, depth=5, states=150)


@pytest.mark.fuzz
@pytest.mark.parametrize("seed", range(sized(120)))
def test_the_possible_values_are_those_that_brute_force_sees(seed: int) -> None:
    rng = Random(seed)
    program, findings = random_case(rng, SIZES)
    contexts = _bound(rng, findings)
    for thread, point in _questions(rng, program):
        seen = seen_there(program, findings, contexts, thread, point)
        query = Query(thread, (frozenset({point}),), "asked")
        values = possible_values(program, query, contexts)
        assert values.reachable == bool(seen)
        assert _all_values(program, point, values) == seen
        steps = fewest_steps(program, query, contexts)
        assert _all_values(program, point, steps) == seen


@pytest.mark.fuzz
@pytest.mark.parametrize("seed", range(sized(60)))
def test_a_caller_on_the_stack_leaves_only_the_values_of_its_call(seed: int) -> None:
    rng = Random(seed)
    program, findings = random_case(rng, SIZES)
    contexts = _bound(rng, findings)
    layout = program.layout
    for caller, procedure in enumerate(program.procedures):
        for call in procedure.edges:
            if not isinstance(call, Call) or layout.is_tail_call(caller, call):
                continue
            below = layout.point(caller, call.target)
            callee = program.numbers[call.procedure]
            for thread, point in _questions(rng, program):
                if layout.locations[point][0] == callee:
                    seen = _seen_over(program, findings, contexts, thread, point, below)
                    query = Query(thread, (frozenset({point}), frozenset({below})), "asked")
                    values = possible_values(program, query, contexts)
                    assert _all_values(program, point, values) == seen
                    answer = affine_relations(program, query, contexts, rng.choice([None, 2]))
                    _check_holding(program, point, answer, seen)


@pytest.mark.fuzz
@pytest.mark.parametrize("seed", range(sized(80)))
def test_affine_relations_of_any_program_hold_in_every_state_that_brute_force_sees(
    seed: int,
) -> None:
    rng = Random(seed)
    program, findings = random_case(rng, SIZES)
    contexts = _bound(rng, findings)
    modulus = rng.choice([None, None, 2, 3, 4, 8])
    for thread, point in _questions(rng, program):
        seen = seen_there(program, findings, contexts, thread, point)
        query = Query(thread, (frozenset({point}),), "asked")
        answer = affine_relations(program, query, contexts, modulus)
        _check_holding(program, point, answer, seen)


SHAPES = [
    Shape(),
    Shape(threads=1, recursion=True),
    Shape(loops=True, statements=2),
    Shape(recursion=True, statements=2),
    Shape(threads=3, statements=2),
]


@pytest.mark.fuzz
@pytest.mark.parametrize("seed", range(sized(100)))
def test_of_an_affine_program_exactly_the_relations_are_found_that_hold(seed: int) -> None:
    """With recursion only within two contexts: beyond, local variables may become unknown."""
    rng = Random(seed)
    shape = SHAPES[seed % len(SHAPES)]
    program = random_affine_program(rng, shape)
    contexts = rng.randint(1, 2 if shape.recursion else 3)
    modulus = rng.choice([None, None, None, 2, 4, 9])
    try:
        findings = explore(boxed(program), contexts, depth=6, most=2000)
    except TooLargeError:
        return
    for thread, point in _questions(rng, program):
        seen = seen_there(program, findings, contexts, thread, point)
        if not seen:
            continue
        query = Query(thread, (frozenset({point}),), "asked")
        answer = affine_relations(program, query, contexts, modulus)
        names = answer.variables
        found = [
            (*(relation.coefficients.get(name, 0) for name in names), relation.constant)
            for relation in answer.relations
        ]
        scalars = Rationals() if modulus is None else Modulo(modulus)
        assert answer.reachable
        assert set(canonical(scalars, found)) == relations_between(seen, len(names), modulus)


@pytest.mark.parametrize("seed", range(12))
def test_relations_in_recursive_programs_hold_beyond_two_contexts_too(seed: int) -> None:
    rng = Random(seed)
    program = random_affine_program(rng, Shape(recursion=True, statements=2))
    try:
        findings = explore(boxed(program), 3, depth=5, most=2000)
    except TooLargeError:
        return
    for thread, point in _questions(rng, program):
        query = Query(thread, (frozenset({point}),), "asked")
        answer = affine_relations(program, query, 3)
        _check_holding(program, point, answer, seen_there(program, findings, 3, thread, point))


def _check_holding(
    program: Program, point: int, answer: AffineRelations, seen: set[tuple[int, ...]]
) -> None:
    """All relations of an answer hold for the values of all variables that were seen."""
    assert answer.reachable or not seen
    for values in seen:
        valuation = _named(program, point, answer, values)
        assert all(_holds(relation, valuation) for relation in answer.relations)


def _bound(rng: Random, findings: Findings) -> int:
    most = 3 if findings.exact is None else min(3, findings.exact)
    return rng.randint(1, max(1, most)) if most else 1


def _questions(rng: Random, program: Program) -> list[tuple[int, int]]:
    """Some threads and points."""
    points = places_to_rest(program)
    threads = len(program.thread_types)
    return [(rng.randrange(threads), point) for point in rng.sample(points, min(3, len(points)))]


def _seen_over(
    program: Program, findings: Findings, contexts: int, thread: int, point: int, below: int
) -> set[tuple[int, ...]]:
    """What is seen at a point while the frame below rests at another one."""
    over = program.layout.locations[below]
    chosen = Findings(
        [
            {
                state
                for state in states
                if (stack := state.stacks[thread])
                and len(stack) > 1
                and (stack[-2].procedure, stack[-2].location) == over
            }
            for states in findings.rounds
        ]
    )
    return seen_there(program, chosen, contexts, thread, point)


def _all_values(program: Program, point: int, found: PossibleValues) -> set[tuple[int, ...]]:
    """The valuations of an answer, with every value of a type where any is possible."""
    layout = program.layout
    cells = [
        *layout.shared_cells[: layout.own_cells],
        *layout.frame_cells[layout.locations[point][0]],
    ]
    ranges = [range(cell.type.low, cell.type.low + cell.type.size) for cell in cells]
    return {
        values
        for valuation in found.valuations
        for values in product(
            *(
                every if value is None else (value,)
                for every, value in zip(ranges, valuation.values, strict=True)
            )
        )
    }


def _named(
    program: Program, point: int, answer: AffineRelations, values: tuple[int, ...]
) -> dict[str, int]:
    """The values of the variables that an answer is about, by name."""
    procedure = program.procedures[program.layout.locations[point][0]]
    scalars, place = [], 0
    for variable in (*program.globals, *procedure.variables):
        if takes_part(variable):
            scalars.append(values[place])
        place += variable.length
    return dict(zip(answer.variables, scalars, strict=True))


def _holds(relation: AffineRelation, values: dict[str, int]) -> bool:
    total = relation.constant + sum(
        factor * values[name] for name, factor in relation.coefficients.items()
    )
    return total == 0 if relation.modulus is None else total % relation.modulus == 0
