"""Diagrams: what is made of them is what is said, for all values of the bits."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest

from support.oracles.bit_functions import diagrams, holds
from tepui.checker.bits_of_programs.diagrams import FALSE, TRUE, Diagrams
from tepui.errors import CheckStopped

LEVELS = range(5)

ALL = [dict(enumerate(bits)) for bits in product((0, 1), repeat=len(LEVELS))]


def any_function(known: Diagrams, rng: Random, depth: int = 4) -> int:
    if depth == 0 or rng.random() < 0.1:
        return known.bit(rng.choice(LEVELS)) if rng.random() < 0.9 else rng.choice((FALSE, TRUE))
    return known.choice(*(any_function(known, rng, depth - 1) for _ in range(3)))


def table(known: Diagrams, function: int) -> list[int]:
    return [holds(known, function, bits) for bits in ALL]


@pytest.mark.parametrize("seed", range(40))
def test_all_that_is_made_of_functions_is_right(seed: int) -> None:
    known, rng = diagrams(), Random(seed)
    f, g, h = (any_function(known, rng) for _ in range(3))
    tables = list(zip(table(known, f), table(known, g), table(known, h), strict=True))
    assert table(known, known.choice(f, g, h)) == [b if a else c for a, b, c in tables]
    assert table(known, known.both(f, g)) == [a & b for a, b, _ in tables]
    assert table(known, known.either(f, g)) == [a | b for a, b, _ in tables]
    assert table(known, known.differ(f, g)) == [a ^ b for a, b, _ in tables]
    assert table(known, known.negation(f)) == [1 - a for a, _, _ in tables]
    assert known.implies(f, g) == all(a <= b for a, b, _ in tables)
    assert known.implies(known.both(f, g), g)
    rows = [bits for bits, one in zip(ALL, table(known, f), strict=True) if one]
    same = {level: rows[0][level] for level in LEVELS if len({row[level] for row in rows}) == 1}
    assert not rows or known.certain(f) == same


@pytest.mark.parametrize("seed", range(40))
def test_equal_functions_are_one_node(seed: int) -> None:
    known, rng = diagrams(), Random(seed)
    f, g = any_function(known, rng), any_function(known, rng)
    assert (f == g) == (table(known, f) == table(known, g))
    other = known.negation(known.either(known.negation(f), known.negation(g)))
    assert other == known.both(f, g)


@pytest.mark.parametrize("seed", range(40))
def test_functions_take_the_place_of_bits_all_at_once(seed: int) -> None:
    known, rng = diagrams(), Random(seed)
    f = any_function(known, rng)
    levels = rng.sample(LEVELS, rng.randint(0, 4))
    functions = {level: any_function(known, rng) for level in levels}
    after = known.substituted(f, functions)
    for bits in ALL:
        new = {level: holds(known, function, bits) for level, function in functions.items()}
        assert holds(known, after, bits) == holds(known, f, {**bits, **new})


@pytest.mark.parametrize("seed", range(40))
def test_some_values_of_bits_are_enough(seed: int) -> None:
    known, rng = diagrams(), Random(seed)
    f = any_function(known, rng)
    levels = rng.sample(LEVELS, rng.randint(0, 4))
    after = known.with_any(f, levels)
    for bits in ALL:
        ways = [
            holds(known, f, {**bits, **dict(zip(levels, values, strict=True))})
            for values in product((0, 1), repeat=len(levels))
        ]
        assert holds(known, after, bits) == max(ways)


def test_what_was_made_in_passing_is_forgotten() -> None:
    known, rng = diagrams(), Random(1)
    f = any_function(known, rng)
    before, size = table(known, f), len(known)
    for _ in range(3):
        with known.passing():
            g = known.differ(f, known.both(known.bit(7), known.bit(9)))
            assert len(known) > size
            assert known.differ(f, g) == known.both(known.bit(7), known.bit(9))
        assert len(known) == size
        assert table(known, f) == before


def test_thousands_of_levels_need_no_recursion() -> None:
    known = diagrams()
    all_bits, parity = TRUE, FALSE
    for level in reversed(range(3000)):
        all_bits = known.both(known.bit(level), all_bits)
        parity = known.choice(known.bit(level), known.negation(parity), parity)
    odd = known.differ(all_bits, parity)
    assert known.implies(known.both(all_bits, odd), all_bits)
    assert known.substituted(odd, {2999: FALSE, 0: FALSE}) == known.substituted(
        parity, {0: FALSE, 2999: FALSE}
    )
    assert known.with_any(all_bits, range(3000)) == TRUE


def test_the_number_of_nodes_is_bounded() -> None:
    known = diagrams(most=100)
    for level in range(98):
        known.bit(level)
    with pytest.raises(CheckStopped, match="100 nodes"):
        known.bit(98)


def test_whoever_asks_for_a_check_can_stop_it() -> None:
    stopped = diagrams(go_on=lambda: False)
    with pytest.raises(CheckStopped, match="time limit"):
        stopped.both(stopped.bit(0), stopped.bit(1))
