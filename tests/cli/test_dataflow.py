"""`tepui dataflow` from the command line: the figures of the paper, files, JSON and exit codes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from support.cli import call, run
from support.places import EXAMPLES

FIGURE4 = str(EXAMPLES / "dataflow" / "figure4.bp")
FIGURE5 = str(EXAMPLES / "dataflow" / "figure5.bp")
RING = EXAMPLES / "dataflow" / "ring-buffer.bp"
CONDITIONS = "note: conditions are not interpreted: what is printed holds, but more may"


def test_figure_4_has_two_valuations_where_the_branches_meet() -> None:
    for contexts in "1", "3":
        lines = _lines(FIGURE4, "--threads", "foo=1", "--at", "foo:n6", "--contexts", contexts)
        assert lines[1:] == ["  x = 3, y = 3", "  x = 7, y = 7"]


def test_figure_4_has_one_valuation_where_bar_is_called_from_n3() -> None:
    one = "--threads", "foo=1", "--at", "foo:n8"
    assert _lines(FIGURE4, *one, "--called-from", "n3")[1:] == ["  x = 3, y = 3"]
    assert _lines(FIGURE4, *one, "--called-from", "n2")[1:] == ["  x = 7, y = 7"]
    assert _lines(FIGURE4, *one)[1:] == ["  x = 3, y = 3", "  x = 7, y = 7"]


def test_figure_4_twice_in_parallel_has_four_valuations() -> None:
    lines = _lines(FIGURE4, "--at", "foo:n6", "--contexts", "3")
    pairs = [(3, 3), (3, 7), (7, 3), (7, 7)]
    assert lines[1:] == [f"  x = {x}, y = {y}" for x, y in pairs]


def test_figure_4_as_affine_relations() -> None:
    one = "--threads", "foo=1", "--domain", "affine"
    assert _lines(FIGURE4, *one, "--at", "foo:n6")[1:] == ["  y = x"]
    called = _lines(FIGURE4, *one, "--at", "foo:n8", "--called-from", "n3")
    assert called[1:] == ["  x = 3", "  y = 3"]


def test_figure_5_has_one_relation_and_nothing_stronger() -> None:
    for contexts in "1", "2", "9":
        lines = _lines(FIGURE5, "--domain", "affine", "--at", "n", "--contexts", contexts)
        assert lines[1:] == ["  x2 = x1 + 1"]


@pytest.mark.parametrize("size", [8, 9])
@pytest.mark.parametrize("at", ["consumer:C", "producer:P"])
def test_figure_1_keeps_the_ring_in_order(size: int, at: str, tmp_path: Path) -> None:
    text = RING.read_text(encoding="utf-8").replace("0..7", f"0..{size - 1}")
    ring = tmp_path / "ring.bp"
    ring.write_text(text.replace("cnt < 8", f"cnt < {size}"), encoding="utf-8")
    for contexts in "2", "4":
        asked = "--domain", "affine", "--modulus", str(size), "--at", at, "--contexts", contexts
        assert _lines(str(ring), *asked)[1:] == [f"  hd - tl + cnt = 0 (mod {size})", CONDITIONS]


def test_figure_1_without_a_modulus_has_counters_that_wrap_unseen() -> None:
    lines = _lines(str(RING), "--domain", "affine", "--at", "consumer:C")
    assert lines[1] == "  no affine relation between hd, tl, cnt was found"
    assert lines[3].startswith("note: not affine, so what is assigned is taken as unknown: ")


def test_the_installed_command_answers_in_json() -> None:
    done = run("dataflow", FIGURE5, "--domain", "affine", "--at", "main:n", "--json")
    assert done.code == 0
    assert done.json == {
        "question": "main at n",
        "contexts": 2,
        "reachable": True,
        "domain": "affine",
        "modulus": None,
        "variables": ["x1", "x2"],
        "relations": [{"text": "x2 = x1 + 1", "coefficients": {"x1": 1, "x2": -1}, "constant": 1}],
        "notes": [],
    }


def test_steps_in_json_come_with_each_valuation() -> None:
    done = call("dataflow", FIGURE4, "--domain", "shortest", "--at", "foo.2:n6", "--json")
    assert done.json["steps"] == 6
    assert {"values": {"x": 3, "y": 7}, "steps": 8} in done.json["valuations"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((FIGURE4,), "Missing option '--at'"),
        ((FIGURE4, "--at", "bar:n6"), "bar has no label n6; its labels are n7, n8"),
        ((FIGURE4, "--at", "foo:n6", "--contexts", "0"), "0 is not in the range x>=1"),
        ((FIGURE4, "--at", "foo:n6", "--modulus", "8"), "a modulus is for affine relations"),
        ((FIGURE5, "--at", "n"), "is an integer without bounds"),
        ((FIGURE4, "--at", "foo:n6", "--timeout", "soon"), "--timeout soon: expected a time"),
        (("nowhere.bp", "--at", "a:1"), "nowhere.bp"),
    ],
)
def test_wrong_use_ends_with_2_and_a_message(arguments: tuple[str, ...], message: str) -> None:
    done = call("dataflow", *arguments)
    assert done.code == 2
    assert message in done.err
    assert done.out == ""


def test_a_run_that_is_out_of_time_ends_with_3_and_without_an_answer() -> None:
    done = call("dataflow", str(RING), "--domain", "affine", "--at", "consumer:C", "--timeout", "0")
    assert (done.code, done.out) == (3, "")
    assert done.err.startswith("stopped at a limit")


def test_the_help_says_how_many_contexts_there_are_unless_one_says() -> None:
    assert re.search(r"--contexts K.*default: 2", call("dataflow", "--help").out, re.DOTALL)


def test_the_page_explains_every_member_of_the_json_objects() -> None:
    page = (EXAMPLES.parent / "docs" / "dataflow.md").read_text(encoding="utf-8")
    explained = set(re.findall(r"`(\w+)`", page.partition("## As JSON")[2]))
    for domain in "affine", "relation", "shortest":
        done = call("dataflow", FIGURE4, "--domain", domain, "--at", "foo:n6", "--json")
        assert set(done.json) <= explained


def _lines(*arguments: str) -> list[str]:
    done = call("dataflow", *arguments)
    assert (done.code, done.err) == (0, "")
    return done.out.splitlines()
