"""Wrong command lines: exit code 2, a message that helps, nothing printed, nothing written."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from support.cli import ALL_COMMANDS, COLLAPSING, FIGURE4, call, files, run

A = "a.cpds"

BROKEN: list[tuple[list[str], list[str]]] = [
    # The command itself.
    (["frobnicate"], ["no command 'frobnicate'; the commands", *ALL_COMMANDS]),
    (["verfy"], ["no command 'verfy'; did you mean 'verify'?"]),
    (["verfy", A], ["no command 'verfy'", "verify"]),
    (["VERIFY", A], ["no command 'VERIFY'", "verify"]),
    ([""], ["no command ''"]),
    (["--frobnicate"], ["--frobnicate"]),
    (["-x", "verify", A], ["-x"]),
    (["verify", A, "--frobnicate"], ["--frobnicate"]),
    # Files.
    (["verify"], ["FILE"]),
    (["explore"], ["FILE"]),
    (["inspect"], ["FILE"]),
    (["check", A], ["EVIDENCE"]),
    (["convert", A], ["OUTPUT"]),
    (["verify", A, A], ["extra argument", A]),
    (["check", A, "no.json", "more"], ["extra argument", "more"]),
    (["verify", "no.cpds"], ["no.cpds: there is no such file"]),
    (["explore", "no.pds"], ["no.pds: there is no such file"]),
    (["verify", ""], ["directory"]),
    (["verify", "folder"], ["folder: this is a directory"]),
    (["verify", "folder.cpds"], ["folder.cpds: this is a directory"]),
    (["verify", "no.json"], ["no.json: ", ".pds", ".cpds"]),
    (["verify", "-"], ["<stdin>: say what it is written in, such as --language bp"]),
    # What is asked.
    (["verify", "asks-nothing.cpds"], ["--target", "--property", "explore"]),
    (["verify", "asks-nothing.pds"], ["--target", "--property", "explore"]),
    (["verify", "no-init.pds"], ["no-init.pds has no initial state", "--init"]),
    (["explore", "no-init.pds"], ["no-init.pds has no initial state", "--init"]),
    (["inspect", "no-init.pds"], ["no-init.pds has no initial state", "--init"]),
    (["convert", "no-init.pds", "new.cpds"], ["no-init.pds has no initial state", "--init"]),
    (["verify", A, "--property", "liveness"], ["--property liveness", "deadlock"]),
    (["verify", A, "--property", ""], ["--property", "deadlock"]),
    (["verify", A, "--target"], ["--target"]),
    (["verify", A, "--target", ""], ["--target:1:1: expected a target"]),
    (["verify", A, "--target", "q0|1"], ["--target:1:5: expected 2 entries", "P1, P2"]),
    (
        ["verify", A, "--target", "q3|2,4", "--target", "q3"],
        ["--target:1:1: expected 'deadlock', or a state such as "],
    ),
    (["verify", A, "--init", ""], ["--init:1:1: expected an initial state"]),
    (["verify", A, "--init", "q0|*,4"], ["--init:1:4: "]),
    # Numbers and words.
    (["verify", A, "--contexts", "-1"], ["--contexts", "-1"]),
    (["verify", A, "--contexts", "x"], ["--contexts", "'x'"]),
    (["verify", A, "--contexts", "1.5"], ["--contexts", "'1.5'"]),
    (["verify", A, "--max-contexts", "-1"], ["--max-contexts", "-1"]),
    (["explore", A, "--max-contexts", "many"], ["--max-contexts", "'many'"]),
    (["verify", A, "--timeout", "x"], ["--timeout x", "90s"]),
    (["verify", A, "--timeout", ""], ["--timeout", "90s"]),
    (["verify", A, "--timeout", "-1"], ["--timeout -1", "90s"]),
    (["verify", A, "--timeout", "nan"], ["--timeout nan", "90s"]),
    (["explore", A, "--timeout", "1d"], ["--timeout 1d", "90s"]),
    (["verify", A, "--memory", "5"], ["--memory 5", "unit", "500M"]),
    (["verify", A, "--memory", "M"], ["--memory M", "500M"]),
    (["verify", A, "--memory", "-5M"], ["--memory -5M", "500M"]),
    (["explore", A, "--memory", "5 apples"], ["--memory 5 apples", "500M"]),
    (["verify", A, "--z", "nonsense"], ["--z nonsense", "auto, off, cut, omega", "matched:B"]),
    (["verify", A, "--z", ""], ["--z", "auto, off, cut, omega"]),
    (["verify", A, "--z", "matched:0"], ["--z matched:0", "from 1 to"]),
    (["verify", A, "--z", "matched:-1"], ["--z matched:-1"]),
    (["explore", A, "--z", "cut:2"], ["--z cut:2", "matched:B"]),
    (["verify", A, "--engine", "warp"], ["--engine", "'warp'", "explicit"]),
    (["verify", A, "--engine", "delays"], ["--engine", "'delays'", "'delay'"]),
    (["verify", A, "--delay", "3"], ["--delay", "--delays"]),
    (["verify", A, "--rounds", "-1"], ["--rounds", "-1"]),
    (["verify", A, "--rounds", "x"], ["--rounds", "'x'"]),
    (["explore", A, "--delays", "-1"], ["--delays", "-1"]),
    (["explore", A, "--delays", "1.5"], ["--delays", "'1.5'"]),
    (["explore", A, "--engine", "delay", "--tops", "0"], ["--tops", "0"]),
    (["explore", A, "--engine", "delay", "--tops", "9" * 30], ["--tops", "9" * 30]),
    (["verify", A, "--jobs", "0"], ["--jobs", "0"]),
    (["verify", A, "--jobs", "all"], ["--jobs", "'all'"]),
    # Contexts, or rounds and delays.
    *(
        ([command, A, "--engine", engine, option, "3"], [f"{option} ", engine, "--rounds"])
        for command, option in (("verify", "--contexts"), ("explore", "--max-contexts"))
        for engine in ("delay", "abstract")
    ),
    (["verify", A, "--rounds", "3", "--contexts", "3"], ["--contexts", "--rounds", "one of them"]),
    (["explore", A, "--delays", "3", "--max-contexts", "3"], ["--max-contexts", "--delays"]),
    *(
        (["verify", A, option, "3", "--engine", engine], [option, engine, "--engine delay"])
        for option in ("--rounds", "--delays")
        for engine in ("explicit", "diagram", "symbolic")
    ),
    (["verify", A, "--tops", "2"], ["--tops", "--engine delay", "--engine auto"]),
    (["explore", A, "--tops", "2", "--engine", "diagram"], ["--tops", "--engine delay", "diagram"]),
    (["verify", A, "--engine", "abstract", "--z", "omega"], ["--z omega", "matched"]),
    (["verify", A, "--symmetry", "maybe"], ["--symmetry", "'maybe'", "on", "off"]),
    (["verify", A, "--json=yes"], ["--json"]),
    # Options of other commands.
    (
        ["explore", A, "--contexts", "3"],
        [
            "there is no option '--contexts'; --contexts is an option of verify",
            "did you mean '--max-contexts'?",
        ],
    ),
    (["explore", A, "--evidence", "new.json"], ["--evidence"]),
    (["explore", A, "--no-check"], ["--no-check"]),
    (["verify", A, "--list"], ["--list"]),
    (["inspect", A, "--timeout", "1"], ["--timeout"]),
    (["convert", A, "new.cpds", "--json"], ["--json"]),
    # Files beside the first.
    (["check", A, "missing.json"], ["missing.json: there is no such file"]),
    (["check", A, "folder"], ["folder: this is a directory, expected a file"]),
    (["check", A, "no.json"], ["no.json:1:1: this is not tepui evidence"]),
    (["check", A, A], [f"{A}:1:1: this is not tepui evidence, which is written in JSON"]),
    (["check", A, "empty.json"], ["empty.json: the file is not tepui evidence"]),
    # Outputs.
    (["convert", A, "asks-nothing.cpds"], ["already there: ", "asks-nothing.cpds", "--force"]),
    (["convert", A, "asks-nothing.pds"], ["already there: ", "asks-nothing.init", "--force"]),
    (["convert", A, A], ["already there: ", A, "--force"]),
    (["convert", A, "new.txt"], ["new.txt: ", ".pds or .cpds"]),
    (["convert", A, "new"], ["new: ", ".pds or .cpds"]),
    (["convert", A, ".cpds"], [".cpds: ", "ends in .pds or .cpds"]),
    (["convert", A, "folder"], ["folder: ", ".pds or .cpds"]),
    (["convert", A, "folder.cpds"], ["already there: ", "folder.cpds", "--force"]),
    (["convert", A, "folder.cpds", "--force"], ["folder.cpds: cannot be written: Is a directory"]),
    (["convert", A, "nowhere/new.cpds"], ["nowhere/new.cpds: cannot be written: No such file"]),
    (["convert", A, f"{A}/new.pds"], [f"{A}/new.pds: cannot be written: Not a directory"]),
]

TOO_LONG = ["convert", A, "x" * 300 + ".cpds"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / A).write_bytes(Path(FIGURE4).read_bytes())
    (tmp_path / "asks-nothing.cpds").write_text(COLLAPSING)
    for name in ("asks-nothing.pds", "no-init.pds"):
        (tmp_path / name).write_text("2\nPDA 0 1\n0 1 -> 1 -\n")
    (tmp_path / "asks-nothing.init").write_text("0|1\n")
    (tmp_path / "no.json").write_text("not JSON\n")
    (tmp_path / "empty.json").write_text("{}\n")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder.cpds").mkdir()
    return tmp_path


def _name(args: object) -> str | None:
    return " ".join(args)[:60] if isinstance(args, list) else None


@pytest.mark.parametrize(
    ("args", "fragments"),
    [
        *BROKEN,
        (TOO_LONG, ["cannot be written: File name too long"]),
    ],
    ids=_name,
)
def test_a_wrong_command_line_is_refused_with_a_message_that_helps(
    args: list[str], fragments: list[str], folder: Path
) -> None:
    before = files(folder)
    done = call(*args, cwd=folder)
    assert (done.code, done.out) == (2, "")
    assert "error: " in done.err.lower()
    assert "Traceback" not in done.err
    assert [fragment for fragment in fragments if fragment not in done.err] == []
    assert files(folder) == before


@pytest.mark.parametrize(("args", "fragments"), BROKEN[::14], ids=_name)
def test_the_installed_command_refuses_the_same(
    args: list[str], fragments: list[str], folder: Path
) -> None:
    done = run(*args, cwd=folder)
    assert (done.code, done.out) == (2, "")
    assert "Traceback" not in done.err
    assert [fragment for fragment in fragments if fragment not in done.err] == []


@pytest.mark.parametrize("command", ["verify", "explore"])
def test_more_memory_than_there_can_be_is_no_internal_error(command: str) -> None:
    assert call(command, FIGURE4, "--memory", "999999999T").code in (0, 2)


def test_no_arguments_at_all_show_the_help_and_are_wrong() -> None:
    done = call()
    assert done.code == 2
    assert [name for name in ALL_COMMANDS if name not in done.out + done.err] == []


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("nowhere/new.json", "No such file or directory"),
        ("folder", "Is a directory"),
        ("a.cpds/new.json", "Not a directory"),
        (".", "directory"),
        ("", "directory"),
    ],
)
@pytest.mark.parametrize("as_json", [[], ["--json"]], ids=["text", "json"])
def test_evidence_that_cannot_be_written_is_an_error_before_the_run(
    path: str, why: str, as_json: list[str], folder: Path
) -> None:
    before = files(folder)
    done = call("verify", A, *as_json, "--evidence", path, cwd=folder)
    assert (done.code, done.out) == (2, "")
    assert "the evidence cannot be written" in done.err
    assert why in done.err
    assert "Traceback" not in done.err
    assert files(folder) == before


@pytest.mark.parametrize("as_json", [[], ["--json"]], ids=["text", "json"])
def test_evidence_that_turns_out_not_to_fit_is_an_error_after_the_answer(
    as_json: list[str], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("tepui.cli.verify.save_evidence", full)
    done = call("verify", A, *as_json, "--evidence", "new.json", cwd=folder)
    assert done.code == 2
    assert (done.json["verdict"] == "safe") if as_json else done.out.startswith("SAFE")
    assert "the evidence cannot be written: No space left on device" in done.err


def test_where_there_is_no_evidence_none_is_written(folder: Path) -> None:
    before = files(folder)
    done = call("verify", A, "--timeout", "0", "--evidence", "new.json", cwd=folder)
    assert done.code == 3
    assert "no evidence was written" in done.err
    assert files(folder) == before


def test_evidence_never_takes_the_place_of_a_device_or_a_pipe(folder: Path) -> None:
    (folder / "link").symlink_to("/dev/null")
    call("verify", A, "--evidence", "link", cwd=folder)
    assert (folder / "link").is_symlink()


def test_evidence_never_takes_the_place_of_the_system(folder: Path) -> None:
    before = files(folder)
    call("verify", A, "--evidence", A, cwd=folder)
    assert files(folder) == before
