"""What markers say about a run, compared with what brute force knows about its lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import cast

from support.oracles import fork_interpreter
from support.oracles.program_interpreter import Place
from support.oracles.programs import Findings
from tepui.deciding import Options
from tepui.markers import Line, Marker, lines_of
from tepui.program.program import Program
from tepui.records import replace

ORDER = {"reached": 0, "violated": 1, "unreached": 2}


@dataclass(frozen=True)
class Known:
    """What brute force knows: the contexts with which lines are reached, and up to how many it has
    seen all; None is all there are."""

    reached: Mapping[Line, int]
    violated: Mapping[Line, int]
    exact: int | None

    def is_complete(self, contexts: int | None) -> bool:
        return self.exact is None or (contexts is not None and contexts <= self.exact)


def known(program: Program, findings: Findings) -> Known:
    """What brute force has found about the lines of a program."""
    reached: dict[Line, int] = {}
    violated: dict[Line, int] = {}
    for fact, k in findings.found.items():
        if fact.kind == "covered":
            ((_, procedure, number),) = cast("tuple[Place]", fact.what)
            _note(reached, program, procedure, number, k)
        elif fact.kind == "violated":
            (index,) = cast("tuple[int]", fact.what)
            assertion = program.layout.assertions[index]
            owner = program.procedures[assertion.procedure]
            _note(violated, program, owner.name, owner.statements[assertion.edge.source], k)
    return Known(reached, violated, findings.exact)


def known_with_forks(program: Program) -> Known:
    """The same for a program that forks: every statement gets a label that is its line."""
    procedures = tuple(
        replace(
            procedure,
            locations=tuple(
                replace(at, labels=(str(at.position.line),) if at.text else ())
                for at in procedure.locations
            ),
        )
        for procedure in program.procedures
    )
    findings = fork_interpreter.explore(replace(program, procedures=procedures))
    lines = {str(line): (file, line) for file, line in lines_of(program)}
    reached = {lines[str(f[1])]: k for f, k in findings.found.items() if f[0] == "label"}
    violated = {lines[str(f[1])]: k for f, k in findings.found.items() if f[0] == "violated"}
    return Known(reached, violated, findings.exact)


def watched(run: Callable[[Options], object], options: Options) -> list[Marker]:
    """The markers of a run."""
    seen: list[Marker] = []
    run(replace(options, markers=seen.append))
    return seen


def contradictions(
    seen: list[Marker], brute: Known, lines: list[Line] | None = None
) -> Iterator[str]:
    """Where markers contradict brute force, or come in another order than they should: those of a
    round in the order of these lines, if there is only one exploration."""
    places = {line: number for number, line in enumerate(lines or [])}
    for marker in seen:
        line = marker.file, marker.line
        first = (brute.violated if marker.mark == "violated" else brute.reached).get(line)
        if marker.mark == "unreached":
            if first is not None:
                yield f"{marker}, but it is reached with {first} contexts"
        elif brute.is_complete(marker.contexts) and first is None:
            yield f"{marker}, but it is not"
        elif marker.contexts is not None and first is not None and first > marker.contexts:
            yield f"{marker} with {marker.contexts} contexts, but it takes {first}"
    told = [(marker.mark, marker.file, marker.line) for marker in seen]
    if len(set(told)) < len(told):
        yield "the same marker twice"
    for one, other in pairwise(seen):
        if ORDER[one.mark] > ORDER[other.mark]:
            yield f"{one} before {other}"
        together = (one.mark, one.engine, one.round) == (other.mark, other.engine, other.round)
        if lines and together and places[one.file, one.line] > places[other.file, other.line]:
            yield f"{one} before {other}, which is above it"


def _note(lines: dict[Line, int], program: Program, procedure: str, number: int, k: int) -> None:
    location = program.by_name[procedure].locations[number]
    if location.text:
        line = location.position.file, location.position.line
        lines[line] = min(k, lines.get(line, k))
