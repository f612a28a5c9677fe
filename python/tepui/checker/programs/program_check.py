"""Evidence about a program, checked for the program as it was written.

Evidence may be about a program that a pass has made. What it proves about the program as written
depends on the pass. A table says, by the name of the pass, how the checker makes sure of it; no
pass is called. A trace is replayed on the program as written, a certificate is checked with steps
that are those of the program as written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import ClassVar

from tepui.checker.certificates.all_states import AllStates
from tepui.checker.evidence import ClosedCertificate, Evidence, OpenCertificate
from tepui.checker.programs.derivation import AsWritten, InSmallSorts
from tepui.checker.programs.replay import Claim
from tepui.checker.programs.rules import check_program
from tepui.checker.programs.state_tables import ProgramTables
from tepui.checker.trace import Trace
from tepui.checker.trace_steps import Walk
from tepui.errors import EvidenceError
from tepui.model import Property
from tepui.program.layout import Frame, Fused
from tepui.program.program import Derived, Program
from tepui.program.semantics.meaning import MeaningOptions, meaning_of
from tepui.records import record


def _in_slots(program: Derived) -> AsWritten:
    # Most programs do not fork, and importing what is needed for slots takes time.
    from tepui.checker.programs.slot_evidence import InSlots

    return InSlots(program)


def _in_instance(program: Derived) -> AsWritten:
    from tepui.checker.programs.instance_evidence import InInstance

    return InInstance(program)


def _in_sample(program: Derived) -> AsWritten:
    from tepui.checker.programs.sample_evidence import InSample

    return InSample(program)


DERIVATIONS: dict[str, Callable[[Derived], AsWritten]] = {
    "slots": _in_slots,
    "sorts": InSmallSorts,
    "instance": _in_instance,
    "samples": _in_sample,
}
"""For each pass, by its name: what stands between a program that it has made and the original."""

_UPON = {("slots", "sorts"), ("slots", "instance"), ("instance", "forked types")}
"""Which pass may be given what which other one has made."""


@record
class StateOptions:
    """What the states of a program look like (`semantics.meaning`); a file of evidence says it."""

    liveness: bool = True
    probes: frozenset[int] = frozenset()
    fused: Fused | None = None
    share: bool = False
    decide_first: ClassVar[bool] = False


def derivation_of(program: Program) -> AsWritten:
    """What stands between a program and the program as it was written."""
    if not isinstance(program, Derived):
        return AsWritten(program)
    made_by = program.made_by
    if made_by not in DERIVATIONS:
        raise EvidenceError(f"nothing is known about programs that the pass {made_by!r} makes")
    before = program.original.made_by
    if before is not None and (made_by, before) not in _UPON:
        raise EvidenceError(f"the pass {made_by!r} was given what another pass has made")
    return DERIVATIONS[made_by](program)


def check_as_written(
    program: Program,
    options: MeaningOptions,
    asked: Property,
    tables: ProgramTables,
    evidence: Evidence,
    go_on: Callable[[], bool] = lambda: True,
    *,
    reference: bool = False,
) -> None:
    """Return if the evidence proves its claim about the program as it was written; raise
    EvidenceError with the first reason if not.

    `go_on` is called now and then, and CheckStopped is raised when it returns false. Certificates
    that list states are checked by the fast checker, or by its `reference` on request.
    """
    derivation = derivation_of(program)
    derivation.check()
    if isinstance(evidence, Trace):
        meaning = meaning_of(program, options)
        check_program(program, meaning, asked, tables, evidence, go_on)
        claims = list(_claims(program, tables, evidence))
        derivation.replay(options, asked, claims, evidence, go_on)
        return
    if isinstance(evidence, AllStates):
        evidence.check_places(program, asked)
        return
    if isinstance(evidence, OpenCertificate):
        evidence.check_program(derivation.proved, derivation.bad(asked), go_on)
        return
    if isinstance(evidence, ClosedCertificate):
        bad = derivation.bad_of_these(asked)
        evidence.check_program(program.as_written, bad, go_on, deadlock=asked.deadlock)
        return
    asked = replace(asked, patterns=(*asked.patterns, *derivation.excluded()))
    meaning = derivation.meaning(options)
    check_program(program, meaning, asked, tables, evidence, go_on, reference=reference)


def check_derivation(program: Program) -> None:
    """Refuse a program that a pass has made in another way than it should have."""
    derivation_of(program).check()


def _claims(program: Program, tables: ProgramTables, trace: Trace) -> Iterator[Claim]:
    """What a trace says about its steps, after it has been checked."""
    thread_types = program.thread_types
    walk = Walk(trace.start)
    known: dict[tuple[int, int], Frame] = {}
    """The frames so far: of long traces, most steps have the same ones."""
    for thread, rule in trace.differences.moves():
        walk.move(thread, rule)
        kind = thread_types[thread]
        upper = [(kind, symbol) for symbol in walk.upper(thread, 2)]
        known |= {key: tables.frames[kind][key[1]] for key in upper if key not in known}
        stack = [known[key] for key in upper]
        yield Claim(tuple(tables.shared[walk.shared]), *[*stack, None, None][:2])
