"""Z of some threads among any number of others, which may recurse (`checker.programs.modular_z`).

It is the Z of strength `matched`, made thread-modular: a state has the views of k observed threads
only. What a thread that is not observed does to the shared state is known from the same set: the
thread could stand in the place of each observed one. With k = 1 that says nothing about two threads
at once, and is cheap; a larger k says more.

All states grow together with the relation *below*, to one least fixed point: whenever something may
lie below a frame, it may emerge wherever that frame is popped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import combinations_with_replacement

from tepui.checker.evidence import Bad
from tepui.checker.programs.modular_z import (
    ModularState,
    ModularZ,
    View,
    fits,
    meaning_of_one,
    observable,
)
from tepui.program.layout import Frame, SharedState
from tepui.program.program import Program

MOST_STATES = 300_000
"""With more states than this, another way to prove is better."""

_BETWEEN_LOOKS = 100
"""How many states are expanded between two looks at the limits."""

_Others = tuple[View, ...]


class TooManyStates(Exception):  # noqa: N818
    """This Z has more states than are worth it."""


class BadState(Exception):  # noqa: N818
    """This Z has a bad state, so it proves nothing."""


class ModularSearch:
    """Computes the states of a Z of some threads, and stops at the first bad one."""

    def __init__(self, program: Program, bad: Sequence[Bad], observed: int) -> None:
        self.observed = observable(program, observed)
        self._program = program
        self._bad = [tuple(some) for some in bad]
        self._meaning = meaning_of_one(program, bad)
        self._shared: dict[SharedState, int] = {}
        self._frames: list[dict[Frame, int]] = [{} for _ in program.threads]
        self._listed: tuple[list[SharedState], list[list[Frame]]] = (
            [],
            [[] for _ in program.threads],
        )
        self._rules: dict[tuple[int, int, int], list[tuple[int, tuple[int, ...]]]] = {}
        self._below: list[dict[int, set[int]]] = [{} for _ in program.threads]
        self._over: list[dict[int, set[int]]] = [{} for _ in program.threads]
        """For each frame, those under which everything lies that lies under it."""
        self._pops: dict[tuple[int, int], set[tuple[int, _Others]]] = {}
        """For each frame that was popped with something below: the states that it led to."""
        self._states: dict[ModularState, None] = {}
        self._open: list[ModularState] = []
        self._at: dict[tuple[int, _Others], set[View]] = {}
        """For a shared state and all views of a state but one, the views left out."""

    def run(self, go_on: Callable[[], bool]) -> ModularZ | None:
        """The certificate; None if there was no time for it."""
        meaning = self._meaning
        first = self._number(meaning.initial_shared())
        views = []
        for kind in range(len(self._program.threads)):
            (frame,) = meaning.initial_stack(kind)
            views.append(View(kind, self._numbered(kind, frame), deep=False))
        for some in combinations_with_replacement(sorted(views), self.observed):
            self._add(first, some)
        patience = 0
        while self._open:
            patience -= 1
            if patience < 0:
                patience = _BETWEEN_LOOKS
                if not go_on():
                    return None
            self._expand(self._open.pop())
        return self._certificate()

    def _certificate(self) -> ModularZ:
        shared, frames = self._listed
        below = [
            tuple(sorted((upper, lower) for upper, some in each.items() for lower in some))
            for each in self._below
        ]
        return ModularZ(
            self.observed,
            tuple(shared),
            tuple(map(tuple, frames)),
            tuple(sorted(self._states)),
            tuple(below),
        )

    def _add(self, shared: int, views: Iterable[View]) -> None:
        state = ModularState(shared, tuple(sorted(views)))
        if state in self._states or not fits(self._program, state.views):
            return
        if self._is_bad(state):
            raise BadState
        if len(self._states) >= MOST_STATES:
            raise TooManyStates
        self._states[state] = None
        self._open.append(state)
        for place in range(len(state.views)):
            others = state.views[:place] + state.views[place + 1 :]
            self._at.setdefault((shared, others), set()).add(state.views[place])

    def _is_bad(self, state: ModularState) -> bool:
        points = [
            (view.type, self._listed[1][view.type][view.top - 1].point)
            for view in state.views
            if view.top
        ]
        return any(
            all(points.count(place) >= some.count(place) for place in some) for some in self._bad
        )

    def _expand(self, state: ModularState) -> None:
        shared, views = state
        for place, view in enumerate(views):
            others = views[:place] + views[place + 1 :]
            for target, word in self._steps(shared, view):
                self._move(view, others, target, word)
        # A state of k + 1 threads each k of which are listed: any of them may move unobserved.
        for another in sorted(self._at[shared, views[1:]]):
            every = (*views, another)
            if not fits(self._program, every) or not self._are_listed(shared, every):
                continue
            for place, view in enumerate(every):
                rest = every[:place] + every[place + 1 :]
                for target, _ in self._steps(shared, view):
                    if target != shared:
                        self._add(target, rest)

    def _are_listed(self, shared: int, every: Sequence[View]) -> bool:
        return all(
            ModularState(shared, tuple(sorted((*every[:place], *every[place + 1 :]))))
            in self._states
            for place in range(len(every))
        )

    def _move(self, view: View, others: _Others, shared: int, word: tuple[int, ...]) -> None:
        kind = view.type
        if not word:
            if not view.deep:
                self._add(shared, (*others, View(kind, 0, deep=False)))
                return
            self._pops.setdefault((kind, view.top), set()).add((shared, others))
            for lower in sorted(self._below[kind].get(view.top, ())):
                self._emerge(kind, lower, shared, others)
            return
        self._add(shared, (*others, View(kind, word[0], deep=view.deep or len(word) == 2)))
        if len(word) == 2:
            self._put_below(kind, word[0], word[1])
        if view.deep:
            self._over[kind].setdefault(view.top, set()).add(word[-1])
            for lower in sorted(self._below[kind].get(view.top, set()) - {0}):
                self._put_below(kind, word[-1], lower)
        elif len(word) == 2:
            self._put_below(kind, word[-1], 0)

    def _put_below(self, kind: int, upper: int, lower: int) -> None:
        """Something may lie below a frame, and below all that took its place."""
        waiting = [(upper, lower)]
        while waiting:
            upper, lower = waiting.pop()
            below = self._below[kind].setdefault(upper, set())
            if lower in below:
                continue
            below.add(lower)
            for shared, others in sorted(self._pops.get((kind, upper), ())):
                self._emerge(kind, lower, shared, others)
            for (other, above), popped in list(self._pops.items()):
                # This frame may have emerged before, with something else below.
                if other == kind and upper in self._below[kind].get(above, ()):
                    for shared, others in sorted(popped):
                        self._emerge(kind, upper, shared, others)
            if lower:
                waiting += [(over, lower) for over in self._over[kind].get(upper, ())]

    def _emerge(self, kind: int, lower: int, shared: int, others: _Others) -> None:
        """A frame lay below one that was popped with something below it."""
        for other in sorted(self._below[kind].get(lower, ())) if lower else ():
            self._add(shared, (*others, View(kind, lower, deep=other != 0)))

    def _steps(self, shared: int, view: View) -> list[tuple[int, tuple[int, ...]]]:
        if view.top == 0:
            return []
        key = (shared, view.type, view.top)
        found = self._rules.get(key)
        if found is None:
            frame = self._listed[1][view.type][view.top - 1]
            rules = self._meaning.rules(view.type, self._listed[0][shared], frame)
            found = self._rules[key] = sorted(
                (self._number(after), tuple(self._numbered(view.type, each) for each in word))
                for after, word in sorted(rules, key=repr)
            )
        return found

    def _number(self, shared: SharedState) -> int:
        if shared not in self._shared:
            self._shared[shared] = len(self._shared)
            self._listed[0].append(shared)
        return self._shared[shared]

    def _numbered(self, kind: int, frame: Frame) -> int:
        numbers = self._frames[kind]
        if frame not in numbers:
            self._listed[1][kind].append(frame)
            numbers[frame] = len(self._listed[1][kind])
        return numbers[frame]
