"""Copies of values that nobody has read yet: the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.cli import call

SAME = """\
decl x: int32; decl y: int32;
void main() {
    x := *;
    y := x;
    assert(x = y);
}
"""


def written(folder: Path, text: str) -> str:
    path = folder / "same.bp"
    path.write_text(text)
    return str(path)


@pytest.mark.parametrize("kind", ["int16", "uint32", "int64"])
def test_a_copy_of_any_value_is_equal_to_it(tmp_path: Path, kind: str) -> None:
    file, evidence = written(tmp_path, SAME.replace("int32", kind)), str(tmp_path / "proof.json")
    found = call("verify", file, "--all-values", "--evidence", evidence)
    assert found.code == 0, found.out + found.err
    assert "evidence  certificate, accepted by the checker" in found.out
    assert call("check", file, evidence).out.startswith("ACCEPTED")


def test_evidence_names_an_earlier_variable_without_a_value(tmp_path: Path) -> None:
    file = written(tmp_path, SAME.replace("int32", "int 0..3"))
    evidence = tmp_path / "proof.json"
    assert call("verify", file, "--all-values", "--evidence", str(evidence)).code == 0
    proof = evidence.read_text()
    assert "x=- y==x" in proof
    assert '"same": true' in proof
    for wrong in ("x=- y==y", "x=- y==z", "x==y y=-", "x=0 y==x", "x=- y=-"):
        evidence.write_text(proof.replace("x=- y==x", wrong))
        damaged = call("check", file, str(evidence))
        assert damaged.code != 0, wrong
        assert "Traceback" not in damaged.err


EARLIER = """\
{
"format": "tepui evidence",
"version": 1,
"kind": "cut",
"system": "same",
"threads": ["main"],
"property": {"patterns": [{"shared": null, "tops": ["main:5!"]}], "deadlock": false},
"meaning": {"liveness": true, "watched": []},
"groups": [["main"]],
"depth": 1,
"flags": true,
"below": [[["main:3", "-"], ["main:4", "-"], ["main:5", "-"]]],
"locals": [[
{"stack": ["main:3"], "more": false},
{"stack": ["main:4"], "more": false},
{"stack": ["main:5"], "more": false},
{"stack": [], "more": false}
]],
"states": [
["x=- y=-", 0], ["x=- y=-", 1],
["x=0 y=0", 2], ["x=1 y=1", 2], ["x=2 y=2", 2],
["x=0 y=0", 3], ["x=1 y=1", 3], ["x=2 y=2", 3]
]
}
"""
"""A proof in which a copy has a value at once: it does not say `same`."""


def test_evidence_in_which_copies_have_values_is_accepted(tmp_path: Path) -> None:
    file, evidence = written(tmp_path, SAME.replace("int32", "int 0..2")), tmp_path / "proof.json"
    evidence.write_text(EARLIER)
    assert call("check", file, str(evidence)).out.startswith("ACCEPTED")
    evidence.write_text(EARLIER.replace('"watched": []', '"watched": [], "same": true'))
    assert call("check", file, str(evidence)).out.startswith("REJECTED")
    evidence.write_text(EARLIER.replace(', ["x=2 y=2", 2]', ""))
    assert call("check", file, str(evidence)).out.startswith("REJECTED")
    evidence.write_text(EARLIER.replace('"watched": []', '"watched": [], "same": 1'))
    assert call("check", file, str(evidence)).code == 2


def test_a_value_that_is_chosen_again_differs(tmp_path: Path) -> None:
    file = written(tmp_path, SAME.replace("x := *;\n    y := x;", "y := x;\n    x := *;"))
    found = call("verify", file, "--evidence", str(tmp_path / "trace.json"))
    assert found.code == 1
    assert "- -> -" not in found.out
    assert call("check", file, str(tmp_path / "trace.json")).out.startswith("ACCEPTED")
    asked = call("verify", file, "--all-values", "--engine", "explicit")
    assert asked.code not in (0, 1)
    assert "which may have any of 4,294,967,296 values" in asked.out


def test_explore_counts_a_copy_as_one_state(tmp_path: Path) -> None:
    file = written(tmp_path, SAME)
    document = json.loads(call("explore", file, "--json").out)
    assert document["states"] == 4
    system = str(tmp_path / "same.cpds")
    assert call("convert", file, system).code == 0
    assert "x=- y==x" in Path(system).read_text()
    assert json.loads(call("explore", system, "--json").out)["states"] == 4


def test_dataflow_shows_values(tmp_path: Path) -> None:
    file = written(tmp_path, SAME.replace("int32", "int 0..2").replace("assert", "L: assert"))
    found = call("dataflow", file, "--at", "L")
    assert found.code == 0, found.err
    for value in range(3):
        assert f"x={value} y={value}" in found.out.replace(" = ", "=").replace(", ", " ")
