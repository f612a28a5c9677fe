"""Count how often successors are computed on the way to a plateau, and without a frontier.

`python benchmarks/measure_images.py NAME` prints Images as JSON; two symbols of each stack are
looked at. Without a frontier, each R(r, d) on the way is computed from the initial state. There are
three ways to do that: with the engine itself, which expands a state again only where it is reached
more cheaply (`anew`); expanding each state once for each thread whose turn it is and each number of
delays (`by_thread`); and expanding it once in each turn, for each number of delays (`by_turn`), as
one does who remembers nothing between two turns. The last two are counted by a loop over sets of
states, for models that are not too large.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import accumulate

from delay_models import all_delay_rows

import tepui
from tepui.engines.delay import DelayEngine
from tepui.model import EPSILON
from tepui.model.system import Word

MOST_STATES = 20_000
"""With more, sets take too long."""

State = tuple[int, tuple[Word, ...]]
Bounds = list[tuple[int, int]]


@dataclass(frozen=True)
class Images:
    """Until the final plateau begins, during it, and without a frontier."""

    before: int
    during: int
    anew: int
    by_thread: int | None = None
    by_turn: int | None = None


def count(system: tepui.System) -> Images:
    """Walk to the plateau; that way, starting anew for each R(r, d), one pays for each the images
    until then."""
    exploration = DelayEngine(system, tops=2)
    while not exploration.at_plateau:
        exploration.advance()
    seen = [shown.delays for shown in exploration.observations if shown.delays is not None]
    before = seen[exploration.last_growth].images
    during, anew = exploration.images - before, sum(shown.images for shown in seen)
    states = exploration.last.states
    if states is None or states > MOST_STATES:
        return Images(before, during, anew)
    steps = _steps(system, exploration.list_states(exploration.last.k))
    bounds = [(shown.rounds, shown.delays) for shown in seen]
    return Images(before, during, anew, *_recomputed(steps, bounds))


def _recomputed(steps: Sequence[Sequence[set[int]]], bounds: Bounds) -> tuple[int, int]:
    """How many states are expanded to compute all these R(r, d), `by_thread` and `by_turn`."""
    threads, (rounds, delays) = len(steps), bounds[-1]
    layers: list[set[int]] = [{0}, *(set() for _ in range(delays))]
    expanded = [[set[int]() for _ in layers] for _ in range(threads)]
    new, all_ = _Totals(), _Totals()
    for turn in range(rounds * threads):
        known = expanded[turn % threads]
        new.add([len(layer - old) for layer, old in zip(layers, known, strict=True)])
        all_.add([len(layer) for layer in layers])
        expanded[turn % threads] = [old | layer for layer, old in zip(layers, known, strict=True)]
        after = steps[turn % threads]
        ran = [set[int]().union(*(after[state] for state in layer)) for layer in layers]
        layers = [ran[0], *(met | waited for met, waited in zip(ran[1:], layers, strict=False))]
    ends = [(r * threads, d) for r, d in bounds]
    return new.sum_at(ends), all_.sum_at(ends)


class _Totals:
    """Sums over the first turns and up to some delays."""

    def __init__(self) -> None:
        self._rows: list[list[int]] = []

    def add(self, sizes: Sequence[int]) -> None:
        row = list(accumulate(sizes))
        last = self._rows[-1] if self._rows else [0] * len(row)
        self._rows.append([old + size for old, size in zip(last, row, strict=True)])

    def sum_at(self, ends: Bounds) -> int:
        return sum(self._rows[turns - 1][delays] for turns, delays in ends if turns)


def _steps(system: tepui.System, states: Sequence[State]) -> list[list[set[int]]]:
    """For each thread and each state, where the thread gets to when it runs in its turn: states by
    number. Those that the bounds leave out do not matter."""
    numbers = {state: number for number, state in enumerate(states)}
    found = []
    for thread in range(len(system.threads)):
        rules = defaultdict(list)
        for rule in system.template_of(thread).rules:
            rules[rule.source, rule.top].append(rule)
        steps = []
        for shared, stacks in states:
            stack = stacks[thread]
            enabled = rules[shared, stack[0] if stack else EPSILON]
            targets = [
                (rule.target, (*stacks[:thread], rule.word + stack[1:], *stacks[thread + 1 :]))
                for rule in enabled
            ] or [(shared, stacks)]
            steps.append({numbers[target] for target in targets if target in numbers})
        found.append(steps)
    return found


if __name__ == "__main__":
    (asked,) = (row for row in all_delay_rows() if row.name == sys.argv[1])
    json.dump(asdict(count(asked.model.load())), sys.stdout)
