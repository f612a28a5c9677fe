"""What the kernel of a program's system has met, without the kernel: for systems that were pickled.

A kernel lives in the memory of one process. What results need of it are the values behind numbers
and the rules, and these are kept as they are. Nothing new can be met, so that whoever wants to
explore takes the program.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from tepui.errors import ModelError
from tepui.records import record

if TYPE_CHECKING:
    from tepui.kernels.door import SystemKernel

_Values = tuple[int | tuple[int] | None, ...]
_Frame = tuple[int, _Values, int | None]
_Rule = tuple[int, int, int, tuple[int, ...]]


@record
class KeptTemplate:
    """The frames and the rules of a template, by their numbers."""

    stack: list[int]
    frames: list[_Frame]
    """From symbol 1 on."""
    rules: list[_Rule]

    @cached_property
    def numbers(self) -> dict[tuple[int, _Values], int]:
        """The symbols of frames that are joined to no other."""
        frames = enumerate(self.frames, start=1)
        return {
            (point, values): symbol for symbol, (point, values, below) in frames if below is None
        }

    @cached_property
    def enabled(self) -> dict[tuple[int, int], list[int]]:
        """The rules for a shared state and a top."""
        found: dict[tuple[int, int], list[int]] = {}
        for number, (source, top, _, _) in enumerate(self.rules):
            found.setdefault((source, top), []).append(number)
        return found


@record
class KeptKernel:
    """Answers like the kernel did when it was kept."""

    initial: int
    shared: list[_Values]
    templates: list[KeptTemplate]

    bytes = 0

    @classmethod
    def of(cls, kernel: SystemKernel | KeptKernel, templates: int) -> KeptKernel:
        """Keep what a kernel has met for this number of templates."""
        if isinstance(kernel, KeptKernel):
            return kernel
        kept = [
            KeptTemplate(
                kernel.initial_stack(template),
                [kernel.frame(template, symbol) for symbol in range(1, kernel.symbols(template))],
                kernel.rules(template, 0, kernel.rule_count(template)),
            )
            for template in range(templates)
        ]
        shared = [kernel.shared_values(number) for number in range(kernel.shared_states)]
        return cls(kernel.initial, shared, kept)

    @property
    def shared_states(self) -> int:
        return len(self.shared)

    def symbols(self, template: int) -> int:
        return 1 + len(self.templates[template].frames)

    def initial_stack(self, template: int) -> list[int]:
        return self.templates[template].stack

    def shared_values(self, shared: int) -> _Values:
        return self.shared[shared]

    def frame(self, template: int, symbol: int) -> _Frame:
        return self.templates[template].frames[symbol - 1]

    def symbol(self, template: int, point: int, values: Sequence[int | tuple[int] | None]) -> int:
        found = self.templates[template].numbers.get((point, tuple(values)))
        if found is None:
            raise ModelError("this state was not met before the system was pickled")
        return found

    def rule_count(self, template: int) -> int:
        return len(self.templates[template].rules)

    def rules(self, template: int, start: int, end: int) -> list[_Rule]:
        return self.templates[template].rules[start:end]

    def enabled(self, template: int, shared: int, top: int) -> list[int]:
        return self.templates[template].enabled.get((shared, top), [])
