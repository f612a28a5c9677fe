"""Results about programs as text: headlines, questions, traces, coverage, colours."""

from __future__ import annotations

from dataclasses import replace

import pytest

from support.cli import COLLAPSING
from support.samples.program_texts import QUESTIONS, RACE, RECURSION, STUCK, program_of, verified
from tepui.deciding import Options, explore, verify, verify_all
from tepui.errors import UsageError
from tepui.languages import loads
from tepui.limits import Limits
from tepui.model import Pattern, Property
from tepui.program.layout import point_class
from tepui.program.questions import (
    deadlock,
    everything,
    never_together,
    own_questions,
    questions_of,
    questions_text,
    unreachable,
)
from tepui.report.text.coverage import coverage_lines
from tepui.report.text.summary import answer_line, headline, summary
from tepui.report.text.traces import violation_lines

BAR = "decl x := 0; void main() { assert(!x); A: x := 1; B: x := 0; }"


def test_a_safe_program_says_how_many_assertions_hold() -> None:
    assert str(verify(program_of(BAR))).splitlines()[0] == (
        "SAFE  test.bp: no assertion can be violated, for any number of contexts (1 assertion)"
    )


def test_one_other_question_is_answered_in_its_own_words() -> None:
    program = program_of(RACE)
    question = unreachable(program, "never")
    assert headline(verified(program, [question])) == (
        "SAFE  test.bp: never is unreachable (test.bp:18), for any number of contexts"
    )


def test_several_questions_are_counted() -> None:
    program = program_of(BAR)
    asked = [*own_questions(program), deadlock()]
    assert headline(verified(program, asked)) == (
        "SAFE  test.bp: all 2 properties hold, for any number of contexts"
    )


def test_a_violation_says_what_is_violated_and_with_how_many_contexts() -> None:
    result = verify(program_of(RACE))
    assert repr(result) == (
        "<Result UNSAFE  test.bp: assert(x) at test.bp:19 can be violated, with 2 contexts>"
    )


def test_every_kind_of_violation_has_its_words() -> None:
    program = program_of(QUESTIONS)
    questions = [
        own_questions(program)[0],
        unreachable(program, "A"),
        unreachable(program, "4"),
        never_together(program, "A", "two:B"),
        deadlock(),
    ]
    assert [question.violation for question in questions] == [
        "assert(x) at test.bp:5 can be violated",
        "A can be reached (test.bp:4)",
        "line 4 can be reached",
        "A and two:B can be reached together",
        "there is a deadlock",
    ]


def test_questions_are_told_from_a_property_alone() -> None:
    program = program_of(QUESTIONS)
    asked = [
        *own_questions(program),
        unreachable(program, "A"),
        never_together(program, "A", "B"),
        deadlock(),
    ]
    told = questions_of(program, everything(asked))
    assert everything(told) == everything(asked)
    assert [question.text for question in told] == [
        "assert(x) at test.bp:5",
        "assert(!x) at test.bp:6",
        "assert(x) at test.bp:11",
        "x := 1 at test.bp:4 is unreachable",
        "x := 1 at test.bp:4 and assume(x) at test.bp:10 are never reached together",
        "no deadlock",
    ]


def test_a_place_that_no_thread_runs_is_unreachable_and_has_words() -> None:
    program = program_of("void f() { L: skip; } void main() { skip; }")
    question = unreachable(program, "L")
    assert verified(program, [question]).verdict == "safe"
    (told,) = questions_of(program, question.bad)
    assert told.text == "a place that no thread runs is unreachable"


def test_a_pattern_for_the_end_of_a_thread_has_words() -> None:
    program = program_of(QUESTIONS)
    first, second = Pattern(None, (0, None)), Pattern(None, (None, 0))
    (told,) = questions_of(program, Property((first, second)))
    assert told.text == "the end of a thread is unreachable"
    (told,) = questions_of(program, Property((first,)))
    assert told.text == "the end of a thread is unreachable for some threads"


def test_patterns_that_are_not_all_of_a_question_say_so() -> None:
    text = "decl x := 0; void f(a) { if (a) { L: skip; } } "
    program = program_of(f"{text} void main() {{ thread_create(f(0)); thread_create(f(1)); }}")
    whole = unreachable(program, "L").bad
    (told,) = questions_of(program, whole)
    assert told.text == "skip at test.bp:1 is unreachable"
    (told,) = questions_of(program, Property(whole.patterns[:1]))
    assert told.text == "skip at test.bp:1 is unreachable for some threads"
    (told,) = questions_of(program, Property((replace(whole.patterns[0], shared=0),)))
    assert told.text == "skip at test.bp:1 is unreachable in some shared states"


def test_many_questions_are_cut_short_in_one_line() -> None:
    asserts = " ".join("assert(1);" for _ in range(8))
    program = program_of(f"void main() {{ skip; {asserts} }}")
    text = questions_text(own_questions(program))
    assert text.endswith("; and 3 more")
    assert text.count("assert(1)") == 5


def test_what_a_violation_leaves_open_is_listed() -> None:
    lines = str(verify(program_of(QUESTIONS))).splitlines()
    assert lines[0] == "UNSAFE  test.bp: assert(!x) at test.bp:6 can be violated, with 1 context"
    assert lines[1:4] == [
        "  open      assert(x) at test.bp:5",
        "  open      assert(x) at test.bp:11",
        "            (tepui.verify_all goes on, and decides each question by itself)",
    ]


def test_a_property_that_names_no_place_is_about_every_place() -> None:
    program = program_of(QUESTIONS)
    anything = Pattern(None, (None, None))
    (told,) = questions_of(program, Property((anything,)))
    assert told.text == "no state is reached"
    (told,) = questions_of(program, Property((replace(anything, shared=0),)))
    assert told.text == "no state is reached in some shared states"


def test_the_questions_of_a_bounded_run_are_not_called_safe() -> None:
    text = str(verify(program_of(BAR), options=Options(contexts=1)))
    assert text.splitlines()[:2] == [
        "BOUNDED  test.bp: no violation within 1 context",
        "  no bug    assert(!x) at test.bp:1",
    ]


def test_more_questions_than_a_screen_takes_are_counted() -> None:
    asserts = " ".join("assert(1);" for _ in range(12))
    lines = str(verify(program_of(f"void main() {{ skip; {asserts} }}"))).splitlines()
    assert sum(line.startswith("  holds     assert(1) at test.bp:1") for line in lines) == 10
    assert "  holds     2 more; tepui.verify_all lists each of them" in lines


def test_a_trace_is_printed_by_contexts_with_changes() -> None:
    text = str(verify(program_of(RACE)))
    assert text[text.index("   start") :].splitlines() == [
        "   start  x=0 free=1",
        "context 1: thread work.2",
        "  test.bp:14  work   enter()",
        "  test.bp:5   enter  atomic { … }",
        "  test.bp:5   enter  | wait(free)",
        "  test.bp:5   enter  | free := 0            free: 1 -> 0",
        "  test.bp:15  work   mine := next(x)        now: - -> 0",
        "  test.bp:9   next   return !now",
        "  test.bp:15  work   back: mine := next(x)  mine: - -> 1",
        "  test.bp:16  work   x := mine              x: 0 -> 1",
        "  test.bp:17  work   free := 1              free: 0 -> 1",
        "  test.bp:18  work   if (0)",
        "context 2: thread work.1",
        "  test.bp:14  work   enter()",
        "  test.bp:5   enter  atomic { … }",
        "  test.bp:5   enter  | wait(free)",
        "  test.bp:5   enter  | free := 0            free: 1 -> 0",
        "  test.bp:15  work   mine := next(x)        now: - -> 1",
        "  test.bp:9   next   return !now",
        "  test.bp:15  work   back: mine := next(x)  mine: - -> 0",
        "  test.bp:16  work   x := mine              x: 1 -> 0",
        "  test.bp:17  work   free := 1              free: 0 -> 1",
        "  test.bp:18  work   if (0)",
        "  test.bp:19  work   assert(x)",
        "violated  assert(x) at test.bp:19",
    ]


def test_stacks_are_printed_on_request_only() -> None:
    result = verify(program_of(RACE))
    assert " in next:9 < work:15" not in summary(result)
    assert "\n              in next:9 < work:15\n" in summary(result, stacks=True)


def test_a_deadlock_lists_where_the_threads_are() -> None:
    result = verified(program_of(STUCK), [deadlock()])
    lines = violation_lines(result)
    assert lines[lines.index("deadlock  no thread can move:") + 1 :][:2] == [
        "          first: over",
        "          second at test.bp:7: atomic { … }",
    ]


def test_a_long_trace_is_shortened_in_the_middle() -> None:
    steps = "x := !x; " * 300
    lines = str(
        verify(program_of(f"decl x := 0; void main() {{ {steps} assert(x); }}"))
    ).splitlines()
    assert "          … 103 lines left out …" in lines
    assert lines[-1] == "violated  assert(x) at test.bp:1"
    assert len(lines) < 220


def test_paint_colours_words_and_changes_nothing_else() -> None:
    result = verify(program_of(RACE))
    roles: set[str] = set()

    def paint(text: str, role: str) -> str:
        roles.add(role)
        return f"<{role}>{text}</{role}>"

    painted = summary(result, paint=paint)
    assert roles == {"unsafe", "thread", "place", "change", "inside"}
    for role in roles:
        painted = painted.replace(f"<{role}>", "").replace(f"</{role}>", "")
    assert painted == summary(result)


def test_an_answer_says_verdict_question_and_reason_in_one_line() -> None:
    program = program_of(QUESTIONS)
    assert [answer_line(answer) for answer in verify_all(program)] == [
        "SAFE     assert(x) at test.bp:5: Z (matched) has no bad state",
        "UNSAFE   assert(!x) at test.bp:6: violated with 1 context",
        "SAFE     assert(x) at test.bp:11: Z (matched) has no bad state",
    ]
    bounded, *_ = verify_all(program, options=Options(contexts=2))
    assert answer_line(bounded) == (
        "BOUNDED  assert(x) at test.bp:5: not violated within 2 contexts"
    )
    unchecked, *_ = verify_all(program, options=Options(check=False))
    assert answer_line(unchecked).endswith("has no bad state (unchecked)")
    unknown, *_ = verify_all(program, options=Options(limits=Limits(timeout=0)))
    assert answer_line(unknown).startswith("UNKNOWN  assert(x) at test.bp:5: the time limit")


def test_coverage_tells_which_threads_reach_a_statement() -> None:
    found = explore(program_of(QUESTIONS)).coverage
    assert found is not None
    assert [(one.position.line, one.text, one.labels, one.reached_by) for one in found.statements][
        1:5
    ] == [
        (5, "assert(x)", (), ("one",)),
        (6, "assert(!x)", (), ("one",)),
        (10, "assume(x)", ("B",), ("two",)),
        (11, "assert(x)", (), ("two",)),
    ]
    assert found.unreached == ()


def test_statements_inside_atomic_sections_and_of_called_procedures_are_covered() -> None:
    found = explore(program_of(RACE)).coverage
    assert found is not None
    assert [one.text for one in found.unreached] == ["skip"]
    inside = [one for one in found.statements if one.procedure in ("enter", "next")]
    assert [one.reached_by for one in inside] == [("work",)] * 4


def test_coverage_is_exact_where_all_was_seen() -> None:
    assert explore(program_of(QUESTIONS)).reached.certainty == "all"
    by_states = verified(program_of(BAR), options=Options(strengths=()))
    assert (str(by_states.proof), by_states.reached.certainty) == ("R_k = R_{k+1}", "all")


def test_a_violation_or_a_limit_makes_only_what_is_reached_certain() -> None:
    assert verify(program_of(QUESTIONS)).reached.certainty == "reached"
    assert verified(program_of(BAR), options=Options(contexts=1)).reached.certainty == "reached"
    stopped = explore(program_of(BAR), Options(strengths=(), limits=Limits(max_contexts=0)))
    assert (stopped.verdict, stopped.reached.certainty) == ("stopped", "reached")


def test_an_over_approximation_makes_only_what_is_unreached_certain() -> None:
    for text, exact, certainty in ((RECURSION, False, "unreached"), (BAR, True, "all")):
        result = verified(program_of(text))
        assert str(result.proof) == "Z (matched) has no bad state"
        assert result.z is not None
        assert (result.z.exact, result.reached.certainty) == (exact, certainty)


@pytest.mark.parametrize(
    ("limits", "sentence"),
    [
        (Limits(), "coverage: exact"),
        (
            Limits(max_contexts=0),
            "coverage: what is reached is certain; what is not may be reached later",
        ),
    ],
)
def test_the_text_says_how_certain_coverage_is(limits: Limits, sentence: str) -> None:
    options = Options(strengths=(), limits=limits)
    assert coverage_lines(explore(program_of(QUESTIONS), options))[1] == sentence


def test_the_text_of_an_over_approximated_coverage_says_so() -> None:
    result = verified(program_of(RECURSION))
    assert coverage_lines(result)[1] == (
        "coverage: what is not reached is certain; what is may be out of reach"
    )


def test_coverage_is_printed_by_procedures_with_marks() -> None:
    lines = coverage_lines(explore(program_of(RACE)))
    start = lines.index("work: 6 of 7 statements reached")
    assert lines[start + 1 : start + 8] == [
        "  +    14  enter()          work",
        "  +    15  mine := next(x)  work",
        "  +    16  x := mine        work",
        "  +    17  free := 1        work",
        "  +    18  if (0)           work",
        "  -    18  skip             not reached",
        "  +    19  assert(x)        work",
    ]


def test_a_safe_answer_lists_statements_that_no_thread_can_reach() -> None:
    text = str(verify(program_of("decl x := 0; void main() { assert(1); if (x) { x := 0; } }")))
    assert "  unreached test.bp:1 x := 0\n" in text


def test_an_answer_about_a_system_has_no_coverage() -> None:
    assert explore(loads(COLLAPSING, "cpds").system).coverage is None


def test_points_are_named_by_their_class() -> None:
    program = program_of(QUESTIONS)
    (told,) = questions_of(program, Property((Pattern(None, (point_class(1), None)),)))
    assert told.text == "assert(x) at test.bp:5 is unreachable"


GIVEN = """\
decl g: int 0..3 := 0;
void w(n: int 0..3, k) {
    wait(g = n);
L:  assert(g != 2);
}
void main() { thread_create(w(0, *)); thread_create(w(2, 1), 2); }
"""


def test_a_thread_starts_with_its_arguments_and_not_with_a_statement_of_main() -> None:
    program = program_of(GIVEN)
    result = verify(program, unreachable(program, "L"))
    lines = str(result).splitlines()
    assert "  test.bp:2  w  starts with n = 0, any k" in lines
    assert lines[-4:] == [
        "violated  L is unreachable (test.bp:4)",
        "          w(0,*) at test.bp:4: assert(g != 2)",
        "          w(2,1).1 at test.bp:2: start of w",
        "          w(2,1).2 at test.bp:2: start of w",
    ]
    with pytest.raises(UsageError):
        unreachable(program, "6")
    covered = explore(program).coverage
    assert covered is not None
    assert [statement.text for statement in covered.statements] == ["wait(g = n)", "assert(g != 2)"]


def test_a_thread_starts_with_what_becomes_of_an_argument_out_of_range() -> None:
    text = "void w(n: int 0..3) { assert(n != 3); } void main() { thread_create(w(7)); }"
    assert "  w  starts with n = 3\n" in str(verify(program_of(text)))


def test_a_thread_that_begins_at_a_place_reaches_it_with_no_contexts() -> None:
    program = program_of(QUESTIONS)
    lines = str(verify(program, never_together(program, "A", "B"))).splitlines()
    assert lines[-3:] == [
        "violated  A and B are never reached together",
        "          one at test.bp:4: x := 1",
        "          two at test.bp:10: assume(x)",
    ]


def test_a_violated_assertion_says_itself_where_its_thread_is() -> None:
    assert str(verify(program_of(QUESTIONS))).splitlines()[-1].startswith("violated  assert(!x)")


def test_an_assertion_that_is_never_reached_says_so() -> None:
    text = "decl x := 0; void main() { assert(!x); assume(x); assert(0); }"
    lines = str(verify(program_of(text))).splitlines()
    assert lines[1:3] == [
        "  holds     assert(!x) at test.bp:1",
        "  holds     assert(0) at test.bp:1, never reached",
    ]
    answers = [answer_line(answer) for answer in verify_all(program_of(text))]
    assert answers[1].startswith("SAFE     assert(0) at test.bp:1, never reached: ")
    bounded = str(verify(program_of(text), options=Options(contexts=3)))
    assert "never reached" not in bounded


def test_a_program_that_has_nothing_to_violate_says_so() -> None:
    text = "decl x; void main() begin x := T; end"
    result = verify(program_of(text))
    assert result.verdict == "safe"
    assert any("nothing was asked that could fail" in note for note in result.notes)
    asserting = verify(program_of("decl x; void main() begin x := T; assert(x); end"))
    assert not any("nothing was asked" in note for note in asserting.notes)


def test_only_a_proof_tells_that_z_is_exact() -> None:
    assert any("is exact" in note for note in verify(program_of(BAR)).notes)
    assert verify(program_of(RACE)).notes == []
