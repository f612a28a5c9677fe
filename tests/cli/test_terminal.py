"""What people see: the version, the help, a live table on a terminal, colours where they belong,
and readable lines."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import tepui
from support.cli import ALL_COMMANDS, FIGURE4, HARD, INFINITE, call, run
from support.places import EXAMPLES
from support.samples.program_texts import QUESTIONS
from support.terminals import on_a_terminal
from support.transcripts import without_measures

EXPLICITLY = ("--engine", "explicit", "--symmetry", "off")
ASKING = {"--target", "--property", "--unreachable", "--never-together"}
JAVA_OPTIONS = {"--entry", "--classpath", "--jdk", "--spurious-wakeups"}
SYSTEM_OPTIONS = {"--language", "--init", "--threads"} | ASKING | JAVA_OPTIONS
RUN_OPTIONS = {
    *("--engine", "--rounds", "--delays", "--tops", "--jobs"),
    *("--symmetry", "--z", "--no-liveness", "--no-fusion", "--slots"),
    *("--timeout", "--memory", "--max-contexts", "--json", "--quiet"),
}
VERIFY_OPTIONS = {
    *("--reach", "--contexts", "--evidence", "--no-check", "--all", "--traces", "--stacks"),
    *(
        "--report",
        "--sarif",
        "--witness",
        "--all-values",
        "--splitting",
        "--proof",
        "--markers",
        "--markers-to",
    ),
}
OPTIONS = {
    "verify": SYSTEM_OPTIONS | RUN_OPTIONS | VERIFY_OPTIONS,
    "explore": {"--language", "--init", "--threads", "--list", "--compare", "--report"}
    | {"--markers", "--markers-to"}
    | JAVA_OPTIONS
    | RUN_OPTIONS,
    "check": SYSTEM_OPTIONS
    | {"--reach", "--all", "--json", "--reference", "--timeout", "--memory"},
    "convert": SYSTEM_OPTIONS | {"--force"},
    "inspect": SYSTEM_OPTIONS | {"--calls", "--procedure", "--bits", "--dot", "--svg", "--json"},
    "format": {"--check", "--write"},
    "automaton": {
        *("--language", "--init", "--threads", "--thread", "--from", "--short", "--pre"),
        *("--dot", "--svg"),
    },
    "dataflow": {
        *("--language", "--init", "--threads", "--at", "--called-from", "--domain", "--modulus"),
        *("--contexts", "--compare", "--timeout", "--memory", "--report", "--json"),
    },
    "report": SYSTEM_OPTIONS
    | (RUN_OPTIONS - {"--json"})
    | {"--reach", "--contexts", "--no-check", "--output", "--open"},
    "suite": {
        *(
            "--jdk",
            "--spurious-wakeups",
            "--store",
            "--run",
            "--again",
            "--retry",
            "--only",
            "--compare",
            "--cluster",
            "--html",
            "--junit",
        ),
        *("--contexts", "--no-check"),
    }
    | RUN_OPTIONS,
    "watch": SYSTEM_OPTIONS
    | {
        *("--predicate", "--watched", "--rounds", "--most-threads"),
        *("--timeout", "--memory", "--json"),
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
    assert set(re.findall(r"^  (?:-\w, )?(--[a-z-]+)", done.out, re.M)) == OPTIONS[command] | {
        "--help",
        "--no-color",
    }
    said = " ".join(done.out.split())
    assert "Exit code: 0 " in said
    assert "2 wrong input or use" in said


def test_the_installed_command_shows_the_same_help() -> None:
    installed, here = run("explore", "-h").out, call("explore", "-h").out
    assert installed.startswith("Usage: tepui explore [OPTIONS] FILE\n")
    assert installed.splitlines()[1:] == here.splitlines()[1:]


@pytest.mark.parametrize("command", ["verify", "explore"])
def test_a_live_table_appears_on_a_terminal(command: str) -> None:
    seen = on_a_terminal(command, FIGURE4)
    assert seen.code == 0
    assert f"{command} figure4" in seen.text
    assert HEADER.search(seen.text)
    assert not HEADER.search(seen.out)


def test_the_live_table_has_a_row_for_every_round_and_a_bar() -> None:
    seen = on_a_terminal("explore", FIGURE4, "--z", "off", "--max-contexts", "5")
    title, header, *rows, bars, end = seen.left()
    assert (title, end) == ("explore figure4", "")
    assert HEADER.search(header)
    row = r" *(\d+) +([\d,]+) +([\d,]+) +(\S+) +[\d.]+ s +[\d,]+ MiB"
    assert [cells.groups() for cells in map(re.compile(row).fullmatch, rows) if cells] == [
        ("0", "1", "1", "+1"),
        ("1", "3", "3", "+2"),
        ("2", "6", "6", "+3"),
        ("3", "8", "6", "plateau"),
        ("4", "11", "7", "+1"),
        ("5", "14", "8", "+1"),
    ]
    assert bars == "new visible states  ▅▆█▁▅▅"


def test_what_a_pipe_gets_does_not_depend_on_where_errors_go() -> None:
    args = ("explore", FIGURE4, "--z", "off", "--max-contexts", "5")
    watched, unwatched = on_a_terminal(*args).out, run(*args).out
    assert without_measures(watched) == without_measures(unwatched)
    assert watched.split()[:5] == ["k", "states", "visible", "new", "seconds"]
    both = on_a_terminal(*args, terminal="both").left()
    assert [line for line in both if "seconds" in line] == []


def test_the_live_table_counts_rounds_and_delays_where_these_are_counted() -> None:
    seen = on_a_terminal("explore", FIGURE4, "--rounds", "3", "--delays", "1")
    _, header, *rows, _, _ = seen.left()
    assert DELAY_HEADER.search(header)
    row = r" *(\d+) +(\d+) +([\d,]+) +([\d,]+) +(\S+) +[\d.]+ s +[\d,]+ MiB"
    assert [cells.groups() for cells in map(re.compile(row).fullmatch, rows) if cells] == [
        ("0", "0", "1", "1", "+1"),
        ("1", "0", "3", "3", "+2"),
        ("2", "0", "4", "4", "+1"),
        ("3", "0", "6", "5", "+1"),
        ("3", "1", "8", "7", "+2"),
    ]


def test_the_rounds_of_delays_are_still_there_after_the_check() -> None:
    seen = on_a_terminal("verify", str(EXAMPLES / "deadlock.cpds"), "--engine", "delay")
    assert seen.code == 1
    assert DELAY_HEADER.search(seen.left()[1])
    assert len(seen.left()) > 3


def test_the_live_table_of_several_questions_has_one_row_for_a_round(tmp_path: Path) -> None:
    (tmp_path / "a.bp").write_text(QUESTIONS)
    seen = on_a_terminal("verify", str(tmp_path / "a.bp"), "--all", "--z", "off")
    rounds = [line.split()[0] for line in seen.left() if line.endswith("MiB")]
    assert rounds == [str(k) for k in range(len(rounds))]
    assert len(rounds) > 2


@pytest.mark.parametrize("option", ["--quiet", "-q", "--json"])
@pytest.mark.parametrize("more", [[], ["--engine", "delay"], ["--jobs", "2"]], ids=" ".join)
def test_no_live_table_appears_for_those_who_want_none(option: str, more: list[str]) -> None:
    seen = on_a_terminal("explore", FIGURE4, option, *more)
    assert (seen.code, seen.written) == (0, "")
    assert seen.out


def test_no_live_table_appears_where_there_is_no_terminal() -> None:
    done = run("explore", FIGURE4)
    assert (done.code, done.err) == (0, "")
    assert "\x1b" not in done.out


def test_a_terminal_that_can_do_nothing_gets_no_live_table_but_the_rounds() -> None:
    seen = on_a_terminal("explore", FIGURE4, terminal="both", env={"TERM": "dumb"})
    assert "\x1b" not in seen.written
    assert seen.text.split()[:5] == ["k", "states", "visible", "new", "seconds"]
    assert "COLLAPSED  figure4" in seen.text


def test_ascii_is_all_that_a_terminal_gets_that_has_no_more(tmp_path: Path) -> None:
    (tmp_path / "infinite.cpds").write_text(INFINITE)
    seen = on_a_terminal(
        "explore",
        str(tmp_path / "infinite.cpds"),
        *("--engine", "diagram", "--z", "off", "--no-color"),
        terminal="both",
        env={"PYTHONIOENCODING": "ascii"},
    )
    assert seen.code == 0
    assert "?" not in "".join(seen.left())
    assert any(line.split()[1:2] == ["inf"] for line in seen.left())
    assert any("inf states" in line for line in seen.left())


@pytest.mark.parametrize("options", [EXPLICITLY, ("--engine", "delay"), ("--jobs", "2")])
def test_an_interrupted_live_table_leaves_the_terminal_as_it_was(
    options: tuple[str, ...], tmp_path: Path
) -> None:
    (tmp_path / "hard.bp").write_text(f"{HARD}\n")
    args = ("explore", str(tmp_path / "hard.bp"), "--z", "off", *options, "--timeout", "60")
    seen = on_a_terminal(*args, interrupt_at="memory")
    assert seen.code == 3
    assert "\nSTOPPED  hard.bp: the run was interrupted\n" in seen.out
    assert "Traceback" not in seen.text
    assert seen.written.count("\x1b[?25l") == seen.written.count("\x1b[?25h")
    assert seen.written.endswith("\x1b[?25h")
    left = seen.left()
    assert (left[0], left[-1]) == ("explore hard", "")
    assert sum("memory" in line for line in left) == 1


def test_a_clock_runs_while_an_answer_is_not_there() -> None:
    program = str(EXAMPLES / "dataflow" / "ring-buffer.bp")
    asked = ["--domain", "affine", "--modulus", "8", "--at", "consumer:C", "--contexts", "9"]
    seen = on_a_terminal("dataflow", program, *asked)
    assert seen.code == 0
    assert "hd - tl + cnt = 0 (mod 8)" in seen.out
    assert re.search(r" dataflow ring-buffer · [\d.:]+( s)? · \d+ MiB", seen.text)
    assert seen.left() == [""]


def test_ctrl_c_ends_the_wait_for_an_answer() -> None:
    program = str(EXAMPLES / "dataflow" / "ring-buffer.bp")
    asked = ["--domain", "affine", "--modulus", "8", "--at", "consumer:C", "--contexts", "40"]
    seen = on_a_terminal("dataflow", program, *asked, interrupt_at=" MiB")
    assert (seen.code, seen.out) == (3, "")
    assert seen.left()[-2:] == ["interrupted", ""]


class TestColours:
    DEADLOCK = str(EXAMPLES / "deadlock.cpds")

    def test_the_verdict_and_the_trace_of_a_system_are_coloured_on_a_terminal(self) -> None:
        text = on_a_terminal("verify", self.DEADLOCK, "-q", terminal="out").written
        assert text.startswith("\x1b[31m\x1b[1mUNSAFE  deadlock: ")
        assert "context 1: thread \x1b[36m\x1b[1mright\x1b[0m" in text
        assert "\x1b[35mAB\x1b[0m | \x1b[35mone\x1b[0m, one" in text

    @pytest.mark.parametrize("command", ALL_COMMANDS)
    def test_every_command_can_be_told_to_do_without(self, command: str) -> None:
        assert call(command, "-h").out == call(command, "--no-color", "-h").out

    @pytest.mark.parametrize(
        "args",
        [("--no-color", "verify", DEADLOCK), ("verify", DEADLOCK, "--no-color")],
        ids=["before", "after"],
    )
    def test_no_color_may_stand_before_or_after_the_command(self, args: tuple[str, ...]) -> None:
        seen = on_a_terminal(*args, terminal="both")
        assert seen.code == 1
        assert "UNSAFE" in seen.text
        assert re.findall(r"\x1b\[[\d;]*m", seen.written) == []

    @pytest.mark.parametrize(
        ("env", "args", "coloured"),
        [
            ({}, [], False),
            ({"FORCE_COLOR": "1"}, [], True),
            ({"CLICOLOR_FORCE": "1"}, [], True),
            ({"FORCE_COLOR": "1", "TERM": "dumb"}, [], True),
            ({"FORCE_COLOR": "0"}, [], False),
            ({"FORCE_COLOR": ""}, [], False),
            ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, [], False),
            ({"FORCE_COLOR": "1", "NO_COLOR": ""}, [], True),
            ({"FORCE_COLOR": "1"}, ["--no-color"], False),
        ],
    )
    def test_a_pipe_gets_colours_only_if_someone_wants_them(
        self, env: dict[str, str], args: list[str], coloured: bool, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for name in ("FORCE_COLOR", "CLICOLOR_FORCE", "NO_COLOR", "TERM"):
            monkeypatch.delenv(name, raising=False)
        for name, value in env.items():
            monkeypatch.setenv(name, value)
        for command in (["verify", self.DEADLOCK], ["verify", str(EXAMPLES / "bluetooth1.bp")]):
            done = call(*command, *args)
            assert done.code == 1
            assert ("\x1b[" in done.out) == coloured


class TestWidths:
    BUGGY = str(EXAMPLES / "bluetooth-buggy.cpds")
    CANCELLATION = str(EXAMPLES / "irp-cancellation.bp")

    @pytest.mark.parametrize("columns", [60, 80])
    @pytest.mark.parametrize("file", [BUGGY, CANCELLATION])
    def test_what_a_terminal_gets_fits_it(self, file: str, columns: int) -> None:
        seen = on_a_terminal("verify", file, terminal="both", size=(columns, 24))
        assert seen.code == 1
        assert max(map(len, seen.left(columns))) <= columns

    def test_what_a_pipe_gets_is_not_wrapped(self) -> None:
        lines = call("verify", self.BUGGY).out.splitlines()
        wide = "          run | Increment work, start, start, start, one zero"
        assert any(
            line.startswith(wide) and line.endswith("by run | start -> run | Increment work")
            for line in lines
        )
        headline = call("verify", self.CANCELLATION).out.splitlines()[0]
        assert headline.endswith("at irp-cancellation.bp:48 can be violated, with 3 contexts")

    @pytest.mark.parametrize("columns", [60, 80])
    def test_the_rounds_of_delays_and_the_list_of_states_fit_a_terminal(self, columns: int) -> None:
        args = ("explore", self.BUGGY, "--engine", "delay", "-q", "--list")
        seen = on_a_terminal(*args, terminal="out", size=(columns, 24))
        assert max(map(len, seen.left())) <= columns
        assert seen.left()[0].split()[:2] == ["rounds", "delays"]
