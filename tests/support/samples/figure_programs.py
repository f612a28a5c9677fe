"""CUBA's Figures 2, 6 and 7 as programs, as the paper prints them."""

from __future__ import annotations

FIGURE_2 = """
decl x := 1;
void foo() {
2:  if (*)
3:      foo();
4:  while (x) {}
5:  x := 1;
}
void bar() {
6:  if (*)
7:      bar();
8:  while (!x) {}
9:  x := 0; assert(x = 0);
}
void main() { thread_create(foo); thread_create(bar); }
"""

FIGURE_6 = """
decl s: enum {q0, q1, q2, q3, q4} := q0;
void foo() {
1:  wait(s = 0); s := 1;
2:  wait(s = 3);
    if (*) { s := 0; goto 1; }
    else { s := 2; goto 2; }
}
void bar1() {
3:  wait(s = 0 || s = 1 || s = 2);
    if (s = 0) { return; }
    else { if (s = 1) s := 2;
           else goto 6; }
4:  wait(s = 2); s := 3; bar1();
5:  wait(s = 0); return;
6:  wait(s = 2); s := 4; bar2();
7:  wait(s = 1); return;
}
void bar2() {
8:  wait(s = 4); s := 1; return;
}
void main() { thread_create(foo); thread_create(bar1); }
"""

FIGURE_7 = """
decl s := 0;
void foo() {
    decl l1, l2;
2:  l1 := 0; l2 := !s;
3:  bar(l2);
4:  l2 := !l1; s := 0;
5:  if (s != l2) foo();
6:  return;
}
void bar(l) { s := l; }
void main() { thread_create(foo, 2); }
"""
