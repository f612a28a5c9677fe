"""Invalid values are refused when they are made, and long numbers are written up to a length."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from support.cli import call
from tepui.errors import ModelError
from tepui.weighted import Configurations, Inner, Sets, WeightedRule


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: WeightedRule("p", "a", "p", "ab", 1), "a word is a tuple of symbols"),  # type: ignore[arg-type]
        (lambda: WeightedRule(Inner(1), "a", "p", (), 1), "no state"),
        (lambda: WeightedRule("p", "a", Inner(1), (), 1), "no state"),
        (lambda: Configurations.of((Inner(1), ("a",))), "no state"),
        (lambda: Configurations.of(("p", "ab")), "a stack is a tuple of symbols"),  # type: ignore[arg-type]
        (lambda: Sets(3, "meet"), "by union or by intersection"),  # type: ignore[arg-type]
    ],
)
def test_what_cannot_be_is_refused_at_once(make: Callable[[], object], said: str) -> None:
    with pytest.raises(ModelError, match=said):
        make()


def test_numbers_of_any_usual_length_are_written(tmp_path: Path) -> None:
    done = call("dataflow", str(_powers(tmp_path, 11)), "--domain", "affine", "--at", "A")
    assert (done.code, done.err) == (0, "")
    assert len(done.out) > 10_000


def test_numbers_of_absurd_length_are_not(tmp_path: Path) -> None:
    done = call("dataflow", str(_powers(tmp_path, 14)), "--domain", "affine", "--at", "A")
    assert (done.code, done.out) == (2, "")
    assert "too long to write" in done.err


def _powers(folder: Path, depth: int) -> Path:
    """A program that multiplies 2 ** depth times."""
    calls = (f"void f{i}() {{ f{i - 1}(); f{i - 1}(); skip; }}" for i in range(1, depth + 1))
    program = folder / "powers.bp"
    program.write_text(
        "\n".join(
            [
                "decl x: int := 1;",
                "void f0() { x := 999999999 * x; x := x + 1; }",
                *calls,
                f"void main() {{ f{depth}(); A: skip; }}",
            ]
        )
    )
    return program
