"""View tuples, as the authors of jMoped counted them: eager splitting beside lazy and sparing one.

Suwimonteerabuth, Esparza and Schwoon: Symbolic Context-Bounded Analysis of Multithreaded Java
Programs (SPIN 2008), tables 1 and 2. Each cell is one search in a process of its own, up to the
contexts of the row or the first violation; the last columns are the search that has all states as
one set. `python benchmarks/views.py` prints the table alone.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from dataclasses import dataclass
from typing import Any

from models import EXAMPLES
from processes import MEMORY
from rich.console import Console
from tables import DASH, Line, Part, Say, number, seconds

import tepui
from tepui.kernels.door import BitsSearch, KernelLimits, ViewSearch, system_kernel
from tepui.kernels.lowered_system import lower
from tepui.kernels.program_fields import LoweringOptions
from tepui.model import Property
from tepui.program.program import Program

SECONDS = 60
QUICK_SECONDS = 5

SPLITTINGS = ["eager", "lazy", "sparing"]
ONE_SET = "one set"
COLUMNS = ["program", "bits", "contexts", "ended"]
COLUMNS += [f"{each}, {what}" for each in SPLITTINGS for what in ("tuples", "nodes", "s")]
COLUMNS += [f"{ONE_SET}, {what}" for what in ("nodes", "s")]

BITS = [1, 2, 3, 4, 5, 6, 7, 8, 16, 32]


@dataclass(frozen=True)
class Row:
    """A program, and how many contexts are of interest."""

    name: str
    expected: int | None
    """The fewest contexts of a violation."""
    contexts: int = 3
    bits: int | None = None

    def program(self) -> Program:
        if self.bits is None:
            text = (EXAMPLES / f"{self.name}.bp").read_text(encoding="utf-8")
        else:
            text = _vector(self.name, self.bits)
        about = tepui.loads(text, "bp")
        assert isinstance(about, Program)
        return about


VECTORS = {
    "Vector of Java 5": 3,
    "Vector": None,
    "Vector, x is local": None,
}
ROWS = [Row(name, expected, bits=bits) for name, expected in VECTORS.items() for bits in BITS]
ROWS += [
    Row("bluetooth1", 3),
    Row("bluetooth2", 5, 5),
    Row("bluetooth3", 4, 4),
    Row("bst-insert", None, 4),
    Row("recursive-lock", None, 4),
    Row("figure7", None, 6),
]


def _vector(name: str, bits: int) -> str:
    """One thread puts x in a vector and copies that, another one removes all elements."""
    kind = f"uint{bits}" if bits >= 8 else f"int 0..{2**bits - 1}"
    x = f"decl x: {kind};"
    shared, local = ("", x) if "local" in name else (x, "")
    begin, end = ("", "") if "Java 5" in name else ("atomic {", "}")
    return f"""
{shared}
decl element: {kind} := 0;
decl present := 0;
decl count: int 0..1 := 0;
decl started := 0;
void clear() {{
    assume(started);
    {begin} element := 0; present := 0; count := 0; {end}
}}
void test() {{
    {local}
    decl size: int 0..1 := 0;
    decl copy: {kind} := 0;
    decl copied := 0;
    element := x; present := 1; count := 1; started := 1;
    {begin} size := count; copy := element; copied := present; {end}
    assert(size = 0 || (copied && copy = x));
}}
void main() {{ thread_create(test, 1); thread_create(clear, 1); }}
"""


def measure_views(*, quick: bool, say: Say) -> Part:
    """Each program with each splitting; with `quick`, fewer bits, and less time."""
    limit = QUICK_SECONDS if quick else SECONDS
    lines, complaints = [], []
    for place, row in enumerate(ROWS):
        if quick and row.bits not in (None, 1, 8, 32):
            continue
        say(f"{row.name}, {row.bits} bits")
        cells, ended = [], set()
        for how in (*SPLITTINGS, ONE_SET):
            found = _in_a_process(place, how, limit)
            is_done = found["ended"] in ("found", "done")
            if is_done:
                ended.add(found["contexts"] if found["ended"] == "found" else None)
            if how != ONE_SET:
                cells.append(number(found["tuples"]) if is_done else DASH)
            cells += [number(found["nodes"]), seconds(found["seconds"])] if is_done else [DASH] * 2
        is_wrong = not ended <= {row.expected}
        bits = DASH if row.bits is None else str(row.bits)
        contexts = str(row.expected or row.contexts)
        words = "violated" if row.expected else "within"
        lines.append(Line([row.name, bits, contexts, words, *cells], wrong=is_wrong))
        if is_wrong:
            complaints.append(f"{row.name}: violations after {ended} contexts")
    return Part(
        title="View tuples",
        before=(
            "What the paper on jMoped counts: how many view tuples there are with eager, lazy and\n"
            f"sparing splitting, within {limit} s. Where x is local, the vector is the only one\n"
            "that has its value at the end, and lazy splitting tells all values apart."
        ),
        columns=COLUMNS,
        lines=lines,
        complaints=complaints,
        words=frozenset({"ended"}),
    )


def _in_a_process(place: int, how: str, limit: int) -> dict[str, Any]:
    command = [sys.executable, __file__, str(place), how, str(limit)]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=3 * limit + 30
    )
    found: dict[str, Any] = (
        json.loads(done.stdout) if done.stdout else {"ended": done.stderr.strip()}
    )
    return found


def _run(row: Row, how: str, limit: float) -> dict[str, Any]:
    about = row.program()
    points = range(about.layout.waiting + 1, about.layout.points)
    bad = [((kind, point),) for kind in range(len(about.threads)) for point in points]
    kernel = system_kernel(lower(about, LoweringOptions(), Property()))
    begin = time.perf_counter()
    search: BitsSearch | ViewSearch
    try:
        if how == ONE_SET:
            search = BitsSearch(kernel, bad)
        else:
            search = ViewSearch(kernel, bad, how, exact=False, limits=_limits(limit))
        ended = "done"
        while search.found is None and not search.has_collapsed and ended == "done":
            if search.contexts == row.contexts:
                break
            left = limit - (time.perf_counter() - begin)
            ended = search.advance(_limits(left))
    except (ValueError, TimeoutError) as error:
        return {"ended": str(error)}
    return {
        "ended": ended if search.found is None else "found",
        "contexts": search.found,
        "tuples": None if isinstance(search, BitsSearch) else sum(search.tuples),
        "nodes": search.nodes,
        "seconds": time.perf_counter() - begin,
    }


def _limits(left: float) -> KernelLimits:
    return {"states": None, "bytes": MEMORY, "seconds": left, "pause": None}


def main() -> None:
    if len(sys.argv) == 4:
        place, how, limit = sys.argv[1:]
        print(json.dumps(_run(ROWS[int(place)], how, float(limit))))
        return
    console = Console(width=200)
    part = measure_views(quick="--quick" in sys.argv, say=lambda _: None)
    console.print(part.as_table())
    print(part.as_markdown())
    for complaint in part.complaints:
        print(complaint, file=sys.stderr)


if __name__ == "__main__":
    main()
