"""The certificate that a pushdown system with any number of threads never reaches what is bad.

It is a set of markings of the net of the system, in names (`named_covering`), and says how many
symbols of each stack that net sees. The checker makes the net by itself, from the system as it was
written (`system_net`, where it is proved that what cannot be covered in it cannot be reached).

It is given an instance, since what is bad names threads. The instance has as many threads as any
pattern names: with fewer, a pattern could be left out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Self

from tepui.checker.evidence import Pair, register
from tepui.checker.named_covering import NamedCovering
from tepui.errors import EvidenceError
from tepui.model import Property, System, SystemInstance
from tepui.records import record, replace

if TYPE_CHECKING:
    from tepui.checker.reading import Reader
    from tepui.checker.writing import Writer


@register
@record
class SystemCovering(NamedCovering):
    """The minimal elements of a set of markings of a system."""

    height: int = 1
    """How many symbols of each stack are seen."""

    kinds: ClassVar = ("stacks",)
    fields: ClassVar = ("height", *NamedCovering.fields)

    def check(self, system: System, asked: Property, go_on: Callable[[], bool]) -> None:
        from tepui.checker.net_search import NoNet
        from tepui.checker.system_net import system_net

        if not isinstance(system, SystemInstance):
            raise EvidenceError("this is evidence about any number of threads")
        made = system.original.instance(system.counts)
        if made != system.with_property(made.property):
            raise EvidenceError("an instance is not the system that it is said to be")
        if not system.stands_for_all:
            raise EvidenceError("the instance has fewer threads than what is bad names")
        try:
            found = system_net(system, asked, self.height, go_on)
        except NoNet as error:
            raise EvidenceError(str(error)) from error
        self.check_net(found, go_on)

    def pairs(self, system: System, go_on: Callable[[], bool]) -> list[set[Pair]]:
        return [set() for _ in system.threads]

    def body(self, writer: Writer) -> dict[str, Any]:
        return {"height": self.height, **self.markings_body(writer)}

    @classmethod
    def read(cls, reader: Reader, kind: str, fields: dict[str, Any]) -> Self:
        height = reader.a(int, fields["height"], "height")
        return replace(cls.read_markings(reader, fields), height=height)
