"""The form of invariants: in files, for a program, and what can be asked of them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from support.samples.handmade_invariants import (
    at,
    loaded,
    readers_writers,
    spin_lock,
    ticket_lock,
    with_formulas,
)
from tepui.checker.evidence import Bad, all_kinds
from tepui.checker.invariants.invariant import Counter, Definition, Invariant
from tepui.checker.json_values import Values
from tepui.errors import EvidenceError, InputError
from tepui.program.expressions import Constant, Read, Self, Variable
from tepui.program.program import (
    Assert,
    Assignment,
    Fork,
    Location,
    Position,
    Procedure,
    Program,
    Step,
    Thread,
)
from tepui.program.types import BOOLEAN, THREAD
from tepui.records import replace


def always() -> bool:
    return True


def check(program: Program, invariant: Invariant, *bad: Bad) -> None:
    invariant.check_program(program, bad, always)


def read(body: dict[str, Any]) -> Invariant:
    return Invariant.read(Values("file"), "invariant", body)


def test_it_is_a_kind_of_evidence() -> None:
    assert all_kinds()["invariant"] is Invariant
    with pytest.raises(EvidenceError, match="about no system"):
        spin_lock().invariant.check(None, None, always)  # type: ignore[arg-type]


def test_what_is_written_is_read_back() -> None:
    for proof in (ticket_lock(), readers_writers()):
        counters = (*proof.invariant.counters, Counter(0, (), (("0.a.0", -3),)))
        invariant = replace(proof.invariant, counters=counters, passed=(1, 2))
        assert read(json.loads(json.dumps(invariant.body()))) == invariant
        assert invariant.fixed() == invariant
        assert invariant.size == len(invariant.definitions)


@pytest.mark.parametrize(
    "change",
    [
        {"observed": [True]},
        {"observed": 2},
        {"passed": ["1"]},
        {"counters": [{"thread": 0, "stack": [1]}]},
        {"counters": [{"thread": 0, "stack": [1], "where": []}]},
        {"counters": [{"thread": 0, "stack": [1], "where": {"0.x.0": "1"}}]},
        {"counters": [{"thread": 0.5, "stack": [1], "where": {}}]},
        {"definitions": [{"stacks": [1], "formula": "true"}]},
        {"definitions": [{"stacks": [[1]], "formula": True}]},
        {"definitions": [{"stacks": [[1]], "formula": "true", "more": 1}]},
        {"definitions": {}},
    ],
)
def test_a_file_of_another_form_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        read({**spin_lock().invariant.body(), **change})


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"observed": ()}, "observes threads of 0 types"),
        ({"observed": (-1,)}, "observes -1 threads worker"),
        ({"observed": (3,)}, "2 control stacks, and 3 threads"),
        ({"counters": (Counter(1, ()),)}, "of a type that does not exist"),
        ({"counters": (Counter(0, (99,)),)}, "a control stack with an unknown point"),
        ({"counters": (Counter(0, (0,), (("0.x.0", 1),)),)}, "'0.x.0', which is no variable"),
        ({"definitions": (Definition(((0,),), "true"),)}, "1 control stacks, and 2 threads"),
        ({"definitions": (Definition(((0,), (2,)), "true"),)}, "an initial state"),
        ({"definitions": (Definition(((0,), (0, 0)), "true"),)}, "an initial state"),
        ({"definitions": (Definition(((0,), (0,)), "true"),) * 2}, "the same control stacks"),
        ({"definitions": (Definition(((0,), (0,)), "|g.x.0|"),)}, "'g.x.0', which is no variable"),
        ({"definitions": ()}, "an initial state is not in the invariant"),
        ({"passed": (99,)}, "99 is no location"),
        ({"passed": (1,)}, "cannot be passed"),
    ],
)
def test_an_invariant_must_fit_the_program(change: dict[str, Any], problem: str) -> None:
    proof = spin_lock()
    with pytest.raises(EvidenceError) as error:
        check(proof.program, replace(proof.invariant, **change), *proof.bad)
    assert problem in str(error.value)


def test_what_cannot_occur_may_be_defined_and_counted() -> None:
    proof = readers_writers()
    definitions = *proof.invariant.definitions, Definition(((0,), (0, 0)), "nonsense (")
    counters = *proof.invariant.counters, Counter(0, ()), Counter(1, (7, 0)), Counter(0, (2,))
    more = replace(proof.invariant, definitions=definitions, counters=counters)
    check(proof.program, more, *proof.bad)


def test_more_threads_than_there_are_cannot_be_observed() -> None:
    proof = spin_lock()
    two = replace(proof.program, threads=(replace(proof.program.threads[0], count=2),))
    check(two, proof.invariant, *proof.bad)
    one = replace(proof.program, threads=(replace(proof.program.threads[0], count=1),))
    with pytest.raises(EvidenceError, match="observes 2 threads worker"):
        check(one, proof.invariant, *proof.bad)


@pytest.mark.parametrize(
    ("bad", "problem"),
    [
        ((), "neither one thread nor two"),
        (((0, 4), (0, 4), (0, 4)), "neither one thread nor two"),
        (((1, 4),), "what the program does not have"),
        (((0, 99),), "what the program does not have"),
        (((0, 2),), "inside an atomic section"),
    ],
)
def test_what_cannot_be_asked_is_refused(bad: Bad, problem: str) -> None:
    proof = spin_lock()
    with pytest.raises(EvidenceError, match=problem):
        check(proof.program, proof.invariant, bad)


def test_a_violation_is_bad_by_itself() -> None:
    proof = ticket_lock()
    ((violation,), _) = proof.bad
    with pytest.raises(EvidenceError, match="by itself"):
        check(proof.program, proof.invariant, (violation, (0, 0)))


def test_messages_name_statements_and_threads() -> None:
    proof = ticket_lock()
    critical, turn = at(proof.program, "critical"), at(proof.program, "turn")
    with pytest.raises(EvidenceError, match=r"a bad state is in it, where customer is at wait"):
        check(proof.program, proof.invariant, ((0, turn), (0, turn)))
    weak = [
        replace(each, formula="true") if each.stacks[0] == (critical,) else each
        for each in proof.invariant.definitions
    ]
    damaged = replace(proof.invariant, definitions=tuple(weak))
    with pytest.raises(EvidenceError, match=r"customer .* may violate assert\(called = mine\)"):
        check(proof.program, damaged, proof.bad[0])
    with pytest.raises(EvidenceError, match=r"a step of .* customer that is at .* leads out of it"):
        check(proof.program, damaged)


CROWD = """
decl inside: int := 0;
void one() {
    atomic { wait(inside = 0); inside := 1; }
    here: skip;
    there: inside := 0;
}
void main() { thread_create(one, *); }
"""


@pytest.mark.parametrize("observed", [0, 1])
@pytest.mark.parametrize("names", [("here", "here"), ("here", "there"), ("there", "here")])
def test_two_threads_are_excluded_by_counters(observed: int, names: tuple[str, str]) -> None:
    program = loaded(CROWD, "crowd")
    here, there = at(program, "here"), at(program, "there")
    counters = Counter(0, (here,)), Counter(0, (there,))
    invariant = with_formulas(
        program, (observed,), lambda _: ["(= |g.inside.0| (+ |c.0| |c.1|))"], (), counters
    )
    two = (0, at(program, names[0])), (0, at(program, names[1]))
    with pytest.raises(EvidenceError, match="a bad state is in it"):
        check(program, invariant, two)
    strong = [
        replace(each, formula=f"(and (<= |g.inside.0| 1) {each.formula})")
        for each in invariant.definitions
    ]
    check(program, replace(invariant, definitions=tuple(strong)), two)
    lacking = replace(invariant, counters=(Counter(0, (here,), ()), Counter(0, ())))
    if names != ("here", "here") and not observed:
        with pytest.raises(EvidenceError, match="no counter says how many threads one are at"):
            check(program, lacking, two)


@pytest.mark.parametrize("observed", [0, 1])
@pytest.mark.parametrize("names", [("here", "here"), ("here", "there"), ("there", "here")])
def test_two_threads_that_counters_allow_are_not_excluded(
    observed: int, names: tuple[str, str]
) -> None:
    """Two threads get in, and a third one does not."""
    text = CROWD.replace("inside = 0", "inside < 2").replace("inside := 1", "inside := inside + 1")
    program = loaded(text.replace("inside := 0;\n}", "inside := inside - 1;\n}"), "semaphore")
    here, there = at(program, "here"), at(program, "there")
    counters = Counter(0, (here,)), Counter(0, (there,))
    sums = ["(= |g.inside.0| (+ |c.0| |c.1|))", "(<= |g.inside.0| 2)"]
    invariant = with_formulas(program, (observed,), lambda _: sums, (), counters)
    check(program, invariant)
    with pytest.raises(EvidenceError, match="a bad state is in it"):
        check(program, invariant, ((0, at(program, names[0])), (0, at(program, names[1]))))


def test_one_thread_is_excluded_by_a_counter() -> None:
    program = loaded(
        "decl open := 0; void one() { a: skip; wait(open); b: skip; } "
        "void main() { thread_create(one, *); }",
        "dead",
    )
    reached = at(program, "b")
    with pytest.raises(EvidenceError, match="no counter"):
        check(program, with_formulas(program, (0,), lambda _: []), ((0, reached),))
    counted = Counter(0, (reached,))
    invariant = with_formulas(program, (0,), lambda _: ["(= |g.open.0| |c.0| 0)"], (), (counted,))
    check(program, invariant, ((0, reached),))
    with pytest.raises(EvidenceError, match="a bad state"):
        check(program, with_formulas(program, (0,), lambda _: [], (), (counted,)), ((0, reached),))


def test_one_thread_is_no_two_threads() -> None:
    program = loaded("void main() { a: skip; b: skip; }", "alone")
    invariant = with_formulas(program, (1,), lambda _: [])
    place = 0, at(program, "a")
    check(program, invariant, (place, place))
    with pytest.raises(EvidenceError, match="a bad state"):
        check(program, invariant, (place,))


def by_hand(*edges: Any, **changes: Any) -> Program:
    """A program of one procedure with three locations."""
    locations = tuple(Location(Position("f", line, 1), f"l{line}") for line in range(3))
    flag, name = Variable("flag", BOOLEAN, None, 0), Variable("name", THREAD, None, 0)
    threads = (Thread("one", "one", None),)
    program = Program((Procedure("one", locations, edges),), threads, (flag, name), name="hand")
    return replace(program, **changes)


FLAG, NAME = Variable("flag", BOOLEAN, None, 0), Variable("name", THREAD, None, 0)


@pytest.mark.parametrize(
    ("program", "problem"),
    [
        (by_hand(Fork(0, 1, "one")), "forked or joined"),
        (
            by_hand(Step(0, 1), lock=FLAG, threads=(Thread("one", "one"),)),
            "a scheduler lock",
        ),
        (by_hand(Assert(0, 1, Read(FLAG), kind="limit")), "limits of the translation"),
        (
            by_hand(Step(0, 1, assignments=(Assignment(NAME, Constant(1, THREAD)),))),
            "named by constants",
        ),
    ],
)
def test_some_programs_are_refused_by_name(program: Program, problem: str) -> None:
    with pytest.raises(EvidenceError) as error:
        check(program, Invariant((1,), (), (), ()))
    assert problem in str(error.value)
    check_again = by_hand(Step(0, 1, assignments=(Assignment(NAME, Self()),)))
    check(check_again, with_formulas(check_again, (1,), lambda _: []))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("void f() { f(); } void main() { f(); }", "recursion (f)"),
        ("void main() { atomic { while (*) { skip; } } }", "a loop inside an atomic section"),
        (
            "decl x: int := 0; decl y: int := 0; void main() { x := x * y; }",
            "a product of two variables",
        ),
        (
            "decl x: int := 1; void main() { x := 5 / x; }",
            "the operator / with a variable on its right",
        ),
    ],
)
def test_some_statements_are_refused_by_name(text: str, problem: str) -> None:
    program = loaded(text, "refused")
    with pytest.raises(EvidenceError) as error:
        check(program, Invariant((1,), (), (), ()))
    assert problem in str(error.value)
