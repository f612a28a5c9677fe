"""Observations through random abstractions of random systems, against brute force.

The abstractions are written twice: for the views that a user gets, and for the names that brute
force has. Respect is compared with Definition 4 of DrUBA as a double loop over explored states.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from itertools import product
from random import Random
from typing import TypedDict

import pytest

from support.generators.systems import Sizes, random_system
from support.oracles import delays as delay_oracle
from support.oracles import systems as oracle
from support.oracles.systems import State
from tepui.engines.finite_context import finite_contexts
from tepui.limits import Limits
from tepui.model import System
from tepui.watching import WatchResult, watch
from tepui.watching.respect import Actions
from tepui.watching.views import SystemState

pytestmark = pytest.mark.fuzz

SIZES = Sizes(threads=3, states=300, contexts=3)
LONGER = 6
"""How many rounds the explorations have that go on to a plateau."""

Parts = tuple[str, Sequence[tuple[str, ...]]]
"""The names of a shared state and of the symbols of all stacks."""

Abstraction = Callable[[Parts], Hashable]


class Within(TypedDict, total=False):
    """How far a run may go."""

    rounds: int
    limits: Limits


def random_abstraction(rng: Random, threads: int) -> Abstraction:
    """What an abstraction may keep of a state: a little of this and a little of that."""
    kept = [rng.random() < 0.5 for _ in range(threads)]
    height = rng.choice([0, 0, 1, 1, 2, 9])
    sees_shared, counts = rng.random() < 0.7, rng.random() < 0.3

    def abstraction(parts: Parts) -> Hashable:
        shared, stacks = parts
        cut = tuple(stack[:height] for stack, is_kept in zip(stacks, kept, strict=True) if is_kept)
        total = sum(map(len, stacks)) % 3 if counts else 0
        return shared if sees_shared else None, cut, total

    return abstraction


def names(system: System, state: State) -> Parts:
    shared, stacks = state
    symbols = [system.template_of(thread).symbols for thread in range(len(stacks))]
    return system.shared[shared], tuple(
        tuple(of_thread[symbol] for symbol in stack)
        for of_thread, stack in zip(symbols, stacks, strict=True)
    )


def cases(count: int, offset: int) -> list[tuple[int, System, Abstraction]]:
    found = []
    for seed in range(offset, offset + count):
        rng = Random(seed)
        system = random_system(rng, SIZES)
        found.append((seed, system, random_abstraction(rng, len(system.threads))))
    return found


def seen_by(system: System, abstraction: Abstraction, engine: str, rounds: int) -> WatchResult:
    return watch(
        system,
        lambda state: abstraction((state.shared, state.stacks)),
        engine=engine,
        **within(engine, rounds),
    )


def within(engine: str, count: int) -> Within:
    """No more than this many rounds, or contexts."""
    return {"rounds": count} if engine == "delay" else {"limits": Limits(max_contexts=count)}


def explored(system: System, seen: WatchResult) -> list[set[State]]:
    """What was explored under each bound, by brute force."""
    bounds = [observation.bound for observation in seen.observations]
    if isinstance(bounds[-1], int):
        reached, dropped = oracle.rounds(system, bounds[-1], depth=40, limit=20_000)
        assert not dropped[-1]
        return reached
    pairs = [bound for bound in bounds if isinstance(bound, tuple)]
    costs = delay_oracle.schedules(system, *pairs[-1])
    return [delay_oracle.within(costs, *pair) for pair in pairs]


def engines_for(system: System) -> list[str]:
    return ["delay", "explicit"] if all(finite_contexts(system)) else ["delay"]


def steps(system: System, state: State) -> dict[tuple[int, str], list[State]]:
    """By thread and action, where the steps from a state lead."""
    actions = Actions(system)
    found: dict[tuple[int, str], list[State]] = {}
    for thread, rule, after in oracle.steps(system, state):
        number = list(system.template_of(thread).rules).index(rule)
        found.setdefault((thread, actions.text(thread, number)), []).append(after)
    return found


def naive_disrespect(
    system: System, states: set[State], abstraction: Abstraction
) -> dict[tuple[str, str], str]:
    """Definition 4: all pairs of states with one abstract state, all threads, all actions."""
    abstract = {state: abstraction(names(system, state)) for state in states}
    leads = {state: steps(system, state) for state in states}
    found: dict[tuple[str, str], str] = {}
    for one, other in product(states, repeat=2):
        if abstract[one] != abstract[other]:
            continue
        for thread, action in {*leads[one], *leads[other]}:
            key = system.thread_names[thread], action
            afters = [leads[state].get((thread, action)) for state in (one, other)]
            ends = [
                {abstraction(names(system, after)) for after in each or [state]}
                for each, state in zip(afters, (one, other), strict=True)
            ]
            if ends[0] == ends[1]:
                continue
            if None not in afters:
                found[key] = "successors"
            else:
                found.setdefault(key, "enabled")
    return found


def successors(system: System, states: set[State]) -> set[State]:
    return {after for state in states for _, _, after in oracle.steps(system, state)}


def new_ahead(system: System, states: set[State], abstraction: Abstraction) -> bool:
    """Whether some step leads to an abstract state that no state has."""
    found = {abstraction(names(system, state)) for state in states}
    return any(
        abstraction(names(system, after)) not in found for after in successors(system, states)
    )


def is_plateau(system: System, seen: WatchResult, place: int) -> bool:
    """Whether Theorem 7 could be applied: since some bound on the way nothing was new."""
    here = seen.observations[place]
    for before in seen.observations[:place]:
        if before.abstract_states == here.abstract_states:
            if isinstance(before.bound, int) or isinstance(here.bound, int):
                return True
            rounds, delays = (
                now - then for now, then in zip(here.bound, before.bound, strict=True)
            )
            if rounds >= 1 and delays >= len(system.threads) - 1:
                return True
    return False


def test_abstract_states_are_those_of_the_states_that_brute_force_finds(fuzz_systems: int) -> None:
    compared = 0
    for seed, system, abstraction in cases(fuzz_systems // 2, offset=0):
        for engine in engines_for(system):
            seen = seen_by(system, abstraction, engine, rounds=3)
            before: set[Hashable] = set()
            for observation, states in zip(seen.observations, explored(system, seen), strict=True):
                place = seed, engine, observation.bound
                found = {abstraction(names(system, state)) for state in states}
                assert observation.states == len(states), place
                assert (observation.abstract_states, observation.new) == (
                    len(found),
                    len(found - before),
                ), place
                before = found
            assert seen.abstract_states == before, (seed, engine)
            compared += 1
    assert compared > fuzz_systems // 2


def test_respect_is_definition_4_on_the_explored_states(fuzz_systems: int) -> None:
    kinds: set[str | None] = set()
    for seed, system, abstraction in cases(fuzz_systems // 2, offset=1_000_000):
        for engine in engines_for(system):
            seen = seen_by(system, abstraction, engine, rounds=2)
            states = explored(system, seen)[-1]
            expected = naive_disrespect(system, states, abstraction)
            found = {(each.thread, each.action): each.kind for each in seen.disrespectful}
            assert found == expected, (seed, engine)
            assert seen.respect == ("disrespected" if expected else "observed")
            kinds |= {*found.values()} or {None}
    assert kinds == {"successors", "enabled", None}


def test_the_two_states_that_show_disrespect_do_show_it(fuzz_systems: int) -> None:
    for seed, system, abstraction in cases(fuzz_systems // 4, offset=2_000_000):
        seen = seen_by(system, abstraction, "delay", rounds=2)
        numbered = {names(system, state): state for state in explored(system, seen)[-1]}
        for each in seen.disrespectful:
            thread = system.thread_names.index(each.thread)
            for number, view in enumerate(each.states):
                assert isinstance(view, SystemState)
                parts = view.shared, tuple(view.stacks)
                state = numbered[parts]
                assert abstraction(parts) == each.abstract_state, seed
                afters = steps(system, state).get((thread, each.action))
                assert (afters is None) == (each.kind == "enabled" and number == 1), seed
                ends = {abstraction(names(system, after)) for after in afters or [state]}
                assert each.after[number] == ends, seed
            assert each.after[0] != each.after[1], seed


def test_a_run_ends_at_the_first_plateau_that_no_step_leaves(fuzz_systems: int) -> None:
    verdicts = set()
    for seed, system, abstraction in cases(fuzz_systems // 4, offset=3_000_000):
        for engine in engines_for(system):
            seen = seen_by(system, abstraction, engine, rounds=LONGER)
            verdicts.add(seen.verdict)
            rounds = explored(system, seen)
            ends = [
                place
                for place, states in enumerate(rounds)
                if is_plateau(system, seen, place) and not new_ahead(system, states, abstraction)
            ]
            if seen.verdict == "plateau":
                assert ends == [len(seen.observations) - 1], (seed, engine)
            else:
                assert (seen.verdict, ends) == ("stopped", []), (seed, engine)
            assert seen.collapsed == (successors(system, rounds[-1]) <= rounds[-1]), (seed, engine)
    assert verdicts == {"plateau", "stopped"}


def test_a_violation_is_found_as_soon_as_it_is_reachable_with_a_trace(fuzz_systems: int) -> None:
    found = 0
    for seed, system, abstraction in cases(fuzz_systems // 4, offset=4_000_000):
        for engine in engines_for(system):
            whole = seen_by(system, abstraction, engine, rounds=3)
            wanted = Random(seed).choice(sorted(explored(system, whole)[-1]))
            bad = names(system, wanted)
            seen = watch(
                system,
                lambda state: abstraction((state.shared, state.stacks)),  # noqa: B023
                lambda state: (state.shared, tuple(state.stacks)) == bad,  # noqa: B023
                engine=engine,
                until="collapse",
                **within(engine, 3),
            )
            assert seen.verdict == "violation", (seed, engine)
            assert [wanted in states for states in explored(system, seen)].index(True) == (
                len(seen.observations) - 1
            ), (seed, engine)
            assert seen.trace is not None
            assert seen.checked
            end = seen.trace.steps[-1] if seen.trace.steps else None
            assert wanted == ((end.shared, end.stacks) if end else oracle.initial_state(system))
            if engine == "explicit":
                assert seen.trace.contexts == seen.bound
            found += 1
    assert found > fuzz_systems // 8
