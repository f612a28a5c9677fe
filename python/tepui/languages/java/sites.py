"""Where objects come from: sites, the numbers of their objects, and what people call these.

A reference is the number of an object, and 0 is null. The class of an object follows from its
number: all objects of one class, with those of its subclasses, are next to each other. So a call
is dispatched, and a type is tested, by comparing numbers.

A site makes as many objects as its bound says; one more is a limit of the translation. Objects of
exceptions without fields are interchangeable, so each class has a single one of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from tepui.languages.java.hierarchy import OBJECT, STRING, Hierarchy, MethodKey
from tepui.program.expressions import FALSE, TRUE, Binary, Constant, Expression
from tepui.program.types import Enumeration
from tepui.records import field, record

SiteKey = tuple[MethodKey, int]
"""A site in a method, by its instruction; -1 and below stand for sites that no text has."""

Ranges = tuple[tuple[int, int], ...]
"""Numbers of objects, as ranges with both ends, in ascending order."""


@record
class Site:
    """A place that makes objects of one class."""

    key: SiteKey
    type: str
    """The class, or the descriptor of an array."""
    single: bool = False
    """Whether it always gives the same object."""
    once: bool = False
    """Whether it makes one object at most."""
    length: int | None = None
    """How long its arrays are, if that is always the same."""
    label: str = ""
    """What people call its object, if there is a single one."""
    where: str = field(default="", compare=False)


def single_site(key: tuple[object, int], name: str, text: str = "") -> Site:
    """The site of an object that there is from the beginning: an exception, or a constant."""
    if key[0] == STRING:
        shown = text if len(text) <= 20 else f"{text[:20]}…"
        return Site(((STRING, text, ""), -3), STRING, single=True, label=f'"{shown}"')
    return Site(((name, "", ""), -2), name, single=True, label=name.rsplit("/", 1)[-1])


class Numbers:
    """The numbers of all objects, for given bounds."""

    def __init__(
        self, hierarchy: Hierarchy, sites: Iterable[Site], bounds: Mapping[SiteKey, int]
    ) -> None:
        self._hierarchy = hierarchy
        self.of_site: dict[SiteKey, tuple[int, int]] = {}
        self._types: list[str] = [""]
        self._labels: list[str] = ["null"]
        self._named: dict[str, int] = {}
        by_type: dict[str, list[Site]] = {}
        for site in sites:
            by_type.setdefault(site.type, []).append(site)
        for name in _preorder(hierarchy, by_type):
            self._number(name, by_type.get(name, ()), bounds)
        self.type = Enumeration(tuple(self._labels))
        self._ranges: dict[str, Ranges] = {}

    @property
    def count(self) -> int:
        return len(self._types) - 1

    def label(self, number: int) -> str:
        return self._labels[number]

    def type_of(self, number: int) -> str:
        return self._types[number]

    def ranges(self, type_: str) -> Ranges:
        """The numbers of all objects of some type."""
        if type_ not in self._ranges:
            found = (
                number
                for number in range(1, len(self._types))
                if self._hierarchy.is_subtype(self._types[number], type_)
            )
            self._ranges[type_] = merged(found)
        return self._ranges[type_]

    def exact(self, type_: str) -> Ranges:
        """The numbers of the objects of one class, without those of its subclasses."""
        return merged(n for n in range(1, len(self._types)) if self._types[n] == type_)

    def span(self, type_: str) -> tuple[int, int]:
        """The smallest and the largest number of an object of some class; (1, 0) if there is
        none."""
        ranges = self.ranges(type_)
        return (ranges[0][0], ranges[-1][1]) if ranges else (1, 0)

    def reference(self, number: int) -> Constant:
        return Constant(number, self.type)

    def _number(self, name: str, sites: Sequence[Site], bounds: Mapping[SiteKey, int]) -> None:
        for site in sites:
            low = len(self._types)
            for _ in range(1 if site.single else bounds[site.key]):
                self._types.append(name)
                self._labels.append(self._label(site))
            self.of_site[site.key] = low, len(self._types) - 1

    def _label(self, site: Site) -> str:
        """A name that no other object has: classes in several packages may be called alike."""
        label = site.label or self._short(site.type)
        number = self._named[label] = self._named.get(label, 0) + 1
        if not site.label:
            return f"{label}#{number}"
        return label if number == 1 else f"{label}'{number}"

    def _short(self, name: str) -> str:
        if name.startswith("["):
            return array_name(name)
        found = self._hierarchy.find(name)
        return found.simple_name if found else name


def merged(numbers: Iterable[int]) -> Ranges:
    """Numbers as ranges."""
    ranges: list[tuple[int, int]] = []
    for number in sorted(numbers):
        if ranges and ranges[-1][1] == number - 1:
            ranges[-1] = ranges[-1][0], number
        else:
            ranges.append((number, number))
    return tuple(ranges)


def is_among(value: Expression, ranges: Ranges) -> Expression:
    """Whether a reference is one of these numbers."""
    if isinstance(value, Constant):
        return TRUE if any(low <= value.value <= high for low, high in ranges) else FALSE
    found: Expression = FALSE
    for low, high in ranges:
        if low == high:
            one: Expression = Binary("=", value, Constant(low))
        else:
            one = Binary(
                "and", Binary(">=", value, Constant(low)), Binary("<=", value, Constant(high))
            )
        found = one if found == FALSE else Binary("or", found, one)
    return found


def _preorder(hierarchy: Hierarchy, names: Iterable[str]) -> list[str]:
    """Classes so that each stands before its subclasses, with nothing else in between."""
    below: dict[str, set[str]] = {}
    for name in names:
        chain = [each.name for each in hierarchy.superclasses(name)] or [name]
        if name.startswith("["):
            chain = [name]
        if chain[-1] != OBJECT:  # It is an array, or a class cannot be found.
            chain.append(OBJECT)
        for lower, upper in pairwise(chain):
            below.setdefault(upper, set()).add(lower)
    ordered: list[str] = []
    waiting = [OBJECT]
    while waiting:
        at = waiting.pop()
        ordered.append(at)
        waiting += sorted(below.get(at, ()), reverse=True)
    return ordered


_PRIMITIVES = {
    "I": "int", "J": "long", "Z": "boolean", "B": "byte", "C": "char", "S": "short",
    "F": "float", "D": "double",
}  # fmt: skip


def array_name(descriptor: str) -> str:
    dimensions = len(descriptor) - len(descriptor.lstrip("["))
    element = descriptor[dimensions:]
    name = _PRIMITIVES.get(element) or element[1:-1].rsplit("/", 1)[-1].rsplit("$", 1)[-1]
    return name + "[]" * dimensions
