"""Values on the stack: integers as machines store them, constants folded as the JVM does."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tepui.languages.java.heap import BYTE, CHAR, INT, LONG, SHORT
from tepui.languages.java.stack_values import (
    Value,
    compared,
    computed,
    integer,
    kind_of,
    negated,
    shifted,
    wrapped,
)
from tepui.program.expressions import (
    TRUE,
    Binary,
    BinaryOperator,
    Constant,
    Convert,
    Expression,
    Read,
    Unary,
    Variable,
)
from tepui.program.types import Bounded

INTS = st.one_of(
    st.integers(-(2**31), 2**31 - 1),
    st.sampled_from([0, 1, -1, 2**31 - 1, -(2**31), 2**16, -(2**15)]),
)
LONGS = st.one_of(
    st.integers(-(2**63), 2**63 - 1), st.sampled_from([0, 1, -1, 2**63 - 1, -(2**63), 2**31])
)
X = Read(Variable("x", INT))


def as_signed(value: int, bits: int) -> int:
    """The number that the lowest bits stand for, read off from the bits themselves."""
    text = format(value % 2**bits, f"0{bits}b")
    return int(text, 2) - (2**bits if text[0] == "1" else 0)


def number(expression: Expression) -> int:
    assert isinstance(expression, Constant)
    return expression.value


def shifted_by_hand(name: str, value: int, by: int, bits: int) -> int:
    """A shift one place after another (JLS 15.19)."""
    unsigned = value % 2**bits
    for _ in range(by % bits):
        sign = unsigned >> (bits - 1) if name == "shr" else 0
        if name == "shl":
            unsigned = unsigned * 2 % 2**bits
        else:
            unsigned = unsigned // 2 + sign * 2 ** (bits - 1)
    return as_signed(unsigned, bits)


@given(INTS, st.integers(-70, 70), st.sampled_from(["shl", "shr", "ushr"]))
def test_an_int_is_shifted_by_the_lowest_five_bits(value: int, by: int, name: str) -> None:
    found = number(shifted(name, integer(value), integer(by), INT))
    assert found == shifted_by_hand(name, value, by, 32)


@given(LONGS, st.integers(-140, 140), st.sampled_from(["shl", "shr", "ushr"]))
def test_a_long_is_shifted_by_the_lowest_six_bits(value: int, by: int, name: str) -> None:
    found = number(shifted(name, integer(value, LONG), integer(by), LONG))
    assert found == shifted_by_hand(name, value, by, 64)


@given(st.sampled_from([BYTE, SHORT, INT, LONG]), st.integers(-(2**70), 2**70))
def test_a_constant_wraps_around_as_its_type_does(type_: Bounded, value: int) -> None:
    bits = type_.size.bit_length() - 1
    assert wrapped(Constant(value, INT), type_) == Constant(as_signed(value, bits), type_)


@given(st.integers(-(2**40), 2**40))
def test_a_character_has_no_sign(value: int) -> None:
    assert number(wrapped(Constant(value, INT), CHAR)) == int(format(value % 2**16, "b"), 2)


@given(INTS, INTS, st.sampled_from("+-*&|^"))
def test_constants_are_computed_and_wrapped_as_the_jvm_does(
    left: int, right: int, operator: BinaryOperator
) -> None:
    by_hand = {
        "+": left + right,
        "-": left + ~right + 1,
        "*": sum(left << n for n in range(32) if right >> n & 1),
        "&": sum(1 << n for n in range(32) if left >> n & 1 and right >> n & 1),
        "|": sum(1 << n for n in range(32) if left >> n & 1 or right >> n & 1),
        "^": sum(1 << n for n in range(32) if (left >> n & 1) != (right >> n & 1)),
    }[operator]
    found = number(wrapped(computed(operator, integer(left), integer(right)), INT))
    assert found == as_signed(by_hand, 32)


@pytest.mark.parametrize("operator", ["/", "mod"])
def test_what_may_throw_is_not_computed_before(operator: BinaryOperator) -> None:
    assert isinstance(computed(operator, integer(7), integer(0)), Binary)


def test_what_is_not_known_stays_an_operation() -> None:
    assert computed("+", X, integer(1)) == Binary("+", X, integer(1))
    assert wrapped(X, BYTE) == Convert(X, BYTE)
    assert isinstance(shifted("ushr", X, integer(33), INT), Convert)


@given(INTS, INTS, st.sampled_from(["=", "!=", "<", ">=", ">", "<="]))
def test_comparisons_of_constants_are_decided_and_opposites_are_opposite(
    left: int, right: int, operator: BinaryOperator
) -> None:
    difference = left - right
    holds = {
        "=": difference == 0, "!=": difference != 0, "<": difference < 0, ">=": not difference < 0,
        ">": difference > 0, "<=": not difference > 0,
    }[operator]  # fmt: skip
    found = compared(operator, integer(left), integer(right))
    assert number(found) == holds
    assert number(negated(found)) == (not holds)
    opposite = negated(Binary(operator, integer(left), integer(right)))
    assert isinstance(opposite, Binary)
    assert number(compared(opposite.operator, opposite.left, opposite.right)) == (not holds)


def test_a_variable_is_equal_to_itself_and_not_smaller_than_itself_for_certain() -> None:
    assert number(compared("=", X, X)) == 1
    assert number(compared("!=", X, X)) == 0
    assert compared("<", X, X) == Binary("<", X, X)


def test_the_opposite_of_an_opposite_is_the_condition() -> None:
    both = Binary("and", TRUE, Binary("=", X, integer(1)))
    assert negated(both) == Unary("not", both)
    assert negated(negated(both)) == both
    assert negated(negated(Binary("<", X, integer(3)))) == Binary("<", X, integer(3))


def test_types_have_kinds() -> None:
    kinds = {each: kind_of(each) for each in ("Z", "B", "C", "S", "I", "J", "F", "D", "V")}
    assert "".join(kinds.values()) == "IIIIIJFDV"
    assert kind_of("Ljava/lang/Integer;") == kind_of("[I") == "A"


def test_long_and_double_are_wide() -> None:
    assert [Value(integer(0), kind).is_wide for kind in "IJFDA"] == [
        False,
        True,
        False,
        True,
        False,
    ]


def test_a_value_mentions_the_variables_that_it_reads() -> None:
    y = Variable("y", INT)
    value = Value(Binary("+", X, integer(1)), "I")
    assert value.mentions({X.variable})
    assert not value.mentions({y})
    assert not Value(integer(3), "I").mentions({X.variable, y})
