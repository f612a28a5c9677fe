"""Evidence files whose states are packed: they say the same, and damage to them is seen."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

import tepui
from support.generators.systems import random_system
from support.samples.evidence import cut_states, figure_4
from support.sizes import sized
from tepui.checker import check, writing
from tepui.checker.certificates.orbits import OrbitCertificate
from tepui.checker.certificates.states import Certificate
from tepui.checker.files import read_evidence, write_evidence
from tepui.checker.packed_rows import PackedRows
from tepui.deciding import Options, verify
from tepui.errors import EvidenceError, InputError, TepuiError
from tepui.model import Property

FIGURE_4 = figure_4()
CUT = cut_states(FIGURE_4, FIGURE_4.groups, 2)
ANY = Property(deadlock=True)


@pytest.fixture(autouse=True)
def pack_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "MOST_READABLE", 0)


def written(path: Path) -> dict[str, Any]:
    document = json.loads(path.read_text(encoding="utf-8"))
    assert isinstance(document, dict)
    return document


def test_packed_states_are_read_back(tmp_path: Path) -> None:
    path = tmp_path / "packed.json"
    write_evidence(path, FIGURE_4, ANY, CUT)
    document = written(path)
    assert document["version"] == 2
    assert document["states"]["count"] == CUT.size
    asked, evidence = read_evidence(path, FIGURE_4)
    assert (asked, evidence) == (ANY, CUT)
    assert isinstance(evidence, Certificate)
    assert isinstance(evidence.states, PackedRows)
    write_evidence(tmp_path / "again.json", FIGURE_4, ANY, evidence)
    assert written(tmp_path / "again.json") == document


def test_few_states_stay_readable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "MOST_READABLE", CUT.size)
    path = tmp_path / "readable.json"
    write_evidence(path, FIGURE_4, ANY, CUT)
    document = written(path)
    assert document["version"] == 1
    assert document["states"][0] == ["q0", *CUT.states[0][1:]]
    assert read_evidence(path, FIGURE_4) == (ANY, CUT)


def test_other_numbers_of_shared_states_are_found_by_their_names(tmp_path: Path) -> None:
    path = tmp_path / "packed.json"
    write_evidence(path, FIGURE_4, ANY, CUT)
    document = written(path)
    names = document["states"]["shared"]
    document["states"]["shared"] = [*names[1:], names[0]]
    path.write_text(json.dumps(document), encoding="utf-8")
    _, evidence = read_evidence(path, FIGURE_4)
    assert isinstance(evidence, Certificate)
    moved = {(0, *row[1:]) if row[0] == 3 else (row[0] + 1, *row[1:]) for row in CUT.states}
    assert set(evidence.states) == moved
    for reference in (False, True):
        with pytest.raises(EvidenceError):
            check(FIGURE_4, Property(), evidence, reference=reference)


def test_what_cannot_be_packed_is_written_in_the_other_form(tmp_path: Path) -> None:
    path = tmp_path / "wrong.json"
    write_evidence(path, FIGURE_4, ANY, replace(CUT, states=[(0, -1, 2)]))
    assert written(path)["states"] == [["q0", -1, 2]]


DAMAGE: dict[str, Callable[[dict[str, Any]], object]] = {
    "version": lambda document: document.update(version=1),
    "versions": lambda document: document.update(version=3),
    "no count": lambda document: document["states"].pop("count"),
    "another key": lambda document: document["states"].update(more=1),
    "count": lambda document: document["states"].update(count=7),
    "no number": lambda document: document["states"].update(count=True),
    "negative": lambda document: document["states"].update(count=-1),
    "bits": lambda document: document["states"].update(bits=[1, 2]),
    "wide bits": lambda document: document["states"].update(bits=[2, 33, 2]),
    "negative bits": lambda document: document["states"].update(bits=[-1, 2, 2]),
    "no bits": lambda document: document["states"].update(bits=[0, 0, 0]),
    "name": lambda document: document["states"].update(shared=["nothing"]),
    "names": lambda document: document["states"].update(shared="q0"),
    "rows": lambda document: document["states"].update(rows="AAAA"),
    "no text": lambda document: document["states"].update(rows=[1]),
    "no base64": lambda document: document["states"].update(rows=["A*=="]),
    "half of it": lambda document: document["states"]["rows"].append("AAAA"),
}


@pytest.mark.parametrize("kind", DAMAGE)
def test_damaged_files_are_refused_with_a_message(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "packed.json"
    write_evidence(path, FIGURE_4, ANY, CUT)
    document = written(path)
    DAMAGE[kind](document)
    path.write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(InputError, match=r"states|version"):
        read_evidence(path, FIGURE_4)


def test_damaged_bits_are_judged_alike_by_both_checkers(tmp_path: Path) -> None:
    path = tmp_path / "packed.json"
    answers = set()
    for seed in range(sized(200)):
        rng = Random(seed)
        result = verify(random_system(rng), options=Options(check=False))
        if not isinstance(result.evidence, Certificate | OrbitCertificate):
            continue
        write_evidence(path, result.system, result.asked, result.evidence)
        for _ in range(3):
            _damage_bits(rng, path)
            answers.add(_judged(path, result))
    assert answers == {True, False}


def _damage_bits(rng: Random, path: Path) -> None:
    document = written(path)
    lines = document["states"]["rows"]
    if not lines:
        return  # A single state takes no bits.
    data = bytearray(base64.b64decode(lines[0]))
    if rng.random() < 0.5:
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    lines[0] = base64.b64encode(data).decode()
    path.write_text(json.dumps(document), encoding="utf-8")


def _judged(path: Path, result: tepui.Result) -> bool:
    asked, evidence = read_evidence(path, result.system)
    answers = []
    for reference in (False, True):
        try:
            check(result.system, asked, evidence, reference=reference)
            answers.append(True)
        except TepuiError:
            answers.append(False)
    assert answers[0] == answers[1]
    return answers[0]


@pytest.mark.parametrize("name", ["bst-insert", "work-queue", "peterson"])
def test_packed_evidence_about_programs_is_accepted(tmp_path: Path, name: str) -> None:
    path = tmp_path / "packed.json"
    program = tepui.load(f"examples/{name}.bp")
    result = verify(program)
    assert result.evidence is not None
    result.subject.write(path, result.asked, result.evidence)
    assert written(path)["version"] == 2
    for reference in (False, True):
        assert tepui.check(program, path, reference=reference).verdict == "safe"
