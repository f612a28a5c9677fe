"""Small steps: what one edge does to a state whose variables all have values.

Inside an atomic section there are states between small steps; `bits_certificate` says why that is
enough. A step leaves all bits as they are that it does not change. Bits that mean nothing after it,
though it may have written them, may be anything (`forgotten`): those of a frame that is gone, and
results that nobody receives any more.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, assert_never

from tepui.checker.bits_of_programs.diagrams import FALSE, TRUE
from tepui.checker.bits_of_programs.expression_bits import Code, Evaluation, Value
from tepui.checker.bits_of_programs.state_bits import Bit, Shape, States
from tepui.errors import EvidenceError
from tepui.program.expressions import Expression
from tepui.program.program import (
    Assert,
    Call,
    Create,
    Edge,
    End,
    Fork,
    Join,
    Receive,
    Return,
    Step,
    scalar_of,
    target_of,
    variable_of,
)
from tepui.program.semantics.sections import is_atomic
from tepui.program.types import Scalar
from tepui.program.walk import created_by


class SmallStep(NamedTuple):
    """A step: where it exists, the shape to which it leads, and what it changes."""

    condition: int
    target: Shape
    changes: dict[int, int]
    """For levels, the bits after the step."""
    fixed: tuple[tuple[int, int], ...] = ()
    """Bits after the step of which the state says that they are fixed, each beside what to."""
    forgotten: frozenset[int] = frozenset()
    """The levels of bits that mean nothing after the step."""


class SmallSteps:
    """The small steps of the threads of a program, while nobody else is inside a section."""

    def __init__(self, states: States) -> None:
        self._states = states
        layout = states.layout
        self._leaving: list[list[tuple[Edge, int]]] = [[] for _ in layout.locations]
        """For each location, its edges, each with the point of its violation if it is an
        assertion."""
        violation = layout.violation(0)
        for number, procedure in enumerate(layout.program.procedures):
            for edge in procedure.edges:
                self._leaving[layout.point(number, edge.source)].append((edge, violation))
                violation += isinstance(edge, Assert)

    def of(self, thread: int, shape: Shape, here: int) -> Iterator[SmallStep]:
        """The steps of a thread from states with a shape that are `here`: the conditions say so,
        too."""
        if not shape.points:
            return
        top, waiting = shape.points[-1], self._states.layout.waiting
        if top == waiting:
            yield from self._starts(thread, shape, here)
        elif top < waiting:
            certain = self._states.diagrams.certain(here)
            for edge, violation in self._leaving[top]:
                taken = _Taken(self._states, thread, shape, here, certain)
                yield from self._by(edge, violation, taken)

    def _starts(self, thread: int, shape: Shape, here: int) -> Iterator[SmallStep]:
        """A thread that was created begins, with what it inherits."""
        states, kind = self._states, self._states.type(thread)
        layout, point = states.layout, states.start(thread)
        if not kind.created:
            return
        begun = Shape(-1, (*shape.points[:-1], point))
        taken = _Taken(states, thread, begun, here, states.diagrams.certain(here))
        taken.require(states.code(states.shared(layout.created(kind)))[0])
        taken.require(states.diagrams.negation(states.flag("full")))
        procedure, _ = layout.locations[point]
        names = [cell.name for cell in layout.frame_cells[procedure]]
        given = {
            names.index(variable.name): states.code(states.shared(layout.inherited(kind, variable)))
            for variable in kind.inherited
        }
        taken.open_frame(begun.depth, procedure, given)
        yield taken.leading_to(begun)

    def _by(self, edge: Edge, violation: int, taken: _Taken) -> Iterator[SmallStep]:
        full, diagrams = self._states.flag("full"), self._states.diagrams
        taken.require(full if isinstance(edge, Receive) else diagrams.negation(full))
        if taken.condition != FALSE:
            taken.require(taken.evaluation.holds(edge.guard))
        if taken.condition == FALSE:
            return
        match edge:
            case Step():
                taken.assign(edge)
            case Call():
                yield taken.calling(edge)
                return
            case Receive():
                taken.receive(edge)
            case Return():
                taken.give_back(edge)
            case Assert():
                value = taken.evaluation.value(edge.condition)
                yield taken.violating(violation, value)
                taken.require(taken.evaluation.is_true(value))
            case Create():
                taken.create(edge)
            case End():
                pass
            case Fork() | Join():
                raise EvidenceError("this is evidence about no program that forks")
            case _:
                assert_never(edge)
        yield taken.going_to(target_of(edge))


class _Taken:
    """An edge that is being taken: where that is possible, and what it writes."""

    def __init__(
        self, states: States, thread: int, shape: Shape, here: int, certain: Mapping[int, int]
    ) -> None:
        self._states = states
        self._layout = states.layout
        self._thread = thread
        self._shape = shape
        self._certain = certain
        """The levels whose bits are the same in all states that are here."""
        self.condition = here
        self._procedure = self._layout.procedure_number(shape.points[-1])
        self.evaluation = Evaluation(
            states.diagrams, self._layout, self._procedure, thread + 1, self._code_at, self._fresh
        )
        self._read: dict[int, Code] = {}
        """What was stored at an address before, as far as that was asked."""
        self._opened: dict[Bit, int] = {}
        """For the bits of a frame that the edge opens."""
        self._forgotten: set[int] = set()
        self._beside: list[int] = []
        """Levels for fresh bits: those beside the bits that get the value."""
        self._chosen: set[int] = set()
        """The levels that have a fresh bit already."""

    def require(self, condition: int) -> None:
        self.condition = self._states.diagrams.both(self.condition, condition)

    def assign(self, edge: Step) -> None:
        for assignment in edge.assignments:
            variable = variable_of(assignment.target)
            bits = self._bits(self.evaluation.address(variable))
            code = self._given(assignment.value, variable.scalar, variable.scalar, bits)
            self.require(self.evaluation.assign(assignment.target, code))
        self.require(self.evaluation.holds(edge.constraint))

    def receive(self, edge: Receive) -> None:
        evaluation = self.evaluation
        for target, address in zip(edge.targets, self._layout.results, strict=False):
            if target is not None:
                scalar, result = scalar_of(target), Value(evaluation.at(address))
                number, exists = evaluation.stored(scalar, result)
                self.require(exists)
                self.require(evaluation.assign(target, evaluation.code(scalar, number)))
        evaluation.written[self._layout.hidden["full"]] = (FALSE,)
        self._forget_results(0)

    def give_back(self, edge: Return) -> None:
        scalars = self._layout.program.procedures[self._procedure].results
        if not scalars:
            return
        places = self._layout.results[: len(scalars)]
        for address, scalar, value in zip(places, scalars, edge.values, strict=True):
            held = self._layout.shared_cells[address].type
            code = self._given(value, scalar, held, self._bits(address))
            self.evaluation.written[address] = code
        self.evaluation.written[self._layout.hidden["full"]] = (TRUE,)
        self._forget_results(len(scalars))

    def create(self, edge: Create) -> None:
        for number, values in created_by(edge):
            kind = self._layout.program.threads[number]
            self.evaluation.written[self._layout.created(kind)] = (TRUE,)
            for variable, value in zip(kind.inherited, values, strict=True):
                address = self._layout.inherited(kind, variable)
                code = self._given(value, variable.scalar, variable.scalar, self._bits(address))
                self.evaluation.written[address] = code

    def calling(self, edge: Call) -> SmallStep:
        """The callee's frame is put above that of the caller, which rests at the target; instead of
        it, if the target is the bare end of a procedure."""
        callee = self._layout.program.numbers[edge.procedure]
        entry = self._layout.point(callee, self._layout.program.procedures[callee].entry)
        rests = self._resting_at(edge.target)
        below = rests.points
        if self._layout.is_tail_call(self._procedure, edge):
            below = below[:-1]
        cells, given = self._layout.frame_cells[callee], dict[int, Code]()
        for number, argument in enumerate(edge.arguments):
            bits = self._states.local(self._thread, len(below), callee, number)
            scalar = cells[number].type
            given[number] = self._given(argument, scalar, scalar, bits)
        self.open_frame(len(below), callee, given)
        return self.leading_to(Shape(rests.outer, (*below, entry)))

    def violating(self, point: int, condition: Value) -> SmallStep:
        """The program halts where a condition is not true: of the frames of the section, or of the
        one on top, one at the violation is left."""
        diagrams, (outer, points) = self._states.diagrams, self._shape
        self.require(condition.exists)
        violated = diagrams.negation(self.evaluation.is_true(condition))
        (halted,) = self._states.shared(self._layout.hidden["halted"])
        base = self._shape.depth if outer < 0 else outer
        violated = diagrams.both(self.condition, violated)
        return self._step(violated, Shape(-1, (*points[:base], point)), {halted: TRUE})

    def going_to(self, target: int | None) -> SmallStep:
        """The step to a location of the same activation, or out of it."""
        if target is not None:
            return self.leading_to(self._resting_at(target))
        outer, points = self._shape
        return self.leading_to(Shape(outer if self._shape.is_in_call else -1, points[:-1]))

    def open_frame(self, depth: int, procedure: int, given: Mapping[int, Code]) -> None:
        """A new frame in which some scalars are given. The others have their initial values, or any
        of their types."""
        for number, cell in enumerate(self._layout.frame_cells[procedure]):
            bits = self._states.local(self._thread, depth, procedure, number)
            if number in given:
                code = given[number]
            else:
                self._beside = [self._states.level(bit) + 1 for bit in bits]
                code, exists = self.evaluation.initial(cell)
                self.require(exists)
            self._opened |= zip(bits, code, strict=True)

    def leading_to(self, target: Shape) -> SmallStep:
        """The step with all that was written. What was written to a frame that is gone means
        nothing; if another one has taken its place, that was opened with bits of its own."""
        changes, forgotten = dict(self._opened), self._forgotten
        shared = len(self._layout.shared_cells)
        gone = len(target.points) <= self._shape.depth
        for address, code in self.evaluation.written.items():
            bits = self._bits(address)
            if address >= shared and gone:
                forgotten.update(map(self._states.level, bits))
            else:
                changes |= zip(bits, code, strict=True)
        return self._step(self.condition, target, changes)

    def _step(self, condition: int, target: Shape, changes: Mapping[Bit, int]) -> SmallStep:
        states = self._states
        fixed = {bit: code for bit, code in changes.items() if bit in states.fixed}
        return SmallStep(
            condition,
            target,
            {states.level(bit): code for bit, code in changes.items() if bit not in fixed},
            tuple((code, states.fixed[bit]) for bit, code in fixed.items()),
            frozenset(self._forgotten),
        )

    def _resting_at(self, location: int) -> Shape:
        """The same frames with the one on top at a location. A section begins or goes on where that
        is atomic, and ends where it is not; in a call made inside, it goes on anyway."""
        (outer, points), depth = self._shape, self._shape.depth
        point = self._layout.point(self._procedure, location)
        if not self._shape.is_in_call:
            outer = depth if is_atomic(self._layout, point) else -1
        return Shape(outer, (*points[:-1], point))

    def _given(
        self, expression: Expression, scalar: Scalar, held: Scalar, bits: Sequence[Bit]
    ) -> Code:
        """What is stored in some bits, which hold a type, of an expression for another type."""
        self._beside = [self._states.level(bit) + 1 for bit in bits]
        number, exists = self.evaluation.converted(expression, scalar)
        self.require(exists)
        return self.evaluation.code(held, number)

    def _forget_results(self, first: int) -> None:
        for address in self._layout.results[first:]:
            self._forgotten.update(map(self._states.level, self._bits(address)))

    def _bits(self, address: int) -> list[Bit]:
        local = address - len(self._layout.shared_cells)
        if local < 0:
            return self._states.shared(address)
        return self._states.local(self._thread, self._shape.depth, self._procedure, local)

    def _code_at(self, address: int) -> Code:
        """What is stored at an address before the step. A bit that is the same in all states that
        are here is that constant: what follows from a few values is small, even if the type has
        many."""
        if address not in self._read:
            self._read[address] = tuple(map(self._known, self._bits(address)))
        return self._read[address]

    def _known(self, bit: Bit) -> int:
        (known,) = self._states.code([bit])
        return (
            known
            if bit in self._states.fixed
            else self._certain.get(self._states.level(bit), known)
        )

    def _fresh(self, count: int) -> Code:
        """Bits that no state has, and that stand for nothing else in this step."""
        levels = [level for level in self._beside if level not in self._chosen][:count]
        levels += [self._states.another() for _ in range(count - len(levels))]
        self._chosen.update(levels)
        return tuple(map(self._states.diagrams.bit, levels))
