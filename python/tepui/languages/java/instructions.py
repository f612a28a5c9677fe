"""The instructions of the JVM (JVMS 6.5), from bytes to names with operands.

Operands are resolved: constants are records, targets of jumps are places in the method, `wide` is a
part of the instruction that it widens. An instruction whose name says its operand, like `iload_0`
and `iconst_m1`, has that operand, and `operation` is its name without it.

Each operand is checked by itself. Whether the values on the stack fit is a matter of the verifier
of the JVM, and not looked at.
"""

from __future__ import annotations

from collections.abc import Callable
from struct import Struct
from typing import TypeAlias

from tepui.languages.java.byte_reader import ByteReader, ClassFileError
from tepui.languages.java.constant_pool import LOADABLE, ConstantPool
from tepui.languages.java.constants import (
    ClassRef,
    Constant,
    DoubleConstant,
    Dynamic,
    FieldRef,
    InvokeDynamic,
    LongConstant,
    MethodRef,
)
from tepui.records import record


@record
class Increment:
    """The operand of `iinc`: a local variable, and what is added to it."""

    local: int
    amount: int


@record
class NewArrays:
    """The operand of `multianewarray`: a type of arrays, and how many dimensions are made."""

    type: ClassRef
    dimensions: int


@record
class Switch:
    """The operand of `tableswitch` and `lookupswitch`: where to go, in general and for some
    values."""

    default: int
    cases: tuple[tuple[int, int], ...]
    """Values, in ascending order, each with its target."""


Operand: TypeAlias = int | float | str | Constant | Increment | NewArrays | Switch | None


@record
class Instruction:
    """An instruction at a place in its method.

    A plain number as operand is a local variable, a target, or the number itself (`bipush`,
    `iconst_1`, `dconst_0`); a text is the element type of `newarray`.
    """

    pc: int
    name: str
    operand: Operand

    @property
    def operation(self) -> str:
        """The name without what it says about the operand: `iload` for `iload_0`."""
        return _PLAIN.get(self.name, self.name)

    @property
    def targets(self) -> tuple[int, ...]:
        """Where it may jump, besides going on with the next instruction."""
        if isinstance(self.operand, Switch):
            return (self.operand.default, *(target for _, target in self.operand.cases))
        if self.name in _JUMPS and isinstance(self.operand, int):
            return (self.operand,)
        return ()


def decode(code: ByteReader, pool: ConstantPool, locals_: int) -> tuple[Instruction, ...]:
    """The instructions in these bytes, for a method with this number of local variables."""
    return _Decoder(code, pool, locals_).decode()


class _Decoder:
    """Decodes the instructions of one method. Offsets are those in the file."""

    def __init__(self, code: ByteReader, pool: ConstantPool, locals_: int) -> None:
        self.data, self.error = code.data, code.error
        self.start, self.end = code.at, code.end
        self.pool, self.locals = pool, locals_
        self.targets: list[tuple[int, int]] = []
        """The targets of all jumps, each with the offset of its instruction."""

    def decode(self) -> tuple[Instruction, ...]:
        data, at, start, end = self.data, self.start, self.start, self.end
        done: list[Instruction] = []
        while at < end:
            name, length, operand, read = _TABLE[data[at]]
            if at + length > end:
                raise self._cut(at)
            if read is None:
                done.append(Instruction(at - start, name, operand))
            elif length:
                done.append(Instruction(at - start, name, read(self, at)))
            else:
                name, operand, length = _LONG[name](self, at)
                done.append(Instruction(at - start, name, operand))
            at += length
        self._check_targets({each.pc for each in done})
        self._check_short_forms(done)
        return tuple(done)

    def _check_targets(self, places: set[int]) -> None:
        for target, at in self.targets:
            if target not in places:
                raise self.error(at, f"a jump leads to {target}, where no instruction begins")

    def _check_short_forms(self, done: list[Instruction]) -> None:
        """Look at local variables that are a part of their instruction's name."""
        if self.locals > _MOST_SHORT:
            return
        for each in done:
            if each.name in _SHORT_LOCALS:
                self._check_local(each.operation, _SHORT_LOCALS[each.name], self.start + each.pc)

    def _check_local(self, operation: str, local: int, at: int) -> int:
        size = 2 if operation[0] in "ld" else 1
        if local + size > self.locals:
            raise self.error(
                at, f"there is no local variable {local + size - 1}, the method has {self.locals}"
            )
        return local

    def _cut(self, at: int) -> ClassFileError:
        return self.error(at, "the code ends within an instruction")

    def unknown(self, at: int) -> Operand:
        raise self.error(at, f"there is no instruction with the number {self.data[at]}")

    def byte(self, at: int) -> Operand:
        number: int = _S1.unpack_from(self.data, at + 1)[0]
        return number

    def short(self, at: int) -> Operand:
        number: int = _S2.unpack_from(self.data, at + 1)[0]
        return number

    def local(self, at: int) -> Operand:
        return self._check_local(_TABLE[self.data[at]][0], self.data[at + 1], at)

    def increment(self, at: int) -> Operand:
        local, amount = _U1_S1.unpack_from(self.data, at + 1)
        return Increment(self._check_local("iinc", local, at), amount)

    def jump(self, at: int) -> Operand:
        return self._target(at, _S2.unpack_from(self.data, at + 1)[0])

    def far_jump(self, at: int) -> Operand:
        return self._target(at, _S4.unpack_from(self.data, at + 1)[0])

    def _target(self, at: int, distance: int) -> int:
        target = at - self.start + distance
        self.targets.append((target, at))
        return target

    def _index(self, at: int) -> int:
        index: int = _U2.unpack_from(self.data, at + 1)[0]
        return index

    def small_constant(self, at: int) -> Operand:
        return self._loaded(self.data[at + 1], at, wide=False)

    def one_constant(self, at: int) -> Operand:
        return self._loaded(self._index(at), at, wide=False)

    def wide_constant(self, at: int) -> Operand:
        return self._loaded(self._index(at), at, wide=True)

    def _loaded(self, index: int, at: int, wide: bool) -> Operand:
        """A constant of one word or of two."""
        constant = self.pool.constant(index, at)
        if isinstance(constant, Dynamic):
            fits = (constant.descriptor in ("J", "D")) == wide
        else:
            fits = isinstance(constant, (LongConstant, DoubleConstant)) == wide
        if not fits or not isinstance(constant, LOADABLE):
            raise self.error(at, f"constant {index} is of the wrong kind for this instruction")
        return constant

    def field(self, at: int) -> Operand:
        return self.pool.of_kind(FieldRef, self._index(at), at)

    def method(self, at: int) -> Operand:
        found = self.pool.of_kind(MethodRef, self._index(at), at)
        if found.name == "<clinit>" or (found.name == "<init>" and self.data[at] != _SPECIAL):
            raise self.error(at, f"this instruction cannot call {found.name}")
        return found

    def virtual(self, at: int) -> Operand:
        return self._method_of(at, interface=False)

    def interface(self, at: int) -> Operand:
        if self.data[at + 4] or not self.data[at + 3]:
            raise self.error(at, "'invokeinterface' has a wrong count of arguments")
        return self._method_of(at, interface=True)

    def _method_of(self, at: int, interface: bool) -> Operand:
        found = self.method(at)
        if not isinstance(found, MethodRef) or found.is_interface != interface:
            raise self.error(at, "this instruction needs a method of another kind of class")
        return found

    def dynamic(self, at: int) -> Operand:
        if self.data[at + 3] or self.data[at + 4]:
            raise self.error(at, "the last two bytes of 'invokedynamic' must be 0")
        return self.pool.of_kind(InvokeDynamic, self._index(at), at)

    def type(self, at: int) -> Operand:
        return self.pool.of_kind(ClassRef, self._index(at), at)

    def new(self, at: int) -> Operand:
        found = self.pool.of_kind(ClassRef, self._index(at), at)
        if found.name.startswith("["):
            raise self.error(at, "'new' cannot make an array")
        return found

    def element(self, at: int) -> Operand:
        letter = _ELEMENTS.get(self.data[at + 1])
        if letter is None:
            raise self.error(at, f"there is no type of elements {self.data[at + 1]}")
        return letter

    def new_arrays(self, at: int) -> Operand:
        found = self.pool.of_kind(ClassRef, self._index(at), at)
        dimensions = self.data[at + 3]
        if not 0 < dimensions <= len(found.name) - len(found.name.lstrip("[")):
            raise self.error(at, f"'multianewarray' cannot make {dimensions} dimensions of this")
        return NewArrays(found, dimensions)

    def wide(self, at: int) -> tuple[str, Operand, int]:
        """The widened instruction, its operand, and the length of both."""
        if at + 4 > self.end:
            raise self._cut(at)
        name = _TABLE[self.data[at + 1]][0]
        local = self._index(at + 1)
        if name in _LOCALS:
            return name, self._check_local(name, local, at), 4
        if name != "iinc":
            raise self.error(at, f"'wide' cannot stand before '{name}'")
        if at + 6 > self.end:
            raise self._cut(at)
        amount: int = _S2.unpack_from(self.data, at + 4)[0]
        return name, Increment(self._check_local(name, local, at), amount), 6

    def table_switch(self, at: int) -> tuple[str, Operand, int]:
        default, low, high = self._numbers(at, self._aligned(at), 3)
        if low > high:
            raise self.error(at, f"'tableswitch' goes from {low} to {high}")
        first = self._aligned(at) + 12
        distances = self._numbers(at, first, high - low + 1)
        cases = [(low + n, self._target(at, each)) for n, each in enumerate(distances)]
        switch = Switch(self._target(at, default), tuple(cases))
        return "tableswitch", switch, first + 4 * len(cases) - at

    def lookup_switch(self, at: int) -> tuple[str, Operand, int]:
        default, count = self._numbers(at, self._aligned(at), 2)
        if count < 0:
            raise self.error(at, f"'lookupswitch' has {count} cases")
        first = self._aligned(at) + 8
        numbers = self._numbers(at, first, 2 * count)
        values = numbers[::2]
        if any(values[n] >= values[n + 1] for n in range(count - 1)):
            raise self.error(at, "the values of 'lookupswitch' do not ascend")
        targets = [self._target(at, each) for each in numbers[1::2]]
        switch = Switch(self._target(at, default), tuple(zip(values, targets, strict=True)))
        return "lookupswitch", switch, first + 8 * count - at

    def _aligned(self, at: int) -> int:
        """Where the numbers of a switch begin: a multiple of 4, counted from the first
        instruction."""
        return at + 4 - (at - self.start) % 4

    def _numbers(self, at: int, first: int, count: int) -> tuple[int, ...]:
        if first + 4 * count > self.end:
            raise self._cut(at)
        return Struct(f">{count}i").unpack_from(self.data, first)


_S1, _S2, _S4, _U2, _U1_S1 = map(Struct, (">b", ">h", ">i", ">H", ">Bb"))

_ELEMENTS = {4: "Z", 5: "C", 6: "F", 7: "D", 8: "B", 9: "S", 10: "I", 11: "J"}
"""The numbers of the element types of `newarray`."""

_SPECIAL = 183
"""The number of `invokespecial`, which alone calls constructors."""

_IN_ORDER = """
nop aconst_null iconst_m1 iconst_0 iconst_1 iconst_2 iconst_3 iconst_4 iconst_5 lconst_0 lconst_1
fconst_0 fconst_1 fconst_2 dconst_0 dconst_1 bipush sipush ldc ldc_w ldc2_w iload lload fload dload
aload iload_0 iload_1 iload_2 iload_3 lload_0 lload_1 lload_2 lload_3 fload_0 fload_1 fload_2
fload_3 dload_0 dload_1 dload_2 dload_3 aload_0 aload_1 aload_2 aload_3 iaload laload faload daload
aaload baload caload saload istore lstore fstore dstore astore istore_0 istore_1 istore_2 istore_3
lstore_0 lstore_1 lstore_2 lstore_3 fstore_0 fstore_1 fstore_2 fstore_3 dstore_0 dstore_1 dstore_2
dstore_3 astore_0 astore_1 astore_2 astore_3 iastore lastore fastore dastore aastore bastore castore
sastore pop pop2 dup dup_x1 dup_x2 dup2 dup2_x1 dup2_x2 swap iadd ladd fadd dadd isub lsub fsub dsub
imul lmul fmul dmul idiv ldiv fdiv ddiv irem lrem frem drem ineg lneg fneg dneg ishl lshl ishr lshr
iushr lushr iand land ior lor ixor lxor iinc i2l i2f i2d l2i l2f l2d f2i f2l f2d d2i d2l d2f i2b i2c
i2s lcmp fcmpl fcmpg dcmpl dcmpg ifeq ifne iflt ifge ifgt ifle if_icmpeq if_icmpne if_icmplt
if_icmpge if_icmpgt if_icmple if_acmpeq if_acmpne goto jsr ret tableswitch lookupswitch ireturn
lreturn freturn dreturn areturn return getstatic putstatic getfield putfield invokevirtual
invokespecial invokestatic invokeinterface invokedynamic new newarray anewarray arraylength athrow
checkcast instanceof monitorenter monitorexit wide multianewarray ifnull ifnonnull goto_w jsr_w
"""
_NAMES = _IN_ORDER.split()
"""All instructions, in the order of their numbers."""

_LOCALS = (
    "iload",
    "lload",
    "fload",
    "dload",
    "aload",
    "istore",
    "lstore",
    "fstore",
    "dstore",
    "astore",
    "ret",
)
_FAR_JUMPS = ("goto_w", "jsr_w")
_NEAR_JUMPS = [name for name in _NAMES if name.startswith("if") or name in ("goto", "jsr")]
_JUMPS = {*_FAR_JUMPS, *_NEAR_JUMPS}

_Read: TypeAlias = Callable[[_Decoder, int], Operand]

_OPERANDS: dict[str, tuple[int, _Read]] = {
    **dict.fromkeys(_LOCALS, (2, _Decoder.local)),
    **dict.fromkeys(_NEAR_JUMPS, (3, _Decoder.jump)),
    **dict.fromkeys(_FAR_JUMPS, (5, _Decoder.far_jump)),
    **dict.fromkeys(["getstatic", "putstatic", "getfield", "putfield"], (3, _Decoder.field)),
    **dict.fromkeys(["invokespecial", "invokestatic"], (3, _Decoder.method)),
    **dict.fromkeys(["anewarray", "checkcast", "instanceof"], (3, _Decoder.type)),
    "bipush": (2, _Decoder.byte),
    "sipush": (3, _Decoder.short),
    "ldc": (2, _Decoder.small_constant),
    "ldc_w": (3, _Decoder.one_constant),
    "ldc2_w": (3, _Decoder.wide_constant),
    "iinc": (3, _Decoder.increment),
    "invokevirtual": (3, _Decoder.virtual),
    "invokeinterface": (5, _Decoder.interface),
    "invokedynamic": (5, _Decoder.dynamic),
    "new": (3, _Decoder.new),
    "newarray": (2, _Decoder.element),
    "multianewarray": (4, _Decoder.new_arrays),
}
"""The length of an instruction, and what reads its operand."""

_LONG: dict[str, Callable[[_Decoder, int], tuple[str, Operand, int]]] = {
    "wide": _Decoder.wide,
    "tableswitch": _Decoder.table_switch,
    "lookupswitch": _Decoder.lookup_switch,
}
"""What reads instructions whose length is not known from their number."""

_WORDS = {"null": None, "m1": -1}
"""The operands in names that are no numbers."""


def _in_name(name: str) -> tuple[str, Operand]:
    """The operation and the operand that a name like `iload_0` consists of."""
    plain, _, operand = name.partition("_")
    if not plain.endswith(("load", "store", "const")) or not operand:
        return name, None
    value = _WORDS[operand] if operand in _WORDS else int(operand)
    return plain, float(value) if plain in ("fconst", "dconst") and value is not None else value


def _row(name: str) -> tuple[str, int, Operand, _Read | None]:
    """The name of an instruction, its length, and its operand or what reads it."""
    if name in _LONG:
        return name, 0, None, _Decoder.unknown
    length, read = _OPERANDS.get(name, (1, None))
    return name, length, _in_name(name)[1], read


_PLAIN = {name: _in_name(name)[0] for name in _NAMES if _in_name(name)[0] != name}
_SHORT_LOCALS = {
    name: operand
    for name, operand in ((name, _in_name(name)[1]) for name in _PLAIN)
    if isinstance(operand, int) and "const" not in name
}
_MOST_SHORT = 4
"""With more local variables than this, every short form has its own."""

_TABLE = [_row(name) for name in _NAMES]
_TABLE += [("", 1, None, _Decoder.unknown)] * (256 - len(_TABLE))
