"""What commands make from program files: systems, descriptions, the canonical form."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from support.cli import Completed, call, files
from support.samples.program_texts import CREATING, RACE, SAFE, STUCK
from tepui.languages.boolean.formatter import format_program

RUNS = [
    ["race.bp"],
    ["safe.bp"],
    ["creating.bp"],
    ["race.bp", "--unreachable", "taken"],
    ["race.bp", "--unreachable", "never"],
    ["race.bp", "--never-together", "15", "16"],
    ["stuck.bp", "--property", "deadlock"],
    ["safe.bp", "--property", "deadlock", "--unreachable", "dead"],
    ["race.bp", "--threads", "work=3"],
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in {
        "race.bp": RACE,
        "creating.bp": CREATING,
        "stuck.bp": STUCK,
        "safe.bp": SAFE,
        "asks-nothing.bp": "void main() { skip; }\n",
    }.items():
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.mark.parametrize("suffix", ["cpds", "pds"])
@pytest.mark.parametrize("args", RUNS, ids=" ".join)
def test_a_program_written_out_as_a_system_gets_the_same_answer(
    args: list[str], suffix: str, folder: Path
) -> None:
    """A system has single steps, so its states are those without fusion. Fused steps change no
    answer."""
    assert call("convert", args[0], f"new.{suffix}", *args[1:], cwd=folder).code == 0
    program = call("verify", *args, "--z", "off", "--no-fusion", "--json", cwd=folder).json
    fused = call("verify", *args, "--z", "off", "--json", cwd=folder).json
    system = call("verify", f"new.{suffix}", "--z", "off", "--json", cwd=folder).json
    for field in ("verdict", "bound", "states", "visible_states", "states_up_to_symmetry"):
        assert program[field] == system[field], field
    assert fused["verdict"] == system["verdict"]
    if fused["verdict"] == "unsafe":
        assert fused["bound"] == system["bound"]


def test_a_program_that_asks_nothing_can_be_written_out(folder: Path) -> None:
    assert call("convert", "asks-nothing.bp", "new.cpds", cwd=folder).code == 0
    assert call("explore", "new.cpds", cwd=folder).code == 0
    assert "bad" not in (folder / "new.cpds").read_text()


def test_targets_that_nothing_can_match_are_left_out_where_others_remain(folder: Path) -> None:
    asked = ["--unreachable", "never", "--unreachable", "19"]
    call("convert", "race.bp", "new.cpds", *asked, cwd=folder)
    assert (folder / "new.cpds").read_text().count("\nbad ") > 0
    done = call("verify", "new.cpds", cwd=folder)
    assert (done.code, done.err) == (1, "")


def test_a_system_whose_targets_nothing_can_match_still_asks_for_one(folder: Path) -> None:
    asked = ["--unreachable", "never", "--never-together", "never", "never"]
    call("convert", "race.bp", "new.cpds", *asked, cwd=folder)
    assert (folder / "new.cpds").read_text().count("\nbad ") == 1
    assert call("verify", "new.cpds", cwd=folder).code == 0


def test_one_pair_of_omega_is_one_pair(folder: Path) -> None:
    (folder / "one.bp").write_text("void f() { skip; } void main() { f(); L: skip; assert(1); }\n")
    done = call("inspect", "one.bp", cwd=folder)
    assert "Ω of main: 1 pair of a returning place" in done.out


def test_the_help_tells_which_strengths_keep_dead_values() -> None:
    assert "omega and omega-l imply --no-liveness" in " ".join(call("verify", "-h").out.split())


def test_inspect_shows_the_program_its_questions_and_omega(folder: Path) -> None:
    done = call("inspect", "race.bp", cwd=folder)
    assert (done.code, done.err) == (0, "")
    assert "procedure next(now: bool) returns bool\n" in done.out
    assert "thread work * 2: work\n" in done.out
    assert "question assert(x) at race.bp:19\n" in done.out
    assert "Ω of work: 2 pairs of a returning place and one after a call\n" in done.out
    assert "    next:9 -> work:15.2\n" in done.out
    none = call("inspect", "asks-nothing.bp", cwd=folder).out
    assert "question none: --unreachable, --never-together or --property ask one\n" in none


def test_inspect_gives_the_same_as_json(folder: Path) -> None:
    found = call("inspect", "race.bp", "--threads", "work=3", "--json", cwd=folder).json
    assert found["omega"] == {"work": [["enter:5", "work:15"], ["next:9", "work:15.2"]]}
    assert found["threads"] == [
        {"name": "work", "procedure": "work", "count": 3, "created": False, "inherited": []}
    ]
    assert [one["name"] for one in found["globals"]] == ["x", "free"]
    assert found["questions"] == [{"kind": "assertion", "text": "assert(x) at race.bp:19"}]
    assert found["may_recurse"] is False


def test_format_prints_the_canonical_text(folder: Path) -> None:
    before = files(folder)
    done = call("format", "race.bp", cwd=folder)
    assert (done.code, done.err) == (0, "")
    assert done.out == format_program(RACE, "race.bp")
    assert files(folder) == before


def test_format_check_lists_what_would_change(folder: Path) -> None:
    (folder / "good.bp").write_text(format_program(RACE, "good.bp"))
    before = files(folder)
    done = call("format", "--check", "good.bp", "race.bp", cwd=folder)
    assert (done.code, done.out) == (1, "would change race.bp\n")
    assert files(folder) == before
    assert call("format", "--check", "good.bp", cwd=folder) == Completed(0, "", "")


def test_format_write_changes_files_and_keeps_their_modes(folder: Path) -> None:
    (folder / "race.bp").chmod(0o640)
    before = files(folder)
    assert call("format", "-w", "race.bp", cwd=folder).out == "rewrote race.bp\n"
    assert files(folder) == before | {"race.bp": format_program(RACE, "race.bp").encode()}
    assert stat.S_IMODE((folder / "race.bp").stat().st_mode) == 0o640
    assert call("format", "--write", "race.bp", cwd=folder) == Completed(0, "", "")


def test_format_writes_nothing_if_one_of_the_files_is_broken(folder: Path) -> None:
    (folder / "broken.bp").write_text("void main( {")
    before = files(folder)
    done = call("format", "-w", "race.bp", "broken.bp", cwd=folder)
    assert (done.code, done.out) == (2, "")
    assert "broken.bp:1:12: " in done.err
    assert files(folder) == before


def test_format_removes_carriage_returns(folder: Path) -> None:
    good = format_program(RACE, "race.bp")
    (folder / "race.bp").write_bytes(good.replace("\n", "\r\n").encode())
    assert call("format", "--check", "race.bp", cwd=folder).code == 1
    assert call("format", "-w", "race.bp", cwd=folder).code == 0
    assert (folder / "race.bp").read_bytes() == good.encode()
