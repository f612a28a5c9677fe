"""Claimed call-return relations Ω (CUBA, Definition 18), from `.mch` files.

A claim is believed only where it is provably harmless: if it contains every pair of the relation
*below* of strength `matched` for symbols that some rule pops, then the Z of Algorithm 4 with this Ω
contains that Z, and so every reachable visible state. Both public `.mch` files fail the test.
"""

from __future__ import annotations

from dataclasses import dataclass

from tepui.convergence.overapproximation import Claim, Overapproximation
from tepui.model import EPSILON, System


@dataclass(frozen=True, slots=True)
class MissingPair:
    """A pair that a correct claim must contain: `emerging` can come up when `popped` is popped."""

    thread: int
    popped: int
    emerging: int


def missing_pair(
    system: System, pairs: tuple[frozenset[tuple[int, int]], ...], matched: Overapproximation
) -> MissingPair | None:
    """The first pair that a claim (one set per thread) lacks, by a complete `matched` Z."""
    for thread, claimed in enumerate(pairs):
        template = system.threads[thread]
        poppable = {rule.top for rule in system.templates[template].rules if rule.kind == "pop"}
        for popped, emerging in sorted(matched.below(template)):
            if popped in poppable and emerging != EPSILON and (popped, emerging) not in claimed:
                return MissingPair(thread, popped, emerging)
    return None


def claim_per_template(system: System, pairs: tuple[frozenset[tuple[int, int]], ...]) -> Claim:
    """What is claimed for any thread of a template, for all of them: larger, and so as sound."""
    return [frozenset().union(*(pairs[thread] for thread in group)) for group in system.groups]
