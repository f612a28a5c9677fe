"""Weighted systems whose rules are objects, or packed."""

from __future__ import annotations

import pickle
from array import array

import pytest

from tepui.errors import ModelError
from tepui.weighted import Affine, Configurations, MinPath, WeightedRule, WeightedSystem, post_star
from tepui.weighted.system import PackedRules

Costs = WeightedSystem[int | None]

RULES: tuple[WeightedRule[int | None], ...] = (
    WeightedRule("p", "a", "q", (), 1),
    WeightedRule("q", "b", "p", ("c", "a"), 2),
    WeightedRule("p", "c", "r", ("d",), 3),
)


def test_packed_rules_are_numbers_in_the_order_of_their_first_occurrence() -> None:
    packed = PackedRules.of(RULES)
    assert packed.states == ("p", "q", "r")
    assert packed.symbols == ("a", "b", "c", "d")
    assert packed.numbers == array("I", [0, 0, 1, 0, 0, 1, 1, 0, 2, 0, 0, 2, 2, 1, 0])
    assert packed.words == array("I", [2, 0, 3])
    assert packed.weights == [1, 2, 3]


def test_packed_rules_are_the_same_sequence() -> None:
    packed = PackedRules.of(RULES)
    assert packed == RULES
    assert hash(packed) == hash(RULES)
    assert packed != RULES[:2]
    assert packed != 7
    assert (len(packed), packed[1], packed[-1], packed[1:]) == (3, RULES[1], RULES[2], RULES[1:])
    with pytest.raises(IndexError):
        packed[3]
    assert pickle.loads(pickle.dumps(packed)) == RULES


def test_systems_with_equal_rules_are_equal_whether_these_are_packed_or_not() -> None:
    domain = MinPath()
    packed, plain = Costs(domain, PackedRules.of(RULES)), Costs.of(domain, RULES)
    assert packed == plain
    assert plain == packed
    assert packed.states == plain.states == ("p", "q", "r")
    start = Configurations.of(("q", ("b",)))
    assert post_star(packed, start).weight("r", ("d", "a")) == 5


def test_other_weights_leave_the_rules_as_they_are() -> None:
    packed = PackedRules.of(RULES).with_weights([None, 0, 7])
    assert [rule.weight for rule in packed] == [None, 0, 7]
    assert [rule.word for rule in packed] == [rule.word for rule in RULES]


def test_packed_rules_may_merge_where_rules_may() -> None:
    call: WeightedRule[int | None] = WeightedRule("p", "a", "p", ("b", "c"), 1, merges=True)
    packed = PackedRules.of([RULES[0], call])
    assert packed[1].merges
    with pytest.raises(ModelError, match="MinPath has no merge, which <p, a> -> <p, b c> asks for"):
        Costs(MinPath(), packed)
    domain = Affine(1)
    assert WeightedSystem(domain, packed.with_weights([domain.one] * 2)).rules[1].merges


def test_a_wrong_weight_of_packed_rules_is_shown_with_its_rule() -> None:
    system = Costs(MinPath(), PackedRules.of(RULES).with_weights([0, -1, 0]))
    with pytest.raises(ModelError, match="<q, b> -> <p, c a> has the weight -1; expected a nat"):
        post_star(system, Configurations.of(("q", ("b",))))
