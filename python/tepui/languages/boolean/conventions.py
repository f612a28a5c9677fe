"""The conventions of the dialects with `begin` and `end`: syntax tree to syntax tree.

All of them: variables start with any value unless they are given one, a label `SLIC_ERROR` marks an
error, a label to which no `goto` leads may mark several places, and a procedure with results that
falls off its end returns any values.

SLAM and boppo: a call under a label that begins with `ASYNC_` creates a thread that makes it.

Getafix: if the first procedure is `init`, it is never called, and no statement creates a thread,
then `init` runs first. Where it ends, one thread starts for each procedure that is called `main` or
whose name begins with `thread`, in any case. The global `atomic`, if there is one, is the scheduler
lock. Getafix wants it declared first and set to F in `init`; public files forget the latter, so it
starts as 0 unless it is given a value. An older file declares `super_atomic` before it and never
uses it: that is an ordinary variable as long as it is never assigned, and refused otherwise. The
`assume(T)` with which Getafix wants every thread to end is a step like any other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from tepui.errors import InputError
from tepui.languages.boolean.syntax import (
    Assign,
    Async,
    Call,
    Declaration,
    Goto,
    If,
    Label,
    Name,
    Number,
    Procedure,
    Return,
    StartGoto,
    Statement,
    SyntaxTree,
    ThreadCreate,
    While,
)
from tepui.languages.source import Source
from tepui.records import replace

ERROR_LABEL = "SLIC_ERROR"
ASYNCHRONOUS = "ASYNC_"
FIRST = "init"
LOCK = "atomic"
OLD_LOCK = "super_atomic"
END_OF_FIRST = "end of init"
"""The label to which a `return` in `init` leads; labels in texts cannot contain its blank."""


def apply_conventions(tree: SyntaxTree) -> SyntaxTree:
    """The same program, with everything explicit that the dialects leave implicit."""
    errors = list(tree.errors)
    tree = replace(
        tree,
        procedures=tuple(
            _with_asynchronous_calls(tree.source, procedure, errors)
            for procedure in tree.procedures
        ),
        dialect=replace(
            tree.dialect,
            error_labels=(ERROR_LABEL,),
            falls_off_with_any_result=True,
            repeated_labels=True,
        ),
        errors=tuple(errors),
    )
    return _as_in_getafix(tree) if _is_getafix(tree) else tree


def _with_asynchronous_calls(
    source: Source, procedure: Procedure, errors: list[InputError]
) -> Procedure:
    def created(statement: Statement) -> Statement:
        labels = [label for label in statement.labels if label.name.startswith(ASYNCHRONOUS)]
        if not labels:
            return statement
        match statement:
            case Call(targets=()):
                return ThreadCreate(
                    statement.position,
                    statement.text,
                    statement.procedure,
                    statement.arguments,
                    labels=statement.labels,
                )
        name, position = labels[0].name, labels[0].position
        message = f"expected a call without results: the label '{name}' makes it a new thread"
        errors.append(source.error(position.line, position.column, message))
        return statement

    return replace(procedure, body=_rewritten(procedure.body, created))


def _is_getafix(tree: SyntaxTree) -> bool:
    if not tree.procedures or tree.procedures[0].name != FIRST:
        return False
    for procedure in tree.procedures:
        for statement in _all_statements(procedure.body):
            match statement:
                case ThreadCreate() | StartGoto() | Async() | Call(procedure=Name(name="init")):
                    return False
    return any(map(_is_thread, tree.procedures))


def _is_thread(procedure: Procedure) -> bool:
    return procedure.name == "main" or procedure.name.lower().startswith("thread")


def _as_in_getafix(tree: SyntaxTree) -> SyntaxTree:
    first, *others = tree.procedures
    threads = list(filter(_is_thread, others))
    return replace(
        tree,
        errors=(*tree.errors, *_unfit_threads(tree, threads), *_old_locks(tree)),
        globals=tuple(map(_open_at_first, tree.globals)),
        procedures=(_creating(first, [each for each in threads if not each.parameters]), *others),
        dialect=replace(tree.dialect, main=FIRST, omit_main=False, lock=LOCK),
    )


def _unfit_threads(tree: SyntaxTree, threads: list[Procedure]) -> Iterator[InputError]:
    """The errors about threads that want arguments."""
    for thread in threads:
        if thread.parameters:
            position = thread.parameters[0].position
            message = f"expected no parameters, because '{thread.name}' is run as a thread"
            yield tree.source.error(position.line, position.column, message)


def _open_at_first(declaration: Declaration) -> Declaration:
    """The lock is open unless the program says otherwise."""
    if declaration.name != LOCK or declaration.initial is not None:
        return declaration
    return replace(declaration, initial=Number(declaration.position, 0))


def _old_locks(tree: SyntaxTree) -> Iterator[InputError]:
    """The errors about assignments to the lock that is none any more."""
    if all(declaration.name != OLD_LOCK for declaration in tree.globals):
        return
    for procedure in tree.procedures:
        for statement in _all_statements(procedure.body):
            for target in statement.targets if isinstance(statement, Assign | Call) else ():
                if isinstance(target, Name) and target.name == OLD_LOCK:
                    position = target.position
                    message = f"expected '{LOCK}', the only scheduler lock, found '{OLD_LOCK}'"
                    yield tree.source.error(position.line, position.column, message)


def _creating(first: Procedure, threads: list[Procedure]) -> Procedure:
    """`init` with the creation of all threads at its end, to which every `return` leads."""

    def to_the_end(statement: Statement) -> Statement:
        if not isinstance(statement, Return) or statement.values:
            return statement
        return Goto(
            statement.position,
            statement.text,
            (Name(statement.position, END_OF_FIRST),),
            labels=statement.labels,
        )

    returns = any(isinstance(statement, Return) for statement in _all_statements(first.body))
    creations = [
        ThreadCreate(first.end, f"start_thread {thread.name}()", Name(first.end, thread.name))
        for thread in threads
    ]
    if returns and creations:
        creations[0] = replace(creations[0], labels=(Label(first.end, END_OF_FIRST),))
    return replace(first, body=(*_rewritten(first.body, to_the_end), *creations))


def _rewritten(
    body: Iterable[Statement], change: Callable[[Statement], Statement]
) -> tuple[Statement, ...]:
    """A body with every statement changed, the inner ones first."""
    return tuple(change(_with_inner(statement, change)) for statement in body)


def _with_inner(statement: Statement, change: Callable[[Statement], Statement]) -> Statement:
    match statement:
        case If():
            return replace(
                statement,
                branches=tuple(
                    replace(branch, body=_rewritten(branch.body, change))
                    for branch in statement.branches
                ),
                otherwise=_rewritten(statement.otherwise, change),
            )
        case While():
            return replace(statement, body=_rewritten(statement.body, change))
    return statement


def _all_statements(body: Iterable[Statement]) -> Iterator[Statement]:
    """The statements of a body and everything inside them."""
    for statement in body:
        yield statement
        match statement:
            case If():
                for branch in statement.branches:
                    yield from _all_statements(branch.body)
                yield from _all_statements(statement.otherwise)
            case While():
                yield from _all_statements(statement.body)
