"""The fast checker and its reference say the same about random evidence, sound or damaged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from random import Random

import pytest

from support.generators.copying_programs import random_open_program
from support.generators.damaged_evidence import (
    Listing,
    damaged,
    damaged_property,
    damaged_tables,
)
from support.generators.fork_programs import random_fork_program
from support.generators.programs import EXCHANGED, KNOWING, random_program, with_bare_ends
from support.generators.systems import random_system
from support.sizes import FUZZING, sized
from tepui.checker.certificates.orbits import OrbitCertificate
from tepui.checker.certificates.states import Certificate
from tepui.checker.fast import fast_check
from tepui.checker.programs.program_check import check_as_written
from tepui.deciding import Options, verify
from tepui.errors import EvidenceError, TepuiError
from tepui.languages import loads
from tepui.limits import Limits
from tepui.model import Property
from tepui.program.layout import point_class
from tepui.program.program import Program
from tepui.program.questions import assertions, deadlock
from tepui.result import Result
from tepui.subject import Subject
from tepui.subject.program_subject import ProgramSubject
from tepui.z import parse_strength

pytestmark = pytest.mark.fuzz

LIMITS = Limits(max_contexts=10, timeout=20)

LARGEST = 400
"""How many states a certificate has at most: the reference is slow."""

FAULTS = 60 if FUZZING else 8
"""How often each certificate is damaged."""


@pytest.fixture(autouse=True)
def without_help(monkeypatch: pytest.MonkeyPatch) -> None:
    """The reference does not explain what the fast checker rejects."""
    monkeypatch.setattr(fast_check, "MOST_EXPLAINED", -1)


@pytest.mark.parametrize("batch", range(2))
def test_both_checkers_agree_about_systems(batch: int) -> None:
    answers: Counter[str] = Counter()
    for seed in range(batch, sized(600), 2):
        rng = Random(seed)
        result = verify(random_system(rng), options=_options(rng))
        for subject, asked, evidence in _proofs(result):
            answers["sound"] += _agree(subject, asked, evidence) == "accepted"
            for _ in range(FAULTS):
                other = damaged_property(rng, asked, 4) if rng.random() < 0.1 else asked
                answers[_agree(subject, other, damaged(rng, evidence))] += 1
    _must_be_varied(answers)


def _translated(text: str) -> Program:
    program = loads(text, "bp").model
    assert isinstance(program, Program)
    return program


MAKERS: dict[str, Callable[[int], Program]] = {
    "plain": lambda seed: random_program(Random(seed)),
    "bare ends": lambda seed: with_bare_ends(random_program(Random(seed))),
    "knowing": lambda seed: random_program(Random(seed), KNOWING),
    "exchanged": lambda seed: random_program(Random(seed), EXCHANGED),
    "open": random_open_program,
    "forks": lambda seed: _translated(random_fork_program(Random(seed))),
}


@pytest.mark.parametrize("name", MAKERS)
def test_both_checkers_agree_about_programs(name: str) -> None:
    answers: Counter[str] = Counter()
    for seed in range(sized(60)):
        rng = Random(seed)
        program = MAKERS[name](seed)
        questions = [deadlock()] if rng.random() < 0.4 else assertions(program)
        if not questions:
            continue
        try:
            result = verify(program, questions, options=_options(rng))
        except TepuiError:  # There may be nothing to explore.
            continue
        for subject, asked, evidence in _proofs(result):
            answers["sound"] += _agree(subject, asked, evidence) == "accepted"
            for _ in range(FAULTS):
                answers[_agree_about_damage(rng, subject, asked, evidence)] += 1
    _must_be_varied(answers)


def _agree_about_damage(rng: Random, subject: Subject, asked: Property, evidence: Listing) -> str:
    assert isinstance(subject, ProgramSubject)
    kind = rng.random()
    if kind < 0.15:
        tables = damaged_tables(rng, subject._tables)
        return _same(
            lambda reference: check_as_written(
                subject.program,
                subject.system.options,
                asked,
                tables,
                evidence,
                reference=reference,
            )
        )
    if kind < 0.25:
        asked = damaged_property(rng, asked, point_class(subject.system.layout.points))
        return _agree(subject, asked, evidence)
    return _agree(subject, asked, damaged(rng, evidence))


def _options(rng: Random) -> Options:
    return Options(
        check=False,
        limits=LIMITS,
        symmetry=rng.random() < 0.7,
        liveness=rng.random() < 0.8,
        fusion=rng.random() < 0.7,
        small_sorts=rng.random() < 0.7,
        strengths=parse_strength(rng.choice(("auto", "off", "cut"))),
        engine=rng.choice(("auto", "explicit")),
    )


def _proofs(result: Result) -> Iterator[tuple[Subject, Property, Listing]]:
    evidence = result.evidence
    if isinstance(evidence, Certificate | OrbitCertificate) and evidence.size <= LARGEST:
        yield result.subject, result.asked, evidence


def _agree(subject: Subject, asked: Property, evidence: Listing) -> str:
    return _same(
        lambda reference: subject.check(asked, evidence, lambda: True, reference=reference)
    )


def _same(check: Callable[[bool], None]) -> str:
    fast, reference = _answer(check, reference=False), _answer(check, reference=True)
    assert fast == reference
    return fast


def _answer(check: Callable[[bool], None], *, reference: bool) -> str:
    try:
        check(reference)
    except EvidenceError:
        return "rejected"
    return "accepted"


def _must_be_varied(answers: Counter[str]) -> None:
    print(dict(answers))
    assert min(answers["sound"], answers["rejected"]) > 0
