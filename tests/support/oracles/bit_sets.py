"""Sets of states in certificates of kind `bits`, made comparable: whatever the order of bits is,
and whatever the numbers of shapes are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tepui.checker.bits_of_programs.state_bits import Bit, Shape
from tepui.checker.programs.bits_certificate import BitsCertificate

Node = int


class SetsOfBits:
    """Equal sets are equal dictionaries: for the shapes of all threads, the number of a diagram of
    which bits are in alphabetical order."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[Bit, Node, Node], Node] = {}
        self._nodes: list[tuple[Bit, Node, Node]] = []
        self._known: dict[tuple[Node, Node, Node], Node] = {}

    def canonical(self, certificate: BitsCertificate) -> dict[tuple[Shape, ...], Node]:
        made: dict[Node, Node] = {0: 0, 1: 1}
        for number, (level, low, high) in enumerate(certificate.nodes, 2):
            is_on = self._node(certificate.levels[level], 0, 1)
            made[number] = self._choice(is_on, made[high], made[low])
        digits = sorted(bit for bit in certificate.levels if bit[0] == "shape")
        found = {}
        for chosen, rest in self._split(made[certificate.root], digits):
            numbers = [0] * len(certificate.shapes)
            for (_, thread, place), on in zip(digits, chosen, strict=True):
                numbers[int(thread)] |= on << int(place)
            pairs = zip(certificate.shapes, numbers, strict=True)
            found[tuple(some[number] for some, number in pairs)] = rest
        return found

    def _split(
        self, node: Node, digits: Sequence[Bit], chosen: tuple[int, ...] = ()
    ) -> Iterator[tuple[tuple[int, ...], Node]]:
        """For the digits of all shapes, which come first, what is left to be said."""
        if node == 0:
            return
        if len(chosen) == len(digits):
            yield chosen, node
            return
        for on, half in enumerate(self._halves(node, digits[len(chosen)])):
            yield from self._split(half, digits, (*chosen, on))

    def _node(self, bit: Bit, low: Node, high: Node) -> Node:
        if low == high:
            return low
        key = bit, low, high
        if key not in self._numbers:
            self._numbers[key] = len(self._nodes) + 2
            self._nodes.append(key)
        return self._numbers[key]

    def _choice(self, condition: Node, high: Node, low: Node) -> Node:
        if condition < 2:
            return high if condition else low
        if high == low:
            return high
        key = condition, high, low
        if key not in self._known:
            top = min((self._nodes[node - 2][0] for node in key if node > 1), key=_place)
            halves = [self._halves(node, top) for node in key]
            parts = [self._choice(*(half[on] for half in halves)) for on in (0, 1)]
            self._known[key] = self._node(top, *parts)
        return self._known[key]

    def _halves(self, node: Node, top: Bit) -> tuple[Node, Node]:
        if node > 1 and self._nodes[node - 2][0] == top:
            return self._nodes[node - 2][1:]
        return node, node


def _place(bit: Bit) -> tuple[bool, Bit]:
    """Digits of shapes come first."""
    return bit[0] != "shape", bit
