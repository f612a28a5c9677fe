"""What the commands that draw something have in common: the options, and where it is written."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypedDict

import click

from tepui.cli.output_files import exists
from tepui.errors import UsageError
from tepui.report.pictures.graph import Graph, graph_svg
from tepui.report.pictures.graphviz import graph_dot


class DrawingFlags(TypedDict):
    """The options as they were given."""

    as_dot: bool
    as_svg: bool
    output: Path | None
    force: bool


def drawing_flags(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options of a command that draws."""
    for option in (
        click.option("--force", is_flag=True, help="Replace a file that exists."),
        click.option(
            "-o",
            "--output",
            type=click.Path(path_type=Path),
            metavar="OUT",
            help="Write what is drawn to a file.",
        ),
        click.option("--svg", "as_svg", is_flag=True, help="Write a picture."),
        click.option("--dot", "as_dot", is_flag=True, help="Write the text that Graphviz reads."),
    ):
        command = option(command)
    return command


def check_drawing(flags: DrawingFlags) -> None:
    """Refuse what cannot be, before anything is computed."""
    if flags["as_dot"] and flags["as_svg"]:
        raise UsageError("--dot and --svg exclude each other")
    output = flags["output"]
    if output is not None and exists(output) and not flags["force"]:
        raise UsageError(f"already there: {output}; --force replaces what is there")


def write_drawing(graph: Graph, flags: DrawingFlags) -> None:
    """Print a graph, or write it to a file, as Graphviz text unless a picture is asked for."""
    text = graph_svg(graph) if flags["as_svg"] else graph_dot(graph)
    output = flags["output"]
    if output is None:
        click.echo(text, nl=False)
        return
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{output}: cannot be written: {error.strerror}") from error
    click.echo(f"wrote {output}")
