"""How answers are judged, how the output of a process is read, and how two runs are compared."""

from __future__ import annotations

import json
import os
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from support.samples.suites import SAFE, outcome, write_suite
from tepui.suite import processes
from tepui.suite.compare import Comparison, Kind, Pair, compare
from tepui.suite.outcome import Outcome, Ran, Tally
from tepui.suite.processes import Job, read_answer, run_here, run_job
from tepui.suite.selection import Settings, select
from tepui.suite.text import comparison_lines, exit_code, outcome_line, summary_lines
from tepui.tasks.task import Counts

RESULT = {
    "verdict": "safe",
    "stop": None,
    "reason": None,
    "peak_memory_bytes": 7,
    "engine": "delay",
    "resource": "contexts",
    "bound": 2,
    "visible_states": 3,
    "states": None,
    "checked": True,
}


@pytest.mark.parametrize(
    ("answer", "expected", "judgement"),
    [
        ("safe", "safe", "correct"),
        ("unsafe", "unsafe", "correct"),
        ("safe", "unsafe", "wrong proof"),
        ("unsafe", "safe", "wrong alarm"),
        ("safe", None, "no expectation"),
        ("bounded", "unsafe", "undecided"),
        ("bounded", "safe", "undecided"),
        ("unknown", "safe", "undecided"),
        ("timeout", "safe", "undecided"),
        ("out of memory", None, "undecided"),
        ("error", "safe", "failed"),
        ("crashed", "unsafe", "failed"),
    ],
)
def test_only_a_verdict_can_be_right_or_wrong(
    answer: str, expected: str | None, judgement: str
) -> None:
    assert outcome("t", answer, expected).judgement == judgement


@pytest.mark.parametrize(
    ("expected", "found", "judgement"),
    [
        (Counts(1, 3, 3), Counts(1, 3, 3), "correct"),
        (Counts(1, 3, None), Counts(1, 3, 3), "correct"),
        (Counts(1, 3, 3), Counts(None, 3, 3), "correct"),
        (Counts(1, 3, 3), Counts(2, 3, 3), "wrong counts"),
        (Counts(1, 3, 3), Counts(1, 4, 3), "wrong counts"),
        (Counts(1, 3, 3), Counts(1, 3, 4), "wrong counts"),
        (Counts(1, 3, 3), Counts(1, 3, 2), "correct"),
        (Counts(1, 3, 3), Counts(1, 3, None), "correct"),
        (None, Counts(1, 3, 3), "no expectation"),
        (Counts(), Counts(1, 3, 3), "no expectation"),
    ],
)
def test_an_exploration_is_judged_by_what_it_counts(
    expected: Counts | None, found: Counts, judgement: str
) -> None:
    assert outcome("t", "collapsed", counts=expected, found=found).judgement == judgement


def test_a_summary_names_everything_that_is_wrong() -> None:
    outcomes = [
        outcome("good", "safe", "safe"),
        outcome("proof", "safe", "unsafe"),
        outcome("alarm", "unsafe", "safe"),
        outcome("late", "timeout"),
    ]
    lines = summary_lines(outcomes)
    assert lines == [
        "4 tasks: 1 correct, 1 undecided, 1 WRONG ALARM, 1 WRONG PROOF",
        "  WRONG     proof: safe, but unsafe was expected",
        "  WRONG     alarm: unsafe, but safe was expected",
        "  verdicts  2 safe, 1 unsafe",
        "  open      1 timeout",
    ]
    assert outcome_line(outcomes[1]).startswith("WRONG PROOF     safe ")
    assert Tally.of(outcomes).wrong == 2
    unchecked = replace(outcomes[0], ran=replace(outcomes[0].ran, checked=False))
    assert outcome_line(unchecked).endswith(" MiB  good: unchecked")
    assert summary_lines([unchecked])[-1] == "  unchecked 1 of the verdicts"


@pytest.mark.parametrize(
    ("answers", "stopped", "code"),
    [
        (["safe", "unsafe"], False, 0),
        ([], False, 0),
        (["safe"], True, 3),
        (["safe", "timeout"], False, 3),
        (["safe", "error"], False, 3),
        (["bounded"], False, 3),
    ],
)
def test_the_exit_code_says_whether_all_have_a_verdict(
    answers: list[str], stopped: bool, code: int
) -> None:
    outcomes = [outcome(str(number), answer) for number, answer in enumerate(answers)]
    assert exit_code(outcomes, stopped=stopped) == code
    wrong = outcome("wrong", "safe", "unsafe")
    assert exit_code([*outcomes, wrong], stopped=stopped) == 1


@pytest.mark.parametrize(
    ("code", "changed", "answer"),
    [
        (0, {}, "safe"),
        (1, {"verdict": "unsafe"}, "unsafe"),
        (4, {"verdict": "bounded"}, "bounded"),
        (0, {"verdict": "collapsed"}, "collapsed"),
        (3, {"verdict": "unknown", "stop": {"kind": "time", "limit": 1}}, "timeout"),
        (3, {"verdict": "stopped", "stop": {"kind": "memory", "limit": 1}}, "out of memory"),
        (3, {"verdict": "unknown", "stop": {"kind": "threads", "limit": None}}, "unknown"),
        (3, {"verdict": "unknown"}, "unknown"),
        (0, {"verdict": "unsafe"}, "crashed"),
        (1, {}, "crashed"),
        (5, {}, "crashed"),
        (0, {"verdict": "perhaps"}, "crashed"),
    ],
)
def test_a_result_is_believed_only_if_it_agrees_with_the_exit_code(
    code: int, changed: dict[str, Any], answer: str
) -> None:
    assert read_answer(code, json.dumps({**RESULT, **changed}), "", 1.0).answer == answer


def test_a_result_tells_what_is_kept() -> None:
    assert read_answer(0, json.dumps(RESULT), "", 1.5) == Ran(
        "safe", 1.5, 7, "delay", 2, None, True, ""
    )
    explored = json.dumps({**RESULT, "verdict": "collapsed"})
    assert read_answer(0, explored, "", 1.5).counts == Counts(2, 3, None)
    by_delays = json.dumps({**RESULT, "verdict": "collapsed", "resource": "delays"})
    assert read_answer(0, by_delays, "", 1.5).counts == Counts(None, 3, None)


@pytest.mark.parametrize(
    ("program", "answer", "detail"),
    [
        ("import os; os.abort()", "crashed", "killed by SIGABRT"),
        ("import os; os.kill(os.getpid(), 9)", "crashed", "killed by SIGKILL, perhaps by the sys"),
        ("print('nonsense')", "crashed", "exit code 0: what it printed is no result of tepui"),
        ("print('[' * 100000)", "crashed", "exit code 0: what it printed is no result of tepui"),
        ("print([])", "crashed", "exit code 0: what it printed is no result of tepui"),
        ("raise SystemExit('bad \\x1b news')", "crashed", r"exit code 1: bad \x1b news"),
        ("import sys; print('x', file=sys.stderr); sys.exit(5)", "crashed", "exit code 5: x"),
        ("import sys; print('no file', file=sys.stderr); sys.exit(2)", "error", "no file"),
        ("import sys; print('full', file=sys.stderr); sys.exit(3)", "unknown", "full"),
    ],
)
def test_whatever_a_process_does_there_is_an_answer(program: str, answer: str, detail: str) -> None:
    ran = run_job(Job("t", (), program=("-c", program)))
    assert ran is not None
    assert ran.answer == answer
    assert ran.detail.startswith(detail)
    assert ran.seconds > 0


def test_only_the_last_lines_of_a_complaint_are_kept() -> None:
    program = "import sys; [print(n, file=sys.stderr) for n in range(100000)]; sys.exit(5)"
    ran = run_job(Job("t", (), program=("-c", program)))
    assert ran is not None
    assert ran.detail.splitlines()[-1] == "99999"
    assert len(ran.detail.splitlines()) == 12


def test_a_process_that_does_not_heed_its_limit_is_killed_with_all_that_it_started(
    tmp_path: Path,
) -> None:
    ticks = tmp_path / "ticks"
    child = (
        "import time\nwhile True:\n    time.sleep(0.01)\n"
        f"    with open({str(ticks)!r}, 'a') as file: file.write('.')\n"
    )
    program = (
        "import signal, subprocess, sys, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        f"subprocess.Popen([sys.executable, '-c', {child!r}])\nprint('begun', file=sys.stderr)\n"
        "sys.stderr.flush()\ntime.sleep(1000)"
    )
    ran = run_job(Job("t", (), timeout=0.5, grace=0.5, program=("-c", program)))
    assert ran is not None
    assert ran.answer == "timeout"
    assert ran.detail == "it did not heed its time limit and was killed\nbegun"
    size = ticks.stat().st_size
    time.sleep(0.2)
    assert ticks.stat().st_size == size > 0


def test_a_process_that_does_not_heed_its_memory_limit_is_killed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(processes, "MEMORY_GRACE", 2**24)
    program = "import time; held = b'x' * 2**26; time.sleep(1000)"
    ran = run_job(Job("t", (), memory=2**25, program=("-c", program)))
    assert ran is not None
    assert ran.answer == "out of memory"
    assert ran.detail == "it did not heed its memory limit and was killed"
    small = run_job(Job("t", (), memory=2**25, program=("-c", "import time; time.sleep(0.3)")))
    assert small is not None
    assert small.answer == "crashed"


def test_a_process_that_cannot_be_started_is_an_outcome() -> None:
    ran = run_job(Job("t", ("\0",)))
    assert ran is not None
    assert (ran.answer, ran.detail) == (
        "crashed",
        "no process could be started: embedded null byte",
    )


def test_tasks_share_the_memory_where_there_is_no_limit(tmp_path: Path) -> None:
    (one,) = select([write_suite(tmp_path / "m", {"a": (SAFE, "safe")})])
    shared = one.job(Settings(bytes=2**30))
    assert shared.memory == 2**30
    assert shared.arguments[:3] == ("verify", "--memory", "1024M")
    given = one.job(Settings(memory="2G", bytes=2**31))
    assert given.arguments[-3:] == ("--memory", "2G", "--json")
    assert given.arguments.count("--memory") == 1
    assert Settings(bytes=2**30).text == "{}"


def test_tasks_that_are_not_wanted_any_more_are_ended() -> None:
    sleeping = Job("sleeping", (), program=("-c", "import time; time.sleep(1000)"))
    quick = Job("quick", (), program=("-c", "raise SystemExit(2)"))
    begun = []
    ending = run_here([sleeping, quick, quick], 2, lambda job: begun.append(job.name))
    assert next(ending)[0] == quick
    ending.close()
    assert begun[:2] == ["sleeping", "quick"]


def test_a_task_ends_when_its_suite_is_gone(tmp_path: Path) -> None:
    """The suite is the one who holds the other end of the standard input."""
    ours, theirs = os.pipe()
    program = (
        "import os, threading, time; from tepui.cli.task_process import _end_with_the_suite;"
        "threading.Thread(target=_end_with_the_suite, daemon=True).start(); time.sleep(1000)"
    )
    pid = os.posix_spawn(
        sys.executable,
        [sys.executable, "-c", program],
        os.environ,
        file_actions=[(os.POSIX_SPAWN_DUP2, ours, 0), (os.POSIX_SPAWN_CLOSE, theirs)],
    )
    os.close(ours)
    os.close(theirs)
    assert os.WTERMSIG(os.waitpid(pid, 0)[1]) == 9


COUNTED = Counts(1, 3, 3)
CHANGES: list[tuple[Kind, Outcome | None, Outcome | None]] = [
    ("same", outcome("t", "safe"), outcome("t", "safe")),
    ("same", outcome("t", "safe", seconds=0.1), outcome("t", "safe", seconds=0.5)),
    ("same", outcome("t", "safe", seconds=10), outcome("t", "safe", seconds=14)),
    ("same", outcome("t", "timeout", seconds=10), outcome("t", "timeout", seconds=20)),
    ("slower", outcome("t", "safe", seconds=1), outcome("t", "safe", seconds=2)),
    ("faster", outcome("t", "safe", seconds=2), outcome("t", "safe", seconds=1)),
    ("new", None, outcome("t", "safe")),
    ("missing", outcome("t", "safe"), None),
    ("changed input", outcome("t", "safe"), outcome("t", "unsafe", inputs="other")),
    ("contradiction", outcome("t", "safe"), outcome("t", "unsafe")),
    (
        "contradiction",
        outcome("t", "collapsed", found=COUNTED),
        outcome("t", "collapsed", found=Counts(1, 4, 3)),
    ),
    (
        "same",
        outcome("t", "collapsed", found=COUNTED),
        outcome("t", "collapsed", found=Counts(None, 3, 3)),
    ),
    ("newly wrong", outcome("t", "safe", "safe"), outcome("t", "unsafe", "safe")),
    ("newly wrong", outcome("t", "timeout", "safe"), outcome("t", "unsafe", "safe")),
    ("better", outcome("t", "unsafe", "safe"), outcome("t", "safe", "safe")),
    ("better", outcome("t", "timeout"), outcome("t", "safe")),
    ("worse", outcome("t", "safe"), outcome("t", "timeout")),
    ("worse", outcome("t", "timeout"), outcome("t", "crashed")),
    ("other", outcome("t", "timeout"), outcome("t", "unknown")),
]


@pytest.mark.parametrize(("kind", "old", "new"), CHANGES)
def test_a_change_has_a_name(kind: Kind, old: Outcome | None, new: Outcome | None) -> None:
    pair = Pair("t", old, new)
    assert pair.kind == kind
    worse = kind in ("contradiction", "newly wrong", "worse")
    assert Comparison("old", "new", (pair,)).worse == worse


def test_a_comparison_tells_the_worst_first() -> None:
    old = {"a": outcome("a", "safe"), "b": outcome("b", "safe", seconds=1)}
    new = {
        "a": outcome("a", "timeout", seconds=9),
        "b": outcome("b", "safe", seconds=3),
        "c": outcome("c", "safe"),
    }
    assert comparison_lines(compare(("1", old), ("2", new))) == [
        "1 -> 2: 3 tasks, 1 worse, 1 slower, 1 new",
        "  WORSE         a: safe, 1.00 s -> timeout, 9.00 s",
        "  slower        b: safe, 1.00 s -> 3.00 s (3.00 times)",
        "  new           c: safe, 1.00 s",
    ]


def test_a_comparison_of_many_new_tasks_stays_short() -> None:
    new = {f"{number:03}": outcome(f"{number:03}", "safe") for number in range(100)}
    lines = comparison_lines(compare(("1", {}), ("2", new)))
    assert len(lines) == 22
    assert lines[-1] == "  new           and 80 more; --json lists all"
