"""What the options say about a program: how many threads of each type, and which questions."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from tepui.errors import UsageError
from tepui.model.build import MAX_THREADS
from tepui.program.program import Call, Create, Program, Thread
from tepui.program.questions import Question, deadlock, never_together, unreachable
from tepui.sequences.contexts import own_questions


def with_counts(program: Program, given: Sequence[str]) -> Program:
    """The program with other numbers of threads, as `NAME=COUNT` says."""
    threads = {thread.name: thread for thread in program.threads}
    for text in given:
        name, count = _count(text)
        if name not in threads:
            raise UsageError(f"--threads {text}: {_no_such_type(program, name)}")
        if count > 1 and program.lock is not None:
            raise UsageError(
                f"--threads {text}: {program.name} has the scheduler lock {program.lock.name}, so "
                "it has one thread of each type"
            )
        if count > 1 and _creates(program, threads[name]):
            raise UsageError(
                f"--threads {text}: {name} creates threads, and tepui creates a fixed number of "
                "them, so there is one of it"
            )
        threads[name] = replace(threads[name], count=count)
    total = sum(thread.count for thread in threads.values())
    if total > MAX_THREADS:
        raise UsageError(f"--threads: {total:,} threads, expected at most {MAX_THREADS:,}")
    return replace(program, threads=tuple(threads.values()))


def asked_questions(program: Program, flags: Mapping[str, Any]) -> list[Question]:
    """What the options ask, or else what the program asks itself."""
    questions: list[Question] = []
    for name in dict.fromkeys(flags["property_name"]):
        if name == "deadlock":
            questions.append(deadlock())
        elif name == "assertions":
            own = own_questions(program)
            questions += own
            if not own:
                raise UsageError(f"--property assertions: {program.name} has none to violate")
        else:
            raise UsageError(f"--property {name}: expected deadlock or assertions")
    questions += [unreachable(program, place) for place in flags["unreachable"]]
    questions += [never_together(program, left, right) for left, right in flags["never_together"]]
    return questions or own_questions(program)


def _count(text: str) -> tuple[str, int]:
    match = re.fullmatch(r"(.+)=([0-9]{1,9})", text, re.ASCII | re.DOTALL)
    if match is None:
        raise UsageError(f"--threads {text}: expected NAME=COUNT, as in --threads worker=3")
    if int(match[2]) < 1:
        raise UsageError(f"--threads {text}: expected at least 1 thread")
    return match[1], int(match[2])


def _no_such_type(program: Program, name: str) -> str:
    names = [thread.name for thread in program.threads]
    close = difflib.get_close_matches(name, names, 1)
    hint = f"did you mean {close[0]}?" if close else f"its threads are {', '.join(names)}"
    return f"{program.name} runs no threads of a type {name}; {hint}"


def _creates(program: Program, thread: Thread) -> bool:
    """Whether a thread of this type may create others."""
    met, unread = {thread.procedure}, [thread.procedure]
    while unread:
        for edge in program.by_name[unread.pop()].edges:
            if isinstance(edge, Create):
                return True
            if isinstance(edge, Call) and edge.procedure not in met:
                met.add(edge.procedure)
                unread.append(edge.procedure)
    return False
