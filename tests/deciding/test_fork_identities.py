"""Forked threads that know themselves, and whose identities are compared."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from support.boolean_flows import load
from support.samples.handmade_programs import procedure, program, variable
from tepui.cli.evidence_file import save_evidence
from tepui.deciding import Options, verify
from tepui.errors import EvidenceError, EvidenceRejected, InputError
from tepui.limits import Limits
from tepui.program.expressions import NOBODY, Binary, Constant, ReadElement, Self
from tepui.program.passes.slot_variables import MOST_NAMES, Books
from tepui.program.passes.slots import with_bound, with_slots
from tepui.program.program import Assert, Assignment, Element, Fork, Program, Step, Thread
from tepui.program.questions import assertions, lack_of_slots
from tepui.program.types import THREAD, Array, Bounded
from tepui.report.evidence_text import prove_about_program

OWNED = """\
decl lock := 0;
thread owner, nobody;
void worker() {
    atomic { assume(!lock); lock := 1; }
    owner := thread_self();
    assert(owner = thread_self());
    owner := nobody;
    lock := 0;
}
void main() {
    thread t;
    while (1) {
        t := async worker();
        async worker();
        join(t);
    }
}
"""
UNOWNED = OWNED.replace("atomic { assume(!lock); lock := 1; }", "skip;")

FOUR = """\
thread owner, nobody;
void worker() {
    thread me;
    me := thread_self();
    atomic { assume(owner = nobody); owner := me; }
    assert(owner = thread_self());
    owner := nobody;
}
void main() { thread s, t; s := async worker(); t := async worker(); assert(s != t); }
"""

LATER = """\
thread old, new;
void work() { skip; }
void main() {
    while (1) {
        old := async work();
        join(old);
        new := async work();
        assert(old != new);
        join(new);
        assert(old != new);
    }
}
"""

DEEP = """\
void work() { skip; }
void deep(old: thread) {
    thread new;
    new := async work();
    join(new);
    assert(old != new);
    if (*) below(old, new);
}
void below(old: thread, new: thread) {
    thread newest;
    newest := async work();
    assert(newest != old & newest != new);
}
void main() { thread t; t := async work(); join(t); deep(t); }
"""

UNRUN = """\
thread t, u;
void work() { skip; }
void main() { while (*) { t := async work(); u := async work(); assert(t != u); } }
"""

KEPT = """\
thread first;
void work() { skip; }
void deep(t: thread) {
    thread s;
    s := async work();
    if (*) deep(s);
    assert(t != s);
}
void main() { first := async work(); deep(first); }
"""

PASSED = """\
thread seen;
void tell(who: thread) { assert(who = seen); }
void work() { atomic { seen := thread_self(); tell(thread_self()); } }
void main() { thread t; while (1) { t := async work(); join(t); } }
"""

ENGINES = ["auto", "explicit", "diagram", "symbolic", "delay", "abstract"]


def decided(text: str, **options: Any) -> tuple[str, int | None]:
    result = verify(load(text), None, Options(**options))
    assert result.checked or result.verdict == "unknown"
    return result.verdict, result.bound if result.verdict == "unsafe" else None


@pytest.mark.parametrize("engine", ENGINES)
def test_every_engine_answers_who_owns_a_lock(engine: str) -> None:
    strengths = {"strengths": ()} if engine in ENGINES[1:4] else {}
    assert decided(FOUR, engine=engine, **strengths)[0] == "safe"
    stolen = FOUR.replace("assume(owner = nobody);", "skip;")
    assert decided(stolen, engine=engine, **strengths)[0] == "unsafe"


def test_a_lock_tells_whose_it_is() -> None:
    assert decided(OWNED, slots=3, limits=Limits(max_contexts=4))[0] == "unknown"
    assert decided(OWNED.replace("async worker();\n        join", "join"))[0] == "safe"
    assert decided(UNOWNED) == ("unsafe", 4)


def test_a_thread_that_has_ended_is_no_later_one() -> None:
    assert decided(LATER)[0] == "safe"
    assert decided(LATER.replace("assert(old != new)", "assert(old = new)")) == ("unsafe", 3)


def test_nor_is_one_that_is_named_deep_in_a_stack() -> None:
    assert decided(DEEP)[0] == "safe"
    assert decided(DEEP.replace("assert(old != new);\n    if", "assert(old = new);\n    if")) == (
        ("unsafe", 5)
    )


def test_threads_that_never_run_differ() -> None:
    result = verify(load(UNRUN), None, Options(limits=Limits(max_contexts=3)))
    assert result.verdict == "unknown"
    assert "no violation within 3 contexts" in (result.reason or "")
    assert decided(UNRUN.replace("t != u", "t = u")) == ("unsafe", 1)
    result = verify(load(UNRUN), None, Options(contexts=2))
    assert (result.verdict, result.bound) == ("bounded", 2)


def test_there_are_so_many_names_for_threads_that_never_run() -> None:
    result = verify(load(KEPT), None, Options(limits=Limits(max_contexts=2), slots=2))
    assert result.verdict == "unknown"
    assert f"more than {MOST_NAMES} threads that do not run" in (result.reason or "")
    unrun = with_bound(load(UNRUN), 3)
    assert [thread.name for thread in unrun.threads] == [
        *("main", "#1", "#2"),
        *("#3", "#4", "#5"),
        "#others",
    ]
    lacking = verify(unrun, [lack_of_slots(unrun)], Options(contexts=3, check=False))
    assert lacking.verdict == "bounded"


def test_an_identity_is_passed_by_the_thread_itself() -> None:
    assert decided(PASSED)[0] == "safe"
    changed = PASSED.replace("tell(thread_self()); }", "} tell(seen);")
    changed = changed.replace("assert(who = seen)", "assert(who = thread_self())")
    assert decided(changed)[0] == "safe"
    assert decided(changed.replace("join(t);", "async work();"))[0] == "unsafe"


ONES = variable("ones", Array(THREAD, 2), None)
AT = variable("at", Bounded(0, 3), 0)


def kept_in_an_array(index: int) -> Program:
    """Two threads are named in an array, if the index is inside, and know themselves."""
    zero, one = Constant(0, Bounded(0, 3)), Constant(index, Bounded(0, 3))
    main = procedure(
        "main",
        Fork(0, 1, "work", (), Element(ONES, zero)),
        Fork(1, 2, "work", (), Element(ONES, one)),
        Assert(2, 3, Binary("!=", ReadElement(ONES, zero), ReadElement(ONES, one))),
        Step(3, 0, assignments=(Assignment(Element(ONES, zero), NOBODY),)),
    )
    known = [Binary("=", ReadElement(ONES, each), Self()) for each in (zero, one)]
    work = procedure("work", Assert(0, None, Binary("or", *known)))
    return program(main, work, shared=(ONES,), threads=(Thread("main", "main"),))


def test_identities_are_kept_in_global_arrays() -> None:
    inside = kept_in_an_array(1)
    for number, question in enumerate(assertions(inside)):
        result = verify(inside, question, Options(limits=Limits(max_contexts=4), slots=3))
        assert result.verdict == ["unknown", "unsafe"][number]
    outside = verify(kept_in_an_array(2), assertions(kept_in_an_array(2))[0], Options(slots=3))
    assert outside.verdict == "safe", "it waits where its identity cannot be stored"


def test_a_slot_is_free_when_nothing_names_its_thread() -> None:
    slotted = with_slots(load(LATER), 2)
    lacking = verify(slotted, lack_of_slots(slotted))
    assert lacking.verdict == "unsafe", "two threads are named while a third one is forked"
    enough = with_slots(load(LATER), 3)
    assert verify(enough, lack_of_slots(enough)).verdict == "safe"


def test_damaged_evidence_is_rejected(tmp_path: Path) -> None:
    forked = load(FOUR)
    file = tmp_path / "e.json"
    save_evidence(file, verify(forked, None, Options(engine="explicit", strengths=())))
    assert "holds for any number of contexts" in prove_about_program(forked, file).text
    whole = file.read_text(encoding="utf-8")
    assert "owner=#2" in whole
    for old, new in [("owner=#2", "owner=#1"), ("me=#2", "me=#1"), ("#2:names=1", "#2:names=2")]:
        assert old in whole, old
        file.write_text(whole.replace(old, new), encoding="utf-8")
        with pytest.raises((EvidenceError, InputError)):
            prove_about_program(forked, file)


def test_a_trace_is_replayed_with_real_identities(tmp_path: Path) -> None:
    forked = load(UNOWNED)
    file = tmp_path / "e.json"
    save_evidence(file, verify(forked))
    assert "violated within 4 contexts" in prove_about_program(forked, file).text
    document = json.loads(file.read_text(encoding="utf-8"))
    damaged = json.dumps(document).replace("owner=#1", "owner=main")
    assert damaged != json.dumps(document)
    file.write_text(damaged, encoding="utf-8")
    with pytest.raises(EvidenceError):
        prove_about_program(forked, file)


@pytest.mark.parametrize("claim", ["old = new", "old != new"])
def test_the_checker_knows_better_than_a_pass_that_takes_slots_too_soon(
    claim: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Books, "_globals", [])
    forked = load(LATER.replace("old != new", claim))
    with pytest.raises(EvidenceRejected):
        verify(forked)
