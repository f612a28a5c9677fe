"""Random programs with machine arithmetic, against brute force.

Operators of random programs are replaced by those on bits, by divisions, shifts and conversions,
which wrap around, saturate or block. Blocking is what matters: inside conditions, assignments,
indices, calls and atomic sections, and for the question whether a thread is stuck.
"""

from __future__ import annotations

from random import Random

import pytest

from support.generators.machine_programs import with_machine_arithmetic
from support.generators.programs import random_case
from support.oracles.program_interpreter import TooLargeError
from support.oracles.programs import Answers, Fact, compare, explore
from support.sizes import sized
from tepui.deciding import Options, verify_all
from tepui.limits import Limits
from tepui.program.layout import Layout
from tepui.program.questions import assertions, deadlock

pytestmark = pytest.mark.fuzz

LIMITS = Limits(max_contexts=12, timeout=60)
ENGINES = ("auto", "explicit", "diagram", "symbolic")


def test_answers_are_those_of_brute_force() -> None:
    compared = 0
    for seed in range(sized(160)):
        rng = Random(seed)
        program = with_machine_arithmetic(rng, random_case(rng)[0])
        try:
            findings = explore(program)
        except TooLargeError:
            continue
        options = Options(
            limits=LIMITS,
            engine=rng.choice(ENGINES),
            liveness=rng.random() < 0.8,
            fusion=rng.random() < 0.7,
        )
        first = Layout(program).violation(0)
        for answer in verify_all(program, [*assertions(program), deadlock()], options):
            point, result = answer.question.point, answer.result
            fact = Fact("deadlock") if point is None else Fact("violated", (point - first,))
            found = {fact: result.bound} if result.verdict == "unsafe" else {}
            known = None if result.verdict in ("safe", "unsafe") else -1
            if result.verdict == "unsafe" and result.resource != "contexts":
                found = {fact: None}
            differences = compare(program, Answers([fact], found, known), findings)
            assert differences == [], (seed, answer.question.text)
            compared += 1
    assert compared > 10
