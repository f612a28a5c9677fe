"""The public benchmark suite of CUBA under delays: everything that contexts reach is found.

DrUBA's Table 2 counts states by the top two symbols of each stack. Its column is reproduced, except
for two figures that are misprints. Long-running instances are in the benchmarks.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import tepui
from tepui.engines.delay import DelayEngine
from tepui.languages import load
from tepui.model import System
from tepui.model.system import VisibleState

TOP_WORDS = {
    "01_Bluetooth-1_Bluetooth1-11": 1010,
    "01_Bluetooth-1_Bluetooth1-12": 5468,
    "01_Bluetooth-1_Bluetooth1-21": 18972,
    "02_Bluetooth-2_Bluetooth2-11": 1018,
    "02_Bluetooth-2_Bluetooth2-12": 5468,
    "02_Bluetooth-2_Bluetooth2-21": 18972,
    "03_Bluetooth-3_Bluetooth3-11": 1018,
    "03_Bluetooth-3_Bluetooth3-12": 5468,
    "03_Bluetooth-3_Bluetooth3-21": 19002,
    "04_BST-Insert_bst-11": 272,
    "04_BST-Insert_bst-21": 6644,
    "04_BST-Insert_bst-22": 14256,
    "05_FileCrawler_filecrawer": 246,
    "06_K-Indcution_k-induction": 130,
    "07_Proc-2_proc-2": 352,
    "08_Stefan-1_stefan-2": 31,
    "08_Stefan-1_stefan-4": 687,
    "09_Dekker_dekker": 1507,
}
"""DrUBA prints 130 for Proc-2, as one line above."""

LARGER: dict[tuple[str, tuple[int, ...]], tuple[int, int]] = {
    ("03_Bluetooth-3_Bluetooth3-21", (1, 1, 2, 1)): (94355, 58763),
    ("03_Bluetooth-3_Bluetooth3-21", (1, 1, 3, 1)): (460684, 295096),
}
"""The same, and the visible states, with these numbers of threads of each template. DrUBA prints
94,335."""

UNSAFE, SAFE = "unsafe", "safe"
VERDICTS = {
    "pldi18/01_Bluetooth-1_Bluetooth1-11": UNSAFE,
    "pldi18/01_Bluetooth-1_Bluetooth1-12": UNSAFE,
    "pldi18/01_Bluetooth-1_Bluetooth1-21": UNSAFE,
    "pldi18/02_Bluetooth-2_Bluetooth2-11": UNSAFE,
    "pldi18/02_Bluetooth-2_Bluetooth2-12": UNSAFE,
    "pldi18/02_Bluetooth-2_Bluetooth2-21": UNSAFE,
    "pldi18/03_Bluetooth-3_Bluetooth3-11": UNSAFE,
    "pldi18/03_Bluetooth-3_Bluetooth3-12": SAFE,
    "pldi18/03_Bluetooth-3_Bluetooth3-21": SAFE,
    "recursive_11_Proc-1_proc-1": SAFE,
}

BEGUN_AT = {
    "recursive_error": "0|3",
    "recursive_nest-loops": "0|0",
    "recursive_norm-loop": "0|0,0",
    "recursive_stutter-11": "0|1,4",
    "recursive_stutter-initial-empty-stack": "0|-,-",
    "recursive_toy1": "0|0,0",
}
"""Where files begin that do not say so."""

ALL_FILES = [*(f"pldi18/{name}" for name in TOP_WORDS), *BEGUN_AT, "diverge-13", "test2"]
ALL_FILES += ["recursive_11_Proc-1_proc-1"]


@pytest.mark.parametrize("name", TOP_WORDS)
def test_the_first_plateau_of_two_symbols_has_the_published_size(
    public_suite: Path, name: str
) -> None:
    exploration = at_plateau(read(public_suite, f"pldi18/{name}"), tops=2)
    assert top_words(exploration) == TOP_WORDS[name]


@pytest.mark.parametrize("name", TOP_WORDS)
def test_the_plateau_of_two_symbols_is_proved(public_suite: Path, name: str) -> None:
    options = tepui.Options(engine="delay", tops=2)
    result = tepui.explore(read(public_suite, f"pldi18/{name}"), options)
    assert result.verdict == "collapsed"
    last = result.rounds[-1].delays
    assert last is not None
    assert last.top_words == TOP_WORDS[name]


@pytest.mark.parametrize(("name", "counts"), LARGER)
def test_the_plateau_of_larger_instances_has_all_states(
    public_suite: Path, name: str, counts: tuple[int, ...]
) -> None:
    system = with_counts(read(public_suite, f"pldi18/{name}"), counts)
    exploration = at_plateau(system, tops=2)
    words, visible = LARGER[name, counts]
    assert (top_words(exploration), exploration.last.visible) == (words, visible)
    by_contexts = tepui.explore(system, tepui.Options(engine="explicit", strengths=()))
    assert (by_contexts.states, by_contexts.visible_states) == (words, visible)


@pytest.mark.parametrize("name", ALL_FILES)
def test_delays_reach_the_visible_states_that_contexts_reach(public_suite: Path, name: str) -> None:
    system = read(public_suite, name)
    assert visible_states(system, "delay") == visible_states(system, "auto")


@pytest.mark.parametrize("name", ALL_FILES)
def test_abstract_interpretation_reaches_the_same(public_suite: Path, name: str) -> None:
    system = read(public_suite, name)
    assert visible_states(system, "abstract") == visible_states(system, "auto")


@pytest.mark.parametrize("name", VERDICTS)
@pytest.mark.parametrize("engine", ["delay", "abstract"])
def test_targets_have_their_verdicts_under_delays(
    public_suite: Path, name: str, engine: str
) -> None:
    result = tepui.verify(read(public_suite, name), options=tepui.Options(engine=engine))
    assert (result.verdict, result.resource) == (VERDICTS[name], "delays")
    assert result.checked


def at_plateau(system: System, tops: int) -> DelayEngine:
    exploration = DelayEngine(system, tops=tops)
    while not exploration.at_plateau:
        exploration.advance()
    return exploration


def top_words(exploration: DelayEngine) -> int:
    assert exploration.last.delays is not None
    return exploration.last.delays.top_words


def visible_states(system: System, engine: str) -> set[VisibleState]:
    result = tepui.explore(system, tepui.Options(engine=engine, symmetry=False))
    assert result.verdict == "collapsed"
    return set(result.list_visible())


def read(public_suite: Path, name: str) -> System:
    return load(public_suite / f"{name}.pds", init=BEGUN_AT.get(name)).system


def with_counts(system: System, counts: tuple[int, ...]) -> System:
    threads = tuple(index for index, count in enumerate(counts) for _ in range(count))
    names = tuple(f"T{number}" for number in range(len(threads)))
    return replace(system, threads=threads, thread_names=names, property=tepui.Property())
