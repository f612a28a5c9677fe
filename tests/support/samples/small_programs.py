"""Short ways to write programs for tests directly, and to look at the states they reach."""

from __future__ import annotations

from support.oracles.program_interpreter import Activation, State
from support.oracles.programs import Findings, explore
from tepui.program.expressions import Binary, Constant, Expression, Variable
from tepui.program.program import (
    NOWHERE,
    Assignment,
    Edge,
    End,
    Location,
    Procedure,
    Program,
    Return,
    Step,
    Target,
    Thread,
)
from tepui.program.types import Scalar
from tepui.program.validate import validate


def procedure(
    name: str,
    *edges: Edge,
    atomic: tuple[int, ...] = (),
    variables: tuple[Variable, ...] = (),
    parameters: int = 0,
    results: tuple[Scalar, ...] = (),
) -> Procedure:
    """A procedure with as many locations as its edges name; each has its own name as label."""
    named = {0, *(edge.source for edge in edges)}
    named |= {edge.target or 0 for edge in edges if not isinstance(edge, Return | End)}
    locations = tuple(
        Location(NOWHERE, labels=(f"{name}{number}",), atomic=number in atomic)
        for number in range(max(named) + 1)
    )
    return Procedure(name, locations, edges, variables, parameters, results)


def running(
    *procedures: Procedure,
    others: tuple[Procedure, ...] = (),
    globals: tuple[Variable, ...] = (),  # noqa: A002
) -> Program:
    """A program with a thread for each procedure, and other procedures to call."""
    threads = tuple(Thread(each.name, each.name) for each in procedures)
    return valid(Program((*procedures, *others), threads, globals))


def alone(
    *edges: Edge,
    atomic: tuple[int, ...] = (),
    variables: tuple[Variable, ...] = (),
    globals: tuple[Variable, ...] = (),  # noqa: A002
) -> Program:
    """A program with one thread, which runs a procedure `t`."""
    return running(procedure("t", *edges, atomic=atomic, variables=variables), globals=globals)


def valid(program: Program) -> Program:
    validate(program)
    return program


def put(source: int, target: int | None, to: Target, value: Expression) -> Step:
    """One assignment."""
    return Step(source, target, assignments=(Assignment(to, value),))


def plus(expression: Expression, number: int) -> Expression:
    return Binary("+", expression, Constant(number))


def found(program: Program) -> Findings:
    """All that brute force finds, to the end."""
    findings = explore(valid(program))
    assert findings.collapsed
    assert findings.exact is None
    return findings


def final_values(program: Program) -> set[tuple[tuple[int, ...], ...]]:
    """The values of the global variables when all threads are over."""
    return {
        state.globals
        for state in found(program).rounds[-1]
        if all(stack == () for stack in state.stacks)
    }


def final_scalars(program: Program) -> set[tuple[int, ...]]:
    """The same where there are no arrays."""
    return {tuple(value for (value,) in values) for values in final_values(program)}


def scalars(state: State) -> tuple[int, ...]:
    """The values of the global variables of a state, none of them an array."""
    return tuple(value for (value,) in state.globals)


def top(state: State, thread: int = 0) -> Activation | None:
    """The running activation of a thread, if it has one."""
    stack = state.stacks[thread]
    return stack[-1] if stack else None


def place(program: Program, state: State, thread: int = 0) -> tuple[str, int] | None:
    """In which procedure and where the running activation of a thread is."""
    running_one = top(state, thread)
    if running_one is None:
        return None
    return program.procedures[running_one.procedure].name, running_one.location
