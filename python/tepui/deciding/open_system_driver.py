"""Systems with any number of threads: instances, in turn with a proof about all of them.

Instances with one thread of each block, with one more, and so on are explored by the engines that
there are. In turn with that, coverability looks for a proof about all numbers at once
(`counting.system_coverability`): at first it sees one symbol of each stack, then two, and so on.

    unsafe     an instance is; instances with fewer threads came before it;
    safe       coverability has evidence about the system as it was written;
    bounded    within k contexts no more than k threads of a block can move, and as many more as are
               named may be where they began, so one instance is enough;
    unknown    else, with the reasons, and the number of threads up to which all instances are safe.

If no stack is higher than what is seen, coverability is exact, and says with how many threads
something bad is reached. A deadlock is asked of instances only: more threads may mean fewer
deadlocks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import count, product

from tepui.checker.certificates.system_covering import SystemCovering
from tepui.counting.system_coverability import cover_system
from tepui.deciding import open_driver
from tepui.deciding.algorithm3 import Shared
from tepui.deciding.coverability_prover import CoverabilityProver, proof_of
from tepui.deciding.evidence_check import checked
from tepui.deciding.open_driver import shares
from tepui.deciding.options import Options
from tepui.deciding.provers import answer_about
from tepui.deciding.race import first_answer
from tepui.engines.registry import usual
from tepui.engines.rounds import Proof
from tepui.errors import AT_LIMIT, UsageError
from tepui.limits import Meter, current_memory, reached_limit
from tepui.model import OpenSystem, Property, SystemInstance
from tepui.model.build import MAX_THREADS
from tepui.parameter_names import named
from tepui.progress import Progress
from tepui.result import Grounds, NumberOfThreads, Result, Stop, Verdict
from tepui.subject import about
from tepui.words import counted, plural

HEIGHTS = (1, 2, 3, 4, 6, 8, 12, 16)
"""How many symbols of each stack are seen, in the order of the attempts."""

_LONGEST = 100
"""After this many turns, turns do not become longer."""


def verify_open_system(system: OpenSystem, asked: object, options: Options) -> Result:
    """Decide whether anything bad is reachable with any number of threads."""
    if asked is not None:
        if asked != Property(deadlock=True):
            raise UsageError(
                f"{system.name} has any number of threads, so a Property cannot name them: "
                f"{named('target')} says what is bad, or tepui.Property(deadlock=True)"
            )
        system = system.asking_nothing().asking_deadlock()
    if not system.is_asked:
        raise UsageError(
            f"{system.name} asks no question: name bad states with {named('target')}, or choose "
            f"{named('deadlock of a system')}"
        )
    if options.bounds_delays:
        raise UsageError(
            f"{system.name}: rounds and delays are counted for a fixed number of threads; "
            f"{named('threads')} says how many threads there are"
        )
    return _Case(system, options).answer()


class _Case:
    """A system that is asked something."""

    def __init__(self, system: OpenSystem, options: Options) -> None:
        self.system = system
        self.options = options
        self.meter = Meter(options.limits)
        self.example = system.instance(system.needed)
        """An instance in which everything bad can be named."""
        self.safe_up_to = 0
        """With this number of threads and fewer, all instances are safe."""
        self.is_exhausted = True
        """Whether all instances so far were explored to their ends."""
        self.expected = 0
        """With this number of threads there is a violation, as coverability says."""
        self.heights = list(HEIGHTS)
        """What coverability has still to try."""
        self.reasons: list[str] = []
        """Why there is no proof."""
        self.stop: Stop | None = None
        """A limit was reached."""
        if system.deadlock:
            self.heights = []
            self.reasons.append("deadlocks are looked for with some numbers of threads only")

    def answer(self) -> Result:
        if self.options.contexts is not None:
            return self._within(self.options.contexts)
        fixed = sum(block.count or 0 for block in self.system.blocks)
        for stage in count():
            if fixed + len(self.system.any_number) + stage > MAX_THREADS:
                self.heights = []
                self.reasons.append(f"there are never more than {MAX_THREADS:,} threads")
                break
            turn = min(stage, _LONGEST)
            found = self._explored(stage, open_driver.FIRST_SECONDS * 1.5**turn)
            if found is None and self.stop is None and self.heights:
                found = self._proved(open_driver.FIRST_TURN * 2**turn)
            if found is not None:
                return found
            if self.stop is not None or self._has_tried(stage):
                break
        return self._unknown()

    def _explored(self, stage: int, seconds: float) -> Result | None:
        """The answer, if an instance of a stage is unsafe: the one with the fewest contexts."""
        names = self.system.any_number
        total = len(names) + stage
        unsafe: list[Result] = []
        for counts in shares(names, total):
            instance = self.system.instance(counts)
            if not instance.property:
                continue  # All that is bad names more threads.
            cap = None if 0 < total <= self.expected else seconds
            result = self._run(instance, cap)
            if result.verdict == "unsafe" and result.trace is not None:
                result = checked(result, self.meter, self.options)
                unsafe.append(self._with_numbers(result, counts))
            elif result.stop is not None and result.stop.kind == "interrupted":
                self.stop = result.stop
                break
            elif result.verdict != "safe":
                self.is_exhausted = False
            if self.meter.stopped is not None or not self.meter.may_go_on():
                self.is_exhausted = False
                self.stop = self.stop or self._limit()
                break
        if unsafe:
            return min(unsafe, key=lambda result: result.bound or 0)
        if self.is_exhausted and self.stop is None:
            self.safe_up_to = total
        return None

    def _run(self, instance: SystemInstance, seconds: float | None) -> Result:
        """Explore an instance."""
        part = self.meter.part(None, seconds)
        shared = Shared(about(instance), self.options, part)
        result = first_answer(shared, instance.property, ())
        self.meter.take_over(part)
        return result

    def _limit(self) -> Stop:
        if self.meter.stopped is None:
            self.meter.stopped = "time" if self.meter.is_out_of_time() else "memory"
        return Stop.at_limit(self.meter.stopped, self.options.limits)

    def _proved(self, seconds: float) -> Result | None:
        """The answer, if coverability has one."""
        height = self.heights[0]
        self._report()
        try:
            found = cover_system(self.example, height, self.meter.part(None, seconds))
            if found.evidence is not None:
                return self._safe(found.evidence)
        except (KeyboardInterrupt, *AT_LIMIT) as error:
            self.meter.stopped = reached_limit(error)
            self.stop = self._limit()
            return None
        if found.threads is not None:
            self.expected, self.heights = found.threads, []
        elif found.is_too_coarse:
            self.heights.pop(0)
            if not self.heights:
                symbols = f"{height} {plural(height, 'symbol')}"
                self.reasons.append(
                    f"stacks are too high: the uppermost {symbols} of them are not enough for a "
                    "proof"
                )
        elif found.stop is not None and found.stop.kind in ("states", "memory"):
            self.heights = []
            self.reasons.append(f"no proof was found: {found.stop.text}")
        elif found.stop is not None and found.stop.kind == "interrupted":
            self.stop = found.stop
        if self.stop is None and self.meter.is_out_of_time():
            self.stop = self._limit()
        return None

    def _safe(self, evidence: SystemCovering) -> Result:
        grounds = Grounds(lambda: evidence, evidence.size)
        result = self._answer("safe", CoverabilityProver.name, proof_of(evidence), grounds)
        return checked(result, self.meter, self.options)

    def _has_tried(self, stage: int) -> bool:
        """Whether enough was tried: who gives time wants it to be used."""
        if self.heights or self.options.limits.timeout is not None:
            return False
        total = len(self.system.any_number) + stage
        return stage + 1 >= open_driver.STAGES and total >= self.expected

    def _unknown(self) -> Result:
        parts = [*([self.stop.text] if self.stop else []), *self.reasons]
        if self.safe_up_to:
            parts.append(f"safe up to {counted(self.safe_up_to, 'thread')}")
        text = "; ".join(dict.fromkeys(parts)) or "no proof was found"
        kind = "threads" if self.stop is None else self.stop.kind
        limit = None if self.stop is None else self.stop.limit
        result = self._answer("unknown", usual("contexts").name)
        return replace(result, stop=Stop(kind, text, limit), interrupted=kind == "interrupted")

    def _answer(
        self,
        verdict: Verdict,
        engine: str,
        proof: Proof | None = None,
        grounds: Grounds | None = None,
    ) -> Result:
        result = answer_about(
            verdict,
            about(self.example),
            self.example.property,
            self.meter,
            engine=engine,
            proof=proof,
            grounds=grounds,
        )
        up_to = (self.safe_up_to or None) if verdict == "unknown" else None
        return replace(result, threads=NumberOfThreads(self.system.any_number, safe_up_to=up_to))

    def _with_numbers(self, result: Result, counts: Mapping[str, int]) -> Result:
        """A violation, with the numbers of threads that it takes."""
        is_fewest = self.is_exhausted and self.options.contexts is None
        numbers = NumberOfThreads(self.system.any_number, dict(counts), is_fewest)
        result = replace(result, threads=numbers)
        if is_fewest or sum(counts.values()) == len(counts):
            return result
        return result.with_note("threads", "fewer threads may be enough: not all was explored")

    def _within(self, contexts: int) -> Result:
        """A bounded run: no more threads can move than there are contexts."""
        result: Result | None = None
        for counts in self._enough(contexts):
            instance = self.system.instance(counts)
            result = checked(self._run(instance, None), self.meter, self.options)
            if result.verdict == "unsafe":
                return self._with_numbers(result, counts)
            if result.verdict != "bounded":
                break
        assert result is not None
        assert result.verdict != "safe", "a bounded run proves nothing about more contexts"
        return result

    def _enough(self, contexts: int) -> Iterator[dict[str, int]]:
        """Numbers of threads that stand for all of them within some contexts. Threads that have not
        moved are where they began, and all that matters is how many of them are named. In a
        deadlock no thread can move, so one of a block stands for all of these; but each number of
        threads that move has states of its own."""
        names = self.system.any_number
        if self.system.deadlock:
            for numbers in product(range(1, contexts + 2), repeat=len(names)):
                yield dict(zip(names, numbers, strict=True))
        if self.system.patterns:
            yield {name: contexts + needed for name, needed in self.system.needed.items()}

    def _report(self) -> None:
        if self.options.progress is not None:
            self.options.progress(
                Progress(
                    0,
                    None,
                    0,
                    0,
                    self.meter.seconds(),
                    current_memory(),
                    round_complete=False,
                    activity=f"proving: {CoverabilityProver.name}",
                )
            )
