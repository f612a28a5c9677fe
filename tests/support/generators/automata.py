"""Random threads and random sets of their configurations, and what they mean by brute force.

A set is a list of transitions as kernels take them, which are read here by their definition: a
configuration is accepted if its stack and then the mark lead from its shared state to LAST. The
transitions may lead anywhere, to shared states as well, and need not be of any use.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product
from random import Random

from support.oracles.systems import top_of
from tepui.automata import Automaton, Configuration
from tepui.automata.pattern import LAST, Transition
from tepui.kernels.door import KernelLimits, PAutomaton, system_kernel
from tepui.model import EPSILON, Block, Description, NamedRule, System, build
from tepui.model.system import Word


def random_thread(rng: Random, shared: int = 3, symbols: int = 3, rules: int = 12) -> System:
    """A system of one thread, with rules of every kind."""
    states = [f"q{number}" for number in range(rng.randint(1, shared))]
    names = list("abcdef"[: rng.randint(1, symbols)])
    tops = [None, *names, *names]
    lengths = [0, 0, 0, 1, 1, 1, 2, 2, 3]
    drawn = [
        NamedRule(
            rng.choice(states),
            rng.choice(tops),
            rng.choice(states),
            tuple(rng.choices(names, k=rng.choice(lengths))),
        )
        for _ in range(rng.randint((rules + 1) // 2, rules))
    ]
    # A rule that does nothing names every symbol, so that all of them have numbers.
    drawn += [NamedRule("unused", name, "unused", (name,)) for name in names]
    return build(Description("q0", [Block("T", (names[0],), drawn)], shared=states))


def random_set(rng: Random, system: System, inner: int = 3, most: int = 6) -> list[Transition]:
    """Transitions of a set of configurations, often an infinite one."""
    shared = range(len(system.shared) - 1)
    nodes = [*shared, *range(LAST - rng.randint(1, inner), LAST)]
    symbols = range(1, len(system.templates[0].symbols))
    transitions: list[Transition] = [(rng.choice(shared), rng.choice(symbols), rng.choice(nodes))]
    for _ in range(rng.randint(0, most - 1)):
        transitions.append((rng.choice(nodes), rng.choice(symbols), rng.choice(nodes)))
    for node in {rng.choice(transitions)[2], *rng.choices(nodes, k=rng.randint(0, 2))}:
        transitions.append((node, EPSILON, LAST))
    return transitions


def random_pattern(rng: Random, names: Sequence[str], size: int) -> str:
    """An expression over stack symbols, which are names of one letter."""
    kind = rng.choice(
        ["name", "name", "any", "empty", "star", "plus", "maybe", "pair", "pair", "or"]
    )
    if size == 0 or kind in ("name", "any", "empty"):
        return {"any": ".", "empty": "(-)"}.get(kind, rng.choice(names))
    part = random_pattern(rng, names, size - 1)
    if kind in ("star", "plus", "maybe"):
        return f"({part})" + {"star": "*", "plus": "+", "maybe": "?"}[kind]
    other = random_pattern(rng, names, size - 1)
    return f"{part} {other}" if kind == "pair" else f"({part} | {other})"


def automaton(system: System, transitions: list[Transition]) -> Automaton:
    """The set as the library has it."""
    return Automaton(system, 0, PAutomaton(transitions), system_kernel(system))


def given_limits(
    states: int | None = None, seconds: float | None = None, pause: int | None = None
) -> KernelLimits:
    """Limits as kernels take them."""
    return {"states": states, "bytes": None, "seconds": seconds, "pause": pause}


def accepts(transitions: list[Transition], configuration: Configuration) -> bool:
    """Whether a set has a configuration, by definition."""
    shared, stack = configuration
    here = {shared}
    for read in (*stack, EPSILON):
        here = {
            target for source, symbol, target in transitions if symbol == read and source in here
        }
    return LAST in here


def all_configurations(system: System, height: int) -> list[Configuration]:
    """Every configuration with at most this many symbols."""
    return [
        (shared, word) for shared in range(len(system.shared)) for word in all_words(system, height)
    ]


def all_words(system: System, height: int) -> list[Word]:
    symbols = range(1, len(system.templates[0].symbols))
    return [word for length in range(height + 1) for word in product(symbols, repeat=length)]


def step(system: System, configuration: Configuration) -> list[Configuration]:
    """Where one step of the thread leads."""
    shared, stack = configuration
    return [
        (rule.target, rule.word + stack[1:])
        for rule in system.templates[0].rules
        if (rule.source, rule.top) == (shared, top_of(stack))
    ]


def reached(
    system: System, starts: Iterable[Configuration], height: int, most: int = 3000
) -> set[Configuration]:
    """What the thread reaches while its stack stays within a height, up to a number of
    configurations."""
    found = set(starts)
    waiting = list(found)
    while waiting and len(found) < most:
        for after in step(system, waiting.pop()):
            if after not in found and len(after[1]) <= height:
                found.add(after)
                waiting.append(after)
    return found
