"""Invariants in files of evidence, as other kinds."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.samples.handmade_invariants import ticket_lock
from tepui.checker.files import read_program_evidence, write_program_evidence
from tepui.checker.invariants.invariant import Invariant
from tepui.checker.json_values import WHOLE, Values, parse
from tepui.checker.programs.program_check import StateOptions
from tepui.checker.programs.state_tables import ProgramTables
from tepui.errors import EvidenceError, InputError
from tepui.program.passes.instances import instance, within
from tepui.program.questions import assertions, everything, never_together, unreachable


def test_an_invariant_goes_through_a_file(tmp_path: Path) -> None:
    proof = ticket_lock()
    path = tmp_path / "evidence.json"
    path.write_text(json.dumps(proof.invariant.body()))
    values = Values(str(path))
    fields = values.record(parse(str(path)), WHOLE, Invariant.fields, Invariant.optional)
    found = Invariant.read(values, "invariant", fields)
    assert found == proof.invariant
    found.check_program(proof.program, proof.bad, lambda: True)


@pytest.mark.parametrize("field", Invariant.fields)
def test_no_field_may_be_missing(field: str) -> None:
    body = ticket_lock().invariant.body()
    del body[field]
    with pytest.raises(InputError, match=f"has no '{field}'"):
        Values("file").record(body, WHOLE, Invariant.fields)


def test_it_is_evidence_about_an_instance_and_proves_all(tmp_path: Path) -> None:
    proof = ticket_lock()
    about = instance(proof.program, {"customer": 2}, within(3))
    questions = [*assertions(about), never_together(about, "critical", "critical")]
    options = StateOptions(True, frozenset())
    tables = ProgramTables((), ((),))
    path = tmp_path / "evidence.json"
    write_program_evidence(path, about, everything(questions), options, tables, proof.invariant)
    found = read_program_evidence(path, proof.program, lambda *_: about)
    assert found.evidence == proof.invariant
    found.check()
    bad = everything([unreachable(about, "critical")])
    write_program_evidence(path, about, bad, options, tables, proof.invariant)
    with pytest.raises(EvidenceError, match="a bad state is in it"):
        read_program_evidence(path, proof.program, lambda *_: about).check()
