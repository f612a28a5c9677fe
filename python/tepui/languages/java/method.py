"""One method as a procedure: a place for each point between effects, and an edge for each effect.

Instructions are followed block by block with a stack of expressions. What they only compute is no
step; what they change is one, and so is each access of shared memory. Where blocks meet, the values
on the stack are in variables of their own.

What an instruction requires (no null, an index inside) is checked in front of it, in the same step.
If it does not hold, an exception is thrown; where nobody could catch it, that is a violation.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tepui.errors import InputError
from tepui.languages.java.code import Code, Handler
from tepui.languages.java.facts import Sites
from tepui.languages.java.method_graph import Graph, Place
from tepui.languages.java.hierarchy import JavaMethod
from tepui.languages.java.instructions import Instruction, Switch
from tepui.languages.java.intrinsics import NULL_POINTER
from tepui.languages.java.sites import Ranges, is_among, merged
from tepui.languages.java.stack_values import (
    Value,
    compared,
    integer,
    kind_of,
    negated,
)
from tepui.program.expressions import (
    FALSE,
    TRUE,
    Binary,
    Constant,
    Expression,
    Read,
    Variable,
    conjunction,
)
from tepui.program.program import (
    Assert,
    Assignment,
    Position,
    Procedure,
    Return,
    Step,
    Target,
    ViolationKind,
    variable_of,
)
from tepui.records import record, replace

if TYPE_CHECKING:
    from tepui.languages.java.java_program import Translation


@record
class Block:
    """Where a block begins, and what lies on the stack there."""

    place: Place
    stack: tuple[Value, ...]


class MethodTranslator:
    """Translates one method."""

    def __init__(self, translation: Translation, method: JavaMethod, code: Code) -> None:
        self.translation, self.method, self.code = translation, method, code
        self.heap, self.numbers = translation.heap, translation.numbers
        self.name = translation.names[method.key]
        self.graph = Graph(self.name)
        self.me = Variable("me", self.heap.reference, self.name, 0)
        self.locals: dict[tuple[int, str], Variable] = {}
        self.temporaries: dict[str, Variable] = {}
        self.parameters = self._parameters()
        self.is_caught = translation.is_caught(method)
        self.throws = translation.throws(method)
        self.result = self.heap.scalar(method.result) if method.result != "V" else None
        self.stack: list[Value] = []
        self.at: Place | None = None
        self.pending: Expression = TRUE
        self.atomic = False
        self.instruction = code.instructions[0]
        self._blocks: dict[tuple[int, bool], Block] = {}
        self._waiting: list[tuple[int, bool]] = []
        self._landings: dict[tuple[tuple[Handler, ...], bool], Place] = {}
        self._last_line = 0
        self._statements: dict[Place, Place] = {}
        """For places inside of statements, behind a check, where the statement begins."""
        self._leaders = {
            *(target for each in code.instructions for target in each.targets),
            *(each.handler for each in code.handlers),
        }

    def procedure(self) -> Procedure:
        """The whole method."""
        from tepui.languages.java.monitors import enter

        self.at = self.graph.place(self.position())
        if self.method.is_synchronized:
            enter(self, self.monitor())
            self.after_check()
        self._flow_to(0)
        while self._waiting:
            self._follow(*self._waiting.pop())
        results = tuple(each for each in (self.result,) if each is not None)
        if self.throws:
            results = (*results, self.heap.reference)
        others = [*self.locals.values(), *self.temporaries.values()]
        variables = [*self.parameters, *(each for each in others if each not in self.parameters)]
        return self.graph.procedure(
            tuple(variables), len(self.parameters), results, self._position_of(0)
        )

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
        """Say what is done at this place: the line, or the action if the line was told already."""
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

    # Checks: exceptions and limits.

    def check_not_null(self, value: Value) -> None:
        if not value.never_null:
            self.check(compared("!=", value.expression, integer(0)), NULL_POINTER, "exception")

    def check(self, holds: Expression, exception: str, kind: ViolationKind) -> None:
        """Throw an exception unless a condition holds."""
        if self.at is None or holds == TRUE:
            return
        number = self.translation.exception(exception)
        ways = self.ways_of(exception)
        if ways is not None:
            self.graph.add(self._throwing(number, negated(holds), ways))
            if holds == FALSE:
                self.at = None
            else:
                self.pending = conjunction(self.pending, holds)
            return
        self.require(holds, kind, exception.rsplit("/", 1)[-1])

    def limit(self, holds: Expression, message: str) -> None:
        """Nothing is known beyond unless a condition holds."""
        self.require(holds, "limit", message)

    def require(
        self, holds: Expression, kind: ViolationKind, message: str, *, always: bool = False
    ) -> None:
        """A check that nobody can catch; what is checked goes on in the same step."""
        if self.at is None or (holds == TRUE and not always):
            return
        self.settle()
        if kind != "limit":
            self.describe(message)
        assert self.at is not None
        target = self.graph.place(self.position(), atomic=True)
        self._statements[target] = self._statements.get(self.at, self.at)
        self.graph.add(Assert(self.at, target, holds, TRUE, kind, message))
        self.at = target if holds != FALSE else None

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

    # Exceptions.

    def throw(self, exception: Value) -> None:
        """Throw an object that is not null."""
        if self.at is None:
            return
        expression = exception.expression
        if isinstance(expression, Constant):
            name = self.numbers.type_of(expression.value)
            ways = self.ways_of(name)
            if ways is None:
                self.uncaught(name)
            else:
                self.graph.add(self._throwing(expression.value, TRUE, ways))
        else:
            thrown = self.temporary("thrown.a", "A")
            handlers = self._handlers()
            step = [Assignment(thrown, expression)]
            self.graph.add(Step(self.at, self._landing(handlers), self.pending, tuple(step)))
        self.at = None

    def rethrow_if_thrown(self, thrown: Variable) -> None:
        """Go on only if a call has not ended with an exception."""
        assert self.at is not None
        to = self._landing(self._handlers())
        mine = self.temporary("thrown.a", "A")
        assert mine == thrown
        self.graph.add(Step(self.at, to, self.guarded(compared("!=", Read(thrown), integer(0)))))
        self.pending = conjunction(self.pending, compared("=", Read(thrown), integer(0)))

    def uncaught(self, name: str) -> None:
        """An exception that ends the thread."""
        short = name.rsplit("/", 1)[-1]
        asserted = self.translation.hierarchy.is_subtype(name, "java/lang/AssertionError")
        self.require(FALSE, "assertion" if asserted else "exception", short)

    def ways_of(self, exception: str) -> tuple[Handler, ...] | None:
        """The handlers that an exception of some class may meet here; None if nobody catches it,
        neither here nor in a caller."""
        handlers = self._handlers()
        is_subtype = self.translation.hierarchy.is_subtype
        fitting: list[Handler] = []
        for each in handlers:
            if each.type is None or is_subtype(exception, each.type):
                return (*fitting, each)
        return () if self.is_caught else None

    def _handlers(self) -> tuple[Handler, ...]:
        pc = self.instruction.pc
        return tuple(each for each in self.code.handlers if each.start <= pc < each.end)

    def _throwing(self, number: int, guard: Expression, ways: tuple[Handler, ...]) -> Step:
        """The step that throws an object whose class is known."""
        assert self.at is not None
        self.describe(f"throw {self.numbers.label(number)}")
        thrown = self.temporary("thrown.a", "A")
        assignment = Assignment(thrown, self.numbers.reference(number))
        return Step(self.at, self._landing(ways), self.guarded(guard), (assignment,))

    def _landing(self, handlers: tuple[Handler, ...]) -> Place:
        """A place where a thrown object finds its handler, or leaves the method."""
        key = handlers, self.atomic
        if key not in self._landings:
            place = self._landings[key] = self.next_place()
            before = self.at, self.pending, self.stack
            self.at, self.pending = place, TRUE
            self._dispatch(handlers)
            self.at, self.pending, self.stack = before
        return self._landings[key]

    def _dispatch(self, handlers: tuple[Handler, ...]) -> None:
        thrown = self.temporary("thrown.a", "A")
        for each in handlers:
            self.stack = [Value(Read(thrown), "A", never_null=True)]
            if each.type is None:
                self._jump(each.handler, TRUE)
                return
            ranges = self.numbers.ranges(each.type)
            fits = is_among(Read(thrown), ranges)
            if fits != FALSE:
                self._jump(each.handler, fits)
                self.pending = conjunction(self.pending, negated(fits))
        self.stack = []
        self._leave_by(Read(thrown))

    def _leave_by(self, thrown: Expression) -> None:
        """Leave the method with an exception."""
        assert self.at is not None
        if not self.is_caught:
            self._uncaught_object(thrown)
            return
        if self.method.is_synchronized:
            from tepui.languages.java.monitors import leave

            leave(self, self.monitor())
        values = [] if self.result is None else [Constant(self.result.low, self.result)]
        if self.result is not None and self.result.low < 0:
            values = [Constant(0, self.result)]
        self.graph.add(Return(self.at, (*values, thrown), self.pending))
        self.at = None

    def _uncaught_object(self, thrown: Expression) -> None:
        """What is thrown is told by its class, as far as classes matter."""
        ranges = self.numbers.ranges("java/lang/AssertionError")
        asserted = is_among(thrown, ranges)
        assert self.at is not None
        start, pending = self.at, self.pending
        for guard, kind, message in (
            (asserted, "assertion", "AssertionError"),
            (negated(asserted), "exception", "uncaught exception"),
        ):
            if guard == FALSE:
                continue
            place = self.graph.place(self.position())
            self.graph.add(Step(start, place, conjunction(pending, guard)))
            self.graph.describe(place, self.position(), message)
            self.graph.add(Assert(place, place, FALSE, TRUE, kind, message))  # type: ignore[arg-type]
        self.at = None

    def refused(self, what: str) -> InputError:
        """An error about this instruction."""
        position = self.position()
        return InputError(position.file, position.line, 0, what)

    # Control.

    def jump(self, pc: int, guard: Expression = TRUE) -> None:
        """Go to another block, if a condition holds."""
        if guard != FALSE:
            self._jump(pc, guard)

    def return_(self, values: Sequence[Expression]) -> None:
        if self.at is None:
            return
        if self.method.is_synchronized:
            from tepui.languages.java.monitors import leave

            # What is returned is computed before the monitor is left.
            leave(self, self.monitor())
        thrown = [self.numbers.reference(0)] if self.throws else []
        self.graph.add(Return(self.at, (*values, *thrown), self.pending))
        self.at = None

    def monitor(self) -> Expression:
        """What a synchronized method locks."""
        if self.method.is_static:
            return self.translation.class_object(self.method.owner.name)
        known = self.translation.facts.locals.get((self.method.key, 0))
        return self.reference(Read(self.local(0, "A")), known).expression

    def _follow(self, pc: int, atomic: bool) -> None:
        """Translate the block that begins at an instruction."""
        from tepui.languages.java.instruction_effects import translate

        block = self._blocks[pc, atomic]
        self.at, self.stack, self.atomic = block.place, list(block.stack), atomic
        self.pending = TRUE
        number = self.code.positions[pc]
        while self.at is not None:
            self.instruction = self.code.instructions[number]
            translate(self, self.instruction)
            number += 1
            if self.at is None or number == len(self.code.instructions):
                return
            following = self.code.instructions[number]
            self.after_check()
            if following.pc in self._leaders or not _same_handlers(
                self.code, self.instruction, following
            ):
                self.instruction = following
                self._flow_to(following.pc)

    def _flow_to(self, pc: int) -> None:
        self._jump(pc, TRUE)
        self.at = None

    def _jump(self, pc: int, guard: Expression) -> None:
        if self.at is None:
            return
        block = self._block(pc)
        moves = tuple(
            Assignment(to.variable, value.expression)
            for value, wanted in zip(
                self.stack, (each.expression for each in block.stack), strict=True
            )
            if isinstance(to := wanted, Read) and value.expression != wanted
        )
        self.graph.add(Step(self.at, block.place, self.guarded(guard), moves))

    def _block(self, pc: int) -> Block:
        """The block that begins at an instruction; there is another one inside atomic sections."""
        key = pc, self.atomic
        if key not in self._blocks:
            before = self.instruction
            self.instruction = self.code.instructions[self.code.positions[pc]]
            stack = tuple(
                Value(Read(self.kept(depth, value.kind)), value.kind)
                for depth, value in enumerate(self.stack)
            )
            self._blocks[key] = Block(self.next_place(), stack)
            self.instruction = before
            self._waiting.append(key)
        return self._blocks[key]

    def branch(self, condition: Expression, pc: int) -> None:
        """Jump if a condition holds, else go on."""
        if self.at is None:
            return
        if condition == TRUE:
            self._flow_to(pc)
            return
        if condition == FALSE:
            return
        self.jump(pc, condition)
        self.effect(guard=negated(condition))

    def switch(self, value: Expression, switch: Switch) -> None:
        others: Expression = TRUE
        by_target: dict[int, Expression] = {}
        for number, target in switch.cases:
            if target == switch.default:
                continue
            one = compared("=", value, integer(number))
            known = by_target.get(target)
            by_target[target] = one if known is None else _or(known, one)
        for target, condition in by_target.items():
            self.jump(target, condition)
            others = conjunction(others, negated(condition))
        self.jump(switch.default, others)
        self.at = None

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


def _same_handlers(code: Code, one: Instruction, other: Instruction) -> bool:
    """Whether two instructions next to each other are covered by the same handlers."""
    return all(
        (each.start <= one.pc < each.end) == (each.start <= other.pc < each.end)
        for each in code.handlers
    )


def _or(left: Expression, right: Expression) -> Expression:
    return Binary("or", left, right)
