"""The options about a program: the number of threads of each type, and the questions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from tepui.errors import UsageError
from tepui.words import did_you_mean, shown

if TYPE_CHECKING:
    from tepui.program.program import Program, ViolationKind
    from tepui.program.questions import Question


def thread_counts(given: Sequence[str]) -> dict[str, int | None]:
    """The number of threads of each type, from texts `NAME=COUNT`; `*` is any number, None."""
    counts: dict[str, int | None] = {}
    for text in given:
        if re.fullmatch(r"[^=,()]+=([0-9]+|[*])(,[^=,()]+=([0-9]+|[*]))+", text, re.ASCII):
            each = " ".join(f"--threads {part.strip()}" for part in text.split(","))
            raise UsageError(f"--threads {text}: give --threads once for each type, as in {each}")
        match = re.fullmatch(r"(.+)=([0-9]{1,9}|[*])", text, re.ASCII | re.DOTALL)
        if match is None:
            raise UsageError(
                f"--threads {text}: expected NAME=COUNT, as in --threads worker=3, or NAME=*"
            )
        name, count = match[1], None if match[2] == "*" else int(match[2])
        if counts.setdefault(name, count) != count:
            before = "*" if counts[name] is None else counts[name]
            raise UsageError(f"--threads {text}: --threads {name}={before} says otherwise")
    return counts


KINDS: dict[str, ViolationKind] = {
    "assertion": "assertion",
    "exception": "exception",
    "bounds": "bounds",
    "division": "division",
    "overflow": "overflow",
}
"""The kinds of violations that can be asked for by name."""


def is_property_file(name: str) -> bool:
    """Whether a value of `--property` names a file, not a property."""
    return name.lower().endswith(".prp")


def asks(what: Literal["overflow", "race"], names: Iterable[str]) -> bool:
    """Whether values of `--property` ask if machine integers overflow, or if threads race: a
    program is loaded for that."""
    return any(_asks(what, name) for name in names)


def _asks(what: Literal["overflow", "race"], name: str) -> bool:
    if not is_property_file(name):
        return name == what
    from tepui.tasks.properties import read_property_file

    return any(asked.kind == what for asked in read_property_file(Path(name)))


def asked_questions(program: Program, flags: Mapping[str, Any]) -> list[Question]:
    """The questions of the options, or else those of the program."""
    from tepui.program.questions import (
        deadlock,
        never_together,
        own_questions,
        races,
        unreachable,
        violations,
    )

    questions: list[Question] = []
    for name in dict.fromkeys(flags["property_name"]):
        if is_property_file(name):
            questions += _questions_of_file(program, Path(name))
        elif name == "deadlock":
            questions.append(deadlock())
        elif name in KINDS:
            questions += violations(program, KINDS[name])
        elif name == "race":
            questions += races(program)
        elif name == "assertions":
            own = own_questions(program)
            questions += own
            if not own:
                raise UsageError(f"--property assertions: {program.name} has none to violate")
        else:
            known = ["deadlock", "assertions", *KINDS, "race"]
            hint = did_you_mean(name, known)
            raise UsageError(
                f"--property {shown(name)}: expected one of {', '.join(known)}, or a property "
                f"file (.prp){hint}"
            )
    questions += [unreachable(program, place) for place in flags["unreachable"]]
    questions += [never_together(program, left, right) for left, right in flags["never_together"]]
    return questions or own_questions(program)


def _questions_of_file(program: Program, path: Path) -> list[Question]:
    from tepui.tasks.properties import property_questions

    return property_questions(program, path)
