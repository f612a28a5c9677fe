"""Weighted pushdown systems: pushdown rules, each with a weight (WPDS, Definitions 1 and 5).

A rule ⟨p, γ⟩ → ⟨p', w⟩ replaces the top γ of a stack by a word, top first, of any length. States
and symbols can be any hashable values. No rule applies to the empty stack; if one should, put a
bottom symbol there.

The value of a run is its weights, extended in the order of the run. A rule that `merges` is a call
with local variables (appendix B): if the call returns within the run, that is, if the first symbol
it pushed has been popped and the second is on top again, then all of the call, from this rule to
the return, has the value merge(weight of the rule ⊗ what came after it up to the return), and is
extended as one. A call that has not returned is extended like any other.

The rules of a large file are never objects all at once: they are packed, as numbers in arrays.
"""

from __future__ import annotations

from array import array
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate
from typing import Any, Generic, overload

from tepui.errors import ModelError
from tepui.records import record
from tepui.weighted.domains.semiring import Merging, Semiring, W

State = Hashable
Symbol = Hashable
Word = tuple[Symbol, ...]
Configuration = tuple[State, Word]
"""A state and a stack, top first."""


@record
class Inner:
    """A node of an automaton that is no state of a pushdown system."""

    name: Hashable

    def __str__(self) -> str:
        return f"({self.name})"


@record
class WeightedRule(Generic[W]):
    """⟨state, symbol⟩ → ⟨target, word⟩, with a weight."""

    state: State
    symbol: Symbol
    target: State
    word: Word
    weight: W
    merges: bool = False

    def __post_init__(self) -> None:
        word: object = self.word
        if not isinstance(word, tuple):
            raise ModelError(f"a word is a tuple of symbols, not {word!r}")
        if self.symbol is None or None in self.word:
            raise ModelError("None is no stack symbol")
        for state in (self.state, self.target):
            if isinstance(state, Inner):
                raise ModelError(f"{state} is an inner node of an automaton, and no state")
        if self.merges and len(self.word) != 2:
            raise ModelError(f"a call pushes two symbols, and {self} writes {len(self.word)}")

    def __str__(self) -> str:
        word = " ".join(map(str, self.word)) or "-"
        return f"<{self.state}, {self.symbol}> -> <{self.target}, {word}>"


@dataclass(frozen=True, eq=False)
class PackedRules(Sequence[WeightedRule[W]]):
    """Rules as numbers, in the form that the kernel takes. It is equal to the tuple of these rules,
    each of which becomes an object only when it is asked for."""

    states: tuple[State, ...]
    """The states that occur in rules, in the order of their first occurrence."""
    symbols: tuple[Symbol, ...]
    """The symbols that occur in rules, in the order of their first occurrence."""
    numbers: array[int]
    """State, symbol, target, length of the word, and 1 for a rule that merges; for each rule."""
    words: array[int]
    """The symbols of all words, one word after another."""
    weights: Sequence[W]

    @classmethod
    def of(cls, rules: Iterable[WeightedRule[W]]) -> PackedRules[W]:
        states: dict[State, int] = {}
        symbols: dict[Symbol, int] = {}
        numbers, words, weights = array("I"), array("I"), []
        for rule in rules:
            state = states.setdefault(rule.state, len(states))
            target = states.setdefault(rule.target, len(states))
            symbol = symbols.setdefault(rule.symbol, len(symbols))
            numbers.extend((state, symbol, target, len(rule.word), rule.merges))
            for written in rule.word:
                words.append(symbols.setdefault(written, len(symbols)))
            weights.append(rule.weight)
        return cls(tuple(states), tuple(symbols), numbers, words, weights)

    def with_weights(self, weights: Sequence[Any]) -> PackedRules[Any]:
        """The same rules with other weights."""
        return replace(self, weights=weights)

    def __len__(self) -> int:
        return len(self.weights)

    @overload
    def __getitem__(self, place: int) -> WeightedRule[W]: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[WeightedRule[W], ...]: ...
    def __getitem__(self, place: int | slice) -> WeightedRule[W] | tuple[WeightedRule[W], ...]:
        asked = range(len(self))[place]
        return self._rule(asked) if isinstance(asked, int) else tuple(map(self._rule, asked))

    def __iter__(self) -> Iterator[WeightedRule[W]]:
        return map(self._rule, range(len(self)))

    def __eq__(self, other: object) -> bool:
        return tuple(self) == tuple(other) if isinstance(other, PackedRules | tuple) else False

    def __hash__(self) -> int:
        return hash(tuple(self))

    def _rule(self, number: int) -> WeightedRule[W]:
        state, symbol, target, length, merges = self.numbers[5 * number : 5 * number + 5]
        start = self._starts[number]
        return WeightedRule(
            self.states[state],
            self.symbols[symbol],
            self.states[target],
            tuple(self.symbols[written] for written in self.words[start : start + length]),
            self.weights[number],
            bool(merges),
        )

    @cached_property
    def _starts(self) -> array[int]:
        """Where the word of each rule starts."""
        return array("I", accumulate(self.numbers[3::5], initial=0))


@dataclass(frozen=True)
class WeightedSystem(Generic[W]):
    """Rules over one domain. Rules are numbered by their place."""

    domain: Semiring[W]
    rules: Sequence[WeightedRule[W]]
    """A tuple, or packed rules."""

    def __post_init__(self) -> None:
        merging = _first_that_merges(self.rules)
        if merging is not None and not isinstance(self.domain, Merging):
            name = type(self.domain).__name__
            raise ModelError(f"{name} has no merge, which {merging} asks for")

    @classmethod
    def of(cls, domain: Semiring[W], rules: Iterable[WeightedRule[W]]) -> WeightedSystem[W]:
        return cls(domain, tuple(rules))

    @cached_property
    def packed(self) -> PackedRules[W]:
        """The rules as the kernel takes them."""
        return self.rules if isinstance(self.rules, PackedRules) else PackedRules.of(self.rules)

    @property
    def states(self) -> tuple[State, ...]:
        """The states that occur in rules, in the order of their first occurrence."""
        return self.packed.states

    @property
    def symbols(self) -> tuple[Symbol, ...]:
        """The symbols that occur in rules, in the order of their first occurrence."""
        return self.packed.symbols


def _first_that_merges(rules: Sequence[WeightedRule[W]]) -> WeightedRule[W] | None:
    if isinstance(rules, PackedRules):
        merges = rules.numbers[4::5]
        return rules[merges.index(1)] if 1 in merges else None
    return next((rule for rule in rules if rule.merges), None)
