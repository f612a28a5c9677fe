"""What engines race for: systems and programs of our own, and all tasks of the public suites."""

from __future__ import annotations

import csv
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
    return [*_own(), *_public(), *_tasks()]


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


def _tasks() -> Iterator[RaceRow]:
    """Every task of the suites: what it asks, or else all that is reachable."""
    named = os.environ.get(VARIABLE)
    if named is None:
        return
    for manifest in (Path(named) / kind / "MANIFEST.tsv" for kind in ("bp", "pds")):
        if not manifest.is_file():
            continue
        with manifest.open(encoding="utf-8", newline="") as lines:
            for task in csv.DictReader(lines, delimiter="\t"):
                path = manifest.parent / task["file"]
                if task["role"] == "main" and path.suffix in (".bp", ".nbp", ".pds"):
                    asks = path.suffix != ".pds" or path.with_suffix(".spec").is_file()
                    load = partial(_load, path)
                    yield RaceRow(task["file"], load, "verify" if asks else "explore")


def _load(path: Path, threads: dict[str, int] | None = None) -> tepui.System | tepui.Program:
    return tepui.load(path, threads=threads)
