"""Programs with large inputs that are only stored, copied and compared: the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.cli import FIGURE4, call

INPUTS = """\
decl a: int 0..{most}[4]; decl x: int 0..{most}; decl y: int 0..{most};
void reader() {{
    decl n: int 0..1 := 0;
    a[0] := *; a[1] := *; a[2] := *; a[3] := *;
    x := a[n];
    a[3] := x;
    y := a[3];
    assert({claim});
}}
void other() {{ a[2] := *; }}
void main() {{ thread_create(reader()); thread_create(other()); }}
"""


def inputs(folder: Path, claim: str, most: int = 999_999_999) -> str:
    path = folder / f"inputs-{most}.bp"
    path.write_text(INPUTS.format(most=most, claim=claim))
    return str(path)


def test_large_inputs_take_as_many_states_as_small_ones(tmp_path: Path) -> None:
    seen = {}
    for most in (999_999_999, 5):
        found = call("verify", inputs(tmp_path, "x = y", most), "--json", "--engine", "explicit")
        assert found.code == 0, found.err
        document = json.loads(found.out)
        seen[most] = document["states"]
        assert document["checked"]
        assert bool(document["sorts"]) == (most > 5)
    assert len(set(seen.values())) == 1


def test_the_answer_says_that_values_were_left_out(tmp_path: Path) -> None:
    file = inputs(tmp_path, "x = a[1]")
    found = call("verify", file)
    assert found.code == 1
    assert "a, x, y are only copied and compared, so 6 of 1,000,000,000 values" in found.out
    document = json.loads(call("verify", file, "--json").out)
    (sort,) = document["sorts"]
    assert sort == {
        "variables": ["a", "x", "y"],
        "type": "int 0..999999999",
        "size": 1_000_000_000,
        "values": ["0", "1", "2", "3", "4", "5"],
    }


@pytest.mark.parametrize(("claim", "code"), [("x = y", 0), ("x = a[1]", 1)])
def test_evidence_is_written_and_checked(tmp_path: Path, claim: str, code: int) -> None:
    file, evidence = inputs(tmp_path, claim), str(tmp_path / "evidence.json")
    assert call("verify", file, "--evidence", evidence).code == code
    assert call("check", file, evidence).out.startswith("ACCEPTED")
    document = json.loads(Path(evidence).read_text())
    assert document["sorts"] == {"a": [0, 1, 2, 3, 4, 5]}
    few: list[object] = [{"a": [1, 2]}, {"x": [0, 1, 2, 3, 4, 5]}, {"a": "all"}, [], {"a": [[]]}]
    for wrong in few:
        Path(evidence).write_text(json.dumps(document | {"sorts": wrong}))
        found = call("check", file, evidence)
        assert found.code == 2 or found.out.startswith("REJECTED"), found
        assert "Traceback" not in found.err


def test_all_values_on_request(tmp_path: Path) -> None:
    found = call("verify", inputs(tmp_path, "x = y", 9), "--all-values", "--json")
    assert found.code == 0
    assert json.loads(found.out)["sorts"] == []
    assert "only copied" not in call("explore", inputs(tmp_path, "x = y", 9)).out
    assert "--all-values is for programs" in call("verify", FIGURE4, "--all-values").err


def test_results_of_two_sorts_share_a_scalar(tmp_path: Path) -> None:
    """One procedure returns a value of a smaller sort, where 100 has another number, and one any
    number: both are returned in the same scalar, whose type is that of all numbers."""
    path = tmp_path / "results.bp"
    path.write_text(
        "decl a: int8 := 3; decl b: int8 := 0; decl n: int8 := 0;\n"
        "int8 same(v: int8) { return v; }\n"
        "int8 more(v: int8) { return v + 1; }\n"
        "void main() { decl t: int8; a := 100; t := same(a); b := t; n := more(n);\n"
        "assert(b != 100 || n != 1); }\n"
    )
    found = call("verify", str(path))
    assert found.code == 1, found.err
    assert "accepted by the checker" in found.out
