"""Descriptors and names of the JVM."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tepui.languages.java.descriptors import (
    MethodDescriptor,
    is_class_name,
    is_class_or_array,
    is_field_descriptor,
    is_field_name,
    is_method_descriptor,
    is_method_name,
    method_descriptor,
    slots_of,
)

NAMES = st.lists(st.sampled_from(["a", "Zähl$1", "-", "I", "V"]), min_size=1).map("/".join)
TYPES = st.builds(
    lambda depth, name: "[" * depth + name,
    st.integers(0, 4),
    st.sampled_from("BCDFIJSZ") | NAMES.map("L{};".format),
)


@given(st.lists(TYPES, max_size=20), TYPES | st.just("V"))
def test_the_types_of_a_method(parameters: list[str], result: str) -> None:
    text = f"({''.join(parameters)}){result}"
    read = method_descriptor(text)
    assert read == MethodDescriptor(tuple(parameters), result)
    assert read.size == len(parameters) + sum(each in ("J", "D") for each in parameters)
    assert all(map(is_field_descriptor, parameters))


@given(st.text(alphabet="()[;/.LIJVa", max_size=9))
def test_a_descriptor_is_accepted_only_if_it_is_made_of_its_types(text: str) -> None:
    if is_method_descriptor(text):
        read = method_descriptor(text)
        assert text == f"({''.join(read.parameters)}){read.result}"
        assert all(map(is_field_descriptor, read.parameters))
        assert read.result == "V" or is_field_descriptor(read.result)
    else:
        with pytest.raises(ValueError, match="is no descriptor of a method"):
            method_descriptor(text)


@pytest.mark.parametrize(
    "text", ["", "V", "Q", "[", "L;", "Lab", "La.b;", "La//b;", "L/a;", "La/;", "II", "[V", "L[a;"]
)
def test_what_is_no_field_descriptor(text: str) -> None:
    assert not is_field_descriptor(text)


@pytest.mark.parametrize(
    "text", ["", "()", "(V)V", "I", "(I)", "I)V", "()VV", "(()V)V", "(La)V", "()V "]
)
def test_what_is_no_method_descriptor(text: str) -> None:
    assert not is_method_descriptor(text)


def test_limits() -> None:
    assert is_field_descriptor("[" * 255 + "I")
    assert not is_field_descriptor("[" * 256 + "I")
    assert is_method_descriptor(f"({'I' * 255})V")
    assert not is_method_descriptor(f"({'I' * 256})V")
    assert is_method_descriptor(f"({'J' * 127}I)V")
    assert not is_method_descriptor(f"({'J' * 128})V")
    assert is_method_descriptor(f"(L{'a' * 1000};)V")
    assert not is_method_descriptor("(" + "[" * 60000)
    assert not is_method_descriptor("(" + "La/" * 20000)


def test_names() -> None:
    assert all(map(is_class_name, ["A", "a/b/C$1", "module-info", "<a>"]))
    assert not any(map(is_class_name, ["", "/", "a/", "/a", "a//b", "a.b", "[a", "a;"]))
    assert is_class_or_array("[[La;")
    assert not is_class_or_array("[a")
    assert not is_class_or_array("I;")
    assert all(map(is_method_name, ["m", "<init>", "<clinit>", "a-b"]))
    assert not any(map(is_method_name, ["", "<m>", "a>", "a/b", "a.b", "a;b", "a[b"]))
    assert all(map(is_field_name, ["f", "<f>"]))
    assert not any(map(is_field_name, ["", "a/b", "a.b", "a;b", "a[b"]))


def test_slots() -> None:
    assert [slots_of(each) for each in ("J", "D", "I", "[J", "LJ;", "V")] == [2, 2, 1, 1, 1, 0]
