"""Data races through the command line: question, answer, trace, evidence, files for other tools."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from support.cli import call
from support.schemas import schema

COUNTER = """\
decl c: int 0..3 := 0;
void work() {
    c := c + 1;
}
void main() {
    thread_create(work, 2);
}
"""

ELEMENTS = """\
decl a: bool[2], next: int 0..1 := 0;
void work() {
    decl mine: int 0..1;
    atomic { mine := next; next := next + 1; }
    a[mine] := 1;
}
void main() {
    thread_create(work, 2);
}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "counter.bp").write_text(COUNTER)
    (tmp_path / "elements.bp").write_text(ELEMENTS)
    (tmp_path / "race.prp").write_text("CHECK( init(main()), LTL(G ! data-race) )\n")
    return tmp_path


@pytest.mark.parametrize("asked", ["race", "race.prp"])
def test_a_race_and_where_the_threads_are(folder: Path, asked: str) -> None:
    ended = call("verify", "counter.bp", "--property", asked, cwd=folder)
    assert ended.code == 1
    assert "UNSAFE  counter.bp: there is a data race on c" in ended.out
    assert ended.out.endswith(
        "    race  there is a data race on c:\n"
        "          work.1 at counter.bp:3: c := c + 1, about to read c, write c\n"
        "          work.2 at counter.bp:3: c := c + 1, about to read c, write c\n"
    )


@pytest.mark.parametrize(("name", "verdict"), [("counter", "unsafe"), ("elements", "safe")])
def test_evidence_is_accepted_for_the_same_question(folder: Path, name: str, verdict: str) -> None:
    asked = (f"{name}.bp", "--property", "race")
    ended = call("verify", *asked, "--evidence", "e.json", "--json", cwd=folder)
    assert ended.json["verdict"] == verdict
    Draft202012Validator(schema("result")).validate(ended.json)
    assert [question["kind"] for question in ended.json["questions"]] == ["race"]
    assert call("check", *asked, "e.json", cwd=folder).code == 0


def test_evidence_about_announcements_is_for_nothing_else(folder: Path) -> None:
    asked = ("elements.bp", "--property", "race")
    call("verify", *asked, "--evidence", "e.json", cwd=folder)
    other = ("elements.bp", "--never-together", "5", "5")
    ended = call("check", *other, "e.json", cwd=folder)
    assert ended.code != 0
    assert "ACCEPTED" not in ended.out


def test_sarif_and_witness_name_the_race(folder: Path) -> None:
    asked = ("counter.bp", "--property", "race")
    call("verify", *asked, "--sarif", "r.sarif", "--witness", "w.yml", cwd=folder)
    (run,) = json.loads((folder / "r.sarif").read_text())["runs"]
    (found,) = run["results"]
    assert found["ruleId"] == "race"
    assert "data race on c" in found["message"]["text"]
    assert "G ! data-race" in (folder / "w.yml").read_text()


def test_races_and_other_questions_are_answered_one_by_one(folder: Path) -> None:
    asked = ("elements.bp", "--property", "race", "--property", "deadlock")
    together = call("verify", *asked, cwd=folder)
    assert together.code == 2
    assert "ask them by themselves" in together.err
    each = call("verify", *asked, "--all", cwd=folder)
    assert each.code == 0
    assert "SAFE     no data race on a" in each.out
    assert "SAFE     no deadlock" in each.out


def test_a_property_that_is_almost_a_race_gets_a_hint(folder: Path) -> None:
    ended = call("verify", "counter.bp", "--property", "races", cwd=folder)
    assert ended.code == 2
    assert "did you mean 'race'?" in ended.err
