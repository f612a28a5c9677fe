"""Correct evidence for small systems, made in the most naive way.

Nothing here is shared with the checker or an engine. A certificate is the least fixed point of its
conditions: visit every state repeatedly and add what is missing, until nothing is. Since it is the
least one, no state or pair can be spared: if any is removed, the rest is no longer closed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from hypothesis import strategies as st

from tepui.checker import Trace, TraceStep
from tepui.checker.certificates.states import Certificate
from tepui.model import EPSILON, Rule, System
from tepui.model.build import Block, Description, NamedRule, build
from tepui.model.system import Word

Concrete = tuple[int, tuple[Word, ...]]
"""A global state: the shared state and all stacks."""

CutStack = tuple[Word, bool]
"""The top symbols of a stack, and whether something lies below them."""

CutState = tuple[int, tuple[CutStack, ...]]


def system_of(initial: str, *blocks: Block) -> System:
    return build(Description(initial, list(blocks), name="sample"))


def thread(stack: str, *rules: str, count: int = 1, name: str = "P") -> Block:
    """`thread("a b", "q|a -> r|b c", "r|- -> r|-")`, symbols apart by spaces."""
    return Block(name, tuple(stack.split()), [_rule(text) for text in rules], count)


def figure_4() -> System:
    """The system of CUBA's Figure 4, whose second stack grows without bound."""
    blocks = [
        thread("1", "q0|1 -> q1|2", "q3|2 -> q0|1", name="P1"),
        thread("4", "q0|4 -> q0|-", "q1|4 -> q2|5", "q2|5 -> q3|4 6", name="P2"),
    ]
    return build(Description("q0", blocks, shared=["q0", "q1", "q2", "q3"], name="figure 4"))


def turns() -> System:
    """Two equal threads that take a lock, call, return and give it back: finitely many states."""
    return system_of(
        "free",
        thread("a z", "free|a -> held|b c", "held|b -> held|-", "held|c -> free|a", count=2),
        thread("m", "free|m -> free|-", "free|- -> free|m", "held|- -> held|-", name="Q"),
    )


def singles(system: System) -> tuple[tuple[int, ...], ...]:
    """Every thread a group of its own."""
    return tuple((number,) for number in range(len(system.threads)))


# Runs ---------------------------------------------------------------------------------------------


def steps(system: System, state: Concrete) -> list[tuple[int, Rule, Concrete]]:
    shared, stacks = state
    found = []
    for number, stack in enumerate(stacks):
        for rule in system.template_of(number).rules:
            if rule.source == shared and rule.top == (stack[0] if stack else EPSILON):
                after = list(stacks)
                after[number] = rule.word + stack[1:]
                found.append((number, rule, (rule.target, tuple(after))))
    return found


def reachable(system: System, height: int, most: int = 3000) -> set[Concrete]:
    """The reachable states, without those beyond a stack that is too high, and not too many."""
    start = (system.initial, system.initial_stacks())
    found, waiting = {start}, [start]
    while waiting and len(found) < most:
        for _, _, after in steps(system, waiting.pop(0)):
            if after not in found and all(len(stack) <= height for stack in after[1]):
                found.add(after)
                waiting.append(after)
    return found


def run(system: System, *choices: tuple[int, int]) -> Trace:
    """The trace of (thread, which of its enabled rules) after (thread, rule)."""
    state = (system.initial, system.initial_stacks())
    taken: list[TraceStep] = []
    contexts = 0
    for number, choice in choices:
        enabled = [step for step in steps(system, state) if step[0] == number]
        _, rule, state = enabled[choice]
        contexts += not taken or taken[-1].thread != number
        taken.append(TraceStep(number, rule, *state))
    return Trace(system.initial, system.initial_stacks(), tuple(taken), contexts)


# Certificates -------------------------------------------------------------------------------------


def whole_states(system: System, groups: Iterable[tuple[int, ...]]) -> Certificate:
    """All reachable states; the system must have finitely many."""
    found = reachable(system, height=99)
    cut = {(shared, tuple((stack, False) for stack in stacks)) for shared, stacks in found}
    return _listed(Certificate("states", tuple(groups), (), ()), cut)


def cut_states(
    system: System,
    groups: Iterable[tuple[int, ...]],
    depth: int,
    *,
    flags: bool = True,
    also: Iterable[Concrete] = (),
) -> Certificate:
    """The least Z and below that hold the initial state, and those in `also`, and are closed."""
    cut = _Cut(system, tuple(groups), depth, flags)
    for state in [(system.initial, system.initial_stacks()), *also]:
        cut.start_in(state)
    cut.grow()
    below = tuple(frozenset(pairs) for pairs in cut.below)
    return _listed(Certificate("cut", cut.groups, (), (), depth, flags, below), cut.states)


def covers(certificate: Certificate, state: Concrete) -> bool:
    """Whether a whole state is one of those that a certificate speaks of."""
    shared, stacks = state
    entries = [0] * len(stacks)
    for number, group in enumerate(certificate.groups):
        words = [(*stacks[member], EPSILON) for member in group]
        if certificate.kind == "cut":
            pairs = {pair for word in words for pair in _pairs(word, certificate.depth)}
            if not pairs <= certificate.below[number]:
                return False
        depth = certificate.depth if certificate.kind == "cut" else 99
        kept = [_cut(word, depth, certificate.flags) for word in words]
        if not set(kept) <= set(certificate.locals[number]):
            return False
        indices = sorted(certificate.locals[number].index(local) for local in kept)
        for member, index in zip(group, indices, strict=True):
            entries[member] = index
    return (shared, *entries) in set(certificate.states)


class _Cut:
    """Z and below while they grow."""

    def __init__(
        self, system: System, groups: tuple[tuple[int, ...], ...], depth: int, flags: bool
    ) -> None:
        self.system = system
        self.groups = groups
        self.depth = depth
        self.flags = flags
        self.states: set[CutState] = set()
        self.below: list[set[tuple[int, int]]] = [set() for _ in groups]

    def start_in(self, state: Concrete) -> None:
        shared, stacks = state
        ended = [(*stack, EPSILON) for stack in stacks]
        self.states.add((shared, tuple(_cut(word, self.depth, self.flags) for word in ended)))
        for number, group in enumerate(self.groups):
            for member in group:
                self.below[number] |= _pairs(ended[member], self.depth)

    def grow(self) -> None:
        """What a thread does in a state depends on `below` alone: only where that has grown since
        is a state looked at again."""
        looked: dict[tuple[CutState, int], int] = {}
        missing = True
        while missing:
            missing = False
            for state in list(self.states):
                for number, group in enumerate(self.groups):
                    size = len(self.below[number])
                    if looked.get((state, number)) != size:
                        looked[state, number] = size
                        missing = True
                        for member in group:
                            self.step(state, number, member)

    def step(self, state: CutState, number: int, member: int) -> None:
        shared, locals_ = state
        top = locals_[member][0][0] if locals_[member][0] else EPSILON
        for rule in self.system.template_of(member).rules:
            if (rule.source, rule.top) != (shared, top):
                continue
            for stack in self.continued(locals_[member], number):
                after = rule.word + (stack[1:] if rule.top != EPSILON else stack)
                self.below[number] |= _pairs(after, self.depth)
                kept = _cut(after, self.depth, self.flags)
                self.states.add((rule.target, (*locals_[:member], kept, *locals_[member + 1 :])))

    def continued(self, local: CutStack, number: int) -> list[Word]:
        """The stacks that are cut to this, as far down as a step can look; ε is their bottom."""
        word, more = local
        below = self.below[number]
        if not self.flags:
            return (
                [(*word, lower) for upper, lower in below if (upper,) == word] if word else [(0,)]
            )
        if not more:
            return [(*word, EPSILON)]
        return [
            (*word, emerging, lower)
            for upper, emerging in below
            if upper == word[-1] and emerging != EPSILON
            for next_upper, lower in below
            if next_upper == emerging
        ]


def _cut(word: Word, depth: int, flags: bool) -> CutStack:
    """The cut of a stack that is known down to its bottom ε, or to below the cut."""
    kept = tuple(symbol for symbol in word[:depth] if symbol != EPSILON)
    return kept, flags and len(word) > depth and word[depth] != EPSILON


def _pairs(word: Word, depth: int) -> set[tuple[int, int]]:
    """What lies directly below what, from the cut down, ε at the bottom included."""
    return {
        (word[place - 1], word[place])
        for place in range(depth, len(word))
        if word[place - 1] != EPSILON
    }


def _listed(form: Certificate, states: set[CutState]) -> Certificate:
    """The certificate with sorted tables and states, each state sorted within its groups."""
    tables = tuple(
        tuple(sorted({locals_[member] for _, locals_ in states for member in group}))
        for group in form.groups
    )
    rows = set()
    for shared, locals_ in states:
        entries = [0] * len(locals_)
        for table, group in zip(tables, form.groups, strict=True):
            indices = sorted(table.index(locals_[member]) for member in group)
            for member, index in zip(group, indices, strict=True):
                entries[member] = index
        rows.add((shared, *entries))
    return replace(form, locals=tables, states=tuple(sorted(rows)))


# Random systems -----------------------------------------------------------------------------------


@st.composite
def systems(draw: st.DrawFn) -> System:
    """One to three threads, some equal and not always neighbours, and all kinds of rules."""
    states, symbols = "pqr"[: draw(st.integers(1, 3))], "abc"[: draw(st.integers(1, 3))]
    words = st.lists(st.sampled_from(symbols), max_size=3).map(tuple)
    rules = st.builds(
        NamedRule,
        st.sampled_from(states),
        st.none() | st.sampled_from(symbols) | st.sampled_from(symbols),
        st.sampled_from(states),
        words,
    )
    kinds = [(draw(words), draw(st.lists(rules, min_size=1, max_size=6))) for _ in range(2)]
    chosen = draw(st.lists(st.sampled_from(kinds), min_size=1, max_size=3))
    return system_of("p", *(Block("T", stack, found) for stack, found in chosen))


@st.composite
def groupings(draw: st.DrawFn, system: System) -> tuple[tuple[int, ...], ...]:
    """Templates as groups, threads as groups, or something between."""
    split: dict[tuple[int, int], list[int]] = {}
    for number, template in enumerate(system.threads):
        split.setdefault((template, draw(st.integers(0, 1))), []).append(number)
    return tuple(tuple(group) for group in split.values())


def _rule(text: str) -> NamedRule:
    left, right = (side.split("|") for side in text.split("->"))
    top, word = left[1].strip(), right[1].split()
    return NamedRule(
        left[0].strip(),
        None if top == "-" else top,
        right[0].strip(),
        () if word == ["-"] else tuple(word),
    )
