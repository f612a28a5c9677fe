"""Data races: what is one and what is not, with every engine, and how a trace ends."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import tepui
from support.generators.race_programs import with_volatile
from tepui.program.announced import announced
from tepui.program.expressions import FALSE, TRUE, Constant, Variable
from tepui.program.program import (
    Assert,
    Assignment,
    Location,
    Position,
    Procedure,
    Program,
    Step,
    Thread,
)

RACY = "void work() { c := c + 1; }"
LOCKED = """
void work() {
    atomic { wait(!taken); taken := 1; }
    c := c + 1;
    atomic { taken := 0; }
}"""
TWICE = "decl c: int 0..3 := 0, taken := 0;\nvoid main() { thread_create(work, 2); }\n"

HANDED_OVER = """\
decl data: int 0..3 := 0, ready := 0;
void producer() { data := 2; ready := 1; }
void consumer() { wait(ready); assert(data = 2); }
void main() { thread_create(producer()); thread_create(consumer()); }
"""

SECOND_FORKED = """\
decl c: int 0..3 := 0;
void work() { c := c + 1; }
void main() {
    thread t;
    t := async work();
    if (*) { join(t); }
    t := async work();
    join(t);
}
"""

ONE_AFTER_ANOTHER = SECOND_FORKED.replace("if (*) { join(t); }", "join(t);")

SCHEDULED = """\
decl atomic;
decl x;
void init() begin atomic := F; x := F; end
void main() begin x := T; end
void thread1() begin x := F; end
"""

TWO = "decl x := 0, y := 0, z := 0, a: bool[2], i: int 0..1 := 0;\nbool f() { return 1; }\n"
CREATED = "void main() { thread_create(one()); thread_create(two()); }\n"

PAIRS = {
    "write and read": ("x := 1;", "y := x;", {"x"}),
    "two reads": ("y := x;", "z := x;", set()),
    "write and wait": ("x := 1;", "wait(x);", {"x"}),
    "a wait that never ends": ("x := 0;", "wait(x); y := 1;", {"x"}),
    "a guard that is never true": ("if (y) { x := 1; }", "x := 0;", set()),
    "not evaluated": ("x := 1;", "z := y & x;", set()),
    "evaluated": ("x := 1;", "z := y | x;", {"x"}),
    "both in sections": ("atomic { x := 1; }", "atomic { x := 0; }", set()),
    "one in a section": ("atomic { y := 1; x := 1; }", "x := 0;", {"x"}),
    "a section that blocks after it": ("atomic { x := 1; assume(y); }", "x := 0;", set()),
    "two elements": ("a[0] := 1;", "a[1] := 1;", set()),
    "the same element": ("a[i] := 1;", "a[0] := 1;", {"a"}),
    "another element by its index": ("a[i] := 1;", "a[1 - i] := 1;", set()),
    "any element": ("a[i] := 1;", "a[* ? 0 : 1] := 1;", {"a"}),
    "an element in a section": ("atomic { a[i] := 1; }", "a[i] := 0;", {"a"}),
    "another element in a section": ("atomic { a[1 - i] := 1; }", "a[i] := 0;", set()),
    "two results": ("x := f();", "x := f();", {"x"}),
    "a result and a read": ("x := f();", "y := x;", {"x"}),
    "a result in a section": ("atomic { x := f(); }", "x := f();", {"x"}),
    "results in sections": ("atomic { x := f(); }", "atomic { x := f(); }", set()),
    "a section that announces": ("a[i] := 1;", "atomic { i := 1; a[1] := 1; }", {"i"}),
    "the index has its value now": ("a[i] := 1;", "atomic { i := 1; } a[1] := 1;", {"i", "a"}),
    "an index that was assigned": ("a[i] := 1;", "i := 1; a[0] := 1;", {"i"}),
    "a result after a section": ("z := !y & x;", "atomic { y := 1; } x := f();", {"y"}),
    "an old index does not count": ("a[i] := 1;", "atomic { i := 1; } a[0] := 1;", {"i"}),
}


def read(text: str) -> Program:
    program = tepui.loads(text, "bp", name="a.bp")
    assert isinstance(program, Program)
    return program


def answers(program: Program, engine: str = "auto") -> dict[str, str]:
    """The verdict for each variable."""
    found = tepui.verify_all(program, tepui.races(program), tepui.Options(engine=engine))
    return {
        answer.question.text.removeprefix("no data race on "): answer.result.verdict
        for answer in found
    }


@pytest.mark.parametrize("engine", ["auto", "explicit", "diagram", "symbolic", "delay"])
@pytest.mark.parametrize(
    ("program", "expected"),
    [
        (read(TWICE + RACY), {"c": "unsafe"}),
        (read(TWICE + LOCKED), {"c": "safe"}),
        (with_volatile(read(HANDED_OVER), ["ready"]), {"data": "safe"}),
        (read(HANDED_OVER), {"data": "safe", "ready": "unsafe"}),
        (read(SECOND_FORKED), {"c": "unsafe"}),
        (read(ONE_AFTER_ANOTHER), {"c": "safe"}),
    ],
    ids=["racy", "locked", "volatile flag", "plain flag", "second thread", "one after another"],
)
def test_every_engine_finds_the_races(
    program: Program, expected: dict[str, str], engine: str
) -> None:
    assert answers(program, engine) == expected


@pytest.mark.parametrize("name", PAIRS)
def test_what_is_a_race(name: str) -> None:
    one, two, expected = PAIRS[name]
    program = read(f"{TWO}void one() {{ {one} }}\nvoid two() {{ {two} }}\n{CREATED}")
    assert {name for name, verdict in answers(program).items() if verdict == "unsafe"} == expected


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        (TWICE + RACY, ["work.1: c := c + 1, about to read c, write c"] * 1),
        (HANDED_OVER, ["producer: ready := 1, about to write ready", "consumer: wait(ready), "]),
        (SECOND_FORKED, ["work#1: c := c + 1, about to read c", "work#2: c := c + 1, about to"]),
        (
            f"{TWO}void one() {{ atomic {{ y := 1; x := 1; }} }} void two() {{ x := 0; }}{CREATED}",
            ["one: x := 1, about to write x", "two: x := 0, about to write x"],
        ),
        (
            f"{TWO}void one() {{ a[i] := 1; }} void two() {{ x := f(); a[0] := x; }}{CREATED}",
            ["one: a[i] := 1, about to write a[0]", "two: a[0] := x, about to write a[0]"],
        ),
        (
            f"{TWO}void one() {{ x := f(); }} void two() {{ x := f(); }}{CREATED}",
            ["one: x := f(), about to write x", "two: x := f(), about to write x"],
        ),
    ],
)
def test_a_trace_ends_in_front_of_both_accesses(text: str, ends: list[str]) -> None:
    program = read(text)
    result = tepui.verify(program, tepui.races(program))
    assert result.checked
    assert result.trace is not None
    story = result.trace.story
    assert isinstance(story, tepui.ProgramStory)
    resting = [f"{rest.thread}: {rest.statement}" for rest in story.resting]
    for end in ends:
        assert any(line.startswith(end) for line in resting), resting
    assert all(context.steps for context in story.contexts)
    shown = {change.name for step in story.steps for change in step.changes}
    assert not any("." in name for name in shown), "hidden variables are not shown"


def test_only_the_edge_that_is_taken_counts_in_a_section() -> None:
    x = Variable("x", initial=0)
    places = [Location(Position("a.bp", n, 1), f"s{n}", atomic=n > 0) for n in range(3)]
    blocked = Procedure(
        "one",
        tuple(places),
        (
            Step(0, 1),
            Step(1, 2, assignments=(Assignment(x, TRUE),)),
            Step(1, None),
            Step(2, None, FALSE),
        ),
    )
    other = Procedure("two", (places[0],), (Step(0, None, assignments=(Assignment(x, TRUE),)),))
    threads = Thread("one", "one"), Thread("two", "two")
    assert answers(Program((blocked, other), threads, (x,))) == {"x": "safe"}
    edges = (*blocked.edges[:-1], Step(2, None))
    taken = replace(blocked, edges=edges)
    assert answers(Program((taken, other), threads, (x,))) == {"x": "unsafe"}


def test_a_program_without_shared_variables_has_no_race() -> None:
    program = read("void main() { decl x; x := 1; }")
    assert tepui.verify(program, tepui.races(program)).verdict == "safe"


def test_certain_accesses_need_no_announcement() -> None:
    program = read(TWICE + LOCKED)
    assert announced(program).globals == program.globals
    program = read(TWO + "void one() { a[i] := 1; } void two() { a[i] := 0; }" + CREATED)
    assert announced(program).globals != program.globals


def test_many_accesses_of_one_variable_need_few_places() -> None:
    many = "c := c + 1;" * 60
    program = read(TWICE + LOCKED.replace("c := c + 1;", many))
    (question,) = tepui.races(program)
    assert len(question.bad.patterns) < 10
    assert tepui.verify(program, question).verdict == "safe"


def test_evidence_about_races_is_for_races_only(tmp_path: Path) -> None:
    program = read(TWICE + LOCKED + "\nvoid other() { assert(c < 3); }")
    path = tmp_path / "proof.json"
    result = tepui.verify(program, tepui.races(program))
    assert result.evidence is not None
    result.subject.write(path, result.asked, result.evidence)
    assert tepui.check(program, path, tepui.races(program)).verdict == "safe"
    racy = read(TWICE + RACY)
    with pytest.raises((tepui.EvidenceError, tepui.InputError)):
        tepui.check(racy, path, tepui.races(racy))
    with pytest.raises(tepui.EvidenceError):
        tepui.check(program, path, tepui.never_together(program, "work()", "work()"))


def test_races_are_asked_by_themselves() -> None:
    program = read(HANDED_OVER)
    questions = [tepui.deadlock(), *tepui.races(program), *tepui.assertions(program)]
    with pytest.raises(tepui.UsageError, match="ask them by themselves"):
        tepui.verify(program, questions)
    found = [answer.result.verdict for answer in tepui.verify_all(program, questions)]
    assert found == ["safe", "safe", "unsafe", "safe"]
    with pytest.raises(tepui.UsageError, match="not about"):
        tepui.verify(read(TWICE + RACY), tepui.races(program))


def test_a_scheduler_lock_is_refused() -> None:
    program = read(SCHEDULED)
    assert program.lock is not None
    with pytest.raises(tepui.UsageError, match="scheduler lock"):
        tepui.races(program)


BEYOND_A_LIMIT = f"""{TWO}
void one() {{ assert(i = 1); a[i] := 1; }}
void two() {{ a[i] := 1; }}
{CREATED}"""


def with_limit(program: Program, *, holds: bool) -> Program:
    """The program whose assertions are limits of its translation, which are reached or not."""
    procedures = tuple(
        replace(
            procedure,
            edges=tuple(
                replace(edge, kind="limit", message="room", condition=Constant(int(holds)))
                if isinstance(edge, Assert)
                else edge
                for edge in procedure.edges
            ),
        )
        for procedure in program.procedures
    )
    return replace(program, procedures=procedures)


def test_a_race_beyond_a_limit_is_never_called_safe() -> None:
    program = read(BEYOND_A_LIMIT)
    small, large = with_limit(program, holds=False), with_limit(program, holds=True)
    result = tepui.verify(small, tepui.races(small))
    assert (result.verdict, "room" in str(result.reason)) == ("unknown", True)
    raising = replace(small, raised=lambda names: large if "room" in names else None)
    assert tepui.verify(raising, tepui.races(raising)).verdict == "unsafe"
    alone = replace(large, threads=large.threads[:1])
    safe = replace(small, threads=small.threads[:1], raised=lambda _names: alone)
    assert tepui.verify(safe, tepui.races(safe)).verdict == "safe"


CHECKED = {
    "decl d: int8 := 2, n: int8 := 64; void work() { n := n / d; }": {"n"},
    "decl i: int8 := 0, a: int8[2] := 0; void work() { a[i]++; }": {"a"},
    "decl s: int8 := 1, n: int8 := 0; void work() { n <<= s; }": {"n"},
    "decl i: int8 := 0, a: bool[2] := 1; void work() { wait(a[i]); i := 0; }": {"i"},
    "decl i: int8 := 0, a: bool[2] := 1; void work() { if (a[i]) { a[0] := 0; } }": {"a"},
    "decl i: int8 := 0, a: bool[2] := 1; void work() { atomic { a[i] := !a[i]; } }": set(),
    "decl i: int8 := 0, a: bool[2] := 1; void work() { 1: a[i] := !a[i]; i := 0; }": set(),
    "decl i: int8 := 5, a: bool[2] := 1; void work() { a[i] := 0; }": set(),
    "decl i: int8 := 0, a: bool[2] := 0, y := 0;"
    "void work() { if (*) { 1: if (a[i]) { y := 1; } } else { atomic { a[0] := 0; y := 0; } } }": {
        "a"
    },
    "decl d: int8 := 0, n: int8 := 6; void work() { n := n / d; }": set(),
    "decl a: int8[3] := 0; void work() { decl i: int8; assume(i = 1); a[a[i]] := 1; }": {"a"},
}


@pytest.mark.parametrize("engine", ["explicit", "diagram", "auto"])
@pytest.mark.parametrize("text", CHECKED)
def test_a_checked_statement_is_no_atomic_section(text: str, engine: str) -> None:
    program = tepui.loads(f"{text} void main() {{ thread_create(work, 2); }}", "bp")
    assert isinstance(program, Program)
    answers = tepui.verify_all(program, tepui.races(program), tepui.Options(engine=engine))
    racing = {
        answer.question.text.removeprefix("no data race on ")
        for answer in answers
        if answer.result.verdict == "unsafe"
    }
    assert racing == CHECKED[text]
    assert all(answer.result.checked for answer in answers)
