"""What of a program can be executed at all: rapid type analysis (Bacon and Sweeney, 1996).

From the entry on, it collects the methods that can be called, the classes of which there are
objects, and the sites that make them. A virtual call may reach the methods of all classes that are
instantiated somewhere. Everything that comes after works on what is found here, in this order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from tepui.languages.java.code import Code
from tepui.languages.java.constants import (
    ClassRef,
    FieldRef,
    IntConstant,
    InvokeDynamic,
    MethodRef,
    StringConstant,
)
from tepui.languages.java.descriptors import method_descriptor
from tepui.languages.java.hierarchy import (
    CLASS,
    OBJECT,
    STRING,
    THREAD,
    THROWABLE,
    Hierarchy,
    JavaField,
    JavaMethod,
    MethodKey,
)
from tepui.languages.java.instructions import Instruction, NewArrays
from tepui.languages.java.intrinsics import IMPLICIT, redirected
from tepui.languages.java.lambdas import is_captureless, is_lambda, lambda_class
from tepui.languages.java.library import is_entered
from tepui.languages.java.sites import Site, SiteKey
from tepui.languages.java.thread_blocks import ThreadBlock, is_call, thread_block
from tepui.records import replace
from tepui.words import printable

LEAVES = (OBJECT, STRING, CLASS, "tepui/Intrinsics")
"""Classes whose methods the translator knows by itself."""

RUN = ("run", "()V")


class VirtualCall(NamedTuple):
    """A call whose target the class of the object decides."""

    owner: str
    name: str
    descriptor: str


class Reachability:
    """Finds all that can be executed from some methods."""

    def __init__(self, hierarchy: Hierarchy) -> None:
        self.hierarchy = hierarchy
        self.methods: dict[MethodKey, JavaMethod] = {}
        self.instantiated: dict[str, None] = {}
        self.sites: dict[SiteKey, Site] = {}
        self.lambdas: dict[SiteKey, str] = {}
        self.thread_blocks: dict[SiteKey, ThreadBlock] = {}
        self.strings: dict[str, None] = {}
        self.class_objects: dict[str, None] = {}
        self.initialised: dict[str, None] = {}
        """The classes whose initialisation something may trigger, and that have something to do
        then."""
        self.has_untold_strings = False
        """Whether some method may give a string or null, and nobody knows which."""
        self.making_arrays: dict[SiteKey, str] = {}
        """The places that make arrays of whatever class another array has."""
        self.triggered: dict[str, None] = {}
        """The classes that something may initialise, whether or not there is anything to do."""
        self.read: set[tuple[str, str]] = set()
        self.written: set[tuple[str, str]] = set()
        """The fields that are read somewhere, and those to which anything but 0, false or null is
    assigned, with which they begin."""
        self._virtual: dict[VirtualCall, None] = {}
        self._waiting: list[JavaMethod] = []

    def add_method(self, method: JavaMethod) -> None:
        """A method may be called."""
        if is_leaf(self.hierarchy, method) or method.key in self.methods:
            return
        self.methods[method.key] = method
        self._waiting.append(method)

    def add_site(self, site: Site) -> None:
        """A place makes objects."""
        self.sites.setdefault(site.key, site)
        self.instantiate(site.type)

    def instantiate(self, name: str) -> None:
        """There may be objects of a class."""
        if name in self.instantiated:
            return
        self.instantiated[name] = None
        for call in list(self._virtual):
            self._add_selected(call, name)

    def initialise(self, name: str) -> None:
        """A class may be initialised, with those that it extends (JVMS 5.5)."""
        if name in self.triggered:
            return
        self.triggered[name] = None
        for each in self.hierarchy.initialised_with(name):
            method = each.methods.get(("<clinit>", "()V"))
            if method is None or each.name in self.initialised or each.name in LEAVES:
                continue
            if is_entered(self.hierarchy, method):
                self.initialised[each.name] = None
                self.add_method(method)

    def call_virtually(self, call: VirtualCall) -> None:
        """A virtual call may be executed."""
        if call not in self._virtual:
            self._virtual[call] = None
            for name in list(self.instantiated):
                self._add_selected(call, name)

    def run(self) -> None:
        """Visit methods until there are no new ones."""
        while self._waiting:
            method = self._waiting.pop()
            if method.code is not None:
                self._visit(method, method.code)

    def targets(self, call: VirtualCall) -> dict[str, JavaMethod | None]:
        """For each class that is instantiated and fits, the method that is called."""
        return {
            name: self.hierarchy.selected(name, call.name, call.descriptor)
            for name in self.instantiated
            if self.hierarchy.is_subtype(name, call.owner)
        }

    def _add_selected(self, call: VirtualCall, name: str) -> None:
        if self.hierarchy.is_subtype(name, call.owner):
            method = self.hierarchy.selected(name, call.name, call.descriptor)
            if method is not None:
                self.add_method(method)

    def _visit(self, method: JavaMethod, code: Code) -> None:
        for instruction in code.instructions:
            visit = _VISITS.get(instruction.operation)
            if visit is not None:
                visit(self, method, instruction)
        if method.is_synchronized and method.is_static:
            self._add_class_object(method.owner.name)

    def _new(self, method: JavaMethod, instruction: Instruction) -> None:
        assert isinstance(instruction.operand, ClassRef)
        name = instruction.operand.name
        self.initialise(name)
        single = self.is_plain_throwable(name)
        self.add_site(self._site(method, instruction, name, single=single))

    def _array(self, method: JavaMethod, instruction: Instruction) -> None:
        site = self._site(method, instruction, array_type(instruction))
        self.add_site(replace(site, length=constant_before(method, instruction)))

    def _arrays(self, method: JavaMethod, instruction: Instruction) -> None:
        assert isinstance(instruction.operand, NewArrays)
        type_ = instruction.operand.type.name
        for depth in range(instruction.operand.dimensions):
            key = method.key, -10 * (instruction.pc + 1) - depth
            self.add_site(Site(key, type_[depth:], where=_where(method, instruction)))

    def _static_field(self, method: JavaMethod, instruction: Instruction) -> None:
        field = self._field(method, instruction)
        if field is not None:
            self.initialise(field.owner)
        elif name := primitive_class(instruction):
            self._add_class_object(name)

    def _field(self, method: JavaMethod, instruction: Instruction) -> JavaField | None:
        assert isinstance(instruction.operand, FieldRef)
        field = self.hierarchy.field(instruction.operand)
        if field is None:
            return None
        if not instruction.name.startswith("put"):
            self.read.add(field.key)
        elif field.constant is not None or not _stores_nothing(method, instruction):
            self.written.add(field.key)
        return field

    def _object_field(self, method: JavaMethod, instruction: Instruction) -> None:
        self._field(method, instruction)

    def _call_directly(self, method: JavaMethod, instruction: Instruction) -> None:
        assert isinstance(instruction.operand, MethodRef)
        found = direct_target(self.hierarchy, method, instruction)
        if found is None:
            return
        if instruction.name == "invokestatic":
            self.initialise(found.owner.name)
        if found.name == "newArrayLike" and found.owner.name == "tepui/Intrinsics":
            self.making_arrays[method.key, instruction.pc] = _where(method, instruction)
        if is_call(instruction, "startThread"):
            self._begin_block(method, instruction)
        self._use(found)

    def _begin_block(self, method: JavaMethod, instruction: Instruction) -> None:
        """A block that is a thread of its own."""
        code, key = method.code, (method.key, instruction.pc)
        assert code is not None
        known = (
            (each.pc, constant_before(method, each))
            for each in code.instructions
            if is_call(each, "startThread") or is_call(each, "endThread")
        )
        name = f"{method.owner.name}$block{len(self.thread_blocks) + 1}"
        numbers = {pc: number for pc, number in known if number is not None}
        block = thread_block(method, instruction, name, numbers)
        if block is None:
            return
        self.thread_blocks[key] = block
        self.hierarchy.add(block.made)
        self.written.update(field.key for field in block.made.fields.values())
        self.add_site(self._site(method, instruction, name))
        for each in (("<init>", "()V"), ("start", "()V")):
            found = self.hierarchy.method(THREAD, *each)
            assert found is not None
            self.add_method(found)

    def _call_virtually(self, method: JavaMethod, instruction: Instruction) -> None:
        reference = instruction.operand
        assert isinstance(reference, MethodRef)
        if reference.owner.startswith("[") and reference.name == "clone":
            if reference.owner[1] in "L[":
                self.making_arrays[method.key, instruction.pc] = _where(method, instruction)
            else:
                self.add_site(self._site(method, instruction, reference.owner))
            return
        found = direct_target(self.hierarchy, method, instruction)
        if found is not None:
            self._use(found)
            return
        self._use_leaf(reference.owner, reference.name, reference.descriptor)
        self.call_virtually(VirtualCall(reference.owner, reference.name, reference.descriptor))

    def _use(self, method: JavaMethod) -> None:
        self._use_leaf(*method.key)
        self.add_method(method)

    def _use_leaf(self, owner: str, name: str, descriptor: str) -> None:
        """What methods bring with them that the translator knows by itself."""
        if owner == "tepui/Intrinsics" and name == "start":
            self.call_virtually(VirtualCall(THREAD, *RUN))
        if owner == "tepui/Intrinsics" and name == "stringOrNull":
            self.has_untold_strings = True
        for key in redirected(owner, name, descriptor):
            found = self.hierarchy.method(*key)
            if found is not None:
                self.initialise(found.owner.name)
                self.add_method(found)

    def _call_dynamically(self, method: JavaMethod, instruction: Instruction) -> None:
        call = instruction.operand
        assert isinstance(call, InvokeDynamic)
        file = method.owner.file
        bootstrap = file.bootstrap_methods[call.bootstrap] if file else None
        if bootstrap is None:
            return
        if not is_lambda(bootstrap):
            for type_ in method_descriptor(call.descriptor).parameters:
                if type_.startswith("L") and type_[1:-1] != STRING:
                    self.call_virtually(VirtualCall(type_[1:-1], "toString", f"()L{STRING};"))
            return
        key = method.key, instruction.pc
        if key not in self.lambdas:
            name = f"{method.owner.name}$lambda{len(self.lambdas) + 1}"
            self.lambdas[key] = name
            made = lambda_class(name, call, bootstrap)
            self.hierarchy.add(made)
            self.written.update(field.key for field in made.fields.values())
            single = is_captureless(call)
            self.add_site(self._site(method, instruction, name, single=single))

    def _constant(self, method: JavaMethod, instruction: Instruction) -> None:
        if isinstance(instruction.operand, StringConstant):
            self.strings.setdefault(instruction.operand.text)
        elif isinstance(instruction.operand, ClassRef):
            self._add_class_object(instruction.operand.name)

    def _add_class_object(self, name: str) -> None:
        self.class_objects.setdefault(name)

    def is_plain_throwable(self, name: str) -> bool:
        """Whether objects of a class are exceptions without fields: one is like another."""
        if not self.hierarchy.is_subtype(name, THROWABLE):
            return False
        chain = self.hierarchy.superclasses(name)
        own = (f for each in chain if each.origin != "jdk" for f in each.fields.values())
        return all(field.is_static for field in own)

    def _site(
        self, method: JavaMethod, instruction: Instruction, type_: str, *, single: bool = False
    ) -> Site:
        key = method.key, instruction.pc
        return Site(key, type_, single, where=_where(method, instruction))


def is_leaf(hierarchy: Hierarchy, method: JavaMethod) -> bool:
    """Whether the code of a method is not part of the program."""
    if method.owner.name in LEAVES or method.code is None:
        return True
    if is_inline(method) or (method.name == "<init>" and is_jdk_throwable(hierarchy, method)):
        return True
    return not is_entered(hierarchy, method)


def is_inline(method: JavaMethod | None) -> bool:
    """Whether a call of a method begins or ends an atomic section of the caller."""
    return (
        method is not None
        and method.name in ("beginAtomic", "endAtomic")
        and (method.owner.name.startswith("gov/nasa/jpf/") and method.owner.origin == "model")
    )


def is_jdk_throwable(hierarchy: Hierarchy, method: JavaMethod) -> bool:
    """Whether a method belongs to an exception of the JDK: what it stores is not modelled."""
    owner = method.owner
    return owner.origin == "jdk" and hierarchy.is_subtype(owner.name, THROWABLE)


def direct_target(
    hierarchy: Hierarchy, method: JavaMethod, instruction: Instruction
) -> JavaMethod | None:
    """The method that a call means, if the class of the object does not decide that."""
    reference = instruction.operand
    assert isinstance(reference, MethodRef)
    owner = reference.owner
    if instruction.name == "invokespecial" and reference.name != "<init>":
        # A call by super begins above the class that has it (JVMS 6.5, ACC_SUPER).
        here = method.owner
        if owner != here.name and not reference.is_interface and here.superclass:
            owner = here.superclass
    found = hierarchy.method(owner, reference.name, reference.descriptor)
    if found is None or instruction.name in ("invokestatic", "invokespecial"):
        return found
    return found if found.flags & _PRIVATE else None


_PRIVATE = 0x2


def primitive_class(instruction: Instruction) -> str | None:
    """The primitive type whose class object an instruction reads, as `int.class` does."""
    operand = instruction.operand
    if isinstance(operand, FieldRef) and operand.name == "TYPE":
        return _PRIMITIVES.get(operand.owner)
    return None


_PRIMITIVES = {
    "java/lang/Integer": "int", "java/lang/Long": "long", "java/lang/Boolean": "boolean",
    "java/lang/Byte": "byte", "java/lang/Short": "short", "java/lang/Character": "char",
    "java/lang/Float": "float", "java/lang/Double": "double", "java/lang/Void": "void",
}  # fmt: skip


def array_type(instruction: Instruction) -> str:
    """The type of the arrays that an instruction makes."""
    operand = instruction.operand
    if isinstance(operand, ClassRef):
        return f"[{operand.name}" if operand.name.startswith("[") else f"[L{operand.name};"
    return f"[{operand}"


def constant_before(method: JavaMethod, instruction: Instruction) -> int | None:
    """The number that the instruction before this one always pushes, if it does."""
    before = _before(method, instruction)
    if before is None:
        return None
    operand = before.operand
    if isinstance(operand, IntConstant):
        operand = operand.value
    elif before.operation not in ("iconst", "bipush", "sipush"):
        return None
    return operand if isinstance(operand, int) and 0 <= operand <= _MOST_LENGTH else None


def _stores_nothing(method: JavaMethod, instruction: Instruction) -> bool:
    """Whether an instruction always stores 0, false or null."""
    before = _before(method, instruction)
    if before is None:
        return False
    return before.name in ("iconst_0", "lconst_0", "aconst_null")


def _before(method: JavaMethod, instruction: Instruction) -> Instruction | None:
    """The instruction that is always executed just before this one, if there is one."""
    code = method.code
    assert code is not None
    number = code.positions[instruction.pc]
    jumps = (instruction.pc in each.targets for each in code.instructions)
    if number == 0 or any(jumps) or any(each.handler == instruction.pc for each in code.handlers):
        return None
    return code.instructions[number - 1]


_MOST_LENGTH = 65_536
"""Arrays with a fixed length that are longer have a limit like all others."""


def _where(method: JavaMethod, instruction: Instruction) -> str:
    code = method.code
    line = code.line_at(instruction.pc) if code else None
    file = method.owner.source_file or method.owner.name
    return printable(f"{file}:{line}" if line else f"{file}, {method.name}")


def implicit_exceptions() -> Iterator[str]:
    """The exceptions that instructions throw by themselves."""
    yield from IMPLICIT


_Visit = Callable[[Reachability, JavaMethod, Instruction], None]

_VISITS: dict[str, _Visit] = {
    "new": Reachability._new,
    "newarray": Reachability._array,
    "anewarray": Reachability._array,
    "multianewarray": Reachability._arrays,
    "getstatic": Reachability._static_field,
    "putstatic": Reachability._static_field,
    "getfield": Reachability._object_field,
    "putfield": Reachability._object_field,
    "invokestatic": Reachability._call_directly,
    "invokespecial": Reachability._call_directly,
    "invokevirtual": Reachability._call_virtually,
    "invokeinterface": Reachability._call_virtually,
    "invokedynamic": Reachability._call_dynamically,
    "ldc": Reachability._constant,
    "ldc_w": Reachability._constant,
}
