"""Context-unbounded analysis: does a property hold for any number of contexts?

Two sequences run on one exploration (CUBA, section 4). R_k is stutter-free, so its first plateau
is its collapse (Scheme 1). T(R_k) has a finite domain but stutters, so a plateau of it is final
only if nothing can emerge any more (Algorithm 3). What could emerge is bounded from above by Z,
which comes down on T(R) as T(R_k) climbs towards it:

    unsafe     as soon as T(R_k) contains a bad state;
    safe       as soon as Z contains none, whatever k is;
    collapsed  as soon as T(R_k) = T(Z), or R_k = R_{k+1}.

Algorithm 3 asks at a plateau whether the generators in Z were all reached; that is the case
exactly when T(R_k) = T(Z), which needs no plateau and costs a comparison of sizes.

Where a thread reaches infinitely many stacks within one context, exploration is tried with stacks
up to some heights. What it then misses it cannot conclude from; a violation is still a violation.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from tepui.convergence import (
    Overapproximation,
    has_finite_context_reachability,
    may_recurse,
    program_has_finite_context_reachability,
)
from tepui.errors import UsageError
from tepui.kernels import Outcome
from tepui.limits import Meter, current_memory, peak_memory
from tepui.model import Property, System
from tepui.program.lowered import LoweredSystem, lower
from tepui.program.lowering import LoweringOptions
from tepui.program.program import Program
from tepui.program.questions import Question, everything, own_questions, questions_of
from tepui.result import Answer, Result, Round, Stop, Verdict
from tepui.sequences.ceiling import Ceiling
from tepui.sequences.checking import checked
from tepui.sequences.exploration import Exploration
from tepui.sequences.observation import ObservationSequence
from tepui.sequences.options import Options, Progress

HEIGHTS = (2, 4, 8, 16, 32)
"""How far above the initial stacks to look where a thread has no finite-context reachability."""

CAPPED_STATES = 5_000_000
"""How many states to look at for each of these heights."""


def verify(
    system: System | Program,
    property: Property | Question | Iterable[Question] | None = None,  # noqa: A002
    options: Options | None = None,
) -> Result:
    """Decide whether a bad visible state is reachable, for any number of contexts.

    What is bad says a Property, or a Question about a program, or several, which are then decided
    as one. Without it, the file says so: of a program, its assertions and its error labels.
    """
    options = options or Options()
    questions: list[Question] = []
    if isinstance(system, Program):
        questions = _questions(system, property)
        system, property = asked_system(system, questions, options), None  # noqa: A001
    if not isinstance(system, System):
        raise UsageError("verify takes a System or a Program: tepui.load(path) reads one")
    asked = system.property if property is None else property
    if not isinstance(asked, Property):
        raise UsageError("a property is a tepui.Property; tepui.load(path, targets=[…]) makes one")
    if not asked:
        raise UsageError(_NO_TARGET.format(system.name))
    if isinstance(system, LoweredSystem) and not questions:
        questions = questions_of(system.program, asked)
    run = _Run(_Shared(system, options), asked, questions)
    return checked(run.result(), run.meter, options)


def verify_all(
    program: Program,
    questions: Question | Iterable[Question] | None = None,
    options: Options | None = None,
) -> list[Answer]:
    """Decide every question about a program by itself; without any, all that it asks itself.

    The questions share one exploration and one Z: what one of them has found out serves the next.
    """
    options = options or Options()
    if not isinstance(program, Program):
        raise UsageError("verify_all takes a Program: tepui.load(path) reads one (.bp)")
    asked = _questions(program, questions)
    shared = _Shared(asked_system(program, asked, options), options)
    answers = []
    for question in asked:
        result = _Run(shared, question.bad, [question]).result()
        answers.append(Answer(question, checked(result, shared.meter, options)))
    return answers


def explore(system: System | Program, options: Options | None = None) -> Result:
    """Compute the reachable visible states, and where their sequence collapses."""
    options = options or Options()
    if isinstance(system, Program):
        system = asked_system(system, [], options)
    if not isinstance(system, System):
        raise UsageError("explore takes a System or a Program: tepui.load(path) reads one")
    return _Run(_Shared(system, options), Property(), []).result()


def asked_system(
    program: Program, questions: Sequence[Question], options: Options
) -> LoweredSystem:
    """The system of a program, prepared for some questions."""
    asked = everything(questions)
    plain = any(strength.kind in ("omega", "omega-l") for strength in options.strengths)
    lowering = LoweringOptions(
        liveness=options.liveness and not plain,
        decide_first=asked.deadlock,
        watched=frozenset().union(*(question.watched for question in questions)),
    )
    return lower(program, lowering, asked)


class _Shared:
    """What the runs for several questions about one system have in common."""

    def __init__(self, system: System, options: Options) -> None:
        self.system = system
        self.options = options
        self.meter = Meter(options.limits)
        self.ceiling = Ceiling(system, options, self.meter)
        self.finite: tuple[bool, ...] = ()
        self._explorations: dict[int | None, Exploration] = {}

    def exploration(self, height: int | None = None) -> Exploration:
        """The one exploration with stacks up to a height, or without a limit to it."""
        if height not in self._explorations:
            symmetry = self.options.symmetry
            self._explorations[height] = Exploration(self.system, symmetry=symmetry, height=height)
        return self._explorations[height]

    def is_finite(self) -> bool:
        """Whether all R_k are known to be finite (Theorem 29)."""
        if not self.finite:
            limits = self.meter.for_kernel
            if isinstance(self.system, LoweredSystem):
                z = self.ceiling.raise_to(0) if may_recurse(self.system.program) else None
                self.finite = program_has_finite_context_reachability(
                    self.system, z, lambda: limits(0)
                )
            else:
                self.finite = has_finite_context_reachability(self.system, lambda: limits(0))
        return all(self.finite)


class _Run:
    """One question: the exploration from below, Z from above, and what follows from both."""

    def __init__(self, shared: _Shared, asked: Property, questions: Sequence[Question]) -> None:
        self.shared = shared
        self.system = shared.system
        self.asked = asked
        self.questions = tuple(questions)
        self.options = shared.options
        self.meter = shared.meter
        self.ceiling = shared.ceiling
        self.exploration = shared.exploration()
        self.examined: Overapproximation | None = None
        """The last Z that was searched for bad states to the end."""
        self.found: Result | None = None
        """A violation, while one with fewer contexts is looked for among higher stacks."""

    def result(self) -> Result:
        """Run to the end, whatever that is; Ctrl-C is one of the limits."""
        try:
            result = self._decide()
        except KeyboardInterrupt:
            self.meter.interrupted = True
            result = self._stopped(Stop("interrupted", "the run was interrupted"))
        except TimeoutError:
            result = self._stopped(self._stop("time"))
        result.z = self.ceiling.summary()
        result.notes = [*self.ceiling.notes, *self._notes_on_questions(), *result.notes]
        result.seconds = self.meter.seconds()
        result.peak_memory_bytes = peak_memory()
        return result

    def _decide(self) -> Result:
        if self.meter.interrupted:
            raise KeyboardInterrupt  # Another question was, and nobody waits for the others.
        tried = []
        for exploration in self._explorations():
            self.exploration = exploration
            result = self._climb()
            if result is not None:
                return result
            tried.append(exploration)
        self.exploration = max(tried, key=lambda exploration: exploration.k)
        return self._stopped(self._why_nothing_follows())

    def _explorations(self) -> Iterator[Exploration]:
        """One exploration if all R_k are known to be finite, else one for each height to try."""
        if self.shared.is_finite():
            yield self.exploration
            return
        highest = max(len(template.stack) for template in self.system.templates)
        for height in HEIGHTS:
            yield self.shared.exploration(highest + height)

    def _climb(self) -> Result | None:
        """Scheme 1 and Algorithm 3, round by round; None if the height of stacks is in the way."""
        global_states = ObservationSequence(stutter_free=True)
        visible_states = ObservationSequence()
        for known in self.exploration.observations[:-1]:  # Another question may have come first.
            global_states.observe(known.states_up_to_symmetry)
            visible_states.observe(known.visible)
        violation = self._violation()
        self._report(round_complete=True)
        while True:
            if violation is not None:
                return self._unsafe(violation)
            observation = self.exploration.last
            global_states.observe(observation.states_up_to_symmetry)
            visible_states.observe(observation.visible)
            if global_states.has_collapsed() and observation.exact:
                return self._collapsed("R_k = R_{k+1}", visible_states)
            if self.options.contexts is None and self.found is None:
                answer = self._compare_with_ceiling(visible_states)
                if answer is not None:
                    return answer
            if global_states.has_collapsed():
                return None
            if observation.k == self._horizon():
                return self._at_horizon() if observation.exact else None
            outcome, violation = self._next_round()
            if violation is None and outcome != "done":
                return self._stopped(self._stop(outcome))

    def _horizon(self) -> int | None:
        """The last round worth computing: the bound of a bounded run, a limit, or the last one in
        which a violation with fewer contexts than the one already found could be."""
        if self.found is not None and self.found.bound is not None:
            return self.found.bound - 1
        asked, limit = self.options.contexts, self.options.limits.max_contexts
        return min((count for count in (asked, limit) if count is not None), default=None)

    def _at_horizon(self) -> Result:
        """Every round up to the horizon is complete, and none has a violation."""
        if self.found is not None:
            self.found.notes.clear()
            return self.found
        if self.exploration.k == self.options.contexts:
            return self._answer("bounded", bound=self.options.contexts)
        k = self.exploration.k
        noun = "context" if k == 1 else "contexts"
        return self._stopped(Stop("contexts", f"the limit of {k} {noun} was reached", k))

    def _next_round(self) -> tuple[Outcome, int | None]:
        """Compute the next round to its end, a limit, or a violation: how it ended, and that."""
        exploration = self.exploration
        states = None if exploration.height is None else CAPPED_STATES
        outcome: Outcome = "paused"
        violation = None
        while outcome == "paused" and violation is None:
            self._report(round_complete=False)
            outcome = exploration.advance(self.meter.for_kernel(exploration.bytes, states))
            violation = self._violation()
        if outcome == "done":
            self._report(round_complete=True)
        return outcome, violation

    def _compare_with_ceiling(self, visible_states: ObservationSequence) -> Result | None:
        """What Z says about T(R_k). A Z that leaves the question open at a plateau makes way for
        a sharper one."""
        explored = self.exploration.last.states_up_to_symmetry
        while True:
            z = self.ceiling.raise_to(explored)
            if z is None:
                return None
            if self.asked and self._is_free_of_bad_states(z):
                return self._safe_by(z)
            if not self.asked and visible_states.has_collapsed(z.real_visible):
                return self._collapsed("T(R_k) = T(Z)", visible_states)
            at_plateau = visible_states.plateaus_at(visible_states.k - 1)
            if z.is_exact or not (at_plateau and self.ceiling.sharpen()):
                return None

    def _is_free_of_bad_states(self, z: Overapproximation) -> bool:
        bad = z.first_bad(self.asked, self.meter.for_kernel(0))
        self.examined = z
        return bad is None

    def _violation(self) -> int | None:
        if not self.asked:
            return None
        return self.exploration.first_new_bad(self.asked, self.meter.for_kernel(0))

    # The answers.

    def _unsafe(self, violation: int) -> Result | None:
        """The violation, or None if one with fewer contexts may be found among higher stacks."""
        exploration = self.exploration
        k = exploration.round_of(violation)
        result = self._answer("unsafe", bound=k)
        result.make_evidence = lambda: exploration.trace(violation, self.asked)
        if k == 0 or exploration.observations[k - 1].exact:
            return result
        result.notes.append(
            f"found with stacks up to height {exploration.height}: "
            "with higher ones, fewer contexts may be enough"
        )
        self.found = result
        return None

    def _safe_by(self, z: Overapproximation) -> Result:
        result = self._answer("safe", proof=f"Z ({z.strength}) has no bad state")
        self._note_exactness(result)
        result.make_evidence = self.ceiling.certificate
        if isinstance(self.system, LoweredSystem):
            result.make_points = z.points
            result.certainty = "all" if z.is_exact else "unreached"
        # What was explored on the way is not what is reachable.
        result.states = result.states_up_to_symmetry = None
        result.visible_states = result.visible_up_to_symmetry = None
        return result

    def _note_exactness(self, result: Result) -> None:
        """Say of a program that it is in the decidable fragment (Theorem 25, mended)."""
        z = self.ceiling.complete
        if isinstance(self.system, LoweredSystem) and z is self.examined and z and z.is_exact:
            result.notes.append(
                f"Z ({z.strength}) is exact, because every return has one outcome: "
                "it decides such a program at once"
            )

    def _collapsed(self, how: str, visible_states: ObservationSequence) -> Result:
        """Nothing new can show. The last growth is the collapse, if nothing was missing before."""
        if self.options.contexts is not None:
            return self._answer("bounded", bound=self.options.contexts)
        k = visible_states.last_growth
        bound = k if k == 0 or self.exploration.observations[k - 1].exact else None
        verdict: Verdict = "safe" if self.asked else "collapsed"
        result = self._answer(verdict, bound=bound, proof=how)
        result.certainty = "all"
        if not self.asked:
            return result
        result.make_evidence = self.exploration.certificate
        result.evidence_symbols = self.exploration.symbols_in_certificate()
        return result

    def _stopped(self, stop: Stop) -> Result:
        """No more will be found out; that may still be enough for an answer."""
        if self.found is not None:
            return self.found
        z = self.ceiling.complete
        if self.asked:
            if z is not None and z is self.examined and z.is_exact:
                promise = "Z is exact, so a bad state is reachable, but no trace was found yet"
                stop = replace(stop, text=f"{stop.text}; {promise}")
            return self._answer("unknown", stop=stop)
        if z is None or not z.is_exact:
            return self._answer("stopped", stop=stop)
        result = self._answer("collapsed", proof=f"Z ({z.strength}) is exact")
        symmetry = self.options.symmetry
        result.visible_states = z.real_visible
        result.visible_up_to_symmetry = z.visible if symmetry else z.real_visible
        result.make_list = z.with_symmetry(symmetry).list_visible
        if isinstance(self.system, LoweredSystem):
            result.make_points = z.points
            result.certainty = "all"
        result.notes.append(f"the bound is not known: {stop.text}")
        return result

    def _answer(
        self,
        verdict: Verdict,
        *,
        bound: int | None = None,
        proof: str | None = None,
        stop: Stop | None = None,
    ) -> Result:
        exploration = self.exploration
        last = exploration.last
        result = Result(
            verdict=verdict,
            system=self.system,
            asked=self.asked,
            questions=self.questions,
            rounds=[
                Round(seen.k, seen.states, seen.visible, seen.new_visible, seen.seconds)
                for seen in exploration.observations
            ],
            symmetry=self.options.symmetry,
            heights_left_out=not last.exact,
            bound=bound,
            proof=proof,
            stop=stop,
        )
        if last.exact:
            result.states = last.states
            result.states_up_to_symmetry = last.states_up_to_symmetry
        if last.exact or verdict == "collapsed":
            result.visible_states = last.visible
            result.visible_up_to_symmetry = last.visible_up_to_symmetry
        count = last.visible_up_to_symmetry
        result.make_list = lambda: exploration.list_visible(count)
        if isinstance(self.system, LoweredSystem):
            result.make_points = exploration.points
        return result

    # Words.

    def _notes_on_questions(self) -> list[str]:
        if not self.questions or not all(question.vacuous for question in self.questions):
            return []
        return [
            f"{self.system.name} has no assertion and no error label: nothing was asked that could "
            "fail; --unreachable, --never-together and --property deadlock ask more"
        ]

    def _why_nothing_follows(self) -> Stop:
        system = self.system
        infinite = [
            template.name
            for template, finite in zip(system.templates, self.shared.finite, strict=True)
            if not finite
        ]
        reason = (
            f"{', '.join(infinite)} may reach infinitely many stacks within one context, "
            f"and what was explored with stacks up to height {self.exploration.height} "
            + ("shows no violation" if self.asked else "does not show all visible states")
        )
        if self.examined is not None:
            bad = self.examined.first_bad(self.asked)
            assert bad is not None
            reason += f"; Z ({self.examined.strength}) cannot exclude {system.visible_text(bad)}"
        return Stop("infinite contexts", reason)

    def _stop(self, outcome: Outcome) -> Stop:
        """What a limit that a kernel met means for the run."""
        limits = self.options.limits
        if outcome == "time" and limits.timeout is not None:
            text = f"the time limit of {limits.timeout:g} s was reached"
            return Stop("time", text, limits.timeout)
        if outcome == "memory" and limits.memory is not None:
            text = f"the memory limit of {limits.memory / 2**20:,.0f} MiB was reached"
            return Stop("memory", text, limits.memory)
        if outcome == "memory":
            return Stop("memory", "the memory of this machine ran out")
        if self.exploration.height is not None:
            return self._why_nothing_follows()
        return Stop("states", "there are more states than the engine can number")

    def _report(self, *, round_complete: bool) -> None:
        last = self.exploration.last
        states, visible = self.exploration.found
        self.options.watch(
            Progress(
                k=last.k if round_complete else last.k + 1,
                states=states,
                visible=visible,
                new_visible=last.new_visible if round_complete else visible - last.visible,
                seconds=self.meter.seconds(),
                memory=current_memory(),
                round_complete=round_complete,
            )
        )


_NO_TARGET = (
    "{} asks no question: name bad states with --target, choose --property deadlock, or use "
    "`tepui explore` to see all that is reachable"
)


def _questions(
    program: Program, asked: Property | Question | Iterable[Question] | None
) -> list[Question]:
    """What is asked about a program, or else what it asks itself."""
    if asked is None:
        own = own_questions(program)
        if not own:
            raise UsageError(
                f"{program.name} asks no question: it has no assertion that a thread can run; name "
                "a label with --unreachable, two with --never-together, choose --property "
                "deadlock, or use `tepui explore` to see all that is reachable"
            )
        return own
    if isinstance(asked, Property):
        asked = questions_of(program, asked)
    questions = [asked] if isinstance(asked, Question) else _listed(asked)
    if not all(isinstance(question, Question) for question in questions):
        raise UsageError(_NO_QUESTIONS)
    if not questions:
        raise UsageError(f"no question was asked about {program.name}: the list of them is empty")
    return questions


def _listed(questions: Iterable[Question]) -> list[Question]:
    try:
        return list(questions)
    except TypeError as error:
        raise UsageError(_NO_QUESTIONS) from error


_NO_QUESTIONS = (
    "expected questions about the program, as tepui.unreachable, tepui.never_together, "
    "tepui.deadlock and tepui.assertions make them"
)
