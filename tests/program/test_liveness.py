"""Live variables: what some continuation reads before it assigns it."""

from __future__ import annotations

from support.boolean_flows import load
from support.samples.figure_programs import FIGURE_7
from tepui.program.liveness import live_variables


def live(text: str, procedure: str = "main") -> list[str]:
    """For each location the names of the live variables, in order of the alphabet."""
    found = live_variables(load(text).by_name[procedure])
    return ["".join(sorted(variable.name for variable in some)) for some in found]


def main(body: str, declarations: str = "decl a, b, c;") -> list[str]:
    return live(
        f"decl g; void main() {{ {declarations} {body} }} void f(p) {{}} bool h() {{ return g; }}"
    )


def test_a_variable_is_live_up_to_its_last_use() -> None:
    assert main("a := 1; b := a; assert(b);") == ["", "a", "b"]


def test_a_variable_is_live_as_long_as_nothing_assigns_it() -> None:
    assert main("b := 1; skip; skip; skip; g := a;") == ["a", "a", "a", "a", "a"]


def test_an_assignment_uses_before_it_defines() -> None:
    assert main("a := !a; a := 0; g := a;") == ["a", "", "a"]


def test_parallel_assignments_use_all_values_first() -> None:
    assert main("a, b := b, a; g := a;") == ["ab", "a"]


def test_global_variables_are_never_among_them() -> None:
    assert main("wait(g); g := !g;") == ["", ""]


def test_branches_add_up_and_loops_go_round() -> None:
    assert main("while (a) { b := c; } g := b;") == ["abc", "ac", "b"]


def test_arguments_conditions_and_results_are_uses() -> None:
    assert main("f(a); wait(b); assert(c);") == ["abc", "bc", "c"]
    assert live("decl g; bool h(a, b) { return a; } void main() { g := h(0, 1); }", "h") == ["a"]


def test_a_receipt_defines_its_targets_and_a_call_does_not() -> None:
    assert main("a := h(); g := a;") == ["", "", "a"]
    assert main("f(0); g := a;") == ["a", "a"]


def test_an_element_is_no_whole_definition_and_its_index_is_a_use() -> None:
    declarations = "decl a: bool[2], i: int 0..1, j: int 0..1;"
    assert main("a[i] := 1; g := a[j];", declarations) == ["aij", "aj"]


def test_in_a_constraint_old_values_are_uses_and_new_ones_only_where_nothing_is_assigned() -> None:
    assert main("a := * constrain 'a != b;") == ["b"]
    assert main("a := * constrain 'a != a;") == ["a"]
    assert main("a := * constrain 'a != 'b;") == ["b"]


def test_values_for_new_threads_are_uses() -> None:
    assert main("thread_create(f(a)); g := b;") == ["ab", "b"]


def test_figure_7_needs_l1_but_not_l2_after_the_call() -> None:
    assert live(FIGURE_7, "foo") == ["", "l1", "l1l2", "l1", "l2", "l2", "", ""]
