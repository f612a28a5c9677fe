"""Random programs that copy values of one type and compare them, small enough for brute force.

Values go everywhere: through global variables, arrays, local variables, arguments, results, what
created threads inherit, conditionals, swaps, constraints and choices that are compared at once,
with and without atomic sections around them. Constants are few. The type has one or two values more
than the pass for small sorts keeps, so that brute force can still choose all of them.

`random_open_program` is for copies of variables that have no value yet: most variables start
without one, more of them are local, and now and then one is computed with.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

from support import boolean_flows
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
    Variable,
)
from tepui.program.passes.sort_classes import sorts_of
from tepui.program.program import (
    Assert,
    Assignment,
    Call,
    Create,
    Edge,
    Element,
    Location,
    Position,
    Procedure,
    Program,
    Receive,
    Return,
    Step,
    Target,
    Thread,
)
from tepui.program.types import BOOLEAN, Array, Bounded, Scalar

_LARGE = 1000


def random_copying_program(seed: int, most: int = 7) -> Program | None:
    """A program with a type of at most this many values that the pass makes smaller; None if the
    seed gives none."""
    large = _Draft(Random(seed), Bounded(0, _LARGE - 1)).program()
    needed = [
        count
        for sort in sorts_of(large)
        if sort.scalar is not None and (count := sort.needed(large, 0)) is not None
    ]
    size = max(needed, default=most) + Random(seed).choice([1, 1, 2])
    return _Draft(Random(seed), Bounded(0, size - 1)).program() if size <= most else None


def random_open_program(seed: int) -> Program:
    """A program with a type of three values, most variables of which have none at first."""
    return _Open(Random(seed), Bounded(0, 2)).program()


@dataclass
class _Draft:
    rng: Random
    type: Scalar
    globals: list[Variable] = field(default_factory=list)
    locals: list[Variable] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)
    line: int = 0
    shared: tuple[int, ...] = (1, 1, 2, 2)
    """How many global variables there may be."""
    numbers: tuple[int, ...] = (0, 0, 1)
    """How many local variables a procedure may have."""
    sizes: tuple[int, int] = (2, 4)
    """How many statements a procedure has, at least and at most."""

    def program(self) -> Program:
        rng = self.rng
        self.globals = [self._variable(f"g{n}", None) for n in range(rng.choice(self.shared))]
        if rng.random() < 0.25:
            initial = rng.choice([0, 0, None])
            self.globals.append(Variable("a", Array(self.type, 2), None, initial))
        flag = Variable("flag", BOOLEAN, None, 0)
        helper = rng.random() < 0.4
        creates = rng.random() < 0.25
        names = ["main", "other"][: rng.choice([1, 2, 2]) + creates][:2]
        procedures = [
            self._procedure(name, flag, helper, created=name == "other" and creates)
            for name in names
        ]
        threads = [Thread("main", "main")]
        if "other" in names:
            inherited = procedures[1].variables[:1] if creates else ()
            threads.append(Thread("other", "other", 1, creates, None, inherited))
        if creates:
            procedures[0] = self._creating(procedures[0], threads[1])
        if helper:
            procedures.append(self._helper(flag))
        return Program(tuple(procedures), tuple(threads), (*self.globals, flag), None, "copying")

    def _variable(self, name: str, procedure: str | None) -> Variable:
        return Variable(name, self.type, procedure, self.rng.choice([0, 0, 1, None]))

    def _procedure(self, name: str, flag: Variable, helper: bool, *, created: bool) -> Procedure:
        rng = self.rng
        count = max(int(created), rng.choice(self.numbers))
        self.locals = [self._variable(f"x{n}", name) for n in range(count)]
        self.edges = []
        size = rng.randint(*self.sizes)
        extra: list[int] = []
        for source in range(size):
            target = source + 1 if rng.random() < 0.85 else rng.randrange(size)
            if helper and rng.random() < 0.3:
                between = size + 1 + len(extra)
                extra.append(between)
                self.edges.append(Call(source, between, "f", (self._value(),)))
                self.edges.append(Receive(between, target, (rng.choice([None, self._scalar()]),)))
            else:
                self.edges += self._statement(source, target, flag)
        self.edges.append(Return(size))
        locations = tuple(self._location(name, n, size) for n in range(size + 1 + len(extra)))
        return Procedure(name, locations, tuple(self.edges), tuple(self.locals))

    def _helper(self, flag: Variable) -> Procedure:
        given = Variable("p", self.type, "f")
        self.locals, self.edges = [given], []
        self.edges += self._statement(0, 1, flag)
        self.edges.append(Return(1, (self._value(),)))
        locations = tuple(self._location("f", number, 1) for number in range(2))
        return Procedure("f", locations, tuple(self.edges), (given,), 1, (self.type,))

    def _creating(self, procedure: Procedure, thread: Thread) -> Procedure:
        """The procedure with a creation before everything else."""
        self.locals = list(procedure.variables)
        last = len(procedure.locations)
        values = tuple(self._value() for _ in thread.inherited)
        create = Create(last, 0, (1,), (values,))
        position = Position("copying.bp", 1, 1)
        return Procedure(
            procedure.name,
            (*procedure.locations, Location(position, "create")),
            (*procedure.edges, create),
            procedure.variables,
            entry=last,
        )

    def _location(self, name: str, number: int, size: int) -> Location:
        self.line += 1
        atomic = 0 < number < size and self.rng.random() < 0.2
        labels = (f"{name}_{number}",) if self.rng.random() < 0.5 else ()
        position = Position("copying.bp", 1 + self.line, 1)
        return Location(position, f"{name} {number}", labels, atomic)

    def _statement(self, source: int, target: int, flag: Variable) -> list[Edge]:
        rng = self.rng
        match rng.randrange(9):
            case 0 | 1:
                return [Step(source, target, assignments=(self._assignment(),))]
            case 2:
                pair = self._assignment(), self._assignment()
                return [Step(source, target, assignments=pair)]
            case 3:
                variable = self._scalar()
                chosen = Assignment(variable, Choice(self.type))
                kept = Binary("=", Read(variable, after=True), self._value())
                after = kept if rng.random() < 0.5 else Unary("not", kept)
                return [Step(source, target, TRUE, (chosen,), after)]
            case 4:
                return [Step(source, target, self._condition())]
            case 5:
                condition = self._condition()
                return [
                    Step(source, target, condition),
                    Step(source, source + 1, Unary("not", condition)),
                ]
            case 6:
                result = Assignment(flag, self._condition())
                return [Step(source, target, assignments=(result,))]
            case _:
                return [Assert(source, target, self._condition())]

    def _assignment(self) -> Assignment:
        return Assignment(self._target(), self._value())

    def _scalar(self) -> Variable:
        every = (*self.globals, *self.locals)
        return self.rng.choice([each for each in every if each.type == self.type])

    def _target(self) -> Target:
        array = self._array()
        if array is not None and self.rng.random() < 0.4:
            return Element(array, self._index())
        return self._scalar()

    def _array(self) -> Variable | None:
        return next((each for each in self.globals if each.length > 1), None)

    def _value(self, depth: int = 0) -> Expression:
        rng, array = self.rng, self._array()
        draw = rng.random()
        if draw < 0.15:
            return Choice(self.type)
        if draw < 0.25:
            return Constant(rng.randrange(2), self.type)
        if draw < 0.35 and depth < 1:
            return Conditional(self._condition(), self._value(1), self._value(1))
        if draw < 0.4 and depth < 1:
            return Convert(self._value(1), self.type)
        if draw < 0.5 and array is not None:
            return ReadElement(array, self._index())
        return Read(self._scalar())

    def _index(self) -> Expression:
        return Constant(self.rng.randrange(2), BOOLEAN)

    def _condition(self) -> Expression:
        rng = self.rng
        operators: list[BinaryOperator] = ["=", "!=", "!="]
        compared = Binary(rng.choice(operators), self._value(1), self._value(1))
        if rng.random() < 0.2:
            more = Binary("=", self._value(1), self._value(1))
            both: list[BinaryOperator] = ["and", "or"]
            return Binary(rng.choice(both), compared, more)
        return compared


@dataclass
class _Open(_Draft):
    shared: tuple[int, ...] = (1, 2, 2, 3)
    numbers: tuple[int, ...] = (0, 2, 3)
    sizes: tuple[int, int] = (3, 5)

    def _variable(self, name: str, procedure: str | None) -> Variable:
        return Variable(name, self.type, procedure, self.rng.choice([None] * 5 + [1]))

    def _statement(self, source: int, target: int, flag: Variable) -> list[Edge]:
        rng = self.rng
        one, other = self._pair()
        match rng.randrange(9):
            case 0 | 1 | 2:
                return [Step(source, target, assignments=(Assignment(one, Read(other)),))]
            case 3:
                swap = Assignment(one, Read(other)), Assignment(other, Read(one))
                return [Step(source, target, assignments=swap)]
            case 4:
                new = Assignment(one, Read(other)), Assignment(other, Choice(self.type))
                kept = Binary("<=", Read(one, after=True), Read(other, after=True))
                return [Step(source, target, TRUE, new, kept if rng.random() < 0.5 else TRUE)]
            case _:
                return super()._statement(source, target, flag)

    def _value(self, depth: int = 0) -> Expression:
        if self.rng.random() < 0.1:
            more = Binary("+", Read(self._scalar()), Constant(1, self.type))
            return Convert(more, self.type)
        return super()._value(depth)

    def _index(self) -> Expression:
        if self.rng.random() < 0.3:
            return Binary("&", Read(self._scalar()), Constant(1))
        return super()._index()

    def _condition(self) -> Expression:
        if self.rng.random() < 0.5:
            return super()._condition()
        operators: list[BinaryOperator] = ["=", "<", "<=", ">", ">="]
        return Binary(self.rng.choice(operators), *map(Read, self._pair()))

    def _pair(self) -> tuple[Variable, Variable]:
        """Two variables, most often both global or both local."""
        scalars = [each for each in self.globals if each.type == self.type]
        beside = self.locals if self.rng.random() < 0.5 and len(self.locals) > 1 else scalars
        if len(beside) < 2 or self.rng.random() < 0.2:
            return self._scalar(), self._scalar()
        one, other = self.rng.sample(beside, 2)
        return one, other


def random_copying_fork(seed: int, slots: int = 2) -> str:
    """The text of a program that gives values to forked threads, with a type that has one value
    more than are needed with some slots."""
    large = boolean_flows.load(_fork_text(Random(seed), _LARGE))
    needed = [sort.needed(large, slots) for sort in sorts_of(large) if sort.scalar is not None]
    return _fork_text(Random(seed), 1 + max(filter(None, needed)))


def _fork_text(rng: Random, size: int) -> str:
    kind = f"int 0..{size - 1}"
    start = rng.choice([" := 0", " := 1", ""])

    def statement(names: list[str]) -> str:
        one, other = rng.choice(names), rng.choice([*names, *names, "0", "1"])
        same = f"{one} {rng.choice(['=', '!='])} {other}"
        return rng.choice(
            [
                *(f"{one} := {other};", f"{one} := *;", f"assert({same});", f"assume({same});"),
                f"if ({same}) {{ {one} := {rng.choice(names)}; }}",
            ]
        )

    given = rng.choice(["x", "g"])
    work = [statement(["g", "h", "p"]) for _ in range(rng.randint(1, 3))]
    before = [statement(["g", "h", "x"]) for _ in range(rng.randint(0, 2))]
    after = [statement(["g", "h", "x"]) for _ in range(rng.randint(1, 2))]
    fork = f"t := async work({given});"
    forks = rng.choice([[fork], [fork, "join(t);", fork], [fork, f"async work({given});"]])
    lines = [*before, *forks, *rng.choice([["join(t);"], []]), *after]
    return "\n".join(
        [
            f"decl g: {kind}{start}; decl h: {kind} := 0;",
            f"void work(p: {kind}) {{ {' '.join(work)} }}",
            f"void main() {{ thread t; decl x: {kind}; {' '.join(lines)} assert(g = h); }}",
        ]
    )
