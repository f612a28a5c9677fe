"""The way to standard output and standard error, on which nothing steers a terminal but tepui.

What is printed has names from files in it, and the names of files. `echo` prints a line: all but
the colours of a `Painted` line is text, and a line end in a name is shown, not obeyed. `echo_file`
prints a whole file: as it is for other programs, printable on a terminal.
"""

from __future__ import annotations

import sys

import click

from tepui.report.terminal.streams import has_colours, is_unicode
from tepui.report.text.paint import as_painted, in_ascii
from tepui.words import printable


def echo(line: str = "", *, err: bool = False) -> None:
    """Print a line in signs that the stream can show."""
    stream = sys.stderr if err else sys.stdout
    shown: str = as_painted(line)
    if stream is not None and not is_unicode(stream):
        shown = in_ascii(shown)
    click.echo(shown, err=err, color=has_colours(stream))


def echo_file(text: str) -> None:
    """Print the text of a file, with its own line ends, to standard output."""
    if sys.stdout is not None and sys.stdout.isatty():
        text = printable(text, kept="\n\t")
    click.echo(text, nl=False, color=True)
