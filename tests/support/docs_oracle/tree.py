"""The syntax tree of a .bp program: one for the braces and for begin/end."""

from __future__ import annotations

from dataclasses import dataclass, field


class Refused(Exception):  # noqa: N818
    """The documentation says that this text, or this use, is an error."""


class TooBig(Exception):  # noqa: N818
    """A limit of the oracle was passed."""


@dataclass(frozen=True)
class Type:
    """kind is bool, int, enum or thread. Only an int has a range and a mode, and only a machine
    integer has a width."""

    kind: str
    low: int = 0
    high: int = 1
    mode: str = "wrap"
    members: tuple[str, ...] = ()
    width: int = 0

    def values(self) -> tuple[int, ...]:
        """Every value of the type; a variable for threads names nobody (0) at first."""
        if self.kind == "thread":
            return (0,)
        if self.width > 8:
            raise TooBig("a machine integer has too many values")
        return tuple(range(self.low, self.high + 1))

    def fit(self, value: int) -> int | None:
        """What an assignment of the value stores, None if it does not happen."""
        if self.kind != "int" or self.low <= value <= self.high:
            return value
        if self.mode == "block":
            return None
        if self.mode == "saturate":
            return self.low if value < self.low else self.high
        return self.low + (value - self.low) % (self.high - self.low + 1)

    def text(self, value: int) -> str:
        """The value as people read it."""
        return self.members[value] if self.kind == "enum" else str(value)


BOOL = Type("bool")
THREAD = Type("thread")


def machine_integer(name: str) -> Type:
    """int8, uint32 and so on."""
    width = int(name.lstrip("uint"))
    low = 0 if name.startswith("u") else -(2 ** (width - 1))
    return Type("int", low, low + 2**width - 1, width=width)


def bounded(low: int, high: int, mode: str) -> Type:
    """An integer with bounds."""
    if low > high:
        raise Refused(f"the range {low}..{high} is empty")
    return Type("int", low, high, mode)


# Expressions


@dataclass(frozen=True)
class Num:
    value: int


@dataclass(frozen=True)
class Truth:
    """true, false, T or F: a Boolean and no number."""

    value: int


@dataclass(frozen=True)
class Name:
    name: str
    primed: bool = False


@dataclass(frozen=True)
class Element:
    name: str
    index: Expr
    primed: bool = False


@dataclass(frozen=True)
class Star:
    """Any value."""


@dataclass(frozen=True)
class Unary:
    op: str  # ! ~ or -
    operand: Expr


@dataclass(frozen=True)
class Binary:
    op: str  # => || | ^ && & = != < <= > >= << >> >>> + - * / %
    left: Expr
    right: Expr


@dataclass(frozen=True)
class Choice:
    """e ? f : g"""

    test: Expr
    yes: Expr
    no: Expr


@dataclass(frozen=True)
class Schoose:
    """schoose [p, q]"""

    one: Expr
    zero: Expr


@dataclass(frozen=True)
class Self:
    """thread_self()"""


Expr = Num | Truth | Name | Element | Star | Unary | Binary | Choice | Schoose | Self

# Statements


@dataclass
class Statement:
    """line is that of the first word behind the labels."""

    line: int = field(default=0, kw_only=True)
    labels: tuple[str, ...] = field(default=(), kw_only=True)


@dataclass
class Skip(Statement):
    """skip, and print."""


@dataclass
class Assign(Statement):
    targets: list[Expr]
    values: list[Expr]
    constrain: Expr | None = None


@dataclass
class Call(Statement):
    """A target None is `_`; targets None is a call without `:=`."""

    targets: list[Expr | None] | None
    procedure: str
    arguments: list[Expr]


@dataclass
class Return(Statement):
    values: list[Expr]


@dataclass
class Assert(Statement):
    condition: Expr


@dataclass
class Assume(Statement):
    condition: Expr


@dataclass
class Goto(Statement):
    goals: list[str]


@dataclass
class If(Statement):
    condition: Expr
    then: list[Statement]
    other: list[Statement]


@dataclass
class While(Statement):
    condition: Expr
    body: list[Statement]


@dataclass
class Do(Statement):
    """The condition has a line of its own."""

    body: list[Statement]
    condition: Expr
    test: int


@dataclass
class For(Statement):
    first: Assign | None
    condition: Expr | None
    update: Assign | None
    body: list[Statement]


@dataclass
class Switch(Statement):
    """Each case has its values, None for the default, and its statements."""

    subject: Expr
    cases: list[tuple[list[Expr | None], list[Statement]]]


@dataclass
class Break(Statement):
    """break"""


@dataclass
class Continue(Statement):
    """continue"""


@dataclass
class Atomic(Statement):
    body: list[Statement]


@dataclass
class AtomicBegin(Statement):
    """atomic_begin of begin/end."""


@dataclass
class AtomicEnd(Statement):
    """atomic_end of begin/end."""


@dataclass
class Create(Statement):
    """thread_create, start_thread, or a call under a label ASYNC_…"""

    procedure: str
    arguments: list[Expr]
    count: int = 1


@dataclass
class CreateAt(Statement):
    """start_thread goto L"""

    goal: str


@dataclass
class Fork(Statement):
    target: str | None
    procedure: str
    arguments: list[Expr]


@dataclass
class Join(Statement):
    name: str


@dataclass
class EndThread(Statement):
    """end_thread"""


# Declarations


@dataclass
class Variable:
    """initial None is any value; length None is no array."""

    name: str
    type: Type
    initial: Expr | None = None
    length: int | None = None


@dataclass
class Procedure:
    name: str
    results: list[Type]
    parameters: list[Variable]
    variables: list[Variable]
    body: list[Statement]
    enforce: Expr | None = None
    end: int = 0  # the line of its end


@dataclass
class Program:
    """getafix: `init` runs first, and then main and thread*."""

    variables: list[Variable]
    procedures: list[Procedure]
    begin_end: bool
    getafix: bool = False

    def procedure(self, name: str) -> Procedure:
        """The procedure of this name."""
        for procedure in self.procedures:
            if procedure.name == name:
                return procedure
        raise Refused(f"there is no procedure {name}")
