"""A program with other numbers of threads."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from tepui.errors import UsageError
from tepui.model.build import MAX_THREADS
from tepui.parameter_names import named
from tepui.program.calls import procedures_run_by
from tepui.program.program import Create, Program, Raised
from tepui.records import replace
from tepui.words import did_you_mean


def with_counts(program: Program, counts: Mapping[str, int | None]) -> Program:
    """The program with other numbers of threads for the types that are named; None is any."""
    numbers = {thread.name: number for number, thread in enumerate(program.threads)}
    threads = list(program.threads)
    for name, count in counts.items():
        problem = _problem(program, numbers, name, count)
        if problem is not None:
            shown = "*" if count is None else count
            raise UsageError(f"{named('threads')} {name}={shown}: {problem}")
        threads[numbers[name]] = replace(threads[numbers[name]], count=count)
    total = sum(thread.count or 1 for thread in threads)
    if total > MAX_THREADS:
        raise UsageError(f"{named('threads')}: {total:,} threads, expected at most {MAX_THREADS:,}")
    return replace(
        program,
        threads=tuple(threads),
        raised=None if program.raised is None else partial(_raised, program.raised, counts),
    )


def _raised(
    raised: Raised | None, counts: Mapping[str, int | None], limits: frozenset[str]
) -> Program | None:
    larger = None if raised is None else raised(limits)  # It may have been lost by pickling.
    return None if larger is None else with_counts(larger, counts)


def _problem(program: Program, numbers: Mapping[str, int], name: str, count: object) -> str | None:
    """The reason why there cannot be this number of threads of this type."""
    if name not in numbers:
        return _no_such_type(program, name)
    if count is not None and (not isinstance(count, int) or count < 1):
        return "expected at least 1 thread"
    if count != 1 and program.lock is not None:
        return (
            f"{program.name} has the scheduler lock {program.lock.name}, so it has one thread of "
            "each type"
        )
    if count != 1 and _creates(program, numbers[name]):
        return (
            f"{name} creates threads, and tepui creates a fixed number of them, so there is one "
            "of it"
        )
    return None


def _no_such_type(program: Program, name: str) -> str:
    names = [thread.name for thread in program.threads]
    several = [thread.name for thread in program.threads if thread.procedure == name]
    if several:
        return f"{program.name} runs {name} in threads of different types: {', '.join(several)}"
    hint = did_you_mean(name, names, "its threads are")
    return f"{program.name} runs no threads of a type {name}{hint}"


def _creates(program: Program, thread: int) -> bool:
    """Whether a thread of this type may create others."""
    return any(
        isinstance(edge, Create)
        for procedure in procedures_run_by(program, thread)
        for edge in program.procedures[procedure].edges
    )
