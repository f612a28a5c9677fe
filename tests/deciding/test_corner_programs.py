"""Small programs that once got a wrong answer, or none, with every engine, fused or not."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest

import tepui
from tepui.program.build import ProcedureBuilder, ProgramBuilder
from tepui.program.expressions import FALSE, TRUE, Binary, Read, ReadElement, Self, Variable
from tepui.program.program import Assert, Assignment, Fork, Position, Step
from tepui.program.types import THREAD, Array, Bounded
from tepui.z import parse_strength


@dataclass(frozen=True)
class Corner:
    """A program with one question: its assertions, a label, or deadlock."""

    name: str
    text: str
    verdict: str
    asked: str = ""
    options: dict[str, str] = field(default_factory=dict)


CORNERS = [
    Corner(
        "a result goes to an element whose index is inside: nobody moves between",
        """
        decl g := 0; decl m: bool[2] := 1; decl i: int 0..1 := 1;
        bool h() { return g; }
        void one() { m[0] := h(); assert(g => m[0]); m[i] := h(); assert(g => m[i]); }
        void two() { atomic { g := 1; m[0] := 1; m[1] := 1; } }
        void main() { thread_create(one); thread_create(two); }
        """,
        "safe",
    ),
    Corner(
        "threads that know themselves beside slots",
        """
        thread u;
        void q() { skip; }
        void w() { u := thread_self(); }
        void main() { thread_create(w, 2); async q(); }
        """,
        "safe",
        "deadlock",
    ),
    Corner(
        "a call with an identity where steps are fused and threads forked",
        """
        thread u;
        void q() { skip; }
        bool h(y: thread) { return u = y; }
        void main() { decl b := 0; async q(); b := h(u); L: u := u; }
        """,
        "unsafe",
        "L",
    ),
    Corner(
        "two forks in one section are no endless loop",
        """
        decl x := 0;
        void w() { skip; }
        void main() { skip; atomic { async w(); async w(); } assert(!x); }
        """,
        "safe",
    ),
    Corner(
        "a coarse Z of a procedure that is called and forked",
        """
        decl a: bool := 1; decl x: bool := 0; thread w;
        bool h() { return w = thread_self(); }
        void q() { if (!a) { L: x := h(); } }
        void main() { w := async q(); w := async q(); async h(); }
        """,
        "safe",
        "L",
        {"z": "cut"},
    ),
    Corner(
        "a call decides a value in the frame of its caller",
        """
        decl g := 0;
        void f(p: int 0..40) { g := !g; }
        void main() { decl a: int 0..40; f(a); if (a > 30) { L: skip; } }
        """,
        "unsafe",
        "L",
    ),
    Corner(
        "a smaller sort beside a variable of the same type",
        """
        decl x: int 0..99999; decl y: int 0..99999; decl z: int 0..99999;
        void main() { if (x != y) { if (z > 50000) { L: skip; } } }
        """,
        "unsafe",
        "L",
    ),
    Corner(
        "arguments of a fork that were decided by it",
        """
        void f(p, q, r, s, v) { assert(!p || !q || !r || !s || !v); }
        void main() { decl a, b, c, d, e; async f(a, b, c, d, e); }
        """,
        "unsafe",
    ),
    Corner(
        "a result that was decided by its return, beside a smaller sort",
        """
        decl x: int 0..99999, y: int 0..99999;
        int 0..40 f() { decl a: int 0..40; return a; }
        void main() { decl b: int 0..40; b := f(); if (b > 30) { if (x != y) { L: skip; } } }
        """,
        "unsafe",
        "L",
    ),
    Corner(
        "parentheses between machine integers of different widths",
        """
        decl a: int16 := 0, b: int8 := 127, c: int8 := 1, r: int16;
        void main() {
            r := a + (b + c); assert(r = -128);
            r := a; r += b + c; assert(r = -128);
            r := a + b + c; assert(r = 128);
            r := a ^ (b * (c + c)); assert(r = -2);
        }
        """,
        "safe",
    ),
    Corner(
        "a shift without sign has the type of what is shifted",
        """
        decl x: int32 := 2, y: int32 := -1;
        void main() { assert(y * (x >>> 1) < 0); assert(-12 % (y >>> 15) = -12); }
        """,
        "safe",
    ),
]


@pytest.mark.parametrize("fusion", [True, False])
@pytest.mark.parametrize("engine", ["auto", "explicit", "diagram", "symbolic"])
@pytest.mark.parametrize("corner", CORNERS, ids=lambda corner: corner.name)
def test_the_answer_is_right(corner: Corner, engine: str, fusion: bool) -> None:
    program = tepui.loads(corner.text, "bp", name="corner.bp")
    question = None
    if corner.asked:
        question = (
            tepui.deadlock()
            if corner.asked == "deadlock"
            else tepui.unreachable(program, corner.asked)
        )
    strengths = parse_strength(corner.options.get("z", "auto"))
    options = tepui.Options(engine=engine, fusion=fusion, strengths=strengths)
    result = tepui.verify(program, question, options)
    assert (result.verdict, result.checked) == (corner.verdict, True)


WIDE_IN_FUSED_STEPS = """
decl g: int 0..2 := 0;
void main() {
    decl a: uint16, b: uint16, c: uint16, d: uint16, e: uint16, k: uint16;
    g := 1;
    if (a > 9) skip;
    if (b > 9) skip;
    if (c > 9) skip;
    if (d > 9) skip;
    if (e > 9) skip;
    g := 2;
    if (k > 9) assert(g = 2);
    g := 1;
}
"""


def test_wide_values_in_fused_steps_cost_neither_the_answer_nor_coverage() -> None:
    program = tepui.loads(WIDE_IN_FUSED_STEPS, "bp")
    result = tepui.verify(program, options=tepui.Options(check=False))
    assert result.verdict == "safe"
    for _ in range(3):  # Whoever asks, and however often.
        assert result.coverage is not None
        assert not result.coverage.unreached


def test_a_path_that_lacks_a_slot_covers_nothing() -> None:
    """The join waits for a thread of its own section, so the section is never completed."""
    program = tepui.loads(
        """
        decl g := 0;
        void f() { g := 0; }
        void h() { async f(); L: g := 1; }
        void main() { thread t; t := async h(); atomic { skip; t := async f(); join(t); } }
        """,
        "bp",
    )
    options = tepui.Options(engine="explicit", symmetry=False)
    result = tepui.verify(program, tepui.unreachable(program, "L"), options)
    assert result.verdict == "unsafe"
    assert result.coverage is not None
    texts = {each.text for each in result.coverage.statements if each.reached_by}
    assert "skip" not in texts


def test_a_program_that_forks_is_explored_up_to_its_limits() -> None:
    x = Variable("x", initial=0)
    work = ProcedureBuilder("work")
    work.add(Step(work.rest(_line(1), "x := 1"), work.end, assignments=(Assignment(x, TRUE),)))
    main = ProcedureBuilder("main")
    fork, limit = main.rest(_line(2), "fork"), main.rest(_line(3), "limit")
    main.add(Fork(fork, limit, "work"))
    main.add(Assert(limit, main.end, FALSE, kind="limit", message="full"))
    builder = ProgramBuilder("limited", [x])
    builder.add(work.draft())
    builder.add(main.draft())
    builder.run("main")
    result = tepui.explore(builder.finish())
    assert result.stop is not None
    assert (result.verdict, result.stop.kind) == ("stopped", "limit")


def test_races_of_a_program_with_an_array_of_identities() -> None:
    i = Variable("i", Bounded(0, 1), initial=0)
    names, u = Variable("names", Array(THREAD, 2), initial=0), Variable("u", THREAD, initial=0)
    work = ProcedureBuilder("work")
    first, check = work.rest(_line(1), "u := Self"), work.rest(_line(2), "check")
    work.add(Step(first, check, assignments=(Assignment(u, Self()),)))
    work.add(Assert(check, work.end, Binary("!=", ReadElement(names, Read(i)), Read(u))))
    builder = ProgramBuilder("named", [i, names, u])
    builder.add(work.draft())
    builder.run("work", count=2)
    program = builder.finish()
    assert tepui.verify(program, tepui.races(program)).verdict == "unsafe"


def test_a_step_with_too_many_outcomes_is_unknown_with_every_engine() -> None:
    program = tepui.loads(
        """
        decl g: int32;
        void rec() { decl q: int32; if (*) { rec(); if (q = g) { L: skip; } } }
        void main() { rec(); }
        """,
        "bp",
    )
    for engine in ("auto", "explicit", "diagram", "symbolic"):
        question = tepui.unreachable(program, "L")
        result = tepui.verify(program, question, tepui.Options(engine=engine))
        assert result.stop is not None
        assert (result.verdict, result.stop.kind) == ("unknown", "choices")


def test_evidence_about_a_program_that_joins_and_never_forks_is_read_back(tmp_path: Path) -> None:
    program = tepui.loads("thread u; void main() { join(u); assert(0); }", "bp")
    result = tepui.verify(program)
    assert result.verdict == "safe"
    assert result.evidence is not None
    result.subject.write(tmp_path / "e.json", result.asked, result.evidence)
    tepui.check(program, tmp_path / "e.json")


def _line(number: int) -> Position:
    return Position("corner.toy", number, 1)
