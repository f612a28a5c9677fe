"""A Program as text for people: what a front end has made from a source.

Expressions are written with as many parentheses as they need to be read without knowing how
strongly operators bind, and no more. There is no reader for this text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import assert_never

from tepui.program.expressions import (
    TRUE,
    Binary,
    Choice,
    Conditional,
    Constant,
    Convert,
    Expression,
    Read,
    ReadElement,
    Self,
    Unary,
    Variable,
)
from tepui.program.program import (
    Assert,
    Call,
    Create,
    Edge,
    End,
    Fork,
    Join,
    Location,
    Procedure,
    Program,
    Receive,
    Return,
    Step,
    Target,
    Thread,
    target_of,
)
from tepui.program.types import BOOLEAN
from tepui.program.walk import created_by
from tepui.words import printable

_WORDS = {"and": "&&", "or": "||", "implies": "=>"}
_SIGNS = {"not": "!", "minus": "-", "complement": "~"}


def program_text(program: Program) -> str:
    """The globals, the threads and the procedures of a program."""
    return "\n".join(map(printable, _program_lines(program))) + "\n"


def expression_text(expression: Expression) -> str:
    """An expression as the papers write it; `'x` is the value of x after the step."""
    match expression:
        case Constant():
            return expression.type.text(expression.value)
        case Read():
            return f"'{expression.variable.name}" if expression.after else expression.variable.name
        case ReadElement():
            return f"{expression.variable.name}[{expression_text(expression.index)}]"
        case Self():
            return "self"
        case Choice():
            return "*" if expression.type == BOOLEAN else f"any {expression.type}"
        case Unary():
            return f"{_SIGNS[expression.operator]}{_operand_text(expression.operand)}"
        case Binary():
            operator = _WORDS.get(expression.operator, expression.operator)
            left, right = _operand_text(expression.left), _operand_text(expression.right)
            return f"{left} {operator} {right}"
        case Convert():
            return f"{_operand_text(expression.operand)} as {expression.type}"
        case Conditional():
            parts = expression.condition, expression.then, expression.otherwise
            condition, then, otherwise = map(_operand_text, parts)
            return f"{condition} ? {then} : {otherwise}"


def edge_text(program: Program, edge: Edge) -> str:
    """An edge, without where it starts: `[guard] what it does -> where it leads`."""
    guard = "" if edge.guard == TRUE else f"[{expression_text(edge.guard)}] "
    target = target_of(edge)
    arrow = "" if isinstance(edge, Return | End) else " -> "
    place = "" if not arrow else "return" if target is None else str(target)
    return f"{guard}{_action_text(program, edge)}{arrow}{place}"


def _action_text(program: Program, edge: Edge) -> str:
    match edge:
        case Step():
            return _step_text(edge)
        case Call():
            return f"call {edge.procedure}({_list_text(edge.arguments)})"
        case Receive():
            return f"receive {', '.join(map(_target_text, edge.targets))}"
        case Return():
            return f"return {_list_text(edge.values)}".rstrip()
        case Assert():
            return f"assert {expression_text(edge.condition)}{_kind_text(edge)}"
        case Create():
            created = (
                f"{program.threads[number].name}({_list_text(given)})"
                for number, given in created_by(edge)
            )
            return f"create {', '.join(created)}"
        case End():
            return "end"
        case Fork():
            variable = "" if edge.variable is None else f"{_target_text(edge.variable)} := "
            return f"{variable}fork {edge.procedure}({_list_text(edge.arguments)})"
        case Join():
            return f"join {expression_text(edge.thread)}"
        case _:
            assert_never(edge)


def _kind_text(edge: Assert) -> str:
    if edge.kind == "assertion" and not edge.message:
        return ""
    return f" ({edge.kind}: {edge.message})" if edge.message else f" ({edge.kind})"


def _step_text(edge: Step) -> str:
    if edge.assignments:
        targets = ", ".join(_target_text(assignment.target) for assignment in edge.assignments)
        text = f"{targets} := {_list_text(assignment.value for assignment in edge.assignments)}"
    else:
        text = "skip"
    if edge.constraint != TRUE:
        text += f" constrain {expression_text(edge.constraint)}"
    return text


def _target_text(target: Target | None) -> str:
    if target is None:
        return "_"
    if isinstance(target, Variable):
        return target.name
    return f"{target.variable.name}[{expression_text(target.index)}]"


def _list_text(expressions: Iterable[Expression]) -> str:
    return ", ".join(map(expression_text, expressions))


def _operand_text(expression: Expression) -> str:
    text = expression_text(expression)
    return f"({text})" if isinstance(expression, Binary | Convert | Conditional) else text


def _program_lines(program: Program) -> Iterator[str]:
    yield f"program {program.name}"
    for variable in program.globals:
        lock = "  // the scheduler lock" if variable == program.lock else ""
        yield f"global {_variable_text(variable)}{lock}"
    for thread in program.threads:
        yield _thread_text(thread)
    if program.error_labels:
        yield f"error labels {', '.join(program.error_labels)}"
    for procedure in program.procedures:
        yield ""
        yield from _procedure_lines(program, procedure)


def _variable_text(variable: Variable) -> str:
    volatile = "volatile " if variable.volatile else ""
    text = f"{volatile}{variable.name}: {variable.type}"
    if variable.initial is None:
        return text
    return f"{text} := {variable.scalar.text(variable.initial)}"


def _thread_text(thread: Thread) -> str:
    count = "" if thread.count == 1 else f" * {'any' if thread.count is None else thread.count}"
    start = "" if thread.start is None else f" from {thread.start}"
    created = ", when created" if thread.created else ""
    names = ", ".join(variable.name for variable in thread.inherited)
    inherited = f" with {names}" if names else ""
    idle = "" if thread.idle is None else f", idle while {thread.idle.name} is 0"
    return f"thread {thread.name}{count}: {thread.procedure}{start}{created}{inherited}{idle}"


def _procedure_lines(program: Program, procedure: Procedure) -> Iterator[str]:
    parameters = ", ".join(map(_variable_text, procedure.variables[: procedure.parameters]))
    results = ", ".join(map(str, procedure.results))
    yield f"procedure {procedure.name}({parameters})" + (f" returns {results}" if results else "")
    for variable in procedure.variables[procedure.parameters :]:
        yield f"    local {_variable_text(variable)}"
    for number, location in enumerate(procedure.locations):
        yield f"{number:>4}: {_location_text(location, number == procedure.entry)}".rstrip()
        for edge in procedure.leaving[number]:
            yield f"          {edge_text(program, edge)}"


def _location_text(location: Location, entry: bool) -> str:
    words = [f"{label}:" for label in location.labels]
    words += [word for word, given in (("entry", entry), ("atomic", location.atomic)) if given]
    if location.position.line:
        words.append(f"line {location.position.line}")
    if location.text:
        words.append(f"«{location.text}»")
    return " ".join(words)
