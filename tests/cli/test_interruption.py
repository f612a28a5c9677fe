"""Ctrl-C and closed pipes: what was found so far, or nothing, but never a stack trace."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NoReturn

import pytest
from jsonschema import Draft202012Validator

from support.cli import FIGURE4, HANGS, HARD, LONG, TEPUI, call, run, started
from support.schemas import schema
from tepui.report.exchange import as_json
from tepui.subject import SystemSubject

psutil = pytest.importorskip("psutil")

FOREVER = ("--engine", "explicit", "--symmetry", "off", "--timeout", "100")
"""The limit is there for the case that the interruption does not work."""


WARNED_OF = "\nvoid unused() { b0, b0 := 1, 0; }\n"
"""Loading a program with this gives a warning, which is the sign that it has started."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "long.cpds").write_text(LONG)
    return tmp_path


@pytest.mark.parametrize(("command", "word"), [("verify", "UNKNOWN"), ("explore", "STOPPED")])
def test_an_interrupted_run_says_what_it_found(command: str, word: str, folder: Path) -> None:
    out, err = _interrupt(command, "long.cpds", *FOREVER, cwd=folder)
    assert f"{word}  long: the run was interrupted\n" in out
    assert "explored  " in out
    assert err == ""


@pytest.mark.parametrize("engine", ["diagram", "symbolic", "delay", "abstract"])
def test_every_engine_can_be_interrupted(engine: str, folder: Path) -> None:
    (folder / "hard.bp").write_text(HARD + WARNED_OF)
    out, err = _interrupt("explore", "hard.bp", "--engine", engine, "--timeout", "100", cwd=folder)
    assert out.count("STOPPED  hard.bp: the run was interrupted\n") == 1
    assert err == ""


@pytest.mark.parametrize("jobs", ["1", "2", "3"])
def test_a_race_can_be_interrupted(jobs: str, folder: Path) -> None:
    (folder / "hard.bp").write_text(HARD + WARNED_OF)
    options = ("--z", "off", "--jobs", jobs, "--json", "--timeout", "100")
    out, err = _interrupt("explore", "hard.bp", *options, cwd=folder, seconds=2.5)
    found: dict[str, Any] = json.loads(out)
    Draft202012Validator(schema("result")).validate(found)
    assert (found["verdict"], found["reason"]) == ("stopped", "the run was interrupted")
    assert len({found["engine"], *(other["engine"] for other in found["others"])}) > 1
    assert err == ""


@pytest.mark.parametrize(("command", "verdict"), [("verify", "unknown"), ("explore", "stopped")])
@pytest.mark.parametrize("z", ["auto", "off"])
def test_an_interrupted_run_prints_one_json_object(
    command: str, verdict: str, z: str, folder: Path
) -> None:
    out, err = _interrupt(command, "long.cpds", "--json", "--z", z, *FOREVER, cwd=folder)
    found: dict[str, Any] = json.loads(out)
    Draft202012Validator(schema("result")).validate(found)
    assert (found["verdict"], found["reason"]) == (verdict, "the run was interrupted")
    assert len(found["rounds"]) > 1
    assert err == ""


def test_an_interrupted_checker_leaves_the_answer_unchecked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def interrupt(*_: object) -> NoReturn:
        raise KeyboardInterrupt

    monkeypatch.setattr(SystemSubject, "check", interrupt)
    done = call("verify", FIGURE4)
    assert (done.code, done.out.split()[0]) == (0, "SAFE")
    assert "unchecked" in done.out


def test_the_verdict_is_an_object_of_its_own_if_the_rest_was_not_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def interrupt(*_: object, **__: object) -> NoReturn:
        raise KeyboardInterrupt

    monkeypatch.setattr(as_json, "result_object", interrupt)
    done = call("verify", FIGURE4, "--json")
    Draft202012Validator(schema("result")).validate(done.json)
    assert (done.code, done.json["verdict"]) == (0, "safe")
    assert done.json["stop"] == {"kind": "interrupted", "limit": None}


@pytest.mark.parametrize(
    "module",
    [
        "click.exceptions",
        "tepui.cli.app",
        "tepui.cli.verify",
        "tepui.languages",
        "tepui._core",
    ],
)
def test_an_interruption_while_a_module_is_loaded_shows_no_stack_trace(module: str) -> None:
    """A signal before `main` is reached is Python's own business, and it shows its stack."""
    program = f"""
import os, signal, sys
class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Interrupt())
import tepui.cli
sys.argv = ["tepui", "verify", {FIGURE4!r}]
tepui.cli.command_line()
"""
    process = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        timeout=HANGS,
        check=False,
    )
    assert (process.returncode, process.stdout, process.stderr.strip()) == (3, "", "interrupted")


@pytest.mark.parametrize(
    "args",
    [
        ["verify", FIGURE4],
        ["explore", FIGURE4, "--list"],
        ["explore", "long.cpds", "--max-contexts", "4", "--list", "--symmetry", "off"],
        ["explore", "long.cpds", "--max-contexts", "3", "--json"],
        ["inspect", FIGURE4],
        ["verify", "-h"],
        ["--version"],
    ],
    ids=" ".join,
)
def test_a_closed_pipe_shows_no_stack_trace(args: list[str], folder: Path) -> None:
    _, err = _into_a_closed_pipe(*args, cwd=folder)
    assert [line for line in err.splitlines() if not line.startswith("warning: ")] == []


def test_a_closed_pipe_is_not_reported_as_an_answer(folder: Path) -> None:
    code, _ = _into_a_closed_pipe("verify", FIGURE4, cwd=folder)
    assert code == 141


def test_the_first_lines_of_a_long_list_can_be_had_alone(folder: Path) -> None:
    process = subprocess.run(
        f'"{TEPUI}" explore long.cpds --max-contexts 4 --symmetry off --list | head -1',
        shell=True,
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=HANGS,
        check=False,
    )
    assert process.stdout.split() == ["k", "states", "visible", "new", "seconds"]
    assert process.stderr.count("\n") == 1
    assert process.stderr.startswith("warning: ")


def test_a_closed_standard_output_shows_no_stack_trace() -> None:
    process = subprocess.run(
        ["sh", "-c", 'exec "$0" "$@" >&-', TEPUI, "verify", FIGURE4],
        capture_output=True,
        text=True,
        timeout=HANGS,
        check=False,
    )
    assert "Traceback" not in process.stderr


def test_nothing_is_read_from_standard_input() -> None:
    assert run("verify", FIGURE4, input="q0\n" * 1000).code == 0


def _interrupt(*args: str, cwd: Path, seconds: float = 1) -> tuple[str, str]:
    """Send SIGINT when a run has worked for some seconds of processor time. What it said then."""
    with started(*args, cwd=cwd) as process:
        used = psutil.Process(process.pid).cpu_times
        while process.poll() is None and used().user + used().system < seconds:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=HANGS)
        assert process.returncode == 3
    return out, err


def _into_a_closed_pipe(*args: str, cwd: Path) -> tuple[int, str]:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        process = subprocess.run(
            [TEPUI, *args],
            cwd=cwd,
            stdout=writing,
            stderr=subprocess.PIPE,
            text=True,
            timeout=HANGS,
            check=False,
        )
    finally:
        os.close(writing)
    return process.returncode, process.stderr
