"""Random concurrent Java programs, small enough to list all their interleavings.

A program is a list of threads, and a thread a list of statements, which are tuples. `java_source`
writes them in Java; `tests/support/oracles/java_threads.py` runs them. Threads share ints, plain
and volatile, an AtomicInteger, two monitors and a ReentrantLock, and have two local variables `p`
and `q`. The outcome packs all of these into one int. A thread that is
interrupted ends, as if its locals were 0. Left out: time, other exceptions.

    ("read", "p", "x")   ("write", "x", "p" or 1)   ("increment", "x")   ("set", "p", 2)
    ("atomic", kind, local, numbers...)   ("if", local, number, statements)
    ("monitor", "L", statements)   ("lock", statements)
    ("await", "L", "x", number)   ("wait", "L")   ("notify", "L")   ("notifyAll", "L")
    ("join", 0)   ("interrupt", 0)

`await` waits in the monitor until a shared variable has a number. Locals are 0 to 3 at the end.
"""

from __future__ import annotations

from random import Random
from typing import Any

Statement = tuple[Any, ...]

SHARED = ("x", "y", "v")


def random_threads(seed: int) -> list[list[Statement]]:
    """Two or three threads."""
    random = Random(seed)
    count = random.choice((2, 2, 2, 3))
    most = 4 if count == 2 else 2
    return [
        [_statement(random, number, (), 2) for _ in range(random.randint(1, most))]
        for number in range(count)
    ]


def _statement(random: Random, number: int, held: tuple[str, ...], depth: int) -> Statement:
    kinds = ["read", "write", "increment", "atomic", "set"]
    if depth:
        kinds += ["if", "monitor", "monitor", "lock"]
    if number and random.random() < 0.2:
        return (random.choice(("join", "interrupt")), random.randrange(number))
    if held and held[-1] != "R" and random.random() < 0.4:
        return _in_monitor(random, [each for each in held if each != "R"])
    kind = random.choice(kinds)
    local, shared = random.choice("pq"), random.choice(SHARED)

    def body(*more: str) -> list[Statement]:
        inside = (*held, *more)
        count = random.randint(1, 2)
        return [_statement(random, number, inside, depth - 1) for _ in range(count)]

    if kind == "read":
        return (kind, local, shared)
    if kind == "write":
        return (kind, shared, random.choice(("p", "q", 1, 2, 3)))
    if kind == "increment":
        return (kind, shared)
    if kind == "set":
        return (kind, local, random.randint(0, 3))
    if kind == "atomic":
        return _atomic(random, local)
    if kind == "if":
        return (kind, local, random.randint(0, 2), body())
    if kind == "lock":
        return (kind, body("R"))
    monitor = random.choice("LM")
    return (kind, monitor, body(monitor))


def _in_monitor(random: Random, held: list[str]) -> Statement:
    kind = random.choice(("await", "wait", "notify", "notifyAll", "notify"))
    if kind == "await":
        return (kind, held[-1], random.choice(SHARED), random.randint(0, 1))
    return (kind, random.choice(held))


def _atomic(random: Random, local: str) -> Statement:
    kind = random.choice(tuple(_ATOMIC))
    if kind == "compareAndSet":
        return ("atomic", kind, local, random.randint(0, 1), random.randint(0, 3))
    if kind == "getAndAdd":
        return ("atomic", kind, local, random.randint(1, 2))
    return ("atomic", kind, local)


def java_source(
    name: str,
    threads: list[list[Statement]],
    outcomes: list[int] | None = None,
    volatile: bool = False,
    pause: str = "",
) -> str:
    """The program in Java: `run` gives the outcome, and `check` asserts about each.

    There, the first assertions are violated if the outcomes can be, and the last if others can.
    If all is volatile, a JVM shows nothing but what is sequentially consistent.
    """
    lines = [
        "import java.util.concurrent.atomic.AtomicInteger;",
        "import java.util.concurrent.locks.ReentrantLock;",
        f"public class {name} {{",
        f"static {'volatile ' if volatile else ''}int x, y; static volatile int v;",
        "static final AtomicInteger a = new AtomicInteger();",
        "static final Object L = new Object(), M = new Object();",
        "static final ReentrantLock R = new ReentrantLock();",
        f"static final Thread[] t = new Thread[{len(threads)}];",
        f"static int {', '.join(f'o{n}' for n in range(len(threads)))};",
        f"static void pause() {{ {pause} }}",
        "static int run() throws InterruptedException {",
    ]
    for number, statements in enumerate(threads):
        lines += [f"t[{number}] = new Thread(() -> {{ try {{ int p = 0, q = 0;"]
        lines += _lines(statements)
        lines += [f"o{number} = (p & 3) * 4 + (q & 3); }} catch (Exception e) {{ }} }});"]
    everything = range(len(threads))
    lines += [f"pause(); t[{n}].start();" for n in everything]
    lines += [f"t[{n}].join();" for n in everything]
    lines += ["int e = a.get();", "int o = (x & 3) + 4 * (y & 3) + 16 * (v & 3) + 64 * (e & 3);"]
    lines += [f"o = o * 16 + o{n};" for n in everything]
    lines += ["return o;", "}"]
    if outcomes is not None:
        lines += ["static void check() throws InterruptedException {", "int o = run();"]
        lines += [f"if (o == {each}) assert false;" for each in outcomes]
        others = " && ".join(f"o != {each}" for each in outcomes) or "true"
        lines += [f"if ({others}) assert false;", "}"]
    return "\n".join([*lines, "}"]) + "\n"


def _lines(statements: list[Statement]) -> list[str]:
    return [line for each in statements for line in ["pause();", *_line(each)]]


def _line(statement: Statement) -> list[str]:
    kind, *of = statement
    if kind in _SIMPLE:
        return [_SIMPLE[kind].format(*of)]
    if kind == "atomic":
        return [_ATOMIC[of[0]].format(*of[1:])]
    before, after = _AROUND[kind]
    return [before.format(*of), *_lines(of[-1]), after]


_SIMPLE = {
    "read": "{} = {};",
    "write": "{} = {};",
    "set": "{} = {};",
    "increment": "{}++;",
    "await": "while ({1} != {2}) {0}.wait();",
    "wait": "{}.wait();",
    "notify": "{}.notify();",
    "notifyAll": "{}.notifyAll();",
    "join": "t[{}].join();",
    "interrupt": "t[{}].interrupt();",
}
_ATOMIC = {
    "get": "{} = a.get();",
    "set": "a.set({});",
    "incrementAndGet": "{} = a.incrementAndGet();",
    "getAndAdd": "{} = a.getAndAdd({});",
    "compareAndSet": "{} = a.compareAndSet({}, {}) ? 1 : 0;",
}
_AROUND = {
    "if": ("if ({} == {}) {{", "}"),
    "monitor": ("synchronized ({}) {{", "}"),
    "lock": ("R.lock(); try {{", "} finally { R.unlock(); }"),
}
