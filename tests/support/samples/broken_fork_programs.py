"""Programs in braces that misuse fork, join and the identities of threads, as data.

Identities are copied, passed and joined; everything else is refused (QR, assumptions A1 to A3).
"""

from __future__ import annotations

from support.samples.broken_programs import programs_of

_TABLE = """
== a thread for a result
thread f() {}
-- 1:9 expected ',' or ';', found '('; procedures do not return threads
== a thread in an array
thread t[2];
-- 1:9 expected ',' or ';', found '['; there are no arrays of threads
== an array of a type that has none
decl t: thread[2];
-- 1:15 expected no length, because there are no arrays of threads
== a thread with a value
void main() { thread t := async main(); }
-- 1:24 expected ',' or ';', found ':='; it names a thread when 'async' is assigned to it
== a thread with an initial value
decl t: thread := 0;
-- 1:19 expected no initial value, because 't' names a thread, and at first none
== a thread with any initial value
decl t: thread := *;
-- 1:19 expected no initial value, because 't' names a thread, and at first none
== a thread declared after a statement
void main() { skip; thread t; }
-- 1:21 expected '}' or a statement, found 'thread'; declarations come first
== a thread compared with a number
thread t;
void main() { if (0 != t) skip; }
-- 2:19 expected a thread, found 0
== a thread compared with a Boolean
decl x; thread t;
void main() { if (t = x) skip; }
-- 2:23 expected a thread, found 'x', which is a Boolean
== an order of threads
thread t, u;
void main() { if (t < u) skip; }
-- 2:19 expected an integer, found 't', which is a thread
== a thread compared with its next value
thread t, u;
void main() { t := u constrain 't != t; }
-- 2:32 expected a thread, found 't', which is a thread after the step
== a join with oneself
void main() { join(thread_self()); }
-- 1:20 expected a variable that names a thread, found 'thread_self()'
== a thread for a condition
thread t;
void main() { while (t) skip; }
-- 2:22 expected a Boolean, found 't', which is a thread
== a negated thread
thread t;
void main() { assert(!t); }
-- 2:23 expected a Boolean, found 't', which is a thread
== a thread for a Boolean
decl x; thread t;
void main() { x := t; }
-- 2:20 expected a Boolean, found 't', which is a thread
== any thread
thread t;
void main() { t := *; }
-- 2:20 expected a variable that names a thread, found '*'
== a number for a thread
thread t;
void main() { t := 1; }
-- 2:20 expected a variable that names a thread, found 1
== a Boolean for a thread
decl x; thread t;
void main() { t := x; }
-- 2:20 expected a variable that names a thread, found 'x', which is a Boolean
== a Boolean passed for a thread
void f(t: thread) {}
void main() { decl x; f(x); }
-- 2:25 expected a variable that names a thread, found 'x', which is a Boolean
== a choice between threads
decl x; thread t, u;
void main() { t := x ? t : u; }
-- 2:20 expected a variable that names a thread, found an expression
== arithmetic with threads
decl n: int 0..3; thread t;
void main() { n := t + 1; }
-- 2:20 expected an integer, found 't', which is a thread
== a sum for a thread
thread t, u;
void main() { t := t + u; }
-- 2:20 expected an integer, found 't', which is a thread
== a sum of integers for a thread
thread t;
void main() { t := 1 + 2; }
-- 2:20 expected a variable that names a thread, found an expression
== a thread for an index
decl a: bool[2]; thread t;
void main() { a[t] := 1; }
-- 2:17 expected an integer, found 't', which is a thread
== a returned thread
thread t;
bool f() { return t; } void main() {}
-- 2:19 expected a Boolean, found 't', which is a thread
== a result for a thread
thread t;
bool f() { return 1; }
void main() { t := f(); }
-- 3:15 expected a variable for a Boolean, found 't', which is a thread
== a join of a Boolean
decl x;
void main() { join(x); }
-- 2:20 expected a variable that names a thread, found 'x', which is a Boolean
== a join of a member
decl s: enum {red, green};
void main() { join(red); }
-- 2:20 expected a variable that names a thread, found 'red', which is a member of enum {red, green}
== a join of an array
decl a: bool[2];
void main() { join(a); }
-- 2:20 expected a single value, found the array 'a' without index
== a join of an element
decl a: bool[2];
void main() { join(a[1]); }
-- 2:20 expected a variable that names a thread, found 'a', which is a Boolean
== a join of anything
void main() { join(*); }
-- 1:20 expected a variable that names a thread, found '*'
== a join of nothing
void main() { join(); }
-- 1:20 expected a variable that names a thread, found ')'
== a join of what is not declared
thread t;
void main() { join(s); }
-- 2:20 expected a variable, found 's', which is not declared
== a thread that forks nothing that is declared
void main() { async f(); }
-- 1:21 expected a procedure, found 'f'
== a fork by that name
void f(x) {}
void main() { thread t; t := fork f(1); }
-- 2:35 expected '(', ',', ';', '[', 'constrain' or an operator, found 'f'; a thread is forked
   as in 't := async f(x);'
== a fork of a thread that nobody names, by that name
void f(x) {}
void main() { fork f(1); }
-- 2:20 expected '(', ',', ':', '[' or an assignment, found 'f'; a thread is forked
   as in 't := async f(x);'
== a fork as a call
void f(x) {}
void main() { thread t; t := fork(f, 1); }
-- 2:30 expected a procedure, found 'fork'; a thread is forked as in 't := async f(x);'
== a fork with the procedure in parentheses
void f(x) {}
void main() { async(f, 1); }
-- 2:20 expected a name, found '('; the procedure comes first, as in 'async f(x);'
== a join as other languages have it
thread t;
void main() { thread_join(t); }
-- 2:15 expected a procedure, found 'thread_join'; a thread is joined as in 'join(t);'
== too many arguments for a fork
void f() {}
void main() { async f(1); }
-- 2:21 expected no arguments for 'f', found 1
== too few arguments for a fork
void f(x, t: thread) {}
void main() { thread t; t := async f(1); }
-- 2:36 expected 2 arguments for 'f', found 1
== a thread passed for a Boolean
void f(x) {}
void main() { thread t; async f(t); }
-- 2:33 expected a Boolean, found 't', which is a thread
== a fork into a Boolean
decl x;
void main() { x := async main(); }
-- 2:15 expected a variable that names a thread, found 'x', which is a Boolean
== a fork into two variables
thread t, u;
void main() { t, u := async main(); }
-- 2:15 expected 1 variable that names a thread, found 2
== a fork without a procedure
void main() { async; }
-- 1:20 expected a name, found ';'
== a fork with an assignment inside
thread t;
void main() { async t := main(); }
-- 2:23 expected '(', found ':='
"""

BROKEN_FORK_PROGRAMS = programs_of(_TABLE)
