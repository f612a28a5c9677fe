"""`--markers` and `--markers-to`: what is shown and written during a run, and how it ends."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import tepui
from support.cli import FIGURE4, HANGS, HARD, TEPUI, call, run
from support.places import EXAMPLES
from support.schemas import schema
from support.terminals import on_a_terminal
from tepui.cli import marked_run
from tepui.cli.marked_run import Watch
from tepui.errors import EvidenceRejected

DRIVER = str(EXAMPLES / "bluetooth1.bp")
REPAIRED = str(EXAMPLES / "bluetooth-repaired.bp")

FOREVER = ("--engine", "explicit", "--z", "off", "--timeout", "300")
"""The limit is there for the case that the interruption does not work."""

MANY = HARD.replace("void main() {", "void main() {" + "\nskip;" * 2000)
"""It is hard, too, and has more lines than a pipe has room for."""

JAVA = """\
class Dead {
    static int count;

    public static void main(String[] args) {
        count++;
        if (count == 2)
            count = 3;
    }
}
"""


def events(path: Path) -> list[dict[str, Any]]:
    """The whole lines of a file."""
    return [json.loads(line) for line in path.read_text().splitlines(keepends=True) if "\n" in line]


@pytest.mark.parametrize("command", ["verify", "explore"])
@pytest.mark.parametrize("file", [DRIVER, REPAIRED, str(EXAMPLES / "fork-crowd.bp")])
def test_the_lines_fit_their_schema_and_come_in_order(
    command: str, file: str, tmp_path: Path
) -> None:
    out = tmp_path / "lines.jsonl"
    done = call(command, file, "--quiet", "--markers-to", str(out))
    assert f"the stream of markers was written to {out}\n" == done.err
    found = events(out)
    validator = Draft202012Validator(schema("markers"))
    assert [list(validator.iter_errors(line)) for line in found] == [[]] * len(found)
    order = ["start", "reached", "violated", "unreached", "end"]
    kinds = [line["event"] for line in found]
    assert kinds == sorted(kinds, key=order.index)
    assert (kinds.count("start"), kinds.count("end")) == (1, 1)
    end = found[-1]
    counted = {kind: kinds.count(kind) for kind in order[1:-1]}
    assert {kind: end[kind] for kind in counted} == counted
    (start,) = (line for line in found if line["event"] == "start")
    has = {(each["file"], line) for each in start["files"] for line in each["lines"]}
    assert end["lines"] == len(has)
    assert {(line["file"], line["line"]) for line in found[1:-1]} <= has


def test_a_violation_and_the_end_are_those_of_the_answer(tmp_path: Path) -> None:
    out = tmp_path / "lines.jsonl"
    for options in ([], ["--all"], ["--json"], ["--contexts", "3"], ["--jobs", "2"]):
        done = call("verify", DRIVER, *options, "--markers-to", str(out))
        assert done.code == 1
        violated = [line for line in events(out) if line["event"] == "violated"]
        assert violated == [{"event": "violated", "file": DRIVER, "line": 40}]
        assert (events(out)[-1]["verdict"], events(out)[-1]["stop"]) == ("unsafe", None)
    call("verify", DRIVER, "--contexts", "2", "--markers-to", str(out))
    assert events(out)[-1]["verdict"] == "bounded"
    call("verify", REPAIRED, "--max-contexts", "1", "--z", "off", "--markers-to", str(out))
    assert (events(out)[-1]["verdict"], events(out)[-1]["stop"]) == ("unknown", "contexts")


def test_the_source_may_come_from_standard_input(tmp_path: Path) -> None:
    out = tmp_path / "lines.jsonl"
    text = Path(DRIVER).read_text()
    done = call("verify", "-", "--language", "bp", "--markers-to", str(out), stdin=text)
    assert done.code == 1
    assert {line["file"] for line in events(out) if "file" in line} == {"<stdin>"}


def test_the_file_is_read_while_the_run_goes_on_and_ctrl_c_ends_it(tmp_path: Path) -> None:
    out = tmp_path / "lines.jsonl"
    with going_on(tmp_path, HARD, out) as process:
        wait_for(lambda: out.exists() and any(e["event"] == "reached" for e in events(out)))
        assert process.poll() is None
        assert events(out)[0]["event"] == "start"
        process.send_signal(signal.SIGINT)
        assert process.wait(HANGS) == 3
    assert out.read_text().endswith("\n")
    end = events(out)[-1]
    assert (end["event"], end["verdict"], end["stop"]) == ("end", "stopped", "interrupted")
    assert end["reached"] == sum(line["event"] == "reached" for line in events(out)) > 0
    assert end["unreached"] == 0


def test_a_pipe_gets_every_line_at_once(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with going_on(tmp_path, HARD, pipe) as process, pipe.open() as reader:
        assert json.loads(reader.readline())["event"] == "start"
        assert json.loads(reader.readline())["event"] == "reached"
        assert process.poll() is None
        process.send_signal(signal.SIGTERM)
        assert json.loads(reader.readlines()[-1])["event"] == "end"
        assert process.wait(HANGS) == 3


def test_a_reader_who_goes_away_does_not_end_the_run(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: pipe.open().close())
    reader.start()
    (tmp_path / "many.bp").write_text(MANY)
    asked = ("--max-contexts", "1", "--z", "off", "--markers-to", str(pipe))
    done = run("explore", str(tmp_path / "many.bp"), *asked)
    reader.join()
    assert done.code == 2
    assert "STOPPED" in done.out
    assert f"error: {pipe}: the stream of markers cannot be written: Broken pipe\n" in done.err


def test_a_reader_who_does_not_read_does_not_keep_a_run_from_ending(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with going_on(tmp_path, MANY, pipe) as process, pipe.open() as reader:
        assert json.loads(reader.readline())["event"] == "start"
        time.sleep(2)
        assert process.poll() is None
        process.send_signal(signal.SIGINT)
        assert process.wait(HANGS) in (2, 3)


def test_a_full_disk_does_not_lose_the_answer() -> None:
    done = call("verify", DRIVER, "--markers-to", "/dev/full")
    assert (done.code, done.out.split()[0]) == (2, "UNSAFE")
    assert "cannot be written: No space left on device" in done.err


def test_a_run_that_fails_ends_without_a_verdict(tmp_path: Path) -> None:
    out = tmp_path / "lines.jsonl"
    program = tepui.load_program(DRIVER)
    flags = {"file": Path(DRIVER), "markers": False, "markers_to": out}
    with pytest.raises(EvidenceRejected), Watch("verify", program, flags, enabled=False):
        raise EvidenceRejected("no", tepui.verify(program))
    assert [line["event"] for line in events(out)] == ["start", "end"]
    assert events(out)[-1]["verdict"] is None


@pytest.mark.parametrize("option", [["--markers"], ["--markers-to", "x"]])
def test_systems_and_nets_have_no_lines(option: list[str], tmp_path: Path) -> None:
    for command in ("verify", "explore"):
        done = call(command, FIGURE4, *option, cwd=tmp_path)
        assert (done.code, done.out) == (2, "")
        assert f"{option[0]} is for programs (.bp)" in done.err
    (tmp_path / "a.tts").write_text("1 1\n0 0 -> 0 0\n")
    done = call("verify", "a.tts", *option, cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert option[0] in done.err
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize("hides", ["--quiet", "--json"])
def test_what_hides_the_table_hides_no_markers_without_saying_so(hides: str) -> None:
    done = call("verify", DRIVER, "--markers", hides)
    assert (done.code, done.out) == (2, "")
    assert f"which {hides} leaves out; --markers-to FILE writes the same" in done.err


def test_without_a_terminal_a_sentence_says_so_and_the_answer_comes() -> None:
    done = call("verify", DRIVER, "--markers")
    assert done.code == 1
    assert done.err == (
        "--markers shows the source on a terminal, and standard error is none; "
        "--markers-to FILE writes the same\n"
    )


@pytest.mark.parametrize("size", [(120, 40), (80, 24), (60, 24), (40, 12)])
def test_the_source_is_beside_the_table_on_a_terminal(size: tuple[int, int]) -> None:
    seen = on_a_terminal("verify", DRIVER, "--markers", size=size)
    assert seen.code == 1
    left = seen.left(size[0])
    assert max(map(len, left)) <= size[0]
    shown = "\n".join(left)
    assert "verify bluetooth1" in shown
    assert "bluetooth1.bp · 15 of 15 lines reached" in shown
    assert re.search(r"40 ✗ +assert\(!stopped\);", shown)
    assert ("│" in shown) == (size[0] >= 80)
    assert re.search(r"\x1b\[32m39 ✓", seen.written)
    assert re.search(r"\x1b\[31m\x1b\[1m40 ✗", seen.written)


def test_lines_turn_green_while_the_run_goes_on_and_stay_after_ctrl_c(tmp_path: Path) -> None:
    (tmp_path / "hard.bp").write_text(HARD)
    asked = ("explore", str(tmp_path / "hard.bp"), "--markers", *FOREVER)
    seen = on_a_terminal(*asked, interrupt_at="✓")
    assert seen.code == 3
    assert "the run was interrupted" in seen.out
    assert any("✓" in line for line in seen.left())
    assert not any("○" in line for line in seen.left())


@pytest.mark.parametrize("size", [(120, 40), (80, 24)])
def test_what_java_cannot_reach_is_grey(size: tuple[int, int], tmp_path: Path) -> None:
    (tmp_path / "Dead.java").write_text(JAVA)
    seen = on_a_terminal("verify", str(tmp_path / "Dead.java"), "--markers", size=size)
    assert seen.code == 0
    assert re.search(r"Dead\.java · 2 of 3 lines( reached, 1 unreached)?", "\n".join(seen.left()))
    assert re.search(r"\x1b\[32m *6 ✓ +if \(count == 2\)", seen.written)
    assert re.search(r"\x1b\[2m *7 ○ +count = 3;", seen.written)


def test_a_terminal_without_colours_or_unicode_has_signs() -> None:
    env = {"NO_COLOR": "1", "PYTHONIOENCODING": "ascii"}
    seen = on_a_terminal("verify", DRIVER, "--markers", env=env)
    shown = "\n".join(seen.left())
    assert re.search(r"\| 39 \+ +if \(entered\)", shown)
    assert re.search(r"\| 40 x +assert", shown)
    assert "\x1b[32m" not in seen.written


def test_a_source_cannot_steer_the_terminal(tmp_path: Path) -> None:
    text = "decl x := 0; // \x1b[31m\x07\nvoid main() { x := 1; assert(x); }\n"
    (tmp_path / "evil.bp").write_text(text)
    seen = on_a_terminal("verify", str(tmp_path / "evil.bp"), "--markers")
    assert "\\x1b[31m\\x07" in seen.text
    assert "\x07" not in seen.written


def test_the_buffer_has_room_for_the_longest_line() -> None:
    assert len(json.dumps(list(range(100_000)))) < marked_run._BUFFER


@contextmanager
def going_on(folder: Path, text: str, place: Path) -> Iterator[subprocess.Popen[str]]:
    """An exploration that writes markers to a place, and does not end."""
    (folder / "hard.bp").write_text(text)
    asked = [TEPUI, "explore", str(folder / "hard.bp"), *FOREVER, "--markers-to", str(place)]
    nowhere = subprocess.DEVNULL
    with subprocess.Popen(asked, stdout=nowhere, stderr=nowhere, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def wait_for(happens: Callable[[], bool]) -> None:
    end = time.monotonic() + HANGS
    while not happens():
        assert time.monotonic() < end
        time.sleep(0.05)
