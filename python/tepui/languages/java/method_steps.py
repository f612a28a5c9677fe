"""Steps of a procedure, the values on the stack between them, and the variables of a method.

Each step leads to a new place. A step that changes a variable keeps those values on the stack that
are computed from it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tepui.languages.java.code import Code
from tepui.languages.java.facts import Sites
from tepui.languages.java.hierarchy import JavaMethod
from tepui.languages.java.method_graph import Graph, Place
from tepui.languages.java.sites import Ranges, is_among, merged
from tepui.languages.java.stack_values import Value, kind_of
from tepui.program.expressions import (
    TRUE,
    Constant,
    Expression,
    Read,
    Variable,
    conjunction,
)
from tepui.program.program import Assignment, Position, Step, Target, variable_of
from tepui.records import replace

if TYPE_CHECKING:
    from tepui.languages.java.java_program import Translation


class MethodSteps:
    """Where a method is, and what it has on its stack."""

    def __init__(self, translation: Translation, method: JavaMethod, code: Code) -> None:
        self.translation, self.method, self.code = translation, method, code
        self.heap, self.numbers = translation.heap, translation.numbers
        self.name = translation.names[method.key]
        self.graph = Graph(self.name)
        self.me = Variable("me", self.heap.reference, self.name, 0)
        self.locals: dict[tuple[int, str], Variable] = {}
        self.temporaries: dict[str, Variable] = {}
        self.parameters = self._parameters()
        self.stack: list[Value] = []
        self.at: Place | None = None
        self.pending: Expression = TRUE
        """What has been found out at this place, and is the guard of what is done here."""
        self.atomic = False
        self.instruction = code.instructions[0]
        self._last_line = 0
        self._statements: dict[Place, Place] = {}
        """For places inside of statements, behind a check, where the statement begins."""

    @property
    def has_ended(self) -> bool:
        """Whether control never comes here."""
        return self.at is None

    # Values on the stack.

    def push(self, expression: Expression, kind: str, *, never_null: bool = False) -> None:
        self.stack.append(Value(expression, kind, never_null))

    def push_reference(self, expression: Expression, sites: Sites | None) -> None:
        """A reference of which it may be known what it is."""
        self.stack.append(self.reference(expression, sites))

    def reference(self, expression: Expression, sites: Sites | None) -> Value:
        """A reference; the object itself if there is only one that it can be."""
        if sites is None:
            return Value(expression, "A")
        never_null = None not in sites
        if len(sites) == 1:
            (key,) = sites
            if key is None:
                return Value(self.numbers.reference(0), "A")
            site = self.translation.reachability.sites[key]
            if site.single or site.once:
                number = self.numbers.reference(self.numbers.of_site[key][0])
                return Value(number, "A", never_null=True)
        return Value(expression, "A", never_null, sites=sites)

    def is_among(self, value: Value, ranges: Ranges) -> Expression:
        """Whether a reference is one of these numbers, given what it can be."""
        if value.sites is None or isinstance(value.expression, Constant):
            return is_among(value.expression, ranges)
        wanted = {n for low, high in ranges for n in range(low, high + 1)}
        spans = [self.numbers.of_site[key] for key in value.sites if key is not None]
        possible = {n for low, high in spans for n in range(low, high + 1)}
        if None not in value.sites and possible and possible <= wanted:
            return TRUE
        return is_among(value.expression, merged(wanted & possible))

    def push_of_type(self, expression: Expression, descriptor: str) -> None:
        """A value of some type."""
        self.push(expression, kind_of(descriptor))

    def pop(self) -> Value:
        return self.stack.pop()

    def take(self, count: int) -> list[Value]:
        """Some values from the top of the stack, the last one on top."""
        values = [self.pop() for _ in range(count)]
        return values[::-1]

    def kept(self, depth: int, kind: str) -> Variable:
        """The variable for what lies at some depth of the stack."""
        name = f"{'abcdefghijklmnop'[depth % 16]}{depth // 16 or ''}.{kind.lower()}"
        return self.temporary(name, kind)

    def made_here(self, depth: int, kind: str) -> Variable:
        """The same for what an instruction makes. Where facts are learned, each instruction has
        variables of its own, so that they are not mixed up."""
        if self.translation.is_learning:
            return self.temporary(f"made.{depth}.{kind.lower()}.{self.instruction.pc}", kind)
        return self.kept(depth, kind)

    def temporary(self, name: str, kind: str) -> Variable:
        """A local variable that the source does not have."""
        if name not in self.temporaries:
            scalar = self.heap.scalar("Ljava/lang/Object;" if kind == "A" else kind)
            assert scalar is not None
            self.temporaries[name] = Variable(name, scalar, self.name, 0)
        return self.temporaries[name]

    def local(self, index: int, kind: str) -> Variable:
        """A local variable of the method; one of the JVM may be several of the source."""
        if (index, kind) not in self.locals:
            scalar = self.heap.scalar("Ljava/lang/Object;" if kind == "A" else kind)
            assert scalar is not None
            name = self._local_name(index, kind)
            self.locals[index, kind] = Variable(name, scalar, self.name, 0)
        return self.locals[index, kind]

    # Effects: each ends at a new place.

    def position(self) -> Position:
        return self._position_of(self.instruction.pc)

    def next_place(self) -> Place:
        return self.graph.place(self.position(), atomic=self.atomic)

    def describe(self, action: str) -> None:
        """Say what is done at this place: the line, or the action if the line is known."""
        if self.at is None:
            return
        place = self._statements.get(self.at, self.at)
        if self.graph.is_described(place):
            return
        position = self.position()
        text = self.translation.source_line(position)
        if not text:
            text = action
        elif position.line == self._last_line:
            text = f"… {action}" if action else text
        self._last_line = position.line
        self.graph.describe(place, position, text)

    def effect(
        self,
        assignments: Sequence[tuple[Target, Expression]] = (),
        guard: Expression = TRUE,
        action: str | None = None,
    ) -> None:
        """A step. Values on the stack that it would change are kept as they were."""
        self.effects([(guard, assignments)], action)

    def effects(
        self,
        choices: Sequence[tuple[Expression, Sequence[tuple[Target, Expression]]]],
        action: str | None = None,
    ) -> None:
        """A step of which several are possible."""
        if self.at is None:
            return
        if action is not None:
            self.describe(action)
        changed = {variable_of(target) for _, assignments in choices for target, _ in assignments}
        kept = self.keep(changed)
        source, target = self.at, self.next_place()
        for guard, assignments in choices:
            made = (Assignment(to, value) for to, value in (*kept, *assignments))
            self.graph.add(Step(source, target, self.guarded(guard), tuple(made)))
        self.go_on(target)

    def go_on(self, place: Place) -> None:
        """Go on at a place at which nothing is pending."""
        self.at, self.pending = place, TRUE

    def guarded(self, guard: Expression) -> Expression:
        return conjunction(self.pending, guard)

    def assign_result(
        self, value: Expression, kind: str, action: str | None, sites: Sites | None = None
    ) -> None:
        """A step that puts a value on the stack."""
        self.assign_results([(TRUE, value)], kind, action, sites)

    def assign_results(
        self,
        values: Sequence[tuple[Expression, Expression]],
        kind: str,
        action: str | None,
        sites: Sites | None = None,
    ) -> None:
        """A step that puts a value on the stack; guards say which one."""
        target = self.made_here(len(self.stack), kind)
        known = self.reference(Read(target), sites) if kind == "A" else Value(Read(target), kind)
        if isinstance(known.expression, Constant):
            self.stack.append(known)  # Nobody has to look.
            return
        self.effects([(guard, [(target, value)]) for guard, value in values], action)
        self.stack.append(known)

    def keep(self, changed: set[Variable]) -> list[tuple[Target, Expression]]:
        """Assignments that keep those values on the stack that are about to change."""
        kept: list[tuple[Target, Expression]] = []
        for depth, value in enumerate(self.stack):
            if not value.mentions(changed):
                continue
            variable = self._free(depth, value.kind, changed)
            kept.append((variable, value.expression))
            self.stack[depth] = replace(value, expression=Read(variable), compared=None)
        return kept

    def preserve(self, changed: set[Variable]) -> None:
        """Keep those values on the stack that are about to change, by a step of its own."""
        kept = self.keep(changed)
        if kept and self.at is not None:
            source, target = self.at, self.next_place()
            made = tuple(Assignment(to, value) for to, value in kept)
            self.graph.add(Step(source, target, self.pending, made))
            self.go_on(target)

    def _free(self, depth: int, kind: str, changed: set[Variable]) -> Variable:
        """A variable that is not in use."""
        own = self.kept(depth, kind)
        if own not in changed and not any(value.mentions({own}) for value in self.stack):
            return own
        number = 0
        while True:
            other = self.temporary(f"kept.{number}.{kind.lower()}", kind)
            if other not in changed and not any(value.mentions({other}) for value in self.stack):
                return other
            number += 1

    def settle(self) -> None:
        """Leave behind what is pending, by a step."""
        if self.at is not None and self.pending != TRUE:
            self.effect()

    def settle_inside(self) -> None:
        """The same, but stay inside of the statement."""
        if self.at is None or self.pending == TRUE:
            return
        target = self.graph.place(self.position(), atomic=True)
        self._statements[target] = self._statements.get(self.at, self.at)
        self.graph.add(Step(self.at, target, self.pending))
        self.go_on(target)

    def after_check(self) -> None:
        """Come to rest, if this place is only the inside of a statement."""
        if self.at is not None and not self.atomic and self.graph.is_atomic(self.at):
            self.effect()

    # Names.

    def _parameters(self) -> tuple[Variable, ...]:
        found, index = [self.me], 0
        if not self.method.is_static:
            found.append(self.local(0, "A"))
            index = 1
        for descriptor in self.method.parameters:
            kind = kind_of(descriptor)
            found.append(self.local(index, kind))
            index += 2 if kind in "JD" else 1
        return tuple(found)

    def _local_name(self, index: int, kind: str) -> str:
        if index == 0 and not self.method.is_static:
            return "this"
        taken = {variable.name for variable in self.locals.values()} | {"me"}
        for each in self.code.local_variables:
            if each.index == index and kind_of(each.descriptor) == kind and each.name not in taken:
                return each.name
        return f"local.{index}{kind.lower()}"

    def _position_of(self, pc: int) -> Position:
        line = self.code.line_at(pc) or 0
        return Position(self.translation.source_of(self.method.owner), line, 1)
