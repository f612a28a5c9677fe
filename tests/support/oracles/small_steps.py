"""What small steps reach, one state after the other: the oracle for evidence of kind `bits`.

A state has all values, and for each thread its frames, the bottom first, and which of them began an
atomic section. Edges are those of the reference semantics, taken one at a time with all values
decided; everything else is worked out here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import NamedTuple

from support.oracles.program_interpreter import TooLargeError
from tepui.program.layout import Cell, Frame
from tepui.program.program import Call, Program
from tepui.program.semantics.edges import Edges, Move
from tepui.program.semantics.forks import Registers
from tepui.program.semantics.meaning import Meaning
from tepui.program.semantics.resting import Resting, kept_values

Values = tuple[int, ...]


class Place(NamedTuple):
    """Where a thread is, with all values there."""

    outer: int
    frames: tuple[Frame, ...]


class State(NamedTuple):
    shared: Values
    threads: tuple[Place, ...]


class SmallStepStates:
    """All states that small steps reach; a TooLargeError if there are too many, or stacks grow too
    high, unless such steps are to be left out."""

    def __init__(
        self, program: Program, most: int = 2000, depth: int = 5, *, leave_out: bool = False
    ) -> None:
        self.layout = program.layout
        self._program = program
        self._depth = depth
        self._leave_out = leave_out
        resting = Resting(self.layout, lambda: kept_values(self.layout, liveness=False))
        self._edges = Edges(self.layout, resting, Registers(), choose=True)
        self.initial = frozenset(self._initial())
        self.reached = set(self.initial)
        unseen = list(self.initial)
        while unseen:
            state = unseen.pop()
            for thread in range(len(state.threads)):
                for after in self._steps(state, thread):
                    if after not in self.reached:
                        self.reached.add(after)
                        unseen.append(after)
            if len(self.reached) > most:
                raise TooLargeError

    def rounds(self, contexts: int) -> list[set[State]]:
        """What is reached within 0, 1, 2 and so on contexts, if all threads rest."""
        found = [set(self.initial)]
        new = found[0]
        for _ in range(contexts):
            ran = {
                after
                for thread in range(len(self._program.thread_types))
                for after in self._alone(new, thread)
            }
            new = {state for state in ran if all(place.outer < 0 for place in state.threads)}
            new -= found[-1]
            found.append(found[-1] | new)
        return found

    def _alone(self, states: set[State], thread: int) -> set[State]:
        """What one thread reaches from some states, in sections as well."""
        reached, unseen = set(states), list(states)
        while unseen:
            for after in self._steps(unseen.pop(), thread):
                if after not in reached:
                    reached.add(after)
                    unseen.append(after)
        return reached

    def flag(self, state: State, name: str) -> bool:
        hidden = self.layout.hidden
        return name in hidden and state.shared[hidden[name]] == 1

    def _initial(self) -> Iterator[State]:
        starts: list[list[Place]] = []
        for thread in range(len(self._program.thread_types)):
            if self._program.threads[self._program.thread_types[thread]].created:
                starts.append([Place(-1, (Frame(self.layout.waiting),))])
            else:
                starts.append([Place(-1, (frame,)) for frame in self._starting(thread, ())])
        for shared in _decided([cell.initial for cell in self.layout.shared_cells], self._shared()):
            for threads in product(*starts):
                yield State(shared, threads)

    def _starting(self, thread: int, shared: Values) -> Iterator[Frame]:
        kind = self._program.threads[self._program.thread_types[thread]]
        procedure = self._program.numbers[kind.procedure]
        cells = self.layout.frame_cells[procedure]
        given = {
            variable.name: shared[self.layout.inherited(kind, variable)]
            for variable in kind.inherited
        }
        start = self._program.by_name[kind.procedure].entry if kind.start is None else kind.start
        values = [given.get(cell.name, cell.initial) for cell in cells]
        for decided in _decided(values, cells):
            yield Frame(self.layout.point(procedure, start), decided)

    def _steps(self, state: State, thread: int) -> Iterator[State]:
        others = (place for other, place in enumerate(state.threads) if other != thread)
        if self.flag(state, "halted") or any(place.outer >= 0 for place in others):
            return
        place = state.threads[thread]
        if not place.frames or place.frames[-1].point > self.layout.waiting:
            return
        for shared, after in self._places(state, thread, place):
            if len(after.frames) > self._depth:
                if self._leave_out:
                    continue
                raise TooLargeError
            threads = (*state.threads[:thread], after, *state.threads[thread + 1 :])
            yield State(shared, threads)

    def _places(self, state: State, thread: int, place: Place) -> Iterator[tuple[Values, Place]]:
        top = place.frames[-1]
        if top.point == self.layout.waiting:
            kind = self._program.threads[self._program.thread_types[thread]]
            created = state.shared[self.layout.created(kind)] == 1
            if created and not self.flag(state, "full"):
                for frame in self._starting(thread, state.shared):
                    yield state.shared, Place(-1, (frame,))
            return
        for move in self._edges.moves(state.shared, top, thread + 1):
            shared = tuple(value for value in move.shared if isinstance(value, int))
            for after in self._after(place, move):
                yield shared, after

    def _after(self, place: Place, move: Move) -> Iterator[Place]:
        """Where a thread is after an edge. Frames of the callee get all their values."""
        outer, below = place.outer, place.frames[:-1]
        if move.word and move.word[0].point > self.layout.waiting:
            kept = below if outer < 0 else place.frames[:outer]
            yield Place(-1, (*kept, move.word[0]))
            return
        if -1 < outer < len(below):  # A call inside a section.
            section = outer
        elif move.word and self._is_atomic(move.word[-1].point):
            section = len(below)
        else:
            section = -1
        if not isinstance(move.edge, Call):
            yield Place(section, (*below, *move.word))
            return
        callee, caller = move.word
        if not self.layout.is_bare_end(caller.point):
            below = (*below, caller)
        procedure, _ = self.layout.locations[callee.point]
        for values in _decided(callee.values, self.layout.frame_cells[procedure]):
            yield Place(section, (*below, Frame(callee.point, values)))

    def _is_atomic(self, point: int) -> bool:
        location = self.layout.location(point)
        return location is not None and location.atomic

    def _shared(self) -> Sequence[Cell]:
        return self.layout.shared_cells


def resting(states: SmallStepStates) -> set[State]:
    """The states in which all threads rest, nothing is halted and no result waits."""
    return {
        state
        for state in states.reached
        if all(place.outer < 0 for place in state.threads)
        and not states.flag(state, "halted")
        and not states.flag(state, "full")
    }


def resting_by_meaning(program: Program, most: int = 20_000) -> set[State]:
    """The same by whole steps of the reference semantics."""
    meaning = Meaning(program, liveness=False, decide_first=True, share=False)
    layout, threads = program.layout, range(len(program.thread_types))
    first = meaning.initial_shared(), tuple(map(meaning.initial_stack, threads))
    reached, unseen = {first}, [first]
    while unseen:
        shared, stacks = unseen.pop()
        for thread in threads:
            stack = stacks[thread]
            if not stack:
                continue
            for target, word in meaning.steps(thread, shared, stack[0]):
                after = (*stacks[:thread], (*word, *stack[1:]), *stacks[thread + 1 :])
                if (target, after) not in reached:
                    reached.add((target, after))
                    unseen.append((target, after))
        if len(reached) > most:
            raise TooLargeError
    found = set()
    for shared, stacks in reached:
        flags = [layout.hidden[name] for name in ("halted", "full") if name in layout.hidden]
        values = [
            *shared,
            *(value for stack in stacks for frame in stack for value in frame.values),
        ]
        if None not in values and not any(shared[flag] for flag in flags):
            places = tuple(Place(-1, stack[::-1]) for stack in stacks)
            found.add(State(tuple(v for v in shared if isinstance(v, int)), places))
    return found


def points_of(states: SmallStepStates) -> set[tuple[int, int]]:
    """For each thread, the points that are on top of its stack in some state."""
    return {
        (thread, place.frames[-1].point)
        for state in states.reached
        for thread, place in enumerate(state.threads)
        if place.frames
    }


def _decided(values: Sequence[object], cells: Sequence[Cell]) -> Iterator[Values]:
    """All ways to give values to scalars that have none."""
    options = [
        [value] if isinstance(value, int) else range(cell.type.low, cell.type.low + cell.type.size)
        for value, cell in zip(values, cells, strict=True)
    ]
    yield from product(*options)
