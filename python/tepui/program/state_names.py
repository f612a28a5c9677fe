"""Shared states and frames of a program as text, and back.

    x=1 y=0 s=q2 t=main     a shared state; a scalar without a value is `-`, nobody is 0
    x=- y==x z==x           all three have the same value, which is not known yet
    foo:12(a=1 t=-)         a frame: procedure, line, local variables
    foo:12.2  foo:12!       the second location on that line; the violation of an assertion there
    f:3(n=1)/foo:12(a=1)    a frame that is joined to that of its caller
    waiting                 a thread that was not created yet

Hidden scalars are shown only where they are not 0. A shared state with nothing to show is `()`.
Characters that have a meaning in texts like `q | a, b` are written `%` and two hexadecimal digits
for each byte, so that every text stands for one state only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from tepui.model.build import distinct
from tepui.program.layout import Cell, Frame, Layout, SameAs, SharedState, Value
from tepui.program.types import Enumeration, Scalar, ThreadId

NOTHING = "()"
NO_VALUE = "-"
NOBODY = "0"


def shared_text(layout: Layout, shared: SharedState) -> str:
    """A shared state as people read it."""
    names = _names(layout)
    shown = (
        f"{name}={_value_text(cell.type, value, names.shared)}"
        for number, (name, cell, value) in enumerate(
            zip(names.shared, layout.shared_cells, shared, strict=True)
        )
        if number < layout.own_cells or value != 0
    )
    return " ".join(shown) or NOTHING


def frame_text(layout: Layout, frame: Frame) -> str:
    """A frame as people read it."""
    names = _names(layout)
    place = names.points[frame.point]
    cells, own = _frame_cells(layout, frame.point), names.of_frames(frame.point)
    values = " ".join(
        f"{name}={_value_text(cell.type, value, own)}"
        for name, cell, value in zip(own, cells, frame.values, strict=True)
    )
    text = f"{place}({values})" if values else place
    return text if frame.below is None else f"{text}/{frame_text(layout, frame.below)}"


def point_text(layout: Layout, point: int) -> str:
    """A frame without its values: where a thread is."""
    return _names(layout).points[point]


def parse_shared(layout: Layout, text: str) -> SharedState:
    """The shared state that a text stands for; a ValueError says why it stands for none."""
    names = _names(layout)
    found = _parse_values(
        "" if text == NOTHING else text, names.shared, layout.shared_cells, f"shared state {text!r}"
    )
    for number, name in enumerate(names.shared):
        if number < layout.own_cells and number not in found:
            raise ValueError(f"the shared state {text!r} does not say what {name} is")
    return tuple(found.get(number, 0) for number in range(len(names.shared)))


def parse_frame(layout: Layout, text: str) -> Frame:
    """The frame that a text stands for; a ValueError says why it stands for none."""
    text, slash, caller = text.partition("/")
    below = parse_frame(layout, caller) if slash else None
    place, bracket, rest = text.partition("(")
    point = parse_point(layout, place)
    if bracket and not (rest.endswith(")") and rest != ")"):
        raise ValueError(f"the frame {text!r} does not end with its variables and ')'")
    names = _names(layout).of_frames(point)
    cells = _frame_cells(layout, point)
    found = _parse_values(rest[:-1], names, cells, f"frame {text!r}")
    for number, name in enumerate(names):
        if number not in found:
            raise ValueError(f"the frame {text!r} does not say what {name} is")
    return Frame(point, tuple(found[number] for number in range(len(names))), below)


def parse_point(layout: Layout, text: str) -> int:
    """The point that a text stands for; a ValueError says that there is none."""
    numbers = _names(layout).numbers
    if text not in numbers:
        raise ValueError(f"there is no place {text!r} in the program")
    return numbers[text]


class _Names:
    """The names of the points and cells of a program, as they are written here."""

    def __init__(self, layout: Layout) -> None:
        self.shared = _cell_names(layout.shared_cells)
        self._frames = [_cell_names(cells) for cells in layout.frame_cells]
        self._layout = layout
        self.points = tuple(self._point_names())
        self.numbers = {name: point for point, name in enumerate(self.points)}

    def of_frames(self, point: int) -> Sequence[str]:
        """The names of the cells of frames at a point."""
        if point >= self._layout.waiting:
            return ()
        return self._frames[self._layout.locations[point][0]]

    def _point_names(self) -> Iterator[str]:
        layout = self._layout
        met: dict[str, int] = {}
        places: dict[tuple[int, int], str] = {}
        for number, location in layout.locations:
            procedure = layout.program.procedures[number]
            line = procedure.locations[location].position.line
            name = _numbered(f"{_quoted(procedure.name)}:{line}", ".", met)
            places[number, location] = name
            yield name
        yield "waiting"
        for assertion in layout.assertions:
            yield _numbered(f"{places[assertion.procedure, assertion.edge.source]}!", "", met)


@lru_cache(maxsize=8)
def _names(layout: Layout) -> _Names:
    return _Names(layout)


def _frame_cells(layout: Layout, point: int) -> Sequence[Cell]:
    return layout.frame_cells[layout.locations[point][0]] if point < layout.waiting else ()


def _numbered(name: str, separator: str, met: dict[str, int]) -> str:
    """The name, with a number from the second time on."""
    met[name] = met.get(name, 0) + 1
    return name if met[name] == 1 else f"{name}{separator}{met[name]}"


def _parse_values(
    text: str, names: Sequence[str], cells: Sequence[Cell], where: str
) -> dict[int, Value]:
    """For each name to which a text gives a value, its number and the value."""
    numbers = {name: number for number, name in enumerate(names)}
    found: dict[int, Value] = {}
    for part in text.split(" ") if text else ():
        name, equals, value = part.rpartition("=")
        if not equals:
            raise ValueError(f"in the {where}, {part!r} is not of the form name=value")
        shares = name.endswith("=")
        name = name.removesuffix("=")
        if name not in numbers:
            raise ValueError(f"in the {where}, {name!r} is not a variable there")
        number = numbers[name]
        if number in found:
            raise ValueError(f"the {where} says twice what {name} is")
        if shares:
            found[number] = _parse_shared_value(value, names, number, where)
        else:
            found[number] = _parse_value(cells[number], value, where)
    return found


def _parse_shared_value(text: str, names: Sequence[str], number: int, where: str) -> SameAs:
    """The earlier scalar that has the same value."""
    for earlier, name in enumerate(names[:number]):
        if _name_as_value(name) == text:
            return SameAs(earlier)
    raise ValueError(f"in the {where}, {text!r} is not a variable before {names[number]}")


def _parse_value(cell: Cell, text: str, where: str) -> Value:
    if text == NO_VALUE:
        return None
    scalar = cell.type
    if isinstance(scalar, Enumeration | ThreadId):
        for value in range(scalar.size):
            if _value_text(scalar, value) == text:
                return value
    elif re.fullmatch(r"0|-?[1-9][0-9]{0,30}", text, re.ASCII):
        value = int(text)
        if scalar.low <= value < scalar.low + scalar.size:
            return value
    raise ValueError(f"in the {where}, {cell.name} cannot be {text!r}: it is {scalar}")


def _value_text(scalar: Scalar, value: Value, names: Sequence[str] = ()) -> str:
    """What stands behind `=`. The names are those of the scalars beside this one."""
    if value is None:
        return NO_VALUE
    if isinstance(value, SameAs):
        return f"={_name_as_value(names[value.cell])}"
    if isinstance(scalar, ThreadId) and value:
        name = _value_name(scalar.text(value))
        return "%30" if name == NOBODY else name
    return _value_name(scalar.text(value)) if isinstance(scalar, Enumeration) else str(value)


def _value_name(name: str) -> str:
    text = _name_as_value(_quoted(name))
    return "%2D" if text == NO_VALUE else text


def _cell_names(cells: Iterable[Cell]) -> tuple[str, ...]:
    """Names of cells; blanks in them, as hidden ones have, are easier to read as underscores. None
    ends in `=`, so that what follows is no part of it."""
    names = (_quoted(cell.name.replace(" ", "_")) for cell in cells)
    return distinct(f"{name[:-1]}%3D" if name.endswith("=") else name for name in names)


def _name_as_value(name: str) -> str:
    """A name that stands behind a `=`."""
    return name.replace("=", "%3D")


def _quoted(name: str) -> str:
    """A name without the characters that have a meaning here."""
    return re.sub(r"[\s,|%()/\x00-\x1f]", _quoted_character, name)


def _quoted_character(match: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in match[0].encode())
