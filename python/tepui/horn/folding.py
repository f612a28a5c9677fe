"""Finite data as part of control: local states of threads, and what their moves do to them.

A *local state* is a control stack with the values of those live local variables whose types are
small; the others stay symbolic. Likewise the small global variables of a state are a tuple of
numbers here. So what a solver sees is numbers only, and a value that no continuation reads is no
difference between states.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product

from tepui.horn.linear_terms import (
    Formula,
    Interval,
    Term,
    equal,
    settled,
    variables_of,
)
from tepui.horn.stacks import Stack, Stacks
from tepui.horn.symbolic_paths import Path, SymbolicPaths
from tepui.horn.valuing import Values, variable_name
from tepui.program.calls import procedures_run_by
from tepui.program.expressions import Variable
from tepui.program.liveness import live_variables
from tepui.program.program import Program
from tepui.program.types import BOOLEAN, Integer, Scalar, ThreadId
from tepui.program.walk import reads_of
from tepui.records import record

FoldedGlobals = tuple[int, ...]


@record
class LocalState:
    """Where a thread of a type is, the values of its small live variables, and the names of the
    others."""

    thread: int
    stack: Stack
    values: tuple[tuple[str, int], ...] = ()
    integers: tuple[str, ...] = ()


@record
class Start:
    """One way to begin: small values, terms for the others, and what is true of them."""

    values: tuple[int, ...]
    terms: Mapping[str, Term]
    ranges: Mapping[str, Interval]
    conditions: tuple[Formula, ...] = ()


@record
class Move:
    """What a thread does in one step.

    `terms` are the integers of the global state that change, and `local` all those of the local
    state after it. A move without local state `after` violates an assertion.
    """

    before: LocalState
    after: LocalState | None
    globals: FoldedGlobals
    terms: Mapping[str, Term]
    local: Mapping[str, Term]
    conditions: tuple[Formula, ...]
    ranges: Mapping[str, Interval]
    violated: int | None = None


class Folding:
    """The local states and moves of a program's threads."""

    def __init__(self, stacks: Stacks, most: int, *, folds_globals: bool = True) -> None:
        """Types with at most this number of values are small; those of global variables only if
        they are to be folded."""
        self.stacks = stacks
        self.program: Program = stacks.program
        self._most = most
        self._paths = SymbolicPaths(stacks)
        self._live = [live_variables(each) for each in self.program.procedures]
        self._globals = self._global_scalars()
        self.folded = [
            name
            for name, each in self._globals.items()
            if folds_globals and self._is_small(each.type)
        ]
        self.integers = [name for name in self._globals if name not in set(self.folded)]
        self.ranges = _ranges((name, each.type) for name, each in self._globals.items())
        self.symbolic_ranges = {n: each for n, each in self.ranges.items() if n in self.integers}
        self._known: dict[tuple[LocalState, FoldedGlobals], list[Move]] = {}

    def knows_itself(self, thread: int) -> bool:
        return self.program.layout.knows_itself(thread)

    def starts(self) -> list[Start]:
        """How the global variables begin."""
        valuing = self._paths.valuing({})
        terms: Values = {}
        for name, each in self._globals.items():
            terms[name] = valuing.any_of(each.type) if each.initial is None else each.initial
        return list(self._split(self._folded_scalars, self.integers, terms, valuing.ranges))

    def local_starts(self, thread: int) -> list[tuple[LocalState, Start]]:
        """How the threads of a type begin."""
        stack, valuing = self.stacks.start(thread), self._paths.valuing({})
        waits = stack == (self.stacks.layout.waiting,)
        terms = {} if waits else self._paths.first_values(thread, valuing)
        terms["self"] = "self"
        small, integers = self._live_names(thread, stack)
        return [
            (self._local(thread, stack, small, start.values, integers), start)
            for start in self._split(self._only(small, stack), integers, terms, valuing.ranges)
        ]

    def local_states(self, thread: int) -> list[LocalState]:
        """All local states that the control-flow graph has, whatever is true there."""
        found = []
        for stack in self.stacks.all_stacks(thread):
            small, integers = self._live_names(thread, stack)
            scalars = self._scalars(stack)
            for values in product(*(_values(scalars[name]) for name in small)):
                found.append(self._local(thread, stack, small, values, integers))
        return found

    def local_ranges(self, state: LocalState) -> dict[str, Interval]:
        """The ranges of the symbolic variables of a local state."""
        scalars = self._scalars(state.stack)
        found = _ranges((name, scalars[name]) for name in state.integers if name != "self")
        if "self" in state.integers:
            found["self"] = 1, None
        return found

    def moves(self, state: LocalState, globals_: FoldedGlobals) -> list[Move]:
        """What a thread can do, given the small global variables."""
        key = state, globals_
        if key not in self._known:
            self._known[key] = list(self._moves(state, globals_))
        return self._known[key]

    def _moves(self, state: LocalState, globals_: FoldedGlobals) -> Iterator[Move]:
        values: Values = dict.fromkeys(self._all_global_names, 0)
        values |= dict.fromkeys(self._scalars(state.stack), 0)
        values |= {name: name for name in (*self.integers, *state.integers)}
        values |= dict(zip(self.folded, globals_, strict=True)) | dict(state.values)
        ranges = self.ranges | self.local_ranges(state)
        for path in self._paths.paths(state.thread, state.stack, values, ranges):
            yield from self._folded_path(state, path, ranges)

    def _folded_path(
        self, state: LocalState, path: Path, ranges: dict[str, Interval]
    ) -> Iterator[Move]:
        ranges = ranges | dict(path.ranges)
        terms = {n: path.values[n] for n in self.integers if path.values[n] != n}
        if path.violated is not None:
            known = tuple(0 for _ in self.folded)
            conditions = path.conditions
            chosen = _used(path.ranges, conditions)
            yield Move(state, None, known, {}, {}, conditions, chosen, path.violated)
            return
        small, integers = self._live_names(state.thread, path.stack)
        after: Values = dict(path.values) | {"self": "self"}
        scalars = self._folded_scalars | self._only(small, path.stack)
        for start in self._split(scalars, integers, after, ranges):
            shared = len(self.folded)
            local = self._local(state.thread, path.stack, small, start.values[shared:], integers)
            conditions = (*path.conditions, *start.conditions)
            chosen = _used(path.ranges, conditions, terms.values(), start.terms.values())
            yield Move(state, local, start.values[:shared], terms, start.terms, conditions, chosen)

    def _split(
        self,
        scalars: Mapping[str, Scalar],
        integers: Sequence[str],
        terms: Mapping[str, Term],
        ranges: Mapping[str, Interval],
    ) -> Iterator[Start]:
        """One case for all values that some terms of small types can have together."""
        kept = {name: terms[name] for name in integers}
        cases = [list(_cases(terms[name], scalars[name], ranges)) for name in scalars]
        for chosen in product(*cases):
            values = tuple(value for value, _ in chosen)
            conditions = tuple(each for _, each in chosen if each is not True)
            yield Start(values, kept, ranges, conditions)

    def _local(
        self,
        thread: int,
        stack: Stack,
        small: Sequence[str],
        values: Sequence[int],
        integers: Sequence[str],
    ) -> LocalState:
        return LocalState(thread, stack, tuple(zip(small, values, strict=True)), tuple(integers))

    def _live_names(self, thread: int, stack: Stack) -> tuple[list[str], list[str]]:
        """The small live variables of a stack, and the others."""
        small: list[str] = []
        integers: list[str] = []
        if stack != (self.stacks.layout.waiting,):
            for depth, point in enumerate(reversed(stack)):
                procedure, number = self.stacks.layout.locations[point]
                live = self._live[procedure][number]
                for variable in self.program.procedures[procedure].variables:
                    if variable in live:
                        into = small if self._is_small(variable.scalar) else integers
                        into += [variable_name(variable, i, depth) for i in range(variable.length)]
        if stack and self.knows_itself(thread):
            integers.append("self")
        return small, integers

    @property
    def _folded_scalars(self) -> dict[str, Scalar]:
        return {name: self._globals[name].type for name in self.folded}

    def _only(self, names: Sequence[str], stack: Stack) -> dict[str, Scalar]:
        scalars = self._scalars(stack)
        return {name: scalars[name] for name in names}

    def _scalars(self, stack: Stack) -> dict[str, Scalar]:
        """All local variables of a stack, by name."""
        if not stack or stack == (self.stacks.layout.waiting,):
            return {}
        return {
            variable_name(variable, element, depth): variable.scalar
            for depth, point in enumerate(reversed(stack))
            for variable in self.stacks.procedure(point).variables
            for element in range(variable.length)
        }

    def _is_small(self, scalar: Scalar) -> bool:
        return not isinstance(scalar, Integer | ThreadId) and scalar.size <= self._most

    @property
    def _all_global_names(self) -> list[str]:
        names = [
            variable_name(variable, element, 0)
            for variable in self.program.globals
            for element in range(variable.length)
        ]
        return [*names, *self._globals]

    def _global_scalars(self) -> dict[str, _Global]:
        """The scalars of the global state that somebody reads."""
        run = {
            number
            for thread in range(len(self.program.threads))
            for number in procedures_run_by(self.program, thread)
        }
        edges = (edge for number in run for edge in self.program.procedures[number].edges)
        read = {each.variable for edge in edges for each in reads_of(edge)}
        found: dict[str, _Global] = {}
        for variable in self.program.globals:
            if variable in read:
                for element in range(variable.length):
                    name = variable_name(variable, element, 0)
                    found[name] = _Global(variable.scalar, _initial(variable))
        for number, thread in enumerate(self.program.threads):
            if thread.created:
                found[f"created.{number}"] = _Global(BOOLEAN, 0)
                for variable in thread.inherited:
                    for element in range(variable.length):
                        name = f"inherited.{number}.{variable.name}.{element}"
                        found[name] = _Global(variable.scalar, None)
        return found


@record
class _Global:
    """A scalar of the global state: its type, and how it begins, if that is known."""

    type: Scalar
    initial: int | None


def _initial(variable: Variable) -> int | None:
    return 0 if isinstance(variable.scalar, ThreadId) else variable.initial


def _cases(
    term: Term, scalar: Scalar, ranges: Mapping[str, Interval]
) -> Iterator[tuple[int, Formula]]:
    """The values that a term can have, each with the condition that it has this value."""
    for value in [term] if isinstance(term, int) else _values(scalar):
        condition = settled(equal(term, value), ranges)
        if condition is not False:
            yield value, condition


def _values(scalar: Scalar) -> range:
    return range(scalar.low, scalar.low + scalar.size)


def _ranges(scalars: Iterable[tuple[str, Scalar]]) -> dict[str, Interval]:
    return {
        name: (scalar.low, scalar.low + scalar.size - 1)
        for name, scalar in scalars
        if not isinstance(scalar, Integer | ThreadId)
    }


def _used(
    ranges: Mapping[str, Interval],
    conditions: Iterable[Formula],
    *terms: Iterable[Term],
) -> dict[str, Interval]:
    """The ranges of those variables that occur."""
    names: set[str] = set()
    for each in conditions:
        names |= variables_of(each)
    for some in terms:
        for term in some:
            names |= variables_of(term)
    return {name: each for name, each in ranges.items() if name in names}
