"""What each instruction does (JVMS 6.5), as values on the stack and as steps."""

from __future__ import annotations

from collections.abc import Callable

from tepui.languages.java import arrays, dynamic_calls, floats, method_calls, monitors, objects
from tepui.languages.java.constants import (
    ClassRef,
    DoubleConstant,
    FloatConstant,
    IntConstant,
    LongConstant,
    StringConstant,
)
from tepui.languages.java.heap import BYTE, CHAR, INT, LONG, SHORT
from tepui.languages.java.instructions import Increment, Instruction, Switch
from tepui.languages.java.intrinsics import ARITHMETIC
from tepui.languages.java.method import MethodTranslator
from tepui.languages.java.shared_numbers import check_different
from tepui.languages.java.stack_values import (
    Value,
    compared,
    computed,
    integer,
    shifted,
    wrapped,
)
from tepui.program.expressions import (
    FALSE,
    Binary,
    BinaryOperator,
    Conditional,
    Expression,
    Read,
)
from tepui.program.types import Bounded
from tepui.records import replace


def translate(method: MethodTranslator, instruction: Instruction) -> None:
    """Translate one instruction, at the place where the method is."""
    _EFFECTS[instruction.operation](method, instruction)


_Effect = Callable[[MethodTranslator, Instruction], None]

_FLOATS = "a decision depends on a floating-point number, and nothing is known about these"


def _nop(method: MethodTranslator, instruction: Instruction) -> None:
    pass


def _constant(method: MethodTranslator, instruction: Instruction) -> None:
    operand = instruction.operand
    match instruction.operation[0], operand:
        case "a", _:
            method.push(method.numbers.reference(0), "A")
        case ("f" | "d") as letter, float():
            method.push(floats.constant(operand), letter.upper())
        case "l", int():
            method.push(integer(operand, LONG), "J")
        case _, int():
            method.push(integer(operand), "I")


def _load_constant(method: MethodTranslator, instruction: Instruction) -> None:
    match instruction.operand:
        case IntConstant(value):
            method.push(integer(value), "I")
        case LongConstant(value):
            method.push(integer(value, LONG), "J")
        case FloatConstant(value):
            method.push(floats.constant(value), "F")
        case DoubleConstant(value):
            method.push(floats.constant(value), "D")
        case StringConstant(text):
            method.push(method.translation.string(text), "A", never_null=True)
        case ClassRef(name):
            method.push(method.translation.class_object(name), "A", never_null=True)
        case _:
            method.limit(FALSE, "constants of this kind are not modelled")


def _load(method: MethodTranslator, instruction: Instruction) -> None:
    kind, index = _KINDS[instruction.operation[0]], instruction.operand
    assert isinstance(index, int)
    read = Read(method.local(index, kind))
    if kind != "A":
        method.push(read, kind)
        return
    value = method.reference(read, method.translation.facts.locals.get((method.method.key, index)))
    receiver = index == 0 and not method.method.is_static
    if receiver and method.translation.keeps_receiver(method.method):
        value = replace(value, never_null=True)
    method.stack.append(value)


def _store(method: MethodTranslator, instruction: Instruction) -> None:
    kind, index = _KINDS[instruction.operation[0]], instruction.operand
    assert isinstance(index, int)
    value = method.pop()
    target = method.local(index, kind)
    if value.expression != Read(target):
        method.effect([(target, value.expression)])


def _increment(method: MethodTranslator, instruction: Instruction) -> None:
    operand = instruction.operand
    assert isinstance(operand, Increment)
    target = method.local(operand.local, "I")
    added = wrapped(Binary("+", Read(target), integer(operand.amount)), INT)
    method.effect([(target, added)])


def _pop(method: MethodTranslator, instruction: Instruction) -> None:
    method.pop()


def _pop2(method: MethodTranslator, instruction: Instruction) -> None:
    if not method.pop().is_wide:
        method.pop()


def _dup(method: MethodTranslator, instruction: Instruction) -> None:
    method.stack.append(method.stack[-1])


def _dup_x1(method: MethodTranslator, instruction: Instruction) -> None:
    method.stack.insert(-2, method.stack[-1])


def _dup_x2(method: MethodTranslator, instruction: Instruction) -> None:
    below = 2 if method.stack[-2].is_wide else 3
    method.stack.insert(-below, method.stack[-1])


def _dup2(method: MethodTranslator, instruction: Instruction) -> None:
    count = 1 if method.stack[-1].is_wide else 2
    method.stack += method.stack[-count:]


def _dup2_x1(method: MethodTranslator, instruction: Instruction) -> None:
    count = 1 if method.stack[-1].is_wide else 2
    method.stack[-count - 1 : -count - 1] = method.stack[-count:]


def _dup2_x2(method: MethodTranslator, instruction: Instruction) -> None:
    count = 1 if method.stack[-1].is_wide else 2
    below = count + (1 if method.stack[-count - 1].is_wide else 2)
    method.stack[-below:-below] = method.stack[-count:]


def _swap(method: MethodTranslator, instruction: Instruction) -> None:
    method.stack[-2:] = method.stack[-1], method.stack[-2]


def _arithmetic(method: MethodTranslator, instruction: Instruction) -> None:
    name, type_ = instruction.operation[1:], _type(instruction)
    if type_ is None:
        _floating(method, name, instruction.operation[0].upper())
        return
    kind = "J" if type_ == LONG else "I"
    if name == "neg":
        operand = method.pop().expression
        method.push(wrapped(computed("-", integer(0), operand), type_), kind)
        return
    right, left = method.pop().expression, method.pop().expression
    if name in ("div", "rem"):
        method.check(compared("!=", right, integer(0)), ARITHMETIC, "division")
    if method.at is not None:
        method.push(_computed(name, left, right, type_), kind)


def _computed(name: str, left: Expression, right: Expression, type_: Bounded) -> Expression:
    if name in ("shl", "shr", "ushr"):
        return shifted(name, left, right, type_)
    operator = _OPERATORS[name]
    found = computed(operator, left, right)
    return found if operator in ("&", "|", "^", "%") else wrapped(found, type_)


def _floating(method: MethodTranslator, name: str, kind: str) -> None:
    right = method.pop().expression
    if name == "neg":
        found = floats.negated(right)
    else:
        found = floats.computed(name, method.pop().expression, right, kind)
    method.assign_result(found, kind, None)  # Such expressions are long.


def _convert(method: MethodTranslator, instruction: Instruction) -> None:
    value, wanted = method.pop(), instruction.operation[2]
    floating = value.kind in "FD"
    if wanted in "fd":
        convert = floats.converted if floating else floats.of_integer
        found = convert(value.expression, wanted.upper())
        method.assign_result(found, wanted.upper(), None)
    elif floating:
        method.limit(floats.is_known(value.expression), _FLOATS)
        type_ = LONG if wanted == "l" else INT
        whole = floats.to_integer(value.expression, type_.low, type_.low + type_.size - 1)
        method.push(whole, "J" if wanted == "l" else "I")
    elif wanted == "l":
        method.push(value.expression, "J")
    else:
        method.push(wrapped(value.expression, _NARROW[wanted]), "I")


def _compare(method: MethodTranslator, instruction: Instruction) -> None:
    right, left = method.pop(), method.pop()
    if left.kind in "FD":
        for each in (left, right):
            method.limit(floats.is_known(each.expression), _FLOATS)
    less = Conditional(compared("<", left.expression, right.expression), integer(-1), integer(0))
    all_ = Conditional(compared(">", left.expression, right.expression), integer(1), less)
    method.stack.append(Value(all_, "I", compared=(left.expression, right.expression)))


def _branch(method: MethodTranslator, instruction: Instruction) -> None:
    target = instruction.operand
    assert isinstance(target, int)
    name = instruction.operation
    if name.startswith(("if_icmp", "if_acmp")):
        other, one = method.pop(), method.pop()
        if name.startswith("if_acmp"):
            check_different(method, one, other)
        condition = compared(_COMPARISONS[name[-2:]], one.expression, other.expression)
    else:
        value = method.pop()
        left, right = value.compared or (value.expression, integer(0))
        if name in ("ifnull", "ifnonnull"):
            method.check_told(value)
        operator = {"ifnull": "eq", "ifnonnull": "ne"}.get(name, name[2:])
        condition = compared(_COMPARISONS[operator], left, right)
    method.branch(condition, target)


def _goto(method: MethodTranslator, instruction: Instruction) -> None:
    assert isinstance(instruction.operand, int)
    method.jump(instruction.operand)
    method.at = None


def _switch(method: MethodTranslator, instruction: Instruction) -> None:
    assert isinstance(instruction.operand, Switch)
    method.switch(method.pop().expression, instruction.operand)


def _return(method: MethodTranslator, instruction: Instruction) -> None:
    if instruction.operation == "return":
        method.return_([])
        return
    value = method.pop()
    result = method.result
    assert result is not None
    narrow = isinstance(result, Bounded) and result not in (INT, LONG, floats.FLOAT)
    method.return_([wrapped(value.expression, result) if narrow else value.expression])


def _throw(method: MethodTranslator, instruction: Instruction) -> None:
    exception = method.pop()
    method.check_not_null(exception)
    method.throw(exception)


def _subroutine(method: MethodTranslator, instruction: Instruction) -> None:
    raise method.refused(
        f"the instruction {instruction.operation} is not modelled; compilers before Java 6 made it"
    )


def _type(instruction: Instruction) -> Bounded | None:
    return {"i": INT, "l": LONG}.get(instruction.operation[0])


_KINDS = {"i": "I", "l": "J", "f": "F", "d": "D", "a": "A"}

_NARROW = {"b": BYTE, "c": CHAR, "s": SHORT, "i": INT}

_OPERATORS: dict[str, BinaryOperator] = {
    "add": "+", "sub": "-", "mul": "*", "div": "/", "rem": "%", "and": "&", "or": "|", "xor": "^",
}  # fmt: skip

_COMPARISONS: dict[str, BinaryOperator] = {
    "eq": "=", "ne": "!=", "lt": "<", "ge": ">=", "gt": ">", "le": "<=",
}  # fmt: skip


def _all(effect: _Effect, *names: str) -> dict[str, _Effect]:
    return dict.fromkeys((name for text in names for name in text.split()), effect)


_ON_ALL, _ON_INTEGERS = "add sub mul div rem neg", "shl shr ushr and or xor"

_EFFECTS: dict[str, _Effect] = {
    **_all(_nop, "nop"),
    **_all(_constant, "aconst iconst lconst fconst dconst aconst_null bipush sipush"),
    **_all(_load_constant, "ldc ldc_w ldc2_w"),
    **_all(_load, "iload lload fload dload aload"),
    **_all(_store, "istore lstore fstore dstore astore"),
    **_all(_increment, "iinc"),
    **_all(_pop, "pop"),
    **_all(_pop2, "pop2"),
    **_all(_dup, "dup"),
    **_all(_dup_x1, "dup_x1"),
    **_all(_dup_x2, "dup_x2"),
    **_all(_dup2, "dup2"),
    **_all(_dup2_x1, "dup2_x1"),
    **_all(_dup2_x2, "dup2_x2"),
    **_all(_swap, "swap"),
    **_all(_arithmetic, *(f"{t}{n}" for t in "ilfd" for n in _ON_ALL.split())),
    **_all(_arithmetic, *(f"{t}{n}" for t in "il" for n in _ON_INTEGERS.split())),
    **_all(_convert, "i2l i2f i2d l2i l2f l2d f2i f2l f2d d2i d2l d2f i2b i2c i2s"),
    **_all(_compare, "lcmp fcmpl fcmpg dcmpl dcmpg"),
    **_all(_branch, "ifeq ifne iflt ifge ifgt ifle ifnull ifnonnull"),
    **_all(_branch, *(f"if_icmp{n}" for n in _COMPARISONS), "if_acmpeq if_acmpne"),
    **_all(_goto, "goto goto_w"),
    **_all(_subroutine, "jsr jsr_w ret"),
    **_all(_switch, "tableswitch lookupswitch"),
    **_all(_return, "ireturn lreturn freturn dreturn areturn return"),
    **_all(_throw, "athrow"),
    **_all(objects.static_field, "getstatic putstatic"),
    **_all(objects.get_field, "getfield"),
    **_all(objects.put_field, "putfield"),
    **_all(objects.new, "new"),
    **_all(objects.cast, "checkcast"),
    **_all(objects.instance_of, "instanceof"),
    **_all(arrays.new_array, "newarray anewarray"),
    **_all(arrays.new_arrays, "multianewarray"),
    **_all(arrays.length, "arraylength"),
    **_all(arrays.load, *(f"{t}aload" for t in "ilfdabcs")),
    **_all(arrays.store, *(f"{t}astore" for t in "ilfdabcs")),
    **_all(method_calls.call, "invokevirtual invokespecial invokestatic invokeinterface"),
    **_all(dynamic_calls.call, "invokedynamic"),
    **_all(monitors.enter_instruction, "monitorenter"),
    **_all(monitors.leave_instruction, "monitorexit"),
}  # fmt: skip
