"""The possible values of variables, and the fewest steps to them (WPDS, sections 4.1, 4.2 and 4.4).

A program is not translated once more: it is lowered as for every engine, so atomic sections, locks,
assertions and values that are chosen when they are read mean exactly what they mean there. All
shared states become data: of each thread there is one pushdown state, the stack symbols are as they
are, and the weight of a rule is the pair of the shared states before and after it. Local variables
are in the stack symbols, so nothing has to be merged. Rules on the empty stack are rules on a
symbol for its bottom.

A violated assertion ends a run, so what is left standing then is not part of an answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic

from tepui.convergence.overapproximation import Overapproximation
from tepui.errors import Stopped, UsageError
from tepui.facts.answers import FewestSteps, Name, PossibleValues, Valuation
from tepui.facts.query import BOTTOM, Query
from tepui.kernels.lowered import LoweredSystem, lower
from tepui.kernels.lowering import LoweringOptions
from tepui.limits import Limits, Meter
from tepui.model import System
from tepui.program.expressions import Variable
from tepui.program.layout import Slot, Value
from tepui.program.program import Program
from tepui.program.types import Enumeration
from tepui.weighted.configurations import Configurations
from tepui.weighted.contexts import Threads, context_bounded
from tepui.weighted.domains import MinPath, Relations, WeightedRelations
from tepui.weighted.domains.semiring import Semiring, W
from tepui.weighted.system import Rule, WeightedSystem

STATE = "p"
"""The only pushdown state."""

MOST_SHARED = 4096
"""More shared states are refused: a relation has a bit for every pair of them."""


def possible_values(
    model: System | Program, query: Query, contexts: int, limits: Limits | None = None
) -> PossibleValues:
    """The valuations that are possible where a query asks."""
    meter = Meter(limits or Limits())
    system = _complete(model, meter)
    domain = Relations(_shared_states(system))
    analysis = _Analysis(
        system, query, contexts, domain, lambda pairs, _: domain.relation(pairs), meter
    )

    def reached(weight: tuple[int, ...]) -> Iterator[tuple[int, int]]:
        return ((state, 0) for state in domain.image(weight, [system.initial]))

    found = analysis.valuations(reached)
    valuations = tuple(map(Valuation, found))
    return PossibleValues(query.text, contexts, bool(found), (), _names(system, query), valuations)


def fewest_steps(
    model: System | Program, query: Query, contexts: int, limits: Limits | None = None
) -> FewestSteps:
    """The fewest steps to where a query asks, for each valuation."""
    meter = Meter(limits or Limits())
    system = _complete(model, meter)
    domain = WeightedRelations(_shared_states(system), MinPath())

    def steps(pairs: Iterable[tuple[int, int]], count: int) -> Any:
        return domain.relation([(source, target, count) for source, target in pairs])

    def reached(weight: Any) -> Iterator[tuple[int, int]]:
        return ((target, steps) for source, target, steps in weight if source == system.initial)

    analysis = _Analysis(system, query, contexts, domain, steps, meter)
    found = analysis.valuations(reached)
    valuations = tuple(Valuation(values, steps) for values, steps in found.items())
    return FewestSteps(query.text, contexts, bool(found), (), _names(system, query), valuations)


def lowered(model: System | Program) -> System:
    """The system of a model in which every variable keeps its value."""
    if isinstance(model, System):
        return model
    return lower(model, LoweringOptions(liveness=False))


def _complete(model: System | Program, meter: Meter) -> System:
    """A system of which every rule was met that a thread may use."""
    if isinstance(model, System):
        return model
    system = lowered(model)
    everything = Overapproximation(system)
    while (outcome := everything.advance(meter.for_kernel(0))) != "done":
        if outcome != "paused":
            raise Stopped(f"stopped at a limit: {outcome}")
        _shared_states(system)
    return system


def _shared_states(system: System) -> int:
    """How many there are, as far as known, if that is not too many."""
    number = len(system.shared)
    if number > MOST_SHARED:
        raise UsageError(
            f"{system.name} has more than {MOST_SHARED:,} shared states, too many for relations "
            "between them; `tepui explore` has no such bound"
        )
    return number


@dataclass
class _Analysis(Generic[W]):
    """One question about a system whose shared states are data."""

    system: System
    query: Query
    contexts: int
    domain: Semiring[W]
    weight: Callable[[Sequence[tuple[int, int]], int], W]
    """Of rules, by the shared states before and after them, and how many steps they are."""
    meter: Meter

    def valuations(
        self, reached: Callable[[W], Iterator[tuple[int, int]]]
    ) -> dict[tuple[Value, ...], int]:
        """All valuations with which the thread is there, with the fewest steps, as `reached` tells
        shared states and steps of a weight."""
        templates = [self._weighted(number) for number in range(len(self.system.templates))]
        threads = Threads(tuple(templates[template] for template in self.system.threads))
        start = [self._start(thread) for thread in range(len(self.system.threads))]
        found: dict[tuple[Value, ...], int] = {}
        for symbol in self._tops():
            target = [self._target(thread, symbol) for thread in range(len(start))]
            weight = context_bounded(threads, start, target, self.contexts, self._limits())
            for shared, steps in reached(weight):
                values = values_at(self.system, self.query.thread, shared, symbol)
                if values is not None:
                    found[values] = min(steps, found.get(values, steps))
        return dict(sorted(found.items(), key=lambda item: [(v is None, v or 0) for v in item[0]]))

    def _weighted(self, number: int) -> WeightedSystem[W]:
        """The rules of a template; those that do the same to the stack are one."""
        template, free = self.system.templates[number], self._free(number)
        changes: dict[tuple[int, tuple[int, ...]], set[tuple[int, int]]] = {}
        for rule in template.rules:
            word = (*rule.word, BOTTOM) if rule.top == BOTTOM else rule.word
            changes.setdefault((rule.top, word), set()).add((rule.source, rule.target))
        return WeightedSystem.of(
            self.domain,
            (
                Rule(STATE, top, STATE, word, self.weight(sorted(pairs), int(top not in free)))
                for (top, word), pairs in changes.items()
            ),
        )

    def _free(self, template: int) -> frozenset[int]:
        """The symbols of a template at which a step does not count."""
        if not self.query.free or not isinstance(self.system, LoweredSystem):
            return frozenset()
        frames = self.system.frames(template)
        symbols = range(1, len(frames))
        return frozenset(symbol for symbol in symbols if frames[symbol].point in self.query.free)

    def _start(self, thread: int) -> Configurations:
        return Configurations.of((STATE, (*self.system.template_of(thread).stack, BOTTOM)))

    def _target(self, thread: int, symbol: int) -> Configurations:
        symbols = range(len(self.system.template_of(thread).symbols))
        if thread != self.query.thread:
            return Configurations.topped([STATE], [], symbols)
        callers = [symbols_at(self.system, self.query, each) for each in self.query.tops[1:]]
        return Configurations.topped([STATE], [[symbol], *callers], symbols)

    def _tops(self) -> list[int]:
        return symbols_at(self.system, self.query, self.query.tops[0])

    def _limits(self) -> Limits:
        left = self.meter.seconds_left()
        return Limits(None if left is None else max(0.0, left), self.meter.limits.memory)


def symbols_at(system: System, query: Query, wanted: frozenset[int]) -> list[int]:
    """The symbols of the thread that a query means: of a program, its frames at points."""
    if not isinstance(system, LoweredSystem):
        return sorted(wanted)
    frames = system.frames(system.threads[query.thread])
    return [number for number in range(1, len(frames)) if frames[number].point in wanted]


def values_at(system: System, thread: int, shared: int, symbol: int) -> tuple[Value, ...] | None:
    """The values of what is shown, or None in a state that does not count."""
    if not isinstance(system, LoweredSystem):
        return (shared,)
    values = list(system.shared_values()[shared])
    hidden = system.layout.hidden
    if "halted" in hidden and values[hidden["halted"]] == 1:
        return None
    lock = system.program.lock
    if (
        lock is not None
        and values[hidden["holder"]] == 0
        and values[_address(system, lock)] is None
    ):
        values[_address(system, lock)] = 0  # Nobody has ever closed it.
    frame = system.frames(system.threads[thread])[symbol]
    slots = _frame_slots(system, frame.point)
    local = (value for slot, value in zip(slots, frame.values, strict=True) if "." not in slot.name)
    return (*values[: system.layout.own_slots], *local)


def _address(system: LoweredSystem, variable: Variable) -> int:
    """Where a shared state has a global variable."""
    before = system.program.globals[: system.program.globals.index(variable)]
    return sum(each.length for each in before)


def _names(system: System, query: Query) -> tuple[Name, ...]:
    """What is shown."""
    if not isinstance(system, LoweredSystem):
        return (Name("shared state", dict(enumerate(system.shared))),)
    slots = list(system.layout.shared_slots[: system.layout.own_slots])
    taken = {slot.name for slot in slots}
    point = min(query.tops[0])
    procedure = system.layout.procedure(point)
    names = [_name(slot, slot.name) for slot in slots]
    for slot in _frame_slots(system, point):
        if "." not in slot.name and procedure is not None:
            name = f"{procedure.name}.{slot.name}" if slot.name in taken else slot.name
            names.append(_name(slot, name))
    return tuple(names)


def _name(slot: Slot, name: str) -> Name:
    if not isinstance(slot.type, Enumeration):
        return Name(name)
    return Name(name, dict(enumerate(slot.type.members)))


def _frame_slots(system: LoweredSystem, point: int) -> Sequence[Slot]:
    return system.layout.frame_slots[system.layout.locations[point][0]]
