"""Concurrent Boolean programs (`.bp`), written in braces or with begin and end.

Braces are our own syntax for Figure 1 of CUBA, and more; public suites use begin and end. Both
become the same syntax tree, which becomes a Program.
"""

from __future__ import annotations

import gc
import re
from collections.abc import Iterator
from contextlib import contextmanager

from tepui.errors import InputError
from tepui.languages.boolean.lexer import COMMENT
from tepui.languages.source import Source
from tepui.program.program import Program
from tepui.records import replace

__all__ = ["formatted", "is_begin_end", "load_program"]


def load_program(source: Source, overflow: bool = False) -> Program:
    """The program of a text, in either syntax. With `overflow`, it is a violation if the result of
    an operator does not fit its signed machine integer."""
    from tepui.languages.boolean.translate import translate

    if is_begin_end(source):
        from tepui.languages.boolean.beginend import parse_begin_end as parse
    else:
        from tepui.languages.boolean.braces import parse_braces as parse
    with _without_collection():
        tree = parse(source)
        return translate(replace(tree, dialect=replace(tree.dialect, overflow=overflow)))


@contextmanager
def _without_collection() -> Iterator[None]:
    """Look for no garbage: almost everything that reading makes stays."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def formatted(source: Source) -> str:
    """A program in its canonical form, or an InputError if it has none."""
    from tepui.languages.boolean.formatter import format_program

    if is_begin_end(source):
        message = "this program is written with begin and end; only programs in braces have a form"
        raise InputError(source.name, 0, 0, message)
    return format_program("\n".join(source.lines), source.name)


def is_begin_end(source: Source) -> bool:
    """Whether the body of some procedure starts with `begin`."""
    text = _COMMENT.sub(" ", "\n".join(source.lines))
    return _BEGIN.search(text) is not None


_COMMENT = re.compile(COMMENT)
_BEGIN = re.compile(r"\)\s*begin\b")
