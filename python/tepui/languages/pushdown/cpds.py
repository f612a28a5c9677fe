"""The `.cpds` format: a concurrent pushdown system with names, in one file for people.

`shared` fixes the order of the shared states, `initial` says where the system starts, a `thread`
block holds a stack and rules `q | a -> q' | b c`, and `bad` lines hold the property. A line
`symbols` names further symbols for `bad` lines that occur in no rule. A count makes several equal
threads of one block; `* any` is any number of them, and then the file holds an open system.
Everything is on its own line, so an error has one place.

`write_cpds` is the inverse: what it writes reads back as the same system, numbers included, if
the system came out of `build`. The names of templates are kept where a block can carry them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from itertools import groupby

from tepui.errors import InputError, UsageError
from tepui.languages.loaded_model import Loaded
from tepui.languages.pushdown.state_texts import (
    NamedState,
    NameReader,
    Vocabulary,
    option_lines,
    parse_stack,
    parse_state,
    parse_targets,
    require_writable,
)
from tepui.languages.pushdown.suspicions import suspicions
from tepui.languages.source import Source
from tepui.languages.tokens import END, NAME, Line, Token, write_name
from tepui.model import (
    Block,
    Description,
    NamedRule,
    OpenSystem,
    Pattern,
    System,
    Template,
    build,
)
from tepui.model.build import EMPTY, MAX_THREADS
from tepui.model.open_system import OpenThreads
from tepui.parameter_names import named
from tepui.records import field, mutable_record, record
from tepui.words import did_you_mean, printable, shown

_KEYWORDS = ("shared", "initial", "thread", "bad")


def read_cpds(
    source: Source, init: str | None = None, targets: Sequence[str] | None = None
) -> Loaded:
    """Read a `.cpds` text; `init` and `targets` replace its own."""
    reader = _Reader(source)
    description = reader.read()
    if reader.any_number:
        return _open(reader, description, init, targets)
    threads = [name for block in description.blocks for name in block.thread_names()]
    further = reader.further
    if init is not None:
        state = parse_state(Source.of_text(init, named("init")), reader.names, threads)
        _start_from(description, state)
    vocabulary = _vocabulary(description, threads, further)
    asked = parse_targets(reader.bad, reader.names, vocabulary)  # Wrong lines are never skipped.
    if targets:
        asked = parse_targets(option_lines(targets), reader.names, vocabulary)
    description.patterns = asked.patterns
    description.deadlock = asked.deadlock
    odd = suspicions(description, source.name)
    return Loaded(build(description), [*asked.warnings, *odd])


def _open(
    reader: _Reader, description: Description, init: str | None, targets: Sequence[str] | None
) -> Loaded:
    """The system of a file with any number of threads of some blocks."""
    # Most files have none, and the import takes time.
    from tepui.languages.pushdown.open_targets import Threads, parse_open_targets

    name = reader.source.name
    if init is not None:
        raise UsageError(
            f"{name}: {named('init')} names the stack of each thread, and there is any number of "
            f"threads {', '.join(reader.any_number)}"
        )
    kinds = [
        Threads(
            block.name,
            None if block.name in reader.any_number else block.count,
            _symbols_of(block) | further,
        )
        for block, further in zip(description.blocks, reader.further_of_blocks, strict=True)
    ]
    shared = _shared_names(description)
    asked = parse_open_targets(reader.bad, reader.names, shared, kinds)
    if targets:
        asked = parse_open_targets(option_lines(targets), reader.names, shared, kinds)
    blocks = tuple(
        OpenThreads(block.name, block.stack, tuple(block.rules), kind.count)
        for block, kind in zip(description.blocks, kinds, strict=True)
    )
    found = OpenSystem(
        description.name,
        description.initial,
        blocks,
        tuple(asked.patterns),
        asked.deadlock,
        tuple(description.shared),
    )
    return Loaded(found, [*asked.warnings, *suspicions(description, name)])


def write_cpds(system: System) -> str:
    """The system as a `.cpds` text."""
    require_writable(system.property)
    lines = [f"# {printable(write_name(system.name))}", *_shared_lines(system.shared)]
    lines.append(f"initial {write_name(system.shared[system.initial])}")
    for block in _written_blocks(system):
        count = f" * {block.count}" if block.count > 1 else ""
        lines += ["", f"thread {write_name(block.name)}{count} {{"]
        lines += [f"    {line}" for line in _template_lines(system, block.template)]
        lines.append("}")
    lines.append("")
    lines += [f"bad {_pattern_text(system, pattern)}" for pattern in system.property.patterns]
    lines += ["bad deadlock"] if system.property.deadlock else []
    return "\n".join(lines).rstrip("\n") + "\n"


class _AnyNames(NameReader):
    """The names of a `.cpds` file: any name, or for shared states only declared ones, if some are.

    Words once accepted as names are remembered, so that most rules need no cursor.
    """

    def __init__(self) -> None:
        self.declared: dict[str, None] = {}
        self.known_shared: dict[str, str] = {}
        self.known_symbols: dict[str, str] = {}

    def shared(self, line: Line) -> str:
        token = line.expect_name("a shared state")
        if self.declared and token.text not in self.declared:
            hint = did_you_mean(token.text, self.declared, "these are")
            raise line.error(
                token, f"expected one of the declared shared states, found {token.found()}{hint}"
            )
        if token.kind is NAME:
            self.known_shared[token.text] = token.text
        return token.text

    def symbol(self, line: Line, expected: str) -> str:
        token = line.expect_name(expected)
        if token.text == EMPTY:
            raise line.error(token, f"expected {expected}, but '-' cannot be the name of a symbol")
        if token.kind is NAME:
            self.known_symbols[token.text] = token.text
        return token.text

    def known_rule(self, words: list[str]) -> NamedRule | None:
        """The rule `q | a -> q' | b c` with these words, if all of them are known."""
        if len(words) < 7 or words[1] != "|" or words[3] != "->" or words[5] != "|":
            return None
        symbols = self.known_symbols
        word = words[6:]
        try:
            return NamedRule(
                self.known_shared[words[0]],
                None if words[2] == "-" else symbols[words[2]],
                self.known_shared[words[4]],
                () if word == ["-"] else tuple([symbols[symbol] for symbol in word]),
            )
        except KeyError:
            return None


@mutable_record
class _OpenThread:
    """A thread block whose closing brace is still to come, and the line of its opening one."""

    block: Block
    line: int
    has_stack: bool = False
    further: set[str] = field(default_factory=set)
    """The symbols that a `symbols` line names."""


class _Reader:
    """Reads a file line by line; `bad` lines wait until all threads are known."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.names = _AnyNames()
        self.initial: str | None = None
        self.blocks: list[Block] = []
        self.bad: list[Line] = []
        self.thread_names: dict[str, int] = {}
        self.threads = 0
        self.open: _OpenThread | None = None
        self.further: list[set[str]] = []
        self.further_of_blocks: list[set[str]] = []
        self.any_number: list[str] = []
        """The blocks of which there is any number of threads."""

    def read(self) -> Description:
        if self.source.is_empty():
            raise InputError(self.source.name, 0, 0, "the file is empty")
        for number, text in enumerate(self.source.lines, 1):
            rule = self.names.known_rule(text.split()) if self.open else None
            if self.open and rule:
                self.open.block.rules.append(rule)
            else:
                self._line(Line(self.source, number))
        if self.open:
            raise self.source.error_at_end(
                f"expected '}}' to close thread {shown(self.open.block.name)} "
                f"of line {self.open.line}, found the end of the file"
            )
        if self.initial is None:
            raise self.source.error_at_end("expected 'initial' and a shared state, found neither")
        if not self.blocks:
            raise self.source.error_at_end("expected at least one thread, found none")
        return Description(
            initial=self.initial,
            blocks=self.blocks,
            shared=list(self.names.declared),
            name=self.source.stem,
        )

    def _line(self, line: Line) -> None:
        if line.is_blank:
            return
        if self.open:
            self._line_of_thread(line, self.open)
        else:
            self._line_of_file(line)

    def _line_of_file(self, line: Line) -> None:
        """A line outside all threads."""
        what = "'shared', 'initial', 'thread' or 'bad'"
        if line.peek(1).kind == "|":
            raise line.error(line.peek(), f"expected {what}, found a rule outside all threads")
        if line.at_word("shared"):
            self._shared(line)
        elif line.at_word("initial"):
            self._initial(line)
        elif line.at_word("thread"):
            self._thread(line)
        elif line.at_word("bad"):
            line.take()
            self.bad.append(line)
        else:
            raise line.expected(what, _KEYWORDS)

    def _shared(self, line: Line) -> None:
        keyword = line.take()
        if self.initial is not None or self.blocks or self.bad:
            raise line.error(keyword, "expected 'shared' before everything else, found it here")
        while True:
            token = line.expect_name("the name of a shared state")
            if token.text in self.names.declared:
                raise line.error(token, f"expected a new shared state, found {token.found()} again")
            self.names.declared[token.text] = None
            if line.peek().kind is END:
                break

    def _initial(self, line: Line) -> None:
        keyword = line.take()
        if self.initial is not None:
            raise line.error(keyword, "expected one 'initial' line, found a second one")
        self.initial = self.names.shared(line)
        line.expect(END, "after the initial shared state")

    def _count(self, line: Line) -> int | None:
        """How many threads there are; None is any number."""
        if line.at_word("any"):
            line.take()
            return None
        if line.accept("*"):
            return None
        return line.expect_count(MAX_THREADS, "'any', or a number of threads")

    def _thread(self, line: Line) -> None:
        line.take()
        name = line.expect_name("the name of the thread")
        count = self._count(line) if line.accept("*") else 1
        line.expect("{", "after the name of the thread")
        line.expect(END, "after '{'")
        if self.threads + (count or 1) > MAX_THREADS:
            raise line.error(name, f"expected at most {MAX_THREADS} threads in total, found more")
        block = Block(name.text, (), [], count or 1)
        if count is None:
            self.any_number.append(block.name)
        self._remember_names(line, name, block)
        self.open = _OpenThread(block, line.number)

    def _remember_names(self, line: Line, token: Token, block: Block) -> None:
        for name in dict.fromkeys([block.name, *block.thread_names()]):
            if name in self.thread_names:
                raise line.error(
                    token,
                    f"expected a new name, but line {self.thread_names[name]} "
                    f"already has a thread '{shown(name)}'",
                )
            self.thread_names[name] = line.number
        self.threads += block.count

    def _line_of_thread(self, line: Line, thread: _OpenThread) -> None:
        if line.peek(1).kind == "|":
            thread.block.rules.append(self._rule(line))
        elif line.at_word("stack"):
            self._stack(line, thread)
        elif line.at_word("symbols"):
            line.take()
            thread.further.update(parse_stack(line, self.names))
            line.expect(END, "after the symbols")
        elif line.peek().kind == "}":
            self._close(line, thread)
        elif any(map(line.at_word, _KEYWORDS)):
            raise line.expected(f"'}}' to close thread {shown(thread.block.name)} first")
        elif line.peek().is_name:
            word = line.take().text
            hint = did_you_mean(word, ["stack", "symbols"])
            error = line.expected("'|' after the shared state of a rule, or a 'stack' line")
            error.message += f" after '{shown(word)}'{hint}" if hint else ""
            raise error
        else:
            raise line.expected("a rule, 'stack' or '}'")

    def _stack(self, line: Line, thread: _OpenThread) -> None:
        keyword = line.take()
        if thread.has_stack:
            raise line.error(keyword, "expected one 'stack' line, found a second one")
        thread.block.stack = parse_stack(line, self.names)
        thread.has_stack = True
        line.expect(END, "after the stack")

    def _rule(self, line: Line) -> NamedRule:
        source = self.names.shared(line)
        line.expect("|", "after the shared state")
        top = None if line.accept("-") else self.names.symbol(line, "a stack symbol or '-'")
        line.expect("->", "after the left-hand side")
        target = self.names.shared(line)
        line.expect("|", "after the shared state")
        word = parse_stack(line, self.names)
        line.expect(END, "after the right-hand side")
        return NamedRule(source, top, target, word)

    def _close(self, line: Line, thread: _OpenThread) -> None:
        brace = line.take()
        line.expect(END, "after '}'")
        if not thread.has_stack:
            raise line.error(
                brace,
                f"expected a 'stack' line in thread {shown(thread.block.name)}; "
                "write 'stack -' if it starts with the empty stack",
            )
        self.blocks.append(thread.block)
        self.further += [thread.further] * thread.block.count
        self.further_of_blocks.append(thread.further)
        self.open = None


def _start_from(description: Description, state: NamedState) -> None:
    """Replace the initial state; a block whose threads now start differently falls apart."""
    description.initial = state.shared
    stacks = iter(state.stacks)
    blocks: list[Block] = []
    for block in description.blocks:
        own = [next(stacks) for _ in range(block.count)]
        if len(set(own)) == 1:
            blocks.append(Block(block.name, own[0], block.rules, block.count))
        else:
            named = zip(block.thread_names(), own, strict=True)
            blocks += [Block(name, stack, block.rules) for name, stack in named]
    description.blocks = blocks


def _vocabulary(
    description: Description, threads: list[str], further: Sequence[Set[str]]
) -> Vocabulary:
    """The names in a system, and those that its file declares; `further` are symbols by thread."""
    used = [
        symbols for block in description.blocks for symbols in [_symbols_of(block)] * block.count
    ]
    both = [symbols | more for symbols, more in zip(used, further, strict=True)]
    return Vocabulary(_shared_names(description), threads, both)


def _shared_names(description: Description) -> set[str]:
    rules = [rule for block in description.blocks for rule in block.rules]
    ends = (name for rule in rules for name in (rule.source, rule.target))
    return {description.initial, *description.shared, *ends}


def _symbols_of(block: Block) -> set[str]:
    """The symbols that the stack and the rules of a block name."""
    used = {*block.stack, *(symbol for rule in block.rules for symbol in rule.word)}
    return used | {rule.top for rule in block.rules if rule.top is not None}


@record
class _WrittenBlock:
    """Adjacent threads that one `thread` block can stand for."""

    name: str
    template: Template
    count: int


def _written_blocks(system: System) -> Iterator[_WrittenBlock]:
    """The threads in order, X.1, X.2, … taken together where X is free to name them."""
    taken = set(system.thread_names)
    first = {index: thread for thread, index in reversed(list(enumerate(system.threads)))}
    thread = 0
    while thread < len(system.threads):
        index = system.threads[thread]
        template = system.templates[index]
        base = system.thread_names[thread].removesuffix(".1")
        count = _numbered_from(system, thread, base)
        may_name = base not in taken and (first[index] != thread or base == template.name)
        if count > 1 and may_name:
            taken.add(base)
            yield _WrittenBlock(base, template, count)
            thread += count
        else:
            yield _WrittenBlock(system.thread_names[thread], template, 1)
            thread += 1


def _numbered_from(system: System, thread: int, base: str) -> int:
    """The number of equal threads from this one on that are called base.1, base.2, …"""
    count = 0
    while (
        thread + count < len(system.threads)
        and system.threads[thread + count] == system.threads[thread]
        and system.thread_names[thread + count] == f"{base}.{count + 1}"
    ):
        count += 1
    return count


def _shared_lines(names: Sequence[str]) -> Iterator[str]:
    line = "shared"
    for name in map(write_name, names):
        if len(line) + len(name) >= 100 and line != "shared":
            yield line
            line = "shared"
        line += f" {name}"
    yield line


def _template_lines(system: System, template: Template) -> Iterator[str]:
    yield f"stack {_word_text(template, template.stack)}"
    used = {*template.stack, *(symbol for rule in template.rules for symbol in rule.word)}
    used.update(rule.top for rule in template.rules)
    further = [symbol for symbol in range(1, len(template.symbols)) if symbol not in used]
    if further:
        yield f"symbols {_word_text(template, further)}"
    for rule in template.rules:
        source = write_name(system.shared[rule.source])
        target = write_name(system.shared[rule.target])
        top = _symbol_text(template, rule.top)
        yield f"{source} | {top} -> {target} | {_word_text(template, rule.word)}"


def _word_text(template: Template, word: Iterable[int]) -> str:
    return " ".join(_symbol_text(template, symbol) for symbol in word) or "-"


def _symbol_text(template: Template, symbol: int) -> str:
    return write_name(template.symbols[symbol]) if symbol else "-"


def _pattern_text(system: System, pattern: Pattern) -> str:
    shared = "*" if pattern.shared is None else write_name(system.shared[pattern.shared])
    tops = (
        "*" if top is None else _symbol_text(system.template_of(thread), top)
        for thread, top in enumerate(pattern.tops)
    )
    return f"{shared} | {', '.join(_repeated(tops))}"


def _repeated(entries: Iterable[str]) -> Iterator[str]:
    """The entries, long runs of equal ones written as `x * n`."""
    for entry, run in groupby(entries):
        count = len(list(run))
        yield from [f"{entry} * {count}"] if count > 3 else [entry] * count
