"""Canonical bases over the rationals and modulo m, against spans that are listed one by one."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations_with_replacement, product
from math import gcd
from random import Random

import pytest

from tepui.errors import ModelError
from tepui.kernels.door import canonical_basis
from tepui.weighted.domains.linear import Basis, Vector, annihilator, canonical, independent, pivots
from tepui.weighted.domains.modular import Modulo
from tepui.weighted.domains.rationals import Rationals

MODULI = [2, 3, 4, 6, 8, 9, 12, 36]


@pytest.mark.parametrize("modulus", [2, 3, 4, 6, 8, 9])
def test_two_vectors_of_two_entries_have_equal_howell_forms_iff_they_span_the_same(
    modulus: int,
) -> None:
    vectors = list(product(range(modulus), repeat=2))
    forms: dict[frozenset[Vector], Basis] = {}
    for pair in combinations_with_replacement(vectors, 2):
        spanned = _listed(pair, modulus, 2)
        assert forms.setdefault(spanned, canonical(Modulo(modulus), pair)) == canonical(
            Modulo(modulus), pair
        )
    assert len(set(forms.values())) == len(forms)


@pytest.mark.parametrize("modulus", MODULI)
def test_random_generators_of_a_random_module_have_the_same_howell_form(modulus: int) -> None:
    rng = Random(modulus)
    for _ in range(150):
        width = rng.randint(1, 3 if modulus < 10 else 2)
        generators = _vectors(rng, rng.randint(1, 3), width, modulus)
        basis = canonical(Modulo(modulus), generators)
        spanned = _listed(generators, modulus, width)
        assert _listed(basis, modulus, width) == spanned
        others = rng.sample(sorted(spanned), min(len(spanned), rng.randint(1, 3)))
        again = rng.sample([*others, *basis], len(others) + len(basis))
        assert canonical(Modulo(modulus), again) == basis
        same = _listed(others, modulus, width) == spanned
        assert (canonical(Modulo(modulus), others) == basis) == same


@pytest.mark.parametrize("modulus", MODULI)
def test_howell_forms_look_as_they_should(modulus: int) -> None:
    rng = Random(modulus)
    for _ in range(100):
        basis = canonical(Modulo(modulus), _vectors(rng, 3, 3, modulus))
        columns = pivots(basis)
        assert columns == sorted(set(columns))
        for vector, column in zip(basis, columns, strict=True):
            assert modulus % vector[column] == 0
            assert not any(vector[:column])
            for other in basis:
                assert other is vector or 0 <= other[column] < vector[column]


@pytest.mark.parametrize("modulus", MODULI)
def test_what_begins_with_zeros_is_spanned_by_rows_that_do(modulus: int) -> None:
    rng = Random(modulus)
    width = 3 if modulus < 10 else 2
    for _ in range(60):
        basis = canonical(Modulo(modulus), _vectors(rng, 2, width, modulus))
        for zeros in range(width):
            later = [vector for vector in basis if not any(vector[:zeros])]
            spanned = {v for v in _listed(basis, modulus, width) if not any(v[:zeros])}
            assert _listed(later, modulus, width) == spanned


@pytest.mark.parametrize("modulus", MODULI)
def test_a_span_counts_its_vectors_and_knows_what_is_new(modulus: int) -> None:
    rng = Random(modulus)
    for _ in range(100):
        width = 3 if modulus < 10 else 2
        span = Modulo(modulus).span()
        inserted: list[Vector] = []
        for vector in _vectors(rng, 4, width, modulus):
            before = _listed(inserted, modulus, width)
            assert span.size == len(before)
            assert span.insert(vector) == (vector not in before)
            inserted.append(vector)


@pytest.mark.parametrize("modulus", MODULI)
def test_the_annihilator_has_all_solutions_modulo_m(modulus: int) -> None:
    rng = Random(modulus)
    for _ in range(80):
        width = rng.randint(1, 3 if modulus < 10 else 2)
        vectors = _vectors(rng, rng.randint(0, 3), width, modulus)
        solutions = {
            x
            for x in product(range(modulus), repeat=width)
            if all(_inner(vector, x) % modulus == 0 for vector in vectors)
        }
        basis = annihilator(Modulo(modulus), vectors, width)
        assert _listed(basis, modulus, width) == solutions
        assert basis == canonical(Modulo(modulus), sorted(solutions))


def test_a_howell_form_shows_what_a_multiple_of_a_row_hides() -> None:
    assert canonical(Modulo(4), [(2, 1)]) == ((2, 1), (0, 2))
    assert canonical(Modulo(12), [(8, 1)]) == ((4, 2), (0, 3))
    assert canonical(Modulo(6), [(2, 0), (3, 1)]) == ((1, 1), (0, 2))


def test_large_moduli_are_no_trouble() -> None:
    word = Modulo(2**64)
    assert canonical(word, [(2**63 + 1, 3)]) == ((1, 3 * (2**63 + 1) % 2**64),)
    assert canonical(word, [(2**63, 1)]) == ((2**63, 1), (0, 2))
    assert annihilator(word, [(2, 0)], 2) == ((2**63, 0), (0, 1))
    assert canonical(Modulo(2**61 - 1), [(5, 10)]) == ((1, 2),)


def test_a_modulus_is_at_least_two() -> None:
    for modulus in (1, 0, -4):
        with pytest.raises(ModelError, match="at least 2"):
            Modulo(modulus)


def test_rational_bases_are_those_of_plain_gaussian_elimination() -> None:
    rng = Random(0)
    for _ in range(2000):
        width = rng.randint(1, 5)
        vectors = [
            tuple(rng.choice((0, 0, rng.randint(-6, 6))) for _ in range(width))
            for _ in range(rng.randint(0, 5))
        ]
        basis = canonical(Rationals(), vectors)
        assert [_monic(vector) for vector in basis] == _gauss(vectors)
        assert all(gcd(*vector) == 1 for vector in basis)
        assert all(vector[column] > 0 for vector, column in zip(basis, pivots(basis), strict=True))
        mixed = [_mixture(rng, vectors) for _ in range(6)] if vectors else []
        assert canonical(Rationals(), [*mixed, *reversed(vectors)]) == basis


def test_the_rational_annihilator_is_as_large_as_it_should_be_and_annihilates() -> None:
    rng = Random(1)
    for _ in range(1000):
        width = rng.randint(1, 5)
        vectors = [
            tuple(rng.randint(-3, 3) for _ in range(width)) for _ in range(rng.randint(0, 4))
        ]
        basis = annihilator(Rationals(), vectors, width)
        assert len(basis) == width - len(_gauss(vectors))
        assert all(_inner(x, vector) == 0 for x in basis for vector in vectors)
        assert basis == canonical(Rationals(), basis)


def _vectors(rng: Random, count: int, width: int, modulus: int) -> list[Vector]:
    """Vectors with many entries that are no units."""
    numbers = [0, *range(modulus), *(d for d in range(2, modulus) if gcd(d, modulus) > 1)]
    return [tuple(rng.choice(numbers) for _ in range(width)) for _ in range(count)]


def _listed(
    vectors: Basis | list[Vector] | tuple[Vector, ...], modulus: int, width: int
) -> frozenset[Vector]:
    """All combinations of vectors, one vector after the other."""
    spanned = {(0,) * width}
    for vector in vectors:
        multiples = {tuple(k * x % modulus for x in vector) for k in range(modulus)}
        spanned = {
            tuple((x + y) % modulus for x, y in zip(v, w, strict=True))
            for v in spanned
            for w in multiples
        }
    return frozenset(spanned)


def _inner(v: Vector, w: Vector) -> int:
    return sum(x * y for x, y in zip(v, w, strict=True))


def _mixture(rng: Random, vectors: list[Vector]) -> Vector:
    factors = [rng.randint(-2, 2) for _ in vectors]
    return tuple(_inner(tuple(factors), column) for column in zip(*vectors, strict=True))


def _monic(vector: Vector) -> list[Fraction]:
    first = next(entry for entry in vector if entry)
    return [Fraction(entry, first) for entry in vector]


def _gauss(vectors: list[Vector]) -> list[list[Fraction]]:
    """The reduced row echelon form, as the textbook has it."""
    rows = [[Fraction(entry) for entry in vector] for vector in vectors]
    done: list[list[Fraction]] = []
    for column in range(len(vectors[0]) if vectors else 0):
        chosen = next((row for row in rows if row[column]), None)
        if chosen is None:
            continue
        rows.remove(chosen)
        pivot = [entry / chosen[column] for entry in chosen]
        rows = [[x - row[column] * y for x, y in zip(row, pivot, strict=True)] for row in rows]
        done = [[x - row[column] * y for x, y in zip(row, pivot, strict=True)] for row in done]
        done.append(pivot)
    return done


@pytest.mark.parametrize("modulus", [None, 2, 4, 6, 9, 12, 30, 64, 97, 2**32, 2**61 - 1, 2**64])
def test_the_kernel_spans_what_python_spans(modulus: int | None) -> None:
    rng = Random(0)
    scalars = Rationals() if modulus is None else Modulo(modulus)
    for _ in range(300):
        width = rng.randint(1, 6)
        largest = rng.choice([2, 10, 2**40])
        vectors = [
            [rng.choice([0, rng.randint(-largest, largest)]) for _ in range(width)]
            for _ in range(rng.randint(0, 8))
        ]
        span = scalars.span()
        kept = [number for number, vector in enumerate(vectors) if span.insert(vector)]
        assert canonical(scalars, vectors) == span.basis()
        assert independent(scalars, vectors) == (kept, span.size)


def test_numbers_beyond_machine_words_are_left_to_python() -> None:
    power = 3**60
    with pytest.raises(OverflowError):
        canonical_basis([[power, 1], [1, power]], None)
    assert canonical(Rationals(), [[power, 1]]) == ((power, 1),)
    assert canonical(Rationals(), [[power, 1], [1, power]]) == ((1, 0), (0, 1))
    assert independent(Modulo(3**50), [[3**49, 1], [0, 3]]) == ([0], 3**50)
