"""Atomic sections in the reference semantics: what is one step, what it passes, how it went."""

from __future__ import annotations

from dataclasses import replace

from support.samples.handmade_programs import (
    assign,
    equal,
    local,
    main,
    procedure,
    program,
    rules,
    state,
    step,
    variable,
)
from support.samples.section_programs import CALLS, RECURSIVE, VIOLATION, N, U, X, Y
from tepui.program.expressions import ANY, FALSE, TRUE, Binary, Constant, Read, Unary
from tepui.program.layout import Layout
from tepui.program.program import Assert, Call, Create, End, Program, Receive, Return, Step, Thread
from tepui.program.semantics.meaning import Meaning
from tepui.program.semantics.sections import points_inside
from tepui.program.state_names import parse_point, point_text
from tepui.program.types import BOOLEAN


def points(meant: Program, *names: str) -> set[int]:
    return {parse_point(Layout(meant), name) for name in names}


def covered(meant: Program, source: str) -> set[str]:
    meaning = Meaning(meant)
    found = meaning.covered(0, *state(meaning.layout, source))
    return {point_text(meaning.layout, point) for point in found}


# What is one step


def test_a_step_goes_on_until_it_rests_where_nothing_is_atomic() -> None:
    one = main(
        step(0, 1, assign(X, 1)),
        step(1, 2, assign(Y, Read(X))),
        step(2, 3),
        step(2, None, assign(X, 0)),
        shared=(X, Y),
        atomic={1, 2},
    )
    assert rules(one, "x=0 y=0 | main:0") == {"x=1 y=1 | main:3", "x=0 y=1 | -"}


def test_a_path_that_blocks_inside_does_not_exist() -> None:
    one = main(
        Step(0, 1, Read(U)), step(0, 2), Step(1, 3, FALSE), step(2, 3), shared=(U,), atomic={1, 2}
    )
    assert rules(one, "u=- | main:0") == {"u=- | main:3"}
    assert rules(main(step(0, 1), atomic={1}), "() | main:0") == set()


def test_a_path_that_never_leaves_does_not_exist_but_one_that_leaves_a_loop_does() -> None:
    more = Binary("+", Read(N), Constant(1))
    forever = main(
        step(0, 1), step(1, 1, assign(X, Unary("not", Read(X)))), shared=(X,), atomic={1}
    )
    assert rules(forever, "x=0 | main:0") == set()
    counting = main(
        step(0, 1), step(1, 1, assign(N, more)), Step(1, 2, equal(N, 4)), shared=(N,), atomic={1}
    )
    assert rules(counting, "n=2 | main:0") == {"n=4 | main:2"}


def test_decisions_inside_are_made_one_after_the_other() -> None:
    one = main(
        step(0, 1, assign(X, ANY)),
        Step(1, 2, Read(U)),
        Step(2, 3, Read(X)),
        shared=(X, U),
        atomic={1, 2},
    )
    assert rules(one, "x=0 u=- | main:0") == {"x=1 u=1 | main:3"}


def test_a_section_may_create_end_and_return_results() -> None:
    one = program(
        procedure(
            "main",
            Call(0, 1, "f"),
            Receive(1, 2, (None,)),
            step(2, 3),
            Create(3, 4, (1,)),
            End(4),
            atomic={3, 4},
        ),
        procedure("f", step(0, 1), Return(1, (TRUE,)), results=(BOOLEAN,), atomic={1}),
        procedure("w", step(0, 0)),
        threads=(Thread("main", "main"), Thread("w", "w", created=True)),
    )
    assert rules(one, "() | main:2") == {"created_w=1 | -"}
    assert rules(one, "() | f:0") == {"full=1 result_0=1 | -"}


def test_a_receipt_may_open_a_section() -> None:
    one = program(
        procedure("main", Call(0, 1, "f"), Receive(1, 2, (X,)), Step(2, 3, Read(X)), atomic={2}),
        procedure("f", Return(0, (ANY,)), results=(BOOLEAN,)),
        shared=(X,),
    )
    assert rules(one, "x=0 full=1 result_0=1 | main:1") == {"x=1 | main:3"}
    assert rules(one, "x=0 full=1 | main:1") == set()


def test_the_lock_is_looked_at_before_and_after_a_section_only() -> None:
    lock = variable("lock")
    one = program(
        procedure(
            "main",
            step(0, 1, assign(lock, 1)),
            step(1, 2, assign(lock, 0)),
            step(1, 3),
            Assert(1, 3, FALSE),
            atomic={1},
        ),
        procedure("other", step(0, 1), step(1, 2), atomic={1}),
        shared=(lock,),
        threads=(Thread("main", "main"), Thread("other", "other")),
        lock=lock,
    )
    assert rules(one, "lock=0 | main:0", probes=points(one, "main:1")) == {
        "lock=0 | main:2",
        "lock=1 holder=1 | main:3",
        "lock=1 halted=1 holder=1 | main:1!",
        "lock=1 halted=1 holder=1 | main:1",
    }
    assert rules(one, "lock=- | other:0", thread=1) == {"lock=0 | other:2"}


# Calls inside


def test_a_call_with_an_atomic_target_is_run_to_its_return_inside() -> None:
    assert rules(CALLS, "x=1 y=0 | main:0") == {"x=0 y=1 | main:4"}
    assert rules(CALLS, "x=0 y=1 | main:0") == {"x=0 y=0 | main:4"}


def test_the_same_procedures_called_outside_are_run_step_by_step() -> None:
    assert rules(CALLS, "x=1 y=0 | f:0(p=1)") == {"x=1 y=0 | g:0 / f:1(p=1)"}
    assert rules(CALLS, "x=1 y=0 | f:1(p=1)") == {"x=1 y=0 full=1 result_0=1 | -"}


def test_a_call_from_outside_with_an_atomic_target_is_a_section() -> None:
    one = program(
        procedure("main", Call(0, 1, "g"), step(1, 2, assign(Y, 1)), atomic={1}),
        procedure("g", step(0, 1, assign(X, 1)), step(1, None)),
        shared=(X, Y),
    )
    assert rules(one, "x=0 y=0 | main:0") == {"x=1 y=1 | main:2"}


def test_a_call_whose_target_is_not_atomic_ends_the_section() -> None:
    one = program(
        procedure("main", step(0, 1, assign(X, 1)), Call(1, 2, "g"), Return(2), atomic={1}),
        procedure("g", step(0, None, assign(X, 0))),
        shared=(X,),
    )
    assert rules(one, "x=0 | main:0") == {"x=1 | g:0 / main:2"}


def test_sections_of_a_callee_do_not_matter_inside() -> None:
    one = program(
        procedure("main", Call(0, 1, "f"), step(1, 2), atomic={1}),
        procedure(
            "f",
            step(0, 1),
            step(1, 2, assign(X, 1)),
            step(2, 3),
            Call(3, 4, "g"),
            Return(4),
            atomic={1},
        ),
        procedure("g", step(0, 1, assign(Y, 1)), Return(1), atomic={1}),
        shared=(X, Y),
    )
    assert rules(one, "x=0 y=0 | main:0") == {"x=1 y=1 | main:2"}


def test_a_call_inside_that_blocks_or_never_returns_leaves_no_path() -> None:
    for edge in (Step(0, 1, FALSE), step(0, 0), Call(0, 1, "f")):
        one = program(
            procedure("main", Call(0, 1, "f"), step(1, 2), step(0, 3), atomic={1}),
            procedure("f", edge, Return(1)),
        )
        assert rules(one, "() | main:0") == {"() | main:3"}


def test_recursion_inside_ends() -> None:
    assert rules(RECURSIVE, "n=0 x=0 | main:0") == {"n=0 x=0 | main:2"}
    assert rules(RECURSIVE, "n=3 x=0 | main:0") == {"n=0 x=1 | main:2"}
    assert rules(RECURSIVE, "n=2 x=0 | main:0") == {"n=0 x=0 | main:2"}
    endless = program(
        procedure("main", Call(0, 1, "f"), step(1, 2), atomic={1}),
        procedure("f", Call(0, 1, "f"), step(0, None, assign(X, 1)), step(1, 0), step(1, None)),
        shared=(X,),
    )
    assert rules(endless, "x=0 | main:0") == {"x=1 | main:2"}


def test_the_caller_keeps_its_variables_over_a_call_inside() -> None:
    kept = local("k", initial=None)
    one = program(
        procedure(
            "main",
            Call(0, 1, "g"),
            Step(1, 2, Read(kept)),
            Step(2, 2, Read(kept)),
            variables=(kept,),
            atomic={1},
        ),
        procedure("g", step(0, None)),
    )
    assert rules(one, "() | main:0(k=1)") == {"() | main:2(k=1)"}
    assert rules(one, "() | main:0(k=0)") == set()
    assert rules(one, "() | main:0(k=-)") == {"() | main:2(k=1)"}


def test_each_caller_goes_on_from_its_own_call() -> None:
    one = program(
        procedure(
            "main", Call(0, 1, "g"), Call(0, 2, "g"), step(1, 3), Step(2, 4, Read(X)), atomic={1, 2}
        ),
        procedure("g", step(0, None, assign(X, ANY))),
        shared=(X,),
    )
    assert rules(one, "x=0 | main:0") == {"x=- | main:3", "x=1 | main:4"}


def test_a_call_that_was_run_before_is_known_to_later_callers() -> None:
    one = program(
        procedure("main", Call(0, 1, "g"), Call(1, 2, "g"), Call(2, 3, "g"), step(3, 4),
                  atomic={1, 2, 3}),
        procedure("g", step(0, 1), step(1, None)),
    )  # fmt: skip
    assert rules(one, "() | main:0") == {"() | main:4"}


# Violations inside


def test_a_violation_inside_halts_at_once_even_if_nothing_else_completes() -> None:
    assert rules(VIOLATION, "x=0 u=- | main:0") == {"x=1 u=0 halted=1 | f:0!"}
    assert rules(VIOLATION, "x=0 u=1 | main:0") == set()


def test_a_violation_of_the_root_in_a_section_takes_the_place_of_its_frame() -> None:
    one = main(step(0, 1), Assert(1, 2, Read(U)), shared=(U,), atomic={1})
    assert rules(one, "u=- | main:0") == {"u=1 | main:2", "u=0 halted=1 | main:1!"}


# What is probes and covered


BRANCHES = main(
    step(0, 1, assign(X, ANY)),
    step(1, 2, assign(X, Read(X))),
    Step(2, 3, Read(X)),
    Step(2, 4, Unary("not", Read(X))),
    step(3, 5),
    Step(4, 5, FALSE),
    shared=(X,),
    atomic={1, 2, 3, 4},
)


def test_a_watched_location_halts_the_program_with_the_shared_state_of_that_moment() -> None:
    probes = points(BRANCHES, "main:1", "main:2", "main:4", "main:0", "main:5")
    assert rules(BRANCHES, "x=0 | main:0", probes=probes) == {
        "x=1 | main:5",
        "x=- halted=1 | main:1",
        "x=1 halted=1 | main:2",
    }


def test_only_complete_paths_cover() -> None:
    assert covered(BRANCHES, "x=0 | main:0") == {"main:1", "main:2", "main:3"}
    assert covered(BRANCHES, "x=0 | main:5") == set()


def test_a_watched_location_is_seen_without_local_values() -> None:
    a = local("a")
    one = main(step(0, 1, assign(a, 1)), Step(1, 2, Read(a)), variables=(a,), atomic={1})
    assert rules(one, "() | main:0(a=0)", probes=points(one, "main:1")) == {
        "() | main:2(a=-)",
        "halted=1 | main:1(a=-)",
    }


def test_watched_frames_stay_in_a_halted_program_and_others_do_not() -> None:
    probes = points(BRANCHES, "main:1")
    assert rules(BRANCHES, "x=1 halted=1 | main:1", probes=probes) == {"x=1 halted=1 | main:1"}
    assert rules(BRANCHES, "x=1 halted=1 | main:2", probes=probes) == set()
    assert rules(BRANCHES, "x=1 halted=1 | main:0", probes=probes) == set()


def test_locations_of_calls_inside_are_watched_and_covered_at_any_depth() -> None:
    probes = points(CALLS, "g:0", "g:1")
    assert rules(CALLS, "x=1 y=0 | main:0", probes=probes) == {
        "x=0 y=1 | main:4",
        "x=1 y=0 halted=1 | g:0",
        "x=0 y=0 halted=1 | g:1",
    }
    assert "x=1 y=0 halted=1 | main:1" in rules(
        CALLS, "x=1 y=0 | main:0", probes=points(CALLS, "main:1")
    )
    inside = {"main:1", "main:2", "main:3", "f:0", "f:1", "g:0", "g:1"}
    assert covered(CALLS, "x=1 y=0 | main:0") == inside
    assert covered(CALLS, "x=1 y=0 | f:0(p=1)") == set()


def test_a_call_inside_covers_only_on_behalf_of_callers_that_complete() -> None:
    x = Read(X)
    one = program(
        procedure(
            "main",
            step(0, 1, assign(X, 1)),
            step(0, 2, assign(X, 0)),
            Call(1, 3, "f"),
            Call(2, 4, "f"),
            Step(3, 5, FALSE),
            step(4, 5),
            atomic={1, 2, 3, 4},
        ),
        procedure(
            "f", Step(0, 1, x), Step(0, 2, Unary("not", x)), step(1, 3), step(2, 3), Return(3)
        ),
        shared=(X,),
    )
    assert covered(one, "x=0 | main:0") == {"main:2", "main:4", "f:0", "f:2", "f:3"}
    assert rules(one, "x=1 | main:0", probes=points(one, "f:0", "f:1")) == {
        "x=0 | main:5",
        "x=0 halted=1 | f:0",
    }


def test_what_leads_to_a_violation_inside_is_covered() -> None:
    assert covered(VIOLATION, "x=0 u=0 | main:0") == {"main:1", "f:0"}
    assert covered(VIOLATION, "x=0 u=1 | main:0") == set()


def test_the_points_inside_are_the_atomic_ones_and_all_that_sections_call() -> None:
    names = {point_text(Layout(CALLS), point) for point in points_inside(CALLS)}
    assert names == {"main:1", "main:2", "main:3", "f:0", "f:1", "g:0", "g:1"}
    one = program(
        procedure("main", step(0, 1), Call(1, 2, "f"), Return(2), atomic={1}),
        procedure("f", Call(0, 1, "g"), Return(1)),
        procedure("g", Call(0, 1, "h"), Return(1)),
        procedure("h", Return(0)),
    )
    assert points_inside(one) == points(one, "main:1")
    atomic = replace(one, procedures=(procedure("main", Call(0, 1, "f"), atomic={1}),
                                      *one.procedures[1:]))  # fmt: skip
    assert points_inside(atomic) == points(atomic, "main:1", "f:0", "f:1", "g:0", "g:1", "h:0")
