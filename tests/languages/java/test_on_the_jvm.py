"""What a JVM shows of a concurrent program, tepui says can be.

Random programs are run many times on a JVM, and each outcome that was seen, each exception that
ended a thread, and each deadlock must be reachable for tepui. The other way round nothing can be
compared: a JVM shows only some of what can be.

A JVM keeps sequential consistency where no threads race, so programs are compared that cannot: all
that they share is volatile or guarded, or brute force has seen all their interleavings and no race.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple, Protocol

import tepui
from support.generators.java_library import LibraryProgram
from support.generators.java_threads import java_source, random_threads
from support.java_runs import compile_java
from support.java_schedules import PAUSE, Seen, compile_schedules, seen_on_jvm
from support.oracles.java_threads import Outcomes, outcomes
from support.sizes import FUZZING, sized
from tepui.languages.java.java_options import JavaOptions
from tepui.languages.java.loading import load_java
from tepui.program.program import Program

LIMITS = tepui.Limits(timeout=60, memory=3 << 30)
FIRST = 10_000
RUNS = 500 if FUZZING else 100
MOST_OUTCOMES = 20
"""Of these, tepui is asked; what the JVM has shown less often is left out."""


class Source(Protocol):
    """A random program in Java, which asserts that it does not end so."""

    def __call__(self, outcomes: list[int] | None, pause: str) -> str: ...


class Compared(NamedTuple):
    """What a JVM has shown of a program, and tepui's verdict that it cannot be."""

    name: str
    what: str
    verdict: str


def test_programs_that_use_the_library(tmp_path: Path, fuzz_systems: int) -> None:
    seeds = range(FIRST, FIRST + sized(60))
    _assert_reachable(
        compared(tmp_path, {f"P{seed}": LibraryProgram(f"P{seed}", seed).source for seed in seeds})
    )


def test_small_programs(tmp_path: Path, fuzz_systems: int) -> None:
    """Brute force knows all that they can do."""
    known = {f"C{seed}": _outcomes(seed) for seed in range(FIRST, FIRST + sized(60))}
    programs = {name: found for name, found in known.items() if found is not None}
    seen = seen_of(tmp_path, {name: _small(name, found.race) for name, found in programs.items()})
    for name, found in programs.items():
        assert (name, set(seen[name].ends) - found.ends) == (name, set())
        assert (name, seen[name].deadlocks > 0 and not found.deadlock) == (name, False)


def compared(folder: Path, programs: Mapping[str, Source], runs: int = RUNS) -> Iterator[Compared]:
    """Run programs on the JVM, and ask tepui about all that was seen."""
    seen = seen_of(folder, programs, runs)
    ends = {
        name: sorted(found.ends, key=lambda end: -found.ends[end])[:MOST_OUTCOMES]
        for name, found in seen.items()
    }
    texts = {name: source(ends[name], "") for name, source in programs.items()}
    compile_java(folder / "asked", texts)
    for name, text in texts.items():
        program = _program(folder, name, "check")
        first = text.splitlines().index("int o = run();") + 2
        places = {f"{name}.java:{first + n}": end for n, end in enumerate(ends[name])}
        of_ends = [
            (f"end {places[where]}", each)
            for each in tepui.assertions(program)
            if (where := str(each.text).partition("AssertionError at ")[2].split(" ")[0]) in places
        ]
        assert len(of_ends) == len(places)
        yield from _verdicts(name, program, of_ends)
        yield from _of_others(name, _program(folder, name, "run"), seen[name])


def seen_of(folder: Path, programs: Mapping[str, Source], runs: int = RUNS) -> dict[str, Seen]:
    """Run programs on the JVM."""
    runner = compile_schedules(folder / "runner")
    texts = {name: source(None, PAUSE) for name, source in programs.items()}
    return seen_on_jvm(runner, compile_java(folder / "run", texts, runner), texts, runs)


def _of_others(name: str, program: Program, seen: Seen) -> Iterator[Compared]:
    """Deadlock, and exceptions that nobody catches."""
    if seen.deadlocks:
        yield from _verdicts(name, program, [("deadlock", tepui.deadlock())])
    for thrown in seen.uncaught:
        simple = thrown.rpartition(".")[2].rpartition("$")[2]
        asked = [
            (thrown, each)
            for each in tepui.assertions(program)
            if f"({simple})" in str(each.text) or "(" not in str(each.text)
        ]
        verdicts = {each.verdict for each in _verdicts(name, program, asked)}
        verdict = next((each for each in ("unsafe", "unknown") if each in verdicts), "safe")
        yield Compared(name, thrown, verdict)


def _verdicts(
    name: str, program: Program, asked: list[tuple[str, tepui.Question]]
) -> Iterator[Compared]:
    options = tepui.Options(limits=LIMITS, check=False)
    questions = [question for _, question in asked]
    answers = tepui.verify_all(program, questions, options) if questions else []
    for (what, _), answer in zip(asked, answers, strict=True):
        yield Compared(name, what, answer.result.verdict)


def _assert_reachable(found: Iterator[Compared]) -> None:
    every = list(found)
    assert [each for each in every if each.verdict == "safe"] == []
    reached = [each for each in every if each.verdict == "unsafe"]
    assert 2 * len(reached) >= len(every), "too little is known to compare anything"


def _outcomes(seed: int) -> Outcomes | None:
    return outcomes(random_threads(seed), 50_000)


def _small(name: str, volatile: bool) -> Source:
    threads = random_threads(int(name[1:]))
    return lambda ends, pause: java_source(name, threads, ends, volatile, pause)


def _program(folder: Path, name: str, entry: str) -> Program:
    return load_java(str(folder / "asked" / "out" / f"{name}.class"), JavaOptions(entry=entry))
