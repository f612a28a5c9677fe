"""Formulas as people read them mean what the terms mean, whatever was left out."""

from __future__ import annotations

from random import Random

from support.sizes import sized
from support.term_values import values_of_terms
from tepui.checker.invariants.formulas import read_formula
from tepui.checker.invariants.terms import Term, Terms
from tepui.report.readable_formulas import (
    MOST_TERMS,
    Fact,
    Formula,
    Named,
    TooLong,
    lines,
    readable,
    simplified,
)

NAMED = {
    "g.x.0": Named("x"),
    "g.y.0": Named("y"),
    "t0.0.m.0": Named("m#1"),
    "g.b.0": Named("b", (0, 1)),
    "c.0": Named("threads(f:1)", (0, None)),
    "g.e.0": Named("e", (0, 2), lambda value: ("red", "green", "blue")[value]),
}
VARIABLES = {named.name: named for named in NAMED.values()}


def shown(text: str) -> list[str]:
    terms = Terms()
    formula = readable(terms, read_formula(terms, text, NAMED), NAMED)
    return lines(simplified(formula, VARIABLES), VARIABLES)


def test_comparisons_are_written_with_positive_numbers_on_both_sides() -> None:
    assert shown("(<= (+ |g.x.0| 1) |g.y.0|)") == ["x < y"]
    assert shown("(<= (* 2 |g.x.0|) (+ |g.y.0| (- 3)))") == ["2 * x + 3 <= y"]
    assert shown("(not (= |g.x.0| |g.y.0|))") == ["x != y"]
    assert shown("(<= 0 |g.x.0|)") == ["x >= 0"]
    assert shown("(< (- 3) |g.x.0|)") == ["x >= -2"]
    assert shown("(= |g.x.0| (+ 1 |c.0|))") == ["x = threads(f:1) + 1"]


def test_values_are_written_as_in_the_source() -> None:
    assert shown("(= |g.e.0| 1)") == ["e = green"]
    assert shown("(<= 1 |g.b.0|)") == ["b = 1"]
    assert shown("(<= 2 |g.e.0|)") == ["e = blue"]


def test_what_follows_is_left_out() -> None:
    assert shown("(and (<= 0 |g.x.0|) (< |g.x.0| |g.y.0|) (<= 1 |g.y.0|))") == ["x >= 0 and x < y"]
    assert shown("(and (<= 0 |c.0|) (<= |g.b.0| 1))") == ["true"]
    assert shown("(and (not (= |g.x.0| |g.y.0|)) (< |g.x.0| |g.y.0|))") == ["x < y"]
    assert shown("(and (= |c.0| 0) (= |g.x.0| (+ |c.0| |g.y.0|)))") == [
        "threads(f:1) = 0 and x = y"
    ]


def test_what_all_branches_say_is_said_once() -> None:
    either = "(and (= |g.b.0| 0) (<= |g.x.0| |g.y.0|))"
    other = "(and (= |g.b.0| 1) (< |g.x.0| |g.y.0|))"
    assert shown(f"(or {either} {other})") == [
        "x <= y",
        "either b = 0",
        "or b = 1 and x < y",
    ]
    assert shown("(or (= |g.b.0| 0) (= |g.b.0| 1))") == ["true"]
    assert shown("(and (< |g.x.0| |g.y.0|) (or (< |g.y.0| |g.x.0|) (= |g.b.0| 1)))") == [
        "b = 1 and x < y"
    ]


def test_what_cannot_be_is_false() -> None:
    terms = Terms()
    root = read_formula(terms, "(and (< |g.x.0| |g.y.0|) (< |g.y.0| |g.x.0|))", NAMED)
    assert simplified(readable(terms, root, NAMED), VARIABLES).is_false


def test_a_formula_that_nobody_would_read_is_not_made_readable() -> None:
    terms = Terms()
    term = terms.less(terms.variable("g.x.0"), terms.variable("g.y.0"))
    for number in range(20):
        other = terms.less(terms.variable("g.y.0"), terms.constant(number))
        one = terms.disjunction((terms.negation(term), other))
        term = terms.conjunction((terms.disjunction((term, terms.negation(other))), one))
    assert len(terms.below([term])) < MOST_TERMS
    try:
        readable(terms, term, NAMED)
    except TooLong:
        return
    raise AssertionError("it is too long")


def test_readable_formulas_mean_what_the_terms_mean() -> None:
    rng = Random(3)
    differing = 0
    for _ in range(sized(800)):
        terms = Terms()
        root = _formula(rng, terms, 3)
        formula = simplified(readable(terms, root, NAMED), VARIABLES)
        for _ in range(30):
            values = {name: _value(rng, named) for name, named in NAMED.items()}
            expected = bool(values_of_terms(terms, [root], values)[root])
            by_name = {named.name: values[name] for name, named in NAMED.items()}
            assert _holds(formula, by_name) == expected, terms.text(root, str)
            differing += expected
    assert differing > 200


def _value(rng: Random, named: Named) -> int:
    low, high = named.range
    return rng.randint(-4 if low is None else low, 4 if high is None else high)


def _holds(formula: Formula, values: dict[str, int]) -> bool:
    return all(_is_true(fact, values) for fact in formula.facts) and all(
        any(_holds(branch, values) for branch in choice) for choice in formula.choices
    )


def _is_true(fact: Fact, values: dict[str, int]) -> bool:
    total = fact.constant + sum(factor * values[name] for name, factor in fact.parts)
    return {"<=": total <= 0, "=": total == 0, "!=": total != 0}[fact.relation]


def _formula(rng: Random, terms: Terms, depth: int) -> Term:
    if depth == 0 or rng.random() < 0.2:
        one, other = _sum(rng, terms), _sum(rng, terms)
        made = rng.choice((terms.less, terms.at_most, terms.equal))(one, other)
        return terms.negation(made) if rng.random() < 0.3 else made
    parts = [_formula(rng, terms, depth - 1) for _ in range(rng.randint(2, 3))]
    made = rng.choice((terms.conjunction, terms.disjunction))(parts)
    return terms.negation(made) if rng.random() < 0.2 else made


def _sum(rng: Random, terms: Terms) -> Term:
    parts = [terms.constant(rng.randint(-2, 2))]
    for name in rng.sample(sorted(NAMED), rng.choice((0, 1, 1, 1, 2))):
        parts.append(terms.times(rng.choice((1, 1, 1, -1, 2)), terms.variable(name)))
    return terms.sum(parts)
