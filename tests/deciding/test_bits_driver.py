"""Answers about programs whose data is too large to list."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import tepui
from support.cli import call
from support.places import EXAMPLES
from tepui.checker.programs.bits_certificate import BitsCertificate
from tepui.deciding.options import Options
from tepui.deciding.verification import verify
from tepui.deciding.wide_inputs import has_wide_inputs
from tepui.errors import EvidenceError
from tepui.program.passes.samples import Sampled
from tepui.result import Result

_SUM = """
decl a: int16;
decl b: int16;
decl total: int32 := 0;
void add() {{
  decl s: int32;
  s := a;
  total := s + b;
}}
void look() {{
  assert(total != {value});
}}
void main() {{
  thread_create(add, 1);
  thread_create(look, 1);
}}
"""


def _verified(text: str, options: Options | None = None) -> Result:
    return verify(tepui.loads(text, "bp"), options=options or Options())


def test_wide_inputs_are_proved_safe() -> None:
    result = _verified(_SUM.format(value=65535))
    assert (result.verdict, result.engine, result.checked) == ("safe", "bdd", True)
    assert isinstance(result.evidence, BitsCertificate)
    assert result.proof is not None


MANY = """\
decl a: uint8, b: uint8, c: uint8, d: uint8;
decl low: uint8 := 0, done := 0;
void f() { low := a & b; low := low & c; low := low & d; done := 1; }
void g() { wait(done); assert(low <= a); }
void main() { thread_create(f); thread_create(g); }
"""


@pytest.mark.parametrize(("text", "wide"), [(MANY, True), (MANY.replace("uint8", "bool"), False)])
def test_many_small_inputs_are_wide_together(text: str, *, wide: bool) -> None:
    text = text if wide else text.replace("&", "&&").replace("<=", "=>")
    program = tepui.loads(text, "bp")
    assert has_wide_inputs(program) == wide
    result = tepui.verify(program)
    assert (result.verdict, result.checked) == ("safe", True)
    assert (result.engine == "bdd") == wide


def test_a_violation_has_a_trace_with_values() -> None:
    result = _verified(_SUM.format(value=-65536))
    assert (result.verdict, result.bound, result.checked) == ("unsafe", 2, True)
    assert result.bound_is_fewest
    assert isinstance(result.subject.program, Sampled)
    assert any(note.kind == "samples" for note in result.remarks)
    assert result.trace is not None
    assert "-65536" in str(result.trace)


def test_every_value_in_between_is_found() -> None:
    for value in (-65535, -1, 1, 65534):
        assert _verified(_SUM.format(value=value)).verdict == "unsafe"
    for value in (-65537, 65535, 100000):
        assert _verified(_SUM.format(value=value)).verdict == "safe"


def test_a_bounded_run_proves_nothing_beyond() -> None:
    result = _verified(_SUM.format(value=-65536), Options(contexts=1))
    assert (result.verdict, result.bound) == ("bounded", 1)
    result = _verified(_SUM.format(value=-65536), Options(contexts=2))
    assert (result.verdict, result.bound) == ("unsafe", 2)


def test_each_question_is_decided_by_itself() -> None:
    text = _SUM.format(value=65535).replace(
        "assert(total != 65535);", "assert(total != 65535);\n  assert(total != 7);"
    )
    answers = tepui.verify_all(tepui.loads(text, "bp"))
    assert [answer.result.verdict for answer in answers] == ["safe", "unsafe"]


_LOCKS = """
decl a: int32;
decl l := 0;
decl m := 0;
void forth() {
  if (a + a = 6) { skip; }
  atomic { wait(!l); l := 1; }
  atomic { wait(!m); m := 1; }
  m := 0; l := 0;
}
void back() {
  if (a * 3 = 9) {
    atomic { wait(!FIRST); FIRST := 1; }
    atomic { wait(!SECOND); SECOND := 1; }
    l := 0; m := 0;
  }
}
void main() { thread_create(forth, 1); thread_create(back, 1); }
"""


def test_deadlocks_are_found_and_proved_absent() -> None:
    crosswise = _LOCKS.replace("FIRST", "m").replace("SECOND", "l")
    result = tepui.verify(tepui.loads(crosswise, "bp"), tepui.deadlock())
    assert (result.verdict, result.bound, result.checked) == ("unsafe", 2, True)
    assert result.trace is not None
    assert "a=3" in str(result.trace)
    straight = _LOCKS.replace("FIRST", "l").replace("SECOND", "m")
    result = tepui.verify(tepui.loads(straight, "bp"), tepui.deadlock())
    assert (result.verdict, result.engine, result.checked) == ("safe", "bdd", True)


def test_all_places_that_are_reached_are_known() -> None:
    """A path that blocks in a section reaches nothing there."""
    text = _SUM.format(value=65535).replace(
        "assert(total", "if (total = 70000) { skip; } atomic { skip; wait(0); }\n  assert(total"
    )
    result = _verified(text)
    assert result.verdict == "safe"
    assert result.coverage is not None
    unreached = [statement.text for statement in result.coverage.unreached]
    assert unreached == ["skip", "skip", "wait(0)", "assert(total != 65535)"]


def test_evidence_goes_through_a_file(tmp_path: Path) -> None:
    for value, verdict in ((65535, "safe"), (-65536, "unsafe")):
        source = tmp_path / f"{verdict}.bp"
        source.write_text(_SUM.format(value=value))
        about = tepui.load_program(source)
        place = tmp_path / f"{verdict}.json"
        result = tepui.verify(about)
        assert result.evidence is not None
        result.subject.write(place, result.asked, result.evidence)
        assert tepui.check(about, place).verdict == verdict
        source.write_text(_SUM.format(value=0))
        with pytest.raises(EvidenceError):
            tepui.check(tepui.load_program(source), place)


def test_where_nothing_is_found_the_reason_has_both_parts() -> None:
    text = """
    decl x: int32;
    decl y: int32;
    void f(n: int32) { if (n = 0) { return; } f(n + 1); y := x + n; }
    void main() { f(x); assert(y != x); }
    """
    result = _verified(text, Options(contexts=3))
    assert result.verdict == "unknown"
    assert result.stop is not None
    assert "as sets of bits: a stack of it is deeper than 24 frames" in result.stop.text


def test_the_example_on_the_command_line(tmp_path: Path) -> None:
    text = (EXAMPLES / "wide" / "sum.bp").read_text()
    (tmp_path / "sum.bp").write_text(text)
    done = call("verify", "sum.bp", "--evidence", "sum.json", cwd=tmp_path)
    assert done.code == 0
    assert "engine    bdd: sets of states as binary decision diagrams" in done.out
    assert call("check", "sum.bp", "sum.json", cwd=tmp_path).code == 0
    (tmp_path / "sum.bp").write_text(text.replace("<= 65534", "<= 65533"))
    assert call("check", "sum.bp", "sum.json", cwd=tmp_path).code == 1
    done = call("verify", "sum.bp", "--json", "--evidence", "bad.json", cwd=tmp_path)
    answer = json.loads(done.out)
    assert (done.code, answer["verdict"], answer["bound"]) == (1, "unsafe", 2)
    assert call("check", "sum.bp", "bad.json", cwd=tmp_path).code == 0
