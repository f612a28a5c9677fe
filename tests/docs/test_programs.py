"""The programs in the docs are read, and do what the text around them says."""

from __future__ import annotations

import re

import pytest

from support.places import DOCS
from support.samples.program_texts import program_of
from tepui.deciding import verify
from tepui.languages.boolean.formatter import format_program

PROGRAMS = re.findall(r"```bp\n(.*?)```", (DOCS / "formats.md").read_text(encoding="utf-8"), re.S)
TABLE = re.findall(r"^\| (`.*`) \| ", (DOCS / "formats.md").read_text(encoding="utf-8"), re.M)


def test_the_first_program_counts_wrongly() -> None:
    assert verify(program_of(PROGRAMS[0])).verdict == "unsafe"


def test_the_first_program_is_in_canonical_form() -> None:
    assert format_program(PROGRAMS[0], "docs.bp") == PROGRAMS[0]


def test_the_second_program_forks_one_thread_after_the_other() -> None:
    program = program_of(PROGRAMS[1])
    assert program.forks
    assert format_program(PROGRAMS[1], "docs.bp") == PROGRAMS[1]
    assert verify(program).verdict == "safe"


def test_the_third_program_has_an_error_that_it_never_reaches() -> None:
    program = program_of(PROGRAMS[2])
    assert program.error_labels == ("SLIC_ERROR",)
    assert verify(program).verdict == "safe"


@pytest.mark.parametrize("row", [row for row in TABLE if row.startswith(("`decl ", "`thread "))])
def test_every_declaration_of_the_table_is_one(row: str) -> None:
    for declaration in re.findall(r"`(.*?)`", row):
        program_of(f"{declaration} void main() {{ skip; }}")


STATEMENTS = """\
decl x, y, e, f: int 0..3, a: bool[2], i: int 0..1;
thread w;
bool g(e) {{ return e; }}
bool<2> h(e) {{ return e, e; }}
void k(e) {{ skip; }}
void t(e) {{ skip; }}
void u() {{ skip; }}
void main() {{ L: skip; M: skip; {} }}
"""


@pytest.mark.parametrize(
    "statement",
    [
        *("skip;", "x := e;", "a[i] := e;", "x, y := e, x;", "x, y := *, * constrain 'x != 'y;"),
        *("k(e);", "x := g(e);", "x, _ := h(e);", "return;", "assert(e);", "assume(e);"),
        *("wait(e);", "goto L;", "goto L, M;", "if (e) skip; else skip;", "while (e) skip;"),
        *("atomic { skip; }", "thread_create(t(e), 3);", "thread_create(u);", "N: skip;"),
        *("w := async t(e);", "async t(e);", "join(w);"),
        *("4: skip; skip;", "x := e ? x : y;", "x := schoose [e, y];", "x := i < f => !e ^ x;"),
    ],
)
def test_every_statement_of_the_tables_is_one(statement: str) -> None:
    program_of(STATEMENTS.format(statement))


@pytest.mark.parametrize(
    "statement",
    [
        *("skip", "constrain(x)", "if x then skip; elsif y then skip; else skip; fi"),
        *("while x do skip; od", "print(x)", "dead x, y", "abortif x", "start_thread f(x)"),
        *("start_thread goto L; skip; L: skip", "end_thread", "12: skip", "ASYNC_1: f(T)"),
        *("decl thread t; t := async f(x); join(t)", "async f(x)"),
        *("atomic_begin; skip; atomic_end", "x, y := *, ? constrain 'x != 'y"),
    ],
)
def test_every_statement_with_begin_and_end_is_one(statement: str) -> None:
    program_of(f"void f(x) begin skip; end void main() begin decl x, y; {statement}; end")


def test_links_between_the_docs_lead_somewhere() -> None:
    for page in DOCS.glob("*.md"):
        for target in re.findall(r"\]\(([^)#]+)", page.read_text(encoding="utf-8")):
            assert target.startswith("https://") or (DOCS / target).exists(), (page.name, target)
