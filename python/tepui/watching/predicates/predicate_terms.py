"""What predicates mean in a state, as terms.

A name stands for what it would stand for in the code where the thread is: a local variable of the
running procedure, or else a global variable, or a member of an enumeration. In the variables of the
terms, a thread has a role: the watched one is `w`, and what follows a role is as in the checker's
paths (`w.0.l.0`); global variables are `g.x.0`.

*No value.* Where the watched thread has no such local variable, its predicates have no value: the
truth value None. A quantifier ranges over the threads that have the variables which are read of
them. `&&`, `||` and `->` look at their right side only if the left one leaves the result open, as
far as that is known from where threads are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property

from tepui.checker.invariants.invariant import Stack
from tepui.checker.invariants.terms import NotLinear, Term
from tepui.checker.invariants.thread_paths import Paths
from tepui.errors import UsageError
from tepui.program.calls import procedures_run_by
from tepui.program.expressions import Variable
from tepui.program.places import places
from tepui.program.program import Program
from tepui.program.types import THREAD, Enumeration
from tepui.records import record
from tepui.watching.predicates.predicate_text import (
    At,
    Formula,
    Name,
    Number,
    Operation,
    Predicate,
    Quantified,
    parts,
)
from tepui.words import did_you_mean, shown

WATCHED = "w"
"""The role of the watched thread."""

_MOST_COUNTED = 20
"""The largest number with which a count is compared."""


@record
class Standing:
    """A thread by its role, and where it stands."""

    role: str
    stack: Stack


Someone = Sequence[tuple[Term, Standing]]
"""A thread that may stand at several places, or not be there at all: when it stands at each."""


class PredicateTerms:
    """Turns predicates about threads of a program into terms."""

    def __init__(self, paths: Paths) -> None:
        self.paths = paths
        self.terms = paths.terms
        self._program: Program = paths.program
        self._points: dict[str, frozenset[int]] = {}

    def truth(
        self, predicate: Predicate, watched: Standing, others: Sequence[Someone]
    ) -> Term | None:
        """The truth value of a predicate; None if it has none there."""
        meaning = _Meaning(self, watched, others)
        try:
            return meaning.truth(meaning.term(predicate.formula, None))
        except _NoValue:
            return None

    def check(self, predicate: Predicate, watched: int) -> None:
        """An error if a predicate names what does not exist, for a watched thread of this type."""
        own = self._names(procedures_run_by(self._program, watched))
        types = range(len(self._program.threads))
        any_thread = self._names(n for one in types for n in procedures_run_by(self._program, one))
        for part in parts(predicate.formula):
            match part:
                case Quantified():
                    if part.number > _MOST_COUNTED:
                        message = f"a count is compared with a number up to {_MOST_COUNTED}"
                        raise predicate.error(part.column, message)
                    if not part.variable:
                        self._check_alone(predicate, part, any_thread)
                    elif not any(_is_about(each, part.variable) for each in parts(part.body)):
                        message = f"this says nothing about the thread {part.variable}"
                        raise predicate.error(part.column, message)
                case At():
                    self._check_place(predicate, part)
                case Name() if part.thread:
                    self._check_name(predicate, part, self._local_names, "a thread")
        for part in _outside_counts(predicate.formula):
            if isinstance(part, Name) and not part.thread:
                self._check_name(predicate, part, own, "the watched thread")
        self._check_linear(predicate, watched)

    def locals_of(self, predicate: Predicate) -> set[str]:
        """The names that a predicate reads of the watched thread and that are not global."""
        named = {
            part.name
            for part in _outside_counts(predicate.formula)
            if isinstance(part, Name) and not part.thread
        }
        return named - self._global_names - self._members.keys()

    def has_locals(self, thread: int, names: Iterable[str]) -> bool:
        """Whether threads of a type have local variables of these names."""
        return self._names(procedures_run_by(self._program, thread)).issuperset(names)

    def points(self, place: str) -> frozenset[int]:
        if place not in self._points:
            self._points[place] = frozenset(places(self._program, place))
        return self._points[place]

    def variable(self, name: str, stack: Stack) -> Variable | None:
        """The variable that a name stands for in the code at the top of a stack."""
        procedure = self._program.layout.procedure(stack[0]) if stack else None
        local = () if procedure is None else procedure.variables
        return next((each for each in (*local, *self._program.globals) if each.name == name), None)

    def member(self, name: str) -> int | None:
        """The number of a member of an enumeration."""
        return self._members.get(name)

    @cached_property
    def _members(self) -> dict[str, int]:
        found: dict[str, int] = {"true": 1, "false": 0}
        for variable in self._variables():
            if isinstance(variable.scalar, Enumeration):
                for number, name in enumerate(variable.scalar.members):
                    found.setdefault(name, number)
        return found

    @cached_property
    def _global_names(self) -> set[str]:
        return {variable.name for variable in self._program.globals}

    @cached_property
    def _local_names(self) -> set[str]:
        return {each.name for each in self._variables() if each.procedure is not None}

    def _variables(self) -> Iterator[Variable]:
        yield from self._program.globals
        for procedure in self._program.procedures:
            yield from procedure.variables

    def _names(self, procedures: Iterable[int]) -> set[str]:
        """What can be named of a thread that runs some procedures."""
        local = {
            variable.name
            for number in procedures
            for variable in self._program.procedures[number].variables
        }
        return local | self._global_names | self._members.keys()

    def _check_alone(self, predicate: Predicate, count: Quantified, known: set[str]) -> None:
        """Check a count whose names are those of the counted thread."""
        if not any(isinstance(part, At | Name) for part in parts(count.body)):
            raise predicate.error(count.column, "this says nothing about the counted thread")
        for part in parts(count.body):
            if isinstance(part, Name):
                self._check_name(predicate, part, known, "a thread")

    def _check_place(self, predicate: Predicate, part: At) -> None:
        try:
            self.points(part.place)
        except UsageError as error:
            raise predicate.error(part.column, str(error)) from None

    def _check_name(self, predicate: Predicate, part: Name, known: set[str], whose: str) -> None:
        variables = [each for each in self._variables() if each.name == part.name]
        if part.name not in known:
            hint = did_you_mean(part.name, sorted(known - {"true", "false"}), "there are")
            if part.name == "pc":
                hint = (
                    ": the place is always part of the abstract state, and 'at PLACE' asks for it"
                )
            what = f"{shown(part.name)} is no variable of {whose}{hint}"
            raise predicate.error(part.column, what)
        if part.index is not None and all(part.index >= each.length for each in variables):
            raise predicate.error(part.column, f"{part.name} has no element {part.index}")
        if part.index is None and variables and all(each.length > 1 for each in variables):
            message = f"{part.name} is an array: name an element, as in {part.name}[0]"
            raise predicate.error(part.column, message)
        if any(each.scalar == THREAD for each in variables):
            message = f"{part.name} names threads, and predicates cannot be about that"
            raise predicate.error(part.column, message)

    def _check_linear(self, predicate: Predicate, watched: int) -> None:
        for stack in self.paths.stacks[watched]:
            for thread in range(len(self._program.threads)):
                for other in self.paths.stacks[thread]:
                    someone = [(self.terms.true, Standing("o", other))]
                    try:
                        self.truth(predicate, Standing(WATCHED, stack), [someone])
                    except NotLinear as error:
                        raise predicate.error(1, f"this has {error}") from None


class _NoValue(Exception):  # noqa: N818
    """A formula reads a variable that a thread does not have; `is_bound` is the quantified one."""

    def __init__(self, is_bound: bool) -> None:
        super().__init__()
        self.is_bound = is_bound


class _Meaning:
    """One predicate, for some threads."""

    def __init__(self, about: PredicateTerms, watched: Standing, others: Sequence[Someone]) -> None:
        self._about, self._terms = about, about.terms
        self._watched, self._others = watched, others

    def truth(self, term: Term) -> Term:
        """A term as a truth value."""
        terms = self._terms
        if terms.is_truth(term):
            return term
        return terms.negation(terms.equal(term, terms.constant(0)))

    def term(self, formula: Formula, bound: Standing | None) -> Term:
        """What a formula stands for, inside a quantifier for a thread that this is about."""
        terms = self._terms
        match formula:
            case Number():
                return terms.constant(formula.value)
            case Name():
                return self._name(formula, bound)
            case At():
                thread = self._thread(formula, bound)
                points = self._about.points(formula.place)
                return terms.truth(bool(thread.stack) and thread.stack[0] in points)
            case Operation():
                return self._operation(formula, bound)
            case Quantified():
                return self._quantified(formula)

    def _thread(self, part: Name | At, bound: Standing | None) -> Standing:
        """The thread that a name is about."""
        if bound is not None and (part.thread or self._is_alone):
            return bound
        return self._watched

    _is_alone = False
    """Whether names without a thread are about the counted thread."""

    def _name(self, name: Name, bound: Standing | None) -> Term:
        thread = self._thread(name, bound)
        variable = self._about.variable(name.name, thread.stack)
        if variable is None or (name.thread and variable.procedure is None):
            member = None if name.thread else self._about.member(name.name)
            if member is None:
                raise _NoValue(self._is_alone or bool(name.thread))
            return self._terms.constant(member)
        index = name.index or 0
        if variable.procedure is None:
            return self._terms.variable(f"g.{variable.name}.{index}")
        depth = len(thread.stack) - 1
        return self._terms.variable(f"{thread.role}.{depth}.{variable.name}.{index}")

    def _operation(self, operation: Operation, bound: Standing | None) -> Term:
        terms, operator = self._terms, operation.operator
        left = self.term(operation.operands[0], bound)
        if operator in ("&&", "||", "->"):
            test = self.truth(left)
            if operator == "->":
                test = terms.negation(test)
            if test == terms.truth(operator != "&&"):
                return test
            right = self.truth(self.term(operation.operands[1], bound))
            join = terms.conjunction if operator == "&&" else terms.disjunction
            return join((test, right))
        if operator == "!":
            return terms.negation(self.truth(left))
        left = self._number(left)
        if operator == "minus":
            return terms.times(-1, left)
        right = self._number(self.term(operation.operands[1], bound))
        match operator:
            case "+":
                return terms.sum((left, right))
            case "-":
                return terms.difference(left, right)
            case "*":
                return terms.product(left, right)
        return self._compared(operator, left, right)

    def _compared(self, operator: str, left: Term, right: Term) -> Term:
        terms = self._terms
        match operator:
            case "=":
                return terms.equal(left, right)
            case "!=":
                return terms.negation(terms.equal(left, right))
            case "<":
                return terms.less(left, right)
            case "<=":
                return terms.at_most(left, right)
            case ">":
                return terms.less(right, left)
        return terms.at_most(right, left)

    def _number(self, term: Term) -> Term:
        terms = self._terms
        if not terms.is_truth(term):
            return term
        return terms.ite(term, terms.constant(1), terms.constant(0))

    def _quantified(self, quantified: Quantified) -> Term:
        terms = self._terms
        self._is_alone = not quantified.variable
        try:
            if quantified.quantity != "count":
                found = [self._of(quantified, other) for other in self._others]
                if quantified.quantity == "forall":
                    return terms.conjunction(_implied(terms.implication, found))
                return terms.disjunction(_implied(lambda a, b: terms.conjunction((a, b)), found))
            watched: Someone = [(terms.true, self._watched)]
            each = [self._of(quantified, other) for other in (watched, *self._others)]
        finally:
            self._is_alone = False
        some = [
            terms.disjunction(terms.conjunction(pair) for pair in alternatives)
            for alternatives in each
        ]
        total = terms.sum([self._number(one) for one in some])
        return self._compared(quantified.operator, total, terms.constant(quantified.number))

    def _of(self, quantified: Quantified, someone: Someone) -> list[tuple[Term, Term]]:
        """When a thread is where it has what is read of it, and whether the formula holds then."""
        found = []
        for condition, standing in someone:
            try:
                body = self.truth(self.term(quantified.body, standing))
            except _NoValue as missing:
                if not missing.is_bound:
                    raise
                continue
            found.append((condition, body))
        return found


def _implied(
    join: Callable[[Term, Term], Term], found: list[list[tuple[Term, Term]]]
) -> Iterator[Term]:
    for alternatives in found:
        for condition, body in alternatives:
            yield join(condition, body)


def _outside_counts(formula: Formula) -> Iterator[Formula]:
    """The parts of a formula in which bare names are about the watched thread."""
    if isinstance(formula, Quantified) and not formula.variable:
        return
    yield formula
    if isinstance(formula, Operation):
        for operand in formula.operands:
            yield from _outside_counts(operand)
    elif isinstance(formula, Quantified):
        yield from _outside_counts(formula.body)


def _is_about(part: Formula, thread: str) -> bool:
    return isinstance(part, At | Name) and part.thread == thread
