"""Random small .cpds and .pds texts with all the corners of docs/formats.md, and questions."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from random import Random

PLAIN = re.compile(r"[A-Za-z0-9_]+")
_BARE = re.compile(r"[A-Za-z0-9_](?:(?!->)[A-Za-z0-9_:'@$/\[\]()=+~!?&-])*")
_REACH = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_:'@$/\[\]=~!&-]*")
_ODD = (
    "a b", "a.b", "*", "#", "|", "-x", "->", "a->b", 'say "x"', "back\\slash", "tab\tx", "é", "x,y",
    "a-", "a-b", "f(2)", "x[1]", "k+1", "p?", "a=b", "q'", "v:w", "@x", "~", "{", "0", "007",
    "stack", "thread", "shared", "initial", "bad", "deadlock", "PDA", "*3", "<p>", "",
)  # fmt: skip


@dataclass(frozen=True)
class Case:
    """The text of a system, for .pds with those of its .init and .spec files."""

    form: str
    text: str
    init_file: str | None = None
    spec_file: str | None = None
    features: frozenset[str] = frozenset()


@dataclass
class Shape:
    """A system before it is written: names, and blocks of threads."""

    shared: list[str]
    initial: str
    blocks: list[Block]
    features: set[str] = field(default_factory=set)

    def threads(self) -> list[Block]:
        return [block for block in self.blocks for _ in range(block.count or 1)]


@dataclass
class Block:
    """Equal threads: `count` is None where the file has no `* n`."""

    name: str
    count: int | None
    symbols: list[str]
    stack: list[str]
    rules: list[tuple[str, str | None, str, list[str]]]


def quote(name: str, always: bool = False) -> str:
    """The name as .cpds has it."""
    if _BARE.fullmatch(name) and not always:
        return name
    text = name.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + text.replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t") + '"'


def reach_name(name: str) -> str:
    """The name as a pattern has it."""
    return name if _REACH.fullmatch(name) else quote(name, always=True)


def _names(rng: Random, letter: str, count: int, odd: bool, numbers: bool) -> list[str]:
    if numbers:
        low = rng.choice((0, 1, 4, 7))
        return [str(low + at) for at in range(count)]
    names = [f"{letter}{at}" for at in range(count)]
    if odd:
        others = rng.sample(_ODD, count)
        names = [rng.choice(pair) for pair in zip(names, others, strict=True)]
    return names


def _word(rng: Random, symbols: list[str], pushes: float) -> list[str]:
    if rng.random() < pushes:
        return rng.choices(symbols, k=rng.choice((2, 2, 2, 2, 3, 3, 4, 6)))
    return [rng.choice(symbols)] if rng.random() < 0.6 else []


def _rules(
    rng: Random, shared: list[str], live: list[str], block: Block, pushes: float
) -> list[tuple[str, str | None, str, list[str]]]:
    """Rules, most of which begin where the start or another rule leads."""
    rules = []
    tops = list(block.stack)
    for _ in range(rng.choice((0, 1, 2, 3, 4, 5, 6, 7, 8))):
        source = rng.choice(live if rng.random() < 0.8 else shared)
        top = rng.choice(tops if tops and rng.random() < 0.8 else block.symbols)
        empty = rng.random() < 0.08
        word = _word(rng, block.symbols, 0.1 if empty else pushes)
        target = rng.choice(shared)
        rules.append((source, None if empty else top, target, word))
        live.append(target)
        tops += word
    if rules and rng.random() < 0.05:
        rules.append(rng.choice(rules))
    return rules


def random_shape(rng: Random, numbers: bool) -> Shape:
    """Names, threads and rules."""
    odd = rng.random() < 0.35
    features: set[str] = {"odd names"} if odd and not numbers else set()
    shared = _names(rng, "q", rng.choice((1, 2, 2, 3, 3, 4)), odd, False)
    if numbers:
        shared = [str(at) for at in range(len(shared))]
    pushes = rng.choice((0.0, 0.0, 0.1, 0.15, 0.3))
    initial = rng.choice(shared)
    live = [initial]
    blocks: list[Block] = []
    for at in range(rng.choice((1, 1, 2, 2, 2, 3))):
        symbols = _names(rng, rng.choice("ab"), rng.choice((1, 2, 2, 3)), odd, numbers)
        symbols = [symbol for symbol in symbols if symbol != "-"]
        stack = rng.choices(symbols, k=rng.choice((0, 1, 1, 1, 1, 2, 3)))
        name = rng.choice(_ODD) + str(at) if odd and rng.random() < 0.5 else f"P{at}"
        count = rng.choice((None,) * 7 + (1, 2, 3)) if not numbers else None
        blocks.append(Block(name, count, symbols, stack, []))
        blocks[-1].rules = _rules(rng, shared, live, blocks[-1], pushes)
        features |= {"count"} if count else set()
    if rng.random() < 0.25:
        twin = rng.choice(blocks)
        rules = rng.sample(twin.rules, len(twin.rules))
        blocks.append(Block("twin", None, twin.symbols, twin.stack, rules))
        features.add("equal blocks")
    while sum(block.count or 1 for block in blocks) > 4:
        blocks.pop(rng.randrange(len(blocks)))
    for block in blocks:
        features |= {"empty stack"} if not block.stack else set()
        features |= {"high stack"} if len(block.stack) > 1 else set()
        features |= {"rule on empty"} if any(rule[1] is None for rule in block.rules) else set()
        features |= {"long word"} if any(len(rule[3]) > 2 for rule in block.rules) else set()
        features |= {"push"} if any(len(rule[3]) > 1 for rule in block.rules) else set()
    features.add(f"{sum(block.count or 1 for block in blocks)} threads")
    return Shape(shared, initial, blocks, features)


class Writer:
    """Writes names and lines in one of the many ways that mean the same."""

    def __init__(self, rng: Random, numbers: bool) -> None:
        self.rng, self.numbers = rng, numbers

    def name(self, name: str) -> str:
        if self.numbers:
            return "0" * self.rng.choice((0,) * 20 + (1, 3)) + name
        return quote(name, always=self.rng.random() < 0.03)

    def known(self, names: list[str]) -> str:
        """One of the names, or rarely one that nothing has."""
        strange = "99" if self.numbers else "zz"
        return strange if self.rng.random() < 0.02 else self.name(self.rng.choice(names))

    def word(self, word: list[str], dots: bool = True) -> str:
        if not word:
            return "-"
        text = self.name(word[0])
        for symbol in word[1:]:
            text += self.rng.choice((" ", ".", " . ") if dots else (" ",)) + self.name(symbol)
        return text

    def comma(self) -> str:
        return self.rng.choice((", ", ",", " , "))

    def entries(self, entries: list[str]) -> str:
        """One entry for each thread, equal ones perhaps counted."""
        parts: list[str] = []
        at = 0
        while at < len(entries):
            same = 1
            while at + same < len(entries) and entries[at + same] == entries[at]:
                same += 1
            taken = self.rng.randint(1, same)
            if taken > 1 or self.rng.random() < 0.05:
                times = self.rng.choice((" * ", "*", " *"))
                parts.append(f"{entries[at]}{times}{taken}")
            else:
                parts.append(entries[at])
            at += taken
        return self.comma().join(parts)

    def state(self, shape: Shape) -> str:
        """A random initial state."""
        stacks = [
            self.rng.choices(block.symbols, k=self.rng.choice((0, 1, 1, 2)))
            if self.rng.random() < 0.5
            else block.stack
            for block in shape.threads()
        ]
        shared = self.known(shape.shared)
        bar = self.rng.choice(("|", " | "))
        return shared + bar + self.entries([self.word(stack) for stack in stacks])

    def target(self, shape: Shape) -> str:
        """A random target."""
        if self.rng.random() < 0.12:
            return "deadlock"
        shared = "*" if self.rng.random() < 0.2 else self.known(shape.shared)
        tops = []
        for block in shape.threads():
            tops.append(
                "*"
                if self.rng.random() < 0.3
                else "-"
                if self.rng.random() < 0.3
                else self.known(block.symbols)
            )
        return shared + self.rng.choice(("|", " | ")) + self.entries(tops)

    def like(self, state: tuple[str, tuple[tuple[str, ...], ...]]) -> str:
        """A target that has this state, with some wildcards."""
        shared = "*" if self.rng.random() < 0.2 else self.name(state[0])
        tops = [
            "*" if self.rng.random() < 0.25 else self.name(stack[0]) if stack else "-"
            for stack in state[1]
        ]
        return shared + " | " + self.entries(tops)

    def lines(self, lines: list[str]) -> str:
        """The lines with blanks, comments and line ends between them."""
        found: list[str] = []
        for line in lines:
            if self.rng.random() < 0.04:
                found.append(self.rng.choice(("", "   ", "# a comment | -> {", "\t# x")))
            blanks = self.rng.choice(("", "", "", "  ", "\t"))
            comment = self.rng.choice(("",) * 15 + (" # why", "#x", ' # "'))
            found.append(blanks + line + comment)
        end = self.rng.choice(("\n",) * 8 + ("\r\n", "\r"))
        mark = "\ufeff" if self.rng.random() < 0.02 else ""
        return mark + end.join(found) + (end if self.rng.random() < 0.9 else "")


def write_cpds(rng: Random, shape: Shape) -> Case:
    """The shape as .cpds."""
    writer = Writer(rng, False)
    lines: list[str] = []
    if rng.random() < 0.5:
        shared = [*shape.shared, *(["unused"] if rng.random() < 0.2 else [])]
        rng.shuffle(shared)
        cut = rng.randint(1, len(shared))
        for part in (shared[:cut], shared[cut:]):
            if part:
                lines.append("shared " + " ".join(map(writer.name, part)))
    blocks = [_cpds_block(rng, writer, block) for block in shape.blocks]
    rest = ["initial " + writer.name(shape.initial)]
    bad = ["bad " + writer.target(shape) for _ in range(rng.choice((0, 1, 1, 1, 1, 2)))]
    order = [rest, *([each] for each in bad)]
    rng.shuffle(order)
    cut = rng.randint(0, len(order)) if rng.random() < 0.3 else 1
    for part in [*order[:cut], *blocks, *order[cut:]]:
        lines += part
    return Case("cpds", writer.lines(lines), features=frozenset(shape.features))


def _cpds_block(rng: Random, writer: Writer, block: Block) -> list[str]:
    count = "" if block.count is None else rng.choice((" * ", "*")) + str(block.count)
    lines = [f"thread {writer.name(block.name)}{count} {{"]
    body = ["stack " + writer.word(block.stack)]
    for source, top, target, word in block.rules:
        bar, arrow = rng.choice((" | ", "|")), rng.choice((" -> ", "->"))
        left = writer.name(source) + bar + ("-" if top is None else writer.name(top))
        arrow = " -> " if left.endswith("-") else arrow
        body.append(left + arrow + writer.name(target) + bar + writer.word(word))
    if rng.random() < 0.3:
        rng.shuffle(body)
    return [*lines, *body, "}"]


def write_pds(rng: Random, shape: Shape) -> Case:
    """The shape as .pds with .init and .spec."""
    writer = Writer(rng, True)
    features = set(shape.features)
    lines = [str(len(shape.shared) + rng.choice((0, 0, 0, 1)))]
    for block in shape.blocks:
        numbers = sorted(map(int, block.symbols))
        low, high = numbers[0], numbers[-1] + rng.choice((0, 0, 0, 2))
        if rng.random() < 0.1:
            low, high = low + 1, high + 1
            features.add("symbol outside")
        lines.append(f"PDA {low} {high}")
        for source, top, target, word in block.rules:
            left = writer.name(source) + " " + ("-" if top is None else writer.name(top))
            arrow = rng.choice((" -> ", "\t->  ", "->")) if top is not None else " -> "
            lines.append(left + arrow + writer.name(target) + " " + writer.word(word, dots=False))
    stacks = writer.entries([writer.word(block.stack) for block in shape.threads()])
    init = None if rng.random() < 0.05 else writer.lines([f"{shape.initial}|{stacks}"])
    spec = [writer.target(shape) for _ in range(rng.choice((0, 1, 1, 2)))]
    spec_file = writer.lines(spec) if spec else None
    return Case("pds", writer.lines(lines), init, spec_file, frozenset(features))


# --- patterns of whole stacks --------------------------------------------------------------------


def random_pattern(rng: Random, symbols: list[str], depth: int = 3) -> str:
    """A regular expression over the symbols."""
    kind = rng.choice(("leaf", "leaf", "row", "row", "either", "post")) if depth else "leaf"
    if kind == "leaf":
        return rng.choice([".", "-", *map(reach_name, symbols * 2)])
    parts = [random_pattern(rng, symbols, depth - 1) for _ in range(rng.choice((2, 2, 3)))]
    if kind == "row":
        return rng.choice((" ", "  ")).join(_closed(part, kind) for part in parts)
    if kind == "either":
        return rng.choice((" | ", "|")).join(parts)
    return _closed(parts[0], kind) + rng.choice("*+?")


def _closed(part: str, kind: str) -> str:
    """In parentheses, if something would belong to less than the whole part."""
    single = PLAIN.fullmatch(part) or part in (".", "-")
    if single or (kind == "row" and "|" not in part and '"' not in part):
        return part
    return f"({part})"


def random_reach(rng: Random, shape: Shape) -> str:
    """A shared state or *, and a pattern for each thread."""
    shared = "*" if rng.random() < 0.5 else reach_name(rng.choice(shape.shared))
    stacks = [
        "*" if rng.random() < 0.2 else random_pattern(rng, block.symbols, rng.choice((1, 2, 3)))
        for block in shape.threads()
    ]
    return shared + rng.choice(("|", " | ")) + rng.choice((", ", ",")).join(stacks)


def random_reach_like(rng: Random, state: tuple[str, tuple[tuple[str, ...], ...]]) -> str:
    """A pattern that has this state, and perhaps some others."""
    stacks = []
    for stack in state[1]:
        parts = [
            rng.choice(
                (name, name, name, name, ".", f"{name}+", f"{name}*", f"({name} | -)", f"({name})")
            )
            for name in map(reach_name, stack)
        ]
        tail = rng.choice(("", "", "", ".*"))
        text = " ".join([*parts, tail]).strip() or rng.choice(("-", "-*"))
        stacks.append("*" if rng.random() < 0.15 else text)
    shared = "*" if rng.random() < 0.2 else reach_name(state[0])
    return f"{shared} | {', '.join(stacks)}"


# --- texts that may be wrong ---------------------------------------------------------------------


_PIECES = (
    "-", "->", "|", ",", "*", ".", "{", "}", "stack", "bad", "initial", "shared", "thread", "PDA",
    "symbols", "deadlock", "0", "1", "99", "q0", "a0", "\n", '"', "# x", "* 2", "\\", "=", "<",
    '"-"', '"z"',
)  # fmt: skip


def spoil(rng: Random, text: str) -> str:
    """The text with one word or one line more, less, or other."""
    if rng.random() < 0.4:
        lines = text.split("\n")
        at = rng.randrange(len(lines))
        kind = rng.choice(("drop", "double", "swap"))
        if kind == "drop":
            del lines[at]
        elif kind == "double":
            lines.insert(at, lines[at])
        else:
            other = rng.randrange(len(lines))
            lines[at], lines[other] = lines[other], lines[at]
        return "\n".join(lines)
    pieces = re.split(r"([ \t\n]+)", text)
    at = rng.randrange(0, len(pieces), 2)
    kind = rng.choice(("drop", "insert", "change"))
    piece = rng.choice(_PIECES)
    if kind == "drop":
        pieces[at] = ""
    elif kind == "insert":
        pieces[at] += rng.choice((" ", "")) + piece
    else:
        pieces[at] = piece
    return "".join(pieces)
