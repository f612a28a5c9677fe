"""Certificates for any number of threads: what proves its claim is accepted, damage is rejected."""

from __future__ import annotations

import json
from dataclasses import replace
from random import Random
from typing import Any

import pytest

import tepui
from tepui.checker.evidence import Bad
from tepui.checker.json_values import Values
from tepui.checker.net_search import NoNet, TooManyPairs
from tepui.checker.programs.program_covering import ProgramCovering
from tepui.checker.programs.program_net import bad_of, kinds_at, program_net
from tepui.counting.program_coverability import cover_program
from tepui.errors import CheckStopped, EvidenceError
from tepui.limits import Limits, Meter
from tepui.program.program import Program

LOCK = """
decl taken := 0;
void work() { while (1) { atomic { wait(!taken); taken := 1; } in: skip; taken := 0; } }
void main() { thread_create(work, *); }
"""
BROKEN_LOCK = LOCK.replace("atomic { wait(!taken); taken := 1; }", "wait(!taken); taken := 1;")

READERS_WRITERS = """
decl readers: int 0..2 block := 0, writing := 0;
decl left := 0, right := 0;
void reader() {
    decl before;
    while (1) {
        atomic { wait(!writing); readers := readers + 1; }
        before := left;
        assert(before = right);
        readers := readers - 1;
    }
}
void writer() {
    while (1) {
        atomic { wait(!writing && readers = 0); writing := 1; }
        left := !left;
        right := !right;
        writing := 0;
    }
}
void main() { thread_create(reader, *); thread_create(writer, *); }
"""

BARRIER = """
decl inside: int 0..3 := 0, open := 0;
void work() {
    while (1) {
        atomic { wait(!open); inside := inside + 1; if (inside = 3) { open := 1; } }
        early: wait(open);
        late: atomic { inside := inside - 1; if (inside = 0) { open := 0; } }
    }
}
void main() { thread_create(work, *); }
"""

SEMAPHORE = """
decl free: int 0..2 := %d;
void work() {
    while (1) {
        atomic { wait(free > 0); free := free - 1; }
        in: skip;
        free := free + 1;
    }
}
void main() { thread_create(work, *); }
"""

BLUETOOTH = """
decl pending: int 0..3 block := 1;
decl stopping := 0, event := 0, stopped := 0;
void leave() {
    decl last;
    atomic { pending := pending - 1; last := (pending = 0); }
    if (last) event := 1;
}
void add() {
    pending := pending + 1;
    if (!stopping) { assert(!stopped); }
    leave();
}
void stop() {
    stopping := 1;
    leave();
    wait(event);
    stopped := 1;
}
void main() { thread_create(add, *); thread_create(stop, %s); }
"""

CROWD = """
decl taken := 0;
void main() { while (1) { async work(); } }
void work() { atomic { wait(!taken); taken := 1; } in: skip; taken := 0; }
"""

IN = ("in", "in")

SAFE: dict[str, tuple[str, tuple[str, str] | None]] = {
    "lock": (LOCK, IN),
    "readers and writers": (READERS_WRITERS, None),
    "semaphore": (SEMAPHORE % 1, IN),
    "bluetooth with one stopper": (BLUETOOTH % 1, None),
    "forked": (CROWD, IN),
    "barrier": (BARRIER.replace("late:", "assert(open); late:"), None),
}

UNSAFE: dict[str, tuple[str, tuple[str, str] | None, dict[str, int]]] = {
    "broken lock": (BROKEN_LOCK, IN, {"work": 2}),
    "readers and writers": (
        READERS_WRITERS.replace("&& readers = 0", ""),
        None,
        {"reader": 1, "writer": 1},
    ),
    "barrier": (BARRIER, ("early", "late"), {"work": 3}),
    "semaphore": (SEMAPHORE % 2, IN, {"work": 2}),
    "bluetooth with any number of stoppers": (BLUETOOTH % "*", None, {"add": 1, "stop": 2}),
    "forked": (CROWD.replace("atomic { wait(!taken); taken := 1; }", ""), IN, {"main": 1}),
}


@pytest.mark.parametrize("name", SAFE)
def test_what_is_safe_has_a_certificate_that_is_accepted(name: str) -> None:
    program, bad = _asked(*SAFE[name])
    _proved(program, bad)


@pytest.mark.parametrize("name", UNSAFE)
def test_what_is_unsafe_takes_so_many_threads(name: str) -> None:
    text, labels, counts = UNSAFE[name]
    program, bad = _asked(text, labels)
    found = cover_program(program, bad, Meter(Limits()))
    assert found.verdict == "unsafe"
    assert found.enough is not None
    assert found.enough.counts == counts
    assert found.enough.forked == (2 if name == "forked" else 0)


@pytest.mark.parametrize("name", SAFE)
def test_a_certificate_without_an_element_or_with_a_larger_one_is_rejected(name: str) -> None:
    program, bad = _asked(*SAFE[name])
    evidence = _proved(program, bad)
    rng = Random(1)
    for number in rng.sample(range(evidence.size), min(6, evidence.size)):
        rest = [*evidence.minimal[:number], *evidence.minimal[number + 1 :]]
        assert not _is_accepted(replace(evidence, minimal=tuple(rest)), program, bad)
        (place, count), *others = evidence.minimal[number]
        larger = ((place, count + 1), *others)
        assert not _is_accepted(replace(evidence, minimal=(*rest, larger)), program, bad)


@pytest.mark.parametrize("name", SAFE)
def test_an_invariant_that_does_not_hold_is_rejected(name: str) -> None:
    program, bad = _asked(*SAFE[name])
    evidence = _proved(program, bad)
    for number, (weights, bound) in enumerate(evidence.invariants):
        others = [one for each, one in enumerate(evidence.invariants) if each != number]
        (place, weight), *rest = weights
        for damaged in (
            (weights, bound - 1),
            (((place, weight + 1), *rest), bound),
            (((place, -weight), *rest), bound),
            (((len(evidence.places), 1), *rest), bound),
        ):
            wrong = replace(evidence, invariants=(*others, damaged))
            assert not _is_accepted(wrong, program, bad), (number, damaged)


def test_what_counts_threads_has_an_invariant() -> None:
    for name in ("lock", "semaphore", "bluetooth with one stopper", "readers and writers"):
        assert _proved(*_asked(*SAFE[name])).invariants, name


def test_what_can_be_reached_is_in_no_certificate() -> None:
    program, bad = _asked(*SAFE["lock"])
    for element in ((), ((0, 1),), ((1, 3),), ((7, 1),), ((1, 0),), ((1, 1), (1, 1))):
        wrong = ProgramCovering(("taken=0", "work: work:3"), (element,))
        assert not _is_accepted(wrong, program, bad), element


def test_a_certificate_proves_nothing_about_another_program_or_question() -> None:
    program, bad = _asked(*SAFE["lock"])
    evidence = _proved(program, bad)
    broken, _ = _asked(BROKEN_LOCK, IN)
    assert not _is_accepted(evidence, broken, _places(broken, IN))
    program, bad = _asked(READERS_WRITERS, None)
    evidence = _proved(program, bad)
    other: list[Bad] = [
        (one, one) for (one,) in bad_of(program, tepui.unreachable(program, 10).places)
    ]
    assert not _is_accepted(evidence, program, other)


@pytest.mark.parametrize("name", SAFE)
def test_a_file_says_the_same(name: str) -> None:
    program, bad = _asked(*SAFE[name])
    evidence = _proved(program, bad)
    assert evidence.fixed() == evidence
    body = evidence.body(_Lines())  # type: ignore[arg-type]
    lines = {field: list(map(json.loads, body[field])) for field in ("invariants", "minimal")}
    document = {"places": body["places"], **lines}
    read = ProgramCovering.read(Values("file"), "covering", document)  # type: ignore[arg-type]
    assert read == evidence


class _Lines:
    def line(self, value: object) -> str:
        return json.dumps(value)


def test_damaged_files_are_refused() -> None:
    right: dict[str, Any] = {"places": ["a"], "minimal": [[0, 1]], "invariants": []}
    ProgramCovering.read(Values("file"), "covering", right)  # type: ignore[arg-type]
    damages: list[dict[str, Any]] = [
        {"places": ["a", 1]},
        {"places": {}},
        {"minimal": [[1]]},
        {"minimal": [[1, "a"]]},
        {"invariants": [{"weights": [0, 1]}]},
        {"invariants": [{"weights": [0], "bound": 1}]},
        {"invariants": [{"weights": [0, 1], "bound": "a"}]},
    ]
    for wrong in damages:
        with pytest.raises(tepui.InputError):
            ProgramCovering.read(Values("file"), "covering", right | wrong)  # type: ignore[arg-type]


REFUSED = {
    "waits for the end of threads": """
        void main() { thread t; t := async work(); join(t); } void work() { skip; }""",
    "name threads": "decl x; void work() { if (thread_self() = thread_self()) { x := 1; } }",
    "may call itself: deep": "decl x; void work() { deep(); } void deep() { deep(); x := 1; }",
    "more than 4,096 values": "decl n: int32; void work() { n := n + 1; }",
    "integer without bounds": "decl n: int; void work() { n := n + 1; }",
}


@pytest.mark.parametrize("reason", REFUSED)
def test_what_has_no_net_is_refused_by_name(reason: str) -> None:
    main = "" if "main" in REFUSED[reason] else " void main() { thread_create(work, *); }"
    program = tepui.loads(REFUSED[reason] + main, "bp")
    found = cover_program(program, [((0, 0),)], Meter(Limits()))
    assert found.verdict == "refused"
    assert reason in (found.reason or "")
    with pytest.raises(EvidenceError, match=reason):
        ProgramCovering((), ()).check_program(program, [((0, 0),)], lambda: True)


def test_calls_that_leave_no_frame_may_go_round() -> None:
    text = "decl x := 0; void work() { x := !x; work(); } void main() { thread_create(work, *); }"
    program = tepui.loads(text, "bp")
    assert len(program_net(program, []).locals) < 5


def test_an_unknown_kind_of_thread_is_refused() -> None:
    program, _ = _asked(*SAFE["lock"])
    with pytest.raises(NoNet, match="a kind of thread"):
        program_net(program, [((9, 0),)])


def test_a_fork_may_be_at_what_it_calls() -> None:
    program = tepui.loads(CROWD.replace("in: skip", "help()") + "void help() { skip; }", "bp")
    (point,) = tepui.unreachable(program, "help()").places[0]
    assert kinds_at(program, point) == [1 + program.numbers["work"]]


def test_who_has_no_time_gets_no_answer() -> None:
    program, bad = _asked(*SAFE["readers and writers"])
    evidence = _proved(program, bad)
    with pytest.raises(CheckStopped):
        evidence.check_program(program, bad, lambda: False)
    found = cover_program(program, bad, Meter(Limits(timeout=0)))
    assert found.verdict == "unknown"
    assert found.stop is not None
    assert found.stop.kind == "time"
    with pytest.raises(TooManyPairs):
        program_net(program, bad, most=10)


def _asked(text: str, labels: tuple[str, str] | None) -> tuple[Program, list[Bad]]:
    program = tepui.loads(text, "bp")
    return program, _places(program, labels)


def _places(program: Program, labels: tuple[str, str] | None) -> list[Bad]:
    if labels is not None:
        return bad_of(program, tepui.never_together(program, *labels).places)
    return [
        bad for question in tepui.assertions(program) for bad in bad_of(program, question.places)
    ]


def _proved(program: Program, bad: list[Bad]) -> ProgramCovering:
    found = cover_program(program, bad, Meter(Limits()))
    assert found.verdict == "safe"
    assert found.evidence is not None
    found.evidence.check_program(program, bad, lambda: True)
    return found.evidence


def _is_accepted(evidence: ProgramCovering, program: Program, bad: list[Bad]) -> bool:
    try:
        evidence.check_program(program, bad, lambda: True)
    except EvidenceError:
        return False
    return True
