"""Compares the values of an answer with those of all states, listed one by one.

The explicit engine lists all states within the same number of contexts, one by one. It shares
nothing with weights, except how states are read as values. Where there are too many states, or
infinitely many, nothing is compared.
"""

from __future__ import annotations

from tepui.engines.explicit import ExplicitEngine
from tepui.errors import Disagreement, Stopped
from tepui.limits import Limits, Meter
from tepui.model import System
from tepui.program.program import Program
from tepui.subject import about
from tepui.weighted.dataflow.answers import FewestSteps, PossibleValues
from tepui.weighted.dataflow.possible_values import lowered
from tepui.weighted.dataflow.query import BOTTOM, Query

MOST_STATES = 300_000


def compare(
    model: System | Program,
    query: Query,
    answer: PossibleValues | FewestSteps,
    limits: Limits | None = None,
) -> int:
    """The number of states with which the answer was compared. Raises `Stopped` if there are too
    many, and `Disagreement` if their values are not those of the answer."""
    exploration = ExplicitEngine(lowered(model), symmetry=False)
    meter = Meter(limits or Limits())
    while exploration.last.k < answer.contexts:
        outcome = exploration.advance(meter.for_kernel(exploration.bytes, MOST_STATES))
        if outcome == "states":
            raise Stopped(f"there are more than {MOST_STATES:,}")
        if outcome not in ("done", "paused"):
            raise Stopped.at_limit(outcome)
    states = exploration.list_states(answer.contexts)
    listed = _values(exploration.system, query, states)
    found = {valuation.values for valuation in answer.valuations}
    if listed != found:
        raise Disagreement(
            f"{query.text}: {len(found)} valuations by weights, and {len(listed)} in the states "
            f"within {answer.contexts} contexts"
        )
    return len(states)


def _values(
    system: System, query: Query, states: list[tuple[int, tuple[tuple[int, ...], ...]]]
) -> set[tuple[int | None, ...]]:
    """The values with which the thread is where the query asks."""
    subject, template = about(system), system.threads[query.thread]
    wanted = [frozenset(subject.symbols_at(template, tops)) for tops in query.tops]
    found = set()
    for shared, stacks in states:
        stack = (*stacks[query.thread], BOTTOM)
        if len(stack) >= len(wanted) and all(map(frozenset.__contains__, wanted, stack)):
            values = subject.values_at(query.thread, shared, stack[0])
            if values is not None:
                found.add(values)
    return found
