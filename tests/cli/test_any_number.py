"""Any number of threads on the command line, as a new user meets them: every command and option
says something true, or why it cannot."""

from __future__ import annotations

import importlib.util
import json
import re
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from support.cli import call
from support.places import EXAMPLES, ROOT

pytest.importorskip("z3")
pytest.importorskip("cvc5")

LOCK = str(EXAMPLES / "any-number" / "spin-lock.bp")
TICKETS = str(EXAMPLES / "any-number" / "ticket-lock.bp")


def test_a_proof_is_shown_to_people(tmp_path: Path) -> None:
    found = call("verify", TICKETS, "--proof", cwd=tmp_path)
    assert found.code == 0
    assert "an invariant over 2 threads customer" in found.out
    assert "The invariant  holds for any 2 different threads customer (#1, #2)" in found.out
    assert "mine#1 != mine#2" in found.out
    each = call("verify", TICKETS, "--proof", "--all", cwd=tmp_path)
    assert "mine#1 != mine#2" in each.out
    plain = call("verify", TICKETS, cwd=tmp_path)
    assert "mine#1" not in plain.out
    refused = call("verify", TICKETS, "--proof", "--json", cwd=tmp_path)
    assert refused.code == 2
    assert "--evidence FILE has the proof" in refused.err + refused.out


def test_a_report_shows_the_invariant_and_leaves_the_exploration_out(tmp_path: Path) -> None:
    found = call("report", TICKETS, "--output", "page.html", cwd=tmp_path)
    assert found.code == 0
    assert "Exploration was left out" in found.err
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "mine#1 != mine#2" in page
    assert "Exploration was left out: there is any number of threads customer" in page
    assert "0 contexts" not in page
    assert "∞ states" not in page


NO_LOCK = """\
decl busy := 0;
void worker() {
    while (1) {
        assert(!busy);
        busy := 1;
        busy := 0;
    }
}
void main() { thread_create(worker, *); }
"""

HARD = """\
decl depth: int := 0;
void nest() {
    depth := depth + 1;
    if (*) nest();
    assert(depth != 1000000);
}
void main() { thread_create(nest, *); }
"""


def test_the_json_of_every_answer_follows_its_schema(tmp_path: Path) -> None:
    (tmp_path / "unsafe.bp").write_text(NO_LOCK)
    schema = json.loads((ROOT / "docs" / "result.schema.json").read_text(encoding="utf-8"))
    for name, verdict in ((LOCK, "safe"), (TICKETS, "safe"), ("unsafe.bp", "unsafe")):
        for options in ((), ("--all",)):
            found = call("verify", name, "--json", *options, cwd=tmp_path).json
            assert found["verdict"] == verdict
            assert list(Draft202012Validator(schema).iter_errors(found)) == []


def test_deadlocks_are_not_looked_for_where_integers_have_no_bounds(tmp_path: Path) -> None:
    found = call("verify", TICKETS, "--property", "deadlock", cwd=tmp_path)
    assert found.code == 3
    assert "deadlocks are not looked for among integers without bounds" in found.out
    few = call("verify", LOCK, "--property", "deadlock", cwd=tmp_path)
    assert few.code == 3
    assert "safe up to 4 threads" in few.out


def test_a_witness_has_no_place_for_an_invariant_over_two_threads(tmp_path: Path) -> None:
    found = call("verify", TICKETS, "--witness", "w.yml", cwd=tmp_path)
    assert found.code == 0
    assert "the format has no place for an invariant about several threads" in found.err
    assert not (tmp_path / "w.yml").exists()


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (("explore", LOCK), "so there are infinitely many states: --threads says how many"),
        (("convert", LOCK, "x.cpds"), "--threads says how many threads there are"),
        (("dataflow", LOCK, "--at", "18"), "--threads says how many threads there are"),
        (("verify", TICKETS, "--rounds", "3"), "--threads says how many threads there are"),
        (("verify", TICKETS, "--property", "race"), "answers about assertions and places"),
        (("verify", TICKETS, "--slots", "3"), "--slots is for programs that fork threads"),
        (("verify", TICKETS, "--engine", "clauses"), "'clauses' is not one of auto"),
        (("verify", LOCK, "--threads", "zork=*"), "runs no threads of a type zork"),
        (("verify", LOCK, "--threads", "worker=**"), "or NAME=*"),
    ],
)
def test_what_is_not_possible_says_why(
    command: tuple[str, ...], words: str, tmp_path: Path
) -> None:
    found = call(*command, cwd=tmp_path)
    assert found.code == 2
    assert words in found.err


def test_forks_go_with_any_number_and_with_integers(tmp_path: Path) -> None:
    (tmp_path / "crowd.bp").write_text(
        "decl x := 0; void w() { assert(!x); async w(); } void main() { thread_create(w, *); }"
    )
    (tmp_path / "count.bp").write_text(
        "decl n: int := 0; void w() { n := n + 1; assert(n > 0); }"
        " void main() { while (*) { async w(); } }"
    )
    for name, wrong in (("crowd.bp", "assert(x)"), ("count.bp", "assert(n < 3)")):
        safe = call("verify", name, "--evidence", "e.json", cwd=tmp_path)
        assert (safe.code, safe.err) == (0, "the evidence was written to e.json\n")
        assert "for any number of contexts and of threads w" in safe.out
        assert call("check", name, "e.json", cwd=tmp_path).code == 0
        text = (tmp_path / name).read_text()
        (tmp_path / name).write_text(re.sub(r"assert\([^)]*\)", wrong, text))
        assert call("check", name, "e.json", cwd=tmp_path).code != 0
        unsafe = call("verify", name, cwd=tmp_path)
        assert unsafe.code == 1
        assert "accepted by the checker" in unsafe.out
    assert call("explore", "crowd.bp", cwd=tmp_path).code == 2
    explored = call("explore", "count.bp", cwd=tmp_path)
    assert explored.code == 3
    assert "only integers from" in explored.out


def test_evidence_is_about_any_number(tmp_path: Path) -> None:
    call("verify", TICKETS, "--evidence", "e.json", cwd=tmp_path)
    accepted = call("check", TICKETS, "e.json", cwd=tmp_path)
    assert "ACCEPTED  holds for any number of contexts and of threads customer" in accepted.out
    fixed = call("check", TICKETS, "e.json", "--threads", "customer=2", cwd=tmp_path)
    assert fixed.code == 2
    assert "is about any number of customer, and ticket-lock has a fixed number" in fixed.err
    assert "give --threads 'customer=*'" in fixed.err
    other = call("check", str(EXAMPLES / "dekker.bp"), "e.json", cwd=tmp_path)
    assert "integers without bounds, and dekker has neither" in other.err


@pytest.mark.parametrize("missing", ["z3", "cvc5"])
def test_a_solver_that_is_missing_takes_nothing_else_away(
    missing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *rest: None if name == missing else find(name)
    )
    (tmp_path / "unsafe.bp").write_text(NO_LOCK)
    assert call("verify", LOCK, cwd=tmp_path).code == 0
    assert call("verify", "unsafe.bp", cwd=tmp_path).code == 1
    found = call("verify", TICKETS, cwd=tmp_path)
    assert "pip install 'tepui[smt]'" in found.out
    assert found.code == (3 if missing == "z3" else 0)
    assert ("evidence  certificate, unchecked" in found.out) == (missing == "cvc5")


def test_each_task_of_a_suite_has_the_limit_of_time_for_itself(tmp_path: Path) -> None:
    folder = tmp_path / "tasks"
    folder.mkdir()
    for number in range(4):
        (folder / f"hard{number}.bp").write_text(HARD)
    found = call("suite", "tasks", "--timeout", "1", cwd=tmp_path)
    assert "stopped after" not in found.err
    assert found.out.count("timeout") >= 4
