"""Reports in any width: lines that fit, and not a word lost."""

from __future__ import annotations

import re
from functools import cache

import pytest

import tepui
from support.places import EXAMPLES
from support.samples.program_texts import QUESTIONS, RACE, program_of
from tepui.report.text.coverage import coverage_lines
from tepui.report.text.paint import Role, clipped, wrapped
from tepui.report.text.summary import answer_line, summary
from tepui.result import Result

SYSTEMS = ["bluetooth-buggy", "deadlock", "job-queue", "two-wheels", "round-robin"]
PROGRAMS = ["bluetooth1", "bluetooth2", "fork-crowd", "fork-second-worker", "irp-cancellation"]
WIDTHS = [60, 80, 100, 200]


@cache
def result_of(name: str) -> Result:
    options = tepui.Options(engine="delay") if name == "round-robin.cpds" else None
    return tepui.verify(tepui.load(EXAMPLES / name), options=options)


def marked(text: str, role: Role) -> str:
    return f"<{role}>{text}</{role}>"


class TestWrapped:
    def test_a_line_is_broken_between_words_and_goes_on_under_its_column(self) -> None:
        assert wrapped(["  note  one two three"], 14, 8) == [
            "  note  one",
            "        two",
            "        three",
        ]

    def test_without_a_width_a_line_stays_a_line(self) -> None:
        assert wrapped(["word " * 100], None, 4) == [("word " * 100).rstrip()]

    def test_a_word_that_is_too_long_is_not_broken(self) -> None:
        assert wrapped(["a " + "b" * 20 + " c"], 10, 2) == ["a", "  " + "b" * 20, "  c"]

    def test_blanks_between_columns_stay_and_those_at_ends_go(self) -> None:
        assert wrapped(["a    b    c   "], 7, 0) == ["a    b", "c"]
        assert wrapped(["   "], 7, 0) == [""]

    def test_a_piece_keeps_its_role_on_every_line(self) -> None:
        assert wrapped(["x ", ("one two", "safe"), " y"], 6, 1, marked) == [
            "x <safe>one</safe>",
            " <safe>two</safe> y",
        ]

    def test_a_clipped_line_is_cut_and_painted(self) -> None:
        assert clipped(["ab", ("cde", "place"), "f"], 4, marked) == "ab<place>cd</place>"


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", SYSTEMS)
def test_the_report_on_a_system_fits_and_says_the_same(name: str, width: int) -> None:
    result = result_of(f"{name}.cpds")
    text = summary(result, width=width)
    assert max(map(len, text.splitlines())) <= width
    if "left out" not in text:
        assert text.split() == summary(result).split()


@pytest.mark.parametrize("width", [40, *WIDTHS])
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_report_on_a_program_fits_and_says_the_same(name: str, width: int) -> None:
    result = result_of(f"{name}.bp")
    text = summary(result, stacks=True, width=width)
    assert max(map(len, text.splitlines())) <= width
    whole = re.sub(r"^  line (\d+) ", rf"  {name}.bp:\1 ", text, flags=re.M)
    assert whole.split() == summary(result, stacks=True).split()


def test_the_name_of_the_only_file_is_left_out_only_where_room_is_short() -> None:
    result = result_of("irp-cancellation.bp")
    assert "\n  irp-cancellation.bp:21  DispatchRoutine " in summary(result, width=120)
    assert "\n  line 21  DispatchRoutine " in summary(result, width=90)


def test_changes_that_do_not_fit_are_below_their_statement() -> None:
    lines = summary(result_of("irp-cancellation.bp"), width=80).splitlines()
    at = lines.index("  line 41  IoCancelIrp              | routine := none")
    assert lines[at + 1] == " " * 40 + "routine: cancel -> none"


def test_the_page_on_the_command_line_shows_a_trace_as_it_is() -> None:
    page = (EXAMPLES.parent / "docs" / "cli.md").read_text(encoding="utf-8")
    block = page[page.index("    context 2: thread IoCancelIrp\n") :].split("\n\n")[0]
    shown = "\n".join(line[4:] for line in block.splitlines())
    assert f"\n{shown}\n" in summary(result_of("irp-cancellation.bp"), width=80)


def test_a_rule_that_does_not_fit_is_below_its_state() -> None:
    lines = summary(result_of("bluetooth-buggy.cpds"), width=80).splitlines()
    at = lines.index("          run | Increment work, start, start, start, one zero")
    assert lines[at + 1] == "              by run | start -> run | Increment work"


def test_coverage_and_answers_fit() -> None:
    explored = tepui.explore(program_of(RACE))
    assert max(map(len, coverage_lines(explored, width=30))) <= 30
    told = " ".join(coverage_lines(explored, width=30)).split()
    assert told == " ".join(coverage_lines(explored)).split()
    first, *_ = tepui.verify_all(program_of(QUESTIONS))
    assert answer_line(first, width=40) == (
        "SAFE     assert(x) at test.bp:5: Z\n         (matched) has no bad state"
    )


def test_what_a_step_of_a_system_changes_is_painted() -> None:
    text = summary(result_of("deadlock.cpds"), paint=marked)
    assert text.startswith("<unsafe>UNSAFE  deadlock: ")
    assert "context 2: thread <thread>left</thread>\n" in text
    assert "<change>AB</change> | <change>one</change>, one     <inside>by B | start" in text
    assert "\n<unsafe>     bad  deadlock: no thread can move</unsafe>" in text
    for role in ("unsafe", "thread", "change", "inside"):
        text = text.replace(f"<{role}>", "").replace(f"</{role}>", "")
    assert text == summary(result_of("deadlock.cpds"))
