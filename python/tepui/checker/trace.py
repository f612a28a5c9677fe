"""A trace: a run of the system, step by step, into a bad state.

It is plain data and may say anything. It is believed because it is replayed: `check` computes the
run itself, from the system's own initial state with the system's own rules, and compares. So the
last state is reachable.
It does not claim to be shortest: `contexts` and `schedule` are what this run needs, not the least
any run needs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, ClassVar, Self

from tepui.checker.bad_states import BadStates, is_reached
from tepui.checker.evidence import Evidence, Pair, register
from tepui.checker.name_text import rule_text, state_text
from tepui.errors import EvidenceError
from tepui.model import EPSILON, Property, Rule, System
from tepui.records import record
from tepui.words import plural

if TYPE_CHECKING:
    from tepui.checker.reading import Reader
    from tepui.checker.writing import Writer
    from tepui.model.system import Word


@record
class TraceStep:
    """One thread takes one rule; `shared` and `stacks` are the state after it."""

    thread: int
    rule: Rule
    shared: int
    stacks: tuple[Word, ...]


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
    steps: tuple[TraceStep, ...]
    contexts: int
    """The number of maximal blocks of consecutive steps by one thread; 0 without steps."""
    schedule: Schedule | None = None
    """What it takes under round-robin scheduling, if that is claimed."""

    @property
    def end(self) -> tuple[int, tuple[Word, ...]]:
        """The shared state and the stacks at its end."""
        if not self.steps:
            return self.initial_shared, self.initial_stacks
        return self.steps[-1].shared, self.steps[-1].stacks

    def check(self, system: System, asked: Property, go_on: Callable[[], bool]) -> None:
        run = _Run(system)
        if (self.initial_shared, self.initial_stacks) != (run.shared, run.stacks):
            raise EvidenceError(
                f"the trace starts in {_text(system, self.initial_shared, self.initial_stacks)}, "
                f"the system in {run.text()}"
            )
        for number, step in enumerate(self.steps, start=1):
            run.take(step, f"step {number}")
            if (step.shared, step.stacks) != (run.shared, run.stacks):
                raise EvidenceError(
                    f"step {number} leads to {run.text()}, "
                    f"but the trace says {_text(system, step.shared, step.stacks)}"
                )
        if self.contexts != run.contexts:
            raise EvidenceError(
                f"the trace claims {self.contexts} contexts, but has {run.contexts}"
            )
        if self.schedule not in (None, run.schedule):
            raise EvidenceError(f"the trace claims {self.schedule}, but takes {run.schedule}")
        one_by_one = [(thread,) for thread in range(len(system.threads))]
        visible = (run.shared, *map(_top, run.stacks))
        reached = any(is_reached(reach, run.shared, run.stacks) for reach in asked.reaches)
        if not reached and visible not in BadStates(system, asked, one_by_one):
            raise EvidenceError(f"the trace ends in {run.text()}, which is not bad")

    def pairs(self, system: System, go_on: Callable[[], bool]) -> list[set[Pair]]:
        found: list[set[Pair]] = [set() for _ in system.threads]
        states = [(self.initial_shared, self.initial_stacks)]
        states += [(step.shared, step.stacks) for step in self.steps]
        for shared, stacks in states:
            for pairs, stack in zip(found, stacks, strict=False):
                pairs.add((shared, _top(stack)))
        return found

    def fixed(self) -> Self:
        return self

    def body(self, writer: Writer) -> dict[str, Any]:
        schedule = {} if self.schedule is None else {"schedule": asdict(self.schedule)}
        return {
            "initial": _written_state(writer, self.initial_shared, self.initial_stacks),
            "contexts": self.contexts,
            **schedule,
            "steps": (writer.line(_written_step(writer, step)) for step in self.steps),
        }

    @classmethod
    def read(cls, reader: Reader, kind: str, fields: dict[str, Any]) -> Self:
        initial = reader.record(fields["initial"], "initial", ("shared", "stacks"))
        return cls(
            *_read_state(reader, initial, "initial"),
            steps=tuple(
                _read_step(reader, step, f"steps[{number}]")
                for number, step in enumerate(reader.items(fields["steps"], "steps"))
            ),
            contexts=reader.a(int, fields["contexts"], "contexts"),
            schedule=_read_schedule(reader, fields["schedule"]) if "schedule" in fields else None,
        )


class _Run:
    """The system's own state as it takes steps, and the contexts, turns and delays so far."""

    def __init__(self, system: System) -> None:
        self._system = system
        self._rules = [frozenset(template.rules) for template in system.templates]
        self._enabled = [
            frozenset((rule.source, rule.top) for rule in template.rules)
            for template in system.templates
        ]
        self._thread: int | None = None
        self._turns = 0
        self._delays = 0
        self.shared = system.initial
        self.stacks = system.initial_stacks()
        self.contexts = 0

    def take(self, step: TraceStep, place: str) -> None:
        """Take the step's rule if its thread has it and it is enabled."""
        thread, rule = step.thread, step.rule
        if not 0 <= thread < len(self._system.threads):
            raise EvidenceError(f"{place} is taken by thread #{thread}, which does not exist")
        name = self._system.thread_names[thread]
        text = rule_text(self._system, self._system.template_of(thread), rule)
        if rule not in self._rules[self._system.threads[thread]]:
            raise EvidenceError(f"{place} takes {text}, which is no rule of thread {name}")
        stack = self.stacks[thread]
        if (rule.source, rule.top) != (self.shared, _top(stack)):
            raise EvidenceError(
                f"{place} takes {text} of thread {name}, which is not enabled in {self.text()}"
            )
        self._wait_for(thread)
        self.shared = rule.target
        after = rule.word + stack[1:]
        self.stacks = (*self.stacks[:thread], after, *self.stacks[thread + 1 :])
        if thread != self._thread:
            self._thread = thread
            self.contexts += 1

    @property
    def schedule(self) -> Schedule:
        """What it takes under round-robin scheduling. The next turn of a thread is never worse than
        a later one, which costs at least one more delay."""
        return Schedule(-(-self._turns // len(self.stacks)), self._delays)

    def _wait_for(self, thread: int) -> None:
        """Let turns pass, up to and including the turn of a thread."""
        while (passed := self._turns % len(self.stacks)) != thread:
            pair = (self.shared, _top(self.stacks[passed]))
            self._delays += pair in self._enabled[self._system.threads[passed]]
            self._turns += 1
        self._turns += 1

    def text(self) -> str:
        return _text(self._system, self.shared, self.stacks)


def _top(stack: Word) -> int:
    return stack[0] if stack else EPSILON


def _text(system: System, shared: int, stacks: tuple[Word, ...]) -> str:
    return state_text(system, shared, ((stack, False) for stack in stacks))


def _written_state(writer: Writer, shared: int, stacks: Sequence[Word]) -> dict[str, Any]:
    words = [writer.word(thread, stack) for thread, stack in enumerate(stacks)]
    return {"shared": writer.shared(shared), "stacks": words}


def _written_step(writer: Writer, step: TraceStep) -> dict[str, Any]:
    thread, rule = step.thread, step.rule
    return {
        "thread": writer.thread(thread),
        "rule": {
            "source": writer.shared(rule.source),
            "top": writer.word(thread, (rule.top,))[0],
            "target": writer.shared(rule.target),
            "word": writer.word(thread, rule.word),
        },
        **_written_state(writer, step.shared, step.stacks),
    }


def _read_state(reader: Reader, fields: dict[str, Any], where: str) -> tuple[int, tuple[Word, ...]]:
    shared = reader.shared(fields["shared"], f"{where}.shared")
    return shared, reader.stacks(fields["stacks"], f"{where}.stacks")


def _read_schedule(reader: Reader, value: Any) -> Schedule:
    fields = reader.record(value, "schedule", ("rounds", "delays"))
    counts = (reader.a(int, fields[name], f"schedule.{name}") for name in ("rounds", "delays"))
    return Schedule(*counts)


def _read_step(reader: Reader, value: Any, where: str) -> TraceStep:
    fields = reader.record(value, where, ("thread", "rule", "shared", "stacks"))
    thread = reader.thread(fields["thread"], f"{where}.thread")
    place = f"{where}.rule"
    rule = reader.record(fields["rule"], place, ("source", "top", "target", "word"))
    symbols = reader.symbols(thread)
    return TraceStep(
        thread,
        Rule(
            source=reader.shared(rule["source"], f"{place}.source"),
            top=reader.number(symbols, rule["top"], f"{place}.top"),
            target=reader.shared(rule["target"], f"{place}.target"),
            word=reader.word(symbols, rule["word"], f"{place}.word"),
        ),
        *_read_state(reader, fields, where),
    )
