"""Programs that fork threads: verdicts, bounds, and what people see."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from support.fork_runs import as_always, deciding_with, limited, noting
from support.samples.fork_texts import CROWD, LOOP, MANY, RACE
from support.samples.program_texts import program_of, told, verified
from tepui.deciding import Options, explore, verify, verify_all
from tepui.errors import UsageError
from tepui.kernels.lowered_system import LoweredSystem
from tepui.limits import Limits, Meter
from tepui.model import Pattern, Property
from tepui.program.passes.slots import Slotted
from tepui.program.program import Program
from tepui.program.questions import Question, assertions, deadlock, never_together, unreachable
from tepui.progress import Progress
from tepui.report.exchange.as_json import result_object
from tepui.result import Grounds, Result
from tepui.z import parse_strength


def slotted(result: Result) -> Slotted:
    assert isinstance(result.system, LoweredSystem)
    assert isinstance(result.system.program, Slotted)
    return result.system.program


def test_endless_forking_and_joining_is_proved_for_any_number_of_threads() -> None:
    result = verified(program_of(LOOP))
    assert (result.verdict, result.checked, slotted(result).slots) == ("safe", True, 1)
    assert "1 slot is enough for the forked threads" in result.notes


def test_nothing_is_said_about_slots_where_no_thread_is_forked() -> None:
    program = program_of("thread t; void main() { join(t); L: skip; }")
    for result in (verify(program, unreachable(program, "L")), explore(program)):
        assert result.verdict in ("safe", "collapsed")
        assert not any("slot" in note for note in result.notes)


def test_a_bug_that_takes_two_threads_is_found_with_the_fewest_contexts() -> None:
    result = verified(program_of(RACE))
    assert (result.verdict, result.bound, result.checked) == ("unsafe", 5, True)
    assert slotted(result).slots == 2


def test_with_more_threads_than_any_number_a_violation_is_still_one() -> None:
    result = verified(program_of(CROWD))
    assert (result.verdict, result.bound, result.checked) == ("unsafe", 4, True)
    assert slotted(result).bound == 4


@pytest.mark.usefixtures("without_coverability")
def test_with_more_threads_than_any_number_the_answer_is_bounded() -> None:
    program = program_of(CROWD.replace("n + 1", "0"))
    result = verified(program)
    assert (result.verdict, result.bound, result.evidence) == ("unknown", None, None)
    assert result.stop is not None
    assert result.stop.kind == "threads"
    assert "no violation within 5 contexts" in result.stop.text
    assert "forking for ever, so the number of threads alive at once is unb" in result.stop.text
    assert "--slots" not in result.stop.text
    assert result_object(result)["slots"] is None
    fewer = verify(program, None, Options(limits=Limits(max_contexts=2)))
    assert "no violation within 2 contexts" in (fewer.reason or "")


@pytest.mark.parametrize(("k", "verdict"), [(0, "bounded"), (3, "bounded"), (4, "unsafe")])
def test_a_bounded_run_is_never_more_than_that(k: int, verdict: str) -> None:
    result = verify(program_of(CROWD), None, Options(contexts=k))
    assert (result.verdict, result.bound) == (verdict, k)
    safe = verify(program_of(LOOP), None, Options(contexts=k))
    assert (safe.verdict, safe.bound, safe.proof) == ("bounded", k, None)
    assert safe.evidence is None


def test_a_bounded_run_that_sees_everything_is_no_proof_either() -> None:
    """In the program for 6 contexts nothing is new after 3, which says nothing about the 7th."""
    program = program_of("void f() { skip; } void main() { async f(); assert(1 = 1); }")
    result = verify(program, None, Options(contexts=6))
    assert (result.verdict, result.bound, result.proof) == ("bounded", 6, None)
    assert (result.evidence, result.checked, result.check_seconds) == (None, False, None)


def test_threads_that_are_forked_one_by_one_get_as_many_slots() -> None:
    program, tried = program_of(MANY), list[Slotted]()
    question = unreachable(program, "f:2")
    with deciding_with(noting(tried)):
        result = verify(program, [question], Options())
    assert (result.verdict, result.bound) == ("unsafe", 2)
    assert [each.slots for each in tried] == [1, 2, 3, 4, 5]


@pytest.mark.usefixtures("without_coverability")
def test_a_loop_that_only_forks_is_not_given_slots_for_long() -> None:
    program, tried = program_of(CROWD.replace("n + 1", "0")), list[Slotted]()
    with deciding_with(noting(tried)):
        verify(program, assertions(program), Options())
    assert [each.slots for each in tried if each.bound is None] == [1]
    assert [each.bound for each in tried if each.bound is not None] == [1, 2, 3, 4, 5]


def test_recursion_that_forks_is_not_given_slots_for_long() -> None:
    text = "void f() { skip; } void go(t: thread) { t := async f(); if (*) { go(t); } join(t); }"
    program = program_of(text + "void main() { thread t; go(t); assert(1 = 1); }")
    tried: list[Slotted] = []
    with deciding_with(noting(tried)):
        verify(program, assertions(program), Options())
    assert [each.slots for each in tried if each.bound is None] == [1]


def test_a_thread_that_ends_before_the_next_is_forked_is_no_endless_loop() -> None:
    """Each fork waits for a thread, so that no context forks twice in the same state."""
    text = """
    decl x := 1;
    thread t;
    void f() { x := 1; }
    void main() { while (1) { wait(x); x := 0; async f(); } }
    """
    program, tried = program_of(text), list[Slotted]()
    options = Options(slots=3, limits=Limits(max_contexts=2))
    with deciding_with(noting(tried)):
        verify(program, [unreachable(program, "f:4")], options)
    assert tried[0].slots == 1
    result = verify(program, deadlock(), options)
    assert (result.verdict, result.stop and result.stop.kind) == ("unknown", "contexts")


def test_threads_that_have_not_ended_are_not_taken_for_those_that_have() -> None:
    """Each thread is joined two rounds later, so that one context forks twice at the same place,
    but not a third time."""
    text = """
    void f() { skip; }
    void main() {
        thread t, u;
        t := async f(); join(t); u := t;
        while (1) { join(u); u := t; t := async f(); assert(1 = 1); }
    }
    """
    result = verified(program_of(text))
    assert (result.verdict, result.checked) == ("safe", True)


@pytest.mark.usefixtures("without_coverability")
def test_a_user_says_how_many_slots_are_tried() -> None:
    program = program_of(MANY)
    question = never_together(program, "main:3", "main:3")
    few = verify(program, question, Options(slots=4))
    assert (few.verdict, few.reason) == (
        "unknown",
        "4 slots are not enough, and Options(slots=…) tries more; no violation within 5 contexts, "
        "and Limits(max_contexts=…) looks further",
    )
    assert result_object(few)["slots"] is None
    enough = verify(program, question, Options(slots=5))
    assert (enough.verdict, result_object(enough)["slots"]) == ("safe", 5)
    none = verify(program, question, Options(slots=0, limits=Limits(max_contexts=0)))
    assert (none.reason or "").startswith("no slots were to be tried; no violation within 0 cont")
    seen = explore(program, Options(slots=1, limits=Limits(max_contexts=1)))
    assert (seen.reason or "").startswith(
        "1 slot is not enough, and Options(slots=…) tries more; this is"
    )


LATE = """\
decl x := 0;
void f() { x := 1; }
void main() { async f(); wait(x); async f(); async f(); assert(1 = 1); M: skip; }
"""
"""With one slot or two, the last fork may find none in the third context; three are enough."""


def test_where_a_limit_ends_the_search_it_is_said_what_is_clear() -> None:
    program = program_of(LATE)
    decide = limited(lambda tried, _: isinstance(tried, Slotted) and tried.slots == 2)
    options = Options(limits=Limits(timeout=3600, max_contexts=5))
    with deciding_with(decide):
        result = verify(program, assertions(program), options)
    assert (result.verdict, result.reason) == ("unknown", "the time limit of 3600 s was reached")
    assert result.notes == ["1 slot is not enough", "there is no violation within 2 contexts"]


HIDDEN = """\
decl x := 0;
decl n: int 0..40 saturate := 0;
void f() { x := 1; }
void down() { n := n + 1; if (*) { down(); } assert(n < 40); }
void main() { if (*) { down(); } async f(); wait(x); async f(); async f(); }
"""
"""As before, but 40 frames of one context violate the assertion."""


def test_nothing_is_clear_where_contexts_are_infinite_for_the_engine() -> None:
    options = Options(engine="explicit", strengths=())
    result = verify(program_of(HIDDEN), None, options)
    assert (result.verdict, result.stop and result.stop.kind) == ("unknown", "infinite contexts")
    assert result.notes == []
    assert verify(program_of(HIDDEN)).bound == 1


def test_a_violation_without_a_trace_may_be_a_lack_of_slots() -> None:
    def decide(
        program: Program, questions: Sequence[Question], options: Options, meter: Meter
    ) -> Result:
        return replace(as_always(program, questions, options, meter), grounds=Grounds(lambda: None))

    program, options = program_of(LATE), Options(limits=Limits(timeout=3600, max_contexts=5))
    with deciding_with(decide):
        result = verify(program, assertions(program), options)
    assert (result.verdict, result.bound, result.evidence) == ("unknown", None, None)
    assert "tells a violation from a lack of slots" in (result.reason or "")
    assert verify(program, None, options).verdict == "safe"


def test_questions_are_answered_one_by_one() -> None:
    program = program_of(LOOP)
    questions = [*assertions(program), unreachable(program, "W"), unreachable(program, "J")]
    answers = verify_all(program, questions)
    assert [(one.result.verdict, one.result.bound) for one in answers] == [
        ("safe", None),
        ("unsafe", 2),
        ("unsafe", 3),
    ]
    assert [one.question.text for one in answers] == [one.text for one in questions]
    assert all(one.result.checked for one in answers)


def test_questions_are_answered_one_by_one_where_slots_do_not_suffice() -> None:
    program = program_of(CROWD)
    answers = verify_all(program, [unreachable(program, "add:3"), *assertions(program)])
    assert [(one.result.verdict, one.result.bound) for one in answers] == [
        ("unsafe", 2),
        ("unsafe", 4),
    ]
    bounded = verify_all(program, assertions(program), Options(contexts=2))
    assert [(one.result.verdict, one.result.bound) for one in bounded] == [("bounded", 2)]


def test_what_is_clear_for_one_question_says_nothing_about_another() -> None:
    program = program_of(CROWD)
    questions = [never_together(program, "main:7", "main:7"), *assertions(program)]
    decide = limited(
        lambda tried, asked: (
            isinstance(tried, Slotted) and tried.bound == 4 and asked[-1].kind == "assertion"
        )
    )
    options = Options(limits=Limits(timeout=3600, max_contexts=5))
    for asked in (questions, questions[::-1]):
        with deciding_with(decide):
            answers = verify_all(program, asked, options)
        notes = {one.question.kind: one.result.notes for one in answers}
        assert notes == {
            "never together": [],
            "assertion": ["1 slot is not enough", "there is no violation within 3 contexts"],
        }


CROWD_AT_LAST = """\
decl x: int 0..8 := 0;
void f() { wait(x = 1); x := 2; wait(x = 3); x := 4; wait(x = 5); x := 6; wait(x = 7); x := 8; }
void g() { skip; }
void main() {
    async f();
    x := 1; wait(x = 2); x := 3; wait(x = 4); x := 5; wait(x = 6);
L:  x := 7; wait(x = 8);
    while (1) { async g(); }
}
"""
"""L takes 7 contexts, and endless forking, for which no slots are enough, 9."""


def test_a_question_that_is_asked_twice_is_answered_twice() -> None:
    for text, expected in [(CROWD, ("unsafe", 4)), (RACE, ("unsafe", 5))]:
        program = program_of(text)
        first, second = verify_all(program, assertions(program) * 2)
        for one in (first.result, second.result):
            assert (one.verdict, one.bound, one.checked) == (*expected, True)
        assert first.result.notes is not second.result.notes


@pytest.mark.usefixtures("without_coverability")
def test_slots_that_are_too_few_for_one_question_may_do_for_another() -> None:
    program = program_of(CROWD_AT_LAST)
    questions = [never_together(program, "L", "L"), unreachable(program, "L")]
    for asked in (questions, questions[::-1]):
        found = {one.question.kind: one.result for one in verify_all(program, asked)}
        assert (found["unreachable"].verdict, found["unreachable"].bound) == ("unsafe", 7)
        assert found["never together"].verdict == "unknown"
        assert "no violation within 8 contexts" in (found["never together"].reason or "")


def test_exploration_uses_as_many_slots_as_are_needed() -> None:
    result = explore(program_of(RACE))
    assert (result.verdict, slotted(result).slots) == ("collapsed", 2)
    assert "2 slots are enough for the forked threads" in result.notes
    assert not result.asked


def test_exploration_of_more_threads_than_any_number_stops() -> None:
    result = explore(program_of(CROWD), Options(limits=Limits(max_contexts=3)))
    assert (result.verdict, result.bound, result.proof) == ("stopped", None, None)
    assert "this is what 3 contexts reach" in (result.reason or "")
    assert [row.k for row in result.rounds] == [0, 1, 2, 3]


def test_a_limit_of_time_is_that_of_the_whole_search() -> None:
    options = Options(limits=Limits(timeout=0.0))
    result = verify(program_of(LOOP), None, options)
    assert result.verdict == "unknown"
    assert result.reason == "the time limit of 0 s was reached"
    assert [one.result.verdict for one in verify_all(program_of(LOOP), None, options)] == [
        "unknown"
    ]


def test_an_interruption_ends_the_whole_search() -> None:
    def interrupt(_: Progress) -> None:
        raise KeyboardInterrupt

    program = program_of(CROWD)
    questions = [*assertions(program), unreachable(program, "add:3")]
    answers = verify_all(program, questions, Options(progress=interrupt))
    assert [one.result.stop and one.result.stop.kind for one in answers] == ["interrupted"] * 2
    assert [one.question.text for one in answers] == [one.text for one in questions]


def test_what_was_clear_before_an_interruption_is_clear_for_that_question_only() -> None:
    def interrupt(_: Progress) -> None:
        raise KeyboardInterrupt

    def decide(
        program: Program, asked: Sequence[Question], options: Options, meter: Meter
    ) -> Result:
        if asked[-1].kind == "unreachable":
            options = replace(options, progress=interrupt)
        return as_always(program, asked, options, meter)

    program = program_of(LATE)
    questions = [*assertions(program), unreachable(program, "M")]
    with deciding_with(decide):
        first, second = verify_all(program, questions, Options())
    assert first.question.text == questions[0].text
    assert [one.result.reason for one in (first, second)] == ["the run was interrupted"] * 2
    assert first.result.notes == ["1 slot is not enough", "there is no violation within 2 contexts"]
    assert second.result.notes == []


def test_the_states_of_a_program_that_forks_have_no_patterns() -> None:
    program = program_of(LOOP)
    with pytest.raises(UsageError, match="no states that patterns could name"):
        verify(program, Property((Pattern(None, (1,)),)))
    assert verify(program, Property(deadlock=True)).verdict == "safe"


def test_a_trace_calls_forked_threads_by_their_procedures() -> None:
    result = verified(program_of(RACE))
    trace = told(result)
    assert [context.thread for context in trace.contexts] == [
        "main",
        "add#1",
        "add#2",
        "add#1",
        "main",
    ]
    assert [(one.name, one.procedure, one.by, one.position.line) for one in trace.forked] == [
        ("add#1", "add", "main", 9),
        ("add#2", "add", "main", 10),
    ]
    first = trace.contexts[0].steps[0]
    assert [(change.name, change.after) for change in first.changes] == [("t", "add#1")]
    starts = trace.contexts[1].steps[0]
    assert (starts.action, starts.statement, starts.procedure) == (
        "start",
        "starts with by = 1",
        "add",
    )
    assert trace.contexts[3].steps[-1].statement == "the thread ends"
    assert [change.name for change in trace.start] == ["n"]


def test_the_report_says_who_forked_a_thread_and_where() -> None:
    text = str(verified(program_of(RACE)))
    assert "context 2: thread add#1, forked by main at test.bp:9" in text
    assert "context 4: thread add#1\n" in text
    assert "slot" not in text


def test_a_slot_that_is_used_again_has_another_name() -> None:
    text = LOOP.replace("assert(task | !task)", "assert(task)")
    trace = told(verified(program_of(text)))
    forks = [one.name for one in trace.forked]
    assert forks == [f"work#{number}" for number in range(1, len(forks) + 1)]
    assert len(forks) == 2
    assert [context.thread for context in trace.contexts][1::2] == forks


def test_a_global_variable_names_the_thread_and_then_that_it_is_done() -> None:
    text = LOOP.replace("    thread t;\n", "").replace(
        "decl task := 0;", "decl task := 0; thread t;"
    )
    program = program_of(text)
    trace = told(verify(program, unreachable(program, "J")))
    changes = [
        (change.before, change.after)
        for context in trace.contexts
        for one in context.steps
        for change in one.changes
        if change.name == "t"
    ]
    assert changes == [("nobody", "work#1"), ("work#1", "done")]


def test_threads_at_rest_are_told_and_empty_slots_are_not() -> None:
    text = "decl x := 0; void f() { wait(x); } void main() { thread t; t := async f(); join(t); }"
    trace = told(verify(program_of(text), deadlock()))
    assert [(one.thread, one.statement) for one in trace.resting] == [
        ("main", "join(t)"),
        ("f#1", "wait(x)"),
    ]


def test_the_object_of_a_result_has_the_threads_and_the_slots() -> None:
    found = result_object(verified(program_of(RACE)))
    assert found["slots"] == 2
    assert found["trace"]["forked"][1] == {
        "thread": "add#2",
        "procedure": "add",
        "by": "main",
        "file": "test.bp",
        "line": 10,
        "runs": True,
    }


def test_statements_are_reached_by_forked_threads() -> None:
    found = explore(program_of(LOOP)).coverage
    assert found is not None
    reached = {one.text: one.reached_by for one in found.statements}
    assert reached["task := !task"] == ("forked threads",)
    assert reached["join(t)"] == ("main",)
    assert found.unreached == ()


def test_other_threads_may_be_there_from_the_start() -> None:
    side = LOOP.replace("void main()", "void side() { task := 1; }\nvoid main()")
    program = program_of(side.replace("while (1)", "thread_create(side);\n    while (1)"))
    result = verified(program)
    assert (result.verdict, slotted(result).slots) == ("safe", 1)
    assert [thread.name for thread in slotted(result).threads] == ["main", "side", "#1"]


@pytest.mark.parametrize("z", ["omega", "omega-l", "omega-ll", "cut", "matched:2"])
def test_every_strength_of_z_knows_slots(z: str) -> None:
    result = verify(program_of(LOOP), options=Options(strengths=parse_strength(z)))
    assert (result.verdict, result.checked) == ("safe", True)


def test_bounds_of_rounds_and_delays_hold_where_slots_do_not_suffice() -> None:
    """Slots that are enough within a bound say nothing about what comes after it; and where they
    are not enough, nothing is said about contexts instead."""
    program = program_of(CROWD)
    stopped = explore(program, Options(engine="delay", rounds=3))
    assert (stopped.verdict, stopped.reason) == ("stopped", "the limit of 3 rounds was reached")
    options = Options(engine="delay", delays=1, slots=2)
    lacking = explore(program, options)
    assert lacking.verdict == "stopped"
    assert (
        lacking.reason
        == "2 slots are not enough within these bounds, and Options(slots=…) tries more"
    )
    result = verify(program, deadlock(), options)
    assert (result.verdict, result.resource, result.trace) == ("unknown", "delays", None)
    with pytest.raises(UsageError, match="only contexts can be bounded"):
        explore(program, replace(options, slots=0))


def test_a_name_that_a_call_reads_and_does_not_pass_on_is_alive() -> None:
    """The procedure joins nobody, so it is passed nobody; in the program as written, the name is
    read all the same."""
    program = program_of(
        """
        thread u;
        void leaf() { skip; }
        void keep(p: thread) { skip; }
        void main() { thread t; u := async leaf(); here: keep(t); goto here; }
        """
    )
    result = verify(program, deadlock())
    assert (result.verdict, result.checked) == ("safe", True)


def counting(contexts: int) -> str:
    """Each forked thread sets one more variable, and the last one finds all of them set."""
    names = [f"g{number}" for number in range(contexts - 2)]
    declared = " ".join(f"decl {name} := 0;" for name in names)
    body = "assert(0);"
    for name in reversed(names):
        body = f"if (!{name}) {{ {name} := 1; }} else {{ {body} }}"
    return f"{declared} void f() {{ {body} }} void main() {{ while (1) {{ async f(); }} }}"


@pytest.mark.parametrize("contexts", [6, 8])
def test_who_gives_time_gets_violations_with_many_contexts(contexts: int) -> None:
    """Without a limit of time, the search ends after five contexts."""
    program = program_of(counting(contexts))
    assert verify(program).verdict == "unknown"
    result = verify(program, options=Options(limits=Limits(timeout=600)))
    assert (result.verdict, result.bound, result.checked) == ("unsafe", contexts, True)
    assert result.bound_is_fewest is (contexts == 6)


def test_threads_that_wait_for_slots_are_no_deadlock() -> None:
    """With a limit of time, slots are tried that are not enough; nobody asks for deadlocks then."""
    program = program_of(
        "decl x := 0; void f() { x := 1; } void main() { while (1) { async f(); } }"
    )
    tried: list[Slotted] = []
    with deciding_with(noting(tried)):
        result = verify(program, deadlock(), Options(limits=Limits(timeout=0.5)))
    assert result.verdict == "unknown"
    assert all(one.bound is not None for one in tried[-3:])
