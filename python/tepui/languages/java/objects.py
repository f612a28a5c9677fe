"""Objects and their fields, casts, and what initialises classes (JVMS 5.5)."""

from __future__ import annotations

from tepui.languages.java import floats
from tepui.languages.java.constants import (
    ClassRef,
    DoubleConstant,
    FieldRef,
    FloatConstant,
    IntConstant,
    LongConstant,
    StringConstant,
)
from tepui.languages.java.heap import DONE, INT, read
from tepui.languages.java.hierarchy import FINAL, OBJECT, STRING, JavaField
from tepui.languages.java.instructions import Instruction
from tepui.languages.java.intrinsics import CLASS_CAST
from tepui.languages.java.method import MethodTranslator
from tepui.languages.java.sites import Site
from tepui.languages.java.stack_values import Value, compared, computed, integer, kind_of, wrapped
from tepui.languages.java.type_analysis import primitive_class
from tepui.program.expressions import FALSE, Binary, Constant, Expression, Read
from tepui.program.program import Call, Receive, Step, Target
from tepui.program.types import BOOLEAN, Bounded, Scalar


def static_field(method: MethodTranslator, instruction: Instruction) -> None:
    """Read or write a static field."""
    reference = instruction.operand
    assert isinstance(reference, FieldRef)
    field = method.translation.hierarchy.field(reference)
    writes = instruction.name == "putstatic"
    if field is None:
        name = primitive_class(instruction)
        if name is None:
            _unknown_field(method, reference)
        else:
            method.push(method.translation.class_object(name), "A", never_null=True)
        return
    if field.name == "$assertionsDisabled":
        if writes:
            method.pop()
        else:
            method.push(integer(0), "I")
        return
    if field.key == ("java/lang/String", "COMPACT_STRINGS"):
        method.push(integer(1), "I")
        return
    if field.constant is None and not method.translation.is_initialised(field.owner):
        _unknown_field(method, reference)
        return
    trigger(method, field.owner)
    name = f"{_short(field.owner)}.{field.name}"
    if writes:
        _write(method, method.heap.static(field, _long(field.owner)), method.pop(), name)
        return
    if (known := _constant(method, field)) is not None:
        method.stack.append(known)
        return
    variable = method.heap.static(field, _long(field.owner))
    if variable is None:
        method.push_of_type(integer(0), field.descriptor)
    else:
        kind, sites = kind_of(field.descriptor), method.translation.facts.fields.get(variable.name)
        method.assign_result(Read(variable), kind, f"read {name}", sites)


def get_field(method: MethodTranslator, instruction: Instruction) -> None:
    """Read a field of an object."""
    reference = instruction.operand
    assert isinstance(reference, FieldRef)
    of = method.pop()
    method.check_not_null(of)
    field = method.translation.hierarchy.field(reference)
    if field is None:
        _unknown_field(method, reference)
        return
    cell = method.heap.cell(field, _long(field.owner), of.expression)
    if cell is None or not method.translation.is_written(field):
        method.push_of_type(_nothing(method, field), field.descriptor)
    else:
        sites = method.translation.facts.fields.get(cell.variable.name)
        method.assign_result(read(cell), kind_of(field.descriptor), f"read {field.name}", sites)


def put_field(method: MethodTranslator, instruction: Instruction) -> None:
    """Write a field of an object."""
    reference = instruction.operand
    assert isinstance(reference, FieldRef)
    value, of = method.pop(), method.pop()
    method.check_not_null(of)
    field = method.translation.hierarchy.field(reference)
    if field is None:
        _unknown_field(method, reference)
        return
    _write(method, method.heap.cell(field, _long(field.owner), of.expression), value, field.name)


def new(method: MethodTranslator, instruction: Instruction) -> None:
    """Make an object; its constructor is called by itself."""
    assert isinstance(instruction.operand, ClassRef)
    trigger(method, instruction.operand.name)
    if missing := method.translation.hierarchy.missing_above(instruction.operand.name):
        method.limit(FALSE, f"{missing.replace('/', '.')} cannot be found")
        return
    site = method.translation.site(method.method, instruction.pc)
    allocate(method, site)


def allocate(
    method: MethodTranslator, site: Site, besides: list[tuple[Target, Expression]] | None = None
) -> None:
    """Push a new object of a site, and do something else in the same step."""
    low, high = method.numbers.of_site[site.key]
    if site.single or site.once:
        if besides or site.once:
            action = None if site.single else f"new {_short(site.type)}"
            method.effect(besides or [], action=action)
        method.push(method.numbers.reference(low), "A", never_null=True)
        return
    made = method.heap.made(site)
    count = high - low + 1
    method.limit(Binary("<", Read(made), Constant(count, INT)), method.translation.too_many(site))
    if method.at is None:
        return
    target = method.made_here(len(method.stack), "A")
    number = computed("+", Read(made), Constant(low, INT))
    step: list[tuple[Target, Expression]] = [
        (target, number),
        (made, computed("+", Read(made), integer(1))),
    ]
    method.effect([*step, *(besides or [])], action=f"new {_short(site.type)}")
    method.stack.append(Value(Read(target), "A", True, sites=frozenset({site.key})))


def cast(method: MethodTranslator, instruction: Instruction) -> None:
    assert isinstance(instruction.operand, ClassRef)
    name, value = instruction.operand.name, method.stack[-1]
    if name == OBJECT:
        return
    fits = method.is_among(value, method.numbers.ranges(name))
    if not method.translation.hierarchy.is_subtype(STRING, name):
        method.check_told(value)
    null = FALSE if value.never_null else compared("=", value.expression, integer(0))
    if value.sites is not None and fits != FALSE:
        others = [key for key in value.sites if key is not None]
        if others and all(method.translation.is_of_type(key, name) for key in others):
            return
    method.check(_either(null, fits), CLASS_CAST, "exception")


def instance_of(method: MethodTranslator, instruction: Instruction) -> None:
    assert isinstance(instruction.operand, ClassRef)
    value = method.pop()
    method.check_told(value)
    ranges = method.numbers.ranges(instruction.operand.name)
    method.push(method.is_among(value, ranges), "I")


def trigger(method: MethodTranslator, name: str) -> None:
    """Initialise a class, if that has not been done."""
    for each in method.translation.initialisers(name, method.method):
        _trigger(method, each)


def _trigger(method: MethodTranslator, name: str) -> None:
    if method.at is None:
        return
    method.settle()
    state = Read(method.heap.class_state(name))
    method.describe(f"initialise {_short(name)}")
    method.preserve({method.temporary("thrown.a", "A")})
    source, after = method.at, method.next_place()
    done = Binary("=", state, integer(DONE))
    method.graph.add(Step(source, after, done))
    back = method.next_place()
    undone = Binary("!=", state, integer(DONE))
    procedure = method.translation.initialisation.procedure_name(name)
    method.graph.add(Call(source, back, procedure, (Read(method.me),), undone))
    method.go_on(back)
    if method.translation.initialiser_throws(name):
        thrown = method.temporary("thrown.a", "A")
        received = method.next_place()
        method.graph.add(Receive(back, received, (thrown,)))
        method.go_on(received)
        method.rethrow_if_thrown(thrown)
    assert method.at is not None
    method.graph.add(Step(method.at, after, method.pending))
    method.go_on(after)


def _write(method: MethodTranslator, target: Target | None, value: Value, name: str) -> None:
    if target is None:
        method.settle()
        return
    from tepui.program.program import scalar_of

    method.effect([(target, stored(value.expression, scalar_of(target)))], action=f"write {name}")


def stored(expression: Expression, scalar: Scalar) -> Expression:
    """A value as a field or an element of some type stores it (JVMS 6.5, putfield, bastore)."""
    if scalar == BOOLEAN and not isinstance(expression, Constant):
        return computed("&", expression, integer(1))
    if isinstance(expression, Constant) and isinstance(scalar, Bounded):
        return wrapped(expression, scalar)
    return expression


def _constant(method: MethodTranslator, field: JavaField) -> Value | None:
    """The value of a static field that always has the same one."""
    written = method.translation.is_written(field)
    if written and not field.flags & FINAL:
        return None
    match field.constant:
        case IntConstant(value):
            return Value(integer(value), "I")
        case LongConstant(value):
            return Value(integer(value), "J")
        case StringConstant(text):
            return Value(method.translation.string(text), "A", never_null=True)
        case FloatConstant(value):
            return Value(floats.constant(value), "F")
        case DoubleConstant(value):
            return Value(floats.constant(value), "D")
    if written:
        return None
    return Value(_nothing(method, field), kind_of(field.descriptor))


def _nothing(method: MethodTranslator, field: JavaField) -> Expression:
    """The value of a field to which nothing is ever assigned."""
    if field.descriptor[0] in "L[":
        return method.numbers.reference(0)
    return integer(0)


def _unknown_field(method: MethodTranslator, reference: FieldRef) -> None:
    name = f"{_long(reference.owner)}.{reference.name}"
    method.limit(FALSE, f"{name} is not modelled")


def _either(left: Expression, right: Expression) -> Expression:
    if Constant(1) in (left, right):
        return Constant(1)
    if left == FALSE:
        return right
    return left if right == FALSE else Binary("or", left, right)


def _short(name: str) -> str:
    return name.rsplit("/", 1)[-1].rsplit("$", 1)[-1].rstrip(";")


def _long(name: str) -> str:
    return name.replace("/", ".")
