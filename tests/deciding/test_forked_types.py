"""Forked threads as threads of types: proofs for programs that fork without end, or count."""

from __future__ import annotations

from pathlib import Path

import pytest

import tepui
from tepui.deciding import Options, open_driver, provers
from tepui.errors import EvidenceError, ModelError
from tepui.limits import Limits
from tepui.program.passes.forked_types import with_forked_types
from tepui.program.passes.slots import Slotted
from tepui.program.questions import Question
from tepui.result import Result

COUNTED = """\
decl n: int := 0, busy := 0;
void worker() {
    atomic { wait(n = 0); n := n + 1; }
    assert(!busy);
    A: busy := 1;
    busy := 0;
    n := n - 1;
}
void main() { while (*) { async worker(); } }
"""

SUM = """\
decl n: int := 0;
thread t, u;
void f(k: int) { n := n + k; }
void main() {
    t := async f(3);
    u := async f(4);
    join(t);
    join(u);
    assert(n = 7);
}
"""

RECURSIVE = """\
decl lock := 0, busy := 0;
void worker() {
    if (*) { worker(); }
    atomic { wait(!lock); lock := 1; }
    assert(!busy);
    busy := 1;
    busy := 0;
    lock := 0;
}
void main() { while (*) { async worker(); } }
"""

BOTH = COUNTED.replace("    n := n - 1;", "    n := n - 1; if (*) { async worker(); }").replace(
    "while (*) { async worker(); }", "thread_create(worker, *);"
)


def result_of(text: str, *questions: Question, **options: object) -> Result:
    pytest.importorskip("z3")
    pytest.importorskip("cvc5")
    options.setdefault("limits", Limits(timeout=60))
    program = tepui.loads(text, "bp")
    return tepui.verify(program, questions or None, options=Options(**options))  # type: ignore[arg-type]


def test_threads_that_are_forked_without_end_are_any_number() -> None:
    result = result_of(COUNTED)
    assert (result.verdict, result.checked, result.engine) == ("safe", True, "clauses")
    assert result.threads is not None
    assert result.threads.any_number == ("worker",)
    assert "for any number of contexts and of threads worker" in str(result)


def test_a_violation_is_one_of_the_program_with_forks() -> None:
    result = result_of(COUNTED.replace("atomic { wait(n = 0); n := n + 1; }", "n := n + 1;"))
    assert (result.verdict, result.checked, result.bound_is_fewest) == ("unsafe", True, False)
    assert isinstance(result.subject.program, Slotted)
    assert result.trace is not None
    assert "by='main'" in str(result.trace.story)


def test_two_forked_threads_are_never_at_a_label() -> None:
    program = tepui.loads(COUNTED, "bp")
    assert result_of(COUNTED, tepui.never_together(program, "A", "A")).verdict == "safe"
    broken = COUNTED.replace("wait(n = 0)", "wait(n <= 1)")
    assert result_of(broken, tepui.never_together(program, "A", "A")).verdict == "unsafe"


def test_joins_of_threads_that_are_forked_once_are_exact() -> None:
    result = result_of(SUM)
    assert (result.verdict, result.checked) == ("safe", True)
    assert result_of(SUM.replace("    join(u);\n", "")).verdict == "unsafe"
    assert result_of(SUM.replace("n := n + k", "decl x: int; x := n; n := x + k")).verdict == (
        "unsafe"
    )


def test_the_results_of_forked_procedures_are_lost() -> None:
    text = SUM.replace("void f(k: int) { n := n + k; }", "int f(k: int) { n := n + k; return k; }")
    assert result_of(text).verdict == "safe"


def test_a_variable_that_names_two_threads_says_nothing_about_ends() -> None:
    text = SUM.replace("u := async f(4);", "t := async f(4);").replace("    join(u);\n", "")
    program = with_forked_types(tepui.loads(text, "bp"))
    assert [each.name for each in program.threads] == ["main", "f", "f#2"]
    assert not any(each.name.startswith("#ended") for each in program.globals)


def test_finite_data_and_recursion() -> None:
    result = result_of(RECURSIVE)
    assert (result.verdict, result.checked, result.engine) == ("safe", True, "modular")
    assert result_of(RECURSIVE.replace("atomic {", "if (1) {")).verdict == "unsafe"


def test_any_number_of_threads_that_fork() -> None:
    result = result_of(BOTH)
    assert (result.verdict, result.checked) == ("safe", True)
    assert result.threads is not None
    assert result.threads.any_number == ("worker", "worker#2")
    finite = BOTH.replace("n: int", "n: int 0..2")
    assert result_of(finite).engine == "coverability"
    broken = result_of(finite.replace("wait(n = 0)", "wait(n <= 1)"))
    assert (broken.verdict, broken.checked) == ("unsafe", True)


def test_identities_that_matter_are_refused_by_name() -> None:
    text = COUNTED.replace("async worker();", "t := async worker(); assert(t != thread_self());")
    text = f"thread t;\n{text}"
    with pytest.raises(ModelError, match="compares identities of threads, and keeps those"):
        with_forked_types(tepui.loads(text, "bp"))
    result = result_of(text, limits=Limits(timeout=3))
    assert result.verdict == "unknown"
    assert "no proof was tried: " in (result.reason or "")


@pytest.mark.parametrize("text", [COUNTED, SUM, RECURSIVE, BOTH])
def test_the_evidence_goes_through_a_file(text: str, tmp_path: Path) -> None:
    result = result_of(text)
    assert result.evidence is not None
    result.subject.write(tmp_path / "e.json", result.asked, result.evidence)
    program = tepui.loads(text, "bp")
    assert tepui.check(program, tmp_path / "e.json").verdict == "safe"
    other = tepui.loads(text.replace("assert(", "skip; assert("), "bp")
    with pytest.raises((tepui.TepuiError, EvidenceError)):
        tepui.check(other, tmp_path / "e.json")


def test_bounded_runs_and_exploration_say_which_integers_they_know() -> None:
    result = result_of(COUNTED, contexts=3)
    assert (result.verdict, result.reason) == (
        "unknown",
        "only integers from -33 to 33 were explored",
    )
    explored = tepui.explore(tepui.loads(COUNTED, "bp"))
    assert explored.verdict == "stopped"
    assert "go on forking for ever" in (explored.reason or "")
    assert "only integers from -33 to 33" in (explored.reason or "")


@pytest.mark.parametrize("text", [COUNTED, BOTH])
def test_the_time_ends_without_provers(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """Attempts that end at once for lack of time used to follow one another for ever."""
    monkeypatch.setattr(open_driver, "provers_for", lambda *_, **__: list[provers.Prover]())
    result = result_of(text, limits=Limits(timeout=0.5))
    assert (result.verdict, result.stop and result.stop.kind) == ("unknown", "time")
