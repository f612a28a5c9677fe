"""The programs of sections 5 and 6.2 of DrUBA, as its text describes them, and their predicates."""

from __future__ import annotations

PROGRAM_P = """\
decl m: int := 0;
decl s: int := 0;

void p() {
    decl l: int := 0;
0:  m := m + 1;
1:  if (m = 1) {
2:      s, l := s + 1, l + 1;
3:      assert(s = l);
        goto 2;
    }
4:  wait(0);
}

void main() {
    thread_create(p, *);
}
"""
"""Figure 1."""

ALPHA_1 = ["s = l"]
ALPHA_2 = [*ALPHA_1, "m = 1"]
ALPHA_3 = [*ALPHA_2, "m = 0"]

NATURAL = "m >= 0"
"""The paper takes it for granted."""

WITH_COUNTS = [
    *ALPHA_3,
    NATURAL,
    "count(!at 0) >= 1",
    "count(!at 0) >= 2",
    "count(at 2 || at 3) >= 2",
]
"""These prove program P for any number of threads, with the 14 abstract states of the paper."""

TICKET_LOCK = """\
decl s: int := 0;
decl t: int := 0;

void customer() {
    decl l: int := -1;
draw:   l, t := t, t + 1;
0:      wait(s = l);
1:      s, l, t := s + 1, t, t + 1;
        goto 0;
}

void main() {
    thread_create(customer, *);
}
"""
"""Figure 2. A thread at `draw` has no ticket yet; in the paper, local variables start with one."""

P_1_TO_P_4 = [
    "count(!at draw && l >= t) = 0",
    "count(at 1) >= 2",
    "!at draw && s = l",
    "at draw || forall other: other at draw || l != other.l",
]
