"""The meaning of a Program: the rules of the pushdown systems that its threads are.

This is the reference semantics, plain and slow. The checker relies on it. It shares only `layout`
with the lowering, and the two are compared rule by rule. The work is divided: `evaluation` says
what expressions evaluate to, `resting` what frames look like, `edges` what one edge does, and
`sections` what a whole step is. The rest is here, in this order:

- a halted program stays as it is: frames at a violation and at probes have a loop;
- the scheduler lock says which threads may move;
- where variables are to be decided first, the first one that matters and has no value gets one;
- a thread that waits starts once it was created;
- a forked thread starts and ends by steps of its own;
- any other thread takes a step;
- where steps are fused, the thread goes on after any of these (`fusing`).

*Probes* are the points inside atomic sections at which a property looks. A thread that passes one
inside a step is never seen there. So there is a rule that halts the program at that moment, if the
path is complete.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Protocol

from tepui.program.layout import Frame, Fused, SameAs, SharedState, Value, in_normal_form, numbered
from tepui.program.program import Derived, Program, Thread, refuse_integers
from tepui.program.semantics.edges import Configuration, Edges, Moves, OwnMoves, Word
from tepui.program.semantics.evaluation import Depends, Unread, ValuesOf, values_at, values_of
from tepui.program.semantics.forks import Forked, Registers, Status
from tepui.program.semantics.fusing import (
    Fusing,
    joined,
    points_passed,
    points_passed_by_holder,
    unjoined,
)
from tepui.program.semantics.resting import Resting, kept_values
from tepui.program.semantics.sections import Micro, Node, Sections, is_atomic, points_inside

_NOTHING: Word = ()


class MeaningOptions(Protocol):
    """What a meaning depends on besides the program; the options of lowering have the same."""

    @property
    def liveness(self) -> bool: ...

    @property
    def decide_first(self) -> bool: ...

    @property
    def share(self) -> bool: ...

    @property
    def probes(self) -> Collection[int]: ...

    @property
    def fused(self) -> Fused | None: ...


def meaning_of(program: Program, options: MeaningOptions) -> Meaning:
    """The meaning of a program under some options."""
    return Meaning(
        program,
        liveness=options.liveness,
        decide_first=options.decide_first,
        share=options.share,
        probes=options.probes,
        fused=options.fused,
    )


class Meaning:
    """What the threads of a program can do.

    Threads are numbered from 0, first those of all types in their order, then those that are forked
    in the order of forks. The identity of a thread is its number + 1.
    """

    def __init__(
        self,
        program: Program,
        *,
        liveness: bool = True,
        decide_first: bool = False,
        share: bool = True,
        probes: Collection[int] = frozenset(),
        values: ValuesOf = values_of,
        fused: Fused | None = None,
    ) -> None:
        refuse_integers(program)
        self._values_of = values
        self.liveness = liveness
        self.share = share
        self.program = program
        self.layout = program.layout
        self.decide_first = decide_first
        self.probes = frozenset(probes)
        self.registers = Registers()
        self._resting = Resting(self.layout, lambda: kept_values(self.layout, liveness=liveness))
        self.edges: Moves = Edges(
            self.layout,
            self._resting,
            self.registers,
            choose=decide_first,
            share=share,
            values=values,
        )
        self._lock = self._address_of_lock()
        self._inside = points_inside(program)
        self.fused = fused

    @property
    def is_plain(self) -> bool:
        """Whether threads take the edges of the program itself, with all values of each type, which
        are chosen when they are read."""
        return type(self) is Meaning and self._values_of is values_of and not self.decide_first

    def initial_shared(self) -> SharedState:
        return tuple(cell.initial for cell in self.layout.shared_cells)

    def initial_stack(self, thread: int) -> Word:
        if self._type(thread).created:
            return (Frame(self.layout.waiting),)
        return (self._start_frame(thread, self.initial_shared()),)

    def rules(self, thread: int, shared: SharedState, frame: Frame) -> frozenset[Configuration]:
        """All that can take the place of a frame on top of a thread's stack."""
        if self.fused is None:
            return self.steps(thread, shared, frame)
        ends = self._fusing(thread, shared, frame).ends
        return frozenset((after, joined(word, self._is_joined)) for after, word in ends)

    def rests_between(
        self, thread: int, shared: SharedState, frame: Frame, end: Configuration
    ) -> list[Configuration]:
        """Where the single steps of a fused one lead, the end included, without joined frames."""
        after, word = end
        apart = tuple(each for entry in word for each in unjoined(entry))
        return self._fusing(thread, shared, frame).path((after, apart))

    def steps(self, thread: int, shared: SharedState, frame: Frame) -> frozenset[Configuration]:
        """The same without fusion, for a frame that is joined to no other."""
        silent = self._silent(thread, shared, frame)
        ready = self._ready(thread, shared, frame)
        if ready is None:
            return frozenset(silent)
        steps = Sections(self.layout, self._moves_of(thread), (ready, frame), self.probes)
        return frozenset(self._target(thread, end) for end in steps.ends())

    def rules_without_frame(self, thread: int, shared: SharedState) -> list[Configuration]:
        """What a forked thread with an empty stack does: it starts, loses its results, or ends.

        The threads of all types do nothing without a frame.
        """
        number = thread - len(self.program.thread_types) + 1
        if number <= 0 or self._flag(shared, "halted"):
            return []
        free = self._let_in(thread, shared)
        if free is None:
            return []
        place, full = self.layout.hidden["forked"], self._flag(free, "full")
        forked, word = self.registers[free[place]][number - 1], _NOTHING
        has_results = bool(self.program.procedures[forked.procedure].results)
        match forked.status:
            case "asked" if not full:
                status: Status = "running"
                word = (self._entry_frame(forked),)
            case "running" if full and has_results:
                status = "returned"
                free = self.edges.without_results(free)
            case "running" if not full and not has_results:
                status = "over"
            case "returned" if not full:
                status = "over"
            case _:
                return []
        after = _with(free, place, self.registers.with_status(free[place], number, status))
        return [(self._with_holder(thread, after), word)]

    def _entry_frame(self, forked: Forked) -> Frame:
        """The first frame of a forked thread."""
        entry = self.program.procedures[forked.procedure].entry
        return self._resting.fresh(forked.procedure, entry, dict(enumerate(forked.arguments)))

    def stuck(
        self, thread: int, shared: SharedState, frame: Frame
    ) -> list[tuple[SharedState, Frame]]:
        """The cases in which a thread with this frame on top cannot move.

        A variable without a value may have any, and whether there is a step may depend on it. So a
        case is the same state with some of its variables decided: whatever the others are, there is
        no step. If there are no cases, there always is a step.
        """
        open_cases = [(_unread(shared), Frame(frame.point, _unread(frame.values, len(shared))))]
        stuck = []
        while open_cases:
            globals_, top = open_cases.pop()
            try:
                if not self.steps(thread, globals_, top):
                    stuck.append((_open(globals_), Frame(top.point, _open(top.values))))
            except Depends as asked:
                unread, values = Unread(asked.address), self._values_at(frame, asked.address)
                open_cases += [
                    (
                        _decided(globals_, unread, value),
                        Frame(top.point, _decided(top.values, unread, value)),
                    )
                    for value in values
                ]
        return stuck

    def _values_at(self, frame: Frame, address: int) -> Sequence[int]:
        """All values of a scalar: shared ones have the first addresses, then those of the frame."""
        procedure = self._procedure(frame.point)
        return values_at(self._values_of, self.layout, procedure, address)

    def explain(
        self, thread: int, shared: SharedState, frame: Frame, target: SharedState, word: Word
    ) -> list[Micro]:
        """A shortest sequence of edges of which a rule consists.

        A path that halts at a probe would go on from there; the result is the first part of a
        shortest complete path. A ValueError says that there is no such rule.
        """
        top = word[0] if word else None
        if (target, word) in self._silent(thread, shared, frame):
            return [Micro(self._procedure(word[0].point), None, target, top)]
        ready = self._ready(thread, shared, frame)
        if ready is None:
            raise ValueError("there is no such rule")
        steps = Sections(self.layout, self._moves_of(thread), (ready, frame), self.probes)
        ends = [end for end in steps.ends() if self._target(thread, end) == (target, word)]
        if not ends:
            raise ValueError("there is no such rule")
        *path, last = min(map(steps.path, ends), key=len)
        return [*path, replace(last, shared=target, frame=top)]

    def covered(self, thread: int, shared: SharedState, frame: Frame) -> frozenset[int]:
        """The points that complete paths from here pass inside a step, without resting there."""
        covered = self._covered_in_sections(thread, shared, unjoined(frame)[0])
        if self.fused is None:
            return covered
        for after, word in self._fusing(thread, shared, frame).passed:
            covered |= {word[0].point} | self._covered_in_sections(thread, after, word[0])
        return covered

    def _covered_in_sections(
        self, thread: int, shared: SharedState, frame: Frame
    ) -> frozenset[int]:
        ready = self._ready(thread, shared, frame)
        if ready is None:
            return frozenset()
        start, moves = (ready, frame), self._moves_of(thread)
        steps = Sections(self.layout, moves, start, self._inside, with_state=False)
        return frozenset(end.mark.point for end in steps.ends() if end.mark is not None)

    def _type(self, thread: int) -> Thread:
        return self.program.threads[self.program.thread_types[thread]]

    def _moves_of(self, thread: int) -> OwnMoves:
        return OwnMoves(self.edges, thread + 1)

    def _fusing(self, thread: int, shared: SharedState, frame: Frame) -> Fusing:
        def goes_on(configuration: Configuration) -> list[Configuration] | None:
            return self._goes_on(thread, configuration)

        return Fusing(self._steps_onto(thread, (shared, unjoined(frame))), goes_on)

    def _goes_on(self, thread: int, at: Configuration) -> list[Configuration] | None:
        """What a thread does next as part of the same step; None where it rests."""
        shared, word = at
        if not word or not self._may_pass(thread, shared, word[0].point):
            return None
        following = self._steps_onto(thread, at)
        if any(self._flag(after, "halted") for after, _ in following):
            return None
        if any(len(joined(onto, self._is_joined)) > 2 for _, onto in following):
            return None
        return None if self.stuck(thread, shared, word[0]) else following

    def _steps_onto(self, thread: int, at: Configuration) -> list[Configuration]:
        """The single steps of a thread, with the frames below its top, in a fixed order."""
        shared, (top, *below) = at
        steps = sorted(self.steps(thread, shared, top), key=repr)
        return [(after, (*word, *below)) for after, word in steps]

    def _is_joined(self, frame: Frame) -> bool:
        """Whether a frame shares an entry of the stack with that of its caller."""
        assert self.fused is not None
        return self._procedure(frame.point) in self.fused.joined

    def _may_pass(self, thread: int, shared: SharedState, point: int) -> bool:
        """Whether a step goes on at a point: what happens there is local, or nobody else can move,
        as the thread has the scheduler lock."""
        assert self.fused is not None
        if point in self.fused.named:
            return False
        # Between a return with values and their receipt no other thread moves, either.
        alone = self._has_lock(thread, shared) or self._flag(shared, "full")
        return point in (self._passed_by_holder if alone else self._passed)

    def _has_lock(self, thread: int, shared: SharedState) -> bool:
        if self._lock is None or shared[self._lock] in (None, 0):
            return False
        return shared[self.layout.hidden["holder"]] == thread + 1

    @cached_property
    def _passed(self) -> frozenset[int]:
        return self._judged(points_passed)

    @cached_property
    def _passed_by_holder(self) -> frozenset[int]:
        return self._judged(points_passed_by_holder)

    def _judged(self, judge: Callable[[Program], frozenset[int]]) -> frozenset[int]:
        """What fused steps pass. A program with slots is judged as it was written: its steps go
        through further places, but pass the same ones."""
        program = self.program
        if isinstance(program, Derived) and program.made_by == "slots":
            return frozenset(map(program.point, judge(program.original)))
        return judge(program)

    def _ready(self, thread: int, shared: SharedState, frame: Frame) -> SharedState | None:
        """The shared state in which a thread takes edges; None if it takes none now."""
        if frame.point >= self.layout.waiting or is_atomic(self.layout, frame.point):
            return None
        if self._flag(shared, "halted"):
            return None
        free = self._let_in(thread, shared)
        return None if free is None or self._choices(free, frame) else free

    def _silent(self, thread: int, shared: SharedState, frame: Frame) -> list[Configuration]:
        """What a thread does without an edge."""
        if self._flag(shared, "halted"):
            return [(shared, (frame,))] if self._is_halted_at(frame.point) else []
        free = self._let_in(thread, shared)
        if free is None:
            return []
        silent = self._choices(free, frame)
        if not silent and frame.point == self.layout.waiting:
            silent = self._start(thread, free)
        return [(self._with_holder(thread, target), word) for target, word in silent]

    def _is_halted_at(self, point: int) -> bool:
        """Whether a frame at this point is what halted the program."""
        return point > self.layout.waiting or point in self.probes

    def _choices(self, shared: SharedState, frame: Frame) -> list[Configuration]:
        """All ways to decide the first variable that matters, if variables are decided first."""
        if not self.decide_first or self._flag(shared, "full"):
            return []
        if None in shared[: self.layout.own_cells]:
            place = shared.index(None)
            values = self._values_at(frame, place)
            return [(_with(shared, place, value), (frame,)) for value in values]
        undecided = self._resting.undecided(frame)
        if undecided is None:
            return []
        values = self._values_at(frame, len(shared) + undecided)
        return [(shared, (Frame(frame.point, _with(frame.values, undecided, v)),)) for v in values]

    def _start(self, thread: int, shared: SharedState) -> list[Configuration]:
        """The first step of a thread that waits."""
        thread_type = self._type(thread)
        if not thread_type.created or self._flag(shared, "full"):
            return []
        if shared[self.layout.created(thread_type)] != 1:
            return []
        return [(shared, (self._start_frame(thread, shared),))]

    def _start_frame(self, thread: int, shared: SharedState) -> Frame:
        """Where a thread begins, with what it inherits."""
        thread_type = self._type(thread)
        procedure = self.program.numbers[thread_type.procedure]
        code, cells = self.program.procedures[procedure], self.layout.frame_cells[procedure]
        places = {cell.name: number for number, cell in enumerate(cells)}
        given = {
            places[variable.name]: shared[self.layout.inherited(thread_type, variable)]
            for variable in thread_type.inherited
        }
        start = code.entry if thread_type.start is None else thread_type.start
        return self._resting.fresh(procedure, start, given)

    def _target(self, thread: int, end: Node) -> Configuration:
        """Where a step that ends here leads."""
        if end.mark is None:
            return self._with_holder(thread, end.shared), self._without_spent(end.word)
        assert end.mark.shared is not None
        procedure, _ = self.layout.locations[end.mark.point]
        cells = len(self.layout.frame_cells[procedure])
        halted = _with(end.mark.shared, self.layout.hidden["halted"], 1)
        return self._with_holder(thread, halted), (Frame(end.mark.point, (None,) * cells),)

    def _without_spent(self, word: Word) -> Word:
        """What a step writes, without the frame of a caller that has nothing left to do."""
        if len(word) == 2 and self.layout.is_bare_end(word[1].point):
            return word[:1]
        return word

    def _let_in(self, thread: int, shared: SharedState) -> SharedState | None:
        """The shared state as a thread that may move finds it; None if it may not move."""
        if self._lock is None or shared[self.layout.hidden["holder"]] == thread + 1:
            return shared
        unread = isinstance(shared[self._lock], Unread)
        if unread and shared[self.layout.hidden["holder"]] != 0:
            raise Depends(self._lock)
        if unread or shared[self._lock] is None:
            return _with(shared, self._lock, 0)  # If it were closed, no thread could ever open it.
        return shared if shared[self._lock] == 0 else None

    def _with_holder(self, thread: int, shared: SharedState) -> SharedState:
        """The shared state after a step: a thread that leaves the lock taken holds it."""
        if self._lock is None:
            return shared
        holder = 0 if shared[self._lock] == 0 else thread + 1
        return _with(shared, self.layout.hidden["holder"], holder)

    def _address_of_lock(self) -> int | None:
        address = 0
        for variable in self.program.globals:
            if self.program.lock is not None and variable.name == self.program.lock.name:
                return address
            address += variable.length
        return None

    def _flag(self, shared: SharedState, name: str) -> bool:
        """Whether a hidden scalar is 1; one that a program does not have never is."""
        return name in self.layout.hidden and shared[self.layout.hidden[name]] == 1

    def _procedure(self, point: int) -> int | None:
        """The procedure of a frame at this point; a waiting or violating one has none."""
        return self.layout.locations[point][0] if point < self.layout.waiting else None


def _with(values: tuple[Value, ...], place: int, value: Value) -> tuple[Value, ...]:
    return (*values[:place], value, *values[place + 1 :])


def _unread(values: tuple[Value, ...], first: int = 0) -> tuple[Value, ...]:
    """Values, the first of which has an address: those that are not known must not be read."""
    each = numbered(values, first)
    return tuple(Unread(v.cell) if isinstance(v, SameAs) else v for v in each)


def _open(values: tuple[Value, ...]) -> tuple[Value, ...]:
    """The same values, where those that were not read are not known yet."""
    return in_normal_form(SameAs(v.cell) if isinstance(v, Unread) else v for v in values)


def _decided(values: tuple[Value, ...], unread: Unread, decided: int) -> tuple[Value, ...]:
    return tuple(decided if value == unread else value for value in values)
