"""The certificate that a program with any number of threads never covers what is bad.

It is a set of markings of the net of the program, in names (`named_covering`). The checker makes
the net by itself (`program_net`, where it is proved that what is reachable in it is what the
program reaches).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar

from tepui.checker.evidence import Bad, OpenCertificate, register
from tepui.checker.named_covering import NamedCovering
from tepui.errors import EvidenceError
from tepui.records import record

if TYPE_CHECKING:
    from tepui.program.program import Program


@register
@record
class ProgramCovering(NamedCovering, OpenCertificate):
    """The minimal elements of a set of markings of a program."""

    kinds: ClassVar = ("covering",)

    def check_program(
        self, program: Program, bad: Sequence[Bad], go_on: Callable[[], bool]
    ) -> None:
        """Return if nothing that is bad can be covered; an EvidenceError if that is not proved."""
        from tepui.checker.net_search import NoNet
        from tepui.checker.programs.program_net import program_net

        try:
            found = program_net(program, bad, go_on)
        except NoNet as error:
            raise EvidenceError(str(error)) from error
        self.check_net(found, go_on)
