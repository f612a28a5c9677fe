"""Readers of .cpds and .pds texts, states, targets and --reach, as docs/formats.md has them.

Nothing here is shared with tepui: the grammars of the documentation, read line by line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from support.docs_oracle.systems_pattern import Node, PatternError, parse_reach

Stack = tuple[str, ...]
State = tuple[str, tuple[Stack, ...]]
Top = tuple[str, ...] | None  # None is any, () the empty stack, (a,) the symbol a
MOST_THREADS = 10_000


class RefusedError(Exception):
    """The documentation calls this text wrong."""


@dataclass(frozen=True)
class Rule:
    """From a shared state and a top (None: the empty stack) to a shared state and a word."""

    source: str
    top: str | None
    target: str
    word: Stack


@dataclass(frozen=True)
class Thread:
    """A thread with its name, its rules, and the symbols that it is known to have.

    `listed` are those that only `PDA low high` says.
    """

    name: str
    rules: tuple[Rule, ...]
    symbols: frozenset[str]
    listed: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Target:
    """A pattern of visible states; `deadlock` is the property of that name."""

    shared: str | None
    tops: tuple[Top, ...]
    deadlock: bool = False


@dataclass(frozen=True)
class Reach:
    """A shared state, or None for any, and a pattern for each stack, or None for any."""

    shared: str | None
    stacks: tuple[Node | None, ...]


@dataclass(frozen=True)
class System:
    """What a file says, with --init and --target in place of what it says itself."""

    shared: frozenset[str]
    threads: tuple[Thread, ...]
    start: State
    targets: tuple[Target, ...]
    listed: frozenset[str] = frozenset()  # shared states of .pds that nothing uses


class UnusedError(Exception):
    """--reach names what a .pds file lists, or only a target has: see `read_reach`."""


# --- words -------------------------------------------------------------------------------------

_BARE = re.compile(r"[A-Za-z0-9_](?:(?!->)[A-Za-z0-9_:'@$/\[\]()=+~!?&-])*")
_PUNCTUATION = ("->", "|", ",", "*", "-", ".", "{", "}")
_ESCAPES = {'"': '"', "\\": "\\", "n": "\n", "r": "\r", "t": "\t"}
_NUMBER = re.compile(r"0*[0-9]{1,18}")


@dataclass(frozen=True)
class Word:
    """A word of a line: a bare name, a quoted one, or punctuation."""

    kind: str
    text: str


def _quoted(line: str, at: int) -> tuple[str, int]:
    text, at = "", at + 1
    while at < len(line) and line[at] != '"':
        if line[at] == "\\":
            at += 1
            if at >= len(line) or line[at] not in _ESCAPES:
                raise RefusedError("no such escape")
            text += _ESCAPES[line[at]]
        else:
            text += line[at]
        at += 1
    if at >= len(line):
        raise RefusedError("the quotes do not end")
    return text, at + 1


def words_of(line: str) -> list[Word]:
    """The words of a line, without its comment."""
    words: list[Word] = []
    at = 0
    while at < len(line):
        if line[at] in " \t":
            at += 1
        elif line[at] == "#":
            break
        elif line[at] == '"':
            text, at = _quoted(line, at)
            words.append(Word("quoted", text))
        elif match := _BARE.match(line, at):
            words.append(Word("bare", match.group()))
            at = match.end()
        else:
            found = next((each for each in _PUNCTUATION if line.startswith(each, at)), None)
            if found is None:
                raise RefusedError(f"unknown character {line[at]!r}")
            words.append(Word("mark", found))
            at += len(found)
    return words


class Line:
    """The words of one statement, read from the left; `numbers` for .pds."""

    def __init__(self, words: Sequence[Word], numbers: bool = False) -> None:
        self.words, self.at, self.numbers = list(words), 0, numbers

    def is_mark(self, text: str, ahead: int = 0) -> bool:
        at = self.at + ahead
        return at < len(self.words) and self.words[at] == Word("mark", text)

    def is_name(self) -> bool:
        return self.at < len(self.words) and self.words[self.at].kind != "mark"

    def is_word(self, text: str) -> bool:
        return self.at < len(self.words) and self.words[self.at] == Word("bare", text)

    def accept(self, text: str) -> bool:
        if self.is_mark(text):
            self.at += 1
            return True
        return False

    def expect(self, text: str) -> None:
        if not self.accept(text):
            raise RefusedError(f"expected {text}")

    def name(self) -> str:
        if not self.is_name():
            raise RefusedError("expected a name")
        if self.numbers:
            return str(self.number())
        self.at += 1
        return self.words[self.at - 1].text

    def symbol(self) -> str:
        name = self.name()
        if name == "-":
            raise RefusedError("no symbol is called -")
        return name

    def number(self) -> int:
        word = self.words[self.at] if self.at < len(self.words) else Word("mark", "")
        if word.kind != "bare" or not _NUMBER.fullmatch(word.text):
            raise RefusedError("expected a number")
        self.at += 1
        return int(word.text)

    def end(self) -> None:
        if self.at != len(self.words):
            raise RefusedError("expected the end of the line")

    def word(self, dots: bool = True) -> Stack:
        """`-`, or symbols with or without dots between them."""
        if self.accept("-"):
            return ()
        symbols = [self.symbol()]
        while self.is_name() or (dots and self.is_mark(".")):
            self.accept(".")
            symbols.append(self.symbol())
        return tuple(symbols)

    def count(self) -> int:
        found = self.number() if self.accept("*") else 1
        if not 0 < found <= MOST_THREADS:  # the documentation says nothing about 0
            raise RefusedError("no such number of entries")
        return found


def statements(text: str) -> list[list[Word]]:
    """The lines that say something, as words."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    return [words for words in map(words_of, text.split("\n")) if words]


# --- states and targets ------------------------------------------------------------------------


def _state(line: Line, threads: int) -> State:
    shared = line.name()
    line.expect("|")
    stacks: list[Stack] = []
    while True:
        stack = line.word()
        stacks += [stack] * line.count()
        if not line.accept(","):
            break
    line.end()
    if len(stacks) != threads:
        raise RefusedError("a stack for each thread")
    return shared, tuple(stacks)


def _top(line: Line) -> Top:
    if line.accept("*"):
        return None
    return () if line.accept("-") else (line.symbol(),)


def _target(line: Line, threads: int) -> Target:
    if line.is_word("deadlock") and not line.is_mark("|", 1):
        line.at += 1
        line.end()
        return Target(None, (), True)
    shared = None if line.accept("*") else line.name()
    line.expect("|")
    tops: list[Top] = []
    while True:
        top = _top(line)
        tops += [top] * line.count()
        if not line.accept(","):
            break
    line.end()
    if len(tops) != threads:
        raise RefusedError("a top for each thread")
    return Target(shared, tuple(tops))


def _one_state(text: str, numbers: bool, threads: int) -> State:
    lines = statements(text)
    if len(lines) != 1:
        raise RefusedError("expected one state")
    return _state(Line(lines[0], numbers), threads)


def _one_target(text: str, numbers: bool, threads: int) -> Target:
    lines = statements(text)
    if len(lines) != 1:
        raise RefusedError("expected one target")
    return _target(Line(lines[0], numbers), threads)


def read_reach(system: System, text: str) -> Reach:
    """What --reach says; a name that the system does not have is an error.

    A .pds file has all shared states below its number and all symbols from low to high.
    tepui does not know those that nothing uses, which is a finding; here it is an UnusedError.
    So it is with names that only a target has, of which the documentation says nothing.
    """
    try:
        shared, nodes = parse_reach(text)
    except PatternError as error:
        raise RefusedError(str(error)) from error
    aimed = {target.shared for target in system.targets} | system.listed
    if shared is not None and shared not in system.shared | aimed:
        raise RefusedError("no such shared state")
    if len(nodes) != len(system.threads):
        raise RefusedError("a pattern for each thread")
    unused = shared is not None and shared not in system.shared
    tops = {name for target in system.targets for top in target.tops for name in top or ()}
    for node, thread in zip(nodes, system.threads, strict=True):
        names = frozenset() if node is None else node.names() - thread.symbols
        if not names <= thread.listed | tops:
            raise RefusedError("no such symbol")
        unused |= bool(names)
    if unused:
        raise UnusedError
    return Reach(shared, nodes)


# --- .pds --------------------------------------------------------------------------------------


def _symbols(rules: Iterable[Rule], stack: Stack) -> frozenset[str]:
    found = set(stack)
    for rule in rules:
        found |= {rule.top} if rule.top is not None else set()
        found |= set(rule.word)
    return frozenset(found)


def _pds_rule(line: Line, states: int) -> Rule:
    source = line.name()
    top = None if line.accept("-") else line.symbol()
    line.expect("->")
    target = line.name()
    word = line.word(dots=False)
    line.end()
    if int(source) >= states or int(target) >= states:
        raise RefusedError("no such shared state")
    return Rule(source, top, target, word)


def read_pds(
    text: str,
    init_file: str | None,
    spec_file: str | None,
    init: str | None = None,
    targets: Sequence[str] = (),
) -> System:
    """A .pds text with the texts of its .init and .spec files, and the options."""
    lines = [Line(words, numbers=True) for words in statements(text)]
    if not lines:
        raise RefusedError("an empty file")
    states = lines[0].number()
    lines[0].end()
    blocks: list[tuple[range, list[Rule]]] = []
    for line in lines[1:]:
        if line.is_word("PDA"):
            line.at += 1
            low, high = line.number(), line.number()
            line.end()
            if high < low:
                raise RefusedError("no symbols")  # the documentation says nothing
            blocks.append((range(low, min(high, low + 1000) + 1), []))  # more are not asked for
        elif not blocks:
            raise RefusedError("expected PDA")
        else:
            blocks[-1][1].append(_pds_rule(line, states))
    if init is None and init_file is None:
        raise RefusedError("no initial state")
    start = _one_state(init if init is not None else init_file or "", True, len(blocks))
    if targets:
        asked = [_one_target(each, True, len(blocks)) for each in targets]
    else:
        spec = [Line(words, numbers=True) for words in statements(spec_file or "")]
        asked = [_target(line, len(blocks)) for line in spec]
    for each in [start[0], *(target.shared for target in asked)]:
        if each is not None and int(each) >= states:
            raise RefusedError("no such shared state")
    threads = tuple(
        Thread(
            f"T{at + 1}",
            tuple(rules),
            _symbols(rules, stack),
            frozenset(map(str, numbers)) - _symbols(rules, stack),
        )
        for at, ((numbers, rules), stack) in enumerate(zip(blocks, start[1], strict=True))
    )
    used = {name for _, rules in blocks for rule in rules for name in (rule.source, rule.target)}
    used.add(start[0])
    listed = frozenset(map(str, range(states))) - used
    return System(frozenset(used), threads, start, tuple(asked), listed)


# --- .cpds -------------------------------------------------------------------------------------


@dataclass
class _Block:
    name: str
    count: int | None
    stack: Stack | None
    rules: list[Rule]

    def names(self) -> list[str]:
        if self.count in (None, 1):  # the documentation says nothing about `* 1`
            return [self.name]
        return [f"{self.name}.{at + 1}" for at in range(self.count or 0)]


class _Cpds:
    """What has been read of a .cpds text."""

    def __init__(self) -> None:
        self.declared: list[str] = []
        self.initial: str | None = None
        self.blocks: list[_Block] = []
        self.open: _Block | None = None
        self.bad: list[Line] = []

    def inside(self, line: Line, block: _Block) -> None:
        if line.accept("}"):
            if block.stack is None:
                raise RefusedError("a thread without stack")
            self.open = None
        elif line.is_word("stack") and not line.is_mark("|", 1):
            line.at += 1
            if block.stack is not None:
                raise RefusedError("two stacks")
            block.stack = line.word()
        elif line.is_word("symbols") and not line.is_mark("|", 1):
            line.at += 1
            line.word()
        else:
            source = line.name()
            line.expect("|")
            top = None if line.accept("-") else line.symbol()
            line.expect("->")
            target = line.name()
            line.expect("|")
            block.rules.append(Rule(source, top, target, line.word()))
        line.end()

    def outside(self, line: Line) -> None:
        keyword = line.words[0]
        line.at = 1
        if keyword == Word("bare", "shared"):
            if self.blocks or self.bad or self.initial is not None:
                raise RefusedError("shared lines come first")
            self.declared.append(line.name())
            while line.is_name():
                self.declared.append(line.name())
            if len(set(self.declared)) < len(self.declared):
                raise RefusedError("twice the same")  # the documentation says nothing
        elif keyword == Word("bare", "initial"):
            if self.initial is not None:
                raise RefusedError("two initial lines")
            self.initial = line.name()
        elif keyword == Word("bare", "thread"):
            self.open = _Block(line.name(), None, None, [])
            if line.is_mark("*"):
                self.open.count = line.count()
            line.expect("{")
            self.blocks.append(self.open)
        elif keyword == Word("bare", "bad"):
            self.bad.append(line)
            return  # read when the threads are known
        else:
            raise RefusedError("expected shared, initial, thread or bad")
        line.end()

    def check(self) -> None:
        if self.open is not None or self.initial is None or not self.blocks:
            raise RefusedError("something is missing")
        names = [name for block in self.blocks for name in block.names()]
        if len(names) > MOST_THREADS:
            raise RefusedError("too many threads")
        names += [block.name for block in self.blocks if block.count not in (None, 1)]
        if len(set(names)) < len(names):
            raise RefusedError("threads have different names")


def read_cpds(text: str, init: str | None = None, targets: Sequence[str] = ()) -> System:
    """A .cpds text, and the options --init and --target."""
    file = _Cpds()
    for words in statements(text):
        line = Line(words)
        if file.open is not None:
            file.inside(line, file.open)
        else:
            file.outside(line)
    file.check()
    members = [(name, block) for block in file.blocks for name in block.names()]
    asked = [_target(line, len(members)) for line in file.bad]
    start: State = (file.initial or "", tuple(block.stack or () for _, block in members))
    used = {file.initial or ""}
    rules = [rule for block in file.blocks for rule in block.rules]
    used |= {name for rule in rules for name in (rule.source, rule.target)}
    used |= {target.shared for target in asked if target.shared is not None}
    if init is not None:
        start = _one_state(init, False, len(members))
        used.add(start[0])
    if targets:
        asked = [_one_target(each, False, len(members)) for each in targets]
        used |= {target.shared for target in asked if target.shared is not None}
    if file.declared and not used <= set(file.declared):
        raise RefusedError("no such shared state")
    known = {start[0]} | {name for rule in rules for name in (rule.source, rule.target)}
    threads = tuple(
        Thread(name, tuple(block.rules), _symbols(block.rules, stack))
        for (name, block), stack in zip(members, start[1], strict=True)
    )
    return System(frozenset(known | set(file.declared)), threads, start, tuple(asked))
