"""What references can be: the sites of the objects that flow into fields, locals and results."""

from __future__ import annotations

from functools import cache

from support.java_programs import java_text
from tepui.languages.java.facts import Facts, Sites
from tepui.languages.java.heap import Bounds
from tepui.languages.java.java_options import JavaOptions
from tepui.languages.java.java_program import Found, Translation
from tepui.languages.java.source_lines import SourceLines

TEXT = """
class Flow {
    static Object one, two, either, never, through, cell; static int n; static Object[] cells;
    static class A { } static class B { } static class Box { Object held; Box(Object it) {
        held = it; } }
    static void main() {
        n = 1; one = new A(); two = new B(); either = n > 0 ? one : two; through = same(two);
        cells = new Object[2]; cells[0] = new A(); cell = cells[1]; Object local = new B();
        one = new Box(local); never = null;
    }
    static Object same(Object it) { return it; }
}
"""


@cache
def found() -> Found:
    return java_text(TEXT).found("Flow.main")


@cache
def facts() -> Facts:
    sites = found().reachability.sites
    objects = dict.fromkeys(sites, 1)
    lengths = {
        key: 4 for key, site in sites.items() if site.type.startswith("[") and site.length is None
    }
    return Translation(
        found(), Bounds(objects, lengths), JavaOptions(), SourceLines([], {})
    ).learn()


def types(sites: Sites) -> set[str | None]:
    known = found().reachability.sites
    return {key and known[key].type.removeprefix("Flow$") for key in sites}


def test_a_static_field_is_what_is_stored_in_it_or_null() -> None:
    assert types(facts().fields["Flow.one"]) == {"A", "Box", None}
    assert types(facts().fields["Flow.two"]) == {"B", None}


def test_objects_flow_from_field_to_field_by_both_branches() -> None:
    assert types(facts().fields["Flow.either"]) == {"A", "B", "Box", None}


def test_objects_flow_through_parameters_and_results() -> None:
    assert types(facts().fields["Flow.through"]) == {"B", None}
    assert types(facts().results["Flow", "same", "(Ljava/lang/Object;)Ljava/lang/Object;"]) == {
        "B",
        None,
    }


def test_objects_flow_through_the_elements_of_arrays() -> None:
    assert types(facts().fields["Flow.cell"]) == {"A", None}


def test_this_is_never_null() -> None:
    receiver = facts().locals[("Flow$Box", "<init>", "(Ljava/lang/Object;)V"), 0]
    assert types(receiver) == {"Box"}
