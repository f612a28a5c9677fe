"""Classes and what their names mean: resolution, selection, arrays as types, initialisation."""

from __future__ import annotations

import pytest

from support.java_programs import java_text
from tepui.languages.java.constants import FieldRef
from tepui.languages.java.hierarchy import JavaClass, class_of_descriptor

TEXT = """
interface Top { int LIMIT = "top".length(); default String who() { return "Top"; } }
interface Left extends Top { default String who() { return "Left"; } }
interface Right extends Top { String other(); }
interface Plain { int SIZE = "plain".length(); void nothing(); static void some() { } }
class Base implements Top {
    int value; private int own; static int counted;
    void call() { } private void hidden() { } static void fixed() { }
}
class Middle extends Base implements Left { long value; void hidden() { } }
abstract class Low extends Middle implements Right, Plain { void call() { } void fixed(int n) { } }
class Lowest extends Low { public String other() { return ""; } public void nothing() { } }
class Again extends Base implements Right, Top { public String other() { return ""; } }
class Around { static class Inside { } Object made() { class Local { } return new Object() { }; }
    Object local() { class Local { } return new Local(); } }
"""

VOID, TEXT_RESULT = "()V", "()Ljava/lang/String;"

CLASSES = java_text(TEXT).hierarchy()


def owner(name: str, method: str, descriptor: str = VOID) -> str | None:
    """The class whose method a reference means."""
    found = CLASSES.method(name, method, descriptor)
    return found.owner.name if found else None


def selected(name: str, method: str, descriptor: str = VOID) -> str | None:
    """The class whose method an object executes."""
    found = CLASSES.selected(name, method, descriptor)
    return found.owner.name if found else None


def test_a_class_that_is_nowhere_is_not_found() -> None:
    assert CLASSES.find("Nowhere") is None
    assert CLASSES.method("Nowhere", "call", VOID) is None
    assert list(CLASSES.superclasses("Nowhere")) == []
    assert CLASSES.initialised_with("Nowhere") == []
    assert CLASSES.initialised_before("Nowhere") == []


def test_a_class_is_read_once_and_says_where_it_comes_from() -> None:
    assert CLASSES.find("Base") is CLASSES.find("Base")
    origins = ["Base", "java/lang/Thread", "java/util/ArrayList"]
    assert [CLASSES.find(each).origin for each in origins] == ["program", "model", "jdk"]  # type: ignore[union-attr]


def test_a_method_is_resolved_to_the_nearest_superclass_that_has_it() -> None:
    assert owner("Lowest", "call") == "Low"
    assert owner("Middle", "call") == "Base"
    assert owner("Lowest", "hashCode", "()I") == "java/lang/Object"
    assert owner("Lowest", "call", "(I)V") is None


def test_a_superclass_comes_before_interfaces_and_code_before_none() -> None:
    assert owner("Lowest", "who", TEXT_RESULT) == "Left"
    assert owner("Again", "who", TEXT_RESULT) == "Top"
    assert owner("Low", "other", TEXT_RESULT) == "Right"
    assert owner("Right", "who", TEXT_RESULT) == "Top"


def test_an_object_executes_the_most_specific_default_method() -> None:
    assert selected("Lowest", "who", TEXT_RESULT) == "Left"
    assert selected("Again", "who", TEXT_RESULT) == "Top"
    assert selected("Lowest", "other", TEXT_RESULT) == "Lowest"


def test_an_object_executes_no_private_static_or_abstract_method() -> None:
    assert selected("Base", "hidden") is None
    assert selected("Middle", "hidden") == "Middle"
    assert selected("Base", "fixed") is None
    assert selected("Plain", "some") is None


def test_a_field_is_resolved_by_its_type_too() -> None:
    found = [CLASSES.field(FieldRef("Lowest", "value", each)) for each in "IJZ"]
    assert [each and each.owner for each in found] == ["Base", "Middle", None]
    limit = CLASSES.field(FieldRef("Lowest", "LIMIT", "I"))
    assert limit
    assert limit.key == ("Top", "LIMIT")
    assert limit.is_static
    assert not found[0].is_static  # type: ignore[union-attr]


def test_the_types_of_an_object_are_its_own_and_all_above() -> None:
    assert CLASSES.supertypes("Middle") == ("Middle", "Base", "Left", "java/lang/Object", "Top")
    assert CLASSES.is_subtype("Lowest", "Plain")
    assert CLASSES.is_subtype("Plain", "java/lang/Object")
    assert not CLASSES.is_subtype("Base", "Middle")


@pytest.mark.parametrize(
    ("name", "of", "is_one"),
    [
        ("[LMiddle;", "[LBase;", True),
        ("[LMiddle;", "[LTop;", True),
        ("[LBase;", "[LMiddle;", False),
        ("[[LMiddle;", "[[LTop;", True),
        ("[[LMiddle;", "[Ljava/lang/Object;", True),
        ("[[I", "[Ljava/lang/Object;", True),
        ("[[I", "[Ljava/lang/Cloneable;", True),
        ("[I", "[Ljava/lang/Object;", False),
        ("[I", "[J", False),
        ("[I", "java/io/Serializable", True),
        ("[I", "java/lang/Cloneable", True),
        ("[I", "java/lang/Object", True),
        ("[I", "java/lang/Runnable", False),
    ],
)
def test_an_array_is_also_an_array_of_what_its_elements_are(
    name: str, of: str, is_one: bool
) -> None:
    assert CLASSES.is_subtype(name, of) == is_one


def test_an_array_has_the_methods_of_objects() -> None:
    assert owner("[I", "hashCode", "()I") == "java/lang/Object"
    assert [each.name for each in CLASSES.superclasses("[[LBase;")] == ["java/lang/Object"]


def test_before_a_class_its_superclass_and_interfaces_with_code_are_initialised() -> None:
    assert CLASSES.initialised_before("Base") == ["java/lang/Object", "Top"]
    assert CLASSES.initialised_before("Middle") == ["Base", "Left"]
    assert CLASSES.initialised_before("Low") == ["Middle"]
    assert CLASSES.initialised_before("Again") == ["Base"]


def test_an_interface_is_initialised_alone() -> None:
    assert CLASSES.initialised_before("Left") == []
    assert [each.name for each in CLASSES.initialised_with("Left")] == ["Left"]


def test_an_interface_without_code_of_objects_is_not_initialised_with_a_class() -> None:
    names = [each.name for each in CLASSES.initialised_with("Low")]
    assert names == ["Low", "Middle", "Base", "java/lang/Object", "Left", "Top"]


def test_classes_are_called_without_what_encloses_them() -> None:
    names = ["Around", "Around$Inside", "Around$1Local", "Around$1", "java/util/ArrayList"]
    found = [JavaClass(each, None).simple_name for each in names]
    assert found == ["Around", "Inside", "Local", "Around$1", "ArrayList"]


def test_a_descriptor_names_a_class_or_an_array_or_neither() -> None:
    found = [class_of_descriptor(each) for each in ("Lp/C;", "[[I", "I")]
    assert found == ["p/C", "[[I", None]


def test_a_method_knows_its_parameters_and_decodes_its_code_once() -> None:
    found = CLASSES.method("Low", "fixed", "(I)V")
    assert found
    assert (found.parameters, found.result, found.is_static) == (("I",), "V", False)
    assert found.code is found.code is not None
    assert CLASSES.method("Plain", "nothing", VOID).code is None  # type: ignore[union-attr]
