"""All outcomes of a small concurrent Java program, by brute force.

Every access of a shared variable, and every action of a monitor, is one step; all interleavings of
steps are tried. Memory is sequentially consistent and threads wake up only when they are notified.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from support.generators.java_threads import SHARED, Statement

Instruction = tuple[Any, ...]
Values = tuple[Any, ...]


class Waits(NamedTuple):
    """How a thread waits: in which monitor, how often it had entered, and whether it has left the
    set of those that wait, notified or interrupted. In no monitor, it waits for another thread."""

    monitor: int | None
    entries: int = 0
    notified: bool = False
    thrown: bool = False


class Thread(NamedTuple):
    """Where a thread is (-1 before its start), its locals, what it has read last, how it waits, and
    whether it has been interrupted."""

    place: int = -1
    p: int = 0
    q: int = 0
    last: int = 0
    waits: Waits | None = None
    interrupted: bool = False


class State(NamedTuple):
    """All threads, the main thread last, shared variables, and for each monitor its owner and how
    often it has entered."""

    threads: tuple[Thread, ...]
    shared: Values = (0, 0, 0, 0)
    monitors: Values = (None, None, None)

    def with_thread(self, number: int, **changes: Any) -> State:
        changed = self.threads[number]._replace(**changes)
        return self._replace(threads=_with(self.threads, number, changed))


class Outcomes(NamedTuple):
    """The numbers that a program ends with, whether it may not end, and whether two threads can be
    about to access the same variable that is not volatile, one of them to write it."""

    ends: frozenset[int]
    deadlock: bool
    race: bool


def outcomes(threads: list[list[Statement]], most: int = 200_000) -> Outcomes | None:
    """All that can happen; None if there are too many states."""
    codes = [_code(each) for each in threads]
    count = len(codes)
    codes.append([("start", n) for n in range(count)] + [("join", n) for n in range(count)])
    first = State((*([Thread()] * count), Thread(0)))
    seen, waiting = {first}, [first]
    ends: set[int] = set()
    deadlock = race = False
    while waiting:
        state = waiting.pop()
        after = [each for n in range(count + 1) for each in _steps(state, n, codes)]
        over = all(
            thread.place == len(code) for thread, code in zip(state.threads, codes, strict=True)
        )
        if over:
            ends.add(_outcome(state))
        deadlock |= not after and not over
        race = race or _is_race(state, codes)
        waiting += set(after) - seen
        seen |= set(after)
        if len(seen) > most:
            return None
    return Outcomes(frozenset(ends), deadlock, race)


def _is_race(state: State, codes: list[list[Instruction]]) -> bool:
    seen: dict[int, bool] = {}
    for thread, code in zip(state.threads, codes, strict=True):
        kind, *of = code[thread.place] if 0 <= thread.place < len(code) else ("over",)
        if kind not in ("read", "write", "bump"):
            continue
        shared = of[1] if kind == "read" else of[0]
        if SHARED[shared] == "v":
            continue
        if shared in seen and (kind != "read" or seen[shared]):
            return True
        seen[shared] = seen.get(shared, False) or kind != "read"
    return False


def _outcome(state: State) -> int:
    x, y, v, a = (int(value) & 3 for value in state.shared)
    packed = x + 4 * y + 16 * v + 64 * a
    for thread in state.threads[:-1]:
        packed = packed * 16 + (thread.p & 3) * 4 + (thread.q & 3)
    return packed


def _steps(state: State, number: int, codes: list[list[Instruction]]) -> Iterator[State]:
    """The states after one step of a thread."""
    me, code = state.threads[number], codes[number]
    if me.place < 0 or me.place == len(code):
        return
    kind, *of = code[me.place]
    if kind == "wait" and me.waits is not None:
        yield from _waits(state, number, me.waits, len(code))
    elif kind == "wait" and me.interrupted:
        yield _thrown(state, number, len(code))
    elif kind in _MONITOR_STEPS:
        yield from _MONITOR_STEPS[kind](state, number, of[0])
    elif kind == "start":
        yield state.with_thread(of[0], place=0).with_thread(number, place=me.place + 1)
    elif kind == "join":
        yield from _join(state, number, of[0], codes)
    elif kind == "interrupt":
        other = state.threads[of[0]]
        alive = other.place != len(codes[of[0]])
        after = state.with_thread(of[0], interrupted=True) if alive else state
        yield after.with_thread(number, place=me.place + 1)
    else:
        yield _computed(state, number, kind, of)


def _join(state: State, number: int, other: int, codes: list[list[Instruction]]) -> Iterator[State]:
    """One who waits already may be interrupted even if the other thread ends before it goes on."""
    me, place = state.threads[number], state.threads[other].place
    ended = place in (-1, len(codes[other]))
    if ended:
        yield state.with_thread(number, place=me.place + 1, waits=None)
    elif me.waits is None and not me.interrupted:
        yield state.with_thread(number, waits=Waits(None))
    if me.interrupted and (me.waits or not ended):
        yield _thrown(state, number, len(codes[number]))


def _computed(state: State, number: int, kind: str, of: list[Any]) -> State:
    """A step of variables, which is always possible and has one outcome."""
    me = state.threads[number]
    after = state.with_thread(number, place=me.place + 1)
    match kind:
        case "read":
            return after.with_thread(number, **{of[0]: state.shared[of[1]]})
        case "set":
            return after.with_thread(number, **{of[0]: of[1]})
        case "write":
            value = getattr(me, of[1]) if isinstance(of[1], str) else of[1]
            return after._replace(shared=_with(state.shared, of[0], value))
        case "bump":
            return after._replace(shared=_with(state.shared, of[0], _int(me.last + 1)))
        case "unless":
            return after if getattr(me, of[0]) == of[1] else after.with_thread(number, place=of[2])
        case "jump":
            return after.with_thread(number, place=of[0])
    kind, local, *numbers = of
    value, result = _atomic(kind, state.shared[3], getattr(me, local), numbers)
    return after._replace(shared=_with(state.shared, 3, value)).with_thread(
        number, **{local: result}
    )


def _atomic(kind: str, value: int, local: int, numbers: list[int]) -> tuple[int, int]:
    """What the AtomicInteger holds afterwards, and what is stored in the local variable."""
    match kind:
        case "get":
            return value, value
        case "set":
            return local, local
        case "incrementAndGet":
            return _int(value + 1), _int(value + 1)
        case "getAndAdd":
            return _int(value + numbers[0]), value
    return (numbers[1], 1) if value == numbers[0] else (value, 0)


def _enter(state: State, number: int, monitor: int) -> Iterator[State]:
    owner = state.monitors[monitor]
    if owner is None or owner[0] == number:
        entries = 1 if owner is None else owner[1] + 1
        held = state._replace(monitors=_with(state.monitors, monitor, (number, entries)))
        yield held.with_thread(number, place=state.threads[number].place + 1)


def _leave(state: State, number: int, monitor: int) -> Iterator[State]:
    entries = state.monitors[monitor][1] - 1
    owner = (number, entries) if entries else None
    left = state._replace(monitors=_with(state.monitors, monitor, owner))
    yield left.with_thread(number, place=state.threads[number].place + 1)


def _waits(state: State, number: int, waits: Waits, end: int) -> Iterator[State]:
    """What a thread can do that waits in a monitor."""
    me, monitor = state.threads[number], waits.monitor
    assert monitor is not None
    if waits.notified:
        if state.monitors[monitor] is None:
            owner = (number, waits.entries)
            back = state._replace(monitors=_with(state.monitors, monitor, owner))
            if waits.thrown:
                yield _thrown(back, number, end)
            else:
                yield back.with_thread(number, place=me.place + 1, waits=None)
    elif me.interrupted:
        yield state.with_thread(number, waits=waits._replace(notified=True, thrown=True))


def _thrown(state: State, number: int, end: int) -> State:
    """A thread that has thrown an InterruptedException leaves all monitors, and ends."""
    monitors = tuple(each if each and each[0] != number else None for each in state.monitors)
    ended = state.with_thread(number, place=end, p=0, q=0, waits=None, interrupted=False)
    return ended._replace(monitors=monitors)


def _wait(state: State, number: int, monitor: int) -> Iterator[State]:
    waits = Waits(monitor, state.monitors[monitor][1])
    left = state._replace(monitors=_with(state.monitors, monitor, None))
    yield left.with_thread(number, waits=waits)


def _notify(state: State, number: int, monitor: int) -> Iterator[State]:
    after = state.with_thread(number, place=state.threads[number].place + 1)
    waiting = _waiting(state, monitor)
    for each in waiting:
        yield _woken(after, each)
    if not waiting:
        yield after


def _notify_all(state: State, number: int, monitor: int) -> Iterator[State]:
    after = state.with_thread(number, place=state.threads[number].place + 1)
    for each in _waiting(state, monitor):
        after = _woken(after, each)
    yield after


def _waiting(state: State, monitor: int) -> list[int]:
    return [
        number
        for number, thread in enumerate(state.threads)
        if thread.waits and thread.waits.monitor == monitor and not thread.waits.notified
    ]


def _woken(state: State, number: int) -> State:
    waits = state.threads[number].waits
    assert waits is not None
    return state.with_thread(number, waits=waits._replace(notified=True))


_MONITOR_STEPS: dict[str, Callable[[State, int, int], Iterator[State]]] = {
    "enter": _enter,
    "leave": _leave,
    "wait": _wait,
    "notify": _notify,
    "notifyAll": _notify_all,
}


def _with(values: tuple[Any, ...], at: int, value: object) -> tuple[Any, ...]:
    return (*values[:at], value, *values[at + 1 :])


def _int(value: int) -> int:
    return (value + 2**31) % 2**32 - 2**31


_MONITORS = {"L": 0, "M": 1, "R": 2}


def _code(statements: list[Statement]) -> list[Instruction]:
    code: list[Instruction] = []
    for each in statements:
        _add(code, each)
    return code


def _add(code: list[Instruction], statement: Statement) -> None:
    match statement:
        case ("read", local, shared):
            code.append(("read", local, SHARED.index(shared)))
        case ("write", shared, value):
            code.append(("write", SHARED.index(shared), value))
        case ("increment", shared):
            code.append(("read", "last", SHARED.index(shared)))
            code.append(("bump", SHARED.index(shared)))
        case ("if", local, value, body):
            at = len(code)
            code.append(("unless", local, value, 0))
            for each in body:
                _add(code, each)
            code[at] = ("unless", local, value, len(code))
        case ("monitor", monitor, body):
            _guarded(code, _MONITORS[monitor], body)
        case ("lock", body):
            _guarded(code, _MONITORS["R"], body)
        case ("await", monitor, shared, value):
            at = len(code)
            code.append(("read", "last", SHARED.index(shared)))
            code.append(("unless", "last", value, at + 3))
            code.append(("jump", at + 5))
            code.append(("wait", _MONITORS[monitor]))
            code.append(("jump", at))
        case ("wait" | "notify" | "notifyAll" as kind, monitor):
            code.append((kind, _MONITORS[monitor]))
        case _:
            code.append(statement)


def _guarded(code: list[Instruction], monitor: int, body: list[Statement]) -> None:
    code.append(("enter", monitor))
    for each in body:
        _add(code, each)
    code.append(("leave", monitor))
