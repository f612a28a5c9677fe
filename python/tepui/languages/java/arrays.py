"""Arrays: one variable for the elements of all arrays that a site makes."""

from __future__ import annotations

from tepui.languages.java.heap import INT, read
from tepui.languages.java.hierarchy import OBJECT, class_of_descriptor
from tepui.languages.java.instructions import Instruction, NewArrays
from tepui.languages.java.intrinsics import ARRAY_STORE, INDEX, NEGATIVE_SIZE
from tepui.languages.java.method import MethodTranslator
from tepui.languages.java.objects import allocate, stored
from tepui.languages.java.sites import Site, SiteKey
from tepui.languages.java.stack_values import Value, compared, integer, kind_of, negated
from tepui.program.expressions import (
    FALSE,
    TRUE,
    Binary,
    Constant,
    Expression,
    Read,
    conjunction,
)
from tepui.program.program import Step, Target, scalar_of

_KINDS = {
    "ia": "I", "la": "J", "fa": "F", "da": "D", "ba": "BZ", "ca": "C", "sa": "S", "aa": "L[",
}  # fmt: skip


def new_array(method: MethodTranslator, instruction: Instruction) -> None:
    site = method.translation.site(method.method, instruction.pc)
    make(method, site, method.pop())


def make(method: MethodTranslator, site: Site, count: Value) -> None:
    """Push a new array of some length."""
    length = count.expression
    method.check(compared(">=", length, integer(0)), NEGATIVE_SIZE, "exception")
    longest = method.heap.longest(site)
    known = isinstance(length, Constant) and site.length == length.value
    if not known:
        # The same edges in every translation, whatever its limits are.
        method.limit(Binary("<=", length, integer(longest)), method.translation.too_long(site))
    if method.at is None:
        return
    low, _ = method.numbers.of_site[site.key]
    number: Expression = integer(low)
    if not site.once:
        number = Binary("+", Read(method.heap.made(site)), Constant(low, INT))
    allocate(method, site, [(method.heap.length_cell(number), length)])


def new_arrays(method: MethodTranslator, instruction: Instruction) -> None:
    """Arrays of arrays, made one after another; in a loop, unless all lengths are known."""
    operand = instruction.operand
    assert isinstance(operand, NewArrays)
    counts = [method.pop() for _ in range(operand.dimensions)][::-1]
    for count in counts:
        method.check(compared(">=", count.expression, integer(0)), NEGATIVE_SIZE, "exception")
    if method.at is None:
        return
    lengths = [each.expression for each in counts]
    sizes = [each.value for each in lengths if isinstance(each, Constant)]
    if len(sizes) < len(lengths) or _total(sizes) > _MOST_MADE:
        _in_loops(method, instruction, lengths, 0)
    else:
        _nested(method, instruction, sizes, 0)


def _in_loops(
    method: MethodTranslator, instruction: Instruction, lengths: list[Expression], depth: int
) -> None:
    """Push an array of arrays; a loop makes its elements."""
    site = method.translation.site(method.method, -10 * (instruction.pc + 1) - depth)
    make(method, site, Value(lengths[depth], "I"))
    if depth + 1 == len(lengths) or method.has_ended:
        return
    index = method.temporary(f"index.{depth}", "I")
    method.effect([(index, integer(0))])
    head, inside, after = method.at, method.next_place(), method.next_place()
    assert head is not None
    more = compared("<", Read(index), lengths[depth])
    method.graph.add(Step(head, inside, more))
    method.graph.add(Step(head, after, negated(more)))
    method.go_on(inside)
    _in_loops(method, instruction, lengths, depth + 1)
    if not method.has_ended:
        inner = method.pop()
        target = method.heap.element(site, method.stack[-1].expression, Read(index))
        stores = [] if target is None else [(target, inner.expression)]
        method.effect([*stores, (index, Binary("+", Read(index), integer(1)))])
        assert method.at is not None
        method.graph.add(Step(method.at, head))
    method.go_on(after)


_MOST_MADE = 256


def _total(sizes: list[int]) -> int:
    total = 1
    for size in sizes[:-1]:
        total *= max(size, 1)
    return total


def _nested(
    method: MethodTranslator, instruction: Instruction, sizes: list[int], depth: int
) -> None:
    site = method.translation.site(method.method, -10 * (instruction.pc + 1) - depth)
    make(method, site, Value(integer(sizes[depth]), "I"))
    for index in range(sizes[depth] if depth + 1 < len(sizes) else 0):
        if not method.has_ended:
            _fill(method, instruction, sizes, depth, site, index)


def _fill(
    method: MethodTranslator,
    instruction: Instruction,
    sizes: list[int],
    depth: int,
    site: Site,
    index: int,
) -> None:
    """Put a new array into an element of the one on the stack."""
    _nested(method, instruction, sizes, depth + 1)
    if method.has_ended:
        return
    inner = method.pop()
    target = method.heap.element(site, method.stack[-1].expression, integer(index))
    if target is not None:
        method.effect([(target, inner.expression)])


def length(method: MethodTranslator, instruction: Instruction) -> None:
    of = method.pop()
    method.check_not_null(of)
    if method.at is None:
        return
    known = _known_length(method, of)
    if known is not None:
        method.push(integer(known), "I")
    else:
        method.assign_result(method.heap.length(of.expression), "I", "read length")


def _known_length(method: MethodTranslator, of: Value) -> int | None:
    """The length of an array of which it is known."""
    if not isinstance(of.expression, Constant):
        return None
    number = of.expression.value
    for key, (low, high) in method.numbers.of_site.items():
        if low <= number <= high:
            return method.translation.reachability.sites[key].length
    return None


def load(method: MethodTranslator, instruction: Instruction) -> None:
    index, of = method.pop().expression, method.pop()
    method.check_not_null(of)
    check_index(method, of, index)
    if method.at is None:
        return
    letters = _KINDS[instruction.operation[:2]]
    ways = [
        (guard, read(element))
        for guard, site in candidates(method, of, letters)
        if (element := method.heap.element(site, of.expression, index)) is not None
    ]
    if not ways:
        method.at = None
        return
    found = [
        method.translation.facts.elements.get(site.key)
        for _, site in candidates(method, of, letters)
    ]
    sites = None if None in found else frozenset[SiteKey | None]().union(*filter(None, found))
    method.assign_results(ways, kind_of(letters[0]), "read element", sites)


def store(method: MethodTranslator, instruction: Instruction) -> None:
    value, index, of = method.pop(), method.pop().expression, method.pop()
    method.check_not_null(of)
    check_index(method, of, index)
    letters = _KINDS[instruction.operation[:2]]
    if letters == "L[":
        _check_store(method, of, value)
    if method.at is None:
        return
    ways: list[tuple[Expression, list[tuple[Target, Expression]]]] = []
    for guard, site in candidates(method, of, letters):
        target = method.heap.element(site, of.expression, index)
        if target is not None:
            ways.append((guard, [(target, stored(value.expression, scalar_of(target)))]))
    if ways:
        method.effects(ways, "write element")
    else:
        method.at = None


def check_index(method: MethodTranslator, of: Value, index: Expression) -> None:
    if method.at is None:
        return
    known = _known_length(method, of)
    limit: Expression = integer(known) if known is not None else method.heap.length(of.expression)
    inside = compared(">=", index, integer(0))
    holds = conjunction(inside, compared("<", index, limit))
    if FALSE in (inside, holds):
        holds = FALSE
    method.check(holds, INDEX, "bounds")


def _check_store(method: MethodTranslator, of: Value, value: Value) -> None:
    """An array takes only what its elements may be, whatever the type of the variable is."""
    if isinstance(value.expression, Constant) and value.expression.value == 0:
        return
    holds: Expression = TRUE
    for guard, site in candidates(method, of, "L["):
        element = class_of_descriptor(site.type[1:])
        if element is None or element == OBJECT or guard == FALSE:
            continue
        fits = method.is_among(value, method.numbers.ranges(element))
        if fits == TRUE:
            continue
        null = compared("=", value.expression, integer(0))
        allowed = fits if null == FALSE else Binary("or", null, fits)
        one = allowed if guard == TRUE else Binary("implies", guard, allowed)
        holds = conjunction(holds, one)
    method.check(holds, ARRAY_STORE, "exception")


def candidates(method: MethodTranslator, of: Value, letters: str) -> list[tuple[Expression, Site]]:
    """The sites that may have made an array with elements of some type, and when it is theirs."""
    found = []
    for site in method.translation.array_sites:
        if site.type[1] in letters:
            guard = method.is_among(of, (method.numbers.of_site[site.key],))
            if guard != FALSE:
                found.append((guard, site))
    if len(found) == 1:
        return [(TRUE, found[0][1])]
    return found
