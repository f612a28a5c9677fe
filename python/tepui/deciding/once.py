"""One exploration of one system: what is decided on it, each answer checked."""

from __future__ import annotations

from collections.abc import Sequence

from tepui.deciding.checking import checked
from tepui.deciding.options import Options
from tepui.deciding.race import first_answer
from tepui.deciding.run import Shared
from tepui.kernels.lowered import LoweredSystem, lower
from tepui.kernels.lowering import LoweringOptions
from tepui.model import Property
from tepui.program.program import Program
from tepui.program.questions import Question, everything
from tepui.result import Result
from tepui.subject import Subject, about


def decided(
    program: Program, groups: Sequence[Sequence[Question]], options: Options
) -> list[Result]:
    """The answer to each group of questions, which are decided as one. All share one exploration
    and one Z: what one of them has found out serves the next."""
    every = [question for group in groups for question in group]
    shared = Shared(about(asked_system(program, every, options)), options)
    return [
        _answer(shared, everything(group), group, keep=number < len(groups))
        for number, group in enumerate(groups, start=1)
    ]


def decided_about(
    subject: Subject, asked: Property, questions: Sequence[Question], options: Options
) -> Result:
    """The answer to one question about a system."""
    return _answer(Shared(subject, options), asked, questions, keep=False)


def explored(subject: Subject, options: Options) -> Result:
    """All that is reachable."""
    return first_answer(Shared(subject, options), Property(), [])


def asked_system(
    program: Program,
    questions: Sequence[Question],
    options: Options,
    *,
    decide_first: bool = False,
) -> LoweredSystem:
    """The system of a program, prepared for some questions."""
    plain = any(strength.kind in ("omega", "omega-l") for strength in options.strengths)
    lowering = LoweringOptions(
        liveness=options.liveness and not plain,
        decide_first=decide_first,
        watched=frozenset().union(*(question.watched for question in questions)),
    )
    return lower(program, lowering, everything(questions))


def _answer(
    shared: Shared, asked: Property, questions: Sequence[Question], *, keep: bool
) -> Result:
    result = first_answer(shared, asked, questions, keep=keep)
    return checked(result, shared.meter, shared.options)
