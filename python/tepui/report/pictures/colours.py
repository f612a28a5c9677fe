"""The colours of everything that a browser shows, by their meaning, light and dark.

Pages, tables and pictures name colours only as CSS variables of this list, so that they look the
same, follow the light or dark scheme of the reader, and colour-blind people can distinguish them.
"""

from __future__ import annotations

from collections.abc import Mapping

LIGHT: Mapping[str, str] = {
    "paper": "#ffffff",
    "panel": "#f5f6f8",
    "line": "#d5d9e0",
    "ink": "#1c2330",
    "muted": "#5b6575",
    "accent": "#2456c7",
    "safe": "#12703f",
    "safe-paper": "#e2f4ea",
    "unsafe": "#b3261e",
    "unsafe-paper": "#fbe6e4",
    "open": "#8a5a00",
    "open-paper": "#fbf0d9",
    "highlight": "#fff3b0",
}

DARK: Mapping[str, str] = {
    "paper": "#14181f",
    "panel": "#1d232d",
    "line": "#353d4b",
    "ink": "#e6e9ef",
    "muted": "#9aa4b5",
    "accent": "#86aef7",
    "safe": "#6fd39b",
    "safe-paper": "#12301f",
    "unsafe": "#ff9c92",
    "unsafe-paper": "#401815",
    "open": "#f2c063",
    "open-paper": "#362808",
    "highlight": "#3d370d",
}


def variables(
    scope: str = ":root", light: Mapping[str, str] = LIGHT, dark: Mapping[str, str] = DARK
) -> str:
    """CSS that defines `--tepui-NAME` for each colour, within elements that `scope` selects.

    The reader's scheme decides, unless the attribute `data-theme` of the whole document does.
    """
    whole = scope == ":root"
    chosen = ':root[data-theme="dark"]' + ("" if whole else f" {scope}")
    unless = ':root:not([data-theme="light"])' + ("" if whole else f" {scope}")
    return (
        f"{scope}{{{_declarations(light)}}}\n"
        f"@media (prefers-color-scheme: dark){{{unless}{{{_declarations(dark)}}}}}\n"
        f"{chosen}{{{_declarations(dark)}}}\n"
    )


def _declarations(colours: Mapping[str, str]) -> str:
    return "".join(f"--tepui-{name}:{value};" for name, value in colours.items())
