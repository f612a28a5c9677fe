"""Slots that are used again: an old name never means the new thread."""

from __future__ import annotations

from random import Random

import pytest

from support.boolean_flows import load
from support.generators.stale_names import random_stale_names
from support.oracles.fork_interpreter import explore
from support.oracles.program_interpreter import TooLargeError
from tepui.deciding import Options, verify_all
from tepui.limits import Limits
from tepui.program.places import labels_of
from tepui.program.questions import unreachable

CONTEXTS = 5


@pytest.mark.fuzz
def test_old_names_never_mean_new_threads(fuzz_systems: int) -> None:
    compared = 0
    for seed in range(fuzz_systems // 5):
        program = load(random_stale_names(Random(seed)))
        try:
            findings = explore(program, CONTEXTS, threads=7, most=6000)
        except TooLargeError:
            continue
        labels = sorted(labels_of(program))
        questions = [unreachable(program, label) for label in labels]
        options = Options(slots=6, limits=Limits(max_contexts=CONTEXTS, timeout=60))
        for label, answer in zip(labels, verify_all(program, questions, options), strict=True):
            found, result = findings.found.get(("label", label)), answer.result
            if result.verdict == "unsafe" and not findings.knows(result.bound):
                continue
            assert found == result.bound or result.verdict != "unsafe", (seed, label)
            assert found is None or result.verdict == "unsafe", (seed, label, result.verdict)
            compared += 1
    assert compared > fuzz_systems // 10
