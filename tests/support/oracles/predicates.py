"""Predicates over small programs, naively: what the solver's answers are compared with.

A program has equal threads, a few shared and local variables with few values, and statements in a
circle. States are listed one by one, all that the types allow; what a predicate means in a state is
evaluated from its tree. Nothing is shared with the code: programs and predicates are written as
text for it, and are evaluated from the same trees here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from random import Random

Local = tuple[int, int]
"""Where a thread is, and its local variable."""

State = tuple[int, int, tuple[Local, ...]]
"""x, y, and the threads."""

X, Y, L = 3, 2, 2
"""How many values the variables have."""


@dataclass(frozen=True)
class Expression:
    """An expression as text, and its value for x, y and l."""

    text: str
    value: Callable[[int, int, int], int]


EXPRESSIONS = (
    Expression("0", lambda x, y, v: 0),
    Expression("1", lambda x, y, v: 1),
    Expression("x", lambda x, y, v: x),
    Expression("y", lambda x, y, v: y),
    Expression("l", lambda x, y, v: v),
    Expression("x + 1", lambda x, y, v: x + 1),
    Expression("1 - l", lambda x, y, v: 1 - v),
    Expression("1 - y", lambda x, y, v: 1 - y),
)

CONDITIONS = (
    Expression("x = 0", lambda x, y, v: x == 0),
    Expression("x = l", lambda x, y, v: x == v),
    Expression("y = l", lambda x, y, v: y == v),
    Expression("l = 0", lambda x, y, v: v == 0),
    Expression("y != 0", lambda x, y, v: y != 0),
    Expression("x < 2", lambda x, y, v: x < 2),
)


@dataclass(frozen=True)
class Statement:
    """`wait(condition)`, or `target := value`."""

    target: str
    value: Expression

    @property
    def text(self) -> str:
        if self.target == "wait":
            return f"wait({self.value.text});"
        return f"{self.target} := {self.value.text};"


@dataclass(frozen=True)
class Circle:
    """A program."""

    statements: tuple[Statement, ...]

    def text(self, count: str) -> str:
        lines = "\n".join(f"L{n}: {each.text}" for n, each in enumerate(self.statements))
        return (
            f"decl x: int 0..{X - 1} := 0;\ndecl y: int 0..{Y - 1} := 0;\n"
            f"void work() {{\ndecl l: int 0..{L - 1} := 0;\n{lines}\nL{self.last}: goto L0;\n}}\n"
            f"void main() {{ thread_create(work, {count}); }}\n"
        )

    @property
    def last(self) -> int:
        """The place from which a thread goes back to the first one."""
        return len(self.statements)

    def step(self, state: State, thread: int) -> State | None:
        """What a thread does in a state."""
        x, y, threads = state
        pc, local = threads[thread]
        if pc == self.last:
            return x, y, (*threads[:thread], (0, local), *threads[thread + 1 :])
        statement = self.statements[pc]
        value = statement.value.value(x, y, local)
        if statement.target == "wait" and not value:
            return None
        if statement.target == "x":
            x = value % X
        elif statement.target == "y":
            y = value % Y
        elif statement.target == "l":
            local = value % L
        moved = pc + 1, local
        return x, y, (*threads[:thread], moved, *threads[thread + 1 :])

    def reachable(self, count: int) -> set[State]:
        start: State = (0, 0, ((0, 0),) * count)
        found, work = {start}, [start]
        while work:
            state = work.pop()
            for thread in range(count):
                after = self.step(state, thread)
                if after is not None and after not in found:
                    found.add(after)
                    work.append(after)
        return found

    def all_states(self, count: int) -> Iterator[State]:
        """Every state that the types allow."""
        own = list(product(range(self.last + 1), range(L)))
        for x, y in product(range(X), range(Y)):
            for threads in product(own, repeat=count):
                yield x, y, threads


@dataclass(frozen=True)
class Watch:
    """A predicate as text, and its value for a state and a watched thread."""

    text: str
    value: Callable[[State, int], bool]


def random_circle(random: Random) -> Circle:
    """A program of two or three statements, and the way back."""
    statements = []
    for _ in range(random.randint(2, 3)):
        target = random.choice(("wait", "x", "y", "l", "wait", "x"))
        values = CONDITIONS if target == "wait" else EXPRESSIONS
        statements.append(Statement(target, random.choice(values)))
    return Circle(tuple(statements))


def random_predicate(random: Random, places: int) -> Watch:
    """A predicate of any kind, perhaps two of them joined."""
    one = _single(random, places)
    kind = random.randrange(5)
    if kind == 0:
        return Watch(f"!({one.text})", lambda s, w: not one.value(s, w))
    if kind > 2:
        return one
    other = _single(random, places)
    if kind == 1:
        both = f"({one.text}) && ({other.text})"
        return Watch(both, lambda s, w: one.value(s, w) and other.value(s, w))
    return Watch(
        f"({one.text}) || ({other.text})", lambda s, w: one.value(s, w) or other.value(s, w)
    )


def _single(random: Random, places: int) -> Watch:
    kind = random.randrange(6)
    condition, place = random.choice(CONDITIONS), random.randrange(places)
    number = random.randint(0, 2)

    def holds(state: State, thread: int) -> bool:
        x, y, threads = state
        return bool(condition.value(x, y, threads[thread][1]))

    def others(state: State, watched: int) -> Iterator[int]:
        return (thread for thread in range(len(state[2])) if thread != watched)

    match kind:
        case 0 | 1:
            return Watch(condition.text, holds)
        case 2:
            return Watch(
                f"exists o: o at L{place} && o.l = l",
                lambda s, w: any(s[2][o] == (place, s[2][w][1]) for o in others(s, w)),
            )
        case 3:
            return Watch(
                "forall o: o.l != x",
                lambda s, w: all(s[2][o][1] != s[0] for o in others(s, w)),
            )
        case 4:
            return Watch(
                f"count(at L{place}) >= {number}",
                lambda s, w: sum(pc == place for pc, _ in s[2]) >= number,
            )
    return Watch(
        f"count(t: t.l = l && x < 2) = {number}",
        lambda s, w: sum(v == s[2][w][1] and s[0] < 2 for _, v in s[2]) == number,
    )
