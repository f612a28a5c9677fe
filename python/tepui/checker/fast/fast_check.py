"""Certificates that list states, checked by the crate `tepui-checker`.

Here they are handed over, with the system or the program that they are about. What the crate
accepts is accepted. What it rejects is rejected, and the reference says why, unless that would take
too long. What it cannot tell (a number is too large for it) the reference decides.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeGuard

from tepui.checker.certificates.orbits import Exchange, Exchanging, OrbitCertificate
from tepui.checker.certificates.states import Certificate
from tepui.checker.evidence import Evidence
from tepui.checker.fast import door
from tepui.checker.fast.program_text import program_text
from tepui.checker.packed_rows import PackedRows, packed
from tepui.checker.programs.exchange import ProgramExchange
from tepui.checker.programs.state_tables import Numbering, ProgramTables
from tepui.errors import CheckStopped, EvidenceError
from tepui.model import Property, System
from tepui.program.semantics.meaning import Meaning
from tepui.records import replace

Listing = Certificate | OrbitCertificate

MOST_EXPLAINED = 50_000
"""The reference says why a certificate with at most this many states was rejected."""

GoOn = Callable[[], bool]


class CheckersDisagreeError(EvidenceError):
    """The reference accepts what the crate rejects: a bug in one of them. Nothing is believed."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"the two checkers disagree; the fast one says: {reason}")


def is_fast(evidence: Evidence, asked: Property) -> TypeGuard[Listing]:
    """Whether the crate knows this kind of evidence, and what is asked."""
    kind = evidence.kind in ("states", "cut") if type(evidence) is Certificate else True
    return type(evidence) in (Certificate, OrbitCertificate) and kind and not asked.reaches


def check_system(
    system: System,
    asked: Property,
    evidence: Listing,
    go_on: GoOn,
    by_reference: Callable[[], None],
) -> None:
    """Return if the evidence proves its claim; raise EvidenceError if not."""

    def ended(handed: Listing, rows: PackedRows) -> tuple[str, str]:
        families, named = _exchanged(system, evidence)
        return door.check_system(
            system, asked, handed, rows.data, go_on, families=families, named=named
        )

    if isinstance(evidence, OrbitCertificate) and not isinstance(system, Exchanging):
        by_reference()  # It refuses such a certificate before it looks at it.
        return
    _judge(ended, len(system.threads), evidence, by_reference)


def check_program(
    meaning: Meaning,
    asked: Property,
    tables: ProgramTables,
    evidence: Listing,
    go_on: GoOn,
    by_reference: Callable[[], None],
) -> None:
    """The same for a program whose steps are those of its own edges (`Meaning.is_plain`)."""

    def ended(handed: Listing, rows: PackedRows) -> tuple[str, str]:
        layout = meaning.layout
        text = program_text(
            layout,
            liveness=meaning.liveness,
            share=meaning.share,
            probes=meaning.probes,
            fused=meaning.fused,
        )
        exchange = ProgramExchange(layout, Numbering(ProgramTables((), ())))
        families = exchange.families if isinstance(evidence, OrbitCertificate) else ()
        frames = [table[1:] for table in tables.frames]
        return door.check_program(
            text, list(families), tables.shared, frames, asked, handed, rows.data, go_on
        )

    if len(tables.frames) != len(meaning.program.threads):
        by_reference()
        return
    _judge(ended, len(meaning.program.thread_types), evidence, by_reference)


class FastRows(PackedRows):
    """Packed rows of which the crate lists pairs."""

    __slots__ = ("_pairs",)

    def __init__(self, rows: PackedRows) -> None:
        super().__init__(rows.length, rows.bits, rows.data, rows.first)
        self._pairs: list[set[tuple[int, int]]] | None = None

    def met(self, place: int) -> set[tuple[int, int]]:
        if self._pairs is None:
            self._pairs = door.pairs_in_rows(self, self.data)
        # Of damaged rows there are no pairs.
        return self._pairs[place - 1] if self._pairs else super().met(place)


def with_fast_rows(evidence: Listing, threads: int) -> Listing:
    """The same evidence, whose pairs are listed quickly, if it can be packed."""
    try:
        return replace(evidence, states=FastRows(packed(evidence.states, 1 + threads)))
    except (OverflowError, ValueError):
        return evidence


def _judge(
    ended: Callable[[Listing, PackedRows], tuple[str, str]],
    threads: int,
    evidence: Listing,
    by_reference: Callable[[], None],
) -> None:
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


def _exchanged(
    system: System, evidence: Listing
) -> tuple[list[tuple[int, ...]], list[tuple[list[int], int] | None]]:
    """The families of a system, and for each shared state whom it names, and its normal form."""
    if not isinstance(evidence, OrbitCertificate) or not isinstance(system, Exchanging):
        return [], []
    exchange = system.exchange
    families = [family for family in exchange.families if family in evidence.groups]
    return list(exchange.families), [
        _normal(exchange, families, shared) for shared in range(len(system.shared))
    ]


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
