"""Whether an invariant has the form that it must have, and what follows from that alone: which
threads stand where, which variables there are, and what the formulas are."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import MutableMapping
from functools import cached_property

from tepui.checker.invariants.formulas import read_formula
from tepui.checker.invariants.invariant import Counter, Invariant, Stack
from tepui.checker.invariants.terms import Term, Terms
from tepui.checker.invariants.thread_paths import Paths
from tepui.checker.invariants.values import Range, range_of
from tepui.checker.patience import Patience
from tepui.errors import EvidenceError
from tepui.program.program import Program

Vector = tuple[Stack, ...]
"""The control stacks of the observed threads."""

IDENTITIES: Range = (1, None)
COUNTS: Range = (0, None)


class Shape:
    """An invariant that has the right form for a program; an EvidenceError says what is wrong."""

    def __init__(self, program: Program, invariant: Invariant, patience: Patience) -> None:
        self.program = program
        self.terms = Terms()
        self._own: dict[tuple[str, Stack], dict[str, Range]] = {}
        self.paths = Paths(program, invariant.passed, self.terms, patience)
        self.observed = invariant.observed
        self._check_observed()
        self.positions = tuple(
            number for number, count in enumerate(self.observed) for _ in range(count)
        )
        """The type of the thread at each position."""
        self._stacks = [frozenset(stacks) for stacks in self.paths.stacks]
        self.counters = invariant.counters
        for number, counter in enumerate(self.counters):
            self._check_counter(number, counter)
        self.formulas: dict[Vector, Term] = {}
        for definition in invariant.definitions:
            vector = definition.stacks
            patience.spend(1 + len(definition.formula))
            self._check_vector(vector)
            if self._occurs(vector):
                known = self.variables(vector)
                self.formulas[vector] = read_formula(self.terms, definition.formula, known)

    def has_others(self, thread: int) -> bool:
        """Whether a thread of this type may not be observed."""
        count = self.program.threads[thread].count
        return count is None or count > self.observed[thread]

    def places(self, thread: int) -> list[int]:
        """The positions of a type."""
        return [place for place, each in enumerate(self.positions) if each == thread]

    def variables(self, vector: Vector) -> MutableMapping[str, Range]:
        """The variables of the formula of a vector, with their values."""
        own = [self.own(f"t{place}", stack) for place, stack in enumerate(vector)]
        return ChainMap(*own, self._always)

    def own(self, role: str, stack: Stack) -> dict[str, Range]:
        """The variables of one thread, which has a role in an obligation."""
        key = role, stack
        if key not in self._own:
            known = self.paths.locals(stack).items()
            self._own[key] = {f"{role}.{name}": range_of(scalar) for name, scalar in known}
            self._own[key][f"{role}.self"] = IDENTITIES
        return self._own[key]

    @cached_property
    def _always(self) -> dict[str, Range]:
        found = {name: range_of(scalar) for name, scalar in self.paths.shared.items()}
        for number in range(len(self.counters)):
            found[f"c.{number}"] = COUNTS
        return found

    def _check_observed(self) -> None:
        threads = self.program.threads
        if len(self.observed) != len(threads):
            raise EvidenceError(
                f"the invariant observes threads of {len(self.observed)} types, and the program "
                f"has {len(threads)}"
            )
        for thread, number in zip(threads, self.observed, strict=True):
            if number < 0 or (thread.count is not None and number > thread.count):
                raise EvidenceError(f"the invariant observes {number} threads {thread.name}")

    def _check_counter(self, number: int, counter: Counter) -> None:
        if not 0 <= counter.thread < len(self.program.threads):
            raise EvidenceError(f"counter {number} counts threads of a type that does not exist")
        if not all(0 <= point <= self.program.layout.waiting for point in counter.stack):
            raise EvidenceError(f"counter {number} has a control stack with an unknown point")
        names = self.paths.locals(counter.stack)
        for name, _ in counter.where:
            if name not in names:
                raise EvidenceError(f"counter {number} has {name!r}, which is no variable there")

    def _check_vector(self, vector: Vector) -> None:
        if len(vector) != len(self.positions):
            raise EvidenceError(
                f"a definition has {len(vector)} control stacks, and {len(self.positions)} threads "
                "are observed"
            )
        if vector in self.formulas:
            raise EvidenceError("two definitions are for the same control stacks")

    def _occurs(self, vector: Vector) -> bool:
        """Whether threads may have these control stacks. A definition for others says nothing, as
        no path leads to them."""
        return all(
            stack in self._stacks[thread]
            for thread, stack in zip(self.positions, vector, strict=True)
        )
