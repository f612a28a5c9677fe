"""What the solver is asked: formulas, paths and facts as text.

All variables of a question become constants of the solver with names of its own, so that no name of
a program, however odd, reaches it. A formula is defined once, as a function of its variables.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Iterator, MutableMapping
from functools import partial

from tepui.checker.invariants.invariant import Counter, Stack
from tepui.checker.invariants.shape import Shape, Vector
from tepui.checker.invariants.solver import Solver
from tepui.checker.invariants.terms import Term
from tepui.checker.invariants.thread_paths import Path
from tepui.checker.invariants.values import Range
from tepui.records import record

Naming = Callable[[str], str]
"""The text for a variable."""

OTHER = "e"
"""The role of a thread that is not observed."""


@record
class Mover:
    """A thread that takes a path: its role (`t{i}` for the thread at position i), type and path."""

    role: str
    thread: int
    path: Path

    def name(self, name: str) -> str:
        """A variable of the path as one of the obligation."""
        return f"{self.role}.{name[2:]}" if name.startswith("@.") else name


class Symbols:
    """What the solver knows by name: the constants and the formulas that occurred so far."""

    def __init__(self, shape: Shape, solver: Solver) -> None:
        self._shape, self._solver = shape, solver
        self._constants: dict[str, str] = {}
        self._functions: dict[Vector, tuple[str, list[str]]] = {}

    def constant(self, name: str) -> str:
        if name not in self._constants:
            self._constants[name] = symbol = f"v{len(self._constants)}"
            self._solver.always(f"(declare-const {symbol} Int)")
        return self._constants[name]

    def function(self, vector: Vector) -> tuple[str, list[str]]:
        """The name of a formula, and its variables."""
        if vector not in self._functions:
            self._functions[vector] = self._defined(vector)
        return self._functions[vector]

    def _defined(self, vector: Vector) -> tuple[str, list[str]]:
        terms, root = self._shape.terms, self._shape.formulas[vector]
        name = f"f{len(self._functions)}"
        variables = terms.variables([root])
        parameters = {variable: f"p{number}" for number, variable in enumerate(variables)}
        declared = " ".join(f"({symbol} Int)" for symbol in parameters.values())
        body = terms.text(root, parameters.__getitem__)
        self._solver.always(f"(define-fun {name} ({declared}) Bool {body})")
        return name, variables


class Question:
    """Whether something can be, for a vector of the observed threads and perhaps a mover."""

    def __init__(
        self, shape: Shape, symbols: Symbols, vector: Vector, mover: Mover | None = None
    ) -> None:
        self._shape, self._symbols = shape, symbols
        self._vector, self._mover = vector, mover
        self._ranges = ChainMap(*_ranges(shape, vector, mover))
        self._used: dict[str, Range] = {}
        self._assertions: list[str] = []

    def text(self) -> list[str]:
        """What can be true together: all that was added, and the facts that always hold."""
        return [*self._assertions, *self._facts()]

    def add(self, assertion: str) -> None:
        self._assertions.append(assertion)

    def symbol(self, name: str) -> str:
        """The constant for a variable of the obligation."""
        self._used[name] = self._ranges[name]
        return self._symbols.constant(name)

    def formula(self, vector: Vector, naming: Naming | None = None) -> str:
        """The formula of a vector, for some values of its variables."""
        if vector not in self._shape.formulas:
            return "false"
        name, variables = self._symbols.function(vector)
        arguments = " ".join(map(naming or self.symbol, variables))
        return f"({name} {arguments})" if arguments else name

    def instead(self, vector: Vector, place: int, stack: Stack) -> str:
        """The formula of the vector in which the mover, which is not observed, is at a position."""
        role = f"t{place}."

        def naming(name: str) -> str:
            if name.startswith(role):
                return self.symbol(f"{OTHER}.{name.removeprefix(role)}")
            return self.symbol(name)

        return self.formula((*vector[:place], stack, *vector[place + 1 :]), naming)

    def condition(self) -> str:
        """When the mover's path exists."""
        assert self._mover is not None
        return self._term(self._mover, self._mover.path.condition)

    def after(self, name: str) -> str:
        """The value of a variable after the mover's path."""
        mover = self._mover
        assert mover is not None
        if name.startswith("c."):
            return self._counted_after(mover, name)
        role = f"{mover.role}."
        own = f"@.{name.removeprefix(role)}" if name.startswith(role) else name
        if own in mover.path.changed:
            return self._term(mover, mover.path.changed[own])
        return self.symbol(name)

    def is_moved(self, name: str) -> bool:
        """Whether a variable may have another value after the mover's path."""
        return self.after(name) != self.symbol(name)

    def _term(self, mover: Mover, term: Term) -> str:
        return self._shape.terms.text(term, lambda name: self.symbol(mover.name(name)))

    def _counted_after(self, mover: Mover, name: str) -> str:
        counter = self._shape.counters[int(name.removeprefix("c."))]
        if counter.thread != mover.thread:
            return self.symbol(name)
        role, path = mover.role, mover.path
        before = _counted(counter, path.before, lambda own: self.symbol(f"{role}.{own}"))
        after = _counted(counter, path.after, lambda own: self.after(f"{role}.{own}"))
        if before == after:
            return self.symbol(name)
        return f"(+ {self.symbol(name)} {after} (- {before}))"

    def _facts(self) -> list[str]:
        """What always holds for the variables that occur."""
        facts = []
        for name in [name for name in self._used if name.startswith("c.")]:
            counter = self._shape.counters[int(name.removeprefix("c."))]
            facts.append(f"(>= {self.symbol(name)} {self._seen(counter)})")
        for name, (low, high) in self._used.items():
            symbol = self._symbols.constant(name)
            if low is not None:
                facts.append(f"(>= {symbol} {low})" if low >= 0 else f"(>= {symbol} (- {-low}))")
            if high is not None:
                facts.append(f"(<= {symbol} {high})" if high >= 0 else f"(<= {symbol} (- {-high}))")
        identities = [name for name in self._used if name.endswith(".self") and name[0] in "te"]
        if len(identities) > 1:
            facts.append(f"(distinct {' '.join(map(self._symbols.constant, identities))})")
        return facts

    def _seen(self, counter: Counter) -> str:
        """How many of the threads in sight a counter counts before the path."""
        found = ["0"]
        threads = list(zip(self._shape.positions, self._vector, strict=True))
        roles = [f"t{place}" for place in range(len(threads))]
        if self._mover is not None and self._mover.role == OTHER:
            threads.append((self._mover.thread, self._mover.path.before))
            roles.append(OTHER)
        for (thread, stack), role in zip(threads, roles, strict=True):
            if thread == counter.thread:
                found.append(_counted(counter, stack, partial(self._own, role)))
        return found[0] if len(found) == 1 else f"(+ {' '.join(found)})"

    def _own(self, role: str, name: str) -> str:
        return self.symbol(f"{role}.{name}")


def _ranges(
    shape: Shape, vector: Vector, mover: Mover | None
) -> Iterator[MutableMapping[str, Range]]:
    """The variables of a question, with their values."""
    if mover is not None:
        yield dict(mover.path.fresh)
        if mover.role == OTHER:
            yield shape.own(OTHER, mover.path.before)
    yield shape.variables(vector)


def _counted(counter: Counter, stack: Stack, naming: Naming) -> str:
    """1 if a counter counts a thread with this control stack and these values, and 0 if not."""
    if stack != counter.stack:
        return "0"
    if not counter.where:
        return "1"
    wanted = (
        f"(= {naming(name)} {value if value >= 0 else f'(- {-value})'})"
        for name, value in counter.where
    )
    return f"(ite (and true {' '.join(wanted)}) 1 0)"
