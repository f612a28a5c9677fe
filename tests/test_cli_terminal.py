"""What people see: the version, the help, and on a terminal a live table."""

from __future__ import annotations

import os
import pty
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest

import tepui
from cli import ALL_COMMANDS, EXAMPLES, FIGURE4, HANGS, HARD, TEPUI, call, run
from program_texts import QUESTIONS

EXPLICITLY = ("--engine", "explicit", "--symmetry", "off")
ASKING = {"--target", "--property", "--unreachable", "--never-together"}
SYSTEM_OPTIONS = {"--init", "--threads"} | ASKING
RUN_OPTIONS = {
    *("--engine", "--rounds", "--delays", "--tops", "--jobs"),
    *("--symmetry", "--z", "--matching", "--no-liveness", "--slots"),
    *("--timeout", "--memory", "--max-contexts", "--json", "--quiet"),
}
VERIFY_OPTIONS = {
    *("--reach", "--contexts", "--evidence", "--no-check", "--all", "--traces", "--stacks"),
}
OPTIONS = {
    "verify": SYSTEM_OPTIONS | RUN_OPTIONS | VERIFY_OPTIONS,
    "explore": {"--init", "--threads"} | RUN_OPTIONS | {"--list", "--compare"},
    "check": SYSTEM_OPTIONS | {"--reach", "--all", "--json"},
    "convert": SYSTEM_OPTIONS | {"--force"},
    "inspect": SYSTEM_OPTIONS | {"--json"},
    "format": {"--check", "--write"},
    "automaton": {
        *("--init", "--threads", "--thread", "--from", "--short", "--pre"),
        *("--dot", "--svg", "--output", "--force"),
    },
    "dataflow": {
        *("--init", "--threads", "--at", "--called-from", "--domain", "--modulus"),
        *("--contexts", "--compare", "--timeout", "--memory", "--json"),
    },
    "weigh": {
        *("--from", "--to", "--post", "--pre", "--contexts", "--json", "--timeout", "--memory"),
    },
}
HEADER = re.compile(r"k +states +visible +new +time +memory")
DELAY_HEADER = re.compile(r"rounds +delays +states +visible +new +time +memory")


def test_the_version_is_that_of_the_package() -> None:
    done = run("--version")
    assert (done.code, done.out, done.err) == (0, f"tepui {tepui.__version__}\n", "")
    assert call("--version") == done


@pytest.mark.parametrize("option", ["-h", "--help"])
def test_the_help_names_every_command(option: str) -> None:
    done = call(option)
    assert (done.code, done.err) == (0, "")
    assert [name for name in ALL_COMMANDS if f"\n  {name} " not in done.out] == []


@pytest.mark.parametrize("command", ALL_COMMANDS)
@pytest.mark.parametrize("option", ["-h", "--help"])
def test_the_help_of_a_command_names_every_option_and_exit_code(command: str, option: str) -> None:
    done = call(command, option)
    assert (done.code, done.err) == (0, "")
    assert (
        set(re.findall(r"^ +(?:-\w, )?(--[a-z-]+)", done.out, re.M)) - {"--help"}
        == (OPTIONS[command])
    )
    assert "Exit code: 0 " in done.out
    assert "2 wrong input or use" in done.out


def test_the_installed_command_shows_the_same_help() -> None:
    installed, here = run("explore", "-h").out, call("explore", "-h").out
    assert installed.startswith("Usage: tepui explore [OPTIONS] FILE\n")
    assert installed.splitlines()[1:] == here.splitlines()[1:]


@pytest.mark.parametrize("command", ["verify", "explore"])
def test_a_live_table_appears_on_a_terminal(command: str) -> None:
    code, out, shown = _on_a_terminal(command, FIGURE4)
    assert code == 0
    assert f"{command} figure4" in shown
    assert HEADER.search(shown)
    assert not HEADER.search(out)


def test_the_live_table_has_a_row_for_every_round() -> None:
    _, out, shown = _on_a_terminal("explore", FIGURE4, "--z", "off", "--max-contexts", "5")
    last = shown[[found.end() for found in HEADER.finditer(shown)][-1] :]
    rows = re.findall(r"^ *(\d+) +([\d,]+) +([\d,]+) +(\S+) +[\d.]+ s +[\d,]+ MiB", last, re.M)
    assert rows == [
        ("0", "1", "1", "+1"),
        ("1", "3", "3", "+2"),
        ("2", "6", "6", "+3"),
        ("3", "8", "6", "plateau"),
        ("4", "11", "7", "+1"),
        ("5", "14", "8", "+1"),
    ]
    assert out.startswith("STOPPED")


def test_the_live_table_counts_rounds_and_delays_where_these_are_counted() -> None:
    _, out, shown = _on_a_terminal("explore", FIGURE4, "--rounds", "3", "--delays", "1")
    assert not HEADER.search(shown)
    last = shown[[found.end() for found in DELAY_HEADER.finditer(shown)][-1] :]
    row = r"^ *(\d+) +(\d+) +([\d,]+) +([\d,]+) +(\S+) +[\d.]+ s +[\d,]+ MiB"
    assert re.findall(row, last, re.M) == [
        ("0", "0", "1", "1", "+1"),
        ("1", "0", "3", "3", "+2"),
        ("2", "0", "4", "4", "+1"),
        ("3", "0", "6", "5", "+1"),
        ("3", "1", "8", "7", "+2"),
    ]
    assert out.startswith("STOPPED")


def test_the_live_table_of_several_questions_has_one_row_for_a_round(tmp_path: Path) -> None:
    (tmp_path / "a.bp").write_text(QUESTIONS)
    _, _, shown = _on_a_terminal("verify", str(tmp_path / "a.bp"), "--all", "--z", "off")
    last = shown[[found.end() for found in HEADER.finditer(shown)][-1] :]
    rounds = re.findall(r"^ *(\d+) +[\d,]+ +[\d,]+ +\S+ +[\d.]+ s +[\d,]+ MiB", last, re.M)
    assert rounds == [str(k) for k in range(len(rounds))]
    assert len(rounds) > 2


@pytest.mark.parametrize("option", ["--quiet", "-q", "--json"])
@pytest.mark.parametrize("more", [[], ["--engine", "delay"], ["--jobs", "2"]], ids=" ".join)
def test_no_live_table_appears_for_those_who_want_none(option: str, more: list[str]) -> None:
    code, out, shown = _on_a_terminal("explore", FIGURE4, option, *more)
    assert (code, shown) == (0, "")
    assert out


def test_no_live_table_appears_where_there_is_no_terminal() -> None:
    done = run("explore", FIGURE4)
    assert (done.code, done.err) == (0, "")
    assert "\x1b" not in done.out


@pytest.mark.parametrize("options", [EXPLICITLY, ("--engine", "delay"), ("--jobs", "2")])
def test_an_interrupted_live_table_leaves_the_terminal_as_it_was(
    options: tuple[str, ...], tmp_path: Path
) -> None:
    (tmp_path / "hard.bp").write_text(f"{HARD}\n")
    args = ("explore", str(tmp_path / "hard.bp"), "--z", "off", *options, "--timeout", "60")
    code, out, shown = _on_a_terminal(*args, interrupt_at="memory")
    assert code == 3
    assert out.startswith("STOPPED  hard.bp: the run was interrupted\n")
    assert "Traceback" not in shown
    assert shown.count("\x1b[?25l") == shown.count("\x1b[?25h") == 1


def test_a_clock_runs_while_an_answer_is_not_there() -> None:
    program = str(EXAMPLES / "dataflow" / "ring-buffer.bp")
    asked = ["--domain", "affine", "--modulus", "8", "--at", "consumer:C", "--contexts", "9"]
    code, out, shown = _on_a_terminal("dataflow", program, *asked)
    assert code == 0
    assert "hd - tl + cnt = 0 (mod 8)" in out
    assert "dataflow ring-buffer 0:00:0" in shown


def test_ctrl_c_ends_the_wait_for_an_answer() -> None:
    program = str(EXAMPLES / "dataflow" / "ring-buffer.bp")
    asked = ["--domain", "affine", "--modulus", "8", "--at", "consumer:C", "--contexts", "40"]
    code, out, shown = _on_a_terminal("dataflow", program, *asked, interrupt_at="0:00:01")
    assert (code, out) == (3, "")
    assert shown.rstrip().endswith("interrupted")


def _on_a_terminal(*args: str, interrupt_at: str | None = None) -> tuple[int, str, str]:
    """Exit code, standard output (no terminal), and what a terminal for the errors got to show."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [TEPUI, *args],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=theirs,
        encoding="utf-8",
        env=os.environ | {"TERM": "xterm", "COLUMNS": "100", "LINES": "50"},
    ) as process:
        os.close(theirs)
        shown = b""
        end = time.monotonic() + HANGS
        while time.monotonic() < end:
            try:
                shown += os.read(ours, 65536)
            except OSError:  # No one has the other end any more.
                break
            if interrupt_at is not None and interrupt_at.encode() in shown:
                process.send_signal(signal.SIGINT)
                interrupt_at = None
        os.close(ours)
        out, _ = process.communicate(timeout=HANGS)
    return process.returncode, out, _without_colours(shown.decode())


def _without_colours(text: str) -> str:
    return re.sub(r"\x1b\[[\d;]*m", "", text).replace("\r", "")
