"""The invariants of a proof: which values the variables have when a thread is at a statement.

They come from the certificate, which contains every reachable state and which the checker has
accepted, and not from what was explored. So each of them holds whenever some thread is about to
execute the statement, at a loop each time round. Where no thread ever is, the invariant is `0`. A
small number of states is listed one by one; for more, only the values of each variable are listed.

A statement inside an atomic section has no invariant: threads never rest there. If a variable can
have all its values, or its value does not matter, nothing is said about it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tepui.checker import Trace
from tepui.checker.evidence import ClosedCertificate, ProgramCertificate
from tepui.errors import UsageError
from tepui.parameter_names import named
from tepui.program.layout import Cell
from tepui.program.types import Boolean, Bounded
from tepui.report.exchange.input_files import InputFile
from tepui.report.exchange.witness_violation import is_c_name
from tepui.result import Result
from tepui.subject.invariants import StatementValues

Object = dict[str, Any]

_MOST_STATES = 8
"""At most this many different states are listed one by one."""


def invariants(result: Result, files: Sequence[InputFile]) -> list[Object]:
    """The content of a correctness witness."""
    evidence, names = result.evidence, {file.name for file in files}
    if evidence is None or isinstance(evidence, Trace):
        raise UsageError("there is no certificate from which a witness could take invariants")
    if isinstance(evidence, ClosedCertificate):
        raise UsageError(
            "there is no witness for a proof that is a set of bits: the format has no place for "
            f"one; {named('evidence')} writes it"
        )
    if isinstance(evidence, ProgramCertificate):
        raise UsageError(
            "there is no witness for any number of threads, or integers without bounds: the format "
            f"has no place for an invariant about several threads; {named('evidence')} writes it"
        )
    found = result.subject.values_at_statements(evidence, _can_be_named)
    return [
        invariant
        for one in found
        if one.location.position.file in names and one.location.position.line
        for invariant in _invariant(one)
    ]


def _invariant(one: StatementValues) -> Iterator[Object]:
    value = _expression(one.found)
    if value is None:
        return
    position, loops = one.location.position, one.location.text.startswith("while")
    yield {
        "invariant": {
            "type": "loop_invariant" if loops else "location_invariant",
            "location": {
                "file_name": position.file,
                "line": position.line,
                "column": position.column,
                "function": one.procedure,
            },
            "value": value,
            "format": "c_expression",
        }
    }


def _can_be_named(cell: Cell) -> bool:
    return isinstance(cell.type, Boolean | Bounded) and is_c_name(cell.name)


def _expression(states: set[tuple[tuple[Cell, int], ...]]) -> str | None:
    """What all these states have in common, in C; None if that is nothing."""
    if not states:
        return "0"
    if () in states:
        return None
    if len(states) <= _MOST_STATES:
        listed = sorted(" && ".join(map(_equal, state)) for state in states)
        return listed[0] if len(listed) == 1 else " || ".join(f"({each})" for each in listed)
    values: dict[Cell, set[int]] = {}
    for state in states:
        for cell, value in state:
            values.setdefault(cell, set()).add(value)
    always = [cell for cell in values if all(cell in dict(state) for state in states)]
    known = [_one_of(cell, values[cell]) for cell in always if len(values[cell]) < cell.type.size]
    return " && ".join(known) or None


def _one_of(cell: Cell, values: set[int]) -> str:
    low, high = min(values), max(values)
    if low == high:
        return _equal((cell, low))
    if len(values) == high - low + 1:
        return f"{low} <= {cell.name} && {cell.name} <= {high}"
    return "(" + " || ".join(_equal((cell, value)) for value in sorted(values)) + ")"


def _equal(pair: tuple[Cell, int]) -> str:
    cell, value = pair
    return f"{cell.name} == {cell.type.text(value)}"
