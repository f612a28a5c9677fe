"""Where threads rest, and what is refused by name."""

from __future__ import annotations

import pytest

import tepui
from support.samples import integer_programs as samples
from tepui.horn.stacks import Stacks
from tepui.horn.valuing import Refused
from tepui.program.program import Program

CALLS = """
decl shared: int;
int twice(x: int) { decl y: int; y := x + x; return y; }
void worker() {
    decl z: int;
    z := shared;
    z := twice(z);
    shared := z;
}
void main() { thread_create(worker, *); }
"""


def _loaded(text: str) -> Program:
    return tepui.loads(text, "bp")


def _tops(stacks: Stacks) -> list[str]:
    """The statements at which a thread of the first type rests."""
    layout = stacks.layout
    places = [layout.location(stack[0]) for stack in stacks.all_stacks(0) if stack]
    return [place.text for place in places if place is not None]


def test_local_steps_are_passed() -> None:
    program = _loaded(CALLS)
    assert _tops(Stacks(program, ())) == ["z := shared", "shared := z"]
    assert len(_tops(Stacks(program, (), fused=False))) == 5


def test_threads_rest_where_a_question_looks() -> None:
    program = _loaded(CALLS)
    passed = Stacks(program, ()).passed
    for point in passed:
        assert point not in Stacks(program, {point}).passed


def test_a_cycle_of_local_steps_is_not_passed_as_a_whole() -> None:
    program = _loaded(
        "void worker() { decl x := 0; skip; while (1) { x := !x; x := !x; } }"
        "void main() { thread_create(worker, *); }"
    )
    stacks = Stacks(program, ())
    assert stacks.passed
    assert len(stacks.all_stacks(0)) > 1


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (samples.RECURSIVE, "recursion: down may call itself"),
        ("decl x; void main() { atomic { while (!x) skip; } }", "a loop inside an atomic section"),
        ("void f() { skip; } void main() { async f(); }", "forked or joined"),
    ],
)
def test_what_is_not_understood_is_refused_by_name(text: str, reason: str) -> None:
    with pytest.raises(Refused, match=reason):
        Stacks(_loaded(text), ())
