"""What a file of evidence proves, in the words of the question.

The checker decides that. It calls no pass, so the program that a file is about is made here, and
the checker examines it before it accepts anything about it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Literal

from tepui.checker import Evidence, Trace
from tepui.checker.evidence_proof import (
    OtherPropertyError,
    OtherQuestionsError,
    proof_about_open_system,
    proof_about_program,
    proof_about_system,
)
from tepui.checker.files import AnyPath
from tepui.checker.json_values import WHOLE, Values, shown
from tepui.checker.reading import OtherThreadsError
from tepui.errors import EvidenceError, InputError, ModelError
from tepui.model import OpenSystem, System
from tepui.model.build import MAX_THREADS
from tepui.parameter_names import given, named
from tepui.program.passes import MOST_SLOTS
from tepui.program.passes.forked_types import with_forked_types
from tepui.program.passes.instances import instance, within
from tepui.program.passes.samples import EdgeAt, Place, Sampled, with_samples
from tepui.program.passes.slots import with_bound, with_slots
from tepui.program.passes.sorts import with_values
from tepui.program.program import Program, thread_names
from tepui.program.questions import Question, own_questions, questions_text
from tepui.program.types import Bounded
from tepui.records import record
from tepui.report.bounds import trace_text
from tepui.subject import SystemSubject
from tepui.words import counted


class AnotherPropertyError(EvidenceError):
    """Evidence about something else than what is asked."""


@record
class CheckedEvidence:
    """Evidence that the checker accepted, and what it proves."""

    verdict: Literal["safe", "unsafe"]
    text: str
    """The same in one sentence."""
    evidence: Evidence
    questions: tuple[Question, ...] = ()
    """For programs: the questions that hold, or the one that the trace violates."""

    def __str__(self) -> str:
        return self.text


def prove_about_system(
    system: System, path: AnyPath, *, reference: bool = False
) -> CheckedEvidence:
    """What the evidence in a file proves about a system; an EvidenceError if it proves nothing."""
    words = SystemSubject(system).asked_text
    try:
        proof = proof_about_system(system, path, reference=reference)
    except OtherPropertyError as other:
        raise _another(other, words(other.named), words(other.asked)) from None
    bad = words(proof.asked)
    if isinstance(proof.evidence, Trace):
        text = f"a bad state ({bad}) is reachable within {trace_text(proof.evidence)}"
    else:
        text = f"no bad state ({bad}) is reachable in any number of contexts"
    return CheckedEvidence(proof.verdict, text, proof.evidence)


def _another(other: OtherPropertyError, named_there: str, asked: str) -> AnotherPropertyError:
    return AnotherPropertyError(
        f"{other}: it names {named_there} as bad, and asked is {asked or 'nothing'}; "
        f"{named('target')}, {named('reach')} and {named('property')} say what is asked"
    )


def prove_about_open_system(
    system: OpenSystem, path: AnyPath, *, reference: bool = False
) -> CheckedEvidence:
    """The same about a system with any number of threads."""
    try:
        proof = proof_about_open_system(system, path, reference=reference)
    except OtherPropertyError as other:
        words = SystemSubject(other.system).asked_text
        raise _another(other, words(other.named), words(other.asked)) from None
    bad = SystemSubject(proof.instance).asked_text(proof.asked)
    if isinstance(proof.evidence, Trace):
        counts = ", ".join(
            f"{counted(count, 'thread')} {name}" for name, count in proof.instance.counts.items()
        )
        text = (
            f"a bad state ({bad}) is reachable within {trace_text(proof.evidence)}, with {counts}"
        )
    else:
        names = ", ".join(system.any_number)
        text = (
            f"no bad state ({bad}) is reachable in any number of contexts, with any number of "
            f"threads {names}"
        )
    return CheckedEvidence(proof.verdict, text, proof.evidence)


def prove_about_program(
    program: Program,
    path: AnyPath,
    questions: Sequence[Question] | None = None,
    *,
    each: bool = False,
    reference: bool = False,
) -> CheckedEvidence:
    """The same about a program; with `each`, the evidence is about one of the questions."""
    asked = own_questions(program) if questions is None else list(questions)
    try:
        proof = proof_about_program(program, path, asked, rebuilt, each=each, reference=reference)
    except OtherThreadsError as other:
        message = f"{other.message}{_threads_hint(program, other.threads)}"
        raise InputError(other.source, 0, 0, message) from None
    except OtherQuestionsError as other:
        hint = f"; {named('each question')} takes evidence about one of them"
        hint = "" if each or len(asked) == 1 else hint
        raise AnotherPropertyError(
            f"{other}: {questions_text(other.named)}; asked is: {questions_text(other.asked)}{hint}"
        ) from None
    asked_text = questions_text(proof.questions)
    if isinstance(proof.evidence, Trace):
        text = f"violated within {trace_text(proof.evidence)}: {asked_text}"
    else:
        names = ", ".join(program.any_number)
        threads = f" and of threads {names}" if names else ""
        text = f"holds for any number of contexts{threads}: {asked_text}"
    return CheckedEvidence(proof.verdict, text, proof.evidence, proof.questions)


def _threads_hint(program: Program, threads: Sequence[str]) -> str:
    """How to get the threads of the evidence, if only the numbers of threads differ."""
    types = Counter(re.sub(r"\.[0-9]+$", "", name) for name in threads)
    other = tuple(replace(each, count=types[each.name]) for each in program.threads)
    same_types = all(each.count for each in other)
    if not same_types or thread_names(replace(program, threads=other)) != tuple(threads):
        return ""
    counts = {new.name: new.count for new in other if new not in program.threads}
    return f"; give {given('threads', counts)}" if counts else ""


def rebuilt(program: Program, values: Values, document: dict[str, Any]) -> Program:
    """The program that a file is about: an instance or a sample, or with smaller sorts, if it has
    some, and with slots, if this one forks threads."""
    if "instance" in document:
        program = _instance(program, values, document["instance"])
    if "sample" in document:
        return _sample(program, values, document["sample"])
    if "sorts" in document:
        program = _with_small_sorts(program, values, document["sorts"])
    if not program.forks:
        return program
    if "slots" in document:
        equal = values.a(bool, document.get("equal", False), "equal")
        return with_slots(program, _count(values, document, "slots", 1), equal=equal)
    if "bound" not in document:
        values.fail(WHOLE, "has neither 'slots' nor 'bound', and the program forks threads")
    return with_bound(program, _count(values, document, "bound", 0))


def _instance(program: Program, values: Values, said: Any) -> Program:
    """The instance with the numbers of threads and the bounds that a file says."""
    fields = values.record(said, "instance", ("threads", "integers"), ("forked",))
    if "forked" in fields:
        program = _with_forked_types(program, values, fields["forked"])
    counts = values.a(dict, fields["threads"], "instance.threads")
    hint = _crowds_hint(program, counts)
    if not program.is_open:
        values.fail(
            "instance",
            "is about any number of threads, or integers without bounds, and "
            f"{program.name} has neither{hint}",
        )
    if sorted(counts) != sorted(program.any_number):
        here = f"any number of {', '.join(program.any_number)}"
        values.fail(
            "instance.threads",
            f"is about {'any' if counts else 'a fixed'} number of {', '.join(counts) or 'threads'}"
            f", and {program.name} has {here if program.any_number else 'a fixed number'}{hint}",
        )
    for name in counts:
        count = values.a(int, counts[name], f"instance.threads.{name}")
        if not 1 <= count <= MAX_THREADS:
            values.fail(f"instance.threads.{name}", f"is {count}; expected 1 to {MAX_THREADS}")
    if fields["integers"] is None:
        return instance(program, counts, within(1))
    bounds = values.items(fields["integers"], "instance.integers")
    ends = [values.a(int, end, "instance.integers") for end in bounds]
    if len(ends) != 2 or ends[0] > ends[1]:
        values.fail("instance.integers", "is not a smallest and a largest integer")
    return instance(program, counts, Bounded(ends[0], ends[1], "block"))


def _with_forked_types(program: Program, values: Values, said: Any) -> Program:
    if said != "types" or not program.forks:
        values.fail("instance.forked", f"is not how {program.name} has its threads")
    try:
        return with_forked_types(program)
    except ModelError as error:
        values.fail("instance.forked", str(error))


def _crowds_hint(program: Program, counts: Iterable[str]) -> str:
    """How to get any number of the threads of which the evidence is about any number."""
    fixed = [each.name for each in program.threads if each.count is not None]
    asked = {name: "*" for name in counts if name in fixed}
    return f"; give {given('threads', asked)}" if asked else ""


def _sample(program: Program, values: Values, said: Any) -> Sampled:
    """The sample with the choices and the initial values that a file says. What the pass does not
    use of them, the caller finds."""
    fields = values.record(said, "sample", ("few", "choices", "globals", "locals"))
    if program.forks or program.is_open:
        values.fail("sample", f"is about a program with a system of its own, not {program.name}")
    chosen: dict[EdgeAt, tuple[int, ...]] = {}
    for number, choice in enumerate(values.items(fields["choices"], "sample.choices")):
        where = f"sample.choices[{number}]"
        choice = values.record(choice, where, ("procedure", "location", "edge", "values"))
        name = values.a(str, choice["procedure"], f"{where}.procedure")
        if name not in program.numbers:
            values.fail(f"{where}.procedure", f"is {shown(name)}, which {program.name} has not")
        location = values.a(int, choice["location"], f"{where}.location")
        edge = values.a(int, choice["edge"], f"{where}.edge")
        some = values.integers(choice["values"], f"{where}.values")
        chosen[program.numbers[name], location, edge] = some
    initial: dict[Place, int | None] = {}
    scopes: list[tuple[str | None, Any]] = [(None, fields["globals"])]
    scopes += values.a(dict, fields["locals"], "sample.locals").items()
    for owner, some_initial in scopes:
        where = "sample.globals" if owner is None else f"sample.locals.{owner}"
        for name, value in values.a(dict, some_initial, where).items():
            initial[owner, name] = (
                None if value is None else values.a(int, value, f"{where}.{name}")
            )
    few = values.a(int, fields["few"], "sample.few")
    return with_samples(program, chosen, initial, few)


def _with_small_sorts(program: Program, values: Values, said: Any) -> Program:
    kept = values.a(dict, said, "sorts")
    for name, some in kept.items():
        for value in values.a(list, some, f"sorts.{name}"):
            values.a(int, value, f"sorts.{name}")
    try:
        return with_values(program, kept)
    except ModelError as error:
        values.fail("sorts", str(error))


def _count(values: Values, document: dict[str, Any], name: str, least: int) -> int:
    count = values.a(int, document[name], name)
    if not least <= count <= MOST_SLOTS:
        values.fail(name, f"is {shown(count)}; expected {least} to {MOST_SLOTS}")
    return count
