"""In which cases threads cannot move, as sets: the bits of an integer.

A shared state of a program may leave variables undecided, and whether a thread can move may depend
on them. So a shared state stands for some cases (`System.cases`), and there is a deadlock if there
is a case in which no thread can move. Other shared states, and all of a plain System, have one
case: the bit of the shared state itself. Further cases have bits beyond those.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tepui.checker.bits import bits_of, members
from tepui.model import EPSILON, System

if TYPE_CHECKING:
    from tepui.model.system import Template


class Cases:
    """The cases of all shared states of a system."""

    def __init__(self, system: System) -> None:
        self._bits: dict[int, int] = {}
        self._numbers: dict[int, list[int]] = {}
        self._shared: dict[int, int] = {}
        free = len(system.shared)
        for shared, count in sorted(system.cases.items()):
            self._numbers[shared] = [shared, *range(free, free + count - 1)]
            self._bits[shared] = bits_of(self._numbers[shared])
            self._shared |= dict.fromkeys(self._numbers[shared], shared)
            free += count - 1
        self.all = (1 << free) - 1

    def of(self, shared: int) -> int:
        """All cases of a shared state."""
        return self._bits.get(shared, 1 << shared)

    def some(self, shared: int, numbers: frozenset[int]) -> int:
        """Some cases of a shared state, by their numbers there."""
        known = self._numbers.get(shared, [shared])
        return bits_of(known[number] for number in numbers)

    def of_all(self, shared: int) -> int:
        """All cases of some shared states, given as bits."""
        found = shared
        for state, bits in self._bits.items():
            if shared >> state & 1:
                found |= bits
        return found

    def first(self, cases: int) -> int:
        """The shared state of the first of some cases."""
        case = next(members(cases))
        return self._shared.get(case, case)


class Stuck:
    """The cases in which threads of a template cannot move, by the tops of their stacks."""

    def __init__(self, template: Template, cases: Cases) -> None:
        self._template = template
        self._cases = cases
        self._moving: dict[int, int] = {}
        self._idle: dict[int, int] = {}
        if template.stuck is None:
            for rule in template.rules:
                self._move(rule.top, cases.of(rule.source))
        else:
            for (shared, top), numbers in template.stuck.items():
                self._move(top, cases.of(shared) & ~cases.some(shared, numbers))
        for shared, number in template.idle:
            self._idle[number] = self._idle.get(number, 0) | cases.of(shared)

    def with_top(self, top: int) -> int:
        """The cases in which a thread with this top cannot move."""
        return self._cases.all & ~self._moving.get(top, 0)

    def with_one_of(self, tops: frozenset[int]) -> tuple[int, int]:
        """The cases in which a thread with one of these tops cannot move, and those in which it
        cannot move although it has something to do."""
        stuck = busy = 0
        for top in tops:
            still = self.with_top(top)
            stuck |= still
            if top != EPSILON:
                busy |= still & ~self._idle.get(self._template.class_of(top), 0)
        return stuck, busy

    def _move(self, top: int, cases: int) -> None:
        self._moving[top] = self._moving.get(top, 0) | cases
