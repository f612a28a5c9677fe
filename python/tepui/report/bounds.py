"""What a bound counts, in words: contexts, or delays and rounds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tepui.words import counted, number_text

if TYPE_CHECKING:
    from tepui.checker import Trace
    from tepui.engines.rounds import Round
    from tepui.progress import Progress
    from tepui.result import Other, Result


def bounds_of(row: Round | Progress) -> list[tuple[str, int]]:
    """What a round counts, and how far it is."""
    if row.delays is not None:
        return [("rounds", row.delays.rounds), ("delays", row.delays.delays)]
    return [("contexts", row.k)] if row.steps is None else [("steps", row.steps)]


def contexts_text(count: int) -> str:
    """A number of contexts, in words."""
    return counted(count, "context")


def count_text(count: int | None) -> str:
    """A number of states; None is infinitely many."""
    return "∞" if count is None else number_text(count)


def taken_text(result: Result) -> str:
    """The bound of a violation, after «with»."""
    if result.bound_rounds is None:
        contexts = contexts_text(result.bound or 0)
        return contexts if result.bound_is_fewest else f"{contexts}, which may not be the fewest"
    delays, rounds = counted(result.bound or 0, "delay"), counted(result.bound_rounds, "round")
    return f"{delays}, within {rounds}"


def within_text(result: Result) -> str:
    """The bound within which something holds. A bound that was not asked for is «any number»."""
    rounds, delays = result.bound_rounds, result.bound
    if result.resource == "contexts":
        return f"within {contexts_text(result.bound or 0)}"
    if rounds is None:
        return f"within {counted(delays or 0, 'delay')}, in any number of rounds"
    if delays is None:
        return f"within {counted(rounds, 'round')}, with any number of delays"
    return f"within {counted(delays, 'delay')} and {counted(rounds, 'round')}"


def trace_text(trace: Trace) -> str:
    """The numbers of contexts, delays and rounds of a trace."""
    contexts, schedule = contexts_text(trace.contexts), trace.schedule
    if schedule is None:
        return contexts
    delays, rounds = counted(schedule.delays, "delay"), counted(schedule.rounds, "round")
    return f"{contexts} ({delays} and {rounds} of a round-robin scheduler)"


def explored_text(result: Result) -> str:
    """How far a run has come, and what it has found."""
    last = result.rounds[-1]
    text = f"{_so_far(last)}, {_states(last.states)}, {number_text(last.visible)} visible"
    if last.delays is not None:
        if result.tops > 1:
            text += f", {last.delays.top_words:,} with the top {result.tops} symbols"
        return f"{text} ({counted(last.delays.images, 'image')})"
    if result.states_up_to_symmetry not in (None, last.states):
        text += f" ({result.states_up_to_symmetry:,} states up to symmetry)"
    return text


def other_text(other: Other) -> str:
    """What another engine had found, and why it stopped."""
    bound = counted(other.bound, other.resource[:-1])
    if other.rounds is not None:
        bound = f"{counted(other.bound, 'delay')}, {counted(other.rounds, 'round')}"
    return f"{other.engine}: {bound}, {_states(other.states)}, {other.ended}"


def _so_far(last: Round) -> str:
    return ", ".join(counted(count, name[:-1]) for name, count in reversed(bounds_of(last)))


def _states(count: int | None) -> str:
    return "∞ states" if count is None else counted(count, "state")
