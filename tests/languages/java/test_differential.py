"""Java programs behave in tepui as on the JVM.

Random sequential programs are run on the JVM first; then a class is compiled that asserts what came
out, and that something else did: the first assertion holds and the second is violated. Random
concurrent programs are compared with brute force, which knows every outcome; what a JVM shows of
them is in `test_on_the_jvm.py`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import tepui
from support.generators.java import JavaProgram
from support.generators.java_threads import java_source, random_threads
from support.java_runs import OnJvm, compile_java, run_on_jvm
from support.oracles.java_threads import Outcomes, outcomes
from support.oracles.one_path import run
from support.sizes import sized
from tepui.languages.java.java_options import JavaOptions
from tepui.languages.java.loading import load_java
from tepui.program.program import Program

FIRST = 5000
LIMITS = tepui.Limits(timeout=120, memory=4 << 30)
MOST_OUTCOMES = 12


def test_sequential_programs_end_as_on_the_jvm(tmp_path: Path, fuzz_systems: int) -> None:
    """By a naive interpreter of the translation, which also sees where it is stuck."""
    classes = _sequential(tmp_path, range(FIRST, FIRST + sized(100)), 3)
    limits = 0
    for name, place in classes.items():
        ended = run(_program(tmp_path, f"{name}T", "other"))
        limits += ended.how == "limit"
        if ended.how != "limit":
            assert (name, ended.how, ended.place) == (name, "violation", place)
    assert limits <= len(classes) // 10


def test_verdicts_about_sequential_programs_are_those_of_the_jvm(tmp_path: Path) -> None:
    classes = _sequential(tmp_path, range(FIRST + 10**6, FIRST + 10**6 + sized(12)), 2)
    for name in classes:
        assert (name, _verdict(_program(tmp_path, f"{name}T", "same"))) in (
            (name, "safe"),
            (name, "unknown"),
        )
        assert (name, _verdict(_program(tmp_path, f"{name}T", "other"))) in (
            (name, "unsafe"),
            (name, "unknown"),
        )


def test_concurrent_programs_have_the_outcomes_of_brute_force(
    tmp_path: Path, fuzz_systems: int
) -> None:
    known = {seed: _outcomes(seed) for seed in range(sized(60))}
    sources = {
        f"C{seed}": java_source(f"C{seed}", random_threads(seed), sorted(found.ends))
        for seed, found in known.items()
        if found is not None
    }
    compile_java(tmp_path, sources)
    for name, text in sources.items():
        found = known[int(name[1:])]
        assert found is not None
        program = _program(tmp_path, name, "check")
        first = text.splitlines().index("int o = run();") + 2
        questions = [
            each for each in tepui.assertions(program) if "AssertionError at" in str(each.text)
        ]
        answers = tepui.verify_all(
            program, [*questions, tepui.deadlock()], tepui.Options(limits=LIMITS, check=False)
        )
        verdicts = [answer.result.verdict for answer in answers]
        wanted = {first + number: "unsafe" for number in range(len(found.ends))}
        asked = set()
        for question, verdict in zip(questions, verdicts, strict=False):
            line = int(str(question.text).split(f"{name}.java:")[1].split()[0])
            assert (name, line, verdict) == (name, line, wanted.get(line, "safe"))
            asked.add(line)
        assert set(wanted) <= asked
        assert (name, verdicts[-1]) == (name, "unsafe" if found.deadlock else "safe")


def test_races_are_those_of_brute_force(tmp_path: Path, fuzz_systems: int) -> None:
    known = {f"R{seed}": _outcomes(seed) for seed in range(FIRST, FIRST + sized(24))}
    compile_java(
        tmp_path, {name: java_source(name, random_threads(int(name[1:]))) for name in known}
    )
    for name, found in known.items():
        if found is not None:
            place = str(tmp_path / "out" / f"{name}.class")
            program = load_java(place, JavaOptions(entry="run", races=True))
            options = tepui.Options(limits=LIMITS, check=False)
            verdict = tepui.verify(program, tepui.races(program), options).verdict
            assert (name, verdict) == (name, "unsafe" if found.race else "safe")


@pytest.mark.parametrize("seed", range(3))
def test_a_random_program_is_the_same_every_time(seed: int) -> None:
    assert JavaProgram("P", seed).source() == JavaProgram("P", seed).source()
    assert random_threads(seed) == random_threads(seed)


def _sequential(folder: Path, seeds: range, size: int) -> dict[str, str]:
    """Compile random programs with their checks: where each violates the second one."""
    names = {f"P{seed}": JavaProgram(f"P{seed}", seed, size).source() for seed in seeds}
    compile_java(folder, names)
    found = run_on_jvm(folder, names)
    compile_java(folder, {f"{name}T": _checks(name, end) for name, end in found.items()})
    return {name: f"{name}T.java:11" for name in found}


def _checks(name: str, end: OnJvm) -> str:
    """`same` asserts what the JVM has found, and `other` that it is something else."""
    call = f"\n\n{name}.run();"
    if end.thrown:
        caught = f"catch ({end.thrown.replace('$', '.')} e) {{ thrown = true; }}"
        call = (
            f"boolean thrown = false;\ntry {{ {name}.run(); }} {caught}\n"
            "if (!thrown) throw new IllegalStateException();"
        )
    return (
        f"public class {name}T {{\nstatic void same() {{\n{call}\n"
        f"assert {name}.acc == {end.value}; }}\n"
        f"static void other() {{\n{call}\nassert {name}.acc != {end.value}; }}\n}}\n"
    )


def _outcomes(seed: int) -> Outcomes | None:
    found = outcomes(random_threads(seed), 50_000)
    return found if found is not None and len(found.ends) <= MOST_OUTCOMES else None


def _program(folder: Path, name: str, entry: str) -> Program:
    return load_java(str(folder / "out" / f"{name}.class"), JavaOptions(entry=entry))


def _verdict(program: Program) -> str:
    questions = [*tepui.assertions(program), tepui.deadlock()]
    return tepui.verify(program, questions, tepui.Options(limits=LIMITS, check=False)).verdict
