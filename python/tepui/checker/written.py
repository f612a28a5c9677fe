"""Evidence about a program, checked for the program as it was written.

Engines explore what passes have made of a program, and evidence is about that. Here is what stands
between such evidence and the program as written; no pass is trusted:

- *Forgotten values.* Which values matter is worked out once more, by the reference semantics.
- *Slots* (`program.slots`). The program with slots must have the shape that it should have
  (`slot_shape`). A certificate is checked with what the program as written can do (`slot_meaning`),
  and it must exclude that slots are lacking, whatever was asked.
- A trace is replayed on the program as written, with real forks and joins and all values
  (`replay`).

A program for so many contexts (`with_bound`) has only runs of the program, and not all of them: a
certificate about it proves nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from tepui.checker.certificate import Evidence
from tepui.checker.programs import ProgramTables, check_program
from tepui.checker.replay import Claim, replay
from tepui.checker.slot_meaning import SlotMeaning
from tepui.checker.slot_shape import SlotShape
from tepui.checker.trace import Trace
from tepui.errors import EvidenceError
from tepui.model import Pattern, Property
from tepui.program.layout import point_class
from tepui.program.passes.slots import Slotted
from tepui.program.program import Program
from tepui.program.semantics.meaning import Meaning, MeaningOptions, meaning_of


def check_as_written(
    program: Program,
    options: MeaningOptions,
    asked: Property,
    tables: ProgramTables,
    evidence: Evidence,
    go_on: Callable[[], bool] = lambda: True,
) -> None:
    """Return if the evidence proves its claim about the program as it was written; raise
    EvidenceError with the first reason if not.

    `go_on` is asked now and then, and CheckStopped is raised when it says no.
    """
    check_derivation(program)
    if isinstance(evidence, Trace):
        meaning = meaning_of(program, options)
        check_program(program, meaning, asked, tables, evidence, go_on)
        claims = list(_claims(program, tables, evidence))
        if not _lacks_slots(program, claims):
            replay(program, options.watched, asked, claims, evidence, go_on)
        return
    if isinstance(program, Slotted):
        asked = replace(asked, patterns=(*asked.patterns, *_lacks(program)))
    check_program(program, _certified(program, options), asked, tables, evidence, go_on)


def check_derivation(program: Program) -> None:
    """Refuse a program that a pass has made in another way than it should have."""
    if isinstance(program, Slotted):
        SlotShape(program).check()


def _lacks_slots(program: Program, claims: Sequence[Claim]) -> bool:
    """Whether a trace ends where no slot is free: it claims nothing about the program as written,
    and nobody may take it for a violation."""
    if not isinstance(program, Slotted) or not claims or claims[-1].top is None:
        return False
    return claims[-1].top.point in SlotShape(program).lacks


def _certified(program: Program, options: MeaningOptions) -> Meaning:
    """What the steps of a program are in a certificate."""
    if not isinstance(program, Slotted):
        return meaning_of(program, options)
    if program.bound is not None:
        raise EvidenceError(
            f"the evidence is about runs with {program.bound} contexts, and so no proof"
        )
    return SlotMeaning(program, options)


def _lacks(program: Slotted) -> list[Pattern]:
    """What a certificate must exclude: some thread finds no slot."""
    shape = SlotShape(program)
    threads = range(len(program.thread_types))
    return [
        Pattern(None, tuple(point_class(point) if each == thread else None for each in threads))
        for point in shape.lacks
        for thread in threads
    ]


def _claims(program: Program, tables: ProgramTables, trace: Trace) -> Iterator[Claim]:
    """What a trace, which has been checked, says of its steps."""
    kinds = program.thread_types
    for step in trace.steps:
        stack = step.stacks[step.thread]
        top = tables.frames[kinds[step.thread]][stack[0]] if stack else None
        yield Claim(tuple(tables.shared[step.shared]), top)
