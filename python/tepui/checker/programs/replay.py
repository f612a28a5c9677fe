"""A trace is replayed on the program as it was written.

The checker replays a trace on the system that the engines have explored. Passes have made that
system: dead values are forgotten, forked threads run in slots, sorts have fewer values. None of
them is trusted here. The run is found anew, by the reference semantics of the program as written,
and with real forks and joins; its contexts are counted, and its last state must be bad. The trace
says only where to look: which thread moves next, and what its state looks like afterwards, as far
as the trace says. Whatever is wrong with the passes, a run that is found in this way is a run of
the program.

Where a sort has fewer values, only these are chosen, here as well. So if the last state is a
deadlock, that no other value lets a thread move follows from what `small_sorts` has checked before.
Where choices have fewer values for another reason, threads count as stuck at certain points only.

Where a step can turn out in several ways that the trace does not tell apart, a few are followed. If
the passes are right, any of them will do.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import permutations
from typing import TYPE_CHECKING

from tepui.checker.patience import Patience
from tepui.checker.programs.slot_shape import IDLE, NOBODY, SlotShape, thread_places
from tepui.checker.trace import Trace
from tepui.checker.trace_steps import TraceStep
from tepui.errors import CheckStopped, EvidenceError
from tepui.model import EPSILON, Property
from tepui.program.layout import Cell, Frame, SharedState, Value, point_class
from tepui.program.program import Program
from tepui.program.semantics.evaluation import ValuesOf, values_of
from tepui.program.semantics.forks import Register
from tepui.program.semantics.meaning import Meaning
from tepui.program.types import ThreadId
from tepui.records import record

if TYPE_CHECKING:
    from tepui.checker.programs.small_sorts import SmallSorts

_FOLLOWED = 16
"""How many outcomes of a step are followed."""

_FORKS = (0, 1, 2, 4, 8, 16)
"""How many more threads a step may fork than the trace shows: with a bound, some never run."""

_TOO_MANY_FORKS = "a step may fork threads without end"

Stack = tuple[Frame, ...]


@record
class Claim:
    """What a trace says about a step: the shared state after it, the top of the stack of the thread
    that has moved, and what lies below it; None if nothing does."""

    shared: SharedState
    top: Frame | None
    below: Frame | None


@record
class _State:
    """A state of the program as written."""

    shared: SharedState
    stacks: tuple[Stack, ...]
    """The stacks of the threads that the program begins with, then of all that were forked."""
    seats: tuple[tuple[int, int], ...] = ()
    """The slots in which the trace has its forked threads, and the numbers of these threads."""
    contexts: int = 0
    last: int | None = None
    """The thread that has moved last: its place in `stacks`."""


def replay(
    program: Program,
    shape: SlotShape | None,
    sorts: SmallSorts | None,
    probes: Iterable[int],
    asked: Property,
    claims: Iterable[Claim],
    trace: Trace,
    go_on: Callable[[], bool] = lambda: True,
    may_be_stuck: Callable[[int], bool] = lambda _: True,
) -> None:
    """Return if the program as written has such a run into a bad state, with as many contexts;
    raise EvidenceError if not. `shape` is that of a program with slots, and `sorts` are those of
    which the trace has only some values. In a deadlock, threads are at points where they
    `may_be_stuck`. `go_on` is called now and then, as everywhere in the checker."""
    patience = Patience(go_on)
    _Replay(program, shape, sorts, probes, may_be_stuck).run(asked, patience.each(claims), trace)


class _Replay:
    def __init__(
        self,
        program: Program,
        shape: SlotShape | None,
        sorts: SmallSorts | None,
        probes: Iterable[int],
        may_be_stuck: Callable[[int], bool],
    ) -> None:
        self._may_be_stuck = may_be_stuck
        self._shape = shape
        self._sorts = sorts
        self._claimed = program.layout
        written = program if shape is None else shape.written
        values: ValuesOf = values_of
        if sorts is not None:
            written, values = sorts.original, sorts.some_values
        points = (self._written_point(point) for point in probes)
        inside = frozenset(point for point in points if point is not None)
        self._meaning = Meaning(written, liveness=False, probes=inside, values=values)
        self._registers = self._meaning.registers
        self._threads = len(written.thread_types)
        left_out = _other_results(program, written)
        self._compared = _compared_places(program, written, left_out)
        self._naming = thread_places(written.layout, None)

    def run(self, asked: Property, claims: Iterable[Claim], trace: Trace) -> None:
        states = [self._initial()]
        for number, (step, claim) in enumerate(zip(trace.steps, claims, strict=True), start=1):
            moved = [after for state in states for after in self._after(state, step, claim)]
            if not moved and self._registers.left_out:
                raise CheckStopped(_TOO_MANY_FORKS)
            if not moved:
                raise EvidenceError(f"step {number} is no step of the program as it was written")
            states = list(dict.fromkeys(moved))
            if len(states) > _FOLLOWED:
                # A call may have decided something in the frame of its caller. And whatever is
                # followed, it is the same in every run.
                states.sort(key=str)
                states.sort(key=lambda state: not self._agrees_below(state, step, claim))
                del states[_FOLLOWED:]
        bad = [state for state in states if self._is_bad(state, asked, trace.end[0])]
        if not bad:
            raise EvidenceError("the trace ends in a state of the program that is not bad")
        if all(state.contexts != trace.contexts for state in bad):
            raise EvidenceError(
                f"the trace claims {trace.contexts} contexts, "
                f"but the run of the program as it was written has {bad[0].contexts}"
            )

    def _initial(self) -> _State:
        meaning = self._meaning
        stacks = tuple(map(meaning.initial_stack, range(self._threads)))
        return _State(meaning.initial_shared(), stacks)

    def _thread(self, state: _State, thread: int) -> int | None:
        """Which thread of the program as written a thread of the trace is: its place in `stacks`.
        A slot is the thread in it."""
        if thread < self._threads:
            return thread
        forked = dict(state.seats).get(thread - self._threads + 1)
        return None if forked is None else self._threads + forked - 1

    def _after(self, state: _State, step: TraceStep, claim: Claim) -> list[_State]:
        """The states to which a step of the trace may lead, with as few forks as possible."""
        self._registers.left_out = False
        for more in _FORKS:
            self._registers.most = (
                len(self._register(state.shared)) + self._shown(state, claim) + more
            )
            found = [
                outcome
                for begun in self._taking(state, step.thread)
                for outcome in self._outcomes(begun, step, claim)
            ]
            if found or not self._registers.left_out:
                return found
            self._registers.left_out = more == _FORKS[-1]
        return []

    def _shown(self, state: _State, claim: Claim) -> int:
        """How many threads a step forks at least, as the trace says."""
        shape = self._shape
        if shape is None:
            return 0
        asked = [claim.shared[shape.asked_equals(kind)] for kind in range(len(shape.kinds))]
        waiting = sum(count for count in asked if isinstance(count, int))
        equals = max(0, waiting - len(self._unseated(state))) if shape.kinds else 0
        return equals + sum(self._is_new(state, slot, claim) for slot in shape.slots)

    def _unseated(self, state: _State) -> list[int]:
        """The numbers of the threads that are to start and have no slot."""
        seated = dict(state.seats).values()
        return [
            number
            for number, forked in enumerate(self._register(state.shared), 1)
            if forked.status == "asked" and number not in seated
        ]

    def _taking(self, state: _State, thread: int) -> list[_State]:
        """The same state, where an equal slot that is about to run has one of the threads that are
        to start: of several that look the same, the first."""
        shape, slot = self._shape, thread - self._threads + 1
        if shape is None or slot not in shape.equal_slots:
            return [state]
        seats, register = dict(state.seats), self._register(state.shared)
        if slot in seats:
            return [state]
        first = {register[number - 1]: number for number in reversed(self._unseated(state))}
        return [
            replace(state, seats=tuple(sorted((seats | {slot: number}).items())))
            for number in first.values()
        ]

    def _outcomes(self, state: _State, step: TraceStep, claim: Claim) -> Iterator[_State]:
        thread = self._thread(state, step.thread)
        if thread is None:
            return
        stack = state.stacks[thread]
        for shared, word in self._rules(state, thread):
            forked = self._register(shared)[len(self._register(state.shared)) :]
            stacks = (*state.stacks[:thread], word + stack[1:], *state.stacks[thread + 1 :])
            contexts = state.contexts + (thread != state.last)
            new = _State(shared, (*stacks, *((),) * len(forked)), state.seats, contexts, thread)
            for seated in self._seated(state, new, claim):
                if self._agrees(seated, step.thread, claim):
                    yield seated

    def _rules(self, state: _State, thread: int) -> Iterable[tuple[SharedState, Stack]]:
        """What a thread can do."""
        if not state.stacks[thread]:
            return self._meaning.rules_without_frame(thread, state.shared)
        return self._meaning.rules(thread, state.shared, state.stacks[thread][0])

    def _register(self, shared: SharedState) -> Register:
        place = self._meaning.layout.hidden.get("forked")
        return () if place is None else self._meaning.registers[shared[place]]

    def _seated(self, before: _State, after: _State, claim: Claim) -> Iterator[_State]:
        """The possible assignments of slots of the trace to new threads; some may have none."""
        known = len(self._register(before.shared))
        new = range(known + 1, len(self._register(after.shared)) + 1)
        if not new or self._shape is None:
            yield after
            return
        asked = [slot for slot in self._shape.slots if self._is_new(before, slot, claim)]
        for numbers in permutations(new, len(asked)):
            seats = dict(zip(asked, numbers, strict=True))
            if all(self._runs(after, claim, *seat) for seat in seats.items()):
                yield replace(after, seats=tuple(sorted((dict(before.seats) | seats).items())))

    def _runs(self, state: _State, claim: Claim, slot: int, forked: int) -> bool:
        """Whether a slot has been asked to run what a thread is to run."""
        assert self._shape is not None
        asked = self._shape.asked(claim.shared[self._shape.status(slot)])
        thread = self._register(state.shared)[forked - 1]
        if asked is None or asked is not self._shape.written.procedures[thread.procedure]:
            return False
        cells = self._meaning.layout.frame_cells[thread.procedure]
        for number, place in self._shape.arguments(slot, asked).items():
            mine, theirs = cells[number], self._claimed.shared_cells[place]
            claimed = self._decoded(mine, theirs, claim.shared[place])
            if not isinstance(mine.type, ThreadId) and _contradicts(
                thread.arguments[number], claimed
            ):
                return False
        return True

    def _is_new(self, before: _State, slot: int, claim: Claim) -> bool:
        """Whether a slot has been asked for a thread by this step."""
        assert self._shape is not None
        if self._shape.asked(claim.shared[self._shape.status(slot)]) is None:
            return False
        forked = dict(before.seats).get(slot)
        return forked is None or self._register(before.shared)[forked - 1].status == "over"

    def _agrees(self, state: _State, thread: int, claim: Claim) -> bool:
        """Whether a state looks as the trace says, as far as it says something."""
        layout = self._meaning.layout
        cells, claimed_cells = layout.shared_cells, self._claimed.shared_cells
        for mine, theirs in self._compared:
            value, claimed = state.shared[mine], claim.shared[theirs]
            unused = cells[mine].initial, claimed_cells[theirs].initial
            if mine >= layout.own_cells and (value, claimed) == unused:
                continue  # A hidden scalar has some value before it has one.
            claimed = self._decoded(cells[mine], claimed_cells[theirs], claimed)
            if _contradicts(value, claimed):
                return False
        for place in self._naming:
            if not self._names_the_same(state, state.shared[place], claim.shared[place]):
                return False
        own = self._thread(state, thread)
        return own is not None and self._looks_the_same(state, own, claim.top)

    def _looks_the_same(self, state: _State, thread: int, claimed: Frame | None) -> bool:
        """Whether the top of a stack is at the same place, with the same values."""
        stack = state.stacks[thread]
        if claimed is None or (self._shape and self._shape.slot_of(claimed.point)):
            return not stack
        return bool(stack) and self._is_frame(state, stack[0], claimed)

    def _agrees_below(self, state: _State, step: TraceStep, claim: Claim) -> bool:
        """Whether what lies below the top of the stack looks as the trace says."""
        thread = self._thread(state, step.thread)
        stack = () if thread is None else state.stacks[thread]
        if claim.below is None or len(stack) < 2:
            return False
        return self._is_frame(state, stack[1], claim.below)

    def _is_frame(self, state: _State, frame: Frame, claimed: Frame) -> bool:
        """Whether a frame is at the same place as in the trace, with the same values."""
        point = self._written_point(claimed.point)
        if point is None or frame.point != point:
            return False
        layout = self._meaning.layout
        naming: list[int] = []
        decoded: Sequence[Value] = claimed.values
        if point < layout.waiting:
            procedure = layout.locations[point][0]
            naming = thread_places(layout, procedure)
            cells = zip(
                layout.frame_cells[procedure],
                self._claimed.frame_cells[procedure],
                claimed.values,
                strict=True,
            )
            decoded = [self._decoded(*cell) for cell in cells]
        pairs = zip(frame.values, decoded, strict=True)
        for place, (value, theirs) in enumerate(pairs):
            if place in naming and self._shape is not None:
                # A name that will never be read need not be there.
                live = self._shape.live[point][place]
                if live and not self._names_the_same(state, value, theirs):
                    return False
            elif _contradicts(value, theirs):
                return False
        return True

    def _decoded(self, mine: Cell, theirs: Cell, value: Value) -> Value:
        """A value of the trace as it is in the program as written."""
        return value if self._sorts is None else self._sorts.decoded(mine, theirs, value)

    def _names_the_same(self, state: _State, identity: Value, claimed: Value) -> bool:
        """Whether a variable names the same thread as in the trace."""
        if not isinstance(identity, int) or not isinstance(claimed, int):
            return True
        forked, shape = identity - self._threads, self._shape
        if shape is None or forked <= 0 or claimed == NOBODY:
            return identity == claimed
        slot = claimed - shape.name(0)
        if slot in shape.slots or slot in shape.equal_slots:
            return dict(state.seats).get(slot) == forked
        if shape.reuse:
            return self._register(state.shared)[forked - 1].status == "over"
        return forked not in dict(state.seats).values()

    def _written_point(self, point: int) -> int | None:
        return point if self._shape is None else self._shape.written_point(point)

    def _is_bad(self, state: _State, asked: Property, end: int) -> bool:
        """Whether a state at the end of a trace is bad; `end` is the number of the trace's last
        shared state, with which this state agrees."""
        patterns = any(
            pattern.shared in (None, end) and self._fits(state, pattern.tops)
            for pattern in asked.patterns
        )
        return patterns or (asked.deadlock and self._is_deadlock(state))

    def _fits(self, state: _State, tops: Sequence[int | None]) -> bool:
        """Whether threads are where a pattern wants them."""
        for number, wanted in enumerate(tops):
            if wanted is None:
                continue
            thread = self._thread(state, number)
            if thread is not None and not state.stacks[thread] and wanted == EPSILON:
                continue
            if thread is None or not state.stacks[thread]:
                return False
            place = state.stacks[thread][0].point
            if self._shape is not None:
                place = self._shape.slotted_point(place)
            if point_class(place) != wanted:
                return False
        return True

    def _is_deadlock(self, state: _State) -> bool:
        """Whether no thread can move, in some case, and some thread is not over."""
        self._registers.most = len(self._register(state.shared)) + _FORKS[-1]
        self._registers.left_out = False
        if not self._is_stuck(state):
            return False
        if self._registers.left_out:
            raise CheckStopped(_TOO_MANY_FORKS)
        return True

    def _is_stuck(self, state: _State) -> bool:
        cases = [state.shared]
        busy = False
        for thread, stack in enumerate(state.stacks):
            busy |= self._is_busy(state, thread)
            if stack:
                if not self._may_be_stuck(stack[0].point):
                    return False
                stuck = (self._meaning.stuck(thread, case, stack[0]) for case in cases)
                cases = [case for found in stuck for case, _ in found]
            elif self._rules(state, thread):
                return False
            if not cases:
                return False
        return busy

    def _is_busy(self, state: _State, thread: int) -> bool:
        """Whether a thread is neither over nor still to be created."""
        if thread >= self._threads:
            return self._register(state.shared)[thread - self._threads].status != "over"
        stack, program = state.stacks[thread], self._meaning.program
        layout, thread_type = program.layout, program.threads[program.thread_types[thread]]
        if not stack:
            return False
        waits = stack[0].point == layout.waiting
        return not waits or state.shared[layout.created(thread_type)] != IDLE


def _contradicts(value: Value, claimed: Value) -> bool:
    """Whether a variable has another value than the trace says, if both have one."""
    return isinstance(value, int) and isinstance(claimed, int) and value != claimed


def _other_results(program: Program, written: Program) -> set[int]:
    """The scalars of shared states for results that are of another type in the program as written:
    with smaller sorts, their numbers mean other values. Results of all procedures share these
    scalars; where results are received, they are compared."""
    found = set()
    for procedure in written.procedures:
        other = program.by_name[procedure.name]
        for place, mine, theirs in zip(
            written.layout.results, procedure.results, other.results, strict=False
        ):
            if mine != theirs:
                found.add(place)
    return found


def _compared_places(
    program: Program, written: Program, left_out: Collection[int]
) -> list[tuple[int, int]]:
    """The scalars of shared states that are the same in both programs, names of threads aside."""
    mine, theirs = written.layout, program.layout
    naming = set(thread_places(mine, None))
    places = [(place, place) for place in range(mine.own_cells) if place not in naming]
    hidden = [
        (place, theirs.hidden[name])
        for name, place in mine.hidden.items()
        if name in theirs.hidden and name != "holder" and place not in left_out
    ]
    return [*places, *hidden]
