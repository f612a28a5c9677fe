"""Numbers of objects: subclasses lie next to each other, so ranges are types."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.java_programs import java_text
from tepui.languages.java.sites import Numbers, Site, SiteKey, is_among, merged
from tepui.program.expressions import FALSE, TRUE, Binary, Constant, Expression, Read, Variable
from tepui.program.types import Bounded

TEXT = """
interface Marked { }
class Root { }
class First extends Root implements Marked { }
class Under extends First { }
class Second extends Root { }
class Third extends Root implements Marked { }
class Other { static class Leaf { } }
class Between { static class Unmade { } static class Leaf extends Unmade implements Marked { } }
"""
HIERARCHY = java_text(TEXT).hierarchy()
TYPES = ["Third", "Under", "[LRoot;", "Root", "Second", "[I", "First", "Between$Leaf", "[LFirst;"]


def site(number: int, type_: str, *, single: bool = False, label: str = "") -> Site:
    return Site((("Made", "by", "()V"), number), type_, single, label=label)


def numbers(*sites: Site, room: int = 2) -> Numbers:
    return Numbers(HIERARCHY, sites, {each.key: room for each in sites})


def members(found: Numbers, type_: str) -> set[str]:
    """The classes of all numbers that a type has."""
    return {
        found.type_of(number)
        for low, high in found.ranges(type_)
        for number in range(low, high + 1)
    }


def test_each_site_has_as_many_numbers_as_it_has_room_and_a_single_one_has_one() -> None:
    sites = [site(0, "Root"), site(1, "Root", single=True), site(2, "Second")]
    found = Numbers(HIERARCHY, sites, {sites[0].key: 3, sites[1].key: 7, sites[2].key: 2})
    assert found.count == 6
    assert [found.of_site[each.key] for each in sites] == [(1, 3), (4, 4), (5, 6)]
    assert found.reference(0) == Constant(0, found.type)


def test_objects_are_called_by_their_class_and_count_or_by_a_label() -> None:
    found = numbers(
        site(0, "Between$Leaf"), site(1, "Root", single=True, label="it"), site(2, "[LRoot;"),
        site(3, "[[I"), site(4, "Between$Leaf"), room=1,
    )  # fmt: skip
    labels = {found.label(number) for number in range(found.count + 1)}
    assert labels == {"null", "Leaf#1", "Leaf#2", "it", "Root[]#1", "int[][]#1"}
    assert found.type.members == tuple(map(found.label, range(found.count + 1)))


def test_objects_that_would_have_one_name_get_different_ones() -> None:
    found = numbers(
        site(0, "Between$Leaf"), site(1, "Other$Leaf"), site(2, "[LOther$Leaf;"),
        site(3, "[LBetween$Leaf;"), site(4, "Root", single=True, label='"text…"'),
        site(5, "Root", single=True, label='"text…"'),
    )  # fmt: skip
    assert len(set(found.type.members)) == found.count + 1 == 11


def test_a_class_and_its_subclasses_are_one_range() -> None:
    found = numbers(*(site(n, type_) for n, type_ in enumerate(TYPES)))
    for name in ("Root", "First", "Under", "Second", "Between$Unmade", "java/lang/Object"):
        assert len(found.ranges(name)) == 1, name
    assert members(found, "Root") == {"Root", "First", "Under", "Second", "Third"}
    assert members(found, "First") == {"First", "Under"}
    assert found.span("First") == found.ranges("First")[0]


def test_an_interface_and_a_type_of_arrays_may_be_several_ranges() -> None:
    found = numbers(*(site(n, type_) for n, type_ in enumerate(TYPES)))
    assert members(found, "Marked") == {"First", "Under", "Third", "Between$Leaf"}
    assert len(found.ranges("Marked")) == 3
    assert members(found, "[LRoot;") == {"[LRoot;", "[LFirst;"}
    assert members(found, "[Ljava/lang/Object;") == {"[LRoot;", "[LFirst;"}


def test_a_type_without_objects_has_no_range() -> None:
    found = numbers(site(0, "Root"))
    assert found.ranges("Second") == ()
    assert found.span("Second") == (1, 0)
    assert found.ranges("Root") == ((1, 2),)


def test_the_numbers_of_one_class_leave_out_its_subclasses() -> None:
    found = numbers(site(0, "First"), site(1, "Root"), site(2, "Under"))
    assert found.exact("First") == (found.of_site[site(0, "First").key],)
    assert found.exact("Root") == ((1, 2),)


@given(st.lists(st.sampled_from(TYPES), min_size=1, max_size=12), st.integers(1, 3))
def test_a_number_has_the_type_of_its_site(types: list[str], room: int) -> None:
    sites = [site(n, type_) for n, type_ in enumerate(types)]
    found = numbers(*sites, room=room)
    assert found.count == room * len(types)
    covered = sorted(found.of_site.values())
    assert all(before[1] + 1 == after[0] for before, after in pairwise(covered))
    for each in sites:
        low, high = found.of_site[each.key]
        assert {found.type_of(number) for number in range(low, high + 1)} == {each.type}
        assert high - low + 1 == room


@given(st.sets(st.integers(-5, 30)))
def test_merged_ranges_hold_exactly_the_numbers_and_do_not_touch(numbers: set[int]) -> None:
    ranges = merged(numbers)
    assert {n for low, high in ranges for n in range(low, high + 1)} == numbers
    assert all(before[1] + 1 < after[0] for before, after in pairwise(ranges))


@given(st.sets(st.integers(1, 12)), st.integers(0, 13))
def test_is_among_asks_for_one_of_the_numbers(numbers: set[int], number: int) -> None:
    type_ = Bounded(0, 13, "wrap")
    ranges = merged(numbers)
    assert is_among(Constant(number, type_), ranges) == (TRUE if number in numbers else FALSE)
    variable = Read(Variable("x", type_))
    assert _holds(is_among(variable, ranges), number) == (number in numbers)


def test_nothing_is_among_no_numbers() -> None:
    assert is_among(Read(Variable("x", Bounded(0, 3, "wrap"))), ()) == FALSE


@pytest.mark.parametrize("key", [((("Made", "by", "()V")), 0)])
def test_the_bound_of_a_site_that_is_not_single_must_be_known(key: SiteKey) -> None:
    with pytest.raises(KeyError):
        Numbers(HIERARCHY, [Site(key, "Root")], {})


def _holds(expression: Expression, value: int) -> bool:
    """Whether a condition about one variable holds, computed directly."""
    if isinstance(expression, Constant):
        return bool(expression.value)
    assert isinstance(expression, Binary)
    if expression.operator in ("and", "or"):
        sides = _holds(expression.left, value), _holds(expression.right, value)
        return all(sides) if expression.operator == "and" else any(sides)
    assert isinstance(expression.right, Constant)
    other = expression.right.value
    return {"=": value == other, ">=": value >= other, "<=": value <= other}[expression.operator]
