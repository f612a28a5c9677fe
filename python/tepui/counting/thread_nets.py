"""Searches a net of threads: a set that contains all that is bad and nothing reachable, or a run.

The kernel searches backwards, which always ends, and forwards for short runs.
"""

from __future__ import annotations

from collections.abc import Sequence

from tepui.checker.covering import CoveringRun, NetInvariant, check_run
from tepui.checker.net_search import ThreadNet
from tepui.counting.coverability import kernel_of
from tepui.counting.place_invariants import place_invariants
from tepui.errors import EvidenceError
from tepui.kernels.door import Outcome
from tepui.limits import Meter
from tepui.model.net import Marking, Net
from tepui.records import record

MOST_PAIRS = 200_000
"""A model with more pairs of a shared state and a state of a thread is given up."""

NamedMarkings = tuple[tuple[str, ...], tuple[Marking, ...], tuple[tuple[Marking, int], ...]]
"""Names of places, minimal elements, and invariants: weights of places, and a bound."""


@record
class Searched:
    """How a search has ended."""

    ended: Outcome
    elements: int
    """How many elements the backward search found."""
    named: NamedMarkings | None = None
    """The elements and the invariants, if nothing bad can be covered."""
    run: CoveringRun | None = None
    """A run into a bad marking, without those threads that it does not need."""


def search_net(found: ThreadNet, shared: int, meter: Meter) -> Searched:
    """Search a net with this many shared states."""
    invariants = place_invariants(found.net, shared, found.invariants)
    kernel = kernel_of(found.net, (*found.invariants, *invariants), found.control)
    ended = kernel.advance(meter.for_kernel(kernel.bytes))
    if ended != "done":
        return Searched(ended, kernel.elements)
    run = kernel.run()
    if run is not None:
        few = _with_few(found.net, CoveringRun(tuple(run[0]), tuple(run[1])))
        return Searched(ended, kernel.elements, run=few)
    return Searched(ended, kernel.elements, _named(found, kernel.basis(), invariants))


def _named(
    found: ThreadNet,
    basis: Sequence[Sequence[tuple[int, int]]],
    invariants: Sequence[NetInvariant],
) -> NamedMarkings:
    """The elements and the invariants, with names for those places only that occur in them."""
    weighted = [
        tuple((place, weight) for place, weight in enumerate(one.weights) if weight)
        for one in invariants
    ]
    used = sorted({place for marking in (*basis, *weighted) for place, _ in marking})
    numbers = {place: number for number, place in enumerate(used)}

    def named(marking: Sequence[tuple[int, int]]) -> Marking:
        return tuple((numbers[place], count) for place, count in marking)

    bounds = (one.bound for one in invariants)
    return (
        tuple(found.net.places[place] for place in used),
        tuple(sorted(map(named, basis))),
        tuple(zip(map(named, weighted), bounds, strict=True)),
    )


def _with_few(net: Net, run: CoveringRun) -> CoveringRun:
    """A run without those threads that it does not need."""
    for place, (least, most) in enumerate(net.initial):
        while most is None and run.start[place] > least:
            fewer = (*run.start[:place], run.start[place] - 1, *run.start[place + 1 :])
            try:
                check_run(net, CoveringRun(fewer, run.transitions))
            except EvidenceError:
                break
            run = CoveringRun(fewer, run.transitions)
    return run
