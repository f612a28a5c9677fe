"""The stored parser tables: they match the grammars, and parse in the same way."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest
from lark import Lark, Token, Tree

from support.places import EXAMPLES
from tepui.languages.boolean import is_begin_end, parsers
from tepui.languages.source import Source


@pytest.mark.parametrize("grammar", parsers.GRAMMARS)
def test_the_tables_are_up_to_date(grammar: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: str) -> Lark:
        raise AssertionError(f"run `python -m {parsers.__name__}`: {grammar} has changed")

    monkeypatch.setattr(parsers, "_made", refuse)
    parsers.parser_of(grammar)


@pytest.mark.parametrize("grammar", parsers.GRAMMARS)
def test_tables_of_another_grammar_are_not_used(
    grammar: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    tables = import_module(f"tepui.languages.boolean.{grammar}_tables")
    monkeypatch.setattr(tables, "TABLES", None)
    monkeypatch.setattr(tables, "MADE_OF", ("0", "other"))
    assert parsers.parser_of(grammar).rules


def test_both_ways_lead_to_the_same_trees() -> None:
    made = {name: parsers._made(parsers._text(name)) for name in parsers.GRAMMARS}
    kept = {name: parsers.parser_of(name) for name in parsers.GRAMMARS}
    seen = set()
    for path in sorted(EXAMPLES.rglob("*.bp")):
        source = Source.of_file(path)
        name = "beginend" if is_begin_end(source) else "braces"
        seen.add(name)
        text = "\n".join(source.lines) + "\n"
        assert _told(made[name].parse(text)) == _told(kept[name].parse(text)), path
    text = "decl x; void main() begin x := 1; if (x) then skip; fi end"
    assert _told(made["beginend"].parse(text)) == _told(kept["beginend"].parse(text))
    assert "braces" in seen


def _told(node: Any) -> Any:
    """A tree with all its tokens and positions."""
    if isinstance(node, Tree):
        where = (node.meta.line, node.meta.column) if not node.meta.empty else None
        return str(node.data), where, [_told(child) for child in node.children]
    if isinstance(node, Token):
        return node.type, str(node), node.line, node.column
    return node
