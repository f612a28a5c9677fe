"""The meaning of the weights of each domain, by hand and compared with what they stand for."""

from __future__ import annotations

from itertools import product
from random import Random
from typing import Literal

import pytest

from tepui.errors import ModelError
from tepui.weighted import (
    Boolean,
    Matrices,
    MinPath,
    Pairs,
    Path,
    Relations,
    Sets,
    ShortestPath,
    TwoWay,
    WeightedRelations,
    combine_all,
    extend_all,
    is_below,
)


def test_smaller_weights_stand_for_more_paths() -> None:
    assert is_below(Boolean(), True, False)
    assert not is_below(Boolean(), False, True)
    assert is_below(MinPath(), 3, 4)
    assert is_below(MinPath(), 3, None)
    assert is_below(Relations(1), (1,), (0,))


def test_the_empty_combine_is_zero_and_the_empty_extend_is_one() -> None:
    assert combine_all(MinPath(), []) is None
    assert extend_all(MinPath(), []) == 0
    assert extend_all(MinPath(), [1, 2, 3]) == 6
    assert combine_all(MinPath(), [4, 2, 3]) == 2


def test_costs_may_be_larger_than_any_float() -> None:
    huge = 10**400
    assert MinPath().extend(huge, 1) == huge + 1
    assert MinPath().combine(huge, None) == huge


def test_the_cheapest_path_is_kept_then_the_shortest_then_the_first() -> None:
    paths = ShortestPath()
    dear = paths.extend(paths.step(7, cost=2), paths.step(8, cost=2))
    cheap = extend_all(paths, [paths.step(9), paths.step(9), paths.step(9)])
    shorter = paths.step(9, cost=3)
    first = paths.step(2, cost=3)
    assert combine_all(paths, [dear, cheap]) == cheap == Path(3, 3, (9, 9, 9))
    assert combine_all(paths, [dear, cheap, shorter]) == shorter
    assert combine_all(paths, [dear, first, cheap, shorter]) == first
    with pytest.raises(ModelError, match="natural numbers"):
        paths.step(1, cost=-1)


def test_the_weights_of_figure_4_compose_as_the_text_says() -> None:
    """x := 3 or x := 7, and then y := x: at the end x = y = 3 or x = y = 7."""
    domain = Relations(64)
    pairs = list(product(range(8), repeat=2))
    three, seven = (
        domain.relation((8 * x + y, 8 * value + y) for x, y in pairs) for value in (3, 7)
    )
    copy = domain.relation((8 * x + y, 8 * x + x) for x, y in pairs)
    weight = domain.extend(domain.combine(three, seven), copy)
    assert [divmod(state, 8) for state in domain.image(weight)] == [(3, 3), (7, 7)]
    assert domain.image(three, [0]) == [8 * 3]
    assert domain.image(domain.extend(three, copy), []) == []


@pytest.mark.fuzz
def test_relations_are_sets_of_pairs() -> None:
    rng = Random(0)
    domain = Relations(6, local_states=3)
    everything = list(product(range(6), range(6)))
    for _ in range(1000):
        a, b = (set(rng.sample(everything, rng.randint(0, 12))) for _ in range(2))
        v, w = domain.relation(a), domain.relation(b)
        assert [*domain.pairs(v)] == sorted(a)
        assert {*domain.pairs(domain.combine(v, w))} == a | b
        assert {*domain.pairs(domain.extend(v, w))} == {
            (i, k) for i, j in a for also_j, k in b if j == also_j
        }
        assert {*domain.pairs(domain.transpose(v))} == {(j, i) for i, j in a}
        assert {*domain.pairs(domain.merge(v))} == {(i, (j // 3) * 3 + i % 3) for i, j in a}
        sources = rng.sample(range(6), 3)
        assert domain.image(v, sources) == sorted({j for i, j in a if i in sources})


def test_a_call_changes_globals_and_no_locals() -> None:
    """Two globals g and two locals l, as 2g + l: the callee sets g := l and l := 0."""
    domain = Relations(4, local_states=2)
    callee = domain.relation([(0, 0), (1, 2), (2, 0), (3, 2)])
    assert [*domain.pairs(domain.merge(callee))] == [(0, 0), (1, 3), (2, 0), (3, 3)]


def test_weighted_relations_find_the_shortest_trace() -> None:
    domain = WeightedRelations(3, MinPath())
    step = domain.relation([(0, 1, 1), (1, 2, 1), (0, 2, 5)])
    total = domain.one
    for _ in range(3):
        total = domain.combine(total, domain.extend(total, step))
    assert domain.weight(total, 0, 2) == 2
    assert domain.weight(total, 2, 0) is None
    assert domain.relation([(1, 1, None), (0, 0, 4), (0, 0, 3)]) == ((0, 0, 3),)


def test_a_merged_weight_combines_over_the_locals_of_the_callee() -> None:
    domain = WeightedRelations(4, MinPath(), local_states=2)
    callee = domain.relation([(1, 2, 5), (1, 3, 4), (0, 0, 1)])
    assert domain.merge(callee) == ((0, 0, 1), (1, 3, 4))


@pytest.mark.fuzz
def test_matrices_and_weighted_relations_are_the_same_in_two_notations() -> None:
    rng = Random(0)
    sparse, dense = WeightedRelations(3, MinPath()), Matrices(3, MinPath())
    for _ in range(500):
        a, b = (
            tuple(tuple(rng.choice((None, None, 0, 1, 4)) for _ in range(3)) for _ in range(3))
            for _ in range(2)
        )
        v, w = (
            sparse.relation((i, j, m[i][j]) for i, j in product(range(3), repeat=2)) for m in (a, b)
        )
        for made, expected in [
            (sparse.combine(v, w), dense.combine(a, b)),
            (sparse.extend(v, w), dense.extend(a, b)),
            (sparse.transpose(v), dense.transpose(a)),
            (sparse.one, dense.one),
            (sparse.zero, dense.zero),
        ]:
            entries = product(range(3), repeat=2)
            assert all(sparse.weight(made, i, j) == expected[i][j] for i, j in entries)


@pytest.mark.parametrize("meet", ["union", "intersection"])
def test_transformers_of_sets_are_the_functions_that_they_stand_for(
    meet: Literal["union", "intersection"],
) -> None:
    domain = Sets(2, meet)
    everything = list(product(range(4), repeat=2))
    weights = {domain.transformer(kill, gen) for kill, gen in everything}
    assert len(weights) == 9
    for kill, gen in everything:
        made = domain.transformer(kill, gen)
        assert all(domain.facts_after(made, x) == (x & ~kill) | gen for x in range(4))
    for v, w in product(weights, repeat=2):
        assert {domain.combine(v, w), domain.extend(v, w)} <= weights
        for x in range(4):
            one, other = domain.facts_after(v, x), domain.facts_after(w, x)
            assert one is not None
            assert other is not None
            together = one | other if meet == "union" else one & other
            assert domain.facts_after(domain.combine(v, w), x) == together
            assert domain.facts_after(domain.extend(v, w), x) == domain.facts_after(w, one)
    assert domain.facts_after(domain.zero, 3) is None


def test_pairs_do_two_things_at_once() -> None:
    domain = Pairs(MinPath(), Boolean())
    assert domain.extend((1, True), (2, False)) == (3, False)
    assert domain.combine((1, True), (2, False)) == (1, True)
    assert domain.transpose((1, True)) == (1, True)


def test_a_two_way_path_knows_itself_backwards() -> None:
    paths = ShortestPath()
    domain = TwoWay(paths)
    forwards, backwards = extend_all(domain, (domain.both(paths.step(rule)) for rule in range(3)))
    assert forwards is not None
    assert backwards is not None
    assert (forwards.rules, backwards.rules) == ((0, 1, 2), (2, 1, 0))


def test_what_cannot_be_is_told_in_a_sentence() -> None:
    with pytest.raises(ModelError, match="they are below 2"):
        Relations(2).relation([(0, 2)])
    with pytest.raises(ModelError, match="they are below 2"):
        WeightedRelations(2, Boolean()).relation([(-1, 0, True)])
    with pytest.raises(ModelError, match="5 states cannot be pairs with 2 local states"):
        Relations(5, local_states=2)
    with pytest.raises(ModelError, match="5 states cannot be pairs with 2 local states"):
        WeightedRelations(5, Boolean(), local_states=2)
    with pytest.raises(ModelError, match="4 and 1 are not both sets of 2 facts"):
        Sets(2).transformer(4, 1)
    with pytest.raises(ModelError, match="at least one row"):
        Matrices(0, Boolean())
