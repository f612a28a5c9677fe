"""The call graph of a program: which procedure calls which.

Every call in the text counts, whether or not it can happen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from tepui.program.program import Call, Edge, Fork, Program


def called_by(edges: Iterable[Edge]) -> frozenset[str]:
    """The names of the procedures that some edges call."""
    return frozenset(edge.procedure for edge in edges if isinstance(edge, Call))


def forked_by(edges: Iterable[Edge]) -> frozenset[str]:
    """The names of the procedures that some edges fork."""
    return frozenset(edge.procedure for edge in edges if isinstance(edge, Fork))


def procedures_run_by(program: Program, thread: int) -> list[int]:
    """The procedures that threads of a type can run, in the order of the program."""
    return with_all_called(program, [program.numbers[program.threads[thread].procedure]])


def with_all_called(
    program: Program,
    starts: Iterable[int],
    follow: Callable[[int, Call], bool] = lambda _caller, _call: True,
) -> list[int]:
    """Some procedures, and all that they call, directly or not, in the order of the program.

    `follow` says, for a procedure and a call in it, whether that call counts.
    """
    found = set(starts)
    work = list(found)
    while work:
        caller = work.pop()
        for edge in program.procedures[caller].edges:
            if isinstance(edge, Call) and follow(caller, edge):
                callee = program.numbers[edge.procedure]
                if callee not in found:
                    found.add(callee)
                    work.append(callee)
    return sorted(found)
