"""Calls of methods: dispatch by the number of the object, arguments, results and exceptions."""

from __future__ import annotations

from collections.abc import Sequence

from tepui.languages.java import known_methods
from tepui.languages.java.constants import MethodRef
from tepui.languages.java.descriptors import method_descriptor
from tepui.languages.java.facts import Sites
from tepui.languages.java.hierarchy import JavaMethod
from tepui.languages.java.instructions import Instruction
from tepui.languages.java.intrinsics import redirected
from tepui.languages.java.method import MethodTranslator
from tepui.languages.java.objects import trigger
from tepui.languages.java.sites import merged
from tepui.languages.java.stack_values import Value, kind_of
from tepui.languages.java.type_analysis import (
    VirtualCall,
    direct_target,
    is_inline,
    is_jdk_throwable,
    is_leaf,
)
from tepui.program.expressions import FALSE, TRUE, Binary, Expression, Read, Variable
from tepui.program.program import Call, Receive, Step, Target
from tepui.records import replace


def call(method: MethodTranslator, instruction: Instruction) -> None:
    """One of the four instructions that call a method by its name."""
    reference = instruction.operand
    assert isinstance(reference, MethodRef)
    count = len(method_descriptor(reference.descriptor).parameters)
    arguments = method.take(count)
    if instruction.name == "invokestatic":
        found = method.translation.hierarchy.method(*_key(reference))
        if found is not None:
            trigger(method, found.owner.name)
        call_one(method, found, reference, arguments)
        return
    receiver = method.pop()
    method.check_not_null(receiver)
    if method.at is None:
        return
    if reference.owner.startswith("[") and reference.name == "clone":
        known_methods.clone(method, reference.owner, receiver)
        return
    receiver = replace(receiver, never_null=True, sites=_without_null(receiver.sites))
    hierarchy = method.translation.hierarchy
    direct = direct_target(hierarchy, method.method, instruction)
    if direct is not None or instruction.name == "invokespecial":
        call_one(method, direct, reference, [receiver, *arguments])
    else:
        call_virtually(method, reference, [receiver, *arguments])


def call_virtually(
    method: MethodTranslator, reference: MethodRef, arguments: Sequence[Value]
) -> None:
    """Call the method that the class of the first argument decides."""
    if redirected(*_key(reference)):
        call_one(method, None, reference, arguments)
        return
    virtual = VirtualCall(reference.owner, reference.name, reference.descriptor)
    by_method: dict[JavaMethod | None, list[str]] = {}
    for name, target in method.translation.reachability.targets(virtual).items():
        by_method.setdefault(target, []).append(name)
    ways = _ways(method, by_method, arguments[0])
    if len(ways) == 1:
        call_one(method, ways[0][1], reference, arguments)
    elif not ways:
        method.at = None  # There is no object on which it could be called.
    else:
        _call_some(method, ways, reference, arguments)


def _ways(
    method: MethodTranslator, by_method: dict[JavaMethod | None, list[str]], of: Value
) -> list[tuple[Expression, JavaMethod | None]]:
    """The methods that may be called, and which objects choose them."""
    found = []
    for target, names in by_method.items():
        numbers = (
            number
            for number in range(1, method.numbers.count + 1)
            if method.numbers.type_of(number) in names
        )
        guard = method.is_among(of, merged(numbers))
        if guard != FALSE:
            found.append((guard, target))
    return found


def _call_some(
    method: MethodTranslator,
    ways: Sequence[tuple[Expression, JavaMethod | None]],
    reference: MethodRef,
    arguments: Sequence[Value],
) -> None:
    """Call one of several methods, each on a way of its own."""
    method.settle_inside()
    check_some(method, [guard for guard, _ in ways])
    assert method.at is not None
    start, stack = method.at, list(method.stack)
    result = method_descriptor(reference.descriptor).result
    kind = kind_of(result)
    after = None
    method.describe(f"call {reference.name}")
    for guard, target in ways:
        method.stack = list(stack)
        entry = method.graph.place(method.position(), atomic=method.graph.is_atomic(start))
        method.graph.add(Step(start, entry, guard))
        method.go_on(entry)
        call_one(method, target, reference, arguments)
        if method.has_ended:
            continue
        moves: list[tuple[Target, Expression]] = []
        if kind != "V":
            variable = method.kept(len(stack), kind)
            value = method.pop().expression
            if value != Read(variable):
                moves.append((variable, value))
        if moves:
            method.effect(moves)
        method.settle()
        after = method.next_place() if after is None else after
        method.graph.add(Step(method.at, after))
    method.stack = list(stack)
    if after is None:
        method.at = None
        return
    method.go_on(after)
    if kind != "V":
        method.push(Read(method.kept(len(stack), kind)), kind)


def check_some(method: MethodTranslator, guards: Sequence[Expression]) -> None:
    """A mistake in the translation must not look like a thread that waits."""
    fits: Expression = FALSE
    for guard in guards:
        if guard == TRUE:
            return
        fits = guard if fits == FALSE else Binary("or", fits, guard)
    method.limit(fits, "the translation has lost track of an object")


def call_one(
    method: MethodTranslator,
    target: JavaMethod | None,
    reference: MethodRef,
    arguments: Sequence[Value],
) -> None:
    """Call a method that is known."""
    for key in redirected(*(_key(reference) if target is None else target.key)):
        target = method.translation.hierarchy.method(*key)
    if is_inline(target) or target is None or target.key not in method.translation.names:
        _call_leaf(method, target, reference, arguments)
    else:
        call_procedure(method, target, arguments)


def _call_leaf(
    method: MethodTranslator,
    target: JavaMethod | None,
    reference: MethodRef,
    arguments: Sequence[Value],
) -> None:
    """Call a method that is no part of the program."""
    hierarchy = method.translation.hierarchy
    if target is not None and target.name == "<init>" and is_jdk_throwable(hierarchy, target):
        return
    owner = reference.owner if target is None else target.owner.name
    if known_methods.call(method, owner, reference, arguments):
        return
    if target is not None and not is_leaf(hierarchy, target):
        method.at = None  # Nothing that is instantiated leads there.
        return
    method.limit(FALSE, f"{owner.replace('/', '.')}.{reference.name} is not modelled")


def call_procedure(
    method: MethodTranslator, target: JavaMethod, arguments: Sequence[Value]
) -> None:
    """Call the procedure of a method, and go on when it has returned."""
    translation = method.translation
    result, throws = kind_of(target.result), translation.throws(target)
    method.describe(f"call {target.name}")
    results: list[Target | None] = []
    if result != "V":
        results.append(method.made_here(len(method.stack), result))
    if throws:
        results.append(method.temporary("thrown.a", "A"))
    changed = {each for each in results if isinstance(each, Variable)}
    if any(value.mentions(changed) for value in method.stack):
        arguments = _kept_first(method, arguments, changed)
    passed = tuple(each.expression for each in arguments)
    assert method.at is not None
    back = method.next_place()
    method.graph.add(
        Call(method.at, back, translation.names[target.key], (Read(method.me), *passed),
             method.pending)
    )  # fmt: skip
    method.go_on(back)
    if results:
        received = method.next_place()
        method.graph.add(Receive(back, received, tuple(results)))
        method.go_on(received)
    if result != "V":
        variable = results[0]
        assert isinstance(variable, Variable)
        if result == "A":
            method.push_reference(Read(variable), translation.facts.results.get(target.key))
        else:
            method.push(Read(variable), result)
    if throws:
        method.rethrow_if_thrown(method.temporary("thrown.a", "A"))


def _kept_first(
    method: MethodTranslator, arguments: Sequence[Value], changed: set[Variable]
) -> list[Value]:
    """Keep what lies on the stack below the arguments, before the call changes it."""
    count = len(arguments)
    method.stack += arguments
    method.preserve(changed)
    return method.take(count)


def _without_null(sites: Sites | None) -> Sites | None:
    return None if sites is None else sites - {None}


def _key(reference: MethodRef) -> tuple[str, str, str]:
    return reference.owner, reference.name, reference.descriptor
