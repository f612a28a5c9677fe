"""Files of evidence about programs: read back as written, and harmless whatever they say."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest

from support.samples.evidence import cut_states, run, singles
from support.samples.handmade_programs import assign, main, step
from support.samples.program_evidence import (
    BUSY,
    NEVER,
    RECURSION,
    SECTION,
    at,
    made,
    options_for,
    together,
    trace_to,
)
from tepui.checker.certificates.states import Certificate
from tepui.checker.files import read_program_evidence, write_program_evidence
from tepui.checker.programs.program_check import StateOptions
from tepui.checker.programs.rules import check_program
from tepui.errors import EvidenceError, InputError
from tepui.model import EPSILON, Pattern, Property
from tepui.program.layout import Layout, point_class

ASKED = [
    (SECTION, together(SECTION, "main:5", "main:5")),
    (SECTION, Property((Pattern(0, (None, EPSILON)),), deadlock=True)),
    (RECURSION, NEVER),
    (RECURSION, Property((Pattern(None, (point_class(Layout(RECURSION).points), None, None)),))),
]


def in_any_order(path: Path) -> Any:
    """What a file says; the order of pairs in `below` is that of the numbers and says nothing."""
    document = json.loads(path.read_text())
    document["below"] = [sorted(pairs) for pairs in document["below"]]
    return document


@pytest.mark.parametrize("number", range(len(ASKED)))
def test_certificates_survive_a_file(tmp_path: Path, number: int) -> None:
    meant, asked = ASKED[number]
    meaning, system, tables = made(meant, asked)
    for certificate in (
        cut_states(system, system.groups, 1),
        cut_states(system, singles(system), 2),
        cut_states(system, system.groups, 1, flags=False),
    ):
        path = tmp_path / "evidence.json"
        options = options_for(meant, asked)
        write_program_evidence(path, meant, asked, options, tables, certificate)
        file = read_program_evidence(path, meant)
        said, read = file.asked, file.evidence
        assert file.options == options
        assert [pattern.tops for pattern in said.patterns] == [p.tops for p in asked.patterns]
        assert said.deadlock == asked.deadlock
        assert isinstance(read, Certificate)
        assert len(read.states) == len(certificate.states)
        check_program(meant, meaning, said, file.tables, read)
        again = tmp_path / "again.json"
        write_program_evidence(again, meant, said, file.options, file.tables, read)
        assert in_any_order(again) == in_any_order(path)


def test_traces_survive_a_file_in_names(tmp_path: Path) -> None:
    asked = at(RECURSION, 0, "main:1!")
    tables, trace = trace_to(RECURSION, asked)
    path = tmp_path / "trace.json"
    write_program_evidence(path, RECURSION, asked, StateOptions(), tables, trace)
    document = json.loads(path.read_text())
    assert document["threads"] == ["main", "w.1", "w.2"]
    assert document["property"]["patterns"] == [{"shared": None, "tops": ["main:1!", None, None]}]
    assert document["initial"] == {
        "shared": "busy=0 done=-",
        "stacks": [["main:0"], ["waiting"], ["waiting"]],
    }
    assert document["steps"][1]["rule"] == {
        "source": "busy=0 done=- created_w=1 w_gets_k=2",
        "top": "main:1",
        "target": "busy=0 done=0 halted=1 created_w=1 w_gets_k=2",
        "word": ["main:1!"],
    }
    assert document["meaning"] == {"liveness": True, "watched": []}
    read = read_program_evidence(path, RECURSION)
    assert read.asked == asked
    read.check()


def test_a_pattern_may_name_a_shared_state_and_the_empty_stack(tmp_path: Path) -> None:
    one = main(step(0, None, assign(BUSY, 1)), shared=(BUSY,))
    _, system, tables = made(one)
    asked = Property((Pattern(1, (EPSILON,)),))
    path = tmp_path / "trace.json"
    write_program_evidence(path, one, asked, StateOptions(), tables, run(system, (0, 0)))
    assert json.loads(path.read_text())["property"]["patterns"] == [
        {"shared": "busy=1", "tops": ["-"]}
    ]
    read_program_evidence(path, one).check()


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("busy=0 done=-", "busy=2 done=-", ["initial.shared", "busy cannot be '2'"]),
        ("busy=0 done=-", "done=-", ["initial.shared", "does not say what busy is"]),
        ('"main:0"', '"main:7"', ["stacks", "no place 'main:7'"]),
        ('"waiting"', '"waiting(k=1)"', ["stacks", "'k' is not a variable there"]),
        ('"tops": ["main:1!"', '"tops": ["main:9!"', ["tops", "no place 'main:9!'"]),
        ('"tops": ["main:1!"', '"tops": [7', ["tops", "7 instead of a string"]),
        ('"w.2"]', '"w.3"]', ["threads", "not those of sample", "only the file has w.3"]),
        ('"thread": "main"', '"thread": "nobody"', ["thread", "'nobody' is not a name"]),
        ("busy=0 done=-", "x" * 9999, ["initial.shared"]),
        ('"meaning"', '"meanings"', ["has no 'meaning'"]),
        ('"liveness": true', '"liveness": 1', ["meaning.liveness", "1 instead of true or false"]),
        ('"watched": []', '"watched": ["main:1"]', ["'main:1' is not inside an atomic section"]),
        ('"watched": []', '"watched": ["f:1"]', ["meaning.watched", "no place 'f:1'"]),
    ],
)
def test_a_name_that_stands_for_nothing_is_an_input_error(
    tmp_path: Path, old: str, new: str, words: list[str]
) -> None:
    asked = at(RECURSION, 0, "main:1!")
    tables, trace = trace_to(RECURSION, asked)
    path = tmp_path / "trace.json"
    write_program_evidence(path, RECURSION, asked, StateOptions(), tables, trace)
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(InputError) as caught:
        read_program_evidence(path, RECURSION)
    for word in words:
        assert word in str(caught.value)
    assert len(str(caught.value)) < 1000


def test_a_changed_file_is_an_error_of_the_input_or_of_the_evidence(tmp_path: Path) -> None:
    asked = at(RECURSION, 0, "main:1!")
    tables, trace = trace_to(RECURSION, asked)
    _, system, all_tables = made(RECURSION)
    certificate = cut_states(system, system.groups, 1)
    rng = Random(5)
    path = tmp_path / "changed.json"
    for table, evidence in ((tables, trace), (all_tables, certificate)):
        write_program_evidence(path, RECURSION, asked, StateOptions(), table, evidence)
        text = path.read_text()
        for _ in range(300):
            place, length = rng.randrange(len(text)), rng.randrange(4)
            junk = "".join(rng.choice('01=-:!(){}[]",. abmw\\') for _ in range(rng.randrange(4)))
            path.write_text(text[:place] + junk + text[place + length :])
            with suppress(InputError, EvidenceError):
                read_program_evidence(path, RECURSION).check()
