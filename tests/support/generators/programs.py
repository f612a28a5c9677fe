"""Random programs, small enough for brute force and with every odd feature.

A procedure is a chain of locations, each with a statement of some sort, with jumps across. What is
read and written is mostly global, so that threads get into each other's way. Every corner of the
Program occurs: all types and overflows, calls with arguments and results, recursion with and
without an end, choices and variables left open, constraints, atomic sections with loops and calls
inside, assertions, creation with inherited values, ends, locks, labels. Where brute force sees a
location late, an assertion is often planted there, so that violations at bounds above 1 are common.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from random import Random

from support.generators.expressions import COLOURS, Scope
from support.oracles.program_interpreter import TooLargeError, Valuation
from support.oracles.programs import Findings, explore
from tepui.program.expressions import (
    FALSE,
    TRUE,
    Binary,
    Constant,
    Expression,
    Read,
    Unary,
    Variable,
)
from tepui.program.program import (
    Assert,
    Assignment,
    Call,
    Create,
    Edge,
    End,
    Location,
    Position,
    Procedure,
    Program,
    Receive,
    Return,
    Step,
    Target,
    Thread,
    scalar_of,
)
from tepui.program.types import BOOLEAN, THREAD, Array, Bounded, Overflow, Scalar, Type

OVERFLOWS: list[Overflow] = ["wrap", "saturate", "block"]


@dataclass(frozen=True)
class Sizes:
    """The most of everything, and how far a program has at most `states` states."""

    threads: int = 3
    count: int = 2
    globals: int = 3
    helpers: int = 2
    locations: int = 5
    contexts: int = 10
    depth: int = 5
    states: int = 500
    identities: float = 0
    """How many of the global variables name threads."""
    local: float = 1
    """How many of the others do, in comparison."""
    constants: bool = True
    """Whether certain threads are named."""


SMALL = Sizes()

KNOWING = Sizes(count=3, identities=0.6, local=0.3)
"""Threads that know themselves."""

EXCHANGED = Sizes(count=4, identities=0.7, local=0, constants=False)
"""Threads that know themselves, with identities in global variables only and no constants."""


def random_program(rng: Random, sizes: Sizes = SMALL) -> Program:
    """A random program of which brute force sees at most `sizes.states` states."""
    return random_case(rng, sizes)[0]


def random_case(rng: Random, sizes: Sizes = SMALL) -> tuple[Program, Findings]:
    """A random program, and what brute force finds about it."""
    while True:
        program = _Draft.start(rng, sizes).program()
        try:
            findings = _explored(program, sizes)
            if len(findings.rounds[-1]) < 15 and rng.random() < 0.6:
                continue
            planted = _with_assertion_where_late(rng, program, findings, sizes)
            return planted, findings if planted is program else _explored(planted, sizes)
        except TooLargeError:
            continue


def any_program(rng: Random, sizes: Sizes = SMALL) -> Program:
    """A random program that may have any number of states."""
    return _Draft.start(rng, sizes).program()


def with_bare_ends(program: Program) -> Program:
    """The program with tail calls: locations that only return are the mere ends of procedures."""
    procedures = []
    for procedure in program.procedures:
        locations = tuple(
            replace(location, text="", labels=())
            if procedure.leaving[number] == (Return(number),) and not location.labels
            else location
            for number, location in enumerate(procedure.locations)
        )
        procedures.append(replace(procedure, locations=locations))
    return replace(program, procedures=tuple(procedures))


def _explored(program: Program, sizes: Sizes) -> Findings:
    return explore(program, sizes.contexts, sizes.depth, sizes.states)


def _with_assertion_where_late(
    rng: Random, program: Program, findings: Findings, sizes: Sizes
) -> Program:
    """Often, the program with an assertion that fails where it gets to after several contexts."""
    late = _late_places(program, findings)
    if not late or rng.random() < 0.35:
        return program
    index, location, values = rng.choice(late)
    procedure = program.procedures[index]
    condition: Expression = FALSE
    for variable, value in zip(program.globals, values, strict=True):
        if variable.type == THREAD and not sizes.constants:
            continue
        if variable.type == variable.scalar and rng.random() < 0.9:
            other = Binary("!=", Read(variable), Constant(value[0], variable.scalar))
            condition = Binary("or", condition, other)
    steps = [edge for edge in procedure.leaving[location] if isinstance(edge, Step)]
    target = rng.choice(steps).target if steps else location
    procedures = list(program.procedures)
    if rng.random() < 0.8:
        procedures = [_assuming(other) for other in procedures]
    edges = (*procedures[index].edges, Assert(location, target, condition))
    procedures[index] = replace(procedures[index], edges=edges)
    return replace(program, procedures=tuple(procedures))


def _assuming(procedure: Procedure) -> Procedure:
    """The procedure with assertions that wait instead of failing; it reaches the same states."""
    edges = tuple(
        Step(edge.source, edge.target, Binary("and", edge.guard, edge.condition))
        if isinstance(edge, Assert)
        else edge
        for edge in procedure.edges
    )
    return replace(procedure, edges=edges)


def _late_places(program: Program, findings: Findings) -> list[tuple[int, int, Valuation]]:
    """Locations on top of a stack, with the values of the global variables, that come last."""
    shown = [
        {
            (stack[-1].procedure, stack[-1].location, state.globals)
            for state in states
            for stack in state.stacks
            if stack and not _receives(program.procedures[stack[-1].procedure], stack[-1].location)
        }
        for states in findings.rounds
    ]
    for k in range(len(shown) - 1, 1, -1):
        if shown[k] - shown[k - 1]:
            return sorted(shown[k] - shown[k - 1])
    return []


def _receives(procedure: Procedure, location: int) -> bool:
    return any(isinstance(edge, Receive) for edge in procedure.leaving[location])


@dataclass
class _Draft:
    """A program in the making."""

    rng: Random
    sizes: Sizes
    globals: tuple[Variable, ...]
    signatures: list[_Signature]
    threads: list[Thread] = field(default_factory=list)
    lines: int = 0

    @classmethod
    def start(cls, rng: Random, sizes: Sizes) -> _Draft:
        number = rng.choice([0, *range(1, sizes.globals + 1), *[sizes.globals] * 3])
        share = sizes.identities
        names = tuple(_random_variable(rng, f"g{i}", None, 0.2, share) for i in range(number))
        types = min(rng.choice([1, 2, 2, 2, 3]), sizes.threads)
        local = share * sizes.local
        roots = [_Signature.root(rng, f"t{i}", local) for i in range(types)]
        number = rng.randint(0, sizes.helpers)
        helpers = [_Signature.helper(rng, f"f{i}", local) for i in range(number)]
        return cls(rng, sizes, names, roots + helpers)

    def program(self) -> Program:
        rng = self.rng
        roots = [signature for signature in self.signatures if signature.is_root]
        creates = len(roots) > 1 and rng.random() < 0.35
        lock = self._lock() if rng.random() < 0.12 else None
        most = 1 if lock else self.sizes.count
        for index, root in enumerate(roots):
            is_main = creates and index == 0
            root.callable &= not is_main
            inherited = tuple(v for v in root.scalars if rng.random() < 0.7)
            created = creates and not is_main
            self.threads.append(
                Thread(
                    root.name,
                    root.name,
                    1 if is_main else rng.randint(1, most),
                    created,
                    None,
                    inherited if created else (),
                )
            )
        procedures = [self._procedure(s, creates and s is roots[0]) for s in self.signatures]
        self._start_elsewhere(procedures)
        return Program(tuple(procedures), tuple(self.threads), self.globals, lock, "random")

    def _lock(self) -> Variable:
        """A further global variable, named often, so that it is taken and given back."""
        lock = Variable("lock", BOOLEAN, None, self.rng.choice([0, 0, 0, 0, None]))
        self.globals += (lock,)
        return lock

    def _procedure(self, signature: _Signature, creates: bool) -> Procedure:
        if signature.counts_down:
            return _Body(self, signature).counting_down()
        return _Body(self, signature).procedure(creates)

    def _start_elsewhere(self, procedures: list[Procedure]) -> None:
        """Let some thread types begin in the midst of their procedure."""
        for index, thread in enumerate(self.threads):
            procedure = procedures[index]
            starts = [
                number
                for number, location in enumerate(procedure.locations)
                if not location.atomic and not _receives(procedure, number)
            ]
            if self.rng.random() < 0.1 and thread.created:
                self.threads[index] = replace(thread, start=self.rng.choice(starts))


@dataclass
class _Signature:
    """What callers and threads know about a procedure."""

    name: str
    variables: tuple[Variable, ...]
    parameters: int = 0
    results: tuple[Scalar, ...] = ()
    is_root: bool = False
    callable: bool = True
    counts_down: bool = False

    @classmethod
    def root(cls, rng: Random, name: str, identities: float) -> _Signature:
        number = rng.choice([0, 0, 1, 1, 2])
        names = tuple(_random_variable(rng, f"x{i}", name, 0.25, identities) for i in range(number))
        return cls(name, names, is_root=True, callable=rng.random() < 0.15)

    @classmethod
    def helper(cls, rng: Random, name: str, identities: float) -> _Signature:
        results = tuple(_random_scalar(rng, identities) for _ in range(rng.choice([0, 1, 1, 2])))
        if rng.random() < 0.25:
            kind = Bounded(0, rng.randint(1, 2), rng.choice(OVERFLOWS))
            left = Variable("left", kind, name)
            return cls(name, (left,), 1, results, counts_down=True)
        parameters = rng.choice([0, 0, 1, 1, 2])
        arguments = [
            Variable(f"p{i}", _random_scalar(rng, identities), name) for i in range(parameters)
        ]
        number = rng.choice([0, 0, 1])
        names = [_random_variable(rng, f"x{i}", name, 0.3, identities) for i in range(number)]
        return cls(name, (*arguments, *names), parameters, results)

    @property
    def scalars(self) -> list[Variable]:
        return [variable for variable in self.variables if not isinstance(variable.type, Array)]


class _Body:
    """The control-flow graph of one procedure in the making."""

    def __init__(self, draft: _Draft, signature: _Signature) -> None:
        self.rng = draft.rng
        self.draft = draft
        self.signature = signature
        names = draft.globals * 2 + signature.variables
        self.scope = Scope(self.rng, names, constants=draft.sizes.constants)
        self.edges: list[Edge] = []
        self.size = self.rng.randint(2 if signature.is_root else 1, draft.sizes.locations)
        self.extra = 0
        """How many locations for receiving results come after the others."""
        self.floor = 0
        """The first location to which a jump may lead back."""

    def procedure(self, creates: bool) -> Procedure:
        if creates:
            self.size += 1
            self.floor = self.rng.randint(1, self.size - 1)
        for source in range(self.size):
            if source < self.floor:
                self._create(source)
            elif source == self.size - 1:
                self._last(source)
            else:
                self._statement(source)
        return self._finished()

    def counting_down(self) -> Procedure:
        """Recursion that ends: a call with one less while there is something left."""
        left = self.signature.variables[0]
        self.size = 2
        more = Binary(">", Read(left), Constant(0, left.scalar))
        less = Binary("-", Read(left), Constant(1, left.scalar))
        self._call(0, self.signature, 1, more, (less,))
        self.edges.append(Step(0, 1, Unary("not", more)))
        self._last(1)
        return self._finished()

    def _finished(self) -> Procedure:
        return Procedure(
            self.signature.name,
            self._locations(),
            tuple(self.edges),
            self.signature.variables,
            self.signature.parameters,
            self.signature.results,
        )

    def _locations(self) -> tuple[Location, ...]:
        rng = self.rng
        share = rng.choice([0.0, 0.0, 0.3, 0.6, 0.8])
        locations = []
        for number in range(self.size + self.extra):
            self.draft.lines += rng.random() < 0.9
            name = f"{self.signature.name}_{number}"
            labels = rng.choice([(), (), (name,), ("here",), (name, "here")])
            position = Position("random.bp", 1 + self.draft.lines, 1 + number)
            atomic = number > 0 and rng.random() < share
            if number < self.size:
                locations.append(Location(position, name, labels, atomic))
            else:
                locations.append(Location(position, atomic=atomic))
        return tuple(locations)

    def _statement(self, source: int) -> None:
        rng, scope, target = self.rng, self.scope, self._next(source)
        match rng.randrange(14) if source else rng.choice([0, 0, 0, 4, 5, 7, 7, 8, 9, 10]):
            case 0 | 1 | 2:
                self.edges.append(self._assignment(source, target))
            case 3 | 4:
                condition = scope.condition()
                self.edges.append(Step(source, target, condition))
                if rng.random() < 0.7:
                    self.edges.append(Step(source, self._jump(), Unary("not", condition)))
            case 5:
                self.edges += [Step(source, target), Step(source, self._jump())]
            case 6 | 7 | 8 | 12 | 13 if self._callees():
                self._call_any(source)
            case 9:
                self.edges.append(Assert(source, target, scope.condition(), self._guard()))
            case 11:
                self._last(source)
            case _:
                self.edges.append(self._assignment(source, target))
        if rng.random() < 0.1 and not isinstance(self.edges[-1], End):
            self.edges.append(self._assignment(source, self._jump()))

    def _last(self, source: int) -> None:
        """A statement with nothing after it."""
        rng, signature = self.rng, self.signature
        if signature.results:
            values = tuple(self.scope.value(kind) for kind in signature.results)
            self.edges.append(Return(source, values))
            return
        match rng.randrange(9):
            case 0 | 1:
                self.edges.append(Return(source, guard=self._guard()))
            case 2 | 3 if signature.is_root and not signature.callable:
                self.edges.append(End(source, self._guard()))
            case 4:
                self.edges.append(Assert(source, self._jump(), self.scope.condition()))
            case 6 if self._callees():
                self._call_any(source, back=True)
            case _:
                self.edges.append(self._assignment(source, self._jump()))

    def _assignment(self, source: int, target: int | None) -> Step:
        rng = self.rng
        assignments = []
        for _ in range(rng.choice([0, 1, 1, 1, 2, 2])):
            written = self.scope.target()
            if written is not None:
                kind = written.scalar if isinstance(written, Variable) else written.variable.scalar
                assignments.append(Assignment(written, self.scope.value(kind)))
        changed = tuple(a.target for a in assignments if isinstance(a.target, Variable))
        constrained = replace(self.scope, changed=changed)
        constraint = constrained.condition() if changed and rng.random() < 0.2 else TRUE
        return Step(source, target, self._guard(), tuple(assignments), constraint)

    def _guard(self) -> Expression:
        return self.scope.condition() if self.rng.random() < 0.25 else TRUE

    def _call_any(self, source: int, back: bool = False) -> None:
        callee = self.rng.choice(self._callees())
        parameters = callee.variables[: callee.parameters]
        arguments = tuple(self.scope.value(parameter.scalar) for parameter in parameters)
        target = self._back() if back else source + 1
        self._call(source, callee, target, self._guard(), arguments)

    def _call(
        self,
        source: int,
        callee: _Signature,
        target: int,
        guard: Expression,
        arguments: tuple[Expression, ...],
    ) -> None:
        if not callee.results:
            self.edges.append(Call(source, target, callee.name, arguments, guard))
            return
        receipt = self.size + self.extra
        self.extra += 1
        self.edges.append(Call(source, receipt, callee.name, arguments, guard))
        for _ in range(self.rng.choice([1, 1, 1, 1, 2])):
            targets = tuple(map(self._receiver, callee.results))
            self.edges.append(Receive(receipt, target, targets, self._guard()))

    def _receiver(self, result: Scalar) -> Target | None:
        """What takes a result, if anything; identities go where there are identities."""
        target = self.scope.target() if self.rng.random() < 0.85 else None
        fits = target is not None and (scalar_of(target) == THREAD) == (result == THREAD)
        return target if fits else None

    def _create(self, source: int) -> None:
        """A step before the loops of a main, which creates threads if it is the last such step."""
        types = [index for index, thread in enumerate(self.draft.threads) if thread.created]
        mine = types[source : source + 1] if source < self.floor - 1 else types[source:]
        if not mine:
            self.edges.append(self._assignment(source, source + 1))
            return
        values = tuple(
            tuple(self.scope.value(v.scalar) for v in self.draft.threads[t].inherited) for t in mine
        )
        self.edges.append(Create(source, source + 1, tuple(mine), values, self._guard()))

    def _callees(self) -> list[_Signature]:
        return [signature for signature in self.draft.signatures if signature.callable]

    def _next(self, source: int) -> int | None:
        return source + 1 if source + 1 < self.size else self._exit()

    def _jump(self) -> int | None:
        return self._exit() if self.rng.random() < 0.3 else self._back()

    def _back(self) -> int:
        return self.rng.randrange(self.floor, self.size)

    def _exit(self) -> int | None:
        """Out of the procedure, or to its end if that returns something."""
        return self.size - 1 if self.signature.results else None


def _random_variable(
    rng: Random, name: str, procedure: str | None, unset: float, identities: float
) -> Variable:
    kind: Type = _random_scalar(rng, identities)
    if kind == THREAD:
        return Variable(name, THREAD if rng.random() < 0.9 else Array(THREAD, 2), procedure)
    if rng.random() < 0.08:
        kind = Array(BOOLEAN if rng.random() < 0.7 else Bounded(0, 1), 2)
    initial = None if rng.random() < unset else rng.choice([0, 0, 1])
    return Variable(name, kind, procedure, initial)


def _random_scalar(rng: Random, identities: float) -> Scalar:
    if identities and rng.random() < identities:
        return THREAD
    if rng.random() < 0.7:
        return BOOLEAN
    low = rng.choice([0, -1])
    kinds: list[Scalar] = [COLOURS, Bounded(low, low + 2, rng.choice(OVERFLOWS))]
    return rng.choice(kinds)
