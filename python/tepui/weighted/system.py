"""Weighted pushdown systems: pushdown rules, each with a weight (WPDS, Definitions 1 and 5).

A rule ⟨p, γ⟩ → ⟨p', w⟩ replaces the top γ of a stack by a word, top first, of any length. States
and symbols can be any hashable values. No rule applies to the empty stack; if one should, put a
bottom symbol there.

The value of a run is its weights, extended in the order of the run. A rule that `merges` is a call
with local variables (appendix B): if the call returns within the run, that is, if the first symbol
it pushed has been popped and the second is on top again, then all of the call, from this rule to
the return, has the value merge(weight of the rule ⊗ what came after it up to the return), and is
extended as one. A call that has not returned is extended like any other.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Generic

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


@dataclass(frozen=True)
class WeightedSystem(Generic[W]):
    """Rules over one domain. Rules are numbered by their place."""

    domain: Semiring[W]
    rules: tuple[WeightedRule[W], ...]

    def __post_init__(self) -> None:
        merging = next((rule for rule in self.rules if rule.merges), None)
        if merging is not None and not isinstance(self.domain, Merging):
            name = type(self.domain).__name__
            raise ModelError(f"{name} has no merge, which {merging} asks for")

    @classmethod
    def of(cls, domain: Semiring[W], rules: Iterable[WeightedRule[W]]) -> WeightedSystem[W]:
        return cls(domain, tuple(rules))

    @cached_property
    def states(self) -> tuple[State, ...]:
        """The states that occur in rules, in the order of their first occurrence."""
        return tuple(dict.fromkeys(s for rule in self.rules for s in (rule.state, rule.target)))

    @cached_property
    def symbols(self) -> tuple[Symbol, ...]:
        """The symbols that occur in rules, in the order of their first occurrence."""
        return tuple(dict.fromkeys(s for rule in self.rules for s in (rule.symbol, *rule.word)))
