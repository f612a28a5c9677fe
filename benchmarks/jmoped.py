"""jMoped's experiments on the same programs, beside the times that its authors have published.

Suwimonteerabuth, Esparza and Schwoon: Symbolic Context-Bounded Analysis of Multithreaded Java
Programs (SPIN 2008), section 5, tables 1 to 3, with eager and lazy splitting. Everything is
compiled first; each row is one `tepui verify` of a class file in a process of its own. A row with a
number of contexts looks no further, as jMoped did; all others hold for any number of contexts.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from models import EXAMPLES
from processes import HERE
from tables import DASH, Line, Part, Say, mebibytes, number, seconds

from tepui.languages.java.compiling import compile_folder
from tepui.languages.java.jdk import find_jdk

SECONDS = 600
COLUMNS = [
    "experiment",
    "jMoped, s",
    "within",
    "verdict",
    "contexts",
    "states",
    "seconds",
    "peak MiB",
]
BEFORE = """The programs of the paper on jMoped (SPIN 2008), from class files to a checked answer,
the start included. `jMoped, s` are the published times, eager and lazy where there are both, on a
machine of that time, within as many contexts as the paper says; `within` is our own bound, and
without one an answer holds for any number of contexts. In the rows of Vector, `x` is any object or
null, or a number with these bits in a box; jMoped could only ask for the latter. Rows with `bdd`
are by that engine, which keeps all values of x in sets of bits; in the others x is
data-independent."""


@dataclass(frozen=True)
class Experiment:
    """What is asked, and what must come out."""

    name: str
    published: str
    class_name: str
    entry: str
    expected: str
    contexts: int | None = None
    """The fewest contexts of a violation."""
    within: int | None = None
    engine: str = "auto"


EXPERIMENTS = [
    Experiment("Bluetooth 1 (1+1)", "1.1 / 1.3", "Bluetooth1", "main", "unsafe", 3),
    Experiment("Bluetooth 2 (2+1)", "51.7 / 36.0", "Bluetooth2", "main", "unsafe", 5),
    Experiment("Bluetooth 3 (1+2)", "11.9 / 6.0", "Bluetooth3", "main", "unsafe", 4),
    Experiment("Bluetooth 3 (2+1)", DASH, "Bluetooth3TwoAdders", "main", "safe"),
    Experiment("Bluetooth, repaired (2+2)", DASH, "BluetoothRepaired", "main", "safe"),
    Experiment("Vector, any x", DASH, "VectorTest", "today", "safe"),
    Experiment("Vector, 1 bit", "15.1 / 20.9", "VectorTest", "today1", "safe"),
    Experiment("Vector, 4 bits", "64.3 / 22.3", "VectorTest", "today4", "safe"),
    Experiment("Vector, 8 bits", "1732.0 / 23.2", "VectorTest", "today8", "safe"),
    Experiment("Vector of Java 5, any x", DASH, "VectorTest", "java5", "unsafe", 3),
    Experiment("Vector of Java 5, 1 bit", "9.3 / 19.7", "VectorTest", "java51", "unsafe", 3),
    Experiment("Vector of Java 5, 4 bits", "31.1 / 17.5", "VectorTest", "java54", "unsafe", 3),
    Experiment("Vector of Java 5, 8 bits", "457.9 / 18.8", "VectorTest", "java58", "unsafe", 3),
    *(
        Experiment(
            f"Vector, {bits}, bdd", published, "VectorTest", f"today{name}", "safe", engine="bdd"
        )
        for bits, published, name in (
            ("1 bit", "15.1 / 20.9", "1"),
            ("4 bits", "64.3 / 22.3", "4"),
            ("8 bits", "1732.0 / 23.2", "8"),
            ("32 bits", DASH, "32"),
        )
    ),
    *(
        Experiment(
            f"Vector of Java 5, {bits}, bdd",
            published,
            "VectorTest",
            f"java5{name}",
            "unsafe",
            3,
            engine="bdd",
        )
        for bits, published, name in (
            ("1 bit", "9.3 / 19.7", "1"),
            ("8 bits", "457.9 / 18.8", "8"),
            ("32 bits", DASH, "32"),
        )
    ),
    Experiment("tree, 1+1", "3.8", "TreeTest", "insert1Search1", "bounded", within=3),
    Experiment("tree, 1+1", "8.3", "TreeTest", "insert1Search1", "bounded", within=4),
    Experiment("tree, 1+1", DASH, "TreeTest", "insert1Search1", "safe"),
    Experiment("tree, 2+1", "127.1", "TreeTest", "insert2Search1", "bounded", within=4),
    Experiment("tree, 2+1", "712.3", "TreeTest", "insert2Search1", "bounded", within=5),
    Experiment("tree, 2+1", "5528.2", "TreeTest", "insert2Search1", "bounded", within=6),
    Experiment("tree, 2+1", DASH, "TreeTest", "insert2Search1", "safe"),
    Experiment("tree, 2+2", "6488.0", "TreeTest", "insert2Search2", "bounded", within=5),
    Experiment("tree, 2+2", "more than 3 h", "TreeTest", "insert2Search2", "bounded", within=6),
    Experiment("tree, 2+2", DASH, "TreeTest", "insert2Search2", "safe"),
]


def measure_jmoped(*, quick: bool, say: Say) -> Part:
    """Run the experiments; with `quick`, those with four threads are left out."""
    lines, complaints = [], []
    with tempfile.TemporaryDirectory() as folder:
        classes = _compiled(Path(folder))
        for each in EXPERIMENTS:
            if quick and "2+2" in each.name:
                continue
            say(each.name)
            begin = time.perf_counter()
            found = _run(classes, each)
            took = time.perf_counter() - begin
            wrong = _is_wrong(each, found)
            lines.append(Line(_cells(each, found, took), wrong=wrong))
            if wrong:
                complaints.append(f"{each.name}: {found.get('verdict')}, {found.get('reason')}")
    return Part(
        title="jMoped's experiments",
        before=BEFORE,
        columns=COLUMNS,
        lines=lines,
        complaints=complaints,
        words=frozenset({"verdict"}),
    )


def _compiled(folder: Path) -> Path:
    sources, classes = folder / "sources", folder / "classes"
    sources.mkdir()
    classes.mkdir()
    for path in (*(EXAMPLES / "java").glob("Bluetooth*.java"), *(HERE / "jmoped").glob("*.java")):
        shutil.copy(path, sources)
    compile_folder(str(sources), str(classes), find_jdk(), ())
    return classes


def _run(classes: Path, each: Experiment) -> dict[str, Any]:
    path = str(classes / f"{each.class_name}.class")
    command = [sys.executable, "-m", "tepui", "verify", path, "--json", "--entry", each.entry]
    command += ["--timeout", str(SECONDS), "--memory", "8G", "--engine", each.engine]
    if each.within is not None:
        command += ["--contexts", str(each.within)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    try:
        found: dict[str, Any] = json.loads(done.stdout)
    except ValueError:
        found = {"verdict": "refused", "reason": done.stderr.strip()}
    return found


def _is_wrong(each: Experiment, found: dict[str, Any]) -> bool:
    if each.expected == "bounded" and found.get("verdict") == "safe":
        return False  # It has found out within these contexts that no more are needed.
    if found.get("verdict") != each.expected:
        return True
    return each.contexts is not None and found.get("bound") != each.contexts


def _cells(each: Experiment, found: dict[str, Any], took: float) -> list[str]:
    verdict = str(found.get("verdict"))
    bound = found.get("bound") if verdict == "unsafe" else None
    return [
        each.name,
        each.published,
        DASH if each.within is None else str(each.within),
        verdict,
        DASH if bound is None else str(bound),
        number(found.get("states")),
        seconds(took),
        mebibytes(found.get("peak_memory_bytes")),
    ]
