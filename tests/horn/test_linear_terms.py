"""Terms and formulas mean what they meant before they were simplified."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest

from support.sizes import sized
from tepui.horn.linear_terms import (
    Formula,
    Interval,
    Term,
    at_most,
    choice,
    conjunction,
    disjunction,
    equal,
    evaluated,
    holds,
    interval,
    less,
    minus,
    negation,
    plus,
    quotient,
    remainder,
    replaced,
    scaled,
    settled,
    substituted,
    text,
    variables_of,
)

NAMES = ("x", "y", "z")

Meaning = Callable[[dict[str, int]], int]


def random_term(rng: Random, depth: int) -> tuple[Term, Meaning]:
    """A term, and what it means, worked out by Python."""
    if depth == 0 or rng.random() < 0.2:
        if rng.random() < 0.5:
            name = rng.choice(NAMES)
            return name, lambda values: values[name]
        number = rng.randint(-3, 3)
        return number, lambda _: number
    one, first = random_term(rng, depth - 1)
    other, second = random_term(rng, depth - 1)
    number = rng.randint(1, 3)
    match rng.randrange(6):
        case 0:
            return plus(one, other, -number), lambda v: first(v) - number * second(v)
        case 1:
            return minus(one, other), lambda v: first(v) - second(v)
        case 2:
            return scaled(one, -number), lambda v: -number * first(v)
        case 3:
            return quotient(one, number), lambda v: first(v) // number
        case 4:
            return remainder(one, number), lambda v: first(v) % number
    formula, condition = random_formula(rng, depth - 1)
    return choice(formula, one, other), lambda v: first(v) if condition(v) else second(v)


def random_formula(rng: Random, depth: int) -> tuple[Formula, Meaning]:
    if depth > 0 and rng.random() < 0.5:
        one, first = random_formula(rng, depth - 1)
        other, second = random_formula(rng, depth - 1)
        match rng.randrange(3):
            case 0:
                return conjunction((one, other)), lambda v: first(v) and second(v)
            case 1:
                return disjunction((one, other)), lambda v: first(v) or second(v)
        return negation(one), lambda v: not first(v)
    left, low = random_term(rng, depth)
    right, high = random_term(rng, depth)
    match rng.randrange(3):
        case 0:
            return at_most(left, right), lambda v: low(v) <= high(v)
        case 1:
            return less(left, right), lambda v: low(v) < high(v)
    return equal(left, right), lambda v: low(v) == high(v)


def random_values(rng: Random) -> dict[str, int]:
    return {name: rng.randint(-4, 4) for name in NAMES}


def test_terms_and_formulas_have_the_values_that_they_say() -> None:
    for seed in range(sized(6000)):
        rng = Random(seed)
        term, meaning = random_term(rng, 3)
        formula, truth = random_formula(rng, 3)
        for _ in range(5):
            values = random_values(rng)
            assert evaluated(term, values) == meaning(values), (seed, term, values)
            assert holds(formula, values) == bool(truth(values)), (seed, formula, values)
            assert holds(negation(formula), values) != bool(truth(values))


def test_putting_terms_in_place_of_variables_is_composition() -> None:
    for seed in range(sized(4000)):
        rng = Random(seed)
        term, _ = random_term(rng, 3)
        formula, _ = random_formula(rng, 3)
        new = {name: random_term(rng, 1)[0] for name in NAMES[:2]}
        values = random_values(rng)
        after = values | {name: evaluated(each, values) for name, each in new.items()}
        assert evaluated(substituted(term, new), values) == evaluated(term, after), seed
        assert holds(replaced(formula, new), values) == holds(formula, after), seed


def test_ranges_decide_only_what_holds_within_them() -> None:
    ranges: dict[str, Interval] = {"x": (-4, 0), "y": (0, 4), "z": (None, 4)}
    for seed in range(sized(4000)):
        rng = Random(seed)
        term, _ = random_term(rng, 3)
        formula, _ = random_formula(rng, 3)
        values = {"x": rng.randint(-4, 0), "y": rng.randint(0, 4), "z": rng.randint(-9, 4)}
        low, high = interval(term, ranges)
        assert low is None or low <= evaluated(term, values)
        assert high is None or evaluated(term, values) <= high
        assert holds(settled(formula, ranges), values) == holds(formula, values), seed


def test_equal_sums_are_the_same() -> None:
    assert minus(plus("x", "y"), "x") == "y"
    assert plus("y", "x", 2) == plus(plus("x", "y"), "x")
    assert equal(scaled("x", 2), scaled("y", 2)) == equal("x", "y") == equal("y", "x")
    assert less(scaled("x", 2), 1) == at_most("x", 0)
    assert equal(scaled("x", 2), 1) is False


def test_the_text_is_that_of_the_contract() -> None:
    assert text(at_most(plus("g.n.0", 1), "t0.0.l.0")) == "(<= (+ |g.n.0| 1) |t0.0.l.0|)"
    assert text(negation(equal("x", -2))) == "(not (= (+ |x| 2) 0))"
    assert text(-2) == "(- 2)"
    assert text(conjunction(())) == "true"
    assert variables_of(at_most("x", remainder("y", 3))) == {"x", "y"}


def test_z3_reads_the_text_and_gives_the_same_formula_back() -> None:
    z3 = pytest.importorskip("z3")
    from tepui.horn.z3_terms import Translation, read_formula

    declared = "".join(f"(declare-const |{name}| Int)" for name in NAMES)
    for seed in range(sized(400)):
        rng = Random(seed)
        formula, _ = random_formula(rng, 3)
        values = random_values(rng)
        (parsed,) = z3.parse_smt2_string(f"{declared}(assert {text(formula)})")
        names: dict[str, Term] = {name: name for name in NAMES}
        for found in (parsed, Translation().formula(formula)):
            assert holds(read_formula(found, names), values) == holds(formula, values), seed
            assert holds(read_formula(z3.simplify(found), names), values) == holds(formula, values)
