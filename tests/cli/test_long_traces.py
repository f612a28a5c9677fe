"""Long traces and shortened ones, as people see them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from support.cli import HANGS, call
from support.samples.rings import ring
from support.schemas import schema

MEMORY = """
import sys
from pathlib import Path
from tepui.cli import main
try:
    main()
finally:
    status = Path("/proc/self/status").read_text()
    print(status.partition("VmHWM:")[2].split()[0], file=sys.stderr)
"""
"""Runs a command, and says how many KiB its process has held at most."""


def deep(height: int, doublings: int) -> str:
    """A thread that pushes some symbols, and then works on top of them: with each doubling for
    twice as long."""
    rules = [f"q | s{number} -> q | s{number + 1} b" for number in range(height)]
    rules.append(f"q | s{height} -> q | a{doublings} e")
    rules += (
        f"q | a{number} -> q | a{number - 1} a{number - 1}" for number in range(1, doublings + 1)
    )
    rules += ["q | a0 -> q | -", "q | e -> done | -"]
    return "\n".join(
        ["shared q done", "initial q", "thread t {", "stack s0", *rules, "}", "bad done | *", ""]
    )


@pytest.fixture
def long(tmp_path: Path) -> Path:
    """A system whose trace has 17,385 steps, most of them on stacks of 1,000 symbols."""
    path = tmp_path / "long.cpds"
    path.write_text(deep(1_000, 13), encoding="utf-8")
    return path


def test_of_a_long_trace_the_beginning_and_the_end_are_printed(long: Path) -> None:
    lines = call("verify", str(long)).out.splitlines()
    assert lines[0] == "UNSAFE  long: a bad state is reachable within 1 context"
    (gap,) = (number for number, line in enumerate(lines) if "left out" in line)
    assert lines[gap].strip() == "… 17,185 steps left out …"
    start = next(number for number, line in enumerate(lines) if line.startswith("   start"))
    assert (gap - start, len(lines) - gap) == (100, 102)
    assert " ".join(lines[start + 2].split()) == "q | s1 b by q | s0 -> q | s1 b"
    assert lines[-2].strip().startswith("done | b b b")


def test_the_json_of_a_long_trace_has_its_rules_and_no_stacks(long: Path) -> None:
    done = call("verify", str(long), "--json")
    found = done.json
    Draft202012Validator(schema("result")).validate(found)
    steps = found["trace"]["steps"]
    assert len(steps) == 17_385
    assert all(step["stacks"] is None for step in steps)
    assert steps[0]["rule"] == {"source": "q", "top": "s0", "target": "q", "word": ["s1", "b"]}
    assert steps[-1]["shared"] == "done"
    assert done.out == json.dumps(found, indent=2) + "\n"


def test_a_long_trace_takes_little_memory(long: Path) -> None:
    if not Path("/proc/self/status").exists():
        pytest.skip("this system does not say how much memory a process has held")
    for options in ([], ["--json"], ["--memory", "100M"]):
        ran = subprocess.run(
            [sys.executable, "-c", MEMORY, "verify", str(long), *options],
            capture_output=True,
            encoding="utf-8",
            timeout=HANGS,
            check=False,
        )
        assert ran.returncode == 1
        # Whole stacks would take 140 MB by themselves.
        assert int(ran.stderr.split()[-1]) < 100_000, options


def test_a_shortened_trace_says_that_it_may_not_be_the_shortest(tmp_path: Path) -> None:
    path = tmp_path / "ring.cpds"
    path.write_text(ring(8, 5), encoding="utf-8")
    done = call("verify", str(path))
    said = "UNSAFE  ring: a bad state is reachable within 8 contexts, which may not be the fewest"
    assert done.out.splitlines()[0] == said
    assert [line for line in done.out.splitlines() if line.startswith("context 8")]
    found = call("verify", str(path), "--json").json
    Draft202012Validator(schema("result")).validate(found)
    assert (found["engine"], found["resource"], found["bound"]) == ("delay", "contexts", 8)
    assert (found["bound_is_fewest"], found["trace"]["schedule"]) == (False, None)
    report = tmp_path / "ring.html"
    call("report", str(path), "--output", str(report))
    page = report.read_text(encoding="utf-8")
    assert "8 contexts, which may not be the fewest" in page
    assert "fewer contexts may be enough" in page
