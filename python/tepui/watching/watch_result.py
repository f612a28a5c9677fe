"""What `tepui.watch` has seen (see `sequence`)."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Literal

from tepui.model import System
from tepui.records import field, mutable_record, record
from tepui.result import NamedTrace, Stop
from tepui.watching.respect import Kind
from tepui.watching.views import StateView

WatchVerdict = Literal["violation", "plateau", "stopped"]

RespectSeen = Literal["observed", "disrespected", "unchecked"]

Bound = int | tuple[int, int]
"""A number of contexts, or of rounds and delays."""


@record
class AbstractObservation:
    """What was seen under one bound."""

    bound: Bound
    states: int | None
    """How many states; if visible states are watched, how many of these. None for infinitely
    many."""
    abstract_states: int
    new: int


@record
class Disrespect:
    """An action that does not respect the abstraction, and two states with one abstract state that
    show it.

    Its kind is `successors` if it leads from them to different abstract states. It is `enabled` if
    it leads to another one from the first and cannot be taken in the second, which therefore keeps
    its own.
    """

    kind: Kind
    thread: str
    action: str
    """A rule, or the statement of a program and its place."""
    abstract_state: Hashable
    states: tuple[StateView, StateView]
    after: tuple[frozenset[Hashable], frozenset[Hashable]]
    """The abstract states after the action: there are several if it is not deterministic. A bad
    state has none, which is None."""


@mutable_record
class WatchResult:
    """What a run has seen through an abstraction. None of its verdicts is a proof.

    >>> program = tepui.load("examples/bluetooth1.bp")
    >>> seen = tepui.watch(program, lambda state: state["stoppingFlag"])
    >>> seen.verdict, sorted(seen.abstract_states)
    ('plateau', [False, True])
    """

    verdict: WatchVerdict
    system: System
    engine: str
    of: str
    """Whether whole states were watched, or visible ones."""
    observations: list[AbstractObservation]
    abstract_states: frozenset[Hashable]
    plateaus: list[Bound]
    """Where plateaus began, the last of which may go on."""
    respect: RespectSeen
    """Whether all actions respect the abstraction (DrUBA, Definition 4), as far as was seen."""
    disrespectful: tuple[Disrespect, ...]
    collapsed: bool
    """Whether nothing else is reachable: then these are the abstract states of all that is
    reachable."""
    bad_state: StateView | None = None
    trace: NamedTrace | None = None
    """The run into the bad state."""
    checked: bool = False
    """Whether the independent checker accepted the trace."""
    stop: Stop | None = None
    notes: list[str] = field(default_factory=list)
    seconds: float = 0.0
    peak_memory_bytes: int = 0

    @property
    def bound(self) -> Bound | None:
        """The last bound under which everything was looked at, up to a violation."""
        return self.observations[-1].bound if self.observations else None

    @property
    def plateau(self) -> Bound | None:
        """Where the plateau began that ended the run."""
        return self.plateaus[-1] if self.verdict == "plateau" else None

    @property
    def reason(self) -> str | None:
        """Why the run was stopped, in words."""
        return None if self.stop is None else self.stop.text

    def __str__(self) -> str:
        from tepui.report.text.watch_result import watched_text

        return watched_text(self)

    def __repr__(self) -> str:
        from tepui.report.text.watch_result import watched_headline

        return f"<WatchResult {watched_headline(self)}>"

    def _repr_html_(self) -> str:
        from tepui.report.notebook import seen_html

        return seen_html(self)
