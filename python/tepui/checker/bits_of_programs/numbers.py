"""Integers whose bits are functions of bits (`diagrams`).

A number is a list of functions, the lowest bit first, in two's complement: its last bit is its
sign, and repeats without end. It has as many bits as it needs, so nothing here overflows, and the
result of each operation is that of Python's integers, for all values of the bits at once.

The lowest k bits of a sum, a product and so on depend on the lowest k bits of its operands only.
Where no more are wanted, `most` says so: then a result is right modulo 2 ** most, which is all that
a machine integer needs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tepui.checker.bits_of_programs.diagrams import FALSE, TRUE, Diagrams
from tepui.program.expressions import MOST_SHIFTED

Number = tuple[int, ...]

ZERO: Number = (FALSE,)


def constant(value: int) -> Number:
    """A number that is the same everywhere."""
    return shortened([value >> place & 1 for place in range(value.bit_length() + 1)])


def shortened(bits: Sequence[int], most: int | None = None) -> Number:
    """The same number without repetitions of its sign; if only the lowest `most` bits are wanted,
    no more than these."""
    end = len(bits) if most is None else min(len(bits), most)
    while end > 1 and bits[end - 1] == bits[end - 2]:
        end -= 1
    return tuple(bits[:end])


class Numbers:
    """Arithmetic with numbers whose bits are functions."""

    def __init__(self, diagrams: Diagrams) -> None:
        self._diagrams = diagrams

    def truth(self, condition: int) -> Number:
        """1 where a condition holds, 0 elsewhere."""
        return shortened((condition, FALSE))

    def is_true(self, number: Number) -> int:
        """Where a number is not 0."""
        found = FALSE
        for bit in number:
            found = self._diagrams.either(found, bit)
        return found

    def choice(self, condition: int, then: Number, otherwise: Number) -> Number:
        """One number where a condition holds, and another one elsewhere."""
        pairs = _aligned(then, otherwise)
        return shortened([self._diagrams.choice(condition, one, other) for one, other in pairs])

    def sum(
        self, left: Number, right: Number, carry: int = FALSE, most: int | None = None
    ) -> Number:
        """The sum of two numbers, and of a carry."""
        bits = []
        width = max(len(left), len(right)) + 1
        for one, other in _aligned(left, right, width)[:most]:
            half = self._diagrams.differ(one, other)
            bits.append(self._diagrams.differ(half, carry))
            carry = self._diagrams.choice(half, carry, one)
        return shortened(bits)

    def complement(self, number: Number) -> Number:
        """-1 minus a number: each of its bits is negated."""
        return tuple(map(self._diagrams.negation, number))

    def difference(self, left: Number, right: Number, most: int | None = None) -> Number:
        return self.sum(left, self.complement(right), TRUE, most)

    def negative(self, number: Number, most: int | None = None) -> Number:
        return self.difference(ZERO, number, most)

    def product(self, left: Number, right: Number, most: int | None = None) -> Number:
        """Each bit of the right side counts the left side so often; the sign counts negatively."""
        total = ZERO
        for place, bit in enumerate(right[:most]):
            shifted = (*(FALSE,) * place, *left)[:most]
            counted = self.choice(bit, shifted, ZERO)
            if place < len(right) - 1:
                total = self.sum(total, counted, FALSE, most)
            else:
                total = self.difference(total, counted, most)
        return total

    def division(self, left: Number, right: Number) -> tuple[Number, Number]:
        """The quotient, rounded toward zero, and the remainder, which has the sign of the left
        side. Where the right side is 0, they are some numbers."""
        divisor = self._magnitude(right)
        quotient: list[int] = []
        rest = ZERO
        for bit in reversed(self._magnitude(left)):  # Long division; the sign is 0.
            rest = shortened((bit, *rest))
            fits = self._diagrams.negation(self.is_less(rest, divisor))
            rest = self.choice(fits, self.difference(rest, divisor), rest)
            quotient.insert(0, fits)
        whole = shortened((*quotient, FALSE))
        signs_differ = self._diagrams.differ(left[-1], right[-1])
        return (
            self.choice(signs_differ, self.negative(whole), whole),
            self.choice(left[-1], self.negative(rest), rest),
        )

    def _magnitude(self, number: Number) -> Number:
        return self.choice(number[-1], self.negative(number), number)

    def bitwise(self, operation: Callable[[int, int], int], left: Number, right: Number) -> Number:
        """What an operation makes of each bit of one number and the same bit of another."""
        return shortened([operation(one, other) for one, other in _aligned(left, right)])

    def is_shift(self, amount: Number) -> int:
        """Where a number can be the right side of a shift: from 0 to `MOST_SHIFTED`."""
        return self.is_within(amount, 0, MOST_SHIFTED)

    def shifted_left(self, number: Number, amount: Number, most: int | None = None) -> Number:
        """A number times a power of two. Where the amount is no shift, it is some number."""
        for place, bit in enumerate(_digits_of_shift(amount)):
            shifted = shortened((*(FALSE,) * 2**place, *number), most)
            number = self.choice(bit, shifted, number)
        return number

    def shifted_right(self, number: Number, amount: Number) -> Number:
        """A number divided by a power of two, rounded down. Where the amount is no shift, it is
        some number."""
        for place, bit in enumerate(_digits_of_shift(amount)):
            number = self.choice(bit, number[2**place :] or number[-1:], number)
        return number

    def is_equal(self, left: Number, right: Number) -> int:
        found = TRUE
        for one, other in _aligned(left, right):
            same = self._diagrams.negation(self._diagrams.differ(one, other))
            found = self._diagrams.both(found, same)
        return found

    def is_less(self, left: Number, right: Number) -> int:
        """Where the left side is less: at the highest place where they differ, it has 0. At the
        place of the sign it is the other way round."""
        found = FALSE
        *lower, (sign, other_sign) = _aligned(left, right)
        for one, other in (*lower, (other_sign, sign)):
            found = self._diagrams.choice(self._diagrams.differ(one, other), other, found)
        return found

    def is_within(self, number: Number, low: int, high: int) -> int:
        """Where a number is neither less than `low` nor greater than `high`."""
        outside = self._diagrams.either(
            self.is_less(number, constant(low)), self.is_less(constant(high), number)
        )
        return self._diagrams.negation(outside)


def _aligned(left: Number, right: Number, width: int = 0) -> list[tuple[int, int]]:
    """The bits of two numbers at the same places, their signs repeated."""
    width = max(width, len(left), len(right))
    left = (*left, *(left[-1],) * (width - len(left)))
    right = (*right, *(right[-1],) * (width - len(right)))
    return list(zip(left, right, strict=True))


def _digits_of_shift(amount: Number) -> Number:
    """The bits of a number that is known to be a shift, the lowest first."""
    return amount[: MOST_SHIFTED.bit_length()]
