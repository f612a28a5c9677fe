"""The control flow of one procedure: statements to locations and edges.

A statement is a location, and the continuation of a statement is the location of the next one;
joins have no location of their own. Falling off the end returns at once, so that the figures of
CUBA are reproduced exactly; only a call in last position needs a place to return to.

Atomic sections are flags of locations. Here they come from `atomic { … }` and from numeric labels
(Figure 1: «each labeled statement is executed atomically»), which open a step that goes on up to
the next label, but not past a call, and not over a loop head. Sections between `atomic_begin` and
`atomic_end` depend on the paths and are found afterwards (`sections`).

`build` numbers locations and handles forward references and returns from calls.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial, reduce
from typing import NamedTuple

from tepui.errors import InputError
from tepui.languages.boolean import syntax
from tepui.languages.boolean.actions import Actions, enforced
from tepui.languages.boolean.checks import Check, checks_of
from tepui.languages.boolean.scope import Scope, Signature
from tepui.program.build import Place, ProcedureBuilder
from tepui.program.drafts.draft import Creation, Draft
from tepui.program.expressions import (
    TRUE,
    Binary,
    Expression,
    Read,
    Unary,
    conjunction,
    either,
)
from tepui.program.program import (
    Assert,
    Assignment,
    End,
    Fork,
    Join,
    Position,
    Return,
    Step,
    Target,
)
from tepui.records import record, replace
from tepui.words import did_you_mean, shown

MAX_BLOCKS = 64


def control_flow(scope: Scope, dialect: syntax.Dialect) -> Control:
    """The control flow of the procedure that a scope belongs to. What is wrong with it has been
    noted; if nothing is, it has a draft."""
    return Control(scope, dialect)


@record
class _Step:
    """Whether the next statement belongs to the step of a numeric label, and whether threads may
    rest there nevertheless."""

    is_open: bool = False
    rests: bool = False


def _merged(steps: Sequence[_Step]) -> _Step:
    """The step that goes on where several paths meet."""
    return _Step(all(step.is_open for step in steps), any(step.rests for step in steps))


class _Leaving(NamedTuple):
    """Where `break` and `continue` lead; inside a `switch` the latter is that of the loop."""

    after: Place
    again: Place | None


class _Label(NamedTuple):
    position: Position
    section: Position | None
    """The `atomic` block around it."""


class _Jump(NamedTuple):
    """A `goto` to a label, which is looked up when all labels are known."""

    target: syntax.Name
    section: Position | None


class Control:
    """Translates the body of one procedure."""

    def __init__(self, scope: Scope, dialect: syntax.Dialect) -> None:
        self.scope = scope
        self.dialect = dialect
        self.complaints = scope.names.complaints
        signature = scope.signature
        self.procedure = signature.syntax
        self.actions = Actions(scope)
        self.graph = ProcedureBuilder(
            signature.name,
            signature.parameters,
            signature.locals,
            signature.results,
            self.procedure.position,
            self.procedure.end,
        )
        self.labels: dict[str, _Label] = {}
        self.repeated: dict[str, syntax.Label] = {}
        self.label_count = 0
        self.jumps: list[_Jump] = []
        self.leaving: list[_Leaving] = []
        self.step = _Step()
        self.section: Position | None = None
        self.depth = 0
        self.conditions, body = self._without_enforce()
        self._block(body, self.graph.end)
        for jump in self.jumps:
            with self.complaints:
                self._check(jump)

    def draft(self) -> Draft:
        """The control-flow graph."""
        draft = self.graph.draft()
        draft.edges = enforced(draft.edges, self.conditions)
        return draft

    def _without_enforce(self) -> tuple[list[Expression], Sequence[syntax.Statement]]:
        """The conditions that a body begins with, and the rest of it."""
        conditions = []
        body = self.procedure.body
        while body and isinstance(body[0], syntax.Enforce):
            conditions.append(self._condition(body[0].condition))
            body = body[1:]
        return conditions, body

    def _check(self, jump: _Jump) -> None:
        name = jump.target.name
        if name not in self.labels:
            raise self.scope.names.unknown(
                name,
                jump.target.position,
                f"expected a label of '{shown(self.procedure.name)}', found '{shown(name)}'"
                + did_you_mean(name, self.labels, "its labels are"),
            )
        if name in self.repeated:
            raise self._repeated(name)
        label = self.labels[name]
        if label.section not in (None, jump.section):
            raise self._error(
                jump.target.position,
                f"expected a label outside, found '{shown(name)}', which is inside "
                f"the atomic block of line {label.section.line if label.section else 0}",
            )

    def _repeated(self, name: str) -> InputError:
        return self._error(
            self.repeated[name].position,
            f"expected a new label, but line {self.labels[name].position.line} "
            f"already has '{shown(name)}'",
        )

    def _block(
        self, statements: Sequence[syntax.Statement], after: Place, first: Place | None = None
    ) -> Place:
        """Translate statements after which control goes to `after`. Returns the place where they
        begin: `first`, if that is given and there are any."""
        groups = list(_groups(statements))
        places = [*(self.graph.place() for _ in groups), after]
        if groups and first is not None:
            places[0] = first
        for group, place, next_place in zip(groups, places, places[1:], strict=False):
            with self.complaints:
                self._note_labels(group[0])
                self._statement(group, place, next_place)
        return places[0]

    def _nested(
        self, statements: Sequence[syntax.Statement], after: Place, first: Place | None = None
    ) -> Place:
        """A block inside a statement; labels in it close the step around it."""
        labels = self.label_count
        self.depth += 1
        if self.depth > MAX_BLOCKS:
            self.depth -= 1
            raise self._error(
                statements[0].position if statements else self.procedure.position,
                f"expected at most {MAX_BLOCKS} blocks inside each other, found more",
            )
        begin = self._block(statements, after, first)
        self.depth -= 1
        if self.label_count > labels:
            self.step = _Step()
        return begin

    def _note_labels(self, statement: syntax.Statement) -> None:
        self.label_count += len(statement.labels)
        for label in statement.labels:
            if label.name in self.labels:
                self.repeated.setdefault(label.name, label)
                if not self.dialect.repeated_labels:
                    raise self._repeated(label.name)
            self.labels.setdefault(label.name, _Label(label.position, self.section))
        if statement.labels:
            opens = any(label.opens_step for label in statement.labels)
            self.step = _Step(opens, opens)

    def _statement(self, group: Sequence[syntax.Statement], place: Place, after: Place) -> None:
        match statement := group[0]:
            case syntax.If():
                self._if(statement, place, after)
            case syntax.While():
                self._while(statement, place, after)
            case syntax.DoWhile():
                self._do(statement, place, after)
            case syntax.For():
                self._for(statement, place, after)
            case syntax.Switch():
                self._switch(statement, place, after)
            case syntax.Atomic():
                self._atomic(statement, place, after)
            case syntax.Call():
                self._call(statement, place, after)
            case syntax.ThreadCreate():
                self._create(group, place, after)
            case _:
                self._simple(statement, self._arrive(place, statement), after)

    def _if(self, statement: syntax.If, place: Place, after: Place) -> None:
        outcomes = []
        head: syntax.Statement = statement
        for number, branch in enumerate(statement.branches):
            source = self._arrive(place, head, branch)
            outside = self.step
            condition = self._condition(branch.condition)
            source = self._checked(source, branch.position, condition)
            then = self._nested(branch.body, after)
            outcomes.append(self.step)
            self.step = outside
            is_last = number + 1 == len(statement.branches)
            place = self._nested(statement.otherwise, after) if is_last else self.graph.place()
            self.graph.branch(source, condition, then, place)
            if statement.labels:
                head = replace(statement, labels=())
        outcomes.append(self.step)
        self.step = _merged(outcomes)

    def _while(self, statement: syntax.While, place: Place, after: Place) -> None:
        self._loop(statement, statement.condition, place, after, statement.body, None)

    def _for(self, statement: syntax.For, place: Place, after: Place) -> None:
        if statement.initial is not None:
            head = self.graph.place()
            first = replace(statement.initial, labels=statement.labels)
            with self.complaints:
                self._simple(first, self._arrive(place, first), head)
            place, statement = head, replace(statement, labels=())
        self._loop(statement, statement.condition, place, after, statement.body, statement.update)

    def _loop(
        self,
        statement: syntax.Statement,
        condition: syntax.Expression | None,
        place: Place,
        after: Place,
        body: Sequence[syntax.Statement],
        update: syntax.Statement | None,
    ) -> None:
        """A loop that begins with its condition, and whose rounds end with an update, if any."""
        self.step = replace(self.step, rests=True)
        source = self._arrive(place, statement)
        holds = TRUE if condition is None else self._condition(condition)
        source = self._checked(source, statement.position, holds)
        again = place if update is None else self.graph.place()
        with self._inside(_Leaving(after, again)):
            begin = self._nested(body, again)
        if update is not None:
            with self.complaints:
                self._simple(update, self._arrive(again, update), place)
        self.graph.branch(source, holds, begin, after)
        self.step = replace(self.step, rests=False)

    def _do(self, statement: syntax.DoWhile, place: Place, after: Place) -> None:
        test = self.graph.place()
        begin: Place | None = place
        if statement.labels or not statement.body:
            source = self._arrive(place, statement)
            begin = None
        with self._inside(_Leaving(after, test)):
            body = self._nested(statement.body, test, begin)
        if begin is None:
            self._goto(source, body)
        self.step = replace(self.step, rests=True)
        position, text = statement.test
        condition = self._condition(statement.condition)
        head = syntax.Skip(position, text)
        tested = self._checked(self._arrive(test, head), position, condition)
        self.graph.branch(tested, condition, body, after)

    def _switch(self, statement: syntax.Switch, place: Place, after: Place) -> None:
        source = self._arrive(place, statement)
        subject, values = self.actions.values.switch(statement)
        source = self._checked(source, statement.position, subject)
        entries: list[Place] = []
        following = after
        for case in reversed(statement.cases):
            following = self.graph.place() if case.body else following
            entries.insert(0, following)
        outside = self.step
        outcomes = [outside]
        for case, entry, behind in zip(
            statement.cases, entries, [*entries, after][1:], strict=True
        ):
            self.step = _merged([outside, self.step])
            with self._inside(_Leaving(after, None)):
                self._nested(case.body, behind, entry)
            outcomes.append(self.step)
        self.step = _merged(outcomes)
        self._cases(source, after, subject, list(zip(entries, values, strict=True)))

    def _cases(
        self,
        source: Place,
        after: Place,
        subject: Expression,
        cases: Sequence[tuple[Place, Sequence[Expression | None]]],
    ) -> None:
        """The steps from the head of a `switch` to its cases."""
        others: Expression = TRUE
        default = after
        for entry, values in cases:
            equal = [Binary("=", subject, value) for value in values if value is not None]
            if equal:
                guard = reduce(partial(Binary, "or"), equal)
                self._goto(source, entry, guard)
                others = conjunction(others, Unary("not", guard))
            if None in values:
                default = entry
        self._goto(source, default, others)

    @contextmanager
    def _inside(self, leaving: _Leaving) -> Iterator[None]:
        """The body of a loop or a `switch`."""
        self.leaving.append(leaving)
        try:
            yield
        finally:
            self.leaving.pop()

    def _atomic(self, statement: syntax.Atomic, place: Place, after: Place) -> None:
        source = self._arrive(place, statement)
        outside = self.section
        self.section = outside or statement.position
        with self.graph.atomic():
            self._goto(source, self._nested(statement.body, after))
        self.section = outside

    def _call(self, statement: syntax.Call, place: Place, after: Place) -> None:
        callee = self.scope.names.procedure(statement.procedure)
        arguments = self.actions.arguments(callee, statement)
        targets = self.actions.result_targets(callee, statement)
        source = self._arrive(place, statement)
        source = self._checked(source, statement.position, *arguments)
        if self._checks(targets):
            after, targets = self._assigned_later(statement, callee, targets, after)
        self.graph.call(source, after, callee.name, arguments, targets)
        if self.section is None:
            self.step = replace(self.step, rests=True)

    def _assigned_later(
        self,
        statement: syntax.Call,
        callee: Signature,
        targets: Sequence[Target | None],
        after: Place,
    ) -> tuple[Place, tuple[Target | None, ...]]:
        """A step that assigns the results of a call where that must be checked, and the variables
        that keep them until then."""
        kept = [
            None if target is None else self.graph.local(result)
            for target, result in zip(targets, callee.results, strict=True)
        ]
        between = self.graph.rest(statement.position, statement.text)
        assignments = tuple(
            Assignment(target, Read(variable))
            for target, variable in zip(targets, kept, strict=True)
            if target is not None and variable is not None
        )
        source = self._checked(between, statement.position, *targets)
        self.graph.add(Step(source, after, TRUE, assignments))
        return between, tuple(kept)

    def _create(self, group: Sequence[syntax.Statement], place: Place, after: Place) -> None:
        """One step for thread creations that follow each other."""
        creations = []
        for statement in group:
            if isinstance(statement, syntax.ThreadCreate):
                callee = self.scope.names.procedure(statement.procedure)
                arguments = self.actions.arguments(callee, statement)
                creation = Creation(callee.name, arguments, statement.count, statement.position)
                creations.append(creation)
        text = "; ".join(statement.text for statement in group)
        source = self._arrive(place, replace(group[0], text=text))
        passed = [value for creation in creations for value in creation.arguments]
        source = self._checked(source, group[0].position, *passed)
        self.graph.create(source, after, creations)

    def _simple(self, statement: syntax.Statement, source: Place, after: Place) -> None:
        match statement:
            case syntax.Goto():
                for target in statement.targets:
                    self._goto(source, self._jump(target, self.section))
            case syntax.StartGoto():
                self.jumps.append(_Jump(statement.target, None))
                creation = Creation(
                    self.procedure.name, position=statement.position, label=statement.target.name
                )
                self.graph.create(source, after, [creation])
            case syntax.Async():
                callee = self.scope.names.procedure(statement.procedure)
                arguments = self.actions.arguments(callee, statement)
                variable = self.actions.identity(statement)
                source = self._checked(source, statement.position, *arguments)
                self.graph.add(Fork(source, after, callee.name, arguments, variable))
            case syntax.AtomicBegin():
                self.graph.begin_atomic(source, after)
            case syntax.AtomicEnd():
                self.graph.end_atomic(source, after)
            case syntax.Return():
                values = self.actions.returned(statement)
                source = self._checked(source, statement.position, *values)
                self.graph.add(Return(source, values))
            case syntax.EndThread():
                self.graph.add(End(source))
            case _:
                self._action(statement, source, after)

    def _action(self, statement: syntax.Statement, source: Place, after: Place) -> None:
        """A statement that only goes on to the next one."""
        values = self.actions.values
        match statement:
            case syntax.Skip():
                self._goto(source, after)
            case syntax.Break() | syntax.Continue():
                self._goto(source, self._left(statement))
            case syntax.Join():
                thread = values.thread(statement.thread)
                self.graph.add(Join(source, after, thread))
            case syntax.Assume():
                condition = values.condition(statement.condition)
                source = self._checked(source, statement.position, condition)
                self._goto(source, after, either(condition)[0])
            case syntax.AbortIf():
                self._goto(source, after, either(values.condition(statement.condition))[1])
            case syntax.Assert():
                condition = values.condition(statement.condition)
                source = self._checked(source, statement.position, condition)
                self.graph.add(Assert(source, after, condition))
            case syntax.Assign() | syntax.Dead():
                assignments, constraint = self.actions.assigned(statement)
                parts = [part for each in assignments for part in (each.target, each.value)]
                source = self._checked(source, statement.position, *parts)
                self.graph.add(Step(source, after, TRUE, assignments, constraint))
            case syntax.Enforce():
                raise self._error(
                    statement.position, "expected 'enforce' first in its procedure, found it here"
                )
            case syntax.Unsupported():
                raise self._error(
                    statement.position, f"tepui does not support '{shown(statement.construct)}'"
                )

    def _left(self, statement: syntax.Break | syntax.Continue) -> Place:
        """Where `break` or `continue` leads."""
        if isinstance(statement, syntax.Break) and self.leaving:
            return self.leaving[-1].after
        for leaving in reversed(self.leaving):
            if leaving.again is not None and isinstance(statement, syntax.Continue):
                return leaving.again
        what = "a loop or a 'switch'" if isinstance(statement, syntax.Break) else "a loop"
        raise self._error(
            statement.position, f"expected '{statement.text}' inside {what}, found it outside"
        )

    def _checks(self, parts: Iterable[Expression | Target | None]) -> list[Check]:
        return checks_of(parts, self.dialect.overflow)

    def _checked(
        self, source: Place, position: Position, *parts: Expression | Target | None
    ) -> Place:
        """The place from which a statement goes on when everything is checked that it needs: the
        assertions and the statement are one step."""
        for check in self._checks(parts):
            inside = self.graph.rest(position, atomic=True)
            self.graph.add(
                Assert(source, inside, check.condition, kind=check.kind, message=check.message)
            )
            source = inside
        return source

    def _condition(self, node: syntax.Expression) -> Expression:
        """A condition. If it is wrong, that is noted, so that the statements behind it are looked
        at, too."""
        with self.complaints:
            return self.actions.values.condition(node)
        return TRUE

    def _jump(self, target: syntax.Name, section: Position | None) -> Place:
        self.jumps.append(_Jump(target, section))
        return self.graph.label(target.name)

    def _arrive(
        self,
        place: Place,
        statement: syntax.Statement,
        branch: syntax.Branch | None = None,
    ) -> Place:
        """Give a place its location."""
        atomic = self.step.is_open and not self.step.rests
        where = branch or statement
        labels = [label.name for label in statement.labels]
        self.graph.rest(where.position, where.text, labels, at=place, atomic=atomic)
        if self.step.rests:
            self.step = replace(self.step, rests=False)
        return place

    def _goto(self, source: Place, target: Place, guard: Expression = TRUE) -> None:
        self.graph.add(Step(source, target, guard))

    def _error(self, position: Position, message: str) -> InputError:
        return self.scope.names.error(position, message)


def _groups(statements: Sequence[syntax.Statement]) -> Iterator[list[syntax.Statement]]:
    """Groups of one statement each, except that consecutive thread creations are one group."""
    group: list[syntax.Statement] = []
    for statement in statements:
        creates = isinstance(statement, syntax.ThreadCreate) and not statement.labels
        if creates and group and isinstance(group[0], syntax.ThreadCreate):
            group.append(statement)
            continue
        if group:
            yield group
        group = [statement]
    if group:
        yield group
