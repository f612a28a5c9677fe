"""The door to the compiled kernels: a model's System in, numbers out.

Everything that calls Rust goes through here, so that nothing else knows how a System, a Property
or a limit is handed over.
"""

from __future__ import annotations

import weakref
from threading import Lock
from typing import Literal, NotRequired, Protocol, TypedDict, runtime_checkable

from tepui._core import (
    BitsSearch,
    Cancel,
    Coverability,
    DelayKernel,
    DiagramKernel,
    DiagramZ,
    ExplicitKernel,
    ExplicitZ,
    Found,
    Kernel,
    Listing,
    PAutomaton,
    PdaaalRules,
    PlainKernel,
    PostStar,
    PreStar,
    SymbolicKernel,
    ViewSearch,
    WeightedRules,
    WeightedSaturation,
    canonical_basis,
    weight_of_set,
)
from tepui._core import System as SystemKernel
from tepui._core import independent as independent_vectors
from tepui.model import System

__all__ = [
    "BitsSearch",
    "Cancel",
    "Coverability",
    "DelayKernel",
    "DiagramKernel",
    "DiagramZ",
    "ExplicitKernel",
    "ExplicitZ",
    "Found",
    "Kernel",
    "KernelLimits",
    "Listing",
    "Outcome",
    "PAutomaton",
    "PdaaalRules",
    "PlainKernel",
    "PostStar",
    "PreStar",
    "SymbolicKernel",
    "SystemKernel",
    "ViewSearch",
    "WeightedRules",
    "WeightedSaturation",
    "canonical_basis",
    "independent_vectors",
    "system_kernel",
    "weight_of_set",
]

Outcome = Literal["done", "paused", "states", "memory", "time", "interrupted"]
"""How a call that advances a kernel ended: done, unfinished, or at which limit."""


class KernelLimits(TypedDict):
    """What a kernel may use up before it hands control back; None is no limit."""

    states: int | None
    bytes: int | None
    seconds: float | None
    pause: int | None
    cancel: NotRequired[Cancel]
    """Stops a kernel that runs outside the main thread."""
    run: NotRequired[tuple[float | None, int | None]]
    """What the whole run may still use up: seconds, and the bytes that this process may hold. It is
    looked at inside of single steps, too."""


@runtime_checkable
class Lowered(Protocol):
    """A system that lives in a kernel."""

    @property
    def kernel(self) -> SystemKernel: ...


def system_kernel(system: System) -> SystemKernel:
    """A system in the form that the kernels take. There is one kernel, however many engines work on
    it."""
    if isinstance(system, Lowered):
        return system.kernel
    with _GIVING:
        if id(system) not in _GIVEN:
            _GIVEN[id(system)] = _converted(system)
            weakref.finalize(system, _GIVEN.pop, id(system))
        return _GIVEN[id(system)]


_GIVEN: dict[int, SystemKernel] = {}
"""By identity, as long as a system lives, because comparing systems takes as long as converting
them."""

_GIVING = Lock()
"""Engines may be made in several threads."""


def _converted(system: System) -> SystemKernel:
    templates = [
        (
            len(template.symbols),
            template.stack,
            [(rule.source, rule.top, rule.target, rule.word) for rule in template.rules],
        )
        for template in system.templates
    ]
    return SystemKernel(len(system.shared), system.initial, templates, system.threads)
