"""All engines: one description for each. Nothing else knows their names.

What a user may choose, what the command line offers, which engines race, what is said about them,
the schema and the table in the docs all come from here. A new engine is a class and an entry. The
class is imported when an engine is made, as most runs need only one of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Literal

from tepui.errors import UsageError
from tepui.model import System
from tepui.records import record
from tepui.words import did_you_mean

if TYPE_CHECKING:
    from tepui.engines.engine import Engine
    from tepui.engines.rounds import Resource

AUTO = "auto"
"""Stands for all engines that race."""

Need = Literal["finite contexts", "finite data", "fixed threads"]
"""What a system must have for an engine: finitely many stacks within one context, finitely many
values, a number of threads that is known."""

_FINITE: frozenset[Need] = frozenset({"finite data", "fixed threads"})

Joins = Literal["first", "later"]
"""When an engine joins a race: at once, or after the first ones have worked for a while."""

PATIENCE = 300_000
"""How much work the first engine of a race does before others join. The benchmark of engines
justifies it."""


@record
class Request:
    """What an engine is made for."""

    system: System
    finite: Callable[[], tuple[bool, ...]]
    """For each template, whether its threads are known to have finite-context reachability."""
    symmetry: bool = True
    tops: int = 1
    rounds: int | None = None
    delays: int | None = None


@record
class EngineKind:
    """An engine: its name and description, what it counts and needs, and when it races."""

    name: str
    way: str
    """How it explores, after «How to explore:»."""
    title: str
    """What it is, in a line of a result."""
    sets: str
    """How it writes a set of states down, for the docs."""
    best_for: str
    evidence: str
    """What it gives as evidence for «safe»."""
    make: Callable[[Request], Engine]
    counts: Resource = "contexts"
    needs: frozenset[Need] = _FINITE
    joins_finite: Joins | None = None
    """When it joins a race where all contexts reach finitely many stacks; None if it does not race
    there."""
    joins_infinite: Joins | None = None
    """The same where some context may reach infinitely many."""
    z_is: Literal["listed", "as a diagram", "either"] = "either"
    """How Z is computed beside it: state by state, as a diagram, or the second when it is large."""
    lists_states: bool = False
    """Whether it knows single states, so that a caller can look at them."""
    exchanges_identities: bool = False
    """Whether it exchanges threads that know themselves."""
    closes: bool = False
    """Whether it cuts what it reached and tests if that is closed; then it needs no Z."""
    finds_fewest: bool = True
    """Whether the first violation that it finds has the fewest contexts. If not, its trace is
    shortened before it is shown."""

    @property
    def knows_fewest_contexts(self) -> bool:
        """Whether it counts contexts, and there is no violation with fewer than it has seen."""
        return self.counts == "contexts" and self.finds_fewest

    def joins_at(self, *, finite: bool) -> int | None:
        """How much work others do before it joins a race; None if it does not race."""
        joins = self.joins_finite if finite else self.joins_infinite
        return {"first": 0, "later": PATIENCE, None: None}[joins]

    def infinite_in(self, asked: Request) -> list[str]:
        """The threads that it cannot explore, as a context of theirs may reach infinitely many
        stacks."""
        if "finite contexts" not in self.needs:
            return []
        templates = zip(asked.system.templates, asked.finite(), strict=True)
        return [template.name for template, finite in templates if not finite]


def _class(module: str, name: str) -> Callable[..., Engine]:
    """A class of an engine, imported when the first one is made."""

    def make(*args: object, **options: object) -> Engine:
        made: Engine = getattr(import_module(f"tepui.engines.{module}"), name)(*args, **options)
        return made

    return make


_explicit = _class("explicit", "ExplicitEngine")
_plain = _class("plain", "PlainEngine")
_diagram = _class("diagram", "DiagramEngine")
_symbolic = _class("symbolic", "SymbolicEngine")
_delay = _class("delay", "DelayEngine")
_abstract = _class("abstract_interpretation", "AbstractEngine")


def _under_delays(make: Callable[..., Engine]) -> Callable[[Request], Engine]:
    return lambda asked: make(
        asked.system, tops=asked.tops, rounds=asked.rounds, delays=asked.delays
    )


BITS = "bdd"
"""The search in sets of bits (`deciding.bits_driver`). It counts contexts, but lists nothing, and
it is about programs only: no engine that could race, but one that a user may choose."""

SPLITTINGS = "eager", "lazy", "sparing"
"""How that search may keep states as view tuples: split at once, where it has to, or less."""

PROVERS: dict[str, str] = {
    "coverability": "upward-closed sets of markings",
    "modular": "Z of a few threads among any number",
    "clauses": "invariants from Horn clauses",
    BITS: "sets of states as binary decision diagrams",
}
"""What finds proofs for any number of threads and integers without bounds (`deciding.provers`), or
where data is too large to list, and what it computes."""


def title_of(name: str) -> str:
    """What an engine or a prover is, in a line of a result."""
    return PROVERS[name] if name in PROVERS else kind_of(name).title


_KINDS: dict[str, EngineKind] = {
    kind.name: kind
    for kind in (
        EngineKind(
            "explicit",
            "state by state",
            "states one by one",
            "a list",
            "small systems, and many equal threads",
            "a list of states",
            lambda asked: _explicit(asked.system, symmetry=asked.symmetry, identities=True),
            needs=_FINITE | {"finite contexts"},
            joins_finite="first",
            z_is="listed",
            lists_states=True,
            exchanges_identities=True,
        ),
        EngineKind(
            "plain",
            "breadth first without contexts",
            "all states, breadth first, without contexts",
            "a list",
            "many short contexts",
            "a list of states",
            lambda asked: _plain(asked.system, symmetry=asked.symmetry, identities=True),
            counts="steps",
            joins_finite="later",
            joins_infinite="later",
            z_is="listed",
            lists_states=True,
            exchanges_identities=True,
            finds_fewest=False,
        ),
        EngineKind(
            "diagram",
            "with decision diagrams",
            "sets of states as decision diagrams",
            "a decision diagram",
            "many threads, infinitely many stacks",
            "a diagram",
            lambda asked: _diagram(
                asked.system, asked.finite(), list_up_to_symmetry=asked.symmetry
            ),
            joins_finite="later",
            joins_infinite="first",
            z_is="as a diagram",
        ),
        EngineKind(
            "symbolic",
            "with sets of symbolic states",
            "sets of states as products of languages of stacks",
            "a list of products of languages of stacks",
            "infinitely many stacks, few visible states",
            "a list of products",
            lambda asked: _symbolic(asked.system, symmetry=asked.symmetry),
            joins_infinite="later",
        ),
        EngineKind(
            "delay",
            "round-robin with delays",
            "round-robin with delays",
            "a list",
            "bugs that take few delays, stacks that grow without end",
            "a list of states",
            _under_delays(_delay),
            counts="delays",
            joins_finite="later",
            joins_infinite="later",
            lists_states=True,
            finds_fewest=False,
        ),
        EngineKind(
            "abstract",
            "the same with abstract interpretation",
            "round-robin with delays, and closure under all actions",
            "a list",
            "comparison with `delay`",
            "cut states",
            _under_delays(_abstract),
            counts="delays",
            lists_states=True,
            closes=True,
            finds_fewest=False,
        ),
    )
}


def engine_kinds() -> tuple[EngineKind, ...]:
    """All engines, in the order in which they are listed."""
    return tuple(_KINDS.values())


def engine_names() -> tuple[str, ...]:
    """What a user may choose for a run."""
    return AUTO, *_KINDS, BITS


def kind_of(name: str) -> EngineKind:
    """The engine of a name; a UsageError if there is none, or none that explores systems."""
    check_engine(name)
    if name == BITS:
        raise UsageError(
            f"the engine {BITS} answers what `verify` asks about programs, and lists no states: "
            f"choose {names_of(engine_kinds(), 'or')}"
        )
    return _KINDS[name]


def check_engine(name: str) -> None:
    """Raise a UsageError if there is no engine of this name."""
    if name not in engine_names():
        hint = did_you_mean(str(name), engine_names(), "there are")
        raise UsageError(f"there is no engine {name!r}{hint}")


def names_of(kinds: Iterable[EngineKind], before_last: str = "and") -> str:
    """Engines in a sentence: «a, b and c»."""
    *names, last = (kind.name for kind in kinds)
    return f"{', '.join(names)} {before_last} {last}" if names else last


def ways_to_explore() -> str:
    """All engines in a sentence, by how they explore."""
    ways = [f"{kind.way} ({kind.name})" for kind in engine_kinds()]
    return ", ".join([*ways, f"with sets of bits, for programs ({BITS})"])


def counting(resource: Resource, before_last: str = "and") -> str:
    """The engines that count contexts, or delays, in a sentence."""
    return names_of((kind for kind in engine_kinds() if kind.counts == resource), before_last)


def counts_delays(name: str) -> bool:
    """Whether a choice counts rounds and delays. A race counts whatever the winner does."""
    return name in _KINDS and _KINDS[name].counts == "delays"


def counts_contexts(name: str) -> bool:
    """Whether a choice can be bounded by contexts. In a race, some engine counts them."""
    return name in (AUTO, BITS) or kind_of(name).counts == "contexts"


def closes(name: str) -> bool:
    """Whether a choice cuts what it reached and tests if that is closed."""
    return name in _KINDS and _KINDS[name].closes


def exchanges_identities(name: str) -> bool:
    """Whether a choice exchanges threads that know themselves. In a race, some engine does."""
    return name == AUTO or (name in _KINDS and _KINDS[name].exchanges_identities)


def usual(resource: Resource, *, without: Need | None = None) -> EngineKind:
    """The default engine that counts a resource and does not need something."""
    return next(
        kind for kind in engine_kinds() if kind.counts == resource and without not in kind.needs
    )


def racing(*, finite: bool) -> list[tuple[int, EngineKind]]:
    """The engines that race, each with the work that others do first, in their order."""
    joins = [(kind.joins_at(finite=finite), kind) for kind in engine_kinds()]
    return sorted(
        ((at, kind) for at, kind in joins if at is not None), key=lambda joined: joined[0]
    )


@contextmanager
def registered(kind: EngineKind) -> Iterator[None]:
    """Add an engine, for a while."""
    if kind.name in engine_names():
        raise UsageError(f"there is an engine {kind.name!r} already")
    _KINDS[kind.name] = kind
    try:
        yield
    finally:
        del _KINDS[kind.name]
