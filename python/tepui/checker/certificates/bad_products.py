"""Which products of sets of stacks hold a bad state.

A product is a shared state and a label for each thread: all states with that shared state and a
stack from each label. Its stacks are chosen independently of each other. So it holds a state that
fits a pattern or a reach if and only if each of its labels has a stack that fits there; and it
holds a deadlock if and only if, in one case of the shared state, each label has a top with which
its thread cannot move, and one of them has such a top with which its thread is not idle.
Patterns and reaches together are numbered, and sets of them are the bits of an integer; so are sets
of shared states.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tepui.checker.bad_states import check_length
from tepui.checker.bits import bits_of, members
from tepui.checker.certificates.labels import Labels
from tepui.checker.name_text import pattern_text
from tepui.checker.stuck_cases import Cases, Stuck
from tepui.errors import EvidenceError
from tepui.model import Property, System


class BadProducts:
    """The bad states of a property, as questions about labels and shared states."""

    def __init__(self, system: System, asked: Property, labels: Sequence[Labels[Any]]) -> None:
        """The labels are those of each thread."""
        self._system = system
        self._asked = asked
        self._labels = labels
        threads = len(system.threads)
        for pattern in asked.patterns:
            check_length("pattern", len(pattern.tops), threads)
        for reach in asked.reaches:
            check_length("reach", len(reach.stacks), threads)
        self.demands = bits_of(range(len(asked.patterns) + len(asked.reaches)))
        """All patterns and reaches."""
        wanted = [pattern.shared for pattern in asked.patterns]
        self._shared = _Wanted([*wanted, *(reach.shared for reach in asked.reaches)])
        self._tops = [_Wanted([p.tops[t] for p in asked.patterns]) for t in range(threads)]
        self._fitting: dict[tuple[int, int], int] = {}
        self._stuck: dict[tuple[int, int], tuple[int, int]] = {}
        self.cases = Cases(system)
        self._templates = [Stuck(template, self.cases) for template in system.templates]

    def fitting(self, thread: int, label: int) -> int:
        """The patterns and reaches for which some stack of a label fits a thread."""
        known = self._fitting.get((thread, label))
        if known is None:
            known = self._fitting[thread, label] = self._fits(thread, label)
        return known

    def fitting_shared(self, shared: int) -> int:
        """The patterns and reaches that one of these shared states fits."""
        found = 0
        for state in members(shared):
            found |= self._shared.by(state)
        return found

    def stuck(self, thread: int, label: int) -> tuple[int, int]:
        """The cases in which a thread with some stack of a label cannot move, and those among them
        in which it has something to do."""
        key = self._system.threads[thread], label
        known = self._stuck.get(key)
        if known is None:
            tops = self._labels[thread].tops(label)
            known = self._stuck[key] = self._templates[key[0]].with_one_of(tops)
        return known

    def refuse(self, demands: int) -> EvidenceError:
        """The certificate holds a state that fits one of these patterns and reaches."""
        number = next(members(demands))
        patterns = self._asked.patterns
        if number < len(patterns):
            text = pattern_text(self._system, patterns[number])
            return EvidenceError(f"the certificate holds a bad state: one that fits {text}")
        return EvidenceError(
            "the certificate holds a bad state: "
            f"one of the configurations in reach {number - len(patterns) + 1} of the property"
        )

    def refuse_deadlock(self, cases: int) -> EvidenceError:
        """The certificate holds a deadlock in one of these cases."""
        name = self._system.shared[self.cases.first(cases)]
        return EvidenceError(
            f"the certificate holds a bad state: a deadlock in the shared state {name}"
        )

    def _fits(self, thread: int, label: int) -> int:
        labels, found = self._labels[thread], 0
        tops = labels.tops(label)
        for top in tops:
            found |= self._tops[thread].by(labels.template.class_of(top))
        for number, reach in enumerate(self._asked.reaches, start=len(self._asked.patterns)):
            wanted = reach.stacks[thread]
            if tops and (wanted is None or labels.fits(label, wanted)):
                found |= 1 << number
        return found


class _Wanted:
    """For each entry of a list, the number that it wants, or None for any."""

    def __init__(self, wanted: Sequence[int | None]) -> None:
        self._any = bits_of(place for place, number in enumerate(wanted) if number is None)
        self._by_number: dict[int, int] = {}
        for place, number in enumerate(wanted):
            if number is not None:
                self._by_number[number] = self._by_number.get(number, 0) | 1 << place

    def by(self, number: int) -> int:
        """The positions of the entries that a number satisfies."""
        return self._any | self._by_number.get(number, 0)
