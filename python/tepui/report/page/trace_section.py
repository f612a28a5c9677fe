"""The trace of a report: a diagram with a lane for each thread, and the data to step through it.

The markup has every step, so that it can be read and printed without a script. The data has only
what each step changes; the script computes the states from that.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Any

from tepui.records import record
from tepui.report.bounds import contexts_text
from tepui.report.markup import Child, Html, element, joined
from tepui.report.page.sources import Library
from tepui.report.page.syntax_colours import RULES
from tepui.report.page.trace_lanes import Entry, Lanes, Moment, Stack
from tepui.report.text.trace_columns import shown_at_start
from tepui.subject.story import Change, Local
from tepui.words import counted

MOST_LANES = 6
"""If there are more threads than this, those that never run have no lane."""

NO_VALUE = "–"


@record
class _Gap:
    """Steps that are left out, with the changes of all of them together."""

    moments: tuple[Moment, ...]


_Item = tuple[int, Moment | _Gap]
"""A step, and the number of its context, from 1 on."""


class TracePart:
    """One trace: its markup, and its data. The middle of a long one is left out."""

    def __init__(self, shown: Lanes, number: int, library: Library, most: int) -> None:
        self._shown, self._number, self._library = shown, number, library
        self._items = _cut(shown, most)
        self._columns = _columns(shown)

    def html(self) -> Html:
        """The controls, the diagram, and the boxes that the script fills with source and state."""
        return joined(
            self._introduction(),
            self._controls(),
            element(
                "div",
                self._diagram(),
                element(
                    "div",
                    element("div", class_="pane", tabindex="0", role="region", aria_label="source"),
                    element("div", class_="state", tabindex="0", role="region", aria_label="state"),
                    class_="beside",
                    hidden=True,
                ),
                class_="stage",
            ),
            element("p", class_="unseen", aria_live="polite", role="status"),
        )

    def identity_of(self, number: int) -> str:
        """The identity of a step on the page, given its number in the whole trace, from 1 on."""
        passed = 0
        for step, (_, item) in enumerate(self._items, start=1):
            passed += len(item.moments) if isinstance(item, _Gap) else 1
            if passed >= number:
                return self._identity(step)
        raise ValueError(f"there is no step {number}")

    def data(self) -> dict[str, Any]:
        """The lanes, the variables, and for each step: its lane, its place, the stacks and the
        global variables that it changes, and the changed local variables with their old values.

        For a stack: how many entries at its bottom stay, and what is then pushed, from the top
        down. An entry with local variables is a pair of its text and a number in `frames`, where
        the names of the variables are a number in `names`.
        """
        shown, frames = self._shown, _Frames()
        numbers = {change.name: number for number, change in enumerate(shown.start)}
        stacks = [lane.stack for lane in shown.lanes]
        steps = []
        for _, item in self._items:
            moments = item.moments if isinstance(item, _Gap) else (item,)
            before = list(stacks)
            values: dict[int, str | None] = {}
            for moment in moments:
                stacks[moment.lane] = moment.stack
                values |= {numbers[change.name]: change.after for change in moment.changes}
            changed = [lane for lane, stack in enumerate(stacks) if stack != before[lane]]
            last = moments[-1]
            steps.append(
                [
                    last.lane,
                    self._library.anchor(last.position),
                    [[lane, *_difference(before[lane], stacks[lane], frames)] for lane in changed],
                    [list(pair) for pair in values.items()],
                    [] if isinstance(item, _Gap) else _local_data(last),
                ]
            )
        return {
            "lanes": [lane.name for lane in shown.lanes],
            "stacks": [[frames.entry(one) for one in lane.stack] for lane in shown.lanes],
            "variables": [[change.name, change.after] for change in shown.start],
            "program": shown.of_program,
            "steps": steps,
            "names": frames.names,
            "frames": frames.values,
        }

    def _introduction(self) -> Html:
        shown = self._shown
        text = f"{counted(shown.steps, 'step')} in {contexts_text(len(shown.contexts))}."
        idle = len(shown.lanes) - len(self._columns)
        if idle:
            text += f" No lane is drawn for {counted(idle, 'thread')} without a step."
        if any(moment.inside for context in shown.contexts for moment in context):
            text += " A step with a bar happens together with the step before it."
        return element("p", text, element("span", _KEYS, class_="needs-script"), class_="muted")

    def _controls(self) -> Html:
        return element(
            "div",
            [
                element(
                    "button",
                    _icon(drawn),
                    element("span", label, class_="label"),
                    type="button",
                    data_go=name,
                    title=label,
                    aria_label=label,
                )
                for name, label, drawn in _BUTTONS
            ],
            element("output", class_="where"),
            element("button", "collapse all", type="button", data_fold="close", class_="fold"),
            element("button", "expand all", type="button", data_fold="open", class_="fold"),
            class_="controls",
            role="toolbar",
            aria_label="Steps of the trace",
            hidden=True,
        )

    def _diagram(self) -> Html:
        lanes = len(self._columns)
        return element(
            "div",
            element(
                "div",
                element("div", [self._head(lane) for lane in self._columns], class_="heads"),
                element("ol", self._start(), self._blocks(), self._end(), class_="contexts"),
                class_="lanes",
                style=f"--lanes:{lanes}",
            ),
            class_="diagram",
            tabindex="0",
            role="group",
            aria_label="The trace, a lane for each thread, time goes down",
        )

    def _head(self, lane: int) -> Html:
        shown = self._shown.lanes[lane]
        origin = element("small", shown.origin) if shown.origin else None
        return element("div", element("b", shown.name), origin, class_="head")

    def _start(self) -> Html:
        shown, others = shown_at_start(self._shown.start)
        values = [
            element("span", f"{change.name} = {change.after or NO_VALUE}", class_="value")
            for change in shown
        ]
        if others:
            values.append(element("span", others, class_="value"))
        return element(
            "li",
            element("b", "start"),
            values,
            class_="across step start",
            id=self._identity(0),
            data_step="0",
        )

    def _blocks(self) -> Iterator[Html]:
        step, before = 0, None
        for (number, is_gap), items in groupby(
            self._items, key=lambda pair: (pair[0], isinstance(pair[1], _Gap))
        ):
            block = [item for _, item in items]
            first = block[0]
            if isinstance(first, _Gap):
                step += 1
                yield self._gap(first, step)
                before = None
                continue
            assert not is_gap
            column = self._columns[first.lane]
            if before is not None and before != column:
                yield _switch(before, column)
            rows = []
            for moment in block:
                step += 1
                assert isinstance(moment, Moment)
                rows.append(self._row(moment, step))
            yield self._block(number, first.lane, rows)
            before = column

    def _block(self, number: int, lane: int, rows: list[Html]) -> Html:
        title = element(
            "summary",
            element("b", f"context {number}"),
            element("span", f" {self._shown.lanes[lane].name}", class_="who"),
            " ",
            element("small", counted(len(rows), "step")),
        )
        steps = element("ol", rows, class_="steps")
        return element(
            "li",
            element("details", title, steps, open=True),
            class_="context",
            style=f"--lane:{self._columns[lane]}",
        )

    def _row(self, moment: Moment, step: int) -> Html:
        classes = ["step"]
        if moment.inside:
            classes.append("inside")
        if moment.action == "violation":
            classes.append("violation")
        shown = (*moment.changes, *moment.local) if self._shown.of_program else ()
        changes = [element("span", _change_text(change), class_="change") for change in shown]
        delayed = None
        if moment.delayed:
            text = f"delayed before: {', '.join(moment.delayed)}"
            delayed = element("span", text, class_="delayed")
        return element(
            "li",
            delayed,
            self._place(moment),
            element("code", self._code(moment)),
            changes,
            class_=" ".join(classes),
            id=self._identity(step),
            data_step=step,
        )

    def _code(self, moment: Moment) -> Child:
        """The statement or the rule, in colours; other words are left as they are."""
        if not moment.in_source:
            return moment.text
        if not self._shown.of_program:
            return RULES.line(moment.text)
        return self._library.syntax(moment.position).line(moment.text)

    def _place(self, moment: Moment) -> Html | None:
        if moment.position is None:
            return None
        line = moment.position.line
        text = f"{moment.procedure}:{line}" if moment.procedure else f"line {line}"
        anchor = self._library.anchor(moment.position)
        if anchor is None:
            return element("span", text, class_="at")
        return element("a", text, href=f"#{anchor}", class_="at", tabindex="-1")

    def _gap(self, gap: _Gap, step: int) -> Html:
        return element(
            "li",
            f"… {counted(len(gap.moments), 'step')} left out here …",
            class_="across step gap",
            id=self._identity(step),
            data_step=step,
        )

    def _end(self) -> Html:
        resting: Child = None
        if self._shown.resting:
            rows = [element("li", text) for text in self._shown.resting]
            resting = element("ul", rows, class_="resting")
        word = "violated: " if self._shown.of_program else "bad: "
        return element(
            "li",
            element("b", element("span", "✗ ", aria_hidden="true"), word),
            self._shown.ending,
            resting,
            class_="across ending",
        )

    def _identity(self, step: int) -> str:
        return f"trace-{self._number}-step-{step}"


_KEYS = (
    " Use the buttons or the keys: → and ← (or j and k) go one step, Shift with → and ← goes one "
    "context, Home goes to the start and End to the end."
)

_BUTTONS = (
    ("first", "first", "M3 2h2v12H3zM14 2 6 8l8 6z"),
    ("context-back", "context back", "M8 2 1 8l7 6zM15 2 8 8l7 6z"),
    ("back", "back", "M11 2 4 8l7 6z"),
    ("next", "next", "M5 2l7 6-7 6z"),
    ("context-next", "context forward", "M1 2l7 6-7 6zM8 2l7 6-7 6z"),
    ("last", "last", "M2 2l8 6-8 6zM11 2h2v12h-2z"),
)
"""The buttons: their names in the script, their labels and their icons."""


def _icon(path: str) -> Html:
    drawn = element("path", d=path, fill="currentColor")
    return element("svg", drawn, viewBox="0 0 16 16", width="13", height="13", aria_hidden="true")


def _columns(trace: Lanes) -> dict[int, int]:
    """The lanes that are drawn, with their columns."""
    shown = list(range(len(trace.lanes)))
    if len(shown) > MOST_LANES:
        running = {context[0].lane for context in trace.contexts}
        shown = [lane for lane in shown if lane in running] or shown[:1]
    return {lane: column for column, lane in enumerate(shown, start=1)}


def _cut(shown: Lanes, most: int) -> list[_Item]:
    """The steps, or the first and the last of them with a gap between."""
    steps = [
        (number, moment)
        for number, context in enumerate(shown.contexts, start=1)
        for moment in context
    ]
    if len(steps) <= most:
        return list(steps)
    first, last = most // 2, len(steps) - (most - most // 2)
    gap = _Gap(tuple(moment for _, moment in steps[first:last]))
    return [*steps[:first], (steps[first][0], gap), *steps[last:]]


class _Frames:
    """The local variables of activations as data: equal ones are there once."""

    def __init__(self) -> None:
        self.names: list[list[str]] = []
        self.values: list[list[Any]] = []
        self._names: dict[tuple[str, ...], int] = {}
        self._values: dict[tuple[Local, ...], int] = {}

    def entry(self, entry: Entry) -> str | list[Any]:
        """An entry of a stack: its text, and the number of its variables if it has some."""
        if not entry.locals:
            return entry.text
        number = self._values.setdefault(entry.locals, len(self.values))
        if number == len(self.values):
            names = tuple(local.name for local in entry.locals)
            place = self._names.setdefault(names, len(self.names))
            if place == len(self.names):
                self.names.append(list(names))
            self.values.append([place, *(local.value for local in entry.locals)])
        return [entry.text, number]


def _difference(before: Stack, after: Stack, frames: _Frames) -> list[Any]:
    """How many entries at the bottom of a stack stay, and what is above them then."""
    same = 0
    for old, new in zip(reversed(before), reversed(after), strict=False):
        if old != new:
            break
        same += 1
    return [same, *map(frames.entry, after[: len(after) - same])]


def _switch(before: int, column: int) -> Html:
    """The way from one thread to the next."""
    left, right = sorted((before, column))
    way = "right" if column > before else "left"
    return element(
        "li",
        element("span", class_=way),
        class_="switch",
        style=f"--from:{left};--to:{right}",
        aria_hidden="true",
    )


def _local_data(moment: Moment) -> list[list[str | None]]:
    """The local variables that a step changes, as the activation on top calls them."""
    top = moment.stack[0].text.rpartition(":")[0] if moment.stack else ""
    return [[change.name.removeprefix(f"{top}."), change.before] for change in moment.local]


def _change_text(change: Change) -> str:
    return f"{change.name}: {change.before or NO_VALUE} → {change.after or NO_VALUE}"
