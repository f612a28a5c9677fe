"""Certificates that list states, checked by the crate `tepui-checker`.

Here they are handed over, with the system that they are about; `fast_programs` does so for
programs. What the crate accepts is accepted. What it rejects is rejected, and the reference says
why, unless that would take too long. What it cannot tell (a number is too large for it) the
reference decides.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeGuard

from tepui.checker.fast import crate_door
from tepui.checker.fast.kinds import is_listing, is_orbits
from tepui.checker.packed_rows import PackedRows, packed
from tepui.errors import CheckStopped, EvidenceError
from tepui.records import replace

if TYPE_CHECKING:
    from tepui.checker.certificates.orbits import Exchange
    from tepui.checker.evidence import Evidence
    from tepui.checker.fast.kinds import Listing
    from tepui.model import Property, System

MOST_EXPLAINED = 50_000
"""The reference says why a certificate with at most this many states was rejected."""


class CheckersDisagreeError(EvidenceError):
    """The reference accepts what the crate rejects: a bug in one of them. Nothing is believed."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"the two checkers disagree; the fast one says: {reason}")


def is_fast(evidence: Evidence, asked: Property) -> TypeGuard[Listing]:
    """Whether the crate knows this kind of evidence, and what is asked."""
    return is_listing(evidence) and evidence.file_kind in evidence.kinds and not asked.reaches


def check_system(
    system: System,
    asked: Property,
    evidence: Listing,
    go_on: Callable[[], bool],
    by_reference: Callable[[], None],
) -> None:
    """Return if the evidence proves its claim; raise EvidenceError if not."""
    families: Sequence[tuple[int, ...]] = ()
    named: Sequence[tuple[list[int], int] | None] = ()
    if is_orbits(evidence):
        from tepui.checker.certificates.orbits import Exchanging

        if not isinstance(system, Exchanging):
            by_reference()  # It refuses such a certificate before it looks at it.
            return
        families, named = _exchanged(system.exchange, len(system.shared), evidence.groups)

    def ended(handed: Listing, rows: PackedRows) -> tuple[str, str]:
        exchange = families, named
        return crate_door.check_system(system, exchange, asked, handed, rows.data, go_on)

    judge(ended, len(system.threads), evidence, by_reference)


def judge(
    ended: Callable[[Listing, PackedRows], tuple[str, str]],
    threads: int,
    evidence: Listing,
    by_reference: Callable[[], None],
) -> None:
    """Let the crate decide, and the reference where that cannot tell; `ended` calls the crate with
    packed states."""
    try:
        rows = packed(evidence.states, 1 + threads)
    except (OverflowError, ValueError):  # The reference refuses such rows.
        by_reference()
        return
    try:
        outcome, reason = ended(replace(evidence, states=rows), rows)
    except OverflowError:
        outcome, reason = "undecided", ""
    if outcome == "undecided":
        by_reference()
    elif outcome == "stopped":
        raise CheckStopped("the time limit was reached first")
    elif outcome == "rejected":
        if evidence.size > MOST_EXPLAINED:
            raise EvidenceError(reason)
        by_reference()
        raise CheckersDisagreeError(reason)


class FastRows(PackedRows):
    """Packed rows of which the crate lists pairs."""

    __slots__ = ("_pairs",)

    def __init__(self, rows: PackedRows) -> None:
        super().__init__(rows.length, rows.bits, rows.data, rows.first)
        self._pairs: list[set[tuple[int, int]]] | None = None

    def met(self, place: int) -> set[tuple[int, int]]:
        if self._pairs is None:
            self._pairs = crate_door.pairs_in_rows(self, self.data)
        # Of damaged rows there are no pairs.
        return self._pairs[place - 1] if self._pairs else super().met(place)


def with_fast_rows(evidence: Listing, threads: int) -> Listing:
    """The same evidence, whose pairs are listed quickly, if it can be packed."""
    try:
        return replace(evidence, states=FastRows(packed(evidence.states, 1 + threads)))
    except (OverflowError, ValueError):
        return evidence


def _exchanged(
    exchange: Exchange, states: int, groups: Sequence[tuple[int, ...]]
) -> tuple[Sequence[tuple[int, ...]], list[tuple[list[int], int] | None]]:
    """The families of a system, and for each shared state whom it names, and its normal form."""
    families = [family for family in exchange.families if family in groups]
    named = [_normal(exchange, families, shared) for shared in range(states)]
    return exchange.families, named


def _normal(
    exchange: Exchange, families: Sequence[tuple[int, ...]], shared: int
) -> tuple[list[int], int] | None:
    try:
        named = list(exchange.named(shared))
    except EvidenceError:
        return None
    names: dict[int, int] = {}
    for family in families:
        names |= zip([each for each in named if each in family], family, strict=False)
    return named, exchange.renamed(shared, names)
