"""SARIF logs: they fit the schema, and say what the answer says."""

from __future__ import annotations

import dataclasses
import json
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft4Validator

import tepui
from support.cli import DEADLOCKING, FIGURE4, call
from support.places import EXAMPLES, SUPPORT
from tepui.report.exchange.sarif import sarif_log
from tepui.report.report_input import ReportInput
from tepui.result import Grounds

SCHEMA = json.loads((SUPPORT / "sarif-2.1.0.schema.json").read_text(encoding="utf-8"))
VALIDATOR = Draft4Validator(SCHEMA)
BLUETOOTH = str(EXAMPLES / "bluetooth1.bp")


def log(folder: Path, *args: str) -> Any:
    """The one run of the log that a command writes; it fits the schema."""
    done = call("verify", *args, "--sarif", "x.sarif", cwd=folder)
    assert done.err == "the SARIF log was written to x.sarif\n"
    written = json.loads((folder / "x.sarif").read_text(encoding="utf-8"))
    assert list(VALIDATOR.iter_errors(written)) == []
    (run,) = written["runs"]
    assert run["invocations"][0]["exitCode"] == done.code
    return run


def verdicts(run: Any) -> list[tuple[str, str, str]]:
    return [(each["ruleId"], each["kind"], each["level"]) for each in run["results"]]


ANSWERS = {
    (BLUETOOTH,): [("assertion", "fail", "error")],
    (BLUETOOTH, "--unreachable", "40"): [("unreachable", "fail", "error")],
    (BLUETOOTH, "--never-together", "40", "49"): [("never-together", "fail", "error")],
    (BLUETOOTH, "--property", "deadlock", "--contexts", "1"): [("deadlock", "open", "none")],
    (BLUETOOTH, "--timeout", "0"): [("assertion", "open", "none")],
    (BLUETOOTH, "--unreachable", "40", "--property", "deadlock"): [
        ("deadlock", "open", "none"),
        ("unreachable", "fail", "error"),
    ],
    (FIGURE4,): [("bad-state", "pass", "none")],
    (FIGURE4, "--target", "q3|2,4"): [("bad-state", "fail", "error")],
    (FIGURE4, "--target", "q0|1,4"): [("bad-state", "fail", "error")],
    ("d.cpds",): [("deadlock", "fail", "error")],
    (str(EXAMPLES / "fork-figure4.bp"),): [("assertion", "pass", "none")],
}


@pytest.mark.parametrize("args", ANSWERS, ids=lambda args: " ".join(args)[-40:])
def test_every_question_has_a_result_that_fits_the_schema(
    tmp_path: Path, args: tuple[str, ...]
) -> None:
    (tmp_path / "d.cpds").write_text(DEADLOCKING, encoding="utf-8")
    assert verdicts(log(tmp_path, *args)) == ANSWERS[args]


def test_each_question_of_all_has_a_result(tmp_path: Path) -> None:
    run = log(tmp_path, BLUETOOTH, "--all", "--property", "deadlock", "--property", "assertions")
    assert [kind for _, kind, _ in verdicts(run)] == ["pass", "fail"]


def test_a_violation_without_a_trace_is_one_all_the_same() -> None:
    model = tepui.load(BLUETOOTH)
    assert isinstance(model, tepui.Program)
    asked = [tepui.deadlock(), tepui.unreachable(model, "40")]
    found = []
    for questions in (asked[1:], asked):
        result = tepui.verify(model, questions, tepui.Options(check=False))
        result = dataclasses.replace(result, grounds=Grounds(lambda: None))
        (run,) = json.loads(sarif_log(ReportInput("verify", model, Path(BLUETOOTH), (result,))))[
            "runs"
        ]
        found.append([(each["kind"], each["message"]["text"]) for each in run["results"]])
    assert found[0] == [("fail", "line 40 can be reached, with 1 context.")]
    why = "Not decided, since a violation was found, and no trace says of what: "
    assert all(kind == "open" and text.startswith(why) for kind, text in found[1])


def test_the_run_takes_as_long_as_its_last_question(tmp_path: Path) -> None:
    model = tepui.load(FIGURE4)
    result = tepui.verify(model, options=tepui.Options(check=False))
    results = [result.with_statistics(seconds=10.0 * number) for number in (1, 2)]
    data = ReportInput("verify", model, Path(FIGURE4), tuple(results))
    (invocation,) = json.loads(sarif_log(data))["runs"][0]["invocations"]
    times = [datetime.fromisoformat(invocation[f"{name}TimeUtc"]) for name in ("start", "end")]
    assert times[1] - times[0] == timedelta(seconds=20)


def test_a_violation_names_its_place_and_shows_the_line(tmp_path: Path) -> None:
    (result,) = log(tmp_path, BLUETOOTH)["results"]
    assert result["message"]["text"] == (
        "assert(!stopped) at bluetooth1.bp:40 can be violated, with 3 contexts."
    )
    (location,) = result["locations"]
    region = location["physicalLocation"]["region"]
    assert (region["startLine"], region["startColumn"]) == (40, 9)
    line = region["snippet"]["text"]
    assert line[region["startColumn"] - 1 : region["endColumn"] - 1] == line.strip()
    assert line.strip().startswith("assert(!stopped);")
    assert location["logicalLocations"] == [{"name": "add", "kind": "function"}]


def test_a_trace_is_a_flow_for_each_thread_in_one_order(tmp_path: Path) -> None:
    (result,) = log(tmp_path, BLUETOOTH)["results"]
    ((add, stop),) = [flow["threadFlows"] for flow in result["codeFlows"]]
    assert (add["id"], stop["id"]) == ("add", "stop")
    orders = [[each["executionOrder"] for each in flow["locations"]] for flow in (add, stop)]
    assert orders == [[1, 2, *range(12, 17)], list(range(3, 12))]
    assert add["initialState"]["stopped"] == {"text": "0"}
    changed = [each["state"] for each in stop["locations"] if "state" in each]
    assert changed[0] == {"stoppingFlag": {"text": "1"}}
    assert [each["nestingLevel"] for each in add["locations"]] == [0, 1, 1, 1, 0, 0, 0]
    inside = add["locations"][1]["stack"]["frames"]
    names = [frame["location"]["logicalLocations"][0]["name"] for frame in inside]
    assert names == ["inc", "add"]
    assert [stack["message"]["text"] for stack in result["stacks"]] == ["thread add", "thread stop"]


def test_a_later_thread_starts_with_what_the_earlier_ones_left(tmp_path: Path) -> None:
    text = "decl x := 0;\nvoid f() { x := 1; }\nvoid g() { assert(!x); }\n"
    text += "void main() { thread_create(f, 1); thread_create(g, 1); }\n"
    (tmp_path / "a.bp").write_text(text, encoding="utf-8")
    (result,) = log(tmp_path, "a.bp")["results"]
    states = {flow["id"]: flow["initialState"] for flow in result["codeFlows"][0]["threadFlows"]}
    assert states == {"f": {"x": {"text": "0"}}, "g": {"x": {"text": "1"}}}


def test_files_are_named_relative_to_where_tepui_runs_with_their_hashes(tmp_path: Path) -> None:
    name = "ä <b>.bp"
    (tmp_path / name).write_bytes((EXAMPLES / "bluetooth1.bp").read_bytes())
    run = log(tmp_path, name)
    (artifact,) = run["artifacts"]
    assert artifact["location"] == {
        "uri": "%C3%A4%20%3Cb%3E.bp",
        "uriBaseId": "%SRCROOT%",
        "index": 0,
    }
    assert (len(artifact["hashes"]["sha-256"]), artifact["length"]) == (64, 1594)
    assert run["invocations"][0]["arguments"][:2] == ["verify", name]
    absolute = log(tmp_path, BLUETOOTH)["artifacts"][0]["location"]
    assert absolute["uri"].startswith("file:///")
    assert "uriBaseId" not in absolute


def test_fingerprints_survive_other_lines(tmp_path: Path) -> None:
    source = (EXAMPLES / "bluetooth1.bp").read_text(encoding="utf-8")
    (tmp_path / "a.bp").write_text(source, encoding="utf-8")
    before = log(tmp_path, "a.bp")["results"][0]
    (tmp_path / "a.bp").write_text(f"\n\n{source}", encoding="utf-8")
    after = log(tmp_path, "a.bp")["results"][0]
    assert before["locations"] != after["locations"]
    assert before["partialFingerprints"] == after["partialFingerprints"]


def test_a_model_without_a_file_has_a_log_as_well() -> None:
    program = tepui.load(EXAMPLES / "bluetooth1.bp")
    system = tepui.load(EXAMPLES / "deadlock.cpds")
    for model in (program, system):
        written = json.loads(sarif_log(ReportInput("verify", model, None, (tepui.verify(model),))))
        assert list(VALIDATOR.iter_errors(written)) == []


def test_the_schema_refuses_what_is_not_sarif(tmp_path: Path) -> None:
    run = log(tmp_path, BLUETOOTH)
    run["results"][0]["kind"] = "maybe"
    broken = {"version": "2.1.0", "runs": [run]}
    assert [error.json_path for error in VALIDATOR.iter_errors(broken)] == [
        "$.runs[0].results[0].kind"
    ]
