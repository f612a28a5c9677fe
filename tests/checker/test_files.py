"""Evidence files: what is written is read back, and nothing that a file says can do harm."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from support.samples.diagrams import (
    cut_diagram,
    diagram_of_figure_2,
    figure_2,
    language_diagram,
    languages,
    products_of,
    products_of_figure_2,
    whole_diagram,
    with_finite_languages,
)
from support.samples.evidence import (
    cut_states,
    figure_4,
    groupings,
    run,
    system_of,
    systems,
    thread,
    turns,
    whole_states,
)
from support.sizes import FUZZING, sized
from tepui.checker import Evidence, Trace, check
from tepui.checker.certificates.diagram import DiagramCertificate
from tepui.checker.certificates.products import SymbolicCertificate
from tepui.checker.certificates.states import Certificate
from tepui.checker.files import read_evidence, write_evidence
from tepui.errors import EvidenceError, InputError
from tepui.model import EPSILON, Pattern, Property, Reach, Rule, StackSet, System

FIGURE_2 = figure_2()
FIGURE_4 = figure_4()
TURNS = turns()
ASKED = Property((Pattern(3, (2, None)), Pattern(None, (None, EPSILON))), deadlock=True)
HELD = Property((Pattern(1, (None, None, 1)),))
NEVER = Property(
    (Pattern(1, (4, None)),),
    reaches=(
        Reach(0, (None, languages(FIGURE_2, 1, "[679]8* | -")[0])),
        Reach(None, (StackSet((), ()), None)),
    ),
)
SAMPLES: list[tuple[System, Property, Evidence]] = [
    (FIGURE_4, ASKED, run(FIGURE_4, (0, 0), (1, 0), (1, 0))),
    (FIGURE_4, ASKED, run(FIGURE_4)),
    (FIGURE_4, ASKED, cut_states(FIGURE_4, FIGURE_4.groups, 2)),
    (FIGURE_4, Property(), cut_states(FIGURE_4, FIGURE_4.groups, 1, flags=False)),
    (TURNS, HELD, whole_states(TURNS, TURNS.groups)),
    (TURNS, HELD, whole_diagram(TURNS, (2, 0, 1))),
    (TURNS, HELD, with_finite_languages(whole_diagram(TURNS), [0])),
    (FIGURE_4, ASKED, cut_diagram(FIGURE_4, 2)),
    (FIGURE_4, ASKED, cut_diagram(FIGURE_4, 1, flags=False)),
    (FIGURE_2, NEVER, diagram_of_figure_2()),
    (FIGURE_2, NEVER, products_of_figure_2()),
    (FIGURE_2, NEVER, run(FIGURE_2, (0, 0))),
]
KINDS = ["trace", "trace", "cut", "cut", "states"] + ["diagram"] * 5 + ["products", "trace"]
SETTINGS = settings(
    max_examples=sized(400),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def text_of(folder: Path, system: System, asked: Property, evidence: Evidence) -> str:
    path = folder / "evidence.json"
    write_evidence(path, system, asked, evidence)
    return path.read_text(encoding="utf-8")


def read_text(folder: Path, text: str | bytes, system: System = FIGURE_4) -> Any:
    path = folder / "changed.json"
    path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))
    return read_evidence(path, system)


def refuses(folder: Path, text: str | bytes, *words: str, system: System = FIGURE_4) -> InputError:
    with pytest.raises(InputError) as caught:
        read_text(folder, text, system)
    for word in words:
        assert word in str(caught.value)
    assert caught.value.source == str(folder / "changed.json")
    return caught.value


def test_evidence_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    for number, (system, asked, evidence) in enumerate(SAMPLES):
        path = tmp_path / f"{number}.json"
        write_evidence(path, system, asked, evidence)
        assert read_evidence(path, system) == (asked, evidence)
        assert read_evidence(str(path), system) == (asked, evidence)


@settings(SETTINGS, max_examples=sized(120))
@given(st.data(), systems())
def test_random_certificates_are_read_back(
    tmp_path: Path, data: st.DataObject, system: System
) -> None:
    diagram = language_diagram(system, 1)
    for certificate in (
        cut_states(system, data.draw(groupings(system)), 2),
        cut_diagram(system, 2),
        diagram,
        products_of(system, diagram),
    ):
        path = tmp_path / "evidence.json"
        write_evidence(path, system, Property(), certificate)
        assert read_evidence(path, system) == (Property(), certificate)


def test_diagrams_and_products_name_threads_symbols_and_shared_states(tmp_path: Path) -> None:
    said = json.loads(text_of(tmp_path, *SAMPLES[9]))
    assert said["templates"] == [["foo"], ["bar"]]
    assert (said["form"], said["depth"], said["below"]) == ("states", 0, [])
    assert said["order"] == ["foo", "bar"]
    assert said["locals"] == [None, None]
    assert said["labels"][0][1] == {"accepting": [1], "edges": [[["4", 1]], [["4", 1]]]}
    assert said["nodes"] == [
        [[0, 0, 1, 1, 2, 2, 3, 3]],
        [[0, 1, 1, 2, 2, 0], [0, 1, 3, 2], [3, 0], [4, 1, 3, 2]],
    ]
    assert (said["root"], said["ends"]) == (0, [["q0"], ["q1"], ["q0", "q1"]])
    assert said["property"]["reaches"][1] == {
        "shared": None,
        "stacks": [{"accepting": [], "edges": []}, None],
    }
    cut = json.loads(text_of(tmp_path, *SAMPLES[7]))
    assert cut["form"] == "cut"
    assert {"stack": ["4", "6"], "more": True} in cut["locals"][1]
    products = json.loads(text_of(tmp_path, *SAMPLES[10]))
    assert products["labels"][1][2]["accepting"] == [0, 1]
    assert products["states"] == [["q1", 0, 0], ["q1", 1, 1], ["q0", 2, 2]]


def test_a_large_diagram_has_a_small_file(tmp_path: Path) -> None:
    system = system_of("q", thread("a", "q|a -> q|b", "q|b -> q|a", count=60))
    lines = text_of(tmp_path, system, Property(), _both_anywhere(60)).splitlines()
    assert len(lines) < 300
    assert sum(map(len, lines)) < 4000


def _both_anywhere(threads: int) -> DiagramCertificate:
    """All of the states in which each thread has one of two stacks."""
    table = (((1,), False), ((2,), False))
    nodes = ((((0, 0),),),) * threads
    return DiagramCertificate(
        "states", tuple(range(threads)), (table,), (((0, 1),),), nodes, ((0,),)
    )


def test_a_file_says_its_format_and_speaks_in_names(tmp_path: Path) -> None:
    for (system, asked, evidence), kind in zip(SAMPLES, KINDS, strict=True):
        said = json.loads(text_of(tmp_path, system, asked, evidence))
        assert said["format"] == "tepui evidence"
        assert said["version"] == 1
        assert said["kind"] == kind
        assert ("reaches" in said["property"]) == bool(asked.reaches)
        assert said["threads"] == list(system.thread_names)
    trace = json.loads(text_of(tmp_path, *SAMPLES[0]))
    assert trace["property"]["patterns"][1] == {"shared": None, "tops": [None, "-"]}
    assert trace["steps"][2] == {
        "thread": "P2",
        "rule": {"source": "q2", "top": "5", "target": "q3", "word": ["4", "6"]},
        "shared": "q3",
        "stacks": [["2"], ["4", "6"]],
    }
    cut = json.loads(text_of(tmp_path, *SAMPLES[2]))
    assert cut["groups"] == [["P1"], ["P2"]]
    assert cut["below"] == [[], [["6", "-"], ["6", "6"]]]
    assert {"stack": ["4", "6"], "more": True} in cut["locals"][1]


def test_a_state_has_a_line_of_its_own(tmp_path: Path) -> None:
    lines = text_of(tmp_path, *SAMPLES[4]).splitlines()
    assert '["free", 0, 0, 1],' in lines


def test_the_same_evidence_gives_the_same_bytes(tmp_path: Path) -> None:
    for system, asked, evidence in SAMPLES:
        first = text_of(tmp_path, system, asked, evidence)
        assert text_of(tmp_path, system, asked, evidence) == first
    system, asked, cut = SAMPLES[3]
    assert isinstance(cut, Certificate)
    turned = tuple(frozenset(sorted(pairs, reverse=True)) for pairs in cut.below)
    text = text_of(tmp_path, system, asked, cut)
    assert text_of(tmp_path, system, asked, replace(cut, below=turned)) == text


def test_a_failed_writing_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    system, asked, cut = SAMPLES[2]
    assert isinstance(cut, Certificate)
    text = text_of(tmp_path, system, asked, cut)
    broken: Any = [*cut.states, None]
    with pytest.raises(TypeError):
        text_of(tmp_path, system, asked, replace(cut, states=broken))
    assert [path.name for path in tmp_path.iterdir()] == ["evidence.json"]
    assert (tmp_path / "evidence.json").read_text(encoding="utf-8") == text


def test_strange_names_survive(tmp_path: Path) -> None:
    names = ["ε", '"', "\\", "a\nb", "", " ", "\ud800", "𝔸", "null", "0", "#1", "*"]
    rules = [f"s{number}" for number in range(len(names))]
    system = system_of("q", thread(" ".join(rules), "q|s0 -> q|s1"))
    strange = replace(system.templates[0], symbols=("-", *names))
    system = replace(system, templates=(strange,), shared=("\u2028",), name="\ud800")
    certificate = whole_states(system, system.groups)
    path = tmp_path / "evidence.json"
    write_evidence(path, system, Property(), certificate)
    assert read_evidence(path, system) == (Property(), certificate)


def test_rejected_evidence_can_be_written_but_not_smuggled_in(tmp_path: Path) -> None:
    trace, cut = SAMPLES[0][2], SAMPLES[2][2]
    assert isinstance(trace, Trace)
    assert isinstance(cut, Certificate)
    step = trace.steps[0]
    for wrong in (
        replace(trace, initial_shared=9),
        replace(trace, initial_stacks=((1,), (1,), (1,))),
        replace(trace, steps=(replace(step, thread=-1),)),
        replace(trace, steps=(replace(step, rule=Rule(0, -1, 0, (77,))),)),
        replace(cut, groups=((0,), (7,))),
        replace(cut, groups=((0,), ())),
        replace(cut, locals=(*cut.locals, cut.locals[0])),
        replace(cut, below=(*cut.below, cut.below[1])),
        replace(cut, states=((-1, 0, 0),)),
        replace(cut, states=((0, 0),)),
    ):
        with pytest.raises(EvidenceError):
            check(FIGURE_4, ASKED, wrong)
        refuses(tmp_path, text_of(tmp_path, FIGURE_4, ASKED, wrong))


def test_rejected_diagrams_and_products_can_be_written_but_not_smuggled_in(tmp_path: Path) -> None:
    diagram, products = SAMPLES[9][2], SAMPLES[10][2]
    assert isinstance(diagram, DiagramCertificate)
    assert isinstance(products, SymbolicCertificate)
    foo, bar = diagram.labels
    outside = StackSet((True,), (((9, 0),),))
    for wrong in (
        replace(diagram, order=(0, 7)),
        replace(diagram, ends=((7,), (1,), (0, 1))),
        replace(diagram, labels=((*foo, outside), bar)),
        replace(diagram, labels=(foo, bar, bar)),
        replace(diagram, locals=(None,)),
        replace(diagram, nodes=diagram.nodes[:1]),
        replace(diagram, below=(frozenset({(1, 2)}),)),
        replace(products, states=((-1, 0, 0),)),
        replace(products, states=((0, 0),)),
        replace(products, states=((),)),
        replace(products, labels=((*products.labels[0], outside), products.labels[1])),
        replace(products, labels=products.labels[:1]),
    ):
        with pytest.raises(EvidenceError):
            check(FIGURE_2, NEVER, wrong)
        refuses(tmp_path, text_of(tmp_path, FIGURE_2, NEVER, wrong), system=FIGURE_2)


def test_ambiguous_names_have_no_file(tmp_path: Path) -> None:
    _, asked, trace = SAMPLES[0]
    text = text_of(tmp_path, *SAMPLES[0])
    template = replace(FIGURE_4.templates[1], symbols=("-", "4", "4", "6"))
    for twin in (
        replace(FIGURE_4, shared=("q0", "q1", "q0", "q3")),
        replace(FIGURE_4, thread_names=("P", "P")),
        replace(FIGURE_4, templates=(FIGURE_4.templates[0], template)),
    ):
        with pytest.raises(EvidenceError, match="one name"):
            write_evidence(tmp_path / "evidence.json", twin, asked, trace)
        with pytest.raises(EvidenceError, match="one name"):
            read_text(tmp_path, text, twin)


def test_a_file_that_cannot_be_read_is_an_input_error(tmp_path: Path) -> None:
    for path in (tmp_path / "none.json", tmp_path, "null\0byte"):
        with pytest.raises(InputError) as caught:
            read_evidence(path, FIGURE_4)
        assert (caught.value.line, caught.value.column) == (0, 0)


def test_a_truncated_file_is_refused_wherever_it_ends(tmp_path: Path) -> None:
    text = text_of(tmp_path, *SAMPLES[2]).rstrip()
    for end in range(0, len(text), 7):
        error = refuses(tmp_path, text[:end])
        assert error.line >= 1
        assert error.column >= 1


def test_the_place_of_wrong_json_is_given(tmp_path: Path) -> None:
    error = refuses(tmp_path, '{\n"format": oops\n}', "Expecting value")
    assert (error.line, error.column, error.text) == (2, 11, '"format": oops')
    assert refuses(tmp_path, "oops").text == "oops"
    assert refuses(tmp_path, " " * 2000 + "oops").text == ""


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("", "this is not tepui evidence, which is written in JSON"),
        ("initial q", "this is not tepui evidence, which is written in JSON"),
        ("null", "is not tepui evidence"),
        ("[]", "is not tepui evidence"),
        ('{"format": "other"}', "is not tepui evidence"),
        ('{"format": "tepui evidence"}', "version"),
        ('{"format": "tepui evidence", "version": 3}', "version"),
        ('{"format": "tepui evidence", "version": true}', "version"),
        ('{"format": "tepui evidence", "version": 1.0}', "version"),
        ('{"format": "tepui evidence", "version": 1, "kind": "sketch"}', "kind"),
        ('{"format": "tepui evidence", "version": 1, "kind": []}', "kind"),
        ('{"format": "tepui evidence", "version": 1, "kind": "cut"}', "has no 'system'"),
        ('{"format": 1, "format": 2}', "key twice"),
        ("[" * 200_000, "nested too deeply"),
        ('{"a":' * 200_000, "nested too deeply"),
        ("[NaN]", "NaN"),
        ("[-Infinity]", "-Infinity"),
        ("1" * 5000, "digit"),
        ("\ufeff{}", "BOM"),
        (b"\xff\xfe{}", "UTF-8"),
    ],
)
def test_what_is_not_evidence_is_refused(tmp_path: Path, text: str | bytes, word: str) -> None:
    error = refuses(tmp_path, text, word)
    by_json = word == "BOM" or "written in JSON" in word
    assert (error.line, error.column) == ((1, 1) if by_json else (0, 0))


def changed(text: str, *path: str | int, to: Any) -> str:
    """The JSON text with one value replaced, or left out where `to` is Ellipsis."""
    document = json.loads(text)
    holder = document
    for key in path[:-1]:
        holder = holder[key]
    if to is ...:
        del holder[path[-1]]
    else:
        holder[path[-1]] = to
    return json.dumps(document)


def test_unknown_names_are_refused_and_said(tmp_path: Path) -> None:
    trace = text_of(tmp_path, *SAMPLES[0])
    for path in (
        ("initial", "shared"),
        ("initial", "stacks", 0, 0),
        ("steps", 1, "thread"),
        ("steps", 1, "shared"),
        ("steps", 1, "stacks", 1, 0),
        ("steps", 1, "rule", "source"),
        ("steps", 1, "rule", "top"),
        ("steps", 1, "rule", "target"),
        ("steps", 1, "rule", "word", 0),
        ("property", "patterns", 0, "shared"),
        ("property", "patterns", 0, "tops", 0),
    ):
        refuses(tmp_path, changed(trace, *path, to="nobody"), "'nobody'")
    cut = text_of(tmp_path, *SAMPLES[2])
    refuses(tmp_path, changed(cut, "groups", 0, 0, to="nobody"), "'nobody'")
    refuses(tmp_path, changed(cut, "below", 1, 0, 1, to="nobody"), "'nobody'")
    refuses(tmp_path, changed(cut, "locals", 1, 1, "stack", 0, to="nobody"), "'nobody'")
    refuses(tmp_path, changed(cut, "states", 3, 0, to="nobody"), "'nobody'")
    refuses(tmp_path, changed(cut, "threads", to=["P1"]), "threads")
    refuses(tmp_path, changed(cut, "system", to=["P1"]), "system: is a list instead of a string")
    diagram = text_of(tmp_path, *SAMPLES[9])
    for where in (
        ("order", 1),
        ("labels", 0, 1, "edges", 0, 0, 0),
        ("ends", 2, 1),
        ("property", "reaches", 0, "shared"),
        ("property", "reaches", 0, "stacks", 1, "edges", 0, 0, 0),
    ):
        refuses(tmp_path, changed(diagram, *where, to="nobody"), "'nobody'", system=FIGURE_2)
    long = refuses(tmp_path, changed(cut, "states", 3, 0, to="x" * 9999))
    assert len(str(long)) < 500
    refuses(tmp_path, cut, "threads", system=TURNS)


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        (("templates",), [["foo", "bar"]], ["templates", "not those of the system figure 2"]),
        (("form",), "proof", ["form", "neither states nor cut"]),
        (("locals",), [None], ["locals", "1 items instead of 2"]),
        (("labels",), [[], [], []], ["labels", "3 items instead of 2"]),
        (("labels", 0, 0), "a", ["labels", "'a' instead of a list"]),
        (("labels", 0, 0), [True], ["labels", "no integer"]),
        (("labels", 0, 1, "accepting"), [2], ["accepting", "names a state without a list"]),
        (("labels", 0, 1, "accepting"), [-1], ["accepting", "names a state without a list"]),
        (("labels", 0, 1, "edges", 0, 0, 1), 2, ["leads to a state that it does not have"]),
        (("labels", 0, 1, "edges", 0, 0, 1), -1, ["leads to a state that it does not have"]),
        (("labels", 0, 1, "edges", 0, 0, 0), "-", ["ascend by symbol"]),
        (("labels", 0, 1, "edges", 0), [["4", 0], ["4", 1]], ["ascend by symbol"]),
        (("labels", 0, 1, "edges", 0), [["4"]], ["1 items instead of 2"]),
        (("nodes",), [[]], ["nodes", "1 items instead of 2"]),
        (("nodes", 0, 0), [0, 1, 2], ["a node", "a label without a child"]),
        (("nodes", 0, 0), [0, None], ["a node", "no integer"]),
        (("below",), [[]], ["below", "1 items instead of 0"]),
        (("property", "reaches", 0, "stacks"), [None], ["1 items instead of 2"]),
        (("property", "reaches"), None, ["property.reaches", "None instead of a list"]),
    ],
)
def test_a_diagram_that_is_none_is_refused_by_name(
    tmp_path: Path, path: tuple[str | int, ...], value: Any, words: list[str]
) -> None:
    text = text_of(tmp_path, *SAMPLES[9])
    refuses(tmp_path, changed(text, *path, to=value), *words, system=FIGURE_2)


@pytest.mark.fuzz
def test_no_part_of_a_file_may_have_another_type_or_be_missing(tmp_path: Path) -> None:
    values: list[Any] = [..., None, True, -1, 1.5, 10**4000, "", "x" * 9999, [], {}, [[]], [{}]]
    for system, asked, evidence in SAMPLES:
        text = text_of(tmp_path, system, asked, evidence)
        for number, path in enumerate(_places(json.loads(text))):
            for value in values if FUZZING else values[number % 4 :: 4]:
                _survives(tmp_path, changed(text, *path, to=value), system)


def test_an_unknown_key_is_refused(tmp_path: Path) -> None:
    for system, asked, evidence in SAMPLES:
        text = text_of(tmp_path, system, asked, evidence)
        refuses(tmp_path, changed(text, "extra", to=1), "'extra'", system=system)


@SETTINGS
@given(st.data())
def test_a_mutated_file_raises_nothing_else(tmp_path: Path, data: st.DataObject) -> None:
    system, asked, evidence = data.draw(st.sampled_from(SAMPLES))
    text = text_of(tmp_path, system, asked, evidence)
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        end = start + data.draw(st.integers(0, 6))
        pieces = st.text(max_size=4) | st.sampled_from(
            ['"', "[", "]", "{}", ",", "-", "1e999", "9"]
        )
        text = text[:start] + data.draw(pieces) + text[end:]
    _survives(tmp_path, text, system)


@SETTINGS
@given(st.binary(max_size=200))
def test_random_bytes_raise_nothing_else(tmp_path: Path, content: bytes) -> None:
    refuses(tmp_path, content)


def _survives(folder: Path, text: str, system: System) -> None:
    """Reading and checking end, well or with one of the two errors that they may raise."""
    try:
        asked, evidence = read_text(folder, text, system)
        check(system, asked, evidence)
    except (InputError, EvidenceError) as error:
        str(error).encode("utf-8")


def _places(value: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """The paths of all values in a document; of long lists only the first few."""
    found = [path] if path else []
    if isinstance(value, dict):
        for key, item in value.items():
            found += _places(item, (*path, key))
    elif isinstance(value, list):
        for number, item in enumerate(value[:2]):
            found += _places(item, (*path, number))
    return found
