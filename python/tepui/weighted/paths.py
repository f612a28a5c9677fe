"""What all runs between two regular sets of configurations do, and runs that do it (WPDS, section
4.3).

A run is found for min-path weights, a cheapest one, and for relations, a shortest one that takes
one data state to another.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

from tepui.errors import ModelError, UsageError
from tepui.kernels import weight_of_set
from tepui.limits import Limits, Meter
from tepui.weighted.configurations import Configurations, Inner, Node, Transition, WeightedAutomaton
from tepui.weighted.domains import MinPath, Relations
from tepui.weighted.domains.relations import Relation
from tepui.weighted.domains.semiring import W
from tepui.weighted.native import given_domain, written_weights
from tepui.weighted.numbering import Names, Nodes, Numbered, require_done
from tepui.weighted.saturation import saturation
from tepui.weighted.system import Configuration, Rule, State, WeightedSystem


@dataclass(frozen=True)
class Run:
    """Steps of a weighted system: where it starts, and the rules that it takes, by number."""

    start: Configuration
    rules: tuple[int, ...]

    def configurations(self, system: WeightedSystem[W]) -> Iterator[Configuration]:
        """Where it starts, and where each step leads."""
        state, stack = self.start
        yield state, stack
        for number in self.rules:
            rule = system.rules[number]
            state, stack = rule.target, rule.word + stack[1:]
            yield state, stack


def weight_of(
    automaton: WeightedAutomaton[W],
    configurations: Configurations,
    limits: Limits | None = None,
    *,
    native: bool = True,
) -> W:
    """The combine of the weights with which a set is accepted: A(C) of section 4.3."""
    names = Names()
    for transition in automaton.transitions:
        names.add_transition(*transition)
    for node in automaton.accepting:
        names.add_node(node)
    names.add(configurations)
    states = len(names.states)
    ours = Nodes(names, states)
    edges = [ours.edge(transition) for transition in automaton.transitions]
    accepting = [ours.number(node) for node in automaton.accepting]
    weight, outcome = weight_of_set(
        given_domain(automaton.domain, native),
        states,
        ((edges, accepting), [*automaton.transitions.values()], automaton.direction == "forward"),
        Nodes(names, states).given(configurations),
        Meter(limits or Limits()).for_kernel(0),
    )
    require_done(outcome)
    return written_weights(automaton.domain, native, [weight])[0]


def meet_over_all_paths(
    system: WeightedSystem[W],
    start: Configurations,
    target: Configurations,
    limits: Limits | None = None,
    *,
    native: bool = True,
) -> W:
    """The weight of all runs from one set to another: MOP(start, target)."""
    numbered = Numbered(system, start, target)
    meter = Meter(limits or Limits())
    nodes = numbered.nodes()
    found = saturation(numbered, nodes, start, "backward", meter, native=native)
    weight, outcome = found.weight_of(numbered.nodes().given(target), meter.for_kernel(found.bytes))
    require_done(outcome)
    return written_weights(system.domain, native, [weight])[0]


def shortest_run(
    system: WeightedSystem[int | None],
    start: Configurations,
    target: Configurations,
    limits: Limits | None = None,
) -> Run | None:
    """A cheapest run from one set to another; None if there is none."""
    if type(system.domain) is not MinPath:
        name = type(system.domain).__name__
        raise UsageError(f"a cheapest run needs the costs of MinPath, and these weights are {name}")
    numbered = Numbered(system, start, target)
    meter = Meter(limits or Limits())
    found = saturation(numbered, numbered.nodes(), start, "backward", meter, traced=True)
    run, outcome = found.run(numbered.nodes().given(target), meter.for_kernel(found.bytes))
    require_done(outcome)
    if run is None:
        return None
    (state, stack), rules = run
    states, symbols = [*numbered.names.states], [*numbered.names.symbols]
    return Run((states[state], tuple(symbols[symbol] for symbol in stack)), tuple(rules))


def run_for(
    system: WeightedSystem[Relation],
    start: Configurations,
    target: Configurations,
    before: int,
    after: int,
    limits: Limits | None = None,
) -> Run | None:
    """A shortest run from one set to another whose weight relates `before` to `after`.

    Data states become part of the states of the system, so it has a rule for each pair of the
    relation of each rule.
    """
    domain = system.domain
    if not isinstance(domain, Relations):
        raise UsageError(f"these weights are no relations, but {type(domain).__name__}")
    merging = next((rule for rule in system.rules if rule.merges), None)
    if merging is not None:
        raise UsageError(f"{merging} merges, and runs are found only where no rule does")
    for data in (before, after):
        if not 0 <= data < domain.states:
            raise ModelError(f"{data} is no data state: they are below {domain.states}")
    numbers: list[int] = []
    rules: list[Rule[int | None]] = []
    for number, rule in enumerate(system.rules):
        for source, goal in domain.pairs(rule.weight):
            begin, end = (rule.state, source), (rule.target, goal)
            rules.append(Rule(begin, rule.symbol, end, rule.word, 1))
            numbers.append(number)
    split = WeightedSystem.of(MinPath(), rules)
    run = shortest_run(split, _with_data(start, before), _with_data(target, after), limits)
    if run is None:
        return None
    (state, stack) = run.start
    return Run(
        (cast(tuple[State, int], state)[0], stack), tuple(numbers[rule] for rule in run.rules)
    )


def _with_data(configurations: Configurations, data: int) -> Configurations:
    """The same set, with each state in one data state."""

    def joined(node: Node) -> Node:
        return node if isinstance(node, Inner) else (node, data)

    transitions: set[Transition] = {
        (joined(source), symbol, target) for source, symbol, target in configurations.transitions
    }
    accepting = frozenset(map(joined, configurations.accepting))
    return Configurations(frozenset(transitions), accepting)
