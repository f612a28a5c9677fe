"""Which kinds of values instructions take from the stack (JVMS 6.5).

The JVM runs no bytecode whose values do not fit. Nobody has verified what is read here, so this is
looked at before an instruction is translated, and translators can rely on it. Whether references
are of the right classes is not looked at.
"""

from __future__ import annotations

from tepui.languages.java.constants import FieldRef, InvokeDynamic, MethodRef
from tepui.languages.java.descriptors import method_descriptor
from tepui.languages.java.instructions import Instruction, NewArrays
from tepui.languages.java.stack_values import kind_of


def taken(instruction: Instruction) -> str:
    """The kinds of the values that an instruction takes, the last one from the top of the stack.
    Those that move any values are left out."""
    name, operand = instruction.operation, instruction.operand
    if name in _TAKEN:
        return _TAKEN[name]
    if isinstance(operand, FieldRef):
        value = kind_of(operand.descriptor) if name.startswith("put") else ""
        return value if name.endswith("static") else f"A{value}"
    if isinstance(operand, MethodRef | InvokeDynamic):
        kinds = "".join(map(kind_of, method_descriptor(operand.descriptor).parameters))
        return kinds if name in ("invokestatic", "invokedynamic") else f"A{kinds}"
    if isinstance(operand, NewArrays):
        return "I" * operand.dimensions
    return ""


def moved(instruction: Instruction) -> int:
    """How many words an instruction moves or drops, whatever they are."""
    return _MOVED.get(instruction.operation, 0)


def words(kinds: str) -> int:
    """How many words values of some kinds take."""
    return len(kinds) + kinds.count("J") + kinds.count("D")


_MOVED = {
    "pop": 1, "pop2": 2, "swap": 2,
    "dup": 1, "dup_x1": 2, "dup_x2": 3, "dup2": 2, "dup2_x1": 3, "dup2_x2": 4,
}  # fmt: skip

_LETTERS = {"a": "A", "i": "I", "l": "J", "f": "F", "d": "D", "b": "I", "c": "I", "s": "I"}

_NUMBERS = "ilfd"

_CONDITIONS = ("eq", "ne", "lt", "ge", "gt", "le")

_TAKEN = {
    **{f"{each}store": kind for each, kind in _LETTERS.items()},
    **{f"{each}return": kind for each, kind in _LETTERS.items()},
    **{f"{each}aload": "AI" for each in _LETTERS},
    **{f"{each}astore": f"AI{kind}" for each, kind in _LETTERS.items()},
    **{
        f"{each}{name}": _LETTERS[each] * 2
        for each in _NUMBERS
        for name in ("add", "sub", "mul", "div", "rem", "and", "or", "xor")
    },
    **{f"{each}neg": _LETTERS[each] for each in _NUMBERS},
    **{f"{each}{name}": f"{_LETTERS[each]}I" for each in "il" for name in ("shl", "shr", "ushr")},
    **{f"{each}2{to}": _LETTERS[each] for each in _NUMBERS for to in "ilfdbcs"},
    **{f"{each}cmp{how}": _LETTERS[each] * 2 for each in "lfd" for how in ("", "l", "g")},
    **{f"if{each}": "I" for each in _CONDITIONS},
    **{f"if_icmp{each}": "II" for each in _CONDITIONS},
    **dict.fromkeys(("if_acmpeq", "if_acmpne"), "AA"),
    **dict.fromkeys(("tableswitch", "lookupswitch", "newarray", "anewarray"), "I"),
    **dict.fromkeys(
        (
            *("ifnull", "ifnonnull", "arraylength", "athrow"),
            *("checkcast", "instanceof", "monitorenter", "monitorexit"),
        ),
        "A",
    ),
}
