"""Random affine programs: integers without bounds, affine assignments, choices, and no conditions.

For such a program the affine analysis finds everything that holds, so the relations that hold after
all runs within some box of values can be compared with it. `boxed` is the same program with
integers that stay in a box, which brute force can run; a choice of any integer is one of 0 and 1,
which is enough to see every relation that does not hold.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from random import Random
from typing import Any

from support.oracles.programs import Findings
from tepui.languages import loads
from tepui.program.expressions import Choice
from tepui.program.program import Program, Receive
from tepui.program.semantics.sections import is_atomic
from tepui.program.types import Bounded, Integer
from tepui.weighted.domains.linear import annihilator
from tepui.weighted.domains.modular import Modulo
from tepui.weighted.domains.rationals import Rationals

BOX = Bounded(-20, 40, "block")


@dataclass(frozen=True)
class Shape:
    """What a program may have."""

    threads: int = 2
    statements: int = 3
    loops: bool = False
    recursion: bool = False


def random_affine_program(rng: Random, shape: Shape) -> Program:
    program = loads(_Text(rng, shape).program(), "bp").model
    assert isinstance(program, Program)
    return program


def boxed(program: Program) -> Program:
    """The program with all integers in a box."""
    found: Program = _boxed(program)
    return found


def places_to_rest(program: Program) -> list[int]:
    """The points at which a thread may be asked about."""
    layout = program.layout
    return [
        point
        for point, (procedure, number) in enumerate(layout.locations)
        if not is_atomic(layout, point)
        and not any(
            isinstance(edge, Receive) for edge in program.procedures[procedure].leaving[number]
        )
    ]


def seen_there(
    program: Program, findings: Findings, contexts: int, thread: int, point: int
) -> set[tuple[int, ...]]:
    """The values of all globals, and of the locals of the frame, when a thread is at a point."""
    procedure, location = program.layout.locations[point]
    rounds = findings.rounds
    found = set()
    for state in rounds[min(contexts, len(rounds) - 1)]:
        stack = state.stacks[thread]
        if stack and (stack[-1].procedure, stack[-1].location) == (procedure, location):
            scalars = [*state.globals, *stack[-1].values]
            found.add(tuple(value for values in scalars for value in values))
    return found


def relations_between(
    points: Iterable[Sequence[int]], variables: int, modulus: int | None
) -> set[tuple[int, ...]]:
    """The canonical relations (a₁, …, a_n, a₀) that hold at some points."""
    scalars = Rationals() if modulus is None else Modulo(modulus)
    return set(annihilator(scalars, [(*point, 1) for point in points], variables + 1))


def _boxed(part: Any) -> Any:
    match part:
        case Integer():
            return BOX
        case Choice(type=Integer()):
            return Choice(Bounded(0, 1))
        case tuple():
            return tuple(map(_boxed, part))
    if is_dataclass(part) and not isinstance(part, type):
        return replace(
            part, **{each.name: _boxed(getattr(part, each.name)) for each in fields(part)}
        )
    return part


class _Text:
    """Writes a program."""

    def __init__(self, rng: Random, shape: Shape) -> None:
        self._rng = rng
        self._shape = shape
        self._globals = [f"x{number}" for number in range(rng.randint(1, 3))]

    def program(self) -> str:
        rng = self._rng
        starts = ", ".join(f"{name}: int := {rng.randint(-1, 2)}" for name in self._globals)
        threads = rng.randint(1, self._shape.threads)
        same = threads > 1 and rng.random() < 0.3
        names = ["main0"] if same else [f"main{number}" for number in range(threads)]
        lines = [f"decl {starts};", *self._helper()]
        for name in names:
            lines += [f"void {name}() {{", "decl l: int := 0;"]
            lines += [*self._statements(["l"], "", 0), "skip;", "}"]
        lines += ["void main() {"]
        lines += [f"thread_create({name}, {threads if same else 1});" for name in names]
        return "\n".join([*lines, "}"])

    def _helper(self) -> Iterator[str]:
        yield "int f(p: int) {"
        yield "decl m: int := 1;"
        called = "f" if self._shape.recursion else ""
        yield from self._statements(["p", "m"], called, 0)
        yield f"return {self._expression(['p', 'm'])};"
        yield "}"

    def _statements(self, local: list[str], called: str, depth: int) -> Iterator[str]:
        for _ in range(self._rng.randint(1, self._shape.statements)):
            yield from self._statement(local, called or ("f" if "l" in local else ""), depth)

    def _statement(self, local: list[str], called: str, depth: int) -> Iterator[str]:
        rng = self._rng
        names = [*self._globals, *local]
        kind = rng.random()
        if kind < 0.15 and called:
            target = rng.choice([*names, "_"])
            call = f"{target} := {called}({self._expression(names)});"
            yield f"if (*) {call}" if self._shape.recursion else call
        elif kind < 0.3 and depth < 2:
            yield "if (*) {"
            yield from self._statements(local, called, depth + 1)
            yield "} else {"
            yield from self._statements(local, called, depth + 1)
            yield "}"
        elif kind < 0.4 and depth < 1 and self._shape.loops:
            yield "while (*) {"
            yield from self._statements(local, called, depth + 1)
            yield "}"
        elif kind < 0.5 and depth < 2:
            yield "atomic {"
            yield from self._statements(local, called, 2)
            yield "}"
        elif kind < 0.6:
            yield f"{rng.choice(names)} := *;"
        elif kind < 0.7 and len(names) > 1:
            left, right = rng.sample(names, 2)
            yield f"{left}, {right} := {self._expression(names)}, {self._expression(names)};"
        else:
            yield f"{rng.choice(names)} := {self._expression(names)};"

    def _expression(self, names: list[str]) -> str:
        rng = self._rng
        kind = rng.random()
        name = rng.choice(names)
        if kind < 0.2:
            return str(rng.randint(0, 3))
        if kind < 0.5:
            return f"{name} {rng.choice('+-')} {rng.randint(0, 2)}"
        if kind < 0.6:
            return f"2 * {name} - {rng.choice(names)}"
        return f"{name} + {rng.choice(names)}" if kind < 0.8 else name
