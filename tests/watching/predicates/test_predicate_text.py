"""Predicates as text: what is read, and what is wrong with what is not."""

from __future__ import annotations

import pytest

from support.samples.predicate_programs import PROGRAM_P
from tepui.api import loads
from tepui.errors import InputError
from tepui.program.program import Program
from tepui.watching.predicates.predicate_text import Operation, Quantified, read_predicate
from tepui.watching.predicates.watch_predicates import watch_predicates


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a && b || c", "(a and b) or c"),
        ("a || b && c", "a | (b & c)"),
        ("!a = b", "(not a) == b"),
        ("a -> b -> c", "a => (b => c)"),
        ("a + b * 2 - 1 <= c", "((a + (b * 2)) - 1) <= c"),
        ("forall o: o.x = 1 && y", "forall o: (o.x = 1 && y)"),
    ],
)
def test_two_ways_to_write_a_predicate_are_the_same(one: str, other: str) -> None:
    assert _shape(read_predicate(one).formula) == _shape(read_predicate(other).formula)


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("", 1, "expected a variable, a number"),
        ("a <", 4, "found the end of the predicate"),
        ("a < b < c", 7, "comparisons are not chained"),
        ("(a", 3, "expected '\\)'"),
        ("a b", 3, "expected an operator or the end"),
        ("a ~ b", 3, "found '~'"),
        ("at", 3, "expected a label or a line"),
        ("forall: x", 7, "expected a name for the other thread"),
        ("forall o: o", 11, "o is a thread"),
        ("o.x = 1", 1, "there is no thread o here"),
        ("count(at 1)", 12, "expected a comparison with a number"),
        ("count(at 1) >= x", 16, "expected a number"),
        ("forall o: exists q: q.x = o.x", 11, "no quantifier and no count inside"),
        ("a[i] = 1", 3, "expected a number"),
        ("1" * 30 + " = a", 1, "at most 18 digits"),
        ("(" * 99 + "a" + ")" * 99, 51, "nested more than 50 deep"),
    ],
)
def test_an_error_says_where_it_is_and_what_was_expected(
    text: str, column: int, message: str
) -> None:
    with pytest.raises(InputError, match=message) as raised:
        read_predicate(text)
    assert raised.value.column == column


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ss = l", "ss is no variable of the watched thread; did you mean 's'"),
        ("pc = 1", "the place is always part of the abstract state"),
        ("at 17", "no statement on line 17"),
        ("forall o: o.s = 1", "s is no variable of a thread"),
        ("forall o: s = 1", "says nothing about the thread o"),
        ("count(1 = 1) >= 1", "says nothing about the counted thread"),
        ("count(at 1) >= 21", "a number up to 20"),
        ("s * l = 1", "a product of two variables"),
        ("s[1] = 1", "s has no element 1"),
    ],
)
def test_a_name_that_a_program_does_not_have_is_an_error(text: str, message: str) -> None:
    program = loads(PROGRAM_P, "bp")
    assert isinstance(program, Program)
    with pytest.raises(InputError, match=message):
        watch_predicates(program, [text])


def _shape(formula: object) -> object:
    """A formula without columns."""
    if isinstance(formula, Operation):
        return formula.operator, *map(_shape, formula.operands)
    if isinstance(formula, Quantified):
        return formula.quantity, formula.variable, _shape(formula.body)
    return getattr(formula, "name", None) or getattr(formula, "value", formula)
