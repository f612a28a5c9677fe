"""Affine relations between global variables and how many threads are where.

The program with any number of threads is seen as one loop in which each move adds to counters and
changes global variables. Guards are ignored, except that where one says x = c, the assignment
x := d adds d - c to x: so a test-and-set of a lock is related to who has it. What is left is the
affine hull of the states that such moves lead to, by linear algebra (Karr, Affine Relationships
Among Variables of a Program, 1976; Müller-Olm and Seidl, POPL 2004). Its equations hold in every
state, and moves preserve them.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd, lcm

from tepui.checker.evidence import Bad
from tepui.horn.clauses import Counted, Question
from tepui.horn.folding import Move
from tepui.horn.linear_terms import Term, is_zero, parts, total
from tepui.horn.survey import Survey

Row = list[int]
"""What is spanned does not depend on the scale, so there are no fractions."""


def counted_relations(survey: Survey, observed: Sequence[int], bad: Sequence[Bad]) -> Question:
    """A question with counters, and the relations in which they occur. Nothing else is known about
    the threads of a type of which none is observed, so all of them are counted. Where all threads
    of a type are observed, it is seen how many are where."""
    candidates = _candidates(survey, observed, bad)
    hull = _Hull(survey, candidates)
    counts = [thread.count for thread in survey.folding.program.threads]
    seen = {n for n, each in enumerate(candidates) if counts[each.thread] == observed[each.thread]}
    needed = {
        number
        for number, each in enumerate(candidates)
        if _is_asked(each, bad) or not observed[each.thread]
    }
    kept: list[dict[str, int]] = []
    for relation in hull.relations():
        names = [name for name in relation if name]
        if len(names) == 1 or any(not name.startswith("c.") for name in names):
            if len(names) > 1 or int(names[0][2:] if names[0][:2] == "c." else -1) not in seen:
                kept.append(relation)
            needed |= {int(name[2:]) for name in names if name.startswith("c.")}
    order, known = sorted(needed - seen), sorted(needed & seen)
    renamed = {f"c.{old}": f"c.{new}" for new, old in enumerate(order)}
    renamed |= {f"c.{old}": f"seen.{new}" for new, old in enumerate(known)}
    formulas = []
    for relation in kept:
        terms: dict[Term, int] = {renamed.get(n, n): k for n, k in relation.items() if n}
        formulas.append(is_zero(total(relation.get("", 0), terms)))
    return Question(
        tuple(bad),
        tuple(observed),
        tuple(candidates[number] for number in order),
        tuple(formulas),
        tuple(candidates[number] for number in known),
    )


def _candidates(survey: Survey, observed: Sequence[int], bad: Sequence[Bad]) -> list[Counted]:
    """All that could be counted: every local state, except where the threads of a type start."""
    folding = survey.folding
    found: dict[Counted, None] = {}
    for number in range(len(folding.program.threads)):
        states = [state for here in survey.met.values() for state in here]
        if observed[number] == 0:
            states += folding.local_states(number)
        stacks = [state.stack for state in states if state.thread == number]
        asked = {place for each in bad for place in each}
        plain = [each for each in stacks if (number, *each[:1]) in asked]
        start = folding.stacks.start(number)
        each_state = [(state.stack, state.values) for state in states if state.thread == number]
        for stack, values in sorted({*((stack, ()) for stack in plain), *each_state}):
            if stack != start:
                found[Counted(number, stack, values)] = None
    return list(found)


def _is_asked(counted: Counted, bad: Sequence[Bad]) -> bool:
    places = {place for each in bad for place in each}
    return not counted.values and (counted.thread, *counted.stack[:1]) in places


class _Hull:
    """The affine hull of what moves lead to: points have 1 in the first column, directions 0."""

    def __init__(self, survey: Survey, counted: Sequence[Counted]) -> None:
        self._folding = survey.folding
        self._counted = counted
        names = [f"c.{number}" for number in range(len(counted))]
        self._names = ["", *names, *self._folding.integers, *self._folding.folded]
        self._columns = {name: number for number, name in enumerate(self._names)}
        self._basis: list[tuple[int, Row]] = []
        unread = self._starts()
        moves = self._moves(survey)
        while unread:
            row = unread.pop()
            for changes, forgotten in moves:
                after = self._moved(row, changes, forgotten)
                if self._insert(after):
                    unread.append(after)
                for name in forgotten:
                    direction = self._unit(name)
                    if self._insert(direction):
                        unread.append(direction)

    def relations(self) -> list[dict[str, int]]:
        """Equations: the coefficients whose sum is 0, by name; "" is the constant."""
        pivots = dict(self._basis)
        found = []
        for column in range(len(self._names)):
            if column not in pivots:
                used = {pivot: row for pivot, row in pivots.items() if row[column]}
                scale = lcm(*(row[pivot] for pivot, row in used.items()))
                coefficients = {column: scale}
                for pivot, row in used.items():
                    coefficients[pivot] = -row[column] * (scale // row[pivot])
                found.append({self._names[at]: number for at, number in coefficients.items()})
        return found

    def _starts(self) -> list[Row]:
        rows = []
        for start in self._folding.starts():
            row = [0] * len(self._names)
            row[0] = 1
            known = dict(zip(self._folding.folded, start.values, strict=True))
            for name, term in (known | dict(start.terms)).items():
                if isinstance(term, int):
                    row[self._columns[name]] = term
                elif self._insert(self._unit(name)):
                    rows.append(self._unit(name))
            if self._insert(row):
                rows.append(row)
        return rows

    def _unit(self, name: str) -> Row:
        row = [0] * len(self._names)
        row[self._columns[name]] = 1
        return row

    def _moves(self, survey: Survey) -> list[tuple[dict[str, dict[str, int]], list[str]]]:
        """For each move, the new values of what changes, as sums, and what may be anything."""
        found = []
        for move, globals_ in zip(survey.moves, survey.globals_before, strict=True):
            if move.after is None:
                continue
            changes: dict[str, dict[str, int]] = {}
            forgotten = []
            for number, each in enumerate(self._counted):
                change = each.counts(move.after) - each.counts(move.before)
                if change:
                    changes[f"c.{number}"] = {f"c.{number}": 1, "": change}
            for name, old, new in zip(self._folding.folded, globals_, move.globals, strict=True):
                if old != new:
                    changes[name] = {name: 1, "": new - old}
            for name, term in move.terms.items():
                sum_ = self._sum(name, term, move)
                if sum_ is None:
                    forgotten.append(name)
                else:
                    changes[name] = sum_
            if (changes, forgotten) not in found:
                found.append((changes, forgotten))
        return found

    def _sum(self, name: str, term: Term, move: Move) -> dict[str, int] | None:
        """The new value of a variable as a sum over columns, if it is one."""
        if isinstance(term, int):
            for condition in move.conditions:
                if isinstance(condition, tuple) and condition[0] == "=":
                    constant, coefficients = parts(condition[1])
                    if list(coefficients) == [name] and abs(coefficients[name]) == 1:
                        return {name: 1, "": term + constant * coefficients[name]}
        constant, coefficients = parts(term)
        if any(each not in self._columns for each in coefficients):
            return None
        return {"": constant} | {str(each): number for each, number in coefficients.items()}

    def _moved(self, row: Row, changes: dict[str, dict[str, int]], forgotten: list[str]) -> Row:
        after = list(row)
        for name, sum_ in changes.items():
            after[self._columns[name]] = sum(
                number * row[self._columns[each]] for each, number in sum_.items()
            )
        for name in forgotten:
            after[self._columns[name]] = 0
        return after

    def _insert(self, row: Row) -> bool:
        """Add a row to the basis, which is kept reduced; whether it was new."""
        left = row
        for pivot, other in self._basis:
            left = _without(left, other, pivot)
        first = next((column for column, value in enumerate(left) if value), -1)
        if first < 0:
            return False
        left = _smallest(left)
        self._basis = [
            (pivot, _smallest(_without(each, left, first))) for pivot, each in self._basis
        ]
        self._basis.append((first, left))
        return True


def _without(row: Row, other: Row, pivot: int) -> Row:
    """A multiple of a row, and one of another row, whose sum is 0 at a column."""
    if not row[pivot]:
        return row
    one, two = other[pivot], row[pivot]
    return [one * left - two * right for left, right in zip(row, other, strict=True)]


def _smallest(row: Row) -> Row:
    """The same row without what all numbers have in common."""
    common = gcd(*row)
    return [value // common for value in row]
