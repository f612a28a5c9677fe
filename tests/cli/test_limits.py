"""`--timeout`, `--memory` and `--max-contexts`: they hold, and end in everything found so far.

The times here are those by which a limit may be exceeded; no test asks how fast anything is.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from support.cli import COLLAPSING, FIGURE4, HARD, LONG, call, different_threads, run


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "long.cpds").write_text(LONG)
    (tmp_path / "hard.bp").write_text(HARD)
    (tmp_path / "collapsing.cpds").write_text(COLLAPSING)
    (tmp_path / "large-proof.cpds").write_text(different_threads(8))
    return tmp_path


@pytest.mark.parametrize(("command", "verdict"), [("verify", "unknown"), ("explore", "stopped")])
@pytest.mark.parametrize("z", ["auto", "off"])
def test_the_time_limit_holds(command: str, verdict: str, z: str, folder: Path) -> None:
    found = _run(command, "long.cpds", "--timeout", "1.5", "--z", z, cwd=folder)
    assert (found["verdict"], found["reason"]) == (verdict, "the time limit of 1.5 s was reached")
    assert found["seconds"] >= 1.5
    assert len(found["rounds"]) > 1
    assert found["states"] == found["rounds"][-1]["states"] > 1


@pytest.mark.parametrize("command", ["verify", "explore"])
def test_the_time_limit_holds_where_rounds_are_many_and_small(command: str) -> None:
    found = run(command, FIGURE4, "--z", "off", "--timeout", "1", "--json").json
    assert found["reason"] == "the time limit of 1 s was reached"
    assert found["seconds"] >= 1


def test_a_bounded_run_ends_where_nothing_is_left_to_find(folder: Path) -> None:
    options = ("--property", "deadlock", "--contexts", "1000000000000", "--timeout", "60")
    found = run("verify", "collapsing.cpds", *options, "--json", cwd=folder).json
    assert (found["verdict"], found["bound"]) == ("bounded", 10**12)


def test_the_time_limit_holds_for_the_checker(folder: Path) -> None:
    """The check takes as long as the proof: so some limit leaves time for the proof and too little
    for the check. A machine that is busy now and then is asked again."""
    seconds = 1.2
    for _ in range(25):
        found = _run("verify", "large-proof.cpds", "--timeout", str(round(seconds, 2)), cwd=folder)
        if found["verdict"] == "safe" and not found["checked"]:
            break
        seconds *= 1.5 if found["verdict"] == "unknown" else 0.8
    assert (found["verdict"], found["checked"]) == ("safe", False)
    assert any("unchecked" in note for note in found["notes"])


@pytest.mark.parametrize(("command", "verdict"), [("verify", "unknown"), ("explore", "stopped")])
@pytest.mark.parametrize("z", ["auto", "off"])
def test_the_memory_limit_holds(command: str, verdict: str, z: str, folder: Path) -> None:
    found = _run(command, "long.cpds", "--memory", "300M", "--z", z, cwd=folder)
    assert found["verdict"] == verdict
    assert found["reason"] == "the memory limit of 300 MiB was reached"
    assert found["peak_memory_bytes"] < 1.3 * 300 * 2**20
    assert len(found["rounds"]) > 1


@pytest.mark.parametrize("engine", ["auto", "diagram", "symbolic", "delay", "abstract"])
def test_limits_hold_for_every_engine(engine: str, folder: Path) -> None:
    options = ("explore", "hard.bp", "--engine", engine, "--json")
    found = run(*options, "--timeout", "2", cwd=folder).json
    assert (found["verdict"], found["reason"]) == ("stopped", "the time limit of 2 s was reached")
    assert found["seconds"] >= 2
    found = run(*options, "--memory", "60M", "--timeout", "1h", cwd=folder).json
    assert found["reason"] == "the memory limit of 60 MiB was reached"
    assert found["peak_memory_bytes"] < 1.3 * 60 * 2**20


@pytest.mark.parametrize("command", ["verify", "explore"])
@pytest.mark.parametrize("count", [0, 1, 4])
def test_the_limit_on_contexts_holds(command: str, count: int) -> None:
    found = call(command, FIGURE4, "--z", "off", "--max-contexts", str(count), "--json").json
    noun = "context" if count == 1 else "contexts"
    assert found["reason"] == f"the limit of {count} {noun} was reached"
    assert [row["k"] for row in found["rounds"]] == list(range(count + 1))


def test_a_limit_that_is_not_reached_changes_nothing() -> None:
    limits = ("--timeout", "1h", "--memory", "100G", "--max-contexts", "1000000")
    assert call("verify", FIGURE4, *limits).code == 0
    assert call("verify", FIGURE4, "--target", "q3|2,4", *limits).code == 1
    assert call("explore", FIGURE4, *limits).code == 0


@pytest.mark.parametrize("text", ["3600", "3600s", "60m", "1h", "0.5h", "1.25m"])
def test_times_are_read_with_and_without_a_unit(text: str) -> None:
    assert call("verify", FIGURE4, "--timeout", text).code == 0


@pytest.mark.parametrize("text", ["9000000K", "9000M", "9g", "0.9T", "9GB", "9GiB"])
def test_sizes_are_read_with_all_their_units(text: str) -> None:
    assert call("verify", FIGURE4, "--memory", text).code == 0


def _run(*args: str, cwd: Path) -> dict[str, Any]:
    """What a run of the installed command without symmetry prints, stopped before it can hurt."""
    safety = [] if "--timeout" in args else ["--timeout", "100"]
    plain = ("--symmetry", "off", "--engine", "explicit")
    found: dict[str, Any] = run(*args, *safety, *plain, "--json", cwd=cwd).json
    return found


@pytest.mark.parametrize("text", ["nan", "NaN", "inf", "-inf", "1e999", "-1", "-0", "1_0", "٣"])
@pytest.mark.parametrize("command", ["verify", "explore", "report", "suite"])
def test_what_is_no_time_is_no_time_limit(command: str, text: str, tmp_path: Path) -> None:
    done = call(command, FIGURE4, "--timeout", text, cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert f"--timeout {text}: expected a time" in done.err
    assert list(tmp_path.iterdir()) == []


STEP = """\
decl n: int32 := 0; decl x := 0;
void main() { atomic { while (n < 99999999) { n := n + 1; } x := 1; } assert(!x); }
"""
"""The first step does not end."""


@pytest.mark.parametrize("limit", [("--timeout", "0.5"), ("--memory", "100M")])
@pytest.mark.parametrize(
    "command",
    [
        ("report", "-o", "a.html"),
        ("explore",),
        ("explore", "--json"),
        ("verify", "--json"),
        ("verify", "--all"),
        ("verify", "--jobs", "3"),
        ("verify", "--jobs", "3", "--all", "--json"),
    ],
)
def test_what_was_found_is_told_where_a_limit_ends_a_step(
    command: tuple[str, ...], limit: tuple[str, str], tmp_path: Path
) -> None:
    (tmp_path / "a.bp").write_text(STEP)
    done = run(command[0], "a.bp", *command[1:], *limit, cwd=tmp_path)
    assert done.code == 3, done
    assert "error" not in done.err
    if "--json" in command:
        assert done.json["verdict"] in ("unknown", "stopped")
    else:
        assert done.out.startswith("UNKNOWN") or "\nSTOPPED" in done.out


@pytest.mark.parametrize(
    "command",
    [
        ("verify", "pipe.bp"),
        ("verify", "pipe.tts"),
        ("verify", "pipe.yml"),
        ("verify", "pipe.jar"),
        ("verify", "a.bp", "--markers-to", "pipe.jsonl"),
        ("weigh", "pipe.json"),
    ],
)
def test_who_waits_for_a_pipe_waits_no_longer_than_the_limit(
    command: tuple[str, ...], tmp_path: Path
) -> None:
    (tmp_path / "a.bp").write_text(STEP)
    for word in command[1:]:
        if word.startswith("pipe."):
            os.mkfifo(tmp_path / word)
    done = run(*command, "--timeout", "0.2", cwd=tmp_path)
    assert done.code == 3, done
    assert "the time limit of 0.2 s was reached" in done.err


@pytest.mark.parametrize("name", ["endless.jar", "endless.class", "endless.java"])
def test_a_device_is_no_java(name: str, tmp_path: Path) -> None:
    (tmp_path / name).symlink_to("/dev/zero")
    done = run("verify", name, "--timeout", "20", "--memory", "400M", cwd=tmp_path)
    assert done.code == 2, done
