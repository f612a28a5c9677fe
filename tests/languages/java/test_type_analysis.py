"""Rapid type analysis: what can be executed, of which classes there are objects, who makes them."""

from __future__ import annotations

from functools import cache

from support.java_programs import code_pcs, java_text
from tepui.languages.java.java_program import Found
from tepui.languages.java.type_analysis import Reachability, VirtualCall, direct_target

TEXT = """
import java.util.function.*;
interface Animal { void speak(); default void sleep() { Reach.n++; } }
class Dog implements Animal { public void speak() { Reach.dogs(); } }
class Cat implements Animal { public void speak() { Reach.cats(); } }
class Puppy extends Dog { public void speak() { super.speak(); } }
class Lazy { static int n = Reach.count(); static void nothing() { } }
class Constants { static final int FIXED = 7; static int other = Reach.count(); }
class Above { static int n = Reach.count(); static int inherited; } class Below extends Above { }
class Trouble extends RuntimeException { } class Detailed extends RuntimeException { int detail; }
class Reach {
    static int n; static int unwritten; static int zeroed = 0; static int set; static Object any;
    int field; Object reference; private void own() { }
    static void dogs() { } static void cats() { } static int count() { return 1; }
    static void virtual() { Animal it = new Dog(); it.speak(); }
    static void puppy() { Animal it = new Puppy(); it.speak(); }
    static void early() { call(new Dog()); late(); }
    static void late() { any = new Cat(); }
    static void call(Animal it) { it.speak(); it.sleep(); }
    static void dead() { Animal it = null; it.speak(); }
    static void lambda() { Runnable run = () -> dogs(); run.run(); }
    static void unused() { any = (IntSupplier) () -> { cats(); return 1; }; }
    static void captured(int k) { any = (IntSupplier) () -> k; any = (IntSupplier) () -> 5; }
    static void classes() { any = Dog.class; any = int[].class; locked(); }
    static synchronized void locked() { }
    static void strings() { any = "some"; any = "other"; any = "some"; }
    static void fields() {
        n = unwritten; zeroed = 0; set = 3; Reach it = new Reach(); it.field = 0;
        it.reference = null; any = it.reference;
    }
    static void constant() { n = Constants.FIXED; }
    static void trigger() { Lazy.nothing(); }
    static void inherits() { n = Below.inherited; }
    static void throwing(boolean b) { if (b) throw new Trouble(); throw new Detailed(); }
    static void lengths(int k) { any = new int[3]; any = new long[k]; any = new Dog[2][k]; }
    static void hidden() { new Reach().own(); }
    static void concatenates() { any = "it is " + new Shown() + n; }
    static void starts() { new Thread(() -> dogs()).start(); }
    static void clones() { any = new int[2].clone(); any = new Dog[1].clone(); }
}
class Shown { public String toString() { Reach.cats(); return "shown"; } }
"""


@cache
def found(method: str) -> Found:
    return java_text(TEXT).found(f"Reach.{method}")


def reach(method: str) -> Reachability:
    return found(method).reachability


def own(method: str) -> set[str]:
    """The methods of the text that are reached, without constructors."""
    keys = ((key[0], key[1]) for key in reach(method).methods)
    owners = {"Animal", "Dog", "Cat", "Puppy", "Reach", "Lazy", "Above", "Shown", "Constants"}
    return {f"{owner}.{name}" for owner, name in keys if owner in owners and name != "<init>"}


def test_only_classes_that_are_instantiated_are_called() -> None:
    assert own("virtual") == {"Reach.<clinit>", "Reach.virtual", "Dog.speak", "Reach.dogs"}


def test_a_call_by_super_reaches_what_stands_above() -> None:
    assert {"Puppy.speak", "Dog.speak", "Reach.dogs"} <= own("puppy")
    assert "Cat.speak" not in own("puppy")


def test_a_class_that_is_instantiated_after_the_call_was_seen_is_called_too() -> None:
    assert {"Dog.speak", "Cat.speak", "Reach.cats", "Animal.sleep"} <= own("early")
    targets = reach("early").targets(VirtualCall("Animal", "speak", "()V"))
    assert {name: each and each.owner.name for name, each in targets.items()} == {
        "Dog": "Dog",
        "Cat": "Cat",
    }


def test_a_call_without_any_object_reaches_nothing() -> None:
    assert own("dead") == {"Reach.<clinit>", "Reach.dead"}


def test_a_lambda_is_an_object_whose_code_is_reached_where_it_is_called() -> None:
    assert "Reach.dogs" in own("lambda")
    assert "Reach.cats" not in own("unused")
    assert len(reach("unused").lambdas) == 1


def test_a_lambda_that_captures_nothing_is_one_object() -> None:
    made = reach("captured")
    sites = [made.sites[key] for key in sorted(made.lambdas, key=lambda key: key[1])]
    assert [site.single for site in sites] == [False, True]


def test_class_objects_are_named_or_locked() -> None:
    assert set(reach("classes").class_objects) == {"Dog", "[I", "Reach"}
    sites = reach("classes").sites
    assert sites[("java/lang/Class", "Dog", ""), -4].single


def test_equal_strings_are_one_object() -> None:
    strings = reach("strings").strings
    assert [text for text in strings if text in ("some", "other")] == ["some", "other"]
    assert reach("strings").sites[("java/lang/String", "some", ""), -3].single


def test_fields_count_as_written_if_something_else_than_nothing_is_stored() -> None:
    made = reach("fields")
    assert ("Reach", "unwritten") in made.read
    assert made.written & {("Reach", n) for n in ("unwritten", "zeroed", "field")} == set()
    assert {("Reach", "set"), ("Reach", "n"), ("Reach", "any")} <= made.written
    assert ("Reach", "reference") not in made.written
    assert ("Reach", "field") not in made.read


def test_a_constant_initialises_no_class() -> None:
    assert "Constants" not in reach("constant").triggered
    assert "Constants" not in reach("constant").initialised


def test_a_static_call_initialises_its_class() -> None:
    assert "Lazy" in reach("trigger").initialised
    assert "Reach.count" in own("trigger")


def test_a_field_that_is_inherited_initialises_only_the_class_that_declares_it() -> None:
    assert {"Above"} == set(reach("inherits").triggered) & {"Above", "Below"}


def test_an_exception_without_fields_is_plain() -> None:
    made = reach("throwing")
    assert made.is_plain_throwable("Trouble")
    assert not made.is_plain_throwable("Detailed")
    assert not made.is_plain_throwable("Reach")
    single = {site.type: site.single for site in made.sites.values() if site.key[1] >= 0}
    assert (single["Trouble"], single["Detailed"]) == (True, False)


def test_arrays_know_their_length_if_it_is_written_down() -> None:
    lengths = {
        site.type: site.length
        for site in reach("lengths").sites.values()
        if site.type.startswith("[")
    }
    assert lengths == {"[I": 3, "[J": None, "[[LDog;": None, "[LDog;": None}


def test_a_private_method_is_called_directly() -> None:
    method = found("hidden").entry
    assert method.code
    pc = code_pcs(method, "invokevirtual")[0]
    call = next(each for each in method.code.instructions if each.pc == pc)
    target = direct_target(found("hidden").hierarchy, method, call)
    assert target
    assert target.key == ("Reach", "own", "()V")


def test_concatenation_calls_what_makes_strings_of_objects() -> None:
    assert {"Shown.toString", "Reach.cats"} <= own("concatenates")


def test_what_a_started_thread_runs_is_reached() -> None:
    assert "Reach.dogs" in own("starts")


def test_a_clone_of_an_array_is_an_object_of_its_own() -> None:
    made = reach("clones")
    ints = [site for site in made.sites.values() if site.type == "[I"]
    dogs = [site for site in made.sites.values() if site.type == "[LDog;"]
    assert (len(ints), len(dogs)) == (2, 2)
    assert len(made.making_arrays) == 1
