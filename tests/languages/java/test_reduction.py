"""What becomes one step, what must not, and that no verdict depends on it."""

from __future__ import annotations

import pytest

import tepui
from support.generators.java_locking import java_threads
from support.java_programs import JavaText, java_text
from support.sizes import sized
from tepui.languages.java import java_program
from tepui.languages.java.reduction import reduced
from tepui.program.expressions import FALSE
from tepui.program.program import Assert, Call, Procedure, Program

TEXT = """
class Reduce {
    static final Object lock = new Object(), other = new Object();
    static int guarded, bare, half; static volatile int flag; static int early;
    static final class Box { final int fixed; int open; Box(int n) { fixed = n; } }
    static void start(Runnable it) { new Thread(it).start(); }
    static void guard() { early = 1; early = 2; start(() -> adds()); adds(); }
    static void adds() { synchronized (lock) { guarded++; guarded += early; fail(guarded > 50); } }
    static void unlocked() { start(() -> { bare++; fail(bare > 7); }); nothing(); writes(); }
    static void writes() { bare = 1; bare = 2; }
    static void fail(boolean wrong) { if (wrong) throw new IllegalStateException(); }
    static void sometimes() { start(() -> { fail(half++ > 7); }); halves(); }
    static void halves() { synchronized (lock) { half = 1; half = 2; } }
    static void different() {
        start(() -> { synchronized (other) { fail(half++ > 7); } }); halves(); }
    static void loops() {
        start(() -> adds()); synchronized (lock) { while (guarded < 3) guarded++; guarded = 0; } }
    static void calls() {
        start(() -> adds()); synchronized (lock) { guarded = 1; nothing(); guarded = 2; } }
    static void nothing() { }
    static void checks() { start(() -> { bare++; }); divides(bare); }
    static void divides(int k) { fail(10 / k + 10 / (k - 1) > 20); }
    static void waits() throws InterruptedException { start(() -> tells());
        synchronized (lock) { while (guarded == 0) lock.wait(); guarded = 5; guarded = 6; } }
    static void tells() { synchronized (lock) { guarded = 1; lock.notify(); } }
    static void nested() { start(() -> adds()); synchronized (other) { guardedBoth(); } }
    static void guardedBoth() { synchronized (lock) { guarded = 7; guarded = 8; } }
    static void signals() { start(() -> fail(flag > 7)); raise(); }
    static void raise() { flag = 1; flag = 2; }
    static void fixed() { Box box = new Box(4); start(() -> { box.open++; });
        fail(sum(box) > 99); }
    static int sum(Box box) { return box.fixed + box.open + box.fixed; }
}
"""


@pytest.fixture(scope="module")
def text() -> JavaText:
    return java_text(TEXT)


@pytest.fixture
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without any reduction."""
    monkeypatch.setattr(java_program, "reduced", _unchanged)


def _unchanged(program: Program, *_: object) -> Program:
    return program


def method(text: JavaText, entry: str, name: str) -> Procedure:
    return text.program(f"Reduce.{entry}").by_name[f"Reduce.{name}"]


def rests(procedure: Procedure, *accesses: str) -> list[str]:
    """The accesses in front of which a thread can rest, in the order of the text."""
    return [
        each.text
        for each in procedure.locations
        if not each.atomic and each.text.startswith(accesses or ("read", "write"))
    ]


def test_accesses_with_the_lock_that_all_others_hold_too_are_one_step(text: JavaText) -> None:
    assert rests(method(text, "guard", "adds")) == []


def test_without_the_reduction_a_thread_rests_in_front_of_each_access(
    text: JavaText, plain: None
) -> None:
    accesses = ["read", "write", "read", "read", "write", "read"]
    found = rests(method(text, "guard", "adds"))
    assert [each.split()[0] for each in found] == accesses
    assert "Reduce.early" in found[3]


def test_what_is_written_before_any_thread_runs_needs_no_lock(text: JavaText) -> None:
    assert rests(method(text, "guard", "guard")) == []


def test_an_access_without_a_lock_stays_a_step_of_its_own(text: JavaText) -> None:
    assert rests(method(text, "unlocked", "writes")) == ["write Reduce.bare"] * 2


def test_a_lock_that_others_do_not_take_protects_nothing(text: JavaText) -> None:
    assert rests(method(text, "sometimes", "halves")) == ["write Reduce.half"] * 2
    assert rests(method(text, "different", "halves")) == ["write Reduce.half"] * 2


def test_a_place_that_may_block_stays(text: JavaText) -> None:
    for entry in ("guard", "loops", "nested"):
        program = text.program(f"Reduce.{entry}")
        places = [each for one in program.procedures for each in one.locations]
        locks = [each for each in places if each.text == "lock"]
        assert locks
        assert not any(each.atomic for each in locks)


def test_the_head_of_a_loop_stays_and_the_rest_of_the_loop_does_not(text: JavaText) -> None:
    found = method(text, "loops", "loops")
    assert rests(found) == ["read Reduce.guarded"]
    (head,) = [
        n
        for n, each in enumerate(found.locations)
        if each.text == rests(found)[0] and not each.atomic
    ]
    seen, waiting = set[int](), [head]
    while waiting:
        for edge in found.leaving[waiting.pop()]:
            target = getattr(edge, "target", None)
            if target is not None and target not in seen:
                seen.add(target)
                waiting.append(target)
    assert head in seen


def test_each_way_around_a_loop_rests_somewhere(text: JavaText) -> None:
    for entry in ("loops", "waits", "guard"):
        for procedure in text.program(f"Reduce.{entry}").procedures:
            assert not _has_atomic_cycle(procedure), procedure.name


def test_where_a_call_comes_back_and_where_a_procedure_begins_stays(text: JavaText) -> None:
    program = text.program("Reduce.calls")
    backs = 0
    for procedure in program.procedures:
        assert not procedure.locations[procedure.entry].atomic
        for edge in procedure.edges:
            if isinstance(edge, Call):
                backs += 1
                assert not procedure.locations[edge.target].atomic
    assert backs > 3
    assert rests(method(text, "calls", "calls")) == ["write Reduce.guarded"]


def test_a_check_that_fails_is_not_made_inside_of_a_step(
    text: JavaText, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = method(text, "checks", "divides")
    monkeypatch.setattr(java_program, "reduced", _unchanged)
    before = method(text, "checks", "divides")
    assert len(found.locations) > len(before.locations)
    for number in range(len(before.locations), len(found.locations)):
        (check,) = found.leaving[number]
        assert isinstance(check, Assert)
        assert check.condition == FALSE
        assert not found.locations[number].atomic
    for edge in found.edges:
        if isinstance(edge, Assert) and found.locations[edge.source].atomic:
            assert before.locations[edge.source].atomic


def test_after_waiting_a_thread_rests_and_then_goes_on_in_one_step(text: JavaText) -> None:
    found = method(text, "waits", "waits")
    back = next(
        each.target
        for each in found.edges
        if isinstance(each, Call) and "waitFor" in each.procedure
    )
    assert not found.locations[back].atomic
    writes = [each.atomic for each in found.locations if each.text == "write Reduce.guarded"]
    assert writes == [True, True]


def test_a_model_that_waits_rests_where_others_may_notify(text: JavaText) -> None:
    program = text.program("Reduce.waits")
    (waiting,) = [each for each in program.procedures if each.name.startswith("Monitors.waitFor")]
    assert sum(not each.atomic for each in waiting.locations) >= 3


def test_a_procedure_holds_what_all_its_callers_hold(text: JavaText) -> None:
    assert rests(method(text, "nested", "guardedBoth")) == []


def test_a_final_field_is_read_without_a_step_of_its_own(text: JavaText) -> None:
    assert rests(method(text, "fixed", "sum")) == ["read open"]


def test_a_volatile_field_is_not_free_to_move(text: JavaText) -> None:
    assert rests(method(text, "signals", "raise")) == ["write Reduce.flag"] * 2


def test_a_program_that_is_asked_for_races_is_not_reduced(text: JavaText) -> None:
    found = text.program("Reduce.guard", races=True).by_name["Reduce.adds"]
    assert len(rests(found)) == 6


@pytest.mark.parametrize("seed", range(sized(8)))
def test_verdicts_are_the_same_with_and_without_the_reduction(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also the number of contexts, if nothing else is known than that it is the smallest one."""
    count = 10
    programs = java_text(java_threads(seed, count))
    found = []
    for make in (reduced, _unchanged):
        monkeypatch.setattr(java_program, "reduced", make)
        made = [programs.program(f"Source.P{number}.go") for number in range(count)]
        found.append([(_rests(each), _answers(each)) for each in made])
    for small, whole in zip(*found, strict=True):
        assert small[0] < whole[0]
        assert small[1] == whole[1]


def _rests(program: Program) -> int:
    """At how many places a thread can rest."""
    return sum(not place.atomic for each in program.procedures for place in each.locations)


def _answers(program: Program) -> list[tuple[str, int | None]]:
    """Whether anything goes wrong, and whether the program hangs, with how many contexts."""
    found: list[tuple[str, int | None]] = []
    for questions in ([*tepui.assertions(program)], [tepui.deadlock()]):
        if questions:
            options = tepui.Options(limits=tepui.Limits(timeout=120), check=False)
            result = tepui.verify(program, questions, options)
            is_known = result.verdict == "unsafe" and result.bound_is_fewest
            found.append((result.verdict, result.bound if is_known else None))
    return found


def _has_atomic_cycle(procedure: Procedure) -> bool:
    """Whether some way leads around a loop through atomic places alone."""
    left = {number for number, each in enumerate(procedure.locations) if each.atomic}
    while True:
        ends = {
            number
            for number in left
            if not any(getattr(edge, "target", None) in left for edge in procedure.leaving[number])
        }
        if not ends:
            return bool(left)
        left -= ends
