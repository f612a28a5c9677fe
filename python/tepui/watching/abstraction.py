"""Abstract states, by number: what a user's functions return for states.

The functions are called once for each state. If one raises, or returns something that cannot be
compared, the user gets a message.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from typing import Any, Literal

from tepui.errors import TepuiError, UsageError
from tepui.model import System
from tepui.model.system import Word
from tepui.watching.views import ProgramViews, StateView, views_of

State = tuple[int, tuple[Word, ...]]
"""The shared state and the whole stack of each thread."""

Watched = Literal["states", "visible"]

BAD = -1
"""The abstract state of all bad states: the abstraction is not called for them."""


class Abstraction:
    """Maps states to abstract states. In a visible state, the abstraction sees only the tops of
    stacks."""

    def __init__(
        self,
        system: System,
        function: Callable[[Any], Hashable],
        bad: Callable[[Any], object] | None,
        of: Watched,
    ) -> None:
        self.of = of
        self._views = views_of(system)
        self._function = function
        self._bad = bad
        self._known: dict[State, int] = {}
        self._numbers: dict[Hashable, int] = {}
        self._values: list[Hashable] = []

    def abstract(self, state: State) -> int:
        """The number of the abstract state of a state."""
        key = self.part(state)
        if key not in self._known:
            self._known[key] = self._ask(self.view(state))
        return self._known[key]

    def is_known(self, state: State) -> bool:
        """Whether the abstract state of a state is known already."""
        return self.part(state) in self._known

    def value(self, number: int) -> Hashable:
        """The abstract state with a number; bad states have none."""
        return None if number == BAD else self._values[number]

    @property
    def without_value(self) -> list[str]:
        """The variables of a program that the functions have read while these had no value."""
        return sorted(self._views.without_value) if isinstance(self._views, ProgramViews) else []

    def view(self, state: State) -> StateView:
        """A state as the functions see it."""
        return self._views.view(*self.part(state), whole=self.of == "states")

    def part(self, state: State) -> State:
        """The part of a state that the functions see."""
        if self.of == "states":
            return state
        shared, stacks = state
        return shared, tuple(stack[:1] for stack in stacks)

    def _ask(self, view: StateView) -> int:
        bad = self._bad
        if bad is not None and _call("what says what is bad", lambda view: bool(bad(view)), view):
            return BAD
        value = _call("the abstraction", self._function, view)
        kind = type(value).__name__
        if isinstance(value, Iterator):
            raise UsageError(
                f"the abstraction returned a {kind}, and no two of them are equal: "
                "return a tuple or a frozenset of what it yields"
            )
        try:
            number: int = self._numbers.setdefault(value, len(self._values))
        except Exception as error:
            raise UsageError(
                f"the abstraction returned a {kind}, which cannot be put into a set ({error}): "
                "return a tuple or a frozenset"
            ) from error
        if number == len(self._values):
            self._values.append(value)
        return number


def _call(what: str, function: Callable[[Any], Any], view: StateView) -> Any:
    try:
        return function(view)
    except Exception as error:
        kind = "" if isinstance(error, TepuiError) else f"{type(error).__name__}: "
        raise UsageError(f"{what} failed in the state {view}: {kind}{error}") from error
