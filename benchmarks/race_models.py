"""What engines race for: systems and programs that are not decided before anyone can begin.

Each is decided by some engine within seconds, and no engine is best for all of them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal

from models import EXAMPLES, VARIABLE, Model, public_folder

import tepui


@dataclass(frozen=True)
class RaceRow:
    """Something to decide: what is asked if `verify`, all that is reachable if `explore`."""

    name: str
    load: Callable[[], tepui.System | tepui.Program]
    kind: Literal["verify", "explore"]
    z: bool = True


def all_race_rows() -> list[RaceRow]:
    """Every row that can be measured here."""
    return [*_own(), *_public()]


def _own() -> Iterator[RaceRow]:
    ring = partial(_load, EXAMPLES / "token-ring.cpds")
    yield RaceRow("token-ring, without Z", ring, "verify", z=False)
    bluetooth = Model(EXAMPLES / "bluetooth.cpds", (8, 8, 1)).load
    yield RaceRow("bluetooth 8+8", bluetooth, "explore")
    for name, file, threads in (
        ("file-crawler, 4 users", "file-crawler.bp", {"user": 4}),
        ("bst-insert 3+1, without Z", "bst-insert.bp", {"inserter": 3, "searcher": 1}),
        ("bluetooth1.bp 3+3", "bluetooth1.bp", {"add": 3, "stop": 3}),
        ("work-queue, 3 workers, without Z", "work-queue.bp", {"worker": 3}),
    ):
        load = partial(_load, EXAMPLES / file, threads)
        yield RaceRow(name, load, "verify", z="without" not in name)


def _public() -> Iterator[RaceRow]:
    folder = public_folder()
    if folder is None:
        return
    files = folder / "pldi18"
    bluetooth3, tree = "03_Bluetooth-3_Bluetooth3-21.pds", "04_BST-Insert_bst-22.pds"
    for name, file, counts in (
        ("Bluetooth3 3+3", bluetooth3, (1, 2, 3, 1)),
        ("Bluetooth3 6+6", bluetooth3, (1, 5, 6, 1)),
        ("BST 4+4", tree, (4, 4)),
        ("Stefan-16", "08_Stefan-1_stefan-8.pds", (16,)),
    ):
        yield RaceRow(name, Model(files / file, counts).load, "explore")
    programs = Path(os.environ[VARIABLE]) / "bp"
    for name, path, z in (
        ("SafeStack, over_approx", "01_SafeStack_seqcst_forCSEQ_unrolled_over_approx", False),
        ("SafeStack, oneforloop", "old_SafeStack_seqcst_forCSEQ_oneforloop", False),
        ("QRCU-4, iteration 14", "17_QRCU-4_it14of28", True),
        ("Boop", "15_Boop_it4of4", True),
    ):
        found = sorted(programs.glob(f"*/{path}.bp"))
        if found:
            yield RaceRow(name, partial(_load, found[0]), "verify", z=z)


def _load(path: Path, threads: dict[str, int] | None = None) -> tepui.System | tepui.Program:
    return tepui.load(path, threads=threads)
