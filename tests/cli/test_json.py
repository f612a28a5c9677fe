"""`--json`: every verdict fits the schema in the docs, and two runs say the same."""

from __future__ import annotations

import re
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from support.cli import (
    COLLAPSING,
    DEADLOCKING,
    FIGURE4,
    INFINITE,
    TOKEN_RING,
    Completed,
    call,
    many_threads,
    run,
)
from support.places import EXAMPLES
from support.schemas import schema

SCHEMA = schema("result")
RESULT = SCHEMA["$defs"]["result"]
VALIDATOR = Draft202012Validator(SCHEMA)

BY_DELAYS = ("--engine", "delay", "--z", "off")

RUNS: dict[str, tuple[str, list[str], str, int]] = {
    "safe by Z": (FIGURE4, ["verify"], "safe", 0),
    "safe by a collapse": ("c.cpds", ["verify", "--target", "r|-", "--z", "off"], "safe", 0),
    "safe, unchecked": (FIGURE4, ["verify", "--no-check"], "safe", 0),
    "safe with infinite stacks": ("i.cpds", ["verify"], "safe", 0),
    "unsafe": (FIGURE4, ["verify", "--target", "q3|2,4"], "unsafe", 1),
    "unsafe at once": (FIGURE4, ["verify", "--target", "q0|1,4"], "unsafe", 1),
    "unsafe, unchecked": (FIGURE4, ["verify", "--target", "q3|2,4", "--no-check"], "unsafe", 1),
    "unsafe, step by step": (
        FIGURE4,
        ["verify", "--target", "q3|2,4", "--engine", "plain"],
        "unsafe",
        1,
    ),
    "safe, step by step": (
        "c.cpds",
        ["verify", "--target", "r|-", "--z", "off", "--engine", "plain"],
        "safe",
        0,
    ),
    "safe as sets of bits": (str(EXAMPLES / "wide" / "sum.bp"), ["verify"], "safe", 0),
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
    "safe by delays": ("c.cpds", ["verify", *BY_DELAYS, "--target", "r|-"], "safe", 0),
    "safe by delays and Z": (FIGURE4, ["verify", "--engine", "delay"], "safe", 0),
    "safe by abstract interpretation": (FIGURE4, ["verify", "--engine", "abstract"], "safe", 0),
    "unsafe by delays": (
        FIGURE4,
        ["verify", "--engine", "delay", "--target", "q3|2,4"],
        "unsafe",
        1,
    ),
    "unsafe by no delay": (FIGURE4, ["verify", "--delays", "0", "--target", "q0|1,4"], "unsafe", 1),
    "bounded by rounds": (FIGURE4, ["verify", "--rounds", "3"], "bounded", 4),
    "bounded by delays": (FIGURE4, ["verify", "--delays", "1"], "bounded", 4),
    "bounded by both": (FIGURE4, ["verify", "--rounds", "3", "--delays", "0"], "bounded", 4),
    "unknown by time under delays": (
        FIGURE4,
        ["verify", "--engine", "delay", "--timeout", "0"],
        "unknown",
        3,
    ),
    "collapsed by delays": (FIGURE4, ["explore", "--engine", "delay", "--list"], "collapsed", 0),
    "collapsed by delays alone": ("c.cpds", ["explore", *BY_DELAYS], "collapsed", 0),
    "collapsed by two symbols": (
        FIGURE4,
        ["explore", "--engine", "delay", "--tops", "2"],
        "collapsed",
        0,
    ),
    "collapsed by abstract interpretation": (
        FIGURE4,
        ["explore", "--engine", "abstract"],
        "collapsed",
        0,
    ),
    "stopped by rounds": (FIGURE4, ["explore", "--rounds", "2"], "stopped", 3),
    "stopped by delays": (FIGURE4, ["explore", "--delays", "0"], "stopped", 3),
    "stopped by both": (FIGURE4, ["explore", "--rounds", "2", "--delays", "1"], "stopped", 3),
    "safe after a race": (TOKEN_RING, ["verify", "--z", "off"], "safe", 0),
    "safe after a race side by side": (
        TOKEN_RING,
        ["verify", "--z", "off", "--jobs", "2"],
        "safe",
        0,
    ),
    "many threads": ("m.cpds", ["verify"], "safe", 0),
    "safe by counting threads": (str(EXAMPLES / "fork-crowd.bp"), ["verify"], "safe", 0),
    "safe by an invariant": (
        str(EXAMPLES / "any-number" / "ticket-lock.bp"),
        ["verify"],
        "safe",
        0,
    ),
    "safe among any number of others": ("recursion.bp", ["verify"], "safe", 0),
    "unsafe with few of any number": (
        str(EXAMPLES / "bluetooth1.bp"),
        ["verify", "--threads", "add=*", "--threads", "stop=*"],
        "unsafe",
        1,
    ),
}


CLOSED = "T(R(r, d)) is closed under all actions"

OTHER = {
    "engine": "diagram",
    "resource": "contexts",
    "bound": 1,
    "rounds": None,
    "states": None,
    "visible": 3,
    "ended": "overtaken",
}


RECURSION = """\
decl taken := 0;
decl inside := 0;
void work() { if (*) { work(); } assert(inside); }
void worker() {
    while (1) {
        atomic { wait(!taken); taken := 1; }
        inside := 1;
        work();
        inside := 0;
        taken := 0;
    }
}
void main() { thread_create(worker, *); }
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "c.cpds").write_text(COLLAPSING)
    (tmp_path / "d.cpds").write_text(DEADLOCKING)
    (tmp_path / "i.cpds").write_text(INFINITE)
    (tmp_path / "m.cpds").write_text(many_threads(20))
    (tmp_path / "recursion.bp").write_text(RECURSION)
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


def test_every_engine_resource_proof_and_stop_of_the_schema_is_tried(folder: Path) -> None:
    found = [
        call(command, file, *options, "--json", cwd=folder).json
        for file, (command, *options), _, _ in RUNS.values()
    ]
    kinds = {one["stop"]["kind"] for one in found if one["stop"] is not None}
    assert {one["engine"] for one in found} == set(SCHEMA["$defs"]["engine"]["enum"])
    assert {one["resource"] for one in found} == set(SCHEMA["$defs"]["resource"]["enum"])
    assert {"R(r, d) = R(r+1, d+n-1)", "T(R(r, d)) = T(Z)", CLOSED} <= {
        one["proof"] for one in found
    }
    assert {"rounds", "delays", "contexts"} <= kinds


def test_the_bounds_of_a_run_that_counts_delays_are_rounds_and_delays(folder: Path) -> None:
    def bounds(name: str) -> tuple[int | None, int | None]:
        file, (command, *options), _, _ = RUNS[name]
        found = call(command, file, *options, "--json", cwd=folder).json
        assert found["resource"] == "delays"
        return found["bound"], found["bound_rounds"]

    assert bounds("bounded by rounds") == (None, 3)
    assert bounds("bounded by delays") == (1, None)
    assert bounds("bounded by both") == (0, 3)
    assert bounds("unsafe by delays") == (0, 2)
    assert bounds("unsafe by no delay") == (0, 0)
    assert bounds("collapsed by delays") == (1, 5)
    assert bounds("collapsed by two symbols") == (1, 7)
    assert bounds("safe by delays and Z") == (None, None)
    assert bounds("stopped by both") == (None, None)


def test_a_trace_tells_the_rounds_and_delays_that_it_takes() -> None:
    found = call("verify", FIGURE4, *BY_DELAYS, "--target", "q1|2,-", "--json").json
    assert found["trace"]["schedule"] == {"rounds": 2, "delays": 1}
    assert (found["bound"], found["bound_rounds"]) == (1, 2)


def test_a_race_says_what_the_others_had_seen() -> None:
    found = call("verify", TOKEN_RING, "--z", "off", "--json").json
    assert (found["engine"], found["tops"]) == ("diagram", 1)
    other, plain, late = found["others"]
    assert (plain["engine"], plain["resource"], plain["rounds"]) == ("plain", "steps", None)
    assert (late["engine"], late["resource"], late["ended"]) == ("delay", "delays", "cancelled")
    assert (other["engine"], other["resource"], other["ended"]) == (
        "explicit",
        "contexts",
        "overtaken",
    )
    assert (other["bound"], other["rounds"]) == (10, None)
    assert (
        other["states"]
        == other["visible"]
        == 1 + sum(row["new_visible"] for row in found["rounds"][1:11])
    )


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
        (["verify", "--timeout", "0"], {"bound_rounds": 1}),
        (["verify"], {"bound_rounds": 1}),
        (["verify"], {"resource": "delays"}),
        (["verify"], {"tops": 2}),
        (["verify"], {"engine": "delay"}),
        (["verify"], {"proof": "R(r, d) = R(r+1, d+n-1)"}),
        (["verify", "--contexts", "3"], {"bound": None}),
        (["verify", "--rounds", "3"], {"bound_rounds": None}),
        (["verify", "--rounds", "3"], {"resource": "contexts"}),
        (["verify", "--rounds", "3"], {"symmetry": True}),
        (["verify", "--rounds", "3"], {"engine": "explicit"}),
        (["verify", "--rounds", "3"], {"verdict": "safe"}),
        (["verify", "--delays", "0", "--target", "q3|2,4"], {"bound_rounds": None}),
        (["verify", "--delays", "0", "--target", "q3|2,4"], {"bound": None}),
        (["explore", "--engine", "delay"], {"bound": None}),
        (["explore", "--engine", "delay"], {"bound_rounds": None}),
        (["explore", "--engine", "delay"], {"proof": "T(R_k) = T(Z)"}),
        (["explore", "--engine", "delay"], {"tops": 0}),
        (["explore", "--engine", "delay"], {"verdict": "bounded"}),
        (["explore"], {"others": [OTHER | {"resource": "delays"}]}),
        (["explore"], {"others": [OTHER | {"rounds": 3}]}),
        (["explore"], {"others": [OTHER | {"ended": ""}]}),
        (["explore"], {"property": "deadlock"}),
        (["explore"], {"states": -1}),
        (["explore"], {"states": 1.5}),
    ],
)
def test_the_schema_refuses_contradictions(options: list[str], change: dict[str, Any]) -> None:
    found = call(options[0], FIGURE4, *options[1:], "--json").json
    VALIDATOR.validate(found)
    assert not VALIDATOR.is_valid(found | change)


def test_the_schema_takes_other_engines_as_they_are() -> None:
    found = call("explore", FIGURE4, "--json").json
    VALIDATOR.validate(found | {"others": [OTHER]})


def test_the_schema_refuses_rounds_of_the_other_kind() -> None:
    found = call("explore", FIGURE4, "--json").json
    delayed = call("explore", FIGURE4, "--engine", "delay", "--json").json
    assert not VALIDATOR.is_valid(found | {"rounds": delayed["rounds"]})
    assert not VALIDATOR.is_valid(delayed | {"rounds": found["rounds"]})


def test_the_schema_refuses_a_schedule_where_contexts_are_counted() -> None:
    found = call("verify", FIGURE4, "--target", "q3|2,4", "--json").json
    found["trace"]["schedule"] = {"rounds": 3, "delays": 0}
    assert not VALIDATOR.is_valid(found)
    delayed = call("verify", FIGURE4, "--target", "q3|2,4", "--engine", "delay", "--json").json
    delayed["trace"]["schedule"] = None
    assert not VALIDATOR.is_valid(delayed)


def test_the_schema_refuses_odd_things_inside_a_trace() -> None:
    found = call("verify", FIGURE4, "--target", "q3|2,4", "--json").json
    step = found["trace"]["steps"][0]
    for path in (step, step["rule"], found["trace"], found["z"], found["rounds"][0]):
        path["odd"] = 1
        assert not VALIDATOR.is_valid(found)
        del path["odd"]
    step["thread"] = 0
    assert not VALIDATOR.is_valid(found)


@pytest.mark.parametrize(
    "name",
    [
        *("unsafe", "deadlock", "collapsed, listed", "many threads"),
        *("unsafe by delays", "collapsed by delays", "safe after a race"),
    ],
)
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
