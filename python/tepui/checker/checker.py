"""The independent checker: decides whether a verifier's answer is believed.

It reads the System, the property and the evidence, and nothing else; it shares no code with any
engine. The System and the property are trusted to be what the user asked about. Evidence is not:
every number in it is checked before it is used, and nothing in it is taken for granted. (Its
Python types are those of the dataclasses: `files` makes sure of that for whatever is read.)

A trace is believed because it is replayed (`trace`), a certificate because it is inductive; the
argument is in `certificates.states`, and for its other forms in `certificates.diagram` and
`certificates.products`. Certificates that list states are checked by a crate (`fast`); what is said
here about them is its reference. The code of a kind is trusted. So only registered kinds count
(`evidence.register`), and an engine cannot bring its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tepui.checker.evidence import KINDS, Evidence
from tepui.errors import EvidenceError

if TYPE_CHECKING:
    from collections.abc import Callable

    from tepui.model import Property, System


def check(
    system: System,
    property: Property,  # noqa: A002
    evidence: Evidence,
    go_on: Callable[[], bool] = lambda: True,
    *,
    reference: bool = False,
) -> None:
    """Return if the evidence proves its claim; raise EvidenceError with the first reason if not.

    A trace claims that a bad state of the property is reachable, by a run of `contexts` contexts,
    and perhaps of its rounds and delays.
    A certificate claims that none is, in any number of contexts. Checking a large one takes time:
    `go_on` is called now and then, and CheckStopped is raised when it returns false.
    Certificates that list states are checked by the fast checker, or by its `reference` on request.
    """
    kind = kind_of(evidence)

    def by_reference() -> None:
        kind.check(evidence, system, property, go_on)

    if reference or "trace" in kind.kinds:
        by_reference()
        return
    from tepui.checker.fast.fast_check import check_system, is_fast

    if is_fast(evidence, property):
        check_system(system, property, evidence, go_on, by_reference)
    else:
        by_reference()


def kind_of(evidence: Evidence) -> type[Evidence]:
    """The kind of the evidence, if it is registered. Its methods are called, not those of the
    evidence itself, which may be of a class with other methods that are not trusted."""
    for kind in type(evidence).__mro__:
        if kind in KINDS.values():
            return kind
    raise EvidenceError(f"there is no kind of evidence {type(evidence).__name__!r}")
