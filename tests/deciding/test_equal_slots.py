"""Forked threads that are equal before they start: slots that engines exchange."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from support.boolean_flows import load
from support.fork_runs import deciding_with, noting
from tepui.cli.evidence_file import save_evidence
from tepui.deciding import Options, verify
from tepui.errors import EvidenceError, InputError
from tepui.limits import Limits
from tepui.program.identities import kinds_of_equals
from tepui.program.passes.slots import Slotted, slotted, with_slots
from tepui.program.questions import assertions, deadlock, never_together
from tepui.program.validate import validate
from tepui.report.evidence_text import prove_about_program
from tepui.result import Result

CREW = """\
decl lock := 0, x := 0;
thread owner, nobody;
void worker() {
    atomic { assume(!lock); lock := 1; }
    x := !x;
    assert(lock);
    lock := 0;
}
void main() {
    decl i: int 0..4 := 0;
    while (i < 4) { async worker(); i := i + 1; }
  E: skip;
}
"""

KNOWING = CREW.replace("x := !x;", "owner := thread_self();").replace(
    "assert(lock);", "assert(owner = thread_self());"
)

ENDLESS = """\
decl x := 0;
void worker() { x := !x; }
void main() { while (1) { async worker(); } assert(0); }
"""

NEXT = """\
decl x: int 0..3 := 0;
void worker() { assert(x != 2); x := x + 1; }
void main() { async worker(); async worker(); async worker(); }
"""

SEVERAL = """\
decl x := 0, stop := 0;
void worker(by) { x := by; }
bool other() { assume(stop); return 1; }
void main() {
    async worker(1);
    async worker(0);
    async other();
    stop := 1;
    async worker(1);
    assert(x | !x);
}
"""

ALONE = Options(engine="explicit", strengths=())


def listed(result: Result) -> int:
    """How many states a certificate has."""
    evidence: Any = result.evidence
    return int(evidence.size)


@pytest.mark.parametrize("text", [CREW, KNOWING])
def test_equal_threads_cost_little(text: str) -> None:
    crew = load(text)
    result = verify(crew, None, ALONE)
    assert (result.verdict, result.checked) == ("safe", True)
    assert slotted(result.subject.program).equal
    apart = verify(crew, None, Options(engine="explicit", strengths=(), symmetry=False))
    assert (apart.verdict, apart.checked) == ("safe", True)
    assert not slotted(apart.subject.program).equal
    assert 5 * listed(result) < listed(apart)


@pytest.mark.usefixtures("without_coverability")
def test_endless_forks_are_seen() -> None:
    result = verify(load(ENDLESS), None, Options(limits=Limits(max_contexts=2)))
    assert result.verdict == "unknown"
    assert "a thread can go on forking for ever" in (result.reason or "")


@pytest.mark.parametrize("symmetry", [True, False])
def test_two_threads_in_one_slot_take_two_contexts(symmetry: bool) -> None:
    result = verify(load(NEXT), None, Options(symmetry=symmetry))
    assert (result.verdict, result.bound, result.checked) == ("unsafe", 4, True)


def test_there_are_threads_of_several_kinds() -> None:
    several = load(SEVERAL)
    assert [name for name, _ in kinds_of_equals(several)] == ["worker", "worker", "other"]
    program = with_slots(several, 2, equal=True)
    validate(program)
    assert [(thread.name, thread.count) for thread in program.threads[1:]] == [("#equal", 2)]
    for question, symmetry in [(None, True), (deadlock(), True), (deadlock(), False)]:
        result = verify(several, question, Options(symmetry=symmetry))
        assert (result.verdict, result.checked) == ("safe", True)
    stuck = load(SEVERAL.replace("stop := 1;", ""))
    for symmetry in (True, False):
        result = verify(stuck, deadlock(), Options(symmetry=symmetry))
        assert (result.verdict, result.bound, result.checked) == ("unsafe", 5, True)


def test_two_equal_threads_are_at_one_place() -> None:
    labelled = CREW.replace("    x := !x;", "  W: x := !x;")
    crew = load(labelled)
    assert verify(crew, never_together(crew, "W", "W"), ALONE).verdict == "safe"
    loose = load(labelled.replace("assume(!lock);", "skip;"))
    result = verify(loose, never_together(loose, "W", "W"), ALONE)
    assert (result.verdict, result.bound) == ("unsafe", 3)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("async worker();", "nobody := async worker();"),
        ("E: skip;", "E: nobody := async worker();"),
        ("x := !x;", "x := !x; owner := thread_self(); join(owner);"),
    ],
)
def test_others_get_slots_at_once(old: str, new: str) -> None:
    assert kinds_of_equals(load(CREW.replace(old, new))) == []


def test_recursive_threads_are_told_apart() -> None:
    deep = KNOWING.replace("void worker() {", "void worker() { if (*) { worker(); }")
    for text, equal in [(deep, False), (KNOWING, True)]:
        tried: list[Slotted] = []
        with deciding_with(noting(tried)):
            verify(load(text), None, Options(slots=2, limits=Limits(max_contexts=1)))
        assert tried[1].equal == equal


def test_a_file_says_that_slots_are_equal(tmp_path: Path) -> None:
    crew, file = load(KNOWING), tmp_path / "e.json"
    save_evidence(file, verify(crew, None, ALONE))
    assert "holds for any number of contexts" in prove_about_program(crew, file).text
    document = json.loads(file.read_text(encoding="utf-8"))
    assert (document["slots"], document["equal"], document["kind"]) == (4, True, "orbits")
    whole = json.dumps(document)
    for old, new in [("#forked=2", "#forked=1"), ("owner=#equal.1", "owner=#equal.2")]:
        assert old in whole, old
        file.write_text(whole.replace(old, new), encoding="utf-8")
        with pytest.raises((EvidenceError, InputError)):
            prove_about_program(crew, file)
    file.write_text(json.dumps({**document, "equal": False}), encoding="utf-8")
    with pytest.raises(InputError, match="has 'equal', which means nothing there"):
        prove_about_program(crew, file)
    file.write_text(json.dumps({**document, "equal": 1}), encoding="utf-8")
    with pytest.raises(InputError, match="equal: is 1 instead of"):
        prove_about_program(crew, file)


def test_evidence_about_slots_that_are_told_apart_is_accepted(tmp_path: Path) -> None:
    crew, file = load(CREW), tmp_path / "e.json"
    save_evidence(file, verify(crew, None, Options(symmetry=False)))
    document = json.loads(file.read_text(encoding="utf-8"))
    assert "equal" not in document
    assert "holds for any number of contexts" in prove_about_program(crew, file).text
    assert assertions(crew)
