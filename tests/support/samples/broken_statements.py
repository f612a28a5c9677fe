"""Broken programs in braces that use what C, Java and Python have, as data: loops, `switch`,
counting, machine integers, and words that these programs lack."""

from __future__ import annotations

from support.samples.broken_programs import programs_of

_TABLE = """
== a word of C for a type
decl x: char;
-- 1:9 expected a type, found 'char'; write 'int8' for 'char'
== a wide word of C for a type
decl x: long := 0;
-- 1:9 expected a type, found 'long'; write 'int64' for 'long'
== an unsigned number as in C
void main() { unsigned x; }
-- 1:24 expected '(', ',', ':', '[' or an assignment, found 'x'; write 'uint32' for 'unsigned'
== a structure
struct pair { int x; }
void main() { skip; }
-- 1:1 expected the end of the file, a declaration or a procedure, found 'struct'; there are no
   structures: declare a variable or an array for each field
== a constant variable
void main() { const x; }
-- 1:21 expected '(', ',', ':', '[' or an assignment, found 'x'; there is no 'const': leave it
   out
== a static variable
static x;
void main() { skip; }
-- 1:1 expected the end of the file, a declaration or a procedure, found 'static'; there is no
   'static': leave it out
== a floating-point number
void main() { float x; }
-- 1:21 expected '(', ',', ':', '[' or an assignment, found 'x'; all numbers are integers
== a null pointer
decl x: int32;
void main() { x := NULL; }
-- 2:20 expected a variable, found 'NULL', which is not declared; there are no pointers: an
   index can stand for one
== memory from a heap
decl x: int32;
void main() { x := malloc(4); }
-- 2:20 expected a procedure, found 'malloc'; there is no heap: declare an array that is long
   enough
== output
void main() { printf(1); }
-- 1:15 expected a procedure, found 'printf'; there is no output: leave it out
== a class
class A { }
void main() { skip; }
-- 1:1 expected the end of the file, a declaration or a procedure, found 'class'; there are no
   structures: declare a variable or an array for each field
== an exception
void main() { throw e; }
-- 1:21 expected '(', ',', ':', '[' or an assignment, found 'e'; there are no exceptions: an
   error is an 'assert' that fails
== a synchronized block
void main() { synchronized { skip; } }
-- 1:28 expected '(', ',', ':', '[' or an assignment, found '{'; write 'atomic { … }' for
   'synchronized'
== a function of Python
def main() { skip; }
-- 1:1 expected the end of the file, a declaration or a procedure, found 'def'; a procedure is
   written as in 'void f() { … }'
== a variable of JavaScript
void main() { let x; }
-- 1:19 expected '(', ',', ':', '[' or an assignment, found 'x'; a variable is declared as in
   'decl x: int32;'
== break outside of a loop
void main() { break; }
-- 1:15 expected 'break' inside a loop or a 'switch', found it outside
== break in an if
void main() { if (*) break; }
-- 1:22 expected 'break' inside a loop or a 'switch', found it outside
== continue outside of a loop
void main() { skip; continue; }
-- 1:21 expected 'continue' inside a loop, found it outside
== continue in a switch
decl n: int 0..3;
void main() { switch (n) { case 0: continue; } }
-- 2:36 expected 'continue' inside a loop, found it outside
== a statement before the first case
decl n: int 0..3;
void main() { switch (n) { skip; case 0: skip; } }
-- 2:28 expected 'case', 'default' or '}', found 'skip'; statements and labels stand behind 'case
   0:' or 'default:'
== a case outside of a switch
void main() { case 0: skip; }
-- 1:15 expected '}', a declaration or a statement, found 'case'
== a case twice
decl n: int 0..3;
void main() { switch (n) { case 1: skip; case 1: skip; } }
-- 2:47 expected a new case, but line 2 already has it
== two defaults
decl n: int 0..3;
void main() { switch (n) { default: skip; default: skip; } }
-- 2:43 expected a new case, but line 2 already has it
== a variable for a case
decl n: int 0..3, m: int 0..3;
void main() { switch (n) { case m: skip; } }
-- 2:33 expected a constant behind 'case', found a variable
== a case of another kind
decl n: int 0..3;
void main() { switch (n) { case true: skip; } }
-- 2:33 expected an integer, found a Boolean
== an unknown member for a case
decl s: enum {A, B};
void main() { switch (s) { case C: skip; } }
-- 2:33 expected a variable, found 'C', which is not declared
== a case without colon
decl n: int 0..3;
void main() { switch (n) { case 1 skip; } }
-- 2:35 expected ':', found 'skip'
== an expression for a case
decl n: int 0..3;
void main() { switch (n) { case n + 1: skip; } }
-- 2:35 expected ':', found '+'
== a switch over a choice
void main() { switch (*) { case true: skip; } }
-- 1:23 expected a value that is the same for all cases, found '*'; assign it to a variable
   first
== a switch over a thread
thread t;
void main() { switch (t) { case 0: skip; } }
-- 2:23 expected a value that is the same for all cases, found a thread
== a switch without parentheses
decl n: int 0..3;
void main() { switch n { case 0: skip; } }
-- 2:22 expected '(', found 'n'
== a for without semicolons
decl i: int8;
void main() { for (i := 0) skip; }
-- 2:26 expected ',', ';' or 'constrain', found ')'
== a for with a declaration
void main() { for (int i = 0; i < 3; i++) skip; }
-- 1:20 expected ';' or a name, found 'int'; write 'for (i := 0; i < n; i++) { … }', with 'decl
   i: int32;' before it
== a for with a comparison instead of an assignment
decl i: int8;
void main() { for (i = 0; i < 3; i++) skip; }
-- 2:22 expected ',', '[' or an assignment, found '='; assignment is ':='
== a for over a range as in Python
decl i: int8;
void main() { for i in range(3) skip; }
-- 2:19 expected '(', found 'i'; write 'for (i := 0; i < n; i++) { … }', with 'decl i: int32;'
   before it
== a for that calls
decl i: int8;
void main() { for (i := f(); i < 3; i++) skip; }
int8 f() { return 0; }
-- 2:26 expected ',', ';', '[', 'constrain' or an operator, found '('; a call is a statement of
   its own, as in 't := f(x);'
== a for with an integer for a condition
decl i: int8;
void main() { for (i := 0; i; i++) skip; }
-- 2:28 expected a Boolean, found 'i', which is an integer
== a do without while
void main() { do { skip; } }
-- 1:28 expected 'while', found '}'
== a do without semicolon
void main() { do { skip; } while (*) }
-- 1:38 expected ';', found '}'
== a do until
void main() { do { skip; } until (*); }
-- 1:28 expected 'while', found 'until'; write 'do { … } while (!x);'
== a compound assignment to two
decl x: int8, y: int8;
void main() { x, y += 1; }
-- 2:20 expected ',', ':=' or '[', found '+='
== a compound assignment of two
decl x: int8;
void main() { x += 1, 2; }
-- 2:21 expected ';', found ','
== a compound assignment to nothing
void main() { _ += 1; }
-- 1:17 expected '(', ',', ':' or ':=', found '+='
== a compound assignment to a Boolean
decl x;
void main() { x += 1; }
-- 2:15 expected a Boolean, found an integer
== counting a Boolean
decl x;
void main() { x++; }
-- 2:15 expected a Boolean, found an integer
== counting a member
decl s: enum {A, B};
void main() { s++; }
-- 2:15 expected a member of enum {A, B}, found an integer
== counting a call
void main() { f()++; }
void f() {}
-- 1:18 expected ';', found '++'
== counting inside an expression
decl x: int8;
void main() { x := x++; }
-- 2:21 expected '(', ',', ';', '[', 'constrain' or an operator, found '++'; counting is a
   statement of its own, as in 'x++;'
== counting before an operand
decl x: int8;
void main() { x := 1 + ++x; }
-- 2:24 expected an expression, found '++'; counting is a statement of its own, as in 'x++;'
== counting an index that chooses
decl a: int8[2];
void main() { a[* ? 0 : 1]++; }
-- 2:15 expected an index without '*', because it is evaluated twice here
== an assignment as in Pascal and C at once
decl x: int8;
void main() { x =+ 1; }
-- 2:17 expected '(', ',', ':', '[' or an assignment, found '='; assignment is ':='
== a remainder of Booleans
decl x, y;
void main() { x := x % y; }
-- 2:20 expected a Boolean, found an integer
== a shift of a Boolean
decl x, n: int8;
void main() { n := x << 1; }
-- 2:20 expected an integer, found 'x', which is a Boolean
== a shift without sign of what has no width
decl n: int 0..7;
void main() { n := n >>> 1; }
-- 2:22 expected a machine integer such as int32 before '>>>', found an integer without a width
== bits of a Boolean and an integer
decl x, n: int8;
void main() { n := n & x; }
-- 2:24 expected an integer, found 'x', which is a Boolean
== the complement of a member
decl s: enum {A, B};
void main() { s := ~s; }
-- 2:20 expected a member of enum {A, B}, found '~', which is for Booleans and integers
== bits of members
decl s: enum {A, B};
void main() { s := s | B; }
-- 2:22 expected a member of enum {A, B}, found '|', which is for Booleans and integers
== the logic of integers
decl n: int8, x;
void main() { x := n && n; }
-- 2:20 expected a Boolean, found 'n', which is an integer
== an initial value that is too wide
decl n: int8 := 128;
void main() { skip; }
-- 1:17 expected a number from -128 to 127 or * as initial value, found 128
== a negative number without sign
decl n: uint16 := -1;
void main() { skip; }
-- 1:19 expected a number from 0 to 65535 or * as initial value, found -1
== a number that is too large for all
decl n: uint64 := 18446744073709551616;
void main() { skip; }
-- 1:19 expected a number below 2^64, found a larger one
== a hexadecimal number without digits
decl n: int32 := 0x;
void main() { skip; }
-- 1:19 expected ',' or ';', found 'x'
== a range with a machine integer
decl n: int32 0..7;
void main() { skip; }
-- 1:15 expected ',', ':=', ';' or '[', found '0'
== a width that does not exist
decl n: int128;
void main() { skip; }
-- 1:9 expected a type, found 'int128'; the types are bool, int 0..7, int32 and the like, enum
   {A, B} and thread, and arrays such as bool[3]
== volatile in front
volatile decl x;
void main() { skip; }
-- 1:1 expected the end of the file, a declaration or a procedure, found 'volatile'; global
   variables are declared as in 'decl volatile x;'
== a volatile local variable
void main() { decl volatile x; skip; }
-- 1:29 expected 'volatile' for global variables only, found it for 'x', which no other thread
   sees
== a volatile parameter
void f(volatile x) {}
void main() { skip; }
-- 1:8 expected ')' or a name, found 'volatile'; global variables are declared as in 'decl
   volatile x;'
== volatile alone
decl volatile;
void main() { skip; }
-- 1:14 expected a name, found ';'
== a thread for itself without parentheses
thread t;
void main() { t := thread_self; }
-- 2:31 expected '(', found ';'
== itself with an argument
thread t;
void main() { t := thread_self(1); }
-- 2:32 expected ')', found '1'
== a division that is not closed
decl n: int8;
void main() { n := n /; }
-- 2:23 expected an expression, found ';'
== an arrow
decl n: int8;
void main() { n->x := 1; }
-- 2:16 expected '(', ',', ':', '[' or an assignment, found '-'; there are no structures:
   declare a variable or an array for each field
== a field
decl n: int8;
void main() { n.x := 1; }
-- 2:16 expected '(', ',', ':', '[' or an assignment, found '.'; there are no structures:
   declare a variable or an array for each field
== a text
void main() { f("x"); }
-- 1:17 no word or sign begins with '"'; there are no texts
== a character
decl n: int8;
void main() { n := 'a'; }
-- 2:22 expected ',', ';', 'constrain' or an operator, found '''; there are no characters: write
   the number
== a cast
decl n: int8, m: int32;
void main() { n := (int8) m; }
-- 2:21 expected an expression, found 'int8'; there are no casts: an assignment converts
== an array of arrays
decl a: int8[2][2];
void main() { skip; }
-- 1:16 expected ',', ':=' or ';', found '['; an array has one length
== an initial array
decl a: int8[2] := {0, 1};
void main() { skip; }
-- 1:20 expected a constant, found '{'; all elements start with one value, as in 'decl a:
   bool[3] := 0;'
"""

BROKEN_STATEMENTS = programs_of(_TABLE)
