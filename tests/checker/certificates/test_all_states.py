"""The certificate that contains all states proves what names no place, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

import tepui
from support.cli import call
from tepui.checker.certificates.all_states import AllStates, names_nothing
from tepui.errors import EvidenceError
from tepui.model import Pattern, Property
from tepui.program.program import Program

ENDLESS = """
decl x := 0;
void f() {{ x := !x; }}
void main() {{ while (1) {{ thread_create(f); assert({condition}); }} }}
"""


def program(condition: str) -> Program:
    return tepui.loads(ENDLESS.format(condition=condition), "bp", name="endless.bp")


def test_a_program_that_forks_without_end_is_safe_if_nothing_can_fail() -> None:
    result = tepui.verify(program("1"))
    assert (result.verdict, result.checked, result.bound) == ("safe", True, None)
    assert isinstance(result.evidence, AllStates)
    assert str(result.proof) == "no state is bad"
    assert "unreached" not in str(result)
    assert "never reached" not in str(result)


@pytest.mark.parametrize("condition", ["0", "x", "!x"])
def test_what_can_fail_does(condition: str) -> None:
    assert tepui.verify(program(condition)).verdict == "unsafe"


@pytest.mark.usefixtures("without_coverability")
def test_a_question_that_may_fail_is_not_answered_with_one_that_cannot() -> None:
    text = ENDLESS.format(condition="1").replace("x := !x;", "x := 1; assert(x);")
    result = tepui.verify(tepui.loads(text, "bp"))
    assert (result.verdict, result.evidence) == ("unknown", None)
    answers = tepui.verify_all(tepui.loads(text, "bp"))
    assert [answer.result.verdict for answer in answers] == ["unknown", "safe"]


@pytest.mark.usefixtures("without_coverability")
def test_places_where_too_few_threads_can_be_are_places() -> None:
    """With one slot, no two threads can be in f, and with two slots they can."""
    both = tepui.loads(ENDLESS.format(condition="1").replace("x := !x", "L: x := !x"), "bp")
    question = tepui.never_together(both, "L", "L")
    assert tepui.verify(both, question).verdict == "unsafe"
    text = "void f() { L: skip; } void main() { f(); while (1) { thread_create(g); } } void g() {}"
    alone = tepui.loads(text, "bp")
    result = tepui.verify(alone, tepui.never_together(alone, "L", "L"))
    assert (result.verdict, result.evidence) == ("unknown", None)


def test_an_assertion_that_is_true_holds_without_forks() -> None:
    text = "decl x := 0;\nvoid main() { x := 1; assert(1); }\n"
    result = tepui.verify(tepui.loads(text, "bp"))
    assert (result.verdict, result.checked) == ("safe", True)


def test_the_checker_believes_it_of_no_other_question(tmp_path: Path) -> None:
    good, other = tmp_path / "good.bp", tmp_path / "other.bp"
    good.write_text(ENDLESS.format(condition="1"), encoding="utf-8")
    other.write_text(ENDLESS.format(condition="x"), encoding="utf-8")
    evidence = tmp_path / "evidence.json"
    assert call("verify", str(good), "--evidence", str(evidence)).code == 0
    assert call("check", str(good), str(evidence)).code == 0
    done = call("check", str(other), str(evidence))
    assert (done.code, "another property" in done.out) == (1, True)


def test_it_proves_nothing_about_a_system_or_a_place() -> None:
    flat = tepui.load_program("examples/bluetooth1.bp")
    points = flat.layout.points
    threads = len(flat.thread_types)
    nowhere, somewhere = (Pattern(None, (top,) * threads) for top in (points + 1, points))
    too_few = Pattern(None, (points + 1, *[None] * (threads - 1)))
    assert names_nothing(flat, Property((nowhere,)))
    assert not names_nothing(flat, Property())
    assert not names_nothing(flat, Property((too_few,)))
    assert not names_nothing(flat, Property((nowhere, somewhere)))
    assert not names_nothing(flat, Property((nowhere,), deadlock=True))
    with pytest.raises(EvidenceError, match="something bad may be among them"):
        AllStates().check_places(flat, Property((nowhere, somewhere)))
    system = tepui.load_system("examples/figure4.cpds")
    with pytest.raises(EvidenceError, match="something bad may be among them"):
        AllStates().check(system, system.property, lambda: True)
