"""Philosophers in a ring, who think before they eat: they deadlock if each has taken one fork."""

from __future__ import annotations

from collections.abc import Iterator


def ring(count: int, thoughts: int) -> str:
    """A system, as text. `thoughts` are the steps of a philosopher before it takes its first fork.
    The shared state has a digit for each fork, 1 if it is taken."""
    tables = [format(number, f"0{count}b") for number in range(2**count)]
    lines = [f"shared {' '.join(f'f{table}' for table in tables)}", f"initial f{'0' * count}"]
    for who in range(count):
        lines += [f"thread p{who} {{", "    stack s0"]
        for table in tables:
            lines += (f"    f{table} | {rest}" for rest in _rules(table, who, count, thoughts))
        lines.append("}")
    return "\n".join([*lines, "bad deadlock", ""])


def _rules(table: str, who: int, count: int, thoughts: int) -> Iterator[str]:
    """What a philosopher can do, after the shared state."""
    first, second = who, (who + 1) % count

    def with_fork(fork: int, held: str) -> str:
        return f"f{table[:fork]}{held}{table[fork + 1 :]}"

    for number in range(thoughts):
        yield f"s{number} -> f{table} | s{number + 1}"
    if table[first] == "0":
        yield f"s{thoughts} -> {with_fork(first, '1')} | one"
        return
    yield f"last -> {with_fork(first, '0')} | s0"
    if table[second] == "0":
        yield f"one -> {with_fork(second, '1')} | both"
    else:
        yield f"both -> {with_fork(second, '0')} | last"
