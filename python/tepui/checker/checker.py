"""The independent checker: decides whether a verifier's answer is believed.

It reads the System, the property and the evidence, and nothing else; it shares no code with any
engine. The System and the property are trusted to be what the user asked about. Evidence is not:
every number in it is checked before it is used, and nothing in it is taken for granted. (Its
Python types are those of the dataclasses: `files` makes sure of that for whatever is read.)

A trace is believed because it is replayed: the checker computes the run itself, from the system's
own initial state with the system's own rules, and compares; so the last state is reachable.
A certificate is believed because it is inductive; the argument is in `induction`, and for its other
forms in `diagrams` and `products`.
"""

from __future__ import annotations

from collections.abc import Callable

from tepui.checker.bad import BadStates, is_reached
from tepui.checker.certificate import DiagramCertificate, Evidence, SymbolicCertificate
from tepui.checker.induction import check_certificate
from tepui.checker.text import rule_text, state_text
from tepui.checker.trace import Schedule, Step, Trace
from tepui.errors import EvidenceError
from tepui.model import EPSILON, Property, System
from tepui.model.system import Word


def check(
    system: System,
    property: Property,  # noqa: A002
    evidence: Evidence,
    go_on: Callable[[], bool] = lambda: True,
) -> None:
    """Return if the evidence proves its claim; raise EvidenceError with the first reason if not.

    A trace claims that a bad state of the property is reachable, by a run of `contexts` contexts,
    and perhaps of so many rounds and delays.
    A certificate claims that none is, in any number of contexts. That takes time if it is large:
    `go_on` is asked now and then, and CheckStopped is raised when it says no.
    """
    if isinstance(evidence, Trace):
        _check_trace(system, property, evidence)
    elif isinstance(evidence, DiagramCertificate):
        from tepui.checker.diagrams import check_diagram

        check_diagram(system, property, evidence, go_on)
    elif isinstance(evidence, SymbolicCertificate):
        from tepui.checker.products import check_products

        check_products(system, property, evidence, go_on)
    else:
        check_certificate(system, property, evidence, go_on)


def _check_trace(system: System, asked: Property, trace: Trace) -> None:
    run = _Run(system)
    if (trace.initial_shared, trace.initial_stacks) != (run.shared, run.stacks):
        raise EvidenceError(
            f"the trace starts in {_text(system, trace.initial_shared, trace.initial_stacks)}, "
            f"the system in {run.text()}"
        )
    for number, step in enumerate(trace.steps, start=1):
        run.take(step, f"step {number}")
        if (step.shared, step.stacks) != (run.shared, run.stacks):
            raise EvidenceError(
                f"step {number} leads to {run.text()}, "
                f"but the trace says {_text(system, step.shared, step.stacks)}"
            )
    if trace.contexts != run.contexts:
        raise EvidenceError(f"the trace claims {trace.contexts} contexts, but has {run.contexts}")
    if trace.schedule not in (None, run.schedule):
        raise EvidenceError(f"the trace claims {trace.schedule}, but takes {run.schedule}")
    one_by_one = [(thread,) for thread in range(len(system.threads))]
    visible = (run.shared, *map(_top, run.stacks))
    reached = any(is_reached(reach, run.shared, run.stacks) for reach in asked.reaches)
    if not reached and visible not in BadStates(system, asked, one_by_one):
        raise EvidenceError(f"the trace ends in {run.text()}, which is not bad")


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

    def take(self, step: Step, place: str) -> None:
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
        a later one, which costs a delay more at least."""
        return Schedule(-(-self._turns // len(self.stacks)), self._delays)

    def _wait_for(self, thread: int) -> None:
        """Let turns pass until that of a thread, and that too."""
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
