"""Which kinds of evidence list states: those that the fast checker knows."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias, TypeGuard

if TYPE_CHECKING:
    from tepui.checker.certificates.orbits import OrbitCertificate
    from tepui.checker.certificates.states import Certificate
    from tepui.checker.evidence import Evidence

    Listing: TypeAlias = Certificate | OrbitCertificate

_STATES = "tepui.checker.certificates.states"
_ORBITS = "tepui.checker.certificates.orbits"
"""Where these kinds come from; most runs need only one of them."""


def is_listing(evidence: Evidence) -> TypeGuard[Listing]:
    """Whether it is a certificate that lists states."""
    return type(evidence).__module__ in (_STATES, _ORBITS)


def is_orbits(evidence: Evidence) -> TypeGuard[OrbitCertificate]:
    """Whether it is one that exchanges threads which know themselves."""
    return type(evidence).__module__ == _ORBITS
