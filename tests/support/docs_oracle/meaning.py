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
    Self,
    Star,
    TooBig,
    Truth,
    Type,
    Unary,
    Variable,
)

Values = tuple[int, ...]
Env = tuple[Values, Values, Values, Values, Values]
"""Globals and locals before the step, and after it (which only `constrain` looks at), and the
thread itself."""
Evaluate = Callable[[Env], Values]
"""Every value that the expression can have; BAD and UNFIT ones stand for what is none."""
BOUNDS, DIVISION, UNFIT = -(10**40), -(10**40) - 1, -(10**40) - 2
BAD = (BOUNDS, DIVISION)
"""Who evaluates this violates something. UNFIT is a value that cannot be stored."""
SELF = 4
"""The place in an Env of the thread itself."""
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
    "&": operator.and_,
    "|": operator.or_,
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
        self.identities = False
        """Whether threads are compared, or ask who they are."""

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
            case Self():
                return THREAD
            case Unary("~", operand):
                return bits(self.kind(operand, primes))
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

    def any_beside(self, expr: Binary) -> Type | None:
        """If one side of a comparison is `*`: the type of the other side, if it is no Boolean."""
        if expr.op not in ("=", "!=", "<", "<=", ">", ">="):
            return None
        sides = [side for side in (expr.left, expr.right) if not isinstance(side, Star)]
        if len(sides) != 1:
            return None
        match sides[0]:
            case Name(name) if self.is_constant(name):
                return self.constants[name][1]
            case Name(name) | Element(name):
                found = self.find(name)[2].type
                return found if found.kind in ("int", "enum") else None
        return self.machine(sides[0])

    def binary_kind(self, expr: Binary, primes: bool) -> Kind:
        """The kind of an expression with two sides."""
        if (beside := self.any_beside(expr)) is not None:
            wanted = INT if expr.op not in ("=", "!=") else kind_of(beside)
            self.need(wanted, expr.right if isinstance(expr.left, Star) else expr.left, primes)
            return BOOL
        if expr.op in ("=", "!="):
            if THREAD in (self.kind(expr.left, primes), self.kind(expr.right, primes)):
                self.identities = True
            common(self.kind(expr.left, primes), self.kind(expr.right, primes))
            return BOOL
        if expr.op in ("&", "|", "^"):
            return bits(common(self.kind(expr.left, primes), self.kind(expr.right, primes)))
        wanted = BOOL if expr.op in ("=>", "||", "&&") else INT
        self.need(wanted, expr.left, primes)
        self.need(wanted, expr.right, primes)
        if expr.op == ">>>" and self.machine(expr.left) is None:
            raise Refused(">>> is for machine integers")
        return INT if expr.op in COMPUTED else BOOL

    def machine(self, expr: Expr) -> Type | None:
        """The machine integer in which an expression is computed, if there is one."""
        match expr:
            case Name(name) | Element(name):
                if self.is_constant(name):
                    return None
                found = self.find(name)[2].type
                return found if found.width else None
            case Unary("-" | "~", operand):
                return self.machine(operand)
            case Binary("<<" | ">>" | ">>>", left):
                return self.machine(left)
            case Binary(op, left, right) if op in COMPUTED or op in ("&", "|", "^"):
                return widest(self.machine(left), self.machine(right))
            case Choice(_, yes, no):
                return widest(self.machine(yes), self.machine(no))
        return None

    # Values

    def condition(self, expr: Expr, primes: bool = False) -> Evaluate:
        """A Boolean expression."""
        self.need(BOOL, expr, primes)
        return self.evaluate(expr)

    def stored(self, expr: Expr, wanted: Type) -> Evaluate:
        """What is stored if the expression is assigned, passed or returned."""
        if wanted.kind == "thread":
            if not isinstance(expr, Name | Self) or self.kind(expr) != THREAD:
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
            found = [v if v in BAD else fit(v) for v in inner(env)]
            return tuple(UNFIT if v is None else v for v in found)

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
            (space, place + value)
            if 0 <= value < length
            else (0, value if value in BAD else BOUNDS)
            for value in index(env)
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
            case Self():
                self.identities = True
                return lambda env: env[SELF]
            case Unary(op, operand):
                return self.unary(op, operand)
            case Binary():
                return self.binary(expr)
            case Choice(test, yes, no):
                return choice(self.evaluate(test), self.evaluate(yes), self.evaluate(no))
            case Schoose(one, zero):
                otherwise = choice(self.evaluate(zero), constantly((0,)), constantly((0, 1)))
                return choice(self.evaluate(one), constantly((1,)), otherwise)

    def element(self, expr: Element) -> Evaluate:
        """An element of an array; an index outside is a violation."""
        space, place, variable = self.find(expr.name)
        space += 2 * expr.primed
        length = variable.length or 0
        index = self.evaluate(expr.index)
        return lambda env: tuple(
            env[space][place + v] if 0 <= v < length else v if v in BAD else BOUNDS
            for v in index(env)
        )

    def binary(self, expr: Binary) -> Evaluate:
        """An operator with two sides."""
        op = expr.op
        if (beside := self.any_beside(expr)) is not None:
            some = constantly(beside.values())
            left = some if isinstance(expr.left, Star) else self.evaluate(expr.left)
            right = some if isinstance(expr.right, Star) else self.evaluate(expr.right)
            return both(op, left, right)
        if op in ("&", "|") and self.kind(expr, True).name != "int":
            op *= 2
        elif op in COMPUTED or op in ("&", "|", "^"):
            return self.computed(expr)
        return both(op, self.evaluate(expr.left), self.evaluate(expr.right))

    def unary(self, op: str, operand: Expr) -> Evaluate:
        """Not and minus."""
        inner, machine = self.evaluate(operand), self.machine(operand)
        if op == "!" or (op == "~" and self.kind(operand, True).name != "int"):
            return lambda env: tuple(v if v in BAD else 1 - v for v in inner(env))
        less = int(op == "~")  # ~x is -x - 1
        return lambda env: tuple(v if v in BAD else wrapped(machine, -v - less) for v in inner(env))

    def computed(self, expr: Binary) -> Evaluate:
        """An operator on integers, or `^` of Booleans."""
        op, machine = expr.op, self.machine(expr)
        if op in ("<<", ">>", ">>>"):
            width = machine.width if machine else 64

            def shift(value: int, by: int) -> int:
                if not 0 <= by < width:
                    return BOUNDS
                if op == "<<":
                    return wrapped(machine, value << by)
                return wrapped(machine, (value % 2**width if op == ">>>" else value) >> by)

            return apply(shift, self.evaluate(expr.left), self.evaluate(expr.right))

        def compute(left: int, right: int) -> int:
            left, right = wrapped(machine, left), wrapped(machine, right)
            if op not in ("/", "%"):
                return wrapped(machine, ARITHMETIC[op](left, right))
            if right == 0:
                return DIVISION
            quotient = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
            return wrapped(machine, quotient if op == "/" else left - quotient * right)

        return apply(compute, self.evaluate(expr.left), self.evaluate(expr.right))


COMPUTED = ("+", "-", "*", "/", "%", "<<", ">>", ">>>")


def bits(kind: Kind) -> Kind:
    """The kind of an operator on Booleans, or on the bits of integers."""
    if kind.name not in ("bool", "int", "number"):
        raise Refused(f"{kind.name} has no bits")
    return kind


def widest(left: Type | None, right: Type | None) -> Type | None:
    """The common type of two operands: the widest, and of two equally wide ones that without
    sign."""
    if left is None or right is None:
        return left or right
    return max(left, right, key=lambda kind: (kind.width, kind.low))


def wrapped(machine: Type | None, value: int) -> int:
    """A value in a machine integer."""
    return value if machine is None else machine.low + (value - machine.low) % 2**machine.width


def constantly(values: Values) -> Evaluate:
    """The same values everywhere."""
    return lambda _: values


def choice(test: Evaluate, yes: Evaluate, no: Evaluate) -> Evaluate:
    """Only what is needed is evaluated."""

    def found(env: Env) -> Values:
        values: set[int] = set()
        for value in test(env):
            values.update([value] if value in BAD else yes(env) if value else no(env))
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
    return apply(ARITHMETIC[op], left, right)


def apply(compute: Callable[[int, int], int], left: Evaluate, right: Evaluate) -> Evaluate:
    """The left side is evaluated first; if it violates something, that is all."""

    def found(env: Env) -> Values:
        values: set[int] = set()
        for a in left(env):
            if a in BAD:
                values.add(a)
            else:
                values.update(b if b in BAD else compute(a, b) for b in right(env))
        return tuple(values)

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
        if variable.initial is None:
            first = (0,) if variable.name == lock else variable.type.values()
        else:
            found = scope.stored(variable.initial, variable.type)(((), (), (), (), ()))
            first = tuple(value for value in found if value != UNFIT)
        choices += [first] * (variable.length or 1)
        count *= len(first) ** (variable.length or 1)
        if count > 100_000:
            raise TooBig("there are too many initial values")
    return list(product(*choices))
