"""Place invariants of the nets of programs hold, and say what shared variables count."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import tepui
from support.generators.crowd_programs import random_crowd
from support.sizes import sized
from tepui.checker.covering import UpwardClosed, check_upward_closed
from tepui.checker.programs.program_net import ProgramNet, program_net
from tepui.counting.place_invariants import place_invariants

SEMAPHORE = """
decl free: int 0..3 := 2;
void work() {
    while (1) {
        atomic { wait(free > 0); free := free - 1; }
        in: skip;
        free := free + 1;
    }
}
void main() { thread_create(work, *); }
"""


def test_a_semaphore_counts_those_inside() -> None:
    found = _net(SEMAPHORE)
    (invariant,) = place_invariants(found.net, len(found.shared))
    weights = {
        place.rpartition(":")[2]: weight
        for place, weight in zip(found.net.places, invariant.weights, strict=True)
    }
    assert weights == {
        "free=0": 0,
        "free=1": 1,
        "free=2": 2,
        "free=3": 3,
        "4": 0,
        "5": 0,
        "7": 1,
    }
    assert invariant.bound == 2


def test_all_that_are_found_are_accepted_by_the_checker() -> None:
    several = 0
    for seed in range(sized(160)):
        found = _net(random_crowd(Random(seed)))
        invariants = place_invariants(found.net, len(found.shared), found.invariants)
        net = replace(found.net, targets=())
        check_upward_closed(net, UpwardClosed((), (*found.invariants, *invariants)))
        several += len(invariants) > 1
    assert several


def _net(text: str) -> ProgramNet:
    return program_net(tepui.loads(text, "bp"), [])
