"""The abstract syntax of Boolean programs, common to both surface syntaxes.

The readers make these trees and check nothing but grammar: a tree comes with the errors that were
found. `translate` checks names, types and control flow, and raises all errors at once or makes a
Program. `Dialect` has the conventions of a dialect.

Labels and declarations are hoisted: a declaration anywhere in a body belongs to the procedure, and
labels belong to the statement after them (a label at the end of a block labels a `Skip`).
Expression operators are already the ones of `tepui.program.expressions`.
"""

from __future__ import annotations

from typing import Literal

from tepui.errors import InputError, together
from tepui.languages.source import Source
from tepui.program.expressions import BinaryOperator
from tepui.program.program import Position
from tepui.program.types import BOOLEAN, Scalar, Type
from tepui.records import field, record


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
class Self:
    """`thread_self()`: the thread that runs this."""

    position: Position


@record
class Unary:
    """`~` is `not` for a Boolean and the complement of an integer, so its operand decides."""

    position: Position
    operator: Literal["not", "minus", "~"]
    operand: Expression


BinarySign = BinaryOperator | Literal[">>>"]


@record
class Binary:
    """The position is that of the operator. `&`, `|` and `^` are logic for Booleans, so their
    operands decide."""

    position: Position
    operator: BinarySign
    left: Expression
    right: Expression


@record
class Ternary:
    """The position is that of `?`."""

    position: Position
    condition: Expression
    then: Expression
    otherwise: Expression


Expression = Number | Truth | Name | Index | Next | Star | Self | Schoose | Unary | Binary | Ternary


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


@record
class Statement:
    """`text` is the statement in one line, without labels and without `;`. For a statement with
    others inside it is only the head: `if (x)`, `while (x)`, `atomic { … }`."""

    position: Position
    text: str
    labels: tuple[Label, ...] = field(default=(), kw_only=True)


@record
class Skip(Statement):
    """`skip`, and whatever has no effect, such as `print(…)`."""


@record
class Goto(Statement):
    targets: tuple[Name, ...]


@record
class Assert(Statement):
    condition: Expression


@record
class Assume(Statement):
    """`assume(e)` or `wait(e)`: blocks until e holds."""

    condition: Expression


@record
class AbortIf(Statement):
    """`abortif e`: goes on only if e does not hold."""

    condition: Expression


@record
class Assign(Statement):
    """`x, y := e, f constrain g`. In `x += e` and `x++`, which are `compound`, the value reads the
    target."""

    targets: tuple[Target, ...]
    values: tuple[Expression, ...]
    constraint: Expression | None = None
    compound: bool = False


@record
class Call(Statement):
    """`f(e)` without targets, or `x, _ := f(e)`."""

    procedure: Name
    arguments: tuple[Expression, ...] = ()
    targets: tuple[Target, ...] = ()


@record
class Return(Statement):
    values: tuple[Expression, ...] = ()


@record
class Branch:
    """One condition of an `if` with its statements; the position is that of `if` or `elsif`."""

    position: Position
    text: str
    condition: Expression
    body: tuple[Statement, ...]


@record
class If(Statement):
    """The first branch stands where the statement does."""

    branches: tuple[Branch, ...]
    otherwise: tuple[Statement, ...] = ()


@record
class While(Statement):
    condition: Expression
    body: tuple[Statement, ...]


@record
class DoWhile(Statement):
    """`do … while (e);`. It stands where `do` does; `test` is the position and text of the
    condition."""

    body: tuple[Statement, ...]
    test: tuple[Position, str]
    condition: Expression


@record
class For(Statement):
    """`for (i := 0; i < n; i++) …`; without a condition it goes on for ever."""

    initial: Statement | None
    condition: Expression | None
    update: Statement | None
    body: tuple[Statement, ...]


@record
class Break(Statement):
    """`break`: leaves the loop or the `switch` around it."""


@record
class Continue(Statement):
    """`continue`: goes on with the next round of the loop around it."""


@record
class Default:
    """`default`, in place of the value of a case."""

    position: Position


@record
class Case:
    """`case A: case 3:` or `default:`, with the statements up to the next one."""

    values: tuple[Expression | Default, ...]
    body: tuple[Statement, ...]


@record
class Switch(Statement):
    """`switch (e) { … }`, as in C: control falls through from one case into the next."""

    subject: Expression
    cases: tuple[Case, ...]


@record
class Atomic(Statement):
    """`atomic { … }`."""

    body: tuple[Statement, ...]


@record
class AtomicBegin(Statement):
    """`atomic_begin`: a section without a block, up to an `atomic_end` on every path."""


@record
class AtomicEnd(Statement):
    """`atomic_end`."""


@record
class ThreadCreate(Statement):
    """`thread_create(f(e), 3)`, `start_thread f(e)`: new threads that run a procedure."""

    procedure: Name
    arguments: tuple[Expression, ...] = ()
    count: int | None = 1


@record
class StartGoto(Statement):
    """`start_thread goto l`: a new thread with a copy of the locals, beginning at l."""

    target: Name


@record
class Async(Statement):
    """`async f(e)`, a new thread that runs a procedure, or `t := async f(e)`, which names it."""

    procedure: Name
    arguments: tuple[Expression, ...] = ()
    targets: tuple[Target, ...] = ()


@record
class Join(Statement):
    """`join(t)`: waits for the end of a thread."""

    thread: Expression


@record
class EndThread(Statement):
    """`end_thread`."""


@record
class Dead(Statement):
    """`dead x, y`: the values no longer matter."""

    variables: tuple[Name, ...]


@record
class Enforce(Statement):
    """`enforce e`, first in a body: e holds before and after every step of the procedure."""

    condition: Expression


@record
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
    volatile: bool = False


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
    - `overflow`: a result that does not fit a signed machine integer is a violation.
    """

    main: str = "main"
    omit_main: bool = True
    lock: str | None = None
    error_labels: tuple[str, ...] = ()
    falls_off_with_any_result: bool = False
    repeated_labels: bool = False
    overflow: bool = False


@record
class SyntaxTree:
    """A whole file."""

    source: Source
    globals: tuple[Declaration, ...]
    procedures: tuple[Procedure, ...]
    dialect: Dialect = field(default_factory=Dialect)
    warnings: tuple[str, ...] = ()
    keywords: frozenset[str] = frozenset()
    """The keywords of its grammar, any of which may be misspelt."""
    errors: tuple[InputError, ...] = ()
    """What is wrong with the text. The tree lacks the statements and declarations in question."""
    doubtful: frozenset[str] = frozenset()
    """The names in what it lacks."""

    def refuse_errors(self) -> None:
        """Raise what is wrong with the text, if anything is."""
        if self.errors:
            raise together(self.errors)
