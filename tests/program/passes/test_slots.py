"""Programs with slots: what becomes of forks, joins and the names of threads."""

from __future__ import annotations

from dataclasses import replace

import pytest

from support.samples.handmade_programs import assign, local, procedure, program, step, variable
from support.samples.program_texts import program_of
from tepui.deciding import Options, explore, verify
from tepui.errors import ModelError, UsageError
from tepui.kernels.lowered_system import LoweredSystem, lower
from tepui.program.expressions import ANY, TRUE, Binary, Choice, Constant, Read, Self, Unary
from tepui.program.passes import MOST_SLOTS
from tepui.program.passes.slot_variables import DONE, NOBODY
from tepui.program.passes.slots import Slotted, with_bound, with_slots
from tepui.program.places import places
from tepui.program.program import (
    Assert,
    Call,
    Edge,
    End,
    Fork,
    Join,
    Position,
    Program,
    Receive,
    Return,
    Thread,
)
from tepui.program.questions import assertions, deadlock, lack_of_slots, posed, unreachable
from tepui.program.types import THREAD, Array
from tepui.program.validate import validate

LOOP = """\
decl task := 0;
void work() { task := !task; }
void main() {
    thread t;
    while (1) {
        t := async work();
        join(t);
    }
}
"""

CHAIN = """\
void last() { skip; }
void next(t: thread) { join(t); }
void main() {
    thread t;
    t := async last();
    t := async next(t);
    t := async next(t);
    join(t);
E:  skip;
}
"""


def reaches(program: Slotted, place: str) -> int | None:
    """The number of contexts to a place; None if it is not reached, even if only up to a bound."""
    asked = posed(program, unreachable(program.original, place))
    result = verify(program, asked, Options(check=program.bound is None))
    assert result.checked or program.bound is not None
    return result.bound if result.verdict == "unsafe" else None


def lacks(program: Slotted) -> int | None:
    """How many contexts it takes until no slot is free."""
    result = verify(program, lack_of_slots(program))
    assert result.checked
    return result.bound if result.verdict == "unsafe" else None


def test_a_program_with_slots_is_an_ordinary_program() -> None:
    for slotted in (with_slots(program_of(LOOP), 2), with_bound(program_of(LOOP), 3)):
        validate(slotted)
        assert not slotted.forks
        assert [thread.name for thread in slotted.threads[:3]] == ["main", "#1", "#2"]
        assert slotted.books.names.text(0) == "nobody"


def test_slots_are_counted_from_one_wherever_they_are_named() -> None:
    program = with_slots(program_of(LOOP), 2)
    layout = program.layout
    for slot in (1, 2):
        kind = next(n for n, thread in enumerate(program.threads) if thread.name == f"#{slot}")
        assert program.slot_of(kind) == slot
        assert program.books.names.text(program.books.name(slot).value) == f"#{slot}"
        assert program.slot_named(program.books.name(slot).value) == slot
        assert layout.shared_cells[program.status(slot)].name == f"#{slot}"
        assert slot in {taken.slot for taken in program.taken.values()}
    assert program.slot_named(NOBODY) is None
    assert program.slot_named(DONE) is None


def test_only_what_is_needed_is_remembered() -> None:
    text = "decl x; void f() { x := 1; } void main() { async f(); }"
    assert [variable.name for variable in with_slots(program_of(text), 1).globals] == ["x", "#1"]
    hidden = [variable.name for variable in with_slots(program_of(CHAIN), 1).globals]
    assert hidden == ["#1", "#1:names", "#1:next:t"]
    hidden = [variable.name for variable in with_bound(program_of(CHAIN), 2).globals]
    assert hidden == ["#1", "#1:next:t", "#others"]


def test_a_thread_that_was_joined_makes_room() -> None:
    assert lacks(with_slots(program_of(LOOP), 1)) is None


def test_a_thread_that_nobody_waits_for_makes_room_when_it_has_ended() -> None:
    text = """
    decl x := 0;
    void f() { x := 0; }
    void main() { while (1) { wait(!x); x := 1; async f(); } }
    """
    assert lacks(with_slots(program_of(text), 1)) == 3
    assert lacks(with_slots(program_of(text), 2)) == 5


def test_threads_that_live_at_the_same_time_need_a_slot_each() -> None:
    one, two, three = (with_slots(program_of(CHAIN), slots) for slots in (1, 2, 3))
    assert (lacks(one), lacks(two), lacks(three)) == (1, 1, None)
    assert reaches(three, "E") == 5


def test_a_local_variable_deep_in_a_stack_keeps_its_slot_from_others() -> None:
    text = """
    void f() { skip; }
    void below() { thread u; u := async f(); join(u); }
    void main() { thread t; t := async f(); join(t); AGAIN }
    """
    twice = program_of(text.replace("AGAIN", "below(); join(t);"))
    assert lacks(with_slots(twice, 1)) is None  # By then t is done, and names no slot.
    late = program_of(text.replace("join(t); AGAIN", "below(); join(t);"))
    assert lacks(with_slots(late, 1)) == 1
    assert lacks(with_slots(late, 2)) is None


def test_a_name_that_nobody_will_join_keeps_nothing() -> None:
    text = """
    decl x := 0;
    void f() { x := 0; }
    void main() { thread t, u; while (1) { wait(!x); x := 1; t := async f(); u := t; wait(!x); } }
    """
    # The slot is taken until the thread has made its last step, which comes after x := 0.
    assert lacks(with_slots(program_of(text), 1)) == 3
    ended = text.replace("x := 0; }", "skip; }", 1).replace("u := t; wait(!x);", "join(t); x := 0;")
    assert lacks(with_slots(program_of(ended), 1)) is None


def test_more_names_than_can_be_counted_only_cost_slots() -> None:
    text = """
    void f() { skip; }
    void deep(t: thread) { if (*) { deep(t); } join(t); }
    void main() { thread t; t := async f(); deep(t); D: t := async f(); E: join(t); G: skip; }
    """
    program = program_of(text)
    one, two = with_slots(program, 1), with_slots(program, 2)
    assert lacks(one) is not None
    assert reaches(one, "E") == reaches(two, "E") == 3
    assert reaches(two, "G") == 5
    assert lacks(two) is None


def test_a_global_variable_never_names_a_thread_that_has_ended() -> None:
    text = """
    decl never := 0;
    thread old;
    void quick() { skip; }
    void slow() { assume(never); }
    void main() {
        thread t;
        t := async quick();
        LATER
        t := async slow();
        join(old);
    S:  join(t);
    E:  skip;
    }
    """
    for copied in ("old := t; join(t);", "join(t); old := t;"):
        slotted = with_slots(program_of(text.replace("LATER", copied)), 1)
        assert lacks(slotted) is None
        assert reaches(slotted, "S") == 3
        assert reaches(slotted, "E") is None


def test_a_name_copied_after_the_end_of_its_thread_is_done() -> None:
    text = """
    decl gone := 0, never := 0;
    thread old;
    void quick() { gone := 1; }
    void slow() { assume(never); }
    void main() {
        thread t;
        t := async quick();
        wait(gone);
        old := t;
        t := async slow();
        join(old);
    S:  join(t);
    }
    """
    assert reaches(with_slots(program_of(text), 1), "S") == 3


def test_a_thread_can_be_joined_again() -> None:
    text = """
    thread old;
    void f() { skip; }
    void main() { thread t; t := async f(); old := t; AGAIN E: skip; }
    """
    for again in ("join(t); join(t);", "join(old); t := old; join(t);"):
        program = program_of(text.replace("AGAIN", again))
        assert reaches(with_slots(program, 1), "E") == 3
        assert reaches(with_bound(program, 3), "E") == 3


def test_arguments_are_taken_once_and_forgotten() -> None:
    text = """
    decl sum: int 0..3 := 0;
    void add(n: int 0..3) { sum := sum + n; }
    void main() {
        thread t;
        t := async add(1); join(t);
        t := async add(2); join(t);
        assert(sum = 3);
    }
    """
    program = program_of(text)
    slotted = with_slots(program, 1)
    (question,) = assertions(program)
    assert verify(slotted, [posed(slotted, question), lack_of_slots(slotted)]).verdict == "safe"
    system = explore(slotted).system
    assert isinstance(system, LoweredSystem)
    names = [slot.name for slot in system.layout.shared_cells]
    status, argument = names.index("#1"), names.index("#1:add:n")
    asked = slotted.globals[status].scalar.size - 2
    kept = {(state[status] == asked, state[argument]) for state in system.shared_values()}
    assert kept == {(True, 1), (True, 2), (False, 0)}


def test_results_of_a_forked_procedure_are_lost() -> None:
    text = """
    bool f() { return 1; }
    void main() { thread t; t := async f(); join(t); E: skip; }
    """
    assert reaches(with_slots(program_of(text), 1), "E") == 3
    assert reaches(with_bound(program_of(text), 3), "E") == 3


def test_within_so_many_contexts_some_threads_never_run() -> None:
    text = """
    void f() { skip; }
    void main() { thread t; t := async f(); join(t); E: skip; }
    """
    program = program_of(text)
    assert [reaches(with_bound(program, k), "E") for k in (0, 1, 2)] == [None, None, 3]
    assert [with_bound(program, k).slots for k in (0, 1, 2, 3)] == [0, 0, 1, 2]


def test_a_thread_that_never_runs_is_not_stuck() -> None:
    text = "decl x := 0; void f() { x := 1; } void main() { async f(); join_nobody(); } "
    text += "void join_nobody() { thread t; join(t); }"
    program = program_of(text)
    assert verify(with_bound(program, 1), deadlock(), Options(contexts=1)).verdict != "unsafe"
    found = verify(with_slots(program, 1), deadlock())
    assert (found.verdict, found.bound) == ("unsafe", 2)


def test_an_empty_slot_is_not_stuck() -> None:
    program = program_of(LOOP.replace("while (1)", "if (*)"))
    assert verify(with_slots(program, 2), deadlock()).verdict == "safe"


def test_points_of_the_original_program_are_found_again() -> None:
    text = """
    void f() { assert(*); }
    void main() { thread t; assert(1); t := async f(); if (*) { join(t); } assert(0); L: skip; }
    """
    program = program_of(text)
    before = program.layout
    for slotted in (with_slots(program, 3), with_bound(program, 3)):
        after = slotted.layout
        for point in range(before.points):
            if point != before.waiting:
                assert before.location(point) == after.location(slotted.point(point))
        assert len(after.assertions) == len(before.assertions) + len(slotted.lack_points)


def test_so_many_slots_cannot_be() -> None:
    program = program_of(LOOP)
    for slots in (0, -1, MOST_SLOTS + 1):
        with pytest.raises(UsageError, match=f"{slots} slots .* expected 1 to {MOST_SLOTS}"):
            with_slots(program, slots)
    with pytest.raises(UsageError, match="expected 0 to"):
        with_bound(program, -1)


def test_without_slots_a_program_that_forks_is_not_lowered() -> None:
    with pytest.raises(ModelError, match="forks threads, as many as it likes"):
        lower(program_of(LOOP))


X, T = variable("x"), variable("t", THREAD, None)
U = local("u", THREAD, None)
MINE = local("p", THREAD, None, procedure="work")
NAMES = variable("names", Array(THREAD, 2), None)


def forking(*edges: Edge) -> Program:
    return program(
        procedure("main", *edges, variables=(U,)),
        procedure("work", Return(0), variables=(MINE,), parameters=1),
        shared=(X, T),
        threads=(Thread("main", "main"),),
    )


def test_a_forked_thread_may_end_wherever_it_is() -> None:
    forks = procedure(
        "main",
        Fork(0, 1, "work", (), U),
        Join(1, 2, Read(U)),
        step(2, None),
        variables=(U,),
        labels={2: "E"},
    )
    ends = procedure("work", step(0, 1), End(1), step(1, None, guard=Constant(0)))
    whole = program(forks, ends, shared=(X,), threads=(Thread("main", "main"),))
    assert reaches(with_slots(whole, 1), "E") == 3
    assert reaches(with_bound(whole, 3), "E") == 3


def test_so_may_one_that_is_equal_to_others() -> None:
    forks = procedure("main", Fork(0, 1, "work"), Fork(1, 2, "work"), step(2, 2))
    work = procedure("work", step(0, 1), End(1))
    whole = program(forks, work, shared=(X,), threads=(Thread("main", "main"),))
    for equal in (False, True):
        slotted = with_slots(whole, 2, equal=equal)
        asked = [posed(slotted, deadlock()), lack_of_slots(slotted)]
        result = verify(slotted, asked, Options(engine="explicit", strengths=()))
        assert (result.verdict, result.checked) == ("safe", True)


def test_a_place_in_a_procedure_is_in_all_its_copies() -> None:
    one, other = (procedure(name, step(0, None)) for name in ("main", "main@l"))
    here = Position("p.bp", 7, 1)
    copies = tuple(replace(each, position=here) for each in (one, other))
    threads = (Thread("main", "main"), Thread("other", "main@l"))
    assert places(program(*copies, threads=threads), "main:0") == [0, 1]
    assert places(program(one, other, threads=threads), "main:0") == [0]


def test_names_of_threads_are_copied_passed_and_joined() -> None:
    validate(
        forking(
            Fork(0, 1, "work", (Read(U),), T),
            step(1, 2, assign(U, Read(T)), assign(T, Read(U))),
            Call(2, 3, "work", (Read(T),)),
            Join(3, None, Read(U)),
        )
    )


@pytest.mark.parametrize(
    ("edge", "problem"),
    [
        (step(0, None, assign(T, Choice(THREAD))), "makes up the identity of a thread"),
        (step(0, None, assign(T, Constant(2, THREAD))), "makes up the identity of a thread"),
        (step(0, None, assign(T, Read(X))), "comes from a variable that has one"),
        (step(0, None, assign(X, Read(T))), "identities of threads are copied"),
        (step(0, None, guard=Binary("<", Read(T), Read(U))), "identities of threads are copied"),
        (step(0, None, guard=Binary("=", Read(T), Read(X))), "comes from a variable that has one"),
        (step(0, None, guard=Binary("!=", TRUE, Self())), "comes from a variable that has one"),
        (step(0, None, guard=Unary("not", Self())), "identities of threads are copied"),
        (step(0, None, constraint=Read(T, after=True)), "identities of threads are copied"),
        (step(0, None, assign(X, Choice(THREAD))), "identities of threads are copied"),
        (Assert(0, None, Read(T)), "identities of threads are copied"),
        (Call(0, 0, "work", (TRUE,)), "comes from a variable that has one"),
        (Call(0, 0, "work", ()), "passes 0 values"),
        (Fork(0, 0, "work", (ANY,)), "comes from a variable that has one"),
        (Fork(0, 0, "work"), "passes 0 values"),
        (Fork(0, 0, "nobody"), "there is no procedure nobody to fork"),
        (Fork(0, 0, "work", (Read(T),), X), "stored in a variable of another type"),
        (Join(0, None, Read(X)), "joins what is no variable"),
        (Join(0, None, TRUE), "joins what is no variable"),
    ],
)
def test_nothing_else_is_done_with_names_of_threads(edge: Edge, problem: str) -> None:
    with pytest.raises(ModelError, match=problem):
        validate(forking(edge))


def test_identities_in_arrays_of_procedures_results_and_inheritance_cannot_be_forked() -> None:
    good = forking(Fork(0, 1, "work", (Read(T),), U), Join(1, None, Read(U)))
    main, work = good.procedures
    giving = replace(work, results=(THREAD,), edges=(Return(0, (Read(MINE),)),))
    inheriting = Thread("w", "work", created=True, inherited=(MINE,))
    several = replace(NAMES, procedure="main")
    for known in [
        replace(good, procedures=(main, giving)),
        replace(good, procedures=(replace(main, variables=(*main.variables, several)), work)),
        replace(good, threads=(*good.threads, inheriting)),
    ]:
        validate(known)
        for transformed in (with_slots, with_bound):
            with pytest.raises(ModelError, match="but not in arrays of a procedure, nor return"):
                transformed(known, 2)
    with_slots(good, 1)
    receiving = procedure("main", Call(0, 1, "give"), Receive(1, None, (T,)))
    giving = procedure("give", Return(0, (TRUE,)), results=(X.scalar,))
    with pytest.raises(ModelError, match="one of them names threads"):
        validate(replace(good, procedures=(receiving, giving, work)))
