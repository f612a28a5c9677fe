"""Formulas in the part of SMT-LIB that files may use: what they mean, and what is refused."""

from __future__ import annotations

from itertools import pairwise
from math import prod
from random import Random
from typing import Any

import pytest

from support.sizes import sized
from support.term_values import values_of_terms
from tepui.checker.invariants import formulas
from tepui.checker.invariants.formulas import read_formula
from tepui.checker.invariants.solver import Solver
from tepui.checker.invariants.terms import Term, Terms
from tepui.errors import EvidenceError

NAMES = ("x", "g.a b.0", "t0.0.n.0")


def value(text: str, **given: int) -> int:
    terms = Terms()
    found = read_formula(terms, text, given.keys())
    return values_of_terms(terms, [found], given)[found]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("true", 1),
        ("(and true (or false true) (not false))", 1),
        ("(=> true true false)", 0),
        ("(=> false false)", 1),
        ("(< 1 2 3)", 1),
        ("(< 1 3 2)", 0),
        ("(> 3 2 2)", 0),
        ("(>= 3 2 2)", 1),
        ("(= 1 1 2)", 0),
        ("(= true (= 1 2) false)", 0),
        ("(distinct 1 2 1)", 0),
        ("(distinct true false)", 1),
        ("(= (- 5) (- 2 4 3))", 1),
        ("(= (div (- 7) 2) (- 4))", 1),
        ("(= (mod (- 7) 2) 1)", 1),
        ("(= (* 2 3 (- 1)) (- 6))", 1),
        ("(ite (= 1 2) false true)", 1),
        ("(= (ite (= 1 2) 3 4) 4)", 1),
        ("(let ((a 1) (b 2)) (let ((a b) (b a)) (= a 2)))", 1),
        ("(let ((a (= 1 1))) (let ((|a| 5)) (= a 5)))", 1),
        ("; a comment\n (= 1 ; another\n 1)", 1),
        ("(= |x| 7)", 1),
        ("(let ((|x| 8)) (= x 8))", 1),
    ],
)
def test_a_formula_means_what_smt_lib_says(text: str, expected: int) -> None:
    assert value(text, x=7) == expected


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "0 expressions"),
        ("true true", "2 expressions"),
        ("(and true", "does not close"),
        ("true)", "was not opened"),
        ("()", "without an operator"),
        ("((not true))", "without an operator"),
        ("1", "neither true nor false"),
        ("|y|", "'y', which is no variable"),
        ("y", "'y', which is no variable"),
        ("|x", "which is no symbol"),
        ('(= "a" "a")', "which is no symbol"),
        ("(= x 1.5)", "'1.5', which is no symbol"),
        ("(= x -5)", "'-5', which is no variable"),
        ("(= x 05)", "'05', which is no symbol"),
        ("(= x #b01)", "'#b01', which is no symbol"),
        ("(= x ٣)", "which is no symbol"),
        ("(= x (* x x))", "a product of two variables"),
        ("(= x (div x x))", "no positive constant"),
        ("(= x (div x 0))", "no positive constant"),
        ("(= x (mod x (- 2)))", "no positive constant"),
        ("(not x)", "wrong sort"),
        ("(not true false)", "'not' with 2 operands"),
        ("(= 1 true)", "wrong sort"),
        ("(= 1)", "'=' with 1 operands"),
        ("(+ true 1)", "wrong sort"),
        ("(ite 1 2 3)", "wrong sort"),
        ("(ite true 2 false)", "wrong sort"),
        ("(and)", "'and' with 0 operands"),
        ("(true)", "'true', which is no operator"),
        ("(forall ((y Int)) (= y y))", "without an operator"),
        ("(exists y (= y y))", "'y', which is no variable"),
        ("(xor true true)", "'xor', which is no operator"),
        ("(abs x)", "'abs', which is no operator"),
        ("(to_real x)", "'to_real', which is no operator"),
        ("(check-sat)", "'check-sat', which is no operator"),
        ("(! true :named a)", "':named', which is no symbol"),
        ("(let () true)", "without bindings"),
        ("(let ((a 1)) true true)", "without bindings"),
        ("(let ((a 1) (a 2)) true)", "binds 'a' twice"),
        ("(let ((a)) true)", "of another form"),
        ("(let ((and 1)) true)", "'and', which is no symbol"),
        ("(let ((a 1) (b a)) (= b 1))", "'a', which is no variable"),
        ("(and (let ((a 1)) true) (= a 1))", "'a', which is no variable"),
        ("(distinct " + "1 " * 65 + ")", "more than 64"),
        ("(= x " + "1" * 1001 + ")", "more than 1,000 digits"),
    ],
)
def test_what_is_no_formula_is_refused(text: str, problem: str) -> None:
    with pytest.raises(EvidenceError) as error:
        value(text, x=7)
    assert problem in str(error.value)


def test_a_text_that_is_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(formulas, "MAX_CHARACTERS", 10)
    with pytest.raises(EvidenceError, match="more than 10 characters"):
        value("(and true true)")


def test_deep_nesting_does_no_harm() -> None:
    deep = 8_000
    assert value("(not " * deep + "true" + ")" * deep) == 1
    text = "(+ 1 (ite (< x 3) " * deep + "x" + " 5))" * deep
    assert value(f"(= {text} 6)", x=3) == 1
    assert value("(let ((a 1)) " * deep + "(= a 1)" + ")" * deep) == 1


def test_sharing_does_not_multiply_the_work() -> None:
    lets = "".join(f"(let ((a{n + 1} (+ a{n} a{n} x))) " for n in range(200))
    text = f"(let ((a0 x)) {lets}(> a200 0){')' * 201}"
    terms = Terms()
    found = read_formula(terms, text, {"x"})
    assert values_of_terms(terms, [found], {"x": 1})[found] == 1
    assert len(terms.text(found, str)) < 10_000


Parsed = str | list[Any]


def random_parsed(rng: Random, depth: int, bound: dict[str, bool], boolean: bool) -> Parsed:
    """A formula as nested lists."""
    of_sort = [name for name, sort in bound.items() if sort == boolean]
    if depth == 0 or rng.random() < 0.1:
        if of_sort and rng.random() < 0.7:
            return f"|{rng.choice(of_sort)}|"
        return rng.choice(["true", "false"]) if boolean else str(rng.randint(0, 9))

    def part(sort: bool = boolean) -> Parsed:
        return random_parsed(rng, depth - 1, bound, sort)

    some = range(rng.randint(2, 3))
    if rng.random() < 0.15:
        own = {rng.choice("abx"): rng.random() < 0.5 for _ in some}
        bindings = [[name, part(sort)] for name, sort in own.items()]
        return ["let", bindings, random_parsed(rng, depth - 1, {**bound, **own}, boolean)]
    if rng.random() < 0.15:
        return ["ite", part(True), part(), part()]
    if boolean:
        operator = rng.choice(["not", "and", "or", "=>", "=", "distinct", "<", "<=", ">", ">="])
        if operator == "not":
            return [operator, part()]
        sort = operator in ("and", "or", "=>") or (
            operator in ("=", "distinct") and rng.random() < 0.3
        )
        return [operator, *(part(sort) for _ in some)]
    operator = rng.choice(["+", "-", "*", "div", "mod", "-"])
    if operator == "*":
        return [operator, ["-", str(rng.randint(0, 4))], part()]
    if operator in ("div", "mod"):
        return [operator, part(), str(rng.randint(1, 5))]
    return [operator, *(part() for _ in some)] if rng.random() < 0.8 else ["-", part()]


def shown(parsed: Parsed) -> str:
    return parsed if isinstance(parsed, str) else f"({' '.join(map(shown, parsed))})"


def meaning(parsed: Parsed, given: dict[str, int]) -> int:  # noqa: C901 - a case for each operator
    """What SMT-LIB says, written down again as plainly as possible."""
    if isinstance(parsed, str):
        if parsed in ("true", "false"):
            return parsed == "true"
        return int(parsed) if parsed.isdecimal() else given[parsed.strip("|")]
    operator, *rest = parsed
    if operator == "let":
        own = {name: meaning(bound, given) for name, bound in rest[0]}
        return meaning(rest[1], {**given, **own})
    values = [meaning(each, given) for each in rest]
    pairs = list(pairwise(values))
    match operator:
        case "not":
            return not values[0]
        case "and":
            return all(values)
        case "or":
            return any(values)
        case "=>":
            return values[-1] or not all(values[:-1])
        case "ite":
            return values[1] if values[0] else values[2]
        case "=":
            return all(a == b for a, b in pairs)
        case "distinct":
            return len(set(values)) == len(values)
        case "<":
            return all(a < b for a, b in pairs)
        case "<=":
            return all(a <= b for a, b in pairs)
        case ">":
            return all(a > b for a, b in pairs)
        case ">=":
            return all(a >= b for a, b in pairs)
        case "+":
            return sum(values)
        case "-":
            return values[0] - sum(values[1:]) if len(values) > 1 else -values[0]
        case "*":
            return prod(values)
        case "div":
            return values[0] // values[1]
    assert operator == "mod"
    return values[0] % values[1]


def random_formulas(number: int) -> list[tuple[Random, Parsed, Terms, Term]]:
    found = []
    for seed in range(number):
        rng = Random(seed)
        parsed = random_parsed(rng, rng.randint(1, 5), dict.fromkeys(NAMES, False), True)
        terms = Terms()
        found.append((rng, parsed, terms, read_formula(terms, shown(parsed), NAMES)))
    return found


@pytest.mark.fuzz
def test_random_formulas_are_read_and_printed_as_they_are_meant() -> None:
    for rng, parsed, terms, found in random_formulas(sized(3000)):
        again = Terms()
        printed = read_formula(again, terms.text(found, lambda name: f"|{name}|"), NAMES)
        for _ in range(4):
            given = {name: rng.randint(-9, 9) for name in NAMES}
            expected = bool(meaning(parsed, given))
            assert values_of_terms(terms, [found], given)[found] == expected, shown(parsed)
            assert values_of_terms(again, [printed], given)[printed] == expected, shown(parsed)


@pytest.mark.fuzz
def test_the_solver_reads_what_is_printed_in_the_same_way() -> None:
    symbols = {name: f"v{number}" for number, name in enumerate(NAMES)}
    with Solver(lambda: True, seconds=20) as solver:
        for symbol in symbols.values():
            solver.always(f"(declare-const {symbol} Int)")
        for rng, parsed, terms, found in random_formulas(sized(800)):
            given = {name: rng.randint(-9, 9) for name in NAMES}
            fixed = [
                f"(= {symbols[name]} {n if n >= 0 else f'(- {-n})'})" for name, n in given.items()
            ]
            text = terms.text(found, symbols.__getitem__)
            expected = "sat" if meaning(parsed, given) else "unsat"
            assert solver.answer([*fixed, text]) == expected, shown(parsed)
