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

The explicit engine needs finite-context reachability (Theorem 29). Where a thread reaches
infinitely many stacks within one context, and no other engine may be used, exploration is tried
with stacks up to some heights. What it then misses it cannot conclude from; a violation is still a
violation.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from tepui.convergence import Overapproximation, finite_contexts
from tepui.evidence import Trace
from tepui.kernels import Outcome
from tepui.limits import Meter, current_memory, peak_memory
from tepui.model import Property, System
from tepui.program.lowered import LoweredSystem
from tepui.program.questions import Question
from tepui.result import Result, Round, Stop, Verdict
from tepui.sequences.ceiling import Ceiling
from tepui.sequences.diagrams import DiagramExploration
from tepui.sequences.engine import Observation, Rounds, Violation
from tepui.sequences.exploration import Exploration
from tepui.sequences.observation import ObservationSequence
from tepui.sequences.options import Options, Progress
from tepui.sequences.portfolio import Portfolio
from tepui.sequences.symbolic import SymbolicExploration

HEIGHTS = (2, 4, 8, 16, 32)
"""How far above the initial stacks to look where a thread has no finite-context reachability."""

CAPPED_STATES = 5_000_000
"""How many states to look at for each of these heights."""


SECONDS_FOR_TRACE = 1.0
"""How long a trace may take, even if the time limit is reached."""


class Shared:
    """What the runs for several questions about one system have in common."""

    def __init__(self, system: System, options: Options) -> None:
        self.system = system
        self.options = options
        self.meter = Meter(options.limits)
        self.ceiling = Ceiling(system, options, self.meter)
        self.finite: tuple[bool, ...] = ()
        self._explorations: list[Rounds] = []

    def explorations(self) -> Iterator[Rounds]:
        """What to explore with, the next if the last one was not enough."""
        yield from self._explorations
        for exploration in self._more_explorations(len(self._explorations)):
            self._explorations.append(exploration)
            yield exploration

    def _more_explorations(self, known: int) -> Iterator[Rounds]:
        system, engine, meter = self.system, self.options.engine, self.meter
        finite = self._is_finite()
        if engine == "explicit" and not all(finite):
            highest = max(len(template.stack) for template in system.templates)
            for height in HEIGHTS[known:]:
                yield self.explicit(highest + height)
        elif known:
            return
        elif engine == "diagram":
            yield Portfolio(self._diagram(), None, meter)
        elif engine == "symbolic":
            yield Portfolio(self._symbolic(), None, meter)
        elif all(finite):
            yield Portfolio(self.explicit(), self._diagram if engine == "auto" else None, meter)
        else:
            yield Portfolio(self._diagram(), self._symbolic, meter)

    def explicit(self, height: int | None = None) -> Exploration:
        return Exploration(self.system, symmetry=self.options.symmetry, height=height)

    def _diagram(self) -> DiagramExploration:
        symmetry = self.options.symmetry
        return DiagramExploration(self.system, self._is_finite(), list_up_to_symmetry=symmetry)

    def _symbolic(self) -> SymbolicExploration:
        return SymbolicExploration(self.system, symmetry=self.options.symmetry)

    def _is_finite(self) -> tuple[bool, ...]:
        """For each template, whether its threads are known to have finite-context reachability:
        if all have it, all R_k are finite (Theorem 29)."""
        if not self.finite:
            self.finite = finite_contexts(
                self.system, lambda: self.ceiling.raise_to(0), lambda: self.meter.for_kernel(0)
            )
        return self.finite


class Run:
    """One question: the exploration from below, Z from above, and what follows from both."""

    def __init__(self, shared: Shared, asked: Property, questions: Sequence[Question]) -> None:
        self.shared = shared
        self.system = shared.system
        self.asked = asked
        self.questions = tuple(questions)
        self.options = shared.options
        self.meter = shared.meter
        self.ceiling = shared.ceiling
        self.exploration: Rounds = shared.explicit()
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
        for exploration in self.shared.explorations():
            self.exploration = exploration
            result = self._climb()
            if result is not None:
                return result
            tried.append(exploration)
        tried.reverse()  # Of equals, the one with the highest stacks.
        self.exploration = max(tried, key=lambda exploration: len(exploration.observations))
        return self._stopped(self._why_nothing_follows())

    def _climb(self) -> Result | None:
        """Scheme 1 and Algorithm 3, round by round; None if the height of stacks is in the way."""
        violation = self._violation()
        self._report(round_complete=True)
        while True:
            if violation is not None:
                return self._unsafe(violation)
            k, is_exact = self._last.k, self._last.exact
            global_states = ObservationSequence(
                [seen.mark for seen in self.exploration.observations], stutter_free=True
            )
            if global_states.has_collapsed() and is_exact:
                return self._collapsed("R_k = R_{k+1}")
            if self.options.contexts is None and self.found is None:
                answer = self._compare_with_ceiling()
                if answer is not None:
                    return answer
            if global_states.has_collapsed():
                return None
            if k == self._horizon():
                return self._at_horizon() if is_exact else None
            outcome, violation = self._next_round()
            if violation is None and outcome not in ("done", "paused"):
                return self._stopped(self._stop(outcome))

    @property
    def _last(self) -> Observation:
        return self.exploration.observations[-1]

    @property
    def _visible_states(self) -> ObservationSequence:
        return ObservationSequence([seen.visible for seen in self.exploration.observations])

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
        k = self._last.k
        if k == self.options.contexts:
            return self._answer("bounded", bound=k)
        noun = "context" if k == 1 else "contexts"
        return self._stopped(Stop("contexts", f"the limit of {k} {noun} was reached", k))

    def _next_round(self) -> tuple[Outcome, Violation | None]:
        """Compute the next round to its end, a limit, or a violation: how it ended, and that."""
        exploration, height = self.exploration, self._last.engine.height
        states = None if height is None else CAPPED_STATES
        rounds = len(exploration.observations)
        outcome: Outcome = "paused"
        violation = None
        while outcome == "paused" and violation is None and self._last.k < rounds:
            self._report(round_complete=False)
            outcome = exploration.advance(self.meter.for_kernel(exploration.bytes, states))
            violation = self._violation()
        if self._last.k >= rounds:
            self._report(round_complete=True)
        return outcome, violation

    def _compare_with_ceiling(self) -> Result | None:
        """What Z says about T(R_k). A Z that leaves the question open at a plateau makes way for
        a sharper one."""
        visible_states = self._visible_states
        while True:
            z = self.ceiling.raise_to(self.exploration.work)
            if z is None:
                return None
            if self.asked and self._is_free_of_bad_states(z):
                return self._safe_by(z)
            if not self.asked and visible_states.has_collapsed(z.real_visible):
                return self._collapsed("T(R_k) = T(Z)")
            at_plateau = visible_states.plateaus_at(visible_states.k - 1)
            is_final = z.is_exact and not self.asked.reaches  # Exactness is about tops only.
            if is_final or not (at_plateau and self.ceiling.sharpen()):
                return None

    def _is_free_of_bad_states(self, z: Overapproximation) -> bool:
        is_free = z.is_free_of(self.asked, self.meter.for_kernel(0))
        self.examined = z
        return is_free

    def _violation(self) -> Violation | None:
        if not self.asked:
            return None
        return self.exploration.first_new_bad(self.asked, self.meter.for_kernel(0))

    # The answers.

    def _unsafe(self, violation: Violation) -> Result | None:
        """The violation, or None if one with fewer contexts may be found among higher stacks."""
        k = violation.k
        result = self._answer("unsafe", bound=k)
        result.make_evidence = lambda: self._trace(violation, result)
        if k == 0 or self.exploration.observations[k - 1].exact:
            return result
        result.notes.append(
            f"found with stacks up to height {violation.engine.height}: "
            "with higher ones, fewer contexts may be enough"
        )
        self.found = result
        return None

    def _trace(self, violation: Violation, result: Result) -> Trace | None:
        """The run behind a violation, if the limits leave time for it."""
        limits = self.meter.for_kernel(0)
        if limits["seconds"] is not None:
            limits["seconds"] = max(SECONDS_FOR_TRACE, limits["seconds"])
        try:
            return violation.trace(self.asked, limits)
        except TimeoutError:
            result.notes.append("there is no trace: the time limit was reached while it was made")
            return None

    def _safe_by(self, z: Overapproximation) -> Result:
        result = self._answer("safe", proof=f"Z ({z.strength}) has no bad state")
        self._note_exactness(result)
        result.make_evidence = self.ceiling.certificate
        result.evidence_size = z.certificate_size
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

    def _collapsed(self, how: str) -> Result:
        """Nothing new can show. The last growth is the collapse, if nothing was missing before."""
        if self.options.contexts is not None:
            return self._answer("bounded", bound=self.options.contexts)
        k = self._visible_states.last_growth
        bound = k if k == 0 or self.exploration.observations[k - 1].exact else None
        verdict: Verdict = "safe" if self.asked else "collapsed"
        result = self._answer(verdict, bound=bound, proof=how)
        result.certainty = "all"
        if not self.asked:
            return result
        engine = self._last.engine
        result.make_evidence = engine.certificate
        result.evidence_size, result.evidence_symbols = engine.certificate_size()
        return result

    def _stopped(self, stop: Stop) -> Result:
        """No more will be found out; that may still be enough for an answer."""
        if self.found is not None:
            return self.found
        z = self.ceiling.complete
        if self.asked:
            exact = z is not None and z is self.examined and z.is_exact
            if exact and not self.asked.reaches:
                promise = "Z is exact, so a bad state is reachable, but no trace was found yet"
                stop = replace(stop, text=f"{stop.text}; {promise}")
            return self._answer("unknown", stop=stop)
        if z is None or not z.is_exact:
            return self._answer("stopped", stop=stop)
        result = self._answer("collapsed", proof=f"Z ({z.strength}) is exact")
        symmetry = self.options.symmetry
        result.visible_states = z.real_visible
        if not z.by_diagram:
            result.visible_up_to_symmetry = z.visible if symmetry else z.real_visible
        result.make_list = lambda: z.list_visible(up_to_symmetry=symmetry)
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
        last = self._last
        engine = last.engine
        result = Result(
            verdict=verdict,
            system=self.system,
            asked=self.asked,
            questions=self.questions,
            rounds=[
                Round(seen.k, seen.states, seen.visible, seen.new_visible, seen.seconds)
                for seen in self.exploration.observations
            ],
            symmetry=engine.symmetry,
            engine=engine.name,
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
        result.make_list = last.list_visible
        if isinstance(self.system, LoweredSystem):
            result.make_points = engine.points
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
            f"and what was explored with stacks up to height {self._last.engine.height} "
            + ("shows no violation" if self.asked else "does not show all visible states")
            + " (--engine diagram looks at all of them)"
        )
        if self.examined is not None:
            bad = self.examined.first_bad(self.asked)
            if bad is not None:
                text = system.visible_text(bad)
                reason += f"; Z ({self.examined.strength}) cannot exclude {text}"
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
        if self._last.engine.height is not None:
            return self._why_nothing_follows()
        return Stop("states", "there are more states than the engine can number")

    def _report(self, *, round_complete: bool) -> None:
        last = self._last
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
