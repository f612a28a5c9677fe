"""Lambdas: their classes, and that what is captured, boxed and returned arrives."""

from __future__ import annotations

import pytest

import tepui
from support.java_programs import JavaText, java_text
from tepui.languages.java.hierarchy import JavaClass

TEXT = """
import java.util.function.*;
interface Wide { long of(int n); }
interface Narrow { int of(byte b); }
interface ToObject { Object of(int n); }
interface Both { int sum(long a, Integer b, char c); }
interface Sized { Object make(int n); }
interface Marked { }
class Box { int held; Box() { held = 7; } Box(int n) { held = n; } Box(Box it) {
        held = it.held + 1; }
    int plus(int n) { return held + n; } static int twice(Integer n) { return 2 * n; } }
class Lambda {
    int field = 40;
    static int n;
    static void captures() { captures(3, 5L << 40, true); captures(3, 5L << 40, false); }
    static void captures(int a, long b, boolean c) {
        Box box = new Box(9);
        LongSupplier it = () -> a + b + (c ? 1 : 0) + box.held;
        long got = it.getAsLong();
        if (got != (5L << 40) + 12 + (c ? 1 : 0)) throw new IllegalStateException();
    }
    static void ofThis() { new Lambda().own(); }
    void own() { IntSupplier it = () -> field + 2; check(it.getAsInt() == 42); }
    static void boxes() { ToObject it = n -> n + 1; check((Integer) it.of(4) == 5); }
    static void unboxes() { Function<Integer, Integer> it = x -> x * x; int got = it.apply(-6);
        check(got == 36); }
    static void opens() { IntFunction<Integer> it = Box::twice; int got = it.apply(21);
        check(got == 42); }
    static void widens() { Wide it = Lambda::same; check(it.of(-5) == -5L); }
    static int same(int k) { return k; }
    static void narrow() { Narrow it = Lambda::same; check(it.of((byte) -3) == -3); }
    static void many() { Both it = (a, b, c) -> (int) a * 100 + b * 10 + c;
        check(it.sum(3, 4, (char) 5) == 345); }
    static void constructor() { Supplier<Box> it = Box::new; Box one = it.get(), two = it.get();
        check(one.held == 7); check(one != two); }
    static void constructorWith() { IntFunction<Box> it = Box::new; check(it.apply(5).held == 5); }
    static void bound() { Box box = new Box(30); IntUnaryOperator it = box::plus; box = null;
        check(it.applyAsInt(12) == 42); }
    static void unbound() { BiFunction<Box, Integer, Integer> it = Box::plus;
        check(it.apply(new Box(2), 3) == 5); }
    static void nested() { Function<Integer, Function<Integer, Integer>> it = a -> b -> a - b;
        check(it.apply(9).apply(4) == 5); }
    static void forgets() { Runnable it = Box::new; it.run(); Consumer<Box> other = b -> b.plus(1);
        other.accept(new Box()); }
    static void marked() { Object it = (Runnable & Marked) () -> n++; check(it instanceof Marked);
        check(it instanceof Runnable); }
    static void array() { IntFunction<int[]> it = int[]::new; check(it.apply(3).length == 3); }
    static void nullBound() { Box box = null; IntUnaryOperator it = box::plus; }
    static void wrongClass() { Function raw = (Function<Box, Integer>) b -> b.held;
        raw.apply("no box"); }
    static void nullBox() { ToIntFunction<Integer> it = Box::twice; it.applyAsInt(null); }
    static void check(boolean right) { if (!right) throw new IllegalStateException(); }
}
"""


@pytest.fixture(scope="module")
def text() -> JavaText:
    return java_text(TEXT)


def verdict(text: JavaText, entry: str) -> tuple[str, str]:
    """What an entry does, and the first exception that it throws."""
    program = text.program(f"Lambda.{entry}()")
    questions = [*tepui.assertions(program)]
    if not questions:
        return "safe", ""
    result = tepui.verify(program, questions, tepui.Options(limits=tepui.Limits(timeout=60)))
    said = str(result).split("\n")[0]
    return result.verdict, said[said.rfind("(") + 1 : said.rfind(")")]


SAFE = [
    "captures", "ofThis", "boxes", "unboxes", "opens", "widens", "narrow", "many", "constructor",
    "constructorWith", "bound", "unbound", "nested", "forgets", "marked", "array",
]  # fmt: skip


@pytest.mark.parametrize("entry", SAFE)
def test_a_lambda_computes_what_its_code_says(text: JavaText, entry: str) -> None:
    assert verdict(text, entry)[0] == "safe"


@pytest.mark.parametrize(
    ("entry", "exception"),
    [
        ("nullBound", "NullPointerException"),
        ("nullBox", "NullPointerException"),
        ("wrongClass", "ClassCastException"),
    ],
)
def test_a_lambda_throws_what_the_conversion_of_a_value_throws(
    text: JavaText, entry: str, exception: str
) -> None:
    assert verdict(text, entry) == ("unsafe", exception)


def lambda_of(text: JavaText, entry: str) -> JavaClass:
    """The only class of a lambda that an entry makes."""
    found = text.found(f"Lambda.{entry}()")
    (name,) = found.reachability.lambdas.values()
    made = found.hierarchy.find(name)
    assert made
    return made


def operations(made: JavaClass) -> list[str]:
    (method,) = made.methods.values()
    assert method.code
    return [each.name for each in method.code.instructions]


def test_the_class_of_a_lambda_has_a_field_for_each_captured_value(text: JavaText) -> None:
    made = lambda_of(text, "captures")
    assert [each.descriptor for each in made.fields.values()] == ["I", "J", "Z", "LBox;"]
    assert made.interfaces == ("java/util/function/LongSupplier",)


def test_marker_interfaces_belong_to_the_class(text: JavaText) -> None:
    assert set(lambda_of(text, "marked").interfaces) == {"java/lang/Runnable", "Marked"}


def test_a_constructor_reference_makes_an_object_first(text: JavaText) -> None:
    assert operations(lambda_of(text, "constructor")) == [
        "new",
        "dup",
        "invokespecial",
        "areturn",
    ]


def test_long_arguments_take_two_local_variables(text: JavaText) -> None:
    (method,) = lambda_of(text, "many").methods.values()
    assert method.code
    loads = [
        (each.name, each.operand) for each in method.code.instructions if "load" in each.operation
    ]
    assert loads == [("lload", 1), ("aload", 3), ("iload", 4)]


def test_a_box_is_opened_and_the_result_put_into_one(text: JavaText) -> None:
    assert operations(lambda_of(text, "unboxes"))[:2] == ["aload", "checkcast"]
    calls = operations(lambda_of(text, "opens"))
    assert calls == ["iload", "invokestatic", "invokestatic", "invokestatic", "areturn"]
