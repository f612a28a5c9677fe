"""Small programs that fork threads, as texts."""

from __future__ import annotations

LOOP = """\
decl task := 0;
void work() {
W:  task := !task;
}
void main() {
    thread t;
    while (1) {
        t := async work();
        join(t);
        assert(task | !task);
J:      skip;
    }
}
"""

RACE = """\
decl n: int 0..2 := 0;
void add(by: int 0..2) {
    decl seen: int 0..2;
    seen := n;
    n := seen + by;
}
void main() {
    thread t, u;
    t := async add(1);
    u := async add(1);
    join(t);
    join(u);
    assert(n = 2);
}
"""

CROWD = """\
decl n: int 0..3 := 0;
void add() {
    n := n + 1;
    assert(n < 3);
}
void main() {
    while (*) {
        async add();
    }
}
"""

MANY = """\
decl x := 0;
void f() { x := 1; }
void main() { async f(); async f(); async f(); async f(); async f(); L: skip; }
"""
