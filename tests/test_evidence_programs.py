"""Evidence about programs: believed only where the reference semantics bears it out."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any, overload

import pytest

from evidence_samples import cut_states, run, singles, steps, whole_states
from handmade_programs import assign, equal, local, main, procedure, program, step, variable
from program_evidence_samples import everything, renumbered
from program_interpreter import TooLargeError
from program_oracle import explore
from random_programs import random_case
from tepui.errors import CheckStopped, EvidenceError, InputError
from tepui.evidence import (
    Certificate,
    ProgramTables,
    Trace,
    check_program,
    meaning_for,
    read_program_evidence,
    write_program_evidence,
)
from tepui.evidence.programs import point_class, system_for
from tepui.model import EPSILON, Pattern, Property, System
from tepui.program.expressions import ANY, TRUE, Binary, Constant, Read, Unary
from tepui.program.layout import Frame, Layout
from tepui.program.meaning import Meaning
from tepui.program.program import Assert, Call, Create, Program, Receive, Return, Step, Thread
from tepui.program.states import parse_point
from tepui.program.types import BOOLEAN, Bounded

BUSY, DONE = variable("busy"), variable("done", initial=None)
K = local("k", Bounded(0, 2), procedure="work")

RECURSION = program(
    procedure("main", Create(0, 1, (1,), ((Constant(2),),)), Assert(1, 2, Read(DONE)), step(2, 2)),
    procedure(
        "work",
        step(0, 1, assign(BUSY, 1), guard=Unary("not", Read(BUSY))),
        Call(1, 2, "work"),
        step(1, 3),
        step(2, 3),
        step(3, 4, assign(BUSY, 0), guard=equal(K, 2)),
        Return(4),
        variables=(K,),
    ),
    shared=(BUSY, DONE),
    threads=(
        Thread("main", "main"),
        Thread("w", "work", 2, created=True, inherited=(K,)),
    ),
)
FLAG = local("flag", initial=None)
SECTION = program(
    procedure(
        "main",
        Step(0, 1, Unary("not", Read(BUSY))),
        step(1, 2, assign(BUSY, 1)),
        Call(2, 3, "f"),
        Receive(3, 4, (FLAG,)),
        step(4, 5),
        step(5, 0, assign(BUSY, 0), guard=Binary("or", Read(FLAG), TRUE)),
        variables=(FLAG,),
        atomic={1, 2, 3, 4},
    ),
    procedure("f", Return(0, (ANY,)), results=(BOOLEAN,)),
    shared=(BUSY,),
    threads=(Thread("main", "main", 2),),
)


def at(meant: Program, thread: int, place: str) -> Property:
    """A thread is at a place."""
    count = sum(kind.count for kind in meant.threads)
    tops: list[int | None] = [None] * count
    tops[thread] = point_class(parse_point(Layout(meant), place))
    return Property((Pattern(None, tuple(tops)),))


def together(meant: Program, *places: str | None) -> Property:
    """All threads at these places at the same time; None is anywhere, `-` is over."""
    layout = Layout(meant)
    tops = tuple(
        None if p is None else EPSILON if p == "-" else point_class(parse_point(layout, p))
        for p in places
    )
    return Property((Pattern(None, tops),))


def made(meant: Program, asked: Property = Property()) -> tuple[Meaning, System, ProgramTables]:  # noqa: B008
    meaning = meaning_for(meant, asked)
    return meaning, *everything(meaning)


def rejects(
    meant: Program, asked: Property, tables: ProgramTables, evidence: Trace | Certificate,
    *words: str,
) -> None:  # fmt: skip
    with pytest.raises(EvidenceError) as caught:
        check_program(meant, meaning_for(meant, asked), asked, tables, evidence)
    for word in words:
        assert word in str(caught.value)


def trace_to(meant: Program, asked: Property) -> tuple[ProgramTables, Trace]:
    """A shortest run into a bad state, found by looking at all runs."""
    meaning, system, tables = made(meant, asked)
    known = {(system.initial, system.initial_stacks())}
    waiting: list[tuple[Any, list[tuple[int, int]]]] = [(next(iter(known)), [])]
    while waiting:
        state, choices = waiting.pop(0)
        trace = run(system, *choices)
        try:
            check_program(meant, meaning, asked, tables, trace)
        except EvidenceError:
            seen: dict[int, int] = {}
            for thread, _, after in steps(system, state):
                number = seen.get(thread, 0)
                seen[thread] = number + 1
                if after not in known and max(map(len, after[1])) < 5:
                    known.add(after)
                    waiting.append((after, [*choices, (thread, number)]))
        else:
            return tables, trace
    raise AssertionError("no trace")


# Certificates


NEVER = together(RECURSION, None, "work:1(k=0)".split("(")[0], "work:1")
"""Two workers are never both at line 1: the one who is there is busy."""


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
    rejects(SECTION, Property(), few, certificate, "no stack symbol")


def test_a_bad_state_is_named_by_its_place_whatever_its_values() -> None:
    meaning, system, tables = made(SECTION)
    certificate = whole_states(system, system.groups)
    for thread in (0, 1):
        rejects(SECTION, at(SECTION, thread, "main:5"), tables, certificate, "bad", "main:5(flag=")
    check_program(SECTION, meaning, at(SECTION, 0, "f:0"), tables, replace(certificate)) if (
        "f:0" not in "atomic"
    ) and not meaning_for(SECTION, at(SECTION, 0, "f:0")).watched else None


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
                meant = meaning.rules(kind, tables.shared[source], tables.frames[kind][top])
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
    rejects(RECURSION, asked, tables, replace(trace, steps=trace.steps[1:]), "not enabled")
    for number, entry in enumerate(tables.shared):
        changed = (1 - (entry[0] or 0), *entry[1:])
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
    assert tables.shared[trace.steps[-1].shared][:2] == (0, 0)
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


def test_deadlocks_need_variables_to_be_decided_first() -> None:
    _, system, tables = made(SECTION)
    certificate = whole_states(system, system.groups)
    with pytest.raises(EvidenceError, match="decide variables first"):
        check_program(SECTION, Meaning(SECTION), DEADLOCK, tables, certificate)


@pytest.mark.parametrize("place", ["main:2", "f:0"])
def test_a_place_inside_a_section_must_be_watched(place: str) -> None:
    asked = at(SECTION, 0, place)
    _, system, tables = made(SECTION)
    certificate = whole_states(system, system.groups)
    with pytest.raises(EvidenceError, match="does not watch"):
        check_program(SECTION, Meaning(SECTION), asked, tables, certificate)
    rejects(SECTION, asked, tables, certificate, "lacks")
    _, system, tables = made(SECTION, asked)
    rejects(SECTION, asked, tables, whole_states(system, system.groups), "bad", place)


def test_a_meaning_of_another_program_is_refused() -> None:
    _, system, tables = made(SECTION)
    certificate = whole_states(system, system.groups)
    with pytest.raises(ValueError, match="another program"):
        check_program(SECTION, Meaning(RECURSION), Property(), tables, certificate)


# Tables that lie


def with_shared(tables: ProgramTables, state: Any) -> ProgramTables:
    return replace(tables, shared=(*tables.shared, state))


def with_frame(tables: ProgramTables, frame: Frame) -> ProgramTables:
    return replace(tables, frames=((*tables.frames[0], frame), *tables.frames[1:]))


def test_tables_that_hold_what_is_no_state_are_rejected() -> None:
    _, system, tables = made(SECTION)
    certificate = whole_states(system, system.groups)
    wrong = [
        (with_shared(tables, (0,)), "no shared state"),
        (with_shared(tables, (2, 0, 0, 0)), "no shared state"),
        (with_shared(tables, (0, 0, 0, None)), "no shared state"),
        (with_shared(tables, (0, None, 0, 0)), "no shared state"),
        (with_shared(tables, tables.shared[0]), "twice"),
        (with_frame(tables, tables.frames[0][1]), "twice"),
        (with_frame(tables, Frame(-1)), "nowhere"),
        (with_frame(tables, Frame(Layout(SECTION).points)), "nowhere"),
        (with_frame(tables, Frame(0, ())), "no frame"),
        (with_frame(tables, Frame(0, (2,))), "no frame"),
        (with_frame(tables, Frame(Layout(SECTION).waiting, (0,))), "no frame"),
        (replace(tables, frames=()), "not one table of frames"),
        (replace(tables, frames=tables.frames * 2), "not one table of frames"),
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
        left = list(answers)
        with pytest.raises(CheckStopped):
            check_program(
                SECTION, meaning, Property(), tables, certificate, lambda left=left: left.pop(0)
            )


# Files


ASKED = [
    (SECTION, together(SECTION, "main:5", "main:5")),
    (SECTION, Property((Pattern(0, (None, EPSILON)),), deadlock=True)),
    (RECURSION, NEVER),
    (RECURSION, Property((Pattern(None, (point_class(Layout(RECURSION).points), None, None)),))),
]


@pytest.mark.parametrize("number", range(len(ASKED)))
def test_certificates_survive_a_file(tmp_path: Path, number: int) -> None:
    meant, asked = ASKED[number]
    meaning, system, tables = made(meant, asked)
    for certificate in (
        cut_states(system, system.groups, 1),
        cut_states(system, singles(system), 2),
        cut_states(system, system.groups, 1, flags=False),
    ):
        path = tmp_path / "evidence.json"
        write_program_evidence(path, meant, asked, tables, certificate)
        said, read_tables, read = read_program_evidence(path, meant)
        assert [pattern.tops for pattern in said.patterns] == [p.tops for p in asked.patterns]
        assert said.deadlock == asked.deadlock
        assert isinstance(read, Certificate)
        assert len(read.states) == len(certificate.states)
        check_program(meant, meaning, said, read_tables, read)
        again = tmp_path / "again.json"
        write_program_evidence(again, meant, said, read_tables, read)
        assert json.loads(again.read_text()) == json.loads(path.read_text())


def test_traces_survive_a_file_in_names(tmp_path: Path) -> None:
    asked = at(RECURSION, 0, "main:1!")
    tables, trace = trace_to(RECURSION, asked)
    path = tmp_path / "trace.json"
    write_program_evidence(path, RECURSION, asked, tables, trace)
    document = json.loads(path.read_text())
    assert document["threads"] == ["main", "w.1", "w.2"]
    assert document["property"]["patterns"] == [{"shared": None, "tops": ["main:1!", None, None]}]
    assert document["initial"] == {
        "shared": "busy=0 done=-",
        "stacks": [["main:0"], ["waiting"], ["waiting"]],
    }
    assert document["steps"][1]["rule"] == {
        "source": "busy=0 done=- created_w=1 w_gets_k=2",
        "top": "main:1",
        "target": "busy=0 done=0 halted=1 created_w=1 w_gets_k=2",
        "word": ["main:1!"],
    }
    said, read_tables, read = read_program_evidence(path, RECURSION)
    assert said == asked
    check_program(RECURSION, meaning_for(RECURSION, said), said, read_tables, read)


def test_a_pattern_may_name_a_shared_state_and_the_empty_stack(tmp_path: Path) -> None:
    one = main(step(0, None, assign(BUSY, 1)), shared=(BUSY,))
    _, system, tables = made(one)
    asked = Property((Pattern(1, (EPSILON,)),))
    path = tmp_path / "trace.json"
    write_program_evidence(path, one, asked, tables, run(system, (0, 0)))
    assert json.loads(path.read_text())["property"]["patterns"] == [
        {"shared": "busy=1", "tops": ["-"]}
    ]
    said, read_tables, read = read_program_evidence(path, one)
    check_program(one, meaning_for(one, said), said, read_tables, read)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("busy=0 done=-", "busy=2 done=-", ["initial.shared", "busy cannot be '2'"]),
        ("busy=0 done=-", "done=-", ["initial.shared", "does not say what busy is"]),
        ('"main:0"', '"main:7"', ["stacks", "no place 'main:7'"]),
        ('"waiting"', '"waiting(k=1)"', ["stacks", "'k' is not a variable there"]),
        ('"tops": ["main:1!"', '"tops": ["main:9!"', ["tops", "no place 'main:9!'"]),
        ('"tops": ["main:1!"', '"tops": [7', ["tops", "7 instead of a string"]),
        ('"w.2"]', '"w.3"]', ["threads", "not those of the system sample"]),
        ('"thread": "main"', '"thread": "nobody"', ["thread", "'nobody' is not a name"]),
        ("busy=0 done=-", "x" * 9999, ["initial.shared"]),
    ],
)
def test_a_name_that_stands_for_nothing_is_an_input_error(
    tmp_path: Path, old: str, new: str, words: list[str]
) -> None:
    asked = at(RECURSION, 0, "main:1!")
    tables, trace = trace_to(RECURSION, asked)
    path = tmp_path / "trace.json"
    write_program_evidence(path, RECURSION, asked, tables, trace)
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(InputError) as caught:
        read_program_evidence(path, RECURSION)
    for word in words:
        assert word in str(caught.value)
    assert len(str(caught.value)) < 1000


def test_a_changed_file_is_an_error_of_the_input_or_of_the_evidence(tmp_path: Path) -> None:
    asked = at(RECURSION, 0, "main:1!")
    tables, trace = trace_to(RECURSION, asked)
    _, system, all_tables = made(RECURSION)
    certificate = cut_states(system, system.groups, 1)
    rng = Random(5)
    path = tmp_path / "changed.json"
    for table, evidence in ((tables, trace), (all_tables, certificate)):
        write_program_evidence(path, RECURSION, asked, table, evidence)
        text = path.read_text()
        for _ in range(300):
            place, length = rng.randrange(len(text)), rng.randrange(4)
            junk = "".join(rng.choice('01=-:!(){}[]",. abmw\\') for _ in range(rng.randrange(4)))
            path.write_text(text[:place] + junk + text[place + length :])
            try:
                said, read_tables, read = read_program_evidence(path, RECURSION)
                check_program(RECURSION, meaning_for(RECURSION, said), said, read_tables, read)
            except (InputError, EvidenceError):
                pass


# Random programs


@pytest.mark.fuzz
def test_random_programs_have_certificates_exactly_where_nothing_bad_is_reachable(
    fuzz_systems: int,
) -> None:
    for seed in range(5_000_000, 5_000_000 + fuzz_systems // 40):
        meant, findings = random_case(Random(seed))
        violations = [
            Pattern(None, tuple(tops))
            for number in range(len(Layout(meant).assertions))
            for thread in range(sum(kind.count for kind in meant.threads))
            for tops in [[None] * sum(kind.count for kind in meant.threads)]
            if not tops.__setitem__(thread, point_class(Layout(meant).violation(number)))  # type: ignore[call-overload,func-returns-value]
        ]
        asked = Property(tuple(violations))
        meaning = meaning_for(meant, asked)
        system, tables = everything(meaning)
        if sum(len(template.rules) for template in system.templates) > 2000:
            continue
        certificate = cut_states(system, system.groups, 2)
        if len(certificate.states) > 1500:
            continue
        try:
            check_program(meant, meaning, asked, tables, certificate)
            assert findings.first("unsafe") is None, seed
        except EvidenceError as error:
            assert "bad" in str(error), seed
