"""How the states of a program are written in bits.

A *shape* of a thread says where it is: the points of the frames of its stack, and whether it is
inside an atomic section. Each scalar of the shared state and of each frame is a code
(`expression_bits`), and each bit of it has a level. Beside it there is a level for a fresh bit:
what a step may choose for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from tepui.checker.bits_of_programs.diagrams import FALSE, TRUE, Diagrams
from tepui.checker.bits_of_programs.expression_bits import Code, bits_of_type
from tepui.checker.bits_of_programs.numbers import Numbers, constant, shortened
from tepui.program.layout import Cell, Layout
from tepui.program.program import Thread

Bit = tuple[str | int, ...]
"""A bit of a state: `("shared", cell, bit)`, `("frame", thread, depth, procedure, cell, bit)`,
where the frame at the bottom has depth 0, or `("shape", thread, bit)`."""


class Shape(NamedTuple):
    """Where a thread is: the points of its frames, the bottom first. `outer` is the place among
    them of the frame whose activation began the atomic section in which the thread is; -1 where it
    rests."""

    outer: int
    points: tuple[int, ...]

    @property
    def depth(self) -> int:
        """The depth of the frame on top."""
        return len(self.points) - 1

    @property
    def is_in_call(self) -> bool:
        """Whether the frame on top was called inside an atomic section."""
        return 0 <= self.outer < self.depth


class States:
    """Which level has which bit of a state, and with which states a program starts."""

    def __init__(
        self,
        diagrams: Diagrams,
        layout: Layout,
        bits: Iterable[Bit],
        fixed: Mapping[Bit, int] | None = None,
    ) -> None:
        self.diagrams = diagrams
        self.layout = layout
        self.fixed = dict(fixed or {})
        """Bits that are the same in all states, wherever they mean something."""
        self._levels = {bit: 2 * place for place, bit in enumerate(bits)}
        self._next = 2 * len(self._levels)

    def level(self, bit: Bit) -> int:
        """A bit that has no level yet gets one at the end: nothing is known about it."""
        if bit not in self._levels:
            self._levels[bit] = self.another()
        return self._levels[bit]

    def another(self) -> int:
        """A level for a fresh bit, at the end."""
        self._next += 2
        return self._next - 2

    def without_fresh(self, function: int) -> int:
        """Where a function holds for some values of fresh bits."""
        fresh = self.diagrams.asked_by(function).difference(self._levels.values())
        return self.diagrams.with_any(function, fresh)

    def type(self, thread: int) -> Thread:
        program = self.layout.program
        return program.threads[program.thread_types[thread]]

    def shared(self, address: int) -> list[Bit]:
        """The bits of a scalar of the shared state."""
        bits = bits_of_type(self.layout.shared_cells[address].type)
        return [("shared", address, bit) for bit in range(bits)]

    def local(self, thread: int, depth: int, procedure: int, number: int) -> list[Bit]:
        """The bits of a scalar of a frame of a procedure."""
        bits = bits_of_type(self.layout.frame_cells[procedure][number].type)
        return [("frame", thread, depth, procedure, number, bit) for bit in range(bits)]

    def code(self, bits: Sequence[Bit]) -> Code:
        """Bits of a state of the set, as functions."""
        return tuple(map(self._bit, bits))

    def _bit(self, bit: Bit) -> int:
        return self.fixed[bit] if bit in self.fixed else self._own(bit)

    def _own(self, bit: Bit) -> int:
        return self.diagrams.bit(self.level(bit))

    def flag(self, name: str) -> int:
        """Where a hidden scalar is 1; one that a program does not have never is."""
        hidden = self.layout.hidden
        return self.code(self.shared(hidden[name]))[0] if name in hidden else FALSE

    def start(self, thread: int) -> int:
        """The point at which a thread begins, perhaps after its creation."""
        program, kind = self.layout.program, self.type(thread)
        entry = program.procedure_of(kind).entry if kind.start is None else kind.start
        return self.layout.point(program.numbers[kind.procedure], entry)

    def first_shape(self, thread: int) -> Shape:
        created = self.type(thread).created
        return Shape(-1, (self.layout.waiting if created else self.start(thread),))

    def initial(self) -> int:
        """The values with which a program can start, whatever is fixed; bits that mean nothing are
        free."""
        found = TRUE
        for address, cell in enumerate(self.layout.shared_cells):
            found = self.diagrams.both(found, self._starts(cell, self.shared(address)))
        for thread in range(len(self.layout.program.thread_types)):
            if not self.type(thread).created:
                procedure, _ = self.layout.locations[self.start(thread)]
                for number, cell in enumerate(self.layout.frame_cells[procedure]):
                    bits = self.local(thread, 0, procedure, number)
                    found = self.diagrams.both(found, self._starts(cell, bits))
        return found

    def fixed_at_first(self) -> int:
        """Where the bits that mean something in the beginning are what they are fixed to."""
        found = TRUE
        for bit in self._first_bits():
            if bit in self.fixed:
                own = self._own(bit)
                is_so = own if self.fixed[bit] else self.diagrams.negation(own)
                found = self.diagrams.both(found, is_so)
        return found

    def _first_bits(self) -> Iterator[Bit]:
        for address in range(len(self.layout.shared_cells)):
            yield from self.shared(address)
        for thread in range(len(self.layout.program.thread_types)):
            if not self.type(thread).created:
                procedure, _ = self.layout.locations[self.start(thread)]
                for number in range(len(self.layout.frame_cells[procedure])):
                    yield from self.local(thread, 0, procedure, number)

    def _starts(self, cell: Cell, bits: Sequence[Bit]) -> int:
        """Where a scalar has its first value, or if that may be any, one of its type."""
        numbers, code = Numbers(self.diagrams), shortened((*map(self._own, bits), FALSE))
        if isinstance(cell.initial, int):
            return numbers.is_equal(code, constant(cell.initial - cell.type.low))
        return numbers.is_within(code, 0, cell.type.size - 1)
