"""The net of threads of some kinds, found thread by thread, from what one thread does.

A token is the shared state, or a thread. The net has a place for each shared state and for each
state of a thread that were found, and a transition for each step of a thread in a shared state. A
*pair* is a shared state and a state of a thread that may be there at the same time. Pairs are
closed under three rules: the initial shared state is with each initial state of a thread; if a step
leads from (g, u) to g', then g' is with what becomes of u, and with what the step has added; and
then g' is also with every v that is with g, unless u and v are of a kind that has one thread only.
`programs.program_net` has the proof that this is enough, and `system_net` says what a thread is in
a system.

Nothing leads out of the pairs. So they give control states that need no check: each shared state,
and what is in pairs with it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Generic, NamedTuple, Protocol, TypeVar

from tepui.checker.covering import ControlStates, NetInvariant, UpwardClosed, check_closed
from tepui.checker.patience import STEPS_PER_PAIR, Patience
from tepui.errors import ModelError
from tepui.model.net import Marking, Net, Row, Transition
from tepui.records import record


class NoNet(ModelError):  # noqa: N818 - nothing is wrong with the model
    """The model is not known to be one of which only the numbers of threads matter, and why."""


class TooManyPairs(NoNet):
    """There are more pairs than were allowed."""


class OfKind(Protocol):
    """A state of a thread, which is of a kind."""

    @property
    def kind(self) -> int: ...

    def __hash__(self) -> int: ...


_Shared = TypeVar("_Shared", bound=Hashable)
_Local = TypeVar("_Local", bound=OfKind)


class Threads(Protocol[_Shared, _Local]):
    """What one thread does."""

    @property
    def counts(self) -> Sequence[int | None]:
        """How many threads of each kind there are in the beginning; None is any number. Kinds that
        follow these have none."""

    def initial(self) -> tuple[_Shared, list[_Local]]:
        """The initial shared state, and how a thread of each kind begins."""

    def steps(self, shared: _Shared, local: _Local) -> Sequence[tuple[_Shared, tuple[_Local, ...]]]:
        """All steps of a thread: the shared state after each, and the threads that are there in
        place of this one."""


@record
class ThreadNet:
    """A net whose first places are shared states, and all others are threads."""

    net: Net
    invariants: tuple[NetInvariant, ...]
    """What is known to hold."""
    control: ControlStates

    @property
    def pairs(self) -> int:
        """How many pairs of a shared state and a state of a thread there are."""
        return sum(len(others) for _, others in self.control.states)

    def check(
        self,
        minimal: tuple[Marking, ...],
        invariants: tuple[NetInvariant, ...],
        go_on: Callable[[], bool],
    ) -> None:
        """Return if these are the minimal elements of a set that contains all that is bad, and
        nothing reachable, among what may be reachable by further invariants as well; an
        EvidenceError if not."""
        certificate = UpwardClosed(minimal, invariants, self.control)
        check_closed(self.net, certificate, self.invariants, go_on)


class Step(NamedTuple):
    """A step of a thread in a shared state, both of which it takes away, and what it puts there."""

    shared: int
    local: int
    after: int
    tokens: tuple[int, ...]


class PairSearch(Generic[_Shared, _Local]):
    """Finds all pairs. Sets of states of threads are bits of a number."""

    def __init__(
        self, threads: Threads[_Shared, _Local], patience: Patience, most: int | None
    ) -> None:
        self._threads = threads
        self._patience = patience
        self._left = most
        self.shared: list[_Shared] = []
        self.locals: list[_Local] = []
        self.steps: list[Step] = []
        self.beside: list[int] = []
        """For each shared state, the states of threads that are with it."""
        self._shared_numbers: dict[_Shared, int] = {}
        self._local_numbers: dict[_Local, int] = {}
        self._of_kind: dict[int, int] = {}
        """For each kind, the states of its threads."""
        self._seen: list[int] = []
        """For each shared state, what was looked at."""
        self._leading: list[dict[tuple[int, int | None], None]] = []
        """For each shared state, those to which steps lead, each with the kind of the thread, if it
        is the only one of its kind."""
        self._open: dict[int, None] = {}
        """The shared states with something that was not looked at."""

    def run(self) -> list[int]:
        """Find all pairs; the result is how a thread of each kind begins."""
        shared, begun = self._threads.initial()
        numbers = [self._local(local) for local in begun]
        counts = self._threads.counts
        present = [number for number, count in zip(numbers, counts, strict=True) if count != 0]
        self._put(self._number(shared), _bits(present))
        while self._open:
            at = next(iter(self._open))
            del self._open[at]
            new = self.beside[at] & ~self._seen[at]
            self._seen[at] |= new
            for after, alone in self._leading[at]:
                self._put(after, self._others(new, alone))
            for number in _numbers(new):
                self._look_at(at, number)
        return numbers

    def _look_at(self, at: int, number: int) -> None:
        self._patience.spend(STEPS_PER_PAIR)
        if self._left is not None:
            self._left -= 1
            if self._left < 0:
                raise TooManyPairs("there are too many states of threads")
        kind = self.locals[number].kind
        counts = self._threads.counts
        alone = kind if kind < len(counts) and counts[kind] == 1 else None
        for shared, tokens in self._threads.steps(self.shared[at], self.locals[number]):
            after = self._number(shared)
            put = tuple(map(self._local, tokens))
            self.steps.append(Step(at, number, after, put))
            self._put(after, _bits(put))
            if after != at and (after, alone) not in self._leading[at]:
                self._leading[at][after, alone] = None
                self._put(after, self._others(self._seen[at], alone))

    def _others(self, some: int, alone: int | None) -> int:
        """States of threads, without those of a kind that has one thread only."""
        return some if alone is None else some & ~self._of_kind[alone]

    def _put(self, shared: int, some: int) -> None:
        """Some states of threads are with a shared state."""
        self.beside[shared] |= some
        if self.beside[shared] & ~self._seen[shared]:
            self._open[shared] = None

    def _number(self, shared: _Shared) -> int:
        number = self._shared_numbers.setdefault(shared, len(self.shared))
        if number == len(self.shared):
            self.shared.append(shared)
            self.beside.append(0)
            self._seen.append(0)
            self._leading.append({})
        return number

    def _local(self, local: _Local) -> int:
        number = self._local_numbers.setdefault(local, len(self.locals))
        if number == len(self.locals):
            self.locals.append(local)
            self._of_kind[local.kind] = self._of_kind.get(local.kind, 0) | 1 << number
        return number

    def net(
        self,
        name: str,
        begun: Sequence[int],
        places: tuple[str, ...],
        initial: Sequence[tuple[int, int | None]],
        targets: Iterable[Marking],
    ) -> ThreadNet:
        """What was found, as a net. `begun` is how a thread of each kind begins, and `initial` with
        how many of them, at least and at most; `targets` are the markings that are bad."""
        first = len(self.shared)
        if len(set(places)) < len(places):
            raise NoNet(f"{name} has two states with one name")
        counts: list[tuple[int, int | None]] = [(0, 0)] * len(places)
        counts[0] = 1, 1
        for number, most in zip(begun, initial, strict=True):
            counts[first + number] = most
        net = Net(
            name,
            places,
            tuple(counts),
            tuple(_transition(places, first, step) for step in self.steps),
            tuple(dict.fromkeys(targets)),
        )
        states = (
            (((number, 1),), tuple(first + local for local in _numbers(beside)))
            for number, beside in enumerate(self.beside)
        )
        return ThreadNet(
            net,
            tuple(self._invariants(first, initial)),
            ControlStates(tuple(range(first)), tuple(states)),
        )

    def _invariants(
        self, first: int, initial: Sequence[tuple[int, int | None]]
    ) -> Iterator[NetInvariant]:
        """Of each kind that has a number of threads, there are never more than in the beginning:
        steps add others."""
        for kind, (_, most) in enumerate(initial):
            if most is not None:
                own = (int(local.kind == kind) for local in self.locals)
                yield NetInvariant((*[0] * first, *own), most)


def _transition(places: Sequence[str], first: int, step: Step) -> Transition:
    changes = Counter({step.shared: -1})
    changes[step.after] += 1
    changes[first + step.local] -= 1
    changes.update(first + token for token in step.tokens)
    return Transition(
        ((step.shared, 1), (first + step.local, 1)),
        tuple(Row(place, (place,), change) for place, change in sorted(changes.items()) if change),
        f"the step of {places[first + step.local]} in {places[step.shared]}",
    )


def _bits(numbers: Iterable[int]) -> int:
    found = 0
    for number in numbers:
        found |= 1 << number
    return found


def _numbers(bits: int) -> list[int]:
    """The numbers of the bits that are set."""
    return [number for number, bit in enumerate(reversed(f"{bits:b}")) if bit == "1"]
