"""What a user may choose about a run."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tepui.doors import check_fields
from tepui.engines.registry import (
    AUTO,
    BITS,
    SPLITTINGS,
    check_engine,
    closes,
    counting,
    counts_contexts,
    counts_delays,
)
from tepui.errors import UsageError
from tepui.limits import Limits, check_count
from tepui.parameter_names import named
from tepui.program.passes import MOST_SLOTS
from tepui.records import field, record, replace
from tepui.words import did_you_mean
from tepui.z.strength import ESCALATION, Strength

if TYPE_CHECKING:
    from tepui.markers import Marker
    from tepui.progress import Progress

DEFAULT_SLOTS = 8
"""How many forked threads at once are tried by default."""


MOST_TOPS = 100
"""The largest number of symbols of each stack that can be looked at."""

MOST_JOBS = 100


@record
class Options:
    """How to run. All of it can be left out.

    `engine`
        the name of an engine, or "auto" for a race between those that fit
    `jobs`
        how many engines may run side by side
    `contexts`, `rounds`, `delays`
        make it a bounded run, which never proves anything beyond the bound; rounds and delays are
        for the engines that count these
    `tops`
        how many symbols of each stack the engines that count delays look at
    `strengths`
        the strengths of Z to try, from cheap to sharp; `()` does without Z
    `symmetry`
        whether to explore up to permutations of equal threads
    `liveness`
        whether to forget the values of local variables that are never read again
    `small_sorts`
        whether `verify` leaves out values of variables that are only copied and compared, where
        fewer are enough
    `fusion`
        whether steps that touch nothing shared are part of the step before, where contexts are
        counted
    `slots`
        how many forked threads at once to try before a run becomes a bounded one
    `splitting`
        for the engine "bdd": keep states as view tuples, which are split before another thread
        runs, by "eager", "lazy" or "sparing" splitting
    `limits`
        when to stop without an answer
    `check`
        whether the independent checker examines the evidence of an answer
    `progress`
        a function that is called with a `tepui.progress.Progress` as the run goes on
    `markers`
        for programs: a function that is called with a `tepui.Marker` as soon as it is known that
        a line is reached, violated or unreached

    >>> options = tepui.Options(engine="explicit", contexts=3)
    >>> tepui.verify(tepui.load("examples/figure4.cpds"), options=options).verdict
    'bounded'
    """

    engine: str = AUTO
    symmetry: bool = True
    contexts: int | None = None
    rounds: int | None = None
    delays: int | None = None
    tops: int = 1
    jobs: int = 1
    strengths: tuple[Strength, ...] = ESCALATION
    limits: Limits = field(default_factory=Limits)
    liveness: bool = True
    small_sorts: bool = True
    fusion: bool = True
    slots: int = DEFAULT_SLOTS
    splitting: str | None = None
    check: bool = True
    progress: Callable[[Progress], None] | None = None
    markers: Callable[[Marker], None] | None = None

    def __post_init__(self) -> None:
        check_fields(self)
        check_engine(self.engine)
        for name in ("contexts", "rounds", "delays"):
            check_count(name, getattr(self, name))
        for name, least, most in (
            ("tops", 1, MOST_TOPS),
            ("jobs", 1, MOST_JOBS),
            ("slots", 0, MOST_SLOTS),
        ):
            check_count(name, getattr(self, name), least, most)
        if self.splitting is not None:
            if self.splitting not in SPLITTINGS:
                hint = did_you_mean(str(self.splitting), SPLITTINGS, "there are")
                raise UsageError(f"there is no splitting {self.splitting!r}{hint}")
            if self.engine != BITS:
                raise UsageError(f"{named('splitting')} is for the engine {BITS}")
        self._check_resource()

    def _check_resource(self) -> None:
        """An engine counts contexts, or rounds and delays, or cannot be bounded."""
        by_delays = counts_delays(self.engine)
        bounds_contexts = not (self.contexts is None and self.limits.max_contexts is None)
        if by_delays and bounds_contexts:
            raise UsageError(
                f"the engine {self.engine} counts rounds and delays, not contexts: bound it with "
                "rounds and delays"
            )
        if bounds_contexts and not counts_contexts(self.engine):
            raise UsageError(
                f"the engine {self.engine} does not count contexts: choose {counting('contexts')}"
            )
        if not by_delays and (self.rounds, self.delays, self.tops) != (None, None, 1):
            raise UsageError(
                f"rounds, delays and tops are for the engines {counting('delays')}, "
                f"not for {self.engine}"
            )
        if not closes(self.engine):
            return
        name = self.engine
        if any(strength.is_call_return for strength in self.strengths):
            raise UsageError(f"the engine {name} takes only the strengths matched and cut of Z")
        if not self.strengths:
            raise UsageError(f"the engine {name} cuts stacks as a Z does, so it needs a strength")

    @property
    def bounds_delays(self) -> bool:
        """Whether rounds or delays are bounded."""
        return (self.rounds, self.delays) != (None, None)

    @property
    def is_bounded(self) -> bool:
        """Whether nothing is to be proved beyond a bound."""
        return self.contexts is not None or self.bounds_delays


def by_contexts(options: Options) -> Options:
    """The same options for a run that has to count contexts."""
    if counts_contexts(options.engine):
        return options
    return replace(options, engine=AUTO, rounds=None, delays=None, tops=1)
