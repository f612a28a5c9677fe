"""Questions to a solver about pictures of states (see `pictured_states`)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from tepui.checker.invariants.invariant import Stack
from tepui.checker.invariants.solver import Solver
from tepui.checker.invariants.terms import Term
from tepui.checker.invariants.thread_paths import Path
from tepui.records import record
from tepui.watching.predicates.pictured_states import Mover, Named, Picture, Truths
from tepui.watching.predicates.predicate_terms import WATCHED, PredicateTerms
from tepui.watching.predicates.predicate_text import Predicate

Decided = Literal["yes", "no", "unknown"]

By = Literal["watched", "other"]

MOVER = "e"
"""The role of a thread that moves and is not the watched one."""

ALL_THREADS = 5
"""Up to this number of further threads, a picture has all threads of a fixed number."""

MOST_THREADS = 16
"""The most further threads of a picture."""


@record
class Action:
    """A statement, and who executes it: all paths of a thread from one resting place."""

    by: By
    thread: int
    stack: Stack


class TooManyThreads(Exception):  # noqa: N818
    """A question would need a picture of more threads than `MOST_THREADS`."""


class PictureQueries:
    """What all questions about an abstraction of a program have in common."""

    def __init__(
        self,
        about: PredicateTerms,
        predicates: Sequence[Predicate],
        watched: int,
        solver: Solver,
    ) -> None:
        self.about, self.predicates, self.watched = about, predicates, watched
        self.terms, self.paths = about.terms, about.paths
        self._program = about.paths.program
        self._solver = solver
        self._symbols: dict[str, str] = {}

    def actions(self) -> list[Action]:
        """All actions that there are."""
        found = []
        for by in ("watched", "other"):
            for thread, each in enumerate(self._program.threads):
                is_there = (
                    thread == self.watched
                    if by == "watched"
                    else (thread != self.watched or each.count != 1)
                )
                if is_there:
                    found += [
                        Action(by, thread, stack)
                        for stack in self.paths.stacks[thread]
                        if self.steps(thread, stack)
                    ]
        return found

    def steps(self, thread: int, stack: Stack) -> list[Path]:
        """The paths of a thread that violate nothing."""
        return [path for path in self.paths.of(thread, stack) if path.violated is None]

    def seen_from(self, action: Action) -> Sequence[Stack]:
        """Where the watched thread may stand when an action takes place."""
        if action.by == "watched":
            return (action.stack,)
        return self.paths.stacks[self.watched]

    def threads_of(self, action: Action, stack: Stack) -> list[Named]:
        """The threads that an action is about, while the watched one stands somewhere."""
        watched = self.named_watched(stack)
        if action.by == "watched":
            return [watched]
        return [watched, Named(MOVER, action.thread, action.stack)]

    def mover(self, action: Action, path: Path) -> Mover:
        return Mover(WATCHED if action.by == "watched" else MOVER, path)

    def named_watched(self, stack: Stack) -> Named:
        return Named(WATCHED, self.watched, stack)

    def may_be(self, named: Iterable[Named]) -> bool:
        """Whether there are as many threads as are named."""
        return all(number >= 0 for number in self._left(list(named)) if number is not None)

    def has_all(self, named: Sequence[Named]) -> bool:
        """Whether pictures with these threads have all others as well."""
        left = self._left(named)
        return None not in left and sum(filter(None, left)) <= ALL_THREADS

    def picture(self, named: Sequence[Named], further: int, copy: str = "") -> Picture:
        """A picture with some threads, and with this number of further ones of each type."""
        left, has_all = self._left(named), self.has_all(named)
        counts = {
            thread: number
            if has_all and number is not None
            else further
            if number is None
            else min(further, number)
            for thread, number in enumerate(left)
        }
        if sum(counts.values()) > MOST_THREADS:
            raise TooManyThreads
        return Picture(self.about, self.predicates, named, counts, has_all=has_all, copy=copy)

    def can_be(
        self, asserted: Sequence[Term], *pictures: tuple[Picture, Sequence[Mover]]
    ) -> Decided:
        """Whether some terms can be true together."""
        whole = list(asserted)
        for picture, movers in pictures:
            whole += picture.facts(asserted, movers)
        if self.terms.false in whole:
            return "no"
        texts = [self.terms.text(each, self._symbol) for each in whole if each != self.terms.true]
        return _DECIDED[self._solver.answer(texts)]

    def values(
        self, asserted: Sequence[Term], truths: Truths, picture: Picture, movers: Sequence[Mover]
    ) -> tuple[bool | None, ...]:
        """Truth values that terms have together, where some others can be true."""
        known, found = list(asserted), list[bool | None]()
        for truth in truths:
            if truth is None:
                found.append(None)
                continue
            value = self.can_be([*known, truth], (picture, movers)) == "yes"
            known.append(truth if value else self.terms.negation(truth))
            found.append(value)
        return tuple(found)

    def _left(self, named: Sequence[Named]) -> list[int | None]:
        """For each type, how many threads there are besides the named ones; None is any number."""
        return [
            None if each.count is None else each.count - sum(n.thread == thread for n in named)
            for thread, each in enumerate(self._program.threads)
        ]

    def _symbol(self, name: str) -> str:
        if name not in self._symbols:
            self._symbols[name] = symbol = f"v{len(self._symbols)}"
            self._solver.always(f"(declare-const {symbol} Int)")
        return self._symbols[name]


_DECIDED: dict[str, Decided] = {"sat": "yes", "unsat": "no", "unknown": "unknown"}


_OPPOSITE: dict[Decided, Decided] = {"yes": "no", "no": "yes", "unknown": "unknown"}


def opposite(decided: Decided) -> Decided:
    """Whether something cannot be, from whether it can."""
    return _OPPOSITE[decided]


def together(answers: Iterable[Decided]) -> Decided:
    """Whether all of some things are so. A `no` ends it."""
    found: Decided = "yes"
    for answer in answers:
        if answer == "no":
            return "no"
        if answer == "unknown":
            found = "unknown"
    return found
