"""One exploration of one system: what is decided on it, each answer checked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tepui.deciding.checking import checked
from tepui.deciding.race import first_answer
from tepui.deciding.run import Shared
from tepui.model import Property

if TYPE_CHECKING:
    from tepui.deciding.options import Options
    from tepui.program.questions import Question
    from tepui.result import Result
    from tepui.subject import Subject


def decided_about(
    subject: Subject, asked: Property, questions: Sequence[Question], options: Options
) -> Result:
    """The answer to one question about a system."""
    return answered(Shared(subject, options), asked, questions, keep=False)


def explored(subject: Subject, options: Options) -> Result:
    """All that is reachable."""
    return first_answer(Shared(subject, options), Property(), [])


def answered(
    shared: Shared, asked: Property, questions: Sequence[Question], *, keep: bool
) -> Result:
    """The answer to one of several questions, `keep` if there are more, once it is checked."""
    result = first_answer(shared, asked, questions, keep=keep)
    return checked(result, shared.meter, shared.options)
