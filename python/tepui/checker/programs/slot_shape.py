"""What a program with slots must look like, derived from the program as it was written.

A pass makes programs with slots, and it is not trusted. A certificate about such a program
speaks of its states, so the checker must know what these mean: which scalar says what a slot does,
which point is which place of the program as written. All of that is worked out again here, and a
program of any other shape is refused.

What its edges do is not looked at: `slot_meaning` says that for the checker. But calls are read off
them: which threads run a procedure, and whether an atomic section does, so that questions name
them. So the checker makes sure that no call of the program as written is missing.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Protocol, cast

from tepui.errors import EvidenceError
from tepui.program.calls import called_by, forked_by
from tepui.program.expressions import Variable
from tepui.program.identities import (
    Kind,
    in_fixed_places,
    kind_of,
    kinds_of_equals,
    only_joined,
)
from tepui.program.layout import Layout, Value, variable_cells
from tepui.program.program import Assert, Derived, Fork, Procedure, Thread
from tepui.program.semantics.resting import kept_values
from tepui.program.semantics.sections import points_inside
from tepui.program.types import BOOLEAN, THREAD, Bounded, Enumeration, Scalar, ThreadId, Type

NOBODY, DONE = 0, 1
"""What variables that name threads hold besides the slots, which follow. With a bound, 1 is a
thread that never runs."""

IDLE = 0
MANY = 3

WAITING, ENDING = 0, 1
"""The locations of a slot without a thread, and of one whose thread has returned."""


class SlotsClaimed(Protocol):
    """What a program with slots says about itself; `SlotShape.check` makes sure of it."""

    @property
    def slots(self) -> int: ...

    @property
    def bound(self) -> int | None:
        """For how many contexts it stands for the original; None for any number."""

    @property
    def equal(self) -> bool:
        """Whether the threads are equal before they start, and so are the slots."""

    @property
    def lack_points(self) -> list[int]:
        """The points of threads that found no free slot."""


class SlotShape:
    """The shape of a program with slots; `check` refuses any other."""

    def __init__(self, program: Derived) -> None:
        self.program = program
        self.claimed = cast(SlotsClaimed, program)
        self.written = program.original
        self.kinds: list[Kind] = kinds_of_equals(self.written) if self.claimed.equal else []
        """What equal threads run, which take an equal slot when they start."""
        self.reuse = self.claimed.bound is None
        self.compared = not only_joined(self.written)
        """Whether variables that name threads have their identities. That of a slot is the identity
        of the thread in it."""
        self._own_threads = len(self.written.thread_types)
        self.layout = program.layout
        self.written_layout = self.written.layout
        names = forked_by(edge for each in self.written.procedures for edge in each.edges)
        self.forked = [
            each for each in self.written.procedures if each.name in names and not self.kinds
        ]
        """The procedures that are forked and get a slot at once, in the order of the program."""
        slots = range(1, self.claimed.slots + 1)
        self.slots, self.equal_slots = (range(0), slots) if self.kinds else (slots, range(0))
        """The slots of threads that get one when they are forked, or when they start."""

    def check(self) -> None:
        _require(in_fixed_places(self.written), "use of identities")
        bound, slots = self.claimed.bound, self.claimed.slots
        _require(bound is None or not self.claimed.equal, "slots")
        _require(slots >= 1 if bound is None else slots == max(0, bound - 1), "number of slots")
        self._check_globals()
        self._check_procedures()
        self._check_threads()
        self._check_points()
        self._check_edges()

    def kind(self, fork: Fork) -> int | None:
        """The number of the kind of thread that takes an equal slot."""
        kind = kind_of(self.written, fork)
        return self.kinds.index(kind) if kind in self.kinds else None

    def asked_equals(self, kind: int) -> int:
        """Which scalar says how many threads of a kind are to start in an equal slot."""
        return self._places[self._asked_name(kind)]

    def _asked_name(self, kind: int) -> str:
        return f"#new{kind + 1}:{self.kinds[kind][0]}"

    @property
    def forked_equals(self) -> int:
        """Which scalar says how many equal threads were forked."""
        return self._places["#forked"]

    @cached_property
    def live(self) -> list[tuple[bool, ...]]:
        """For each location of the program as written, and each scalar of its frames, whether its
        value matters there."""
        return kept_values(self.written_layout, liveness=True)

    @cached_property
    def counts_names(self) -> bool:
        """Whether local variables that name a thread are counted: they are if there are any."""
        return any(
            live and isinstance(cell.type, ThreadId)
            for point, (procedure, _) in enumerate(self.written_layout.locations)
            for live, cell in zip(
                self.live[point], self.written_layout.frame_cells[procedure], strict=True
            )
        )

    def name(self, slot: int) -> int:
        """The value of variables that name the thread in a slot."""
        return slot + (self._own_threads if self.compared else DONE)

    @property
    def running(self) -> int:
        """The status of a slot whose thread has started."""
        return 1 + len(self.forked)

    def asked(self, status: Value) -> Procedure | None:
        """What a slot with this status is asked to run."""
        assert isinstance(status, int)
        return self.forked[status - 1] if 1 <= status <= len(self.forked) else None

    def status(self, slot: int) -> int:
        """Which scalar says what a slot does."""
        return self._places[f"#{slot}"]

    def count(self, slot: int) -> int:
        """Which scalar says how many local variables name a slot."""
        return self._places[f"#{slot}:names"]

    def arguments(self, slot: int, procedure: Procedure) -> dict[int, int]:
        """By the number of the parameter, which scalar has the argument that waits in a slot."""
        return {
            number: self._places[_argument(slot, procedure, number)]
            for number in self.passed(procedure)
        }

    def passed(self, procedure: Procedure) -> list[int]:
        """The parameters whose arguments get to a procedure: all that matter, and all values that
        name no thread."""
        index = self.written.numbers[procedure.name]
        live = self.live[self.written_layout.point(index, procedure.entry)]
        parameters = procedure.variables[: procedure.parameters]
        return [n for n, each in enumerate(parameters) if each.type != THREAD or live[n]]

    def after_call(self, procedure: Procedure) -> int:
        """Where a slot rests while its thread runs a procedure: where it loses the results, or
        where it ends."""
        location = ENDING
        for each in self.forked:
            location += 2 if each.results else 1
            if each is procedure and each.results:
                return location
        return ENDING

    def after_equal_call(self, kind: int) -> int:
        """The same for an equal slot."""
        has_results = [bool(self.written.by_name[name].results) for name, _ in self.kinds]
        location = ENDING + sum(2 if each else 1 for each in has_results[: kind + 1])
        return location if has_results[kind] else ENDING

    def slot_of(self, point: int) -> tuple[int, int] | None:
        """The slot and its location that a point stands for; if slots are equal, the first one."""
        if point >= self.layout.waiting:
            return None
        procedure, location = self.layout.locations[point]
        slot = procedure - len(self.written.procedures) + 1
        return (slot, location) if slot >= 1 else None

    def slot_point(self, slot: int, location: int) -> int:
        return self.layout.point(len(self.written.procedures) + slot - 1, location)

    def written_point(self, point: int) -> int | None:
        """The point in the program as written; None if it has no such point."""
        before, now = self.written_layout, self.layout
        if point == now.waiting:
            return before.waiting
        if point > now.waiting:
            number = self._assertions[point - now.violation(0)]
            return None if number is None else before.violation(number)
        procedure, location = now.locations[point]
        if procedure >= len(self.written.procedures):
            return None
        inside = location < len(self.written.procedures[procedure].locations)
        return before.point(procedure, location) if inside else None

    def require_written(self, point: int) -> int:
        """The same for a point that must be one of the program as written."""
        written = self.written_point(point)
        assert written is not None
        return written

    def slotted_point(self, point: int) -> int:
        """A point of the program as written in the one with slots."""
        before, now = self.written_layout, self.layout
        if point < before.waiting:
            return now.point(*before.locations[point])
        if point == before.waiting:
            return now.waiting
        return now.violation(self._assertions.index(point - before.violation(0)))

    def lack(self, procedure: int, fork: Fork) -> int:
        """The point of a thread that found no slot for what it forks."""
        for number, (of, edge) in enumerate(self._asserting):
            if of == procedure and edge is fork:
                return self.layout.violation(number)
        raise AssertionError("every fork has such a point")

    @property
    def lacks(self) -> list[int]:
        """All these points."""
        edges = enumerate(self._asserting)
        return [self.layout.violation(n) for n, (_, edge) in edges if isinstance(edge, Fork)]

    @cached_property
    def _asserting(self) -> list[tuple[int, Assert | Fork]]:
        """What becomes an assertion: the assertions of the program as written, and every fork that
        may find no slot or, where slots are used once, no name for a thread that never runs."""
        return [
            (number, edge)
            for number, procedure in enumerate(self.written.procedures)
            for edge in procedure.edges
            if isinstance(edge, Assert) or (isinstance(edge, Fork) and self._may_lack(edge))
        ]

    def _may_lack(self, fork: Fork) -> bool:
        return self.reuse or (self.compared and fork.variable is not None)

    @cached_property
    def _assertions(self) -> list[int | None]:
        """For each assertion, its number in the program as written; None for a lack of slots."""
        numbers: list[int | None] = []
        for _, edge in self._asserting:
            known = len(numbers) - numbers.count(None)
            numbers.append(known if isinstance(edge, Assert) else None)
        return numbers

    @cached_property
    def _places(self) -> dict[str, int]:
        """Where the scalars of global variables are, by name."""
        own = self.layout.shared_cells[: self.layout.own_cells]
        return {cell.name: place for place, cell in enumerate(own)}

    @cached_property
    def _names(self) -> Enumeration:
        second = "done" if self.reuse else "never"
        return Enumeration(("nobody", second, *(f"#{slot}" for slot in self.slots)))

    @property
    def _unrun(self) -> range:
        """The names of threads that never run. Their number is a matter of cost, as a trace that
        finds none claims nothing."""
        first = len(self.slots) + 1
        extra = len(self.program.threads) - len(self.written.threads) - len(self.slots) - 1
        return range(first, first + (0 if self.reuse else max(0, extra)))

    def _type(self, type_: Type) -> Type:
        return self._names if type_ == THREAD and not self.compared else type_

    def _variable(self, variable: Variable) -> tuple[str, Type, int | None]:
        initial = variable.initial
        if variable.type == THREAD and not self.compared:
            initial = NOBODY
        return variable.name, self._type(variable.type), initial

    def _hidden(self) -> Iterator[tuple[str, Type, int | None]]:
        """The hidden variables: name, type and initial value."""
        asked = (f"start_{procedure.name}" for procedure in self.forked)
        statuses = Enumeration(("idle", *asked, "running", *(() if self.reuse else ("over",))))
        for slot in self.slots:
            yield f"#{slot}", statuses, IDLE
        if self.counts_names:
            for slot in self.slots if self.reuse else self._unrun:
                yield f"#{slot}:names", Bounded(0, MANY, "saturate"), 0
        for slot in self.slots:
            for procedure in self.forked:
                for number in self.passed(procedure):
                    parameter = procedure.variables[number]
                    scalar = self._type(parameter.type)
                    yield _argument(slot, procedure, number), scalar, parameter.scalar.low

    def _of_equals(self) -> Iterator[tuple[str, Type, int | None]]:
        """The hidden variables of equal slots."""
        counts = Bounded(0, self.claimed.slots)
        for kind in range(len(self.kinds)):
            yield self._asked_name(kind), counts, 0
        if self.kinds:
            yield "#forked", counts, 0

    def _check_globals(self) -> None:
        found = [(each.name, each.type, each.initial) for each in self.program.globals]
        wanted = [*map(self._variable, self.written.globals), *self._hidden()]
        _require(found[: len(wanted)] == wanted, "variables")
        rest = self.program.globals[len(wanted) :]
        equals = list(self._of_equals())
        if equals:
            last = [(each.name, each.type, each.initial) for each in rest[-len(equals) :]]
            _require(last == equals, "variables")
            rest = rest[: -len(equals)]
        if not self.reuse:
            others = rest[-1:]
            _require(others == (Variable("#others", BOOLEAN, None, 0),), "variables")
            rest = rest[:-1]
        for lost in rest:
            _require(lost.name.startswith("#lost:") and lost.initial is not None, "variables")
        _require(self.program.lock == self.written.lock, "lock")

    def _check_procedures(self) -> None:
        procedures = self.program.procedures
        wanted = len(self.written.procedures) + len(self.slots)
        wanted += (not self.reuse) + bool(self.kinds)
        _require(len(procedures) == wanted, "procedures")
        for written, found in zip(self.written.procedures, procedures, strict=False):
            self._check_procedure(written, found)
        for slot in self.slots:
            self._check_slot(slot, procedures[len(self.written.procedures) + slot - 1])
        if self.kinds:
            self._check_equal_slot(procedures[-1])

    def _check_procedure(self, written: Procedure, found: Procedure) -> None:
        same = ("name", "parameters", "results", "entry")
        _require(all(getattr(written, each) == getattr(found, each) for each in same), "procedures")
        count = len(written.locations)
        _require(found.locations[:count] == written.locations, "locations")
        inside = all(each.atomic and not each.labels for each in found.locations[count:])
        _require(inside, "locations")
        variables = [self._variable(variable) for variable in written.variables]
        _require(variables == [(v.name, v.type, v.initial) for v in found.variables], "variables")

    def _check_slot(self, slot: int, found: Procedure) -> None:
        atomic = [False, False]
        for procedure in self.forked:
            atomic += [True, False] if procedure.results else [True]
        _require([each.atomic for each in found.locations] == atomic, "slots")
        unnamed = not any(each.labels or each.text for each in found.locations)
        _require(unnamed and found.entry == WAITING and not found.parameters, "slots")
        names = [_argument(slot, each, n) for each in self.forked for n in self.passed(each)]
        _require([variable.name for variable in found.variables] == names, "slots")

    def _check_equal_slot(self, found: Procedure) -> None:
        atomic = [False, False]
        for name, _ in self.kinds:
            atomic += [True, False] if self.written.by_name[name].results else [True]
        _require([each.atomic for each in found.locations] == atomic, "slots")
        unnamed = not any(each.labels or each.text for each in found.locations)
        _require(unnamed and found.entry == WAITING and not found.variables, "slots")

    def _check_threads(self) -> None:
        statuses = {variable.name: variable for variable in self.program.globals}
        slots = [Thread(f"#{n}", f"#{n}", idle=statuses[f"#{n}"]) for n in self.slots]
        if not self.reuse:
            names = [*(f"#{n}" for n in self._unrun), "#others"]
            slots += [Thread(name, "#others", idle=statuses["#others"]) for name in names]
        if self.kinds:
            count, idle = len(self.equal_slots), statuses[self._asked_name(0)]
            slots.append(Thread("#equal", "#equal", count, idle=idle))
        _require(self.program.threads == (*self.written.threads, *slots), "threads")

    def _check_points(self) -> None:
        layout = self.layout
        _require(len(layout.assertions) == len(self._asserting), "assertions")
        for found, (procedure, edge) in zip(layout.assertions, self._asserting, strict=True):
            _require(found.procedure == procedure, "assertions")
            if isinstance(edge, Assert):
                _require(_claim(found.edge) == _claim(edge), "assertions")
            else:
                _require(found.edge.kind != "limit", "assertions")
        points = list(range(self.written_layout.points))
        points.remove(self.written_layout.waiting)
        _require(all(self.program.point(p) == self.slotted_point(p) for p in points), "points")
        _require(self.claimed.lack_points == self.lacks, "assertions")

    def _check_edges(self) -> None:
        """Whether no call is lost. More of them would make only more work."""
        known = len(self.written.procedures)
        starting = {each.name for each in self.forked} | {name for name, _ in self.kinds}
        for number, found in enumerate(self.program.procedures):
            is_slot = known <= number < known + len(self.slots) or found.name == "#equal"
            wanted = frozenset(starting if is_slot else ())
            if number < known:
                wanted = called_by(self.written.procedures[number].edges)
            _require(wanted <= called_by(found.edges), "calls")
        inside = set(map(self.slotted_point, points_inside(self.written)))
        _require(inside <= points_inside(self.program), "atomic sections")


def _claim(edge: Assert) -> tuple[object, ...]:
    return edge.source, edge.condition, edge.kind


def _argument(slot: int, procedure: Procedure, number: int) -> str:
    return f"#{slot}:{procedure.name}:{procedure.variables[number].name}"


def _require(condition: bool, what: str) -> None:
    if not condition:
        raise EvidenceError(f"the program with slots is not made as it should be: its {what}")


def thread_places(layout: Layout, procedure: int | None) -> list[int]:
    """Which scalars of the global variables, or of the frames of a procedure, name threads."""
    variables = layout.program.globals
    if procedure is not None:
        variables = layout.program.procedures[procedure].variables
    scalars: list[Scalar] = [slot.type for each in variables for slot in variable_cells(each)]
    return [place for place, scalar in enumerate(scalars) if scalar == THREAD]
