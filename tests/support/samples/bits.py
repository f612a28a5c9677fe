"""Certificates of kind `bits`, made of states that are listed one by one."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from random import Random

from support.oracles.small_steps import SmallStepStates, State
from support.samples.handmade_programs import assign, local, procedure, program, step, variable
from tepui.checker.bits_of_programs.state_bits import Bit, Shape
from tepui.checker.programs.bits_certificate import BitsCertificate, Node
from tepui.program.expressions import Binary, Choice, Convert, Read
from tepui.program.layout import Cell, Layout
from tepui.program.program import Assert, Program, Receive
from tepui.program.types import machine


def shape_of(state: State, thread: int) -> Shape:
    place = state.threads[thread]
    return Shape(place.outer, tuple(frame.point for frame in place.frames))


def bits_in(
    layout: Layout, shapes: tuple[tuple[Shape, ...], ...], state: State, *, results: bool = False
) -> dict[Bit, int] | None:
    """The bits of a state that mean something, and perhaps those of results that do not; None if it
    has a shape that is not listed."""
    found: dict[Bit, int] = {}

    def write(key: Bit, cell: Cell, value: int) -> None:
        for bit in range((cell.type.size - 1).bit_length()):
            found[(*key, bit)] = (value - cell.type.low) >> bit & 1

    meaningless = set() if results else set(layout.results[_results_waiting(layout, state) :])
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
                    write(("frame", thread, depth, procedure, number), cell, value)
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
    states: SmallStepStates,
    listed: Collection[State],
    rng: Random | None = None,
    *,
    results: bool = False,
) -> BitsCertificate:
    """The certificate of some states, with any garbage; its levels are in a random order. Results
    that mean nothing are garbage, too, or what the reference makes of them."""
    layout = states.layout
    threads = range(len(layout.program.thread_types))
    shapes = tuple(
        tuple(sorted({shape_of(state, thread) for state in states.reached})) for thread in threads
    )
    found = (bits_in(layout, shapes, state, results=results) for state in listed)
    rows = [bits for bits in found if bits is not None]
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
    if bits is None or any(bits.get(bit, value) != value for bit, value in certificate.fixed_bits):
        return False
    return any(_ways(certificate, bits, certificate.root, set()))


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


WORD = machine(32, signed=False)


def words(number: int) -> tuple[Program, BitsCertificate]:
    """Two words that stay equal: any value is added to both, again and again. The first is copied
    through a number of others."""
    x, y = variable("x", WORD), variable("y", WORD)
    more = tuple(variable(f"z{place}", WORD, None) for place in range(number))
    new = local("new", WORD, None)
    sums = [assign(each, Convert(Binary("+", Read(each), Read(new)), WORD)) for each in (x, y)]
    moved = [assign(later, Read(first)) for first, later in zip((x, *more), more, strict=False)]
    about = program(
        procedure(
            "main",
            step(0, 1, assign(new, Choice(WORD))),
            step(1, 2, *sums, *moved),
            Assert(2, 0, Binary("=", Read(x), Read(y))),
            variables=(new,),
        ),
        shared=(x, y, *more),
    )
    shapes = tuple(Shape(-1, (point,)) for point in range(3))
    bits: list[Bit] = [("shape", 0, 0), ("shape", 0, 1), ("shared", number + 2, 0)]
    for place in range(32):
        bits += [("frame", 0, 0, 0, 0, place)]
        bits += [("shared", cell, place) for cell in range(number + 2)]
    nodes: list[Node] = []
    equal_so_far = 1
    for place in reversed(range(32)):
        level = bits.index(("shared", 0, place))
        first = len(nodes) + 2
        nodes += [(level + 1, equal_so_far, 0), (level + 1, 0, equal_so_far)]
        nodes += [(level, first, first + 1)]
        equal_so_far = len(nodes) + 1
    first = len(nodes) + 2
    # Nothing is halted, and there is no shape 3.
    nodes += [(2, equal_so_far, 0), (1, first, 0), (0, first, first + 1)]
    return about, BitsCertificate((shapes,), tuple(bits), tuple(nodes), len(nodes) + 1)
