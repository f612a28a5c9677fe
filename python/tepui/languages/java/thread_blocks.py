"""Blocks of statements that are threads: from `CProver.startThread(1)` to `endThread(1)` (JBMC).

The block becomes a method of the same class, with a copy of the local variables, and a class is
made whose objects are threads that call it. Whoever comes to the block starts such a thread and
goes on behind the block. A block has only one way in and one way out; all others are refused.
"""

from __future__ import annotations

from tepui.languages.java.code import Code
from tepui.languages.java.constants import FieldRef, MethodRef
from tepui.languages.java.hierarchy import (
    OBJECT,
    STATIC,
    THREAD,
    JavaClass,
    JavaField,
    JavaMethod,
)
from tepui.languages.java.instructions import Increment, Instruction
from tepui.records import record

CPROVER = "org/cprover/CProver"


@record
class ThreadBlock:
    """A block, as the place where it begins needs it."""

    made: JavaClass
    """The class of the thread; its fields are the local variables that the block reads."""
    captured: tuple[tuple[int, str], ...]
    """Their indices and kinds."""
    behind: int
    """Where it goes on behind the block."""


def thread_block(
    method: JavaMethod, begin: Instruction, name: str, numbers: dict[int, int]
) -> ThreadBlock | None:
    """The block that a call of `startThread` begins, if there is one. `numbers` has for each call
    of `startThread` and `endThread` its argument."""
    code = method.code
    assert code is not None
    ends = [
        each.pc
        for each in code.instructions
        if each.pc > begin.pc and is_call(each, "endThread") and each.pc in numbers
    ]
    end = next((pc for pc in ends if numbers[pc] == numbers.get(begin.pc)), None)
    if end is None:
        return None
    first, last = code.positions[begin.pc] + 1, code.positions[end] - 1
    inside = code.instructions[first:last]
    if not inside or not _is_closed(code, first, last):
        return None
    captured = _captured(inside)
    if captured is None:
        return None
    made = _thread_class(method, name, captured)
    called = _block_method(method, code, name, inside, code.instructions[last].pc, captured)
    _call(made, called, captured)
    return ThreadBlock(made, captured, code.instructions[last + 2].pc)


def is_call(instruction: Instruction, name: str) -> bool:
    """Whether an instruction calls a method of CProver."""
    operand = instruction.operand
    return isinstance(operand, MethodRef) and (operand.owner, operand.name) == (CPROVER, name)


def _is_closed(code: Code, first: int, last: int) -> bool:
    """Whether control enters some instructions at the first one only, and leaves behind the last
    one only."""
    places = {each.pc for each in code.instructions[first : last + 1]}
    for number, each in enumerate(code.instructions):
        is_inside = first <= number < last
        if is_inside and each.name.endswith("return"):
            return False
        if any((target in places) != is_inside for target in each.targets):
            return False
    begin, end = code.instructions[first].pc, code.instructions[last].pc
    return all(
        begin <= each.start and each.end <= end for each in code.handlers if each.handler in places
    )


def _captured(inside: tuple[Instruction, ...]) -> tuple[tuple[int, str], ...] | None:
    """The local variables that a block reads; None if a place has several kinds of them."""
    found: set[tuple[int, str]] = set()
    for each in inside:
        if isinstance(each.operand, Increment):
            found.add((each.operand.local, "I"))
        elif each.operation in _LOADS and isinstance(each.operand, int):
            found.add((each.operand, _LOADS[each.operation]))
    taken = [index for index, _ in found] + [index + 1 for index, kind in found if kind in "JD"]
    return tuple(sorted(found)) if len(taken) == len(set(taken)) else None


def _thread_class(
    method: JavaMethod, name: str, captured: tuple[tuple[int, str], ...]
) -> JavaClass:
    made = JavaClass(name, THREAD, source_file=method.owner.source_file)
    for index, kind in captured:
        field = f"captured{index}"
        made.fields[field] = JavaField(name, field, _DESCRIPTORS[kind], 0)
    return made


def _block_method(
    method: JavaMethod,
    code: Code,
    name: str,
    inside: tuple[Instruction, ...],
    end: int,
    captured: tuple[tuple[int, str], ...],
) -> JavaMethod:
    """The block as a method whose parameters lie where its local variables do."""
    kinds, descriptor, index = dict(captured), "", 0
    while index <= max(kinds, default=-1):
        kind = kinds.get(index, "I")
        descriptor += _DESCRIPTORS[kind]
        index += 2 if kind in "JD" else 1
    begin = Instruction(0, "goto", inside[0].pc)
    block = Code(
        code.max_stack,
        code.max_locals,
        (begin, *inside, Instruction(end, "return", None)),
        tuple(each for each in code.handlers if inside[0].pc <= each.handler < end),
        code.line_numbers,
        code.local_variables,
    )
    key = name.rpartition("$")[2], f"({descriptor})V"
    made = JavaMethod(method.owner, *key, STATIC, lambda: block)
    method.owner.methods[key] = made
    return made


def _call(made: JavaClass, called: JavaMethod, captured: tuple[tuple[int, str], ...]) -> None:
    """The method `run` of a thread: it calls the block."""
    lines: list[tuple[str, object]] = []
    kinds, index = dict(captured), 0
    for descriptor in called.parameters:
        if index in kinds:
            lines += [
                ("aload", 0),
                ("getfield", FieldRef(made.name, f"captured{index}", descriptor)),
            ]
        else:
            lines.append(("iconst", 0))
        index += 2 if descriptor in "JD" else 1
    lines += [("invokestatic", MethodRef(*called.key, False)), ("return", None)]
    instructions = tuple(
        Instruction(pc, operation, operand)  # type: ignore[arg-type]
        for pc, (operation, operand) in enumerate(lines)
    )
    code = Code(len(lines), 1, instructions, (), (), ())
    made.methods["run", "()V"] = JavaMethod(made, "run", "()V", 0, lambda: code)


_LOADS = {"iload": "I", "lload": "J", "fload": "F", "dload": "D", "aload": "A"}

_DESCRIPTORS = {"I": "I", "J": "J", "F": "F", "D": "D", "A": f"L{OBJECT};"}
