"""Looks for a run with fewer contexts near a trace.

An engine that does not count contexts finds runs with needless ones. Near such a run there often is
a shorter one: the same threads do the same, in another order. So each thread is kept to the stacks
that it has in the trace, whatever the shared state is, and the search goes by the number of
contexts, as R_k does. That is exact as long as nothing is left out. Where there are too many
states, only those are followed in which the threads have come closest to their ends; first a few of
them, and then more and more. Long traces are made shorter piece by piece, with a window.

Work is counted in states met, and these count more the more threads there are; so every search goes
the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence
from itertools import groupby, zip_longest
from typing import TYPE_CHECKING

from tepui.checker import Trace
from tepui.kernels.door import system_kernel
from tepui.model import EPSILON
from tepui.records import mutable_record

if TYPE_CHECKING:
    from tepui.checker.trace_steps import Move
    from tepui.model import Property, Rule, System

Stack = int
"""The number of a stack; equal stacks have equal numbers."""

Place = tuple[int, tuple[Stack, ...]]
"""A global state: the shared state, and the stack of each thread."""

_Path = tuple["_Path", "Move"] | None
"""Moves, the last one first."""

_WIDTHS = (4, 32, 256, 2048)
"""How many states are followed after each context; at last, all of them."""

_WINDOW = 12
"""How many contexts of a long trace are looked at together, at first."""

_SHARE = 4
"""One search may take this part of what is left of the work."""


@mutable_record
class Effort:
    """How much work is left."""

    left: int

    def spend(self, work: int) -> None:
        self.left -= work


class Neighbourhood:
    """The runs near a trace: each thread has only the stacks that it has there."""

    def __init__(self, system: System, trace: Trace, bad: Property) -> None:
        self._system = system
        self._kernel = system_kernel(system)
        self._bad = _Bad(system, bad)
        self._cells: dict[tuple[int, Stack], Stack] = {}
        self._tops, self._below = [EPSILON], [0]
        """Of each stack; 0 is the empty one."""
        self._rules: dict[tuple[int, int, int], list[Rule]] = {}
        shared, stacks = trace.start
        start = (shared, tuple(map(self._number, stacks)))
        self.places: list[Place] = [start]
        """The states of the trace."""
        self.moves: list[Move] = list(trace.differences.moves())
        for thread, rule in self.moves:
            self.places.append(self._after(self.places[-1], thread, rule))

    @property
    def threads(self) -> int:
        return len(self._system.threads)

    def stacks(self, first: int, last: int) -> list[dict[Stack, int]]:
        """The stacks that each thread has between two places of the trace, and how many of its
        steps are left there."""
        found = [{stack: 0} for stack in self.places[last][1]]
        for place in range(last - 1, first - 1, -1):
            thread, _ = self.moves[place]
            left = found[thread]
            left.setdefault(self.places[place][1][thread], len(left))
        return found

    def top(self, stack: Stack) -> int:
        return self._tops[stack]

    def is_bad(self, place: Place) -> bool:
        """Whether a state is surely bad."""
        shared, stacks = place
        tops = [self._tops[stack] for stack in stacks]
        if self._bad.matches(shared, tops):
            return True
        return self._bad.asks_deadlock and self._is_deadlock(shared, tops)

    def successors(
        self, thread: int, shared: int, stack: Stack, allowed: Container[Stack]
    ) -> Iterator[tuple[Rule, Stack]]:
        """What a thread can do, and the stack that it has then."""
        below = self._below[stack]
        for rule in self._enabled(thread, shared, self._tops[stack]):
            after: Stack | None = below
            for symbol in reversed(rule.word):
                after = self._cells.get((symbol, after))  # type: ignore[arg-type]
                if after is None:
                    break
            if after is not None and after in allowed:
                yield rule, after

    def grown(self, thread: int, shared: int, stack: Stack) -> Iterator[tuple[Rule, Stack]]:
        """The same with any stack."""
        below = self._below[stack]
        for rule in self._enabled(thread, shared, self._tops[stack]):
            yield rule, self._pushed(rule, below)

    def _is_deadlock(self, shared: int, tops: Sequence[int]) -> bool:
        if self._bad.is_over(shared, tops):
            return False
        return not any(self._enabled(thread, shared, top) for thread, top in enumerate(tops))

    def _enabled(self, thread: int, shared: int, top: int) -> list[Rule]:
        template = self._system.threads[thread]
        key = (template, shared, top)
        if key not in self._rules:
            rules = self._system.templates[template].rules
            self._rules[key] = [rules[number] for number in self._kernel.enabled(*key)]
        return self._rules[key]

    def _after(self, place: Place, thread: int, rule: Rule) -> Place:
        stacks = list(place[1])
        stacks[thread] = self._pushed(rule, self._below[stacks[thread]])
        return rule.target, tuple(stacks)

    def _pushed(self, rule: Rule, below: Stack) -> Stack:
        for symbol in reversed(rule.word):
            below = self._cell(symbol, below)
        return below

    def _number(self, stack: Sequence[int]) -> Stack:
        below = 0
        for symbol in reversed(stack):
            below = self._cell(symbol, below)
        return below

    def _cell(self, symbol: int, below: Stack) -> Stack:
        number = self._cells.setdefault((symbol, below), len(self._tops))
        if number == len(self._tops):
            self._tops.append(symbol)
            self._below.append(below)
        return number


def with_fewer_contexts(
    system: System, trace: Trace, bad: Property, effort: Effort, least: int = 1
) -> Trace:
    """The trace, or one with fewer contexts that ends in a bad state, too. Fewer than `least` are
    not looked for. Whatever leads back to a state that was there before is left out, and each
    context is a shortest run of its thread, as far as there is room for that."""

    def near(moves: Sequence[Move]) -> Neighbourhood:
        return Neighbourhood(system, Trace.of_moves(trace.start, moves), bad)

    moves = _without_cycles(Neighbourhood(system, trace, bad))
    whole, share = near(moves), effort.left // 2
    found = _in_widening_beams(whole, (0, len(moves)), whole.is_bad, effort, share, least)
    if found is not None:
        moves = found
    elif _contexts(moves) > _WINDOW:
        moves = _by_windows(near, moves, effort)
    moves = _without_detours(near(moves), effort)
    return Trace.of_moves(trace.start, _without_cycles(near(moves)))


def _contexts(moves: Sequence[Move]) -> int:
    return sum(1 for _ in groupby(thread for thread, _ in moves))


def _without_cycles(near: Neighbourhood) -> list[Move]:
    """The moves of a trace up to its first bad state, without those between two equal states."""
    first_at: dict[Place, int] = {}
    places: list[Place] = []
    moves: list[Move] = []
    for place, move in zip_longest(near.places, near.moves):
        if place in first_at:
            first = first_at[place]
            for left_out in places[first:]:
                del first_at[left_out]
            del places[first:], moves[first:]
        if move is None or near.is_bad(place):
            break
        first_at[place] = len(places)
        places.append(place)
        moves.append(move)
    return moves


def _in_widening_beams(
    near: Neighbourhood,
    part: tuple[int, int],
    is_bad: Callable[[Place], bool],
    effort: Effort,
    most_work: int,
    least: int = 1,
) -> list[Move] | None:
    """Fewer contexts between two places of a trace, or into a bad state, if they are found."""
    best: list[Move] | None = None
    first, last = part
    known = _contexts(near.moves[first:last])
    allowed = near.stacks(first, last)
    until = effort.left - most_work
    for width in (*_WIDTHS, None):
        search = _Search(near, allowed, near.places[last], is_bad, effort, until)
        found = search.run(near.places[first], known - 1, width)
        if found is not None:
            best, known = found, _contexts(found)
        if known <= least or search.is_complete or effort.left <= until:
            break
    return best


class _Search:
    """Goes from state to state, context by context."""

    def __init__(
        self,
        near: Neighbourhood,
        allowed: list[dict[Stack, int]],
        goal: Place,
        is_bad: Callable[[Place], bool],
        effort: Effort,
        until: int,
    ) -> None:
        self._near, self._allowed, self._goal, self._is_bad = near, allowed, goal, is_bad
        self._effort, self._until = effort, until
        self._cost = 1 + near.threads // 4
        """How much work a state is."""
        self._reached: dict[Place, tuple[Place, _Path] | None] = {}
        """For each state, where its last context began, and what was done there."""
        self.is_complete = True
        """Whether no state was left out."""

    def run(self, start: Place, most: int, width: int | None) -> list[Move] | None:
        """A run with at most this many contexts. At most `width` states are followed."""
        self._reached[start] = None
        layer = [start]
        for _ in range(most):
            following: list[Place] = []
            for place in layer:
                for thread in range(self._near.threads):
                    if self._effort.left <= self._until:
                        self.is_complete = False
                        return None
                    met = self._run_thread(place, thread, following)
                    if met is not None:
                        return self._moves_to(met)
            if width is not None and len(following) > width:
                self.is_complete = False
                following.sort(key=self._distance)
                del following[width:]
            layer = following
        return None

    def _run_thread(self, start: Place, thread: int, following: list[Place]) -> Place | None:
        """All states to which one thread leads in one context; a bad one or the goal, if there is
        one. Where an earlier context has been, nothing begins that is new."""
        near, allowed, stacks = self._near, self._allowed[thread], start[1]
        before, after = stacks[:thread], stacks[thread + 1 :]
        local: dict[tuple[int, Stack], _Path] = {(start[0], stacks[thread]): None}
        waiting = list(local)
        # While `waiting` grows, it is read: breadth first, so that runs are short.
        for shared, stack in waiting:
            path = local[shared, stack]
            for rule, pushed in near.successors(thread, shared, stack, allowed):
                key = (rule.target, pushed)
                if key in local:
                    continue
                self._effort.spend(self._cost)
                local[key] = (path, (thread, rule))
                place = (rule.target, (*before, pushed, *after))
                if place not in self._reached:
                    self._reached[place] = (start, local[key])
                    following.append(place)
                    if place == self._goal or self._is_bad(place):
                        return place
                waiting.append(key)
        return None

    def _distance(self, place: Place) -> int:
        """How many steps the threads are away from where they end."""
        return sum(left[stack] for left, stack in zip(self._allowed, place[1], strict=True))

    def _moves_to(self, place: Place) -> list[Move]:
        moves: list[Move] = []
        while (came := self._reached[place]) is not None:
            place, path = came
            while path is not None:
                path, move = path
                moves.append(move)
        moves.reverse()
        return moves


def _by_windows(
    near: Callable[[Sequence[Move]], Neighbourhood], moves: list[Move], effort: Effort
) -> list[Move]:
    """A long trace, shortened a few contexts at a time, from the start to the end, and again."""
    start, before, window = 0, _contexts(moves), _WINDOW
    while effort.left > 0:
        effort.spend(len(moves))
        ends = _ends(moves)
        if start + 2 >= len(ends):
            if len(ends) == before:
                if window >= len(ends):
                    break
                window *= 2
            start, before = 0, len(ends)
        first = 0 if start == 0 else ends[start - 1]
        last = ends[min(start + window, len(ends)) - 1]
        share = effort.left // _SHARE + 1
        found = _in_widening_beams(near(moves), (first, last), lambda _: False, effort, share)
        if found is None:
            start += window // 2
        else:
            moves = [*moves[:first], *found, *moves[last:]]
    return moves


def _ends(moves: Sequence[Move]) -> list[int]:
    """Where the contexts of a run end."""
    ends, count = [], 0
    for _, some in groupby(moves, key=lambda move: move[0]):
        count += sum(1 for _ in some)
        ends.append(count)
    return ends


def _without_detours(near: Neighbourhood, effort: Effort) -> list[Move]:
    """Each context as a shortest run of its thread between the same states."""
    kept: list[Move] = []
    first = 0
    for last in _ends(near.moves):
        part = near.moves[first:last]
        kept += _shortest(near, first, last, effort) or part
        first = last
    return kept


def _shortest(near: Neighbourhood, first: int, last: int, effort: Effort) -> list[Move] | None:
    """A shorter run of one thread between two places, if there is one and room to find it."""
    thread, most = near.moves[first][0], last - first - 1
    start, goal = (
        (shared, stacks[thread]) for shared, stacks in (near.places[first], near.places[last])
    )
    met: dict[tuple[int, Stack], _Path] = {start: None}
    layer = [start]
    until = effort.left - effort.left // _SHARE
    for _ in range(most):
        following = []
        for shared, stack in layer:
            for rule, pushed in near.grown(thread, shared, stack):
                key = (rule.target, pushed)
                if key in met:
                    continue
                effort.spend(1)
                met[key] = (met[shared, stack], (thread, rule))
                if key == goal:
                    return _along(met[key])
                following.append(key)
        if effort.left <= until:
            break
        layer = following
    return None


def _along(path: _Path) -> list[Move]:
    moves: list[Move] = []
    while path is not None:
        path, move = path
        moves.append(move)
    return moves[::-1]


class _Bad:
    """Which states are surely bad: those that match a pattern, and some deadlocks."""

    def __init__(self, system: System, bad: Property) -> None:
        self._system = system
        self.asks_deadlock = bad.deadlock
        self._by_top: dict[tuple[int, int], list[tuple[int | None, tuple[int | None, ...]]]] = {}
        self._open: list[int | None] = []
        """The shared states of patterns that fix no top."""
        for pattern in bad.patterns:
            fixed = [(n, top) for n, top in enumerate(pattern.tops) if top is not None]
            if fixed:
                self._by_top.setdefault(fixed[0], []).append((pattern.shared, pattern.tops))
            else:
                self._open.append(pattern.shared)
        self._class_of: dict[tuple[int, int], int] = {}

    def matches(self, shared: int, tops: Sequence[int]) -> bool:
        """Whether a visible state matches a pattern."""
        if any(wanted in (None, shared) for wanted in self._open):
            return True
        if not self._by_top:
            return False
        classes = [self._class(thread, top) for thread, top in enumerate(tops)]
        for pair in enumerate(classes):
            for of, wanted in self._by_top.get(pair, ()):
                if of in (None, shared) and all(
                    want in (None, have) for want, have in zip(wanted, classes, strict=True)
                ):
                    return True
        return False

    def is_over(self, shared: int, tops: Sequence[int]) -> bool:
        """Whether no thread has anything left to do, so that none is stuck. In a program, a thread
        that was never created has nothing to do, and after a violation nobody has."""
        program = self._system.program
        if program is None:
            return all(
                self._system.template_of(thread).is_idle(shared, top)
                for thread, top in enumerate(tops)
            )
        from tepui.kernels.lowered_system import lowered
        from tepui.program.layout import point_class

        system = lowered(self._system)
        halted = system.layout.hidden.get("halted")
        if halted is not None and system.shared_values()[shared][halted] == 1:
            return True
        absent = point_class(system.layout.waiting)
        return all(
            top == EPSILON or self._class(thread, top) == absent for thread, top in enumerate(tops)
        )

    def _class(self, thread: int, top: int) -> int:
        key = (self._system.threads[thread], top)
        if key not in self._class_of:
            self._class_of[key] = self._system.template_of(thread).class_of(top)
        return self._class_of[key]
