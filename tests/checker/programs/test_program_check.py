"""Evidence about programs: accepted only if it agrees with the reference semantics."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from random import Random
from typing import Any, overload

import pytest

from support.generators.programs import random_case
from support.samples.evidence import cut_states, run, singles, whole_states
from support.samples.handmade_programs import assign, main, procedure, program, step
from support.samples.program_evidence import (
    BUSY,
    DONE,
    NEVER,
    RECURSION,
    SECTION,
    at,
    everything,
    made,
    meaning_for,
    renumbered,
    together,
    trace_to,
    violations,
)
from tepui.checker import Trace
from tepui.checker.certificates.states import Certificate
from tepui.checker.programs.rules import check_program, system_for
from tepui.checker.programs.state_tables import ProgramTables
from tepui.errors import CheckStopped, EvidenceError
from tepui.model import EPSILON, Pattern, Property
from tepui.program.expressions import Read, Unary
from tepui.program.layout import Frame, Layout, known, point_class
from tepui.program.program import Assert, Create, Program, Step, Thread
from tepui.program.semantics.meaning import Meaning
from tepui.program.state_names import parse_point


def rejects(
    meant: Program, asked: Property, tables: ProgramTables, evidence: Trace | Certificate,
    *words: str,
) -> None:  # fmt: skip
    with pytest.raises(EvidenceError) as caught:
        check_program(meant, meaning_for(meant, asked), asked, tables, evidence)
    for word in words:
        assert word in str(caught.value)


# Certificates


def test_a_cut_of_all_states_of_a_recursive_program_is_accepted() -> None:
    meaning, system, tables = made(RECURSION)
    for depth in (1, 2):
        for groups in (system.groups, singles(system)):
            certificate = cut_states(system, groups, depth)
            check_program(RECURSION, meaning, NEVER, tables, certificate)


def test_all_states_of_a_finite_program_are_accepted() -> None:
    asked = together(SECTION, "main:5", "main:5")
    meaning, system, tables = made(SECTION)
    for groups in (system.groups, singles(system)):
        check_program(SECTION, meaning, asked, tables, whole_states(system, groups))


def test_a_certificate_that_lacks_a_state_is_rejected() -> None:
    _, system, tables = made(SECTION)
    certificate = whole_states(system, system.groups)
    for left_out in certificate.states:
        rest = tuple(state for state in certificate.states if state != left_out)
        rejects(SECTION, Property(), tables, replace(certificate, states=rest), "lacks")


def test_a_certificate_over_tables_that_lack_a_state_is_rejected() -> None:
    _, system, tables = made(SECTION)
    certificate = whole_states(system, system.groups)
    short = replace(tables, shared=tables.shared[:-1])
    kept = tuple(state for state in certificate.states if state[0] < len(short.shared))
    rejects(SECTION, Property(), short, replace(certificate, states=kept), "lacks", "busy=")
    few = replace(tables, frames=(tables.frames[0][:-1],))
    rejects(SECTION, Property(), few, certificate, "not in its tables")


def test_a_number_beyond_the_tables_proves_nothing_even_if_a_rule_leads_there() -> None:
    one = main(step(0, 1, assign(BUSY, 1)), Assert(1, 1, Unary("not", Read(BUSY))), shared=(BUSY,))
    _, system, tables = made(one)
    certificate = whole_states(system, system.groups)
    asked = at(one, 0, "main:1!")
    for shared, frames in ((1, 3), (2, 2), (1, 2)):
        short = ProgramTables(tables.shared[:shared], (tables.frames[0][:frames],))
        kept = tuple(state for state in certificate.states if state[0] < 2)
        rejects(one, asked, short, replace(certificate, states=kept), "not in its tables")


def test_a_bad_state_is_named_by_its_place_whatever_its_values() -> None:
    meaning, system, tables = made(SECTION)
    certificate = whole_states(system, system.groups)
    for thread in (0, 1):
        rejects(SECTION, at(SECTION, thread, "main:5"), tables, certificate, "bad", "main:5(flag=")
    check_program(SECTION, meaning, together(SECTION, "-", None), tables, certificate)


def test_a_pattern_may_fix_the_shared_state() -> None:
    meaning, system, tables = made(SECTION)
    certificate = whole_states(system, system.groups)
    busy = at(SECTION, 0, "main:5").patterns[0].tops
    wrong, right = (tables.shared.index((value, 0, 0, 0)) for value in (0, 1))
    check_program(SECTION, meaning, Property((Pattern(wrong, busy),)), tables, certificate)
    rejects(SECTION, Property((Pattern(right, busy),)), tables, certificate, "bad", "busy=1")


def test_what_the_tables_have_for_the_empty_stack_is_not_looked_at() -> None:
    meaning, system, tables = made(SECTION)
    certificate = whole_states(system, system.groups)
    odd = replace(tables, frames=((Frame(-5, (7,)), *tables.frames[0][1:]),))
    check_program(SECTION, meaning, Property(), odd, certificate)


def test_a_certificate_says_nothing_about_violations_it_holds() -> None:
    _, system, tables = made(RECURSION)
    certificate = cut_states(system, system.groups, 2)
    rejects(RECURSION, at(RECURSION, 0, "main:1!"), tables, certificate, "bad", "main:1!")


def test_the_numbers_of_the_tables_do_not_matter() -> None:
    meaning, system, tables = made(SECTION)
    asked = together(SECTION, "main:5", "main:5")
    certificate = whole_states(system, system.groups)
    for shift in (0, 1):
        other, turned = renumbered(certificate, tables, shift)
        check_program(SECTION, meaning, asked, turned, other)


def test_the_system_has_exactly_the_rules_of_the_pairs_that_occur() -> None:
    meaning, system, tables = made(RECURSION)
    certificate = cut_states(system, singles(system), 1)
    built = system_for(RECURSION, meaning, tables, certificate)
    for thread, kind in enumerate(built.threads):
        occurring = set()
        for state in certificate.states:
            word, _ = certificate.locals[thread][state[1 + thread]]
            occurring.add((state[0], word[0] if word else EPSILON))
        template = built.templates[kind]
        assert {(rule.source, rule.top) for rule in template.rules} <= occurring | {
            (rule.source, rule.top) for rule in template.rules if kind == 1
        }
        for source, top in occurring:
            if top != EPSILON:
                meant = meaning.rules(thread, tables.shared[source], tables.frames[kind][top])
                found = {
                    (
                        tables.shared[rule.target],
                        tuple(tables.frames[kind][symbol] for symbol in rule.word),
                    )
                    for rule in template.rules
                    if (rule.source, rule.top) == (source, top)
                }
                assert found == meant


def test_a_trace_needs_only_the_rules_along_it() -> None:
    asked = at(RECURSION, 0, "main:1!")
    tables, trace = trace_to(RECURSION, asked)
    built = system_for(RECURSION, meaning_for(RECURSION, asked), tables, trace)
    sources = {trace.initial_shared, *(taken.shared for taken in trace.steps)}
    assert {rule.source for _, rule in built.rules()} <= sources


def test_names_are_those_of_the_program() -> None:
    meaning, system, tables = made(RECURSION)
    built = system_for(RECURSION, meaning, tables, run(system))
    assert built.name == "sample"
    assert built.thread_names == ("main", "w.1", "w.2")
    assert built.shared[0] == "busy=0 done=-"
    assert built.templates[0].symbols[0] == "-"
    assert built.state_text(0, built.initial_stacks()) == (
        "busy=0 done=- | main:0, waiting, waiting"
    )
    assert built.templates[1].classes == (
        EPSILON,
        *(point_class(frame.point) for frame in tables.frames[1][1:]),
    )


# Traces


def test_a_run_into_a_violation_is_accepted() -> None:
    asked = at(RECURSION, 0, "main:1!")
    tables, trace = trace_to(RECURSION, asked)
    assert [taken.thread for taken in trace.steps] == [0, 0]
    check_program(RECURSION, meaning_for(RECURSION, asked), asked, tables, trace)


def test_a_run_to_a_place_inside_a_section_is_accepted() -> None:
    for place in ("main:4", "f:0"):
        asked = at(SECTION, 1, place)
        tables, trace = trace_to(SECTION, asked)
        assert len(trace.steps) == 1
        check_program(SECTION, meaning_for(SECTION, asked), asked, tables, trace)


def test_a_run_that_the_program_does_not_have_is_rejected() -> None:
    asked = at(RECURSION, 0, "main:1!")
    tables, trace = trace_to(RECURSION, asked)
    rejects(RECURSION, asked, tables, replace(trace, contexts=2), "contexts")
    rejects(RECURSION, asked, tables, replace(trace, steps=trace.steps[:1]), "not bad")
    rejects(
        RECURSION, asked, tables, replace(trace, steps=trace.steps[1:]), "no rule of thread main"
    )
    for number, entry in enumerate(tables.shared):
        changed = (1 - (known(entry[0]) or 0), *entry[1:])
        if changed not in tables.shared:
            shared = (*tables.shared[:number], changed, *tables.shared[number + 1 :])
            wrong = replace(tables, shared=shared)
            if number in {trace.initial_shared, *(taken.shared for taken in trace.steps)}:
                rejects(RECURSION, asked, wrong, trace)


def test_a_rule_that_leads_out_of_the_tables_cannot_be_taken() -> None:
    asked = at(RECURSION, 0, "main:1!")
    tables, trace = trace_to(RECURSION, asked)
    last = trace.steps[-1].shared
    other = next(n for n in range(len(tables.shared)) if tables.shared[n][1] == 1)
    shared = list(tables.shared)
    shared[last], shared[other] = shared[other], shared[last]
    rejects(
        RECURSION, asked, replace(tables, shared=tuple(shared)), trace, "no rule of thread main"
    )


# Deadlock


STUCK = program(
    procedure("main", Step(0, None, Read(DONE)), Create(0, None, (1,), (), Read(BUSY))),
    procedure("late", step(0, None)),
    shared=(BUSY, DONE),
    threads=(Thread("main", "main"), Thread("late", "late", created=True)),
)
DEADLOCK = Property(deadlock=True)


def test_a_deadlock_that_depends_on_a_variable_without_a_value_is_found() -> None:
    tables, trace = trace_to(STUCK, DEADLOCK)
    check_program(STUCK, meaning_for(STUCK, DEADLOCK), DEADLOCK, tables, trace)
    assert (trace.steps, tables.shared[trace.initial_shared][:2]) == ((), (0, None))
    _, system, tables = made(STUCK, DEADLOCK)
    rejects(STUCK, DEADLOCK, tables, whole_states(system, system.groups), "bad", "main:0")


def test_a_thread_that_waits_for_its_creation_is_not_stuck() -> None:
    asked = DEADLOCK
    one = program(
        procedure("main", step(0, None)),
        procedure("late", Step(0, None, Read(BUSY))),
        shared=(BUSY,),
        threads=(Thread("main", "main"), Thread("late", "late", created=True)),
    )
    meaning, system, tables = made(one, asked)
    check_program(one, meaning, asked, tables, whole_states(system, system.groups))
    creating = replace(
        one, procedures=(procedure("main", Create(0, None, (1,))), one.procedures[1])
    )
    _, system, tables = made(creating, asked)
    rejects(creating, asked, tables, whole_states(system, system.groups), "bad", "late:0")


def test_a_halted_program_is_no_deadlock() -> None:
    one = main(Assert(0, None, Read(DONE)), shared=(DONE,))
    meaning, system, tables = made(one, DEADLOCK)
    check_program(one, meaning, DEADLOCK, tables, whole_states(system, system.groups))


# Options that do not fit the property


@pytest.mark.parametrize("place", ["main:2", "f:0"])
def test_a_place_inside_a_section_must_be_watched(place: str) -> None:
    asked = at(SECTION, 0, place)
    _, system, tables = made(SECTION)
    certificate = whole_states(system, system.groups)
    with pytest.raises(EvidenceError, match="has no probe"):
        check_program(SECTION, Meaning(SECTION), asked, tables, certificate)
    rejects(SECTION, asked, tables, certificate, "lacks")
    _, system, tables = made(SECTION, asked)
    rejects(SECTION, asked, tables, whole_states(system, system.groups), "bad", place)


def test_a_meaning_of_another_program_is_refused() -> None:
    _, system, tables = made(SECTION)
    certificate = whole_states(system, system.groups)
    with pytest.raises(ValueError, match="another program"):
        check_program(SECTION, Meaning(RECURSION), Property(), tables, certificate)


def test_dead_values_are_forgotten_unless_it_is_said_otherwise() -> None:
    frame = Frame(parse_point(Layout(RECURSION), "work:3"), (2,))
    for liveness, kept in ((True, None), (False, 2)):
        meaning = meaning_for(RECURSION, Property(), liveness=liveness)
        ((_, (after,)),) = meaning.rules(1, (1, 0, 0, 1, 2), frame)
        assert after.values == (kept,)
    assert meaning_for(RECURSION, Property()).rules(1, (1, 0, 0, 1, 2), frame) == {
        ((0, 0, 0, 1, 2), (Frame(frame.point + 1, (None,)),))
    }


# Tables that lie


def with_shared(tables: ProgramTables, state: Any) -> ProgramTables:
    return replace(tables, shared=(*tables.shared, state))


def with_frame(tables: ProgramTables, frame: Frame) -> ProgramTables:
    return replace(tables, frames=((*tables.frames[0], frame), *tables.frames[1:]))


def test_tables_that_hold_what_is_no_state_are_rejected() -> None:
    _, system, tables = made(SECTION)
    certificate = whole_states(system, system.groups)
    wrong = [
        (with_shared(tables, (0,)), "no state of the program"),
        (with_shared(tables, (2, 0, 0, 0)), "no state of the program"),
        (with_shared(tables, (0, 0, 0, None)), "no state of the program"),
        (with_shared(tables, (0, None, 0, 0)), "no state of the program"),
        (with_shared(tables, tables.shared[0]), "twice"),
        (with_frame(tables, tables.frames[0][1]), "twice"),
        (with_frame(tables, Frame(-1)), "at no point"),
        (with_frame(tables, Frame(Layout(SECTION).points)), "at no point"),
        (with_frame(tables, Frame(0, ())), "no frame of the program"),
        (with_frame(tables, Frame(0, (2,))), "no frame of the program"),
        (with_frame(tables, Frame(Layout(SECTION).waiting, (0,))), "no frame of the program"),
        (replace(tables, frames=()), "not have one table of frames"),
        (replace(tables, frames=(*tables.frames, *tables.frames)), "not have one table of frames"),
    ]
    for lying, word in wrong:
        rejects(SECTION, Property(), lying, certificate, word)


def test_states_of_the_program_that_are_never_reached_do_no_harm() -> None:
    meaning, system, tables = made(SECTION)
    certificate = whole_states(system, system.groups)
    more = with_frame(with_shared(tables, (None, 1, 1, 1)), Frame(1, (None,)))
    check_program(SECTION, meaning, Property(), more, certificate)


def test_numbers_that_stand_for_nothing_are_rejected_and_break_nothing() -> None:
    asked = at(RECURSION, 0, "main:1!")
    tables, trace = trace_to(RECURSION, asked)
    _, system, all_tables = made(RECURSION)
    certificate = cut_states(system, system.groups, 1)
    for number in (-1, 10**9):
        rejects(RECURSION, asked, tables, replace(trace, initial_shared=number))
        rejects(RECURSION, asked, tables, replace(trace, initial_stacks=((number,), (1,), (1,))))
        rejects(RECURSION, asked, tables, replace(trace, initial_stacks=((1,),)))
        for place in range(4):
            state = list(certificate.states[0])
            state[place] = number
            states = (tuple(state), *certificate.states)
            rejects(RECURSION, NEVER, all_tables, replace(certificate, states=states))
        groups = ((0,), (1, number))
        rejects(RECURSION, NEVER, all_tables, replace(certificate, groups=groups))
        wrong: Any = ((((number,), False),), *certificate.locals[1:])
        rejects(RECURSION, NEVER, all_tables, replace(certificate, locals=wrong))
    rejects(RECURSION, NEVER, all_tables, replace(certificate, states=((0,), (), (0, 0, 0, 0, 0))))
    rejects(RECURSION, NEVER, all_tables, replace(certificate, groups=((0,), (1, 2, 3))))
    rejects(RECURSION, NEVER, all_tables, replace(certificate, locals=()))
    rejects(RECURSION, NEVER, all_tables, replace(certificate, groups=()))


class Shifty(Sequence[tuple[int, ...]]):
    """States that are not the same when they are looked at again."""

    def __init__(self, *looks: tuple[tuple[int, ...], ...]) -> None:
        self.looks = list(looks)

    def __len__(self) -> int:
        return len(self.looks[0])

    @overload
    def __getitem__(self, index: int) -> tuple[int, ...]: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[tuple[int, ...]]: ...

    def __getitem__(self, index: int | slice) -> Any:
        return self.looks[0][index]

    def __iter__(self) -> Iterator[tuple[int, ...]]:
        look = self.looks[0]
        if len(self.looks) > 1:
            self.looks.pop(0)
        return iter(look)


def test_states_that_change_while_they_are_looked_at_prove_nothing() -> None:
    _, system, tables = made(SECTION)
    whole = whole_states(system, system.groups)
    start = whole.states[:1]
    shifty = replace(whole, states=Shifty((), tuple(start)))
    rejects(SECTION, Property(), tables, shifty, "lacks the initial state")


def test_the_check_stops_when_it_is_told_to() -> None:
    meaning, system, tables = made(SECTION)
    certificate = whole_states(system, system.groups)
    for answers in ([False], [True, False], [True, True, False]):
        left = iter(answers)
        with pytest.raises(CheckStopped):
            check_program(SECTION, meaning, Property(), tables, certificate, partial(next, left))


# Random programs


@pytest.mark.fuzz
def test_random_programs_have_no_certificate_where_brute_force_finds_a_violation(
    fuzz_systems: int,
) -> None:
    accepted = rejected = 0
    for seed in range(5_000_000, 5_000_000 + fuzz_systems // 20):
        meant, findings = random_case(Random(seed))
        asked = violations(meant)
        meaning = meaning_for(meant, asked)
        system, tables = everything(meaning)
        if sum(len(template.rules) for template in system.templates) > 1000:
            continue
        certificate = cut_states(system, system.groups, 2)
        try:
            check_program(meant, meaning, asked, tables, certificate)
        except EvidenceError as error:
            rejected += 1
            reason = str(error)
        else:
            accepted += 1
            reason = "none"
        assert ("bad" in reason) or findings.first("unsafe") is None, seed
        assert reason == "none" or "bad" in reason, seed
    assert accepted
    assert rejected
