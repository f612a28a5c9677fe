"""One run: exploration from below, Z from above, and what follows from both.

Two sequences run on one exploration (CUBA, section 4). R_k is stutter-free, so its first plateau
is its collapse (Scheme 1). T(R_k) has a finite domain but stutters, so a plateau of it is final
only if nothing can emerge any more (Algorithm 3). What could emerge is bounded from above by Z,
which comes down on T(R) as T(R_k) climbs towards it:

    unsafe     as soon as T(R_k) contains a bad state;
    safe       as soon as Z contains none, whatever k is;
    collapsed  as soon as T(R_k) = T(Z), or R_k = R_{k+1}.

Algorithm 3 asks at a plateau whether the generators in Z were all reached; that is the case
exactly when T(R_k) = T(Z), which needs no plateau and costs a comparison of sizes.

The same holds for R(r, d), which counts rounds and delays (DrUBA, section 4): its plateaus are in
two dimensions, and T(R(r, d)) = T(Z) is a sharper form of its test for closure under pops.

An engine that lists states needs finite-context reachability (Theorem 29). Where a thread reaches
infinitely many stacks within one context, and no other engine may be used, there is no answer.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from tepui.deciding.entrants import Entrant, Entrants
from tepui.deciding.options import Options
from tepui.deciding.z_budget import BudgetedZ
from tepui.engines.registry import counts_delays, usual
from tepui.engines.rounds import Proof
from tepui.errors import AT_LIMIT, TooManyOutcomes
from tepui.limits import Meter, current_memory, peak_memory, reached_limit
from tepui.parameter_names import given, named
from tepui.progress import EXPLORING, Progress
from tepui.result import Grounds, Note, Other, Reached, Result, Statistics, Stop, Verdict
from tepui.words import counted, plural

if TYPE_CHECKING:
    from tepui.checker import Evidence, Trace
    from tepui.deciding.marking import LinesReached
    from tepui.engines.engine import Engine, Observation, Violation
    from tepui.kernels.door import KernelLimits, Outcome
    from tepui.model import Property
    from tepui.program.questions import Question
    from tepui.subject import Subject
    from tepui.subject.coverage import Certainty
    from tepui.z import Z

SECONDS_OF_A_TURN = 1.0
"""After how long a kernel hands back control at the latest."""

SECONDS_FOR_TRACE = 1.0
"""How long a trace may take, even if the time limit is reached."""


class Shared:
    """What the runs for several questions about one system have in common."""

    def __init__(self, subject: Subject, options: Options, meter: Meter | None = None) -> None:
        self.subject = subject
        self.system = system = subject.system
        self.options = options
        self.meter = meter or Meter(options.limits)
        self.z = BudgetedZ(system, options, self.meter)
        self.entrants = Entrants(subject, options, self.meter, self.z)
        self.lines = _lines_reached(subject, options)
        """Tells which lines are reached, if somebody wants to know."""


class Algorithm3:
    """One question, and one way to explore: the exploration from below, Z from above, and what
    follows from both."""

    def __init__(
        self,
        shared: Shared,
        entrant: Entrant,
        asked: Property,
        questions: Sequence[Question],
    ) -> None:
        self.shared = shared
        self.entrant = entrant
        self.system = shared.system
        self.asked = asked
        self.questions = tuple(questions)
        self.options = shared.options
        self.meter = shared.meter
        self.z = shared.z
        self.reports = False
        """Whether to report progress."""
        self.examined: Z | None = None
        """The last Z that was compared with what was reached."""

    @property
    def exploration(self) -> Engine:
        """What it explores with."""
        return self.entrant.engine

    def steps(self) -> Generator[None, None, Result]:
        """Run to the end, a bit at a time."""
        try:
            return (yield from self._decide())
        except AT_LIMIT as error:
            return self.stopped_at(reached_limit(error))
        except TooManyOutcomes as refused:
            return self.too_wide(refused)

    def too_wide(self, refused: TooManyOutcomes) -> Result:
        """What is known when the outcomes of a step are not listed."""
        return self.stopped(Stop("choices", str(refused)))

    def stopped_at(self, limit: Outcome) -> Result:
        """What is known when the user interrupts, or when a limit is reached."""
        return self.stopped(self._stop(limit))

    def finished(self, result: Result) -> Result:
        """A result, with everything that does not depend on how it was found."""
        remarks = (*self.z.notes, *self._notes_on_questions(), *result.remarks)
        return replace(result, remarks=remarks).with_statistics(
            z=self.z.summary(),
            seconds=self.meter.seconds(),
            peak_memory_bytes=peak_memory(),
        )

    @property
    def has_begun(self) -> bool:
        """Whether it has seen more than the initial state."""
        return self.entrant.has_begun and len(self.exploration.observations) > 1

    @property
    def progress(self) -> tuple[bool, int]:
        """For comparison with other runs: whether it counts contexts, and how far it has come."""
        return self.entrant.kind.counts == "contexts", len(self.exploration.observations)

    def is_ahead_of(self, other: Algorithm3) -> bool:
        """Whether it is two completed rounds ahead of the other, in the same sequence."""
        if not other.entrant.has_begun:
            return False
        mine, its = self.exploration.observations, other.exploration.observations
        same = self.entrant.kind.counts == other.entrant.kind.counts
        return same and len(mine) >= len(its) + 2

    def seen(self, ended: str) -> Other:
        """How far it got, in numbers, for the winner of a race."""
        last = self._last
        rounds, bound = _bounds(last)
        return Other(
            engine=self.entrant.kind.name,
            resource=self.entrant.kind.counts,
            bound=bound,
            rounds=rounds,
            states=last.states,
            visible=last.visible,
            ended=ended,
        )

    def _decide(self) -> Generator[None, None, Result]:
        """Scheme 1 and Algorithm 3, round by round."""
        if not self._is_bounded and self.shared.subject.names_nothing(self.asked):
            return self._nothing_bad()
        violation = self._violation()
        self._note_round()
        while True:
            if violation is not None:
                return self._unsafe(violation)
            if infinite := self.entrant.infinite:
                return self._answer(self._undecided, stop=self._infinite(infinite))
            if self.exploration.has_collapsed:
                return self._collapsed(self.exploration.proofs[0])
            answer = self._compare()
            if answer is not None:
                return answer
            if self._is_at_horizon():
                return self._at_horizon()
            yield
            outcome, violation = yield from self._next_round()
            if violation is None and outcome not in ("done", "paused"):
                return self.stopped(self._stop(outcome))

    @property
    def _is_bounded(self) -> bool:
        """Whether nothing is to be proved beyond a bound. Where nothing is asked, it is a limit."""
        return self.options.is_bounded and bool(self.asked)

    @property
    def _last(self) -> Observation:
        return self.exploration.observations[-1]

    def _is_at_horizon(self) -> bool:
        """Whether the last round worth computing is complete: by the bound of the run, or a
        limit."""
        if self.exploration.is_complete:
            return True
        if self.entrant.kind.counts != "contexts":
            return False
        limits = (self.options.contexts, self.options.limits.max_contexts)
        return self._last.k == min((count for count in limits if count is not None), default=None)

    def _at_horizon(self) -> Result:
        """Every round up to the horizon is complete, and none has a violation."""
        if self.options.bounds_delays:
            return self._bounded() if self.asked else self.stopped(self._at_bound())
        k = self._last.k
        if k == self.options.contexts and self.asked:
            return self._answer("bounded", bound=k)
        text = f"the limit of {k} {plural(k, 'context')} was reached"
        return self.stopped(Stop("contexts", text, k))

    def _next_round(self) -> Generator[None, None, tuple[Outcome, Violation | None]]:
        """Compute the next round to its end, a limit, a violation, or news of Z. Return how it
        ended, and the violation if there is one."""
        exploration = self.exploration
        rounds = len(exploration.observations)
        outcome: Outcome = "paused"
        violation = None
        while True:
            if self.z.complete is not self.examined and self.needs_z:
                outcome = "paused"  # Z has news.
                break
            self._report(round_complete=False)
            held = exploration.bytes
            limits = self.meter.for_kernel(held)
            if limits["bytes"] == held:
                outcome = "memory"
                break
            outcome = self._take_turn(exploration, limits)
            violation = self._violation()
            if outcome != "paused" or violation is not None or self._last.k >= rounds:
                break
            yield
        if self._last.k >= rounds:
            self._note_round()
        return outcome, violation

    def _take_turn(self, exploration: Engine, limits: KernelLimits) -> Outcome:
        """Go on for a while. Other engines wait for their turns, and users for progress."""
        left = limits["seconds"]
        limits["seconds"] = SECONDS_OF_A_TURN if left is None else min(left, SECONDS_OF_A_TURN)
        outcome = exploration.advance(limits)
        return "paused" if outcome == "time" and not self.meter.is_out_of_time() else outcome

    @property
    def needs_z(self) -> bool:
        """Whether Z can show something."""
        return not self._is_bounded and not self.entrant.kind.closes

    def _compare(self) -> Result | None:
        """What can be concluded from above."""
        if self.needs_z:
            return self._compare_with_z()
        return None if self._is_bounded else self._compare_with_closure()

    def _compare_with_closure(self) -> Result | None:
        """What abstract interpretation says about T(R(r, d))."""
        closure = self.exploration.closure(self.options.strengths, self.meter)
        if closure is None or not closure.is_free_of(self.asked, self.meter.for_question()):
            return None  # What is closed shows nothing bad, but stacks may be bad below their tops.
        result = self._collapsed(self.exploration.proofs[1])
        if not self.asked:
            return result
        return replace(result, grounds=Grounds(closure.certificate, closure.certificate_size))

    def _compare_with_z(self) -> Result | None:
        """What Z says about T(R_k). If a Z leaves the question open at a plateau, a sharper one
        takes its place."""
        z = self.z.complete
        if z is None:
            return None
        if self.asked and self._is_free_of_bad_states(z):
            return self._safe_by(z)
        if not self.asked and self._shows_all_of(z):
            return self._collapsed(self.exploration.proofs[1])
        self.examined = z
        # Exactness is about tops only.
        is_final = z.is_exact and not self.asked.reaches and self.options.tops == 1
        if not is_final and self.exploration.at_plateau:
            self.z.sharpen()
        return None

    def _shows_all_of(self, z: Z) -> bool:
        """Whether T(R_k) = T(Z); or the same for more symbols than the tops, if these are asked."""
        if self.options.tops > 1:
            seen = self._last.delays
            return seen is not None and seen.top_words == z.count_top_words(self.options.tops)
        return self._last.visible == z.real_visible

    def _is_free_of_bad_states(self, z: Z) -> bool:
        is_free = z.is_free_of(self.asked, self.meter.for_question())
        self.examined = z
        return is_free

    def _violation(self) -> Violation | None:
        if not self.asked:
            return None
        return self.exploration.first_new_bad(self.asked, self.meter.for_question())

    # The answers.

    def _unsafe(self, violation: Violation) -> Result:
        result = self._answer(
            "unsafe",
            bound=None if self.entrant.kind.counts == "steps" else violation.bound,
            bound_rounds=violation.rounds,
            grounds=Grounds(lambda: self._in_single_steps(self._trace(violation))),
        )
        if self.entrant.kind.finds_fewest or counts_delays(self.options.engine):
            return replace(result, bound_is_fewest=True)
        return self._in_fewer_contexts(result, violation)

    def _in_fewer_contexts(self, result: Result, violation: Violation) -> Result:
        """The answer of an engine that does not look for the fewest contexts: these are counted in
        its trace, which is shortened first."""
        # Few runs end with such an engine, and the import takes time.
        from tepui.deciding.shortening import shortened

        try:
            trace = self._trace(violation)
            known = shortened(self.shared, trace, self.asked, self.questions)
        except AT_LIMIT:
            return result
        return replace(
            result,
            resource="contexts",
            bound=known.trace.contexts,
            bound_rounds=None,
            bound_is_fewest=known.is_fewest,
            grounds=Grounds(lambda: self._in_single_steps(known.trace)),
        )

    def _trace(self, violation: Violation) -> Trace:
        """The run behind a violation; an error if the limits leave no room for it."""
        limits = self.meter.for_question()
        if limits["seconds"] is not None:
            limits["seconds"] = max(SECONDS_FOR_TRACE, limits["seconds"])
        return violation.trace(self.asked, limits)

    def _in_single_steps(self, trace: Trace) -> Trace:
        return self.shared.subject.in_single_steps(trace)

    def _nothing_bad(self) -> Result:
        """What is asked for is no state of the program."""
        from tepui.checker.certificates.all_states import AllStates

        words = "what is asked for is at no place of the program"
        proof = Proof("nothing is bad", "no state is bad", words, "No state is bad")
        result = self._answer("safe", proof=proof, grounds=Grounds(AllStates))
        return result.with_statistics(
            states=None,
            states_up_to_symmetry=None,
            visible_states=None,
            visible_up_to_symmetry=None,
        )

    def _safe_by(self, z: Z) -> Result:
        certainty: Certainty = "all" if z.is_exact else "unreached"
        result = self._answer(
            "safe",
            proof=Proof("Z is free", f"Z ({z.strength}) has no bad state"),
            grounds=Grounds(lambda: self.z.certificate_of(z), z.certificate_size),
            reached=Reached(self._last.list_visible, z.points, certainty),
        )
        if self.shared.subject.program is not None and z is self.z.complete and z.is_exact:
            # It is in the decidable fragment (Theorem 25, mended).
            result = result.with_note(
                "Z",
                f"Z ({z.strength}) is exact, because every return has one outcome: "
                "it decides such a program at once",
            )
        # What was explored on the way is not what is reachable.
        return result.with_statistics(
            states=None,
            states_up_to_symmetry=None,
            visible_states=None,
            visible_up_to_symmetry=None,
        )

    def _collapsed(self, how: Proof) -> Result:
        """Nothing new can appear. The sequence collapsed where it last grew."""
        if self._is_bounded:
            return self._bounded()
        growth = self.exploration.observations[self.exploration.last_growth]
        rounds, bound = _bounds(growth)
        verdict: Verdict = "safe" if self.asked else "collapsed"
        return self._answer(
            verdict,
            # Rounds that count steps leave some out, so the first one is not known.
            bound=None if self.entrant.kind.counts == "steps" else bound,
            bound_rounds=rounds,
            proof=how,
            grounds=self._listed() if self.asked else None,
            reached=Reached(self._last.list_visible, self.exploration.points, "all"),
        )

    def _listed(self) -> Grounds:
        """All that was explored, as evidence. All stacks are made at once, if there is room."""
        engine, meter = self.exploration, self.shared.meter

        def certificate() -> Evidence:
            if grounds.bytes_of_stacks > meter.bytes_left():
                raise MemoryError
            return engine.certificate()

        grounds = Grounds(certificate, *engine.certificate_size())
        return grounds

    def _bounded(self) -> Result:
        """There is no violation within the given bounds."""
        contexts, delays = self.options.contexts, self.options.delays
        bound = delays if contexts is None else contexts
        return self._answer("bounded", bound=bound, bound_rounds=self.options.rounds)

    def stopped(self, stop: Stop) -> Result:
        """Nothing more will be found; that may still be enough for an answer."""
        z = self.z.complete
        if self.asked:
            exact = z is not None and z is self.examined and z.is_exact
            if exact and not self.asked.reaches:
                promise = "Z is exact, so a bad state is reachable, but no trace was found yet"
                stop = replace(stop, text=f"{stop.text}; {promise}")
        if not self.asked and z is not None and z.is_exact:
            return self._collapsed_by(z, stop)
        return self._answer(self._undecided, stop=stop)

    def _collapsed_by(self, z: Z, stop: Stop) -> Result:
        """An exact Z says what is reachable, even though exploration did not get that far."""
        symmetry = self.options.symmetry
        result = self._answer(
            "collapsed",
            proof=Proof("Z is exact", f"Z ({z.strength}) is exact"),
            reached=Reached(lambda: z.list_visible(up_to_symmetry=symmetry), z.points, "all"),
        ).with_statistics(visible_states=z.real_visible)
        if not z.by_diagram:
            few = z.visible if symmetry else z.real_visible
            result = result.with_statistics(visible_up_to_symmetry=few)
        return result.with_note("bound", f"the bound is not known: {stop.text}")

    @property
    def _undecided(self) -> Verdict:
        """What is known without an answer."""
        return "unknown" if self.asked else "stopped"

    def _answer(
        self,
        verdict: Verdict,
        *,
        bound: int | None = None,
        bound_rounds: int | None = None,
        proof: Proof | None = None,
        stop: Stop | None = None,
        grounds: Grounds | None = None,
        reached: Reached | None = None,
    ) -> Result:
        last, engine = self._last, self.exploration
        return Result(
            verdict=verdict,
            subject=self.shared.subject,
            asked=self.asked,
            statistics=Statistics(
                rounds=tuple(seen.row for seen in engine.observations),
                states=last.states,
                states_up_to_symmetry=last.states_up_to_symmetry,
                visible_states=last.visible,
                visible_up_to_symmetry=last.visible_up_to_symmetry,
            ),
            engine=self.entrant.kind.name,
            resource=self.entrant.kind.counts,
            symmetry=engine.symmetry,
            tops=self.options.tops,
            questions=self.questions,
            bound=bound,
            bound_rounds=bound_rounds,
            proof=proof,
            stop=stop,
            grounds=grounds,
            reached=reached or self._reached_so_far(),
        )

    def _reached_so_far(self) -> Reached:
        z = self.z.complete
        at_most = None if z is None else z.points
        return Reached(self._last.list_visible, self.exploration.points, at_most=at_most)

    # Words.

    def _notes_on_questions(self) -> list[Note]:
        if not self.questions or not all(question.vacuous for question in self.questions):
            return []
        checks = any(question.is_asserted for question in self.questions)
        lacks = "nothing of this kind" if checks else "no assertion and no error label"
        text = (
            f"{self.system.name} has {lacks}: nothing was asked that could "
            f"fail; {named('unreachable')}, {named('never together')} and {named('deadlock')} "
            "ask more"
        )
        return [Note("question", text)]

    def _infinite(self, threads: Sequence[str]) -> Stop:
        """The engine lists stacks, and there may be infinitely many."""
        other = usual("contexts", without="finite contexts").name
        return Stop(
            "infinite contexts",
            f"{', '.join(threads)} may reach infinitely many stacks within one context, and "
            f"{given('engine', self.entrant.kind.name)} lists states one by one "
            f"({given('engine', other)} looks at all of them)",
        )

    def _at_bound(self) -> Stop:
        """The bounds of rounds and delays as limits."""
        rounds, delays = self.options.rounds, self.options.delays
        limits = [] if delays is None else [counted(delays, "delay")]
        limits += [] if rounds is None else [counted(rounds, "round")]
        text = f"the limit of {' and '.join(limits)} was reached"
        return Stop("rounds", text, rounds) if delays is None else Stop("delays", text, delays)

    def _stop(self, outcome: Outcome) -> Stop:
        return Stop.at_limit(outcome, self.options.limits)

    def _note_round(self) -> None:
        """A round is complete."""
        self._report(round_complete=True)
        if self.shared.lines is not None:
            self.shared.lines.after_round(self.entrant)

    def report(self, activity: str) -> None:
        """Report what is being done."""
        self._report(round_complete=False, activity=activity)

    def _report(self, *, round_complete: bool, activity: str = EXPLORING) -> None:
        report = self.options.progress
        if report is None:
            return
        if self.reports:
            report(self._progress(round_complete, activity))
        elif self.options.jobs == 1:
            report(self._progress_of_race())

    def _progress(self, round_complete: bool, activity: str) -> Progress:
        last = self._last
        states, visible = self.exploration.found
        return Progress(
            k=last.k if round_complete else last.k + 1,
            states=states,
            visible=visible,
            new_visible=last.new_visible if round_complete else visible - last.visible,
            seconds=self.meter.seconds(),
            memory=current_memory(),
            round_complete=round_complete,
            activity=activity,
            delays=last.delays,
            steps=last.steps,
        )

    def _progress_of_race(self) -> Progress:
        """Another engine has its turn. If engines run side by side, all of them would say so at
        once."""
        last = self._last
        where = f", k = {last.k + 1}" if self.entrant.kind.counts == "contexts" else ""
        return Progress(
            last.k + 1,
            states=None,
            visible=last.visible,
            new_visible=0,
            seconds=self.meter.seconds(),
            memory=current_memory(),
            round_complete=False,
            activity=f"racing: {self.entrant.kind.name}{where}",
            delays=last.delays,
            steps=last.steps,
        )


def _lines_reached(subject: Subject, options: Options) -> LinesReached | None:
    if options.markers is None or subject.program is None:
        return None
    # Most runs mark no lines, and the import takes time.
    from tepui.deciding.marking import LinesReached
    from tepui.kernels.lowered_system import lowered

    return LinesReached(lowered(subject.system), options.markers)


def _bounds(seen: Observation) -> tuple[int | None, int]:
    """What an observation counts: rounds, if it has them, and delays, steps or contexts."""
    if seen.delays is not None:
        return seen.delays.rounds, seen.delays.delays
    return None, seen.k if seen.steps is None else seen.steps
