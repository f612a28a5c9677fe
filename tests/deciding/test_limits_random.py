"""Limits on random programs: some assertions become limits, and brute force knows what is reached.

A violation is a violation, with the fewest contexts unless a note takes that back. If there is none
and a limit is reachable, nothing else is said. `make fuzz` does it on many more programs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from random import Random

import pytest

from support.generators.programs import random_case
from support.oracles.programs import Findings
from support.sizes import sized
from tepui.deciding import Options, verify_all
from tepui.limits import Limits
from tepui.program.program import Assert, Edge, Program
from tepui.program.questions import Question, assertions, deadlock
from tepui.result import Result

pytestmark = pytest.mark.fuzz

LIMITS = Limits(max_contexts=12, timeout=60)
ENGINES = ("auto", "explicit", "diagram", "symbolic")


def with_limits(program: Program, chosen: set[int]) -> Program:
    """The program with some assertions, by number, as limits."""
    met = -1

    def changed(edge: Edge) -> Edge:
        nonlocal met
        if not isinstance(edge, Assert):
            return edge
        met += 1
        return replace(edge, kind="limit", message=str(met)) if met in chosen else edge

    procedures = tuple(
        replace(procedure, edges=tuple(map(changed, procedure.edges)))
        for procedure in program.procedures
    )
    return replace(program, procedures=procedures)


def test_answers_are_those_of_brute_force() -> None:
    seen: Counter[str] = Counter()
    for seed in range(sized(280)):
        rng = Random(seed)
        program, findings = random_case(rng)
        count = len(program.layout.assertions)
        if not count or not findings.collapsed or findings.exact is not None:
            continue
        chosen = set(rng.sample(range(count), rng.randint(1, count)))
        for verdict in answers(with_limits(program, chosen), findings, chosen, rng, seed):
            seen[verdict] += 1
    assert {"safe", "unsafe", "unsafe, noted", "unknown"} <= set(seen), seen


def answers(
    program: Program, findings: Findings, chosen: set[int], rng: Random, seed: int
) -> Iterator[str]:
    reached = {number: findings.first("violated", number) for number in range(10)}
    limit = _least(reached[number] for number in chosen)
    first = program.layout.violation(0)
    questions: list[Question] = [*assertions(program), deadlock()]
    options = Options(limits=LIMITS, engine=rng.choice(ENGINES))
    for answer in verify_all(program, questions, options):
        point = answer.question.point
        bad = findings.first("deadlock") if point is None else reached[point - first]
        yield _judged(answer.result, bad, limit, (seed, answer.question.text))


def _judged(result: Result, bad: int | None, limit: int | None, where: object) -> str:
    noted = any(note.kind == "limits" for note in result.remarks)
    if bad is not None:
        assert result.verdict == "unsafe", where
        assert result.bound is not None
        assert result.bound >= bad, where
        assert noted or result.bound == bad, where
        assert not noted or (limit is not None and limit < result.bound), where
    elif limit is not None:
        assert result.verdict == "unknown", where
        assert result.stop is not None
        assert result.stop.kind == "limit", where
    else:
        assert result.verdict == "safe", where
    return f"{result.verdict}, noted" if noted else result.verdict


def _least(numbers: Iterator[int | None]) -> int | None:
    return min((number for number in numbers if number is not None), default=None)
