"""What is asked: which thread, at which place, called from where.

A thread is *at* a statement when it is about to execute it, and the stack below tells where each
procedure on it was called: the frame of a caller rests behind its call (WPDS, section 4.1, «n when
called from m»). So a question about a program is a list of sets of points, the first one for the
top of the stack and one for each caller that is named; about a system it is a list of symbols.

Refused are places that no thread is ever seen at, such as those inside atomic sections, and calls
that the stack does not tell from others. A program in which callers are named has a frame for every
call (`program.frames`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from tepui.errors import UsageError
from tepui.model import System
from tepui.program.calls import with_all_called
from tepui.program.layout import Layout
from tepui.program.places import closest, place_name, places
from tepui.program.program import Call, Program
from tepui.program.semantics.sections import is_atomic
from tepui.program.state_names import thread_names

BOTTOM = 0
"""What lies below the last symbol of every stack of a system."""

_SHOWN = 8


@dataclass(frozen=True)
class Query:
    """A thread, and what may be at the first places of its stack, from the top down.

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
    """The question that texts ask; a UsageError if they name what is not there."""
    if isinstance(model, Program):
        return replace(_of_program(model, at, called_from), free=free)
    return _of_system(model, at, called_from)


def _of_system(system: System, at: str, called_from: Sequence[str]) -> Query:
    names = [template.name for template in system.templates]
    first = [group[0] for group in system.groups]
    thread, symbol = _split(at, system.thread_names, dict(zip(names, first, strict=True)))
    symbols = system.template_of(thread).symbols
    known = {name: number for number, name in enumerate(symbols)}
    for name in (symbol, *called_from):
        if name not in known:
            close = closest(name, known)
            hint = f"did you mean {close}?" if close else f"its symbols are {_listed(symbols)}"
            raise UsageError(f"{system.thread_names[thread]} has no stack symbol {name}; {hint}")
    tops = tuple(frozenset({known[name]}) for name in (symbol, *called_from))
    below = f", with {' '.join(called_from)} below" if called_from else ""
    place = "its stack empty" if known[symbol] == BOTTOM else f"{symbol} on top"
    return Query(thread, tops, f"{system.thread_names[thread]} with {place}{below}")


def _of_program(program: Program, at: str, called_from: Sequence[str]) -> Query:
    names = thread_names(program)
    kinds = {
        program.threads[kind].name: number
        for number, kind in reversed(list(enumerate(program.thread_types)))
    }
    thread, place = _split(at, names, kinds)
    points = _points(program, thread, names[thread], place)
    tops = [frozenset(points)]
    callers = _Callers(program)
    for caller in called_from:
        tops.append(callers.behind(tops[-1], caller))
    words = [f"{names[thread]} at {place_name(place)}"]
    words += [f"called from {place_name(caller)}" for caller in called_from]
    return Query(thread, tuple(tops), ", ".join(words))


def _split(at: str, threads: Sequence[str], kinds: dict[str, int]) -> tuple[int, str]:
    """The number of the thread that a text begins with, and the place behind it.

    The name of a type of equal threads stands for the first of them.
    """
    known = {**kinds, **{name: number for number, name in enumerate(threads)}}
    fitting = [name for name in known if at.startswith(f"{name}:") and at != f"{name}:"]
    if fitting:
        name = max(fitting, key=len)
        return known[name], at[len(name) + 1 :]
    if len(threads) == 1 and at.rstrip(":") not in ("", *known):
        return 0, at
    name, colon, _ = at.partition(":")
    if name in known or not colon:
        example = name if name in known else threads[0]
        raise UsageError(f"--at {at}: expected a thread and a place, such as {example}:12")
    close = closest(name, known)
    hint = f"did you mean {close}?" if close else f"the threads are {_listed(threads)}"
    raise UsageError(f"--at {at}: there is no thread {name}; {hint}")


def _points(program: Program, thread: int, name: str, place: str) -> list[int]:
    """The points of a place at which a thread may rest."""
    layout = program.layout
    start = program.numbers[program.threads[program.thread_types[thread]].procedure]
    run = with_all_called(program, [start])
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
        """Where the frames rest that a call at a place leaves below one of these points."""
        called = {self._layout.locations[point][0] for point in points}
        calls = [
            (self._layout.locations[point][0], edge)
            for point in places(self._program, place)
            for edge in self._leaving(point)
            if isinstance(edge, Call)
        ]
        if not calls:
            raise UsageError(f"--called-from {place}: {place_name(place)} calls nothing")
        fitting = [(caller, call) for caller, call in calls if self._callee(call) in called]
        if not fitting:
            names = ", ".join(sorted(self._program.procedures[number].name for number in called))
            raise UsageError(
                f"--called-from {place}: {place_name(place)} calls {calls[0][1].procedure}, "
                f"expected a call of {names}"
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
        """Refuse calls that the stack does not tell from others."""
        procedure = self._program.procedures[caller]
        if procedure.locations[call.target].atomic:
            raise UsageError(
                f"--called-from {place}: this call is inside an atomic section, which is one "
                "step: what it calls is never seen"
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
                    f"--called-from {place}: the call on line {line} comes back to the same "
                    "statement, so the stack does not tell the two apart; write `skip;` behind "
                    "one of them"
                )

    def _leaving(self, point: int) -> Iterable[object]:
        procedure, number = self._layout.locations[point]
        return self._program.procedures[procedure].leaving[number]

    def _callee(self, call: Call) -> int:
        return self._program.numbers[call.procedure]


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:_SHOWN]) + (", …" if len(names) > _SHOWN else "")
