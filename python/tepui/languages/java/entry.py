"""Where a program begins: what the main thread does, and what every other thread does.

Both are methods of a class that is made here, in instructions like any other.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import nan

from tepui.languages.java.code import Code
from tepui.languages.java.constants import ClassRef, MethodRef
from tepui.languages.java.hierarchy import (
    OBJECT,
    STATIC,
    STRING,
    THREAD,
    JavaClass,
    JavaMethod,
)
from tepui.languages.java.instructions import Instruction
from tepui.languages.java.stack_values import kind_of

ENTRY = "tepui/Entry"
_INTRINSICS = "tepui/Intrinsics"

MAIN_THREAD = (THREAD, "main", f"()L{THREAD};")
"""The method of the model that makes the object of the main thread."""


def entry_class(entry: JavaMethod) -> JavaClass:
    """The class with the methods `main`, `initialise` and `run`."""
    made = JavaClass(ENTRY, OBJECT, source_file=entry.owner.source_file)
    _add(made, "main", "()V", _main(entry))
    _add(made, "run", f"(L{THREAD};)V", _run())
    return made


def with_initialisers(made: JavaClass, names: Iterable[str]) -> JavaMethod:
    """The method that initialises some classes, one after another."""
    assembler = [("invokestatic", MethodRef(name, "<clinit>", "()V", False)) for name in names]
    return _add(made, "initialise", "()V", [*assembler, ("return", None)])


_Line = tuple[str, object]


def _main(entry: JavaMethod) -> list[_Line]:
    """Make the object of the main thread, initialise classes, and call the entry."""
    lines: list[_Line] = [
        ("invokestatic", MethodRef(*MAIN_THREAD, False)),
        ("pop", None),
        ("invokestatic", MethodRef(ENTRY, "initialise", "()V", False)),
    ]
    owner = entry.owner.name
    if not entry.is_static:
        lines += [
            ("new", ClassRef(owner)),
            ("dup", None),
            ("invokespecial", MethodRef(owner, "<init>", "()V", False)),
        ]
    for descriptor in entry.parameters:
        lines += _argument(descriptor)
    call = "invokestatic" if entry.is_static else "invokevirtual"
    lines.append((call, MethodRef(owner, entry.name, entry.descriptor, False)))
    if entry.result != "V":
        lines.append(("pop2" if entry.result in "JD" else "pop", None))
    main = MethodRef(THREAD, "currentThread", f"()L{THREAD};", False)
    lines.append(("invokestatic", main))
    lines.append(("invokestatic", MethodRef(THREAD, "end", f"(L{THREAD};)V", False)))
    return [*lines, ("return", None)]


def _run() -> list[_Line]:
    return [
        ("aload", 0),
        ("invokevirtual", MethodRef(THREAD, "run", "()V", False)),
        ("aload", 0),
        ("invokestatic", MethodRef(THREAD, "end", f"(L{THREAD};)V", False)),
        ("return", None),
    ]


def _argument(descriptor: str) -> list[_Line]:
    """Any value of a type, which is unknown for floating-point numbers; null for most objects."""
    kind = kind_of(descriptor)
    if descriptor == f"[L{STRING};":
        return [("iconst", 0), ("anewarray", ClassRef(STRING))]
    if descriptor == "Z":
        return [("invokestatic", MethodRef(_INTRINSICS, "anyBoolean", "()Z", False))]
    if descriptor in _RANGES:
        low, high = _RANGES[descriptor]
        any_int = MethodRef(_INTRINSICS, "anyInt", "(II)I", False)
        return [("sipush", low), ("sipush", high), ("invokestatic", any_int)]
    if kind == "I":
        return [("invokestatic", MethodRef(_INTRINSICS, "anyInt", "()I", False))]
    if kind == "J":
        return [("invokestatic", MethodRef(_INTRINSICS, "anyLong", "()J", False))]
    if kind in "FD":
        return [("fconst" if kind == "F" else "dconst", nan)]
    if descriptor in ANY_OR_NULL:
        any_box = MethodRef(descriptor[1:-1], "argument", f"(){descriptor}", False)
        return [("invokestatic", any_box)]
    return [("aconst_null", None)]


_RANGES = {"B": (-128, 127), "S": (-(2**15), 2**15 - 1), "C": (0, 2**16 - 1)}

ANY_OR_NULL = {
    "Ljava/lang/Integer;": "any Integer or null",
    "Ljava/lang/Long;": "any Long or null",
    "Ljava/lang/Boolean;": "Boolean.TRUE, Boolean.FALSE or null",
}
"""The classes whose models give arguments, and which."""


def _add(made: JavaClass, name: str, descriptor: str, lines: list[_Line]) -> JavaMethod:
    instructions = tuple(
        Instruction(pc, operation, operand)  # type: ignore[arg-type]
        for pc, (operation, operand) in enumerate(lines)
    )
    code = Code(8, 8, instructions, (), (), ())
    method = JavaMethod(made, name, descriptor, STATIC, lambda: code)
    made.methods[name, descriptor] = method
    return method
