"""Decides questions about programs, with the driver that a program needs.

    limit_driver    one translation after another, if the program has limits: for each of them
      open_driver   one instance after another, and proofs, if it has no system of its own
      fork_driver   one number of slots after another, if it forks: for each of them an attempt
      at_once       or else a single attempt;
      bits_driver   where there may be too much to list, a search in bits besides

Both of the last two leave out values of data-independent sorts before they make an attempt.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial

from tepui.deciding.drivers import (
    EVERYTHING,
    FEW,
    Driver,
    Group,
    at_once,
    drive,
    has_many,
    has_too_much_to_list,
)
from tepui.deciding.options import Options
from tepui.engines.registry import BITS
from tepui.errors import UsageError
from tepui.model import Property
from tepui.parameter_names import named
from tepui.program.program import Derived, Program
from tepui.program.questions import Question, asked_program, own_questions, questions_of
from tepui.program.types import Bounded, Enumeration
from tepui.result import Answer, Answers, Result


def verify_program(
    program: Program,
    asked: Property | Question | Iterable[Question] | None,
    options: Options,
) -> Result:
    """Decide all questions as one."""
    _check(program, "verify takes a System or a Program")
    questions = _questions(program, asked)
    of = asked_program(program, questions)

    def run(options: Options) -> list[Result]:
        return drive(_driver(of, [questions], options), options)

    return _assuming(_marked(run, program, options)[0])


def verify_each(
    program: Program, questions: Question | Iterable[Question] | None, options: Options
) -> Answers:
    """Decide each question by itself."""
    _check(program, "verify_all takes a Program", " (.bp)")
    asked = _questions(program, questions)
    if len({question.kind == "overflow" for question in asked}) > 1:
        raise UsageError(
            f"a program that is asked whether integers overflow stops where they do, so other "
            f"questions cannot be answered by themselves: ask {named('overflow')} alone"
        )
    results = _marked(partial(_each, program, asked), program, options)
    return Answers(Answer(result.questions[0], result) for result in results)


def explore_program(program: Program, options: Options) -> Result:
    """Compute all that is reachable."""
    _check(program, "explore takes a System or a Program")

    def run(options: Options) -> list[Result]:
        return drive(_driver(program, EVERYTHING, options), options)

    return _assuming(_marked(run, program, options)[0])


def _check(program: object, expected: str, kind: str = "") -> None:
    if not isinstance(program, Program):
        raise UsageError(f"{expected}: tepui.load(path) reads one{kind}")


def _each(program: Program, asked: Sequence[Question], options: Options) -> list[Result]:
    """The result for each question."""
    results: dict[int, Result] = {}
    for about_races in (False, True):  # These two are asked of different programs.
        some = [n for n, each in enumerate(asked) if (each.about is not None) == about_races]
        if some:
            of = asked_program(program, [asked[n] for n in some])
            driver = _driver(of, [[asked[n]] for n in some], options)
            results |= zip(some, map(_assuming, drive(driver, options)), strict=True)
    return [results[n] for n in range(len(asked))]


def _assuming(result: Result) -> Result:
    """The same answer, with what the translation assumes of which it is."""
    program = result.subject.program
    assumed = () if program is None else program.as_written.assumptions
    return replace(result, assumptions=(*result.assumptions, *assumed)) if assumed else result


def _marked(
    run: Callable[[Options], list[Result]], program: Program, options: Options
) -> list[Result]:
    """The results of a run, in which lines are marked if somebody wants to know."""
    if options.markers is None:
        return run(options)
    # Most runs mark no lines, and the import takes time.
    from tepui.deciding.marking import marked

    return marked(run, program, options, options.markers)


def _driver(program: Program, groups: Sequence[Group], options: Options) -> Driver:
    """The driver that finds answers to groups of questions."""
    if not program.layout.limits:
        return _driver_of_version(program, groups, options)
    # Boolean programs have no limits, and importing the driver takes time.
    from tepui.deciding import limit_driver

    if groups is EVERYTHING:
        return limit_driver.exploration(program, options, _driver_of_version)
    return limit_driver.answers(program, groups, options, _driver_of_version)


def _driver_of_version(program: Program, groups: Sequence[Group], options: Options) -> Driver:
    """The same for one translation of a program, whatever its limits."""
    if options.engine == BITS:
        from tepui.deciding import bits_driver

        return bits_driver.alone(program, groups, options)
    if program.is_open:
        # Most programs have a system, and importing what others need takes time.
        from tepui.deciding import open_driver

        if groups is EVERYTHING:
            return open_driver.exploration(program, options)
        return open_driver.answers(program, groups, options)
    small = options.small_sorts and _may_be_smaller(program, groups)
    if not program.forks:
        explored = _with_small_sorts(program) if small else program
        return _at_once_or_in_bits(program, explored, groups, options)
    # Most programs do not fork, and importing the driver for those that do takes time.
    from tepui.deciding import fork_driver

    if groups is EVERYTHING:
        return fork_driver.exploration(program, options)
    return fork_driver.answers(program, groups, replace(options, small_sorts=small))


def _at_once_or_in_bits(
    program: Program, explored: Program, groups: Sequence[Group], options: Options
) -> Driver:
    """The driver of a program without forks. What is explored may have been made by a pass."""
    if groups is EVERYTHING or not _has_numbers(explored):
        results = yield from at_once(explored, groups, options)
        if groups is EVERYTHING or not any(map(has_too_much_to_list, results)):
            return results
    else:
        results = None
    # Most programs have few values, and importing what others need takes time.
    from tepui.deciding import bits_driver

    if results is not None:
        return (yield from bits_driver.instead(program, groups, options, results))
    return (yield from bits_driver.answers(program, explored, groups, options))


def _has_numbers(program: Program) -> bool:
    """Whether inputs may be wide, by themselves or together: there are variables with more than a
    few values."""
    local = (variable for procedure in program.procedures for variable in procedure.variables)
    return any(has_many(each.scalar, FEW) for each in (*program.globals, *local))


def _may_be_smaller(program: Program, groups: Sequence[Group]) -> bool:
    """Whether values may be left out: not where all states are wanted, or where a question is about
    some of them."""
    if groups is EVERYTHING or isinstance(program, Derived):
        return False
    asked = (pattern for group in groups for question in group for pattern in question.bad.patterns)
    if any(pattern.shared is not None for pattern in asked):
        return False
    local = (variable for procedure in program.procedures for variable in procedure.variables)
    return any(
        isinstance(each.scalar, Bounded | Enumeration) for each in (*program.globals, *local)
    )


def _with_small_sorts(program: Program) -> Program:
    # Most programs have Booleans only, and need no pass.
    from tepui.program.passes.sorts import with_small_sorts

    return with_small_sorts(program)


def _questions(
    program: Program, asked: Property | Question | Iterable[Question] | None
) -> list[Question]:
    """The questions about a program, or else those that it asks itself."""
    if asked is None:
        own = own_questions(program)
        if not own:
            raise UsageError(
                f"{program.name} asks no question: it has no assertion that a thread can run; name "
                f"a label with {named('unreachable')}, two with {named('never together')}, choose "
                f"{named('deadlock')}, or use {named('explore')} to see all that is reachable"
            )
        return own
    if isinstance(asked, Property):
        asked = questions_of(program, asked)
    questions = [asked] if isinstance(asked, Question) else _listed(asked)
    if not all(isinstance(question, Question) for question in questions):
        raise UsageError(_NO_QUESTIONS)
    if not questions:
        raise UsageError(f"no question was asked about {program.name}: the list of them is empty")
    has_system = not program.forks and not program.is_open
    if has_system and not all(question.bad for question in questions):
        raise UsageError(f"a question is not about {program.name}: it names none of its states")
    return questions


def _listed(questions: Iterable[Question]) -> list[Question]:
    try:
        return list(questions)
    except TypeError as error:
        raise UsageError(_NO_QUESTIONS) from error


_NO_QUESTIONS = (
    "expected questions about the program, as tepui.unreachable, tepui.never_together, "
    "tepui.deadlock, tepui.races and tepui.assertions make them"
)
