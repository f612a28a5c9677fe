"""Answers about small programs, for the tests of the oracle itself."""

from __future__ import annotations

from support.docs_oracle.explore import Exploration, explore

ASSERTIONS = ("assertions",)
DEADLOCK = ("deadlock",)


def complete(text: str, threads: dict[str, int] | None = None) -> Exploration:
    """All states of a program."""
    found = explore(text, threads=threads)
    assert found.exhausted
    assert not found.truncated
    return found


def two(declarations: str, first: str, second: str, more: str = "") -> str:
    """A program with two threads, a and b."""
    return f"""{declarations}
{more}
void a() {{ {first} }}
void b() {{ {second} }}
void main() {{ thread_create(a); thread_create(b); }}"""


def assertion(text: str) -> int | None:
    """The fewest contexts of a violated assertion."""
    return complete(text).fewest(ASSERTIONS)


def deadlock(text: str) -> int | None:
    """The fewest contexts of a deadlock."""
    return complete(text).fewest(DEADLOCK)


def reach(text: str, place: str) -> int | None:
    """The fewest contexts to a place."""
    return complete(text).fewest(("unreachable", place))


def lines(body: str, declarations: str = "decl x := 0, y := 0;") -> str:
    """A program of one thread, whose body begins on line 3."""
    return f"{declarations}\nvoid main() {{\n{body}\n}}"


def program(body: str, more: str = "", declarations: str = "decl x, y;") -> str:
    """A program with begin and end."""
    return f"{declarations}\n{more}\nvoid main() begin\n{body}\nend"
