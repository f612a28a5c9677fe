"""Brute force for systems with some numbers of threads: naive, slow, obviously right.

States are a shared state and whole stacks; nothing of tepui is used.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import permutations

from support.generators.open_systems import OpenBlock, OpenDraft, Tops

State = tuple[str, tuple[tuple[str, ...], ...]]


class TooManyStatesError(Exception):
    """There are more states than the caller wants to wait for."""


def is_bad_reachable(
    draft: OpenDraft, counts: Mapping[str, int], depth: int, most: int
) -> bool | None:
    """Whether something bad is reachable with these numbers of threads; None if that is not known,
    since stacks higher than `depth` were left out."""
    threads = [
        block
        for block in draft.blocks
        for _ in range(counts[block.name] if block.count is None else block.count)
    ]
    first: State = ("q0", tuple(thread.stack for thread in threads))
    seen, found, dropped = {_sorted(first, threads)}, [first], False
    for state in found:  # Grows while it is walked.
        if _is_bad(draft, counts, threads, state):
            return True
        for after in _steps(threads, state):
            if any(len(stack) > depth for stack in after[1]):
                dropped = True
                continue
            key = _sorted(after, threads)
            if key not in seen:
                seen.add(key)
                found.append(after)
                if len(found) > most:
                    raise TooManyStatesError
    return None if dropped else False


def _steps(threads: list[OpenBlock], state: State) -> Iterator[State]:
    shared, stacks = state
    for number, thread in enumerate(threads):
        stack = stacks[number]
        for source, top, target, word in thread.rules:
            if source == shared and top == (stack[0] if stack else None):
                yield target, (*stacks[:number], word + stack[1:], *stacks[number + 1 :])


def _kind(block: OpenBlock) -> object:
    """What equal threads share, whatever their blocks are."""
    return block.stack, frozenset(block.rules)


def _sorted(state: State, threads: list[OpenBlock]) -> State:
    """The state, in which the order of equal threads does not matter."""
    shared, stacks = state
    pairs = zip(threads, stacks, strict=True)
    names = sorted(
        (repr((thread.stack, sorted(map(repr, thread.rules)))), s) for thread, s in pairs
    )
    return shared, tuple(stack for _, stack in names)


def _is_bad(
    draft: OpenDraft, counts: Mapping[str, int], threads: list[OpenBlock], state: State
) -> bool:
    return any(
        chosen in (None, state[0]) and _matches(draft, counts, threads, tops, state[1])
        for chosen, tops in draft.bad
    )


def _matches(
    draft: OpenDraft,
    counts: Mapping[str, int],
    threads: list[OpenBlock],
    tops: tuple[Tops, ...],
    stacks: tuple[tuple[str, ...], ...],
) -> bool:
    """Whether all that is named is there, each a thread of its own; equal threads stand for each
    other."""
    wanted: dict[object, list[str | None]] = {}
    for block, some in zip(draft.blocks, tops, strict=True):
        if block.count is None and len(some) > counts[block.name]:
            return False
        wanted.setdefault(_kind(block), []).extend(some)
    have: dict[object, list[str]] = {}
    for thread, stack in zip(threads, stacks, strict=True):
        have.setdefault(_kind(thread), []).append(stack[0] if stack else "-")
    return all(
        any(
            all(want in (None, top) for want, top in zip(some, chosen, strict=True))
            for chosen in permutations(have.get(kind, []), len(some))
        )
        for kind, some in wanted.items()
    )
