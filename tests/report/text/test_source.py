"""Traces of programs in the words of their source."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from random import Random

import pytest

from support.generators.programs import random_program
from support.samples.program_texts import (
    CREATING,
    RACE,
    STUCK,
    calls,
    changes,
    program_of,
    told,
    verified,
    way_to,
)
from tepui.deciding import Options, verify
from tepui.kernels.lowered_system import LoweredSystem, lower
from tepui.kernels.program_fields import LoweringOptions
from tepui.limits import Limits
from tepui.program.program import Call, End, Location, Procedure, Program, Return, Thread
from tepui.program.questions import deadlock, own_questions, unreachable
from tepui.subject.story import ProgramStory, StatementStep


def test_a_trace_names_threads_places_and_statements() -> None:
    trace = told(verified(program_of(RACE)))
    first, second = trace.contexts
    assert [context.thread for context in trace.contexts] == ["work.2", "work.1"]
    assert [(step.position.line, step.procedure, step.statement) for step in first.steps][:5] == [
        (14, "work", "enter()"),
        (5, "enter", "atomic { … }"),
        (5, "enter", "wait(free)"),
        (5, "enter", "free := 0"),
        (15, "work", "mine := next(x)"),
    ]
    assert {step.position.file for step in second.steps} == {"test.bp"}
    assert (second.steps[-1].statement, second.steps[-1].action) == ("assert(x)", "violation")


def test_a_trace_starts_with_all_global_variables() -> None:
    program = program_of("decl a := 1, b; void main() { L: skip; }")
    start = told(verified(program, [unreachable(program, "L")])).start
    assert [(change.name, change.after) for change in start] == [("a", "1"), ("b", None)]


def test_a_place_where_a_thread_starts_is_reached_without_a_step() -> None:
    assert way_to("void main() { L: skip; }", "L") == []


def test_global_and_local_variables_are_shown_where_they_change() -> None:
    steps = way_to("decl g := 0; void main() { decl l := 0; l := !l; g := l; L: g := !l; }", "L")
    assert [changes(step) for step in steps] == [{"l": ("0", "1")}, {"g": ("0", "1")}]


def test_values_are_shown_as_their_type_has_them() -> None:
    steps = way_to(
        "decl s: enum {red, green} := red; decl n: int -2..2 := 0;"
        "void main() { s := green; n := n - 1; L: skip; }",
        "L",
    )
    assert [changes(step) for step in steps] == [{"s": ("red", "green")}, {"n": ("0", "-1")}]


def test_elements_of_arrays_change_by_themselves() -> None:
    steps = way_to("decl a: bool[3] := 0; void main() { a[1] := 1; L: skip; }", "L")
    assert [changes(step) for step in steps] == [{"a[1]": ("0", "1")}]


def test_a_variable_that_may_have_any_value_gets_one_where_it_is_read() -> None:
    steps = way_to("decl g := 0; void main() { g := *; assume(g); L: skip; }", "L")
    assert [changes(step) for step in steps] == [{"g": ("0", None)}, {"g": (None, "1")}]


def test_a_local_variable_that_is_assigned_any_value_loses_the_one_it_had() -> None:
    text = "void main() { decl l := 0, m := 1; l, m := *, l; L: assume(l && m); }"
    (step,) = way_to(text, "L")
    assert changes(step) == {"l": ("0", None), "m": (None, "0")}


def test_a_value_that_no_longer_matters_is_not_shown_to_change() -> None:
    steps = way_to("decl g := 0; void main() { decl l := 1; g := l; L: skip; }", "L")
    assert [changes(step) for step in steps] == [{"g": ("0", "1")}]


def test_a_local_variable_that_hides_a_global_one_is_told_apart() -> None:
    text = "decl v := 0; void main() { f(1); } void f(v) { v := !v; L: assert(v); }"
    call, step = way_to(text, "L")
    assert changes(call) == {"f.v": (None, "1")}
    assert changes(step) == {"f.v": ("1", "0")}


def test_a_call_shows_the_parameters_and_its_result_comes_back() -> None:
    text = """\
decl g := 0;
bool f(a, b) { return a && b; }
void main() {
    decl r;
    r := f(1, 1);
L:  g := r;
}
"""
    call, back, result = way_to(text, "L")
    assert (call.action, call.statement) == ("call", "r := f(1, 1)")
    assert changes(call) == {"a": (None, "1"), "b": (None, "1")}
    assert (back.action, back.statement, changes(back)) == ("return", "return a && b", {})
    assert (result.action, result.statement) == ("result", "r := f(1, 1)")
    assert changes(result) == {"r": (None, "1")}


def test_a_stack_names_the_line_of_each_call() -> None:
    text = """\
void inner() {
L:  skip;
    M: skip;
}
void outer() {
    inner();
}
void main() {
    outer();

    skip;
}
"""
    stacks = [calls(step) for step in way_to(text, "M")]
    assert stacks == [
        ("main:9",),
        ("outer:6", "main:9"),
        ("inner:2", "outer:6", "main:9"),
    ]


def test_a_stack_shrinks_when_a_procedure_returns() -> None:
    text = "void f() { skip; }\nvoid main() {\n  f();\n  f();\n  L: skip; }"
    stacks = [calls(step) for step in way_to(text, "L")]
    assert stacks == [("main:3",), ("f:1", "main:3"), ("main:4",), ("f:1", "main:4")]


def test_a_tail_call_returns_together_with_its_caller() -> None:
    text = "void g() { skip; }\nvoid f() {\n g(); }\nvoid main() {\n f();\n f();\n L: skip; }"
    steps = way_to(text, "L")
    assert [step.statement for step in steps] == ["f()", "g()", "skip"] * 2
    assert [calls(step) for step in steps] == [
        *(("main:5",), ("f:3", "main:5"), ("g:1", "f:3", "main:5")),
        *(("main:6",), ("f:3", "main:6"), ("g:1", "f:3", "main:6")),
    ]


def test_a_last_call_inside_an_atomic_section_comes_back_to_the_end_of_its_caller() -> None:
    text = (
        "void g() { skip; }\nvoid f() {\n g(); }\n"
        "void main() {\n atomic {\n f();\n skip; }\n L: skip; }"
    )
    steps = way_to(text, "L")
    words = ["atomic { … }", "f()", "g()", "skip", "end of f", "skip"]
    assert [step.statement for step in steps] == words
    assert [calls(step) for step in steps][3:] == [
        *(("g:1", "f:3", "main:6"), ("f:3", "main:6"), ("main:7",))
    ]


def test_an_atomic_section_shows_what_happens_inside() -> None:
    text = """\
decl g := 0;
bool flip(a) { return !a; }
void main() {
    decl l := 0;
    atomic {
        l := flip(l);
        g := l;
    }
L:  skip;
}
"""
    steps = way_to(text, "L")
    assert [(step.statement, step.inside_atomic) for step in steps] == [
        ("atomic { … }", False),
        ("l := flip(l)", True),
        ("return !a", True),
        ("l := flip(l)", True),
        ("g := l", True),
    ]
    assert [changes(step) for step in steps] == [
        {},
        {"a": (None, "0")},
        {},
        {"l": ("0", "1")},
        {"g": ("0", "1")},
    ]
    assert calls(steps[2]) == ("flip:2", "main:6")
    assert calls(steps[4]) == ("main:7",)


def test_a_way_to_a_place_inside_an_atomic_section_ends_there() -> None:
    text = "decl g := 0; void main() { atomic { g := 1; L: g := 0; } skip; }"
    steps = way_to(text, "L")
    assert [step.statement for step in steps] == ["atomic { … }", "g := 1"]
    assert changes(steps[1]) == {"g": ("0", "1")}


def test_a_created_thread_starts_with_what_it_is_given() -> None:
    trace = told(verified(program_of(CREATING)))
    child = trace.contexts[1]
    assert (child.thread, child.steps[0].action) == ("child", "start")
    assert calls(child.steps[0]) == ("child:3",)
    assert changes(child.steps[0]) == {"given": (None, "1")}
    assert [rest.statement for rest in trace.resting] == ["over", "assert(!mine)"]


def test_a_deadlock_says_where_every_thread_is() -> None:
    trace = told(verified(program_of(STUCK), [deadlock()]))
    assert [(rest.thread, rest.position and rest.position.line) for rest in trace.resting] == [
        ("first", None),
        ("second", 7),
    ]


def test_threads_that_were_not_created_are_nowhere() -> None:
    program = program_of("decl g := 0; " + CREATING.replace("chosen := *", "wait(g)"))
    rest = told(verified(program, [deadlock()])).resting
    assert [(one.thread, one.position is None, one.statement) for one in rest] == [
        ("main", False, "wait(g)"),
        ("child", True, "not created yet"),
    ]


def test_variables_that_are_decided_first_are_chosen_in_steps_of_their_own() -> None:
    """Those who watch may have it so (`tepui.watch`)."""
    program = program_of("decl g; void main() { wait(g); M: skip; }")
    options = LoweringOptions(decide_first=True)
    system = lower(program, options, unreachable(program, "M").bad)
    trace = told(verify(system, options=Options(check=False)))
    chosen, _ = trace.contexts[0].steps
    assert (chosen.action, changes(chosen)) == ("choice", {"g": (None, "1")})


@pytest.mark.fuzz
def test_the_changes_of_a_trace_lead_from_its_start_to_its_end(fuzz_systems: int) -> None:
    """On random programs, every step is described exactly once."""
    found = 0
    limits = Limits(timeout=5, max_contexts=6)
    for seed in range(fuzz_systems // 4):
        program = random_program(Random(seed))
        if not own_questions(program):
            continue
        result = verified(program, options=Options(limits=limits, check=False))
        if result.trace is None:
            continue
        trace = told(result)
        assert len(trace.contexts) == result.bound
        system = result.trace.subject.system
        assert isinstance(system, LoweredSystem)
        cells = system.layout.shared_cells[: len(trace.start)]
        end = system.shared_values()[result.trace.steps[-1].shared]
        expected = {
            cell.name: cell.type.text(value) if isinstance(value, int) else None
            for cell, value in zip(cells, end, strict=False)
        }
        assert _replayed(trace) == expected
        found += 1
    assert found > fuzz_systems // 40


def _replayed(trace: ProgramStory) -> dict[str, str | None]:
    values = {change.name: change.after for change in trace.start}
    for context in trace.contexts:
        assert context.steps
        for step in context.steps:
            for change in step.changes:
                if change.name in values:
                    assert values[change.name] == change.before
                    values[change.name] = change.after
    return values


@pytest.mark.fuzz
def test_the_statements_of_a_trace_follow_the_control_flow(fuzz_systems: int) -> None:
    """On random programs whose statements all have texts of their own."""
    found: Counter[str] = Counter()
    limits = Limits(timeout=5, max_contexts=6)
    for seed in range(fuzz_systems // 2):
        program = _with_texts(random_program(Random(seed)))
        if not own_questions(program):
            continue
        result = verified(program, options=Options(limits=limits, check=False))
        if result.trace is None:
            continue
        walkers: dict[str, _Walker] = {}
        for context in told(result).contexts:
            walker = walkers.setdefault(context.thread, _Walker(program, context.thread))
            for step in context.steps:
                walker.follow(step)
                found[step.action] += 1
                found["call inside"] += step.inside_atomic and step.action == "call"
                found["after a call inside"] += walker.has_called_inside and step.inside_atomic
    wanted = ("step", "call", "return", "result", "violation", "start")
    assert all(found[action] for action in (*wanted, "call inside", "after a call inside")), found


Place = tuple[Procedure, int]


class _Walker:
    """The calls in which a thread can be, known from control flow and the texts of its
    statements."""

    def __init__(self, program: Program, thread: str) -> None:
        self.program = program
        (kind,) = (kind for kind in program.threads if thread in _names(kind))
        procedure = program.procedure_of(kind)
        start = procedure.entry if kind.start is None else kind.start
        self.possible: list[tuple[Place, ...]] = [((procedure, start),)]
        """The outermost call first."""
        self.has_called_inside = False

    def follow(self, step: StatementStep) -> None:
        """The statement is one that the thread can be at; go where it can lead."""
        if step.action in ("start", "choice"):
            return
        here = [
            calls
            for calls in self.possible
            if _text_at(calls[-1]) == step.statement and _procedures(calls) == _told(step)
        ]
        assert here, (step, self.possible)
        self.possible = [after for calls in here for after in self._after(calls, step.action)]
        self.has_called_inside |= step.inside_atomic and step.action == "call"

    def _after(self, calls: tuple[Place, ...], action: str) -> Iterator[tuple[Place, ...]]:
        *outer, (procedure, number) = calls
        for edge in procedure.leaving[number]:
            if isinstance(edge, Call):
                callee = self.program.by_name[edge.procedure]
                if action == "call":
                    yield (*outer, (procedure, edge.target), (callee, callee.entry))
            elif action == "return":
                if isinstance(edge, Return | End) or edge.target is None:
                    yield tuple(outer)
                    while outer and not _text_at(outer[-1]).startswith("at "):
                        outer.pop()  # It may have been left by a tail call.
                        yield tuple(outer)
            elif not isinstance(edge, Return | End) and edge.target is not None:
                yield (*outer, (procedure, edge.target))


def _names(kind: Thread) -> list[str]:
    numbers = range(1, kind.size + 1)
    return [kind.name] if kind.size == 1 else [f"{kind.name}.{number}" for number in numbers]


def _text_at(place: Place) -> str:
    procedure, number = place
    return procedure.locations[number].text or f"end of {procedure.name}"


def _procedures(calls: tuple[Place, ...]) -> list[str]:
    return [procedure.name for procedure, _ in reversed(calls)]


def _told(step: StatementStep) -> list[str]:
    return [activation.procedure for activation in step.stack]


def _with_texts(program: Program) -> Program:
    """The program with a text for every statement, but none for the mere end of a procedure."""

    def named(procedure: Procedure, number: int, location: Location) -> Location:
        if procedure.leaving[number] == (Return(number),):
            return replace(location, text="", labels=())
        return replace(location, text=f"at {procedure.name} {number}")

    procedures = tuple(
        replace(
            procedure,
            locations=tuple(
                named(procedure, number, location)
                for number, location in enumerate(procedure.locations)
            ),
        )
        for procedure in program.procedures
    )
    return replace(program, procedures=procedures)
