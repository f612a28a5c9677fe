"""Programs as text: everything in a program is printed."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from support.generators.programs import random_program
from support.samples.handmade_programs import (
    assign,
    equal,
    local,
    procedure,
    program,
    step,
    variable,
)
from tepui.program.expressions import (
    ANY,
    FALSE,
    TRUE,
    Binary,
    Choice,
    Conditional,
    Constant,
    Convert,
    Expression,
    Read,
    ReadElement,
    Unary,
)
from tepui.program.printer import expression_text, program_text
from tepui.program.program import (
    Assert,
    Assignment,
    Call,
    Create,
    Element,
    End,
    Receive,
    Return,
    Step,
    Thread,
)
from tepui.program.types import BOOLEAN, Array, Bounded, Enumeration, machine

X, Y, LOCK = variable("x"), variable("y", initial=None), variable("lock")
COLOUR = Enumeration(("red", "green"))
ARRAY = variable("a", Array(Bounded(0, 3), 2), 1)
P, T = local("p", procedure="work"), local("t", COLOUR, 1, "work")
R = local("r")

SAMPLE = program(
    procedure(
        "main",
        Create(0, 1, (1,), ((Read(X),),)),
        step(1, 2, assign(X, Read(Y)), assign(Y, ANY), guard=Read(X),
             constraint=Binary("!=", Read(Y, after=True), Read(X))),
        Step(1, None, assignments=(Assignment(Element(ARRAY, Constant(1)), TRUE),)),
        Call(2, 3, "f", (Read(X), FALSE)),
        Receive(3, 4, (R, None, Element(ARRAY, Read(X)))),
        Assert(4, 4, equal(R, 1), Unary("not", Read(X))),
        End(4, Read(Y)),
        variables=(R,),
        atomic={2},
        labels={1: "loop"},
    ),
    procedure(
        "f", Return(0, (TRUE, FALSE, ANY)), variables=(local("p", procedure="f"),
                                                      local("q", procedure="f")),
        parameters=2, results=(BOOLEAN, BOOLEAN, Bounded(0, 3)),
    ),
    procedure("work", Return(0), step(0, 0), variables=(P, T)),
    shared=(X, Y, ARRAY, LOCK),
    threads=(
        Thread("main", "main"),
        Thread("w", "work", created=True, inherited=(P,)),
        Thread("v", "work", 3, start=0),
    ),
    lock=LOCK,
)  # fmt: skip

EXPECTED = """\
program sample
global x: bool := 0
global y: bool
global a: int 0..3[2] := 1
global lock: bool := 0  // the scheduler lock
thread main: main
thread w: work, when created with p
thread v * 3: work from 0
error labels ERROR, OTHER

procedure main()
    local r: bool := 0
   0: entry «main 0»
          create w(x) -> 1
   1: loop: line 1 «main 1»
          [x] x, y := y, * constrain 'y != x -> 2
          a[1] := 1 -> return
   2: atomic line 2 «main 2»
          call f(x, 0) -> 3
   3: line 3 «main 3»
          receive r, _, a[x] -> 4
   4: line 4 «main 4»
          [!x] assert r = 1 -> 4
          [y] end

procedure f(p: bool := 0, q: bool := 0) returns bool, bool, int 0..3
   0: entry «f 0»
          return 1, 0, *

procedure work()
    local p: bool := 0
    local t: enum {red, green} := green
   0: entry «work 0»
          return
          skip -> 0
"""


def test_a_program_is_printed_whole() -> None:
    assert program_text(replace(SAMPLE, error_labels=("ERROR", "OTHER"))) == EXPECTED


def test_a_location_without_a_statement_is_printed_too() -> None:
    location = replace(SAMPLE.procedures[1].locations[0], text="")
    bare = replace(SAMPLE.procedures[1], locations=(location,))
    text = program_text(replace(SAMPLE, procedures=(SAMPLE.procedures[0], bare)))
    assert "   0: entry\n          return 1, 0, *\n" in text


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (Constant(1, COLOUR), "green"),
        (Choice(COLOUR), "any enum {red, green}"),
        (Unary("minus", Binary("+", Read(X), TRUE)), "-(x + 1)"),
        (Binary("and", Binary("or", Read(X), Read(Y)), Unary("not", Read(X))), "(x || y) && !x"),
        (Binary("implies", Read(X), Binary("xor", Read(X), Read(Y))), "x => (x xor y)"),
        (Conditional(equal(X, 1), Read(X), Conditional(Read(Y), TRUE, FALSE)),
         "(x = 1) ? x : (y ? 1 : 0)"),
        (ReadElement(ARRAY, Binary("-", Read(X), TRUE)), "a[x - 1]"),
        (Binary("-", Read(X), Binary("-", Read(X), Read(Y))), "x - (x - y)"),
        (Convert(Binary("^", Read(X), Unary("complement", Read(Y))), machine(32, signed=True)),
         "(x ^ ~y) as int32"),
        (Binary("<<", Convert(Read(X), Bounded(0, 2, "block")), TRUE),
         "(x as int 0..2 block) << 1"),
    ],
)  # fmt: skip
def test_expressions_have_the_parentheses_they_need(expression: Expression, text: str) -> None:
    assert expression_text(expression) == text


def test_every_random_program_can_be_printed() -> None:
    for seed in range(30):
        printed = program_text(random_program(Random(seed)))
        assert printed.startswith("program ")
        assert printed.endswith("\n")
