"""The shared variables of a translated program: fields, arrays, monitors, and how many objects
there are so far.

Each field is an array with a cell for every object that has it; objects of a class and of its
subclasses have numbers next to each other (`sites`). The elements of all arrays that a site makes
lie in one array. Floating-point numbers are not kept: nothing is known about them.
"""

from __future__ import annotations

from collections.abc import Mapping

from tepui.languages.java.constants import IntConstant, LongConstant
from tepui.languages.java.hierarchy import THREAD, VOLATILE, JavaField
from tepui.languages.java.sites import Numbers, Site, SiteKey
from tepui.program.expressions import (
    Binary,
    Constant,
    Expression,
    Read,
    ReadElement,
    Variable,
)
from tepui.program.program import Element
from tepui.program.types import BOOLEAN, Array, Bounded, Scalar, machine
from tepui.records import record

INT, LONG = machine(32, signed=True), machine(64, signed=True)
BYTE, SHORT = machine(8, signed=True), machine(16, signed=True)
CHAR = machine(16, signed=False)
ZERO = Constant(0, INT)

_SCALARS: dict[str, Scalar] = {
    "Z": BOOLEAN, "B": BYTE, "S": SHORT, "C": CHAR, "I": INT, "J": LONG,
}  # fmt: skip

NOT_STARTED, DONE, RUNNING, FAILED = 0, 1, 2, 3
"""How far the initialisation of a class is."""


@record
class Bounds:
    """How much a translation has room for."""

    objects: Mapping[SiteKey, int]
    """How many objects each site makes."""
    lengths: Mapping[SiteKey, int]
    """How long the arrays of each site are at most."""
    entries: int = 3
    """How often a thread may be in the same monitor at once."""
    input_bits: int | None = None
    """How wide inputs are, if not as wide as their types."""


class Heap:
    """The variables of a program, made when they are first needed."""

    def __init__(self, numbers: Numbers, sites: Mapping[SiteKey, Site], bounds: Bounds) -> None:
        self.numbers, self.sites, self.bounds = numbers, sites, bounds
        self.reference = numbers.type
        self._variables: dict[str, Variable] = {}
        self.arrays = self._arrays_span()

    @property
    def variables(self) -> tuple[Variable, ...]:
        return tuple(self._variables[name] for name in sorted(self._variables))

    def scalar(self, descriptor: str) -> Scalar | None:
        """The type of a variable of some Java type; None if nothing is kept of it."""
        if descriptor[0] in "L[":
            return self.reference
        return _SCALARS.get(descriptor)

    def static(self, field: JavaField, owner: str) -> Variable | None:
        """A static field."""
        scalar = self.scalar(field.descriptor)
        if scalar is None:
            return None
        start = field.constant
        initial = start.value if isinstance(start, IntConstant | LongConstant) else 0
        volatile = bool(field.flags & VOLATILE)
        return self._variable(f"{owner}.{field.name}", scalar, initial, volatile=volatile)

    def cell(self, field: JavaField, owner: str, of: Expression) -> Element | None:
        """The field of an object; None if nothing is kept of it, or no object has it."""
        low, high = self.numbers.span(field.owner)
        scalar = self.scalar(field.descriptor)
        if scalar is None or low > high:
            return None
        names = tuple(f"{self.numbers.label(n)}.{field.name}" for n in range(low, high + 1))
        variable = self._variable(
            f"{owner}.{field.name}",
            Array(scalar, high - low + 1, names),
            0,
            volatile=bool(field.flags & VOLATILE),
        )
        return Element(variable, offset(of, low))

    def length(self, of: Expression) -> Expression:
        """How long an array is."""
        return read(self.length_cell(of))

    def length_cell(self, of: Expression) -> Element:
        low, high = self.arrays
        names = tuple(f"{self.numbers.label(n)}.length" for n in range(low, high + 1))
        return Element(
            self._variable("array.length", Array(INT, high - low + 1, names), 0), offset(of, low)
        )

    def element(self, site: Site, of: Expression, index: Expression) -> Element | None:
        """An element of an array that a site has made; None if nothing is kept of it."""
        low, high = self.numbers.of_site[site.key]
        scalar = self.scalar(site.type[1:])
        if scalar is None:
            return None
        length = max(self.longest(site), 1)
        labels = (self.numbers.label(number) for number in range(low, high + 1))
        names = tuple(f"{label}[{n}]" for label in labels for n in range(length))
        variable = self._variable(
            f"elements.{low}", Array(scalar, (high - low + 1) * length, names), 0
        )
        if low == high:
            return Element(variable, index)
        position = Binary("+", _times(offset(of, low), length), index)
        return Element(variable, position)

    def longest(self, site: Site) -> int:
        """How long the arrays of a site can be."""
        return self.bounds.lengths[site.key] if site.length is None else site.length

    def made(self, site: Site) -> Variable:
        """How many objects a site has made."""
        low, high = self.numbers.of_site[site.key]
        return self._variable(f"made.{low}", Bounded(0, high - low + 1), 0)

    def owner(self, of: Expression) -> Element:
        """The thread that is in the monitor of an object, or null."""
        return self._for_all("monitor", self.reference, of)

    def entries(self, of: Expression) -> Element:
        """How often that thread has entered it."""
        return self._for_all("entries", Bounded(0, self.bounds.entries), of)

    def hash_code(self, of: Expression) -> Element:
        """What identifies an object, which may be any number."""
        return self._for_all("hash code", INT, of, initial=None)

    def waits_for(self, thread: Expression) -> Element:
        """The object in whose wait set a thread is, or null."""
        low, high = self.numbers.span(THREAD)
        names = tuple(f"{self.numbers.label(n)} waits for" for n in range(low, high + 1))
        variable = self._variable("waits for", Array(self.reference, high - low + 1, names), 0)
        return Element(variable, offset(thread, low))

    def class_state(self, name: str) -> Variable:
        """How far the initialisation of a class is."""
        return self._variable(f"initialised.{name.replace('/', '.')}", Bounded(0, 3), 0)

    def class_initialiser(self, name: str) -> Variable:
        """The thread that initialises a class."""
        return self._variable(f"initialises.{name.replace('/', '.')}", self.reference, 0)

    def plain(self, name: str, scalar: Scalar, initial: int = 0) -> Variable:
        """Any other variable."""
        return self._variable(name, scalar, initial)

    def _for_all(
        self, name: str, scalar: Scalar, of: Expression, initial: int | None = 0
    ) -> Element:
        count = self.numbers.count
        names = tuple(f"{name} of {self.numbers.label(n)}" for n in range(1, count + 1))
        return Element(self._variable(name, Array(scalar, count, names), initial), offset(of, 1))

    def _variable(
        self, name: str, type_: Scalar | Array, initial: int | None, *, volatile: bool = False
    ) -> Variable:
        if name not in self._variables:
            self._variables[name] = Variable(name, type_, None, initial, volatile=volatile)
        return self._variables[name]

    def _arrays_span(self) -> tuple[int, int]:
        found = [
            number
            for key, (low, high) in self.numbers.of_site.items()
            if self.sites[key].type.startswith("[")
            for number in (low, high)
        ]
        return (min(found), max(found)) if found else (1, 1)


def read(target: Element | Variable) -> Expression:
    """The value of what could be assigned."""
    return (
        ReadElement(target.variable, target.index) if isinstance(target, Element) else Read(target)
    )


def offset(of: Expression, low: int) -> Expression:
    """A number, counted from another one."""
    if isinstance(of, Constant):
        return Constant(of.value - low, INT)
    return of if low == 0 else Binary("-", of, Constant(low, INT))


def _times(value: Expression, factor: int) -> Expression:
    if isinstance(value, Constant):
        return Constant(value.value * factor, INT)
    return value if factor == 1 else Binary("*", value, Constant(factor, INT))


def is_reference(descriptor: str) -> bool:
    return descriptor[0] in "L["
