"""Random programs in which slots are reused while variables still hold old names of threads.

A thread that sets a flag before its end has nearly ended when the next one is forked, so that a
slot that can be reused too early is reused at once. Names are kept in globals, in locals, in frames
below the running one and in other threads. The new thread is often one that never ends, so that a
thread that waits for it by mistake never goes on. There is a label after every join.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

HEAD = """\
decl a := 0, b := 0, never := 0;
thread u, v;
void set_a() { a := 1; }
void set_b() { b := 1; }
void stay() { assume(never); }
void wait_for(p: thread) { join(p); W: a := 1; }
"""


def random_stale_names(rng: Random) -> str:
    """The text of a program."""
    writer = _Writer(rng)
    below = writer.procedure("below", ["p", "q"], ["t"], rng.randint(2, 4))
    writer.may_call = True
    main = writer.procedure("main", [], ["t", "s"], rng.randint(4, 7))
    return "\n".join([HEAD + below, main, ""])


@dataclass
class _Writer:
    rng: Random
    labels: int = 0
    may_call: bool = False
    names: list[str] = field(default_factory=list)
    given: list[str] = field(default_factory=list)
    """The names that some thread probably has."""

    def procedure(self, name: str, parameters: list[str], own: list[str], size: int) -> str:
        self.names = ["u", "v", *[*parameters, *own] * 2]
        self.given = list(parameters)
        head = ", ".join(f"{parameter}: thread" for parameter in parameters)
        body = " ".join([self.forked_and_seen(), *(self.statement() for _ in range(size))])
        return f"void {name}({head}) {{ thread {', '.join(own)}; {body} }}"

    def statement(self) -> str:
        draw = self.rng.random()
        if draw < 0.2:
            return self.forked_and_seen()
        if draw < 0.35:
            return f"{self.target()} := async {self.rng.choice(['stay', 'stay', 'set_a'])}();"
        if draw < 0.42:
            return f"{self.target()} := async wait_for({self.source()});"
        if draw < 0.62:
            value = self.source()
            return f"{self.target()} := {value};"
        if draw < 0.75 and self.may_call:
            return f"below({self.source()}, {self.source()});"
        self.labels += 1
        return f"join({self.source()}); L{self.labels}: skip;"

    def forked_and_seen(self) -> str:
        """A thread is forked, and nothing goes on before it has done what it does."""
        flag = self.rng.choice(["a", "b"])
        return f"{flag} := 0; {self.target()} := async set_{flag}(); assume({flag});"

    def target(self) -> str:
        self.given.append(self.rng.choice(self.names))
        return self.given[-1]

    def source(self) -> str:
        return self.rng.choice(self.given)
