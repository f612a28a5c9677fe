"""Random small programs that fork as many threads as they like, never join, and store no
identities, as texts.

What threads do is mostly to wait for a value of a shared variable and to change it, as with locks
and semaphores; so whether two of them can be at two places depends on what all others do.
"""

from __future__ import annotations

from random import Random

LAST = 2
"""The shared variable s has the values 0 to this."""


def random_crowd(rng: Random) -> str:
    """The text of a program, with a label `L1`, `L2`, … at each place of a forked thread."""
    has_parameter = {name: rng.random() < 0.3 for name in ("work", "other")[: rng.choice([1, 2])]}

    def fork(given: str) -> str:
        name = rng.choice(list(has_parameter))
        return f"async {name}({given if has_parameter[name] else ''});"

    start = rng.choice(["0", "0", "1", "*"])
    lines = [f"decl s: int 0..{LAST} := {start};", "decl a := 0;", "void main() {"]
    lines += [_change(rng, ["a"])] * rng.randint(0, 1)
    lines += [f"while ({rng.choice('1*')}) {{", *(fork("a") for _ in range(rng.randint(1, 2)))]
    lines += ["}", "}"]
    labels = 0
    for name, has in has_parameter.items():
        bits = ["a", "x", *["p"] * has]
        lines += [f"void {name}({'p' if has else ''}) {{", f"decl x := {rng.choice('0*')};"]
        body = [_change(rng, bits) for _ in range(rng.randint(3, 5))]
        body += [fork(rng.choice(bits))] * (rng.random() < 0.1)
        labelled = [f"L{labels + number}: {line}" for number, line in enumerate(body, start=1)]
        labels += len(body)
        loops = rng.random() < 0.8
        lines += [*["while (1) {"] * loops, *labelled, *["}"] * loops, "}"]
    return "\n".join(lines) + "\n"


def _change(rng: Random, bits: list[str]) -> str:
    """A statement, mostly of the kind that threads use to wait for each other."""
    bit, value = rng.choice(bits), rng.choice(["0", "1", "*", *bits])
    if rng.random() < 0.2:
        return f"{bit} := {value};"
    if rng.random() < 0.1:
        return f"if ({bit}) {{ s := {rng.randint(0, LAST)}; }}"
    at = rng.randint(0, LAST)
    guard = rng.choice([f"s = {at}", f"s = {at}", f"s != {at}"])
    guard += rng.choice(["", "", "", f" && {bit}", f" && !{bit}"])
    to = rng.choice(["s := s + 1", "s := s - 1", f"s := {rng.randint(0, LAST)}", f"{bit} := 1"])
    return f"atomic {{ wait({guard}); {to}; }}"
