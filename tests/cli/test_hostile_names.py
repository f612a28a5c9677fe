"""Names in files and names of files steer no terminal: whatever they hold, they are only shown."""

from __future__ import annotations

import json
import re
import warnings
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tepui
from support.cli import call
from support.terminals import on_a_terminal
from tepui.languages.pushdown.cpds import write_cpds
from tepui.languages.tokens import write_name
from tepui.report.pictures.graph import Graph, Node, graph_svg
from tepui.report.text.paint import Painted, joined, wrapped
from tepui.words import printable

FORGED = "SAFE  forged: no bad state is reachable"

HOSTILE = (
    f"a\n{FORGED}\r\x1b[31m\x1b[2J\x1b]0;title\x07\b\x85\x9b2J\u202e\u200b\u2028\u2066\ufeff\x7fz"
)
"""Line ends, colours, other controls with one and two bytes, directions, marks of no width."""

IN_A_PATH = HOSTILE.replace("\x1b]0;title", "") + "\udcff"
"""As much of it as fits into the name of a file, and a byte that is no text at all."""

OURS = re.compile(r"\x1b\[(?:\d+(?:;\d+)*)?m|\x1b\[\?25[lh]|\r?\x1b\[2K|\x1b\[1A|\r")
"""Our own colours, and how the last lines are drawn anew."""

NAME = write_name(HOSTILE)

SYSTEM = f"""\
initial {NAME}
thread {NAME} * 2 {{
    stack {NAME}
    {NAME} | {NAME} -> {NAME} | x
    {NAME} | x -> b | -
}}
thread other {{
    stack y
    nowhere | y -> b | y
}}
bad nowhere | *, *, *
bad b | *, *, *
"""
"""Unsafe, with warnings."""

IN_A_PROGRAM = "{" + HOSTILE.replace("\n", "").replace("\r", "") + "}"

PROGRAM = f"""\
decl {IN_A_PROGRAM};
void main() begin
/* {IN_A_PROGRAM} */
{IN_A_PROGRAM} := F;
assert({IN_A_PROGRAM});
end
"""

QUOTED = json.dumps(HOSTILE)

WEIGHTS = json.dumps(
    {
        "format": "tepui-weighted-system",
        "version": 1,
        "domain": "min-path",
        "rules": [{"from": [HOSTILE, "a"], "to": [HOSTILE, HOSTILE, "b"], "weight": 2}],
        "start": f"<{QUOTED}, a>",
        "target": f"<{QUOTED}, {QUOTED} b>",
    }
)

NET = f"""\
vars
    idle busy
rules
    idle >= 1 -> idle' = idle - 1, busy' = busy + 1; # {IN_A_PROGRAM}
init
    idle >= 1, busy = 0
target
    busy >= 2
"""

RUNS = [
    ["verify", "{system}"],
    ["verify", "{system}", "--evidence", "{out}.json", "--report", "{out}.html"],
    ["explore", "{system}", "--list"],
    ["inspect", "{system}"],
    ["inspect", "{system}", "--dot"],
    ["automaton", "{system}", "--thread", HOSTILE],
    ["automaton", "{system}"],
    ["convert", "{system}", "{out}.cpds"],
    ["convert", "{system}", "{out}.pds"],
    ["dataflow", "{system}", "--at", f"{NAME}|{NAME}"],
    ["report", "{system}", "-o", "{out}.html"],
    ["verify", "{program}"],
    ["verify", "{program}", "--all", "--traces", "--stacks"],
    ["explore", "{program}"],
    ["inspect", "{program}"],
    ["dataflow", "{program}", "--at", "main:5"],
    ["dataflow", "{program}", "--at", HOSTILE],
    ["format", "{program}"],
    ["format", "{program}", "--check"],
    ["report", "{program}", "-o", "{out}.html"],
    ["suite", "{folder}", "--store", "{out}.sqlite", "--html", "{out}.html"],
    ["verify", "{broken}"],
    ["verify", "{missing}"],
    ["verify", "{broken}", "--target", HOSTILE],
    ["verify", "{system}", "--target", HOSTILE],
    ["verify", "{system}", "--engine", HOSTILE],
    ["verify", "{system}", "--timeout", HOSTILE],
    ["verify", "{system}", HOSTILE],
    ["verify", f"--{HOSTILE}"],
    ["verify", "{system}", "--evidence", "{folder}"],
    ["verify", "{system}", "--reach", HOSTILE],
    ["verify", "{system}", "--property", HOSTILE],
    ["verify", "{program}", "--unreachable", HOSTILE],
    ["verify", "{program}", "--threads", HOSTILE],
    ["check", "{system}", "{broken}"],
    ["check", "{system}", "{evidence}"],
    ["check", "{net}", "{evidence}"],
    ["verify", "{net}"],
    ["verify", "{net}", "--evidence", "{out}.json"],
    ["watch", "{program}"],
    ["watch", "{program}", "--predicate", IN_A_PROGRAM],
    ["watch", "{program}", "--predicate", HOSTILE],
    ["weigh", "{weights}"],
    ["weigh", "{weights}", "--post"],
    ["weigh", "{broken}"],
    ["weigh", "{missing}"],
    ["suite", "{missing}"],
    ["suite", "{folder}", "--only", HOSTILE, "--store", "{out}.sqlite"],
    ["suite", "--compare", HOSTILE, HOSTILE],
    [HOSTILE],
]


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Files whose names are as hostile as what is in them."""
    folder = tmp_path_factory.mktemp("hostile") / IN_A_PATH
    folder.mkdir()
    texts = {
        "system": ("cpds", SYSTEM),
        "program": ("bp", PROGRAM),
        "broken": ("cpds", f"{NAME}"),
        "weights": ("json", WEIGHTS),
        "net": ("spec", NET),
        "evidence": ("json", ""),
    }
    found = {"folder": str(folder), "out": str(folder.parent / f"{IN_A_PATH}out")}
    for name, (suffix, text) in texts.items():
        path = folder / f"{name}{IN_A_PATH}.{suffix}"
        path.write_text(text, encoding="utf-8")
        found[name] = str(path)
    found["missing"] = str(folder / f"systen{IN_A_PATH}.cpds")
    assert call("verify", found["system"], "--evidence", found["evidence"]).code == 1
    return found


def filled(arguments: list[str], places: dict[str, str]) -> list[str]:
    """The arguments, with the names of files in place of `{system}` and the like."""
    for name, path in places.items():
        arguments = [each.replace(f"{{{name}}}", path) for each in arguments]
    return arguments


def assert_harmless(text: str) -> None:
    """Nothing but lines of printable text, none of them forged."""
    for line in text.split("\n"):
        assert line.isprintable(), ascii(line)
        assert not line.startswith(FORGED), line


@pytest.mark.parametrize("arguments", RUNS, ids=lambda arguments: " ".join(map(ascii, arguments)))
def test_no_command_prints_what_a_name_says(arguments: list[str], places: dict[str, str]) -> None:
    seen = on_a_terminal(*filled(arguments, places), terminal="both", size=(4000, 50))
    assert seen.code != 5, seen.written
    assert_harmless(OURS.sub("", seen.written.replace("\r\n", "\n")))


def test_colours_in_a_name_are_no_colours(tmp_path: Path) -> None:
    (tmp_path / "a.cpds").write_text(SYSTEM, encoding="utf-8")
    seen = on_a_terminal("verify", str(tmp_path / "a.cpds"), terminal="both")
    assert "\x1b[" in seen.written
    assert "\x1b[31m\x1b[2J" not in seen.written
    assert r"\x1b[31m\x1b[2J" in seen.written


def test_what_other_programs_read_has_the_names_as_they_are(tmp_path: Path) -> None:
    (tmp_path / "a.cpds").write_text(SYSTEM, encoding="utf-8")
    found = call("inspect", "a.cpds", "--json", cwd=tmp_path).json
    assert found["threads"] == [f"{HOSTILE}.1", f"{HOSTILE}.2", "other"]
    assert call("convert", "a.cpds", "b.cpds", cwd=tmp_path).code == 0
    assert _loaded(tmp_path / "b.cpds").shared == _loaded(tmp_path / "a.cpds").shared
    assert call("verify", "a.cpds", "--evidence", "e.json", cwd=tmp_path).code == 1
    evidence = json.loads((tmp_path / "e.json").read_text(encoding="utf-8"))
    assert evidence["initial"]["shared"] == HOSTILE
    assert call("check", "a.cpds", "e.json", cwd=tmp_path).code == 0


def test_pages_and_pictures_show_names_as_escapes(tmp_path: Path) -> None:
    (tmp_path / "a.cpds").write_text(SYSTEM, encoding="utf-8")
    assert call("report", "a.cpds", "-o", "a.html", cwd=tmp_path).code == 1
    assert call("inspect", "a.cpds", "--svg", "a.svg", cwd=tmp_path).code == 0
    for name in ("a.html", "a.svg"):
        text = (tmp_path / name).read_text(encoding="utf-8")
        assert r"\u202e" in text
        assert not set(text) & set("\x1b\x85\x9b\u202e\u200b\u2028\u2066\ufeff\x7f"), name


def _loaded(path: Path) -> tepui.System:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return tepui.load_system(path)


NAMES = st.text(st.characters(codec="utf-8"), min_size=1)


@given(st.text(st.characters()))
def test_whatever_is_printable_is_one_line_without_controls(text: str) -> None:
    assert printable(text).isprintable()
    assert printable(text) == text or not text.isprintable()
    assert printable(text, kept="\n").replace("\n", "").isprintable()


@given(st.lists(NAMES, min_size=1), st.integers(10, 100))
def test_painted_lines_have_no_colours_but_ours(names: list[str], width: int) -> None:
    lines = wrapped([(name, "unsafe") for name in names], width, 2, lambda text, _: f"<{text}>")
    assert all(isinstance(line, Painted) and line.isprintable() for line in lines)
    assert joined([*names, *lines]).count("\n") == len(names) + len(lines) - 1


@given(NAMES)
def test_a_picture_holds_every_name(name: str) -> None:
    drawn = graph_svg(Graph(name, (Node("a", name, title=name),)))
    assert all(line.isprintable() for line in drawn.replace("\t", "").split("\n"))


@settings(max_examples=50, deadline=None)
@given(NAMES, NAMES)
def test_any_name_is_only_shown_and_can_be_read_again(one: str, other: str) -> None:
    text = f"initial {write_name(one)}\nthread T {{\nstack {write_name(other)}\n}}\n"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        system = tepui.loads(text, "cpds", name=other)
        again = tepui.loads(write_cpds(system), "cpds", name=other)
    assert (again.shared, again.templates) == (system.shared, system.templates)
    for text in (str(system), str(tepui.explore(system)), str(tepui.dataflow(system, other))):
        assert all(line.isprintable() for line in text.split("\n"))


@given(NAMES, NAMES)
def test_an_error_says_nothing_but_its_lines(source: str, line: str) -> None:
    error = tepui.InputError(source, 1, len(line), f"found '{line}'", line)
    shown = str(error).split("\n")
    assert len(shown) == 3
    assert all(each.isprintable() for each in shown)
    assert str(tepui.UsageError(f"{source}: {line}")).isprintable()
