"""The domains that the kernel has itself, their names there, and the weights it takes.

A domain is native only by its exact type, since a subclass may do anything. The kernel calls the
methods of all other domains.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from tepui.errors import ModelError
from tepui.weighted.domains import (
    Affine,
    Boolean,
    MinPath,
    Relations,
    Sets,
    Transformer,
    WeightedRelations,
)
from tepui.weighted.domains.semiring import Semiring, W
from tepui.weighted.system import PackedRules

MOST_MODULUS = 2**64

GivenDomain = tuple[str, list[int], object]

T = TypeVar("T")


@dataclass(frozen=True)
class Native:
    """A domain of the kernel."""

    name: str
    parameters: list[int]
    is_weight: Callable[[object], bool]
    expected: str
    """What a weight must be, for the error message about another one."""
    written: Callable[[Any], object] | None = None
    """Converts what the kernel writes to a weight, where that is necessary."""


def given_domain(domain: Semiring[W], native: bool) -> GivenDomain:
    """A domain as the kernel takes it: by name, if it is one that the kernel has."""
    known = _native(domain) if native else None
    return ("", [], domain) if known is None else (known.name, known.parameters, domain)


def exactly(domain: Semiring[W], native: bool, compute: Callable[[bool], T]) -> T:
    """The native result of a function, if there is one. If a number is too large for the kernel,
    the function computes it again with Python's numbers, which have no bounds."""
    if given_domain(domain, native)[0]:
        with suppress(OverflowError):
            return compute(True)
    return compute(False)


def check_weights(domain: Semiring[W], rules: PackedRules[W]) -> None:
    """Refuse weights that a domain of the kernel cannot take."""
    known = _native(domain)
    if known is None:
        return
    for number, weight in enumerate(rules.weights):
        if not known.is_weight(weight):
            raise ModelError(
                f"{rules[number]} has the weight {weight!r}; expected {known.expected}"
            )


def written_weights(domain: Semiring[W], native: bool, weights: list[Any]) -> list[W]:
    """The weights of the domain for what the kernel wrote."""
    known = _native(domain) if native else None
    if known is not None and known.written is not None:
        return cast(list[W], [known.written(weight) for weight in weights])
    return weights


def _native(domain: object) -> Native | None:
    make = _NATIVE.get(type(domain))
    return None if make is None else make(domain)


def _boolean(domain: Boolean) -> Native:
    return Native("boolean", [], lambda weight: isinstance(weight, bool), "True or False")


def _min_path(domain: MinPath) -> Native:
    return Native("min-path", [], _is_cost, "a natural number, or None for no path")


def _relations(domain: Relations) -> Native:
    states = domain.states

    def is_relation(weight: object) -> bool:
        return (
            isinstance(weight, tuple)
            and len(weight) == states
            and all(isinstance(row, int) and 0 <= row < 1 << states for row in weight)
        )

    expected = f"a tuple of {states} rows, each below 2 ** {states}"
    return Native("relations", [states, domain.local_states], is_relation, expected)


def _sets(domain: Sets) -> Native:
    top = 1 << domain.facts

    def is_transformer(weight: object) -> bool:
        if weight is None:
            return True
        if not isinstance(weight, Transformer):
            return False
        keep, gen = weight
        return 0 <= keep < top and 0 <= gen < top and not keep & gen

    expected = f"None, or a Transformer of {domain.facts} facts that keeps none that it generates"
    return Native(domain.meet, [domain.facts], is_transformer, expected, _transformer)


def _weighted_relations(domain: WeightedRelations[Any]) -> Native | None:
    if type(domain.weights) is not MinPath:
        return None
    states = domain.states

    def is_relation(weight: object) -> bool:
        return isinstance(weight, tuple) and all(map(is_entry, weight))

    def is_entry(entry: object) -> bool:
        if not isinstance(entry, tuple) or len(entry) != 3:
            return False
        source, target, cost = entry
        numbers = isinstance(source, int) and isinstance(target, int)
        return numbers and 0 <= source < states and 0 <= target < states and _is_cost(cost)

    expected = f"a tuple of (source, target, cost), with states below {states}"
    return Native("costs", [states, domain.local_states], is_relation, expected)


def _affine(domain: Affine) -> Native | None:
    if domain.modulus is not None and domain.modulus > MOST_MODULUS:
        return None
    entries = (domain.variables + 1) ** 2

    def is_basis(weight: object) -> bool:
        return isinstance(weight, tuple) and all(map(is_matrix, weight))

    def is_matrix(matrix: object) -> bool:
        if not isinstance(matrix, tuple) or len(matrix) != entries:
            return False
        return all(isinstance(entry, int) and is_entry(entry) for entry in matrix)

    def is_entry(entry: int) -> bool:
        return True if domain.modulus is None else 0 <= entry < domain.modulus

    expected = f"a basis of matrices with {entries} entries, as `statement` and `span` give them"
    return Native("affine", [domain.variables, domain.local_variables], is_basis, expected)


_NATIVE: dict[type, Callable[[Any], Native | None]] = {
    Affine: _affine,
    Boolean: _boolean,
    MinPath: _min_path,
    Relations: _relations,
    Sets: _sets,
    WeightedRelations: _weighted_relations,
}


def _is_cost(weight: object) -> bool:
    if weight is None:
        return True
    return isinstance(weight, int) and not isinstance(weight, bool) and weight >= 0


def _transformer(written: tuple[int, int] | None) -> Transformer | None:
    return None if written is None else Transformer(*written)
