"""The delay engine: DrUBA's examples, the corners of round-robin, limits, and lost states."""

from __future__ import annotations

from contextlib import suppress
from itertools import permutations
from pathlib import Path
from typing import cast

import pytest

from support.interruptions import Interrupting
from support.oracles.delays import algorithm_1, everything, reachable
from support.oracles.systems import visible
from support.samples.delays import (
    EXAMPLE_8,
    EXAMPLE_12,
    EXAMPLE_12_AS_SYSTEM,
    LOST_STATE,
    PATH_THROUGH_TABLE_1,
    TABLE_1,
    cost_of_trace,
    details,
    explored,
    grow,
    public_lost_state,
    read,
)
from tepui.checker import Trace, check
from tepui.engines.delay import DelayEngine
from tepui.kernels.door import KernelLimits
from tepui.kernels.lowered_system import lower
from tepui.languages import loads
from tepui.model import (
    Block,
    Description,
    NamedPattern,
    NamedRule,
    Pattern,
    Property,
    Reach,
    StackSet,
    System,
    build,
)
from tepui.program.program import Program

MANY = 100
"""More rounds and delays than any system here needs."""

NO_LIMITS: KernelLimits = {"states": None, "bytes": None, "seconds": None, "pause": None}


@pytest.mark.parametrize("rounds", TABLE_1)
@pytest.mark.parametrize("delays", range(5))
def test_example_8_has_the_shared_states_of_table_1(rounds: int, delays: int) -> None:
    exploration = explored(read(EXAMPLE_8), "r" * rounds + "d" * delays)
    found = {shared for shared, _ in exploration.last.list_states()}
    assert found == set(map(int, TABLE_1[rounds][delays]))


def test_algorithm_1_takes_the_path_through_table_1() -> None:
    exploration = _at_plateau(read(EXAMPLE_8))
    assert _bounds(exploration) == [(0, 0), *PATH_THROUGH_TABLE_1]
    assert [seen.new_visible for seen in exploration.observations] == [1, 1, 0, 0, 1, 0, 0, 0]
    assert (exploration.rounds, exploration.delays) == (3, 4)
    assert exploration.has_collapsed


def test_images_are_computed_once_for_each_cost_that_no_other_undercuts() -> None:
    """On the path through Table 1: 0, 1 and 1 again in round 1, then the end of it, where 1 waits
    for T0; then 0 where it waits for T1, and at last 0 for T2 and 2 for every thread."""
    exploration = _at_plateau(read(EXAMPLE_8))
    images = [details(seen).images for seen in exploration.observations]
    assert images == [0, 3, 4, 5, 9, 9, 9, 9]
    assert (exploration.images, exploration.scheduled) == (9, 9)


@pytest.mark.parametrize("is_program", [True, False], ids=["program", "system"])
def test_example_12_is_not_monotone_in_the_number_of_threads(is_program: bool) -> None:
    example = _example_12_as_program if is_program else _example_12_as_system
    assert "1" not in _values_of_s(explored(example(1), "rr"))
    assert "1" in _values_of_s(explored(example(1), "rrr"))
    assert "1" not in _values_of_s(explored(example(2), "r" * 20))
    assert "1" not in _values_of_s(explored(example(2), "rrd"))
    assert "1" in _values_of_s(explored(example(2), "rrrd"))


def test_the_assertion_of_example_12_fails_after_one_delay_and_the_trace_shows_it() -> None:
    system = _example_12_as_system(2)
    bad = Property((Pattern(system.shared.index("s1t0"), (None, None)),))
    exploration = explored(system, "rrrrd")
    trace = _trace(exploration, bad)
    assert cost_of_trace(system, trace) == (3, 1)
    assert [step.thread for step in trace.steps] == [0, 0, 1, 0]


@pytest.mark.parametrize("text", [EXAMPLE_8, LOST_STATE])
def test_more_rounds_and_more_delays_never_lose_a_state(text: str) -> None:
    found = {
        (r, d): set(explored(read(text), "r" * r + "d" * d).last.list_states())
        for r in range(5)
        for d in range(4)
    }
    for r in range(4):
        for d in range(3):
            assert found[r, d] <= found[r + 1, d]
            assert found[r, d] <= found[r, d + 1]


def test_one_thread_has_no_use_for_delays() -> None:
    rules = [NamedRule("q", "a", "q", ("b", "a")), NamedRule("q", "b", "p", ())]
    system = build(Description("q", [Block("one", ("a",), rules)]))
    assert _texts(explored(system, "dd")) == {"q | a"}
    assert _texts(explored(system, "r")) == {"q | a", "q | b a"}
    assert _texts(explored(system, "rrdddd")) == {"q | a", "q | b a", "p | a"}
    exploration = _at_plateau(system)
    assert _bounds(exploration)[-1] == (3, 0)
    assert exploration.last.states == 3


def test_a_thread_with_nothing_enabled_has_its_turn_and_is_not_delayed() -> None:
    blocks = [
        Block("idle", ("a",), [NamedRule("p", "a", "r", ("a",))]),
        Block("busy", ("a",), [NamedRule("q", "a", "p", ("a",))]),
    ]
    system = build(Description("q", blocks))
    assert _texts(explored(system, "r")) == {"q | a, a", "p | a, a"}
    assert _texts(explored(system, "rr")) == {"q | a, a", "p | a, a", "r | a, a"}


def test_a_thread_that_is_enabled_and_not_delayed_must_move() -> None:
    blocks = [
        Block("eager", ("a",), [NamedRule("q", "a", "spoilt", ("a",))]),
        Block("late", ("a",), [NamedRule("q", "a", "p", ("a",))]),
    ]
    system = build(Description("q", blocks))
    assert _texts(explored(system, "rrrrr")) == {"q | a, a", "spoilt | a, a"}
    assert _texts(explored(system, "rd")) == {"q | a, a", "spoilt | a, a", "p | a, a"}


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_a_deadlock_is_a_plateau_at_once(threads: int) -> None:
    blocks = [Block("stuck", ("a",), [NamedRule("p", "a", "q", ("a",))], threads)]
    exploration = _at_plateau(build(Description("q", blocks)))
    assert _bounds(exploration)[-1] == (1, threads - 1)
    assert (exploration.last.states, exploration.last.visible) == (1, 1)
    assert exploration.has_collapsed


def test_without_rounds_delays_lead_nowhere_and_rounds_come_later() -> None:
    assert explored(read(LOST_STATE), "ddd").last.states == 1
    late = explored(read(LOST_STATE), "dddrr")
    assert set(late.last.list_states()) == reachable(late.system, 2, 3)


def test_rounds_and_delays_can_be_added_in_any_order() -> None:
    system = read(LOST_STATE)
    expected = reachable(system, 4, 3)
    scheduled = set()
    for order in sorted(set(permutations("rrrrddd"))):
        exploration = explored(system, "".join(order))
        assert set(exploration.last.list_states()) == expected, order
        scheduled.add(exploration.scheduled)
    assert len(scheduled) == 1


@pytest.mark.parametrize(
    "stop",
    [{"pause": 1}, {"states": 1}, {"bytes": 1}, {"seconds": 0.0}],
    ids=["pause", "states", "memory", "time"],
)
def test_what_a_limit_has_stopped_goes_on_to_the_same_result(stop: dict[str, float]) -> None:
    system = _wide()
    whole, stopped = DelayEngine(system), DelayEngine(system)
    stops = 0
    for bound in "rdrdrd":
        grow(whole, bound)
        before = len(stopped.observations)
        while len(stopped.observations) == before:
            if grow(stopped, bound, cast(KernelLimits, NO_LIMITS | stop)) != "done":
                stops += 1
                grow(stopped, bound, NO_LIMITS | {"pause": 1})
    assert stops > 20
    assert _result(stopped) == _result(whole)


def test_what_was_begun_is_ended_before_anything_else() -> None:
    exploration = explored(read(LOST_STATE), "r")
    assert exploration.add_round(NO_LIMITS | {"pause": 1}) == "paused"
    assert exploration.add_delay() == "done"
    assert _bounds(exploration) == [(0, 0), (1, 0), (2, 0)]
    assert set(exploration.last.list_states()) == reachable(exploration.system, 2, 0)


def test_an_interrupted_exploration_goes_on_to_the_same_result(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    system = _wide(threads=4)
    whole, stopped = explored(system, "rdrdrdr"), DelayEngine(system)
    kernel = Interrupting(stopped._kernel, seconds=0.002)
    monkeypatch.setattr(stopped, "_kernel", kernel)
    for bound in "rdrdrdr":
        count = len(stopped.observations)
        while len(stopped.observations) == count:
            with suppress(KeyboardInterrupt):
                grow(stopped, bound)
    assert kernel.interruptions
    assert _result(stopped) == _result(whole)


def test_algorithm_1_as_printed_loses_a_state_and_the_engine_does_not() -> None:
    """The state takes 3 rounds with 2 delays, so even R(5, 2) is not what it claims to be."""
    system = read(LOST_STATE)
    reached, bounds = algorithm_1(system, visible)
    assert bounds == (5, 2)
    lost = reachable(system, *bounds) - reached
    assert {system.state_text(*state) for state in lost} == {"q2 | a, b, a"}
    assert set(_at_plateau(system).last.list_states()) == everything(system)


def test_algorithm_1_as_printed_loses_the_public_lost_state(public_suite: Path) -> None:
    system = public_lost_state(public_suite)
    reached, bounds = algorithm_1(system, visible)
    lost = everything(system) - reached
    assert bounds == (7, 5)
    assert {system.state_text(*state) for state in lost} == {"q1 | l1, l0, l2"}
    assert set(_at_plateau(system).last.list_states()) == everything(system)


@pytest.mark.parametrize(("bounds", "cost"), [("rrrdd", (3, 2)), ("rrrrrrd", (6, 1))])
def test_a_trace_has_the_fewest_delays_in_the_rounds_it_was_found_in(
    bounds: str, cost: tuple[int, int]
) -> None:
    system = read(LOST_STATE)
    tops = [system.template_of(i).symbols.index(name) for i, name in enumerate("aba")]
    bad = Property((Pattern(system.shared.index("q2"), tuple(tops)),))
    trace = _trace(explored(system, bounds), bad)
    assert cost_of_trace(system, trace) == cost
    assert system.state_text(trace.steps[-1].shared, trace.steps[-1].stacks) == "q2 | a, b, a"


def test_the_initial_state_may_be_bad() -> None:
    system = read(EXAMPLE_8)
    trace = _trace(DelayEngine(system), Property((Pattern(0, (None, None, None)),)))
    assert trace.steps == ()


def test_equal_threads_are_told_apart_by_the_scheduler_but_not_by_a_property() -> None:
    """The second of two equal threads cannot be the only one to move without a delay, but the
    property speaks of either; the run that is shown violates it as it is written."""
    rules = [NamedRule("q", "a", "p", ("b",))]
    blocks = [Block("equal", ("a",), rules, count=2)]
    patterns = [NamedPattern("p", ("a", "b"))]
    system = build(Description("q", blocks, patterns))
    trace = _trace(explored(system, "rd"), system.property)
    assert [step.thread for step in trace.steps] == [1]


def test_whole_stacks_can_be_asked_for() -> None:
    rules = [NamedRule("q", "a", "q", ("a", "b")), NamedRule("q", "a", "p", ())]
    system = build(Description("q", [Block("P", ("a",), rules), Block("Q", ("a",), rules)]))
    b = system.templates[0].symbols.index("b")
    two_b = StackSet((False, False, True), (((b, 1),), ((b, 2),), ()))
    bad = Property(reaches=(Reach(None, (None, two_b)),))
    exploration = DelayEngine(system)
    while (violation := exploration.first_new_bad(bad)) is None:
        exploration.advance()
        assert exploration.last.k < MANY
    trace = violation.trace(bad)
    check(system, bad, trace)
    assert trace.steps[-1].stacks[1] == (b, b)


def test_two_symbols_of_each_stack_show_more_than_the_tops() -> None:
    rules = [
        NamedRule("q", "a", "q", ("a", "b")),
        NamedRule("q", "a", "q", ("a", "c")),
        NamedRule("q", "b", "q", ()),
    ]
    system = build(Description("q", [Block("P", ("a",), rules)]))
    for tops, expected in ((1, [1, 1, 1]), (2, [1, 3, 3]), (3, [1, 3, 7])):
        exploration = explored(system, "rr", tops)
        assert [details(seen).top_words for seen in exploration.observations] == expected
        assert [seen.visible for seen in exploration.observations] == [1, 1, 1]


def test_a_collapsed_exploration_is_evidence_that_the_checker_accepts() -> None:
    system = read(LOST_STATE)
    exploration = DelayEngine(system)
    while not exploration.has_collapsed:
        assert exploration.advance() == "done"
        assert exploration.last.k < MANY
    certificate = exploration.certificate()
    assert certificate.size == exploration.certificate_size()[0] == 10
    check(system, Property(), certificate)


def _at_plateau(system: System) -> DelayEngine:
    exploration = DelayEngine(system)
    while not exploration.at_plateau:
        assert exploration.advance() == "done"
        assert exploration.last.k < MANY
    return exploration


def _bounds(exploration: DelayEngine) -> list[tuple[int, int]]:
    return [(details(seen).rounds, details(seen).delays) for seen in exploration.observations]


def _texts(exploration: DelayEngine) -> set[str]:
    return {exploration.system.state_text(*state) for state in exploration.last.list_states()}


def _result(exploration: DelayEngine) -> object:
    counts = [(seen.states, seen.visible, seen.new_visible) for seen in exploration.observations]
    listed = exploration.last.list_states(), exploration.last.list_visible()
    return counts, _bounds(exploration), listed, exploration.images, exploration.scheduled


def _trace(exploration: DelayEngine, bad: Property) -> Trace:
    """A run into a bad state that was found, as the checker accepts it."""
    violation = exploration.first_new_bad(bad)
    assert violation is not None
    trace = violation.trace(bad)
    check(exploration.system, bad, trace)
    return trace


def _example_12_as_program(threads: int) -> System:
    model = loads(EXAMPLE_12.replace("THREADS", str(threads)), "bp").model
    assert isinstance(model, Program)
    return lower(model)


def _example_12_as_system(threads: int) -> System:
    return read(EXAMPLE_12_AS_SYSTEM.replace("THREADS", str(threads)))


def _values_of_s(exploration: DelayEngine) -> set[str]:
    """The values of s in names like `s=1 t=0` and `s1t0`."""
    names = {exploration.system.shared[shared] for shared, _ in exploration.last.list_states()}
    return {name.replace("=", "")[1] for name in names}


def _wide(threads: int = 3) -> System:
    """Threads that climb one to five places at each turn: many states after the same slots."""
    rules = [
        NamedRule("q", str(place), "q", (str(place + more),))
        for place in range(20)
        for more in range(1, 6)
    ]
    return build(Description("q", [Block("wide", ("0",), rules, count=threads)]))
