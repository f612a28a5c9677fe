"""Receipts of results never block, because no other thread could run meanwhile."""

from __future__ import annotations

import pytest

from tepui.deciding import verify, verify_all
from tepui.languages.boolean import load_program
from tepui.languages.source import Source
from tepui.program.expressions import TRUE
from tepui.program.program import Element, Program, Receive
from tepui.program.questions import deadlock, violations


def test_a_result_that_does_not_fit_makes_only_its_own_thread_wait() -> None:
    program = _program(
        """
        decl n: int 0..1 block := 0;
        int 0..3 f() { return 3; }
        void p() { n := f(); }
        void q() { while (1) { skip; } }
        void main() { thread_create(p); thread_create(q); }
        """
    )
    (answer,) = verify_all(program, [deadlock()])
    assert answer.result.verdict == "safe"


def test_a_thread_whose_result_has_no_place_yet_waits_for_one() -> None:
    program = _program(
        """
        decl a: bool[2] := 0, i: int 0..3 := 3;
        bool f() { return i = 3; }
        void p() { a[i] := f(); assert(!a[0]); }
        void q() { i := 0; }
        void main() { thread_create(p); thread_create(q); }
        """
    )
    result = verify(program, violations(program, "assertion"))
    assert (result.verdict, result.bound) == ("unsafe", 3)
    assert "p  a[i] := f()        a[0]: 0 -> 1" in str(result)


def test_what_is_enforced_holds_after_a_result_is_assigned() -> None:
    program = _program(
        """
        decl x := 1;
        bool f() begin return F; end
        void a() begin enforce x; x := f(); end
        void b() begin assert(x); end
        void main() begin start_thread a(); start_thread b(); end
        """
    )
    assert verify(program).verdict == "safe"


@pytest.mark.parametrize("statement", ["n := f()", "a[i] := g()", "_, a[i] := h()", "m := f()"])
def test_no_receipt_can_block(statement: str) -> None:
    program = _program(
        f"""
        decl n: int 0..1 block := 0, m: int 0..3 := 0, a: bool[2] := 0, i: int 0..7;
        int 0..3 f() {{ return 2; }}
        bool g() {{ return 1; }}
        bool<2> h() {{ return 0, 1; }}
        void main() {{ {statement}; }}
        """
    )
    receipts = [edge for edge in program.by_name["main"].edges if isinstance(edge, Receive)]
    assert len(receipts) == 1
    assert receipts[0].guard == TRUE
    assert not any(isinstance(target, Element) for target in receipts[0].targets)


@pytest.mark.parametrize("target", ["m", "a[1]", "a[i]", "a[n % 2]"])
def test_a_result_that_always_fits_needs_no_variable_of_its_own(target: str) -> None:
    program = _program(
        f"""
        decl m := 0, a: bool[2] := 0, i: int 0..1 := 0, n: uint8 := 0;
        bool g() {{ return 1; }}
        void main() {{ {target} := g(); }}
        """
    )
    assert program.by_name["main"].variables == ()


def _program(text: str) -> Program:
    return load_program(Source.of_text(text, "program.bp"))
