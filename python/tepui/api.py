"""Functions for Python programs, where these differ from what the command line calls.

Each function imports what it needs by itself, so that reading a file is quick.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal, overload

import tepui.languages as languages
from tepui.doors import door
from tepui.errors import UsageError
from tepui.languages import Loaded
from tepui.languages.loaded_model import SeldomOpen
from tepui.model import OpenSystem, System
from tepui.program.program import Program, refuse_limits
from tepui.words import printable

if TYPE_CHECKING:
    from tepui.languages.java.java_options import JavaOptions
    from tepui.program.questions import Question
    from tepui.report.evidence_text import CheckedEvidence


@door
def load(
    path: str | os.PathLike[str],
    init: str | None = None,
    targets: Sequence[str] | None = None,
    threads: Mapping[str, int | None] | None = None,
    overflow: bool = False,
    *,
    entry: str | None = None,
    classpath: Sequence[str | os.PathLike[str]] = (),
    jdk: str | os.PathLike[str] | None = None,
    spurious_wakeups: bool = False,
    races: bool = False,
) -> System | Program | SeldomOpen:
    """Read a file: a System from .pds and .cpds, a Program from .bp and .nbp, and from Java: .java,
    .class, .jar or a folder. A .cpds file with any number of threads of some blocks is an
    OpenSystem.

    `init` and `targets` replace the initial state and the bad states of a system, `threads` says
    how many threads of which types a program, or an open system, runs. With `overflow`, the program
    also asks whether its machine integers overflow.
    A Java program begins with `entry`, such as `"Test.run"`, or else with its main method; its
    other classes are in the folders and archives of `classpath`, and in the `jdk`. With
    `spurious_wakeups`, threads that wait may wake up for no reason; with `races`, the program can
    be asked whether threads race.
    For a task definition (.yml), this reads its model, with the threads and the initial state of
    the task; `tepui.tasks.read_tasks` also says what is asked, and expected.
    If something in the file is odd but not wrong, there is a warning.

    >>> tepui.load("examples/bluetooth1.bp", threads={"add": 2})
    <Program bluetooth1: threads add × 2, stop>
    >>> print(tepui.load("examples/figure4.cpds", targets=["q1|2,4", "deadlock"]))
    figure4: 4 shared states, threads P1, P2
    """
    java = _java(entry, classpath, jdk, spurious_wakeups, races)
    return _loaded(path, init, targets, threads, overflow, java)


@door
def load_system(
    path: str | os.PathLike[str],
    init: str | None = None,
    targets: Sequence[str] | None = None,
) -> System:
    """Read a file that holds a pushdown system, as `load` does.

    >>> print(tepui.load_system("examples/figure4.cpds"))
    figure4: 4 shared states, threads P1, P2
    """
    model = _loaded(path, init, targets, None)
    if isinstance(model, Program):
        raise UsageError(f"{path} is a program, expected a pushdown system (.cpds, .pds)")
    if isinstance(model, OpenSystem):
        raise UsageError(
            f"{path} has any number of threads {', '.join(model.any_number)}: tepui.load(path) "
            "reads it, and threads={…} says how many there are"
        )
    return model


@door
def load_program(
    path: str | os.PathLike[str],
    threads: Mapping[str, int | None] | None = None,
    overflow: bool = False,
    *,
    entry: str | None = None,
    classpath: Sequence[str | os.PathLike[str]] = (),
    jdk: str | os.PathLike[str] | None = None,
    spurious_wakeups: bool = False,
    races: bool = False,
) -> Program:
    """Read a file that holds a program, as `load` does.

    >>> tepui.load_program("examples/bluetooth1.bp")
    <Program bluetooth1: threads add, stop>
    """
    java = _java(entry, classpath, jdk, spurious_wakeups, races)
    model = _loaded(path, None, None, threads, overflow, java)
    if isinstance(model, System | OpenSystem):
        raise UsageError(f"{path} is a pushdown system, expected a program (.bp, .nbp, .java)")
    return model


@overload
def loads(
    text: str,
    language: Literal["bp", "nbp"],
    *,
    threads: Mapping[str, int | None] | None = None,
    name: str = "<text>",
    overflow: bool = False,
) -> Program: ...


@overload
def loads(
    text: str,
    language: Literal["java"],
    *,
    name: str = "<text>",
    entry: str | None = None,
    classpath: Sequence[str | os.PathLike[str]] = (),
    jdk: str | os.PathLike[str] | None = None,
    spurious_wakeups: bool = False,
    races: bool = False,
) -> Program: ...


@overload
def loads(
    text: str,
    language: Literal["pds"],
    *,
    init: str | None = None,
    targets: Sequence[str] | None = None,
    name: str = "<text>",
) -> System: ...


@overload
def loads(
    text: str,
    language: Literal["cpds"],
    *,
    init: str | None = None,
    targets: Sequence[str] | None = None,
    threads: Mapping[str, int | None] | None = None,
    name: str = "<text>",
) -> System | SeldomOpen: ...


@overload
def loads(
    text: str,
    language: str,
    *,
    init: str | None = None,
    targets: Sequence[str] | None = None,
    threads: Mapping[str, int | None] | None = None,
    name: str = "<text>",
    overflow: bool = False,
    entry: str | None = None,
    classpath: Sequence[str | os.PathLike[str]] = (),
    jdk: str | os.PathLike[str] | None = None,
    spurious_wakeups: bool = False,
    races: bool = False,
) -> System | Program | SeldomOpen: ...


@door
def loads(
    text: str,
    language: str,
    *,
    init: str | None = None,
    targets: Sequence[str] | None = None,
    threads: Mapping[str, int | None] | None = None,
    name: str = "<text>",
    overflow: bool = False,
    entry: str | None = None,
    classpath: Sequence[str | os.PathLike[str]] = (),
    jdk: str | os.PathLike[str] | None = None,
    spurious_wakeups: bool = False,
    races: bool = False,
) -> System | Program | SeldomOpen:
    """Read a text: a System from "cpds" and "pds", a Program from "bp", "nbp" and "java".

    `name` is what errors call the text; the other parameters are those of `load`.

    >>> tepui.loads("decl x; void main() { x := 1; assert(x); }", "bp", name="cell 3")
    <Program cell 3: threads main>
    """
    java = _java(entry, classpath, jdk, spurious_wakeups, races)
    loaded = languages.loads(text, language, init, targets, name, overflow, java)
    return _counted(loaded, threads)


def _loaded(
    path: str | os.PathLike[str],
    init: str | None,
    targets: Sequence[str] | None,
    threads: Mapping[str, int | None] | None,
    overflow: bool = False,
    java: JavaOptions | None = None,
) -> System | Program | SeldomOpen:
    if os.fspath(path).lower().endswith((".yml", ".yaml")):
        from pathlib import Path

        from tepui.tasks.definition import read_definition

        defined = read_definition(Path(path))
        path, init = defined.file, defined.init if init is None else init
        threads = dict(defined.threads) | dict(threads or {})
        java = defined.completed(java)
    loaded = languages.load(path, init, targets, overflow, java)
    return _counted(loaded, threads, stacklevel=5)


def _java(
    entry: str | None,
    classpath: Sequence[str | os.PathLike[str]],
    jdk: str | os.PathLike[str] | None,
    spurious_wakeups: bool,
    races: bool,
) -> JavaOptions | None:
    """What is said about a Java program, if anything is."""
    if isinstance(classpath, str | os.PathLike):
        raise UsageError("classpath is a list of folders and archives")
    paths = tuple(os.fspath(path) for path in classpath)
    if entry is None and not paths and jdk is None and not (spurious_wakeups or races):
        return None
    from tepui.languages.java.java_options import JavaOptions

    home = None if jdk is None else os.fspath(jdk)
    return JavaOptions(entry, paths, home, spurious_wakeups, races=races)


def _counted(
    loaded: Loaded, threads: Mapping[str, int | None] | None, stacklevel: int = 4
) -> System | Program | SeldomOpen:
    """What was read, with the wanted numbers of threads. Warnings point at the caller of `load`."""
    model, said = loaded.model, loaded.warnings
    if threads and isinstance(model, OpenSystem):
        from tepui.languages.pushdown.thread_counts import with_threads

        counted = with_threads(model, threads)
        model, threads, said = counted.model, None, [*said, *counted.warnings]
    for warning in said:
        warnings.warn(printable(warning), stacklevel=stacklevel)
    if not threads:
        return model
    if isinstance(model, System):
        name = model.name
        raise UsageError(f"threads are counted in programs (.bp), and {name} is a pushdown system")
    from tepui.program.passes.counts import with_counts

    return with_counts(model, threads)


@door
def check(
    model: System | Program | OpenSystem,
    path: str | os.PathLike[str],
    questions: Question | Sequence[Question] | None = None,
    *,
    reference: bool = False,
) -> CheckedEvidence:
    """What the evidence in a file proves; an EvidenceError if the checker rejects it.

    It must be about what the model asks itself, or else about the given questions. On request, the
    reference of the checker examines it, which is plain Python and slow.

    >>> program = tepui.load("examples/bluetooth1.bp")
    >>> print(tepui.check(program, "evidence.json"))
    violated within 3 contexts: assert(!stopped) at bluetooth1.bp:40
    """
    from tepui.program.questions import Question
    from tepui.report.evidence_text import (
        prove_about_open_system,
        prove_about_program,
        prove_about_system,
    )

    if isinstance(model, Program):
        asked = [questions] if isinstance(questions, Question) else questions
        return prove_about_program(model, path, asked, reference=reference)
    if questions is not None:
        raise UsageError("questions are about programs; what is asked about a System is in it")
    if isinstance(model, OpenSystem):
        return prove_about_open_system(model, path, reference=reference)
    return prove_about_system(model, path, reference=reference)


@door
def written_out(program: Program, questions: Question | Sequence[Question] | None = None) -> System:
    """The System that a program stands for, with all its rules.

    Where deadlock is asked, variables that may have any value get one by steps of their own, as a
    System has no other way to express it.

    >>> print(tepui.written_out(tepui.load_program("examples/bluetooth1.bp")))
    bluetooth1: 22 shared states, threads add, stop
    """
    from tepui.deciding import Options
    from tepui.deciding.drivers import asked_system
    from tepui.program.questions import Question, asked_program, own_questions
    from tepui.z import plain_system

    refuse_limits(program)
    if questions is None:
        questions = own_questions(program)
    asked = [questions] if isinstance(questions, Question) else questions
    program = asked_program(program, asked)
    stuck = any(question.bad.deadlock for question in asked)
    return plain_system.written_out(asked_system(program, asked, Options(), decide_first=stuck))
