"""`tepui.watch_predicates`: plateaus, respect and closure for predicates that a user gives.

For a fixed number of threads, `predicate_sequence` collects abstract states up to a plateau. For
any number of threads, it does so with n = 1, 2, 3, … threads of each type of which there is any
number (the outer loop of section 5.2), until one more of each shows nothing new.

Then the solver is asked whether the set of abstract states is closed. If it is, the set is exact.
If it is not, the run ends as in the paper, or goes on with more threads if there may be some.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib.util import find_spec

from tepui.checker.invariants.invariant import Stack
from tepui.checker.invariants.solver import Solver
from tepui.checker.invariants.terms import Terms
from tepui.checker.invariants.thread_paths import Paths
from tepui.checker.invariants.values import Refused
from tepui.doors import door
from tepui.errors import AT_LIMIT, CheckStopped, UsageError
from tepui.limits import Limits, Meter, check_count, peak_memory, reached_limit
from tepui.program.program import Program, thread_names
from tepui.program.questions import Question, own_questions
from tepui.program.state_names import point_text
from tepui.records import replace
from tepui.result import Stop
from tepui.watching.predicates.closure_queries import Closed, ClosureQueries
from tepui.watching.predicates.concrete_steps import (
    AbstractionOfPredicates,
    AbstractState,
    ConcreteSteps,
)
from tepui.watching.predicates.excluded import excluded
from tepui.watching.predicates.picture_queries import (
    Action,
    Decided,
    PictureQueries,
    together,
)
from tepui.watching.predicates.predicate_result import (
    AbstractStateRow,
    AskedQuestion,
    NumberObservation,
    PredicateResult,
    StatementAnswer,
)
from tepui.watching.predicates.predicate_sequence import (
    BadStates,
    PredicateSequence,
    TooManyRounds,
)
from tepui.watching.predicates.predicate_terms import PredicateTerms
from tepui.watching.predicates.predicate_text import Predicate, read_predicate
from tepui.watching.predicates.respect_queries import respects
from tepui.watching.predicates.round_robin import Came
from tepui.words import counted, did_you_mean

_SECONDS = 10.0
"""How long the solver may think about one question."""

_TURNS_AT_A_TIME = 500
"""After this number of turns, time and memory are measured."""


@door
def watch_predicates(
    program: Program,
    predicates: Sequence[str],
    questions: Sequence[Question] | None = None,
    *,
    watched: str | None = None,
    rounds: int | None = None,
    most_threads: int | None = None,
    limits: Limits | None = None,
) -> PredicateResult:
    """Watch predicates of a program: which of their values are reachable, and is that all?

    An abstract state is where one thread is, the first of the type `watched`, and which predicates
    hold. `questions` are about what must not happen; by default, they are those of the program.
    `rounds` ends a run that would take more of them. A run ends at a plateau, whether or not the
    set is closed there; with `most_threads` a run that finds it is not closed goes on, up to this
    number of threads of each type of which there is any number.

    >>> program = tepui.load_program("examples/peterson.bp")
    >>> seen = tepui.watch_predicates(program, ["turn = me"], watched="process(0)")
    >>> seen.verdict, len(seen.abstract_states), seen.proved
    ('closed', 20, False)
    """
    check_count("rounds", rounds)
    check_count("most_threads", most_threads)
    try:
        watch = _Watch(program, predicates, questions, watched, limits)
        return watch.seen(rounds, most_threads)
    except Refused as refused:
        what = str(refused).removeprefix("invariants are not checked for programs with ")
        raise UsageError(f"{program.name}: predicates are not watched with {what}") from None


class _LimitReached(Exception):  # noqa: N818 - it is one of the ways in which a run ends
    def __init__(self, stop: Stop) -> None:
        super().__init__(stop.text)
        self.stop = stop


class _Watch:
    """One run."""

    def __init__(
        self,
        program: Program,
        predicates: Sequence[str],
        questions: Sequence[Question] | None,
        watched: str | None,
        limits: Limits | None,
    ) -> None:
        self._program = program
        self._limits = Limits() if limits is None else limits
        self._meter = Meter(self._limits)
        self._paths = Paths(program, (), Terms())
        self._about = PredicateTerms(self._paths)
        self._predicates = [read_predicate(text) for text in predicates]
        self._watched = _watched(program, self._about, self._predicates, watched)
        for predicate in self._predicates:
            self._about.check(predicate, self._watched)
        self._questions = list(own_questions(program) if questions is None else questions)
        _check_questions(self._questions)
        self._steps = ConcreteSteps(self._paths)
        self._abstraction = AbstractionOfPredicates(self._about, self._steps, self._predicates)
        self._found: dict[AbstractState, None] = {}
        self._turns = 0
        self._result = PredicateResult(
            verdict="stopped",
            program=program.name,
            watched=program.threads[self._watched].name,
            predicates=tuple(predicates),
            threads={each.name: each.count for each in program.threads},
            abstract_states=(),
            observations=[],
        )

    def seen(self, rounds: int | None, most_threads: int | None) -> PredicateResult:
        """Run to the end, whatever that is."""
        result = self._result
        try:
            self._climb(rounds, most_threads)
        except _LimitReached as reached:
            result.stop = reached.stop
        except CheckStopped:
            result.stop = Stop.at_limit("time", self._limits)
        except (KeyboardInterrupt, *AT_LIMIT) as error:
            result.stop = Stop.at_limit(reached_limit(error), self._limits)
        if result.stop is not None:
            result.verdict = "stopped"
        result.abstract_states = tuple(map(self._row, sorted(self._found, key=_order)))
        if self._steps.has_left_out and result.verdict == "plateau":
            result.notes.append(
                "where any integer can be chosen, only small ones were, so there may be more "
                "abstract states"
            )
        result.seconds = self._meter.seconds()
        result.peak_memory_bytes = peak_memory()
        return result

    def _climb(self, rounds: int | None, most_threads: int | None) -> None:
        """The outer loop: numbers of threads."""
        result = self._result
        for number, counts in enumerate(self._counts(), start=1):
            if not self._explore(counts, rounds):
                result.verdict = "violation"
                return
            may_grow = bool(self._program.any_number)
            is_last = not may_grow or number == most_threads
            if may_grow and not is_last and (number == 1 or result.observations[-1].new):
                continue
            result.verdict = "plateau"
            self._ask()
            if result.closed == "yes":
                result.verdict = "closed"
            if result.closed == "yes" or is_last or most_threads is None:
                return

    def _counts(self) -> Iterator[dict[str, int]]:
        """Numbers of threads, by type."""
        number = 0
        while number == 0 or self._program.any_number:
            number += 1
            yield {each.name: each.count or number for each in self._program.threads}

    def _explore(self, counts: dict[str, int], rounds: int | None) -> bool:
        """The inner loop. Whether nothing bad was found."""
        threads = enumerate(self._program.threads)
        types = [number for number, each in threads for _ in range(counts[each.name])]
        bad = BadStates(self._program, self._questions, self._steps)
        sequence = PredicateSequence(
            self._steps, self._abstraction, types, self._watched, bad, self._go_on
        )
        try:
            sequence.run(rounds)
        except TooManyRounds:
            assert rounds is not None
            text = f"the limit of {counted(rounds, 'round')} was reached"
            raise _LimitReached(Stop("rounds", text, rounds)) from None
        finally:
            self._observe(counts, sequence)
        if sequence.violated is None:
            return True
        question, run = sequence.violated
        self._result.violated = question.violation
        self._result.run = self._told(run, types)
        return False

    def _observe(self, counts: dict[str, int], sequence: PredicateSequence) -> None:
        known, turns = len(self._found), sequence.turns
        self._found.update(sequence.found)
        self._result.observations.append(
            NumberObservation(
                counts,
                turns.rounds,
                turns.delays,
                len(turns.states),
                len(sequence.found),
                len(self._found) - known,
                turns.is_closed,
            )
        )

    def _ask(self) -> None:
        """Ask the solver about the set that was found."""
        result = self._result
        if find_spec("cvc5") is None:
            result.notes.append(
                "respect and closure are decided by the solver cvc5, which is not installed: "
                "pip install 'tepui[smt]'"
            )
            return
        with Solver(self._has_time, seconds=_SECONDS) as solver:
            queries = PictureQueries(self._about, self._predicates, self._watched, solver)
            closure = ClosureQueries(queries, list(self._found))
            start = closure.start()
            result.start = start.decided
            result.start_outside = None if start.escape is None else self._row(start.escape.after)
            result.statements = []
            for action in queries.actions():
                answer = respects(queries, action)
                result.statements.append(self._statement(action, answer, closure.under(action)))
            result.closed = together([result.start, *(each.closed for each in result.statements)])
            if result.closed == "yes":
                result.questions = [
                    AskedQuestion(each.text, excluded(closure, queries, each))
                    for each in self._questions
                ]

    def _statement(self, action: Action, respect: Decided, closed: Closed) -> StatementAnswer:
        location = self._program.layout.location(action.stack[0]) if action.stack else None
        escape = closed.escape
        return StatementAnswer(
            by=action.by,
            thread=self._program.threads[action.thread].name,
            place=self._place(action.stack),
            text="" if location is None else location.text,
            respects=respect,
            closed=closed.decided,
            before=None if escape is None or escape.before is None else self._row(escape.before),
            after=None if escape is None else self._row(escape.after),
        )

    def _told(self, run: Sequence[Came], types: Sequence[int]) -> list[str]:
        """The steps of a run in words."""
        layout = self._program.layout
        counts = {number: types.count(number) for number in set(types)}
        names = thread_names(
            replace(
                self._program,
                threads=tuple(
                    replace(each, count=counts[number])
                    for number, each in enumerate(self._program.threads)
                ),
            )
        )
        told = []
        for came in run:
            point = came.path.before[0]
            location = layout.location(point)
            text = "" if location is None else location.text
            told.append(f"{names[came.thread]} at {point_text(layout, point)}  {text}".rstrip())
        return told

    def _row(self, state: AbstractState) -> AbstractStateRow:
        stack, values = state
        return AbstractStateRow(self._place(stack), values)

    def _place(self, stack: Stack) -> str:
        """Where a thread is: its statement, and those to which calls return."""
        texts = []
        for point in stack:
            location = self._program.layout.location(point)
            labels = () if location is None else location.labels
            text = point_text(self._program.layout, point)
            texts.append(f"{text} ({labels[0]})" if labels else text)
        return " / ".join(texts) or "-"

    def _go_on(self) -> None:
        self._turns += 1
        if self._turns % _TURNS_AT_A_TIME:
            return
        if self._meter.is_out_of_time():
            raise _LimitReached(Stop.at_limit("time", self._limits))
        if self._meter.bytes_left() == 0:
            raise _LimitReached(Stop.at_limit("memory", self._limits))

    def _has_time(self) -> bool:
        return not self._meter.is_out_of_time()


def _watched(
    program: Program, about: PredicateTerms, predicates: Sequence[Predicate], name: str | None
) -> int:
    """The type of the watched thread: the one that is named, or the only one that has the local
    variables of the predicates."""
    names = [each.name for each in program.threads]
    if name is not None:
        if name not in names:
            hint = did_you_mean(name, names, "its threads are")
            raise UsageError(f"watched: {program.name} has no threads of a type {name}{hint}")
        return names.index(name)
    local = {each for predicate in predicates for each in about.locals_of(predicate)}
    fitting = [number for number in range(len(names)) if about.has_locals(number, local)]
    if len(fitting) == 1 or len(names) == 1:
        return fitting[0] if fitting else 0
    raise UsageError(
        f"watched: {program.name} has threads of several types ({', '.join(names)}): say which of "
        "them is watched"
    )


def _check_questions(questions: Sequence[Question]) -> None:
    for question in questions:
        if question.kind == "deadlock" or question.about is not None:
            raise UsageError(
                f"{question.text}: with predicates, ask about assertions and places only"
            )


def _order(state: AbstractState) -> tuple[Stack, tuple[int, ...]]:
    """Rows with the same place are together; no value comes first, then false, then true."""
    stack, values = state
    return stack, tuple(-1 if value is None else int(value) for value in values)
