"""What is proved is never wrong: random programs against brute force, and against the checker.

Some thread types of a random program get any number of threads. Whatever is proved must hold in
all instances that brute force can explore, and the checker must accept it. Where all threads are
observed, whatever is refuted must happen.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace as resized
from itertools import product
from random import Random

import pytest

from support.generators.programs import KNOWING, SMALL, Sizes, random_program
from support.oracles.program_interpreter import TooLargeError
from support.oracles.programs import explore
from support.sizes import sized
from tepui.checker.evidence import Bad
from tepui.horn.finding_process import Finder
from tepui.horn.rungs import Attempt, Method, Rung
from tepui.program.calls import procedures_run_by
from tepui.program.program import Program
from tepui.records import replace

pytest.importorskip("z3")
pytest.importorskip("cvc5")


@pytest.mark.fuzz
def test_what_is_proved_holds_in_every_instance() -> None:
    proved = 0
    for seed in range(sized(48)):
        rng = Random(seed)
        program = crowded(rng, _without_lock(random_program(rng, _sizes(rng))))
        bad = tuple(each for each in asked(program) if rng.random() < 0.8)
        finder = Finder(program, bad)
        for attempt in _some_attempts(rng, program):
            report = finder.attempt(attempt, 3)
            if report.kind == "proved":
                proved += 1
                assert report.invariant is not None
                report.invariant.check_program(program, bad, lambda: True)
                for instance in instances(program):
                    assert violated(instance).isdisjoint(bad), (seed, attempt, instance.threads)
                break
    assert proved >= sized(8)


@pytest.mark.fuzz
def test_what_is_refuted_with_all_threads_observed_happens() -> None:
    refuted = proved = 0
    for seed in range(sized(80)):
        rng = Random(1000 + seed)
        program = _without_lock(random_program(rng, _sizes(rng)))
        bad = tuple(each for each in asked(program) if rng.random() < 0.8)
        rung = Rung(tuple(thread.size for thread in program.threads))
        report = Finder(program, bad).attempt(Attempt(rung, "spacer"), 3)
        if report.kind not in ("proved", "refuted"):
            continue
        try:
            findings = explore(program, depth=5, most=1500)
        except TooLargeError:
            continue
        happens = {each for each in bad if _fact(program, each) in _numbers(findings.found)}
        if report.kind == "refuted":
            refuted += 1
            assert happens or findings.exact is not None, seed
        else:
            proved += 1
            assert not happens, seed
    assert refuted >= sized(8)
    assert proved >= sized(8)


def asked(program: Program) -> Iterator[Bad]:
    """All violations of assertions, by whoever runs them."""
    for thread in range(len(program.threads)):
        run = procedures_run_by(program, thread)
        for number, assertion in enumerate(program.layout.assertions):
            if assertion.procedure in run:
                yield ((thread, program.layout.violation(number)),)


def _some_attempts(rng: Random, program: Program) -> Iterator[Attempt]:
    for k in (1, 2):
        observed = tuple(
            k if thread.count is None else min(thread.count, rng.choice([1, 2]))
            for thread in program.threads
        )
        methods: list[Method] = ["signs", rng.choice(["spacer", "pairs of signs"])]
        for method in methods:
            yield Attempt(Rung(observed, counters=rng.random() < 0.4), method)
    none = tuple(0 if thread.count is None else 1 for thread in program.threads)
    yield Attempt(Rung(none, counters=True, folds_globals=rng.random() < 0.5), "spacer")


def _sizes(rng: Random) -> Sizes:
    """Mostly without calls, as recursion is refused anyway."""
    sizes = KNOWING if rng.random() < 0.2 else SMALL
    return resized(sizes, helpers=rng.choice([0, 0, 1]), constants=False)


def crowded(rng: Random, program: Program) -> Program:
    """The program with any number of threads of some types."""
    threads = tuple(
        replace(thread, count=None if rng.random() < 0.7 else thread.count)
        for thread in program.threads
    )
    return replace(program, threads=threads)


def _without_lock(program: Program) -> Program:
    return replace(program, lock=None)


def instances(program: Program) -> Iterator[Program]:
    """The program with small numbers of threads."""
    counts = [(1, 2, 3) if thread.count is None else (thread.count,) for thread in program.threads]
    for chosen in product(*counts):
        if sum(chosen) <= 4:
            threads = tuple(
                replace(thread, count=count)
                for thread, count in zip(program.threads, chosen, strict=True)
            )
            yield replace(program, threads=threads)


def violated(program: Program) -> set[Bad]:
    """The violations that brute force finds, as far as it comes."""
    try:
        found = _numbers(explore(program, depth=5, most=1500).found)
    except TooLargeError:
        return set()
    return {each for each in asked(program) if _fact(program, each) in found}


def _numbers(found: object) -> set[int]:
    """The assertions among the facts that brute force has found."""
    assert isinstance(found, dict)
    return {fact.what[0] for fact in found if fact.kind == "violated"}


def _fact(program: Program, bad: Bad) -> int:
    return bad[0][1] - program.layout.violation(0)
