"""What notebooks show: the page about them is run as a notebook, and its outputs are checked."""

from __future__ import annotations

import re
from html import unescape
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from xml.etree import ElementTree

import nbclient
import nbformat
import pytest

import tepui
from support.browser import show
from support.pages import Block, actions
from support.places import EXAMPLES, ROOT
from tepui.automata import Automaton
from tepui.checker import Trace
from tepui.report.pictures.colours import DARK, LIGHT
from tepui.weighted import (
    Configurations,
    Inner,
    MinPath,
    WeightedRule,
    WeightedSystem,
    post_star,
    transducer_of,
)

if TYPE_CHECKING:
    from playwright.sync_api import Page

Scheme = Literal["light", "dark"]

PAGE = (ROOT / "docs" / "python.md").read_text(encoding="utf-8").partition("## Notebooks\n")[2]

pytestmark = pytest.mark.xdist_group("notebook")
"""The notebook is run once."""


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """What each cell of the page displays, by type; its text is what it prints."""
    folder = tmp_path_factory.mktemp("notebook")
    (folder / "examples").symlink_to(EXAMPLES)
    blocks = [block for block in actions(PAGE) if isinstance(block, Block)]
    new_cell: Any = nbformat.v4.new_code_cell
    new_notebook: Any = nbformat.v4.new_notebook
    notebook = new_notebook(cells=[new_cell(block.text) for block in blocks])
    nbclient.NotebookClient(notebook, resources={"metadata": {"path": str(folder)}}).execute()
    return [
        {kind: data for output in cell.outputs for kind, data in _data(output).items()}
        for cell in notebook.cells
    ]


def _data(output: Any) -> dict[str, Any]:
    return {"printed": output.text} if output.output_type == "stream" else dict(output.data)


def test_the_page_shows_in_a_notebook_what_it_says(outputs: list[dict[str, Any]]) -> None:
    result, answers, sequence, saved, flow, dot, automaton = outputs
    assert 'class="verdict unsafe">UNSAFE</span>' in result["text/html"]
    assert "Observation sequence of bluetooth1" in result["text/html"]
    assert answers["text/html"].count('<details class="answer">') == 2
    assert answers["text/plain"].startswith(
        "UNSAFE   assert(!stopped) at bluetooth1.bp:40: violated"
    )
    assert "Observation sequence of figure4" in sequence["text/html"]
    assert saved == {}
    assert "pendingIo := pendingIo + 1" in flow["text/html"]
    assert "digraph" in dot["printed"]
    assert 'data-key="s3"' in automaton["text/html"]


def test_what_the_page_prints_is_what_it_shows(outputs: list[dict[str, Any]]) -> None:
    shown = [block.output for block in actions(PAGE) if isinstance(block, Block) and block.output]
    assert [output["printed"].rstrip("\n") for output in outputs if "printed" in output] == [
        text.rstrip("\n") for text in shown
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(
    "told",
    [
        "",
        'data-jp-theme-light="{light}"',
        'class="vscode-{scheme}"',
        'class="vscode-high-contrast {contrast}"',
        'data-theme="{scheme}"',
    ],
)
def test_a_result_is_as_dark_as_the_notebook_is(
    page: Page, tmp_path: Path, outputs: list[dict[str, Any]], scheme: Scheme, told: str
) -> None:
    """By what the notebook says, also against the scheme of the reader, or else by that."""
    others: dict[Scheme, Scheme] = {"light": "dark", "dark": "light"}
    page.emulate_media(color_scheme=others[scheme] if told else scheme)
    attribute = told.format(
        light=str(scheme == "light").lower(),
        scheme=scheme,
        contrast="vscode-high-contrast-light" if scheme == "light" else "",
    )
    html = outputs[0]["text/html"]
    show(page, tmp_path, f"<!doctype html><body {attribute}>{html}</body>")
    colours = DARK if scheme == "dark" else LIGHT
    assert _hex(page, ".tepui-shown", "backgroundColor") == colours["paper"]
    assert _hex(page, ".tepui-shown .verdict", "color") == colours["unsafe"]
    assert _hex(page, ".tepui-picture > rect", "fill") == colours["paper"]
    assert _hex(page, ".tepui-plot .bar", "fill") == colours["accent"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_saved_picture_is_as_dark_as_its_reader_wants(
    page: Page, tmp_path: Path, scheme: Scheme
) -> None:
    path = tmp_path / "sequence.svg"
    tepui.plot(tepui.explore(load("figure4.cpds"))).save(path)
    page.emulate_media(color_scheme=scheme)
    page.goto(path.as_uri())
    colours = DARK if scheme == "dark" else LIGHT
    assert _hex(page, ".tepui-picture > rect", "fill") == colours["paper"]
    assert _hex(page, ".tepui-plot .stutter", "fill") == colours["open-paper"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_picture_in_a_page_follows_the_choice_of_the_page(
    page: Page, tmp_path: Path, scheme: Scheme
) -> None:
    svg = tepui.plot(tepui.explore(load("figure4.cpds"))).svg
    page.emulate_media(color_scheme="dark" if scheme == "light" else "light")
    show(page, tmp_path, f'<!doctype html><html data-theme="{scheme}"><body>{svg}</body></html>')
    colours = DARK if scheme == "dark" else LIGHT
    assert _hex(page, ".tepui-picture > rect", "fill") == colours["paper"]


def _hex(page: Page, selector: str, name: str) -> str:
    colour = page.locator(selector).first.evaluate(f"each => getComputedStyle(each).{name}")
    return "#" + "".join(f"{int(part):02x}" for part in re.findall(r"\d+", colour)[:3])


def test_a_result_tells_what_its_text_tells() -> None:
    result = tepui.explore(load("figure4.cpds"))
    html = words(result._repr_html_())
    for line in str(result).splitlines()[1:]:
        assert re.sub(r"\s+", " ", line).strip() in html


def test_answers_are_a_list_that_shows_itself() -> None:
    program = tepui.load_program(EXAMPLES / "peterson.bp")
    asked = [tepui.deadlock(), tepui.unreachable(program, "critical")]
    answers = tepui.verify_all(program, asked)
    assert isinstance(answers, tepui.Answers)
    assert [answer.result.verdict for answer in answers] == ["safe", "unsafe"]
    assert [answers[0], answers[-1]] == answers == list(answers) != [answers[0]]
    assert answers[1:] == [answers[1]]
    assert repr(answers) == str(answers) == "\n".join(map(str, answers))
    assert str(answers).splitlines()[0] == "SAFE     no deadlock: Z (matched) has no bad state"
    assert repr(answers[0]) == "<Answer safe: no deadlock>"
    assert repr(tepui.Answers()) == "<no answers>"
    html = answers._repr_html_()
    assert html.count('<details class="answer">') == 2
    for answer in answers:
        verdict, _, sentence = str(answer).partition("  ")
        assert f"{verdict} {sentence.strip()}" in words(html)
    assert "the trace: 6 steps, 1 context" in words(html)


def test_a_single_round_is_not_plotted() -> None:
    result = tepui.verify(load("figure4.cpds"))
    assert len(result.rounds) == 1
    assert "tepui-plot" not in result._repr_html_()


def test_the_trace_of_a_program_has_places_statements_and_changes() -> None:
    result = tepui.verify(load("bluetooth1.bp"))
    html = words(result._repr_html_())
    assert "context 2: thread stop bluetooth1.bp:46 stop stoppingFlag := 1" in html
    assert "stoppingFlag: 0 → 1" in html
    assert "| pendingIo := pendingIo - 1" in html
    assert html.endswith("violated assert(!stopped) at bluetooth1.bp:40")


def test_the_trace_of_a_system_has_states_and_rules() -> None:
    html = words(tepui.verify(load("deadlock.cpds"))._repr_html_())
    assert "context 1: thread right B | start, one by none | start → B | one" in html
    assert "bad deadlock: no thread can move left with one needs shared state A" in html
    assert html.endswith("cycle left waits for right, which waits for left")


def test_delays_are_told_where_they_are() -> None:
    options = tepui.Options(engine="delay")
    html = words(tepui.verify(load("bluetooth-buggy.cpds"), options=options)._repr_html_())
    assert "(delayed: " in html


def test_a_trace_by_itself_knows_its_names_and_equals_the_one_without() -> None:
    result = tepui.verify(load("bluetooth1.bp"))
    trace = result.trace
    assert trace is not None
    assert type(result.evidence) is Trace
    assert trace == result.evidence
    assert result.evidence == trace
    assert hash(trace) == hash(result.evidence)
    assert trace != tepui.verify(load("bluetooth2.bp")).trace
    assert repr(trace) == "<Trace of bluetooth1: 14 steps, 3 contexts>"
    assert str(trace) in str(result)
    assert "the trace: 14 steps, 3 contexts" in words(trace._repr_html_())


def test_a_long_trace_is_shortened_in_the_middle_and_folded_up(tmp_path: Path) -> None:
    file = tmp_path / "long.cpds"
    states = " ".join(f"q{number}" for number in range(301))
    rules = "\n".join(f"q{number} | a -> q{number + 1} | a" for number in range(300))
    file.write_text(
        f"shared {states}\ninitial q0\nthread T {{\nstack a\n{rules}\n}}\nbad q300 | *\n"
    )
    html = tepui.verify(tepui.load(file))._repr_html_()
    assert "… 102 lines left out …" in html
    assert "<details>" in html
    assert "by q0 | a → q1 | a" in words(html)
    assert "by q299 | a → q300 | a" in words(html)


def test_long_states_are_cut(tmp_path: Path) -> None:
    file = tmp_path / "high.cpds"
    stack = " ".join(["symbol"] * 2000)
    file.write_text(f"initial q\nthread T {{\nstack {stack}\nq | symbol -> r | -\n}}\nbad r | *\n")
    system: Any = tepui.load(file)
    for html in (system._repr_html_(), tepui.verify(system)._repr_html_()):
        assert "symbol symbol" in html
        assert "…</td>" in html
        assert len(html) < 12_000


def test_an_answer_shows_its_question_and_its_result() -> None:
    program = load("bluetooth3.bp")
    (answer,) = tepui.verify_all(program, tepui.assertions(program))
    html = words(answer._repr_html_())
    assert html.startswith("assert(!stopped) at bluetooth3.bp:41 UNSAFE bluetooth3.bp: ")


def test_an_observation_is_a_row() -> None:
    first, second = islice(tepui.observe(load("two-wheels.cpds")), 2)
    assert words(second._repr_html_()).startswith(
        "contexts states visible states new seconds 1 ∞ 6 5 "
    )
    assert "engine" not in repr(first)
    (start,) = islice(tepui.observe(load("figure4.cpds"), engine="delay"), 1)
    assert words(start._repr_html_()).startswith("rounds delays states")


def test_what_was_watched_is_plotted_with_its_noun() -> None:
    seen = tepui.watch(load("figure4.cpds"), lambda state: state.shared)
    html = seen._repr_html_()
    assert "new abstract states" in html
    assert words(html).startswith("PLATEAU, ")


def test_facts_that_hold_are_listed_with_what_was_left_out() -> None:
    program = load("dataflow/ring-buffer.bp")
    facts = tepui.dataflow(program, "consumer:C", domain="affine", modulus=8, contexts=4)
    html = words(facts._repr_html_())
    assert html.startswith("consumer at C, within 4 contexts: hd - tl + cnt = 0 (mod 8) note ")


def test_a_system_shows_its_threads_and_rules_and_a_program_its_calls() -> None:
    html = words(load("figure4.cpds")._repr_html_())
    assert "bad q3 | 2, 6" in html
    assert "thread P2: 3 rules q0 | 4 → q0 | -" in html
    many = words(load("bluetooth.cpds")._repr_html_())
    assert re.search(r"… and \d+ more", many)
    program = load("bluetooth1.bp")
    assert 'data-key="thread add"' in program._repr_html_()
    assert tepui.verify(program).system._repr_html_() == program._repr_html_()


def test_automata_are_graphs() -> None:
    system = load("figure3.cpds")
    assert keys(Automaton.initial(system, "P").post_star()._repr_html_()) == [
        *("q0", "q1", "q2", "s1", "s2", "s3")
    ]


def test_automata_with_weights_and_transducers_are_graphs() -> None:
    rules: list[WeightedRule[int | None]] = [
        WeightedRule("p", "a", "p", ("b", "a"), 1),
        WeightedRule("p", "b", "r", (), 2),
    ]
    weighted = WeightedSystem.of(MinPath(), rules)
    start = Configurations.of(("p", ("a",)))
    assert len(keys(start._repr_html_())) == 2
    reached = post_star(weighted, start)._repr_html_()
    assert reached is not None
    assert "a: 3" in reached
    transducer = transducer_of(weighted)._repr_html_()
    assert transducer is not None
    assert "node point" in transducer


def test_what_is_too_large_to_be_drawn_is_left_to_its_text() -> None:
    transitions = [("p", str(number), Inner(number)) for number in range(400)]
    many = Configurations(frozenset(transitions), frozenset([Inner(0)]))
    assert many._repr_html_() is None
    automaton = Automaton.initial(load("figure3.cpds"), "P").post_star()
    assert repr(automaton) == "<Automaton of P in figure3: 9 transitions>"


def test_a_program_with_calls_all_over_it_is_left_to_its_text(tmp_path: Path) -> None:
    calls = " ".join(f"f{number}();" for number in range(60))
    text = "".join(f"void f{number}() {{ {calls} }}\n" for number in range(60))
    file = tmp_path / "dense.bp"
    file.write_text(f"{text}void main() {{ f0(); }}\n")
    program: Any = tepui.load(file)
    assert program._repr_html_() is None
    assert repr(program) == "<Program dense: threads main>"


def test_dollar_signs_make_no_formula() -> None:
    ignored = "tex2jax_ignore mathjax_ignore"
    result = tepui.explore(load("figure4.cpds"))
    assert f'class="tepui-shown {ignored}"' in result._repr_html_()
    assert tepui.plot(result)._repr_html_().startswith(f'<div class="{ignored}"><svg ')
    automaton = Automaton.initial(load("figure3.cpds"), "P")
    assert (automaton._repr_html_() or "").startswith(f'<div class="{ignored}"><svg ')


def test_the_styles_of_a_notebook_do_not_change_tables(
    page: Page, tmp_path: Path, outputs: list[dict[str, Any]]
) -> None:
    """The rules with which JupyterLab styles the tables of outputs."""
    style = (
        ".jp-Common td,.jp-Common th{padding:9px;white-space:normal}"
        ":not(.jp-Markdown).jp-Common td,:not(.jp-Markdown).jp-Common th{text-align:right}"
        ".jp-Themed .jp-Common pre{background-color:red}"
    )
    program = load("dataflow/ring-buffer.bp")
    facts = tepui.dataflow(program, "consumer:C", domain="affine", modulus=8, contexts=4)
    parts = f"{outputs[0]['text/html']}{facts._repr_html_()}"
    body = f'<body class="jp-Themed"><div class="jp-Common">{parts}</div></body>'
    show(page, tmp_path, f"<!doctype html><style>{style}</style>{body}")
    cells = page.locator(".tepui-shown td, .tepui-shown th")
    script = "cells => [...new Set(cells.map(each => getComputedStyle(each).textAlign))]"
    assert cells.evaluate_all(script) == ["left"]
    assert page.locator("pre").evaluate("each => getComputedStyle(each).backgroundColor") == (
        "rgba(0, 0, 0, 0)"
    )


def test_names_stay_text(tmp_path: Path) -> None:
    file = tmp_path / "a.cpds"
    evil = '"</td><script>alert(1)</script>"'
    file.write_text(f"initial q\nthread T {{\nstack {evil}\nq | {evil} -> q | - \n}}\nbad q | -\n")
    system: Any = tepui.load(file)
    result = tepui.verify(system)
    assert result.trace is not None
    for html in (system._repr_html_(), result._repr_html_(), result.trace._repr_html_()):
        assert "<script" not in html
        assert "&lt;script&gt;" in html


def load(name: str) -> Any:
    return tepui.load(EXAMPLES / name)


def words(html: str) -> str:
    """What a person reads, in one line."""
    without = re.sub(r"<style>.*?</style>|<svg.*?</svg>", " ", html, flags=re.DOTALL)
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", without)).split())


def keys(svg: str | None) -> list[str]:
    assert svg is not None
    found = (each.get("data-key") for each in ElementTree.fromstring(svg).iter())
    return [key for key in found if key is not None]
