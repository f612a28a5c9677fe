"""Why no thread of a program can move at the end of a trace.

Values are those of the state in which the story of the trace ends, without fused steps and with the
names that forked threads have in it. Nothing of this is evidence: that no thread can move is
what the checker makes sure of.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import product
from math import prod

from tepui.checker import Trace
from tepui.kernels.lowered_system import LoweredSystem
from tepui.program.expressions import Expression, Read, ReadElement, Unary, reads
from tepui.program.layout import Cell, Frame
from tepui.program.program import NOWHERE, Element, Receive, target_of
from tepui.program.semantics.evaluation import Depends, Store, values_of
from tepui.program.semantics.meaning import Meaning
from tepui.records import record, replace
from tepui.subject.deadlock.ahead import MOST_CASES, MOST_PLACES, Ahead, Assigned
from tepui.subject.deadlock.blocked import Blocked, Closed, Passed
from tepui.subject.deadlock.explanation import (
    Chance,
    Deadlock,
    EndedThread,
    Need,
    NeedKind,
    Place,
    Seen,
)
from tepui.subject.deadlock.followed import Followed
from tepui.subject.deadlock.stuck_state import Decided, replace_at, stuck_state, unread
from tepui.subject.deadlock.wait_cycle import explained
from tepui.subject.derivations import Description
from tepui.subject.story import Resting


def program_deadlock(
    system: LoweredSystem, description: Description, meaning: Meaning, trace: Trace
) -> Deadlock:
    """The deadlock in which a trace of a program's system ends."""
    return _Explainer(system, description, meaning, trace).deadlock()


class _Explainer:
    """Explains the end of one trace."""

    def __init__(
        self, system: LoweredSystem, description: Description, meaning: Meaning, trace: Trace
    ) -> None:
        self._layout, self._program = system.layout, system.program
        self._description = description
        self._followed = Followed(system, description, meaning, trace)
        self._state = stuck_state(system, meaning, trace)
        self._blocked = Blocked(system.layout, meaning, description)
        there = [
            thread
            for thread in range(len(system.threads))
            if self._followed.is_there(thread, self._state.shared)
        ]
        self._resting = dict(zip(there, self._followed.resting, strict=True))
        self._ways: dict[int, tuple[list[Closed], bool]] = {}
        self._behind: dict[tuple[int, int], frozenset[int]] = {}
        self._aheads: dict[object, Ahead] = {}
        self._of_threads: dict[int, Ahead] = {}
        self._numbers = {self._followed.name(thread): thread for thread in there}

    def deadlock(self) -> Deadlock:
        threads = [self._thread(thread, rest) for thread, rest in self._resting.items()]
        return explained(threads, [self._decided_text(each) for each in self._state.decided])

    def _thread(self, thread: int, rest: Resting) -> EndedThread:
        stack = self._state.stacks[thread]
        if not stack:
            return EndedThread(rest.thread, "over", None)
        if self._is_waiting(thread):
            return EndedThread(rest.thread, "not created", None)
        closed, complete = self._closed(thread)
        needs = dict.fromkeys(self._need(thread, each) for each in closed)
        calls = self._followed.stack(thread, rest)
        place = _place_of(rest)
        return EndedThread(rest.thread, "stuck", place, calls, tuple(needs), complete=complete)

    def _is_waiting(self, thread: int) -> bool:
        """Whether a thread waits to be created, which may never happen: then it is not stuck."""
        point = self._state.stacks[thread][0].point
        kind = self._program.threads[self._program.thread_types[thread]]
        idle = self._layout.idle(kind)
        return idle is not None and point == idle[0] and self._state.shared[idle[1]] == 0

    def _closed(self, thread: int) -> tuple[list[Closed], bool]:
        """The closed ways on of a thread, and whether these are all."""
        if thread not in self._ways:
            self._ways[thread] = self._found_closed(thread, self._state.stacks[thread][0])
        return self._ways[thread]

    def _found_closed(self, thread: int, top: Frame) -> tuple[list[Closed], bool]:
        hidden, shared, lock = self._layout.hidden, self._state.shared, self._program.lock
        if lock is not None and shared[hidden["holder"]] not in (0, thread + 1):
            return [self._shut_out(top, "lock", lock.name, (Unary("not", Read(lock)),))], True
        if "full" in hidden and shared[hidden["full"]] == 1 and self._receiver != thread:
            return [self._shut_out(top, "receipt", "the receipt of results")], True
        return self._blocked.ways(thread, shared, top)

    def _shut_out(
        self, top: Frame, kind: NeedKind, text: str, parts: tuple[Expression, ...] = ()
    ) -> Closed:
        """A thread may not move at all now, wherever it is."""
        if top.point == self._layout.waiting:
            # It has not started, so it is in no procedure; the condition reads nothing local.
            top = Frame(0, (None,) * len(self._layout.frame_cells[0]))
        place = self._layout.locations[top.point]
        return Closed(kind, text, parts, (), *place, self._state.shared, top, Passed(), False)

    @cached_property
    def _receiver(self) -> int | None:
        """The thread that has returned from a call and has not taken its results."""
        for thread, stack in enumerate(self._state.stacks):
            if stack and stack[0].point < self._layout.waiting:
                edges = self._description.edges_at(*self._layout.locations[stack[0].point])
                if any(isinstance(edge, Receive) for edge in edges):
                    return thread
        return None

    def _need(self, thread: int, closed: Closed) -> Need:
        place = _place_of(self._resting[thread])
        if closed.is_inside:
            place = self._place(closed.procedure, closed.location)
        need = Need(closed.kind, closed.text, place, tuple(self._values(thread, closed)))
        match closed.kind:
            case "join":
                return self._join(need)
            case "receipt":
                assert self._receiver is not None
                return self._held(need, self._receiver)
            case "way on":
                return replace(need, hopeless=True)
            case "end of section":
                return need
            case "lock":
                holder = self._state.shared[self._layout.hidden["holder"]]
                assert isinstance(holder, int)
                text = f"{closed.text}, which {self._followed.name(holder - 1)} holds"
                return self._with_chances(thread, replace(need, text=text), closed, [holder - 1])
            case _:
                return self._with_chances(thread, need, closed, list(self._resting))

    def _join(self, need: Need) -> Need:
        """The thread that is to end, if the variable names one that can."""
        name = need.values[0].value if need.values else None
        other = self._numbers.get(name or "")
        if other is None or self._program.thread_types[other] < self._description.own_types:
            return replace(need, hopeless=True)
        return self._held(replace(need, text=f"the end of {name}"), other)

    def _held(self, need: Need, other: int) -> Need:
        """What only one thread can give, by going on from where it is."""
        place = _place_of(self._resting[other])
        return replace(need, chances=(Chance(self._followed.name(other), place),))

    def _with_chances(self, thread: int, need: Need, closed: Closed, others: Sequence[int]) -> Need:
        """Who wrote what is read last, and who could make it true.

        A thread that holds what it needs itself would have to come past this place to give it away,
        so it gives no hope; but it says who is to blame. And a thread that waits for the same is
        not the first to make it true; it is named only if it holds it.
        """
        conditions = [Condition(part, *self._reads(thread, closed, part)) for part in closed.parts]
        direct = dict.fromkeys(address for each in conditions for address in each.addresses)
        found = (self._followed.last_written(address) for address in direct)
        written = tuple(each for each in found if each is not None)
        holding = {each.thread for each in written} | {each.value for each in need.values}
        holders = {each for each in others if self._followed.name(each) in holding}
        live = [
            each for each in others if self._is_live(each) and (each != thread or each in holders)
        ]
        able = [self._able(thread, live, condition, closed) for condition in conditions]
        hopeless = not able or any(not possible - {thread} for _, possible in able)
        hopeless = hopeless and all(self._ahead(each).complete for each in live)
        nearest: dict[int, Assigned] = {}
        for told, _ in reversed(able):
            nearest |= told
        if hopeless:  # Nobody can help who is not to blame.
            nearest = {each: at for each, at in nearest.items() if each == thread}
        first = {
            each: at
            for each, at in nearest.items()
            if each in holders or not self._waits_for_the_same(each, thread, closed)
        }
        nearest = first or nearest
        if len(nearest) > 1:
            nearest.pop(thread, None)
        chances = (
            Chance(self._followed.name(each), self._place(at.procedure, at.location))
            for each, at in sorted(nearest.items())
        )
        return replace(need, written=written, chances=tuple(chances), hopeless=hopeless)

    def _waits_for_the_same(self, other: int, thread: int, closed: Closed) -> bool:
        """Whether another thread can only go on where what closes a way of this one is true."""
        ways, complete = self._closed(other)
        return complete and all(self._is_implied(other, way, thread, closed) for way in ways)

    def _is_implied(self, other: int, way: Closed, thread: int, closed: Closed) -> bool:
        """Whether a condition of another thread is true only where the one of this thread is, for
        all values of what they read; said only if these are few."""
        if way.kind != "condition" or closed.kind != "condition":
            return False
        shared = self._state.shared
        if way.shared != shared or closed.shared != shared:
            return False  # A section has computed with the values before.
        sides = [(other, way), (thread, closed)]
        read = sorted(
            {
                address
                for who, side in sides
                for part in side.parts
                for address in self._addresses(who, side, part)
                if address < len(shared)
            }
        )
        cells = [self._layout.shared_cells[address].type for address in read]
        if prod(scalar.size for scalar in cells) > MOST_CASES:
            return False
        for values in product(*(values_of(scalar) for scalar in cells)):
            after = shared
            for address, value in zip(read, values, strict=True):
                after = replace_at(after, address, value)
            theirs, ours = (
                all(self._blocked.holds(side, part, who + 1, after) for part in side.parts)
                for who, side in sides
            )
            if theirs and not ours:
                return False
        return True

    def _is_live(self, thread: int) -> bool:
        return bool(self._state.stacks[thread]) and not self._is_waiting(thread)

    def _able(
        self, thread: int, others: Sequence[int], condition: Condition, closed: Closed
    ) -> tuple[dict[int, Assigned], set[int]]:
        """The threads that may make a condition true, with the nearest statement that may: only
        those that can do it alone, if there are some. And all threads that may help."""
        at_once: dict[int, Assigned] = {}
        alone: dict[int, Assigned] = {}
        together: dict[int, Assigned] = {}
        for other in others:
            for assigned in self._ahead(other).to(condition.addresses | condition.others):
                here = (assigned.procedure, assigned.location)
                if other == thread and here == (closed.procedure, closed.location):
                    continue  # That is where it is stuck.
                if self._is_behind(assigned, closed):
                    together.setdefault(other, assigned)
                elif self._is_enough(thread, assigned, assigned.now, condition, closed):
                    at_once.setdefault(other, assigned)
                    break
                if self._is_enough(thread, assigned, assigned.values, condition, closed):
                    alone.setdefault(other, assigned)
                elif self._is_change(thread, assigned, condition, closed):
                    together.setdefault(other, assigned)
        alone = {**alone, **at_once}
        return alone or together, alone.keys() | together.keys()

    def _is_behind(self, assigned: Assigned, closed: Closed) -> bool:
        """Whether an assignment comes behind a condition in the same atomic section: so who comes
        to it has found the condition true."""
        if not closed.is_inside or assigned.procedure != closed.procedure:
            return False
        place = (closed.procedure, closed.location)
        if place not in self._behind:
            self._behind[place] = frozenset(self._found_behind(*place))
        return assigned.location in self._behind[place]

    def _found_behind(self, procedure: int, location: int) -> Iterable[int]:
        """The locations that come after one in its atomic section."""
        locations = self._program.procedures[procedure].locations
        found, waiting = {location}, [location]
        while waiting:
            for edge in self._description.edges_at(procedure, waiting.pop()):
                target = target_of(edge)
                if target is not None and locations[target].atomic and target not in found:
                    found.add(target)
                    waiting.append(target)
        return found

    def _is_enough(
        self,
        thread: int,
        assigned: Assigned,
        values: frozenset[int] | None,
        condition: Condition,
        closed: Closed,
    ) -> bool:
        """Whether one of these values may make a condition true, if all else stays as it is."""
        if values is None or condition.others:
            return True
        parts = (condition.part, *closed.kept)
        return self._gives(thread, assigned, values, parts, closed)

    def _gives(
        self,
        thread: int,
        assigned: Assigned,
        values: frozenset[int],
        parts: Sequence[Expression],
        closed: Closed,
    ) -> bool:
        """Whether one of these values may make some parts of a condition true."""
        for address, value in product(assigned.addresses, values):
            if closed.kind in ("condition", "lock"):
                shared = replace_at(closed.shared, address, value)
                if all(self._blocked.holds(closed, part, thread + 1, shared) for part in parts):
                    return True
            elif closed.shared[address] != value:
                return True
        return False

    def _is_change(
        self, thread: int, assigned: Assigned, condition: Condition, closed: Closed
    ) -> bool:
        """Whether an assignment changes one of several variables of a condition, or makes it true,
        but not what has to be true besides."""
        changed = [address for address in assigned.addresses if address in condition.addresses]
        if assigned.values is None:
            return bool(changed)
        if len(condition.addresses) > 1:
            return any(assigned.values - {closed.shared[address]} for address in changed)
        return self._gives(thread, assigned, assigned.values, [condition.part], closed)

    def _ahead(self, thread: int) -> Ahead:
        if thread not in self._of_threads:
            self._of_threads[thread] = self._found_ahead(thread)
        return self._of_threads[thread]

    def _found_ahead(self, thread: int) -> Ahead:
        """What is ahead of a thread. Threads that are equal have the same ahead."""
        stack, start = self._state.stacks[thread], None
        if stack[0].point == self._layout.waiting or self._is_asked(stack[0]):
            start = self._followed.begins(thread)
        knows = self._layout.knows_itself(self._program.thread_types[thread])
        key = (stack, start, thread if knows else None)
        if key not in self._aheads:
            most = MOST_PLACES - sum(each.places for each in self._aheads.values())
            self._aheads[key] = Ahead(
                self._layout,
                self._description,
                thread,
                stack,
                self._state.shared,
                start,
                max(0, most),
            )
        return self._aheads[key]

    def _is_asked(self, top: Frame) -> bool:
        """Whether a frame is that of a slot whose thread has not started."""
        procedure, location = self._layout.locations[top.point]
        return location == 0 and not self._description.is_own_procedure(procedure)

    def _values(self, thread: int, closed: Closed) -> Iterator[Seen]:
        """The variables that a condition reads, each once, with their values."""
        layout, own = self._layout, self._state.stacks[thread][0]
        first = len(layout.shared_cells)
        cells = layout.frame_cells[closed.procedure]
        found = [
            address for part in closed.parts for address in self._addresses(thread, closed, part)
        ]
        same_frame = own.point < layout.waiting and (
            layout.procedure_number(own.point) == closed.procedure
        )
        for address in dict.fromkeys(found):
            if address < self._description.own_globals:
                cell, value = layout.shared_cells[address], closed.shared[address]
                inside = value != self._state.shared[address]
                yield Seen(cell.name, self._followed.text(cell, value), inside)
            elif address >= first and cells[address - first].is_of_source:
                cell, value = cells[address - first], closed.frame.values[address - first]
                inside = same_frame and value != own.values[address - first]
                name = self._local_name(closed.procedure, cell)
                yield Seen(name, self._followed.text(cell, value), inside and closed.is_inside)

    def _local_name(self, procedure: int, cell: Cell) -> str:
        """The name of a local variable; with its procedure, if a global one has the same."""
        own = self._layout.shared_cells[: self._description.own_globals]
        hides = any(each.name == cell.name for each in own)
        return f"{self._program.procedures[procedure].name}.{cell.name}" if hides else cell.name

    def _reads(
        self, thread: int, closed: Closed, part: Expression
    ) -> tuple[frozenset[int], frozenset[int]]:
        """The global scalars that a condition reads, and others on which it depends because the
        section has computed with them before."""
        own = self._description.own_globals
        read = frozenset(each for each in self._addresses(thread, closed, part) if each < own)
        variables = {each.variable for each in reads(part)}
        computed = any(
            each.procedure is not None or each in closed.passed.assigned for each in variables
        )
        if not closed.is_inside or not computed:
            return read, frozenset()
        evaluation = self._blocked.evaluation(closed.procedure)
        return read, frozenset(
            address
            for each in closed.passed.reads
            for address in range(evaluation.address(each), evaluation.address(each) + each.length)
            if address < own
        )

    def _addresses(self, thread: int, closed: Closed, part: Expression) -> Iterator[int]:
        """The scalars that an expression reads; all of an array if the index is not known."""
        evaluation = self._blocked.evaluation(closed.procedure)
        shared, frame = closed.shared, closed.frame
        store = Store((*unread(shared), *unread(frame.values, len(shared))), own=thread + 1)
        for read in reads(part):
            first = evaluation.address(read.variable)
            if isinstance(read, ReadElement):
                try:
                    target = Element(read.variable, read.index)
                    yield from [address for address, _ in evaluation.targeted(target, store)]
                except Depends:
                    yield from range(first, first + read.variable.length)
            else:
                yield first

    def _place(self, procedure: int, location: int) -> Place:
        code = self._program.procedures[procedure]
        at = code.locations[code.statements[location]]
        return Place(None if at.position == NOWHERE else at.position, code.name, at.text)

    def _decided_text(self, decided: Decided) -> str:
        text = f"{decided.cell.name}={self._followed.text(decided.cell, decided.value)}"
        return text if decided.thread is None else f"{self._followed.name(decided.thread)} {text}"


@record
class Condition:
    """A condition that is false."""

    part: Expression
    addresses: frozenset[int]
    """The global scalars that it reads."""
    others: frozenset[int]
    """Those on which it depends besides."""


def _place_of(rest: Resting) -> Place:
    return Place(rest.position, "" if rest.at is None else rest.at.procedure, rest.statement)
