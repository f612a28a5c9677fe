"""A result about a program as text: no numbers of states, but statements and variables.

As in `text`, `width` says where lines are wrapped, if they are, and `paint` gives a piece of text
the colour of its role.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from tepui.kernels.lowered import LoweredSystem
from tepui.program.places import place_text
from tepui.program.questions import Question
from tepui.report.asked import file_name, violated_question, violation_text
from tepui.report.bounds import taken_text
from tepui.report.coverage import Coverage, Statement, coverage, is_never_reached
from tepui.report.text.paint import Paint, Piece, Role, plain, wrapped
from tepui.report.text.systems import (
    common_facts,
    cut_in_the_middle,
    fact_lines,
    headline_about,
    headline_lines,
    role_of,
)
from tepui.report.text.trace_columns import Columns, start_text
from tepui.report.traces.forked import ForkedThread
from tepui.report.traces.source import Resting, SourceTrace, source_trace
from tepui.report.traces.undecided import deadlock_values
from tepui.report.verdicts import why_text
from tepui.result import Answer, Result

_SHOWN = 10
"""How many questions or statements are listed one by one."""

_WIDTH_OF_STATEMENTS = 50
"""Up to this width of a statement, who reaches it is printed in one column."""

_FOR_NAMES = 25
"""How much room there must be beside statements for names to go on below names."""


def program_summary(
    result: Result, *, stacks: bool = False, width: int | None = None, paint: Paint = plain
) -> str:
    """The whole report on a result, but for the rounds and, after `explore`, the coverage."""
    lines = headline_lines(program_headline(result), result, width, paint)
    lines += fact_lines(_facts(result), width)
    if result.trace is not None:
        lines += ["", *violation_lines(result, stacks=stacks, width=width, paint=paint)]
    return "\n".join(lines)


def program_headline(result: Result) -> str:
    """The verdict in one sentence."""
    name = file_name(_system(result).program)
    if result.verdict == "safe":
        return f"SAFE  {name}: {_all_hold(result.questions)}"
    if result.trace is not None:
        what = violated_question(result)
        text = "a bad state is reachable" if what is None else violation_text(what)
        return f"UNSAFE  {name}: {text}, with {taken_text(result)}"
    return headline_about(name, result)


def violation_lines(
    result: Result, *, stacks: bool = False, width: int | None = None, paint: Paint = plain
) -> list[str]:
    """The trace of a violation, what it violates, and where the threads are then."""
    trace = result.trace
    assert trace is not None
    told = source_trace(_system(result), trace)
    lines = cut_in_the_middle(trace_lines(told, stacks=stacks, width=width, paint=paint))
    what = violated_question(result)
    if what is not None and what.kind == "deadlock":
        values = deadlock_values(_system(result), trace)
        text = f"deadlock  no thread can move{', if ' + ', '.join(values) if values else ''}:"
    else:
        text = f"violated  {'a bad state' if what is None else what.text}"
    lines += wrapped([(text, "unsafe")], width, 10, paint)
    if what is not None and what.kind == "assertion":
        return lines
    resting = [
        line
        for rest in told.resting
        for line in wrapped([f"{'':10}{resting_text(rest)}"], width, 12)
    ]
    return [*lines, *cut_in_the_middle(resting)]


def trace_lines(
    trace: SourceTrace, *, stacks: bool = False, width: int | None = None, paint: Paint = plain
) -> list[str]:
    """A trace, context by context: where, which statement, what it changes, and under round-robin
    scheduling who is delayed before it."""
    steps = [step for context in trace.contexts for step in context.steps]
    columns = Columns.of(steps, width)
    lines = wrapped([f"   start  {start_text(trace.start)}"], width, 10)
    origins = {forked.name: _origin(forked) for forked in trace.forked}
    for number, context in enumerate(trace.contexts, start=1):
        name: Piece = (context.thread, "thread")
        origin = origins.pop(context.thread, "")
        lines += wrapped([f"context {number}: thread ", name, origin], width, 2, paint)
        for step in context.steps:
            lines += columns.lines(step, paint)
            if stacks:
                lines += columns.stack_lines(step)
    return lines


def resting_text(rest: Resting) -> str:
    """Where a thread is when a trace ends."""
    where = "" if rest.position is None else f" at {place_text(rest.position)}"
    return f"{rest.thread}{where}: {rest.statement}"


def coverage_lines(result: Result, *, width: int | None = None, paint: Paint = plain) -> list[str]:
    """Every statement with a mark: + and who reaches it, or - if no one does."""
    found = coverage(result)
    assert found is not None
    lines = ["", *wrapped([_certainty(found)], width, 2)]
    for name, statements in groupby(found.statements, key=lambda one: one.procedure):
        own = list(statements)
        reached = sum(bool(statement.reached_by) for statement in own)
        count = f"{reached} of {len(own)} {_noun(len(own), 'statement')} reached"
        lines += wrapped([f"{name}: {count}"], width, 2)
        lines += _statement_lines(own, width, paint)
    return lines


def answer_line(answer: Answer, *, width: int | None = None, paint: Paint = plain) -> str:
    """One of several questions: its verdict, the question, and what the verdict rests on."""
    result = answer.result
    verdict: Piece = (f"{result.verdict.upper():<7}", role_of(result))
    never = ", never reached" if is_never_reached(result, answer.question) else ""
    said = f"  {answer.question.text}{never}: {why_text(result)}"
    return "\n".join(wrapped([verdict, said], width, 9, paint))


def _facts(result: Result) -> Iterator[str]:
    yield from _about_questions(result)
    found = coverage(result) if result.verdict == "safe" else None
    if found is not None and found.unreached:
        yield f"unreached {_some(_short(statement) for statement in found.unreached)}"
    yield from common_facts(result)


def _about_questions(result: Result) -> Iterator[str]:
    """Each question, and whether it holds: those that a violation leaves open have no answer."""
    violated = violated_question(result)
    word = {"safe": "holds", "bounded": "no bug"}.get(result.verdict, "open")
    others = [question for question in result.questions if question is not violated]
    for question in others[:_SHOWN]:
        never = ", never reached" if is_never_reached(result, question) else ""
        yield f"{word:<9} {question.text}{never}"
    if len(others) > _SHOWN:
        yield f"{word:<9} {len(others) - _SHOWN} more; --all lists each of them"
    elif others and violated is not None:
        yield "          (--all goes on, and decides each question by itself)"


def _all_hold(questions: Sequence[Question]) -> str:
    always = "for any number of contexts"
    count = len(questions)
    if all(question.kind == "assertion" for question in questions):
        return f"no assertion can be violated, {always} ({count} {_noun(count, 'assertion')})"
    if count == 1:
        return f"{questions[0].text}, {always}"
    return f"all {count} properties hold, {always}"


def _origin(forked: ForkedThread) -> str:
    return f", forked by {forked.by} at {place_text(forked.position)}"


def _certainty(found: Coverage) -> str:
    match found.certain:
        case "all":
            return "coverage: exact"
        case "reached":
            return "coverage: what is reached is certain; what is not may be reached later"
        case "unreached":
            return "coverage: what is not reached is certain; what is may be out of reach"


def _statement_lines(
    statements: Sequence[Statement], width: int | None, paint: Paint
) -> Iterator[str]:
    column = min(_WIDTH_OF_STATEMENTS, max(len(statement.text) for statement in statements))
    for statement in statements:
        sign, role, who = _reached(statement)
        mark: Piece = (f"{sign} {statement.position.line:>5}", role)
        line: list[Piece] = ["  ", mark, f"  {statement.text:<{column}}  {who}"]
        under = 13 + column if width is None or width - column > _FOR_NAMES else 13
        yield from wrapped(line, width, under, paint)


def _reached(statement: Statement) -> tuple[str, Role, str]:
    """The mark of a statement, its colour, and who reaches it."""
    if statement.reached_by:
        return "+", "safe", ", ".join(statement.reached_by)
    return "-", "unsafe", "not reached"


def _short(statement: Statement) -> str:
    return f"{place_text(statement.position)} {statement.text}"


def _some(texts: Iterable[str]) -> str:
    listed = list(texts)
    more = [f"and {len(listed) - _SHOWN} more"] if len(listed) > _SHOWN else []
    return "; ".join(listed[:_SHOWN] + more)


def _noun(count: int, noun: str) -> str:
    return noun if count == 1 else f"{noun}s"


def _system(result: Result) -> LoweredSystem:
    assert isinstance(result.system, LoweredSystem)
    return result.system
