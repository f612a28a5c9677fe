"""A program without its shared variables (CUBA, section 5.2).

Reads of shared variables become choices, writes to them disappear, and what threads do to each
other with them: one thread type is left, which runs at once. Results of procedures pass through
the shared state, so they are chosen as well. The frames that this program has include all that the
thread type has in the original program.
"""

from __future__ import annotations

from dataclasses import replace

from tepui.program.expressions import (
    TRUE,
    Binary,
    Choice,
    Conditional,
    Expression,
    Read,
    ReadElement,
    Unary,
)
from tepui.program.program import (
    NOWHERE,
    Assert,
    Assignment,
    Call,
    Create,
    Edge,
    Element,
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
    scalar_of,
)
from tepui.program.types import Scalar


def without_shared_variables(program: Program, thread: int) -> Program:
    """What a thread type does by itself, whatever the shared variables are."""
    kept = replace(program.threads[thread], count=1, idle=None)
    procedures = [_procedure(procedure) for procedure in program.procedures]
    threads = [replace(kept, created=False)]
    if kept.inherited:
        values = tuple(_any(variable.scalar) for variable in kept.inherited)
        creator = Procedure(
            name=_CREATOR,
            locations=(Location(NOWHERE),),
            edges=(Create(0, None, threads=(0,), values=(values,)),),
        )
        procedures.append(creator)
        threads = [replace(kept, created=True), Thread(_CREATOR, _CREATOR)]
    return Program(procedures=tuple(procedures), threads=tuple(threads), name=program.name)


_CREATOR = "creator of the thread"
"""The name of a procedure that no program can have."""


def _procedure(procedure: Procedure) -> Procedure:
    edges = tuple(_edge(edge) for edge in procedure.edges)
    return replace(procedure, edges=edges, results=())


def _edge(edge: Edge) -> Edge:
    guard = _expression(edge.guard)
    match edge:
        case Step():
            assignments = tuple(
                Assignment(_target(one.target), _expression(one.value))
                for one in edge.assignments
                if _is_local(one.target)
            )
            return Step(edge.source, edge.target, guard, assignments, _expression(edge.constraint))
        case Call():
            arguments = tuple(_expression(argument) for argument in edge.arguments)
            return Call(edge.source, edge.target, edge.procedure, arguments, guard)
        case Receive():
            assignments = tuple(
                Assignment(_target(target), _any(scalar_of(target)))
                for target in edge.targets
                if target is not None and _is_local(target)
            )
            return Step(edge.source, edge.target, guard, assignments)
        case Return():
            return Return(edge.source, (), guard)
        case Assert():
            condition = _expression(edge.condition)
            return Step(edge.source, edge.target, guard, (), condition)
        case Create():
            return Step(edge.source, edge.target, guard)
        case End():
            return End(edge.source, guard)
        case Fork() | Join():
            raise AssertionError("a program with forks has slots before anything is asked of it")


def _target(target: Target) -> Target:
    if isinstance(target, Element):
        return Element(target.variable, _expression(target.index))
    return target


def _is_local(target: Target) -> bool:
    variable = target.variable if isinstance(target, Element) else target
    return variable.procedure is not None


def _any(scalar: Scalar) -> Expression:
    """Any value, chosen at once: a bare choice would wait until it is read."""
    return Conditional(TRUE, Choice(scalar), Choice(scalar))


def _expression(expression: Expression) -> Expression:
    match expression:
        case Read() if expression.variable.procedure is None:
            return _any(expression.variable.scalar)
        case ReadElement():
            if expression.variable.procedure is None:
                return _any(expression.variable.scalar)
            return ReadElement(expression.variable, _expression(expression.index))
        case Unary():
            return Unary(expression.operator, _expression(expression.operand))
        case Binary():
            left, right = _expression(expression.left), _expression(expression.right)
            return Binary(expression.operator, left, right)
        case Conditional():
            return Conditional(
                _expression(expression.condition),
                _expression(expression.then),
                _expression(expression.otherwise),
            )
        case _:
            return expression
