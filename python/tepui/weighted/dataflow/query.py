"""The question: which thread, at which place, called from where.

A thread is *at* a statement when it is about to execute it, and the stack below shows where each
procedure on it was called: the frame of a caller rests after its call (WPDS, section 4.1, «n when
called from m»). So a question about a program is a list of sets of points, the first one for the
top of the stack and one for each caller that is named. A question about a system is a list of
symbols.

Two things are refused: places at which no thread is ever observed, such as those inside atomic
sections, and calls that the stack does not distinguish from others. A program in which callers are
named has a frame for every call (`program.passes.frames`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NoReturn

from tepui.errors import UsageError
from tepui.model import System, Template
from tepui.parameter_names import given
from tepui.program.calls import procedures_run_by, with_all_called
from tepui.program.layout import Layout
from tepui.program.places import place_name, places
from tepui.program.program import Call, Program, thread_names
from tepui.program.semantics.sections import is_atomic
from tepui.words import did_you_mean, listed

BOTTOM = 0
"""What lies below the last symbol of every stack of a system."""


@dataclass(frozen=True)
class Query:
    """A thread, and the possible entries at the first places of its stack, from the top down.

    `tops` are points of a program, or symbols of a system. `text` is the question in words.
    """

    thread: int
    tops: tuple[frozenset[int], ...]
    text: str
    free: frozenset[int] = frozenset()
    """Points at which a step does not count."""


def query_of(
    model: System | Program,
    at: str,
    called_from: Sequence[str] = (),
    free: frozenset[int] = frozenset(),
) -> Query:
    """The query that these texts describe; a UsageError if they name something that does not
    exist."""
    if isinstance(model, Program):
        return replace(_of_program(model, at, called_from), free=free)
    return _of_system(model, at, called_from)


def _of_system(system: System, at: str, called_from: Sequence[str]) -> Query:
    first = {template.name: group[0] for template, group in _groups(system)}
    thread, symbol = _split(at, system.thread_names, first)
    if thread is None:
        having = [first[each.name] for each, _ in _groups(system) if symbol in each.symbols]
        thread = _only(at, having, system.thread_names) if having else _no_symbol(system, at)
    symbols = system.template_of(thread).symbols
    numbers = {name: number for number, name in enumerate(symbols)}
    for name in (symbol, *called_from):
        if name not in numbers:
            hint = did_you_mean(name, symbols, "its symbols are")
            raise UsageError(f"{system.thread_names[thread]} has no stack symbol {name}{hint}")
    tops = tuple(frozenset({numbers[name]}) for name in (symbol, *called_from))
    below = f", with {' '.join(called_from)} below" if called_from else ""
    place = "its stack empty" if numbers[symbol] == BOTTOM else f"{symbol} on top"
    return Query(thread, tops, f"{system.thread_names[thread]} with {place}{below}")


def _no_symbol(system: System, at: str) -> NoReturn:
    """The error for a text that is not a symbol and does not begin with a thread."""
    name, colon, _ = at.partition(":")
    if colon:
        hint = did_you_mean(name, system.thread_names, "the threads are")
        raise UsageError(f"{given('at', at)}: there is no thread {name}{hint}")
    known = (name for template in system.templates for name in template.symbols)
    hint = did_you_mean(at, known, "the symbols are")
    raise UsageError(f"{given('at', at)}: no thread has a stack symbol {at}{hint}")


def _groups(system: System) -> list[tuple[Template, Sequence[int]]]:
    """Each template with its threads."""
    return list(zip(system.templates, system.groups, strict=True))


def _of_program(program: Program, at: str, called_from: Sequence[str]) -> Query:
    names = thread_names(program)
    first = {
        program.threads[kind].name: number
        for number, kind in reversed(list(enumerate(program.thread_types)))
    }
    thread, place = _split(at, names, first)
    if thread is None:
        thread = _running(program, at, names, first)
    points = _points(program, thread, names[thread], place)
    tops = [frozenset(points)]
    callers = _Callers(program)
    for caller in called_from:
        tops.append(callers.behind(tops[-1], caller))
    words = [f"{names[thread]} at {place_name(place)}"]
    words += [f"called from {place_name(caller)}" for caller in called_from]
    return Query(thread, tuple(tops), ", ".join(words))


def _split(at: str, threads: Sequence[str], first: Mapping[str, int]) -> tuple[int | None, str]:
    """The thread that a text begins with, if any, and the place behind it.

    The name of a type of equal threads stands for the first of them.
    """
    known = {**first, **{name: number for number, name in enumerate(threads)}}
    fitting = [name for name in known if at.startswith(f"{name}:") and at != f"{name}:"]
    if fitting:
        name = max(fitting, key=len)
        return known[name], at[len(name) + 1 :]
    name = at.rstrip(":")
    if name in ("", *known):
        example = name or threads[0]
        raise UsageError(f"{given('at', at)}: expected a place, such as {example}:12")
    return None, at


def _running(program: Program, at: str, names: Sequence[str], first: Mapping[str, int]) -> int:
    """The thread that runs a place, if the place is named without a thread."""
    before, colon, _ = at.partition(":")
    if colon and before not in program.by_name and "." not in before:
        hint = did_you_mean(before, [*first, *program.by_name], "the threads and procedures are")
        raise UsageError(f"{given('at', at)}: there is no thread and no procedure {before}{hint}")
    procedures = {program.layout.locations[point][0] for point in places(program, at)}
    running = [thread for thread in first.values() if procedures & _run_by(program, thread)]
    if not running:
        raise UsageError(
            f"{given('at', at)}: no thread runs the procedure that {place_name(at)} is in"
        )
    return _only(at, sorted(running), names)


def _only(at: str, threads: Sequence[int], names: Sequence[str]) -> int:
    """The only thread that a place without a thread can mean."""
    if len(threads) > 1:
        some = listed(names[thread] for thread in threads)
        raise UsageError(
            f"{given('at', at)}: several threads can be there ({some}); say which one is meant, "
            f"such as {names[threads[0]]}:{at}"
        )
    return threads[0]


def _run_by(program: Program, thread: int) -> set[int]:
    """The procedures that a thread may run."""
    return set(procedures_run_by(program, program.thread_types[thread]))


def _points(program: Program, thread: int, name: str, place: str) -> list[int]:
    """The points of a place at which a thread may rest."""
    layout = program.layout
    start = program.numbers[program.threads[program.thread_types[thread]].procedure]
    run = _run_by(program, thread)
    seen = with_all_called(
        program,
        [start],
        lambda caller, call: not program.procedures[caller].locations[call.target].atomic,
    )
    found = places(program, place)
    if not any(layout.locations[point][0] in run for point in found):
        raise UsageError(f"{name} never runs the procedure that {place_name(place)} is in")
    resting = [
        point
        for point in found
        if layout.locations[point][0] in seen and not is_atomic(layout, point)
    ]
    if not resting:
        raise UsageError(
            f"{place_name(place)} is inside an atomic section, which is one step: no thread is "
            "ever seen there; ask for the statement before the section or behind it"
        )
    procedures = {program.procedures[layout.locations[point][0]].name for point in resting}
    if len(procedures) > 1:
        names = " or ".join(f"{each}:{place}" for each in sorted(procedures))
        raise UsageError(f"{place_name(place)} is in several procedures; ask for {names}")
    return resting


class _Callers:
    """Finds the points at which callers rest."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._layout: Layout = program.layout

    def behind(self, points: Iterable[int], place: str) -> frozenset[int]:
        """The points where callers rest after a call at a place, if it leads to one of these
        points."""
        called = {self._layout.locations[point][0] for point in points}
        calls = [
            (self._layout.locations[point][0], edge)
            for point in places(self._program, place)
            for edge in self._leaving(point)
            if isinstance(edge, Call)
        ]
        if not calls:
            raise UsageError(f"{given('called from', place)}: {place_name(place)} calls nothing")
        fitting = [(caller, call) for caller, call in calls if self._callee(call) in called]
        if not fitting:
            names = ", ".join(sorted(self._program.procedures[number].name for number in called))
            raise UsageError(
                f"{given('called from', place)}: {place_name(place)} calls "
                f"{calls[0][1].procedure}, expected a call of {names}"
            )
        for caller, call in fitting:
            self._check_stack_question(place, caller, call, fitting, called)
        return frozenset(self._layout.point(caller, call.target) for caller, call in fitting)

    def _check_stack_question(
        self,
        place: str,
        caller: int,
        call: Call,
        fitting: list[tuple[int, Call]],
        called: set[int],
    ) -> None:
        """Refuse calls that the stack does not distinguish from others."""
        procedure = self._program.procedures[caller]
        if procedure.locations[call.target].atomic:
            raise UsageError(
                f"{given('called from', place)}: this call is inside an atomic section, which is "
                "one step: what it calls is never seen"
            )
        ours = [edge for number, edge in fitting if number == caller]
        for other in procedure.edges:
            if (
                isinstance(other, Call)
                and other.target == call.target
                and other not in ours
                and self._callee(other) in called
            ):
                line = procedure.locations[other.source].position.line
                raise UsageError(
                    f"{given('called from', place)}: the call on line {line} comes back to "
                    "the same statement, so the stack does not distinguish the two; write "
                    "`skip;` behind one of them"
                )

    def _leaving(self, point: int) -> Iterable[object]:
        procedure, number = self._layout.locations[point]
        return self._program.procedures[procedure].leaving[number]

    def _callee(self, call: Call) -> int:
        return self._program.numbers[call.procedure]
