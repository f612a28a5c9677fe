"""The report as text: its content for each kind of result, what is shortened, and safe escaping."""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

import click
import pytest

import tepui
from support.cli import call, different_threads, files
from support.places import EXAMPLES
from support.samples.program_texts import QUESTIONS, SAFE, program_of, verified
from support.samples.reports import HOSTILE_SYSTEM, about, example, long_program, system_of, written
from tepui.cli.report import command as report_command
from tepui.cli.verify import command as verify_command
from tepui.deciding import Options, explore, verify
from tepui.errors import UsageError
from tepui.languages import load
from tepui.limits import Limits
from tepui.report.markup import Html, data, element
from tepui.report.page import report_page, write_report
from tepui.report.page.check_commands import values_of
from tepui.report.page.document import MOST_DETAILED
from tepui.report.page.marks import marks_of
from tepui.report.page.sources import MOST_LINES, Library, rule_positions
from tepui.report.page.trace_lanes import lanes_of
from tepui.report.page.trace_section import TracePart
from tepui.report.report_input import ReportInput

LIMIT = 3 * 1000 * 1000
"""What a report may weigh, in bytes."""


def test_text_is_escaped_and_markup_is_not() -> None:
    made = element("a", "<b>", Html("<b>x</b>"), ["1", 2, None], href='"<', class_="c", hidden=True)
    assert made == '<a href="&quot;&lt;" class="c" hidden>&lt;b&gt;<b>x</b>12</a>'


def test_control_characters_are_shown_as_escapes() -> None:
    assert element("p", "a\x00\x1b\tb") == r"<p>a\x00\x1b" + "\tb</p>"


def test_text_cannot_be_turned_around() -> None:
    assert element("p", "a\u202eb") == r"<p>a\u202eb</p>"
    assert r"\\u2066" in data("x", ["\u2066"])


def test_data_for_the_script_cannot_end_its_element() -> None:
    hostile = {"</script>": "<!-- <script> & -->"}
    text = data("x", hostile)
    assert text.count("<") == 2
    assert json.loads(text[text.index(">") + 1 : text.rindex("<")]) == hostile


def test_hostile_names_add_no_element(tmp_path: Path) -> None:
    page = report_page(about(written(tmp_path, "evil.cpds", HOSTILE_SYSTEM)))
    assert len(re.findall(r"<script", page)) == 2
    assert not re.search(r"<(img|i|b onclick)[ >]", page)
    assert page.count("<main>") == page.count("</html>") == 1


def test_the_verdict_has_a_sign_a_word_and_a_sentence() -> None:
    page = report_page(example("bluetooth1.bp"))
    assert "✗" in _section(page, "verdict")
    assert "UNSAFE" in _text(page, "verdict")
    assert "assert(!stopped) at bluetooth1.bp:40 can be violated, with 3 contexts" in _text(
        page, "verdict"
    )
    assert "a trace, accepted by the independent checker" in _text(page, "verdict")


def test_what_was_not_checked_is_said_to_be_unchecked() -> None:
    page = report_page(example("figure4.cpds", Options(check=False)))
    assert "unchecked" in _text(page, "verdict")


def test_every_question_has_its_verdict_and_a_section_of_its_own(tmp_path: Path) -> None:
    page = report_page(about(written(tmp_path, "q.bp", QUESTIONS), each=True))
    assert "3 questions, 1 unsafe, 2 safe" in _text(page, "verdict")
    for number in (1, 2, 3):
        assert f'href="#answer-{number}"' in _section(page, "verdict")
        assert "assert(" in _text(page, f"answer-{number}")
    assert 'id="trace-2"' in page
    assert 'id="trace-1"' not in page


def test_an_assertion_that_no_thread_comes_to_is_listed_as_such(tmp_path: Path) -> None:
    text = "decl x := 0;\nvoid main() {\n    if (x) assert(!x);\n    assert(!x);\n}\n"
    page = report_page(about(written(tmp_path, "q.bp", text), each=True))
    assert "assert(!x) at q.bp:3, never reached" in _text(page, "verdict")
    assert "assert(!x) at q.bp:4, never reached" not in _text(page, "verdict")


def test_of_many_answers_violations_are_shown_with_their_traces_first(tmp_path: Path) -> None:
    holds = "    assert(!x);\n" * (MOST_DETAILED + 5)
    text = f"decl x := 0;\nvoid main() {{\n{holds}    assert(x);\n}}\n"
    page = report_page(about(written(tmp_path, "q.bp", text), each=True))
    assert f'id="trace-{MOST_DETAILED + 6}"' in page
    assert page.count('id="proof-') == MOST_DETAILED + 1


def test_every_link_on_a_page_leads_somewhere(tmp_path: Path) -> None:
    for page in (
        report_page(example("bluetooth1.bp")),
        report_page(example("deadlock.cpds")),
        report_page(about(written(tmp_path, "q.bp", QUESTIONS), each=True)),
        report_page(_random_source_less()),
    ):
        names = re.findall(r' id="([^"]+)"', page)
        assert len(names) == len(set(names))
        assert set(re.findall(r'href="#([^"]+)"', page)) <= set(names)


def test_a_proof_is_explained_and_a_bound_is_stated() -> None:
    page = report_page(example("figure4.cpds"))
    assert "Why this is the answer" in _text(page, "proof-1")
    assert "tepui check" in _text(page, "about")
    bounded = report_page(example("figure4.cpds", Options(contexts=2)))
    assert "BOUNDED" in _text(bounded, "verdict")
    assert "bounded: at most 2 contexts" in _text(bounded, "about")


def test_an_engine_that_cannot_begin_is_mentioned() -> None:
    page = report_page(example("figure2.cpds", Options(engine="explicit")))
    assert "engine='diagram' looks at all of them" in _text(page, "about")
    assert "high stacks" not in _text(report_page(example("figure2.cpds")), "about")


def test_limits_versions_and_the_command_line_are_told() -> None:
    options = Options(limits=Limits(timeout=60, memory=2**30, max_contexts=9))
    text = _text(report_page(example("figure4.cpds", options)), "about")
    assert "60 s, 1,024 MiB, at most 9 contexts" in text
    assert f"tepui {tepui.__version__}" in text
    assert "tepui report" in text


@pytest.mark.parametrize(
    "arguments",
    [
        ("report", str(EXAMPLES / "bluetooth1.bp"), "--threads", "add=2", "-o", "r.html", "-q"),
        ("report", "two.bp", "--unreachable=A", "--output", "r.html", "--never-together", "A", "B"),
        ("verify", "two.bp", "--all", "--traces", "--report", "r.html"),
        ("verify", str(EXAMPLES / "deadlock.cpds"), "--report", "r.html", "--engine", "delay"),
        ("report", str(EXAMPLES / "figure4.cpds"), "--target", "q3|2,6", "-o", "r.html"),
        ("report", "two.yml", "-qor.html"),
    ],
)
def test_the_commands_that_check_everything_again_do_so(
    tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    written(tmp_path, "two.bp", QUESTIONS)
    written(tmp_path, "two.yml", "format_version: '2.0'\ninput_files: two.bp\n")
    assert call(*arguments, cwd=tmp_path).code in (0, 1)
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    told = re.search(r"<pre[^>]*><code>(.*?)</code></pre>", _section(page, "about"), re.DOTALL)
    assert told is not None
    first, *others = (shlex.split(line)[1:] for line in unescape(told[1]).split("\n"))
    assert call(*first, cwd=tmp_path).code in (0, 1)
    assert others
    for command in others:
        ended = call(*command, cwd=tmp_path)
        assert (ended.code, ended.out[:8]) == (0, "ACCEPTED"), (command, ended)


def test_the_values_of_every_option_are_known() -> None:
    for command in (verify_command, report_command):
        for option in command.params:
            if isinstance(option, click.Option):
                count = 0 if option.is_flag else option.nargs
                assert {values_of(name) for name in option.opts} == {count}, option.opts


def test_exploration_that_was_left_out_is_mentioned() -> None:
    told = replace(example("figure4.cpds"), exploration=None)
    assert "Exploration was left out" in _text(report_page(told), "exploration")


def test_a_bound_of_the_answers_is_a_limit_of_the_exploration(tmp_path: Path) -> None:
    crowd = str(EXAMPLES / "fork-crowd.bp")
    ended = call("report", crowd, "--contexts", "2", "-o", "r.html", cwd=tmp_path)
    assert "this is what 2 contexts reach" in ended.out


def test_marks_are_exact_only_where_the_answer_is(tmp_path: Path) -> None:
    told = about(written(tmp_path, "safe.bp", SAFE))
    marks = marks_of(told, [])
    assert marks is not None
    assert {line: one.mark for (_, line), one in marks.lines.items()} == {
        3: "reached",
        4: "reached",
        5: "reached",
        6: "partly",
    }
    early = Options(strengths=(), limits=Limits(max_contexts=0))
    unsure = marks_of(replace(told, exploration=explore(told.model, early)), [])
    assert unsure is not None
    assert unsure.certain == "reached"
    assert unsure.lines[str(told.file), 5].mark == "unknown"
    assert unsure.lines[str(told.file), 5].words == "not seen so far"


def test_what_only_an_over_approximation_allows_is_unknown() -> None:
    marks = marks_of(replace(example("figure6.bp"), exploration=None), [])
    assert marks is not None
    assert marks.certain == "unreached"
    assert {one.mark for one in marks.lines.values()} == {"unknown"}
    assert all("may be reached by" in one.words for one in marks.lines.values())


def unreached(data: ReportInput) -> ReportInput:
    """The same, if only what is unreached were certain."""
    assert data.exploration is not None
    reached = replace(data.exploration.reached, certainty="unreached")
    return replace(data, exploration=replace(data.exploration, reached=reached))


def test_a_line_is_not_partly_reached_if_none_of_it_is_for_certain(tmp_path: Path) -> None:
    told = about(written(tmp_path, "safe.bp", SAFE))
    assert told.exploration is not None
    told = unreached(told)
    marks = marks_of(told, [])
    assert marks is not None
    assert marks.lines[str(told.file), 6].mark == "unknown"
    assert "never reached" in marks.lines[str(told.file), 6].words


def test_a_trace_shows_only_that_its_own_statements_are_reached(tmp_path: Path) -> None:
    text = "void main() {\n    skip; assert(0); skip;\n}\n"
    told = about(written(tmp_path, "one.bp", text))
    assert told.exploration is not None
    told = unreached(told)
    lanes = lanes_of(told.results[0], {})
    assert lanes is not None
    marks = marks_of(replace(told, results=()), [lanes])
    assert marks is not None
    (line,) = marks.lines.values()
    assert line.mark == "partly"
    assert line.words == (
        "skip: reached in a trace; assert(0): reached in a trace; skip: never reached"
    )


def test_a_violated_line_is_marked_as_such() -> None:
    told = example("bluetooth1.bp")
    marks = marks_of(told, [])
    assert marks is not None
    assert marks.lines[str(told.file), 40].mark == "violated"
    assert marks.count("violated") == 1


def test_the_rules_of_a_trace_are_found_in_the_file() -> None:
    told = example("bluetooth-buggy.cpds")
    lanes = lanes_of(told.results[0], rule_positions(told))
    assert lanes is not None
    lines = (EXAMPLES / "bluetooth-buggy.cpds").read_text(encoding="utf-8").split("\n")
    for context in lanes.contexts:
        for moment in context:
            assert moment.position is not None
            line = " ".join(lines[moment.position.line - 1].partition("#")[0].split())
            assert line == moment.text.replace("→", "->")


def test_a_deadlock_says_where_every_thread_waits() -> None:
    text = _text(report_page(example("deadlock.cpds")), "trace-1")
    assert text.endswith("bad: deadlock: no thread can moveleft with oneright with one")


def test_a_trace_without_a_step_is_shown() -> None:
    program = program_of("void main() { L: skip; }")
    result = verified(program, [tepui.unreachable(program, "L")])
    page = report_page(ReportInput("verify", program, None, (result,)))
    assert "0 steps in 0 contexts" in _text(page, "trace-1")
    assert "violated: L is unreachable" in _text(page, "trace-1")


def test_a_program_without_its_file_shows_its_statements() -> None:
    page = report_page(_random_source_less())
    assert "The file could not be read" in _text(page, "source")
    assert "assert(!x)" in _text(page, "source")


def test_a_system_without_its_file_has_no_source() -> None:
    system = system_of("initial q\nthread P {\n    stack a\n    q | a -> r | -\n}\nbad r | *\n")
    page = report_page(ReportInput("verify", system, None, (verify(system),)))
    assert 'id="source"' not in page
    assert 'id="trace-1"' in page


def test_dataflow_facts_are_not_shown_where_another_thread_has_the_same_label(
    tmp_path: Path,
) -> None:
    text = "decl x := 0;\nvoid f() { x := 1;\nL: skip; }\nvoid g() {\nL: skip; }\n"
    text += "void main() { thread_create(f); thread_create(g); }\n"
    file = written(tmp_path, "l.bp", text)
    program = load(file).model
    for contexts, said in ((1, "x = 1"), (2, "x = 1")):
        facts = tepui.dataflow(program, "f:L", contexts=contexts)
        page = report_page(ReportInput("dataflow", program, file, facts=facts))
        shown = re.findall(r'class="line has-note" id="source-1-(\d+)"', page)
        assert shown == ["3"]
        assert f"f at L, within {contexts} context" in _text(page, "source")
        assert said in _text(page, "source")


def test_a_place_that_no_thread_gets_to_has_no_facts(tmp_path: Path) -> None:
    file = written(tmp_path, "l.bp", "decl x := 0;\nvoid main() {\n    wait(x);\nL: skip;\n}\n")
    program = load(file).model
    facts = tepui.dataflow(program, "main:L")
    page = report_page(ReportInput("dataflow", program, file, facts=facts))
    assert "No thread gets there within 2 contexts." in _text(page, "dataflow")
    assert "main at L, within 2 contexts: unreachable" in _text(page, "source")


def test_dataflow_facts_are_shown_at_their_line() -> None:
    file = EXAMPLES / "dataflow" / "figure4.bp"
    program = tepui.load(file, threads={"foo": 1})
    facts = tepui.dataflow(program, "foo:n8", called_from=["n3"])
    page = report_page(ReportInput("dataflow", program, file, facts=facts))
    assert "foo at n8, called from n3, within 2 contexts: x = 3, y = 3" in _text(page, "verdict")
    line = re.search(r'<li class="line has-note" id="source-1-(\d+)">.*?</li>', page)
    assert line is not None
    assert line[1] == "15"
    assert "◆ foo at n8, called from n3, within 2 contexts: x = 3, y = 3" in line[0]


def test_the_middle_of_a_trace_can_be_left_out_without_losing_the_state(tmp_path: Path) -> None:
    file = written(tmp_path, "long.bp", long_program(30))
    data = ReportInput("verify", load(file).model, file, (verify(load(file).model),))
    lanes = lanes_of(data.results[0], {})
    assert lanes is not None
    library = Library(data)
    whole, cut = (TracePart(lanes, 1, library, most).data() for most in (10_000, 20))
    assert len(cut["steps"]) == 21 < len(whole["steps"])
    states = [_state(trace, len(trace["steps"])) for trace in (whole, cut)]
    assert states[0] == states[1]
    assert _state(whole, 10) == _state(cut, 10)
    assert _state(whole, len(whole["steps"]) - 10) == _state(cut, 11)


def test_a_trace_of_more_than_two_hundred_steps_is_small(tmp_path: Path) -> None:
    file = written(tmp_path, "long.bp", long_program(60))
    model = load(file).model
    result = verify(model)
    assert result.trace is not None
    assert len(result.trace.steps) > 200
    assert len(report_page(ReportInput("verify", model, file, (result,))).encode()) < LIMIT / 10


@pytest.mark.filterwarnings("ignore:.*can never match")
def test_a_hundred_thousand_visible_states_fit(tmp_path: Path) -> None:
    file = written(tmp_path, "many.cpds", different_threads(7))
    system = tepui.load(file)
    result = explore(system, Options(engine="explicit", strengths=()))
    assert result.visible_states is not None
    assert result.visible_states > 100_000
    page = report_page(ReportInput("explore", system, file, (), result))
    assert len(page.encode()) < LIMIT
    text = _text(page, "visible")
    assert f"{result.visible_states:,} visible states are reachable" in text
    listed = re.search(r"The first ([0-9,]+) are listed here", text)
    assert listed is not None
    rows = _data(page)["visible"]["rows"].split("\n")
    assert len(rows) == int(listed[1].replace(",", ""))


def test_a_page_with_everything_at_its_largest_stays_below_the_limit(tmp_path: Path) -> None:
    comments = "".join(f"// {number} {'<&>' * 40}\n" for number in range(2 * MOST_LINES))
    names = long_program(800).replace("turn", "t" * 900)
    file = written(tmp_path, "large.bp", names + comments)
    model = load(file).model
    data = ReportInput("report", model, file, (verify(model),), explore(model), None, Options())
    page = report_page(data)
    assert len(page.encode()) < LIMIT
    assert "more lines left out" in _text(page, "source")
    assert "steps left out here" in _text(page, "trace-1")
    assert "are listed here" in _text(page, "visible")


def test_a_report_is_written_from_python(tmp_path: Path) -> None:
    program = tepui.load(EXAMPLES / "bluetooth1.bp")
    answers = [tepui.verify(program), tepui.explore(program)]
    path = write_report(tmp_path / "r.html", answers)
    page = path.read_text(encoding="utf-8")
    assert "UNSAFE" in _text(page, "verdict")
    assert "174 visible states are reachable" in _text(page, "visible")
    system = EXAMPLES / "deadlock.cpds"
    path = write_report(tmp_path / "s.html", tepui.verify(tepui.load(system)), file=system)
    assert "thread left" in _text(path.read_text(encoding="utf-8"), "source")
    with pytest.raises(UsageError, match="a report needs a result"):
        write_report(tmp_path / "t.html", [])


def test_the_command_answers_explores_and_writes(tmp_path: Path) -> None:
    ended = call("report", str(EXAMPLES / "bluetooth1.bp"), cwd=tmp_path)
    assert ended.code == 1
    assert "UNSAFE" in ended.out
    assert "COLLAPSED  bluetooth1.bp: exactly 174 visible states" in ended.out
    assert "the report was written to bluetooth1-report.html" in ended.err
    page = (tmp_path / "bluetooth1-report.html").read_text(encoding="utf-8")
    assert "assert(!stopped)" in _text(page, "verdict")
    assert "exactly 174 visible states" in _text(page, "exploration")


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("figure4.cpds",), 0),
        (("deadlock.cpds",), 1),
        (("figure4.cpds", "--contexts", "2"), 4),
        (("figure4.cpds", "--z", "off", "--max-contexts", "1"), 3),
        (("figure4.cpds", "--timeout", "0"), 3),
        (("dataflow/figure4.bp",), 0),
        (("deadlock.cpds", "--engine", "delay"), 1),
        (("nothing.bp",), 2),
    ],
)
def test_the_exit_code_is_that_of_verify(
    tmp_path: Path, arguments: tuple[str, ...], code: int
) -> None:
    name, *options = arguments
    ended = call("report", str(EXAMPLES / name), *options, "-o", "x.html", cwd=tmp_path)
    assert ended.code == code
    assert (tmp_path / "x.html").exists() == (code != 2)


def test_a_model_is_never_overwritten(tmp_path: Path) -> None:
    model = written(tmp_path, "m.cpds", (EXAMPLES / "deadlock.cpds").read_text(encoding="utf-8"))
    other = written(tmp_path, "other.bp", SAFE)
    before = files(tmp_path)
    for target in (model, other, tmp_path, tmp_path / "no" / "x.html"):
        ended = call("report", "m.cpds", "--output", str(target), cwd=tmp_path)
        assert ended.code == 2
        assert str(target) in ended.err
    assert files(tmp_path) == before


def test_no_two_files_have_the_same_name(tmp_path: Path) -> None:
    names = ("--report", "x.html", "--sarif", f"../{tmp_path.name}/x.html")
    ended = call("verify", str(EXAMPLES / "deadlock.cpds"), *names, cwd=tmp_path)
    assert (ended.code, files(tmp_path)) == (2, {})
    assert "x.html: two files cannot have the same name" in ended.err


def test_the_page_is_opened_where_that_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []

    def show(url: str) -> bool:
        opened.append(url)
        return len(opened) == 1

    monkeypatch.setattr("webbrowser.open", show)
    file = str(EXAMPLES / "deadlock.cpds")
    assert "no browser" not in call("report", file, "--open", cwd=tmp_path).err
    assert opened == [(tmp_path / "deadlock-report.html").as_uri()]
    assert "there is no browser" in call("report", file, "--open", cwd=tmp_path).err


def _random_source_less() -> ReportInput:
    program = program_of(QUESTIONS, "gone.bp")
    return ReportInput("verify", program, None, (verified(program),))


def _section(page: str, name: str) -> str:
    """The markup of a section."""
    start = page.index(f'<section id="{name}"')
    return page[start : page.index("</section>", start)]


def _text(page: str, name: str) -> str:
    return unescape(re.sub(r"<[^>]*>", "", _section(page, name)))


def _data(page: str) -> Any:
    start = page.index(">", page.index('id="report-data"')) + 1
    return json.loads(page[start : page.index("</script>", start)])


def _state(trace: dict[str, Any], count: int) -> tuple[list[str | None], list[list[str]]]:
    """The state after `count` steps, as the script computes it."""
    values = [value for _, value in trace["variables"]]
    stacks = [list(stack) for stack in trace["stacks"]]
    for _, _, changed, assigned, _ in trace["steps"][:count]:
        for lane, height, *words in changed:
            stacks[lane] = [*words, *stacks[lane][len(stacks[lane]) - height :]]
        for variable, value in assigned:
            values[variable] = value
    return values, stacks
