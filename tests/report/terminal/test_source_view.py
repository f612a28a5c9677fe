"""The source beside the live table: its marks, where it scrolls to, and that it fits."""

from __future__ import annotations

import click
import pytest

from tepui.markers import Marker
from tepui.report.terminal.panes import both
from tepui.report.terminal.source_view import SourceView
from tepui.report.terminal.streams import _coloured

TEXT = ["void f() {", "    x := 1;", "\tassert(x);", "    y := 1;", "}"]
LINES = [("a.bp", 2), ("a.bp", 3), ("a.bp", 4)]


def view_of(*markers: Marker, text: list[str] = TEXT, ascii_only: bool = False) -> SourceView:
    view = SourceView([("a.bp", text)], LINES, ascii_only=ascii_only)
    for marker in markers:
        view.see(marker)
    return view


def table(columns: int, rows: int) -> list[str]:
    return ["round " * 3][:rows]


def test_lines_are_plain_until_they_are_marked() -> None:
    assert view_of().frame(40, 10) == [
        "a.bp · 0 of 3 lines reached",
        "1   void f() {",
        "2       x := 1;",
        "3       assert(x);",
        "4       y := 1;",
        "5   }",
    ]


def test_every_mark_has_a_sign_and_a_violation_stays() -> None:
    marks = [
        Marker("reached", "a.bp", 2),
        Marker("violated", "a.bp", 3),
        Marker("reached", "a.bp", 3),
        Marker("unreached", "a.bp", 4),
    ]
    shown = ["2 ✓     x := 1;", "3 ✗     assert(x);", "4 ○     y := 1;"]
    assert view_of(*marks).frame(40, 10)[2:5] == shown
    plain = ["2 +     x := 1;", "3 x     assert(x);", "4 -     y := 1;"]
    assert view_of(*marks, ascii_only=True).frame(40, 10)[2:5] == plain
    assert view_of(*marks).frame(60, 10)[0] == "a.bp · 2 of 3 lines reached, 1 unreached"
    assert view_of(ascii_only=True).frame(40, 10)[0] == "a.bp - 0 of 3 lines reached"


def test_marks_are_green_red_and_grey_and_all_else_is_plain() -> None:
    view = SourceView([("a.bp", TEXT)], LINES, paint=_coloured)
    view.see(Marker("reached", "a.bp", 2))
    view.see(Marker("violated", "a.bp", 3))
    view.see(Marker("unreached", "a.bp", 4))
    _, first, reached, violated, unreached, last = view.frame(40, 10)
    assert "\x1b" not in first + last
    assert reached.startswith("\x1b[32m")
    assert violated.startswith("\x1b[31m\x1b[1m")
    assert unreached.startswith("\x1b[2m")


def test_a_long_source_is_scrolled_to_the_last_mark_and_holds_at_a_violation() -> None:
    text = [f"line {number}" for number in range(1, 101)]
    view = view_of(Marker("reached", "a.bp", 60), text=text)
    assert " 60 ✓ line 60" in view.frame(40, 11)
    before = view.frame(40, 11)
    view.see(Marker("reached", "a.bp", 61))
    assert [line.replace(" ✓", "  ") for line in view.frame(40, 11)[1:]] == [
        line.replace(" ✓", "  ") for line in before[1:]
    ]
    view.see(Marker("violated", "a.bp", 10))
    view.see(Marker("reached", "a.bp", 90))
    assert " 10 ✗ line 10" in view.frame(40, 11)
    view.see(Marker("unreached", "a.bp", 99))
    assert " 10 ✗ line 10" in view.frame(40, 11)


def test_the_file_is_shown_in_which_something_happens() -> None:
    view = SourceView([("A.java", ["a"]), ("B.java", ["b"])], [("A.java", 1), ("B.java", 1)])
    assert view.frame(40, 5)[1] == "1   a"
    view.see(Marker("reached", "src/B.java", 1))  # Its text could not be read.
    assert view.frame(40, 5) == ["B.java · 1 of 2 lines reached"]
    view.see(Marker("reached", "B.java", 1))
    assert view.frame(40, 5)[1] == "1 ✓ b"


@pytest.mark.parametrize(("columns", "rows"), [(30, 8), (60, 15), (80, 24), (120, 30), (300, 9)])
def test_both_fit_any_terminal(columns: int, rows: int) -> None:
    text = ["宽" * 200, "\x1b[31mred", *("x" * number for number in range(200))]
    view = view_of(Marker("reached", "a.bp", 2), text=text)
    lines = both(table, view, columns, rows)
    assert 0 < len(lines) < rows
    assert all(len(line) <= columns for line in lines)
    assert "\x1b" not in "".join(lines)
    wide = [line for line in lines if "宽" in line]
    assert all(len(line) + line.count("宽") <= columns for line in wide)
    assert any("\\x1b[31mred" in line for line in lines)


def test_wide_terminals_have_both_side_by_side_and_narrow_ones_below_each_other() -> None:
    view = view_of(Marker("reached", "a.bp", 2))
    assert both(table, view, 100, 20)[0].startswith("round round round")
    assert " │ a.bp · 1 of 3" in both(table, view, 100, 20)[0]
    assert both(table, view, 70, 20)[:2] == ["round " * 3, "a.bp · 1 of 3 lines reached"]
    assert " | a.bp" in both(table, view, 100, 20, ascii_only=True)[0]


def test_the_edge_is_straight_whatever_has_colours() -> None:
    def coloured(columns: int, rows: int) -> list[str]:
        from tepui.report.text.paint import Painted

        return [Painted(_coloured("k", "title")), Painted("states")]

    lines = both(coloured, view_of(), 100, 20)
    assert len({click.unstyle(line).index("│") for line in lines}) == 1


def test_the_end_of_a_file_is_no_line() -> None:
    assert view_of(text=[*TEXT, ""]).frame(40, 10) == view_of().frame(40, 10)
