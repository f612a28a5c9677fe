"""Inputs that were made to do harm: for each the command, and the exit codes that it may have.

No attack may end with a stack trace, a signal or an internal error, and none may take more time or
memory than the limits leave it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from support.cli import call

LIMITED = ("--timeout", "1", "--memory", "300M")
NO_Z = ("--z", "off")

WRONG, OPEN, ANSWERED = {2}, {3}, {0, 1, 3}
"""The input is refused; there is no answer; or there is one, if the machine is quick."""


@dataclass(frozen=True)
class Attack:
    """What is written into a folder, and how tepui is called there."""

    name: str
    write: Callable[[Path], object]
    command: tuple[str, ...]
    codes: frozenset[int]


def _text(name: str, make: Callable[[], str | bytes]) -> Callable[[Path], object]:
    def write(folder: Path) -> None:
        made = make()
        (folder / name).write_bytes(made.encode() if isinstance(made, str) else made)

    return write


def _verify(
    name: str, file: str, make: Callable[[], str | bytes], codes: set[int], *options: str
) -> Attack:
    return Attack(name, _text(file, make), ("verify", file, *LIMITED, *options), frozenset(codes))


def _sum() -> str:
    """Two inputs have too many values together."""
    inputs = "decl a: uint16; decl b: uint16; decl s: uint32 := 0;\n"
    return f"{inputs}void main() {{ s := a + b; assert(s != 7); }}\n"


def _procedures(count: int) -> str:
    some = "".join(f"void p{n}() {{ if (*) {{ g := 1; }} }}\n" for n in range(count))
    return f"decl g := 0;\n{some}void main() {{ p0(); assert(!g); }}\n"


def _deep_stack(height: int) -> str:
    rules = "a | x -> a | -\n a | - -> b | -"
    stack = ".".join(["x"] * height)
    return f"shared a b nowhere\ninitial a\nthread t {{\n stack {stack}\n {rules}\n}}\nbad b|*\n"


def _explored(engine: str) -> Attack:
    """A proof lists all stacks below a high one; together they have very many symbols."""

    def write(folder: Path) -> None:
        (folder / "a.cpds").write_text(_deep_stack(2 * 10**4).replace("bad b", "bad nowhere"))

    without_z = () if engine == "abstract" else ("--z", "off")
    command = ("verify", "a.cpds", "--engine", engine, *without_z, "--evidence", "e.json", *LIMITED)
    return Attack(f"proofs about a deep stack, {engine}", write, command, frozenset(ANSWERED))


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


def _systems(name: str, make: Callable[[], str], *options: str) -> Attack:
    command = ("verify", "a.cpds", *options, *LIMITED)
    return Attack(name, _text("a.cpds", make), command, frozenset(ANSWERED))


def _many_threads(count: int) -> str:
    rules = "\n".join(f"s | {n} -> s | {n + 1}" for n in range(9))
    return f"shared s\ninitial s\nthread t * {count} {{\n stack 0\n {rules}\n}}\nbad deadlock\n"


def _aliases(depth: int) -> str:
    lines = ["format_version: '2.0'", "a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, depth)]
    return "\n".join([*lines, f"input_files: *a{depth - 1}", "properties: []"])


def _section(body: str, claim: str = "!x", most: int = 1000000) -> str:
    return (
        "decl n: int32 := 0; decl x := 0; "
        f"void f() {{ if (n < {most}) {{ n := n + 1; f(); }} }}\n"
        f"void main() {{ atomic {{ {body} x := 1; }} assert({claim}); }}\n"
    )


def _proof_about_another(name: str, small: str, large: str) -> Attack:
    """A proof about a small program; the large one differs from it only in a number."""

    def write(folder: Path) -> None:
        (folder / "a.bp").write_text(small)
        call("verify", "a.bp", "--z", "off", "--evidence", "evidence.json", cwd=folder)
        (folder / "a.bp").write_text(large)

    command = ("check", "a.bp", "evidence.json", *LIMITED)
    return Attack(name, write, command, frozenset(ANSWERED))


def _check(name: str, evidence: Callable[[Path], object], codes: set[int]) -> Attack:
    def write(folder: Path) -> None:
        (folder / "small.cpds").write_text(_deep_stack(1))
        evidence(folder)

    return Attack(name, write, ("check", "small.cpds", "evidence.json"), frozenset(codes))


def _with_hole(folder: Path, size: int) -> None:
    """Evidence that begins well, and of which the disk holds nothing else."""
    (folder / "small.cpds").write_text(_deep_stack(1))
    (folder / "evidence.json").write_text("{")
    os.truncate(folder / "evidence.json", size)


def _rules_for_any_label(count: int) -> str:
    """As many rules as there are labels, each for any label."""
    states = {
        "p": {f"a{n}": {"to": "p", "swap": f"a{n}", "weight": 1} for n in range(count)},
        **{f"q{n}": {"*": {"to": "p", "pop": "", "weight": 1}} for n in range(count)},
    }
    edges = {"accepting": [0], "edges": [["p", "a0", 0]]}
    kind = {"state-names": True, "weight-type": "uint"}
    return json.dumps({"instance": [kind, {"states": states}, edges, edges]})


def _pipe(name: str) -> Callable[[Path], object]:
    return lambda folder: os.mkfifo(folder / name)


def _link(name: str, target: str) -> Callable[[Path], object]:
    return lambda folder: (folder / name).symlink_to(target)


ATTACKS = [
    _verify("brackets in brackets", "a.bp", lambda: f"void main() {{ assert({'(' * 10**6}", {2, 3}),
    _verify("blocks in blocks", "a.bp", lambda: f"void main() {{ {'if (*) { ' * 10**5}", {2, 3}),
    _verify("a long sum", "a.bp", lambda: f"void main() {{ assert({'!' * 10**6}1); }}", {2, 3}),
    _verify("many procedures", "a.bp", lambda: _procedures(10**5), OPEN),
    _verify("some procedures", "a.bp", lambda: _procedures(10**4), ANSWERED),
    _verify("many threads", "a.cpds", lambda: _many_threads(10**4), {0, 1, 2, 3}),
    _verify("a large array", "a.bp", lambda: "decl a[1000000000]; void main() { skip; }", {2, 3}),
    _verify(
        "a large range",
        "a.bp",
        lambda: "decl n: int 0..1000000000; void main() { assert(n != 7); }",
        ANSWERED,
    ),
    _verify("a deep stack", "a.cpds", lambda: _deep_stack(10**6), ANSWERED),
    *map(_explored, ("explicit", "plain", "diagram", "symbolic", "delay", "abstract")),
    _verify("a step with very many outcomes", "a.bp", _sum, ANSWERED),
    _verify("a step with very many outcomes that are listed", "a.bp", _sum, OPEN, "--engine=plain"),
    _verify(
        "a long atomic section",
        "a.bp",
        lambda: _section("while (n < 99999999) { n := n + 1; }"),
        OPEN,
    ),
    _verify("a deep atomic section", "a.bp", lambda: _section("f();"), ANSWERED),
    _verify("no UTF-8", "a.bp", lambda: "void main() { }".encode("utf-16"), WRONG),
    _verify("zeros", "a.cpds", lambda: bytes(10**6), WRONG),
    _verify("odd signs", "a.bp", lambda: "void m\u202eain() { \x1b[31mskip; \x00 }", WRONG),
    _verify("aliases of aliases", "a.yml", lambda: _aliases(12), WRONG),
    Attack("a pipe", _pipe("a.bp"), ("verify", "a.bp", *LIMITED), frozenset({2, 3})),
    Attack("a device", _link("a.bp", "/dev/zero"), ("verify", "a.bp", *LIMITED), frozenset({2, 3})),
    Attack("a loop of links", _link("a.bp", "a.bp"), ("verify", "a.bp"), frozenset(WRONG)),
    _systems("many pushes, symbolic", lambda: _pushes(30_000), "--engine", "symbolic", *NO_Z),
    _systems("many pushes, diagram", lambda: _pushes(30_000), "--engine", "diagram", *NO_Z),
    _systems("many symbols, Z", lambda: _symbols(20_000), "--z", "cut"),
    _proof_about_another(
        "a proof about a long atomic section",
        _section("while (n < 9) { n := n + 1; }", "!x || n != 7"),
        _section("while (n < 99999999) { n := n + 1; }", "!x || n != 7"),
    ),
    _proof_about_another(
        "a proof about a deep atomic section",
        _section("f();", "!x || n != 7", 9),
        _section("f();", "!x || n != 7"),
    ),
    _check("endless evidence", _link("evidence.json", "/dev/zero"), WRONG),
    Attack(
        "evidence of a gigabyte",
        lambda folder: _with_hole(folder, 2**30),
        ("check", "small.cpds", "evidence.json", *LIMITED),
        frozenset(OPEN),
    ),
    _check("evidence in evidence", _text("evidence.json", lambda: "[" * 10**6), WRONG),
    _check("evidence of nothing", _text("evidence.json", lambda: "{}"), WRONG),
    _check("a number as evidence", _text("evidence.json", lambda: "1" * 10**5), WRONG),
    Attack(
        "rules for any label",
        _text("a.json", lambda: _rules_for_any_label(20_000)),
        ("weigh", "a.json", *LIMITED[:4]),
        frozenset(OPEN),
    ),
    Attack(
        "weights in weights",
        _text("a.json", lambda: '{"domain":' * 10**5),
        ("weigh", "a.json", *LIMITED[:4]),
        frozenset(WRONG),
    ),
]
