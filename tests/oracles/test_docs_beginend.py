"""The oracle itself, with begin/end: answers that were worked out on paper from docs/formats.md."""

from __future__ import annotations

from support.docs_oracle.answers import DEADLOCK, assertion, complete, deadlock, program, reach
from support.docs_oracle.dataflow import fewest_steps, values_at
from support.docs_oracle.explore import explore


def test_variables_of_begin_end_start_with_any_value() -> None:
    assert assertion(program("assert(x | y);")) == 1
    assert assertion(program("assert(x);", declarations="decl x := 1;")) is None
    assert assertion(program("x := F; dead x; assert(!x);")) == 1
    assert assertion(program("abortif x; assert(!x); decl z; print(z);")) is None
    assert assertion(program("x := ?; constrain(x); assert x;")) is None


def test_slic_error() -> None:
    assert assertion(program("if x then SLIC_ERROR: skip; fi")) == 1
    assert assertion(program("SLIC_ERROR: skip;")) == 0
    assert assertion(program("atomic_begin; SLIC_ERROR: x := T; assume(!x); atomic_end;")) is None


def test_branches_of_begin_end() -> None:
    body = (
        "if x then goto A; elsif y then goto B; else goto C; fi; A: skip; B: skip; C: assert(!x);"
    )
    assert assertion(program(body)) == 1
    assert assertion(program("while x do x := *; od assert(!x);")) is None


def test_falling_off_the_end_returns_any_values() -> None:
    more = "bool<2> f() begin skip; end"
    text = program("x, y := f(); here: skip;", more)
    assert {(dict(v)["x"], dict(v)["y"]) for v in values_at(text, "here")} == {
        (a, b) for a in "01" for b in "01"
    }


def test_falling_off_the_end_is_a_step() -> None:
    # Call, skip, the end as a return, taking the result.
    text = program("x := f(); here: skip;", "bool f() begin skip; end")
    assert set(fewest_steps(text, "here").values()) == {4}
    # Between skip and the end another thread may run: main, f, main.
    more = "bool g() begin x := F; end\nvoid f() begin assume(!x); L: skip; end"
    text = program("x := T; start_thread f(); y := g(); M: skip;", more)
    assert reach(text, "f:L") == 2


def test_a_late_value_is_an_assignment() -> None:
    # Before it z has any value, and who jumps over it never gets the value.
    assert assertion(program("assert(!z); decl z := F;")) == 1
    assert assertion(program("skip; decl z := F; assert(!z);")) is None
    assert assertion(program("decl z := F; assert(!z);")) is None
    assert assertion(program("goto L; decl z := F; L: assert(!z);")) == 1
    assert assertion(program("goto L; L: decl z := F; assert(!z);")) is None
    # In a loop it is assigned again.
    assert assertion(program("while * do decl z := F; assert(!z); z := T; od")) is None
    found = complete("void main() begin\nskip;\ndecl z := F;\ndecl y;\nend")
    assert found.reached_lines() == {("main", 2), ("main", 3)}
    # Under a label it is one also at the beginning.
    assert reach(program("L: decl z := F; M: skip;"), "M") == 1


def test_start_thread() -> None:
    more = "void f(z) begin L: assert(z); end"
    assert assertion(program("x := T; start_thread f(x);", more)) is None
    # A call under ASYNC_ is one, too: main, f.
    assert assertion(program("x := F; ASYNC_1: f(x);", more)) == 2


def test_start_thread_goto() -> None:
    body = "decl z; z := T; start_thread goto L; z := F; goto E; L: assert(!z); E: skip;"
    # The new thread has a copy of z.
    assert assertion(program(body)) == 2
    assert reach(program(body), "main:L") == 2
    # Again and again: a procedure of its own.
    body = "while * do start_thread goto L; od goto E; L: skip; end_thread; E: skip;"
    found = explore(program(body, declarations=""), max_contexts=2, max_threads=3)
    assert found.truncated  # there is no end of threads within the first context
    assert found.fewest(("unreachable", "main:E")) == 1
    body = "x := T; A: if x then x := F; start_thread goto A; assume(F); fi L: skip;"
    found = complete(program(body, declarations="decl x;"))
    assert found.fewest(("unreachable", "main@A:L")) == 2
    assert found.fewest(("unreachable", "main:L")) is None
    assert found.fewest(("unreachable", "L")) == 2


def test_atomic_begin() -> None:
    more = "void f() begin assert(!x); end"
    body = "x := F; start_thread f(); atomic_begin; x := T; x := F; atomic_end; skip;"
    assert assertion(program(body, more)) is None
    body = "x := F; start_thread f(); atomic_begin; x := T; atomic_end; skip;"
    assert assertion(program(body, more)) == 2


def test_enforce() -> None:
    # e holds before every step, and after an assignment.
    body = "enforce !(x & y); x := *; y := *; assert(!(x & y));"
    text = program(body)
    assert assertion(text) is None
    # x & y from the start: main waits.
    assert deadlock(text) == 0


def test_getafix() -> None:
    text = """decl atomic, x;
void init() begin atomic := F; x := F; end
void main() begin atomic := T; x := T; x := F; atomic := F; end
void thread1() begin L: assert(!x); end
void other() begin skip; end"""
    assert assertion(text) is None
    # init, then thread1, which starts.
    assert reach(text, "L") == 2
    assert reach(text, "other()") is None
    # Without the lock: init, main, thread1.
    assert assertion(text.replace("atomic :=", "x :=")) == 3
    # Who ends with the lock lets nobody run, or start: init, main.
    assert deadlock(text.replace("x := F; atomic := F;", "x := F;")) == 2


def test_the_end_of_init() -> None:
    text = "decl x := 0;\nvoid init() begin\nx := 1;\nend\nvoid main() begin\nL: skip;\nend"
    found = complete(text)
    # The creations are a step on the line of `end`: x := 1, end, start.
    assert found.reached_lines() == {("init", 3), ("init", 4), ("main", 6)}
    assert found.fewest(("unreachable", "init:4")) == 1
    assert min(fewest_steps(text, "main:L").values()) == 3
    assert found.fewest(("never_together", "init:4", "L")) is None
    # Also of an empty init, and behind a return, but not behind end_thread.
    assert reach(text.replace("x := 1;", ""), "L") == 2
    assert reach(text.replace("x := 1;", "if * then return; fi x := 1;"), "L") == 2
    assert reach(text.replace("x := 1;", "end_thread;"), "L") is None


def test_the_scheduler_lock() -> None:
    text = """decl atomic;
void init() begin skip; end
void main() begin assert(!atomic); end"""
    # It starts as 0 if no value is given, and whoever makes it true is the only one to run.
    assert assertion(text) is None
    assert deadlock(text) is None
    # Who ends with it keeps main from starting, which is a deadlock after init.
    assert deadlock(text.replace("skip;", "atomic := T;")) == 1
    # True from the start: nobody runs.
    found = complete(text.replace("decl atomic;", "decl atomic := 1;"))
    assert (found.fewest(DEADLOCK), found.fewest(("unreachable", "main()"))) == (0, None)
