"""Random systems with any number of threads: answers against brute force for 0 to 5 of them."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest

import tepui
from support.generators.open_systems import OpenBlock, OpenDraft, random_open_system
from support.oracles.open_systems import TooManyStatesError, is_bad_reachable
from support.sizes import sized
from tepui.deciding import open_driver
from tepui.result import NumberOfThreads

pytestmark = [pytest.mark.fuzz, pytest.mark.filterwarnings("ignore::UserWarning")]

BATCHES = 4

MOST_THREADS = 5
DEPTH = 6
STATES = 3000


@pytest.fixture(autouse=True)
def short_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(open_driver, "FIRST_SECONDS", 0.3)


@pytest.mark.parametrize("batch", range(BATCHES))
def test_answers_hold_for_the_numbers_that_brute_force_explores(batch: int) -> None:
    verdicts, fewest = set(), set()
    for seed in range(batch, sized(1200), BATCHES):
        draft = random_open_system(Random(seed))
        result = tepui.verify(tepui.loads(draft.text, "cpds"))
        assert result.checked or result.verdict == "unknown", seed
        assert result.threads is not None
        verdicts.add(result.verdict)
        is_bad = _by_numbers(draft)
        if result.verdict == "safe":
            assert True not in is_bad.values(), seed
        elif result.verdict == "unsafe":
            fewest.add(_compare_numbers(result.threads, is_bad, seed))
        else:
            up_to = result.threads.safe_up_to or 0
            some = [bad for counts, bad in is_bad.items() if sum(counts) <= up_to and all(counts)]
            assert True not in some, seed
    assert {"safe", "unsafe"} <= verdicts
    assert {1, 2, 3} <= fewest


def _compare_numbers(
    threads: NumberOfThreads, is_bad: dict[tuple[int, ...], bool | None], seed: int
) -> int:
    """The number of threads of a violation, which must be the fewest, one of each block at least,
    if the answer says so."""
    assert threads.counts is not None
    found = tuple(threads.counts[name] for name in threads.any_number)
    assert is_bad.get(found) is not False, seed
    for counts, bad in is_bad.items():
        if sum(counts) < sum(found) and all(counts) and threads.is_fewest:
            assert bad is not True, (seed, counts)
    return sum(found)


def _by_numbers(draft: OpenDraft) -> dict[tuple[int, ...], bool | None]:
    """Whether something bad is reachable, by the numbers of threads; None if that is not known."""
    names = [block.name for block in draft.blocks if block.count is None]
    found: dict[tuple[int, ...], bool | None] = {}
    for counts in product(range(MOST_THREADS + 1), repeat=len(names)):
        if sum(counts) <= MOST_THREADS:
            try:
                numbers = dict(zip(names, counts, strict=True))
                found[counts] = is_bad_reachable(draft, numbers, DEPTH, STATES)
            except TooManyStatesError:
                found[counts] = None
    return found


def test_brute_force_counts_threads_as_a_person_does() -> None:
    """Three threads take one step each, and a fourth one stays where it is."""
    rules = tuple((f"q{number}", "a", f"q{number + 1}", ("b",)) for number in range(3))
    block = OpenBlock("f", None, ("a",), rules)
    draft = OpenDraft((block,), (("q3", (("b", "a"),)),))
    found = _by_numbers(draft)
    assert [found[count,] for count in range(6)] == [False] * 4 + [True] * 2
    deep = OpenBlock("f", None, ("a",), (("q0", "a", "q0", ("a", "b")),))
    assert is_bad_reachable(OpenDraft((deep,), (("q1", (("a",),)),)), {"f": 1}, 6, 100) is None
