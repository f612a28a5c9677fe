"""The possible values of variables, and the fewest steps to them (WPDS, sections 4.1, 4.2 and 4.4).

A program is lowered in the same way as for the engines, so atomic sections, locks, assertions and
values that are chosen when they are read mean exactly what they mean there. All shared states
become data: each thread has one pushdown state, the stack symbols stay as they are, and the weight
of a rule is the pair of the shared states before and after it. Local variables are in the stack
symbols, so nothing has to be merged. Rules on the empty stack are rules on a symbol for its bottom.

A violated assertion ends a run, so the state after it is not part of an answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic

from tepui.errors import Stopped, UsageError
from tepui.kernels.lowered_system import lower
from tepui.kernels.program_fields import LoweringOptions
from tepui.limits import Limits, Meter
from tepui.model import System
from tepui.parameter_names import named
from tepui.program.program import Program
from tepui.subject import Subject, about
from tepui.weighted.configurations import Configurations
from tepui.weighted.contexts import Threads, context_bounded
from tepui.weighted.dataflow.answers import FewestSteps, Name, PossibleValues, Valuation
from tepui.weighted.dataflow.query import BOTTOM, Query
from tepui.weighted.domains import MinPath, Relations, WeightedRelations
from tepui.weighted.domains.semiring import Semiring, W
from tepui.weighted.system import WeightedRule, WeightedSystem
from tepui.z.z import Z

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
        about(system), query, contexts, domain, lambda pairs, _: domain.relation(pairs), meter
    )

    def reached(weight: tuple[int, ...]) -> Iterator[tuple[int, int]]:
        return ((state, 0) for state in domain.image(weight, [system.initial]))

    found = analysis.valuations(reached)
    valuations = tuple(map(Valuation, found))
    return PossibleValues(query.text, contexts, bool(found), (), analysis.names, valuations)


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

    analysis = _Analysis(about(system), query, contexts, domain, steps, meter)
    found = analysis.valuations(reached)
    valuations = tuple(Valuation(values, steps) for values, steps in found.items())
    return FewestSteps(query.text, contexts, bool(found), (), analysis.names, valuations)


def lowered(model: System | Program) -> System:
    """The system of a model in which every variable keeps its value, and has one that can be
    shown."""
    if isinstance(model, System):
        return model
    return lower(model, LoweringOptions(liveness=False, share=False))


def _complete(model: System | Program, meter: Meter) -> System:
    """A system in which every rule that a thread may use has been computed."""
    if isinstance(model, System):
        return model
    system = lowered(model)
    everything = Z(system)
    while (outcome := everything.advance(meter.for_kernel(0))) != "done":
        if outcome != "paused":
            raise Stopped.at_limit(outcome)
        _shared_states(system)
    return system


def _shared_states(system: System) -> int:
    """The number of shared states known so far; a UsageError if there are too many."""
    number = len(system.shared)
    if number > MOST_SHARED:
        raise UsageError(
            f"{system.name} has more than {MOST_SHARED:,} shared states, too many for relations "
            f"between them; {named('explore')} has no such bound"
        )
    return number


@dataclass
class _Analysis(Generic[W]):
    """One question about a system whose shared states are data."""

    subject: Subject
    query: Query
    contexts: int
    domain: Semiring[W]
    weight: Callable[[Sequence[tuple[int, int]], int], W]
    """The weight of rules, from the shared states before and after them and their number of
    steps."""
    meter: Meter

    @property
    def system(self) -> System:
        return self.subject.system

    @property
    def names(self) -> tuple[Name, ...]:
        """The variables that are shown."""
        named = self.subject.values_named(min(self.query.tops[0]))
        return tuple(Name(name, texts) for name, texts in named)

    def valuations(
        self, reached: Callable[[W], Iterator[tuple[int, int]]]
    ) -> dict[tuple[int | None, ...], int]:
        """All valuations with which the thread is there, with the fewest steps. `reached` gives the
        shared states and the steps of a weight."""
        templates = [self._weighted(number) for number in range(len(self.system.templates))]
        threads = Threads(tuple(templates[template] for template in self.system.threads))
        start = [self._start(thread) for thread in range(len(self.system.threads))]
        found: dict[tuple[int | None, ...], int] = {}
        for symbol in self._symbols(self.query.tops[0]):
            target = [self._target(thread, symbol) for thread in range(len(start))]
            weight = context_bounded(threads, start, target, self.contexts, self._limits())
            for shared, steps in reached(weight):
                values = self.subject.values_at(self.query.thread, shared, symbol)
                if values is not None:
                    found[values] = min(steps, found.get(values, steps))
        return dict(sorted(found.items(), key=lambda item: [(v is None, v or 0) for v in item[0]]))

    def _weighted(self, number: int) -> WeightedSystem[W]:
        """The rules of a template; rules that change the stack in the same way become one."""
        template, free = self.system.templates[number], self._free(number)
        changes: dict[tuple[int, tuple[int, ...]], set[tuple[int, int]]] = {}
        for rule in template.rules:
            word = (*rule.word, BOTTOM) if rule.top == BOTTOM else rule.word
            changes.setdefault((rule.top, word), set()).add((rule.source, rule.target))
        return WeightedSystem.of(
            self.domain,
            (
                WeightedRule(
                    STATE, top, STATE, word, self.weight(sorted(pairs), int(top not in free))
                )
                for (top, word), pairs in changes.items()
            ),
        )

    def _free(self, template: int) -> frozenset[int]:
        """The symbols of a template at which a step does not count."""
        return frozenset(self.subject.symbols_at(template, self.query.free))

    def _start(self, thread: int) -> Configurations:
        return Configurations.of((STATE, (*self.system.template_of(thread).stack, BOTTOM)))

    def _target(self, thread: int, symbol: int) -> Configurations:
        symbols = range(len(self.system.template_of(thread).symbols))
        if thread != self.query.thread:
            return Configurations.topped([STATE], [], symbols)
        callers = [self._symbols(each) for each in self.query.tops[1:]]
        return Configurations.topped([STATE], [[symbol], *callers], symbols)

    def _symbols(self, places: frozenset[int]) -> list[int]:
        """The symbols that a query means, for its thread."""
        return self.subject.symbols_at(self.system.threads[self.query.thread], places)

    def _limits(self) -> Limits:
        return self.meter.rest()
