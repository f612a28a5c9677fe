"""Statements that only begin/end has: sections by path, enforce, abortif, dead, and the refusals.

Other tests cover parsing; these are about what the statements become.
"""

from __future__ import annotations

import pytest

from support.boolean_flows import edges, load
from tepui.errors import InputError


def main(body: str) -> list[str]:
    others = "void f() begin skip; end bool g() begin return x; end"
    return edges(load(f"decl x, y; {others} void main() begin {body} end"), "main")


def refusal(body: str) -> tuple[int, int, str]:
    with pytest.raises(InputError) as caught:
        load(f"decl x; void f() begin skip; end void main() begin\n{body}\nend")
    return caught.value.line, caught.value.column, caught.value.message


def test_a_section_is_what_lies_behind_its_beginning_up_to_its_end() -> None:
    assert main("x := 0; atomic_begin; x := 1; y := 1; atomic_end; y := 0;") == [
        "0 x := 0 -> 1",
        "1 skip -> 2",
        "2~ x := 1 -> 3",
        "3~ y := 1 -> 4",
        "4~ skip -> 5",
        "5 y := 0 -> out",
    ]


def test_a_section_follows_every_path() -> None:
    assert main("atomic_begin; if x then goto l; fi; f(); x := g(); l: atomic_end; skip;") == [
        "0 skip -> 1",
        "1~ [x] skip -> 2",
        "1~ [!x] skip -> 3",
        "2~ skip -> 6",
        "3~ call f() -> 4",
        "4~ call g() -> 5",
        "5~ receive x -> 6",
        "6~ skip -> 7",
        "7 skip -> out",
    ]


def test_a_section_may_end_at_several_places_or_with_the_thread() -> None:
    assert main("atomic_begin; if x then atomic_end; return; fi; atomic_end;") == [
        "0 skip -> 1",
        "1~ [x] skip -> 2",
        "1~ [!x] skip -> 4",
        "2~ skip -> 3",
        "3 return",
        "4~ skip -> out",
    ]
    assert main("atomic_begin; end_thread;") == ["0 skip -> 1", "1~ end"]


def test_what_no_path_reaches_is_in_no_section() -> None:
    assert main("goto l; atomic_end; l: skip;") == ["0 skip -> 2", "1 skip -> 2", "2 skip -> out"]
    assert main("if 0 then atomic_begin; fi; skip;")[-1] == "2 skip -> out"


@pytest.mark.parametrize(
    ("body", "line", "column", "message"),
    [
        (
            "atomic_begin;\natomic_begin;\natomic_end;",
            3,
            1,
            "expected no 'atomic_begin' inside an atomic section, found one",
        ),
        (
            "skip;\natomic_end;",
            3,
            1,
            "expected 'atomic_end' inside an atomic section, found it outside",
        ),
        (
            "if x then atomic_begin; fi;\nskip;\natomic_end;",
            3,
            1,
            "expected every path to here inside an atomic section or every path outside, "
            "found both",
        ),
        (
            "atomic_begin;\n return;",
            3,
            2,
            "expected 'atomic_end' before 'return', found an atomic section still open",
        ),
        (
            "atomic_begin;\nx := 1;",
            3,
            1,
            "expected 'atomic_end' before the end of the procedure, "
            "found an atomic section still open",
        ),
        (
            "atomic_begin;\n f();",
            4,
            1,
            "expected 'atomic_end' before 'return', found an atomic section still open",
        ),
    ],
)
def test_sections_that_do_not_match_are_refused(
    body: str, line: int, column: int, message: str
) -> None:
    assert refusal(body) == (line, column, message)


def test_what_is_enforced_holds_before_every_edge_and_after_every_step() -> None:
    assert main("enforce x | y; x := 0; f(); assert(x); return;") == [
        "0 [(x or y)] x := 0 where ('x or 'y) -> 1",
        "1 [(x or y)] call f() -> 2",
        "2 [(x or y)] assert x -> 3",
        "3 [(x or y)] return",
    ]


def test_what_is_enforced_joins_guards_and_constraints() -> None:
    assert main("enforce x; assume(y); x, y := *, * constrain 'x != 'y;") == [
        "0 [(y and x)] skip where 'x -> 1",
        "1 [x] x, y := any bool, any bool where (('x != 'y) and 'x) -> out",
    ]


def test_to_enforce_the_truth_changes_nothing() -> None:
    assert main("enforce T; x := 0;") == ["0 x := 0 -> out"]


def test_enforce_later_than_first_is_refused() -> None:
    assert refusal("skip; enforce x;") == (
        2,
        7,
        "expected 'enforce' first in its procedure, found it here",
    )


def test_abortif_goes_on_only_if_not() -> None:
    assert main("abortif x; abortif *; abortif F;") == [
        "0 [!x] skip -> 1",
        "1 skip -> 2",
        "2 skip -> out",
    ]


def test_dead_variables_have_any_value() -> None:
    assert main("dead x, y;") == ["0 x, y := any bool, any bool -> out"]


def test_print_does_nothing() -> None:
    assert main("print(x, y);") == ["0 skip -> out"]


@pytest.mark.parametrize("construct", ["sync", "broadcast", "wait"])
def test_what_is_not_supported_is_refused_by_name(construct: str) -> None:
    statement = "sync x" if construct == "sync" else construct
    assert refusal(f"{statement};") == (2, 1, f"tepui does not support '{construct}'")


def test_end_thread_in_a_procedure_that_is_called_is_refused() -> None:
    with pytest.raises(InputError, match="expected 'end_thread' only in procedures that are not"):
        load("void f() begin end_thread; end void main() begin f(); end")
    assert edges(load("void main() begin end_thread; end"), "main") == ["0 end"]
