"""`tepui.watch`: a sequence seen through an abstraction that a user writes in Python.

The states of R_k, or of R(r, d), are mapped to abstract states while the bound grows. DrUBA
(sections 3 and 4) waits for a plateau of these: one more context, or one more round and n − 1 more
delays, show no new abstract state. If every action respects the abstraction, such a plateau is
final (Theorem 7). Here, respect is only tested on the explored states. So a plateau is no proof,
and no run answers «safe». A plateau that is known to end, because a step leads from an explored
state to a new abstract state, is passed over.

Equal threads are not interchanged: an abstraction may tell them apart.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from functools import cache
from typing import Any, Literal, get_args

from tepui.doors import door
from tepui.engines.delay import DelayEngine
from tepui.engines.engine import Engine, Observation
from tepui.engines.finite_context import finite_contexts
from tepui.engines.kernel_engine import ListingEngine
from tepui.engines.registry import EngineKind, Request, engine_kinds, kind_of, names_of, usual
from tepui.engines.sequences import DelaySequence, Direction, walk
from tepui.errors import AT_LIMIT, UsageError
from tepui.kernels.door import KernelLimits, Outcome
from tepui.kernels.lowered_system import lower
from tepui.kernels.program_fields import LoweringOptions
from tepui.limits import Limits, Meter, check_count, peak_memory, reached_limit
from tepui.model import System
from tepui.program.program import Program
from tepui.result import Stop
from tepui.watching.abstraction import BAD, Abstraction, State, Watched
from tepui.watching.respect import Respect
from tepui.watching.views import stacks_of_tops
from tepui.watching.violation import violation_by
from tepui.watching.watch_result import (
    AbstractObservation,
    Bound,
    Disrespect,
    RespectSeen,
    WatchResult,
    WatchVerdict,
)
from tepui.words import plural

WatchUntil = Literal["plateau", "collapse"]

_STATES_AT_A_TIME = 500
"""After this number of states, memory is measured."""


@door
def watch(
    system: System | Program,
    abstraction: Callable[[Any], Hashable],
    bad: Callable[[Any], object] | None = None,
    *,
    of: Watched = "states",
    engine: str = usual("delays").name,
    until: WatchUntil = "plateau",
    decide_first: bool = False,
    rounds: int | None = None,
    limits: Limits | None = None,
) -> WatchResult:
    """Explore under a growing bound, and look at the states through an abstraction.

    `abstraction` is given a view of each state (see `views`), or with `of="visible"` of each
    visible state, and returns its abstract state: anything that can be put into a set. `bad` is
    given the same, and says whether it is a violation. Both must depend only on what they are
    given, and are called once for each state.

    A run ends with a violation, at a plateau (with `until="collapse"` only if nothing else is
    reachable), or at a limit. `rounds` is a limit for the delay engine: the run ends where
    Algorithm 1 would go on to one more round, with the delays that it has reached by then. More
    delays might still show something. Other engines have `limits.max_contexts`.

    In a program, a variable that may have any value has none until it is read; it is shown as None.
    With `decide_first` it gets a value at once, by steps of its own.

    >>> program = tepui.load("examples/bluetooth1.bp")
    >>> seen = tepui.watch(program, lambda state: (state["stoppingFlag"], state["stopped"]))
    >>> seen.verdict, len(seen.abstract_states)
    ('plateau', 2)
    """
    _check_choices(of, engine, until, rounds)
    if isinstance(system, Program):
        # Local variables keep their values: an abstraction may look at values that are never read.
        # Copies have values, too: it may compare them.
        options = LoweringOptions(liveness=False, decide_first=decide_first, share=False)
        system = lower(system, options)
    limits = Limits() if limits is None else limits
    by_delays = kind_of(engine).counts == "delays"
    if by_delays and limits.max_contexts is not None:
        raise UsageError(f"max_contexts is not for the {engine} engine: limit it with rounds")
    most = rounds if by_delays else limits.max_contexts
    watched = Abstraction(system, abstraction, bad, of)
    return _Watch(system, watched, engine, until, most, limits).seen()


class _Watch:
    """One run: explore, look at what is new, and see whether there is a plateau."""

    def __init__(
        self,
        system: System,
        abstraction: Abstraction,
        engine: str,
        until: WatchUntil,
        most: int | None,
        limits: Limits,
    ) -> None:
        self.system = system
        self.abstraction = abstraction
        self.until = until
        self.most = most
        """How many rounds, or contexts, there may be."""
        self.limits = limits
        self.meter = Meter(limits)
        self.name = engine
        self.engine = _engine(system, engine, self.meter)
        self.respect: Respect | None = None
        if isinstance(self.engine, ListingEngine):
            self.respect = Respect(system, abstraction.abstract)
        self.looked_at = 0
        self.found: set[int] = set()
        """The abstract states of the states that were looked at, by number."""
        self.observations: list[AbstractObservation] = []
        self.sequence = DelaySequence(len(system.threads) if self._has_delays else 1)
        """Where abstract states have grown."""
        self.plateaus: list[Bound] = []
        self.bad: State | None = None

    def seen(self) -> WatchResult:
        """Run to the end, whatever that is; Ctrl-C is one of the limits."""
        stop = None
        try:
            self._climb()
        except _LimitReached as reached:
            stop = reached.stop
        except (KeyboardInterrupt, *AT_LIMIT) as error:
            self.meter.stopped = reached_limit(error)
            stop = Stop.at_limit(self.meter.stopped, self.limits)
        seen = self._result(stop)
        if self.bad is not None:
            self._add_trace(seen, self.bad)
        if self.abstraction.without_value:
            names = ", ".join(self.abstraction.without_value)
            seen.notes.append(
                f"these variables were None where nothing had read them yet: {names}; "
                "with decide_first=True they get one at once"
            )
        seen.seconds = self.meter.seconds()
        seen.peak_memory_bytes = peak_memory()
        return seen

    def _climb(self) -> None:
        """Algorithm 1 of DrUBA. Contexts have one dimension, and are raised as the rounds of a
        single thread are."""
        self._look()
        for direction in walk(self.sequence.threads, lambda: self.sequence.has_grown):
            if self.bad is not None or self._is_at_the_end():
                return
            self._raise(direction)
            self._look()

    def _is_at_the_end(self) -> bool:
        """Whether there is a plateau, and it may be the last one."""
        if not self.sequence.has_plateau:
            return False
        start = self.observations[self.sequence.last_growth].bound
        if start not in self.plateaus:
            self.plateaus.append(start)
        if self.until == "collapse":
            return self._has_collapsed()
        return self.respect is None or self.respect.has_only_known_ahead()

    def _raise(self, direction: Direction) -> None:
        """Raise a bound by one."""
        reached = self.sequence.bounds[-1][0]
        if direction == "rounds" and reached == self.most:
            raise _LimitReached(self._at_most(reached))
        count = len(self.engine.observations)
        while len(self.engine.observations) == count:
            outcome = self._advance(direction, self.meter.for_kernel(self.engine.bytes))
            if outcome not in ("done", "paused"):
                raise _LimitReached(Stop.at_limit(outcome, self.limits))

    def _at_most(self, most: int) -> Stop:
        """No more rounds, or contexts, than this."""
        kind: Literal["rounds", "contexts"] = "rounds" if self._has_delays else "contexts"
        noun = plural(most, kind.removesuffix("s"))
        return Stop(kind, f"the limit of {most} {noun} was reached", most)

    def _advance(self, direction: Direction, limits: KernelLimits) -> Outcome:
        if not isinstance(self.engine, DelayEngine):
            return self.engine.advance(limits)
        if direction == "rounds":
            return self.engine.add_round(limits)
        return self.engine.add_delay(limits)

    def _look(self) -> None:
        """Look at what the last bound has added."""
        before = len(self.found)
        for number, state in enumerate(self._new_states()):
            if number:
                self._check_limits(number)
            abstract_state = self.abstraction.abstract(state)
            if abstract_state == BAD:
                self.bad = state
                break
            self.found.add(abstract_state)
            if self.respect is not None:
                self.respect.look(state)
        last = self._last
        states = last.states if self.abstraction.of == "states" else last.visible
        now = len(self.found)
        self.observations.append(AbstractObservation(self._bound, states, now, now - before))
        self.sequence.add(_pair(self._bound), now)

    def _new_states(self) -> list[State]:
        """The states, or visible states, that were not looked at."""
        last = self._last
        if self.respect is None:
            rows = self.engine.list_visible(last.k)
            states = [(row[0], stacks_of_tops(row[1:])) for row in rows]
            return [state for state in states if not self.abstraction.is_known(state)]
        if last.states == self.looked_at:
            return []
        assert isinstance(self.engine, ListingEngine)
        new = self.engine.list_states(last.k, self.looked_at)
        self.looked_at += len(new)
        return new

    @property
    def _last(self) -> Observation:
        return self.engine.observations[-1]

    @property
    def _has_delays(self) -> bool:
        return isinstance(self.engine, DelayEngine)

    @property
    def _bound(self) -> Bound:
        last = self._last
        return last.k if last.delays is None else (last.delays.rounds, last.delays.delays)

    def _has_collapsed(self) -> bool:
        """Whether everything reachable was looked at: every step from there leads back, or the
        engine says so."""
        if self.bad is not None or len(self.observations) < len(self.engine.observations):
            return False
        return self.engine.has_collapsed if self.respect is None else self.respect.is_closed

    def _check_limits(self, number: int) -> None:
        """Look at the limits before one more state; memory is not measured for each of them."""
        if self.meter.is_out_of_time():
            raise _LimitReached(Stop.at_limit("time", self.limits))
        if number % _STATES_AT_A_TIME == 0 and self.meter.bytes_left() == 0:
            raise _LimitReached(Stop.at_limit("memory", self.limits))

    def _result(self, stop: Stop | None) -> WatchResult:
        verdict: WatchVerdict = "plateau" if stop is None else "stopped"
        disrespectful = tuple(self._disrespectful())
        respect: RespectSeen = "disrespected" if disrespectful else "observed"
        return WatchResult(
            verdict=verdict if self.bad is None else "violation",
            system=self.system,
            engine=self.name,
            of=self.abstraction.of,
            observations=self.observations,
            abstract_states=frozenset(map(self.abstraction.value, self.found)),
            plateaus=self.plateaus,
            respect="unchecked" if self.respect is None else respect,
            disrespectful=disrespectful,
            collapsed=self._has_collapsed(),
            bad_state=None if self.bad is None else self.abstraction.view(self.bad),
            stop=stop,
        )

    def _disrespectful(self) -> Iterator[Disrespect]:
        if self.respect is None:
            return
        view, value = self.abstraction.view, self.abstraction.value
        for pair in self.respect.pairs():
            yield Disrespect(
                kind=pair.kind,
                thread=self.system.thread_names[pair.thread],
                action=self.respect.actions.text(pair.thread, pair.action),
                abstract_state=value(pair.abstract_state),
                states=(view(pair.states[0]), view(pair.states[1])),
                after=(
                    frozenset(map(value, pair.after[0])),
                    frozenset(map(value, pair.after[1])),
                ),
            )

    def _add_trace(self, seen: WatchResult, bad: State) -> None:
        part = self.abstraction.part(bad)
        result = violation_by(self.name, self.engine, part, self.abstraction.of, self.meter)
        seen.trace, seen.checked = result.trace, result.checked
        seen.notes += result.notes


class _LimitReached(Exception):  # noqa: N818 - it is one of the ways in which a run ends
    def __init__(self, stop: Stop) -> None:
        super().__init__(stop.text)
        self.stop = stop


def _check_choices(of: str, engine: str, until: str, rounds: int | None) -> None:
    for name, chosen, choices in (
        ("of", of, get_args(Watched)),
        ("engine", engine, tuple(kind.name for kind in _watched_with())),
        ("until", until, get_args(WatchUntil)),
    ):
        if chosen not in choices:
            raise UsageError(f"{name} is {chosen!r}; expected one of {', '.join(choices)}")
    if of == "states" and not kind_of(engine).lists_states:
        others = names_of(kind for kind in _watched_with() if kind.lists_states)
        raise UsageError(
            f"the {engine} engine does not list states: with it, watch visible states "
            f'(of="visible"), or choose one of {others}'
        )
    check_count("rounds", rounds)
    if rounds is not None and kind_of(engine).counts != "delays":
        raise UsageError(
            f"the {engine} engine has no rounds: limit it with limits=tepui.Limits(max_contexts=…)"
        )


def _watched_with() -> Iterator[EngineKind]:
    """The engines that show what they explore, without conclusions of their own."""
    return (kind for kind in engine_kinds() if not kind.closes)


def _engine(system: System, name: str, meter: Meter) -> Engine:
    finite = cache(lambda: finite_contexts(system, limits=lambda: meter.for_kernel(0)))
    kind, request = kind_of(name), Request(system, finite, symmetry=False)
    if infinite := kind.infinite_in(request):
        raise UsageError(
            f"thread {infinite[0]} may reach infinitely many stacks within one context: "
            f"the {usual('delays').name} engine can always be used"
        )
    return kind.make(request)


def _pair(bound: Bound) -> tuple[int, int]:
    return bound if isinstance(bound, tuple) else (bound, 0)
