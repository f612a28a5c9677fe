"""The public benchmark suite of CUBA: exact counts, bounds and verdicts.

The expected numbers were found by three independent explorers. They differ from the published
table where that is wrong: the published tool loses states on the Bluetooth models.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import tepui
from tepui.engines.finite_context import has_finite_context_reachability
from tepui.languages import load
from tepui.model import System
from tepui.z import Z
from tepui.z.strength import CUT

COUNTS = {
    "01_Bluetooth-1_Bluetooth1-11": (7, 751, 1010),
    "01_Bluetooth-1_Bluetooth1-12": (7, 4184, 5468),
    "01_Bluetooth-1_Bluetooth1-21": (8, 11338, 18972),
    "02_Bluetooth-2_Bluetooth2-11": (7, 755, 1018),
    "02_Bluetooth-2_Bluetooth2-12": (7, 4184, 5468),
    "02_Bluetooth-2_Bluetooth2-21": (8, 11338, 18972),
    "03_Bluetooth-3_Bluetooth3-11": (7, 755, 1018),
    "03_Bluetooth-3_Bluetooth3-12": (7, 4200, 5468),
    "03_Bluetooth-3_Bluetooth3-21": (8, 11328, 19002),
    "04_BST-Insert_bst-11": (2, 272, 272),
    "04_BST-Insert_bst-21": (3, 6634, 6644),
    "04_BST-Insert_bst-22": (4, 14256, 14256),
    "05_FileCrawler_filecrawer": (6, 246, 246),
    "09_Dekker_dekker": (6, 1507, 1507),
}
"""k where T(R_k) stops growing, visible states, global states."""

CUT_COUNTS = {
    "01_Bluetooth-1_Bluetooth1-11": 1694,
    "05_FileCrawler_filecrawer": 258,
    "09_Dekker_dekker": 1532,
}
"""|T(Z)| for the strength `cut`, where it is not exact."""

TARGETS = {
    "01_Bluetooth-1_Bluetooth1-11": ("unsafe", 4),
    "01_Bluetooth-1_Bluetooth1-12": ("unsafe", 3),
    "01_Bluetooth-1_Bluetooth1-21": ("unsafe", 4),
    "02_Bluetooth-2_Bluetooth2-11": ("unsafe", 4),
    "02_Bluetooth-2_Bluetooth2-12": ("unsafe", 3),
    "02_Bluetooth-2_Bluetooth2-21": ("unsafe", 4),
    "03_Bluetooth-3_Bluetooth3-11": ("unsafe", 7),
    "03_Bluetooth-3_Bluetooth3-12": ("safe", None),
    "03_Bluetooth-3_Bluetooth3-21": ("safe", None),
}

LARGER = {
    ("Bluetooth3", 2, 2): (9, 58587, 93939, 17324, 27724),
    ("Bluetooth3", 2, 3): (9, 294392, 459020, 37976, 59810),
    ("Bluetooth3", 3, 3): (11, 3787696, 7201092, 191672, 359262),
    ("BST", 3, 3): (6, 1679616, 1679616, 82992, 82992),
}
"""k, visible, global, and both up to symmetry."""

INFINITE = {
    "06_K-Indcution_k-induction": 40,
    "07_Proc-2_proc-2": 135,
    "08_Stefan-1_stefan-2": 20,
    "08_Stefan-1_stefan-4": 254,
    "08_Stefan-1_stefan-8": 30362,
}
"""Visible states of the models without finite-context reachability."""


@pytest.mark.parametrize("name", COUNTS)
@pytest.mark.parametrize("symmetry", [False, True])
def test_counts_are_exact(public_suite: Path, name: str, symmetry: bool) -> None:
    system = read(public_suite / "pldi18" / f"{name}.pds")
    result = tepui.explore(system, tepui.Options(symmetry=symmetry))
    assert result.verdict == "collapsed"
    assert (result.bound, result.visible_states, result.states) == COUNTS[name]


@pytest.mark.parametrize("name", COUNTS)
def test_z_is_exact_when_matched_and_seldom_when_cut(public_suite: Path, name: str) -> None:
    system = read(public_suite / "pldi18" / f"{name}.pds")
    visible = COUNTS[name][1]
    assert Z(system).completed().real_visible == visible
    cut = Z(system, CUT).completed().real_visible
    if "bst" in name:
        assert cut == visible
    else:
        assert cut > visible
    assert cut == CUT_COUNTS.get(name, cut)


@pytest.mark.parametrize("name", TARGETS)
@pytest.mark.parametrize("symmetry", [False, True])
def test_targets_have_their_verdicts(public_suite: Path, name: str, symmetry: bool) -> None:
    system = read(public_suite / "pldi18" / f"{name}.pds")
    result = tepui.verify(system, options=tepui.Options(symmetry=symmetry))
    assert (result.verdict, result.bound, result.checked) == (*TARGETS[name], True)


def test_another_state_of_bluetooth_3_is_reached_early(public_suite: Path) -> None:
    path = public_suite / "pldi18" / "03_Bluetooth-3_Bluetooth3-21.pds"
    result = tepui.verify(load(path, targets=["20|23,1,9,-"]).system)
    assert (result.verdict, result.bound) == ("unsafe", 3)


@pytest.mark.parametrize("key", LARGER, ids=str)
def test_larger_instances_have_exact_counts(public_suite: Path, key: tuple[str, int, int]) -> None:
    system = raised(public_suite, *key)
    result = tepui.explore(system, tepui.Options(engine="explicit"))
    assert (
        result.bound,
        result.visible_states,
        result.states,
        result.visible_up_to_symmetry,
        result.states_up_to_symmetry,
    ) == LARGER[key]


@pytest.mark.parametrize("name", INFINITE)
def test_models_with_infinite_contexts_are_recognised(public_suite: Path, name: str) -> None:
    system = read(public_suite / "pldi18" / f"{name}.pds")
    assert not all(has_finite_context_reachability(system))
    result = tepui.explore(system)
    assert (result.verdict, result.visible_states, result.states) == (
        "collapsed",
        INFINITE[name],
        None,
    )


def test_the_small_models_of_the_suite_have_their_answers(public_suite: Path) -> None:
    result = tepui.explore(read(public_suite / "test2.pds"))
    assert (result.visible_states, result.states) == (16, 16)
    stutter = load(public_suite / "recursive_stutter-11.pds", init="0|1,4").system
    result = tepui.explore(stutter)
    assert (result.bound, result.visible_states) == (5, 8)
    result = tepui.verify(read(public_suite / "recursive_11_Proc-1_proc-1.pds"))
    assert result.verdict == "safe"


def read(path: Path) -> System:
    return load(path).system


def raised(public_suite: Path, family: str, first: int, second: int) -> System:
    """A larger instance: adders and stoppers with a counter, or two kinds of tree threads."""
    if family == "Bluetooth3":
        system = read(public_suite / "pldi18" / "03_Bluetooth-3_Bluetooth3-21.pds")
        _, adder, stopper, counter = system.threads
        threads = [adder] * first + [stopper] * second + [counter]
    else:
        system = read(public_suite / "pldi18" / "04_BST-Insert_bst-22.pds")
        threads = [system.threads[0]] * first + [system.threads[-1]] * second
    names = [f"T{number}" for number in range(len(threads))]
    return replace(system, threads=tuple(threads), thread_names=tuple(names)).with_property(
        tepui.Property()
    )
