"""Engines that list states, and exchange equal threads.

Threads of a type that know themselves are exchanged, too, where `families` says that they can be,
and the property does not tell them apart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from math import factorial, prod
from typing import TYPE_CHECKING, TypeVar

from tepui.engines.kernel_engine import ListingEngine, SequenceEngine
from tepui.kernels.door import KernelLimits, Listing, system_kernel
from tepui.records import replace
from tepui.z.z import certificate_groups

if TYPE_CHECKING:
    from tepui.checker.evidence import AnyCertificate
    from tepui.engines.engine import Violation
    from tepui.model import Pattern, Property, System

L = TypeVar("L", bound=Listing)


class ExchangingEngine(SequenceEngine[L], ListingEngine[L]):
    """An engine that lists states up to exchanging threads."""

    def __init__(
        self,
        make: Callable[..., L],
        system: System,
        *,
        symmetry: bool = True,
        identities: bool = False,
    ) -> None:
        """With `identities`, also up to exchanging threads that know themselves."""
        self._exchanged = certificate_groups(system, symmetry)
        self._has_families = False
        self._few: Property | None = None
        """The property with one of all patterns that are the same up to exchanging threads: there
        may be very many, and the kernel needs no more."""
        wider = _with_families(system) if identities and symmetry else self._exchanged
        if wider != self._exchanged:
            asked = system.property
            orbits = _orbits(asked.patterns, wider)
            if not asked.reaches and _are_whole(orbits, wider):
                self._exchanged, self._has_families = wider, True
                self._few = replace(asked, patterns=tuple(some[0] for some in orbits.values()))
        kernel = make(system_kernel(system), symmetry=symmetry, identities=self._has_families)
        super().__init__(system, kernel, symmetry=symmetry)

    def first_new_bad(self, bad: Property, limits: KernelLimits | None = None) -> Violation | None:
        few = self._few if self._few is not None and bad == self.system.property else bad
        return super().first_new_bad(few, limits)

    def certificate(self) -> AnyCertificate:
        if not self._has_families:
            return super().certificate()
        from tepui.checker.certificates.orbits import OrbitCertificate

        return OrbitCertificate(self._groups, self._locals(), self._rows())

    @property
    def _groups(self) -> tuple[tuple[int, ...], ...]:
        return self._exchanged


def _with_families(system: System) -> tuple[tuple[int, ...], ...]:
    """The groups of equal threads, where the members of a family are equal."""
    program = system.program
    if program is None:
        return system.groups
    from tepui.program.identities import families

    members = families(program)
    groups: dict[tuple[str, int], tuple[int, ...]] = {}
    for thread, (kind, template) in enumerate(
        zip(program.thread_types, system.threads, strict=True)
    ):
        key = ("type", kind) if kind in members else ("template", template)
        groups[key] = (*groups.get(key, ()), thread)
    return tuple(groups.values())


Orbit = tuple[int | None, tuple[tuple[int, int], ...]]
"""What a pattern asks for, up to exchanging threads: a shared state, groups, and what is on top
there."""


def _orbits(
    patterns: Iterable[Pattern], groups: tuple[tuple[int, ...], ...]
) -> dict[Orbit, list[Pattern]]:
    """Patterns, sorted by what is the same up to exchanging threads of a group."""
    group_of = {thread: number for number, group in enumerate(groups) for thread in group}
    found: dict[Orbit, list[Pattern]] = {}
    for pattern in patterns:
        named = [(group_of[n], top) for n, top in enumerate(pattern.tops) if top is not None]
        found.setdefault((pattern.shared, tuple(sorted(named))), []).append(pattern)
    return found


def _are_whole(orbits: dict[Orbit, list[Pattern]], groups: tuple[tuple[int, ...], ...]) -> bool:
    """Whether a property stays the same if threads of a group are exchanged: it names no shared
    state, and with a pattern it has all others that differ from it only in that way."""
    return all(
        shared is None and len(patterns) == _size(tops, groups)
        for (shared, tops), patterns in orbits.items()
    )


def _size(tops: tuple[tuple[int, int], ...], groups: tuple[tuple[int, ...], ...]) -> int:
    """How many patterns are the same up to exchanging threads."""
    size = 1
    for number, group in enumerate(groups):
        counts = Counter(top for of, top in tops if of == number)
        left = len(group) - counts.total()
        size *= factorial(len(group)) // prod(map(factorial, (left, *counts.values())))
    return size
