"""What `tepui.watch` has seen, as text: verdict, bounds, and the trace."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator

from tepui.engines.registry import kind_of
from tepui.report.bounds import contexts_text, count_text
from tepui.report.text.paint import joined
from tepui.report.text.traces import story_lines
from tepui.watching.watch_result import AbstractObservation, Bound, Disrespect, WatchResult
from tepui.words import counted

_SHOWN = 5
"""How many disrespectful actions are shown."""

_SHOWN_ROWS = 24
"""Longer tables are shortened in the middle."""


def watched_text(seen: WatchResult) -> str:
    """The whole report."""
    lines = [watched_headline(seen), *(f"  {line}" for line in _facts(seen)), "", *_table(seen)]
    if seen.trace is not None:
        lines += ["", *story_lines(seen.trace.story)]
    return joined(lines)


def watched_headline(seen: WatchResult) -> str:
    """The verdict in one sentence."""
    name, count = seen.system.name, counted(len(seen.abstract_states), "abstract state")
    match seen.verdict:
        case "violation":
            return f"VIOLATION  {name}: a bad state is reachable, with {bound_text(seen.bound)}"
        case "plateau":
            respect = "" if seen.respect == "disrespected" else "respect "
            since = bound_text(seen.plateau)
            return f"PLATEAU, {respect}{seen.respect}  {name}: {count}, none new since {since}"
        case "stopped":
            return f"STOPPED  {name}: {count} so far; {seen.reason}"


def bound_text(bound: Bound | None) -> str:
    """A bound in words."""
    if bound is None:
        return "no bound"
    if isinstance(bound, int):
        return contexts_text(bound)
    rounds, delays = bound
    return f"{counted(rounds, 'round')} and {counted(delays, 'delay')}"


def _facts(seen: WatchResult) -> Iterator[str]:
    if seen.bad_state is not None:
        yield f"bad       {seen.bad_state}"
    if seen.verdict == "plateau":
        yield f"meaning   {_meaning(seen)}"
    if len(seen.plateaus) > (seen.verdict == "plateau"):
        yield f"plateaus  from {'; from '.join(map(bound_text, seen.plateaus))}"
    yield f"respect   {_respect(seen)}"
    for each in seen.disrespectful[:_SHOWN]:
        yield from _disrespect(each)
    if len(seen.disrespectful) > _SHOWN:
        yield f"          and {len(seen.disrespectful) - _SHOWN} more"
    of = "states" if seen.of == "states" else "visible states"
    yield f"watched   {of}, with the {seen.engine} engine"
    if seen.trace is not None:
        yield f"evidence  trace, {'accepted by the checker' if seen.checked else 'unchecked'}"
    yield f"took      {seen.seconds:.2f} s, {seen.peak_memory_bytes / 2**20:,.0f} MiB"
    for note in seen.notes:
        yield f"note      {note}"


def _meaning(seen: WatchResult) -> str:
    if seen.collapsed:
        return "no bound adds a state: these are the abstract states of all that is reachable"
    return "no proof: a larger bound may show more"


def _respect(seen: WatchResult) -> str:
    match seen.respect:
        case "observed":
            return "observed: no explored state shows an action that disrespects the abstraction"
        case "disrespected":
            return f"disrespected, by {counted(len(seen.disrespectful), 'action')}:"
        case "unchecked":
            return f"unchecked: the {seen.engine} engine lists no states"


def _disrespect(each: Disrespect) -> Iterator[str]:
    """The action, and what it does in two states with one abstract state."""
    yield f"          {each.thread}: {each.action}"
    start = repr(each.abstract_state)
    first, second = (f"{start} to {_alternatives(after)}" for after in each.after)
    if each.kind == "enabled":
        second = f"{start}, disabled"
    width = max(len(first), len(second))
    yield f"            {first:<{width}}  in {each.states[0]}"
    yield f"            {second:<{width}}  in {each.states[1]}"


def _alternatives(abstract_states: Iterable[Hashable]) -> str:
    """Some abstract states, in an order that is the same in every run."""
    return " or ".join(sorted(map(repr, abstract_states)))


def _table(seen: WatchResult) -> list[str]:
    """The bounds under which abstract states were new, and the last one."""
    rows = [row for row in seen.observations[:-1] if row.new] + seen.observations[-1:]
    bounds = "rounds  delays" if kind_of(seen.engine).counts == "delays" else "contexts"
    of = "states" if seen.of == "states" else "visible"
    lines = [_row(row) for row in rows]
    if len(lines) > _SHOWN_ROWS:
        left_out = len(lines) - _SHOWN_ROWS
        half = _SHOWN_ROWS // 2
        lines = [*lines[:half], f"  … {left_out} more …", *lines[-half:]]
    return [f"{bounds}  {of:>13}  abstract states  {'new':>7}", *lines]


def _row(row: AbstractObservation) -> str:
    bound = f"{row.bound:>8}" if isinstance(row.bound, int) else "{:>6}  {:>6}".format(*row.bound)
    return f"{bound}  {count_text(row.states):>13}  {row.abstract_states:>15,}  {row.new:>7,}"
