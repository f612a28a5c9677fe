"""Lists the states of a program in layers by contexts, and answers questions about them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from support.docs_oracle import beginend, braces
from support.docs_oracle.graph import Graph
from support.docs_oracle.nodes import END, Node
from support.docs_oracle.plan import Plan
from support.docs_oracle.run import KINDS, OVER, Arrival, Limit, Machine, State, violated_at
from support.docs_oracle.tree import Program, Refused, TooBig

__all__ = ["Exploration", "Question", "Refused", "TooBig", "explore", "parse", "places"]

Question = tuple[str, ...]
"""("assertions",), ("unreachable", place), ("never_together", place, place) or ("deadlock",).

("assertion", line), ("bounds", line) and ("division", line) are about what is on one line.
"""
Passing = tuple[int, tuple[int, ...]]
"""A node inside a step, and the nodes at which the other threads are at that time."""


def parse(text: str) -> Program:
    """The tree of a program, in whichever way it is written."""
    plain = re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.DOTALL)
    if re.search(r"\)\s*begin\b", plain):
        return beginend.parse(text)
    return braces.parse(text)


def machine(
    text: str,
    threads: Mapping[str, int] | None,
    max_depth: int,
    max_threads: int,
    finished: bool = False,
) -> Machine:
    """What computes the steps of a program."""
    graph = Graph(parse(text))
    return Machine(graph, Plan(graph, threads or {}), max_depth, max_threads, finished)


def places(graph: Graph, text: str) -> frozenset[int]:
    """The nodes that a place stands for."""
    if text.endswith("()"):
        return frozenset([graph.find(text[:-2]).entry])
    within, _, what = text.rpartition(":")
    found = frozenset(
        node.number
        for node in graph.nodes
        if node.place
        and (what in node.labels or what == str(node.line))
        and within in ("", graph.codes[node.code].name)
    )
    if not found:
        raise Refused(f"no statement is at {text}")
    return found


class Exploration:
    """The layers R_0 to R_layers.

    What was found in the layer in which a limit has stopped it is kept as well, since the number
    of contexts is right for it, too.
    """

    def __init__(self, runner: Machine, max_contexts: int | None, max_states: int) -> None:
        self.machine = runner
        self.exhausted = False
        self.truncated = False
        self.layers = 0
        self.max_states = max_states
        self.contexts: dict[State, int] = {}
        self.passing: dict[Passing, int] = {}
        self.cut: set[tuple[State, int]] = set()
        for state in runner.initial():
            self.contexts.setdefault(state, 0)
            if len(self.contexts) > max_states:
                raise TooBig("there are too many initial states")
        self.run(max_contexts)

    def run(self, max_contexts: int | None) -> None:
        """One layer after the other."""
        newest = list(self.contexts)
        while max_contexts is None or self.layers < max_contexts:
            try:
                newest = self.layer(newest)
            except TooBig:
                self.truncated = True
            if self.truncated:
                return
            if not newest:
                self.exhausted = True
                return
            self.layers += 1

    def layer(self, newest: list[State]) -> list[State]:
        """What one thread can reach alone from the newest states."""
        k = self.layers + 1
        found: list[State] = []
        seen: set[tuple[State, int]] = set()
        for origin in newest:
            for place in range(len(origin[1])):
                todo = [origin]
                while todo:
                    state = todo.pop()
                    for after, there in self.steps(state, place, k):
                        contexts = self.contexts.get(after)
                        if contexts is None:
                            self.contexts[after] = k
                            found.append(after)
                            if len(self.contexts) > self.max_states:
                                raise TooBig("there are too many states")
                        elif contexts < k:
                            continue
                        if there and (after, place) not in seen:
                            seen.add((after, place))
                            todo.append(after)
        return found

    def steps(self, state: State, place: int, contexts: int) -> list[Arrival]:
        """The steps of one thread; remembers what is inside of them."""
        try:
            found, inside = self.machine.steps(state, place)
        except Limit:
            self.truncated = True
            self.cut.add((state, place))
            return []
        if inside:
            others = tuple(sorted(number for other, number in self.at(state) if other != place))
            for number in inside:
                self.passing.setdefault((number, others), contexts)
        return found

    def at(self, state: State) -> Iterator[tuple[int, int]]:
        """Each thread that is at a node, with the number of the node."""
        for place, thread in enumerate(state[1]):
            if thread[2] and thread[2][-1][1] != END:
                yield place, thread[2][-1][1]

    # Answers

    def fewest(self, question: Question) -> int | None:
        """The fewest contexts after which the question is violated, None if not found."""
        match question:
            case ("assertions",):
                violated = [k for state, k in self.contexts.items() if state[2]]
                return min([*violated, *self.reached(self.errors())], default=None)
            case (kind, line) if kind in KINDS:
                return min(self.violated(kind, int(line)), default=None)
            case ("unreachable", place):
                return min(self.reached(places(self.machine.graph, place)), default=None)
            case ("never_together", first, second):
                graph = self.machine.graph
                return min(self.together(places(graph, first), places(graph, second)), default=None)
            case ("deadlock",):
                stuck = (k for state, k in self.contexts.items() if self.is_deadlock(state))
                return min(stuck, default=None)
        raise Refused(f"{question} is no question")

    def violated(self, kind: str, line: int) -> Iterator[int]:
        """The contexts after which something of a kind is violated on a line."""
        for state, k in self.contexts.items():
            if state[2]:
                number, what = violated_at(state)
                if what == kind and self.machine.nodes[number].line == line:
                    yield k

    def violated_lines(self) -> set[tuple[str, int]]:
        """What is violated, with the lines."""
        found = {violated_at(state) for state in self.contexts if state[2]}
        return {(kind, self.machine.nodes[number].line) for number, kind in found}

    def errors(self) -> frozenset[int]:
        """The labels SLIC_ERROR of begin/end."""
        graph = self.machine.graph
        if not graph.program.begin_end:
            return frozenset()
        return frozenset(node.number for node in graph.nodes if "SLIC_ERROR" in node.labels)

    def reached(self, nodes: frozenset[int]) -> Iterator[int]:
        """The contexts after which a thread is at one of these nodes."""
        if not nodes:
            return
        for state, k in self.contexts.items():
            if any(number in nodes for _, number in self.at(state)):
                yield k
        for (number, _), k in self.passing.items():
            if number in nodes:
                yield k

    def together(self, first: frozenset[int], second: frozenset[int]) -> Iterator[int]:
        """The contexts after which two different threads are at these nodes."""
        for state, k in self.contexts.items():
            at = list(self.at(state))
            if any(a in first and b in second and one != two for one, a in at for two, b in at):
                yield k
        for (number, others), k in self.passing.items():
            for here, there in ((first, second), (second, first)):
                if number in here and any(other in there for other in others):
                    yield k

    def is_deadlock(self, state: State) -> bool:
        """No thread can move, and some thread is created and not over."""
        if state[2] or all(thread == OVER for thread in state[1]):
            return False
        for place in range(len(state[1])):
            if (state, place) in self.cut:
                return False
            try:
                if self.machine.steps(state, place)[0]:
                    return False
            except Limit:
                return False
        return True

    def reached_lines(self) -> frozenset[tuple[str, int]]:
        """The procedure and line of every statement at which some thread is at some time."""
        numbers = {number for state in self.contexts for _, number in self.at(state)}
        numbers |= {number for number, _ in self.passing}
        return frozenset(self.line(self.machine.nodes[n]) for n in numbers if self.is_place(n))

    def is_place(self, number: int) -> bool:
        """Whether a node is a statement."""
        return self.machine.nodes[number].place

    def line(self, node: Node) -> tuple[str, int]:
        """Where a node is."""
        return self.machine.codes[node.code].name, node.line


def explore(
    text: str,
    *,
    threads: Mapping[str, int] | None = None,
    max_contexts: int | None = None,
    max_states: int = 20_000,
    max_depth: int = 12,
    max_threads: int = 6,
) -> Exploration:
    """List the states of a program."""
    return Exploration(machine(text, threads, max_depth, max_threads), max_contexts, max_states)
