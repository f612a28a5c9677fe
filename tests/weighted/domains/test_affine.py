"""Affine weights against all runs of small affine programs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from random import Random

import pytest

from tepui.errors import ModelError
from tepui.weighted import Affine, combine_all, extend_all
from tepui.weighted.domains.linear import Basis, Vector, annihilator, canonical
from tepui.weighted.domains.rationals import Rationals

Statement = dict[int, tuple[int, ...] | None]
Valuation = tuple[int, ...]


@dataclass(frozen=True)
class Program:
    """A graph: statements from node to node. Node 0 is where it starts."""

    variables: int
    edges: tuple[tuple[int, Statement, int], ...]
    nodes: int = 3


@pytest.mark.fuzz
@pytest.mark.parametrize("modulus", [2, 3, 4, 6, 8, 9])
def test_what_holds_modulo_m_is_what_holds_in_all_runs(modulus: int, fuzz_systems: int) -> None:
    rng = Random(modulus)
    informative = 0
    for _ in range(fuzz_systems // 6):
        program = _random_program(rng, range(modulus), variables=rng.randint(1, 2))
        domain = Affine(program.variables, modulus)
        weights = _paths(domain, program, rounds=None)
        start = [rng.choice((None, rng.randrange(modulus))) for _ in range(program.variables)]
        for given in (None, start):
            reached = _reached(program, modulus, given or [None] * program.variables)
            for node, weight in enumerate(weights):
                holding = domain.holding(weight, given)
                assert _listed(holding, modulus, program.variables + 1) == _relations(
                    reached[node], modulus, program.variables
                ), (program, given, node)
                informative += bool(reached[node]) and bool(holding)
    assert informative > fuzz_systems // 30


@pytest.mark.fuzz
def test_what_holds_over_the_rationals_is_what_holds_in_all_runs_of_some_length(
    fuzz_systems: int,
) -> None:
    """After each number of rounds of iteration, weights are exactly the paths of that many
    statements."""
    rng = Random(0)
    informative = 0
    for _ in range(fuzz_systems // 3):
        program = _random_program(rng, range(-2, 4), variables=2)
        domain = Affine(2)
        start = [rng.choice((None, rng.randint(-3, 3))) for _ in range(2)]
        starts = {tuple(values) for values in product(*(_some(each) for each in start))}
        for rounds in range(4):
            weights = _paths(domain, program, rounds)
            reached = _runs(program, starts, rounds)
            for node, weight in enumerate(weights):
                points = [(1, *valuation) for valuation in sorted(reached[node])]
                expected = annihilator(Rationals(), canonical(Rationals(), points), 3)
                holding = domain.holding(weight, start)
                assert canonical(Rationals(), holding) == expected, (program, start, node)
                informative += bool(points) and bool(expected)
    assert informative > fuzz_systems // 3


@pytest.mark.fuzz
@pytest.mark.parametrize("modulus", [2, 3, 4, 6])
def test_a_call_leaves_the_locals_of_the_caller_alone(modulus: int) -> None:
    """The last variable is local: a callee begins with 0, and the caller gets its own back."""
    rng = Random(modulus)
    domain = Affine(2, modulus, local_variables=1)
    for _ in range(150):
        before, inside, after = (
            [_random_statement(rng, range(modulus), 2) for _ in range(rng.randint(0, 2))]
            for _ in range(3)
        )
        called = domain.merge(_weight(domain, inside))
        weight = extend_all(domain, [_weight(domain, before), called, _weight(domain, after)])
        ends = set()
        for start in product(range(modulus), repeat=2):
            for shared, local in _run({start}, before, modulus):
                for result, _ in _run({(shared, 0)}, inside, modulus):
                    ends |= _run({(result, local)}, after, modulus)
        assert _listed(domain.holding(weight), modulus, 3) == _relations(ends, modulus, 2)


def test_a_relation_in_a_recursive_procedure_is_found_and_nothing_stronger() -> None:
    """f: either x2 := x1 + 1, or x1 := x1 + 2 and f again, and then x1, x2 := x1 + 5, x2 + 5."""
    domain = Affine(2)
    base = domain.statement({2: (1, 1, 0)})
    down = domain.statement({1: (2, 1, 0)})
    up = domain.statement({1: (5, 1, 0), 2: (5, 0, 1)})
    procedure = domain.zero
    for _ in range(9):
        procedure = domain.combine(base, extend_all(domain, [down, procedure, up]))
    assert domain.combine(base, extend_all(domain, [down, procedure, up])) == procedure
    assert domain.holding(procedure) == ((1, 1, -1),)
    assert domain.holding(procedure, start=[3, None]) == ((1, 1, -1),)


def test_extend_runs_the_first_statement_first() -> None:
    domain = Affine(2)
    copy, clear = domain.statement({2: (0, 1, 0)}), domain.statement({1: (0, 0, 0)})
    assert domain.holding(domain.extend(copy, clear), [7, None]) == ((0, 1, 0), (-7, 0, 1))
    assert domain.holding(domain.extend(clear, copy), [7, None]) == ((0, 1, 0), (0, 0, 1))


def test_assignments_at_once_see_the_values_from_before() -> None:
    domain = Affine(2)
    swap = domain.statement({1: (0, 0, 1), 2: (0, 1, 0)})
    assert domain.holding(swap, [3, 5]) == ((-5, 1, 0), (-3, 0, 1))
    assert domain.extend(swap, swap) == domain.one


def test_an_unknown_value_is_any_value() -> None:
    for modulus in (None, 4, 6):
        domain = Affine(2, modulus)
        unknown = domain.statement({1: None})
        assert domain.holding(unknown, [0, 0]) == ((0, 0, 1),)
        assert domain.holding(domain.statement({1: None, 2: None}), [0, 0]) == ()
        doubled = domain.extend(unknown, domain.statement({1: (0, 2, 0)}))
        even = {None: (), 4: ((0, 2, 0),), 6: ((0, 3, 0),)}[modulus]
        assert domain.holding(doubled, [0, None]) == even


def test_a_circular_queue_keeps_its_invariant() -> None:
    """Figure 1 with hd, tl, cnt and SIZE = 8, where hd − tl + cnt = 0 holds.

    (The text of the paper has hd − tl − cnt, which is wrong after the first enq.)
    """
    domain = Affine(3, 8)
    enq = domain.statement({2: (1, 0, 1, 0), 3: (1, 0, 0, 1)})
    deq = domain.statement({1: (1, 1, 0, 0), 3: (-1, 0, 0, 1)})
    total, before = domain.one, domain.zero
    while total != before:
        before = total
        total = domain.combine(total, domain.extend(total, domain.combine(enq, deq)))
    assert domain.holding(total, [0, 0, 0]) == ((0, 1, 7, 1),)


def test_what_is_not_reached_satisfies_everything() -> None:
    assert Affine(1).holding(Affine(1).zero) == ((0, 1), (1, 0))
    assert Affine(1).holding(Affine(1).one) == ()
    assert Affine(1, 4).holding(Affine(1, 4).one, [6]) == ((2, 1),)


def test_negative_numbers_and_multiples_are_the_same_weight() -> None:
    assert Affine(1, 4).statement({1: (-1, 5)}) == Affine(1, 4).statement({1: (3, 1)})
    assert Affine(1).span([(2, 0, 0, 2)]) == Affine(1).span([(-3, 0, 0, -3)]) == Affine(1).one
    assert Affine(1, 9).span([(3, 0, 0, 3)]) != Affine(1, 9).one


def test_mistakes_are_told_in_a_sentence() -> None:
    domain = Affine(2)
    with pytest.raises(ModelError, match="no variable 3: they are 1 to 2"):
        domain.statement({3: None})
    with pytest.raises(ModelError, match="no variable 0"):
        domain.statement({0: (1, 0, 0)})
    with pytest.raises(ModelError, match="3 coefficients, the constant first, not 2"):
        domain.statement({1: (1, 0)})
    with pytest.raises(ModelError, match="a start has 2 values, not 1"):
        domain.holding(domain.one, [1])
    with pytest.raises(ModelError, match="modulus is at least 2, not 1"):
        Affine(2, 1)
    with pytest.raises(ModelError, match="of 2 variables, 3 cannot be local"):
        Affine(2, local_variables=3)


def _random_program(rng: Random, numbers: Sequence[int], variables: int) -> Program:
    edges = [
        (rng.randrange(3), _random_statement(rng, numbers, variables), rng.randrange(3))
        for _ in range(rng.randint(1, 5))
    ]
    return Program(variables, tuple(edges))


def _random_statement(rng: Random, numbers: Sequence[int], variables: int) -> Statement:
    targets = rng.sample(range(1, variables + 1), rng.randint(0, variables))
    return {
        target: None
        if rng.random() < 0.15
        else tuple(rng.choice((0, 1, rng.choice(numbers))) for _ in range(variables + 1))
        for target in targets
    }


def _weight(domain: Affine, statements: Iterable[Statement]) -> Basis:
    return extend_all(domain, map(domain.statement, statements))


def _paths(domain: Affine, program: Program, rounds: int | None) -> list[Basis]:
    """For each node the combine of all paths from node 0, or of those with this many statements."""
    weights = [domain.one, *[domain.zero] * (program.nodes - 1)]
    edges = [(source, domain.statement(done), target) for source, done, target in program.edges]
    while rounds is None or rounds > 0:
        before = list(weights)
        for node in range(program.nodes):
            steps = (domain.extend(before[s], w) for s, w, t in edges if t == node)
            weights[node] = domain.combine(before[node], combine_all(domain, steps))
        if weights == before:
            break
        rounds = None if rounds is None else rounds - 1
    return weights


def _reached(program: Program, modulus: int, start: Sequence[int | None]) -> list[set[Valuation]]:
    """The valuations that reach each node, modulo m."""
    values = [range(modulus) if each is None else [each] for each in start]
    reached: list[set[Valuation]] = [set(product(*values)), *(set() for _ in range(2))]
    changed = True
    while changed:
        changed = False
        for source, statement, target in program.edges:
            new = _run(reached[source], [statement], modulus) - reached[target]
            reached[target] |= new
            changed |= bool(new)
    return reached


def _runs(program: Program, starts: set[Valuation], rounds: int) -> list[set[Valuation]]:
    """The valuations that reach each node by at most this many statements, with some for each ?."""
    reached: list[set[Valuation]] = [set(starts), *(set() for _ in range(2))]
    for _ in range(rounds):
        before = [set(each) for each in reached]
        for source, statement, target in program.edges:
            reached[target] |= _run(before[source], [statement], None)
    return reached


def _run(
    valuations: set[Valuation], statements: Iterable[Statement], modulus: int | None
) -> set[Valuation]:
    for statement in statements:
        valuations = {
            after for valuation in valuations for after in _after(valuation, statement, modulus)
        }
    return valuations


def _after(valuation: Valuation, done: Statement, modulus: int | None) -> Iterator[Valuation]:
    choices: list[Iterable[int]] = []
    for variable, value in enumerate(valuation, 1):
        expression = done.get(variable, ())
        if expression is None:
            choices.append(range(modulus) if modulus else (0, 1, 3))
        elif expression:
            result = sum(a * x for a, x in zip(expression, (1, *valuation), strict=True))
            choices.append([result % modulus if modulus else result])
        else:
            choices.append([value])
    return product(*choices)


def _relations(reached: set[Valuation], modulus: int, variables: int) -> set[Vector]:
    """All relations that all of these valuations satisfy."""
    return {
        relation
        for relation in product(range(modulus), repeat=variables + 1)
        if all(
            sum(a * x for a, x in zip(relation, (1, *valuation), strict=True)) % modulus == 0
            for valuation in reached
        )
    }


def _listed(basis: Basis, modulus: int, width: int) -> set[Vector]:
    spanned: set[Vector] = {(0,) * width}
    for vector in basis:
        spanned = {
            tuple((x + k * y) % modulus for x, y in zip(each, vector, strict=True))
            for each in spanned
            for k in range(modulus)
        }
    return spanned


def _some(value: int | None) -> Sequence[int]:
    return (0, 1, 3) if value is None else (value,)
