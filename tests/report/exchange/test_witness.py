"""Witnesses: they fit the schema, follow the trace, and their invariants hold by brute force."""

from __future__ import annotations

import dataclasses
import re
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator, FormatChecker

import tepui
from support.cli import DEADLOCKING, call
from support.oracles.programs import explore
from support.places import EXAMPLES
from support.schemas import schema
from tepui.errors import UsageError
from tepui.languages import loads
from tepui.program.layout import variable_cells
from tepui.program.program import Program
from tepui.report.exchange.witness import witness
from tepui.report.report_input import ReportInput
from tepui.result import Grounds

SCHEMA = schema("witness")
VALIDATOR = Draft202012Validator(SCHEMA, format_checker=FormatChecker())


def entry(data: ReportInput) -> Any:
    """The one entry of a witness; it fits the schema."""
    entries = yaml.safe_load(witness(data))
    assert list(VALIDATOR.iter_errors(entries)) == []
    return entries[0]


def told_about(file: Path, *questions: Any, **options: Any) -> ReportInput:
    program = tepui.load(file)
    assert isinstance(program, Program)
    asked = [question(program) for question in questions] or None
    result = tepui.verify(program, asked, tepui.Options(**options))
    return ReportInput("verify", program, file, (result,), arguments=("verify", str(file)))


def program(folder: Path, text: str) -> Path:
    (folder / "a.bp").write_text(text, encoding="utf-8")
    return folder / "a.bp"


def waypoints(found: Any) -> list[Any]:
    return [each["waypoint"] for segment in found["content"] for each in segment["segment"]]


def test_a_violation_without_a_trace_has_no_witness() -> None:
    told = told_about(EXAMPLES / "bluetooth1.bp", check=False)
    untold = dataclasses.replace(told.results[0], grounds=Grounds(lambda: None))
    told = dataclasses.replace(told, results=(untold,))
    with pytest.raises(UsageError, match="there is no trace for a witness"):
        witness(told)


def test_the_metadata_names_the_task_and_what_made_the_witness() -> None:
    file = EXAMPLES / "bluetooth1.bp"
    metadata = entry(told_about(file))["metadata"]
    digest = sha256(file.read_bytes()).hexdigest()
    assert metadata["task"] == {
        "input_files": [str(file)],
        "input_file_hashes": {str(file): digest},
        "specification": "G assert",
        "data_model": "ILP32",
        "language": "BP",
    }
    assert metadata["producer"]["command_line"] == f"tepui verify {file}"


def test_a_violation_is_told_in_the_order_of_its_trace() -> None:
    found = waypoints(entry(told_about(EXAMPLES / "bluetooth1.bp")))
    places = [(each["thread_id"], each["type"], each["location"]["line"]) for each in found]
    assert places == [
        (0, "function_enter", 38),
        (0, "branching", 22),
        (1, "assumption", 46),
        (1, "function_enter", 47),
        (1, "assumption", 29),
        (1, "assumption", 30),
        (1, "assumption", 31),
        (1, "branching", 33),
        (1, "assumption", 33),
        (1, "assumption", 48),
        (1, "assumption", 49),
        (0, "assumption", 23),
        (0, "assumption", 24),
        (0, "function_return", 38),
        (0, "branching", 39),
        (0, "target", 40),
    ]
    ways = [each["constraint"]["value"] for each in found if each["type"] == "branching"]
    assert ways == ["false", "true", "true"]
    assert found[2]["constraint"]["value"] == (
        "pendingIo == 1 && stoppingFlag == 0 && stoppingEvent == 0 && stopped == 0"
    )
    assert found[4]["constraint"]["value"] == "stoppingFlag == 1"
    assert found[13]["constraint"] == {"value": "\\result == 1", "format": "ext_c_expression"}
    line = (EXAMPLES / "bluetooth1.bp").read_text(encoding="utf-8").splitlines()[37]
    assert line[found[0]["location"]["column"] - 1] == ")"


@pytest.mark.parametrize("name", ["bluetooth1", "bluetooth2", "flip", "irp-cancellation"])
def test_every_assumption_holds_where_it_stands(name: str) -> None:
    """Compared with the trace as JSON has it, change by change."""
    done = call("verify", str(EXAMPLES / f"{name}.bp"), "--json")
    trace = done.json["trace"]
    values, states = dict(trace["initial"]), []
    for step in (step for context in trace["contexts"] for step in context["steps"]):
        states.append((step["line"], step["column"], dict(values)))
        values |= {key: to["to"] for key, to in step["changes"].items()}
    place = 0
    for each in waypoints(entry(told_about(EXAMPLES / f"{name}.bp"))):
        if each["type"] == "assumption":
            where = (each["location"]["line"], each["location"]["column"])
            while states[place][:2] != where:
                place += 1
            known = re.findall(r"(\S+) == (\S+)", each["constraint"]["value"])
            assert all(states[place][2][key] == value for key, value in known)
            place += 1


BRANCHING = {
    "braces": """\
        decl a := 0;
        decl b := 1;
        void f() {
            if (a) skip; else if (b) { if (!b) skip; else { while (!a) { a := 1; } } }
            assert(!a);
        }
        void main() { thread_create(f, 1); }
    """,
    "begin and end": """\
        decl a, b;
        void main() begin
            a, b := F, T;
            if (a) then skip; else
                if (b) then
                    if (!b) then skip; else while (!a) do a := T; od fi
                fi
            fi
            assert(!a);
        end
    """,
}


@pytest.mark.parametrize("syntax", BRANCHING)
def test_a_branch_is_taken_as_its_condition_says(tmp_path: Path, syntax: str) -> None:
    found = waypoints(entry(told_about(program(tmp_path, BRANCHING[syntax]))))
    ways = [each["constraint"]["value"] for each in found if each["type"] == "branching"]
    assert ways == ["false", "true", "false", "true", "false"]


def test_a_hidden_global_variable_is_not_named(tmp_path: Path) -> None:
    text = "decl x := 0;\nvoid f() { decl x; x := 1; assert(!x); }\n"
    text += "void g() { skip; x := 1; skip; }\n"
    text += "void main() { thread_create(f, 1); thread_create(g, 1); }\n"
    file = program(tmp_path, text)
    found = waypoints(entry(told_about(file)))
    assert {each["constraint"]["value"] for each in found if "constraint" in each} == {"1"}


def test_the_target_is_the_place_that_was_reached(tmp_path: Path) -> None:
    text = "decl x := 0;\nvoid f() {\n    x := 1;\n    L: skip;\n}\n"
    file = program(tmp_path, text + "void main() { thread_create(f, 2); }\n")
    found = entry(told_about(file, lambda p: tepui.unreachable(p, "L")))
    assert found["metadata"]["task"]["specification"] == "G ! label(L)"
    target = waypoints(found)[-1]
    assert (target["type"], target["location"]["line"]) == ("target", 4)
    found = entry(told_about(file, lambda p: tepui.unreachable(p, "f()")))
    assert found["metadata"]["task"]["specification"] == "G ! call(f())"
    assert waypoints(found)[-1]["location"]["line"] == 3


def test_a_deadlock_has_a_target_for_each_thread(tmp_path: Path) -> None:
    text = (
        "decl a := 0;\ndecl b := 0;\nvoid f() { wait(a); b := 1; }\nvoid g() { wait(b); a := 1; }\n"
    )
    file = program(tmp_path, text + "void main() { thread_create(f, 1); thread_create(g, 1); }\n")
    found = entry(told_about(file, lambda _: tepui.deadlock()))
    assert found["metadata"]["task"]["specification"] == "G ! deadlock"
    last = [each["waypoint"] for each in found["content"][-1]["segment"]]
    assert [(each["thread_id"], each["location"]["line"]) for each in last] == [(0, 3), (1, 4)]


def test_a_violation_is_of_what_is_violated_and_a_proof_of_all_that_was_asked() -> None:
    asked = (lambda _: tepui.deadlock(), lambda p: tepui.assertions(p)[0])
    found = entry(told_about(EXAMPLES / "bluetooth1.bp", *asked))
    assert found["metadata"]["task"]["specification"] == "G assert"
    path = EXAMPLES / "bluetooth-repaired.bp"
    found = entry(told_about(path, *asked, lambda p: tepui.assertions(p)[1]))
    assert found["metadata"]["task"]["specification"] == "(G ! deadlock) && (G assert)"
    with pytest.raises(UsageError, match="only some were asked for"):
        witness(told_about(path, *asked))


def test_forked_threads_are_numbered_after_the_others() -> None:
    found = waypoints(entry(told_about(EXAMPLES / "fork-second-worker.bp")))
    assert {each["thread_id"] for each in found} > {0}
    assert found[-1]["type"] == "target"


SAFE = """\
decl x: int 0..3 := 0;
decl a: bool[2];
decl busy := 0;
void f(i) {
    decl x;
    x := i;
    while (*) {
        atomic { wait(!busy); busy := 1; }
        a[0] := x;
        assert(busy);
        busy := 0;
    }
    if (busy & !busy) { dead: busy := 1; }
}
void g() {
    while (x < 2)
        x := x + 1;
    x := 3;
    assert(x > 2);
}
void run() { f(1); }
void main() { thread_create(run, 1); thread_create(g, 1); }
"""
"""A hidden global variable, an array, an atomic section, a place that no thread reaches."""


def test_invariants_are_stated_at_loops_and_places(tmp_path: Path) -> None:
    content = entry(told_about(program(tmp_path, SAFE)))["content"]
    stated = {each["invariant"]["location"]["line"]: each["invariant"] for each in content}
    assert stated[13]["value"] == "0"
    assert stated[16]["type"] == "loop_invariant"
    assert stated[10]["type"] == "location_invariant"
    assert "x == 3" in stated[19]["value"]
    inside = [each["invariant"] for each in content if each["invariant"]["location"]["line"] == 8]
    assert [each["location"]["column"] for each in inside] == [9]
    assert "busy == 1" in stated[10]["value"]


def test_an_invariant_names_the_local_variable_and_not_the_hidden_one(tmp_path: Path) -> None:
    text = "decl x, y;\nvoid f() {\n    decl x;\n    x := 1;\n    y := x;\n    assert(x);\n}\n"
    file = program(tmp_path, text + "void main() { thread_create(f, 1); }\n")
    content = entry(told_about(file))["content"]
    assert [each["invariant"]["value"] for each in content] == ["x == 1"]


LOCKED = """\
decl atomic, a;
void init() begin a := F; endinit: skip; end
void thread1() begin while * do atomic := T; a := T; a := F; atomic := F; od end
void main() begin L: assume(!a); check(); goto L; end
void check() begin assert(!a); return; end
"""


@pytest.mark.parametrize("fusion", [True, False])
def test_invariants_hold_also_while_another_thread_has_the_scheduler_lock(
    tmp_path: Path, fusion: bool
) -> None:
    """A thread rests at line 4 while the other one changes `a`."""
    told = told_about(program(tmp_path, LOCKED), fusion=fusion)
    content = entry(told)["content"]
    stated = {each["invariant"]["location"]["line"]: each["invariant"] for each in content}
    assert 4 not in stated if fusion else "a == 1" in stated[4]["value"]


@pytest.mark.parametrize("name", ["", "peterson", "dekker"])
@pytest.mark.parametrize(
    "options",
    [{}, {"strengths": ()}, {"fusion": False}],
    ids=["by Z", "by a collapse", "without fusion"],
)
def test_every_invariant_holds_in_every_reachable_state(
    tmp_path: Path, name: str, options: dict[str, Any]
) -> None:
    file = EXAMPLES / f"{name}.bp" if name else program(tmp_path, SAFE)
    told = told_about(file, **options)
    content = entry(told)["content"]
    assert len(content) >= 2
    checked = _broken_invariants(told.model, content)
    assert checked == []


def _broken_invariants(model: Any, content: list[Any]) -> list[str]:
    """Those that a state of the naive interpreter violates."""
    by_place: dict[tuple[int, int], str] = {}
    for each in content:
        where = each["invariant"]["location"]
        by_place[where["line"], where["column"]] = each["invariant"]["value"]
    findings = explore(model, contexts=40, most=20000)
    assert findings.collapsed
    broken, met = [], 0
    for state in findings.rounds[-1]:
        for stack in filter(None, state.stacks):
            procedure = model.procedures[stack[-1].procedure]
            location = procedure.locations[stack[-1].location]
            value = by_place.get((location.position.line, location.position.column))
            if location.text and value is not None:
                met += 1
                names = {
                    **_named(model.globals, state.globals),
                    **_named(procedure.variables, stack[-1].values),
                }
                if not _holds(value, names):
                    broken.append(f"{location.position}: {value} in {names}")
    assert met > 10
    return broken


def _named(variables: Any, values: Any) -> dict[str, Any]:
    """Variables by name, arrays as lists."""
    found: dict[str, Any] = {}
    for variable, own in zip(variables, values, strict=True):
        single = len(variable_cells(variable)) == 1 and "[" not in variable_cells(variable)[0].name
        found[variable.name] = own[0] if single else list(own)
    return found


def _holds(expression: str, names: dict[str, Any]) -> bool:
    python = expression.replace("&&", " and ").replace("||", " or ")
    return bool(eval(python, {"__builtins__": {}}, names))


def test_a_wrong_invariant_would_be_noticed(tmp_path: Path) -> None:
    told = told_about(program(tmp_path, SAFE))
    content = entry(told)["content"]
    for each in content:
        each["invariant"]["value"] = f"({each['invariant']['value']}) && busy == 0"
    assert _broken_invariants(told.model, content)


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        (["d.cpds"], "a pushdown system has none"),
        (["{bluetooth}", "--timeout", "0"], "there is no witness for «unknown»"),
        (["{bluetooth}", "--contexts", "1"], "there is no witness for «bounded»"),
        (["{bluetooth}", "--never-together", "40", "49"], "no property file can say"),
        (["{bluetooth}", "--all", "--property", "deadlock", "--property", "assertions"], "--all"),
    ],
)
def test_where_there_is_no_witness_a_sentence_says_why(
    tmp_path: Path, args: list[str], sentence: str
) -> None:
    (tmp_path / "d.cpds").write_text(DEADLOCKING, encoding="utf-8")
    words = [word.format(bluetooth=EXAMPLES / "bluetooth1.bp") for word in args]
    done = call("verify", *words, "--witness", "w.yml", cwd=tmp_path)
    assert sentence in done.err
    assert done.out
    assert not (tmp_path / "w.yml").exists()


def test_a_program_without_a_file_has_no_witness() -> None:
    text = "decl x;\nvoid f() { assert(x); }\nvoid main() { thread_create(f, 1); }\n"
    model = loads(text, "bp").model
    with pytest.raises(UsageError, match="was not read"):
        witness(ReportInput("verify", model, None, (tepui.verify(model),)))
