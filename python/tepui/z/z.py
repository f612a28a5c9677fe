"""Over-approximations Z of the reachable visible states, of any strength.

A Z is computed state by state or, for many threads, as a decision diagram; in slices, so that a run
can give it a budget. Until it is complete it says nothing. Then it contains every reachable visible
state, and if it is exact, no other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import factorial, prod
from typing import TYPE_CHECKING

from tepui.errors import UsageError
from tepui.kernels.door import (
    DelayKernel,
    DiagramZ,
    ExplicitZ,
    KernelLimits,
    Outcome,
    system_kernel,
)
from tepui.model import EPSILON, Property, Reach, System, Template
from tepui.parameter_names import given
from tepui.z.generators import emerging_symbols
from tepui.z.strength import CUT, MATCHED, Strength

if TYPE_CHECKING:
    from tepui.checker.certificates.diagram import DiagramCertificate
    from tepui.checker.certificates.states import Certificate
    from tepui.model.system import VisibleState, Word

MOST_LISTED = 1_000_000
"""How many visible states of a diagram to list at most: there can be more than anyone can read."""

EmergenceTable = list[tuple[list[list[int]], list[int]]]
"""For each template: sets of symbols, and for each class of symbols, which of them may emerge when
one is popped. For `cut` it is the same set for all."""


class Z:
    """One Z of a system."""

    def __init__(
        self,
        system: System,
        strength: Strength = MATCHED,
        *,
        symmetry: bool = True,
        by_diagram: bool = False,
        reached: DelayKernel | None = None,
    ) -> None:
        self.system = system
        self.strength = strength
        self.by_diagram = by_diagram
        self._symmetry = symmetry
        self._reached = reached
        self._top_words: dict[int, int | None] = {}
        self._first_bad: dict[Property, VisibleState | None] = {}
        self._kernel = self._start()

    def _start(self) -> ExplicitZ | DiagramZ:
        self._emerging = [emerging_symbols(template) for template in self._growing()]
        system, depth = system_kernel(self.system), self.strength.depth
        table = _table(self.system, self.strength)
        if self.by_diagram:
            return DiagramZ(system, depth=depth, table=table)
        return ExplicitZ(
            system, symmetry=self._symmetry, depth=depth, table=table, reached=self._reached
        )

    @classmethod
    def of_reached(cls, system: System, strength: Strength, reached: DelayKernel) -> Z:
        """A Z that begins with the cuts of all that an exploration has reached."""
        return cls(system, strength, symmetry=False, reached=reached)

    def _growing(self) -> Sequence[Template]:
        """The templates whose rules are created as they are met, where all rules matter."""
        grows = self.system.program is not None and self.strength == CUT
        return self.system.templates if grows else ()

    def _has_outgrown_its_table(self) -> bool:
        """Whether rules were met that push symbols which the table of `cut` does not know."""
        now = [emerging_symbols(template) for template in self._growing()]
        return now != self._emerging

    def advance(self, limits: KernelLimits | None = None) -> Outcome:
        """Go on with the computation, and say how that ended."""
        outcome = self._kernel.advance(limits)
        if outcome == "done" and self._has_outgrown_its_table():
            self._kernel = self._start()
            return "paused"
        return outcome

    def completed(self) -> Z:
        """Itself, computed to the end."""
        while self.advance() != "done":
            pass
        return self

    def as_diagram(self) -> Z:
        """The same Z, to be computed as a diagram."""
        return Z(self.system, self.strength, by_diagram=True)

    @property
    def is_complete(self) -> bool:
        return self._kernel.is_complete

    @property
    def is_exact(self) -> bool:
        """Whether T(Z) is exactly the reachable visible states, by the one-outcome criterion."""
        return self.is_complete and self._kernel.is_exact

    @property
    def states(self) -> int:
        """How many cut states it has, up to symmetry if that is on."""
        return self._kernel.states

    @property
    def visible(self) -> int:
        """|T(Z)|, up to symmetry if that is on."""
        return self._kernel.visible

    @property
    def real_visible(self) -> int:
        """|T(Z)|, every permutation of equal threads counted."""
        return self._kernel.real_visible

    def count_top_words(self, symbols: int) -> int | None:
        """How many different states a complete Z has by the top symbols of each stack, every
        permutation counted; None if these symbols are not kept, or the states not listed."""
        if symbols not in self._top_words:
            self._top_words[symbols] = self._count_top_words(symbols)
        return self._top_words[symbols]

    def _count_top_words(self, symbols: int) -> int | None:
        kernel = self._kernel
        if isinstance(kernel, DiagramZ) or self.strength.depth < symbols:
            return None
        words = [
            [word[:symbols] for word, _ in kernel.local_states(template)]
            for template in range(len(self.system.templates))
        ]
        of_thread = [words[template] for template in self.system.threads]
        groups = certificate_groups(self.system, self._symmetry)
        seen: set[tuple[int, tuple[tuple[Word, ...], ...]]] = set()
        for shared, *row in kernel.state_rows(0, self.states):
            shown = [of[local] for of, local in zip(of_thread, row, strict=True)]
            sides = (tuple(sorted(shown[place] for place in group)) for group in groups)
            seen.add((shared, tuple(sides)))
        return sum(prod(map(count_arrangements, sides)) for _, sides in seen)

    @property
    def bytes(self) -> int:
        return self._kernel.bytes

    @property
    def work(self) -> int:
        """How much was done, in states or operations on diagrams."""
        return self._kernel.work

    def list_visible(self, *, up_to_symmetry: bool | None = None) -> list[VisibleState]:
        """T(Z), up to symmetry if that is on, or as asked; a UsageError if there are too many."""
        if up_to_symmetry is False and self._symmetry and not self.by_diagram:
            return self.as_diagram().completed().list_visible()
        if self.by_diagram and self.visible > MOST_LISTED:
            raise UsageError(f"there are {self.visible:,} visible states, too many to list")
        rows = self._kernel.visible_rows()
        return list(filter(self.system.is_sorted, rows)) if up_to_symmetry else rows

    def first_bad(self, bad: Property, limits: KernelLimits | None = None) -> VisibleState | None:
        """Some visible state of a complete Z that is bad; a TimeoutError at the limit."""
        if bad not in self._first_bad:
            self._first_bad[bad] = self._kernel.find_bad(bad, limits)
        return self._first_bad[bad]

    def may_reach(self, reach: Reach, limits: KernelLimits | None = None) -> bool:
        """Whether a state of a complete Z may stand for one of a regular set of states."""
        return self._kernel.has_reaching(reach, limits)

    def is_free_of(self, bad: Property, limits: KernelLimits | None = None) -> bool:
        """Whether nothing in a complete Z may be bad; a TimeoutError at the limit."""
        if self.first_bad(bad, limits) is not None:
            return False
        return not any(self.may_reach(reach, limits) for reach in bad.reaches)

    def below(self, template: int) -> frozenset[tuple[int, int]]:
        """The pairs (σ, π) of the relation *below*: π may lie under σ; EPSILON: nothing may."""
        if self.strength.kind == "matched":
            return frozenset(self._kernel.below(template))
        emerging = emerging_symbols(self.system.templates[template]) | {EPSILON}
        symbols = range(1, len(self.system.templates[template].symbols))
        return frozenset((symbol, under) for symbol in symbols for under in emerging)

    def points(self) -> list[list[int]]:
        """For each thread type of a program, the points that it contains."""
        return self._kernel.points()

    def thread_visible(self, template: int) -> list[tuple[int, int]]:
        """The shared states and tops that threads of a template have in it together."""
        return self._kernel.thread_visible(template)

    @property
    def certificate_size(self) -> int:
        """How many entries the certificate will have."""
        return self._kernel.certificate_size

    def certificate(self) -> Certificate | DiagramCertificate:
        """Z as evidence that the checker accepts. The strength must be `cut` or `matched`."""
        depth, flags = self.strength.depth, self.strength.kind == "matched"
        kernel = self._kernel
        if isinstance(kernel, DiagramZ):
            templates = range(len(self.system.templates))
            nodes, ends, labels = kernel.diagram()
            from tepui.checker.certificates.diagram import DiagramCertificate

            return DiagramCertificate(
                kind="cut",
                order=tuple(kernel.order),
                locals=tuple(tuple(kernel.local_states(template)) for template in templates),
                labels=tuple(tuple(map(tuple, sets)) for sets in labels),
                nodes=nodes,
                ends=ends,
                depth=depth,
                flags=flags,
                below=tuple(map(self.below, templates)),
            )
        groups = certificate_groups(self.system, self._symmetry)
        of_groups = [self.system.threads[group[0]] for group in groups]
        from tepui.checker.certificates.states import Certificate
        from tepui.checker.packed_rows import PackedRows

        return Certificate(
            kind="cut",
            groups=groups,
            locals=tuple(tuple(kernel.local_states(template)) for template in of_groups),
            states=PackedRows(*kernel.packed_rows(self.states)),
            depth=depth,
            flags=flags,
            below=tuple(map(self.below, of_groups)),
        )


def count_arrangements(entries: Sequence[object]) -> int:
    """In how many different ways entries can be put into a row."""
    equal = prod(factorial(count) for count in Counter(entries).values())
    return factorial(len(entries)) // equal


def certificate_groups(system: System, symmetry: bool) -> tuple[tuple[int, ...], ...]:
    """The threads that a certificate treats as interchangeable."""
    return system.groups if symmetry else tuple((thread,) for thread in range(len(system.threads)))


def _table(system: System, strength: Strength) -> EmergenceTable | None:
    """What may emerge; None if that is computed."""
    if strength.kind == "matched":
        return None
    if strength.is_call_return:
        if system.program is None:
            raise UsageError(
                f"{given('z', str(strength))} needs a program, whose calls and returns are known"
            )
        from tepui.z.call_return import emergence_tables

        return emergence_tables(system, strength.kind)
    return [
        ([[EPSILON, *sorted(emerging_symbols(template))]], [0] * system.class_count(number))
        for number, template in enumerate(system.templates)
    ]
