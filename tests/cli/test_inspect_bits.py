"""`tepui inspect --bits`: the order of bits."""

from __future__ import annotations

from pathlib import Path

from support.cli import FIGURE4, call
from support.places import EXAMPLES

SUM = str(EXAMPLES / "wide" / "sum.bp")


def forking(folder: Path) -> str:
    file = folder / "fork.bp"
    text = "void f() { skip; }\nvoid main() { while (*) { thread_create(f()); } assert(1); }\n"
    file.write_text(text)
    return str(file)


def test_digits_that_are_added_lie_side_by_side() -> None:
    done = call("inspect", SUM, "--bits")
    assert done.code == 0
    first, *lines = done.out.splitlines()
    assert first == "sum: 154 bits, from the top of a diagram on"
    together = lines.index("  digit by digit, the lowest first:")
    assert [line.split(maxsplit=1)[1] for line in lines[:together]] == [
        "ready",
        "halted",
        "where add is",
        "where look is",
    ]
    assert [line.split(maxsplit=1) for line in lines[together + 1 :]] == [
        ["16", "a"],
        ["16", "b"],
        ["32", "sum"],
        ["32", "add.wide of add, frame 0"],
        ["32", "look.half of look, frame 0"],
    ]


def test_everything_is_counted_in_json() -> None:
    found = call("inspect", SUM, "--bits", "--json").json
    rows = [each for row in found["order"] for each in row.get("scalars", [row])]
    assert sum(row["digits"] for row in rows) == found["bits"] == 154


def test_what_has_no_bits_is_refused(tmp_path: Path) -> None:
    done = call("inspect", FIGURE4, "--bits")
    assert (done.code, done.err) == (2, "error: --bits is for programs: figure4 is a system\n")
    done = call("inspect", forking(tmp_path), "--bits")
    assert done.code == 2
    assert "programs that fork threads have no sets of bits" in done.err
    done = call("inspect", SUM, "--bits", "--dot")
    assert done.code == 2
    assert "--bits says what is printed" in done.err


def test_whoever_asks_for_the_engine_hears_what_it_has_no_answer_for(tmp_path: Path) -> None:
    done = call("verify", FIGURE4, "--engine", "bdd")
    assert done.code == 2
    assert "answers what `verify` asks about programs" in done.err
    done = call("verify", forking(tmp_path), "--engine", "bdd")
    assert done.code == 2
    assert "programs that fork threads have no sets of bits; choose --engine auto" in done.err
    done = call("explore", SUM, "--engine", "bdd")
    assert done.code == 2
