"""Evidence about nets as JSON files.

A file has the names of all places, in which it numbers them. A marking is a list of places and
counts in turns. A run has the count of each place in the beginning, and the numbers of transitions
in the file of the net, from 0. Files are untrusted: whatever is wrong with one is an InputError.
Whether the evidence holds is for `checker.covering`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from typing import Any

from tepui.checker.covering import ControlStates, CoveringRun, NetInvariant, UpwardClosed
from tepui.checker.files import AnyPath, write_whole
from tepui.checker.json_values import WHOLE, Values, parse
from tepui.checker.writing import FORMAT
from tepui.errors import EvidenceError
from tepui.model.net import Marking, Net

VERSION = 1
RUN, CLOSED = "covering-run", "upward-closed"

_HEAD = ("format", "version", "kind", "system", "places")


def write_net_evidence(path: AnyPath, net: Net, evidence: CoveringRun | UpwardClosed) -> None:
    """Write a file that appears whole or not at all; an OSError is passed on."""
    write_whole(path, _text(net, evidence))


def read_net_evidence(path: AnyPath, net: Net) -> CoveringRun | UpwardClosed:
    """Evidence that is yet to be checked; an EvidenceError if it is about another net."""
    source = os.fspath(path)
    values, document = Values(source), parse(source)
    head = values.a(dict, document, WHOLE)
    kind = head.get("kind")
    if kind not in (RUN, CLOSED):
        values.fail(WHOLE, f"is not evidence about a net, whose kind is {RUN} or {CLOSED}")
    own = ("start", "transitions") if kind == RUN else ("invariants", "control", "minimal")
    fields = values.record(document, WHOLE, (*_HEAD, *own))
    if fields["format"] != FORMAT or fields["version"] != VERSION:
        values.fail(WHOLE, f"is not {FORMAT} of version {VERSION}")
    if values.items(fields["places"], "places") != list(net.places):
        raise EvidenceError("the evidence is about a net with other places")
    if kind == RUN:
        start = values.integers(fields["start"], "start")
        return CoveringRun(start, values.integers(fields["transitions"], "transitions"))
    invariants = values.items(fields["invariants"], "invariants")
    minimal = values.items(fields["minimal"], "minimal")
    return UpwardClosed(
        tuple(_marking(values, each, "minimal") for each in minimal),
        tuple(_invariant(values, net, each) for each in invariants),
        None if fields["control"] is None else _control(values, fields["control"]),
    )


def _control(values: Values, value: Any) -> ControlStates:
    fields = values.record(value, "control", ("places", "states"))
    states = []
    for state in values.items(fields["states"], "states"):
        parts = values.record(state, "states", ("counts", "others"))
        counts = _marking(values, parts["counts"], "counts")
        states.append((counts, values.integers(parts["others"], "others")))
    return ControlStates(values.integers(fields["places"], "control"), tuple(states))


def _invariant(values: Values, net: Net, value: Any) -> NetInvariant:
    fields = values.record(value, "invariants", ("weights", "bound"))
    weights = [0] * len(net.places)
    for place, weight in _marking(values, fields["weights"], "weights"):
        if not 0 <= place < len(weights):
            values.fail("weights", f"has place {place}, which does not exist")
        weights[place] = weight
    return NetInvariant(tuple(weights), values.a(int, fields["bound"], "bound"))


def _marking(values: Values, value: Any, where: str) -> Marking:
    numbers = values.integers(value, where)
    if len(numbers) % 2:
        values.fail(where, "holds a place without a count")
    return tuple(zip(numbers[::2], numbers[1::2], strict=True))


def _text(net: Net, evidence: CoveringRun | UpwardClosed) -> Iterator[str]:
    is_run = isinstance(evidence, CoveringRun)
    head = (FORMAT, VERSION, RUN if is_run else CLOSED, net.name, net.places)
    yield "{\n"
    for key, value in zip(_HEAD, head, strict=True):
        yield f'  "{key}": {json.dumps(value)},\n'
    if isinstance(evidence, CoveringRun):
        yield f'  "start": {json.dumps(evidence.start)},\n'
        yield f'  "transitions": {json.dumps(evidence.transitions)}\n'
    else:
        invariants = [
            {"weights": _flat(_counted(one.weights)), "bound": one.bound}
            for one in evidence.invariants
        ]
        yield from _lines("invariants", invariants, ",\n")
        yield from _control_lines(evidence.control)
        yield from _lines("minimal", map(_flat, evidence.minimal), "\n")
    yield "}\n"


def _control_lines(control: ControlStates | None) -> Iterator[str]:
    if control is None:
        yield '  "control": null,\n'
        return
    yield f'  "control": {{"places": {json.dumps(control.places)}, "states": ['
    between = "\n    "
    for counts, others in control.states:
        yield between + json.dumps({"counts": _flat(counts), "others": others})
        between = ",\n    "
    yield "\n  ]},\n"


def _counted(weights: Iterable[int]) -> Marking:
    return tuple((place, weight) for place, weight in enumerate(weights) if weight)


def _flat(marking: Marking) -> list[int]:
    return [number for entry in marking for number in entry]


def _lines(key: str, values: Iterable[object], end: str) -> Iterator[str]:
    """A list with a line for each item."""
    yield f'  "{key}": ['
    between = "\n    "
    for value in values:
        yield between + json.dumps(value)
        between = ",\n    "
    yield f"\n  ]{end}"
