"""What all pictures have in common: their frame, their styles, and text that stays text.

A picture works by itself, within a page, in a notebook and in the documentation. So it carries its
colours, under its own class and not for the whole document. It is dark if the reader's scheme, the
page, the notebook or the documentation is dark.
"""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from pathlib import Path

from tepui.report.pictures.colours import DARK, LIGHT, variables
from tepui.words import printable

SANS = "system-ui,-apple-system,'Segoe UI','DejaVu Sans',sans-serif"
MONO = "ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace"

AS_IT_IS = "tex2jax_ignore mathjax_ignore"
"""Classes that keep notebooks from reading text between dollar signs as formulas."""

_DARK_HOSTS = (
    '[data-jp-theme-light="false"]',
    "body.vscode-dark",
    "body.vscode-high-contrast:not(.vscode-high-contrast-light)",
    'body[data-theme="dark"]',
)
"""JupyterLab, VS Code, and the theme of our documentation, when they are dark."""

_LIGHT_HOSTS = (
    '[data-jp-theme-light="true"]',
    "body.vscode-light",
    "body.vscode-high-contrast-light",
    'body[data-theme="light"]',
)


@dataclass(frozen=True, slots=True, repr=False)
class Picture:
    """A picture that notebooks show, and that can be saved."""

    svg: str

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it to a file, which any browser opens."""
        from tepui.languages.registry import refuse_model
        from tepui.output_places import write_text

        refuse_model(Path(path), "the picture")
        write_text(Path(path), self.svg)

    def __repr__(self) -> str:
        return f"<Picture: {len(self.svg):,} characters of SVG>"

    def _repr_html_(self) -> str:
        return inline(self.svg)


def picture(
    size: tuple[float, float], title: str, description: str, style: str, body: Iterable[str]
) -> str:
    """A whole SVG document, with a description for readers who cannot see it."""
    width, height = number(size[0]), number(size[1])
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
            f'width="{width}" height="{height}" style="max-width:100%;height:auto" role="img">',
            f"<title>{plain(title)}</title>",
            f"<desc>{plain(description)}</desc>",
            f"<style>{scheme('.tepui-picture')}{style}</style>",
            '<g class="tepui-picture">',
            f'<rect width="{width}" height="{height}" rx="6" fill="var(--tepui-paper)"/>',
            *body,
            "</g>",
            "</svg>\n",
        ]
    )


def inline(svg: str) -> str:
    """A picture as a part of a page, as notebooks show it. An image would not follow the dark
    scheme of the notebook, and would show no titles under the pointer."""
    return f'<div class="{AS_IT_IS}">{svg}</div>'


def scheme(scope: str) -> str:
    """The colours within a scope, also where a notebook or the documentation is dark or light
    against the scheme of the reader."""
    rules = [variables(scope)]
    for hosts, colours in ((_LIGHT_HOSTS, LIGHT), (_DARK_HOSTS, DARK)):
        selectors = ",".join(f":root {host} {scope}" for host in hosts)
        values = "".join(f"--tepui-{name}:{value};" for name, value in colours.items())
        rules.append(f"{selectors}{{{values}}}\n")
    return "".join(rules)


def plain(text: str) -> str:
    """A text, escaped for XML and HTML."""
    return escape(printable(text, kept="\t\n"))


def text_at(x: float, y: float, text: str, style: str, anchor: str = "start") -> str:
    """A line of text that begins at a point, or has its middle or its end there."""
    return (
        f'<text class="{style}" x="{number(x)}" y="{number(y)}" text-anchor="{anchor}">'
        f"{plain(text)}</text>"
    )


def number(value: float) -> str:
    """A coordinate, with as few digits as can be seen."""
    return f"{value:.1f}".rstrip("0").rstrip(".")


def shortened(text: str, most: int) -> str:
    """A text, or its beginning."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def columns(text: str) -> int:
    """How many columns of a monospaced font a text takes."""
    return sum(2 if unicodedata.east_asian_width(each) in "WF" else 1 for each in text)
