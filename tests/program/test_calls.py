"""The call graph of a program, and what its layout says about calls."""

from __future__ import annotations

from dataclasses import replace

from support.samples.handmade_programs import procedure, program, step
from tepui.program.calls import called_by, procedures_run_by, with_all_called
from tepui.program.program import Call, End, Location, Program, Return, Thread

MAIN, F, G, H, ALONE = range(5)
CALLS = program(
    procedure("main", Call(0, 1, "g"), step(1, 1)),
    procedure("f", Return(0)),
    procedure("g", Call(0, 1, "h"), Call(0, 2, "g"), Return(1), Return(2)),
    procedure("h", Call(0, 1, "f"), Call(0, 1, "g"), Return(1)),
    procedure("alone", End(0)),
    threads=(Thread("main", "main"), Thread("a", "alone"), Thread("h", "h")),
)


def test_the_called_procedures_are_those_that_some_call_names() -> None:
    edges = [edge for each in CALLS.procedures for edge in each.edges]
    assert called_by(edges) == {"f", "g", "h"}
    assert called_by(CALLS.procedures[G].edges) == {"g", "h"}
    assert called_by([]) == frozenset()


def test_a_thread_runs_its_procedure_and_all_that_are_called_from_it() -> None:
    assert procedures_run_by(CALLS, 0) == [MAIN, F, G, H]
    assert procedures_run_by(CALLS, 1) == [ALONE]
    assert procedures_run_by(CALLS, 2) == [F, G, H]


def test_calls_are_followed_from_all_starts_and_to_their_ends() -> None:
    assert with_all_called(CALLS, [ALONE, F]) == [F, ALONE]
    assert with_all_called(CALLS, [ALONE, G]) == [F, G, H, ALONE]
    assert with_all_called(CALLS, []) == []


def test_calls_that_do_not_count_are_not_followed() -> None:
    asked = []

    def follow(caller: int, call: Call) -> bool:
        asked.append((caller, call.procedure))
        return call.procedure != "f"

    assert with_all_called(CALLS, [MAIN], follow) == [MAIN, G, H]
    assert sorted(asked) == [(MAIN, "g"), (G, "g"), (G, "h"), (H, "f"), (H, "g")]


def test_a_call_that_leads_to_the_mere_end_of_its_caller_is_a_tail_call() -> None:
    bare = with_bare_location(CALLS, G, 2)
    to_h, to_g = CALLS.procedures[G].edges[:2]
    assert isinstance(to_h, Call)
    assert isinstance(to_g, Call)
    layout = bare.layout
    assert layout.is_tail_call(G, to_g)
    assert not layout.is_tail_call(G, to_h)
    assert not CALLS.layout.is_tail_call(G, to_g)
    assert with_all_called(bare, [G], layout.is_tail_call) == [G]


def with_bare_location(meant: Program, index: int, number: int) -> Program:
    """The program with a location that stands for no statement."""
    changed = meant.procedures[index]
    locations = list(changed.locations)
    locations[number] = Location(locations[number].position)
    procedures = list(meant.procedures)
    procedures[index] = replace(changed, locations=tuple(locations))
    return replace(meant, procedures=tuple(procedures))
