"""Decides whether a system with any number of threads can cover what is bad, as far as it sees.

The net of the system (`checker.system_net`) sees some symbols of each stack. Where no stack has
more of them, the answer is exact: safe comes with a certificate, unsafe with the number of threads
that is enough. Where some have more, only safe is an answer.
"""

from __future__ import annotations

from tepui.checker.certificates.system_covering import SystemCovering
from tepui.checker.net_search import TooManyPairs
from tepui.checker.system_net import SystemNet, system_net
from tepui.counting.thread_nets import MOST_PAIRS, search_net
from tepui.errors import AT_LIMIT, CheckStopped
from tepui.limits import Meter, reached_limit
from tepui.model import SystemInstance
from tepui.records import record
from tepui.result import Stop


@record
class CoveredSystem:
    """What a search has found."""

    evidence: SystemCovering | None = None
    """If it is safe: what the checker examines."""
    threads: int | None = None
    """If it is unsafe: how many threads are enough, of all blocks with any number together."""
    is_too_coarse: bool = False
    """Whether it may be unsafe, but some stacks are not seen as a whole."""
    stop: Stop | None = None
    """Why nothing is known."""
    elements: int = 0
    """How many elements the backward search found."""


def cover_system(system: SystemInstance, height: int, meter: Meter) -> CoveredSystem:
    """Decide whether any number of threads can reach what the property of an instance calls bad,
    by this number of symbols of each stack."""
    elements = 0
    try:
        found = system_net(system, system.property, height, meter.may_go_on, MOST_PAIRS)
        searched = search_net(found, len(found.shared), meter)
        elements = searched.elements
        if searched.named is not None:
            evidence = SystemCovering(*searched.named, height=height)
            return CoveredSystem(evidence, elements=elements)
        if searched.run is not None and not found.is_exact:
            return CoveredSystem(is_too_coarse=True, elements=elements)
        if searched.run is not None:
            enough = _threads(found, searched.run.start) + sum(system.counts.values())
            return CoveredSystem(threads=enough, elements=elements)
        stop = Stop.at_limit(searched.ended, meter.limits)
    except TooManyPairs as error:
        stop = Stop("states", str(error))
    except CheckStopped:
        stop = Stop.at_limit(meter.stopped or "time", meter.limits)
    except (KeyboardInterrupt, *AT_LIMIT) as error:
        stop = Stop.at_limit(reached_limit(error), meter.limits)
    return CoveredSystem(stop=stop, elements=elements)


def _threads(found: SystemNet, start: tuple[int, ...]) -> int:
    """How many threads a run begins with, beyond those of which there is a number."""
    first = len(found.shared)
    pairs = zip(start[first:], found.net.initial[first:], strict=True)
    return sum(count - least for count, (least, _) in pairs)
