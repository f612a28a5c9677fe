"""Atomic sections between `atomic_begin` and `atomic_end`: which locations are inside.

Inside is what lies behind an `atomic_begin`, up to and including the `atomic_end`. This must not
depend on the path that is taken, and a section must end in the procedure in which it begins.
"""

from __future__ import annotations

from dataclasses import replace

from tepui.errors import InputError
from tepui.languages.boolean.flow import Flow
from tepui.languages.boolean.scope import Names
from tepui.program.expressions import FALSE
from tepui.program.program import Edge, End, Return, target_of


def mark_sections(names: Names, flow: Flow) -> None:
    """Make the locations inside sections atomic."""
    if not flow.begins and not flow.ends:
        return
    inside = _inside(names, flow)
    for number, is_inside in inside.items():
        _check(names, flow, number, is_inside)
        if is_inside:
            flow.locations[number] = replace(flow.locations[number], atomic=True)


def _inside(names: Names, flow: Flow) -> dict[int, bool]:
    """For each location that can be reached, whether it is inside a section."""
    leaving: list[list[Edge]] = [[] for _ in flow.locations]
    for edge in flow.edges:
        leaving[edge.source].append(edge)
    inside = dict.fromkeys(flow.starts(), False)
    waiting = list(inside)
    while waiting:
        number = waiting.pop()
        after = number in flow.begins or (inside[number] and number not in flow.ends)
        for edge in leaving[number]:
            target = target_of(edge)
            if edge.guard == FALSE:
                continue
            if target is None:
                _check_leaving(names, flow, edge, after)
            elif target not in inside:
                inside[target] = after
                waiting.append(target)
            elif inside[target] != after:
                raise _error(
                    names,
                    flow,
                    target,
                    "expected every path to here inside an atomic section or every path outside, "
                    "found both",
                )
    return inside


def _check(names: Names, flow: Flow, number: int, is_inside: bool) -> None:
    if number in flow.begins and (is_inside or flow.locations[number].atomic):
        raise _error(
            names, flow, number, "expected no 'atomic_begin' inside an atomic section, found one"
        )
    if number in flow.ends and not is_inside:
        raise _error(
            names, flow, number, "expected 'atomic_end' inside an atomic section, found it outside"
        )


def _check_leaving(names: Names, flow: Flow, edge: Edge, is_inside: bool) -> None:
    """No section is left by leaving the procedure; only the end of the thread ends it too."""
    if is_inside and not isinstance(edge, End):
        what = "'return'" if isinstance(edge, Return) else "the end of the procedure"
        raise _error(
            names,
            flow,
            edge.source,
            f"expected 'atomic_end' before {what}, found an atomic section still open",
        )


def _error(names: Names, flow: Flow, number: int, message: str) -> InputError:
    return names.error(flow.locations[number].position, message)
