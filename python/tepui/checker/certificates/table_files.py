"""How tables of local states, of labels and of what lies below look in files.

There is one table for each group of threads, or for each template.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar

from tepui.checker.certificates.labels import Label
from tepui.checker.certificates.local_states import Local
from tepui.checker.writing import language, lines, names
from tepui.model import StackSet

if TYPE_CHECKING:
    from tepui.checker.json_values import Lookup
    from tepui.checker.reading import Reader

Below = frozenset[tuple[int, int]]

_Table = TypeVar("_Table")
_Entry = TypeVar("_Entry")


class Cut(TypedDict):
    """How stacks are cut."""

    depth: int
    flags: bool
    below: tuple[Below, ...]


def written_cut(
    alphabets: Sequence[Sequence[str]], depth: int, flags: bool, below: Sequence[Below]
) -> dict[str, Any]:
    return {
        "depth": depth,
        "flags": flags,
        "below": (
            json.dumps([names(symbols, pair) for pair in sorted(pairs)])
            for symbols, pairs in _with_alphabets(alphabets, below)
        ),
    }


def read_cut(reader: Reader, alphabets: Sequence[Lookup], form: str, fields: dict[str, Any]) -> Cut:
    tables = len(alphabets) if form == "cut" else 0
    return {
        "depth": reader.a(int, fields["depth"], "depth"),
        "flags": reader.a(bool, fields["flags"], "flags"),
        "below": tuple(
            frozenset(_read_pair(reader, symbols, pair) for pair in reader.items(value, "below[…]"))
            for symbols, value in zip(
                alphabets, reader.items(fields["below"], "below", tables), strict=False
            )
        ),
    }


def written_locals(
    alphabets: Sequence[Sequence[str]], tables: Sequence[Sequence[Local] | None]
) -> Iterator[str]:
    return _written(alphabets, tables, _local_line)


def read_groups(reader: Reader, value: Any) -> tuple[tuple[int, ...], ...]:
    """Groups of threads, none of them empty."""
    groups = []
    for number, group in enumerate(reader.items(value, "groups")):
        where = f"groups[{number}]"
        if not reader.items(group, where):
            reader.fail(where, "is empty")
        groups.append(reader.all_threads(group, where))
    return tuple(groups)


def read_locals(reader: Reader, symbols: Lookup, value: Any) -> tuple[Local, ...]:
    return tuple(
        _read_local(reader, symbols, local, f"locals[…][{number}]")
        for number, local in enumerate(reader.items(value, "locals[…]"))
    )


def written_labels(
    alphabets: Sequence[Sequence[str]], tables: Sequence[Sequence[Label]]
) -> Iterator[str]:
    return _written(alphabets, tables, _label_line)


def read_labels(
    reader: Reader,
    alphabets: Sequence[Lookup],
    value: Any,
    label: Callable[[Lookup, Any], _Entry],
) -> tuple[tuple[_Entry, ...], ...]:
    """The labels of each template; `label` reads one."""
    return tuple(
        tuple(label(symbols, each) for each in reader.items(table, f"labels[{number}]"))
        for number, (symbols, table) in enumerate(
            zip(alphabets, reader.items(value, "labels", len(alphabets)), strict=True)
        )
    )


def _read_pair(reader: Reader, symbols: Lookup, value: Any) -> tuple[int, int]:
    where = "a pair of below"
    upper, lower = reader.items(value, where, 2)
    return reader.number(symbols, upper, where), reader.number(symbols, lower, where)


def _read_local(reader: Reader, symbols: Lookup, value: Any, where: str) -> Local:
    fields = reader.record(value, where, ("stack", "more"))
    word = reader.word(symbols, fields["stack"], f"{where}.stack")
    return word, reader.a(bool, fields["more"], f"{where}.more")


def _local_line(symbols: Sequence[str], local: Local) -> str:
    word, more = local
    return json.dumps({"stack": names(symbols, word), "more": more})


def _label_line(symbols: Sequence[str], label: Label) -> str:
    return json.dumps(language(symbols, label) if isinstance(label, StackSet) else [*label])


def _written(
    alphabets: Sequence[Sequence[str]],
    tables: Sequence[Sequence[_Entry] | None],
    line: Callable[[Sequence[str], _Entry], str],
) -> Iterator[str]:
    """Tables with a line for each entry; `null` for one that is not there."""
    for symbols, table in _with_alphabets(alphabets, tables):
        if table is None:
            yield "null"
        else:
            yield "".join(lines(line(symbols, entry) for entry in table))


def _with_alphabets(
    alphabets: Sequence[Sequence[str]], tables: Sequence[_Table]
) -> Iterator[tuple[Sequence[str], _Table]]:
    """Each table with the symbols of its group, or with none where there is no such group."""
    for number, table in enumerate(tables):
        yield (alphabets[number] if number < len(alphabets) else ()), table
