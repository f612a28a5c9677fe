"""Copies of variables that have no value yet: answers, counts and evidence of whole runs."""

from __future__ import annotations

import pytest

import tepui
from support.boolean_flows import load
from tepui.deciding import Options, explore, verify, verify_all
from tepui.program.questions import deadlock
from tepui.z import parse_strength

ALL_VALUES = Options(small_sorts=False)

SAFE = {
    "shared": "void main() { x := *; y := x; assert(x = y); }",
    "never assigned": "void main() { y := x; assert(x <= y && !(x < y)); }",
    "swapped": "void main() { x := *; y := x; z := *; x, y := y, x; z := y; assert(x = z); }",
    "through an array": "void main() { a[1] := x; a[0], a[1] := a[1], a[0]; assert(a[0] = x); }",
    "in a section": "void main() { atomic { x := *; y := x; x := z; } z := y; assert(z = y); }",
    "local": "void main() { decl p: int64, q: int64; p := *; q := p; assert(p = q); }",
    "in a call": "void f() { y := x; } void main() { f(); z := y; f(); assert(z = x && y = z); }",
    "by others": "void f() { y := x; } void main() { thread_create(f()); z := x; assert(z = x); }",
}

DECLARED = "decl x: int64; decl y: int64; decl z: int64; decl a: int64[2];"


@pytest.mark.parametrize("text", SAFE.values(), ids=list(SAFE))
@pytest.mark.parametrize("engine", ["auto", "explicit", "diagram", "symbolic"])
def test_what_holds_for_all_values_is_proved_at_once(text: str, engine: str) -> None:
    options = Options(small_sorts=False, engine=engine, strengths=parse_strength("auto"))
    result = verify(load(f"{DECLARED} {text}"), options=options)
    assert (result.verdict, result.checked) == ("safe", True)


@pytest.mark.parametrize("text", SAFE.values(), ids=list(SAFE))
@pytest.mark.parametrize("fusion", [True, False])
def test_what_fails_for_some_values_is_found(text: str, fusion: bool) -> None:
    opposite = text.replace("assert(", "assert(!(").replace("); }", ")); }")
    small = f"{DECLARED} {opposite}".replace("int64", "int 0..3")
    for options in (Options(fusion=fusion), Options(fusion=fusion, small_sorts=False)):
        result = verify(load(small), options=options)
        assert (result.verdict, result.checked, result.bound) == ("unsafe", True, 1)


@pytest.mark.parametrize("kind", ["int 0..3", "int64"])
def test_a_value_that_was_chosen_anew_may_differ(kind: str) -> None:
    text = f"decl x: {kind}; decl y: {kind}; void main() {{ y := x; x := *; assert(x = y); }}"
    assert verify(load(text)).verdict == "unsafe"
    assert verify(load(text.replace("x = y", "x = x"))).verdict == "safe"


def test_reading_a_copy_decides_its_source() -> None:
    text = "decl x: int8; decl y: int8; void main() { y := x; assume(y = 7); assert(x = 7); }"
    assert verify(load(text), options=ALL_VALUES).verdict == "safe"
    result = verify(load(text.replace("x = 7);", "x != 7);")), options=ALL_VALUES)
    assert result.verdict == "unsafe"
    assert "x: - -> 7, y: - -> 7" in str(result)
    assert "- -> -" not in str(result)


@pytest.mark.parametrize(
    ("statements", "verdict"),
    [
        ("y := x; wait(x = y);", "safe"),
        ("y := x; wait(x != y);", "unsafe"),
        ("y := x; x := z; wait(x = z);", "safe"),
        ("atomic { y := x; z := y; assume(x != z); }", "unsafe"),
    ],
)
def test_deadlocks_do_not_depend_on_what_is_only_copied(statements: str, verdict: str) -> None:
    program = load(f"{DECLARED} void main() {{ {statements} }}")
    (answer,) = verify_all(program, [deadlock()], ALL_VALUES)
    assert (answer.result.verdict, answer.result.checked) == (verdict, True)


@pytest.mark.parametrize(
    ("other", "verdict"),
    [
        ("wait(y < 2);", "unsafe"),  # Both wait if the value is 3.
        ("wait(y >= 2);", "unsafe"),  # 0 and 1
        ("if (y != 2) { x := 2; }", "safe"),
    ],
)
def test_threads_are_stuck_together_by_one_value(other: str, verdict: str) -> None:
    program = load(
        "decl x: int 0..3; decl y: int 0..3; decl go := 0;"
        f"void f() {{ wait(go); {other} }}"
        "void main() { thread_create(f()); y := x; go := 1; wait(x = 2); }"
    )
    (answer,) = verify_all(program, [deadlock()], ALL_VALUES)
    assert (answer.result.verdict, answer.result.checked) == (verdict, True)


COUNTED = """
decl x: int 0..4; decl y: int 0..4; decl z: int 0..4;
void other() { z := y; assume(z = 3); }
void main() { thread_create(other()); y := x; x := *; skip; }
"""


def test_engines_count_the_same_states_and_so_does_the_system_written_out() -> None:
    program = load(COUNTED)
    counts = {
        (result.verdict, result.states, result.visible_states)
        for engine in ("explicit", "diagram", "symbolic")
        for result in [explore(program, Options(engine=engine))]
    }
    assert len(counts) == 1
    plain = tepui.explore(tepui.written_out(program))
    assert (plain.verdict, plain.states, plain.visible_states) in counts
    names = set(plain.system.shared)
    assert any("x=- y==x z==x" in name for name in names)
    assert any("x=3 y=3 z=3" in name for name in names)
    assert any("x=- y=- z==y" in name for name in names)


@pytest.mark.parametrize("strength", ["omega", "omega-l", "omega-ll", "matched", "cut"])
@pytest.mark.parametrize(("claim", "verdict"), [("p = q", "safe"), ("p != q", "unsafe")])
def test_call_return_relations_know_frames_with_the_same_value(
    strength: str, claim: str, verdict: str
) -> None:
    program = load(
        "decl g := 0; void f() { if (g) { f(); } g := *; }"
        "void main() { decl p: int 0..2; decl q: int 0..2; q := p; f(); f();"
        f"assert({claim}); }}"
    )
    options = Options(small_sorts=False, fusion=False, strengths=parse_strength(strength))
    result = verify(program, options=options)
    assert result.verdict in (verdict, "unknown")
    assert result.verdict == verdict or strength == "cut"
