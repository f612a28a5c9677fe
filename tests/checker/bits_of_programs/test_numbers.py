"""Numbers whose bits are functions: they are Python's integers, for all values of the bits."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import pytest

from support.oracles.bit_functions import Bits, diagrams, number_at
from tepui.checker.bits_of_programs.diagrams import FALSE, TRUE
from tepui.checker.bits_of_programs.numbers import Number, Numbers, constant, shortened

WIDTH = 4

KNOWN = diagrams()
NUMBERS = Numbers(KNOWN)
X: Number = tuple(map(KNOWN.bit, range(0, 2 * WIDTH, 2)))
Y: Number = tuple(map(KNOWN.bit, range(1, 2 * WIDTH, 2)))

CASES = [dict(enumerate(bits)) for bits in product((0, 1), repeat=2 * WIDTH)]


def quotient(left: int, right: int) -> int:
    return abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)


def at(number: Number, bits: Bits) -> int:
    return number_at(KNOWN, number, bits)


Both = tuple[Number, Callable[[int, int], int], Callable[[int, int], bool]]


def always(left: int, right: int) -> bool:
    return True


MADE: dict[str, Both] = {
    "+": (NUMBERS.sum(X, Y), lambda x, y: x + y, always),
    "+1": (NUMBERS.sum(X, Y, TRUE), lambda x, y: x + y + 1, always),
    "-": (NUMBERS.difference(X, Y), lambda x, y: x - y, always),
    "minus": (NUMBERS.negative(X), lambda x, _: -x, always),
    "~": (NUMBERS.complement(X), lambda x, _: ~x, always),
    "*": (NUMBERS.product(X, Y), lambda x, y: x * y, always),
    "/": (NUMBERS.division(X, Y)[0], quotient, lambda _, y: y != 0),
    "%": (NUMBERS.division(X, Y)[1], lambda x, y: x - y * quotient(x, y), lambda _, y: y != 0),
    "&": (NUMBERS.bitwise(KNOWN.both, X, Y), lambda x, y: x & y, always),
    "|": (NUMBERS.bitwise(KNOWN.either, X, Y), lambda x, y: x | y, always),
    "^": (NUMBERS.bitwise(KNOWN.differ, X, Y), lambda x, y: x ^ y, always),
    "<<": (NUMBERS.shifted_left(X, Y), lambda x, y: x << y, lambda _, y: y >= 0),
    ">>": (NUMBERS.shifted_right(X, Y), lambda x, y: x >> y, lambda _, y: y >= 0),
    "=": (NUMBERS.truth(NUMBERS.is_equal(X, Y)), lambda x, y: int(x == y), always),
    "<": (NUMBERS.truth(NUMBERS.is_less(X, Y)), lambda x, y: int(x < y), always),
    "true": (NUMBERS.truth(NUMBERS.is_true(X)), lambda x, _: int(x != 0), always),
    "within": (NUMBERS.truth(NUMBERS.is_within(X, -3, 5)), lambda x, _: int(-3 <= x <= 5), always),
    "choice": (NUMBERS.choice(X[0], X, Y), lambda x, y: x if x % 2 else y, always),
}


@pytest.mark.parametrize("name", MADE)
def test_arithmetic_is_that_of_integers(name: str) -> None:
    made, meant, is_defined = MADE[name]
    for bits in CASES:
        x, y = at(X, bits), at(Y, bits)
        if is_defined(x, y):
            assert at(made, bits) == meant(x, y), (x, y)


@pytest.mark.parametrize("most", range(1, 10))
def test_the_lowest_bits_are_right_where_no_more_are_wanted(most: int) -> None:
    made: list[tuple[Number, Callable[[int, int], int]]] = [
        (NUMBERS.sum(X, Y, FALSE, most), lambda x, y: x + y),
        (NUMBERS.difference(X, Y, most), lambda x, y: x - y),
        (NUMBERS.negative(X, most), lambda x, _: -x),
        (NUMBERS.product(X, Y, most), lambda x, y: x * y),
        (NUMBERS.shifted_left(X, (*Y[:-1], FALSE), most), lambda x, y: x << (y & 7)),
    ]
    for number, meant in made:
        assert len(number) <= max(most, WIDTH)
        for bits in CASES:
            assert (at(number, bits) - meant(at(X, bits), at(Y, bits))) % 2**most == 0


@pytest.mark.parametrize("value", [0, 1, -1, 2, -2, 7, 8, -8, -9, 2**63, -(2**63), 10**30])
def test_constants_have_as_many_bits_as_they_need(value: int) -> None:
    number = constant(value)
    assert at(number, {}) == value
    assert shortened(number) == number
    assert at(NUMBERS.product(number, constant(-3)), {}) == -3 * value
    quotient_, rest = NUMBERS.division(number, constant(-3))
    assert (at(quotient_, {}), at(rest, {})) == (
        quotient(value, -3),
        value + 3 * quotient(value, -3),
    )


def test_shifts_are_by_0_to_63() -> None:
    for amount in (-1, 0, 1, 31, 62, 63, 64, 127, 128):
        assert NUMBERS.is_shift(constant(amount)) == (0 <= amount <= 63)
        if 0 <= amount <= 63:
            assert at(NUMBERS.shifted_left(constant(-5), constant(amount)), {}) == -5 << amount
            shifted = NUMBERS.shifted_right(constant(-5 << 40), constant(amount))
            assert at(shifted, {}) == (-5 << 40) >> amount


def test_sums_of_wide_numbers_stay_small() -> None:
    """One node for each pair of bits and carry, where the bits lie side by side."""
    known = diagrams()
    numbers = Numbers(known)
    left = tuple(map(known.bit, range(0, 128, 2)))
    right = tuple(map(known.bit, range(1, 128, 2)))
    total = numbers.sum(left, right)
    assert len(total) == 65
    assert len(known) < 20_000
    assert numbers.difference(total, right) == left
