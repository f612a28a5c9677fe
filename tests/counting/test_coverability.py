"""Coverability against brute force: backwards, and forwards with up to six threads."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from random import Random
from typing import Any

import pytest

import tepui
from support.generators.nets import random_net
from support.oracles.nets import TooManyMarkingsError, backward, forward, most_tokens_of
from tepui.checker.covering import CoveringRun, UpwardClosed, check_run
from tepui.counting import check_net_evidence, cover
from tepui.limits import Limits
from tepui.model.net import Net, Row, Transition

PARTS = 8
"""So many parts run beside each other."""


@pytest.mark.parametrize("part", range(PARTS))
def test_every_answer_is_that_of_brute_force(part: int, fuzz_systems: int) -> None:
    verdicts: Counter[str] = Counter()
    for seed in range(part, 10 * fuzz_systems, PARTS):
        net = random_net(Random(seed))
        try:
            expected = backward(net)
        except TooManyMarkingsError:
            verdicts["too large"] += 1
            continue
        found = cover(net)
        assert (found.verdict, found.checked) == ("unsafe" if expected else "safe", True), seed
        _compare_forward(net, expected, seed)
        verdicts[found.verdict] += 1
    assert min(verdicts["safe"], verdicts["unsafe"]) > 5
    assert verdicts["too large"] < sum(verdicts.values()) / 10


def _compare_forward(net: Net, expected: bool, seed: int) -> None:
    """Runs with few threads lead to a bad marking only where there is one."""
    try:
        few, many = forward(net, 1), forward(net, 6)
    except TooManyMarkingsError:
        return
    assert few <= many <= expected, seed


@pytest.mark.parametrize("part", range(PARTS))
def test_a_run_with_few_threads_is_found_forwards_as_well(part: int, fuzz_systems: int) -> None:
    compared = 0
    for seed in range(part, fuzz_systems, PARTS):
        net = random_net(Random(seed))
        evidence = cover(net, Limits(timeout=60)).evidence
        if not isinstance(evidence, CoveringRun):
            continue
        counts = zip(evidence.start, net.initial, strict=True)
        threads = max((count for count, (_, most) in counts if most is None), default=0)
        tokens = max(map(sum, check_run(net, evidence)))
        if threads <= 6 and tokens <= most_tokens_of(net, 6):
            with suppress(TooManyMarkingsError):
                assert forward(net, 6), seed
                compared += 1
    assert compared > 1


def test_two_runs_give_the_same_evidence() -> None:
    for seed in range(50):
        net = random_net(Random(seed))
        assert cover(net).evidence == cover(net).evidence


def test_without_a_bad_marking_a_net_is_safe() -> None:
    net = Net("empty", ("p",), ((0, None),), (), ())
    found = cover(net)
    assert (found.verdict, found.evidence) == ("safe", UpwardClosed(()))


def test_an_empty_bad_marking_is_reached_at_once() -> None:
    net = Net("always", ("p",), ((0, 0),), (), ((),))
    assert cover(net).evidence == CoveringRun((0,), ())


def test_more_threads_than_anyone_explores_are_counted() -> None:
    """A token in q needs forty in p: the forward search finds it late, the backward one at once."""
    net = Net(
        "many",
        ("p", "q"),
        ((0, None), (0, 0)),
        (Transition(((0, 40),), (Row(0, (0,), -40), Row(1, (1,), 1)), "t"),),
        (((1, 3),),),
    )
    found = cover(net)
    assert isinstance(found.evidence, CoveringRun)
    assert found.evidence.start == (120, 0)
    check_net_evidence(net, found.evidence)


def test_numbers_that_do_not_fit_are_no_answer() -> None:
    """Each token needs two thousand million more, which soon cannot be counted."""
    huge = 2_000_000_000
    net = Net(
        "huge",
        ("p", "q"),
        ((0, 0), (0, 0)),
        (Transition(((1, 1),), (Row(0, (0,), 1), Row(1, (1,), -huge)), "t"),),
        (((0, 5),),),
    )
    assert cover(net).verdict in ("safe", "unknown")


def test_a_time_limit_is_no_answer() -> None:
    found = cover(_counting_net(9), Limits(timeout=0.05))
    assert (found.verdict, found.stop and found.stop.kind) == ("unknown", "time")


def test_a_memory_limit_is_no_answer() -> None:
    found = cover(_counting_net(14), Limits(memory=2**27, timeout=300))
    assert (found.verdict, found.stop and found.stop.kind) == ("unknown", "memory")


def _counting_net(places: int) -> Net:
    """Every place feeds all others, and many tokens on all are bad: many minimal elements."""
    moves = [
        Transition(
            ((p, 2),) if p < q else ((p, 1),),
            (Row(p, (p,), -2 if p < q else -1), Row(q, (q,), 1)),
            f"{p} to {q}",
        )
        for p in range(places)
        for q in range(places)
        if p != q
    ]
    initial = ((1, 1), *[(0, 0)] * (places - 1))
    return Net(
        "counting",
        tuple(f"p{place}" for place in range(places)),
        initial,
        tuple(moves),
        (tuple((place, 9) for place in range(places)),),
    )


@pytest.mark.parametrize("wrong", [None, "examples/nets/lock.tts", 3])
def test_what_is_no_net_is_an_error_of_the_library(wrong: Any) -> None:
    with pytest.raises(tepui.UsageError, match="load_net"):
        cover(wrong)
    with pytest.raises(tepui.UsageError, match="load_net"):
        check_net_evidence(wrong, CoveringRun((), ()))
