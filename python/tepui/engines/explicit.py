"""The explicit engine: R_k state by state.

Fastest on small systems. It needs finite-context reachability.

Threads of a type that know themselves are exchanged, too, where `families` says that they can be,
and the property does not tell them apart.
"""

from __future__ import annotations

from collections import Counter
from math import factorial, prod
from typing import TYPE_CHECKING

from tepui.engines.kernel_engine import ContextEngine, ListingEngine
from tepui.kernels.door import ExplicitKernel, system_kernel
from tepui.z.z import certificate_groups

if TYPE_CHECKING:
    from tepui.checker.evidence import AnyCertificate
    from tepui.model import Pattern, Property, System


class ExplicitEngine(ContextEngine[ExplicitKernel], ListingEngine[ExplicitKernel]):
    """The explicit engine at work on a system."""

    def __init__(self, system: System, *, symmetry: bool = True, identities: bool = False) -> None:
        """With `identities`, also up to exchanging threads that know themselves."""
        groups = certificate_groups(system, symmetry)
        wider = _with_families(system) if identities and symmetry else groups
        self._exchanged = groups
        if wider != groups and _treats_alike(system.property, wider):
            self._exchanged = wider
        self._has_families = self._exchanged != groups
        kernel = ExplicitKernel(
            system_kernel(system), symmetry=symmetry, identities=self._has_families
        )
        super().__init__(system, kernel, symmetry=symmetry)

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


def _treats_alike(asked: Property, groups: tuple[tuple[int, ...], ...]) -> bool:
    """Whether a property stays the same if threads of a group are exchanged: it names no shared
    state, and with a pattern it has all others that differ from it only in that way."""
    if asked.reaches or any(pattern.shared is not None for pattern in asked.patterns):
        return False

    def orbit(pattern: Pattern) -> tuple[tuple[tuple[int | None, int], ...], ...]:
        tops = (Counter(pattern.tops[thread] for thread in group) for group in groups)
        return tuple(tuple(sorted(of.items(), key=str)) for of in tops)

    return all(
        count == prod(_arrangements([many for _, many in tops]) for tops in found)
        for found, count in Counter(map(orbit, set(asked.patterns))).items()
    )


def _arrangements(counts: list[int]) -> int:
    """In how many ways things can be put in a row, some of which are equal."""
    return factorial(sum(counts)) // prod(map(factorial, counts))
