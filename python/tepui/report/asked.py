"""What was asked about a program, in words, and which of it a trace violates."""

from __future__ import annotations

from pathlib import PurePath

from tepui.kernels.lowered import LoweredSystem
from tepui.model import EPSILON
from tepui.program import questions
from tepui.program.program import Program
from tepui.program.questions import Question
from tepui.result import Result


def file_name(program: Program) -> str:
    """The name of the file that a program comes from, or else its own."""
    files = [procedure.position.file for procedure in program.procedures]
    return PurePath(files[0]).name or program.name if files else program.name


def violation_text(question: Question) -> str:
    """That what must not happen can."""
    match question.kind:
        case "assertion":
            return f"{question.text} can be violated"
        case "unreachable":
            return question.text.replace("is unreachable", "can be reached")
        case "never together":
            return question.text.replace("are never reached together", "can be reached together")
        case "deadlock":
            return "there is a deadlock"


def violated_question(result: Result) -> Question | None:
    """The first question of which the end of the trace is a violation."""
    trace, system = result.trace, result.system
    if trace is None or not isinstance(system, LoweredSystem):
        return None
    shared, stacks = trace.initial_shared, trace.initial_stacks
    if trace.steps:
        shared, stacks = trace.steps[-1].shared, trace.steps[-1].stacks
    classes = [
        system.template_of(thread).class_of(stack[0] if stack else EPSILON)
        for thread, stack in enumerate(stacks)
    ]
    return questions.violated_question(result.questions, shared, classes)
