"""A result as text: the verdict first, then what it rests on, then the trace.

Where a function takes a `width`, no line is wider if words allow it, and without one nothing is
wrapped; `paint` gives a piece of text the colour of its role.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from tepui.engines.registry import title_of, usual
from tepui.parameter_names import named
from tepui.report.bounds import explored_text, other_text, taken_text, within_text
from tepui.report.text.paint import Paint, Piece, Role, joined, plain, wrapped
from tepui.report.text.traces import violation_lines
from tepui.report.verdicts import why_text
from tepui.words import counted, plural

if TYPE_CHECKING:
    from tepui.program.program import Program
    from tepui.program.questions import Question
    from tepui.result import Answer, Result
    from tepui.subject.coverage import Coverage, Statement

_SHOWN = 10
"""How many questions are listed one by one."""

_FEW = 3
"""How many violations of one kind that no user has written are listed one by one."""

_IMPLICIT = {
    "exception": "no exception",
    "bounds": "no index out of bounds",
    "division": "no division by zero",
}
"""Their kinds, and what holds if there is none."""

_FACT = 12
"""The column of the text after a word such as `proof`."""


def summary(
    result: Result, *, stacks: bool = False, width: int | None = None, paint: Paint = plain
) -> str:
    """The whole report on a result, without the rounds and the coverage that `explore` prints."""
    lines = headline_lines(headline(result), result, width, paint)
    lines += fact_lines(_facts(result), width)
    if result.trace is not None:
        lines += ["", *violation_lines(result, stacks=stacks, width=width, paint=paint)]
    return joined(lines)


def answer_line(answer: Answer, *, width: int | None = None, paint: Paint = plain) -> str:
    """One of several questions: its verdict, the question, and what the verdict rests on."""
    result = answer.result
    verdict: Piece = (f"{result.verdict.upper():<7}", role_of(result))
    said = f"  {_text(result, answer.question)}: {why_text(result)}"
    return joined(wrapped([verdict, said], width, 9, paint))


def headline_lines(text: str, result: Result, width: int | None, paint: Paint) -> list[str]:
    """The verdict in its colour, in as many lines as it takes."""
    verdict = text.index("  ") + 2
    return wrapped([(text, role_of(result))], width, verdict, paint)


def fact_lines(facts: Iterable[str], width: int | None) -> list[str]:
    """The facts below the verdict."""
    return [line for fact in facts for line in wrapped([f"  {fact}"], width, _FACT)]


def role_of(result: Result) -> Role:
    """The colour of a verdict."""
    if result.verdict in ("safe", "collapsed"):
        return "safe"
    return "unsafe" if result.verdict == "unsafe" else "open"


def headline(result: Result) -> str:
    """The verdict in one sentence: in terms of questions for programs, of states for systems."""
    name = result.subject.title
    if result.questions and result.verdict == "safe":
        return f"SAFE  {name}: {_all_hold(result)}"
    if result.questions and result.trace is not None:
        what = result.violated
        asked = None if what is None else what.question
        text = "a bad state is reachable" if asked is None else asked.violation
        return f"UNSAFE  {name}: {text}, with {taken_text(result)}{_with_threads(result)}"
    match result.verdict:
        case "safe":
            return f"SAFE  {name}: no bad state is reachable, {_always(result)}"
        case "unsafe":
            how = "within" if result.resource == "contexts" else "with"
            numbers = "" if result.threads is None else f", with {result.threads.text}"
            return f"UNSAFE  {name}: a bad state is reachable {how} {taken_text(result)}{numbers}"
        case "bounded":
            return f"BOUNDED  {name}: no violation {within_text(result)}"
        case "collapsed":
            return f"COLLAPSED  {name}: {_exactly(result)}"
        case "unknown":
            return f"UNKNOWN  {name}: {result.reason}"
        case "stopped":
            return f"STOPPED  {name}: {result.reason}"


def _facts(result: Result) -> Iterator[str]:
    if result.subject.program is None:
        if result.asked:
            yield f"property  bad: {result.subject.asked_text(result.asked, ())}"
    else:
        yield from _about_questions(result)
        found = result.coverage if result.verdict == "safe" else None
        if found is not None and found.certain != "reached":
            unreached = _unreached(found, result.subject.program.as_written)
            if unreached:
                # Most runs reach all statements, and the import takes time.
                from tepui.report.text.coverage import some_statements

                yield f"unreached {some_statements(unreached)}"
    yield from _common_facts(result)


def _unreached(found: Coverage, program: Program) -> Sequence[Statement]:
    """The statements that no thread reaches; where there are libraries, one for each line of which
    nothing is reached."""
    if not program.own_files:
        return found.unreached
    places = {(one.position.file, one.position.line) for one in found.statements if one.reached_by}
    lines: dict[tuple[str, int], Statement] = {}
    for one in found.unreached:
        file, line = one.position.file, one.position.line
        if (file, line) not in places and one.text.strip(" {}"):
            lines.setdefault((file, line), one)
    return [lines[place] for place in sorted(lines)]


def _about_questions(result: Result) -> Iterator[str]:
    """Each question, and whether it holds: those that a violation leaves open have no answer."""
    what = result.violated
    violated = None if what is None else what.question
    word = {"safe": "holds", "bounded": "no bug"}.get(result.verdict, "open")
    others = [question for question in result.questions if question is not violated]
    kinds = Counter(question.kind for question in others if question.kind in _IMPLICIT)
    many = [kind for kind, count in kinds.items() if count > _FEW]
    others = [question for question in others if question.kind not in many]
    for question in others[:_SHOWN]:
        yield f"{word:<9} {_text(result, question)}"
    for kind in many:
        where = f"{kinds[kind]} places; {named('all')} lists them"
        yield f"{word:<9} {_IMPLICIT[kind]} ({where})"
    if len(others) > _SHOWN:
        yield f"{word:<9} {len(others) - _SHOWN} more; {named('all')} lists each of them"
    elif others and violated is not None:
        yield f"          ({named('all')} goes on, and decides each question by itself)"


def _text(result: Result, question: Question) -> str:
    return f"{question.text}{', never reached' if result.is_never_reached(question) else ''}"


def _with_threads(result: Result) -> str:
    """The number of threads of a violation, where there may be any."""
    if result.threads is None or not result.threads.counts:
        return ""
    comma = "" if result.bound_is_fewest else ","
    return f"{comma} and {result.threads.text}"


def _always(result: Result) -> str:
    always = "for any number of contexts"
    if result.threads is not None:
        always += f" and of threads {', '.join(result.threads.any_number)}"
    return always


def _all_hold(result: Result) -> str:
    questions, count = result.questions, len(result.questions)
    always = _always(result)
    always += "".join(f", {one.condition}" for one in result.assumptions if one.condition)
    if all(question.kind == "assertion" for question in questions):
        return f"no assertion can be violated, {always} ({count} {plural(count, 'assertion')})"
    if count == 1:
        return f"{questions[0].text}, {always}"
    if all(question.about is not None for question in questions):
        return f"no data race, {always} ({count} {plural(count, 'variable')})"
    return f"all {count} properties hold, {always}"


def _common_facts(result: Result) -> Iterator[str]:
    """The facts about any result: how it was proved and checked, its time and memory."""
    if result.proof is not None:
        words = f": {result.proof.words}" if result.proof.words else ""
        yield f"proof     {result.proof}{words}"
    if result.has_rounds and (result.rounds[-1].k or result.verdict != "safe"):
        yield f"explored  {explored_text(result)}"
    if result.engine != usual("contexts").name:
        yield f"engine    {result.engine}: {title_of(result.engine)}"
    if result.others:
        yield f"others    {'; '.join(map(other_text, result.others))}"
    if result.grounds is not None:
        what = "certificate"
        if result.verdict == "unsafe":
            what = "no trace" if result.trace is None else "trace"
        if result.checked:
            yield f"evidence  {what}, accepted by the checker"
        else:
            yield f"evidence  {what}, unchecked"
    check = f" and {result.check_seconds:.2f} s for the check" if result.checked else ""
    yield f"took      {result.seconds:.2f} s{check}, {result.peak_memory_bytes / 2**20:,.0f} MiB"
    for one in result.assumptions:
        yield f"assumes   {one.text}"
    for note in result.notes:
        yield f"note      {note}"


def _exactly(result: Result) -> str:
    """The number of reachable visible states, if it is known."""
    visible = f"exactly {counted(result.visible_states or 0, 'visible state')}"
    verb = "is" if result.visible_states == 1 else "are"
    text = f"{visible} {verb} reachable"
    if result.bound is None:
        return text
    last = result.rounds[-1].delays
    if last is not None and result.tops > 1:
        text += f", {last.top_words:,} with the top {result.tops} symbols of each stack"
    return f"{text}, all {within_text(result)}"
