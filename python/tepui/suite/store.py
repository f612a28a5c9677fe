"""The store: a SQLite file with the outcomes of runs. Its content survives crashes.

Each outcome is committed by itself at once, with SQLite's rollback journal rather than its
write-ahead log: a store is one file, which can be copied, and may lie on any disk. One process at a
time writes, guarded by a lock beside the file; others may read meanwhile.

A run is a name for outcomes under one set of options and one version of tepui.

SQLite keeps any value in any column, and anyone may have changed the file. So what is read is
checked, and a value that was never written is a sentence about a damaged store.
"""

from __future__ import annotations

import fcntl
import json
import math
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any
from urllib.parse import quote

from tepui.errors import UsageError
from tepui.records import record
from tepui.suite.outcome import FAILURES, OPEN, VERDICTS, Outcome, Ran
from tepui.tasks.task import Counts
from tepui.words import did_you_mean, shown

SCHEMA_VERSION = 1
_APPLICATION = 0x74707569
"""Marks the file as ours."""

_PATIENCE = 60
"""Seconds to wait while others read or write."""

_SCHEMA = """
CREATE TABLE run (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    settings TEXT NOT NULL,
    version TEXT NOT NULL,
    started TEXT NOT NULL
);
CREATE TABLE outcome (
    run INTEGER NOT NULL REFERENCES run (id),
    task TEXT NOT NULL,
    file TEXT NOT NULL,
    property_name TEXT,
    expected TEXT,
    counts TEXT,
    inputs TEXT NOT NULL,
    answer TEXT NOT NULL,
    seconds REAL NOT NULL,
    memory INTEGER,
    engine TEXT,
    bound TEXT,
    found_counts TEXT,
    checked INTEGER,
    detail TEXT NOT NULL,
    ended TEXT NOT NULL,
    PRIMARY KEY (run, task)
);
"""


@record
class StoredRun:
    """A run in a store."""

    id: int
    name: str
    settings: str
    version: str
    started: str


class Store:
    """An open store. Use it in a `with` block."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._connection = connection

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._connection.close()

    def runs(self) -> list[StoredRun]:
        """All runs, the oldest first."""
        rows = self._all("SELECT id, name, settings, version, started FROM run ORDER BY id")
        with _as_damage(self.path):
            return [_run(*row) for row in rows]

    def find(self, name: str | None = None) -> StoredRun:
        """The run of this name, or the last one."""
        runs = self.runs()
        if not runs:
            raise UsageError(f"{self.path}: there is no run in this store yet")
        if name is None:
            return runs[-1]
        for run in runs:
            if run.name == name:
                return run
        hint = did_you_mean(name, (run.name for run in runs), "the runs are")
        raise UsageError(f"{self.path}: there is no run {name}{hint}")

    def begin(
        self, name: str | None, settings: str, version: str, *, again: bool = False
    ) -> StoredRun:
        """The run to put outcomes into: one to go on with, or a new one.

        Without a name it is the last one of the same settings and version, if there is one and it
        is not to be done again. A name of a run with other settings or another version is refused.
        """
        runs = self.runs()
        same = [run for run in runs if (run.settings, run.version) == (settings, version)]
        if name is None:
            return same[-1] if same and not again else self._add(_unused(runs), settings, version)
        named = [run for run in runs if run.name == name]
        if not named:
            return self._add(name, settings, version)
        if again:
            self._remove(named[0])
            return self._add(name, settings, version)
        if named[0] not in same:
            raise UsageError(
                f"{self.path}: the run {name} has other options or is of another version "
                f"({_described(named[0])}); choose another name, or --again to replace it"
            )
        return named[0]

    def outcomes(self, run: StoredRun) -> dict[str, Outcome]:
        """The outcomes of a run, by the names of the tasks."""
        names = ", ".join(_COLUMNS)
        rows = self._all(f"SELECT {names} FROM outcome WHERE run = ? ORDER BY task", run.id)
        with _as_damage(self.path):
            return {row[0]: _outcome(dict(zip(_COLUMNS, row, strict=True))) for row in rows}

    def keep(self, run: StoredRun, outcome: Outcome) -> None:
        """Write an outcome, in place of an earlier one of the same task. After that it cannot be
        lost."""
        row = {**_row(outcome), "run": run.id, "ended": _now()}
        names, holes = ", ".join(row), ", ".join(f":{name}" for name in row)
        with self._writing():
            self._connection.execute(
                f"INSERT OR REPLACE INTO outcome ({names}) VALUES ({holes})", row
            )

    def _add(self, name: str, settings: str, version: str) -> StoredRun:
        started = _now()
        with self._writing():
            cursor = self._connection.execute(
                "INSERT INTO run (name, settings, version, started) VALUES (?, ?, ?, ?)",
                (name, settings, version, started),
            )
        assert cursor.lastrowid is not None
        return StoredRun(cursor.lastrowid, name, settings, version, started)

    def _remove(self, run: StoredRun) -> None:
        with self._writing():
            self._connection.execute("DELETE FROM outcome WHERE run = ?", (run.id,))
            self._connection.execute("DELETE FROM run WHERE id = ?", (run.id,))

    def _all(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        with _in_words(self.path, "read"):
            return self._connection.execute(query, values).fetchall()

    @contextmanager
    def _writing(self) -> Iterator[None]:
        with _in_words(self.path, "written"), self._connection:
            yield


@contextmanager
def open_to_write(path: Path) -> Iterator[Store]:
    """A store, locked so that no other process writes to it; it is created if it does not exist."""
    try:
        exists = path.exists()
    except OSError as error:
        raise UsageError(f"{path}: the store cannot be opened: {error.strerror}") from error
    if exists and not path.is_file():
        what = "a folder" if path.is_dir() else "a device"
        raise UsageError(f"{path}: this is {what}; a store is a file, as in --store runs.sqlite")
    if not path.parent.is_dir():
        raise UsageError(f"{path}: the store cannot be made: there is no folder {path.parent}")
    with (
        _locked(path),
        _in_words(path, "opened"),
        Store(path, sqlite3.connect(path.absolute(), timeout=_PATIENCE)) as store,
    ):
        if _is_empty(store):
            _create(store)
        _check(store)
        yield store


@contextmanager
def open_to_read(path: Path) -> Iterator[Store]:
    """An existing store, to read.

    If we may write to it, SQLite may: it then rolls back what a killed process had half written.
    """
    if not path.is_file():
        raise UsageError(f"{path}: there is no such store")
    with _in_words(path, "opened"):
        mode = "rw" if os.access(path, os.W_OK) else "ro"
        uri = f"file:{quote(os.fsencode(path.absolute()))}?mode={mode}"
        with Store(path, sqlite3.connect(uri, timeout=_PATIENCE, uri=True)) as store:
            _check(store)
            yield store


def _is_empty(store: Store) -> bool:
    """Whether it is empty, after what a killed process had half written is rolled back."""
    (pages,) = store._connection.execute("PRAGMA page_count").fetchone()
    return bool(pages == 0)


def _create(store: Store) -> None:
    connection = store._connection
    with connection:
        connection.execute("BEGIN IMMEDIATE")
        for statement in filter(str.strip, _SCHEMA.split(";")):
            connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {_APPLICATION}")
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")


def _check(store: Store) -> None:
    """Refuse a file that is not a store, or a store that this version of tepui does not
    understand."""
    connection = store._connection
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if application != _APPLICATION:
        raise UsageError(
            f"{store.path}: this is a database, but no store of tepui; nothing was changed"
        )
    if version != SCHEMA_VERSION:
        raise UsageError(
            f"{store.path}: this store was written by a newer tepui (its schema is {version}, "
            f"this one knows {SCHEMA_VERSION}); nothing was changed"
        )
    (found,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if found != "ok":
        raise _damaged(store.path, found)


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold the lock of a store. The system releases it whatever happens to this process."""
    beside = path.with_name(f"{path.name}.lock")
    while True:
        try:
            lock = os.open(beside, os.O_RDWR | os.O_CREAT, 0o666)
        except OSError as error:
            raise UsageError(f"{path}: the store cannot be opened: {error.strerror}") from error
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(lock)
            raise UsageError(
                f"{path}: another tepui writes to this store; wait for it, or use another --store"
            ) from None
        if _is_still(beside, lock):
            break
        os.close(lock)  # The process that held it has just removed it.
    try:
        yield
    finally:
        beside.unlink(missing_ok=True)
        os.close(lock)


def _is_still(path: Path, lock: int) -> bool:
    try:
        return os.path.samestat(path.stat(), os.fstat(lock))
    except FileNotFoundError:
        return False


@contextmanager
def _in_words(path: Path, done: str) -> Iterator[None]:
    """Complaints of SQLite as sentences."""
    try:
        yield
    except UnicodeDecodeError as error:
        raise _damaged(path, str(error)) from None
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", None)
        if code == sqlite3.SQLITE_NOTADB:
            raise UsageError(
                f"{path}: this file is no store of tepui; nothing was changed"
            ) from None
        if code == sqlite3.SQLITE_CORRUPT or (code == sqlite3.SQLITE_ERROR and done == "read"):
            raise _damaged(path, str(error)) from None
        raise UsageError(f"{path}: the store cannot be {done}: {error}") from error


@contextmanager
def _as_damage(path: Path) -> Iterator[None]:
    """What cannot be made of values that were read says that the store is damaged."""
    try:
        yield
    except (ValueError, RecursionError) as error:
        raise _damaged(path, str(error)) from None


def _damaged(path: Path, how: str) -> UsageError:
    first = how.splitlines()[0].removeprefix("*** in database main ***").strip() if how else ""
    return UsageError(
        f"{path}: this store is damaged ({first}); nothing was changed, use another --store"
    )


_COLUMNS: dict[str, tuple[type, ...]] = {
    "task": (str,),
    "file": (str,),
    "property_name": (str, type(None)),
    "expected": (str, type(None)),
    "counts": (str, type(None)),
    "inputs": (str,),
    "answer": (str,),
    "seconds": (float,),
    "memory": (int, type(None)),
    "engine": (str, type(None)),
    "bound": (str, type(None)),
    "found_counts": (str, type(None)),
    "checked": (int, type(None)),
    "detail": (str,),
}
"""What was written in each column."""


def _row(outcome: Outcome) -> dict[str, object]:
    ran = outcome.ran
    values = (
        *(outcome.task, outcome.file, outcome.property_name, outcome.expected),
        *(_counts_text(outcome.counts), outcome.inputs, ran.answer, ran.seconds, ran.memory),
        *(ran.engine, None if ran.bound is None else str(ran.bound), _counts_text(ran.counts)),
        *(ran.checked, ran.detail),
    )
    return dict(zip(_COLUMNS, values, strict=True))


def _run(identity: object, *texts: object) -> StoredRun:
    """A run, if it can have been written."""
    _check_value("a run", (identity, *texts), isinstance(identity, int))
    for text in texts:
        _check_value("a run", text, isinstance(text, str))
    run = StoredRun(identity, *texts)  # type: ignore[arg-type]
    _check_value("the settings of a run", run.settings, isinstance(json.loads(run.settings), dict))
    return run


def _outcome(row: dict[str, Any]) -> Outcome:
    """An outcome, if it can have been written."""
    for name, kinds in _COLUMNS.items():
        _check_value(name, row[name], isinstance(row[name], kinds))
    _check_value("file", row["file"], row["file"] != "")
    _check_value("answer", row["answer"], row["answer"] in (*VERDICTS, *OPEN, *FAILURES))
    _check_value("expected", row["expected"], row["expected"] in (None, "safe", "unsafe"))
    _check_value("seconds", row["seconds"], 0 <= row["seconds"] < math.inf)
    return Outcome(
        row["task"],
        row["file"],
        row["property_name"],
        row["expected"],
        _counts(row["counts"]),
        row["inputs"],
        Ran(
            row["answer"],
            row["seconds"],
            row["memory"],
            row["engine"],
            None if row["bound"] is None else int(row["bound"]),
            _counts(row["found_counts"]),
            None if row["checked"] is None else bool(row["checked"]),
            row["detail"],
        ),
    )


def _counts_text(counts: Counts | None) -> str | None:
    """Counts as text, because they may have more digits than a number of SQLite."""
    if counts is None:
        return None
    return json.dumps([counts.bound, counts.visible, counts.states])


def _counts(text: str | None) -> Counts | None:
    if text is None:
        return None
    numbers = json.loads(text)
    _check_value("counts", text, isinstance(numbers, list) and len(numbers) == 3)
    for number in numbers:
        _check_value("counts", text, number is None or type(number) is int)
    return Counts(*numbers)


def _check_value(what: str, value: object, fits: bool) -> None:
    if not fits:
        raise ValueError(f"{what} cannot be {shown(repr(value))}")


def _unused(runs: list[StoredRun]) -> str:
    """The next number that is not the name of a run."""
    names = {run.name for run in runs}
    return next(str(number) for number in range(1, len(names) + 2) if str(number) not in names)


def _described(run: StoredRun) -> str:
    return f"tepui {run.version}, {run.settings}"


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
