"""The abstract syntax of Boolean programs, common to both surface syntaxes.

The parsers make these trees and check nothing but grammar; `translate` checks names, types and
control flow and makes a Program. `Dialect` has the conventions of a dialect.

Labels and declarations are hoisted: a declaration anywhere in a body belongs to the procedure, and
labels belong to the statement after them (a label at the end of a block labels a `Skip`).
Expression operators are already the ones of `tepui.program.expressions`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from tepui.languages.source import Source
from tepui.program.expressions import BinaryOperator
from tepui.program.program import Position
from tepui.program.types import BOOLEAN, Scalar, Type
from tepui.records import record


@record
class Number:
    """An integer; 0 and 1 are also Boolean constants, as are T, F, true and false."""

    position: Position
    value: int


@record
class Truth:
    """`true`, `false`, `T` or `F`."""

    position: Position
    value: bool


@record
class Name:
    """A variable, a member of an enumeration, a procedure or a label, depending on the place."""

    position: Position
    name: str


@record
class Index:
    """`a[i]`, read or assigned."""

    position: Position
    name: str
    index: Expression


@record
class Next:
    """`'x`: the value of x after the step."""

    position: Position
    name: str


@record
class Star:
    """`*` (or `?`): any value."""

    position: Position


@record
class Schoose:
    """`schoose [p, q]`: 1 if p, else 0 if q, else any of the two."""

    position: Position
    positive: Expression
    negative: Expression


@record
class Unary:
    position: Position
    operator: Literal["not", "minus"]
    operand: Expression


@record
class Binary:
    """The position is that of the operator."""

    position: Position
    operator: BinaryOperator
    left: Expression
    right: Expression


@record
class Ternary:
    """The position is that of `?`."""

    position: Position
    condition: Expression
    then: Expression
    otherwise: Expression


Expression = Number | Truth | Name | Index | Next | Star | Schoose | Unary | Binary | Ternary


@record
class Ignored:
    """`_` as the target of an assignment."""

    position: Position


Target = Name | Index | Ignored


@record
class Label:
    """A label; `opens_step` makes what follows one atomic step, up to the next label of any kind
    (Figure 1 of CUBA: «each labeled statement is executed atomically»)."""

    position: Position
    name: str
    opens_step: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """`text` is the statement in one line, without labels and without `;`. For a statement with
    others inside it is only the head: `if (x)`, `while (x)`, `atomic { … }`."""

    position: Position
    text: str
    labels: tuple[Label, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Skip(Statement):
    """`skip`, and whatever has no effect, such as `print(…)`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Goto(Statement):
    targets: tuple[Name, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Assert(Statement):
    condition: Expression


@dataclass(frozen=True, slots=True, kw_only=True)
class Assume(Statement):
    """`assume(e)` or `wait(e)`: blocks until e holds."""

    condition: Expression


@dataclass(frozen=True, slots=True, kw_only=True)
class AbortIf(Statement):
    """`abortif e`: goes on only if e does not hold."""

    condition: Expression


@dataclass(frozen=True, slots=True, kw_only=True)
class Assign(Statement):
    """`x, y := e, f constrain g`."""

    targets: tuple[Target, ...]
    values: tuple[Expression, ...]
    constraint: Expression | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Call(Statement):
    """`f(e)` without targets, or `x, _ := f(e)`."""

    procedure: Name
    arguments: tuple[Expression, ...] = ()
    targets: tuple[Target, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Return(Statement):
    values: tuple[Expression, ...] = ()


@record
class Branch:
    """One condition of an `if` with its statements; the position is that of `if` or `elsif`."""

    position: Position
    text: str
    condition: Expression
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class If(Statement):
    """The first branch stands where the statement does."""

    branches: tuple[Branch, ...]
    otherwise: tuple[Statement, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class While(Statement):
    condition: Expression
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Atomic(Statement):
    """`atomic { … }`."""

    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AtomicBegin(Statement):
    """`atomic_begin`: a section without a block, up to an `atomic_end` on every path."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AtomicEnd(Statement):
    """`atomic_end`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadCreate(Statement):
    """`thread_create(f(e), 3)`, `start_thread f(e)`: new threads that run a procedure."""

    procedure: Name
    arguments: tuple[Expression, ...] = ()
    count: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class StartGoto(Statement):
    """`start_thread goto l`: a new thread with a copy of the locals, beginning at l."""

    target: Name


@dataclass(frozen=True, slots=True, kw_only=True)
class Async(Statement):
    """`async f(e)`, a new thread that runs a procedure, or `t := async f(e)`, which names it."""

    procedure: Name
    arguments: tuple[Expression, ...] = ()
    targets: tuple[Target, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Join(Statement):
    """`join(t)`: waits for the end of a thread."""

    thread: Expression


@dataclass(frozen=True, slots=True, kw_only=True)
class EndThread(Statement):
    """`end_thread`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dead(Statement):
    """`dead x, y`: the values no longer matter."""

    variables: tuple[Name, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Enforce(Statement):
    """`enforce e`, first in a body: e holds before and after every step of the procedure."""

    condition: Expression


@dataclass(frozen=True, slots=True, kw_only=True)
class Unsupported(Statement):
    """A statement that tepui does not verify, by name: `sync`, `broadcast`."""

    construct: str


@record
class Declaration:
    """A variable or a parameter. `initial` is a constant or a member; a `Star` or None means any
    value."""

    position: Position
    name: str
    type: Type = BOOLEAN
    initial: Expression | None = None


@record
class Procedure:
    """A procedure; `end` is where its body is closed."""

    position: Position
    name: str
    end: Position
    parameters: tuple[Declaration, ...] = ()
    results: tuple[Scalar, ...] = ()
    locals: tuple[Declaration, ...] = ()
    body: tuple[Statement, ...] = ()


@record
class Dialect:
    """The choices of a surface syntax or a convention.

    - `main`: the procedure that runs first.
    - `omit_main`: a main that only creates threads is no thread itself; they run at once.
    - `lock`: the global that is the scheduler lock.
    - `error_labels`: labels that are errors by convention, if they occur.
    - `falls_off_with_any_result`: a procedure with results may fall off its end and then returns
      any values; otherwise that is refused.
    - `repeated_labels`: a label that nothing goes to may stand at several places of a procedure.
    """

    main: str = "main"
    omit_main: bool = True
    lock: str | None = None
    error_labels: tuple[str, ...] = ()
    falls_off_with_any_result: bool = False
    repeated_labels: bool = False


@record
class SyntaxTree:
    """A whole file."""

    source: Source
    globals: tuple[Declaration, ...]
    procedures: tuple[Procedure, ...]
    dialect: Dialect = field(default_factory=Dialect)
    warnings: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    """The keywords of its grammar, any of which may be misspelt."""
