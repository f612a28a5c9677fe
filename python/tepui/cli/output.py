"""Printing results for people."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import click

from tepui.errors import UsageError
from tepui.program.lowered import LoweredSystem
from tepui.report.bounds import count_text
from tepui.report.text import cut_in_the_middle, headline, summary
from tepui.result import Answer, Result, Round

_COLOURS: dict[str, dict[str, Any]] = {
    "safe": {"fg": "green", "bold": True},
    "unsafe": {"fg": "red", "bold": True},
    "open": {"fg": "yellow", "bold": True},
    "thread": {"fg": "cyan", "bold": True},
    "place": {"fg": "blue"},
    "change": {"fg": "magenta"},
    "inside": {"dim": True},
}
MOST_DIGITS = 100_000
_VERDICTS = {"safe": "safe", "collapsed": "safe", "unsafe": "unsafe"}


@contextmanager
def long_numbers() -> Iterator[None]:
    """Write numbers that are longer than Python likes to write them, but not any length."""
    usual = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(MOST_DIGITS)
    try:
        yield
    except ValueError as error:
        if "integer string conversion" not in str(error):
            raise
        raise UsageError(
            f"the answer has numbers of more than {MOST_DIGITS:,} digits, too long to write"
        ) from None
    finally:
        sys.set_int_max_str_digits(usual)


def print_summary(result: Result, *, stacks: bool = False) -> None:
    """The report on a result, its first line in the colour of the verdict."""
    if isinstance(result.system, LoweredSystem):
        from tepui.report.program_text import program_summary

        click.echo(program_summary(result, stacks=stacks, paint=_paint()))
        return
    first = headline(result)
    rest = summary(result)[len(first) :]
    click.echo(_paint()(first, _VERDICTS.get(result.verdict, "open")) + rest)


def print_answers(answers: Sequence[Answer], *, traces: bool, stacks: bool) -> None:
    """One line for each question, with traces where they are wanted."""
    from tepui.report.program_text import answer_line, violation_lines

    paint = _paint()
    for answer in answers:
        click.echo(answer_line(answer, paint))
        if traces and answer.result.trace is not None:
            for line in violation_lines(answer.result, stacks=stacks, paint=paint):
                click.echo(f"    {line}" if line else "")
    last = answers[-1].result
    checks = sum(answer.result.check_seconds or 0 for answer in answers)
    check = f" and {checks:.2f} s for the checks" if checks else ""
    memory = max(answer.result.peak_memory_bytes for answer in answers) / 2**20
    click.echo(f"  took      {last.seconds:.2f} s{check}, {memory:,.0f} MiB")
    for note in dict.fromkeys(note for answer in answers for note in answer.result.notes):
        click.echo(f"  note      {note}")


def print_coverage(result: Result) -> None:
    """The statements of a program, each with who reaches it."""
    from tepui.report.program_text import coverage_lines

    for line in coverage_lines(result, paint=_paint()):
        click.echo(line)


def print_rounds(result: Result) -> None:
    """The table of rounds, for those who did not see it live; `--json` has all of a long one."""
    rows = [_cells(row, result.tops) for row in result.rounds]
    click.echo(" ".join(f"{name:>{width}}" for name, width, _ in rows[0]))
    lines = [" ".join(f"{text:>{width}}" for _, width, text in row) for row in rows]
    for line in cut_in_the_middle(lines):
        click.echo(line)


def _cells(row: Round, tops: int) -> list[tuple[str, int, str]]:
    """The columns of a round: the name and the width of each, and what is in it."""
    bounds, words, images = [("k", 4, str(row.k))], [], []
    if row.delays is not None:
        seen = row.delays
        bounds = [("rounds", 6, str(seen.rounds)), ("delays", 6, str(seen.delays))]
        words = [(f"top {tops}", 16, f"{seen.top_words:,}")] if tops > 1 else []
        images = [("images", 12, f"{seen.images:,}")]
    return [
        *bounds,
        ("states", 16, count_text(row.states)),
        ("visible", 16, f"{row.visible:,}"),
        *words,
        ("new", 12, f"{row.new_visible:,}"),
        *images,
        ("seconds", 9, f"{row.seconds:.3f}"),
    ]


def print_visible(result: Result) -> None:
    """The visible states, one on a line, unless there are too many."""
    try:
        listed = result.list_visible()
    except UsageError as error:
        click.echo(f"\n{error}")
        return
    total = result.visible_states
    if total is not None and len(listed) < total:
        click.echo(
            f"\n{len(listed):,} visible states up to permutations of equal threads "
            f"({total:,} in all: --symmetry off lists them)"
        )
    else:
        click.echo(f"\n{len(listed):,} visible states")
    for visible in listed:
        click.echo(result.system.visible_text(visible))


def _paint() -> Callable[[str, str], str]:
    """Colours where the terminal can show them; click removes them where there is none."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return lambda text, _: text
    return lambda text, role: click.style(text, **_COLOURS[role])
