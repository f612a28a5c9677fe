"""Which models the delay engine is measured on, what must come out, and what DrUBA has reported.

These are the models of DrUBA's Tables 2 and 3, and larger instances of two of them. All are in the
folder that TEPUI_BENCHMARKS names.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from models import Model, public_folder


@dataclass(frozen=True)
class Published:
    """A row of DrUBA's Table 2: the abstract states, the seconds of Algorithm 1, of abstract
    interpretation and of CUBA, and the rounds and delays at the end."""

    words: int
    alg_1: str
    ai: str
    cuba: str
    rounds: int
    delays: int


@dataclass(frozen=True)
class PublishedImages:
    """A row of DrUBA's Table 3: how often successors were computed before the final plateau, during
    it, and without a frontier."""

    before: int
    during: int
    without_frontier: int | None

    @property
    def factor(self) -> float | None:
        """What the frontier saves."""
        if self.without_frontier is None:
            return None
        return self.without_frontier / (self.before + self.during)


@dataclass(frozen=True)
class DelayRow:
    """A model, and what is reached in it."""

    name: str
    model: Model
    words: int | None
    """How many states one sees who looks at two symbols of each stack; None if nobody knows."""
    visible: int
    published: Published | None = None
    images: PublishedImages | None = None
    slow: bool = False
    """Whether it takes more than a few seconds."""

    @property
    def to_beat(self) -> float | None:
        return TO_BEAT.get(self.name)


TO_BEAT = {"Bluetooth1 2+1": 0.05, "bst 2+2": 0.05, "stefan 4": 0.2, "Bluetooth3 2+3": 3.0}
"""How many seconds the way to the plateau may take, on two ordinary cores."""


REACHED = {
    "Bluetooth1 1+1": (1010, 751),
    "Bluetooth1 1+2": (5468, 4184),
    "Bluetooth1 2+1": (18972, 11338),
    "Bluetooth2 1+1": (1018, 755),
    "Bluetooth2 1+2": (5468, 4184),
    "Bluetooth2 2+1": (18972, 11338),
    "Bluetooth3 1+1": (1018, 755),
    "Bluetooth3 1+2": (5468, 4200),
    "Bluetooth3 2+1": (19002, 11328),
    "Bluetooth3 2+2": (94355, 58763),
    "Bluetooth3 2+3": (460684, 295096),
    "bst 1+1": (272, 272),
    "bst 2+1": (6644, 6634),
    "bst 2+2": (14256, 14256),
    "filecrawler": (246, 246),
    "k-induction": (130, 40),
    "proc-2": (352, 135),
    "stefan 2": (31, 20),
    "stefan 4": (687, 254),
    "stefan 5": (3085, 859),
    "dekker": (1507, 1507),
}
"""How many states one sees who looks at two symbols of each stack, and at one."""

TABLE_2 = {
    "Bluetooth1 1+1": Published(1010, "0.69", "0.92", "0.32", 23, 15),
    "Bluetooth1 1+2": Published(5468, "3.32", "6.79", "2.25", 32, 29),
    "Bluetooth1 2+1": Published(18972, "8.52", "16.69", "13.60", 33, 26),
    "Bluetooth2 1+1": Published(1018, "0.71", "0.98", "0.29", 23, 15),
    "Bluetooth2 1+2": Published(5468, "3.60", "6.68", "2.62", 32, 29),
    "Bluetooth2 2+1": Published(18972, "8.81", "16.68", "13.97", 33, 26),
    "Bluetooth3 1+1": Published(1018, "0.72", "1.23", "0.41", 23, 15),
    "Bluetooth3 1+2": Published(5468, "3.61", "6.40", "2.79", 32, 29),
    "Bluetooth3 2+1": Published(19002, "9.97", "16.27", "14.50", 33, 26),
    "Bluetooth3 2+2": Published(94335, "70.71", "136.31", "343.05", 44, 40),
    "Bluetooth3 2+3": Published(460684, "654.47", "2084.76", "timeout", 56, 56),
    "bst 1+1": Published(272, "0.36", "0.49", "0.14", 31, 16),
    "bst 2+1": Published(6644, "3.62", "5.25", "10.09", 49, 32),
    "bst 2+2": Published(14256, "8.12", "14.87", "99.94", 50, 38),
    "filecrawler": Published(246, "0.37", "0.54", "0.05", 20, 12),
    "k-induction": Published(130, "0.51", "0.74", "0.48", 20, 9),
    "proc-2": Published(130, "0.56", "0.77", "2.05", 19, 20),
    "stefan 2": Published(31, "0.24", "0.36", "0.04", 13, 2),
    "stefan 4": Published(687, "13.99", "13.82", "20.33", 32, 4),
    "stefan 5": Published(3085, "428.22", "295.02", "out of memory", 35, 5),
    "dekker": Published(1507, "0.82", "1.62", "0.39", 37, 16),
}

TABLE_3 = {
    "Bluetooth1 1+1": PublishedImages(4034, 1, 339261),
    "Bluetooth1 1+2": PublishedImages(23441, 3, 4758084),
    "Bluetooth1 2+1": PublishedImages(80283, 19, 23199458),
    "Bluetooth2 1+1": PublishedImages(4103, 1, 350587),
    "Bluetooth2 1+2": PublishedImages(23493, 3, 4780778),
    "Bluetooth2 2+1": PublishedImages(80714, 19, 23290556),
    "Bluetooth3 1+1": PublishedImages(4096, 8, 348851),
    "Bluetooth3 1+2": PublishedImages(23496, 3, 4786950),
    "Bluetooth3 2+1": PublishedImages(80834, 19, 23467470),
    "Bluetooth3 2+2": PublishedImages(478426, 2, 283910446),
    "Bluetooth3 2+3": PublishedImages(2766625, 6, None),
    "bst 1+1": PublishedImages(780, 1, 82130),
    "bst 2+1": PublishedImages(29802, 6, 17785065),
    "bst 2+2": PublishedImages(62190, 25, 34335106),
    "filecrawler": PublishedImages(1056, 4, 202074),
    "k-induction": PublishedImages(5636, 974, 218715),
    "proc-2": PublishedImages(2501, 1298, 578099),
    "stefan 2": PublishedImages(367, 59, 500494),
    "stefan 4": PublishedImages(658696, 261881, None),
    "stefan 5": PublishedImages(10299275, 16920446, None),
    "dekker": PublishedImages(3636, 2, 688836),
}


def all_delay_rows() -> list[DelayRow]:
    """Every row that can be measured here."""
    folder = public_folder()
    return [] if folder is None else [*_published(folder / "pldi18"), *_larger(folder / "pldi18")]


def _published(folder: Path) -> Iterator[DelayRow]:
    for name, (words, visible) in REACHED.items():
        published, images = TABLE_2[name], TABLE_3[name]
        slow = name == "stefan 5"
        yield DelayRow(name, _model(folder, name), words, visible, published, images, slow)


def _larger(folder: Path) -> Iterator[DelayRow]:
    """The delay engine gets through the first, and runs out of memory in the other, as DrUBA's."""
    adders = Model(folder / _BLUETOOTH_3, (1, 2, 3, 1))
    yield DelayRow("Bluetooth3 3+3", adders, 7222724, 3795440, slow=True)
    eight = Model(folder / "08_Stefan-1_stefan-8.pds")
    yield DelayRow("stefan 8", eight, None, 30362, slow=True)


def _model(folder: Path, name: str) -> Model:
    if name in _LARGER:
        file, counts = _LARGER[name]
        return Model(folder / file, counts)
    family, _, threads = name.partition(" ")
    size = threads.replace("+", "")
    return Model(folder / f"{_FAMILIES[family]}{'-' if size else ''}{size}.pds")


_FAMILIES = {
    "Bluetooth1": "01_Bluetooth-1_Bluetooth1",
    "Bluetooth2": "02_Bluetooth-2_Bluetooth2",
    "Bluetooth3": "03_Bluetooth-3_Bluetooth3",
    "bst": "04_BST-Insert_bst",
    "filecrawler": "05_FileCrawler_filecrawer",
    "k-induction": "06_K-Indcution_k-induction",
    "proc-2": "07_Proc-2_proc-2",
    "stefan": "08_Stefan-1_stefan",
    "dekker": "09_Dekker_dekker",
}

_BLUETOOTH_3 = "03_Bluetooth-3_Bluetooth3-21.pds"
_LARGER = {
    "Bluetooth3 2+2": (_BLUETOOTH_3, (1, 1, 2, 1)),
    "Bluetooth3 2+3": (_BLUETOOTH_3, (1, 1, 3, 1)),
    "stefan 5": ("08_Stefan-1_stefan-4.pds", (5,)),
}
"""Instances for which there is no file, with the number of threads of each template of another."""
