"""Names and descriptors of the JVM (JVMS 4.2, 4.3): `(IJ)V` takes an int and a long.

A type stays text: `I`, `[[J`, `Ljava/lang/String;`, and `V` for no result. Every name and
descriptor that comes out of a class file has been checked, so a ValueError is about other texts.
"""

from __future__ import annotations

import re
from functools import lru_cache

from tepui.records import record


@record
class MethodDescriptor:
    """The types of the parameters of a method, without `this`, and that of its result."""

    parameters: tuple[str, ...]
    result: str

    @property
    def size(self) -> int:
        """How many local variables the parameters take: a long and a double take two."""
        return sum(map(slots_of, self.parameters))


@lru_cache(maxsize=4096)
def method_descriptor(text: str) -> MethodDescriptor:
    """The types in the descriptor of a method."""
    if not is_method_descriptor(text):
        raise ValueError(f"{text!r} is no descriptor of a method")
    parameters, _, result = text[1:].rpartition(")")
    return MethodDescriptor(tuple(_FIELD.findall(parameters)), result)


def slots_of(descriptor: str) -> int:
    """How many local variables, or places on the stack, a value of this type takes."""
    return 2 if descriptor in ("J", "D") else 0 if descriptor == "V" else 1


def is_method_descriptor(text: str) -> bool:
    if not _METHOD.fullmatch(text):
        return False
    if 2 * len(text) <= _MOST_SLOTS:
        return True
    parameters = _FIELD.findall(text[1 : text.rindex(")")])
    return sum(map(slots_of, parameters)) <= _MOST_SLOTS


def is_field_descriptor(text: str) -> bool:
    return _FIELD.fullmatch(text) is not None


def is_class_name(text: str) -> bool:
    """Is this the internal name of a class, such as `java/util/Map$Entry`?"""
    return _CLASS.fullmatch(text) is not None


def is_class_or_array(text: str) -> bool:
    """Is this what a constant for a class may hold: its name, or the descriptor of an array?"""
    return is_field_descriptor(text) if text.startswith("[") else is_class_name(text)


def is_field_name(text: str) -> bool:
    return _SIMPLE.fullmatch(text) is not None


def is_method_name(text: str) -> bool:
    return _METHOD_NAME.fullmatch(text) is not None


_MOST_SLOTS = 255
"""The parameters of a method take no more."""

# Each part begins with a character that no other one begins with, so that nothing is tried twice.
_CLASS_PATTERN = r"[^.;\[/]++(?:/[^.;\[/]++)*+"
_FIELD_PATTERN = rf"\[{{0,255}}+(?:[BCDFIJSZ]|L{_CLASS_PATTERN};)"
_CLASS = re.compile(_CLASS_PATTERN)
_FIELD = re.compile(_FIELD_PATTERN)
_METHOD = re.compile(rf"\((?:{_FIELD_PATTERN})*+\)(?:V|{_FIELD_PATTERN})")
_SIMPLE = re.compile(r"[^.;\[/]++")
_METHOD_NAME = re.compile(r"<init>|<clinit>|[^.;\[/<>]++")


def short_parameters(descriptor: str) -> str:
    """The types of parameters, without their packages."""
    parameters = method_descriptor(descriptor).parameters
    return f"[{';'.join(short_type(each) for each in parameters)}]"


def short_type(descriptor: str) -> str:
    """A type without its package."""
    return descriptor.rstrip(";").rsplit("/", 1)[-1].rsplit("$", 1)[-1]
