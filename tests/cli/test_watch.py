"""`tepui watch`: what it prints, its exit codes, and its JSON."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

from support.cli import call
from support.samples.predicate_programs import (
    ALPHA_2,
    P_1_TO_P_4,
    PROGRAM_P,
    TICKET_LOCK,
    WITH_COUNTS,
)

needs_solver = pytest.mark.skipif(find_spec("cvc5") is None, reason="cvc5 is not installed")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "p.bp").write_text(PROGRAM_P)
    (tmp_path / "ticket.bp").write_text(TICKET_LOCK)
    return tmp_path


def _predicates(texts: list[str]) -> list[str]:
    return [word for text in texts for word in ("--predicate", text)]


@needs_solver
def test_a_closed_set_that_shows_what_was_asked_has_exit_code_0(folder: Path) -> None:
    done = call("watch", "p.bp", *_predicates(WITH_COUNTS), cwd=folder)
    assert done.code == 0
    assert done.out.startswith("CLOSED  p: 14 abstract states, and no others are reachable\n")
    assert "question  assert(s = l) at p.bp:9: proved" in done.out


@needs_solver
def test_the_ticket_lock_is_told_with_its_table(folder: Path) -> None:
    asked = ["--never-together", "1", "1"]
    done = call("watch", "ticket.bp", *_predicates(P_1_TO_P_4), *asked, cwd=folder)
    assert done.code == 0
    assert "any number of customer; one customer is watched" in done.out
    assert "customer:8 (1)      yes    no   yes   yes\n" in done.out
    assert "yes, as all threads see it" in done.out


@needs_solver
def test_a_set_that_is_not_closed_has_exit_code_3_and_says_what_leaves_it(folder: Path) -> None:
    given = ["p.bp", "--threads", "p=2", *_predicates(ALPHA_2)]
    done = call("watch", *given, cwd=folder)
    assert done.code == 3
    assert done.out.startswith("PLATEAU, not closed  p: 12 abstract states were found\n")
    assert "leaves    s, l := s + 1, l + 1 at p:8 (2), by another p\n" in done.out
    done = call("watch", *given, "--json", cwd=folder)
    found = done.json
    assert done.code == 3
    assert (found["verdict"], found["closed"]) == ("plateau", "no")
    assert found["threads"] == {"p": 2}
    assert len(found["abstract_states"]) == 12
    assert found["observations"][0]["rounds"] == 6


def test_a_violation_has_exit_code_1_and_its_run(folder: Path) -> None:
    (folder / "bad.bp").write_text("decl x; void main() { x := 1; assert(!x); }")
    done = call("watch", "bad.bp", "--predicate", "x", cwd=folder)
    assert done.code == 1
    assert done.out.startswith("VIOLATION  bad: assert(!x) at bad.bp:1 can be violated\n")
    assert "main at main:1.2  assert(!x)" in done.out


def test_a_wrong_predicate_is_shown_with_a_caret(folder: Path) -> None:
    done = call("watch", "p.bp", "--predicate", "s = ll", cwd=folder)
    assert done.code == 2
    assert done.err.startswith("error: predicate:1:5: ll is no variable")
    assert "    1 | s = ll\n            ^" in done.err


def test_a_limit_ends_a_run_with_exit_code_3(folder: Path) -> None:
    given = ["p.bp", "--threads", "p=2", "--predicate", "s = l", "--rounds", "2"]
    done = call("watch", *given, cwd=folder)
    assert done.code == 3
    assert "the limit of 2 rounds was reached" in done.out.splitlines()[0]


def test_systems_are_refused(folder: Path) -> None:
    (folder / "x.cpds").write_text("initial q\nthread T {\n    stack a\n    q | a -> q | a\n}\n")
    done = call("watch", "x.cpds", "--predicate", "q = 1", cwd=folder)
    assert done.code == 2
    assert "watch is for programs" in done.err


@pytest.mark.parametrize(
    "program",
    [
        "decl a: uint16; decl b: uint16; void main() { assert(a != b); }",
        "decl a: int64; void main() { assert(a != 7); }",
        "void main() { decl a: uint64; assert(a != 7); }",
        "decl a: int64 := 0; void main() { a := *; assert(a != 7); }",
    ],
)
def test_more_values_than_can_be_listed_are_refused(program: str, folder: Path) -> None:
    (folder / "a.bp").write_text(program)
    done = call("watch", "a.bp", "--predicate", "1 = 1", "--memory", "300M", cwd=folder)
    assert done.code == 2
    assert "more than 10,000" in done.err


@needs_solver
def test_counts_of_more_threads_than_are_pictured_leave_it_open(folder: Path) -> None:
    asked = ["--predicate", "count(at 1) >= 20", "--json"]
    done = call("watch", "ticket.bp", *asked, cwd=folder)
    assert done.code == 3, done
    assert (done.json["verdict"], done.json["closed"]) == ("plateau", "unknown")
