"""Random small programs that fork and join, as texts.

Identities of threads go everywhere they may: into globals and locals, from one variable to another,
down into recursive calls, to threads that were forked later; they are joined twice, too late, or
never, and overwritten while their thread runs. Labels stand at most statements, so that a program
asks many questions at once. All data is Boolean.

Programs that *compare* threads ask for their own identities, too.

A procedure forks and calls mostly procedures behind it, so that most programs fork a bounded number
of threads at once; some go on for ever.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

GLOBAL_BITS = ["a", "b"]
GLOBAL_THREADS = ["u", "v"]


@dataclass(frozen=True)
class _Procedure:
    """What callers see: for each parameter, whether it is a thread."""

    name: str
    parameters: tuple[bool, ...] = ()


PROCEDURES = [
    _Procedure("main"),
    _Procedure("deep", (True, False)),
    _Procedure("keep", (True,)),
    _Procedure("work", (False,)),
    _Procedure("leaf"),
]


def random_fork_program(rng: Random, *, compares: bool = False) -> str:
    """The text of a program."""
    start = rng.choice(["0", "0", "1"])
    lines = [f"decl a := {start}, b := 0;", "thread u, v;"]
    writer = _Writer(rng, compares)
    for index in reversed(range(len(PROCEDURES))):
        lines += writer.procedure(index)
    return "\n".join(lines) + "\n"


@dataclass
class _Writer:
    rng: Random
    compares: bool = False
    labels: int = 0
    bits: list[str] = field(default_factory=list)
    threads: list[str] = field(default_factory=list)
    index: int = 0
    loops: int = 0
    named: list[str] = field(default_factory=list)
    """The threads that probably were forked before this place, the likelier the more often."""

    def procedure(self, index: int) -> list[str]:
        """A procedure; the names of its variables tell what they are."""
        procedure = PROCEDURES[index]
        parameters = [f"p{n}" for n in range(len(procedure.parameters))]
        kinds = list(zip(parameters, procedure.parameters, strict=True))
        own = [f"t{n}" for n in range(self.rng.choice([0, 1, 1, 2]) if index < 3 else 0)]
        bit = self.rng.random() < 0.2
        self.index = index
        self.loops = 0
        self.bits = GLOBAL_BITS + [name for name, thread in kinds if not thread] + ["x"] * bit
        self.threads = [*GLOBAL_THREADS, *(name for name, thread in kinds if thread), *own * 2]
        self.named = [name for name, thread in kinds if thread]
        head = ", ".join(f"{name}: thread" if thread else name for name, thread in kinds)
        lines = [f"void {procedure.name}({head}) {{"]
        lines += [f"thread {', '.join(own)};"] * bool(own)
        lines += ["decl x := 0;"] * bit
        lines += [self.fork()] * (index == 0)
        size = self.rng.randint(3, 6) if index == 0 else self.rng.randint(1, 3)
        return [*lines, *self.block(size, 0), "}"]

    def block(self, size: int, depth: int) -> list[str]:
        lines = []
        for _ in range(size):
            statement = self.statement(depth)
            if self.rng.random() < 0.6:
                self.labels += 1
                statement[0] = f"L{self.labels}: {statement[0]}"
            lines += statement
        return lines

    def statement(self, depth: int) -> list[str]:
        compound = depth < 2 and self.rng.random() < 0.18
        if compound:
            return self.compound(depth)
        draw = self.rng.random() * (0.9 if self.index + 1 < len(PROCEDURES) else 0.65)
        if draw < 0.18:
            return [f"{self.rng.choice(self.bits)} := {self.value()};"]
        if draw < 0.22:
            return [f"assume({self.condition()});"]
        if draw < 0.3:
            return [f"assert({self.condition()});"]
        if draw < 0.45:
            return [self.join()]
        if draw < 0.5:
            return self.join_of_a_copy()
        if draw < 0.6:
            return [self.copy()]
        if draw < 0.62:
            return [self.rng.choice(["return;", f"thread_create({self.run()});"])]
        if draw < 0.7:
            return [f"{self.run()};"]
        return [self.fork()]

    def compound(self, depth: int) -> list[str]:
        draw = self.rng.random()
        condition = self.rng.choice(["*", "*", self.condition()])
        if draw < 0.35 and self.index == 0 and not self.loops:
            self.loops += 1
            forever = self.rng.choice(["1", condition])
            return [f"while ({forever}) {{", *self.block(self.rng.randint(1, 3), depth + 1), "}"]
        if draw < 0.6:
            inside = [self.simple() for _ in range(self.rng.randint(1, 3))]
            return ["atomic {", *inside, "}"]
        then = self.block(self.rng.randint(1, 2), depth + 1)
        otherwise = self.block(self.rng.randint(1, 2), depth + 1)
        if self.rng.random() < 0.5:
            return [f"if ({condition}) {{", *then, "}"]
        return [f"if ({condition}) {{", *then, "} else {", *otherwise, "}"]

    def simple(self) -> str:
        """A statement inside an atomic section."""
        bit = f"{self.rng.choice(self.bits)} := {self.value()};"
        return self.rng.choice([self.fork(), self.join(), self.copy(), bit, f"{self.run()};"])

    def fork(self) -> str:
        run = self.run()
        if self.rng.random() < 0.15:
            return f"async {run};"
        name = self.thread()
        self.named += [name] * 3
        return f"{name} := async {run};"

    def join(self) -> str:
        if not self.named and self.rng.random() < 0.9 and self.index + 1 < len(PROCEDURES):
            return self.fork()
        return f"join({self.rng.choice([*self.named * 4, self.thread()])});"

    def join_of_a_copy(self) -> list[str]:
        """The variable itself goes on naming a thread that has ended."""
        copy = self.rng.choice(GLOBAL_THREADS)
        return [f"{copy} := {self.rng.choice([*self.named, self.thread()])};", f"join({copy});"]

    def copy(self) -> str:
        if self.rng.random() < 0.2:
            return f"{self.thread()}, {self.thread()} := {self.known()}, {self.known()};"
        target = self.thread()
        self.named.append(target)
        return f"{target} := {self.rng.choice([*self.named, self.known()])};"

    def run(self) -> str:
        """A procedure with arguments, mostly one behind this one."""
        later = PROCEDURES[self.index + 1 :]
        again = self.rng.random() < 0.12 or not later
        callee = self.rng.choice(PROCEDURES[max(self.index, 1) :] if again else later)
        given = [self.known() if thread else self.value() for thread in callee.parameters]
        return f"{callee.name}({', '.join(given)})"

    def thread(self) -> str:
        return self.rng.choice(self.threads)

    def known(self) -> str:
        """A thread as a value."""
        if self.compares and self.rng.random() < 0.35:
            return "thread_self()"
        return self.thread()

    def value(self) -> str:
        return self.rng.choice(["0", "1", "*", self.condition()])

    def condition(self) -> str:
        if self.compares and self.rng.random() < 0.6:
            return f"({self.known()} {self.rng.choice(['=', '!='])} {self.known()})"
        return self.rng.choice(["", "!"]) + self.rng.choice(self.bits)
