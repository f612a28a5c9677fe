"""Programs that passes have made: the checker knows the right result of each pass, and calls
none."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pytest

from support.samples.fork_texts import LOOP
from support.samples.program_texts import program_of
from tepui.checker.files import read_program_evidence
from tepui.checker.json_values import Values
from tepui.checker.programs.program_check import check_derivation
from tepui.cli.evidence_file import save_evidence
from tepui.deciding import verify
from tepui.errors import EvidenceError, InputError
from tepui.program.passes.slots import with_bound, with_slots
from tepui.program.program import Derived, Program
from tepui.report.evidence_text import rebuilt


@dataclass(frozen=True, repr=False)
class Optimised(Derived):
    """A program of which a pass says that it is as good as the original."""

    made_by: ClassVar[str] = "optimised"

    def point(self, original: int) -> int:
        return original


@dataclass(frozen=True, repr=False)
class Nameless(Derived):
    """A program that does not say what made it."""

    def point(self, original: int) -> int:
        return original


@pytest.mark.parametrize("kind", [Optimised, Nameless])
def test_nothing_is_known_about_what_another_pass_makes(kind: type[Derived]) -> None:
    program = program_of("void main() { assert(1); }")
    made = kind(program.procedures, program.threads, original=program)
    with pytest.raises(EvidenceError, match=f"that the pass {kind.made_by!r} makes"):
        check_derivation(made)


def test_slots_are_made_of_a_program_that_someone_wrote() -> None:
    slotted = with_slots(program_of(LOOP), 1)
    check_derivation(slotted)
    twice = with_slots(slotted, 1)
    with pytest.raises(EvidenceError, match="'slots' was given what another pass has made"):
        check_derivation(twice)


def test_a_program_that_forks_has_evidence_only_with_slots() -> None:
    with pytest.raises(EvidenceError, match="the program forks threads"):
        check_derivation(program_of(LOOP))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    save_evidence(tmp_path / "e.json", verify(program_of(LOOP)))
    return tmp_path / "e.json"


def test_whoever_reads_a_file_rebuilds_the_program_that_it_is_about(file: Path) -> None:
    program = program_of(LOOP)
    found = read_program_evidence(file, program, rebuilt)
    assert found.program.as_written is program
    found.check()


def test_a_program_that_is_rebuilt_of_another_one_is_not_believed(file: Path) -> None:
    def other(*_: object) -> Program:
        return with_slots(program_of("void f() { } void main() { async f(); }"), 1)

    with pytest.raises(EvidenceError, match="about a program that was made of another one"):
        read_program_evidence(file, program_of(LOOP), other)


def test_a_program_that_is_not_rebuilt_as_the_file_says_is_not_believed(file: Path) -> None:
    def more_slots(program: Program, _: Values, document: dict[str, Any]) -> Program:
        return with_slots(program, document["slots"] + 1)

    def bounded(program: Program, _: Values, document: dict[str, Any]) -> Program:
        return with_bound(program, document["slots"] + 1)

    def lying(program: Program, _: Values, document: dict[str, Any]) -> Program:
        made = with_slots(program, document["slots"])
        object.__setattr__(made, "slots", made.slots + 1)
        return made

    with pytest.raises(InputError, match="threads: are not those of"):
        read_program_evidence(file, program_of(LOOP), more_slots)
    with pytest.raises(InputError, match="has no 'bound'"):
        read_program_evidence(file, program_of(LOOP), bounded)
    with pytest.raises(InputError, match="slots: is not what the program was made with"):
        read_program_evidence(file, program_of(LOOP), lying)
