"""The oracle itself: small programs whose answers were worked out on paper from docs/formats.md."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from support.docs_oracle.answers import (
    ASSERTIONS,
    DEADLOCK,
    assertion,
    complete,
    deadlock,
    lines,
    reach,
    two,
)
from support.docs_oracle.dataflow import agrees, fewest_steps, values_at
from support.docs_oracle.explore import Refused, TooBig, explore
from support.places import EXAMPLES


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.bp")), ids=lambda path: path.stem)
def test_examples_say_what_to_expect(path: Path) -> None:
    text = path.read_text()
    found = explore(text, max_states=3_000)
    unsafe = re.search(r"Expected: unsafe after (\d+) context", text)
    least = found.fewest(ASSERTIONS)
    if unsafe and (found.exhausted or found.layers >= int(unsafe[1])):
        assert least == int(unsafe[1])
    else:
        assert least is None


def test_numbers_of_states_in_the_documentation() -> None:
    # docs/modelling.md: 1, 17 and 62 states, and a deadlock after 2 contexts.
    text = """decl locked: bool[2] := 0;
void acquire(which: int 0..1) { atomic { wait(!locked[which]); locked[which] := 1; } }
void transfer(from: int 0..1) {
    acquire(from);
    acquire(1 - from);
    moving: skip;
    locked[0] := 0;
    locked[1] := 0;
}
void main() { thread_create(transfer(0)); thread_create(transfer(1)); }"""
    assert [len(explore(text, max_contexts=k).contexts) for k in range(3)] == [1, 17, 62]
    assert deadlock(text) == 2
    assert reach(text, "moving") == 1
    assert complete(text).fewest(("never_together", "moving", "moving")) is None


# Steps


def test_every_statement_is_a_step() -> None:
    # a: x := 1; b: assert.
    assert assertion(two("decl x := 0;", "x := 1; x := 0;", "assert(!x);")) == 2


def test_an_atomic_section_is_one_step() -> None:
    assert assertion(two("decl x := 0;", "atomic { x := 1; x := 0; }", "assert(!x);")) is None


def test_a_condition_is_a_step() -> None:
    # a: if; b: x := 1; a: assert.
    assert assertion(two("decl x := 0;", "if (!x) assert(!x);", "x := 1;")) == 3
    assert assertion(two("decl x := 0;", "while (!x) assert(!x);", "x := 1;")) == 3


def test_the_end_of_a_procedure_is_no_step() -> None:
    # Call f, call g, x := 1 (which leaves g and f): three steps to n.
    text = """decl x := 0;
void g() { x := 1; }
void f() { g(); }
void e() { }
void main() { f(); n: skip; e(); m: skip; }"""
    assert min(fewest_steps(text, "n").values()) == 3
    # And skip, the call of e, and the step with which the empty procedure returns.
    assert min(fewest_steps(text, "m").values()) == 6


def test_leaving_callers_happens_in_the_same_step() -> None:
    # If leaving f took a step of its own, b could see main's x = 1 before it waits at n.
    text = two("decl x := 0;", "f(); n: skip;", "assume(x); at: skip;", "void f() { x := 1; }")
    assert complete(text).fewest(("never_together", "a:n", "b:at")) == 2


def test_an_assignment_takes_the_values_from_before() -> None:
    body = "x, y := 1, x; assert(!y); i := 0; a[i], i := 1, 1; assert(a[0] && !a[1] && i = 1);"
    swap = "x, y := 1, 0; x, y := y, x; assert(y && !x); x, x := 1, 0; assert(!x);"
    text = lines(body + swap, "decl x := 0, y := 0, i: int 0..1; decl a: bool[2] := 0;")
    assert assertion(text) is None


def test_constrain_looks_at_the_values_after_the_step() -> None:
    good = "x, y := *, * constrain 'x != 'y; assert(x != y); x := * constrain 'y = x; assert(1);"
    assert assertion(lines(good)) is None
    assert assertion(lines("x := 1; x := * constrain 'x != x; assert(x);")) == 1
    # Nothing satisfies the condition: the thread waits.
    assert deadlock(lines("x := 1 constrain !'x;")) == 0


def test_integers_out_of_range() -> None:
    assert assertion(lines("n := n + 1; assert(n = -2);", "decl n: int -2..1 := 1;")) is None
    assert assertion(lines("n := n - 7; assert(n = -2);", "decl n: int -2..1 := 1;")) is None
    assert (
        assertion(lines("n := n + 9; assert(n = 1);", "decl n: int -2..1 saturate := 1;")) is None
    )
    # The last is never reached: n := 2 waits.
    text = lines("n := n + 1; assert(0);", "decl n: int 0..1 block := 1;")
    assert (assertion(text), deadlock(text)) == (None, 0)


def test_an_index_outside_is_a_violation() -> None:
    text = lines("x := a[n]; wait(0);", "decl x, n: int 0..7 := 2, a: bool[2];")
    assert (assertion(text), deadlock(text)) == (1, None)
    assert complete(text).violated_lines() == {("bounds", 3)}
    # Behind `constrain` the step waits.
    text = lines("x := * constrain a[n]; wait(0);", "decl x, n: int 0..7 := 2, a: bool[2];")
    assert (assertion(text), deadlock(text)) == (None, 0)
    # Only what is needed is evaluated.
    text = lines("x := n < 2 && a[n]; assert(x);", "decl x, n: int 0..7 := 2, a: bool[2];")
    assert assertion(text) == 1
    text = lines("assert(n < 2 => a[n]);", "decl n: int 0..7 := 2, a: bool[2];")
    assert (assertion(text), deadlock(text)) == (None, None)


def test_any_value() -> None:
    text = lines("n := *; here: assert(n != 2);", "decl n: int 0..3 := 0;")
    assert assertion(text) == 1
    assert {dict(v)["n"] for v in values_at(text, "here")} == {"0", "1", "2", "3"}
    # A variable without initial value has one from the start: a deadlock after no context.
    assert deadlock(lines("wait(z);", "decl z;")) == 0
    # A local variable gets its value anew with every call.
    text = "void f() { decl z; wait(z); assume(0); }\nvoid main() { f(); }"
    assert deadlock(text) == 1


def test_a_result_is_taken_before_others_move() -> None:
    # k and x change in two steps, between which nobody moves.
    give = "bool f() { atomic { k := 1; return 1; } }"
    assert assertion(two("decl k := 0, x := 0;", "x := f();", "assert(k => x);", give)) is None
    # An element of an array: a takes the result, b looks, a would assign it.
    declared = "decl k := 0, i: int 0..3 := 0; decl x: bool[1] := 0;"
    text = two(declared, "x[i] := f();", "assert(k => x[0]);", give)
    assert assertion(text) == 2
    # An index that need not be checked.
    text = two("decl k := 0; decl x: bool[1] := 0;", "x[0] := f();", "assert(k => x[0]);", give)
    assert assertion(text) is None


def test_a_result_that_cannot_be_assigned_waits() -> None:
    declarations = "decl n: int 0..1 block := 0, i: int 0..3 := 0;"
    text = two(declarations, "n := f(); assert(0);", "skip;", "int 0..3 f() { return 2; }")
    # a waits after it has taken 2, b is over: two contexts, in any order.
    assert (assertion(text), deadlock(text)) == (None, 2)
    # The index is evaluated when the result is assigned; b can move it outside in between.
    text = two(
        "decl i: int 0..3 := 0; decl x: bool[2] := 0;",
        "n: x[i] := f(); assert(!x[1]);",
        "i := 3;",
        "bool f() { return 1; }",
    )
    # b, then a, is enough.
    assert complete(text).fewest(("assertion", "1")) is None
    assert assertion(text) == 2


def test_return_waits_for_its_value() -> None:
    text = "int 0..1 block f() { return 2; }\nvoid main() { _ := f(); }"
    assert deadlock(text) == 1
    assert deadlock("int 0..1 block f() { return 2; }\nvoid main() { thread_create(f); }") == 0


def test_each_assertion_alone() -> None:
    found = complete("decl x := 0;\nvoid main() {\nassert(*);\nassert(!x);\nassert(x);\n}")
    assert [found.fewest(("assertion", line)) for line in "345"] == [1, None, 1]
    assert found.violated_lines() == {("assertion", 3), ("assertion", 5)}


def test_a_violated_assertion_stops_the_program() -> None:
    text = two("decl x := 0;", "assert(0); x := 1;", "wait(x);")
    assert assertion(text) == 1
    # b waits from the start, but a can move before the violation, and nobody after it.
    assert deadlock(text) is None


def test_a_violation_inside_an_atomic_section_counts() -> None:
    assert assertion(lines("atomic { x := 1; assert(!x); wait(0); }")) == 1
    assert assertion(lines("atomic { wait(0); assert(0); }")) is None
    # The violation needs nothing behind it, the place behind it does.
    assert reach(lines("atomic {\nin: x := 1;\nassert(*);\nwait(0); }"), "in") == 1
    assert reach(lines("atomic { assert(*); in: x := 1; wait(0); }"), "in") is None


def test_places_inside_an_atomic_section() -> None:
    # The section is left only with x = 1.
    body = "atomic {\n x := *;\n if (x) good: skip;\n else bad: skip;\n wait(x);\n}"
    assert reach(lines(body), "good") == 1
    assert reach(lines(body), "bad") is None
    assert reach(lines(body), "3") == 0
    assert complete(lines(body)).reached_lines() == {("main", line) for line in (3, 4, 5, 7)} | {
        ("main", 5)
    }
    # A path that runs for ever does not exist.
    assert reach(lines("atomic { if (*) { while (1) in: skip; } }"), "in") is None
    assert deadlock(lines("atomic { while (1) { } }")) == 0
    # The others are where they are during the step.
    text = two("decl x := 0;", "atomic { in: x := 1; out: skip; }", "L: skip; M: skip;")
    found = complete(text)
    assert found.fewest(("never_together", "in", "L")) == 1
    assert found.fewest(("never_together", "M", "in")) == 2
    assert found.fewest(("never_together", "in", "in")) is None


def test_leaving_an_atomic_section() -> None:
    leave = "void f() { atomic { x := 1; return; } }"
    text = two("decl x := 0;", "f(); n: x := 0;", "assert(!x);", leave)
    assert assertion(text) == 2
    text = two("decl x := 0;", "L: atomic { x := !x; goto L; }", "assert(!x);")
    assert assertion(text) == 2
    # A call as the last thing of a section is part of it.
    text = two("decl x := 0;", "atomic { x := 1; f(); }", "assert(!x);", "void f() { x := 0; }")
    assert assertion(text) is None


def test_steps_that_begin_with_a_number() -> None:
    assert assertion(two("decl x := 0;", "1: x := 1; x := 0; 2: skip;", "assert(!x);")) is None
    assert assertion(two("decl x := 0;", "1: x := 1; L: x := 0;", "assert(!x);")) == 2
    # if and its branches belong to the step.
    body = "1: if (*) { x := 1; } else { skip; } x := 0;"
    assert assertion(two("decl x := 0;", body, "assert(!x);")) is None
    # The block in which the number stands ends: a rests before the last assignment.
    body = "if (*) { 1: x := 1; } x := 0;"
    assert assertion(two("decl x := 0;", body, "assert(!x);")) == 2
    # A wait makes all of the step wait.
    assert deadlock(two("decl x := 0;", "1: x := 1; wait(!x);", "wait(x);")) == 0


def test_labels_inside_a_numbered_step() -> None:
    # A label in a branch: what follows the `if` does not belong to the step of 1.
    body = "1: x := 0; if (y) { x := 1; 2: skip; } else { x := 1; } x := 0;"
    assert assertion(two("decl x := 0, y := 0;", body, "assert(!x);")) == 2
    assert assertion(two("decl x := 0, y := 0;", body.replace("2: ", ""), "assert(!x);")) is None
    # Behind it every statement is a step, and the step of 1 does not wait for them.
    text = lines("17: if (x) {\n18: x := 1;\n}\nx := 0;\nwait(0);")
    assert complete(text).reached_lines() == {("main", 3), ("main", 6), ("main", 7)}
    text = lines("17: if (x) {\nx := 1;\n}\nx := 0;\nwait(0);")
    assert complete(text).reached_lines() == {("main", 3)}
    # A loop and an atomic section with a label inside end it, too (the next label in the text).
    text = lines("5: while (*) {\n6: skip;\n}\nwait(0);")
    assert complete(text).reached_lines() == {("main", 3), ("main", 4), ("main", 6)}
    # In a branch the step goes up to the first label there.
    body = "1: if (*) { x := 1; x := 0; L: skip; }"
    assert assertion(two("decl x := 0;", body, "assert(!x);")) is None
    body = "1: if (*) { x := 1; L: x := 0; }"
    assert assertion(two("decl x := 0;", body, "assert(!x);")) == 2


def test_a_call_ends_a_numbered_step() -> None:
    more = "void f() { skip; }"
    body = "1: x := 1; f(); x := 0; x := 1; x := 0;"
    # After the call step, x is 1 inside f.
    assert assertion(two("decl x := 0;", body, "assert(!x);", more)) == 2
    # What follows the call is one step: y is never seen.
    body = "1: f(); y := 1; y := 0;"
    assert assertion(two("decl y := 0;", body, "assert(!y);", more)) is None


def test_a_numbered_step_ends_before_a_while() -> None:
    # Condition and body are one step, and so are condition and what follows.
    body = "1: skip; while (*) { x := 1; x := 0; } x := 1; x := 0;"
    assert assertion(two("decl x := 0;", body, "assert(!x);")) is None
    body = "1: x := 1; while (0) { } x := 0;"
    assert assertion(two("decl x := 0;", body, "assert(!x);")) == 2


# Threads


def test_a_main_that_only_creates_is_no_thread() -> None:
    text = "void f() { L: skip; }\nvoid g(z) { M: skip; }\nvoid main() {\n1: thread_create(f, 2);"
    text += "\nthread_create(g(*)); }"
    found = complete(text)
    assert found.fewest(("unreachable", "L")) == 0
    assert found.fewest(("unreachable", "f()")) == 0
    assert found.fewest(("never_together", "L", "L")) == 0
    assert found.fewest(("unreachable", "M")) == 1  # it takes its argument
    assert found.fewest(("unreachable", "4")) is None
    assert complete(text, {"f": 1}).fewest(("never_together", "L", "L")) is None


def test_created_threads_start_with_a_step_of_their_own() -> None:
    text = "void f() { L: skip; }\nvoid main() { n: skip; thread_create(f); thread_create(f); }"
    found = complete(text)
    assert found.fewest(("unreachable", "n")) == 0
    assert found.fewest(("unreachable", "L")) == 2
    assert found.fewest(("never_together", "L", "L")) == 3
    # The two creations are one step.
    assert len(explore(text, max_contexts=1).contexts) == 3
    # Who can start is not stuck.
    assert deadlock("void f() { skip; }\nvoid main() { thread_create(f); wait(0); }") == 2


def test_a_row_of_creations_is_one_statement() -> None:
    create = "thread_create(f);"
    text = f"void f() {{ skip; }}\nvoid main() {{ skip;\n{create}\n{create}\nL: {create} }}"
    assert {line for name, line in complete(text).reached_lines() if name == "main"} == {2, 3, 5}
    with pytest.raises(Refused):
        reach(text, "4")
    # Also inside a step with a number, and inside an atomic section.
    text = f"void f() {{ skip; }}\nvoid main() {{ skip;\n1: skip;\n{create}\n{create}\n}}"
    assert ("main", 5) not in complete(text).reached_lines()
    assert reach(text, "4") == 1
    text = f"void f() {{ skip; }}\nvoid main() {{ atomic {{\n{create}\n{create}\n}} }}"
    assert {line for name, line in complete(text).reached_lines() if name == "main"} == {2, 3}


def test_a_thread_that_cannot_take_its_arguments_is_stuck() -> None:
    text = "void f(z: int 0..1 block) { L: skip; }\nvoid main() { thread_create(f(2)); }"
    assert (reach(text, "L"), deadlock(text)) == (None, 0)


def test_creations_wait_for_their_arguments() -> None:
    text = """decl n: int 0..3 := 2;
void f(z: int 0..1 block) { L: skip; }
void main() { skip; thread_create(f(0)); thread_create(f(n)); }"""
    # Both are one step, and the second one waits.
    assert (reach(text, "L"), deadlock(text)) == (None, 1)
    assert complete(text, {"f(0)": 0, "f(n)": 0}).fewest(DEADLOCK) == 1


def test_fork_and_join() -> None:
    text = """decl busy := 0;
void work() { assert(!busy); busy := 1; busy := 0; }
void main() { thread t; while (1) { t := async work(); join(t); } }"""
    found = complete(text)
    assert found.fewest(ASSERTIONS) is None
    assert found.fewest(DEADLOCK) is None
    # main forks; work starts, makes its steps, returns and ends; main goes on.
    text = "decl x := 0; thread t;\nvoid f() { x := 1; }"
    text += "\nvoid main() { t := async f(); join(t); n: skip; }"
    assert reach(text, "n") == 3
    assert deadlock(text) is None


def test_who_joins_nobody_or_itself_waits_for_ever() -> None:
    assert deadlock("thread t;\nvoid main() { join(t); }") == 0
    # main: fork, skip; f: start, join.
    text = "thread t;\nvoid f() { join(t); }\nvoid main() { t := async f(); }"
    assert deadlock(text) == 2


def test_identities() -> None:
    # The second thread is joined, so the first need not have ended.
    text = """thread t, u; decl x := 0;
void f() { x := 1; } void g() { skip; }
void main() { t := async f(); u := t; t := async g(); join(t); assert(x); join(u); n: skip; }"""
    found = complete(text)
    assert found.fewest(ASSERTIONS) == 3  # main, g, main
    assert found.fewest(("unreachable", "n")) == 4
    # `t := async f(t)` passes what t was before: f joins nobody.
    text = "void f(u: thread) { join(u); }\nvoid main() { thread t; t := async f(t); join(t); }"
    assert deadlock(text) == 2
    # A thread that was joined can be joined again, also after others were forked.
    text = """void f() { skip; }
void main() { thread t, u; t := async f(); join(t); u := async f(); join(t); join(u); n: skip; }"""
    assert reach(text, "n") == 5


def test_limits() -> None:
    text = "void f() { f(); skip; }\nvoid main() { thread_create(f); }"
    found = explore(text)
    assert (found.exhausted, found.truncated, found.layers) == (False, True, 0)
    found = explore("void f() { wait(0); }\nvoid main() { while (1) { async f(); } }")
    assert (found.exhausted, found.truncated, found.layers) == (False, True, 0)
    with pytest.raises(TooBig):
        explore("decl a: int 0..9 [5];\nvoid main() { skip; }")


# Machine integers, and what is an error


@pytest.mark.parametrize(
    ("declared", "value", "result"),
    [
        ("n: int8 := 127", "n + 1", -128),
        ("n: int8 := -128", "n / -1", -128),
        ("n: int8 := -128", "-n", -128),
        ("n: uint8 := 5", "~n", 250),
        ("n: int8 := -7", "n / 2", -3),
        ("n: int8 := -7", "n % 2", -1),
        ("n: int8 := -7", "n >> 1", -4),
        ("n: int8 := -7", "n >>> 1", 124),
        ("n: int8 := 1", "n << 7", -128),
        ("n: int8 := -1", "n & 0x0f", 15),
        ("n: int8 := 100", "n * 256", 0),
        ("n: int 0..3 := 3", "n * 1000 / 1000", 3),
    ],
)
def test_operators(declared: str, value: str, result: int) -> None:
    text = lines(f"assert(({value}) = {result}); wait(0);", f"decl {declared};")
    assert assertion(text) is None


def test_common_types() -> None:
    # -1 becomes 255, and 255 + 1 is 0 in uint8; comparisons convert nothing.
    declared = "decl s: int8 := -1, u: uint8 := 1, w: int16 := 300;"
    assert assertion(lines("assert(s + u = 0); assert(s < u);", declared)) is None
    assert assertion(lines("assert(u + w = 301); assert(-1 < u);", declared)) is None


def test_any_value_beside_another() -> None:
    assert assertion(lines("assert(* != n);", "decl n: int 0..3 := 2;")) == 1
    assert assertion(lines("assume(* > n); assert(0);", "decl n: int 0..3 := 3;")) is None
    assert assertion(lines("assume(* > n); assert(0);", "decl n: int 0..3 := 2;")) == 1
    assert assertion(lines("assume(* != s); assert(0);", "decl s: enum {p} := p;")) is None


def test_division_and_shifts() -> None:
    found = complete(lines("n := 1 / n;", "decl n: int 0..3 := 0;"))
    assert found.violated_lines() == {("division", 3)}
    found = complete(lines("n := n << n;", "decl n: int8 := 8;"))
    assert found.violated_lines() == {("bounds", 3)}
    assert assertion(lines("n := 1 << n;", "decl n: int 0..20 := 8;")) is None


# Loops and cases


def test_loops_and_their_steps() -> None:
    body = "for (n := 5;\nn < 8; n++)\nm := m + 1;\nassert(m = 3 && n = 8);"
    assert assertion(lines(body, "decl n: int8 := 0, m: int8 := 0;")) is None
    body = "do { n++; if (n = 2) continue; if (n > 2) break; } while (n < 9); assert(n = 3);"
    assert assertion(lines(body, "decl n: int8 := 0;")) is None
    # do is no step, unless it has a label.
    assert reach(lines("do skip; while (0);"), "3") == 0
    steps = len(complete(lines("do skip; while (0);")).contexts)
    assert len(complete(lines("L: do skip; while (0);")).contexts) == steps + 1


def test_switch() -> None:
    cases = "switch (n) { case 0: m := 1; case 1: m++; break; default: m := 9; case 3: skip; }"
    for value, result in ((0, 2), (1, 1), (2, 9), (3, 0)):
        declared = f"decl n: int 0..3 := {value}, m: int8 := 0;"
        assert assertion(lines(f"{cases} assert(m = {result});", declared)) is None


# Identities


def test_threads_are_compared() -> None:
    text = """thread owner, free;
void f() { atomic { wait(owner = free); owner := thread_self(); }
assert(owner = thread_self()); owner := free; }
void main() { thread_create(f, 2); }"""
    assert assertion(text) is None
    assert assertion(text.replace("wait(owner = free); ", "")) == 3


# What is refused


@pytest.mark.parametrize(
    "text",
    [
        "decl x",
        "decl x; decl x; void main() { skip; }",
        "void f() { skip; }",
        "void main() { y := 1; }",
        "void main() { f(); }",
        "void main() { goto L; }",
        "void main() { L: skip; L: skip; }",
        "void main() { skip; }\nvoid main() { skip; }",
        "decl n: int; void main() { skip; }",
        "decl n: int 0..3; void main() { assert(n); }",
        "decl n: int 0..3; void main() { assert(0 < n < 2); }",
        "decl x; void main() { x := 2; }",
        "decl x, n: int 0..3; void main() { n := x; }",
        "decl s: enum {p, q}; void main() { assert(s < q); }",
        "decl a: bool[2]; void main() { a := 1; }",
        "decl x; void main() { x := 'x; }",
        "decl x; void main() { x := 1, 0; }",
        "bool f() { return; } void main() { f(); }",
        "bool f() { skip; } void main() { f(); }",
        "void f() { return; } decl x; void main() { x := f(); }",
        "void f(x) { skip; } void main() { f(); }",
        "void main() { goto L; atomic { L: skip; } }",
        "thread t; void f() { skip; } void main() { t := async f(); assert(t = t); }",
        "thread t; void f() { skip; } void main() { async f(); t := thread_self(); }",
        "void main() { break; }",
        "decl n: int 0..3; void main() { switch (n) { case 0: continue; } }",
        "decl n: int 0..3; void main() { switch (n) { case 0: case 0: skip; } }",
        "decl n: int 0..3; void main() { n := n >>> 1; }",
        "thread t; void main() { t := *; }",
        "thread t; decl x; void main() { x := t; }",
        "decl t: thread [2]; void main() { skip; }",
        "thread f() { skip; } void main() { skip; }",
        "decl x; void f() { skip; } void main() { x := async f(); }",
        "bool f() { return 1; } void main() { _ := f(); thread_create(f); }",
        "void f(a: bool[2]) { skip; } void main() { skip; }",
        "decl x; void main() begin wait(x); end",
        "decl x; void main() begin atomic_end; end",
        "decl x; void main() begin atomic_begin; skip; end",
        "decl x; void main() begin atomic_begin; return; atomic_end; end",
        "decl x; void main() begin if x then atomic_begin; fi atomic_end; end",
        "decl x; void f() begin end_thread; end void main() begin f(); end",
        "decl x; void main() begin x := x & x | x; end",
        "decl x; void main() begin x := x$; end",
    ],
)
def test_refused(text: str) -> None:
    with pytest.raises(Refused):
        explore(text)


@pytest.mark.parametrize("place", ["L", "7", "f:2", "g()"])
def test_unknown_places_are_refused(place: str) -> None:
    found = explore("void f() { skip; }\nvoid main() {\nskip;\n}")
    with pytest.raises(Refused):
        found.fewest(("unreachable", place))


# Dataflow


def test_dataflow() -> None:
    text = (EXAMPLES / "dataflow" / "figure4.bp").read_text()
    alone = values_at(text, "foo:n6", threads={"foo": 1})
    assert agrees(alone, [{"x": "3", "y": "3"}, {"x": "7", "y": "7"}])
    assert not agrees(alone, [{"x": "3", "y": None}, {"x": "7", "y": "7"}])
    called = values_at(text, "foo:n8", ["n3"], threads={"foo": 1})
    assert agrees(called, [{"x": "3", "y": "3"}])
    assert len(values_at(text, "foo.1:n6", contexts=3)) == 4
    # docs/dataflow.md: 6 steps alone, and 8 where the other thread meddles.
    assert sorted(fewest_steps(text, "foo:n6").values()) == [6, 6, 8, 8]


def test_dataflow_shows_locals_and_anything() -> None:
    text = "decl g;\nvoid main() { decl n: int 0..2, z; z := g; here: skip; }"
    found = values_at(text, "here")
    assert agrees(
        found,
        [{"g": "0", "n": None, "z": "0"}, {"g": "1", "n": None, "z": "1"}],
    )
    assert len(found) == 6


def test_who_has_called() -> None:
    text = """decl d: int 0..3 saturate := 0;
void f() { here: d := d + 1; if (d < 2) again: f(); }
void main() { first: f(); second: skip; }"""
    assert {dict(v)["d"] for v in values_at(text, "here", ["first"])} == {"0"}
    assert {dict(v)["d"] for v in values_at(text, "here", ["again"])} == {"1"}


def test_dataflow_refuses() -> None:
    with pytest.raises(Refused):
        values_at(lines("atomic { in: skip; }"), "in")
    with pytest.raises(Refused):
        values_at("void f() { skip; }\nvoid main() { n: async f(); }", "n")
