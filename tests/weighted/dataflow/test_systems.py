"""Shared states and distances in pushdown systems, against a breadth-first search."""

from __future__ import annotations

from random import Random

import pytest

from support.generators.systems import Sizes, random_system
from support.oracles.systems import State, initial_state, rounds, steps_of_thread, top_of
from support.sizes import sized
from tepui.errors import UsageError
from tepui.languages import loads
from tepui.model import System
from tepui.weighted.dataflow.analysis import dataflow
from tepui.weighted.dataflow.answers import FewestSteps, PossibleValues

SIZES = Sizes(threads=3, shared=3, symbols=3, rules=7, contexts=3, depth=5, states=300)


@pytest.mark.fuzz
@pytest.mark.parametrize("seed", range(sized(150)))
def test_shared_states_and_fewest_steps_are_those_of_a_breadth_first_search(seed: int) -> None:
    rng = Random(seed)
    system = random_system(rng, SIZES)
    contexts = rng.randint(1, 3)
    _, lacking = rounds(system, contexts, SIZES.depth)
    if any(lacking):
        return
    distances = _distances(system, contexts)
    for thread, name in enumerate(system.thread_names):
        for symbol, top in enumerate(system.template_of(thread).symbols):
            expected: dict[int, int] = {}
            for (shared, stacks), steps in distances.items():
                if top_of(stacks[thread]) == symbol:
                    expected[shared] = min(steps, expected.get(shared, steps))
            values = dataflow(system, f"{name}:{top}", contexts=contexts)
            assert isinstance(values, PossibleValues)
            assert {valuation.values[0] for valuation in values.valuations} == set(expected)
            nearest = dataflow(system, f"{name}:{top}", contexts=contexts, domain="shortest")
            assert isinstance(nearest, FewestSteps)
            assert {v.values[0]: v.steps for v in nearest.valuations} == expected


NESTED = """
initial q
thread P {
    stack a z
    q | a -> q | b c
    q | a -> r | b d
    q | b -> q | b b
    r | z -> q | -
    q | - -> r | a
}
thread R {
    stack e
    r | e -> s | -
}
"""


def test_the_symbols_below_the_top_can_be_asked_for() -> None:
    assert _answer("P:b", "c") == "P with b on top, with c below, within 2 contexts:\n" + _lines(
        "q"
    )
    assert _answer("P:b", "d") == (
        "P with b on top, with d below, within 2 contexts:\n" + _lines("r", "s")
    )
    assert _answer("P:b", "b", "d").endswith("unreachable within 2 contexts; more may reach it")


def test_a_symbol_that_one_thread_has_needs_no_thread() -> None:
    assert _answer("b", "c") == _answer("P:b", "c")


def test_an_empty_stack_can_be_asked_for_and_has_rules() -> None:
    assert _answer("R:-") == "R with its stack empty, within 2 contexts:\n" + _lines("s")


def test_what_a_system_does_not_have_is_refused_with_what_it_has() -> None:
    system = loads(NESTED, "cpds").system
    for at, message in {
        "P:x": "P has no stack symbol x; its symbols are -, a, z, b, c, d",
        "S:a": "at='S:a': there is no thread S; the threads are P, R",
        "P": "at='P': expected a place, such as P:12",
        "x": "at='x': no thread has a stack symbol x; the symbols are -, a, z, b, c, d, e",
        "-": "at='-': several threads can be there (P, R); say which one is meant, such as P:-",
    }.items():
        with pytest.raises(UsageError) as refused:
            dataflow(system, at)
        assert str(refused.value) == message
    with pytest.raises(UsageError, match="choose relation or shortest"):
        dataflow(system, "P:a", domain="affine")


def _answer(at: str, *called_from: str) -> str:
    return str(dataflow(loads(NESTED, "cpds").system, at, called_from=called_from))


def _lines(*states: str) -> str:
    return "\n".join(f"  shared state = {state}" for state in states)


def _distances(system: System, contexts: int) -> dict[State, int]:
    """The fewest steps to each state within a bound."""
    seen: dict[tuple[State, int | None, int], int] = {(initial_state(system), None, 0): 0}
    border = list(seen)
    steps = 0
    while border:
        steps += 1
        following: list[tuple[State, int | None, int]] = []
        for state, last, used in border:
            for thread in range(len(system.threads)):
                now = used + (thread != last)
                for _, after in steps_of_thread(system, state, thread):
                    key = after, thread, now
                    if now <= contexts and key not in seen:
                        seen[key] = steps
                        following.append(key)
        border = following
    distances: dict[State, int] = {}
    for (state, _, _), number in seen.items():
        distances[state] = min(number, distances.get(state, number))
    return distances
