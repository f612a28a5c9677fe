"""The facts about a program that need no run."""

from __future__ import annotations

from typing import Any

from tepui.engines.recursion import may_recurse
from tepui.program.expressions import Variable
from tepui.program.printer import program_text
from tepui.program.program import Program, Thread
from tepui.program.questions import Question
from tepui.program.state_names import point_text
from tepui.words import plural
from tepui.z.call_return import omega


def describe_program(program: Program, questions: list[Question]) -> dict[str, Any]:
    """The threads, variables and questions of a program, and its call-return relation Ω."""
    layout = program.layout
    return {
        "program": program.name,
        "globals": [_variable(variable) for variable in program.globals],
        "lock": None if program.lock is None else program.lock.name,
        "threads": [_thread(thread) for thread in program.threads],
        "procedures": [
            {
                "name": procedure.name,
                "line": procedure.position.line,
                "locations": len(procedure.locations),
                "edges": len(procedure.edges),
                "locals": [_variable(variable) for variable in procedure.variables],
            }
            for procedure in program.procedures
        ],
        "may_recurse": may_recurse(program),
        "questions": [{"kind": question.kind, "text": question.text} for question in questions],
        "omega": {
            thread.name: [
                [point_text(layout, returning), point_text(layout, after)]
                for returning, after in sorted(omega(program, index))
            ]
            for index, thread in enumerate(program.threads)
        },
        "text": program_text(program),
    }


def description_lines(found: dict[str, Any]) -> list[str]:
    """The same for people."""
    lines: list[str] = found["text"].split("\n")
    for question in found["questions"]:
        lines.append(f"question {question['text']}")
    if not found["questions"]:
        lines.append("question none: --unreachable, --never-together or --property ask one")
    lines.append("recursion " + ("possible" if found["may_recurse"] else "none"))
    for thread, pairs in found["omega"].items():
        count = f"{len(pairs)} {plural(len(pairs), 'pair')}"
        lines.append(f"Ω of {thread}: {count} of a returning place and one after a call")
        lines += [f"    {returning} -> {after}" for returning, after in pairs]
    return lines


def _variable(variable: Variable) -> dict[str, Any]:
    initial = variable.initial
    return {
        "name": variable.name,
        "type": str(variable.type),
        "initial": None if initial is None else variable.scalar.text(initial),
    }


def _thread(thread: Thread) -> dict[str, Any]:
    return {
        "name": thread.name,
        "procedure": thread.procedure,
        "count": thread.count,
        "created": thread.created,
        "inherited": [variable.name for variable in thread.inherited],
    }
