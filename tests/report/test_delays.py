"""Delays in reports: words, the live table, and the delayed threads in a trace."""

from __future__ import annotations

from random import Random

from support.generators.systems import random_system
from support.oracles.delays import cost_of_run
from support.samples.delays import EXAMPLE_8, SIZES, read
from tepui.deciding import Options, verify
from tepui.engines.rounds import Delayed
from tepui.model import System
from tepui.progress import Progress
from tepui.report.bounds import other_text
from tepui.report.terminal.live_view import LiveView
from tepui.result import Other, Result
from tepui.subject.schedule import delayed_before_steps


def progress(k: int, delays: Delayed | None = None, *, complete: bool = True) -> Progress:
    return Progress(k, 10, 10, 1, 0.5, 2**20, complete, delays=delays)


def delayed(rounds: int, delays: int) -> Delayed:
    return Delayed(rounds, delays, 10, 20)


def drawn(*rows: Progress) -> list[list[str]]:
    """The rounds that the live table shows after these, cell by cell."""
    view = LiveView("verify it")
    for row in rows:
        view.see(row)
    return [line.split() for line in view.frame(100, 50)[1:-1]]


def test_the_live_table_starts_anew_when_delays_take_the_place_of_contexts() -> None:
    table = drawn(progress(0), progress(1), progress(0, delayed(0, 0)), progress(1, delayed(1, 0)))
    assert table[0][:3] == ["rounds", "delays", "states"]
    assert [row[:2] for row in table[1:]] == [["0", "0"], ["1", "0"]]
    table = drawn(progress(0), progress(1), progress(7, delayed(4, 3)))
    assert [row[:2] for row in table[1:]] == [["4", "3"]]


def test_the_live_table_starts_anew_when_contexts_take_the_place_of_delays() -> None:
    table = drawn(progress(0, delayed(0, 0)), progress(1, delayed(1, 0)), progress(0), progress(1))
    assert table[0][:2] == ["k", "states"]
    assert [row[0] for row in table[1:]] == ["0", "1"]


def test_the_live_table_does_not_say_which_bound_is_being_raised() -> None:
    table = drawn(
        progress(0, delayed(0, 0)),
        progress(1, delayed(1, 0)),
        progress(2, delayed(1, 0), complete=False),
    )
    assert [row[:2] for row in table[1:]] == [["0", "0"], ["1", "0"], ["…", "…"]]


def test_what_others_had_seen_is_told_in_what_they_count() -> None:
    contexts = Other("diagram", "contexts", 1, None, None, 7, "overtaken")
    delays = Other("delay", "delays", 1, 12, 1234, 1000, "cancelled")
    assert other_text(contexts) == "diagram: 1 context, ∞ states, overtaken"
    assert other_text(delays) == "delay: 1 delay, 12 rounds, 1,234 states, cancelled"


def test_in_example_8_both_other_threads_are_delayed() -> None:
    result = _verified(read(f"{EXAMPLE_8}\nbad 2 | *, *, *\n"))
    trace = result.trace
    assert trace is not None
    assert [*delayed_before_steps(result.system, trace)] == [(0, 1)]
    assert str(result).count("(delayed: T0, T1)") == 1


def test_as_many_threads_are_shown_delayed_as_the_schedule_has_delays() -> None:
    rng, found, several = Random(8), 0, 0
    for _ in range(600):
        system = random_system(rng, SIZES)
        result = _verified(system)
        if result.trace is None:
            continue
        run = ((step.thread, (step.shared, step.stacks)) for step in result.trace.steps)
        delays = sum(map(len, delayed_before_steps(system, result.trace)))
        assert (result.bound_rounds, delays) == cost_of_run(system, run)
        assert result.bound == delays
        found, several = found + 1, several + (delays > 1)
    assert found > 200
    assert several > 20


def _verified(system: System) -> Result:
    return verify(system, options=Options(engine="delay", rounds=6, delays=6))
