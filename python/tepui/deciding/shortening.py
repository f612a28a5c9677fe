"""The trace of an engine that does not look for the fewest contexts, made shorter before it is
shown.

First the neighbourhood of the trace is searched (`fewer_contexts`). Then an engine that counts
contexts goes on for a while: it may find a violation with fewer of them, or show that there is
none. Both take about a second together, and that is counted in work, so that every run shortens in
the same way. If neither ends, the trace may not have the fewest contexts, and the result says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tepui.deciding.fewer_contexts import Effort, with_fewer_contexts
from tepui.engines.registry import usual
from tepui.errors import AT_LIMIT, TooManyOutcomes
from tepui.limits import reached_limit
from tepui.model import EPSILON
from tepui.records import record

if TYPE_CHECKING:
    from tepui.checker import Trace
    from tepui.deciding.algorithm3 import Shared
    from tepui.engines.engine import Engine
    from tepui.model import Property
    from tepui.program.questions import Question

MOST_STEPS = 20_000
"""Longer traces stay as they are."""

NEARBY = 200_000
"""How much is looked at near a trace, which takes about half a second."""

BYTES_OF_WORK = 250
"""About how much memory that takes."""

WORK = 500_000
"""How much an engine that counts contexts works on, which takes about half a second."""

SECONDS = 1.0
"""An engine that is far too slow for its work ends after this time."""


@record
class Shortened:
    """A trace of the system that engines explore."""

    trace: Trace
    is_fewest: bool
    """Whether it is known that fewer contexts are not enough."""


def shortened(
    shared: Shared, trace: Trace, asked: Property, questions: Sequence[Question] = ()
) -> Shortened:
    """A trace with as few contexts as a second's work can find, that violates the same question."""
    known = Shortened(trace, trace.contexts == 0)
    own = _violated(shared, trace, asked, questions)
    try:
        engine = _engine(shared)
        nearer = _nearby(shared, trace, own, engine.observations[-1].k + 1)
        known = Shortened(nearer, nearer.contexts == 0)
        return _by_engine(shared, engine, nearer, (own, asked)) or known
    except (TooManyOutcomes, *AT_LIMIT):
        return known
    except KeyboardInterrupt as error:
        shared.meter.stopped = reached_limit(error)
        return known


def _violated(
    shared: Shared, trace: Trace, asked: Property, questions: Sequence[Question]
) -> Property:
    """What is asked in the same way as the question that a trace violates. A driver asks more than
    a user does: whether there are enough slots, and whether a limit is reached. A violation must
    not turn into a lack of slots."""
    if len(questions) < 2:
        return asked
    from tepui.program.questions import everything, violated_question

    at, stacks = trace.end
    tops = (stack[0] if stack else EPSILON for stack in stacks)
    classes = [shared.system.template_of(n).class_of(top) for n, top in enumerate(tops)]
    question = violated_question(questions, at, classes)
    if question is None:
        return asked
    by_driver = _is_asked_by_driver(shared, question)
    same = [one for one in questions if _is_asked_by_driver(shared, one) == by_driver]
    return asked if len(same) == len(questions) else everything(same)


def _is_asked_by_driver(shared: Shared, question: Question) -> bool:
    from tepui.program.program import Derived

    program = shared.subject.program
    lacks = set(program.lack_points) if isinstance(program, Derived) else set()
    points = {point for some in question.places for point in some}
    return question.kind == "limit" or bool(points and points <= lacks)


def _nearby(shared: Shared, trace: Trace, asked: Property, least: int) -> Trace:
    work = min(NEARBY, shared.meter.bytes_left() // BYTES_OF_WORK)
    if not len(trace.steps) < min(MOST_STEPS, work) or shared.meter.is_out_of_time():
        return trace
    return with_fewer_contexts(shared.system, trace, asked, Effort(work), least)


def _by_engine(
    shared: Shared, engine: Engine, trace: Trace, asked: tuple[Property, Property]
) -> Shortened | None:
    """What an engine that counts contexts says, if it comes to an end, about what the trace
    violates, and about everything that is asked."""
    own, every = asked
    meter, end = shared.meter, engine.work + WORK
    while True:
        limits = meter.for_question()
        first = engine.first_new_bad(every, limits)
        found = first if own == every else engine.first_new_bad(own, limits)
        if found is not None and found.bound < trace.contexts:
            sooner = first is not None and first.bound < found.bound
            return Shortened(found.trace(own, limits), not sooner)
        if engine.observations[-1].k >= trace.contexts - 1:
            return Shortened(trace, first is None or first.bound >= trace.contexts)
        held, left = engine.bytes, end - engine.work
        limits = meter.for_kernel(held)
        if left <= 0 or limits["bytes"] == held or meter.is_out_of_time():
            return None
        limits["pause"] = left
        limits["seconds"] = min(SECONDS, limits["seconds"] or SECONDS)
        if engine.advance(limits) not in ("done", "paused"):
            return None


def _engine(shared: Shared) -> Engine:
    """One that counts contexts: the one in the race that has come furthest, unless it is running
    right now, or else a new one."""
    entrants = shared.entrants
    begun = [entrant for entrant in entrants.left() if entrant.has_begun]
    exact = [entrant.engine for entrant in begun if entrant.kind.knows_fewest_contexts]
    if exact and shared.options.jobs == 1:
        return max(exact, key=lambda engine: len(engine.observations))
    listing, sets = usual("contexts"), usual("contexts", without="finite contexts")
    return entrants.make(listing if all(entrants.finite) else sets)
