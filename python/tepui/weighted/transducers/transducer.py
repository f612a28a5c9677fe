"""Weighted transducers, and the one for everything that a pushdown system can do (WPDS, section 5).

A transducer reads a tape and writes another one. A configuration ⟨p, u⟩ is the tape p u. The places
of a transducer are in two parts (Definition 12): in the first, weights are extended along the path,
and in the second, which a path never leaves, against it. Runs need this: a run first pops symbols
one after another (Lemma 3), and each of them is read. Then it replaces one last symbol by a new
word (Lemma 4), which is written from the top down, but grew from below.

Two things differ from the printed construction. Its step 6 leaves out the growth phase even if it
would begin in one state and end in another, and so changes the state without a rule. Here it is
left out for equal states only. And growth begins only where a rule applies.

What a call does to local variables (`merge`) is not known while the call is interrupted, so systems
with rules that merge have no transducer here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Generic

from tepui.errors import ModelError, UsageError
from tepui.limits import Limits
from tepui.weighted.configurations import Configurations, Inner, Node, WeightedAutomaton
from tepui.weighted.domains.semiring import Semiring, W, combine_all
from tepui.weighted.saturation import post_star, pre_star
from tepui.weighted.system import Configuration, State, Symbol, WeightedSystem
from tepui.weighted.transducers.path_weights import Graph, weights_from
from tepui.weighted.transducers.tapes import Letter, Place, Tapes

Arc = tuple[Place, Letter | None, Letter | None, Place]
"""From a place, by a letter that is read and one that is written, None for ε, to a place."""

Move = tuple[Letter | None, Letter | None, Place, W]
"""An arc without where it begins, and its weight."""

At = tuple[Place, Place, Place]
"""A place of an automaton of inputs, one of a transducer, and one of an automaton of outputs."""


@dataclass(frozen=True)
class Transducer(Generic[W]):
    """A partitioned weighted transducer (Definition 12)."""

    domain: Semiring[W]
    arcs: Mapping[Arc, W]
    initial: frozenset[Place]
    final: frozenset[Place]
    backward: frozenset[Place] = frozenset()
    """The places of the second part; all others are of the first."""

    def __post_init__(self) -> None:
        for (source, _, _, target), weight in self.arcs.items():
            if source in self.backward and target not in self.backward:
                raise ModelError(f"from {source} to {target}: the second part is never left")
            if self._crosses(source, target) and weight != self.domain.one:
                raise ModelError(
                    f"from {source} to {target}, into the second part, a weight is not `one`"
                )

    def weight(self, before: Configuration, after: Configuration) -> W:
        """The weight of a pair of configurations."""
        return self.between(Tapes.word((before[0], *before[1])), Tapes.word((after[0], *after[1])))

    def between(self, inputs: Tapes, outputs: Tapes) -> W:
        """The combine of the values of all paths that read an input and write an output."""
        graph, accepted = self._graph(inputs, outputs)
        along = self._along(graph)
        against = self._against(graph, accepted)
        return combine_all(self.domain, self._values(graph, accepted, along, against))

    def image(self, inputs: Tapes, check: Callable[[], None] | None = None) -> Tapes:
        """The outputs for some inputs, whatever their weights are (Lemma 1).

        `check` is called again and again, and may raise something to end this.
        """
        steps: set[tuple[Place, Letter | None, Place]] = set()

        def following(at: tuple[Place, Place]) -> Iterator[tuple[tuple[Place, Place], bool]]:
            if check is not None:
                check()
            for written, there, _ in self._readings(inputs, *at):
                steps.add((at, written, there))
                yield there, True

        start = [(i, m) for i in inputs.initial for m in self.initial]
        found = Graph.explored(start, following).steps
        accepting = (at for at in found if at[0] in inputs.accepting and at[1] in self.final)
        return Tapes(frozenset(steps), frozenset(start), frozenset(accepting)).trimmed()

    @cached_property
    def leaving(self) -> Mapping[Place, list[Move[W]]]:
        """The arcs by the place from which they go."""
        leaving: dict[Place, list[Move[W]]] = {}
        for (source, read, written, target), weight in self.arcs.items():
            leaving.setdefault(source, []).append((read, written, target, weight))
        return leaving

    def _repr_html_(self) -> str | None:
        from tepui.report.pictures.graph import graph_html
        from tepui.report.pictures.weighted_graphs import transducer_graph

        return graph_html(len(self.arcs), lambda: transducer_graph(self))

    def _graph(self, inputs: Tapes, outputs: Tapes) -> tuple[Graph[At, W], list[At]]:
        """All paths that read an input and write an output, and where they end."""
        start = [(i, m, o) for i in inputs.initial for m in self.initial for o in outputs.initial]
        explored = Graph.explored(start, lambda at: self._following(inputs, outputs, at))
        accepted = [
            at
            for at in explored.steps
            if at[0] in inputs.accepting and at[1] in self.final and at[2] in outputs.accepting
        ]
        return explored.leading_to(accepted), accepted

    def _following(self, inputs: Tapes, outputs: Tapes, at: At) -> Iterator[tuple[At, W]]:
        place, middle, other = at
        for letter, target in outputs.leaving.get(other, ()):
            if letter is None:
                yield (place, middle, target), self.domain.one
        for written, there, weight in self._readings(inputs, place, middle):
            if written is None:
                yield (*there, other), weight
            else:
                for letter, target in outputs.leaving.get(other, ()):
                    if letter is not None and letter == written:
                        yield (*there, target), weight

    def _readings(
        self, inputs: Tapes, place: Place, middle: Place
    ) -> Iterator[tuple[Letter | None, tuple[Place, Place], W]]:
        """What can be written next while an input is read."""
        for letter, target in inputs.leaving.get(place, ()):
            if letter is None:
                yield None, (target, middle), self.domain.one
        for read, written, following, weight in self.leaving.get(middle, ()):
            if read is None:
                yield written, (place, following), weight
            else:
                for letter, target in inputs.leaving.get(place, ()):
                    if letter is not None and letter == read:
                        yield written, (target, following), weight

    def _along(self, graph: Graph[At, W]) -> dict[At, W]:
        """The weights of all paths of the first part, by where they end."""
        first = graph.within(lambda at: at[1] not in self.backward)
        return weights_from(self.domain, first, first.start)

    def _against(self, graph: Graph[At, W], accepted: Iterable[At]) -> dict[At, W]:
        """The weights of all paths of the second part that are accepted, by where they begin."""
        second = graph.within(lambda at: at[1] in self.backward).reversed()
        return weights_from(self.domain, second, (at for at in accepted if at in second.steps))

    def _values(
        self, graph: Graph[At, W], accepted: Iterable[At], along: dict[At, W], against: dict[At, W]
    ) -> Iterator[W]:
        """Paths that stay in one part, and those that go from one to the other."""
        yield from (along[at] for at in accepted if at in along)
        yield from (against[at] for at in graph.start if at in against)
        for source, weight in along.items():
            for target, _ in graph.steps[source]:
                if target in against:
                    yield self.domain.extend(weight, against[target])

    def _crosses(self, source: Place, target: Place) -> bool:
        return source not in self.backward and target in self.backward


def union(transducers: Iterable[Transducer[W]]) -> Transducer[W]:
    """The union of several transducers; the combine, for pairs that several of them accept."""
    numbered = list(enumerate(transducers))
    if not numbered:
        raise UsageError("a union is of at least one transducer")
    return Transducer(
        numbered[0][1].domain,
        {
            ((number, source), read, written, (number, target)): weight
            for number, each in numbered
            for (source, read, written, target), weight in each.arcs.items()
        },
        frozenset((number, place) for number, each in numbered for place in each.initial),
        frozenset((number, place) for number, each in numbered for place in each.final),
        frozenset((number, place) for number, each in numbered for place in each.backward),
    )


def copying(automaton: WeightedAutomaton[W]) -> Transducer[W]:
    """Copies tapes p u, each with the weight that an automaton accepts ⟨p, u⟩ with.

    Composed with a transducer, this applies the transducer to the automaton.
    """
    one = automaton.domain.one
    arcs: dict[Arc, W] = {}
    nodes = {source for source, _, _ in automaton.transitions} | automaton.accepting
    for state in (node for node in nodes if not isinstance(node, Inner)):
        arcs["start", state, state, ("node", state)] = one
    for (source, symbol, target), weight in automaton.transitions.items():
        arcs[("node", source), symbol, symbol, ("node", target)] = weight
    places = {place for arc in arcs for place in (arc[0], arc[3])}
    final = frozenset(("node", node) for node in automaton.accepting)
    backward = frozenset(places | final) - {"start"} if automaton.direction == "backward" else ()
    return Transducer(automaton.domain, arcs, frozenset(["start"]), final, frozenset(backward))


@dataclass(frozen=True)
class Phases(Generic[W]):
    """What runs of a pushdown system do to the top of a stack."""

    domain: Semiring[W]
    pop: Mapping[tuple[State, Symbol, State], W]
    """The value of all runs from ⟨p, γ⟩ to ⟨p', ε⟩ (Lemma 3)."""
    grow: Mapping[State, Mapping[tuple[Node, Symbol | None, Node], W]]
    """For a state p an automaton, to be read against the path: the paths from p' to `grown(p, γ)`
    that write u have the value of all runs from ⟨p, γ⟩ to ⟨p', u⟩ (Lemma 4)."""
    states: tuple[State, ...]
    symbols: tuple[Symbol, ...]


def grown(state: State, symbol: Symbol) -> Inner:
    """The place where the word that grew from ⟨state, symbol⟩ is complete."""
    return Inner(("grown", state, symbol))


def phases_of(
    system: WeightedSystem[W],
    states: Iterable[State] = (),
    symbols: Iterable[Symbol] = (),
    limits: Limits | None = None,
) -> Phases[W]:
    """One pre* and one post*. States and symbols that no rule has can be added."""
    merging = next((rule for rule in system.rules if rule.merges), None)
    if merging is not None:
        raise UsageError(
            f"{merging} merges, which a call that may be interrupted cannot do: there is no "
            "transducer of such a system; keep local variables on the stack instead"
        )
    every_state = tuple(dict.fromkeys([*system.states, *states]))
    every_symbol = tuple(dict.fromkeys([*system.symbols, *symbols]))
    empty = Configurations(frozenset(), frozenset(every_state))
    pop = pre_star(system, empty, limits).transitions
    return Phases(system.domain, pop, _growth(system, limits), every_state, every_symbol)


def transducer_of(
    system: WeightedSystem[W],
    states: Iterable[State] = (),
    symbols: Iterable[Symbol] = (),
    limits: Limits | None = None,
) -> Transducer[W]:
    """From ⟨p, u⟩ to ⟨p', u'⟩ with the value of all runs between them (Theorem 2).

    States and symbols that no rule has are copied only if they are named here.
    """
    phases = phases_of(system, states, symbols, limits)
    one = phases.domain.one
    arcs: dict[Arc, W] = {}
    for state in phases.states:
        arcs["start", state, None, ("pop", state)] = one
        arcs[("pop", state), None, state, "copy"] = one
    for (source, symbol, target), weight in phases.pop.items():
        arcs[("pop", source), symbol, None, ("pop", target)] = weight
    for state, automaton in phases.grow.items():
        for end in {node for node, _, _ in automaton if not isinstance(node, Inner)}:
            arcs[("pop", state), None, end, ("grow", state, end)] = one
        arcs |= growing(phases, state)
    arcs |= {("copy", symbol, symbol, "copy"): one for symbol in phases.symbols}
    places = {place for arc in arcs for place in (arc[0], arc[3])}
    forward = {"start", *(("pop", state) for state in phases.states)}
    return Transducer(
        phases.domain, arcs, frozenset(["start"]), frozenset(["copy"]), frozenset(places - forward)
    )


def growing(phases: Phases[W], state: State) -> dict[Arc, W]:
    """Write the word that grows from a state, and then read the symbol from which it grew."""
    arcs: dict[Arc, W] = {}
    for (source, symbol, target), weight in phases.grow[state].items():
        arcs[("grow", state, source), None, symbol, ("grow", state, target)] = weight
    for symbol in phases.symbols:
        arcs[("grow", state, grown(state, symbol)), symbol, None, "copy"] = phases.domain.one
    return arcs


def _growth(
    system: WeightedSystem[W], limits: Limits | None
) -> dict[State, dict[tuple[Node, Symbol | None, Node], W]]:
    """The part of post* for each state that leads to the words grown from it."""
    heads = dict.fromkeys((rule.state, rule.symbol) for rule in system.rules)
    single = Configurations(
        frozenset((state, symbol, grown(state, symbol)) for state, symbol in heads),
        frozenset(grown(state, symbol) for state, symbol in heads),
    )
    weights = post_star(system, single, limits).transitions
    entering: dict[Node, list[tuple[Node, bool]]] = {}
    for source, _, target in weights:
        entering.setdefault(target, []).append((source, True))
    growth: dict[State, dict[tuple[Node, Symbol | None, Node], W]] = {}
    for state in dict.fromkeys(state for state, _ in heads):
        complete: list[Node] = [grown(*head) for head in heads if head[0] == state]
        kept = Graph.explored(complete, lambda node: entering.get(node, ())).steps
        growth[state] = {
            transition: weight
            for transition, weight in weights.items()
            if transition[0] in kept and transition[2] in kept
        }
    return growth
