"""The laws of Definitions 4, 13 and 15 and of appendix B, for every domain and capability."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from support.sizes import sized
from tepui.errors import UsageError
from tepui.weighted import (
    Affine,
    Boolean,
    Matrices,
    Merging,
    MinPath,
    Pairs,
    Path,
    Relations,
    Semiring,
    Sets,
    ShortestPath,
    Tensorable,
    Transposable,
    TwoWay,
    WeightedRelations,
    check_descent,
    check_laws,
    check_merge,
    check_tensor,
    check_transpose,
    check_transposed_tensor,
)

Weights = st.SearchStrategy[Any]


@dataclass(frozen=True)
class Case:
    """A domain, weights of it, its height if it has one, and what it is declared to offer."""

    domain: Any
    weights: Weights
    height: int | None
    offers: str = "transpose tensor"


COSTS = st.none() | st.integers(0, 5)
RULES = st.lists(st.integers(0, 2), max_size=3).map(tuple)
PATHS = st.none() | st.builds(
    lambda cost, rules: Path(cost, len(rules), rules), st.integers(0, 5), RULES
)


def _masks(bits: int) -> st.SearchStrategy[int]:
    return st.integers(0, (1 << bits) - 1)


def _relations(states: int) -> Weights:
    return st.tuples(*[_masks(states)] * states)


def _weighted(domain: WeightedRelations[Any], weights: Weights) -> Weights:
    states = st.integers(0, domain.states - 1)
    return st.lists(st.tuples(states, states, weights), max_size=6).map(domain.relation)


def _matrices(order: int, entries: Weights) -> Weights:
    return st.tuples(*[st.tuples(*[entries] * order)] * order)


def _sets(domain: Sets) -> Weights:
    masks = _masks(domain.facts)
    return st.none() | st.builds(domain.transformer, masks, masks)


def _spaces(domain: Affine) -> Weights:
    """Spans of any matrices, and weights of statements."""
    order = domain.variables + 1
    numbers = st.integers(-2, 2) if domain.modulus is None else st.integers(0, domain.modulus - 1)
    matrices = st.lists(st.tuples(*[numbers] * order**2), max_size=1).map(domain.span)
    expressions = st.none() | st.tuples(*[numbers] * order)
    targets = st.integers(1, domain.variables)
    statements = st.dictionaries(targets, expressions, max_size=1).map(domain.statement)
    return matrices | statements


def _twice(weights: Weights) -> Weights:
    return st.tuples(weights, weights)


def _affine(offers: str = "transpose tensor merge", **options: Any) -> Case:
    domain = Affine(**options)
    factors = {None: 1, 4: 2, 6: 2, 8: 3, 9: 2}[domain.modulus]
    return Case(domain, _spaces(domain), (domain.variables + 1) ** 2 * factors, offers)


MIN_RELATIONS = WeightedRelations(3, MinPath())
TRACES = WeightedRelations(4, ShortestPath(), local_states=2)
TWO_WAY_TRACES = WeightedRelations(2, TwoWay(ShortestPath()))

CASES = {
    "Boolean": Case(Boolean(), st.booleans(), 1),
    "min-path": Case(MinPath(), COSTS, None),
    "shortest path": Case(ShortestPath(), PATHS, None, "tensor"),
    "relations": Case(Relations(3), _relations(3), 9, "transpose tensor merge"),
    "relations with locals": Case(
        Relations(4, local_states=2), _relations(4), 16, "transpose tensor merge"
    ),
    "min-path relations": Case(
        MIN_RELATIONS, _weighted(MIN_RELATIONS, COSTS), None, "transpose tensor merge"
    ),
    "path relations with locals": Case(TRACES, _weighted(TRACES, PATHS), None, "tensor merge"),
    "two-way path relations": Case(
        TWO_WAY_TRACES, _weighted(TWO_WAY_TRACES, _twice(PATHS)), None, "transpose tensor merge"
    ),
    "union of sets": Case(Sets(3), _sets(Sets(3)), 7, "tensor"),
    "intersection of sets": Case(
        Sets(3, "intersection"), _sets(Sets(3, "intersection")), 7, "tensor"
    ),
    "affine over the rationals": _affine(variables=2),
    "affine with locals": _affine(variables=2, local_variables=1),
    "affine modulo 4": _affine(variables=1, modulus=4),
    "affine modulo 6 with locals": _affine(variables=2, modulus=6, local_variables=1),
    "affine modulo 9": _affine(variables=1, modulus=9),
    "pairs": Case(
        Pairs(Relations(2), Affine(1, 8)), st.tuples(_relations(2), _spaces(Affine(1, 8))), 4 + 12
    ),
    "matrices": Case(Matrices(2, MinPath()), _matrices(2, COSTS), None),
    "matrices of two-way paths": Case(
        Matrices(2, TwoWay(ShortestPath())), _matrices(2, _twice(PATHS)), None
    ),
    "two-way paths": Case(TwoWay(ShortestPath()), _twice(PATHS), None),
    "two-way sets": Case(TwoWay(Sets(2)), _twice(_sets(Sets(2))), 10),
    "two-way relations": Case(TwoWay(Relations(2)), _twice(_relations(2)), 8),
}

each_domain = pytest.mark.parametrize("name", CASES)


def _offering(capability: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("name", [n for n, c in CASES.items() if capability in c.offers])


def _tries(count: int) -> settings:
    slow = [HealthCheck.too_slow, HealthCheck.data_too_large]
    return settings(max_examples=sized(2 * count), suppress_health_check=slow)


@each_domain
@given(data=st.data())
@_tries(50)
def test_a_domain_is_an_idempotent_semiring(name: str, data: st.DataObject) -> None:
    case = CASES[name]
    check_laws(case.domain, data.draw(st.lists(case.weights, min_size=3, max_size=3)))


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case.height])
@given(data=st.data())
@_tries(30)
def test_no_chain_is_longer_than_the_height(name: str, data: st.DataObject) -> None:
    case = CASES[name]
    assert case.height is not None
    check_descent(case.domain, data.draw(st.lists(case.weights, max_size=30)), case.height)


@_offering("transpose")
@given(data=st.data())
@_tries(50)
def test_a_transpose_turns_paths_round(name: str, data: st.DataObject) -> None:
    case = CASES[name]
    check_transpose(case.domain, data.draw(st.lists(case.weights, min_size=2, max_size=3)))


@_offering("merge")
@given(data=st.data())
@_tries(50)
def test_merge_distributes_over_combine(name: str, data: st.DataObject) -> None:
    case = CASES[name]
    check_merge(case.domain, data.draw(st.lists(case.weights, min_size=2, max_size=3)))


@_offering("tensor")
@pytest.mark.parametrize("order", [1, 2])
@given(data=st.data())
@_tries(8)
def test_tensors_of_low_order_are_sequentializable(
    name: str, order: int, data: st.DataObject
) -> None:
    case = CASES[name]
    check_tensor(case.domain, data.draw(st.lists(case.weights, min_size=2, max_size=2)), order)


@_offering("tensor")
@given(data=st.data())
@_tries(3)
def test_tensors_of_order_three_are_sequentializable(name: str, data: st.DataObject) -> None:
    case = CASES[name]
    check_tensor(case.domain, data.draw(st.lists(case.weights, min_size=1, max_size=1)), 3)


@pytest.mark.parametrize(
    "name", [n for n, c in CASES.items() if {"transpose", "tensor"} <= {*c.offers.split()}]
)
@pytest.mark.parametrize("order", [1, 2, 3])
@given(data=st.data())
@_tries(8)
def test_transposed_tensors_can_be_read_alternately(
    name: str, order: int, data: st.DataObject
) -> None:
    case = CASES[name]
    count = 1 if order == 3 else 2
    sample = data.draw(st.lists(case.weights, min_size=count, max_size=count))
    check_transposed_tensor(case.domain, sample, order)


@each_domain
def test_a_domain_offers_what_it_is_said_to_offer(name: str) -> None:
    domain: Semiring[Any] = CASES[name].domain
    offers = CASES[name].offers
    assert isinstance(domain, Merging) == ("merge" in offers)
    assert isinstance(domain, Tensorable) == ("tensor" in offers)
    assert _can_transpose(domain) == ("transpose" in offers)


def _can_transpose(domain: Semiring[Any]) -> bool:
    if not isinstance(domain, Transposable):
        return False
    try:
        domain.transpose(domain.one)
    except UsageError:
        return False
    return True
