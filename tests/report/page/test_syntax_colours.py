"""Syntax colours: which words have one, that no character is lost, and that they can be read."""

from __future__ import annotations

import re
from html import unescape
from itertools import chain
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from support.browser import show
from support.places import DOCS, EXAMPLES
from support.samples.reports import example, written
from tepui.deciding import verify
from tepui.languages import load
from tepui.report.markup import Html
from tepui.report.page import report_page
from tepui.report.page.syntax_colours import (
    CODE_DARK,
    CODE_LIGHT,
    JAVA,
    RULES,
    SYSTEMS,
    Syntax,
    program_syntax,
)
from tepui.report.pictures.colours import DARK, LIGHT
from tepui.report.report_input import ReportInput

if TYPE_CHECKING:
    from playwright.sync_api import Page

BRACES = program_syntax(["void main() {", "}"])
BEGIN_END = program_syntax(["void main() begin", "end"])


@pytest.mark.parametrize(
    ("syntax", "line", "coloured"),
    [
        (BRACES, "decl x: int 0..3 := 1;", "decl:k int:k 0:n 3:n 1:n"),
        (BRACES, "if (iffy & T) { end := 2; }", "if:k T:n 2:n"),
        (BRACES, "x := x-1; // while 1", "1:n // while 1:c"),
        (BRACES, "x /* a */ := /* b */ true;", "/* a */:c /* b */:c true:n"),
        (BRACES, "x1 := thread_created;", ""),
        (BEGIN_END, "while x-1 do skip; od", "while:k do:k skip:k od:k"),
        (BEGIN_END, "{x==0} := F; end", "F:n end:k"),
        (JAVA, "int i = 0x1F; // int", "int:k 0x1F:n // int:c"),
        (JAVA, 'String s = "new \\" int" + \'"\';', '"new \\" int":s \'"\':s'),
        (JAVA, "this.assertion = 1_000L;", "this:k 1_000L:n"),
        (SYSTEMS, "    stack stack  # thread", "    stack:k # thread:c"),
        (SYSTEMS, 'q | "a # b" -> r-s | -', '"a # b":s ->:k'),
        (SYSTEMS, "bad deadlock", "bad:k deadlock:k"),
        (SYSTEMS, "thread T{", "thread:k"),
        (SYSTEMS, "threads | bad -> q | thread", "->:k"),
        (SYSTEMS, "PDA 0 2", "PDA:k"),
        (RULES, "q | # → r | bad", "→:k"),
    ],
)
def test_the_words_that_have_a_colour(syntax: Syntax, line: str, coloured: str) -> None:
    found = re.findall(r'<span class="code-(.)\w*">(.*?)</span>', syntax.line(line))
    assert " ".join(f"{unescape(text)}:{kind}" for kind, text in found) == coloured


def test_a_comment_of_several_lines_is_one_on_each(tmp_path: Path) -> None:
    lines = ["x := 1; /* one", "", "  two */ y := 2;", "/* never ends", "x"]
    assert BRACES.lines(lines) == [
        'x := <span class="code-number">1</span>; <span class="code-comment">/* one</span>',
        "",
        '<span class="code-comment">  two */</span> y := <span class="code-number">2</span>;',
        '<span class="code-comment">/* never ends</span>',
        '<span class="code-comment">x</span>',
    ]
    assert BRACES.lines([]) == []


@pytest.mark.parametrize("syntax", [BRACES, BEGIN_END, SYSTEMS, RULES])
def test_no_character_is_lost_or_breaks_out(syntax: Syntax) -> None:
    rng = Random(3)
    for _ in range(300):
        lines = ["".join(rng.choices('ab1 {}"\\/*#<>&->if', k=rng.randrange(12))) for _ in range(3)]
        assert [_text(line) for line in syntax.lines(lines)] == lines
        assert [_text(syntax.line(line)) for line in lines] == lines


def test_no_character_of_an_example_is_lost() -> None:
    for file in chain(EXAMPLES.glob("*.bp"), EXAMPLES.glob("*.cpds")):
        lines = file.read_text(encoding="utf-8").split("\n")
        syntax = program_syntax(lines) if file.suffix == ".bp" else SYSTEMS
        assert [_text(line) for line in syntax.lines(lines)] == lines


def test_every_word_of_a_grammar_has_a_colour() -> None:
    text = (DOCS / "formats.md").read_text(encoding="utf-8")
    grammars = re.findall(r"```text\n(program +=.*?)```", text, re.S)
    for grammar, syntax in zip(grammars, (BRACES, BEGIN_END), strict=True):
        words = re.findall(r'"([A-Za-z]\w*)"', grammar)
        assert len(words) > 20
        assert [word for word in words if "span" not in syntax.line(word)] == []


def test_statements_of_a_trace_have_the_colours_of_their_file(page: Page, tmp_path: Path) -> None:
    show(page, tmp_path, report_page(example("fork-second-worker.bp")))
    keywords = page.locator(".step .code-keyword").all_text_contents()
    assert keywords == ["async", "async", "join", "join", "assert"]
    assert "the thread starts" in page.locator(".step code").all_text_contents()
    text = (
        "decl x;\nvoid main() begin\n    x := F;\n    if !x then skip; fi;\n    assert(x);\nend\n"
    )
    file = written(tmp_path, "be.bp", text)
    model = load(file).model
    show(page, tmp_path, report_page(ReportInput("verify", model, file, (verify(model),))))
    assert page.locator(".step .code-keyword").all_text_contents() == ["if", "skip", "assert"]
    assert page.locator(".step .code-number").all_text_contents() == ["F"]


def test_colours_differ_and_follow_the_scheme(page: Page, tmp_path: Path) -> None:
    show(page, tmp_path, report_page(example("bluetooth1.bp")))
    seen = []
    schemes: tuple[Any, ...] = ("light", "dark")
    for scheme in schemes:
        page.emulate_media(color_scheme=scheme)
        names = [f"#source .code-{name}" for name in ("keyword", "number", "comment")]
        colour = "(one) => getComputedStyle(one).color"
        seen += [page.locator(name).first.evaluate(colour) for name in [*names, "#source code"]]
    assert len(set(seen)) == 8


@pytest.mark.parametrize(("code", "scheme"), [(CODE_LIGHT, LIGHT), (CODE_DARK, DARK)])
def test_every_colour_can_be_read_on_every_paper(
    code: dict[str, str], scheme: dict[str, str]
) -> None:
    for colour in code.values():
        for paper in ("paper", "panel", "highlight", "unsafe-paper"):
            light, dark = sorted(map(_luminance, (colour, scheme[paper])), reverse=True)
            assert (light + 0.05) / (dark + 0.05) >= 4.5, (colour, paper)


def _luminance(colour: str) -> float:
    """The relative luminance of WCAG."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _text(html: Html) -> str:
    return unescape(re.sub("<[^>]*>", "", html))
