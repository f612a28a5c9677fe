"""Certificates up to exchanging threads that know themselves: every wrong one is rejected."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

import tepui
from support.generators.programs import EXCHANGED, random_program
from support.samples.knowing_programs import certain_lock, owner_lock, remembering_lock, stolen_lock
from support.sizes import sized
from tepui.checker.certificates.orbits import OrbitCertificate
from tepui.checker.programs.program_check import check_as_written
from tepui.engines.explicit import ExplicitEngine
from tepui.engines.recursion import may_recurse
from tepui.errors import EvidenceError
from tepui.kernels.lowered_system import LoweredSystem, lower
from tepui.model import Pattern, Property
from tepui.program.identities import families
from tepui.program.program import Program
from tepui.program.questions import assertions, deadlock, everything
from tepui.subject import about
from tepui.subject.program_subject import ProgramSubject


def proof_of(program: Program) -> tuple[LoweredSystem, Property, OrbitCertificate]:
    """All states of a program that is safe, up to exchanging threads."""
    asked = everything(assertions(program))
    system = lower(program, None, asked)
    engine = ExplicitEngine(system, identities=True)
    while not engine.has_collapsed:
        assert engine.advance() == "done"
    certificate = engine.certificate()
    assert isinstance(certificate, OrbitCertificate)
    return system, asked, certificate


def rejected(
    system: LoweredSystem, asked: Property, certificate: OrbitCertificate, reason: str
) -> None:
    with pytest.raises(EvidenceError, match=reason):
        about(system).check(asked, certificate, lambda: True)


def test_the_states_of_a_lock_with_an_owner_are_a_proof() -> None:
    system, asked, certificate = proof_of(owner_lock(4))
    about(system).check(asked, certificate, lambda: True)
    about(system).check(replace(asked, deadlock=True), certificate, lambda: True)


def test_every_state_is_needed() -> None:
    system, asked, certificate = proof_of(owner_lock(3))
    for number in range(certificate.size):
        states = [*certificate.states[:number], *certificate.states[number + 1 :]]
        rejected(system, asked, replace(certificate, states=states), "lacks")


def test_states_must_be_in_normal_form() -> None:
    system, asked, certificate = proof_of(owner_lock(3))
    held = next(row for row in certificate.states if len(set(row[1:])) > 1)
    moved = (held[0], *held[:0:-1])
    rejected(
        system, asked, replace(certificate, states=[*certificate.states, moved]), "normal form"
    )


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda c: replace(c, groups=((0, 1),)), "not a partition"),
        (lambda c: replace(c, groups=((0, 1), (2,)), locals=c.locals * 2), "not interchangeable"),
        (lambda c: replace(c, groups=((2, 1, 0),)), "not in order"),
        (lambda c: replace(c, locals=()), "one table of stacks"),
        (lambda c: replace(c, states=[row[:-1] for row in c.states]), "one entry per thread"),
        (lambda c: replace(c, states=[*c.states, (0, 99, 99, 99)]), "points outside"),
        (lambda c: replace(c, states=[]), "lacks the initial state"),
    ],
)
def test_what_is_malformed_is_rejected(
    change: Callable[[OrbitCertificate], OrbitCertificate], reason: str
) -> None:
    system, asked, certificate = proof_of(owner_lock(3))
    rejected(system, asked, change(certificate), reason)


def test_a_property_that_tells_threads_apart_is_refused() -> None:
    system, _, certificate = proof_of(owner_lock(3))
    fixed = Pattern(0, (None, None, None))
    rejected(system, Property((fixed,)), certificate, "names shared states")
    # A pattern is read up to exchanging threads, whichever thread it names.
    somewhere = certificate.locals[0][certificate.states[0][1]][0][0]
    named = system.template_of(2).class_of(somewhere)
    rejected(system, Property((Pattern(None, (None, None, named)),)), certificate, "bad state")


@pytest.mark.parametrize("program", [certain_lock(3), remembering_lock(3)])
def test_threads_that_cannot_be_exchanged_are_told_apart(program: Program) -> None:
    """The checker does not believe that they are a family, whatever the evidence says."""
    system = lower(program)
    assert not families(program)
    claimed = OrbitCertificate(
        ((0, 1, 2),), (((system.templates[0].stack, False),),), [(0, 0, 0, 0)]
    )
    rejected(system, Property(), claimed, "not interchangeable")


def test_an_unsafe_program_has_no_such_proof() -> None:
    program = stolen_lock(3)
    asked = everything(assertions(program))
    system = lower(program, None, asked)
    engine = ExplicitEngine(system, identities=True)
    while not engine.has_collapsed:
        assert engine.advance() == "done"
    certificate = engine.certificate()
    assert isinstance(certificate, OrbitCertificate)
    rejected(system, asked, certificate, "bad state")


def test_a_file_is_read_again(tmp_path: Path) -> None:
    program, path = owner_lock(3), tmp_path / "proof.json"
    system, asked, certificate = proof_of(program)
    about(system).write(path, asked, certificate)
    assert '"kind": "orbits"' in path.read_text()
    assert tepui.check(program, path).verdict == "safe"
    with pytest.raises(EvidenceError):
        tepui.check(certain_lock(3), path)


@pytest.mark.fuzz
def test_no_state_of_a_random_proof_can_be_left_out() -> None:
    left_out = 0
    for seed in range(sized(50)):
        program = random_program(Random(seed), EXCHANGED)
        if not families(program) or may_recurse(program):
            continue
        system = lower(program, None, deadlock().bad)
        engine = ExplicitEngine(system, identities=True)
        for _ in range(10):
            engine.advance()
        if not engine.has_collapsed:
            continue
        certificate = engine.certificate()
        assert isinstance(certificate, OrbitCertificate)
        about(system).check(Property(), certificate, lambda: True)
        number = Random(seed).randrange(certificate.size)
        states = [*certificate.states[:number], *certificate.states[number + 1 :]]
        rejected(system, Property(), replace(certificate, states=states), "lacks")
        left_out += 1
    assert left_out


def test_a_state_outside_the_tables_has_no_unchecked_steps() -> None:
    """The initial state, which is not in the tables, gets the first number behind them: a
    certificate that names it would have no steps to be checked."""
    system, asked, certificate = proof_of(owner_lock(3))
    subject = about(system)
    assert isinstance(subject, ProgramSubject)
    first = certificate.states[0]
    alone = replace(certificate, states=((0, *first[1:]),))
    tables = replace(subject._tables, shared=())
    for reference in (False, True):
        with pytest.raises(EvidenceError):
            check_as_written(
                subject.program, system.options, asked, tables, alone, reference=reference
            )
