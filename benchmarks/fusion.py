"""Fused steps: the states of Boolean programs with and without them.

Each program is explored until R_k collapses, with a question that nothing violates, once with
fused steps and once without. Where a thread reaches infinitely many stacks within one context, the
engine is `diagram`, and visible states are counted.

`python benchmarks/fusion.py FILE on|off SECONDS` measures one run in this process and prints a
FusionMeasurement as JSON.
"""

from __future__ import annotations

import json
import os
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from models import EXAMPLES, VARIABLE
from processes import run_alone
from tables import DASH, Line, Part, Say, number, seconds

import tepui
from tepui.errors import TepuiError
from tepui.model import Pattern, Property
from tepui.program.layout import point_class
from tepui.program.program import Program

SECONDS, QUICK_SECONDS = 40.0, 5.0

COLUMNS = [
    *("program", "engine", "k", "single steps", "fused", "ratio", "seconds single", "seconds fused")
]

BEFORE = """\
Steps that touch nothing shared are part of the step before them.
Each program is explored until R_k collapses, without Z and unchecked, with a question that nothing
violates; `single steps` and `fused` are the states without fusion and with it.
With the engine `diagram`, for programs in which a context reaches infinitely many stacks, they are
visible states.
A dash stands for a run that did not end within the limit of time or memory; `k` is of the run with
fused steps.
A variable without a value counts as one value more: the arrays `stack_value` of the SafeStack
programs are never initialised, and with zeros in them `…twoforloop.bp` has 1,367,785 states."""


@dataclass(frozen=True)
class FusionMeasurement:
    """One run: what was counted, or None if it did not end."""

    engine: str
    k: int | None
    states: int | None
    seconds: float


def measure_fusion(*, quick: bool, say: Say) -> Part:
    """All programs of the examples and of the public suite that can be read."""
    lines, complaints = [], []
    limit = QUICK_SECONDS if quick else SECONDS
    for name, path in _programs():
        say(name)
        found = {}
        for fused in ("off", "on"):
            run = run_alone("fusion.py", str(path), fused, str(limit), seconds=3 * limit + 60)
            if run.found is not None:
                found[fused] = FusionMeasurement(**run.found)
            elif run.failure is not None:
                complaints.append(f"{name}: {run.failure}")
        if len(found) == 2:
            lines.append(Line(_cells(name, found["off"], found["on"])))
    return Part(
        title="Fused steps",
        before=BEFORE,
        columns=COLUMNS,
        lines=lines,
        words=frozenset({"engine"}),
        complaints=complaints,
    )


def _programs() -> list[tuple[str, Path]]:
    found = [(path.name, path) for path in sorted(EXAMPLES.glob("*.bp"))]
    named = os.environ.get(VARIABLE)
    if named is not None:
        root = Path(named) / "bp"
        public = sorted(root.rglob("*.bp"))
        found += [(str(path.relative_to(root)), path) for path in public if _is_read(path)]
    return found


def _is_read(path: Path) -> bool:
    try:
        return isinstance(tepui.load(path), Program)
    except TepuiError:
        return False


def _cells(name: str, single: FusionMeasurement, fused: FusionMeasurement) -> list[str]:
    ratio = DASH
    if single.states and fused.states:
        ratio = number(fused.states / single.states, 3)
    return [
        *(name, fused.engine, number(fused.k), number(single.states), number(fused.states), ratio),
        *(seconds(single.seconds), seconds(fused.seconds)),
    ]


def measure(path: str, fused: bool, limit: float) -> FusionMeasurement:
    """Explore a program until R_k collapses."""
    program = tepui.load_program(path)
    for engine in ("explicit", "diagram"):
        options = tepui.Options(
            engine=engine,
            strengths=(),
            fusion=fused,
            check=False,
            limits=tepui.Limits(timeout=limit, memory=8 << 30),
        )
        start = time.perf_counter()
        result = tepui.verify(program, _nothing(program), options)
        took = time.perf_counter() - start
        if engine == "diagram" or result.stop is None or result.stop.kind != "infinite contexts":
            break
    done = result.verdict == "safe"
    count = result.states if engine == "explicit" else result.visible_states
    return FusionMeasurement(engine, result.bound, count if done else None, took)


def _nothing(program: Program) -> tepui.Question:
    """A question that nothing violates: a thread is where no thread can be."""
    if program.forks:
        return tepui.Question("unreachable", "nothing", Property(), places=((),))
    nowhere = Pattern(None, (point_class(program.layout.points), *_any(program)[1:]))
    return tepui.Question("unreachable", "nothing", Property((nowhere,)), places=((),))


def _any(program: Program) -> list[None]:
    return [None] * len(program.thread_types)


if __name__ == "__main__":
    _, file, wish, most = sys.argv
    print(json.dumps(asdict(measure(file, wish == "on", float(most)))))
