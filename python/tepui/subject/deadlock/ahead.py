"""Which assignments to global variables are still ahead of a thread.

This follows control flow from where the thread is: along edges, into calls and forks, and from a
return to the frame below. What the frames hold is followed, too, where it follows from constants:
so an element that is assigned is often known, and a branch that cannot be taken is left out. Global
variables may have any value of their types, as other threads change them: `x := 2 * x` assigns even
numbers. So the result is what the thread may do:
it has every assignment that the thread could come to, and perhaps others.

The search is breadth first, so the nearest assignment comes first. At each location a few different
sets of local values are followed; all others together as one in which nothing is known.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence

from tepui.program.expressions import (
    Choice,
    Constant,
    Expression,
    Read,
    ReadElement,
    Self,
    Variable,
    inside,
)
from tepui.program.layout import Frame, Layout, SameAs, SharedState, Value, known, numbered
from tepui.program.program import (
    Call,
    Create,
    Edge,
    Element,
    End,
    Fork,
    Procedure,
    Step,
    Target,
    target_of,
    variable_of,
)
from tepui.program.semantics.evaluation import Evaluation, Store, stored, values_of
from tepui.program.walk import targets_of
from tepui.records import record
from tepui.subject.derivations import Description

_MOST_VALUES = 4
"""How many sets of local values are followed at a location."""

MOST_CASES = 256
"""How many values of what an expression reads are tried, to see which values it may have."""

MOST_PLACES = 20_000
"""How many places are looked at, for all threads together."""

Values = tuple[int | None, ...]
"""The scalars of a frame; None where a value is not known."""


@record
class Assigned:
    """An assignment ahead: where it is, and what is known about it."""

    procedure: int
    location: int
    addresses: range
    """The global scalars of which it assigns one."""
    values: frozenset[int] | None
    """The values that it may assign; None if they are not known."""
    now: frozenset[int] | None
    """Those that it would assign if the global variables stayed as they are; None if they are not
    known."""


@record
class _At:
    """A place that the thread may come to. `level` counts the frames of its stack from the top; in
    calls that it has yet to make, it is None."""

    level: int | None
    own: int | None
    """The identity of the thread; None in a thread that it has yet to start."""
    procedure: int
    location: int
    values: Values


@record
class _Needed:
    """The local scalars that an expression reads, and whether it asks which thread runs."""

    places: tuple[int, ...]
    own: bool


class Ahead:
    """The assignments that are ahead of one thread, the nearest first."""

    def __init__(
        self,
        layout: Layout,
        description: Description,
        thread: int,
        stack: Sequence[Frame],
        shared: SharedState,
        start: tuple[int, int] | None = None,
        most: int = MOST_PLACES,
    ) -> None:
        """`start` is the procedure and the location where a thread begins that has not started, and
        `most` how many places may be looked at."""
        self._layout, self._description = layout, description
        self._program = layout.program
        self._evaluations: dict[int, Evaluation] = {}
        self._needs: dict[int, _Needed | None] = {}
        self._unknown = tuple(map(SameAs, range(len(layout.shared_cells))))
        self._now = numbered(shared)
        self._stack = [
            frame
            for frame in stack
            if frame.point < layout.waiting
            and description.is_own_procedure(layout.procedure_number(frame.point))
        ]
        self._seen: set[_At] = set()
        self._sets: dict[tuple[int | None, int | None, int, int], int] = {}
        self._queue: deque[_At] = deque()
        self._found: dict[Assigned, None] = {}
        self._enter_frame(0, thread + 1)
        if start is not None:
            self._begin(thread + 1, *start)
        while self._queue and len(self._seen) <= most:
            self._visit(self._queue.popleft())
        self.places = len(self._seen)
        """How many places were looked at, or are next."""
        self.complete = not self._queue
        """Whether these are all."""
        self._by_address: dict[int, list[tuple[int, Assigned]]] = {}
        for number, assigned in enumerate(self._found):
            for address in assigned.addresses:
                self._by_address.setdefault(address, []).append((number, assigned))

    def to(self, addresses: Iterable[int]) -> list[Assigned]:
        """The assignments that may assign one of these global scalars."""
        found = {pair for address in addresses for pair in self._by_address.get(address, ())}
        return [assigned for _, assigned in sorted(found, key=lambda pair: pair[0])]

    def _enter_frame(self, level: int, own: int | None) -> None:
        if level < len(self._stack):
            frame = self._stack[level]
            place = self._layout.locations[frame.point]
            self._meet(_At(level, own, *place, tuple(map(known, frame.values))))

    def _enter(self, procedure: Procedure, own: int | None, given: Sequence[int | None]) -> None:
        """A procedure that is called or forked, with its arguments."""
        number = self._program.numbers[procedure.name]
        cells = self._layout.frame_cells[number]
        values = [*given, *(known(cell.initial) for cell in cells[len(given) :])]
        self._meet(_At(None, own, number, procedure.entry, tuple(values)))

    def _meet(self, at: _At) -> None:
        if at in self._seen:
            return
        place = (at.level, at.own, at.procedure, at.location)
        count = self._sets.get(place, 0)
        if count >= _MOST_VALUES:
            at = _At(*place, (None,) * len(at.values))
            if at in self._seen:
                return
        self._sets[place] = count + 1
        self._seen.add(at)
        self._queue.append(at)

    def _visit(self, at: _At) -> None:
        for edge in self._description.edges_at(at.procedure, at.location):
            if not self._is_possible(at, edge):
                continue
            self._note(at, edge)
            self._calls(at, edge)
            target = target_of(edge)
            if isinstance(edge, End):
                continue
            if target is not None:
                self._meet(_At(at.level, at.own, at.procedure, target, self._after(at, edge)))
            elif at.level is not None:
                self._enter_frame(at.level + 1, at.own)

    def _is_possible(self, at: _At, edge: Edge) -> bool:
        """Whether an edge may be taken: the guard may be true, and what is assigned can be."""
        if self._value(at, edge.guard) == 0:
            return False
        for target, value in _assignments(edge):
            given = None if value is None else self._value(at, value)
            if given is not None and stored(variable_of(target).scalar, given) is None:
                return False
        return True

    def _calls(self, at: _At, edge: Edge) -> None:
        """What else begins to run by an edge: what it calls, and threads that it starts."""
        if isinstance(edge, Call | Fork):
            callee = self._program.by_name[edge.procedure]
            own = at.own if isinstance(edge, Call) else None
            pairs = zip(callee.variables, edge.arguments, strict=False)
            given = [self._stored(at, value, parameter) for parameter, value in pairs]
            self._enter(callee, own, given)
        elif isinstance(edge, Create):
            for number in edge.threads:
                thread = self._program.threads[number]
                index = self._program.numbers[thread.procedure]
                entry = self._program.procedures[index].entry
                self._begin(None, index, entry if thread.start is None else thread.start)

    def _begin(self, own: int | None, procedure: int, location: int) -> None:
        """A thread that has yet to start; what it starts with is not known."""
        nothing = (None,) * len(self._layout.frame_cells[procedure])
        self._meet(_At(None, own, procedure, location, nothing))

    def _note(self, at: _At, edge: Edge) -> None:
        """Remember what an edge assigns of the global variables."""
        for target, value in _assignments(edge):
            is_copy_of_itself = isinstance(target, Variable) and value == Read(target)
            variable = variable_of(target)
            if variable.procedure is None and not is_copy_of_itself:
                addresses = self._addresses(at, target)
                if addresses:
                    given, now = (
                        None if value is None else self._values(at, value, variable, shared)
                        for shared in (self._unknown, self._now)
                    )
                    found = Assigned(at.procedure, at.location, addresses, given, now)
                    self._found.setdefault(found)

    def _after(self, at: _At, edge: Edge) -> Values:
        """The local values after an edge; those that are assigned may be known."""
        values, shared = list(at.values), len(self._layout.shared_cells)
        for target, value in _assignments(edge):
            variable = variable_of(target)
            if variable.procedure is not None:
                addresses = self._addresses(at, target)
                given = None if value is None else self._stored(at, value, variable)
                for address in addresses:
                    values[address - shared] = given if len(addresses) == 1 else None
        return tuple(values)

    def _addresses(self, at: _At, target: Target) -> range:
        """The scalars of which one is assigned; none if the index is outside of the array."""
        variable = variable_of(target)
        first = self._evaluation(at.procedure).address(variable)
        if isinstance(target, Element):
            index = self._value(at, target.index)
            if index is None:
                return range(first, first + variable.length)
            return range(first + index, first + index + (0 <= index < variable.length))
        return range(first, first + 1)

    def _stored(self, at: _At, value: Expression, variable: Variable) -> int | None:
        found = self._value(at, value)
        return None if found is None else stored(variable.scalar, found)

    def _values(
        self, at: _At, value: Expression, variable: Variable, shared: tuple[Value, ...]
    ) -> frozenset[int] | None:
        """The values that a variable may get, if they are few enough to be tried."""
        evaluation, first = self._evaluation(at.procedure), len(self._unknown)
        decided = [SameAs(first + n) if each is None else each for n, each in enumerate(at.values)]
        cells: tuple[Value, ...] = (*shared, *decided)
        cases = 1
        for part in inside(value):
            match part:
                case ReadElement() | Read(after=True):
                    return None
                case Self() if at.own is None:
                    return None
                case Choice():
                    cases *= part.type.size
                case Read():
                    address = evaluation.address(part.variable)
                    cases *= (
                        evaluation.scalar(address).size if isinstance(cells[address], SameAs) else 1
                    )
            if cases > MOST_CASES:
                return None
        outcomes = evaluation.outcomes(value, Store(cells, own=at.own or 0))
        found = (stored(variable.scalar, each) for each, _ in outcomes)
        return frozenset(each for each in found if each is not None)

    def _value(self, at: _At, expression: Expression) -> int | None:
        """The value of an expression, if it follows from what is known."""
        if isinstance(expression, Constant):
            return expression.value
        needed = self._needed(at.procedure, expression)
        if needed is None or any(at.values[place] is None for place in needed.places):
            return None
        if needed.own and at.own is None:
            return None
        first = len(self._unknown)
        values = (SameAs(first) if value is None else value for value in at.values)
        store = Store((*self._unknown, *values), own=at.own or 0)
        outcomes = self._evaluation(at.procedure).outcomes(expression, store)
        return next((value for value, _ in outcomes), None)

    def _needed(self, procedure: int, expression: Expression) -> _Needed | None:
        """What must be known to evaluate an expression; None if that is never enough."""
        key = id(expression)  # The program keeps its expressions.
        if key not in self._needs:
            self._needs[key] = self._found_needed(procedure, expression)
        return self._needs[key]

    def _found_needed(self, procedure: int, expression: Expression) -> _Needed | None:
        evaluation, shared = self._evaluation(procedure), len(self._unknown)
        places, own = [], False
        for part in inside(expression):
            match part:
                case Choice() | ReadElement():
                    return None
                case Self():
                    own = True
                case Read():
                    address = evaluation.address(part.variable)
                    if part.after or address < shared:
                        return None
                    places.append(address - shared)
        return _Needed(tuple(places), own)

    def _evaluation(self, procedure: int) -> Evaluation:
        if procedure not in self._evaluations:
            self._evaluations[procedure] = Evaluation(self._layout, procedure, values_of)
        return self._evaluations[procedure]


def _assignments(edge: Edge) -> Iterator[tuple[Target, Expression | None]]:
    """What an edge assigns, and which value, where an expression says so."""
    if isinstance(edge, Step):
        for assignment in edge.assignments:
            yield assignment.target, assignment.value
    else:
        for target in targets_of(edge):
            yield target, None
