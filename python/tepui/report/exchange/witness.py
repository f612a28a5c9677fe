"""Answers about programs as verification witnesses, in the YAML format of SV-COMP, version 2.2.

A violation becomes a sequence of waypoints (`witness_violation`), a proof becomes invariants
(`witness_correctness`). The format knows only programs in C, so two entries mean less than they
say: `language` is BP or Java, and `data_model` is there because the format requires it. Threads are
numbered in the order of the program, from 0 on: there is no main thread that creates the others.
"""

from __future__ import annotations

import shlex
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from tepui import __version__
from tepui.errors import UsageError
from tepui.languages.source import suffix_of
from tepui.model import System
from tepui.parameter_names import named
from tepui.program.program import Program
from tepui.program.questions import Question, assertions
from tepui.report.exchange.input_files import input_files
from tepui.report.exchange.witness_correctness import invariants
from tepui.report.exchange.witness_violation import segments
from tepui.report.report_input import ReportInput
from tepui.result import Result

FORMAT_VERSION = "2.2"


def witness(data: ReportInput) -> str:
    """The witness, as YAML text; a UsageError if the format cannot express the answer."""
    import yaml

    if len(data.results) != 1:
        raise UsageError(f"a witness is about one answer, and {named('all')} gives several")
    result = data.results[0]
    if result.subject.program is None:
        raise UsageError("a witness names lines of a program (.bp), and a pushdown system has none")
    formulas = list(dict.fromkeys(_formula(question) for question in _witnessed(result)))
    files = input_files(data)
    if not files:
        raise UsageError(f"a witness names lines of a file, and {data.model.name} was not read")
    if result.verdict == "unsafe" and result.trace is None:
        raise UsageError("there is no trace for a witness: a limit was reached first")
    if result.verdict == "unsafe":
        kind, content = "violation_sequence", segments(result, files)
    elif result.verdict == "safe":
        _require_all(result, data.model)
        kind, content = "invariant_set", invariants(result, files)
    else:
        raise UsageError(f"there is no witness for «{result.verdict}»: nothing was decided")
    task = {
        "input_files": [file.name for file in files],
        "input_file_hashes": {file.name: file.hash for file in files},
        "specification": _all_of(formulas),
        "data_model": "ILP32",
        "language": "Java" if suffix_of(files[-1].path) in (".java", ".class") else "BP",
    }
    entry = {"entry_type": kind, "metadata": _metadata(data, task), "content": content}
    return str(yaml.safe_dump([entry], sort_keys=False, allow_unicode=True, width=100))


def _metadata(data: ReportInput, task: dict[str, Any]) -> dict[str, Any]:
    return {
        "format_version": FORMAT_VERSION,
        "uuid": str(uuid4()),
        "creation_time": datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
        "producer": {
            "name": "tepui",
            "version": __version__,
            "command_line": shlex.join(["tepui", *data.arguments]),
        },
        "task": task,
    }


def _witnessed(result: Result) -> tuple[Question, ...]:
    """The questions that the witness answers; for a violation, only the violated one."""
    violated = result.violated
    if violated is None or violated.question is None:
        return result.questions
    return (violated.question,)


def _require_all(result: Result, model: System | Program) -> None:
    """A UsageError if some violations were asked for, but not all, as G assert does."""
    assert isinstance(model, Program)
    some = {each.text for each in result.questions if _formula(each) == _ASSERTED}
    every = {each.text for each in assertions(model) if _formula(each) == _ASSERTED}
    if some and not every <= some:
        raise UsageError(
            f"a property file asks for all violations of a program by {_ASSERTED}, and of "
            f"{model.name} only some were asked for, so there is no witness"
        )


_ASSERTED = "G assert"


def _formula(question: Question) -> str:
    """A question in the language of property files; a line is written as a label is."""
    match question.kind:
        case "deadlock":
            return "G ! deadlock"
        case "race":
            return "G ! data-race"
        case "overflow":
            return "G ! overflow"
        case "never together":
            raise UsageError(
                "no property file can say that two places are never reached together, so there is "
                "no witness for it"
            )
        case "unreachable":
            place = question.text.partition(" is unreachable")[0].removeprefix("line ")
            place = place.partition(",")[0]
            return f"G ! call({place})" if place.endswith("()") else f"G ! label({place})"
        case _:
            return _ASSERTED


def _all_of(formulas: list[str]) -> str:
    if len(formulas) == 1:
        return formulas[0]
    return " && ".join(f"({formula})" for formula in formulas)
