"""Predicates as text, read into formulas.

    m = 1                               over shared variables
    s = l                               of the watched thread, with its variable l
    at critical                         the watched thread comes to a label or a line next
    forall other: mine != other.mine    over all threads but the watched one
    exists other: other at critical
    count(at critical) >= 2             how many threads there are, the watched one included
    count(t: t.mine = mine) = 1         the same, next to variables of the watched thread

Operators are those of Boolean programs: ! && || -> = != < <= > >= + - *; `not`, `and`, `or` and
`==` are read as well. A quantifier reaches as far to the right as it can. Inside of it there is no
other one, and a count is compared with a number: that is what makes small models enough
(`pictured_states`). What names stand for is known only where a thread is (`predicate_terms`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from tepui.errors import InputError
from tepui.records import record
from tepui.words import shown

SOURCE = "predicate"

Quantity = Literal["forall", "exists", "count"]


@record
class Number:
    value: int
    column: int


@record
class Name:
    """A variable or a member of an enumeration; `thread` is the name of a quantified thread, and
    empty for the thread that the formula is about."""

    thread: str
    name: str
    index: int | None
    column: int


@record
class At:
    """Whether a thread comes to a place next."""

    thread: str
    place: str
    column: int


@record
class Operation:
    """An operator and its operands."""

    operator: str
    operands: tuple[Formula, ...]
    column: int


@record
class Quantified:
    """A formula about each thread but the watched one, or about how many threads satisfy it.

    Without a variable, the formula is about the counted thread alone.
    """

    quantity: Quantity
    variable: str
    body: Formula
    column: int
    operator: str = ""
    number: int = 0


Formula = Number | Name | At | Operation | Quantified


@record
class Predicate:
    """A predicate, as it was written and as it was read."""

    text: str
    formula: Formula

    def error(self, column: int, message: str) -> InputError:
        """An error at a place of its text."""
        return InputError(SOURCE, 1, column, message, self.text)


def read_predicate(text: str) -> Predicate:
    """The predicate that a text stands for; an InputError says where it stands for none."""
    reader = _Reader(text)
    return Predicate(text, reader.whole())


def parts(formula: Formula) -> Iterator[Formula]:
    """A formula and all that it is made of."""
    yield formula
    if isinstance(formula, Operation):
        for operand in formula.operands:
            yield from parts(operand)
    elif isinstance(formula, Quantified):
        yield from parts(formula.body)


def quantified_in(formula: Formula) -> list[Quantified]:
    """The parts of a formula that are about several threads."""
    return [part for part in parts(formula) if isinstance(part, Quantified)]


class _Token(NamedTuple):
    kind: str
    text: str
    column: int


_TOKENS = re.compile(
    r"\s+|(?P<number>[0-9]+)|(?P<name>[A-Za-z_$][A-Za-z_$0-9]*)"
    r"|(?P<sign>->|=>|&&|\|\||==|!=|<=|>=|[-+*!=<>&|()\[\].:])"
)

_PLACE = re.compile(r'\s*(?:"(?P<quoted>[^"]*)"|(?P<bare>[\w$.\-]+(?::[\w$]+)?(?:\(\))?))')

_MOST_DIGITS = 18

_DEEPEST = 50

_SAME = {"and": "&&", "&": "&&", "or": "||", "|": "||", "not": "!", "==": "=", "=>": "->"}
"""Other ways to write an operator."""

_WORDS = frozenset({"and", "or", "not", "forall", "exists", "count", "at"})

_COMPARISONS = ("=", "!=", "<", "<=", ">", ">=")


class _Reader:
    """Reads one predicate. The first thing that is wrong ends it."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._next = self._token(0)
        self._bound = ""
        """The quantified thread, where there is one."""
        self._is_inside = False
        self._depth = 0

    def whole(self) -> Formula:
        if "\n" in self._text:
            raise InputError(SOURCE, 0, 0, f"{shown(self._text)} has several lines, expected one")
        found = self._implication()
        if self._next.kind != "end":
            raise self._expected("an operator or the end of the predicate")
        return found

    def _implication(self) -> Formula:
        left = self._disjunction()
        if token := self._accept("->"):
            return Operation("->", (left, self._implication()), token.column)
        return left

    def _disjunction(self) -> Formula:
        left = self._conjunction()
        while token := self._accept("||"):
            left = Operation("||", (left, self._conjunction()), token.column)
        return left

    def _conjunction(self) -> Formula:
        left = self._comparison()
        while token := self._accept("&&"):
            left = Operation("&&", (left, self._comparison()), token.column)
        return left

    def _comparison(self) -> Formula:
        left = self._sum()
        if token := self._accept(*_COMPARISONS):
            left = Operation(token.text, (left, self._sum()), token.column)
            if self._next.text in (*_COMPARISONS, "=="):
                raise self._error(
                    "comparisons are not chained: join two of them with &&, as in a < b && b < c"
                )
        return left

    def _sum(self) -> Formula:
        left = self._product()
        while token := self._accept("+", "-"):
            left = Operation(token.text, (left, self._product()), token.column)
        return left

    def _product(self) -> Formula:
        left = self._unary()
        while token := self._accept("*"):
            left = Operation("*", (left, self._unary()), token.column)
        return left

    def _unary(self) -> Formula:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise self._error(f"this is nested more than {_DEEPEST} deep")
        found = self._signed()
        self._depth -= 1
        return found

    def _signed(self) -> Formula:
        if token := self._accept("!"):
            return Operation("!", (self._unary(),), token.column)
        if token := self._accept("-"):
            return Operation("minus", (self._unary(),), token.column)
        return self._atom()

    def _atom(self) -> Formula:
        token = self._next
        if token.kind == "number":
            return self._number()
        if self._accept("("):
            found = self._implication()
            self._expect(")")
            return found
        if token.text in ("forall", "exists"):
            return self._quantifier()
        if token.text == "count":
            return self._count()
        if token.text == "at":
            self._advance()
            return self._at("", token.column)
        if token.kind != "name" or token.text in _WORDS:
            raise self._expected("a variable, a number, 'at', 'forall', 'exists' or 'count'")
        return self._name()

    def _number(self) -> Number:
        token = self._next
        if token.kind != "number":
            raise self._expected("a number")
        if len(token.text) > _MOST_DIGITS:
            raise self._error(f"a number has at most {_MOST_DIGITS} digits")
        self._advance()
        return Number(int(token.text), token.column)

    def _name(self) -> Formula:
        token = self._take_name("a variable")
        thread, name = "", token.text
        if self._next.text == "at" or self._next.text == ".":
            self._check_bound(token)
            thread = token.text
            if self._accept("at"):
                return self._at(thread, token.column)
            self._advance()
            name = self._take_name(f"a variable of the thread {thread}").text
        elif token.text == self._bound:
            raise self._error_at(
                token,
                f"{shown(token.text)} is a thread: expected {token.text}.x or {token.text} at",
            )
        index = None
        if self._accept("["):
            index = self._number().value
            self._expect("]")
        return Name(thread, name, index, token.column)

    def _check_bound(self, token: _Token) -> None:
        if token.text != self._bound:
            known = (
                f"expected {self._bound}"
                if self._bound
                else f"as in 'exists {token.text}: …'; variables of the watched thread are written "
                "alone, and so is 'at'"
            )
            raise self._error_at(token, f"there is no thread {shown(token.text)} here: {known}")

    def _at(self, thread: str, column: int) -> At:
        """The place behind `at`: it is no expression, so its text is read anew."""
        start = self._next.column - 1
        match = _PLACE.match(self._text, start)
        if match is None:
            raise self._expected("a label or a line")
        self._next = self._token(match.end())
        return At(thread, match["quoted"] or match["bare"] or "", column)

    def _quantifier(self) -> Formula:
        token = self._enter()
        name = self._take_name("a name for the other thread, as in 'forall other: …'")
        self._expect(":")
        body = self._inside(name.text)
        quantity: Quantity = "forall" if token.text == "forall" else "exists"
        return Quantified(quantity, name.text, body, token.column)

    def _count(self) -> Formula:
        token = self._enter()
        self._expect("(")
        variable = ""
        if self._next.kind == "name" and self._token(self._end).text == ":":
            variable = self._take_name("a name").text
            self._expect(":")
        body = self._inside(variable)
        self._expect(")")
        operator = self._accept(*_COMPARISONS)
        if operator is None:
            raise self._expected("a comparison with a number, as in 'count(…) >= 2'")
        number = self._number().value
        return Quantified("count", variable, body, token.column, operator.text, number)

    def _enter(self) -> _Token:
        if self._is_inside:
            raise self._error("there can be no quantifier and no count inside another one")
        return self._advance()

    def _inside(self, variable: str) -> Formula:
        """The formula of a quantifier."""
        self._bound, self._is_inside = variable, True
        found = self._implication()
        self._bound, self._is_inside = "", False
        return found

    def _take_name(self, what: str) -> _Token:
        if self._next.kind != "name" or self._next.text in _WORDS:
            raise self._expected(what)
        return self._advance()

    def _accept(self, *signs: str) -> _Token | None:
        """The next token, if it is one of these, in whatever way it was written."""
        token = self._next
        if token.kind == "end":
            return None
        text = _SAME.get(token.text, token.text)
        if text not in signs:
            return None
        self._advance()
        return token._replace(text=text)

    def _expect(self, sign: str) -> None:
        if self._accept(sign) is None:
            raise self._expected(f"'{sign}'")

    def _advance(self) -> _Token:
        token, self._next = self._next, self._token(self._end)
        return token

    @property
    def _end(self) -> int:
        return self._next.column - 1 + len(self._next.text)

    def _token(self, start: int) -> _Token:
        """The token that begins at a place of the text, or behind blanks there."""
        while start < len(self._text):
            match = _TOKENS.match(self._text, start)
            if match is None:
                return _Token("stray", self._text[start], start + 1)
            if match.lastgroup is not None:
                return _Token(match.lastgroup, match[0], start + 1)
            start = match.end()
        return _Token("end", "", len(self._text) + 1)

    def _expected(self, what: str) -> InputError:
        token = self._next
        found = "the end of the predicate" if token.kind == "end" else f"'{shown(token.text)}'"
        return self._error(f"expected {what}, found {found}")

    def _error(self, message: str) -> InputError:
        return self._error_at(self._next, message)

    def _error_at(self, token: _Token, message: str) -> InputError:
        return InputError(SOURCE, 1, token.column, message, self._text)
