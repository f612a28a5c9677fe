"""Property files (`.prp`), in the language of the competition on software verification.

Each line is a `CHECK( init(main()), LTL(formula) )`. For Boolean programs, a formula is about
calls, labels, assertions, deadlocks, data races or overflows. Other formulas are about memory or
time, which such programs do not have; they are refused by name. `init` is not used: a program says
itself where its threads start.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal

from tepui.errors import UsageError
from tepui.languages.source import Source, file_error
from tepui.parameter_names import named
from tepui.program.places import labels_of
from tepui.program.program import Program
from tepui.program.questions import (
    Question,
    deadlock,
    own_questions,
    races,
    unreachable,
    violations,
)
from tepui.records import record

Kind = Literal["call", "label", "assertions", "deadlock", "race", "overflow"]


@record
class Asked:
    """What one line of a property file asks: that something never happens."""

    kind: Kind
    name: str = ""
    """The procedure or the label."""

    @property
    def formula(self) -> str:
        """As property files write it."""
        match self.kind:
            case "call":
                return f"G ! call({self.name}())"
            case "label":
                return f"G ! label({self.name})"
            case "assertions":
                return "G assert"
            case "deadlock":
                return "G ! deadlock"
            case "race":
                return "G ! data-race"
            case "overflow":
                return "G ! overflow"


def read_property_file(path: Path) -> list[Asked]:
    """All that a property file asks."""
    source = Source.of_file(path)
    asked = [
        _check(source, number, line)
        for number, line in enumerate(source.lines, start=1)
        if line.strip() and not line.lstrip().startswith(("//", "#"))
    ]
    if not asked:
        raise file_error(path, f"the file asks nothing, expected {_EXAMPLE}")
    return list(dict.fromkeys(asked))


def property_questions(program: Program, path: Path) -> list[Question]:
    """What a property file asks about a program."""
    return [question for asked in read_property_file(path) for question in _pose(program, asked)]


def require_deadlock(path: Path) -> None:
    """A UsageError if a property file asks of a system what only programs have."""
    for asked in read_property_file(path):
        if asked.kind != "deadlock":
            raise UsageError(
                f"{path}: {asked.formula} is for programs (.bp); of a pushdown system a property "
                f"file may ask G ! deadlock, and {named('target')} and {named('reach')} name bad "
                "states"
            )


def _check(source: Source, number: int, line: str) -> Asked:
    start = len(line) - len(line.lstrip()) + 1
    match = _CHECK.fullmatch(line.strip())
    if match is None:
        raise source.error(number, start, f"expected {_EXAMPLE}")
    formula, column = match["formula"].strip(), start + match.start("formula")
    for pattern, kind in _FORMULAS:
        found = pattern.fullmatch(formula)
        if found is not None:
            return Asked(kind, found[1] if found.groups() else "")
    for word, reason in _NOT_FOR_US:
        if re.search(rf"(?<![\w-]){word}(?![\w-])", formula):
            raise source.error(number, column, f"{formula} is not for Boolean programs: {reason}")
    known = "G ! call(f()), G ! label(L), G assert, G ! deadlock, G ! data-race and G ! overflow"
    raise source.error(number, column, f"unknown formula {formula}; the known are {known}")


def _pose(program: Program, asked: Asked) -> list[Question]:
    if asked.kind == "deadlock":
        return [deadlock()]
    if asked.kind == "race":
        return races(program)
    if asked.kind == "overflow":
        return violations(program, "overflow")
    if asked.kind == "assertions":
        own = [question for question in own_questions(program) if question.kind != "deadlock"]
        if not own:
            raise UsageError(f"G assert: {program.name} has no assertion to violate")
        return own
    if asked.kind == "call" and asked.name in program.by_name:
        return [unreachable(program, f"{asked.name}()")]
    if asked.kind == "call" and asked.name not in labels_of(program):
        raise UsageError(
            f"{asked.formula}: {program.name} has neither a procedure nor a label {asked.name}"
        )
    return [unreachable(program, asked.name)]


_EXAMPLE = "CHECK( init(main()), LTL(G ! call(reach_error())) )"
_NAME = r"([A-Za-z_$][\w$.]*)"
_CHECK = re.compile(
    rf"CHECK\s*\(\s*init\s*\(\s*{_NAME}\s*\(\s*\)\s*\)\s*,\s*LTL\s*\((?P<formula>.*)\)\s*\)",
    re.ASCII,
)
_FORMULAS: tuple[tuple[re.Pattern[str], Kind], ...] = (
    (re.compile(rf"G\s*!\s*call\s*\(\s*{_NAME}\s*\(\s*\)\s*\)", re.ASCII), "call"),
    (re.compile(rf"G\s*!\s*label\s*\(\s*{_NAME}\s*\)", re.ASCII), "label"),
    (re.compile(r"G\s*assert"), "assertions"),
    (re.compile(r"G\s*!\s*deadlock"), "deadlock"),
    (re.compile(r"G\s*!\s*data-race"), "race"),
    (re.compile(r"G\s*!\s*overflow"), "overflow"),
)
_NOT_FOR_US = (
    ("valid-free", "they have no memory to free"),
    ("valid-deref", "they have no pointers"),
    ("valid-memtrack", "they have no memory to lose"),
    ("valid-memcleanup", "they have no memory to free"),
    ("end", "tepui decides safety, and whether a program terminates is no question of it"),
)
