"""Networks with label switching in the JSON of PDAAAL, of any number of rules.

A state is a router, a label what a packet has on top. A path leads through some routers, and swaps
the label at each. Now and then a link can fail, and a router beside it pushes a label of a detour,
which leads round the link through other routers and is popped at its end. Where a path ends, a
packet goes on along the next one. So every rule can be taken, and the packet of the question has
to go along all paths.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from random import Random
from typing import Any

RULES_PER_ROUTER = 20
LONGEST_PATH = 30
LONGEST_DETOUR = 5
DETOURS = 0.1
"""At what share of its hops a path has a detour."""

LARGEST_COST = 100


@dataclass
class Network:
    """A network while it grows."""

    rng: Random
    routers: int
    states: dict[str, dict[str, list[dict[str, Any]]]] = field(default_factory=dict)
    rules: int = 0
    labels: int = 0

    def label(self) -> str:
        self.labels += 1
        return f"l{self.labels - 1}"

    def router(self) -> str:
        return f"r{self.rng.randrange(self.routers)}"

    def hop(self, source: str, label: str, target: str, **operation: str) -> None:
        """A rule; the operation is one of pop, swap and push."""
        cost = self.rng.randint(1, LARGEST_COST)
        rule = {"to": target, **operation, "weight": cost}
        self.states.setdefault(source, {}).setdefault(label, []).append(rule)
        self.rules += 1

    def path(self, router: str, label: str) -> tuple[str, str]:
        """A path from a router and a label; where it leads."""
        for _ in range(self.rng.randint(2, LONGEST_PATH)):
            onward, swapped = self.router(), self.label()
            self.hop(router, label, onward, swap=swapped)
            if self.rng.random() < DETOURS:
                self.detour(router, label, onward)
                self.hop(onward, label, onward, swap=swapped)
            router, label = onward, swapped
        return router, label

    def detour(self, router: str, label: str, end: str) -> None:
        """Another way between two routers, above the same label."""
        at, pushed = self.router(), self.label()
        self.hop(router, label, at, push=pushed)
        for _ in range(self.rng.randint(1, LONGEST_DETOUR)):
            onward, swapped = self.router(), self.label()
            self.hop(at, pushed, onward, swap=swapped)
            at, pushed = onward, swapped
        self.hop(at, pushed, end, pop="")


def network_text(rules: int, seed: int) -> str:
    """An instance with at least so many rules, from the first router to the end of the last path,
    as one line of JSON."""
    network = Network(Random(seed), 1 + rules // RULES_PER_ROUTER)
    start = network.router(), network.label()
    at = start
    while network.rules < rules:
        at = network.path(*at)
    kind = {"state-names": True, "weight-type": "uint"}
    sets = ({"accepting": [0], "edges": [[*each, 0]]} for each in (start, at))
    return json.dumps({"instance": [kind, {"states": network.states}, *sets]})
