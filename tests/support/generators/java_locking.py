"""Small concurrent Java programs at random: two threads, two locks, three fields, some waiting.

Every program is a class `P0`, `P1`, … with a method `go`, and all of them stand in one text, as the
compiler takes much longer than the translator.
"""

from __future__ import annotations

import random

LOCKS = ("first", "second")
FIELDS = ("x", "y", "z")

Held = tuple[str, ...]


def java_threads(seed: int, count: int) -> str:
    """A text with some programs."""
    chance = random.Random(seed)
    programs = "\n".join(_program(chance, number) for number in range(count))
    return f"""public class Source {{
    static final Object first = new Object(), second = new Object();
{programs}
}}
"""


def _program(chance: random.Random, number: int) -> str:
    joined = f"it.join(); {_block(chance, 1, ())}" if chance.random() < 0.3 else ""
    return f"""static class P{number} {{
    static int x, y, z;
    static void helped() throws InterruptedException {{ {_statement(chance, 1, ())} }}
    static synchronized void locked() {{ {chance.choice(FIELDS)}++; }}
    static void check(boolean right) {{ if (!right) throw new IllegalStateException(); }}
    static void other() throws InterruptedException {{ {_block(chance, 2, ())} }}
    static void go() throws InterruptedException {{
        Thread it = new Thread(() -> {{
            try {{ other(); }} catch (InterruptedException e) {{ }} }});
        it.start();
        {_block(chance, 2, ())} {joined}
    }} }}"""


def _block(chance: random.Random, depth: int, held: Held) -> str:
    return " ".join(_statement(chance, depth, held) for _ in range(chance.randint(1, 3)))


def _statement(chance: random.Random, depth: int, held: Held) -> str:
    one, two = chance.choice(FIELDS), chance.choice(FIELDS)
    plain = [
        f"{one} = {chance.randint(0, 2)};",
        f"{one} = ({one} + 1) & 3;",
        f"{one} = {two};",
        f"check({one} != {chance.randint(1, 3)});",
        f"check({one} <= {two});",
        f"{chance.choice(('helped', 'locked'))}();",
        f"while ({one} == 2) {{ {two} = 0; if ({two} == 0) break; }}",
    ]
    if held:
        plain += [f"{held[-1]}.notifyAll();", f"if ({one} == 0) {held[-1]}.wait();"]
    if not depth or chance.random() < 0.5:
        return chance.choice(plain)
    lock, way = chance.choice(LOCKS), chance.random()
    if way < 0.7:
        return f"synchronized ({lock}) {{ {_block(chance, depth - 1, (*held, lock))} }}"
    inside = _block(chance, depth - 1, held)
    if way < 0.9:
        return f"if ({one} == {chance.randint(0, 2)}) {{ {inside} }}"
    return f"for (int i{depth} = 0; i{depth} < 2; i{depth}++) {{ {inside} }}"
