"""Broken programs with `begin` and `end` as data: what is wrong, where, and what must be said.

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


NO_INTEGERS = "; all values are Boolean here, only programs in braces have integers"
HEAD = "decl x, y; bool<2> f(a) begin return a, a; end void g() begin end void main() begin"


def _main(name: str, statements: str, line: int, column: int, message: str) -> BrokenProgram:
    """Wrong statements, of which the first line is line 1, in a program that is fine."""
    text = f"{HEAD}\n{statements}\nend\n"
    return BrokenProgram(name, text, line + 1, column, message)


SYNTAX = [
    BrokenProgram(
        "a word for a program",
        "main() begin end",
        1,
        1,
        "expected a declaration or a procedure, found 'main'",
    ),
    BrokenProgram(
        "two ends",
        "void main() begin skip end end",
        1,
        28,
        "expected a declaration or a procedure, found 'end'",
    ),
    BrokenProgram(
        "statement outside",
        "void main() begin end\nskip;",
        2,
        1,
        "expected a declaration or a procedure, found 'skip'",
    ),
    BrokenProgram(
        "dfs alone", "dfs main() begin end", 1, 5, "expected 'bool' or 'void', found 'main'"
    ),
    BrokenProgram("no name", "void () begin end", 1, 6, "expected a name, found '('"),
    BrokenProgram(
        "keyword for a name",
        "void skip() begin end",
        1,
        6,
        "expected a name, found the keyword 'skip'",
    ),
    BrokenProgram("no parentheses", "void main begin end", 1, 11, "expected '(', found 'begin'"),
    BrokenProgram(
        "open parentheses",
        "void main( begin end",
        1,
        12,
        "expected a name or ')', found 'begin'",
    ),
    BrokenProgram(
        "trailing comma in parameters",
        "void f(a,) begin end",
        1,
        10,
        "expected a name, found ')'",
    ),
    BrokenProgram("no begin", "void main()\nskip; end", 2, 1, "expected 'begin', found 'skip'"),
    BrokenProgram(
        "no end",
        "void main()\nbegin\n  skip;\n\n",
        3,
        8,
        "expected 'end' for the 'begin' of line 2, found the end of the file",
    ),
    BrokenProgram(
        "no number of results", "bool<> f() begin end", 1, 6, "expected a number, found '>'"
    ),
    BrokenProgram(
        "no results",
        "bool<0> f() begin end",
        1,
        6,
        "expected a number of results (1 to 64), found 0",
    ),
    BrokenProgram(
        "absurd results",
        f"bool<{'9' * 5000}> f() begin end",
        1,
        6,
        f"expected a number of results (1 to 64), found {'9' * 39}…",
    ),
    BrokenProgram("declaration of nothing", "decl ;", 1, 6, "expected a name, found ';'"),
    BrokenProgram(
        "declaration without end",
        "decl x\nvoid main() begin end",
        2,
        1,
        "expected ',', ':=' or ';', found 'void'",
    ),
    BrokenProgram(
        "initial value is a name", "decl x := y;", 1, 11, "expected 0, 1, T, F or '*', found 'y'"
    ),
    BrokenProgram(
        "initial value too large", "decl x := 2;", 1, 11, "expected 0, 1, T or F, found '2'"
    ),
    BrokenProgram(
        "declaration at the end",
        "decl",
        1,
        5,
        "expected a name, found the end of the file",
    ),
    _main(
        "no semicolon",
        "x := 1\ny := 0;",
        2,
        1,
        "expected an operator, ',', ';' or 'constrain', found 'y'",
    ),
    _main("no semicolon after skip", "skip\nskip", 2, 1, "expected ';', found 'skip'"),
    _main("no value", "x := ;", 1, 6, "expected an expression or 'async', found ';'"),
    _main("no operand", "x := x & ;", 1, 10, "expected an expression, found ';'"),
    _main(
        "no operator",
        "x := x !y;",
        1,
        8,
        "expected an operator, '(', ',', ';' or 'constrain', found '!'",
    ),
    _main("a name alone", "x;", 1, 2, "expected '(', ',', ':' or ':=', found ';'"),
    _main(
        "equality for an assignment",
        "x, y = 0, 1;",
        1,
        6,
        "expected ',' or ':=', found '='; assignment is ':='",
    ),
    _main("constant too large", "x := y | 2;", 1, 10, "expected 0, 1, T or F, found '2'"),
    _main("open assert", "assert(x = 1", 2, 1, "expected ')', found 'end'"),
    _main("open call", "g(x;", 1, 4, "expected ')' or ',', found ';'"),
    _main(
        "call in an expression",
        "x := y & f(x);",
        1,
        11,
        "expected an operator, ',', ';' or 'constrain', found '('",
    ),
    _main("half a ternary", "x := x ? y;", 1, 11, "expected ':', found ';'"),
    _main(
        "two ternaries",
        "x := x ? y : x ? y : x;",
        1,
        16,
        "expected an operator, ',', ';' or 'constrain', found '?'",
    ),
    _main("half a schoose", "x := schoose[x];", 1, 15, "expected ',', found ']'"),
    _main("goto nowhere", "goto ;", 1, 6, "expected a label, found ';'"),
    _main("start of an assignment", "start_thread x := 1;", 1, 16, "expected '(', found ':='"),
    _main("start of nothing", "start_thread;", 1, 13, "expected a name or 'goto', found ';'"),
    _main("assert without parentheses", "assert x;", 1, 8, "expected '(', found 'x'"),
    _main("if without then", "if x do skip; fi", 1, 6, "expected 'then', found 'do'"),
    _main(
        "if without fi",
        "if x then\n skip;",
        3,
        1,
        "expected 'else', 'elsif' or 'fi' for the 'if' of line 2, found 'end'",
    ),
    _main(
        "else twice",
        "if x then else else fi",
        1,
        16,
        "expected 'fi' for the 'if' of line 2, found 'else'",
    ),
    _main(
        "else without if",
        "else skip;",
        1,
        1,
        "expected 'end' for the 'begin' of line 1, found 'else'",
    ),
    _main(
        "while closed by fi",
        "while x do\n skip;\n fi",
        3,
        2,
        "expected 'od' for the 'while' of line 2, found 'fi'",
    ),
    _main(
        "inner if without fi",
        "if x then if y then skip;\nelse skip; fi",
        3,
        1,
        "expected 'else', 'elsif' or 'fi' for the 'if' of line 2, found 'end'",
    ),
    _main(
        "expression for a statement", "(x) := 1;", 1, 1, "expected a statement or 'end', found '('"
    ),
    _main("braces", "if x then { skip; } fi", 1, 21, "expected '(', ',', ':' or ':=', found 'fi'"),
    _main(
        "open name in braces",
        "x := {a\n}",
        1,
        6,
        "expected a name in braces, closed on the same line",
    ),
    _main(
        "an operator of integers",
        "x := x % y;",
        1,
        8,
        f"no word or sign begins with '%'{NO_INTEGERS}",
    ),
    _main(
        "counting",
        "x++;",
        1,
        2,
        f"no word or sign begins with '+'{NO_INTEGERS}",
    ),
    _main(
        "an order",
        "x := x < y;",
        1,
        8,
        f"expected an operator, '(', ',', ';' or 'constrain', found '<'{NO_INTEGERS}",
    ),
    _main(
        "a comment of Python",
        "skip; # nothing",
        1,
        7,
        "no word or sign begins with '#'; a comment begins with '//'",
    ),
    _main(
        "true in words",
        "x := true;",
        1,
        6,
        "expected a variable, found 'true', which is not declared; write 'T' for 'true'",
    ),
    _main("stray sign", "x := x @ y;", 1, 8, "no word or sign begins with '@'"),
    _main("foreign letter", "x := é;", 1, 6, "no word or sign begins with 'é'"),
    _main("open comment", "skip; /* and so on", 1, 7, "the comment opened here is not closed"),
    _main(
        "unclear grouping",
        "x := x & y = x;",
        1,
        12,
        "expected parentheses to group '&' and '=', on which the dialects differ",
    ),
    _main(
        "unclear implications",
        "x := x => y => x;",
        1,
        13,
        "expected parentheses to group '=>' and '=>', on which the dialects differ",
    ),
]

CONVENTIONS = [
    _main(
        "async assignment",
        "l: ASYNC_1: x := 1;",
        1,
        4,
        "expected a call without results: the label 'ASYNC_1' makes it a new thread",
    ),
    _main(
        "async call with results",
        "ASYNC_x: x, y := f(x);",
        1,
        1,
        "expected a call without results: the label 'ASYNC_x' makes it a new thread",
    ),
    BrokenProgram(
        "thread with a parameter",
        "void init() begin skip; end\nvoid thread1(a) begin skip; end",
        2,
        14,
        "expected no parameters, because 'thread1' is run as a thread",
    ),
    BrokenProgram(
        "old lock",
        "decl super_atomic, atomic; void init() begin skip; end void main() begin\n"
        "  while * do atomic, super_atomic := T, T; od\nend",
        2,
        22,
        "expected 'atomic', the only scheduler lock, found 'super_atomic'",
    ),
]

MEANING = [
    _main("undeclared", "z := 1;", 1, 1, "expected a variable, found 'z', which is not declared"),
    _main(
        "passive copy",
        "x, x$ := 1, 0;",
        1,
        4,
        "expected a variable, found 'x$', the passive threads' copy of 'x'; tepui does not "
        "support passive copies",
    ),
    _main("wait", "wait;", 1, 1, "tepui does not support 'wait'"),
    _main("broadcast", "l: broadcast;", 1, 4, "tepui does not support 'broadcast'"),
    _main("sync", "sync e;", 1, 1, "tepui does not support 'sync'"),
    BrokenProgram(
        "no comma between variables",
        "decl x y; void main() begin end",
        1,
        8,
        "expected ',', ':=' or ';', found 'y'",
    ),
    BrokenProgram(
        "no comma between parameters",
        "void main(x y) begin end",
        1,
        13,
        "expected ')' or ',', found 'y'",
    ),
    _main(
        "fork by that name",
        "decl thread t; t := fork g();",
        1,
        26,
        "expected an operator, '(', ',', ';' or 'constrain', found 'g'; a thread is forked as in "
        "'t := async f(x);'",
    ),
    _main(
        "async with the procedure in parentheses",
        "async(g);",
        1,
        6,
        "expected a name, found '('; the procedure comes first, as in 'async f(x);'",
    ),
    _main(
        "join as other languages have it",
        "decl thread t; thread_join(t);",
        1,
        16,
        "expected a procedure, found 'thread_join'; a thread is joined as in 'join(t);'",
    ),
    _main(
        "join of nothing",
        "join();",
        1,
        6,
        "expected a variable that names a thread, found ')'",
    ),
    _main(
        "a thread declared as in braces",
        "thread t;",
        1,
        8,
        "expected '(', ',', ':' or ':=', found 't'; a thread is declared as in 'decl thread t;'",
    ),
    BrokenProgram(
        "a global thread declared as in braces",
        "thread t; void main() begin end",
        1,
        1,
        "expected a declaration or a procedure, found 'thread'; a thread is declared as in "
        "'decl thread t;'",
    ),
    _main("async of nothing", "async h();", 1, 7, "expected a procedure, found 'h'"),
    _main("too many for async", "async g(x);", 1, 7, "expected no arguments for 'g', found 1"),
    _main(
        "async into a Boolean",
        "x := async g();",
        1,
        1,
        "expected a variable that names a thread, found 'x', which is a Boolean",
    ),
    _main(
        "async into two",
        "decl thread t, u; t, u := async g();",
        1,
        19,
        "expected 1 variable that names a thread, found 2",
    ),
    _main(
        "join of a Boolean",
        "join(x);",
        1,
        6,
        "expected a variable that names a thread, found 'x', which is a Boolean",
    ),
    _main(
        "comparison of threads",
        "decl thread t; assume(t = x);",
        1,
        27,
        "expected a thread, found 'x', which is a Boolean",
    ),
    _main(
        "a thread for a condition",
        "decl thread t; if t then skip; fi",
        1,
        19,
        "expected a Boolean, found 't', which is a thread",
    ),
    _main(
        "a thread with any value",
        "decl thread t; dead x, t;",
        1,
        24,
        "expected variables that can have any value, found 't', which is a thread",
    ),
    _main(
        "a thread with a first value",
        "decl thread t := 1;",
        1,
        18,
        "expected no initial value, because 't' names a thread, and at first none",
    ),
    _main(
        "a thread with a value",
        "skip; decl thread t := 1;",
        1,
        24,
        "expected a variable that names a thread, found 1",
    ),
    _main(
        "end of a thread that is called",
        "end_thread; main(); async main();",
        1,
        1,
        "expected 'end_thread' only in procedures that are not called, found it in 'main'",
    ),
    _main(
        "no such number",
        "1: skip; goto 1, 2;",
        1,
        18,
        "expected a label of 'main', found '2'; its labels are 1",
    ),
    _main(
        "start at no label", "start_thread goto m;", 1, 19, "expected a label of 'main', found 'm'"
    ),
    _main(
        "a label at two places",
        "l: skip;\nl: skip; goto l;",
        2,
        1,
        "expected a new label, but line 2 already has 'l'",
    ),
    _main("start of no procedure", "start_thread h();", 1, 14, "expected a procedure, found 'h'"),
    _main(
        "next value in assume",
        "assume('x);",
        1,
        8,
        'expected a value before the step, found "\'x", the value after it; '
        "that may only stand behind 'constrain'",
    ),
    _main("too few values", "x, y := 1;", 1, 1, "expected 2 values, found 1"),
    _main(
        "too few targets", "x := f(x);", 1, 1, "expected 2 variables for what 'f' returns, found 1"
    ),
    _main(
        "no end of the section",
        "atomic_begin; skip;",
        1,
        15,
        "expected 'atomic_end' before the end of the procedure, found an atomic section still open",
    ),
    _main(
        "no begin of the section",
        "skip; atomic_end;",
        1,
        7,
        "expected 'atomic_end' inside an atomic section, found it outside",
    ),
    _main(
        "enforce too late",
        "skip; enforce x;",
        1,
        7,
        "expected 'enforce' first in its procedure, found it here",
    ),
    _main(
        "declared again later",
        "decl z; skip; if x then decl z; fi",
        1,
        30,
        "expected a new name, but line 2 already declares the variable 'z'",
    ),
    BrokenProgram(
        "no main",
        "void f() begin end",
        1,
        19,
        "expected a procedure 'main', which runs first, found none",
    ),
    BrokenProgram(
        "init without threads",
        "void init() begin end",
        1,
        22,
        "expected a procedure 'main', which runs first, found none",
    ),
    BrokenProgram(
        "end_thread in a callee",
        "void main() begin g(); end\nvoid g() begin end_thread; end",
        2,
        16,
        "expected 'end_thread' only in procedures that are not called, found it in 'g'",
    ),
]

BROKEN_BEGIN_END_PROGRAMS = [*SYNTAX, *CONVENTIONS, *MEANING]
