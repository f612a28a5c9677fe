"""States with any number of threads, pictured by a few of them, as terms for a solver.

A picture has the watched thread, perhaps a thread that moves, and further ones, each of which may
stand anywhere, or not be there. Its shared variables and those of threads are variables of terms,
of which only the types are known.

*Few threads are enough.* A truth value of a quantifier needs witnesses: `forall` needs one to be
false, `exists` one to be true, and `count(…) >= n` n of them. Its other truth value needs none, and
stays as it is when threads are left out. So of a state with many threads in which predicates have
some values, before and after a step, one can leave out all but the threads that a question names
and the witnesses, and all predicates keep their values. What is true of no picture with as many
further threads as there can be witnesses, is true of no state. If the number of threads is fixed
and small, a picture has all of them instead.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from tepui.checker.invariants.invariant import Stack
from tepui.checker.invariants.terms import Term, Terms
from tepui.checker.invariants.thread_paths import Path
from tepui.checker.invariants.values import Range, range_of
from tepui.records import record
from tepui.watching.predicates.concrete_steps import AbstractState
from tepui.watching.predicates.predicate_terms import (
    WATCHED,
    PredicateTerms,
    Someone,
    Standing,
)
from tepui.watching.predicates.predicate_text import (
    Formula,
    Operation,
    Predicate,
    Quantified,
    quantified_in,
)
from tepui.watching.predicates.substitution import substituted

Truths = tuple[Term | None, ...]
"""What the predicates are, as terms; None for no value."""

_IDENTITIES: Range = (1, None)


@record
class Named:
    """A thread that a question names: its role, its type, and where it stands."""

    role: str
    thread: int
    stack: Stack

    @property
    def standing(self) -> Standing:
        return Standing(self.role, self.stack)


@record
class Mover:
    """A thread that takes a path."""

    role: str
    path: Path


class Picture:
    """A state, by the threads that a question names, and some further ones of each type.

    All further threads are there if `has_all`. The variables of a copy have other names, so that
    two states can be compared.
    """

    def __init__(
        self,
        about: PredicateTerms,
        predicates: Sequence[Predicate],
        named: Sequence[Named],
        further: Mapping[int, int],
        *,
        has_all: bool = False,
        copy: str = "",
    ) -> None:
        self._about, self._terms, self._paths = about, about.terms, about.paths
        self._predicates, self._copy = predicates, copy
        self._has_all = has_all
        self.named = named
        self.further = [
            (thread, f"r{thread}.{number}")
            for thread, count in further.items()
            for number in range(count)
        ]

    def truths(
        self, role: str = WATCHED, *, only_alone: bool = False
    ) -> list[tuple[Term, Stack, Truths]]:
        """What the predicates are before the step, as the thread with a role sees it: when it
        stands somewhere, where, and their values; perhaps only those that are about no others."""
        found = []
        for condition, standing in self._someone[role]:
            others = [each for name, each in self._someone.items() if name != role]
            values = tuple(
                None
                if only_alone and quantified_in(each.formula)
                else self._about.truth(each, standing, others)
                for each in self._predicates
            )
            found.append((self.own(condition), standing.stack, self._owned(values)))
        return found

    def truths_after(self, mover: Mover) -> tuple[Stack, Truths]:
        """Where the watched thread stands after a step, and what the predicates are."""
        after = Standing(mover.role, mover.path.after)
        watched, *others = (
            [(self._terms.true, after)] if name == mover.role else someone
            for name, someone in self._someone.items()
        )
        ((_, standing),) = watched
        values = (self._about.truth(each, standing, others) for each in self._predicates)
        changed = {
            self._role_name(name, mover): self._renamed(term, mover)
            for name, term in mover.path.changed.items()
        }
        found = tuple(
            None if value is None else substituted(self._terms, value, changed) for value in values
        )
        return standing.stack, self._owned(found)

    def condition(self, mover: Mover) -> Term:
        """When a path exists."""
        return self.own(self._renamed(mover.path.condition, mover))

    def own(self, term: Term) -> Term:
        """A term over the variables of this copy."""
        if not self._copy:
            return term
        names = self._terms.variables([term])
        renamed = {name: self._terms.variable(f"{self._copy}{name}") for name in names}
        return substituted(self._terms, term, renamed)

    def facts(self, roots: Iterable[Term], movers: Sequence[Mover] = ()) -> Iterator[Term]:
        """What always holds for the variables that occur in terms of this picture."""
        ranges = self._ranges | {name: each for one in movers for name, each in one.path.fresh}
        for name in self._terms.variables(roots):
            if self._copy and not name.startswith(self._copy):
                continue
            low, high = ranges[name.removeprefix(self._copy)]
            variable = self._terms.variable(name)
            if low is not None:
                yield self._terms.at_most(self._terms.constant(low), variable)
            if high is not None:
                yield self._terms.at_most(variable, self._terms.constant(high))

    @cached_property
    def _someone(self) -> dict[str, Someone]:
        """By role, each thread and where it may stand."""
        terms = self._terms
        found: dict[str, Someone] = {
            each.role: [(terms.true, each.standing)] for each in self.named
        }
        for thread, role in self.further:
            place = terms.variable(f"{role}.place")
            found[role] = [
                (terms.equal(place, terms.constant(number)), Standing(f"{role}.{number}", stack))
                for number, stack in enumerate(self._paths.stacks[thread])
            ]
        return found

    @cached_property
    def _ranges(self) -> dict[str, Range]:
        found = {name: range_of(scalar) for name, scalar in self._paths.shared.items()}
        for someone in self._someone.values():
            for _, standing in someone:
                for name, scalar in self._paths.locals(standing.stack).items():
                    found[f"{standing.role}.{name}"] = range_of(scalar)
                found[f"{standing.role}.self"] = _IDENTITIES
        for thread, role in self.further:
            first = 0 if self._has_all else -1  # It is nowhere if it is not there.
            found[f"{role}.place"] = (first, len(self._paths.stacks[thread]) - 1)
        return found

    def _owned(self, values: Iterable[Term | None]) -> Truths:
        return tuple(None if value is None else self.own(value) for value in values)

    def _renamed(self, term: Term, mover: Mover) -> Term:
        """A term of a path as one of the picture."""
        names = self._terms.variables([term])
        renamed = {name: self._terms.variable(self._role_name(name, mover)) for name in names}
        return substituted(self._terms, term, renamed)

    def _role_name(self, name: str, mover: Mover) -> str:
        return f"{mover.role}.{name.removeprefix('@.')}" if name.startswith("@.") else name


def is_one_of(
    terms: Terms, stack: Stack, truths: Truths, abstract_states: Iterable[AbstractState]
) -> Term:
    """Whether predicates have the values that they have in one of some abstract states."""
    found = []
    for where, values in abstract_states:
        if where != stack:
            continue
        same = [
            term if value else terms.negation(term)
            for term, value in zip(truths, values, strict=True)
            if term is not None
        ]
        found.append(terms.conjunction(same))
    return terms.disjunction(found)


def witnesses(
    predicates: Sequence[Predicate], abstract_states: Iterable[AbstractState] | None
) -> Witnesses:
    """How many witnesses predicates may need for the values that they have in some abstract states;
    None stands for all values."""
    states = None if abstract_states is None else list(abstract_states)
    found = NO_WITNESSES
    for number, predicate in enumerate(predicates):
        values = {True, False} if states is None else {values[number] for _, values in states}
        needed = [_needed(predicate.formula, value) for value in values if value is not None]
        found = found.plus(_largest(needed))
    return found


@record
class Witnesses:
    """Numbers of threads: those for what all threads see alike, and those for what each sees."""

    common: int
    own: int

    @property
    def total(self) -> int:
        return self.common + self.own

    def plus(self, other: Witnesses) -> Witnesses:
        return Witnesses(self.common + other.common, self.own + other.own)


NO_WITNESSES = Witnesses(0, 0)


def _largest(some: Iterable[Witnesses]) -> Witnesses:
    found = [NO_WITNESSES, *some]
    return Witnesses(max(each.common for each in found), max(each.own for each in found))


def _needed(formula: Formula, value: bool) -> Witnesses:
    """How many witnesses keep the truth value of a formula when other threads are left out."""
    match formula:
        case Quantified():
            count = _needed_by(formula, value)
            return Witnesses(0, count) if formula.variable else Witnesses(count, 0)
        case Operation(operator="!"):
            return _needed(formula.operands[0], not value)
        case Operation(operator="&&" | "||" | "->"):
            left, right = formula.operands
            one = _needed(left, value != (formula.operator == "->"))
            other = _needed(right, value)
            # A conjunction is true by both of its parts, and false by one of them.
            by_both = value == (formula.operator == "&&")
            return one.plus(other) if by_both else _largest([one, other])
        case Operation():
            found = NO_WITNESSES
            for part in formula.operands:
                found = found.plus(_largest(_needed(part, each) for each in (True, False)))
            return found
    return NO_WITNESSES


def _needed_by(quantified: Quantified, value: bool) -> int:
    """How many witnesses a quantifier needs for a truth value."""
    number = quantified.number
    match quantified.quantity, quantified.operator:
        case "forall", _:
            return int(not value)
        case "exists", _:
            return int(value)
        case _, ">=" | "<":
            return number if value == (quantified.operator == ">=") else 0
        case _, ">" | "<=":
            return number + 1 if value == (quantified.operator == ">") else 0
    return number if value == (quantified.operator == "=") else number + 1
