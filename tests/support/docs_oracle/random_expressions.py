"""Random expressions and constants of the language with braces."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

MODES = ("", "", " saturate", " block")
MACHINE = (("int8", -128, 127), ("uint8", 0, 255), ("int16", -(2**15), 2**15 - 1))
EDGES = (-129, -128, -2, -1, 0, 1, 1, 2, 3, 7, 8, 127, 128, 255, 256)
RANGES = ((0, 1), (0, 2), (0, 1), (-1, 1), (1, 2), (-2, -1), (2, 3), (-1, 0))


@dataclass(frozen=True)
class Type:
    """bool, enum, int or thread; `low` to `high` of an int, the members of an enum."""

    kind: str
    low: int = 0
    high: int = 1
    mode: str = ""
    members: tuple[str, ...] = ()
    machine: str = ""

    def text(self) -> str:
        """As in a declaration."""
        if self.machine:
            return self.machine
        if self.kind == "int":
            return f"int {self.low}..{self.high}{self.mode}"
        if self.kind == "enum":
            return "enum {" + ", ".join(self.members) + "}"
        return self.kind


BOOL = Type("bool")
THREAD = Type("thread")


@dataclass
class Variable:
    """A variable, or an array if it has a size."""

    name: str
    type: Type
    size: int = 0


class Expressions:
    """The variables that can be seen, and expressions of them."""

    def __init__(self, seed: int) -> None:
        self.rng = Random(f"braces {seed}")
        self.names = 0
        self.globals: list[Variable] = []
        self.locals: list[Variable] = []
        self.use_int = self.chance(0.6)
        self.use_enum = self.chance(0.2)
        self.use_star = self.chance(0.5)
        self.use_machine = self.chance(0.3)
        self.use_operators = self.chance(0.4)
        self.use_outside = self.chance(0.3)
        self.use_self = False

    # choices

    def chance(self, probability: float) -> bool:
        """True with this probability."""
        return self.rng.random() < probability

    def name(self, prefix: str) -> str:
        """A fresh name."""
        self.names += 1
        return f"{prefix}{self.names}"

    # constants

    def random_type(self, enums: bool) -> Type:
        """Any type but thread; enumerations only where they are declared."""
        if self.use_machine and self.chance(0.4):
            name, low, high = self.rng.choice(MACHINE)
            return Type("int", low, high, machine=name)
        if self.use_int and self.chance(0.55):
            low, high = self.rng.choice(RANGES)
            return Type("int", low, high, self.rng.choice(MODES))
        if enums and self.use_enum and self.chance(0.5):
            count = self.rng.choice((2, 2, 3))
            return Type("enum", members=tuple(self.name("e") for _ in range(count)))
        return BOOL

    def constant(self, kind: Type) -> str:
        """A constant of a type."""
        if kind.machine:
            return str(self.rng.choice([one for one in EDGES if kind.low <= one <= kind.high]))
        if kind.kind == "int":
            return str(self.rng.randint(kind.low, kind.high))
        if kind.kind == "enum":
            if self.chance(0.2):
                return str(self.rng.randrange(len(kind.members)))
            return self.rng.choice(kind.members)
        return self.rng.choice(("0", "0", "1", "1", "true", "false", "T", "F"))

    def initial(self, kind: Type) -> str:
        """An initial value, or none."""
        draw = self.rng.random()
        if kind.machine:  # Any value would be too many.
            return f" := {self.constant(kind)}"
        if draw < 0.12:
            return ""
        if draw < 0.17:
            return " := *"
        return f" := {self.constant(kind)}"

    # expressions

    def variables(self, kind: str, locals_too: bool = True) -> list[Variable]:
        """All variables of a kind, globals twice."""
        pool = self.globals * 2 + (self.locals if locals_too else [])
        return [one for one in pool if one.type.kind == kind]

    def index(self, size: int) -> str:
        """An index. One outside would be a violation, so it is mostly looked at first."""
        ints = [one for one in self.variables("int") if not one.size]
        if ints and self.chance(0.6):
            one = self.rng.choice(ints)
            value = self.rng.choice((one.name, one.name, f"{one.name} + 1", f"1 - {one.name}"))
            if self.use_outside and self.chance(0.5):
                return value
            return f"{value} >= 0 && {value} < {size} ? {value} : {self.rng.randrange(size)}"
        return str(self.rng.randrange(size))

    def read(self, one: Variable) -> str:
        """A variable or an element of it."""
        return f"{one.name}[{self.index(one.size)}]" if one.size else one.name

    def boolean(self, depth: int = 2) -> str:
        """A Boolean expression."""
        draw = self.rng.random()
        pool = self.variables("bool")
        if depth == 0 or draw < 0.3:
            return self.plain(pool)
        if draw < 0.5 and self.use_int:
            left, right = self.integer(1), self.integer(1)
            small = [one for one in self.variables("int") if not one.type.machine]
            if small and self.use_star and self.chance(0.2):
                left, right = "*", self.read(self.rng.choice(small))
                if self.chance(0.5):
                    left, right = right, left
            return f"{left} {self.rng.choice(('=', '==', '!=', '<', '<=', '>', '>='))} {right}"
        if draw < 0.6:
            enums = self.variables("enum")
            if enums:
                one = self.rng.choice(enums)
                right = self.constant(one.type)
                same = [other for other in enums if other.type == one.type]
                if self.chance(0.2):
                    right = self.read(self.rng.choice(same))
                return f"{self.read(one)} {self.rng.choice(('=', '==', '!='))} {right}"
        if draw < 0.68:
            return f"{self.rng.choice('!!~')}{self.factor(depth - 1)}"
        if draw < 0.72 and self.use_star:
            return f"schoose [{self.boolean(depth - 1)}, {self.boolean(depth - 1)}]"
        if draw < 0.76:
            parts = (self.factor(depth - 1), self.factor(depth - 1), self.factor(depth - 1))
            return "{} ? {} : {}".format(*parts)
        operator = self.rng.choice(("&&", "&", "||", "|", "^", "=>", "=", "==", "!=", "&&", "||"))
        if self.chance(0.15):
            last = self.rng.choice(("&&", "||", "^", "=>", "=", operator))
            parts = (self.factor(0), self.factor(0), self.factor(0))
            return f"{parts[0]} {operator} {parts[1]} {last} {parts[2]}"
        return f"{self.factor(depth - 1)} {operator} {self.factor(depth - 1)}"

    def plain(self, pool: list[Variable]) -> str:
        """A Boolean expression without operators, or a comparison of threads."""
        if self.use_self and self.chance(0.4):
            return self.comparison()
        if pool and self.chance(0.85):
            return self.read(self.rng.choice(pool))
        if self.use_star and self.chance(0.5):
            return "*"
        return self.constant(BOOL)

    def comparison(self) -> str:
        """Whether two threads are the same."""
        names = [one.name for one in self.variables("thread")]
        sides = (self.rng.choice(names), self.rng.choice([*names, "thread_self()"]))
        return f"{sides[0]} {self.rng.choice(('=', '!='))} {sides[1]}"

    def factor(self, depth: int) -> str:
        """A Boolean expression that binds tightly."""
        text = self.boolean(depth)
        return f"({text})" if " " in text else text

    def integer(self, depth: int = 2) -> str:
        """An expression for a number."""
        draw = self.rng.random()
        pool = self.variables("int")
        if depth == 0 or draw < 0.55 or not pool:
            if pool and self.chance(0.75):
                return self.read(self.rng.choice(pool))
            return str(self.rng.choice((0, 1, 1, 2, 2, -1)))
        if draw < 0.6:
            return f"-{self.term(depth - 1)}"
        if draw < 0.66:
            parts = (self.factor(1), self.term(depth - 1), self.term(depth - 1))
            return "({} ? {} : {})".format(*parts)
        operator = self.rng.choice(("+", "+", "-", "-", "*"))
        if self.use_operators and self.chance(0.5):
            if self.chance(0.1):
                return f"~{self.read(self.rng.choice(pool))}"
            operator = self.rng.choice(("/", "%", "<<", ">>", "&", "|", "^"))
            machines = [one for one in pool if one.type.machine]
            if machines and self.chance(0.2):
                by = self.rng.choice((self.term(0), "1", "7", "8"))
                return f"{self.read(self.rng.choice(machines))} >>> {by}"
        if operator in ("<<", ">>"):
            by = self.term(0) if self.use_outside else self.rng.choice(("0", "1", "2"))
            return f"{self.term(depth - 1)} {operator} {by}"
        if operator in ("/", "%") and not self.use_outside:
            return f"{self.term(depth - 1)} {operator} {self.rng.choice(('1', '2', '(-2)'))}"
        return f"{self.term(depth - 1)} {operator} {self.term(depth - 1)}"

    def term(self, depth: int) -> str:
        """An expression for a number that binds tightly."""
        text = self.integer(depth)
        return f"({text})" if " " in text or text.startswith("-") else text

    def value(self, kind: Type) -> str:
        """A right-hand side, an argument or a result."""
        if kind.kind == "thread":
            names = [one.name for one in self.variables("thread")]
            return self.rng.choice(names) if names else "*"
        if self.use_star and self.chance(0.12) and not kind.machine:
            return "*"
        if kind.kind == "int":
            return self.integer()
        if kind.kind == "enum":
            same = [one for one in self.variables("enum") if one.type == kind]
            if same and self.chance(0.2):
                return self.read(self.rng.choice(same))
            if self.chance(0.2):
                return f"{self.factor(1)} ? {self.constant(kind)} : {self.constant(kind)}"
            return self.constant(kind)
        return self.boolean()

    def condition(self) -> str:
        """Something that an assertion or a wait asks of shared variables."""
        if self.chance(0.5):
            return self.boolean()
        pool = [one for one in self.globals if one.type.kind != "thread"]
        if not pool:
            return self.boolean()
        one = self.rng.choice(pool)
        if one.type is BOOL:
            return self.rng.choice(("", "!")) + self.read(one)
        operators = ("=", "!=") if one.type.kind == "enum" else ("=", "!=", "<", ">")
        return f"{self.read(one)} {self.rng.choice(operators)} {self.constant(one.type)}"
