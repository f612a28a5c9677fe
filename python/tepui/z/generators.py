"""Emerging symbols and generators (CUBA, section 4.2.2).

An emerging symbol is one that a pop can bring to the top: a symbol written below a pushed one, or
one below the top of an initial stack, which the paper's convention of short initial stacks leaves
out. A generator is a visible state in which some thread shows what a pop may have left.

`G ∩ Z ⊆ T(R_k)`, the test of CUBA's Algorithm 3, holds at a plateau exactly when T(R_k) = T(Z)
for the Z of Algorithm 2, so the algorithm compares sizes instead. This module is for `inspect`,
teaching and the tests.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product
from typing import TYPE_CHECKING

from tepui.model import EPSILON, System, Template

if TYPE_CHECKING:
    from tepui.model.system import VisibleState


def emerging_symbols(template: Template) -> frozenset[int]:
    """The symbols that a pop can bring to the top of a stack."""
    written = (symbol for rule in template.rules for symbol in rule.word[1:])
    return frozenset(template.stack[1:]).union(written)


def is_generator(system: System, visible: VisibleState) -> bool:
    """Whether a pop of some thread may have led to this visible state (eq. 2)."""
    return next(generators_among(system, [visible]), None) is not None


def generators_among(system: System, listed: Iterable[VisibleState]) -> Iterator[VisibleState]:
    """The visible states among these to which a pop of some thread may have led."""
    shown = [emerging_symbols(template) | {EPSILON} for template in system.templates]
    after = [_targets_of_pops(template) for template in system.templates]
    for visible in listed:
        shared, tops = visible[0], visible[1:]
        if any(
            top in shown[template] and shared in after[template]
            for template, top in zip(system.threads, tops, strict=True)
        ):
            yield visible


def generators(system: System) -> Iterator[VisibleState]:
    """All generators, over the tops that each thread can have at all. There may be very many."""
    tops = [sorted(_possible_tops(system.templates[template])) for template in system.threads]
    return generators_among(system, product(range(len(system.shared)), *tops))


def _targets_of_pops(template: Template) -> set[int]:
    return {rule.target for rule in template.rules if rule.kind == "pop"}


def _possible_tops(template: Template) -> set[int]:
    """All symbols, and EPSILON where the stack is ever empty."""
    tops = set(range(1, len(template.symbols)))
    if not template.stack or any(rule.kind == "pop" for rule in template.rules):
        tops.add(EPSILON)
    return tops
