"""The checker refuses programs with smaller sorts that were made in another way than they should.

Forged programs are what a faulty pass could make. Each is as good as the right one in all respects
but one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import tepui
from support.samples.program_texts import program_of
from tepui.checker.programs.program_check import check_derivation
from tepui.checker.programs.small_sorts import SmallSorts
from tepui.deciding import Options, verify
from tepui.errors import EvidenceError, TepuiError
from tepui.program.expressions import Choice, Constant, Expression, Read, with_operands
from tepui.program.passes.slots import with_slots
from tepui.program.passes.sorts import (
    Shrunk,
    SmallSort,
    _Shrinking,
    with_small_sorts,
    with_values,
)
from tepui.program.program import Program
from tepui.program.types import THREAD, Enumeration
from tepui.program.walk import with_expressions

BIG = "int 0..999999999"

COPIES = f"""
decl g: {BIG} := 5; decl h: {BIG}; decl n: {BIG} := 0;
{BIG} same(p: {BIG}) {{ return p; }}
void main() {{
    decl x: {BIG};
    x := *;
    x := same(x);
    g, h := x, g;
    assert(h = 5);
    assert(g = x);
    n := n + 1;
}}
"""

FORKS = f"""
decl g: {BIG} := 5;
void work(p: {BIG}) {{ g := p; }}
void main() {{ thread t; decl x: {BIG}; x := *; t := async work(x); join(t); assert(g = x); }}
"""


def small() -> Shrunk:
    shrunk = with_small_sorts(program_of(COPIES))
    assert isinstance(shrunk, Shrunk)
    return shrunk


def changed(program: Shrunk, change: Callable[[Expression], Expression]) -> Shrunk:
    """The program with other expressions."""

    def everywhere(expression: Expression) -> Expression:
        return with_operands(change(expression), everywhere)

    procedures = tuple(
        replace(each, edges=tuple(with_expressions(edge, everywhere) for edge in each.edges))
        for each in program.procedures
    )
    return replace(program, procedures=procedures)


def test_what_the_pass_makes_is_accepted() -> None:
    check_derivation(small())
    forking = with_small_sorts(program_of(FORKS), 2)
    check_derivation(with_slots(forking, 2))


def other_constant(expression: Expression) -> Expression:
    if isinstance(expression, Constant) and expression.type.text(expression.value) == "5":
        return Constant(0, expression.type)
    return expression


def other_variable(expression: Expression) -> Expression:
    by_name = {variable.name: variable for variable in small().globals}
    if isinstance(expression, Read) and expression.variable.name == "g":
        return Read(by_name["h"])
    return expression


def chosen(expression: Expression) -> Expression:
    return Choice(expression.variable.scalar) if isinstance(expression, Read) else expression


@pytest.mark.parametrize("change", [other_constant, other_variable, chosen])
def test_other_expressions_are_refused(change: Callable[[Expression], Expression]) -> None:
    with pytest.raises(EvidenceError, match="not made as it should be"):
        check_derivation(changed(small(), change))


def test_too_few_values_are_refused() -> None:
    program = small()
    values = program.sorts["g"].values
    check_derivation(with_values(program.original, {"g": values}))
    with pytest.raises(EvidenceError, match="too few values"):
        check_derivation(with_values(program.original, {"g": values[1:]}))


def test_values_for_fewer_threads_than_slots_are_refused() -> None:
    program = program_of(FORKS)
    with pytest.raises(EvidenceError, match="too few values"):
        check_derivation(with_slots(with_small_sorts(program, 1), 2))


def test_a_sort_with_a_part_missing_is_refused() -> None:
    program = small()
    sort = program.sorts["g"]
    without = replace(sort, places=sort.places - {(None, "h")})
    with pytest.raises(EvidenceError, match="not made as it should be"):
        check_derivation(replace(program, sorts={"g": without}))


def test_a_sort_with_arithmetic_is_refused() -> None:
    program = small()
    sorts = {"g": replace(program.sorts["g"], places=program.sorts["g"].places | {(None, "n")})}
    forged = with_types_of(program, sorts["g"].type)
    with pytest.raises(EvidenceError, match="not made as it should be"):
        check_derivation(replace(forged, sorts=sorts))


def with_types_of(program: Shrunk, type_: Enumeration) -> Shrunk:
    """The program in which n has the type of the smaller sort."""
    numbers = {variable.name: number for number, variable in enumerate(program.globals)}
    globals_ = list(program.globals)
    globals_[numbers["n"]] = replace(globals_[numbers["n"]], type=type_)
    return replace(program, globals=tuple(globals_))


def test_variables_of_recursive_procedures_are_refused() -> None:
    text = f"decl g: {BIG}; void deep(p: {BIG}) {{ deep(p); }} void main() {{ deep(g); }}"
    with pytest.raises(EvidenceError, match="recursive"):
        check_derivation(with_values(program_of(text), {"g": list(range(50))}))


def test_passes_in_the_wrong_order_are_refused() -> None:
    slotted = with_slots(program_of(FORKS), 1)
    with pytest.raises(EvidenceError, match="what another pass has made"):
        check_derivation(with_small_sorts(slotted))


@pytest.mark.parametrize("text", [COPIES, COPIES.replace("h = 5", "h != 5"), FORKS])
def test_evidence_goes_through_files(text: str, tmp_path: Path) -> None:
    program, path = program_of(text), tmp_path / "evidence.json"
    result = verify(program, options=Options(contexts=None))
    assert result.checked
    assert result.subject.sorts
    assert result.evidence is not None
    result.subject.write(path, result.asked, result.evidence)
    asked = tepui.assertions(program)
    assert tepui.check(program, path, asked).verdict == result.verdict
    wrong = path.read_text().replace('"sorts"', '"sort"')
    path.write_text(wrong)
    with pytest.raises(TepuiError):
        tepui.check(program, path, asked)


def values_in(program: Program) -> set[str]:
    """The values that the trace of a program shows for x."""
    story = str(verify(program).trace)
    return {word.rstrip(",") for word in story.split() if word.isdigit()}


def test_a_trace_has_values_of_the_original() -> None:
    text = f"decl x: {BIG}; void main() {{ assume(x != 70); assert(x != 800); }}"
    assert values_in(program_of(text)) == {"800"}


def test_identities_of_threads_are_no_sort() -> None:
    program = program_of("thread t; void f() { skip; } void main() { t := async f(); }")
    sorts = {"t": SmallSort(frozenset({(None, "t")}), THREAD, (0,))}
    with pytest.raises(EvidenceError, match="types"):
        SmallSorts(_Shrinking(program, sorts).program()).check(1)
