"""Random small programs over integers without bounds, with any number of threads or forked ones.

Each comes with a narrow version, in which integers have bounds that no step leaves and numbers of
threads are fixed. All its runs are runs of the program, and brute force can list them.

Many programs are built around an idea that makes assertions hold (a lock, a semaphore, tickets, a
count of those inside), so that there is something to prove; chance then breaks some of them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

LOW, HIGH = -1, 3
"""The integers of a narrow version."""


@dataclass
class IntegerProgram:
    """The text of a program with `INT` for its integers and `*` for numbers of threads."""

    pattern: str

    @property
    def text(self) -> str:
        return self.pattern.replace("INT", "int").replace("MANY", "*")

    def narrow(self, threads: int) -> str:
        """The text of a version with this number of threads where any number is possible."""
        integers = f"int {LOW}..{HIGH} block"
        return self.pattern.replace("INT", integers).replace("MANY", str(threads))


def random_integer_program(rng: Random, *, forks: bool) -> IntegerProgram:
    """A program whose threads are forked, or any number from the beginning."""
    return IntegerProgram(_Writer(rng, forks).program())


_IDEAS: dict[str, tuple[str, list[str], list[str]]] = {
    "lock": ("decl l := 0;", ["atomic { wait(!l); l := 1; }"], ["l := 0;"]),
    "semaphore": (
        "decl s: INT := 1;",
        ["atomic { wait(s > 0); s := s - 1; }"],
        ["s := s + 1;"],
    ),
    "tickets": (
        "decl next: INT := 0, now: INT := 0;",
        ["atomic { mine := next; next := next + 1; }", "wait(mine = now);"],
        ["now := now + 1;"],
    ),
    "none": ("", [], []),
}
"""What is declared, and what stands before and behind a critical section."""


@dataclass
class _Writer:
    rng: Random
    forks: bool
    integers: list[str] = field(default_factory=lambda: ["a", "b"])
    labels: int = 0

    def program(self) -> str:
        rng = self.rng
        declared, enter, leave = _IDEAS[rng.choice(list(_IDEAS))]
        start = rng.choice([0, 0, 1])
        lines = [f"decl a: INT := {start}, b: INT := 0;", "decl busy := 0;", declared]
        lines += ["thread t, u;"] * self.forks
        lines += self._helper()
        lines += ["void f(k: INT) {" if self.forks else "void f() {"]
        lines += [f"decl mine: INT := 0, x: INT := {rng.choice([0, 0, 1])};"]
        self.integers = ["a", "b", "x", *["k"] * self.forks]
        body = self._critical(enter, leave) + self._block(rng.randint(0, 2), 0)
        if not any("assert" in line for line in body):
            body.append(self._assertion())
        if not self.forks and rng.random() < 0.5:
            body = ["while (1) {", *body, "}"]
        if self.forks and rng.random() < 0.2:
            body += [f"if (*) {{ async f({self._value()}); }}"]
        lines += [*body, "}", "void main() {"]
        self.integers = ["a", "b"]
        lines += self._main()
        return "\n".join([*lines, "}"]) + "\n"

    def _helper(self) -> list[str]:
        if self.rng.random() < 0.7:
            return ["void h() { skip; }"]
        inside = self._block(self.rng.randint(1, 2), 1)
        again = ["if (*) { h(); }"] * (self.rng.random() < 0.5)
        return ["void h() {", *again, *inside, *again * (self.rng.random() < 0.3), "}"]

    def _main(self) -> list[str]:
        rng = self.rng
        if not self.forks:
            after = self._block(rng.randint(0, 2), 1)
            return ["thread_create(f, MANY);", *after]
        fork = f"async f({self._value()});"
        how = rng.random()
        if how < 0.35:
            return [*self._block(1, 1), f"while (*) {{ {fork} }}", *self._block(1, 1)]
        if how < 0.5:
            return [f"while (*) {{ t := {fork} join(t); {self._assertion()} }}"]
        lines = [f"t := {fork}", f"u := async f({self._value()});"]
        for name in "tu":
            lines += [f"join({name});"] * (rng.random() < 0.7)
        return [*lines, *self._block(rng.randint(0, 1), 1), self._assertion()]

    def _critical(self, enter: list[str], leave: list[str]) -> list[str]:
        rng = self.rng
        if rng.random() < 0.15 and enter:
            enter = [enter[0].removeprefix("atomic {").removesuffix("}"), *enter[1:]]
        inside = ["assert(!busy);", "busy := 1;"] * (rng.random() < 0.6)
        if rng.random() < 0.4:
            bound = rng.choice([1, 1, 2])
            inside += ["a := a + 1;", f"assert(a <= {bound});", "a := a - 1;"]
        inside += self._block(rng.randint(0, 1), 1)
        inside += ["busy := 0;"] * ("busy := 1;" in inside)
        return [*enter, *inside, *leave]

    def _block(self, size: int, depth: int) -> list[str]:
        return [line for _ in range(size) for line in self._statement(depth)]

    def _statement(self, depth: int) -> list[str]:
        rng = self.rng
        draw = rng.random()
        if depth == 0 and draw < 0.2:
            condition = rng.choice(["*", self._condition()])
            inside = self._block(rng.randint(1, 2), 1)
            return [f"{rng.choice(['if', 'if', 'while'])} ({condition}) {{", *inside, "}"]
        if draw < 0.3:
            some = [self._assignment() for _ in range(rng.randint(1, 2))]
            return ["atomic {", f"wait({self._condition()});", *some, "}"]
        if draw < 0.45:
            return [self._assertion()]
        if draw < 0.55:
            return [f"{rng.choice(['assume', 'wait'])}({self._condition()});"]
        if draw < 0.6:
            return ["h();"]
        return [self._assignment()]

    def _assignment(self) -> str:
        target = self.rng.choice([each for each in self.integers if each != "k"])
        if self.rng.random() < 0.5:
            return f"{target} := {target} {self.rng.choice('+-')} {self.rng.choice('112')};"
        return f"{target} := {self._value()};"

    def _value(self) -> str:
        rng = self.rng
        draw = rng.random()
        if draw < 0.06:
            return "*"
        if draw < 0.4:
            return rng.choice(["0", "1", "2"])
        if draw < 0.8:
            return rng.choice(self.integers)
        return f"{rng.choice(self.integers)} {rng.choice('+-')} {rng.choice(self.integers)}"

    def _condition(self) -> str:
        left = self.rng.choice(self.integers)
        right = self.rng.choice(["0", "0", "1", *self.integers])
        return f"{left} {self.rng.choice(['=', '!=', '<', '<=', '>', '>='])} {right}"

    def _assertion(self) -> str:
        draw = self.rng.random()
        if draw < 0.5:
            return f"assert({self.rng.choice(self.integers)} >= 0);"
        return f"assert({self._condition()});"
