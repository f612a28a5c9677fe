"""The parsers of both grammars. Making one from its grammar takes longer than reading most
programs, so the tables are kept in modules: `python -m tepui.languages.boolean.parsers` writes
them."""

from __future__ import annotations

from hashlib import sha256
from importlib import import_module
from importlib.resources import files
from pathlib import Path

import lark
from lark import Lark

GRAMMARS = ("braces", "beginend")


def parser_of(grammar: str) -> Lark:
    """The parser of a grammar, from the stored tables if they match the grammar and the version of
    lark."""
    text = _text(grammar)
    tables = import_module(f"tepui.languages.boolean.{grammar}_tables")
    if _made_of(text) == tables.MADE_OF:
        return Lark.load(tables.TABLES)
    return _made(text)


def keywords_of(parser: Lark) -> tuple[str, ...]:
    """The keywords of a grammar."""
    values = (terminal.pattern.value for terminal in parser.terminals)
    return tuple(value for value in values if value.isidentifier())


def tables_of(grammar: str) -> str:
    """The module with the tables of a grammar."""
    text = _text(grammar)
    data, memo = _made(text).memo_serialize([lark.lexer.TerminalDef, lark.grammar.Rule])
    return (
        f'"""The tables of `{grammar}.lark`. `parsers` writes them; nobody else does."""\n\n'
        f"MADE_OF = {_made_of(text)!r}\n\n"
        f"TABLES = { ({'data': data, 'memo': memo})!r}\n"
    )


def _text(grammar: str) -> str:
    return files(__package__).joinpath(f"{grammar}.lark").read_text(encoding="utf-8")


def _made_of(text: str) -> tuple[str, str]:
    return lark.__version__, sha256(text.encode()).hexdigest()


def _made(text: str) -> Lark:
    return Lark(text, parser="lalr", lexer="basic", propagate_positions=True)


if __name__ == "__main__":
    for name in GRAMMARS:
        Path(__file__).with_name(f"{name}_tables.py").write_text(tables_of(name), encoding="utf-8")
