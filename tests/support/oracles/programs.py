"""The oracle for programs: all that brute force sees, and how an engine compares with it.

Rounds are sets of whole states of the naive interpreter: R_{k+1} is what the threads, each alone,
reach from R_k (CUBA, section 2.2). Where stacks grow without end, some states are dropped, and
`Findings.exact` says how far the rounds are complete nevertheless. A program that has too many
states is refused with TooLargeError.

`compare` is the entry point for engines: it takes what one of them claims, as `Answers`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Literal, NamedTuple

from support.oracles.program_interpreter import Interpreter, Outcome, Place, State, TooLargeError
from tepui.program.program import Program, Receive

Kind = Literal["unsafe", "violated", "covered", "label", "together", "deadlock"]


class Fact(NamedTuple):
    """Something that can be reached, or not.

    - `unsafe`: some assertion is violated.
    - `violated (N,)`: assertion N is, counting procedure by procedure in the order of edges.
    - `covered (place,)`: a thread rests there with this location on top of its stack, or passes it
      inside an atomic section, in a call made there or not, on a path that is complete.
    - `label (name,)`: a location with this label is covered, by any thread.
    - `together (place, place)`: two threads rest there at the same time, or one rests while the
      other passes inside an atomic section (the receipt of results does not count as a place to
      pass, for nobody can ask for it). The places are sorted.
    - `deadlock`: no thread can move, and one of them is neither over nor still to be created.
    """

    kind: Kind
    what: tuple[Place, ...] | tuple[int] | tuple[str] = ()


@dataclass(frozen=True)
class Answers:
    """What an engine claims about a program.

    `asked` are the facts, and the kinds of which all facts, that the engine was asked for.
    `found` gives for each fact that can be reached the smallest number of contexts, or None where
    the engine does not say. A fact that was asked for and is not in `found` is claimed not to be
    reachable within `contexts` contexts; with None, within any number.
    """

    asked: Collection[Kind | Fact]
    found: Mapping[Fact, int | None]
    contexts: int | None = None


@dataclass
class Findings:
    """What brute force knows about a program.

    `found` gives for each fact a number of contexts that is enough. All rounds up to `exact` are
    complete, so what is not found up to there is not there; None means all rounds there are.
    """

    rounds: list[set[State]] = field(default_factory=list)
    found: dict[Fact, int] = field(default_factory=dict)
    exact: int | None = None
    collapsed: bool = False
    """Whether the last two rounds are equal."""
    blocked: bool = False
    """Whether some way into an atomic section did not lead out again."""

    def first(self, kind: Kind, *what: Place | int | str) -> int | None:
        """The number of contexts with which a fact was found."""
        return self.found.get(Fact(kind, what))  # type: ignore[arg-type]

    def note(self, fact: Fact, k: int) -> None:
        self.found.setdefault(fact, k)

    def lacks_from(self, k: int) -> None:
        """Note that round k and all later ones may lack something."""
        self.exact = k - 1 if self.exact is None else min(self.exact, k - 1)


def compare(program: Program, answers: Answers, findings: Findings | None = None) -> list[str]:
    """Every contradiction between what an engine claims and what brute force finds.

    Both sides may know only a part: brute force up to `Findings.exact`, the engine up to
    `Answers.contexts`. Raises TooLargeError where brute force has no answer.
    """
    seen = explore(program) if findings is None else findings
    asked = [
        fact
        for fact in {*seen.found, *answers.found}
        if fact in answers.found or fact in answers.asked or fact.kind in answers.asked
    ]
    differences = [_difference(fact, answers, seen) for fact in asked]
    return sorted(difference for difference in differences if difference)


def explore(program: Program, contexts: int = 12, depth: int = 6, most: int = 4000) -> Findings:
    """R_0, R_1, ... until nothing is new, and what they show."""
    interpreter = Interpreter(program, depth, most)
    findings = Findings(rounds=[set(interpreter.initial_states())])
    _note_states(interpreter, findings, findings.rounds[0])
    for k in range(1, contexts + 1):
        before = findings.rounds[-1]
        now = set(before)
        for thread in range(len(interpreter.owners)):
            now |= _context(interpreter, findings, before, thread)
        findings.rounds.append(now)
        _note_states(interpreter, findings, now - before)
        if now == before:
            findings.collapsed = True
            return findings
        if findings.exact is not None and findings.exact < k - 2:
            return findings
    if findings.exact is None:
        findings.exact = contexts
    return findings


def _context(
    interpreter: Interpreter, findings: Findings, before: set[State], thread: int
) -> set[State]:
    """What one thread reaches in the next context, and a note of all that it does on the way."""
    k = len(findings.rounds)
    reached, waiting = set(before), list(before)
    while waiting:
        state = waiting.pop()
        outcome = interpreter.step(state, thread)
        _note_step(interpreter, findings, k, state, thread, outcome)
        for after in outcome.after - reached:
            reached.add(after)
            waiting.append(after)
        if len(reached) > interpreter.most:
            raise TooLargeError
    return reached


def _note_states(interpreter: Interpreter, findings: Findings, fresh: set[State]) -> None:
    """What the new states of the last round show by themselves."""
    k = len(findings.rounds) - 1
    for state in fresh:
        places = [
            interpreter.place(thread, *stack[-1][:2])
            for thread, stack in enumerate(state.stacks)
            if stack
        ]
        for place in places:
            _note_place(interpreter, findings, k, place)
        for pair in combinations(places, 2):
            findings.note(Fact("together", tuple(sorted(pair))), k)
        outcomes = [interpreter.step(state, thread) for thread in range(len(state.stacks))]
        busy = any(
            stack or _may_start(interpreter, state, thread, stack)
            for thread, stack in enumerate(state.stacks)
        )
        if busy and not any(outcome.moves for outcome in outcomes):
            if any(outcome.cut_inside for outcome in outcomes):
                findings.lacks_from(k)
            else:
                findings.note(Fact("deadlock"), k)


def _may_start(
    interpreter: Interpreter, state: State, thread: int, stack: tuple[object, ...] | None
) -> bool:
    """Whether a thread was created and has not started: it may have to wait for the lock."""
    return stack is None and state.created[interpreter.owners[thread]] is not None


def _note_step(
    interpreter: Interpreter,
    findings: Findings,
    k: int,
    state: State,
    thread: int,
    outcome: Outcome,
) -> None:
    """What a step in context k shows besides the states that it leads to."""
    for assertion in outcome.violated:
        findings.note(Fact("unsafe"), k)
        findings.note(Fact("violated", (assertion,)), k)
    for procedure, location in outcome.passed:
        place = interpreter.place(thread, procedure, location)
        _note_place(interpreter, findings, k, place)
        edges = interpreter.program.procedures[procedure].leaving[location]
        if any(isinstance(edge, Receive) for edge in edges):
            continue
        for other, stack in enumerate(state.stacks):
            if other != thread and stack:
                rests = interpreter.place(other, *stack[-1][:2])
                findings.note(Fact("together", tuple(sorted((place, rests)))), k)
    findings.blocked |= outcome.blocked
    if outcome.cut or outcome.cut_inside:
        findings.lacks_from(k)


def _note_place(interpreter: Interpreter, findings: Findings, k: int, place: Place) -> None:
    findings.note(Fact("covered", (place,)), k)
    for label in interpreter.program.by_name[place[1]].locations[place[2]].labels:
        findings.note(Fact("label", (label,)), k)


def _difference(fact: Fact, answers: Answers, seen: Findings) -> str:
    """How claim and finding about one fact contradict each other; nothing if they do not."""
    enough = seen.found.get(fact)
    claim = answers.found.get(fact)
    if enough is not None:
        if fact not in answers.found:
            if answers.contexts is None or answers.contexts >= enough:
                return f"{fact}: found with {enough} contexts, but claimed to be unreachable"
        elif claim is not None and claim > enough:
            return f"{fact}: found with {enough} contexts, but claimed to need {claim}"
    if fact in answers.found and _is_too_early(claim, enough, seen.exact):
        instead = "never" if enough is None else f"only with {enough} contexts"
        return f"{fact}: claimed to be reachable with {claim} contexts, but found {instead}"
    return ""


def _is_too_early(claim: int | None, enough: int | None, exact: int | None) -> bool:
    earlier = enough is None or (claim is not None and claim < enough)
    known = exact is None or (claim is not None and claim <= exact)
    return earlier and known
