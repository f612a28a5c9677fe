"""How a program makes larger translations of itself: with the classes, which it keeps for that."""

from __future__ import annotations

from collections.abc import Callable

from tepui.program.program import Program


class Raising:
    """Makes larger translations. It needs all classes, so a program that is pickled leaves it out,
    and then nothing is known beyond its limits."""

    def __init__(self, make: Callable[[frozenset[str]], Program | None]) -> None:
        self._make = make

    def __call__(self, limits: frozenset[str]) -> Program | None:
        return self._make(limits)

    def __deepcopy__(self, memo: object) -> Raising:
        return self

    def __reduce__(self) -> tuple[type[None], tuple[()]]:
        return type(None), ()
