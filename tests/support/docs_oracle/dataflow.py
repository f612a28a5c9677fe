"""The values of variables at a place, and the fewest steps there, as docs/dataflow.md describes
them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product

from support.docs_oracle.explore import Exploration, machine, places
from support.docs_oracle.run import Limit, Machine, State, Thread
from support.docs_oracle.tree import Refused, TooBig, Variable

Valuation = frozenset[tuple[str, str]]
"""The values of the global variables and of the locals of the procedure, by name."""


class Valuations(set[Valuation]):
    """A set of valuations, and every value that each variable can have."""

    def __init__(self, found: Iterable[Valuation], domains: dict[str, tuple[str, ...]]) -> None:
        super().__init__(found)
        self.domains = domains


def values_at(
    text: str,
    at: str,
    called_from: Sequence[str] = (),
    contexts: int = 2,
    threads: Mapping[str, int] | None = None,
    max_states: int = 50_000,
    max_depth: int = 12,
) -> Valuations:
    """The values at a place, `THREAD:PLACE` or `PLACE`, within this many contexts."""
    question = Asked(text, at, called_from, threads, max_depth)
    found = Exploration(question.machine, contexts, max_states)
    if found.truncated:
        raise TooBig("the states within the contexts were not all listed")
    return Valuations(
        (values for state in found.contexts for values in question.values(state)),
        question.domains(),
    )


def fewest_steps(
    text: str,
    at: str,
    called_from: Sequence[str] = (),
    contexts: int = 2,
    threads: Mapping[str, int] | None = None,
    max_states: int = 200_000,
    max_depth: int = 12,
) -> dict[Valuation, int]:
    """For each valuation at a place, the fewest steps of a run within this many contexts."""
    question = Asked(text, at, called_from, threads, max_depth)
    steps: dict[Valuation, int] = {}
    # A state, who has moved last (-1: nobody who is still there), and the contexts so far.
    newest: set[tuple[State, int, int]] = {(s, -1, 0) for s in question.machine.initial()}
    seen = set(newest)
    count = 0
    while newest:
        for state, _, _ in newest:
            for values in question.values(state):
                steps.setdefault(values, count)
        newest = {
            after for before in newest for after in moves(question.machine, before, contexts)
        } - seen
        seen |= newest
        count += 1
        if len(seen) > max_states:
            raise TooBig("there are too many states")
    return steps


def moves(
    runner: Machine, before: tuple[State, int, int], contexts: int
) -> Iterator[tuple[State, int, int]]:
    """One step of any thread that the contexts allow."""
    state, last, used = before
    for place in range(len(state[1])):
        now = used + (place != last)
        if now <= contexts:
            try:
                for after, there in runner.steps(state, place)[0]:
                    yield after, place if there else -1, now
            except Limit as error:
                raise TooBig("a stack is too deep") from error


def agrees(expected: Valuations, found: Sequence[Mapping[str, str | None]]) -> bool:
    """Whether a list of valuations is the expected set; None is every value of the variable."""
    given: set[Valuation] = set()
    for values in found:
        choices = [
            [(name, value)] if value is not None else [(name, v) for v in expected.domains[name]]
            for name, value in values.items()
        ]
        given.update(frozenset(chosen) for chosen in product(*choices))
    return given == set(expected)


class Asked:
    """A question: which threads, which place, and who has called."""

    def __init__(
        self,
        text: str,
        at: str,
        called_from: Sequence[str],
        threads: Mapping[str, int] | None,
        max_depth: int,
    ) -> None:
        self.machine = machine(text, threads, max_depth, 1_000, finished=True)
        self.graph = self.machine.graph
        self.kinds, place = self.who(at)
        every = places(self.graph, place)
        self.nodes = frozenset(n for n in every if not self.graph.nodes[n].inside)
        if not self.nodes:
            raise Refused(f"{place} is inside an atomic section")
        self.callers = [places(self.graph, caller) for caller in called_from]

    def who(self, at: str) -> tuple[frozenset[int], str]:
        """The kinds of threads that are asked about, and the place."""
        kinds = self.machine.plan.kinds
        if any(node.kind == "fork" for node in self.graph.nodes) or any(k.forked for k in kinds):
            raise Refused("programs that fork threads are refused")
        first, _, rest = at.partition(":")
        name = re.sub(r"\.[0-9]+$", "", first)
        chosen = frozenset(number for number, kind in enumerate(kinds) if kind.name == name)
        if not chosen:  # several creations of one type
            codes = self.graph.codes
            chosen = frozenset(n for n, kind in enumerate(kinds) if codes[kind.code].name == name)
        if chosen and rest:
            return chosen, rest
        counts = [kind for kind in range(len(kinds)) if self.threads_of(kind)]
        if sum(self.threads_of(kind) for kind in counts) != 1:
            raise Refused(f"{at} does not say which thread")
        return frozenset(counts), at

    def threads_of(self, kind: int) -> int:
        """How many threads of a kind there can be."""
        plan = self.machine.plan
        made = sum(self.graph.nodes[n].count for n, made in plan.made.items() if made == kind)
        first = sum(thread.kind == kind for thread in plan.first)
        later = sum(other.then.count(kind) for other in plan.kinds)
        return max(made, first) + later

    def values(self, state: State) -> Iterator[Valuation]:
        """The values in a state, if one of the threads is at the place."""
        if state[2]:
            return
        for thread in state[1]:
            if thread[0] in self.kinds and self.is_there(thread):
                code, _, own, _ = thread[2][-1]
                layout = self.machine.codes[code].layout
                pairs = shown(self.graph.shared.names(), self.graph.shared.slots, state[0])
                yield frozenset([*pairs, *shown(layout.names(), layout.slots, own)])

    def is_there(self, thread: Thread) -> bool:
        """Whether a thread is at the place, and was called from where it should."""
        stack = thread[2]
        if not stack or stack[-1][1] not in self.nodes:
            return False
        sites = [frame[3] for frame in reversed(stack)]
        return len(sites) >= len(self.callers) and all(
            site in caller for site, caller in zip(sites, self.callers, strict=False)
        )

    def domains(self) -> dict[str, tuple[str, ...]]:
        """Every value of each variable that is shown."""
        layouts = [self.graph.shared]
        layouts += [self.machine.codes[self.graph.nodes[n].code].layout for n in self.nodes]
        return {
            name: tuple(variable.type.text(value) for value in variable.type.values())
            for layout in layouts
            for name, variable in zip(layout.names(), layout.slots, strict=True)
        }


def shown(
    names: list[str], slots: list[Variable], values: tuple[int, ...]
) -> Iterator[tuple[str, str]]:
    """Names with values as text."""
    for name, variable, value in zip(names, slots, values, strict=True):
        yield name, variable.type.text(value)
