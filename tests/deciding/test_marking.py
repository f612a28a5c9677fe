"""Markers of small programs: which lines, when, and that nobody pays who does not ask."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from unittest import mock

import pytest

import tepui
from support.places import EXAMPLES
from tepui.engines.kernel_engine import KernelEngine
from tepui.markers import Marker

DEAD = """\
decl a := 0, b := 0;
void f() {
    a := 1;
    if (b) {
        skip;
    }
    assert(!a);
}
void g() {
    a := 0;
}
void main() { thread_create(f); }
"""

ENGINES = ("auto", "explicit", "plain", "diagram", "symbolic", "delay", "abstract")

LINES = {"reached": [3, 4, 7], "violated": [7], "unreached": [5, 10]}


def marked(run: Callable[..., object], **options: object) -> list[Marker]:
    seen: list[Marker] = []
    run(options=tepui.Options(markers=seen.append, **options))  # type: ignore[arg-type]
    return seen


def lines(seen: Sequence[Marker], mark: str) -> list[int]:
    return sorted(marker.line for marker in seen if marker.mark == mark)


def program(text: str) -> tepui.Program:
    loaded = tepui.loads(text, language="bp", name="t.bp")
    assert isinstance(loaded, tepui.Program)
    return loaded


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("fusion", [True, False])
def test_every_engine_marks_the_same_lines(engine: str, fusion: bool) -> None:
    dead = program(DEAD)
    seen = marked(partial(tepui.explore, dead), engine=engine, fusion=fusion)
    assert [lines(seen, mark) for mark in LINES] == [[3, 4, 7], [], [5, 10]]
    if engine not in ("plain", "delay", "abstract"):  # These may end before Z.
        seen = marked(partial(tepui.verify, dead), engine=engine, fusion=fusion)
        assert {mark: lines(seen, mark) for mark in LINES} == LINES


def test_rounds_come_in_their_order_and_lines_in_the_order_of_the_source() -> None:
    bluetooth = tepui.load_program(EXAMPLES / "bluetooth1.bp")
    seen = marked(partial(tepui.explore, bluetooth), engine="explicit", strengths=())
    assert [(marker.line, marker.round, marker.contexts) for marker in seen] == [
        (38, 0, 0),
        (46, 0, 0),
        *((line, 1, 1) for line in (22, 23, 24, 29)),
        (30, 1, 2),  # Inside an atomic section, which one more context may enter.
        (31, 1, 2),
        *((line, 1, 1) for line in (33, 39, 40, 42, 47, 48, 49)),
    ]
    assert {(marker.mark, marker.engine) for marker in seen} == {("reached", "explicit")}


def test_a_bounded_run_calls_nothing_unreached_that_is_beyond_its_bound() -> None:
    bluetooth = tepui.load_program(EXAMPLES / "bluetooth1.bp")
    for contexts in range(4):
        seen = marked(partial(tepui.verify, bluetooth), contexts=contexts)
        assert lines(seen, "unreached") == []
        assert len(lines(seen, "reached")) == (3 if contexts == 0 else 15)


def test_a_violation_is_marked_when_its_question_is_answered() -> None:
    text = DEAD.replace("assert(!a);", "assert(!a); assert(a);\n assert(!b);")
    seen: list[str] = []
    with mock.patch("tepui.deciding.drivers.first_answer") as patched:
        from tepui.deciding.race import first_answer

        def noted(*args: object, **rest: object) -> object:
            seen.append("answer")
            return first_answer(*args, **rest)  # type: ignore[arg-type]

        patched.side_effect = noted
        asked = program(text)
        options = tepui.Options(markers=lambda marker: seen.append(marker.mark))
        tepui.verify_all(asked, tepui.assertions(asked), options)
    assert seen.index("violated") < len(seen) - 1 - seen[::-1].index("answer")


def test_nothing_is_asked_of_engines_without_markers_or_when_all_is_marked() -> None:
    bluetooth = tepui.load_program(EXAMPLES / "bluetooth1.bp")
    with mock.patch.object(KernelEngine, "points", autospec=True) as points:
        tepui.verify(bluetooth)
        assert points.call_count == 0
    asked: list[int] = []
    points_of = KernelEngine.points

    def noted(engine: KernelEngine, start: int, tops: list[int]) -> list[list[int]]:  # type: ignore[type-arg]
        asked.append(start)
        return points_of(engine, start, tops)

    with mock.patch.object(KernelEngine, "points", noted):
        marked(partial(tepui.verify, bluetooth), engine="explicit")
    assert asked == [0, 1]  # All lines are reached in round 1.


def test_a_limit_and_a_lack_of_slots_are_no_violations() -> None:
    crowd = tepui.load_program(EXAMPLES / "fork-crowd.bp")
    seen = marked(partial(tepui.explore, crowd))
    assert lines(seen, "violated") == lines(seen, "unreached") == []


def test_interrupting_who_listens_ends_the_run_with_an_answer() -> None:
    seen: list[Marker] = []

    def listen(marker: Marker) -> None:
        seen.append(marker)
        if len(seen) == 5:
            raise KeyboardInterrupt

    bluetooth = tepui.load_program(EXAMPLES / "bluetooth1.bp")
    result = tepui.verify(bluetooth, options=tepui.Options(markers=listen))
    assert (result.verdict, result.stop and result.stop.kind) == ("unknown", "interrupted")


def test_systems_have_no_lines() -> None:
    system = tepui.load_system(EXAMPLES / "figure4.cpds")
    assert marked(partial(tepui.verify, system)) == []
