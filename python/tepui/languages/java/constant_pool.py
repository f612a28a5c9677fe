"""The constant pool of a class file (JVMS 4.4), whose entries are read when they are asked for.

Opening a pool only notes where its entries are: most of those of a large class are never needed.
An entry refers to entries of other kinds only, never in a circle, so reading one ends soon.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from struct import Struct
from typing import Any, TypeVar

from tepui.languages.java.byte_reader import ByteReader, ClassFileError, short
from tepui.languages.java.constants import (
    ClassRef,
    Constant,
    DoubleConstant,
    Dynamic,
    FieldRef,
    FloatConstant,
    IntConstant,
    InvokeDynamic,
    LongConstant,
    MethodHandle,
    MethodRef,
    MethodType,
    StringConstant,
)
from tepui.languages.java.descriptors import (
    is_class_or_array,
    is_field_descriptor,
    is_field_name,
    is_method_descriptor,
    is_method_name,
)

_T = TypeVar("_T", bound=Constant)

LOADABLE = (
    IntConstant,
    LongConstant,
    FloatConstant,
    DoubleConstant,
    StringConstant,
    ClassRef,
    MethodHandle,
    MethodType,
    Dynamic,
)
"""The kinds of what `ldc` can load."""


class ConstantPool:
    """The constants of a class by their indices. `at` is always where an index was found."""

    def __init__(self, reader: ByteReader) -> None:
        self.bootstraps = 0
        """How many bootstrap methods the class has: constants refer to them."""
        self._data, self._error = reader.data, reader.error
        self._places = _places(reader)
        self._texts: dict[int, str] = {}
        self._constants: dict[int, Constant] = {}
        self._checked: set[tuple[str, str]] = set()

    def __len__(self) -> int:
        return len(self._places)

    def text(self, index: int, at: int) -> str:
        """The text with this index."""
        found = self._texts.get(index)
        if found is None:
            found = self._texts[index] = self._decoded(self._place(index, at, (_UTF8,)))
        return found

    def constant(self, index: int, at: int) -> Constant:
        """The constant with this index, of any kind that has a record."""
        found = self._constants.get(index)
        if found is None:
            place = self._place(index, at, _READERS)
            found = self._constants[index] = _READERS[self._data[place]](self, place)
        return found

    def of_kind(self, kind: type[_T], index: int, at: int) -> _T:
        """The constant with this index, which must be of this kind."""
        found = self.constant(index, at)
        if not isinstance(found, kind):
            raise self._wrong_kind(index, at)
        return found

    def class_name(self, index: int, at: int) -> str:
        return self.of_kind(ClassRef, index, at).name

    def optional_class_name(self, index: int, at: int) -> str | None:
        """A class, or None for the index 0, which stands for none."""
        return self.class_name(index, at) if index else None

    def optional_text(self, index: int, at: int) -> str | None:
        return self.text(index, at) if index else None

    def read_all(self) -> None:
        """Read every constant, for the errors in those that nothing refers to."""
        for index, place in enumerate(self._places):
            if not place:
                continue
            if self._data[place] == _UTF8:
                self.text(index, place)
            elif self._data[place] in _READERS:
                self.constant(index, place)

    def _place(self, index: int, at: int, tags: Container[int]) -> int:
        """Where the constant is, if it has one of these tags."""
        if index >= len(self._places):
            raise self._error(
                at, f"there is no constant {index}, the last one is {len(self._places) - 1}"
            )
        place = self._places[index]
        if not place or self._data[place] not in tags:
            raise self._wrong_kind(index, at)
        return place

    def _wrong_kind(self, index: int, at: int) -> ClassFileError:
        place = self._places[index]
        kind = _TAGS[self._data[place]][0] if place else "unused"
        return self._error(at, f"constant {index}, which is {kind}, is of the wrong kind here")

    def _decoded(self, place: int) -> str:
        (length,) = _U2.unpack_from(self._data, place + 1)
        start = place + 3
        try:
            return modified_utf8(self._data[start : start + length])
        except ValueError:
            raise self._error(start, "this is no text in modified UTF-8") from None

    def _u2(self, place: int) -> int:
        number: int = _U2.unpack_from(self._data, place)[0]
        return number

    def _number(self, place: int) -> Constant:
        kind, form = _NUMBERS[self._data[place]]
        return kind(form.unpack_from(self._data, place + 1)[0])

    def _class(self, place: int) -> ClassRef:
        name = self.text(self._u2(place + 1), place)
        self._check(is_class_or_array, name, place, "name of a class")
        return ClassRef(name)

    def _string(self, place: int) -> StringConstant:
        return StringConstant(self.text(self._u2(place + 1), place))

    def _field(self, place: int) -> FieldRef:
        owner = self.class_name(self._u2(place + 1), place)
        name, descriptor = self._name_and_type(place)
        self.check_field(name, descriptor, place)
        return FieldRef(owner, name, descriptor)

    def _method(self, place: int) -> MethodRef:
        owner = self.class_name(self._u2(place + 1), place)
        name, descriptor = self._name_and_type(place)
        self.check_method(name, descriptor, place)
        return MethodRef(owner, name, descriptor, self._data[place] == _INTERFACE_METHOD)

    def _method_type(self, place: int) -> MethodType:
        descriptor = self.text(self._u2(place + 1), place)
        self._check(is_method_descriptor, descriptor, place, "descriptor of a method")
        return MethodType(descriptor)

    def _handle(self, place: int) -> MethodHandle:
        kind = self._data[place + 1]
        target = self.constant(self._u2(place + 2), place)
        if kind in (1, 2, 3, 4) and isinstance(target, FieldRef):
            return MethodHandle(kind, target)
        if isinstance(target, MethodRef) and target.is_interface in _HANDLES.get(kind, ()):
            return MethodHandle(kind, target)
        raise self._error(place, f"a method handle of kind {kind} cannot refer to this constant")

    def _dynamic(self, place: int) -> Dynamic:
        name, descriptor = self._name_and_type(place)
        self.check_field(name, descriptor, place)
        return Dynamic(self._bootstrap(place), name, descriptor)

    def _invoke_dynamic(self, place: int) -> InvokeDynamic:
        name, descriptor = self._name_and_type(place)
        self.check_method(name, descriptor, place)
        return InvokeDynamic(self._bootstrap(place), name, descriptor)

    def _bootstrap(self, place: int) -> int:
        index = self._u2(place + 1)
        if index >= self.bootstraps:
            raise self._error(
                place, f"there is no bootstrap method {index}, the class has {self.bootstraps}"
            )
        return index

    def _name_and_type(self, place: int) -> tuple[str, str]:
        """The name and the descriptor to which a constant refers in its second half."""
        pair = self._place(self._u2(place + 3), place, (_NAME_AND_TYPE,))
        return self.text(self._u2(pair + 1), pair), self.text(self._u2(pair + 3), pair)

    def check_field(self, name: str, descriptor: str, at: int) -> None:
        """An error unless a field, or a computed constant, may be called and typed like this."""
        self._check(is_field_name, name, at, "name of a field")
        self._check(is_field_descriptor, descriptor, at, "descriptor of a field")

    def check_method(self, name: str, descriptor: str, at: int) -> None:
        self._check(is_method_name, name, at, "name of a method")
        self._check(is_method_descriptor, descriptor, at, "descriptor of a method")

    def _check(self, fits: Callable[[str], bool], text: str, at: int, what: str) -> None:
        """Many constants may share a long text: for each use, it is looked at once."""
        if (what, text) in self._checked:
            return
        if not fits(text):
            raise self._error(at, f"'{short(text)}' is no {what}")
        self._checked.add((what, text))


def modified_utf8(data: bytes) -> str:
    """Text as class files have it: no byte is 0, the character 0 has two bytes, and those beyond
    U+FFFF are pairs of surrogates. A ValueError if it is wrong."""
    if data.isascii():
        if 0 in data:
            raise ValueError
        return data.decode("ascii")
    if 0 in data or max(data) >= 0xF0:
        raise ValueError
    text = data.replace(b"\xc0\x80", b"\0").decode("utf-8", "surrogatepass")
    if 0xED in data:
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    return text


_UTF8, _INTERFACE_METHOD, _NAME_AND_TYPE = 1, 11, 12

_TAGS = {
    1: ("a text", 0),
    3: ("an int", 4),
    4: ("a float", 4),
    5: ("a long", 8),
    6: ("a double", 8),
    7: ("a class", 2),
    8: ("a string", 2),
    9: ("a field", 4),
    10: ("a method", 4),
    11: ("a method of an interface", 4),
    12: ("a name with a type", 4),
    15: ("a method handle", 3),
    16: ("a type of methods", 2),
    17: ("a computed constant", 4),
    18: ("a dynamic call", 4),
    19: ("a module", 2),
    20: ("a package", 2),
}
"""What each tag stands for, and how many bytes follow it; after a text, its length says so."""

_U2 = Struct(">H")

_NUMBERS: dict[int, tuple[Callable[[Any], Constant], Struct]] = {
    3: (IntConstant, Struct(">i")),
    4: (FloatConstant, Struct(">f")),
    5: (LongConstant, Struct(">q")),
    6: (DoubleConstant, Struct(">d")),
}

_HANDLES = {5: (False,), 6: (False, True), 7: (False, True), 8: (False,), 9: (True,)}
"""Kinds of method handles, and whether their methods may be those of interfaces."""

_READERS = {
    3: ConstantPool._number,
    4: ConstantPool._number,
    5: ConstantPool._number,
    6: ConstantPool._number,
    7: ConstantPool._class,
    8: ConstantPool._string,
    9: ConstantPool._field,
    10: ConstantPool._method,
    11: ConstantPool._method,
    15: ConstantPool._handle,
    16: ConstantPool._method_type,
    17: ConstantPool._dynamic,
    18: ConstantPool._invoke_dynamic,
}


def _places(reader: ByteReader) -> list[int]:
    """The offset of each constant, and 0 where an index stands for none."""
    count = reader.u2()
    data, at, end = reader.data, reader.at, reader.end
    places = [0]
    while len(places) < count:
        places.append(at)
        if at + 3 > end:
            raise reader.error(at, "the file ends within its constants")
        tag = data[at]
        if tag == _UTF8:
            at += 3 + (data[at + 1] << 8 | data[at + 2])
        elif tag in _TAGS:
            at += 1 + _TAGS[tag][1]
            if tag in (5, 6):
                places.append(0)
        else:
            raise reader.error(at, f"there is no kind {tag} of constants")
    if at > end or len(places) != max(count, 1):
        raise reader.error(places[-1] or places[-2], "the constants end within one of them")
    reader.at = at
    return places
