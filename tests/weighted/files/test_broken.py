"""Weighted systems in JSON that are wrong: each is refused, and the place is pointed at."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from support.samples.weighted_documents import FINE, THREADS, read
from tepui.errors import InputError
from tepui.weighted.files.systems import read_weighted

BROKEN: dict[str, tuple[Any, int, int, str]] = {
    "no JSON": ('{"format": "tepui-weighted-system",', 1, 36, "no JSON: expecting property name"),
    "nothing": ("", 1, 1, "no JSON: expecting value"),
    "a list": ("[]", 1, 1, "expected a weighted pushdown system, which is an object, found a list"),
    "a number": ("7", 1, 1, "which is an object, found 7"),
    "another format": ('{"format": "x", "version": 1, "domain": 1, "rules": []}', 1, 12, "format"),
    "NaN": ('{"format":\n NaN}', 2, 2, "NaN is no number in JSON"),
    "infinity": ("[1,\n -Infinity]", 2, 2, "-Infinity is no number in JSON"),
    "a key twice": ('{"a": 1,\n "b": {"c": [1, 2], "c": 2}}', 2, 21, "the key 'c' is there twice"),
    "a key twice at the top": ('{"a": 1,\n "a": 2}', 2, 2, "the key 'a' is there twice"),
    "a number of many digits": (f"[{'9' * 5000}]", 1, 2, "a number has at most 400 digits"),
    "deep nesting": ("[" * 100_000, 1, 500, "this is nested too deeply"),
    "deep nesting of objects": ('{"a":' * 100_000, 1, 2496, "this is nested too deeply"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_no_system_is_refused_where_it_goes_wrong(name: str) -> None:
    text, line, column, message = BROKEN[name]
    with pytest.raises(InputError) as refused:
        read(text)
    assert (refused.value.source, refused.value.line, refused.value.column) == (
        "f.json",
        line,
        column,
    )
    assert message in refused.value.message


RULE = {"from": ["p", "a"], "to": ["q"], "weight": 3}
AFFINE = {"name": "affine", "variables": ["x", "y"]}

WRONG: list[tuple[dict[str, Any], str, str]] = [
    ({"version": True}, "true", "expected the version 1, found true"),
    ({"version": 2}, "2", "expected the version 1, found 2"),
    ({"strat": ""}, '"strat"', "found 'strat'"),
    ({"domain": "minpath"}, '"minpath"', "expected the name of a domain (boolean, min-path,"),
    ({"domain": {"nam": 1}}, '{"nam"', "expected the key 'name'"),
    ({"domain": {"name": "min-path", "x": 1}}, '"x"', "found 'x'"),
    ({"domain": {"name": "relations"}}, '{"name"', "expected the key 'states'"),
    ({"domain": {"name": "relations", "states": 10**9}}, "1000000000", "between 1 and 4,096"),
    ({"domain": {"name": "relations", "states": 0}}, "0}", "between 1 and 4,096, found 0"),
    (
        {"domain": {"name": "relations", "states": 4, "local_states": 3}},
        '{"name"',
        "cannot be pairs",
    ),
    ({"domain": {"name": "sets", "facts": -1}}, "-1", "between 0 and 100,000"),
    ({"domain": {"name": "sets", "facts": ["x", "x"]}}, '["x"', "different names"),
    ({"domain": {"name": "sets", "facts": 2, "meet": "join"}}, '"join"', "'union'"),
    ({"domain": {**AFFINE, "modulus": 1}}, "1}", "expected a modulus, which is at least 2"),
    ({"domain": {**AFFINE, "local_variables": 3}}, "3}", "between 0 and 2"),
    ({"domain": {"name": "matrices", "order": 9999, "entries": "boolean"}}, "9999", "256"),
    ({"rules": {}}, "{}", "expected the rules, which is a list, found an object"),
    ({"rules": [7]}, "7]", "expected a rule, which is an object"),
    ({"rules": [{**RULE, "form": 1}]}, '"form"', "found 'form'"),
    ({"rules": [{"from": ["p", "a"]}]}, '{"from"', "expected the key 'to' in a rule"),
    ({"rules": [{**RULE, "from": ["p"]}]}, '["p"]', "of length 2, found 1 items"),
    ({"rules": [{**RULE, "from": ["p", 1]}]}, "1]", "expected a stack symbol, which is a string"),
    ({"rules": [{**RULE, "from": ["", "a"]}]}, '""', "expected a state, found an empty name"),
    ({"rules": [{**RULE, "to": []}]}, "[]", "expected a state, found nothing"),
    ({"rules": [{**RULE, "weight": -1}]}, "-1", "expected a cost, which is between 0 and"),
    ({"rules": [{**RULE, "weight": 2**63}]}, str(2**63), "expected a cost, which is between"),
    ({"rules": [{**RULE, "weight": 1.5}]}, "1.5", "which is an integer, found 1.5"),
    ({"rules": [{**RULE, "weight": True}]}, "true", "which is an integer, found true"),
    ({"rules": [{**RULE, "weight": "3"}]}, '"3"', "which is an integer, found '3'"),
    ({"rules": [{**RULE, "merges": 1}]}, "1}", "true or false"),
    ({"rules": [{**RULE, "merges": True}]}, "true", "expected two symbols"),
    (
        {"rules": [{**RULE, "to": ["q", "a", "b"], "merges": True}]},
        "true",
        "the weights of the domain min-path cannot be merged",
    ),
    ({"states": ["p"]}, '"q"', "expected a state that the file lists, found 'q'"),
    ({"symbols": ["a", "b"]}, '"c"', "expected a stack symbol that the file lists"),
    ({"states": ["p", "q", "p"]}, '"p"]}', "listed twice"),
    ({"start": "<x, a>"}, "x, a>", "there is no shared state 'x'"),
    ({"start": "<p, a"}, '", "target"', "expected a symbol, '*', '+', '?', '|' or '>'"),
    ({"start": ["<p, a>", "<p, zz>"]}, "zz>", "has no symbol 'zz'"),
    ({"start": 7}, "7", "expected a pattern such as '<p, a b*>', a list of patterns, or an"),
    ({"start": [7]}, "7", "expected a pattern such as '<p, a b*>', which is a string"),
    ({"start": {"transitions": []}}, '{"transitions"', "expected the key 'accepting'"),
    ({"start": {"transitions": [["p", "a", "q"]], "accepting": []}}, '"q"]', "none leads to a"),
    ({"start": {"transitions": [["x", "a", 1]], "accepting": []}}, '"x"', "no state 'x'"),
    ({"start": {"transitions": [["p", "x", 1]], "accepting": []}}, '"x"', "no stack symbol 'x'"),
    ({"start": {"transitions": [["p", "a", 1.5]], "accepting": []}}, "1.5", "expected a node"),
    ({"start": {"transitions": [], "accepting": ["x"]}}, '"x"', "there is no state 'x'"),
    ({"contexts": 2}, '"contexts"', "found 'contexts'"),
]


@pytest.mark.parametrize(("change", "at", "message"), WRONG, ids=[w[2][:40] for w in WRONG])
def test_what_is_wrong_in_a_system_is_pointed_at(
    change: dict[str, Any], at: str, message: str
) -> None:
    _check_place(json.dumps({**FINE, **change}), at, message)


WEIGHTS: list[tuple[Any, Any, str, str]] = [
    ("boolean", 1, "1", "expected a weight, which is true or false, found 1"),
    ("shortest-path", {"cost": 1}, '{"cost"', "expected the key 'rules'"),
    ("shortest-path", {"cost": 1, "rules": [-1]}, "-1", "expected the number of a rule"),
    (
        {"name": "relations", "states": 2},
        [[0, 2]],
        "2]",
        "expected a state, which is between 0 and 1",
    ),
    ({"name": "relations", "states": 2}, [[0]], "[0]", "expected a pair of states of length 2"),
    ({"name": "relations", "states": 2}, {}, "{}", "expected a relation, which is a list"),
    (
        {"name": "weighted-relations", "states": 2, "weights": "min-path"},
        [[0, 1, "x"]],
        '"x"',
        "expected a cost",
    ),
    ({"name": "sets", "facts": ["x"]}, {"kill": ["y"]}, '"y"', "expected a fact (x), found 'y'"),
    ({"name": "sets", "facts": 2}, {"gen": [2]}, "2]", "expected a fact, which is between 0 and 1"),
    ({"name": "sets", "facts": 2}, {"keep": []}, '"keep"', "found 'keep'"),
    (AFFINE, {"assign": {"z": [0, 0, 0]}}, '"z"', "expected a variable (x, y), found 'z'"),
    (AFFINE, {"assign": {"x": [1, 2]}}, "[1, 2]", "of length 3, found 2 items"),
    (AFFINE, {"assign": {"x": "!"}}, '"!"', "a list of coefficients or '?'"),
    (AFFINE, {}, "{}", "expected one of the keys 'assign' and 'span'"),
    (AFFINE, {"span": [[[1, 0, 0]]]}, "[[1, 0, 0]]", "expected a matrix of length 3"),
    ({"name": "pairs", "first": "boolean", "second": "boolean"}, [True], "[true]", "length 2"),
    (
        {"name": "matrices", "order": 1, "entries": "min-path"},
        [[-5]],
        "-5",
        "expected a cost, which is between 0",
    ),
]


@pytest.mark.parametrize(("domain", "weight", "at", "message"), WEIGHTS)
def test_a_weight_that_is_none_of_its_domain_is_pointed_at(
    domain: Any, weight: Any, at: str, message: str
) -> None:
    rule = {"from": ["p", "a"], "to": ["q"], "weight": weight}
    _check_place(json.dumps({**FINE, "domain": domain, "rules": [rule]}), at, message)


WRONG_THREADS: list[tuple[dict[str, Any], str, str]] = [
    ({"threads": []}, "[]", "expected at least one thread"),
    ({"threads": THREADS["threads"][:1] * 2}, '"one", "rules"', "two threads called 'one'"),
    ({"contexts": -1}, "-1", "expected a number of contexts"),
    ({"start": ["p | a, b"]}, "[", "the start of all threads, which is a string"),
    ({"start": "p | a, c"}, "c", "thread two has no symbol 'c'"),
]


@pytest.mark.parametrize(("change", "at", "message"), WRONG_THREADS)
def test_what_is_wrong_with_threads_is_pointed_at(
    change: dict[str, Any], at: str, message: str
) -> None:
    _check_place(json.dumps({**THREADS, **change}), at, message)


def test_a_start_cannot_be_there_twice() -> None:
    threads = [{**thread, "start": "<p, -> "} for thread in THREADS["threads"]]
    with pytest.raises(InputError, match="the start is there for all threads already"):
        read({**THREADS, "threads": threads, "start": "p | a, b"})


def test_a_pattern_for_too_few_threads_is_refused_in_the_file() -> None:
    with pytest.raises(InputError) as refused:
        read({**THREADS, "start": "p | a"})
    assert refused.value.source == "f.json"


def test_nested_domains_end_somewhere() -> None:
    domain: Any = "boolean"
    for _ in range(50):
        domain = {"name": "pairs", "first": domain, "second": "boolean"}
    with pytest.raises(InputError, match="domains are nested at most 8 deep"):
        read({**FINE, "domain": domain})


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\xff\xfe{}", "not UTF-8 text: byte 0 is 0xff"),
        (b'{"format": "\xe4"}', "not UTF-8 text"),
        (b"\x00", "no JSON"),
    ],
)
def test_bytes_that_are_no_text_are_refused(content: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "f.json"
    path.write_bytes(content)
    with pytest.raises(InputError, match=message):
        read_weighted(path)


def test_a_byte_order_mark_and_any_line_ends_are_fine(tmp_path: Path) -> None:
    path = tmp_path / "f.json"
    text = json.dumps(FINE, indent=1).replace("\n", "\r\n")
    path.write_bytes(b"\xef\xbb\xbf" + text.encode())
    assert len(read_weighted(path).threads[0].system.rules) == 2


def test_lone_surrogates_do_no_harm() -> None:
    file = read(
        '{"format": "tepui-weighted-system", "version": 1, "domain": "boolean",'
        ' "rules": [{"from": ["\\ud800", "a"], "to": ["\\ud800"]}]}'
    )
    assert file.threads[0].alphabet.states == ("\ud800",)


def test_random_damage_is_an_input_error_or_nothing() -> None:
    text = json.dumps({**THREADS, "start": "p | a, b", "target": "* | -, *"}, indent=1)
    rng = Random(7)
    errors = []
    for _ in range(1500):
        at = rng.randrange(len(text))
        damaged = text[:at] + rng.choice('{}[]",:0-p|*\\\n\x00é') + text[at + rng.randint(0, 4) :]
        try:
            read(damaged)
        except InputError as error:
            errors.append((error, damaged.count("\n") + 1))
    assert len(errors) > 1000
    for refused, lines in errors:
        assert 1 <= refused.line <= lines
        assert 1 <= refused.column <= len(refused.text) + 1
        assert str(refused).startswith(f"f.json:{refused.line}:{refused.column}: ")


def _check_place(text: str, at: str, message: str) -> None:
    """That a text is refused at a place where `at` begins."""
    with pytest.raises(InputError) as refused:
        read(text)
    error = refused.value
    assert message in error.message
    assert error.line == 1
    assert error.text == text
    assert text[error.column - 1 :].startswith(at), text[error.column - 1 :]
