"""The strongest invariant made of signs: start with all of them, drop what a model violates.

A *feature* of a key is a sum over the arguments of its predicate, of which is known which signs it
has (negative, zero, positive); or two such sums, with their signs together. At first no sign has
been seen. Each clause is handed to the solver: is there a step from states with the signs seen so
far to one with other signs? The model says which, and they are added. So signs are only ever added,
and this ends: with the least sets of signs that the clauses allow, as it were the best abstract
transformers without computing any (Flanagan and Leino, Houdini, FME 2001; Cartesian predicate
abstraction). If a clause without a conclusion can be violated on the way, it always can.

Features are differences of variables that the program compares, variables against constants, and
the sums in its guards.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from itertools import combinations
from typing import Any, Literal

import z3

from tepui.horn.clauses import Atom, Clause, Clauses, Key
from tepui.horn.linear_terms import (
    Formula,
    Term,
    at_most,
    conjunction,
    disjunction,
    evaluated,
    interval,
    is_not_zero,
    is_zero,
    less,
    minus,
    parts,
    replaced,
    substituted,
    total,
    variables_of,
)
from tepui.horn.survey import Survey
from tepui.horn.z3_terms import Translation

_MILLISECONDS = 5000
"""How long a single query may take."""

ALL = 7
"""All signs: 1 is negative, 2 zero, and 4 positive."""

Answer = Literal["proved", "not enough", "unknown"]


class Elimination:
    """Finds such an invariant, a few queries at a time."""

    def __init__(self, clauses: Clauses, survey: Survey, *, together: bool = False) -> None:
        """With `together`, features of two sums count as well."""
        self.clauses = clauses
        self._survey = survey
        self._together = together
        self._translation = Translation()
        self._solver = z3.SimpleSolver()
        self._solver.set("timeout", _MILLISECONDS)
        self._sums: dict[Key, list[Term]] = {}
        self._pairs: dict[Key, list[tuple[int, int]]] = {}
        self.signs: dict[Key, list[int]] = {}
        self.signs_together: dict[Key, list[int]] = {}
        self._clauses: list[_Prepared] = []
        self._numbers: dict[Term, int] = {}
        self._terms: list[Term] = []
        self._made: dict[object, Any] = {}
        self._users: dict[Key, list[_Prepared]] = {}
        self._waiting: deque[_Prepared] = deque()
        self.queries = 0
        self.answer: Answer | None = None
        self.is_closed = False
        """Whether the signs allow all that the clauses lead to."""

    def advance(self) -> Iterator[None]:
        """Work; a caller may stop between any two steps, for good once there is an answer. Who goes
        on when the signs are not enough gets signs that are closed."""
        for clause in self.clauses.initial():
            self._schedule(clause)
        while self._waiting:
            prepared = self._waiting.popleft()
            prepared.waits = False
            if prepared.clause.head is not None or self.answer is None:
                self._process(prepared)
            if self.answer == "unknown":
                return
            yield
        self.is_closed = True
        self.answer = self.answer or "proved"

    def formula(self, key: Key) -> Formula:
        """What is known about the arguments of a predicate; nothing leads to one not met."""
        if key not in self.signs:
            return False
        sums = self.sums(key)
        found = [_has_sign(term, signs) for term, signs in zip(sums, self.signs[key], strict=True)]
        if self._together:
            pairs = zip(self._pairs[key], self.signs_together[key], strict=True)
            for (one, other), signs in pairs:
                allowed = self.signs[key][one], self.signs[key][other]
                found.append(_have_signs(sums[one], sums[other], signs, allowed))
        return conjunction(found)

    def formula_of(self, atom: Atom) -> Formula:
        """The same with terms in place of arguments."""
        return replaced(self.formula(atom.key), atom.terms)

    def all_clauses(self) -> list[Clause]:
        """All clauses that were met and whose premises can be true."""
        return [each.clause for each in self._clauses if self._is_met(each.clause)]

    def sums(self, key: Key) -> list[Term]:
        """The sums over the arguments of a predicate whose signs matter."""
        if key not in self._sums:
            self._sums[key] = list(dict.fromkeys(self._all_sums(key)))
            self._pairs[key] = list(combinations(range(len(self._sums[key])), 2))
        return self._sums[key]

    def _all_sums(self, key: Key) -> Iterator[Term]:
        ranges = self.clauses.ranges(key)
        names = self.clauses.parameters(key)
        typed = {name: self._typed(name) for name in names}
        classes = {name: self._survey.class_of(typed[name]) for name in names}
        for name in names:
            if name.startswith("c."):
                yield from (minus(name, value) for value in (0, 1))
            else:
                for value in self._survey.constants.get(classes[name], ()):
                    yield from self._undecided(minus(name, value), ranges)
        for one, other in combinations(names, 2):
            if classes[one] == classes[other]:
                yield minus(one, other)
        if self.clauses.sees_all:
            counts = [name for name in names if typed[name] in self._survey.steady]
            if counts:
                yield from self._above_counts(names, counts, classes)
        for term in self._survey.comparisons:
            if len(variables_of(term)) > 1:
                for placed in self._placed(term, typed):
                    yield from self._undecided(placed, ranges)

    def _above_counts(
        self, names: tuple[str, ...], counts: list[str], classes: dict[str, str]
    ) -> Iterator[Term]:
        """How far variables are above a constant and all that threads have counted so far."""
        steps = total(0, dict.fromkeys(counts, 1))
        for name in names:
            if name not in counts:
                for value in self._survey.constants.get(classes[name], ()):
                    yield minus(minus(name, value), steps)

    def _undecided(self, term: Term, ranges: Any) -> Iterator[Term]:
        low, high = interval(term, ranges)
        if low is None or high is None or low < 0 < high or (low < high and 0 in (low, high)):
            yield term

    def _typed(self, name: str) -> str:
        """An argument as the survey names it: with the type of the thread for its position."""
        if name[0] != "t":
            return name
        position, _, own = name[1:].partition(".")
        return f"{self.clauses.threads[int(position)]}/{own}"

    def _placed(self, term: Term, typed: dict[str, str]) -> Iterator[Term]:
        """A sum over the variables of one thread, for each observed thread that has them."""
        constant, coefficients = parts(term)
        for prefix in ["", *(f"t{each}." for each in range(len(self.clauses.threads)))]:
            names = {typed[n]: n for n in typed if n.startswith(prefix) or n[0] != "t"}
            local = any("/" in str(each) for each in coefficients)
            if local == bool(prefix) and all(each in names for each in coefficients):
                placed: dict[Term, int] = {names[str(e)]: k for e, k in coefficients.items()}
                found = total(constant, placed)
                first = next(iter(parts(found)[1].values()))
                yield found if first > 0 else minus(0, found)

    def _is_met(self, clause: Clause) -> bool:
        return clause.head is None or clause.head.key in self.signs

    def _schedule(self, clause: Clause) -> None:
        prepared = _Prepared(clause)
        self._clauses.append(prepared)
        for key in {atom.key for atom in clause.body}:
            self._users.setdefault(key, []).append(prepared)
        self._wake(prepared)

    def _wake(self, prepared: _Prepared) -> None:
        if not prepared.waits:
            prepared.waits = True
            if prepared.clause.head is None:
                self._waiting.appendleft(prepared)
            else:
                self._waiting.append(prepared)

    def _process(self, prepared: _Prepared) -> None:
        """Ask about a clause until its conclusion allows all that it leads to."""
        head = prepared.clause.head
        self._prepare(prepared)
        known = self._known(prepared)
        if any(each is False for each in known):
            return
        solver = self._solver
        solver.push()
        for each in (prepared.always, *known):
            self._assert(each)
        changed = False
        while True:
            if head is not None and head.key in self.signs:
                escapes = list(self._escapes(prepared, head.key))
                if not escapes:
                    break
                self._assert(_any_of(escapes))
            self.queries += 1
            result = solver.check()
            if result == z3.unsat:
                break
            if result != z3.sat:
                self.answer = "unknown"
                break
            if head is None:
                self.answer = "not enough"
                break
            self._add(prepared, head.key, self._model())
            changed = True
        solver.pop()
        if changed and self.answer != "unknown":
            assert head is not None
            self._changed(head.key)

    def _assert(self, formula: Any) -> None:
        """Assert what is known to be a formula; `add` would look at it once more."""
        z3.Z3_solver_assert(self._solver.ctx.ref(), self._solver.solver, formula.ast)

    def _changed(self, key: Key) -> None:
        if key not in self._users:
            self._users[key] = []
            for clause in self.clauses.following(key):
                self._schedule(clause)
        for user in self._users[key]:
            self._wake(user)

    def _prepare(self, prepared: _Prepared) -> None:
        """Put terms in place of arguments, once for each clause."""
        clause = prepared.clause
        if prepared.always is None:
            always = conjunction((*clause.conditions, *_range_conditions(clause)))
            prepared.always = self._translation.formula(always)
            prepared.body = [(atom.key, self._numbered(atom)) for atom in clause.body]
            if clause.head is not None:
                prepared.head = self._numbered(clause.head)

    def _numbered(self, atom: Atom) -> list[int]:
        """The sums of a key with terms in place of arguments, by numbers that are quick to look
        up."""
        found = []
        for term in self.sums(atom.key):
            placed = substituted(term, atom.terms)
            if placed not in self._numbers:
                self._numbers[placed] = len(self._terms)
                self._terms.append(placed)
            found.append(self._numbers[placed])
        return found

    def _known(self, prepared: _Prepared) -> list[Any]:
        """What the premises of a clause say, for the solver; False if they contradict."""
        found: list[Any] = []
        signs: dict[int, int] = {}
        prepared.pairs = {}
        for key, numbers in prepared.body:
            for number, allowed in zip(numbers, self.signs[key], strict=True):
                signs[number] = signs.get(number, ALL) & allowed
            if self._together:
                for (one, other), allowed in zip(
                    self._pairs[key], self.signs_together[key], strict=True
                ):
                    two = numbers[one], numbers[other]
                    units = self.signs[key][one], self.signs[key][other]
                    prepared.pairs[two] = prepared.pairs.get(two, 511) & allowed
                    found.append(self._with_signs_together(two, allowed, units))
        prepared.signs = signs
        found += [self._with_sign(*each) for each in signs.items()]
        return [each for each in found if each is not True]

    def _escapes(self, prepared: _Prepared, key: Key) -> Iterator[Any]:
        """What the conclusion of a clause does not allow yet, for the solver."""
        head = prepared.head
        for number, allowed in zip(head, self.signs[key], strict=True):
            if prepared.signs.get(number, ALL) & ~allowed:
                escape = self._with_sign(number, ALL & ~allowed)
                if escape is not False:
                    yield z3.BoolVal(True) if escape is True else escape
        if self._together:
            pairs = zip(self._pairs[key], self.signs_together[key], strict=True)
            for (one, other), allowed in pairs:
                two = head[one], head[other]
                if prepared.pairs.get(two, 511) & ~allowed:
                    units = self.signs[key][one], self.signs[key][other]
                    terms = self._terms[two[0]], self._terms[two[1]]
                    lack = disjunction(_lack_signs(*terms, allowed, units))
                    if lack is not False:
                        yield self._translation.formula(lack)

    def _with_sign(self, number: int, signs: int) -> Any:
        """That a sum has one of some signs, for the solver; a truth value if that is decided."""
        key = number * 8 + signs
        if key not in self._made:
            formula = _has_sign(self._terms[number], signs)
            is_open = not isinstance(formula, bool)
            self._made[key] = self._translation.formula(formula) if is_open else formula
        return self._made[key]

    def _with_signs_together(self, two: tuple[int, int], signs: int, units: tuple[int, int]) -> Any:
        key = (*two, signs, *units)
        if key not in self._made:
            formula = _have_signs(self._terms[two[0]], self._terms[two[1]], signs, units)
            is_open = not isinstance(formula, bool)
            self._made[key] = self._translation.formula(formula) if is_open else formula
        return self._made[key]

    def _model(self) -> dict[str, int]:
        model = self._solver.model()
        return {each.name(): model[each].as_long() for each in model.decls()}

    def _add(self, prepared: _Prepared, key: Key, values: dict[str, int]) -> None:
        """The signs of a model are possible from now on."""
        signs = [_sign(evaluated(self._terms[each], values)) for each in prepared.head]
        if key not in self.signs:
            self.signs[key] = [0] * len(signs)
            self.signs_together[key] = [0] * (len(self._pairs[key]) if self._together else 0)
        before = self.signs[key]
        for number, sign in enumerate(signs):
            before[number] |= 1 << sign
        if self._together:
            for number, (one, other) in enumerate(self._pairs[key]):
                self.signs_together[key][number] |= 1 << (3 * signs[one] + signs[other])


class _Prepared:
    """A clause with terms in place of the arguments of its predicates."""

    def __init__(self, clause: Clause) -> None:
        self.clause = clause
        self.waits = False
        self.always: Any = None
        self.body: list[tuple[Key, list[int]]] = []
        self.head: list[int] = []
        self.signs: dict[int, int] = {}
        self.pairs: dict[tuple[int, int], int] = {}


def _any_of(formulas: list[Any]) -> Any:
    """A disjunction of formulas of the solver, made without looking at them once more."""
    if len(formulas) == 1:
        return formulas[0]
    context = formulas[0].ctx
    several = (z3.Ast * len(formulas))(*(each.ast for each in formulas))
    return z3.BoolRef(z3.Z3_mk_or(context.ref(), len(formulas), several), context)


def _range_conditions(clause: Clause) -> Iterator[Formula]:
    for name, (low, high) in clause.ranges.items():
        if low is not None:
            yield at_most(low, name)
        if high is not None:
            yield at_most(name, high)


def _sign(value: int) -> int:
    return 1 + (value > 0) - (value < 0)


def _has_sign(term: Term, signs: int) -> Formula:
    """That a sum has one of some signs."""
    match signs:
        case 0:
            return False
        case 1:
            return less(term, 0)
        case 2:
            return is_zero(term)
        case 3:
            return at_most(term, 0)
        case 4:
            return less(0, term)
        case 5:
            return is_not_zero(term)
        case 6:
            return at_most(0, term)
    return True


def _have_signs(one: Term, other: Term, signs: int, units: tuple[int, int]) -> Formula:
    """That two sums have signs that they may have together, given those of each."""
    found = []
    for sign in range(3):
        if units[0] >> sign & 1:
            allowed = signs >> 3 * sign & ALL
            if allowed != units[1]:
                other_sign = _has_sign(one, ALL & ~(1 << sign))
                found.append(disjunction((other_sign, _has_sign(other, allowed))))
    return conjunction(found)


def _lack_signs(one: Term, other: Term, signs: int, units: tuple[int, int]) -> Iterator[Formula]:
    """The ways in which two sums have signs that they may not have together, though each may."""
    for sign in range(3):
        if units[0] >> sign & 1:
            lacking = units[1] & ~(signs >> 3 * sign & ALL)
            if lacking:
                yield conjunction((_has_sign(one, 1 << sign), _has_sign(other, lacking)))
