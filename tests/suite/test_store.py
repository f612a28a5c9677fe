"""The store of a suite: outcomes are read back as written, and other files are left alone."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from support.cli import call
from support.samples.suites import outcome
from tepui.errors import UsageError
from tepui.suite.outcome import Outcome, Ran
from tepui.suite.store import SCHEMA_VERSION, open_to_read, open_to_write
from tepui.tasks.task import Counts

HUGE = 10**40
FULL = Outcome(
    "a/<b>\u202e'; DROP TABLE run; --",
    "/x/ü.cpds",
    "unreach-call",
    "unsafe",
    Counts(1, HUGE, None),
    "abc",
    Ran("collapsed", 1.25, 2**40, "delay", HUGE, Counts(None, HUGE, 0), False, "two\nlines"),
)


def test_what_is_kept_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "runs.sqlite"
    bare = outcome("bare", "timeout")
    with open_to_write(path) as store:
        run = store.begin(None, "{}", "1.0")
        store.keep(run, FULL)
        store.keep(run, bare)
        store.keep(run, bare)
    with open_to_read(path) as store:
        assert store.outcomes(store.find()) == {FULL.task: FULL, "bare": bare}
    assert [file.name for file in tmp_path.iterdir()] == ["runs.sqlite"]


def test_an_outcome_is_on_the_disk_as_soon_as_it_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "runs.sqlite"
    with open_to_write(path) as store:
        run = store.begin(None, "{}", "1.0")
        store.keep(run, FULL)
        with open_to_read(path) as other:
            assert set(other.outcomes(other.find())) == {FULL.task}


def test_a_run_goes_on_only_with_the_same_settings_and_version(tmp_path: Path) -> None:
    with open_to_write(tmp_path / "s") as store:
        first = store.begin(None, "{}", "1.0")
        assert first.name == "1"
        assert store.begin(None, "{}", "1.0") == first
        assert store.begin(None, '{"timeout": "1"}', "1.0").name == "2"
        assert store.begin(None, "{}", "1.1").name == "3"
        again = store.begin(None, "{}", "1.0", again=True)
        assert again.name == "4"
        assert store.begin(None, "{}", "1.0") == again


def test_a_named_run_is_replaced_only_if_that_is_asked_for(tmp_path: Path) -> None:
    with open_to_write(tmp_path / "s") as store:
        run = store.begin("mine", "{}", "1.0")
        store.keep(run, FULL)
        assert store.begin("mine", "{}", "1.0") == run
        with pytest.raises(UsageError, match=r"the run mine has other options .*--again to repl"):
            store.begin("mine", '{"memory": "1G"}', "1.0")
        assert set(store.outcomes(run)) == {FULL.task}
        other = store.begin("mine", '{"memory": "1G"}', "1.0", again=True)
        assert store.outcomes(other) == {}
        assert [each.name for each in store.runs()] == ["mine"]


def test_a_number_that_is_a_name_already_is_not_given_again(tmp_path: Path) -> None:
    with open_to_write(tmp_path / "s") as store:
        store.begin("1", "{}", "1.0")
        assert store.begin(None, "other", "1.0").name == "2"


def test_a_run_that_is_not_there_is_refused_with_those_that_are(tmp_path: Path) -> None:
    with open_to_write(tmp_path / "s") as store:
        with pytest.raises(UsageError, match="there is no run in this store yet"):
            store.find()
        store.begin("one", "{}", "1.0")
        with pytest.raises(UsageError, match="there is no run two; the runs are one"):
            store.find("two")


@pytest.mark.parametrize(
    "content", [b"initial q\n", b"\0" * 5000, b"SQLite format 3\0" + b"x" * 99]
)
def test_a_file_that_is_no_store_is_left_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "s"
    path.write_bytes(content)
    for opening in (open_to_write, open_to_read):
        with (
            pytest.raises(UsageError, match="no store of tepui; nothing was changed"),
            opening(path),
        ):
            pass
    assert path.read_bytes() == content
    assert [file.name for file in tmp_path.iterdir()] == ["s"]


def test_another_database_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "s"
    _execute(path, "CREATE TABLE run (mine)")
    content = path.read_bytes()
    with pytest.raises(UsageError, match="no store of tepui; nothing"), open_to_write(path):
        pass
    assert path.read_bytes() == content


def test_a_store_of_a_newer_tepui_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "s"
    with open_to_write(path):
        pass
    _execute(path, f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    content = path.read_bytes()
    for opening in (open_to_write, open_to_read):
        with pytest.raises(UsageError, match=r"by a newer tepui \(its schema is 2"), opening(path):
            pass
    assert path.read_bytes() == content


def test_a_damaged_store_is_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "s"
    with open_to_write(path) as store:
        store.keep(store.begin(None, "{}", "1.0"), FULL)
    content = path.read_bytes()
    for damaged in (content[:-4096], content[:8192] + bytes(4096) + content[12288:]):
        path.write_bytes(damaged)
        for opening in (open_to_write, open_to_read):
            with (
                pytest.raises(UsageError, match=r"this store is damaged \(.*nothing"),
                opening(path),
            ):
                pass
        assert path.read_bytes() == damaged


WRONG_CELLS = [
    *(f"found_counts = {text}" for text in ("x'ff'", "'[1'", "'[1, 2, 3, 4]'", "'{}'", "'7'")),
    *(
        f"counts = {text}"
        for text in ("5", """'["a", 1, 2]'""", "'[1, 2, true]'", "'[1e999, 1, 1]'")
    ),
    *(f"seconds = {text}" for text in ("'soon'", "x'00'", "-1", "9e999")),
    *(f"{name} = x'00ff'" for name in ("task", "file", "inputs", "answer", "detail", "engine")),
    *(f"{name} = 7.5" for name in ("memory", "checked")),
    *(
        "file = ''",
        "answer = 'perhaps'",
        "expected = 'perhaps'",
        "bound = 'many'",
        "memory = 'much'",
    ),
    *(f"counts = '{'[' * 100_000}'", f"bound = '{'9' * 5000}'"),
]


@pytest.mark.parametrize("cell", WRONG_CELLS, ids=lambda cell: cell[:30])
def test_a_damaged_row_is_a_sentence(tmp_path: Path, cell: str) -> None:
    path = tmp_path / "s"
    with open_to_write(path) as store:
        store.keep(store.begin(None, "{}", "1.0"), FULL)
    _execute(path, f"UPDATE outcome SET {cell}")
    with open_to_read(path) as store, pytest.raises(UsageError, match="this store is damaged"):
        store.outcomes(store.find())


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE run SET name = x'ff'",
        "UPDATE run SET version = x'ff'",
        "UPDATE run SET settings = 'none'",
        "UPDATE run SET settings = '[]'",
        "UPDATE run SET started = x'00'",
        "DROP TABLE run",
        "ALTER TABLE run RENAME COLUMN settings TO other",
    ],
)
def test_a_damaged_run_is_a_sentence(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "s"
    with open_to_write(path) as store:
        store.keep(store.begin(None, "{}", "1.0"), FULL)
    _execute(path, damage)
    with open_to_read(path) as store, pytest.raises(UsageError, match="this store is damaged"):
        store.find()
    done = call("suite", "--compare", "1", "1", "--store", str(path))
    assert (done.code, done.out) == (2, "")
    assert "this store is damaged" in done.err


def test_what_a_killed_process_had_half_written_is_taken_back(tmp_path: Path) -> None:
    path = tmp_path / "s"
    with open_to_write(path) as store:
        store.begin("kept", "{}", "1.0")
    for opening in (open_to_read, open_to_write):
        _cut_off(path, "INSERT INTO run (name, settings, version, started) VALUES (?, ?, '', '')")
        with opening(path) as store:
            assert [run.name for run in store.runs()] == ["kept"]
    new = tmp_path / "new"
    _cut_off(new, "INSERT INTO t VALUES (?, ?)", "CREATE TABLE t (a, b)")
    assert new.stat().st_size > 0
    with open_to_write(new) as store:
        assert store.runs() == []


def test_a_store_may_have_any_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in (":memory:", "ü ?mode=ro#%41", b"\xff".decode("utf-8", "surrogateescape")):
        with open_to_write(Path(name)) as store:
            store.begin("1", "{}", "1.0")
        with open_to_read(Path(name)) as store:
            assert store.find().name == "1"


def test_an_empty_file_becomes_a_store(tmp_path: Path) -> None:
    (tmp_path / "s").touch()
    with open_to_write(tmp_path / "s") as store:
        assert store.runs() == []


def test_a_store_needs_a_place_where_it_can_be(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="this is a folder"), open_to_write(tmp_path):
        pass
    nowhere = tmp_path / "no" / "s"
    with pytest.raises(UsageError, match="there is no folder"), open_to_write(nowhere):
        pass
    with pytest.raises(UsageError, match="there is no such store"), open_to_read(nowhere):
        pass


def test_one_process_at_a_time_writes(tmp_path: Path) -> None:
    path = tmp_path / "s"
    with open_to_write(path):
        with (
            pytest.raises(UsageError, match="another tepui writes to this store"),
            open_to_write(path),
        ):
            pass
        with open_to_read(path) as reader:
            assert reader.runs() == []
    with open_to_write(path):
        pass


def test_the_lock_of_a_process_that_was_killed_is_free(tmp_path: Path) -> None:
    path = tmp_path / "s"
    program = (
        "import os; from pathlib import Path; from tepui.suite.store import open_to_write\n"
        f"with open_to_write(Path({str(path)!r})) as store:\n"
        "    store.begin('kept', '{}', '1.0')\n"
        "    os.kill(os.getpid(), 9)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == -9
    with open_to_write(path) as store:
        assert [run.name for run in store.runs()] == ["kept"]


def test_a_full_disk_is_a_sentence(tmp_path: Path) -> None:
    with open_to_write(tmp_path / "s") as store:
        run = store.begin(None, "{}", "1.0")
        store._connection.execute("PRAGMA max_page_count = 5")
        with pytest.raises(UsageError, match="the store cannot be written: database or disk is"):
            store.keep(run, outcome("t", "crashed", detail="x" * 100_000))
        assert store.outcomes(run) == {}


def _cut_off(path: Path, statement: str, first: str = "") -> None:
    """Write so much in one transaction that some of it is in the file, and be killed in it."""
    program = (
        "import os, sqlite3, sys\n"
        "connection = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
        "connection.execute('PRAGMA cache_size = 1')\n"
        "connection.execute('BEGIN IMMEDIATE')\n"
        "connection.execute(sys.argv[3])\n"
        "for number in range(100):\n"
        "    connection.execute(sys.argv[2], (str(number), 'x' * 4000))\n"
        "os.kill(os.getpid(), 9)"
    )
    subprocess.run([sys.executable, "-c", program, str(path), statement, first], check=False)
    assert path.with_name(f"{path.name}-journal").stat().st_size > 0


def _execute(path: Path, statement: str) -> None:
    connection = sqlite3.connect(path)
    connection.execute(statement)
    connection.commit()
    connection.close()
