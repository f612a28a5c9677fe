"""Violations whose traces are shortened: those that the delay engine finds with many contexts."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from models import EXAMPLES, VARIABLE, public_folder

import tepui


@dataclass(frozen=True)
class TraceRow:
    """A program or system, and whether it is asked for deadlocks."""

    name: str
    load: Callable[[], tepui.System | tepui.Program]
    deadlock: bool = False


def all_trace_rows() -> list[TraceRow]:
    """Every row that can be measured here."""
    return [*_own(), *_public()]


def _own() -> Iterator[TraceRow]:
    for count, thoughts in ((8, 4), (12, 0), (12, 4)):
        text = philosophers(count, thoughts)
        load = partial(tepui.loads, text, "bp")
        yield TraceRow(f"{count} philosophers, {thoughts} thoughts", load, deadlock=True)
    for name in ("bluetooth1", "bluetooth2", "bluetooth3", "irp-cancellation"):
        yield TraceRow(name, partial(tepui.load, EXAMPLES / f"{name}.bp"))


def _public() -> Iterator[TraceRow]:
    if public_folder() is None:
        return
    programs = Path(os.environ[VARIABLE]) / "bp"
    for name, path, deadlock in (
        ("SafeStack, over_approx", "01_SafeStack_seqcst_forCSEQ_unrolled_over_approx", False),
        (
            "SafeStack, over_approx, deadlock",
            "01_SafeStack_seqcst_forCSEQ_unrolled_over_approx",
            True,
        ),
        ("PrngSimp-C, iteration 1", "03_PrngSimp-C_it1of2", False),
        ("Stack-C, iteration 1", "10_Stack-C_it1of2", False),
        ("QRCU-2, iteration 2", "16_QRCU-2_it2of16", False),
        ("QRCU-4, iteration 14", "17_QRCU-4_it14of28", False),
        ("Boop", "15_Boop_it4of4", False),
    ):
        found = sorted(programs.glob(f"*/{path}.bp"))
        if found:
            yield TraceRow(name, partial(tepui.load, found[0]), deadlock)


def philosophers(count: int, thoughts: int) -> str:
    """A program with a deadlock: each philosopher thinks, takes the fork on one side, and waits for
    the other."""
    forks = ", ".join(f"fork{number} := 0" for number in range(count))
    think = "".join(f"        hungry := {1 - turn % 2};\n" for turn in range(thoughts))
    procedures = "".join(
        f"""\
void philosopher{number}() {{
    decl hungry := 1;
    while (1) {{
{think}        atomic {{ wait(!fork{number}); fork{number} := 1; }}
        atomic {{ wait(!fork{(number + 1) % count}); fork{(number + 1) % count} := 1; }}
        fork{(number + 1) % count} := 0;
        fork{number} := 0;
    }}
}}
"""
        for number in range(count)
    )
    created = "".join(f"    thread_create(philosopher{number});\n" for number in range(count))
    return f"decl {forks};\n{procedures}void main() {{\n{created}}}\n"
