"""The models of the JDK: their class files are those of their sources, and they do what it does.

On a real JVM, copies of the models are compared with the JDK's own classes, in one thread. What
several threads see of each other is tested where programs are verified.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tepui.languages.java.models.build import CLASSES, SOURCES, build

HERE = Path(__file__).parent / "models"
HARNESS = CLASSES.parent / "HARNESS"

pytestmark = [
    pytest.mark.skipif(shutil.which("javac") is None, reason="there is no JDK"),
    pytest.mark.xdist_group("java-models"),
]


@pytest.fixture(scope="module")
def rebuilt(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("classes")
    build(folder)
    return folder


def test_the_class_files_are_those_of_the_sources(rebuilt: Path) -> None:
    names = sorted(_names(CLASSES))
    assert sorted(_names(rebuilt)) == names
    if _version() == "17":
        different = [n for n in names if _bytes(CLASSES, n) != _bytes(rebuilt, n)]
        assert different == []
    else:
        assert _instructions(rebuilt, names) == _instructions(CLASSES, names)


def test_every_class_file_is_for_jdk_17_or_older() -> None:
    for name in _names(CLASSES):
        assert int.from_bytes(_bytes(CLASSES, name)[6:8], "big") <= 61, name


def test_every_source_opens_with_a_comment_and_has_no_lambda() -> None:
    for path in SOURCES.rglob("*.java"):
        text = path.read_text(encoding="utf-8")
        assert text.startswith("// "), path
        assert "->" not in text, path
        assert len(text.splitlines()) < 1800, path


def test_every_class_is_of_the_jdk_or_of_a_harness_that_is_listed() -> None:
    lines = HARNESS.read_text(encoding="utf-8").splitlines()
    listed = [line for line in lines if not line.startswith("#")]
    known = (*listed, "java", "jdk.internal", "tepui")
    for name in _names(CLASSES):
        assert name.replace("/", ".").startswith(tuple(f"{prefix}." for prefix in known)), name
    for prefix in listed:
        assert (CLASSES / prefix.replace(".", "/")).is_dir(), prefix


STATIC = ["Integer", "Long", "Short", "Byte", "Character", "Boolean", "Math", "StrictMath"]
STATEFUL = [
    "util.concurrent.atomic.AtomicInteger=int",
    "util.concurrent.atomic.AtomicLong=",
    "util.concurrent.atomic.AtomicBoolean=boolean",
    "util.concurrent.atomic.AtomicReference=",
    "util.concurrent.atomic.AtomicIntegerArray=int",
    "util.concurrent.atomic.AtomicLongArray=int",
    "util.concurrent.atomic.AtomicReferenceArray=int",
    "util.concurrent.atomic.AtomicStampedReference=Object,int",
    "util.concurrent.atomic.AtomicMarkableReference=Object,boolean",
    "util.concurrent.atomic.LongAdder=",
    "util.concurrent.locks.ReentrantLock=boolean",
    "util.concurrent.locks.ReentrantReadWriteLock=boolean",
    "util.concurrent.Semaphore=int",
    "util.concurrent.CountDownLatch=int",
    "util.concurrent.CyclicBarrier=int",
    "util.concurrent.ArrayBlockingQueue=int",
    "util.concurrent.LinkedBlockingQueue=int",
    "util.concurrent.ConcurrentLinkedQueue=",
    "util.concurrent.ConcurrentHashMap=",
]


def test_models_do_what_the_jdk_does(tmp_path: Path) -> None:
    sources = [*_copies(tmp_path / "copies"), HERE / "Intrinsics.java", HERE / "Compare.java"]
    _run("javac", "-nowarn", "-Xlint:none", "-d", tmp_path / "out", *sources)
    static = [f"lang.{name}" for name in STATIC]
    static += ["lang.System", "util.Arrays", "util.Objects"]
    counts = _run("java", "-Xshare:auto", "-cp", tmp_path / "out", "Compare", *static, *STATEFUL)
    compared = dict(re.findall(r"(\w+)=(\d+)", counts))
    for name in static + STATEFUL:
        simple = name.partition("=")[0].rpartition(".")[2]
        assert int(compared[simple]) > 150, name


PACKAGES = ["lang", "io", "util", "util.concurrent"]
PACKAGES += ["util.concurrent.atomic", "util.concurrent.locks"]


def _copies(folder: Path) -> Iterator[Path]:
    """The models in packages of their own; exceptions, strings and units of time stay."""
    left_out = re.compile(
        r"Throwable|\w+Exception|\w+Error|String\w+|AbstractStringBuilder|PrintStream|InputStream|TimeUnit|Executors"
    )
    found = {
        f"java.{package}.{path.stem}": path
        for package in PACKAGES
        for path in (SOURCES / "java" / package.replace(".", "/")).glob("*.java")
        if not left_out.fullmatch(path.stem)
    }
    found["tepui.ThreadQueue"] = SOURCES / "tepui" / "ThreadQueue.java"
    language = "".join(
        f"import models.lang.{name.rpartition('.')[2]};\n"
        for name in sorted(found)
        if name.startswith("java.lang.") and name.count(".") == 2
    )
    for name, path in found.items():
        text = path.read_text(encoding="utf-8")
        package = name.rpartition(".")[0]
        for other in found:
            if other.startswith("java."):
                renamed = "models" + other.removeprefix("java")
                text = text.replace(f"import {other};\n", f"import {renamed};\n")
        imports = f"import {package}.*;\n" + ("" if package == "java.lang" else language)
        renamed = re.sub("^java", "models", package)
        text = text.replace(f"package {package};\n", f"package {renamed};\n\n{imports}")
        text = text.replace("InputStream.standardInput()", "null")
        text = text.replace("new PrintStream()", "null")
        if path.stem == "Thread":
            main = "static Thread main()"
            assert main in text
            text = text.replace(
                main, "public static Thread forTest() { return main(); }\n\n" + main
            )
        copy = folder / renamed.replace(".", "/") / path.name
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(text, encoding="utf-8")
        yield copy


def _names(folder: Path) -> Iterator[str]:
    for path in folder.rglob("*.class"):
        yield path.relative_to(folder).with_suffix("").as_posix()


def _bytes(folder: Path, name: str) -> bytes:
    return (folder / f"{name}.class").read_bytes()


def _instructions(folder: Path, names: list[str]) -> list[str]:
    """Members and instructions, without the numbers of constants and what their order decides."""
    text = _run("javap", "-c", "-p", *(folder / f"{name}.class" for name in names))
    lines = (re.sub(r"#\d+(, +\d+)?", "", line).split() for line in text.splitlines())
    return sorted(" ".join(line) for line in lines)


def _version() -> str:
    return _run("javac", "-version").split()[1].partition(".")[0]


def _run(*command: str | Path) -> str:
    result = subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr + result.stdout
    return result.stdout or result.stderr
