"""What a file of evidence proves.

Evidence proves something about its own property only. So it is accepted if that is what is asked,
by the model itself or by its user, and if the independent checker finds that it holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from tepui.checker.certificates.all_states import AllStates
from tepui.checker.certificates.system_covering import SystemCovering
from tepui.checker.checker import check
from tepui.checker.evidence import Evidence, ProgramCertificate
from tepui.checker.files import (
    AnyPath,
    ProgramEvidence,
    Rebuild,
    read_evidence,
    read_open_evidence,
    read_program_evidence,
)
from tepui.checker.programs.derivation import AsWritten
from tepui.checker.programs.program_check import derivation_of
from tepui.checker.trace import Trace
from tepui.errors import EvidenceError
from tepui.model import EPSILON, OpenSystem, Property, System, SystemInstance
from tepui.program.layout import point_class
from tepui.program.program import Program
from tepui.program.questions import (
    Question,
    asked_of,
    asked_program,
    everything,
    questions_of,
    violated_question,
)
from tepui.records import field, record


@record
class EvidenceProof:
    """Evidence that the checker accepted, and what it proves."""

    evidence: Evidence
    asked: Property
    """The property whose states are unreachable, or one of whose states a trace reaches."""
    questions: tuple[Question, ...] = ()
    """For a program, the questions that hold, or the one that the trace violates."""

    @property
    def verdict(self) -> Literal["safe", "unsafe"]:
        return "unsafe" if isinstance(self.evidence, Trace) else "safe"


@record
class OpenProof(EvidenceProof):
    """The same about a system with any number of threads."""

    instance: SystemInstance = field(kw_only=True)
    """The instance that the property and a trace are about."""


class OtherPropertyError(EvidenceError):
    """The evidence is about another property of the system than the one asked about."""

    def __init__(self, system: System, named: Property, asked: Property) -> None:
        super().__init__("the evidence is about another property")
        self.system = system
        """The system whose states both name."""
        self.named = named
        self.asked = asked


class OtherQuestionsError(EvidenceError):
    """The evidence is about other questions than those asked about the program."""

    def __init__(self, named: Sequence[Question], asked: Sequence[Question]) -> None:
        super().__init__("the evidence is about another property")
        self.named = named
        self.asked = asked


def proof_about_system(system: System, path: AnyPath, *, reference: bool = False) -> EvidenceProof:
    """What the evidence in a file proves about a system; an EvidenceError if it proves nothing."""
    named, claimed = read_evidence(path, system)
    asked = system.property or named
    _require_property(named)
    if _key(asked) != _key(named):
        raise OtherPropertyError(system, named, asked)
    check(system, asked, claimed, reference=reference)
    return EvidenceProof(claimed, asked)


def proof_about_open_system(
    system: OpenSystem, path: AnyPath, *, reference: bool = False
) -> OpenProof:
    """The same about a system with any number of threads: a trace with some number of them, or a
    certificate about all."""
    instance, named, claimed = read_open_evidence(path, system)
    _require_property(named)
    if system.is_asked and _key(instance.property) != _key(named):
        raise OtherPropertyError(instance, named, instance.property)
    if not isinstance(claimed, Trace | SystemCovering):
        raise EvidenceError("what holds for some number of threads need not hold for others")
    check(instance, named, claimed, reference=reference)
    return OpenProof(claimed, named, instance=instance)


def proof_about_program(
    program: Program,
    path: AnyPath,
    questions: Sequence[Question],
    rebuild: Rebuild,
    *,
    each: bool = False,
    reference: bool = False,
) -> EvidenceProof:
    """The same about a program; with `each`, the evidence is about one of the questions."""
    program = asked_program(program, questions)
    found = read_program_evidence(path, program, rebuild)
    _require_property(found.asked)
    derivation = derivation_of(found.program)
    questions = [asked_of(derivation.program.as_written, question) for question in questions]
    by_trace = isinstance(found.evidence, Trace)
    alone = isinstance(found.evidence, Trace | AllStates | ProgramCertificate)
    about = _about(derivation, questions, found.asked, each=each, by_trace=by_trace, alone=alone)
    found.check(reference=reference)
    if isinstance(found.evidence, Trace):
        about = _violated(derivation, about, found, found.evidence)
    return EvidenceProof(found.evidence, found.asked, tuple(about))


def _require_property(named: Property) -> None:
    if not named:
        raise EvidenceError("the evidence names no property")


def _about(
    derivation: AsWritten,
    questions: Sequence[Question],
    named: Property,
    *,
    each: bool,
    by_trace: bool,
    alone: bool,
) -> Sequence[Question]:
    """The questions that evidence about this property answers. A trace, and what is true of all
    states, need not answer anything else.

    It must also answer what a pass requires that made the program, and a certificate whether a
    limit of the translation can be reached.
    """
    questions = list(map(derivation.posed, questions))
    found = questions_of(derivation.program, named)
    if not questions:
        return derivation.chosen(found, named, by_trace=by_trace)
    choices = [[question] for question in questions] if each else [questions]
    nothing: list[list[Question]] = [[]] if alone else []
    for choice in choices:
        for needed in (derivation.needed(), derivation.needed(by_trace=by_trace), *nothing):
            if _key(everything([*choice, *needed])) == _key(named):
                return choice
    raise OtherQuestionsError(found, questions)


def _violated(
    derivation: AsWritten, questions: Sequence[Question], found: ProgramEvidence, trace: Trace
) -> Sequence[Question]:
    """The question that a trace, which was accepted, violates."""
    shared, stacks = trace.end
    frames = [found.tables.frames[kind] for kind in found.program.thread_types]
    points = [
        frames[thread][stack[0]].point if stack else None for thread, stack in enumerate(stacks)
    ]
    derivation.check_end(point for point in points if point is not None)
    classes = [EPSILON if point is None else point_class(point) for point in points]
    violated = violated_question(questions, shared, classes)
    return questions if violated is None else [violated]


def _key(asked: Property) -> tuple[frozenset[object], bool, frozenset[object]]:
    return frozenset(asked.patterns), asked.deadlock, frozenset(asked.reaches)
