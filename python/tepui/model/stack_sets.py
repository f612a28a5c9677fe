"""Regular sets of whole stacks, as QR (section 3) needs them to ask for configurations.

A set is a deterministic automaton that reads a stack from the top down. It names the symbols of
one template by number, so that threads of equal templates can be asked about with the same set.
Making such sets from patterns is the business of `tepui.automata.pattern`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise

from tepui.errors import ModelError
from tepui.model.system import EPSILON
from tepui.records import record


@record
class StackSet:
    """The stacks that an automaton accepts: its first state is 0, and without states it accepts
    nothing.

    >>> tepui.StackSet(accepting=(False, True), edges=(((1, 1),), ()))  # the stack 1 alone
    StackSet(accepting=(False, True), edges=(((1, 1),), ()))
    """

    accepting: tuple[bool, ...]
    """For each state, whether a stack may end there."""

    edges: tuple[tuple[tuple[int, int], ...], ...]
    """For each state, symbols and the states to which they lead, ascending by symbol."""

    def __post_init__(self) -> None:
        count = len(self.accepting)
        if len(self.edges) != count:
            raise ModelError("a set of stacks needs edges, or none, for each of its states")
        for leaving in self.edges:
            symbols = [EPSILON, *(symbol for symbol, _ in leaving)]
            if any(here >= after for here, after in pairwise(symbols)):
                raise ModelError("the edges of a set of stacks must ascend by symbol, from 1 on")
            if any(not 0 <= target < count for _, target in leaving):
                raise ModelError(
                    "an edge of a set of stacks leads to a state that it does not have"
                )

    def accepts(self, word: Sequence[int]) -> bool:
        """Whether this whole stack, top first, is in the set."""
        state = self._after(word)
        return state is not None and self.accepting[state]

    def may_continue(self, word: Sequence[int]) -> bool:
        """Whether some stack in the set begins, at its top, with this word."""
        return self._after(word) in self._alive

    def tops(self) -> frozenset[int]:
        """The top symbols of the stacks in the set, EPSILON for the empty one."""
        if not self.accepting:
            return frozenset()
        tops = {symbol for symbol, target in self.edges[0] if target in self._alive}
        return frozenset(tops | {EPSILON} if self.accepting[0] else tops)

    def _after(self, word: Sequence[int]) -> int | None:
        """The state in which the automaton is when it has read this much."""
        if not self.accepting:
            return None
        state: int | None = 0
        for symbol in word:
            if state is None:
                return None
            state = self._steps[state].get(symbol)
        return state

    @cached_property
    def _steps(self) -> tuple[dict[int, int], ...]:
        return tuple(map(dict, self.edges))

    @cached_property
    def _alive(self) -> frozenset[int]:
        """The states from which a stack can still be accepted."""
        before: list[list[int]] = [[] for _ in self.edges]
        for source, leaving in enumerate(self.edges):
            for _, target in leaving:
                before[target].append(source)
        alive = {state for state, accepts in enumerate(self.accepting) if accepts}
        waiting = list(alive)
        while waiting:
            new = set(before[waiting.pop()]) - alive
            alive |= new
            waiting += new
        return frozenset(alive)
