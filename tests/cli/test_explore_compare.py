"""`explore --compare`: rounds of an exploration against R_k by transducers."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

import tepui
from support.cli import FIGURE4, call
from support.places import EXAMPLES
from tepui.errors import Disagreement
from tepui.weighted.transducers.engine_comparison import compare


def test_explore_compares_its_rounds_with_transducers() -> None:
    done = call("explore", FIGURE4, "--compare", "7", "--json")
    assert done.code == 0
    assert json.loads(done.out)["notes"][-1] == "T(R_0) to T(R_7) are the same by transducers"


def test_a_program_is_written_out_for_the_comparison() -> None:
    done = call("explore", str(EXAMPLES / "dekker.bp"), "--compare", "2")
    assert done.code == 0
    assert "T(R_0) to T(R_2) are the same by transducers" in done.out


def test_only_rounds_that_were_explored_are_compared() -> None:
    done = call("explore", FIGURE4, "--compare", "7", "--max-contexts", "2", "--z", "off")
    assert done.code == 3
    assert "T(R_0) to T(R_2) are the same by transducers" in done.out


def test_delays_cannot_be_compared() -> None:
    done = call("explore", FIGURE4, "--compare", "7", "--engine", "delay")
    assert done.code == 2
    assert "has no R_k to compare" in done.err


def test_an_engine_that_cannot_begin_has_the_initial_state_to_compare() -> None:
    done = call("explore", str(EXAMPLES / "figure2.cpds"), "--engine", "explicit", "--compare", "2")
    assert (done.code, "--engine diagram looks at all of them" in done.out) == (3, True)
    assert "T(R_0)" in done.out


def test_a_disagreement_is_a_bug() -> None:
    system = tepui.load(FIGURE4)
    assert isinstance(system, tepui.System)
    result = tepui.explore(system)
    rounds = list(result.rounds)
    rounds[2] = replace(rounds[2], visible=rounds[2].visible + 1)
    result = result.with_statistics(rounds=tuple(rounds))
    with pytest.raises(Disagreement, match=r"T\(R_2\) has 7 visible states .* and 6 by"):
        compare(result, system, 3)
