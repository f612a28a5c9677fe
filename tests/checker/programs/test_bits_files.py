"""Diagrams over the bits of all variables in files of evidence, as other kinds."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import tepui
from support.oracles.small_steps import SmallStepStates
from support.samples.bits import certificate_of, words
from support.samples.handmade_programs import assign, procedure, program, step, variable
from tepui.checker.files import read_program_evidence, write_program_evidence
from tepui.checker.programs.bits_certificate import BitsCertificate
from tepui.checker.programs.program_check import StateOptions, check_as_written
from tepui.checker.programs.state_tables import ProgramTables
from tepui.errors import EvidenceError, InputError
from tepui.model import Property
from tepui.program.expressions import Read, Unary
from tepui.program.passes.instances import instance
from tepui.program.program import Program, Step, Thread
from tepui.program.questions import assertions, deadlock, everything, never_together
from tepui.program.types import Bounded

BIT = variable("bit")


def written(path: Path, about: Program, asked: Property, evidence: BitsCertificate) -> None:
    tables = ProgramTables((), ((),) * len(about.threads))
    write_program_evidence(path, about, asked, StateOptions(), tables, evidence)


def test_it_goes_through_a_file(tmp_path: Path) -> None:
    path = tmp_path / "evidence.json"
    about, evidence = words(1)
    written(path, about, everything(assertions(about)), evidence)
    found = read_program_evidence(path, about)
    assert found.evidence == evidence
    assert found.evidence.file_kind == "bits"
    found.check()
    (code,) = about.procedures
    choose, add, check = code.edges
    assert isinstance(add, Step)
    only_one = replace(add, assignments=add.assignments[:1])
    other = replace(about, procedures=(replace(code, edges=(choose, only_one, check)),))
    with pytest.raises(EvidenceError, match="a step of main from main:1 leads out of the set"):
        read_program_evidence(path, other).check()


def test_it_answers_what_is_asked_about_threads_that_there_are(tmp_path: Path) -> None:
    path = tmp_path / "evidence.json"
    enter = step(0, 1, assign(BIT, 1), guard=Unary("not", Read(BIT)))
    critical = procedure("main", enter, step(1, 2), step(2, 0, assign(BIT, 0)), labels={2: "in"})
    about = program(critical, shared=(BIT,), threads=(Thread("main", "main", 2),))
    states = SmallStepStates(about)
    evidence = certificate_of(states, states.reached)
    written(path, about, everything([never_together(about, "in", "in")]), evidence)
    read_program_evidence(path, about).check()
    written(path, about, everything([tepui.unreachable(about, "in")]), evidence)
    with pytest.raises(EvidenceError, match="bad state"):
        read_program_evidence(path, about).check()
    written(path, about, everything([deadlock()]), evidence)
    read_program_evidence(path, about).check()
    critical = replace(critical, edges=(enter, step(1, 2), step(2, 0)))
    stuck = program(critical, shared=(BIT,), threads=(Thread("main", "main", 2),))
    states = SmallStepStates(stuck)
    written(path, stuck, everything([deadlock()]), certificate_of(states, states.reached))
    with pytest.raises(EvidenceError, match="deadlock"):
        read_program_evidence(path, stuck).check()


def test_it_proves_nothing_about_what_a_pass_has_made() -> None:
    text = "void f() { skip; } void main() { thread_create(f, *); }"
    about = tepui.loads(text, "bp")
    made = instance(about, {about.any_number[0]: 2}, Bounded(0, 1))
    asked = everything([never_together(made, 1, 1)])
    tables = ProgramTables((), ((),) * len(made.threads))
    _, evidence = words(0)
    with pytest.raises(EvidenceError, match="as it was written"):
        check_as_written(made, StateOptions(), asked, tables, evidence)


MALFORMED: list[tuple[str, Any]] = [
    ("shapes", 0),
    ("shapes", [0]),
    ("shapes", [[[]]]),
    ("shapes", [[[True, 0]]]),
    ("shapes", [[["-1", 0]]]),
    ("levels", [[]]),
    ("levels", [[0, 0, 0]]),
    ("levels", [["shared", 0, 0.5]]),
    ("levels", {}),
    ("nodes", [[0, 0]]),
    ("nodes", [[0, 0, 1, 1]]),
    ("nodes", [[0, 0, None]]),
    ("root", "1"),
    ("root", True),
    ("root", None),
]


@pytest.mark.parametrize(("field", "value"), MALFORMED)
def test_what_is_malformed_is_an_error_in_the_file(
    tmp_path: Path, field: str, value: object
) -> None:
    path = tmp_path / "evidence.json"
    about, evidence = words(0)
    written(path, about, everything(assertions(about)), evidence)
    document = json.loads(path.read_text(encoding="utf-8"))
    document[field] = value
    path.write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(InputError, match=field):
        read_program_evidence(path, about)


@pytest.mark.parametrize("field", BitsCertificate.fields)
def test_no_field_may_be_missing(tmp_path: Path, field: str) -> None:
    path = tmp_path / "evidence.json"
    about, evidence = words(0)
    written(path, about, everything(assertions(about)), evidence)
    document = json.loads(path.read_text(encoding="utf-8"))
    del document[field]
    path.write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(InputError, match=f"has no '{field}'"):
        read_program_evidence(path, about)
