"""Random systems, small enough for brute force and with every odd feature.

Rules grow outwards from the initial state: most of them start where earlier ones can lead, so that
much of a system is reachable. Patterns are mostly taken from visible states that appear in
some late round, so that violations at bounds above 1 are common, and are blurred by wildcards.
Every corner of the model occurs: equal threads side by side and apart, rules on the empty stack,
words of any length up to three, empty and high initial stacks, patterns with names that no rule
has. Each system asks for something; take `with_property` where it should not.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import groupby, pairwise
from math import ceil
from random import Random

from hypothesis import strategies as st

from support.oracles.systems import State, TooManyStatesError, rounds, visible_states
from tepui.model import Block, Description, NamedPattern, NamedRule, System, build
from tepui.model.system import VisibleState


@dataclass(frozen=True)
class Sizes:
    """The most of everything, and the horizon within which a system has at most `states` states."""

    threads: int = 4
    shared: int = 4
    symbols: int = 4
    rules: int = 9
    word: int = 3
    stack: int = 4
    contexts: int = 4
    depth: int = 5
    states: int = 2000


SMALL = Sizes()


def random_system(rng: Random, sizes: Sizes = SMALL) -> System:
    """A random system of which brute force sees at most `sizes.states` states."""
    while True:
        description = _random_description(rng, sizes)
        system = build(description)
        try:
            reached, _ = rounds(system, sizes.contexts, sizes.depth, sizes.states)
        except TooManyStatesError:
            continue
        _ask_something(rng, description, system, reached)
        return build(description)


def systems(sizes: Sizes = SMALL) -> st.SearchStrategy[System]:
    """Random systems for hypothesis; small seeds make small systems, so failures shrink."""

    def system_of(seed: int) -> System:
        return random_system(Random(seed), _scaled(sizes, min(1.0, seed.bit_length() / 20)))

    # Hypothesis draws evenly from ranges of up to 24 bits, so most systems have the full size.
    return st.integers(0, 2**24 - 1).map(system_of)


def _scaled(sizes: Sizes, share: float) -> Sizes:
    return replace(
        sizes,
        threads=ceil(sizes.threads * share) or 1,
        shared=ceil(sizes.shared * share) or 1,
        symbols=ceil(sizes.symbols * share) or 1,
        rules=ceil(sizes.rules * share),
        word=ceil(sizes.word * share),
        stack=ceil(sizes.stack * share),
    )


def _random_description(rng: Random, sizes: Sizes) -> Description:
    shared = [f"q{number}" for number in range(_mostly_large(rng, sizes.shared))]
    count = _mostly_large(rng, sizes.threads)
    drafts = [_Draft.start(rng, sizes) for _ in range(rng.randint(1, count))]
    met = [shared[0]]
    for _ in range(sizes.rules):
        for draft in drafts:
            if rng.random() < 0.6:
                met.append(draft.add_rule(rng, shared, met))
    chosen = drafts + rng.choices(drafts, k=count - len(drafts))
    rng.shuffle(chosen)
    return Description(initial=shared[0], blocks=_blocks(rng, chosen))


@dataclass
class _Draft:
    """A thread in the making; `met` are the tops that its rules and initial stack lead to."""

    symbols: list[str]
    stack: tuple[str, ...]
    longest_word: int
    met: list[str | None]
    rules: list[NamedRule] = field(default_factory=list)

    @classmethod
    def start(cls, rng: Random, sizes: Sizes) -> _Draft:
        symbols = list("abcdefgh"[: _mostly_large(rng, sizes.symbols)])
        height = min(rng.choice([0, 1, 1, 1, 2, 3, 4]), sizes.stack)
        stack = tuple(rng.choices(symbols, k=height))
        return cls(symbols, stack, sizes.word, list(stack) or [None])

    def add_rule(self, rng: Random, shared: list[str], met_shared: list[str]) -> str:
        """Add a rule, and say which shared state it leads to."""
        likely = rng.random() < 0.85
        source = rng.choice(met_shared if likely else shared)
        top = rng.choice(self.met if likely else [None, *self.symbols])
        lengths = [0, 1, 1, 1, 2, 3] if top is None else [0, 0, 0, 1, 1, 1, 1, 2, 2, 3]
        word = tuple(rng.choices(self.symbols, k=min(rng.choice(lengths), self.longest_word)))
        target = rng.choice(shared)
        self.rules.append(NamedRule(source, top, target, word))
        self.met += word or (None,)
        return target


def _blocks(rng: Random, drafts: list[_Draft]) -> list[Block]:
    """One block for each thread, or one for a run of equal neighbours."""
    blocks = []
    for number, (_, run) in enumerate(groupby(drafts, key=id)):
        equal = list(run)
        name, stack, rules = f"thread{number}", equal[0].stack, equal[0].rules
        if rng.random() < 0.5:
            blocks.append(Block(name, stack, rules, count=len(equal)))
        else:
            blocks += [Block(name, stack, rules) for _ in equal]
    return blocks


def _ask_something(
    rng: Random, description: Description, system: System, reached: list[set[State]]
) -> None:
    description.patterns = [
        _random_pattern(rng, system, reached) for _ in range(rng.choice([0, 1, 1, 1, 2]))
    ]
    description.deadlock = not description.patterns or rng.random() < 0.1


def _random_pattern(rng: Random, system: System, reached: list[set[State]]) -> NamedPattern:
    """A blurred visible state: usually one that is new in some round, else any combination."""
    alphabets = [system.template_of(thread).symbols for thread in range(len(system.threads))]
    fresh = _visible_in_a_late_round(reached) if rng.random() < 0.6 else []
    if fresh:
        shared_number, *top_numbers = rng.choice(fresh)
        shared = system.shared[shared_number]
        tops = [names[top] for names, top in zip(alphabets, top_numbers, strict=True)]
    else:
        shared = rng.choice([*system.shared, "nowhere"])
        tops = [rng.choice([*names, "never"]) for names in alphabets]
    open_share = rng.choice([0.0, 0.0, 0.2, 0.5])
    return NamedPattern(
        None if rng.random() < open_share else shared,
        tuple(None if rng.random() < open_share else top for top in tops),
    )


def _visible_in_a_late_round(reached: list[set[State]]) -> list[VisibleState]:
    """The visible states, sorted, of the last round that shows new ones."""
    seen = [visible_states(states) for states in reached]
    for earlier, later in reversed(list(pairwise(seen))):
        if earlier < later:
            return sorted(later - earlier)
    return []


def _mostly_large(rng: Random, most: int) -> int:
    """A number from 1 to `most`, the large ones more often."""
    return max(rng.randint(1, most), rng.randint(1, most))
