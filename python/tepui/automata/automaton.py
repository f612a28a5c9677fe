"""Automata of one thread of a system: sets of configurations ⟨q|w⟩ to make, combine and saturate.

A configuration is a pair of a shared state and a stack, both as numbers. Wherever one is accepted,
so is a text such as `<q0, a b>`. All sets are exact, finite or not. Long computations stop at
limits, and then raise a TepuiError.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tepui.automata.pattern import (
    LAST,
    PatternNames,
    Transition,
    configuration_of,
    transitions_of,
    written,
)
from tepui.errors import Stopped, UsageError
from tepui.kernels.door import (
    Lowered,
    Outcome,
    PAutomaton,
    PostStar,
    PreStar,
    SystemKernel,
    system_kernel,
)
from tepui.limits import Limits, Meter
from tepui.model import EPSILON, Rule, System, Template
from tepui.model.system import Word
from tepui.parameter_names import named
from tepui.words import did_you_mean

Configuration = tuple[int, Word]
"""The shared state and the stack, top first."""

Language = list[tuple[bool, list[tuple[int, int]]]]
"""A canonical automaton: for each state whether it accepts, and its edges by symbol to states.
State 0 is the start, the empty language has no state, and equal languages are equal values."""


@dataclass(frozen=True, eq=False, repr=False)
class Automaton:
    """A regular set of configurations of one thread."""

    system: System
    thread: int
    core: PAutomaton
    kernel: SystemKernel
    origin: PostStar | PreStar | None = None
    """The saturation that found the set, if there was one; it knows the runs."""

    @classmethod
    def of_pattern(
        cls, system: System, thread: str | int, *patterns: str, source: str = "<pattern>"
    ) -> Automaton:
        """All that matches one of the patterns, such as `<q0, a b* c>`."""
        number = thread_number(system, thread)
        names = _names(system, number)
        core = PAutomaton([])
        for pattern in patterns:
            core = core.union(PAutomaton(transitions_of(pattern, names, source)))
        return cls(system, number, core, system_kernel(system))

    @classmethod
    def of_configurations(
        cls, system: System, thread: str | int, configurations: Iterable[Configuration | str]
    ) -> Automaton:
        """Only these configurations."""
        number = thread_number(system, thread)
        transitions: list[Transition] = []
        inner = LAST - 1
        for configuration in configurations:
            node, stack = _checked(system, number, configuration)
            for symbol in stack:
                transitions.append((node, symbol, inner))
                node, inner = inner, inner - 1
            transitions.append((node, EPSILON, LAST))
        return cls(system, number, PAutomaton(transitions), system_kernel(system))

    @classmethod
    def initial(cls, system: System, thread: str | int) -> Automaton:
        """The configuration in which a thread starts."""
        number = thread_number(system, thread)
        start = (system.initial, system.template_of(number).stack)
        return cls.of_configurations(system, number, [start])

    @classmethod
    def short(cls, system: System, thread: str | int) -> Automaton:
        """All configurations with at most one symbol, as in Theorem 29 and Figure 8 of CUBA."""
        number = thread_number(system, thread)
        kernel = system_kernel(system)
        return cls(system, number, PAutomaton.short_stacks(kernel, system.threads[number]), kernel)

    @property
    def template(self) -> Template:
        return self.system.template_of(self.thread)

    def post_star(self, limits: Limits | None = None) -> Automaton:
        """All configurations that the thread reaches from these by itself."""
        found = PostStar(self.kernel, self.system.threads[self.thread], self.core)
        return self._saturated(found, limits)

    def pre_star(self, limits: Limits | None = None) -> Automaton:
        """All configurations from which the thread reaches one of these by itself."""
        found = PreStar(self.kernel, self.system.threads[self.thread], self.core)
        return self._saturated(found, limits)

    def __contains__(self, configuration: Configuration | str) -> bool:
        return self.core.accepts(*_checked(self.system, self.thread, configuration))

    @property
    def is_empty(self) -> bool:
        return self.core.is_empty

    @property
    def is_finite(self) -> bool:
        return self.core.is_finite

    def count(self, limits: Limits | None = None) -> int | None:
        """How many configurations there are; None if there are infinitely many."""
        count, outcome = self.core.count(Meter(limits or Limits()).for_kernel(0))
        _require_done(outcome)
        return count

    def union(self, other: Automaton) -> Automaton:
        return self._with(self.core.union(self._same_thread(other)))

    def intersection(self, other: Automaton) -> Automaton:
        return self._with(self.core.intersection(self._same_thread(other)))

    def includes(self, other: Automaton, limits: Limits | None = None) -> bool:
        """Whether all configurations of another set are in this one."""
        return other.missing_from(self, limits) is None

    def equals(self, other: Automaton, limits: Limits | None = None) -> bool:
        """Whether both sets have the same configurations."""
        return self.includes(other, limits) and other.includes(self, limits)

    def missing_from(self, other: Automaton, limits: Limits | None = None) -> Configuration | None:
        """A shortest configuration of this set that another lacks; None if it lacks none."""
        missing, outcome = self.core.missing_from(
            self._same_thread(other), Meter(limits or Limits()).for_kernel(0)
        )
        _require_done(outcome)
        return missing

    def tops(self, shared: int | str) -> list[int]:
        """The symbols on top of the stacks at a shared state; EPSILON where one is empty."""
        return self.core.tops(_shared(self.system, shared))

    def language(self, shared: int | str, limits: Limits | None = None) -> Language:
        """The stacks at a shared state, as their canonical automaton."""
        found, outcome = self.core.language(
            _shared(self.system, shared), Meter(limits or Limits()).for_kernel(0)
        )
        _require_done(outcome)
        return found or []

    def words(self, max_length: int, at_most: int = 1_000_000) -> list[Configuration]:
        """The configurations with at most `height` symbols on the stack, by shared state and then
        in the order of a dictionary, but not more than `at_most`."""
        return self.core.words(max_length, at_most)

    def run_to(self, configuration: Configuration | str, limits: Limits | None = None) -> Run:
        """For what `post_star` found: a run from the set it was called on to a configuration."""
        if not isinstance(self.origin, PostStar):
            raise UsageError("a run leads to a configuration only in what post_star() returns")
        shared, stack = _checked(self.system, self.thread, configuration)
        found = self.origin.run_to(shared, stack, Meter(limits or Limits()).for_kernel(0))
        return self._run(found, (shared, stack))

    def run_from(self, configuration: Configuration | str, limits: Limits | None = None) -> Run:
        """For what `pre_star` found: a run from a configuration to the set it was called on."""
        if not isinstance(self.origin, PreStar):
            raise UsageError("a run leads from a configuration only in what pre_star() returns")
        shared, stack = _checked(self.system, self.thread, configuration)
        found = self.origin.run_from(shared, stack, Meter(limits or Limits()).for_kernel(0))
        return self._run(found, (shared, stack))

    def text(self, configuration: Configuration) -> str:
        """A configuration as patterns write it."""
        shared, stack = configuration
        symbols = " ".join(written(self.template.symbols[symbol]) for symbol in stack)
        return f"<{written(self.system.shared[shared])}, {symbols or '-'}>"

    def dot(self) -> str:
        """The automaton as text for Graphviz."""
        from tepui.report.pictures.automaton_graphs import automaton_graph
        from tepui.report.pictures.graphviz import graph_dot

        return graph_dot(automaton_graph(self))

    def __repr__(self) -> str:
        count = len(self.core.transitions())
        name = self.system.thread_names[self.thread]
        return f"<Automaton of {name} in {self.system.name}: {count:,} transitions>"

    def _repr_html_(self) -> str | None:
        from tepui.report.pictures.automaton_graphs import automaton_graph
        from tepui.report.pictures.graph import graph_html

        return graph_html(len(self.core.transitions()), lambda: automaton_graph(self))

    def _saturated(self, found: PostStar | PreStar, limits: Limits | None) -> Automaton:
        meter = Meter(limits or Limits())
        outcome: Outcome = "paused"
        while outcome == "paused":
            outcome = found.advance(meter.for_kernel(found.bytes))
        _require_done(outcome)
        return self._with(found.automaton(), found)

    def _with(self, core: PAutomaton, origin: PostStar | PreStar | None = None) -> Automaton:
        return Automaton(self.system, self.thread, core, self.kernel, origin)

    def _same_thread(self, other: Automaton) -> PAutomaton:
        """The other's kernel, if its numbers mean the same as ours."""
        if other.system is not self.system or (
            other.system.threads[other.thread] != self.system.threads[self.thread]
        ):
            raise UsageError("these automata are of different threads")
        return other.core

    def _run(
        self,
        answer: tuple[tuple[Configuration, list[int]] | None, Outcome],
        configuration: Configuration,
    ) -> Run:
        found, outcome = answer
        _require_done(outcome)
        if found is None:
            raise UsageError(f"{self.text(configuration)} is not in this set")
        start, rules = found
        return Run(self.system, self.thread, start, tuple(self.template.rules[i] for i in rules))


@dataclass(frozen=True)
class Run:
    """Steps of one thread: where it starts, and the rules it takes."""

    system: System
    thread: int
    start: Configuration
    rules: tuple[Rule, ...]

    def configurations(self) -> Iterator[Configuration]:
        """Where it starts, and where each step leads."""
        shared, stack = self.start
        yield shared, stack
        for rule in self.rules:
            shared, stack = rule.target, rule.word + stack[1:]
            yield shared, stack

    def __str__(self) -> str:
        word_text = self.system.template_of(self.thread).word_text
        return "\n".join(
            f"{self.system.shared[shared]} | {word_text(stack)}"
            for shared, stack in self.configurations()
        )


def thread_number(system: System, thread: str | int) -> int:
    """The number of a thread of a system that has automata."""
    if isinstance(system, Lowered):
        raise UsageError(
            f"{system.name} is a program, whose rules are not all known; "
            f"{named('convert')} writes it out as a system, which has automata"
        )
    if isinstance(thread, int):
        if not 0 <= thread < len(system.threads):
            last = len(system.threads) - 1
            raise UsageError(f"there is no thread number {thread}: the threads are 0 to {last}")
        return thread
    if thread not in system.thread_names:
        hint = did_you_mean(thread, system.thread_names, "the threads are")
        raise UsageError(f"there is no thread {thread}{hint}")
    return system.thread_names.index(thread)


def _names(system: System, thread: int) -> PatternNames:
    return PatternNames(
        system.thread_names[thread], system.shared, system.template_of(thread).symbols
    )


def _checked(system: System, thread: int, configuration: Configuration | str) -> Configuration:
    if isinstance(configuration, str):
        return configuration_of(configuration, _names(system, thread))
    shared, stack = configuration
    symbols = range(EPSILON + 1, len(system.template_of(thread).symbols))
    if not 0 <= shared < len(system.shared) or not all(symbol in symbols for symbol in stack):
        raise UsageError(f"{configuration} is no configuration of {system.thread_names[thread]}")
    return shared, tuple(stack)


def _shared(system: System, shared: int | str) -> int:
    if isinstance(shared, str) and shared in system.shared:
        return system.shared.index(shared)
    if isinstance(shared, int) and 0 <= shared < len(system.shared):
        return shared
    hint = did_you_mean(str(shared), system.shared, "the shared states are")
    raise UsageError(f"there is no shared state {shared}{hint}")


def _require_done(outcome: Outcome) -> None:
    if outcome != "done":
        raise Stopped.at_limit(outcome)
