"""Fields that only constructors write, and every way in which others may see them before."""

from __future__ import annotations

from functools import cache

import pytest

from support.java_programs import java_text
from tepui.languages.java.settled_fields import SettledFields, stores_into_new_arrays

TEXT = """
class Fields {
    static Object known; static int n; static boolean maybe;
    static void main() {
        new Plain(1).get(); new Later(1).change(); new Leaks(1).get(); new Passes(1).get();
        new Calls(1).get(); new Reads(1).get(); new Sub(1).get(); new Chained().get();
        new Some(true).get(); new Other(new Plain(2)).get(); new Outside(3).get();
        new Final(true).get(); new Captured(4).get(); new LeakyBase(5).get(); new Both(1).get();
    }
    static class Plain { int f; Plain(int n) { f = n; } int get() { return f; } }
    static class Later { int f; Later(int n) { f = n; } void change() { f = 2; } }
    static class Leaks { int f; Leaks(int n) { known = this; f = n; } int get() { return f; } }
    static class Passes { int f; Passes(int n) { tell(this); f = n; } int get() { return f; } }
    static void tell(Object it) { }
    static class Calls { int f; Calls(int n) { own(); f = n; } void own() { } int get() {
        return f; } }
    static class Reads { int f; Reads(int n) { n += f; f = n; } int get() { return f; } }
    static class Base { int f; Base(int n) { f = n; } int get() { return f; } }
    static class Sub extends Base { int g; Sub(int n) { super(n); g = n; } int get() {
        return g + f; } }
    static class Chained { int f; Chained() { this(7); } Chained(int n) { f = n; }
        int get() { return f; } }
    static class Some { int f; Some(boolean b) { if (b) f = 1; } int get() { return f; } }
    static class Other { int f; Other(Plain it) { f = 3; it.f = 4; } int get() { return f; } }
    static class Outside { int f; Outside(int n) { } int get() { f = 1; return f; } }
    static class Final { final int f; Final(boolean b) { if (b) f = 1; else f = 2; }
        int get() { return f; } }
    static class Captured { int f; Captured(int n) { known = (Runnable) () -> tell(this); f = n; }
        int get() { return f; } }
    static class Under { Under() { known = this; } }
    static class LeakyBase extends Under { int f; LeakyBase(int n) { f = n; } int get() {
        return f; } }
    static class Both { int f; int g; Both(int n) { f = n; } Both() { g = 1; } int get() {
        return f; } }
    static void arrays(int k) { known = new int[] {1, 2, 3}; int[] a = new int[2]; a[0] = 5;
        known = new int[k]; known = new String[] {"a", null}; a[1] = 7; }
}
"""


@cache
def settled(entry: str = "main") -> SettledFields:
    return java_text(TEXT).found(f"Fields.{entry}").settled


def is_settled(name: str, field: str = "f") -> bool:
    return (f"Fields${name}", field) in settled().fields


@pytest.mark.parametrize("name", ["Base", "Sub", "Chained", "Final", "Both"])
def test_a_field_that_a_confined_constructor_writes_is_settled(name: str) -> None:
    assert is_settled(name, "g" if name == "Sub" else "f")


def test_a_field_that_another_method_writes_is_not_settled() -> None:
    assert not is_settled("Later")
    assert not is_settled("Outside")


def test_a_field_of_another_object_that_a_constructor_writes_is_not_settled() -> None:
    assert not is_settled("Plain")
    assert is_settled("Other")


@pytest.mark.parametrize("name", ["Leaks", "Passes", "Calls", "Captured", "LeakyBase"])
def test_nothing_is_settled_if_the_constructor_tells_of_this(name: str) -> None:
    assert not is_settled(name)


def test_a_field_that_its_constructor_reads_is_not_settled() -> None:
    assert not is_settled("Reads")


def test_a_field_that_some_constructor_may_not_write_can_be_seen_with_its_first_value() -> None:
    assert is_settled("Some")
    always = {name for owner, name in settled().always if owner == "Fields$Some"}
    assert always == set()


@pytest.mark.parametrize("name", ["Base", "Chained", "Final"])
def test_a_field_that_every_constructor_writes_is_never_seen_before(name: str) -> None:
    assert (f"Fields${name}", "f") in settled().always


def test_only_constructors_that_are_called_count() -> None:
    assert ("Fields$Both", "f") in settled().always
    assert ("Fields$Both", "g") not in settled().fields


def test_stores_of_an_array_that_is_written_down_are_found() -> None:
    method = java_text(TEXT).found("Fields.arrays").entry
    assert method.code
    names = [
        each.name for each in method.code.instructions if each.pc in stores_into_new_arrays(method)
    ]
    assert names == ["iastore"] * 3 + ["aastore"] * 2
