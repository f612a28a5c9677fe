"""Broken programs with `begin` and `end`: one message each, at the right place."""

from __future__ import annotations

import random

import pytest

from support.growth import grows_with_its_size
from support.samples.broken_beginend_programs import BROKEN_BEGIN_END_PROGRAMS, BrokenProgram
from tepui.errors import InputError
from tepui.languages.boolean.beginend import parse_begin_end
from tepui.languages.boolean.translate import translate
from tepui.languages.source import Source


@pytest.mark.parametrize("case", BROKEN_BEGIN_END_PROGRAMS, ids=str)
def test_a_broken_program_is_refused_at_the_right_place(case: BrokenProgram) -> None:
    with pytest.raises(InputError) as caught:
        translate(parse_begin_end(Source.of_text(case.text, "a.bp")))
    error = caught.value
    assert (error.message, error.line, error.column) == (case.message, case.line, case.column)


def test_broken_programs_have_different_names() -> None:
    names = [case.name for case in BROKEN_BEGIN_END_PROGRAMS]
    assert len(set(names)) == len(names) >= 35


def test_whatever_is_cut_out_or_exchanged_is_read_or_refused_with_a_place() -> None:
    generator = random.Random(1)
    words = RICH.split(" ")
    assert refusal(RICH) is None
    for _ in range(400):
        broken = list(words)
        for _ in range(generator.randint(1, 3)):
            place = generator.randrange(len(broken))
            broken[place] = generator.choice(["", "", generator.choice(words), "%", "'", "{"])
        error = refusal(" ".join(broken))
        assert error is None or (error.line >= 1 and error.message)


def test_an_error_at_the_end_of_a_long_program_takes_no_more_work_for_each_line() -> None:
    def read(size: int) -> None:
        text = "void main() begin\n" + "if (a & !b) then x, y := T, F; fi\n" * size + "then"
        error = refusal(text)
        assert error is not None
        assert (error.line, error.column) == (size + 2, 1)

    assert grows_with_its_size(read, 100)
    read(1000)


def refusal(text: str) -> InputError | None:
    try:
        parse_begin_end(Source.of_text(text, "a.bp")).refuse_errors()
    except InputError as error:
        return error
    return None


RICH = """decl a , b := 1 , {c d} ; dfs bool<2> f ( p , q ) begin decl l := * ; enforce T ;
 l1 : 12 : l , p := q & ! p , schoose [ l , F ] constrain ( 'l = p ) ; if ( * ) then goto l1 , 12 ;
 elsif a then skip ; else dead l ; fi while a ? b : 0 do abortif l ; od return l , ( p => q ) end
 void main ( ) begin atomic_begin ; a , _ := f ( a , b ) ; atomic_end ; start_thread main ( ) ;
 ASYNC_1 : g ( ) ; start_thread goto x ; x : assert ( a | b & 1 ) ; end_thread end"""
