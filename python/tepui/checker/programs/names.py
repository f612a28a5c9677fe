"""The names of a program's states, in files and in messages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import overload

from tepui.checker.programs.exchange import ProgramExchange
from tepui.checker.programs.state_tables import Numbering, ProgramTables
from tepui.model import EPSILON, Rule, System, Template
from tepui.model.build import EMPTY
from tepui.model.system import Word
from tepui.program.layout import Frame, Layout, point_class
from tepui.program.program import Program, thread_names
from tepui.program.semantics.sections import points_inside
from tepui.program.state_names import (
    frame_text,
    parse_frame,
    parse_shared,
    point_text,
    shared_text,
)


@dataclass(frozen=True)
class ProgramSystem(System):
    """A System with states of a program."""

    exchange: ProgramExchange = field(kw_only=True, compare=False)


class ProgramNames:
    """The states that names in a file stand for, numbered in the order in which they are met."""

    def __init__(self, program: Program) -> None:
        self.system = program.name
        self.threads = thread_names(program)
        self.groups = _groups(program)
        self._layout = program.layout
        self._classes = class_names(self._layout)
        self._inside = points_inside(program)
        self._thread_types = program.thread_types
        self._numbering = Numbering(ProgramTables((), ((),) * len(program.threads)))
        self._shared: dict[str, int] = {}
        self._symbols: list[dict[str, int]] = [{EMPTY: EPSILON} for _ in program.threads]

    def shared(self, name: str) -> int:
        if name not in self._shared:
            state = parse_shared(self._layout, name)
            self._shared[name] = self._numbering.shared.number(state)
        return self._shared[name]

    def symbol(self, thread: int, name: str) -> int:
        thread_type = self._thread_types[thread]
        symbols = self._symbols[thread_type]
        if name not in symbols:
            frame = parse_frame(self._layout, name)
            symbols[name] = self._numbering.word(thread_type, (frame,))[0]
        return symbols[name]

    def symbol_class(self, _: int, name: str) -> int:
        if name not in self._classes:
            raise ValueError(f"there is no place {name!r} in the program")
        return self._classes[name]

    def place(self, name: str) -> int:
        """The point of a place."""
        return self.symbol_class(0, name) - 1

    def procedure(self, name: str) -> int:
        """The number of a procedure."""
        if name not in self._layout.program.numbers:
            raise ValueError(f"there is no procedure {name!r} in the program")
        return self._layout.program.numbers[name]

    def probe(self, name: str) -> int:
        """The point of a place inside an atomic section."""
        point = self.place(name)
        if point not in self._inside:
            raise ValueError(f"{name!r} is not inside an atomic section")
        return point

    def tables(self) -> ProgramTables:
        """The states that were met so far."""
        unused = Frame(self._layout.waiting)
        return ProgramTables(
            tuple(self._numbering.shared.items),
            tuple((unused, *frames.items) for frames in self._numbering.frames),
        )


def _groups(program: Program) -> tuple[tuple[int, ...], ...]:
    """The threads of each template."""
    layout = program.layout
    return tuple(
        tuple(thread for thread, of in enumerate(layout.threads) if of == template)
        for template in range(len(layout.templates))
    )


def class_names(layout: Layout) -> dict[str, int]:
    """The names of all classes, in the order of their numbers.

    The last class has no frame. A question about places where no thread can be uses it.
    """
    points = [point_text(layout, point) for point in range(layout.points)]
    return {name: number for number, name in enumerate([EMPTY, *points, "nowhere"])}


def named_system(layout: Layout, tables: ProgramTables) -> System:
    """A System without rules, with the names of the states in the tables."""
    count = len(layout.templates)
    return system_of(layout, Numbering(tables), 0, [()] * count, [[]] * count)


def system_of(
    layout: Layout,
    numbering: Numbering,
    initial: int,
    stacks: Sequence[Word],
    rules: Sequence[Sequence[Rule]],
) -> ProgramSystem:
    states, program = numbering.shared.items, layout.program
    return ProgramSystem(
        shared=_Names(len(states), lambda number: shared_text(layout, states[number])),
        initial=initial,
        templates=tuple(
            _template(layout, thread_type, numbering, stack, some)
            for (thread_type, _), stack, some in zip(layout.templates, stacks, rules, strict=True)
        ),
        threads=layout.threads,
        thread_names=thread_names(program),
        name=program.name,
        exchange=ProgramExchange(layout, numbering),
    )


def _template(
    layout: Layout, thread_type: int, numbering: Numbering, stack: Word, rules: Sequence[Rule]
) -> Template:
    frames = numbering.frames[thread_type].items
    thread = layout.program.threads[thread_type]
    idle = layout.idle(thread)

    def name(symbol: int) -> str:
        return EMPTY if symbol == EPSILON else frame_text(layout, frames[symbol - 1])

    return Template(
        thread.name,
        _Names(1 + len(frames), name),
        stack,
        tuple(rules),
        (EPSILON, *(point_class(frame.point) for frame in frames)),
        idle=frozenset(
            (number, point_class(idle[0]))
            for number, shared in enumerate(numbering.shared.items)
            if idle is not None and shared[idle[1]] == 0
        ),
    )


class _Names(Sequence[str]):
    """Names that are made on demand: most are never needed."""

    def __init__(self, length: int, name: Callable[[int], str]) -> None:
        self._length = length
        self._name = name

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, index: int) -> str: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[str]: ...

    def __getitem__(self, index: int | slice) -> str | Sequence[str]:
        numbers = range(self._length)[index]
        return self._name(numbers) if isinstance(numbers, int) else list(map(self._name, numbers))
