"""A first look at what threads can do, in which numbers may be anything.

It finds which local states there are together with which small global variables, and all moves from
there. From the moves it can be read which variables are ever compared, with each other and with
which constants: an invariant will hardly be about others.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import pairwise

from tepui.horn.folding import FoldedGlobals, Folding, LocalState, Move
from tepui.horn.linear_terms import Formula, Term, parts, total, variables_of
from tepui.horn.valuing import Refused

_MOST_CONSTANTS = 6

_MOST_MOVES = 30_000


class TooLarge(Refused):
    """There are too many small values; fewer variables can be small."""


class Survey:
    """What can happen if only small values are looked at."""

    def __init__(self, folding: Folding) -> None:
        self.folding = folding
        self.met: dict[FoldedGlobals, dict[LocalState, None]] = {}
        self.moves: list[Move] = []
        """All moves, each with the small global variables before it in `globals_before`."""
        self.globals_before: list[FoldedGlobals] = []
        self._explore()

    def _explore(self) -> None:
        threads = range(len(self.folding.program.threads))
        starts = [state for each in threads for state, _ in self.folding.local_starts(each)]
        unread = [(start.values, state) for start in self.folding.starts() for state in starts]
        while unread:
            globals_, state = unread.pop()
            here = self.met.setdefault(globals_, {})
            if state in here:
                continue
            here[state] = None
            for move in self.folding.moves(state, globals_):
                if len(self.moves) == _MOST_MOVES:
                    raise TooLarge("the small variables have very many values")
                self.moves.append(move)
                self.globals_before.append(globals_)
                if move.after is not None:
                    unread.append((move.globals, move.after))
                    if move.globals != globals_:
                        unread += [(move.globals, each) for each in self.met[globals_]]
            for other in list(here):
                for move in self.folding.moves(other, globals_):
                    if move.after is not None and move.globals != globals_:
                        unread.append((move.globals, state))

    @cached_property
    def comparisons(self) -> list[Term]:
        """The sums that are compared with 0, with local variables named by their thread types."""
        found: dict[Term, None] = {}
        for move in self.moves:
            for condition in move.conditions:
                for term in _compared(condition):
                    found[self._named(move, term)] = None
            for name, term in self._assigned(move):
                constant, coefficients = parts(term)
                if all(isinstance(each, str) for each in coefficients) and len(coefficients) <= 1:
                    target = _typed(move.before.thread, name)
                    source = parts(self._named(move, term))[1]
                    if target in source:
                        continue
                    found[total(constant, {**source, target: -1})] = None
        return [term for term in found if not any("any." in each for each in variables_of(term))]

    @cached_property
    def classes(self) -> dict[str, str]:
        """For each variable, one that stands for all those with which it has to do."""
        classes: dict[str, str] = {}

        def root(name: str) -> str:
            while classes.setdefault(name, name) != name:
                name = classes[name]
            return name

        for move in self.moves:
            groups = [variables_of(term) for each in move.conditions for term in _compared(each)]
            groups += [variables_of(term) | {name} for name, term in self._assigned(move)]
            for group in groups:
                names = sorted(_typed(move.before.thread, name) for name in group)
                for one, other in pairwise(names):
                    classes[root(other)] = root(one)
        return {name: root(name) for name in classes}

    @cached_property
    def constants(self) -> dict[str, list[int]]:
        """For each class, the constants that matter for its variables."""
        found: dict[str, set[int]] = {}
        for term in self.comparisons:
            constant, coefficients = parts(term)
            names = [each for each in coefficients if isinstance(each, str)]
            if len(names) == len(coefficients) == 1 and abs(coefficients[names[0]]) == 1:
                value = -constant * coefficients[names[0]]
                found.setdefault(self.class_of(names[0]), set()).add(value)
        for start in self.folding.starts():
            for name, first in start.terms.items():
                if isinstance(first, int):
                    found.setdefault(self.class_of(name), set()).add(first)
        return {
            each: sorted(some, key=lambda value: (abs(value), value))[:_MOST_CONSTANTS]
            for each, some in found.items()
        }

    @cached_property
    def steady(self) -> frozenset[str]:
        """The local variables that are only counted up."""
        counted: set[str] = set()
        others: set[str] = set()
        for move in self.moves:
            for name, term in move.local.items():
                constant, coefficients = parts(term)
                typed = _typed(move.before.thread, name)
                if coefficients == {name: 1} and constant > 0:
                    counted.add(typed)
                elif coefficients and term != name:
                    others.add(typed)
        return frozenset(counted - others)

    def class_of(self, name: str) -> str:
        return self.classes.get(name, name)

    def _assigned(self, move: Move) -> Iterator[tuple[str, Term]]:
        yield from move.terms.items()
        yield from ((name, term) for name, term in move.local.items() if term != name)

    def _named(self, move: Move, term: Term) -> Term:
        constant, coefficients = parts(term)
        renamed: dict[Term, int] = {}
        for each, number in coefficients.items():
            if not isinstance(each, str):
                return 0
            name = _typed(move.before.thread, each)
            renamed[name] = renamed.get(name, 0) + number
        return total(constant, renamed)


def _typed(thread: int, name: str) -> str:
    """A variable of a thread, whoever it is, with the type of the thread."""
    return f"{thread}/{name}" if name[0].isdigit() or name == "self" else name


def _compared(formula: Formula) -> Iterator[Term]:
    if isinstance(formula, bool):
        return
    if formula[0] in ("and", "or"):
        for each in formula[1:]:
            yield from _compared(each)
    else:
        yield formula[1]
        yield from _inside(formula[1])


def _inside(term: Term) -> Iterator[Term]:
    """What is compared in the conditions of a term with cases."""
    if isinstance(term, tuple):
        if term[0] == "ite":
            yield from _compared(term[1])
            yield from _inside(term[2])
            yield from _inside(term[3])
        elif term[0] == "+":
            for each, _ in term[2]:
                yield from _inside(each)
        else:
            yield from _inside(term[1])
