"""Weighted saturation: the weight of all runs from a set of configurations, or to it, for each
configuration, as a weighted automaton (WPDS, section 4.3; merges as in appendix B).

Most domains of tepui are saturated natively, by exact type; if their numbers outgrow machine words,
the saturation is done again with Python's numbers. All other domains are saturated by calls of
their methods, and exceptions that these raise are passed on unchanged. A saturation that reaches a
limit raises a TepuiError.

`weight_of` and `meet_over_all_paths` in `paths` ask for whole sets; transducers for all pairs.
"""

from __future__ import annotations

from tepui.kernels.door import WeightedSaturation
from tepui.limits import Limits, Meter
from tepui.weighted.configurations import (
    Configurations,
    Direction,
    Inner,
    Node,
    Transition,
    WeightedAutomaton,
)
from tepui.weighted.domains.semiring import W
from tepui.weighted.native_domains import check_weights, exactly, given_domain, written_weights
from tepui.weighted.numbering import EPSILON, Between, Nodes, Numbered, require_done
from tepui.weighted.system import WeightedSystem


def post_star(
    system: WeightedSystem[W],
    start: Configurations,
    limits: Limits | None = None,
    *,
    native: bool = True,
) -> WeightedAutomaton[W]:
    """A backward automaton: a configuration has the weight of all runs to it from `start`."""
    meter = Meter(limits or Limits())
    return exactly(
        system.domain, native, lambda native: _saturated(system, start, meter, "backward", native)
    )


def pre_star(
    system: WeightedSystem[W],
    target: Configurations,
    limits: Limits | None = None,
    *,
    native: bool = True,
) -> WeightedAutomaton[W]:
    """A forward automaton: a configuration has the weight of all runs from it to `target`."""
    meter = Meter(limits or Limits())
    return exactly(
        system.domain, native, lambda native: _saturated(system, target, meter, "forward", native)
    )


def saturation(
    numbered: Numbered[W],
    nodes: Nodes,
    configurations: Configurations,
    direction: Direction,
    meter: Meter,
    *,
    native: bool = True,
    traced: bool = False,
) -> WeightedSaturation:
    """A complete saturation, as the kernel holds it; an OverflowError if native numbers are too
    small."""
    system = numbered.system
    domain = given_domain(system.domain, native)
    if domain[0]:
        check_weights(system.domain, system.packed)
    given = nodes.given(configurations)
    found = WeightedSaturation(
        numbered.rules, domain, system.packed.weights, given, direction == "backward", traced
    )
    require_done(found.advance(meter.for_kernel(found.bytes)))
    return found


def _saturated(
    system: WeightedSystem[W],
    configurations: Configurations,
    meter: Meter,
    direction: Direction,
    native: bool,
) -> WeightedAutomaton[W]:
    numbered = Numbered(system, configurations)
    nodes = numbered.nodes()
    found = saturation(numbered, nodes, configurations, direction, meter, native=native)
    edges, written = found.automaton()
    weights = written_weights(system.domain, native, written)
    names = _named(nodes)
    symbols = [*numbered.names.symbols]
    transitions: dict[Transition, W] = {
        (names[source], None if symbol == EPSILON else symbols[symbol], names[target]): weight
        for (source, symbol, target), weight in zip(edges, weights, strict=True)
    }
    numbers = nodes.given(configurations)[1]
    accepting = frozenset(names[number] for number in numbers)
    return WeightedAutomaton(system.domain, transitions, accepting, direction)


def _named(nodes: Nodes) -> list[Node]:
    """The nodes of a saturated automaton by number."""
    states = [*nodes.names.states]
    between = [Inner(Between(number)) for number in range(len(states), nodes.first)]
    return [*states, *between, *nodes.inner]
