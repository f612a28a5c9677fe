"""Fields that only the constructors of their objects write, before anybody else knows the object.

Such a field has its value before another thread, or any code outside of constructors, can read it,
and keeps it for ever. That is so if each `putfield` of it writes to `this` in a constructor of its
class, if `this` is used for nothing else in constructors but fields and other such constructors,
and if no constructor reads the field. A field of which some constructor may end without a write may
still be seen with its first value (`always`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tepui.languages.java.code import Code
from tepui.languages.java.constants import FieldRef, MethodRef
from tepui.languages.java.hierarchy import (
    STATIC,
    Hierarchy,
    JavaField,
    JavaMethod,
    MethodKey,
)
from tepui.languages.java.instructions import Instruction
from tepui.languages.java.type_analysis import constant_before

FieldKey = tuple[str, str]


class SettledFields:
    """Finds such fields among the methods of a program."""

    def __init__(self, hierarchy: Hierarchy, methods: Mapping[MethodKey, JavaMethod]) -> None:
        self._hierarchy, self._methods = hierarchy, methods
        self._confined: dict[MethodKey, bool] = {}
        self.fields: set[FieldKey] = set()
        """Fields that do not change once others may see them."""
        self.always: set[FieldKey] = set()
        """Those of them of which nobody else sees the first value."""
        written: dict[FieldKey, set[MethodKey]] = {}
        spoiled: set[FieldKey] = set()
        for method in methods.values():
            for field, of_this, instruction in self._accesses(method):
                own = method.name == "<init>" and method.owner.name == field.owner
                if not (own and of_this and self.is_confined(method)):
                    if instruction.name == "putfield" or own:
                        spoiled.add(field.key)
                elif instruction.name == "putfield":
                    written.setdefault(field.key, set()).add(method.key)
                else:
                    spoiled.add(field.key)
        for key, writers in written.items():
            if key not in spoiled:
                self.fields.add(key)
                if self._always(key, writers):
                    self.always.add(key)

    def is_confined(self, method: JavaMethod) -> bool:
        """Whether a constructor tells nobody of the object that it makes."""
        if method.key not in self._confined:
            self._confined[method.key] = False  # A constructor that calls itself is no good one.
            self._confined[method.key] = self._is_confined(method)
        return self._confined[method.key]

    def _is_confined(self, method: JavaMethod) -> bool:
        code = method.code
        if method.name != "<init>" or code is None:
            return False
        return all(
            self._keeps_this(code, number)
            for number, each in enumerate(code.instructions)
            if each.operation in ("aload", "astore") and each.operand == 0
        )

    def _keeps_this(self, code: Code, number: int) -> bool:
        """Whether `this`, loaded by an instruction, goes to a field access or a constructor."""
        if code.instructions[number].operation == "astore":
            return False
        user = _user(code, number)
        if user is None:
            return False
        instruction, depth = user
        operand = instruction.operand
        if isinstance(operand, FieldRef):
            return instruction.name == "getfield" or (instruction.name == "putfield" and depth == 1)
        if isinstance(operand, MethodRef) and instruction.name == "invokespecial":
            target = self._hierarchy.method(operand.owner, operand.name, operand.descriptor)
            if target is None or target.name != "<init>" or depth != len(target.parameters):
                return False
            if target.key not in self._methods:
                return True  # It is no part of the program, and does nothing.
            return self.is_confined(target)
        return False

    def _accesses(self, method: JavaMethod) -> Iterator[tuple[JavaField, bool, Instruction]]:
        """The accesses of fields of objects, and whether the object is surely `this`."""
        code = method.code
        if code is None:
            return
        of_this = accesses_of_this(method)
        for each in code.instructions:
            if each.name in ("getfield", "putfield") and isinstance(each.operand, FieldRef):
                field = self._hierarchy.field(each.operand)
                if field is not None:
                    yield field, each.pc in of_this, each

    def _always(self, key: FieldKey, writers: set[MethodKey]) -> bool:
        """Whether every constructor of the class writes the field, or calls one that does."""
        owner = self._hierarchy.find(key[0])
        if owner is None:
            return False
        constructors = [
            method
            for method in owner.methods.values()
            if method.name == "<init>" and method.key in self._methods
        ]
        return all(self._writes(each, key, writers) for each in constructors)

    def _writes(self, method: JavaMethod, key: FieldKey, writers: set[MethodKey]) -> bool:
        code = method.code
        assert code is not None
        if method.key in writers:
            # Without jumps, every instruction is executed.
            return not any(each.targets for each in code.instructions) or bool(
                self._field_flags(key) & 0x10
            )
        for each in code.instructions:
            operand = each.operand
            if each.name == "invokespecial" and isinstance(operand, MethodRef):
                target = self._hierarchy.method(operand.owner, operand.name, operand.descriptor)
                if target and target.name == "<init>" and target.owner is method.owner:
                    return target is not method and self._writes(target, key, writers)
        return False

    def _field_flags(self, key: FieldKey) -> int:
        owner = self._hierarchy.find(key[0])
        field = owner.fields.get(key[1]) if owner else None
        return field.flags if field else 0


def accesses_of_this(method: JavaMethod) -> set[int]:
    """The instructions of a method that access a field of `this`."""
    code = method.code
    if code is None or method.flags & STATIC:
        return set()
    if any(each.operation == "astore" and each.operand == 0 for each in code.instructions):
        return set()
    found = set()
    for number, each in enumerate(code.instructions):
        if each.operation == "aload" and each.operand == 0:
            user = _user(code, number)
            if user is not None:
                instruction, depth = user
                if (instruction.name, depth) in (("getfield", 0), ("putfield", 1)):
                    found.add(instruction.pc)
    return found


def stores_into_new_arrays(method: JavaMethod) -> set[int]:
    """The instructions that store into an array that has just been made, inside of its bounds, as
    compilers write `{a, b, c}`."""
    code = method.code
    assert code is not None
    found = set[int]()
    length = None
    for number, each in enumerate(code.instructions):
        if each.name in ("newarray", "anewarray"):
            length = constant_before(method, each)
        elif each.name == "dup" and length is not None and number + 2 < len(code.instructions):
            before, after = code.instructions[number - 1], code.instructions[number + 2]
            user = _user(code, number)
            index = constant_before(method, after)
            fresh = before.name in ("newarray", "anewarray") or before.pc in found
            if user and fresh and index is not None and index < length and user[1] == 2:
                found.add(user[0].pc)
    return found


def _user(code: Code, number: int) -> tuple[Instruction, int] | None:
    """The instruction that takes what another one has pushed, and how many values lie above it
    then; None if that is not clear, as behind a jump."""
    depth = 0
    targets = {target for each in code.instructions for target in each.targets}
    for each in code.instructions[number + 1 :]:
        if each.pc in targets or each.targets:
            return None
        effect = _stack_effect(each)
        if effect is None:
            return None
        taken, pushed = effect
        if taken > depth:
            return each, depth
        depth += pushed - taken
    return None


def _stack_effect(instruction: Instruction) -> tuple[int, int] | None:
    """How many values an instruction takes and pushes; None for those that only move values."""
    name, operand = instruction.operation, instruction.operand
    if name in _SIMPLE:
        return _SIMPLE[name]
    if isinstance(operand, FieldRef):
        return {
            "getstatic": (0, 1), "putstatic": (1, 0), "getfield": (1, 1), "putfield": (2, 0),
        }[name]  # fmt: skip
    if isinstance(operand, MethodRef):
        from tepui.languages.java.descriptors import method_descriptor

        described = method_descriptor(operand.descriptor)
        taken = len(described.parameters) + (name != "invokestatic")
        return taken, int(described.result != "V")
    return None


def _all(effect: tuple[int, int], names: str) -> dict[str, tuple[int, int]]:
    return dict.fromkeys(names.split(), effect)


_SIMPLE = {
    **_all(
        (0, 1),
        "aconst aconst_null iconst lconst fconst dconst bipush sipush ldc ldc_w ldc2_w iload lload "
        "fload dload aload new",
    ),
    **_all((1, 0), "istore lstore fstore dstore astore pop"),
    **_all(
        (2, 1),
        " ".join(
            f"{t}{n}" for t in "ilfd" for n in ("add", "sub", "mul", "div", "rem", "and", "or")
        )
        + " ishl ishr iushr lshl lshr lushr ixor lxor lcmp",
    ),
    **_all((1, 1), "ineg lneg i2l l2i i2b i2c i2s i2d i2f newarray anewarray"),
    **_all((1, 1), "arraylength checkcast"),
    **_all((3, 0), "iastore lastore fastore dastore aastore bastore castore sastore"),
    **_all((2, 1), "iaload laload faload daload aaload baload caload saload"),
    **_all((0, 0), "iinc nop"),
}  # fmt: skip
