"""Certificates of kind `bits`, made of states that are listed one by one."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from random import Random

from support.oracles.small_steps import SmallStepStates, State
from tepui.checker.bits_of_programs.states import Bit, Shape
from tepui.checker.programs.bits_certificate import BitsCertificate, Node
from tepui.program.layout import Cell, Layout
from tepui.program.program import Receive


def shape_of(state: State, thread: int) -> Shape:
    place = state.threads[thread]
    return Shape(place.outer, tuple(frame.point for frame in place.frames))


def bits_in(
    layout: Layout, shapes: tuple[tuple[Shape, ...], ...], state: State
) -> dict[Bit, int] | None:
    """The bits of a state that mean something; None if it has a shape that is not listed."""
    found: dict[Bit, int] = {}

    def write(key: Bit, cell: Cell, value: int) -> None:
        for bit in range((cell.type.size - 1).bit_length()):
            found[(*key, bit)] = (value - cell.type.low) >> bit & 1

    meaningless = set(layout.results[_results_waiting(layout, state) :])
    for address, cell in enumerate(layout.shared_cells):
        if address not in meaningless:
            write(("shared", address), cell, state.shared[address])
    for thread, place in enumerate(state.threads):
        shape = shape_of(state, thread)
        if shape not in shapes[thread]:
            return None
        for bit in range((len(shapes[thread]) - 1).bit_length()):
            found["shape", thread, bit] = shapes[thread].index(shape) >> bit & 1
        for depth, frame in enumerate(place.frames):
            if frame.point < layout.waiting:
                procedure, _ = layout.locations[frame.point]
                for number, cell in enumerate(layout.frame_cells[procedure]):
                    value = frame.values[number]
                    assert isinstance(value, int)
                    write(("frame", thread, depth, number), cell, value)
    return found


def _results_waiting(layout: Layout, state: State) -> int:
    """How many results wait to be received."""
    if "full" not in layout.hidden or state.shared[layout.hidden["full"]] != 1:
        return 0
    for place in state.threads:
        if place.frames and place.frames[-1].point < layout.waiting:
            procedure, location = layout.locations[place.frames[-1].point]
            for edge in layout.program.procedures[procedure].leaving[location]:
                if isinstance(edge, Receive):
                    return len(edge.targets)
    return 0


def certificate_of(
    states: SmallStepStates, listed: Collection[State], rng: Random | None = None
) -> BitsCertificate:
    """The certificate of some states, with any garbage; its levels are in a random order."""
    layout = states.layout
    threads = range(len(layout.program.thread_types))
    shapes = tuple(
        tuple(sorted({shape_of(state, thread) for state in states.reached})) for thread in threads
    )
    rows = [bits for state in listed if (bits := bits_in(layout, shapes, state)) is not None]
    levels = sorted({bit for row in rows for bit in row}, key=_place)
    if rng is not None:
        rng.shuffle(levels)
    builder = _Builder(levels)
    root = builder.build(frozenset(tuple(row.get(bit) for bit in levels) for row in rows), 0)
    return BitsCertificate(shapes, tuple(levels), tuple(builder.nodes), root)


def _place(bit: Bit) -> tuple[int, Bit]:
    """Shapes first."""
    return int(bit[0] != "shape"), bit


class _Builder:
    def __init__(self, levels: list[Bit]) -> None:
        self._levels = levels
        self.nodes: list[Node] = []
        self._numbers: dict[Node, int] = {}
        self._built: dict[tuple[int, frozenset[tuple[int | None, ...]]], int] = {}

    def build(self, rows: frozenset[tuple[int | None, ...]], level: int) -> int:
        if not rows:
            return 0
        if level == len(self._levels):
            return 1
        key = level, rows
        if key not in self._built:
            low, high = (
                self.build(frozenset(row for row in rows if row[level] in (bit, None)), level + 1)
                for bit in (0, 1)
            )
            self._built[key] = low if low == high else self._node(level, low, high)
        return self._built[key]

    def _node(self, *node: int) -> int:
        level, low, high = node
        if (level, low, high) not in self._numbers:
            self._numbers[level, low, high] = len(self.nodes) + 2
            self.nodes.append((level, low, high))
        return self._numbers[level, low, high]


def contains(certificate: BitsCertificate, layout: Layout, state: State) -> bool:
    """Whether a certificate holds for a state, with some garbage."""
    bits = bits_in(layout, certificate.shapes, state)
    return bits is not None and any(_ways(certificate, bits, certificate.root, set()))


def _ways(
    certificate: BitsCertificate, bits: dict[Bit, int], node: int, met: set[int]
) -> Iterator[bool]:
    if node in met:
        return
    met.add(node)
    if node < 2:
        yield node == 1
        return
    level, low, high = certificate.nodes[node - 2]
    bit = bits.get(certificate.levels[level])
    if bit != 1:
        yield from _ways(certificate, bits, low, met)
    if bit != 0:
        yield from _ways(certificate, bits, high, met)
