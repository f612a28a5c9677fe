"""Open systems: there is any number of threads of some blocks.

An instance is the same system with some number of each. `bad` names threads that are there, so
what is bad with some threads is bad with more of them, whatever these do: they need not move. So if
nothing bad is reachable with some number of threads, it is not with fewer either, and none at all
is the fewest. A deadlock is not like that: more threads may mean fewer deadlocks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tepui.errors import ModelError
from tepui.model.build import MAX_THREADS, Block, Description, NamedPattern, NamedRule, build
from tepui.model.system import System
from tepui.records import field, record, replace
from tepui.words import printable


@record
class OpenThreads:
    """Equal threads: a number of them, or any."""

    name: str
    stack: tuple[str, ...]
    rules: tuple[NamedRule, ...]
    count: int | None

    @property
    def label(self) -> str:
        """Its name, with the number of threads if that is not 1."""
        if self.count is None:
            return f"{self.name} × any number"
        return self.name if self.count == 1 else f"{self.name} × {self.count}"


@record
class OpenPattern:
    """Bad states: a shared state, or None for any, and for each block the tops of some of its
    threads; None matches anything. A block with a number of threads has a top for each."""

    shared: str | None
    tops: tuple[tuple[str | None, ...], ...]


@record
class OpenSystem:
    """A concurrent pushdown system with any number of threads of some blocks.

    >>> lock = tepui.load("examples/any-number/recursive-lock.cpds")
    >>> print(lock)
    recursive-lock: 2 shared states, threads owner × any number
    >>> print(tepui.load("examples/any-number/recursive-lock.cpds", threads={"owner": 3}))
    recursive-lock: 2 shared states, threads owner × 3
    """

    name: str
    initial: str
    blocks: tuple[OpenThreads, ...]
    patterns: tuple[OpenPattern, ...] = ()
    deadlock: bool = False
    shared: tuple[str, ...] = ()
    """The shared states whose order is kept."""

    @property
    def any_number(self) -> tuple[str, ...]:
        """The blocks of which there is any number of threads, by name."""
        return tuple(block.name for block in self.blocks if block.count is None)

    @property
    def is_asked(self) -> bool:
        """Whether anything is bad."""
        return bool(self.patterns) or self.deadlock

    @property
    def needed(self) -> dict[str, int]:
        """For each block with any number of threads, with how many of them every pattern can
        match."""
        return {
            block.name: max([1, *(len(pattern.tops[number]) for pattern in self.patterns)])
            for number, block in enumerate(self.blocks)
            if block.count is None
        }

    def asking_deadlock(self) -> OpenSystem:
        """The same, and a deadlock is bad as well."""
        return replace(self, deadlock=True)

    def asking_nothing(self) -> OpenSystem:
        """The same, and nothing is bad."""
        return replace(self, patterns=(), deadlock=False)

    def asking_in_vain(self) -> OpenSystem:
        """The same, and what is bad is a shared state that no rule leads to: so the question is
        whether nothing is reached."""
        ends = {name for block in self.blocks for rule in block.rules for name in _ends(rule)}
        never = "more threads"
        while never in {self.initial, *self.shared, *ends}:
            never += "!"
        tops = tuple((None,) * (block.count or 0) for block in self.blocks)
        return replace(self, patterns=(OpenPattern(never, tops),))

    def instance(self, counts: Mapping[str, int]) -> SystemInstance:
        """The system with some number of threads of each block that has any. What is bad with more
        threads only is left out."""
        fixed = _with_counts(self, counts)
        system = build(_description(fixed))
        return SystemInstance(
            system.shared,
            system.initial,
            system.templates,
            system.threads,
            system.thread_names,
            system.property,
            system.name,
            original=self,
            counts={name: counts[name] for name in self.any_number},
        )

    def with_counts(self, counts: Mapping[str, int | None]) -> OpenSystem:
        """The same with some number of threads of some of these blocks; None is any number. What
        is bad with more threads only is left out."""
        return _with_counts(self, {name: n for name, n in counts.items() if n is not None})

    def closed(self) -> System | OpenSystem:
        """The system itself, if all blocks have a number of threads now."""
        return self if self.any_number else build(_description(self))

    def __str__(self) -> str:
        shared = len(self.instance(dict.fromkeys(self.any_number, 1)).shared)
        threads = ", ".join(block.label for block in self.blocks)
        return printable(f"{self.name}: {shared} shared states, threads {threads}")

    def __repr__(self) -> str:
        threads = ", ".join(block.label for block in self.blocks)
        return printable(f"<OpenSystem {self.name}: threads {threads}>")


@record
class SystemInstance(System):
    """An open system with some number of threads of each block that has any."""

    original: OpenSystem = field(kw_only=True, compare=False, repr=False)
    counts: Mapping[str, int] = field(kw_only=True, compare=False)
    """How many threads there are of these blocks."""

    @property
    def stands_for_all(self) -> bool:
        """Whether whatever is bad with any number of threads is named by its property."""
        return all(self.counts[name] >= count for name, count in self.original.needed.items())


def _ends(rule: NamedRule) -> tuple[str, str]:
    return rule.source, rule.target


def _with_counts(system: OpenSystem, counts: Mapping[str, int]) -> OpenSystem:
    """Some blocks have some number of threads."""
    blocks = tuple(
        replace(block, count=counts[block.name])
        if block.count is None and block.name in counts
        else block
        for block in system.blocks
    )
    if sum(block.count or 1 for block in blocks) > MAX_THREADS:
        raise ModelError(f"a system has at most {MAX_THREADS:,} threads, this one has more")
    return replace(system, blocks=blocks, patterns=tuple(_fitting(system.patterns, blocks)))


def _fitting(
    patterns: Sequence[OpenPattern], blocks: Sequence[OpenThreads]
) -> Iterator[OpenPattern]:
    """The patterns that can match these numbers of threads; those without a name are anywhere."""
    for pattern in patterns:
        pairs = list(zip(pattern.tops, blocks, strict=True))
        if all(block.count is None or len(tops) <= block.count for tops, block in pairs):
            yield replace(
                pattern,
                tops=tuple(
                    tops if block.count is None else tops + (None,) * (block.count - len(tops))
                    for tops, block in pairs
                ),
            )


def _description(system: OpenSystem) -> Description:
    """The description of a system whose blocks all have a number of threads."""
    return Description(
        system.initial,
        [
            Block(block.name, block.stack, list(block.rules), _counted(block))
            for block in system.blocks
        ],
        [
            NamedPattern(pattern.shared, tuple(top for tops in pattern.tops for top in tops))
            for pattern in system.patterns
        ],
        system.deadlock,
        list(system.shared),
        system.name,
    )


def _counted(block: OpenThreads) -> int:
    if block.count is None:
        raise ModelError(f"there is any number of threads {block.name}")
    return block.count
