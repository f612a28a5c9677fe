"""Decides whether a program with any number of threads can cover what is bad.

The net of the program (`checker.programs.program_net`) has tokens in place of threads, and the
kernel searches it backwards, which always ends, and forwards for short runs. Safe comes with a
certificate. Unsafe comes with how many threads of each type are enough: who explores the program
with these finds a trace.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Literal

from tepui.checker.covering import CoveringRun, NetInvariant, check_run
from tepui.checker.evidence import Bad
from tepui.checker.programs.program_covering import ProgramCovering
from tepui.checker.programs.program_net import NoNet, ProgramNet, TooManyPairs, program_net
from tepui.counting.coverability import kernel_of
from tepui.counting.place_invariants import place_invariants
from tepui.errors import AT_LIMIT, CheckStopped, EvidenceError
from tepui.limits import Meter, reached_limit
from tepui.model.net import Marking, Net
from tepui.program.program import Program
from tepui.records import record, replace
from tepui.result import Stop

MOST_PAIRS = 200_000
"""A program with more pairs of a shared state and a state of a thread is given up."""


@record
class CoveredProgram:
    """An answer about a program with any number of threads."""

    verdict: Literal["safe", "unsafe", "refused", "unknown"]
    evidence: ProgramCovering | None = None
    """If it is safe: what the checker examines."""
    enough: FewThreads | None = None
    """If it is unsafe: a program with no more threads than these, which is unsafe as well."""
    reason: str | None = None
    """Why the program is refused, in words."""
    stop: Stop | None = None
    """Why nothing is known."""
    pairs: int = 0
    """With how many pairs of a shared state and a state of a thread."""
    elements: int = 0
    """How many elements the backward search found."""


@record
class FewThreads:
    """How many threads are enough to reach what is bad, and how long that takes."""

    counts: Mapping[str, int]
    """For each type, how many threads of it the program begins with: at least one, since more of
    them do no harm."""
    forked: int
    """How many forked threads there are at once, at most."""
    steps: int
    """How many steps there are, of threads that are in the net (where local steps are fused)."""
    run: CoveringRun
    net: ProgramNet


def cover_program(program: Program, bad: Sequence[Bad], meter: Meter) -> CoveredProgram:
    """Decide whether any number of threads can reach what is bad."""
    pairs = elements = 0
    try:
        found = program_net(program, bad, meter.may_go_on, MOST_PAIRS)
        pairs = sum(len(others) for _, others in found.control.states)
        invariants = place_invariants(found.net, len(found.shared), found.invariants)
        kernel = kernel_of(found.net, (*found.invariants, *invariants), found.control)
        ended = kernel.advance(meter.for_kernel(kernel.bytes))
        elements = kernel.elements
        if ended == "done":
            run = kernel.run()
            if run is None:
                answer = CoveredProgram("safe", _evidence(found, kernel.basis(), invariants))
            else:
                few = _with_few(found.net, CoveringRun(tuple(run[0]), tuple(run[1])))
                reached = _enough(program, found, few)
                answer = CoveredProgram("unsafe", enough=reached)
            return replace(answer, pairs=pairs, elements=elements)
        stop = Stop.at_limit(ended, meter.limits)
    except TooManyPairs as error:
        stop = Stop("states", str(error))
    except NoNet as error:
        return CoveredProgram("refused", reason=str(error))
    except CheckStopped:
        stop = Stop.at_limit(meter.stopped or "time", meter.limits)
    except (KeyboardInterrupt, *AT_LIMIT) as error:
        stop = Stop.at_limit(reached_limit(error), meter.limits)
    return CoveredProgram("unknown", stop=stop, pairs=pairs, elements=elements)


def _evidence(
    found: ProgramNet,
    basis: Sequence[Sequence[tuple[int, int]]],
    invariants: Sequence[NetInvariant],
) -> ProgramCovering:
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
    return ProgramCovering(
        tuple(found.net.places[place] for place in used),
        tuple(sorted(map(named, basis))),
        tuple(zip(map(named, weighted), bounds, strict=True)),
    )


def _with_few(net: Net, run: CoveringRun) -> CoveringRun:
    """A run without those threads that it does not need."""
    for place, (_, most) in enumerate(net.initial):
        while most is None and run.start[place]:
            fewer = (*run.start[:place], run.start[place] - 1, *run.start[place + 1 :])
            try:
                check_run(net, CoveringRun(fewer, run.transitions))
            except EvidenceError:
                break
            run = CoveringRun(fewer, run.transitions)
    return run


def _enough(program: Program, found: ProgramNet, run: CoveringRun) -> FewThreads:
    first, types = len(found.shared), len(program.threads)
    begun = Counter(
        {local.kind: n for local, n in zip(found.locals, run.start[first:], strict=True) if n}
    )
    counts = {one.name: max(1, begun[kind]) for kind, one in enumerate(program.threads)}
    forked = [first + n for n, local in enumerate(found.locals) if local.kind >= types]
    visited = check_run(found.net, run)
    most = max(sum(marking[place] for place in forked) for marking in visited)
    return FewThreads(counts, most, len(run.transitions), run, found)
