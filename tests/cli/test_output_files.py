"""The files that commands write beside their answers: their places, their content, and failures."""

from __future__ import annotations

import json
import os
import re
import subprocess
import threading
import time
from pathlib import Path
from typing import Any

import pytest

import tepui
from support.cli import COLLAPSING, TEPUI, call
from support.places import EXAMPLES
from tepui import output_places
from tepui.report.exchange.input_files import input_files, read_inputs
from tepui.report.exchange.sarif import sarif_log
from tepui.report.page import report_page
from tepui.report.report_input import ReportInput

DRIVER = EXAMPLES / "bluetooth1.bp"
WRITING = ["--report", "--sarif", "--witness", "--evidence", "--markers-to"]


@pytest.mark.parametrize("option", WRITING)
def test_a_file_is_written_after_the_answer(option: str, tmp_path: Path) -> None:
    done = call("verify", str(DRIVER), option, "out.file", cwd=tmp_path)
    assert done.code == 1
    assert done.out.startswith("UNSAFE")
    assert "was written to out.file" in done.err
    assert (tmp_path / "out.file").stat().st_size > 1000


@pytest.mark.parametrize("option", WRITING)
def test_a_model_is_never_overwritten(option: str, tmp_path: Path) -> None:
    for name in ("a.bp", "b.bp"):
        (tmp_path / name).write_bytes(DRIVER.read_bytes())
    for name, said in (("a.bp", "this is a file that is read"), ("b.bp", "it is a model")):
        done = call("verify", "a.bp", option, name, cwd=tmp_path)
        assert (done.code, done.out) == (2, "")
        assert said in done.err
        assert (tmp_path / name).read_bytes() == DRIVER.read_bytes()


@pytest.mark.parametrize("option", WRITING)
def test_a_place_where_nothing_can_be_written_is_told_before_the_run(
    option: str, tmp_path: Path
) -> None:
    for place, said in ((".", "Is a directory"), ("no/x", "No such file"), ("-", "/dev/stdout")):
        done = call("verify", str(DRIVER), option, place, cwd=tmp_path)
        assert (done.code, done.out) == (2, "")
        assert said in done.err


@pytest.mark.parametrize("other", ["--report", "--sarif", "--witness", "--markers-to"])
def test_two_files_do_not_get_the_same_name(other: str, tmp_path: Path) -> None:
    asked = ("--evidence", "one.json", other, "../" + tmp_path.name + "/one.json")
    done = call("verify", str(DRIVER), *asked, cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert "two files cannot have the same name" in done.err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "arguments",
    [
        ["verify", str(DRIVER), "--report", "x.html", "--evidence", "e.json"],
        ["verify", str(DRIVER), "--all", "--report", "x.html"],
        ["explore", str(DRIVER), "--report", "x.html"],
        ["dataflow", str(DRIVER), "--at", "add:40", "--report", "x.html"],
        ["report", str(DRIVER), "-o", "x.html"],
    ],
    ids=lambda arguments: " ".join(arguments[:1] + arguments[2:]),
)
def test_a_reader_who_has_gone_does_not_lose_the_files(
    arguments: list[str], tmp_path: Path
) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(
            [TEPUI, *arguments], stdout=writing, stderr=subprocess.PIPE, cwd=tmp_path, check=False
        )
    finally:
        os.close(writing)
    assert b"Traceback" not in done.stderr
    assert (tmp_path / "x.html").stat().st_size > 1000
    assert (tmp_path / "e.json").exists() == ("e.json" in arguments)


def test_files_that_change_during_a_run_are_told_as_they_were_read(tmp_path: Path) -> None:
    file = tmp_path / "driver.bp"
    file.write_bytes(DRIVER.read_bytes())
    program = tepui.load(file)
    kept = read_inputs(program, file)
    data = ReportInput("verify", program, file, (tepui.verify(program),), inputs=kept)
    before = report_page(data), sarif_log(data)
    file.write_text("// another program\n" * 50 + "void main() { skip; }\n", encoding="utf-8")
    assert "another program" not in report_page(data)
    assert "stoppingFlag := 1" in re.sub(r"<[^>]*>", "", report_page(data))
    hashes = [json.loads(log)["runs"][0]["artifacts"][0]["hashes"] for log in before[1:]]
    assert json.loads(sarif_log(data))["runs"][0]["artifacts"][0]["hashes"] == hashes[0]


def test_a_pipe_is_not_read_a_second_time(tmp_path: Path) -> None:
    pipe = tmp_path / "model.cpds"
    os.mkfifo(pipe)
    system = tepui.load(EXAMPLES / "figure4.cpds")
    assert input_files(ReportInput("verify", system, pipe)) == ()


def test_without_standard_error_nothing_wrong_goes_to_standard_output(tmp_path: Path) -> None:
    command = f"{TEPUI} verify nofile.bp 2>&-"
    done = subprocess.run(
        ["sh", "-c", command], stdout=subprocess.PIPE, cwd=tmp_path, check=False, text=True
    )
    assert (done.returncode, done.stdout) == (2, "")


ODD = ["loop", "full", "folder", "pipe", "loop/x", "file/x", "x" * 300]


@pytest.mark.parametrize("place", ODD, ids=lambda place: place[:10])
@pytest.mark.parametrize(
    "arguments",
    [
        *(["verify", str(DRIVER), option] for option in WRITING),
        ["explore", str(DRIVER), "--report"],
        ["report", str(DRIVER), "-o"],
        ["inspect", str(DRIVER), "--svg"],
        ["suite", "tasks", "--html"],
        ["suite", "tasks", "--junit"],
        ["suite", "tasks", "--store"],
    ],
    ids=lambda arguments: " ".join(arguments[::2]),
)
def test_odd_places_are_wrong_use(
    arguments: list[str], place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(output_places, "_PATIENCE", 0.1)
    _make_odd_places(tmp_path)
    done = call(*arguments, place, cwd=tmp_path)
    assert done.code == 2, done.err
    assert done.err.splitlines()[-1].startswith("error: ")
    assert (tmp_path / "loop").is_symlink()
    assert (tmp_path / "pipe").is_fifo()


@pytest.mark.parametrize("place", ["loop", "full", "folder", "pipe"])
def test_a_system_is_not_converted_to_an_odd_place(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(output_places, "_PATIENCE", 0.1)
    _make_odd_places(tmp_path)
    (tmp_path / place).rename(tmp_path / f"{place}.cpds")
    system = str(EXAMPLES / "figure4.cpds")
    done = call("convert", system, f"{place}.cpds", "--force", cwd=tmp_path)
    if place == "loop":  # Its target has another name now.
        assert done.code == 0
    else:
        assert (done.code, done.out) == (2, "")


def test_a_pipe_may_find_its_reader_late(tmp_path: Path) -> None:
    pipe, found = tmp_path / "pipe", []
    os.mkfifo(pipe)

    def read() -> None:
        time.sleep(0.3)
        found.append(pipe.read_text(encoding="utf-8"))

    reader = threading.Thread(target=read)
    reader.start()
    output_places.write_text(pipe, "text\n" * 100_000)
    reader.join()
    assert found == ["text\n" * 100_000]


@pytest.mark.parametrize("path", ["\0", "\ud800"])
def test_a_name_that_no_file_has_is_an_error_of_the_system(path: str) -> None:
    with pytest.raises(OSError, match="no file has such a name"):
        output_places.write_text(Path(path), "text")
    with pytest.raises(OSError, match="no file has such a name"):
        tepui.verify(tepui.load(DRIVER)).subject.write(Path(path), *_evidence())


def _evidence() -> tuple[tepui.Property, Any]:
    result = tepui.verify(tepui.load(DRIVER))
    return result.asked, result.evidence


def _make_odd_places(folder: Path) -> None:
    (folder / "loop").symlink_to("loop")
    (folder / "full").symlink_to("/dev/full")
    (folder / "folder").mkdir()
    (folder / "file").touch()
    os.mkfifo(folder / "pipe")
    (folder / "tasks").mkdir()
    (folder / "tasks" / "a.cpds").write_text(COLLAPSING)
