"""The verdict of a report: a sign, one sentence, and the evidence that it rests on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tepui.report.bounds import explored_text
from tepui.report.markup import Child, Html, element, joined
from tepui.report.page.dataflow_section import found_text
from tepui.report.report_input import ReportInput
from tepui.report.text.summary import headline, role_of
from tepui.report.verdicts import EXIT_CODES, why_text, worst
from tepui.result import Result, Verdict
from tepui.words import counted

SIGNS: dict[Verdict, str] = {
    "safe": "✓",
    "collapsed": "✓",
    "unsafe": "✗",
    "bounded": "◔",
    "unknown": "?",
    "stopped": "?",
}

_SHOWN = 20
"""How many questions of one answer are listed."""


def sentence_of(result: Result) -> str:
    """The verdict in words, without the word for it."""
    return headline(result).removeprefix(result.verdict.upper()).strip()


def verdict_html(data: ReportInput) -> Html:
    """The first thing on a page."""
    if len(data.results) > 1:
        return joined(_overall(data), _questions(data.results))
    if data.results:
        return joined(_banner(data.results[0]), glance_html(data.results[0]))
    if data.exploration is not None:
        return joined(_banner(data.exploration), glance_html(data.exploration))
    if data.facts is not None:
        return _plate("plain", "◆", "dataflow", found_text(data.facts))
    return _plate("open", "?", "nothing", "Nothing was asked.")


def glance_html(result: Result) -> Html:
    """The question, the evidence and the cost of an answer, in a few lines."""
    rows = [joined(element("dt", name), element("dd", value)) for name, value in _facts(result)]
    return element("dl", rows, class_="pairs")


def badge_html(result: Result) -> Html:
    """The verdict as a small sign."""
    verdict = result.verdict
    return element("span", f"{SIGNS[verdict]} {verdict}", class_=f"badge {role_of(result)}")


def _banner(result: Result) -> Html:
    verdict = result.verdict
    return _plate(role_of(result), SIGNS[verdict], verdict, sentence_of(result))


def _plate(role: str, sign: str, word: str, sentence: str) -> Html:
    return element(
        "div",
        element("span", sign, class_="big-sign", aria_hidden="true"),
        element("p", element("strong", word.upper()), " ", element("span", sentence)),
        class_=f"verdict {role}",
        id="verdict-plate",
    )


def _overall(data: ReportInput) -> Html:
    """The worst of several verdicts, and how often each was given."""
    verdicts = [result.verdict for result in data.results]
    counts = [
        f"{verdicts.count(verdict)} {verdict}" for verdict in EXIT_CODES if verdict in verdicts
    ]
    text = f"{data.title}: {counted(len(verdicts), 'question')}, {', '.join(counts)}"
    first = worst(data.results)
    return _plate(role_of(first), SIGNS[first.verdict], first.verdict, text)


def _questions(results: Sequence[Result]) -> Html:
    rows = [_question(result, number) for number, result in enumerate(results, start=1)]
    return element("ol", rows, class_="questions", id="questions")


def _question(result: Result, number: int) -> Html:
    never = any(map(result.is_never_reached, result.questions))
    return element(
        "li",
        badge_html(result),
        " ",
        element("a", title_of(result), href=f"#answer-{number}"),
        ", never reached" if never else "",
        element("small", f" {why_text(result)}"),
    )


def title_of(result: Result) -> str:
    """What a result answers, in a few words."""
    if result.questions:
        return "; ".join(question.text for question in result.questions[:3])
    return result.subject.asked_text(result.asked, ()) or "what is reachable"


def _facts(result: Result) -> Iterator[tuple[str, Child]]:
    if result.questions:
        yield "asked", _asked(result)
    elif result.asked:
        yield "bad", result.subject.asked_text(result.asked, ())
    yield "rests on", _rests_on(result)
    if result.has_rounds:
        yield "explored", explored_text(result)
    check = f", and {result.check_seconds:.2f} s for the check" if result.check_seconds else ""
    memory = f"{result.peak_memory_bytes / 2**20:,.0f} MiB"
    yield "took", f"{result.seconds:.2f} s{check}, {memory}"
    for one in result.assumptions:
        yield "assumes", one.text
    for note in result.notes:
        yield "note", note


def _asked(result: Result) -> Child:
    texts = [question.text for question in result.questions]
    if len(texts) == 1:
        return texts[0]
    rows = [element("li", text) for text in texts[:_SHOWN]]
    if len(texts) > _SHOWN:
        rows.append(element("li", f"and {len(texts) - _SHOWN:,} more"))
    return element("ul", rows)


def _rests_on(result: Result) -> str:
    if result.grounds is None:
        if result.verdict == "collapsed":
            return str(result.proof or "exploration")
        return "no evidence: the question is open" if result.reason else "exploration"
    what = f"a certificate ({result.proof})"
    if result.verdict == "unsafe":
        what = "no trace" if result.trace is None else "a trace"
    if result.checked:
        return f"{what}, accepted by the independent checker"
    return f"{what}, unchecked"
