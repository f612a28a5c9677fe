"""Tensor sets, and what runs with gaps require of all kinds of tensors."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from support.generators.weighted import KINDS, ONE_WAY, Kind
from tepui.errors import UsageError
from tepui.weighted import MinPath, PureTensors, Relations, combine_all, extend_all
from tepui.weighted.domains.semiring import tensorable
from tepui.weighted.domains.tensor_sets import NumberedWeights, TensorSet, TensorSets
from tepui.weighted.interrupted_runs import Interrupted

ALL = KINDS | ONE_WAY


@pytest.mark.parametrize("name", ALL)
def test_tensors_are_spliced_as_pure_ones_are(name: str) -> None:
    domain, _ = ALL[name]
    for seed in range(60):
        rng = Random(seed)
        a, b = rng.randint(1, 3), rng.randint(1, 3)
        firsts, seconds = _random_pures(rng, ALL[name], a), _random_pures(rng, ALL[name], b)
        tensors = {n: tensorable(domain).tensors(n) for n in (a, b, a + b - 1)}
        first, second = _sum(tensors[a], firsts), _sum(tensors[b], seconds)
        spliced = [(*s[:-1], domain.extend(s[-1], t[0]), *t[1:]) for s in firsts for t in seconds]
        expected = _sum(tensors[a + b - 1], spliced)
        assert tensors[a + b - 1].splice(first, second) == expected, seed


@pytest.mark.parametrize("name", ALL)
def test_a_tensor_is_the_combine_of_its_pure_tensors(name: str) -> None:
    domain, _ = ALL[name]
    for seed in range(60):
        rng = Random(seed)
        order = rng.randint(1, 3)
        tensors = tensorable(domain).tensors(order)
        tensor = _sum(tensors, _random_pures(rng, ALL[name], order))
        pures = [(*pure, *[domain.one] * (order - len(pure))) for pure in tensors.pures(tensor)]
        assert _sum(tensors, pures) == tensor, seed


@pytest.mark.parametrize("name", ["min-path", "relations", "paths", "sets"])
def test_diagrams_mean_what_sets_of_pure_tensors_mean(name: str) -> None:
    domain, draw = ALL[name]
    tensor_sets: TensorSets[Any] = TensorSets(NumberedWeights(domain))
    for seed in range(150):
        rng = Random(seed)
        order = rng.randint(1, 3)
        pures = _random_pures(rng, ALL[name], order, most=6)
        tensor_set = _sum(tensor_sets, pures)
        between = [draw(rng) for _ in range(order - 1)]
        expected = combine_all(domain, (extend_all(domain, _mixed(p, between)) for p in pures))
        assert _filled(tensor_sets, tensor_set, between) == expected, seed
        assert all(tensor_sets.covers(tensor_set, tensor_sets.tensor(*pure)) for pure in pures), (
            seed
        )
        assert tensor_sets.combine(tensor_set, tensor_sets.tensor(*pures[0])) is tensor_set, seed
        more = _random_pures(rng, ALL[name], 2)
        spliced = [(*s[:-1], domain.extend(s[-1], t[0]), t[1]) for s in pures for t in more]
        found = _filled(
            tensor_sets, tensor_sets.splice(tensor_set, _sum(tensor_sets, more)), [*between, None]
        )
        expected = combine_all(domain, (extend_all(domain, _mixed(p, between)) for p in spliced))
        assert found == expected, seed


def test_what_two_diagrams_have_in_common_stays() -> None:
    domain = Relations(2)
    tensor_sets = TensorSets(NumberedWeights(domain))
    one, swap, first = domain.one, domain.relation([(0, 1), (1, 0)]), domain.relation([(1, 0)])
    common = tensor_sets.tensor(one, swap)
    left = tensor_sets.combine(common, tensor_sets.tensor(swap, one))
    right = tensor_sets.combine(common, tensor_sets.tensor(first, first))
    both = tensor_sets.combine(left, right)
    assert tensor_sets.covers(both, left)
    assert tensor_sets.covers(both, right)
    assert len(both.terms) == 3


def test_terms_with_the_same_weight_or_the_same_rest_are_one() -> None:
    domain = Relations(2)
    a, b, c = (domain.relation([pair]) for pair in [(0, 0), (0, 1), (1, 1)])
    tensor_sets = TensorSets(NumberedWeights(domain))
    same_rest = tensor_sets.combine(tensor_sets.tensor(a, c), tensor_sets.tensor(b, c))
    assert same_rest is tensor_sets.tensor(domain.combine(a, b), c)
    same_weight = tensor_sets.combine(tensor_sets.tensor(c, a), tensor_sets.tensor(c, b))
    assert same_weight is tensor_sets.tensor(c, domain.combine(a, b))
    assert tensor_sets.tensor(a, domain.zero) is tensor_sets.zero


def test_runs_with_too_many_contexts_are_left_out() -> None:
    domain: Interrupted[Any] = Interrupted(TensorSets(NumberedWeights(MinPath())), 3)
    opened, resumed = domain.opened(("p", "q"), 1), domain.resumed(("r", "s"), 1)
    twice = domain.extend(resumed, resumed)
    assert set(twice.tensors) == {(None, (("r", "s"), ("r", "s")))}
    assert set(domain.extend(opened, twice).tensors) == {(("p", "q"), (("r", "s"), ("r", "s")))}
    assert domain.extend(twice, resumed) == domain.zero
    assert domain.extend(twice, domain.one) == twice
    assert domain.extend(opened, opened) == domain.zero
    with pytest.raises(UsageError, match="cannot be interrupted"):
        domain.merge(twice)


def test_sets_of_pure_tensors_are_the_ones_that_become_diagrams() -> None:
    assert isinstance(Relations(2).tensors(2), PureTensors)
    runs = Interrupted(TensorSets(NumberedWeights(Relations(2))), 1).one
    assert isinstance(runs.tensors[None, ()], TensorSet)


def _random_pures(rng: Random, kind: Kind, order: int, most: int = 3) -> list[tuple[Any, ...]]:
    drawn = [kind[1](rng) for _ in range(3)]
    return [
        tuple(rng.choice([*drawn, kind[0].one]) for _ in range(order))
        for _ in range(rng.randint(1, most))
    ]


def _sum(tensors: Any, pures: list[tuple[Any, ...]]) -> Any:
    total = tensors.zero
    for pure in pures:
        total = tensors.combine(total, tensors.tensor(*pure))
    return total


def _mixed(pure: tuple[Any, ...], between: list[Any]) -> list[Any]:
    """The weights of a pure tensor, with others in between, as far as there are any."""
    mixed = [pure[0]]
    for place, weight in enumerate(pure[1:]):
        mixed += [*between[place : place + 1], weight]
    return mixed


def _filled(tensor_sets: TensorSets[Any], tensor_set: TensorSet, between: list[Any]) -> Any:
    """The weight that a tensor_set gets when others are put in between; None is nothing."""
    domain = tensor_sets.numbered.domain
    if tensor_set is tensor_sets.unit:
        return domain.one
    total = domain.zero
    for rest, number in tensor_set.terms:
        value = _filled(tensor_sets, rest, between[1:])
        if between and between[0] is not None:
            value = domain.extend(between[0], value)
        total = domain.combine(total, domain.extend(tensor_sets.numbered.weight(number), value))
    return total
