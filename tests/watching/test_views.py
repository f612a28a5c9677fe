"""Views of states: what a user's own abstraction can see."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import Any

import pytest

from support.samples.program_texts import CREATING, RACE, program_of
from tepui.errors import UsageError
from tepui.languages import loads
from tepui.model import System
from tepui.watching import watch

CALLS = """
initial idle

thread server {
    stack wait.end
    idle | wait -> busy | call.wait
    busy | call -> idle | -
}

thread client {
    stack -
    busy | - -> busy | -
}
"""

VARIABLES = """\
decl flag := 1;
decl count: int -1..2 := -1;
decl colour: enum {red, green} := green;
decl cells: bool[2] := 0;
decl open;

void inner(depth: int 0..3) {
    decl spare: int 0..3 := 2;
    if (depth > 0)
        inner(depth - 1);
    spare := 0;
}

void work() {
    decl local := 0;
here: local := 1;
    inner(1);
there: skip;
}

void main() { thread_create(work, 2); }
"""


def system() -> System:
    return loads(CALLS, "cpds").system


def seen_in(model: Any, look: Callable[[Any], Any], **options: Any) -> frozenset[Any]:
    """What a function sees in any reachable state."""
    return watch(model, look, until="collapse", **options).abstract_states


def test_a_state_of_a_system_has_the_names_of_its_file() -> None:
    assert seen_in(system(), lambda state: (state.shared, state.stacks)) == {
        ("idle", (("wait", "end"), ())),
        ("busy", (("call", "wait", "end"), ())),
    }


def test_tops_of_empty_stacks_are_written_as_in_files() -> None:
    tops = seen_in(system(), lambda state: state.tops)
    assert tops == {("wait", "-"), ("call", "-")}


def test_threads_are_found_by_number_and_by_name() -> None:
    def look(state: Any) -> Any:
        server = state.tops["server"] == state.tops[0] == state.stacks["server"][0]
        return server, state.stacks["client"] == state.stacks[-1], len(state.tops[1:])

    assert seen_in(system(), look) == {(True, True, 1)}


def test_a_name_that_no_thread_has_is_told_with_those_that_there_are() -> None:
    with pytest.raises(UsageError, match="no thread 'sever'; did you mean 'server'"):
        watch(system(), lambda state: state.tops["sever"])


def test_views_of_equal_states_are_equal_and_those_of_others_are_not() -> None:
    for model in (system(), program_of(RACE)):
        seen = watch(model, lambda state: state, until="collapse")
        assert len(seen.abstract_states) == seen.observations[-1].states
        assert not any(one == other for one, other in combinations(seen.abstract_states, 2))
        again = watch(model, lambda state: state, until="collapse")
        assert {*map(str, seen.abstract_states)} == {*map(str, again.abstract_states)}


def test_a_view_is_written_like_a_state_in_a_trace() -> None:
    assert seen_in(system(), str) == {"idle | wait end, -", "busy | call wait end, -"}
    assert "<idle | wait end, ->" in seen_in(system(), repr)


def test_a_visible_state_shows_tops_and_nothing_below_them() -> None:
    tops = seen_in(system(), lambda state: (state.shared, state.tops), of="visible")
    assert tops == {("idle", ("wait", "-")), ("busy", ("call", "-"))}
    found = seen_in(system(), str, of="visible")
    assert found == {"idle | wait, -", "busy | call, -"}
    with pytest.raises(UsageError, match="a visible state has no stacks, only the top of each"):
        watch(system(), lambda state: state.stacks, of="visible")


def test_global_variables_have_the_values_of_their_types() -> None:
    names = "flag", "count", "colour", "cells"
    values = seen_in(program_of(VARIABLES), lambda state: tuple(map(state.__getitem__, names)))
    assert values == {(True, -1, "green", (False, False))}


CHOOSING = "decl x; decl y := 0; void main() { y := *; here: if (x) y := 0; there: skip; }"


def test_a_variable_with_any_value_has_none_until_it_is_read_and_a_note_says_so() -> None:
    def look(state: Any) -> Any:
        return state.threads[0].label, state["x"], state["y"]

    seen = watch(program_of(CHOOSING), look, until="collapse")
    assert ("here", None, None) in seen.abstract_states
    assert ("there", True, False) in seen.abstract_states
    assert seen.notes == [
        "these variables were None where nothing had read them yet: x, y; "
        "with decide_first=True they get one at once"
    ]
    assert watch(program_of(CHOOSING), lambda state: state.threads[0].label).notes == []


def test_variables_with_any_value_can_be_decided_first() -> None:
    def look(state: Any) -> Any:
        return state.threads[0].label, state["x"], state["y"]

    found = seen_in(program_of(CHOOSING), look, decide_first=True)
    values = [False, True]
    assert {each for each in found if each[0] == "here"} == {
        ("here", x, y) for x in values for y in values
    }
    assert (None, None, False) in found


def test_a_local_variable_keeps_a_value_that_no_one_will_read() -> None:
    look: Callable[[Any], Any] = lambda state: (  # noqa: E731
        state.threads[0].label,
        state.threads[0].get("local"),
    )
    assert ("there", True) in seen_in(program_of(VARIABLES), look)


def test_a_thread_says_where_it_is() -> None:
    def look(state: Any) -> Any:
        thread = state.threads["work.2"]
        return thread.place, thread.procedure, thread.line, thread.labels, thread.at("there")

    places = seen_in(program_of(VARIABLES), look)
    assert ("work:16", "work", 16, ("here",), False) in places
    assert ("work:18", "work", 18, ("there",), True) in places
    assert ("-", None, None, (), False) in places


def test_all_calls_of_a_thread_are_there_with_their_variables() -> None:
    def look(state: Any) -> Any:
        calls = state.threads[0].calls
        return tuple((call.procedure, call.get("depth"), call.get("spare")) for call in calls)

    stacks = seen_in(program_of(VARIABLES), look)
    deepest = max(stacks, key=len)
    assert deepest == (("inner", 0, 2), ("inner", 1, 2), ("work", None, None))
    with pytest.raises(UsageError, match="a visible state has no calls"):
        watch(program_of(VARIABLES), look, of="visible")


def test_a_thread_is_waiting_at_first_and_over_in_the_end_and_may_fail() -> None:
    def look(state: Any) -> Any:
        child = state.threads["child"]
        return child.is_waiting, child.is_over, child.has_failed, child.place

    found = seen_in(program_of(CREATING), look)
    assert (True, False, False, "waiting") in found
    assert (False, True, False, "-") in found
    assert (False, False, True, "child:4!") in found


@pytest.mark.parametrize(
    ("look", "message"),
    [
        (lambda state: state["flga"], "no global variable 'flga'; did you mean 'flag'?"),
        (lambda state: state.threads[0]["lcal"], "no local variable 'lcal' at work:16"),
        (lambda state: state.threads[0].at("hree"), "has no label hree; did you mean 'here'?"),
        (lambda state: state.threads["work"], "no thread 'work'; did you mean 'work.1'?"),
        (
            lambda state: state.threads[0]["local"],
            "no local variable 'local' once a thread is over; there are none",
        ),
    ],
)
def test_names_that_fit_nothing_are_explained_with_the_state(
    look: Callable[[Any], Any], message: str
) -> None:
    text = VARIABLES.replace("    inner(1);\n", "")
    with pytest.raises(UsageError, match="the abstraction failed in the state ") as raised:
        watch(program_of(text), look, until="collapse")
    assert message in str(raised.value)
