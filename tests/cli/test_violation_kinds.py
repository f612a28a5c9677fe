"""`--property` with a kind of violation, and all errors of a file, from the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.cli import call

TEXT = """\
decl a: int8[2] := 0, n: int8 := 127, d: int8 := 0;
void main() {
    if (*) a[n] := 1;
    else if (*) n := 1 / d;
    else n++;
    assert(n = 127 || n = -128);
}
"""


@pytest.mark.parametrize(
    ("kind", "code", "line"),
    [
        ("assertion", 0, ""),
        ("bounds", 1, "index out of bounds at kinds.bp:3 (an index of 'a' is outside 0..1)"),
        ("division", 1, "division by zero at kinds.bp:4 (a division by zero)"),
        ("overflow", 1, "overflow at kinds.bp:5 (a result is outside int8)"),
    ],
)
def test_one_kind_of_violation_is_asked_for(
    kind: str, code: int, line: str, tmp_path: Path
) -> None:
    (tmp_path / "kinds.bp").write_text(TEXT)
    done = call("verify", "kinds.bp", "--property", kind, cwd=tmp_path)
    assert (done.code, done.err) == (code, "")
    assert line in done.out


def test_a_kind_that_cannot_happen_is_safe(tmp_path: Path) -> None:
    (tmp_path / "kinds.bp").write_text("decl x := 1; void main() { assert(x); }")
    done = call("verify", "kinds.bp", "--property", "bounds", cwd=tmp_path)
    assert done.code == 0
    assert "holds     no index out of bounds" in done.out
    assert "nothing of this kind: nothing was asked that could fail" in done.out


def test_evidence_of_an_overflow_is_checked_for_that_question(tmp_path: Path) -> None:
    (tmp_path / "kinds.bp").write_text(TEXT)
    asked = ("kinds.bp", "--property", "overflow")
    assert call("verify", *asked, "--evidence", "e.json", cwd=tmp_path).code == 1
    assert call("check", *asked, "e.json", cwd=tmp_path).code == 0


def test_a_property_file_asks_for_overflows(tmp_path: Path) -> None:
    (tmp_path / "kinds.bp").write_text(TEXT)
    (tmp_path / "no.prp").write_text("CHECK( init(main()), LTL(G ! overflow) )\n")
    asked = ("kinds.bp", "--property", "no.prp")
    done = call("verify", *asked, "--evidence", "e.json", cwd=tmp_path)
    assert done.code == 1
    assert "overflow at kinds.bp:5" in done.out
    assert call("check", *asked, "e.json", cwd=tmp_path).code == 0
    (tmp_path / "kinds.bp").write_text(TEXT.replace("else n++;", "else n := n & 7;"))
    assert call("verify", *asked, cwd=tmp_path).code == 0


def test_all_errors_of_a_file_are_shown(tmp_path: Path) -> None:
    (tmp_path / "kinds.bp").write_text("decl x;\nvoid main() {\n  x = 1;\n  y := 0;\n}\n")
    done = call("verify", "kinds.bp", cwd=tmp_path)
    assert done.code == 2
    assert [line for line in done.err.splitlines() if "kinds.bp:" in line] == [
        "error: kinds.bp:3:5: expected '(', ',', ':', '[' or an assignment, found '='; "
        "assignment is ':='",
        "kinds.bp:4:3: expected a variable, found 'y', which is not declared",
    ]
