"""The types of program variables. Every value is a Python integer.

A Boolean is 0 or 1, a member of an enumeration its index, a bounded integer itself. An array holds
one value per element and is read and written element by element. A type is finite; `size` is how
many values a scalar has, and `low` the smallest of them, so that `value - low` numbers them. There
are two exceptions: the identities of threads, which `layout` makes finite, and integers without
bounds, which instances give some (`passes.instances`).
"""

from __future__ import annotations

from typing import Literal, NoReturn

from tepui.errors import ModelError
from tepui.records import field, record

MACHINE_BITS = (8, 16, 32, 64)
"""How wide machine integers are."""

Overflow = Literal["wrap", "saturate", "block"]
"""What an assignment of a value outside the range does: start over at the other end, stay at the
end, or not happen at all (the step does not exist)."""


@record
class Boolean:
    """False or true, as 0 and 1."""

    @property
    def low(self) -> int:
        return 0

    @property
    def size(self) -> int:
        return 2

    def text(self, value: int) -> str:
        return str(value)

    def __str__(self) -> str:
        return "bool"


@record
class Enumeration:
    """One of some names, by its index."""

    members: tuple[str, ...]

    @property
    def low(self) -> int:
        return 0

    @property
    def size(self) -> int:
        return len(self.members)

    def text(self, value: int) -> str:
        return self.members[value]

    def __str__(self) -> str:
        return f"enum {{{', '.join(self.members)}}}"


@record
class Bounded:
    """An integer from `low` to `high`, both included, with stated overflow."""

    low: int
    high: int
    overflow: Overflow = "wrap"

    @property
    def size(self) -> int:
        return self.high - self.low + 1

    def text(self, value: int) -> str:
        return str(value)

    def __str__(self) -> str:
        name = _MACHINE_NAMES.get((self.low, self.high, self.overflow))
        if name is not None:
            return name
        overflow = "" if self.overflow == "wrap" else f" {self.overflow}"
        return f"int {self.low}..{self.high}{overflow}"


def machine(bits: int, *, signed: bool) -> Bounded:
    """The integers of a machine: `bits` of them, which wrap around."""
    if bits not in MACHINE_BITS:
        raise ModelError(f"there are machine integers of 8, 16, 32 and 64 bits, not of {bits}")
    low = -(2 ** (bits - 1)) if signed else 0
    return Bounded(low, low + 2**bits - 1)


_MACHINE_NAMES: dict[tuple[int, int, Overflow], str] = {
    (integer.low, integer.high, integer.overflow): f"{sign}int{bits}"
    for bits in MACHINE_BITS
    for sign, integer in (("", machine(bits, signed=True)), ("u", machine(bits, signed=False)))
}


@record
class Integer:
    """Any integer. Counting its values raises a ModelError, instead of giving a wrong number."""

    @property
    def low(self) -> int:
        self._fail()

    @property
    def size(self) -> int:
        self._fail()

    def text(self, value: int) -> str:
        return str(value)

    def __str__(self) -> str:
        return "int"

    def _fail(self) -> NoReturn:
        raise ModelError("an integer without bounds has infinitely many values")


@record
class ThreadId:
    """The identity of a thread, or nobody, which is 0. At the start, variables name nobody.

    Such a value can be stored, copied, passed, returned, joined, and compared with another one for
    equality. The threads of a program have the identities 1, 2, 3 and so on, in their order; forked
    threads follow in the order of forks. Variables have the type `THREAD`; their cells know the
    names of the threads that a program begins with (`layout`).
    """

    names: tuple[str, ...] = ()

    @property
    def low(self) -> int:
        return 0

    @property
    def size(self) -> int:
        return 1 + len(self.names)

    def text(self, value: int) -> str:
        if value == 0:
            return "nobody"
        return self.names[value - 1] if value <= len(self.names) else str(value)

    def __str__(self) -> str:
        return "thread"


Scalar = Boolean | Enumeration | Bounded | Integer | ThreadId


@record
class Array:
    """A number of values of one scalar type, numbered from 0."""

    element: Scalar
    length: int
    names: tuple[str, ...] = field(default=(), compare=False)
    """What people call its elements, if not by their numbers."""

    def __str__(self) -> str:
        return f"{self.element}[{self.length}]"


Type = Scalar | Array

BOOLEAN = Boolean()
INTEGER = Integer()
THREAD = ThreadId()
