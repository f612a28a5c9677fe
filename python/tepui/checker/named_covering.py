"""What certificates about any number of threads have in common: a set of markings, in names.

Such a certificate is a set of markings of the net of threads (`net_search`), by its minimal
elements: a shared state, and some threads. Its claim is that nothing reachable is above one of
them, and that all that is bad is, unless it is excluded by what the net knows by itself. Places
have their names in the net, which say what they are; so it does not matter how anyone numbers them.
Invariants of the net, which say that a weighted sum of tokens never exceeds a bound, may exclude
more.

**Why the check is enough.** The checker makes the net by itself, and `covering` proves that a set
that is accepted contains nothing reachable and all that is bad.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Self

from tepui.checker.covering import NetInvariant
from tepui.checker.evidence import AnyCertificate
from tepui.errors import EvidenceError
from tepui.model.net import Marking
from tepui.records import record, replace

if TYPE_CHECKING:
    from tepui.checker.net_search import ThreadNet
    from tepui.checker.reading import Reader
    from tepui.checker.writing import Writer


@record
class NamedCovering(AnyCertificate):
    """The minimal elements of a set of markings; `places` are the names of its places."""

    places: tuple[str, ...]
    minimal: tuple[Marking, ...]
    invariants: tuple[tuple[Marking, int], ...] = ()
    """Weights of places, and a bound for the weighted sum."""

    fields: ClassVar[tuple[str, ...]] = ("places", "invariants", "minimal")

    @property
    def size(self) -> int:
        return len(self.minimal)

    def check_net(self, found: ThreadNet, go_on: Callable[[], bool]) -> None:
        """Return if nothing that is bad can be covered in a net that the checker has made; an
        EvidenceError if that is not proved."""
        numbers = {name: number for number, name in enumerate(found.net.places)}
        # A place that the net does not have never has a token.
        minimal = [self._in_net(element, numbers) for element in self.minimal]
        whole = zip(self.minimal, minimal, strict=True)
        elements = tuple(new for old, new in whole if len(new) == len(old))
        invariants = []
        for weights, bound in self.invariants:
            given = dict(self._in_net(weights, numbers))
            every = tuple(given.get(place, 0) for place in range(len(numbers)))
            invariants.append(NetInvariant(every, bound))
        found.check(elements, tuple(invariants), go_on)

    def _in_net(self, marking: Marking, numbers: dict[str, int]) -> Marking:
        """The counts of those places that the net has, by their numbers there."""
        if not all(0 <= place < len(self.places) for place, _ in marking):
            raise EvidenceError("a marking has a place without a name")
        named = ((self.places[place], count) for place, count in marking)
        return tuple(sorted((numbers[name], count) for name, count in named if name in numbers))

    def fixed(self) -> Self:
        invariants = ((_fixed(weights), bound) for weights, bound in self.invariants)
        return replace(
            self,
            places=tuple(self.places),
            minimal=tuple(map(_fixed, self.minimal)),
            invariants=tuple(invariants),
        )

    def body(self, writer: Writer) -> dict[str, Any]:
        return self.markings_body(writer)

    def markings_body(self, writer: Writer) -> dict[str, Any]:
        """What a file says about the markings."""
        invariants = (
            writer.line({"weights": _flat(weights), "bound": bound})
            for weights, bound in self.invariants
        )
        rows = (writer.line(_flat(element)) for element in self.minimal)
        return {"places": list(self.places), "invariants": invariants, "minimal": rows}

    @classmethod
    def read(cls, reader: Reader, kind: str, fields: dict[str, Any]) -> Self:
        return cls.read_markings(reader, fields)

    @classmethod
    def read_markings(cls, reader: Reader, fields: dict[str, Any]) -> Self:
        """The markings in a file."""
        names = reader.items(fields["places"], "places")
        rows = reader.items(fields["minimal"], "minimal")
        invariants = []
        for value in reader.items(fields["invariants"], "invariants"):
            parts = reader.record(value, "invariants", ("weights", "bound"))
            bound = reader.a(int, parts["bound"], "invariants")
            invariants.append((_marking(reader, parts["weights"], "invariants"), bound))
        return cls(
            tuple(reader.a(str, name, "places") for name in names),
            tuple(_marking(reader, row, "minimal") for row in rows),
            tuple(invariants),
        )


def _fixed(marking: Marking) -> Marking:
    return tuple((place, count) for place, count in marking)


def _flat(marking: Marking) -> list[int]:
    return [number for entry in marking for number in entry]


def _marking(reader: Reader, row: Any, where: str) -> Marking:
    """Places and counts in turns."""
    numbers = reader.integers(row, where)
    if len(numbers) % 2:
        reader.fail(where, "has a place without a count")
    return tuple(zip(numbers[::2], numbers[1::2], strict=True))
