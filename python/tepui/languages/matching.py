"""The `.mch` format: a claimed call-return relation Ω (CUBA, section 5.1), one set per thread.

`PDA` opens the next thread; each line below it is a returning symbol and the post-call symbol that
may emerge when it is popped. The relation is a claim, and whether it holds is not decided here.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tepui.languages.source import Source
from tepui.languages.tokens import END, Line, lines_with_content, plain_number, shown
from tepui.model import System, Template


@dataclass(frozen=True, slots=True)
class Matching:
    """For each thread, in order, the claimed pairs (returning symbol, post-call symbol)."""

    pairs: tuple[frozenset[tuple[int, int]], ...]
    warnings: list[str]


def read_matching(path: Path, system: System) -> Matching:
    """Read a `.mch` file; pairs with a symbol that the thread does not have are left out."""
    return _read(Source.of_file(path), system)


def read_matching_text(text: str, system: System, source: str = "<text>") -> Matching:
    """Read the text of a `.mch` file."""
    return _read(Source.of_text(text, source), system)


def _read(source: Source, system: System) -> Matching:
    pairs: list[set[tuple[int, int]]] = []
    warnings = []
    count = len(system.threads)
    for line in lines_with_content(source):
        if line.at_word("PDA"):
            keyword = line.take()
            line.expect(END, "after 'PDA'")
            if len(pairs) == count:
                raise line.error(keyword, f"expected {count} 'PDA' blocks, one for each thread")
            pairs.append(set())
            continue
        if not pairs:
            raise line.expected("'PDA' before the first pair")
        thread = len(pairs) - 1
        pair, unknown = _pair(line, system.template_of(thread))
        if unknown:
            name = system.thread_names[thread]
            symbols = " and ".join(map(shown, unknown))
            warnings.append(f"{line.place}: thread {name} has no symbol {symbols}; pair ignored")
        else:
            pairs[-1].add(pair)
    if len(pairs) < count:
        raise source.error_at_end(
            f"expected {count} 'PDA' blocks, one for each thread, found {len(pairs)}"
        )
    return Matching(tuple(frozenset(found) for found in pairs), warnings)


def _pair(line: Line, template: Template) -> tuple[tuple[int, int], list[str]]:
    """The pair of a line, and those of its symbols that are unknown."""
    returning = line.expect_name("'PDA' or a returning symbol").text
    emerging = line.expect_name("a post-call symbol").text
    line.expect(END, "after the post-call symbol")
    ids = [_symbol(name, template) for name in (returning, emerging)]
    unknown = [name for name, symbol in zip((returning, emerging), ids, strict=True) if not symbol]
    return (ids[0], ids[1]), list(dict.fromkeys(unknown))


def _symbol(name: str, template: Template) -> int:
    """The number of a symbol, with or without leading zeros; EPSILON where there is none."""
    for spelling in (name, plain_number(name)):
        if spelling in template.symbols[1:]:
            return template.symbols.index(spelling, 1)
    return 0
