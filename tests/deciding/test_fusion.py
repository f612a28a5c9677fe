"""Fused steps: the same answers as without them, from fewer states."""

from __future__ import annotations

from random import Random

import pytest

import tepui
from support.generators.programs import random_program, with_bare_ends
from support.generators.race_programs import with_checks
from support.sizes import sized
from tepui.checker import Trace
from tepui.deciding import Options, explore, verify, verify_all
from tepui.deciding.algorithm3 import Shared
from tepui.deciding.drivers import asked_system
from tepui.limits import Limits
from tepui.program.expressions import FALSE, TRUE
from tepui.program.program import (
    Assert,
    Call,
    Location,
    Position,
    Procedure,
    Program,
    Receive,
    Return,
    Thread,
)
from tepui.program.questions import assertions, deadlock, never_together, unreachable
from tepui.program.types import BOOLEAN
from tepui.result import Result
from tepui.subject import about

LIMITS = Limits(max_contexts=10, timeout=60)

ENGINES = ("explicit", "explicit", "diagram", "symbolic", "auto")


def test_calls_may_be_nested_deeper_than_those_of_python() -> None:
    calls = "".join(f"void p{n}() {{ decl x := 0; x := 1; p{n + 1}(); }}\n" for n in range(500))
    text = f"{calls}void p500() {{ assert(0); }}\nvoid main() {{ p0(); }}\n"
    assert verify(tepui.loads(text, "bp")).verdict == "unsafe"


def test_what_is_local_costs_no_states() -> None:
    program = _program(
        """
        decl g := 0;
        void worker() { decl t := 0; t := g; t := !t; t := !t; g := t; assert(!g); }
        void main() { thread_create(worker); thread_create(worker); }
        """
    )
    fused, single = _both(program)
    assert fused.verdict == single.verdict == "safe"
    assert (fused.subject.fused, single.subject.fused) == (True, False)
    assert (fused.states, single.states) == (16, 36)


def test_a_checked_statement_is_part_of_the_step_before() -> None:
    program = _program(
        """
        decl g := 0;
        void worker() { decl t: int8 := 4, d: int8 := 2; g := 1; t := t / d; t := t % d; g := 0; }
        void main() { thread_create(worker); thread_create(worker); }
        """
    )
    fused, single = _both(program)
    assert fused.verdict == single.verdict == "safe"
    assert (fused.states, single.states) == (11, 31)


@pytest.mark.parametrize(
    "loop", ["while (t / d = 1) { skip; }", "do { t := t / d; } while (t = 1);"]
)
def test_a_checked_loop_has_a_place_to_rest(loop: str) -> None:
    program = _program(
        f"""
        decl g := 0;
        void one() {{ decl t: int8 := 1, d: int8 := 1; g := 1; {loop} }}
        void two() {{ assert(!g); }}
        void main() {{ thread_create(one); thread_create(two); }}
        """
    )
    for result in _both(program, tepui.violations(program, "assertion")[0]):
        assert (result.verdict, result.bound) == ("unsafe", 2)
    for result in _both(program, deadlock()):
        assert result.verdict == "safe"


def test_a_fused_path_that_blocks_rests_where_it_blocks() -> None:
    """In an atomic section the step would not exist, and there would be no deadlock."""
    program = _program(
        """
        decl g := 0;
        void one() { decl t := 0; g := 1; t := !t; assume(!t); g := 0; }
        void main() { thread_create(one); }
        """
    )
    for result in _both(program, deadlock()):
        assert (result.verdict, result.bound) == ("unsafe", 1)
        assert result.trace is not None
        assert isinstance(result.trace.story, tepui.ProgramStory)
        assert [each.statement for each in result.trace.story.resting] == ["assume(!t)"]


def test_a_fused_path_may_block_for_some_values_only() -> None:
    program = _program(
        """
        decl g := 0;
        void one() { decl t; g := 1; assume(t); g := 0; }
        void main() { thread_create(one); }
        """
    )
    for result in _both(program, deadlock()):
        assert (result.verdict, result.bound) == ("unsafe", 1)


@pytest.mark.parametrize(
    "endless", ["while (1) { skip; }", "loop();", "here: goto here;", "while (1) { t := !t; }"]
)
def test_a_step_that_could_go_on_for_ever_ends(endless: str) -> None:
    program = _program(
        f"""
        decl g := 0;
        void loop() {{ loop(); }}
        void one() {{ decl t := 0; g := 1; {endless} }}
        void two() {{ assert(!g); }}
        void main() {{ thread_create(one); thread_create(two); }}
        """
    )
    for result in _both(program, engine="diagram"):
        assert (result.verdict, result.bound) == ("unsafe", 2)
    for result in _both(program, deadlock(), engine="diagram"):
        assert result.verdict == "safe"


def test_a_failing_local_assertion_leaves_room_for_others() -> None:
    """Its failure halts the program. If it were part of the step before, nobody could see g."""
    program = _program(
        """
        decl g := 0;
        void one() { decl t := 0; g := 1; assert(t); }
        void two() { assume(g); assert(0); }
        void main() { thread_create(one); thread_create(two); }
        """
    )
    for fusion in (True, False):
        answers = verify_all(program, options=Options(fusion=fusion))
        assert [(each.result.verdict, each.result.bound) for each in answers] == [
            ("unsafe", 1),
            ("unsafe", 2),
        ]


def test_others_move_before_a_result_is_assigned_to_a_shared_variable() -> None:
    """To return means to assign: nothing happens between."""
    program = _program(
        """
        decl x := 0, g := 0;
        bool f() { g := 1; return 1; }
        void one() { x := f(); }
        void two() { assume(g); assert(x); }
        void main() { thread_create(one); thread_create(two); }
        """
    )
    for result in _both(program):
        assert (result.verdict, result.bound) == ("unsafe", 2)


def test_a_question_sees_the_places_that_it_names() -> None:
    program = _program(
        """
        decl g := 0;
        void one() { decl t := 0; g := 1; A: t := !t; t := !t; g := 0; }
        void two() { assume(g); B: skip; }
        void main() { thread_create(one); thread_create(two); }
        """
    )
    for question in (unreachable(program, "A"), never_together(program, "A", "B")):
        fused, single = _both(program, question)
        assert (fused.verdict, fused.bound) == (single.verdict, single.bound)
        assert fused.verdict == "unsafe"


def test_a_trace_shows_every_step() -> None:
    program = tepui.load_program("examples/bluetooth1.bp")
    fused, single = _both(program)
    assert str(fused.trace) == str(single.trace)
    assert isinstance(fused.evidence, Trace)


def test_sections_under_the_scheduler_lock_are_single_steps() -> None:
    program = _program(
        """
        decl atomic, g;
        void init() begin decl at; atomic := F; g := F; end
        void thread0() begin
            decl at, t;
            atomic, at := T, T; t := g; t := !t; g := t; g := !g; g := !g; atomic, at := F, F;
        end
        void thread1() begin
            decl at, t;
            atomic, at := T, T; while (!g) do g := !g; od t := g; g := !t; atomic, at := F, F;
        end
        """
    )
    assert program.lock is not None
    fused, single = _both(program, deadlock())
    assert (fused.verdict, fused.states, single.states) == ("safe", 18, 47)


def test_steps_that_are_counted_are_not_fused() -> None:
    program = tepui.load_program("examples/peterson.bp")
    assert not verify(program, options=Options(engine="delay")).subject.fused
    assert not explore(program).subject.fused
    assert not verify(program, options=Options(fusion=False)).subject.fused


@pytest.mark.fuzz
@pytest.mark.parametrize("batch", range(4))
def test_fused_or_not_the_answers_are_the_same(batch: int) -> None:
    for seed in range(batch, sized(1000), 4):
        program = random_program(Random(seed))
        program = with_bare_ends(program) if seed % 3 == 0 else program
        program = with_checks(program, Random(seed)) if seed % 4 < 2 else program
        engine = ENGINES[seed % len(ENGINES)]
        labels = [label for label in ("A", "B", "L0", "L1") if _has(program, label)]
        questions = [
            *assertions(program),
            *(unreachable(program, label) for label in labels),
            deadlock(),
        ]
        answers = [
            [
                _compared(each.result)
                for each in verify_all(
                    program, questions, Options(engine=engine, fusion=fusion, limits=LIMITS)
                )
            ]
            for fusion in (True, False)
        ]
        for fused, single in zip(*answers, strict=True):
            if "unknown" not in (fused[0], single[0]):
                assert fused == single, seed


@pytest.mark.fuzz
def test_fused_or_not_the_same_statements_are_covered() -> None:
    compared = 0
    for seed in range(sized(300)):
        program = random_program(Random(seed))
        program = with_checks(program, Random(seed)) if seed % 2 else program
        covered = []
        for fusion in (True, False):
            options = Options(engine="explicit", strengths=(), fusion=fusion, limits=LIMITS)
            result = verify(program, deadlock(), options)
            if result.verdict == "safe":
                covered.append(result.coverage)
        assert len(set(covered)) <= 1, seed
        compared += len(covered) == 2
    assert compared


def _compared(result: Result) -> tuple[object, ...]:
    """What must not depend on fusion; how a proof was found may."""
    return result.verdict, result.bound if result.verdict == "unsafe" else None


def _both(
    program: Program, question: tepui.Question | None = None, engine: str = "explicit"
) -> tuple[Result, Result]:
    """The answers with fusion and without it."""
    options = (Options(engine=engine, strengths=(), fusion=fusion) for fusion in (True, False))
    fused, single = (verify(program, question, each) for each in options)
    assert fused.checked == single.checked
    return fused, single


def _has(program: Program, label: str) -> bool:
    return any(
        label in location.labels
        for procedure in program.procedures
        for location in procedure.locations
    )


def _program(text: str) -> Program:
    return tepui.loads(text, "bp", name="program.bp")


def test_a_receipt_that_enters_a_section_ends_a_fused_step() -> None:
    places = [Location(Position("a.bp", 1 + n, 1), f"s{n}", atomic=n == 2) for n in range(3)]
    main = Procedure(
        "main",
        tuple(places),
        (Call(0, 1, "f"), Receive(1, 2, (None,)), Assert(2, None, FALSE)),
    )
    end = Location(Position("a.bp", 9, 1), "return")
    called = Procedure("f", (end,), (Return(0, (TRUE,)),), results=(BOOLEAN,))
    program = Program((main, called), (Thread("main", "main"),), name="receipt")
    for question in (deadlock(), *assertions(program)):
        fused, single = _both(program, question)
        assert (fused.verdict, fused.bound) == (single.verdict, single.bound)


def test_engines_that_count_delays_take_no_part_in_a_race_over_fused_steps() -> None:
    """What they would count is not a step of the program."""
    program = tepui.load_program("examples/work-queue.bp")
    for fused in (True, False):
        system = asked_system(program, [deadlock()], Options(), fused=fused)
        racing = {each.kind.counts for each in Shared(about(system), Options()).entrants.left()}
        assert racing == ({"contexts", "steps"} if fused else {"contexts", "steps", "delays"})
