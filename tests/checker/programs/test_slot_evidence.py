"""Evidence about programs that fork threads: it is about slots, and has to say so."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from support import cli
from support.samples.fork_texts import CROWD, LOOP, MANY, RACE
from support.samples.program_texts import program_of
from tepui.cli.evidence_file import save_evidence
from tepui.deciding import Options, verify, verify_all
from tepui.errors import EvidenceError, InputError
from tepui.languages import load
from tepui.model import System
from tepui.program.passes.slots import Slotted, with_bound, with_slots
from tepui.program.program import Program
from tepui.program.questions import Question, assertions, lack_of_slots, posed, unreachable
from tepui.report.evidence_text import prove_about_program, prove_about_system


def proved(folder: Path, program: Program, *questions: Question, **options: Any) -> str:
    """What the evidence that a run writes proves."""
    asked = list(questions) or None
    save_evidence(folder / "e.json", verify(program, asked, Options(**options)))
    return prove_about_program(program, folder / "e.json", asked).text


def change(folder: Path, how: Callable[[dict[str, Any]], object]) -> Path:
    file = folder / "e.json"
    document = json.loads(file.read_text(encoding="utf-8"))
    how(document)
    file.write_text(json.dumps(document), encoding="utf-8")
    return file


@pytest.mark.parametrize(
    ("text", "field"), [(LOOP, ("slots", 1)), (RACE, ("slots", 2)), (CROWD, ("bound", 4))]
)
def test_a_file_says_how_many_slots_there_are(
    tmp_path: Path, text: str, field: tuple[str, int]
) -> None:
    program = program_of(text)
    said = proved(tmp_path, program)
    assert assertions(program)[0].text in said
    document = json.loads((tmp_path / "e.json").read_text(encoding="utf-8"))
    assert document[field[0]] == field[1]


def test_the_command_line_checks_what_it_wrote(tmp_path: Path) -> None:
    source, file = tmp_path / "loop.bp", tmp_path / "e.json"
    source.write_text(LOOP, encoding="utf-8")
    assert cli.call("verify", str(source), "--evidence", str(file), "--quiet").code == 0
    answered = cli.call("check", str(source), str(file))
    assert (answered.code, answered.out[:8]) == (0, "ACCEPTED")
    other = cli.call("check", str(source), str(file), "--unreachable", "W")
    assert (other.code, other.out[:8]) == (1, "REJECTED")


def test_evidence_about_one_of_several_questions_is_accepted(tmp_path: Path) -> None:
    program = program_of(LOOP)
    questions = [*assertions(program), unreachable(program, "W")]
    for answer, verdict in zip(verify_all(program, questions), ["safe", "unsafe"], strict=True):
        save_evidence(tmp_path / "e.json", answer.result)
        found = prove_about_program(program, tmp_path / "e.json", questions, each=True)
        assert found.verdict == verdict


def slotted_proof(folder: Path, slotted: Slotted, *questions: Question) -> Path:
    save_evidence(folder / "e.json", verify(slotted, list(questions), Options(check=False)))
    return folder / "e.json"


def test_a_proof_that_says_nothing_about_slots_is_none(tmp_path: Path) -> None:
    program = program_of(MANY.replace("L: skip", "assert(1 = 1)"))
    slotted = with_slots(program, 2)
    (question,) = assertions(program)
    file = slotted_proof(tmp_path, slotted, posed(slotted, question))
    with pytest.raises(EvidenceError, match="about another property"):
        prove_about_program(program, file)
    with pytest.raises(EvidenceError, match="does not say whether there are enough slots"):
        prove_about_program(program, file, [])


def test_a_proof_that_says_nothing_but_about_slots_is_none(tmp_path: Path) -> None:
    program = program_of(LOOP)
    slotted = with_slots(program, 1)
    file = slotted_proof(tmp_path, slotted, lack_of_slots(slotted))
    with pytest.raises(EvidenceError, match="about another property"):
        prove_about_program(program, file)
    with pytest.raises(EvidenceError, match="enough slots, and nothing else"):
        prove_about_program(program, file, [])


def test_a_trace_to_where_no_slot_is_free_violates_nothing(tmp_path: Path) -> None:
    program = program_of(RACE)
    slotted = with_slots(program, 1)
    (question,) = assertions(program)
    file = slotted_proof(tmp_path, slotted, posed(slotted, question), lack_of_slots(slotted))
    with pytest.raises(EvidenceError, match="ends where no slot is free"):
        prove_about_program(program, file)
    with pytest.raises(EvidenceError, match="ends where no slot is free"):
        prove_about_program(program, file, [])


def test_a_certificate_about_so_many_contexts_is_no_proof(tmp_path: Path) -> None:
    program = program_of(LOOP)
    slotted = with_bound(program, 2)
    (question,) = assertions(program)
    file = slotted_proof(tmp_path, slotted, posed(slotted, question))
    with pytest.raises(EvidenceError, match="about runs with 2 contexts, and so no proof"):
        prove_about_program(program, file)


def test_evidence_that_may_choose_says_what_it_is_about(tmp_path: Path) -> None:
    program = program_of(LOOP)
    proved(tmp_path, program)
    (question,) = prove_about_program(program, tmp_path / "e.json", []).questions
    assert question.text == assertions(program)[0].text


@pytest.mark.parametrize(
    ("how", "problem"),
    [
        (lambda document: document.pop("slots"), "neither 'slots' nor 'bound'"),
        (lambda document: document.update(slots=0), "slots: is 0; expected 1 to 100"),
        (lambda document: document.update(slots=10**9), "slots: is 1000000000; expected 1 to 100"),
        (lambda document: document.update(slots=True), "slots: is True instead of an integer"),
        (lambda document: document.update(slots=2), "threads: are not those of"),
        (lambda document: document.update(bound=1), "has 'bound', which means nothing there"),
        (lambda document: document.update(bound=document.pop("slots")), "threads: are not those"),
    ],
)
def test_a_file_with_other_slots_is_refused(
    tmp_path: Path, how: Callable[[dict[str, Any]], object], problem: str
) -> None:
    program = program_of(LOOP)
    proved(tmp_path, program)
    with pytest.raises(InputError, match=problem):
        prove_about_program(program, change(tmp_path, how))


SYSTEM = """\
shared a
initial a
thread t {
    stack x
    a | x -> a | y
}
bad a | y
"""


@pytest.mark.parametrize("text", [LOOP, "void main() { assert(1); }"])
def test_it_is_said_first_whether_evidence_is_about_a_program_or_a_system(
    tmp_path: Path, text: str
) -> None:
    (tmp_path / "s.cpds").write_text(SYSTEM, encoding="utf-8")
    program, system = program_of(text), load(tmp_path / "s.cpds").model
    assert isinstance(system, System)
    proved(tmp_path, program)
    with pytest.raises(InputError, match=r"is evidence about a program, .* is a system"):
        prove_about_system(system, tmp_path / "e.json")
    save_evidence(tmp_path / "s.json", verify(system))
    with pytest.raises(InputError, match=r"is evidence about a system, .* is a program"):
        prove_about_program(program, tmp_path / "s.json")


def test_evidence_about_slots_is_refused_for_a_program_without_forks(tmp_path: Path) -> None:
    proved(tmp_path, program_of(LOOP))
    with pytest.raises(InputError, match="has 'slots', which means nothing there"):
        prove_about_program(program_of("void main() { assert(1); }"), tmp_path / "e.json")
