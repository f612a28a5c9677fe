"""A trace: a run of the system, step by step, into a bad state.

It is plain data and may say anything. It is believed because it is replayed: `check` computes the
run itself, from the system's own initial state with the system's own rules, and compares. So the
last state is reachable. It keeps threads and rules only; states follow from these (`trace_steps`).
It does not claim to be shortest: `contexts` and `schedule` are what this run needs, not the least
any run needs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict
from itertools import groupby
from typing import TYPE_CHECKING, Any, ClassVar, Self

from tepui.checker.bad_states import BadStates, is_reached
from tepui.checker.evidence import Evidence, Pair, register
from tepui.checker.name_text import rule_text, state_text
from tepui.checker.trace_steps import Move, State, Steps, TraceStep, Walk
from tepui.errors import EvidenceError
from tepui.model import Property, Rule, System
from tepui.records import record
from tepui.words import plural

if TYPE_CHECKING:
    from tepui.checker.reading import Reader
    from tepui.checker.writing import Writer
    from tepui.model.system import Word


WRITTEN_SYMBOLS = 100_000
"""A trace is written with the whole state after each step if their stacks have no more symbols
together; else, with rules only."""


@record
class Schedule:
    """The rounds and delays that a round-robin scheduler needs for a run. Threads have their turns
    in order, one step each; passing over a thread that has a step costs a delay."""

    rounds: int
    delays: int

    def __str__(self) -> str:
        rounds, delays = plural(self.rounds, "round"), plural(self.delays, "delay")
        return f"{self.rounds} {rounds} and {self.delays} {delays}"


@register
@record
class Trace(Evidence):
    """A run from the initial state; its last state is meant to be bad.

    >>> trace = tepui.verify(tepui.load("examples/bluetooth1.bp")).trace
    >>> isinstance(trace, tepui.Trace), trace.contexts, len(trace.steps)
    (True, 3, 14)
    """

    kinds: ClassVar = ("trace",)
    fields: ClassVar = ("initial", "contexts", "steps")
    optional: ClassVar = ("schedule",)

    initial_shared: int
    initial_stacks: tuple[Word, ...]
    steps: Sequence[TraceStep]
    """Whatever steps it is given; they are kept as differences."""
    contexts: int
    """The number of maximal blocks of consecutive steps by one thread; 0 without steps."""
    schedule: Schedule | None = None
    """What it takes under round-robin scheduling, if that is claimed."""

    def __post_init__(self) -> None:
        start = (self.initial_shared, self.initial_stacks)
        if not isinstance(self.steps, Steps) or self.steps.start != start:
            object.__setattr__(self, "steps", Steps.of(start, self.steps))

    @classmethod
    def of_moves(cls, start: State, moves: Iterable[Move]) -> Trace:
        """The run from a state in which threads take rules, one after the other."""
        steps = Steps.of_moves(start, moves)
        contexts = sum(1 for _ in groupby(steps.threads))
        return Trace(*start, steps=steps, contexts=contexts)

    @property
    def start(self) -> State:
        """The shared state and the stacks at its beginning."""
        return self.initial_shared, self.initial_stacks

    @property
    def end(self) -> State:
        """The shared state and the stacks at its end."""
        return self.differences.end

    @property
    def differences(self) -> Steps:
        """Its steps as they are kept: walking along them takes little memory and time, whatever the
        stacks."""
        assert isinstance(self.steps, Steps)
        return self.steps

    def check(self, system: System, asked: Property, go_on: Callable[[], bool]) -> None:
        run = _Run(system)
        if self.start != (initial := run.state):
            raise EvidenceError(
                f"the trace starts in {_text(system, self.start)}, "
                f"the system in {_text(system, initial)}"
            )
        claims = self.differences.claims
        for place, (thread, rule) in enumerate(self.differences.moves()):
            run.take(thread, rule, f"step {place + 1}")
            if place in claims and claims[place] != run.state:
                raise EvidenceError(
                    f"step {place + 1} leads to {run.text()}, "
                    f"but the trace says {_text(system, claims[place])}"
                )
        if self.contexts != run.contexts:
            raise EvidenceError(
                f"the trace claims {self.contexts} contexts, but has {run.contexts}"
            )
        if self.schedule not in (None, run.schedule):
            raise EvidenceError(f"the trace claims {self.schedule}, but takes {run.schedule}")
        one_by_one = [(thread,) for thread in range(len(system.threads))]
        visible = (run.shared, *run.tops())
        reached = any(is_reached(reach, *run.state) for reach in asked.reaches)
        if not reached and visible not in BadStates(system, asked, one_by_one):
            raise EvidenceError(f"the trace ends in {run.text()}, which is not bad")

    def pairs(self, system: System, go_on: Callable[[], bool]) -> list[set[Pair]]:
        """Those of the states that its moves lead to: `check` looks at no others."""
        walk = Walk(self.start)
        tops = walk.tops()
        found: list[set[Pair]] = [set() for _ in system.threads]
        for pairs, top in zip(found, tops, strict=False):
            pairs.add((walk.shared, top))
        for thread, rule in self.differences.moves():
            before = walk.shared
            walk.move(thread, rule)
            if 0 <= thread < len(tops):
                tops[thread] = walk.top(thread)
            if walk.shared != before:
                for pairs, top in zip(found, tops, strict=False):
                    pairs.add((walk.shared, top))
            elif 0 <= thread < len(found):
                found[thread].add((walk.shared, tops[thread]))
        return found

    def fixed(self) -> Self:
        return self

    def body(self, writer: Writer) -> dict[str, Any]:
        schedule = {} if self.schedule is None else {"schedule": asdict(self.schedule)}
        return {
            "initial": _written_state(writer, self.start),
            "contexts": self.contexts,
            **schedule,
            "steps": map(writer.line, self._written_steps(writer)),
        }

    def _written_steps(self, writer: Writer) -> Iterator[dict[str, Any]]:
        """Small traces are written with all states, for readers; whatever is claimed wrongly, too,
        so that it stays wrong."""
        steps = self.differences
        if steps.symbols <= WRITTEN_SYMBOLS:
            for step in steps:
                state = _written_state(writer, (step.shared, step.stacks))
                yield _written_move(writer, step.thread, step.rule) | state
            return
        for place, (thread, rule) in enumerate(steps.moves()):
            claimed = steps.claims.get(place)
            state = {} if claimed is None else _written_state(writer, claimed)
            yield _written_move(writer, thread, rule) | state

    @classmethod
    def read(cls, reader: Reader, kind: str, fields: dict[str, Any]) -> Self:
        initial = reader.record(fields["initial"], "initial", ("shared", "stacks"))
        start = _read_state(reader, initial, "initial")
        walk = Walk(start)
        claims: dict[int, State] = {}

        def moves() -> Iterator[Move]:
            for place, step in enumerate(reader.items(fields["steps"], "steps")):
                thread, rule, claimed = _read_step(reader, step, f"steps[{place}]")
                walk.move(thread, rule)
                if claimed is not None and claimed != walk.state:
                    claims[place] = claimed
                yield thread, rule

        steps = Steps.of_moves(start, moves())
        return cls(
            *start,
            steps=steps.claiming(claims) if claims else steps,
            contexts=reader.a(int, fields["contexts"], "contexts"),
            schedule=_read_schedule(reader, fields["schedule"]) if "schedule" in fields else None,
        )


class _Run(Walk):
    """The system's own state as it takes steps, and the contexts, turns and delays so far."""

    def __init__(self, system: System) -> None:
        super().__init__((system.initial, system.initial_stacks()))
        self._system = system
        self._rules = [frozenset(template.rules) for template in system.templates]
        self._enabled = [
            frozenset((rule.source, rule.top) for rule in template.rules)
            for template in system.templates
        ]
        self._thread: int | None = None
        self._turns = 0
        self._delays = 0
        self.contexts = 0

    def take(self, thread: int, rule: Rule, place: str) -> None:
        """Take a rule if the thread has it and it is enabled."""
        if not 0 <= thread < len(self._system.threads):
            raise EvidenceError(f"{place} is taken by thread #{thread}, which does not exist")
        if rule not in self._rules[self._system.threads[thread]]:
            text, name = self._named(thread, rule)
            raise EvidenceError(f"{place} takes {text}, which is no rule of thread {name}")
        if (rule.source, rule.top) != (self.shared, self.top(thread)):
            text, name = self._named(thread, rule)
            raise EvidenceError(
                f"{place} takes {text} of thread {name}, which is not enabled in {self.text()}"
            )
        self._wait_for(thread)
        self.move(thread, rule)
        if thread != self._thread:
            self._thread = thread
            self.contexts += 1

    @property
    def schedule(self) -> Schedule:
        """What it takes under round-robin scheduling. The next turn of a thread is never worse than
        a later one, which costs at least one more delay."""
        return Schedule(-(-self._turns // len(self._system.threads)), self._delays)

    def text(self) -> str:
        return _text(self._system, self.state)

    def _wait_for(self, thread: int) -> None:
        """Let turns pass, up to and including the turn of a thread."""
        threads = self._system.threads
        while (passed := self._turns % len(threads)) != thread:
            self._delays += (self.shared, self.top(passed)) in self._enabled[threads[passed]]
            self._turns += 1
        self._turns += 1

    def _named(self, thread: int, rule: Rule) -> tuple[str, str]:
        """A rule and its thread, for messages."""
        system = self._system
        return rule_text(system, system.template_of(thread), rule), system.thread_names[thread]


def _text(system: System, state: State) -> str:
    shared, stacks = state
    return state_text(system, shared, ((stack, False) for stack in stacks))


def _written_state(writer: Writer, state: State) -> dict[str, Any]:
    shared, stacks = state
    words = [writer.word(thread, stack) for thread, stack in enumerate(stacks)]
    return {"shared": writer.shared(shared), "stacks": words}


def _written_move(writer: Writer, thread: int, rule: Rule) -> dict[str, Any]:
    return {
        "thread": writer.thread(thread),
        "rule": {
            "source": writer.shared(rule.source),
            "top": writer.word(thread, (rule.top,))[0],
            "target": writer.shared(rule.target),
            "word": writer.word(thread, rule.word),
        },
    }


def _read_state(reader: Reader, fields: dict[str, Any], where: str) -> State:
    shared = reader.shared(fields["shared"], f"{where}.shared")
    return shared, reader.stacks(fields["stacks"], f"{where}.stacks")


def _read_schedule(reader: Reader, value: Any) -> Schedule:
    fields = reader.record(value, "schedule", ("rounds", "delays"))
    counts = (reader.a(int, fields[name], f"schedule.{name}") for name in ("rounds", "delays"))
    return Schedule(*counts)


def _read_step(reader: Reader, value: Any, where: str) -> tuple[int, Rule, State | None]:
    """A thread, its rule, and the state after it if the file has that."""
    states = ("shared", "stacks")
    fields = reader.record(value, where, ("thread", "rule"), states)
    claimed = None
    if any(key in fields for key in states):
        fields = reader.record(value, where, ("thread", "rule", *states))
        claimed = _read_state(reader, fields, where)
    thread = reader.thread(fields["thread"], f"{where}.thread")
    place = f"{where}.rule"
    rule = reader.record(fields["rule"], place, ("source", "top", "target", "word"))
    symbols = reader.symbols(thread)
    taken = Rule(
        source=reader.shared(rule["source"], f"{place}.source"),
        top=reader.number(symbols, rule["top"], f"{place}.top"),
        target=reader.shared(rule["target"], f"{place}.target"),
        word=reader.word(symbols, rule["word"], f"{place}.word"),
    )
    return thread, taken, claimed
