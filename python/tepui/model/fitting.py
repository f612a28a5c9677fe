"""Does a property belong to a system? Users make properties of numbers, which may be any."""

from __future__ import annotations

from collections.abc import Callable

from tepui.errors import ModelError
from tepui.model.property import Pattern, Property, Reach
from tepui.model.stack_sets import StackSet
from tepui.model.system import System


def refuse_others(system: System, asked: Property) -> None:
    """A ModelError if a property names threads, shared states or symbols that are not there."""
    counts = [system.class_count(template) for template in system.threads]
    patterns, reaches = asked.patterns, asked.reaches
    if not (
        isinstance(asked.deadlock, bool)
        and _are(Pattern, patterns)
        and _are(Reach, reaches)
        and all(_is_number(one.shared, len(system.shared)) for one in patterns)
        and all(_is_number(one.shared, len(system.shared)) for one in reaches)
        and all(_match(pattern.tops, counts, _is_number) for pattern in patterns)
        and all(_match(reach.stacks, counts, _is_set) for reach in reaches)
    ):
        raise ModelError(f"the property names states that {system.name} does not have")


def _are(kind: type, values: object) -> bool:
    return isinstance(values, tuple) and all(isinstance(value, kind) for value in values)


def _match(values: object, counts: list[int], fits: Callable[[object, int], bool]) -> bool:
    """Whether there is a value for each thread that fits the number of its symbols."""
    if not isinstance(values, tuple) or len(values) != len(counts):
        return False
    return all(map(fits, values, counts))


def _is_number(value: object, count: int) -> bool:
    return value is None or (isinstance(value, int) and 0 <= value < count)


def _is_set(value: object, count: int) -> bool:
    if not isinstance(value, StackSet):
        return value is None
    return all(_is_number(symbol, count) for edges in value.edges for symbol, _ in edges)
