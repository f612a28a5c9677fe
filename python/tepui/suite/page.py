"""The shell of a page with one table: self-contained, sortable, light and dark.

Nothing is fetched from anywhere, and the page forbids the browser to do so.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from urllib.parse import quote

from tepui import __version__
from tepui.records import record
from tepui.report.markup import plain
from tepui.report.pictures.colours import variables

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"


@record
class Cell:
    """A cell of the table: HTML, its class, and the number to sort it by, if it is one."""

    html: str
    css: str = ""
    number: float | None = None

    def __str__(self) -> str:
        css = f' class="{self.css}"' if self.css else ""
        value = "" if self.number is None else f' data-value="{self.number!r}"'
        return f"<td{css}{value}>{self.html}</td>"


@record
class Row:
    """A row, and the group that it can be filtered by."""

    group: str
    cells: tuple[Cell, ...]


@record
class Page:
    """What is on a page."""

    title: str
    introduction: str
    """HTML."""
    groups: Mapping[str, int]
    """The groups of rows, and how many are in each."""
    bad: Collection[str]
    """The groups that are bad news."""
    plots: Sequence[str]
    headings: Sequence[tuple[str, str]]
    """Each with the class of its column."""
    rows: Sequence[Row]

    def html(self) -> str:
        """The whole page."""
        return (
            "<!DOCTYPE html>\n"
            f'<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f"<title>{plain(self.title)}</title>\n"
            f"<style>\n{variables()}{_text('page.css')}</style>\n</head>\n<body>\n"
            f"<h1>{plain(self.title)}</h1>\n{self.introduction}\n"
            f"{self._tiles()}\n"
            f'<div class="plots">{"".join(self.plots)}</div>\n'
            f"{_FILTERS}\n{self._table()}\n"
            f'<p class="muted">Made by tepui {plain(__version__)}.</p>\n'
            f"<script>\n{_text('page.js')}</script>\n</body>\n</html>\n"
        )

    def _tiles(self) -> str:
        tiles = "".join(
            f'<li><button type="button" aria-pressed="false" data-group="{plain(group)}"'
            f"{_css('bad' if group in self.bad else '')}>"
            f"<b>{count}</b> {plain(group)}</button></li>"
            for group, count in self.groups.items()
        )
        return f'<ul class="tiles" aria-label="Show only">{tiles}</ul>'

    def _table(self) -> str:
        headings = "".join(
            f'<th scope="col"{_css(css)}>{plain(text)}</th>' for text, css in self.headings
        )
        rows = "\n".join(
            f'<tr data-group="{plain(row.group)}">{"".join(map(str, row.cells))}</tr>'
            for row in self.rows
        )
        return (
            '<div class="scroll" role="region" aria-label="Tasks" tabindex="0"><table>\n'
            f"<thead><tr>{headings}</tr></thead>\n<tbody>\n{rows}\n</tbody>\n</table></div>"
        )


def mark(text: str, css: str) -> Cell:
    """A word with a colour behind it."""
    return Cell(f'<span class="mark {css}">{plain(text)}</span>', "word")


def seconds(value: float | None) -> Cell:
    """A time."""
    return _number(value, "" if value is None else f"{value:.2f}")


def number(value: float | None, text: str = "") -> Cell:
    """A number, with a text of its own if there is one; a missing number is sorted before all
    others."""
    return _number(value, "" if value is None else text or f"{value:,}")


def link(name: str, file: str, page: Path) -> Cell:
    """The name of a task, with a link to its model, relative to the place of the page."""
    target = quote(os.fsencode(os.path.relpath(file, page.parent.resolve())))
    return Cell(f'<a href="{plain(target)}">{plain(name)}</a>', "name")


def _number(value: float | None, text: str) -> Cell:
    return Cell(plain(text), "number", -1.0 if value is None else float(min(value, 10**300)))


def _css(css: str) -> str:
    return f' class="{css}"' if css else ""


def _text(name: str) -> str:
    return files("tepui.suite").joinpath(name).read_text(encoding="utf-8")


_FILTERS = (
    '<div class="filters" hidden><label>Search <input type="search" '
    'placeholder="words of a row, or press /"></label>'
    '<span class="muted" role="status"></span></div>'
)
