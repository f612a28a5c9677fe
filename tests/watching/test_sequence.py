"""Observations of one's own: plateaus, respect, violations, limits, and what is printed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from support.places import EXAMPLES
from support.samples.delays import EXAMPLE_8, PATH_THROUGH_TABLE_1, read
from support.samples.program_texts import RACE, RECURSION, program_of
from tepui.api import load
from tepui.checker import Trace
from tepui.engines.engine import Violation
from tepui.engines.explicit import ExplicitEngine
from tepui.engines.observe import observe
from tepui.errors import EvidenceRejected, UsageError
from tepui.kernels.door import KernelLimits
from tepui.limits import Limits, Meter
from tepui.model import Property, System
from tepui.program.program import Program
from tepui.result import Stop
from tepui.watching import watch
from tepui.watching.abstraction import State, Watched
from tepui.watching.respect import Respect
from tepui.watching.violation import violation_by

COUNTDOWN = """
initial quiet

thread counts {
    stack 3
    quiet | 3 -> quiet | 2
    quiet | 2 -> quiet | 1
    quiet | 1 -> loud | 1
}

thread idles {
    stack here
    quiet | here -> quiet | here
}
"""
"""Seen as shared states only, nothing happens for two steps."""

PROGRAM_P = """\
decl m: int 0..9 := 0;
decl s: int 0..99 := 0;

void p() {
    decl l: int 0..99 := 0;
0:  m := m + 1;
1:  if (m = 1) {
2:      s, l := s + 1, l + 1;
3:      skip;
        goto 2;
    }
4:  wait(0);
}

void main() {
    thread_create(p, THREADS);
}
"""
"""After DrUBA, section 5.1, from what the text says about its Figure 1."""


def program_p(threads: int) -> Program:
    return program_of(PROGRAM_P.replace("THREADS", str(threads)), "p.bp")


def alpha_1(state: Any) -> tuple[Any, ...]:
    thread = state.threads[0]
    return thread.label, state["s"] == thread["l"]


def alpha_2(state: Any) -> tuple[Any, ...]:
    return *alpha_1(state), state["m"] == 1


def alpha_3(state: Any) -> tuple[Any, ...]:
    return *alpha_2(state), state["m"] == 0


def all_threads(state: Any) -> tuple[Any, ...]:
    return (
        *((thread.label, state["s"] == thread["l"]) for thread in state.threads),
        min(state["m"], 2),
    )


def shared(state: Any) -> str:
    name: str = state.shared
    return name


def visible(state: Any) -> tuple[Any, ...]:
    return state.shared, state.tops


def example(name: str) -> System:
    system = load(EXAMPLES / f"{name}.cpds")
    assert isinstance(system, System)
    return system


# Plateaus.


def test_the_path_through_table_1_is_that_of_algorithm_1() -> None:
    seen = watch(read(EXAMPLE_8), shared)
    assert [row.bound for row in seen.observations] == [(0, 0), *PATH_THROUGH_TABLE_1]
    assert [row.abstract_states for row in seen.observations] == [1, 2, 2, 2, 3, 3, 3, 3]
    assert (seen.verdict, seen.plateau, seen.bound) == ("plateau", (2, 2), (3, 4))
    assert seen.abstract_states == {"0", "1", "2"}
    assert (seen.respect, seen.collapsed) == ("observed", True)


def test_contexts_wait_for_one_round_without_new_abstract_states() -> None:
    seen = watch(read(EXAMPLE_8), shared, engine="explicit")
    assert [(row.bound, row.abstract_states, row.new) for row in seen.observations] == [
        (0, 1, 1),
        (1, 3, 2),
        (2, 3, 0),
    ]
    assert (seen.verdict, seen.plateau, seen.bound) == ("plateau", 1, 2)


def test_a_plateau_with_respect_observed_can_be_false() -> None:
    first = watch(read(COUNTDOWN), shared)
    assert (first.verdict, first.respect) == ("plateau", "observed")
    assert first.abstract_states == {"quiet"}
    assert (first.plateau, first.collapsed) == ((0, 0), False)
    all_of_it = watch(read(COUNTDOWN), shared, until="collapse")
    assert (all_of_it.verdict, all_of_it.respect) == ("plateau", "disrespected")
    assert all_of_it.abstract_states == {"quiet", "loud"}
    assert (all_of_it.plateaus, all_of_it.collapsed) == ([(0, 0), (3, 2)], True)


def test_a_plateau_that_a_step_is_known_to_leave_is_passed_over() -> None:
    """Figure 4 stutters at 2 contexts, and a pop that is possible then shows something new."""
    engines: tuple[str, ...] = "diagram", "symbolic"
    for engine in engines:
        seen = watch(example("figure4"), visible, of="visible", engine=engine)
        assert (seen.verdict, seen.plateau, len(seen.abstract_states)) == ("plateau", 2, 6)
        assert seen.respect == "unchecked"
    stepwise = watch(example("figure4"), visible, of="visible", engine="explicit")
    assert stepwise.plateaus[0] == 2
    assert (stepwise.plateau, len(stepwise.abstract_states)) == (5, 8)


def test_visible_states_seen_as_they_are_are_those_of_every_engine() -> None:
    engines: tuple[str, ...] = "explicit", "diagram", "symbolic"
    for name in ("figure4", "peterson", "deadlock", "readers-writers"):
        counts = []
        for observation in observe(example(name), symmetry=False):
            counts.append(observation.visible)
            if observation.k == 4:
                break
        for engine in engines:
            seen = watch(
                example(name),
                visible,
                of="visible",
                engine=engine,
                until="collapse",
                limits=Limits(max_contexts=4),
            )
            found = [row.abstract_states for row in seen.observations]
            assert found == counts[: len(found)], (name, engine)
            assert len(found) == 5 or seen.collapsed


def test_infinitely_many_states_have_finitely_many_visible_ones() -> None:
    seen = watch(example("figure2"), visible, of="visible", engine="diagram", until="collapse")
    assert (seen.verdict, seen.collapsed, len(seen.abstract_states)) == ("plateau", True, 26)
    assert seen.observations[-1].states == 26


def test_every_state_is_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[State] = []
    look = Respect.look

    def counted(self: Respect, state: State) -> None:
        looks.append(state)
        look(self, state)

    monkeypatch.setattr(Respect, "look", counted)
    seen = watch(example("peterson"), visible, until="collapse")
    assert len(looks) == len({*looks}) == seen.observations[-1].states


# Respect.


def test_every_action_respects_what_hides_nothing() -> None:
    for model in (example("bluetooth-buggy"), program_of(RACE)):
        seen = watch(model, lambda state: state, rounds=6)
        assert (seen.respect, seen.disrespectful) == ("observed", ())


def test_pops_are_what_disrespects_the_tops_of_stacks() -> None:
    """DrUBA, Example 5."""
    (pop,) = watch(example("figure4"), visible).disrespectful
    assert (pop.kind, pop.thread, pop.action) == ("successors", "P2", "⟨q0|4⟩ → ⟨q0|-⟩")
    assert pop.abstract_state == ("q0", ("1", "4"))
    assert {*pop.after} == {frozenset([("q0", ("1", top))]) for top in "-6"}
    assert {*map(str, pop.states)} == {"q0 | 1, 4", "q0 | 1, 4 6"}


def test_an_action_that_only_one_of_two_equal_states_allows_disrespects_the_abstraction() -> None:
    (rule,) = watch(read(COUNTDOWN), shared, engine="explicit").disrespectful
    assert (rule.kind, rule.thread, rule.action) == ("enabled", "counts", "⟨quiet|1⟩ → ⟨loud|1⟩")
    assert rule.abstract_state == "quiet"
    assert rule.after == (frozenset(["loud"]), frozenset(["quiet"]))
    assert [str(state) for state in rule.states] == ["quiet | 1, here", "quiet | 3, here"]


@pytest.mark.parametrize(
    ("threads", "alpha", "count", "disrespectful"),
    [
        (2, alpha_1, 8, {("p.1", "p.bp:7  if (m = 1)")}),
        (2, alpha_2, 12, set()),
        (3, alpha_2, 13, {("p.1", "p.bp:6  m := m + 1")}),
        (3, alpha_3, 14, set()),
        (4, alpha_3, 14, set()),
    ],
)
def test_program_p_has_the_abstract_states_of_druba_and_its_disrespectful_statements(
    threads: int, alpha: Callable[[Any], Any], count: int, disrespectful: set[tuple[str, str]]
) -> None:
    """Section 5: 12, 14 and 14 abstract states, and one more for three threads with the second
    abstraction.

    Of the first, the paper says 7. What it calls disrespectful are the statements that lead to
    different abstract states; that thread 0 alone is looked at makes others show that are not
    always possible."""
    seen = watch(program_p(threads), alpha, lambda state: alpha_1(state) == ("3", False))
    assert (seen.verdict, len(seen.abstract_states)) == ("plateau", count)
    by_kind: dict[str, set[tuple[str, str]]] = {"successors": set(), "enabled": set()}
    for each in seen.disrespectful:
        by_kind[each.kind].add((each.thread, each.action))
    assert by_kind["successors"] == disrespectful
    assert ("p.2", "p.bp:8  s, l := s + 1, l + 1") in by_kind["enabled"]


def test_program_p_seen_with_the_places_of_all_threads_shows_respect() -> None:
    for threads, count in ((2, 25), (3, 105)):
        seen = watch(program_p(threads), all_threads)
        assert (seen.verdict, seen.respect) == ("plateau", "observed")
        assert (len(seen.abstract_states), seen.collapsed) == (count, False)


def test_steps_that_give_a_variable_a_value_are_not_those_of_the_statement_that_follows() -> None:
    program = program_of("decl x; void main() { here: skip; there: skip; }")
    place: Callable[[Any], Any] = lambda state: state.threads[0].label  # noqa: E731
    assert watch(program, place).respect == "observed"
    (skip,) = watch(program, place, decide_first=True, until="collapse").disrespectful
    assert (skip.kind, skip.action) == ("enabled", "test.bp:1  skip")
    assert [str(state) for state in skip.states] == ["x=0 | main:1", "x=- | main:1"]
    (last,) = watch(program, lambda state: place(state) is None, until="collapse").disrespectful
    assert (last.kind, last.action) == ("enabled", "test.bp:1  skip")


# Violations.


def failed(state: Any) -> bool:
    return any(thread.has_failed for thread in state.threads)


@pytest.mark.parametrize("engine", ["delay", "explicit"])
def test_a_violation_of_a_system_comes_with_a_run_that_the_checker_accepts(
    engine: str,
) -> None:
    seen = watch(example("deadlock"), visible, stuck, engine=engine)
    assert (seen.verdict, seen.checked) == ("violation", True)
    assert str(seen.bad_state) in str(seen)
    assert seen.trace is not None
    last = seen.trace.steps[-1]
    assert seen.system.state_text(last.shared, last.stacks) == str(seen.bad_state)


def stuck(state: Any) -> bool:
    return bool(state.tops.count("one") == 2)


def test_a_violation_of_a_program_is_told_in_terms_of_its_source() -> None:
    seen = watch(program_of(RACE), visible_place, failed)
    assert (seen.verdict, seen.checked) == ("violation", True)
    text = str(seen)
    assert text.startswith("VIOLATION  ")
    assert "evidence  trace, accepted by the checker" in text
    assert "test.bp:19  work   assert(x)" in text


def visible_place(state: Any) -> tuple[Any, ...]:
    return state["x"], *(thread.place for thread in state.threads)


@pytest.mark.parametrize("engine", ["delay", "explicit", "diagram", "symbolic"])
@pytest.mark.parametrize(
    ("model", "bad"), [(example("deadlock"), stuck), (program_of(RACE), failed)]
)
def test_a_bad_visible_state_has_a_trace_with_every_engine(
    model: System | Program, bad: Callable[[Any], bool], engine: str
) -> None:
    seen = watch(model, str, bad, of="visible", engine=engine, until="collapse")
    assert (seen.verdict, seen.checked) == ("violation", True)
    assert bad(seen.bad_state)
    assert seen.trace is not None
    if engine != "delay":
        assert seen.trace.contexts == seen.bound


def test_an_abstraction_is_not_asked_about_bad_states() -> None:
    """A thread that has violated an assertion has no local variables any more."""

    def locals_of(state: Any) -> Any:
        working = (thread for thread in state.threads if not thread.is_over)
        return visible_place(state), tuple(
            thread["mine"] for thread in working if thread.has_failed or thread.procedure == "work"
        )

    assert watch(program_of(RACE), locals_of, failed).verdict == "violation"
    with pytest.raises(UsageError, match=r"no local variable 'mine' at work:19!"):
        watch(program_of(RACE), locals_of)


def test_the_initial_state_may_be_bad() -> None:
    seen = watch(read(COUNTDOWN), shared, lambda state: True)
    assert (seen.verdict, seen.bound, seen.abstract_states) == ("violation", (0, 0), frozenset())
    assert seen.trace is not None
    assert (seen.trace.steps, seen.checked, seen.collapsed) == ((), True, False)


def test_a_run_that_ends_elsewhere_is_no_evidence() -> None:
    """What is visible at its end is the same, and the checker is asked about no more."""

    class Wrong(ExplicitEngine):
        def trace(
            self, violation: Violation, bad: Property, limits: KernelLimits | None = None
        ) -> Trace:
            return Trace(self.system.initial, self.system.initial_stacks(), (), 0)

    engine = Wrong(example("figure4"), symmetry=False)
    initial = engine.list_states(0)[0]
    assert violation_by("explicit", engine, initial, "states", Meter(Limits())).checked
    while len(engine.observations) < 5:
        engine.advance()
    (higher,) = [
        state
        for state in engine.list_states(4)
        if state != initial and engine.system.state_text(*state) == "q0 | 1, 4 6"
    ]
    with pytest.raises(EvidenceRejected, match="the trace ends in another state"):
        violation_by("explicit", engine, higher, "states", Meter(Limits()))


# Limits.


def test_a_number_of_rounds_ends_a_run_with_the_delay_engine() -> None:
    seen = watch(example("figure4"), lambda state: state, rounds=3)
    assert seen.verdict == "stopped"
    assert isinstance(seen.bound, tuple)
    assert seen.bound[0] == 3
    assert seen.stop == Stop("rounds", "the limit of 3 rounds was reached", 3)


def test_a_run_ends_where_algorithm_1_would_go_on_to_a_round_too_many() -> None:
    """The second round shows nothing new, its second delay does: a third round is due."""
    seen = watch(read(EXAMPLE_8), shared, rounds=2)
    bounds = [(0, 0), *PATH_THROUGH_TABLE_1]
    end = next(number for number, (rounds, _) in enumerate(bounds) if rounds == 3)
    assert [row.bound for row in seen.observations] == bounds[:end]
    assert (seen.bound, seen.reason) == ((2, 2), "the limit of 2 rounds was reached")


def test_a_number_of_contexts_ends_a_run_with_other_engines() -> None:
    limits = Limits(max_contexts=1)
    engines: tuple[str, ...] = "explicit", "diagram", "symbolic"
    for engine in engines:
        seen = watch(example("figure4"), visible, of="visible", engine=engine, limits=limits)
        stop = Stop("contexts", "the limit of 1 context was reached", 1)
        assert (seen.bound, seen.stop) == (1, stop)


def test_a_run_without_time_has_seen_the_initial_state() -> None:
    seen = watch(example("bluetooth"), shared, limits=Limits(timeout=0.0))
    assert (seen.verdict, seen.bound, len(seen.abstract_states)) == ("stopped", (0, 0), 1)
    assert seen.reason == "the time limit of 0 s was reached"


def test_a_slow_abstraction_meets_the_time_limit_and_what_it_has_seen_is_kept() -> None:
    import time

    def slow(state: Any) -> Any:
        time.sleep(0.0005)
        return state

    seen = watch(example("bluetooth"), slow, engine="explicit", limits=Limits(timeout=0.4))
    assert seen.verdict == "stopped"
    assert len(seen.abstract_states) > seen.observations[-1].abstract_states
    assert seen.seconds < 5


def test_no_memory_ends_a_run() -> None:
    seen = watch(example("bluetooth"), shared, limits=Limits(memory=1))
    assert (seen.verdict, seen.bound) == ("stopped", (0, 0))
    assert "memory limit" in str(seen)


def test_an_interruption_keeps_what_was_seen() -> None:
    calls = 0

    def interrupted(state: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == 30:
            raise KeyboardInterrupt
        return state

    seen = watch(example("bluetooth"), interrupted)
    assert (seen.verdict, seen.reason) == ("stopped", "the run was interrupted")
    assert 0 < len(seen.abstract_states) < 30


@pytest.mark.parametrize("of", ["states", "visible"])
@pytest.mark.parametrize("engine", ["delay", "explicit", "diagram"])
def test_an_interruption_at_any_moment_makes_nothing_up(of: Watched, engine: str) -> None:
    if (of, engine) == ("states", "diagram"):
        return
    whole = watch(example("deadlock"), visible, of=of, engine=engine, until="collapse")
    assert (len(whole.abstract_states), whole.collapsed) == (10, True)
    for last in range(1, 11):
        calls = 0

        def interrupted(state: Any) -> Any:
            nonlocal calls
            calls += 1
            if calls == last:  # noqa: B023
                raise KeyboardInterrupt
            return visible(state)

        seen = watch(example("deadlock"), interrupted, of=of, engine=engine, until="collapse")
        assert (seen.verdict, seen.collapsed) == ("stopped", False), last
        assert seen.abstract_states < whole.abstract_states
        assert seen.disrespectful == ()
        assert str(seen).startswith("STOPPED  deadlock: ")


# What a user may do wrong.


@pytest.mark.parametrize(
    ("abstraction", "message"),
    [
        (lambda state: [state.shared], "returned a list, which cannot be put into a set"),
        (lambda state: ({},), "returned a tuple, which cannot be put into a set"),
        (lambda state: (top for top in state.tops), "returned a generator, and no two of them are"),
        (lambda state: 1 // 0, "failed in the state quiet | 3, here: ZeroDivisionError: integer"),
        (lambda state: state.top, "AttributeError: 'SystemState' object has no attribute 'top'"),
    ],
)
def test_what_an_abstraction_must_not_do_is_told(
    abstraction: Callable[[Any], Any], message: str
) -> None:
    with pytest.raises(UsageError) as raised:
        watch(read(COUNTDOWN), abstraction)
    assert message in str(raised.value)


def test_an_error_in_what_says_what_is_bad_is_told_with_the_state() -> None:
    with pytest.raises(UsageError, match="what is bad failed in the state quiet") as raised:
        watch(read(COUNTDOWN), shared, lambda state: state.nothing)
    assert isinstance(raised.value.__cause__, AttributeError)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"engine": "bdd"},
            "engine is 'bdd'; expected one of explicit, plain, diagram, symbolic, delay",
        ),
        ({"of": "tops"}, "of is 'tops'; expected one of states, visible"),
        ({"until": "safe"}, "until is 'safe'; expected one of plateau, collapse"),
        ({"engine": "diagram"}, "the diagram engine does not list states"),
        ({"rounds": -1}, "rounds is -1; it must not be negative"),
        ({"engine": "explicit", "rounds": 2}, "limit it with limits=tepui.Limits(max_contexts=…)"),
        ({"limits": Limits(max_contexts=2)}, "max_contexts is not for the delay engine"),
        ({"bad": 1}, "watch takes a function as bad"),
    ],
)
def test_choices_that_make_no_sense_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as raised:
        watch(read(COUNTDOWN), shared, **options)
    assert message in str(raised.value)


def test_the_explicit_engine_refuses_infinitely_many_stacks() -> None:
    with pytest.raises(UsageError, match="the delay engine can always be used"):
        watch(program_of(RECURSION), lambda state: state, engine="explicit")
    assert watch(program_of(RECURSION), lambda state: state["x"]).verdict == "plateau"


def test_only_models_are_watched() -> None:
    model: Any = "examples/figure4.cpds"
    with pytest.raises(UsageError, match="watch takes a System or a Program"):
        watch(model, shared)


# What is printed.


def test_a_plateau_is_printed_with_what_it_means() -> None:
    seen = watch(read(COUNTDOWN), shared)
    assert str(seen).splitlines()[:4] == [
        "PLATEAU, respect observed  <text>: 1 abstract state, none new since 0 rounds and 0 delays",
        "  meaning   no proof: a larger bound may show more",
        "  respect   observed: no explored state shows an action that disrespects the abstraction",
        "  watched   states, with the delay engine",
    ]
    assert repr(seen) == f"<WatchResult {str(seen).splitlines()[0]}>"


def test_no_report_says_that_anything_is_safe() -> None:
    choices: list[dict[str, Any]] = [{}, {"until": "collapse"}, {"engine": "explicit"}]
    for options in [*choices, {"rounds": 1}]:
        seen = watch(read(COUNTDOWN), shared, **options)
        assert "safe" not in str(seen).lower()


def test_disrespect_is_printed_with_the_states_that_show_it() -> None:
    lines = str(watch(read(COUNTDOWN), shared, engine="explicit")).splitlines()
    assert lines[2:6] == [
        "  respect   disrespected, by 1 action:",
        "            counts: ⟨quiet|1⟩ → ⟨loud|1⟩",
        "              'quiet' to 'loud'  in quiet | 1, here",
        "              'quiet', disabled  in quiet | 3, here",
    ]


def test_a_notebook_gets_text_without_markup_in_it() -> None:
    seen = watch(read(COUNTDOWN), lambda state: "<b>" + state.shared, until="collapse")
    html = seen._repr_html_()
    assert ">PLATEAU, disrespected</span>" in html
    assert "&lt;b&gt;quiet" in html
    assert "<b>" not in html
