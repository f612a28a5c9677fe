"""The control flow of one procedure: statements to locations and edges.

A statement is a location, and the continuation of a statement is the location of the next one;
joins get none of their own. Falling off the end returns at once, so that the figures of CUBA come
out exactly; only a call in last position needs a place to come back to.

Atomic sections are flags of locations. Here they come from `atomic { … }` and from numeric labels
(Figure 1: «each labeled statement is executed atomically»), which open a step that goes on up to
the next label, but not past a call, and not over a loop head. Sections between `atomic_begin` and
`atomic_end` depend on the paths and are found afterwards (`sections`).

A Create has no threads yet; `threads` fills them in or makes it a Fork.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from tepui.errors import InputError
from tepui.languages.boolean import syntax
from tepui.languages.boolean.actions import Actions, enforced
from tepui.languages.boolean.flow import Flow, Request
from tepui.languages.boolean.scope import Scope, did_you_mean
from tepui.languages.tokens import shown
from tepui.program.expressions import TRUE, Choice, Expression, either
from tepui.program.program import (
    Assert,
    Call,
    Create,
    Edge,
    End,
    Fork,
    Join,
    Location,
    Position,
    Receive,
    Return,
    Step,
    target_of,
)

MAX_BLOCKS = 64


def control_flow(scope: Scope, dialect: syntax.Dialect) -> Flow:
    """The control-flow graph of the procedure that a scope belongs to."""
    return _Builder(scope, dialect).build()


@dataclass(slots=True, eq=False)
class _Place:
    """A location that may have no number yet; the end of a procedure may never get one."""

    number: int | None = None


@dataclass(frozen=True, slots=True)
class _Step:
    """Whether the next statement belongs to the step of a numeric label, and whether it is a place
    to rest nevertheless."""

    is_open: bool = False
    rests: bool = False


class _Label(NamedTuple):
    position: Position
    place: _Place
    section: Position | None
    """The `atomic` block around it."""


class _Jump(NamedTuple):
    """A label that is gone to, to be looked up when all of them are known."""

    target: syntax.Name
    place: _Place
    section: Position | None


class _Builder:
    def __init__(self, scope: Scope, dialect: syntax.Dialect) -> None:
        self.scope = scope
        self.dialect = dialect
        self.procedure = scope.signature.syntax
        self.actions = Actions(scope)
        self.locations: list[Location] = []
        self.edges: list[Callable[[], Edge]] = []
        self.creations: dict[int, tuple[Request, ...]] = {}
        self.starts: dict[int, _Place] = {}
        self.labels: dict[str, _Label] = {}
        self.repeated: dict[str, syntax.Label] = {}
        self.label_count = 0
        self.jumps: list[_Jump] = []
        self.landings: list[tuple[_Place, _Place, Position]] = []
        self.begins: set[int] = set()
        self.ends: set[int] = set()
        self.step = _Step()
        self.section: Position | None = None
        self.depth = 0
        self.end = _Place()
        self.end_is_a_place = bool(self.procedure.results)

    def build(self) -> Flow:
        conditions, body = self._without_enforce()
        if self._block(body, self.end) is self.end:
            self.end_is_a_place = True
        for jump in self.jumps:
            jump.place.number = self._label(jump).place.number
        for source, place in self.starts.items():
            self.creations[source] = (replace(self.creations[source][0], start=place.number),)
        self._add_landings()
        edges = self._made_edges()
        return Flow(
            self.scope.signature,
            self.locations,
            enforced(edges, conditions),
            self.creations,
            frozenset(self.begins),
            frozenset(self.ends),
            self.end.number,
        )

    def _without_enforce(self) -> tuple[list[Expression], Sequence[syntax.Statement]]:
        """The conditions that a body begins with, and the rest of it."""
        conditions = []
        body = self.procedure.body
        while body and isinstance(body[0], syntax.Enforce):
            conditions.append(self.actions.values.condition(body[0].condition))
            body = body[1:]
        return conditions, body

    def _label(self, jump: _Jump) -> _Label:
        name = jump.target.name
        if name not in self.labels:
            raise self._error(
                jump.target.position,
                f"expected a label of '{shown(self.procedure.name)}', found '{shown(name)}'"
                + did_you_mean(name, self.labels),
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
        return label

    def _repeated(self, name: str) -> InputError:
        return self._error(
            self.repeated[name].position,
            f"expected a new label, but line {self.labels[name].position.line} "
            f"already has '{shown(name)}'",
        )

    def _add_landings(self) -> None:
        """Let every call inside an `atomic` block come back to a location inside it."""
        for landing, target, position in self.landings:
            if target.number is not None and self.locations[target.number].atomic:
                landing.number = target.number
            else:
                landing.number = self._add(Location(position, atomic=True))
                self._goto(landing.number, target)

    def _made_edges(self) -> list[Edge]:
        """The edges in the order of their sources, now that all places have numbers."""
        if self.end_is_a_place:
            self.end.number = len(self.locations)
        edges = [make() for make in self.edges]
        end = self.end.number
        if end is not None and (end == 0 or any(target_of(edge) == end for edge in edges)):
            self._add(Location(self.procedure.end))
            if not self.procedure.results:
                edges = [_leaving_at(end, edge) for edge in edges]
            edges.append(Return(end, tuple(map(Choice, self.procedure.results))))
        return sorted(edges, key=lambda edge: edge.source)

    def _block(self, statements: Sequence[syntax.Statement], after: _Place) -> _Place:
        """Translate statements after which control goes to `after`; the place where they begin."""
        groups = list(_groups(statements))
        places = [*(_Place() for _ in groups), after]
        for group, place, next_place in zip(groups, places, places[1:], strict=False):
            self._note_labels(group[0], place)
            self._statement(group, place, next_place)
        return places[0]

    def _nested(self, statements: Sequence[syntax.Statement], after: _Place) -> _Place:
        """A block inside a statement; labels in it close the step around it."""
        labels = self.label_count
        self.depth += 1
        if self.depth > MAX_BLOCKS:
            raise self._error(
                statements[0].position if statements else self.procedure.position,
                f"expected at most {MAX_BLOCKS} blocks inside each other, found more",
            )
        first = self._block(statements, after)
        self.depth -= 1
        if self.label_count > labels:
            self.step = _Step()
        return first

    def _note_labels(self, statement: syntax.Statement, place: _Place) -> None:
        self.label_count += len(statement.labels)
        for label in statement.labels:
            if label.name in self.labels:
                self.repeated.setdefault(label.name, label)
                if not self.dialect.repeated_labels:
                    raise self._repeated(label.name)
            self.labels.setdefault(label.name, _Label(label.position, place, self.section))
        if statement.labels:
            opens = any(label.opens_step for label in statement.labels)
            self.step = _Step(opens, opens)

    def _statement(self, group: Sequence[syntax.Statement], place: _Place, after: _Place) -> None:
        match statement := group[0]:
            case syntax.If():
                self._if(statement, place, after)
            case syntax.While():
                self._while(statement, place, after)
            case syntax.Atomic():
                self._atomic(statement, place, after)
            case syntax.Call():
                self._call(statement, place, after)
            case syntax.ThreadCreate():
                self._create(group, place, after)
            case _:
                self._simple(statement, self._arrive(place, statement), after)

    def _if(self, statement: syntax.If, place: _Place, after: _Place) -> None:
        outcomes = []
        head: syntax.Statement = statement
        for number, branch in enumerate(statement.branches):
            source = self._arrive(place, head, branch)
            outside = self.step
            yes, no = either(self.actions.values.condition(branch.condition))
            then = self._nested(branch.body, after)
            outcomes.append(self.step)
            self.step = outside
            is_last = number + 1 == len(statement.branches)
            place = self._nested(statement.otherwise, after) if is_last else _Place()
            self._goto(source, then, yes)
            self._goto(source, place, no)
            head = replace(statement, labels=())
        outcomes.append(self.step)
        self.step = _Step(
            all(outcome.is_open for outcome in outcomes), any(o.rests for o in outcomes)
        )

    def _while(self, statement: syntax.While, place: _Place, after: _Place) -> None:
        self.step = replace(self.step, rests=True)
        source = self._arrive(place, statement)
        enter, leave = either(self.actions.values.condition(statement.condition))
        self._goto(source, self._nested(statement.body, place), enter)
        self._goto(source, after, leave)
        self.step = replace(self.step, rests=False)

    def _atomic(self, statement: syntax.Atomic, place: _Place, after: _Place) -> None:
        source = self._arrive(place, statement)
        outside = self.section
        self.section = outside or statement.position
        self._goto(source, self._nested(statement.body, after))
        self.section = outside

    def _call(self, statement: syntax.Call, place: _Place, after: _Place) -> None:
        callee = self.scope.names.procedure(statement.procedure)
        arguments = self.actions.arguments(callee, statement)
        targets = self.actions.result_targets(callee, statement)
        source = self._arrive(place, statement)
        if callee.results:
            receipt = self._add(Location(statement.position, atomic=self.section is not None))
            self._edge(lambda: Call(source, receipt, callee.name, arguments))
            self._edge(lambda: Receive(receipt, after.number, targets))
        else:
            back = self._place_after_call(after, statement.position)
            self._edge(lambda: Call(source, _number(back), callee.name, arguments))
        if self.section is None:
            self.step = replace(self.step, rests=True)

    def _place_after_call(self, after: _Place, position: Position) -> _Place:
        if self.section is not None:
            landing = _Place()
            self.landings.append((landing, after, position))
            return landing
        if after is self.end:
            self.end_is_a_place = True
        return after

    def _create(self, group: Sequence[syntax.Statement], place: _Place, after: _Place) -> None:
        """One step for thread creations that follow each other."""
        requests = []
        for statement in group:
            if isinstance(statement, syntax.ThreadCreate):
                callee = self.scope.names.procedure(statement.procedure)
                arguments = self.actions.arguments(callee, statement)
                requests.append(Request(statement, callee.name, arguments))
        text = "; ".join(statement.text for statement in group)
        source = self._arrive(place, replace(group[0], text=text))
        self.creations[source] = tuple(requests)
        self._edge(lambda: Create(source, after.number, ()))

    def _simple(self, statement: syntax.Statement, source: int, after: _Place) -> None:
        match statement:
            case syntax.Goto():
                for target in statement.targets:
                    self._goto(source, self._jump(target, self.section))
            case syntax.StartGoto():
                self.starts[source] = self._jump(statement.target, None)
                self.creations[source] = (Request(statement, self.procedure.name),)
                self._edge(lambda: Create(source, after.number, ()))
            case syntax.Async():
                callee = self.scope.names.procedure(statement.procedure)
                arguments = self.actions.arguments(callee, statement)
                variable = self.actions.identity(statement)
                self._edge(lambda: Fork(source, after.number, callee.name, arguments, variable))
            case syntax.AtomicBegin():
                self.begins.add(source)
                self._goto(source, after)
            case syntax.AtomicEnd():
                self.ends.add(source)
                self._goto(source, after)
            case syntax.Return():
                values = self.actions.returned(statement)
                self._edge(lambda: Return(source, values))
            case syntax.EndThread():
                self._edge(lambda: End(source))
            case _:
                self._action(statement, source, after)

    def _action(self, statement: syntax.Statement, source: int, after: _Place) -> None:
        """A statement that only goes on to the next one."""
        values = self.actions.values
        match statement:
            case syntax.Skip():
                self._goto(source, after)
            case syntax.Join():
                thread = values.thread(statement.thread)
                self._edge(lambda: Join(source, after.number, thread))
            case syntax.Assume():
                self._goto(source, after, either(values.condition(statement.condition))[0])
            case syntax.AbortIf():
                self._goto(source, after, either(values.condition(statement.condition))[1])
            case syntax.Assert():
                condition = values.condition(statement.condition)
                self._edge(lambda: Assert(source, after.number, condition))
            case syntax.Assign() | syntax.Dead():
                assignments, constraint = self.actions.assigned(statement)
                self._edge(lambda: Step(source, after.number, TRUE, assignments, constraint))
            case syntax.Enforce():
                raise self._error(
                    statement.position, "expected 'enforce' first in its procedure, found it here"
                )
            case syntax.Unsupported():
                raise self._error(
                    statement.position, f"tepui does not support '{shown(statement.construct)}'"
                )

    def _jump(self, target: syntax.Name, section: Position | None) -> _Place:
        place = _Place()
        self.jumps.append(_Jump(target, place, section))
        return place

    def _arrive(
        self,
        place: _Place,
        statement: syntax.Statement,
        branch: syntax.Branch | None = None,
    ) -> int:
        """Give a place its location."""
        atomic = self.section is not None or (self.step.is_open and not self.step.rests)
        where = branch or statement
        labels = tuple(label.name for label in statement.labels)
        place.number = self._add(Location(where.position, where.text, labels, atomic))
        self.step = replace(self.step, rests=False)
        return place.number

    def _add(self, location: Location) -> int:
        self.locations.append(location)
        return len(self.locations) - 1

    def _goto(self, source: int, target: _Place, guard: Expression = TRUE) -> None:
        self._edge(lambda: Step(source, target.number, guard))

    def _edge(self, make: Callable[[], Edge]) -> None:
        self.edges.append(make)

    def _error(self, position: Position, message: str) -> InputError:
        return self.scope.names.error(position, message)


def _leaving_at(end: int, edge: Edge) -> Edge:
    """An edge that leaves the procedure at once if it leads to the end; a call comes back there."""
    if isinstance(edge, Call | Return | End) or edge.target != end:
        return edge
    return replace(edge, target=None)


def _groups(statements: Sequence[syntax.Statement]) -> Iterator[list[syntax.Statement]]:
    """Statements one by one, but thread creations that follow each other together."""
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


def _number(place: _Place) -> int:
    assert place.number is not None
    return place.number
