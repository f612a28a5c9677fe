"""DrUBA's Examples 8 and 12, a system on which its Algorithm 1 misses a state, random ones,
and what the tests of the delay engine do with them."""

from __future__ import annotations

import json
from pathlib import Path

from support.generators.systems import Sizes
from support.oracles.delays import Cost, cost_of_run
from tepui.checker import Trace
from tepui.engines.delay import DelayEngine
from tepui.engines.engine import Observation
from tepui.engines.rounds import Delayed
from tepui.kernels.door import KernelLimits, Outcome
from tepui.languages import loads
from tepui.model import Block, Description, NamedRule, System, build

EXAMPLE_8 = """
shared 0 1 2
initial 0

thread T0 {
    stack l
    0 | l -> 1 | l
}

thread T1 {
    stack l
    0 | l -> 1 | l
}

thread T2 {
    stack l
    0 | l -> 2 | l
}
"""

TABLE_1 = {
    1: ["01", "01", "012", "012", "012"],
    2: ["01", "01", "012", "012", "012"],
    3: ["01", "01", "012", "012", "012"],
}
"""The shared states of R(r, d), for each r and for d from 0 to 4."""

PATH_THROUGH_TABLE_1 = [(1, 0), (2, 0), (2, 1), (2, 2), (3, 2), (3, 3), (3, 4)]
"""Where the arrows of Table 1 lead. The text of Example 8 calls the state found at (2, 2) 3, and
means 2."""

EXAMPLE_12 = """
decl s := 0, t := 0;
void worker() {
0:  t := !t;
1:  if (t)
2:      s := 1;
    goto 0;
}
void main() { thread_create(worker, THREADS); }
"""
"""With a loop around it, as threads «repeatedly flip» t, and a number of threads to fill in."""

EXAMPLE_12_AS_SYSTEM = """
shared s0t0 s0t1 s1t0 s1t1
initial s0t0

thread worker * THREADS {
    stack 0
    s0t0 | 0 -> s0t1 | 1
    s0t1 | 0 -> s0t0 | 1
    s1t0 | 0 -> s1t1 | 1
    s1t1 | 0 -> s1t0 | 1
    s0t0 | 1 -> s0t0 | 0
    s0t1 | 1 -> s0t1 | 2
    s1t0 | 1 -> s1t0 | 0
    s1t1 | 1 -> s1t1 | 2
    s0t0 | 2 -> s1t0 | 0
    s0t1 | 2 -> s1t1 | 0
    s1t0 | 2 -> s1t0 | 0
    s1t1 | 2 -> s1t1 | 0
}
"""

LOST_STATE = """
# DrUBA's Algorithm 1 ends at r = 5 and d = 2 without q2 | a, b, a, which is in R(3, 2) and R(6, 1).

initial q0

thread first {
    stack a
    q0 | a -> q1 | a
    q1 | a -> q0 | a
    q1 | a -> q2 | a
}

thread second {
    stack a
    q2 | a -> q1 | b
    q1 | b -> q2 | a
}

thread third {
    stack a
    q1 | a -> q2 | b
    q0 | b -> q0 | a
}
"""

SIZES = Sizes(shared=3, symbols=3, rules=6, states=300)
"""Random systems of which brute force can list all schedules."""


def read(text: str) -> System:
    return loads(text, "cpds").system


def public_lost_state(public_suite: Path) -> System:
    """The public example of a finite system on which Algorithm 1 misses a state."""
    told = json.loads((public_suite.parents[1] / "druba-lost-state.json").read_text())
    blocks = [
        Block(
            f"T{thread}",
            (f"l{start}",),
            [
                NamedRule(f"q{shared}", f"l{local}", f"q{new_shared}", (f"l{new_local}",))
                for action in actions
                for shared, local in [action["from"]]
                for new_shared, new_local in action["to"]
            ],
        )
        for thread, (start, actions) in enumerate(
            zip(told["initial"]["locals"], told["actions"], strict=True)
        )
    ]
    return build(Description(f"q{told['initial']['shared']}", blocks))


def explored(system: System, bounds: str, tops: int = 1) -> DelayEngine:
    """An exploration to which rounds and delays, r and d, were added in this order."""
    exploration = DelayEngine(system, tops=tops)
    for bound in bounds:
        assert grow(exploration, bound) == "done"
    return exploration


def grow(exploration: DelayEngine, bound: str, limits: KernelLimits | None = None) -> Outcome:
    return exploration.add_round(limits) if bound == "r" else exploration.add_delay(limits)


def details(seen: Observation) -> Delayed:
    assert seen.delays is not None
    return seen.delays


def cost_of_trace(system: System, trace: Trace) -> Cost:
    return cost_of_run(system, ((step.thread, (step.shared, step.stacks)) for step in trace.steps))
