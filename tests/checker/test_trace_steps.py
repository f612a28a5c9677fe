"""The steps of a trace are kept as differences, and claims that do not follow from them."""

from __future__ import annotations

import json
import tracemalloc
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from support.oracles.systems import initial_state
from support.samples.evidence import figure_4, run, system_of, thread
from tepui.checker import Trace, TraceStep, check
from tepui.checker.files import read_evidence, write_evidence
from tepui.checker.trace_steps import Steps, Walk
from tepui.errors import EvidenceError, InputError
from tepui.model import EPSILON, Pattern, Property, Rule, System

SYSTEM = figure_4()
BAD = Property((Pattern(3, (2, 1)),))
TRACE = run(SYSTEM, (0, 0), (1, 0), (1, 0))


def deep(height: int, steps: int) -> tuple[System, Trace]:
    """A thread that turns its top back and forth, above many symbols."""
    system = system_of("q", thread(f"a{' x' * height}", "q|a -> q|b", "q|b -> q|a"))
    rules = system.templates[0].rules
    return system, Trace.of_moves(
        initial_state(system), ((0, rules[number % 2]) for number in range(steps))
    )


def test_states_follow_from_threads_and_rules() -> None:
    walk = Walk(TRACE.start)
    assert (walk.shared, walk.tops()) == (0, [1, 1])
    for step in TRACE.steps:
        walk.move(step.thread, step.rule)
        assert walk.state == (step.shared, step.stacks)
        assert [walk.height(thread) for thread in range(2)] == [*map(len, step.stacks)]
        assert [walk.stack(thread) for thread in range(2)] == [*step.stacks]
        assert walk.upper(1, 1) == step.stacks[1][:1]
    assert TRACE.end == walk.state == (3, ((2,), (1, 3)))


def test_an_empty_stack_has_no_top() -> None:
    walk = Walk((0, ((),)))
    assert (walk.top(0), walk.height(0)) == (EPSILON, 0)
    walk.move(0, Rule(0, EPSILON, 1, (2, 3)))
    assert walk.state == (1, ((2, 3),))


def test_steps_are_those_of_a_tuple() -> None:
    steps, listed = TRACE.steps, tuple(TRACE.steps)
    assert len(steps) == 3
    assert steps == listed
    assert hash(steps) == hash(listed)
    assert [steps[number] for number in (0, 1, 2, -1)] == [*listed, listed[2]]
    assert steps[1:] == listed[1:]
    assert steps[::-1] == listed[::-1]
    assert steps != listed[1:]
    with pytest.raises(IndexError):
        steps[3]
    assert Trace.of_moves(TRACE.start, TRACE.differences.moves()) == TRACE
    assert list(TRACE.differences.moves(1, 2)) == [(listed[1].thread, listed[1].rule)]


def test_the_symbols_of_all_states_are_counted() -> None:
    symbols = sum(len(stack) for step in TRACE.steps for stack in step.stacks)
    assert TRACE.differences.symbols == symbols == 2 + 2 + 3


def test_only_claims_that_do_not_follow_are_kept() -> None:
    assert TRACE.differences.claims == {}
    wrong = replace(TRACE.steps[1], stacks=((2,), (1,)))
    damaged = replace(TRACE, steps=(TRACE.steps[0], wrong, TRACE.steps[2]))
    assert damaged.differences.claims == {1: (wrong.shared, wrong.stacks)}
    assert damaged.steps[1] == wrong
    assert damaged != TRACE
    with pytest.raises(EvidenceError, match="step 2 leads to"):
        check(SYSTEM, BAD, damaged)


def test_numbers_may_be_of_any_size() -> None:
    huge = TraceStep(10**30, Rule(-(10**30), 0, 5, ()), 5, TRACE.initial_stacks)
    steps = Steps.of(TRACE.start, [TRACE.steps[0], huge])
    assert steps[1].thread == 10**30
    assert steps[1].rule.source == -(10**30)
    assert steps[0] == TRACE.steps[0]


def test_deep_stacks_take_no_memory_in_a_trace() -> None:
    tracemalloc.start()
    try:
        system, trace = deep(1_000, 25_000)
        check(system, Property((Pattern(None, (2,)),)), replace(trace, steps=trace.steps))
    except EvidenceError as error:
        assert "not bad" in str(error)  # noqa: PT017 - it ends where it began
    finally:
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert len(trace.steps) == 25_000
    assert peak < 5_000_000  # With whole stacks, it would be 200 MB.


def steps_in(path: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["steps"]
    return found


def test_small_traces_are_written_with_states_and_large_ones_without(tmp_path: Path) -> None:
    path = tmp_path / "trace.json"
    for steps, keys in ((99, {"thread", "rule", "shared", "stacks"}), (101, {"thread", "rule"})):
        system, trace = deep(999, steps)
        bad = Property((Pattern(None, (trace.end[1][0][0],)),))
        write_evidence(path, system, bad, trace)
        assert all(set(step) == keys for step in steps_in(path))
        asked, again = read_evidence(path, system)
        assert again == trace
        check(system, asked, again)


def test_a_file_may_leave_out_states_but_not_give_wrong_ones(tmp_path: Path) -> None:
    path = tmp_path / "trace.json"
    write_evidence(path, SYSTEM, BAD, TRACE)
    document = json.loads(path.read_text(encoding="utf-8"))

    def read(changed: dict[str, Any]) -> Any:
        steps = [*document["steps"][:1], changed, *document["steps"][2:]]
        path.write_text(json.dumps(document | {"steps": steps}), encoding="utf-8")
        return read_evidence(path, SYSTEM)[1]

    second = document["steps"][1]
    bare = {key: second[key] for key in ("thread", "rule")}
    assert read(bare) == TRACE
    check(SYSTEM, BAD, read(bare))
    wrong = read(second | {"shared": "q3"})
    with pytest.raises(EvidenceError, match="step 2 leads to"):
        check(SYSTEM, BAD, wrong)
    write_evidence(path, SYSTEM, BAD, wrong)
    assert read_evidence(path, SYSTEM)[1] == wrong
    for key in ("shared", "stacks"):
        with pytest.raises(InputError, match="steps\\[1\\]"):
            read({name: value for name, value in second.items() if name != key})


def test_wrong_claims_of_a_large_trace_stay_wrong(tmp_path: Path) -> None:
    system, trace = deep(999, 101)
    wrong = replace(trace, steps=(replace(trace.steps[0], shared=7), *trace.steps[1:]))
    path = tmp_path / "trace.json"
    write_evidence(path, system, Property(), wrong)
    assert [set(step) for step in steps_in(path)[:2]] == [
        {"thread", "rule", "shared", "stacks"},
        {"thread", "rule"},
    ]
