"""What results and their parts look like in a notebook: the verdict, the plot, the trace.

Each is a piece of HTML that brings its own styles and works wherever it is put. The words are those
of the text that `print` shows, so that there is only one wording.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from tepui.engines.rounds import Round
from tepui.model import Rule, System, Template
from tepui.report.bounds import bounds_of, count_text, trace_text
from tepui.report.markup import Html, element
from tepui.report.pictures.plot import sequence_plot
from tepui.report.pictures.plotted_sequence import Observed, observed_by, observed_through
from tepui.report.pictures.svg import AS_IT_IS, MONO, SANS, scheme, shortened
from tepui.report.text.summary import role_of, summary
from tepui.report.text.watch_result import watched_text
from tepui.result import Answer, NamedTrace, Result
from tepui.subject import SystemSubject
from tepui.subject.story import Change, ProgramStory, StatementStep, StoryState, SystemStory
from tepui.watching.watch_result import WatchResult
from tepui.weighted.dataflow.answers import Dataflow
from tepui.words import counted, plural

_MOST_STEPS = 200
"""Longer traces are shortened in the middle."""

_MOST_OPEN = 40
"""Longer ones are folded up."""

_MOST_RULES = 12

_LONGEST = 400
"""Longer states are shortened: those of many threads, or with high stacks."""

# Notebooks style tables: the rules of JupyterLab name two classes and an element, so ours do, too.
_STYLE = f"""
.tepui-shown{{font:14px/1.45 {SANS};color:var(--tepui-ink);background:var(--tepui-paper);
border:1px solid var(--tepui-line);border-radius:8px;padding:10px 14px;margin:2px 0;
max-width:980px;box-sizing:border-box;overflow-x:auto}}
.tepui-shown .headline{{margin:0 0 6px;font-size:15px}}
.tepui-shown .verdict{{display:inline-block;padding:1px 9px;margin-right:8px;border-radius:10px;
font-weight:700;color:var(--tepui-open);background:var(--tepui-open-paper)}}
.tepui-shown .verdict.safe{{color:var(--tepui-safe);background:var(--tepui-safe-paper)}}
.tepui-shown .verdict.unsafe{{color:var(--tepui-unsafe);background:var(--tepui-unsafe-paper)}}
.tepui-shown table.plain{{border-collapse:collapse;border:0;margin:4px 0;font-size:13px;
color:inherit;width:auto}}
.tepui-shown table.plain tbody tr,.tepui-shown table.plain tbody tr:hover{{background:none}}
.tepui-shown table.plain th,.tepui-shown table.plain td{{text-align:left;vertical-align:top;
padding:1px 14px 1px 0;border:0;font-weight:400;white-space:pre-wrap;max-width:none}}
.tepui-shown table.plain th{{color:var(--tepui-muted)}}
.tepui-shown table.plain .number{{text-align:right}}
.tepui-shown table.code td,.tepui-shown pre.code{{font:12.5px/1.5 {MONO}}}
.tepui-shown pre.code{{margin:4px 0;white-space:pre-wrap;color:inherit;background:none}}
.tepui-shown table.code .context th{{padding-top:7px;color:var(--tepui-accent);font-weight:600}}
.tepui-shown .place{{color:var(--tepui-muted)}}
.tepui-shown .change{{color:var(--tepui-accent)}}
.tepui-shown table.code .bad th{{color:var(--tepui-unsafe);font-weight:600;padding-top:7px}}
.tepui-shown summary{{cursor:pointer;color:var(--tepui-muted)}}
.tepui-shown .answer{{margin:3px 0}}
.tepui-shown .answer>summary{{color:inherit}}
"""


def result_html(result: Result) -> str:
    """The verdict, what it rests on, the observation sequence and the trace."""
    return _shown(*_result(result))


def answer_html(answer: Answer) -> str:
    """A question above its result."""
    question = element("p", element("strong", answer.question.text), class_="headline")
    return _shown(question, *_result(answer.result))


def answers_html(answers: Sequence[Answer]) -> str:
    """A line for each question; below it, folded up, what its verdict rests on."""
    return _shown(*(_answer(each) for each in answers))


def trace_html(trace: NamedTrace) -> str:
    """A trace by itself, context by context."""
    return _shown(_trace(trace, []))


def seen_html(seen: WatchResult) -> str:
    """What `tepui.watch` has seen; the table of bounds becomes a plot."""
    text = watched_text(seen).partition("\n\n")[0]
    role = "unsafe" if seen.verdict == "violation" else "open"
    parts = [*_headline_and_facts(text, role), _plot(observed_through(seen))]
    if seen.trace is not None:
        parts.append(_trace(seen.trace, []))
    return _shown(*parts)


def observation_html(row: Round) -> str:
    """One observation, as a row of a table."""
    cells = {name: str(count) for name, count in bounds_of(row)}
    cells |= {
        "states": count_text(row.states),
        "visible states": count_text(row.visible),
        "new": count_text(row.new_visible),
        "seconds": f"{row.seconds:.3f}",
    }
    heads = element("tr", [element("th", name, class_="number") for name in cells])
    values = element("tr", [element("td", value, class_="number") for value in cells.values()])
    return _shown(_table(heads, values))


def dataflow_html(facts: Dataflow) -> str:
    """What holds at a place, and what was not taken into account."""
    head, *lines = str(facts).splitlines()
    notes = [line.removeprefix("note: ") for line in lines if line.startswith("note: ")]
    held = [line.strip() for line in lines if not line.startswith("note: ")]
    return _shown(
        element("p", element("strong", head), class_="headline"),
        element("pre", "\n".join(held), class_="code") if held else None,
        _table(*(_row("note", note) for note in notes)) if notes else None,
    )


def system_html(system: System) -> str:
    """The threads of a system, how they start, and some of their rules."""
    asked = SystemSubject(system).asked_text(system.property)
    initial = system.state_text(system.initial, system.initial_stacks())
    rows = [_row("initial", shortened(initial, _LONGEST))]
    if asked:
        rows.append(_row("bad", shortened(asked, _LONGEST)))
    return _shown(
        element("p", element("strong", shortened(str(system), _LONGEST)), class_="headline"),
        _table(*rows),
        [_template(system, number, each) for number, each in enumerate(system.templates)],
    )


def _result(result: Result) -> Iterator[Html | None]:
    text, _, story = summary(result).partition("\n\n")
    yield from _headline_and_facts(text, role_of(result))
    if result.has_rounds:
        yield _plot(observed_by(result))
    if result.trace is not None:
        yield _trace(result.trace, _ends(story))


def _answer(answer: Answer) -> Html:
    """Without the plot: what was explored is nearly the same for all questions."""
    result, role = answer.result, role_of(answer.result)
    verdict, _, sentence = str(answer).partition("  ")
    text, _, story = summary(result).partition("\n\n")
    return element(
        "details",
        element("summary", element("span", verdict, class_=f"verdict {role}"), sentence.strip()),
        *_headline_and_facts(text, role),
        None if result.trace is None else _trace(result.trace, _ends(story)),
        class_="answer",
    )


def _shown(*children: Html | Sequence[Html] | None) -> Html:
    style = Html(f"<style>{scheme('.tepui-shown')}{_STYLE}</style>")
    return element("div", style, element("div", *children, class_=f"tepui-shown {AS_IT_IS}"))


def _headline_and_facts(text: str, role: str) -> list[Html]:
    """A headline and the facts below it, from their text."""
    head, *lines = text.splitlines()
    verdict, _, sentence = head.partition("  ")
    headline = element(
        "p", element("span", verdict, class_=f"verdict {role}"), sentence, class_="headline"
    )
    return [headline, _table(*(_row(line[2:12].strip(), line[12:]) for line in lines))]


def _plot(observed: Observed) -> Html | None:
    """The plot; none for a sequence of one member, which the text already describes."""
    return Html(sequence_plot(observed)) if len(observed.seen) > 1 else None


def _table(*rows: Html, code: bool = False) -> Html:
    return element("table", element("tbody", rows), class_="plain code" if code else "plain")


def _row(name: str, text: str) -> Html:
    return element("tr", element("th", name), element("td", text))


def _ends(story: str) -> list[str]:
    """The lines of a text after the steps of a trace: what is bad about its end."""
    lines = story.splitlines()
    words = ("     bad  ", "violated  ", "deadlock  ")
    found = (place for place, line in enumerate(lines) if line.startswith(words))
    start = next(found, len(lines))
    return [line.strip() for line in lines[start:]]


def _trace(trace: NamedTrace, ends: list[str]) -> Html:
    story = trace.story
    if isinstance(story, ProgramStory):
        rows = list(_statement_rows(story))
    else:
        rows = list(_rule_rows(story))
    if len(rows) > _MOST_STEPS:
        half = _MOST_STEPS // 2
        left_out = f"… {len(rows) - 2 * half:,} lines left out …"
        rows = [*rows[:half], element("tr", element("td", left_out, colspan=4)), *rows[-half:]]
    rows += [element("tr", element("th", end, colspan=4), class_="bad") for end in ends]
    steps = counted(len(trace.steps), "step")
    return element(
        "details",
        element("summary", f"the trace: {steps}, {trace_text(trace)}"),
        _table(*rows, code=True),
        open=len(rows) <= _MOST_OPEN,
    )


def _statement_rows(story: ProgramStory) -> Iterator[Html]:
    """A trace of a program: where, in which procedure, which statement, what it changes."""
    start = " ".join(f"{change.name}={change.after or '-'}" for change in story.start)
    yield _start(start)
    for number, context in enumerate(story.contexts, start=1):
        yield _context(number, context.thread)
        for step in context.steps:
            yield _statement_row(step)


def _statement_row(step: StatementStep) -> Html:
    bar = "| " if step.inside_atomic else ""
    changes = [_change(change) for change in step.changes]
    return element(
        "tr",
        element("td", step.position.short, class_="place"),
        element("td", step.procedure, class_="place"),
        element("td", f"{bar}{step.text}{_delayed(step.delayed)}"),
        element("td", ", ".join(changes), class_="change"),
    )


def _change(change: Change) -> str:
    return f"{change.name}: {change.before or '-'} → {change.after or '-'}"


def _rule_rows(story: SystemStory) -> Iterator[Html]:
    """A trace of a system: into which state, by which rule."""
    yield _start(_shortened(story.start))
    for number, context in enumerate(story.contexts, start=1):
        yield _context(number, context.thread)
        for step in context.steps:
            yield element(
                "tr",
                element("td", ""),
                element("td", _shortened(step.after)),
                element("td", f"by {step.rule.written('→')}", class_="place"),
                element("td", _delayed(step.delayed)),
            )


def _start(text: str) -> Html:
    return element("tr", element("td", "start", class_="place"), element("td", text, colspan=3))


def _shortened(state: StoryState) -> str:
    return shortened(str(state), _LONGEST)


def _context(number: int, thread: str) -> Html:
    text = f"context {number}: thread {thread}"
    return element("tr", element("th", text, colspan=4), class_="context")


def _delayed(names: Iterable[str]) -> str:
    listed = ", ".join(names)
    return f"  (delayed: {listed})" if listed else ""


def _template(system: System, number: int, template: Template) -> Html:
    """The threads that run a template, and its first rules."""
    names = [system.thread_names[thread] for thread in system.groups[number]]
    noun = plural(len(names), "thread")
    listed = ", ".join(names[:8]) + (", …" if len(names) > 8 else "")
    rules = [
        element("tr", element("td", _rule(system, template, rule))) for rule in _first(template)
    ]
    more = len(template.rules) - len(rules)
    if more > 0:
        rules.append(element("tr", element("td", f"… and {more:,} more", class_="place")))
    return element(
        "details",
        element("summary", f"{noun} {listed}: {counted(len(template.rules), 'rule')}"),
        _table(*rules, code=True),
        open=len(system.templates) <= 4,
    )


def _first(template: Template) -> Sequence[Rule]:
    return [template.rules[place] for place in range(min(_MOST_RULES, len(template.rules)))]


def _rule(system: System, template: Template, rule: Rule) -> str:
    before = f"{system.shared[rule.source]} | {template.symbols[rule.top]}"
    return f"{before} → {system.shared[rule.target]} | {template.word_text(rule.word)}"
