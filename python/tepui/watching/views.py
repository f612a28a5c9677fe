"""States as a user's functions see them: names and values, not the numbers behind them.

A view is immutable, and equal to every view of the same state, so that an abstraction may return
it. Everything in it is looked up on demand.

A visible state shows only the top of each stack: asking for more is a UsageError.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any, SupportsIndex, TypeVar, overload

from tepui.checker.name_text import rule_text
from tepui.errors import UsageError
from tepui.kernels.lowered_system import LoweredSystem
from tepui.model import EPSILON, System
from tepui.model.build import EMPTY
from tepui.model.system import Word
from tepui.program.expressions import Variable
from tepui.program.layout import Frame, Layout, SameAs, SharedState, Value
from tepui.program.places import places
from tepui.program.program import Location
from tepui.program.state_names import point_text
from tepui.program.types import Array, Boolean, Enumeration, Scalar
from tepui.words import did_you_mean, listed

_Item = TypeVar("_Item")

Datum = bool | int | str | None
"""The value of a scalar: a Boolean as such, a member of an enumeration by name. None stands for any
value, until it is read."""

Data = Datum | tuple[Datum, ...]
"""The value of a variable; an array has one for each element."""


class PerThread(tuple[_Item, ...]):
    """One item for each thread, by the number or by the name of the thread."""

    _names: Sequence[str]

    def __new__(cls, items: Iterable[_Item], names: Sequence[str]) -> PerThread[_Item]:
        made = super().__new__(cls, items)
        made._names = names
        return made

    @overload
    def __getitem__(self, thread: SupportsIndex | str) -> _Item: ...

    @overload
    def __getitem__(self, thread: slice) -> tuple[_Item, ...]: ...

    def __getitem__(self, thread: SupportsIndex | str | slice) -> _Item | tuple[_Item, ...]:
        if not isinstance(thread, str):
            return super().__getitem__(thread)
        if thread not in self._names:
            hint = did_you_mean(thread, self._names, "the threads are")
            raise UsageError(f"there is no thread {thread!r}{hint}")
        return super().__getitem__(self._names.index(thread))


class StateView:
    """What the views of systems and of programs have in common: the state behind them."""

    __slots__ = ("_numbers", "_views", "_whole")

    def __init__(self, views: Views, numbers: tuple[int, tuple[Word, ...]], whole: bool) -> None:
        self._views = views
        self._numbers = numbers
        self._whole = whole

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, StateView) or self._views.system is not other._views.system:
            return NotImplemented
        return (self._numbers, self._whole) == (other._numbers, other._whole)

    def __hash__(self) -> int:
        return hash(self._numbers)

    def __str__(self) -> str:
        shared, stacks = self._numbers
        return self._views.system.state_text(shared, stacks)

    def __repr__(self) -> str:
        return f"<{self}>"


class SystemState(StateView):
    """A state of a pushdown system."""

    __slots__ = ()
    _views: SystemViews

    @property
    def shared(self) -> str:
        """The shared state."""
        return self._views.system.shared[self._numbers[0]]

    @property
    def tops(self) -> PerThread[str]:
        """The symbol on top of each stack, `-` where it is empty."""
        stacks = enumerate(self._numbers[1])
        tops = (self._views.names(thread, stack[:1]) for thread, stack in stacks)
        return PerThread((top[0] if top else EMPTY for top in tops), self._views.threads)

    @property
    def stacks(self) -> PerThread[tuple[str, ...]]:
        """The symbols of each stack, top first."""
        _need(self._whole, "stacks")
        stacks = enumerate(self._numbers[1])
        return PerThread(
            (self._views.names(thread, stack) for thread, stack in stacks), self._views.threads
        )


class ProgramState(StateView):
    """A state of a program: `state["x"]` is the value of a global variable."""

    __slots__ = ()
    _views: ProgramViews

    def __getitem__(self, name: str) -> Any:
        values = self._views.globals(self._numbers[0])
        if name not in values:
            hint = did_you_mean(name, values, "there are") or "; there are none"
            raise UsageError(f"there is no global variable {name!r}{hint}")
        return self._views.noted(name, values[name])

    @property
    def threads(self) -> PerThread[ThreadView]:
        stacks = enumerate(self._numbers[1])
        return PerThread(
            (self._views.thread(thread, stack, self._whole) for thread, stack in stacks),
            self._views.threads,
        )


class FrameView:
    """One activation of a procedure: where it is, and its local variables, as `frame["l"]`."""

    def __init__(self, views: ProgramViews, frame: Frame | None) -> None:
        self._views = views
        self._frame = frame

    @cached_property
    def place(self) -> str:
        """The procedure and the line: `work:12`, and `work:12.2` for the second statement there; a
        violated assertion is `work:12!`, a thread that was not created yet is `waiting`, and one
        that is over `-`."""
        return EMPTY if self._frame is None else point_text(self._layout, self._frame.point)

    @cached_property
    def procedure(self) -> str | None:
        found = None if self._frame is None else self._layout.procedure(self._frame.point)
        return None if found is None else found.name

    @property
    def line(self) -> int | None:
        """The line of the statement that comes next, or of the assertion that was violated."""
        return None if self._location is None else self._location.position.line

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of that statement."""
        return () if self._location is None else self._location.labels

    @property
    def label(self) -> str | None:
        """The first of them."""
        return self.labels[0] if self.labels else None

    @property
    def is_over(self) -> bool:
        """Whether this is a thread whose first procedure has returned."""
        return self._frame is None

    @property
    def is_waiting(self) -> bool:
        """Whether this is a thread that was not created yet."""
        return self._frame is not None and self._frame.point == self._layout.waiting

    @property
    def has_failed(self) -> bool:
        """Whether an assertion was violated here."""
        return self._frame is not None and self._frame.point > self._layout.waiting

    def at(self, place: str) -> bool:
        """Whether the statement that comes next is at a label, a line, `PROCEDURE:LABEL`, …"""
        points = self._views.points(place)
        return self._frame is not None and self._frame.point in points

    def get(self, name: str, default: Any = None) -> Any:
        """The value of a local variable, or something else where there is no such variable."""
        return self[name] if name in self._values else default

    def __getitem__(self, name: str) -> Any:
        if name not in self._values:
            where = "once a thread is over" if self.is_over else f"at {self.place}"
            known = listed(self._values) or "none"
            hint = did_you_mean(name, self._values) or (
                f'; there are {known}: .get("{name}") is None then'
            )
            raise UsageError(f"there is no local variable {name!r} {where}{hint}")
        return self._views.noted(name, self._values[name])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, FrameView) or self._views.system is not other._views.system:
            return NotImplemented
        return self._frame == other._frame

    def __hash__(self) -> int:
        return hash(self._frame)

    def __repr__(self) -> str:
        return f"<{self.place}>"

    @property
    def _layout(self) -> Layout:
        return self._views.system.layout

    @cached_property
    def _location(self) -> Location | None:
        return None if self._frame is None else self._layout.location(self._frame.point)

    @cached_property
    def _values(self) -> dict[str, Data]:
        procedure = None if self._frame is None else self._layout.procedure(self._frame.point)
        if self._frame is None or procedure is None:
            return {}
        return _by_name(procedure.variables, self._frame.values)


class ThreadView(FrameView):
    """A thread of a program: its running activation, its name, and all its calls."""

    def __init__(
        self, views: ProgramViews, name: str, frames: tuple[FrameView, ...], whole: bool
    ) -> None:
        super().__init__(views, frames[0]._frame if frames else None)
        self.name = name
        self._frames = frames
        self._whole = whole

    @property
    def calls(self) -> tuple[FrameView, ...]:
        """The activations on the stack, the running one first."""
        _need(self._whole, "calls")
        return self._frames

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ThreadView):
            return NotImplemented
        return (self.name, self._frames) == (other.name, other._frames)

    def __hash__(self) -> int:
        return hash((self.name, self._frames))

    def __repr__(self) -> str:
        return f"<{self.name} at {self.place}>"


class SystemViews:
    """Views of the states of a pushdown system."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.threads = system.thread_names
        self._names: list[dict[Word, tuple[str, ...]]] = [{} for _ in system.templates]

    def view(self, shared: int, stacks: tuple[Word, ...], *, whole: bool) -> SystemState:
        """A view of a state; unless it is whole, its stacks are those of a visible state."""
        return SystemState(self, (shared, stacks), whole)

    def names(self, thread: int, stack: Word) -> tuple[str, ...]:
        """The names of the symbols of a stack."""
        template = self.system.threads[thread]
        known = self._names[template]
        if stack not in known:
            symbols = self.system.templates[template].symbols
            known[stack] = tuple(symbols[symbol] for symbol in stack)
        return known[stack]

    def action(self, template: int, shared: int, top: int, rule: int) -> int:
        """The number of the action that a rule is: the number of the rule itself."""
        return rule

    def action_text(self, thread: int, action: int) -> str:
        """An action of a thread in words."""
        template = self.system.template_of(thread)
        return rule_text(self.system, template, template.rules[action])


class ProgramViews:
    """Views of the states of a program."""

    def __init__(self, system: LoweredSystem) -> None:
        self.system = system
        self.threads = system.thread_names
        self._shared = system.shared_values()
        self._symbols = [system.frames(template) for template in range(len(system.templates))]
        self._globals: dict[int, dict[str, Data]] = {}
        self._frames: dict[tuple[int, int], FrameView] = {}
        self._threads: dict[tuple[int, Word], ThreadView] = {}
        self._points: dict[str, frozenset[int]] = {}
        self.without_value: set[str] = set()
        """The variables that were read while they had no value."""

    def __reduce__(self) -> tuple[type[ProgramViews], tuple[LoweredSystem]]:
        return ProgramViews, (self.system,)  # All else is made again when it is looked at.

    def view(self, shared: int, stacks: tuple[Word, ...], *, whole: bool) -> ProgramState:
        """A view of a state; unless it is whole, its stacks are those of a visible state."""
        return ProgramState(self, (shared, stacks), whole)

    def globals(self, shared: int) -> dict[str, Data]:
        """The values of the global variables, by name."""
        if shared not in self._globals:
            variables = self.system.program.globals
            self._globals[shared] = _by_name(variables, self._shared[shared])
        return self._globals[shared]

    def thread(self, thread: int, stack: Word, whole: bool) -> ThreadView:
        key = thread, stack
        if key not in self._threads:
            template = self.system.threads[thread]
            frames = tuple(self._frame(template, symbol) for symbol in stack)
            self._threads[key] = ThreadView(self, self.threads[thread], frames, whole)
        return self._threads[key]

    def noted(self, name: str, value: Data) -> Data:
        """The value of a variable that the functions read."""
        if value is None or (isinstance(value, tuple) and None in value):
            self.without_value.add(name)
        return value

    def points(self, place: str) -> frozenset[int]:
        """The points that a user names."""
        if place not in self._points:
            self._points[place] = frozenset(places(self.system.program, place))
        return self._points[place]

    def action(self, template: int, shared: int, top: int, rule: int) -> int:
        """The number of the action that a rule belongs to. It is a statement, or the step before it
        that gives a variable a value."""
        frame = self._symbols[template][top]
        return 2 * frame.point + self._decides(self._shared[shared], frame)

    def action_text(self, thread: int, action: int) -> str:
        """An action in words: a statement and its place."""
        point, decides = divmod(action, 2)
        layout = self.system.layout
        location = layout.location(point)
        if decides:
            return f"{point_text(layout, point)}  a variable gets a value"
        if location is None or not location.text or point > layout.waiting:
            return point_text(layout, point)
        return f"{location.position.short}  {location.text}"

    def _decides(self, shared: SharedState, frame: Frame) -> bool:
        """Whether a thread with this frame first gives a variable a value."""
        full = self.system.layout.hidden.get("full")
        if not self.system.options.decide_first or (full is not None and shared[full] == 1):
            return False
        return None in (*shared[: self.system.layout.own_cells], *frame.values)

    def _frame(self, template: int, symbol: int) -> FrameView:
        key = template, symbol
        if key not in self._frames:
            self._frames[key] = FrameView(self, self._symbols[template][symbol])
        return self._frames[key]


Views = SystemViews | ProgramViews


def views_of(system: System) -> Views:
    """What makes views of the states of a system."""
    return ProgramViews(system) if isinstance(system, LoweredSystem) else SystemViews(system)


def stacks_of_tops(tops: Iterable[int]) -> tuple[Word, ...]:
    """The tops of a visible state as stacks that have nothing below."""
    return tuple(() if top == EPSILON else (top,) for top in tops)


def _need(whole: bool, name: str) -> None:
    if not whole:
        raise UsageError(
            f"a visible state has no {name}, only the top of each: of='states' shows all of them"
        )


def _by_name(variables: Sequence[Variable], values: Sequence[Value]) -> dict[str, Data]:
    """The values of variables, which lie one after the other; hidden ones may follow."""
    found: dict[str, Data] = {}
    start = 0
    for variable in variables:
        end = start + variable.length
        data = tuple(_datum(variable.scalar, value) for value in values[start:end])
        found[variable.name] = data if isinstance(variable.type, Array) else data[0]
        start = end
    return found


def _datum(scalar: Scalar, value: Value) -> Datum:
    if isinstance(value, SameAs):
        return None
    if value is None or not isinstance(scalar, Boolean | Enumeration):
        return value
    return bool(value) if isinstance(scalar, Boolean) else scalar.text(value)
