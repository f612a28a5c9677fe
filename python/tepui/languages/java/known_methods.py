"""Methods that the translator knows by itself: `tepui.Intrinsics`, and those of Object, Class and
String.

Models are written over the intrinsics; what each does stands in its source. Nothing
is known about methods of String that are not here: if the result is a string, that is opaque.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from tepui.languages.java import arrays, floats, formats, strings
from tepui.languages.java.constants import MethodRef
from tepui.languages.java.descriptors import method_descriptor
from tepui.languages.java.heap import INT, LONG, read
from tepui.languages.java.hierarchy import CLASS, OBJECT, STRING, THREAD
from tepui.languages.java.method import MethodTranslator
from tepui.languages.java.shared_numbers import check_different, check_monitor
from tepui.languages.java.sites import SiteKey
from tepui.languages.java.stack_values import Value, compared, integer
from tepui.languages.java.thread_blocks import CPROVER
from tepui.program.expressions import (
    FALSE,
    TRUE,
    Binary,
    Choice,
    Conditional,
    Constant,
    Expression,
    Read,
    conjunction,
)
from tepui.program.program import Assignment, Create, Step, Target
from tepui.program.types import BOOLEAN, Bounded

_INTRINSICS = "tepui/Intrinsics"
_VERIFY = ("gov/nasa/jpf/vm/Verify", "gov/nasa/jpf/jvm/Verify")

MOST_CHOSEN = 256
"""How many values there may be between two bounds that are computed."""


def call(
    method: MethodTranslator, owner: str, reference: MethodRef, arguments: Sequence[Value]
) -> bool:
    """Do what a method does, if it is known."""
    if owner == STRING:
        return strings.call(method, reference, arguments)
    if _floating(method, owner, reference, arguments):
        return True
    known = _KNOWN.get((owner, reference.name))
    if known is None:
        return False
    known(method, arguments)
    return True


def _floating(
    method: MethodTranslator, owner: str, reference: MethodRef, arguments: Sequence[Value]
) -> bool:
    """Native methods of models that compute floating-point numbers: most of them are unknown."""
    result = method_descriptor(reference.descriptor).result
    if result not in ("F", "D"):
        return False
    found: Expression = floats.UNKNOWN
    if owner in ("java/lang/Math", "java/lang/StrictMath") and reference.name in ("min", "max"):
        one, other = (each.expression for each in arguments)
        order = compared("<=" if reference.name == "min" else ">=", one, other)
        both = conjunction(floats.is_known(one), floats.is_known(other))
        found = Conditional(both, Conditional(order, one, other), floats.UNKNOWN)
    method.assign_result(found, result, None)
    return True


def _start_block(method: MethodTranslator, arguments: Sequence[Value]) -> None:
    from tepui.languages.java.dynamic_calls import start_block

    start_block(method, arguments)


def _begin_atomic(method: MethodTranslator, arguments: Sequence[Value]) -> None:
    method.settle()
    method.atomic = True
    method.effect(action="")


def _end_atomic(method: MethodTranslator, arguments: Sequence[Value]) -> None:
    method.settle_inside()
    method.atomic = False
    method.effect()


def _await(method: MethodTranslator, arguments: Sequence[Value]) -> None:
    condition = compared("!=", arguments[0].expression, integer(0))
    if condition != TRUE:
        method.effect(guard=condition, action="wait")


def _current_thread(method: MethodTranslator, arguments: Sequence[Value]) -> None:
    method.push(Read(method.me), "A", never_null=True)


def _start(method: MethodTranslator, arguments: Sequence[Value]) -> None:
    if method.at is None:
        return
    method.settle_inside()
    method.describe("start")
    thread = arguments[0].expression
    source, target = method.at, method.next_place()
    for number, type_ in method.translation.thread_types.items():
        guard = compared("=", thread, Constant(number, INT))
        if guard != FALSE:
            reference = method.numbers.reference(number)
            values = ((reference, reference),)
            method.graph.add(Create(source, target, (type_,), values, guard))
    method.go_on(target)


def _any_boolean(method: MethodTranslator, arguments: Sequence[Value]) -> None:
    method.assign_result(Choice(BOOLEAN), "I", "any boolean")


def _any_long(method: MethodTranslator, arguments: Sequence[Value]) -> None:
    _input(method, LONG, "J", "any long")


def _input(method: MethodTranslator, type_: Bounded, kind: str, action: str) -> None:
    """An input, of all values or only of some small ones, which is a limit then."""
    bits = method.heap.bounds.input_bits
    known = TRUE if bits is None else Choice(BOOLEAN)
    method.require(known, "limit", "an input may have more values", always=True)
    if bits is not None:
        type_ = Bounded(-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    method.assign_result(Choice(type_), kind, action)


def _any_int(method: MethodTranslator, arguments: Sequence[Value]) -> None:
    if not arguments:
        _input(method, INT, "I", "any int")
        return
    low, high = (each.expression for each in arguments)
    if isinstance(low, Constant) and isinstance(high, Constant) and low.value <= high.value:
        method.assign_result(Choice(Bounded(low.value, high.value)), "I", "any int")
        return
    span = Binary("-", high, low)
    method.limit(
        Binary("and", Binary(">=", span, integer(0)), Binary("<", span, integer(MOST_CHOSEN))),
        f"one of more than {MOST_CHOSEN} values is chosen",
    )
    if method.at is None:
        return
    target = method.kept(len(method.stack), "I")
    chosen = method.temporary("chosen.i", "I")
    method.effect([(chosen, Choice(Bounded(0, MOST_CHOSEN - 1)))], action="any int")
    # Every value of the range, and no way that ends here.
    inside = Binary("%", Read(chosen), Binary("+", span, integer(1)))
    method.effect([(target, Binary("+", low, inside))])
    method.push(Read(target), "I")


def _limit(method: MethodTranslator, arguments: Sequence[Value]) -> None:
    why = method.translation.text_of(arguments[0].expression)
    method.limit(FALSE, why or "a limit of a model is reached")


def _monitor_count(method: MethodTranslator, arguments: Sequence[Value]) -> None:
    check_monitor(method, arguments[0])
    of = arguments[0].expression
    count = Conditional(_is_mine(method, of), read(method.heap.entries(of)), integer(0))
    method.assign_result(count, "I", "count the monitor")


def _holds_monitor(method: MethodTranslator, arguments: Sequence[Value]) -> None:
    check_monitor(method, arguments[0])
    method.assign_result(_is_mine(method, arguments[0].expression), "I", "look at the monitor")


def _is_mine(method: MethodTranslator, of: Expression) -> Expression:
    return Binary("=", read(method.heap.owner(of)), Read(method.me))


def _release_monitor(method: MethodTranslator, arguments: Sequence[Value]) -> None:
    check_monitor(method, arguments[0])
    of = arguments[0].expression
    target = method.kept(len(method.stack), "I")
    owner, entries = method.heap.owner(of), method.heap.entries(of)
    method.effect([(target, read(entries)), (owner, integer(0)), (entries, integer(0))], action="")
    method.push(Read(target), "I")


def _reacquire_monitor(method: MethodTranslator, arguments: Sequence[Value]) -> None:
    check_monitor(method, arguments[0])
    of, count = (each.expression for each in arguments)
    owner, entries = method.heap.owner(of), method.heap.entries(of)
    free = Binary("=", read(owner), integer(0))
    method.effect([(owner, Read(method.me)), (entries, count)], free, "lock")


def _enter_wait_set(method: MethodTranslator, arguments: Sequence[Value]) -> None:
    check_monitor(method, arguments[0])
    cell = method.heap.waits_for(Read(method.me))
    method.effect([(cell, arguments[0].expression)], action="wait")


def _leave_wait_set(method: MethodTranslator, arguments: Sequence[Value]) -> None:
    method.effect([(method.heap.waits_for(Read(method.me)), integer(0))], action="wake up")


def _is_notified(method: MethodTranslator, arguments: Sequence[Value]) -> None:
    waits = read(method.heap.waits_for(Read(method.me)))
    method.assign_result(Binary("=", waits, integer(0)), "I", "look for a notification")


def _notify_one(method: MethodTranslator, arguments: Sequence[Value]) -> None:
    check_monitor(method, arguments[0])
    of, nobody = arguments[0].expression, TRUE
    ways: list[tuple[Expression, list[tuple[Target, Expression]]]] = []
    for cell in _wait_cells(method):
        waits = Binary("=", read(cell), of)
        ways.append((waits, [(cell, integer(0))]))
        nobody = conjunction(nobody, Binary("!=", read(cell), of))  # type: ignore[assignment]
    method.effects([*ways, (nobody, [])], "notify")


def _notify_all(method: MethodTranslator, arguments: Sequence[Value]) -> None:
    check_monitor(method, arguments[0])
    of = arguments[0].expression
    step: list[tuple[Target, Expression]] = [
        (cell, Conditional(Binary("=", read(cell), of), integer(0), read(cell)))
        for cell in _wait_cells(method)
    ]
    method.effect(step, action="notify all")


def _wait_cells(method: MethodTranslator) -> list:  # type: ignore[type-arg]
    low, high = method.numbers.span(THREAD)
    return [method.heap.waits_for(Constant(number, INT)) for number in range(low, high + 1)]


def _stop(method: MethodTranslator, arguments: Sequence[Value]) -> None:
    """Nothing happens any more, and that is no deadlock: this thread alone runs, for ever."""
    if method.at is None:
        return
    lock = method.translation.lock()
    source, end = method.at, method.graph.place(method.position())
    method.describe("stop")
    method.graph.add(Step(source, end, method.pending, (Assignment(lock, TRUE),)))
    method.graph.describe(end, method.position(), "the run ends")
    method.graph.add(Step(end, end))
    method.at = None


def _is_opaque(method: MethodTranslator, arguments: Sequence[Value]) -> None:
    method.push(method.is_among(arguments[0], method.translation.computed_strings), "I")


def _opaque_string(method: MethodTranslator, arguments: Sequence[Value]) -> None:
    method.push(method.translation.opaque_string(), "A", never_null=True)


def _string_or_null(method: MethodTranslator, arguments: Sequence[Value]) -> None:
    untold = method.translation.untold_string
    assert untold is not None
    method.push(untold, "A")


def _makes_boxes(method: MethodTranslator, arguments: Sequence[Value]) -> None:
    makes = method.translation.found.makes_boxes
    method.push(integer(int(makes(method.method.owner.name))), "I")


def _own_texts(method: MethodTranslator, arguments: Sequence[Value]) -> None:
    method.push(integer(int(method.translation.has_own_texts)), "I")


def _spurious(method: MethodTranslator, arguments: Sequence[Value]) -> None:
    method.push(integer(int(method.translation.options.spurious_wakeups)), "I")


def _daemons(method: MethodTranslator, arguments: Sequence[Value]) -> None:
    method.push(integer(int(method.translation.has_daemons)), "I")


def _nothing(method: MethodTranslator, arguments: Sequence[Value]) -> None:
    pass


def _same(method: MethodTranslator, arguments: Sequence[Value]) -> None:
    one, other = arguments
    check_different(method, one, other)
    method.push(compared("=", one.expression, other.expression), "I")


def _hash(method: MethodTranslator, arguments: Sequence[Value]) -> None:
    check_monitor(method, arguments[0])
    if method.at is not None:
        method.assign_result(read(method.heap.hash_code(arguments[0].expression)), "I", "hash")


def _get_class(method: MethodTranslator, arguments: Sequence[Value]) -> None:
    of = arguments[0].expression
    found: Expression = method.numbers.reference(0)
    for name, guard in method.translation.classes_of(of):
        object_ = method.translation.class_object(name)
        found = object_ if guard == TRUE else Conditional(guard, object_, found)
    method.push(found, "A", never_null=True)


def _asserts(method: MethodTranslator, arguments: Sequence[Value]) -> None:
    method.push(integer(1), "I")


def clone(method: MethodTranslator, type_: str, of: Value) -> None:
    """Push a new array with the same elements, made in one step."""
    method.stack.append(of)
    method.assign_result(method.heap.length(of.expression), "I", "clone")
    length, of = method.stack[-1], method.stack[-2]
    if type_[1] in "L[":
        _new_array_like(method, [of, length])
    else:
        site = method.translation.site(method.method, method.instruction.pc)
        arrays.make(method, site, length)
    if method.at is None:
        return
    of, copy = method.stack[-3], method.stack[-1]
    ways = list(_copies(method, type_[1], of, copy))
    if ways:
        method.effects(ways, "")
    copy = method.pop()
    del method.stack[-2:]
    method.stack.append(copy)


def _copies(
    method: MethodTranslator, letter: str, of: Value, copy: Value
) -> Iterator[tuple[Expression, list[tuple[Target, Expression]]]]:
    """For each pair of sites of an array and its copy, what is assigned to the elements."""
    letters = "L[" if letter in "L[" else letter
    for copied, to_site in arrays.candidates(method, copy, letters):
        for guard, from_site in arrays.candidates(method, of, letters):
            copies: list[tuple[Target, Expression]] = []
            for index in range(min(method.heap.longest(to_site), method.heap.longest(from_site))):
                to = method.heap.element(to_site, copy.expression, integer(index))
                from_ = method.heap.element(from_site, of.expression, integer(index))
                if to is not None and from_ is not None:
                    copies.append((to, read(from_)))
            yield conjunction(copied, guard), copies


def _new_array_like(method: MethodTranslator, arguments: Sequence[Value]) -> None:
    """An array of the same class as another one: each class has a site of its own."""
    like, length = arguments
    method.settle_inside()
    start, stack, after = method.at, list(method.stack), None
    if start is None:
        return
    target = method.kept(len(stack), "A")
    found = set[SiteKey | None]()
    for site in method.translation.sites_like(method.method, method.instruction.pc):
        guard = method.is_among(like, method.numbers.exact(site.type))
        if guard == FALSE:
            continue
        method.stack = list(stack)
        entry = method.graph.place(method.position(), atomic=method.graph.is_atomic(start))
        method.graph.add(Step(start, entry, guard))
        method.go_on(entry)
        arrays.make(method, site, length)
        if method.at is None:
            continue
        made = method.pop().expression
        method.effect([(target, made)] if made != Read(target) else [])
        found.add(site.key)
        after = method.next_place() if after is None else after
        method.graph.add(Step(method.at, after, method.pending))
    method.stack = list(stack)
    method.at = None
    if after is not None:
        method.go_on(after)
        method.push_reference(Read(target), frozenset(found))


_Known = Callable[[MethodTranslator, Sequence[Value]], None]

_KNOWN: dict[tuple[str, str], _Known] = {
    (_INTRINSICS, "beginAtomic"): _begin_atomic,
    (_INTRINSICS, "endAtomic"): _end_atomic,
    (_INTRINSICS, "await"): _await,
    (_INTRINSICS, "currentThread"): _current_thread,
    (_INTRINSICS, "start"): _start,
    (_INTRINSICS, "anyBoolean"): _any_boolean,
    (_INTRINSICS, "anyInt"): _any_int,
    (_INTRINSICS, "anyLong"): _any_long,
    (_INTRINSICS, "limit"): _limit,
    (_INTRINSICS, "monitorCount"): _monitor_count,
    (_INTRINSICS, "holdsMonitor"): _holds_monitor,
    (_INTRINSICS, "releaseMonitor"): _release_monitor,
    (_INTRINSICS, "reacquireMonitor"): _reacquire_monitor,
    (_INTRINSICS, "enterWaitSet"): _enter_wait_set,
    (_INTRINSICS, "leaveWaitSet"): _leave_wait_set,
    (_INTRINSICS, "isNotified"): _is_notified,
    (_INTRINSICS, "notifyOne"): _notify_one,
    (_INTRINSICS, "notifyAll"): _notify_all,
    (_INTRINSICS, "stop"): _stop,
    (_INTRINSICS, "isOpaque"): _is_opaque,
    (_INTRINSICS, "opaqueString"): _opaque_string,
    (_INTRINSICS, "stringOrNull"): _string_or_null,
    (CPROVER, "startThread"): _start_block,
    (_INTRINSICS, "checkFormat"): formats.check,
    (_INTRINSICS, "makesBoxes"): _makes_boxes,
    (_INTRINSICS, "ownTexts"): _own_texts,
    (_INTRINSICS, "spuriousWakeups"): _spurious,
    (_INTRINSICS, "daemons"): _daemons,
    (_INTRINSICS, "newArrayLike"): _new_array_like,
    **{(verify, "beginAtomic"): _begin_atomic for verify in _VERIFY},
    **{(verify, "endAtomic"): _end_atomic for verify in _VERIFY},
    (OBJECT, "<init>"): _nothing,
    (OBJECT, "equals"): _same,
    (OBJECT, "hashCode"): _hash,
    ("java/lang/System", "identityHashCode"): _hash,
    (OBJECT, "toString"): _opaque_string,
    (OBJECT, "getClass"): _get_class,
    (CLASS, "desiredAssertionStatus"): _asserts,
    (CLASS, "getName"): _opaque_string,
    (CLASS, "getSimpleName"): _opaque_string,
    (CLASS, "toString"): _opaque_string,
}
