"""Random expressions over given variables, for random programs.

They are typed as a language would have them (conditions are Boolean, arithmetic is on integers),
with a few exceptions where the Program says what happens: indices may miss their array, values
their range.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from tepui.program.expressions import (
    ANY,
    FALSE,
    NOBODY,
    TRUE,
    Binary,
    BinaryOperator,
    Choice,
    Conditional,
    Constant,
    Expression,
    Read,
    ReadElement,
    Self,
    Unary,
    Variable,
)
from tepui.program.program import Element, Target
from tepui.program.types import BOOLEAN, THREAD, Array, Bounded, Enumeration, Scalar

COLOURS = Enumeration(("red", "green", "blue"))

SAME: list[BinaryOperator] = ["=", "!="]


@dataclass(frozen=True)
class Scope:
    """The variables that an expression can name; it makes expressions of them."""

    rng: Random
    variables: tuple[Variable, ...]
    changed: tuple[Variable, ...] = ()
    """Those that a constraint can name by their new values."""
    constants: bool = True
    """Whether a certain thread can be named."""

    def condition(self, depth: int = 2) -> Expression:
        """A Boolean expression."""
        rng = self.rng
        leaf = self._boolean_leaf
        if self._of_type(THREAD) and rng.random() < 0.35:
            return Binary(rng.choice(SAME), self._identity(), self._identity())
        if depth == 0 or rng.random() < 0.35:
            return leaf()
        match rng.randrange(10):
            case 0 | 1:
                return Unary("not", self.condition(depth - 1))
            case 2 | 3 | 4:
                logic: list[BinaryOperator] = ["and", "or", "implies", "xor", "=", "!="]
                sides = self.condition(depth - 1), self.condition(depth - 1)
                return Binary(rng.choice(logic), *sides)
            case 5 | 6 | 7 if self._numbers():
                order: list[BinaryOperator] = ["=", "!=", "<", "<=", ">", ">="]
                return Binary(rng.choice(order), self.number(depth - 1), self.number(depth - 1))
            case 8 if self._of_type(COLOURS):
                colours = self._colour(), self._colour()
                return Binary(rng.choice(SAME), *colours)
            case 9:
                parts = [self.condition(depth - 1) for _ in range(3)]
                return Conditional(*parts)
            case _:
                return leaf()

    def number(self, depth: int = 1) -> Expression:
        """An integer expression."""
        rng = self.rng
        names = self._numbers()
        if depth == 0 or rng.random() < 0.5:
            if names and rng.random() < 0.7:
                return self._read(rng.choice(names))
            return Constant(rng.randint(-1, 3), Bounded(-1, 3))
        match rng.randrange(6):
            case 0:
                return Unary("minus", self.number(depth - 1))
            case 1:
                sides = self.number(depth - 1), self.number(depth - 1)
                return Conditional(self.condition(depth - 1), *sides)
            case 2:
                return Choice(Bounded(0, 1))
            case _:
                signs: list[BinaryOperator] = ["+", "+", "-", "*"]
                sides = self.number(depth - 1), self.number(depth - 1)
                return Binary(rng.choice(signs), *sides)

    def value(self, kind: Scalar) -> Expression:
        """An expression to be stored in a variable of some type."""
        rng = self.rng
        if kind == THREAD:
            return self._identity()
        if rng.random() < 0.2:
            return Choice(kind) if rng.random() < 0.9 else Choice(Bounded(0, 1))
        if isinstance(kind, Enumeration):
            return self._colour()
        if isinstance(kind, Bounded) or rng.random() < 0.03:
            return self.number()
        return rng.choice([TRUE, FALSE]) if rng.random() < 0.4 else self.condition(1)

    def target(self) -> Target | None:
        """Something to assign to, if there is anything."""
        if not self.variables:
            return None
        variable = self.rng.choice(self.variables)
        if isinstance(variable.type, Array):
            return Element(variable, self._index(variable))
        return variable

    def _boolean_leaf(self) -> Expression:
        names = [v for v in self.variables if v.scalar == BOOLEAN]
        if names and self.rng.random() < 0.85:
            return self._read(self.rng.choice(names))
        constants: list[Expression] = [TRUE, FALSE, ANY, ANY]
        return self.rng.choice(constants)

    def _colour(self) -> Expression:
        names = self._of_type(COLOURS)
        if names and self.rng.random() < 0.6:
            return self._read(self.rng.choice(names))
        return Constant(self.rng.randrange(3), COLOURS)

    def _identity(self, depth: int = 1) -> Expression:
        """Who is running, whom a variable names, nobody, and rarely a certain thread."""
        rng, names = self.rng, self._of_type(THREAD)
        match rng.randrange(20):
            case 0 if self.constants:
                return Constant(1, THREAD)
            case 1 if depth:
                return Conditional(self._boolean_leaf(), self._identity(0), self._identity(0))
            case 2 | 3 | 4:
                return NOBODY
            case number if number < 12 and names:
                return self._read(rng.choice(names))
            case _:
                return Self()

    def _read(self, variable: Variable) -> Expression:
        if isinstance(variable.type, Array):
            return ReadElement(variable, self._index(variable))
        after = variable in self.changed or (bool(self.changed) and self.rng.random() < 0.3)
        return Read(variable, after=after and self.rng.random() < 0.8)

    def _index(self, variable: Variable) -> Expression:
        scalars = [v for v in self.variables if v.type in (BOOLEAN, Bounded(0, 2))]
        if scalars and self.rng.random() < 0.5:
            return Read(self.rng.choice(scalars))
        if self.rng.random() < 0.15:
            return Choice(Bounded(0, variable.length))
        return Constant(self.rng.randrange(variable.length + 1), Bounded(0, 3))

    def _numbers(self) -> list[Variable]:
        return [v for v in self.variables if isinstance(v.scalar, Bounded)]

    def _of_type(self, kind: Scalar) -> list[Variable]:
        return [v for v in self.variables if v.scalar == kind]
