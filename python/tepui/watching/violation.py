"""A violation: a bad state that was found, with the run into it as evidence.

An engine is asked for it by the whole stacks of the state, or by the tops of a visible one. For a
program, the checker takes no questions about stacks, so its property names only places of threads.
Whether the run ends in this very state is then compared with the steps that the checker has
replayed.
"""

from __future__ import annotations

from tepui.checker import Trace
from tepui.deciding.evidence_check import checked
from tepui.deciding.options import Options
from tepui.engines.engine import Engine
from tepui.errors import EvidenceRejected
from tepui.limits import Meter
from tepui.model import EPSILON, Pattern, Property, Reach, StackSet, System
from tepui.model.system import Word
from tepui.result import Grounds, Result, Statistics
from tepui.subject import about
from tepui.watching.abstraction import State, Watched

_SECONDS_FOR_TRACE = 1.0
"""How long a trace may take, even if the time limit is reached."""


def violation_by(name: str, engine: Engine, state: State, of: Watched, meter: Meter) -> Result:
    """A violation by a state that an engine has found, with a trace and checked if limits allow it.
    The stacks of a visible state have only their top symbols."""
    system = engine.system
    result = Result(
        verdict="unsafe",
        subject=about(system),
        asked=Property((_visible(system, state),)),
        statistics=Statistics(tuple(observation.row for observation in engine.observations)),
        engine=name,
        grounds=Grounds(lambda: _trace(engine, _exactly(system, state, of), meter)),
    )
    result = checked(result, meter, Options(limits=meter.limits))
    if result.trace is not None and not _ends_in(result.trace, state, of):
        raise EvidenceRejected("the trace ends in another state", result)
    return result


def _trace(engine: Engine, asked: Reach, meter: Meter) -> Trace | None:
    wanted = Property(reaches=(asked,))
    limits = meter.for_question()
    if limits["seconds"] is not None:
        limits["seconds"] = max(_SECONDS_FOR_TRACE, limits["seconds"])
    violation = engine.first_new_bad(wanted, limits)
    return None if violation is None else violation.trace(wanted, limits)


def _visible(system: System, state: State) -> Pattern:
    """The part of a state that a property can name: in a program, where its threads are."""
    shared, stacks = state
    tops = (stack[0] if stack else EPSILON for stack in stacks)
    classes = (system.template_of(thread).class_of(top) for thread, top in enumerate(tops))
    return Pattern(shared, tuple(classes))


def _exactly(system: System, state: State, of: Watched) -> Reach:
    """The set of one state, or of those with the tops of a visible state."""
    shared, stacks = state
    sets = (
        _one_stack(stack) if of == "states" or not stack else _with_top(system, thread, stack[0])
        for thread, stack in enumerate(stacks)
    )
    return Reach(shared, tuple(sets))


def _one_stack(stack: Word) -> StackSet:
    edges = [((symbol, place + 1),) for place, symbol in enumerate(stack)]
    return StackSet((False,) * len(stack) + (True,), (*edges, ()))


def _with_top(system: System, thread: int, top: int) -> StackSet:
    symbols = range(1, len(system.template_of(thread).symbols))
    return StackSet((False, True), (((top, 1),), tuple((symbol, 1) for symbol in symbols)))


def _ends_in(trace: Trace, state: State, of: Watched) -> bool:
    shared, stacks = trace.end
    seen = stacks if of == "states" else tuple(stack[:1] for stack in stacks)
    return (shared, seen) == state
