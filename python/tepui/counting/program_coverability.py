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

from tepui.checker.covering import CoveringRun, check_run
from tepui.checker.evidence import Bad
from tepui.checker.net_search import NoNet, TooManyPairs
from tepui.checker.programs.program_covering import ProgramCovering
from tepui.checker.programs.program_net import ProgramNet, program_net
from tepui.counting.thread_nets import MOST_PAIRS, search_net
from tepui.errors import AT_LIMIT, CheckStopped
from tepui.limits import Meter, reached_limit
from tepui.program.program import Program
from tepui.records import record
from tepui.result import Stop


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
        pairs = found.pairs
        searched = search_net(found, len(found.shared), meter)
        elements = searched.elements
        if searched.named is not None:
            evidence = ProgramCovering(*searched.named)
            return CoveredProgram("safe", evidence, pairs=pairs, elements=elements)
        if searched.run is not None:
            reached = _enough(program, found, searched.run)
            return CoveredProgram("unsafe", enough=reached, pairs=pairs, elements=elements)
        stop = Stop.at_limit(searched.ended, meter.limits)
    except TooManyPairs as error:
        stop = Stop("states", str(error))
    except NoNet as error:
        return CoveredProgram("refused", reason=str(error))
    except CheckStopped:
        stop = Stop.at_limit(meter.stopped or "time", meter.limits)
    except (KeyboardInterrupt, *AT_LIMIT) as error:
        stop = Stop.at_limit(reached_limit(error), meter.limits)
    return CoveredProgram("unknown", stop=stop, pairs=pairs, elements=elements)


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
