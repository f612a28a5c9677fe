"""Broken programs in braces, as data, that new users wrote as they would in C, Java or Python: each
gets one message, with a hint."""

from __future__ import annotations

from support.samples.broken_programs import programs_of

_TABLE = """
== a block alone
decl n: int8, m: int8;
void main() { n := 1; { n := 2; } n := 3; }
-- 2:23 expected '}' or a statement, found '{'; braces belong to if, else, while, for, do, switch
   and atomic, so leave them out here
== a block under a label
decl n: int8, m: int8;
void main() { goto L; L: { n := 2; } }
-- 2:26 expected a statement, found '{'; braces belong to if, else, while, for, do, switch and
   atomic, so leave them out here
== a block behind a case
decl n: int8, m: int8;
void main() { switch (n) { case 1: { n := 2; break; } case 2: skip; } }
-- 2:36 expected 'case', 'default', '}' or a statement, found '{'; braces belong to if, else,
   while, for, do, switch and atomic, so leave them out here
== an empty statement of while
decl b;
void main() { while (b) ; }
-- 2:25 expected '{' or a statement, found ';'; write 'skip;' for an empty statement
== an empty statement of for
decl n: int8, m: int8;
void main() { for (n := 0; n < 3; n++); }
-- 2:39 expected '{' or a statement, found ';'; write 'skip;' for an empty statement
== an empty statement of do
decl b;
void main() { do ; while (b); }
-- 2:18 expected '{' or a statement, found ';'; write 'skip;' for an empty statement
== an empty statement of if
decl b;
void main() { if (b) ; else skip; }
-- 2:22 expected '{' or a statement, found ';'; write 'skip;' for an empty statement
== an empty statement of else
decl b;
void main() { if (b) skip; else ; }
-- 2:33 expected '{' or a statement, found ';'; write 'skip;' for an empty statement
== a label before a semicolon
decl b;
void main() { while (b) L: ; }
-- 2:28 expected a statement, found ';'; a label needs a statement behind it, such as 'skip;'
== a label before a case
decl n: int8, m: int8;
void main() { switch (n) { case 0: n := 1; L: case 1: n := 2; } }
-- 2:47 expected a statement, found 'case'; a label needs a statement behind it, such as 'skip;'
== a label before the first case
decl n: int8, m: int8;
void main() { switch (n) { L: case 0: n := 2; } }
-- 2:28 expected 'case', 'default' or '}', found 'L'; statements and labels stand behind 'case 0:'
   or 'default:'
== an assignment before the first case
decl n: int8, m: int8;
void main() { switch (n) { n := 1; case 0: n := 2; } }
-- 2:28 expected 'case', 'default' or '}', found 'n'; statements and labels stand behind 'case 0:'
   or 'default:'
== a switch with a broken head
decl n: int8, m: int8;
void main() { switch (--m) { case -1: skip; case -2: n := 1; default: skip; } }
-- 2:23 expected an expression, found '--'; counting is a statement of its own, as in 'x++;'
== an elif without braces
decl b;
void main() { if (b) skip; elif (b) skip; else skip; }
-- 2:37 expected ';', found 'skip'; write 'else if (x) { … }'
== an error before else
decl n: int8, m: int8;
void main() { if (n = 1) n = 2; else n := 3; }
-- 2:28 expected '(', ',', ':', '[' or an assignment, found '='; assignment is ':='
== no parameters as in C
int main(void) { return 0; }
-- 1:10 expected ')' or a name, found 'void'; write '()' if there are no parameters
== a procedure for threads as in C
void* work(void* x) { skip; }
void main() { work(); }
-- 1:5 expected a name, found '*'; there are no pointers: an index can stand for one
== an enumeration with a name
enum color {red, green};
decl c: enum {red, green} := red;
void main() { c := green; }
-- 1:6 expected '{', found 'color'; the members stand where a variable is declared, as in 'decl s:
   enum {A, B};'
== an arrow behind a case
decl n: int8, m: int8;
void main() { switch (n) { case -1 -> skip; } }
-- 2:36 expected ':', found '-'; write ':' for an arrow
== an arrow behind default
decl n: int8, m: int8;
void main() { switch (n) { default => skip; } }
-- 2:36 expected ':', found '=>'; write ':' for an arrow
== two values in a case
decl n: int8, m: int8;
void main() { switch (n) { case 1, 2: skip; } }
-- 2:34 expected ':', found ','; each value has a case of its own, as in 'case 1: case 2:'
== a range in a case
decl n: int8, m: int8;
void main() { switch (n) { case 1..2: skip; } }
-- 2:34 expected ':', found '..'; each value has a case of its own, as in 'case 1: case 2:'
== a case that is a character
decl n: int8, m: int8;
void main() { switch (n) { case 'a': skip; } }
-- 2:33 expected a constant, found '''; there are no characters: write the number
== an else in a switch
decl n: int8, m: int8;
void main() { switch (n) { case 1: skip; else: skip; } }
-- 2:42 expected 'case', 'default', '}' or a statement, found 'else'; write 'default:'
== a fraction
decl n: int8, m: int8;
void main() { n := 1.5; }
-- 2:21 expected ',', ';', 'constrain' or an operator, found '.'; all numbers are integers
== a range with three dots
decl n: int 0...3;
void main() { skip; }
-- 1:16 expected '-' or a number, found '.'; a range is written as in 'int 0..7', and a machine
   integer as in 'int8'
== a width in parentheses
decl n: int(8);
void main() { skip; }
-- 1:12 expected ',', '-', ':=', ';', '[' or a number, found '('; a range is written as in 'int
   0..7', and a machine integer as in 'int8'
== a width in angle brackets
int<8> f() { return 0; }
void main() { skip; }
-- 1:4 expected '-', a name or a number, found '<'; a range is written as in 'int 0..7', and a
   machine integer as in 'int8'
== a range of one number
decl n: int 8;
void main() { skip; }
-- 1:14 expected '..', found ';'; a range is written as in 'int 0..7', and a machine integer as in
   'int8'
== a number with a suffix
decl n: int8, m: int8;
void main() { n := 5UL; }
-- 2:21 expected ',', ';', 'constrain' or an operator, found 'UL'; leave out 'UL'
== a binary number
decl n: int8, m: int8;
void main() { n := 0b11; }
-- 2:21 expected ',', ';', 'constrain' or an operator, found 'b11'; write '3' for '0b11'
== an octal number
decl n: int8, m: int8;
void main() { n := 0o17; }
-- 2:21 expected ',', ';', 'constrain' or an operator, found 'o17'; write '15' for '0o17'
== a number with a line in it
decl n: int8, m: int8;
void main() { n := 1_000; }
-- 2:21 expected ',', ';', 'constrain' or an operator, found '_000'; write a number without '_'
== a number with an exponent
decl n: int8, m: int8;
void main() { n := 1e3; }
-- 2:21 expected ',', ';', 'constrain' or an operator, found 'e3'; write all digits of a number
== unequal as in Pascal
decl n: int8, m: int8;
void main() { assert(n <> m); }
-- 2:25 expected an expression, found '>'; write '!=' for '<>'
== equal as in JavaScript
decl n: int8, m: int8;
void main() { assert(n === m); }
-- 2:26 expected an expression, found '='; write '==' for '==='
== a power
decl n: int8, m: int8;
void main() { n := m ** 2; }
-- 2:25 expected ',', ';', 'constrain' or an operator, found '2'; there are no powers: multiply
== an assignment for a comparison
decl n: int8, m: int8;
void main() { if (n := 1) skip; }
-- 2:21 expected ')', '[' or an operator, found ':='; comparison is '='
== an assignment of an assignment
decl n: int8, m: int8;
void main() { n := m := 1; }
-- 2:22 expected '(', ',', ';', '[', 'constrain' or an operator, found ':='; an assignment is a
   statement of its own
== an address
decl n: int8, m: int8;
void main() { n := &m; }
-- 2:20 expected 'async' or an expression, found '&'; there are no pointers: an index can stand
   for one
== a pointer
decl n: int8, m: int8;
void main() { *n := 1; }
-- 2:15 expected '}', a declaration or a statement, found '*'; there are no pointers: an index can
   stand for one
== an assertion with a text
decl b;
void main() { assert(b, "b is false"); }
-- 2:23 expected ')', found ','; 'assert' takes a condition and nothing else
== a machine integer as in C
int32 n := 0;
void main() { skip; }
-- 1:9 expected '(', found ':='; a variable is declared as in 'decl n: int32 := 0;'
== machine integers as in C
uint8 n, m;
void main() { n := 1; }
-- 1:8 expected '(', found ','; a variable is declared as in 'decl n: uint8;'
== a local machine integer as in C
void main() { int8 n; n := 1; }
-- 1:15 expected '}', a declaration or a statement, found 'int8'; variables are declared first, as
   in 'decl n: int8;'
== a declaration as in C behind a statement
void main() { skip; int n = 9; n := 1; }
-- 1:21 expected '}' or a statement, found 'int'; variables are declared first, as in 'decl n: int
   0..9 := 9;'
== a parameter that is a machine integer
void f(int32 x) { x := 1; }
void main() { f(1); }
-- 1:8 expected ')' or a name, found 'int32'; the type of a parameter comes after its name, as in
   'x: int32'
== a machine integer before a name
decl int8 x := 5;
void main() { x := 1; }
-- 1:6 expected a name, found the keyword 'int8'; a variable is declared as in 'decl x: int8 :=
   5;'
== a for with decl
void main() { for (decl i: int8 := 0; i < 3; i++) skip; }
-- 1:20 expected ';' or a name, found 'decl'; write 'for (i := 0; i < n; i++) { … }', with 'decl
   i: int32;' before it
== an atomic type
_Atomic int x;
void main() { x := 1; }
-- 1:1 expected the end of the file, a declaration or a procedure, found '_Atomic'; write 'decl
   volatile x: int32;', and 'atomic { … }' for steps that belong together
== a for over an array
decl n: int8, a: int8[3];
void main() { for (n : a) skip; }
-- 2:22 expected ',', '[' or an assignment, found ':'; write 'for (i := 0; i < n; i++) { … }',
   with 'decl i: int32;' before it
== a foreach over an array
decl n: int8, a: int8[3];
void main() { foreach (n : a) { skip; } }
-- 2:26 expected ')' or ',', found ':'; write 'for (i := 0; i < n; i++) { … }', with 'decl i:
   int32;' before it
== a break with a label
void main() { L: while (1) { break L; } }
-- 1:36 expected ';', found 'L'; 'break' is for the innermost loop, write 'goto L;' for others
== a remainder in words
decl n: int8, m: int8;
void main() { n := n mod 2; }
-- 2:22 expected '(', ',', ';', '[', 'constrain' or an operator, found 'mod'; write '%' for 'mod'
== a quotient in words
decl n: int8, m: int8;
void main() { n := n div 2; }
-- 2:22 expected '(', ',', ';', '[', 'constrain' or an operator, found 'div'; write '/' for 'div'
== an exclusive or in words
decl b;
void main() { b := b xor b; }
-- 2:22 expected '(', ',', ';', '[', 'constrain' or an operator, found 'xor'; write '^' for 'xor'
== any value by a call
decl n: int8, m: int8;
void main() { n := nondet(); }
-- 2:20 expected a procedure, found 'nondet'; write '*' for any value, as in 'x := *;'
== any value by a statement
decl n: int8, m: int8;
void main() { havoc n; }
-- 2:21 expected '(', ',', ':', '[' or an assignment, found 'n'; write '*' for any value, as in 'x
   := *;'
== a call of havoc
decl n: int8, m: int8;
void main() { havoc(n); }
-- 2:15 expected a procedure, found 'havoc'; write '*' for any value, as in 'x := *;'
== output in Java
decl n: int8, m: int8;
void main() { println(n); }
-- 2:15 expected a procedure, found 'println'; there is no output: leave it out
== a pause
void main() { sleep(1); }
-- 1:15 expected a procedure, found 'sleep'; there is no time, and other threads may run at any
   step: leave it out
== a yield
void main() { yield; }
-- 1:20 expected '(', ',', ':', '[' or an assignment, found ';'; there is no time, and other
   threads may run at any step: leave it out
== itself as in Python
thread t;
void main() { t := self(); }
-- 2:20 expected a procedure, found 'self'; a thread names itself by 'thread_self()'
== itself as in C
thread t;
void main() { t := pthread_self(); }
-- 2:20 expected a procedure, found 'pthread_self'; a thread names itself by 'thread_self()'
== a join as in C
thread t;
void main() { pthread_join(t); }
-- 2:15 expected a procedure, found 'pthread_join'; a thread is joined as in 'join(t);'
== a thread that is counted
thread t;
void main() { t++; }
-- 2:15 expected an integer, found 't', which is a thread
== a thread in a compound assignment
thread t;
void main() { t += 1; }
-- 2:15 expected an integer, found 't', which is a thread
== a name for a type
typedef int8 t;
void main() { skip; }
-- 1:1 expected the end of the file, a declaration or a procedure, found 'typedef'; types have no
   names: write the type itself
== an exception that is caught
void main() { catch (E e) { } }
-- 1:24 expected ')', ',', '[' or an operator, found 'e'; there are no exceptions: an error is an
   'assert' that fails
"""

BROKEN_HABITS = programs_of(_TABLE)
