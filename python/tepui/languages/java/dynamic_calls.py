"""Dynamic calls: lambdas are objects, and strings that are put together are opaque; and blocks that
are threads."""

from __future__ import annotations

from collections.abc import Sequence

from tepui.languages.java.constants import InvokeDynamic, MethodRef
from tepui.languages.java.descriptors import method_descriptor
from tepui.languages.java.hierarchy import STRING, THREAD, JavaField
from tepui.languages.java.instructions import Instruction
from tepui.languages.java.method import MethodTranslator
from tepui.languages.java.method_calls import call_procedure, call_virtually
from tepui.languages.java.objects import allocate
from tepui.languages.java.stack_values import Value, compared, integer
from tepui.languages.java.thread_blocks import ThreadBlock
from tepui.program.expressions import FALSE, Expression, Read
from tepui.program.program import Element, Step, Target

_NO_BLOCK = (
    "CProver.startThread has no endThread with its number, or the block between has other ways"
)

_CONCATENATION = "java/lang/invoke/StringConcatFactory"


def call(method: MethodTranslator, instruction: Instruction) -> None:
    operand = instruction.operand
    assert isinstance(operand, InvokeDynamic)
    types = method_descriptor(operand.descriptor).parameters
    base = len(method.stack) - len(types)
    name = method.translation.reachability.lambdas.get((method.method.key, instruction.pc))
    if name is not None:
        _make(method, instruction, name, base)
        return
    file = method.method.owner.file
    bootstrap = file.bootstrap_methods[operand.bootstrap] if file else None
    factory = bootstrap.handle.target.owner if bootstrap else ""
    if factory != _CONCATENATION:
        short = factory.rsplit("/", 1)[-1]
        method.limit(FALSE, f"dynamic calls by {short} are not modelled")
        return
    # The arguments stay where they are until all of them have been asked.
    for number, type_ in enumerate(types):
        as_text(method, type_, method.stack[base + number])
    del method.stack[base:]
    method.push(method.translation.opaque_string(), "A", never_null=True)


def as_text(method: MethodTranslator, type_: str, value: Value) -> None:
    """Call `toString`, as the program might see that it is called."""
    if type_[0] != "L" or type_[1:-1] == STRING or method.at is None:
        return
    method.settle()
    source, after = method.at, method.next_place()
    null = compared("=", value.expression, integer(0))
    if null != FALSE:
        method.graph.add(Step(source, after, null))
    inside = method.next_place()
    method.graph.add(Step(source, inside, compared("!=", value.expression, integer(0))))
    method.go_on(inside)
    known = Value(value.expression, "A", never_null=True)
    reference = MethodRef(type_[1:-1], "toString", f"()L{STRING};", is_interface=False)
    call_virtually(method, reference, [known])
    if method.at is not None:
        method.pop()
        method.settle()
        method.graph.add(Step(method.at, after))
    method.go_on(after)


def start_block(method: MethodTranslator, arguments: Sequence[Value]) -> None:
    """Start a thread with a copy of the local variables, and go on behind its block."""
    key, reach = (method.method.key, method.instruction.pc), method.translation.reachability
    block = reach.thread_blocks.get(key)
    if block is None:
        method.limit(FALSE, _NO_BLOCK)
        return
    allocate(method, method.translation.site(method.method, method.instruction.pc))
    for name in ("<init>", "start"):
        if method.at is None:
            return
        target = method.translation.hierarchy.method(THREAD, name, "()V")
        assert target is not None
        if name == "start":
            _capture(method, block)
        call_procedure(method, target, [method.stack[-1]])
    if method.at is not None:
        method.pop()
        method.jump(block.behind)
        method.at = None


def _capture(method: MethodTranslator, block: ThreadBlock) -> None:
    made = method.stack[-1].expression
    stores: list[tuple[Target, Expression]] = []
    for index, kind in block.captured:
        field = block.made.fields[f"captured{index}"]
        cell = method.heap.cell(field, block.made.name.replace("/", "."), made)
        if cell is not None:
            stores.append((cell, Read(method.local(index, kind))))
    if stores:
        method.effect(stores)


def _make(method: MethodTranslator, instruction: Instruction, name: str, base: int) -> None:
    """An object with the captured values, which lie on the stack from `base` on."""
    site = method.translation.site(method.method, instruction.pc)
    allocate(method, site)
    if method.at is None:
        return
    object_ = method.pop()
    captured, made = method.stack[base:], object_.expression
    stores: list[tuple[Target, Expression]] = []
    for number, value in enumerate(captured):
        made_class = method.translation.hierarchy.find(name)
        assert made_class is not None
        field: JavaField = made_class.fields[f"captured{number}"]
        cell: Element | None = method.heap.cell(field, name.replace("/", "."), made)
        if cell is not None:
            stores.append((cell, value.expression))
    if stores:
        method.effect(stores)
    del method.stack[base:]
    method.stack.append(object_)
