"""Sets of states in certificates of kind `bits`, made comparable: whatever the order of bits is,
and whatever the numbers of shapes are."""

from __future__ import annotations

from collections.abc import Iterator

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
            bit = certificate.levels[level]
            if bit[0] != "shape":
                made[number] = self._choice(self._node(bit, 0, 1), made[high], made[low])
        digits: dict[tuple[int, ...], Node] = {}
        for shapes, root in _shapes(certificate, certificate.root, ()):
            numbers = [0] * len(certificate.shapes)
            for thread, place, on in shapes:
                numbers[thread] |= on << place
            digits[tuple(numbers)] = made[root]
        return {
            tuple(some[number] for some, number in zip(certificate.shapes, key, strict=True)): root
            for key, root in digits.items()
        }

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
            top = min(self._nodes[node - 2][0] for node in key if node > 1)
            halves = [self._halves(node, top) for node in key]
            parts = [self._choice(*(half[on] for half in halves)) for on in (0, 1)]
            self._known[key] = self._node(top, *parts)
        return self._known[key]

    def _halves(self, node: Node, top: Bit) -> tuple[Node, Node]:
        if node > 1 and self._nodes[node - 2][0] == top:
            return self._nodes[node - 2][1:]
        return node, node


def _shapes(
    certificate: BitsCertificate, node: Node, chosen: tuple[tuple[int, int, int], ...]
) -> Iterator[tuple[tuple[tuple[int, int, int], ...], Node]]:
    """For the digits of all shapes, which come first, what is left to be said."""
    digits = [bit for bit in certificate.levels if bit[0] == "shape"]
    if node == 0:
        return
    if len(chosen) == len(digits):
        yield chosen, node
        return
    bit = digits[len(chosen)]
    thread, place = int(bit[1]), int(bit[2])
    level = certificate.levels.index(bit)
    halves = node, node
    if node > 1 and certificate.nodes[node - 2][0] == level:
        halves = certificate.nodes[node - 2][1:]
    for on in (0, 1):
        yield from _shapes(certificate, halves[on], (*chosen, (thread, place, on)))
