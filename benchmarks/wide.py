"""Inputs with more values than can be listed: sums of inputs, beside what engines that list make of
them.

Each program is one `tepui verify --evidence` in a process of its own. Everything else is as for
programs with any number of threads.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from coverability import run_tepui
from processes import MEMORY
from tables import DASH, Line, Part, Say, mebibytes, number, seconds

SECONDS = 60
QUICK_SECONDS = 10

COLUMNS = [
    *("inputs", "bits", "asked", "verdict", "by", "nodes"),
    *("search s", "check s", "peak MiB", "listing, 10 s"),
]
WORDS = frozenset({"asked", "verdict", "by", "listing, 10 s"})

SIZES = [(1, 8), (2, 8), (2, 16), (2, 32), (4, 16), (8, 8), (8, 16)]
"""How many inputs, of how many bits."""


def measure_wide(*, quick: bool, say: Say) -> Part:
    """Add inputs up in one thread, and compare in another one."""
    limit = QUICK_SECONDS if quick else SECONDS
    lines, complaints = [], []
    for inputs, bits in SIZES:
        for expected in ("safe", "unsafe"):
            name = f"{inputs} inputs of {bits} bits, {expected}"
            say(name)
            cells, complaint = _run(_text(inputs, bits, expected), expected, limit)
            asked = "at most the largest sum" if expected == "safe" else "less"
            lines.append(Line([str(inputs), str(bits), asked, *cells], wrong=complaint is not None))
            if complaint is not None:
                complaints.append(f"{name}: {complaint}")
    return Part(
        title="Wide inputs",
        before=(
            "One thread adds inputs of these bits to a number of 64 bits, another one asserts\n"
            "what the sum is at most. By default sets of bits are searched first; the last column\n"
            "is what `--engine explicit` says within 10 s."
        ),
        columns=COLUMNS,
        lines=lines,
        after="",
        remarks=[],
        complaints=complaints,
        words=WORDS,
    )


def _text(inputs: int, bits: int, expected: str) -> str:
    """The program."""
    names = [f"x{number}" for number in range(inputs)]
    most = inputs * (2**bits - 1) - (expected == "unsafe")
    declared = "\n".join(f"decl {name}: uint{bits};" for name in names)
    sums = "\n".join(f"    s := s + {name};" for name in names)
    return f"""{declared}
decl sum: uint64 := 0;
void add() {{
    decl s: uint64;
    s := 0;
{sums}
    sum := s;
}}
void look() {{ assert(sum <= {most}); }}
void main() {{ thread_create(add, 1); thread_create(look, 1); }}
"""


def _run(text: str, expected: str, limit: int) -> tuple[list[str], str | None]:
    with tempfile.TemporaryDirectory() as folder:
        source, evidence = Path(folder) / "sum.bp", Path(folder) / "evidence.json"
        source.write_text(text, encoding="utf-8")
        options = ["--timeout", str(limit), "--memory", f"{MEMORY >> 20}M", "--json"]
        done = run_tepui("verify", str(source), *options, "--evidence", str(evidence))
        found = json.loads(done.stdout) if done.stdout else None
        if found is None:
            return [DASH] * (len(COLUMNS) - 3), done.stderr.strip()
        nodes = None
        if evidence.exists():
            nodes = len(json.loads(evidence.read_text(encoding="utf-8")).get("nodes", ())) or None
        listing = run_tepui(
            *("verify", str(source), "--engine", "explicit", "--timeout", "10", "--json")
        )
        listed = json.loads(listing.stdout)["verdict"] if listing.stdout else DASH
    cells = [
        found["verdict"],
        found.get("engine", DASH),
        DASH if nodes is None else number(nodes),
        seconds(found["seconds"]),
        seconds(found.get("check_seconds")),
        mebibytes(found["peak_memory_bytes"]),
        listed,
    ]
    complaint = None if found["verdict"] == expected else f"{found['verdict']}, not {expected}"
    return cells, complaint
