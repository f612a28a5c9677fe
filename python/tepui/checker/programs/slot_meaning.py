"""The meaning of a program with slots, derived from that of the program as it was written.

A certificate about a program with slots must prove something about the program that forks. The
edges that the pass has made are not looked at. A state with slots is read as a state of the
program as written, the reference semantics says what can happen there, with real forks and joins,
and the result is written as a state with slots again:

- the thread in slot i has the identity i, whether it was asked to start, runs, or has ended and its
  slot was not taken since; *done* means one more thread, which has ended;
- a new thread gets the first slot that is free: it is idle, and the count of local variables that
  name it is 0. If there is none, the program halts at a point of its own, which every certificate
  has to exclude;
- after every edge, the count of a slot changes by how many more or fewer live local variables, and
  waiting arguments, name it; at `MANY` it stays;
- a global variable whose thread has ended becomes *done*, and so does a local one that was joined.
  If identities are compared, nothing becomes *done*, and a slot is free only if no global variable
  names it;
- a slot whose thread has ended has no frame of a procedure any more; when its end is visible to
  others, it is idle;
- if all threads are equal before they start (`SlotShape.kinds`), they are only counted when they
  are forked, and when they start, they take any equal slot that was never used.

*Why this is enough.* Relate a state of the program as written to a state with slots if they are
the same up to identities, where each thread that has not ended has a slot of its own, and each name
that will still be read either means the thread in its slot, where the slot was not taken since, or
is *done*, and the thread has ended. The initial states are related. Whatever a thread does depends
on identities only through joins, which ask whether a thread has ended, and both states agree on
that. So each step in one is a step in the other, and leads to related states: a slot is taken only
if no name in any stack or waiting argument means its last thread (the count is at least the number
of these, or `MANY`, and is 0), and if no global variable does (it is *done* then). So if a set of
states with slots is closed under these steps, holds the initial one, and none in which a slot is
lacking, then every state of the program as written is related to one in the set.

If identities are compared, no name is *done*, so each name that will still be read means the last
thread in its slot, or a thread that the program begins with, which has the same identity in both.
Then two names are equal in one state if and only if they are in the other, as are a name and the
running thread's own, which is in its slot. So comparisons have the same outcomes, too.

*Equal slots.* A thread of a kind that has not started is in no slot, and nothing names it, so the
two states agree if each kind has as many of these. When it starts, an equal slot is there, as there
are at least as many as such threads were forked, and each runs one of them.

The equal slots are interchangeable: what is said here about one is said about all, and what a
thread in one of them does depends on its identity only by comparing it (see `exchange`). No join
waits for the end of a thread there: either nobody knows its identity, or identities are compared,
and there are no joins.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import product

from tepui.checker.programs.slot_shape import (
    DONE,
    ENDING,
    IDLE,
    MANY,
    NOBODY,
    WAITING,
    SlotShape,
    thread_places,
)
from tepui.errors import EvidenceError
from tepui.program.expressions import Read
from tepui.program.layout import Frame, SharedState, Value
from tepui.program.program import Call, Derived, Fork, Join
from tepui.program.semantics.edges import Configuration, Move, Word
from tepui.program.semantics.evaluation import values_of
from tepui.program.semantics.forks import Forked
from tepui.program.semantics.fusing import points_passed, points_passed_by_holder
from tepui.program.semantics.meaning import Meaning, MeaningOptions
from tepui.program.semantics.resting import Resting, kept_values
from tepui.program.types import THREAD


class SlotMeaning(Meaning):
    """What the threads of a program with slots can do, according to the program as written."""

    def __init__(self, program: Derived, options: MeaningOptions) -> None:
        super().__init__(
            program, liveness=options.liveness, probes=options.probes, fused=options.fused
        )
        self._shape = SlotShape(program)
        self._liveness = options.liveness
        self._written = Meaning(program.original, liveness=options.liveness)
        self._resting = Resting(self.layout, self._kept)
        self._states = _States(self._shape, self._written)
        self.edges = _SlotEdges(self._states)

    def steps(self, thread: int, shared: SharedState, frame: Frame) -> frozenset[Configuration]:
        place = self._shape.slot_of(frame.point)
        if place is None:
            return super().steps(thread, shared, frame)
        if self._flag(shared, "halted"):
            return frozenset()
        return frozenset(self._slot_rules(thread, shared, frame, place))

    def _slot_rules(
        self, thread: int, shared: SharedState, frame: Frame, place: tuple[int, int]
    ) -> Iterator[Configuration]:
        """What a slot does when no frame of its thread is there."""
        slot, location = place
        if self._shape.kinds:
            yield from self._equal_slot_rules(thread, shared, location)
            return
        thread_there = None if location == WAITING else self._states.returning(location)
        at = None if thread_there is None else (slot, thread_there)
        before = self._states.read_shared(shared, at)
        for after, word in self._written.rules_without_frame(thread, before):
            if location != WAITING:
                goes_to = ENDING if location != ENDING else WAITING
                rests = Frame(self._shape.slot_point(slot, goes_to), frame.values)
                yield self._states.write_shared(shared, after), (rests,)
                continue
            if not word:
                continue  # The thread could end while its slot waits: no run leads there.
            for started in self._started(slot, shared, word):
                yield (
                    self._states.with_started(slot, shared, after),
                    self._below(slot, shared, frame, started),
                )

    def _equal_slot_rules(
        self, thread: int, shared: SharedState, location: int
    ) -> Iterator[Configuration]:
        """The same for an equal slot, which may take any thread that is to start."""
        shape, states = self._shape, self._states
        slot = thread - states.threads + 1
        if location == WAITING:
            for kind in states.asked_kinds(shared):
                before = states.read_shared(shared, (slot, states.asked_equal(kind)))
                below = Frame(shape.slot_point(1, shape.after_equal_call(kind)))
                for after, word in self._written.rules_without_frame(thread, before):
                    started = states.write_word(word)
                    taken = states.with_taken(kind, states.write_shared(shared, after))
                    yield taken, (*started, below)
            return
        rests = () if location == ENDING else (Frame(shape.slot_point(1, ENDING)),)
        before = states.read_shared(shared, (slot, states.returning_equal(location)))
        for after, _ in self._written.rules_without_frame(thread, before):
            yield states.write_shared(shared, after), rests

    def _started(self, slot: int, shared: SharedState, word: Word) -> Iterator[Frame]:
        """The first frame of a thread. Arguments that have no value yet are given one."""
        (frame,) = self._states.write_word(word)
        procedure = self._shape.asked(shared[self._shape.status(slot)])
        assert procedure is not None
        choices: list[Iterable[Value]] = [[value] for value in frame.values]
        cells = self.layout.frame_cells[self.layout.locations[frame.point][0]]
        for number, place in self._shape.arguments(slot, procedure).items():
            if shared[place] is None and self._is_kept(frame.point, number):
                choices[number] = values_of(cells[number].type)
        for values in product(*choices):
            yield Frame(frame.point, values)

    def _below(self, slot: int, shared: SharedState, frame: Frame, started: Frame) -> Word:
        """The first frame of a thread and that of its slot, which keeps the arguments if nothing is
        forgotten."""
        procedure = self._shape.asked(shared[self._shape.status(slot)])
        assert procedure is not None
        values = list(frame.values)
        if not self._liveness:
            mine = [(each, n) for each in self._shape.forked for n in self._shape.passed(each)]
            for place, (of, number) in enumerate(mine):
                if of is procedure:
                    values[place] = started.values[number]
        rests = Frame(
            self._shape.slot_point(slot, self._shape.after_call(procedure)), tuple(values)
        )
        return started, rests

    def _is_kept(self, point: int, number: int) -> bool:
        return not self._liveness or self._shape.live[self._shape.require_written(point)][number]

    def _without_spent(self, word: Word) -> Word:
        if len(word) == 2:
            below = self._shape.written_point(word[1].point)
            if below is not None and self._written.layout.is_bare_end(below):
                return word[:1]
        return word

    @cached_property
    def _passed(self) -> frozenset[int]:
        """What steps of the program as written pass: no such step has to do with names of threads,
        so slots have no part in it."""
        return frozenset(map(self._shape.slotted_point, points_passed(self._shape.written)))

    @cached_property
    def _passed_by_holder(self) -> frozenset[int]:
        passed = points_passed_by_holder(self._shape.written)
        return frozenset(map(self._shape.slotted_point, passed))

    def _kept(self) -> list[tuple[bool, ...]]:
        """Which values matter: those that matter in the program as written."""
        written = kept_values(self._written.layout, liveness=self._liveness)
        kept = []
        for point, (procedure, _) in enumerate(self.layout.locations):
            same = self._shape.written_point(point)
            width = len(self.layout.frame_cells[procedure])
            kept.append((not self._liveness,) * width if same is None else written[same])
        return kept


class _SlotEdges:
    """The moves of the program as written, as moves with slots."""

    def __init__(self, states: _States) -> None:
        self._states = states

    def moves(self, shared: SharedState, frame: Frame, own: int) -> Iterator[Move]:
        """The threads of the program as written come first in both, then the slots in the place of
        forked threads: so a thread has the same identity in both. A value that must not be read has
        the address of a state with slots in both."""
        before, top = self._states.read_shared(shared), self._states.read_frame(frame)
        for move in self._states.written.edges.moves(before, top, own):
            yield self._states.write_move(shared, frame, move)

    def without_results(self, shared: SharedState) -> SharedState:
        raise AssertionError("results are lost in the program as written")


class _States:
    """Reads states with slots as states of the program as written, and writes them again."""

    def __init__(self, shape: SlotShape, written: Meaning) -> None:
        self.written = written
        self._shape = shape
        layout, before = shape.layout, shape.written_layout
        self._own = before.own_cells
        self.threads = len(shape.written.thread_types)
        self._done = shape.claimed.slots + 1
        """The number of the forked thread that *done* means."""
        self._named = thread_places(before, None)
        self._named_locals = [
            frozenset(thread_places(before, number)) for number in range(len(before.frame_cells))
        ]
        self._hidden = [
            (place, layout.hidden[name])
            for name, place in before.hidden.items()
            if name != "forked"
        ]
        self._forked = before.hidden["forked"]

    def read_shared(self, shared: SharedState, at: tuple[int, Forked] | None = None) -> SharedState:
        """A shared state of the program as written. `at` is a slot whose thread has no frame, and
        what is known about that thread."""
        shape = self._shape
        values = list(self.written.initial_shared())
        values[: self._own] = shared[: self._own]
        for place in self._named:
            values[place] = self._identity(shared[place])
        for place, slotted in self._hidden:
            values[place] = shared[slotted]
        threads = [self._thread(slot, shared) for slot in shape.slots]
        threads += [Forked(0, (), "running")] * len(shape.equal_slots)
        if at is not None:
            threads[at[0] - 1] = at[1]
        register = (*threads, Forked(0, (), "over"))
        values[self._forked] = self.written.registers.number(register)
        return tuple(values)

    def read_frame(self, frame: Frame) -> Frame:
        point = self._shape.require_written(frame.point)
        names = self._named_locals[self._shape.layout.locations[frame.point][0]]
        return Frame(
            point,
            tuple(
                self._identity(value) if place in names else value
                for place, value in enumerate(frame.values)
            ),
        )

    def write_move(self, shared: SharedState, frame: Frame, move: Move) -> Move:
        """A move of the program as written, from a state with slots."""
        edge, shape = move.edge, self._shape
        kind = shape.kind(edge) if isinstance(edge, Fork) else None
        if isinstance(edge, Fork) and not self._has_room(shared, kind):
            procedure, _ = shape.layout.locations[frame.point]
            halted = list(shared)
            halted[shape.layout.hidden["halted"]] = 1
            return Move(edge, tuple(halted), (Frame(shape.lack(procedure, edge)),))
        after = self.write_shared(shared, move.shared, kind)
        word = self.write_word(move.word, self._free(shared))
        if isinstance(edge, Join) and not shape.compared:
            word = tuple(self._joined(edge, each) for each in word)
        if isinstance(edge, Call):
            word = (self._called(word[0]), *word[1:])
        if word and word[0].point > shape.layout.waiting:
            return Move(edge, after, word)
        return Move(edge, self._counted(shared, after, (frame,), word), word)

    def with_started(self, slot: int, shared: SharedState, after: SharedState) -> SharedState:
        """The shared state after a thread has started: its arguments are with it."""
        values = list(self.write_shared(shared, after))
        procedure = self._shape.asked(shared[self._shape.status(slot)])
        assert procedure is not None
        for number, place in self._shape.arguments(slot, procedure).items():
            values[place] = procedure.variables[number].scalar.low
        return tuple(values)

    def asked_kinds(self, shared: SharedState) -> list[int]:
        """The kinds of threads that an equal slot may take."""
        shape = self._shape
        return [kind for kind in range(len(shape.kinds)) if shared[shape.asked_equals(kind)] != 0]

    def asked_equal(self, kind: int) -> Forked:
        """A thread of a kind that is to start."""
        name, arguments = self._shape.kinds[kind]
        number = self._shape.written.numbers[name]
        return Forked(number, tuple(argument.value for argument in arguments))

    def with_taken(self, kind: int, shared: SharedState) -> SharedState:
        """The shared state after an equal slot has taken a thread."""
        return self._changed(shared, {self._shape.asked_equals(kind): -1})

    def _with_asked(self, kind: int, shared: SharedState) -> SharedState:
        """The shared state after a thread was forked for an equal slot."""
        shape = self._shape
        return self._changed(shared, {shape.asked_equals(kind): 1, shape.forked_equals: 1})

    def _changed(self, shared: SharedState, by: dict[int, int]) -> SharedState:
        """The shared state in which some counts are others. A count that is out of range is that of
        no run, so it may be anything."""
        values = list(shared)
        for place, change in by.items():
            count = _known(values[place])
            values[place] = (count + change) % (self._shape.claimed.slots + 1)
        return tuple(values)

    def write_shared(
        self, shared: SharedState, after: SharedState, kind: int | None = None
    ) -> SharedState:
        """The shared state with slots, after a step from another one has led to this state of the
        program as written; `kind` is that of a thread that was forked for an equal slot. Counts of
        names are as they were."""
        shape = self._shape
        register = self.written.registers[after[self._forked]]
        values = list(shared)
        values[: self._own] = after[: self._own]
        for place, slotted in self._hidden:
            values[slotted] = after[place]
        for slot in shape.slots:
            values[shape.status(slot)] = self._status(shared, slot, register[slot - 1])
        new = register[self._done :]
        taken = self._free(shared)
        if kind is not None:
            values = list(self._with_asked(kind, tuple(values)))
        elif new and taken is not None:
            self._ask(values, taken, new[0])
        for place in self._named:
            value = _known(self._name(after[place], taken))
            values[place] = value if shape.compared else self._unless_ended(value, values)
        return tuple(values)

    def _unless_ended(self, value: int, values: Sequence[Value]) -> int:
        """The value of a global variable that names a thread, or *done*."""
        ended = value > DONE and values[self._shape.status(value - DONE)] == IDLE
        return DONE if ended else value

    def write_word(self, word: Word, taken: int | None = None) -> Word:
        """Frames with slots; `taken` is the slot of a thread that was forked."""
        return tuple(self._write_frame(frame, taken) for frame in word)

    def _write_frame(self, frame: Frame, taken: int | None) -> Frame:
        layout = self._shape.written_layout
        point = self._shape.slotted_point(frame.point)
        if frame.point >= layout.waiting:
            return Frame(point, frame.values)
        names = self._named_locals[layout.locations[frame.point][0]]
        return Frame(
            point,
            tuple(
                self._name(value, taken) if place in names else value
                for place, value in enumerate(frame.values)
            ),
        )

    def _thread(self, slot: int, shared: SharedState) -> Forked:
        """The thread in a slot."""
        shape = self._shape
        status = shared[shape.status(slot)]
        procedure = shape.asked(status)
        if procedure is None:
            return Forked(0, (), "running" if status == shape.running else "over")
        arguments: list[Value] = [NOBODY] * procedure.parameters
        for number, place in shape.arguments(slot, procedure).items():
            value = shared[place]
            named = procedure.variables[number].scalar == THREAD
            arguments[number] = self._identity(value) if named else value
        return Forked(shape.written.numbers[procedure.name], tuple(arguments))

    def returning(self, location: int) -> Forked:
        """The thread of a slot that rests where it loses results, or where its thread ends."""
        for procedure in self._shape.forked:
            if procedure.results and self._shape.after_call(procedure) == location:
                return Forked(self._shape.written.numbers[procedure.name], (), "running")
        return Forked(0, (), "returned")

    def returning_equal(self, location: int) -> Forked:
        """The same for an equal slot."""
        for kind, (name, _) in enumerate(self._shape.kinds):
            if location not in (ENDING, WAITING) and location == self._shape.after_equal_call(kind):
                return Forked(self._shape.written.numbers[name], (), "running")
        return Forked(0, (), "returned")

    def _status(self, shared: SharedState, slot: int, thread: Forked) -> Value:
        if thread.status == "asked":
            return shared[self._shape.status(slot)]
        return IDLE if thread.status == "over" else self._shape.running

    def _ask(self, values: list[Value], slot: int, thread: Forked) -> None:
        """Ask a slot to run a new thread."""
        shape = self._shape
        procedure = shape.written.procedures[thread.procedure]
        values[shape.status(slot)] = 1 + shape.forked.index(procedure)
        for number, place in shape.arguments(slot, procedure).items():
            value = thread.arguments[number]
            named = procedure.variables[number].scalar == THREAD
            values[place] = self._name(value, slot) if named else value

    def _free(self, shared: SharedState) -> int | None:
        """The slot that a new thread gets."""
        shape = self._shape
        for slot in shape.slots:
            idle = shared[shape.status(slot)] == IDLE
            uncounted = not shape.counts_names or shared[shape.count(slot)] == 0
            if idle and uncounted and not self._is_named(slot, shared):
                return slot
        return None

    def _has_room(self, shared: SharedState, kind: int | None) -> bool:
        """Whether one more thread can be forked."""
        if kind is None:
            return self._free(shared) is not None
        return shared[self._shape.forked_equals] != self._shape.claimed.slots

    def _is_named(self, slot: int, shared: SharedState) -> bool:
        """Whether a global variable still names the last thread of a slot."""
        named = (shared[place] for place in self._named)
        return self._shape.compared and self._shape.name(slot) in named

    def _identity(self, value: Value) -> Value:
        """The identity that a value of a variable that names threads stands for."""
        if self._shape.compared or not isinstance(value, int) or value == NOBODY:
            return value
        return self.threads + (self._done if value == DONE else value - DONE)

    def _name(self, identity: Value, taken: int | None) -> Value:
        """The value that stands for an identity."""
        if not isinstance(identity, int) or identity == NOBODY:
            return identity
        forked = identity - self.threads
        if forked > self._done:
            assert taken is not None
            return self._shape.name(taken)
        if self._shape.compared:
            return identity
        return DONE if forked == self._done else DONE + forked

    def _joined(self, edge: Join, frame: Frame) -> Frame:
        """A local variable that was joined, and matters still, is done."""
        assert isinstance(edge.thread, Read)
        variable = edge.thread.variable
        if variable.procedure is None:
            return frame
        layout = self._shape.layout
        procedure, _ = layout.locations[frame.point]
        names = [cell.name for cell in layout.frame_cells[procedure]]
        place = names.index(variable.name)
        if not self._shape.live[self._shape.require_written(frame.point)][place]:
            return frame
        values = (*frame.values[:place], DONE, *frame.values[place + 1 :])
        return Frame(frame.point, values)

    def _called(self, frame: Frame) -> Frame:
        """The first frame of a procedure; names that do not matter to it are not passed."""
        procedure, _ = self._shape.layout.locations[frame.point]
        callee = self._shape.written.procedures[procedure]
        passed = self._shape.passed(callee)
        values = tuple(
            NOBODY
            if number < callee.parameters and number not in passed and value is not None
            else value
            for number, value in enumerate(frame.values)
        )
        return Frame(frame.point, values)

    def _counted(
        self, before: SharedState, after: SharedState, lost: Sequence[Frame], got: Sequence[Frame]
    ) -> SharedState:
        """The shared state with the counts after frames were replaced by others."""
        shape = self._shape
        if not shape.counts_names:
            return after
        values = list(after)
        for slot in shape.slots:
            count = _known(before[shape.count(slot)])
            if count != MANY:
                more = self._naming(slot, got) + self._waiting(slot, after)
                fewer = self._naming(slot, lost) + self._waiting(slot, before)
                values[shape.count(slot)] = min(max(count + more - fewer, 0), MANY)
        return tuple(values)

    def _naming(self, slot: int, frames: Iterable[Frame]) -> int:
        """How many live variables of some frames name a slot."""
        count = 0
        for frame in frames:
            live = self._shape.live[self._shape.require_written(frame.point)]
            names = self._named_locals[self._shape.layout.locations[frame.point][0]]
            name = self._shape.name(slot)
            count += sum(live[place] and frame.values[place] == name for place in names)
        return count

    def _waiting(self, slot: int, shared: SharedState) -> int:
        """How many arguments that wait for their thread name a slot."""
        count = 0
        for where in self._shape.slots:
            procedure = self._shape.asked(shared[self._shape.status(where)])
            if procedure is not None:
                for number, place in self._shape.arguments(where, procedure).items():
                    if procedure.variables[number].scalar == THREAD:
                        count += shared[place] == self._shape.name(slot)
        return count


def _known(value: Value) -> int:
    """A value of a variable that always has one, unless the evidence is damaged."""
    if not isinstance(value, int):
        raise EvidenceError("a variable of the slots has no value in the evidence")
    return value
