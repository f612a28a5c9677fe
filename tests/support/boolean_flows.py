"""Control-flow graphs as short lines of text, for tests of the languages that make them.

`3~ [x] y := !y -> 4` is an edge from location 3, which is atomic, to location 4: its guard, what it
does, and where it leads; `out` is a return that needs no step of its own.
"""

from __future__ import annotations

from tepui.languages.boolean import load_program
from tepui.languages.source import Source
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
    Procedure,
    Program,
    Receive,
    Return,
    Step,
    Target,
)


def load(text: str, name: str = "test.bp") -> Program:
    """The program of a text; begin/end or braces."""
    return load_program(Source.of_text(text, name))


def edges(program: Program, procedure: str) -> list[str]:
    """The edges of a procedure."""
    found = program.by_name[procedure]
    return [_edge(found, edge) for edge in found.edges]


def main_edges(body: str, declarations: str = "decl x, y, z;") -> list[str]:
    """The edges of a main with this body."""
    program = load(
        f"{declarations} void main() {{ {body} }} void f() {{}} bool g(a) {{ return a; }}"
    )
    return edges(program, "main")


def value(expression: str, declarations: str = "decl x, y, z;") -> str:
    """What a Boolean expression becomes."""
    *_, edge = load(f"{declarations} void main() {{ assert({expression}); }}").procedures[0].edges
    assert isinstance(edge, Assert)
    return text_of(edge.condition)


def text_of(expression: Expression) -> str:
    match expression:
        case Constant():
            return expression.type.text(expression.value)
        case Read():
            return "'" * expression.after + expression.variable.name
        case ReadElement():
            return f"{expression.variable.name}[{text_of(expression.index)}]"
        case Self():
            return "self"
        case Choice():
            return f"any {expression.type}"
        case Unary():
            sign = {"not": "!", "minus": "-", "complement": "~"}[expression.operator]
            return sign + text_of(expression.operand)
        case Binary():
            left, right = text_of(expression.left), text_of(expression.right)
            return f"({left} {expression.operator} {right})"
        case Convert():
            return f"{expression.type}({text_of(expression.operand)})"
        case Conditional():
            parts = (expression.condition, expression.then, expression.otherwise)
            condition, then, otherwise = map(text_of, parts)
            return f"({condition} ? {then} : {otherwise})"


def _edge(procedure: Procedure, edge: Edge) -> str:
    atomic = "~" if procedure.locations[edge.source].atomic else ""
    guard = "" if edge.guard == TRUE else f" [{text_of(edge.guard)}]"
    leads = "" if isinstance(edge, Return | End) else f" -> {_place(edge.target)}"
    return f"{edge.source}{atomic}{guard} {_action(edge)}{leads}"


def _place(target: int | None) -> str:
    return "out" if target is None else str(target)


def _action(edge: Edge) -> str:
    match edge:
        case Step():
            return _step(edge)
        case Call():
            return f"call {edge.procedure}({', '.join(map(text_of, edge.arguments))})"
        case Receive():
            return f"receive {', '.join(map(_target, edge.targets))}"
        case Return():
            return " ".join(["return", *map(text_of, edge.values)])
        case Assert():
            kind = "" if edge.kind == "assertion" else f"{edge.kind} "
            return f"assert {kind}{text_of(edge.condition)}"
        case Create():
            values = [" ".join(map(text_of, some)) for some in edge.values]
            threads = zip(edge.threads, values, strict=True)
            return "create " + ", ".join(f"{thread}({some})" for thread, some in threads)
        case End():
            return "end"
        case Fork():
            name = "" if edge.variable is None else f"{_target(edge.variable)} := "
            return f"{name}fork {edge.procedure}({', '.join(map(text_of, edge.arguments))})"
        case Join():
            return f"join {text_of(edge.thread)}"


def _step(step: Step) -> str:
    if not step.assignments:
        action = "skip"
    else:
        targets = ", ".join(_target(assignment.target) for assignment in step.assignments)
        values = ", ".join(text_of(assignment.value) for assignment in step.assignments)
        action = f"{targets} := {values}"
    return action if step.constraint == TRUE else f"{action} where {text_of(step.constraint)}"


def _target(target: Target | None) -> str:
    if target is None:
        return "_"
    if isinstance(target, Variable):
        return target.name
    return f"{target.variable.name}[{text_of(target.index)}]"
