"""Records behave like frozen dataclasses with slots."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError, asdict, dataclass, field, fields, is_dataclass, replace
from typing import Any, ClassVar

import pytest

from tepui.records import record


def make(decorate: Callable[[type], type]) -> tuple[Any, Any, Any]:
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


RECORDS = make(record)
USUAL = make(dataclass(frozen=True, slots=True))


@record
class Plain:
    """A record that pickle finds."""

    a: int


def behaviour(classes: tuple[Any, Any, Any]) -> list[object]:
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
    for ours, theirs in zip(behaviour(RECORDS), behaviour(USUAL), strict=True):
        assert ours == theirs


def test_a_record_can_be_pickled() -> None:
    assert pickle.loads(pickle.dumps(Plain(7))) == Plain(7)


def test_a_dataclass_may_come_of_a_record() -> None:
    @dataclass(frozen=True)
    class More(Plain):
        more: int = 1

    assert More(1, more=2) == More(1, more=2) != More(1)
    with pytest.raises(FrozenInstanceError):
        More(1).a = 2  # type: ignore[misc]
