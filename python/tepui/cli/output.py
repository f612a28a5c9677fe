"""Printing results for people: as wide and as colourful as standard output allows.

On a terminal, lines are wrapped so that they can be read. Elsewhere a line stays one line, whatever
its length, so that other programs find what they search for.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING

from tepui.cli.guard import prints_json
from tepui.errors import UsageError
from tepui.report.bounds import bounds_of, count_text
from tepui.report.terminal.printing import echo, echo_file
from tepui.report.terminal.streams import painter, width_of
from tepui.report.text.paint import Painted, as_painted, wrapped
from tepui.report.text.summary import (
    answer_line,
    fact_lines,
    headline,
    headline_lines,
    summary,
)
from tepui.report.text.traces import violation_lines, without_middle

if TYPE_CHECKING:
    from tepui.engines.rounds import Round
    from tepui.result import Answer, Result

MOST_DIGITS = 100_000
_INDENT = " " * 4

_PIECES = 10_000
"""How many pieces of JSON are printed at once."""


@contextmanager
def long_numbers() -> Iterator[None]:
    """Allow longer numbers than Python writes by default, up to a limit."""
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


def echo_json(found: object) -> None:
    """Print one JSON object: as a whole, or a piece at a time if it is very long."""
    from tepui.report.exchange.json_text import has_rows, json_pieces

    prints_json()
    pieces = json_pieces(found)
    if not has_rows(found):
        pieces = iter(["".join(pieces)])  # If it has a number that is too long, print nothing.
    while some := list(islice(pieces, _PIECES)):
        echo_file("".join(some))
    echo()


def print_summary(result: Result, *, stacks: bool = False) -> None:
    """Print the report on a result, its first line in the colour of the verdict."""
    width, paint = width_of(sys.stdout), painter(sys.stdout)
    echo(summary(result, stacks=stacks, width=width, paint=paint))


def print_answers(answers: Sequence[Answer], *, traces: bool, stacks: bool) -> None:
    """Print one line for each question, with traces if they are wanted."""
    width, paint = width_of(sys.stdout), painter(sys.stdout)
    narrower = None if width is None else width - len(_INDENT)
    for answer in answers:
        echo(answer_line(answer, width=width, paint=paint))
        if traces and answer.result.trace is not None:
            for line in violation_lines(answer.result, stacks=stacks, width=narrower, paint=paint):
                echo(Painted(f"{_INDENT}{as_painted(line)}") if line else "")
    last = answers[-1].result
    checks = sum(answer.result.check_seconds or 0 for answer in answers)
    check = f" and {checks:.2f} s for the checks" if checks else ""
    memory = max(answer.result.peak_memory_bytes for answer in answers) / 2**20
    notes = dict.fromkeys(note for answer in answers for note in answer.result.notes)
    facts = [f"took      {last.seconds:.2f} s{check}, {memory:,.0f} MiB"]
    assumed = dict.fromkeys(one.text for answer in answers for one in answer.result.assumptions)
    facts += [*(f"assumes   {text}" for text in assumed), *(f"note      {note}" for note in notes)]
    for line in fact_lines(facts, width):
        echo(line)


def print_entry(result: Result, *, traces: bool, stacks: bool) -> None:
    """Print the answer about one of several programs, with the trace if it is wanted."""
    if traces:
        print_summary(result, stacks=stacks)
        return
    width, paint = width_of(sys.stdout), painter(sys.stdout)
    for line in headline_lines(headline(result), result, width, paint):
        echo(line)


def print_entry_answers(
    name: str, answers: Sequence[Answer], *, traces: bool, stacks: bool
) -> None:
    """Print the answers about one of several programs below its name."""
    for line in wrapped([(name, "title")], width_of(sys.stdout), 2):
        echo(line)
    print_answers(answers, traces=traces, stacks=stacks)


def print_proof(result: Result) -> None:
    """Print why an answer holds."""
    from tepui.report.text.proof import proof_lines

    width, paint = width_of(sys.stdout), painter(sys.stdout)
    echo()
    for line in proof_lines(result, width=width, paint=paint):
        echo(line)


def print_proofs(answers: Sequence[Answer]) -> None:
    """Print why each answer holds, below its question."""
    for answer in answers:
        echo()
        for line in wrapped([(answer.question.text, "title")], width_of(sys.stdout), 2):
            echo(line)
        print_proof(answer.result)


def print_coverage(result: Result) -> None:
    """Print the statements of a program, each with the threads that reach it."""
    width, paint = width_of(sys.stdout), painter(sys.stdout)
    from tepui.report.text.coverage import coverage_lines

    for line in coverage_lines(result, width=width, paint=paint):
        echo(line)


def print_rounds(result: Result) -> None:
    """Print the table of rounds if it was not shown live; `--json` has all rows of a long one."""
    rows = [_cells(row, result.tops) for row in result.rounds]
    names = [name for name, _, _ in rows[0]]
    widths = [width for _, width, _ in rows[0]]
    room = width_of(sys.stdout)
    if room is not None and sum(widths) + len(widths) - 1 > room:
        columns = zip(names, *([text for _, _, text in row] for row in rows), strict=True)
        widths = [max(map(len, column)) for column in columns]
    lines = [
        " ".join(f"{text:>{width}}" for text, width in zip(texts, widths, strict=True))
        for texts in (names, *([text for _, _, text in row] for row in rows))
    ]
    for line in (lines[0], *without_middle(lines[1:])):
        echo(line)


def _cells(row: Round, tops: int) -> list[tuple[str, int, str]]:
    """The columns of a round: the name and the width of each, and what is in it."""
    bounds = [(name, 6, str(count)) for name, count in bounds_of(row)]
    bounds = [("k", 4, str(row.k))] if bounds[0][0] == "contexts" else bounds
    words, images = [], []
    if row.delays is not None:
        seen = row.delays
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
    """Print the visible states, one on each line, unless there are too many."""
    echo()
    try:
        listed = result.list_visible()
    except UsageError as error:
        echo(f"{error}")
        return
    total = result.visible_states
    if total is not None and len(listed) < total:
        echo(
            f"{len(listed):,} visible states up to permutations of equal threads "
            f"({total:,} in all: --symmetry off lists them)"
        )
    else:
        echo(f"{len(listed):,} visible states")
    width = width_of(sys.stdout)
    for visible in listed:
        for line in wrapped([result.system.visible_text(visible)], width, 4):
            echo(line)
