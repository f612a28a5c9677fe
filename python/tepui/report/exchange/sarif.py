"""Answers as a SARIF 2.1.0 log, which code hosts and editors show beside the source.

There is a rule for each kind of question and a result for each question. `kind` is the verdict:
`fail` for a violation, `pass` for a proof, `open` if there is neither. A trace becomes a code flow,
one thread flow for each thread, see `sarif_flows`. Columns count characters, not bytes.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

from tepui import __version__
from tepui.program.questions import Question
from tepui.records import field, record
from tepui.report.bounds import taken_text, within_text
from tepui.report.exchange.input_files import input_files
from tepui.report.exchange.sarif_flows import Places, code_flow, stacks_of
from tepui.report.report_input import ReportInput
from tepui.report.verdicts import EXIT_CODES, worst
from tepui.result import Result
from tepui.subject.story import ProgramStory, Story
from tepui.words import printable

Object = dict[str, Any]

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)


def sarif_log(data: ReportInput) -> str:
    """The log, as JSON text."""
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [_run(data)]}
    return json.dumps(log, indent=2) + "\n"


@record
class _Finding:
    """The answer to one question."""

    rule: str
    kind: str
    message: str
    identity: str
    """What stays the same when lines are added elsewhere."""
    locations: list[Object]
    result: Result
    flow: Object | None = None
    stacks: list[Object] = field(default_factory=list)


def _run(data: ReportInput) -> Object:
    files = input_files(data)
    places = Places(files, data.file)
    findings = [each for result in data.results for each in _findings(result, places)]
    return {
        "tool": {"driver": _driver()},
        "invocations": [_invocation(data)],
        "artifacts": [
            {
                "location": places.artifact(file.name),
                "length": len(file.data),
                "roles": ["analysisTarget"],
                "encoding": "utf-8",
                "hashes": {"sha-256": file.hash},
            }
            for file in files
        ],
        "originalUriBaseIds": {
            Places.BASE: {"description": {"text": "The folder in which tepui was run."}}
        },
        "columnKind": "unicodeCodePoints",
        "results": [_result(finding) for finding in findings],
        "properties": {"command": data.command, "model": data.model.name},
    }


def _driver() -> Object:
    return {
        "name": "tepui",
        "version": __version__,
        "semanticVersion": __version__,
        "shortDescription": {"text": "A verifier for concurrent recursive programs."},
        "rules": [
            {
                "id": identity,
                "name": name,
                "shortDescription": {"text": short},
                "fullDescription": {"text": full},
                "help": {"text": full},
                "defaultConfiguration": {"level": "error"},
            }
            for identity, (name, short, full) in _RULES.items()
        ],
    }


def _invocation(data: ReportInput) -> Object:
    """The time and the arguments of the run, and how it ended."""
    end = datetime.now(UTC)
    # The clock runs on from one question to the next.
    took = max(result.seconds + (result.check_seconds or 0) for result in data.results)
    stops = [result.stop for result in data.results if result.stop is not None]
    return {
        "commandLine": shlex.join(["tepui", *data.arguments]),
        "arguments": list(data.arguments),
        "executionSuccessful": True,
        "exitCode": EXIT_CODES[worst(data.results).verdict],
        "startTimeUtc": _time(end - timedelta(seconds=took)),
        "endTimeUtc": _time(end),
        "toolExecutionNotifications": [
            {"level": "warning", "message": {"text": stop.text}} for stop in stops
        ],
    }


def _time(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _result(finding: _Finding) -> Object:
    rules, result = list(_RULES), finding.result
    found: Object = {
        "ruleId": finding.rule,
        "ruleIndex": rules.index(finding.rule),
        "kind": finding.kind,
        "level": "error" if finding.kind == "fail" else "none",
        "message": {"text": finding.message},
        "locations": finding.locations,
        "partialFingerprints": {
            "tepuiQuestion/v1": sha256(printable(finding.identity).encode()).hexdigest()[:32]
        },
        "properties": {
            "verdict": result.verdict,
            "engine": result.engine,
            "bound": result.bound,
            "boundIsFewest": result.bound_is_fewest if result.verdict == "unsafe" else None,
            "resource": result.resource,
            "proof": None if result.proof is None else str(result.proof),
            "checked": result.checked,
        },
    }
    if result.assumptions:
        found["properties"]["assumptions"] = [one.text for one in result.assumptions]
    if finding.flow is not None:
        found["codeFlows"] = [finding.flow]
    if finding.stacks:
        found["stacks"] = finding.stacks
    return found


def _findings(result: Result, places: Places) -> Iterator[_Finding]:
    if result.subject.program is None:
        yield _about_system(result, places)
        return
    violated = result.violated
    breached = None if violated is None else violated.question
    if len(result.questions) == 1:
        breached = result.questions[0]
    for question in result.questions:
        verdict = result.verdict
        if verdict == "unsafe" and question is not breached:
            verdict = "unknown"
        yield _about_question(result, question, _KINDS[verdict], places)


def _about_system(result: Result, places: Places) -> _Finding:
    """A system asks one question, and has no lines to point at."""
    subject, trace, violated = result.subject, result.trace, result.violated
    bad = subject.asked_text(result.asked, ())
    rule = "deadlock" if bad == "deadlock" else "bad-state"
    message = _undecided_or_holds(result, f"no bad state is reachable ({bad})")
    flow = None
    if trace is not None and violated is not None:
        rule = violated.kind.replace(" ", "-")
        message = f"A bad state is reachable, with {taken_text(result)}: {violated.text}."
        message += _cycle(result)
        flow = code_flow(trace.story, places)
    kind, identity = _KINDS[result.verdict], f"{rule}|{subject.title}|{bad}"
    return _Finding(rule, kind, message, identity, [places.whole()], result, flow)


def _about_question(result: Result, question: Question, kind: str, places: Places) -> _Finding:
    rule, trace = question.kind.replace(" ", "-"), result.trace
    points = result.subject.places(question)
    locations = [places.at(place.position, procedure) for procedure, place in points]
    text = f"{question.text} holds" if question.kind == "assertion" else question.text
    message, flow, stacks = _undecided_or_holds(result, text), None, []
    if kind == "fail":
        message = f"{question.violation}, with {taken_text(result)}.{_cycle(result)}"
        if trace is not None:
            flow, stacks = code_flow(trace.story, places), stacks_of(trace.story, places)
            locations = locations or list(_at_the_end(trace.story, places))
    elif result.verdict == "unsafe":
        why = "a violation was found, and no trace says of what"
        if trace is not None:
            why = "another violation was found first"
        message = f"Not decided, since {why}: {question.text}."
    names = [f"{name}|{place.text}|{','.join(place.labels)}" for name, place in points]
    identity = "|".join([rule, *(names or [question.text])])
    where = locations[:_MOST_LOCATIONS] or [places.whole()]
    return _Finding(rule, kind, message, identity, where, result, flow, stacks)


def _cycle(result: Result) -> str:
    """One more sentence, if the threads of a deadlock wait for each other."""
    deadlock = result.deadlock
    return f" {deadlock.sentence}." if deadlock is not None and deadlock.sentence else ""


def _at_the_end(story: Story, places: Places) -> Iterator[Object]:
    """Where the threads of a program are when a trace ends."""
    if isinstance(story, ProgramStory):
        yield from (places.at(rest.position) for rest in story.resting)


def _undecided_or_holds(result: Result, text: str) -> str:
    match result.verdict:
        case "safe":
            return f"{text}, for any number of contexts."
        case "bounded":
            return f"{text}, {within_text(result)}."
        case _:
            return f"Not decided ({result.reason}): {text}."


_KINDS = {"safe": "pass", "unsafe": "fail", "bounded": "open", "unknown": "open"}
_MOST_LOCATIONS = 10

_RULES = {
    "assertion": (
        "AssertionViolated",
        "An assertion can be violated.",
        "The condition of an assertion is false in some run, under some schedule of the threads.",
    ),
    "exception": (
        "ExceptionThrown",
        "An exception can be thrown.",
        "Some run ends with an exception that nobody catches.",
    ),
    "bounds": (
        "IndexOutOfBounds",
        "An index can be out of bounds.",
        "Some run uses an index that is not inside its array, or shifts by too much.",
    ),
    "overflow": (
        "Overflow",
        "An operation can overflow.",
        "The result of an operation does not fit its type in some run.",
    ),
    "division": (
        "DivisionByZero",
        "There can be a division by zero.",
        "The divisor of an operation is zero in some run.",
    ),
    "race": (
        "DataRace",
        "There can be a data race.",
        "Two threads access the same location at the same time in some run, and one of them "
        "writes.",
    ),
    "unreachable": (
        "PlaceReached",
        "A place that must not be reached can be.",
        "Some thread reaches a label, a line or a procedure that was said to be unreachable.",
    ),
    "never-together": (
        "PlacesReachedTogether",
        "Two threads can be at two places at the same time.",
        "Two different threads are at two places that must never be reached together.",
    ),
    "deadlock": (
        "DeadlockReached",
        "There is a deadlock.",
        "Not all threads are over, and none of them can move.",
    ),
    "bad-state": (
        "BadStateReached",
        "A bad state is reachable.",
        "A state of the pushdown system that its property calls bad is reached in some run.",
    ),
}
"""The name of each kind of question, and a short and a long description of its violation."""
