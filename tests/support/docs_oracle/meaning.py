"""Names, types and values of expressions: an expression becomes a function to all its values."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import product

from support.docs_oracle.tree import (
    Binary,
    Choice,
    Element,
    Expr,
    Name,
    Num,
    Program,
    Refused,
    Schoose,
    Star,
    TooBig,
    Truth,
    Type,
    Unary,
    Variable,
)

Values = tuple[int, ...]
Env = tuple[Values, Values, Values, Values]
"""Globals and locals before the step, and after it (which only `constrain` looks at)."""
Evaluate = Callable[[Env], Values]
"""Every value that the expression can have; none if it blocks."""
Address = tuple[int, int]
"""0 for a global and 1 for a local variable, and its place there."""


@dataclass(frozen=True)
class Kind:
    """The type of an expression; one made of numbers only is `number`, and may be several."""

    name: str
    members: tuple[str, ...] = ()
    numbers: frozenset[int] = frozenset()


BOOL, INT, THREAD = Kind("bool"), Kind("int"), Kind("thread")
ARITHMETIC: dict[str, Callable[[int, int], int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "^": operator.xor,
    "=": lambda a, b: int(a == b),
    "!=": lambda a, b: int(a != b),
    "<": lambda a, b: int(a < b),
    "<=": lambda a, b: int(a <= b),
    ">": lambda a, b: int(a > b),
    ">=": lambda a, b: int(a >= b),
}


def kind_of(kind: Type) -> Kind:
    """The kind of a variable's type."""
    return Kind(kind.kind, kind.members)


def fits(wanted: Kind, found: Kind) -> bool:
    """Whether a value of the found kind may stand where the other is wanted."""
    if found.name != "number":
        return wanted == found
    if wanted.name == "bool":
        return found.numbers <= {0, 1}
    if wanted.name == "enum":
        return found.numbers <= set(range(len(wanted.members)))
    return wanted.name == "int"


def common(left: Kind, right: Kind) -> Kind:
    """The kind of both sides of an equation or of `?:`."""
    if left.name == right.name == "number":
        return Kind("number", numbers=left.numbers | right.numbers)
    if fits(left, right):
        return left
    if fits(right, left):
        return right
    raise Refused(f"{left.name} and {right.name} do not go together")


@dataclass
class Layout:
    """Where variables are in a tuple of values; an array takes several places."""

    places: dict[str, tuple[int, Variable]] = field(default_factory=dict)
    slots: list[Variable] = field(default_factory=list)

    def add(self, variable: Variable) -> None:
        """One more variable."""
        if variable.name in self.places:
            raise Refused(f"{variable.name} is declared twice")
        self.places[variable.name] = (len(self.slots), variable)
        self.slots += [variable] * (variable.length or 1)

    def names(self) -> list[str]:
        """The name of every place, such as a[0]."""
        found = []
        for name, (_, variable) in self.places.items():
            if variable.length is None:
                found.append(name)
            else:
                found += [f"{name}[{index}]" for index in range(variable.length)]
        return found


class Scope:
    """The names that are known in a procedure, or to the global variables."""

    def __init__(self, constants: dict[str, tuple[int, Type]], shared: Layout, own: Layout) -> None:
        self.constants = constants
        self.layouts = (shared, own)

    def find(self, name: str) -> tuple[int, int, Variable]:
        """A variable: global (0) or local (1), its place, and its declaration."""
        for space in (1, 0):
            if name in self.layouts[space].places:
                place, variable = self.layouts[space].places[name]
                return space, place, variable
        raise Refused(f"{name} is unknown")

    # Kinds

    def kind(self, expr: Expr, primes: bool = False) -> Kind:
        """The kind of an expression; `primes` says whether 'x is allowed."""
        match expr:
            case Num(value):
                return Kind("number", numbers=frozenset([value]))
            case Truth() | Star():
                return BOOL
            case Name() | Element():
                return self.name_kind(expr, primes)
            case Unary(op, operand):
                return self.need(BOOL if op == "!" else INT, operand, primes)
            case Binary():
                return self.binary_kind(expr, primes)
            case Choice(test, yes, no):
                self.need(BOOL, test, primes)
                found = common(self.kind(yes, primes), self.kind(no, primes))
                if found == THREAD:
                    raise Refused("no condition chooses a thread")
                return found
            case Schoose(one, zero):
                self.need(BOOL, one, primes)
                return self.need(BOOL, zero, primes)

    def need(self, wanted: Kind, expr: Expr, primes: bool) -> Kind:
        """Refuse an expression of another kind."""
        found = self.kind(expr, primes)
        if not fits(wanted, found):
            raise Refused(f"{wanted.name} is wanted here, not {found.name}")
        return wanted

    def name_kind(self, expr: Name | Element, primes: bool) -> Kind:
        """The kind of a variable, an element or a member of an enumeration."""
        if expr.primed and not primes:
            raise Refused(f"'{expr.name} is outside of constrain")
        if self.is_constant(expr.name):
            if isinstance(expr, Element) or expr.primed:
                raise Refused(f"{expr.name} is no variable")
            return kind_of(self.constants[expr.name][1])
        variable = self.find(expr.name)[2]
        if isinstance(expr, Element) != (variable.length is not None):
            raise Refused(f"{expr.name} is an array, or is none")
        if isinstance(expr, Element):
            self.need(INT, expr.index, primes)
        return kind_of(variable.type)

    def is_constant(self, name: str) -> bool:
        """Whether a name is a member of an enumeration, and no variable hides it."""
        return name in self.constants and all(name not in known.places for known in self.layouts)

    def binary_kind(self, expr: Binary, primes: bool) -> Kind:
        """The kind of an expression with two sides."""
        if expr.op in ("=", "!="):
            if THREAD in (self.kind(expr.left, primes), self.kind(expr.right, primes)):
                raise Refused("threads are not compared")
            common(self.kind(expr.left, primes), self.kind(expr.right, primes))
            return BOOL
        wanted = BOOL if expr.op in ("=>", "||", "^", "&&") else INT
        self.need(wanted, expr.left, primes)
        self.need(wanted, expr.right, primes)
        return INT if expr.op in ("+", "-", "*") else BOOL

    # Values

    def condition(self, expr: Expr, primes: bool = False) -> Evaluate:
        """A Boolean expression."""
        self.need(BOOL, expr, primes)
        return self.evaluate(expr)

    def stored(self, expr: Expr, wanted: Type) -> Evaluate:
        """What is stored if the expression is assigned, passed or returned."""
        if wanted.kind == "thread":
            if not isinstance(expr, Name) or self.kind(expr) != THREAD:
                raise Refused("only a variable names a thread")
            return self.evaluate(expr)
        if isinstance(expr, Star):
            return constantly(wanted.values())
        self.need(kind_of(wanted), expr, False)
        inner = self.evaluate(expr)
        if wanted.kind != "int":
            return inner
        fit = wanted.fit

        def fitted(env: Env) -> Values:
            return tuple(v for v in map(fit, inner(env)) if v is not None)

        return fitted

    def addresses(self, target: Expr) -> tuple[Type, Callable[[Env], list[Address]]]:
        """Where an assignment stores, and what type is wanted there."""
        if not isinstance(target, Name | Element):
            raise Refused("this cannot be assigned")
        if self.is_constant(target.name):
            raise Refused(f"{target.name} is a constant")
        self.name_kind(target, False)
        space, place, variable = self.find(target.name)
        if isinstance(target, Name):
            only = [(space, place)]
            return variable.type, lambda _: only
        index, length = self.evaluate(target.index), variable.length or 0
        return variable.type, lambda env: [
            (space, place + value) for value in index(env) if 0 <= value < length
        ]

    def evaluate(self, expr: Expr) -> Evaluate:
        """The function to all values, for an expression whose kind was checked."""
        match expr:
            case Num(value) | Truth(value):
                return constantly((value,))
            case Star():
                return constantly((0, 1))
            case Name(name, primed):
                if self.is_constant(name):
                    return constantly((self.constants[name][0],))
                space, place, _ = self.find(name)
                space += 2 * primed
                return lambda env: (env[space][place],)
            case Element():
                return self.element(expr)
            case Unary(op, operand):
                inner = self.evaluate(operand)
                if op == "!":
                    return lambda env: tuple(1 - v for v in inner(env))
                return lambda env: tuple(-v for v in inner(env))
            case Binary(op, left, right):
                return both(op, self.evaluate(left), self.evaluate(right))
            case Choice(test, yes, no):
                return choice(self.evaluate(test), self.evaluate(yes), self.evaluate(no))
            case Schoose(one, zero):
                otherwise = choice(self.evaluate(zero), constantly((0,)), constantly((0, 1)))
                return choice(self.evaluate(one), constantly((1,)), otherwise)

    def element(self, expr: Element) -> Evaluate:
        """An element of an array; an index outside blocks."""
        space, place, variable = self.find(expr.name)
        space += 2 * expr.primed
        length = variable.length or 0
        index = self.evaluate(expr.index)
        return lambda env: tuple(env[space][place + v] for v in index(env) if 0 <= v < length)


def constantly(values: Values) -> Evaluate:
    """The same values everywhere."""
    return lambda _: values


def choice(test: Evaluate, yes: Evaluate, no: Evaluate) -> Evaluate:
    """Only what is needed is evaluated."""

    def found(env: Env) -> Values:
        values: set[int] = set()
        for value in test(env):
            values.update(yes(env) if value else no(env))
        return tuple(values)

    return found


def both(op: str, left: Evaluate, right: Evaluate) -> Evaluate:
    """An operator with two sides."""
    if op == "&&":
        return choice(left, right, constantly((0,)))
    if op == "||":
        return choice(left, constantly((1,)), right)
    if op == "=>":
        return choice(left, right, constantly((1,)))
    apply = ARITHMETIC[op]

    def found(env: Env) -> Values:
        first = left(env)
        second = right(env) if first else ()
        if len(first) == len(second) == 1:
            return (apply(first[0], second[0]),)
        return tuple({apply(a, b) for a in first for b in second})

    return found


def constants(program: Program) -> dict[str, tuple[int, Type]]:
    """The members of all enumerations; equal lists are one enumeration."""
    found: dict[str, tuple[int, Type]] = {}
    for kind in all_types(program):
        if len(set(kind.members)) < len(kind.members):
            raise Refused("a member of an enumeration is there twice")
        for value, member in enumerate(kind.members):
            if found.setdefault(member, (value, kind))[1] != kind:
                raise Refused(f"{member} is a member of two enumerations")
    return found


def all_types(program: Program) -> Iterable[Type]:
    """Every type that the program writes down."""
    for variable in program.variables:
        yield variable.type
    for procedure in program.procedures:
        yield from procedure.results
        for variable in procedure.parameters + procedure.variables:
            yield variable.type


def starts(scope: Scope, variables: Iterable[Variable], lock: str = "") -> list[Values]:
    """Every tuple of values with which these variables can start; a scheduler lock with 0."""
    choices: list[Values] = []
    count = 1
    for variable in variables:
        first = variable.type.values()
        if variable.name == lock and variable.initial is None:
            first = (0,)
        if variable.initial is not None:
            first = scope.stored(variable.initial, variable.type)(((), (), (), ()))
        choices += [first] * (variable.length or 1)
        count *= len(first) ** (variable.length or 1)
        if count > 100_000:
            raise TooBig("there are too many initial values")
    return list(product(*choices))
