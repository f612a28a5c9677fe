"""Lambdas and method references: the classes that they stand for (JLS 15.27.4, 15.13.3).

Each `invokedynamic` that makes one gets a class of its own, with a field for each captured value
and a method that calls the code. The class is made of instructions like any other, so nothing else
knows of lambdas.
"""

from __future__ import annotations

from tepui.languages.java.class_attributes import BootstrapMethod
from tepui.languages.java.code import Code
from tepui.languages.java.constants import (
    ClassRef,
    FieldRef,
    InvokeDynamic,
    MethodHandle,
    MethodRef,
    MethodType,
)
from tepui.languages.java.descriptors import method_descriptor, slots_of
from tepui.languages.java.hierarchy import OBJECT, JavaClass, JavaField, JavaMethod
from tepui.languages.java.instructions import Instruction

_FACTORY = "java/lang/invoke/LambdaMetafactory"

_BOXES = {
    "I": "java/lang/Integer", "J": "java/lang/Long", "Z": "java/lang/Boolean",
    "B": "java/lang/Byte", "C": "java/lang/Character", "S": "java/lang/Short",
    "F": "java/lang/Float", "D": "java/lang/Double",
}  # fmt: skip
_UNBOXED = {box: letter for letter, box in _BOXES.items()}
_VALUES = {
    "I": "intValue", "J": "longValue", "Z": "booleanValue", "B": "byteValue",
    "C": "charValue", "S": "shortValue", "F": "floatValue", "D": "doubleValue",
}  # fmt: skip
_LOADS = {"J": "lload", "F": "fload", "D": "dload", "L": "aload", "[": "aload"}
_RETURNS = {
    "V": "return", "J": "lreturn", "F": "freturn", "D": "dreturn", "L": "areturn", "[": "areturn",
}  # fmt: skip
_CALLS = {5: "invokevirtual", 6: "invokestatic", 7: "invokespecial", 9: "invokeinterface"}


def is_lambda(bootstrap: BootstrapMethod) -> bool:
    """Whether a bootstrap method makes lambdas."""
    target = bootstrap.handle.target
    return target.owner == _FACTORY and target.name in ("metafactory", "altMetafactory")


def lambda_class(name: str, call: InvokeDynamic, bootstrap: BootstrapMethod) -> JavaClass:
    """The class of the objects that a lambda makes."""
    captured = method_descriptor(call.descriptor)
    erased, handle, exact = bootstrap.arguments[:3]
    assert isinstance(erased, MethodType)
    assert isinstance(handle, MethodHandle)
    assert isinstance(exact, MethodType)
    interfaces = [captured.result[1:-1]]
    interfaces += [each.name for each in bootstrap.arguments[3:] if isinstance(each, ClassRef)]
    made = JavaClass(name, OBJECT, tuple(interfaces))
    for number, type_ in enumerate(captured.parameters):
        made.fields[f"captured{number}"] = JavaField(name, f"captured{number}", type_, 0)
    code = _code(made, captured.parameters, erased.descriptor, exact.descriptor, handle)
    made.methods[call.name, erased.descriptor] = JavaMethod(
        made, call.name, erased.descriptor, 0, lambda: code
    )
    return made


def _code(
    made: JavaClass, captured: tuple[str, ...], erased: str, exact: str, handle: MethodHandle
) -> Code:
    """Load what was captured and the arguments, call, and give back what comes out."""
    target = handle.target
    assert isinstance(target, MethodRef)
    assembler = _Assembler()
    wanted = _wanted(handle)
    given = [*captured]
    if handle.kind == 8:
        assembler.add("new", ClassRef(target.owner))
        assembler.add("dup")
    for number, type_ in enumerate(captured):
        assembler.add("aload", 0)
        assembler.add("getfield", FieldRef(made.name, f"captured{number}", type_))
        assembler.convert(type_, wanted[number])
    parameters, exactly = method_descriptor(erased), method_descriptor(exact)
    local = 1
    for number, type_ in enumerate(parameters.parameters, start=len(given)):
        assembler.add(_LOADS.get(type_[0], "iload"), local)
        local += slots_of(type_)
        precise = exactly.parameters[number - len(given)]
        assembler.convert(type_, precise)
        assembler.convert(precise, wanted[number])
    result = method_descriptor(target.descriptor).result
    if handle.kind == 8:
        assembler.add("invokespecial", target)
        result = f"L{target.owner};"
    else:
        assembler.add(_CALLS[handle.kind], target)
    assembler.give_back(result, exactly.result, parameters.result)
    return Code(8, local, tuple(assembler.instructions), (), (), ())


def _wanted(handle: MethodHandle) -> tuple[str, ...]:
    """The types of what is passed to the target, its object included."""
    target = handle.target
    assert isinstance(target, MethodRef)
    parameters = method_descriptor(target.descriptor).parameters
    return parameters if handle.kind in (6, 8) else (f"L{target.owner};", *parameters)


class _Assembler:
    """Writes instructions one after another."""

    def __init__(self) -> None:
        self.instructions: list[Instruction] = []

    def add(self, name: str, operand: object = None) -> None:
        self.instructions.append(Instruction(len(self.instructions), name, operand))  # type: ignore[arg-type]

    def convert(self, given: str, wanted: str) -> None:
        """From one type to another: boxes are made, opened and cast (JLS 5.3)."""
        if given == wanted:
            return
        if given in _BOXES and wanted in _BOXES:
            self._widen(given, wanted)
        elif given in _BOXES:
            box = _BOXES[given]
            self.add("invokestatic", MethodRef(box, "valueOf", f"({given})L{box};", False))
        elif wanted in _BOXES:
            self._open(given, wanted)
        elif wanted != f"L{OBJECT};":
            self.add("checkcast", ClassRef(wanted[1:-1] if wanted[0] == "L" else wanted))

    def give_back(self, result: str, exact: str, erased: str) -> None:
        """Return what the target has returned."""
        if erased == "V":
            if result != "V":
                self.add("pop2" if result in ("J", "D") else "pop")
        else:
            self.convert(result, exact)
            self.convert(exact, erased)
        self.add(_RETURNS.get(erased[0], "ireturn"))

    def _open(self, given: str, wanted: str) -> None:
        letter = _UNBOXED.get(given[1:-1], wanted)
        box = _BOXES[letter]
        if given[1:-1] != box:
            self.add("checkcast", ClassRef(box))
        self.add("invokevirtual", MethodRef(box, _VALUES[letter], f"(){letter}", False))
        self._widen(letter, wanted)

    def _widen(self, given: str, wanted: str) -> None:
        kinds = _kind(given), _kind(wanted)
        if kinds[0] != kinds[1]:
            self.add(f"{kinds[0]}2{kinds[1]}")


def _kind(letter: str) -> str:
    return {"J": "l", "F": "f", "D": "d"}.get(letter, "i")


def is_captureless(call: InvokeDynamic) -> bool:
    """Whether a lambda captures nothing, so that one object of it is enough."""
    return not method_descriptor(call.descriptor).parameters
