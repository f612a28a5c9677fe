"""An invariant over observed threads as people read it: what holds at which places.

    everywhere              called >= 0 and called <= next
    #1 at customer:25, #2 at customer:25
                            mine#1 != mine#2

`#1` and `#2` are any two different threads, `mine#1` is the local variable of the first. Where one
thread is observed, its variables have no number. Threads of one type are interchangeable, so of
two vectors of places that differ in their order only one is shown. A place is written as in a
trace; behind a slash comes the place in the caller. `threads(add:36)` is how many threads are
there. Places at which the same holds are listed together. What no thread can be at is left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from tepui.checker.invariants.invariant import Invariant, Stack
from tepui.checker.invariants.shape import Shape, Vector
from tepui.checker.invariants.terms import Term
from tepui.checker.invariants.values import range_of
from tepui.checker.patience import Patience
from tepui.program.layout import Layout
from tepui.program.program import Program
from tepui.program.state_names import point_text
from tepui.program.types import THREAD, Array, Scalar, Type
from tepui.records import record
from tepui.report.readable_formulas import (
    Fact,
    Formula,
    Named,
    TooLong,
    common,
    lines,
    needed,
    readable,
    simplified,
)
from tepui.words import counted, plural

MOST_PLACES = 400
"""Invariants with more vectors of places are cut there."""


@record
class Clause:
    """What holds where observed threads are: each vector of places as text, and lines."""

    places: tuple[str, ...]
    lines: tuple[str, ...]


@record
class InvariantText:
    """An invariant in words: what it is about, and what it says."""

    about: str
    everywhere: tuple[str, ...]
    """What holds at all places."""
    clauses: tuple[Clause, ...]
    left_out: int
    """How many vectors of places are not shown."""

    @property
    def more(self) -> str:
        """What is not shown, in words."""
        if not self.left_out:
            return ""
        count = counted(self.left_out, "more combination")
        return f"… and {count} of places, in the evidence"


def invariant_text(program: Program, invariant: Invariant) -> InvariantText:
    """An invariant that the checker has accepted, in words."""
    return _Reader(program, invariant).text()


class _Reader:
    """Names what an invariant is about."""

    def __init__(self, program: Program, invariant: Invariant) -> None:
        self._program = program
        self._layout: Layout = program.layout
        self._shape = Shape(program, invariant, Patience(lambda: True))
        self._variables: dict[str, Named] = {}
        """All that were met, by the names in which they are shown."""
        self._shared = self._shared_names()

    def text(self) -> InvariantText:
        shown: dict[tuple[Vector, Formula], None] = {}
        left_out = 0
        for vector, term in self._shape.formulas.items():
            try:
                key = self._sorted(vector, term)
            except TooLong:
                left_out += 1
                continue
            if not key[1].is_false:
                shown[key] = None
        kept = list(shown)[:MOST_PLACES]
        left_out += len(shown) - len(kept)
        everywhere = self._everywhere([formula for _, formula in shown]) if not left_out else []
        groups: dict[tuple[str, ...], list[str]] = {}
        for vector, formula in sorted(kept, key=lambda one: one[0]):
            rest = simplified(formula, self._variables, everywhere)
            text = tuple(lines(rest, self._variables))
            groups.setdefault(text, []).append(self._places(vector))
        return InvariantText(
            self._about(),
            tuple(lines(Formula(tuple(everywhere)), self._variables)) if everywhere else (),
            tuple(Clause(tuple(places), text) for text, places in groups.items()),
            left_out,
        )

    def _sorted(self, vector: Vector, term: Term) -> tuple[Vector, Formula]:
        """A vector in the order that stands for all its permutations, and its formula."""
        order = sorted(
            range(len(vector)), key=lambda place: (self._shape.positions[place], vector[place])
        )
        new = {old: place for place, old in enumerate(order)}
        symbols = {**self._shared}
        for old, stack in enumerate(vector):
            symbols |= self._own_names(f"t{old}", stack, self._number(new[old]))
        self._variables |= {named.name: named for named in symbols.values()}
        formula = simplified(readable(self._shape.terms, term, symbols), self._variables)
        return tuple(vector[old] for old in order), formula

    def _everywhere(self, formulas: Sequence[Formula]) -> list[Fact]:
        return needed(common(formulas, self._variables), self._variables)

    def _number(self, place: int) -> str:
        return f"#{place + 1}" if len(self._shape.positions) > 1 else ""

    def _about(self) -> str:
        """Which threads are observed, and what is counted."""
        parts = []
        for number, thread in enumerate(self._program.threads):
            places = self._shape.places(number)
            if not places:
                continue
            numbers = ", ".join(filter(None, map(self._number, places)))
            what = f"{plural(len(places), 'thread')} {thread.name}"
            text = f"any {len(places)} different {what}" if len(places) > 1 else f"any {what}"
            if not self._shape.has_others(number):
                text = f"all threads {thread.name}" if len(places) > 1 else f"thread {thread.name}"
            parts.append(f"{text} ({numbers})" if numbers else text)
        found = f"holds for {' and '.join(parts)}" if parts else "holds without observed threads"
        if self._shape.counters:
            found += "; threads(PLACE) is how many threads are there"
        return found

    def _places(self, vector: Vector) -> str:
        if not vector:
            return "always"
        each = []
        for place, stack in enumerate(vector):
            number = self._number(place)
            name = self._program.threads[self._shape.positions[place]].name
            each.append(f"{number or name} at {self._place(stack)}")
        return ", ".join(each)

    def _place(self, stack: Stack) -> str:
        if not stack:
            return "its end"
        return "/".join(point_text(self._layout, point) for point in stack)

    def _shared_names(self) -> dict[str, Named]:
        found: dict[str, Named] = {}
        for variable in self._program.globals:
            found |= dict(elements("g.", variable.name, variable.type, variable.name))
        for number, thread in enumerate(self._program.threads):
            if thread.created:
                found[f"created.{number}"] = Named(f"created({thread.name})", (0, 1))
            for variable in thread.inherited:
                name = f"inherited({thread.name}).{variable.name}"
                found |= dict(elements(f"inherited.{number}.", variable.name, variable.type, name))
        for number, counter in enumerate(self._shape.counters):
            own = self._own_names("", counter.stack, "")
            where = "".join(
                f", {own[f'.{name}'].name}={own[f'.{name}'].value_text(value)}"
                for name, value in counter.where
            )
            found[f"c.{number}"] = Named(f"threads({self._place(counter.stack)}{where})", (0, None))
        return found

    def _own_names(self, role: str, stack: Stack, number: str) -> dict[str, Named]:
        """The local variables of a thread. Where several frames have one of the same name, the
        procedure says which, or the depth of its frame."""
        frames = []
        for depth, point in enumerate(reversed(stack)):
            procedure = self._layout.procedure(point)
            if procedure is not None:
                frames.append((depth, procedure))
        met = Counter(each.name for _, procedure in frames for each in procedure.variables)
        runs = Counter(procedure.name for _, procedure in frames)
        found = {f"{role}.self": Named(f"self{number}", (1, None))}
        for depth, procedure in frames:
            owner = procedure.name + (f"({depth + 1})" if runs[procedure.name] > 1 else "")
            for each in procedure.variables:
                name = each.name if met[each.name] == 1 else f"{owner}.{each.name}"
                start = f"{role}.{depth}."
                found |= dict(elements(start, each.name, each.type, f"{name}{number}"))
        return found


def elements(start: str, name: str, kind: Type, shown: str) -> Iterator[tuple[str, Named]]:
    """The variables of a formula that a variable of the program has, with their names."""
    if not isinstance(kind, Array):
        yield f"{start}{name}.0", _named(shown, kind)
        return
    for index in range(kind.length):
        yield f"{start}{name}.{index}", _named(f"{shown}[{index}]", kind.element)


def _named(shown: str, scalar: Scalar) -> Named:
    text = _identity if scalar == THREAD else scalar.text
    return Named(shown, range_of(scalar), text)


def _identity(value: int) -> str:
    return "nobody" if value == 0 else str(value)
