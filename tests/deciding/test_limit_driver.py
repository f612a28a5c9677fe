"""Limits of a translation: asked with every question, raised as long as they are reached.

A thread allocates again and again, up to the limit of the heap. The limit is reachable before a
violation or a deadlock, after it, or instead of it, and a hook raises it until it is enough, or
gives up.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

import tepui
from tepui.deciding import drivers
from tepui.deciding.drivers import at_once, drive
from tepui.deciding.evidence_check import checked
from tepui.deciding.options import Options
from tepui.deciding.verification import explore, verify, verify_all
from tepui.errors import EvidenceError, EvidenceRejected, InputError, ModelError, UsageError
from tepui.limits import Meter
from tepui.program.build import ProcedureBuilder, ProgramBuilder
from tepui.program.drafts.draft import Creation
from tepui.program.expressions import (
    FALSE,
    TRUE,
    Binary,
    ComparisonOperator,
    Constant,
    Expression,
    Read,
    Variable,
)
from tepui.program.program import Assert, Assignment, Location, Position, Program, Step
from tepui.program.questions import Question, assertions, deadlock, limits, unreachable
from tepui.program.semantics.meaning import Meaning
from tepui.program.types import Bounded
from tepui.report.proof_text import _why_unsafe
from tepui.result import Result

COUNT = Bounded(0, 30)
USED, FLAG = Variable("used", COUNT, initial=0), Variable("flag", initial=0)
FULL = "the heap is full"


def compared(operator: ComparisonOperator, number: int) -> Expression:
    return Binary(operator, Read(USED), Constant(number, COUNT))


@dataclass
class Heap:
    """A program whose thread allocates `most` objects, or for ever, and what happens then."""

    most: int | None = None
    violated_at: int | None = None
    stuck_at: int | None = None
    enough: int = 0
    """Up to which size the heap can be raised."""
    forked: bool = False
    flag: bool = False
    """Whether another thread violates an assertion once the first one has set a flag."""
    raised: list[frozenset[str]] = field(default_factory=list)

    def program(self, size: int = 2) -> Program:
        builder = ProgramBuilder("heap", [USED, FLAG])
        builder.add(self._worker(size).draft())
        if self.forked:
            main = ProcedureBuilder("main")
            start = main.rest(_line(20), "fork worker")
            waits = main.rest(_line(21), "wait")
            main.create(start, waits, [Creation("worker")])
            # It may fork again, so that the worker is forked and not created.
            main.add(Step(waits, start, guard=FALSE))
            main.add(Step(waits, waits))
            builder.add(main.draft())
            builder.run("main")
        else:
            builder.run("worker")
        if self.flag:
            other = ProcedureBuilder("other")
            waits = other.rest(_line(30), "wait flag")
            bad = other.rest(_line(31), "assert false")
            other.add(Step(waits, bad, guard=Read(FLAG)))
            other.add(Assert(bad, bad, FALSE))
            builder.add(other.draft())
            builder.run("other")
        return replace(builder.finish(), raised=lambda names: self._larger(size, names))

    def _worker(self, size: int) -> ProcedureBuilder:
        worker = ProcedureBuilder("worker")
        top = worker.rest(_line(1), "repeat")
        new = worker.rest(_line(2), "new")
        counted = worker.rest(_line(3), "count")
        check = worker.rest(_line(4), "check")
        over = worker.rest(_line(5), "over", ["OVER"])
        going = TRUE if self.most is None else compared("<", self.most)
        if self.stuck_at is not None:
            going = Binary("and", going, compared("!=", self.stuck_at))
        worker.add(Step(top, new, guard=going))
        worker.add(Step(top, over, guard=compared("=", 30 if self.most is None else self.most)))
        worker.add(Assert(new, counted, compared("<", size), kind="limit", message=FULL))
        more = Binary("+", Read(USED), Constant(1, COUNT))
        set_flag = (Assignment(FLAG, TRUE),) if self.flag else ()
        worker.add(Step(counted, check, assignments=(Assignment(USED, more), *set_flag)))
        at = 30 if self.violated_at is None else self.violated_at
        worker.add(Assert(check, top, compared("!=", at)))
        worker.add(Step(over, over))
        return worker

    def _larger(self, size: int, names: frozenset[str]) -> Program | None:
        self.raised.append(names)
        return self.program(size + 1) if size < self.enough else None


def _line(number: int) -> Position:
    return Position("heap.toy", number, 1)


def no_assertion(program: Program) -> list[Question]:
    return assertions(program)


def no_deadlock(program: Program) -> list[Question]:
    return [deadlock()]


def not_over(program: Program) -> list[Question]:
    return [unreachable(program, "OVER")]


def answer(heap: Heap, asked: Callable[[Program], list[Question]] = no_assertion) -> Result:
    program = heap.program()
    return verify(program, asked(program))


def assert_limited(result: Result) -> None:
    assert result.verdict == "unknown"
    assert result.stop is not None
    assert result.stop.kind == "limit"
    assert result.stop.text.startswith(f"heap.toy:2: {FULL}")
    assert result.trace is None
    assert "heap.toy:2" in str(result)


@pytest.mark.parametrize("forked", [False, True])
@pytest.mark.parametrize(
    ("asked", "heap"),
    [
        (no_assertion, Heap(violated_at=1)),
        (no_deadlock, Heap(stuck_at=1)),
        (not_over, Heap(most=1)),
    ],
)
def test_what_comes_before_the_limit_is_found_at_once(
    asked: Callable[[Program], list[Question]], heap: Heap, forked: bool
) -> None:
    heap = replace(heap, forked=forked and asked is not no_deadlock, raised=[])
    result = answer(heap, asked)
    assert (result.verdict, result.checked, heap.raised) == ("unsafe", True, [])
    assert not any(note.kind == "limits" for note in result.remarks)


@pytest.mark.parametrize(
    ("asked", "heap"),
    [
        (no_assertion, Heap(violated_at=4)),
        (no_deadlock, Heap(stuck_at=4)),
        (not_over, Heap(most=4)),
    ],
)
def test_what_comes_after_the_limit_is_found_once_it_is_raised(
    asked: Callable[[Program], list[Question]], heap: Heap
) -> None:
    raised: list[frozenset[str]] = []
    result = answer(replace(heap, enough=9, raised=raised), asked)
    assert (result.verdict, result.checked) == ("unsafe", True)
    assert raised == [frozenset([FULL])] * 2
    assert_limited(answer(replace(heap, enough=3, raised=[]), asked))
    assert_limited(answer(replace(heap, enough=0, raised=[]), asked))


@pytest.mark.parametrize("forked", [False, True])
def test_only_answers_are_checked(monkeypatch: pytest.MonkeyPatch, forked: bool) -> None:
    seen: list[Result] = []

    def note(result: Result, meter: Meter, options: Options) -> Result:
        seen.append(result)
        return checked(result, meter, options)

    monkeypatch.setattr(drivers, "checked", note)
    heap = Heap(most=9, violated_at=9, enough=16, forked=forked)
    result = verify(heap.program())
    assert (result.verdict, result.checked) == ("unsafe", True)
    assert heap.raised
    assert [each.verdict for each in seen].count("unsafe") == 1


@pytest.mark.parametrize("asked", [no_assertion, no_deadlock])
def test_nothing_is_safe_while_the_limit_is_reachable(
    asked: Callable[[Program], list[Question]],
) -> None:
    """Running out of heap halts the program: nothing can be said about what lies beyond."""
    for enough in (0, 3):
        assert_limited(answer(Heap(most=4, enough=enough), asked))
        assert_limited(answer(Heap(enough=enough), asked))
    result = answer(Heap(most=4, enough=9), asked)
    assert (result.verdict, result.checked) == ("safe", True)
    assert [question.kind for question in result.questions] == [asked(Heap().program())[0].kind]
    assert answer(Heap(most=2), asked).verdict == "safe"


def test_forked_threads_run_into_limits_too() -> None:
    assert_limited(answer(Heap(most=4, forked=True)))
    found = answer(Heap(violated_at=3, forked=True, enough=9))
    assert (found.verdict, found.checked) == ("unsafe", True)


def test_every_question_gets_the_answer_that_it_gets_alone() -> None:
    program = Heap(most=4, enough=3).program()
    found = verify_all(program, [*assertions(program), deadlock(), unreachable(program, 1)])
    assert [each.result.verdict for each in found] == ["unknown", "unknown", "unsafe"]
    program = Heap(most=4, enough=4).program()
    found = verify_all(program, [*assertions(program), deadlock(), unreachable(program, "OVER")])
    assert [each.result.verdict for each in found] == ["safe", "safe", "unsafe"]
    assert [each.question.kind for each in found] == ["assertion", "deadlock", "unreachable"]


@pytest.mark.parametrize("engine", ["auto", "explicit", "symbolic", "diagram"])
def test_a_violation_elsewhere_is_one_but_perhaps_not_with_the_fewest_contexts(
    engine: str,
) -> None:
    """The limit takes one context, and the violation two: beyond the limit, one may be enough."""
    program = Heap(flag=True).program()
    result = verify(program, assertions(program), Options(engine=engine))
    assert (result.verdict, result.checked) == ("unsafe", True)
    notes = [note.text for note in result.remarks if note.kind == "limits"]
    assert len(notes) == 1
    assert "fewer contexts may be enough" in notes[0]
    assert "heap.toy:2" in notes[0]
    assert "Fewer contexts" not in _why_unsafe(result)


def test_bounded_answers_need_the_limit_out_of_reach() -> None:
    options = Options(contexts=1)
    assert_limited(verify(Heap(most=4).program(), options=options))
    assert verify(Heap(most=4, enough=4).program(), options=options).verdict == "bounded"


def test_a_section_that_ends_at_the_limit_passes_nothing() -> None:
    """Beyond the limit the path may block, and then nothing on it has happened."""

    def program(size: int) -> Program:
        main = ProcedureBuilder("main")
        top = main.rest(_line(1), "begin")
        with main.atomic():
            passing = main.rest(_line(2), "pass", ["PASS"])
            blocked = main.rest(_line(3), "wait false")
        main.add(Step(top, passing))
        full = compared("<", size)
        main.add(Assert(passing, blocked, full, kind="limit", message=FULL))
        main.add(Step(blocked, top, guard=FALSE))
        builder = ProgramBuilder("section", [USED])
        builder.add(main.draft())
        builder.run("main")
        return builder.finish()

    for engine in ("explicit", "symbolic", "diagram"):
        options = Options(engine=engine)
        tight, large = program(0), program(1)
        assert_limited(verify(tight, unreachable(tight, "PASS"), options))
        assert verify(large, unreachable(large, "PASS"), options).verdict == "safe"
    tight = program(0)
    point = tight.layout.point(0, 1)
    meaning = Meaning(tight, probes=[point])
    (frame,) = meaning.initial_stack(0)
    rules = meaning.rules(0, meaning.initial_shared(), frame)
    assert [word[0].point for _, word in rules] == [tight.layout.violation(0)]
    assert meaning.covered(0, meaning.initial_shared(), frame) == frozenset()
    reached = explore(tight).coverage
    assert reached is not None
    assert [each.text for each in reached.unreached] == ["pass", "wait false"]
    assert reached.certain == "reached", "they may be reached beyond the limit"


def test_exploration_says_that_a_limit_was_reached() -> None:
    result = explore(Heap(most=4).program())
    assert result.verdict == "stopped"
    assert result.stop is not None
    assert result.stop.kind == "limit"
    assert result.coverage is not None
    assert result.coverage.certain == "reached"
    result = explore(Heap(most=4, enough=9).program())
    assert result.verdict == "collapsed"


def test_limits_are_no_questions_of_the_program() -> None:
    program = Heap().program()
    assert [question.kind for question in assertions(program)] == ["assertion"]
    assert [question.kind for question in limits(program)] == ["limit"]


def test_a_larger_translation_has_the_same_places() -> None:
    program = Heap(most=4).program()
    moved = replace(
        program.procedures[0],
        locations=(Location(_line(7), "elsewhere"), *program.procedures[0].locations[1:]),
    )
    other = replace(program, procedures=(moved,))
    with pytest.raises(ModelError, match="has other places"):
        verify(replace(program, raised=lambda names: other))


def written(path: Path, result: Result) -> Path:
    assert result.evidence is not None
    result.subject.write(path, result.asked, result.evidence)
    return path


@pytest.mark.parametrize("forked", [False, True])
def test_evidence_about_a_raised_translation_is_accepted(tmp_path: Path, forked: bool) -> None:
    heap = Heap(most=4, enough=9, forked=forked)
    program = heap.program()
    result = verify(program)
    assert (result.verdict, result.checked) == ("safe", True)
    path = written(tmp_path / "proof.json", result)
    assert '"raised"' in path.read_text()
    assert tepui.check(program, path).verdict == "safe"
    assert tepui.check(program, path, assertions(program)).verdict == "safe"
    assert tepui.check(program, path, []).verdict == "safe"
    with pytest.raises(InputError, match="there is no such larger translation"):
        tepui.check(replace(heap, enough=3).program(), path)
    trace = written(tmp_path / "trace.json", answer(replace(heap, violated_at=4)))
    assert tepui.check(replace(heap, violated_at=4).program(), trace).verdict == "unsafe"


def test_a_trace_of_the_question_alone_is_accepted(tmp_path: Path) -> None:
    program = Heap(flag=True).program()
    path = written(tmp_path / "trace.json", verify(program))
    assert tepui.check(program, path).verdict == "unsafe"
    assert tepui.check(program, path, []).verdict == "unsafe"


def asked_alone(program: Program, questions: list[Question], *, check: bool) -> Result:
    """What one translation says, without its limits."""
    options = Options(check=check)
    return drive(at_once(program, [questions], options), options)[0]


def test_evidence_that_does_not_exclude_the_limits_is_rejected(tmp_path: Path) -> None:
    program = Heap(most=4).program()
    with pytest.raises(EvidenceRejected):
        asked_alone(program, assertions(program), check=True)
    with pytest.raises(EvidenceRejected):
        asked_alone(program, [deadlock()], check=True)
    result = asked_alone(program, assertions(program), check=False)
    assert result.verdict == "safe"
    path = written(tmp_path / "proof.json", result)
    for questions in (None, assertions(program), []):
        with pytest.raises(EvidenceError):
            tepui.check(program, path, questions)
    large = Heap(most=4).program(9)
    path = written(tmp_path / "large.json", asked_alone(large, assertions(large), check=True))
    with pytest.raises(EvidenceError):
        tepui.check(large, path)


def test_a_trace_into_a_limit_violates_nothing(tmp_path: Path) -> None:
    program = Heap(most=4).program()
    result = asked_alone(program, limits(program), check=True)
    assert result.verdict == "unsafe"
    path = written(tmp_path / "trace.json", result)
    for questions in (limits(program), []):
        with pytest.raises(EvidenceError, match="limit"):
            tepui.check(program, path, questions)


def grown(threads: int = 1) -> Program:
    """A translation that has one more thread each time it is raised, up to three."""
    worker = ProcedureBuilder("worker")
    start, over = worker.rest(_line(1), "start"), worker.rest(_line(2), "over", ["OVER"])
    enough = Constant(int(threads > 2))
    worker.add(Assert(start, over, enough, kind="limit", message="threads"))
    worker.add(Step(over, over))
    builder = ProgramBuilder("crew", [])
    builder.add(worker.draft())
    builder.run("worker", count=threads)
    program = builder.finish()
    return replace(program, raised=lambda names: grown(threads + 1) if threads < 3 else None)


def test_a_larger_translation_may_have_more_threads() -> None:
    program = grown()
    result = verify(program, unreachable(program, "OVER"))
    assert (result.verdict, result.checked) == ("unsafe", True)
    assert verify(program, deadlock()).verdict == "safe"


def test_patterns_are_not_asked_of_a_translation_with_other_threads() -> None:
    program = grown()
    asked = unreachable(program, "OVER").bad
    with pytest.raises(UsageError, match="has another number of threads"):
        verify(program, asked)


def test_what_needs_all_states_refuses_limits() -> None:
    program = grown()
    with pytest.raises(ModelError, match="translated up to limits"):
        tepui.written_out(program)
    with pytest.raises(ModelError, match="translated up to limits"):
        tepui.dataflow(program, "OVER")
