"""The weight of all runs of a weighted system, by going over configurations one by one.

Stacks that become too high are left out; then the weight is that of some runs only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

from support.docs_oracle.systems_pattern import Node, parse_configurations, parse_reach
from support.docs_oracle.weigh_domains import Affine, Domain, Weight, domain_of

Stack = tuple[str, ...]
Configuration = tuple[str, tuple[Stack, ...]]
LONGEST = 6  # how long the words of a set may be that are listed
MOST, MOST_AFFINE = 700, 150  # how many nodes are looked at


@dataclass(frozen=True)
class Rule:
    """A rule of a thread, with its number in the file."""

    number: int
    thread: int
    source: tuple[str, str]
    target: tuple[str, Stack]
    weight: Weight


@dataclass
class Weighted:
    """A weighted system: one thread, or several with a bound of contexts."""

    domain: Domain
    states: list[str]
    symbols: list[list[str]]
    rules: list[Rule]
    text: Mapping[str, Any]

    @property
    def concurrent(self) -> bool:
        return "threads" in self.text


def read_weighted(text: Mapping[str, Any]) -> Weighted:
    """A system from the object in its file."""
    domain = domain_of(text["domain"])
    threads = text.get("threads") or [text]
    rules: list[Rule] = []
    symbols: list[list[str]] = []
    states: list[str] = list(text.get("states", ()))
    for at, thread in enumerate(threads):
        names: list[str] = list(thread.get("symbols", ()))
        for rule in thread["rules"]:
            weight = domain.read(rule["weight"]) if "weight" in rule else domain.one
            source, target = rule["from"], rule["to"]
            word = tuple(target[1:])
            rules.append(Rule(len(rules), at, (source[0], source[1]), (target[0], word), weight))
            names += [name for name in (source[1], *word) if name not in names]
            states += [name for name in (source[0], target[0]) if name not in states]
        symbols.append(names)
    return Weighted(domain, states, symbols, rules, text)


# --- sets ----------------------------------------------------------------------------------------

Member = Callable[[str, Stack], bool]


def _fits(node: Node | None, stack: Stack) -> bool:
    return node is None or node.matches(stack)


def member_of(described: Any) -> Member:
    """Whether a configuration of one thread is in a pattern, a list of them, or an automaton."""
    if isinstance(described, str):
        shared, node = parse_configurations(described)
        return lambda state, stack: shared in (None, state) and _fits(node, stack)
    if isinstance(described, list):
        members = [member_of(each) for each in described]
        return lambda state, stack: any(member(state, stack) for member in members)
    transitions, accepting = described["transitions"], described["accepting"]

    def accepts(state: str, stack: Stack) -> bool:
        here = _closed({state}, transitions)
        for symbol in stack:
            after = {to for node, label, to in transitions if node in here and label == symbol}
            here = _closed(after, transitions)
        return any(node in accepting for node in here)

    return accepts


def _closed(nodes: set[Any], transitions: Iterable[Any]) -> set[Any]:
    """With all that ε leads to."""
    found = set(nodes)
    while True:
        more = found | {to for node, label, to in transitions if node in found and label is None}
        if more == found:
            return found
        found = more


GlobalMember = Callable[[Configuration], bool]


def global_member(system: Weighted, described: Any, own: str) -> GlobalMember:
    """Whether a configuration of all threads is in the set; `own` is the key in the threads."""
    if described is None:
        members = [member_of(thread[own]) for thread in system.text["threads"]]
        return lambda found: all(
            member(found[0], stack) for member, stack in zip(members, found[1], strict=True)
        )
    if isinstance(described, list):
        several = [global_member(system, each, own) for each in described]
        return lambda found: any(member(found) for member in several)
    if not system.concurrent:
        member = member_of(described)
        return lambda found: member(found[0], found[1][0])
    shared, nodes = parse_reach(described)
    return lambda found: shared in (None, found[0]) and all(map(_fits, nodes, found[1]))


def words(symbols: list[str], longest: int) -> Iterator[Stack]:
    """All words up to a length."""
    for length in range(longest + 1):
        yield from product(symbols, repeat=length)


def members(system: Weighted, member: GlobalMember) -> tuple[list[Configuration], bool]:
    """The configurations of a set that are not too long, and whether these are probably all."""
    threads = len(system.symbols) if system.concurrent else 0
    longest, short = [(LONGEST, LONGEST - 3), (4, 3), (4, 3), (3, 2)][threads]
    stacks = product(*(list(words(symbols, longest)) for symbols in system.symbols))
    found = [(state, each) for each in stacks for state in system.states if member((state, each))]
    low = [each for each in found if max(map(len, each[1])) <= short]
    return low, low == found


# --- runs ----------------------------------------------------------------------------------------

Key = tuple[Configuration, int, int]  # with the thread that runs, and the contexts so far


@dataclass
class Reached:
    """The weight of all runs to each configuration; `complete` if none is left out.

    `crowded` if there were too many nodes, and not only too high stacks.
    """

    weights: dict[Configuration, Weight]
    complete: bool
    crowded: bool


def reach(
    system: Weighted, starts: Iterable[Configuration], contexts: int | None, height: int
) -> Reached:
    """The weights of all runs from the starts within this many contexts."""
    domain = system.domain
    found: dict[Key, Weight] = {((start), -1, 0): domain.one for start in starts}
    queue = list(found)
    complete, crowded = True, False
    most = MOST_AFFINE if isinstance(domain, Affine) else MOST
    for key in queue:
        weight = found[key]
        (state, stacks), last, used = key
        for rule in system.rules:
            stack = stacks[rule.thread]
            if not stack or rule.source != (state, stack[0]):
                continue
            now = used + (rule.thread != last) if contexts is not None else 0
            if contexts is not None and now > contexts:
                continue
            after = rule.target[1] + stack[1:]
            everything = (*stacks[: rule.thread], after, *stacks[rule.thread + 1 :])
            following = ((rule.target[0], everything), rule.thread if contexts else 0, now)
            old = found.get(following, domain.zero)
            new = domain.combine(old, domain.extend(weight, rule.weight))
            if new == old:
                continue
            if len(after) > height or (following not in found and len(found) >= most):
                complete = False
                crowded = crowded or len(after) <= height
                continue
            found[following] = new
            if len(queue) > 20 * most:
                return Reached(_gathered(domain, found), False, True)
            queue.append(following)
    return Reached(_gathered(domain, found), complete, crowded)


def _gathered(domain: Domain, found: dict[Key, Weight]) -> dict[Configuration, Weight]:
    weights: dict[Configuration, Weight] = {}
    for (configuration, _, _), weight in found.items():
        old = weights.get(configuration, domain.zero)
        weights[configuration] = domain.combine(old, weight)
    return weights


@dataclass
class Total:
    """A weight of some runs, of all if `exact`; `stable` if higher stacks made no difference."""

    weight: Weight
    exact: bool
    stable: bool


def total(
    system: Weighted, start: GlobalMember, target: GlobalMember, contexts: int | None
) -> Total:
    """The weight of all runs from one set to the other."""
    starts, all_starts = members(system, start)
    highest = max((len(stack) for _, stacks in starts for stack in stacks), default=0)
    results = []
    for more in (4, 7):
        reached = reach(system, starts, contexts, highest + more)
        weight = system.domain.zero
        for configuration, each in reached.weights.items():
            if target(configuration):
                weight = system.domain.combine(weight, each)
        if reached.complete:
            return Total(weight, all_starts, all_starts)
        results.append(weight)
    stable = all_starts and not reached.crowded and results[0] == results[1]
    return Total(results[-1], False, stable)


# --- automata with weights -----------------------------------------------------------------------


def accepted(domain: Domain, automaton: Mapping[str, Any], state: str, stack: Stack) -> Weight:
    """The weight with which a printed automaton accepts a configuration."""
    forward = automaton["direction"] == "forward"
    found: dict[tuple[Any, int], Weight] = {(state, 0): domain.one}
    queue: list[tuple[Any, int]] = [(state, 0)]
    transitions = [
        (node, label, to, domain.answer(weight))
        for node, label, to, weight in automaton["transitions"]
    ]
    for here in queue:
        node, at = here
        for source, label, to, weight in transitions:
            if source != node or isinstance(source, str) != isinstance(node, str):
                continue
            if label is not None and (at >= len(stack) or label != stack[at]):
                continue
            after = (to, at if label is None else at + 1)
            old = found.get(after, domain.zero)
            path = (found[here], weight) if forward else (weight, found[here])
            new = domain.combine(old, domain.extend(*path))
            if new != old:
                found[after] = new
                queue.append(after)
    result = domain.zero
    for (node, at), weight in found.items():
        if at == len(stack) and node in automaton["accepting"]:
            result = domain.combine(result, weight)
    return result
