"""Patterns such as `<p, a b*>` as regular sets of configurations of weighted pushdown systems.

`tepui.automata.pattern` describes the syntax of patterns and reads them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tepui.automata.pattern import LAST, PatternNames, reach_of, transitions_of, written
from tepui.automata.pattern import Transition as Numbers
from tepui.model import EPSILON
from tepui.model.build import EMPTY
from tepui.weighted.configurations import Configurations, Inner, Node, Transition


@dataclass(frozen=True)
class Alphabet:
    """The names that a pattern may use: those of states, and of the symbols of one thread."""

    thread: str
    states: Sequence[str]
    symbols: Sequence[str]

    @property
    def numbered(self) -> PatternNames:
        return PatternNames(self.thread, self.states, ("", *self.symbols))


def configurations_of(
    pattern: str, alphabet: Alphabet, source: str = "<pattern>", number: int = 0
) -> Configurations:
    """All configurations that match a pattern. Patterns with different numbers have no inner nodes
    in common."""
    return _named(transitions_of(pattern, alphabet.numbered, source), alphabet, number)


def joined(sets: Sequence[Configurations]) -> Configurations:
    """The union of sets that have no inner nodes in common."""
    return Configurations(
        frozenset(step for each in sets for step in each.transitions),
        frozenset(node for each in sets for node in each.accepting),
    )


def product_of(
    pattern: str, alphabets: Sequence[Alphabet], source: str = "<pattern>"
) -> tuple[Configurations, ...]:
    """What a pattern about several threads, such as `p | a b*, -, *`, says about each of them.

    The alphabets have the same states.
    """
    shared, stacks = reach_of(pattern, [each.numbered for each in alphabets], source)
    states = range(len(alphabets[0].states)) if shared is None else [shared]
    return tuple(
        _named(_from_all(states, _any_stack(alphabet) if stack is None else stack), alphabet)
        for alphabet, stack in zip(alphabets, stacks, strict=True)
    )


def pattern_text(state: object, stack: Iterable[object]) -> str:
    """A configuration as a pattern that matches only this configuration."""
    word = " ".join(written(str(symbol)) for symbol in stack) or EMPTY
    return f"<{written(str(state))}, {word}>"


def _any_stack(alphabet: Alphabet) -> list[Numbers]:
    symbols = range(EPSILON + 1, EPSILON + 1 + len(alphabet.symbols))
    loop = LAST - 1
    steps = [(node, symbol, loop) for node in (0, loop) for symbol in symbols]
    return [*steps, (0, EPSILON, LAST), (loop, EPSILON, LAST)]


def _from_all(states: Iterable[int], transitions: Iterable[Numbers]) -> list[Numbers]:
    """An automaton that reads from each of some states the words that another reads from node 0. No
    transition leads to that node."""
    return [
        (start, symbol, target)
        for source, symbol, target in transitions
        for start in (states if source == 0 else [source])
    ]


def _named(transitions: Iterable[Numbers], alphabet: Alphabet, pattern: int = 0) -> Configurations:
    """The same with names; a node that leads to the last node by ε accepts instead."""

    def node(number: int) -> Node:
        return alphabet.states[number] if number >= 0 else Inner((pattern, LAST - number))

    steps: set[Transition] = set()
    accepting: set[Node] = set()
    for source, symbol, target in transitions:
        if target == LAST:
            accepting.add(node(source))
        else:
            steps.add((node(source), alphabet.symbols[symbol - EPSILON - 1], node(target)))
    return Configurations(frozenset(steps), frozenset(accepting))
