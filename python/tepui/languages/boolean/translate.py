"""Syntax trees of Boolean programs, from either surface syntax, to Programs.

Every procedure is translated and checked, even if nothing ever runs it. The parts: `scope` (names),
`expressions` (with their types), `actions` and `control` (statements), and `build`, which makes the
Program.
"""

from __future__ import annotations

from tepui.languages.boolean import syntax
from tepui.languages.boolean.control import control_flow
from tepui.languages.boolean.scope import Declarations, declare, scope_of
from tepui.languages.boolean.syntax import Dialect, SyntaxTree
from tepui.program.build import ProgramBuilder
from tepui.program.calls import called_by, forked_by
from tepui.program.drafts.draft import Creation, Draft, Drafts
from tepui.program.drafts.sections import mark_sections
from tepui.program.expressions import Variable, reads
from tepui.program.program import Assert, End, Fork, Program, Thread
from tepui.program.types import BOOLEAN
from tepui.words import did_you_mean, shown


def translate(tree: SyntaxTree) -> Program:
    """The Program of a syntax tree, or an InputError for everything that is wrong with it."""
    names = declare(tree)
    dialect, complaints = tree.dialect, names.complaints
    if dialect.main not in names.procedures and not tree.errors:
        with complaints:
            raise tree.source.error_at_end(
                f"expected a procedure '{dialect.main}', which runs first, found none"
                + did_you_mean(dialect.main, names.procedures)
            )
    graphs = [
        control_flow(scope_of(names, signature), dialect) for signature in names.procedures.values()
    ]
    complaints.raise_all()
    drafts = [graph.draft() for graph in graphs]
    builder = ProgramBuilder(
        tree.source.stem,
        names.globals.values(),
        lock=_lock(names, dialect),
        error_labels=dialect.error_labels,
        warnings=tuple(dict.fromkeys((*tree.warnings, *names.warnings))),
        refuse=names.error,
    )
    called = called_by(edge for draft in drafts for edge in draft.edges)
    for draft in drafts:
        with complaints:
            mark_sections(draft, names.error)
            _check_end(names, draft, dialect)
            _check_ends_of_threads(names, draft, called)
        builder.add(draft)
    complaints.raise_all()
    builder.run_named(dialect.main, dialect.main)
    builder.settle_creations()
    if dialect.omit_main and _only_creates(names, builder.drafts, dialect.main):
        builder.leave_out(dialect.main)
    _check_results(names, builder.threads, called)
    return builder.finish()


def _check_end(names: Declarations, draft: Draft, dialect: Dialect) -> None:
    """Check that a procedure with results does not fall off its end."""
    if draft.results and not dialect.falls_off_with_any_result and draft.falls_off():
        raise names.error(
            names.procedures[draft.name].syntax.end,
            f"expected 'return' on every path through '{shown(draft.name)}', "
            "found one that ends here",
        )


def _check_ends_of_threads(names: Declarations, draft: Draft, called: frozenset[str]) -> None:
    """Check that a thread ends only where its stack has one frame."""
    for edge in draft.edges:
        if isinstance(edge, End) and draft.name in called:
            raise names.error(
                draft.locations[edge.source].position,
                f"expected 'end_thread' only in procedures that are not called, "
                f"found it in '{shown(draft.name)}'",
            )


def _check_results(
    names: Declarations, threads: tuple[Thread, ...], called: frozenset[str]
) -> None:
    """Check that a thread has no results, since nothing receives them."""
    for thread in threads:
        signature = names.procedures[thread.procedure]
        if signature.results and thread.procedure in called:
            raise names.error(
                signature.syntax.position,
                f"expected no results of '{shown(thread.procedure)}', which is both run by "
                "a thread and called, found some",
            )


def _only_creates(names: Declarations, drafts: Drafts, main: str) -> bool:
    """Whether main only creates threads, with values that are known beforehand and never fail, and
    has no labels except program counters. Then it is not a thread itself (CUBA, section 2.1: «we
    omit the main thread»)."""
    body = names.procedures[main].syntax.body
    labels = [label.name for statement in body for label in statement.labels]
    creations = drafts[main].all_creations()
    edges = [edge for draft in drafts.values() for edge in draft.edges]
    return (
        bool(creations)
        and not any(isinstance(edge, Fork | Assert) for edge in drafts[main].edges)
        and all(isinstance(statement, syntax.ThreadCreate) for statement in body)
        and all(map(str.isdigit, labels))
        and not any(map(_reads_variables, creations))
        and main not in called_by(edges)
        and main not in forked_by(edges)
    )


def _reads_variables(creation: Creation) -> bool:
    return any(True for argument in creation.arguments for _ in reads(argument))


def _lock(names: Declarations, dialect: Dialect) -> Variable | None:
    lock = names.globals.get(dialect.lock or "")
    return lock if lock is not None and lock.type == BOOLEAN else None
