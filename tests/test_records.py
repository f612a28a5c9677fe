"""Records behave like dataclasses with slots."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import subprocess
import sys
from collections.abc import Callable
from dataclasses import FrozenInstanceError, asdict, dataclass, fields, is_dataclass
from functools import cached_property
from typing import Any, ClassVar

import pytest

from tepui import records
from tepui.records import mutable_record, record


def make(decorate: Callable[[type], type], field: Any) -> tuple[Any, Any, Any]:
    """Three classes, decorated in one way or the other."""

    @decorate
    class Point:
        """A point."""

        x: int
        y: int = 2
        names: list[str] = field(default_factory=list, compare=False)
        note: str = field(default="", kw_only=True, repr=False)
        kind: ClassVar[str] = "point"

        def __post_init__(self) -> None:
            if self.x < 0:
                raise ValueError(self.x)

        @property
        def sum(self) -> int:
            return self.x + self.y

    @decorate
    class High(Point):
        """A point with a height."""

        z: int = 3

    @decorate
    class One:
        """A class with one field."""

        only: tuple[int, ...]

        def __repr__(self) -> str:
            return "one"

    return Point, High, One


RECORDS = make(record, records.field)
USUAL = make(dataclass(frozen=True, slots=True), dataclasses.field)


@record
class Plain:
    """A record that pickle finds."""

    a: int


def behaviour(classes: tuple[Any, Any, Any], replace: Callable[..., Any]) -> list[object]:
    """Whatever can be seen of the classes."""
    point, high, one = classes
    first, same, other = point(1), point(1, names=["n"]), point(x=1, y=3, note="!")
    seen: list[object] = [
        (first == same, first == other, first != other, first == (1, 2), one((1,)) == one((1,))),
        (hash(first) == hash(same), len({first, same, other}), hash(one((1,)))),
        (repr(other).rpartition(".")[2], repr(one(()))),
        (asdict(other), [each.name for each in fields(high)], is_dataclass(point)),
        (replace(first, y=9).y, replace(first, y=9).note, first.sum, point.kind),
        (high(1).z, high(1, 2, [], 4).z, high(1, z=5) == high(1, z=5), high(1) == point(1)),
        (point.__match_args__, high.__match_args__, point.__doc__),
        (hasattr(first, "__dict__"), first.names is same.names, point(1).names is point(1).names),
        (copy.copy(first) == first, copy.deepcopy(other) == other),
    ]
    match other:
        case point(x, y):
            seen.append((x, y))
    for wrong in (
        lambda: point(),
        lambda: point(1, 2, [], "note"),
        lambda: point(-1),
        lambda: setattr(first, "x", 5),
        lambda: delattr(first, "x"),
        lambda: hash(point(1, [])),
    ):
        with pytest.raises((TypeError, ValueError, FrozenInstanceError)) as raised:
            wrong()
        seen.append(raised.type)
    return seen


def test_a_record_does_what_a_frozen_dataclass_with_slots_does() -> None:
    usual = behaviour(USUAL, dataclasses.replace)
    assert behaviour(RECORDS, records.replace) == usual
    assert behaviour(RECORDS, dataclasses.replace) == usual
    assert behaviour(USUAL, records.replace) == usual


def test_a_record_can_be_pickled() -> None:
    assert pickle.loads(pickle.dumps(Plain(7))) == Plain(7)


def test_a_dataclass_may_come_of_a_record() -> None:
    @dataclass(frozen=True)
    class More(Plain):
        more: int = 1

    assert More(1, more=2) == More(1, more=2) != More(1)
    assert records.replace(More(1, 2), a=3) == More(3, 2)
    with pytest.raises(FrozenInstanceError):
        More(1).a = 2  # type: ignore[misc]


def test_the_fields_of_a_mutable_record_may_change() -> None:
    @mutable_record
    class Counter:
        count: int = 0
        names: list[str] = records.field(default_factory=list)

    one, other = Counter(), Counter(1)
    assert one != other
    one.count = 1
    assert one == other
    assert not hasattr(one, "__dict__")
    with pytest.raises(TypeError):
        hash(one)
    with pytest.raises(AttributeError):
        one.amount = 2  # type: ignore[attr-defined]


def test_a_record_with_cached_properties_keeps_them_outside_its_fields() -> None:
    @record
    class Square:
        side: int

        @cached_property
        def area(self) -> list[int]:
            return [self.side**2]

    one = Square(3)
    assert one.area is one.area
    assert one == Square(3)
    assert hash(one) == hash(Square(3))
    assert records.replace(one, side=4).area == [16]
    with pytest.raises(FrozenInstanceError):
        one.side = 4  # type: ignore[misc]


def test_to_declare_records_and_to_make_them_needs_no_dataclasses() -> None:
    program = (
        "import sys, tepui.records as records\n"
        "class Point: x: int; y: int = records.field(default=2)\n"
        "Point = records.record(Point)\n"
        "assert records.replace(Point(1), x=3) == Point(3)\n"
        "assert 'dataclasses' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
