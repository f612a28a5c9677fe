"""The options of commands that draw a graph, and what they do with it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click

from tepui.cli.output_files import check_place, write_file
from tepui.records import record
from tepui.report.pictures.graph import Graph, graph_svg
from tepui.report.pictures.graphviz import graph_dot
from tepui.report.terminal.printing import echo_file

_WHAT = "the picture"


@record
class Drawing:
    """How a graph is to be shown: as text for Graphviz on standard output, as a picture in a
    file."""

    as_dot: bool
    svg: Path | None

    @property
    def is_wanted(self) -> bool:
        return self.as_dot or self.svg is not None

    def picture(self, graph: Graph) -> str | None:
        """The text of the picture, if one is wanted; a UsageError if the graph is too large."""
        return None if self.svg is None else graph_svg(graph)

    def print_dot(self, graph: Graph) -> None:
        echo_file(graph_dot(graph))

    def write(self, picture: str | None) -> None:
        """Write the picture, after the answer was printed."""
        if self.svg is not None and picture is not None:
            write_file(self.svg, _WHAT, picture)


def drawing_flags(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options of a command that draws."""
    for option in (
        click.option(
            "--svg",
            type=click.Path(path_type=Path),
            metavar="FILE.svg",
            help="Write a picture to this file.",
        ),
        click.option("--dot", "as_dot", is_flag=True, help="Print the text that Graphviz reads."),
    ):
        command = option(command)
    return command


def checked_drawing(flags: Mapping[str, Any]) -> Drawing:
    """The pictures that the options ask for; errors about the file come before anything is
    computed."""
    if flags["svg"] is not None:
        check_place(flags["svg"], "--svg", _WHAT, flags)
    return Drawing(flags["as_dot"], flags["svg"])
