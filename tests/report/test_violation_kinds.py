"""The kind of a violated assertion, in everything that is said about an answer."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft4Validator, Draft202012Validator

from support.places import SUPPORT
from support.schemas import schema
from tepui.deciding import verify, verify_all
from tepui.program.build import ProcedureBuilder, ProgramBuilder
from tepui.program.expressions import Binary, Constant, Read, Variable
from tepui.program.program import Assert, Position, Program, ViolationKind
from tepui.program.questions import KIND_WORDS, assertions
from tepui.program.types import machine
from tepui.report.exchange.as_json import result_object
from tepui.report.exchange.sarif import sarif_log
from tepui.report.exchange.witness import witness
from tepui.report.page.document import report_page
from tepui.report.report_input import ReportInput

BYTE = machine(8, signed=False)
X = Variable("x", BYTE)

KINDS = [kind for kind in KIND_WORDS if kind not in ("limit", "assertion")]


def program(kind: ViolationKind, message: str = "", wrong: int = 7) -> Program:
    main = ProcedureBuilder("main")
    start = main.rest(Position("kinds.toy", 3, 1), "y = 1 / x")
    condition = Binary("!=", Read(X), Constant(wrong, BYTE))
    main.add(Assert(start, main.end, condition, kind=kind, message=message))
    built = ProgramBuilder("kinds", [X])
    built.add(main.draft())
    built.run("main")
    return built.finish()


@pytest.mark.parametrize("kind", KINDS)
def test_a_question_says_its_kind_and_what_it_is_about(kind: ViolationKind) -> None:
    (question,) = assertions(program(kind))
    assert question.kind == kind
    assert question.text == f"no {KIND_WORDS[kind]} at kinds.toy:3 (y = 1 / x)"
    (question,) = assertions(program(kind, "x is bad"))
    assert question.text == f"no {KIND_WORDS[kind]} at kinds.toy:3 (x is bad)"
    assert question.violation.endswith(f" {KIND_WORDS[kind]} at kinds.toy:3 (x is bad)")
    (question,) = assertions(program("assertion"))
    assert question.text == "y = 1 / x at kinds.toy:3"
    (question,) = assertions(program("assertion", "x is bad"))
    assert question.text == "y = 1 / x at kinds.toy:3 (x is bad)"


@pytest.mark.parametrize("kind", KINDS)
def test_answers_and_files_carry_the_kind(kind: ViolationKind, tmp_path: Path) -> None:
    words = f"{KIND_WORDS[kind]} at kinds.toy:3 (why not)"
    (tmp_path / "kinds.toy").write_text("\n\ny = 1 / x\n")
    model = program(kind, "why not")
    result = verify(model)
    assert result.verdict == "unsafe"
    assert words in str(result).splitlines()[0]
    assert f"   found  {'an' if words[0] in 'aeio' else 'a'} {words}" in str(result)
    found = result_object(result)
    Draft202012Validator(schema("result")).validate(found)
    assert [(each["kind"], each["verdict"]) for each in found["questions"]] == [(kind, "unsafe")]
    assert found["violated"] == f"no {words}"
    data = ReportInput("verify", model, results=(result,), inputs=())
    log = json.loads(sarif_log(data))
    sarif = json.loads((SUPPORT / "sarif-2.1.0.schema.json").read_text(encoding="utf-8"))
    Draft4Validator(sarif).validate(log)
    (finding,) = log["runs"][0]["results"]
    assert (finding["ruleId"], finding["kind"]) == (kind, "fail")
    assert words in finding["message"]["text"]
    assert words in report_page(data)


@pytest.mark.parametrize("kind", KINDS)
def test_what_holds_is_said_by_its_kind(kind: ViolationKind) -> None:
    model = program(kind, wrong=300)
    (answer,) = verify_all(model)
    assert answer.result.verdict == "safe"
    assert f"no {KIND_WORDS[kind]}" in str(answer)


def test_witnesses_speak_of_assertions(tmp_path: Path) -> None:
    source = tmp_path / "kinds.toy"
    source.write_text("\n\ny = 1 / x\n")
    model = program("division")
    data = ReportInput("verify", model, file=source, results=(verify(model),), inputs=None)
    assert "G assert" in witness(data)
