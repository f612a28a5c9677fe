"""A program without its shared variables (CUBA, section 5.2).

Reads of shared variables become choices, and writes to them disappear. So do all effects of threads
on each other: one thread type is left, which runs at once. Results of procedures pass through the
shared state, so they are chosen as well. The frames that this program has include all that the
thread type has in the original program.
"""

from __future__ import annotations

from tepui.program.expressions import (
    TRUE,
    Choice,
    Conditional,
    Constant,
    Expression,
    Read,
    ReadElement,
    Self,
    Variable,
    with_operands,
)
from tepui.program.program import (
    NOWHERE,
    Assert,
    Assignment,
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
    scalar_of,
    variable_of,
)
from tepui.program.types import Array, Bounded, Scalar, ThreadId
from tepui.program.walk import targets_of, with_expressions, with_variables
from tepui.records import replace


def without_shared_variables(program: Program, thread: int) -> Program:
    """What a thread type does by itself, whatever the values of the shared variables."""
    kept = replace(program.threads[thread], count=1, idle=None)
    names = Bounded(0, len(program.thread_types), "block")
    procedures = [_without_identities(names, procedure) for procedure in program.procedures]
    kept = replace(kept, inherited=tuple(_numbered(names, each) for each in kept.inherited))
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
"""A name that no procedure of a program can have."""


def _without_identities(names: Bounded, procedure: Procedure) -> Procedure:
    """The procedure by itself. The one thread that is left does not know who it was, so `Self` is
    any thread, and identities are numbers."""

    def expression(old: Expression) -> Expression:
        match old:
            case Self():
                return _any(names)
            case Constant(value, ThreadId()):
                return Constant(value, names)
            case _:
                return with_operands(old, expression)

    def variable(old: Variable) -> Variable:
        return _numbered(names, old)

    edges = (
        with_variables(with_expressions(edge, expression), variable) for edge in procedure.edges
    )
    return replace(
        procedure,
        edges=tuple(map(_edge, edges)),
        variables=tuple(map(variable, procedure.variables)),
        results=(),
    )


def _numbered(names: Bounded, variable: Variable) -> Variable:
    """A variable in which identities are numbers."""
    if not isinstance(variable.scalar, ThreadId):
        return variable
    is_array = isinstance(variable.type, Array)
    return replace(variable, type=Array(names, variable.length) if is_array else names, initial=0)


def _edge(edge: Edge) -> Edge:
    edge = with_expressions(edge, _expression)
    match edge:
        case Step():
            kept = tuple(one for one in edge.assignments if _is_local(one.target))
            return replace(edge, assignments=kept)
        case Receive():
            chosen = tuple(
                Assignment(target, _any(scalar_of(target)))
                for target in targets_of(edge)
                if _is_local(target)
            )
            return Step(edge.source, edge.target, edge.guard, chosen)
        case Return():
            return Return(edge.source, (), edge.guard)
        case Assert():
            return Step(edge.source, edge.target, edge.guard, (), edge.condition)
        case Create():
            return Step(edge.source, edge.target, edge.guard)
        case Fork() | Join():
            raise AssertionError("a program with forks has slots before anything is asked of it")
        case Call() | End():
            return edge


def _is_local(target: Target) -> bool:
    return variable_of(target).procedure is not None


def _any(scalar: Scalar) -> Expression:
    """Any value, chosen at once: a bare choice would wait until it is read."""
    return Conditional(TRUE, Choice(scalar), Choice(scalar))


def _expression(expression: Expression) -> Expression:
    if isinstance(expression, Read | ReadElement) and expression.variable.procedure is None:
        return _any(expression.variable.scalar)
    return with_operands(expression, _expression)
