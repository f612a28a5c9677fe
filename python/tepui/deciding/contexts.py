"""Context-unbounded analysis: does a property hold for any number of contexts?

`verify` decides what is asked about a System or a Program, `verify_all` each question by itself,
`explore` computes what is reachable. How that is decided is told in `deciding`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tepui.deciding import forking
from tepui.deciding.drivers import Driver, Group, at_once, drive
from tepui.deciding.once import decided_about, explored
from tepui.deciding.options import Options
from tepui.errors import UsageError
from tepui.model import Property, System
from tepui.program.program import Program
from tepui.program.questions import Question, own_questions, questions_of
from tepui.result import Answer, Result
from tepui.subject import about


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
    if isinstance(system, Program):
        return drive(_driver(system, [_questions(system, property)], options), options)[0]
    if not isinstance(system, System):
        raise UsageError("verify takes a System or a Program: tepui.load(path) reads one")
    asked = system.property if property is None else property
    if not isinstance(asked, Property):
        raise UsageError("a property is a tepui.Property; tepui.load(path, targets=[…]) makes one")
    if not asked:
        raise UsageError(_NO_TARGET.format(system.name))
    subject = about(system)
    return decided_about(subject, asked, subject.questions_of(asked), options)


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
    groups = [[question] for question in _questions(program, questions)]
    results = drive(_driver(program, groups, options), options)
    return [Answer(result.questions[0], result) for result in results]


def explore(system: System | Program, options: Options | None = None) -> Result:
    """Compute the reachable visible states, and where their sequence collapses."""
    options = options or Options()
    if isinstance(system, Program):
        return drive(_driver(system, [], options), options)[0]
    if not isinstance(system, System):
        raise UsageError("explore takes a System or a Program: tepui.load(path) reads one")
    return explored(about(system), options)


def _driver(program: Program, groups: Sequence[Group], options: Options) -> Driver:
    """What searches for answers to groups of questions; without any, for all that is reachable."""
    if not program.forks:
        return at_once(program, groups, options)
    if not groups:
        return forking.exploration(program, options)
    return forking.answers(program, groups, options)


_NO_TARGET = (
    "{} asks no question: name bad states with --target or --reach, choose --property deadlock, or "
    "use `tepui explore` to see all that is reachable"
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
