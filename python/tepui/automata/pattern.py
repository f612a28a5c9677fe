"""Patterns for regular sets of configurations: `<q0, a b* c>`.

Before the comma is a shared state, or `*` for any. After it is a regular expression over the names
of stack symbols, top first: `*`, `+` and `?` for repetition, `|` for choice, `.` for any symbol,
`-` for the empty stack, and parentheses. The angle brackets may be left out. A name that is not
made of letters, digits and `_ : ' @ $ / [ ] = ~ ! & -` alone is put between double quotes.

A question about all threads at once, `q0 | a b*, -, *`, has such an expression for each of them
after the shared state, separated by commas; a lone `*` is any stack.

A pattern becomes an automaton without ε-transitions by Glushkov's construction: a node for each
place of a symbol in the pattern.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from tepui.errors import InputError
from tepui.languages.pushdown.state_texts import wrong_length
from tepui.model import EPSILON
from tepui.model.build import EMPTY
from tepui.model.system import Word
from tepui.records import record
from tepui.words import did_you_mean, shown

Transition = tuple[int, int, int]
"""From a node, by a symbol, to a node; inner nodes are negative, and the final one is LAST."""

LAST = -1

MAX_PLACES = 1000
MAX_DEPTH = 100
MAX_TRANSITIONS = 20_000_000


class PatternNames(NamedTuple):
    """The names that a pattern may use: shared states, and the symbols of a thread by number."""

    thread: str
    shared: Sequence[str]
    symbols: Sequence[str]


def transitions_of(text: str, names: PatternNames, source: str = "<pattern>") -> list[Transition]:
    """The transitions of an automaton that accepts what a pattern matches."""
    tokens = _Tokens(text, source)
    closing = _closing(tokens)
    sources = _sources(tokens, names)
    places = _Places(tokens, names)
    whole = places.choice(0)
    _expect_end(tokens, closing, _GOES_ON)
    return places.transitions(whole, sources)


def configuration_of(
    text: str, names: PatternNames, source: str = "<configuration>"
) -> tuple[int, Word]:
    """The one configuration that a text such as `<q0, a b>` names."""
    tokens = _Tokens(text, source)
    closing = _closing(tokens)
    shared = _shared(tokens, names)
    tokens.expect(",", "after the shared state")
    stack = []
    if tokens.accept(EMPTY) is None:
        stack.append(_symbol(tokens, names, "a stack symbol or '-'"))
        while tokens.peek().is_name:
            stack.append(_symbol(tokens, names, "a stack symbol"))
    _expect_end(tokens, closing, "a symbol")
    return shared, tuple(stack)


def reach_of(
    text: str, names: Sequence[PatternNames], source: str = "<reach>"
) -> tuple[int | None, list[list[Transition] | None]]:
    """The shared state and, for each thread, the transitions of an automaton that accepts its
    stacks from node 0; None for what is left open."""
    tokens = _Tokens(text, source)
    closing = _closing(tokens)
    shared = None if tokens.accept("*") else _shared(tokens, names[0], "a shared state or '*'")
    tokens.expect("|", "after the shared state")
    stacks: list[list[Transition] | None] = []
    threads = [each.thread for each in names]
    while True:
        if len(stacks) == len(names):
            raise tokens.error(tokens.peek(), wrong_length(threads, "more"))
        stacks.append(_stacks(tokens, names[len(stacks)]))
        if not tokens.accept(","):
            break
    goes_on = "" if stacks[-1] is None else _GOES_ON
    if len(stacks) < len(names):
        if tokens.peek().kind == closing:
            raise tokens.error(tokens.peek(), wrong_length(threads, str(len(stacks))))
        raise tokens.expected(f"{goes_on} or ','" if goes_on else "','")
    _expect_end(tokens, closing, goes_on)
    return shared, stacks


def written(name: str) -> str:
    """A name as a pattern reads it."""
    if re.fullmatch(_BARE, name):
        return name
    return '"' + "".join(_ESCAPES.get(character, character) for character in name) + '"'


@record
class _Part:
    """A part of a pattern: whether it matches the empty word, and at which places of the pattern a
    match can begin and end."""

    nullable: bool
    first: frozenset[int] = frozenset()
    last: frozenset[int] = frozenset()


class _Places:
    """Reads a regular expression, and notes which place can follow which."""

    def __init__(self, tokens: _Tokens, names: PatternNames) -> None:
        self._tokens = tokens
        self._names = names
        self._read: list[Sequence[int]] = []
        self._follow: list[set[int]] = []

    def choice(self, depth: int) -> _Part:
        part = self._sequence(depth)
        while self._tokens.accept("|"):
            other = self._sequence(depth)
            part = _Part(
                part.nullable or other.nullable,
                part.first | other.first,
                part.last | other.last,
            )
        return part

    def transitions(self, whole: _Part, sources: Sequence[int]) -> list[Transition]:
        self._require_size(whole, len(sources))
        found = [(source, EPSILON, LAST) for source in sources if whole.nullable]
        found += [edge for source in sources for edge in self._edges(source, whole.first)]
        for place, following in enumerate(self._follow):
            found += self._edges(_node(place), following)
        found += [(_node(place), EPSILON, LAST) for place in whole.last]
        return found

    def _edges(self, source: int, places: Iterable[int]) -> list[Transition]:
        return [(source, symbol, _node(place)) for place in places for symbol in self._read[place]]

    def _sequence(self, depth: int) -> _Part:
        part = self._repeated(depth)
        while self._tokens.peek().begins_atom:
            after = self._repeated(depth)
            self._may_follow(part.last, after.first)
            part = _Part(
                part.nullable and after.nullable,
                part.first | after.first if part.nullable else part.first,
                part.last | after.last if after.nullable else after.last,
            )
        return part

    def _repeated(self, depth: int) -> _Part:
        part = self._atom(depth)
        while sign := (
            self._tokens.accept("*") or self._tokens.accept("+") or self._tokens.accept("?")
        ):
            if sign.kind != "?":
                self._may_follow(part.last, part.first)
            if sign.kind != "+":
                part = _Part(True, part.first, part.last)
        return part

    def _atom(self, depth: int) -> _Part:
        tokens = self._tokens
        if tokens.accept(EMPTY):
            return _Part(nullable=True)
        if opened := tokens.accept("("):
            if depth == MAX_DEPTH:
                raise tokens.error(opened, f"more than {MAX_DEPTH} parentheses are open here")
            part = self.choice(depth + 1)
            tokens.expect(")", "to close the parenthesis")
            return part
        if tokens.accept("."):
            return self._place(range(EPSILON + 1, len(self._names.symbols)))
        return self._place((_symbol(tokens, self._names, "a stack symbol, '.', '-' or '('"),))

    def _place(self, symbols: Sequence[int]) -> _Part:
        place = len(self._read)
        if place == MAX_PLACES:
            raise self._tokens.error(
                self._tokens.peek(), f"a pattern has at most {MAX_PLACES:,} symbols"
            )
        self._read.append(symbols)
        self._follow.append(set())
        return _Part(False, frozenset({place}), frozenset({place}))

    def _may_follow(self, before: Iterable[int], after: Iterable[int]) -> None:
        for place in before:
            self._follow[place].update(after)

    def _require_size(self, whole: _Part, sources: int) -> None:
        def size(places: Iterable[int]) -> int:
            return sum(len(self._read[place]) for place in places)

        needed = sources * (size(whole.first) + 1) + sum(map(size, self._follow))
        if needed > MAX_TRANSITIONS:
            raise self._tokens.error(
                self._tokens.peek(),
                f"the pattern needs {needed:,} transitions for this thread, "
                f"at most {MAX_TRANSITIONS:,} are made",
            )


def _node(place: int) -> int:
    return LAST - 1 - place


class _Token(NamedTuple):
    """A word of a pattern: a name, the end, or a sign, which is its own kind."""

    kind: str
    text: str
    position: int

    @property
    def is_name(self) -> bool:
        return self.kind == "name"

    @property
    def begins_atom(self) -> bool:
        return self.is_name or self.kind in ("(", ".", EMPTY)

    def found(self) -> str:
        return "the end of the pattern" if self.kind == "end" else f"'{shown(self.text)}'"


class _Tokens:
    """A cursor over the words of a pattern."""

    def __init__(self, text: str, source: str) -> None:
        self._text = text
        self._source = source
        self._tokens = self._tokenize()
        self._next = 0

    def peek(self) -> _Token:
        return self._tokens[self._next]

    def accept(self, kind: str) -> _Token | None:
        token = self.peek()
        if token.kind != kind:
            return None
        self._next += 1
        return token

    def expect(self, kind: str, why: str) -> _Token:
        token = self.accept(kind)
        if token is None:
            raise self.expected(f"'{kind}' {why}")
        return token

    def expected(self, what: str) -> InputError:
        return self.error(self.peek(), f"expected {what}, found {self.peek().found()}")

    def error(self, token: _Token, message: str) -> InputError:
        before = self._text[: token.position]
        line = before.count("\n") + 1
        column = token.position - (before.rfind("\n") + 1) + 1
        return InputError(self._source, line, column, message, self._text.split("\n")[line - 1])

    def _tokenize(self) -> list[_Token]:
        tokens = []
        position = 0
        while match := _TOKEN.match(self._text, position):
            position = match.end()
            group = match.lastgroup or ""
            token = _Token(group, match[group], match.start(group))
            if group == "quoted":
                token = token._replace(kind="name", text=self._unquoted(token))
            elif group == "sign":
                token = token._replace(kind=_SIGNS.get(token.text, token.text))
            elif group == "stray":
                raise self.error(token, f"'{shown(token.text)}' cannot stand here")
            tokens.append(token)
        tokens.append(_Token("end", "", len(self._text.rstrip())))
        return tokens

    def _unquoted(self, token: _Token) -> str:
        def unescaped(match: re.Match[str]) -> str:
            if match[0] not in _UNESCAPES:
                raise self.error(token, f"unknown escape '{shown(match[0])}' in this name")
            return _UNESCAPES[match[0]]

        return re.sub(r"\\.", unescaped, token.text[1:-1], flags=re.DOTALL)


_BARE = r"[A-Za-z0-9_](?:[A-Za-z0-9_:'@$/\[\]=~!&]|-(?!>))*"
_TOKEN = re.compile(
    rf"""\s*(?:(?P<name>{_BARE})
    |(?P<sign>[-<>⟨⟩,|.*+?()])
    |(?P<quoted>"(?:[^"\\]|\\.)*")
    |(?P<stray>\S))""",
    re.VERBOSE | re.DOTALL,
)
_GOES_ON = "a symbol, '*', '+', '?', '|'"
_SIGNS = {"⟨": "<", "⟩": ">"}
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_UNESCAPES = {escape: character for character, escape in _ESCAPES.items()}


def _closing(tokens: _Tokens) -> str:
    """What must come at the end of a pattern that begins like this one."""
    return ">" if tokens.accept("<") else "end"


def _expect_end(tokens: _Tokens, closing: str, other: str) -> None:
    before = f"{other} or " if other else ""
    if closing == ">" and tokens.accept(">") is None:
        raise tokens.expected(f"{before}'>'")
    if tokens.peek().kind != "end":
        raise tokens.expected(f"{'' if closing == '>' else before}the end of the pattern")


def _sources(tokens: _Tokens, names: PatternNames) -> Sequence[int]:
    sources = range(len(names.shared)) if tokens.accept("*") else [_shared(tokens, names)]
    tokens.expect(",", "after the shared state")
    return sources


def _stacks(tokens: _Tokens, names: PatternNames) -> list[Transition] | None:
    """The stacks of one thread, or None for a `*`, which is any stack."""
    if tokens.accept("*"):
        return None
    if not tokens.peek().begins_atom:
        raise tokens.expected("a stack symbol, '*' for any stack, '.', '-' or '('")
    places = _Places(tokens, names)
    return places.transitions(places.choice(0), [0])


def _shared(tokens: _Tokens, names: PatternNames, expected: str = "a shared state") -> int:
    token = tokens.accept("name")
    if token is None:
        raise tokens.expected(expected)
    if token.text not in names.shared:
        raise tokens.error(
            token,
            f"there is no shared state '{shown(token.text)}'"
            + did_you_mean(token.text, names.shared, "the shared states are"),
        )
    return names.shared.index(token.text)


def _symbol(tokens: _Tokens, names: PatternNames, expected: str) -> int:
    token = tokens.accept("name")
    if token is None:
        raise tokens.expected(expected)
    symbols = names.symbols[EPSILON + 1 :]
    if token.text not in symbols:
        raise tokens.error(
            token,
            f"thread {names.thread} has no symbol '{shown(token.text)}'"
            + did_you_mean(token.text, symbols, "its symbols are"),
        )
    return symbols.index(token.text) + EPSILON + 1
