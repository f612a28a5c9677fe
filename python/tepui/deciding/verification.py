"""Context-unbounded analysis: does a property hold for any number of contexts?

`verify` decides the questions about a System or a Program as one, `verify_all` each by itself, and
`explore` computes what is reachable. `algorithm3` says how that is decided.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tepui.deciding.algorithm3 import Shared
from tepui.deciding.evidence_check import answered
from tepui.deciding.options import Options
from tepui.doors import door
from tepui.errors import UsageError
from tepui.model import OpenSystem, Property, System
from tepui.parameter_names import named
from tepui.subject import about

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tepui.program.program import Program
    from tepui.program.questions import Question
    from tepui.result import Answers, Result


@door
def verify(
    system: System | Program | OpenSystem,
    property: Property | Question | Iterable[Question] | None = None,  # noqa: A002
    options: Options | None = None,
) -> Result:
    """Decide whether a bad visible state is reachable, for any number of contexts.

    `property` says what is bad: a Property of a system, or a Question about a program, or several,
    which are then decided as one. Without it, the model says so itself; a program does so by its
    assertions and error labels.

    >>> result = tepui.verify(tepui.load("examples/figure4.cpds"))
    >>> result.verdict, str(result.proof)
    ('safe', 'Z (matched) has no bad state')
    """
    options = options or Options()
    if isinstance(system, OpenSystem):
        # Most systems have a number of threads, and importing what others need takes time.
        from tepui.deciding.open_system_driver import verify_open_system

        return verify_open_system(system, property, options)
    if not isinstance(system, System):
        from tepui.deciding.driver_choice import verify_program

        return verify_program(system, property, options)
    from tepui.model.fitting import refuse_others

    asked = system.property if property is None else property
    if not isinstance(asked, Property):
        raise UsageError("a property is a tepui.Property; tepui.load(path, targets=[…]) makes one")
    refuse_others(system, asked)
    if not asked:
        raise UsageError(_asks_nothing(system))
    subject = about(system)
    return answered(Shared(subject, options), asked, subject.questions_of(asked))


@door
def verify_all(
    program: Program,
    questions: Question | Iterable[Question] | None = None,
    options: Options | None = None,
) -> Answers:
    """Decide every question about a program by itself. Without questions, decide all that the
    program asks itself.

    The questions share one exploration and one Z: what was found out for one serves the next.

    >>> program = tepui.load_program("examples/bluetooth1.bp")
    >>> tepui.verify_all(program, [*tepui.assertions(program), tepui.deadlock()])
    UNSAFE   assert(!stopped) at bluetooth1.bp:40: violated with 3 contexts
    SAFE     no deadlock: Z (matched) has no bad state
    """
    from tepui.deciding.driver_choice import verify_each

    return verify_each(program, questions, options or Options())


@door
def explore(system: System | Program, options: Options | None = None) -> Result:
    """Compute the reachable visible states, and where their sequence collapses.

    >>> result = tepui.explore(tepui.load("examples/figure4.cpds"))
    >>> result.verdict, result.bound, result.visible_states
    ('collapsed', 5, 8)
    """
    options = options or Options()
    if not isinstance(system, System):
        from tepui.deciding.driver_choice import explore_program

        return explore_program(system, options)
    return answered(Shared(about(system), options), Property())


def _asks_nothing(system: System) -> str:
    return (
        f"{system.name} asks no question: name bad states with {named('target')} or "
        f"{named('reach')}, choose {named('deadlock of a system')}, or use {named('explore')} to "
        "see all that is reachable"
    )
