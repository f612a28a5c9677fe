"""Statements with checks from the command line: they are shown as the statements that they are."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.cli import call

DECLARED = "decl a: int8[3] := 0, x: int8 := {x}, y: int8 := 1;\nvoid main() {{\n    {text}\n}}\n"


@pytest.mark.parametrize(
    ("x", "text", "violated"),
    [
        (1, "assert(a[x] != 0);", "assert(a[x] != 0) at checked.bp:3"),
        (1, "assert(10 / x != 10);", "assert(10 / x != 10) at checked.bp:3"),
        (9, "x := 1 / y + a[x];", "index out of bounds at checked.bp:3"),
        (3, "a[1 / y] := a[x];", "index out of bounds at checked.bp:3"),
    ],
)
def test_a_violated_statement_has_its_text(
    x: int, text: str, violated: str, tmp_path: Path
) -> None:
    (tmp_path / "checked.bp").write_text(DECLARED.format(x=x, text=text))
    for more in ([], ["--all", "--traces"]):
        done = call("verify", "checked.bp", *more, cwd=tmp_path)
        assert (done.code, done.err) == (1, "")
        assert violated in done.out
        assert f"checked.bp:3  main  {text[:-1]}" in done.out
    trace = json.loads(call("verify", "checked.bp", "--json", cwd=tmp_path).out)["trace"]
    assert text[:-1] in json.dumps(trace)


def test_variables_that_the_source_does_not_have_are_not_shown(tmp_path: Path) -> None:
    text = "decl a: bool[2] := 0, i: int8 := 0;\nbool g() { return 1; }\n"
    (tmp_path / "later.bp").write_text(text + "void main() { a[i] := g(); assert(!a[0]); }\n")
    done = call("verify", "later.bp", "--stacks", cwd=tmp_path)
    assert "a[0]: 0 -> 1" in done.out
    assert "kept" not in done.out
