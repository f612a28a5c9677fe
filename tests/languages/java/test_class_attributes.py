"""Bootstrap methods, nested classes and components of records, where they are wrong."""

from __future__ import annotations

import pytest

from support.class_bytes import ClassBytes, u2
from tepui.languages.java.byte_reader import ClassFileError
from tepui.languages.java.class_attributes import BootstrapMethod, InnerClass, RecordComponent
from tepui.languages.java.classfile import read_class
from tepui.languages.java.constants import Dynamic, MethodHandle, MethodRef, StringConstant


def test_bootstrap_methods_may_need_each_other() -> None:
    made = ClassBytes()
    handle = made.handle(6, made.method_ref("B", "b", "()V"))
    first, text = made.dynamic(1, "c", "I"), made.add(8, u2(made.text("t")))
    made.bootstraps((handle, [first, text, first]), (handle, []))
    read = read_class(made.build(), "C")
    read.read_all()
    of_b = MethodHandle(6, MethodRef("B", "b", "()V", False))
    needed = Dynamic(1, "c", "I")
    assert read.bootstrap_methods == (
        BootstrapMethod(of_b, (needed, StringConstant("t"), needed)),
        BootstrapMethod(of_b, ()),
    )


@pytest.mark.parametrize("length", [1, 2, 5000])
def test_constants_that_need_themselves(length: int) -> None:
    made = ClassBytes()
    handle = made.handle(6, made.method_ref("B", "b", "()V"))
    needed = [made.dynamic((number + 1) % length, "c", "I") for number in range(length)]
    made.bootstraps(*((handle, [each]) for each in needed))
    with pytest.raises(ClassFileError, match="a constant is needed to compute itself"):
        _ = read_class(made.build(), "C").bootstrap_methods
    made.attributes.clear()
    made.bootstraps(*((handle, [each]) for each in needed[:-1]), (handle, []))
    assert len(read_class(made.build(), "C").bootstrap_methods) == length


def test_a_circle_is_found_beside_constants_that_can_be_computed() -> None:
    made = ClassBytes()
    handle = made.handle(6, made.method_ref("B", "b", "()V"))
    itself, other = made.dynamic(0, "c", "I"), made.dynamic(1, "c", "I")
    made.bootstraps((handle, [other, itself]), (handle, []))
    with pytest.raises(ClassFileError, match="a constant is needed to compute itself"):
        _ = read_class(made.build(), "C").bootstrap_methods


def test_what_bootstrap_methods_cannot_be_given() -> None:
    made = ClassBytes()
    method = made.method_ref("B", "b", "()V")
    handle = made.handle(6, method)
    made.bootstraps((handle, [method]))
    with pytest.raises(ClassFileError, match="cannot be given to a bootstrap method"):
        _ = read_class(made.build(), "C").bootstrap_methods
    made.attributes.clear()
    made.bootstraps((method, []))
    with pytest.raises(ClassFileError, match="which is a method, is of the wrong kind here"):
        _ = read_class(made.build(), "C").bootstrap_methods
    made.attributes.clear()
    made.bootstraps((handle, []))
    made.attributes[0] = made.attribute("BootstrapMethods", b"\0")
    with pytest.raises(ClassFileError, match="expected 2 bytes, found 1 byte"):
        read_class(made.build(), "C")


def test_inner_classes_with_and_without_names() -> None:
    made = ClassBytes()
    inner, outer, name = made.type("C$D"), made.type("C"), made.text("D")
    content = u2(2) + u2(inner) + u2(outer) + u2(name) + u2(9) + u2(inner) + u2(0) + u2(0) + u2(0)
    made.attributes.append(made.attribute("InnerClasses", content))
    assert read_class(made.build(), "C").inner_classes == (
        InnerClass("C$D", "C", "D", 9),
        InnerClass("C$D", None, None, 0),
    )
    made.attributes = [made.attribute("InnerClasses", u2(1) + bytes(8))]
    with pytest.raises(ClassFileError, match="constant 0, which is unused, is of the wrong kind"):
        _ = read_class(made.build(), "C").inner_classes


def test_components_have_attributes_of_their_own() -> None:
    made = ClassBytes()
    head = u2(made.text("a")) + u2(made.text("J"))
    unknown = made.attribute("Unknown", b"any")
    content = u2(2) + head + u2(1) + unknown + head + u2(0)
    made.attributes.append(made.attribute("Record", content))
    component = RecordComponent("a", "J")
    assert read_class(made.build(), "C").record_components == (component, component)
    wrong = u2(1) + u2(made.text("a")) * 2 + u2(0)
    made.attributes = [made.attribute("Record", wrong)]
    with pytest.raises(ClassFileError, match="'a' is no descriptor of a field"):
        _ = read_class(made.build(), "C").record_components


def test_a_nest_host_is_a_class() -> None:
    made = ClassBytes()
    made.attributes.append(made.attribute("NestHost", u2(made.type("H"))))
    assert read_class(made.build(), "C").nest_host == "H"
    made.attributes = [made.attribute("NestHost", u2(made.text("H")))]
    with pytest.raises(ClassFileError, match="which is a text, is of the wrong kind here"):
        _ = read_class(made.build(), "C").nest_host
