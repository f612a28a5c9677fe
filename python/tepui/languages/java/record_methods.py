"""The methods that every record has: equals, hashCode and toString (JLS 8.10.3).

Compilers leave them to a bootstrap method, ObjectMethods. Here they are made of instructions like
any other, with the hash code that the JDK computes; the string is opaque, but asks the components.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tepui.languages.java.class_attributes import BootstrapMethod
from tepui.languages.java.code import Code, LineNumber
from tepui.languages.java.constants import (
    ClassRef,
    FieldRef,
    InvokeDynamic,
    MethodHandle,
    MethodRef,
)
from tepui.languages.java.instructions import Instruction

RECORD = "java/lang/Record"

_OBJECT, _STRING, _OBJECTS = "java/lang/Object", "java/lang/String", "java/util/Objects"

_Line = tuple[str, object]

_HASHED = {"Z": "Boolean", "J": "Long", "F": "Float", "D": "Double"}


def record_code(
    name: str, descriptor: str, code: Code | None, bootstraps: Sequence[BootstrapMethod]
) -> Code | None:
    """The code of a method of a record, written out if all that it does is to call what a
    bootstrap method makes."""
    writer = _WRITERS.get((name, descriptor))
    if writer is None or code is None or len(code.instructions) > 4:
        return code
    for each in code.instructions:
        if isinstance(each.operand, InvokeDynamic):
            bootstrap = bootstraps[each.operand.bootstrap]
            owner, *others = bootstrap.arguments or (None,)
            is_record = bootstrap.handle.target.owner == "java/lang/runtime/ObjectMethods"
            if is_record and each.operand.name == name and isinstance(owner, ClassRef):
                return _written(code, writer(owner, _fields(others)))
    return code


def _fields(arguments: Sequence[object]) -> list[FieldRef]:
    """The components."""
    return [
        each.target
        for each in arguments
        if isinstance(each, MethodHandle) and isinstance(each.target, FieldRef)
    ]


def _written(code: Code, lines: list[_Line]) -> Code:
    instructions = tuple(
        Instruction(pc, operation, operand)  # type: ignore[arg-type]
        for pc, (operation, operand) in enumerate(lines)
    )
    line = code.line_at(0)
    numbers = () if line is None else (LineNumber(0, line),)
    return Code(4, code.max_locals, instructions, (), numbers, ())


def _equals(owner: ClassRef, fields: list[FieldRef]) -> list[_Line]:
    lines: list[_Line] = [("aload", 1), ("instanceof", owner), ("ifeq", None)]
    for each in fields:
        lines += [("aload", 0), ("getfield", each)]
        lines += [("aload", 1), ("checkcast", owner), ("getfield", each)]
        kind = each.descriptor[0]
        if kind in "JFD":
            lines += [({"J": "lcmp", "F": "fcmpl", "D": "dcmpl"}[kind], None), ("ifne", None)]
        elif kind in "L[":
            same = MethodRef(_OBJECTS, "equals", f"(L{_OBJECT};L{_OBJECT};)Z", False)
            lines += [("invokestatic", same), ("ifeq", None)]
        else:
            lines.append(("if_icmpne", None))
    lines += [("iconst", 1), ("ireturn", None), ("iconst", 0), ("ireturn", None)]
    different = len(lines) - 2
    return [(name, different if name.startswith("if") else value) for name, value in lines]


def _hash_code(owner: ClassRef, fields: list[FieldRef]) -> list[_Line]:
    lines: list[_Line] = [("iconst", 0)]
    for each in fields:
        lines += [("bipush", 31), ("imul", None), ("aload", 0), ("getfield", each)]
        kind = each.descriptor[0]
        if kind in _HASHED:
            box = f"java/lang/{_HASHED[kind]}"
            lines.append(("invokestatic", MethodRef(box, "hashCode", f"({kind})I", False)))
        elif kind in "L[":
            hashed = MethodRef(_OBJECTS, "hashCode", f"(L{_OBJECT};)I", False)
            lines.append(("invokestatic", hashed))
        lines.append(("iadd", None))
    return [*lines, ("ireturn", None)]


def _to_string(owner: ClassRef, fields: list[FieldRef]) -> list[_Line]:
    lines: list[_Line] = []
    for each in fields:
        if each.descriptor[0] in "L[":
            asked = MethodRef(_STRING, "valueOf", f"(L{_OBJECT};)L{_STRING};", False)
            lines += [("aload", 0), ("getfield", each), ("invokestatic", asked), ("pop", None)]
    made = MethodRef("tepui/Intrinsics", "opaqueString", f"()L{_STRING};", False)
    return [*lines, ("invokestatic", made), ("areturn", None)]


_WRITERS: dict[tuple[str, str], Callable[[ClassRef, list[FieldRef]], list[_Line]]] = {
    ("equals", f"(L{_OBJECT};)Z"): _equals,
    ("hashCode", "()I"): _hash_code,
    ("toString", f"()L{_STRING};"): _to_string,
}
