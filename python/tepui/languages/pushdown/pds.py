"""The `.pds` format of the public CUBA tool, read and written.

The number of shared states; `PDA lo hi` opens a thread; rules `q s -> q' w`, with `-` for the empty
stack. The initial state comes from an option or the sibling `.init`, targets from options or the
sibling `.spec`; `deadlock` as a target is an extension of ours.
Public files use symbols outside their thread's range, which is accepted with a warning.

Reading is fast because a rule with known words only is looked up word by word; only a line with a
new or a wrong word is parsed by the cursor that knows columns.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain

from tepui.errors import InputError, UsageError
from tepui.languages.loaded_model import Loaded
from tepui.languages.pushdown.state_texts import (
    NamedState,
    NameReader,
    Targets,
    Vocabulary,
    option_lines,
    parse_state,
    parse_targets,
    require_writable,
)
from tepui.languages.source import Source
from tepui.languages.tokens import (
    END,
    MAX_DIGITS,
    NAME,
    Line,
    lines_with_content,
    plain_number,
    write_name,
)
from tepui.model import Block, Description, NamedRule, Pattern, System, Template, build
from tepui.model.build import MAX_THREADS
from tepui.parameter_names import given, named
from tepui.records import field, mutable_record, record
from tepui.words import printable


@record
class PdsText:
    """The three files that hold a system in the `.pds` format."""

    pds: str
    init: str
    spec: str


def read_pds(
    source: Source, init: str | None = None, targets: Sequence[str] | None = None
) -> Loaded:
    """Read a `.pds` text; `init` and `targets` come before the files beside it."""
    file = _read_file(source)
    state = _option_or(init, source.beside(".init"))
    if targets:
        lines = option_lines(targets)
    else:
        spec = source.beside(".spec")
        lines = list(lines_with_content(spec)) if spec else []
    return _finish(file, state, lines)


def write_pds(system: System) -> PdsText:
    """The system as `.pds`, `.init` and `.spec`; names that are no numbers are numbered."""
    require_writable(system.property)
    return _Writer(system).write()


class _Numbers(NameReader):
    """The names of a `.pds` file: numbers, those of shared states below the declared one."""

    def __init__(self, declared: int) -> None:
        self.declared = declared

    def shared(self, line: Line) -> str:
        token = line.peek()
        what = f"a shared state (0 to {self.declared - 1})"
        number = _parse_number(line, what)
        if int(number) >= self.declared:
            raise line.error(token, f"expected {what}, found {token.found()}")
        return number

    def symbol(self, line: Line, expected: str) -> str:
        return _parse_number(line, expected)


@mutable_record
class _Thread:
    """A thread as its `PDA` block describes it."""

    name: str
    low: int
    high: int
    rules: list[NamedRule] = field(default_factory=list)
    symbols: dict[str, str] = field(default_factory=dict)
    """The words for symbols met so far, each with the symbol's name."""
    outside: dict[str, int] = field(default_factory=dict)
    """The symbols outside the declared range, each with the line where it was met first."""

    def holds(self, symbol: str) -> bool:
        return self.low <= int(symbol) <= self.high


class _File:
    """The content of a `.pds` file, without the initial state and the targets."""

    def __init__(self, source: Source, declared: int) -> None:
        self.source = source
        self.numbers = _Numbers(declared)
        self.shared: dict[str, str] = {}
        self.threads: list[_Thread] = []

    def open_thread(self, line: Line) -> None:
        line.take()
        low = int(_parse_number(line, "the lowest symbol after 'PDA'"))
        start = line.peek()
        high = int(_parse_number(line, "the highest symbol after the lowest"))
        if high < low:
            raise line.error(start, f"expected a number that is at least {low}, found '{high}'")
        line.expect(END, "after 'PDA lo hi'")
        if len(self.threads) == MAX_THREADS:
            raise line.error(start, f"expected at most {MAX_THREADS} threads, found more")
        self.threads.append(_Thread(f"T{len(self.threads) + 1}", low, high))

    def known_rule(self, words: list[str]) -> NamedRule:
        """The rule with these words; a KeyError if one of them is new or wrong."""
        if len(words) < 5 or words[2] != "->":
            raise KeyError
        symbols = self.threads[-1].symbols
        word = words[4:]
        return NamedRule(
            self.shared[words[0]],
            None if words[1] == "-" else symbols[words[1]],
            self.shared[words[3]],
            () if word == ["-"] else tuple([symbols[symbol] for symbol in word]),
        )

    def parse_rule(self, line: Line) -> NamedRule:
        """The rule on a line. Its words are known afterwards."""
        if not self.threads:
            raise line.expected("'PDA lo hi' before the first rule")
        if plain_number(line.peek().text) is None:
            raise line.expected("a rule or 'PDA lo hi'", ["PDA"])
        source = self._state(line)
        top = None if line.accept("-") else self._symbol(line, "a stack symbol or '-'")
        line.expect("->", "after the left-hand side")
        target = self._state(line)
        return NamedRule(source, top, target, self._word(line))

    def _word(self, line: Line) -> tuple[str, ...]:
        if line.accept("-"):
            line.expect(END, "after '-'")
            return ()
        word = [self._symbol(line, "a stack symbol or '-'")]
        while line.peek().kind is not END:
            word.append(self._symbol(line, "a stack symbol or the end of the line"))
        return tuple(word)

    def _state(self, line: Line) -> str:
        word = line.peek().text
        self.shared[word] = name = self.numbers.shared(line)
        return name

    def _symbol(self, line: Line, expected: str) -> str:
        word = line.peek().text
        thread = self.threads[-1]
        thread.symbols[word] = name = self.numbers.symbol(line, expected)
        if not thread.holds(name):
            thread.outside.setdefault(name, line.number)
        return name

    def range_warnings(self) -> Iterable[str]:
        for thread in self.threads:
            if thread.outside:
                line = min(thread.outside.values())
                symbols = list(thread.outside)
                some = ", ".join(symbols[:5]) + (", …" if len(symbols) > 5 else "")
                yield (
                    f"{self.source.name}:{line}: thread {thread.name} declares the symbols "
                    f"{thread.low} to {thread.high} but also uses {some}"
                )


def _read_file(source: Source) -> _File:
    if source.is_empty():
        raise InputError(source.name, 0, 0, "the file is empty")
    file = None
    for number, line in enumerate(source.lines, 1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        if file is None:
            file = _File(source, _parse_state_count(Line(source, number)))
        elif words[0] == "PDA":
            file.open_thread(Line(source, number))
        else:
            try:
                rule = file.known_rule(words)
            except (KeyError, IndexError):
                rule = file.parse_rule(Line(source, number))
            file.threads[-1].rules.append(rule)
    if file is None:
        raise source.error_at_end("expected the number of shared states, found the end of the file")
    if not file.threads:
        raise source.error_at_end("expected 'PDA lo hi', found the end of the file")
    return file


def _parse_state_count(line: Line) -> int:
    token = line.peek()
    count = int(_parse_number(line, "the number of shared states"))
    if count == 0:
        raise line.error(token, "expected at least one shared state, found '0'")
    line.expect(END, "after the number of shared states")
    return count


def _parse_number(line: Line, what: str) -> str:
    """A number without its leading zeros."""
    token = line.peek()
    number = plain_number(token.text) if token.kind is NAME else None
    if number is None:
        raise line.expected(what)
    if len(number) > MAX_DIGITS:
        raise line.error(token, f"expected at most {MAX_DIGITS} digits, found {len(number)}")
    line.take()
    return number


def _option_or(init: str | None, beside: Source | None) -> Source | None:
    return beside if init is None else Source.of_text(init, named("init"))


def _finish(file: _File, init: Source | None, lines: Iterable[Line]) -> Loaded:
    """Put the threads, the initial state and the targets together."""
    if init is None:
        raise UsageError(
            f"{file.source.name} has no initial state: "
            f"give one with {named('init')}, such as {given('init', '0|1,9')}, "
            "or in a .init file beside it"
        )
    threads = [thread.name for thread in file.threads]
    initial = parse_state(init, file.numbers, threads)
    targets = parse_targets(lines, file.numbers, _vocabulary(file, initial))
    used = {*file.shared.values(), initial.shared, *_shared_of(targets)}
    system = build(
        Description(
            initial=initial.shared,
            blocks=[
                Block(thread.name, stack, thread.rules)
                for thread, stack in zip(file.threads, initial.stacks, strict=True)
            ],
            patterns=targets.patterns,
            deadlock=targets.deadlock,
            shared=sorted(used, key=int),
            name=file.source.stem,
        )
    )
    warnings = [*file.range_warnings(), *_stack_warnings(file, init, initial), *targets.warnings]
    return Loaded(system, warnings)


def _vocabulary(file: _File, initial: NamedState) -> Vocabulary:
    return Vocabulary(
        {*file.shared.values(), initial.shared},
        [thread.name for thread in file.threads],
        [
            {*thread.symbols.values(), *stack}
            for thread, stack in zip(file.threads, initial.stacks, strict=True)
        ],
    )


def _shared_of(targets: Targets) -> Iterable[str]:
    return (pattern.shared for pattern in targets.patterns if pattern.shared is not None)


def _stack_warnings(file: _File, init: Source, initial: NamedState) -> Iterable[str]:
    for thread, stack in zip(file.threads, initial.stacks, strict=True):
        for symbol in stack:
            if not thread.holds(symbol) and symbol not in thread.outside:
                yield (
                    f"{init.name}: thread {thread.name} starts with the symbol {symbol}, "
                    f"which is not among its symbols {thread.low} to {thread.high}"
                )
                break


class _Writer:
    """Writes a system in numbers: its own where all names are numbers, else new ones."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.shared = _numbering(system.shared, start=0, digits=MAX_DIGITS - 1)
        self.symbols = [
            ["-", *_numbering(template.symbols[1:], start=1, digits=MAX_DIGITS)]
            for template in system.templates
        ]

    def write(self) -> PdsText:
        system = self.system
        lines = [
            f"# {printable(write_name(system.name))}",
            *_legend("shared state", system.shared, self.shared),
        ]
        lines.append(str(max(map(int, self.shared)) + 1))
        for name, index in zip(system.thread_names, system.threads, strict=True):
            lines += ["", f"# thread {write_name(name)}"]
            lines += self._thread(system.templates[index], self.symbols[index])
        stacks = ",".join(
            ".".join(self.symbols[index][symbol] for symbol in system.templates[index].stack) or "-"
            for index in system.threads
        )
        spec = [self._pattern(pattern) for pattern in system.property.patterns]
        spec += ["deadlock"] if system.property.deadlock else []
        return PdsText(
            pds=_joined(lines),
            init=_joined([f"{self.shared[system.initial]}|{stacks}"]),
            spec=_joined(spec),
        )

    def _thread(self, template: Template, symbols: list[str]) -> Iterable[str]:
        numbers = [int(symbol) for symbol in symbols[1:]] or [0]
        yield from _legend("symbol", template.symbols, symbols)
        yield f"PDA {min(numbers)} {max(numbers)}"
        for rule in template.rules:
            word = " ".join(symbols[symbol] for symbol in rule.word) or "-"
            source, target = self.shared[rule.source], self.shared[rule.target]
            yield f"{source} {symbols[rule.top]} -> {target} {word}"

    def _pattern(self, pattern: Pattern) -> str:
        shared = "*" if pattern.shared is None else self.shared[pattern.shared]
        tops = ",".join(
            "*" if top is None else self.symbols[index][top]
            for index, top in zip(self.system.threads, pattern.tops, strict=True)
        )
        return f"{shared}|{tops}"


def _numbering(names: Sequence[str], start: int, digits: int) -> list[str]:
    """A number for each name: the names themselves, if all of them can be read back unchanged."""
    if all(plain_number(name) == name and len(name) <= digits for name in names):
        return list(names)
    return [str(number) for number in range(start, start + len(names))]


def _legend(what: str, names: Sequence[str], numbers: Sequence[str]) -> Iterable[str]:
    """Comments that say which number is which name, where they differ."""
    for name, number in zip(names, numbers, strict=True):
        if name != number:
            yield f"# {what} {number} is {write_name(name)}"


def _joined(lines: Iterable[str]) -> str:
    return "".join(chain.from_iterable((line, "\n") for line in lines))
