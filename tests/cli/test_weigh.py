"""`tepui weigh`, from the command line to the exit code."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from support.cli import Completed, call, run
from support.places import EXAMPLES
from support.samples.weighted_documents import FINE, THREADS
from support.schemas import schema
from tepui.weighted.files.automata import automaton_of
from tepui.weighted.files.documents import Document

FIGURE7 = str(EXAMPLES / "wpds-figure7.json")
TWO_THREADS = str(EXAMPLES / "wpds-threads.json")
SCHEMA = schema("weighted")
VALIDATOR = Draft202012Validator(SCHEMA)

DOUBLING: dict[str, Any] = {
    **FINE,
    "rules": [
        *({"from": ["p", f"a{n}"], "to": ["p", *[f"a{n + 1}"] * 2]} for n in range(60)),
        {"from": ["p", "a60"], "to": ["p"], "weight": 1},
    ],
    "start": "<p, a0>",
    "target": "<p, ->",
}
"""A cheapest run has 2⁶¹ − 1 steps."""


def weigh(folder: Path, content: Any, *options: str) -> Completed:
    (folder / "f.json").write_text(json.dumps(content), encoding="utf-8")
    return call("weigh", "f.json", *options, cwd=folder)


def test_a_cheapest_run_is_shown_with_its_costs() -> None:
    done = run("weigh", FIGURE7, "--to", "<p2, b b b>")
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[:-1] == [
        "reachable",
        "  weight    3",
        "  domain    min-path",
        "  run       2 steps",
        "    <p1, a>",
        "    <p2, b b>    2",
        "    <p2, b b b>  1",
    ]
    assert lines[-1].startswith("  took ")


def test_what_is_not_reachable_is_answered_too() -> None:
    done = call("weigh", FIGURE7, "--to", "<p1, b>")
    assert (done.code, done.out.splitlines()[0]) == (0, "not reachable")


@pytest.mark.parametrize(
    ("file", "options"),
    [
        (FIGURE7, []),
        (FIGURE7, ["--to", "<p1, ->"]),
        (FIGURE7, ["--from", "<p2, b>", "--from", "<p1, a>"]),
        (TWO_THREADS, []),
        (TWO_THREADS, ["--contexts", "1"]),
        (TWO_THREADS, ["--from", "go | begin, add rest", "--to", "* | *, *"]),
    ],
)
def test_the_json_of_an_answer_fits_the_schema(file: str, options: list[str]) -> None:
    done = call("weigh", file, *options, "--json")
    assert done.code == 0
    VALIDATOR.validate(done.json)
    assert done.json["reachable"] is (options[-1:] not in (["<p1, ->"], ["1"]))


def test_the_json_of_a_run_has_rules_and_configurations() -> None:
    found = call("weigh", FIGURE7, "--to", "<p2, b b b>", "--json").json
    assert found["weight"] == 3
    assert found["run"] == {
        "rules": [0, 1],
        "configurations": [["p1", "a"], ["p2", "b", "b"], ["p2", "b", "b", "b"]],
    }


@pytest.mark.parametrize(("option", "direction"), [("--post", "backward"), ("--pre", "forward")])
def test_a_saturated_automaton_is_printed_as_a_file(option: str, direction: str) -> None:
    done = call("weigh", FIGURE7, option)
    assert done.code == 0
    VALIDATOR.validate(done.json)
    _, automaton = automaton_of(Document.of_text(done.out))
    assert automaton.direction == direction
    if option == "--post":
        assert [automaton.weight("p2", ("b",) * n) for n in (1, 2, 5)] == [None, 2, 5]
    else:
        assert automaton.weight("p1", ("a",)) == 2


def test_one_thread_has_its_run_whatever_the_bound() -> None:
    done = call("weigh", FIGURE7, "--to", "<p2, b b b>", "--contexts", "2", "--json")
    found = json.loads(done.out)
    assert (found["weight"], found["contexts"], found["run"]["rules"]) == (3, 2, [0, 1])
    none = call("weigh", FIGURE7, "--to", "<p2, b b b>", "--contexts", "0", "--json")
    assert not json.loads(none.out)["reachable"]


def test_threads_are_weighed_within_their_contexts() -> None:
    first = [call("weigh", TWO_THREADS, "--contexts", str(k)).out.splitlines() for k in (1, 2, 3)]
    assert [lines[0] for lines in first] == [
        "not reachable within 1 context",
        "reachable within 2 contexts",
        "reachable within 3 contexts",
    ]
    assert first[1][1:3] == ["  weight    x - y = 0", "  domain    affine"]
    assert first[2][1] == "  weight    nothing holds"


def test_threads_without_a_bound_need_one(tmp_path: Path) -> None:
    open_ended = {key: value for key, value in THREADS.items() if key != "contexts"}
    asked = {**open_ended, "start": "p | a, b", "target": "r | -, b"}
    done = weigh(tmp_path, asked)
    assert (done.code, done.out) == (2, "")
    assert "say how many contexts they may have" in done.err
    assert weigh(tmp_path, asked, "--contexts", "2", "--json").json["weight"] == 3


def test_sets_may_be_in_files(tmp_path: Path) -> None:
    (tmp_path / "to").write_text("<q, c>\n")
    (tmp_path / "from").write_text('{"transitions": [["p", "a", 0]], "accepting": [0]}')
    question = {key: FINE[key] for key in ("format", "version", "domain", "rules")}
    done = weigh(tmp_path, question, "--from", "@from", "--to", "@to", "--json")
    assert done.json["weight"] == 3
    patterns = weigh(tmp_path, question, "--from", '["<p, a>"]', "--to", "q, c", "--json")
    assert patterns.json["weight"] == 3


def test_several_sets_are_all_meant(tmp_path: Path) -> None:
    both = ["--from", "<p, a>", "--from", "<q, b c>", "--json"]
    assert weigh(tmp_path, FINE, *both).json["weight"] == 0
    assert weigh(tmp_path, FINE, *both[2:4], *both[:2], "--json").json["weight"] == 0
    assert weigh(tmp_path, FINE, *both[:2], "--json").json["weight"] == 3


def test_a_run_that_is_exponentially_long_is_left_out(tmp_path: Path) -> None:
    done = weigh(tmp_path, DOUBLING)
    assert done.code == 0
    assert f"  weight    {2**60}" in done.out.splitlines()
    assert "run" not in done.out


def test_of_a_long_run_only_its_length_is_shown(tmp_path: Path) -> None:
    count = 3000
    rules = [{"from": ["p", f"a{n}"], "to": ["p", f"a{n + 1}"], "weight": 1} for n in range(count)]
    asked = {**FINE, "rules": rules, "start": "<p, a0>", "target": f"<p, a{count}>"}
    assert "  run       3,000 steps from <p, a0>" in weigh(tmp_path, asked).out.splitlines()
    found = weigh(tmp_path, asked, "--json").json
    VALIDATOR.validate(found)
    assert found["run"]["configurations"] is None
    assert len(found["run"]["rules"]) == count


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--from", "<x, a>"], "error: --from:1:2: there is no shared state 'x'"),
        (["--to", "<p, a"], "error: --to:1:6: expected a symbol"),
        (["--to", '{"transitions": []}'], "error: --to:1:1: expected the key 'accepting'"),
        (["--to", "@nowhere"], "error: nowhere: there is no such file"),
        (["--post", "--pre"], "error: --post and --pre exclude each other"),
        (["--post", "--contexts", "2"], "error: --contexts is for the weight"),
        (["--timeout", "soon"], "error: --timeout soon: expected a time"),
        (["--contexts", "-1"], "-1 is not in the range"),
    ],
)
def test_a_wrong_use_ends_with_2_and_says_why(
    options: list[str], message: str, tmp_path: Path
) -> None:
    done = weigh(tmp_path, FINE, *options)
    assert (done.code, done.out) == (2, "")
    assert message in done.err
    assert "Traceback" not in done.err


def test_a_file_without_a_question_says_what_is_missing(tmp_path: Path) -> None:
    question = {key: FINE[key] for key in ("format", "version", "domain", "rules")}
    for options, message in (
        ([], "the file has no start for f: give one with --from"),
        (["--from", "<p, a>"], "the file has no target for f: give one with --to"),
    ):
        done = weigh(tmp_path, question, *options)
        assert done.code == 2
        assert message in done.err
    assert weigh(tmp_path, question, "--from", "<p, a>", "--post").code == 0


def test_threads_have_no_automaton_together(tmp_path: Path) -> None:
    done = weigh(tmp_path, THREADS, "--post")
    assert done.code == 2
    assert "only one by itself can be saturated" in done.err


def test_a_broken_file_is_shown_where_it_is_broken(tmp_path: Path) -> None:
    (tmp_path / "f.json").write_text('{\n "format": "tepui-weighted-system",\n "version": 1}\n')
    done = call("weigh", "f.json", cwd=tmp_path)
    assert done.code == 2
    assert done.err.startswith("error: f.json:1:1: expected the key 'domain'")
    (tmp_path / "f.json").write_text('{\n "format": "something-else",\n "rules": []}\n')
    done = call("weigh", "f.json", cwd=tmp_path)
    assert done.code == 2
    assert done.err.startswith("error: f.json:2:12: expected the format 'tepui-weighted-system'")
    done = call("weigh", "nothing.json", cwd=tmp_path)
    assert (done.code, done.err) == (2, "error: nothing.json: there is no such file\n")


def test_what_is_refused_is_refused_with_the_reason(tmp_path: Path) -> None:
    loop = {"pda": {"states": {"p": {"X": {"to": "p", "pop": "", "weight": -1}}}}}
    done = weigh(tmp_path, {**loop, "initial": "< p, [X]+ >", "final": "< p, >"})
    assert (done.code, done.out) == (2, "")
    assert "a cycle of negative cost can be gone round again and again" in done.err
    longest = {**loop, "initial": "< p, [X] >", "final": "< p, >", "optimise": "longest (max)"}
    done = weigh(tmp_path, longest)
    assert done.code == 2
    assert "maximum and sum are no bounded idempotent semiring" in done.err


def test_a_limit_ends_a_run_with_3(tmp_path: Path) -> None:
    states = [f"s{n}" for n in range(60)]
    rules = [
        {"from": [p, "a"], "to": [q, "a", "a"], "weight": {"assign": {"x": [n, 1, 1, 0], "y": "?"}}}
        for n, p in enumerate(states)
        for q in states
    ]
    rules += [{"from": [p, "a"], "to": [p]} for p in states]
    asked = {
        **FINE,
        "domain": {"name": "affine", "variables": ["x", "y", "z"]},
        "rules": rules,
        "start": "<s0, a>",
        "target": "<s0, ->",
    }
    done = weigh(tmp_path, asked, "--timeout", "0.05")
    assert (done.code, done.out) == (3, "")
    # It depends on the machine whether the time is up while it reads or while it saturates.
    assert "the time limit of 0.05 s was reached" in done.err or "at a limit: time" in done.err
