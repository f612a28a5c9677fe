"""`tepui suite`: tasks are run as they say, judged, kept, and not run twice."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from support.cli import call
from support.samples.suites import (
    COUNTS,
    ENDLESS,
    EXPLORED,
    FOREVER,
    SAFE,
    UNSAFE,
    outcome,
    write_suite,
)
from support.terminals import on_a_terminal
from tepui.suite.store import open_to_write

pytestmark = pytest.mark.xdist_group("judged")
"""The suite is run once."""


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which a suite with every kind of task was run: the store `s` is there."""
    folder = tmp_path_factory.mktemp("judged")
    write_suite(
        folder / "models",
        {
            "right": (UNSAFE, "unsafe"),
            "alarm": (UNSAFE, "safe"),
            "proof": (SAFE, "unsafe"),
            "counted": (EXPLORED, COUNTS),
            "miscounted": (EXPLORED, "k=1 visible=4 global=3"),
            "broken": ("initial\n", "safe"),
            "free": (SAFE, "unknown"),
        },
    )
    (folder / "out").write_text(call("suite", "models", "--store", "s", cwd=folder).out)
    return folder


def test_every_task_is_judged_against_what_was_expected(judged: Path) -> None:
    done = call("suite", "models", "--store", "s", "--json", cwd=judged)
    assert (done.code, done.err) == (1, "")
    found = {each["task"]: (each["judgement"], each["answer"]) for each in done.json["outcomes"]}
    assert found == {
        "models/right": ("correct", "unsafe"),
        "models/alarm": ("wrong alarm", "unsafe"),
        "models/proof": ("wrong proof", "safe"),
        "models/counted": ("correct", "collapsed"),
        "models/miscounted": ("wrong counts", "collapsed"),
        "models/broken": ("failed", "error"),
        "models/free": ("no expectation", "safe"),
    }
    for each in done.json["outcomes"]:
        assert each["seconds"] > 0
        if each["judgement"] == "failed":
            assert "broken.cpds:1:8: expected a shared state" in each["detail"]
            assert each["peak_memory_bytes"] is None
        else:
            assert each["peak_memory_bytes"] > 2**20
            assert each["checked"] is (None if each["answer"] == "collapsed" else True)


def test_each_task_is_a_line_and_what_is_wrong_is_loud(judged: Path) -> None:
    lines = (judged / "out").read_text().splitlines()
    tasks = [line.split("MiB  ")[1].split(":")[0] for line in lines if "MiB  " in line]
    assert tasks == [
        f"models/{name}"
        for name in ("right", "alarm", "proof", "counted", "miscounted", "broken", "free")
    ]
    assert lines[len(tasks)] == (
        "7 tasks: 2 correct, 1 no expectation, 1 failed, "
        "1 WRONG COUNTS, 1 WRONG ALARM, 1 WRONG PROOF"
    )
    assert "  WRONG     models/alarm: unsafe, but safe was expected" in lines
    assert "  WRONG     models/proof: safe, but unsafe was expected" in lines
    assert any(line.startswith("WRONG PROOF     safe ") for line in lines)
    assert "  kept      in s, run 1" in lines


def test_what_is_done_is_not_run_again(judged: Path) -> None:
    done = call("suite", "models", "--store", "s", cwd=judged)
    assert done.code == 1
    assert "MiB  " not in done.out
    assert "  kept      in s, run 1; 7 done before\n" in done.out


def test_what_has_no_verdict_can_be_tried_again(judged: Path) -> None:
    some = ("--only", "broken", "--only", "right")
    done = call("suite", "models", "--store", "s", "--retry", *some, cwd=judged)
    assert done.code == 3
    assert re.findall(r"MiB  (\S+):", done.out) == ["models/broken"]
    assert "  kept      in s, run 1; 1 done before\n" in done.out


def test_a_part_of_the_tasks_can_be_chosen(judged: Path) -> None:
    done = call("suite", "models", "--store", "s", "--only", "r*t", "--only", "cou", cwd=judged)
    assert done.code == 1
    assert done.out.startswith("3 tasks: 2 correct, 1 WRONG COUNTS\n")
    none = call("suite", "models", "--store", "s", "--only", "zzz", cwd=judged)
    assert (none.code, none.out) == (2, "")
    assert "--only zzz: no task has such a name; there are 7" in none.err


def test_other_options_are_another_run_and_are_passed_on(tmp_path: Path) -> None:
    write_suite(tmp_path / "m", {"a": (SAFE, "safe"), "e": (EXPLORED, COUNTS)})
    options = ("--engine", "delay", "--z", "off", "--no-check", "--rounds", "2", "--delays", "0")
    done = call("suite", "m", "--json", *options, cwd=tmp_path)
    assert done.code == 3
    a, e = done.json["outcomes"]
    assert (a["answer"], a["engine"]) == ("bounded", "delay")
    assert e["answer"] == "unknown"
    assert done.json["settings"]["options"] == {
        "verify": [
            "--engine",
            "delay",
            "--rounds",
            "2",
            "--delays",
            "0",
            "--z",
            "off",
            "--no-check",
        ],
        "explore": ["--engine", "delay", "--rounds", "2", "--delays", "0", "--z", "off"],
    }
    other = call("suite", "m", "--json", "--contexts", "0", cwd=tmp_path)
    assert (other.code, other.json["run"]) == (3, "2")
    assert other.json["settings"]["options"] == {
        "verify": ["--contexts", "0"],
        "explore": ["--max-contexts", "0"],
    }
    assert [each["answer"] for each in other.json["outcomes"]] == ["bounded", "collapsed"]
    compared = call("suite", "--compare", "1", "2", cwd=tmp_path)
    assert compared.code == 0
    assert compared.out.splitlines() == [
        "tepui-suite.sqlite:1 -> tepui-suite.sqlite:2: 2 tasks, 1 better, 1 same",
        *(line for line in compared.out.splitlines() if line.startswith("  better        m/e: ")),
    ]


def test_a_task_whose_files_have_changed_is_run_again(tmp_path: Path) -> None:
    write_suite(tmp_path / "m", {"a": (SAFE, "safe"), "b": (SAFE, "safe")})
    assert call("suite", "m", cwd=tmp_path).code == 0
    (tmp_path / "m" / "a.cpds").write_text(UNSAFE)
    done = call("suite", "m", cwd=tmp_path)
    assert done.code == 1
    assert re.findall(r"MiB  (\S+):", done.out) == ["m/a"]
    assert "; 1 done before" in done.out


def test_another_expectation_changes_the_judgement_but_runs_nothing(tmp_path: Path) -> None:
    write_suite(tmp_path / "m", {"a": (SAFE, "safe")})
    quiet = call("suite", "m", "--quiet", cwd=tmp_path)
    assert (quiet.code, quiet.err) == (0, "")
    assert quiet.out.startswith("1 task: 1 correct\n")
    write_suite(tmp_path / "m", {"a": (SAFE, "unsafe")})
    done = call("suite", "m", cwd=tmp_path)
    assert done.code == 1
    assert "MiB  " not in done.out
    compared = call("suite", "--compare", "1", "tepui-suite.sqlite:1", "--json", cwd=tmp_path)
    (task,) = compared.json["tasks"]
    assert (task["kind"], task["new"]["judgement"]) == ("same", "wrong proof")


def test_a_comparison_of_two_versions_of_tepui_names_them(tmp_path: Path) -> None:
    for name, version in (("s", "1.0"), ("t", "1.1")):
        with open_to_write(tmp_path / name) as store:
            store.keep(store.begin(None, "{}", version), outcome("a", "safe"))
    compared = call("suite", "--compare", "s", "t", cwd=tmp_path)
    assert compared.out == "s:1 (tepui 1.0) -> t:1 (tepui 1.1): 1 task, 1 same\n"


def test_again_makes_a_new_run_or_replaces_a_named_one(tmp_path: Path) -> None:
    write_suite(tmp_path / "m", {"a": (SAFE, "safe")})
    assert call("suite", "m", "--json", cwd=tmp_path).json["run"] == "1"
    assert call("suite", "m", "--json", "--again", cwd=tmp_path).json["run"] == "2"
    (tmp_path / "m" / "a.cpds").write_text(UNSAFE)
    named = ("suite", "m", "--run", "1", "--json")
    assert call(*named, "--again", cwd=tmp_path).json["outcomes"][0]["answer"] == "unsafe"
    compared = call("suite", "--compare", "2", "1", cwd=tmp_path)
    assert "  changed input m/a: safe" in compared.out


def test_limits_are_passed_on_and_hold(tmp_path: Path) -> None:
    write_suite(tmp_path / "m", {"endless": (ENDLESS, "safe")})
    limits = ("--timeout", "0.5", "--jobs", "2")
    done = call("suite", "m", *limits, *FOREVER, "--json", cwd=tmp_path)
    assert done.code == 3
    (late,) = done.json["outcomes"]
    assert late["answer"] == "timeout"
    assert late["detail"] == "the time limit of 0.5 s was reached"
    assert late["seconds"] >= 0.5
    done = call("suite", "m", "--memory", "40M", *FOREVER, "--json", cwd=tmp_path)
    assert [each["answer"] for each in done.json["outcomes"]] == ["out of memory"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "name a folder with tasks, or two runs with --compare"),
        (["nowhere"], "nowhere: "),
        (["empty"], "empty: there is no task definition, manifest or model in this folder"),
        (["m", "--timeout", "soon"], "--timeout soon: expected a time"),
        (["m", "--memory", "much"], "--memory much: expected a size"),
        (["m", "--z", "best"], "--z best"),
        (["m", "--engine", "delay", "--contexts", "2"], "--contexts counts contexts"),
        (["m", "--run", ""], "--run: expected a name that can be printed on one line"),
        (["m", "--run", "\udcff"], "--run: expected a name that can be printed on one line"),
        (["m", "--store", "/dev/null"], "/dev/null: this is a device; a store is a file"),
        (["m", "--jobs", "0"], "Invalid value for '--jobs'"),
        (["m", "--html", "empty"], "empty: nothing can be written there: Is a directory"),
        (["m", "--html", "no/t.html"], "nothing can be written there: No such file"),
        (["m", "--html", "m/a.cpds"], "its name says that it is a model"),
        (["m", "--junit", "s", "--store", "s"], "s: nothing can be written there: this is the st"),
        (["m", "--store", "m/a.cpds"], "a.cpds: this file is no store of tepui; nothing was"),
        (["m", "--compare", "1", "2"], "--compare runs nothing, so it takes no DIR"),
        (["--compare", "1", "2"], "--compare 1: there is no such file, and no store"),
        (["--compare", "m/a.cpds", "2"], "a.cpds: this file is no store of tepui"),
        (["--compare", "1", "2", "--junit", "x"], "--junit is about one run"),
        (["m", "twin/m"], "two tasks are called m/a: "),
    ],
)
def test_wrong_use_is_a_sentence_and_leaves_no_store(
    arguments: list[str], said: str, tmp_path: Path
) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "twin").mkdir()
    for place in ("m", "twin/m"):
        write_suite(tmp_path / place, {"a": (SAFE, "safe")})
    done = call("suite", *arguments, cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert said in done.err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["empty", "m", "twin"]
    assert (tmp_path / "m" / "a.cpds").read_text() == SAFE


def test_on_a_terminal_a_bar_counts_and_names_what_is_running(tmp_path: Path) -> None:
    folder = str(write_suite(tmp_path / "m", {"[b]a": (SAFE, "unsafe"), "b": (UNSAFE, "unsafe")}))
    seen = on_a_terminal("suite", folder, "--store", str(tmp_path / "s"))
    assert seen.code == 1
    assert "2/2" in seen.text  # Between the two tasks it is drawn only if there is time for it.
    assert "1 WRONG PROOF" in seen.text
    assert re.search(r" s  m/\[b\]a", seen.text)
    assert seen.left() == [""]
    assert seen.out.count("MiB  m/") == 2


def test_lines_go_above_the_bar_where_both_are_one_terminal(tmp_path: Path) -> None:
    folder = str(write_suite(tmp_path / "m", {"a": (SAFE, "unsafe"), "b": (UNSAFE, "unsafe")}))
    args = ("suite", folder, "--store", str(tmp_path / "s"))
    seen = on_a_terminal(*args, terminal="both")
    first, second, *rest = seen.left()
    assert first.startswith("WRONG PROOF     safe ")
    assert second.startswith("correct         unsafe ")
    assert rest[0] == "2 tasks: 1 correct, 1 WRONG PROOF"
    assert "\x1b[1;31mWRONG PROOF" in seen.written
    only = ("--again", "--only", "a")
    plain = on_a_terminal(*args, *only, "--no-color", terminal="both")
    assert plain.left()[1] == "1 task: 1 WRONG PROOF"
    assert not re.search(r"\x1b\[[\d;]*3[1-7]", plain.written)


HOSTILE = [
    "<img src=x onerror=document.title='owned'>",
    "-dash --json",
    "new\nline ünï 日本 [red]x \u202egnp.exe quote'\"; DROP TABLE run; --",
    "x" * 230 + b"bytes\xff".decode("utf-8", "surrogateescape"),
]


def test_hostile_names_upset_nothing(tmp_path: Path) -> None:
    models = tmp_path / "m"
    models.mkdir()
    for name in HOSTILE:
        (models / f"{name}.cpds").write_text(SAFE)
    files = ("--html", "../t.html", "--junit", "../j.xml", "--store", "../s")
    done = call("suite", ".", "--jobs", "2", *files, cwd=models)
    assert done.code == 0, done.out
    lines = [line for line in done.out.splitlines() if "MiB  " in line]
    assert len(lines) == len(HOSTILE)
    assert all(line.isprintable() for line in done.out.splitlines())
    assert any(r"m/new\nline" in line for line in lines)
    page = (tmp_path / "t.html").read_text(encoding="utf-8")
    assert "<img" not in page
    assert "m/&lt;img src=x" in page
    assert 'href="m/-dash%20--json.cpds"' in page
    again = call("suite", ".", "--json", "--store", "../s", cwd=models)
    assert again.json["answers"] == {"safe": len(HOSTILE)}
