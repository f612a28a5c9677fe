"""Evidence about nets: what proves its claim is accepted, and nothing else.

Evidence is damaged at random. Some damages leave evidence that holds: brute force says which.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from operator import mul
from random import Random

import pytest

from support.generators.nets import random_net
from support.oracles.nets import is_bad, is_initial, is_proof, step
from tepui.checker.covering import (
    ControlStates,
    CoveringRun,
    NetInvariant,
    UpwardClosed,
    check_run,
    check_upward_closed,
)
from tepui.counting import cover
from tepui.errors import CheckStopped, EvidenceError
from tepui.model.net import Marking, Net, Row, Transition

PARTS = 4
BOX = 7
"""Brute force looks at markings with up to this many tokens on each place."""

LOCK = Net(
    "lock",
    ("free", "out", "in"),
    ((1, 1), (0, None), (0, 0)),
    (
        Transition(
            ((0, 1), (1, 1)), (Row(0, (0,), -1), Row(1, (1,), -1), Row(2, (2,), 1)), "enter"
        ),
        Transition(((2, 1),), (Row(0, (0,), 1), Row(1, (1,), 1), Row(2, (2,), -1)), "leave"),
    ),
    (((2, 2),),),
)
PROOF = UpwardClosed((((2, 2),), ((0, 1), (2, 1)), ((0, 2),)))
BY_INVARIANT = UpwardClosed((), (NetInvariant((1, 0, 1), 1),))


@pytest.mark.parametrize("part", range(PARTS))
def test_damaged_sets_are_rejected(part: int, fuzz_systems: int) -> None:
    """And others are accepted, unless an element is excluded by a control state and an invariant
    together, and by neither alone: these are looked at one by one."""
    outcomes: Counter[bool] = Counter()
    together = 0
    for seed in range(part, 2 * fuzz_systems, PARTS):
        rng = Random(seed)
        net = random_net(rng)
        evidence = cover(net).evidence
        if not isinstance(evidence, UpwardClosed) or len(evidence.minimal) > 12:
            continue
        assert _holds(net, evidence), seed
        for _ in range(6):
            damaged = _damaged_set(rng, net, evidence)
            accepted = _is_accepted(net, damaged)
            valid = _holds(net, damaged)
            if (damaged.invariants, damaged.control) == (evidence.invariants, evidence.control):
                together += accepted != valid
                if damaged.control is None or not damaged.invariants:
                    assert accepted == valid, (seed, damaged)
            assert accepted <= valid, (seed, damaged)
            outcomes[accepted] += 1
    assert outcomes[False] > 20
    assert 100 * together < outcomes.total()


@pytest.mark.parametrize("part", range(PARTS))
def test_damaged_runs_are_rejected(part: int, fuzz_systems: int) -> None:
    outcomes: Counter[bool] = Counter()
    for seed in range(part, 8 * fuzz_systems, PARTS):
        rng = Random(seed)
        net = random_net(rng)
        evidence = cover(net).evidence
        if not isinstance(evidence, CoveringRun):
            continue
        for _ in range(12):
            damaged = _damaged_run(rng, net, evidence)
            accepted = _leads_to_bad(net, damaged)
            assert _is_accepted(net, damaged) == accepted, (seed, damaged)
            outcomes[accepted] += 1
    assert outcomes[False] > 200


def _damaged_set(rng: Random, net: Net, proof: UpwardClosed) -> UpwardClosed:
    if proof.control is not None and rng.random() < 0.4:
        return replace(proof, control=_damaged_control(rng, net, proof.control))
    minimal = [dict(element) for element in proof.minimal]
    invariants = list(proof.invariants)
    place = rng.randrange(len(net.places))
    kind = rng.choice(["drop", "raise", "lower", "forget", "add", "bound", "weight", "less"])
    if kind in ("bound", "weight", "less") and invariants:
        at = rng.randrange(len(invariants))
        one = invariants[at]
        if kind == "bound":
            invariants[at] = replace(one, bound=one.bound + rng.choice((-1, 1)))
        elif kind == "less":
            del invariants[at]
        else:
            weights = list(one.weights)
            weights[place] = max(0, weights[place] + rng.choice((-1, 1)))
            invariants[at] = replace(one, weights=tuple(weights))
    elif minimal and kind != "add":
        at = rng.randrange(len(minimal))
        element = minimal[at]
        if kind == "drop":
            del minimal[at]
        elif kind == "forget" and element:
            del element[rng.choice(list(element))]
        else:
            change = -1 if kind == "lower" else 1
            element[place] = max(0, element.get(place, 0) + change)
    else:
        minimal.append({place: rng.randint(1, 3)})
    elements = (tuple((p, n) for p, n in sorted(each.items()) if n) for each in minimal)
    return UpwardClosed(tuple(elements), tuple(invariants), proof.control)


def _damaged_control(rng: Random, net: Net, control: ControlStates) -> ControlStates:
    places, states = list(control.places), list(control.states)
    place = rng.randrange(len(net.places))
    at = rng.randrange(len(states))
    counts, others = dict(states[at][0]), set(states[at][1])
    match rng.choice(["drop", "less", "more", "count", "places"]):
        case "drop":
            del states[at]
            return ControlStates(tuple(places), tuple(states))
        case "less":
            others.discard(place)
        case "more":
            others.add(place)
        case "count":
            counts[place] = max(0, counts.get(place, 0) + rng.choice((-1, 1)))
        case _:
            places = [one for one in places if one != place] or [*places, place]
    states[at] = (tuple((p, n) for p, n in sorted(counts.items()) if n), tuple(sorted(others)))
    return ControlStates(tuple(places), tuple(states))


def _damaged_run(rng: Random, net: Net, run: CoveringRun) -> CoveringRun:
    start, steps = list(run.start), list(run.transitions)
    kind = rng.choice(["start", "drop", "swap", "other", "more"])
    at = rng.randrange(len(steps)) if steps else 0
    number = rng.randrange(-1, len(net.transitions) + 1)
    if kind == "more":
        steps.insert(at, number)
    elif kind == "start" or not steps:
        start[rng.randrange(len(start))] += rng.choice((-1, 1))
    elif kind == "drop":
        del steps[at]
    elif kind == "swap":
        other = rng.randrange(len(steps))
        steps[at], steps[other] = steps[other], steps[at]
    else:
        steps[at] = number
    return CoveringRun(tuple(start), tuple(steps))


def _is_accepted(net: Net, evidence: CoveringRun | UpwardClosed) -> bool:
    try:
        if isinstance(evidence, CoveringRun):
            check_run(net, evidence)
        else:
            check_upward_closed(net, evidence)
    except EvidenceError:
        return False
    return True


def _holds(net: Net, proof: UpwardClosed) -> bool:
    """Whether brute force finds nothing wrong with a certificate."""
    places = range(len(net.places))
    minimal = [tuple(dict(element).get(place, 0) for place in places) for element in proof.minimal]
    highest = max((count for element in minimal for count in element), default=0)
    return is_proof(net, minimal, lambda counts: _fits(proof, counts), max(BOX, highest + 3))


def _fits(proof: UpwardClosed, counts: tuple[int, ...]) -> bool:
    """Whether a marking keeps the invariants, and fits a control state."""
    for one in proof.invariants:
        if sum(map(mul, one.weights, counts)) > one.bound:
            return False
    if proof.control is None:
        return True
    chosen = set(proof.control.places)
    held = {(place, count) for place, count in enumerate(counts) if count and place in chosen}
    others = {place for place, count in enumerate(counts) if count and place not in chosen}
    return any(held == set(one) and others <= set(free) for one, free in proof.control.states)


def _leads_to_bad(net: Net, run: CoveringRun) -> bool:
    counts: tuple[int, ...] | None = run.start
    if not is_initial(net, run.start):
        return False
    for number in run.transitions:
        if counts is None or not 0 <= number < len(net.transitions):
            return False
        counts = step(net.transitions[number], counts)
    return counts is not None and is_bad(net, counts)


def test_a_proof_is_accepted() -> None:
    check_upward_closed(LOCK, PROOF)
    check_upward_closed(LOCK, BY_INVARIANT)


@pytest.mark.parametrize(
    ("minimal", "reason"),
    [
        (
            (((2, 2),), ((0, 1), (2, 1))),
            "not closed: enter leads from 2 × free, out into it",
        ),
        ((((0, 2),),), "the bad marking 2 × in is not in the set"),
        ((*PROOF.minimal, ((0, 1),)), "an initial marking is above free"),
        ((*PROOF.minimal, ((0, 1), (1, 7))), "an initial marking is above free, 7 × out"),
        ((*PROOF.minimal, ((3, 1),)), "an element has an unknown place"),
        ((*PROOF.minimal, ((-1, 1),)), "an element has an unknown place"),
        ((*PROOF.minimal, ((0, 0),)), "no tokens on one"),
        ((*PROOF.minimal, ((2, 1), (2, 2))), "an element has a place twice"),
    ],
)
def test_a_set_that_proves_nothing_is_rejected(minimal: tuple[Marking, ...], reason: str) -> None:
    with pytest.raises(EvidenceError, match=reason):
        check_upward_closed(LOCK, UpwardClosed(minimal))


@pytest.mark.parametrize(
    ("weights", "bound", "reason"),
    [
        ((1, 0, 1), 0, "does not hold in the beginning"),
        ((1, 0, 2), 1, "enter breaks an invariant"),
        ((2, 0, 1), 2, "leave breaks an invariant"),
        ((1, 1, 1), 9, "bounds out, which has any number"),
        ((1, 0), 1, "does not have a weight for each place"),
        ((1, 0, -1), 1, "does not have a weight for each place"),
    ],
)
def test_a_wrong_invariant_is_rejected(weights: tuple[int, ...], bound: int, reason: str) -> None:
    with pytest.raises(EvidenceError, match=reason):
        check_upward_closed(LOCK, UpwardClosed((), (NetInvariant(weights, bound),)))


CONTROL = ControlStates((0, 2), ((((0, 1),), (1,)), (((2, 1),), (1,))))
"""Of the lock: it is free, or one thread is inside; there may be threads outside."""


def test_control_states_prove_by_themselves() -> None:
    check_upward_closed(LOCK, UpwardClosed((), (), CONTROL))


@pytest.mark.parametrize(
    ("places", "states", "reason"),
    [
        ((0, 2), CONTROL.states[:1], "enter leads to no control state"),
        ((0, 2), CONTROL.states[1:], "an initial marking fits no control state"),
        ((0, 2), ((((0, 1),), ()), CONTROL.states[1]), "an initial marking fits no control state"),
        ((0, 2), (CONTROL.states[0], (((2, 1),), ())), "enter leads to no control state"),
        ((0, 2), (*CONTROL.states, (((2, 1),), (1,))), "two control states have the same counts"),
        ((0, 2), (*CONTROL.states, (((1, 1),), ())), "a control state has an unknown place"),
        ((0, 2), (*CONTROL.states, (((2, 2),), (3,))), "a control state has an unknown place"),
        ((0, 2, 7), CONTROL.states, "a control state has an unknown place"),
        ((0, 2), (*CONTROL.states, (((2, 0),), ())), "has a place twice, or no tokens on one"),
        ((0, 2), (*CONTROL.states, (((2, 1), (2, 2)), ())), "has a place twice"),
        ((0, 1, 2), CONTROL.states, "a control place begins with different counts"),
        ((0,), CONTROL.states, "a control state has an unknown place"),
        ((0,), ((((0, 1),), (1,)), ((), (1, 2))), "an initial|leads to no control state"),
    ],
)
def test_wrong_control_states_are_rejected(
    places: tuple[int, ...],
    states: tuple[tuple[Marking, tuple[int, ...]], ...],
    reason: str,
) -> None:
    with pytest.raises(EvidenceError, match=reason):
        check_upward_closed(LOCK, UpwardClosed((), (), ControlStates(places, states)))


def test_a_control_place_gets_nothing_from_a_place_without_a_bound() -> None:
    net = Net(
        "flow",
        ("p", "q"),
        ((0, None), (0, 0)),
        (Transition((), (Row(0, (), 0), Row(1, (0, 1), 0)), "all"),),
        (((1, 2),),),
    )
    with pytest.raises(EvidenceError, match="all puts tokens without a bound on a control place"):
        check_upward_closed(net, UpwardClosed((), (), ControlStates((1,), (((), (0,)),))))


@pytest.mark.parametrize(
    ("start", "transitions", "reason"),
    [
        ((1, 1), (), "a count for each place"),
        ((2, 2, 0), (0, 0), "begins with 2 tokens on free"),
        ((1, -1, 0), (), "begins with -1 tokens on out"),
        ((1, 2, 0), (0, 0), "step 2 needs 1 tokens on free, and there are 0"),
        ((1, 2, 0), (2,), "step 1 is transition 2, and there is none"),
        ((1, 2, 0), (-1,), "step 1 is transition -1, and there is none"),
        ((1, 2, 0), (0, 1), "does not end in a bad marking"),
    ],
)
def test_a_run_that_is_none_is_rejected(
    start: tuple[int, ...], transitions: tuple[int, ...], reason: str
) -> None:
    with pytest.raises(EvidenceError, match=reason):
        check_run(LOCK, CoveringRun(start, transitions))


def test_a_check_can_be_stopped() -> None:
    with pytest.raises(CheckStopped):
        check_upward_closed(LOCK, PROOF, lambda: False)
