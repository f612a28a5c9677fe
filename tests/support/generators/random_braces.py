"""Random programs in braces with one thread: loops, `switch`, jumps, and machine integers."""

from __future__ import annotations

import random
from collections.abc import Callable

_DECLARATIONS = """\
decl b := false, c := true, n: int8 := {}, u: uint8 := {}, w: int32 := {}, r: int 0..3 := {};
decl a: uint8[3] := 1, i: int 0..7 := 0, j: int 0..7 := 0;
"""
_NUMBERS = ("n", "u", "w", "r", "i", "a[i]", "a[r]", "a[1]")
_TARGETS = ("n", "u", "w", "r", "a[r]", "a[n]", "a[2]")


def random_braces(chance: random.Random) -> str:
    """A random program."""
    edge = (0, 1, 2, 127)
    declared = _DECLARATIONS.format(
        chance.choice((*edge, -128, -1)),
        chance.choice((*edge, 255)),
        chance.choice((*edge, -1, 2**31 - 1, -(2**31))),
        chance.randrange(4),
    )
    statements = _Statements(chance)
    body = statements.block(3, chance.randrange(2, 6), loops=0)
    return f"{declared}void main() {{\n{body}\n}}\n"


class _Statements:
    def __init__(self, chance: random.Random) -> None:
        self.chance = chance

    def block(self, depth: int, count: int, loops: int, breaks: bool = False) -> str:
        return "\n".join(self._statement(depth, loops, breaks) for _ in range(count))

    def _statement(self, depth: int, loops: int, breaks: bool) -> str:
        chance = self.chance
        if depth and chance.random() < 0.5:
            return self._compound(depth - 1, loops, breaks)
        if loops and chance.random() < 0.2:
            return "continue;"
        if (loops or breaks) and chance.random() < 0.25:
            return "break;"
        target = chance.choice(_TARGETS)
        match chance.randrange(8):
            case 0:
                return f"{target} := {self._number(2)};"
            case 1:
                sign = chance.choice(["+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="])
                return f"{target} {sign} {self._number(1)};"
            case 2:
                return chance.choice((f"{target}++;", f"--{target};", "w >>>= r;", "n >>>= 2;"))
            case 3:
                return f"b, c := {self._truth(2)}, {chance.choice(('b', '*', '!c'))};"
            case 4:
                return f"n, {target} := {self._number(1)}, n;" if target != "n" else "n := -n;"
            case 5:
                return f"assert({self._truth(1)});"
            case 6:
                return chance.choice(("b := *;", "r := *;", f"assume({self._truth(1)});"))
        return f"atomic {{ b := !b; {target} += 1; }}"

    def _compound(self, depth: int, loops: int, breaks: bool) -> str:
        chance = self.chance

        def body(more: int = 0, breaks: bool = breaks) -> str:
            return self.block(depth, chance.randrange(1, 3), loops + more, breaks)

        kinds = ["if", "else", "switch", "switch"]
        if loops < 2:
            kinds += ["for", "for", "do", "while"]
        counter, last = "ij"[min(loops, 1)], chance.randrange(1, 4)
        match chance.choice(kinds):
            case "if":
                return f"if ({self._truth(2)}) {{ {body()} }}"
            case "else":
                return f"if ({self._truth(1)}) {{ {body()} }} else {{ {body()} }}"
            case "switch":
                return self._switch(body)
            case "for":
                head = f"{counter} := 0; {counter} < {last}; {counter}++"
                return f"for ({head}) {{ {body(1)} }}"
            case "do":
                test = f"{counter} < {last}"
                return f"{counter} := 0; do {{ {counter}++; {body(1)} }} while ({test});"
        return f"{counter} := 0; while ({counter} < {last}) {{ {counter} += 1; {body(1)} }}"

    def _switch(self, body: Callable[[int, bool], str]) -> str:
        """A `switch` over a value without choices."""
        chance = self.chance
        cases = [f"case {value}: " for value in chance.sample(range(-1, 4), 3)]
        if chance.random() < 0.6:
            cases.insert(chance.randrange(4), "default: ")
        bodies = ["" if chance.random() < 0.2 else body(0, True) for _ in cases]
        inside = " ".join(map("".join, zip(cases, bodies, strict=True)))
        subject = f"{chance.choice(_NUMBERS)} {chance.choice('+-%&')} {chance.choice(_NUMBERS)}"
        return f"switch ({subject}) {{ {inside} }}"

    def _number(self, depth: int) -> str:
        chance = self.chance
        if depth == 0 or chance.random() < 0.3:
            return chance.choice((*_NUMBERS, "0", "1", "2", "7", "100"))
        if chance.random() < 0.2:
            return f"{chance.choice('-~')}({self._number(depth - 1)})"
        if chance.random() < 0.1:
            return f"({self._truth(1)} ? {self._number(depth - 1)} : {self._number(depth - 1)})"
        if chance.random() < 0.1:
            return f"({chance.choice('nuw')} >>> {chance.choice(('1', 'r', self._number(0)))})"
        sign = chance.choice(["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"])
        if chance.random() < 0.2:  # What is computed first matters, if widths are different.
            names = chance.choices(_NUMBERS, k=3)
            return f"({names[0]} {sign} ({names[1]} {sign} {names[2]}))"
        return f"({self._number(depth - 1)} {sign} {self._number(depth - 1)})"

    def _truth(self, depth: int) -> str:
        chance = self.chance
        if depth == 0 or chance.random() < 0.3:
            return chance.choice(("b", "c", "true", "*"))
        if chance.random() < 0.5:
            sign = chance.choice(["=", "!=", "<", "<=", ">", ">="])
            return f"({self._number(1)} {sign} {self._number(1)})"
        sign = chance.choice(["&&", "||", "&", "|", "^", "=>"])
        return f"({self._truth(depth - 1)} {sign} {self._truth(depth - 1)})"
