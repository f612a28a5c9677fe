"""Reachable states as sets of bits, against an explorer of small steps and the checker."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from random import Random

import pytest

import tepui
from support.generators.machine_programs import with_machine_arithmetic
from support.generators.programs import (
    KNOWING,
    SMALL,
    any_program,
    random_case,
    with_bare_ends,
)
from support.oracles.program_interpreter import TooLargeError
from support.oracles.small_steps import SmallStepStates, points_of
from support.samples.bits import contains
from support.sizes import sized
from tepui.checker.evidence import Bad
from tepui.checker.programs.bits_certificate import BitsCertificate
from tepui.checker.programs.derivation import AsWritten
from tepui.deciding import Options, verify
from tepui.deciding.bits_driver import certificate_of
from tepui.errors import EvidenceError
from tepui.kernels.door import BitsSearch, KernelLimits, system_kernel
from tepui.kernels.lowered_system import lower
from tepui.kernels.program_fields import LoweringOptions
from tepui.limits import Limits
from tepui.model import Property
from tepui.program.program import Program
from tepui.program.questions import assertions


def searched(about: Program, bad: Sequence[Bad] = (), *, deadlock: bool = False) -> BitsSearch:
    """A search that has come to its end."""
    system = lower(about, LoweringOptions(), Property())
    search = BitsSearch(system_kernel(system), bad, deadlock)
    while search.found is None and not search.has_collapsed:
        search.advance()
    return search


def certificate(search: BitsSearch) -> BitsCertificate:
    return certificate_of(search.certificate())


def cases(number: int, most: int) -> Iterator[tuple[int, Program, SmallStepStates]]:
    """Random programs, and all states that their small steps reach."""
    for seed in range(number):
        about = any_program(Random(seed), KNOWING if seed % 4 == 0 else SMALL)
        if seed % 3 == 0:
            about = with_bare_ends(about)
        if about.lock is None:
            try:
                yield seed, about, SmallStepStates(about, most)
            except TooLargeError:
                continue


def test_the_set_has_all_states_and_is_accepted() -> None:
    compared = 0
    for seed, about, states in cases(sized(300), 400):
        found = certificate(searched(about))
        found.check_program(about, (), lambda: True)
        for state in states.reached:
            assert contains(found, about.layout, state), (seed, state)
        compared += 1
    assert compared > 20


def test_places_are_found_exactly_if_they_are_reached() -> None:
    """So the set has no states but those that are reached, as far as places tell."""
    proved = reached = 0
    for seed, about, states in cases(sized(120), 200):
        types = about.thread_types
        places = {(types[thread], point) for thread, point in points_of(states)}
        all_states = certificate(searched(about))
        for place in (
            (k, p) for k in range(len(about.threads)) for p in range(about.layout.points)
        ):
            if about.layout.is_bare_end(place[1]):
                continue
            search = searched(about, [(place,)])
            assert (search.found is not None) == (place in places), (seed, place)
            if search.found is None:
                all_states.check_program(about, [(place,)], lambda: True)
                proved += 1
            else:
                assert search.sample() is not None
                reached += 1
    assert proved > 60
    assert reached > 40


def test_deadlocks_are_found_with_the_fewest_contexts() -> None:
    """Against the naive interpreter, which decides values when they are read first."""
    proved = stuck = 0
    for seed in range(sized(400)):
        about, findings = random_case(Random(seed), KNOWING if seed % 4 == 0 else SMALL)
        about = with_bare_ends(about) if seed % 3 == 0 else about
        if about.lock is not None or not findings.collapsed or findings.exact is not None:
            continue
        try:
            search = searched(about, deadlock=True)
            everything = certificate(searched(about))
        except ValueError:
            continue
        expected = findings.first("deadlock")
        assert search.found == expected, seed
        if expected is None:
            everything.check_program(about, (), lambda: True, deadlock=True)
            proved += 1
        else:
            assert search.sample() is not None
            with pytest.raises(EvidenceError, match="the set has a deadlock"):
                everything.check_program(about, (), lambda: True, deadlock=True)
            stuck += 1
    assert proved > 20
    assert stuck > 20


_TWO = """
decl x: int32 := 0;
decl y: int32 := 0;
void write() {{
  x := *;
  y := x + x;
}}
void read() {{
  assert(y != {value});
}}
void main() {{
  thread_create(write, 1);
  thread_create(read, 1);
}}
"""


def _limits(
    *, seconds: float | None = None, most: int | None = None, pause: int | None = None
) -> KernelLimits:
    return {"states": None, "bytes": most, "seconds": seconds, "pause": pause}


def _program(text: str) -> Program:
    return tepui.loads(text, "bp")


def _violations(about: Program) -> list[Bad]:
    points = range(about.layout.waiting + 1, about.layout.points)
    return [((kind, point),) for kind in range(len(about.threads)) for point in points]


def test_wide_inputs_are_sets_and_what_is_chosen_is_read_back() -> None:
    about = _program(_TWO.format(value=154))
    search = searched(about, _violations(about))
    assert search.found == 2
    sample = search.sample()
    assert sample is not None
    (_, values), *_ = sample[2]
    assert [(value + value) % 2**32 for value in values] == [154]


def test_what_is_not_reached_is_proved() -> None:
    about = _program(_TWO.format(value=155))
    search = searched(about, _violations(about))
    assert search.found is None
    certificate(search).check_program(about, _violations(about), lambda: True)


def test_a_set_that_lacks_a_state_is_rejected() -> None:
    """The check would see if the search left something out."""
    about = _program(_TWO.format(value=155))
    found = certificate(searched(about))
    node = next(n for n, (_, low, high) in enumerate(found.nodes) if 0 < low != high and high != 0)
    level, low, _ = found.nodes[node]
    nodes = (*found.nodes[:node], (level, low, 0), *found.nodes[node + 1 :])
    damaged = BitsCertificate(found.shapes, found.levels, nodes, found.root)
    with pytest.raises(EvidenceError):
        damaged.check_program(about, (), lambda: True)


def test_limits_stop_it_and_it_goes_on() -> None:
    about = _program(_TWO.format(value=155))
    search = BitsSearch(
        system_kernel(lower(about, LoweringOptions(), Property())), _violations(about)
    )
    assert search.advance(_limits(seconds=0.0)) == "time"
    assert search.advance(_limits(most=1)) == "memory"
    assert search.advance(_limits(pause=1)) == "paused"
    while not search.has_collapsed:
        assert search.advance() == "done"
    assert search.found is None


def test_programs_that_do_not_fit_are_refused() -> None:
    about = _program(
        "decl x;\nvoid f() { if (*) { f(); x := 1; } }\nvoid main() { f(); assert(x); }"
    )
    with pytest.raises(ValueError, match="deeper than 24 frames"):
        searched(about)


@pytest.mark.fuzz
def test_machine_arithmetic_agrees_with_engines_that_list_states() -> None:
    """Violations, and the contexts that they take; and every proof is accepted."""
    answers: Counter[str] = Counter()
    for seed in range(sized(3000)):
        rng = Random(seed)
        about = with_machine_arithmetic(rng, any_program(rng, SMALL))
        questions = assertions(about)
        if about.lock is not None or about.forks or not questions:
            continue
        options = Options(engine="explicit", limits=Limits(max_contexts=8, timeout=20))
        for question in questions:
            listed = verify(about, question, options)
            if listed.verdict not in ("safe", "unsafe"):
                continue
            bad = AsWritten(about).bad_of_these(question.bad)
            try:
                search = searched(about, bad)
            except ValueError:
                continue
            expected = listed.bound if listed.verdict == "unsafe" else None
            assert search.found == expected, (seed, question.text)
            answers[listed.verdict] += 1
            if search.found is None:
                certificate(search).check_program(about, bad, lambda: True)
    assert min(answers["safe"], answers["unsafe"]) > 0
