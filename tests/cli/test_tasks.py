"""Task definitions and property files on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.cli import DEADLOCKING, call, run

PROGRAM = """\
decl x := 0;
void reach_error() { }
void worker() { x := 1; if (x) { reach_error(); } }
void main() { thread_create(worker, 1); }
"""

TASK = """\
format_version: '2.0'
input_files: 'a.bp'
properties:
  - property_file: p/unreach-call.prp
    expected_verdict: false
  - property_file: p/no-deadlock.prp
    expected_verdict: true
options:
  threads:
    worker: 2
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.bp").write_text(PROGRAM, encoding="utf-8")
    (tmp_path / "d.cpds").write_text(DEADLOCKING, encoding="utf-8")
    (tmp_path / "t.yml").write_text(TASK, encoding="utf-8")
    (tmp_path / "p").mkdir()
    for name, formula in (
        ("unreach-call", "G ! call(reach_error())"),
        ("no-deadlock", "G ! deadlock"),
        ("valid-free", "G valid-free"),
        ("other", "G ! label(L)"),
    ):
        text = f"CHECK( init(main()), LTL({formula}) )\n"
        (tmp_path / "p" / f"{name}.prp").write_text(text, encoding="utf-8")
    return tmp_path


def test_a_definition_is_verified_as_it_says(folder: Path) -> None:
    done = run("verify", "t.yml", cwd=folder)
    assert (done.code, done.err) == (1, "")
    assert "UNSAFE  a.bp: reach_error() can be reached" in done.out
    assert "open      no deadlock" in done.out
    assert "worker.2" in done.out


def test_all_properties_of_a_definition_are_answered_one_by_one(folder: Path) -> None:
    done = call("verify", "t.yml", "--all", "--json", cwd=folder)
    verdicts = [(answer["question"], answer["verdict"]) for answer in done.json["answers"]]
    assert verdicts == [
        ("reach_error() is unreachable (a.bp:2)", "unsafe"),
        ("no deadlock", "safe"),
    ]


@pytest.mark.parametrize("name", ["no-deadlock.prp", "p/no-deadlock.prp"])
def test_a_property_of_a_definition_is_chosen_by_name(folder: Path, name: str) -> None:
    done = call("verify", "t.yml", "--property", name, "--json", cwd=folder)
    assert (done.code, done.json["property"]) == (0, "no deadlock")


def test_options_go_before_what_a_definition_says(folder: Path) -> None:
    done = call("verify", "t.yml", "--unreachable", "worker()", "--threads", "worker=1", cwd=folder)
    assert "UNSAFE  a.bp: worker() can be reached" in done.out
    assert "worker.2" not in done.out
    asked = call("verify", "t.yml", "--property", "p/other.prp", cwd=folder)
    assert (asked.code, asked.err) == (2, "error: a has no label L; it has no labels\n")


def test_a_property_file_asks_about_a_program_or_a_system(folder: Path) -> None:
    done = call("verify", "a.bp", "--property", "p/unreach-call.prp", cwd=folder)
    assert (done.code, "reach_error() can be reached" in done.out) == (1, True)
    done = call("verify", "d.cpds", "--property", "p/no-deadlock.prp", cwd=folder)
    assert (done.code, "bad: deadlock" in done.out) == (1, True)


def test_other_commands_read_definitions(folder: Path) -> None:
    assert call("verify", "t.yml", "--evidence", "e.json", cwd=folder).code == 1
    assert call("check", "t.yml", "e.json", cwd=folder).code == 0
    explored = call("explore", "t.yml", "--json", cwd=folder)
    plain = call("explore", "a.bp", "--threads", "worker=2", "--json", cwd=folder)
    assert explored.json["visible_states"] == plain.json["visible_states"] > 9


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["t.yml", "--property", "x.prp"], "t.yml has unreach-call.prp, no-deadlock.prp"),
        (["a.bp", "--property", "x.prp"], "x.prp: there is no such file"),
        (["a.bp", "--property", "x"], "expected one of deadlock, assertions, assertion, exception"),
        (["d.cpds", "--property", "x"], "expected deadlock or a property file"),
        (["d.cpds", "--property", "p/unreach-call.prp"], "is for programs (.bp)"),
        (
            ["a.bp", "--property", "p/valid-free.prp"],
            "p/valid-free.prp:1:26: G valid-free is not",
        ),
        (["x.yml"], "x.yml: there is no such file"),
    ],
)
def test_what_cannot_be_asked_is_told_in_a_sentence(
    folder: Path, args: list[str], message: str
) -> None:
    done = call("verify", *args, cwd=folder)
    assert (done.code, done.out) == (2, "")
    assert message in done.err


def test_a_definition_is_never_overwritten(folder: Path) -> None:
    for option in ("--witness", "--sarif", "--report", "--evidence"):
        done = call("verify", "t.yml", option, "t.yml", cwd=folder)
        assert (done.code, done.out) == (2, "")
        assert "t.yml: this is the task definition, a file that is read" in done.err
    assert (folder / "t.yml").read_text(encoding="utf-8") == TASK


def test_a_definition_without_properties_asks_what_the_file_asks(folder: Path) -> None:
    (folder / "t.yml").write_text("format_version: 2.0\ninput_files: d.cpds\n", encoding="utf-8")
    assert "bad: deadlock" in call("verify", "t.yml", cwd=folder).out
    done = call("verify", "t.yml", "--property", "x.prp", cwd=folder)
    assert done.err == "error: --property x.prp: t.yml names no properties\n"
