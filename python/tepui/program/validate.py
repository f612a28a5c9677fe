"""Whether a Program keeps the promises of its contract (see `program`).

A front end that breaks one has a bug. What follows relies on them and would go wrong silently. So
each broken promise is refused here, by a ModelError that names it and says where it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NoReturn, assert_never, get_args

from tepui.errors import ModelError
from tepui.model.build import MAX_THREADS
from tepui.program.calls import called_by
from tepui.program.expressions import (
    TRUE,
    Binary,
    BinaryOperator,
    Choice,
    Conditional,
    Constant,
    Convert,
    Expression,
    Read,
    ReadElement,
    Unary,
    UnaryOperator,
    Variable,
    is_identity,
    operands,
)
from tepui.program.program import (
    Assert,
    Call,
    Create,
    Edge,
    Element,
    End,
    Fork,
    Join,
    Procedure,
    Program,
    Receive,
    Return,
    Step,
    Target,
    Thread,
    ViolationKind,
    scalar_of,
    target_of,
    thread_names,
)
from tepui.program.types import (
    BOOLEAN,
    INTEGER,
    THREAD,
    Array,
    Bounded,
    Enumeration,
    Overflow,
    Scalar,
    Type,
)
from tepui.program.walk import created_by

_BINARY = {word for words in get_args(BinaryOperator) for word in get_args(words)}
_UNARY = get_args(UnaryOperator)
_OVERFLOW = get_args(Overflow)
_KINDS = get_args(ViolationKind)


def validate(program: Program) -> None:
    """Return if the program is what the contract promises; else raise a ModelError."""
    _check_names("procedures", (procedure.name for procedure in program.procedures))
    _check_variables("the program", None, program.globals)
    called = called_by(edge for procedure in program.procedures for edge in procedure.edges)
    checks = [_Check(program, procedure, called) for procedure in program.procedures]
    for check in checks:
        check.signature()
    for check in checks:
        check.edges()
    _check_threads(program)
    _check_lock(program)
    layout = program.layout
    hidden = layout.shared_cells[layout.own_cells :]
    _check_names("hidden variables", (cell.name for cell in hidden))


class _Check:
    """Checks one procedure."""

    def __init__(self, program: Program, procedure: Procedure, called: frozenset[str]) -> None:
        self._program = program
        self._called = called
        self._procedure = procedure
        self._edge: Edge | None = None
        self._receiving: set[int] = set()
        self._declared = {
            (variable.procedure, variable.name): variable
            for variable in (*program.globals, *procedure.variables)
        }

    def signature(self) -> None:
        """The variables, and where the procedure begins."""
        procedure = self._procedure
        _check_variables(self._place(), procedure.name, procedure.variables)
        if not 0 <= procedure.parameters <= len(procedure.variables):
            self._fail("has fewer variables than parameters")
        for variable in procedure.variables[: procedure.parameters]:
            if isinstance(variable.type, Array):
                self._fail(f"the parameter {variable.name} is an array")
        for result in procedure.results:
            self._check_scalar(result)
        if not 0 <= procedure.entry < len(procedure.locations):
            self._fail("its entry is not one of its locations")
        if procedure.locations[procedure.entry].atomic:
            self._fail("its entry is atomic")

    def edges(self) -> None:
        procedure = self._procedure
        for edge in procedure.edges:
            self._check_ends(edge)
        self._edge = None
        self._receiving = {edge.source for edge in procedure.edges if isinstance(edge, Receive)}
        if procedure.entry in self._receiving:
            self._fail("its entry receives results of no call")
        for edge in procedure.edges:
            self._edge = edge
            self._check_edge(edge)
            self._check_receipt(edge)

    def _check_ends(self, edge: Edge) -> None:
        """What everything else relies on: an edge leads from a location to a location."""
        self._edge = None
        count = len(self._procedure.locations)
        kind = type(edge).__name__
        if not 0 <= edge.source < count:
            self._fail(f"a {kind} leaves the location {edge.source}, which does not exist")
        self._edge = edge
        if isinstance(edge, Return | End):
            return
        target: int | None = edge.target
        if target is None:
            if isinstance(edge, Call):
                self._fail("a Call has no target")
            if self._procedure.results:
                self._fail(f"a {kind} returns without the results of the procedure")
        elif not 0 <= target < count:
            self._fail(f"a {kind} leads to the location {target}, which does not exist")

    def _check_edge(self, edge: Edge) -> None:
        self._check_condition(edge.guard)
        match edge:
            case Step():
                self._check_step(edge)
            case Call():
                self._check_call(edge)
            case Receive():
                self._check_receive(edge)
            case Return():
                results = self._procedure.results
                self._check_all_given(edge.values, results, "returns", "the procedure has")
            case Assert():
                self._check_assert(edge)
            case Create():
                self._check_create(edge)
            case End():
                if self._procedure.name in self._called:
                    self._fail("a thread ends in a procedure that is called")
                if self._procedure.results:
                    self._fail("a thread ends in a procedure with results")
            case Fork():
                self._check_fork(edge)
            case Join():
                self._check_join(edge)
            case _:
                assert_never(edge)

    def _check_step(self, edge: Step) -> None:
        for assignment in edge.assignments:
            self._check_target(assignment.target)
            self._check_given(assignment.value, scalar_of(assignment.target))
        self._check_condition(edge.constraint, constraint=True)

    def _check_assert(self, edge: Assert) -> None:
        self._check_condition(edge.condition)
        if edge.kind not in _KINDS:
            self._fail(f"there is no kind of violation {edge.kind!r}")

    def _check_receive(self, edge: Receive) -> None:
        for target in edge.targets:
            if target is not None:
                self._check_target(target)

    def _check_call(self, edge: Call) -> None:
        callee = self._program.by_name.get(edge.procedure)
        if callee is None:
            self._fail(f"there is no procedure {edge.procedure} to call")
        self._check_arguments(edge.arguments, callee)
        if not callee.results:
            return
        after = self._procedure.leaving[edge.target]
        receipts = [receipt for receipt in after if isinstance(receipt, Receive)]
        if not receipts or len(receipts) < len(after):
            self._fail(
                f"{callee.name} has results, but the call does not lead to a location "
                "that only receives them"
            )
        for receipt in receipts:
            if len(receipt.targets) != len(callee.results):
                self._fail(
                    f"receives {len(receipt.targets)} results, "
                    f"{callee.name} has {len(callee.results)}"
                )
            for target, result in zip(receipt.targets, callee.results, strict=True):
                if target is not None and (scalar_of(target) == THREAD) != (result == THREAD):
                    self._fail(
                        f"receives a result of {callee.name} in a variable of another type: "
                        "one of them names threads"
                    )

    def _check_fork(self, edge: Fork) -> None:
        callee = self._program.by_name.get(edge.procedure)
        if callee is None:
            self._fail(f"there is no procedure {edge.procedure} to fork")
        self._check_arguments(edge.arguments, callee)
        if edge.variable is not None:
            self._check_target(edge.variable)
            if scalar_of(edge.variable) != THREAD:
                self._fail("the identity of a thread is stored in a variable of another type")

    def _check_join(self, edge: Join) -> None:
        if not isinstance(edge.thread, Read) or edge.thread.variable.type != THREAD:
            self._fail("joins what is no variable that names a thread")
        self._check_expression(edge.thread, identity=True)

    def _check_arguments(self, arguments: Sequence[Expression], callee: Procedure) -> None:
        if len(arguments) != callee.parameters:
            self._fail(
                f"passes {len(arguments)} values, {callee.name} has parameters: {callee.parameters}"
            )
        for argument, parameter in zip(arguments, callee.variables, strict=False):
            self._check_given(argument, parameter.scalar)

    def _check_given(self, value: Expression, scalar: Scalar) -> None:
        """A value for a variable of some type. A variable that names threads takes an identity, and
        nothing else does."""
        self._check_expression(value, identity=scalar == THREAD)

    def _check_receipt(self, edge: Edge) -> None:
        """Results are received after a call that has some, and nowhere else."""
        if target_of(edge) in self._receiving and not (
            isinstance(edge, Call) and self._program.by_name[edge.procedure].results
        ):
            kind = type(edge).__name__
            self._fail(f"a {kind} without results leads to a location that receives some")

    def _check_create(self, edge: Create) -> None:
        if len(set(edge.threads)) < len(edge.threads):
            self._fail("a Create names a thread twice")
        threads = self._program.threads
        for number in edge.threads:
            if not 0 <= number < len(threads):
                self._fail(f"a Create names the thread {number}, which does not exist")
            if not threads[number].created:
                self._fail(f"a Create names {threads[number].name}, which is not to be created")
        if edge.values and len(edge.values) != len(edge.threads):
            self._fail("a Create does not have one list of values for each thread")
        for number, values in created_by(edge):
            thread = threads[number]
            scalars = [variable.scalar for variable in thread.inherited]
            self._check_all_given(values, scalars, "gives", f"{thread.name} inherits")

    def _check_all_given(
        self, values: Sequence[Expression], scalars: Sequence[Scalar], verb: str, owner: str
    ) -> None:
        if len(values) != len(scalars):
            self._fail(f"{verb} {len(values)} values, {owner} {len(scalars)}")
        for value, scalar in zip(values, scalars, strict=True):
            self._check_given(value, scalar)

    def _check_condition(self, condition: Expression, *, constraint: bool = False) -> None:
        """A guard, a constraint or the condition of an assertion."""
        if condition is not TRUE:  # Most of them are.
            self._check_expression(condition, constraint=constraint)

    def _check_expression(
        self, expression: Expression, *, constraint: bool = False, identity: bool = False
    ) -> None:
        """With `identity`, its values must be identities of threads, and else they must not."""
        if is_identity(expression) != identity:
            self._fail(
                "an identity of a thread comes from a variable that has one, a Fork or Self"
                if identity
                else "identities of threads are copied, passed, joined and compared for equality, "
                "and nothing else"
            )
        match expression:
            case Read():
                self._check_variable(expression.variable, array=False)
                if expression.after and not constraint:
                    self._fail(f"reads '{expression.variable.name} outside a constraint")
            case ReadElement():
                self._check_variable(expression.variable, array=True)
            case Choice() | Constant():
                self._check_scalar(expression.type)
                if expression.type == THREAD and not self._is_identity(expression):
                    self._fail("chooses or makes up the identity of a thread")
            case Convert():
                self._check_scalar(expression.type)
                if expression.type in (THREAD, INTEGER):
                    self._fail(f"converts to {expression.type}, which has no range")
            case Binary() if expression.operator not in _BINARY:
                self._fail(f"there is no operator {expression.operator!r} on two operands")
            case Unary() if expression.operator not in _UNARY:
                self._fail(f"there is no operator {expression.operator!r} on one operand")
            case _:
                pass
        for number, operand in enumerate(operands(expression)):
            wanted = _takes_identity(expression, number)
            self._check_expression(operand, constraint=constraint, identity=wanted)

    def _is_identity(self, expression: Choice | Constant) -> bool:
        """Whether this is a thread that the program begins with, or nobody."""
        threads = len(self._program.thread_types)
        return isinstance(expression, Constant) and 0 <= expression.value <= threads

    def _check_target(self, target: Target) -> None:
        if isinstance(target, Element):
            self._check_variable(target.variable, array=True)
            self._check_expression(target.index)
        else:
            self._check_variable(target, array=False)

    def _check_variable(self, variable: Variable, *, array: bool) -> None:
        if self._declared.get((variable.procedure, variable.name)) != variable:
            self._fail(f"the variable {variable.name} is not declared as it is used")
        if isinstance(variable.type, Array) != array:
            wrong = "a scalar used as an array" if array else "an array used as a scalar"
            self._fail(f"the variable {variable.name} is {wrong}")

    def _check_scalar(self, scalar: Scalar) -> None:
        if scalar is not BOOLEAN:
            _check_scalar(self._place(), scalar)

    def _place(self) -> str:
        """The procedure, or a place in it, if the trouble is an edge that leaves a location."""
        place = f"procedure {self._procedure.name}"
        if self._edge is None:
            return place
        position = self._procedure.locations[self._edge.source].position
        return place + (
            f", line {position.line}" if position.line else f", location {self._edge.source}"
        )

    def _fail(self, problem: str) -> NoReturn:
        raise ModelError(f"{self._place()}: {problem}")


def _check_threads(program: Program) -> None:
    if not program.threads:
        raise ModelError("the program has no threads")
    _check_names("threads", (thread.name for thread in program.threads))
    if sum(thread.count or 1 for thread in program.threads) > MAX_THREADS:
        raise ModelError(f"a program has at most {MAX_THREADS:,} threads, this one has more")
    _check_names("threads", thread_names(program))
    for number in range(len(program.threads)):
        for problem in _thread_problems(program, number):
            raise ModelError(f"thread {program.threads[number].name}: {problem}")


def _thread_problems(program: Program, number: int) -> Iterator[str]:
    thread = program.threads[number]
    if thread.count is not None and thread.count < 1:
        yield f"the count is {thread.count}; it must be positive"
    procedure = program.by_name.get(thread.procedure)
    if procedure is None:
        yield f"there is no procedure {thread.procedure} to run"
        return
    if procedure.results:
        yield f"nobody receives the results of {procedure.name}"
    start = procedure.entry if thread.start is None else thread.start
    if not 0 <= start < len(procedure.locations):
        yield f"the start {start} is not a location of {procedure.name}"
        return
    if procedure.locations[start].atomic:
        yield "the start is atomic"
    if any(isinstance(edge, Receive) for edge in procedure.leaving[start]):
        yield "the start receives results of no call"
    if thread.idle is not None and thread.idle not in program.globals:
        yield f"what it is idle by, {thread.idle.name}, is not a global variable"
    yield from _inheritance_problems(thread, procedure)


def _inheritance_problems(thread: Thread, procedure: Procedure) -> Iterator[str]:
    if thread.inherited and not thread.created:
        yield "it inherits values, but is not created"
    if len(set(thread.inherited)) < len(thread.inherited):
        yield "it inherits a variable twice"
    for variable in thread.inherited:
        if variable not in procedure.variables:
            yield f"the inherited variable {variable.name} is not one of {procedure.name}"
        if isinstance(variable.type, Array):
            yield f"the inherited variable {variable.name} is an array"


def _check_lock(program: Program) -> None:
    lock = program.lock
    if lock is None:
        return
    if lock not in program.globals or lock.type != BOOLEAN:
        raise ModelError(f"the scheduler lock {lock.name} is not a global Boolean variable")
    for thread in program.threads:
        if thread.count != 1:
            raise ModelError(
                f"thread {thread.name}: the program has a scheduler lock, "
                f"so the count must be 1, not {'any' if thread.count is None else thread.count}"
            )


def _check_variables(place: str, procedure: str | None, variables: Iterable[Variable]) -> None:
    declared = list(variables)
    _check_names(f"variables of {place}", (variable.name for variable in declared))
    for variable in declared:
        where = f"{place}: the variable {variable.name}"
        if variable.procedure != procedure:
            raise ModelError(f"{where} says that it belongs to {variable.procedure or 'no one'}")
        _check_type(where, variable.type)
        scalar = variable.scalar
        if variable.initial is not None and not _is_value(scalar, variable.initial):
            raise ModelError(f"{where} starts with {variable.initial}, but is {scalar}")


def _check_type(place: str, declared: Type) -> None:
    if not isinstance(declared, Array):
        _check_scalar(place, declared)
        return
    if declared.length < 1:
        raise ModelError(f"{place} is an array of {declared.length} elements")
    _check_scalar(place, declared.element)


def _check_scalar(place: str, scalar: Scalar) -> None:
    if isinstance(scalar, Array):
        raise ModelError(f"{place} has an array where only a scalar can be")
    if isinstance(scalar, Enumeration):
        _check_names(f"members of an enumeration ({place})", scalar.members)
    if isinstance(scalar, Bounded) and scalar.overflow not in _OVERFLOW:
        raise ModelError(f"{place}: there is no overflow {scalar.overflow!r}")
    if scalar != INTEGER and scalar.size < 1:
        raise ModelError(f"{place} has a type without values, {scalar}")


def _takes_identity(expression: Expression, operand: int) -> bool:
    """Whether an operand of an expression must be the identity of a thread: both sides of a
    comparison that has one, and both ways of a conditional."""
    match expression:
        case Binary() if expression.operator in ("=", "!="):
            return is_identity(expression.left) or is_identity(expression.right)
        case Conditional():
            return operand > 0 and is_identity(expression)
        case _:
            return False


def _is_value(scalar: Scalar, value: int) -> bool:
    return scalar == INTEGER or scalar.low <= value < scalar.low + scalar.size


def _check_names(what: str, names: Iterable[str]) -> None:
    met: set[str] = set()
    for name in names:
        if name in met:
            raise ModelError(f"two {what} have the name {name}")
        met.add(name)
