"""Relations between global variables and how many threads are where."""

from __future__ import annotations

from horn.test_examples import FOLDER, asserted

import tepui
from tepui.horn.clauses import Question
from tepui.horn.counter_relations import counted_relations
from tepui.horn.folding import Folding
from tepui.horn.linear_terms import text
from tepui.horn.stacks import Stacks
from tepui.horn.survey import Survey
from tepui.program.program import Program


def asked(program: Program, observed: tuple[int, ...]) -> Question:
    bad = asserted(program)
    folding = Folding(Stacks(program, {point for each in bad for _, point in each}), 4)
    return counted_relations(Survey(folding), observed, bad)


def test_a_shared_number_counts_the_readers_inside() -> None:
    program = tepui.load_program(FOLDER / "readers-writers.bp")
    question = asked(program, (1, 1))
    (relation,) = question.relations
    assert text(relation) == "(= (+ |c.0| |c.1|) |g.readers.0|)"
    assert {each.thread for each in question.counted} == {0}


def test_a_test_and_set_adds_to_the_lock() -> None:
    program = tepui.loads(
        "decl k: int := 0;"
        "void worker() { atomic { wait(k = 0); k := 7; } skip; assert(k = 7); k := 0; }"
        "void main() { thread_create(worker, *); }",
        "bp",
    )
    question = asked(program, (1,))
    assert not question.relations  # Leaving does not ask whether the lock is taken.
    program = tepui.loads(
        "decl k: int := 0;"
        "void worker() {"
        " atomic { wait(k = 0); k := 7; } assert(k = 7); atomic { wait(k = 7); k := 0; } }"
        "void main() { thread_create(worker, *); }",
        "bp",
    )
    question = asked(program, (1,))
    assert [text(each) for each in question.relations] == [
        "(= (+ (* 7 |c.0|) (* 7 |c.1|)) |g.k.0|)"
    ]


def test_threads_that_are_all_observed_are_seen_and_not_counted() -> None:
    program = tepui.load_program(FOLDER / "bluetooth3.bp")
    question = asked(program, (1, 1))
    assert {each.thread for each in question.counted} == {0}
    assert {each.thread for each in question.seen} == {1}
    assert len(question.relations) == 1


def test_all_states_of_threads_are_counted_where_none_is_observed() -> None:
    program = tepui.load_program(FOLDER / "bluetooth-repaired.bp")
    question = asked(program, (0, 0))
    assert {each.thread for each in question.counted} == {0, 1}
    starts = {(program.layout.point(program.numbers[name], 0),) for name in ("add", "stop")}
    assert not starts & {each.stack for each in question.counted}
