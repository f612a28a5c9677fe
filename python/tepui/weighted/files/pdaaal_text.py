"""The texts in which the public PDAAAL tool writes sets of configurations.

    < [Zero, One] , ([A]?[B])* > | < Two, [^C]+ . >    # a comment

Between the brackets there is a state, or a list of states, and then a regular expression over sets
of labels, top first: `[A]`, `[A, B]`, `[^A]` for all others, `.` for any, with `*`, `+`, `?`, `|`
and parentheses. An empty expression is the empty stack. A state that is not a name is between
double quotes. The meaning of `.` and `^` is known only when all labels are known. So a text is read
first, and becomes an automaton later, by Thompson's construction, from which ε is removed.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from tepui.errors import InputError
from tepui.weighted.configurations import Configurations, Inner, Node, Transition
from tepui.weighted.epsilon import without_epsilon
from tepui.words import did_you_mean, shown

MAX_DEPTH = 100
MAX_PLACES = 1000


@dataclass(frozen=True)
class StackText:
    """A text that has been read."""

    parts: tuple[_Part, ...]
    reader: _Reader

    @classmethod
    def of(cls, text: str, source: str) -> StackText:
        reader = _Reader(text, source)
        return cls(tuple(reader.parts()), reader)

    @property
    def labels(self) -> Iterator[str]:
        """The labels that it names, in order."""
        for part in self.parts:
            yield from part.stack.labels()

    def configurations(self, states: Collection[str], labels: Collection[str]) -> Configurations:
        """The set that it stands for, given all states and labels."""
        builder = _Builder(labels)
        for part in self.parts:
            for state in part.states:
                if state.text not in states:
                    hint = did_you_mean(state.text, states, "the states are")
                    raise self.reader.error(state, f"there is no state '{shown(state.text)}'{hint}")
            builder.add([state.text for state in part.states], part.stack)
        return builder.done()


class _Token(NamedTuple):
    """A word of a text: a name, the end, or a sign, which is its own kind."""

    kind: str
    text: str
    position: int


class _Expression:
    """A regular expression: its operator and its parts."""

    def __init__(
        self, kind: str, *inside: _Expression, names: tuple[str, ...] = (), others: bool = False
    ) -> None:
        self.kind = kind
        self.inside = inside
        self.names = names
        self.others = others
        """Whether it means all labels except the named ones."""

    def labels(self) -> Iterator[str]:
        yield from self.names
        for each in self.inside:
            yield from each.labels()


class _Part(NamedTuple):
    """The states and the expression between two brackets."""

    states: tuple[_Token, ...]
    stack: _Expression


class _Reader:
    """A cursor over a text."""

    def __init__(self, text: str, source: str) -> None:
        self._text = text
        self._source = source
        self._tokens = list(self._tokenized())
        self._next = 0
        self._places = 0

    def parts(self) -> Iterator[_Part]:
        yield self._part()
        while self._accept("|"):
            yield self._part()
        if self._peek().kind != "end":
            raise self._expected("'|' or the end of the text")

    def error(self, token: _Token, message: str) -> InputError:
        before = self._text[: token.position]
        line = before.count("\n") + 1
        column = token.position - (before.rfind("\n") + 1) + 1
        return InputError(self._source, line, column, message, self._text.split("\n")[line - 1])

    def _part(self) -> _Part:
        self._expect("<")
        states = [self._expect_state()] if self._peek().kind != "[" else self._states()
        self._expect(",")
        stack = _Expression("sequence") if self._peek().kind == ">" else self._choice(0)
        self._expect(">")
        return _Part(tuple(states), stack)

    def _states(self) -> list[_Token]:
        self._expect("[")
        states = [self._expect_state()]
        while self._accept(","):
            states.append(self._expect_state())
        self._expect("]")
        return states

    def _choice(self, depth: int) -> _Expression:
        choices = [self._sequence(depth)]
        while self._accept("|"):
            choices.append(self._sequence(depth))
        return _Expression("choice", *choices)

    def _sequence(self, depth: int) -> _Expression:
        parts = [self._repeated(depth)]
        while self._peek().kind in ("(", "[", "."):
            parts.append(self._repeated(depth))
        return _Expression("sequence", *parts)

    def _repeated(self, depth: int) -> _Expression:
        atom = self._atom(depth)
        sign = self._accept("*") or self._accept("+") or self._accept("?")
        return atom if sign is None else _Expression(sign.kind, atom)

    def _atom(self, depth: int) -> _Expression:
        if opened := self._accept("("):
            if depth == MAX_DEPTH:
                raise self.error(opened, f"more than {MAX_DEPTH} parentheses are open here")
            inside = self._choice(depth + 1)
            self._expect(")")
            return inside
        self._places += 1
        if self._places > MAX_PLACES:
            raise self.error(self._peek(), f"a text has at most {MAX_PLACES:,} sets of labels")
        if self._accept("."):
            return _Expression("labels", others=True)
        if not self._accept("["):
            raise self._expected("a set of labels such as '[A]', '.' or '('")
        others = self._accept("^") is not None
        names = [self._expect_label()]
        while self._accept(","):
            names.append(self._expect_label())
        self._expect("]")
        return _Expression("labels", names=tuple(names), others=others)

    def _expect_state(self) -> _Token:
        if self._peek().kind not in ("name", "quoted"):
            raise self._expected("a state")
        return self._take()

    def _expect_label(self) -> str:
        if self._peek().kind != "name":
            raise self._expected("a label, made of letters, digits and '_'")
        return self._take().text

    def _peek(self) -> _Token:
        return self._tokens[self._next]

    def _take(self) -> _Token:
        self._next += 1
        return self._tokens[self._next - 1]

    def _accept(self, kind: str) -> _Token | None:
        return self._take() if self._peek().kind == kind else None

    def _expect(self, kind: str) -> None:
        if not self._accept(kind):
            raise self._expected(f"'{kind}'")

    def _expected(self, what: str) -> InputError:
        token = self._peek()
        found = "the end of the text" if token.kind == "end" else f"'{shown(token.text)}'"
        return self.error(token, f"expected {what}, found {found}")

    def _tokenized(self) -> Iterator[_Token]:
        position = 0
        while match := _TOKEN.match(self._text, position):
            position = match.end()
            kind = match.lastgroup or ""
            token = _Token(kind, match[kind], match.start(kind))
            if kind == "stray":
                raise self.error(token, f"'{shown(token.text)}' cannot stand here")
            if kind == "quoted":
                yield token._replace(text=re.sub(r'\\(["\\])', r"\1", token.text[1:-1]))
            else:
                yield token._replace(kind=token.text) if kind == "sign" else token
        yield _Token("end", "", len(self._text.rstrip()))


_TOKEN = re.compile(
    r"""(?:\s|\#[^\n]*)*(?:(?P<name>[A-Za-z0-9_]+)
    |(?P<sign>[<>\[\],|.*+?()^])
    |(?P<quoted>"(?:[^"\\]|\\["\\])*")
    |(?P<stray>[^\s\#]))""",
    re.VERBOSE,
)


class _Builder:
    """Thompson's construction: an expression becomes a path from one node to another."""

    def __init__(self, labels: Collection[str]) -> None:
        self._labels = labels
        self._transitions: set[Transition] = set()
        self._accepting: set[Node] = set()
        self._nodes = 0

    def add(self, states: Collection[str], stack: _Expression) -> None:
        first, last = self._node(), self._node()
        self._transitions |= {(state, None, first) for state in states}
        self._accepting.add(last)
        self._lead(first, stack, last)

    def done(self) -> Configurations:
        return without_epsilon(
            Configurations(frozenset(self._transitions), frozenset(self._accepting))
        )

    def _lead(self, first: Node, expression: _Expression, last: Node) -> None:
        if expression.kind == "labels":
            named = set(expression.names)
            self._transitions |= {
                (first, label, last)
                for label in self._labels
                if (label in named) is not expression.others
            }
        elif expression.kind == "choice":
            for each in expression.inside:
                self._lead(first, each, last)
        elif expression.kind == "sequence":
            node = first
            for each in expression.inside:
                follower = self._node()
                self._lead(node, each, follower)
                node = follower
            self._transitions.add((node, None, last))
        else:
            self._repeat(first, expression, last)

    def _repeat(self, first: Node, expression: _Expression, last: Node) -> None:
        before, after = self._node(), self._node()
        self._lead(before, expression.inside[0], after)
        self._transitions |= {(first, None, before), (after, None, last)}
        if expression.kind != "?":
            self._transitions.add((after, None, before))
        if expression.kind != "+":
            self._transitions.add((first, None, last))

    def _node(self) -> Inner:
        self._nodes += 1
        return Inner(self._nodes)
