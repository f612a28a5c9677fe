"""Languages of stacks, for the checker alone: membership, intersection and inclusion by walking.

A language is given by a deterministic automaton (`StackSet`), which reads a stack from the top.
A part of a certificate is always about the rest of a language after some symbols: the words that
lead from a state of its automaton to an accepting one. No automaton is ever built: two rests meet,
or one is included in others, if a walk through all of them at once says so.

States from which no accepting one can be reached are left out at the start; -1 stands for them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from tepui.checker.patience import Patience
from tepui.model import EPSILON
from tepui.model.stack_sets import StackSet
from tepui.model.system import Word

Rest = tuple[int, int]
"""A language and a state of its automaton, by number; from state -1 nothing is accepted."""

_Path = tuple["_Path", int] | None
"""The symbols read so far, the last one first."""


class Languages:
    """Some languages over one alphabet, and what is remembered about them."""

    def __init__(self, sets: Sequence[StackSet], patience: Patience) -> None:
        self._accepting: list[Sequence[bool]] = []
        self._edges: list[list[dict[int, int]]] = []
        self._live: list[frozenset[int]] = []
        self._patience = patience
        self._meetings: dict[tuple[Rest, Rest], bool] = {}
        self._inclusions: dict[tuple[Rest, tuple[Rest, ...]], Word | None] = {}
        for stacks in sets:
            self.add(stacks)

    def add(self, stacks: StackSet) -> int:
        """Add a language, and return its number."""
        live = _live_states(stacks)
        self._accepting.append(stacks.accepting)
        self._edges.append(
            [
                {symbol: target for symbol, target in leaving if target in live}
                for leaving in stacks.edges
            ]
        )
        self._live.append(live)
        return len(self._edges) - 1

    def after(self, language: int, word: Iterable[int]) -> Rest:
        """What may follow this beginning of a stack."""
        edges, state = self._edges[language], 0 if 0 in self._live[language] else -1
        for symbol in word:
            state = edges[state].get(symbol, -1) if state >= 0 else -1
        return language, state

    def has(self, language: int, word: Iterable[int]) -> bool:
        return self._ends(self.after(language, word))

    def tops(self, language: int) -> frozenset[int]:
        """The top symbols of its stacks, EPSILON for the empty one."""
        start = self.after(language, ())
        if start[1] < 0:
            return frozenset()
        tops = frozenset(self._edges[language][0])
        return tops | {EPSILON} if self._ends(start) else tops

    def meet(self, left: Rest, right: Rest) -> bool:
        """Whether some word is in both."""
        known = self._meetings.get((left, right))
        if known is None:
            known = any(any(holders) for _, holders in self._walk(left, (right,)))
            self._meetings[left, right] = known
        return known

    def missing(self, part: Rest, others: Iterable[Rest]) -> Word | None:
        """A word of one that is in none of the others; None if it is included in their union."""
        key = part, tuple(sorted(set(others)))
        if key not in self._inclusions:
            paths = (path for path, holders in self._walk(*key) if not any(holders))
            self._inclusions[key] = next(map(_word, paths), None)
        return self._inclusions[key]

    def memberships(self, part: Rest, others: Sequence[Rest]) -> set[tuple[bool, ...]]:
        """For the words of one, which of the others contain them: every combination that occurs."""
        return {holders for _, holders in self._walk(part, tuple(others))}

    def _walk(
        self, part: Rest, others: tuple[Rest, ...]
    ) -> Iterator[tuple[_Path, tuple[bool, ...]]]:
        """Words of one, the short ones first, and for each of the others whether it contains them.

        Every combination of answers that occurs is among them.
        """
        language, edges = part[0], self._edges[part[0]]
        start = part[1], *(state for _, state in others)
        numbers = [number for number, _ in others]
        found = {start}
        waiting: list[tuple[tuple[int, ...], _Path]] = [(start, None)] if part[1] >= 0 else []
        for states, path in waiting:
            self._patience.spend(len(states))
            rests = list(zip(numbers, states[1:], strict=True))
            if self._ends((language, states[0])):
                yield path, tuple(map(self._ends, rests))
            for symbol, target in edges[states[0]].items():
                after = (
                    target,
                    *(
                        self._edges[number][state].get(symbol, -1) if state >= 0 else -1
                        for number, state in rests
                    ),
                )
                if after not in found:
                    found.add(after)
                    waiting.append((after, (path, symbol)))

    def _ends(self, rest: Rest) -> bool:
        language, state = rest
        return state >= 0 and self._accepting[language][state]


def _live_states(stacks: StackSet) -> frozenset[int]:
    """The states from which an accepting one can be reached."""
    before: list[list[int]] = [[] for _ in stacks.edges]
    for source, leaving in enumerate(stacks.edges):
        for _, target in leaving:
            before[target].append(source)
    waiting = [state for state, accepts in enumerate(stacks.accepting) if accepts]
    live = set(waiting)
    while waiting:
        for source in before[waiting.pop()]:
            if source not in live:
                live.add(source)
                waiting.append(source)
    return frozenset(live)


def _word(path: _Path) -> Word:
    symbols = []
    while path is not None:
        path, symbol = path
        symbols.append(symbol)
    return tuple(reversed(symbols))
