"""JUnit XML, which build servers show: one test suite per folder, one test case per task.

A wrong answer is a failure, and a crash or an error of the input is an error. A task without a
verdict is skipped, since it claims nothing false. The time is the wall time.
"""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree

from tepui.suite.outcome import Outcome
from tepui.suite.text import judgement_text
from tepui.words import printable


def junit_xml(outcomes: Sequence[Outcome]) -> str:
    """The outcomes as a document."""
    folders: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        folders.setdefault(_parts(outcome)[0], []).append(outcome)
    totals = _totals(outcomes)
    del totals["skipped"]  # In the schema of Jenkins, only suites have this.
    root = ElementTree.Element("testsuites", {"name": "tepui", **totals})
    for folder, inside in folders.items():
        suite = ElementTree.SubElement(root, "testsuite", {"name": folder, **_totals(inside)})
        for outcome in inside:
            _add_case(suite, outcome)
    ElementTree.indent(root)
    text = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n'


def _add_case(suite: ElementTree.Element, outcome: Outcome) -> None:
    folder, name = _parts(outcome)
    ran = outcome.ran
    attributes = {"classname": folder, "name": name, "time": f"{ran.seconds:.3f}"}
    case = ElementTree.SubElement(suite, "testcase", attributes)
    tag = _tag(outcome)
    if tag is not None:
        message = outcome.found
        if outcome.wrong:
            message = f"{judgement_text(outcome.judgement)}: {outcome.objection}"
        what = {"message": _clean(message), "type": outcome.judgement}
        ElementTree.SubElement(case, tag, what).text = _clean(ran.detail) or None


def _tag(outcome: Outcome) -> str | None:
    if outcome.wrong:
        return "failure"
    return {"failed": "error", "undecided": "skipped"}.get(outcome.judgement)


def _totals(outcomes: Sequence[Outcome]) -> dict[str, str]:
    tags = [_tag(outcome) for outcome in outcomes]
    return {
        "tests": str(len(tags)),
        "failures": str(tags.count("failure")),
        "errors": str(tags.count("error")),
        "skipped": str(tags.count("skipped")),
        "time": f"{sum(outcome.ran.seconds for outcome in outcomes):.3f}",
    }


def _parts(outcome: Outcome) -> tuple[str, str]:
    """The folder of a task, and its name there."""
    folder, _, name = outcome.task.rpartition("/")
    return _clean(folder) or "tepui", _clean(name)


def _clean(text: str) -> str:
    """A text without the characters that XML does not have, not even escaped."""
    return printable(text, kept="\t\n\r")
