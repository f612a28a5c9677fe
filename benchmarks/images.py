"""The table of images: how often the delay engine computes the successors of a state.

That is DrUBA's Table 3, which shows what the frontier saves.
"""

from __future__ import annotations

from delay_models import DelayRow, all_delay_rows
from measure_images import MOST_STATES, Images
from processes import run_alone
from tables import DASH, Line, Part, Say, number

COLUMNS = [
    *("model", "before", "published", "during", "published"),
    *("anew", "by thread", "by turn", "published"),
    *("anew saves", "by thread saves", "by turn saves", "published"),
]

BEFORE = f"""\
How often the successors of a scheduled state are computed on the way to the plateau of the table
above, looking at two symbols of each stack: `before` its last part, the final plateau, begins, and
`during` it.
Then the same without a frontier, where each R(r, d) on the way is computed from the initial state;
there are several ways to do that:
`anew` starts the engine itself anew, which expands a state again only where it is reached with
fewer delays or in fewer turns;
`by thread` expands it once for each thread that is next and each number of delays;
`by turn` expands it once in each turn and for each number of delays, as one does who remembers
nothing between two turns.
The last two are counted for models with at most {MOST_STATES:,} states.
`saves` is by what factor the frontier has fewer.
`published` are the figures of DrUBA's Table 3, and the factor between them."""

AFTER = """\
DrUBA does not say how it computed without a frontier.
Its figures are of the size of those by thread, some above and some below, and of those by turn that
were counted all but one are larger.
The exception is Stefan with two threads, where DrUBA prints 500,494: with 149 states, 26 turns and
at most 1 delay no R(r, d) has more than 7,748 of them to expand, and 15 of these are on the way."""


def measure_images(*, quick: bool, say: Say) -> Part:
    """Count what can be counted here; quickly, only what takes no time."""
    lines, complaints = [], []
    for row in all_delay_rows():
        if row.images is None or (quick and row.slow):
            continue
        say(row.name)
        run = run_alone("measure_images.py", row.name, seconds=300)
        counted = None if run.found is None else Images(**run.found)
        lines.append(Line(_cells(row, counted), wrong=counted is None))
        if run.failure is not None:
            complaints.append(f"{row.name}: {run.failure}")
    return Part(
        title="Images",
        before=BEFORE,
        columns=COLUMNS,
        lines=lines,
        after=AFTER,
        complaints=complaints,
    )


def _cells(row: DelayRow, counted: Images | None) -> list[str]:
    published = row.images
    if counted is None or published is None:
        return [row.name, *[DASH] * (len(COLUMNS) - 1)]
    with_frontier = counted.before + counted.during
    without = (counted.anew, counted.by_thread, counted.by_turn)
    return [
        row.name,
        *(number(counted.before), number(published.before)),
        *(number(counted.during), number(published.during)),
        *map(number, without),
        number(published.without_frontier),
        *(number(None if images is None else images / with_frontier, 1) for images in without),
        number(published.factor, 1),
    ]
