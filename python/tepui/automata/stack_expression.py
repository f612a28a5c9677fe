"""From a set of stacks back to a regular expression, as in a pattern, for people.

States are taken out of the automaton one by one, the last first, and expressions for the ways
through them put in their place (Kleene). Expressions can grow exponentially, so a long one is given
up. They are simplified only as far as is needed for common expressions to come out as they were
written.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tepui.automata.pattern import written
from tepui.model import EPSILON, StackSet
from tepui.model.build import EMPTY

MOST_CHARACTERS = 200


def expression_of(stacks: StackSet, symbols: Sequence[str]) -> str | None:
    """An expression for a set of stacks; None if the set is empty, or the expression too long."""
    ways: dict[tuple[int, int], _Part] = {
        (state, _END): _NOTHING for state, accepts in enumerate(stacks.accepting) if accepts
    }
    for state, leaving in enumerate(stacks.edges):
        for target in dict.fromkeys(target for _, target in leaving):
            read = [symbol for symbol, to in leaving if to == target]
            ways[state, target] = _one_of(read, symbols)
    ways[_START, 0] = _NOTHING
    for state in reversed(range(len(stacks.accepting))):
        if not _take_out(ways, state):
            return None
    whole = ways.get((_START, _END))
    return whole.text if whole else None


_START, _END = -1, -2
"""Two additional states, so that all others can be taken out."""


class _Part(NamedTuple):
    """An expression, and how tightly its parts hang together."""

    text: str
    binding: int

    def within(self, binding: int) -> str:
        return self.text if self.binding >= binding else f"({self.text})"


_CHOICE, _SEQUENCE, _REPETITION, _ATOM = range(4)

_NOTHING = _Part(EMPTY, _ATOM)


def _take_out(ways: dict[tuple[int, int], _Part], state: int) -> bool:
    """Replace a state by the ways through it; whether the result is short enough."""
    loop = ways.pop((state, state), None)
    entering = {source: way for (source, target), way in ways.items() if target == state}
    leaving = {target: way for (source, target), way in ways.items() if source == state}
    for source in entering:
        del ways[source, state]
    for target in leaving:
        del ways[state, target]
    for source, before in entering.items():
        for target, after in leaving.items():
            repeated = _repeated(loop, "*") if loop else _NOTHING
            way = _sequence(_sequence(before, repeated), after)
            known = ways.get((source, target))
            ways[source, target] = _choice(known, way) if known else way
            if len(ways[source, target].text) > MOST_CHARACTERS:
                return False
    return True


def _one_of(read: list[int], symbols: Sequence[str]) -> _Part:
    if len(read) > 1 and len(read) == len(symbols) - (EPSILON + 1):
        return _Part(".", _ATOM)
    names = [written(symbols[symbol]) for symbol in read]
    return _Part(" | ".join(names), _ATOM if len(names) == 1 else _CHOICE)


def _sequence(left: _Part, right: _Part) -> _Part:
    if left == _NOTHING:
        return right
    if right == _NOTHING:
        return left
    if right == _repeated(left, "*"):
        return _repeated(left, "+")
    return _Part(f"{left.within(_SEQUENCE)} {right.within(_SEQUENCE)}", _SEQUENCE)


def _choice(left: _Part, right: _Part) -> _Part:
    if left == _NOTHING:
        return _repeated(right, "?")
    if right == _NOTHING:
        return _repeated(left, "?")
    return left if left == right else _Part(f"{left.text} | {right.text}", _CHOICE)


def _repeated(part: _Part, sign: str) -> _Part:
    """Repeat a part, or make it optional. Both together are `*`."""
    if part == _NOTHING:
        return part
    if part.binding == _REPETITION:
        both = sign if part.text[-1] == sign else "*"
        return _Part(part.text[:-1] + both, _REPETITION)
    return _Part(part.within(_ATOM) + sign, _REPETITION)
