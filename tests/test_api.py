"""`tepui.loads`: models from texts, with the same errors as files have."""

from __future__ import annotations

from pathlib import Path

import pytest

import tepui
from support.places import EXAMPLES

SYSTEM = """\
initial q
thread T {
    stack a
    q | a -> r | -
}
bad r | -
"""
PROGRAM = """\
decl x := 0;
void main() { thread_create(f); thread_create(f); }
void f() { x := 1; assert(x); }
"""
PDS = "2\nPDA 0 1\n0 1 -> 1 -\n"


@pytest.mark.parametrize("name", ["figure4.cpds", "peterson.bp", "bluetooth-repaired.bp"])
def test_a_text_means_what_a_file_with_it_means(name: str) -> None:
    path = EXAMPLES / name
    text = path.read_text(encoding="utf-8")
    language = path.suffix.removeprefix(".")
    assert tepui.loads(text, language, name=str(path)) == tepui.load(path)
    assert tepui.loads(text, language.upper(), name=str(path)) == tepui.load(path)


def test_a_text_in_the_pds_format_has_no_files_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.init").write_text("0|1")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(tepui.UsageError, match="no initial state"):
        tepui.loads(PDS, "pds", name="a.pds")
    system = tepui.loads(PDS, "pds", init="0|1", targets=["1|-"])
    assert tepui.verify(system).verdict == "unsafe"


def test_targets_replace_what_the_text_asks() -> None:
    assert tepui.verify(tepui.loads(SYSTEM, "cpds")).verdict == "unsafe"
    assert tepui.verify(tepui.loads(SYSTEM, "cpds", targets=["q|-"])).verdict == "safe"
    assert tepui.verify(tepui.loads(SYSTEM, "cpds", init="q|a.a")).verdict == "safe"


@pytest.mark.parametrize(
    ("text", "language", "shown"),
    [
        (
            SYSTEM.replace("-> r", "=> r"),
            "cpds",
            "<text>:4:11: expected '->' after the left-hand side, found '=>'\n    4 | ",
        ),
        (PROGRAM.replace("x := 1", "y := 1"), "bp", "<text>:3:12: "),
    ],
)
def test_an_error_has_a_line_a_column_and_a_caret(text: str, language: str, shown: str) -> None:
    with pytest.raises(tepui.InputError) as caught:
        tepui.loads(text, language)
    error = caught.value
    assert str(error).startswith(shown)
    assert error.source == "<text>"
    last = str(error).splitlines()[-1]
    assert last == " " * (len("    1 | ") + error.column - 1) + "^"


def test_errors_and_warnings_have_the_name_that_is_given() -> None:
    with pytest.raises(tepui.InputError, match=r"^cell 3:1:1: "):
        tepui.loads("oops", "cpds", name="cell 3")
    odd = SYSTEM.replace("q | a", "z | a")
    with pytest.warns(UserWarning, match="^cell 3: rules wait") as warned:
        tepui.loads(odd, "cpds", name="cell 3")
    assert warned[0].filename == __file__


def test_threads_are_counted_in_programs_alone() -> None:
    text = "decl x;\nvoid main() { thread_create(f, 1); }\nvoid f() { x := 1; }\n"
    program = tepui.loads(text, "bp", threads={"f": 3})
    assert repr(program) == "<Program <text>: threads f × 3>"
    with pytest.raises(tepui.UsageError, match="<text> is a pushdown system"):
        tepui.loads(SYSTEM, "cpds", threads={"T": 3})


@pytest.mark.parametrize("given", ["x", "bpp", "", ".c", "python"])
def test_an_unknown_language_is_refused(given: str) -> None:
    known = "expected one of pds, cpds, spec, tts, java, bp, nbp"
    with pytest.raises(tepui.UsageError, match=known):
        tepui.loads(SYSTEM, given)


def test_a_language_that_is_nearly_known_is_suggested() -> None:
    with pytest.raises(tepui.UsageError, match=r"; did you mean 'cpds'\?$"):
        tepui.loads(SYSTEM, "cdps")


def test_nothing_is_written_over_a_model(tmp_path: Path) -> None:
    text = "decl x: bool := 0;\nvoid main() { x := 1; assert(x); }\n"
    file = tmp_path / "mine.bp"
    file.write_text(text, encoding="utf-8")
    result = tepui.verify(tepui.load(file))
    with pytest.raises(tepui.UsageError, match="its name says that it is a model"):
        tepui.write_report(file, result)
    with pytest.raises(tepui.UsageError, match="give the picture another name"):
        tepui.plot(tepui.explore(tepui.load(file))).save(file)
    assert file.read_text(encoding="utf-8") == text
