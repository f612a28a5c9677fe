"""Certificates of programs that list states, checked by the crate `tepui-checker`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tepui.checker.fast import crate_door
from tepui.checker.fast.fast_check import judge
from tepui.checker.fast.kinds import is_orbits
from tepui.checker.fast.program_text import program_text

if TYPE_CHECKING:
    from tepui.checker.fast.kinds import Listing
    from tepui.checker.packed_rows import PackedRows
    from tepui.checker.programs.state_tables import ProgramTables
    from tepui.model import Property
    from tepui.program.layout import Layout
    from tepui.program.semantics.meaning import Meaning


def check_program(
    meaning: Meaning,
    asked: Property,
    tables: ProgramTables,
    evidence: Listing,
    go_on: Callable[[], bool],
    by_reference: Callable[[], None],
) -> None:
    """Return if the evidence proves its claim about a program whose steps are those of its own
    edges (`Meaning.is_plain`); raise EvidenceError if not."""
    layout = meaning.layout

    def ended(handed: Listing, rows: PackedRows) -> tuple[str, str]:
        text = program_text(
            layout,
            liveness=meaning.liveness,
            share=meaning.share,
            probes=meaning.probes,
            fused=meaning.fused,
        )
        families = _families(layout) if is_orbits(evidence) else []
        frames = [table[1:] for table in tables.frames]
        states = tables.shared, frames
        return crate_door.check_program((text, families), states, asked, handed, rows.data, go_on)

    if len(tables.frames) != len(layout.program.threads):
        by_reference()
        return
    judge(ended, len(layout.program.thread_types), evidence, by_reference)


def _families(layout: Layout) -> list[tuple[int, ...]]:
    from tepui.checker.programs.exchange import ProgramExchange
    from tepui.checker.programs.state_tables import Numbering, ProgramTables

    return list(ProgramExchange(layout, Numbering(ProgramTables((), ()))).families)
