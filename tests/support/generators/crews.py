"""Random small programs that fork threads whose identities are not stored, as texts.

Such threads are equal before they start. Some programs fork others besides, and join them; in some,
threads write their identities into global variables and compare them. Labels stand at most
statements, and all data is Boolean.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

_BEHIND = {"main": ["work", "leaf"], "work": ["leaf"], "leaf": []}


def random_crew(rng: Random) -> str:
    """The text of a program."""
    writer = _Writer(rng, compares=rng.random() < 0.5, stores=rng.random() < 0.3)
    lines = ["decl a := 0, b := 0;", "thread u, v;", *writer.procedure("leaf", "")]
    lines += [*writer.procedure("work", "p"), *writer.procedure("main", "")]
    return "\n".join(lines) + "\n"


@dataclass
class _Writer:
    rng: Random
    compares: bool
    stores: bool
    labels: int = 0
    name: str = ""
    bits: tuple[str, ...] = ()

    def procedure(self, name: str, parameter: str) -> list[str]:
        self.name = name
        self.bits = ("a", "b", parameter) if parameter else ("a", "b")
        results = "bool" if name == "leaf" and self.rng.random() < 0.3 else "void"
        size = self.rng.randint(3, 5) if name == "main" else self.rng.randint(1, 3)
        body = self.block(size, 0)
        end = ["return a;"] if results == "bool" else []
        return [f"{results} {name}({parameter}) {{", *body, *end, "}"]

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
        draw = self.rng.random()
        if draw < 0.12 and depth < 2:
            return [f"if ({self.condition()}) {{", *self.block(1, depth + 1), "}"]
        if draw < 0.22 and depth < 1 and self.name == "main":
            loop = self.rng.choice(["1", "*", self.condition()])
            return [f"while ({loop}) {{", *self.block(2, depth + 1), "}"]
        if draw < 0.32:
            return ["atomic {", *(self.simple() for _ in range(2)), "}"]
        if draw < 0.42:
            return [f"assert({self.condition()});"]
        if draw < 0.5:
            return [f"assume({self.condition()});"]
        return [self.simple()]

    def simple(self) -> str:
        draw, behind = self.rng.random(), _BEHIND[self.name]
        if behind and draw < 0.5:
            return self.fork(self.rng.choice(behind))
        if draw < 0.75 and self.compares:
            return f"{self.rng.choice('uv')} := {self.rng.choice(['thread_self()', 'u', 'v'])};"
        if draw < 0.6 and self.stores and not self.compares:
            return f"join({self.rng.choice('uv')});"
        return f"{self.rng.choice(self.bits)} := {self.rng.choice(['0', '1', '*', '!a'])};"

    def fork(self, callee: str) -> str:
        argument = self.rng.choice(["0", "1", "1", self.rng.choice(self.bits)])
        run = f"{callee}({argument if callee == 'work' else ''})"
        if self.stores and self.rng.random() < 0.4:
            return f"{self.rng.choice('uv')} := async {run};"
        return f"async {run};"

    def condition(self) -> str:
        if self.compares and self.rng.random() < 0.5:
            other = self.rng.choice(["u", "v", "thread_self()"])
            return f"({self.rng.choice('uv')} {self.rng.choice(['=', '!='])} {other})"
        return self.rng.choice(["", "!"]) + self.rng.choice(self.bits)
