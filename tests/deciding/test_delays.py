"""Counting delays gives the same verdicts as counting contexts, with evidence."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

import tepui
from support.generators.programs import random_program
from support.generators.systems import Sizes, random_system
from support.oracles import systems as oracle
from support.oracles.delays import fewest_delays, reachable
from support.oracles.systems import State, visible
from support.places import EXAMPLES
from support.samples.reach import random_reach
from tepui import Limits, Options
from tepui.checker import Schedule, Trace, check
from tepui.deciding import explore, verify
from tepui.errors import EvidenceError, UsageError
from tepui.languages import loads
from tepui.model import Property, System
from tepui.program.questions import deadlock, own_questions
from tepui.z import parse_strength

BY_DELAYS: tuple[str, ...] = ("delay", "abstract")


def engines_for(options: Options) -> tuple[str, ...]:
    """The abstract engine needs a strength of Z to cut to."""
    return BY_DELAYS if options.strengths else ("delay",)


Z_STRENGTHS = ("auto", "off", "cut", "matched", "matched:2")
SHORT = Limits(timeout=1)

RELAY = """
initial q0
thread A {
    stack a
    q0 | a -> q1 | a
}
thread B {
    stack b
    q1 | b -> q2 | b
}
thread C {
    stack c
    q2 | c -> q3 | c
    q1 | c -> q1 | c
}
bad q3 | *, *, *
"""

LAST_FIRST = """
initial q0
thread A {
    stack a
    q0 | a -> q1 | a
}
thread B {
    stack b
    q0 | b -> q2 | b
}
thread C {
    stack c
    q0 | c -> q3 | c
}
bad q3 | *, *, *
"""

CALLS = """
initial q
thread A {
    stack a
    q | a -> q | f b
    q | f -> q | f f
    q | f -> q | -
    q | b -> r | b
}
thread B {
    stack c
    r | c -> q | c
}
bad r | f, *
"""


def system_of(text: str) -> System:
    system = loads(text, "cpds").model
    assert isinstance(system, System)
    return system


@pytest.mark.fuzz
def test_counting_delays_gives_the_same_verdicts(fuzz_systems: int) -> None:
    """Every answer is checked; what takes too long here is passed over."""
    verdicts: list[str] = []
    for seed in range(fuzz_systems // 10):
        rng = Random(90_000_000 + seed)
        system = random_system(rng, Sizes(contexts=5, depth=6, threads=4))
        options = Options(strengths=parse_strength(rng.choice(Z_STRENGTHS)), limits=SHORT)
        expected = verify(system, options=options)
        for engine in engines_for(options):
            tops = rng.choice((1, 1, 2))
            result = verify(system, options=replace(options, engine=engine, tops=tops))
            assert result.checked is (result.verdict in ("safe", "unsafe")), (seed, engine)
            if "unknown" not in (result.verdict, expected.verdict):
                assert result.verdict == expected.verdict, (seed, engine)
            if result.trace is not None:
                schedule = Schedule(result.bound_rounds or 0, result.bound or 0)
                assert result.trace.schedule == schedule, (seed, engine)
            verdicts.append(result.verdict)
    assert {"safe", "unsafe"} <= set(verdicts)


@pytest.mark.fuzz
def test_counting_delays_gives_the_same_verdicts_about_whole_stacks(fuzz_systems: int) -> None:
    verdicts = set()
    for seed in range(fuzz_systems // 10):
        rng = Random(94_000_000 + seed)
        system = random_system(rng, Sizes(contexts=5, depth=6, threads=3))
        asked = Property(reaches=(random_reach(rng, system),))
        options = Options(strengths=parse_strength(rng.choice(Z_STRENGTHS)), limits=SHORT)
        expected = verify(system, asked, options)
        for engine in engines_for(options):
            result = verify(system, asked, replace(options, engine=engine))
            assert result.checked is (result.verdict in ("safe", "unsafe")), (seed, engine)
            if "unknown" not in (result.verdict, expected.verdict):
                assert result.verdict == expected.verdict, (seed, engine)
            verdicts.add(result.verdict)
    assert {"safe", "unsafe"} <= verdicts


def test_abstract_interpretation_does_not_take_tops_for_whole_stacks() -> None:
    system = tepui.load(EXAMPLES / "figure4.cpds")
    assert isinstance(system, System)
    asked = tepui.reach(system, "q3 | *, 4 6 6 6 6+")
    result = verify(system, asked, Options(engine="abstract"))
    assert (result.verdict, result.checked) == ("unsafe", True)


@pytest.mark.fuzz
def test_counting_delays_reaches_the_same_visible_states(fuzz_systems: int) -> None:
    collapsed = 0
    for seed in range(fuzz_systems // 10):
        rng = Random(91_000_000 + seed)
        system = random_system(rng, Sizes(contexts=5, depth=6, threads=3))
        options = Options(strengths=parse_strength(rng.choice(Z_STRENGTHS)), limits=SHORT)
        expected = explore(system, options)
        for engine in engines_for(options):
            result = explore(system, replace(options, engine=engine))
            if (result.verdict, expected.verdict) == ("collapsed", "collapsed"):
                assert result.visible_states == expected.visible_states, (seed, engine)
                collapsed += 1
    assert collapsed > 0


@pytest.mark.fuzz
def test_counting_delays_decides_programs_like_counting_contexts(fuzz_systems: int) -> None:
    for seed in range(fuzz_systems // 50):
        program = random_program(Random(92_000_000 + seed))
        options = Options(limits=SHORT)
        asked = [*own_questions(program), deadlock()]
        expected = verify(program, asked, options)
        for engine in engines_for(options):
            result = verify(program, asked, replace(options, engine=engine))
            assert result.checked is (result.verdict in ("safe", "unsafe")), (seed, engine)
            if "unknown" not in (result.verdict, expected.verdict):
                assert result.verdict == expected.verdict, (seed, engine)


@pytest.mark.fuzz
def test_a_bounded_run_finds_what_definition_1_reaches(fuzz_systems: int) -> None:
    verdicts = set()
    for seed in range(fuzz_systems // 5):
        rng = Random(93_000_000 + seed)
        system = random_system(rng)
        rounds, delays = rng.randint(0, 4), rng.randint(0, 3)
        options = Options(engine="delay", rounds=rounds, delays=delays)
        result = verify(system, options=options)

        def is_bad(state: State, system: System = system) -> bool:
            return oracle.is_bad(system, system.property, visible(state))

        reached = any(map(is_bad, reachable(system, rounds, delays)))
        assert result.verdict == ("unsafe" if reached else "bounded"), seed
        verdicts.add(result.verdict)
        if reached:
            assert result.bound_rounds is not None
            assert result.bound == fewest_delays(system, result.bound_rounds, is_bad), seed
            assert result.checked, seed
        else:
            assert (result.bound, result.bound_rounds) == (delays, rounds)
    assert verdicts == {"unsafe", "bounded"}


def test_a_trace_has_the_fewest_delays() -> None:
    result = verify(system_of(LAST_FIRST), options=Options(engine="delay", strengths=()))
    assert (result.verdict, result.bound, result.bound_rounds) == ("unsafe", 2, 1)
    assert result.resource == "delays"
    assert verify(system_of(RELAY), options=Options(engine="delay")).bound == 0


def test_a_thread_without_a_step_is_passed_over_for_free() -> None:
    system = system_of(LAST_FIRST.replace("q0 | a", "q1 | a").replace("q0 | b", "q1 | b"))
    result = verify(system, options=Options(engine="delay", strengths=()))
    assert (result.verdict, result.bound, result.bound_rounds) == ("unsafe", 0, 1)


def test_abstract_interpretation_needs_no_plateau() -> None:
    system = system_of(CALLS)
    closed = explore(system, Options(engine="abstract"))
    waited = explore(system, Options(engine="delay"))
    assert str(closed.proof) == "T(R(r, d)) is closed under all actions"
    assert closed.visible_states == waited.visible_states
    last, growth = closed.rounds[-1].delays, closed.rounds[-2].delays
    assert last is not None
    assert growth is not None
    assert last.top_words > growth.top_words  # It ends with something new: not at a plateau.


def test_abstract_interpretation_proves_with_a_certificate_of_what_was_reached() -> None:
    system = system_of(CALLS.replace("bad r | f, *", "bad r | -, *"))
    result = verify(system, options=Options(engine="abstract"))
    assert (result.verdict, result.checked) == ("safe", True)
    assert str(result.proof) == "T(R(r, d)) is closed under all actions"


def test_a_plateau_that_is_not_final_is_not_taken_for_one() -> None:
    """A stack rises, and nothing new is to be seen: without Z, that proves nothing."""
    system = system_of(
        """
        initial q
        thread A {
            stack a
            q | a -> q | b a
            q | b -> q | b b
            q | b -> p | b
            p | b -> p | -
        }
        thread B {
            stack c
            p | c -> p | c
        }
        bad p | -, *
        """
    )
    result = verify(system, options=Options(engine="delay", strengths=(), limits=SHORT))
    assert result.verdict == "unknown"


def test_more_symbols_than_the_top_are_looked_at_if_asked() -> None:
    system = system_of(CALLS)
    for engine in BY_DELAYS:
        result = explore(system, Options(engine=engine, tops=2))
        assert result.verdict == "collapsed"
        last = result.rounds[-1].delays
        assert last is not None
        # q|a; q|fb, q|ff, q|b, r|b, each with c.
        assert (result.visible_states, last.top_words) == (4, 5)


def test_engines_that_count_delays_take_no_bound_on_contexts() -> None:
    for engine in BY_DELAYS:
        with pytest.raises(UsageError, match="rounds and delays"):
            Options(engine=engine, contexts=3)
        with pytest.raises(UsageError, match="rounds and delays"):
            Options(engine=engine, limits=Limits(max_contexts=3))
    for changed in ({"rounds": 3}, {"delays": 3}, {"tops": 2}):
        with pytest.raises(UsageError, match="delay and abstract"):
            Options(engine="explicit", **changed)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="negative"):
        Options(engine="delay", delays=-1)
    with pytest.raises(UsageError, match="at least 1"):
        Options(jobs=0)


@pytest.mark.parametrize(
    "wrong",
    [
        {"jobs": "2"},
        {"jobs": None},
        {"tops": "2"},
        {"tops": 2**70},
        {"rounds": 1.5},
        {"delays": True},
        {"slots": "2"},
        {"limits": None},
        {"strengths": "matched"},
    ],
)
def test_options_of_the_wrong_type_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(UsageError, match=r"Options takes|at most"):
        Options(engine="delay", **wrong)  # type: ignore[arg-type]


def test_limits_of_the_wrong_type_are_refused() -> None:
    for wrong in ({"timeout": "1"}, {"memory": 1.5}, {"max_contexts": -3}):
        with pytest.raises(UsageError, match=r"expected|negative"):
            Limits(**wrong)


def test_exploration_stops_at_a_bound_of_rounds_or_delays() -> None:
    system = system_of(LAST_FIRST)
    result = explore(system, Options(engine="delay", delays=1, strengths=()))
    assert (result.verdict, result.reason) == ("stopped", "the limit of 1 delay was reached")
    result = explore(system, Options(engine="delay", delays=0, rounds=2, strengths=()))
    assert result.reason == "the limit of 0 delays and 2 rounds was reached"
    assert explore(system, Options(engine="delay", delays=9, strengths=())).verdict == "collapsed"


class TestSchedule:
    """The checker counts rounds and delays itself."""

    def trace(self) -> tuple[System, Trace]:
        system = system_of(LAST_FIRST)
        trace = verify(system, options=Options(engine="delay", strengths=())).trace
        assert trace is not None
        return system, trace

    def test_the_right_schedule_is_accepted(self) -> None:
        system, trace = self.trace()
        assert trace.schedule == Schedule(1, 2)
        check(system, system.property, trace)

    @pytest.mark.parametrize("claim", [Schedule(1, 1), Schedule(1, 3), Schedule(2, 2)])
    def test_a_wrong_schedule_is_rejected(self, claim: Schedule) -> None:
        system, trace = self.trace()
        with pytest.raises(EvidenceError, match="but takes 1 round and 2 delays"):
            check(system, system.property, replace(trace, schedule=claim))

    def test_a_thread_that_can_do_nothing_is_not_delayed(self) -> None:
        system = system_of(LAST_FIRST.replace("q0 | b", "q1 | b"))
        result = verify(system, options=Options(engine="delay", strengths=()))
        assert result.trace is not None
        assert result.trace.schedule == Schedule(1, 1)
        assert result.checked
