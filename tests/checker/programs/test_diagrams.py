"""Diagrams and products about programs, whose rules the reference semantics gives."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest

from support.generators.programs import random_case
from support.samples.diagrams import (
    cut_diagram,
    language_diagram,
    products_of,
    stacks_in,
    whole_diagram,
    with_finite_languages,
)
from support.samples.handmade_programs import procedure, program, step
from support.samples.program_evidence import (
    BUSY,
    NEVER,
    RECURSION,
    SECTION,
    at,
    everything,
    made,
    meaning_for,
    options_for,
    together,
    violations,
)
from tepui.checker import AnyCertificate
from tepui.checker.certificates.diagram import DiagramCertificate
from tepui.checker.certificates.products import SymbolicCertificate
from tepui.checker.files import read_program_evidence, write_program_evidence
from tepui.checker.programs.rules import check_program
from tepui.checker.programs.state_tables import ProgramTables
from tepui.errors import CheckStopped, EvidenceError
from tepui.model import Property, Reach, System
from tepui.program.expressions import Read
from tepui.program.program import Create, Program, Step, Thread

FREE = together(SECTION, "main:5", "main:5")
"""Two threads are never both behind the section."""


def forms(system: System) -> list[DiagramCertificate | SymbolicCertificate]:
    languages = language_diagram(system, 1)
    return [
        cut_diagram(system, 1),
        cut_diagram(system, 2),
        cut_diagram(system, 1, flags=False),
        languages,
        products_of(system, languages),
    ]


def finite_forms(system: System) -> list[DiagramCertificate | SymbolicCertificate]:
    whole = whole_diagram(system)
    finite = with_finite_languages(whole, range(len(system.templates)))
    return [whole, finite, products_of(system, finite)]


def rejects(
    meant: Program, asked: Property, tables: ProgramTables, evidence: AnyCertificate, *words: str
) -> None:
    with pytest.raises(EvidenceError) as caught:
        check_program(meant, meaning_for(meant, asked), asked, tables, evidence)
    for word in words:
        assert word in str(caught.value)


def test_all_forms_are_accepted() -> None:
    meaning, system, tables = made(RECURSION)
    for certificate in forms(system)[:2] + forms(system)[3:]:
        check_program(RECURSION, meaning, NEVER, tables, certificate)
    meaning, system, tables = made(SECTION)
    for certificate in forms(system) + finite_forms(system):
        check_program(SECTION, meaning, FREE, tables, certificate)


def test_a_thread_that_waits_for_its_creation_is_not_stuck() -> None:
    asked = Property(deadlock=True)
    late = procedure("late", Step(0, None, Read(BUSY)))
    threads = (Thread("main", "main"), Thread("late", "late", created=True))
    ends = program(procedure("main", step(0, None)), late, shared=(BUSY,), threads=threads)
    meaning, system, tables = made(ends, asked)
    for certificate in forms(system) + finite_forms(system):
        check_program(ends, meaning, asked, tables, certificate)
    main = procedure("main", Create(0, None, (1,)))
    creates = replace(ends, procedures=(main, late))
    _, system, tables = made(creates, asked)
    for certificate in forms(system) + finite_forms(system):
        rejects(creates, asked, tables, certificate, "a deadlock in the shared state busy=0")


def test_what_a_certificate_holds_is_bad() -> None:
    _, system, tables = made(SECTION)
    for certificate in forms(system) + finite_forms(system):
        rejects(SECTION, at(SECTION, 1, "main:5"), tables, certificate, "a bad state")


def test_without_a_shared_state_nothing_is_closed() -> None:
    _, system, tables = made(SECTION)
    for certificate in forms(system) + finite_forms(system):
        if isinstance(certificate, SymbolicCertificate):
            for left_out in certificate.states:
                rest = tuple(state for state in certificate.states if state != left_out)
                rejects(SECTION, FREE, tables, replace(certificate, states=rest))
        else:
            for number in range(len(certificate.ends)):
                ends = [*certificate.ends[:number], (), *certificate.ends[number + 1 :]]
                rejects(SECTION, FREE, tables, replace(certificate, ends=tuple(ends)))


def test_tables_that_lack_a_state_are_not_enough() -> None:
    _, system, tables = made(SECTION)
    used = max(shared for end in whole_diagram(system).ends for shared in end)
    for certificate in finite_forms(system):
        few = replace(tables, frames=(tables.frames[0][:-1],))
        rejects(SECTION, FREE, few, certificate, "no stack symbol")
        short = replace(tables, shared=tables.shared[:used])
        rejects(SECTION, FREE, short, certificate)


def test_whole_stacks_cannot_be_asked_for() -> None:
    _, system, tables = made(SECTION)
    asked = Property(reaches=(Reach(None, (stacks_in([(1,)]), None)),))
    for certificate in finite_forms(system):
        rejects(SECTION, asked, tables, certificate, "whole stacks of a program")


def test_nodes_that_change_while_they_are_looked_at_prove_nothing() -> None:
    _, system, tables = made(SECTION)
    whole = whole_diagram(system)

    class Shifty(tuple[Any, ...]):
        looks = 0

        def __iter__(self) -> Any:
            Shifty.looks += 1
            return super().__iter__() if Shifty.looks > 1 else iter(())

    shifty = replace(whole, ends=(Shifty(whole.ends[0]), *whole.ends[1:]))
    rejects(SECTION, FREE, tables, shifty)


def test_the_check_stops_when_it_is_told_to() -> None:
    meaning, system, tables = made(SECTION)
    for certificate in forms(system) + finite_forms(system):
        for answers in ([False], [True, False], [True, True, False]):
            left = iter(answers)
            with pytest.raises(CheckStopped):
                check_program(SECTION, meaning, FREE, tables, certificate, partial(next, left))


@pytest.mark.parametrize(("meant", "asked"), [(SECTION, FREE), (RECURSION, NEVER)])
def test_all_forms_survive_a_file(tmp_path: Path, meant: Program, asked: Property) -> None:
    meaning, system, tables = made(meant, asked)
    path = tmp_path / "evidence.json"
    options = options_for(meant, asked)
    for certificate in forms(system):
        if isinstance(certificate, DiagramCertificate) and not certificate.flags:
            continue
        write_program_evidence(path, meant, asked, options, tables, certificate)
        file = read_program_evidence(path, meant)
        assert isinstance(file.evidence, DiagramCertificate | SymbolicCertificate)
        assert file.evidence.size == certificate.size
        check_program(meant, meaning, file.asked, file.tables, file.evidence)
        file.check()


@pytest.mark.fuzz
def test_random_programs_have_no_certificate_where_brute_force_finds_a_violation(
    fuzz_systems: int,
) -> None:
    accepted = rejected = 0
    for seed in range(6_000_000, 6_000_000 + fuzz_systems // 30):
        meant, findings = random_case(Random(seed))
        asked = violations(meant)
        meaning = meaning_for(meant, asked)
        system, tables = everything(meaning)
        if sum(len(template.rules) for template in system.templates) > 500:
            continue
        diagram = cut_diagram(system, 1)
        for certificate in (diagram, language_diagram(system, 1)):
            try:
                check_program(meant, meaning, asked, tables, certificate)
            except EvidenceError as error:
                rejected += 1
                reason = str(error)
            else:
                accepted += 1
                reason = "none"
            assert "bad" in reason or findings.first("unsafe") is None, seed
            assert reason == "none" or "bad" in reason, seed
    assert accepted
    assert rejected
