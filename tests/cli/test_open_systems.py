"""`.cpds` files with any number of threads on the command line, as a new user meets them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from support.cli import Completed, call
from support.places import EXAMPLES, ROOT

LOCK = str(EXAMPLES / "any-number" / "recursive-lock.cpds")

ROOM = """\
initial empty
thread guest * any {
    stack outside
    empty | outside -> one | inside
    one | outside -> two | inside
    two | outside -> full | inside
    one | inside -> empty | outside
}
bad full | inside, inside, inside
"""

PARITY = """\
initial q
thread f * any {
    stack a
    q | a -> q | a x y
    q | a -> p | -
    p | x -> r | -
    r | y -> p | -
    r | x -> lost | -
}
bad lost | *
"""

WITHIN = ("--timeout", "100", "--memory", "2G")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "room.cpds").write_text(ROOM)
    (tmp_path / "parity.cpds").write_text(PARITY)
    return tmp_path


def ask(folder: Path, *arguments: str) -> Completed:
    return call(*arguments, cwd=folder)


def test_safe_holds_for_any_number(folder: Path) -> None:
    found = ask(folder, "verify", LOCK, *WITHIN, "--proof")
    assert found.code == 0
    first = found.out.splitlines()[0]
    assert first == (
        "SAFE  recursive-lock: no bad state is reachable, for any number of contexts and of "
        "threads owner"
    )
    assert "engine    coverability" in found.out
    assert "evidence  certificate, accepted by the checker" in found.out
    assert "Of each stack it looks at the top only." in found.out
    assert "Instances of the system, with more and more threads, were explored" in found.out


def test_unsafe_says_how_many_threads_it_takes(folder: Path) -> None:
    found = ask(folder, "verify", "room.cpds", *WITHIN, "--proof")
    assert found.code == 1
    first = found.out.splitlines()[0]
    assert first == (
        "UNSAFE  room: a bad state is reachable within 3 contexts, with 3 threads guest"
    )
    assert "context 3: thread guest.3" in found.out
    assert "an instance of the system, with 3 threads guest" in found.out
    assert "may be enough" not in found.out


def test_unknown_says_up_to_which_number_it_is_safe(folder: Path) -> None:
    found = ask(folder, "verify", "parity.cpds", "--memory", "2G")
    assert found.code == 3
    assert found.out.startswith("UNKNOWN  parity: stacks are too high")
    assert "safe up to 8 threads" in found.out


def test_the_json_of_every_answer_follows_its_schema(folder: Path) -> None:
    schema = json.loads((ROOT / "docs" / "result.schema.json").read_text(encoding="utf-8"))
    numbers: dict[tuple[str, str], dict[str, object]] = {
        (LOCK, "safe"): {"counts": None, "is_fewest": False, "safe_up_to": None},
        ("room.cpds", "unsafe"): {"counts": {"guest": 3}, "is_fewest": True, "safe_up_to": None},
        ("parity.cpds", "unknown"): {"counts": None, "is_fewest": False, "safe_up_to": 8},
    }
    for (name, verdict), expected in numbers.items():
        found = ask(folder, "verify", name, "--json", "--memory", "2G").json
        assert found["verdict"] == verdict
        assert list(Draft202012Validator(schema).iter_errors(found)) == []
        assert {key: found["threads"][key] for key in expected} == expected
        assert len(found["threads"]["any_number"]) == 1


def test_evidence_is_examined_again(folder: Path) -> None:
    for name, words in (
        (LOCK, "in any number of contexts, with any number of threads owner"),
        ("room.cpds", "is reachable within 3 contexts, with 3 threads guest"),
    ):
        written = ask(folder, "verify", name, *WITHIN, "--evidence", "e.json")
        assert "the evidence was written to e.json" in written.err
        accepted = ask(folder, "check", name, "e.json")
        assert accepted.code == 0
        assert accepted.out.startswith("ACCEPTED")
        assert words in " ".join(accepted.out.split())
        reason = ask(folder, "check", name, "e.json", "--json").json
        assert reason["verdict"] == "accepted"


def test_evidence_about_another_file_is_rejected(folder: Path) -> None:
    ask(folder, "verify", "room.cpds", *WITHIN, "--evidence", "unsafe.json")
    ask(folder, "verify", LOCK, *WITHIN, "--evidence", "safe.json")
    (folder / "lock.cpds").write_text(
        Path(LOCK).read_text().replace("taken | held    -> taken | -", "taken | held -> free | -")
    )
    (folder / "wide.cpds").write_text(ROOM.replace("one | outside", "three | outside"))
    for changed, evidence in (("lock.cpds", "safe.json"), ("wide.cpds", "unsafe.json")):
        found = ask(folder, "check", changed, evidence)
        assert found.code in (1, 2), found.out
        assert "ACCEPTED" not in found.out
    other = ask(folder, "check", LOCK, "safe.json", "--target", "free | held")
    assert other.code == 1
    assert "the evidence is about another property" in other.out
    fixed = ask(folder, "check", LOCK, "safe.json", "--threads", "owner=2")
    assert fixed.code == 2
    assert "recursive-lock has a fixed number of them" in fixed.err
    ask(folder, "verify", LOCK, "--threads", "owner=2", "--evidence", "two.json")
    few = ask(folder, "check", LOCK, "two.json")
    assert few.code == 2
    assert "fixed numbers of threads" in few.err


def test_a_number_of_threads_can_be_chosen(folder: Path) -> None:
    few = ask(folder, "verify", "room.cpds", "--threads", "guest=2", *WITHIN)
    assert few.code == 0
    assert "needs more threads than there are now" in few.err
    assert few.out.startswith("SAFE  room: no bad state is reachable, for any number of contexts\n")
    enough = ask(folder, "verify", "room.cpds", "--threads", "guest=3", *WITHIN, "--json").json
    assert (enough["verdict"], enough["threads"]) == ("unsafe", None)
    star = ask(folder, "verify", "room.cpds", "--threads", "guest=*", *WITHIN, "--json").json
    assert star["threads"]["counts"] == {"guest": 3}
    explored = ask(folder, "explore", "room.cpds", "--threads", "guest=2")
    assert explored.code == 0
    assert explored.out.splitlines()[-4].startswith("COLLAPSED  room: exactly 4 visible states")
    converted = ask(folder, "convert", "room.cpds", "three.cpds", "--threads", "guest=3")
    assert converted.code == 0
    assert "thread guest * 3 {" in (folder / "three.cpds").read_text()


def test_other_questions(folder: Path) -> None:
    bounded = ask(folder, "verify", "room.cpds", "--contexts", "2", *WITHIN)
    assert (bounded.code, bounded.out[:7]) == (4, "BOUNDED")
    found = ask(folder, "verify", "room.cpds", "--contexts", "3", *WITHIN)
    assert found.code == 1
    assert "fewer threads may be enough" in found.out
    deadlock = ask(folder, "verify", LOCK, "--property", "deadlock", "--memory", "2G")
    assert deadlock.code == 3
    assert "deadlocks are looked for with some numbers of threads only" in deadlock.out
    target = ask(folder, "verify", "room.cpds", "--target", "two | inside, inside", *WITHIN)
    assert target.code == 1
    assert "with 2 threads guest" in target.out


def test_a_report_shows_the_threads_and_leaves_the_exploration_out(folder: Path) -> None:
    for name, code, threads in ((LOCK, 0, "owner"), ("room.cpds", 1, "guest")):
        found = ask(folder, "report", name, "--output", "page.html", *WITHIN)
        assert found.code == code
        assert "Exploration was left out" in found.err
        page = (folder / "page.html").read_text(encoding="utf-8")
        assert f"Exploration was left out: there is any number of threads {threads}" in page
        assert f"<td>{threads}</td><td>any number</td>" in page
        assert f"threads {threads} × any number" in page
    written = ask(folder, "verify", "room.cpds", "--report", "r.html", "--sarif", "s.json")
    assert "the report was written to r.html" in written.err
    assert "the SARIF log was written to s.json" in written.err


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (("explore", LOCK), "there are infinitely many states: --threads says how many threads"),
        (("inspect", LOCK), "inspect needs a number of them, which --threads says"),
        (("convert", LOCK, "x.cpds"), "convert needs a number of them"),
        (("dataflow", LOCK, "--at", "owner:held"), "dataflow needs a number of them"),
        (("watch", LOCK), "watch needs a number of them"),
        (("verify", LOCK, "--rounds", "3"), "--threads says how many threads there are"),
        (("verify", LOCK, "--reach", "free | a"), "--reach names the stack of each thread"),
        (("verify", LOCK, "--init", "free|a"), "--init names the stack of each thread"),
        (("verify", LOCK, "--all"), "--all is for programs"),
        (("verify", LOCK, "--markers"), "--markers is for programs"),
        (("verify", LOCK, "--slots", "3"), "--slots is for programs"),
        (("verify", LOCK, "--unreachable", "x"), "--unreachable is for programs"),
        (("verify", LOCK, "--property", "race"), "--property race is for programs"),
        (("verify", LOCK, "--threads", "zork=3"), "has no threads zork"),
        (("verify", LOCK, "--threads", "owner=0"), "expected at least 1 thread"),
        (("verify", str(EXAMPLES / "figure4.cpds"), "--threads", "P1=3"), "--threads is for"),
    ],
)
def test_what_is_not_possible_says_why(
    command: tuple[str, ...], words: str, tmp_path: Path
) -> None:
    found = call(*command, cwd=tmp_path)
    assert found.code == 2
    assert words in found.err


def test_a_file_that_asks_nothing_says_so(folder: Path) -> None:
    (folder / "quiet.cpds").write_text(ROOM[: ROOM.index("bad")])
    for command in ("verify", "report"):
        found = ask(folder, command, "quiet.cpds")
        assert found.code == 2
        assert "quiet asks no question" in found.err


def test_a_suite_takes_such_files(folder: Path) -> None:
    found = ask(folder, "suite", "room.cpds", LOCK, "--timeout", "100", "--memory", "2G")
    assert "unsafe" in found.out
    assert found.code == 0
