"""The weight of all runs between two regular sets of configurations, and single runs (WPDS, section
4.3).

For min-path weights a cheapest run is found, and for relations a shortest run that takes one data
state to another.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

from tepui.errors import ModelError, UsageError
from tepui.kernels.door import KernelLimits, weight_of_set
from tepui.limits import Limits, Meter
from tepui.weighted.configurations import Configurations, Inner, Node, Transition, WeightedAutomaton
from tepui.weighted.domains import MinPath, Relations
from tepui.weighted.domains.relations import Relation
from tepui.weighted.domains.semiring import W
from tepui.weighted.native_domains import exactly, given_domain, written_weights
from tepui.weighted.numbering import Nodes, Numbered, Numbering, require_done
from tepui.weighted.saturation import saturation
from tepui.weighted.system import Configuration, State, WeightedRule, WeightedSystem


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
    names = Numbering()
    for transition in automaton.transitions:
        names.add_transition(*transition)
    for node in automaton.accepting:
        names.add_node(node)
    names.add(configurations)
    states = len(names.states)
    ours = Nodes(names, states)
    edges = [ours.edge(transition) for transition in automaton.transitions]
    accepting = [ours.number(node) for node in automaton.accepting]
    weights = [*automaton.transitions.values()]
    asked = Nodes(names, states).given(configurations)
    meter = Meter(limits or Limits())

    def computed(native: bool) -> W:
        weight, outcome = weight_of_set(
            given_domain(automaton.domain, native),
            states,
            ((edges, accepting), weights, automaton.direction == "forward"),
            asked,
            meter.for_kernel(0),
        )
        require_done(outcome)
        return written_weights(automaton.domain, native, [weight])[0]

    return exactly(automaton.domain, native, computed)


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
    asked = numbered.nodes().given(target)
    meter = Meter(limits or Limits())

    def computed(native: bool) -> W:
        found = saturation(numbered, numbered.nodes(), start, "backward", meter, native=native)
        weight, outcome = found.weight_of(asked, meter.for_kernel(found.bytes))
        require_done(outcome)
        return written_weights(system.domain, native, [weight])[0]

    return exactly(system.domain, native, computed)


def shortest_run(
    system: WeightedSystem[int | None],
    start: Configurations,
    target: Configurations,
    limits: Limits | None = None,
    *,
    most: int | None = None,
) -> Run | None:
    """A cheapest run from one set to another; None if there is none.

    A cheapest run can be exponentially long: one with more than `most` rules is a UsageError.
    """
    try:
        found = _Traced(system, start, target, limits)
        return found.run(most)
    except OverflowError:
        raise ModelError("a cheapest run is found only for costs below 2 ** 64 - 1") from None


def cost_and_run(
    system: WeightedSystem[int | None],
    start: Configurations,
    target: Configurations,
    limits: Limits | None = None,
    *,
    most: int | None = None,
) -> tuple[int | None, Run | None]:
    """The cost of a cheapest run from one set to another, and the run, unless it has more than
    `most` rules, found by one saturation. Costs of 2 ** 64 - 1 and more are an OverflowError."""
    found = _Traced(system, start, target, limits)
    cost = found.cost()
    if cost is None:
        return None, None
    try:
        return cost, found.run(most)
    except UsageError:
        return cost, None


def run_for(
    system: WeightedSystem[Relation],
    start: Configurations,
    target: Configurations,
    before: int,
    after: int,
    limits: Limits | None = None,
    *,
    most: int | None = None,
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
    split, numbers = _with_data_in_states(system, domain)
    begin, end = _with_data(start, before), _with_data(target, after)
    run = shortest_run(split, begin, end, limits, most=most)
    if run is None:
        return None
    joined, stack = run.start
    state, _ = cast(tuple[State, int], joined)
    return Run((state, stack), tuple(numbers[rule] for rule in run.rules))


class _Traced:
    """A saturation with costs that keeps the reasons for them."""

    def __init__(
        self,
        system: WeightedSystem[int | None],
        start: Configurations,
        target: Configurations,
        limits: Limits | None,
    ) -> None:
        if type(system.domain) is not MinPath:
            name = type(system.domain).__name__
            raise UsageError(
                f"a cheapest run needs the costs of MinPath, and these weights are {name}"
            )
        numbered = Numbered(system, start, target)
        self._names = numbered.names
        self._asked = numbered.nodes().given(target)
        self._meter = Meter(limits or Limits())
        self._found = saturation(
            numbered, numbered.nodes(), start, "backward", self._meter, traced=True
        )

    def cost(self) -> int | None:
        """What a cheapest run costs."""
        cost, outcome = self._found.weight_of(self._asked, self._limits)
        require_done(outcome)
        return cost

    def run(self, most: int | None) -> Run | None:
        """A cheapest run."""
        run, outcome = self._found.run(self._asked, most, self._limits)
        if outcome == "states":
            raise UsageError(f"the cheapest run found takes more than {most} rules")
        require_done(outcome)
        if run is None:
            return None
        (state, stack), rules = run
        states, symbols = [*self._names.states], [*self._names.symbols]
        return Run((states[state], tuple(symbols[symbol] for symbol in stack)), tuple(rules))

    @property
    def _limits(self) -> KernelLimits:
        return self._meter.for_kernel(self._found.bytes)


def _with_data_in_states(
    system: WeightedSystem[Relation], domain: Relations
) -> tuple[WeightedSystem[int | None], list[int]]:
    """A rule for each pair of the relation of each rule, and the numbers of these rules."""
    rules: list[WeightedRule[int | None]] = []
    numbers: list[int] = []
    for number, rule in enumerate(system.rules):
        for source, goal in domain.pairs(rule.weight):
            here, there = (rule.state, source), (rule.target, goal)
            rules.append(WeightedRule(here, rule.symbol, there, rule.word, 1))
            numbers.append(number)
    return WeightedSystem.of(MinPath(), rules), numbers


def _with_data(configurations: Configurations, data: int) -> Configurations:
    """The same set, with each state paired with one data state."""

    def joined(node: Node) -> Node:
        return node if isinstance(node, Inner) else (node, data)

    transitions: set[Transition] = {
        (joined(source), symbol, target) for source, symbol, target in configurations.transitions
    }
    accepting = frozenset(map(joined, configurations.accepting))
    return Configurations(frozenset(transitions), accepting)
