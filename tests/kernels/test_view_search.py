"""View tuples, against an explorer of small steps, the search in bits and the checker."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import compress
from random import Random

import pytest

import tepui
from support.generators.programs import KNOWING, SMALL, any_program, with_bare_ends
from support.oracles.bit_sets import SetsOfBits
from support.oracles.program_interpreter import TooLargeError
from support.oracles.small_steps import SmallStepStates, State
from support.samples.bits import contains
from support.sizes import sized
from tepui.checker.evidence import Bad
from tepui.checker.programs.bits_certificate import BitsCertificate
from tepui.deciding.bits_driver import certificate_of
from tepui.kernels.door import BitsSearch, KernelLimits, SystemKernel, ViewSearch, system_kernel
from tepui.kernels.lowered_system import lower
from tepui.kernels.program_fields import LoweringOptions
from tepui.model import Property
from tepui.program.layout import Frame
from tepui.program.program import Program
from tepui.program.semantics.resting import kept_values

SPLITTINGS = ["eager", "lazy", "sparing"]


def kernel(about: Program) -> SystemKernel:
    return system_kernel(lower(about, LoweringOptions(), Property()))


def certificate(search: BitsSearch | ViewSearch) -> BitsCertificate:
    if isinstance(search, BitsSearch):
        return certificate_of(search.certificate(whole=True))
    return certificate_of(search.certificate())


def programs(number: int) -> Iterator[tuple[int, Program]]:
    """Random programs."""
    for seed in range(number):
        about = any_program(Random(seed), KNOWING if seed % 4 == 0 else SMALL)
        if seed % 3 == 0:
            about = with_bare_ends(about)
        if about.lock is None:
            yield seed, about


def cases(number: int, most: int) -> Iterator[tuple[int, Program, SmallStepStates]]:
    """Random programs, and all states that their small steps reach."""
    for seed, about in programs(number):
        try:
            yield seed, about, SmallStepStates(about, most)
        except TooLargeError:
            continue


def _violations(about: Program) -> list[Bad]:
    points = range(about.layout.waiting + 1, about.layout.points)
    return [((kind, point),) for kind in range(len(about.threads)) for point in points]


def _within(search: BitsSearch | ViewSearch, contexts: int) -> int | None:
    while search.found is None and not search.has_collapsed and search.contexts < contexts:
        search.advance()
    return search.found


def test_places_take_the_same_contexts_as_in_the_search_in_bits() -> None:
    reached = pairs = 0
    for seed, about, _ in cases(sized(120), 200):
        rng = Random(seed)
        kinds = range(len(about.threads))
        places = [(k, p) for k in kinds for p in range(about.layout.points)]
        asked: list[Bad] = [(place,) for place in places]
        asked += [(rng.choice(places), rng.choice(places)) for _ in range(40)]
        for bad in asked:
            expected = _within(BitsSearch(kernel(about), [bad]), 6)
            for splitting in SPLITTINGS:
                # Where states are not one set, there are ever more tuples after a collapse.
                for exact, most in ((True, 6), (False, 4)):
                    search = ViewSearch(kernel(about), [bad], splitting, exact=exact)
                    found = _within(search, most)
                    assert found == (None if (expected or 0) > most else expected), (seed, bad)
            reached += expected is not None
            pairs += expected is not None and len(bad) > 1
    assert reached > 100
    assert pairs > 10


def test_recursion_reaches_what_small_steps_reach() -> None:
    """Those that the explorer reaches with stacks that are not too high; and no other ones, as far
    as small changes of these tell."""
    compared = found = other = 0
    for seed, about in programs(sized(400)):
        try:
            SmallStepStates(about, 300)
            continue
        except TooLargeError:
            pass
        try:
            states = SmallStepStates(about, 1500, 4, leave_out=True)
        except TooLargeError:
            continue
        kept = kept_values(about.layout, liveness=True)
        rounds = [
            {_live(kept, state) for state in some if _is_asked(states, state)}
            for some in states.rounds(4)
        ]
        searches = [ViewSearch(kernel(about), [], splitting) for splitting in SPLITTINGS]
        for search in searches:
            _within(search, 4)
        rng = Random(seed)
        asked = [state for state in states.reached if _is_asked(states, state)]
        asked.sort(key=str)
        for state in rng.sample(asked, min(60, len(asked))):
            for each in (state, *(_changed(rng, state, asked) for _ in range(3))):
                if any(len(place.frames) > 2 for place in each.threads):
                    continue
                expected = _first(rounds, _live(kept, each))
                for search in searches:
                    assert _reaches(search, each) == expected, (seed, each)
                found += expected is not None
                other += expected is None
        compared += 1
    assert compared > 10
    assert min(found, other) > 100


def _is_asked(states: SmallStepStates, state: State) -> bool:
    is_at_rest = all(place.outer < 0 for place in state.threads)
    return is_at_rest and not states.flag(state, "full") and not states.flag(state, "halted")


def _first(rounds: list[set[object]], state: object) -> int | None:
    return next((contexts for contexts, some in enumerate(rounds) if state in some), None)


def _reaches(search: ViewSearch, state: State) -> int | None:
    stacks = [
        [(frame.point, _numbers(frame.values)) for frame in reversed(place.frames)]
        for place in state.threads
    ]
    return search.reaches(state.shared, stacks)


def _numbers(values: Sequence[object]) -> list[int]:
    return [value for value in values if isinstance(value, int)]


def _changed(rng: Random, state: State, others: list[State]) -> State:
    """The same state, but a part of it is that of another one."""
    other = rng.choice(others)
    threads = list(state.threads)
    place = rng.randrange(len(threads) + 1)
    if place == len(threads):
        return state._replace(shared=other.shared)
    threads[place] = other.threads[place]
    return state._replace(threads=tuple(threads))


def _live(kept: list[tuple[bool, ...]], state: State) -> object:
    """What of a state is not forgotten."""
    return state.shared, tuple(
        tuple((frame.point, tuple(compress(frame.values, _kept(kept, frame)))) for frame in frames)
        for _, frames in state.threads
    )


def _kept(kept: list[tuple[bool, ...]], frame: Frame) -> tuple[bool, ...]:
    return kept[frame.point] if frame.point < len(kept) else ()


def test_each_context_adds_the_same_states_as_the_search_in_bits() -> None:
    compared = 0
    for seed, about, states in cases(sized(300), 400):
        searches = [ViewSearch(kernel(about), [], splitting) for splitting in SPLITTINGS]
        other = BitsSearch(kernel(about), [])
        rounds = states.rounds(4)
        sets = SetsOfBits()
        for contexts in range(20):
            expected = certificate(other)
            for search, splitting in zip(searches, SPLITTINGS, strict=True):
                assert search.contexts == contexts
                found = certificate(search)
                assert sets.canonical(found) == sets.canonical(expected), (
                    seed,
                    splitting,
                    contexts,
                )
                for state in rounds[min(contexts, 4)] if contexts <= 4 else ():
                    assert contains(found, about.layout, state), (seed, splitting, contexts)
                assert search.has_collapsed == other.has_collapsed, (seed, splitting, contexts)
            if other.has_collapsed:
                break
            other.advance()
            for search in searches:
                search.advance()
        for search in searches:
            certificate(search).check_program(about, (), lambda: True)
        compared += 1
    assert compared > 20


_RECURSIVE = """
decl x: int 0..3 := 0;
void push() {
  if (*) { push(); }
  if (*) { x := x + 1; }
}
void look() { assert(x != 3); }
void main() { thread_create(push, 1); thread_create(look, 1); }
"""


def _limits(
    *, seconds: float | None = None, most: int | None = None, pause: int | None = None
) -> KernelLimits:
    return {"states": None, "bytes": most, "seconds": seconds, "pause": pause}


@pytest.mark.parametrize("splitting", SPLITTINGS)
def test_limits_stop_it_and_it_goes_on(splitting: str) -> None:
    about = tepui.loads(_RECURSIVE, "bp")
    search = ViewSearch(kernel(about), _violations(about), splitting)
    assert search.advance(_limits(seconds=0.0)) == "time"
    assert search.advance(_limits(most=1)) == "memory"
    assert search.advance(_limits(pause=1)) == "paused"
    while search.found is None:
        assert search.advance(_limits(pause=20)) in ("done", "paused")
    assert search.found == 2


def test_stacks_without_end_have_no_certificate() -> None:
    about = tepui.loads(_RECURSIVE, "bp")
    search = ViewSearch(kernel(about), [])
    assert search.advance() == "done"
    with pytest.raises(ValueError, match="its stacks are too deep"):
        search.certificate()


def test_what_does_not_fit_is_refused() -> None:
    about = tepui.loads(_RECURSIVE, "bp")
    with pytest.raises(ValueError, match="there is no splitting 'late'"):
        ViewSearch(kernel(about), [], "late")
    with pytest.raises(ValueError, match="more than two threads"):
        ViewSearch(kernel(about), [((0, 0), (1, 0), (0, 1))])


_WIDE = """
decl seen: bool := 0;
decl element: uint32 := 0;
void put() {
  decl x: uint32;
  element := x; seen := 1;
  assert(element = x || element = 0);
}
void clear() { assume(seen); element := 0; }
void main() { thread_create(put, 1); thread_create(clear, 1); }
"""


def test_wide_values_are_not_split() -> None:
    """Where the second thread writes 0, all values of `element` are confluent, but only the first
    one knows what the value was."""
    about = tepui.loads(_WIDE, "bp")
    search = ViewSearch(kernel(about), _violations(about), "sparing")
    while not search.has_collapsed:
        assert search.advance() == "done"
    assert search.found is None
    assert sum(search.tuples) < 10
    certificate(search).check_program(about, _violations(about), lambda: True)
    lazy = ViewSearch(kernel(about), _violations(about), "lazy")
    assert lazy.advance() == "done"
    assert lazy.advance(_limits(seconds=0.5)) == "time"
