"""Limits: large runs with a small `--timeout`, and again with a small `--memory`, in every phase of
every command.

Each row is a command that would go on for long, and take much. It runs twice, as a user starts it:
with a limit of time and much memory, and with a limit of memory and much time. What counts is the
clock of the whole command, from its start to its end, and the most memory that it ever held.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from networks import network_text
from tables import DASH, Line, Part, Say, mebibytes, seconds

TIMEOUT = 1.0
"""The limit of time, in seconds."""

MOST_SECONDS = TIMEOUT + 1
"""So long a run with this limit may take by the clock, on a quiet machine."""

MEMORY = 200 * 2**20
"""The limit of memory, in bytes."""

MOST_MEMORY = 1.1 * MEMORY

IN_TIME = ("--timeout", f"{TIMEOUT:g}", "--memory", "4G")
IN_MEMORY = ("--timeout", "60", "--memory", f"{MEMORY // 2**20}M")

HANGS = 200.0
"""A run that takes longer than so many seconds keeps no limit at all."""

COLUMNS = ["run", "phase", "seconds", "MiB", "answer", "its seconds", "its MiB", "its answer"]
WORDS = frozenset({"phase", "answer", "its answer"})

BEFORE = f"""\
Large runs, each with `{" ".join(IN_TIME)}` (the first three numbers) and once more with
`{" ".join(IN_MEMORY)}` (the last three).
`seconds` are those of the whole command by the clock, from its start to its end, and may be
{MOST_SECONDS:g} in the first run; `MiB` is the most memory that it ever held, and may be
{MOST_MEMORY / 2**20:.0f} in the second.
`phase` is what takes long. The answer is that of the exit code, with the limit that was reached."""

ANSWERS = {0: "done", 1: "unsafe", 2: "refused", 3: "unknown", 4: "bounded"}


@dataclass(frozen=True)
class Large:
    """A large run: its files, and the command."""

    name: str
    phase: str
    write: Callable[[Path], object]
    command: tuple[str, ...]
    before: tuple[str, ...] = ()
    """A command that makes what this one reads."""


@dataclass(frozen=True)
class Ended:
    """How a run ended, and what it took."""

    code: int
    said: str
    seconds: float
    peak: int

    @property
    def answer(self) -> str:
        """In a word, and the limit that ended the run."""
        answer = ANSWERS.get(self.code, f"exit code {self.code}")
        reached = [word for word in ("time", "memory") if f"the {word} limit of" in self.said]
        return ": ".join([answer, *reached[:1]]) if self.code == 3 else answer


def measure_limits(*, quick: bool, say: Say) -> Part:
    """Measure all runs; quickly, only a few."""
    lines, complaints = [], []
    for run in RUNS[: 3 if quick else None]:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            say(f"{run.name}, its files")
            run.write(folder)
            if run.before:
                subprocess.run([*TEPUI, *run.before], cwd=folder, capture_output=True, check=False)
            say(f"{run.name}, time")
            in_time = _ended(run, IN_TIME, folder)
            say(f"{run.name}, memory")
            in_memory = _ended(run, IN_MEMORY, folder)
        wrong = [*_wrong_in_time(in_time), *_wrong_in_memory(in_memory)]
        complaints += [f"{run.name}: {each}" for each in wrong]
        cells = [run.name, run.phase, *_cells(in_time), *_cells(in_memory)]
        lines.append(Line(cells, wrong=bool(wrong)))
    return Part(
        title="Limits",
        before=BEFORE,
        columns=COLUMNS,
        lines=lines,
        complaints=complaints,
        words=WORDS,
    )


TEPUI = [sys.executable, "-m", "tepui"]

LAUNCH = """
import json, resource, subprocess, sys, time
with open("said", "wb") as said:
    began = time.perf_counter()
    done = subprocess.run(sys.argv[2:], stdin=subprocess.DEVNULL, stdout=said, stderr=said,
                          timeout=float(sys.argv[1]))
    took = time.perf_counter() - began
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps([done.returncode, took, used.ru_maxrss * 1024]))
"""
"""The system counts what a process held before it became another one, so the parent of what is
measured is a small process."""


def _ended(run: Large, limits: tuple[str, ...], folder: Path) -> Ended | None:
    """Run a command under limits; None if it does not end."""
    launch = [sys.executable, "-S", "-c", LAUNCH, str(HANGS)]
    done = subprocess.run(
        [*launch, *TEPUI, *run.command, *limits], cwd=folder, capture_output=True, check=False
    )
    if done.returncode != 0:
        return None
    code, took, peak = json.loads(done.stdout)
    with (folder / "said").open("rb") as said:
        first = said.read(2**20)
        said.seek(max(0, said.seek(0, 2) - 2**20))
        words = (first + said.read()).decode(errors="replace")
    time.sleep(0.2)  # The system takes its time to get back what a large process held.
    return Ended(code, words, took, peak)


def _cells(ended: Ended | None) -> list[str]:
    if ended is None:
        return [DASH, DASH, "no end"]
    return [seconds(ended.seconds), mebibytes(ended.peak), ended.answer]


def _wrong_in_time(ended: Ended | None) -> list[str]:
    wrong = _wrong(ended)
    if ended is not None and ended.seconds > MOST_SECONDS:
        wrong.append(f"took {ended.seconds:.2f} s with a time limit of {TIMEOUT:g} s")
    return wrong


def _wrong_in_memory(ended: Ended | None) -> list[str]:
    wrong = _wrong(ended)
    if ended is not None and ended.peak > MOST_MEMORY:
        limit = f"{mebibytes(MEMORY)} MiB"
        wrong.append(f"took {mebibytes(ended.peak)} MiB with a memory limit of {limit}")
    return wrong


def _wrong(ended: Ended | None) -> list[str]:
    if ended is None:
        return [f"did not end within {HANGS:g} s"]
    return [] if ended.code in ANSWERS else [f"ended with exit code {ended.code}"]


def _file(name: str, make: Callable[[], str]) -> Callable[[Path], object]:
    return lambda folder: (folder / name).write_text(make(), encoding="utf-8")


def _many_rules(count: int) -> str:
    """A system with this many rules."""
    rules = "".join(f"    q{n} | a{n} -> q{n + 1} | a{n + 1} b{n}\n" for n in range(count))
    return f"initial q0\nthread P {{\n    stack a0\n{rules}}}\nbad q{count} | b0\n"


def _many_plain_rules(count: int) -> str:
    """The same in the format of CUBA."""
    rules = "".join(f"{n} {n} -> {n + 1} {n + 1} {n}\n" for n in range(1, count))
    return f"{count + 1}\nPDA 1 {count + 1}\n{rules}"


def _procedures(count: int) -> str:
    some = "".join(f"void p{n}() {{ if (*) {{ g := 1; }} }}\n" for n in range(count))
    return f"decl g := 0;\n{some}void main() {{ p0(); assert(!g); }}\n"


def _called_procedures(count: int) -> str:
    """Each calls the next, so that all are needed; the violation is at the end."""
    some = "".join(f"void p{n}() {{ if (*) {{ g := !g; }} p{n + 1}(); }}\n" for n in range(count))
    return f"decl g := 0;\n{some}void p{count}() {{ assert(0); }}\nvoid main() {{ p0(); }}\n"


def _bits(count: int) -> str:
    """Each thread flips a bit of its own: hard for every engine."""
    flips = "".join(
        f"void f{b}() {{ while (1) {{ b{b} := 1; b{b} := 0; }} }}\n" for b in range(count)
    )
    starts = " ".join(f"thread_create(f{b});" for b in range(count))
    names = ", ".join(f"b{b} := 0" for b in range(count))
    return f"decl {names}, x := 0;\n{flips}void main() {{ {starts} assert(!x); }}\n"


def _different_threads(count: int) -> str:
    """Threads whose states multiply; safe."""
    rules = (
        "    stack a\n    q | a -> r | b\n    r | b -> q | c\n    q | c -> r | d a\n"
        "    r | d -> q | -\n    r | a -> q | e\n    q | e -> r | -\n"
    )
    threads = "".join(
        f"thread P{n} {{\n{rules}    r | e -> q | only{n}\n}}\n" for n in range(count)
    )
    return f"initial q\n{threads}bad nowhere | * * {count}\n"


def _deep_stack(height: int) -> str:
    """The trace pops all of a stack."""
    stack = ".".join(["x"] * height)
    rules = " a | x -> a | -\n a | - -> b | -\n"
    return f"shared a b\ninitial a\nthread t {{\n stack {stack}\n{rules}}}\nbad b | *\n"


def _many_outcomes() -> str:
    return (
        "decl a: uint16; decl b: uint16; decl s: uint32 := 0;\n"
        "void main() { s := a + b; assert(s != 7); }\n"
    )


def _section(body: str) -> str:
    return (
        "decl n: int32 := 0; decl x := 0;\n"
        "void f() { if (n < 10000000) { n := n + 1; f(); } }\n"
        f"void main() {{ atomic {{ {body} x := 1; }} assert(!x); }}\n"
    )


def _weighted(count: int) -> str:
    """A weighted system in JSON of our own, which is read in Python."""
    rules = [
        {"from": ["p", f"a{n}"], "to": ["p", f"a{n + 1}", f"b{n % 7}"], "weight": n % 5}
        for n in range(count)
    ]
    system = {
        "format": "tepui-weighted-system",
        "version": 1,
        "domain": "min-path",
        "rules": rules,
        "start": "<p, a0>",
        "target": f"<p, a{count} .*>",
    }
    return json.dumps(system)


def _values(count: int) -> str:
    """Values of many variables that depend on each other."""
    names = ", ".join(f"v{n}" for n in range(count))
    body = " ".join(f"v{n} := v{(n * 7 + 3) % count} ^ v{(n + 1) % count};" for n in range(count))
    return (
        f"decl {names};\nvoid work() {{ while (*) {{ {body} }} here: skip; }}\n"
        "void main() { thread_create(work); thread_create(work); work(); }\n"
    )


def _pushes(count: int) -> str:
    """What is reached at each of many shared states has as many stacks as there are before it."""
    rules = "".join(
        f" q{n} | {top} -> q{n + 1} | a {top}\n" for n in range(count) for top in ("x", "a")
    )
    return f"initial q0\nthread t {{\n stack x\n{rules}}}\nbad nowhere | *\n"


def _symbols(count: int) -> str:
    """Below each of many symbols may lie any other."""
    rules = "".join(
        f" s | a{n} -> s | a{(n * 7 + 1) % count} a{(n * 3 + 2) % count}\n s | a{n} -> s | -\n"
        for n in range(count)
    )
    threads = "".join(f"thread {name} {{\n stack a0\n{rules}}}\n" for name in "tu")
    return f"initial s\n{threads}bad nowhere | *,*\n"


PROVED = _file("a.cpds", lambda: _different_threads(9))
PROVE = (
    *("verify", "a.cpds", "--engine", "explicit", "--z", "off", "--symmetry", "off"),
    *("--no-check", "--evidence", "a.json"),
)

HARD = _file("hard.bp", lambda: _bits(30))
"""For all engines but one, whose threads must not wait for each other."""

RUNS = [
    Large(
        "rules, .cpds of 10 MB",
        "reading",
        _file("a.cpds", lambda: _many_rules(260_000)),
        ("verify", "a.cpds"),
    ),
    Large(
        "rules, .pds of 10 MB",
        "reading",
        _file("a.pds", lambda: _many_plain_rules(360_000)),
        ("verify", "a.pds", "--target", "7|*"),
    ),
    Large(
        "procedures, .bp of 10 MB",
        "reading",
        _file("a.bp", lambda: _procedures(280_000)),
        ("verify", "a.bp"),
    ),
    Large(
        "rules, JSON of 10 MB",
        "reading",
        _file("a.json", lambda: _weighted(110_000)),
        ("weigh", "a.json"),
    ),
    Large(
        "procedures that call the next",
        "translating",
        _file("a.bp", lambda: _called_procedures(15_000)),
        ("verify", "a.bp"),
    ),
    Large(
        "threads that multiply, explicit",
        "exploring",
        _file("a.cpds", lambda: _different_threads(12)),
        ("explore", "a.cpds", "--engine", "explicit", "--z", "off"),
    ),
    Large(
        "stacks of 30,000 symbols, symbolic",
        "exploring",
        _file("a.cpds", lambda: _pushes(30_000)),
        ("verify", "a.cpds", "--engine", "symbolic", "--z", "off"),
    ),
    Large(
        "twenty thousand symbols, cut",
        "Z",
        _file("a.cpds", lambda: _symbols(20_000)),
        ("verify", "a.cpds", "--z", "cut"),
    ),
    *(
        Large(
            f"thirty bits, {engine}",
            "exploring",
            HARD,
            ("explore", "hard.bp", "--engine", engine, *z),
        )
        for engine, *z in (
            ("plain", "--z", "off"),
            ("diagram", "--z", "off"),
            ("symbolic", "--z", "off"),
            ("delay", "--z", "off"),
            ("abstract",),
        )
    ),
    Large("thirty bits, Z", "Z", HARD, ("verify", "hard.bp")),
    Large(
        "2³² outcomes",
        "inside one step",
        _file("a.bp", _many_outcomes),
        ("verify", "a.bp"),
    ),
    Large(
        "a long atomic section",
        "inside one step",
        _file("a.bp", lambda: _section("while (n < 99999999) { n := n + 1; }")),
        ("verify", "a.bp"),
    ),
    Large(
        "recursion in an atomic section",
        "inside one step",
        _file("a.bp", lambda: _section("f();")),
        ("verify", "a.bp"),
    ),
    Large(
        "a stack of a million symbols",
        "trace",
        _file("a.cpds", lambda: _deep_stack(1_000_000)),
        ("verify", "a.cpds"),
    ),
    Large(
        "a trace of 300,000 steps",
        "printing",
        _file("a.cpds", lambda: _deep_stack(300_000)),
        ("verify", "a.cpds", "--json"),
    ),
    Large(
        "a certificate of 50 MB",
        "checking",
        PROVED,
        ("check", "a.cpds", "a.json"),
        before=PROVE,
    ),
    Large(
        "the same, with the reference",
        "checking",
        PROVED,
        ("check", "a.cpds", "a.json", "--reference"),
        before=PROVE,
    ),
    Large(
        "a list of all visible states",
        "printing",
        PROVED,
        ("explore", "a.cpds", "--engine", "explicit", "--z", "off", "--list"),
    ),
    Large(
        "a page about 4,000 procedures",
        "report",
        _file("a.bp", lambda: _called_procedures(4_000)),
        ("report", "a.bp", "-o", "a.html"),
    ),
    Large(
        "a network of a million rules",
        "weigh",
        _file("a.json", lambda: network_text(1_000_000, seed=1)),
        ("weigh", "a.json"),
    ),
    Large(
        "values of ten variables",
        "dataflow",
        _file("a.bp", lambda: _values(10)),
        ("dataflow", "a.bp", "--at", "work:here", "--contexts", "6"),
    ),
]
