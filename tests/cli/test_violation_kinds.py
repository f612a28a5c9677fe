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
        ("division", 1, "a division by zero at kinds.bp:4, with 1 context"),
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


OVERFLOWS = """\
decl n: int8 := 127, d: int8 := 0;
void main() {
    n++;
    assert(n > 0);
}
"""


def test_a_question_about_overflow_is_not_mixed_with_others_that_get_answers_of_their_own(
    tmp_path: Path,
) -> None:
    """A run ends where an integer overflows, so what comes later would be called safe."""
    (tmp_path / "o.bp").write_text(OVERFLOWS)
    asked = ("--property", "overflow", "--property", "assertion")
    assert call("verify", "o.bp", *asked, cwd=tmp_path).code == 1
    done = call("verify", "o.bp", "--all", *asked, cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert "ask --property overflow alone" in done.err
    for alone in ("overflow", "assertion"):
        assert call("verify", "o.bp", "--all", "--property", alone, cwd=tmp_path).code == 1


def test_a_witness_is_about_all_violations_or_about_overflow(tmp_path: Path) -> None:
    (tmp_path / "o.bp").write_text(OVERFLOWS)
    written = ("--witness", "w.yml")
    done = call("verify", "o.bp", "--property", "overflow", *written, cwd=tmp_path)
    assert done.code == 1
    assert "G ! overflow" in (tmp_path / "w.yml").read_text()
    done = call("verify", "o.bp", "--property", "division", *written, cwd=tmp_path)
    assert done.code == 0
    assert "only some were asked for, so there is no witness" in done.err
