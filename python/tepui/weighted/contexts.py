"""Context-bounded analysis of threads with weights: R(S, T) of WPDS, section 4.4.

Threads share states and weights, and each has a stack of its own. R(S, T) is the combine of the
values of all runs from S to T with at most k contexts, that is, k - 1 switches. A configuration of
all threads is ⟨p | u₁, …, u_n⟩; as S and as T we take one set of configurations for each thread,
and mean those with ⟨p, u_i⟩ in the i-th set for all i.

Stacks of different threads are independent, so each thread is first analysed alone, only by the
sequences of its contexts (`one_thread`). Then threads are put together along all schedules at once.
What happens from some moment on depends only on the shared state, on the thread that ran last, and
on what is left to do for each thread. So for each combination of these, everything that happened
before is combined in one weight. Threads that are equal may trade places.

The paper puts all stacks on one tape and composes transducers on it (section 6.3); `one_tape` does
that, and tests compare the two.

Rules that merge are for calls that are never interrupted, so for at most two contexts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Generic, NamedTuple

from tepui.errors import ModelError, Stopped, UsageError
from tepui.limits import Limits, Meter, check_count
from tepui.weighted.configurations import Configurations
from tepui.weighted.domains.semiring import Semiring, W
from tepui.weighted.domains.tensor_sets import NumberedWeights, TensorSets
from tepui.weighted.one_thread import Alone, Rest, changes_by
from tepui.weighted.system import State, WeightedSystem


@dataclass(frozen=True)
class Threads(Generic[W]):
    """Pushdown systems over one domain that share their states."""

    systems: tuple[WeightedSystem[W], ...]
    switches: frozenset[State] | None = None
    """The states in which another thread may go on; None if that is allowed in all states."""

    def __post_init__(self) -> None:
        if not self.systems:
            raise ModelError("there is no thread")
        if not all(_same(system.domain, self.domain) for system in self.systems):
            raise ModelError("the weights of all threads must be of one domain")

    @property
    def domain(self) -> Semiring[W]:
        return self.systems[0].domain


def context_bounded(
    threads: Threads[W],
    start: Sequence[Configurations],
    target: Sequence[Configurations],
    contexts: int,
    limits: Limits | None = None,
) -> W:
    """The combined value of all runs from start to target with at most `contexts` contexts."""
    check_count("contexts", contexts)
    return _Schedules(threads, start, target, limits or Limits()).within(contexts)


def context_bounds(
    threads: Threads[W],
    start: Sequence[Configurations],
    target: Sequence[Configurations],
    limits: Limits | None = None,
) -> Iterator[tuple[int, W]]:
    """The same for 1, 2, … contexts, up to `max_contexts` of the limits, if it is set."""
    schedules = _Schedules(threads, start, target, limits or Limits())
    most = limits.max_contexts if limits is not None else None
    for contexts in count(1) if most is None else range(1, most + 1):
        yield contexts, schedules.within(contexts)


class _Moment(NamedTuple):
    """A point of a schedule: the shared state, who ran last, and what each thread has to do."""

    state: State
    last: int | None
    rests: tuple[Rest, ...]


class _Schedules(Generic[W]):
    """One question, for one bound after another."""

    def __init__(
        self,
        threads: Threads[W],
        start: Sequence[Configurations],
        target: Sequence[Configurations],
        limits: Limits,
    ) -> None:
        _require_one_for_each(threads, start, "start")
        _require_one_for_each(threads, target, "target")
        self._threads = threads
        self._meter = Meter(limits)
        self._checks = 0
        self._numbered = NumberedWeights(threads.domain, self._check_limits)
        self._tensor_sets = TensorSets(self._numbered)
        each = [
            _alone(threads, i, s, t) for i, (s, t) in enumerate(zip(start, target, strict=True))
        ]
        self._kinds: list[Alone[W]] = []
        """The threads without those that are equal to an earlier one."""
        for alone in each:
            if alone not in self._kinds:
                self._kinds.append(alone)
        self._kind_of = [self._kinds.index(alone) for alone in each]
        self._begun: dict[int, list[dict[State, Rest]]] = {}
        """What each of these threads may do, by the largest number of its contexts."""

    def within(self, contexts: int) -> W:
        """R(S, T) for this bound."""
        total = self._numbered.zero
        reached = self._before_all(self._contexts_of_one(contexts))
        for done in range(contexts + 1):
            for moment, weight in reached.items():
                if all(moment.state in rest.ends for rest in moment.rests):
                    total = self._numbered.combine(total, weight)
            if not reached or done == contexts:
                break
            reached = self._after_one_more(reached, contexts - done - 1)
        return self._numbered.weight(total)

    def _contexts_of_one(self, contexts: int) -> int:
        """The largest number of contexts of a thread: no two in a row, if there is another
        thread."""
        return (contexts + 1) // 2 if len(self._kind_of) > 1 else min(contexts, 1)

    def _before_all(self, most: int) -> dict[_Moment, int]:
        """The moments in which no thread has run yet."""
        if most not in self._begun:
            self._refuse_merges(most)
            self._begun[most] = [
                kind.rests(self._tensor_sets, most, self._limits()) for kind in self._kinds
            ]
        rests = [self._begun[most][kind] for kind in self._kind_of]
        return {
            _Moment(state, None, tuple(each[state] for each in rests)): self._numbered.one
            for state in rests[0]
            if all(state in each for each in rests)
        }

    def _after_one_more(self, reached: dict[_Moment, int], left: int) -> dict[_Moment, int]:
        """The moments after one more context, as far as the remaining contexts can suffice from
        there."""
        numbered = self._numbered
        after: dict[_Moment, int] = {}
        for place, (moment, weight) in enumerate(reached.items()):
            if place % 1024 == 0:
                self._check_limits()
            for following, more in self._steps(moment, left):
                extended = numbered.extend(weight, more)
                if extended != numbered.zero:
                    old = after.get(following, numbered.zero)
                    after[following] = numbered.combine(old, extended)
        return after

    def _steps(self, moment: _Moment, left: int) -> Iterator[tuple[_Moment, int]]:
        state, last, rests = moment
        switches = self._threads.switches
        if last is not None and switches is not None and state not in switches:
            return
        needed = sum(rest.least for rest in rests)
        for thread, rest in enumerate(rests):
            if thread != last:
                for step in rest.steps.get(state, ()):
                    if needed - rest.least + step.rest.least <= left:
                        yield self._moment(step.end, rests, thread, step.rest), step.weight

    def _moment(self, state: State, rests: tuple[Rest, ...], thread: int, rest: Rest) -> _Moment:
        """After a step of one thread; equal threads are in the order of what is left to do."""
        kind = self._kind_of[thread]
        equal = [place for place, other in enumerate(self._kind_of) if other == kind]
        following = [*rests[:thread], rest, *rests[thread + 1 :]]
        in_order = sorted((following[place] for place in equal), key=lambda each: each.number)
        for place, each in zip(equal, in_order, strict=True):
            following[place] = each
        return _Moment(state, equal[in_order.index(rest)], tuple(following))

    def _refuse_merges(self, most: int) -> None:
        for system in self._threads.systems:
            for rule in system.rules:
                if rule.merges and most > 1:
                    raise UsageError(
                        f"{rule} merges, so its call must not be interrupted: "
                        "ask for at most two contexts, or keep local variables on the stack"
                    )

    def _limits(self) -> Limits:
        return self._meter.rest()

    def _check_limits(self) -> None:
        if self._meter.is_out_of_time():
            raise Stopped.at_limit("time")
        self._checks += 1
        if self._checks % 16 == 0 and not self._meter.bytes_left():
            raise Stopped.at_limit("memory")


def _same(domain: Semiring[W], other: Semiring[W]) -> bool:
    """Whether two domains are the same. Domains without an `==` of their own are compared by
    attributes."""
    if type(domain) is type(other) and type(domain).__eq__ is object.__eq__:
        return getattr(domain, "__dict__", None) == getattr(other, "__dict__", None)
    return domain == other


def _alone(
    threads: Threads[W], thread: int, start: Configurations, target: Configurations
) -> Alone[W]:
    others = (system for number, system in enumerate(threads.systems) if number != thread)
    return Alone(threads.systems[thread], start, target, changes_by(others), threads.switches)


def _require_one_for_each(threads: Threads[W], given: Sequence[Configurations], what: str) -> None:
    number = len(threads.systems)
    if len(given) != number:
        raise UsageError(
            f"the {what} has {len(given)} sets of configurations; expected {number}, "
            "one for each thread"
        )
