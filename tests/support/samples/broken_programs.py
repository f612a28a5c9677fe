"""Broken programs in braces as data: what is wrong, where, and what must be said.

The messages are whole: a test compares them exactly.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class BrokenProgram:
    name: str
    text: str
    line: int
    column: int
    message: str

    def __str__(self) -> str:
        return self.name


_TABLE = """
== a sign that does not exist
void main() { x @ 1; }
-- 1:17 no word or sign begins with '@'
== a comment without end
void main() {
  /* no end
  skip;
}
-- 2:3 the comment opened here is not closed
== a number with too many digits
decl x := 99999999999999999999;
-- 1:11 expected a number below 2^64, found a larger one
== no parenthesis after the parameters
void main( {
}
-- 1:12 expected ')' or a name, found '{'
== no comma between variables
decl x y;
-- 1:8 expected ',', ':', ':=' or ';', found 'y'
== no value
decl x;
void main() { x := ; }
-- 2:20 expected 'async' or an expression, found ';'
== no semicolon
decl x;
void main() {
  x := 1
  skip;
}
-- 4:3 expected ',', ';', 'constrain' or an operator, found 'skip'
== a declaration after a statement
void main() {
  skip;
  decl x;
}
-- 3:3 expected '}' or a statement, found 'decl'; declarations come first
== an assignment as in other languages
decl x;
void main() { x = 1; }
-- 2:17 expected '(', ',', ':', '[' or an assignment, found '='; assignment is ':='
== an initial value as in other languages
decl x = 0;
void main() { skip; }
-- 1:8 expected ',', ':', ':=' or ';', found '='; assignment is ':='
== a declaration as in other languages
int x;
void main() { skip; }
-- 1:6 expected '(', found ';'; a variable is declared as in 'decl x: int 0..7;'
== a range that is cut off
decl x: int -;
void main() { skip; }
-- 1:14 expected a number, found ';'
== an integer that starts with a Boolean
decl x: int := true;
void main() { skip; }
-- 1:16 expected a number or * as initial value, found true
== decl once more
decl x := 0, decl y;
void main() { skip; }
-- 1:14 expected a name, found the keyword 'decl'; 'decl' is written once for several variables
== a local declaration as in other languages
void main() { int 0..3 x; }
-- 1:15 expected '}', a declaration or a statement, found 'int';
   variables are declared first, as in 'decl x: int 0..7;'
== a misspelt procedure
void work() { skip; } void main() { wrok(); }
-- 1:37 expected a procedure, found 'wrok'; did you mean 'work'?
== a misspelt label
void main() { Loop: goto loop; }
-- 1:26 expected a label of 'main', found 'loop'; did you mean 'Loop'?
== a misspelt variable
decl count; void main() { cuont := 1; }
-- 1:27 expected a variable, found 'cuont', which is not declared; did you mean 'count'?
== a misspelt member
decl s: enum {red, green}; void main() { s := gren; }
-- 1:47 expected a variable, found 'gren', which is not declared; did you mean 'green'?
== a label before nothing
void main() { L: }
-- 1:18 expected a statement, found '}'; a label needs a statement behind it, such as 'skip;'
== a goto to nowhere
void main() { goto ; }
-- 1:20 expected a label, found ';'
== a condition without parentheses
decl x;
void main() { if x skip; }
-- 2:18 expected '(', found 'x'
== nothing between if and else
decl x;
void main() { if (x) else skip; }
-- 2:22 expected '{' or a statement, found 'else'
== a parenthesis left open
decl x;
void main() { x := (x; }
-- 2:22 expected ')', found ';'
== half a choice
decl x;
void main() { x := x ? 1; }
-- 2:25 expected ':', found ';'
== a brace too many
void main() { skip; } }
-- 1:23 expected the end of the file or a procedure, found '}'
== a brace too few
void main() {
  skip;
-- 2:8 expected '}', found the end of the file
== a statement outside all procedures
x := 1;
-- 1:1 expected the end of the file, a declaration or a procedure, found 'x'
== a keyword for a name
decl while;
-- 1:6 expected a name, found the keyword 'while'
== an enumeration without members
decl s: enum {};
-- 1:15 expected a name, found '}'
== an expression as initial value
decl x := y + 1;
-- 1:13 expected ',' or ';', found '+'
== a number for a type
decl x: 3;
-- 1:9 expected a type, found '3'
== a thread without procedure
void main() { thread_create(); }
-- 1:29 expected a name, found ')'
== a comma too many
void main() { return 1, ; }
-- 1:25 expected an expression, found ';'
== a range the wrong way round
decl n: int 3..2;
-- 1:16 expected a number from 3 upwards, found 2
== a member twice
decl s: enum {a, b, a};
-- 1:21 expected a new member, found 'a' again
== an array without elements
decl a: bool[0];
-- 1:14 expected a number of elements (1 to 10000), found 0
== an array that is too long
decl a: bool[20000];
-- 1:14 expected a number of elements (1 to 10000), found 20000
== no results between angles
bool<0> f() { return; }
-- 1:6 expected a number of results (1 to 64), found 0
== no threads
void main() { thread_create(f, 0); }
void f() {}
-- 1:32 expected a number of threads (1 to 10000), found 0
== a member of two enumerations
decl s: enum {a, b};
decl t: enum {b, c};
void main() {}
-- 2:6 expected new members, but 'b' is already a member of enum {a, b}
== a variable named like a member
decl s: enum {a, b};
decl a;
void main() {}
-- 2:6 expected a new name, but 'a' is a member of enum {a, b}
== a local variable named like a member
decl s: enum {a, b};
void main() { decl b; }
-- 2:20 expected a new name, but 'b' is a member of enum {a, b}
== two for a Boolean
decl x := 2;
void main() {}
-- 1:11 expected 0, 1, true, false or * as initial value, found 2
== an initial value out of range
decl n: int 0..7 := 8;
void main() {}
-- 1:21 expected a number from 0 to 7 or * as initial value, found 8
== a truth value for an integer
decl n: int 0..7 := true;
void main() {}
-- 1:21 expected a number from 0 to 7 or * as initial value, found true
== an unknown member for an initial value
decl s: enum {a, b} := c;
void main() {}
-- 1:24 expected a member of enum {a, b} or * as initial value, found 'c'
== a variable for an initial value
decl x, y := x;
void main() {}
-- 1:14 expected 0, 1, true, false or * as initial value, found 'x'
== a global variable twice
decl x;
decl y, x;
void main() {}
-- 2:9 expected a new name, but line 1 already declares the variable 'x'
== a local variable twice
void main() { decl t; decl u, t; }
-- 1:31 expected a new name, but line 1 already declares the variable 't'
== a parameter twice
void f(a, a) {}
void main() {}
-- 1:11 expected a new name, but line 1 already declares the variable 'a'
== a local variable named like a parameter
void f(a) { decl a; }
void main() {}
-- 1:18 expected a new name, but line 1 already declares the variable 'a'
== a procedure twice
void f() {}
void main() {}
void f() {}
-- 3:6 expected a new name, but line 1 already declares the procedure 'f'
== an assignment to nothing that is declared
void main() { x := 1; }
-- 1:15 expected a variable, found 'x', which is not declared
== a read of nothing that is declared
decl x;
void main() { x := !y; }
-- 2:21 expected a variable, found 'y', which is not declared
== a procedure for a value
decl x;
void f() {}
void main() { x := f; }
-- 3:20 expected a variable, found the procedure 'f'
== an assignment to a procedure
void f() {}
void main() { f := 1; }
-- 2:15 expected a variable, found the procedure 'f'
== an assignment to a member
decl s: enum {a, b};
void main() { a := b; }
-- 2:15 expected a variable, found 'a', a member of enum {a, b}
== a call of nothing that is declared
void main() { f(); }
-- 1:15 expected a procedure, found 'f'
== a call of a variable
decl x;
void main() { x(); }
-- 2:15 expected a procedure, found 'x'
== a thread that runs nothing that is declared
void main() { thread_create(f); }
-- 1:29 expected a procedure, found 'f'
== the passive copy of a variable
decl b2;
void main() { b2, b2$ := 1, 0; }
-- 2:19 expected a variable, found 'b2$', the passive threads' copy of 'b2'; tepui does not support
   passive copies
== a program without main
decl x;
void f() {}
-- 2:12 expected a procedure 'main', which runs first, found none
== too few arguments
void f(a) {}
void main() { f(); }
-- 2:15 expected 1 argument for 'f', found none
== too many arguments
void f() {}
void main() { f(1, 0); }
-- 2:15 expected no arguments for 'f', found 2
== too few arguments for a thread
void f(a, b) {}
void main() { thread_create(f(1)); }
-- 2:29 expected 2 arguments for 'f', found 1
== fewer values than variables
decl x, y;
void main() { x, y := 1; }
-- 2:15 expected 2 values, found 1
== no results to assign
decl x;
void f() {}
void main() { x := f(); }
-- 3:20 expected a procedure with results, found 'f', which returns nothing
== fewer variables than results
decl x;
bool<2> f() { return 0, 1; }
void main() { x := f(); }
-- 3:15 expected 2 variables for what 'f' returns, found 1
== no value to return
bool f() { return; }
void main() {}
-- 1:12 expected 1 value to return from 'f', found none
== a value too many to return
void main() { return 1; }
-- 1:15 expected no values to return from 'main', found 1
== an ignored value that no call returns
decl x;
void main() { x, _ := 1, 0; }
-- 2:18 expected a variable, found '_', which only ignores a call's result
== an end without return
decl x;
bool f() { if (x) return 1; }
void main() { x := f(); }
-- 2:29 expected 'return' on every path through 'f', found one that ends here
== an integer for a condition
decl n: int 0..3;
void main() { if (n) skip; }
-- 2:19 expected a Boolean, found 'n', which is an integer
== a Boolean for an integer
decl x, n: int 0..3;
void main() { n := x; }
-- 2:20 expected an integer, found 'x', which is a Boolean
== a number for a Boolean
decl x;
void main() { x := 2; }
-- 2:20 expected a Boolean, found 2
== a sum for a Boolean
decl x;
void main() { assert(x + 1); }
-- 2:22 expected a Boolean, found an integer
== a number compared with a Boolean
decl x;
void main() { wait(x = 2); }
-- 2:24 expected a Boolean, found 2
== an index without member
decl s: enum {a, b};
void main() { s := 2; }
-- 2:20 expected a member of enum {a, b}, found 2
== a member of another enumeration
decl s: enum {a, b}, t: enum {c, d};
void main() { s := c; }
-- 2:20 expected a member of enum {a, b}, found 'c', which is a member of enum {c, d}
== enumerations compared with each other
decl s: enum {a, b}, t: enum {c, d};
void main() { assert(s = t); }
-- 2:26 expected a member of enum {a, b}, found 't', which is a member of enum {c, d}
== an order of members
decl s: enum {a, b};
void main() { assert(s < b); }
-- 2:22 expected an integer, found 's', which is a member of enum {a, b}
== a choice inside a sum
decl n: int 0..3;
void main() { n := n + *; }
-- 2:24 expected an integer, found '*', any Boolean
== a choice beside a number
decl n: int 0..3;
void main() { assert(* < 4); }
-- 2:22 expected an integer, found '*', any Boolean
== a choice beside a sum
decl n: int 0..3;
void main() { assert(n + 1 = *); }
-- 2:30 expected an integer, found '*', any Boolean
== a choice beside a thread
thread t;
void main() { assert(t = *); }
-- 2:26 expected a thread, found '*', any Boolean
== branches of different kinds
decl x, n: int 0..3;
void main() { n := x ? 1 : true; }
-- 2:28 expected an integer, found a Boolean
== the negation of an integer
decl x, n: int 0..3;
void main() { x := !n; }
-- 2:21 expected a Boolean, found 'n', which is an integer
== a result of another kind
decl x;
int 0..3 f() { return 1; }
void main() { x := f(); }
-- 3:15 expected a variable for an integer, found 'x', which is a Boolean
== an argument of another kind
void f(n: int 0..3) {}
void main() { f(true); }
-- 2:17 expected an integer, found a Boolean
== an assignment to a whole array
decl a: bool[4];
void main() { a := 1; }
-- 2:15 expected a single value, found the array 'a' without index
== a whole array for a value
decl a: bool[4], x;
void main() { x := a; }
-- 2:20 expected a single value, found the array 'a' without index
== an index of a single value
decl x;
void main() { x := x[0]; }
-- 2:20 expected an array before '[', found 'x'
== a Boolean for an index
decl a: bool[4], x;
void main() { a[x] := 1; }
-- 2:17 expected an integer, found 'x', which is a Boolean
== an array for a parameter
void f(a: bool[4]) {}
void main() {}
-- 1:8 expected a single value, found the array 'a'; arrays cannot be passed
== a value after the step without constrain
decl x;
void main() { x := 'x; }
-- 2:20 expected a value before the step, found "'x", the value after it; that may only stand
   behind 'constrain'
== a value after the step of nothing that is declared
decl x;
void main() { x := * constrain 'y; }
-- 2:32 expected a variable, found 'y', which is not declared
== a label twice
void main() {
  L: skip;
  L: skip;
}
-- 3:3 expected a new label, but line 2 already has 'L'
== a number as a label twice
void main() { 1: skip; 1: skip; }
-- 1:24 expected a new label, but line 1 already has '1'
== a goto to an unknown label
void main() { goto L; }
-- 1:20 expected a label of 'main', found 'L'
== a goto into another procedure
void f() { L: skip; }
void main() { goto L; }
-- 2:20 expected a label of 'main', found 'L'
== a goto into an atomic block
decl x;
void main() {
  goto L;
  atomic { L: x := 1; }
}
-- 3:8 expected a label outside, found 'L', which is inside the atomic block of line 4
== too many threads
void f() {}
void main() { thread_create(f, 6000); thread_create(f, 6000); }
-- 2:15 expected at most 10000 threads, found more
== a thread whose results nobody takes
decl x;
bool f() { return x; }
void main() { thread_create(f); x := f(); }
-- 2:6 expected no results of 'f', which is both run by a thread and called, found some
== too many operators inside each other
decl x;
void main() { x := !!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!x; }
-- 2:84 expected at most 64 nested operators, found more
== a goto from one atomic block into another
decl n: int 0..3;
void main() {
  atomic { goto L; atomic { L: n := 1; } goto M; }
  atomic { M: n := 2; }
}
-- 3:47 expected a label outside, found 'M', which is inside the atomic block of line 4
== a procedure for a label
void f() {}
void main() { goto f; }
-- 2:20 expected a label of 'main', found 'f'
"""


def programs_of(table: str) -> list[BrokenProgram]:
    """The programs of a table: `== name`, the text, and `-- line:column message`."""
    programs = []
    for case in table.split("\n== ")[1:]:
        program, _, complaint = case.partition("\n-- ")
        name, _, text = program.partition("\n")
        place, *message = complaint.split()
        line, column = map(int, place.split(":"))
        programs.append(BrokenProgram(name, text, line, column, " ".join(message)))
    return programs


BROKEN_PROGRAMS = programs_of(_TABLE)
