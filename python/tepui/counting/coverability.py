"""Decides whether a net can cover a bad marking, for any number of threads.

The kernel searches backwards from the bad markings, which always ends, and forwards for short runs.
Before an answer is given, the checker examines its evidence; if it rejects it, there is no answer.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from tepui.checker.covering import CoveringRun, UpwardClosed, check_run, check_upward_closed
from tepui.counting.control_states import control_states_of
from tepui.counting.net_invariants import invariants_of
from tepui.doors import door
from tepui.errors import AT_LIMIT, CheckStopped, Disagreement, EvidenceError
from tepui.kernels.door import Coverability
from tepui.limits import Limits, Meter, peak_memory, reached_limit
from tepui.records import record, replace
from tepui.result import Stop

if TYPE_CHECKING:
    from tepui.checker.covering import ControlStates, NetInvariant
    from tepui.model.net import Net


Verdict = Literal["safe", "unsafe", "unknown"]


@record
class Covered:
    """An answer about a net, with its evidence and what it took."""

    verdict: Verdict
    net: Net
    evidence: CoveringRun | UpwardClosed | None = None
    checked: bool = False
    stop: Stop | None = None
    """Why there is no answer."""
    unchecked: str | None = None
    """Why the evidence was not checked, if a limit is the reason."""
    elements: int = 0
    """How many elements the backward search found."""
    seconds: float = 0.0
    check_seconds: float | None = None
    peak_memory_bytes: int = 0


@door
def cover(net: Net, limits: Limits | None = None, *, check: bool = True) -> Covered:
    """Decide whether a run leads above a bad marking, from any initial one.

    >>> from tepui.counting import cover, load_net
    >>> found = cover(load_net("examples/nets/lock-broken.tts"))
    >>> found.verdict, found.evidence.start, found.evidence.transitions
    ('unsafe', (1, 0, 2, 0, 0), (0, 0, 1, 2))
    """
    meter = Meter(limits or Limits())
    kernel = None
    try:
        invariants = invariants_of(net)
        control = control_states_of(net, invariants, meter.may_go_on)
        kernel = kernel_of(net, invariants, control)
        ended = kernel.advance(meter.for_kernel(kernel.bytes))
        evidence = _evidence(kernel, invariants, control) if ended == "done" else None
    except (KeyboardInterrupt, *AT_LIMIT) as error:
        ended, evidence = reached_limit(error), None
    elements = 0 if kernel is None else kernel.elements
    if evidence is None:
        stop = Stop.at_limit(ended, meter.limits)
        answer = Covered("unknown", net, stop=stop, elements=elements)
    else:
        verdict: Verdict = "unsafe" if isinstance(evidence, CoveringRun) else "safe"
        answer = _checked(Covered(verdict, net, evidence, elements=elements), meter, check)
    return replace(answer, seconds=meter.seconds(), peak_memory_bytes=peak_memory())


@door
def check_net_evidence(
    net: Net, evidence: CoveringRun | UpwardClosed, meter: Meter | None = None
) -> None:
    """Return if the evidence proves its claim; an EvidenceError if not."""
    if isinstance(evidence, CoveringRun):
        check_run(net, evidence)
    elif meter is None:
        check_upward_closed(net, evidence)
    else:
        check_upward_closed(net, evidence, meter.may_go_on)


def kernel_of(
    net: Net, invariants: Sequence[NetInvariant], control: ControlStates | None
) -> Coverability:
    """The searches of the kernel, with what is known to hold in the net."""
    return Coverability(
        net.initial,
        [
            (one.guard, [(row.place, row.sources, row.constant) for row in one.rows])
            for one in net.transitions
        ],
        net.targets,
        [(one.weights, one.bound) for one in invariants],
        None if control is None else (control.places, control.states),
    )


def _evidence(
    kernel: Coverability, invariants: list[NetInvariant], control: ControlStates | None
) -> CoveringRun | UpwardClosed:
    """What a search has found that is complete."""
    run = kernel.run()
    if run is not None:
        return CoveringRun(tuple(run[0]), tuple(run[1]))
    return UpwardClosed(tuple(map(tuple, kernel.basis())), tuple(invariants), control)


def _checked(answer: Covered, meter: Meter, check: bool) -> Covered:
    if not check or answer.evidence is None:
        return answer
    started = time.perf_counter()
    try:
        check_net_evidence(answer.net, answer.evidence, meter)
    except EvidenceError as error:
        raise Disagreement(f"the checker rejects the evidence: {error}") from error
    except CheckStopped as error:
        return replace(answer, unchecked=str(error))
    except (KeyboardInterrupt, *AT_LIMIT) as error:
        stop = Stop.at_limit(reached_limit(error), meter.limits)
        return replace(answer, unchecked=stop.text)
    return replace(answer, checked=True, check_seconds=time.perf_counter() - started)
