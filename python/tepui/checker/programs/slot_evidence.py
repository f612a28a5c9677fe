"""Evidence about programs with slots, for the program that forks threads.

The program with slots must have the shape that it should have (`slot_shape`). A certificate is
checked with what the program as written can do (`slot_meaning`), and it must exclude a lack of
slots, whatever was asked. A trace is replayed with real forks and joins and all values (`replay`);
one that ends where no slot is free claims nothing about the program as written.

What was given slots may have only some values of some sorts of the program as written
(`small_sorts`). These are enough for as many forked threads as there are slots: if the smaller
program never lacks one, the program as written never does, as the first step that does is a step of
both.

What was given slots may be an instance instead (`instance_evidence`): then it proves nothing.

A program for a bounded number of contexts has only some of the runs of the program as written, so a
certificate about it proves nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, cast

from tepui.checker.evidence import Bad
from tepui.checker.programs.derivation import AsWritten, named_places, some_thread_at
from tepui.checker.programs.instance_evidence import InInstance
from tepui.checker.programs.program_net import bad_of
from tepui.checker.programs.replay import Claim, replay
from tepui.checker.programs.slot_meaning import SlotMeaning
from tepui.checker.programs.slot_shape import SlotShape
from tepui.checker.programs.small_sorts import SmallSorts
from tepui.checker.trace import Trace
from tepui.errors import EvidenceError
from tepui.model import Pattern, Property
from tepui.program.program import Derived
from tepui.program.questions import Question, everything, lack_of_slots, limits, posed
from tepui.program.semantics.meaning import Meaning, MeaningOptions

_STANDING = 2
"""A question names two threads at most."""


class InSlots(AsWritten):
    """A program in which forked threads run in slots."""

    def __init__(self, program: Derived) -> None:
        super().__init__(program)
        self._derived = program
        self._shape = SlotShape(program)
        self._instance: InInstance | None = None
        """If integers were given bounds before."""
        if isinstance(program.original, Derived):
            if program.original.made_by == "instance":
                self._instance = InInstance(program.original)
            else:
                self._sorts = SmallSorts(program.original)

    def check(self) -> None:
        self._shape.check()
        if self._instance is not None:
            if isinstance(cast(Derived, self._shape.written).original, Derived):
                raise EvidenceError("slots were given to what another pass has made")
            self._instance.check_made()
        if self._sorts is not None:
            self._sorts.check(self._shape.claimed.slots)

    def said(self) -> dict[str, Any]:
        claimed = self._shape.claimed
        made: dict[str, Any] = {"bound": claimed.bound}
        if claimed.bound is None:
            made = {"slots": claimed.slots, **({"equal": True} if claimed.equal else {})}
        before: Any = self._sorts or self._instance
        return {**super().said(), **made, **({} if before is None else before.said())}

    def excluded(self) -> Sequence[Pattern]:
        """Some thread finds no slot, or has run into a limit of the translation."""
        return some_thread_at(self.program, {*self._shape.lacks, *self.limits()})

    def limits(self) -> frozenset[int]:
        return frozenset(map(self._shape.slotted_point, self._shape.written_layout.limits))

    def meaning(self, options: MeaningOptions) -> Meaning:
        bound = self._shape.claimed.bound
        if self._instance is not None:
            return self._instance.meaning(options)  # It proves nothing.
        if bound is not None:
            raise EvidenceError(
                f"the evidence is about runs with {bound} contexts, and so no proof"
            )
        return SlotMeaning(self._derived, options)

    def replay(
        self,
        options: MeaningOptions,
        asked: Property,
        claims: Sequence[Claim],
        trace: Trace,
        go_on: Callable[[], bool],
    ) -> None:
        if self._instance is not None:
            asked = self._instance.shown(asked)
        top = claims[-1].top if claims else None
        if top is None or top.point not in self._shape.lacks:
            replay(
                self.program, self._shape, self._sorts, options.probes, asked, claims, trace, go_on
            )

    def bad(self, asked: Property) -> list[Bad]:
        """Two slots stand for any number of forked threads where a property names threads: who may
        be at a place of the program as written is read off that."""
        claimed, written = self._shape.claimed, self._shape.written
        if claimed.bound is not None or claimed.slots < _STANDING or isinstance(written, Derived):
            raise EvidenceError("these slots do not stand for any number of forked threads")
        found: list[Bad] = []
        for named in named_places(self.program, asked):
            points = [self._shape.written_point(point) for _, point in named]
            places = [[point] for point in points if point is not None]
            if len(places) < len(named) or len(places) > _STANDING:
                raise EvidenceError("for any number of threads, only places can be asked for")
            found += bad_of(written, places)
        return found

    def posed(self, question: Question) -> Question:
        if self._instance is not None:
            question = self._instance.posed(question)
        return posed(self._derived, question)

    def needed(self, *, by_trace: bool = False) -> list[Question]:
        lack = [lack_of_slots(cast(Any, self._derived))] if self._shape.lacks else []
        beyond = [] if by_trace else [posed(self._derived, q) for q in limits(self._shape.written)]
        return [*lack, *beyond]

    def chosen(
        self, questions: Sequence[Question], named: Property, *, by_trace: bool
    ) -> Sequence[Question]:
        questions = super().chosen(questions, named, by_trace=by_trace)
        needed = self.needed(by_trace=True)
        points = {point for question in needed for some in question.places for point in some}
        if not set(everything(needed).patterns) <= set(named.patterns):
            raise EvidenceError("the evidence does not say whether there are enough slots")
        about = [question for question in questions if question.point not in points]
        if not about:
            raise EvidenceError(
                "the evidence says whether there are enough slots, and nothing else"
            )
        return about

    def check_end(self, points: Iterable[int]) -> None:
        points = list(points)
        if not set(self._shape.lacks).isdisjoint(points):
            raise EvidenceError("the trace ends where no slot is free, which violates nothing")
        super().check_end(points)
