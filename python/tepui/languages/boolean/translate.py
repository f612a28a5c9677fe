"""Syntax trees of Boolean programs, in whatever way they were written, to Programs.

Every procedure is translated and checked, also one that nothing ever runs. The parts: `scope`
(names), `values` (expressions and types), `actions` and `control` (statements), `sections` (atomic
sections by path), `executions`, `forks` and `threads`.
"""

from __future__ import annotations

from dataclasses import replace

from tepui.languages.boolean.control import control_flow
from tepui.languages.boolean.flow import Flow
from tepui.languages.boolean.scope import Names, declare, scope_of
from tepui.languages.boolean.sections import mark_sections
from tepui.languages.boolean.syntax import Dialect, SyntaxTree
from tepui.languages.boolean.threads import arrange_threads
from tepui.languages.tokens import shown
from tepui.program.calls import called_by
from tepui.program.expressions import Variable
from tepui.program.passes.receipts import with_harmless_receipts
from tepui.program.program import Assignment, End, Procedure, Program, Return, Step, Thread
from tepui.program.types import BOOLEAN


def translate(tree: SyntaxTree) -> Program:
    """The Program of a syntax tree, or an InputError for the first thing that is wrong with it."""
    names = declare(tree)
    dialect = tree.dialect
    if dialect.main not in names.procedures:
        raise tree.source.error_at_end(
            f"expected a procedure '{dialect.main}', which runs first, found none"
        )
    flows = {
        name: control_flow(scope_of(names, signature), dialect)
        for name, signature in names.procedures.items()
    }
    called = called_by(edge for flow in flows.values() for edge in flow.edges)
    for flow in flows.values():
        mark_sections(names, flow)
        _check_end(names, flow, dialect)
        _check_ends_of_threads(names, flow, called)
    threads = arrange_threads(names, flows, dialect)
    _check_results(names, threads, called)
    program = Program(
        tuple(_procedure(flow, called) for flow in flows.values()),
        threads,
        tuple(names.globals.values()),
        _lock(names, dialect),
        tree.source.stem,
        dialect.error_labels,
        tuple(dict.fromkeys((*tree.warnings, *names.warnings))),
    )
    return with_harmless_receipts(program)


def _check_end(names: Names, flow: Flow, dialect: Dialect) -> None:
    """A procedure with results does not fall off its end."""
    if (
        flow.signature.results
        and flow.end in flow.reached_from(flow.starts())
        and not dialect.falls_off_with_any_result
    ):
        raise names.error(
            flow.signature.syntax.end,
            f"expected 'return' on every path through '{shown(flow.signature.name)}', "
            "found one that ends here",
        )


def _check_ends_of_threads(names: Names, flow: Flow, called: frozenset[str]) -> None:
    """A thread ends only where its stack has one frame."""
    for edge in flow.edges:
        if isinstance(edge, End) and flow.signature.name in called:
            raise names.error(
                flow.locations[edge.source].position,
                f"expected 'end_thread' only in procedures that are not called, "
                f"found it in '{shown(flow.signature.name)}'",
            )


def _check_results(names: Names, threads: tuple[Thread, ...], called: frozenset[str]) -> None:
    """Nobody takes the results of a thread."""
    for thread in threads:
        signature = names.procedures[thread.procedure]
        if signature.results and thread.procedure in called:
            raise names.error(
                signature.syntax.position,
                f"expected no results of '{shown(thread.procedure)}', which is both run by "
                "a thread and called, found some",
            )


def _procedure(flow: Flow, called: frozenset[str]) -> Procedure:
    """A procedure of the Program, without results if nobody can take them.

    Its `return` still evaluates them, and waits where they cannot be returned: they are assigned to
    variables of its own that nobody reads.
    """
    procedure = flow.procedure()
    if not procedure.results or procedure.name in called:
        return procedure
    lost = tuple(
        Variable(f"returned.{number}", result, procedure.name)
        for number, result in enumerate(procedure.results)
    )
    edges = tuple(
        Step(edge.source, None, edge.guard, tuple(map(Assignment, lost, edge.values)))
        if isinstance(edge, Return)
        else edge
        for edge in procedure.edges
    )
    variables = (*procedure.variables, *lost)
    return replace(procedure, edges=edges, results=(), variables=variables)


def _lock(names: Names, dialect: Dialect) -> Variable | None:
    lock = names.globals.get(dialect.lock or "")
    return lock if lock is not None and lock.type == BOOLEAN else None
