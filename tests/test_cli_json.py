"""`--json`: every verdict fits the schema in the docs, and two runs say the same."""

from __future__ import annotations

import json
import re
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from cli import COLLAPSING, DEADLOCKING, FIGURE4, INFINITE, Completed, call, many_threads, run

SCHEMA = json.loads(
    (Path(__file__).parents[1] / "docs" / "result.schema.json").read_text(encoding="utf-8")
)
RESULT = SCHEMA["$defs"]["result"]
VALIDATOR = Draft202012Validator(SCHEMA)

RUNS: dict[str, tuple[str, list[str], str, int]] = {
    "safe by Z": (FIGURE4, ["verify"], "safe", 0),
    "safe by a collapse": ("c.cpds", ["verify", "--target", "r|-", "--z", "off"], "safe", 0),
    "safe, unchecked": (FIGURE4, ["verify", "--no-check"], "safe", 0),
    "safe with infinite stacks": ("i.cpds", ["verify"], "safe", 0),
    "unsafe": (FIGURE4, ["verify", "--target", "q3|2,4"], "unsafe", 1),
    "unsafe at once": (FIGURE4, ["verify", "--target", "q0|1,4"], "unsafe", 1),
    "unsafe, unchecked": (FIGURE4, ["verify", "--target", "q3|2,4", "--no-check"], "unsafe", 1),
    "deadlock": ("d.cpds", ["verify"], "unsafe", 1),
    "deadlock without symmetry": ("d.cpds", ["verify", "--symmetry", "off"], "unsafe", 1),
    "bounded": (FIGURE4, ["verify", "--contexts", "3"], "bounded", 4),
    "bounded by nothing": (FIGURE4, ["verify", "--contexts", "0"], "bounded", 4),
    "unknown by contexts": (
        FIGURE4,
        ["verify", "--z", "off", "--max-contexts", "2"],
        "unknown",
        3,
    ),
    "unknown by time": (FIGURE4, ["verify", "--timeout", "0"], "unknown", 3),
    "unknown by memory": (FIGURE4, ["verify", "--memory", "1M"], "unknown", 3),
    "unknown by infinite stacks": (
        "i.cpds",
        ["verify", "--z", "off", "--engine", "explicit"],
        "unknown",
        3,
    ),
    "safe by an infinite collapse": ("i.cpds", ["verify", "--z", "off"], "safe", 0),
    "safe by diagrams": (FIGURE4, ["verify", "--engine", "diagram"], "safe", 0),
    "unsafe by diagrams": (
        FIGURE4,
        ["verify", "--engine", "diagram", "--target", "q3|2,4"],
        "unsafe",
        1,
    ),
    "collapsed by symbolic states": (FIGURE4, ["explore", "--engine", "symbolic"], "collapsed", 0),
    "collapsed": (FIGURE4, ["explore"], "collapsed", 0),
    "collapsed, listed": ("d.cpds", ["explore", "--list"], "collapsed", 0),
    "collapsed with infinite stacks": ("i.cpds", ["explore"], "collapsed", 0),
    "collapsed by a collapse": ("c.cpds", ["explore", "--z", "off"], "collapsed", 0),
    "stopped by contexts": (
        FIGURE4,
        ["explore", "--z", "off", "--max-contexts", "2", "--list"],
        "stopped",
        3,
    ),
    "stopped by infinite stacks": (
        "i.cpds",
        ["explore", "--z", "off", "--engine", "explicit"],
        "stopped",
        3,
    ),
    "many threads": ("m.cpds", ["verify"], "safe", 0),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "c.cpds").write_text(COLLAPSING)
    (tmp_path / "d.cpds").write_text(DEADLOCKING)
    (tmp_path / "i.cpds").write_text(INFINITE)
    (tmp_path / "m.cpds").write_text(many_threads(20))
    return tmp_path


def test_the_schema_is_a_schema() -> None:
    Draft202012Validator.check_schema(SCHEMA)


def test_every_object_of_the_schema_is_closed_and_every_field_described() -> None:
    for found in SCHEMA["$defs"].values():
        if found.get("type") == "object":
            assert found["additionalProperties"] is False
            assert set(found["required"]) >= set(found["properties"]) - {"listed"}
            for name, field in found["properties"].items():
                assert "description" in field, name


@pytest.mark.parametrize("name", RUNS)
def test_every_verdict_fits_the_schema(name: str, folder: Path) -> None:
    file, (command, *options), verdict, code = RUNS[name]
    done = call(command, file, *options, "--json", cwd=folder)
    assert done.code == code
    assert done.json["verdict"] == verdict
    VALIDATOR.validate(done.json)
    assert ("listed" in done.json) == ("--list" in options)


def test_every_verdict_of_the_schema_is_tried() -> None:
    assert {run[2] for run in RUNS.values()} == set(RESULT["properties"]["verdict"]["enum"])


def test_the_installed_command_fits_the_schema_and_prints_nothing_else() -> None:
    done = run("verify", FIGURE4, "--target", "q3|2,4", "--json")
    assert (done.code, done.err) == (1, "")
    VALIDATOR.validate(done.json)


def test_rounds_count_up_and_agree_with_the_totals(folder: Path) -> None:
    for file, (command, *options), _, _ in RUNS.values():
        found = call(command, file, *options, "--json", cwd=folder).json
        rounds = found["rounds"]
        assert [row["k"] for row in rounds] == list(range(len(rounds)))
        assert sum(row["new_visible"] for row in rounds) == rounds[-1]["visible"]
        if found["states"] is not None:
            assert found["states"] == rounds[-1]["states"]
            assert (found["states_up_to_symmetry"] or 0) <= found["states"]


def test_the_schema_refuses_what_is_missing_added_or_of_another_type() -> None:
    found = call("verify", FIGURE4, "--target", "q3|2,4", "--json").json
    for key in found:
        without = {name: value for name, value in found.items() if name != key}
        assert not VALIDATOR.is_valid(without), key
        assert not VALIDATOR.is_valid(found | {key: {"odd": 1}}), key
    assert not VALIDATOR.is_valid(found | {"more": 1})


@pytest.mark.parametrize(
    ("options", "change"),
    [
        (["verify"], {"proof": None}),
        (["verify"], {"proof": "we believe so"}),
        (["verify"], {"reason": "why not"}),
        (["verify"], {"check_seconds": None}),
        (["verify"], {"listed": []}),
        (["verify"], {"rounds": []}),
        (["verify"], {"verdict": "unsafe"}),
        (["verify"], {"verdict": "maybe"}),
        (["verify", "--target", "q3|2,4"], {"trace": None}),
        (["verify", "--target", "q3|2,4"], {"bound": None}),
        (["verify", "--contexts", "3"], {"verdict": "safe"}),
        (["verify", "--contexts", "3"], {"checked": True, "check_seconds": 0.1}),
        (["verify", "--timeout", "0"], {"reason": None}),
        (["verify", "--timeout", "0"], {"bound": 1}),
        (["explore"], {"property": "deadlock"}),
        (["explore"], {"states": -1}),
        (["explore"], {"states": 1.5}),
    ],
)
def test_the_schema_refuses_contradictions(options: list[str], change: dict[str, Any]) -> None:
    found = call(options[0], FIGURE4, *options[1:], "--json").json
    VALIDATOR.validate(found)
    assert not VALIDATOR.is_valid(found | change)


def test_the_schema_refuses_odd_things_inside_a_trace() -> None:
    found = call("verify", FIGURE4, "--target", "q3|2,4", "--json").json
    step = found["trace"]["steps"][0]
    for path in (step, step["rule"], found["trace"], found["z"], found["rounds"][0]):
        path["odd"] = 1
        assert not VALIDATOR.is_valid(found)
        del path["odd"]
    step["thread"] = 0
    assert not VALIDATOR.is_valid(found)


@pytest.mark.parametrize("name", ["unsafe", "deadlock", "collapsed, listed", "many threads"])
def test_two_runs_print_the_same_object_but_for_times_and_memory(name: str, folder: Path) -> None:
    file, (command, *options), _, code = RUNS[name]
    runs = [
        run(command, file, *options, "--json", cwd=folder, env={"PYTHONHASHSEED": seed})
        for seed in ("1", "2")
    ]
    assert [done.code for done in runs] == [code] * 2
    assert _timeless(runs[0].json) == _timeless(runs[1].json)


@pytest.mark.parametrize("command", ["verify", "explore"])
def test_two_runs_print_the_same_text_but_for_times_and_memory(command: str) -> None:
    options = ["--target", "q3|2,4"] if command == "verify" else ["--list"]
    runs = [run(command, FIGURE4, *options, env={"PYTHONHASHSEED": seed}) for seed in ("1", "2")]
    assert _timeless_text(runs[0]) == _timeless_text(runs[1])


@pytest.mark.parametrize("options", [[], ["--target", "q3|2,4"], ["--z", "cut"]])
def test_two_runs_write_the_same_evidence(options: list[str], tmp_path: Path) -> None:
    for seed in ("1", "2"):
        run(
            *("verify", FIGURE4, "--evidence", f"{seed}.json", *options),
            cwd=tmp_path,
            env={"PYTHONHASHSEED": seed},
        )
    written = [path.read_bytes() for path in sorted(tmp_path.iterdir())]
    assert len(written) == 2
    assert written[0] == written[1]


def _timeless(found: dict[str, Any]) -> dict[str, Any]:
    found = deepcopy(found)
    for key in ("seconds", "check_seconds", "peak_memory_bytes"):
        del found[key]
    for row in found["rounds"]:
        del row["seconds"]
    return found


def _timeless_text(done: Completed) -> str:
    assert done.out
    return re.sub(r"\d+\.\d+( s)?|\d+ MiB", "", done.out)
