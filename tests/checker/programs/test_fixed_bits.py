"""Bits without a level, of which a certificate says what they are."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

import tepui
from support.generators.programs import KNOWING, SMALL, any_program
from support.oracles.program_interpreter import TooLargeError
from support.oracles.small_steps import SmallStepStates
from support.samples.bits import contains
from support.sizes import sized
from tepui.checker.bits_of_programs.state_bits import Bit
from tepui.checker.files import read_program_evidence, write_program_evidence
from tepui.checker.programs.bits_certificate import BitsCertificate
from tepui.checker.programs.program_check import StateOptions
from tepui.checker.programs.state_tables import ProgramTables
from tepui.deciding.bits_driver import certificate_of
from tepui.errors import EvidenceError, InputError
from tepui.kernels.door import BitsSearch, system_kernel
from tepui.kernels.lowered_system import lower
from tepui.kernels.program_fields import LoweringOptions
from tepui.model import Property
from tepui.program.program import Program
from tepui.program.questions import assertions, everything

TEXT = """
decl step: int8 := 3;
decl sum: int8 := 0;
decl other: int8 := 7;
void add(by: int8) { decl twice: int8 := 0; twice := by + by; sum := sum + twice; }
void main() { add(step); add(other - 4); assert(sum != 13); }
"""


def found(about: Program) -> BitsCertificate:
    search = BitsSearch(system_kernel(lower(about, LoweringOptions(), Property())), [])
    while not search.has_collapsed:
        search.advance()
    return certificate_of(search.certificate())


def is_accepted(about: Program, evidence: BitsCertificate) -> bool:
    try:
        evidence.check_program(about, (), lambda: True)
    except EvidenceError:
        return False
    return True


def test_what_never_changes_is_fixed() -> None:
    about = tepui.loads(TEXT, "bp")
    evidence = found(about)
    fixed = {bit for bit, _ in evidence.fixed_bits}
    assert {("shared", cell, digit) for cell in (0, 2) for digit in range(8)} <= fixed
    assert not fixed & set(evidence.levels)
    assert is_accepted(about, evidence)


def test_each_wrong_value_is_rejected() -> None:
    about = tepui.loads(TEXT, "bp")
    evidence = found(about)
    halted = ("shared", about.layout.hidden["halted"], 0)
    for place, (bit, value) in enumerate(evidence.fixed_bits):
        wrong = list(evidence.fixed_bits)
        wrong[place] = bit, 1 - value
        assert not is_accepted(about, replace(evidence, fixed_bits=tuple(wrong))), bit
    assert (halted, 0) in evidence.fixed_bits


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ((("shared", 0, 0), 1), "two levels have the same bit, or one that is fixed"),
        ((("shape", 0, 0), 0), "two levels have the same bit, or one that is fixed"),
        ((("shape", 0, 9), 0), "a bit of a shape is fixed"),
        ((("nothing", 0, 9), 0), "a level has no bit"),
        ((("frame", 0, 0, 0, 9), 0), "a level has no bit"),
        ((("shared", 99, 0), 2), "a bit is fixed to what no bit is"),
    ],
)
def test_what_cannot_be_fixed_is_refused(more: tuple[Bit, int], message: str) -> None:
    about = tepui.loads(TEXT, "bp")
    evidence = found(about)
    evidence = replace(evidence, fixed_bits=(*evidence.fixed_bits, more))
    with pytest.raises(EvidenceError, match=message):
        evidence.check_program(about, (), lambda: True)


def test_they_go_through_a_file(tmp_path: Path) -> None:
    about, path = tepui.loads(TEXT, "bp"), tmp_path / "evidence.json"
    evidence = found(about)
    tables = ProgramTables((), ((),) * len(about.threads))
    asked = everything(assertions(about))
    write_program_evidence(path, about, asked, StateOptions(), tables, evidence)
    again = read_program_evidence(path, about)
    assert again.evidence == evidence
    again.check()
    document = json.loads(path.read_text())
    for line in ([], ["shared"], ["shared", 9, 0, 2], ["shared", 9, 0, True], [9, 0, 0, 0], "bit"):
        path.write_text(json.dumps(document | {"fixed": [*document["fixed"], line]}))
        with pytest.raises(InputError):
            read_program_evidence(path, about)


@pytest.mark.fuzz
def test_damaged_bits_are_accepted_only_if_the_set_still_has_all_states() -> None:
    """A bit with a level becomes fixed, another one is no more, or has the other value."""
    answers: Counter[str] = Counter()
    for seed in range(sized(300)):
        rng = Random(seed)
        about = any_program(rng, KNOWING if seed % 4 == 0 else SMALL)
        if about.lock is not None:
            continue
        try:
            states = SmallStepStates(about, 300)
            evidence = found(about)
        except (TooLargeError, ValueError):
            continue
        for _ in range(12):
            other, how = _damaged(rng, evidence)
            if is_accepted(about, other):
                assert all(contains(other, about.layout, state) for state in states.reached), seed
                answers[f"{how}, accepted"] += 1
            else:
                answers[f"{how}, rejected"] += 1
    assert answers["flipped, rejected"] > 10 * answers["flipped, accepted"]
    assert answers["fixed, rejected"] > 50


def _damaged(rng: Random, evidence: BitsCertificate) -> tuple[BitsCertificate, str]:
    fixed = list(evidence.fixed_bits)
    kind = rng.choice(["flipped", "left out", "fixed"])
    if kind != "fixed" and fixed:
        place = rng.randrange(len(fixed))
        bit, value = fixed.pop(place)
        if kind == "flipped":
            fixed.insert(place, (bit, 1 - value))
        return replace(evidence, fixed_bits=tuple(fixed)), kind
    places = [n for n, bit in enumerate(evidence.levels) if bit[0] != "shape"]
    if not places:
        return evidence, "nothing"
    place = rng.choice(places)
    fixed.append((evidence.levels[place], rng.randrange(2)))
    levels = list(evidence.levels)
    levels[place] = ("shared", 10_000 + place, 0)
    return replace(evidence, levels=tuple(levels), fixed_bits=tuple(fixed)), "fixed"
