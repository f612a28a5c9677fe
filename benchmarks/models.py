"""Which models are measured, and what must come out.

Three kinds of rows: the public suite, in the folder that TEPUI_BENCHMARKS names and nowhere else;
our own models, in examples/; and larger instances of both, made by raising the counts of equal
threads. Expected are the bound, the visible states and the global states that independent
explorers agree on, with every permutation of equal threads counted, whether or not symmetry is on;
and where symmetry is on, the counts up to it.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import tepui

EXAMPLES = Path(__file__).parents[1] / "examples"
VARIABLE = "TEPUI_BENCHMARKS"

BEYOND_EXPLICIT = ("token-ring.cpds", "two-wheels.cpds")
"""Examples that the explicit engine does not get through: `engine_models` has them."""


@dataclass(frozen=True)
class Counts:
    """A bound, and what is reached within it. Several models together have no bound."""

    k: int | None
    visible: int
    states: int


@dataclass(frozen=True)
class Model:
    """A file, and how many threads each of its templates gets; None: as many as it says."""

    path: Path
    counts: tuple[int, ...] | None = None

    def load(self) -> tepui.System:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            system = tepui.load(self.path)
        assert isinstance(system, tepui.System)
        return system if self.counts is None else with_counts(system, self.counts)


@dataclass(frozen=True)
class Row:
    """One measurement: some models, explored one after another in a process of their own."""

    name: str
    models: tuple[Model, ...]
    symmetry: bool
    expected: Counts | None = None
    up_to_symmetry: tuple[int, int] | None = None
    """The expected visible and global states up to symmetry."""
    slow: bool = False
    """Whether it takes more than a few seconds."""


def all_rows() -> list[Row]:
    """Every row that can be measured here."""
    folder = public_folder()
    public = [] if folder is None else [*_public(folder), *_larger_public(folder)]
    return [*public, *_own(), *_larger_own()]


def public_folder() -> Path | None:
    """Where the public suite is, if the environment names a folder that has it."""
    named = os.environ.get(VARIABLE)
    if named is None:
        return None
    folder = Path(named) / "pds" / "cuba"
    return folder if folder.is_dir() else None


def with_counts(system: tepui.System, counts: tuple[int, ...]) -> tepui.System:
    """The system with so many threads of each template, and without a property."""
    used = [
        (template, count) for template, count in zip(system.templates, counts, strict=True) if count
    ]
    threads = tuple(index for index, (_, count) in enumerate(used) for _ in range(count))
    return replace(
        system,
        templates=tuple(template for template, _ in used),
        threads=threads,
        thread_names=tuple(f"T{number}" for number in range(1, len(threads) + 1)),
        property=tepui.Property(),
    )


EXPECTED = {
    "Bluetooth1-11": Counts(7, 751, 1010),
    "Bluetooth1-12": Counts(7, 4184, 5468),
    "Bluetooth1-21": Counts(8, 11338, 18972),
    "Bluetooth2-11": Counts(7, 755, 1018),
    "Bluetooth2-12": Counts(7, 4184, 5468),
    "Bluetooth2-21": Counts(8, 11338, 18972),
    "Bluetooth3-11": Counts(7, 755, 1018),
    "Bluetooth3-12": Counts(7, 4200, 5468),
    "Bluetooth3-21": Counts(8, 11328, 19002),
    "bst-11": Counts(2, 272, 272),
    "bst-21": Counts(3, 6634, 6644),
    "bst-22": Counts(4, 14256, 14256),
    "filecrawer": Counts(6, 246, 246),
    "dekker": Counts(6, 1507, 1507),
}
"""By the last part of a file's name."""


def _public(folder: Path) -> Iterator[Row]:
    """Every public file that has an initial state, and those with known counts all at once."""
    known: list[Model] = []
    for path in sorted([*folder.glob("*.pds"), *folder.glob("pldi18/*.pds")]):
        if not path.with_suffix(".init").exists():
            continue
        name = path.stem.rsplit("_", 1)[-1]
        expected = EXPECTED.get(name)
        yield Row(name, (Model(path),), symmetry=False, expected=expected)
        if expected is not None:
            known.append(Model(path))
    together = Counts(
        None,
        sum(expected.visible for expected in EXPECTED.values()),
        sum(expected.states for expected in EXPECTED.values()),
    )
    yield Row(
        f"the {len(known)} with known counts", tuple(known), symmetry=False, expected=together
    )


def _larger_public(folder: Path) -> Iterator[Row]:
    """Bluetooth3 with n equal adders (the second kind of the file) and m stoppers, and BST n + n.

    Without symmetry 4 + 4 has 500 and 200 million states: these are not tried.
    """
    driver = folder / "pldi18" / "03_Bluetooth-3_Bluetooth3-21.pds"
    tree = folder / "pldi18" / "04_BST-Insert_bst-22.pds"
    bluetooth = {
        (2, 2): (Counts(9, 58587, 93939), (17324, 27724)),
        (2, 3): (Counts(9, 294392, 459020), (37976, 59810)),
        (3, 3): (Counts(11, 3787696, 7201092), (191672, 359262)),
        (4, 4): (Counts(14, 223262468, 502843812), (1392247, 3018572)),
    }
    bst = {
        (3, 3): (Counts(6, 1679616, 1679616), (82992, 82992)),
        (4, 4): (Counts(8, 196515072, 196515072), (1041390, 1041390)),
    }
    for (n, m), (expected, few) in bluetooth.items():
        model = Model(driver, (0, n, m, 1))
        yield from _with_and_without_symmetry(f"Bluetooth3 {n}+{m}", model, expected, few)
    for (n, m), (expected, few) in bst.items():
        yield from _with_and_without_symmetry(f"BST {n}+{m}", Model(tree, (n, m)), expected, few)


def _with_and_without_symmetry(
    name: str, model: Model, expected: Counts, few: tuple[int, int]
) -> Iterator[Row]:
    if expected.states < 100_000_000:
        slow = expected.states > 2_000_000
        yield Row(name, (model,), symmetry=False, expected=expected, slow=slow)
    slow = few[1] > 500_000
    yield Row(name, (model,), symmetry=True, expected=expected, up_to_symmetry=few, slow=slow)


def _own() -> Iterator[Row]:
    for path in sorted(EXAMPLES.glob("*.cpds")):
        if path.name not in BEYOND_EXPLICIT:
            yield Row(path.name, (Model(path),), symmetry=True)


def _larger_own() -> Iterator[Row]:
    """Our Bluetooth driver with as many adders as stoppers, and its counter."""
    path = EXAMPLES / "bluetooth.cpds"
    yield from _with_and_without_symmetry(
        "bluetooth.cpds 4+4",
        Model(path, (4, 4, 1)),
        Counts(22, 1938688, 1938688),
        (21298, 21298),
    )
    for n in (6, 8):
        yield Row(f"bluetooth.cpds {n}+{n}", (Model(path, (n, n, 1)),), symmetry=True)
