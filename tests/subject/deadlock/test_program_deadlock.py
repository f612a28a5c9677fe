"""What is said about a deadlock of a program; the numbers were worked out on paper."""

from __future__ import annotations

import pytest

from support.samples.deadlocking_programs import (
    HOPELESS,
    JOINS,
    OPEN,
    PHILOSOPHERS,
    SCHEDULER_LOCK,
    SECTION,
    TRANSFER,
    TWICE,
)
from tepui.api import loads
from tepui.deciding import Options, verify
from tepui.program.expressions import FALSE, TRUE, Read, Variable
from tepui.program.program import (
    Call,
    Location,
    Position,
    Procedure,
    Program,
    Receive,
    Return,
    Step,
    Thread,
)
from tepui.program.questions import deadlock, own_questions
from tepui.program.types import BOOLEAN
from tepui.result import Result
from tepui.subject.deadlock.explanation import Deadlock, EndedThread, Need


def result_of(text: str, options: Options | None = None) -> Result:
    program = loads(text, "bp")
    assert isinstance(program, Program)
    return verify(program, deadlock(), options)


def deadlock_of(text: str, options: Options | None = None) -> Deadlock:
    found = result_of(text, options).deadlock
    assert found is not None
    return found


def named(told: Deadlock, name: str) -> EndedThread:
    (found,) = [thread for thread in told.threads if thread.name == name]
    return found


def only_need(thread: EndedThread) -> Need:
    (need,) = thread.needs
    return need


def values(need: Need) -> dict[str, str | None]:
    return {seen.name: seen.value for seen in need.values}


def chances(need: Need) -> list[tuple[str, int]]:
    return [(each.thread, each.place.position.line) for each in need.chances if each.place.position]


def test_a_condition_inside_an_atomic_section_is_found_there() -> None:
    told = deadlock_of(TRANSFER)
    assert [thread.name for thread in told.threads] == ["transfer(0)", "transfer(1)"]
    first = named(told, "transfer(0)")
    assert first.place is not None
    assert (first.state, first.place.statement) == ("stuck", "atomic { … }")
    need = only_need(first)
    assert (need.kind, need.text) == ("condition", "!locked[which]")
    assert need.place.position is not None
    assert (need.place.position.line, need.place.procedure) == (5, "acquire")
    assert values(need) == {"locked[1]": "1", "which": "1"}


def test_who_took_a_lock_and_who_could_give_it_back() -> None:
    told = deadlock_of(TRANSFER)
    need = only_need(named(told, "transfer(0)"))
    (written,) = need.written
    assert (written.variable, written.thread) == ("locked[1]", "transfer(1)")
    result = result_of(TRANSFER)
    assert result.trace is not None
    step = result.trace.story.steps[written.step - 1]
    assert (step.thread, step.text) == ("transfer(1)", "locked[which] := 1")
    # `locked[which] := 1` is nearer, and so is `locked[0] := 0`; neither gives this lock back.
    assert chances(need) == [("transfer(1)", 14)]
    assert not need.hopeless


def test_threads_that_wait_for_each_other_are_a_cycle() -> None:
    assert deadlock_of(TRANSFER).sentence == (
        "transfer(0) waits for transfer(1), which waits for transfer(0)"
    )
    told = deadlock_of(PHILOSOPHERS)
    assert told.cycle == ("philosopher(0)", "philosopher(1)", "philosopher(2)")
    assert [thread.waits_for for thread in told.threads] == [
        ("philosopher(1)",),
        ("philosopher(2)",),
        ("philosopher(0)",),
    ]


def test_the_element_that_a_thread_gives_back_is_known_from_its_variables() -> None:
    needs = [only_need(thread) for thread in deadlock_of(PHILOSOPHERS).threads]
    assert [values(need) for need in needs] == [
        {"fork[1]": "1", "right": "1"},
        {"fork[2]": "1", "right": "2"},
        {"fork[0]": "1", "right": "0"},
    ]
    assert [chances(need) for need in needs] == [
        [("philosopher(1)", 10)],
        [("philosopher(2)", 10)],
        [("philosopher(0)", 10)],
    ]


def test_calls_and_local_variables_are_those_of_the_last_state() -> None:
    first = named(deadlock_of(TRANSFER), "transfer(0)")
    calls = [
        (call.procedure, call.line, {each.name: each.value for each in call.locals})
        for call in first.stack
    ]
    assert calls == [("acquire", 4, {"which": "1"}), ("transfer", 12, {"from": "0"})]


def test_only_the_false_parts_of_a_conjunction_are_named() -> None:
    told = deadlock_of(JOINS)
    first, second = named(told, "worker#1"), named(told, "worker#2")
    assert only_need(first).text == "go && x = a"
    assert values(only_need(first)) == {"go": "0", "x": "0", "a": "1"}
    assert only_need(second).text == "go"
    assert chances(only_need(second)) == [("main", 14)]


def test_a_join_waits_for_a_thread_by_its_own_name() -> None:
    told = deadlock_of(JOINS)
    need = only_need(named(told, "main"))
    assert (need.kind, need.text) == ("join", "the end of worker#1")
    assert values(need) == {"t": "worker#1"}
    assert chances(need) == [("worker#1", 5)]
    assert told.cycle == ("main", "worker#1")


def test_a_join_of_nobody_is_hopeless() -> None:
    text = "void w() { skip; } void main() { decl t: thread, u: thread; u := async w(); join(t); }"
    need = only_need(named(deadlock_of(text), "main"))
    assert (need.kind, need.text, need.hopeless) == ("join", "the end of t", True)
    assert values(need) == {"t": "nobody"}


def test_a_join_of_a_thread_that_was_not_forked_is_hopeless() -> None:
    told = deadlock_of("""
decl m: thread, never := 0;
void w() { join(m); }
void main() { m := thread_self(); async w(); wait(never); }
""")
    need = only_need(named(told, "w#1"))
    assert (values(need), need.chances, need.hopeless) == ({"m": "main"}, (), True)
    assert told.cycle == ()


def test_a_thread_can_wait_for_itself() -> None:
    told = deadlock_of("decl t: thread; void w() { join(t); } void main() { t := async w(); }")
    assert named(told, "main").state == "over"
    assert told.sentence == "w#1 waits for itself"
    told = deadlock_of(TWICE)
    holder = values(only_need(told.threads[0]))["owner"]
    assert told.cycle == (holder,)
    need = only_need(named(told, str(holder)))
    assert (str(holder), 13) in chances(need)
    other = next(thread for thread in told.threads if thread.name != holder)
    assert other.waits_for == (holder,)
    assert chances(only_need(other)) == [(holder, 13)]


def test_values_that_only_the_section_gives_are_marked() -> None:
    first = named(deadlock_of(SECTION), "first")
    need = only_need(first)
    assert (need.text, need.place.statement) == ("l", "wait(l && z)")
    assert [(seen.name, seen.value, seen.inside) for seen in need.values] == [("l", "0", True)]
    # `l` is computed from x and y, so who assigns y can help; x is assigned by the thread itself.
    assert chances(need) == [("second", 19)]
    second = only_need(named(deadlock_of(SECTION), "second"))
    assert chances(second) == [("first", 10)]


def test_a_global_variable_that_only_the_section_sets_is_marked() -> None:
    told = deadlock_of("decl z := 0; void main() { atomic { z := 1; wait(!z); } }")
    (seen,) = only_need(told.threads[0]).values
    assert (seen.name, seen.value, seen.inside) == ("z", "1", True)
    assert only_need(told.threads[0]).written == ()


def test_nobody_is_left_who_could_help() -> None:
    told = deadlock_of(HOPELESS)
    assert told.cycle == ()
    for name in ("waiter", "chooser", "setter"):
        need = only_need(named(told, name))
        assert (need.hopeless, need.chances) == (True, ())
    (written,) = only_need(named(told, "waiter")).written
    assert (written.thread, written.place.statement) == ("setter", "x := 0")


def test_an_assignment_of_the_same_value_is_the_last_one() -> None:
    """Who wrote it last is a fact, whether or not it changed the value."""
    text = "decl x := 0; void a() { x := 0; wait(x); } void main() { thread_create(a, 2); }"
    for thread in deadlock_of(text).threads:
        (written,) = only_need(thread).written
        assert written.step == 2
    text = text.replace("x := 0; wait", "x := 1; x := 0; wait")
    (written,) = only_need(deadlock_of(text).threads[0]).written
    assert written.place.statement == "x := 0"


def test_a_variable_without_a_value_is_told_with_the_one_that_it_must_have() -> None:
    told = deadlock_of(OPEN)
    decided = dict(text.split("=") for text in told.values)
    for thread in told.threads:
        need = only_need(thread)
        assert need.values, "the condition reads something"
        assert all(decided[seen.name] == seen.value for seen in need.values)
        assert need.written == ()


def test_a_local_variable_without_a_value_is_told_as_well() -> None:
    told = deadlock_of("void a() { decl l; wait(l); } void main() { thread_create(a, 2); }")
    assert told.values == ("a.1 l=0", "a.2 l=0")
    for thread in told.threads:
        assert (only_need(thread).text, values(only_need(thread))) == ("l", {"l": "0"})
        assert only_need(thread).hopeless


def test_the_scheduler_lock_is_held_by_somebody() -> None:
    told = deadlock_of(SCHEDULER_LOCK)
    need = only_need(named(told, "thread1"))
    assert (need.kind, need.text) == ("lock", "atomic, which main holds")
    assert values(need) == {"atomic": "1"}
    assert [(each.thread, each.place.statement) for each in need.chances] == [
        ("main", "atomic := 0")
    ]
    need = only_need(named(told, "main"))
    assert (need.kind, need.text) == ("condition", "go")
    assert [(each.thread, each.place.statement) for each in need.chances] == [
        ("thread1", "go := 1")
    ]
    assert set(told.cycle) == {"main", "thread1"}


def test_a_scheduler_lock_without_a_value_is_open() -> None:
    """If it were closed, nobody could have closed it."""
    lock, at = Variable("lock"), Location(Position("p", 1, 1), "wait(lock)")
    code = Procedure("main", (at,), (Step(0, None, Read(lock)),))
    told = verify(Program((code,), (Thread("main", "main"),), (lock,), lock), deadlock()).deadlock
    assert told is not None
    need = only_need(told.threads[0])
    assert (need.kind, need.text, values(need)) == ("condition", "lock", {"lock": "0"})


def test_while_results_are_not_taken_all_others_wait_for_that() -> None:
    here = [Location(Position("p", line, 1), f"statement {line}") for line in range(1, 6)]
    program = Program(
        (
            Procedure("give", (here[0],), (Return(0, (TRUE,)),), results=(BOOLEAN,)),
            Procedure(
                "take",
                (here[1], here[2], here[3]),
                (Call(0, 1, "give"), Receive(1, 2, (None,), FALSE), Return(2)),
            ),
            Procedure("other", (here[4],), (Return(0),)),
        ),
        (Thread("taker", "take"), Thread("other", "other")),
    )
    told = verify(program, deadlock()).deadlock
    assert told is not None
    need = only_need(named(told, "taker"))
    assert (need.kind, need.text, need.hopeless) == ("condition", "0", True)
    other = named(told, "other")
    need = only_need(other)
    assert (need.kind, chances(need)) == ("receipt", [("taker", 3)])
    assert other.waits_for == ("taker",)


def test_a_value_that_cannot_be_stored_is_what_is_missing() -> None:
    text = "decl n: int 0..1 block := 1; void main() { n := n + 1; }"
    need = only_need(deadlock_of(text).threads[0])
    assert (need.kind, need.text) == ("result", "a result of n := n + 1")
    assert values(need) == {"n": "1"}


def test_a_section_without_an_end_is_said_to_have_none() -> None:
    need = only_need(deadlock_of("void main() { atomic { while (1) { skip; } } }").threads[0])
    assert (need.kind, need.hopeless) == ("end of section", False)


def test_both_branches_of_a_condition_are_not_needed() -> None:
    text = """
decl a := 0, b := 0, c := 0;
void main() { atomic { if (a) { wait(b); } else { wait(c); } } }
"""
    assert [need.text for need in deadlock_of(text).threads[0].needs] == ["c"]


@pytest.mark.parametrize("text", [TRANSFER, PHILOSOPHERS, SECTION])
def test_fusion_changes_nothing(text: str) -> None:
    assert deadlock_of(text, Options(fusion=False)).cycle == deadlock_of(text).cycle


def test_there_is_no_deadlock_to_tell_about_other_violations() -> None:
    program = loads("decl x := 0; void main() { assert(x); }", "bp")
    assert isinstance(program, Program)
    result = verify(program, [*own_questions(program), deadlock()])
    assert (result.verdict, result.deadlock) == ("unsafe", None)


def test_who_waits_for_the_same_does_not_help() -> None:
    """The second thread gives the lock back as well, but only once it has it."""
    told = deadlock_of("""
decl m := 0;
void lock() { atomic { wait(!m); m := 1; } }
void twice() { lock(); lock(); m := 0; }
void once() { lock(); m := 0; }
void main() { thread_create(twice); thread_create(once); }
""")
    assert chances(only_need(named(told, "twice"))) == [("twice", 4)]
    assert chances(only_need(named(told, "once"))) == [("twice", 4)]
    assert told.cycle == ("twice",)


def test_a_thread_that_another_one_could_help_does_not_wait_for_itself() -> None:
    told = deadlock_of("""
decl x := 1, y := 0;
void first() { x := 0; wait(x); y := 1; x := 1; }
void second() { wait(y); x := 1; }
void main() { thread_create(first); thread_create(second); }
""")
    assert chances(only_need(named(told, "first"))) == [("second", 4)]
    assert told.cycle == ("first", "second")


def test_a_statement_behind_the_same_condition_is_not_what_makes_it_true() -> None:
    """`sem - 1` is 3 where `sem` is 0, but nobody comes there as long as it is."""
    told = deadlock_of("""
decl sem: int 0..3 := 1;
void down() { atomic { wait(sem > 0); sem := sem - 1; } }
void work() {
    down(); down();
    sem := sem + 1;
}
void main() { thread_create(work, 2); }
""")
    assert {chance for thread in told.threads for chance in chances(only_need(thread))} == {
        ("work.1", 6)
    }


def test_a_statement_that_helps_with_the_values_of_now_comes_first() -> None:
    told = deadlock_of("""
decl n: int 0..3 := 1, go := 0;
void waiter() { wait(n == 2); go := 1; }
void helper() {
    wait(go);
    n := n - 1;
    n := n + 1;
}
void main() { thread_create(waiter); thread_create(helper); }
""")
    assert chances(only_need(named(told, "waiter"))) == [("helper", 7)]


def test_the_true_part_of_a_condition_must_stay_so() -> None:
    """`x := 0` alone makes `x` equal to `y`; `x := 2` does not."""
    told = deadlock_of("""
decl x: int 0..2 := 1, y: int 0..2 := 0;
void waiter() { wait(x != y && x != 1); }
void helper() {
    wait(0 < y);
    x := 0;
    x := 2;
}
void main() { thread_create(waiter); thread_create(helper); }
""")
    assert chances(only_need(named(told, "waiter"))) == [("helper", 7)]
