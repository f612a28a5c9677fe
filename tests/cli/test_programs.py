"""Programs through the command line: questions, answers, evidence, colours."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import tepui
from support.cli import FIGURE4, TEPUI, call, files, run
from support.samples.program_texts import CREATING, QUESTIONS, RACE, SAFE, STUCK
from support.schemas import schema

SCHEMA = schema("result")
VALIDATOR = Draft202012Validator(SCHEMA)

LOCKED = """\
decl atomic;
decl x;
void init() begin atomic := F; x := F; end
void main() begin x := T; assert(x); end
void thread1() begin x := F; end
"""
GIVEN = """\
decl g: int 0..3 := 0;
void w(n: int 0..3) { g := n; assert(g = n); }
void main() { thread_create(w(1)); thread_create(w(2)); }
"""
NO_QUESTION = "void main() { skip; }\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in {
        "race.bp": RACE,
        "questions.bp": QUESTIONS,
        "creating.bp": CREATING,
        "stuck.bp": STUCK,
        "safe.bp": SAFE,
        "given.bp": GIVEN,
        "locked.bp": LOCKED,
        "asks-nothing.bp": NO_QUESTION,
        "upper.BP": SAFE,
        "numbered.nbp": LOCKED,
    }.items():
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.mark.parametrize(
    ("code", "start", "args"),
    [
        (0, "SAFE  safe.bp: no assertion can be violated", ["safe.bp"]),
        (0, "SAFE  upper.BP: no assertion can be violated", ["upper.BP"]),
        (1, "UNSAFE  race.bp: assert(x) at race.bp:19 can be violated", ["race.bp"]),
        (1, "UNSAFE  numbered.nbp: assert(x) at numbered.nbp:4", ["numbered.nbp"]),
        (0, "SAFE  race.bp: no assertion", ["race.bp", "--threads", "work=1"]),
        (1, "UNSAFE  race.bp: assert(x)", ["race.bp", "--threads", "work=3"]),
        (1, "UNSAFE  given.bp: assert(g = n)", ["given.bp", "--threads", "w(1)=3"]),
        (1, "UNSAFE  safe.bp: main:5 can be reached", ["safe.bp", "--unreachable", "main:5"]),
        (1, "UNSAFE  safe.bp: A can be reached (safe.bp:4)", ["safe.bp", "--unreachable", "A"]),
        (1, "UNSAFE  safe.bp: main:B can be reached", ["safe.bp", "--unreachable", "main:B"]),
        (1, "UNSAFE  safe.bp: safe.bp:5 can be", ["safe.bp", "--unreachable", "safe.bp:5"]),
        (0, "SAFE  safe.bp: dead is unreachable", ["safe.bp", "--unreachable", "dead"]),
        (1, "UNSAFE  race.bp: taken can be reached", ["race.bp", "--unreachable", "taken"]),
        (
            1,
            "UNSAFE  questions.bp: A and B can be reached together, with 0 contexts",
            ["questions.bp", "--never-together", "A", "B"],
        ),
        (
            0,
            "SAFE  race.bp: line 15 and line 16 are never reached together",
            ["race.bp", "--never-together", "15", "16"],
        ),
        (1, "UNSAFE  stuck.bp: there is a deadlock", ["stuck.bp", "--property", "deadlock"]),
        (0, "SAFE  safe.bp: no deadlock, for", ["safe.bp", "--property", "deadlock"]),
        (
            0,
            "SAFE  safe.bp: all 2 properties hold",
            ["safe.bp", "--property", "assertions", "--property", "deadlock"],
        ),
        (4, "BOUNDED  race.bp: no violation within 1 context", ["race.bp", "--contexts", "1"]),
        (3, "UNKNOWN  race.bp: the time limit", ["race.bp", "--timeout", "0"]),
        (0, "SAFE  safe.bp", ["safe.bp", "--z", "omega"]),
        (0, "SAFE  safe.bp", ["safe.bp", "--z", "omega-l"]),
        (0, "SAFE  safe.bp", ["safe.bp", "--z", "omega-ll"]),
        (0, "SAFE  safe.bp", ["safe.bp", "--no-liveness"]),
    ],
)
def test_verify_answers_what_is_asked_about_a_program(
    code: int, start: str, args: list[str], folder: Path
) -> None:
    done = call("verify", *args, cwd=folder)
    assert (done.code, done.err) == (code, "")
    assert done.out.startswith(start)


@pytest.mark.parametrize(
    ("args", "fragments"),
    [
        (["verify", "race.bp", "--init", "0|1"], ["--init", "main procedure"]),
        (["verify", "race.bp", "--target", "0|1"], ["--target", "--unreachable"]),
        (["explore", "race.bp", "--init", "0|1"], ["--init is for pushdown systems"]),
        (["verify", "asks-nothing.bp"], ["--unreachable", "--never-together", "--property"]),
        (["verify", "asks-nothing.bp", "--all"], ["--unreachable", "explore"]),
        (["verify", "asks-nothing.bp", "--property", "assertions"], ["has none to violate"]),
        (
            ["verify", "asks-nothing.bp", "--property", "deadlock", "--property", "assertions"],
            ["has none to violate"],
        ),
        (
            ["verify", "race.bp", "--property", "x"],
            [
                "--property x",
                "deadlock, assertions, assertion, exception, bounds, division, overflow, race",
            ],
        ),
        (["verify", "race.bp", "--unreachable", "takn"], ["takn", "did you mean 'taken'?"]),
        (["verify", "race.bp", "--unreachable", "999"], ["line 999", "nearest is on line"]),
        (["verify", "race.bp", "--never-together", "taken"], ["--never-together"]),
        (["verify", "race.bp", "--never-together", "taken", "x"], ["no label x", "never, taken"]),
        (["verify", "race.bp", "--threads", "work"], ["--threads work", "NAME=COUNT"]),
        (["verify", "race.bp", "--threads", "work=x"], ["--threads work=x", "NAME=COUNT"]),
        (["verify", "race.bp", "--threads", "work=0"], ["--threads work=0", "at least 1"]),
        (
            ["verify", "race.bp", "--threads", "work=1", "--threads", "work=2"],
            ["--threads work=2", "work=1 says otherwise"],
        ),
        (
            ["verify", "given.bp", "--threads", "w=3"],
            ["--threads w=3", "different types: w(1), w(2)"],
        ),
        (["verify", "race.bp", "--threads", "wrk=2"], ["wrk", "did you mean 'work'?"]),
        (["verify", "race.bp", "--threads", "zz=2"], ["zz", "its threads are work"]),
        (["verify", "race.bp", "--threads", "work=20000"], ["20,000", "at most 10,000"]),
        (["verify", "creating.bp", "--threads", "main=2"], ["main creates threads"]),
        (["verify", "locked.bp", "--threads", "thread1=2"], ["scheduler lock atomic"]),
        (["verify", "race.bp", "--traces"], ["--traces goes with --all"]),
        (["check", "race.bp", "race.bp"], ["race.bp:1:1: "]),
        (["convert", "race.bp", "new.bp"], ["new.bp: ", ".pds or .cpds"]),
        (
            ["convert", "creating.bp", "new.cpds", "--property", "deadlock"],
            ["creating creates threads", "deadlock"],
        ),
        (["inspect", "race.bp", "--target", "x"], ["--target"]),
        (["verify", FIGURE4, "--all"], ["--all is for programs (.bp)"]),
        (["verify", FIGURE4, "--stacks"], ["--stacks is for programs"]),
        (["verify", FIGURE4, "--no-liveness"], ["--no-liveness is for programs"]),
        (["verify", FIGURE4, "--slots", "2"], ["--slots is for programs (.bp)", "a system"]),
        (["verify", "safe.bp", "--slots", "2"], ["--slots is for programs that fork", "safe"]),
        (["verify", FIGURE4, "--unreachable", "x"], ["--unreachable", "--target"]),
        (["verify", FIGURE4, "--never-together", "x", "y"], ["--never-together", "--target"]),
        (["verify", FIGURE4, "--threads", "P1=2"], ["--threads is for programs"]),
        (["verify", FIGURE4, "--property", "assertions"], ["--property assertions", "--target"]),
        (["verify", FIGURE4, "--z", "omega-l"], ["--z omega-l is for programs"]),
        (["explore", FIGURE4, "--threads", "P1=2"], ["--threads is for programs"]),
        (["check", FIGURE4, "race.bp", "--all"], ["--all is for programs"]),
        (["convert", FIGURE4, "new.cpds", "--unreachable", "x"], ["--unreachable", "--target"]),
        (["format", FIGURE4], ["expected a program", ".bp"]),
        (["format", "locked.bp"], ["begin and end", "braces"]),
        (["format", "no.bp"], ["no.bp: there is no such file"]),
        (["format"], ["FILE"]),
        (["format", "race.bp", "--check", "--write"], ["--check and --write"]),
    ],
)
def test_what_does_not_fit_a_program_or_a_system_is_refused_by_name(
    args: list[str], fragments: list[str], folder: Path
) -> None:
    before = files(folder)
    done = call(*args, cwd=folder)
    assert (done.code, done.out) == (2, "")
    assert "error: " in done.err.lower()
    assert [fragment for fragment in fragments if fragment not in done.err] == []
    assert files(folder) == before


def test_the_warnings_of_a_program_are_shown(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tepui.languages import boolean

    read = boolean.load_program

    def odd(source: Any, overflow: bool = False) -> Any:
        program = read(source, overflow)
        object.__setattr__(program, "warnings", ("race.bp:1:1: this is odd",))
        return program

    monkeypatch.setattr(boolean, "load_program", odd)
    assert call("inspect", "race.bp", cwd=folder).err == "warning: race.bp:1:1: this is odd\n"
    with pytest.warns(UserWarning, match="this is odd"):
        tepui.load(folder / "race.bp")


def test_all_answers_every_question_by_itself(folder: Path) -> None:
    done = call("verify", "questions.bp", "--all", cwd=folder)
    assert (done.code, done.err) == (1, "")
    assert done.out.splitlines()[:3] == [
        "SAFE     assert(x) at questions.bp:5: Z (matched) has no bad state",
        "UNSAFE   assert(!x) at questions.bp:6: violated with 1 context",
        "SAFE     assert(x) at questions.bp:11: Z (matched) has no bad state",
    ]
    assert "context 1" not in done.out
    with_traces = call("verify", "questions.bp", "--all", "--traces", cwd=folder).out
    assert with_traces.count("    context 1: thread one\n") == 1
    assert "in one:6" not in with_traces
    stacks = call("verify", "questions.bp", "--all", "--traces", "--stacks", cwd=folder).out
    assert "in one:6" in stacks


@pytest.mark.parametrize(
    ("code", "args"),
    [
        (0, ["safe.bp"]),
        (1, ["questions.bp"]),
        (1, ["questions.bp", "--contexts", "1"]),
        (3, ["safe.bp", "--timeout", "0"]),
        (4, ["safe.bp", "--contexts", "1"]),
        (1, ["safe.bp", "--unreachable", "dead", "--unreachable", "A", "--contexts", "1"]),
    ],
)
def test_the_exit_code_of_all_is_that_of_the_worst_answer(
    code: int, args: list[str], folder: Path
) -> None:
    assert call("verify", *args, "--all", cwd=folder).code == code
    done = call("verify", *args, "--all", "--json", cwd=folder)
    assert done.code == code
    words = {0: "safe", 1: "unsafe", 3: "unknown", 4: "bounded"}
    assert done.json["verdict"] == words[code]


@pytest.mark.parametrize(
    ("command", "args", "code"),
    [
        ("verify", ["race.bp"], 1),
        ("verify", ["race.bp", "--all"], 1),
        ("verify", ["race.bp", "--unreachable", "taken", "--no-check"], 1),
        ("verify", ["questions.bp", "--never-together", "A", "B"], 1),
        ("verify", ["creating.bp"], 1),
        ("verify", ["stuck.bp", "--property", "deadlock", "--all"], 1),
        ("verify", ["safe.bp"], 0),
        ("verify", ["safe.bp", "--z", "omega-ll"], 0),
        ("verify", ["safe.bp", "--z", "off"], 0),
        ("verify", ["safe.bp", "--contexts", "1"], 4),
        ("verify", ["race.bp", "--timeout", "0"], 3),
        ("verify", ["race.bp", "--timeout", "0", "--all"], 3),
        ("explore", ["race.bp"], 0),
        ("explore", ["race.bp", "--list"], 0),
        ("explore", ["race.bp", "--max-contexts", "0", "--z", "off"], 3),
    ],
)
def test_answers_about_programs_fit_the_schema(
    command: str, args: list[str], code: int, folder: Path
) -> None:
    done = call(command, *args, "--json", cwd=folder)
    assert (done.code, done.err) == (code, "")
    VALIDATOR.validate(done.json)


def test_the_json_of_a_violation_has_source_steps(folder: Path) -> None:
    found = call("verify", "race.bp", "--json", cwd=folder).json
    assert found["violated"] == found["question"] == "assert(x) at race.bp:19"
    assert found["questions"] == [
        {
            "kind": "assertion",
            "text": "assert(x) at race.bp:19",
            "file": "race.bp",
            "line": 19,
            "verdict": "unsafe",
        }
    ]
    assert found["trace"]["initial"] == {"x": "0", "free": "1"}
    assert [context["thread"] for context in found["trace"]["contexts"]] == ["work.2", "work.1"]
    assert found["trace"]["contexts"][0]["steps"][3] == {
        "file": "race.bp",
        "line": 5,
        "column": 33,
        "procedure": "enter",
        "statement": "free := 0",
        "action": "return",
        "inside_atomic": True,
        "changes": {"free": {"from": "1", "to": "0"}},
        "stack": ["enter:5", "work:14"],
    }
    assert found["coverage_certain"] == "reached"


def test_the_json_of_a_violation_leaves_the_other_questions_open(folder: Path) -> None:
    found = call("verify", "questions.bp", "--json", cwd=folder).json
    assert [one["verdict"] for one in found["questions"]] == ["unknown", "unsafe", "unknown"]
    assert found["question"] is None


def test_the_json_of_all_has_a_result_for_each_question(folder: Path) -> None:
    found = call("verify", "questions.bp", "--all", "--json", cwd=folder).json
    assert [(one["question"], one["verdict"]) for one in found["answers"]] == [
        ("assert(x) at questions.bp:5", "safe"),
        ("assert(!x) at questions.bp:6", "unsafe"),
        ("assert(x) at questions.bp:11", "safe"),
    ]
    assert [one["trace"] is None for one in found["answers"]] == [True, False, True]
    assert [one["coverage"] for one in found["answers"]] == [None] * 3
    assert found["coverage_certain"] in ("all", "unreached")


def test_the_json_of_explore_has_the_coverage(folder: Path) -> None:
    found = call("explore", "race.bp", "--json", cwd=folder).json
    assert found["coverage_certain"] == "all"
    unreached = [one for one in found["coverage"] if not one["reached_by"]]
    assert unreached == [
        {
            "procedure": "work",
            "file": "race.bp",
            "line": 18,
            "column": 21,
            "statement": "skip",
            "labels": ["never"],
            "reached_by": [],
        }
    ]


@pytest.mark.parametrize(
    "change",
    [
        {"questions": None},
        {"coverage": None},
        {"question": 1},
        {"coverage_certain": "perhaps"},
        {"coverage_certain": None},
        {"trace": {"contexts": 2}},
        {"more": 1},
    ],
)
def test_the_schema_refuses_odd_results_about_programs(
    change: dict[str, Any], folder: Path
) -> None:
    found = call("verify", "race.bp", "--json", cwd=folder).json
    assert not VALIDATOR.is_valid(found | change)


def test_the_schema_refuses_odd_things_inside(folder: Path) -> None:
    found = call("verify", "race.bp", "--json", cwd=folder).json
    context = found["trace"]["contexts"][0]
    step = context["steps"][3]
    places = (context, step, step["changes"]["free"], found["questions"][0], found["coverage"][0])
    for place in places:
        place["odd"] = 1
        assert not VALIDATOR.is_valid(found)
        del place["odd"]
    assert VALIDATOR.is_valid(found)
    answers = call("verify", "race.bp", "--all", "--json", cwd=folder).json
    assert not VALIDATOR.is_valid(answers | {"answers": []})


def test_explore_prints_rounds_collapse_and_coverage(folder: Path) -> None:
    done = call("explore", "race.bp", cwd=folder)
    assert (done.code, done.err) == (0, "")
    assert re.search(r"^COLLAPSED  race\.bp: exactly \d+ visible states", done.out, re.M)
    assert "\ncoverage: exact\n" in done.out
    assert "\nenter: 3 of 3 statements reached\n" in done.out
    assert "  -    18  skip             not reached\n" in done.out
    assert "visible states\n" not in done.out
    listed = call("explore", "race.bp", "--list", cwd=folder).out
    assert "x=0 free=1 | work:14(mine=-), work:14(mine=-)\n" in listed


RUNS: list[list[str]] = [
    ["race.bp"],
    ["safe.bp"],
    ["safe.bp", "--no-liveness"],
    ["safe.bp", "--z", "off"],
    ["safe.bp", "--z", "omega"],
    ["race.bp", "--unreachable", "never", "--no-liveness"],
    ["creating.bp"],
    ["race.bp", "--unreachable", "taken"],
    ["race.bp", "--unreachable", "never"],
    ["race.bp", "--never-together", "15", "16"],
    ["stuck.bp", "--property", "deadlock"],
    ["safe.bp", "--property", "deadlock", "--unreachable", "dead"],
    ["race.bp", "--threads", "work=3"],
]
NOT_FOR_CHECK = {"--no-liveness", "--z", "off", "omega"}


@pytest.mark.parametrize("args", RUNS, ids=" ".join)
def test_evidence_about_a_program_is_accepted_for_what_was_asked(
    args: list[str], folder: Path
) -> None:
    done = call("verify", *args, "--evidence", "e.json", cwd=folder)
    assert done.err == "the evidence was written to e.json\n"
    asked = [arg for arg in args[1:] if arg not in NOT_FOR_CHECK]
    checked = call("check", args[0], "e.json", *asked, cwd=folder)
    assert (checked.code, checked.err) == (0, "")
    word = "violated within" if done.code else "holds for any number of contexts"
    assert checked.out.startswith(f"ACCEPTED  {word}")


def test_evidence_about_a_program_is_rejected_for_anything_else(folder: Path) -> None:
    call("verify", "race.bp", "--unreachable", "taken", "--evidence", "e.json", cwd=folder)
    for other in ([], ["--unreachable", "never"], ["--property", "deadlock"]):
        done = call("check", "race.bp", "e.json", *other, cwd=folder)
        assert done.code == 1
        assert done.out.startswith("REJECTED  the evidence is about another property: free := 0 at")


def test_evidence_about_another_program_is_rejected(folder: Path) -> None:
    call("verify", "race.bp", "--evidence", "e.json", cwd=folder)
    (folder / "race.bp").write_text(RACE.replace("return !now", "return 1"))
    done = call("check", "race.bp", "e.json", "--json", cwd=folder)
    assert (done.code, done.json["verdict"]) == (1, "rejected")
    assert "no rule of thread work" in done.json["reason"]


def test_where_nothing_is_asked_evidence_may_choose(folder: Path) -> None:
    (folder / "a.bp").write_text("void main() { skip; L: skip; }")
    call("verify", "a.bp", "--unreachable", "L", "--evidence", "e.json", cwd=folder)
    done = call("check", "a.bp", "e.json", cwd=folder)
    assert (done.code, done.out) == (
        0,
        "ACCEPTED  violated within 1 context: skip at a.bp:1 is unreachable\n",
    )


def test_all_writes_evidence_for_each_question_into_numbered_files(folder: Path) -> None:
    asked = ["--unreachable", "A", "--unreachable", "C", "--property", "deadlock", "--all"]
    done = call("verify", "questions.bp", *asked, "--evidence", "e.json", cwd=folder)
    assert done.err.splitlines() == [
        f"the evidence was written to e-{number}.json" for number in (1, 2, 3)
    ]
    for number in (1, 2, 3):
        checked = call("check", "questions.bp", f"e-{number}.json", *asked, cwd=folder)
        assert checked.code == 0, checked
    assert "A is unreachable" in call("check", "questions.bp", "e-2.json", *asked, cwd=folder).out
    without = call("check", "questions.bp", "e-2.json", *asked[:-1], cwd=folder)
    assert without.code == 1
    assert "--all takes evidence about one of them" in without.out


def test_all_says_where_there_is_no_evidence(folder: Path) -> None:
    args = ["verify", "safe.bp", "--all", "--timeout", "0", "--evidence", "e.json"]
    done = call(*args, cwd=folder)
    assert done.err == "no evidence was written to e-1.json: there is none for this answer\n"


def test_rejected_evidence_about_a_program_is_saved(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import tempfile

    from tepui.checker.programs import program_check
    from tepui.errors import EvidenceError

    def reject(*_: object, **__: object) -> None:
        raise EvidenceError("nothing convinces me")

    with monkeypatch.context() as rejecting:
        rejecting.setattr(program_check, "check_as_written", reject)
        rejecting.setattr(tempfile, "tempdir", str(folder))
        done = call("verify", "race.bp", cwd=folder)
    assert (done.code, done.out) == (5, "")
    (saved,) = folder.rglob("evidence.json")
    assert call("check", "race.bp", str(saved), cwd=folder).code == 0


def test_a_broken_program_is_refused_by_every_command(folder: Path) -> None:
    (folder / "broken.bp").write_text("void main() { x := 1; }\n")
    for args in (["verify"], ["explore"], ["inspect"], ["check", "e.json"], ["convert", "a.cpds"]):
        done = call(args[0], "broken.bp", *args[1:], cwd=folder)
        assert (done.code, done.out) == (2, "")
        assert done.err.startswith("error: broken.bp:1:15: ")


def test_colours_appear_on_a_terminal_only(folder: Path) -> None:
    assert "\x1b[" in _on_a_terminal("verify", "race.bp", cwd=folder, term="xterm")
    assert "\x1b[36m" in _on_a_terminal("verify", "race.bp", cwd=folder, term="xterm")
    assert "\x1b[32m" in _on_a_terminal("explore", "race.bp", cwd=folder, term="xterm")
    assert "\x1b" not in _on_a_terminal("verify", "race.bp", cwd=folder, term="dumb")
    assert "\x1b" not in _on_a_terminal("verify", "race.bp", cwd=folder, term="xterm", no_color="1")
    assert "\x1b" not in run("verify", "race.bp", cwd=folder, env={"TERM": "xterm"}).out


def test_no_line_of_a_report_ends_in_blanks(folder: Path) -> None:
    for args in (["verify", "race.bp", "--stacks"], ["explore", "race.bp"]):
        for line in run(*args, cwd=folder, env={"TERM": "xterm"}).out.splitlines():
            assert line == line.rstrip()


def test_a_system_is_verified_without_loading_what_only_programs_need() -> None:
    code = (
        "import sys; sys.argv = ['tepui', 'verify', sys.argv[1]]\n"
        "from tepui.cli import main\n"
        "try: main()\n"
        "except SystemExit: print(*sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, FIGURE4], capture_output=True, text=True, check=True
    )
    loaded = set(done.stdout.splitlines()[-1].split())
    assert "tepui.cli.verify" in loaded
    assert not {"tepui.languages.boolean", "tepui.subject.program_story"} & loaded


def test_two_runs_say_the_same(folder: Path) -> None:
    for args in (
        ["verify", "race.bp"],
        ["verify", "questions.bp", "--all"],
        ["explore", "race.bp"],
    ):
        texts = [
            re.sub(
                r"\d+\.\d+|\d+ MiB", "", run(*args, cwd=folder, env={"PYTHONHASHSEED": seed}).out
            )
            for seed in ("1", "2")
        ]
        assert texts[0] == texts[1]


def _on_a_terminal(*args: str, cwd: Path, term: str, no_color: str = "") -> str:
    """What a terminal for standard output gets to show."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [TEPUI, *args, "-q"],
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=subprocess.DEVNULL,
        env=os.environ | {"TERM": term, "NO_COLOR": no_color},
    ):
        os.close(theirs)
        shown = b""
        try:
            while piece := os.read(ours, 4096):
                shown += piece
        except OSError:  # How Linux says that the other side is closed.
            pass
        os.close(ours)
    return shown.decode()
