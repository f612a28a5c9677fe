"""What a thread can do at once from a state with all values, by the reference semantics, and by the
paths of the invariant checker, evaluated by brute force. Both give the same form of states."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from random import Random

from support.term_values import Evaluator
from tepui.checker.invariants.invariant import Stack
from tepui.checker.invariants.thread_paths import Paths
from tepui.program.layout import Cell, Frame, SharedState, known
from tepui.program.program import Program
from tepui.program.semantics.evaluation import values_of
from tepui.program.semantics.meaning import Meaning
from tepui.program.types import Scalar, ThreadId

MOST_CHOICES = 3000


class TooManyError(Exception):
    """There are more choices than brute force takes."""


@dataclass(frozen=True)
class Threaded:
    """The shared state, and one thread: its control stack and its local variables, top first."""

    shared: tuple[int, ...]
    stack: Stack
    locals: tuple[tuple[int, ...], ...]


Outcome = Threaded | int
"""A state in which the thread rests, or the number of an assertion that it violates."""


def meaning_of(program: Program) -> Meaning:
    """The reference semantics without anything that leaves values out."""
    return Meaning(program, liveness=False, share=False, decide_first=True)


def random_state(rng: Random, program: Program, stack: Stack) -> Threaded:
    """Any values for all variables; hidden ones as they are between steps."""
    layout = program.layout
    shared = [
        _random_value(rng, program, cell.type)
        if number < layout.own_cells or " gets " in cell.name or cell.name.startswith("created ")
        else known(cell.initial) or 0
        for number, cell in enumerate(layout.shared_cells)
    ]
    frames = tuple(
        tuple(_random_value(rng, program, cell.type) for cell in _cells(program, point))
        for point in stack
    )
    return Threaded(tuple(shared), stack, frames)


def outcomes_by_meaning(
    meaning: Meaning, thread: int, state: Threaded, paths: Paths
) -> set[Outcome]:
    """Where the reference semantics leads, on and on until the thread rests."""
    frames = tuple(map(Frame, state.stack, state.locals))
    work: list[tuple[SharedState, tuple[Frame, ...]]] = [(state.shared, frames)]
    found: set[Outcome] = set()
    while work:
        shared, (top, *below) = work.pop()
        for after, word in meaning.steps(thread, shared, top):
            stack = (*word, *below)
            if stack and stack[0].point > meaning.layout.waiting:
                found.add(stack[0].point - meaning.layout.violation(0))
            elif paths.rests(tuple(frame.point for frame in stack)):
                found |= _complete(meaning, after, stack)
            else:
                work.append((after, stack))
        if len(found) + len(work) > MOST_CHOICES:
            raise TooManyError
    return found


def outcomes_by_paths(paths: Paths, thread: int, state: Threaded) -> set[Outcome]:
    """Where the paths lead: `thread` is the number of a thread, not of a type."""
    program = paths.program
    kind = program.thread_types[thread]
    before = _named(program, state) | {"@.self": thread + 1}
    found: set[Outcome] = set()
    for path in paths.of(kind, state.stack):
        domains = [_values(program, low, high) for _, (low, high) in path.fresh]
        size = 1
        for domain in domains:
            size *= len(domain)
        if size > MOST_CHOICES:
            raise TooManyError
        evaluator = Evaluator(paths.terms, [path.condition, *path.changed.values()])
        for chosen in product(*domains):
            values = before | {
                name: value for (name, _), value in zip(path.fresh, chosen, strict=True)
            }
            known = evaluator.values(values)
            if known[path.condition]:
                if path.violated is not None:
                    found.add(path.violated)
                else:
                    changed = {name: known[term] for name, term in path.changed.items()}
                    found.add(_state(program, state, path.after, before | changed))
    return found


def _values(program: Program, low: int | None, high: int | None) -> range:
    assert low is not None
    return range(low, (len(program.thread_types) if high is None else high) + 1)


def _random_value(rng: Random, program: Program, scalar: Scalar) -> int:
    if isinstance(scalar, ThreadId):
        return rng.randint(0, len(program.thread_types))
    return rng.choice(values_of(scalar))


def _cells(program: Program, point: int) -> tuple[Cell, ...]:
    layout = program.layout
    return layout.frame_cells[layout.locations[point][0]] if point < layout.waiting else ()


def _complete(meaning: Meaning, shared: SharedState, stack: tuple[Frame, ...]) -> set[Outcome]:
    """A state with each value that is not there filled in, in all ways."""
    cells = [cell for frame in stack for cell in _cells(meaning.program, frame.point)]
    values = [value for frame in stack for value in frame.values]
    choices = [
        [value] if isinstance(value, int) else list(values_of(cell.type))
        for value, cell in zip(values, cells, strict=True)
    ]
    assert all(isinstance(value, int) for value in shared)
    found: set[Outcome] = set()
    for chosen in product(*choices):
        rest, frames = list(chosen), []
        for frame in stack:
            frames.append(tuple(rest[: len(frame.values)]))
            del rest[: len(frame.values)]
        points = tuple(frame.point for frame in stack)
        found.add(Threaded(shared, points, tuple(frames)))  # type: ignore[arg-type]
        if len(found) > MOST_CHOICES:
            raise TooManyError
    return found


def shared_names(program: Program) -> list[str | None]:
    """For each cell of a shared state, its name in paths; None for other hidden cells."""
    found: list[str | None] = [
        f"g.{variable.name}.{index}"
        for variable in program.globals
        for index in range(variable.length)
    ]
    found += [None] * (len(program.layout.shared_cells) - len(found))
    for number, thread in enumerate(program.threads):
        if thread.created:
            found[program.layout.created(thread)] = f"created.{number}"
            for variable in thread.inherited:
                place = program.layout.inherited(thread, variable)
                found[place] = f"inherited.{number}.{variable.name}.0"
    return found


def _named(program: Program, state: Threaded) -> dict[str, int]:
    found = {
        name: value
        for name, value in zip(shared_names(program), state.shared, strict=True)
        if name is not None
    }
    for depth, (point, values) in enumerate(
        zip(reversed(state.stack), reversed(state.locals), strict=True)
    ):
        names = local_names(program, point, depth)
        found |= dict(zip(names, values, strict=True))
    return found


def local_names(program: Program, point: int, depth: int) -> list[str]:
    """The names of the cells of a frame in paths."""
    procedure = program.layout.procedure(point)
    return [
        f"@.{depth}.{variable.name}.{index}"
        for variable in (() if procedure is None else procedure.variables)
        for index in range(variable.length)
    ]


def _state(program: Program, before: Threaded, stack: Stack, values: dict[str, int]) -> Threaded:
    shared = tuple(
        old if name is None else values[name]
        for name, old in zip(shared_names(program), before.shared, strict=True)
    )
    frames = tuple(
        tuple(values[name] for name in local_names(program, point, len(stack) - 1 - place))
        for place, point in enumerate(stack)
    )
    return Threaded(shared, stack, frames)
