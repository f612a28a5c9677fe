"""Evidence that was damaged at random: some of it still proves something, most of it does not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random
from typing import Any, TypeVar

from tepui.checker.certificates.orbits import OrbitCertificate
from tepui.checker.certificates.states import Certificate
from tepui.checker.packed_rows import PackedRows, tightly_packed
from tepui.checker.programs.state_tables import ProgramTables
from tepui.model import Pattern, Property
from tepui.program.layout import Frame, SameAs

Listing = Certificate | OrbitCertificate

_Item = TypeVar("_Item")


def damaged(rng: Random, evidence: Listing) -> Listing:
    """The same evidence with one or two faults."""
    faults: list[Callable[[Random, Listing], Listing]] = [
        _with_other_states,
        _with_other_states,
        _with_other_rows,
        _with_other_locals,
        _with_other_groups,
    ]
    if isinstance(evidence, Certificate):
        faults += [_with_other_cut, _with_other_below]
    for _ in range(rng.choice((1, 1, 2))):
        evidence = rng.choice(faults)(rng, evidence)
    return evidence


def damaged_tables(rng: Random, tables: ProgramTables) -> ProgramTables:
    """The same tables with one fault."""
    if rng.random() < 0.5:
        return replace(tables, shared=_other_list(rng, tables.shared, _other_values))
    kind = rng.randrange(len(tables.frames))
    frames = _other_list(rng, tables.frames[kind][1:], _other_frame)
    other = (Frame(0), *frames)  # The first stands for the empty stack.
    return replace(tables, frames=_with(tables.frames, kind, other))


def damaged_property(rng: Random, asked: Property, classes: int) -> Property:
    """Another property about the same threads."""
    if not asked.patterns or rng.random() < 0.3:
        return replace(asked, deadlock=not asked.deadlock)
    patterns = list(asked.patterns)
    place = rng.randrange(len(patterns))
    if rng.random() < 0.2:
        del patterns[place]
        return replace(asked, patterns=tuple(patterns))
    tops = list(patterns[place].tops)
    tops[rng.randrange(len(tops))] = rng.choice((None, rng.randrange(classes)))
    patterns[place] = Pattern(patterns[place].shared, tuple(tops))
    return replace(asked, patterns=tuple(patterns))


def _with_other_states(rng: Random, evidence: Listing) -> Listing:
    states = [*evidence.states]
    if not states or not all(states):  # Some state may have lost all its entries already.
        return evidence
    place = rng.randrange(len(states))
    match rng.randrange(5):
        case 0:
            del states[place]
        case 1:
            states.append(states[place])
        case 2:
            states[place] = states[place][: rng.randrange(len(states[place]))]
        case _:
            states[place] = _other_row(rng, states[place])
    return replace(evidence, states=tuple(states))


def _other_row(rng: Random, row: tuple[int, ...]) -> tuple[int, ...]:
    place = rng.randrange(len(row))
    if rng.random() < 0.2:
        rest = list(row[1:])
        rng.shuffle(rest)
        return (row[0], *rest)
    near = (row[place] + 1, max(0, row[place] - 1), rng.randrange(4))
    return _with(row, place, rng.choice((*near, *near, -1, 10**6, 2**40)))


def _with_other_rows(rng: Random, evidence: Listing) -> Listing:
    """Damage packed rows, or only pack them."""
    try:
        rows = tightly_packed(evidence.states, len(evidence.states[0]) if evidence.states else 1)
        known = 1 + max((row[0] for row in rows), default=0)
    except (OverflowError, ValueError):
        return evidence
    data, first = bytearray(rows.data), rows.first
    if data and rng.random() < 0.7:
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    if rng.random() < 0.3:
        first = tuple(range(known))[: rng.choice((known, known, known - 1))]
    if first and rng.random() < 0.3:
        first = _with(first, rng.randrange(len(first)), rng.randrange(len(first)))
    return replace(evidence, states=PackedRows(rows.length, rows.bits, bytes(data), first))


def _with_other_locals(rng: Random, evidence: Listing) -> Listing:
    if not evidence.locals:
        return evidence
    number = rng.randrange(len(evidence.locals))
    if rng.random() < 0.05:
        return replace(evidence, locals=evidence.locals[:-1])
    table = _other_list(rng, evidence.locals[number], _other_local)
    return replace(evidence, locals=_with(evidence.locals, number, tuple(table)))


def _other_local(rng: Random, local: tuple[tuple[int, ...], bool]) -> tuple[tuple[int, ...], bool]:
    word, more = local
    match rng.randrange(4):
        case 0:
            return word, not more
        case 1:
            return word[1:], more
        case 2 if word:
            return _with(word, rng.randrange(len(word)), rng.choice((0, 1, 2, 3, -1, 10**6))), more
        case _:
            return (*word, rng.choice(word or (1,))), more


def _with_other_groups(rng: Random, evidence: Listing) -> Listing:
    groups = [list(group) for group in evidence.groups]
    if not groups:
        return evidence
    one, other = rng.choice(groups), rng.choice(groups)
    match rng.randrange(4):
        case 0 if one:
            one.pop()
        case 1 if one and one is not other:
            other.append(one.pop())
            other.sort()
        case 2:
            one.reverse()
        case _:
            rng.shuffle(groups)
    return replace(evidence, groups=tuple(map(tuple, groups)))


def _with_other_cut(rng: Random, evidence: Listing) -> Listing:
    assert isinstance(evidence, Certificate)
    match rng.randrange(3):
        case 0:
            return replace(evidence, depth=evidence.depth + rng.choice((-1, 1)))
        case 1:
            return replace(evidence, flags=not evidence.flags)
        case _:
            return replace(evidence, kind="cut" if evidence.kind == "states" else "states")


def _with_other_below(rng: Random, evidence: Listing) -> Listing:
    assert isinstance(evidence, Certificate)
    if not evidence.below:
        return evidence
    number = rng.randrange(len(evidence.below))
    pairs = set(evidence.below[number])
    if pairs and rng.random() < 0.6:
        pairs.discard(rng.choice(sorted(pairs)))
    else:
        pairs.add((rng.choice((0, 1, 2, 10**6)), rng.choice((0, 1, 2, -1))))
    return replace(evidence, below=_with(evidence.below, number, frozenset(pairs)))


def _other_values(rng: Random, values: Sequence[Any]) -> tuple[Any, ...]:
    if not values or rng.random() < 0.1:
        return (*values, 0)
    other = rng.choice((0, 1, 2, -1, None, SameAs(0), SameAs(1), 2**70))
    return _with(tuple(values), rng.randrange(len(values)), other)


def _other_frame(rng: Random, frame: Frame) -> Frame:
    match rng.randrange(4):
        case 0:
            return replace(frame, point=rng.choice((frame.point + 1, 0, -1, 10**6)))
        case 1:
            return replace(frame, below=None if frame.below else Frame(frame.point, frame.values))
        case _:
            return replace(frame, values=_other_values(rng, frame.values))


def _other_list(
    rng: Random, items: Sequence[_Item], other: Callable[[Random, _Item], _Item]
) -> list[_Item]:
    found = list(items)
    if not found:
        return found
    place = rng.randrange(len(found))
    match rng.randrange(4):
        case 0:
            del found[place]
        case 1:
            found.append(found[place])
        case _:
            found[place] = other(rng, found[place])
    return found


def _with(items: Sequence[_Item], place: int, item: _Item) -> tuple[_Item, ...]:
    return (*items[:place], item, *items[place + 1 :])
