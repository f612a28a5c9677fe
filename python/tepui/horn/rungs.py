"""What is tried: how many threads are observed, what is counted, and by which solver.

A rung of the ladder says what an invariant may speak about. Each is tried by elimination, with the
signs of single sums and of two sums together, and by Spacer with several settings: it is unstable,
and what one setting does not find in a minute, another finds at once.
"""

from __future__ import annotations

from math import inf
from typing import Literal

from tepui.checker.evidence import Bad
from tepui.checker.invariants.invariant import Invariant
from tepui.checker.invariants.summaries import Summaries
from tepui.program.program import Program
from tepui.records import record

Method = Literal["signs", "pairs of signs", "spacer"]
Found = Invariant | Summaries
"""What an attempt may find."""


@record
class Rung:
    """How many threads of each type are observed, and whether others are counted."""

    observed: tuple[int, ...]
    counters: bool = False
    folds_globals: bool = True
    frames: bool = False
    """Whether an invariant speaks about the frame on top of a thread, for threads that recurse."""

    def words(self, program: Program) -> str:
        seen = [
            f"{number} {thread.name}" if number > 1 else thread.name
            for thread, number in zip(program.threads, self.observed, strict=True)
            if number
        ]
        if self.frames:
            return "summaries of procedures"
        what = f"observed: {', '.join(seen)}" if seen else "no thread observed"
        return f"{what}; with counters" if self.counters else what


@record
class Attempt:
    """A rung, and who tries it."""

    rung: Rung
    method: Method
    settings: tuple[tuple[str, bool | int], ...] = ()
    lemmas: bool = False
    """Whether Spacer is given what elimination knows."""

    @property
    def words(self) -> str:
        names = [f"{name.rpartition('.')[2]}={value}" for name, value in self.settings]
        names += ["lemmas"] if self.lemmas else []
        return " ".join([self.method, *names])


Ending = Literal["proved", "not enough", "refuted", "unknown", "refused", "too few", "too large"]


@record
class Task:
    """What all attempts of a process are about."""

    program: Program
    bad: tuple[Bad, ...]
    memory: int


@record
class Report:
    """How an attempt has ended. With `not enough`, another method may do; `refuted` means that no
    invariant of this rung exists, and `unknown` that time was up. `too few` threads are observed
    for the question, and a program may be `too large` in its small values. Else, if it is
    `refused`, it is so on every rung."""

    kind: Ending
    seconds: float = 0
    invariant: Found | None = None
    reason: str = ""


def rung_of_frames(program: Program) -> Rung:
    """The only rung for threads that recurse."""
    return Rung((1,) * len(program.threads), frames=True)


def rungs(program: Program, most: int) -> list[list[Rung]]:
    """The rungs up to a number of observed threads of a type, in groups: first those that are
    cheap, then those with more threads or counters, last those that rarely come to an end."""
    counts = [inf if thread.count is None else thread.count for thread in program.threads]

    def both(observed: tuple[int, ...]) -> list[Rung]:
        others = any(seen < count for seen, count in zip(observed, counts, strict=True))
        return [Rung(observed), *([Rung(observed, counters=True)] if others else [])]

    def level(k: int) -> tuple[int, ...]:
        return tuple(int(min(count, k)) for count in counts)

    none = Rung(tuple(1 if count == 1 else 0 for count in counts), counters=True)
    low = [*both(level(1)), *([] if all(none.observed) else [none])]
    two = both(level(2)) if most > 1 else []
    middle = []
    crowds = [number for number, count in enumerate(counts) if count > 1]
    if most > 1 and 1 < len(crowds) <= _MOST_CROWDS:
        for number in crowds:
            middle += both(tuple(2 if at == number else k for at, k in enumerate(level(1))))
    high = [rung for k in range(3, most + 1) for rung in both(level(k))]
    if sum(counts) <= _MOST_OBSERVED:
        two += both(tuple(map(int, counts)))
    return _distinct([[*low, *two[:1]], [*middle, *two[1:]], high])


def _distinct(groups: list[list[Rung]]) -> list[list[Rung]]:
    """The same without what has come before."""
    met: set[Rung] = set()
    found = []
    for group in groups:
        found.append([rung for rung in dict.fromkeys(group) if rung not in met])
        met.update(group)
    return found


def is_exact(program: Program, rung: Rung) -> bool:
    """Whether all threads are observed, so that a counterexample of the clauses is real."""
    return not rung.frames and list(rung.observed) == [thread.count for thread in program.threads]


def attempts(rung: Rung, stage: int) -> list[Attempt]:
    """What is tried anew on a rung at each of its stages; nothing is given up by that."""
    if rung.frames:
        at = _FOR_FRAMES[2 * stage : 2 * stage + 2]
        return [Attempt(rung, "spacer", settings) for settings in at]
    spacer = [Attempt(rung, "spacer", settings, lemmas) for settings, lemmas in _SPACER]
    if stage == 0:
        return [Attempt(rung, "signs"), spacer[0]]
    if stage == 1:
        return [Attempt(rung, "pairs of signs"), *spacer[1:3]]
    return spacer[3:] if stage == 2 else []


_SPACER: list[tuple[tuple[tuple[str, bool | int], ...], bool]] = [
    ((), False),
    ((), True),
    ((("fp.spacer.global", True),), False),
    ((("fp.spacer.random_seed", 7),), False),
    ((("fp.spacer.global", True), ("fp.spacer.random_seed", 3)), True),
    ((("fp.xform.inline_eager", True), ("fp.xform.inline_linear", True)), False),
]

_FOR_FRAMES: list[tuple[tuple[str, bool | int], ...]] = [
    (("fp.spacer.global", True),),
    (),
    (("fp.spacer.global", True), ("fp.spacer.random_seed", 3)),
    (("fp.spacer.random_seed", 7),),
]
"""For recursion, what generalises over many counterexamples at once comes first."""

_MOST_CROWDS = 3
"""Up to this number of types with several threads, two threads of one of them are observed."""

_MOST_OBSERVED = 4
"""Up to this number of threads, all of them may be observed."""
