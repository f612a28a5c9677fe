"""The grammars in the docs and the readers: both allow the same texts."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

import pytest

from support.grammar import Grammar
from support.places import DOCS
from support.sizes import sized
from tepui.languages.boolean.beginend import parse_begin_end
from tepui.languages.boolean.beginend_expressions import BEGIN_END
from tepui.languages.boolean.braces import parse_braces
from tepui.languages.boolean.braces_expressions import BRACES
from tepui.languages.boolean.lexer import Vocabulary
from tepui.languages.boolean.syntax import SyntaxTree
from tepui.languages.source import Source

PAGE = (DOCS / "formats.md").read_text(encoding="utf-8")
TEXTS = re.findall(r"```text\n(program +=.*?)```", PAGE, re.S)
SYNTAXES = [
    pytest.param(Grammar.of(TEXTS[0]), BRACES, parse_braces, id="braces"),
    pytest.param(Grammar.of(TEXTS[1]), BEGIN_END, parse_begin_end, id="begin/end"),
]

SIGNS = [*":=", ":=", *";,(){}[]=*':?!+", "x", "1"]
BEYOND_THE_GRAMMAR = (
    *("expected a new member", "expected a number of", "expected a number from"),
    *("expected parentheses to group", "expected 0, 1, T or F"),
    *("expected a call without results", "expected no parameters", "tepui does not support"),
)


def verdict(parse: Callable[[Source], SyntaxTree], words: list[str]) -> bool | None:
    """Whether a reader allows a text; None if it complains of more than grammar."""
    errors = parse(Source.of_text(" ".join(words), "a.bp")).errors
    if any(error.message.startswith(BEYOND_THE_GRAMMAR) for error in errors):
        return None
    return not errors


@pytest.mark.parametrize(("grammar", "known", "parse"), SYNTAXES)
def test_every_sentence_of_the_grammar_is_read(
    grammar: Grammar, known: Vocabulary, parse: Callable[[Source], SyntaxTree]
) -> None:
    chance = random.Random(1)
    read = 0
    for _ in range(sized(600)):
        words = grammar.sentence(chance, chance.randrange(5, 150))
        allowed = verdict(parse, words)
        assert allowed is not False, " ".join(words)
        read += allowed is True
    assert read > 50


@pytest.mark.parametrize(("grammar", "known", "parse"), SYNTAXES)
def test_what_is_broken_is_refused_where_the_grammar_refuses_it(
    grammar: Grammar, known: Vocabulary, parse: Callable[[Source], SyntaxTree]
) -> None:
    chance = random.Random(2)
    others = sorted({*known.keywords, *SIGNS})
    seen = set()
    for _ in range(sized(600)):
        words = grammar.sentence(chance, chance.randrange(5, 50))
        for _ in range(chance.randrange(1, 3)):
            place = chance.randrange(len(words) + 1)
            new = [chance.choice(others)] if chance.random() < 0.6 else []
            words[place : place + chance.randrange(2)] = new
        read = verdict(parse, words)
        if read is not None:
            assert read == grammar.allows(words, known.keywords), " ".join(words)
            seen.add(read)
    assert seen == {True, False}


def test_the_grammars_have_all_keywords() -> None:
    for text, known in ((TEXTS[0], BRACES), (TEXTS[1], BEGIN_END)):
        written = {word for word in re.findall(r'"(\w+)"', text) if word != "int32"}
        assert known.keywords - {"int32"} == written
