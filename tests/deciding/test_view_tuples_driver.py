"""Answers with view tuples: `Options(splitting=…)`."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

import tepui
from support.cli import call
from support.generators.programs import SMALL, random_case
from support.places import EXAMPLES
from support.sizes import sized
from tepui.deciding import Options, verify
from tepui.engines.registry import SPLITTINGS
from tepui.limits import Limits
from tepui.program.program import Program
from tepui.program.questions import assertions
from tepui.result import Result

RECURSIVE = """
decl x: int 0..3 := 0;
void push() { if (*) { push(); } if (*) { x := x + 1; } }
void look() { assert(x != 3); }
void main() { thread_create(push, 1); thread_create(look, 1); }
"""


def split(about: Program, splitting: str, contexts: int | None = None) -> Result:
    limits = Limits(timeout=60, max_contexts=None if contexts is not None else 8)
    options = Options(engine="bdd", splitting=splitting, contexts=contexts, limits=limits)
    return verify(about, options=options)


def _recursive() -> Program:
    about = tepui.loads(RECURSIVE, "bp")
    assert isinstance(about, Program)
    return about


def _tuples(result: Result) -> int:
    (note,) = (note for note in result.remarks if note.kind == "tuples")
    return int(note.text.split()[0].replace(",", ""))


def test_lazy_splitting_has_fewer_tuples() -> None:
    counts = []
    for splitting in SPLITTINGS:
        result = split(tepui.load_program(EXAMPLES / "bluetooth1.bp"), splitting)
        assert (result.verdict, result.bound, result.checked) == ("unsafe", 3, True)
        counts.append(_tuples(result))
    eager, lazy, sparing = counts
    assert eager > lazy >= sparing


@pytest.mark.parametrize("splitting", ["lazy", "sparing"])
def test_wide_inputs_are_proved(splitting: str) -> None:
    result = split(tepui.load_program(EXAMPLES / "wide" / "sum.bp"), splitting)
    assert (result.verdict, result.engine, result.checked) == ("safe", "bdd", True)
    assert _tuples(result) < 10


@pytest.mark.parametrize("splitting", SPLITTINGS)
def test_a_violation_of_threads_that_recurse_has_a_trace(splitting: str) -> None:
    result = split(_recursive(), splitting)
    assert (result.verdict, result.bound, result.checked) == ("unsafe", 2, True)


def test_a_bounded_run_looks_no_further() -> None:
    result = split(_recursive(), "lazy", contexts=1)
    assert (result.verdict, result.bound) == ("bounded", 1)


@pytest.mark.fuzz
def test_answers_are_those_of_sets_of_bits() -> None:
    verdicts = set()
    for seed in range(sized(120)):
        rng = Random(seed)
        about, _ = random_case(rng, SMALL)
        if about.lock is not None or about.forks or not assertions(about):
            continue
        limits = Limits(timeout=60, max_contexts=8)
        expected = verify(about, options=Options(engine="bdd", limits=limits))
        if expected.verdict not in ("safe", "unsafe"):
            continue
        found = split(about, rng.choice(SPLITTINGS))
        assert (found.verdict, found.bound) == (expected.verdict, expected.bound), seed
        verdicts.add(found.verdict)
    assert verdicts == {"safe", "unsafe"}


def test_what_does_not_go_together_is_refused(tmp_path: Path) -> None:
    with pytest.raises(tepui.UsageError, match="is for the engine bdd"):
        Options(splitting="lazy")
    with pytest.raises(tepui.UsageError, match="did you mean 'lazy'"):
        Options(engine="bdd", splitting="lasy")
    (tmp_path / "r.bp").write_text(RECURSIVE)
    done = call("verify", "r.bp", "--splitting", "eager", cwd=tmp_path)
    assert (done.code, done.err) == (2, "error: --splitting is for the engine bdd\n")
    done = call("verify", "r.bp", "--engine", "bdd", "--splitting", "eager", cwd=tmp_path)
    assert done.code == 1
    assert "by eager splitting" in done.out
    done = call(
        *("verify", "r.bp", "--engine", "bdd", "--splitting", "lazy", "--property", "deadlock"),
        cwd=tmp_path,
    )
    assert done.code == 3
    assert "deadlocks are not looked for in view tuples" in done.out
