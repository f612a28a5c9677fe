"""Printing results for people."""

from __future__ import annotations

import os

import click

from tepui.report.text import headline, summary
from tepui.result import Result

_COLOURS = {
    "safe": "green",
    "collapsed": "green",
    "unsafe": "red",
}


def print_summary(result: Result) -> None:
    """The report on a result, its first line in the colour of the verdict."""
    first = headline(result)
    rest = summary(result)[len(first) :]
    colour = _COLOURS.get(result.verdict, "yellow")
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        click.echo(first + rest)
        return
    click.echo(click.style(first, fg=colour, bold=True) + rest)


def print_rounds(result: Result) -> None:
    """The table of rounds, for those who did not see it live."""
    click.echo(f"{'k':>4} {'states':>16} {'visible':>16} {'new':>12} {'seconds':>9}")
    for row in result.rounds:
        click.echo(
            f"{row.k:>4} {row.states:>16,} {row.visible:>16,} {row.new_visible:>12,} "
            f"{row.seconds:>9.3f}"
        )


def print_visible(result: Result) -> None:
    """The visible states, one on a line."""
    listed = result.list_visible()
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
