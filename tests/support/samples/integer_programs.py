"""Programs with integers and with any number of threads: some are safe, some are not."""

from __future__ import annotations

PETERSON = """
decl flag0 := 0;
decl flag1 := 0;
decl turn: int := 0;
void left() {
    while (1) {
        flag0 := 1;
        turn := 1;
        wait(!flag1 || turn = 0);
        in_left: skip;
        flag0 := 0;
    }
}
void right() {
    while (1) {
        flag1 := 1;
        turn := 0;
        wait(!flag0 || turn = 1);
        in_right: skip;
        flag1 := 0;
    }
}
void main() { thread_create(left, 1); thread_create(right, 1); }
"""
"""Never together: in_left and in_right."""

SZYMANSKI = """
decl f0: int := 0;
decl f1: int := 0;
decl x: int := 0;
void left() {
    f0 := 1;
    wait(f1 < 3);
    f0 := 3;
    if (f1 = 1) { f0 := 2; wait(f1 = 4); }
    f0 := 4;
    wait(f1 < 2);
    x := 0;
    assert(x <= 0);
    wait(2 > f1 || f1 > 3);
    f0 := 0;
}
void right() {
    f1 := 1;
    wait(f0 < 3);
    f1 := 3;
    if (f0 = 1) { f1 := 2; wait(f0 = 4); }
    f1 := 4;
    wait(f0 < 2);
    x := 1;
    assert(x >= 1);
    wait(2 > f0 || f0 > 3);
    f1 := 0;
}
void main() { thread_create(left, 1); thread_create(right, 1); }
"""

_LAMPORT_SIDE = """
void {name}() {{
    decl done := 0;
    while (!done) {{
        b{me} := 1;
        x := {number};
        if (y != 0) {{ b{me} := 0; wait(y = 0); }}
        else {{
            y := {number};
            if (x != {number}) {{
                b{me} := 0;
                wait(b{other} < 1);
                if (y != {number}) {{ wait(y = 0); }} else {{ done := 1; }}
            }} else {{ done := 1; }}
        }}
    }}
    inside := {me};
    assert(inside = {me});
    y := 0;
    b{me} := 0;
}}
"""

LAMPORT = (
    "decl x: int := 0; decl y: int := 0; decl b0: int := 0; decl b1: int := 0;"
    "decl inside: int := 0;"
    + _LAMPORT_SIDE.format(name="left", me=0, other=1, number=1)
    + _LAMPORT_SIDE.format(name="right", me=1, other=0, number=2)
    + "void main() { thread_create(left, 1); thread_create(right, 1); }"
)

TRIANGULAR = """
decl i: int := 3;
decl j: int := 6;
void up_i() { decl k: int := 0; while (k < 10) { atomic { i := j + 1; k := k + 1; } } }
void up_j() { decl k: int := 0; while (k < 10) { atomic { j := i + 1; k := k + 1; } } }
void watcher() { assert(i <= 26 && j <= 26); }
void main() { thread_create(up_i, 1); thread_create(up_j, 1); thread_create(watcher, 1); }
"""

OVERWRITTEN = "decl s: int; void worker() { s := 4; assert(s = 4); } void main() { worker(); }"
"""Safe for any number of threads that run main."""

CREATED = """
decl shared: int := 0;
void worker(own: int) {
    assert(own > 0);
    shared := own;
    assert(shared > 0);
}
void main() {
    decl start: int;
    assume(start > 0);
    thread_create(worker(start), *);
    shared := start;
}
"""

BROKEN_TICKETS = """
decl next: int := 0;
decl called: int := 0;
decl busy := 0;
void customer() {
    decl mine: int;
    while (1) {
        mine := next;
        next := mine + 1;
        wait(called = mine);
        assert(!busy);
        busy := 1;
        busy := 0;
        called := called + 1;
    }
}
void main() { thread_create(customer, *); }
"""
"""Two customers may draw the same ticket."""

BROKEN_LOCK = """
decl locked: int := 0;
decl busy := 0;
void worker() {
    wait(locked = 0);
    locked := 1;
    assert(!busy);
    busy := 1;
    busy := 0;
    locked := 0;
}
void main() { thread_create(worker, *); }
"""
"""It is seen that the lock is free before it is taken."""

TOO_FEW = """
decl come: int := 0;
void worker() { come := come + 1; assert(come < 4); }
void main() { thread_create(worker, *); }
"""
"""It takes four threads."""

KNOWING = """
thread owner, nobody;
decl inside: int := 0;
void worker() {
    while (1) {
        atomic { wait(owner = nobody); owner := thread_self(); }
        inside := inside + 1;
        assert(owner = thread_self() && inside = 1);
        inside := inside - 1;
        owner := nobody;
    }
}
void main() { thread_create(worker, *); }
"""
"""A lock that knows its owner."""

RECURSIVE = """
decl depth: int := 0;
void down() { depth := depth + 1; if (*) down(); assert(depth > 0); }
void main() { thread_create(down, *); }
"""
