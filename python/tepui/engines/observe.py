"""R_0, R_1, R_2, … one after the other, for callers that draw their own conclusions."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from tepui.doors import door
from tepui.engines.engine import Engine, Observation
from tepui.engines.finite_context import finite_contexts
from tepui.engines.registry import (
    AUTO,
    Request,
    check_engine,
    counting,
    counts_delays,
    kind_of,
    racing,
    usual,
)
from tepui.errors import UsageError
from tepui.model import System
from tepui.program.program import Program


@door
def observe(
    system: System | Program, *, engine: str = AUTO, symmetry: bool = True, tops: int = 1
) -> Iterator[Observation]:
    """R_0, R_1, R_2, … without end; or, by an engine that counts delays, R(0, 0) and so on, in the
    order of Algorithm 1.

    Without the name of an engine, the first engine of a race explores. `tops` is for engines that
    count delays: how many symbols of each stack to look at.

    >>> for observation in tepui.observe(tepui.load("examples/figure4.cpds")):
    ...     print(observation.k, observation.states, observation.visible)
    ...     if observation.k == 2:
    ...         break
    0 1 1
    1 3 3
    2 6 6
    """
    check_engine(engine)
    if not isinstance(system, System):
        from tepui.kernels.lowered_system import lower

        system = lower(system)
    if tops != 1 and not counts_delays(engine):
        raise UsageError(f"tops is for the engines {counting('delays')}, not for {engine}")
    chosen = _engine(system, engine, symmetry, tops)
    yield chosen.observations[-1]
    while chosen.advance() == "done":
        yield chosen.observations[-1]


def _engine(system: System, name: str, symmetry: bool, tops: int) -> Engine:
    finite = cache(lambda: finite_contexts(system))
    kind = racing(finite=all(finite()))[0][1] if name == AUTO else kind_of(name)
    if kind.closes:
        other = usual(kind.counts).name
        raise UsageError(f"{name} is {other} with another test of what was seen: observe {other}")
    request = Request(system, finite, symmetry, tops)
    if infinite := kind.infinite_in(request):
        raise UsageError(
            f"thread {infinite[0]} may reach infinitely many stacks within one context, and the "
            f"engine {name} lists states one by one: choose another one"
        )
    return kind.make(request)
