"""Removes results that nothing can receive.

A procedure that is run by threads but never called has no results. Its `return` still evaluates
them, and waits where they cannot be returned: they are assigned to local variables that are never
read.
"""

from __future__ import annotations

from tepui.program.calls import called_by
from tepui.program.expressions import Variable
from tepui.program.program import Assignment, Procedure, Program, Return, Step
from tepui.records import replace


def without_lost_results(program: Program) -> Program:
    """The program in which only procedures that are called have results."""
    called = called_by(edge for procedure in program.procedures for edge in procedure.edges)
    procedures = tuple(
        procedure if procedure.name in called else _without_results(procedure)
        for procedure in program.procedures
    )
    return replace(program, procedures=procedures)


def _without_results(procedure: Procedure) -> Procedure:
    lost = tuple(
        Variable(f"returned.{number}", result, procedure.name)
        for number, result in enumerate(procedure.results)
    )
    edges = tuple(
        Step(edge.source, None, edge.guard, tuple(map(Assignment, lost, edge.values)))
        if isinstance(edge, Return) and lost
        else edge
        for edge in procedure.edges
    )
    variables = (*procedure.variables, *lost)
    return replace(procedure, edges=edges, results=(), variables=variables)
