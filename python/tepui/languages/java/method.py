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
from tepui.languages.java.hierarchy import JavaMethod
from tepui.languages.java.instructions import Instruction, Switch
from tepui.languages.java.intrinsics import NULL_POINTER
from tepui.languages.java.method_graph import Place
from tepui.languages.java.method_steps import MethodSteps
from tepui.languages.java.operand_kinds import moved, taken, words
from tepui.languages.java.sites import is_among
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
    Procedure,
    Return,
    Step,
    ViolationKind,
)
from tepui.records import record

if TYPE_CHECKING:
    from tepui.languages.java.java_program import Translation


UNBALANCED = "this is no bytecode that Java runs: the values on the stack do not fit"


@record
class Block:
    """Where a block begins, and what lies on the stack there."""

    place: Place
    stack: tuple[Value, ...]


class MethodTranslator(MethodSteps):
    """Translates one method."""

    def __init__(self, translation: Translation, method: JavaMethod, code: Code) -> None:
        super().__init__(translation, method, code)
        self.is_caught = translation.is_caught(method)
        self.throws = translation.throws(method)
        self.result = self.heap.scalar(method.result) if method.result != "V" else None
        self._blocks: dict[tuple[int, bool], Block] = {}
        self._waiting: list[tuple[int, bool]] = []
        self._landings: dict[tuple[tuple[Handler, ...], bool], Place] = {}
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

    # Checks: exceptions and limits.

    def check_not_null(self, value: Value) -> None:
        self.check_told(value)
        if not value.never_null:
            self.check(compared("!=", value.expression, integer(0)), NULL_POINTER, "exception")

    def check_told(self, value: Value) -> None:
        """In front of a decision by whether a reference is null."""
        untold = self.translation.untold_string
        if untold is None or (
            value.never_null and value.sites is None and not isinstance(value.expression, Constant)
        ):
            return
        found = self.is_among(value, ((untold.value, untold.value),))
        self.limit(negated(found), "a decision depends on a string that may be null")

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
        """An object whose class decides what kind of violation it is."""
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
            if self.method.owner.origin == "program":
                self._check_operands()
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

    def _check_operands(self) -> None:
        """Refuse an instruction that takes other values than there are."""
        kinds = "".join(each.kind for each in self.stack)
        wanted = taken(self.instruction)
        fits = kinds.endswith(wanted) and words(kinds) >= moved(self.instruction)
        if self.instruction.operation.endswith("return"):
            fits = fits and wanted == kind_of(self.method.result).replace("V", "")
        if not fits:
            raise self.refused(UNBALANCED)

    def _flow_to(self, pc: int) -> None:
        self._jump(pc, TRUE)
        self.at = None

    def _jump(self, pc: int, guard: Expression) -> None:
        if self.at is None:
            return
        block = self._block(pc)
        if [each.kind for each in self.stack] != [each.kind for each in block.stack]:
            raise self.refused(UNBALANCED)
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


def _same_handlers(code: Code, one: Instruction, other: Instruction) -> bool:
    """Whether two instructions next to each other are covered by the same handlers."""
    return all(
        (each.start <= one.pc < each.end) == (each.start <= other.pc < each.end)
        for each in code.handlers
    )


def _or(left: Expression, right: Expression) -> Expression:
    return Binary("or", left, right)
