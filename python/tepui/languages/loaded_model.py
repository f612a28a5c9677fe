"""The result of reading an input: a model, and warnings about oddities in the file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from tepui.errors import UsageError
from tepui.model import OpenSystem, System
from tepui.records import field, record

if TYPE_CHECKING:
    from tepui.model.net import Net
    from tepui.program.program import Program


SeldomOpen: TypeAlias = Any
"""An OpenSystem. Who loads a file knows whether it has any number of threads, and type checkers
need not ask."""


@record
class Loaded:
    """A model with the warnings that its user should see, each a full sentence with its place."""

    model: System | Program | SeldomOpen
    warnings: list[str] = field(default_factory=list)

    @property
    def system(self) -> System:
        """The model of a file that is known to hold a pushdown system."""
        if not isinstance(self.model, System):
            if isinstance(self.model, OpenSystem):
                raise UsageError(f"{self.model.name} has any number of threads, expected some")
            raise UsageError(f"{self.model.name} is a program, expected a pushdown system")
        return self.model


@record
class LoadedNet:
    """A net, with the warnings that its user should see."""

    net: Net
    warnings: list[str] = field(default_factory=list)
