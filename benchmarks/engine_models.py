"""Which models the engines are compared on, what must come out, and what others have reported.

Three kinds: models whose contexts reach infinitely many stacks, models with many threads, made by
raising the counts of equal threads, and the small finite models of the public suite, on which the
explicit engine is at its best. Two models are our own, the others are in the folder that
TEPUI_BENCHMARKS names.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from models import BEYOND_EXPLICIT, EXAMPLES, EXPECTED, Model, all_rows, public_folder


@dataclass(frozen=True)
class EngineRow:
    """A model, the bound where T(R_k) collapses, and how much is reached then."""

    name: str
    model: Model
    k: int
    visible: int
    states: int | None
    """None if R_k is infinite."""
    slow: bool = False
    """Whether engines that go state by state run into their limits."""

    @property
    def is_small(self) -> bool:
        return self.name in EXPECTED


PUBLISHED = {
    "Bluetooth1-11": "0.26 s, 18 MB",
    "Bluetooth1-12": "2.32 s, 136 MB",
    "Bluetooth1-21": "12.8 s, 348 MB",
    "Bluetooth2-11": "0.53 s, 23 MB",
    "Bluetooth2-12": "4.39 s, 197 MB",
    "Bluetooth2-21": "14.2 s, 387 MB",
    "Bluetooth3-11": "0.47 s, 22 MB",
    "Bluetooth3-12": "4.71 s, 180 MB",
    "Bluetooth3-21": "14.5 s, 375 MB",
    "bst-11": "1.17 s, 25 MB",
    "bst-21": "15.8 s, 141 MB",
    "bst-22": "45.2 s, 356 MB",
    "filecrawer": "0.03 s, 5 MB",
    "dekker": "0.21 s, 13 MB",
    "k-induction": "0.23 s, 4 MB",
    "proc-2": "0.52 s, 18 MB",
    "stefan-2": "1.01 s, 3 MB",
    "stefan-4": "16.4 s, 1,186 MB",
    "stefan-8": "out of 8 GB",
    "Bluetooth3 2+2": "71 s",
    "Bluetooth3 2+3": "654 s",
}
"""What the papers report, on the machines of their authors."""

TO_BEAT = {
    "stefan-8": 0.1,
    "stefan-32": 5.0,
    "Bluetooth3 4+4": 1.0,
    "Bluetooth3 8+8": 15.0,
    "BST 16+16": 1.0,
}
"""How many seconds an early trial of decision diagrams took, on two ordinary cores."""


def all_engine_rows() -> list[EngineRow]:
    """Every row that can be measured here."""
    folder = public_folder()
    if folder is None:
        return [*_own()]
    folder /= "pldi18"
    return [*_infinite(folder), *_many_threads(folder), *_own(), *_small()]


def _infinite(folder: Path) -> Iterator[EngineRow]:
    """Models without finite-context reachability; the last ones are stefan-8 with more threads."""
    public = {
        "06_K-Indcution_k-induction": (3, 40),
        "07_Proc-2_proc-2": (3, 135),
        "08_Stefan-1_stefan-2": (2, 20),
        "08_Stefan-1_stefan-4": (4, 254),
        "08_Stefan-1_stefan-8": (8, 30362),
    }
    for file, (k, visible) in public.items():
        name = file.rsplit("_", 1)[-1]
        yield EngineRow(name, Model(folder / f"{file}.pds"), k, visible, None)
    larger = {12: 3184550, 16: 315610418, 32: 23471584763822690}
    for threads, visible in larger.items():
        model = Model(folder / "08_Stefan-1_stefan-8.pds", (threads,))
        yield EngineRow(f"stefan-{threads}", model, threads, visible, None, slow=True)


def _many_threads(folder: Path) -> Iterator[EngineRow]:
    """Bluetooth3 with n adders, one of the first kind and the others of the second, m stoppers and
    a counter; BST with n and m threads of its two kinds."""
    bluetooth = {
        (2, 2): (9, 58763, 94355),
        (2, 3): (9, 295096, 460684),
        (3, 3): (11, 3795440, 7222724),
        (4, 4): (14, 223603204, 503968676),
        (6, 6): (20, 664252824732, 2099945775788),
        (8, 8): (26, 1760671848252900, 7807608555002788),
    }
    for (n, m), (k, visible, states) in bluetooth.items():
        model = Model(folder / "03_Bluetooth-3_Bluetooth3-21.pds", (1, n - 1, m, 1))
        yield EngineRow(f"Bluetooth3 {n}+{m}", model, k, visible, states, slow=n > 2)
    bst = {8: (16, 34962015083102208), 16: (32, 951650734259480677290480343449600)}
    for n, (k, states) in bst.items():
        model = Model(folder / "04_BST-Insert_bst-22.pds", (n, n))
        yield EngineRow(f"BST {n}+{n}", model, k, states, states, slow=True)


def _own() -> Iterator[EngineRow]:
    ring, wheels = BEYOND_EXPLICIT
    yield EngineRow(ring, Model(EXAMPLES / ring), 59, 251658240, 52242776064, slow=True)
    yield EngineRow(wheels, Model(EXAMPLES / wheels), 3, 20, None)


def _small() -> Iterator[EngineRow]:
    for row in all_rows():
        if row.name in EXPECTED:
            (model,), counts = row.models, EXPECTED[row.name]
            assert counts.k is not None
            yield EngineRow(row.name, model, counts.k, counts.visible, counts.states)
