"""Exit codes: what every command returns for every way to end, internal errors included."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import NoReturn

import pytest

from support.cli import COLLAPSING, COMMANDS, DEADLOCKING, FIGURE4, INFINITE, call, files, run
from tepui.errors import EvidenceError
from tepui.subject import SystemSubject

UNSAFE = ("--target", "q3|2,4")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "collapsing.cpds").write_text(COLLAPSING)
    (tmp_path / "deadlocking.cpds").write_text(DEADLOCKING)
    (tmp_path / "infinite.cpds").write_text(INFINITE)
    asking = Path(FIGURE4).read_text(encoding="utf-8")
    (tmp_path / "asks-nothing.cpds").write_text(asking.replace("bad q3", "# bad q3"))
    call("verify", FIGURE4, "--evidence", "safe.json", cwd=tmp_path)
    call("verify", FIGURE4, *UNSAFE, "--evidence", "unsafe.json", cwd=tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("code", "first_word", "args"),
    [
        (0, "SAFE", ["verify", FIGURE4]),
        (0, "SAFE", ["verify", "collapsing.cpds", "--property", "deadlock", "--z", "off"]),
        (0, "SAFE", ["verify", "infinite.cpds"]),
        (0, "SAFE", ["verify", FIGURE4, "--no-check"]),
        (1, "UNSAFE", ["verify", FIGURE4, *UNSAFE]),
        (1, "UNSAFE", ["verify", FIGURE4, *UNSAFE, "--contexts", "2"]),
        (1, "UNSAFE", ["verify", FIGURE4, *UNSAFE, "--max-contexts", "2"]),
        (1, "UNSAFE", ["verify", "deadlocking.cpds"]),
        (1, "UNSAFE", ["verify", FIGURE4, "--target", "q0|*,*", "--contexts", "0"]),
        (2, "", ["verify", "collapsing.cpds"]),
        (3, "UNKNOWN", ["verify", FIGURE4, "--z", "off", "--max-contexts", "4"]),
        (3, "UNKNOWN", ["verify", FIGURE4, *UNSAFE, "--max-contexts", "1"]),
        (3, "UNKNOWN", ["verify", FIGURE4, "--timeout", "0"]),
        (3, "UNKNOWN", ["verify", FIGURE4, "--memory", "1M"]),
        (3, "UNKNOWN", ["verify", "infinite.cpds", "--z", "off", "--engine", "explicit"]),
        (4, "BOUNDED", ["verify", FIGURE4, "--contexts", "0"]),
        (4, "BOUNDED", ["verify", FIGURE4, "--contexts", "9"]),
        (4, "BOUNDED", ["verify", FIGURE4, *UNSAFE, "--contexts", "1"]),
        (4, "BOUNDED", ["verify", "collapsing.cpds", "--target", "r|-", "--contexts", "9"]),
        (0, "k", ["explore", FIGURE4]),
        (0, "k", ["explore", "collapsing.cpds", "--z", "off"]),
        (0, "k", ["explore", "deadlocking.cpds"]),
        (3, "k", ["explore", FIGURE4, "--z", "off", "--max-contexts", "4"]),
        (3, "k", ["explore", FIGURE4, "--timeout", "0"]),
        (3, "k", ["explore", FIGURE4, "--memory", "1M", "--engine", "explicit"]),
        (3, "rounds", ["explore", FIGURE4, "--memory", "1M"]),
        (0, "SAFE", ["verify", FIGURE4, "--engine", "delay"]),
        (0, "SAFE", ["verify", FIGURE4, "--engine", "abstract"]),
        (0, "SAFE", ["verify", "collapsing.cpds", "--target", "r|-", "--engine", "delay"]),
        (0, "SAFE", ["verify", FIGURE4, "--jobs", "2"]),
        (1, "UNSAFE", ["verify", FIGURE4, *UNSAFE, "--engine", "delay"]),
        (1, "UNSAFE", ["verify", FIGURE4, *UNSAFE, "--rounds", "2"]),
        (1, "UNSAFE", ["verify", FIGURE4, *UNSAFE, "--delays", "0"]),
        (1, "UNSAFE", ["verify", FIGURE4, *UNSAFE, "--jobs", "2"]),
        (3, "UNKNOWN", ["verify", FIGURE4, "--engine", "delay", "--timeout", "0"]),
        (3, "UNKNOWN", ["verify", FIGURE4, "--engine", "delay", "--memory", "1M"]),
        (4, "BOUNDED", ["verify", FIGURE4, *UNSAFE, "--rounds", "1"]),
        (4, "BOUNDED", ["verify", FIGURE4, "--delays", "1"]),
        (4, "BOUNDED", ["verify", FIGURE4, "--rounds", "9", "--delays", "9"]),
        (4, "BOUNDED", ["verify", FIGURE4, "--rounds", "9", "--engine", "abstract"]),
        (4, "BOUNDED", ["verify", "collapsing.cpds", "--target", "r|-", "--delays", "9"]),
        (0, "rounds", ["explore", FIGURE4, "--engine", "delay"]),
        (0, "rounds", ["explore", FIGURE4, "--engine", "abstract", "--tops", "2"]),
        (0, "rounds", ["explore", FIGURE4, "--rounds", "9"]),
        (3, "rounds", ["explore", FIGURE4, "--rounds", "2", "--delays", "1"]),
        (3, "rounds", ["explore", FIGURE4, "--delays", "0"]),
        (0, "ACCEPTED", ["check", FIGURE4, "safe.json"]),
        (0, "ACCEPTED", ["check", FIGURE4, "unsafe.json", *UNSAFE]),
        (1, "REJECTED", ["check", FIGURE4, "unsafe.json"]),
        (0, "ACCEPTED", ["check", "asks-nothing.cpds", "safe.json"]),
        (1, "REJECTED", ["check", FIGURE4, "safe.json", *UNSAFE]),
        (1, "REJECTED", ["check", FIGURE4, "unsafe.json", "--target", "q1|2,6"]),
        (1, "REJECTED", ["check", FIGURE4, "unsafe.json", "--init", "q1|2,4"]),
        (2, "", ["check", "collapsing.cpds", "safe.json"]),
        (0, "wrote", ["convert", FIGURE4, "new.pds"]),
        (0, "wrote", ["convert", "collapsing.cpds", "new.cpds"]),
        (0, "wrote", ["convert", FIGURE4, "collapsing.cpds", "--force"]),
        (2, "", ["convert", FIGURE4, "collapsing.cpds"]),
        (0, "figure4:", ["inspect", FIGURE4]),
        (0, "infinite:", ["inspect", "infinite.cpds"]),
        (2, "", ["inspect", "nothing.cpds"]),
    ],
)
def test_a_command_returns_the_code_of_how_it_ended(
    code: int, first_word: str, args: list[str], folder: Path
) -> None:
    done = call(*args, cwd=folder)
    assert (done.code, (done.out.split() or [""])[0]) == (code, first_word)
    assert bool(done.err) == (code == 2)


def test_the_installed_command_returns_the_same_codes(folder: Path) -> None:
    for code, args in [
        (0, ["verify", FIGURE4]),
        (1, ["verify", FIGURE4, *UNSAFE]),
        (2, ["verify", "collapsing.cpds"]),
        (3, ["verify", FIGURE4, "--timeout", "0"]),
        (4, ["verify", FIGURE4, "--contexts", "3"]),
        (3, ["explore", FIGURE4, "--max-contexts", "0"]),
        (1, ["check", FIGURE4, "unsafe.json", "--target", "q1|2,6"]),
    ]:
        assert run(*args, cwd=folder).code == code


def test_explore_says_whether_it_collapsed_or_stopped() -> None:
    assert "\nCOLLAPSED  figure4: exactly 8 visible states" in call("explore", FIGURE4).out
    assert "\nSTOPPED  figure4: " in call("explore", FIGURE4, "--timeout", "0").out


def test_a_bounded_run_never_says_safe() -> None:
    done = call("verify", FIGURE4, "--contexts", "9")
    assert "no violation within 9 contexts" in done.out
    assert "safe" not in done.out.lower()


def test_the_limit_on_contexts_holds_in_a_bounded_run() -> None:
    assert call("verify", FIGURE4, "--contexts", "5", "--max-contexts", "3").code == 3


def test_what_convert_writes_gives_the_same_answer(tmp_path: Path) -> None:
    assert call("convert", FIGURE4, "new.pds", *UNSAFE, cwd=tmp_path).code == 0
    assert set(files(tmp_path)) == {"new.pds", "new.init", "new.spec"}
    done = call("verify", "new.pds", cwd=tmp_path)
    assert (done.code, done.err) == (1, "")
    assert "within 2 contexts" in done.out


@pytest.mark.parametrize("options", [[], UNSAFE])
@pytest.mark.parametrize("as_json", [[], ["--json"]])
def test_evidence_that_the_checker_rejects_is_an_internal_error_and_no_answer(
    options: list[str], as_json: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def reject(*_: object) -> NoReturn:
        raise EvidenceError("nothing convinces me")

    monkeypatch.setattr(SystemSubject, "check", reject)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    done = call("verify", FIGURE4, *options, *as_json, "--evidence", "mine.json", cwd=tmp_path)
    assert (done.code, done.out) == (5, "")
    assert "nothing convinces me" in done.err
    assert "please report it" in done.err
    assert "Traceback" not in done.err
    (saved,) = tmp_path.rglob("*.json")
    assert done.err.rstrip().endswith(str(saved))
    assert call("check", FIGURE4, str(saved), *options).code == 0


@pytest.mark.parametrize("name", COMMANDS)
def test_an_unexpected_exception_is_an_internal_error_without_a_stack_trace(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    _break(name, monkeypatch, ZeroDivisionError("by chance"))
    done = call(name, FIGURE4, *_operands(name))
    assert (done.code, done.out) == (5, "")
    assert done.err.startswith("internal error: ZeroDivisionError: by chance\n")
    assert "please report it" in done.err
    assert "Traceback" not in done.err


def test_an_unexpected_exception_shows_itself_to_those_who_debug(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _break("verify", monkeypatch, ZeroDivisionError("by chance"))
    monkeypatch.setenv("TEPUI_DEBUG", "1")
    with pytest.raises(ZeroDivisionError):
        call("verify", FIGURE4)


@pytest.mark.parametrize("name", COMMANDS)
def test_an_interrupted_command_returns_3_without_a_stack_trace(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    _break(name, monkeypatch, KeyboardInterrupt())
    done = call(name, FIGURE4, *_operands(name))
    assert (done.code, done.out, done.err.strip()) == (3, "", "interrupted")


def _break(name: str, monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    """Make a command raise this instead of reading its file."""

    def raise_it(*_: object) -> NoReturn:
        raise error

    monkeypatch.setattr(f"tepui.cli.{name}.load_model", raise_it)


def _operands(name: str) -> list[str]:
    return {"check": ["evidence.json"], "convert": ["new.cpds"]}.get(name, [])
