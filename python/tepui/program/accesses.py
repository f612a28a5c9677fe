"""What the edges of a program read and write in the memory that threads share.

An access is a read or a write of a location in memory: a global scalar, or an element of a global
array. A thread at the source of an edge is *next to* an access of it, and this says when:

- it reads what the guard reads, whether or not the guard holds: a thread that waits for a
  condition looks at its variables again and again;
- if the guard can be true, it reads what the other expressions of the edge read;
- if the edge can be taken, it writes what the edge assigns.

Only what the evaluation comes to is read: the right side of an `and` if the left side can be true.
An index has the value that it has now. Volatile variables are left out, as they never race.

An access is *certain* if a thread at the source of its edge is always next to it. Otherwise a
condition says when it is.
"""

from __future__ import annotations

from collections.abc import Iterator

from tepui.program.expressions import (
    TRUE,
    Binary,
    Conditional,
    Constant,
    Expression,
    Read,
    ReadElement,
    Unary,
    Variable,
    conjunction,
    may_block,
    operands,
)
from tepui.program.intervals import is_within
from tepui.program.program import Edge, Element, Fork, Program, Step, Target, scalar_of
from tepui.program.types import THREAD, Bounded, Scalar
from tepui.program.walk import assigned_by, expressions_of, targets_of
from tepui.records import record


@record
class Memory:
    """A global scalar, or an element of a global array."""

    variable: Variable
    element: int | None = None

    def __str__(self) -> str:
        name = self.variable.name
        return name if self.element is None else f"{name}[{self.element}]"


@record
class Access:
    """A read or a write, and when a thread is next to it."""

    memory: Memory
    write: bool = False
    guard: Expression = TRUE
    """What must hold before the step."""
    constraint: Expression = TRUE
    """What must hold of the values after its assignments."""
    asks: bool = False
    """Whether it is a read of the guard, so that whichever edge is taken does not matter."""
    late: bool = False
    """Whether it comes after the evaluation of all that the edge assigns or passes."""

    @property
    def words(self) -> str:
        return f"{'write' if self.write else 'read'} {self.memory}"


def accesses_of(edge: Edge) -> Iterator[Access]:
    """All accesses of an edge."""
    constraint = edge.constraint if isinstance(edge, Step) else TRUE
    for read, when in _evaluated(edge.guard, TRUE):
        for memory, there in _read_memory(read):
            yield Access(memory, guard=conjunction(when, there), asks=True)
    _, *others = expressions_of(edge)
    for expression in others[:-1] if isinstance(edge, Step) else others:
        for read, when in _evaluated(expression, TRUE):
            for memory, there in _read_memory(read):
                yield Access(memory, guard=conjunction(edge.guard, conjunction(when, there)))
    own = assigned_by(edge)
    for read, when in _evaluated(constraint, TRUE):
        if not (isinstance(read, Read) and read.after and read.variable in own):
            for memory, there in _read_memory(read):
                what = conjunction(when, there)
                yield Access(memory, guard=edge.guard, constraint=what, late=True)
    for target in targets_of(edge):
        for memory, there in _written_memory(target):
            yield Access(memory, write=True, guard=conjunction(edge.guard, there), late=True)


def is_certain(program: Program, edge: Edge, access: Access) -> bool:
    """Whether a thread at the source of the edge is always next to the access."""
    if access.guard != TRUE or access.constraint != TRUE:
        return False
    if not access.late:
        return True
    constraint = edge.constraint if isinstance(edge, Step) else TRUE
    return (
        (constraint == TRUE or not access.write)
        and all(_fits(value, scalar) for value, scalar in given_by(program, edge))
        and all(map(_exists, targets_of(edge)))
    )


def given_by(program: Program, edge: Edge) -> list[tuple[Expression, Scalar]]:
    """The values that an edge assigns or passes to a new thread, and the types that they get."""
    if isinstance(edge, Step):
        return [(each.value, scalar_of(each.target)) for each in edge.assignments]
    if isinstance(edge, Fork):
        parameters = program.by_name[edge.procedure].variables
        return [(value, p.scalar) for value, p in zip(edge.arguments, parameters, strict=False)]
    return []


def evaluates(expression: Expression) -> Expression:
    """A condition that is true if an expression can be evaluated, whatever its value."""
    # To compare something with itself takes no values that are only copied and compared otherwise.
    return Binary("=", expression, expression) if may_block(expression) else TRUE


def _exists(target: Target) -> bool:
    """Whether what is assigned surely exists."""
    if isinstance(target, Variable):
        return True
    index = target.index
    return isinstance(index, Constant) and 0 <= index.value < target.variable.length


def _read_memory(read: Read | ReadElement) -> Iterator[tuple[Memory, Expression]]:
    return _memory(read.variable, read.index if isinstance(read, ReadElement) else None)


def _written_memory(target: Target) -> Iterator[tuple[Memory, Expression]]:
    if isinstance(target, Element):
        return _memory(target.variable, target.index)
    return _memory(target, None)


def _memory(variable: Variable, index: Expression | None) -> Iterator[tuple[Memory, Expression]]:
    """The locations in memory that may be meant, each with the condition that it is this one."""
    if variable.procedure is not None or variable.volatile:
        return
    if index is None:
        yield Memory(variable), TRUE
    elif isinstance(index, Constant):
        if 0 <= index.value < variable.length:
            yield Memory(variable, index.value), TRUE
    else:
        scalar = Bounded(0, variable.length - 1)
        for element in range(variable.length):
            yield Memory(variable, element), Binary("=", index, Constant(element, scalar))


def _evaluated(
    expression: Expression, when: Expression
) -> Iterator[tuple[Read | ReadElement, Expression]]:
    """Every read of an expression, and the condition under which evaluation comes to it."""
    match expression:
        case Binary():
            yield from _evaluated(expression.left, when)
            yield from _evaluated(expression.right, conjunction(when, _goes_on(expression)))
        case Conditional():
            yield from _evaluated(expression.condition, when)
            chosen, other = expression.condition, Unary("not", expression.condition)
            yield from _evaluated(expression.then, conjunction(when, chosen))
            yield from _evaluated(expression.otherwise, conjunction(when, other))
        case _:
            for operand in operands(expression):
                yield from _evaluated(operand, when)
    if isinstance(expression, Read | ReadElement):
        yield expression, when


def _goes_on(expression: Binary) -> Expression:
    """The condition under which the right side is evaluated after the left one."""
    match expression.operator:
        case "and" | "implies":
            return expression.left
        case "or":
            return Unary("not", expression.left)
    return evaluates(expression.left)


def _fits(value: Expression, scalar: Scalar) -> bool:
    """Whether a value can always be computed, and stored in a variable of this type."""
    if may_block(value):
        return False
    if scalar == THREAD:
        return True
    if isinstance(scalar, Bounded) and scalar.overflow != "block":
        return True
    return is_within(value, scalar.low, scalar.low + scalar.size - 1)
