"""What stands between evidence about a program and the program as it was written: here, nothing.

Engines explore what passes have made of a program, and evidence is about that. No pass is trusted.
For example, the reference semantics works out again which values matter. Whatever else a pass has
done is checked by a subclass; `program_check` has a table of them.

Where values of a sort were left out (`small_sorts`), a certificate about the smaller program is one
about the original, and a trace has values of the original by other names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from tepui.checker.evidence import Bad
from tepui.checker.programs.replay import Claim, replay
from tepui.checker.trace import Trace
from tepui.errors import EvidenceError
from tepui.model import Pattern, Property
from tepui.program.layout import point_class
from tepui.program.program import Derived, Program
from tepui.program.questions import Question, everything, limits
from tepui.program.semantics.meaning import Meaning, MeaningOptions, meaning_of
from tepui.records import replace

if TYPE_CHECKING:
    from tepui.checker.programs.small_sorts import SmallSorts


class AsWritten:
    """A program as it was written, and what evidence about it has to show."""

    _sorts: SmallSorts | None = None
    """If values of some sorts were left out, which."""

    def __init__(self, program: Program) -> None:
        self.program = program

    @property
    def proved(self) -> Program:
        """The program that a certificate about programs is about (`ProgramCertificate`)."""
        return self.program.as_written

    def check(self) -> None:
        """Refuse a program that was made in another way than it should have been."""
        if self.program.forks:
            raise EvidenceError("the program forks threads, and evidence is about slots for them")

    def said(self) -> dict[str, Any]:
        """What a file of evidence says about how the program was made."""
        raises = self.program.as_written.raises
        return {"raised": [list(limits) for limits in raises]} if raises else {}

    def excluded(self) -> Sequence[Pattern]:
        """What a certificate must exclude, whatever is asked: some thread has run into a limit of
        the translation."""
        return some_thread_at(self.program, self.limits())

    def limits(self) -> frozenset[int]:
        """The points of threads that have run into a limit of the translation."""
        return self.program.layout.limits

    def meaning(self, options: MeaningOptions) -> Meaning:
        """What the steps of the program are in a certificate; an EvidenceError if a certificate
        about such a program proves nothing."""
        return meaning_of(self.program, options)

    def replay(
        self,
        options: MeaningOptions,
        asked: Property,
        claims: Sequence[Claim],
        trace: Trace,
        go_on: Callable[[], bool],
    ) -> None:
        """Find a trace, which was checked already, in the program as written."""
        replay(self.program, None, self._sorts, options.probes, asked, claims, trace, go_on)

    def posed(self, question: Question) -> Question:
        """A question about the program as written, asked of this one."""
        return question

    def needed(self, *, by_trace: bool = False) -> list[Question]:
        """What a certificate has to answer besides what is asked, or a trace."""
        return [] if by_trace else limits(self.program)

    def chosen(
        self, questions: Sequence[Question], named: Property, *, by_trace: bool
    ) -> Sequence[Question]:
        """The questions about the program as written, for evidence that may choose its question."""
        beyond = set(everything(limits(self.program)).patterns)
        if not by_trace and not beyond <= set(named.patterns):
            raise EvidenceError("the evidence does not say whether a limit is reached")
        about = [question for question in questions if question.kind != "limit"]
        if not about:
            raise EvidenceError("the evidence says whether a limit is reached, and nothing else")
        return about

    def bad(self, asked: Property) -> list[Bad]:
        """What is asked, for a certificate about the program as written (`OpenCertificate`): the
        kinds of threads and the places that must not be. An EvidenceError if that cannot be
        said."""
        raise EvidenceError("this is evidence about any number of threads, and there are some")

    def bad_of_these(self, asked: Property) -> list[Bad]:
        """The same for a certificate about the threads that there are, without deadlocks."""
        if isinstance(self.program, Derived):
            raise EvidenceError("this is evidence about a program as it was written")
        types = self.program.thread_types
        return [
            tuple((types[thread], point) for thread, point in named)
            for named in named_places(self.program, replace(asked, deadlock=False))
        ]

    def check_end(self, points: Iterable[int]) -> None:
        """Refuse a trace if its threads end at points that violate nothing there."""
        if not self.limits().isdisjoint(points):
            raise EvidenceError("the trace ends at a limit of the translation: nothing is violated")


class InSmallSorts(AsWritten):
    """A program without forks that has only some values of some sorts."""

    def __init__(self, program: Derived) -> None:
        # Most programs have all values of their sorts, and importing this takes time.
        from tepui.checker.programs.small_sorts import SmallSorts

        super().__init__(program)
        self._sorts = SmallSorts(program)

    def check(self) -> None:
        super().check()
        assert self._sorts is not None
        self._sorts.check(forked=0)

    def said(self) -> dict[str, Any]:
        assert self._sorts is not None
        return {**super().said(), **self._sorts.said()}


def named_places(program: Program, asked: Property) -> list[list[tuple[int, int]]]:
    """For each pattern of a property, the threads that it names, each with its point. A place that
    the program does not have is nothing bad."""
    if asked.deadlock or asked.reaches:
        raise EvidenceError("for any number of threads, only places can be asked for")
    found = []
    for pattern in asked.patterns:
        named = [(thread, top - 1) for thread, top in enumerate(pattern.tops) if top is not None]
        if pattern.shared is not None or not named or any(point < 0 for _, point in named):
            raise EvidenceError("for any number of threads, only places can be asked for")
        if all(point < program.layout.points for _, point in named):
            found.append(named)
    return found


def some_thread_at(program: Program, points: Iterable[int]) -> list[Pattern]:
    """Patterns for states in which a thread is at one of some points."""
    threads = range(len(program.thread_types))
    return [
        Pattern(None, tuple(point_class(point) if each == thread else None for each in threads))
        for point in sorted(points)
        for thread in threads
    ]
