"""Evidence about programs through the command line and from Python: where it goes, what it says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import tepui
from support.cli import FIGURE4, call, files
from support.samples.program_texts import QUESTIONS, RACE, SAFE, program_of

UNDECIDED = """\
decl x;
void main() {
    decl y;
    assert(1);
    assume(x = y);
    atomic { inside: skip; x := 1; }
    assert(x);
}
"""
"""Deadlock depends on variables that the assertions need not decide."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in {
        "ov-1.bp": QUESTIONS,
        "race.bp": RACE,
        "safe.bp": SAFE,
        "nd.bp": UNDECIDED,
    }.items():
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.mark.parametrize(
    "args",
    [
        ["ov-1.bp", "--all", "--evidence", "ov.bp"],
        ["race.bp", "--all", "--evidence", "ov.bp"],
        ["race.bp", "--evidence", "safe.bp"],
        ["race.bp", "--evidence", "race.bp"],
        ["race.bp", "--evidence", "link.json"],
        ["race.bp", "--evidence", "old.CPDS"],
        ["race.bp", "--evidence", "old.init"],
    ],
)
def test_evidence_never_takes_the_place_of_a_model(args: list[str], folder: Path) -> None:
    (folder / "link.json").symlink_to(folder / "safe.bp")
    for name in ("old.CPDS", "old.init"):
        (folder / name).write_text("mine")
    before = files(folder)
    done = call("verify", *args, cwd=folder)
    assert (done.code, done.out) == (2, "")
    assert "--evidence" in done.err
    assert files(folder) == before


def test_every_numbered_file_is_looked_at_before_the_run(folder: Path) -> None:
    (folder / "e-3.json").mkdir()
    done = call("verify", "ov-1.bp", "--all", "--evidence", "e.json", cwd=folder)
    assert (done.code, done.out) == (2, "")
    assert "e-3.json: the evidence cannot be written: Is a directory" in done.err
    assert not (folder / "e-1.json").exists()


def test_evidence_found_beside_a_deadlock_is_accepted_by_itself(folder: Path) -> None:
    asked = ["--property", "deadlock", "--property", "assertions", "--unreachable", "inside"]
    call("verify", "nd.bp", "--all", *asked, "--evidence", "nd.json", cwd=folder)
    for number in range(1, 5):
        done = call("check", "nd.bp", f"nd-{number}.json", "--all", *asked, cwd=folder)
        assert (done.code, done.err) == (0, ""), done.out
    assert json.loads((folder / "nd-2.json").read_text())["meaning"] == {
        "liveness": True,
        "watched": ["main:6.2"],
        "fused": {"joined": ["main"], "named": ["main:6.2"]},
    }


def test_evidence_with_dead_values_kept_is_accepted(folder: Path) -> None:
    for z in (["--no-liveness"], ["--z", "omega"]):
        call("verify", "safe.bp", *z, "--evidence", "e.json", cwd=folder)
        assert json.loads((folder / "e.json").read_text())["meaning"]["liveness"] is False
        assert call("check", "safe.bp", "e.json", cwd=folder).code == 0


def test_options_that_do_not_fit_the_question_are_rejected(folder: Path) -> None:
    args = ["nd.bp", "--unreachable", "inside"]
    call("verify", *args, "--evidence", "e.json", cwd=folder)
    path = folder / "e.json"
    document = json.loads(path.read_text())
    document["meaning"]["watched"] = []
    path.write_text(json.dumps(document))
    done = call("check", args[0], "e.json", *args[1:], cwd=folder)
    assert (done.code, done.out[:8]) == (1, "REJECTED")
    assert "the meaning of the program has no probe there" in done.out


def test_of_a_trace_the_one_violated_question_is_named(folder: Path) -> None:
    call("verify", "ov-1.bp", "--evidence", "e.json", cwd=folder)
    done = call("check", "ov-1.bp", "e.json", cwd=folder)
    assert done.out == "ACCEPTED  violated within 1 context: assert(!x) at ov-1.bp:6\n"
    call("verify", "nd.bp", "--property", "deadlock", "--evidence", "e.json", cwd=folder)
    done = call("check", "nd.bp", "e.json", "--property", "deadlock", cwd=folder)
    assert done.out.endswith(": no deadlock\n")


def test_evidence_is_checked_from_python(folder: Path) -> None:
    program = tepui.load(folder / "ov-1.bp")
    assert isinstance(program, tepui.Program)
    call("verify", "ov-1.bp", "--evidence", "e.json", cwd=folder)
    proved = tepui.check(program, folder / "e.json")
    assert (proved.verdict, len(proved.questions)) == ("unsafe", 1)
    assert str(proved) == "violated within 1 context: assert(!x) at ov-1.bp:6"
    with pytest.raises(tepui.EvidenceError):
        tepui.check(program, folder / "e.json", tepui.deadlock())
    with pytest.raises(tepui.UsageError):
        tepui.check("ov-1.bp", folder / "e.json")  # type: ignore[arg-type]


def test_evidence_about_a_system_is_checked_from_python(folder: Path) -> None:
    call("verify", FIGURE4, "--evidence", "e.json", cwd=folder)
    system = tepui.load(FIGURE4)
    assert tepui.check(system, folder / "e.json").verdict == "safe"
    with pytest.raises(tepui.UsageError):
        tepui.check(system, folder / "e.json", tepui.deadlock())


def test_threads_are_counted_from_python(folder: Path) -> None:
    program = tepui.load(folder / "race.bp", threads={"work": 1})
    assert tepui.verify(program).verdict == "safe"
    for path, threads in ((folder / "race.bp", {"wrok": 1}), (FIGURE4, {"P1": 2})):
        with pytest.raises(tepui.UsageError):
            tepui.load(path, threads=threads)


def test_a_program_is_written_out_from_python() -> None:
    program = program_of(SAFE)
    system = tepui.written_out(program)
    assert tepui.verify(system).verdict == "safe"
    reached = tepui.written_out(program, tepui.unreachable(program, "A"))
    assert tepui.verify(reached).verdict == "unsafe"


NAMED = """\
decl x := 0, y := 0;
void w(n: int 0..3, b) { assert(!(x && y && n = 2)); y := b; }
void main() { FIRST thread_create(w(1, 0)); thread_create(w(2, 1), 2); x := LAST; }
"""


@pytest.mark.parametrize("first", ["", "x := 1;"])
@pytest.mark.parametrize("last", ["0", "1"])
def test_names_of_types_with_arguments_survive_files(first: str, last: str, folder: Path) -> None:
    (folder / "named.bp").write_text(NAMED.replace("FIRST", first).replace("LAST", last))
    code = call("verify", "named.bp", "--evidence", "e.json", cwd=folder).code
    names = json.loads((folder / "e.json").read_text())["threads"]
    assert names == ["main", "w(1,0)", "w(2,1).1", "w(2,1).2"]
    assert call("check", "named.bp", "e.json", cwd=folder).code == 0
    for suffix in ("cpds", "pds"):
        assert call("convert", "named.bp", f"named.{suffix}", cwd=folder).code == 0
        assert call("verify", f"named.{suffix}", cwd=folder).code == code
