"""Sets of pure tensors and spaces of tensors against real Kronecker products, up to order 3."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from random import Random
from typing import Any

import pytest

from tepui.errors import UsageError
from tepui.weighted import (
    Affine,
    Boolean,
    MinPath,
    Pairs,
    PureTensors,
    Relations,
    ShortestPath,
    TwoWay,
    combine_all,
)
from tepui.weighted.domains.affine_tensor import AffineTensors, TensorSpace
from tepui.weighted.domains.linear import Basis, Vector, canonical, multiply
from tepui.weighted.domains.relations import Relation

Pairing = set[tuple[tuple[int, ...], tuple[int, ...]]]
"""A relation on tuples of states: the Kronecker product of relations."""


@pytest.mark.parametrize("order", [1, 2, 3])
def test_sets_of_pure_tensors_mean_unions_of_kronecker_products(order: int) -> None:
    rng = Random(order)
    domain = Relations(2)
    tensors = domain.tensors(order)
    for _ in range(250):
        s, t = (_random_tensor(rng, domain, order) for _ in range(2))
        assert _kronecker(tensors.combine(s, t)) == _kronecker(s) | _kronecker(t)
        product_of_both = {
            (i, k) for i, j in _kronecker(s) for also_j, k in _kronecker(t) if j == also_j
        }
        assert _kronecker(tensors.extend(s, t)) == product_of_both
        assert {*domain.pairs(tensors.detensor(s))} == _theta(_kronecker(s), transposed=False)
        assert {*domain.pairs(tensors.transposed_detensor(s))} == _theta(
            _kronecker(s), transposed=True
        )


def test_a_pure_tensor_below_which_there_is_another_one_is_left_out() -> None:
    tensors = PureTensors(MinPath(), 2)
    small, large, other = tensors.tensor(1, 2), tensors.tensor(1, 3), tensors.tensor(0, 5)
    assert tensors.combine(small, large) == small
    assert tensors.combine(small, other) == {(1, 2), (0, 5)}
    assert tensors.tensor(None, 3) == tensors.zero
    assert tensors.detensor(tensors.combine(small, other)) == 3


def test_there_are_no_cross_terms() -> None:
    domain = Relations(2)
    up, down = domain.relation([(0, 1)]), domain.relation([(1, 0)])
    tensors = domain.tensors(2)
    both = tensors.combine(tensors.tensor(up, up), tensors.tensor(down, down))
    assert tensors.detensor(both) == domain.zero
    assert tensors.transposed_detensor(both) == domain.one


def test_two_way_paths_are_read_off_a_composed_transducer() -> None:
    """Rules 0 and 1 forwards, and rules 3 and 2 in the part that is read backwards."""
    domain = TwoWay(ShortestPath())
    tensors = domain.tensors(2)
    step = [domain.both(ShortestPath().step(rule)) for rule in range(4)]
    forwards = [tensors.tensor(step[rule], domain.one) for rule in (0, 1)]
    backwards = [tensors.tensor(domain.one, domain.transpose(step[rule])) for rule in (3, 2)]
    total = tensors.one
    for each in (*forwards, *backwards):
        total = tensors.extend(total, each)
    path, _ = tensors.transposed_detensor(total)
    assert path is not None
    assert path.rules == (0, 1, 2, 3)


def test_a_commutative_domain_is_its_own_tensor_product() -> None:
    assert Boolean().tensors(5).tensor(True, True, True, True, True) is True
    assert MinPath().tensors(3).tensor(1, 2, 3) == 6
    assert MinPath().tensors(3).detensor(6) == 6


def test_the_tensors_of_pairs_are_pairs_of_tensors() -> None:
    domain = Pairs(Relations(2), Affine(1))
    tensors = domain.tensors(2)
    weight = Relations(2).relation([(0, 1)]), Affine(1).statement({1: (3, 2)})
    tensor = tensors.tensor(weight, domain.one)
    assert tensor == (
        Relations(2).tensors(2).tensor(weight[0], Relations(2).one),
        Affine(1).tensors(2).tensor(weight[1], Affine(1).one),
    )
    assert tensors.detensor(tensor) == weight


@pytest.mark.parametrize("modulus", [None, 2, 4, 6, 9])
@pytest.mark.parametrize("order", [1, 2, 3])
def test_spaces_of_tensors_are_equal_iff_their_kronecker_products_span_the_same(
    order: int, modulus: int | None
) -> None:
    rng = Random(order)
    domain = Affine(1, modulus)
    tensors = domain.tensors(order)
    equal = 0
    for _ in range(60):
        s, t = (_random_space(rng, domain, order) for _ in range(2))
        for other in (t, _mixed(rng, tensors, s), tensors.combine(t, s)):
            expected = _flat(domain, [s]) == _flat(domain, [other])
            assert (s == other) == expected
            assert not expected or hash(s) == hash(other)
            equal += expected
        assert _flat(domain, [tensors.combine(s, t)]) == _flat(domain, [s, t])
    assert 60 <= equal < 150


@pytest.mark.parametrize("modulus", [None, 4, 6])
@pytest.mark.parametrize("order", [1, 2, 3])
def test_spaces_of_tensors_extend_as_kronecker_products_do(order: int, modulus: int | None) -> None:
    rng = Random(order)
    domain = Affine(1, modulus)
    tensors = domain.tensors(order)
    for _ in range(20):
        s, t = (_random_space(rng, domain, order) for _ in range(2))
        size = 2**order
        matrices = [
            multiply(_kronecker_matrix(a), _kronecker_matrix(b), size)
            for a in s.generators
            for b in t.generators
        ]
        extended = tensors.extend(s, t)
        assert canonical(domain.scalars, matrices) == canonical(
            domain.scalars, map(_kronecker_matrix, extended.generators)
        )


def test_generators_of_a_space_are_independent() -> None:
    domain = Affine(1)
    tensors = domain.tensors(2)
    a, b = domain.statement({1: (1, 1)}), domain.statement({1: (2, 1)})
    parts = [tensors.tensor(x, y) for x, y in product((a, b, domain.one), repeat=2)]
    total = combine_all(tensors, parts)
    assert len(total.generators) == total.size == 4
    assert tensors.combine(total, tensors.tensor(domain.combine(a, b), domain.one)) is total
    assert len(tensors.extend(total, total).generators) == 4


def test_modulo_a_number_a_multiple_of_a_tensor_is_a_smaller_space() -> None:
    domain = Affine(1, 4)
    tensors = domain.tensors(2)
    double = domain.span([(2, 0, 0, 2)])
    assert tensors.tensor(double, domain.one) == tensors.tensor(domain.one, double)
    assert tensors.tensor(double, domain.one) != tensors.one
    assert tensors.tensor(double, double) == tensors.zero


def test_a_tensor_has_as_many_weights_as_its_order() -> None:
    domains: list[Any] = [Relations(2), Affine(1)]
    for domain in domains:
        with pytest.raises(UsageError, match="order 2 cannot have 3 weights"):
            domain.tensors(2).tensor(*[domain.one] * 3)
        with pytest.raises(UsageError, match="at least one component"):
            domain.tensors(0)


def test_a_pair_with_a_domain_without_tensors_has_none() -> None:
    class Plain:
        zero, one = False, True

        def combine(self, a: bool, b: bool) -> bool:
            return a or b

        def extend(self, a: bool, b: bool) -> bool:
            return a and b

    with pytest.raises(UsageError, match="Plain declares no tensor product"):
        Pairs(Plain(), Boolean()).tensors(2)


def _random_tensor(rng: Random, domain: Relations, order: int) -> Any:
    tensors = domain.tensors(order)
    pure = [tuple(_random_relation(rng) for _ in range(order)) for _ in range(rng.randint(0, 3))]
    return combine_all(tensors, [tensors.tensor(*each) for each in pure])


def _random_relation(rng: Random) -> Relation:
    return rng.randrange(4), rng.randrange(4)


def _kronecker(tensor: frozenset[tuple[Relation, ...]]) -> Pairing:
    pairs: Pairing = set()
    for pure in tensor:
        for chosen in product(*(Relations(2).pairs(each) for each in pure)):
            pairs.add((tuple(i for i, _ in chosen), tuple(j for _, j in chosen)))
    return pairs


def _theta(relation: Pairing, transposed: bool) -> set[tuple[int, int]]:
    """The expression θ of section 6.2: entries in which each component ends where the next begins.

    Transposed components are gone through from their end to their beginning.
    """
    read = set()
    for begins, ends in relation:
        steps = [
            (end, begin) if transposed and index % 2 else (begin, end)
            for index, (begin, end) in enumerate(zip(begins, ends, strict=True))
        ]
        if all(steps[i][1] == steps[i + 1][0] for i in range(len(steps) - 1)):
            read.add((steps[0][0], steps[-1][1]))
    return read


def _random_space(rng: Random, domain: Affine, order: int) -> TensorSpace:
    tensors = domain.tensors(order)
    bound = 1 if domain.modulus is None else domain.modulus - 1
    pure = [
        tuple(tuple(rng.randint(0, bound) for _ in range(4)) for _ in range(order))
        for _ in range(rng.randint(1, 3))
    ]
    return combine_all(
        tensors, [tensors.tensor(*(domain.span([m]) for m in each)) for each in pure]
    )


def _mixed(rng: Random, tensors: AffineTensors, space: TensorSpace) -> TensorSpace:
    """The same space from sums and multiples in the first component, where it can be so."""
    made = []
    for pure in space.generators:
        twin = next((o for o in space.generators if o != pure and o[1:] == pure[1:]), None)
        if twin is None:
            made.append(pure)
        else:
            first = tuple(x + y for x, y in zip(pure[0], twin[0], strict=True))
            made += [(first, *pure[1:]), twin]
    rng.shuffle(made)
    return combine_all(
        tensors,
        [tensors.tensor(*(canonical(tensors.scalars, [m]) for m in pure)) for pure in made],
    )


def _flat(domain: Affine, spaces: Sequence[TensorSpace]) -> Basis:
    """The canonical basis of all Kronecker products of the generators of some spaces."""
    return canonical(
        domain.scalars,
        [_kronecker_matrix(pure) for space in spaces for pure in space.generators],
    )


def _kronecker_matrix(pure: tuple[Vector, ...]) -> Vector:
    """The Kronecker product of 2 × 2 matrices."""
    matrix: Vector = (1,)
    size = 1
    for each in pure:
        matrix = tuple(
            matrix[i // 2 * size + j // 2] * each[i % 2 * 2 + j % 2]
            for i in range(2 * size)
            for j in range(2 * size)
        )
        size *= 2
    return matrix
