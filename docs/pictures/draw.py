"""Draws the pictures of the docs: `python docs/pictures/draw.py`, in the repository.

Plots and automata are drawn by tepui, of real runs; schemes are written down in `SCHEMES`, in the
colours of the reports. Nothing depends on the machine, so a test can see whether they are up to
date.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import tepui
from tepui.automata import Automaton
from tepui.report.pictures.automaton_graphs import automaton_graph
from tepui.report.pictures.graph import graph_svg
from tepui.report.pictures.plot import observation_plot
from tepui.report.pictures.svg import picture

HERE = Path(__file__).parent
EXAMPLES = HERE.parents[1] / "examples"


def main() -> None:
    """Write all pictures beside this file."""
    for name, drawn in pictures():
        (HERE / name).write_text(drawn, encoding="utf-8")


def pictures() -> Iterator[tuple[str, str]]:
    """The name of each picture, and its SVG."""
    figure4, figure2 = (tepui.load(EXAMPLES / f"figure{n}.cpds") for n in (4, 2))
    without_z = tepui.Options(strengths=(), limits=tepui.Limits(max_contexts=9))
    yield "figure4.svg", observation_plot(tepui.explore(figure4))
    yield "figure4-without-z.svg", observation_plot(tepui.explore(figure4, without_z))
    yield "figure2.svg", observation_plot(tepui.explore(figure2))
    delays = tepui.Options(engine="delay")
    yield "figure2-delays.svg", observation_plot(tepui.explore(figure2, delays))
    figure3 = tepui.load(EXAMPLES / "figure3.cpds")
    assert isinstance(figure3, tepui.System)
    reached = Automaton.initial(figure3, "P").post_star()
    yield "figure3.svg", graph_svg(automaton_graph(reached))
    yield from SCHEMES.items()


_STYLE = """\
.tepui-picture text{font-family:system-ui,sans-serif;font-size:14px;fill:var(--tepui-ink)}
.tepui-picture .small{font-size:12px;fill:var(--tepui-muted)}
.tepui-picture .code{font-family:ui-monospace,monospace;font-size:13px}
.tepui-picture .middle{text-anchor:middle}
.tepui-picture .line{stroke:var(--tepui-line);stroke-width:1.5;fill:none}
.tepui-picture .arrow{stroke:var(--tepui-muted);stroke-width:1.5;fill:none}
.tepui-picture .dashed{stroke:var(--tepui-muted);stroke-width:1.5;stroke-dasharray:5 4;fill:none}
.tepui-picture .below{stroke:var(--tepui-accent);stroke-width:2;fill:none}
.tepui-picture .full{stroke:var(--tepui-accent);fill:var(--tepui-accent);fill-opacity:.14}
.tepui-picture .above{stroke:var(--tepui-safe);stroke-width:2.5;fill:none}
.tepui-picture .box{stroke:var(--tepui-line);fill:var(--tepui-panel)}
.tepui-picture .hot{stroke:var(--tepui-accent);fill:var(--tepui-highlight)}
.tepui-picture .bad{fill:var(--tepui-unsafe);stroke:none}
.tepui-picture .dot{fill:var(--tepui-accent);stroke:none}
.tepui-picture .red{fill:var(--tepui-unsafe);font-weight:600}
.tepui-picture .red{stroke:var(--tepui-paper);stroke-width:4px;paint-order:stroke}
.tepui-picture .green{fill:var(--tepui-safe);font-weight:600}
.tepui-picture .blue{fill:var(--tepui-accent);font-weight:600}
"""


def _contexts() -> str:
    """A run of Figure 4 in five contexts, with the states between them."""
    lanes = {"P1": 52, "P2": 112}
    runs = [("P1", 1), ("P2", 2), ("P1", 1), ("P2", 1), ("P1", 1)]
    states = ["q0 | 1, 4", "q1 | 2, 4", "q3 | 2, 4 6", "q0 | 1, 4 6", "q0 | 1, 6", "q1 | 2, 6"]
    body, x = [], 70
    for lane, y in lanes.items():
        body.append(f'<text class="code" x="20" y="{y + 5}">{lane}</text>')
        body.append(f'<path class="line" d="M60 {y}H740"/>')
    for number, ((lane, steps), state) in enumerate(zip(runs, states, strict=False)):
        y, width = lanes[lane], 122
        if number:
            other = lanes[runs[number - 1][0]]
            body.append(f'<path class="dashed" d="M{x - 4} {other}V{y}"/>')
        body.append(f'<rect class="full" x="{x}" y="{y - 20}" width="{width}" height="40" rx="6"/>')
        body.append(f'<text class="middle small" x="{x + 61}" y="22">context {number + 1}</text>')
        for step in range(steps):
            at = x + 61 + (step - (steps - 1) / 2) * 40
            body.append(f'<circle class="dot" cx="{at:g}" cy="{y}" r="5"/>')
        body.append(f'<path class="arrow" d="M{x - 4} 146V158"/>')
        body.append(_state(x - 4, state))
        x += width + 10
    body.append(f'<path class="arrow" d="M{x - 6} 146V158"/>')
    body.append(_state(x - 24, states[-1]))
    return picture(
        (760, 190),
        "A run in five contexts",
        "Two threads take turns. P1 makes one step, P2 two, then each of them one, and P1 one more."
        " The states between the contexts are written below.",
        _STYLE,
        body,
    )


def _state(x: int, text: str) -> str:
    return f'<text class="code middle" x="{x}" y="176" style="font-size:12px">{text}</text>'


def _two_sides() -> str:
    """Three ways to an answer: a bad state below, none above, or both sides meet."""
    panels = [
        _panel(0, [24, 42, 60], 100, (46, 22), ("red", "UNSAFE"), "a bad state is in R_k"),
        _panel(250, [24, 44], 96, (96, 62), ("green", "SAFE"), "Z has no bad state"),
        _panel(500, [28, 52, 80], 80, None, ("blue", "COLLAPSED"), "both sides meet"),
    ]
    return picture(
        (760, 300),
        "From below and from above",
        "Rings R_1, R_2, R_3 grow from the start, and Z lies around all that is reachable. Either "
        "a bad state is inside of some R_k, or none is inside of Z, or R_k and Z are the same.",
        _STYLE,
        panels,
    )


def _panel(
    left: int,
    rings: list[int],
    above: int,
    bad: tuple[int, int] | None,
    verdict: tuple[str, str],
    why: str,
) -> str:
    x, y = left + 125, 125
    meet = above == rings[-1]
    name = "T(Z) = T(R_3)" if meet else "Z"
    body = [f'<text class="green middle" x="{x}" y="{y - above - 7}">{name}</text>']
    if not meet:
        reachable = (above + rings[-1]) // 2
        body.append(f'<circle class="dashed" cx="{x}" cy="{y}" r="{reachable}"/>')
        body.append(f'<text class="small middle" x="{x}" y="{y - reachable + 16}">reachable</text>')
    for number, radius in enumerate(rings, 1):
        body.append(f'<circle class="full" cx="{x}" cy="{y}" r="{radius}"/>')
        body.append(f'<text class="small middle" x="{x}" y="{y + radius - 6}">R_{number}</text>')
    body.append(f'<circle class="above" cx="{x}" cy="{y}" r="{above}"/>')
    body.append(f'<circle class="dot" cx="{x}" cy="{y}" r="4"/>')
    if bad is not None:
        across, down = x + bad[0], y + bad[1]
        body.append(f'<circle class="bad" cx="{across}" cy="{down}" r="6"/>')
        body.append(f'<text class="red" x="{across + 9}" y="{down + 5}">bad</text>')
    colour, word = verdict
    body.append(f'<text class="{colour} middle" x="{x}" y="262">{word}</text>')
    body.append(f'<text class="small middle" x="{x}" y="282">{why}</text>')
    return "\n".join(body)


def _emerging() -> str:
    """Two states that look the same, and what a pop makes of them."""
    body = [
        *_stack(40, ["4"], "q0 | 1, 4"),
        '<path class="arrow" d="M124 78H196m-8 -5l8 5l-8 5"/>',
        '<text class="small middle" x="160" y="70">pop</text>',
        *_stack(210, [], "q0 | 1, -"),
        *_stack(420, ["4", "6"], "q0 | 1, 4"),
        '<path class="arrow" d="M504 78H576m-8 -5l8 5l-8 5"/>',
        '<text class="small middle" x="540" y="70">pop</text>',
        *_stack(590, ["6"], "q0 | 1, 6"),
        '<path class="line" d="M372 20V160"/>',
    ]
    return picture(
        (760, 180),
        "What a pop brings up",
        "Two states have the same visible part, q0 | 1, 4. In one of them a 6 lies below the 4. "
        "After a pop, one is q0 | 1, - and the other q0 | 1, 6.",
        _STYLE,
        body,
    )


def _stack(x: int, symbols: list[str], visible: str) -> list[str]:
    """The stack of P2, with its top in view, and the visible state below it."""
    body = [f'<path class="line" d="M{x} 40V132H{x + 80}V40"/>']
    for number, symbol in enumerate(reversed(symbols)):
        top = number == len(symbols) - 1
        y = 98 - 36 * number
        body.append(
            f'<rect class="{"hot" if top else "box"}" x="{x + 6}" y="{y}" width="68" height="30"'
            ' rx="4"/>'
        )
        body.append(f'<text class="code middle" x="{x + 40}" y="{y + 20}">{symbol}</text>')
    body.append(f'<text class="code middle" x="{x + 40}" y="158">{visible}</text>')
    return body


SCHEMES = {
    "contexts.svg": _contexts(),
    "two-sides.svg": _two_sides(),
    "emerging.svg": _emerging(),
}

if __name__ == "__main__":
    main()
