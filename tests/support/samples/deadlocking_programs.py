"""Programs with a deadlock that has an explanation, as text."""

from __future__ import annotations

TRANSFER = """\
decl locked: bool[2] := 0;

void acquire(which: int 0..1) {
    atomic {
        wait(!locked[which]);
        locked[which] := 1;
    }
}

void transfer(from: int 0..1) {
    acquire(from);
    acquire(1 - from);
    locked[0] := 0;
    locked[1] := 0;
}

void main() {
    thread_create(transfer(0));
    thread_create(transfer(1));
}
"""

PHILOSOPHERS = """\
decl fork: bool[3] := 0;

void philosopher(i: int 0..2) {
    decl left: int 0..2, right: int 0..2;
    left := i;
    right := i == 2 ? 0 : i + 1;
    while (1) {
        atomic { wait(!fork[left]); fork[left] := 1; }
        atomic { wait(!fork[right]); fork[right] := 1; }
        fork[left] := 0;
        fork[right] := 0;
    }
}

void main() {
    thread_create(philosopher(0));
    thread_create(philosopher(1));
    thread_create(philosopher(2));
}
"""

JOINS = """\
decl x := 0;
decl go := 0;

void worker(a: bool) {
    wait(go && x == a);
    x := 1;
}

void main() {
    decl t: thread, u: thread;
    t := async worker(1);
    u := async worker(0);
    join(t);
    go := 1;
    join(u);
}
"""

TWICE = """\
decl owner: thread, free: thread;

void acquire() {
    atomic {
        wait(owner == free);
        owner := thread_self();
    }
}

void work() {
    acquire();
    acquire();
    owner := free;
}

void main() {
    thread_create(work, 2);
}
"""

SECTION = """\
decl x := 0, y := 0, z := 0;

bool both() {
    return x && y;
}

void first() {
    decl l;
    atomic {
        z := 1;
        l := both();
        wait(l && z);
    }
    x := 1;
}

void second() {
    wait(x || z);
    y := 1;
}

void main() {
    thread_create(first);
    thread_create(second);
}
"""

HOPELESS = """\
decl x := 0;

void waiter() {
    wait(x);
}

void chooser() {
    decl l;
    l := 0;
    assume(l || x);
}

void setter() {
    x := 0;
    wait(0);
}

void main() {
    thread_create(waiter);
    thread_create(chooser);
    thread_create(setter);
}
"""

OPEN = """\
decl x, y: int 0..3;

void reader() {
    wait(x && y > 2);
}

void main() {
    thread_create(reader, 2);
}
"""

SCHEDULER_LOCK = """\
decl atomic, go;

void init() begin
  atomic := 0;
  go := 0;
end

void main() begin
  atomic := 1;
  assume(go);
  atomic := 0;
end

void thread1() begin
  go := 1;
end
"""
