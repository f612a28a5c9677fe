"""The live table: what it shows of a run in any size, and what it leaves on a terminal."""

from __future__ import annotations

import io
import os
import re
import time
from collections.abc import Callable
from dataclasses import replace

import pytest

import tepui
from support.cli import FIGURE4, TOKEN_RING
from support.places import DOCS
from support.terminals import Terminal
from tepui.engines.rounds import Delayed
from tepui.progress import Progress
from tepui.report.terminal import screen as screen_module
from tepui.report.terminal.estimate import next_round
from tepui.report.terminal.live_view import LiveView, clock_text
from tepui.report.terminal.screen import Screen
from tepui.report.terminal.sparkline import sparkline
from tepui.report.text.paint import Painted

SIZES = [(30, 8), (40, 10), (60, 15), (80, 24), (120, 30), (200, 50)]


def complete(k: int, states: int | None, visible: int, new: int, seconds: float = 0.0) -> Progress:
    return Progress(k, states, visible, new, seconds, 2**20, round_complete=True)


def going_on(k: int, seconds: float, activity: str = "exploring") -> Progress:
    return Progress(k, 10, 10, 1, seconds, 2**20, round_complete=False, activity=activity)


def doubling(rounds: int, start: int = 1) -> list[Progress]:
    """Rounds with twice as many new states as the one before, each twice as long."""
    return [
        complete(k, start * 2**k, start * 2**k, start * 2**k // 2 or 1, 0.1 * 2**k)
        for k in range(rounds)
    ]


def view_of(*seen: Progress, ascii_only: bool = False) -> LiveView:
    view = LiveView("explore it", clock=lambda: 100.0, ascii_only=ascii_only)
    for progress in seen:
        view.see(progress)
    return view


class TestSparkline:
    def test_a_bar_is_higher_where_more_is_new_and_a_plateau_has_its_own_sign(self) -> None:
        assert sparkline([1, 7, 100, 0, 0, 1], 20) == "▂▄█▁▁▂"
        assert sparkline([1, 7, 100, 0, 0, 1], 20, ascii_only=True) == ".-#__."

    def test_nothing_but_plateaus_has_bars_too(self) -> None:
        assert sparkline([0, 0], 20) == "▁▁"
        assert sparkline([], 20) == ""

    def test_the_last_bars_are_shown_where_there_is_no_room_for_all(self) -> None:
        assert sparkline([0] * 50 + [1], 3) == "▁▁█"

    def test_numbers_of_any_size_have_bars(self) -> None:
        assert sparkline([1, 10**400], 5) == "▂█"


class TestEstimate:
    def test_growth_goes_on_as_before(self) -> None:
        estimate = next_round(doubling(6))
        assert estimate is not None
        assert estimate.seconds == pytest.approx(3.2)
        assert estimate.states == 64

    def test_where_states_are_infinitely_many_only_time_is_estimated(self) -> None:
        rounds = [complete(k, None, k, 1, 0.1 * 2**k) for k in range(6)]
        estimate = next_round(rounds)
        assert estimate is not None
        assert estimate.seconds == pytest.approx(3.2)
        assert estimate.states is None

    def test_nothing_is_estimated_from_few_short_or_jumping_rounds(self) -> None:
        assert next_round(doubling(3)) is None
        short = [complete(k, 2**k, 2**k, 1, 0.001 * k) for k in range(8)]
        assert next_round(short) is None
        counts = [1, 2, 1000, 1001, 9000]
        jumping = [complete(k, count, 1, 1, float(k)) for k, count in enumerate(counts)]
        assert next_round(jumping) is None
        still = [complete(k, 5, 5, 0, float(k)) for k in range(8)]
        assert next_round(still) is None
        assert next_round([]) is None


class TestView:
    @pytest.mark.parametrize(("columns", "rows"), SIZES)
    @pytest.mark.parametrize("start", [1, 10**6, 10**15, 10**60])
    def test_it_fits_any_terminal(self, columns: int, rows: int, start: int) -> None:
        for rounds in (0, 1, 3, 12, 80):
            view = view_of(*doubling(rounds, start), going_on(rounds, 0.2 * 2**rounds))
            frame = view.frame(columns, rows)
            assert len(frame) < rows
            assert max(map(len, frame)) <= columns
            assert "exploring" in frame[-1]
            assert max(map(len, view.ending(columns)), default=0) <= columns

    def test_a_wide_terminal_shows_all_and_a_narrow_one_what_matters_most(self) -> None:
        view = view_of(*doubling(30, 10**9))
        assert view.ending(120)[1].split() == ["k", "states", "visible", "new", "time", "memory"]
        assert "536,870,912,000,000,000" in view.ending(120)[-2]
        assert view.ending(70)[1].split() == ["k", "states", "visible", "new", "time", "memory"]
        assert "5.36e17" in view.ending(70)[-2]
        assert view.ending(30)[1].split() == ["k", "states", "visible", "new"]
        assert view.ending(25)[1].split() == ["k", "visible", "new"]

    def test_the_last_rounds_are_shown_where_there_is_no_room_for_all(self) -> None:
        frame = view_of(*doubling(40)).frame(100, 15)
        assert frame[2] == "… 31 rounds before …"
        assert [line.split()[0] for line in frame[3:-2]] == [str(k) for k in range(31, 40)]

    def test_the_middle_of_a_long_table_is_left_out_in_the_end(self) -> None:
        lines = view_of(*doubling(40)).ending(100)
        assert lines[6] == "… 21 rounds left out …"
        shown = [line.split()[0] for line in (*lines[2:6], *lines[7:-1])]
        assert shown == [str(k) for k in (*range(4), *range(25, 40))]
        assert lines[-1].startswith("new visible states  ▂")
        assert len(view_of(*doubling(20)).ending(100)) == 23

    def test_another_question_begins_a_new_table(self) -> None:
        view = view_of(*doubling(5), complete(0, 7, 7, 7), complete(1, 8, 8, 1))
        assert [line.split()[:2] for line in view.ending(80)[2:]] == [["0", "7"], ["1", "8"]]

    def test_a_plateau_is_seen_in_the_table_and_in_the_bars(self) -> None:
        rounds = [complete(k, k, 5, 5 * (k < 2)) for k in range(4)]
        lines = view_of(*rounds).ending(80)
        assert [line.split()[3] for line in lines[2:6]] == ["+5", "+5", "plateau", "plateau"]
        assert lines[-1] == "new visible states  ██▁▁"

    def test_the_last_line_says_what_is_going_on_for_how_long_with_how_much(self) -> None:
        now = 0.0
        view = LiveView("explore it", clock=lambda: now)
        view.see(complete(0, 1, 1, 1))
        view.see(going_on(1, 0.0))
        now = 65.0
        assert view.frame(80, 24)[-1].startswith("exploring k = 1 · 1:05 · ")
        assert view.frame(80, 24)[-1].endswith(" MiB")
        view.see(going_on(1, 0.0, "checking the evidence"))
        assert view.frame(80, 24)[-1].startswith("checking the evidence · 1:05 · ")

    def test_what_goes_on_besides_does_not_change_the_rounds(self) -> None:
        rounds = [complete(k, k + 1, k + 1, 1) for k in range(3)]
        view = view_of(*rounds)
        before = view.frame(80, 24)[:-1]
        for activity in ("computing Z", "racing: delay", "checking the evidence"):
            view.see(Progress(9, None, 1, 0, 1.0, 1, True, activity, Delayed(1, 1, 1, 1)))
            assert view.frame(80, 24)[:-1] == before
            assert view.frame(80, 24)[-1].startswith(f"{activity} · ")

    def test_the_next_round_is_estimated_where_there_is_something_to_go_by(self) -> None:
        now = 0.0
        view = LiveView("explore it", clock=lambda: now)
        for row in doubling(6, 10**6):
            view.see(row)
        view.see(going_on(6, 3.2))
        now = 1.0
        wide, middle = view.frame(100, 24)[-1], view.frame(60, 24)[-1]
        assert wide.startswith("exploring k = 6: 1.0 s of about 3 s, about 64 million states · 1.0")
        assert middle.startswith("exploring k = 6: 1.0 s of about 3 s · 1.0 s")
        assert view.frame(35, 24)[-1].startswith("exploring k = 6 · 1.0 s")
        now = 8.0
        assert "8 s, longer than expected" in view.frame(100, 24)[-1]

    def test_ascii_is_enough(self) -> None:
        rounds = [complete(k, None, k + 1, 1 - k % 2, 5.0 * 2**k) for k in range(40)]
        view = view_of(*rounds, going_on(40, 1e13), ascii_only=True)
        for lines in (view.frame(100, 15), view.frame(40, 15), view.ending(80)):
            assert all(line.isascii() for line in lines)
            assert max(map(len, lines)) <= 100
        assert view.ending(80)[2].split()[:2] == ["0", "inf"]

    def test_a_title_cannot_move_the_cursor(self) -> None:
        assert LiveView("explore \x1b[2J\n").frame(80, 24)[0] == r"explore \x1b[2J\n"

    def test_time_is_told_as_people_read_it(self) -> None:
        assert [clock_text(seconds) for seconds in (0.04, 59.94, 61, 3725)] == [
            "0.0 s",
            "59.9 s",
            "1:01",
            "1:02:05",
        ]


def test_the_page_on_the_command_line_shows_a_table_as_it_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("tepui.report.terminal.live_view.current_memory", lambda: 374 * 2**20)
    page = (DOCS / "cli.md").read_text(encoding="utf-8")
    block = page[page.index("    explore token-ring\n") :].split("\n\n")[0]
    shown = [line[4:] for line in block.splitlines()]
    first = [complete(k, 3**k, 3**k, 2 * 3**k if k else 1) for k in range(9)]
    cells = [line.replace(",", "").split() for line in shown[3:-2]]
    rows = [
        Progress(int(k), int(states), int(visible), int(new), float(at), int(memory) * 2**20, True)
        for k, states, visible, new, at, _, memory, _ in cells
    ]
    view = LiveView("explore token-ring")
    for row in (*first, *rows[:-1], replace(rows[-1], round_complete=False)):
        view.see(row)
    assert view.frame(80, 14)[:-1] == shown[:-1]
    estimate = view.frame(80, 14)[-1]
    assert re.sub(r"[\d.]+ s", "#", estimate) == re.sub(r"[\d.]+ s", "#", shown[-1])


class TestActivities:
    def activities(self, file: str, options: tepui.Options) -> set[str]:
        seen: list[Progress] = []
        tepui.verify(tepui.load(file), options=replace(options, progress=seen.append))
        assert all(row.activity == "exploring" for row in seen if row.round_complete)
        return {row.activity for row in seen}

    def test_those_who_watch_hear_of_z_and_of_the_check(self) -> None:
        assert self.activities(FIGURE4, tepui.Options()) == {
            "exploring",
            "computing Z",
            "checking the evidence",
        }

    def test_those_who_watch_hear_of_other_engines_unless_all_run_at_once(self) -> None:
        heard = self.activities(TOKEN_RING, tepui.Options(strengths=()))
        assert {"exploring", "racing: diagram, k = 1"} <= heard
        at_once = self.activities(TOKEN_RING, tepui.Options(strengths=(), jobs=2))
        assert {activity for activity in at_once if "racing" in activity} == set()


class Stream(io.StringIO):
    """A file that is a model of a terminal, too."""

    def __init__(self, columns: int) -> None:
        super().__init__()
        self.terminal = Terminal(columns)
        self.terminal.write("$ tepui\n")
        self.frames = 0

    def write(self, text: str) -> int:
        self.terminal.write(text)
        self.frames += 1
        return len(text)


class TestScreen:
    @pytest.fixture(autouse=True)
    def fast(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(screen_module, "SECONDS_PER_FRAME", 0.001)
        monkeypatch.setattr(screen_module, "size_of", sized)

    def test_each_frame_takes_the_place_of_the_one_before(self) -> None:
        stream = Stream(40)
        shown = drawn_until(stream, lambda: [f"frame {stream.frames}", "below"], 5)
        shown.stop(["the end", "of it"])
        assert stream.terminal.lines == ["$ tepui", "the end", "of it", ""]
        assert stream.terminal.cursor_is_shown

    def test_nothing_remains_of_what_was_only_to_be_seen_for_a_while(self) -> None:
        stream = Stream(40)
        drawn_until(stream, lambda: [f"frame {stream.frames}"], 3).stop([])
        assert stream.terminal.lines == ["$ tepui", ""]

    @pytest.mark.parametrize("columns", [7, 15, 39, 40, 41, 100])
    def test_a_terminal_of_another_width_shows_nothing_of_the_old_frame(self, columns: int) -> None:
        stream = Stream(40)
        lines = ["x" * 40, "y" * 33, "", "z"]
        shown = drawn_until(
            stream,
            lambda: [
                Painted(f"\x1b[35m{line[: stream.terminal.columns]}\x1b[0m") for line in lines
            ],
            1,
        )
        assert stream.terminal.lines == ["$ tepui", *lines]
        stream.terminal.columns = columns
        shown.stop(["end"])
        assert stream.terminal.lines == ["$ tepui", "end", ""]

    def test_a_terminal_that_has_gone_ends_the_drawing_and_nothing_else(self) -> None:
        class Gone(Stream):
            def write(self, text: str) -> int:
                self.frames += 1
                raise OSError("Input/output error")

        stream = Gone(40)
        drawn_until(stream, lambda: ["frame"], 1).stop(["end"])
        assert stream.frames == 2


def sized(stream: Stream) -> os.terminal_size:
    return os.terminal_size((stream.terminal.columns, 24))


def drawn_until(stream: Stream, draw: Callable[[], list[str]], frames: int) -> Screen:
    """A screen that has drawn this many frames."""
    screen = Screen(stream, lambda columns, rows: draw())
    screen.start()
    while stream.frames < frames:
        time.sleep(0.001)
    return screen


def test_what_a_terminal_echoes_between_frames_takes_no_row_of_its_own() -> None:
    stream = io.StringIO()
    screen = screen_module.Screen(stream, lambda _columns, _rows: ["x" * 80])
    screen.start()
    while not stream.getvalue():
        time.sleep(0.01)
    drawn = stream.getvalue()
    screen.stop([])
    assert drawn.endswith("\r\x1b[?25h")
