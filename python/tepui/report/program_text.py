"""A result about a program as text: no numbers of states, but statements and variables.

Every function takes `paint`, which gives a piece of text the colour of its role; by default there
is no colour.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from typing import Literal

from tepui.program.lowered import LoweredSystem
from tepui.program.places import place_text
from tepui.program.questions import Question
from tepui.report.asked import file_name, violated_question, violation_text
from tepui.report.bounds import taken_text, within_text
from tepui.report.coverage import Coverage, Statement, coverage, is_never_reached
from tepui.report.forked import ForkedThread
from tepui.report.source import Change, Resting, SourceStep, SourceTrace, source_trace
from tepui.report.text import common_facts, cut_in_the_middle, delayed_text, headline_about
from tepui.result import Answer, Result

Role = Literal["safe", "unsafe", "open", "thread", "place", "change", "inside"]
Paint = Callable[[str, Role], str]

_SHOWN = 10
"""How many questions or statements are listed one by one."""

_WIDTH_OF_STATEMENTS = 50
"""Up to this width of a statement, what it changes is printed in one column."""

_NO_VALUE = "-"


def plain(text: str, _: Role) -> str:
    """No colour."""
    return text


def program_summary(result: Result, *, stacks: bool = False, paint: Paint = plain) -> str:
    """The whole report on a result, but for the rounds and, after `explore`, the coverage."""
    lines = [paint(program_headline(result), role_of(result))]
    lines += [f"  {line}" for line in _facts(result)]
    if result.trace is not None:
        lines += ["", *violation_lines(result, stacks=stacks, paint=paint)]
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


def violation_lines(result: Result, *, stacks: bool = False, paint: Paint = plain) -> list[str]:
    """The trace of a violation, what it violates, and where the threads are then."""
    trace = result.trace
    assert trace is not None
    told = source_trace(_system(result), trace)
    lines = cut_in_the_middle(trace_lines(told, stacks=stacks, paint=paint))
    what = violated_question(result)
    if what is not None and what.kind == "deadlock":
        lines.append(paint("deadlock  no thread can move:", "unsafe"))
    else:
        text = "a bad state" if what is None else what.text
        lines.append(paint(f"violated  {text}", "unsafe"))
        if what is not None and what.kind == "assertion":
            return lines
    return [*lines, *cut_in_the_middle([f"          {_rest(rest)}" for rest in told.resting])]


def trace_lines(trace: SourceTrace, *, stacks: bool = False, paint: Paint = plain) -> list[str]:
    """A trace, context by context: where, which statement, what it changes, and under round-robin
    scheduling who is delayed before it."""
    steps = [step for context in trace.contexts for step in context.steps]
    places = max((len(place_text(step.position)) for step in steps), default=0)
    names = max((len(step.procedure) for step in steps), default=0)
    words = max((len(_statement(step)) for step in steps), default=0)
    width = min(_WIDTH_OF_STATEMENTS, words)
    start = " ".join(f"{change.name}={change.after or _NO_VALUE}" for change in trace.start)
    lines = [f"   start  {start}".rstrip()]
    origins = {forked.name: _origin(forked) for forked in trace.forked}
    for number, context in enumerate(trace.contexts, start=1):
        name, origin = paint(context.thread, "thread"), origins.pop(context.thread, "")
        lines.append(f"context {number}: thread {name}{origin}")
        for step in context.steps:
            place = paint(f"{place_text(step.position):<{places}}", "place")
            statement = _statement(step)
            told = step.statement.startswith("starts with ")
            changes = "" if told else ", ".join(map(_change, step.changes))
            if changes:
                statement = f"{statement:<{width}}"
                changes = f"  {paint(changes, 'change')}"
            if step.inside_atomic:
                statement = paint(statement, "inside")
            delayed = delayed_text(step.delayed)
            lines.append(f"  {place}  {step.procedure:<{names}}  {statement}{changes}{delayed}")
            if stacks:
                lines.append(f"  {'':<{places}}  in {' < '.join(step.stack)}")
    return lines


def coverage_lines(result: Result, *, paint: Paint = plain) -> list[str]:
    """Every statement with a mark: + and who reaches it, or - if no one does."""
    found = coverage(result)
    assert found is not None
    lines = ["", _certainty(found)]
    for name, statements in groupby(found.statements, key=lambda one: one.procedure):
        own = list(statements)
        reached = sum(bool(statement.reached_by) for statement in own)
        lines.append(f"{name}: {reached} of {len(own)} {_noun(len(own), 'statement')} reached")
        lines += _statement_lines(own, paint)
    return lines


def answer_line(answer: Answer, paint: Paint = plain) -> str:
    """One of several questions: its verdict, the question, and what the verdict rests on."""
    result = answer.result
    why = {
        "safe": result.proof,
        "unsafe": f"violated with {taken_text(result)}",
        "bounded": f"not violated {within_text(result)}",
    }.get(result.verdict, result.reason)
    unchecked = "" if result.checked or result.make_evidence is None else " (unchecked)"
    verdict = paint(f"{result.verdict.upper():<7}", role_of(result))
    never = ", never reached" if is_never_reached(result, answer.question) else ""
    return f"{verdict}  {answer.question.text}{never}: {why}{unchecked}"


def role_of(result: Result) -> Role:
    """The colour of a verdict."""
    if result.verdict in ("safe", "collapsed"):
        return "safe"
    return "unsafe" if result.verdict == "unsafe" else "open"


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


def _rest(rest: Resting) -> str:
    where = "" if rest.position is None else f" at {place_text(rest.position)}"
    return f"{rest.thread}{where}: {rest.statement}"


def _statement(step: SourceStep) -> str:
    text = f"back: {step.statement}" if step.action == "result" else step.statement
    return f"| {text}" if step.inside_atomic else text


def _change(change: Change) -> str:
    return f"{change.name}: {change.before or _NO_VALUE} -> {change.after or _NO_VALUE}"


def _certainty(found: Coverage) -> str:
    match found.certain:
        case "all":
            return "coverage: exact"
        case "reached":
            return "coverage: what is reached is certain; what is not may be reached later"
        case "unreached":
            return "coverage: what is not reached is certain; what is may be out of reach"


def _statement_lines(statements: Sequence[Statement], paint: Paint) -> Iterator[str]:
    width = min(_WIDTH_OF_STATEMENTS, max(len(statement.text) for statement in statements))
    for statement in statements:
        line, text = statement.position.line, f"{statement.text:<{width}}"
        if statement.reached_by:
            mark = paint(f"+ {line:>5}", "safe")
            yield f"  {mark}  {text}  {', '.join(statement.reached_by)}"
        else:
            mark = paint(f"- {line:>5}", "unsafe")
            yield f"  {mark}  {text}  not reached"


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
