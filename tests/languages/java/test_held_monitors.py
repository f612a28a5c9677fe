"""Which monitors are surely held, and where other threads run."""

from __future__ import annotations

from functools import cache

import pytest

from support.java_programs import java_text
from tepui.languages.java import java_program
from tepui.languages.java.held_monitors import HeldMonitors
from tepui.program.program import Program

TEXT = """
class Held {
    static final Object lock = new Object(), other = new Object();
    static int before, inside, both, after, waited, started, called, either, joined;
    static void fail(int n) { if (n > 99) throw new IllegalStateException(); }
    static void main() throws InterruptedException {
        before++; fail(before);
        Thread it = new Thread(() -> { started++; fail(started); synchronized (lock) { called();
        } });
        it.start();
        synchronized (lock) { inside++;
            synchronized (other) { both++; }
            lock.wait(); waited++; called(); either(); }
        synchronized (other) { either(); }
        after++; fail(inside + both + after + waited + called + either);
    }
    static void called() { called++; }
    static void either() { either++; }
}
"""


@cache
def program() -> Program:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(java_program, "reduced", lambda program, *_: program)
        return java_text(TEXT).program("Held.main")


def held() -> HeldMonitors:
    waiting = [each.name for each in program().procedures if "waitFor" in each.name]
    assert waiting
    return HeldMonitors(program(), waiting)


def at_write(field: str) -> tuple[set[str], bool]:
    """The monitors that are held where a field is written, and whether others may run."""
    for procedure in program().procedures:
        for number, place in enumerate(procedure.locations):
            if place.text == f"write Held.{field}":
                labels = {_label(each) for each in held().at(procedure.name, number)}
                return labels, held().is_shared(procedure.name, number)
    raise AssertionError(field)


def _label(number: int) -> str:
    (monitor,) = [each for each in program().globals if each.name == "monitor"]
    return monitor.type.names[number].removeprefix("monitor of ")  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("field", "monitors"),
    [("before", 0), ("inside", 1), ("both", 2), ("waited", 1), ("after", 0), ("started", 0)],
)
def test_what_is_entered_and_not_left_is_held(field: str, monitors: int) -> None:
    assert len(at_write(field)[0]) == monitors


def test_nested_monitors_are_held_together() -> None:
    assert at_write("inside")[0] < at_write("both")[0]


def test_a_monitor_is_held_again_after_waiting() -> None:
    assert at_write("waited")[0] == at_write("inside")[0]


def test_a_procedure_holds_what_all_of_its_calls_hold() -> None:
    assert at_write("called")[0] == at_write("inside")[0]
    assert at_write("either")[0] == set()


def test_others_run_once_a_thread_has_been_started() -> None:
    assert not at_write("before")[1]
    assert all(at_write(each)[1] for each in ("inside", "after", "started", "called"))
